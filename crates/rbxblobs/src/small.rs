//! Properties of a few bytes, most of them lists. FORMAT.md documents each property.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

use bstr::BString;

use crate::attributes::{Attribute, Attributes};
use crate::bytes::{Bytes, Layout, put_count};
use crate::field::{Field, MAX_DEPTH};
use geom::wire::{Error, Problem, Refuse as _, Result};

/// Declares lists of fields, which are preceded by bytes that are always the same.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident($kind:ty) $text:literal, $before:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
        pub struct $name(pub Vec<$kind>);

        impl Layout for $name {
            const NAME: &'static str = $text;

            fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
                expected(bytes, &$before)?;
                Field::read(bytes, MAX_DEPTH).map(Self)
            }
        }

        impl $name {
            /// The bytes of the property.
            ///
            /// # Errors
            /// If there are more values than 32 bits can count, or if a value cannot be represented.
            pub fn to_vec(&self) -> Result<Vec<u8>> {
                let mut out = $before.to_vec();
                self.0.write(&mut out)?;
                Ok(out)
            }
        }
    )+};
}
const NOTHING: [u8; 0] = [];
const ONE: [u8; 4] = [1, 0, 0, 0];
lists! {
    /// A list of values of one type: names of classes, the bytes of the properties `HiddenServices` and
    /// `VisibleServices`; or the control points of a `Path2D`, the bytes of the property `PropertiesSerialize`.
    AttributeList(Attribute) "list of values", NOTHING;
    /// The names of pins: the bytes of the property `InputPinData`.
    Pins(BString) "pins", ONE;
    /// The index of each bone's parent in a rig: the bytes of the property `parent` of `AnimationRigData`.
    RigParents(u16) "bone parents", ONE;
}

/// Declares lists of fields, which are preceded by a version that does not change their layout.
macro_rules! versioned {
    ($($(#[$doc:meta])* $name:ident($kind:ty) $text:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        pub struct $name {
            /// The version, 1 or 2. 0 in a new value, which is written with the newest version.
            pub version: u32,
            /// One for each bone.
            pub bones: Vec<$kind>,
        }

        impl Layout for $name {
            const NAME: &'static str = $text;

            fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
                let version = bytes.u32()?;
                if !matches!(version, 1 | 2) {
                    return Err(bytes.unsupported(format!("version {version} (known versions: 1 and 2)")));
                }
                Ok(Self { version, bones: Field::read(bytes, MAX_DEPTH)? })
            }
        }

        impl $name {
            /// The bytes of the property.
            ///
            /// # Errors
            /// If there are more bones than 32 bits can count, or if the version is not known.
            pub fn to_vec(&self) -> Result<Vec<u8>> {
                let version = match self.version {
                    0 => 2_u32,
                    version @ (1 | 2) => version,
                    other => return Err(Error::unwritable("version", format!("version {other} (known versions: 1 and 2)"))),
                };
                let mut out = version.to_le_bytes().to_vec();
                self.bones.write(&mut out)?;
                Ok(out)
            }
        }
    )+};
}
versioned! {
    /// The label of each bone of a rig: the bytes of the property `label` of `AnimationRigData`.
    RigLabels(u32) "bone labels";
    /// The rotation, three rows, and the position of each bone of a rig: the bytes of the properties `transform`,
    /// `preTransform` and `postTransform` of `AnimationRigData`.
    RigTransforms([f32; 12]) "bone transforms";
}

/// Reads bytes that are always the same, and refuses others.
fn expected(bytes: &mut Bytes<'_>, wanted: &[u8]) -> Result<()> {
    let found = bytes.take(wanted.len())?;
    match found == wanted {
        true => Ok(()),
        false => {
            let list = |bytes: &[u8]| bytes.iter().map(|byte| format!(" {byte:#04x}")).collect::<String>();
            let what = format!("bytes{} (expected{})", list(found), list(wanted));
            Err(bytes.unsupported(what))
        }
    }
}

/// The name of each bone of a rig: the bytes of the property `name` of `AnimationRigData`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct RigNames(pub Vec<BString>);

impl Layout for RigNames {
    const NAME: &'static str = "bone names";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        expected(bytes, &ONE)?;
        let lengths: Vec<u32> = Field::read(bytes, MAX_DEPTH)?;
        let mut names = bytes.vec(lengths.len())?;
        for len in lengths {
            let len = bytes.fits(len.into(), 1)?;
            bytes.charge(len as u64)?;
            names.push(bytes.take(len)?.into());
        }
        Ok(Self(names))
    }
}

