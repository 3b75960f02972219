//! From one encoding to another without building a value.

use std::collections::HashMap;

use bstr::BStr;

use crate::build::room;
use crate::error::{ErrorKind, Result};
use crate::event::{Event, Reader};
use crate::keys;
use crate::limits::Budget;
use crate::options::{Duplicates, ReadOptions, WriteOptions};
use std::borrow::Cow;

/// Rewrites a document in another encoding, event by event: nothing is built, and the depth of the
/// document is no depth of calls. The input is read twice, since which of two equal keys counts is
/// different in different encodings and has to be settled on the way: the first time for its keys
/// alone.
///
/// ```
/// use llsd::{Encoding, Header, ReadOptions, WriteOptions};
///
/// let xml = b"<llsd><map><key>size</key><integer>3</integer></map></llsd>";
/// let notation = WriteOptions::new().encoding(Encoding::Notation).header(Header::None);
/// assert_eq!(llsd::transcode(xml, &ReadOptions::new(), &notation)?, b"{'size':i3}");
/// # Ok::<(), llsd::Error>(())
/// ```
///
/// # Errors
/// As [`ReadOptions::read`] and [`WriteOptions::write`].
pub fn transcode(bytes: &[u8], from: &ReadOptions, to: &WriteOptions) -> Result<Vec<u8>> {
    let mut events = Events::new(bytes, from)?;
    let mut writer = to.events();
    while let Some(event) = events.next()? {
        writer.take(&event).map_err(|kind| events.reader.error_here(kind))?;
    }
    writer.finish()
}

/// The events of a document without those entries whose key stands twice and that do not count.
#[derive(Debug)]
pub(crate) struct Events<'a> {
    pub(crate) reader: Reader<'a>,
    /// How many keys were read.
    keys: u64,
    /// The keys that do not count, by number, the last first.
    hidden: Vec<u64>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(bytes: &'a [u8], options: &ReadOptions) -> Result<Self> {
        let hidden = hidden(options.events(bytes)?, options)?;
        Ok(Self { reader: options.events(bytes)?, keys: 0, hidden })
    }

    pub(crate) fn next(&mut self) -> Result<Option<Event<'a>>> {
        loop {
            let event = self.reader.next_event()?;
            if let Some(Event::Key(_)) = event {
                let number = self.keys;
                self.keys += 1;
                if self.hidden.last() == Some(&number) {
                    self.hidden.pop();
                    self.skip()?;
                    continue;
                }
            }
            return Ok(event);
        }
    }

    /// Passes over a value; its keys have numbers too.
    fn skip(&mut self) -> Result<()> {
        let mut depth = 0_i32;
        while let Some(event) = self.reader.next_event()? {
            depth = depth.saturating_add(event.step());
            if let Event::Key(_) = event {
                if self.hidden.last() == Some(&self.keys) {
                    self.hidden.pop();
                }
                self.keys += 1;
            } else if depth <= 0 {
                break;
            }
        }
        Ok(())
    }
}

/// The keys that do not count, by number, the last first. All of the document is read.
fn hidden(mut reader: Reader<'_>, options: &ReadOptions) -> Result<Vec<u64>> {
    let rule = options.rule(reader.encoding());
    let mut budget = Budget::new(options.byte_limit());
    let mut open: Vec<Vec<(Cow<'_, BStr>, u64)>> = Vec::new();
    let mut hidden = Vec::new();
    let mut number = 0;
    while let Some(event) = reader.next_event()? {
        match event {
            Event::StartMap(_) => open.push(Vec::new()),
            Event::Key(key) => {
                if let Some(keys) = open.last_mut() {
                    room(keys, &mut budget).map_err(|kind| reader.error_here(kind))?;
                    keys.push((key, number));
                }
                number += 1;
            }
            Event::EndMap => {
                let keys = open.pop().unwrap_or_default();
                if keys.is_sorted_by(|a, b| a.0 < b.0) {
                    continue;
                }
                let names: Vec<&[u8]> = keys.iter().map(|(key, _)| -> &[u8] { key }).collect();
                let mut counts = HashMap::new();
                for (first, later) in keys::repeated_keys(&names) {
                    let number = |at: usize| keys.get(at).map_or(0, |(_, number)| *number);
                    match rule {
                        Duplicates::First => hidden.push(number(later)),
                        Duplicates::Last => {
                            hidden.push(number(counts.insert(first, later).unwrap_or(first)));
                        }
                        Duplicates::Error => {
                            let key = names.get(later).copied().unwrap_or_default();
                            let what = format!("key {:?} twice", BStr::new(key));
                            return Err(reader.error_here(ErrorKind::Invalid(what.into())));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    hidden.sort_unstable_by(|a, b| b.cmp(a));
    Ok(hidden)
}
