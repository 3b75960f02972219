//! Section `Mesh`: polygons and their data.
//!
//! | row | what |
//! |---|---|
//! | `use name` | the material of the polygons that follow; no material if the name is missing |
//! | `par name` | the parameter of the polygons that follow |
//! | 1 to 15 corners | a polygon |
//!
//! A corner is `v`, `v/t`, `v/t/n` or `v/t/n/m`: the indices of vertex, texture coordinate, normal and maximum. Any of
//! them but the vertex may be missing. If only some corners of a polygon have one of them, it is -1 in the others.

use super::reader::{Read, Reader, Section};
use super::token::{self, expected, index, is_end, newline, skip_blanks};
use super::writer::Writer;
use crate::model::{CornerParts, Corners, Mesh, MeshRecord, Polygons, each_column};
use geom::wire::{At, Budget, ErrorKind, Here, Parsed, Result, after};

const NONE: u32 = u32::MAX;
const PARTS: [&str; 4] = [
    "the index of a vertex",
    "the index of a texture coordinate",
    "the index of a normal",
    "the index of a maximum vertex",
];

struct Row {
    columns: [[u32; 15]; 4],
    /// At most 15.
    sides: u8,
    /// Bit n is set if some corner has part n + 1.
    parts: u8,
}

impl Section for Mesh {
    fn read<'a>(&mut self, reader: &mut Reader<'a>) -> Read<'a, ()> {
        let mut corners = Row { columns: [[NONE; 15]; 4], sides: 0, parts: 0 };
        let mut count = 0_usize;
        let (most, len) = token::count_rows(reader.input);
        while reader.row() {
            let start = reader.input;
            if !matches!(start.first(), Some(b'0'..=b'9' | b'-')) {
                let record = read_record(reader)?;
                reader.push(&mut self.records, record)?;
                continue;
            }
            reader.input = corners.read(start).index(count).field("polygons")?.0;
            let sides = corners.sides;
            let parts = CornerParts(corners.parts);
            if count == 0 {
                // Assumes that every row has the number of corners of the first; a corner takes at least two bytes.
                let most = most.checked_mul(sides.into()).map_or(len / 2, |most| most.min(len / 2));
                let budget = &mut reader.budget;
                each_column!(self, parts, [most; 4], |column, most| budget
                    .reserve(column, most)
                    .here(start)?);
            }
            count = count.saturating_add(1);
            corners.add(self, &mut reader.budget).here(start)?;
            reader.budget.reserve(&mut self.records, 1).here(start)?;
            self.add_polygons(Polygons { count: 1, sides, parts });
        }
        Ok(())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<()> {
        self.each_record(|record, mut corners| {
            let name = match record {
                MeshRecord::Material(name) => {
                    writer.put("use");
                    name
                }
                MeshRecord::Parameter(name) => {
                    writer.put("par");
                    name
                }
                MeshRecord::Property(..) => {
                    return writer.keyword(None, "an unknown polygon property");
                }
                MeshRecord::Polygons(Polygons { count, sides, parts }) => {
                    if parts.has(CornerParts(8)) {
                        return writer.keyword(None, "polygons whose `parts` have the reserved bit 3 set");
                    }
                    for polygon in (0..*count).map_while(|_| corners.take((*sides).into(), *parts)) {
                        writer.polygon(*parts, polygon);
                    }
                    return Ok(());
                }
            };
            writer.head(name);
            Ok(())
        })
    }
}

fn read_record<'a>(reader: &mut Reader<'a>) -> Read<'a, MeshRecord> {
    const WHAT: &str = "`use`, `par` or the index of a vertex";
    let start = reader.input;
    match reader.token(WHAT)? {
        b"use" => reader.rest().map(MeshRecord::Material),
        b"par" => reader.rest().map(MeshRecord::Parameter),
        _ => return Err(expected(start, WHAT)),
    }
    .field("name")
}

impl Row {
    #[inline(always)]
    fn read<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        self.sides = 0;
        self.parts = 0;
        let [vertices, tex_coords, normals, maximums] = &mut self.columns;
        let corners = vertices.iter_mut().zip(tex_coords).zip(normals.iter_mut().zip(maximums));
        for ((vertex, tex_coord), (normal, maximum)) in corners {
            (input, *vertex) = index(input, PARTS[0])?;
            (*tex_coord, *normal, *maximum) = (NONE, NONE, NONE);
            self.sides = self.sides.wrapping_add(1);
            if input.first() == Some(&b'/') {
                (input, *tex_coord) = part(input, 1, &mut self.parts)?;
                if input.first() == Some(&b'/') {
                    (input, *normal) = part(input, 2, &mut self.parts)?;
                    if input.first() == Some(&b'/') {
                        (input, *maximum) = part(input, 4, &mut self.parts)?;
                        input = input.strip_prefix(b"/").unwrap_or(input);
                    }
                }
            }
            let rest = skip_blanks(input);
            if let Some(rest) = newline(rest) {
                return Ok((rest, ()));
            }
            if rest.len() == input.len() {
                return Err(expected(input, "a space or the end of the line"));
            }
            input = rest;
        }
        Err(expected(input, "the end of the line (a polygon has at most 15 corners)"))
    }

    #[inline(always)]
    fn add(&self, mesh: &mut Mesh, budget: &mut Budget) -> Result<(), ErrorKind> {
        let parts = CornerParts(self.parts);
        each_column!(mesh, parts, &self.columns, |to, from| column(to, from, self.sides.into(), budget)?);
        Ok(())
    }
}

#[inline(always)]
fn column<T: From<u32> + Copy>(
    to: &mut Vec<T>,
    from: &[u32; 15],
    sides: usize,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    budget.reserve(to, sides)?;
    match from {
        // Nearly all polygons are triangles.
        &[a, b, c, ..] if sides == 3 => to.extend([a, b, c].map(T::from)),
        _ => to.extend(from.iter().take(sides).map(|&id| T::from(id))),
    }
    Ok(())
}

/// A slash and the index after it, which may be missing.
#[inline(always)]
fn part<'a>(input: &'a [u8], bit: u8, parts: &mut u8) -> Parsed<'a, u32> {
    let input = after(input, 1);
    if input.first().is_none_or(|&byte| byte == b'/' || is_end(byte)) {
        return Ok((input, NONE));
    }
    *parts |= bit;
    let what = PARTS.get(bit.trailing_zeros().wrapping_add(1) as usize).copied().unwrap_or_default();
    index(input, what)
}

impl Writer<'_> {
    fn polygon(&mut self, parts: CornerParts, polygon: Corners<'_>) {
        let mut tex_coords = polygon.tex_coords.iter();
        let mut normals = polygon.normals.iter();
        let mut maximums = polygon.maximums.iter();
        // A slash for each part up to the last one.
        let slashes = parts.0.checked_ilog2().map_or(0, |last| (0..=last).count());
        for (corner, vertex) in polygon.vertices.iter().enumerate() {
            if corner != 0 {
                self.put(" ");
            }
            self.index(*vertex);
            let tex_coord = tex_coords.next().map(|id| id.0);
            let ids = [tex_coord, normals.next().map(|id| id.0), maximums.next().map(|id| id.0), None];
            for id in ids.into_iter().take(slashes) {
                self.put("/");
                if let Some(id) = id {
                    self.index(id);
                }
            }
        }
        self.line();
    }
}
