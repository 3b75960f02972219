//! Terrain as an image of 16 bits: a map of heights, in and out.

use std::collections::HashMap;
use std::io::Cursor;

use rbxcore::{CFrame, EditOptions, NewInstance, Value};

use crate::Document;
use crate::blobs::MaterialColors;
use crate::blobs::terrain::{Extent, Ground, Heights, MATERIALS, PhysicsGrid};
use crate::file_type::Asset;
use crate::formats::roblox::dom;
use crate::kit::Opened;
use rbxdocument::terrain::{Terrain, terrain};
use rezkit_core::{Budget, Error, Loss, Result, settable};
use rezkit_scene::images::{self, Picture};

/// The length of a voxel in studs.
const VOXEL: f32 = 4.0;

settable! {
    /// Options of terrain as an image.
    HeightOptions {
        /// The size of the terrain along x, y and z in studs: by default, 4 studs for each pixel, and a height of 256; for an
        /// image of terrain, the box around its ground.
        size: Option<[f32; 3]> = None, [f32; 3] => Some(size);
        /// The material, by its name, such as `Grass`.
        material: String = "Grass".to_owned(), impl Into<String> => material.into();
        /// An image with the materials of the columns, as large as that of the heights: each pixel has the colour of a
        /// material, which Studio's terrain has by default.
        materials: Option<Vec<u8>> = None, impl Into<Vec<u8>> => Some(materials.into());
        /// The height of the water in studs; 0 for none.
        water: f32 = 0.0, f32 => water;
        /// The number of bytes that the result may allocate: 1 GiB by default.
        max_bytes: u64 = rezkit_core::DEFAULT_MAX_BYTES, u64 => max_bytes;
    }
}

/// A place with the terrain of an image: black is the lowest, white the highest. The terrain is around the origin, and its
/// lowest height is 0.
///
/// # Errors
/// If the image is not grey, or if the terrain takes more memory than is allowed.
pub fn place_of_heights(image: &[u8], options: &HeightOptions) -> Result<(Document, Vec<Loss>)> {
    let mut budget = Budget::new(options.max_bytes);
    let (mut map, mut losses) = read(image, &mut budget)?;
    let named = |known: &str| known.eq_ignore_ascii_case(&options.material);
    let material = MATERIALS.iter().position(|known| named(known)).filter(|&index| index > 1);
    let material = material.and_then(|material| u8::try_from(material).ok()).ok_or_else(|| {
        let names = MATERIALS.get(2..).unwrap_or_default().join(", ");
        Error::argument(format!("`{}` is no material of terrain: {names}", options.material))
    })?;
    if let Some(image) = &options.materials {
        losses.extend(colored(&mut map, image, &mut budget)?);
    }
    let mut height = 64;
    if let Some(size) = options.size {
        let [x, y, z] = voxels(size)?;
        budget.take(2 * (x as u64) * (z as u64), "a map of heights")?;
        if (x, z) != (map.width, map.depth) {
            let what = format!("{} by {} pixels become {x} by {z} columns of voxels", map.width, map.depth);
            losses.push(Loss::approximated("", what).id("terrain.resampled"));
            map = map.resized(x, z);
        }
        height = u32::try_from(y).unwrap_or(u32::MAX);
    }
    let half = |count: usize| -i32::try_from(count / 2).unwrap_or_default();
    let mut ground =
        Ground { origin: [half(map.width), 0, half(map.depth)], material, height, ..Ground::default() };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is limited")]
    let water = options.water.clamp(0.0, 65_536.0) as u32 / 4;
    ground.water = water;
    let grid = map.to_grid(&ground, &mut budget)?;
    let physics = PhysicsGrid::of(&grid)?;
    let (grid, physics) = (grid.to_vec()?, physics.to_vec()?);
    let terrain = NewInstance::new("Terrain")
        .property("Name", "Terrain")
        .property("Anchored", true)
        .property("Locked", true)
        .property("CFrame", CFrame::IDENTITY)
        .property("SmoothGrid", Value::from(grid))
        .property("PhysicsGrid", Value::from(physics));
    let workspace = NewInstance::new("Workspace").service(true).property("Name", "Workspace").child(terrain);
    let mut place = rbxbinary::Document::new();
    EditOptions::new().insert(&mut place, None, workspace)?;
    Ok((Document::Binary(std::sync::Arc::new(place)), losses))
}

