//! The values of both forms in one vocabulary: those of the binary form, which has fewer types. References in attributes,
//! which the binary form stores by number among the attributes, are properties of their own, as in XML.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice as _};
use rbxcore::{Content, Dom, InstanceId, Value, ValueRef, classes};

use crate::attributes::{set_attribute, set_attributes};
pub use crate::which::{ATTRIBUTES, as_binary, as_xml, class_of, type_of};
use crate::which::{Which, as_xml_mut, which};
use crate::{attribute_refs, forms};
use geom::wire::{Error, Result};

/// The reason why a value cannot be replaced.
pub const UNCHANGEABLE: &str = "the values of this property cannot be decoded, so they cannot be changed";

/// The kind of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// A text or bytes.
    Plain,
    /// A value without bytes: a number, a vector, a flag.
    Number,
    /// A value that several properties share.
    Shared,
    /// A reference to an instance.
    Reference,
}

/// What all functions of this crate ask of a document, beyond the methods of [`dyn Dom`](Dom): values of either form in the
/// types of the binary form, under the stored names.
pub trait View: Dom {
    /// Whether the format stores a property for all instances of a class: XML stores the properties of each instance.
    fn has_columns(&self) -> bool;

    /// The referent of an instance in XML.
    fn referent_text(&self, id: InstanceId) -> Option<String>;

    /// The value of a property.
    fn value(&self, id: InstanceId, property: &str) -> Option<Value>;

    /// Whether the file stores values of a property for the class of an instance that cannot be decoded.
    fn is_undecoded(&self, id: InstanceId, property: &str) -> bool;

    /// Sets a property that the instance has, or in XML any.
    ///
    /// # Errors
    /// If the property cannot store the value.
    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()>;

    /// Removes a property from one instance, if it has it; `false` if all instances of a class have the same properties.
    ///
    /// # Errors
    /// If the document cannot be edited.
    fn unset_value(&mut self, id: InstanceId, property: &str) -> Result<bool>;

    /// The number of properties, if an instance can have more than its class.
    fn count_of(&self, id: InstanceId) -> usize;

    /// Visits the properties that `wanted` accepts by their name and the kind of their value.
    fn each(
        &self,
        id: InstanceId,
        wanted: &dyn Fn(&[u8], Sort) -> bool,
        visit: &mut dyn FnMut(String, Value),
    );

    /// Whether the existing instances of a class are services; `None` if none exist, or the form stores no such mark.
    fn has_services(&self, class: &str) -> Option<bool>;

    /// The parts that only writing the document unchanged keeps, each with its instance.
    fn other_parts(&self) -> Vec<(Option<InstanceId>, rbxxml::parts::UnknownPart)>;

    /// Sets properties that refer to instances.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    fn refer(&mut self, id: InstanceId, references: Vec<(String, Value)>) -> Result<()>;

    /// A value as this form stores it in a property of a class.
    ///
    /// # Errors
    /// If the form has no type for it.
    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value>;

    /// Gives a property that possibly no instance of the class has yet to all instances of the class in a binary document.
    ///
    /// # Errors
    /// If the values of the property cannot be decoded.
    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()>;

    /// The path of a finding of the format crate as the path of an instance, if it states the place in another way.
    fn place_of(&self, path: &str) -> Option<String>;

    /// The instances at the root.
    fn top(&self) -> Vec<InstanceId>;

    /// The children of an instance.
    fn below(&self, id: InstanceId) -> Vec<InstanceId>;

    /// All instances, each before its children.
    fn all(&self) -> Vec<InstanceId>;

    /// An instance of a class.
    fn one_of(&self, class: &str) -> Option<InstanceId>;

    /// The class of an instance.
    fn class_of(&self, id: InstanceId) -> Cow<'_, str>;

    /// The name of an instance in a path.
    fn name_of(&self, id: InstanceId) -> Cow<'_, str>;

    /// The path of an instance.
    fn path_of(&self, id: InstanceId) -> String;

    /// The properties that `wanted` accepts.
    fn some(&self, id: InstanceId, wanted: &dyn Fn(&[u8], Sort) -> bool) -> Vec<(String, Value)>;

    /// All properties.
    fn values(&self, id: InstanceId) -> Vec<(String, Value)>;

    /// The keys and values of the metadata.
    fn meta(&self) -> Vec<(String, Vec<u8>)>;

