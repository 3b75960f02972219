//! Binary LLSD and zlib by hand, as far as assets need them.

use crate::formats::Bytes;

pub(super) fn integer(value: i32) -> Bytes {
    Bytes::new().raw("i").i32_be(value)
}

pub(super) fn real(value: f64) -> Bytes {
    Bytes::new().raw("r").f64_be(value)
}

/// A date is the one number that is little-endian.
pub(super) fn date(seconds: f64) -> Bytes {
    Bytes::new().raw("d").f64(seconds)
}

pub(super) fn uuid(value: [u8; 16]) -> Bytes {
    Bytes::new().raw("u").raw(value)
}

pub(super) fn boolean(value: bool) -> Bytes {
    Bytes::new().raw(if value { "1" } else { "0" })
}

pub(super) fn string(text: impl AsRef<[u8]>) -> Bytes {
    run("s", text)
}

pub(super) fn binary(bytes: impl AsRef<[u8]>) -> Bytes {
    run("b", bytes)
}

/// A binary of little-endian numbers.
pub(super) fn u16s(values: impl IntoIterator<Item = u16>) -> Bytes {
    binary(Bytes::new().u16s(values))
}

fn run(marker: &str, bytes: impl AsRef<[u8]>) -> Bytes {
    let len = i32::try_from(bytes.as_ref().len()).expect("fixtures are small");
    Bytes::new().raw(marker).i32_be(len).raw(bytes)
}

pub(super) fn array(values: impl IntoIterator<Item = Bytes>) -> Bytes {
    let values: Vec<Bytes> = values.into_iter().collect();
    let start = Bytes::new().raw("[").i32_be(values.len() as i32);
    values.into_iter().fold(start, |all, value| all.raw(value)).raw("]")
}

pub(super) fn reals(values: impl IntoIterator<Item = f64>) -> Bytes {
    array(values.into_iter().map(real))
}

pub(super) fn map<K: AsRef<[u8]>>(entries: impl IntoIterator<Item = (K, Bytes)>) -> Bytes {
    let entries: Vec<_> = entries.into_iter().collect();
    let start = Bytes::new().raw("{").i32_be(entries.len() as i32);
    let all = entries.into_iter().fold(start, |all, (key, value)| all.raw(run("k", key)).raw(value));
    all.raw("}")
}

/// A zlib stream that stores its bytes as they are.
pub(super) fn zlib(bytes: impl AsRef<[u8]>) -> Bytes {
    let bytes = bytes.as_ref();
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let len = u16::try_from(bytes.len()).expect("one stored block holds 65,535 bytes");
    // The last block of its kind: 1; then the length, and the same with all bits turned.
    Bytes::new().raw([0x78, 0x01, 1]).u16(len).u16(!len).raw(bytes).u32_be(b << 16 | a)
}
