//! Pictures as files: one, several with their names on one sheet, or one after another.

use font8x8::UnicodeFonts as _;
use image::{Rgba, RgbaImage};
use rezkit_core::{Error, Result};

/// Pictures of one size as an animated PNG that repeats, each shown for `milliseconds`.
///
/// # Errors
/// Where there are no pictures, or their sizes differ.
pub fn animated_png(pictures: &[RgbaImage], milliseconds: u16) -> Result<Vec<u8>> {
    let first = pictures.first().ok_or_else(|| Error::unwritable("no pictures"))?;
    if pictures.iter().any(|picture| picture.dimensions() != first.dimensions()) {
        return Err(Error::unwritable("pictures of different sizes"));
    }
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, first.width(), first.height());
    encoder.set_color(::png::ColorType::Rgba);
    encoder.set_depth(::png::BitDepth::Eight);
    let count = u32::try_from(pictures.len()).map_err(|_| Error::unwritable("too many pictures"))?;
    let write = |encoder: &mut ::png::Encoder<'_, &mut Vec<u8>>| {
        encoder.set_animated(count, 0)?;
        encoder.set_frame_delay(milliseconds, 1000)
    };
    write(&mut encoder).map_err(Error::unwritable)?;
    let mut writer = encoder.write_header().map_err(Error::unwritable)?;
    for picture in pictures {
        writer.write_image_data(picture.as_raw()).map_err(Error::unwritable)?;
    }
    writer.finish().map_err(Error::unwritable)?;
    Ok(bytes)
}

/// Pictures of one size as an animated GIF that repeats, each shown for `milliseconds`. GIF has 256 colours for
/// each picture, and what can be seen through is seen whole or not at all.
///
/// # Errors
/// Where there are no pictures, or their sides are longer than 65,535 pixels.
pub fn animated_gif(pictures: &[RgbaImage], milliseconds: u16) -> Result<Vec<u8>> {
    use image::codecs::gif::{GifEncoder, Repeat};
    let mut bytes = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut bytes, 10);
    let delay = image::Delay::from_numer_denom_ms(milliseconds.into(), 1);
    encoder.set_repeat(Repeat::Infinite).map_err(Error::unwritable)?;
    let frames = pictures.iter().map(|picture| image::Frame::from_parts(picture.clone(), 0, 0, delay));
    encoder.encode_frames(frames).map_err(Error::unwritable)?;
    drop(encoder);
    match pictures.is_empty() {
        true => Err(Error::unwritable("no pictures")),
        false => Ok(bytes),
    }
}

/// The height of the line of text below each picture.
const LINE: u32 = 16;

/// Pictures of one size with their names, in about as many columns as rows.
pub fn contact_sheet(pictures: &[(String, RgbaImage)], background: [u8; 4]) -> RgbaImage {
    let Some((_, first)) = pictures.first() else { return RgbaImage::new(1, 1) };
    let (width, height) = (first.width(), first.height() + LINE);
    let count = u32::try_from(pictures.len()).unwrap_or(u32::MAX);
    let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1);
    let rows = count.div_ceil(columns);
    let mut sheet = RgbaImage::from_pixel(columns * width, rows * height, Rgba(background));
    for (index, (name, picture)) in (0..).zip(pictures) {
        let (left, top) = (index % columns * width, index / columns * height);
        image::imageops::overlay(&mut sheet, picture, left.into(), top.into());
        write_text(&mut sheet, name, left + 4, top + first.height() + 4, width - 8);
    }
    sheet
}

/// Text in letters of eight by eight pixels; its end is cut where it does not fit.
fn write_text(sheet: &mut RgbaImage, text: &str, left: u32, top: u32, width: u32) {
    for (index, character) in (0..width / 8).zip(text.chars()) {
        let letter = font8x8::BASIC_FONTS.get(character).or_else(|| font8x8::LATIN_FONTS.get(character));
        let rows = letter.or_else(|| font8x8::BASIC_FONTS.get('?')).unwrap_or_default();
        for (y, row) in (0..8).zip(rows) {
            for x in (0..8).filter(|x| row & (1 << x) != 0) {
                if let Some(pixel) = sheet.get_pixel_mut_checked(left + index * 8 + x, top + y) {
                    *pixel = Rgba([40, 42, 48, 255]);
                }
            }
        }
    }
}
