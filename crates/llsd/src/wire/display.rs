//! Values as people read them: as notation, with text as it is.

use std::borrow::Cow;
use std::fmt;

use bstr::{BStr, ByteSlice};

use crate::model::{Array, Event, Item, Map, Value, Walk};
use crate::text::out::Indent;
use crate::wire::events::Sink as _;
use crate::wire::notation::{Sink, Style};

/// How many values `Debug` shows, and how many bytes of each.
const SHOWN: usize = 400;

/// Notation on one line; with `{:#}` indented, an entry on each line. Text in UTF-8 is not escaped, and
/// the result is notation that reads as the same value, except for dates that have no text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(Walk::new(self), f, usize::MAX)
    }
}

/// As `Display`, but long values are cut short: logs should not get megabytes.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(Walk::new(self), f, SHOWN)
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value)| (key, value))).finish()
    }
}

fn write(walk: Walk<'_>, f: &mut fmt::Formatter<'_>, shown: usize) -> fmt::Result {
    let style = Style { indent: f.alternate().then(Indent::default), words: true, readable: true };
    let mut sink = Sink::styled(Vec::new(), style);
    for (count, item) in walk.enumerate() {
        if count >= shown {
            f.write_str(&String::from_utf8_lossy(&sink.finish()))?;
            return f.write_str(" …");
        }
        sink.take(&cut(item, shown)).map_err(|_| fmt::Error)?;
    }
    f.write_str(&String::from_utf8_lossy(&sink.finish()))
}

/// The event of an item, with at most `shown` bytes of text.
fn cut(item: Item<'_>, shown: usize) -> Event<'_> {
    let short = |text: Cow<'_, BStr>| match text.char_indices().find(|&(start, ..)| start >= shown) {
        Some((start, ..)) => {
            let start = text.get(..start).unwrap_or_default();
            Some(Cow::Owned([start, "…".as_bytes()].concat().into()))
        }
        None => None,
    };
    match item.into() {
        Event::String(text) => Event::String(short(text.clone()).unwrap_or(text)),
        Event::Uri(text) => Event::Uri(short(text.clone()).unwrap_or(text)),
        Event::Key(text) => Event::Key(short(text.clone()).unwrap_or(text)),
        Event::Binary(Cow::Borrowed(bytes)) => {
            Event::Binary(Cow::Borrowed(bytes.get(..bytes.len().min(shown)).unwrap_or_default().as_bstr()))
        }
        event => event,
    }
}
