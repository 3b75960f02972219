//! Roblox models and places in XML.

use std::borrow::Cow;

use ::rbxxml::{Content, Document, EditOptions, Illegal, InstanceId, NewInstance, Value};
use bstr::ByteSlice;

use super::roblox;
use super::roblox::{Instances, New, Sort};
use crate::kind::{Asset, Kind, no_form, read_model, rules_of};
use crate::options::WriteOptions;
use rezkit_core::{Error, Loss, Result};

pub(super) const RBXMX: Kind = Kind {
    extensions: &["rbxmx"],
    becomes: &["rbxlx", "rbxm", "rbxl"],
    length,
    writer: Some(&rezkit_scene::roblox::RBXMX),
    ..Kind::exact(
        ["rbxmx", "rbxxml", "Roblox XML document"],
        || rules_of(::rbxxml::RULES),
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

impl Asset for Document {
    fn kind(&self) -> &'static Kind {
        &RBXMX
    }

    fn version(&self) -> String {
        Document::version(self).map_or_else(String::new, |version| version.to_string())
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
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

    roblox::asset!(rbxxml => rbxbinary, xml_to_binary, from_xml, animations_in_xml);
}

impl Instances for Document {
    roblox::instances!(rbxxml);

    fn editable(&self) -> Result<()> {
        Ok(())
    }

    fn value(&self, id: InstanceId, property: &str) -> Option<Value> {
        let value = self.get(id, property)?;
        Some(roblox::from_xml(&self.class_of(id), property, value))
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        let value = match value {
            // A string gets the type of the existing value.
            Value::String(_) if self.get(id, property).is_some() => value,
            value => self.stored(&self.class_of(id), property, value)?,
        };
        self.set(id, property, value).map_err(roblox::edit_error)
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
        let sort = |value: &Value| match value {
            Value::SharedString(_) | Value::NetAssetRef(_) => Sort::Shared,
            Value::Ref(_) | Value::Content(Content::Object(_)) => Sort::Reference,
            Value::Bool(_) | Value::Int32(_) | Value::Float32(_) | Value::Enum(_) => Sort::Number,
            Value::CFrame(_) | Value::Vector3(_) | Value::Color3uint8(_) => Sort::Number,
            _ => Sort::Plain,
        };
        let class = self.class_of(id);
        for (name, value) in self.properties(id).filter(|(name, value)| wanted(name, sort(value))) {
            let name = name.to_string();
            let value = roblox::from_xml(&class, &name, value);
            visit(name, value);
        }
    }

    fn unknown_parts(&self) -> Vec<(Option<InstanceId>, String)> {
        Document::unknown_parts(self).map(|(id, what)| (id, what.to_owned())).collect()
    }

    fn dangling(&self, id: InstanceId) -> Vec<String> {
        let blob = self.get(id, roblox::ATTRIBUTES).and_then(Value::as_bytes).unwrap_or_default();
        roblox::attribute_refs::dangling(blob, |_| false)
    }

    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value> {
        match value {
            Value::Bytecode(_) => Err(roblox::lacking("XML", &value)),
            value => Ok(roblox::to_xml(class, property, value)),
        }
    }

    fn store(&mut self, _: InstanceId, _: &str, _: Value) -> Result<()> {
        Ok(())
    }

    fn create(&mut self, parent: Option<InstanceId>, new: New) -> Result<InstanceId> {
        let mut instance = NewInstance::new(&new.class).service(new.service);
        for (name, value) in new.properties {
            instance = instance.property(name, value);
        }
        let options = EditOptions::new().keep_unique_ids(true).as_given(true);
        let edited = options.insert(self, parent, instance).map_err(Error::from)?;
        edited
            .instances
            .first()
            .copied()
            .ok_or_else(|| Error::argument("the model has no instances to insert"))
    }
}
