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

use super::number::records;
use geom::wire::{At, Budget, ErrorKind, Here, Parsed};

const NONE: Rgba8 = Rgba8::new(0, 0, 0, 0);
const _: () = assert!(u32::from_le_bytes(NONE.to_array()) == 0);

/// The palette of a file that is read.
#[derive(Debug, Default)]
pub(crate) struct Palette {
    pub(crate) colors: Vec<Rgba8>,
    /// For each place, the first with the same colour.
    first: Vec<u32>,
    /// The first index of the colour that means no colour.
    none: Option<u32>,
}

impl Palette {
    pub(crate) fn new(colors: Vec<Rgba8>, budget: &mut Budget) -> Result<Self, ErrorKind> {
        budget.take_values::<[u8; 24]>(colors.len())?;
        let mut places = HashMap::with_capacity(colors.len());
        let first: Vec<u32> =
            (0..).zip(&colors).map(|(place, color)| *places.entry(*color).or_insert(place)).collect();
        let none = places.get(&NONE).copied();
        Ok(Self { colors, first, none })
    }

    /// The colour of an index, and the index that a writer would choose for it.
    #[inline]
    pub(crate) fn resolve(&self, index: u32) -> (Rgba8, u32) {
        let place = index as usize;
        let color = self.colors.get(place).copied().unwrap_or(NONE);
        if color == NONE {
            // Without such a colour there is no index that a writer would choose: other programs look up
            // whatever is there. What the file has is kept.
            return (NONE, self.none.unwrap_or(u32::MAX));
        }
        (color, self.first.get(place).copied().unwrap_or(index))
    }
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
    places: HashMap<Rgba8, u32>,
    last: Option<(Rgba8, u32)>,
    /// There is a colour.
    any: bool,
    /// Something without a colour wants an index for that.
    wants_none: bool,
    /// The lowest index that something without a colour has in the file: outside of its palette, or of an entry.
    none: Option<u32>,
}

impl<'m> ColorTable<'m> {
    pub(crate) fn new(kept: &'m [Rgba8]) -> Self {
        let mut places = HashMap::new();
        for (place, color) in (0..).zip(kept) {
            places.entry(*color).or_insert(place);
        }
        Self { kept, colors: kept.to_vec(), places, ..Self::default() }
    }

    /// Takes note of a colour that will be written, and of the index that it has in the file.
    #[inline]
    pub(crate) fn note(&mut self, kept: Option<&[u8]>, color: Rgba8) {
        if color != NONE {
            self.any = true;
            if self.last.is_none_or(|(last, _)| last != color) {
                self.add(color);
            }
        } else {
            match kept.and_then(number) {
                Some(index) => self.none = Some(self.none.map_or(index, |none| none.min(index))),
                None => self.wants_none = true,
            }
        }
    }

    fn at(&self, index: Option<u32>) -> Option<Rgba8> {
        self.colors.get(index? as usize).copied()
    }

    fn add(&mut self, color: Rgba8) {
        let next = u32::try_from(self.colors.len()).unwrap_or(u32::MAX);
        match self.places.entry(color) {
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
    /// is enough.
    pub(crate) fn finish(&mut self, bits: Option<u8>) -> u8 {
        let own = self.colors.len();
        if self.wants_none || self.none.is_some_and(|index| (index as usize) < own) {
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
            self.places = (0..).zip(&self.colors).map(|(place, &color)| (color, place)).collect();
        }
        self.last = None;
        bits
    }

    /// The index of a colour: that which the file has, if it still means this colour, or the first.
    #[inline]
    pub(crate) fn index(&mut self, kept: Option<&[u8]>, color: Rgba8) -> u32 {
        if let Some(index) = kept.and_then(number)
            && self.at(Some(index)).unwrap_or(NONE) == color
        {
            return index;
        }
        match self.last {
            Some((last, index)) if last == color => index,
            _ => {
                let index = self.places.get(&color).copied().unwrap_or(0);
                self.last = Some((color, index));
                index
            }
        }
    }
}

/// A plain index of one or two bytes.
fn number(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [low] => Some(low.into()),
        [low, high] => Some(u16::from_le_bytes([low, high]).into()),
        _ => None,
    }
}
