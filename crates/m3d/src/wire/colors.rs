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

use super::fail::{At, Here, Parsed};
use super::names::Cursor;
use super::reader::records;
use crate::consts::PropertyKind;
use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::{Model, RawRun, Value};

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
        budget.take((colors.len() as u64).saturating_mul(24))?;
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

pub(crate) fn write(palette: &[Rgba8], out: &mut Vec<u8>) {
    out.reserve(palette.len().saturating_mul(4));
    for color in palette {
        out.extend_from_slice(&color.to_array());
    }
}

/// The palette of a file that is written.
#[derive(Debug, Default)]
pub(crate) struct ColorTable {
    pub(crate) colors: Vec<Rgba8>,
    places: HashMap<Rgba8, u32>,
    runs: Vec<RawRun>,
    cursor: Cursor,
    last: (Rgba8, u32),
    /// Something without a colour wants an index, and the palette has none for it.
    pub(crate) wants_none: bool,
}

/// More colours than an index of two bytes can tell apart.
#[derive(Debug)]
pub(crate) struct TooMany;

impl ColorTable {
    /// The palette that was read with the colours that it lacks at its end; a new one is sorted from dark
    /// to bright. At most `most` colours. With `none` one of them means no colour.
    pub(crate) fn new(model: &Model, most: usize, none: bool) -> Result<Self, TooMany> {
        let mut colors = model.layout.palette.clone();
        let mut places: HashMap<Rgba8, u32> = HashMap::new();
        for (place, color) in (0..).zip(&colors) {
            places.entry(*color).or_insert(place);
        }
        let fresh = colors.is_empty();
        let mut last = NONE;
        let mut place = u32::try_from(colors.len()).map_err(|_| TooMany)?;
        let mut add = |color: Rgba8| {
            if color == last || color == NONE {
                return Ok(());
            }
            last = color;
            if let Entry::Vacant(entry) = places.entry(color) {
                entry.insert(place);
                place = place.checked_add(1).ok_or(TooMany)?;
                colors.push(color);
                if colors.len() > most {
                    return Err(TooMany);
                }
            }
            Ok(())
        };
        each_color(model, &mut add)?;
        if none && !places.contains_key(&NONE) {
            places.insert(NONE, u32::try_from(colors.len()).map_err(|_| TooMany)?);
            colors.push(NONE);
            if colors.len() > most {
                return Err(TooMany);
            }
        }
        if fresh {
            colors.sort_by_key(|color| (color.r.max(color.g).max(color.b), color.to_array()));
            places = (0..).zip(&colors).map(|(place, &color)| (color, place)).collect();
        }
        Ok(Self { colors, places, runs: model.layout.color_runs.clone(), ..Self::default() })
    }

    /// The palette that was read, for colours that are no indices.
    pub(crate) fn kept(model: &Model) -> Self {
        Self { colors: model.layout.palette.clone(), ..Self::default() }
    }

    /// The index of the next colour that is written; `None` where the palette has it not.
    #[inline]
    pub(crate) fn index(&mut self, color: Rgba8) -> Option<u32> {
        if let Some(value) = self.cursor.next(&self.runs)
            && self.colors.get(value as usize).copied().unwrap_or(NONE) == color
        {
            return Some(value);
        }
        if self.last.0 == color && color != NONE {
            return Some(self.last.1);
        }
        let index = self.places.get(&color).copied();
        match index {
            Some(index) => self.last = (color, index),
            None => self.wants_none |= color == NONE,
        }
        index
    }
}

/// Whether the model has any colour.
pub(crate) fn any(model: &Model) -> bool {
    each_color(model, &mut |color| if color == NONE { Ok(()) } else { Err(TooMany) }).is_err()
}

fn each_color(model: &Model, add: &mut dyn FnMut(Rgba8) -> Result<(), TooMany>) -> Result<(), TooMany> {
    for &color in &model.vertices.colors {
        add(color)?;
    }
    for property in model.materials.iter().flat_map(|material| &material.properties) {
        if let (Some(PropertyKind::Color), Value::Color(color)) = (property.id.kind(), &property.value) {
            add(*color)?;
        }
    }
    for voxel in &model.voxel_types {
        add(voxel.color)?;
    }
    for group in &model.labels {
        add(group.color)?;
    }
    Ok(())
}
