//! Reads the triangles of any format into arrays, at their places in the world: `cargo run --example mesh_arrays FILE`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use rezkit::{SceneOptions, open};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: mesh_arrays FILE")?;
    let mut file = open(std::fs::read(&path)?, &path, ())?;
    let (scene, losses) = file.scene(&SceneOptions::new())?;
    losses.iter().for_each(|loss| println!("{loss}"));
    for primitive in scene.posed(&scene.pose()).flatten() {
        let mesh = &primitive.mesh;
        let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|point| point.to_array()).collect();
        let indices: &[u32] = mesh.triangles.as_flattened();
        let material = primitive.material.map_or("", |index| &scene.materials[index].name);
        println!("{material:?}: {} vertices, {} indices", positions.len(), indices.len());
    }
    Ok(())
}
