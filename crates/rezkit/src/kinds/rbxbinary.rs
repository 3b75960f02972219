//! Roblox models and places in the binary form.

use std::any::Any;

use ::rbxbinary::{
    Class, ClassFormat, Column, Compression, ContentRef, Document, InstanceId, Value, ValueRef,
};

use super::roblox;
use super::roblox::{Form, Sort, attribute_refs};
use crate::Finding;
use crate::kind::{Converted, Kind, no_form, read_model};
use crate::options::{ConvertOptions, WriteOptions};
use rezkit_core::{Error, Result};

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
    writer: Some(&rezkit_scene::roblox_model::RBXM),
    ..Kind::exact(
        ["rbxm", "rbxbinary", "Roblox binary document"],
        || ::rbxbinary::RULES.to_vec(),
        |bytes| ::rbxbinary::detect(bytes).map(|version| version.to_string()),
        read_model::<Document>,
    )
};

/// A place; only its name distinguishes it from a model.
pub(super) const RBXL: Kind =
    Kind { name: "rbxl", extensions: &["rbxl"], becomes: &["rbxm", "rbxmx", "rbxlx"], writer: None, ..RBXM };

impl Form for Document {
    fn form_kind(&self) -> &'static Kind {
        &RBXM
    }

    fn form_version(&self) -> String {
        self.header.version.to_string()
    }

    fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let mut write = ::rbxbinary::WriteOptions::new().allow_loss(options.allow_loss);
        if let Some(most) = options.most() {
            write = write.max_bytes(most);
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

    fn other_form(&self, format: &str, options: &ConvertOptions) -> Option<Result<Converted>> {
        let converted = (format == "rbxxml").then(|| roblox::binary_to_xml(self, options))?;
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

    /// The place `Part.Size[3]` is the property of row 3 of the class, and `parents.children[3]` and
    /// `classes[0].referents[3]` are instances.
    fn place_of(&self, path: &str) -> Option<String> {
        let (place, row) = path.strip_suffix(']')?.rsplit_once('[')?;
        let (of, part) = place.split_once('.')?;
        let row: usize = row.parse().ok()?;
        let class = of.strip_prefix("classes[").and_then(|of| of.strip_suffix(']')?.parse::<usize>().ok());
        let referent = match (of, class, part) {
            ("parents", _, "children" | "parents") => self.parents().children.get(row).copied(),
            (_, Some(class), "referents") => self.classes().get(class)?.referents.get(row).copied(),
            _ => {
                let is_single = self.classes().iter().filter(|class| class.name == of).count() == 1;
                let id = self.by_class(of).nth(row).filter(|_| is_single)?;
                return Some(format!("{}.{part}", self.path(id)?));
            }
        };
        Some(self.path(self.by_referent(referent?)?)?.to_string())
    }

    fn value(&self, id: InstanceId, property: &str) -> Option<Value> {
        let is_split = property == roblox::ATTRIBUTES;
        let reference =
            attribute_refs::key_of(property).filter(|_| self.value_ref(id, property.as_bytes()).is_none());
        if !is_split && reference.is_none() {
            return self.value_ref(id, property.as_bytes()).map(|value| value.to_value());
        }
        let value = self.value_ref(id, roblox::ATTRIBUTES.as_bytes())?;
        match (value.as_bytes().and_then(|blob| attribute_refs::split(self, blob)), reference) {
            (Some((_, references)), Some(_)) => {
                references.into_iter().find(|(name, _)| name == property).map(|(_, value)| value)
            }
            (Some((blob, _)), None) => Some(Value::from(blob)),
            (None, Some(_)) => None,
            (None, None) => Some(value.to_value()),
        }
    }

    fn refer(&mut self, id: InstanceId, references: Vec<(String, Value)>) -> Result<()> {
        let (of_attributes, others): (Vec<_>, Vec<_>) = references.into_iter().partition(|(name, value)| {
            attribute_refs::key_of(name).is_some_and(|_| matches!(value, Value::Ref(_)))
                && self.value_ref(id, name.as_bytes()).is_none()
        });
        others.into_iter().try_for_each(|(name, value)| self.put(id, &name, value))?;
        let of_attributes = of_attributes
            .iter()
            .filter_map(|(name, value)| Some((attribute_refs::key_of(name)?, value.clone().into())));
        rbxdocument::set_attributes(self, id, of_attributes).map_err(roblox::edit_error)
    }

    fn is_undecoded(&self, id: InstanceId, property: &str) -> bool {
        column(self, id, property).is_some_and(is_undecoded)
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        let key =
            attribute_refs::key_of(property).filter(|_| self.value_ref(id, property.as_bytes()).is_none());
        let value = match (key, value) {
            (Some(key), to @ Value::Ref(_)) => {
                return rbxdocument::set_attribute(self, id, key, to).map_err(roblox::edit_error);
            }
            (_, Value::String(blob)) if property == roblox::ATTRIBUTES => {
                Value::from(attribute_refs::joined(self, id, blob.to_vec())?)
            }
            (_, value) => self.stored("", property, value)?,
        };
        rbxcore::EditOptions::new().set(self, id, property, value).map_err(roblox::edit_error)
    }

    fn each(
        &self,
        id: InstanceId,
        wanted: &dyn Fn(&[u8], Sort) -> bool,
        visit: &mut dyn FnMut(String, Value),
    ) {
        let sort = |value: &ValueRef<'_>| match value {
            ValueRef::SharedString(_) => Sort::Shared,
            ValueRef::Ref(_) | ValueRef::Content(ContentRef::Object(_)) => Sort::Reference,
            ValueRef::Font(_) => Sort::Plain,
            value if value.as_bytes().is_none() => Sort::Number,
            _ => Sort::Plain,
        };
        let some = self.properties(id).filter(|(name, value)| wanted(name, sort(value)));
        for (name, value) in some {
            let blob = value.as_bytes().filter(|_| *name == *roblox::ATTRIBUTES);
            match blob.and_then(|blob| attribute_refs::split(self, blob)) {
                Some((blob, references)) => {
                    visit(name.to_string(), Value::from(blob));
                    let wanted = |name: &String| wanted(name.as_bytes(), Sort::Reference);
                    let references = references.into_iter().filter(|(name, _)| wanted(name));
                    references.for_each(|(name, value)| visit(name, value));
                }
                None => visit(name.to_string(), value.to_value()),
            }
        }
    }

    fn has_services(&self, class: &str) -> Option<bool> {
        let mut known = self.classes().iter().filter(|known| known.name == class);
        Some(known.find(|class| !class.referents.is_empty())?.format == ClassFormat::SERVICE)
    }

    fn stored(&self, _: &str, _: &str, value: Value) -> Result<Value> {
        match &value {
            Value::Unknown(_) => Err(roblox::lacking("the binary format", &value)),
            _ => Ok(value),
        }
    }

    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        // This reference is stored among the attributes of the instance, by `put`.
        if attribute_refs::key_of(property).is_some() && matches!(value, Value::Ref(_)) {
            return Ok(());
        }
        let class = roblox::class_of(self, id).into_owned();
        match column(self, id, property) {
            Some(column) if is_undecoded(column) => {
                Err(Error::argument(roblox::UNCHANGEABLE).at(format!("{class}.{property}")))
            }
            // The instance has a value that cannot be read; `put` replaces it.
            Some(_) => Ok(()),
            None => self.add_property(class, property, value).map_err(roblox::edit_error),
        }
    }
}

/// The column of a property of an instance's class.
fn column<'a>(document: &'a Document, id: InstanceId, property: &str) -> Option<&'a Column> {
    let name = roblox::class_of(document, id);
    let of_class: Vec<_> = document.classes().iter().filter(|known| known.name == *name).collect();
    let is_own = |class: &&&Class| class.referents.iter().any(|&of| document.by_referent(of) == Some(id));
    // In damaged files, classes share a name.
    let class = if of_class.len() > 1 { of_class.iter().find(is_own) } else { of_class.first() };
    class?.property(property)
}

fn is_undecoded(column: &Column) -> bool {
    matches!(column, Column::Unknown { .. } | Column::Untyped)
}
