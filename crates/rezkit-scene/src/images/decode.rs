//! The pixels of PNG, JPEG, WebP, GIF and JPEG 2000 files, each by its own crate.

use std::io::Cursor;
use std::num::NonZeroU64;

use rezkit_core::{Budget, Error, Result};
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{Picture, jpeg2000};

/// Maximum number of pixels per side of a decoded image.
const MAX_SIDE: u32 = 16_384;

/// The kinds of images that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
    /// GIF.
    Gif,
    /// JPEG 2000.
    Jpeg2000,
}

impl Kind {
    /// The kind of a file, by its first bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            _ => jpeg2000::STARTS.iter().any(|start| bytes.starts_with(start)).then_some(Self::Jpeg2000),
        }
    }
}

/// The width and the height of a PNG, JPEG, WebP, GIF or JPEG 2000 file, from its first bytes.
pub fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    dimensions(Kind::of(bytes)?, bytes).ok()
}

/// The memory that [`decode`] needs for an image; 0 if it is none.
pub fn needed(bytes: &[u8]) -> u64 {
    match Kind::of(bytes) {
        Some(Kind::Jpeg2000) => jpeg2000::header(bytes).map_or(0, |header| header.bytes),
        // At most four channels of 16 bits, twice while they are converted.
        _ => size(bytes).map_or(0, |(width, height)| u64::from(width) * u64::from(height) * 16),
    }
}

/// Whether a PNG or JPEG file has its end, as one that was cut off has not.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    match Kind::of(bytes) {
        Some(Kind::Png) => {
            let mut rest = bytes.get(8..).unwrap_or_default();
            // A length, a name, the content, and a checksum.
            while let Some((&[a, b, c, d, ref name @ ..], after)) = rest.split_first_chunk::<8>() {
                if name == b"IEND" {
                    return after.len() >= 4;
                }
                let len = u32::from_be_bytes([a, b, c, d]) as usize;
                rest = after.get(len.saturating_add(4)..).unwrap_or_default();
            }
            false
        }
        Some(Kind::Jpeg) => bytes.windows(2).rev().any(|pair| pair == [0xff, 0xd9]),
        _ => true,
    }
}

/// Whether an image has transparent pixels; of JPEG 2000, whether it has a channel for them, as Second Life decides.
///
/// # Errors
/// If the pixels need more memory or work than is left.
pub(crate) fn is_transparent(bytes: &[u8], budget: &mut Budget) -> Result<bool> {
    match Kind::of(bytes) {
        Some(Kind::Png | Kind::WebP | Kind::Gif) => {
            super::work(&[bytes], 0, budget)?;
            let picture = decode(bytes, budget.left());
            Ok(picture.is_ok_and(|picture| picture.pixels().iter().any(|pixel| pixel[3] < 255)))
        }
        Some(Kind::Jpeg2000) => {
            let channels = jpeg2000::header(bytes).map_or(0, |header| header.channels);
            Ok(channels == 2 || channels > 3)
        }
        Some(Kind::Jpeg) | None => Ok(false),
    }
}

fn dimensions(kind: Kind, bytes: &[u8]) -> Result<(u32, u32)> {
    match kind {
        Kind::Png => {
            let mut decoder = png::Decoder::new(Cursor::new(bytes));
            let header = decoder.read_header_info().map_err(png_error)?;
            Ok((header.width, header.height))
        }
        Kind::Jpeg => {
            let mut decoder = jpeg(bytes);
            decoder.decode_headers().map_err(jpeg_error)?;
            let (width, height) = decoder
                .dimensions()
                .ok_or_else(|| Error::unreadable("the JPEG header contains no width and height"))?;
            Ok((
                u32::try_from(width).map_err(Error::unreadable)?,
                u32::try_from(height).map_err(Error::unreadable)?,
            ))
        }
        Kind::WebP => Ok(webp(bytes)?.dimensions()),
        Kind::Gif => match bytes.get(6..10) {
            Some(&[a, b, c, d]) => Ok((u16::from_le_bytes([a, b]).into(), u16::from_le_bytes([c, d]).into())),
            _ => Err(Error::unreadable("the GIF file ends before its width and height")),
        },
        Kind::Jpeg2000 => jpeg2000::header(bytes).map(|header| (header.width, header.height)),
    }
}

/// Decodes a PNG, JPEG, WebP, GIF or JPEG 2000 file (the last with the feature `jpeg2000`) to pixels. `max_bytes` limits
/// the memory. If there are several frames, the first is returned; 16-bit channels are rounded to 8 bits.
///
/// # Errors
/// If the file is of another kind or damaged, has no pixels or more than 16,384 per side, or exceeds the memory limit.
pub fn decode(bytes: &[u8], max_bytes: u64) -> Result<Picture> {
    let kind = Kind::of(bytes)
        .ok_or_else(|| Error::unreadable("expected a PNG, JPEG, WebP, GIF or JPEG 2000 file"))?;
    let (width, height) = dimensions(kind, bytes)?;
    let what = format!("an image of {width} x {height} pixels");
    Budget::new(max_bytes).take(needed(bytes), &what)?;
    if width.max(height) > MAX_SIDE || width.min(height) == 0 {
        return Err(Error::unreadable(format!(
            "expected an image with sides of 1 to {MAX_SIDE} pixels, found {width} x {height} pixels"
        )));
    }
    let pixels = match kind {
        Kind::Png => decode_png(bytes)?,
        Kind::Jpeg => decode_jpeg(bytes)?,
        Kind::WebP => decode_webp(bytes, max_bytes)?,
        Kind::Gif => return decode_gif(bytes, width, height, max_bytes),
        Kind::Jpeg2000 => {
            let (channels, data) = jpeg2000::decode(bytes, width as usize * height as usize)?;
            rgba(channels, data)
        }
    };
    let count = pixels.len();
    Picture::from_pixels(width, height, pixels)
        .ok_or_else(|| Error::unreadable(format!("{what} contains the data of {count} pixels")))
}

