//! The events of a document with each key once: those of equal keys that do not count are left out.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use bstr::BStr;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::keys::{repeated_keys, twice};
use crate::model::{Duplicates, Event, Steps};
use crate::options::ReadOptions;
use crate::read::Reader;
use crate::wire::build::push;

/// The events of a document.
///
/// Where the first of equal keys counts, they are those of one pass. Where the last one does, its value
/// comes at the place of the first, long before it is read: so a pass looks for equal keys, and where
/// it finds some, the events are kept and sorted out. So it is with a second value in `<llsd>`.
#[derive(Debug)]
pub(crate) struct Distinct<'a> {
    pub(crate) reader: Reader<'a>,
    seen: Option<Seen<'a>>,
    rule: Duplicates,
    tape: Option<Tape<'a>>,
}

impl<'a> Distinct<'a> {
    pub(crate) fn new(bytes: &'a [u8], options: &ReadOptions, budget: Budget) -> Result<Self> {
        let mut reader = Reader::new(bytes, options, budget.clone())?;
        let rule = options.rule(reader.encoding());
        if rule != Duplicates::Last {
            return Ok(Self { reader, seen: Some(Seen::default()), rule, tape: None });
        }
        if is_plain(&mut reader)? {
            let reader = Reader::new(bytes, options, budget)?;
            return Ok(Self { reader, seen: None, rule, tape: None });
        }
        let mut reader = Reader::new(bytes, options, budget)?;
        let tape = Tape::new(&mut reader)?;
        Ok(Self { reader, seen: None, rule, tape: Some(tape) })
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Event<'a>>> {
        if let Some(tape) = &mut self.tape {
            return Ok(tape.next());
        }
        loop {
            let Some(event) = self.reader.next_event()? else { return Ok(None) };
            let Some(seen) = &mut self.seen else { return Ok(Some(event)) };
            match seen.take(&event, self.reader.budget()) {
                Ok(true) => return Ok(Some(event)),
                Ok(false) => {}
                Err(kind) => return Err(self.reader.error_here(kind)),
            }
            match (self.rule, event) {
                (Duplicates::Error, Event::Key(key)) => return Err(self.reader.error_here(twice(&key))),
                _ => self.reader.skip_value()?,
            }
        }
    }

    /// An error of the caller's about the last event.
    #[cold]
    pub(crate) fn error_here(&mut self, kind: ErrorKind) -> Error {
        match &self.tape {
            Some(tape) => Error::new(kind, tape.steps.path()),
            None => self.reader.error_here(kind),
        }
    }
}

