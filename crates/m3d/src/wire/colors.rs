//! Colours: chunk `CMAP`, and indices into it.
//!
//! | size | what |
//! |---|---|
//! | 4 each | red, green, blue, alpha |
//!
//! With `ci_t` of one or two bytes a colour is an index into the chunk, plain, without -1 and -2; with
//! four bytes it is the colour itself; without a width it is not there.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use geom::Rgba8;

use super::width::records;
use geom::wire::{At, Budget, Here, Parsed};

const NONE: Rgba8 = Rgba8::new(0, 0, 0, 0);
const _: () = assert!(u32::from_le_bytes(NONE.to_array()) == 0);

/// The colour of an index; none if it is outside of the palette.
#[inline]
pub(crate) fn color_at(palette: &[Rgba8], index: u32) -> Rgba8 {
    palette.get(index as usize).copied().unwrap_or(NONE)
}

/// The colours of a chunk, and the bytes after the last.
pub(crate) fn read<'a>(data: &'a [u8], budget: &mut Budget) -> Parsed<'a, Vec<Rgba8>> {
    let (tail, whole) = records(data, 4)?;
    let (colors, _) = whole.as_chunks::<4>();
    let mut palette = budget.vec(colors.len()).here(data).field("palette")?;
    palette.extend(colors.iter().map(|&color| Rgba8::from(color)));
    Ok((tail, palette))
}

/// More colours than any index can tell apart.
const TOO_MANY: usize = 65537;

/// The palette of a file that is written: the one that was read, with the colours that it lacks at its end;
/// a new one is sorted from dark to bright.
#[derive(Debug, Default)]
pub(crate) struct ColorTable<'m> {
    kept: &'m [Rgba8],
    pub(crate) colors: Vec<Rgba8>,
    indices: HashMap<Rgba8, u32>,
    last: Option<(Rgba8, u32)>,
    /// There is a colour.
    any: bool,
    /// Something has no colour.
    any_none: bool,
}

impl<'m> ColorTable<'m> {
    pub(crate) fn new(kept: &'m [Rgba8]) -> Self {
        let mut indices = HashMap::new();
        for (index, color) in (0..).zip(kept) {
            indices.entry(*color).or_insert(index);
        }
        Self { kept, colors: kept.to_vec(), indices, ..Self::default() }
    }

    /// Takes note of a colour that will be written.
    #[inline]
    pub(crate) fn note(&mut self, color: Rgba8) {
        if color == NONE {
            self.any_none = true;
        } else {
            self.any = true;
            if self.last.is_none_or(|(last, _)| last != color) {
                self.add(color);
            }
        }
    }

    fn add(&mut self, color: Rgba8) {
        let next = u32::try_from(self.colors.len()).unwrap_or(u32::MAX);
        match self.indices.entry(color) {
            Entry::Vacant(entry) if self.colors.len() < TOO_MANY.max(self.kept.len()) => {
                self.last = Some((color, next));
                entry.insert(next);
                self.colors.push(color);
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(entry) => self.last = Some((color, *entry.get())),
        }
    }

    /// Ends the notes: which width of colours is the least, and whether that of the file, if it has one,
    /// is enough. `with_none`: no colour has an entry, if anything has no colour.
    pub(crate) fn finish(&mut self, bits: Option<u8>, with_none: bool) -> u8 {
        let own = self.colors.len();
        if with_none && self.any_none {
            self.add(NONE);
        }
        let all = self.colors.len();
        let bits = match bits {
            Some(0) if all <= 256 => 0,
            Some(0 | 1) if all <= 65536 => 1,
            Some(0..3) => 2,
            _ if !self.any => 3,
            _ if own < 254 => 0,
            _ if own < 65534 => 1,
            _ => 2,
        };
        if bits > 1 {
            // Colours that are no indices want no palette.
            self.colors.truncate(self.kept.len());
        } else if self.kept.is_empty() {
            self.colors.sort_by_key(|color| (color.r.max(color.g).max(color.b), color.to_array()));
            self.indices = (0..).zip(&self.colors).map(|(index, &color)| (color, index)).collect();
        }
        self.last = None;
        bits
    }

    /// The first index of a colour.
    #[inline]
    pub(crate) fn index(&mut self, color: Rgba8) -> Option<u32> {
        if self.last.is_none_or(|(last, _)| last != color) {
            self.last = Some((color, *self.indices.get(&color)?));
        }
        self.last.map(|(_, index)| index)
    }
}