impl RigNames {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If the number of names or the length of a name does not fit into 32 bits.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = ONE.to_vec();
        put_count(&mut out, self.0.len())?;
        self.0.iter().try_for_each(|name| put_count(&mut out, name.len()))?;
        self.0.iter().for_each(|name| out.extend_from_slice(name));
        Ok(out)
    }
}

/// The volume of a sound by angle or distance, as pairs with ascending angles or distances: the bytes of the properties
/// `AngleAttenuation` and `DistanceAttenuation`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Attenuation(pub Vec<[f32; 2]>);

impl Layout for Attenuation {
    const NAME: &'static str = "attenuation";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        expected(bytes, &[0])?;
        let mut points = bytes.vec(bytes.left() / 8)?;
        while bytes.left() > 0 {
            points.push(bytes.floats()?);
        }
        Ok(Self(points))
    }
}

impl Attenuation {
    /// The bytes of the property.
    pub fn to_vec(&self) -> Vec<u8> {
        let floats = self.0.as_flattened().iter();
        std::iter::once(0).chain(floats.flat_map(|float| float.to_le_bytes())).collect()
    }
}

/// The ids of users: the bytes of the property `AccessList`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct AccessList(pub Vec<i64>);

impl Layout for AccessList {
    const NAME: &'static str = "access list";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let mut users = bytes.vec(bytes.left() / 8)?;
        while bytes.left() > 0 {
            users.push(i64::from_le_bytes(bytes.array()?));
        }
        Ok(Self(users))
    }
}

impl AccessList {
    /// The bytes of the property.
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.iter().flat_map(|user| user.to_le_bytes()).collect()
    }
}

/// The transitions of properties, by the names of the properties: the bytes of the property
/// `PropertyTransitionsSerialize`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Transitions(pub Attributes);

impl Layout for Transitions {
    const NAME: &'static str = "transitions";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        expected(bytes, &[2, 0])?;
        Attributes::read(bytes).map(Self)
    }
}

impl Transitions {
    /// The bytes of the property.
    ///
    /// # Errors
    /// As [`Attributes::to_vec`].
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = vec![2, 0];
        match self.0.0.is_empty() {
            true => out.extend([0; 4]),
            false => out.extend(self.0.to_vec()?),
        }
        Ok(out)
    }
}

/// An identifier: the bytes of the property `GuidBinaryString`, in the order in which its text has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Guid(pub [u8; 16]);

impl Layout for Guid {
    const NAME: &'static str = "GUID";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        bytes.array().map(Self)
    }
}

/// `{E8A2E633-77C2-4E19-A331-656724A13200}`.
impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("{")?;
        for (index, byte) in self.0.iter().enumerate() {
            let dash = if [4, 6, 8, 10].contains(&index) { "-" } else { "" };
            write!(f, "{dash}{byte:02X}")?;
        }
        f.write_str("}")
    }
}

/// The groups of parts that collide with each other: the bytes of the property `CollisionGroupData`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct CollisionGroups(pub Vec<CollisionGroup>);

/// A group of parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CollisionGroup {
    /// The number of the group.
    pub id: u8,
    /// Bit k is whether the group collides with group k. Bits of unused numbers are 1.
    pub mask: u32,
    /// The name, at most 255 bytes.
    pub name: BString,
}

impl Layout for CollisionGroups {
    const NAME: &'static str = "collision groups";

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        expected(bytes, &[1])?;
        let count = bytes.u8()?.into();
        let mut groups = bytes.vec(count)?;
        for _ in 0..count {
            let id = bytes.u8()?;
            expected(bytes, &[4])?;
            let mask = bytes.u32()?;
            let len = bytes.u8()?.into();
            bytes.charge(len as u64)?;
            groups.push(CollisionGroup { id, mask, name: bytes.take(len)?.into() });
        }
        Ok(Self(groups))
    }
}

impl CollisionGroups {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If there are more than 255 groups, or if a name has more than 255 bytes.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        let mut out = vec![1, Problem::fit("collision groups", self.0.len(), u8::MAX).unwritable("")?];
        for CollisionGroup { id, mask, name } in &self.0 {
            out.extend([*id, 4]);
            out.extend(mask.to_le_bytes());
            out.push(
                Problem::fit("bytes for the name of a collision group", name.len(), u8::MAX)
                    .unwritable("")?,
            );
            out.extend_from_slice(name);
        }
        Ok(out)
    }
}
