//! The compressed stream that a mesh was read from.

use crate::model::Vertex;

/// A Draco stream as it stands in the file, and what it takes to know whether vertices and faces are
/// still those that it holds.
///
/// Normals in a stream are rounded, so compressing again would give other bytes, and other streams
/// can hold the same mesh. Where nobody edited the vertices and the faces, the stream itself is
/// written again. Whether somebody did is decided by 128 bits of hash over all their bits, which are
/// computed once when reading and once when writing: that is faster than to decode the stream again,
/// and takes no second copy of the mesh.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DracoStream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) print: [u64; 2],
    pub(crate) coding: Coding,
    pub(crate) others: u32,
}

/// How a mesh stands in a Draco stream, as far as there is a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Coding {
    pub(crate) normals: Normals,
    pub(crate) compressed_faces: bool,
}

/// How the normals stand in a Draco stream.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Normals {
    /// As they are.
    Floats,
    /// Rounded.
    Grid(Grid),
}

/// Steps of equal size along each axis: `origin + step * range / (2^bits - 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Grid {
    pub(crate) origin: [f32; 3],
    pub(crate) range: f32,
    pub(crate) bits: u8,
}

impl DracoStream {
    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// With how many bits the normals stand in the stream: 1 to 30, or 32 where they are not rounded.
    pub fn normal_bits(&self) -> u8 {
        match self.coding.normals {
            Normals::Floats => 32,
            Normals::Grid(Grid { bits, .. }) => bits,
        }
    }

    /// Whether the faces are compressed in the stream; those that Roblox writes are not.
    pub fn has_compressed_faces(&self) -> bool {
        self.coding.compressed_faces
    }

    /// How many attributes the stream holds that the model has no place for.
    pub fn other_attributes(&self) -> u32 {
        self.others
    }

    /// Whether the stream holds these vertices and faces, to the bit.
    pub(crate) fn holds(&self, vertices: &[Vertex], faces: &[[u32; 3]]) -> bool {
        self.print == print(vertices, faces)
    }
}

/// 128 bits that differ where two meshes do: the sum of the products of pairs of words, each with a
/// key of its own. Two meshes that are not the same have the same sum once in 2^64 times.
#[allow(clippy::cast_possible_truncation, reason = "the halves")]
pub(crate) fn print(vertices: &[Vertex], faces: &[[u32; 3]]) -> [u64; 2] {
    let mut sum = Sum::default();
    sum.add(vertices.len() as u64, faces.len() as u64);
    for vertex in vertices {
        let [x, y, z] = vertex.position.to_array().map(f32::to_bits);
        let [nx, ny, nz] = vertex.normal.to_array().map(f32::to_bits);
        let [u, v] = vertex.uv.to_array().map(f32::to_bits);
        let [tangent, color] = [vertex.tangent.0, vertex.color.to_array()].map(u32::from_le_bytes);
        sum.add(pair(x, y), pair(z, nx));
        sum.add(pair(ny, nz), pair(u, v));
        sum.add(pair(tangent, color), 0);
    }
    for &[a, b, c] in faces {
        sum.add(pair(a, b), u64::from(c));
    }
    [sum.sum as u64, (sum.sum >> 64) as u64]
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[derive(Default)]
struct Sum {
    sum: u128,
    keys: [u64; 2],
}

impl Sum {
    #[inline(always)]
    fn add(&mut self, first: u64, second: u64) {
        // Digits of pi and of e, odd: the keys come back after 2^64 pairs.
        let [a, b] = self.keys;
        self.keys = [a.wrapping_add(0x243f_6a88_85a3_08d3), b.wrapping_add(0xb7e1_5162_8aed_2a6b)];
        let [a, b] = self.keys;
        let product = u128::from(first.wrapping_add(a)) * u128::from(second.wrapping_add(b));
        self.sum = self.sum.wrapping_add(product);
    }
}
