//! Roblox documents, compared with rbx_binary, rbx_xml and rbx_dom_weak; what the kit makes of them; and the Zstandard
//! frames of places, compared with ruzstd and the C library.

use std::rc::Rc;

use rbx_dom_weak::types::{CFrame, Color3uint8, Matrix3, Ref, Variant, Vector3};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use rbx_xml::{DecodeOptions, DecodePropertyBehavior, EncodeOptions, EncodePropertyBehavior};
use rezkit::{ConvertOptions, ExtractOptions};

use crate::{Rng, Row, SIZES, change, real, way};

pub fn rows() -> impl Iterator<Item = Row> {
    let mut rows = Vec::new();
    for (size, bytes) in SIZES {
        rows.push(binary(format!("read a place, LZ4, {size}"), written(&place(bytes / 90), false)));
    }
    let file = |format, file, name: &str| real(format, file).map(|bytes| (name.to_owned(), bytes));
    let real_place = file("rbxbinary", "UnitTest__Files__Binary.rbxl", "read a real place, 495 kB");
    rows.extend(real_place.map(|(name, bytes)| binary(name, bytes)));
    rows.extend(edits::rbxbinary());
    for (size, bytes) in SIZES {
        rows.push(xml(format!("read a place, {size}"), xml_written(&place(bytes / 1_000))));
    }
    let found = file("rbxxml", "UnitTest__Files__Xml.rbxlx", "read a real place, 2.5 MB");
    rows.extend(found.map(|(name, bytes)| xml(name, bytes)));
    rows.extend(edits::rbxxml());
    rows.extend(kit());
    rows.extend(frames("32 MB", written(&place(SIZES[1].1 / 90), true)));
    rows.extend(real("rbxbinary", "game.rbxl").into_iter().flat_map(|bytes| frames("a real place", bytes)));
    rows.into_iter()
}

fn binary(name: String, bytes: Vec<u8>) -> Row {
    let theirs = bytes.clone();
    Row::new("rbxbinary", name, move || rbxbinary::from_slice(&bytes).expect("a document"))
        .peer(move || rbx_binary::from_reader(&theirs[..]).expect("they read it"))
}

fn xml(name: String, bytes: Vec<u8>) -> Row {
    let theirs = bytes.clone();
    Row::new("rbxxml", name, move || rbxxml::from_slice(&bytes).expect("a document")).peer(move || {
        let options = DecodeOptions::new().property_behavior(DecodePropertyBehavior::ReadUnknown);
        rbx_xml::from_reader(&theirs[..], options).expect("they read it")
    })
}

/// Written by rbx_binary, so that our crate has no easier input.
fn written(dom: &WeakDom, zstd: bool) -> Vec<u8> {
    let compression = if zstd { rbx_binary::CompressionType::Zstd } else { rbx_binary::CompressionType::Lz4 };
    let serializer = rbx_binary::Serializer::new().compression_type(compression);
    let mut bytes = Vec::new();
    serializer.serialize(&mut bytes, dom, dom.root().children()).expect("they write it");
    bytes
}

fn xml_written(dom: &WeakDom) -> Vec<u8> {
    let options = EncodeOptions::new().property_behavior(EncodePropertyBehavior::WriteUnknown);
    let mut bytes = Vec::new();
    rbx_xml::to_writer(&mut bytes, dom, dom.root().children(), options).expect("they write it");
    bytes
}

/// This many parts, in folders of a hundred.
fn place(parts: usize) -> WeakDom {
    let mut rng = Rng(2);
    let mut number = || (rng.unit() * 4000.0).round() / 8.0;
    let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
    let mut folder = dom.root_ref();
    for part in 0..parts {
        if part % 100 == 0 {
            folder =
                dom.insert(dom.root_ref(), InstanceBuilder::new("Folder").with_name(format!("Folder{part}")));
        }
        let at = Vector3::new(number(), number(), number());
        let new = InstanceBuilder::new("Part")
            .with_name(if part % 3 == 0 { "Wall".to_owned() } else { format!("Part{part}") })
            .with_property("CFrame", CFrame::new(at, Matrix3::identity()))
            .with_property("Size", Vector3::new(number(), 1.0, number()))
            .with_property("Color", Color3uint8::new(part as u8, 128, 7))
            .with_property("Anchored", part % 2 == 0)
            .with_property("Transparency", (part % 5) as f32 / 4.0);
        dom.insert(folder, new);
    }
    dom
}

