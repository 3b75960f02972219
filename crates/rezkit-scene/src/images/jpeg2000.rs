//! JPEG 2000, the textures of Second Life and OpenSim.
//!
//! The decoder does not limit its memory, so that what an image needs is read from its headers first. It gets only the
//! codestream: the boxes of a JP2 file around it can make this version panic.

use rezkit_core::{Error, Result};

/// The first bytes of a JP2 file, and of a bare codestream.
pub(super) const STARTS: [&[u8]; 2] = [b"\0\0\0\x0cjP  ", b"\xff\x4f\xff\x51"];

/// The maximum number of channels: a baked texture of an avatar has five.
const CHANNELS: u16 = 5;

/// What the headers say.
pub(super) struct Header {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) channels: u16,
    /// The memory that the decoder needs, in bytes, at most.
    pub(super) bytes: u64,
}

/// The codestream: the file itself, or a box of a JP2 file.
fn codestream(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(STARTS[1]) {
        return Some(bytes);
    }
    let mut rest = bytes;
    loop {
        let length = u32::from_be_bytes(*rest.first_chunk()?);
        let kind = rest.get(4..8)?;
        let (head, length) = match length {
            0 => (8, rest.len()),
            1 => (16, usize::try_from(u64::from_be_bytes(*rest.get(8..)?.first_chunk()?)).ok()?),
            length => (8, length as usize),
        };
        if kind == b"jp2c" {
            return rest.get(head..);
        }
        rest = rest.get(length.max(head)..)?;
    }
}

/// Reads the headers of an image.
///
/// # Errors
/// If they end early, or the image has no pixels or too many channels.
pub(super) fn header(bytes: &[u8]) -> Result<Header> {
    let damaged = || Error::unreadable("the header of the JPEG 2000 image is damaged or incomplete");
    let stream = codestream(bytes).ok_or_else(damaged)?;
    let word = |at: usize| {
        stream.get(at..).and_then(|rest| rest.first_chunk()).map(|word| u16::from_be_bytes(*word))
    };
    let long = |at: usize| {
        stream.get(at..).and_then(|rest| rest.first_chunk()).map(|long| u32::from_be_bytes(*long))
    };
    // After the markers SOC and SIZ, the length, and the capabilities: the size and the offset of the image, and those of
    // the tiles.
    let sizes: Option<Vec<u32>> = (0..8).map(|index| long(8 + 4 * index)).collect();
    let [right, bottom, left, top, across, down, ..] = sizes.ok_or_else(damaged)?[..] else {
        return Err(damaged());
    };
    let (width, height) = (right.saturating_sub(left), bottom.saturating_sub(top));
    let channels = word(40).ok_or_else(damaged)?;
    if !(1..=CHANNELS).contains(&channels) || across == 0 || down == 0 {
        return Err(Error::unreadable(format!(
            "expected a JPEG 2000 image with 1 to {CHANNELS} channels and tiles, found {channels} channels"
        )));
    }
    let tiles = u64::from(right.div_ceil(across)) * u64::from(bottom.div_ceil(down));
    let pixels = u64::from(width) * u64::from(height);
    if tiles > 16 + pixels / 1024 {
        return Err(Error::unreadable(format!("the JPEG 2000 image has too many tiles: {tiles}")));
    }
    // The smallest blocks of coefficients, as powers of two, by the markers COD and COC of the image and of its tiles.
    let (mut side, mut at) = ([6_u8; 2], 2);
    let mut tile_end = None;
    while let Some(marker) = word(at) {
        match marker {
            // SOT: the length of the part of a tile.
            0xff90 => {
                let length = long(at + 6).unwrap_or(0) as usize;
                tile_end = at.checked_add(length).filter(|_| length > 0);
            }
            // SOD: the data of the part.
            0xff93 => match tile_end.take().filter(|end| *end > at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => break,
            },
            0xff52 => blocks(stream.get(at + 9..), stream.get(at + 4), &mut side),
            0xff53 => blocks(stream.get(at + 6..), stream.get(at + 5), &mut side),
            _ => {}
        }
        at += 2 + usize::from(word(at + 2).unwrap_or(0)).max(2);
    }
    let block = 300_u64 >> (side[0] + side[1]).min(63);
    let of_pixels = pixels.saturating_mul(16 + u64::from(channels) * (24 + block));
    let bytes = of_pixels.saturating_add(tiles.saturating_mul(2000));
    Ok(Header { width, height, channels, bytes })
}

/// Takes the size of blocks from the levels, the block and the precincts of a style; `flags` say whether it has
/// precincts.
fn blocks(style: Option<&[u8]>, flags: Option<&u8>, side: &mut [u8; 2]) {
    let Some([levels, x, y, _, _, precincts @ ..]) = style else { return };
    let mut least = [x, y].map(|exponent| (exponent & 15) + 2);
    if flags.is_some_and(|flags| flags & 1 == 1) {
        for precinct in precincts.iter().take(usize::from(*levels) + 1) {
            for (least, exponent) in least.iter_mut().zip([precinct & 15, precinct >> 4]) {
                *least = (*least).min(exponent.saturating_sub(1));
            }
        }
    }
    for (side, least) in side.iter_mut().zip(least) {
        *side = (*side).min(least);
    }
}

/// The channels of the pixels, and their bytes. The caller checked the memory.
#[cfg(feature = "jpeg2000")]
pub(super) fn decode(bytes: &[u8], pixels: usize) -> Result<(usize, Vec<u8>)> {
    use hayro_jpeg2000::{DecodeSettings, Image};

    let unreadable = |error: &dyn std::fmt::Display| Error::unreadable(format!("JPEG 2000: {error}"));
    let stream = codestream(bytes).ok_or_else(|| unreadable(&"no image"))?;
    let boxes = &bytes[..bytes.len() - stream.len()];
    // A colour space by its number: sRGB, grey, or one that needs a conversion.
    let space = memchr::memmem::find(boxes, b"colr").and_then(|at| boxes.get(at + 4..at + 11));
    let is_usual = |space: &[u8]| space[0] != 1 || matches!(space[3..], [0, 0, 0, 16 | 17]);
    if memchr::memmem::find(boxes, b"pclr").is_some() || !space.is_none_or(is_usual) {
        return Err(unreadable(&"a palette, or colours other than RGB and grey"));
    }
    let image = Image::new(stream, &DecodeSettings::default()).map_err(|error| unreadable(&error))?;
    let data = image.decode().map_err(|error| unreadable(&error))?;
    let channels = data.len() / pixels.max(1);
    match channels {
        0 => Err(unreadable(&"no pixels")),
        5 => Ok((4, data.as_chunks::<5>().0.iter().flat_map(|&[r, g, b, a, _]| [r, g, b, a]).collect())),
        _ => Ok((channels, data)),
    }
}

#[cfg(not(feature = "jpeg2000"))]
pub(super) fn decode(_: &[u8], _: usize) -> Result<(usize, Vec<u8>)> {
    Err(Error::unreadable("this build of rezkit does not read JPEG 2000 (feature `jpeg2000`)"))
}
