//! The properties `ValuesAndTimes` of curves and `WaveformData`: keys, and their times in ticks.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

use bstr::BString;

use crate::attributes::Attribute;
use crate::bytes::{Bytes, Layout, put_count, put_floats};
use crate::field::{Field, MAX_DEPTH, records};
use geom::wire::{Error, Problem, Refuse as _, Result};

/// The number of ticks per second.
pub const TICKS_PER_SECOND: u32 = 2400;

/// The keys of a curve with their times: the bytes of the property `ValuesAndTimes`, and for a [`FloatKey`] also those of
/// `WaveformData`. There are as many times as keys.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Curve<K> {
    /// The version of the keys. 0 in a new curve, which is written in the newest version.
    pub version: u32,
    /// The keys, in the order of their times.
    pub keys: Vec<K>,
    /// The times, in [ticks](TICKS_PER_SECOND).
    pub times: Vec<i32>,
}

/// The `ValuesAndTimes` of a `FloatCurve`.
pub type FloatCurve = Curve<FloatKey>;
/// The `ValuesAndTimes` of a `RotationCurve`.
pub type RotationCurve = Curve<RotationKey>;
/// The `ValuesAndTimes` of a `ValueCurve`.
pub type ValueCurve = Curve<ValueKey>;
/// The `ValuesAndTimes` of a `MarkerCurve`.
pub type MarkerCurve = Curve<Marker>;

/// The layout of a key in each version.
pub trait Key: Sized {
    #[doc(hidden)]
    const NAME: &'static str;
    /// The versions that are read, the newest first.
    #[doc(hidden)]
    const VERSIONS: &'static [u32];
    /// The minimum size of a key, in bytes.
    #[doc(hidden)]
    const LEAST: usize;

    #[doc(hidden)]
    fn read(bytes: &mut Bytes<'_>, is_shortest: bool) -> Result<Self>;
    #[doc(hidden)]
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;
    /// Refuses keys that a curve of a version cannot have.
    #[doc(hidden)]
    fn check(_: &[Self], _version: u32) -> Result<()> {
        Ok(())
    }
}

/// A key of a curve of numbers: a number, and how the curve continues from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FloatKey {
    /// How the curve continues: 0 keeps the value up to the next key, 1 is a straight line, 2 a Hermite curve with the
    /// tangents.
    pub mode: u8,
    /// Which tangents were set by hand: bit 0 for the left, bit 1 for the right. `None` if a file of version 1 has no
    /// mask.
    pub mask: Option<u8>,
    /// The value at the time of the key.
    pub value: f32,
    /// The slope before the key, in value per second. If it was not set by hand, it is the mean of the slopes on both
    /// sides, or 0 at the first and the last key.
    pub left: f32,
    /// The slope after the key, like `left`.
    pub right: f32,
}

records! {
    /// A key of a curve of rotations.
    #[derive(Copy, Default)]
    RotationKey {
        /// The mode of a [`FloatKey`], plus 12.
        mode: u8,
        /// A quaternion: x, y, z, w.
        rotation: [f32; 4],
        /// The tangent before the key; 0 if it was not set by hand.
        left: f32,
        right: f32,
    }
    /// A key of a curve of values, which can have any type of an attribute.
    ValueKey {
        mode: u8,
        /// Like [`FloatKey::mask`].
        mask: u8,
        value: Sized32,
        left: f32,
        right: f32,
    }
}

/// A value that is preceded by its length in bytes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Sized32(pub Attribute);

/// The name of a marker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Marker(pub BString);

impl Field for Sized32 {
    const LEAST: usize = 5;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let len = bytes.count(1)?;
        let before = bytes.left();
        let value = Attribute::read(bytes, depth)?;
        match before.saturating_sub(bytes.left()) == len {
            true => Ok(Self(value)),
            false => {
                let found = before.saturating_sub(bytes.left());
                Err(bytes.invalid(format!(
                    "the value of a key takes {found} bytes, but its declared length is {len} bytes"
                )))
            }
        }
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut value = Vec::new();
        self.0.write(&mut value)?;
        put_count(out, value.len())?;
        out.extend_from_slice(&value);
        Ok(())
    }
}

/// Implements `Key` for records.
macro_rules! keys {
    ($($key:ident $name:literal $versions:expr;)+) => {
        $(impl Key for $key {
            const NAME: &'static str = $name;
            const VERSIONS: &'static [u32] = &$versions;
            const LEAST: usize = <Self as Field>::LEAST;

            fn read(bytes: &mut Bytes<'_>, _: bool) -> Result<Self> {
                Field::read(bytes, MAX_DEPTH)
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                Field::write(self, out)
            }
        })+
    };
}
keys! {
    RotationKey "RotationCurve" [1];
    ValueKey "ValueCurve" [2];
}

