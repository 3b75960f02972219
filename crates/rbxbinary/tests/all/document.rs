//! Walking through documents, and operations on whole documents.

use crate::common::place;
use rbxbinary::errors::{ErrorKind, Problem};
use rbxbinary::geom::Vec3;
use rbxbinary::parts::{Class, Column, Parents, Property, Referent, Strings};
use rbxbinary::{Compression, Document, NewInstance, ReadOptions, ValueRef, WriteOptions};
use testkit::fixture;

#[test]
fn every_fixture_comes_back() {
    let frames = |bytes: &[u8]| -> Vec<_> {
        let frame = |chunk: rbxbinary::Chunk<'_>| {
            (chunk.name, chunk.compression, chunk.reserved, chunk.data().unwrap())
        };
        rbxbinary::chunks(bytes).unwrap().map(|chunk| frame(chunk.unwrap())).collect()
    };
    let same = |a: &[u8], b: &[u8]| frames(a) == frames(b);
    testkit::fixtures_come_back("rbxbinary", same, |_, bytes| {
        rbxbinary::to_vec(&rbxbinary::from_slice(bytes)?)
    });
}

#[test]
fn reading() {
    let document = place();
    let paths: Vec<_> = document.paths().map(|(_, path)| path.to_string()).collect();
    assert_eq!(paths, ["Workspace", "Workspace/Target", "Workspace/Door", "Workspace/Inner", "Lighting"]);
    let [door, inner] = ["Workspace/Door", "Workspace/Inner"].map(|path| document.find(path).unwrap());
    assert_eq!(
        (document.class(door).unwrap(), document.class(inner).unwrap()),
        ("Part".into(), "Lighting".into())
    );
    assert_eq!(document.get(door, "Anchored").unwrap().as_bool(), Some(true));
    assert_eq!(document.get(door, "Size"), Some(ValueRef::Vector3(Vec3::new(4.0, 1.0, 2.0))));
    let properties: Vec<_> = document.properties(door).map(|(name, _)| name.to_string()).collect();
    assert_eq!(properties, ["Name", "Anchored", "Size"]);
    let target = document.by_class("ObjectValue").next().unwrap();
    assert_eq!(document.get(target, "Value").unwrap().as_instance(), Some(door));
    assert_eq!(document.by_referent(document.referent(door).unwrap()), Some(door));
    assert_eq!([Referent(99), Referent::NULL].map(|of| document.by_referent(of)), [None; 2]);
}

#[test]
fn built_by_hand() {
    // Columns without a layout are written as Studio writes them.
    let mut document = Document::new();
    document
        .metadata_mut()
        .push(rbxbinary::Metadata { key: "ExplicitAutoJoints".into(), value: "true".into() });
    let names = Strings::from_strings(["Outer", "Inner"]).unwrap();
    let columns = document.columns_mut();
    columns.classes.push(Class {
        name: "Folder".into(),
        referents: vec![Referent(0), Referent(1)],
        properties: vec![Property { name: "Name".into(), column: Column::String(names) }],
        ..Class::default()
    });
    *columns.parents = Parents {
        children: vec![Referent(1), Referent(0)],
        parents: vec![Referent(0), Referent::NULL],
        ..Parents::default()
    };
    let bytes = rbxbinary::to_vec(&document).unwrap();
    let chunks: Vec<_> =
        rbxbinary::chunks(&bytes).unwrap().map(|chunk| chunk.unwrap().name.to_string()).collect();
    assert_eq!(chunks, ["META", "INST", "PROP", "PRNT", "END"]);
    let read = rbxbinary::from_slice(&bytes).unwrap();
    assert!(rbxbinary::check(&read).is_empty());
    assert_eq!(read.referent(read.find("Outer/Inner").unwrap()), Some(Referent(1)));
    // A column of a wrong length is refused, with its name.
    document.columns_mut().classes[0].referents.push(Referent(2));
    let error = rbxbinary::to_vec(&document).unwrap_err();
    let other = |kind: &ErrorKind| {
        matches!(kind, ErrorKind::Unwritable(Problem::Length { of: "values", expected: 3, found: 2 }))
    };
    assert!(other(error.kind()) && error.path() == "Folder.Name", "{error}");
}

