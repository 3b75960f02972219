//! Real files: each is written as the same bytes, and everything in it is understood.

use std::collections::HashMap;

use rbxbinary::parts::{Class, Column};
use rbxbinary::{Chunk, Compression, Document, ReadOptions, WriteOptions};
use testkit::{Sample, corpus};

fn read(name: &str, bytes: &[u8]) -> Document {
    rbxbinary::from_slice(bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn class<'a>(document: &'a Document, name: &str) -> &'a Class {
    document.classes().iter().find(|class| class.name == name).unwrap()
}

fn frames(bytes: &[u8]) -> Vec<Chunk<'_>> {
    rbxbinary::chunks(bytes).expect("a header").map(|chunk| chunk.expect("a frame")).collect()
}

#[test]
fn every_real_file_comes_back() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let document = read(&name, &bytes);
        assert!(rbxbinary::to_vec(&document).unwrap() == bytes, "{name}");
        // Without the bytes of the source, the same chunks are written with the same content, order and compression.
        let again = rbxbinary::to_vec(&ReadOptions::new().keep_source(false).read(&bytes).unwrap()).unwrap();
        assert!(bytes[..32] == again[..32], "{name}: header");
        let (before, after) = (frames(&bytes), frames(&again));
        assert_eq!(before.len(), after.len(), "{name}");
        for (before, after) in before.iter().zip(&after) {
            let frame = |chunk: &Chunk<'_>| (chunk.name, chunk.compression, chunk.reserved);
            assert_eq!(frame(before), frame(after), "{name}");
        }
        let again = read(&name, &again);
        assert!(again == document, "{name}");
    }
}

#[test]
fn everything_in_them_is_known() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let document = read(&name, &bytes);
        for class in document.classes() {
            for property in &class.properties {
                assert_eq!(property.column.len(), Some(class.referents.len()), "{name}: {}", property.name);
            }
        }
        assert!(document.unknown_chunks().next().is_none(), "{name}");
        let findings = rbxbinary::check(&document);
        // One model has no metadata.
        assert!(
            findings.iter().all(|finding| finding.rule.id == "rbxbinary.metadata-chunk"),
            "{name}: {findings:?}"
        );
        assert_eq!(document.instances().count(), document.len(), "{name}");
        let values: usize = document.instances().map(|id| document.properties(id).count()).sum();
        let cells = document.classes().iter().map(|class| class.referents.len() * class.properties.len());
        assert_eq!(values, cells.sum::<usize>(), "{name}");
    }
}

#[test]
fn every_compression_holds_the_same() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let document = read(&name, &bytes);
        let plain = WriteOptions::new().compression(Compression::None).write(&document).unwrap();
        for compression in [Compression::Lz4, Compression::Zstd] {
            let packed = WriteOptions::new().compression(compression).write(&document).unwrap();
            for (plain, packed) in frames(&plain).iter().zip(frames(&packed)) {
                // A chunk that does not shrink is stored uncompressed.
                assert!(packed.compression == compression || packed.payload == plain.payload);
                assert!(
                    packed.compression == Compression::None || packed.payload.len() < plain.payload.len()
                );
                assert!(plain.payload == packed.data().unwrap(), "{name}: {}", plain.name);
            }
        }
    }
}

/// Values that an edit does not name stay equal.
#[test]
fn an_edit_changes_nothing_else() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let document = read(&name, &bytes);
        let Some(first) = document.roots().next() else { continue };
        let mut edited = document.clone();
        edited.set(first, "Name", "edited").unwrap();
        let again = read(&name, &rbxbinary::to_vec(&edited).unwrap());
        let findings = rbxbinary::check(&again);
        assert!(findings.iter().all(|finding| finding.rule.id == "rbxbinary.metadata-chunk"), "{findings:?}");
        assert_eq!(document.len(), again.len(), "{name}");
        let place: HashMap<_, _> = document.instances().zip(again.instances()).collect();
        for (&this, &that) in &place {
            assert_eq!(document.class(this), again.class(that), "{name}");
            for ((key, value), (other_key, other)) in document.properties(this).zip(again.properties(that)) {
                assert_eq!(key, other_key);
                match (value.as_instance(), other.as_instance()) {
                    // References have new ids, but lead to the same instances.
                    (Some(value), other) => assert_eq!(place.get(&value), other.as_ref(), "{name}: {key}"),
                    _ if this == first && key == "Name" => assert_eq!(other.as_str(), Some("edited")),
                    _ => assert_eq!(value, other, "{name}: {key}"),
                }
            }
        }
    }
}

