use llsd::{Document, Encoding, Header, ReadOptions, Value, WriteOptions};

use super::{MAX_BYTES, examine};

fn options() -> ReadOptions {
    ReadOptions::new().max_bytes(MAX_BYTES)
}

pub(super) fn read(data: &[u8]) {
    examine(data);
    if let Ok(value) = options().read(data) {
        everything(&value);
    }
    let _strict = options().strict(true).read(data);
}

/// Notation without a header, which nothing detects.
pub(super) fn notation(data: &[u8]) {
    let Ok(value) = llsd::read_notation(data) else { return };
    let bare = WriteOptions::new().encoding(Encoding::Notation).header(Header::None);
    let written = bare.write(&value).unwrap_or_else(|error| panic!("read but not written: {error}"));
    let again = llsd::read_notation(&written).unwrap_or_else(|error| panic!("written but not read: {error}"));
    assert!(value.identical(&again), "what was written reads as another value");
}

/// A value of one encoding in every other: what is written without an error reads back equal.
pub(super) fn differential(data: &[u8]) {
    let Ok(Document { value, .. }) = options().read_document(data) else { return };
    for encoding in Encoding::ALL {
        if let Ok(written) = llsd::to_vec(&value, encoding) {
            let again =
                options().read(&written).unwrap_or_else(|error| panic!("written but not read: {error}"));
            assert!(value.identical(&again), "{encoding} reads as another value");
        }
    }
}

/// Every public function of a value.
pub fn everything(value: &Value) {
    let _findings = llsd::check(value);
    let _nowhere = value.find("a/0/b");
    let _text = format!("{value} {value:?}");
    let mut edited = value.clone();
    let _replaced = (edited.set("a/0/b", 1), edited.remove("a"));
    assert!(value.identical(&value.clone()));
}
