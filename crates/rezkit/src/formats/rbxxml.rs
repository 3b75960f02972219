//! Roblox models and places in XML.

use ::rbxxml::{Document, Illegal};
use bstr::ByteSlice;

use super::roblox::File;
use crate::Finding;
use crate::file_type::{FileType, Has, no_form, read_model};
use crate::options::WriteOptions;
use rbxdocument::Form;
use rezkit_core::{Error, Result};

pub(super) const RBXMX: FileType = FileType {
    extensions: &["rbxmx"],
    becomes: &["rbxlx", "rbxm", "rbxl"],
    length,
    writer: Some(&rezkit_scene::roblox_model::RBXMX),
    has: Has { document: Some(Form::Xml), levels: Some(usize::MAX), editable_values: true, ..Has::NONE },
    ..FileType::exact(
        ["rbxmx", "rbxxml", "Roblox XML document"],
        || ::rbxxml::errors::RULES.to_vec(),
        |bytes| ::rbxxml::detect(bytes).map(|version| version.to_string()),
        read_model::<Document>,
    )
};

/// A place; only its name distinguishes it from a model.
pub(super) const RBXLX: FileType = FileType {
    name: "rbxlx",
    extensions: &["rbxlx"],
    becomes: &["rbxmx", "rbxm", "rbxl"],
    writer: None,
    ..RBXMX
};

/// The length of the first document in a text, with the white space after it. The end tags in scripts do not count:
/// those in CDATA, comments and processing instructions.
fn length(bytes: &[u8]) -> Option<usize> {
    const END: &[u8] = b"</roblox>";
    const OPAQUE: [(&[u8], &[u8]); 3] = [(b"<![CDATA[", b"]]>"), (b"<!--", b"-->"), (b"<?", b"?>")];
    let mut at = 0;
    loop {
        at += bytes.get(at..)?.find_byte(b'<')?;
        let rest = &bytes[at..];
        if rest.starts_with(END) {
            let end = at + END.len();
            return Some(end + bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count());
        }
        at += match OPAQUE.iter().find(|(open, _)| rest.starts_with(open)) {
            Some((open, close)) => open.len() + rest[open.len()..].find(close)? + close.len(),
            None => 1,
        };
    }
}

impl File for Document {
    const KIND: &'static FileType = &RBXMX;

    fn form_version(&self) -> String {
        Document::version(self).map_or_else(String::new, |version| version.to_string())
    }

    fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(&RBXMX, form)),
            None => {
                let illegal = if options.allow_loss { Illegal::Escape } else { Illegal::Refuse };
                let mut write = ::rbxxml::WriteOptions::new().illegal(illegal);
                if let Some(most) = options.most() {
                    write = write.max_bytes(most);
                }
                write.write(self).map_err(Error::from)
            }
        }
    }

    fn findings(&self) -> Vec<Finding> {
        ::rbxxml::check(self).into_iter().flat_map(Finding::each).collect()
    }
}
