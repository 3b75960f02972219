//! Roblox models and places in the binary form.

use std::borrow::Cow;

use ::rbxbinary::{
    Chunk, Compression, Content, ContentRef, Document, EditOptions, InstanceId, NewInstance, Value, ValueRef,
};
use bstr::ByteSlice;

use super::roblox::{Any, Instances, New, Sort};
use super::{Asset, Form, Format, no_form, roblox};
use crate::options::WriteOptions;
use rezkit_core::{Error, Loss, Result};

pub(super) static FORMAT: Format = Format {
    name: "rbxbinary",
    title: "Roblox binary document",
    extensions: &["rbxm", "rbxl"],
    forms: &[Form::new("none"), Form::new("lz4"), Form::new("zstd")],
    rules: || super::rules_of(::rbxbinary::RULES),
    detect: |bytes| ::rbxbinary::detect(bytes).map(|version| version.to_string()),
    is_exact: true,
    has_geometry: true,
    converts_to: &["rbxxml"],
    read: |bytes, options, _, _| {
        // What an edit does not change is written as it was.
        let options = ::rbxbinary::ReadOptions::new().max_bytes(options.max_bytes).keep_compressed(true);
        Ok(Box::new(options.read(bytes).map_err(Error::from)?))
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
        write.write(self).map_err(Error::from)
    }

    roblox::asset!(rbxbinary => rbxxml, binary_to_xml, from_binary);
}

impl Instances for Document {
    type Id = InstanceId;

    roblox::instances!(rbxbinary);

    fn value(&self, id: InstanceId, property: &str) -> Option<Any<InstanceId>> {
        self.get(id, property).map(any)
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Any<InstanceId>) -> Result<()> {
        let value = value_of(value)?;
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
        some.map(|(name, value)| (name.to_string(), any(value))).collect()
    }

    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        let class = self.class_of(id).into_owned();
        self.add_property(class, property, value).map_err(roblox::edit_error)
    }

    fn create(&mut self, parent: Option<InstanceId>, new: New<InstanceId>) -> Result<InstanceId> {
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
fn said(document: &Document, _: &str, property: &str, value: &Value) -> String {
    roblox::said(document, property, &any(value.as_ref()))
}
