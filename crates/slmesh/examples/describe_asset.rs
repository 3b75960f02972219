//! Prints what is in each asset that is named, and what is wrong with it:
//! `cargo run --example describe_asset FILE…`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use slmesh::{Asset, Kind, Slm};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let named = |error: slmesh::Error| format!("{path}: {error}");
        if slmesh::detect(&bytes) == Some(Kind::Slm) {
            let slm = Slm::from_slice(&bytes).map_err(named)?;
            println!("{path}: {} meshes, {} instances", slm.meshes.len(), slm.instances.len());
            slm.meshes.iter().for_each(describe);
            continue;
        }
        let view = slmesh::open(&bytes).map_err(named)?;
        println!("{path}: a header of {} bytes", view.start());
        for chunk in view.chunks() {
            let chunk = chunk.map_err(named)?;
            println!("  {}: {} bytes at {:#x}", chunk.name, chunk.payload.len(), chunk.range.start);
        }
        describe(&view.to_asset().map_err(named)?);
    }
    Ok(())
}

fn describe(asset: &Asset) {
    for (lod, level) in asset.levels().rev() {
        println!(
            "  {lod}: {} faces, {} triangles, {} vertices",
            level.submeshes.len(),
            level.triangle_count(),
            level.vertex_count()
        );
    }
    if let Some(bounds) = asset.bounds() {
        println!("  from {:?} to {:?}", bounds.min.to_array(), bounds.max.to_array());
    }
    if let Some(convex) = &asset.physics_convex {
        println!("  a hull of {} points, {} hulls", convex.bounding.len(), convex.hulls.len());
    }
    if let Some(skin) = &asset.skin {
        let names: Vec<String> = skin.joint_names.iter().map(ToString::to_string).collect();
        println!("  joints: {}", names.join(", "));
    }
    for finding in slmesh::check(asset) {
        println!("  {finding}");
    }
}
