//! Turns a level of an asset into an OBJ file on the standard output, a group for each face:
//! `cargo run --example asset_to_obj FILE [lowest|low|medium|high]`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

use slmesh::Lod;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: asset_to_obj FILE [lowest|low|medium|high]")?;
    let lod = match args.next().as_deref() {
        Some("lowest") => Lod::Lowest,
        Some("low") => Lod::Low,
        Some("medium") => Lod::Medium,
        Some("high") | None => Lod::High,
        Some(other) => {
            return Err(format!("expected the level lowest, low, medium or high, found {other:?}").into());
        }
    };
    let bytes = std::fs::read(&path)?;
    // Only this block is decoded.
    let Some((shown, level)) = slmesh::open(&bytes)?.lod(lod)? else {
        return Err("the asset has no level of detail".into());
    };
    println!("# {shown} of {path}");
    let mut first = 1;
    for (index, submesh) in level.submeshes.iter().enumerate() {
        let mesh = submesh.to_tri_mesh();
        println!("g face{index}");
        for p in &mesh.positions {
            println!("v {} {} {}", p.x, p.y, p.z);
        }
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|vertex| vertex + first);
            println!("f {a} {b} {c}");
        }
        first += u32::try_from(mesh.positions.len())?;
    }
    Ok(())
}