    /// Makes an instance the last child of another parent. The caller adds the path of the instance to an error.
    ///
    /// # Errors
    /// As `reparent`.
    fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()>;
}

/// The children of an instance, or the instances at the root.
pub fn children_of(document: &dyn Dom, parent: Option<InstanceId>) -> Vec<InstanceId> {
    parent.map_or_else(|| document.top(), |parent| document.below(parent))
}

impl View for dyn Dom {
    fn has_columns(&self) -> bool {
        as_binary(self).is_some()
    }

    fn referent_text(&self, id: InstanceId) -> Option<String> {
        as_xml(self)?.referent(id).map(ToOwned::to_owned)
    }

    fn value(&self, id: InstanceId, property: &str) -> Option<Value> {
        match which(self)? {
            Which::Binary(document) => binary_value(document, id, property),
            Which::Xml(document) => {
                let value = document.value_ref(id, property.as_bytes())?;
                Some(forms::from_xml(&class_of(document, id), property, value.to_value()))
            }
        }
    }

    fn is_undecoded(&self, id: InstanceId, property: &str) -> bool {
        as_binary(self).and_then(|document| column(document, id, property)).is_some_and(is_unknown)
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        if self.has_columns() {
            let exists = self.value_ref(id, property.as_bytes()).is_some();
            let key = attribute_refs::key_of(property).filter(|_| !exists);
            let value = match (key, value) {
                (Some(key), to @ Value::Ref(_)) => {
                    return set_attribute(self, id, key, to);
                }
                (_, Value::String(blob)) if property == ATTRIBUTES => {
                    Value::from(attribute_refs::joined(self, id, blob.to_vec())?)
                }
                (_, value) => self.stored("", property, value)?,
            };
            return rbxcore::EditOptions::new().set(self, id, property, value).map(drop);
        }
        let value = match value {
            // A string gets the type of the existing value.
            Value::String(_) if self.value_ref(id, property.as_bytes()).is_some() => value,
            value => self.stored(&class_of(self, id), property, value)?,
        };
        match as_xml_mut(self) {
            Some(document) => document.set_given(id, property.as_bytes(), value),
            None => self.set_value(id, property.as_bytes(), value),
        }
    }

    fn unset_value(&mut self, id: InstanceId, property: &str) -> Result<bool> {
        let Some(document) = as_xml_mut(self) else { return Ok(false) };
        if document.value_ref(id, property.as_bytes()).is_some() {
            rbxxml::Document::unset(document, id, property)?;
        }
        Ok(true)
    }

    fn count_of(&self, id: InstanceId) -> usize {
        if self.has_columns() { 0 } else { self.properties(id).size_hint().0 }
    }

