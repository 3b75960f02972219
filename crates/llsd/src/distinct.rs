//! The events of a document without duplicate keys: if a map has equal keys, only the entry that is used.

use std::borrow::Cow;
use std::collections::HashSet;

use bstr::BStr;

use crate::document::nodes::{Nodes, Order};
use crate::model::keys::twice;
use crate::model::{Duplicates, Event};
use crate::options::ReadOptions;
use crate::read::Reader;
use geom::wire::{Budget, Error, ErrorKind, Result};

/// The events of a document, without duplicate keys.
#[derive(Debug)]
pub(crate) struct Distinct<'a> {
    pub(crate) reader: Reader<'a>,
    from: From<'a>,
}

/// Where the events come from.
#[derive(Debug)]
enum From<'a> {
    /// The reader: no two keys of a map are equal.
    Reader,
    /// The reader: the first of equal keys is used, or equal keys are an error.
    First(Seen<'a>, Duplicates),
    /// The whole document, which was read before: the last of equal keys is used, at the place of the first, and the
    /// last of several values in `<llsd>`.
    Nodes(Nodes<'a>, Order<'a>),
}

impl<'a> Distinct<'a> {
    pub(crate) fn new(bytes: &'a [u8], options: &ReadOptions, budget: Budget) -> Result<Self> {
        let mut reader = Reader::new(bytes, options, budget.clone())?;
        let rule = options.rule(reader.encoding());
        let from = match rule {
            Duplicates::First | Duplicates::Error => From::First(Seen::default(), rule),
            Duplicates::Last => {
                let plain = is_plain(&mut reader)?;
                reader = Reader::new(bytes, options, budget)?;
                match plain {
                    true => From::Reader,
                    false => From::Nodes(Nodes::read(&mut reader, rule, 0)?, Order::default()),
                }
            }
        };
        Ok(Self { reader, from })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Event<'a>>> {
        let (seen, rule) = match &mut self.from {
            From::Reader => return self.reader.next_event(),
            From::Nodes(nodes, order) => return Ok(order.next(nodes).map(|(event, _)| event)),
            From::First(seen, rule) => (seen, *rule),
        };
        loop {
            let Some(event) = self.reader.next_event()? else { return Ok(None) };
            match (seen.take(&event, self.reader.budget()), rule, &event) {
                (Ok(true), ..) => return Ok(Some(event)),
                (Ok(false), Duplicates::Error, Event::Key(key)) => {
                    return Err(self.reader.error_here(twice(key)));
                }
                (Ok(false), ..) => self.reader.skip_value()?,
                (Err(kind), ..) => return Err(self.reader.error_here(kind)),
            }
        }
    }

    /// The error that the caller reports about the last event, with its path.
    #[cold]
    pub(crate) fn error_here(&mut self, kind: ErrorKind) -> Error {
        match &self.from {
            From::Nodes(_, order) => Error::new(kind, order.path()),
            From::Reader | From::First(..) => self.reader.error_here(kind),
        }
    }
}

/// Whether all keys of each map differ, and `<llsd>` has one value. Reads the document to its end.
fn is_plain(reader: &mut Reader<'_>) -> Result<bool> {
    let mut seen = Seen::default();
    let mut roots = 0;
    while let Some(event) = reader.next_event()? {
        // An event outside of all containers begins another value of `<llsd>`.
        roots += u32::from(seen.open.is_empty());
        let new = seen.take(&event, reader.budget());
        if roots > 1 || !new.map_err(|kind| reader.error_here(kind))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The keys of the open maps so far.
#[derive(Debug, Default)]
pub(crate) struct Seen<'a> {
    /// For each open container: for a map, the index of its first key in `keys`, and whether its keys are sorted.
    open: Vec<Option<(usize, bool)>>,
    keys: Vec<Cow<'a, BStr>>,
    /// The keys of open maps as sets, each with the depth of its map: only for maps with many keys that are not sorted.
    sets: Vec<(usize, HashSet<Cow<'a, BStr>>)>,
}

/// Up to this many keys that are not sorted are compared one by one.
const FEW: usize = 16;

/// The memory of a key in a set, while it grows.
const SET_COST: u64 = 128;

impl<'a> Seen<'a> {
    /// Records an event. Returns false for a key that its map already has.
    #[inline]
    pub(crate) fn take(&mut self, event: &Event<'a>, budget: &mut Budget) -> Result<bool, ErrorKind> {
        match event {
            Event::StartArray(_) => budget.push(&mut self.open, None)?,
            Event::StartMap(_) => budget.push(&mut self.open, Some((self.keys.len(), true)))?,
            Event::EndArray | Event::EndMap => {
                let depth = self.open.len();
                if let Some(Some((start, _))) = self.open.pop() {
                    if let Some((_, set)) = self.sets.pop_if(|(of, _)| *of == depth) {
                        budget.give_back(set.len() as u64 * SET_COST);
                    }
                    for key in self.keys.drain(start.min(self.keys.len())..) {
                        budget.give_back(copied(&key));
                    }
                }
            }
            Event::Key(key) => return self.key(key, budget),
            _ => {}
        }
        Ok(true)
    }

    #[allow(clippy::ptr_arg, reason = "its lifetime is that of the input")]
    fn key(&mut self, key: &Cow<'a, BStr>, budget: &mut Budget) -> Result<bool, ErrorKind> {
        let depth = self.open.len();
        let Some(Some((start, sorted))) = self.open.last_mut() else { return Ok(true) };
        let keys = self.keys.get(*start..).unwrap_or_default();
        *sorted = *sorted && keys.last().is_none_or(|last| last < key);
        let new = match self.sets.last_mut() {
            Some((of, set)) if *of == depth => {
                budget.take(SET_COST)?;
                set.insert(key.clone())
            }
            _ if *sorted => true,
            _ if keys.len() < FEW => !keys.contains(key),
            _ => {
                budget.take((keys.len() as u64 + 1) * SET_COST)?;
                let mut set: HashSet<_> = keys.iter().cloned().collect();
                let new = set.insert(key.clone());
                self.sets.push((depth, set));
                new
            }
        };
        if new {
            budget.take(copied(key))?;
            budget.push(&mut self.keys, key.clone())?;
        }
        Ok(new)
    }
}

/// The bytes of a key that is not borrowed: it is copied into the list and the set.
#[allow(clippy::ptr_arg, reason = "whether it is owned")]
fn copied(key: &Cow<'_, BStr>) -> u64 {
    match key {
        Cow::Borrowed(_) => 0,
        Cow::Owned(key) => 2 * key.len() as u64,
    }
}
