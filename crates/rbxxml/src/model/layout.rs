//! Text around the content of a file, line ends and indentation. Equal documents may differ in them.

use bstr::BString;

/// The text around the element `roblox`, line ends and indentation. [`Default`] is what Studio writes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Layout {
    /// The text before the element `roblox`: a byte order mark, a declaration, comments.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub prolog: BString,
    /// The text after that element: usually the last line end.
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
