//! The triangles.

use nom::Parser;
use nom::error::context;
use nom::number::complete::le_u8;

use crate::wire::draco::bits::{read_varint, write_varint};
use crate::wire::draco::symbols;
use crate::wire::record::{Face, Field as _, take_records, write_array};
use crate::wire::sizes::count;
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Result};

const COMPRESSED: u8 = 0;
const PLAIN: u8 = 1;

/// The storage of an index, which depends on the number of points of a stream.
#[derive(Clone, Copy, Debug)]
enum Width {
    One,
    Two,
    Varint,
    Four,
}

impl Width {
    fn of(points: u32) -> Self {
        match points {
            0..0x100 => Self::One,
            0x100..0x1_0000 => Self::Two,
            0x1_0000..0x20_0000 => Self::Varint,
            _ => Self::Four,
        }
    }

    /// The minimum size of a face, in bytes.
    fn least(self) -> usize {
        match self {
            Self::One | Self::Varint => 3,
            Self::Two => 6,
            Self::Four => 12,
        }
    }
}

/// The triangles of a stream, and the number of its points.
#[derive(Debug)]
pub(crate) struct Faces {
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) points: u32,
    pub(crate) compressed: bool,
}

/// | size | what |
/// |---|---|
/// | varint | faces |
/// | varint | points |
/// | 1 | 0 compressed, 1 plain |
/// | ... | three indices per face |
///
/// Plain indices are u8 if there are fewer than 256 points, u16 if fewer than 65,536, varint if fewer
/// than 2,097,152, otherwise u32.
pub(crate) fn read<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, Faces> {
    let (input, faces) = context("count", read_varint).parse(start)?;
    let (input, points) = context("points", read_varint).parse(input)?;
    let (body, coding) = context("coding", le_u8).parse(input)?;
    let count = faces as usize;
    let compressed = coding == COMPRESSED;
    let (rest, faces) = match coding {
        COMPRESSED => read_compressed(body, count, budget),
        PLAIN => read_plain(body, count, Width::of(points), budget),
        other => {
            return Err(Fail::unsupported(input, format!("Draco face encoding {other} (expected 0 or 1)")));
        }
    }?;
    Ok((rest, Faces { faces, points, compressed }))
}

fn read_plain<'a>(
    start: &'a [u8],
    count: usize,
    width: Width,
    budget: &mut Budget,
) -> Parsed<'a, Vec<[u32; 3]>> {
    let (rest, bytes) = take_records(start, count, width.least())?;
    let mut faces = budget.vec(count).here(start)?;
    match width {
        Width::One => faces.extend(bytes.as_chunks::<3>().0.iter().map(|face| face.map(u32::from))),
        Width::Two => faces.extend(bytes.as_chunks::<6>().0.iter().map(|&[a, b, c, d, e, f]| {
            [[a, b], [c, d], [e, f]].map(|bytes| u32::from(u16::from_le_bytes(bytes)))
        })),
        Width::Four => Face::get_all(bytes, &mut faces),
        Width::Varint => {
            let mut input = start;
            for index in 0..count {
                let mut face = [0; 3];
                for corner in &mut face {
                    (input, *corner) = read_varint(input).index(index)?;
                }
                faces.push(face);
            }
            return Ok((input, faces));
        }
    }
    Ok((rest, faces))
}

/// Reads each index as its difference from the previous one; the lowest bit of a symbol is the sign.
fn read_compressed<'a>(start: &'a [u8], count: usize, budget: &mut Budget) -> Parsed<'a, Vec<[u32; 3]>> {
    budget.take_values::<[u32; 3]>(count).here(start)?;
    let corners = count.checked_mul(3).ok_or_else(|| Fail::end_of(start))?;
    let mut faces: Vec<[u32; 3]> = budget.vec(count).here(start)?;
    let mut values = vec![0_u32; corners];
    let (rest, _) = symbols::read(start, &mut values, 1, budget)?;
    let mut last = 0_u32;
    for (index, &face) in values.as_chunks::<3>().0.iter().enumerate() {
        let mut corners = face;
        for corner in &mut corners {
            let far = *corner >> 1;
            let next = if *corner & 1 == 0 { last.checked_add(far) } else { last.checked_sub(far) };
            let Some(next) = next else {
                return Err(Fail::invalid(
                    start,
                    "a vertex index, stored as a difference, is outside 0 to 4294967295",
                ))
                .index(index);
            };
            (last, *corner) = (next, next);
        }
        faces.push(corners);
    }
    Ok((rest, faces))
}

/// Writes the triangles: compressed if requested, unless two indices are too far apart for a symbol.
pub(crate) fn write(faces: &[[u32; 3]], points: u32, compressed: bool, out: &mut Vec<u8>) -> Result<()> {
    write_varint(count(faces.len(), "faces")?, out);
    write_varint(points, out);
    if let Some(symbols) = compressed.then(|| symbols(faces)).flatten() {
        out.push(COMPRESSED);
        symbols::write(&symbols, 1, out);
        return Ok(());
    }
    out.push(PLAIN);
    let width = Width::of(points);
    let most = match width {
        Width::One => 0xff,
        Width::Two => 0xffff,
        Width::Varint | Width::Four => u32::MAX,
    };
    let large = |face: &[u32; 3]| face.iter().copied().find(|&corner| corner > most);
    if let Some((face, corner)) = faces.iter().enumerate().find_map(|(at, face)| Some((at, large(face)?))) {
        let what = format!(
            "the vertex index {corner}, which is out of range: the mesh has {points} vertices (remove the face)"
        );
        return Err(Error::unwritable(format!("faces[{face}]"), what));
    }
    let corners = faces.as_flattened().iter();
    match width {
        Width::One => out.extend(corners.map(|corner| corner.to_le_bytes()[0])),
        Width::Two => {
            let pairs = corners.map(|corner| {
                let [a, b, ..] = corner.to_le_bytes();
                [a, b]
            });
            out.extend_from_slice(pairs.collect::<Vec<_>>().as_flattened());
        }
        Width::Varint => corners.for_each(|&corner| write_varint(corner, out)),
        Width::Four => write_array::<Face>(faces, out),
    }
    Ok(())
}

/// The symbols that [`read_compressed`] reads; `None` if a difference is too large.
fn symbols(faces: &[[u32; 3]]) -> Option<Vec<u32>> {
    let mut last = 0_u32;
    let differences = faces.iter().flatten().map(|&corner| {
        let far = corner.abs_diff(last);
        let down = u32::from(corner < last);
        last = corner;
        (far >> 31 == 0).then_some(far << 1 | down)
    });
    differences.collect()
}
