//! Files that make another reader panic, abort or lose data. Here they return an error with an offset, or are read
//! correctly.

use crate::common::{
    chunk, end, framed, header, hex, inst, interleaved, one_column, prnt, prop, referents, string,
};
use rbxbinary::errors::ErrorKind;
use rbxbinary::parts::{Column, TypeId};
use rbxbinary::{ChunkName, Compression, Document, NewInstance, ValueRef, WriteOptions};
use testkit::measure;

/// The error of a file. Reading it must allocate very little memory.
fn refused(file: &[u8]) -> rbxbinary::Error {
    let mut error = None;
    let taken = measure(|| error = rbxbinary::from_slice(file).err());
    assert!(taken.bytes_max < 64 << 10, "{} bytes taken", taken.bytes_max);
    error.expect("an error")
}

fn end_of_input(file: &[u8], path: &str) {
    let error = refused(file);
    assert!(matches!(error.kind(), ErrorKind::UnexpectedEnd), "{error}");
    assert_eq!(error.path(), path, "{error}");
    assert!(error.offset().is_some());
}

#[test]
fn compressed_lengths_of_1_to_3() {
    // Too short to be a zstd frame, but valid: 00 is an empty LZ4 block.
    for stored in [hex("00"), hex("10 61"), hex("20 61 62")] {
        let len = u32::try_from(stored.len() - 1).unwrap();
        let compressed = u32::try_from(stored.len()).unwrap();
        let file = [header(0, 0), framed(b"WHAT", compressed, len, 0, &stored), end()].concat();
        let document = rbxbinary::from_slice(&file).unwrap();
        assert_eq!(document.unknown_chunks().next().unwrap().bytes, stored[1..]);
        assert_eq!(rbxbinary::chunks(&file).unwrap().next().unwrap().unwrap().compression, Compression::Lz4);
        assert!(rbxbinary::to_vec(&document).unwrap() == file);
    }
    let file = [header(0, 0), framed(b"WHAT", 2, 9, 0, &hex("28 b5")), end()].concat();
    let error = refused(&file);
    assert_eq!(error.path(), "chunks[0].WHAT");
    assert_eq!(error.offset(), Some(32));
}

/// The offset of an error counts in the decompressed chunk, as the message states.
#[test]
fn offsets_in_chunks() {
    let parents = [&[0][..], &2_u32.to_le_bytes(), &referents(&[0, 1]), &referents(&[-1])].concat();
    let file = [header(0, 0), chunk(b"PRNT", &parents), end()].concat();
    let text = "unexpected end of input in chunks[0].PRNT.count at offset 0x11 of the decompressed chunk";
    assert_eq!(refused(&file).to_string(), text);
}

#[test]
fn reserved_bytes() {
    let file = [header(0, 0), framed(b"WHAT", 0, 1, 0xdead_beef, b"x"), end()].concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    assert!(rbxbinary::check(&document).iter().any(|finding| finding.rule.id == "rbxbinary.reserved"));
}

#[test]
fn a_header_and_nothing_else() {
    let file = header(3, -1);
    let document = rbxbinary::from_slice(&file).unwrap();
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    let rules: Vec<_> = rbxbinary::check(&document).into_iter().map(|finding| finding.rule.id).collect();
    assert!(rules.contains(&"rbxbinary.parents-chunk") && rules.contains(&"rbxbinary.end-chunk"));
}

