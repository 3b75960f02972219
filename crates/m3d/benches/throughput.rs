//! How many bytes of a model are read and written in a second: `cargo bench -p m3d-format`.
//!
//! `copy` is the limit: allocating as many bytes and copying them.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark has no readers of its documentation")]

use divan::Bencher;
use divan::counter::BytesCount;
use m3d::geom::{TriMesh, Vec2, Vec3};
use m3d::{Model, WriteOptions};

fn main() {
    divan::main();
}

/// A wavy sheet of `side * side` vertices with normals and texture coordinates.
fn sheet(side: u16) -> Model {
    let at = |x: u16, y: u16| {
        let (x, y) = (f32::from(x) * 0.37, f32::from(y) * 0.41);
        (Vec3::new(x, (x * 0.7).sin() * (y * 0.3).cos(), y), Vec2::new(x.fract(), y.fract()))
    };
    let places = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let wide = u32::from(side);
    let corner = |(x, y): (u16, u16)| u32::from(y) * wide + u32::from(x);
    let cells = places().filter(|&(x, y)| x + 1 < side && y + 1 < side).map(corner);
    let mesh = TriMesh {
        positions: places().map(|(x, y)| at(x, y).0).collect(),
        normals: places().map(|(x, y)| at(y, x).0.normalize().unwrap_or_default()).collect(),
        uvs: places().map(|(x, y)| at(x, y).1).collect(),
        triangles: cells.flat_map(|a| [[a, a + wide, a + 1], [a + 1, a + wide, a + wide + 1]]).collect(),
        ..TriMesh::default()
    };
    Model::from_tri_mesh(&mesh).expect("a sheet is a mesh")
}

fn file(side: u16, raw: bool) -> Vec<u8> {
    WriteOptions::new().raw(raw).write(&sheet(side)).expect("a sheet is a model")
}

const SIDES: [u16; 3] = [32, 256, 1000];

#[divan::bench(args = SIDES)]
fn copy(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side, true);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| bytes.clone());
}

#[divan::bench(args = SIDES)]
fn read_raw(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side, true);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| m3d::from_slice(&bytes));
}

#[divan::bench(args = SIDES)]
fn write_raw(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side, true);
    let model = m3d::from_slice(&bytes).expect("it was written");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| m3d::to_vec(&model));
}

/// Counted in bytes after decompression.
#[divan::bench(args = SIDES)]
fn read_compressed(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side, false);
    let payload = m3d::payload(&bytes).expect("it was written").len();
    bencher.counter(BytesCount::new(payload)).bench(|| m3d::from_slice(&bytes));
}

/// Counted in bytes before compression.
#[divan::bench(args = SIDES)]
fn write_compressed(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side, true);
    let model = m3d::from_slice(&bytes).expect("it was written");
    let options = WriteOptions::new().raw(false);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| options.write(&model));
}

#[divan::bench(args = SIDES)]
fn to_tri_mesh(bencher: Bencher<'_, '_>, side: u16) {
    let model = sheet(side);
    bencher.counter(BytesCount::of_slice(&file(side, true))).bench(|| model.to_tri_mesh().unwrap());
}

#[divan::bench(args = SIDES)]
fn from_tri_mesh(bencher: Bencher<'_, '_>, side: u16) {
    let mesh = sheet(side).to_tri_mesh().unwrap();
    bencher.counter(BytesCount::of_slice(&file(side, true))).bench(|| Model::from_tri_mesh(&mesh).unwrap());
}

/// Counted in bytes of the text.
#[divan::bench(args = SIDES)]
fn read_text(bencher: Bencher<'_, '_>, side: u16) {
    let text = m3d::to_string(&sheet(side)).expect("a sheet is a model");
    bencher.counter(BytesCount::of_str(&text)).bench(|| m3d::from_str(&text));
}

#[divan::bench(args = SIDES)]
fn write_text(bencher: Bencher<'_, '_>, side: u16) {
    let model = sheet(side);
    let text = m3d::to_string(&model).expect("a sheet is a model");
    bencher.counter(BytesCount::of_str(&text)).bench(|| m3d::to_string(&model));
}
