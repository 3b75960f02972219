//! Version 8: all hulls in one zstd frame, with their triangles as Edgebreaker symbols.

use geom::Aabb;

use super::Hull;
use super::edgebreaker::{Decoder, Symbols};
use crate::bytes::Bytes;
use geom::wire::Result;

/// Reads the bytes after the kind.
pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<Vec<Hull>> {
    match bytes.u8()? {
        0 => {}
        other => {
            let what = format!("compression {other:#04x} of the hulls (expected 0x00, a zstd frame)");
            return Err(bytes.unsupported(what));
        }
    }
    let unpacked = inflate(bytes)?;
    let mut bytes = bytes.inner("collision data (decompressed hulls)", &unpacked);
    let hulls = unpacked_hulls(&mut bytes)?;
    bytes.end(hulls)
}

fn inflate(bytes: &mut Bytes<'_>) -> Result<Vec<u8>> {
    // While the content grows, the old and the new memory both exist.
    let max = usize::try_from(bytes.memory() / 2).unwrap_or(usize::MAX);
    let mut content = Vec::new();
    let frame = bytes.rest();
    match rezstd::Decoder::new().decode(frame, max, &mut content) {
        Ok(_) => bytes.charge(content.capacity() as u64)?,
        Err(error) if matches!(error.kind(), rezstd::ErrorKind::TooLong(_)) => bytes.charge(u64::MAX)?,
        Err(error) => {
            let (kind, offset) = (error.kind(), error.offset());
            let what = format!("cannot decompress the hulls: {kind} (byte {offset} of the zstd frame)");
            return Err(bytes.invalid(what));
        }
    }
    Ok(content)
}

fn unpacked_hulls(bytes: &mut Bytes<'_>) -> Result<Vec<Hull>> {
    let [count, positions, faces, most_positions, most_faces, raw, bits, bits_len, positions_len] =
        bytes.u32s()?;
    let bounds: [f32; 6] = bytes.floats()?;
    let mut hulls = Vec::new();
    if raw > 0 {
        let left = bytes.left();
        raw_hulls(bytes, &mut hulls)?;
        let used = left.saturating_sub(bytes.left());
        if used != raw as usize {
            return Err(bytes.invalid(format!("the raw hulls take {used} bytes (declared: {raw} bytes)")));
        }
    }
    let words = bits_len as usize / 4;
    let symbols = bytes.records::<4>(words)?;
    let place = bytes.last();
    // A symbol takes at least one bit, and is one triangle. A hull takes at least three bits, and has one triangle
    // more.
    let most = u64::from(bits).saturating_mul(2);
    if u64::from(bits).div_ceil(32) > symbols.len() as u64
        || u64::from(count) > most
        || u64::from(faces) > most
    {
        let what = match u64::from(bits).div_ceil(32) > symbols.len() as u64 {
            true => {
                format!("{bits} bits of Edgebreaker symbols do not fit into the declared {bits_len} bytes")
            }
            false => {
                format!("{bits} bits of Edgebreaker symbols are too few (triangles: {faces}, hulls: {count})")
            }
        };
        return Err(bytes.invalid(what));
    }
    let left = bytes.left();
    if u64::from(positions_len) != u64::from(positions).saturating_mul(12) || positions_len as usize != left {
        let what = format!(
            "{positions} positions of 12 bytes need {} bytes, but {positions_len} are declared and {left} remain",
            u64::from(positions).saturating_mul(12)
        );
        return Err(bytes.invalid(what));
    }
    let mut symbols = Symbols::new(symbols, bits.into());
    let mut decoder = Decoder::new(bytes, bits.into())?;
    let mut made = 0_usize;
    for _ in 0..count {
        bytes.refer_to(place);
        let (corners, triangles) = decoder.hull(bytes, &mut symbols)?;
        made = made.saturating_add(triangles.len());
        let hull = Hull { positions: bytes.points(corners)?, triangles };
        bytes.push(&mut hulls, hull)?;
    }
    bytes.refer_to(place);
    let left = symbols.left();
    if left > 0 || made != faces as usize {
        return Err(bytes.invalid(format!(
            "expected {faces} triangles from {bits} bits of Edgebreaker symbols, \
             found {made} triangles and {left} unused bits"
        )));
    }
    let largest = |size: fn(&Hull) -> usize| hulls.iter().map(size).max().unwrap_or(0);
    let sizes = (largest(|hull| hull.positions.len()), largest(|hull| hull.triangles.len()));
    if raw == 0 && sizes != (most_positions as usize, most_faces as usize) {
        let (positions, faces) = sizes;
        let what = format!(
            "the largest hull has {positions} positions and {faces} triangles, \
             but {most_positions} and {most_faces} are declared"
        );
        return Err(bytes.invalid(what));
    }
    let points = hulls.iter().flat_map(|hull| hull.positions.iter().copied());
    let found = Aabb::from_points(points).map(|found| [found.min.into(), found.max.into()]);
    if raw == 0 && found.is_some_and(|found: [[f32; 3]; 2]| found.as_flattened() != bounds) {
        return Err(bytes.invalid("the declared bounding box differs from that of the positions"));
    }
    Ok(hulls)
}

/// Reads hulls whose triangles are indices: a table of ranges and the indices, then a table of ranges and the floats.
fn raw_hulls(bytes: &mut Bytes<'_>, hulls: &mut Vec<Hull>) -> Result<()> {
    let ends_of_triangles = ends(bytes, "indices")?;
    let mut triangles = bytes.records::<12>(ends_of_triangles.last().copied().unwrap_or(0))?;
    let ends_of_points = ends(bytes, "floats")?;
    if ends_of_triangles.len() != ends_of_points.len() {
        let what = format!(
            "the raw hulls have {} offsets of indices, but {} offsets of floats (expected equal numbers)",
            ends_of_triangles.len(),
            ends_of_points.len()
        );
        return Err(bytes.invalid(what));
    }
    let size = |range: &[usize]| match range {
        [start, end] => end.saturating_sub(*start),
        _ => 0,
    };
    for (of_triangles, of_points) in ends_of_triangles.windows(2).zip(ends_of_points.windows(2)) {
        let positions = bytes.points(size(of_points))?;
        let Some((here, rest)) = triangles.split_at_checked(size(of_triangles)) else { break };
        triangles = rest;
        let hull = Hull { triangles: bytes.triangles_of(here, positions.len())?, positions };
        bytes.push(hulls, hull)?;
    }
    Ok(())
}

/// Reads a table of range ends, divided by three. The first range begins at 0, and each ends where the next begins.
fn ends(bytes: &mut Bytes<'_>, of: &str) -> Result<Vec<usize>> {
    let count = bytes.count(4)?;
    let mut ends = bytes.vec(count)?;
    for _ in 0..count {
        let end = bytes.u32()?;
        ends.push(super::thirds(bytes, end, of)?);
    }
    let first = ends.first().copied().unwrap_or(0).saturating_mul(3);
    if first != 0 {
        let what = format!("the {of} of the first raw hull begin at {first} (expected 0)");
        return Err(bytes.invalid(what));
    }
    if let Some((start, end)) = ends.iter().zip(ends.iter().skip(1)).find(|(start, end)| end < start) {
        let (start, end) = (start.saturating_mul(3), end.saturating_mul(3));
        let what = format!("the {of} of a raw hull begin at {start}, but end at {end}");
        return Err(bytes.invalid(what));
    }
    Ok(ends)
}
