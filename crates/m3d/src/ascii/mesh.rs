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

use super::reader::{Reader, Section};
use super::token::{self, expected, index, newline, rows, skip_blanks};
use super::writer::Writer;
use crate::error::{ErrorKind, Result};
use crate::limits::Budget;
use crate::list::{make_space, push};
use crate::model::{CornerParts, Corners, Mesh, MeshRecord, Polygons};
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

impl Section for Mesh {
    fn read<'a>(reader: &mut Reader, _: &'a [u8], input: &'a [u8]) -> Parsed<'a, Self> {
        let mut mesh = Self::default();
        let mut corners = Row { columns: [[NONE; 15]; 4], sides: 0, parts: 0 };
        let mut run = Polygons { count: 0, sides: 0, parts: CornerParts(0) };
        let mut count = 0_usize;
        let (most, len) = token::count_rows(input);
        let (rest, ()) = rows(input, |start| {
            if !matches!(start.first(), Some(b'0'..=b'9' | b'-')) {
                flush(&mut mesh, &mut run, &mut reader.budget).here(start)?;
                let (rest, record) = reader.read_record(start)?;
                push(&mut mesh.records, record, &mut reader.budget).here(start)?;
                return Ok((rest, ()));
            }
            let (rest, ()) = corners.read(start).index(count).field("polygons")?;
            let sides = u8::try_from(corners.sides).unwrap_or(0);
            let parts = CornerParts(corners.parts);
            reader.layout.extensions |= parts.has(CornerParts(8));
            if (run.sides, run.parts) != (sides, parts) || run.count == u32::MAX {
                flush(&mut mesh, &mut run, &mut reader.budget).here(start)?;
                run = Polygons { count: 0, sides, parts };
            }
            run.count = run.count.saturating_add(1);
            if count == 0 {
                // As many corners in every row as in the first; each takes a digit and what follows it.
                let most = most.saturating_mul(corners.sides).min(len / 2);
                corners.reserve_corners(&mut mesh, most, &mut reader.budget).here(start)?;
            }
            count = count.saturating_add(1);
            corners.add(&mut mesh, &mut reader.budget).here(start)?;
            Ok((rest, ()))
        })?;
        flush(&mut mesh, &mut run, &mut reader.budget).here(rest)?;
        Ok((rest, mesh))
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
                MeshRecord::Property(id, name) => {
                    writer.extension("a property of polygons without a keyword")?;
                    writer.put("@");
                    writer.unsigned((*id).into());
                    name
                }
                MeshRecord::Polygons(Polygons { count, sides, parts }) => {
                    if parts.has(CornerParts(8)) {
                        writer.extension("polygons with the reserved bit")?;
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

impl Reader {
    fn read_record<'a>(&mut self, start: &'a [u8]) -> Parsed<'a, MeshRecord> {
        const WHAT: &str = "`use`, `par` or the index of a vertex";
        let (rest, word) = token::token(start, WHAT)?;
        match word {
            b"use" => self.rest(rest).field("name").map(|(rest, name)| (rest, MeshRecord::Material(name))),
            b"par" => self.rest(rest).field("name").map(|(rest, name)| (rest, MeshRecord::Parameter(name))),
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
    fn reserve_corners(&self, mesh: &mut Mesh, corners: usize, budget: &mut Budget) -> Result<(), ErrorKind> {
        let has = |bit: u8| if self.parts & bit == 0 { 0 } else { corners };
        make_space(&mut mesh.vertices, corners, budget)?;
        make_space(&mut mesh.tex_coords, has(1), budget)?;
        make_space(&mut mesh.normals, has(2), budget)?;
        make_space(&mut mesh.maximums, has(4), budget)
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
    make_space(to, sides, budget)?;
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
    fn polygon(&mut self, parts: CornerParts, polygon: Corners<'_>) {
        let mut tex_coords = polygon.tex_coords.iter();
        let mut normals = polygon.normals.iter();
        let mut maximums = polygon.maximums.iter();
        for (corner, vertex) in polygon.vertices.iter().enumerate() {
            if corner != 0 {
                self.put(" ");
            }
            self.index(*vertex);
            if parts.0 == 0 {
                continue;
            }
            self.put("/");
            if let Some(id) = tex_coords.next() {
                self.index(*id);
            }
            if parts.0 > 1 {
                self.put("/");
            }
            if let Some(id) = normals.next() {
                self.index(*id);
            }
            if parts.0 > 3 {
                self.put("/");
            }
            if let Some(id) = maximums.next() {
                self.index(*id);
            }
            if parts.0 > 7 {
                self.put("/");
            }
        }
        self.line();
    }
}