/// The terrain of a place as an image of 16 bits, and how large it is.
///
/// # Errors
/// If the file has no terrain, or the image takes more memory than is allowed.
pub fn heights_of(file: &Opened<'_>, options: &HeightOptions) -> Result<(Vec<u8>, Vec<Loss>)> {
    let (map, extent, turned) = map_of(file.asset(), options)?;
    let studs = |at: [i32; 3]| at.map(|at| (at * 4).to_string()).join(",");
    let size: [i32; 3] = std::array::from_fn(|axis| extent.to[axis] - extent.from[axis]);
    let what = format!(
        "black is the height {}, white {}, in studs; `--terrain-size {}` makes the same terrain of the image (of caves and \
         overhangs, it has only the top; water is not in it, and materials only in `--terrain-materials`)",
        4 * extent.from[1],
        4 * extent.to[1],
        studs(size)
    );
    let heights = Loss::approximated("Terrain", what).id("terrain.heights");
    Ok((write(&map)?, turned.into_iter().chain([heights]).collect()))
}

/// The colours that Studio's importer of terrain reads as materials, from grass on: the first ones of `MaterialColors`.
const KEY: [[u8; 3]; 21] = [
    [106, 127, 63],
    [63, 127, 107],
    [127, 102, 63],
    [138, 86, 62],
    [143, 126, 95],
    [139, 109, 79],
    [102, 108, 111],
    [101, 176, 234],
    [195, 199, 218],
    [137, 90, 71],
    [58, 46, 36],
    [30, 30, 37],
    [102, 92, 59],
    [232, 156, 74],
    [115, 123, 107],
    [132, 123, 90],
    [129, 194, 224],
    [115, 132, 74],
    [198, 189, 181],
    [206, 173, 148],
    [148, 148, 140],
];

/// The materials on top of the terrain of a place, as an image in the colours of Studio's importer, beside the one of [`heights_of`]; black
/// where there is no ground.
///
/// # Errors
/// As [`heights_of`].
pub fn materials_of(file: &Opened<'_>, options: &HeightOptions) -> Result<Vec<u8>> {
    let (map, ..) = map_of(file.asset(), options)?;
    let color = |material: &u8| {
        let key = usize::from(*material).checked_sub(2).and_then(|at| KEY.get(at));
        key.map_or([0, 0, 0, 255], |&[r, g, b]| [r, g, b, 255])
    };
    let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let pixels = map.materials.iter().map(color).collect();
    let picture = Picture::from_pixels(size(map.width), size(map.depth), pixels);
    images::png(&picture.ok_or_else(|| Error::argument("the image is too large"))?)
}

/// Gives a map the materials whose colours an image has: those of Studio's importer, or those that Studio draws today.
fn colored(map: &mut Heights, image: &[u8], budget: &mut Budget) -> Result<Option<Loss>> {
    let picture = images::decode(image, budget.left())?;
    let (width, depth) = picture.size();
    if (width as usize, depth as usize) != (map.width, map.depth) {
        return Err(Error::argument(format!(
            "the image of the materials has {width} by {depth} pixels, that of the heights {} by {}",
            map.width, map.depth
        )));
    }
    budget.take(picture.pixels().len() as u64, "the materials of the terrain")?;
    let colors = MaterialColors::default();
    let known: Vec<(u8, [u8; 3])> = (2..=u8::MAX)
        .map_while(|material| colors.get(material).map(|of| (material, [of.r, of.g, of.b])))
        .chain((2..).zip(KEY))
        .collect();
    let mut nearest: HashMap<[u8; 3], (u8, u32)> = HashMap::new();
    let mut others = 0;
    for &[r, g, b, _] in picture.pixels() {
        let (material, distance) = *nearest.entry([r, g, b]).or_insert_with(|| {
            let distance = |of: &[u8; 3]| -> u32 {
                of.iter().zip([r, g, b]).map(|(one, next)| u32::from(one.abs_diff(next)).pow(2)).sum()
            };
            // Black is no ground.
            let all = known.iter().map(|(material, of)| (*material, distance(of)));
            let all = all.chain([(0, distance(&[0; 3]))]);
            all.min_by_key(|(_, distance)| *distance).unwrap_or_default()
        });
        others += usize::from(distance > 0);
        map.materials.push(material);
    }
    let what = "the colour of no material, of which the nearest is used";
    Ok((others > 0).then(|| Loss::approximated("materials", what).id("terrain.materials").times(others)))
}

