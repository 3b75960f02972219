//! How many inflated bytes of an asset are decoded in a second: `cargo bench -p slmesh`.
//!
//! `inflate` is the limit: inflating the same blocks and doing nothing with them.
#![allow(missing_docs, reason = "a benchmark has no readers of its documentation")]

use divan::Bencher;
use divan::counter::BytesCount;
use slmesh::geom::{TriMesh, Vec2, Vec3};
use slmesh::{Asset, Builder, Domain, Lod, WriteOptions};

fn main() {
    divan::main();
}

/// A wavy sheet of `side * side` vertices, in four levels.
fn sheet(side: u16) -> Asset {
    let level = |side: u16| {
        let at = |x: u16, y: u16| {
            let (u, v) = (f32::from(x) / f32::from(side - 1), f32::from(y) / f32::from(side - 1));
            (Vec3::new(u - 0.5, (u * 17.0).sin() * (v * 13.0).cos() * 0.3, v - 0.5), Vec2::new(u, v))
        };
        let places = || (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
        let wide = u32::from(side);
        let corner = |(x, y): (u16, u16)| u32::from(y) * wide + u32::from(x);
        let cells = places().filter(|&(x, y)| x + 1 < side && y + 1 < side).map(corner);
        TriMesh {
            positions: places().map(|(x, y)| at(x, y).0).collect(),
            normals: places().map(|(x, y)| at(y, x).0.normalize().unwrap_or_default()).collect(),
            uvs: places().map(|(x, y)| at(x, y).1).collect(),
            triangles: cells.flat_map(|a| [[a, a + wide, a + 1], [a + 1, a + wide, a + wide + 1]]).collect(),
            ..TriMesh::default()
        }
    };
    let levels = Lod::ALL.into_iter().zip([8, 4, 2, 1]);
    let builder = levels.fold(Builder::new(), |all, (lod, part)| all.level(lod, [level(side / part)]));
    builder.build().expect("a sheet is a mesh")
}

fn file(side: u16) -> Vec<u8> {
    slmesh::to_vec(&sheet(side)).expect("a sheet can be written")
}

fn inflated(bytes: &[u8]) -> usize {
    let view = slmesh::open(bytes).expect("an asset");
    let sizes = view.chunks().flatten().filter_map(|chunk| view.inflate(&chunk.name.to_string()).ok()?);
    sizes.map(|inside| inside.len()).sum()
}

const SIDES: [u16; 2] = [32, 200];

#[divan::bench(args = SIDES)]
fn inflate(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side);
    bencher.counter(BytesCount::new(inflated(&bytes))).bench(|| {
        let view = slmesh::open(&bytes).expect("an asset");
        let inflate = |chunk: slmesh::Chunk<'_>| miniz_oxide::inflate::decompress_to_vec_zlib(chunk.bytes);
        view.chunks().flatten().map(inflate).collect::<Vec<_>>()
    });
}

#[divan::bench(args = SIDES)]
fn open(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side);
    bencher.bench(|| slmesh::open(&bytes));
}

#[divan::bench(args = SIDES)]
fn read(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side);
    bencher.counter(BytesCount::new(inflated(&bytes))).bench(|| slmesh::from_slice(&bytes));
}

#[divan::bench(args = SIDES)]
fn write_unedited(bencher: Bencher<'_, '_>, side: u16) {
    let bytes = file(side);
    let asset = slmesh::from_slice(&bytes).expect("an asset");
    bencher.counter(BytesCount::new(inflated(&bytes))).bench(|| slmesh::to_vec(&asset));
}

#[divan::bench(args = [1, 6, 9])]
fn write_anew(bencher: Bencher<'_, '_>, level: u8) {
    let bytes = file(100);
    let asset = slmesh::from_slice(&bytes).expect("an asset");
    let options = WriteOptions::new().fresh(true).level(level);
    bencher.counter(BytesCount::new(inflated(&bytes))).bench(|| options.write(&asset));
}

#[divan::bench]
fn dequantize(bencher: Bencher<'_, '_>) {
    let domain = Domain { min: [-0.5; 3], max: [0.25; 3] };
    bencher.counter(BytesCount::new(65_536 * 6_usize)).bench(|| {
        (0..=u16::MAX).map(|step| domain.dequantize_f32(divan::black_box([step; 3]))[0]).sum::<f32>()
    });
}
