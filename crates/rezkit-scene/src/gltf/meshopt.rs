//! `EXT_meshopt_compression`: buffer views, decompressed into buffers of their own.
//!
//! Three kinds of streams: attributes (the differences of each byte of a vertex to that of the one before, in groups of
//! 16 of 0, 2, 4 or 8 bits), triangles (by edges and vertices that were used before) and indices (differences to one
//! of two before). Then the numbers of a view may be turned into vectors of length 1, quaternions, or floats. The
//! layouts are those of the appendices of the extension's specification.

use gltf::json::Index;
use gltf::json::validation::USize64;
use rezkit_core::{Error, Result};

use super::expand::{Expanding, MESHOPT};

/// The extension of a buffer view.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer: u32,
    #[serde(default)]
    byte_offset: u64,
    byte_length: u64,
    byte_stride: u64,
    count: u64,
    mode: String,
    #[serde(default)]
    filter: Option<String>,
}

/// Whether a buffer is only there for programs that do not know the extension.
pub(super) fn is_fallback(buffer: &gltf::json::Buffer) -> bool {
    let found = buffer.extensions.as_ref().and_then(|all| all.others.get(MESHOPT)?.get("fallback"));
    found == Some(&serde_json::Value::Bool(true))
}

impl Expanding<'_> {
    /// The values of buffer views that are compressed.
    pub(super) fn meshopt(&mut self) -> Result<()> {
        for at in 0..self.json.buffer_views.len() {
            let extensions = self.json.buffer_views[at].extensions.as_ref();
            let Some(found) = extensions.and_then(|all| all.others.get(MESHOPT)) else { continue };
            let path = format!("bufferViews[{at}].{MESHOPT}");
            let broken = |error: serde_json::Error| Error::unreadable(format!("{path}: {error}"));
            let compressed: Compressed = serde_json::from_value(found.clone()).map_err(broken)?;
            let bytes = self.decompressed(&compressed, &path)?;
            let length = USize64::from(bytes.len());
            let new = self.view(bytes);
            let buffer = self.json.buffer_views[new.value()].buffer;
            let view = &mut self.json.buffer_views[at];
            (view.buffer, view.byte_offset, view.byte_length) = (buffer, None, length);
        }
        Ok(())
    }

    fn decompressed(&mut self, compressed: &Compressed, path: &str) -> Result<Vec<u8>> {
        let Compressed { buffer, byte_offset, byte_length, byte_stride, count, mode, filter } = compressed;
        let broken = |what: &str| Error::unreadable(format!("{path}: {what}"));
        let total = count.checked_mul(*byte_stride).ok_or_else(|| broken("more values than memory"))?;
        self.budget.take(total, path)?;
        let [stride, count] =
            [*byte_stride, *count].map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let [start, length] = [*byte_offset, *byte_length].map(|number| usize::try_from(number).ok());
        let all = self.buffer(Index::new(*buffer)).zip(start.zip(length));
        let bytes = all.and_then(|(all, (start, length))| all.get(start..)?.get(..length));
        let bytes = bytes.ok_or_else(|| broken("ends after its buffer"))?;
        let short = || broken("a stream that ends too early, or is not of this mode");
        let mut values = match mode.as_str() {
            "ATTRIBUTES" if stride % 4 == 0 && (4..=256).contains(&stride) => {
                attributes(bytes, count, stride)
            }
            "TRIANGLES" if matches!(stride, 2 | 4) && count % 3 == 0 => triangles(bytes, count, stride),
            "INDICES" if matches!(stride, 2 | 4) => indices(bytes, count, stride),
            mode => return Err(broken(&format!("mode {mode:?} with a stride of {stride}"))),
        }
        .ok_or_else(short)?;
        match (filter.as_deref(), mode.as_str(), stride) {
            (None | Some("NONE"), ..) => {}
            (Some("OCTAHEDRAL"), "ATTRIBUTES", 4) => {
                values.as_chunks_mut().0.iter_mut().for_each(octahedral_8)
            }
            (Some("OCTAHEDRAL"), "ATTRIBUTES", 8) => {
                values.as_chunks_mut().0.iter_mut().for_each(octahedral_16)
            }
            (Some("QUATERNION"), "ATTRIBUTES", 8) => values.as_chunks_mut().0.iter_mut().for_each(quaternion),
            (Some("EXPONENTIAL"), "ATTRIBUTES", _) => {
                values.as_chunks_mut().0.iter_mut().for_each(exponential)
            }
            (Some(filter), ..) => {
                return Err(broken(&format!("filter {filter:?} with a stride of {stride}")));
            }
        }
        Ok(values)
    }
}

