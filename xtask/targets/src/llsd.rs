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
    let _events = options().events(data).map(Iterator::count);
    if let Ok(lazy) = options().lazy(data) {
        let found = lazy.items().map(Iterator::count).or(lazy.entries().map(Iterator::count));
        let built = lazy.to_value(&options().max_bytes(lazy.cost())).expect("its cost is enough");
        assert!(found.is_none_or(|found| found >= built.len()), "fewer values than were built");
    }
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
    for &encoding in Encoding::ALL {
        if let Ok(written) = llsd::to_vec(&value, encoding) {
            let again =
                options().read(&written).unwrap_or_else(|error| panic!("written but not read: {error}"));
            assert!(value == again, "{encoding} reads as another value");
        }
        let to = WriteOptions::new().encoding(encoding);
        if let Ok(written) = llsd::transcode(data, &options(), &to) {
            let again = options().read(&written).expect("written but not read");
            assert!(value == again, "transcoded to {encoding} it is another value");
        }
    }
}

/// Every public function of a value.
pub fn everything(value: &Value) {
    let _findings = llsd::check(value);
    let _nowhere = (value.find("a/0/b"), &value["a"][0], value.to_text(), value.to_real());
    let _text = format!("{value} {value:?}");
    let mut edited = value.clone();
    let _replaced = (edited.set("a/0/b", 1), edited.remove("a"));
    assert!(value.identical(&value.clone()));
}