/// The map of a place's terrain, where it is, and what was changed in reading it.
fn map_of(asset: &dyn Asset, options: &HeightOptions) -> Result<(Heights, Extent, Option<Loss>)> {
    let mut budget = Budget::new(options.max_bytes);
    let document = dom(asset).ok_or_else(|| Error::argument("only Roblox places have terrain"))?;
    let Terrain { grid, older, .. } = terrain(document, &mut budget)?;
    if grid.chunks.is_empty() {
        return Err(Error::new(rezkit_core::ErrorKind::Empty, "the file has no terrain"));
    }
    let extent = match options.size {
        Some(size) => {
            let [x, y, z] = voxels(size)?.map(|count| i32::try_from(count).unwrap_or(i32::MAX));
            Extent { from: [-(x / 2), 0, -(z / 2)], to: [x - x / 2, y, z - z / 2] }
        }
        None => grid.extent().ok_or_else(|| {
            Error::new(rezkit_core::ErrorKind::Empty, "the terrain of the place has no ground")
        })?,
    };
    Ok((grid.heights(extent, &mut budget)?, extent, older.map(|(_, loss)| loss)))
}

/// The number of voxels of a size in studs.
fn voxels(size: [f32; 3]) -> Result<[usize; 3]> {
    let is_wrong = size.iter().any(|studs| !(VOXEL..=65_536.0).contains(studs));
    if is_wrong {
        return Err(Error::argument("the size of terrain is 4 to 65,536 studs along each axis"));
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let count = size.map(|studs| (studs / VOXEL).round() as usize);
    Ok(count)
}

/// # Errors
/// If the image cannot be read, or has colours.
fn read(image: &[u8], budget: &mut Budget) -> Result<(Heights, Vec<Loss>)> {
    let wrong = |error: png::DecodingError| Error::unreadable(format!("the image cannot be read: {error}"));
    let mut decoder = png::Decoder::new(Cursor::new(image));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let info = reader.info();
    let (width, depth) = (info.width as usize, info.height as usize);
    budget.take(10 * (width as u64) * (depth as u64), "a map of heights")?;
    let Some(size) = reader.output_buffer_size() else {
        return Err(Error::argument("the image is too large"));
    };
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(wrong)?;
    let channels = frame.color_type.samples();
    let mut losses = Vec::new();
    let sixteen: Vec<u16> = match frame.bit_depth {
        png::BitDepth::Sixteen => {
            pixels.as_chunks::<2>().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
        }
        _ => {
            let what = "the image has 8 bits, so the terrain has at most 256 heights";
            losses.push(Loss::approximated("", what).id("terrain.heights"));
            pixels.iter().map(|byte| u16::from(*byte) * 257).collect()
        }
    };
    let has_alpha = channels % 2 == 0;
    let opaque = |pixel: &[u16]| pixel.last().is_none_or(|alpha| *alpha == u16::MAX);
    let clear = sixteen.chunks_exact(channels).filter(|pixel| has_alpha && !opaque(pixel)).count();
    if clear > 0 {
        let what = "the transparency of a pixel, which has a height like others";
        losses.push(Loss::new("", what).id("terrain.heights").times(clear));
    }
    let mut samples = Vec::with_capacity(width * depth);
    for pixel in sixteen.chunks_exact(channels).take(width * depth) {
        let is_grey = channels < 3 || pixel[0] == pixel[1] && pixel[1] == pixel[2];
        if !is_grey {
            return Err(Error::argument("a map of heights is a grey image; this one has colours"));
        }
        samples.push(pixel[0]);
    }
    Ok((Heights { width, depth, samples, materials: Vec::new() }, losses))
}

fn write(map: &Heights) -> Result<Vec<u8>> {
    let wrong = |error: png::EncodingError| Error::argument(format!("the image cannot be written: {error}"));
    let size = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size(map.width), size(map.depth));
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().map_err(wrong)?;
    let pixels: Vec<u8> = map.samples.iter().flat_map(|sample| sample.to_be_bytes()).collect();
    writer.write_image_data(&pixels).map_err(wrong)?;
    writer.finish().map_err(wrong)?;
    Ok(bytes)
}