#[test]
fn one_column_of_a_place() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let whole = read(&name, &bytes);
        let only = ReadOptions::new().filter(|_, property| property == "Name");
        let part = only.read(&bytes).unwrap();
        for (whole, part) in whole.classes().iter().zip(part.classes()) {
            assert_eq!(part.referents, whole.referents, "{name}");
            assert!(part.properties.iter().all(|property| property.name == "Name"));
            assert_eq!(part.property("Name"), whole.property("Name"), "{name}: {}", whole.name);
        }
    }
}

/// Facts about real files, which the documentation of the format mentions.
#[test]
fn what_real_files_are_like() {
    let corpus = corpus("rbxbinary");
    let find = |end: &str| corpus.iter().find(|sample| sample.name.ends_with(end));
    // `rbxdocument` compares signed zeros, unique ids and mixed contents with the XML of the same documents.
    if let Some(Sample { name, bytes }) = find("cframe-special-cases__binary.rbxm") {
        let document = read(name, bytes);
        let Some(Column::CFrame(frames)) = class(&document, "CFrameValue").property("Value") else {
            panic!()
        };
        let mut ids: Vec<u8> =
            frames.iter().filter_map(|frame| rbxbinary::parts::rotation::id(&frame.rotation)).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 24);
    }
    if let Some(Sample { name, bytes }) = find("lighting-with-int32-attribute__binary.rbxm") {
        // In a model, a service at the root is not marked as a service.
        assert_eq!(class(&read(name, bytes), "Lighting").markers, [0]);
    }
    if let Some(Sample { bytes, .. }) = find("luau_cpu/game.rbxl") {
        let chunks = frames(bytes);
        let zstd = chunks.iter().filter(|chunk| chunk.compression == Compression::Zstd);
        assert_eq!(zstd.clone().count(), 1910);
        assert_eq!(zstd.filter(|chunk| chunk.payload.len() >= chunk.len as usize).count(), 1525);
    }
}

/// Real places are not larger than those of the reference encoder.
#[test]
fn zstd_compresses_as_well_as_the_reference_encoder() {
    for Sample { name, bytes } in corpus("rbxbinary") {
        let Some((_, theirs)) = REFERENCE.iter().find(|(file, _)| *file == name) else { continue };
        let zstd = WriteOptions::new().compression(Compression::Zstd).write(&read(&name, &bytes)).unwrap();
        let chunks = frames(&zstd);
        let chunks = chunks.iter().filter(|chunk| chunk.name != rbxbinary::ChunkName::END);
        let ours: usize = chunks.map(|chunk| chunk.payload.len()).sum();
        assert!(ours <= *theirs, "{name}: {ours} bytes, the reference encoder needs {theirs}");
    }
}

/// For each place, the sum of the sizes of its chunks, compressed by zstd 1.5.7 at level 1 without checksums; a chunk
/// that does not shrink counts uncompressed.
const REFERENCE: &[(&str, usize)] = &[
    ("GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__1000 Parts.rbxl", 8939),
    ("GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__Baseplate.rbxl", 6311),
    ("GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__CustomPhysicalProperties.rbxl", 6848),
    ("GregoryComer-LibRbxl/LibRbxl.Test__TestFiles__ParticleEmitter.rbxl", 6908),
    ("MaximumADHD-Roblox-File-Format/UnitTest__Files__Binary.rbxl", 345909),
    ("RiceTheDev-luau_cpu/game.rbxl", 87733),
    ("rbx-dom/places__all-instances-415__binary.rbxl", 77144),
    ("rbx-dom/places__baseplate-413__binary.rbxl", 10543),
    ("rbx-dom/places__baseplate-454__binary.rbxl", 12690),
    ("rbx-dom/places__baseplate-566__binary.rbxl", 23292),
    ("rojo-rbx-remodel/test-models__place-with-models-binary.rbxl", 14493),
];

/// Only equal models are written as the same bytes: a comparison notices each value that is written.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    testkit::changes_are_noticed(
        "rbxbinary",
        // Through JSON, so that the model keeps nothing of the file.
        |bytes| serde_json::from_value(serde_json::to_value(rbxbinary::from_slice(bytes).ok()?).ok()?).ok(),
        |model| rbxbinary::to_vec(model).ok(),
        |_, _| true,
    );
}
