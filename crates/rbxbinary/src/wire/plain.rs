//! The codecs of types whose values consist of numbers. *Interleaved* means: all first bytes, then all second
//! bytes, and so on. *f32r* is a float, and *i32z* and *i64z* are integers, whose sign is the lowest bit; all three are
//! big-endian and interleaved. Each component is an array of its own.

use geom::{Vec2, Vec3};

use crate::model::{
    Axes, BrickColor, Color3, Color3uint8, Faces, NumberRange, Ray, Rect, SecurityCapabilities, SharedIndex,
    UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
use crate::wire::column::{Wire, malformed, space};
use crate::wire::interleave::{Number, records};
use geom::wire::{Budget, Here, Parsed, Result};

/// Implements `Wire` for types whose values are, or follow from, the numbers of one array.
macro_rules! mapped {
    ($($kind:ty: $number:ty, |$raw:ident| $from:expr, |$value:ident| $to:expr;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                let (rest, raw) = <$number>::read(input, count)?;
                let mut all = space(count, budget).here(input)?;
                all.extend(raw.map(|$raw| $from));
                Ok((rest, all))
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                Number::write(self, |&$value| -> $number { $to }, out);
                Ok(())
            }
        }
    )+};
}
mapped! {
    i32: i32, |raw| raw, |value| value;
    f32: f32, |raw| raw, |value| value;
    i64: i64, |raw| raw, |value| value;
    u32: u32, |raw| raw, |value| value;
    BrickColor: u32, |raw| BrickColor(raw), |value| value.0;
    SharedIndex: u32, |raw| SharedIndex(raw), |value| value.0;
    SecurityCapabilities: i64, |raw| SecurityCapabilities(raw.cast_unsigned()), |value| value.0.cast_signed();
    Faces: u8, |raw| Faces(raw), |value| value.0;
    Axes: u8, |raw| Axes(raw), |value| value.0;
}

/// Implements `Wire` for types whose components are stored as arrays, one after the other.
macro_rules! components {
    ($($kind:ty: $($number:ident $($field:ident).+),+;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(start: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                const SIZE: usize = size_of::<($($number,)+)>();
                let (rest, input) = records(start, count, SIZE)?;
                let mut all: Self = space(count, budget).here(start)?;
                all.resize(count, Default::default());
                $(
                    let (input, values) = $number::read(input, count)?;
                    all.iter_mut().zip(values).for_each(|(all, value)| all.$($field).+ = value);
                )+
                let _all_were_read = input;
                Ok((rest, all))
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                $(Number::write(self, |value| -> $number { value.$($field).+ }, out);)+
                Ok(())
            }
        }
    )+};
}
components! {
    Color3: f32 r, f32 g, f32 b;
    Color3uint8: u8 r, u8 g, u8 b;
    Vec2: f32 x, f32 y;
    Vec3: f32 x, f32 y, f32 z;
    Rect: f32 min.x, f32 min.y, f32 max.x, f32 max.y;
    UDim: f32 scale, i32 offset;
    UDim2: f32 x.scale, f32 y.scale, i32 x.offset, i32 y.offset;
}

/// Implements `Wire` for types whose values are stored one after the other, as records of little-endian numbers.
macro_rules! recorded {
    ($($kind:ty: $number:ident $($($field:ident).+),+;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                const SIZE: usize = size_of::<$number>();
                const COUNT: usize = [$(stringify!($($field).+)),+].len();
                let (rest, bytes) = records(input, count, size_of::<[$number; COUNT]>())?;
                let mut numbers =
                    bytes.as_chunks::<SIZE>().0.iter().map(|&number| $number::from_le_bytes(number));
                let mut all = space(count, budget).here(input)?;
                all.extend((0..count).map(|_| {
                    let mut value = <$kind>::default();
                    $(value.$($field).+ = numbers.next().unwrap_or_default();)+
                    value
                }));
                Ok((rest, all))
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                for value in self {
                    $(out.extend_from_slice(&value.$($field).+.to_le_bytes());)+
                }
                Ok(())
            }
        }
    )+};
}
recorded! {
    NumberRange: f32 min, max;
    Ray: f32 origin.x, origin.y, origin.z, direction.x, direction.y, direction.z;
    Vector2int16: i16 x, y;
    Vector3int16: i16 x, y, z;
}

impl Wire for Vec<f64> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, bytes) = records(input, count, size_of::<f64>())?;
        let mut all = space(count, budget).here(input)?;
        all.extend(bytes.as_chunks().0.iter().map(|&number| f64::from_le_bytes(number)));
        Ok((rest, all))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        for value in self {
            out.extend_from_slice(&value.to_le_bytes());
        }
        Ok(())
    }
}

/// One byte each, 0 or 1; other bytes are malformed.
impl Wire for Vec<bool> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, bytes) = records(input, count, 1)?;
        if bytes.iter().any(|&byte| byte > 1) {
            return malformed(input);
        }
        let mut all = space(count, budget).here(input)?;
        all.extend(bytes.iter().map(|&byte| byte == 1));
        Ok((rest, all))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend(self.iter().map(|&value| u8::from(value)));
        Ok(())
    }
}

/// u32 indices, u32 times, u64 random numbers rotated left by one bit; big-endian, interleaved.
impl Wire for Vec<UniqueId> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, indices) = u32::read(input, count)?;
        let (rest, times) = u32::read(rest, count)?;
        let (rest, randoms) = u64::read(rest, count)?;
        let randoms = randoms.map(|random| random.rotate_right(1));
        let mut all = space(count, budget).here(input)?;
        let ids = indices.zip(times).zip(randoms);
        all.extend(ids.map(|((index, time), random)| UniqueId { random, time, index }));
        Ok((rest, all))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        Number::write(self, |value| value.index, out);
        Number::write(self, |value| value.time, out);
        Number::write(self, |value| value.random.rotate_left(1), out);
        Ok(())
    }
}
