//! Builds an asset from nothing, a sphere of four levels that bends between two joints, and checks it:
//! `cargo run --example sphere FILE`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use slmesh::geom::{Mat4, TriMesh, Vec2, Vec3};
use slmesh::{Builder, Lod, Skin};

/// A sphere of a diameter of 1 with a number of rings: the lower a point is, the more it follows the first joint.
fn sphere(rings: u32) -> TriMesh {
    let sides = rings * 2;
    let mut mesh = TriMesh::default();
    for ring in 0..=rings {
        for side in 0..=sides {
            let (u, v) = (side as f32 / sides as f32, ring as f32 / rings as f32);
            let (around, down) = (u * std::f32::consts::TAU, v * std::f32::consts::PI);
            let normal = Vec3::new(down.sin() * around.cos(), down.sin() * around.sin(), down.cos());
            mesh.positions.push(normal * 0.5);
            mesh.normals.push(normal);
            mesh.uvs.push(Vec2::new(u, v));
            mesh.joints.push([0, 1, 0, 0]);
            let upper = down.cos() / 2.0 + 0.5;
            mesh.weights.push([1.0 - upper, upper, 0.0, 0.0]);
        }
    }
    let at = |ring: u32, side: u32| ring * (sides + 1) + side;
    for ring in 0..rings {
        for side in 0..sides {
            let (a, b) = (at(ring, side), at(ring + 1, side));
            if ring + 1 < rings {
                mesh.triangles.push([a, b, b + 1]);
            }
            if ring > 0 {
                mesh.triangles.push([a, b + 1, a + 1]);
            }
        }
    }
    mesh
}

// ANCHOR: main
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: sphere FILE")?;
    let joint = |z: f32| Mat4::from_translation(Vec3::new(0.0, 0.0, z));
    let asset = Builder::new()
        .level(Lod::High, [sphere(32)])
        .level(Lod::Medium, [sphere(16)])
        .level(Lod::Low, [sphere(8)])
        .level(Lod::Lowest, [sphere(4)])
        .skin(Skin::new([("mPelvis", joint(-1.067)), ("mTorso", joint(-1.151))]))
        .bounding_hull(sphere(6).positions)
        .build()?;
    for finding in slmesh::check(&asset) {
        println!("{finding}");
    }
    let bytes = slmesh::to_vec(&asset)?;
    println!("{} bytes, {} triangles", bytes.len(), asset.triangle_count(Lod::High));
    Ok(std::fs::write(path, bytes)?)
}
// ANCHOR_END: main
