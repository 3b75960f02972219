//! Section `Mesh`: polygons, and what they are made of.
//!
//! | row | what |
//! |---|---|
//! | `use name` | the material of what follows; none without a name |
//! | `par name` | the parameter of what follows |
//! | `@2 name` | ours: another property, 2 to 15, of what follows |
//! | 1 to 15 corners | a polygon |
//!
//! A corner is `v`, `v/t`, `v/t/n` or `v/t/n/m`: vertex, texture coordinate, normal, maximum; what is
//! between two slashes may be missing, and so may everything after the last slash. What only some corners
//! of a polygon have is -1 in the others. Extension: a fourth slash after each corner is the reserved bit.

use super::reader::Reader;
use super::token::{self, expected, index, newline, row, skip_blanks};
use super::writer::Writer;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::list::{push, room};
use crate::model::{CornerParts, Mesh, MeshRecord, Polygons, TexCoordId, VertexId};
use crate::wire::fail::{At, Here, Parsed};

const NONE: u32 = u32::MAX;
const PARTS: [&str; 4] = [
    "the index of a vertex",
    "the index of a texture coordinate",
    "the index of a normal",
    "the index of a maximum",
];

/// The corners of a polygon: its parts as columns.
struct Row {
    columns: [[u32; 15]; 4],
    sides: usize,
    /// Bit n: some corner has part n + 1.
    parts: u8,
}

impl Reader {
    /// Section `Mesh`.
    pub(crate) fn read_mesh<'a>(&mut self, mut input: &'a [u8]) -> Parsed<'a, ()> {
        let mut mesh = Mesh::default();
        let mut corners = Row { columns: [[NONE; 15]; 4], sides: 0, parts: 0 };
        let mut run = Polygons { count: 0, sides: 0, parts: CornerParts(0) };
        let mut count = 0_usize;
        let (rows, len) = token::rows(input);
        loop {
            let start = match row(input) {
                Ok(row) => row,
                Err(rest) => {
                    flush(&mut mesh, &mut run, &mut self.budget).here(input)?;
                    push(&mut self.model.meshes, mesh, &mut self.budget).here(input)?;
                    return Ok((rest, ()));
                }
            };
            if matches!(start.first(), Some(b'0'..=b'9' | b'-')) {
                let (rest, ()) = corners.read(start).index(count).field("polygons")?;
                let sides = u8::try_from(corners.sides).unwrap_or(0);
                let parts = CornerParts(corners.parts);
                self.layout.extensions |= parts.has(CornerParts(8));
                if (run.sides, run.parts) != (sides, parts) || run.count == u32::MAX {
                    flush(&mut mesh, &mut run, &mut self.budget).here(start)?;
                    run = Polygons { count: 0, sides, parts };
                }
                run.count = run.count.saturating_add(1);
                if count == 0 {
                    // As many corners in every row as in the first; each takes a digit and what follows it.
                    let most = rows.saturating_mul(corners.sides).min(len / 2);
                    corners.make_room(&mut mesh, most, &mut self.budget).here(start)?;
                }
                count = count.saturating_add(1);
                corners.add(&mut mesh, &mut self.budget).here(start)?;
                input = rest;
            } else {
                flush(&mut mesh, &mut run, &mut self.budget).here(start)?;
                let (rest, record) = self.read_record(start)?;
                push(&mut mesh.records, record, &mut self.budget).here(start)?;
                input = rest;
            }
        }
    }

    fn read_record<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, MeshRecord> {
        const WHAT: &str = "`use`, `par` or the index of a vertex";
        let (rest, word) = token::token(start, WHAT)?;
        match word {
            b"use" => self.rest(rest).field("use").map(|(rest, name)| (rest, MeshRecord::Material(name))),
            b"par" => self.rest(rest).field("par").map(|(rest, name)| (rest, MeshRecord::Parameter(name))),
            [b'@', id @ ..] => {
                self.layout.extensions = true;
                let (_, id) = token::ranged(id, 2..=15, "the number of a property, 2 to 15")?;
                let (rest, name) = self.rest(rest)?;
                Ok((rest, MeshRecord::Property(u8::try_from(id).unwrap_or(0), name)))
            }
            _ => Err(expected(start, WHAT)),
        }
    }
}