#[test]
fn a_table_said_often_takes_no_longer_each() {
    // If the first table were searched for among all chunks each time, this would take minutes.
    let table = chunk(b"SSTR", &[0; 8]);
    let file = [header(0, 0), chunk(b"WHAT", b"").repeat(200_000), table.repeat(200_000), end()].concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(document.unknown_chunks().count(), 399_999);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

#[test]
fn a_truncated_chunk() {
    let whole = one_column(1, 0x02, &[1]);
    let start = 32 + 16 + inst(0, "Thing", &[0]).len();
    // The header of a chunk has 16 bytes.
    for (len, path) in [(5, "header"), (15, "header"), (16, "data"), (20, "data")] {
        end_of_input(&whole[..start + len], &format!("chunks[1].{path}"));
    }
    // Without an END chunk, but cut between chunks: the rest is read, and the missing chunk is reported.
    let document = rbxbinary::from_slice(&whole[..whole.len() - 25]).unwrap();
    assert_eq!(document.len(), 1);
    let findings = rbxbinary::check(&document);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxbinary.end-chunk"), "{findings:?}");
    assert!(rbxbinary::to_vec(&document).unwrap() == whole[..whole.len() - 25]);
}

fn with_parents(children: &[i32], parents: &[i32]) -> Vec<u8> {
    let data = prnt(children, parents);
    [header(1, 2), chunk(b"INST", &inst(0, "Thing", &[0, 1])), chunk(b"PRNT", &data), end()].concat()
}

#[test]
fn parents_that_say_strange_things() {
    type Case<'a> = (&'a [i32], &'a [i32], &'a str, &'a [i32]);
    // (children, parents, the broken rule, the roots of the tree)
    let cases: [Case<'_>; 6] = [
        (&[0, 1], &[-1, 77], "rbxbinary.parents", &[0, 1]),
        (&[0, 1, 88], &[-1, 0, 0], "rbxbinary.parents", &[0]),
        (&[0, 1, 1], &[-1, -1, 0], "rbxbinary.parent-rows", &[0]),
        (&[0, 1], &[1, 0], "rbxbinary.cycles", &[0]),
        (&[0, 1], &[-1, 1], "rbxbinary.cycles", &[0, 1]),
        (&[0], &[-1], "rbxbinary.parent-rows", &[0, 1]),
    ];
    for (children, parents, rule, roots) in cases {
        let file = with_parents(children, parents);
        let document = rbxbinary::from_slice(&file).unwrap();
        assert!(rbxbinary::to_vec(&document).unwrap() == file);
        let findings = rbxbinary::check(&document);
        assert!(findings.iter().any(|finding| finding.rule.id == rule), "{rule}: {findings:?}");
        // No instance is lost: each is in the tree exactly once.
        assert_eq!(document.instances().count(), 2, "{rule}");
        let found: Vec<_> = document.roots().map(|root| document.referent(root).unwrap().0).collect();
        assert_eq!(found, roots, "{rule}");
        // After an edit, a valid file is written.
        let mut edited = document.clone();
        let first = edited.instances().next().unwrap();
        edited.reparent(first, None).unwrap();
        let left = rbxbinary::check(&rbxbinary::from_slice(&rbxbinary::to_vec(&edited).unwrap()).unwrap());
        assert!(left.iter().all(|finding| finding.rule.id == "rbxbinary.metadata-chunk"), "{rule}: {left:?}");
    }
}

/// A column whose bytes are not values of its type is kept as bytes, and reported.
fn kept(file: &[u8]) {
    let document = rbxbinary::from_slice(file).unwrap();
    assert!(matches!(document.classes()[0].property("Value"), Some(Column::Unknown { .. })));
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    let findings = rbxbinary::check(&document);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxbinary.column-values"), "{findings:?}");
}

/// A column with a byte too few or too many is kept as bytes, whatever its type.
#[test]
fn columns_of_another_length_than_their_types() {
    let document = rbxbinary::from_slice(&testkit::fixture("rbxbinary", "types.rbxm")).unwrap();
    let bytes = WriteOptions::new().compression(Compression::None).write(&document).unwrap();
    let mut types = std::collections::BTreeSet::new();
    for chunk in
        rbxbinary::chunks(&bytes).unwrap().map(Result::unwrap).filter(|chunk| chunk.name == ChunkName::PROP)
    {
        // Skip the id of the class, the length of the name and the name; then follows the type.
        let name_len = usize::from(chunk.payload[4]);
        let (type_id, values) = chunk.payload[8 + name_len..].split_first().unwrap();
        kept(&one_column(3, *type_id, &values[..values.len() - 1]));
        kept(&one_column(3, *type_id, &[values, &[0]].concat()));
        types.insert(TypeId(*type_id));
    }
    assert!(types.iter().eq(TypeId::ALL));
}

/// A content without its address, one without the count of external objects, and a string that is cut.
#[test]
fn values_that_end_early() {
    kept(&one_column(1, 0x22, &[interleaved(&[2]), vec![0; 12]].concat()));
    kept(&one_column(1, 0x22, &[interleaved(&[0]), vec![0; 8]].concat()));
    kept(&one_column(2, 0x01, &[string(b"fine"), hex("05 00 00 00 61 62 63 64")].concat()));
}

#[test]
fn counts_that_nothing_could_fill() {
    // The counts in the header are kept, but not used.
    let file = [header(-1, -1), end()].concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!((document.header.class_count, document.header.instance_count), (Some(-1), Some(-1)));
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    assert!(rbxbinary::check(&document).iter().any(|f| f.rule.id == "rbxbinary.instance-count"));

    let mut class = inst(0, "Thing", &[]);
    let count = class.len() - 4;
    class[count..].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    end_of_input(&[header(1, 0), chunk(b"INST", &class), end()].concat(), "chunks[0].INST.count");

    let most = 0xffff_ffff_u32.to_le_bytes();
    kept(&one_column(1, 0x15, &most));
    kept(&one_column(1, 0x16, &most));
    kept(&one_column(1, 0x22, &[interleaved(&[2]), most.to_vec()].concat()));
    kept(&one_column(1, 0x22, &[interleaved(&[0]), vec![0; 8], most.to_vec()].concat()));
    for (name, data) in [(b"META", most.to_vec()), (b"SSTR", [vec![0; 4], most.to_vec()].concat())] {
        let path = format!("chunks[0].{}.count", String::from_utf8_lossy(name));
        end_of_input(&[header(0, 0), chunk(name, &data), end()].concat(), &path);
    }
    let parents = [vec![0], most.to_vec()].concat();
    end_of_input(&[header(0, 0), chunk(b"PRNT", &parents), end()].concat(), "chunks[0].PRNT.count");
}

#[test]
fn lengths_that_nothing_could_become() {
    for stored in [hex("00 00 00 00"), hex("28 b5 2f fd 60 00 00 01 00 00")] {
        let compressed = u32::try_from(stored.len()).unwrap();
        let error =
            refused(&[header(0, 0), framed(b"PROP", compressed, u32::MAX, 0, &stored), end()].concat());
        assert!(
            error
                .to_string()
                .contains("cannot decompress to the declared 4294967295 bytes in chunks[0].PROP"),
            "{error}"
        );
    }
}

#[test]
fn a_small_file_does_not_become_a_large_one_beyond_the_limit() {
    // An LZ4 block of 16 million zeros: one literal, and a match of the greatest length.
    let mut stored = vec![0x1f, 0, 1, 0];
    stored.extend(vec![255; 1 << 16]);
    stored.extend(hex("00 50 00 00 00 00 00"));
    let len = 1 + 15 + 4 + 255 * (1 << 16) + 5;
    let file = [header(0, 0), framed(b"WHAT", u32::try_from(stored.len()).unwrap(), len, 0, &stored), end()]
        .concat();
    assert_eq!(
        rbxbinary::from_slice(&file).unwrap().unknown_chunks().next().unwrap().bytes.len(),
        len as usize
    );
    let error = rbxbinary::ReadOptions::new().max_bytes(1 << 20).read(&file).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit(limit) if limit.name == "max_bytes"), "{error}");
    // A zstd frame of 64 blocks, each of which repeats one byte to 128 KiB.
    let blocks = 64;
    let mut frame = hex("28 b5 2f fd a0");
    frame.extend((blocks * (128_u32 << 10)).to_le_bytes());
    for block in 0..blocks {
        let header = (128_u32 << 10) << 3 | 1 << 1 | u32::from(block == blocks - 1);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.push(7);
    }
    let len = blocks * (128 << 10);
    let file =
        [header(0, 0), framed(b"WHAT", u32::try_from(frame.len()).unwrap(), len, 0, &frame), end()].concat();
    assert!(
        rbxbinary::from_slice(&file)
            .unwrap()
            .unknown_chunks()
            .next()
            .unwrap()
            .bytes
            .iter()
            .all(|&byte| byte == 7)
    );
    let mut error = None;
    let taken = measure(|| error = rbxbinary::ReadOptions::new().max_bytes(1 << 20).read(&file).err());
    assert!(matches!(error.unwrap().kind(), ErrorKind::Limit(_)));
    assert!(taken.bytes_max < 1 << 20);
    // The same blocks in a frame with a smaller content size: decompression stops early.
    let lying = [
        header(0, 0),
        framed(b"WHAT", u32::try_from(frame.len()).unwrap(), 1 << 17, 0, &{
            let mut frame = frame;
            frame[5..9].copy_from_slice(&(1_u32 << 17).to_le_bytes());
            frame
        }),
    ]
    .concat();
    let mut error = None;
    let taken = measure(|| error = rbxbinary::from_slice(&lying).err());
    assert!(error.unwrap().to_string().contains(
        "cannot decompress the zstd data to the declared 131072 bytes: the decompressed content exceeds"
    ));
    assert!(taken.bytes_max < 2 << 20, "{}", taken.bytes_max);
}

