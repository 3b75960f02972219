//! Real files: each is read and written as the same bytes, whichever program wrote it.

#[cfg(feature = "serde")]
use rbxxml::Document;
use testkit::{Sample, corpus};

/// Real XML files, including old ones with extensions of the binary format.
fn real() -> Vec<Sample> {
    let mut files = corpus("rbxxml");
    files.extend(corpus("rbxbinary"));
    files.retain(|file| rbxxml::detect(&file.bytes).is_some());
    files
}

#[test]
fn every_real_file_comes_back() {
    let mut exact = 0;
    let files = real();
    for Sample { name, bytes } in &files {
        let document = rbxxml::from_slice(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = rbxxml::to_vec(&document).unwrap_or_else(|error| panic!("{name}: {error}"));
        exact += usize::from(written == *bytes);
        assert!(rbxxml::from_slice(&written).unwrap() == document, "{name}");
        for finding in rbxxml::check(&document) {
            println!("{name}: {finding}");
        }
    }
    println!("{exact} of {} exact", files.len());
    assert_eq!(exact, files.len());
}

/// The same content as a document that was not read from XML; `None` if JSON cannot represent it.
#[cfg(feature = "serde")]
fn without_layout(document: &Document) -> Option<Document> {
    let json = serde_json::to_string(document).unwrap();
    let mut document: Document = serde_json::from_str(&json).ok()?;
    document.layout = rbxxml::parts::Layout::default();
    Some(document)
}

/// Files are written as the same bytes because the crate writes like Studio, and not because it keeps a copy: without
/// the layout, nearly all files of Studio are still written unchanged.
#[cfg(feature = "serde")]
#[test]
fn studio_files_come_back_without_their_layout() {
    let (mut same, mut all) = (0, 0);
    for Sample { name, bytes } in corpus("rbxxml") {
        let studio =
            name.starts_with("rbx-dom") && !name.contains("edge-cases") || name.ends_with("Xml.rbxlx");
        if !studio {
            continue;
        }
        let Some(document) = without_layout(&rbxxml::from_slice(&bytes).unwrap()) else { continue };
        let written = rbxxml::to_vec(&document).unwrap();
        all += 1;
        match written == bytes {
            true => same += 1,
            false => println!("{name} needs its layout"),
        }
    }
    println!("{same} of {all} are canonical");
    // The others contain doubles with 20 digits, or shared strings of 2018.
    assert!(same * 100 >= all * 90, "{same} of {all}");
}

/// An edit only changes the lines of the edited values.
#[test]
fn an_edit_changes_its_own_lines() {
    for Sample { name, bytes } in real() {
        let mut document = rbxxml::from_slice(&bytes).unwrap();
        let Some(id) = document.instances().find(|&id| document.name(id).is_some()) else { continue };
        document.set(id, "Name", "edited by a test").unwrap();
        let written = rbxxml::to_vec(&document).unwrap();
        let lines = |bytes: &[u8]| -> Vec<String> {
            String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect()
        };
        let (before, after) = (lines(&bytes), lines(&written));
        assert_eq!(before.len(), after.len(), "{name}");
        let differing: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
        assert!(differing.len() == 1 && differing[0].1.contains("edited by a test"), "{name}: {differing:?}");
    }
}

#[test]
fn keys_are_what_studio_computes() {
    let mut checked = 0;
    for Sample { name, bytes } in corpus("rbxxml") {
        let document = rbxxml::from_slice(&bytes).unwrap();
        for shared in document.shared_strings() {
            let blake = rbxxml::parts::KeyHash::Blake2b.key(shared.bytes());
            let md5 = rbxxml::parts::KeyHash::Md5.key(shared.bytes());
            assert!(*shared.key() == blake || *shared.key() == md5, "{name}: {:?}", shared.key());
            checked += 1;
        }
    }
    println!("{checked} keys");
}

/// A read allocates about the size of the file twice, or three times if the source is kept.
#[test]
fn reading_holds_twice_the_file() {
    for Sample { name, bytes } in real() {
        let len = bytes.len() as u64;
        for (keep, times) in [(false, 2), (true, 3)] {
            let options = rbxxml::ReadOptions::new().keep_source(keep);
            let most = testkit::measure(|| drop(options.read(&bytes))).bytes_max;
            assert!(most <= times * len + 8_192, "{name}: {most} for {len}");
        }
        // A read does not count much more than that towards `max_bytes`.
        let options = rbxxml::ReadOptions::new().max_bytes(3 * len + 8_192);
        assert!(options.read(&bytes).is_ok(), "{name}: {len} bytes are not read with three times as many");
    }
}

/// Without the source, a document is equal, and is written as Studio writes it.
#[test]
fn the_bytes_can_be_let_go_of() {
    for Sample { name, bytes } in real() {
        let document = rbxxml::from_slice(&bytes).unwrap();
        let other = rbxxml::ReadOptions::new().keep_source(false).read(&bytes).unwrap();
        assert!(other == document, "{name}");
        let written = rbxxml::to_vec(&other).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(rbxxml::from_slice(&written).unwrap() == document, "{name}");
    }
}

/// Only equal models with the same layout are written as the same bytes: a comparison notices each value that is
/// written.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    testkit::changes_are_noticed(
        "rbxxml",
        |bytes| rbxxml::from_slice(bytes).ok(),
        |model| rbxxml::to_vec(model).ok(),
        rbxxml::Document::same_layout,
    );
}
