//! Facial animation: sizes, two tables of names, six matrices and the correctives.
//!
//! | field | |
//! |---|---|
//! | u32 | bytes of face bone names |
//! | u32 | bytes of control names |
//! | u64 | bytes of the six matrices |
//! | u32 | bytes of two-pose correctives, 4 each |
//! | u32 | bytes of three-pose correctives, 6 each |
//! | | the five parts in this order |

use nom::Parser;
use nom::bytes::complete::take;
use nom::error::context;
use nom::number::complete::{le_f32, le_u16, le_u32, le_u64};

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{Facs, Names, QuantizedMatrix, Samples, Transforms};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::record::Field;
use crate::wire::{array, blob, count};

/// A whole block. `Unsupported` where a matrix is of a version that is not known: the caller keeps
/// the bytes.
pub(crate) fn read<'a>(block: &'a [u8], budget: &mut Budget) -> Parsed<'a, Facs> {
    let (input, bones_len) = context("face_bones_len", le_u32).parse(block)?;
    let (input, controls_len) = context("controls_len", le_u32).parse(input)?;
    let (input, transforms_len) = context("transforms_len", le_u64).parse(input)?;
    let (input, two_len) = context("two_pose_len", le_u32).parse(input)?;
    let (input, three_len) = context("three_pose_len", le_u32).parse(input)?;

    let (input, bones) = blob(input, bones_len).field("face_bones")?;
    let (input, controls) = blob(input, controls_len).field("controls")?;
    let (input, transforms) = blob(input, transforms_len).field("transforms")?;
    let transforms = read_transforms(transforms, budget).field("transforms")?.1;
    let (input, two) = blob(input, two_len).field("two_pose")?;
    let two_pose = correctives::<4, 2>(two, budget).field("two_pose")?.1;
    let (input, three) = blob(input, three_len).field("three_pose")?;
    let three_pose = correctives::<6, 3>(three, budget).field("three_pose")?.1;

    let facs = Facs {
        face_bones: Names { bytes: budget.copy(bones).here(input)?.into() },
        controls: Names { bytes: budget.copy(controls).here(input)?.into() },
        transforms,
        two_pose,
        three_pose,
        trailing: budget.copy(input).here(input)?,
    };
    Ok((&[], facs))
}

fn correctives<'a, const N: usize, const M: usize>(
    bytes: &'a [u8],
    budget: &mut Budget,
) -> Parsed<'a, Vec<[u16; M]>> {
    let (chunks, left_over) = bytes.as_chunks::<N>();
    if !left_over.is_empty() {
        return Err(Fail::invalid(bytes, format!("size {} is not a multiple of {N}", bytes.len())));
    }
    let mut correctives = budget.vec(chunks.len()).here(bytes)?;
    correctives.extend(chunks.iter().map(|chunk| <[u16; M]>::get(&mut chunk.as_slice())));
    Ok((&[], correctives))
}

fn read_transforms<'a>(input: &'a [u8], budget: &mut Budget) -> Parsed<'a, Option<Transforms>> {
    if input.is_empty() {
        return Ok((input, None));
    }
    let mut transforms = Transforms::default();
    let Transforms { position, rotation } = &mut transforms;
    let mut input = input;
    for (index, matrix) in position.iter_mut().chain(rotation).enumerate() {
        (input, *matrix) = read_matrix(input, budget).index(index)?;
    }
    if !input.is_empty() {
        return Err(Fail::invalid(input, format!("{} bytes behind the sixth matrix", input.len())));
    }
    Ok((input, Some(transforms)))
}

