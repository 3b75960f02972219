//! The values of a column, by type. *Interleaved* means: all first bytes, then all second bytes, and
//! so on; *f32r* is a float whose sign stands in the lowest bit, *i32z* and *i64z* are numbers whose
//! sign does; all three are big-endian and interleaved, each component as an array of its own.
//!
//! | id | type | values |
//! |---|---|---|
//! | 01 | String | u32 length, bytes |
//! | 02 | Bool | u8 |
//! | 03 | Int32 | i32z |
//! | 04 | Float32 | f32r |
//! | 05 | Float64 | f64 |
//! | 06 | UDim | f32r scales, i32z offsets |
//! | 07 | UDim2 | f32r x scales, y scales, i32z x offsets, y offsets |
//! | 08 | Ray | 6 × f32 |
//! | 09 0a | Faces, Axes | u8 |
//! | 0b 12 1c | BrickColor, Enum, SharedString | u32 big-endian, interleaved |
//! | 0c | Color3 | f32r reds, greens, blues |
//! | 0d 0e | Vector2, Vector3 | f32r of each component |
//! | 0f 14 | Vector2int16, Vector3int16 | 2 or 3 × i16 |
//! | 10 11 | CFrame, CFrameQuat | see `cframe` |
//! | 13 | Ref | see `referent` |
//! | 15 16 | NumberSequence, ColorSequence | u32 count, 3 or 5 × f32 each |
//! | 17 | NumberRange | 2 × f32 |
//! | 18 | Rect | f32r min x, min y, max x, max y |
//! | 19 | PhysicalProperties | see `physical` |
//! | 1a | Color3uint8 | all reds, all greens, all blues |
//! | 1b 21 | Int64, SecurityCapabilities | i64z |
//! | 1d | Bytecode | as String |
//! | 1e | OptionalCFrame | 10, as CFrame, 02, as Bool |
//! | 1f | UniqueId | u32 indices, u32 times, u64 randoms rotated left by one; big-endian, interleaved |
//! | 20 | Font | see `font` |
//! | 22 | Content | see `content` |

use geom::{Vec2, Vec3};
use nom::bytes::complete::take;
use nom::number::complete::u8 as byte;

use crate::consts::TypeId;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{
    Axes, BrickColor, Color3, Color3uint8, Column, Faces, NumberRange, OptionalCFrames, Ray, Rect,
    SecurityCapabilities, UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
use crate::wire::fail::{Fail, Here, Parsed};
use crate::wire::interleave::{
    f32s, i32s, i64s, put_f32s, put_i32s, put_i64s, put_u32s, put_u64s, records, u32s, u64s,
};
use crate::wire::{cframe, content, font, physical, referent, string};

/// Reads a column into its place: the type and the values of `count` instances. What is not understood
/// is kept.
pub(crate) fn read<'a>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
    column: &mut Column,
) -> Parsed<'a, ()> {
    let Some((&type_id, values)) = input.split_first() else { return Ok((input, ())) };
    let type_id = TypeId(type_id);
    match read_values(type_id, values, count, budget, column) {
        Ok((rest, ())) if rest.is_empty() => return Ok((rest, ())),
        // Values that end before the chunk does, and what this crate does not know.
        Ok(_) => {}
        Err(nom::Err::Failure(fail)) if matches!(fail.kind(), ErrorKind::Unsupported(_)) => {}
        Err(error) => return Err(error),
    }
    let bytes = budget.copy(values).here(values)?.into();
    let (rest, _) = take(values.len())(values)?;
    *column = Column::Unknown { type_id, bytes };
    Ok((rest, ()))
}

/// An array of numbers as a vector.
fn collect<'a, T>(
    at: &'a [u8],
    (rest, values): (&'a [u8], impl ExactSizeIterator<Item = T>),
    budget: &mut Budget,
) -> Parsed<'a, Vec<T>> {
    let mut all = budget.vec(values.len()).here(at)?;
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
    let mut all = budget.vec(count).here(input)?;
    all.extend(bytes.as_chunks().0.iter().map(|&bytes| read(bytes)));
    Ok((rest, all))
}

/// `N` arrays of floats, one per component.
fn components<'a, T: Clone + Default, const N: usize>(
    start: &'a [u8],
    count: usize,
    budget: &mut Budget,
    places: [fn(&mut T) -> &mut f32; N],
) -> Parsed<'a, Vec<T>> {
    let (rest, bytes) = records(start, count, N.saturating_mul(4))?;
    let mut all: Vec<T> = budget.vec(count).here(start)?;
    all.resize(count, T::default());
    let mut input = bytes;
    for place in places {
        let (behind, values) = f32s(input, count)?;
        all.iter_mut().zip(values).for_each(|(all, value)| *place(all) = value);
        input = behind;
    }
    Ok((rest, all))
}

