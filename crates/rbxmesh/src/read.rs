//! Reads a mesh, in the form of its version.

use std::borrow::Cow;

use crate::consts::{Form, Version};
use crate::model::Mesh;
use crate::options::ReadOptions;
use crate::wire::{body, chunks, text, version};
use geom::wire::{Budget, Parsed, Result, finish};

/// The version in the first line; reads nothing else.
pub(crate) fn detect(bytes: &[u8]) -> Option<Version> {
    version::read(bytes).ok().map(|(_, (version, _))| version)
}

impl ReadOptions {
    /// Reads a mesh.
    ///
    /// # Errors
    /// If the bytes are not a mesh, end too early, or break the format so that they cannot be interpreted; if the
    /// version is not supported, and if `max_bytes` is reached.
    pub fn read(&self, bytes: &[u8]) -> Result<Mesh> {
        Ok(self.read_counted(bytes)?.0)
    }

    pub(crate) fn read_within(&self, bytes: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Mesh> {
        Ok(finish(&bytes, read_mesh(&bytes, budget))?.1)
    }
}

fn read_mesh<'a>(start: &'a [u8], budget: &mut Budget) -> Parsed<'a, Mesh> {
    let (body, (version, crlf)) = version::read(start)?;
    let (rest, mut mesh) = match version.form() {
        Form::Text => text::read(body, version, budget)?,
        Form::Records(header) => body::read(body, version, header, budget)?,
        Form::Chunks => chunks::read(body, version, budget)?,
    };
    mesh.layout.crlf |= crlf;
    Ok((rest, mesh))
}
