//! The codecs of the types whose values are numbers and nothing else. *Interleaved* means: all first bytes, then all
//! second bytes, and so on; *f32r* is a float whose sign is its lowest bit, *i32z* and *i64z* are integers whose
//! sign is; all three are big-endian and interleaved, each component as an array of its own.

use geom::{Vec2, Vec3};
use nom::number::complete::u8 as byte;

use crate::consts::TypeId;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{
    Axes, BrickColor, CFrames, Color3, Color3uint8, Faces, NumberRange, OptionalCFrames, Ray, Rect,
    SecurityCapabilities, SharedIndex, UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
use crate::wire::column::{Wire, malformed, space};
use crate::wire::fail::{Here, Parsed};
use crate::wire::interleave::{
    f32s, floats, i32s, i64s, put_f32s, put_i32s, put_i64s, put_u32s, put_u64s, records, u32s, u64s,
};

/// An array of numbers as a vector.
fn collect<'a, T>(
    at: &'a [u8],
    (rest, values): (&'a [u8], impl ExactSizeIterator<Item = T>),
    budget: &mut Budget,
) -> Parsed<'a, Vec<T>> {
    let mut all = space(values.len(), budget).here(at)?;
    all.extend(values);
    Ok((rest, all))
}

/// An array of records of `N` bytes as a vector.
fn rows<'a, T, const N: usize>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
    read: impl Fn([u8; N]) -> T,
) -> Parsed<'a, Vec<T>> {
    let (rest, bytes) = records(input, count, N)?;
    let mut all = space(count, budget).here(input)?;
    all.extend(bytes.as_chunks().0.iter().map(|&bytes| read(bytes)));
    Ok((rest, all))
}

/// Numbers of 16 bits one after the other.
fn shorts<const N: usize>(bytes: &[u8]) -> [i16; N] {
    let mut shorts = bytes.as_chunks().0.iter().map(|&short| i16::from_le_bytes(short));
    std::array::from_fn(|_| shorts.next().unwrap_or_default())
}

/// A type whose values are arrays of numbers, or numbers made of them.
macro_rules! mapped {
    ($($kind:ty: $read:ident, |$raw:ident| $from:expr, $put:ident, |$value:ident| $to:expr;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                let (rest, raw) = $read(input, count)?;
                collect(input, (rest, raw.map(|$raw| $from)), budget)
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                $put(self.iter().map(|&$value| $to), out);
                Ok(())
            }
        }
    )+};
}
mapped! {
    i32: i32s, |raw| raw, put_i32s, |value| value;
    f32: f32s, |raw| raw, put_f32s, |value| value;
    i64: i64s, |raw| raw, put_i64s, |value| value;
    u32: u32s, |raw| raw, put_u32s, |value| value;
    BrickColor: u32s, |raw| BrickColor(raw), put_u32s, |value| value.0;
    SharedIndex: u32s, |raw| SharedIndex(raw), put_u32s, |value| value.0;
    SecurityCapabilities: i64s, |raw| SecurityCapabilities(raw.cast_unsigned()),
        put_i64s, |value| value.0.cast_signed();
}

/// A type whose values are records of bytes, one after the other.
macro_rules! recorded {
    ($($kind:ty: $size:literal, |$bytes:ident| $from:expr, |$value:ident| $to:expr;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                rows(input, count, budget, |$bytes: [u8; $size]| $from)
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                for $value in self {
                    out.extend_from_slice($to.as_flattened());
                }
                Ok(())
            }
        }
    )+};
}
recorded! {
    f64: 8, |bytes| f64::from_le_bytes(bytes), |value| [value.to_le_bytes()];
    Faces: 1, |bytes| Faces(u8::from_le_bytes(bytes)), |value| [[value.0]];
    Axes: 1, |bytes| Axes(u8::from_le_bytes(bytes)), |value| [[value.0]];
    Ray: 24, |bytes| {
        let [x, y, z, dx, dy, dz] = floats(&bytes);
        Ray { origin: Vec3::new(x, y, z), direction: Vec3::new(dx, dy, dz) }
    }, |value| {
        let [[x, y, z], [dx, dy, dz]] = [value.origin.to_array(), value.direction.to_array()];
        [x, y, z, dx, dy, dz].map(f32::to_le_bytes)
    };
    NumberRange: 8, |bytes| {
        let [min, max] = floats(&bytes);
        NumberRange { min, max }
    }, |value| [value.min, value.max].map(f32::to_le_bytes);
    Vector2int16: 4, |bytes| {
        let [x, y] = shorts(&bytes);
        Vector2int16 { x, y }
    }, |value| [value.x, value.y].map(i16::to_le_bytes);
    Vector3int16: 6, |bytes| {
        let [x, y, z] = shorts(&bytes);
        Vector3int16 { x, y, z }
    }, |value| [value.x, value.y, value.z].map(i16::to_le_bytes);
}

