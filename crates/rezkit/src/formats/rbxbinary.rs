//! Roblox models and places in the binary form.

use ::rbxbinary::{Chunk, Compression, Document};

use super::{Asset, Fact, Form, Format, bits, findings, generic, no_form, same_type};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::options::WriteOptions;
use crate::tree::Node;

pub(super) static FORMAT: Format = Format {
    name: "rbxbinary",
    title: "Roblox binary document",
    extensions: &["rbxm", "rbxl"],
    forms: &[Form::new("none"), Form::new("lz4"), Form::new("zstd")],
    detect: |bytes| ::rbxbinary::detect(bytes).map(|version| version.to_string()),
    read: |bytes, options| {
        let options = ::rbxbinary::ReadOptions::new().max_bytes(options.max_bytes);
        Ok(Box::new(options.read(bytes).map_err(Error::unreadable)?))
    },
    same_bytes: |a, b| a == b || same_frames(a, b) == Some(true),
    length: |bytes| {
        // A stream ends with its END chunk; what follows is another file.
        let mut chunks = ::rbxbinary::chunks(bytes).ok()?;
        chunks.by_ref().last()?.ok()?;
        Some(bytes.len() - chunks.rest().len())
    },
    read_as: |_, _, _| None,
};

/// Whether two files have the same header, the same frames in the same order, in each of them the same
/// bytes after decompression, and the same bytes after the last. `None` where a frame is broken.
fn same_frames(a: &[u8], b: &[u8]) -> Option<bool> {
    if a.get(..32)? != b.get(..32)? {
        return Some(false);
    }
    let (mut these, mut those) = (::rbxbinary::chunks(a).ok()?, ::rbxbinary::chunks(b).ok()?);
    loop {
        match (these.next(), those.next()) {
            (None, None) => return Some(these.rest() == those.rest()),
            (Some(this), Some(that)) => {
                let (this, that) = (this.ok()?, that.ok()?);
                let frame = |chunk: &Chunk<'_>| (chunk.name, chunk.compression, chunk.len, chunk.reserved);
                if frame(&this) != frame(&that) || this.data().ok()? != that.data().ok()? {
                    return Some(false);
                }
            }
            _ => return Some(false),
        }
    }
}

impl Asset for Document {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        self.header.version.to_string()
    }

    fn describe(&self) -> Vec<Fact> {
        vec![
            Fact::count("instances", self.len()),
            Fact::count("roots", self.roots().count()),
            Fact::count("classes", self.classes().len()),
            Fact::count("shared strings", self.shared_strings().len()),
        ]
    }

    fn tree(&self) -> Box<dyn Node + '_> {
        Box::new(generic::Root::new("document", self))
    }

    fn check(&self) -> Vec<Finding> {
        findings!(rbxbinary, ::rbxbinary::check(self))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let mut write = ::rbxbinary::WriteOptions::new().allow_loss(options.allow_loss);
        if let Some(form) = &options.form {
            write = write.compression(match form.as_str() {
                "none" => Compression::None,
                "lz4" => Compression::Lz4,
                "zstd" => Compression::Zstd,
                _ => return Err(no_form(&FORMAT, form)),
            });
        }
        write.write(self).map_err(Error::unwritable)
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| bits::equal(self, other))
    }
}
