//! Magics, versions and what Studio always writes.

use std::fmt;

use bstr::BStr;

/// The first bytes of a binary file: the ninth byte of `<roblox!` tells it from XML.
pub(crate) const BINARY: &[u8] = b"<roblox!";

/// The attributes that Studio writes, in its order.
pub(crate) const ATTRIBUTES: [(&str, &str); 4] = [
    ("xmlns:xmime", "http://www.w3.org/2005/05/xmlmime"),
    ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
    ("xsi:noNamespaceSchemaLocation", "http://www.roblox.com/roblox.xsd"),
    ("version", "4"),
];

/// The deepest level of instances that is indented further than the one above it: without an end, the
/// indentation alone would grow with the square of the depth.
pub(crate) const INDENTED_DEPTH: usize = 256;

/// The version of the format, which is 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

impl Version {
    /// The only version that is known to be written.
    pub const V4: Self = Self(4);

    pub(crate) fn from_text(text: &BStr) -> Option<Self> {
        std::str::from_utf8(text).ok()?.trim().parse().ok().map(Self)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({})", self.0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
