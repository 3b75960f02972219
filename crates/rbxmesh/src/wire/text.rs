//! 1.00 and 1.01: a line with the number of faces, then nine triples of numbers per face, such as
//! `[0.5,-1,1.5e-07]`: position, normal and texture coordinate of each of three vertices.

use geom::Vec2;
use nom::Parser;
use nom::character::complete::{digit1, line_ending, multispace0};
use nom::combinator::opt;
use nom::error::context;

use crate::consts::Version;
use crate::model::{Mesh, Vertex};
use crate::wire::number;
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Problem, Refuse as _, Result};

/// The minimum size of a face, in bytes: nine times `[0,0,0]`.
const MIN_FACE: usize = 9 * 7;

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let (input, (count, crlf)) = context("faces", read_count).parse(start)?;
    if count > input.len() / MIN_FACE {
        // The error is at the end of the input, where the faces are missing.
        return Err(Fail::end_of(input)).field("faces");
    }
    let corners = count.checked_mul(3).ok_or_else(|| Fail::end_of(input))?;
    let scale = scale(version);
    let mut vertices = budget.vec(corners).here(input)?;
    let mut texture_v = budget.vec(corners).here(input)?;
    // Most files contain only zeros here, and then there is no column.
    let mut texture_w: Vec<f32> = Vec::new();
    let mut rest = input;
    for corner in 0..corners {
        let (after, [position, normal, [u, v, w]]) = read_corner(rest).index(corner).field("vertices")?;
        rest = after;
        let uv = Vec2::new(u, 1.0 - v);
        vertices.push(Vertex {
            position: position.map(|number| number * scale).into(),
            normal: normal.into(),
            uv,
            ..Vertex::default()
        });
        texture_v.push(v);
        if w.to_bits() != 0 && texture_w.is_empty() {
            texture_w = budget.vec(corners).here(rest)?;
            texture_w.resize(corner, 0.0);
        }
        if texture_w.capacity() > 0 {
            texture_w.push(w);
        }
    }
    let mut faces = budget.vec(count).here(input)?;
    // An index has 32 bits.
    let mut corners = 0..u32::try_from(corners).map_err(|_| Fail::end_of(input)).field("faces")?;
    faces.extend(std::iter::from_fn(|| Some([corners.next()?, corners.next()?, corners.next()?])));
    let mut mesh = Mesh { version, vertices, faces, texture_w, ..Mesh::default() };
    mesh.layout.texture_v = texture_v;
    mesh.layout.crlf = crlf;
    mesh.layout.long_exponents = number::has_long_exponents(input);
    mesh.layout.trailing = budget.copy(rest).here(rest)?;
    Ok((&[], mesh))
}

/// The number of faces, and whether its line ends with CR LF.
fn read_count(input: &[u8]) -> Parsed<'_, (usize, bool)> {
    let (input, _) = multispace0(input)?;
    if input.first().is_some_and(|byte| !byte.is_ascii_digit()) {
        return Err(Fail::invalid(input, format!("expected the number of faces, found {}", shown(input))));
    }
    let (rest, digits) = digit1(input)?;
    // A count that does not fit into a `usize` is too large for any input.
    let count = digits
        .iter()
        .fold(0_usize, |count, digit| count.saturating_mul(10).saturating_add(usize::from(digit & 0xf)));
    let (rest, end) = opt(line_ending).parse(rest)?;
    Ok((rest, (count, end == Some(b"\r\n"))))
}

/// The first character of the input, as text for a message.
fn shown(input: &[u8]) -> String {
    match bstr::decode_utf8(input) {
        (Some(c), _) => format!("{c:?}"),
        (None, _) => format!("the byte {:#04x}", input.first().copied().unwrap_or_default()),
    }
}

/// The factor from positions in the file to those of the mesh: 1.00 stores them doubled.
fn scale(version: Version) -> f32 {
    if version == Version::V1_00 { 0.5 } else { 1.0 }
}

