//! Walking through documents, and operations on whole documents.

use rbxbinary::geom::{Mat3, Vec2, Vec3};
use rbxbinary::{
    CFrame, Class, Column, Compression, CustomPhysicalProperties, Document, ErrorKind, NewInstance,
    NumberRange, NumberSequence, NumberSequenceKeypoint, Parents, PhysicalProperties, Problem, Property,
    RULES, ReadOptions, Referent, Strings, UDim, Value, ValueRef, WriteOptions,
};
use testkit::fixture;

fn place() -> Document {
    rbxbinary::from_slice(&fixture("rbxbinary", "place.rbxl")).unwrap()
}

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
fn walking() {
    let document = place();
    let classes: Vec<_> = document.roots().map(|root| document.class(root).unwrap().to_string()).collect();
    assert_eq!(classes, ["Workspace", "Lighting"]);
    assert_eq!((document.len(), document.is_empty()), (5, false));
    let door = document.find("Workspace/Door").unwrap();
    assert_eq!(document.name(door).unwrap(), "Door");
    assert_eq!(document.class(document.parent(door).unwrap()).unwrap(), "Workspace");
    assert_eq!(document.get(door, "Anchored").unwrap().as_bool(), Some(true));
    assert_eq!(document.get(door, "Size"), Some(ValueRef::Vector3(Vec3::new(4.0, 1.0, 2.0))));
    assert_eq!(document.get(door, "Nothing"), None);
    let properties: Vec<_> = document.properties(door).map(|(name, _)| name.to_string()).collect();
    assert_eq!(properties, ["Name", "Anchored", "Size"]);
    let target = document.by_class("ObjectValue").next().unwrap();
    assert_eq!(document.get(target, "Value").unwrap().as_instance(), Some(door));
    let workspace = document.find("Workspace").unwrap();
    assert_eq!(document.class(document.find_in(workspace, "Inner").unwrap()).unwrap(), "Lighting");
    assert_eq!(document.children(workspace).count(), 3);
    assert_eq!(document.descendants(workspace).count(), 3);
    assert_eq!(document.instances().count(), 5);
    assert_eq!(document.find("Workspace/Nobody"), None);
    assert_eq!(document.by_referent(document.referent(door).unwrap()), Some(door));
    assert_eq!(document.by_referent(Referent(99)), None);
    assert_eq!(document.by_referent(Referent::NULL), None);
}

#[test]
fn a_path_finds_what_it_is_of() {
    let mut document = Document::new();
    let names = ["A", "A", "a/b", "a", "\\", "[1]", "A[1]", "", "", "A\\[0]"];
    let folder = |name: &str| NewInstance::new("Folder").property("Name", name);
    let mut ids = Vec::new();
    for name in names {
        let new = names.iter().fold(folder(name), |new, name| new.child(folder(name)));
        ids.push(document.insert(None, new).unwrap());
    }
    for id in document.instances() {
        let path = document.path(id).unwrap();
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
    assert!(document.paths().eq(document.instances().map(|id| (id, document.path(id).unwrap()))));
    let path = |id| document.path(id).unwrap().to_string();
    assert_eq!(
        ids.iter().map(|&id| path(id)).collect::<Vec<_>>(),
        ["A", "A[1]", "a\\/b", "a", "\\\\", "\\[1]", "A\\[1]", "[0]", "[1]", "A\\\\\\[0]"]
    );
    // An index [0] may be written; a malformed path finds nothing.
    assert_eq!(document.find("A[0]"), Some(ids[0]));
    for malformed in ["A[", "A[x]", "A[1]x", "A[-1]", "A\\", "A[99999999999999999999999]", "A[2]"] {
        assert_eq!(document.find(malformed), None, "{malformed}");
    }
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

/// The header of an edited document counts what is written. A class without instances is not written.
#[test]
fn counts_of_an_edited_document() {
    let mut document = place();
    let counts = |bytes: &[u8]| {
        let number = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let classes = rbxbinary::chunks(bytes).unwrap().flatten();
        let classes = classes.filter(|chunk| chunk.name == rbxbinary::ChunkName::INST).count();
        assert_eq!(usize::try_from(number(16)), Ok(classes));
        (number(16), number(20))
    };
    let before = counts(&rbxbinary::to_vec(&document).unwrap());
    let part = document.by_class("Part").next().unwrap();
    document.remove(part).unwrap();
    let after = counts(&rbxbinary::to_vec(&document).unwrap());
    assert_eq!(after, (before.0 - 1, before.1 - 1));
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
fn rules_have_names_of_their_own() {
    let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
    assert!(ids.iter().all(|id| id.starts_with("rbxbinary.")));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), RULES.len());
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

/// Numbers in values are compared by their bits.
#[test]
fn equality_is_by_bits() {
    let sequence =
        |value| NumberSequence { keypoints: vec![NumberSequenceKeypoint { value, ..Default::default() }] };
    let values: [fn(f32) -> Value; 9] = [
        Value::Float32,
        |number| Value::Float64(number.into()),
        |number| Vec3::new(1.0, number, 2.0).into(),
        |number| Vec2::new(1.0, number).into(),
        |number| UDim::new(number, 3).into(),
        |number| CFrame { position: Vec3::new(0.0, 0.0, number), ..CFrame::IDENTITY }.into(),
        |number| {
            let rotation = Mat3::from_rows([1.0, number, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            Some(CFrame { rotation, ..CFrame::IDENTITY }).into()
        },
        |number| NumberRange { min: 0.0, max: number }.into(),
        |number| {
            let custom = CustomPhysicalProperties { acoustic_absorption: Some(number), ..Default::default() };
            PhysicalProperties::Custom(custom).into()
        },
    ];
    let values = values.into_iter().map(|of| (of(f32::NAN), of(0.0), of(-0.0)));
    let keys = (sequence(f32::NAN).into(), sequence(0.0).into(), sequence(-0.0).into());
    for (nan, zero, negative) in values.chain([keys]) {
        assert!(nan == nan.clone() && zero == zero.clone() && zero != negative && nan != zero, "{nan:?}");
        let document = |value: &Value| {
            let mut document = Document::new();
            document.insert(None, NewInstance::new("A").property("V", value)).unwrap();
            document
        };
        let read =
            |document: &Document| rbxbinary::from_slice(&rbxbinary::to_vec(document).unwrap()).unwrap();
        assert!(document(&nan) == document(&nan) && document(&zero) != document(&negative), "{nan:?}");
        assert!(read(&document(&nan)) == document(&nan), "{nan:?}");
    }
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