/// Readers only support version 0.
#[test]
fn a_version_that_would_not_be_read_is_not_written() {
    let mut document = Document::default();
    document.header.version = rbxbinary::Version(256);
    let error = rbxbinary::to_vec(&document).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write version 256 (expected 0, the only known version) in header.version"
    );
}

/// The ranges of chunks are contiguous, from the header to the END chunk and the bytes after it.
#[test]
fn ranges_of_chunks() {
    for testkit::Sample { name, bytes } in testkit::fixtures("rbxbinary") {
        let Ok(mut chunks) = rbxbinary::chunks(&bytes) else { continue };
        let mut end = 32;
        let mut whole = true;
        for chunk in chunks.by_ref() {
            let Ok(chunk) = chunk else {
                whole = false;
                break;
            };
            assert_eq!(chunk.range.start, end, "{name}");
            end = chunk.range.end;
            assert_eq!(chunk.range.len(), 16 + chunk.payload.len(), "{name}");
            assert!(bytes[chunk.range].ends_with(chunk.payload), "{name}");
        }
        assert!(!whole || bytes[end..] == *chunks.rest(), "{name}");
    }
}

/// Two classes with the same id: all columns would be read as those of the first.
#[test]
fn equal_class_ids() {
    let mut document = place();
    let classes = document.columns_mut().classes;
    classes[1].id = classes[0].id;
    let findings = rbxbinary::check(&document);
    assert_eq!(findings.iter().map(|f| f.rule.id).collect::<Vec<_>>(), ["rbxbinary.class-ids"]);
    let error = rbxbinary::to_vec(&document).unwrap_err();
    assert!(error.to_string().contains("a class that has the id of another class"), "{error}");
    assert!(error.path().starts_with("Lighting."), "{error}");
}

#[test]
fn reading_in_part() {
    let bytes = fixture("rbxbinary", "place.rbxl");
    let names = ReadOptions::new().filter(|class, property| class == "Part" && property == "Name");
    for bytes in [bytes.clone(), packed(&bytes, Compression::Lz4), packed(&bytes, Compression::Zstd)] {
        let document = names.read(&bytes).unwrap();
        assert_eq!(document.len(), 5);
        assert_eq!(document.name(document.by_class("Part").next().unwrap()).unwrap(), "Door");
        let columns: Vec<_> = document.classes().iter().map(|class| class.properties.len()).collect();
        assert_eq!(columns, [0, 0, 1, 0]);
        let error = rbxbinary::to_vec(&document).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot write a document that was read without some properties"),
            "{error}"
        );
        let part = WriteOptions::new().allow_loss(true).write(&document).unwrap();
        assert!(rbxbinary::from_slice(&part).unwrap().by_class("Workspace").next().is_some());
    }
    // A filter that accepts everything drops nothing.
    let all = ReadOptions::new().filter(|_, _| true).read(&bytes).unwrap();
    assert_eq!(all, rbxbinary::from_slice(&bytes).unwrap());
}

fn packed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let document = rbxbinary::from_slice(bytes).unwrap();
    WriteOptions::new().compression(compression).write(&document).unwrap()
}

#[test]
fn stored_bytes_are_kept() {
    let bytes = fixture("rbxbinary", "mixed.rbxm");
    let mut document = rbxbinary::from_slice(&bytes).unwrap();
    assert!(rbxbinary::to_vec(&document).unwrap() == bytes);
    // The stored bytes of a chunk are not used if the model was changed.
    let first = document.roots().next().unwrap();
    document.set(first, "Name", "changed").unwrap();
    let changed = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
    assert_eq!(changed.name(changed.roots().next().unwrap()).unwrap(), "changed");
    // Another requested compression is used.
    let none = WriteOptions::new().compression(Compression::None).write(&document).unwrap();
    let mut chunks = rbxbinary::chunks(&none).unwrap().map(Result::unwrap);
    assert!(chunks.all(|chunk| chunk.compression == Compression::None));
}

