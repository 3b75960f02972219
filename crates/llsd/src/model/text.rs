//! Strings of LLSD: bytes, which are mostly UTF-8 and mostly short.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use bstr::{BStr, BString, ByteSlice};

use crate::text::short::{self, SHORT};

/// A string of LLSD. It can have any bytes, because strings in binary LLSD can: a `.slm` file stores meshes in
/// strings. Up to 22 bytes are stored in the value itself, without an allocation.
///
/// It dereferences to [`BStr`]; [`Text::as_str`] returns it as `str` if it is UTF-8.
///
/// ```
/// let text = llsd::Text::from("material");
/// assert_eq!(text.as_str(), Some("material"));
/// assert_eq!(llsd::Text::from(&b"\xff\xfe"[..]).as_str(), None);
/// ```
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    /// The length and the bytes.
    Short([u8; SHORT + 1]),
    Long(Box<[u8]>),
}

impl Text {
    /// An empty string.
    pub const EMPTY: Self = Self(Repr::Short([0; SHORT + 1]));

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.run().bytes()
    }

    /// The text, if it is UTF-8.
    #[inline]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The bytes in the form in which they are stored.
    #[inline]
    pub(crate) fn run(&self) -> Run<'_> {
        match &self.0 {
            Repr::Short([len, bytes @ ..]) => Run::Short(bytes, usize::from(*len)),
            Repr::Long(bytes) => Run::Any(bytes),
        }
    }

    /// The bytes as a vector.
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Short(_) => self.as_bytes().to_vec(),
            Repr::Long(bytes) => bytes.into_vec(),
        }
    }

    /// The number of bytes that a string of this length allocates.
    #[inline]
    pub(crate) fn extra(len: usize) -> u64 {
        if len <= SHORT { 0 } else { len as u64 }
    }
}

/// Text to write. Half of all values to write are keys and strings, so short ones are kept in an array of fixed size,
/// which can be copied without looking at their length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run<'a> {
    /// The bytes, padded with zeros, and their number.
    Short(&'a [u8; SHORT], usize),
    Any(&'a [u8]),
}

impl<'a> Run<'a> {
    #[inline]
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Short(bytes, len) => bytes.get(..len).unwrap_or(bytes),
            Self::Any(bytes) => bytes,
        }
    }

    /// Like [`short::words`].
    #[inline(always)]
    pub(crate) fn words(self) -> Option<[u64; 3]> {
        match self {
            Self::Short(bytes, _) => {
                let word = |at: usize| bytes.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word));
                Some([word(0)?, word(8)?, word(14)? >> 16])
            }
            Self::Any(bytes) => short::words(bytes),
        }
    }
}

impl Text {
    /// Sets the bytes of an empty text.
    #[inline(always)]
    pub(crate) fn fill(&mut self, from: Cow<'_, BStr>) {
        match (short::words(&from), u8::try_from(from.len()), &mut self.0) {
            (Some([a, b, c]), Ok(count), Repr::Short([len, bytes @ ..])) => {
                *len = count;
                let (first, rest) = bytes.split_at_mut(8);
                let (second, third) = rest.split_at_mut(8);
                first.copy_from_slice(&a.to_le_bytes());
                second.copy_from_slice(&b.to_le_bytes());
                let [c @ .., _, _] = c.to_le_bytes();
                third.copy_from_slice(&c);
            }
            _ => self.0 = Repr::Long(Vec::from(from.into_owned()).into()),
        }
    }
}

impl From<&[u8]> for Text {
    #[inline]
    fn from(from: &[u8]) -> Self {
        let mut text = Self::EMPTY;
        text.fill(Cow::Borrowed(from.as_bstr()));
        text
    }
}

impl From<Vec<u8>> for Text {
    #[inline]
    fn from(from: Vec<u8>) -> Self {
        match from.len() {
            0..=SHORT => from.as_slice().into(),
            _ => Self(Repr::Long(from.into_boxed_slice())),
        }
    }
}

macro_rules! from {
    ($($kind:ty: |$value:ident| $bytes:expr),+ $(,)?) => {$(
        impl From<$kind> for Text {
            #[inline]
            fn from($value: $kind) -> Self {
                Self::from($bytes)
            }
        }
    )+};
}

from! {
    &str: |value| value.as_bytes(),
    &String: |value| value.as_bytes(),
    &BStr: |value| value.as_bytes(),
    String: |value| value.into_bytes(),
    BString: |value| Vec::from(value),
    &Text: |value| value.as_bytes(),
}

impl<const N: usize> From<&[u8; N]> for Text {
    fn from(from: &[u8; N]) -> Self {
        from.as_slice().into()
    }
}

impl From<Cow<'_, BStr>> for Text {
    #[inline]
    fn from(from: Cow<'_, BStr>) -> Self {
        let mut text = Self::EMPTY;
        text.fill(from);
        text
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Deref for Text {
    type Target = BStr;

    #[inline]
    fn deref(&self) -> &BStr {
        self.as_bytes().as_bstr()
    }
}

impl AsRef<[u8]> for Text {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Text {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

macro_rules! equals {
    ($($kind:ty),+) => {$(
        impl PartialEq<$kind> for Text {
            fn eq(&self, other: &$kind) -> bool {
                self.as_bytes() == AsRef::<[u8]>::as_ref(other)
            }
        }
    )+};
}

equals!(str, &str, [u8]);

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_bytes().as_bstr(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_bytes().as_bstr(), f)
    }
}
