//! CFrames: first the rotations, row by row, then the positions as three arrays.
//!
//! | bytes | what |
//! |---|---|
//! | u8 | rotation id |
//! | 9 × f32 | only where the id is 0: the matrix row by row (CFrameQuat: 4 × f32, x y z w) |
//! | … | for each value |
//! | f32s | all x, all y, all z; interleaved, in Roblox's form |

use geom::{Mat3, Quat, Vec3};
use nom::number::complete::u8 as byte;

use crate::error::Result;
use crate::limits::Budget;
use crate::model::{CFrame, CFrameQuat, CFrameQuats, CFrames, rotation};
use crate::wire::column::{Wire, space};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::interleave::{f32s, put_f32s, records};

/// The least that a value takes: an id and a position.
const LEAST: usize = 13;

/// A rotation by its id, or as `N` floats where the id is 0.
#[inline]
fn rotation<const N: usize>(input: &[u8]) -> Parsed<'_, (u8, [f32; N])> {
    let (input, id) = match input.split_first() {
        Some((&id, rest)) if id != 0 => return Ok((rest, (id, [0.0; N]))),
        _ => byte(input)?,
    };
    let (rest, bytes) = records(input, N, 4)?;
    let mut floats = bytes.as_chunks().0.iter().map(|&float| f32::from_le_bytes(float));
    Ok((rest, (id, std::array::from_fn(|_| floats.next().unwrap_or_default()))))
}

/// The three components of `count` positions, put where `component` is.
fn positions<'a, T>(
    input: &'a [u8],
    values: &mut [T],
    component: impl Fn(&mut T) -> &mut Vec3,
) -> Parsed<'a, ()> {
    let (input, x) = f32s(input, values.len()).field("x")?;
    values.iter_mut().zip(x).for_each(|(value, x)| component(value).x = x);
    let (input, y) = f32s(input, values.len()).field("y")?;
    values.iter_mut().zip(y).for_each(|(value, y)| component(value).y = y);
    let (input, z) = f32s(input, values.len()).field("z")?;
    values.iter_mut().zip(z).for_each(|(value, z)| component(value).z = z);
    Ok((input, ()))
}

fn check_len(input: &[u8], count: usize) -> Result<(), nom::Err<Fail<'_>>> {
    match count.checked_mul(LEAST) {
        Some(least) if least <= input.len() => Ok(()),
        _ => Err(Fail::end_of(input)),
    }
}

impl Wire for CFrames {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        check_len(input, count)?;
        let mut values: Vec<CFrame> = space(count, budget).here(input)?;
        let mut ids: Vec<u8> = space(count, budget).here(input)?;
        let mut rest = input;
        // Neighbours are turned alike most of the time.
        let mut last = (rotation::IDENTITY, Mat3::IDENTITY);
        for index in 0..count {
            let (after, (id, rows)) = rotation(rest).field("rotation").index(index)?;
            let rotation = match id {
                0 => Mat3::from_rows(rows),
                _ if id == last.0 => last.1,
                _ => {
                    // An id of no rotation is kept, and means the identity.
                    last = (id, rotation::matrix(id).unwrap_or_default());
                    last.1
                }
            };
            values.push(CFrame { rotation, position: Vec3::default() });
            ids.push(id);
            rest = after;
        }
        let (rest, ()) = positions(rest, &mut values, |value| &mut value.position).field("position")?;
        Ok((rest, Self { values, ids }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        for (index, value) in self.values.iter().enumerate() {
            let id = self.id(index, value);
            out.push(id);
            if id == 0 {
                out.extend_from_slice(value.rotation.to_rows().map(f32::to_le_bytes).as_flattened());
            }
        }
        write_positions(self.values.iter().map(|value| value.position), out);
        Ok(())
    }
}

impl Wire for CFrameQuats {
    fn read<'a>(input: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Self> {
        check_len(input, count)?;
        let mut values: Vec<CFrameQuat> = space(count, budget).here(input)?;
        let mut ids: Vec<u8> = space(count, budget).here(input)?;
        let mut rest = input;
        for index in 0..count {
            let (after, (id, parts)) = rotation(rest).field("rotation").index(index)?;
            let rotation = match id {
                0 => Quat::from(parts),
                _ => rotation::quaternion(id).unwrap_or(Quat::IDENTITY),
            };
            values.push(CFrameQuat { rotation, position: Vec3::default() });
            ids.push(id);
            rest = after;
        }
        let (rest, ()) = positions(rest, &mut values, |value| &mut value.position).field("position")?;
        Ok((rest, Self { values, ids }))
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        for (index, value) in self.values.iter().enumerate() {
            let id = self.id(index, value);
            out.push(id);
            if id == 0 {
                out.extend_from_slice(value.rotation.to_array().map(f32::to_le_bytes).as_flattened());
            }
        }
        write_positions(self.values.iter().map(|value| value.position), out);
        Ok(())
    }
}

fn write_positions(positions: impl Iterator<Item = Vec3> + Clone, out: &mut Vec<u8>) {
    put_f32s(positions.clone().map(|position| position.x), out);
    put_f32s(positions.clone().map(|position| position.y), out);
    put_f32s(positions.map(|position| position.z), out);
}
