//! Meshes and models, compared with rbx_mesh, the SDK of Model 3D, and inflating and deflating alone.

use std::io::Cursor;
use std::rc::Rc;

use binrw::BinWriterExt as _;
use m3d::geom::{TriMesh, Vec2, Vec3};
use zlib_rs::{DeflateFlush, InflateFlush};

use crate::{Rng, Row, SIZES, real, sdk};

pub fn rows() -> impl Iterator<Item = Row> {
    rbxmesh_rows().into_iter().chain(m3d_rows()).chain(slmesh_rows())
}

fn rbxmesh_rows() -> Vec<Row> {
    let read = |name: &str, bytes: Vec<u8>| {
        let theirs = bytes.clone();
        Row::new("rbxmesh", name, move || rbxmesh::from_slice(&bytes).expect("a mesh"))
            .peer(move || rbx_mesh::read_mesh_versioned(Cursor::new(&theirs[..])).expect("a mesh"))
    };
    let mesh = sheet(SIZES[0].1 * 64 / 500);
    let (text, _) = mesh.to_version(rbxmesh::Version::V1_01, rbxmesh::LodChoice::First);
    let large = sheet(SIZES[1].1);
    let bytes = rbxmesh::to_vec(&large).expect("writes");
    let theirs = rbx_mesh::read_mesh_versioned(Cursor::new(&bytes)).expect("they read it too");
    let mut rows = vec![
        read("read 1.01 (text), 1 MB", rbxmesh::to_vec(&text).expect("writes")),
        read("read 2.00, 32 MB", bytes),
        Row::new("rbxmesh", "write 2.00, 32 MB", move || rbxmesh::to_vec(&large).expect("writes")).peer(
            move || {
                let rbx_mesh::mesh::Mesh::V2(mesh) = &theirs else { panic!("a mesh of 2.00") };
                let mut out = Cursor::new(Vec::new());
                out.write_le(mesh).expect("writes");
                out
            },
        ),
    ];
    rows.extend(real("rbxmesh", "sphere.mesh").map(|bytes| read("read a real file, 2.00, 312 kB", bytes)));
    rows.extend(real("rbxmesh", "mesh7_100025761449828.bin").map(|bytes| {
        let core = rbxmesh::chunks(&bytes).expect("a mesh").next().expect("a chunk").expect("a whole one");
        // Skip the size of the stream.
        let stream = core.payload[4..].to_vec();
        Row::new("rbxmesh", "read a real file, 7.00, 127 kB", move || {
            rbxmesh::from_slice(&bytes).expect("a mesh")
        })
        .peer(move || {
            let (mut mesh, mut buffer) = (draco_core::Mesh::new(), draco_core::DecoderBuffer::new(&stream));
            draco_core::MeshDecoder::new().decode(&mut buffer, &mut mesh).expect("a stream");
            mesh
        })
    }));
    rows
}

/// A mesh of version 2.00 whose file has about this size: vertices of 40 bytes, and two faces for each of them.
fn sheet(size: usize) -> rbxmesh::Mesh {
    let vertices = (size / 64) as u32;
    let mut rng = Rng(1);
    let mut mesh = rbxmesh::Mesh { version: rbxmesh::Version::V2_00, ..Default::default() };
    mesh.vertices.resize_with(vertices as usize, || {
        let mut vertex = rbxmesh::Vertex::default();
        vertex.position = [(); 3].map(|()| rng.unit()).into();
        vertex.normal = [(); 3].map(|()| rng.unit()).into();
        vertex.uv = [(); 2].map(|()| rng.unit()).into();
        vertex
    });
    mesh.faces = (0..vertices * 2).map(|face| [0, 1, 2].map(|corner| (face + corner) % vertices)).collect();
    mesh
}

fn m3d_rows() -> Vec<Row> {
    let ended = |bytes: &[u8]| [bytes, &[0; 64]].concat();
    let model = Rc::new(wavy(SIZES[1].1));
    let read = |name: String, bytes: Vec<u8>| {
        let theirs = ended(&bytes);
        Row::new("m3d", name, move || m3d::from_slice(&bytes).expect("a model"))
            .peer(move || sdk::Model::open(&theirs))
    };
    let write = |model: &m3d::Model, form: i32| match form {
        2 => m3d::to_string(model).expect("writes").into_bytes(),
        _ => m3d::WriteOptions::new().raw(form == 1).write(model).expect("writes"),
    };
    let forms = [("uncompressed", 1), ("zlib", 0), ("text", 2)];
    let mut rows: Vec<Row> =
        forms.iter().map(|(name, form)| read(format!("read {name}, 32 MB"), write(&model, *form))).collect();
    rows.extend(real("m3d", "CesiumMan.m3d").map(|bytes| read("read a real file, zlib".into(), bytes)));
    let raw: &'static [u8] = ended(&write(&model, 1)).leak();
    rows.extend(forms.map(|(name, form)| {
        let (model, theirs) = (Rc::clone(&model), sdk::Model::open(raw));
        Row::new("m3d", format!("write {name}, 32 MB"), move || write(&model, form))
            .peer(move || theirs.save(form))
    }));
    rows
}

