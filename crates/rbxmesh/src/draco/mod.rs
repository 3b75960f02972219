//! Draco 2.2, as far as Roblox writes it: triangle meshes in sequential order.
//!
//! This module knows no Roblox but for the attributes, which it reads straight into vertices and
//! writes straight from them. The layout is described in FORMAT.md, in the section about Draco.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod attribute;
mod bits;
mod columns;
mod faces;
mod metadata;
mod rans;
mod symbols;

use nom::Parser;
use nom::bytes::complete::tag;
use nom::error::context;
use nom::number::complete::{le_u8, le_u16};

use crate::draco::attribute::{Attribute, PLAIN, QUANTIZED, Scale, Values, read_values};
use crate::draco::bits::read_varint;
use crate::draco::columns::Column;
pub(crate) use crate::draco::columns::write;
use crate::draco::faces::Faces;
use crate::limits::Budget;
use crate::model::{Coding, Normals, Vertex};
use crate::wire::fail::{At, Fail, Here, Parsed};

const MAGIC: &[u8; 5] = b"DRACO";
const VERSION: [u8; 2] = [2, 2];
const MESH: u8 = 1;
const SEQUENTIAL: u8 = 0;
const HAS_METADATA: u16 = 0x8000;

/// What a stream holds.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) faces: Vec<[u32; 3]>,
    pub(crate) coding: Coding,
    /// How many attributes a vertex has no place for.
    pub(crate) others: u32,
}

/// Reads a stream. What follows its last value is given back, and belongs to nothing.
pub(crate) fn read<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, Decoded> {
    let (input, has_metadata) = context("header", read_header).parse(start)?;
    let (input, ()) = match has_metadata {
        true => metadata::skip(input).field("metadata")?,
        false => (input, ()),
    };
    let (input, Faces { faces, points, compressed }) = faces::read(input, budget).field("faces")?;
    let (input, decoders) = context("decoders", le_u8).parse(input)?;
    let (mut input, groups) = read_groups(input, decoders, budget)?;

    let points = points as usize;
    let all = || groups.iter().flatten();
    // Claims that the input cannot hold end here, before memory is taken for the points.
    let plain = all().filter(|attribute| attribute.coding == PLAIN).map(Attribute::plain_size);
    if points.saturating_mul(plain.fold(0, usize::saturating_add)) > input.len() {
        return Err(Fail::end(input.get(input.len()..).unwrap_or(input))).field("attributes");
    }
    let columns = Column::choose(all())
        .or_else(|(index, kind)| Err(Fail::new(input, kind)).index(index).field("attributes"))?;
    let mut vertices = budget.vec(points).here(input)?;
    vertices.resize(points, Vertex::default());
    let mut normals = Normals::Floats;
    let mut spare = Vec::new();
    let mut others = 0_u32;
    let mut index = 0_usize;
    for group in &groups {
        let mut waiting = budget.vec(group.len()).here(input)?;
        for attribute in group {
            let (rest, values) =
                read_values(input, attribute, points, &mut spare, budget).index(index).field("attributes")?;
            input = rest;
            let column = columns.iter().find(|(place, _)| *place == index).map(|&(_, column)| column);
            others = others.saturating_add(u32::from(column.is_none()));
            match values {
                Values::Integers(steps) if attribute.coding == QUANTIZED => {
                    waiting.push((index, attribute, column, Some(steps)));
                }
                values => {
                    if let Some(column) = column {
                        column.fill(&mut vertices, &values);
                    }
                    if let Values::Integers(used) = values {
                        spare = used;
                    }
                }
            }
            index = index.saturating_add(1);
        }
        for (index, attribute, column, steps) in waiting {
            let (rest, scale) = Scale::read(input, attribute.width).index(index).field("attributes")?;
            input = rest;
            if let (Some(column), Some(steps)) = (column, steps) {
                column.fill_scaled(&mut vertices, &steps, &scale);
                if column == Column::Normal {
                    normals = scale.into();
                }
            }
        }
    }
    let coding = Coding { normals, compressed_faces: compressed };
    Ok((input, Decoded { vertices, faces, coding, others }))
}

/// | size | what |
/// |---|---|
/// | 5 | `DRACO` |
/// | 2 | version: 2, 2 |
/// | 1 | 0 points alone, 1 triangles |
/// | 1 | 0 sequential, 1 EdgeBreaker; of points alone 1 is a k-d tree |
/// | 2 | flags: 0x8000 metadata follow |
fn read_header(start: &[u8]) -> Parsed<'_, bool> {
    let (input, _) = tag(MAGIC.as_slice())(start)?;
    let (input, major) = le_u8(input)?;
    let (input, minor) = le_u8(input)?;
    if [major, minor] != VERSION {
        return Err(Fail::unsupported(start, format!("Draco version {major}.{minor}")));
    }
    let (input, kind) = le_u8(input)?;
    let (input, method) = le_u8(input)?;
    match (kind, method) {
        (MESH, SEQUENTIAL) => {}
        (0, 1) => return Err(Fail::unsupported(start, "Draco point cloud (k-d tree)")),
        (0, _) => return Err(Fail::unsupported(start, "Draco point cloud")),
        (MESH, 1) => return Err(Fail::unsupported(start, "Draco EdgeBreaker connectivity")),
        (MESH, other) => return Err(Fail::unsupported(start, format!("Draco connectivity {other}"))),
        (other, _) => return Err(Fail::unsupported(start, format!("Draco geometry {other}"))),
    }
    let (input, flags) = le_u16(input)?;
    Ok((input, flags & HAS_METADATA != 0))
}

/// What each decoder of attributes decodes.
///
/// | size | what |
/// |---|---|
/// | varint | attributes |
/// | ... | the attributes |
/// | 1 per attribute | coding: 0 plain, 1 integer, 2 quantised, 3 normals as octahedron |
fn read_groups<'a>(start: &'a [u8], decoders: u8, budget: &mut Budget) -> Parsed<'a, Vec<Vec<Attribute>>> {
    let mut input = start;
    let mut groups = budget.vec(decoders.into()).here(start)?;
    let mut index = 0_usize;
    for _ in 0..decoders {
        let (rest, count) = context("attributes", read_varint).parse(input)?;
        input = rest;
        // An attribute takes six bytes at least.
        if count as usize > input.len() / 6 {
            return Err(Fail::end(input.get(input.len()..).unwrap_or(input))).field("attributes");
        }
        let mut group: Vec<Attribute> = budget.vec(count as usize).here(input)?;
        for _ in 0..count {
            let (rest, attribute) = Attribute::read(input).index(index).field("attributes")?;
            input = rest;
            group.push(attribute);
            index = index.saturating_add(1);
        }
        for attribute in &mut group {
            let (rest, coding) = context("attributes", le_u8).parse(input)?;
            input = rest;
            attribute.coding = coding;
        }
        groups.push(group);
    }
    Ok((input, groups))
}

#[cfg(test)]
mod tests;
