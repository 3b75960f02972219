//! The compressed stream that a mesh was read from.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use crate::model::Vertex;

/// A Draco stream as it is in the file, and what tells whether vertices and faces are still those of it.
///
/// Other streams can contain the same mesh. Until the vertices and the faces are edited, the stream
/// itself is written again. Whether they were edited is decided by a hash of all their bits, computed
/// once in reading and once in writing: that is faster than to decode the stream again, and needs no
/// second copy of the mesh. Its keys are random and secret, new in each process, so that no
/// edit can be made to go unnoticed.
#[derive(Clone, Debug)]
pub struct DracoStream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) fingerprint: u64,
    pub(crate) compressed_faces: bool,
    pub(crate) others: u32,
}

/// The other fields are computed from the bytes.
impl PartialEq for DracoStream {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl DracoStream {
    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the faces are compressed in the stream; those that Roblox writes are not.
    pub fn has_compressed_faces(&self) -> bool {
        self.compressed_faces
    }

    /// How many attributes of the stream a vertex does not have.
    pub fn other_attributes(&self) -> u32 {
        self.others
    }

    /// Whether the stream contains these vertices and faces, to the bit.
    pub(crate) fn contains(&self, vertices: &[Vertex], faces: &[[u32; 3]]) -> bool {
        self.fingerprint == fingerprint(vertices, faces)
    }
}

/// How many pairs of words are added up before the sum is hashed.
const BLOCK: usize = 48;

/// What hashes vertices and faces: a random pair of words for each pair of a block, and the hasher of the
/// standard library with random keys.
struct Keys {
    pairs: [[u64; 2]; BLOCK],
    state: RandomState,
}

static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let secret = RandomState::new();
    let pairs = std::array::from_fn(|index| [secret.hash_one((index, 0)), secret.hash_one((index, 1))]);
    Keys { pairs, state: RandomState::new() }
});

/// A hash with a random key: equal bits have an equal one, and others do with a chance of about one in 2^63, even
/// where an attacker chose them.
///
/// Each block of words is reduced to the sum of the products of its pairs, each word with a random
/// number added (NH, the first half of UMAC), and the sums go through a keyed SipHash.
pub(crate) fn fingerprint(vertices: &[Vertex], faces: &[[u32; 3]]) -> u64 {
    let Keys { pairs: keys, state } = &*KEYS;
    let mut hasher = state.build_hasher();
    hasher.write_usize(vertices.len());
    hasher.write_usize(faces.len());
    for block in vertices.chunks(BLOCK / 3) {
        let mut sum = 0;
        for (vertex, [a, b, c]) in block.iter().zip(keys.as_chunks::<3>().0) {
            let [x, y, z] = vertex.position.to_array().map(f32::to_bits);
            let [nx, ny, nz] = vertex.normal.to_array().map(f32::to_bits);
            let [u, v] = vertex.uv.to_array().map(f32::to_bits);
            let [tangent, color] = [vertex.tangent.0, vertex.color.to_array()].map(u32::from_le_bytes);
            add(&mut sum, a, word(x, y), word(z, nx));
            add(&mut sum, b, word(ny, nz), word(u, v));
            add(&mut sum, c, word(tangent, color), 0);
        }
        hasher.write_u128(sum);
    }
    for block in faces.chunks(BLOCK) {
        let mut sum = 0;
        for (&[a, b, c], keys) in block.iter().zip(keys) {
            add(&mut sum, keys, word(a, b), c.into());
        }
        hasher.write_u128(sum);
    }
    hasher.finish()
}

fn word(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

#[inline(always)]
fn add(sum: &mut u128, &[a, b]: &[u64; 2], first: u64, second: u64) {
    let product = u128::from(first.wrapping_add(a)) * u128::from(second.wrapping_add(b));
    *sum = sum.wrapping_add(product);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With known keys the edits below kept the sum: a change of one word made up for by another.
    #[test]
    fn no_change_goes_unnoticed() {
        let vertices = vec![Vertex::default(); 100];
        let faces: Vec<_> = (0..100).map(|a| [a, a + 1, a + 2]).collect();
        let before = fingerprint(&vertices, &faces);
        assert_eq!(fingerprint(&vertices.clone(), &faces.clone()), before);
        for index in 0..100 {
            for bit in 0..32 {
                let mut edited = vertices.clone();
                edited[index].position.z = f32::from_bits(1 << bit);
                assert_ne!(fingerprint(&edited, &faces), before);
                let mut edited = faces.clone();
                edited[index][2] ^= 1 << bit;
                assert_ne!(fingerprint(&vertices, &edited), before);
            }
        }
        let swapped: Vec<_> = (0..100).map(|a| faces[a ^ 1]).collect();
        assert_ne!(fingerprint(&vertices, &swapped), before);
        assert_ne!(fingerprint(&vertices[1..], &faces), before);
    }
}
