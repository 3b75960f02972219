//! Columns that are more than one vector.

use super::Referent;
use super::strings::Strings;
use rbxcore::FontStyle;
use rbxcore::same::Same;

/// The index of a shared string in [`crate::Document::shared_strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct SharedIndex(pub u32);

/// A column of typefaces: a list for each component.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fonts {
    /// The assets of the families.
    pub families: Strings,
    /// The weights.
    pub weights: Vec<u16>,
    /// The styles: upright or italic.
    pub styles: Vec<FontStyle>,
    /// The assets that Roblox last used for the faces; may be empty strings.
    pub cached_face_ids: Strings,
}

/// A column of assets.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contents {
    /// The kind of each value.
    pub entries: Vec<ContentEntry>,
    /// The addresses that entries refer to by their index.
    pub uris: Strings,
    /// A list of instances of unknown meaning; empty in every real file.
    pub external: Vec<Referent>,
}

/// One asset of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContentEntry {
    /// Nothing.
    #[default]
    None,
    /// The address with this index in [`Contents::uris`].
    Uri(u32),
    /// An instance of the document.
    Object(Referent),
}

impl Contents {
    /// The address of a `Uri` entry.
    pub fn uri(&self, index: u32) -> Option<&bstr::BStr> {
        self.uris.get(index as usize)
    }
}

geom::wire::by_bits!(==: SharedIndex, Referent, Strings, Fonts, Contents);

/// Columns are equal if their values are. Addresses to which no entry refers are not compared.
impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        let same = |(this, that): (&ContentEntry, &ContentEntry)| match (*this, *that) {
            (ContentEntry::Uri(this), ContentEntry::Uri(that)) => self.uri(this) == other.uri(that),
            (this, that) => this == that,
        };
        self.external == other.external
            && self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&other.entries).all(same)
    }
}
