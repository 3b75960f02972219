//! What a rewrite needs and the model does not say: how a file looks where Studio's would look
//! otherwise. A file that Studio wrote needs nearly none of it.

use bstr::BString;

/// How a document stood in its file. [`Default`] is what Studio writes.
///
/// It takes no part in comparing documents: that is about what they say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Layout {
    /// What stands in front of the element `roblox`: a byte order mark, a declaration, comments.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))]
    pub prolog: BString,
    /// What stands behind that element: the end of the last line, most of the time.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))]
    pub epilog: BString,
    /// How lines end: `\n`, `\r\n`, or nothing where all stands in one line.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))]
    pub newline: BString,
    /// What stands in front of a line, once per level: a tab, or spaces.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))]
    pub indent: BString,
    /// The tag `roblox`, where its attributes are not parted by one space each.
    pub start: Option<Raw>,
    /// What stands between the tags of `roblox`, where it is not as Studio orders and indents it.
    pub body: Vec<Part>,
    /// Metadata that Studio would write otherwise, by place.
    pub metadata: Vec<(u32, Raw)>,
    /// Externals that Studio would write otherwise, by place.
    pub externals: Vec<(u32, Raw)>,
    /// Shared strings that Studio would write otherwise, by place.
    pub shared_strings: Vec<(u32, Raw)>,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            prolog: BString::default(),
            epilog: BString::default(),
            newline: "\n".into(),
            indent: "\t".into(),
            start: None,
            body: Vec::new(),
            metadata: Vec::new(),
            externals: Vec::new(),
            shared_strings: Vec::new(),
        }
    }
}

/// How an item stood in its file, where Studio would write it otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct ItemLayout {
    /// The start tag.
    pub start: Option<Raw>,
    /// What stands between the tags, and the end tag, where it is not as Studio orders and indents it.
    pub body: Vec<Part>,
    /// Properties, by place.
    pub properties: Vec<(u32, Raw)>,
    /// How many properties there were: where there are more or fewer now, places have shifted.
    pub property_count: u32,
}

/// Text as it stood in the file. It is written again as long as what it says is unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Raw {
    /// The text.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))]
    pub text: BString,
    /// A hash of what this crate would write in its place: where an edit changes that, the text is no
    /// longer used.
    pub of: u64,
}

/// A piece of what stands between two tags, in the file's order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Part {
    /// White space, comments, elements without a place in the model, and the tags around properties
    /// and shared strings: written as it stands.
    Text(#[cfg_attr(feature = "serde", serde(with = "crate::model::serde::text"))] BString),
    /// The next key and value about the document.
    Metadata,
    /// The next external.
    External,
    /// The next item.
    Item,
    /// The next property.
    Property,
    /// The next shared string.
    SharedString,
}
