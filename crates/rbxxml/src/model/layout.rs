//! What is around the content of a file, and how its lines end and begin. Two documents that differ in it alone are equal.

use bstr::BString;

/// The text around the element `roblox`, and how lines end and begin. [`Default`] is what Studio writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Layout {
    /// The text before the element `roblox`: a byte order mark, a declaration, comments.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub prolog: BString,
    /// The text after that element: the end of the last line, most of the time.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub epilog: BString,
    /// How lines end: `\n`, `\r\n`, or empty if everything is on one line.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub newline: BString,
    /// What a line begins with, once per level: a tab, or spaces.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub indent: BString,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            prolog: BString::default(),
            epilog: BString::default(),
            newline: "\n".into(),
            indent: "\t".into(),
        }
    }
}