#[test]
fn a_zstd_window_is_never_larger_than_the_content() {
    // A window of 1.875 TiB for a content of one byte.
    let frame = hex("28 b5 2f fd 00 f7 09 00 00 78");
    let file = [header(0, 0), framed(b"WHAT", 10, 1, 0, &frame), end()].concat();
    let mut document = None;
    let taken = measure(|| document = Some(rbxbinary::from_slice(&file).unwrap()));
    assert_eq!(document.unwrap().unknown_chunks().next().unwrap().bytes, b"x");
    assert!(taken.bytes_max < 2 << 20, "{}", taken.bytes_max);
}

/// The value of the first instance.
fn first(document: &Document) -> Option<ValueRef<'_>> {
    document.get(document.roots().next().unwrap(), "Value")
}

#[test]
fn a_number_is_of_the_type_that_the_file_says() {
    // The type of a number is that of its column: Float32 and Float64 can both be read as f64.
    let document = rbxbinary::from_slice(&one_column(1, 0x04, &hex("7f 00 00 00"))).unwrap();
    assert_eq!(first(&document).unwrap().as_f64(), Some(1.0));
    let document = rbxbinary::from_slice(&one_column(1, 0x05, &hex("00 00 00 00 00 00 f0 3f"))).unwrap();
    assert_eq!(first(&document).unwrap().as_f64(), Some(1.0));
}

