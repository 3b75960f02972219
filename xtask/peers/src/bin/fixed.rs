//! A small fixed set of things to do, for counting instructions: `fixed NAME` prepares and does one, `fixed NAME
//! prepare` only prepares it; the difference is what it costs. `fixed` alone lists the names.

use std::hint::black_box;

/// What is done: prepared by the outer function, done by the inner.
type Prepare = fn() -> Box<dyn FnOnce()>;

const ALL: &[(&str, Prepare)] = &[
    ("rbxmesh read 1.01", || {
        let bytes = mesh(rbxmesh::Version::V1_01);
        Box::new(move || drop(black_box(rbxmesh::from_slice(&bytes))))
    }),
    ("rbxmesh read 5.00", || {
        let bytes = mesh(rbxmesh::Version::V5_00);
        Box::new(move || drop(black_box(rbxmesh::from_slice(&bytes))))
    }),
    ("rbxmesh write 5.00", || {
        let mesh = rbxmesh::from_slice(&mesh(rbxmesh::Version::V5_00)).expect("a mesh");
        Box::new(move || drop(black_box(rbxmesh::to_vec(&mesh))))
    }),
];

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(name) = args.next() else {
        for (name, _) in ALL {
            println!("{name}");
        }
        return;
    };
    let (_, prepare) = ALL.iter().find(|(other, _)| *other == name).expect("a name of the list");
    let run = prepare();
    match args.next() {
        None => run(),
        // Dropped as it would be afterwards.
        Some(_) => drop(run),
    }
}

/// A sheet of 2,000 vertices.
fn mesh(version: rbxmesh::Version) -> Vec<u8> {
    let mut mesh = rbxmesh::Mesh { version, ..Default::default() };
    mesh.vertices.resize_with(2000, Default::default);
    for (index, vertex) in mesh.vertices.iter_mut().enumerate() {
        vertex.position.x = index as f32 * 0.015625;
        vertex.normal.y = 1.0;
        vertex.uv.x = index as f32 / 2048.0;
    }
    mesh.faces = (0..1998).map(|face| [face, face + 1, face + 2]).collect();
    rbxmesh::to_vec(&mesh).expect("a mesh")
}
