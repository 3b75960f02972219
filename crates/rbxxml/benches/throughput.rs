//! How many bytes of a document are read and written in a second: `cargo bench -p rbxxml`.
//!
//! `copy` is the limit: allocating as many bytes and copying them.
#![allow(missing_docs, reason = "a benchmark has no readers of its documentation")]

use divan::Bencher;
use divan::counter::BytesCount;
use rbxxml::geom::{Mat3, Vec3};
use rbxxml::{CFrame, Color3uint8, Document, NewInstance, Value};

fn main() {
    divan::main();
}

/// A place with so many parts, as Studio writes it.
fn parts(count: u16) -> Document {
    let mut document = Document::new();
    let workspace = document.insert(None, NewInstance::new("Workspace").property("Name", "Workspace"));
    let workspace = workspace.expect("within the limits");
    for index in 0..count {
        let at = f32::from(index);
        let position = Vec3::new((at * 0.37).sin() * 512.0, at * 0.1, at);
        let part = NewInstance::new("Part")
            .property("Anchored", true)
            .property("CFrame", CFrame { position, rotation: Mat3::IDENTITY })
            .property("Color3uint8", Color3uint8 { r: 163, g: 162, b: index.to_le_bytes()[0] })
            .property("Material", Value::Enum(256))
            .property("Name", format!("Part {index}"))
            .property("Tags", Value::BinaryString("".into()))
            .property("Transparency", at / 65_536.0)
            .property("size", Vec3::new(4.0, 1.2, 2.0));
        document.insert(workspace, part).expect("within the limits");
    }
    document
}

fn file(count: u16) -> Vec<u8> {
    rbxxml::to_vec(&parts(count)).expect("nothing in it is forbidden")
}

const COUNTS: [u16; 3] = [10, 1_000, 10_000];

#[divan::bench(args = COUNTS)]
fn copy(bencher: Bencher<'_, '_>, count: u16) {
    let bytes = file(count);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| bytes.clone());
}

#[divan::bench(args = COUNTS)]
fn read(bencher: Bencher<'_, '_>, count: u16) {
    let bytes = file(count);
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| rbxxml::from_slice(&bytes));
}

#[divan::bench(args = COUNTS)]
fn write(bencher: Bencher<'_, '_>, count: u16) {
    let document = parts(count);
    bencher.counter(BytesCount::of_slice(&file(count))).bench(|| rbxxml::to_vec(&document));
}