    fn each(
        &self,
        id: InstanceId,
        wanted: &dyn Fn(&[u8], Sort) -> bool,
        visit: &mut dyn FnMut(String, Value),
    ) {
        let sort = |value: &ValueRef<'_>| match value {
            ValueRef::SharedString(_) | ValueRef::NetAssetRef(_) => Sort::Shared,
            ValueRef::Ref(_) | ValueRef::Content(rbxcore::ContentRef::Object(_)) => Sort::Reference,
            ValueRef::Font(_) | ValueRef::Unknown(_) => Sort::Plain,
            value if value.as_bytes().is_none() => Sort::Number,
            _ => Sort::Plain,
        };
        let has_columns = self.has_columns();
        let class = if has_columns { Cow::default() } else { class_of(self, id) };
        for (name, value) in self.properties(id).filter(|(name, value)| wanted(name, sort(value))) {
            if !has_columns {
                let name = name.to_string();
                let value = forms::from_xml(&class, &name, value.to_value());
                visit(name, value);
                continue;
            }
            let blob = value.as_bytes().filter(|_| *name == *ATTRIBUTES);
            let split = blob.zip(as_binary(self)).and_then(|(blob, of)| attribute_refs::split(of, blob));
            match split {
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
        let mut known = as_binary(self)?.classes().iter().filter(|known| known.name == class);
        let class = known.find(|class| !class.referents.is_empty())?;
        Some(class.format == rbxbinary::parts::ClassFormat::SERVICE)
    }

    fn other_parts(&self) -> Vec<(Option<InstanceId>, rbxxml::parts::UnknownPart)> {
        let parts = as_xml(self).into_iter().flat_map(rbxxml::Document::unknown_parts);
        parts.map(|(id, what)| (id, what.clone())).collect()
    }

    fn refer(&mut self, id: InstanceId, references: Vec<(String, Value)>) -> Result<()> {
        let is_of_attributes = |(name, value): &(String, Value)| {
            attribute_refs::key_of(name).is_some_and(|_| matches!(value, Value::Ref(_)))
                && self.value_ref(id, name.as_bytes()).is_none()
        };
        let has_columns = self.has_columns();
        let (of_attributes, others): (Vec<_>, Vec<_>) =
            references.into_iter().partition(|of| has_columns && is_of_attributes(of));
        others.into_iter().try_for_each(|(name, value)| self.put(id, &name, value))?;
        if of_attributes.is_empty() {
            return Ok(());
        }
        let of_attributes = of_attributes
            .iter()
            .filter_map(|(name, value)| Some((attribute_refs::key_of(name)?, value.clone().into())));
        set_attributes(self, id, of_attributes)
    }

    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value> {
        match (self.has_columns(), value) {
            (true, value @ Value::Unknown(_)) => Err(forms::lacking("the binary format", &value)),
            (true, value) => Ok(value),
            (false, value @ Value::Bytecode(_)) => Err(forms::lacking("XML", &value)),
            (false, value) => Ok(forms::to_xml(class, property, value.to_value())),
        }
    }

    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()> {
        // This reference is stored among the attributes of the instance, by `put`.
        let is_of_attributes = attribute_refs::key_of(property).is_some() && matches!(value, Value::Ref(_));
        let Some(document) = as_binary(self).filter(|_| !is_of_attributes) else { return Ok(()) };
        let class = class_of(self, id).into_owned();
        match column(document, id, property) {
            Some(column) if is_unknown(column) => {
                Err(Error::argument(UNCHANGEABLE).at_path(format!("{class}.{property}")))
            }
            // The instance has a value that cannot be read; `put` replaces it.
            Some(_) => Ok(()),
            None => self.add_property(class, property, value),
        }
    }

    /// The place `Part.Size[3]` is the property of row 3 of the class, and `parents.children[3]` and
    /// `classes[0].referents[3]` are instances.
    fn place_of(&self, path: &str) -> Option<String> {
        let document = as_binary(self)?;
        let (place, row) = path.strip_suffix(']')?.rsplit_once('[')?;
        let (of, part) = place.split_once('.')?;
        let row: usize = row.parse().ok()?;
        let class = of.strip_prefix("classes[").and_then(|of| of.strip_suffix(']')?.parse::<usize>().ok());
        let referent = match (of, class, part) {
            ("parents", _, "children" | "parents") => document.parents().children.get(row).copied(),
            (_, Some(class), "referents") => document.classes().get(class)?.referents.get(row).copied(),
            _ => {
                let is_single = document.classes().iter().filter(|class| class.name == of).count() == 1;
                let id = self.by_class(of).nth(row).filter(|_| is_single)?;
                return Some(format!("{}.{part}", self.path(id)?));
            }
        };
        Some(self.path(document.by_referent(referent?)?)?.to_string())
    }

    fn top(&self) -> Vec<InstanceId> {
        self.roots().collect()
    }

    fn below(&self, id: InstanceId) -> Vec<InstanceId> {
        self.children(id).collect()
    }

    fn all(&self) -> Vec<InstanceId> {
        self.instances().collect()
    }

    fn one_of(&self, class: &str) -> Option<InstanceId> {
        self.of_class(class.as_bytes()).next()
    }

    fn class_of(&self, id: InstanceId) -> Cow<'_, str> {
        class_of(self, id)
    }

    fn name_of(&self, id: InstanceId) -> Cow<'_, str> {
        self.label(id).to_str_lossy()
    }

    fn path_of(&self, id: InstanceId) -> String {
        self.path(id).map_or_else(String::new, |path| path.to_string())
    }

    fn some(&self, id: InstanceId, wanted: &dyn Fn(&[u8], Sort) -> bool) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        self.each(id, wanted, &mut |name, value| all.push((name, value)));
        all
    }

    fn values(&self, id: InstanceId) -> Vec<(String, Value)> {
        self.some(id, &|_, _| true)
    }

    fn meta(&self) -> Vec<(String, Vec<u8>)> {
        self.metadata().into_iter().map(|(key, value)| (key.to_string(), value.to_vec())).collect()
    }

    fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        self.reparent(id, parent).map_err(|error| error.at_path(""))
    }
}