/// A whole number that is below 0 where its lowest bit is set.
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// The bytes of vertices, in blocks of at most 8,192 bytes.
fn attributes(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    // At the end is the vertex before the first one, and zeros up to 32 bytes.
    let (mut data, tail) = bytes.split_at(bytes.len().checked_sub(stride.max(32))?);
    if header != 0xa0 {
        return None;
    }
    let mut before = tail[tail.len() - stride..].to_vec();
    let most = ((8192 / stride) & !15).min(256);
    let mut values = vec![0; count.checked_mul(stride)?];
    for block in values.chunks_mut(most * stride) {
        let vertices = block.len() / stride;
        let groups = vertices.div_ceil(16);
        for (at, before) in before.iter_mut().enumerate() {
            let (header, mut rest) = data.split_at_checked(groups.div_ceil(4))?;
            for group in 0..groups {
                let (deltas, after) = group_of((header[group / 4] >> (group % 4 * 2)) & 3, rest)?;
                rest = after;
                let vertices = block[group * 16 * stride..].chunks_mut(stride);
                for (vertex, delta) in vertices.zip(deltas) {
                    *before = before.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg());
                    vertex[at] = *before;
                }
            }
            data = rest;
        }
    }
    data.is_empty().then_some(values)
}

/// Sixteen differences of 0, 2, 4 or 8 bits; the greatest number of few bits is that of a byte after all of them.
fn group_of(kind: u8, bytes: &[u8]) -> Option<([u8; 16], &[u8])> {
    let mut deltas = [0; 16];
    let bits = match kind {
        0 => return Some((deltas, bytes)),
        3 => {
            let (all, rest) = bytes.split_first_chunk()?;
            return Some((*all, rest));
        }
        kind => usize::from(kind) * 2,
    };
    let (packed, mut rest) = bytes.split_at_checked(bits * 2)?;
    let most = (1 << bits) - 1;
    for (at, delta) in deltas.iter_mut().enumerate() {
        // The first one is in the highest bits.
        let shift = 8 - bits - at * bits % 8;
        *delta = (packed[at * bits / 8] >> shift) & most;
        if *delta == most {
            (*delta, rest) = rest.split_first().map(|(byte, rest)| (*byte, rest))?;
        }
    }
    Some((deltas, rest))
}

/// A number in groups of seven bits, the lowest first.
fn variable(data: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = data.split_first()?;
        *data = rest;
        number |= u32::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    Some(number)
}

/// Indices of 2 or 4 bytes.
struct Indices {
    bytes: Vec<u8>,
    stride: usize,
}

impl Indices {
    fn new(count: usize, stride: usize) -> Option<Self> {
        Some(Self { bytes: Vec::with_capacity(count.checked_mul(stride)?), stride })
    }

    fn push(&mut self, index: u32) {
        self.bytes.extend(&index.to_le_bytes()[..self.stride]);
    }
}

fn indices(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    let mut data = bytes.get(..bytes.len().checked_sub(4)?)?;
    // Each takes a byte at least.
    if header != 0xd1 || count > data.len() {
        return None;
    }
    let mut last = [0_u32; 2];
    let mut all = Indices::new(count, stride)?;
    for _ in 0..count {
        let number = variable(&mut data)?;
        let last = &mut last[(number & 1) as usize];
        *last = last.wrapping_add(unzigzag(number >> 1));
        all.push(*last);
    }
    data.is_empty().then_some(all.bytes)
}

/// The last sixteen of something; 0 is the one before the next.
struct Recent<T>([T; 16], usize);

impl<T: Copy> Recent<T> {
    fn push(&mut self, value: T) {
        self.0[self.1] = value;
        self.1 = (self.1 + 1) % 16;
    }

    fn back(&self, back: u8) -> T {
        self.0[(self.1 + 31 - usize::from(back)) % 16]
    }
}