#[test]
fn what_is_not_known_is_kept_in_its_place() {
    let table = [hex("01 00 00 00"), string(b"ExplicitAutoJoints"), string(b"true")].concat();
    let file = [
        header(1, 1),
        chunk(b"NEW\0", b"before all"),
        chunk(b"META", &table),
        chunk(b"INST", &inst(0, "Thing", &[0])),
        chunk(b"MID1", b""),
        chunk(b"PROP", &prop(0, "Later", 0x23, b"of a type to come")),
        chunk(b"PROP", &[0_u32.to_le_bytes().to_vec(), string(b"Nothing")].concat()),
        chunk(b"PROP", &prop(9, "Orphan", 0x02, &[1])),
        chunk(b"PROP", &prop(0, "Anchored", 0x02, &[7])),
        chunk(b"PROP", &prop(0, "Locked", 0x02, &[1, 0, 0])),
        chunk(b"PROP", &prop(0, "Physical", 0x19, &[4])),
        chunk(b"META", &table),
        chunk(b"PRNT", &prnt(&[0], &[-1])),
        chunk(b"SIGN", b"\x01\0\0\0 whatever"),
        end(),
        b"after the end".to_vec(),
    ]
    .concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    let class = &document.classes()[0];
    let unknown = |name: &str| match class.property(name) {
        Some(Column::Unknown { type_id, bytes }) => (type_id.0, bytes.to_vec()),
        other => panic!("{other:?}"),
    };
    assert_eq!(unknown("Later"), (0x23, b"of a type to come".to_vec()));
    assert_eq!(class.property("Nothing"), Some(&Column::Untyped));
    // A bool that is neither 0 nor 1, values that are shorter than the chunk, and unknown flags.
    assert_eq!(unknown("Anchored"), (2, vec![7]));
    assert_eq!(unknown("Locked"), (2, vec![1, 0, 0]));
    assert_eq!(unknown("Physical"), (0x19, vec![4]));
    assert_eq!(class.property("Orphan"), None);
    assert_eq!(document.metadata()[0].value, "true");
    assert_eq!(document.signatures(), Some(&b"\x01\0\0\0 whatever"[..]));
    assert_eq!(document.trailing(), b"after the end");
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    let rules: Vec<_> = rbxbinary::check(&document).into_iter().map(|finding| finding.rule.id).collect();
    for rule in [
        "rbxbinary.chunk-names",
        "rbxbinary.column-types",
        "rbxbinary.column-types",
        "rbxbinary.column-classes",
        "rbxbinary.column-values",
        "rbxbinary.single-chunks",
        "rbxbinary.extra",
    ] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
}

