//! Chunk `MESH`: polygons and their data.
//!
//! | size | record |
//! |---|---|
//! | 1 | upper four bits: the number of corners; lower four: the parts of a corner, or without corners a property |
//! | | without corners: `si_t` the name of a material (property 0), a parameter (1) or something else (2 to 15) |
//! | | each corner: `vi_t` vertex; with bit 0 `ti_t` texture coordinate; with bit 1 `vi_t` normal; with bit 2 `vi_t` maximum |

use bstr::BString;

use super::reader::Reader;
use super::record::Field;
use super::width::{wide8, wide16};
use super::writer::Writer;
use crate::consts::TypeField;
use crate::model::{CornerParts, Mesh, MeshRecord, Polygons, each_column};
use geom::wire::{At, Budget, ErrorKind, Fail, Here, Parsed, Result, after};

/// The number of polygons decoded at once: their bytes stay in the cache while each column is decoded.
const BLOCK: usize = 1024;

/// The sizes of a record of one kind of polygons, in bytes, and its number of corners.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The whole record.
    stride: usize,
    /// One corner.
    corner: usize,
    sides: usize,
}

impl Cut {
    /// The number of corners in whole records; it is less than the number of bytes, so it does not overflow.
    fn corners(self, records: &[u8]) -> usize {
        records.len().checked_div(self.stride).unwrap_or(0).wrapping_mul(self.sides)
    }
}

impl Field for Mesh {
    fn read<'a>(reader: &mut Reader<'a>, mut input: &'a [u8]) -> Parsed<'a, Self> {
        let mut mesh = Self::default();
        while let Some((&magic, rest)) = input.split_first() {
            let index = mesh.records.len();
            let read = match magic >> 4 {
                0 => reader.read_property(magic, rest, &mut mesh),
                _ => reader.read_polygons(input, magic, &mut mesh),
            };
            input = read.index(index).field("records")?.0;
        }
        Ok((input, mesh))
    }

    fn write<'m>(&'m self, writer: &mut Writer<'m>) -> Result<()> {
        self.each_record(|record, corners| {
            let (magic, name) = match record {
                MeshRecord::Material(name) => (0, name),
                MeshRecord::Parameter(name) => (1, name),
                MeshRecord::Property(id, name) => (*id, name),
                MeshRecord::Polygons(polygons) => {
                    writer.polygons(*polygons, corners);
                    return Ok(());
                }
            };
            writer.put(&[magic]);
            name.write(writer)
        })
    }
}

impl<'a> Reader<'a> {
    fn read_property(&mut self, magic: u8, input: &'a [u8], mesh: &mut Mesh) -> Parsed<'a, ()> {
        let (rest, name) = BString::read(self, input).field("name")?;
        let record = match magic {
            0 => MeshRecord::Material(name),
            1 => MeshRecord::Parameter(name),
            _ => MeshRecord::Property(magic, name),
        };
        self.budget.push(&mut mesh.records, record).here(input)?;
        Ok((rest, ()))
    }

    /// Reads all consecutive polygons of the same kind.
    fn read_polygons(&mut self, start: &'a [u8], magic: u8, mesh: &mut Mesh) -> Parsed<'a, ()> {
        let sides = usize::from(magic >> 4);
        let parts = CornerParts(magic & 15);
        let (vertex, tex_coord) = (self.types.size(TypeField::Vertex), self.types.size(TypeField::TexCoord));
        // The offsets of the parts in a corner, and its end.
        let has = |part, size| if parts.has(part) { size } else { 0 };
        let (normal, maximum) = (has(CornerParts::NORMAL, vertex), has(CornerParts::MAXIMUM, vertex));
        let sizes = [vertex, has(CornerParts::TEX_COORD, tex_coord), normal, maximum];
        let at = |part: usize| sizes.iter().take(part).sum::<usize>();
        let offsets = [(0, vertex), (at(1), tex_coord), (at(2), vertex), (at(3), vertex)];
        let corner = at(4);
        // Fifteen corners of sixteen bytes at most.
        let cut = Cut { stride: corner.saturating_mul(sides).saturating_add(1), corner, sides };

        let mut input = start;
        let mut count = 0_usize;
        if mesh.vertices.is_empty() && input.len() >= cut.stride {
            // Most meshes have polygons of one kind only, and need no more than this.
            each_column!(mesh, parts, [cut.corners(input); 4], |to, corners| {
                self.budget.reserve(to, corners).here(start)?
            });
        }
        loop {
            let records = input
                .chunks_exact(cut.stride)
                .take(BLOCK)
                .take_while(|record| record.first() == Some(&magic))
                .count();
            if records == 0 {
                break;
            }
            let Some((block, rest)) = input.split_at_checked(records.saturating_mul(cut.stride)) else {
                break;
            };
            each_column!(mesh, parts, offsets, |to, offset| {
                column(block, cut, offset, to, &mut self.budget).here(input)?
            });
            input = rest;
            count = count.saturating_add(records);
        }
        if count == 0 {
            // Not even one record is complete: report where the bytes end.
            return Err(Fail::end(input));
        }
        let count = u32::try_from(count).map_err(|_| Fail::end(start))?;
        self.budget.reserve(&mut mesh.records, 1).here(start)?;
        #[allow(clippy::cast_possible_truncation, reason = "four bits")]
        mesh.add_polygons(Polygons { count, sides: sides as u8, parts });
        Ok((input, ()))
    }
}

/// Appends one part of each corner of a block of records to its column.
fn column<T: From<u32> + Copy>(
    block: &[u8],
    cut: Cut,
    (offset, size): (usize, usize),
    to: &mut Vec<T>,
    budget: &mut Budget,
) -> Result<(), ErrorKind> {
    let corners = cut.corners(block);
    budget.reserve(to, corners)?;
    match size {
        0 => to.extend(std::iter::repeat_n(T::from(u32::MAX), corners)),
        1 => fill(block, cut, offset, to, |[q]| wide8(q)),
        2 => fill(block, cut, offset, to, |q| wide16(u16::from_le_bytes(q))),
        _ => fill(block, cut, offset, to, u32::from_le_bytes),
    }
    Ok(())
}

#[inline(always)]
fn fill<const S: usize, T: From<u32> + Copy>(
    block: &[u8],
    cut: Cut,
    offset: usize,
    to: &mut Vec<T>,
    wide: impl Fn([u8; S]) -> u32,
) {
    let get = |bytes: &[u8], at: usize| {
        T::from(after(bytes, at).first_chunk().map_or(u32::MAX, |&part| wide(part)))
    };
    let records = block.chunks_exact(cut.stride.max(1));
    if cut.sides == 3 {
        let first = offset.saturating_add(1);
        let second = first.saturating_add(cut.corner);
        let third = second.saturating_add(cut.corner);
        let start = to.len();
        to.resize(start.saturating_add(records.len().saturating_mul(3)), T::from(u32::MAX));
        let triangles = to.get_mut(start..).unwrap_or_default().as_chunks_mut().0;
        for (triangle, record) in triangles.iter_mut().zip(records) {
            *triangle = [get(record, first), get(record, second), get(record, third)];
        }
    } else {
        for record in records {
            to.extend(after(record, 1).chunks_exact(cut.corner.max(1)).map(|corner| get(corner, offset)));
        }
    }
}