fn triangles(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    // A byte for each triangle, what they do not tell, and a table of 16 bytes.
    let (codes, rest) = bytes.split_at_checked(count / 3)?;
    let (mut data, table) = rest.split_at(rest.len().checked_sub(16)?);
    if header != 0xe1 {
        return None;
    }
    let mut edges = Recent([[0_u32; 2]; 16], 0);
    let mut vertices = Recent([0_u32; 16], 0);
    let (mut next, mut last) = (0_u32, 0_u32);
    let mut all = Indices::new(count, stride)?;
    for &code in codes {
        let [a, b, c];
        if code < 0xf0 {
            // Beside an edge: the vertex that it is not known by.
            [a, b] = edges.back(code >> 4);
            let vertex = code & 15;
            c = match vertex {
                0 => fresh(&mut next),
                1..13 => vertices.back(vertex),
                _ => {
                    last = last.wrapping_add(match vertex {
                        13 => u32::MAX,
                        14 => 1,
                        _ => unzigzag(variable(&mut data)?),
                    });
                    last
                }
            };
            if !(1..13).contains(&vertex) {
                vertices.push(c);
            }
            edges.push([c, b]);
            edges.push([a, c]);
        } else {
            let (first, others) = match code {
                ..0xfe => (0, table[usize::from(code & 15)]),
                _ => {
                    let (&others, rest) = data.split_first()?;
                    data = rest;
                    if others == 0 {
                        next = 0;
                    }
                    (if code == 0xfe { 0 } else { 15 }, others)
                }
            };
            // All new ones are counted before the others are read, as they were written.
            let kinds = [first, others >> 4, others & 15];
            let mut corners = [0; 3];
            for (corner, kind) in corners.iter_mut().zip(kinds) {
                *corner = match kind {
                    0 => fresh(&mut next),
                    15 if code >= 0xfe => 0,
                    kind => vertices.back(kind - 1),
                };
            }
            for (corner, kind) in corners.iter_mut().zip(kinds) {
                if kind == 15 && code >= 0xfe {
                    last = last.wrapping_add(unzigzag(variable(&mut data)?));
                    *corner = last;
                }
            }
            [a, b, c] = corners;
            for (corner, kind) in corners.into_iter().zip(kinds) {
                if kind == 0 || kind == 15 && code >= 0xfe {
                    vertices.push(corner);
                }
            }
            edges.push([b, a]);
            edges.push([c, b]);
            edges.push([a, c]);
        }
        [a, b, c].into_iter().for_each(|index| all.push(index));
    }
    data.is_empty().then_some(all.bytes)
}

/// The vertex that was not used before.
fn fresh(next: &mut u32) -> u32 {
    *next = next.wrapping_add(1);
    next.wrapping_sub(1)
}

/// A vector of length 1 from its octahedral coordinates: x, y, and what is 1.
fn unit([x, y, one]: [f32; 3], most: f32) -> [f32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let [x, y] = [x, y].map(|part| if part >= 0.0 { part + fold } else { part - fold });
    let length = (x * x + y * y + z * z).sqrt();
    [x, y, z].map(|part| (part * most / length).round())
}

fn octahedral_8(value: &mut [u8; 4]) {
    let parts = [value[0], value[1], value[2]].map(|byte| f32::from(byte.cast_signed()));
    let [x, y, z] = unit(parts, 127.0).map(|part| (part as i8).cast_unsigned());
    value[..3].copy_from_slice(&[x, y, z]);
}

/// The four numbers of 16 bits of a value.
fn words(value: &[u8; 8]) -> [i16; 4] {
    std::array::from_fn(|at| i16::from_le_bytes([value[at * 2], value[at * 2 + 1]]))
}

fn octahedral_16(value: &mut [u8; 8]) {
    let [x, y, one, _] = words(value).map(f32::from);
    for (at, part) in unit([x, y, one], 32767.0).into_iter().enumerate() {
        value[at * 2..at * 2 + 2].copy_from_slice(&(part as i16).to_le_bytes());
    }
}

/// Three parts, and in the fourth number which one is left out and what is 1.
fn quaternion(value: &mut [u8; 8]) {
    let [x, y, z, last] = words(value);
    let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(|part| f32::from(part) * scale);
    let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let first = (last & 3) as usize;
    for (at, part) in [w, x, y, z].into_iter().enumerate() {
        let at = (first + at) % 4 * 2;
        value[at..at + 2].copy_from_slice(&((part * 32767.0).round() as i16).to_le_bytes());
    }
}

/// A whole number of 24 bits, and a power of 2 in the highest byte.
fn exponential(value: &mut [u8; 4]) {
    let bits = i32::from_le_bytes(*value);
    let number = f64::from((bits << 8) >> 8) * f64::from(bits >> 24).exp2();
    *value = (number as f32).to_le_bytes();
}

