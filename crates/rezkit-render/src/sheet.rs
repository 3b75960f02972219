//! Picture files: animations, or sheets of several pictures with their names.

use std::io::Write as _;

use font8x8::UnicodeFonts as _;
use rezkit_core::{Budget, Counted, Error, Result};
use rezkit_scene::images::{self, Picture};

use crate::options::MAX_SIDE;

/// The error if a file cannot count its pictures.
fn too_many(found: usize) -> Error {
    Error::unwritable(format!("expected at most 4,294,967,295 images, found {found}"))
}

/// The error if there are no pictures.
fn no_pictures() -> Error {
    Error::unwritable("an animation or a contact sheet requires at least one image")
}

/// The error if a picture has another size than the first one.
fn other_size((width, height): (u32, u32), found: (u32, u32)) -> Error {
    let (w, h) = found;
    Error::unwritable(format!(
        "expected all images to have the size of the first one, {width} x {height} pixels, found {w} x {h}"
    ))
}

/// Writes pictures of one size as an animated PNG that repeats, each shown for `milliseconds`. A picture is requested
/// only after the previous one is written.
///
/// # Errors
/// If there are no pictures, their sizes differ, or one of them cannot be drawn.
// No budget: one picture at a time, whose size the caller chooses.
pub fn animated_png(
    pictures: impl ExactSizeIterator<Item = Result<Picture>>,
    milliseconds: u16,
) -> Result<Vec<u8>> {
    let count = u32::try_from(pictures.len()).map_err(|_| too_many(pictures.len()))?;
    let mut pictures = pictures;
    let first = pictures.next().ok_or_else(no_pictures)??;
    let size = first.size();
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, size.0, size.1);
    encoder.set_color(::png::ColorType::Rgba);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.set_animated(count, 0).map_err(Error::unwritable)?;
    encoder.set_frame_delay(milliseconds, 1000).map_err(Error::unwritable)?;
    let mut writer = encoder.write_header().map_err(Error::unwritable)?;
    for picture in std::iter::once(Ok(first)).chain(pictures) {
        let picture = picture?;
        if picture.size() != size {
            return Err(other_size(size, picture.size()));
        }
        writer.write_image_data(picture.as_bytes()).map_err(Error::unwritable)?;
    }
    writer.finish().map_err(Error::unwritable)?;
    Ok(bytes)
}

/// Writes pictures of one size as an animated GIF that repeats, each shown for `milliseconds`. GIF has 256 colours
/// per picture, and transparency is on or off. A picture is requested only after the previous one is written.
///
/// # Errors
/// If there are no pictures, their sizes differ, their sides are longer than 65,535 pixels, or one of them cannot be drawn.
// No budget: one picture at a time, whose size the caller chooses.
pub fn animated_gif(
    pictures: impl ExactSizeIterator<Item = Result<Picture>>,
    milliseconds: u16,
) -> Result<Vec<u8>> {
    let mut pictures = pictures;
    let first = pictures.next().ok_or_else(no_pictures)??;
    let side = |side: u32| {
        let wrong = || format!("expected at most 65,535 pixels per side of a GIF, found {side}");
        u16::try_from(side).map_err(|_| Error::unwritable(wrong()))
    };
    let (width, height) = (side(first.width())?, side(first.height())?);
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[]).map_err(Error::unwritable)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(Error::unwritable)?;
    for picture in std::iter::once(Ok(first)).chain(pictures) {
        let picture = picture?;
        if picture.size() != (width.into(), height.into()) {
            return Err(other_size((width.into(), height.into()), picture.size()));
        }
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut picture.into_bytes(), 10);
        // GIF stores hundredths of a second.
        frame.delay = milliseconds / 10;
        encoder.write_frame(&frame).map_err(Error::unwritable)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// Two pictures of one height side by side.
pub fn beside(left: &Picture, right: &Picture) -> Picture {
    let (width, height) = (left.width(), left.height().max(right.height()));
    Picture::from_fn(width + right.width(), height, |x, y| {
        let (from, x) = if x < width { (left, x) } else { (right, x - width) };
        let at = y as usize * from.width() as usize + x as usize;
        from.pixels().get(at).copied().unwrap_or_default()
    })
}

