//! Roblox models and places in XML.

use std::any::Any;

use ::rbxxml::{ContentRef, Document, Illegal, InstanceId, UnknownPart, Value, ValueRef};
use bstr::ByteSlice;

use super::roblox;
use super::roblox::{Form, Sort};
use crate::Finding;
use crate::kind::{Converted, Kind, no_form, read_model};
use crate::options::{ConvertOptions, WriteOptions};
use rezkit_core::{Error, Result};

pub(super) const RBXMX: Kind = Kind {
    extensions: &["rbxmx"],
    becomes: &["rbxlx", "rbxm", "rbxl"],
    length,
    writer: Some(&rezkit_scene::roblox_model::RBXMX),
    ..Kind::exact(
        ["rbxmx", "rbxxml", "Roblox XML document"],
        || ::rbxxml::RULES.to_vec(),
        |bytes| ::rbxxml::detect(bytes).map(|version| version.to_string()),
        read_model::<Document>,
    )
};

/// A place; only its name distinguishes it from a model.
pub(super) const RBXLX: Kind = Kind {
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

impl Form for Document {
    fn form_kind(&self) -> &'static Kind {
        &RBXMX
    }

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

    fn other_form(&self, format: &str, options: &ConvertOptions) -> Option<Result<Converted>> {
        let converted = (format == "rbxbinary").then(|| roblox::xml_to_binary(self, options))?;
        Some(converted.map(|(document, losses, left)| Converted { asset: Box::new(document), losses, left }))
    }

    fn replica(&self) -> Box<dyn Form> {
        Box::new(self.clone())
    }

    fn blank(&self) -> Box<dyn Form> {
        Box::new(Self::new())
    }

    fn into_asset(self: Box<Self>) -> Box<dyn crate::kind::Asset> {
        self
    }

    fn assign(&mut self, new: Box<dyn Form>) {
        let new: Box<dyn Any> = new;
        if let Ok(new) = new.downcast() {
            *self = *new;
        }
    }

    fn value(&self, id: InstanceId, property: &str) -> Option<Value> {
        let value = self.value_ref(id, property.as_bytes())?;
        Some(roblox::from_xml(&roblox::class_of(self, id), property, value.to_value()))
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        let value = match value {
            // A string gets the type of the existing value.
            Value::String(_) if self.value_ref(id, property.as_bytes()).is_some() => value,
            value => self.stored(&roblox::class_of(self, id), property, value)?,
        };
        self.set_value(id, property.as_bytes(), value).map_err(roblox::edit_error)
    }

    fn unset(&mut self, id: InstanceId, property: &str) -> Result<bool> {
        if self.value_ref(id, property.as_bytes()).is_some() {
            Document::unset(self, id, property).map_err(roblox::edit_error)?;
        }
        Ok(true)
    }

    fn referent_text(&self, id: InstanceId) -> Option<String> {
        self.referent(id).map(ToOwned::to_owned)
    }

    fn count_of(&self, id: InstanceId) -> usize {
        self.properties(id).size_hint().0
    }

    fn each(
        &self,
        id: InstanceId,
        wanted: &dyn Fn(&[u8], Sort) -> bool,
        visit: &mut dyn FnMut(String, Value),
    ) {
        let sort = |value: &ValueRef<'_>| match value {
            ValueRef::SharedString(_) | ValueRef::NetAssetRef(_) => Sort::Shared,
            ValueRef::Ref(_) | ValueRef::Content(ContentRef::Object(_)) => Sort::Reference,
            ValueRef::Bool(_) | ValueRef::Int32(_) | ValueRef::Float32(_) | ValueRef::Enum(_) => Sort::Number,
            ValueRef::CFrame(_) | ValueRef::Vector3(_) | ValueRef::Color3uint8(_) => Sort::Number,
            _ => Sort::Plain,
        };
        let class = roblox::class_of(self, id);
        for (name, value) in self.properties(id).filter(|(name, value)| wanted(name, sort(value))) {
            let name = name.to_string();
            let value = roblox::from_xml(&class, &name, value.to_value());
            visit(name, value);
        }
    }

    fn other_parts(&self) -> Vec<(Option<InstanceId>, UnknownPart)> {
        Document::unknown_parts(self).map(|(id, what)| (id, what.clone())).collect()
    }

    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value> {
        match value {
            Value::Bytecode(_) => Err(roblox::lacking("XML", &value)),
            value => Ok(roblox::to_xml(class, property, value.to_value())),
        }
    }

    fn store(&mut self, _: InstanceId, _: &str, _: Value) -> Result<()> {
        Ok(())
    }
}
