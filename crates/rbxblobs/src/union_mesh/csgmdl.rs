//! `CSGMDL` 2, 4 and 5.

use std::iter;

use geom::{LinearRgba, Rgba8, TriMesh, Vec2, Vec3};

use super::{UnionLayout, UnionMesh, deltas};
use crate::bytes::Bytes;
use geom::wire::Result;

/// The bytes that are combined with those of the file by exclusive or, repeated from its beginning to its end.
const KEY: [u8; 31] = [
    0x56, 0x2e, 0x6e, 0x58, 0x31, 0x20, 0x30, 0x04, 0x34, 0x69, 0x0c, 0x77, 0x0c, 0x01, 0x5e, 0x00, 0x1a,
    0x60, 0x37, 0x69, 0x1d, 0x52, 0x2b, 0x07, 0x4f, 0x24, 0x59, 0x65, 0x53, 0x04, 0x7a,
];

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<UnionMesh> {
    let stored: [u8; 10] = bytes.array()?;
    let mut head = stored;
    unscramble(&mut head, 0);
    let [b'C', b'S', b'G', b'M', b'D', b'L', version @ ..] = head else {
        let found = stored.escape_ascii();
        return Err(
            bytes.invalid(format!("expected CSGMDL or SolidMesh data, found \"{found}\" at the start"))
        );
    };
    let version = u32::from_le_bytes(version);
    match version {
        2 | 4 => {
            let mut plain = bytes.vec(bytes.left())?;
            plain.extend_from_slice(bytes.rest());
            unscramble(&mut plain, head.len());
            let mut bytes = bytes.inner("CSGMDL (XOR-decoded bytes after the version)", &plain);
            let mesh = records(&mut bytes, version)?;
            bytes.end(mesh)
        }
        5 => arrays(bytes),
        other => Err(bytes.unsupported(format!("CSGMDL version {other} (known versions: 2, 4 and 5)"))),
    }
}

/// Applies the key to the bytes at an offset of the file.
fn unscramble(bytes: &mut [u8], offset: usize) {
    let key = KEY.iter().cycle().skip(offset);
    bytes.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
}

/// Versions 2 and 4: a record of 84 bytes for each vertex.
fn records(bytes: &mut Bytes<'_>, version: u32) -> Result<UnionMesh> {
    // A digest, and 16 bytes of unknown meaning.
    bytes.take(32)?;
    let count = bytes.u32()?;
    let size = bytes.u32()?;
    if size != 84 {
        return Err(bytes.unsupported(format!("vertex size of {size} bytes (expected 84)")));
    }
    let count = bytes.fits(count.into(), 84)?;
    let mut mesh = TriMesh {
        positions: bytes.vec(count)?,
        normals: bytes.vec(count)?,
        colors: bytes.vec(count)?,
        uvs: bytes.vec(count)?,
        ..TriMesh::default()
    };
    let (mut sides, mut tangents) = (bytes.vec(count)?, bytes.vec(count)?);
    for _ in 0..count {
        mesh.positions.push(point(bytes)?);
        mesh.normals.push(bytes.floats()?.into());
        mesh.colors.push(linear(bytes.array()?));
        sides.push(side(bytes.u32()?));
        mesh.uvs.push(bytes.floats()?.into());
        bytes.take(16)?;
        tangents.push(bytes.floats()?.into());
        bytes.take(16)?;
    }
    let indices = bytes.count(4)?;
    mesh.triangles = bytes.triangles(thirds(bytes, indices)?, count)?;
    let levels = match version {
        2 => iter::once(0..mesh.triangles.len()).collect(),
        _ => {
            let count = bytes.count(4)?;
            levels(bytes, count, mesh.triangles.len())?
        }
    };
    Ok(UnionMesh { layout: UnionLayout::Csgmdl(version), mesh, levels, sides, tangents })
}

/// Version 5: an array for each attribute.
fn arrays(bytes: &mut Bytes<'_>) -> Result<UnionMesh> {
    let count = usize::from(bytes.u16()?);
    let mut mesh = TriMesh { positions: bytes.points(count)?, ..TriMesh::default() };
    mesh.normals = directions(bytes, count)?;
    let colors = attribute::<4>(bytes, count)?;
    mesh.colors = bytes.vec(colors.len())?;
    mesh.colors.extend(colors.iter().copied().map(linear));
    let found = attribute::<1>(bytes, count)?;
    let mut sides = bytes.vec(found.len())?;
    sides.extend(found.as_flattened());
    let uvs = attribute::<8>(bytes, count)?;
    mesh.uvs = bytes.vec(uvs.len())?;
    mesh.uvs.extend(uvs.iter().map(|&[a, b, c, d, e, f, g, h]| Vec2 {
        x: f32::from_le_bytes([a, b, c, d]),
        y: f32::from_le_bytes([e, f, g, h]),
    }));
    let tangents = directions(bytes, count)?;
    let indices = bytes.u32()?;
    let len = bytes.u32()?;
    let before = bytes.left();
    let indices = deltas::read(bytes, indices.into())?;
    let found = before.saturating_sub(bytes.left());
    if found != len as usize {
        return Err(bytes.invalid(format!("the indices take {found} bytes (declared: {len} bytes)")));
    }
    mesh.triangles = bytes.vec(thirds(bytes, indices.len())?)?;
    mesh.triangles.extend_from_slice(indices.as_chunks().0);
    bytes.in_range(&mesh.triangles, count)?;
    let levels_len = usize::from(bytes.u8()?);
    let levels = levels(bytes, levels_len, mesh.triangles.len())?;
    Ok(UnionMesh { layout: UnionLayout::Csgmdl(5), mesh, levels, sides, tangents })
}

