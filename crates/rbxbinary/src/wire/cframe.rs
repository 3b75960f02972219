//! CFrames: first the rotations, row by row, then the positions as three arrays.
//!
//! | bytes | what |
//! |---|---|
//! | u8 | rotation id |
//! | 9 × f32 | only if the id is 0: the matrix row by row (CFrameQuat: 4 × f32, x y z w) |
//! | … | for each value |
//! | f32s | all x, all y, all z; interleaved, in Roblox's form |

use geom::{Mat3, Quat, Vec3};
use nom::number::complete::u8 as byte;

use crate::consts::TypeId;
use crate::model::{CFrame, CFrameQuat};
use crate::wire::column::{Wire, fits, malformed, space};
use crate::wire::interleave::{Number, floats, records};
use geom::wire::{Budget, Here, Parsed, Result};
use rbxcore::rotation;

/// The minimum size of a value, in bytes: an id and a position.
const LEAST: usize = 13;

/// A rotation by its id, or as `N` floats if the id is 0.
#[inline]
fn rotation<const N: usize>(input: &[u8]) -> Parsed<'_, (u8, [f32; N])> {
    let (input, id) = match input.split_first() {
        Some((&id, rest)) if id != 0 => return Ok((rest, (id, [0.0; N]))),
        _ => byte(input)?,
    };
    let (rest, bytes) = records(input, N, 4)?;
    Ok((rest, (id, floats(bytes))))
}

/// Reads the values of a column: creates each from its rotation, and sets its position later.
#[inline]
fn read<'a, T, const N: usize>(
    input: &'a [u8],
    count: usize,
    budget: &mut Budget,
    mut rotated: impl FnMut(u8, [f32; N]) -> T,
    position: impl Fn(&mut T) -> &mut Vec3,
) -> Parsed<'a, Vec<T>> {
    if !fits(input, count, LEAST) {
        return malformed(input);
    }
    let mut values: Vec<T> = space(count, budget).here(input)?;
    let mut rest = input;
    for _ in 0..count {
        let (after, (id, floats)) = rotation(rest)?;
        values.push(rotated(id, floats));
        rest = after;
    }
    let (rest, x) = f32::read(rest, count)?;
    values.iter_mut().zip(x).for_each(|(value, x)| position(value).x = x);
    let (rest, y) = f32::read(rest, count)?;
    values.iter_mut().zip(y).for_each(|(value, y)| position(value).y = y);
    let (rest, z) = f32::read(rest, count)?;
    values.iter_mut().zip(z).for_each(|(value, z)| position(value).z = z);
    Ok((rest, values))
}

fn write<T, const N: usize>(
    values: &[T],
    mut id: impl FnMut(&T) -> u8,
    floats: impl Fn(&T) -> [f32; N],
    position: impl Fn(&T) -> &Vec3,
    out: &mut Vec<u8>,
) {
    for value in values {
        let id = id(value);
        out.push(id);
        if id == 0 {
            out.extend_from_slice(floats(value).map(f32::to_le_bytes).as_flattened());
        }
    }
    Number::write(values, |value| position(value).x, out);
    Number::write(values, |value| position(value).y, out);
    Number::write(values, |value| position(value).z, out);
}

impl Wire for Vec<CFrame> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        // Neighbours usually have the same rotation.
        let mut last = (rotation::IDENTITY, Mat3::IDENTITY);
        let rotated = |id: u8, rows: [f32; 9]| {
            if id != 0 && id != last.0 {
                // An id that names no rotation means the identity.
                last = (id, rotation::matrix(id).unwrap_or_default());
            }
            let rotation = if id == 0 { Mat3::from_rows(rows) } else { last.1 };
            CFrame { rotation, position: Vec3::default() }
        };
        read(input, count, budget, rotated, |value| &mut value.position)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        // Neighbours usually have the same rotation.
        let bits = |rotation: &Mat3| rotation.to_columns().map(f32::to_bits);
        let mut last = (bits(&Mat3::IDENTITY), rotation::IDENTITY);
        let id = |value: &CFrame| {
            let of = bits(&value.rotation);
            if of != last.0 {
                last = (of, rotation::find(&value.rotation).unwrap_or(0));
            }
            last.1
        };
        write(self, id, |value| value.rotation.to_rows(), |value| &value.position, out);
        Ok(())
    }
}

impl Wire for Vec<CFrameQuat> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let rotated = |id: u8, parts: [f32; 4]| {
            let known = || rotation::quaternion(id).unwrap_or(Quat::IDENTITY);
            let rotation = if id == 0 { Quat::from(parts) } else { known() };
            CFrameQuat { rotation, position: Vec3::default() }
        };
        read(input, count, budget, rotated, |value| &mut value.position)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        write(self, |_| 0, |value| value.rotation.to_array(), |value| &value.position, out);
        Ok(())
    }
}

/// The id of the type CFrame and the values, as in a column of that type; then the id of the type Bool, and for each
/// value whether it is present.
impl Wire for Vec<Option<CFrame>> {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        let (rest, ()) = marker(input, TypeId::CFRAME)?;
        let (rest, frames) = Vec::<CFrame>::read(rest, count, budget)?;
        let (rest, ()) = marker(rest, TypeId::BOOL)?;
        let (rest, present) = Vec::<bool>::read(rest, count, budget)?;
        let mut values: Self = space(count, budget).here(input)?;
        values.extend(frames.into_iter().zip(present).map(|(frame, is_present)| is_present.then_some(frame)));
        Ok((rest, values))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        out.push(TypeId::CFRAME.0);
        let frames: Vec<CFrame> = self.iter().map(|value| value.unwrap_or(CFrame::IDENTITY)).collect();
        frames.write(out)?;
        out.push(TypeId::BOOL.0);
        out.extend(self.iter().map(|value| u8::from(value.is_some())));
        Ok(())
    }
}

/// Reads the type id before a part of a column, which must be the wanted one.
fn marker(input: &[u8], wanted: TypeId) -> Parsed<'_, ()> {
    match byte(input)? {
        (rest, type_id) if type_id == wanted.0 => Ok((rest, ())),
        _ => malformed(input),
    }
}

/// The row and the id of the first rotation in a column whose id is unknown, and the number of such rotations.
pub(crate) fn odd_rotation(type_id: TypeId, values: &[u8], count: usize) -> Option<(u32, u8, u32)> {
    let (mut rest, floats) = match type_id {
        TypeId::CFRAME => (values, 9),
        TypeId::CFRAME_QUAT => (values, 4),
        TypeId::OPTIONAL_CFRAME => (values.get(1..)?, 9),
        _ => return None,
    };
    let mut found: Option<(u32, u8, u32)> = None;
    for row in (0_u32..).take(count) {
        let (&id, after) = rest.split_first()?;
        if id != 0 && id != rotation::IDENTITY && rotation::axes(id).is_none() {
            let (.., odd) = found.get_or_insert((row, id, 0));
            *odd = odd.saturating_add(1);
        }
        rest = if id == 0 { after.get(size_of::<f32>().saturating_mul(floats)..)? } else { after };
    }
    found
}
