//! Values in readable form: notation with unescaped text.

use std::borrow::Cow;
use std::fmt;

use bstr::{BStr, ByteSlice};

use crate::model::{Array, Event, Map, Scalar, Value};
use crate::text::out::Indent;
use crate::wire::events::Sink as _;
use crate::wire::notation::{Sink, Style};

/// The maximum number of values that `Debug` shows, and of bytes of each.
const SHOWN: usize = 400;

/// Writes notation on one line; with `{:#}`, indented with one entry per line. Text in UTF-8 is not escaped.
/// The result is read back as the same value, except for dates that have no text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, usize::MAX)
    }
}

/// Like `Display`, but long values are cut, so that logs do not become huge.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, SHOWN)
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

fn write(value: &Value, f: &mut fmt::Formatter<'_>, shown: usize) -> fmt::Result {
    let style = Style { indent: f.alternate().then(Indent::default), words: true, readable: true };
    let mut sink = Sink::styled(Vec::new(), style);
    for (count, event) in value.events().enumerate() {
        if count >= shown {
            f.write_str(&String::from_utf8_lossy(&sink.finish()))?;
            return f.write_str(" …");
        }
        sink.take(&cut(event, shown)).map_err(|_| fmt::Error)?;
    }
    f.write_str(&String::from_utf8_lossy(&sink.finish()))
}

/// An event with at most `shown` bytes of text.
fn cut(event: Event<'_>, shown: usize) -> Event<'_> {
    let short = |text: Cow<'_, BStr>| match text.char_indices().find(|&(start, ..)| start >= shown) {
        Some((start, ..)) => {
            Cow::Owned([text.get(..start).unwrap_or_default(), "…".as_bytes()].concat().into())
        }
        None => Cow::Owned(text.into_owned()),
    };
    match event {
        Event::Key(text) if text.len() > shown => Event::Key(short(text)),
        Event::Scalar(Scalar::String(text)) if text.len() > shown => Scalar::String(short(text)).into(),
        Event::Scalar(Scalar::Uri(text)) if text.len() > shown => Scalar::Uri(short(text)).into(),
        Event::Scalar(Scalar::Binary(Cow::Borrowed(bytes))) => {
            Scalar::Binary(Cow::Borrowed(bytes.get(..bytes.len().min(shown)).unwrap_or_default().as_bstr()))
                .into()
        }
        event => event,
    }
}