#[test]
fn checking() {
    let rules = |document: &Document| -> Vec<&str> {
        let findings = rbxbinary::check(document);
        findings.into_iter().map(|finding| &finding.rule.id["rbxbinary.".len()..]).collect()
    };
    let fixture = |name: &str| rbxbinary::from_slice(&fixture("rbxbinary", name)).unwrap();
    let found = rules(&fixture("parents.rbxm"));
    for rule in ["referents", "parents", "parent-rows", "cycles"] {
        assert!(found.contains(&rule), "{rule}: {found:?}");
    }
    assert_eq!(rules(&fixture("no_end.rbxm")), ["parents-chunk", "end-chunk"]);
    let mut bare = Document::new();
    bare.insert(None, NewInstance::new("Thing")).unwrap();
    let findings = rbxbinary::check(&bare);
    let text = "the document has no metadata, so it will be written without a META chunk";
    assert!(findings.iter().any(|of| of.path == "metadata" && of.found.starts_with(text)), "{findings:?}");
    let found = rules(&fixture("header.rbxm"));
    assert!(found.contains(&"class-count") && found.contains(&"instance-count"), "{found:?}");
    assert_eq!(rules(&fixture("rotations.rbxm")), ["rotation-ids"]);
    assert!(rules(&place()).is_empty());
    let mut short = place();
    *short.columns_mut().classes[2].property_mut("Anchored").unwrap() = Column::Bool(Vec::new());
    assert_eq!(rules(&short), ["column-lengths"]);
    let finding = &rbxbinary::check(&short)[0];
    assert_eq!(
        (finding.path.as_str(), finding.found.as_str()),
        ("Part.Anchored", "expected 1 value (one per instance), found 0")
    );
    let mut flagged = place();
    flagged.columns_mut().classes[0].markers.clear();
    assert_eq!(rules(&flagged), ["service-flags"]);
}

/// Short and long lists of strings are stored differently.
#[test]
fn strings_of_any_number() {
    for count in 0..20 {
        let wanted: Vec<String> = (0..count).map(|number| "x".repeat(number)).collect();
        let mut strings = Strings::from_strings(&wanted).unwrap();
        let total = wanted.iter().map(String::len).sum();
        assert_eq!((strings.len(), strings.is_empty(), strings.total_len()), (count, count == 0, total));
        assert!(strings.iter().eq(wanted.iter().map(|text| text.as_bytes())));
        strings.push("last").unwrap();
        assert!(strings.get(count).unwrap() == "last" && strings.get(count + 1).is_none());

        let mut document = Document::new();
        for name in &wanted {
            document.insert(None, NewInstance::new("Folder").property("Name", name.as_str())).unwrap();
        }
        for first in 0..count {
            // The document is read again for each edit, so that this is the first edit of its column.
            let mut document = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
            let ids: Vec<_> = document.roots().collect();
            document.set(ids[first], "Name", "set").unwrap();
            let Some(Column::String(strings)) = document.classes()[0].property("Name") else { panic!() };
            assert_eq!(strings.total_len(), total - first + 3);
            document.remove(ids[count / 2]).unwrap();
            document.insert(None, NewInstance::new("Folder").property("Name", "new")).unwrap();
            let mut names = wanted.clone();
            names[first] = "set".into();
            names.remove(count / 2);
            names.push("new".into());
            let written = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
            for document in [document, written] {
                assert!(
                    document
                        .roots()
                        .map(|id| document.name(id).unwrap())
                        .eq(names.iter().map(String::as_str))
                );
            }
        }
    }
}