/// The decoder shows the fields of a chunk's type: only its name remains.
fn png_error(error: png::DecodingError) -> Error {
    let mut text = error.to_string();
    while let Some((before, (name, (_, after)))) =
        text.split_once("ChunkType { type: ").and_then(|(before, rest)| {
            let (name, rest) = rest.split_once(',')?;
            Some((before, (name, rest.split_once(" }")?)))
        })
    {
        text = format!("{before}{name}{after}");
    }
    Error::unreadable(text)
}

/// The decoder shows some texts with quotes and escapes.
fn jpeg_error(error: DecodeErrors) -> Error {
    match error {
        DecodeErrors::Format(text) => Error::unreadable(text.trim()),
        DecodeErrors::FormatStatic(text) => Error::unreadable(text.trim()),
        other => Error::unreadable(other.to_string().trim()),
    }
}

const TOO_LARGE: &str = "the image has too many pixels for this computer (reduce its width or height)";

fn decode_png(bytes: &[u8]) -> Result<Vec<[u8; 4]>> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(png_error)?;
    let length = reader.output_buffer_size().ok_or_else(|| Error::unreadable(TOO_LARGE))?;
    let mut data = vec![0; length];
    let frame = reader.next_frame(&mut data).map_err(png_error)?;
    data.truncate(frame.buffer_size());
    if frame.bit_depth == png::BitDepth::Sixteen {
        let rounded = |&value: &[u8; 2]| ((u32::from(u16::from_be_bytes(value)) + 128) / 257) as u8;
        data = data.as_chunks().0.iter().map(rounded).collect();
    }
    Ok(rgba(frame.color_type.samples(), data))
}

/// Pixels from data of 1 to 4 channels: grey; grey and alpha; colour; colour and alpha.
fn rgba(channels: usize, data: Vec<u8>) -> Vec<[u8; 4]> {
    match channels {
        1 => data.into_iter().map(|grey| [grey, grey, grey, 255]).collect(),
        2 => data.as_chunks().0.iter().map(|&[grey, alpha]| [grey, grey, grey, alpha]).collect(),
        3 => data.as_chunks().0.iter().map(|&[r, g, b]| [r, g, b, 255]).collect(),
        _ => data.as_chunks().0.to_vec(),
    }
}

fn jpeg(bytes: &[u8]) -> JpegDecoder<ZCursor<&[u8]>> {
    let side = MAX_SIDE as usize;
    let options = DecoderOptions::default().set_strict_mode(false).set_max_width(side).set_max_height(side);
    JpegDecoder::new_with_options(ZCursor::new(bytes), options)
}

fn decode_jpeg(bytes: &[u8]) -> Result<Vec<[u8; 4]>> {
    let mut decoder = jpeg(bytes);
    decoder.decode_headers().map_err(jpeg_error)?;
    let (color, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(decoder.options().jpeg_set_out_colorspace(color));
    Ok(rgba(channels, decoder.decode().map_err(jpeg_error)?))
}

fn webp(bytes: &[u8]) -> Result<image_webp::WebPDecoder<Cursor<&[u8]>>> {
    image_webp::WebPDecoder::new(Cursor::new(bytes)).map_err(Error::unreadable)
}

fn decode_webp(bytes: &[u8], max_bytes: u64) -> Result<Vec<[u8; 4]>> {
    let mut decoder = webp(bytes)?;
    decoder.set_memory_limit(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    let length = decoder.output_buffer_size().ok_or_else(|| Error::unreadable(TOO_LARGE))?;
    let mut data = vec![0; length];
    decoder.read_image(&mut data).map_err(Error::unreadable)?;
    Ok(rgba(if decoder.has_alpha() { 4 } else { 3 }, data))
}

/// The first frame, at its place on the canvas; the rest of the canvas is transparent.
fn decode_gif(bytes: &[u8], width: u32, height: u32, max_bytes: u64) -> Result<Picture> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    options.check_frame_consistency(true);
    options.set_memory_limit(
        NonZeroU64::new(max_bytes).map_or(gif::MemoryLimit::Unlimited, gif::MemoryLimit::Bytes),
    );
    let mut decoder = options.read_info(Cursor::new(bytes)).map_err(Error::unreadable)?;
    let frame = decoder.read_next_frame().map_err(Error::unreadable)?;
    let frame = frame.ok_or_else(|| Error::unreadable("the GIF file contains no frames"))?;
    let mut picture = Picture::new(width, height, [0; 4]);
    let pixels = frame.buffer.as_chunks().0.to_vec();
    if let Some(frame_pixels) = Picture::from_pixels(frame.width.into(), frame.height.into(), pixels) {
        picture.place(&frame_pixels, frame.left.into(), frame.top.into());
    }
    Ok(picture)
}
