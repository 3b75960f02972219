//! Images as formats need them.

use rezkit_core::{Budget, Error, Result};
use std::io::Cursor;
use std::sync::LazyLock;

use image::{DynamicImage, GrayImage, ImageFormat, ImageReader, Limits, Rgba, RgbaImage};

/// The most pixels of a side of an image that is decoded.
const MAX_SIDE: u32 = 16_384;

/// A PNG, JPEG or WebP file as pixels, which may take this many bytes.
///
/// # Errors
/// Where it is of another kind, is damaged, has more than 16,384 pixels a side, or needs more memory than it may.
pub fn decode(bytes: &[u8], max_bytes: u64) -> Result<DynamicImage> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(Error::unreadable)?;
    let (width, height) = reader.into_dimensions().map_err(Error::unreadable)?;
    // At most four channels of 16 bits, and once more while they are converted.
    let what = format!("an image of {width} x {height} pixels");
    Budget::new(max_bytes).take(u64::from(width) * u64::from(height) * 16, &what)?;
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(Error::unreadable)?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    reader.limits(limits);
    reader.decode().map_err(Error::unreadable)
}

/// The width and the height of a PNG, JPEG or WebP file, from its first bytes.
pub fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.into_dimensions().ok()
}

/// Pixels as a PNG file.
///
/// # Errors
/// Where the encoder fails.
pub fn png(image: &RgbaImage) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(Error::unreadable)?;
    Ok(bytes)
}

/// The file as it is where it is a PNG, or converted to one.
///
/// # Errors
/// As [`decode`] and [`png()`].
pub fn to_png(bytes: &[u8], max_bytes: u64) -> Result<Vec<u8>> {
    match bytes.starts_with(b"\x89PNG") {
        true => Ok(bytes.to_vec()),
        false => png(&decode(bytes, max_bytes)?.to_rgba8()),
    }
}

/// glTF's one image for two grey ones: roughness in green and metalness in blue, as large as the larger
/// of the two. Where one is missing, its channel is 255.
///
/// # Errors
/// As [`decode`] and [`png()`].
pub fn packed(roughness: Option<&[u8]>, metalness: Option<&[u8]>, max_bytes: u64) -> Result<Vec<u8>> {
    let grey = |bytes: Option<&[u8]>| {
        bytes
            .map(|bytes| decode(bytes, max_bytes))
            .transpose()
            .map(|image| image.map(|image| image.to_luma8()))
    };
    let (roughness, metalness) = (grey(roughness)?, grey(metalness)?);
    let size = |image: &Option<GrayImage>| image.as_ref().map_or((1, 1), GrayImage::dimensions);
    let (width, height) =
        (size(&roughness).0.max(size(&metalness).0), size(&roughness).1.max(size(&metalness).1));
    let sample = |image: &Option<GrayImage>, x: u32, y: u32| {
        image
            .as_ref()
            .map_or(255, |image| image.get_pixel(x * image.width() / width, y * image.height() / height).0[0])
    };
    png(&RgbaImage::from_fn(width, height, |x, y| {
        Rgba([255, sample(&roughness, x, y), sample(&metalness, x, y), 255])
    }))
}

/// The channel of an image as a grey PNG file: what [`packed`] put together.
///
/// # Errors
/// As [`decode`] and [`png()`].
pub fn channel(bytes: &[u8], index: usize, max_bytes: u64) -> Result<Vec<u8>> {
    let image = decode(bytes, max_bytes)?.to_rgba8();
    let grey = |x: u32, y: u32| {
        let value = image.get_pixel(x, y).0[index];
        Rgba([value, value, value, 255])
    };
    png(&RgbaImage::from_fn(image.width(), image.height(), grey))
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
