//! A Roblox document of either form under one set of calls: what a program needs that does not care which it is.

use std::borrow::Cow;
use std::sync::Arc;

use ::rbxbinary::{self as binary, TypeId, ValueRef};
use ::rbxxml as xml;
use bstr::ByteSlice;

use super::columns::{Columns, Seen};
use super::ids::{Id, InstanceId, missing};
use super::paths::Paths;
use super::{Any, Instances, door, edit_error, type_in_class};
use crate::kind::Asset;
use crate::kinds::{rbxbinary, rbxxml};
use crate::options::Fill;
use rezkit_core::{Budget, Loss, Result};

/// A model or a place, binary or XML, with instances and properties under one vocabulary. A copy costs nothing: the
/// content is copied when one of the two is edited.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Document {
    /// Of the binary form.
    Binary(Arc<binary::Document>),
    /// Of XML.
    Xml(Arc<xml::Document>),
}

/// A value of a property, of either form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A value that refers to no instance.
    Plain(binary::Value),
    /// An instance of the document, or null.
    Ref(Option<InstanceId>),
    /// A `Content` that is an instance of the document, or null.
    Object(Option<InstanceId>),
    /// A type that only one of the forms has: its name, and the bytes of the value.
    Other(String, Vec<u8>),
}

/// Does the same with a document of either form; `$of` is an instance of that form.
macro_rules! each {
    ($document:expr, $name:ident => $result:expr) => {
        match $document {
            Document::Binary($name) => $result,
            Document::Xml($name) => $result,
        }
    };
    ($document:expr, $id:expr, $name:ident, $of:ident => $result:expr, $other:expr) => {
        match ($document, $id) {
            (Document::Binary($name), InstanceId::Binary($of)) => $result,
            (Document::Xml($name), InstanceId::Xml($of)) => $result,
            _ => $other,
        }
    };
}

fn all<I: Id>(ids: impl IntoIterator<Item = I>) -> Vec<InstanceId> {
    ids.into_iter().map(Id::any).collect()
}

fn into_value<I: Id>(value: Any<I>) -> Value {
    match value {
        Any::Value(value) => Value::Plain(value),
        Any::Ref(id) => Value::Ref(id.map(Id::any)),
        Any::Object(id) => Value::Object(id.map(Id::any)),
        Any::Other(kind, bytes) => Value::Other(kind, bytes),
    }
}

fn any_of<I: Id>(value: &Value) -> Result<Any<I>> {
    Ok(match value {
        Value::Plain(value) => Any::Value(value.clone()),
        Value::Ref(id) => Any::Ref(id.map(I::of).transpose()?),
        Value::Object(id) => Any::Object(id.map(I::of).transpose()?),
        Value::Other(kind, bytes) => Any::Other(kind.clone(), bytes.clone()),
    })
}

impl Document {
    /// The document that an asset is; otherwise the asset.
    pub fn of(asset: Arc<dyn Asset>) -> Result<Self, Arc<dyn Asset>> {
        let shared: Arc<dyn std::any::Any + Send + Sync> = asset.clone();
        let shared = match shared.downcast() {
            Ok(document) => return Ok(Self::Binary(document)),
            Err(shared) => shared,
        };
        shared.downcast().map(Self::Xml).map_err(|_| asset)
    }

    /// The document as an asset, which shares its content.
    pub fn asset(&self) -> Arc<dyn Asset> {
        each!(self, document => document.clone())
    }

    /// How many instances there are.
    pub fn len(&self) -> usize {
        each!(self, document => document.len())
    }

    /// Whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an instance is in the document.
    pub fn contains(&self, id: InstanceId) -> bool {
        each!(self, id, document, id => document.contains(id), false)
    }

    /// The instances at the root, in order.
    pub fn roots(&self) -> Vec<InstanceId> {
        each!(self, document => all(document.roots()))
    }

    /// All instances, each before its children.
    pub fn instances(&self) -> Vec<InstanceId> {
        each!(self, document => all(document.instances()))
    }

    /// The instances of a class: in the order of its rows (binary), or of the document (XML).
    pub fn by_class(&self, class: &str) -> Vec<InstanceId> {
        each!(self, document => all(document.by_class(class)))
    }

    /// The children of an instance, in order.
    pub fn children(&self, id: InstanceId) -> Vec<InstanceId> {
        each!(self, id, document, id => all(document.children(id)), Vec::new())
    }