/// Reads a position, a normal and a texture coordinate.
#[inline]
fn read_corner(input: &[u8]) -> Parsed<'_, [[f32; 3]; 3]> {
    let (input, position) = read_triple(input).field("position")?;
    let (input, normal) = read_triple(input).field("normal")?;
    let (input, texture) = read_triple(input).field("uv")?;
    Ok((input, [position, normal, texture]))
}

#[inline]
fn read_triple(input: &[u8]) -> Parsed<'_, [f32; 3]> {
    match read_short_triple(input) {
        Some((triple, rest)) => Ok((rest, triple)),
        None => read_any_triple(input),
    }
}

/// Reads a triple of short numbers without white space.
#[inline]
fn read_short_triple(input: &[u8]) -> Option<([f32; 3], &[u8])> {
    let (x, input) = number::read_short(input.strip_prefix(b"[")?)?;
    let (y, input) = number::read_short(input.strip_prefix(b",")?)?;
    let (z, input) = number::read_short(input.strip_prefix(b",")?)?;
    Some(([x, y, z], input.strip_prefix(b"]")?))
}

fn read_any_triple(input: &[u8]) -> Parsed<'_, [f32; 3]> {
    let (input, x) = number::read(punctuation(input, b'[')?)?;
    let (input, y) = number::read(punctuation(input, b',')?)?;
    let (input, z) = number::read(punctuation(input, b',')?)?;
    Ok((punctuation(input, b']')?, [x, y, z]))
}

/// Reads one character, after any white space.
#[inline]
fn punctuation(input: &[u8], wanted: u8) -> Result<&[u8], nom::Err<Fail<'_>>> {
    match input.split_first() {
        Some((&first, rest)) if first == wanted => Ok(rest),
        _ => punctuation_after_space(input, wanted),
    }
}

#[cold]
fn punctuation_after_space(input: &[u8], wanted: u8) -> Result<&[u8], nom::Err<Fail<'_>>> {
    let input = input.trim_ascii_start();
    match input.split_first() {
        Some((&first, rest)) if first == wanted => Ok(rest),
        Some(_) => {
            let what = format!("expected {:?}, found {}", char::from(wanted), shown(input));
            Err(Fail::invalid(input, what))
        }
        None => Err(Fail::end(input)),
    }
}

/// Writes a mesh in which each face has the next three vertices.
pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    let Mesh { version, vertices, faces, texture_w, layout, .. } = mesh;
    if !texture_w.is_empty() {
        Problem::length("w components of texture coordinates", texture_w.len(), vertices.len())
            .unwritable("texture_w")?;
    }
    out.extend_from_slice(faces.len().to_string().as_bytes());
    out.extend_from_slice(if layout.crlf { b"\r\n" } else { b"\n" });
    // At least 40 bytes per vertex; in real files, it takes about 70.
    out.reserve(size_of_val(&**vertices));
    let print = number::Printer { long_exponents: layout.long_exponents };
    let scale = 1.0 / scale(*version);
    for (index, &Vertex { position, normal, uv, .. }) in vertices.iter().enumerate() {
        let stored = position.to_array().map(|number| number * scale);
        let doubled = |(number, stored): (f32, f32)| number.is_finite() && !stored.is_finite();
        if position.to_array().into_iter().zip(stored).any(doubled) {
            let what = "a coordinate that is too large for version 1.00, which stores twice its value \
                        (convert to version 1.01)";
            return Err(Error::unwritable(format!("vertices[{index}].position"), what));
        }
        let v = stored_v(uv.y, layout.texture_v.get(index).copied());
        let w = texture_w.get(index).copied().unwrap_or_default();
        for triple in [stored, normal.to_array(), [uv.x, v, w]] {
            print.triple(triple, out);
        }
    }
    out.extend_from_slice(&layout.trailing);
    Ok(())
}

/// The upward v that reads back as `y`: the original one; else one of six digits; else `1 - y`.
fn stored_v(y: f32, kept: Option<f32>) -> f32 {
    let reads_as_y = |v: &f32| (1.0 - v).to_bits() == y.to_bits();
    let turned = 1.0 - y;
    kept.filter(reads_as_y)
        .or_else(|| Some(number::to_six_digits(turned)).filter(reads_as_y))
        .unwrap_or(turned)
}
