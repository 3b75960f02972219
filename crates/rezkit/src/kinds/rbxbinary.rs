//! Roblox models and places in the binary form.

use std::borrow::Cow;

use ::rbxbinary::{
    Compression, Content, ContentRef, Document, EditOptions, InstanceId, NewInstance, Value, ValueRef,
};
use bstr::ByteSlice;

use super::roblox;
use super::roblox::{Any, Instances, New, Sort, attribute_refs};
use crate::kind::{Asset, Kind, no_form, read_model, rules_of};
use crate::options::WriteOptions;
use rezkit_core::{Error, Loss, Result};

pub(super) const RBXM: Kind = Kind {
    extensions: &["rbxm"],
    forms: &["none", "lz4", "zstd"],
    becomes: &["rbxl", "rbxmx", "rbxlx"],
    length: |bytes| {
        // A stream ends with its END chunk; what follows is another file.
        let mut chunks = ::rbxbinary::chunks(bytes).ok()?;
        chunks.by_ref().last()?.ok()?;
        Some(bytes.len() - chunks.rest().len())
    },
    #[cfg(feature = "scene")]
    writer: Some(&rezkit_scene::roblox::RBXM),
    ..Kind::exact(
        ["rbxm", "rbxbinary", "Roblox binary document"],
        || rules_of(::rbxbinary::RULES),
        |bytes| ::rbxbinary::detect(bytes).map(|version| version.to_string()),
        read_model::<Document>,
    )
};

/// A place; only its name tells it from a model.
pub(super) const RBXL: Kind = Kind {
    name: "rbxl",
    extensions: &["rbxl"],
    becomes: &["rbxm", "rbxmx", "rbxlx"],
    #[cfg(feature = "scene")]
    writer: None,
    ..RBXM
};

impl Asset for Document {
    fn kind(&self) -> &'static Kind {
        &RBXM
    }

    fn version(&self) -> String {
        self.header.version.to_string()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let mut write = ::rbxbinary::WriteOptions::new().allow_loss(options.allow_loss);
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

    roblox::asset!(rbxbinary => rbxxml, binary_to_xml, from_binary);
}

impl Instances for Document {
    type Id = InstanceId;

    roblox::instances!(rbxbinary);

    fn value(&self, id: InstanceId, property: &str) -> Option<Any<InstanceId>> {
        let is_split = property == roblox::ATTRIBUTES;
        let reference = attribute_refs::key_of(property).filter(|_| self.get(id, property).is_none());
        if !is_split && reference.is_none() {
            return self.get(id, property).map(any);
        }
        let value = self.get(id, roblox::ATTRIBUTES)?;
        match (value.as_bytes().and_then(|blob| attribute_refs::split(self, blob)), reference) {
            (Some((_, references)), Some(_)) => {
                references.into_iter().find(|(name, _)| name == property).map(|(_, value)| value)
            }
            (Some((blob, _)), None) => Some(Any::Value(Value::from(blob))),
            (None, Some(_)) => None,
            (None, None) => Some(any(value)),
        }
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Any<InstanceId>) -> Result<()> {
        let value = match (attribute_refs::key_of(property), value) {
            (Some(key), Any::Ref(to)) => return attribute_refs::put(self, id, key, to),
            (_, Any::Value(Value::String(blob))) if property == roblox::ATTRIBUTES => {
                Value::from(attribute_refs::joined(self, id, blob.into())?)
            }
            (_, value) => value_of(value)?,
        };
        self.set(id, property, value).map_err(roblox::edit_error)
    }

    fn some(&self, id: InstanceId, wanted: &dyn Fn(&[u8], Sort) -> bool) -> Vec<(String, Any<InstanceId>)> {
        let sort = |value: &ValueRef<'_>| match value {
            ValueRef::SharedString(_) => Sort::Shared,
            ValueRef::Ref(_) | ValueRef::Content(ContentRef::Object(_)) => Sort::Reference,
            value if value.as_bytes().is_none() => Sort::Number,
            _ => Sort::Plain,
        };
        let some = self.properties(id).filter(|(name, value)| wanted(name, sort(value)));
        let mut all = Vec::new();
        for (name, value) in some {
            let blob = value.as_bytes().filter(|_| *name == *roblox::ATTRIBUTES);
            match blob.and_then(|blob| attribute_refs::split(self, blob)) {
                Some((blob, references)) => {
                    all.push((name.to_string(), Any::Value(Value::from(blob))));
                    let wanted = |name: &String| wanted(name.as_bytes(), Sort::Reference);
                    all.extend(references.into_iter().filter(|(name, _)| wanted(name)));
                }
                None => all.push((name.to_string(), any(value))),
            }
        }
        all
    }

    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        let class = self.class_of(id).into_owned();
        self.add_property(class, property, value).map_err(roblox::edit_error)
    }

    fn create(&mut self, parent: Option<InstanceId>, mut new: New<InstanceId>) -> Result<InstanceId> {
        attribute_refs::folded(&mut new.properties)?;
        let mut instance = NewInstance::new(&new.class).service(new.service);
        for (name, value) in new.properties {
            instance = instance.property(name, value_of(value)?);
        }
        let options = EditOptions::new().keep_unique_ids(true).as_given(true);
        let edited = options.insert(self, parent, instance).map_err(Error::from)?;
        edited.instances.first().copied().ok_or_else(|| Error::argument("nothing to insert"))
    }
}

fn any(value: ValueRef<'_>) -> Any<InstanceId> {
    match value {
        ValueRef::Ref(id) => Any::Ref(id),
        ValueRef::Content(ContentRef::Object(id)) => Any::Object(id),
        ValueRef::Bytecode(bytes) => Any::Other("Bytecode".into(), bytes.to_vec()),
        other => Any::Value(other.to_value()),
    }
}

pub(super) fn value_of(value: Any<InstanceId>) -> Result<Value> {
    Ok(match value {
        Any::Value(value) => value,
        Any::Ref(id) => Value::Ref(id),
        Any::Object(id) => Value::Content(Content::Object(id)),
        Any::Other(kind, _) => return Err(Error::argument(format!("the binary form has no {kind}"))),
    })
}

/// A value in one line.
fn said(document: &Document, class: &str, property: &str, value: &Value) -> String {
    roblox::said(document, (class, property), &any(value.as_ref()))
}
