//! Which form a document has.

use std::any::Any;
use std::borrow::Cow;

use bstr::ByteSlice as _;
use rbxbinary::parts::TypeId;
use rbxcore::classes::{self, Enum};
use rbxcore::{Dom, InstanceId, Value};

use crate::any::AnyDocument;

/// The property that contains the attributes of an instance.
pub const ATTRIBUTES: &str = "AttributesSerialize";

/// A document of either form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Which<'a> {
    Binary(&'a rbxbinary::Document),
    Xml(&'a rbxxml::Document),
}

pub(crate) fn which(document: &dyn Dom) -> Option<Which<'_>> {
    let any: &dyn Any = document;
    if let Some(document) = any.downcast_ref() {
        return Some(Which::Binary(document));
    }
    if let Some(document) = any.downcast_ref() {
        return Some(Which::Xml(document));
    }
    Some(match any.downcast_ref::<AnyDocument>()? {
        AnyDocument::Binary(document) => Which::Binary(document),
        AnyDocument::Xml(document) => Which::Xml(document),
    })
}

/// A document as one in the binary form; `None` if it has the other form.
pub fn as_binary(document: &dyn Dom) -> Option<&rbxbinary::Document> {
    match which(document)? {
        Which::Binary(document) => Some(document),
        Which::Xml(_) => None,
    }
}

/// A document as one in XML; `None` if it has the other form.
pub fn as_xml(document: &dyn Dom) -> Option<&rbxxml::Document> {
    match which(document)? {
        Which::Binary(_) => None,
        Which::Xml(document) => Some(document),
    }
}

pub(crate) fn as_xml_mut(document: &mut dyn Dom) -> Option<&mut rbxxml::Document> {
    let any: &mut dyn Any = document;
    if any.is::<rbxxml::Document>() {
        return any.downcast_mut();
    }
    match any.downcast_mut::<AnyDocument>()? {
        AnyDocument::Binary(_) => None,
        AnyDocument::Xml(document) => Some(document),
    }
}

#[cfg(feature = "weak")]
pub(crate) fn as_binary_mut(document: &mut dyn Dom) -> Option<&mut rbxbinary::Document> {
    let any: &mut dyn Any = document;
    if any.is::<rbxbinary::Document>() {
        return any.downcast_mut();
    }
    match any.downcast_mut::<AnyDocument>()? {
        AnyDocument::Binary(document) => Some(document),
        AnyDocument::Xml(_) => None,
    }
}

/// Replaces a document by one of the same form.
pub fn assign(document: &mut dyn Dom, new: Box<dyn Dom>) {
    let (old, new): (&mut dyn Any, Box<dyn Any>) = (document, new);
    let new = match new.downcast::<rbxbinary::Document>() {
        Ok(new) => AnyDocument::Binary(*new),
        Err(new) => match new.downcast::<rbxxml::Document>() {
            Ok(new) => AnyDocument::Xml(*new),
            Err(new) => match new.downcast::<AnyDocument>() {
                Ok(new) => *new,
                Err(_) => return,
            },
        },
    };
    if let Some(old) = old.downcast_mut::<AnyDocument>() {
        *old = new;
        return;
    }
    match new {
        AnyDocument::Binary(new) => {
            if let Some(old) = old.downcast_mut() {
                *old = new;
            }
        }
        AnyDocument::Xml(new) => {
            if let Some(old) = old.downcast_mut() {
                *old = new;
            }
        }
    }
}

/// The class of an instance.
pub fn class_of(document: &dyn Dom, id: InstanceId) -> Cow<'_, str> {
    document.class(id).map_or("".into(), |class| class.to_str_lossy())
}

/// The type of a column for a value; `None` for one that only XML can have.
pub fn type_of(value: &Value) -> Option<TypeId> {
    TypeId::of_value(&value.as_ref())
}

/// The enum of a property of a class.
pub fn items(class: &str, property: &str) -> Option<Enum> {
    classes::class(class)?.property(property)?.items()
}

/// Whether a class is that of a script.
pub fn is_script(class: &str) -> bool {
    matches!(class, "Script" | "LocalScript" | "ModuleScript" | "AuroraScript")
}
