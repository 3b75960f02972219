//! Facial animation: a block with sizes, two tables of names, six matrices and the correctives. The chunk `FACS` is
//! the u32 size of the block, and the block.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u32;

use crate::model::{Facs, Mesh, Names, QuantizedMatrix, Samples, Transforms, UnknownFacs};
use crate::wire::record::{Field as _, array, record, write_array};
use crate::wire::sizes::{blob, count, write_sized};
use geom::wire::{At, Counted, Error, ErrorKind, Fail, Parsed, Problem, Result};

/// The known format of the block.
const FORMAT: u32 = 1;

record! {
    /// The sizes of the parts that follow, in bytes.
    struct Sizes {
        face_bones_len: u32,
        controls_len: u32,
        transforms_len: u64,
        two_pose_len: u32,
        three_pose_len: u32,
    }
}

record! {
    /// The header of a matrix.
    struct MatrixHead { version: u16, rows: u32, columns: u32 }
}

record! {
    /// The range of the numbers in a matrix of version 2.
    struct Range { min: f32, max: f32 }
}

pub(crate) fn read<'a>(mesh: &mut Mesh, input: &'a [u8]) -> Parsed<'a, ()> {
    let (input, size) = context("size", le_u32).parse(input)?;
    let (rest, block) = context("block", |input| blob(input, size)).parse(input)?;
    read_block(mesh, block, FORMAT)?;
    Ok((rest, ()))
}

/// Reads a block of a format, or keeps its bytes if the format is unknown.
pub(crate) fn read_block<'a>(
    mesh: &mut Mesh,
    block: &'a [u8],
    format: u32,
) -> Result<(), nom::Err<Fail<'a>>> {
    if format == FORMAT {
        if block.is_empty() {
            return Ok(());
        }
        match read_known(block).field("facs") {
            Ok((_, facs)) => {
                mesh.facs = Some(facs);
                return Ok(());
            }
            // Unknown blocks are kept; malformed blocks are errors.
            Err(nom::Err::Error(fail)) if matches!(fail.kind(), ErrorKind::Unsupported(_)) => {}
            Err(error) => return Err(error),
        }
    }
    mesh.layout.facs_unknown = Some(UnknownFacs { format, bytes: block.to_vec() });
    Ok(())
}

/// Reads a whole block. The error is `Unsupported` if the version of a matrix is not known.
fn read_known(block: &[u8]) -> Parsed<'_, Facs> {
    let (input, sizes) = Sizes::read(block)?;
    let (input, bones) = blob(input, sizes.face_bones_len).field("face_bones")?;
    let (input, controls) = blob(input, sizes.controls_len).field("controls")?;
    let (input, transforms) = blob(input, sizes.transforms_len).field("transforms")?;
    let transforms = read_transforms(transforms).field("transforms")?.1;
    let (input, two) = blob(input, sizes.two_pose_len).field("two_pose")?;
    let two_pose = read_correctives(two).field("two_pose")?.1;
    let (input, three) = blob(input, sizes.three_pose_len).field("three_pose")?;
    let three_pose = read_correctives(three).field("three_pose")?.1;
    let facs = Facs {
        face_bones: Names { bytes: bones.into() },
        controls: Names { bytes: controls.into() },
        transforms,
        two_pose,
        three_pose,
        trailing: input.to_vec(),
    };
    Ok((&[], facs))
}

fn read_correctives<const N: usize>(bytes: &[u8]) -> Parsed<'_, Vec<[u16; N]>> {
    let size = size_of::<[u16; N]>();
    match bytes.chunks_exact(size) {
        whole if whole.remainder().is_empty() => array::<[u16; N]>(whole.len())(bytes),
        _ => Err(Fail::invalid(
            bytes,
            format!("expected a number of bytes that is a multiple of {size}, found {}", bytes.len()),
        )),
    }
}

fn read_transforms(input: &[u8]) -> Parsed<'_, Option<Transforms>> {
    if input.is_empty() {
        return Ok((input, None));
    }
    let mut transforms = Transforms::default();
    let Transforms { position, rotation } = &mut transforms;
    let mut input = input;
    for (name, matrices) in [("position", position), ("rotation", rotation)] {
        for (index, matrix) in matrices.iter_mut().enumerate() {
            (input, *matrix) = read_matrix(input).index(index).field(name)?;
        }
    }
    if !input.is_empty() {
        let bytes = Counted::new(input.len(), "unexpected bytes");
        return Err(Fail::invalid(input, format!("{bytes} after the six matrices of the facial animation")));
    }
    Ok((input, Some(transforms)))
}