/// An animated WebP that repeats, without loss; `milliseconds` is the time of each picture.
///
/// # Errors
/// As [`animated_gif`], and if a side is longer than 16,384 pixels.
pub fn animated_webp(
    pictures: impl ExactSizeIterator<Item = Result<Picture>>,
    milliseconds: u16,
) -> Result<Vec<u8>> {
    let mut pictures = pictures.peekable();
    let size = match pictures.peek() {
        Some(Ok(first)) => first.size(),
        Some(Err(_)) => (0, 0),
        None => return Err(no_pictures()),
    };
    let three = |number: u32| number.to_le_bytes().into_iter().take(3);
    let sides =
        |(width, height): (u32, u32)| three(width.saturating_sub(1)).chain(three(height.saturating_sub(1)));
    // The canvas has an animation and alpha.
    let mut body = b"WEBPVP8X\x0a\0\0\0\x12\0\0\0".to_vec();
    body.extend(sides(size));
    body.extend(b"ANIM\x06\0\0\0\0\0\0\0\0\0");
    for picture in pictures {
        let picture = picture?;
        if picture.size() != size {
            return Err(other_size(size, picture.size()));
        }
        let file = images::webp(&picture)?;
        // The picture is the chunk after the header of the file.
        let chunk = file.get(12..).unwrap_or_default();
        let mut frame: Vec<u8> =
            [0; 6].into_iter().chain(sides(size)).chain(three(milliseconds.into())).collect();
        // It replaces the one before.
        frame.push(2);
        frame.extend(chunk);
        body.extend(b"ANMF");
        body.extend(length(&frame)?);
        body.extend(&frame);
        body.resize(body.len().next_multiple_of(2), 0);
    }
    let mut bytes = b"RIFF".to_vec();
    bytes.extend(length(&body)?);
    bytes.extend(body);
    Ok(bytes)
}

/// The length of a chunk.
fn length(of: &[u8]) -> Result<[u8; 4]> {
    u32::try_from(of.len()).map(u32::to_le_bytes).map_err(Error::unwritable)
}

/// The height of the line of text below each picture.
const LINE: u32 = 16;

/// A sheet, about as wide as high, of pictures of one size with their names. Pictures are kept as PNG files until the
/// sheet is written, a row at a time.
#[derive(Debug)]
pub struct Sheet {
    width: u32,
    height: u32,
    background: [u8; 4],
    budget: Budget,
    cells: Vec<(String, Vec<u8>)>,
}

impl Sheet {
    /// An empty sheet for pictures of a size. The sheet and its file may take at most `max_bytes`.
    pub fn new(width: u32, height: u32, background: [u8; 4], max_bytes: u64) -> Self {
        Self { width, height, background, budget: Budget::new(max_bytes), cells: Vec::new() }
    }

    /// A sheet of the same form without pictures, which cannot take any.
    pub fn empty(&self) -> Self {
        Self::new(self.width, self.height, self.background, 0)
    }

    /// The number of pictures.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are no pictures yet.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// # Errors
    /// If a sheet of so many pictures would have more than 16,384 pixels a side.
    pub fn fits(&self, count: usize) -> Result<()> {
        let side = (MAX_SIDE / self.width.max(1)).min(MAX_SIDE / self.height.saturating_add(LINE)) as usize;
        if count > side * side {
            let what = format!(
                "a contact sheet of images of {} x {} pixels has at most {}: use smaller images, or fewer files",
                self.width,
                self.height,
                Counted::new(side * side, "images")
            );
            return Err(Error::unwritable(what));
        }
        Ok(())
    }

    /// Adds a picture, as a PNG file; its name is the path of the model.
    ///
    /// # Errors
    /// If it does not [fit](Self::fits); [`Limit`](rezkit_core::ErrorKind::Limit) if the pictures exceed the limit.
    pub fn push(&mut self, path: &str, png: Vec<u8>) -> Result<()> {
        self.fits(self.cells.len() + 1)?;
        self.budget.take(png.len() as u64, "the images of the contact sheet")?;
        self.cells.push((path.to_owned(), png));
        Ok(())
    }

