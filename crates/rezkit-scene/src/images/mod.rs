//! Conversions of images for other formats.

mod decode;
mod jpeg2000;
mod picture;

use std::sync::LazyLock;

use rezkit_core::{Budget, Error, Loss, Result};

pub use decode::Kind;
pub use decode::{decode, needed, size};
pub(crate) use decode::{is_transparent, is_whole};
pub use picture::Picture;

/// Encodes pixels as a PNG file.
///
/// # Errors
/// If the encoder fails.
// No budget: the file is not larger than the picture.
pub fn png(picture: &Picture) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(::png::ColorType::Rgba);
    encoder.set_depth(::png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(Error::unwritable)?;
    writer.write_image_data(picture.as_bytes()).map_err(Error::unwritable)?;
    writer.finish().map_err(Error::unwritable)?;
    Ok(bytes)
}

/// A picture as a WebP file, without loss.
///
/// # Errors
/// [`Unwritable`](rezkit_core::ErrorKind::Unwritable) if a side is longer than 16,384 pixels, or 0.
pub fn webp(picture: &Picture) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = image_webp::WebPEncoder::new(&mut bytes);
    let (width, height) = picture.size();
    encoder
        .encode(picture.as_bytes(), width, height, image_webp::ColorType::Rgba8)
        .map_err(Error::unwritable)?;
    Ok(bytes)
}

/// Counts the work of decoding files and of encoding a number of pixels. A file of one colour has far more pixels than
/// bytes.
///
/// # Errors
/// [`Effort`](rezkit_core::ErrorKind::Effort) if it would take too long.
pub fn work(files: &[&[u8]], pixels: u64, budget: &mut Budget) -> Result<()> {
    const PIXEL: u64 = 8;
    const PIXELS_OF_BYTE: u64 = 16;
    let bytes: u64 = files.iter().map(|file| file.len() as u64).sum();
    let decoded = files.iter().filter_map(|file| size(file)).map(|(w, h)| u64::from(w) * u64::from(h));
    let pixels = decoded.fold(pixels, u64::saturating_add).saturating_sub(PIXELS_OF_BYTE * bytes);
    budget.work_or(pixels.saturating_mul(PIXEL), || {
        "processing the images would take too long: they have too many pixels (use smaller images)".to_owned()
    })
}

/// A file as PNG: unchanged if it is PNG already, otherwise converted.
///
/// # Errors
/// As [`work`], [`decode`] and [`png()`].
pub fn to_png(bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
    match Kind::of(bytes) {
        Some(Kind::Png) => Ok(bytes.to_vec()),
        _ => {
            work(&[bytes], 0, budget)?;
            png(&decode(bytes, budget.left())?)
        }
    }
}

/// Packs two grey images into one for glTF: roughness in green and metalness in blue. The result is as large as the
/// larger of the two. If one is missing, its channel is 255.
///
/// # Errors
/// As [`work`], [`decode`] and [`png()`].
pub fn packed(roughness: Option<&[u8]>, metalness: Option<&[u8]>, budget: &mut Budget) -> Result<Vec<u8>> {
    let files: Vec<&[u8]> = roughness.into_iter().chain(metalness).collect();
    let sizes = files.iter().filter_map(|file| size(file));
    let (width, height) = sizes.fold((1, 1), |(w, h), size| (w.max(size.0), h.max(size.1)));
    let pixels = u64::from(width) * u64::from(height);
    work(&files, pixels, budget)?;
    // The picture and its file, besides the pictures that are decoded.
    let mut budget = budget.clone();
    budget.take(pixels * 8, "the combined image")?;
    let mut grey = |bytes: Option<&[u8]>| -> Result<Option<Picture>> {
        let Some(bytes) = bytes else { return Ok(None) };
        let picture = decode(bytes, budget.left())?;
        budget.take(picture.as_bytes().len() as u64, "an image")?;
        Ok(Some(picture))
    };
    let (roughness, metalness) = (grey(roughness)?, grey(metalness)?);
    let sample = |image: &Option<Picture>, x: u32, y: u32| {
        image
            .as_ref()
            .map_or(255, |image| luma(image.pixel(x * image.width() / width, y * image.height() / height)))
    };
    png(&Picture::from_fn(width, height, |x, y| {
        [255, sample(&roughness, x, y), sample(&metalness, x, y), 255]
    }))
}

/// The luma of a colour by ITU-R BT.709.
fn luma([r, g, b, _]: [u8; 4]) -> u8 {
    ((2126 * u32::from(r) + 7152 * u32::from(g) + 722 * u32::from(b)) / 10_000) as u8
}

/// A channel of an image as a grey PNG file: the inverse of [`packed`].
///
/// # Errors
/// As [`work`], [`decode`] and [`png()`].
pub fn channel(bytes: &[u8], index: usize, budget: &mut Budget) -> Result<Vec<u8>> {
    work(&[bytes], 0, budget)?;
    let mut picture = decode(bytes, budget.left())?;
    for pixel in picture.pixels_mut() {
        let value = pixel[index];
        *pixel = [value, value, value, 255];
    }
    png(&picture)
}

/// The linear value of each sRGB byte.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| {
        let value = byte as f32 / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
    })
});

/// The sRGB byte of 4,096 linear values.
static SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let encode = |index: u16| {
        let value = f32::from(index) / 4095.0;
        let encoded =
            if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * libm::powf(value, 1.0 / 2.4) - 0.055 };
        (encoded * 255.0 + 0.5) as u8
    };
    (0..4096).map(encode).collect()
});

/// The linear value of an sRGB byte.
pub fn linear_from_srgb(byte: u8) -> f32 {
    LINEAR[usize::from(byte)]
}

/// The sRGB byte of a linear value, which is clamped to 0 to 1.
pub fn srgb_from_linear(value: f32) -> u8 {
    SRGB[(value.clamp(0.0, 1.0) * 4095.0 + 0.5) as usize]
}

/// The extensions of image formats that no reader supports.
const UNSUPPORTED: &[&str] =
    &["bmp", "dds", "exr", "hdr", "j2c", "j2k", "jp2", "ktx", "ktx2", "psd", "tga", "tif", "tiff"];

/// The loss of an image whose file was not read; `None` if it has no address, since the reader of the file has listed it.
pub fn missing(uri: &str, path: String) -> Option<Loss> {
    let scheme = uri.get(..8).unwrap_or(uri).to_ascii_lowercase();
    if uri.is_empty() {
        return None;
    }
    // The UUID of an asset of Second Life.
    if uri.parse::<slmesh::llsd::Uuid>().is_ok() {
        return Some(
            Loss::new(path, format!("the texture {uri}, since rezkit does not download textures"))
                .id("image.not-downloaded"),
        );
    }
    if scheme.starts_with("http://") || scheme.starts_with("https://") {
        return Some(
            Loss::new(path, format!("the image {uri:?}, since rezkit does not download files"))
                .id("image.not-downloaded"),
        );
    }
    let extension = uri.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if UNSUPPORTED.contains(&&*extension) {
        let what =
            format!("the image file {uri:?}, since its format is not supported (convert it to PNG or JPEG)");
        return Some(Loss::new(path, what).id("image.format"));
    }
    Some(
        Loss::missing(path, format!("the image file {uri:?} is missing, or is not PNG, JPEG, WebP or GIF"))
            .id("image.missing"),
    )
}
