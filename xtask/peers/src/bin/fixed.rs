//! A small fixed set of tasks for counting instructions. `fixed NAME` prepares and runs a task, `fixed NAME prepare`
//! only prepares it; the difference is the cost of the task. `fixed` alone lists the names.

use std::hint::black_box;

/// A function that prepares a task, and returns the function that runs it.
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
    ("rbxbinary read", || Box::new(|| drop(black_box(rbxbinary::from_slice(RBXM))))),
    ("rbxbinary write", || {
        let document = rbxbinary::from_slice(RBXM).expect("a document");
        Box::new(move || drop(black_box(rbxbinary::to_vec(&document))))
    }),
    ("rbxxml read", || Box::new(|| drop(black_box(rbxxml::from_slice(RBXMX))))),
    ("rbxxml write", || {
        let document = rbxxml::from_slice(RBXMX).expect("a document");
        Box::new(move || drop(black_box(rbxxml::to_vec(&document))))
    }),
    ("m3d read", || Box::new(|| drop(black_box(m3d::from_slice(M3D))))),
    ("m3d read ASCII", || Box::new(|| drop(black_box(m3d::from_slice(A3D))))),
    ("m3d write", || {
        let model = m3d::from_slice(M3D).expect("a model");
        Box::new(move || drop(black_box(m3d::to_vec(&model))))
    }),
    ("slmesh read", || Box::new(|| drop(black_box(slmesh::from_slice(SLMESH))))),
    ("llsd read binary", || {
        let bytes = llsd::write_binary(&rows()).expect("writes");
        Box::new(move || drop(black_box(llsd::read_binary(&bytes))))
    }),
    ("llsd read XML", || {
        let bytes = llsd::to_vec(&rows(), llsd::Encoding::Xml).expect("writes");
        Box::new(move || drop(black_box(llsd::read_xml(&bytes))))
    }),
    ("llsd write notation", || {
        let value = rows();
        Box::new(move || drop(black_box(llsd::to_vec(&value, llsd::Encoding::Notation))))
    }),
];

const RBXM: &[u8] = include_bytes!("../../../../fixtures/rbxbinary/types.rbxm");
const RBXMX: &[u8] = include_bytes!("../../../../fixtures/rbxxml/every_type.rbxmx");
const M3D: &[u8] = include_bytes!("../../../../fixtures/m3d/mesh-polygons.m3d");
const A3D: &[u8] = include_bytes!("../../../../fixtures/m3d/ascii-all.a3d");
const SLMESH: &[u8] = include_bytes!("../../../../fixtures/slmesh/all.llmesh");

/// An array of a thousand maps.
fn rows() -> llsd::Value {
    let row = "{'id':i7,'name':'object','scale':[r0.5,r1.25,r-3.75]},";
    let text = format!("[{}]", row.repeat(1000));
    llsd::read_notation(text.as_bytes()).expect("a value")
}

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
        // Drop it, as it would be dropped after the run.
        Some(_) => drop(run),
    }
}

/// A mesh with 2,000 vertices.
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
