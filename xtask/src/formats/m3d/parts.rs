//! What models made by hand are put together from.

use crate::formats::Bytes;

/// Everything without a width but vertices and names, which have one byte.
pub(super) const WIDE: u32 = 0x03ff_ffff & !(3 | 3 << 2 | 3 << 4 | 3 << 12);
/// The same with coordinates as floats.
pub(super) const FLOAT: u32 = WIDE | 2;
/// No index: -1.
pub(super) const NONE: u32 = 0xffff_ffff;
/// A PNG image of one pixel, as far as its header.
pub(super) const ASSET_PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// What stands in `HEAD`.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) scale: f32,
    pub(super) types: u32,
    pub(super) strings: Vec<u8>,
}

impl Head {
    pub(super) fn new(types: u32, strings: impl AsRef<[u8]>) -> Self {
        Self { scale: 1.0, types, strings: strings.as_ref().to_vec() }
    }
}

/// A chunk: tag, size with these eight bytes, content.
pub(super) fn chunk(tag: &[u8; 4], data: Bytes) -> Bytes {
    let size = u32::try_from(data.as_ref().len() + 8).unwrap_or(0);
    Bytes::new().raw(tag).u32(size).raw(data)
}

/// `HEAD`, the chunks, `OMD3`.
pub(super) fn payload(head: &Head, chunks: Vec<Bytes>) -> Bytes {
    let front = Bytes::new().f32(head.scale).u32(head.types).raw(&head.strings);
    chunks.into_iter().fold(chunk(b"HEAD", front), |all, chunk| all.raw(chunk)).raw("OMD3")
}

/// The file: magic, size, preview, payload.
pub(super) fn file(preview: &Bytes, payload: &Bytes) -> Vec<u8> {
    let size = u32::try_from(8 + preview.as_ref().len() + payload.as_ref().len()).unwrap_or(0);
    Bytes::new().raw("3DMO").u32(size).raw(preview).raw(payload).into()
}

/// A file that is not compressed.
pub(super) fn raw(head: &Head, chunks: Vec<Bytes>) -> Vec<u8> {
    file(&Bytes::new(), &payload(head, chunks))
}

/// A zlib stream that only stores: header, one block, Adler-32.
pub(super) fn stored(bytes: &[u8]) -> Bytes {
    let len = u16::try_from(bytes.len()).unwrap_or(0);
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in bytes {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    Bytes::new().raw([0x78, 0x01, 1]).u16(len).u16(!len).raw(bytes).u32_be(b << 16 | a)
}

/// An index in a width of two bits: one byte, two, four, none. -1 and -2 are what they are in each.
pub(super) fn id(bits: u32, value: u32) -> Vec<u8> {
    let size = [1, 2, 4, 0][bits as usize & 3];
    value.to_le_bytes()[..size].to_vec()
}

/// How many bytes a width has.
pub(super) fn width_name(bits: u32) -> &'static str {
    ["1", "2", "4", "0"][bits as usize & 3]
}

/// Where a string begins in a table.
pub(super) fn offset(table: &str, string: &str) -> u32 {
    table.find(string).and_then(|place| u32::try_from(place).ok()).unwrap_or(0)
}

/// Three vertices of int8, each with so many bytes of zero behind it.
pub(super) fn coords(extra: usize) -> Bytes {
    [[127, 0, 0, 127], [0, 127, 0, 127], [0, 0, 127, 127]]
        .into_iter()
        .fold(Bytes::new(), |all, point| all.raw(point).raw(vec![0; extra]))
}

/// The chunks of one triangle where every width has one byte: colour and skin of its vertices are 0
/// and -1.
pub(super) fn triangle(_: &Head) -> Vec<Bytes> {
    let vertices = [[127, 0, 0, 127], [0, 127, 0, 127], [0, 0, 127, 127]]
        .into_iter()
        .fold(Bytes::new(), |all, point| all.raw(point).raw([0, 255]));
    vec![
        chunk(b"CMAP", Bytes::new().u32(0).u32(0xff20_4080)),
        chunk(b"VRTS", vertices),
        chunk(b"MESH", Bytes::new().u8(0x30).raw([0, 1, 2])),
    ]
}
