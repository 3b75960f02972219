//! How a file is written where Studio would write it otherwise. A file of Studio needs nearly none of it,
//! and two documents that differ in it alone are equal.

use bstr::BString;

use super::{Name, Text};

/// The text around the element `roblox`, and how lines end and begin. [`Default`] is what Studio writes.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Layout {
    /// The text before the element `roblox`: a byte order mark, a declaration, comments.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub prolog: BString,
    /// The text after that element: the end of the last line, most of the time.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub epilog: BString,
    /// How lines end: `\n`, `\r\n`, or empty where everything is on one line.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub newline: BString,
    /// What a line begins with, once per level: a tab, or spaces.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub indent: BString,
    /// The start tag of `roblox`.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) start: Kept,
    /// What is between the tags of `roblox`; empty where Studio would order and indent it the same way.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) body: Vec<Piece>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            prolog: BString::default(),
            epilog: BString::default(),
            newline: "\n".into(),
            indent: "\t".into(),
            start: Kept::default(),
            body: Vec::new(),
        }
    }
}

/// The text of an element in the file, where this crate would write the element otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept(pub(crate) Option<Box<Spelling>>);

#[derive(Clone, Debug)]
pub(crate) struct Spelling {
    pub(crate) text: Text,
    /// What this crate would write: once that changes, the element was edited. Missing where edits drop
    /// the text themselves.
    pub(crate) of: Option<Text>,
}

impl Kept {
    pub(crate) fn text(&self) -> Option<&Text> {
        self.0.as_deref().map(|kept| &kept.text)
    }
}

/// It is not a part of the value.
impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Kept {}

/// How the element of an instance is written, where Studio would write it otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Body {
    /// The start tag.
    pub(crate) start: Kept,
    /// What is between the tags, and the end tag; empty where Studio would order and indent it the same way.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of what is between two tags, in the file's order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Piece {
    /// White space, comments, elements that the model has no field for.
    Text(Text),
    /// The start tag of `Properties` or `SharedStrings`; the whole element, where that is `<Properties/>`.
    Open(Text),
    /// The end tag of the same.
    Close(Text),
    /// The end tag of the element itself.
    End(Text),
    Property(Name),
    Instance(u32),
    Metadata(Name),
    External,
    SharedString(Name),
}