#[test]
fn a_shared_string_that_is_not_there() {
    let document = rbxbinary::from_slice(&one_column(1, 0x1c, &interleaved(&[5]))).unwrap();
    assert_eq!(first(&document), None);
    let findings = rbxbinary::check(&document);
    assert!(findings.iter().any(|finding| finding.rule.id == "rbxbinary.shared-strings"), "{findings:?}");
}

#[test]
fn names_that_are_not_utf8() {
    let values = [string(b"\xff\xfe"), string(b"fine")].concat();
    let file = one_column(2, 0x01, &values);
    let document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(first(&document).unwrap().as_bytes(), Some(&b"\xff\xfe"[..]));
    assert_eq!(first(&document).unwrap().as_str(), None);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

#[test]
fn a_million_levels() {
    let count = 1_000_000;
    let children: Vec<i32> = (0..count).collect();
    let parents: Vec<i32> = (-1..count - 1).collect();
    let file = [
        header(1, count),
        chunk(b"INST", &inst(0, "Folder", &children)),
        chunk(b"PROP", &prop(0, "Name", 0x01, &vec![0; 4 * count as usize])),
        chunk(b"PRNT", &prnt(&children, &parents)),
        end(),
    ]
    .concat();
    // On a thread with a stack that is too small for recursion.
    let work = move || {
        let mut document = rbxbinary::from_slice(&file).unwrap();
        assert_eq!(document.roots().count(), 1);
        assert_eq!(document.instances().count(), count as usize);
        assert!(rbxbinary::check(&document).iter().all(|f| f.rule.id == "rbxbinary.metadata-chunk"));
        let deepest = document.instances().last().unwrap();
        document.set(deepest, "Name", "deepest").unwrap();
        document.add_property("Folder", "Archivable", true).unwrap();
        let path = document.path(deepest).unwrap();
        assert_eq!(document.find(&path), Some(deepest));
        let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
        assert_eq!(again.parents(), document.parents());
        assert!(again.clone() == again);
        let mut copy = Document::new();
        copy.merge(None, &document).unwrap();
        assert_eq!(copy.len(), count as usize);
        let top = document.roots().next().unwrap();
        assert_eq!(document.remove(top).unwrap(), count as usize);
        // A new instance with the same number of descendants.
        let mut new = NewInstance::new("Folder");
        for _ in 0..count {
            new = NewInstance::new("Folder").child(new);
        }
        document.insert(None, new.clone()).unwrap();
        assert_eq!(document.len(), count as usize + 1);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn what_is_no_binary_file() {
    let expected = "not a binary Roblox document: expected \"<roblox!\" at the start";
    for (bytes, what) in [
        (&b"<roblox xmlns:xmime="[..], "a Roblox document in XML (read it with the crate rbxxml)"),
        (b"<!DOCTYPE html><html>", "an HTML page (perhaps a server's error message)"),
        (b"{\"errors\":[]}", "JSON"),
        (b"\x1f\x8b\x08\0\0\0\0\0", "gzip data (decompress it first)"),
        (b"PK\x03\x04\x14\0\0\0", "a ZIP archive (extract it first)"),
        (b"\x28\xb5\x2f\xfd\x20\0\0\0", "zstd data (decompress it first)"),
        (
            b"version https://git-lfs.github.com/spec/v1",
            "a Git LFS pointer (fetch the file with `git lfs pull`)",
        ),
        (b"version 2.00\n", "a Roblox mesh (read it with the crate rbxmesh)"),
    ] {
        let error = rbxbinary::from_slice(bytes).unwrap_err();
        assert_eq!(error.to_string(), format!("{expected}; found {what} at offset 0x0"));
        assert_eq!(format!("{error:?}"), error.to_string());
    }
    for (bytes, text) in [
        (&b""[..], "the input is empty at offset 0x0"),
        (b"<roblox!", "unexpected end of input at offset 0x8"),
        (
            b"<roblox!\x89\xff\r\n\x1a\n\x01\0",
            "unsupported version 1 (expected 0, the only known version) in version at offset 0xe",
        ),
        (
            b"<roblox!\x89\xff\n\n\x1a\n\0\0",
            "expected the bytes 89 ff 0d 0a 1a 0a after \"<roblox!\": perhaps a program changed the file as if it were \
             text (get the original file; for git, first add \"*.rbxm binary\" and \"*.rbxl binary\" to \
             .gitattributes) at offset 0x8",
        ),
    ] {
        assert_eq!(rbxbinary::from_slice(bytes).unwrap_err().to_string(), text);
    }
    assert_eq!(rbxbinary::detect(b"<roblox xmlns:xmime="), None);
    assert_eq!(rbxbinary::detect(&header(0, 0)), Some(rbxbinary::Version::V0));
}

#[test]
fn chunks_in_an_unusual_order_stay_where_they_are() {
    let strings = [vec![0; 4], 1_u32.to_le_bytes().to_vec(), vec![7; 16], string(b"shared")].concat();
    let metadata = [1_u32.to_le_bytes().to_vec(), string(b"key"), string(b"value")].concat();
    let file = [
        header(2, 2),
        chunk(b"INST", &inst(0, "First", &[0])),
        chunk(b"META", &metadata),
        chunk(b"PROP", &prop(0, "Late", 2, &[1])),
        chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
        chunk(b"INST", &inst(1, "Second", &[1])),
        chunk(b"PROP", &prop(1, "Other", 2, &[1])),
        chunk(b"PROP", &prop(0, "Later", 2, &[0])),
        chunk(b"SSTR", &strings),
        end(),
    ]
    .concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(document.classes()[0].properties.len(), 2);
    assert_eq!(document.classes()[1].properties.len(), 1);
    assert_eq!(document.metadata().len() + document.shared_strings().len(), 2);
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
}

/// Roblox and rbx_binary apply the chunks of a class in their order, so the last one for a property counts.
#[test]
fn the_last_of_two_columns_of_a_property_counts() {
    let column = |value: &str| chunk(b"PROP", &prop(0, "Value", 0x05, &hex(value)));
    let (first, last) = (column("00 00 00 00 00 00 f0 3f"), column("00 00 00 00 00 00 00 40"));
    let class = chunk(b"INST", &inst(0, "Thing", &[0]));
    let file = [header(1, 1), class, first.clone(), last, chunk(b"PRNT", &prnt(&[0], &[-1])), end()].concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    assert_eq!(self::first(&document).unwrap().as_f64(), Some(2.0));
    let id = document.roots().next().unwrap();
    document.set(id, "Value", 3.0_f64).unwrap();
    let written = rbxbinary::to_vec(&document).unwrap();
    assert!(written.windows(first.len()).any(|part| part == first));
    let again = rbxbinary::from_slice(&written).unwrap();
    assert_eq!(self::first(&again).unwrap().as_f64(), Some(3.0));
}

/// A property that one of two classes with the same name lacks is added to that one.
#[test]
fn a_property_is_added_where_it_is_missing() {
    let class = |id: i32| chunk(b"INST", &inst(id.cast_unsigned(), "Thing", &[id]));
    let value = chunk(b"PROP", &prop(0, "Value", 0x05, &hex("00 00 00 00 00 00 f0 3f")));
    let file =
        [header(2, 2), class(0), class(1), value, chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])), end()].concat();
    let mut document = rbxbinary::from_slice(&file).unwrap();
    document.add_property("Thing", "Value", 2.0_f64).unwrap();
    let values: Vec<_> = document.roots().map(|id| document.get(id, "Value").unwrap().as_f64()).collect();
    assert_eq!(values, [Some(1.0), Some(2.0)]);
    assert!(document.add_property("Thing", "Value", 2.0_f64).is_err());
}