/// A type whose components are arrays of f32r, one after the other.
macro_rules! components {
    ($($kind:ty: $($($field:ident).+),+;)+) => {$(
        impl Wire for Vec<$kind> {
            fn read<'a>(start: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
                let size = [$(stringify!($($field).+)),+].len().saturating_mul(4);
                let (rest, input) = records(start, count, size)?;
                let mut all: Self = space(count, budget).here(start)?;
                all.resize(count, Default::default());
                $(
                    let (input, values) = f32s(input, count)?;
                    all.iter_mut().zip(values).for_each(|(all, value)| all.$($field).+ = value);
                )+
                let _all_were_read = input;
                Ok((rest, all))
            }

            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                $(put_f32s(self.iter().map(|value| value.$($field).+), out);)+
                Ok(())
            }
        }
    )+};
}
components! {
    Color3: r, g, b;
    Vec2: x, y;
    Vec3: x, y, z;
    Rect: min.x, min.y, max.x, max.y;
}

/// One byte each, and nothing but 0 and 1.
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

/// f32r scales, i32z offsets.
impl Wire for Vec<UDim> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, scales) = f32s(input, count)?;
        let (rest, offsets) = i32s(rest, count)?;
        collect(input, (rest, scales.zip(offsets).map(|(scale, offset)| UDim { scale, offset })), budget)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_f32s(self.iter().map(|value| value.scale), out);
        put_i32s(self.iter().map(|value| value.offset), out);
        Ok(())
    }
}

/// f32r scales of x, of y, i32z offsets of x, of y.
impl Wire for Vec<UDim2> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, x_scales) = f32s(input, count)?;
        let (rest, y_scales) = f32s(rest, count)?;
        let (rest, x_offsets) = i32s(rest, count)?;
        let (rest, y_offsets) = i32s(rest, count)?;
        let x = x_scales.zip(x_offsets).map(|(scale, offset)| UDim { scale, offset });
        let y = y_scales.zip(y_offsets).map(|(scale, offset)| UDim { scale, offset });
        collect(input, (rest, x.zip(y).map(|(x, y)| UDim2 { x, y })), budget)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_f32s(self.iter().map(|value| value.x.scale), out);
        put_f32s(self.iter().map(|value| value.y.scale), out);
        put_i32s(self.iter().map(|value| value.x.offset), out);
        put_i32s(self.iter().map(|value| value.y.offset), out);
        Ok(())
    }
}

/// All reds, all greens, all blues, a byte each.
impl Wire for Vec<Color3uint8> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, reds) = records(input, count, 1)?;
        let (rest, greens) = records(rest, count, 1)?;
        let (rest, blues) = records(rest, count, 1)?;
        let colors = reds.iter().zip(greens).zip(blues);
        collect(input, (rest, colors.map(|((&r, &g), &b)| Color3uint8 { r, g, b })), budget)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.extend(self.iter().map(|value| value.r));
        out.extend(self.iter().map(|value| value.g));
        out.extend(self.iter().map(|value| value.b));
        Ok(())
    }
}

/// u32 indices, u32 times, u64 randoms rotated left by one; big-endian, interleaved.
impl Wire for Vec<UniqueId> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, indices) = u32s(input, count)?;
        let (rest, times) = u32s(rest, count)?;
        let (rest, randoms) = u64s(rest, count)?;
        let ids = indices.zip(times).zip(randoms).map(|((index, time), random)| UniqueId {
            random: random.rotate_right(1),
            time,
            index,
        });
        collect(input, (rest, ids), budget)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        put_u32s(self.iter().map(|value| value.index), out);
        put_u32s(self.iter().map(|value| value.time), out);
        put_u64s(self.iter().map(|value| value.random.rotate_left(1)), out);
        Ok(())
    }
}

/// The type CFrame, as CFrame, the type Bool, as Bool: whether each value is present.
impl Wire for OptionalCFrames {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, ()) = marker(input, TypeId::CFRAME)?;
        let (rest, frames) = CFrames::read(rest, count, budget)?;
        let (rest, ()) = marker(rest, TypeId::BOOL)?;
        let (rest, present) = Vec::read(rest, count, budget)?;
        Ok((rest, Self { frames, present }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(TypeId::CFRAME.0);
        self.frames.write(out)?;
        out.push(TypeId::BOOL.0);
        self.present.write(out)
    }

    fn check(&self, count: usize) -> Result<()> {
        match self.frames.values.len() {
            len if len == count => Ok(()),
            len => Err(Error::unwritable("frames", format!("{len} values for {count} instances"))),
        }
    }
}

/// The type of a part of a column.
fn marker(input: &[u8], wanted: TypeId) -> Parsed<'_, ()> {
    let (rest, type_id) = byte(input)?;
    match TypeId(type_id) == wanted {
        true => Ok((rest, ())),
        false => malformed(input),
    }
}
