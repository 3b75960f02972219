//! Binary Roblox documents, compared with rbx_binary.

use std::rc::Rc;

use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::{
    CFrame, Color3uint8, Font, FontStyle, FontWeight, Matrix3, Ref, UDim, UDim2, Vector3,
};

use super::{Rng, label};
use crate::corpus;
use crate::measure::{Case, Goal};

pub fn cases(sizes: &[usize]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &size in sizes {
        // rbx_binary writes the files, so that our crate has no easier input.
        let (dom, roots) = place(size);
        for (name, compression) in
            [("LZ4", rbx_binary::CompressionType::Lz4), ("zstd", rbx_binary::CompressionType::Zstd)]
        {
            let mut bytes = Vec::new();
            rbx_binary::Serializer::new()
                .compression_type(compression)
                .serialize(&mut bytes, &dom, &roots)
                .expect("they write it");
            cases.extend(both(&format!("{name} place, {}", label(size)), bytes));
        }
    }
    for (name, bytes) in corpus("rbxbinary").into_iter().filter(|(_, b)| b.starts_with(b"<roblox!")).take(4) {
        if rbx_binary::from_reader(&bytes[..]).is_ok() {
            cases.extend(both(&name, bytes));
        }
    }
    cases.extend(super::edits::rbxbinary());
    cases
}

/// Cases that read and write one file.
fn both(name: &str, bytes: Vec<u8>) -> [Case; 2] {
    let bytes = Rc::new(bytes);
    let [a, b, c] = [(); 3].map(|()| Rc::clone(&bytes));
    let document = rbxbinary::from_slice(&bytes).expect("a document");
    let dom = rbx_binary::from_reader(&bytes[..]).expect("they read it");
    let roots = dom.root().children().to_vec();
    let zstd = rbxbinary::chunks(&bytes)
        .expect("chunks")
        .flatten()
        .any(|chunk| chunk.compression == rbxbinary::Compression::Zstd);
    let compression = if zstd { rbx_binary::CompressionType::Zstd } else { rbx_binary::CompressionType::Lz4 };
    [
        Case::new("rbxbinary", format!("read {name}"), bytes.len())
            .goal(Goal::TimesPeer(10.0))
            .ours(move || rbxbinary::from_slice(&a).expect("a document"))
            .peer("rbx_binary", move || rbx_binary::from_reader(&b[..]).expect("they read it"))
            .yardstick("decompress alone", move || decompress(&c)),
        Case::new("rbxbinary", format!("write {name}"), bytes.len())
            .goal(Goal::TimesPeer(4.0))
            .ours(move || rbxbinary::to_vec(&document).expect("writes"))
            .peer("rbx_binary", move || {
                let mut out = Vec::new();
                let serializer = rbx_binary::Serializer::new().compression_type(compression);
                serializer.serialize(&mut out, &dom, &roots).expect("they write it");
                out
            }),
    ]
}

/// Decompresses every chunk into the same buffer, with the decompressors that rbxbinary uses.
fn decompress(bytes: &[u8]) -> usize {
    let mut buffer = Vec::new();
    let mut decoder = rezstd::Decoder::new();
    let mut total = 0;
    for chunk in rbxbinary::chunks(bytes).expect("chunks").flatten() {
        // The buffer only grows, so that it is not cleared for every chunk.
        let len = chunk.len as usize;
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        let place = &mut buffer[..len];
        total += match chunk.compression {
            rbxbinary::Compression::Lz4 => {
                lz4_flex::block::decompress_into(chunk.payload, place).expect("LZ4")
            }
            rbxbinary::Compression::Zstd => decoder.decode_into(chunk.payload, place).expect("zstd"),
            _ => 0,
        };
    }
    total
}

/// A document of parts whose uncompressed content has about this size.
pub(super) fn parts(size: usize) -> rbxbinary::Document {
    use rbxbinary::geom::{CFrame, Mat3, Vec3};
    let mut rng = Rng(5);
    let mut number = || (rng.unit() * 4000.0).round() / 8.0;
    let mut point = || Vec3::new(number(), number(), number());
    let mut document = rbxbinary::Document::new();
    for part in 0..size / 60 {
        let new = rbxbinary::NewInstance::new("Part")
            .property("Anchored", part % 2 == 0)
            .property("CFrame", CFrame { position: point(), rotation: Mat3::IDENTITY })
            .property("Name", format!("Part{part}"))
            .property("Transparency", (part % 5) as f32 / 4.0)
            .property("size", point());
        document.insert(None, new).expect("it is inserted");
    }
    document
}

/// A place with folders, parts and labels whose file with LZ4 has about this size.
fn place(size: usize) -> (WeakDom, Vec<Ref>) {
    use rbx_dom_weak::InstanceBuilder;
    let mut rng = Rng(5);
    let parts = size / 60;
    let mut folders = Vec::new();
    for folder in 0..parts.div_ceil(100) {
        let mut builder = InstanceBuilder::new("Folder").with_name(format!("Folder{folder}"));
        for part in 0..100.min(parts - folder * 100) {
            let mut number = || (rng.unit() * 4000.0).round() / 8.0;
            let at = Vector3::new(number(), number(), number());
            let turn = match part % 4 {
                0 => Matrix3::new(
                    Vector3::new(0.6, -0.8, 0.0),
                    Vector3::new(0.8, 0.6, 0.0),
                    Vector3::new(0.0, 0.0, 1.0),
                ),
                _ => Matrix3::identity(),
            };
            let child = InstanceBuilder::new("Part")
                .with_name(if part % 3 == 0 { "Wall".to_owned() } else { format!("Part{part}") })
                .with_property("CFrame", CFrame::new(at, turn))
                .with_property("Size", Vector3::new(number(), 1.0, number()))
                .with_property("Color", Color3uint8::new(part as u8, 128, folder as u8))
                .with_property("Anchored", part % 2 == 0)
                .with_property("Transparency", (part % 5) as f32 / 4.0);
            builder = builder.with_child(child);
        }
        let label = InstanceBuilder::new("TextLabel")
            .with_property("Text", format!("label of folder {folder}"))
            .with_property("Size", UDim2::new(UDim::new(0.5, 3), UDim::new(1.0, -3)))
            .with_property(
                "FontFace",
                Font::new("rbxasset://fonts/families/Arial.json", FontWeight::Bold, FontStyle::Normal),
            );
        folders.push(builder.with_child(label));
    }
    let mut root = InstanceBuilder::new("DataModel");
    root = folders.into_iter().fold(root, InstanceBuilder::with_child);
    let dom = WeakDom::new(root);
    let roots = dom.root().children().to_vec();
    (dom, roots)
}
