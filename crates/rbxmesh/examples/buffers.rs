//! Makes what a graphics card takes from a mesh: `cargo run --example buffers FILE [LEVEL]`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

// ANCHOR: buffers
use rbxmesh::geom::TriMesh;
use rbxmesh::{Mesh, ReadOptions};

/// A vertex as a shader takes it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Vertex {
    /// In studs.
    pub position: [f32; 3],
    /// Usually of length 1.
    pub normal: [f32; 3],
    /// v grows downwards, as images are stored: the top left corner is 0, 0.
    pub uv: [f32; 2],
    /// Indices of the bones.
    pub joints: [u16; 4],
    /// Their weights; all 0 without a skin.
    pub weights: [f32; 4],
}

/// The vertices and the indices of a level of detail; level 0 is the finest.
pub fn buffers(mesh: &Mesh, level: usize) -> Option<(Vec<Vertex>, Vec<u32>)> {
    let TriMesh { positions, normals, uvs, joints, weights, triangles, .. } = mesh.to_tri_mesh(level)?;
    let vertices = positions.iter().enumerate().map(|(index, position)| Vertex {
        position: position.to_array(),
        normal: normals[index].to_array(),
        uv: uvs[index].to_array(),
        // Empty without a skin.
        joints: joints.get(index).copied().unwrap_or_default(),
        weights: weights.get(index).copied().unwrap_or_default(),
    });
    // Counter-clockwise, seen from outside.
    Some((vertices.collect(), triangles.concat()))
}
// ANCHOR_END: buffers

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: buffers FILE [LEVEL]")?;
    let level = args.next().map_or(Ok(0), |level| level.parse())?;

    let bytes = std::fs::read(path)?;
    // A mesh from anybody: never more than 64 MiB.
    let mesh = ReadOptions::new().max_bytes(64 << 20).read(&bytes)?;
    let (vertices, indices) = buffers(&mesh, level).ok_or("no such level")?;
    println!("{} vertices, {} indices", vertices.len(), indices.len());
    for bone in &mesh.bones {
        // From the mesh to the bone, which a skin of glTF or a shader needs.
        println!("{}: child of {:?}, {:?}", bone.name, bone.parent, bone.inverse_bind_pose());
    }
    Ok(())
}
// ANCHOR_END: main
