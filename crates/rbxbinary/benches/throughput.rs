//! How fast a place is read and written: `cargo bench -p rbxbinary`.
//!
//! `decompress_lz4` is the limit: the content of the chunks, and nothing done with it.
#![allow(missing_docs, reason = "a benchmark has no readers of its documentation")]

use divan::Bencher;
use divan::counter::BytesCount;
use rbxbinary::geom::{Mat3, Vec3};
use rbxbinary::{
    CFrame, Class, Color3uint8, Column, Compression, Document, Name, Property, ReadOptions, Referent,
    Strings, WriteOptions,
};

fn main() {
    divan::main();
}

/// A place of parts under one another, and of small classes of a few instances each.
fn place(parts: i32) -> Document {
    let mut document = Document::new();
    let mut next = 0;
    let mut add = |name: String, count: i32, columns: Vec<(&str, Column)>| {
        let referents: Vec<Referent> = (next..next + count).map(Referent).collect();
        next += count;
        let properties = columns.into_iter().map(|(name, column)| Property { name: Name::new(name), column });
        let all = document.columns_mut();
        all.parents.parents.extend(referents.iter().map(|referent| Referent(referent.0 / 7 - 1)));
        all.parents.children.extend(&referents);
        let id = u32::try_from(all.classes.len()).unwrap_or_default();
        let class =
            Class { id, name: name.into(), referents, properties: properties.collect(), ..Class::default() };
        all.classes.push(class);
    };
    for (count, of) in std::iter::once((parts, 1)).chain((1..5).map(|count| (count, 60))) {
        for class in 0..of {
            let each = || 0..count;
            let wave = |n: i32| (f64::from(n) * 0.37).sin();
            #[allow(clippy::cast_possible_truncation, reason = "any number will do")]
            let float = |n: i32| (wave(n) * 512.0).round() as f32 / 4.0;
            let frames = each().map(|n| CFrame {
                position: Vec3::new(float(n), float(n + 1), float(n + 2)),
                rotation: if n % 5 == 0 { Mat3::from_rows([float(n); 9]) } else { Mat3::IDENTITY },
            });
            let frames = rbxbinary::CFrames { values: frames.collect(), ids: Vec::new() };
            let strings = |text: &dyn Fn(i32) -> String| {
                Column::String(Box::new(Strings::from_strings(each().map(text)).expect("less than 4 GiB")))
            };
            let colors = each().map(|n| Color3uint8 { r: n.to_le_bytes()[0] / 16, g: 128, b: 255 });
            let columns = vec![
                ("Name", strings(&|n| format!("Part{}", n % 50))),
                ("Anchored", Column::Bool(each().map(|n| n % 3 != 0).collect())),
                ("CanCollide", Column::Bool(each().map(|_| true).collect())),
                ("CFrame", Column::CFrame(Box::new(frames))),
                ("size", Column::Vector3(each().map(|n| Vec3::new(float(n), 1.0, float(n / 2))).collect())),
                ("Color3uint8", Column::Color3uint8(colors.collect())),
                ("Transparency", Column::Float32(each().map(|n| float(n) / 128.0).collect())),
                ("Material", Column::Enum(each().map(|n| 256 + n.unsigned_abs() % 8 * 16).collect())),
                ("SourceAssetId", Column::Int64(each().map(|_| -1).collect())),
                ("Tags", strings(&|_| String::new())),
            ];
            add(format!("Class{count}x{class}"), count, columns);
        }
    }
    document
}

fn file(parts: i32, compression: Compression) -> Vec<u8> {
    WriteOptions::new().compression(compression).write(&place(parts)).expect("a place can be written")
}

fn len(bytes: &[u8]) -> BytesCount {
    let chunks = rbxbinary::chunks(bytes).into_iter().flatten().flatten();
    BytesCount::new(chunks.map(|chunk| u64::from(chunk.len)).sum::<u64>())
}

const PARTS: [i32; 2] = [1000, 20_000];

#[divan::bench(args = PARTS)]
fn decompress_lz4(bencher: Bencher<'_, '_>, parts: i32) {
    let bytes = file(parts, Compression::Lz4);
    let mut buffer = vec![0; 8 << 20];
    bencher.counter(len(&bytes)).bench_local(|| {
        for chunk in rbxbinary::chunks(&bytes).into_iter().flatten().flatten() {
            let _ = lz4_flex::block::decompress_into(chunk.stored, &mut buffer);
        }
    });
}

#[divan::bench(args = PARTS)]
fn read_lz4(bencher: Bencher<'_, '_>, parts: i32) {
    let bytes = file(parts, Compression::Lz4);
    bencher.counter(len(&bytes)).bench(|| rbxbinary::from_slice(&bytes));
}

#[divan::bench(args = PARTS)]
fn read_zstd(bencher: Bencher<'_, '_>, parts: i32) {
    let bytes = file(parts, Compression::Zstd);
    bencher.counter(len(&bytes)).bench(|| rbxbinary::from_slice(&bytes));
}

#[divan::bench(args = PARTS)]
fn read_one_column(bencher: Bencher<'_, '_>, parts: i32) {
    let bytes = file(parts, Compression::Lz4);
    let names = ReadOptions::new().filter(|_, property| property == "Name");
    bencher.counter(len(&bytes)).bench(|| names.read(&bytes));
}

#[divan::bench(args = PARTS)]
fn write_lz4(bencher: Bencher<'_, '_>, parts: i32) {
    let document = place(parts);
    let count = len(&file(parts, Compression::Lz4));
    bencher.counter(count).bench(|| WriteOptions::new().compression(Compression::Lz4).write(&document));
}

#[divan::bench(args = PARTS)]
fn write_zstd(bencher: Bencher<'_, '_>, parts: i32) {
    let document = place(parts);
    let count = len(&file(parts, Compression::Lz4));
    bencher.counter(count).bench(|| WriteOptions::new().compression(Compression::Zstd).write(&document));
}

#[divan::bench(args = PARTS)]
fn tree(bencher: Bencher<'_, '_>, parts: i32) {
    let mut document = place(parts);
    // The index is made anew.
    bencher.bench_local(|| {
        document.columns_mut();
        document.instances().count()
    });
}
