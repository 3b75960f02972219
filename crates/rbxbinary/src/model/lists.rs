//! Values of a column that are more than one vector, and how each is in the file.

use geom::Quat;

use super::same::{self, Same};
use super::strings::Strings;
use super::types::{CFrame, FontStyle, PhysicalProperties};
use super::value::CFrameQuat;
use super::{Referent, rotation};

/// The index of a shared string in [`crate::Document::shared_strings`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct SharedIndex(pub u32);

/// Rotations and positions, and the form of each rotation in the file.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrames {
    /// The values.
    pub values: Vec<CFrame>,
    /// The id of each rotation as the file has it, 0 for a matrix. Where one is missing, or is not that of the
    /// value's rotation any more, the shortest exact form is written.
    pub ids: Vec<u8>,
}

/// Quaternions and positions, and the form of each rotation in the file.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CFrameQuats {
    /// The values.
    pub values: Vec<CFrameQuat>,
    /// The id of each rotation as the file has it, 0 for a quaternion. Where one is missing, or is not that of
    /// the value's rotation any more, a quaternion is written.
    pub ids: Vec<u8>,
}

/// Rotations and positions that may be absent.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OptionalCFrames {
    /// The values; the identity, usually, where a value is absent.
    pub frames: CFrames,
    /// Whether each value is present.
    pub present: Vec<bool>,
}

/// How parts behave in the simulation, and the flags before each value.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicalColumn {
    /// The values.
    pub values: Vec<PhysicalProperties>,
    /// The flags before each: 1 for numbers of its own, 2 for the sixth of them. Studio also sets 2 where there
    /// are no numbers. Where flags are missing, or do not fit the value any more, those that do are written.
    pub flags: Vec<u8>,
}

/// Typefaces, component by component.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fonts {
    /// The assets of the families.
    pub families: Strings,
    /// How bold each is.
    pub weights: Vec<u16>,
    /// Upright or italic.
    pub styles: Vec<FontStyle>,
    /// The assets that Roblox took last; may be empty strings.
    pub cached_face_ids: Strings,
}

/// Assets.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contents {
    /// What each value is.
    pub entries: Vec<ContentEntry>,
    /// The addresses that entries refer to by their index.
    pub uris: Strings,
    /// A list of instances whose meaning is not known; empty in every real file.
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
    /// An object of the document.
    Object(Referent),
}

/// Lists of values and of the form that each has in the file: which form a new value gets, and whether a form is one
/// of a value. They are equal where the values are, bit for bit.
macro_rules! formed {
    ($($kind:ident { $values:ident: $value:ty, $forms:ident }
        |$new:ident| $natural:expr, |$form:ident, $of:ident| $fits:expr;)+) => {$(
        impl $kind {
            /// The form of a value of which nothing else is known.
            pub(crate) fn natural($new: &$value) -> u8 {
                $natural
            }

            /// The form to write for a value: as it was, where it still fits.
            pub(crate) fn form(&self, index: usize, value: &$value) -> u8 {
                let fits = |$form: u8, $of: &$value| $fits;
                let known = self.$forms.get(index).copied().filter(|&form| fits(form, value));
                known.unwrap_or_else(|| Self::natural(value))
            }
        }

        impl PartialEq for $kind {
            fn eq(&self, other: &Self) -> bool {
                self.$values.same(&other.$values)
            }
        }
    )+};
}
formed! {
    CFrames { values: CFrame, ids }
        |new| rotation::find(&new.rotation).unwrap_or(0),
        |id, value| rotation::fits(id, &value.rotation);
    CFrameQuats { values: CFrameQuat, ids }
        |_new| 0,
        |id, value| id != 0 && rotation::quaternion(id).unwrap_or(Quat::IDENTITY).same(&value.rotation);
    // Studio sets the second flag where there are no numbers, too.
    PhysicalColumn { values: PhysicalProperties, flags }
        |new| match new {
            PhysicalProperties::Default => 2,
            PhysicalProperties::Custom(custom) => 1 + 2 * u8::from(custom.acoustic_absorption.is_some()),
        },
        |flags, value| flags == Self::natural(value) || flags == 0 && *value == PhysicalProperties::Default;
}

impl PartialEq for OptionalCFrames {
    fn eq(&self, other: &Self) -> bool {
        self.frames == other.frames && self.present == other.present
    }
}

impl Contents {
    /// The address of a `Uri` entry.
    pub fn uri(&self, index: u32) -> Option<&bstr::BStr> {
        self.uris.get(index as usize)
    }
}

same::equal!(
    SharedIndex,
    Referent,
    Strings,
    Fonts,
    Contents,
    CFrames,
    CFrameQuats,
    OptionalCFrames,
    PhysicalColumn
);

/// Equal where the values are: addresses that no entry refers to are not compared.
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
