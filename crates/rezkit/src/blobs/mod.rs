//! The byte strings inside of Roblox properties: attributes, tags, terrain. Each is decoded on demand
//! and encoded to the same bytes; the bytes of a property that nobody edits are never touched.

pub mod attributes;
mod bytes;
mod grid;
pub mod physics_grid;
pub mod smooth_grid;
pub mod tags;

pub use attributes::{Attribute, Attributes};
pub use grid::Coordinates;
pub use physics_grid::PhysicsGrid;
pub use smooth_grid::{Chunk, SmoothGrid, Voxel};

/// How many bytes decoding a property takes at most: the values, and what is shown of them.
pub(crate) fn cost(property: &str, bytes: &[u8]) -> u64 {
    let of_a_byte = match property {
        "Tags" => 160,
        "AttributesSerialize" | "SerializedEmulatedPolicyInfo" => 64,
        "SmoothGrid" | "PhysicsGrid" => 40,
        _ => 0,
    };
    bytes.len() as u64 * of_a_byte
}