/// Ends a run of polygons.
fn flush(mesh: &mut Mesh, run: &mut Polygons, budget: &mut Budget) -> Result<(), ErrorKind> {
    if run.count != 0 {
        push(&mut mesh.records, MeshRecord::Polygons(*run), budget)?;
        run.count = 0;
    }
    Ok(())
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
                        if let [b'/', rest @ ..] = input {
                            (self.parts, input) = (self.parts | 8, rest);
                        }
                    }
                }
            }
            let rest = skip_blanks(input);
            if let Some(rest) = newline(rest) {
                return Ok((rest, ()));
            }
            if rest.len() == input.len() {
                return Err(expected(input, "a blank or the end of the line"));
            }
            input = rest;
        }
        Err(expected(input, "no more than fifteen corners"))
    }

    /// Reserves so many corners with the same parts as these.
    fn make_room(&self, mesh: &mut Mesh, corners: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        let has = |bit: u8| if self.parts & bit == 0 { 0 } else { corners };
        room(&mut mesh.vertices, corners, budget)?;
        room(&mut mesh.tex_coords, has(1), budget)?;
        room(&mut mesh.normals, has(2), budget)?;
        room(&mut mesh.maximums, has(4), budget)
    }

    /// Adds the corners to the columns of a mesh.
    #[inline(always)]
    fn add(&self, mesh: &mut Mesh, budget: &mut Budget) -> Result<(), ErrorKind> {
        let [vertices, tex_coords, normals, maximums] = &self.columns;
        column(&mut mesh.vertices, vertices, self.sides, budget)?;
        if self.parts & 1 != 0 {
            column(&mut mesh.tex_coords, tex_coords, self.sides, budget)?;
        }
        if self.parts & 2 != 0 {
            column(&mut mesh.normals, normals, self.sides, budget)?;
        }
        if self.parts & 4 != 0 {
            column(&mut mesh.maximums, maximums, self.sides, budget)?;
        }
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
    room(to, sides, budget)?;
    match from {
        // Nearly all are triangles.
        &[a, b, c, ..] if sides == 3 => to.extend_from_slice(&[T::from(a), T::from(b), T::from(c)]),
        _ => to.extend(from.iter().take(sides).map(|&id| T::from(id))),
    }
    Ok(())
}

/// A slash and what follows it, if anything does.
#[inline(always)]
fn part<'a>(input: &'a [u8], bit: u8, parts: &mut u8) -> Parsed<'a, u32> {
    let input = input.get(1..).unwrap_or_default();
    match input.first() {
        Some(b'0'..=b'9' | b'-') => {
            *parts |= bit;
            let what = PARTS.get(bit.trailing_zeros().wrapping_add(1) as usize).copied().unwrap_or_default();
            index(input, what)
        }
        _ => Ok((input, NONE)),
    }
}

impl Writer<'_> {
    /// Section `Mesh`.
    pub(crate) fn write_mesh(&mut self, mesh: &Mesh, place: usize) -> Result<()> {
        let mut columns = Columns {
            vertices: mesh.vertices.iter(),
            tex_coords: mesh.tex_coords.iter(),
            normals: mesh.normals.iter(),
            maximums: mesh.maximums.iter(),
        };
        let unwritable = |record: usize, what: &'static str| {
            Err(Error::unwritable(format!("meshes[{place}].records[{record}]"), what))
        };
        for (index, record) in mesh.records.iter().enumerate() {
            match record {
                MeshRecord::Material(name) => {
                    self.put("use");
                    self.rest(name);
                    self.line();
                }
                MeshRecord::Parameter(name) => {
                    self.put("par");
                    self.rest(name);
                    self.line();
                }
                MeshRecord::Property(id @ 2..=15, name) => {
                    self.extension(
                        || format!("meshes[{place}].records[{index}]"),
                        "a property of polygons without a keyword",
                    )?;
                    self.put("@");
                    self.unsigned((*id).into());
                    self.rest(name);
                    self.line();
                }
                MeshRecord::Property(..) => return unwritable(index, "a property outside of 2 to 15"),
                MeshRecord::Polygons(polygons) => {
                    if !(1..=15).contains(&polygons.sides) || polygons.parts.0 > 15 {
                        return unwritable(
                            index,
                            "polygons of other than 1 to 15 corners or with unknown parts",
                        );
                    }
                    if polygons.parts.has(CornerParts(8)) {
                        self.extension(
                            || format!("meshes[{place}].records[{index}]"),
                            "polygons with the reserved bit",
                        )?;
                    }
                    for _ in 0..polygons.count {
                        if self.polygon(*polygons, &mut columns).is_none() {
                            return unwritable(index, "more corners than the columns have");
                        }
                    }
                }
            }
        }
        let Columns { mut vertices, mut tex_coords, mut normals, mut maximums } = columns;
        let left = vertices.next().is_some()
            || tex_coords.next().is_some()
            || normals.next().is_some()
            || maximums.next().is_some();
        match left {
            true => Err(Error::unwritable(format!("meshes[{place}]"), "more corners than the records say")),
            false => Ok(()),
        }
    }

    fn polygon(&mut self, polygons: Polygons, columns: &mut Columns<'_>) -> Option<()> {
        let parts = polygons.parts;
        for corner in 0..polygons.sides {
            if corner != 0 {
                self.put(" ");
            }
            self.index(*columns.vertices.next()?);
            if parts.0 == 0 {
                continue;
            }
            self.put("/");
            if parts.has(CornerParts::TEX_COORD) {
                self.index(*columns.tex_coords.next()?);
            }
            if parts.0 > 1 {
                self.put("/");
            }
            if parts.has(CornerParts::NORMAL) {
                self.index(*columns.normals.next()?);
            }
            if parts.0 > 3 {
                self.put("/");
            }
            if parts.has(CornerParts::MAXIMUM) {
                self.index(*columns.maximums.next()?);
            }
            if parts.0 > 7 {
                self.put("/");
            }
        }
        self.line();
        Some(())
    }
}

/// Where in the columns of a mesh the next corner is.
struct Columns<'a> {
    vertices: std::slice::Iter<'a, VertexId>,
    tex_coords: std::slice::Iter<'a, TexCoordId>,
    normals: std::slice::Iter<'a, VertexId>,
    maximums: std::slice::Iter<'a, VertexId>,
}
