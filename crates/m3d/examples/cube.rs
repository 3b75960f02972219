//! Builds a cube of two metres with a red material and saves it: `cargo run --example cube OUT`.

use m3d::geom::{Rgba8, Vec3};
use m3d::{Builder, Coordinates, Corners, Material, Mesh, PropertyId, Value, WriteOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: cube OUT")?;
    let mut builder = Builder::new();
    builder.model.name = "cube".into();
    builder.model.license = "CC0".into();

    let mut red = Material { name: "red".into(), ..Material::default() };
    red.set(PropertyId::DIFFUSE, Value::Color(Rgba8::new(200, 30, 30, 255)));
    red.set(PropertyId::ROUGHNESS, Value::Float(0.5));
    builder.model.materials.push(red);

    let mut mesh = Mesh::default();
    mesh.use_material("red");
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            // Two directions along the side, in an order that makes it look outwards.
            let (u, v) =
                if side > 0.0 { ((axis + 1) % 3, (axis + 2) % 3) } else { ((axis + 2) % 3, (axis + 1) % 3) };
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| {
                let mut point = [0.0; 3];
                (point[axis], point[u], point[v]) = (side, a, b);
                builder.point(Vec3::from(point))
            });
            let mut normal = [0.0; 3];
            normal[axis] = side;
            let normal = builder.normal(Vec3::from(normal));
            for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
                mesh.push(Corners {
                    vertices: &[corners[a], corners[b], corners[c]],
                    normals: &[normal; 3],
                    ..Corners::default()
                })?;
            }
        }
    }
    builder.model.meshes.push(mesh);
    let model = builder.finish();
    if let Some(finding) = m3d::check(&model).first() {
        return Err(finding.to_string().into());
    }
    // A cube needs no more than a byte for each coordinate.
    std::fs::write(path, WriteOptions::new().coordinates(Coordinates::Int8).write(&model)?)?;
    Ok(())
}
