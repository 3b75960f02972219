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

impl CFrames {
    /// The id to write for a value: as it was, where that is still exact, else the shortest.
    pub(crate) fn id(&self, index: usize, value: &CFrame) -> u8 {
        match self.ids.get(index) {
            Some(&id) if rotation::fits(id, &value.rotation) => id,
            _ => rotation::find(&value.rotation).unwrap_or(0),
        }
    }
}

impl CFrameQuats {
    /// The id to write for a value.
    pub(crate) fn id(&self, index: usize, value: &CFrameQuat) -> u8 {
        let same = |a: Quat, b: Quat| a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits);
        let fits =
            |&id: &u8| id != 0 && same(rotation::quaternion(id).unwrap_or(Quat::IDENTITY), value.rotation);
        self.ids.get(index).copied().filter(fits).unwrap_or(0)
    }
}

impl PhysicalColumn {
    /// The flags before a value, where nothing is known of how it was written.
    pub(crate) fn natural_flags(value: &PhysicalProperties) -> u8 {
        match value {
            PhysicalProperties::Default => 2,
            PhysicalProperties::Custom(custom) if custom.acoustic_absorption.is_some() => 3,
            PhysicalProperties::Custom(_) => 1,
        }
    }

    /// The flags to write for a value: as they were, where they still fit, else what Studio writes.
    pub(crate) fn flag(&self, index: usize, value: &PhysicalProperties) -> u8 {
        let fits = |&flags: &u8| match value {
            PhysicalProperties::Default => flags == 0 || flags == 2,
            PhysicalProperties::Custom(_) => flags == Self::natural_flags(value),
        };
        self.flags.get(index).copied().filter(fits).unwrap_or(Self::natural_flags(value))
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

/// Equal where the values are, bit for bit; how each is in the file is not compared.
macro_rules! equal {
    ($($kind:ty: $($field:ident),+;)+) => {$(
        impl PartialEq for $kind {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field.same(&other.$field))&&+
            }
        }
    )+};
}
equal! {
    CFrames: values;
    CFrameQuats: values;
    OptionalCFrames: frames, present;
    PhysicalColumn: values;
}

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
