//! What is changed so that the platform need not.

use image::imageops::FilterType;
use rezkit_scene::{Budget, ImageData, Loss, Result, Scene, images};

/// The most pixels of a side of a texture.
const SIDE: u32 = 2048;

/// Textures no larger than the platform keeps them, where that is asked for.
pub(super) fn textures(
    scene: &mut Scene,
    fix: bool,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    if !fix {
        return Ok(());
    }
    for (index, image) in scene.images.iter_mut().enumerate() {
        let ImageData::Bytes(bytes) = &image.data else { continue };
        let Some((width, height)) = images::size(bytes).filter(|(width, height)| width.max(height) > &SIDE)
        else {
            continue;
        };
        let smaller = shrunk(bytes, budget)?;
        let (w, h) = images::size(&smaller).unwrap_or_default();
        image.data = ImageData::Bytes(smaller);
        losses.push(Loss::approximated(
            format!("images[{index}]"),
            format!("{width} x {height} pixels: {w} x {h}"),
        ));
    }
    Ok(())
}

/// A picture as PNG, with at most 2,048 pixels a side.
pub(super) fn shrunk(bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
    let picture = images::decode(bytes, budget.left())?;
    let (width, height) = (picture.width(), picture.height());
    budget.work(u64::from(width) * u64::from(height) * 8, "a texture")?;
    let longest = width.max(height).max(1);
    if longest <= SIDE {
        return images::to_png(bytes, budget.left());
    }
    let side = |side: u32| (u64::from(side) * u64::from(SIDE) / u64::from(longest)).max(1) as u32;
    images::png(&picture.resize_exact(side(width), side(height), FilterType::Triangle).to_rgba8())
}