/// Reads a count, which must be the number of vertices or 0, then that number of records of `N` bytes.
fn attribute<'a, const N: usize>(bytes: &mut Bytes<'a>, vertices: usize) -> Result<&'a [[u8; N]]> {
    let count = usize::from(bytes.u16()?);
    if count != vertices && count != 0 {
        let of = match N {
            4 => "colours",
            1 => "sides",
            _ => "texture coordinates",
        };
        return Err(
            bytes.invalid(format!("expected {vertices} {of} (one per vertex) or none, found {count}"))
        );
    }
    bytes.records(count)
}

/// Reads normals or tangents of three 16-bit numbers, which are preceded by their count and their size in bytes.
fn directions(bytes: &mut Bytes<'_>, vertices: usize) -> Result<Vec<Vec3>> {
    let count = usize::from(bytes.u16()?);
    let len = bytes.u32()?;
    if (count != vertices && count != 0) || len as usize != count.saturating_mul(6) {
        return Err(bytes.invalid(format!(
            "expected {vertices} normals or tangents of 6 bytes (one per vertex) or none, \
             found {count} in {len} bytes"
        )));
    }
    let mut directions = bytes.vec(count)?;
    let number = |bytes: [u8; 2]| (f32::from(u16::from_le_bytes(bytes)) - 32767.0) / 32767.0;
    let records = bytes.records::<6>(count)?;
    directions.extend(records.iter().map(|&[a, b, c, d, e, f]| Vec3 {
        x: number([a, b]),
        y: number([c, d]),
        z: number([e, f]),
    }));
    Ok(directions)
}

/// Reads the levels of detail, as ranges of triangles, from offsets in the list of indices. Without offsets, there is
/// one level of all triangles.
fn levels(bytes: &mut Bytes<'_>, count: usize, triangles: usize) -> Result<Vec<std::ops::Range<usize>>> {
    let count = bytes.fits(count as u64, 4)?;
    let mut offsets = bytes.vec(count)?;
    for _ in 0..count {
        let offset = bytes.u32()? as usize;
        offsets.push(thirds(bytes, offset)?);
    }
    if let Some((start, end)) = offsets.iter().zip(offsets.iter().skip(1)).find(|(start, end)| end < start) {
        let (start, end) = (start.saturating_mul(3), end.saturating_mul(3));
        let what = format!("a level of detail begins at index {start}, but ends at index {end}");
        return Err(bytes.invalid(what));
    }
    if let Some(last) = offsets.last().filter(|&&last| last > triangles) {
        let (last, all) = (last.saturating_mul(3), triangles.saturating_mul(3));
        let what = format!("the last level of detail ends at index {last}, but there are only {all} indices");
        return Err(bytes.invalid(what));
    }
    let mut levels = bytes.vec(offsets.len().max(1))?;
    match &*offsets {
        [] => levels.push(0..triangles),
        [start] => levels.push(*start..triangles),
        [_, ends @ ..] => levels.extend(offsets.iter().zip(ends).map(|(&start, &end)| start..end)),
    }
    Ok(levels)
}

fn thirds(bytes: &Bytes<'_>, indices: usize) -> Result<usize> {
    match indices % 3 {
        0 => Ok(indices / 3),
        _ => Err(bytes.invalid(format!(
            "expected a count or offset of indices that is a multiple of 3, found {indices}"
        ))),
    }
}

fn point(bytes: &mut Bytes<'_>) -> Result<Vec3> {
    let point = Vec3::from(bytes.floats::<3>()?);
    match point.is_finite() {
        true => Ok(point),
        false => {
            Err(bytes
                .invalid(format!("expected finite coordinates of a vertex, found {:?}", point.to_array())))
        }
    }
}

/// The number of a side of a part; 0 if it does not fit into a byte.
fn side(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(0)
}

fn linear(srgb: [u8; 4]) -> LinearRgba {
    Rgba8::from(srgb).to_linear()
}
