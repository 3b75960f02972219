//! Roblox models and places in the binary form.

use ::rbxbinary::{Compression, Document};

use super::roblox::File;
use crate::Finding;
use crate::file_type::{FileType, Has, no_form, read_model};
use crate::options::WriteOptions;
use rbxdocument::Form;
use rezkit_core::{Error, Result};

pub(super) const RBXM: FileType = FileType {
    extensions: &["rbxm"],
    forms: &["none", "lz4", "zstd"],
    becomes: &["rbxl", "rbxmx", "rbxlx"],
    length: |bytes| {
        // A stream ends with its END chunk; what follows is another file.
        let mut chunks = ::rbxbinary::chunks(bytes).ok()?;
        chunks.by_ref().last()?.ok()?;
        Some(bytes.len() - chunks.rest().len())
    },
    writer: Some(&rezkit_scene::roblox_model::RBXM),
    has: Has { document: Some(Form::Binary), levels: Some(usize::MAX), editable_values: true, ..Has::NONE },
    ..FileType::exact(
        ["rbxm", "rbxbinary", "Roblox binary document"],
        || ::rbxbinary::errors::RULES.to_vec(),
        |bytes| ::rbxbinary::detect(bytes).map(|version| version.to_string()),
        read_model::<Document>,
    )
};

/// A place; only its name distinguishes it from a model.
pub(super) const RBXL: FileType = FileType {
    name: "rbxl",
    extensions: &["rbxl"],
    becomes: &["rbxm", "rbxmx", "rbxlx"],
    writer: None,
    ..RBXM
};

impl File for Document {
    const KIND: &'static FileType = &RBXM;

    fn form_version(&self) -> String {
        self.header.version.to_string()
    }

    fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let mut write = ::rbxbinary::WriteOptions::new().allow_loss(options.allow_loss);
        if let Some(most) = options.most() {
            write = write.max_bytes(most);
        }
        if let Some(level) = options.level {
            write = write.level(level);
        }
        if let Some(form) = &options.form {
            write = write.compression(match form.as_str() {
                "none" => Compression::None,
                "lz4" => Compression::Lz4,
                "zstd" => Compression::Zstd,
                _ => return Err(no_form(&RBXM, form)),
            });
        }
        write.write(self).map_err(Error::from)
    }

    fn findings(&self) -> Vec<Finding> {
        ::rbxbinary::check(self).into_iter().flat_map(Finding::each).collect()
    }
}
