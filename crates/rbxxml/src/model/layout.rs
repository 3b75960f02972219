//! The layout of a file: the text around its content, line ends and indentation. Equal documents may differ in it.

use bstr::BString;

/// The text around the element `roblox`, the line ends and the indentation. [`Default`] is the layout of Studio.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Layout {
    /// The text before the element `roblox`: a byte order mark, a declaration, comments.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub prolog: BString,
    /// The text after the element `roblox`: usually the last line end.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub epilog: BString,
    /// The line end: `\n`, `\r\n`, or empty if everything is on one line.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub newline: BString,
    /// The indentation per level: a tab, or spaces.
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
