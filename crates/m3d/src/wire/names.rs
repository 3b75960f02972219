//! The string table: zero-terminated strings after the header, of which the first four are the
//! model's name, licence, author and description, and the others are named by where they begin.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use super::number::{size32, sized_index};
use crate::model::Model;
use geom::wire::{Budget, Error, ErrorKind, Result, after, taken};

/// The string table of a file that is read.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    table: &'a [u8],
    first: HashMap<&'a [u8], u32>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(table: &'a [u8], budget: &mut Budget) -> Result<Self, ErrorKind> {
        let strings = table.iter().filter(|&&byte| byte == 0).count();
        budget.take_values::<[u8; 64]>(strings)?;
        Ok(Self { table, first: first_places(table.split(|&byte| byte == 0)) })
    }

    /// The string that begins at a place, and the place that a writer would choose for it.
    pub(crate) fn resolve(&self, offset: u32) -> (&'a BStr, u32) {
        let name = string_at(self.table, offset);
        let chosen = if name.is_empty() { Some(0) } else { self.first.get(name.as_bytes()).copied() };
        (name, chosen.unwrap_or(0))
    }
}

/// The string that begins at a place; empty at 0 and outside.
fn string_at(table: &[u8], offset: u32) -> &BStr {
    let offset = usize::try_from(offset).ok().filter(|&offset| offset != 0);
    let rest = offset.map_or(&[][..], |offset| after(table, offset));
    rest.find_byte(0).and_then(|len| rest.get(..len)).unwrap_or(rest).as_bstr()
}

/// The first strings: name, licence, author, description.
pub(crate) fn front(table: &[u8]) -> [&BStr; 4] {
    let mut strings = table.split(|&byte| byte == 0);
    std::array::from_fn(|_| strings.next().unwrap_or_default().as_bstr())
}

/// Where each string begins first. The very first cannot be named: 0 is no name.
fn first_places<'a>(strings: impl Iterator<Item = &'a [u8]>) -> HashMap<&'a [u8], u32> {
    let mut places = HashMap::new();
    let mut at = 0_usize;
    for string in strings {
        if at != 0
            && !string.is_empty()
            && let Ok(at) = u32::try_from(at)
        {
            places.entry(string).or_insert(at);
        }
        at = at.saturating_add(string.len()).saturating_add(1);
    }
    places
}

/// The string table of a file that is written.
#[derive(Debug)]
pub(crate) struct NameTable<'m> {
    pub(crate) table: Vec<u8>,
    first: HashMap<&'m [u8], u32>,
    /// By how much the kept table has moved.
    shift: i64,
    /// A name was added.
    grown: bool,
}

impl<'m> NameTable<'m> {
    /// The table that was read, if it still begins with the model's own strings.
    pub(crate) fn new(model: &'m Model) -> Result<Self> {
        let own = [&model.name, &model.license, &model.author, &model.description];
        for (string, path) in own.into_iter().zip(["name", "license", "author", "description"]) {
            no_zero(string).map_err(|error| error.within(path))?;
        }
        let own = own.map(|string| string.as_bytes());
        let kept: &[u8] = &model.layout.strings;
        if front(kept) == own.map(|string| string.as_bstr())
            && (!kept.is_empty() || model.layout.types.is_some())
        {
            let first = first_places(kept.split(|&byte| byte == 0));
            return Ok(Self { table: kept.to_vec(), first, shift: 0, grown: false });
        }
        let mut table = own.join(&0);
        table.push(0);
        // What came after the old four moves as a whole.
        let rest = kept.splitn(5, |&byte| byte == 0).nth(4).unwrap_or_default();
        let old = taken(kept, rest).len();
        let shift = (table.len() as i64).saturating_sub(old as i64);
        table.extend_from_slice(rest);
        let first = first_places(own.into_iter().chain(rest.split(|&byte| byte == 0)));
        Ok(Self { table, first, shift, grown: false })
    }

    /// The offset of a name: that which the file has, if the name is still there, or the first.
    pub(crate) fn place(&self, kept: Option<&[u8]>, name: &BStr) -> Option<u32> {
        let kept = kept.and_then(|bytes| self.kept_place(bytes, name));
        kept.or(if name.is_empty() { Some(0) } else { self.first.get(name.as_bytes()).copied() })
    }

    /// An offset outside of the table names nothing and stays what it is.
    fn kept_place(&self, bytes: &[u8], name: &BStr) -> Option<u32> {
        let (_, value) = sized_index(bytes.len(), bytes).ok()?;
        let moved = u32::try_from(i64::from(value).saturating_add(self.shift)).ok();
        let outside = name.is_empty() && value as usize >= self.table.len();
        let place = if outside { Some(value) } else { moved };
        place.filter(|&place| string_at(&self.table, place) == name)
    }

    pub(crate) fn add(&mut self, name: &'m BStr) -> Result<u32> {
        no_zero(name)?;
        if !std::mem::replace(&mut self.grown, true) {
            // What is added is a string of its own, and not one of the first four.
            if self.table.last().is_some_and(|&byte| byte != 0) {
                self.table.push(0);
            }
            let strings = self.table.iter().filter(|&&byte| byte == 0).take(4).count();
            self.table.extend((strings..4).map(|_| 0));
        }
        let place = size32(self.table.len(), "names")?;
        self.first.insert(name.as_bytes(), place);
        self.table.extend_from_slice(name);
        self.table.push(0);
        Ok(place)
    }
}

fn no_zero(name: &[u8]) -> Result<()> {
    let zero = || Error::unwritable("", "a zero byte, which ends a string");
    (!name.contains(&0)).then_some(()).ok_or_else(zero)
}