/// Reads a matrix: the header; in version 1, an f32 per number; in version 2, the range, and a u16 per number.
fn read_matrix(start: &[u8]) -> Parsed<'_, QuantizedMatrix> {
    let (input, MatrixHead { version, rows, columns }) = MatrixHead::read(start)?;
    let count = (rows as usize).checked_mul(columns as usize).ok_or_else(|| Fail::end_of(input))?;
    let (input, samples) = match version {
        1 => context("samples", array::<f32>(count)).map(Samples::Float).parse(input)?,
        2 => {
            let (input, Range { min, max }) = Range::read(input)?;
            let (input, steps) = context("samples", array::<u16>(count)).parse(input)?;
            (input, Samples::Quantized { min, max, steps })
        }
        other => {
            return Err(Fail::unsupported(start, Problem::version("matrix", other, "1 and 2")))
                .field("version");
        }
    };
    Ok((input, QuantizedMatrix { rows, columns, samples }))
}

/// The format of the block, for the header of 5.00.
pub(crate) fn format(mesh: &Mesh) -> u32 {
    let unknown = mesh.layout.facs_unknown.as_ref().filter(|_| mesh.facs.is_none());
    unknown.map_or(FORMAT, |unknown| unknown.format)
}

pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    write_sized(out, "facs", |out| write_block(mesh, out))
}

/// Writes the block, if the mesh has one.
pub(crate) fn write_block(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    match (&mesh.facs, &mesh.layout.facs_unknown) {
        (Some(facs), _) => write_known(facs, out),
        (None, Some(unknown)) => {
            // Refuses bytes that would be read back as known facial animation, or not at all.
            let mut read = Mesh::default();
            let result = read_block(&mut read, &unknown.bytes, unknown.format);
            let known = "bytes of facial animation in the known format (set `facs` instead)";
            let refused = match result {
                Err(_) => Some("malformed bytes of facial animation (set `facs` instead)"),
                Ok(()) => read.facs.is_some().then_some(known),
            };
            if let Some(what) = refused {
                return Err(Error::unwritable("layout.facs_unknown", what));
            }
            out.extend_from_slice(&unknown.bytes);
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

fn write_known(facs: &Facs, out: &mut Vec<u8>) -> Result<()> {
    let Facs { face_bones, controls, transforms, two_pose, three_pose, trailing } = facs;
    let mut matrices = Vec::new();
    if let Some(Transforms { position, rotation }) = transforms {
        for (name, three) in [("position", position), ("rotation", rotation)] {
            for (index, matrix) in three.iter().enumerate() {
                let path = || format!("facs.transforms.{name}[{index}].samples");
                write_matrix(matrix, path, &mut matrices)?;
            }
        }
    }
    let sizes = Sizes {
        face_bones_len: count(face_bones.bytes.len(), "facs.face_bones")?,
        controls_len: count(controls.bytes.len(), "facs.controls")?,
        transforms_len: matrices.len() as u64,
        two_pose_len: count(size_of_val(&**two_pose), "facs.two_pose")?,
        three_pose_len: count(size_of_val(&**three_pose), "facs.three_pose")?,
    };
    // One allocation, since the lists can be long, and growing would copy those already written.
    let lists = [size_of_val(&**two_pose), size_of_val(&**three_pose)];
    let bytes = [face_bones.bytes.len(), controls.bytes.len(), matrices.len(), trailing.len()];
    let sizes_len = size_of::<Sizes>();
    out.reserve_exact(lists.iter().chain(&bytes).fold(sizes_len, |sum, &len| sum.saturating_add(len)));
    Sizes::append(&sizes, out);
    out.extend_from_slice(&face_bones.bytes);
    out.extend_from_slice(&controls.bytes);
    out.extend_from_slice(&matrices);
    write_array::<[u16; 2]>(two_pose, out);
    write_array::<[u16; 3]>(three_pose, out);
    out.extend_from_slice(trailing);
    Ok(())
}

fn write_matrix(matrix: &QuantizedMatrix, path: impl Fn() -> String, out: &mut Vec<u8>) -> Result<()> {
    let &QuantizedMatrix { rows, columns, ref samples } = matrix;
    let (version, len) = match samples {
        Samples::Float(values) => (1, values.len()),
        Samples::Quantized { steps, .. } => (2, steps.len()),
    };
    if (rows as usize).checked_mul(columns as usize) != Some(len) {
        return Err(Error::unwritable(
            path(),
            format!("a matrix of {rows} × {columns} numbers that contains {len} numbers"),
        ));
    }
    MatrixHead::append(&MatrixHead { version, rows, columns }, out);
    match samples {
        Samples::Float(values) => write_array::<f32>(values, out),
        &Samples::Quantized { min, max, ref steps } => {
            Range::append(&Range { min, max }, out);
            write_array::<u16>(steps, out);
        }
    }
    Ok(())
}
