//! Draco 2.2, as far as Roblox uses it: triangle meshes in sequential order.
//!
//! This module does not know the fields of a vertex: a stream has triangles and attributes, which are columns of one
//! value per point. The section about Draco in FORMAT.md documents the layout.

pub(crate) mod attribute;
pub(crate) mod bits;
pub(crate) mod faces;
mod metadata;
pub(crate) mod rans;
pub(crate) mod symbols;

use attribute::{Attribute, PLAIN, QUANTIZED, Scale, read_values, write_integers};
use bits::read_varint;
use faces::Faces;
use nom::Parser;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16};

use crate::wire::sizes::count;
use geom::wire::{At, Budget, Fail, Here, Parsed, Problem, Result, magic};

const MAGIC: &[u8; 5] = b"DRACO";
const VERSION: [u8; 2] = [2, 2];
const MESH: u8 = 1;
const SEQUENTIAL: u8 = 0;
const HAS_METADATA: u16 = 0x8000;

/// A stream up to the values of its attributes.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) compressed_faces: bool,
    pub(crate) points: usize,
    groups: Vec<Vec<Attribute>>,
}

/// The values of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    /// As little-endian bytes.
    Plain(&'a [u8]),
    /// Signed integers, as their bits.
    Integers(&'a [u32]),
    /// Numbers of steps, and the scale that turns them into values.
    Steps(&'a [u32], Scale<'a>),
}

/// Reads a stream up to the values of its attributes, which [`Stream::values`] reads.
pub(crate) fn read<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, Stream> {
    let (input, has_metadata) = context("header", read_header).parse(start)?;
    let (input, ()) = match has_metadata {
        true => metadata::skip(input).field("metadata")?,
        false => (input, ()),
    };
    let (input, Faces { faces, points, compressed }) = faces::read(input, budget).field("faces")?;
    let (input, decoders) = context("decoders", le_u8).parse(input)?;
    let (input, groups) = read_groups(input, decoders, budget)?;
    let points = points as usize;
    // Counts that exceed the input fail here, before memory is allocated for the points.
    let plain = groups.iter().flatten().filter(|attribute| attribute.coding == PLAIN);
    let plain = plain.map(Attribute::plain_size).try_fold(0, usize::checked_add);
    if plain.and_then(|plain| points.checked_mul(plain)).is_none_or(|bytes| bytes > input.len()) {
        return Err(Fail::end_of(input)).field("attributes");
    }
    Ok((input, Stream { faces, compressed_faces: compressed, points, groups }))
}

impl Stream {
    pub(crate) fn attributes(&self) -> impl Iterator<Item = &Attribute> + Clone {
        self.groups.iter().flatten()
    }

    /// Passes the index and the values of each attribute to `take`. Bytes after the last value have no meaning.
    pub(crate) fn values<'a>(
        &self,
        start: &'a [u8],
        budget: &mut Budget,
        mut take: impl FnMut(usize, Values<'_>),
    ) -> Parsed<'a, ()> {
        let mut input = start;
        let mut spare = Vec::new();
        let mut indices = 0_usize..;
        for group in &self.groups {
            let mut waiting = budget.vec(group.len()).here(input)?;
            for (attribute, index) in group.iter().zip(&mut indices) {
                let (rest, values) = read_values(input, attribute, self.points, &mut spare, budget)
                    .index(index)
                    .field("attributes")?;
                input = rest;
                match values {
                    attribute::Values::Plain(bytes) => take(index, Values::Plain(bytes)),
                    attribute::Values::Integers(steps) if attribute.coding == QUANTIZED => {
                        waiting.push((index, attribute, steps));
                    }
                    attribute::Values::Integers(integers) => {
                        take(index, Values::Integers(&integers));
                        spare = integers;
                    }
                }
            }
            for (index, attribute, steps) in waiting {
                let (rest, scale) = Scale::read(input, attribute.width).index(index).field("attributes")?;
                input = rest;
                take(index, Values::Steps(&steps, scale));
            }
        }
        Ok((input, ()))
    }
}