/// A wavy sheet whose uncompressed file has about this size.
fn wavy(size: usize) -> m3d::Model {
    let side = ((size / 60) as f64).sqrt() as u32;
    let at = |index: u32| ((index % side) as f32 / side as f32, (index / side) as f32 / side as f32);
    let (vertices, mut mesh) = (0..side * side, TriMesh::default());
    for (x, y) in vertices.clone().map(at) {
        mesh.positions.push(Vec3::new(
            x * 2.0 - 1.0,
            (x * 12.0).sin() * (y * 9.0).cos() * 0.3,
            y * 2.0 - 1.0,
        ));
        let normal = Vec3::new((x * 11.0).cos(), 1.0, (y * 7.0).sin());
        mesh.normals.push(normal.normalize().unwrap_or_default());
        mesh.uvs.push(Vec2::new(x, y));
    }
    let corners = vertices.filter(|v| v % side + 1 < side && v / side + 1 < side);
    mesh.triangles = corners.flat_map(|v| [[v, v + side, v + 1], [v + 1, v + side, v + side + 1]]).collect();
    m3d::Model::from_tri_mesh(&mesh).expect("a sheet is a mesh")
}

fn slmesh_rows() -> Vec<Row> {
    let mut rows = both(
        ["read, 32 MB", "write all blocks, 32 MB"],
        slmesh::to_vec(&submeshes(SIZES[1].1)).expect("writes"),
    );
    let mesh = real("slmesh", "c34f02b8-a670-4f32-856a-5d49afe41fd7_mesh.llmesh");
    let names = ["read a real mesh, 77 kB", "write all blocks of the real mesh"];
    rows.extend(mesh.into_iter().flat_map(|bytes| both(names, bytes)));
    rows
}

fn both([read, write]: [&str; 2], bytes: Vec<u8>) -> Vec<Row> {
    let asset = slmesh::from_slice(&bytes).expect("an asset");
    let blocks: Vec<Vec<u8>> = slmesh::chunks(&bytes)
        .expect("an asset")
        .filter_map(|chunk| Some(chunk.ok()?.payload.to_vec()))
        .filter(|block| block.starts_with(&[0x78]))
        .collect();
    let inflated = |block: &Vec<u8>| miniz_oxide::inflate::decompress_to_vec_zlib(block).expect("inflates");
    let whole: Vec<Vec<u8>> = blocks.iter().map(inflated).collect();
    let most = whole.iter().map(Vec::len).max().unwrap_or_default();
    vec![
        Row::new("slmesh", read, move || slmesh::from_slice(&bytes).expect("an asset")).peer(move || {
            let (mut inflate, mut place) = (zlib_rs::Inflate::new(true, 15), vec![0; most]);
            for block in &blocks {
                inflate.reset(true);
                inflate.decompress(block, &mut place, InflateFlush::Finish).expect("inflates");
            }
        }),
        // With `fresh`, since otherwise the compressed blocks that were kept would be written.
        Row::new("slmesh", write, move || {
            slmesh::WriteOptions::new().fresh(true).write(&asset).expect("writes")
        })
        .peer(move || {
            let mut deflate = zlib_rs::Deflate::new(9, true, 15);
            let mut place = vec![0; most + most / 1000 + 64];
            for block in &whole {
                deflate.reset();
                deflate.compress(block, &mut place, DeflateFlush::Finish).expect("deflates");
            }
        }),
    ]
}

/// An asset with submeshes of 32,768 vertices; each vertex with its triangles takes 28 bytes.
fn submeshes(size: usize) -> slmesh::Asset {
    const VERTICES: usize = 1 << 15;
    let mut rng = Rng(4);
    let corner = |at: usize| (at % VERTICES) as u16;
    let submesh = |_| slmesh::Submesh {
        positions: (0..VERTICES).map(|_| [(); 3].map(|()| (rng.next() & 0xfff) as u16)).collect(),
        normals: (0..VERTICES).map(|at| [at as u16, 0x8000, 0xffff]).collect(),
        tex_coord0_domain: Some(slmesh::Domain { min: [0.0; 2], max: [1.0; 2] }),
        tex_coords0: (0..VERTICES).map(|at| [(at % 256) as u16, (at / 256) as u16]).collect(),
        triangles: (0..2 * VERTICES).map(|at| [corner(at), corner(at + 1), corner(at + 256)]).collect(),
        ..slmesh::Submesh::default()
    };
    let submeshes = (0..size / (VERTICES * 28)).map(submesh).collect();
    let level = slmesh::Level { submeshes, ..slmesh::Level::default() };
    slmesh::Asset { high_lod: Some(level), ..slmesh::Asset::default() }
}
