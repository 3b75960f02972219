//! Binary values that are checked but not built, so that parts of a large document can be read from its bytes.

use std::borrow::Cow;
use std::fmt;

use bstr::BStr;

use crate::consts::Encoding;
use crate::model::{Date, Event, Scalar, Text, Uuid, Value};
use crate::options::ReadOptions;
use crate::read::{Reader, ends};
use crate::wire::header::{KnownBy, Start};
use crate::wire::{self, Source as _, binary};
use geom::wire::{Budget, Result};

/// A well-formed value of binary LLSD, kept as its bytes in the input.
///
/// Scalars are decoded on request, and bytes and text are borrowed. Iterating over the
/// values of a container skips the content of each.
///
/// ```
/// use llsd::ReadOptions;
///
/// let bytes = b"{\0\0\0\x02k\0\0\0\x04datab\0\0\0\x03abck\0\0\0\x04size[\0\0\0\x01i\0\0\0\x07]}";
/// let map = ReadOptions::new().lazy(bytes)?;
/// assert_eq!(map.get("data").and_then(|data| data.as_binary()), Some(&b"abc"[..]));
/// let sizes = map.get("size").and_then(|sizes| sizes.items()).into_iter().flatten();
/// assert_eq!(sizes.filter_map(|size| size.as_integer()).sum::<i32>(), 7);
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Lazy<'a>(&'a [u8]);

impl ReadOptions {
    /// Checks a binary value, with a header or without, without building it. The limits of reading
    /// apply.
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn lazy<'a>(&self, bytes: &'a [u8]) -> Result<Lazy<'a>> {
        let (reader, lazy) = self.checked(bytes)?;
        reader.ends()?;
        Ok(lazy)
    }

    /// Like [`ReadOptions::lazy`], and returns the number of bytes used, like [`ReadOptions::read_used`].
    ///
    /// # Errors
    /// As [`ReadOptions::read`].
    pub fn lazy_used<'a>(&self, bytes: &'a [u8]) -> Result<(Lazy<'a>, usize)> {
        let (reader, lazy) = self.checked(bytes)?;
        Ok((lazy, reader.used()))
    }

    fn checked<'a>(&self, bytes: &'a [u8]) -> Result<(Reader<'a>, Lazy<'a>)> {
        let options = self.clone().encoding(Encoding::Binary);
        let mut reader = Reader::new(bytes, &options, Budget::new(self.max_bytes))?;
        let start = reader.used();
        while reader.next_event()?.is_some() {}
        let value = Lazy(bytes.get(start..reader.used()).unwrap_or_default());
        Ok((reader, value))
    }
}

