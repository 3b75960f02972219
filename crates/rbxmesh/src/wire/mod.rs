//! The bytes. Every record and part stands in one file, its `read` beside its `write`.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used
)]

mod array;
mod body;
mod chunks;
mod facs;
pub(crate) mod fail;
mod header;
mod number;
mod record;
mod skin;
mod text;

pub(crate) use chunks::replaces_unknown;
pub use chunks::{Chunks, RawChunk};
use nom::Parser;
use nom::bytes::complete::take;
use nom::character::complete::line_ending;
use nom::error::context;

use crate::consts::{MAGIC, Version};
use crate::convert::Core;
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::Mesh;
use crate::wire::fail::{At, Fail, Parsed, finish, magic};

/// The version that the first line names, without looking further.
pub(crate) fn detect(bytes: &[u8]) -> Option<Version> {
    let (rest, version) = read_version(bytes).ok()?;
    line_end(rest).ok()?;
    version
}

pub(crate) fn read(bytes: &[u8], max_bytes: u64) -> Result<Mesh> {
    let mut budget = Budget::new(max_bytes);
    let (_, mesh) = finish(bytes, read_mesh(bytes, &mut budget))?;
    Ok(mesh)
}

fn read_mesh<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, Mesh> {
    // Downloads sometimes arrive in a gzip wrapper.
    if start.starts_with(&[0x1f, 0x8b]) {
        return Err(Fail::unsupported(start, "gzip: these bytes want to be decompressed first"));
    }
    let (rest, version) = context("version", read_version).parse(start)?;
    let (body, crlf) = context("version", line_end).parse(rest)?;
    let version = match version {
        Some(version) => version,
        None => {
            let number = String::from_utf8_lossy(start.get(MAGIC.len()..12).unwrap_or_default()).into_owned();
            return Err(Fail::unsupported(start, format!("mesh version {number}"))).field("version");
        }
    };
    let (rest, mut mesh) = match version.is_text() {
        true => text::read(body, version, budget)?,
        false if version.is_chunked() => chunks::read(body, version, budget)?,
        false => body::read(body, version, budget)?,
    };
    mesh.layout.crlf |= crlf;
    Ok((rest, mesh))
}

/// `version X.YY`, of which any number is accepted and a known one understood.
fn read_version(input: &[u8]) -> Parsed<'_, Option<Version>> {
    let (input, ()) = magic(input, MAGIC, "no mesh: a mesh begins with \"version \"")?;
    let (input, number) = take(4_usize)(input)?;
    Ok((input, Version::from_number(number)))
}

/// The end of the first line; true where it is CR LF.
fn line_end(input: &[u8]) -> Parsed<'_, bool> {
    let (input, end) = line_ending(input)?;
    Ok((input, end.len() == 2))
}

/// The mesh as a file of a version. What the version has no place for is left out: `convert` has
/// made sure that this is wanted.
pub(crate) fn write(mesh: &Mesh, version: Version, core: &Core<'_>) -> Result<Vec<u8>> {
    // One allocation for nearly all of the file: growing would copy it again and again.
    let records = mesh.vertices.len().saturating_mul(48).saturating_add(mesh.faces.len().saturating_mul(12));
    let mut out = Vec::with_capacity(if version.is_text() { 0 } else { records.saturating_add(64) });
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(version.as_str().as_bytes());
    let crlf = mesh.layout.crlf && version.same_header(mesh.version);
    out.extend_from_slice(if crlf { b"\r\n" } else { b"\n" });
    match version.is_text() {
        true => text::write(mesh, version, &mut out)?,
        false if version.is_chunked() => chunks::write(mesh, core, &mut out)?,
        false => body::write(mesh, version, &mut out)?,
    }
    Ok(out)
}

/// A run of bytes whose length the file states.
fn blob(input: &[u8], len: impl TryInto<usize>) -> Parsed<'_, &[u8]> {
    match len.try_into() {
        Ok(len) => take(len)(input),
        Err(_) => Err(Fail::end(input)),
    }
}

/// A count or a size as the format's 32 bits.
pub(crate) fn count(len: usize, path: &'static str) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::unwritable(path, format!("{len} of them: a count has 32 bits")))
}

/// A count as the format's 16 bits.
fn short_count(len: usize, path: &'static str) -> Result<u16> {
    u16::try_from(len).map_err(|_| Error::unwritable(path, format!("{len} of them: a count has 16 bits")))
}