/// The same edits with our crates and with rbx_dom_weak.
mod edits {
    use super::*;

    /// The number of parts in a folder.
    const PARTS: usize = 100;

    fn part(number: usize) -> InstanceBuilder {
        let part = InstanceBuilder::new("Part").with_name(format!("Part{number}"));
        part.with_property("Note", "a note").with_property("Transparency", 0.5_f32)
    }

    /// A tree with parts in folders; also returns the folders and the parts.
    fn theirs(count: usize) -> (WeakDom, Vec<Ref>, Vec<Ref>) {
        let mut dom = WeakDom::new(InstanceBuilder::new("DataModel"));
        let root = dom.root_ref();
        let folders: Vec<Ref> = (0..count.div_ceil(PARTS + 1))
            .map(|_| dom.insert(root, InstanceBuilder::new("Folder").with_name("Folder")))
            .collect();
        let parts = (0..count - folders.len()).map(|n| dom.insert(folders[n / PARTS], part(n))).collect();
        (dom, folders, parts)
    }

    macro_rules! edits {
        ($ours:ident) => {
            pub(super) fn $ours() -> [Row; 3] {
                use $ours::{Document, InstanceId, NewInstance};

                fn part(number: usize) -> NewInstance {
                    let part = NewInstance::new("Part").property("Name", format!("Part{number}"));
                    part.property("Note", "a note").property("Transparency", 0.5_f32)
                }
                fn ours(count: usize) -> (Document, Vec<InstanceId>, Vec<InstanceId>) {
                    let mut document = Document::new();
                    let folder = || NewInstance::new("Folder").property("Name", "Folder");
                    let folders: Vec<_> = (0..count.div_ceil(PARTS + 1))
                        .map(|_| document.insert(None, folder()).expect("a folder"))
                        .collect();
                    let parts = (0..count - folders.len())
                        .map(|n| document.insert(folders[n / PARTS], part(n)).expect("a part"))
                        .collect();
                    (document, folders, parts)
                }
                let row = |name: &str, ours, theirs| Row {
                    section: stringify!($ours),
                    name: name.to_owned(),
                    ours,
                    peers: vec![theirs],
                    in_c: None,
                };
                let (many, few) = (Rc::new(ours(115_000)), Rc::new(ours(1_000)));
                let copy = |of: &Rc<_>| {
                    let of = Rc::clone(of);
                    move || <(Document, Vec<_>, Vec<_>)>::clone(&of)
                };
                [
                    row(
                        "remove 2,000 of 115,000 instances",
                        change(copy(&many), |(document, _, parts)| {
                            parts.iter().step_by(50).take(2_000).for_each(|&id| drop(document.remove(id)))
                        }),
                        change(
                            || theirs(115_000),
                            |(dom, _, parts)| {
                                parts.iter().step_by(50).take(2_000).for_each(|&id| dom.destroy(id))
                            },
                        ),
                    ),
                    row(
                        "set a string in 100,000 of them",
                        change(copy(&many), |(document, _, parts)| {
                            parts[..100_000]
                                .iter()
                                .for_each(|&id| drop(document.set(id, "Note", "other").expect("set")))
                        }),
                        change(
                            || theirs(115_000),
                            |(dom, _, parts)| {
                                for &id in &parts[..100_000] {
                                    let instance = dom.get_by_ref_mut(id).expect("a part");
                                    instance.properties.insert("Note".into(), Variant::from("other"));
                                }
                            },
                        ),
                    ),
                    row(
                        "insert 500 instances among 1,000",
                        change(copy(&few), |(document, folders, _)| {
                            for n in 0..500 {
                                document.insert(folders[n % folders.len()], part(n)).expect("inserted");
                            }
                        }),
                        change(
                            || theirs(1_000),
                            |(dom, folders, _)| {
                                for n in 0..500 {
                                    dom.insert(folders[n % folders.len()], super::edits::part(n));
                                }
                            },
                        ),
                    ),
                ]
            }
        };
    }
    edits!(rbxbinary);
    edits!(rbxxml);
}