/// | u16 version | u32 rows | u32 columns | version 1: f32 each | version 2: f32 min, f32 max, u16 each |
fn read_matrix<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, QuantizedMatrix> {
    let (input, version) = context("version", le_u16).parse(start)?;
    let (input, rows) = context("rows", le_u32).parse(input)?;
    let (input, columns) = context("columns", le_u32).parse(input)?;
    let count = (rows as usize).saturating_mul(columns as usize);
    let (input, samples) = match version {
        1 => {
            let (input, bits) = array::read::<u32, 4>(input, count, budget).field("samples")?;
            let mut values = budget.vec(bits.len()).here(input)?;
            values.extend(bits.into_iter().map(f32::from_bits));
            (input, Samples::Float(values))
        }
        2 => {
            let (input, min) = context("min", le_f32).parse(input)?;
            let (input, max) = context("max", le_f32).parse(input)?;
            let (input, bytes) = context("samples", take(count.saturating_mul(2))).parse(input)?;
            let mut steps = budget.vec(count).here(input)?;
            steps.extend(bytes.as_chunks().0.iter().map(|&step| u16::from_le_bytes(step)));
            (input, Samples::Quantized { min, max, steps })
        }
        other => return Err(Fail::unsupported(start, format!("matrix version {other}"))).field("version"),
    };
    Ok((input, QuantizedMatrix { rows, columns, samples }))
}

pub(crate) fn write(facs: &Facs, out: &mut Vec<u8>) -> Result<()> {
    let mut matrices = Vec::new();
    if let Some(Transforms { position, rotation }) = &facs.transforms {
        for (index, matrix) in position.iter().chain(rotation).enumerate() {
            write_matrix(matrix, index, &mut matrices)?;
        }
    }
    out.extend(count(facs.face_bones.bytes.len(), "facs.face_bones")?.to_le_bytes());
    out.extend(count(facs.controls.bytes.len(), "facs.controls")?.to_le_bytes());
    out.extend((matrices.len() as u64).to_le_bytes());
    out.extend(count(facs.two_pose.len().saturating_mul(4), "facs.two_pose")?.to_le_bytes());
    out.extend(count(facs.three_pose.len().saturating_mul(6), "facs.three_pose")?.to_le_bytes());
    out.extend_from_slice(&facs.face_bones.bytes);
    out.extend_from_slice(&facs.controls.bytes);
    out.extend_from_slice(&matrices);
    out.extend(facs.two_pose.iter().flatten().flat_map(|control| control.to_le_bytes()));
    out.extend(facs.three_pose.iter().flatten().flat_map(|control| control.to_le_bytes()));
    out.extend_from_slice(&facs.trailing);
    Ok(())
}

fn write_matrix(matrix: &QuantizedMatrix, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let QuantizedMatrix { rows, columns, samples } = matrix;
    let (version, len) = match samples {
        Samples::Float(values) => (1_u16, values.len()),
        Samples::Quantized { steps, .. } => (2_u16, steps.len()),
    };
    if (*rows as usize).saturating_mul(*columns as usize) != len {
        return Err(Error::unwritable(
            format!("facs.transforms[{index}].samples"),
            format!("{len} numbers in {rows} rows of {columns} columns"),
        ));
    }
    out.extend(version.to_le_bytes());
    out.extend(rows.to_le_bytes());
    out.extend(columns.to_le_bytes());
    match samples {
        Samples::Float(values) => {
            out.extend_from_slice(
                values.iter().map(|value| value.to_le_bytes()).collect::<Vec<_>>().as_flattened(),
            );
        }
        Samples::Quantized { min, max, steps } => {
            out.extend(min.to_le_bytes());
            out.extend(max.to_le_bytes());
            out.extend_from_slice(
                steps.iter().map(|step| step.to_le_bytes()).collect::<Vec<_>>().as_flattened(),
            );
        }
    }
    Ok(())
}

/// Whether a failure means "not known" rather than "broken".
pub(crate) fn is_unknown(error: &nom::Err<Fail<'_>>) -> bool {
    match error {
        nom::Err::Error(fail) | nom::Err::Failure(fail) => matches!(fail.kind(), ErrorKind::Unsupported(_)),
        nom::Err::Incomplete(_) => false,
    }
}
