//! The assets in a file: the file itself, compressed or archived ones, and concatenated
//! ones.

use std::collections::HashMap;

use crate::archives;
use crate::kinds;
use crate::options::ReadOptions;
use rezkit_core::Budget;
use rezkit_core::{Error, Result};

/// The maximum depth of nested archives that are opened.
const DEPTH: u32 = 3;

const GZIP: &[u8] = b"\x1f\x8b";
const ZIP: &[u8] = b"PK\x03\x04";

/// An asset's bytes, and its name within the file: empty if it is the whole file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The path within an archive, or `#2` for the second asset of a stream.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The source of the bytes.
    pub wrapped: Wrapped,
}

impl Part {
    /// A whole file, which is not unpacked.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Self { name: String::new(), bytes, wrapped: Wrapped::Gzip(0) }
    }
}

/// The containers of an asset within its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrapped {
    /// Compressed with gzip this many times; 0 for the file itself.
    Gzip(u32),
    /// In an archive, or in a stream with others.
    Among,
}

impl Wrapped {
    /// The bytes of an asset, compressed as the asset was in its file, to replace the file.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if the asset is in an archive or in a stream with others.
    // No budget: the result is no larger than the bytes and a header.
    pub fn wrap(self, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        let Self::Gzip(times) = self else {
            return Err(Error::argument(
                "an asset in an archive or in a file with other assets cannot be edited in place; \
                 write the result to another file",
            ));
        };
        for _ in 0..times {
            bytes = archives::gzip(&bytes)?;
        }
        Ok(bytes)
    }
}

/// The assets in a file: gzip and ZIP are opened, and assets that follow one another are separated. A
/// file that is not an asset is returned unchanged; from an archive, only the assets are returned.
///
/// # Errors
/// If an archive is broken, or is larger than the options allow when it is decompressed.
pub fn unwrap(bytes: Vec<u8>, options: &ReadOptions) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    open(Part::whole(bytes), DEPTH, &mut Budget::new(options.max_bytes), &mut parts)?;
    Ok(parts)
}

/// The files of a ZIP archive by their paths in it; empty if the bytes are not a ZIP archive.
///
/// # Errors
/// As [`unwrap`].
pub fn files_in_archive(bytes: &[u8], options: &ReadOptions) -> Result<HashMap<String, Vec<u8>>> {
    let mut files = HashMap::new();
    if bytes.starts_with(ZIP) {
        let budget = &mut Budget::new(options.max_bytes);
        archives::unzip(bytes, "", budget, &mut |name, content, _| {
            files.insert(name, content);
            Ok(())
        })?;
    }
    Ok(files)
}

fn open(part: Part, depth: u32, budget: &mut Budget, parts: &mut Vec<Part>) -> Result<()> {
    let Part { name, bytes, wrapped } = part;
    let packed = depth > 0 && kinds::detect(&bytes).is_none();
    if packed && bytes.starts_with(GZIP) {
        let what = if name.is_empty() { "the content of the gzip file" } else { &name };
        let inner = archives::gunzip(&bytes, what, budget)?;
        drop(bytes);
        let wrapped = match wrapped {
            Wrapped::Gzip(times) => Wrapped::Gzip(times + 1),
            Wrapped::Among => Wrapped::Among,
        };
        return open(Part { name, bytes: inner, wrapped }, depth - 1, budget, parts);
    }
    if packed && bytes.starts_with(ZIP) {
        return unzip(&name, &bytes, depth, budget, parts);
    }
    split(Part { name, bytes, wrapped }, budget, parts)
}

fn unzip(name: &str, bytes: &[u8], depth: u32, budget: &mut Budget, parts: &mut Vec<Part>) -> Result<()> {
    let folder = if name.is_empty() { String::new() } else { format!("{name}/") };
    archives::unzip(bytes, &folder, budget, &mut |name, content, budget| {
        let before = parts.len();
        open(Part { name, bytes: content, wrapped: Wrapped::Among }, depth - 1, budget, parts)?;
        // Other files in an archive are skipped, but not an archive nested too deeply, which may contain assets.
        let known = |part: &Part| {
            kinds::detect_named(&part.bytes, &part.name).is_some()
                || [GZIP, ZIP].iter().any(|magic| part.bytes.starts_with(magic))
        };
        let new = parts.split_off(before);
        parts.extend(new.into_iter().filter(known));
        Ok(())
    })
}

/// The assets that follow one another.
fn split(part: Part, budget: &mut Budget, parts: &mut Vec<Part>) -> Result<()> {
    let first = |bytes: &[u8]| {
        let length = (kinds::detect(bytes)?.kind.length)(bytes).filter(|&length| length > 0)?;
        let rest = bytes.get(length..)?;
        kinds::detect(rest).is_some().then_some(length)
    };
    if first(&part.bytes).is_none() {
        parts.push(part);
        return Ok(());
    }
    let (mut rest, mut number) = (&*part.bytes, 1);
    while !rest.is_empty() {
        let (this, others) = rest.split_at(first(rest).unwrap_or(rest.len()));
        let name = format!("{}#{number}", part.name);
        budget
            .take((this.len() + name.len() + size_of::<Part>()) as u64, "the separate assets of one file")?;
        parts.push(Part { name, bytes: this.to_vec(), wrapped: Wrapped::Among });
        (rest, number) = (others, number + 1);
    }
    Ok(())
}
