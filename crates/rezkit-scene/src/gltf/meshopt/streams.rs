//! Decodes three kinds of streams: attributes (the difference of each byte of a vertex from that of the vertex before,
//! in groups of 16 with few bits each), triangles (by edges and vertices that were used before) and indices (the
//! difference from one of two earlier indices).

/// Decodes an integer that is negative if its lowest bit is set.
fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

/// The bytes of vertices, in blocks of at most 8,192 bytes.
pub(super) fn attributes(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    // The number of bytes that describe the numbers of a vertex, and the minimum at the end.
    let (kinds, least) = match header {
        0xa0 => (0, 32),
        0xa1 => (stride / 4, 24),
        _ => return None,
    };
    // The tail has padding, the vertex that precedes the first one, and the kinds.
    let (mut data, tail) = bytes.split_at(bytes.len().checked_sub((stride + kinds).max(least))?);
    let (before, kinds) = tail[tail.len() - stride - kinds..].split_at(stride);
    let mut before = before.to_vec();
    let most = ((8192 / stride) & !15).min(256);
    let mut values = vec![0; count.checked_mul(stride)?];
    for block in values.chunks_mut(most * stride) {
        let vertices = block.len() / stride;
        let (controls, rest) = data.split_at_checked(kinds.len())?;
        data = rest;
        for (at, before) in before.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let control = controls.get(at);
            let mut columns = [[0; 256]; 4];
            for (byte, column) in columns.iter_mut().enumerate() {
                match control.map(|control| (control >> (byte * 2)) & 3) {
                    None => grouped(&mut data, vertices, [0, 2, 4, 8], column)?,
                    Some(0) => grouped(&mut data, vertices, [0, 1, 2, 4], column)?,
                    Some(1) => grouped(&mut data, vertices, [1, 2, 4, 8], column)?,
                    Some(2) => {}
                    Some(_) => {
                        let (plain, rest) = data.split_at_checked(vertices)?;
                        column[..vertices].copy_from_slice(plain);
                        data = rest;
                    }
                }
            }
            let kind = kinds.get(at).copied().unwrap_or(0);
            for (index, vertex) in block.chunks_exact_mut(stride).enumerate() {
                *before = next(*before, columns.map(|column| column[index]), kind)?;
                vertex[at * 4..at * 4 + 4].copy_from_slice(before);
            }
        }
    }
    data.is_empty().then_some(values)
}

/// Four bytes from those of the vertex before: by the differences of bytes or of pairs, or by the bits that differ.
fn next(before: [u8; 4], delta: [u8; 4], kind: u8) -> Option<[u8; 4]> {
    let pair = |at: usize| {
        let [before, delta] = [before, delta].map(|four| u16::from_le_bytes([four[at], four[at + 1]]));
        before.wrapping_add((delta >> 1) ^ (delta & 1).wrapping_neg()).to_le_bytes()
    };
    match kind & 3 {
        0 => Some(std::array::from_fn(|at| {
            before[at].wrapping_add((delta[at] >> 1) ^ (delta[at] & 1).wrapping_neg())
        })),
        1 => {
            let ([a, b], [c, d]) = (pair(0), pair(2));
            Some([a, b, c, d])
        }
        2 => {
            let bits = u32::from_le_bytes(delta).rotate_right(u32::from(kind >> 4));
            Some((bits ^ u32::from_le_bytes(before)).to_le_bytes())
        }
        _ => None,
    }
}

/// Decodes one byte of each vertex, in groups of sixteen; each group has one of four widths.
fn grouped(data: &mut &[u8], vertices: usize, widths: [usize; 4], column: &mut [u8; 256]) -> Option<()> {
    let groups = vertices.div_ceil(16);
    let (header, mut rest) = data.split_at_checked(groups.div_ceil(4))?;
    for (group, column) in column.as_chunks_mut().0.iter_mut().take(groups).enumerate() {
        let kind = (header[group / 4] >> (group % 4 * 2)) & 3;
        (*column, rest) = group_of(widths[usize::from(kind)], rest)?;
    }
    *data = rest;
    Some(())
}

/// Sixteen differences of 0, 1, 2, 4 or 8 bits each. With 1 to 4 bits, the greatest value means that the difference is
/// a whole byte, which is stored after the sixteen.
fn group_of(bits: usize, bytes: &[u8]) -> Option<([u8; 16], &[u8])> {
    let mut deltas = [0; 16];
    match bits {
        0 => return Some((deltas, bytes)),
        8 => return bytes.split_first_chunk().map(|(all, rest)| (*all, rest)),
        _ => {}
    }
    let (packed, mut rest) = bytes.split_at_checked(bits * 2)?;
    let most = (1 << bits) - 1;
    for (at, delta) in deltas.iter_mut().enumerate() {
        // The first difference is in the highest bits of a byte, or if each has one bit, in the lowest.
        let shift = if bits == 1 { at % 8 } else { 8 - bits - at * bits % 8 };
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

pub(super) fn indices(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    let mut data = bytes.get(..bytes.len().checked_sub(4)?)?;
    // Each index takes at least one byte.
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

/// The last sixteen values; 0 is the latest.
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

pub(super) fn triangles(bytes: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let (&header, bytes) = bytes.split_first()?;
    // A byte for each triangle, further data, and a table of 16 bytes.
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
            // The triangle is beside an earlier edge; only its third vertex is stored.
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
            // New vertices get their numbers first, in order; then the other vertices are read.
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

/// The next vertex that was not used before.
fn fresh(next: &mut u32) -> u32 {
    *next = next.wrapping_add(1);
    next.wrapping_sub(1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
#[path = "../../../tests/inside/gltf_meshopt_streams.rs"]
pub(super) mod tests;
