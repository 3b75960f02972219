//! The two forms of Roblox documents, binary and XML: what they store differently, and what is the same for both.

use std::any::Any;
use std::borrow::Cow;

use bstr::{BStr, ByteSlice as _};
use rbxcore::{Dom, InstanceId, Value, ValueRef, classes};

use super::{ATTRIBUTES, Sort};
use crate::Finding;
use crate::kind::{Asset, Converted, Kind};
use crate::options::{ConvertOptions, WriteOptions};
use rezkit_core::Result;

/// A document of either form. Values are those of the binary form, which has fewer types; references in attributes,
/// which the binary form stores by number, are properties of their own, as in XML.
pub(in super::super) trait Form: Dom {
    /// The kind of its files.
    fn form_kind(&self) -> &'static Kind;

    /// The version of the format.
    fn form_version(&self) -> String;

    /// The bytes of the document.
    fn to_bytes(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// The findings of the format crate.
    fn findings(&self) -> Vec<Finding>;

    /// The document in the other form, whose format has this name.
    fn other_form(&self, format: &str, options: &ConvertOptions) -> Option<Result<Converted>>;

    /// A copy of the document.
    fn replica(&self) -> Box<dyn Form>;

    /// An empty document of the same form.
    fn blank(&self) -> Box<dyn Form>;

    /// The document as an asset.
    fn into_asset(self: Box<Self>) -> Box<dyn Asset>;

    /// The referent of an instance in XML.
    fn referent_text(&self, _: InstanceId) -> Option<String> {
        None
    }

    /// Replaces the document by one of the same form.
    fn assign(&mut self, new: Box<dyn Form>);

    /// The path of a property of an instance, if the format crate states its place in another way.
    fn place_of(&self, _: &str) -> Option<String> {
        None
    }

    fn value(&self, id: InstanceId, property: &str) -> Option<Value>;

    /// Whether the file stores values of a property for the class of an instance that cannot be decoded.
    fn is_undecoded(&self, _: InstanceId, _: &str) -> bool {
        false
    }

    fn put(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()>;

    /// Removes a property from one instance, if it has it; `false` if all instances of a class have the same properties.
    fn unset(&mut self, _: InstanceId, _: &str) -> Result<bool> {
        Ok(false)
    }

    /// The number of properties, if an instance can have more than its class.
    fn count_of(&self, _: InstanceId) -> usize {
        0
    }

    /// Visits the properties that `wanted` accepts by their name and the kind of their value.
    fn each(
        &self,
        id: InstanceId,
        wanted: &dyn Fn(&[u8], Sort) -> bool,
        visit: &mut dyn FnMut(String, Value),
    );

    /// Whether the existing instances of a class are services; `None` if none exist, or the form stores no such mark.
    fn has_services(&self, _: &str) -> Option<bool> {
        None
    }

    /// The parts that only writing the document unchanged keeps, each with its instance.
    fn other_parts(&self) -> Vec<(Option<InstanceId>, ::rbxxml::UnknownPart)> {
        Vec::new()
    }

    /// Sets properties that refer to instances.
    fn refer(&mut self, id: InstanceId, references: Vec<(String, Value)>) -> Result<()> {
        references.into_iter().try_for_each(|(name, value)| self.put(id, &name, value))
    }

    /// A value as this form stores it in a property of a class.
    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value>;

    /// Sets a property that possibly no instance of the class has yet. In the binary form, all instances of the class
    /// then get it.
    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()>;
}

/// The class of an instance.
pub(in super::super) fn class_of(document: &dyn Dom, id: InstanceId) -> Cow<'_, str> {
    document.class(id).map_or("".into(), |class| class.to_str_lossy())
}

impl dyn Form {
    pub(super) fn dom(&self) -> &dyn Dom {
        self
    }

    pub(super) fn dom_mut(&mut self) -> &mut dyn Dom {
        self
    }

    pub(super) fn top(&self) -> Vec<InstanceId> {
        self.dom().roots().collect()
    }

    pub(super) fn below(&self, id: InstanceId) -> Vec<InstanceId> {
        self.dom().children(id).collect()
    }

    pub(super) fn all(&self) -> Vec<InstanceId> {
        self.dom().instances().collect()
    }

    /// An instance of a class.
    pub(super) fn one_of(&self, class: &str) -> Option<InstanceId> {
        self.of_class(class.as_bytes()).next()
    }

    pub(super) fn class_of(&self, id: InstanceId) -> Cow<'_, str> {
        class_of(self.dom(), id)
    }

    pub(super) fn name_of(&self, id: InstanceId) -> Cow<'_, str> {
        self.dom().label(id).to_str_lossy()
    }

    pub(super) fn path_of(&self, id: InstanceId) -> String {
        self.dom().path(id).map_or_else(String::new, |path| path.to_string())
    }

    pub(super) fn at(&self, path: &str) -> Option<InstanceId> {
        self.dom().find(&*rezkit_core::plain::unescaped(path))
    }

    pub(super) fn some(&self, id: InstanceId, wanted: &dyn Fn(&[u8], Sort) -> bool) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        self.each(id, wanted, &mut |name, value| all.push((name, value)));
        all
    }

    pub(super) fn values(&self, id: InstanceId) -> Vec<(String, Value)> {
        self.some(id, &|_, _| true)
    }

    /// The keys and values of the metadata.
    pub(super) fn meta(&self) -> Vec<(String, Vec<u8>)> {
        self.metadata().into_iter().map(|(key, value)| (key.to_string(), value.to_vec())).collect()
    }
}

/// An asset as a document; `None` for other assets.
pub(super) fn of(asset: &dyn Asset) -> Option<&dyn Form> {
    let asset: &dyn Any = asset;
    match asset.downcast_ref::<rbxbinary::Document>() {
        Some(document) => Some(document),
        None => Some(asset.downcast_ref::<rbxxml::Document>()?),
    }
}

/// An asset as a document that can be edited; `None` for other assets.
pub(super) fn of_mut(asset: &mut dyn Asset) -> Option<&mut dyn Form> {
    let asset: &mut dyn Any = asset;
    match asset.is::<rbxbinary::Document>() {
        true => Some(asset.downcast_mut::<rbxbinary::Document>()?),
        false => Some(asset.downcast_mut::<rbxxml::Document>()?),
    }
}

/// Whether attributes may refer to instances: the binary form stores these references as numbers.
pub(super) fn has_references(value: &ValueRef<'_>) -> bool {
    value.as_bytes().is_some_and(|bytes| bytes.contains(&0x25))
}

/// Whether two instances store the same values, as most instances of two saves do: quickly, and `false` if that is not
/// sure. The function says whether references to an instance of each document are the same.
pub(super) fn is_as_stored(
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
pub(super) fn is_class(class: &BStr, wanted: &str) -> bool {
    wanted == "Instance" || class == wanted || classes::class(class).is_some_and(|class| class.is_a(wanted))
}