fn binary_value(document: &rbxbinary::Document, id: InstanceId, property: &str) -> Option<Value> {
    let get = |property: &str| document.value_ref(id, property.as_bytes());
    let is_split = property == ATTRIBUTES;
    let reference = attribute_refs::key_of(property).filter(|_| get(property).is_none());
    if !is_split && reference.is_none() {
        return get(property).map(|value| value.to_value());
    }
    let value = get(ATTRIBUTES)?;
    match (value.as_bytes().and_then(|blob| attribute_refs::split(document, blob)), reference) {
        (Some((_, references)), Some(_)) => {
            references.into_iter().find(|(name, _)| name == property).map(|(_, value)| value)
        }
        (Some((blob, _)), None) => Some(Value::from(blob)),
        (None, Some(_)) => None,
        (None, None) => Some(value.to_value()),
    }
}

/// The column of a property of an instance's class.
fn column<'a>(
    document: &'a rbxbinary::Document,
    id: InstanceId,
    property: &str,
) -> Option<&'a rbxbinary::parts::Column> {
    let name = class_of(document, id);
    let of_class: Vec<_> = document.classes().iter().filter(|known| known.name == *name).collect();
    let is_own = |class: &&&rbxbinary::parts::Class| {
        class.referents.iter().any(|&of| document.by_referent(of) == Some(id))
    };
    // In damaged files, classes share a name.
    let class = if of_class.len() > 1 { of_class.iter().find(is_own) } else { of_class.first() };
    class?.property(property)
}

fn is_unknown(column: &rbxbinary::parts::Column) -> bool {
    matches!(column, rbxbinary::parts::Column::Unknown { .. } | rbxbinary::parts::Column::Untyped)
}

/// Whether attributes may refer to instances: the binary form stores these references as numbers.
pub fn has_references(value: &ValueRef<'_>) -> bool {
    value.as_bytes().is_some_and(|bytes| bytes.contains(&0x25))
}

/// Whether two instances store the same values, as most instances of two saves do: quickly, and `false` if that is not
/// sure. The function says whether references to an instance of each document are the same.
pub fn is_as_stored(
    (one, id): (&dyn Dom, InstanceId),
    (other, of): (&dyn Dom, InstanceId),
    refers_to_same: &dyn Fn(InstanceId, InstanceId) -> bool,
) -> bool {
    let is_same = |name: &BStr, value: &ValueRef<'_>, other: &ValueRef<'_>| match other.as_instance() {
        Some(to) => value.as_instance().is_some_and(|id| refers_to_same(id, to)),
        None => value == other && !(name == ATTRIBUTES && has_references(value)),
    };
    let mut others = other.value_refs(of);
    for (name, value) in one.value_refs(id) {
        let is_equal = match others.next() {
            Some((same, other)) if same == name => is_same(name, &value, &other),
            // In another order.
            Some(_) => other.value_ref(of, name).is_some_and(|other| is_same(name, &value, &other)),
            None => false,
        };
        if !is_equal {
            return false;
        }
    }
    others.next().is_none()
}

/// Whether a class is another one or inherits from it. All are instances, also those that the class table lacks.
pub(crate) fn is_class(class: &BStr, wanted: &str) -> bool {
    wanted == "Instance" || class == wanted || classes::class(class).is_some_and(|class| class.is_a(wanted))
}

/// A value as text in one line: the item of an enum by its name, an instance by its path, bytes by their number.
pub fn value_text(document: &dyn Dom, (class, property): (&str, &str), value: &Value) -> String {
    let path = |id: &Option<InstanceId>| id.map_or_else(|| "null".to_owned(), |id| document.path_of(id));
    match value {
        Value::Ref(id) => return path(id),
        Value::Content(Content::Object(id)) => return format!("object {}", path(id)),
        Value::Enum(number) => {
            let item =
                classes::class(class).and_then(|class| class.property(property)?.items()?.item_name(*number));
            if let Some(item) = item {
                return item.to_owned();
            }
        }
        _ => {}
    }
    if let Some(text) = value.as_ref().to_text() {
        return text;
    }
    match value.as_bytes().map(std::str::from_utf8) {
        Some(Ok(text)) if text.len() <= 80 && !text.contains(char::is_control) => format!("{text:?}"),
        Some(_) => geom::wire::Counted::new(value.as_bytes().map_or(0, <[u8]>::len), "bytes").to_string(),
        None => format!("{value:?}"),
    }
}