impl Key for FloatKey {
    const NAME: &'static str = "FloatCurve";
    const VERSIONS: &'static [u32] = &[2, 1];
    const LEAST: usize = 13;

    /// Only empty curves of version 1 are known, so the length decides whether their keys have a mask.
    fn read(bytes: &mut Bytes<'_>, is_shortest: bool) -> Result<Self> {
        let mode = bytes.u8()?;
        let mask = if is_shortest { None } else { Some(bytes.u8()?) };
        let [value, left, right] = bytes.floats()?;
        Ok(Self { mode, mask, value, left, right })
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(self.mode);
        out.extend(self.mask);
        put_floats(out, &[self.value, self.left, self.right]);
        Ok(())
    }

    fn check(keys: &[Self], version: u32) -> Result<()> {
        let has_masks = version != 1 || keys.first().is_some_and(|key| key.mask.is_some());
        let odd = keys.iter().position(|key| key.mask.is_some() != has_masks);
        let what = match version {
            1 => "a curve with masks in only some of its keys (give a mask to all keys or to none)",
            _ => {
                "a key without a mask (only version 1 allows this; use Some(0) if no tangent was set by hand)"
            }
        };
        let refused = |at| Err(Error::unwritable(format!("keys[{at}].mask"), what));
        odd.map_or(Ok(()), refused)
    }
}

impl Key for Marker {
    const NAME: &'static str = "MarkerCurve";
    const VERSIONS: &'static [u32] = &[2, 1];
    const LEAST: usize = 1;

    fn read(bytes: &mut Bytes<'_>, _: bool) -> Result<Self> {
        let Some(len) = bytes.peek().iter().position(|&byte| byte == 0) else {
            return Err(bytes.invalid("the text of a marker does not end with a zero byte"));
        };
        bytes.charge(len as u64)?;
        let name = bytes.take(len)?.into();
        bytes.u8()?;
        Ok(Self(name))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.0.contains(&0) {
            return Err(Error::unwritable("keys", "a marker text that contains a zero byte"));
        }
        out.extend_from_slice(&self.0);
        out.push(0);
        Ok(())
    }
}

impl<K: Key> Layout for Curve<K> {
    const NAME: &'static str = K::NAME;

    fn read(bytes: &mut Bytes<'_>) -> Result<Self> {
        let version = bytes.u32()?;
        if !K::VERSIONS.contains(&version) {
            let what = format!("version {version} (known versions: {:?})", K::VERSIONS);
            return Err(bytes.unsupported(what));
        }
        let count = bytes.count(K::LEAST)?;
        // The size of the times is known: two words, and one word for each key.
        let shortest = K::LEAST.saturating_add(4).saturating_mul(count).saturating_add(8);
        let is_shortest = version == 1 && bytes.left() == shortest;
        let mut keys = bytes.vec(count)?;
        for _ in 0..count {
            keys.push(K::read(bytes, is_shortest)?);
        }
        match bytes.u32()? {
            1 => {}
            other => return Err(bytes.unsupported(format!("version {other} of the key times (expected 1)"))),
        }
        let found = bytes.count(4)?;
        if found != count {
            return Err(bytes.invalid(format!("expected one time per key (keys: {count}, times: {found})")));
        }
        let mut times = bytes.vec(count)?;
        times.extend(bytes.records(count)?.iter().map(|tick| i32::from_le_bytes(*tick)));
        Ok(Self { version, keys, times })
    }
}

impl<K: Key> Curve<K> {
    /// The bytes of the property.
    ///
    /// # Errors
    /// If the numbers of times and keys differ, if the version is not known, or if a key cannot be represented.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        Problem::length("key times", self.times.len(), self.keys.len()).unwritable("times")?;
        let newest = K::VERSIONS.first().copied().unwrap_or_default();
        let version = if self.version == 0 { newest } else { self.version };
        if !K::VERSIONS.contains(&version) {
            return Err(Error::unwritable(
                "version",
                format!("{} version {version} (known versions: {:?})", K::NAME, K::VERSIONS),
            ));
        }
        K::check(&self.keys, version)?;
        let mut out = version.to_le_bytes().to_vec();
        put_count(&mut out, self.keys.len())?;
        self.keys.iter().try_for_each(|key| key.write(&mut out))?;
        out.extend_from_slice(&1_u32.to_le_bytes());
        put_count(&mut out, self.times.len())?;
        out.extend(self.times.iter().flat_map(|tick| tick.to_le_bytes()));
        Ok(out)
    }
}