    /// Writes the sheet as a PNG file. Below each picture is the name of its file, with the folders that
    /// distinguish it.
    ///
    /// # Errors
    /// If there are no pictures, or a picture has another size; [`Limit`](rezkit_core::ErrorKind::Limit) if a row of
    /// the sheet exceeds the limit.
    // No budget: the sheet charges its pixels to its own.
    pub fn png(mut self) -> Result<Vec<u8>> {
        let count = u32::try_from(self.cells.len()).map_err(|_| too_many(self.cells.len()))?;
        let columns = count.isqrt() + u32::from(count.isqrt().pow(2) < count);
        if columns == 0 {
            return Err(no_pictures());
        }
        let height = self.height.saturating_add(LINE);
        let rows = count.div_ceil(columns);
        let (across, down) = (self.width * columns, height * rows);
        // The memory of a row, and of one of its pictures while it is decoded.
        let cell = u64::from(self.width) * u64::from(self.height) * 16;
        let row = cell + u64::from(across) * u64::from(height) * 4;
        self.budget.take(row, "a row of the contact sheet")?;
        let names: Vec<&str> = self.cells.iter().map(|(name, _)| name.as_str()).collect();
        let labels = labels(&names);
        let mut bytes = Vec::new();
        let mut encoder = ::png::Encoder::new(&mut bytes, across, down);
        encoder.set_color(::png::ColorType::Rgba);
        encoder.set_depth(::png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(Error::unwritable)?;
        let mut stream = writer.stream_writer().map_err(Error::unwritable)?;
        let cells: Vec<_> = self.cells.iter().zip(&labels).collect();
        for cells in cells.chunks(columns as usize) {
            let mut row = Picture::new(across, height, self.background);
            for (column, ((_, png), label)) in (0..).zip(cells) {
                let picture = images::decode(png, cell)?;
                if picture.size() != (self.width, self.height) {
                    return Err(other_size((self.width, self.height), picture.size()));
                }
                let left = column * self.width;
                row.place(&picture, left, 0);
                write_text(&mut row, label, left + 4, self.height + 4, self.width.saturating_sub(8));
            }
            stream.write_all(row.as_bytes()).map_err(Error::unwritable)?;
        }
        stream.finish().map_err(Error::unwritable)?;
        writer.finish().map_err(Error::unwritable)?;
        Ok(bytes)
    }
}

/// The ends of paths, as long as needed to differ.
fn labels(paths: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = paths.iter().map(|path| path.rsplit(['/', '\\']).take(8).collect()).collect();
    let mut lengths = vec![1; paths.len()];
    let label = |path: usize, length: usize| -> String {
        let parts = &parts[path][..length.min(parts[path].len())];
        parts.iter().rev().copied().collect::<Vec<_>>().join("/")
    };
    // Each round adds a folder to the labels that are still equal.
    for _ in 0..8 {
        let mut seen = std::collections::HashMap::new();
        let labels: Vec<String> = (0..paths.len()).map(|path| label(path, lengths[path])).collect();
        labels.iter().for_each(|label| *seen.entry(label.as_str()).or_insert(0) += 1);
        for (path, length) in lengths.iter_mut().enumerate() {
            *length += usize::from(seen[labels[path].as_str()] > 1);
        }
    }
    lengths.iter().enumerate().map(|(path, &length)| label(path, length)).collect()
}

/// Writes a text in letters of eight by eight pixels. If it is too long, two dots replace its middle.
pub(crate) fn write_text(sheet: &mut Picture, text: &str, left: u32, top: u32, width: u32) {
    let most = (width / 8) as usize;
    let letters: Vec<char> = text.chars().collect();
    let text: String = match letters.len() > most && most > 4 {
        true => {
            let end = (most - 2) / 2;
            let start = letters[..most - 2 - end].iter().chain(&['.', '.']);
            start.chain(&letters[letters.len() - end..]).collect()
        }
        false => letters.into_iter().take(most).collect(),
    };
    let [r, g, b, a] = sheet.get(left, top).unwrap_or([255; 4]);
    let is_dark = a > 127 && u32::from(r) + 2 * u32::from(g) + u32::from(b) < 400;
    let color = if is_dark { [222, 224, 230, 255] } else { [40, 42, 48, 255] };
    for (index, character) in (0..).zip(text.chars()) {
        let letter = font8x8::BASIC_FONTS.get(character).or_else(|| font8x8::LATIN_FONTS.get(character));
        let rows = letter.or_else(|| font8x8::BASIC_FONTS.get('?')).unwrap_or_default();
        for (y, row) in (0..8).zip(rows) {
            for x in (0..8).filter(|x| row & (1 << x) != 0) {
                sheet.set(left + index * 8 + x, top + y, color);
            }
        }
    }
}

#[cfg(test)]
#[path = "../tests/inside/sheet.rs"]
mod tests;
