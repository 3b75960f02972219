//! Colours: chunk `CMAP`, and indices into it.
//!
//! | size | what |
//! |---|---|
//! | 4 each | red, green, blue, alpha |
//!
//! With a `ci_t` of one or two bytes, a colour is an index into the chunk, in which -1 and -2 have no special meaning;
//! with four bytes it is the colour itself; without a width there are no colours.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use geom::Rgba8;

use super::width::records;
use geom::wire::{At, Budget, Here, Parsed};

const NONE: Rgba8 = Rgba8::new(0, 0, 0, 0);
const _: () = assert!(u32::from_le_bytes(NONE.to_array()) == 0);

/// The colour of an index; [`NONE`] if the index is outside the palette.
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

/// More colours than any index can address.
const TOO_MANY: usize = 65537;

/// The palette of the file to write: the original one, with new colours appended. A palette of a new file is sorted
/// from dark to bright.
#[derive(Debug, Default)]
pub(crate) struct ColorTable<'m> {
    kept: &'m [Rgba8],
    pub(crate) colors: Vec<Rgba8>,
    indices: HashMap<Rgba8, u32>,
    last: Option<(Rgba8, u32)>,
    /// Whether anything has a colour.
    any: bool,
    /// Whether anything has no colour.
    any_none: bool,
    /// Whether a colour was added since the last query.
    new: bool,
}

impl<'m> ColorTable<'m> {
    pub(crate) fn new(kept: &'m [Rgba8]) -> Self {
        let mut indices = HashMap::new();
        for (index, color) in (0..).zip(kept) {
            indices.entry(*color).or_insert(index);
        }
        Self { kept, colors: kept.to_vec(), indices, ..Self::default() }
    }

    /// Records a colour, for a file that has no colours so far.
    #[inline]
    pub(crate) fn note(&mut self, color: Rgba8) {
        if color == NONE {
            self.any_none = true;
        } else {
            self.any = true;
            self.index(color);
        }
    }

    /// The first index of a colour, which is added if the palette lacks it.
    #[inline]
    pub(crate) fn index(&mut self, color: Rgba8) -> u32 {
        match self.last {
            Some((last, index)) if last == color => index,
            _ => {
                let index = self.add(color);
                self.last = Some((color, index));
                index
            }
        }
    }

    fn add(&mut self, color: Rgba8) -> u32 {
        let next = u32::try_from(self.colors.len()).unwrap_or(u32::MAX);
        match self.indices.entry(color) {
            Entry::Occupied(entry) => *entry.get(),
            // Too many for indices: the file will store the colours themselves.
            Entry::Vacant(_) if self.colors.len() >= TOO_MANY.max(self.kept.len()) => next,
            Entry::Vacant(entry) => {
                self.colors.push(color);
                self.new = true;
                *entry.insert(next)
            }
        }
    }

    /// Whether colours were added since the last query.
    pub(crate) fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.new)
    }

    /// The least width of colours that suffices for what was written, and not less than `bits`.
    pub(crate) fn enough(&mut self, bits: u8) -> u8 {
        let own = self.colors.len();
        if bits == 3 && self.any && self.any_none {
            self.add(NONE);
        }
        let all = self.colors.len();
        let bits = match bits {
            0 if all <= 256 => 0,
            0 | 1 if all <= 65536 => 1,
            0..3 => 2,
            _ if !self.any => 3,
            _ if own < 254 => 0,
            _ if own < 65534 => 1,
            _ => 2,
        };
        if bits > 1 {
            // Colours are stored directly or not at all: new ones need no palette.
            self.colors.truncate(self.kept.len());
        } else if self.new && self.kept.is_empty() {
            geom::sort::by_key(&mut self.colors, |color| {
                (color.r.max(color.g).max(color.b), color.to_array())
            });
            self.indices = (0..).zip(&self.colors).map(|(index, &color)| (color, index)).collect();
        }
        self.last = None;
        bits
    }
}
