//! Prints where the bones of a model are, and the size of its surface, at a time of an action:
//! `cargo run --example pose FILE ACTION MILLISECONDS`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use m3d::VertexId;
use m3d::geom::Aabb;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (path, name, time) = match (args.next(), args.next(), args.next()) {
        (Some(path), Some(name), Some(time)) => (path, name, time.parse::<f32>()?),
        _ => return Err("usage: pose FILE ACTION MILLISECONDS".into()),
    };
    let model = m3d::from_reader(std::fs::File::open(path)?)?;
    let action = model.action(&name).ok_or_else(|| {
        let names: Vec<String> = model.actions.iter().map(|action| action.name.to_string()).collect();
        format!("no action {name}, only {}", names.join(", "))
    })?;
    let pose = model.pose(action, time);
    for (bone, matrix) in model.bones.iter().zip(model.bone_matrices(&pose)) {
        println!("{:<32} {:?}", bone.name.to_string(), matrix.translation().to_array());
    }
    // What an engine does on the graphics card: every vertex under the bones that move it.
    let matrices = model.skinning_matrices(&pose);
    let used = model.meshes.iter().flat_map(|mesh| &mesh.vertices);
    let bounds = Aabb::from_points(used.filter_map(|&id: &VertexId| model.skinned_position(id, &matrices)));
    if let Some(bounds) = bounds {
        println!("from {:?} to {:?}", bounds.min.to_array(), bounds.max.to_array());
    }
    Ok(())
}