/// Floats one behind the other.
fn floats<const N: usize>(bytes: &[u8]) -> [f32; N] {
    let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
    std::array::from_fn(|_| floats.next().unwrap_or_default())
}

/// Numbers of 16 bits one behind the other.
fn shorts<const N: usize>(bytes: &[u8]) -> [i16; N] {
    let mut shorts = bytes.as_chunks().0.iter().map(|&short| i16::from_le_bytes(short));
    std::array::from_fn(|_| shorts.next().unwrap_or_default())
}

/// One byte each, and nothing but 0 and 1.
fn bools<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Vec<bool>> {
    let (rest, bytes) = records(input, count, 1)?;
    if bytes.iter().any(|&byte| byte > 1) {
        return Err(Fail::unsupported(input, "truth that is neither 0 nor 1"));
    }
    let mut all = budget.vec(count).here(input)?;
    all.extend(bytes.iter().map(|&byte| byte == 1));
    Ok((rest, all))
}

fn read_values<'a>(
    type_id: TypeId,
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
    column: &mut Column,
) -> Parsed<'a, ()> {
    macro_rules! read {
        (box $variant:ident, $parsed:expr) => {{
            let (rest, values) = $parsed?;
            *column = Column::$variant(Box::new(values));
            rest
        }};
        ($variant:ident, $parsed:expr) => {{
            let (rest, values) = $parsed?;
            *column = Column::$variant(values);
            rest
        }};
    }
    let rest = match type_id {
        TypeId::STRING => read!(String, string::read_list(input, count, budget)),
        TypeId::BYTECODE => read!(box Bytecode, string::read_list(input, count, budget)),
        TypeId::BOOL => read!(Bool, bools(input, count, budget)),
        TypeId::INT32 => read!(Int32, collect(input, i32s(input, count)?, budget)),
        TypeId::FLOAT32 => read!(Float32, collect(input, f32s(input, count)?, budget)),
        TypeId::FLOAT64 => read!(Float64, rows(input, count, budget, f64::from_le_bytes)),
        TypeId::UDIM => {
            let (rest, scales) = f32s(input, count)?;
            let (rest, offsets) = i32s(rest, count)?;
            let values = scales.zip(offsets).map(|(scale, offset)| UDim { scale, offset });
            read!(UDim, collect(input, (rest, values), budget))
        }
        TypeId::UDIM2 => {
            let (rest, x_scales) = f32s(input, count)?;
            let (rest, y_scales) = f32s(rest, count)?;
            let (rest, x_offsets) = i32s(rest, count)?;
            let (rest, y_offsets) = i32s(rest, count)?;
            let x = x_scales.zip(x_offsets).map(|(scale, offset)| UDim { scale, offset });
            let y = y_scales.zip(y_offsets).map(|(scale, offset)| UDim { scale, offset });
            read!(UDim2, collect(input, (rest, x.zip(y).map(|(x, y)| UDim2 { x, y })), budget))
        }
        TypeId::RAY => {
            let ray = |bytes: [u8; 24]| {
                let [x, y, z, dx, dy, dz] = floats(&bytes);
                Ray { origin: Vec3::new(x, y, z), direction: Vec3::new(dx, dy, dz) }
            };
            read!(Ray, rows(input, count, budget, ray))
        }
        TypeId::FACES => read!(Faces, rows(input, count, budget, |[byte]: [u8; 1]| Faces(byte))),
        TypeId::AXES => read!(Axes, rows(input, count, budget, |[byte]: [u8; 1]| Axes(byte))),
        TypeId::BRICK_COLOR => {
            let (rest, numbers) = u32s(input, count)?;
            read!(BrickColor, collect(input, (rest, numbers.map(BrickColor)), budget))
        }
        TypeId::ENUM => read!(Enum, collect(input, u32s(input, count)?, budget)),
        TypeId::SHARED_STRING => read!(SharedString, collect(input, u32s(input, count)?, budget)),
        TypeId::COLOR3 => {
            let places: [fn(&mut Color3) -> &mut f32; 3] = [|c| &mut c.r, |c| &mut c.g, |c| &mut c.b];
            read!(Color3, components(input, count, budget, places))
        }
        TypeId::VECTOR2 => {
            let places: [fn(&mut Vec2) -> &mut f32; 2] = [|v| &mut v.x, |v| &mut v.y];
            read!(Vector2, components(input, count, budget, places))
        }
        TypeId::VECTOR3 => {
            let places: [fn(&mut Vec3) -> &mut f32; 3] = [|v| &mut v.x, |v| &mut v.y, |v| &mut v.z];
            read!(Vector3, components(input, count, budget, places))
        }
        TypeId::RECT => {
            let places: [fn(&mut Rect) -> &mut f32; 4] =
                [|r| &mut r.min.x, |r| &mut r.min.y, |r| &mut r.max.x, |r| &mut r.max.y];
            read!(Rect, components(input, count, budget, places))
        }
        TypeId::VECTOR2_INT16 => {
            let vector = |bytes: [u8; 4]| {
                let [x, y] = shorts(&bytes);
                Vector2int16 { x, y }
            };
            read!(Vector2int16, rows(input, count, budget, vector))
        }
        TypeId::VECTOR3_INT16 => {
            let vector = |bytes: [u8; 6]| {
                let [x, y, z] = shorts(&bytes);
                Vector3int16 { x, y, z }
            };
            read!(Vector3int16, rows(input, count, budget, vector))
        }
        TypeId::CFRAME => read!(box CFrame, cframe::read(input, count, budget)),
        TypeId::CFRAME_QUAT => read!(box CFrameQuat, cframe::read_quats(input, count, budget)),
        TypeId::REF => read!(Ref, referent::read(input, count, budget)),
        TypeId::NUMBER_SEQUENCE => read!(box NumberSequence, string::read_sequences(input, count, budget)),
        TypeId::COLOR_SEQUENCE => read!(box ColorSequence, string::read_sequences(input, count, budget)),
        TypeId::NUMBER_RANGE => {
            let range = |bytes: [u8; 8]| {
                let [min, max] = floats(&bytes);
                NumberRange { min, max }
            };
            read!(NumberRange, rows(input, count, budget, range))
        }
        TypeId::PHYSICAL_PROPERTIES => read!(box PhysicalProperties, physical::read(input, count, budget)),
        TypeId::COLOR3_UINT8 => {
            let (rest, reds) = records(input, count, 1)?;
            let (rest, greens) = records(rest, count, 1)?;
            let (rest, blues) = records(rest, count, 1)?;
            let colors = reds.iter().zip(greens).zip(blues);
            let colors = colors.map(|((&r, &g), &b)| Color3uint8 { r, g, b });
            read!(Color3uint8, collect(input, (rest, colors), budget))
        }
        TypeId::INT64 => read!(Int64, collect(input, i64s(input, count)?, budget)),
        TypeId::SECURITY_CAPABILITIES => {
            let (rest, raw) = i64s(input, count)?;
            let values = raw.map(|raw| SecurityCapabilities(raw.cast_unsigned()));
            read!(SecurityCapabilities, collect(input, (rest, values), budget))
        }
        TypeId::UNIQUE_ID => {
            let (rest, indices) = u32s(input, count)?;
            let (rest, times) = u32s(rest, count)?;
            let (rest, randoms) = u64s(rest, count)?;
            let ids = indices.zip(times).zip(randoms).map(|((index, time), random)| UniqueId {
                random: random.rotate_right(1),
                time,
                index,
            });
            read!(UniqueId, collect(input, (rest, ids), budget))
        }
        TypeId::OPTIONAL_CFRAME => {
            let (rest, ()) = marker(input, TypeId::CFRAME)?;
            let (rest, frames) = cframe::read(rest, count, budget)?;
            let (rest, ()) = marker(rest, TypeId::BOOL)?;
            let (rest, present) = bools(rest, count, budget)?;
            *column = Column::OptionalCFrame(Box::new(OptionalCFrames { frames, present }));
            rest
        }
        TypeId::FONT => {
            read!(box Font, font::read(input, count, budget))
        }
        TypeId::CONTENT => {
            read!(box Content, content::read(input, count, budget))
        }
        other => return Err(Fail::unsupported(input, format!("type {other}"))),
    };
    Ok((rest, ()))
}

