//! Builds files by hand from uncompressed chunks, and checks that edits are refused.
#![allow(dead_code, reason = "each test file uses its part")]

use rbxbinary::errors::ErrorKind;
use rbxbinary::{Document, NewInstance, Result};

/// The advice about missing values, with or without the class table.
pub(crate) fn advised(text: &str) -> String {
    let new = match cfg!(feature = "classes") {
        true => "use EditOptions::defaults(), or set EditOptions::",
        false => "set EditOptions::",
    };
    text.replace("set EditOptions::", new)
}

/// Checks that an edit is refused with this text, and that the document is unchanged: by value, in what a walk returns,
/// and in the bytes that are written or the error of writing.
pub(crate) fn refused<T>(
    document: &mut Document,
    edit: impl FnOnce(&mut Document) -> Result<T>,
    text: impl AsRef<str>,
) {
    let text = &*advised(text.as_ref());
    let written = |document: &Document| rbxbinary::to_vec(document).map_err(|error| error.to_string());
    let (before, bytes) = (document.clone(), written(document));
    let Err(error) = edit(document) else { panic!("not refused: {text}") };
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{error}");
    assert_eq!(error.to_string(), text);
    assert!(*document == before, "{text}: the document was changed");
    assert!(walk(document) == walk(&before), "{text}: the index was changed");
    assert!(written(document) == bytes, "{text}: other bytes");
}

/// All instances with their paths and their values.
fn walk(document: &Document) -> Vec<String> {
    let values = |id| document.properties(id).collect::<Vec<_>>();
    document.instances().map(|id| format!("{id:?} {} {:?}", document.path(id).unwrap(), values(id))).collect()
}

pub(crate) fn open(name: &str) -> Document {
    rbxbinary::from_slice(&testkit::fixture("rbxbinary", name)).unwrap()
}

pub(crate) fn place() -> Document {
    open("place.rbxl")
}

pub(crate) fn part(name: &str) -> NewInstance {
    NewInstance::new("Part").property("Name", name)
}

/// A chunk without compression.
pub(crate) fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    framed(name, 0, u32::try_from(data.len()).unwrap(), 0, data)
}

/// A chunk with any sizes in its header.
pub(crate) fn framed(name: &[u8; 4], compressed: u32, len: u32, reserved: u32, stored: &[u8]) -> Vec<u8> {
    let mut bytes = name.to_vec();
    bytes.extend(compressed.to_le_bytes());
    bytes.extend(len.to_le_bytes());
    bytes.extend(reserved.to_le_bytes());
    bytes.extend(stored);
    bytes
}

/// A header with these counts.
pub(crate) fn header(classes: i32, instances: i32) -> Vec<u8> {
    let mut bytes = b"<roblox!\x89\xff\r\n\x1a\n\0\0".to_vec();
    bytes.extend(classes.to_le_bytes());
    bytes.extend(instances.to_le_bytes());
    bytes.extend([0; 8]);
    bytes
}

pub(crate) fn string(text: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(text.len()).unwrap().to_le_bytes().to_vec();
    bytes.extend(text);
    bytes
}

/// Big-endian numbers with interleaved bytes.
pub(crate) fn interleaved(values: &[u32]) -> Vec<u8> {
    (0..4).flat_map(|byte| values.iter().map(move |value| value.to_be_bytes()[byte])).collect()
}

/// Referents: their differences with the sign in the lowest bit, interleaved.
pub(crate) fn referents(values: &[i32]) -> Vec<u8> {
    let mut last = 0_i32;
    let raw: Vec<u32> = values
        .iter()
        .map(|&value| {
            let difference = value.wrapping_sub(last);
            last = value;
            ((difference << 1) ^ (difference >> 31)).cast_unsigned()
        })
        .collect();
    interleaved(&raw)
}

/// The content of an INST chunk, for a class that is not a service.
pub(crate) fn inst(id: u32, name: &str, of: &[i32]) -> Vec<u8> {
    let mut bytes = id.to_le_bytes().to_vec();
    bytes.extend(string(name.as_bytes()));
    bytes.push(0);
    bytes.extend(u32::try_from(of.len()).unwrap().to_le_bytes());
    bytes.extend(referents(of));
    bytes
}

/// The content of a PROP chunk.
pub(crate) fn prop(class: u32, name: &str, type_id: u8, values: &[u8]) -> Vec<u8> {
    let mut bytes = class.to_le_bytes().to_vec();
    bytes.extend(string(name.as_bytes()));
    bytes.push(type_id);
    bytes.extend(values);
    bytes
}

/// The content of a PRNT chunk.
pub(crate) fn prnt(children: &[i32], parents: &[i32]) -> Vec<u8> {
    let mut bytes = vec![0];
    bytes.extend(u32::try_from(children.len()).unwrap().to_le_bytes());
    bytes.extend(referents(children));
    bytes.extend(referents(parents));
    bytes
}

pub(crate) fn end() -> Vec<u8> {
    chunk(b"END\0", b"</roblox>")
}

/// A file with one class, `Thing`, whose instances are at the root and have one column, `Value`.
pub(crate) fn one_column(count: usize, type_id: u8, values: &[u8]) -> Vec<u8> {
    let of: Vec<i32> = (0..i32::try_from(count).unwrap()).collect();
    [
        header(1, i32::try_from(count).unwrap()),
        chunk(b"INST", &inst(0, "Thing", &of)),
        chunk(b"PROP", &prop(0, "Value", type_id, values)),
        chunk(b"PRNT", &prnt(&of, &vec![-1; count])),
        end(),
    ]
    .concat()
}

/// Bytes from hexadecimal text with spaces.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}