/// Streams that meshoptimizer 1 wrote, and what its own decoder reads.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
    }

    #[test]
    fn triangles_by_edges_and_vertices() {
        let stream = hex(
            "e1fe1e100e100e100e100efe1e190e180e170e160eff1e160e160e160e160eff1e160e160e160e160eff1e160e160e160e160efeffffff\
             fe0f0c9f025f090c5f090c5f090c1f45ffb401ad0112ff15b4019301ff96010202fba101007687566778a9866589689801690000",
        );
        // Five rows of five squares, of which each begins with the vertex at its corner. The reference decoder, too, has
        // the first triangle of all but the first square of a row from the corner that the square before has.
        let square = |row: u32, column: u32| {
            let at = row * 6 + column;
            let first = if column == 0 { [at, at + 1, at + 6] } else { [at + 6, at, at + 1] };
            first.into_iter().chain([at + 6, at + 1, at + 7])
        };
        let mut expected: Vec<u32> =
            (0..5).flat_map(|row| (0..5).flat_map(move |column| square(row, column))).collect();
        expected.extend([7, 35, 0, 90, 3, 12, 1, 91, 17, 92, 93, 94, 8, 13, 7]);
        let found = triangles(&stream, expected.len(), 4).unwrap();
        let found: Vec<u32> = found.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        assert_eq!(found, expected);
        for length in 0..stream.len() {
            assert_eq!(triangles(&stream[..length], expected.len(), 4), None, "{length} bytes");
        }
    }

    #[test]
    fn indices_by_differences() {
        let stream = hex("d1000404c901040504d51db08b118b1f00000000");
        let expected: Vec<u8> =
            [0_u32, 1, 2, 50, 3, 51, 4, 1000, 70000, 5].into_iter().flat_map(u32::to_le_bytes).collect();
        assert_eq!(indices(&stream, 10, 4), Some(expected));
        assert_eq!(indices(&stream, 9, 4), None);
        assert_eq!(indices(&stream[..19], 10, 4), None);
    }

    #[test]
    fn attributes_of_every_number_of_bits() {
        let stream = hex(
            "a02a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb00000303031c00000000\
             df52565a5e62666a6e72767affff00007e82868a8e92969a1f004a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a\
             4a4affff00004a4a4a4a4a4a4a4a00150000800080008000800000002a06666f6666f6666f1717176666f6666f6666f6171717666f6666\
             0000000017010000003c6f700000000000000000000000000000000000000000000000000000000009000000",
        );
        let vertex = |at: usize| {
            let square = if at < 20 { 0 } else { at * at };
            let last = if at == 13 { 200 } else { 0 };
            [at * 7, at % 3, square, at * 37, 9, at >> 3, at % 5 * 3, last].map(|number| number as u8)
        };
        let expected: Vec<u8> = (0..40).flat_map(vertex).collect();
        assert_eq!(attributes(&stream, 40, 8), Some(expected));
        for length in 0..stream.len() {
            assert_eq!(attributes(&stream[..length], 40, 8), None, "{length} bytes");
        }
    }

    #[test]
    fn filters() {
        fn all<const N: usize>(stream: &str, filter: fn(&mut [u8; N]), stride: usize) -> Vec<u8> {
            let stream = hex(stream);
            let count = if stride == 16 { 2 } else { 4 };
            let mut values = attributes(&stream, count, stride).unwrap();
            values.as_chunks_mut().0.iter_mut().for_each(filter);
            values
        }
        let stream = "a0013f0000006cea91013f00000091c358000103000000fe0000000000000000000000000000000000000000000000000000000000007f00";
        assert_eq!(all(stream, octahedral_8, 4), hex("00007f004c9a0000b749b60000dc867f"));
        let stream = "a0013f000000da7cf3013f000000061118013f000000dc31a7013f000000091419000001010000000103000000fe00000000000000\
                      000000000000000000000000000000000000000000ff070000";
        assert_eq!(
            all(stream, octahedral_16, 8),
            hex("00000000ff7f0000c54c95990000000023b6dd4907b6000000002fdc1e85ff7f")
        );
        let stream = "a0013f000000b26f41013d0000000b0e013f000000b1c717013f0000000a0511013f000000b115c8013f0000000a1108013f000000\
                      05060500000000000000000000000000000000000000000000000000000000000000ff07";
        assert_eq!(
            all(stream, quaternion, 8),
            hex("000000000000ff7f0f4006c0fa3ffa3fc70c9a199fd9b5766566000033b30000")
        );
        let stream = "a000000001300000004001300000008201300000002a0001300000004000013000000050012000000001300000004000000001300000\
                      004000000000000000000000000000000000000000f4001000f400d8fff4000000f4";
        assert_eq!(
            all(stream, exponential, 16),
            hex("000000000000803f000020c00000000000000000000415500000000000000000")
        );
    }
}
