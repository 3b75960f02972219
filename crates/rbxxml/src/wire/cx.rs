//! The context for reading values: the scanner, and the names of the document.

use std::borrow::Cow;

use crate::model::{Name, Names, SharedBytes, Text};
pub(crate) use crate::wire::xml::Read;
use crate::wire::xml::{Scanner, Tag};
use geom::wire::{Fail, Problem};

/// The maximum size of a boxed value, including the allocator's overhead.
const BOX: usize = 64;

#[derive(Debug)]
pub(crate) struct Cx<'s> {
    pub(crate) scanner: Scanner<'s>,
    pub(crate) names: Names,
    /// The referent in the last value that was read, whose target may not be known yet.
    pub(crate) reference: Option<Name>,
    /// The key in the last value that was read, of a shared string that may not be known yet.
    pub(crate) key: Option<Name>,
    /// The name of the first element in the last value that was read and does not contain it.
    pub(crate) skipped: Option<&'s [u8]>,
    /// The placeholder for the bytes of such a shared string.
    pub(crate) no_bytes: SharedBytes,
}

impl<'s> Cx<'s> {
    pub(crate) fn new(scanner: Scanner<'s>) -> Self {
        Self {
            scanner,
            names: Names::default(),
            reference: None,
            key: None,
            skipped: None,
            no_bytes: SharedBytes::default(),
        }
    }

    /// The error for a value that does not match its type. The value is kept as text, so the error is never shown.
    #[cold]
    pub(crate) fn malformed<T>(&self) -> Read<'s, T> {
        Err(Fail::invalid(self.scanner.from(self.scanner.at()), "malformed value"))
    }

    /// Skips an element in a value that does not contain it.
    #[cold]
    pub(crate) fn skip(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        self.skipped.get_or_insert(tag.name());
        self.scanner.skip()
    }

    /// A boxed value, charged to the budget.
    #[inline]
    pub(crate) fn boxed<T>(&mut self, value: T) -> Read<'s, Box<T>> {
        self.scanner.charge(self.scanner.at(), BOX)?;
        Ok(Box::new(value))
    }

    /// Reads the text of an element with a parser; malformed if the parser returns `None`.
    #[inline]
    pub(crate) fn parse<T>(&mut self, parse: impl FnOnce(&[u8]) -> Option<T>) -> Read<'s, T> {
        let parsed = self.scanner.text(|_, text| Ok(parse(text)))?;
        parsed.map_or_else(|| self.malformed(), Ok)
    }

    /// Reads the text of an element as a value.
    #[inline]
    pub(crate) fn value(&mut self) -> Read<'s, Text> {
        self.scanner.text(|scanner, text| {
            scanner.charge(scanner.at(), text.len())?;
            Ok(text.into())
        })
    }

    /// Reads the text of an element, without surrounding white space, as a name.
    pub(crate) fn text_name(&mut self) -> Read<'s, Name> {
        let names = &mut self.names;
        self.scanner.text(|scanner, text| name(scanner, names, scanner.at(), text.trim_ascii()))
    }

    /// The value of an attribute as a name, which is empty if the attribute is missing.
    #[inline]
    pub(crate) fn attribute(&mut self, tag: Tag<'s>, attribute: &str) -> Read<'s, Name> {
        let value = tag.attribute(attribute).unwrap_or(Cow::Borrowed(b""));
        name(&mut self.scanner, &mut self.names, tag.start(), &value)
    }

    /// These bytes as a name; an error if they are not UTF-8.
    pub(crate) fn name(&mut self, at: usize, bytes: &[u8]) -> Read<'s, Name> {
        name(&mut self.scanner, &mut self.names, at, bytes)
    }
}

/// The document's copy of a name, which is added if it is new.
#[inline]
fn name<'s>(scanner: &mut Scanner<'s>, names: &mut Names, at: usize, bytes: &[u8]) -> Read<'s, Name> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(Fail::invalid(scanner.from(at), Problem::Utf8));
    };
    if let Some(name) = names.find(text) {
        return Ok(name.clone());
    }
    let (cost, passing) = names.cost(text);
    scanner.charge(at, cost)?;
    let name = Name::from(text);
    names.insert(name.clone());
    scanner.budget.give_back(passing as u64);
    Ok(name)
}
