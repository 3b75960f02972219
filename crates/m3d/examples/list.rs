//! Prints what is in each model that is named: `cargo run --example list FILE…`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let model = m3d::from_slice(&bytes).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}: {} by {} ({})", model.name, model.author, model.license);
        println!("  {} m to a coordinate of 1, {:?}", model.scale_or_one(), model.layout.types());
        for chunk in m3d::chunks(&m3d::payload(&bytes)?)? {
            let chunk = chunk?;
            println!("  {} {:>10} bytes", chunk.tag, chunk.range.len());
        }
        println!("  {} vertices, {} faces", model.vertices.len(), model.face_count());
        for group in model.material_groups()? {
            println!("  material {:?}: {} triangles", group.name, group.mesh.triangles.len());
        }
        for bone in &model.bones {
            let parent = bone.parent.get().and_then(|parent| model.bones.get(parent));
            println!(
                "  bone {}, child of {}",
                bone.name,
                parent.map_or("none".into(), |parent| parent.name.to_string())
            );
        }
        for action in &model.actions {
            println!("  action {}: {} ms, {} frames", action.name, action.duration, action.frames.len());
        }
        for block in &model.voxel_blocks {
            println!("  block {:?} at {:?}, {:?} voxels", block.name, block.position, block.size);
        }
        for asset in &model.assets {
            println!("  asset {}: {} bytes", asset.name, asset.data.len());
        }
        for finding in m3d::check(&model) {
            println!("  {finding}");
        }
    }
    Ok(())
}