/// | size | what |
/// |---|---|
/// | 5 | `DRACO` |
/// | 2 | version: 2, 2 |
/// | 1 | 0 points alone, 1 triangles |
/// | 1 | 0 sequential, 1 EdgeBreaker (for points alone, a k-d tree) |
/// | 2 | flags: 0x8000 metadata follow |
fn read_header(start: &[u8]) -> Parsed<'_, bool> {
    let (input, ()) = magic(start, MAGIC, "not a Draco stream: expected \"DRACO\" at the start")?;
    let (rest, major) = le_u8(input)?;
    let (rest, minor) = le_u8(rest)?;
    if [major, minor] != VERSION {
        let what = Problem::version("Draco", format_args!("{major}.{minor}"), "2.2");
        return Err(Fail::unsupported(input, what));
    }
    let input = rest;
    let (rest, kind) = le_u8(input)?;
    let (end, method) = le_u8(rest)?;
    let (at, what) = match (kind, method) {
        (MESH, SEQUENTIAL) => {
            let (input, flags) = le_u16(end)?;
            return Ok((input, flags & HAS_METADATA != 0));
        }
        (0, 1) => (rest, "Draco point cloud with k-d tree encoding (expected a mesh)".into()),
        (0, _) => (input, "Draco point cloud (expected a mesh)".into()),
        (MESH, 1) => (rest, "Draco EdgeBreaker encoding (encode the mesh with the sequential method)".into()),
        (MESH, other) => (rest, format!("Draco connectivity encoding {other} (expected 0, sequential)")),
        (other, _) => (input, format!("Draco geometry type {other} (expected 1, a mesh)")),
    };
    Err(Fail::unsupported(at, what))
}

/// Reads the declarations of the attributes of each decoder.
///
/// | size | what |
/// |---|---|
/// | varint | the number of attributes |
/// | ... | the attributes |
/// | 1 per attribute | coding: 0 plain, 1 integer, 2 quantised, 3 normals as octahedron |
fn read_groups<'a>(start: &'a [u8], decoders: u8, budget: &mut Budget) -> Parsed<'a, Vec<Vec<Attribute>>> {
    let mut input = start;
    let mut groups = budget.vec(decoders.into()).here(start)?;
    let mut indices = 0_usize..;
    for _ in 0..decoders {
        let (rest, count) = context("attributes", read_varint).parse(input)?;
        input = rest;
        // An attribute takes at least six bytes.
        if count as usize > input.len() / 6 {
            return Err(Fail::end_of(input)).field("attributes");
        }
        let mut group: Vec<Attribute> = budget.vec(count as usize).here(input)?;
        for (_, index) in (0..count).zip(&mut indices) {
            let (rest, attribute) = Attribute::read(input).index(index).field("attributes")?;
            input = rest;
            group.push(attribute);
        }
        let first = indices.start.saturating_sub(group.len());
        for (index, attribute) in group.iter_mut().enumerate() {
            let index = first.saturating_add(index);
            (input, ()) = attribute.read_coding(input).index(index).field("attributes")?;
        }
        groups.push(group);
    }
    Ok((input, groups))
}

/// An attribute to write.
pub(crate) struct Column<'a> {
    /// Its purpose.
    pub(crate) kind: u8,
    /// The type of a component.
    pub(crate) data: u8,
    /// The number of components.
    pub(crate) width: u8,
    pub(crate) values: Written<'a>,
}

/// The values of an attribute to write, each with up to four components.
pub(crate) enum Written<'a> {
    /// Appends the bytes.
    Plain(&'a dyn Fn(&mut Vec<u8>)),
    /// Computes the integers, which are freed before the next attribute.
    Integers(&'a dyn Fn() -> Vec<[i32; 4]>),
    /// Numbers of steps, and the scale that turns them into values.
    Steps(&'a [[i32; 4]], Scale<'a>),
}

/// Writes a stream of triangles and attributes. The id of an attribute is its index.
pub(crate) fn write(
    points: usize,
    faces: &[[u32; 3]],
    compressed_faces: bool,
    columns: &[Column<'_>],
    out: &mut Vec<u8>,
) -> Result<()> {
    let points = count(points, "vertices")?;
    out.extend_from_slice(MAGIC);
    out.extend(VERSION);
    out.extend([MESH, SEQUENTIAL]);
    out.extend(0_u16.to_le_bytes());
    faces::write(faces, points, compressed_faces, out)?;
    out.extend([1, columns.len().to_le_bytes()[0]]);
    for (id, &Column { kind, data, width, .. }) in (0..).zip(columns) {
        Attribute { kind, data, width, normalized: 0, id, coding: 0 }.write(out);
    }
    out.extend(columns.iter().map(|column| match column.values {
        Written::Plain(_) => PLAIN,
        Written::Integers(_) => attribute::INTEGER,
        Written::Steps(..) => QUANTIZED,
    }));
    for column in columns {
        match column.values {
            Written::Plain(write) => write(out),
            Written::Integers(make) => write_integers(&make(), column.width.into(), out),
            Written::Steps(steps, _) => write_integers(steps, column.width.into(), out),
        }
    }
    for column in columns {
        if let Written::Steps(_, scale) = &column.values {
            scale.write(out);
        }
    }
    Ok(())
}