    /// Everything below an instance, each before its children.
    pub fn descendants(&self, id: InstanceId) -> Vec<InstanceId> {
        each!(self, id, document, id => all(document.descendants(id)), Vec::new())
    }

    /// The parent; `None` at the root.
    pub fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        each!(self, id, document, id => document.parent(id).map(Id::any), None)
    }

    /// The name of the class; `None` where there is no such instance.
    pub fn class(&self, id: InstanceId) -> Option<Cow<'_, str>> {
        each!(self, id, document, id => Some(document.class(id)?.to_str_lossy()), None)
    }

    /// The property `Name`, where there is one.
    pub fn name(&self, id: InstanceId) -> Option<Cow<'_, str>> {
        each!(self, id, document, id => Some(document.name(id)?.to_str_lossy()), None)
    }

    /// The path by which [`Document::find`] finds an instance: `Workspace/Door/Handle[1]`. Its siblings and those of all
    /// that are above it are counted: for many instances, [`Document::paths`].
    pub fn path(&self, id: InstanceId) -> Option<String> {
        each!(self, id, document, id => Some(document.path(id)?.to_string()), None)
    }

    /// The paths of many instances: what they have in common is counted once.
    pub fn paths(&self) -> DocumentPaths<'_> {
        DocumentPaths(match self {
            Self::Binary(document) => Form::Binary(Paths::new(document)),
            Self::Xml(document) => Form::Xml(Paths::new(document)),
        })
    }

    /// The instance at a path from the root, or from an instance.
    pub fn find(&self, from: Option<InstanceId>, path: &str) -> Option<InstanceId> {
        match from {
            None => each!(self, document => document.find(path).map(Id::any)),
            Some(id) => each!(self, id, document, id => document.find_in(id, path).map(Id::any), None),
        }
    }

    /// The value of a property; `None` where the instance does not have it.
    pub fn get(&self, id: InstanceId, property: &str) -> Option<Value> {
        each!(self, id, document, id => document.value(id, property).map(into_value), None)
    }

    /// All properties of an instance, in the file's order.
    pub fn properties(&self, id: InstanceId) -> Vec<(String, Value)> {
        each!(self, id, document, id => {
            document.values(id).into_iter().map(|(name, value)| (name, into_value(value))).collect()
        }, Vec::new())
    }

    /// The type of a property: as the instance has it, as another of its class has it, or as the class table does.
    pub fn type_of(&self, id: InstanceId, property: &str) -> Option<TypeId> {
        each!(self, id, document, id => {
            let own = document.value(id, property).and_then(|value| value.type_id());
            own.or_else(|| type_in_class(&**document, id, property))
        }, None)
    }

    /// Sets a property. A value of another type than the property's is converted where nothing is lost.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such instance or property, or the value does not
    /// fit.
    pub fn set(&mut self, id: InstanceId, property: &str, value: &Value) -> Result<()> {
        each!(self, id, document, id => {
            let value = any_of(value)?;
            door::given(&**document, id, property, &value)?;
            Arc::make_mut(document).put(id, property, value)
        }, Err(missing()))
    }

    /// Adds an instance below another one, or at the root; what had to be filled in for it. Where the binary form
    /// needs values that are not given, `fill` tells where they come from.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where the parent is missing, a value does not fit, or `fill` allows
    /// nothing that is needed; the document is then as before.
    pub fn insert(
        &mut self,
        parent: Option<InstanceId>,
        class: &str,
        properties: &[(String, Value)],
        fill: Fill,
    ) -> Result<(InstanceId, Vec<Loss>)> {
        macro_rules! insert {
            ($format:ident, $document:ident, $value:expr) => {{
                let parent = parent.map(Id::of).transpose()?;
                let document = Arc::make_mut($document);
                let mut new = $format::NewInstance::new(class);
                for (name, value) in properties {
                    let value = any_of(value)?;
                    door::given_new(class, name, &value, false)?;
                    let value = $value(&mut *document, name.as_str(), value)?;
                    new = new.property(name, value);
                }
                let options = match fill {
                    Fill::Refuse => $format::EditOptions::new(),
                    Fill::Neutral => $format::EditOptions::new()
                        .fill($format::Fill::Neutral)
                        .others($format::Others::Neutral),
                    Fill::Defaults => $format::EditOptions::defaults(),
                };
                let edited = options.insert(document, parent, new).map_err(edit_error)?;
                let filled = edited.filled.iter().map(|filled| {
                    let value = format!("{:?}", filled.value);
                    Loss::filled_with(
                        &filled.class.to_string(),
                        &filled.property.to_string(),
                        value,
                        filled.instances,
                    )
                });
                let losses: Vec<Loss> = filled.collect();
                edited.instances.first().map(|&id| (id.any(), losses)).ok_or_else(missing)
            }};
        }
        match self {
            Self::Binary(document) => {
                insert!(binary, document, |_: &mut binary::Document, _: &str, value| rbxbinary::value_of(
                    value
                ))
            }
            Self::Xml(document) => {
                insert!(xml, document, |document: &mut xml::Document, name: &str, value| {
                    rbxxml::value_of(document, class, name, value)
                })
            }
        }
    }

    /// Removes an instance and all below it; how many there were.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such instance.
    pub fn remove(&mut self, id: InstanceId) -> Result<usize> {
        each!(self, id, document, id => Arc::make_mut(document).remove(id).map_err(edit_error), Err(missing()))
    }

    /// Moves an instance below another one, or to the root.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where one of them is missing, or the parent is below the instance.
    pub fn reparent(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        each!(self, id, document, id => {
            let parent = parent.map(Id::of).transpose()?;
            Arc::make_mut(document).reparent(id, parent).map_err(edit_error)
        }, Err(missing()))
    }

    /// The properties of all instances of a class as columns, a row for each in the order of
    /// [`Document::by_class`]. References are indices in the order of [`Document::instances`].
    ///
    /// # Errors
    /// [`Limit`](crate::ErrorKind::Limit) where the columns take more than `max_bytes`.
    pub fn columns(&self, class: &str, max_bytes: u64) -> Result<Columns> {
        let ids = self.by_class(class);
        let mut columns = Columns::new(ids.len(), Budget::new(max_bytes));
        for (row, &id) in ids.iter().enumerate() {
            match (self, id) {
                (Self::Binary(document), InstanceId::Binary(id)) => {
                    for (name, value) in document.properties(id) {
                        let seen = match value {
                            ValueRef::Ref(id) => Seen::Index(TypeId::REF, id.map(Id::any)),
                            ValueRef::Content(binary::ContentRef::Object(id)) => {
                                Seen::Index(TypeId::CONTENT, id.map(Id::any))
                            }
                            value => Seen::Value(value),
                        };
                        columns.put(row, name, &seen)?;
                    }
                }
                (Self::Xml(document), InstanceId::Xml(id)) => {
                    for (name, value) in document.properties(id) {
                        let value = super::from_xml(document, class, &name.to_str_lossy(), value);
                        let seen = match &value {
                            Any::Value(value) => Seen::Value(value.as_ref()),
                            Any::Ref(id) => Seen::Index(TypeId::REF, id.map(Id::any)),
                            Any::Object(id) => Seen::Index(TypeId::CONTENT, id.map(Id::any)),
                            Any::Other(_, bytes) => Seen::Value(ValueRef::String(bytes.as_bstr())),
                        };
                        columns.put(row, name, &seen)?;
                    }
                }
                _ => {}
            }
        }
        Ok(columns.finish(|| self.instances()))
    }
}

/// The paths of a document's instances, for whoever wants many: see [`Document::paths`].
#[derive(Debug)]
pub struct DocumentPaths<'a>(Form<'a>);

#[derive(Debug)]
enum Form<'a> {
    Binary(Paths<'a, binary::Document>),
    Xml(Paths<'a, xml::Document>),
}

impl DocumentPaths<'_> {
    /// The path of an instance, as [`Document::path`] gives it.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such instance, [`Limit`](crate::ErrorKind::Limit) where the
    /// path is longer than what is left: in a chain of instances, each is longer than the last.
    pub fn of(&mut self, id: InstanceId, budget: &mut Budget) -> Result<String> {
        match (&mut self.0, id) {
            (Form::Binary(paths), InstanceId::Binary(id)) if paths.has(id) => paths.of(id, budget),
            (Form::Xml(paths), InstanceId::Xml(id)) if paths.has(id) => paths.of(id, budget),
            _ => Err(missing()),
        }
    }
}
