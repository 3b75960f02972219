//! What reading a value needs: the source, the names seen so far, what is left of the memory.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::{Name, Text};
use crate::wire::fail::{Fail, Here as _};
use crate::wire::source::Source;
use crate::wire::xml::{Element, Tag};

/// What reading a part gives.
pub(crate) type Read<'s, T> = std::result::Result<T, nom::Err<Fail<'s>>>;

/// Room for one more, and for as many again as there are, taken from what a read may allocate.
#[inline]
pub(crate) fn more<T>(values: &mut Vec<T>, budget: &mut Budget) -> Result<(), ErrorKind> {
    if values.len() < values.capacity() {
        return Ok(());
    }
    let count = values.len().max(16);
    budget.take(count.saturating_mul(size_of::<T>()) as u64)?;
    values.reserve_exact(count);
    Ok(())
}

/// What reading a value needs to know.
#[derive(Debug)]
pub(crate) struct Cx<'s> {
    pub(crate) source: &'s Source<'s>,
    names: HashSet<Name, Seed>,
    pub(crate) budget: Budget,
}

/// A hash for names: short, and looked up once per property. The seed keeps a file from choosing names
/// that fall together.
#[derive(Clone, Copy, Debug)]
struct Seed(u64);

#[derive(Debug)]
struct NameHasher(u64);

impl Seed {
    fn new() -> Self {
        use std::hash::{BuildHasher as _, Hasher as _};
        Self(std::hash::RandomState::new().build_hasher().finish() | 1)
    }
}

impl std::hash::BuildHasher for Seed {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(self.0)
    }
}

impl std::hash::Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        for &word in words {
            self.mix(u64::from_le_bytes(word));
        }
        let last = rest.iter().fold(rest.len() as u64, |last, &byte| last << 8 | u64::from(byte));
        self.mix(last);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

impl NameHasher {
    /// Folds the product of 128 bits: every bit of the word reaches every bit of the hash.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "both halves are used")]
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl<'s> Cx<'s> {
    pub(crate) fn new(source: &'s Source<'s>, budget: Budget) -> Self {
        Self { source, names: HashSet::with_hasher(Seed::new()), budget }
    }

    /// The element says something that has no meaning.
    #[cold]
    pub(crate) fn invalid<'t>(
        &self,
        element: impl Into<Tag<'t>>,
        what: impl Into<Cow<'static, str>>,
    ) -> nom::Err<Fail<'s>> {
        Fail::invalid(self.at(element.into().inside()), what)
    }

    /// The file from a place of the text on.
    pub(crate) fn at(&self, place: usize) -> &'s [u8] {
        self.source.file.get(self.source.place(place)..).unwrap_or_default()
    }

    /// Takes memory for what an element holds.
    #[inline]
    pub(crate) fn charge<'t>(&mut self, element: impl Into<Tag<'t>>, bytes: usize) -> Read<'s, ()> {
        match self.budget.take(bytes as u64) {
            Ok(()) => Ok(()),
            Err(kind) => Err(kind).here(self.at(element.into().start())),
        }
    }

    /// The text in an element.
    #[inline]
    pub(crate) fn text<'t>(&self, element: Element<'_, 't>) -> Read<'s, Cow<'t, str>> {
        element.text().ok_or_else(|| self.invalid(element, "an element where only text belongs"))
    }

    /// The text in an element, as something that it says.
    #[inline]
    pub(crate) fn parse<T>(
        &self,
        element: Element<'_, '_>,
        parse: impl FnOnce(&[u8]) -> Option<T>,
        what: &'static str,
    ) -> Read<'s, T> {
        let text = self.text(element)?;
        parse(text.as_bytes()).ok_or_else(|| self.unexpected(element, &text, what))
    }

    #[cold]
    fn unexpected(&self, element: Element<'_, '_>, text: &str, what: &str) -> nom::Err<Fail<'s>> {
        let text = &*self.source.shown(text);
        let shown: String = text.chars().take(24).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        self.invalid(element, format!("expected {what}, found \"{}{more}\"", shown.escape_debug()))
    }

    /// The text in an element, as a value.
    #[inline]
    pub(crate) fn value(&mut self, element: Element<'_, '_>) -> Read<'s, Text> {
        let text = self.text(element)?;
        self.charge(element, text.len())?;
        Ok(self.source.value(&text))
    }

    /// A name, of which the document holds one copy.
    #[inline]
    pub(crate) fn name<'t>(&mut self, element: impl Into<Tag<'t>>, name: &str) -> Read<'s, Name> {
        let element = element.into();
        let name = match self.source.bytes(name) {
            Cow::Borrowed(_) => Cow::Borrowed(name),
            Cow::Owned(bytes) => Cow::Owned(
                String::from_utf8(bytes).map_err(|_| self.invalid(element, "a name that is not UTF-8"))?,
            ),
        };
        if let Some(name) = self.names.get(&*name) {
            return Ok(name.clone());
        }
        self.charge(element, name.len().saturating_add(96))?;
        let name = Name::from(&*name);
        self.names.insert(name.clone());
        Ok(name)
    }
}
