//! Real files: each is read, is written as the same bytes, and is converted to every other encoding without loss.

use llsd::{Document, Encoding, ReadOptions, WriteOptions, transcode};
use testkit::{Sample, corpus, fixtures};

fn through_all(name: &str, bytes: &[u8]) {
    let value = llsd::from_slice(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    for &encoding in Encoding::ALL {
        let to = WriteOptions::new().encoding(encoding);
        let written = transcode(bytes, &ReadOptions::new(), &to).unwrap_or_else(|e| panic!("{name}: {e}"));
        let there = llsd::from_slice(&written).unwrap_or_else(|e| panic!("{name} as {encoding}: {e}"));
        assert!(there == value, "{name} as {encoding}");
        // The event-based conversion must write the same bytes as the one with a tree.
        if llsd::check(&value).is_empty() {
            assert!(to.write(&there).unwrap() == written, "{name} as {encoding}");
        }
        for &back in Encoding::ALL {
            let again =
                transcode(&written, &ReadOptions::new().strict(true), &WriteOptions::new().encoding(back));
            let again = again.unwrap_or_else(|e| panic!("{name} as {encoding} as {back}: {e}"));
            assert!(llsd::from_slice(&again).unwrap() == value, "{name} as {encoding} as {back}");
        }
    }
}

#[test]
fn every_real_file_goes_through_all_encodings() {
    for Sample { name, bytes } in corpus("llsd") {
        through_all(&name, &bytes);
        let document = Document::from_slice(&bytes).unwrap();
        let written = document.to_vec().unwrap();
        assert!(written == bytes, "{name}");
        let again = Document::from_slice(&written).unwrap();
        assert!(again.value.identical(&document.value) && again.same_layout(&document), "{name}");
    }
}

#[test]
fn the_fixtures_do_too() {
    for Sample { name, bytes } in fixtures("llsd") {
        // Values that an encoding cannot represent are tested in tests/all/pairs.rs.
        let writable =
            |value| llsd::check(&value).iter().all(|finding| !finding.rule.demands.contains("XML"));
        if !name.contains("not_numbers") && llsd::from_slice(&bytes).is_ok_and(writable) {
            through_all(&name, &bytes);
        }
    }
    testkit::fixtures_come_back("llsd", |_, _| false, |_, bytes| Document::from_slice(bytes)?.to_vec());
}

/// If one value is changed, values are only equal if they are written as the same bytes.
#[test]
#[cfg(feature = "serde")]
fn one_value_changed_is_noticed() {
    let write = |value: &llsd::Value| Some(llsd::to_vec(value, llsd::Encoding::Binary).unwrap());
    testkit::changes_are_noticed("llsd", |bytes| llsd::from_slice(bytes).ok(), write, |_, _| true);
}
