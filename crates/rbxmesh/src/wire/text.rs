//! 1.00 and 1.01: a line with the number of faces, then nine triples of numbers per face, such as
//! `[0.5,-1,1.5e-07]`: position, normal and texture coordinate of each of three vertices.

use std::sync::Arc;

use geom::Vec2;
use nom::Parser;
use nom::character::complete::{digit1, line_ending, multispace0};
use nom::combinator::opt;
use nom::error::context;

use crate::consts::Version;
use crate::model::{Mesh, Vertex};
use crate::wire::number;
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Problem, Refuse as _, Result, taken};

/// The minimum size of a face, in bytes: nine times `[0,0,0]`.
const MIN_FACE: usize = 9 * 7;

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let (input, count) = context("faces", read_count).parse(start)?;
    if count > input.len() / MIN_FACE {
        // The error is at the end of the input, where the faces are missing.
        return Err(Fail::end_of(input)).field("faces");
    }
    let corners = count.checked_mul(3).ok_or_else(|| Fail::end_of(input))?;
    let scale = scale(version);
    let mut vertices = budget.vec(corners).here(input)?;
    // Most files contain only zeros here, and then there is no column.
    let mut texture_w: Vec<f32> = Vec::new();
    let mut rest = input;
    for corner in 0..corners {
        let (after, [position, normal, [u, v, w]]) = read_corner(rest).index(corner).field("vertices")?;
        rest = after;
        vertices.push(Vertex {
            position: position.map(|number| number * scale).into(),
            normal: normal.into(),
            uv: Vec2::new(u, 1.0 - v),
            ..Vertex::default()
        });
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
    mesh.layout.text = Arc::new(budget.copy(taken(start, rest)).here(rest)?);
    mesh.layout.trailing = budget.copy(rest).here(rest)?;
    Ok((&[], mesh))
}

/// The number of faces, and the end of its line.
fn read_count(input: &[u8]) -> Parsed<'_, usize> {
    let (input, _) = multispace0(input)?;
    if input.first().is_some_and(|byte| !byte.is_ascii_digit()) {
        return Err(Fail::invalid(input, format!("expected the number of faces, found {}", shown(input))));
    }
    let (rest, digits) = digit1(input)?;
    // A count that does not fit into a `usize` is too large for any input.
    let count = digits
        .iter()
        .fold(0_usize, |count, digit| count.saturating_mul(10).saturating_add(usize::from(digit & 0xf)));
    let (rest, _) = opt(line_ending).parse(rest)?;
    Ok((rest, count))
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

/// The upward v of each corner in the text that a mesh was read from.
pub(crate) fn stored_v(text: &[u8]) -> impl Iterator<Item = f32> {
    let mut rest = read_count(text).map_or(&[][..], |(rest, _)| rest);
    std::iter::from_fn(move || {
        let (after, [_, _, [_, v, _]]) = read_corner(rest).ok()?;
        rest = after;
        Some(v)
    })
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

/// Writes a mesh in which each face has the next three vertices. A triple of the original text is copied while it still
/// means the same.
pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    let Mesh { version, vertices, faces, texture_w, layout, .. } = mesh;
    if !texture_w.is_empty() {
        Problem::length("w components of texture coordinates", texture_w.len(), vertices.len())
            .unwritable("texture_w")?;
    }
    // At least 40 bytes per vertex; in real files, it takes about 70.
    out.reserve(layout.text.len().max(size_of_val(&**vertices)));
    let mut old = match read_count(&layout.text) {
        Ok((rest, count)) if count == faces.len() => {
            out.extend_from_slice(taken(&layout.text, rest));
            rest
        }
        other => {
            out.extend_from_slice(faces.len().to_string().as_bytes());
            out.extend_from_slice(if layout.crlf { b"\r\n" } else { b"\n" });
            other.map_or(&[][..], |(rest, _)| rest)
        }
    };
    let scale = scale(*version);
    for (index, &Vertex { position, normal, uv, .. }) in vertices.iter().enumerate() {
        let position = position.to_array();
        let stored = position.map(|number| number / scale);
        if position.iter().zip(&stored).any(|(number, stored)| number.is_finite() && !stored.is_finite()) {
            let what = "a coordinate that is too large for version 1.00, which stores twice its value \
                        (convert to version 1.01)";
            return Err(Error::unwritable(format!("vertices[{index}].position"), what));
        }
        let w = texture_w.get(index).copied().unwrap_or_default();
        let normal = normal.to_array();
        old = write_triple(old, position, stored, |triple| triple.map(|number| number * scale), out);
        old = write_triple(old, normal, normal, |triple| triple, out);
        old = write_triple(old, [uv.x, uv.y, w], [uv.x, 1.0 - uv.y, w], |[u, v, w]| [u, 1.0 - v, w], out);
    }
    out.extend_from_slice(&layout.trailing);
    Ok(())
}

/// Writes a triple, and returns the original text after it: the next triple of it is copied if it still `means` what is
/// wanted, otherwise its numbers that do are.
#[inline]
fn write_triple<'a>(
    old: &'a [u8],
    wanted: [f32; 3],
    mut stored: [f32; 3],
    means: impl Fn([f32; 3]) -> [f32; 3],
    out: &mut Vec<u8>,
) -> &'a [u8] {
    let (mut rest, mut is_same) = (old, false);
    if let Ok((after, triple)) = read_triple(old) {
        (rest, is_same) = (after, true);
        for ((was, stored), (means, wanted)) in
            triple.into_iter().zip(&mut stored).zip(means(triple).into_iter().zip(wanted))
        {
            match means.to_bits() == wanted.to_bits() {
                // Turning a v twice loses bits.
                true => *stored = was,
                false => is_same = false,
            }
        }
    }
    let text = taken(old, rest);
    if is_same {
        out.extend_from_slice(text);
        return rest;
    }
    let space = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    out.extend_from_slice(text.get(..space).unwrap_or_default());
    for (number, before) in stored.into_iter().zip(*b"[,,") {
        out.push(before);
        number::write(number, out);
    }
    out.push(b']');
    rest
}
