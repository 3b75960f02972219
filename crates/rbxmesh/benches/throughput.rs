//! How many bytes of a mesh are read and written in a second: `cargo bench -p rbxmesh`.
//!
//! `copy` is the limit: allocating as many bytes and copying them.
#![allow(missing_docs, reason = "a benchmark has no readers of its documentation")]

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::BytesCount;
use rbxmesh::geom::{TriMesh, Vec2, Vec3};
use rbxmesh::{LodChoice, Mesh, Version};

fn main() {
    divan::main();
}

/// A wavy sheet of `side * side` vertices.
fn sheet(side: u16) -> Mesh {
    let at = |x: u16, y: u16| {
        let (x, y) = (f32::from(x) * 0.37, f32::from(y) * 0.41);
        (Vec3::new(x, (x * 0.7).sin() * (y * 0.3).cos(), y), Vec2::new(x.fract(), y.fract()))
    };
    let cells = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let wide = u32::from(side);
    let corner = |(x, y): (u16, u16)| u32::from(y) * wide + u32::from(x);
    let corners = cells().filter(|&(x, y)| x + 1 < side && y + 1 < side).map(corner);
    let mesh = TriMesh {
        positions: cells().map(|(x, y)| at(x, y).0).collect(),
        normals: cells().map(|(x, y)| at(y, x).0.normalize().unwrap_or_default()).collect(),
        uvs: cells().map(|(x, y)| at(x, y).1).collect(),
        triangles: corners.flat_map(|a| [[a, a + wide, a + 1], [a + 1, a + wide, a + wide + 1]]).collect(),
        ..TriMesh::default()
    };
    Mesh::from_tri_mesh(&mesh).expect("a consistent mesh")
}

/// The sheet as another version, in 7.00 with normals rounded as Roblox does.
fn sheet_of(version: Version, side: u16) -> Mesh {
    let (mut mesh, _) = sheet(side).to_version(version, LodChoice::First);
    if version == Version::V7_00 {
        mesh.round_normals(11).expect("finite normals");
    }
    mesh
}

fn file(version: Version, side: u16) -> Vec<u8> {
    rbxmesh::to_vec(&sheet_of(version, side)).expect("a sheet fits every version")
}

/// A file of 1.01 as the programs of its day wrote it: six significant digits.
fn text(side: u16) -> Vec<u8> {
    let mesh = sheet(side);
    let short = |number: f32| {
        let six: f64 = format!("{number:.5e}").parse().unwrap_or_default();
        if six != 0.0 && six.abs() < 1e-4 { format!("{six:e}") } else { six.to_string() }
    };
    let mut text = format!("version 1.01\n{}\n", mesh.faces.len());
    for &index in mesh.faces.iter().flatten() {
        let vertex = &mesh.vertices[index as usize];
        let uv = [vertex.uv.x, 1.0 - vertex.uv.y, 0.0];
        for [x, y, z] in [vertex.position.to_array(), vertex.normal.to_array(), uv] {
            let _infallible = write!(text, "[{},{},{}]", short(x), short(y), short(z));
        }
    }
    text.into_bytes()
}

const SIDES: [u16; 3] = [32, 256, 1000];

#[divan::bench(args = SIDES)]
fn copy(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(Version::V2_00, side);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| bytes.clone());
}

#[divan::bench(args = SIDES)]
fn read_2_00(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(Version::V2_00, side);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::from_slice(&bytes));
}

#[divan::bench(args = SIDES)]
fn write_2_00(bencher: Bencher<'_, '_>, side: u16) {
    let mesh = sheet(side);
    bencher.counter(BytesCount::of_slice(&file(Version::V2_00, side))).bench(|| rbxmesh::to_vec(&mesh));
}

#[divan::bench(args = SIDES)]
fn read_4_01(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(Version::V4_01, side);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::from_slice(&bytes));
}

#[divan::bench(args = [16, 64, 256])]
fn read_1_01(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = text(side);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::from_slice(&bytes));
}

#[divan::bench(args = [16, 64, 256])]
fn write_1_01(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = text(side);
    let mesh = rbxmesh::from_slice(&bytes).expect("the text above is a mesh");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::to_vec(&mesh));
}

#[divan::bench(args = SIDES)]
fn read_7_00(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(Version::V7_00, side);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::from_slice(&bytes));
}

/// Compressed anew, as after an edit.
#[divan::bench(args = SIDES)]
fn write_7_00(bencher: Bencher<'_, '_>, side: u16) {
    let mesh = sheet_of(Version::V7_00, side);
    bencher.counter(BytesCount::of_slice(&file(Version::V7_00, side))).bench(|| rbxmesh::to_vec(&mesh));
}

/// Nobody edited it: the stream is written again.
#[divan::bench(args = SIDES)]
fn rewrite_7_00(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(Version::V7_00, side);
    let mesh = rbxmesh::from_slice(&bytes).expect("what was written reads");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxmesh::to_vec(&mesh));
}
