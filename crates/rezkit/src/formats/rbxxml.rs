//! Roblox models and places in XML.

use ::rbxxml::Document;
use bstr::ByteSlice;

use super::{Asset, Fact, Format, bits, findings, generic, no_form, same_type};
use crate::error::{Error, Result};
use crate::finding::Finding;
use crate::options::WriteOptions;
use crate::tree::Node;

pub(super) static FORMAT: Format = Format {
    name: "rbxxml",
    title: "Roblox XML document",
    extensions: &["rbxmx", "rbxlx"],
    forms: &[],
    detect: |bytes| ::rbxxml::detect(bytes).map(|version| version.to_string()),
    read: |bytes, options| {
        let options = ::rbxxml::ReadOptions::new().max_bytes(options.max_bytes);
        Ok(Box::new(options.read(bytes).map_err(Error::unreadable)?))
    },
    same_bytes: |a, b| a == b,
    length: |bytes| {
        const END: &[u8] = b"</roblox>";
        let end = bytes.find(END)? + END.len();
        let space = bytes[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        Some(end + space)
    },
    read_as: |_, _, _| None,
};

impl Asset for Document {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn version(&self) -> String {
        Document::version(self).map_or_else(String::new, |version| version.to_string())
    }

    fn describe(&self) -> Vec<Fact> {
        vec![
            Fact::count("instances", self.len()),
            Fact::count("roots", self.roots().count()),
            Fact::count("shared strings", self.shared_strings().len()),
        ]
    }

    fn tree(&self) -> Box<dyn Node + '_> {
        Box::new(generic::Root::new("document", self))
    }

    fn check(&self) -> Vec<Finding> {
        findings!(rbxxml, ::rbxxml::check(self))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(&FORMAT, form)),
            None => ::rbxxml::to_vec(self).map_err(Error::unwritable),
        }
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other).is_some_and(|other| bits::equal(self, other))
    }
}