/// Whether all keys of each map differ, and `<llsd>` has one value. Reads all of the document.
fn is_plain(reader: &mut Reader<'_>) -> Result<bool> {
    let mut seen = Seen::default();
    let (mut depth, mut values) = (0_i32, 0);
    while let Some(event) = reader.next_event()? {
        depth = depth.saturating_add(event.step());
        values += u32::from(event.completes(depth));
        let new = seen.take(&event, reader.budget());
        let new = new.map_err(|kind| reader.error_here(kind))?;
        if !new || values > 1 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The keys of the maps that are open.
#[derive(Debug, Default)]
struct Seen<'a> {
    /// For each container that is open: in a map, where its keys begin, and whether they are sorted.
    open: Vec<Option<(usize, bool)>>,
    keys: Vec<Cow<'a, BStr>>,
    /// The keys of the innermost map as a set, once they are many and not sorted.
    sets: Vec<(usize, HashSet<Cow<'a, BStr>>)>,
}

/// Up to this many keys that are not sorted are compared one by one.
const FEW: usize = 16;

/// What a key takes in a set, while it grows.
const SET_COST: u64 = 128;

impl<'a> Seen<'a> {
    /// Whether an event is not a key that its map had before.
    #[inline]
    fn take(&mut self, event: &Event<'a>, budget: &mut Budget) -> Result<bool, ErrorKind> {
        match event {
            Event::StartArray(_) => push(&mut self.open, None, budget)?,
            Event::StartMap(_) => push(&mut self.open, Some((self.keys.len(), true)), budget)?,
            Event::EndArray | Event::EndMap => {
                let depth = self.open.len();
                if let Some(Some((start, _))) = self.open.pop() {
                    if let Some((_, set)) = self.sets.pop_if(|(of, _)| *of == depth) {
                        budget.give_back((set.len() as u64).saturating_mul(SET_COST));
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
                budget.take((keys.len() as u64 + 1).saturating_mul(SET_COST))?;
                let mut set: HashSet<_> = keys.iter().cloned().collect();
                let new = set.insert(key.clone());
                self.sets.push((depth, set));
                new
            }
        };
        if new {
            budget.take(copied(key))?;
            push(&mut self.keys, key.clone(), budget)?;
        }
        Ok(new)
    }
}

/// What a copy of a key allocates, in the list and in the set.
#[allow(clippy::ptr_arg, reason = "whether it is owned")]
fn copied(key: &Cow<'_, BStr>) -> u64 {
    match key {
        Cow::Borrowed(_) => 0,
        Cow::Owned(key) => (key.len() as u64).saturating_mul(2),
    }
}

/// All events of a document, which are given in another order than that of the input.
#[derive(Debug)]
struct Tape<'a> {
    events: Vec<Event<'a>>,
    /// From the index of a key that does not count to that of what follows its value.
    skips: HashMap<usize, usize>,
    /// From the index of the first of equal keys to where the value that counts begins and ends, and
    /// where its own value ends.
    moves: HashMap<usize, [usize; 3]>,
    next: usize,
    /// Where the values end that are being given instead of others, and where to go on then.
    back: Vec<(usize, usize)>,
    /// The path of the last event, which is not followed yet.
    steps: Steps<'a>,
    last: Option<Event<'a>>,
}

impl<'a> Tape<'a> {
    fn new(reader: &mut Reader<'a>) -> Result<Self> {
        let mut events = Vec::new();
        let (mut depth, mut complete) = (0_i32, false);
        while let Some(event) = reader.next_event()? {
            if std::mem::take(&mut complete) {
                events.clear();
            }
            depth = depth.saturating_add(event.step());
            complete = event.completes(depth);
            let pushed = push(&mut events, event, reader.budget());
            pushed.map_err(|kind| reader.error_here(kind))?;
        }
        let (mut skips, mut moves) = (HashMap::new(), HashMap::new());
        let mut open: Vec<Vec<usize>> = Vec::new();
        for (index, event) in events.iter().enumerate() {
            // Of each event at most: an index here, a name and a hash to compare, an entry in a table.
            let taken = reader.budget().take(SET_COST);
            taken.map_err(|kind| reader.error_here(kind))?;
            match event {
                Event::StartArray(_) | Event::StartMap(_) => open.push(Vec::new()),
                Event::Key(_) => {
                    if let Some(keys) = open.last_mut() {
                        keys.push(index);
                    }
                }
                Event::EndArray | Event::EndMap => {
                    let mut keys = open.pop().unwrap_or_default();
                    let names: Vec<&[u8]> = keys.iter().map(|&key| name(events.get(key))).collect();
                    let groups = repeated_keys(&names);
                    // The end of the last value.
                    keys.push(index);
                    let at = |key: usize| keys.get(key).copied().unwrap_or(index);
                    for (first, later) in groups {
                        skips.insert(at(later), at(later + 1));
                        moves.insert(at(first), [at(later) + 1, at(later + 1), at(first + 1)]);
                    }
                }
                _ => {}
            }
        }
        Ok(Self { events, skips, moves, next: 0, back: Vec::new(), steps: Steps::default(), last: None })
    }

    fn next(&mut self) -> Option<Event<'a>> {
        loop {
            if let Some((_, back)) = self.back.pop_if(|(end, _)| *end == self.next) {
                self.next = back;
            } else if let Some(end) = self.skips.get(&self.next) {
                self.next = *end;
            } else {
                break;
            }
        }
        let event = std::mem::replace(self.events.get_mut(self.next)?, Event::Undef);
        match self.moves.get(&self.next) {
            Some(&[begin, end, back]) => {
                self.back.push((end, back));
                self.next = begin;
            }
            None => self.next += 1,
        }
        self.last.take().into_iter().for_each(|last| self.steps.follow(last));
        match &event {
            Event::Key(key) => self.steps.key(key.clone()),
            event => self.last = Some(event.clone()),
        }
        Some(event)
    }
}

fn name<'a>(event: Option<&'a Event<'_>>) -> &'a [u8] {
    match event {
        Some(Event::Key(key)) => key,
        _ => b"",
    }
}
