//! Megabytes of document in a second, in each encoding.

use divan::Bencher;
use divan::counter::BytesCount;
use llsd::{Encoding, Map, ReadOptions, Uuid, Value, WriteOptions, transcode};

fn main() {
    divan::main();
}

/// A map of arrays of maps, as an inventory is: some three megabytes in binary.
fn document() -> Value {
    let item = |n: u32| {
        let mut id = [7; 16];
        id[..4].copy_from_slice(&n.to_be_bytes());
        let x = f64::from(n);
        Map::from([
            ("item_id", Value::from(Uuid(id))),
            ("name", format!("Object number {n}").into()),
            ("desc", "(No Description)".into()),
            ("flags", Value::Integer(0x7fff - 3)),
            ("enabled", (n & 1 == 0).into()),
            ("position", [x / 7.0, x / 11.0, 22.5].into()),
            ("rotation", [0.5, 0.25, x / 1e4, 1.0].into()),
            ("parent", Value::Undef),
        ])
    };
    let group =
        |g: u32| (format!("category_{g}"), (0..2_000).map(|n| item(g * 2_000 + n)).collect::<Value>());
    (0..8).map(group).collect::<Map>().into()
}

fn options(encoding: Encoding) -> (ReadOptions, WriteOptions) {
    (ReadOptions::new().encoding(encoding), WriteOptions::new().encoding(encoding).header(llsd::Header::None))
}

#[divan::bench(args = Encoding::ALL)]
fn read(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let (from, to) = options(encoding);
    let bytes = to.write(&document()).expect("a value that every encoding can represent");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| from.read(&bytes));
}

#[divan::bench(args = Encoding::ALL)]
fn events(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let (from, to) = options(encoding);
    let bytes = to.write(&document()).expect("a value that every encoding can represent");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| from.events(&bytes).map(Iterator::count));
}

#[divan::bench(args = Encoding::ALL)]
fn write(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let (_, to) = options(encoding);
    let value = document();
    let bytes = to.write(&value).expect("a value that every encoding can represent");
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| to.write(&value));
}

#[divan::bench(args = Encoding::ALL)]
fn transcode_to_binary(bencher: Bencher<'_, '_>, encoding: Encoding) {
    let (from, to) = options(encoding);
    let bytes = to.write(&document()).expect("a value that every encoding can represent");
    let binary = WriteOptions::new();
    bencher.counter(BytesCount::of_slice(&bytes)).bench(|| transcode(&bytes, &from, &binary));
}