/// What no other library does, beside reading the document alone.
fn kit() -> [Row; 2] {
    let place = Rc::new(written(&place(115_000), false));
    let folder = (0..100_000).fold(InstanceBuilder::new("Folder"), |folder, number| {
        let script = InstanceBuilder::new("ModuleScript").with_name(format!("Script{number}"));
        folder.with_child(script.with_property("Source", format!("return {number}")))
    });
    let scripts = WeakDom::new(InstanceBuilder::new("DataModel").with_child(folder));
    let scripts = Rc::new(written(&scripts, false));
    let read = |bytes: &Rc<Vec<u8>>| {
        let bytes = Rc::clone(bytes);
        move || rbxbinary::from_slice(&bytes).expect("a document")
    };
    let (of_place, of_scripts) = (read(&place), read(&scripts));
    let open = |bytes: &[u8]| rezkit::open(bytes.to_vec(), "place.rbxl", ()).expect("a place");
    [
        Row::new("rezkit", "a place of 115,000 parts to GLB", move || {
            open(&place).convert(Some("glb"), "place.glb", &ConvertOptions::new()).expect("a scene").files
        })
        .peer(of_place),
        Row::new("rezkit", "extract 100,000 scripts as files", move || {
            open(&scripts).extract(&ExtractOptions::new()).expect("files").files
        })
        .peer(of_scripts),
    ]
}

/// Decompresses every frame of a place, and compresses every content.
fn frames(name: &str, bytes: Vec<u8>) -> Vec<Row> {
    let chunks = rbxbinary::chunks(&bytes).expect("a place").flatten();
    let chunks = chunks.filter(|chunk| chunk.compression == rbxbinary::Compression::Zstd);
    let frames: Rc<Vec<_>> =
        Rc::new(chunks.map(|chunk| (chunk.payload.to_vec(), chunk.len as usize)).collect());
    let mut decoder = rezstd::Decoder::new();
    let decoded = frames.iter().map(|(frame, len)| {
        let mut content = vec![0; *len];
        decoder.decode_into(frame, &mut content).expect("a frame");
        content
    });
    let contents: Rc<Vec<Vec<u8>>> = Rc::new(decoded.collect());
    let Some(most) = frames.iter().map(|&(_, len)| len).max() else { return Vec::new() };
    let each = |mut decode: Box<dyn FnMut(&[u8], &mut [u8])>| {
        let (frames, mut place) = (Rc::clone(&frames), vec![0; most]);
        way(move || frames.iter().for_each(|(frame, len)| decode(frame, &mut place[..*len])))
    };
    let all = |mut encode: Box<dyn FnMut(&[u8]) -> Vec<u8>>| {
        let contents = Rc::clone(&contents);
        way(move || contents.iter().map(|content| encode(content)).collect::<Vec<_>>())
    };
    let row = |name: String, ours, theirs, in_c| Row {
        section: "rezstd",
        name,
        ours,
        peers: vec![theirs],
        in_c: Some(in_c),
    };
    let (mut encoder, mut theirs) = (rezstd::Encoder::new(), ruzstd::decoding::FrameDecoder::new());
    let mut decompressor = zstd::bulk::Decompressor::new().expect("a context");
    let mut compressor = zstd::bulk::Compressor::new(1).expect("a context");
    vec![
        row(
            format!("decompress {name}"),
            each(Box::new(move |frame, place| {
                decoder.decode_into(frame, place).expect("a frame");
            })),
            each(Box::new(move |frame, place| {
                theirs.decode_all(frame, place).expect("a frame");
            })),
            each(Box::new(move |frame, place| {
                decompressor.decompress_to_buffer(frame, place).expect("a frame");
            })),
        ),
        row(
            format!("compress {name}"),
            all(Box::new(move |content| {
                let mut out = Vec::new();
                encoder.encode(content, &mut out);
                out
            })),
            all(Box::new(|content| {
                ruzstd::encoding::compress_to_vec(content, ruzstd::encoding::CompressionLevel::Fastest)
            })),
            all(Box::new(move |content| compressor.compress(content).expect("a frame"))),
        ),
    ]
}
