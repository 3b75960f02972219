//! Values that are stored one after the other. Each layout is declared once, for reading and writing.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

use bstr::BString;

use crate::bytes::{Bytes, put_count, put_string};
use geom::wire::Result;

pub(crate) use rbxcore::parts::attributes::MAX_DEPTH;

/// A type whose values are always stored in the same way.
pub(crate) trait Field: Sized {
    /// The minimum size of a value, in bytes.
    const LEAST: usize;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self>;
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;
}

/// Declares structs whose fields are stored one after the other.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[allow(missing_docs, reason = "the names of Roblox's type")]
        pub struct $name {
            $($(#[$of])* pub $field: $kind,)+
        }

        impl $crate::field::Field for $name {
            const LEAST: usize = 0 $(+ <$kind as $crate::field::Field>::LEAST)+;

            fn read(bytes: &mut $crate::bytes::Bytes<'_>, depth: u32) -> geom::wire::Result<Self> {
                Ok(Self { $($field: $crate::field::Field::read(bytes, depth)?,)+ })
            }

            fn write(&self, out: &mut Vec<u8>) -> geom::wire::Result<()> {
                $($crate::field::Field::write(&self.$field, out)?;)+
                Ok(())
            }
        }
    )+};
}
pub(crate) use records;

/// Implements `Field` for numbers, which are little-endian.
macro_rules! numbers {
    ($($kind:ty),+) => {$(
        impl Field for $kind {
            const LEAST: usize = size_of::<$kind>();

            fn read(bytes: &mut Bytes<'_>, _: u32) -> Result<Self> {
                Ok(Self::from_le_bytes(bytes.array()?))
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                out.extend_from_slice(&self.to_le_bytes());
                Ok(())
            }
        }
    )+};
}
numbers!(u8, u16, i16, i32, u32, i64, f32, f64);

impl Field for bool {
    const LEAST: usize = 1;

    fn read(bytes: &mut Bytes<'_>, _: u32) -> Result<Self> {
        match bytes.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(bytes.invalid(format!("expected the byte 0 (false) or 1 (true), found {other}"))),
        }
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(u8::from(*self));
        Ok(())
    }
}

impl Field for BString {
    const LEAST: usize = 4;

    fn read(bytes: &mut Bytes<'_>, _: u32) -> Result<Self> {
        bytes.string()
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_string(out, self)
    }
}

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    const LEAST: usize = N.saturating_mul(T::LEAST);

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let mut values = [T::default(); N];
        for value in &mut values {
            *value = T::read(bytes, depth)?;
        }
        Ok(values)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        self.iter().try_for_each(|value| value.write(out))
    }
}

/// Stored as a count, and the values.
impl<T: Field> Field for Vec<T> {
    const LEAST: usize = 4;

    fn read(bytes: &mut Bytes<'_>, depth: u32) -> Result<Self> {
        let depth = depth.checked_sub(1).ok_or_else(|| {
            bytes.unsupported(format!("arrays and tables nested deeper than {MAX_DEPTH} levels"))
        })?;
        let count = bytes.count(T::LEAST)?;
        let mut values = bytes.vec(count)?;
        for _ in 0..count {
            values.push(T::read(bytes, depth)?);
        }
        Ok(values)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_count(out, self.len())?;
        self.iter().try_for_each(|value| value.write(out))
    }
}
