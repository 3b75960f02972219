//! The string table: zero-terminated strings after the header. The first four are the model's name, licence, author and
//! description; other parts of the file refer to a string by its offset.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use super::width::size32;
use crate::model::Model;
use geom::wire::{Budget, Error, ErrorKind, Result, after, taken};

/// The string at an offset; empty if the offset is 0 or outside the table.
pub(crate) fn string_at(table: &[u8], offset: u32) -> &BStr {
    let offset = usize::try_from(offset).ok().filter(|&offset| offset != 0);
    let rest = offset.map_or(&[][..], |offset| after(table, offset));
    rest.find_byte(0).and_then(|len| rest.get(..len)).unwrap_or(rest).as_bstr()
}

/// The first strings: name, licence, author, description.
pub(crate) fn front(table: &[u8]) -> [&BStr; 4] {
    let mut strings = table.split(|&byte| byte == 0);
    std::array::from_fn(|_| strings.next().unwrap_or_default().as_bstr())
}

/// The string table of the file to write.
#[derive(Debug)]
pub(crate) struct NameTable<'m> {
    pub(crate) table: Vec<u8>,
    /// The first offset of each string, except for the string at 0: the offset 0 means no name.
    first: HashMap<&'m [u8], u32>,
    /// Whether a name was added at all, and whether one was added since the last query.
    grown: bool,
    new: bool,
    budget: Budget,
}

impl<'m> NameTable<'m> {
    /// The original table with the model's own strings. If these changed, the other strings do not move, except for
    /// those that the new ones overwrite. The table may take `max_bytes`.
    pub(crate) fn new(model: &'m Model, max_bytes: u64) -> Result<Self> {
        let mut budget = Budget::named("WriteOptions::max_bytes", max_bytes);
        let own = [&model.name, &model.license, &model.author, &model.description];
        for (string, path) in own.into_iter().zip(["name", "license", "author", "description"]) {
            no_zero(string).map_err(|error| error.within(path))?;
        }
        let own = own.map(|string| string.as_bytes());
        let kept: &[u8] = &model.layout.strings;
        let length = own.iter().map(|string| string.len().saturating_add(1)).sum::<usize>();
        let length = length.saturating_add(kept.len());
        budget.take(length as u64).map_err(full)?;
        let mut table = Vec::with_capacity(length);
        own.iter().for_each(|string| table.extend(string.iter().chain(&[0])));
        let others = kept.splitn(5, |&byte| byte == 0).nth(4).unwrap_or_default();
        table.resize(table.len().max(taken(kept, others).len()), 0);
        let others = after(kept, table.len());
        let mut first = HashMap::new();
        let mut offset = 0_usize;
        for (index, string) in own.into_iter().chain(others.split(|&byte| byte == 0)).enumerate() {
            if index == 4 {
                offset = table.len();
            }
            if let Ok(offset @ 1..) = u32::try_from(offset)
                && !string.is_empty()
            {
                budget.take(cost(string)).map_err(full)?;
                first.entry(string).or_insert(offset);
            }
            offset = offset.saturating_add(string.len()).saturating_add(1);
        }
        table.extend_from_slice(others);
        if model.layout.types.is_some() && front(kept) == own.map(|string| string.as_bstr()) {
            table = kept.to_vec();
        }
        Ok(Self { table, first, grown: false, new: false, budget })
    }

    /// Whether names were added since the last query.
    pub(crate) fn has_grown(&mut self) -> bool {
        std::mem::take(&mut self.new)
    }

    /// The first offset of a name, which is added if the table lacks it.
    pub(crate) fn offset(&mut self, name: &'m BStr) -> Result<u32> {
        if name.is_empty() {
            return Ok(0);
        }
        if let Some(&offset) = self.first.get(name.as_bytes()) {
            return Ok(offset);
        }
        no_zero(name)?;
        self.budget.take(cost(name)).map_err(full)?;
        self.new = true;
        if !std::mem::replace(&mut self.grown, true) {
            // A separate string is added, not a suffix of one of the first four.
            if self.table.last().is_some_and(|&byte| byte != 0) {
                self.table.push(0);
            }
            let strings = self.table.iter().filter(|&&byte| byte == 0).take(4).count();
            self.table.extend((strings..4).map(|_| 0));
        }
        let offset = size32(self.table.len())?;
        self.first.insert(name.as_bytes(), offset);
        self.table.extend_from_slice(name);
        self.table.push(0);
        Ok(offset)
    }
}

/// The memory of a name: its text and its entry, in lists whose capacity doubles.
fn cost(name: &[u8]) -> u64 {
    let entries = size_of::<[(&[u8], u32); 3]>() as u64;
    (name.len() as u64).saturating_mul(2).saturating_add(entries)
}

fn full(kind: ErrorKind) -> Error {
    Error::new(kind, "layout.strings")
}

fn no_zero(name: &[u8]) -> Result<()> {
    let zero = || Error::unwritable("", "a string that contains a zero byte");
    (!name.contains(&0)).then_some(()).ok_or_else(zero)
}
