//! Prints the content of each mesh that is named: `cargo run --example describe_mesh FILE…`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let mesh =
            rbxmesh::from_reader(std::fs::File::open(&path)?).map_err(|error| format!("{path}: {error}"))?;
        println!("{path}: version {}", mesh.version);
        println!("  {} vertices, {} faces", mesh.vertices.len(), mesh.faces.len());
        if let Some(bounds) = mesh.bounds() {
            println!("  from {:?} to {:?}", bounds.min.to_array(), bounds.max.to_array());
        }
        for (level, faces) in mesh.levels().enumerate() {
            println!("  level {level}: {} faces", faces.len());
        }
        for bone in &mesh.bones {
            let parent = bone.parent.and_then(|parent| mesh.bones.get(usize::from(parent)));
            println!("  bone {}, child of {:?}", bone.name, parent.map(|parent| &parent.name));
        }
        if let Some(facs) = &mesh.facs {
            println!("  facial animation: {} bones, {} poses", facs.face_bones.len(), facs.pose_count());
        }
        for chunk in &mesh.layout.chunks {
            println!("  chunk {:?} of version {}", chunk.tag, chunk.version);
        }
        if let Some(stream) = &mesh.layout.draco {
            println!("  {} bytes of Draco, {:?}", stream.bytes().len(), mesh.layout.normal_grid);
        }
        for finding in rbxmesh::check(&mesh) {
            println!("  {finding}");
        }
    }
    Ok(())
}