/// The type of a part of a column, which must be the one that it always was.
fn marker(input: &[u8], wanted: TypeId) -> Parsed<'_, ()> {
    let (rest, type_id) = byte(input)?;
    match TypeId(type_id) == wanted {
        true => Ok((rest, ())),
        false => Err(Fail::unsupported(input, format!("type {type_id:#04x} in the place of {wanted}"))),
    }
}

/// Writes a column: the type, and one value for each of `count` instances.
pub(crate) fn write(column: &Column, count: usize, out: &mut Vec<u8>) -> Result<()> {
    if let Some(len) = column.len()
        && len != count
    {
        return Err(Error::unwritable("", format!("{len} values for {count} instances")));
    }
    out.extend(column.type_id().map(|type_id| type_id.0));
    match column {
        Column::String(strings) => string::write_list(strings, out)?,
        Column::Bytecode(strings) => string::write_list(strings, out)?,
        Column::Bool(values) => out.extend(values.iter().map(|&value| u8::from(value))),
        Column::Int32(values) => put_i32s(values.iter().copied(), out),
        Column::Float32(values) => put_f32s(values.iter().copied(), out),
        Column::Float64(values) => out.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Column::UDim(values) => {
            put_f32s(values.iter().map(|value| value.scale), out);
            put_i32s(values.iter().map(|value| value.offset), out);
        }
        Column::UDim2(values) => {
            put_f32s(values.iter().map(|value| value.x.scale), out);
            put_f32s(values.iter().map(|value| value.y.scale), out);
            put_i32s(values.iter().map(|value| value.x.offset), out);
            put_i32s(values.iter().map(|value| value.y.offset), out);
        }
        Column::Ray(values) => {
            for Ray { origin, direction } in values {
                out.extend_from_slice(origin.to_array().map(f32::to_le_bytes).as_flattened());
                out.extend_from_slice(direction.to_array().map(f32::to_le_bytes).as_flattened());
            }
        }
        Column::Faces(values) => out.extend(values.iter().map(|value| value.0)),
        Column::Axes(values) => out.extend(values.iter().map(|value| value.0)),
        Column::BrickColor(values) => put_u32s(values.iter().map(|value| value.0), out),
        Column::Enum(values) | Column::SharedString(values) => put_u32s(values.iter().copied(), out),
        Column::Color3(values) => {
            put_f32s(values.iter().map(|value| value.r), out);
            put_f32s(values.iter().map(|value| value.g), out);
            put_f32s(values.iter().map(|value| value.b), out);
        }
        Column::Vector2(values) => {
            put_f32s(values.iter().map(|value| value.x), out);
            put_f32s(values.iter().map(|value| value.y), out);
        }
        Column::Vector3(values) => {
            put_f32s(values.iter().map(|value| value.x), out);
            put_f32s(values.iter().map(|value| value.y), out);
            put_f32s(values.iter().map(|value| value.z), out);
        }
        Column::Rect(values) => {
            put_f32s(values.iter().map(|value| value.min.x), out);
            put_f32s(values.iter().map(|value| value.min.y), out);
            put_f32s(values.iter().map(|value| value.max.x), out);
            put_f32s(values.iter().map(|value| value.max.y), out);
        }
        Column::Vector2int16(values) => {
            for Vector2int16 { x, y } in values {
                out.extend_from_slice([x.to_le_bytes(), y.to_le_bytes()].as_flattened());
            }
        }
        Column::Vector3int16(values) => {
            for Vector3int16 { x, y, z } in values {
                out.extend_from_slice([x.to_le_bytes(), y.to_le_bytes(), z.to_le_bytes()].as_flattened());
            }
        }
        Column::CFrame(frames) => cframe::write(frames, out),
        Column::CFrameQuat(frames) => cframe::write_quats(frames, out),
        Column::Ref(values) => referent::write(values, out),
        Column::NumberSequence(lists) => string::write_sequences(lists, out)?,
        Column::ColorSequence(lists) => string::write_sequences(lists, out)?,
        Column::NumberRange(values) => {
            for NumberRange { min, max } in values {
                out.extend_from_slice([min.to_le_bytes(), max.to_le_bytes()].as_flattened());
            }
        }
        Column::PhysicalProperties(column) => physical::write(column, out),
        Column::Color3uint8(values) => {
            out.extend(values.iter().map(|value| value.r));
            out.extend(values.iter().map(|value| value.g));
            out.extend(values.iter().map(|value| value.b));
        }
        Column::Int64(values) => put_i64s(values.iter().copied(), out),
        Column::SecurityCapabilities(values) => {
            put_i64s(values.iter().map(|value| value.0.cast_signed()), out);
        }
        Column::UniqueId(values) => {
            put_u32s(values.iter().map(|value| value.index), out);
            put_u32s(values.iter().map(|value| value.time), out);
            put_u64s(values.iter().map(|value| value.random.rotate_left(1)), out);
        }
        Column::OptionalCFrame(frames) => {
            if frames.frames.values.len() != count {
                let what = format!("{} values for {count} instances", frames.frames.values.len());
                return Err(Error::unwritable("frames", what));
            }
            out.push(TypeId::CFRAME.0);
            cframe::write(&frames.frames, out);
            out.push(TypeId::BOOL.0);
            out.extend(frames.present.iter().map(|&present| u8::from(present)));
        }
        Column::Font(fonts) => {
            let others = [fonts.families.len(), fonts.weights.len(), fonts.cached_face_ids.len()];
            if others.iter().any(|&len| len != count) {
                return Err(Error::unwritable("fonts", format!("{others:?} values for {count} instances")));
            }
            font::write(fonts, out)?;
        }
        Column::Content(contents) => content::write(contents, out)?,
        Column::Unknown { bytes, .. } => out.extend_from_slice(bytes),
        Column::Untyped => {}
    }
    Ok(())
}
