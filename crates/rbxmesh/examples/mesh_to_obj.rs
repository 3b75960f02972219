//! Prints the finest level of a mesh as an OBJ file: `cargo run --example mesh_to_obj FILE > out.obj`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: mesh_to_obj FILE")?;
    let mesh = rbxmesh::from_reader(std::fs::File::open(path)?)?;
    let level = mesh.to_tri_mesh(0).ok_or("no faces")?;
    for p in &level.positions {
        println!("v {} {} {}", p.x, p.y, p.z);
    }
    for uv in &level.uvs {
        // OBJ's v grows upwards.
        println!("vt {} {}", uv.x, 1.0 - uv.y);
    }
    for n in &level.normals {
        println!("vn {} {} {}", n.x, n.y, n.z);
    }
    for [a, b, c] in level.triangles.iter().map(|triangle| triangle.map(|index| index + 1)) {
        println!("f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c}");
    }
    Ok(())
}