/// Exact access: the value of one scalar.
macro_rules! exact {
    ($($(#[$doc:meta])+ $name:ident -> $type:ty: $variant:ident;)+) => {
        impl<'a> Lazy<'a> {
            $($(#[$doc])+
            pub fn $name(self) -> Option<$type> {
                match self.first() {
                    Event::Scalar(Scalar::$variant(value)) => Some(value),
                    _ => None,
                }
            })+
        }
    };
}

exact! {
    /// A boolean. This and the methods below return `None` for a value of another type.
    as_boolean -> bool: Boolean;
    /// An integer.
    as_integer -> i32: Integer;
    /// A real.
    as_real -> f64: Real;
    /// A UUID.
    as_uuid -> Uuid: Uuid;
    /// A date.
    as_date -> Date: Date;
    /// A string; owned if it has escapes.
    as_text -> Cow<'a, BStr>: String;
    /// A URI; owned if it has escapes.
    as_uri -> Cow<'a, BStr>: Uri;
}

impl<'a> Lazy<'a> {
    /// The bytes of the value, without a header.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    fn source(self) -> binary::Source<'a> {
        // No limits: the value was read within limits before.
        let options = ReadOptions::new().max_depth(u32::MAX);
        binary::Source::new(self.0, &options, Budget::new(u64::MAX))
    }

    /// The event with which the value begins.
    fn first(self) -> Event<'a> {
        self.source().next().ok().flatten().unwrap_or(Event::Scalar(Scalar::Undef))
    }

    /// The bytes of a binary.
    pub fn as_binary(self) -> Option<&'a [u8]> {
        match self.first() {
            Event::Scalar(Scalar::Binary(Cow::Borrowed(bytes))) => Some(bytes),
            _ => None,
        }
    }

    /// The name of the type, as [`Value::type_name`].
    pub fn type_name(self) -> &'static str {
        self.first().type_name()
    }

    /// The values of an array.
    pub fn items(self) -> Option<Items<'a>> {
        let mut source = self.source();
        match source.next() {
            Ok(Some(Event::StartArray(_))) => Some(Items { source }),
            _ => None,
        }
    }

    /// The entries of a map, in the order of the input, including all entries with equal keys.
    pub fn entries(self) -> Option<Entries<'a>> {
        let mut source = self.source();
        match source.next() {
            Ok(Some(Event::StartMap(_))) => Some(Entries { source }),
            _ => None,
        }
    }

    /// The value of a key, if this is a map; that of the first if there are equal keys. Searches
    /// linearly.
    pub fn get(self, key: impl AsRef<[u8]>) -> Option<Lazy<'a>> {
        let key = key.as_ref();
        self.entries()?.find(|(there, _)| **there == *key).map(|(_, value)| value)
    }

    /// The value at an index, if this is an array. Searches linearly.
    pub fn at(self, index: usize) -> Option<Lazy<'a>> {
        self.items()?.nth(index)
    }

    /// Builds the value.
    ///
    /// # Errors
    /// If a limit is reached, or if the value has equal keys and the options make them an error. Offsets
    /// are counted from the first byte of this value.
    pub fn to_value(self, options: &ReadOptions) -> Result<Value> {
        let start = Start { encoding: Encoding::Binary, at: 0, known_by: KnownBy::Options };
        let read = wire::read(self.0, start, options, Budget::new(options.max_bytes))?;
        ends(self.0, start, read.end, options)?;
        Ok(read.value)
    }

    /// The maximum number of bytes that [`Lazy::to_value`] allocates, so that a budget can be charged before.
    pub fn cost(self) -> u64 {
        let mut source = self.source();
        let mut cost = 0_u64;
        while let Ok(Some(event)) = source.next() {
            let (fixed, len) = match &event {
                // The entry, the memory of the search for equal keys, and the text of the key.
                Event::Key(text) => (size_of::<(Text, Value)>() as u64 + 64, text.len()),
                Event::Scalar(Scalar::String(text) | Scalar::Uri(text) | Scalar::Binary(text)) => {
                    (64, text.len())
                }
                _ => (64, 0),
            };
            cost += fixed + 2 * len as u64;
        }
        // The lists of open containers begin with a capacity of four.
        cost + 512
    }
}

/// Shows the type and the length.
impl fmt::Debug for Lazy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.type_name(), self.0.len())
    }
}

/// The next value of a container; `None` at its end.
fn value<'a>(source: &mut binary::Source<'a>) -> Option<Lazy<'a>> {
    let bytes = source.rest();
    let mut depth = 0;
    loop {
        let event = source.next().ok()??;
        depth += event.step();
        if depth < 0 {
            return None;
        }
        if event.completes(depth) {
            return bytes.get(..bytes.len() - source.rest().len()).map(Lazy);
        }
    }
}

/// The values of an array.
#[derive(Debug)]
pub struct Items<'a> {
    source: binary::Source<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Lazy<'a>;

    fn next(&mut self) -> Option<Lazy<'a>> {
        value(&mut self.source)
    }
}

/// The entries of a map.
#[derive(Debug)]
pub struct Entries<'a> {
    source: binary::Source<'a>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Cow<'a, BStr>, Lazy<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match self.source.next() {
            Ok(Some(Event::Key(key))) => Some((key, value(&mut self.source)?)),
            _ => None,
        }
    }
}
