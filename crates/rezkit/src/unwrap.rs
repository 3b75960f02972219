//! The assets in a file: the file itself, what is compressed or packed in it, and several one after the
//! other.

use std::io::Read;

use crate::error::{Error, ErrorKind, Result};
use crate::formats;
use crate::limits::Budget;
use crate::options::ReadOptions;

/// How deep archives in archives are opened.
const DEPTH: u32 = 3;

/// An asset's bytes, and its name within the file: empty where it is the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The path within an archive, or `#2` for the second asset of a stream.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The assets in a file, opened from gzip and ZIP, and told apart where several follow one another. A
/// file that is no asset is given back as it is; of an archive, only the assets in it.
///
/// # Errors
/// Where an archive is broken, or is larger than the options allow when it is decompressed.
pub fn unwrap(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    open(String::new(), bytes, DEPTH, &mut Budget::new(options), &mut parts)?;
    Ok(parts)
}

fn open(name: String, bytes: Vec<u8>, depth: u32, budget: &mut Budget, parts: &mut Vec<Part>) -> Result<()> {
    let packed = depth > 0 && formats::detect(&bytes).is_none();
    if packed && bytes.starts_with(b"\x1f\x8b") {
        let what = if name.is_empty() { "the content of the gzip file" } else { &name };
        let inner = inflate(flate2::read::MultiGzDecoder::new(&*bytes), what, budget)?;
        return open(name, inner, depth - 1, budget, parts);
    }
    if packed && bytes.starts_with(b"PK\x03\x04") {
        return unzip(&name, &bytes, depth, budget, parts);
    }
    split(name, bytes, parts);
    Ok(())
}

fn unzip(name: &str, bytes: &[u8], depth: u32, budget: &mut Budget, parts: &mut Vec<Part>) -> Result<()> {
    let broken = |error: zip::result::ZipError| {
        Error::new(ErrorKind::Unreadable, format!("a broken ZIP archive: {error}"))
    };
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).map_err(broken)?;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(broken)?;
        if file.is_dir() {
            continue;
        }
        let slash = if name.is_empty() { "" } else { "/" };
        let inner = format!("{name}{slash}{}", file.name().map_err(broken)?);
        let content = inflate(file, &inner, budget)?;
        let before = parts.len();
        open(inner, content, depth - 1, budget, parts)?;
        // What else is in an archive is not what was asked for.
        let known = |part: &Part| formats::detect(&part.bytes).is_some();
        let new = parts.split_off(before);
        parts.extend(new.into_iter().filter(known));
    }
    Ok(())
}

/// Everything that a decoder gives, within what is left.
fn inflate(decoder: impl Read, what: &str, budget: &mut Budget) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    decoder
        .take(budget.left().saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::new(ErrorKind::Unreadable, format!("{error} in {what}")))?;
    budget.take(bytes.len() as u64, what)?;
    Ok(bytes)
}

/// The assets that follow one another.
fn split(name: String, bytes: Vec<u8>, parts: &mut Vec<Part>) {
    let first = |bytes: &[u8]| {
        let length = (formats::detect(bytes)?.format.length)(bytes)?;
        let rest = bytes.get(length..)?;
        formats::detect(rest).is_some().then_some(length)
    };
    if first(&bytes).is_none() {
        return parts.push(Part { name, bytes });
    }
    let (mut rest, mut number) = (&*bytes, 1);
    while !rest.is_empty() {
        let (this, others) = rest.split_at(first(rest).unwrap_or(rest.len()));
        parts.push(Part { name: format!("{name}#{number}"), bytes: this.to_vec() });
        (rest, number) = (others, number + 1);
    }
}
