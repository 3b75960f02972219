//! What the binary and the XML form of Roblox documents have in common: instances with properties, shown,
//! found, edited and taken apart in the same way. The values of both are seen as those of the binary form,
//! which has fewer types.

mod columns;
mod convert;
mod decoded;
mod document;
mod extract;
#[cfg(feature = "scene")]
mod geometry;
mod ids;
mod paths;
mod show;
mod types;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use ::rbxbinary::{TypeId, Value};

pub use columns::{Column, ColumnData, Columns};
pub(super) use convert::{binary_to_xml, from_xml, to_xml, xml_to_binary};
pub use document::{Document, Value as DocumentValue};
pub(super) use extract::files;
#[cfg(feature = "scene")]
pub(super) use geometry::geometry;
pub use ids::InstanceId;
use paths::Paths;

use super::Fact;
use crate::assets;
use crate::blobs::{Attribute, Attributes};
use crate::options::ReadOptions;
use crate::scripts::Script;
use crate::tree::{self, Children, Node};
use rezkit_core::Budget;
use rezkit_core::{Error, ErrorKind, Result};

/// A value of either form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Any<'a, Id> {
    Value(Value),
    /// A shared string, which many properties can have: its bytes are the document's.
    Shared(&'a [u8]),
    Ref(Option<Id>),
    /// A `Content` that is an instance.
    Object(Option<Id>),
    /// What only one form can have: the name of the type, and the bytes.
    Other(String, Vec<u8>),
}

impl<Id> Any<'_, Id> {
    /// The bytes of a string, a shared string or a `Content` that is an address.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Value(value) => value.as_bytes(),
            Self::Shared(bytes) => Some(bytes),
            Self::Ref(_) | Self::Object(_) | Self::Other(..) => None,
        }
    }

    /// The type, in the binary form; `None` for what only XML has.
    pub(super) fn type_id(&self) -> Option<TypeId> {
        Some(match self {
            Self::Value(value) => value.type_id(),
            Self::Shared(_) => TypeId::SHARED_STRING,
            Self::Ref(_) => TypeId::REF,
            Self::Object(_) => TypeId::CONTENT,
            Self::Other(..) => return None,
        })
    }
}

/// Either form.
pub(super) trait Instances {
    type Id: Copy + Eq + Hash;

    fn top(&self) -> Vec<Self::Id>;
    fn below(&self, id: Self::Id) -> Vec<Self::Id>;
    fn all(&self) -> Vec<Self::Id>;
    fn class_of(&self, id: Self::Id) -> Cow<'_, str>;
    fn name_of(&self, id: Self::Id) -> Cow<'_, str>;
    /// The name as it is in paths.
    fn step_of(&self, id: Self::Id) -> Cow<'_, str>;
    fn path_of(&self, id: Self::Id) -> String;
    fn at(&self, path: &str) -> Option<Self::Id>;
    fn above(&self, id: Self::Id) -> Option<Self::Id>;
    fn values(&self, id: Self::Id) -> Vec<(String, Any<'_, Self::Id>)>;
    fn value(&self, id: Self::Id, property: &str) -> Option<Any<'_, Self::Id>>;
    fn put(&mut self, id: Self::Id, property: &str, value: Any<'_, Self::Id>) -> Result<()>;
    fn create(&mut self, parent: Option<Self::Id>, new: New<'_, Self::Id>) -> Result<Self::Id>;
}

/// An instance to create.
pub(super) struct New<'a, Id> {
    pub(super) class: String,
    pub(super) service: bool,
    pub(super) properties: Vec<(String, Any<'a, Id>)>,
}

/// The calls that both crates have under the same names.
macro_rules! instances {
    ($format:ident) => {
        fn top(&self) -> Vec<Self::Id> {
            self.roots().collect()
        }

        fn below(&self, id: Self::Id) -> Vec<Self::Id> {
            self.children(id).collect()
        }

        fn all(&self) -> Vec<Self::Id> {
            self.instances().collect()
        }

        fn class_of(&self, id: Self::Id) -> Cow<'_, str> {
            self.class(id).map_or("".into(), |class| class.to_str_lossy())
        }

        fn name_of(&self, id: Self::Id) -> Cow<'_, str> {
            self.name(id).or_else(|| self.class(id)).map_or("".into(), |name| name.to_str_lossy())
        }

        fn above(&self, id: Self::Id) -> Option<Self::Id> {
            self.parent(id)
        }

        fn step_of(&self, id: Self::Id) -> Cow<'_, str> {
            self.name(id).map_or("".into(), |name| name.to_str_lossy())
        }

        fn path_of(&self, id: Self::Id) -> String {
            self.path(id).map_or_else(String::new, |path| path.to_string())
        }

        fn at(&self, path: &str) -> Option<Self::Id> {
            self.find(path)
        }
    };
}
pub(super) use instances;

/// What both forms do as an asset in the same way: a format, the other one, and how it becomes that.
macro_rules! asset {
    ($format:ident => $other:ident, $convert:ident, $to_scene:ident) => {
        fn describe(&self) -> Vec<$crate::Fact> {
            $crate::formats::roblox::describe(self, self.shared_strings().len())
        }

        fn tree(&self, options: &$crate::ReadOptions) -> Box<dyn $crate::tree::Node + '_> {
            Box::new($crate::formats::roblox::Root(self, options.max_bytes))
        }

        fn check(&self) -> Vec<$crate::Finding> {
            ::$format::check(self).into_iter().map($crate::Finding::from).collect()
        }

        fn equals(&self, other: &dyn $crate::Asset) -> bool {
            $crate::formats::same_type::<Self>(other).is_some_and(|other| self == other)
        }

        fn set(
            &mut self,
            path: &str,
            value: &str,
            kind: Option<&str>,
            options: &$crate::ReadOptions,
        ) -> $crate::Result<()> {
            $crate::formats::roblox::set(self, path, value, kind, options)
        }

        fn files(&self, options: &$crate::ReadOptions) -> $crate::Result<Vec<$crate::File>> {
            $crate::formats::roblox::files(self, options)
        }

        fn scripts(&self, options: &$crate::ReadOptions) -> $crate::Result<Vec<$crate::Script>> {
            $crate::formats::roblox::scripts(self, options)
        }

        fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> $crate::Result<usize> {
            $crate::formats::roblox::replace(self, replace)
        }

        fn convert(
            &self,
            to: &$crate::Format,
            options: &$crate::ConvertOptions,
        ) -> $crate::Result<$crate::Converted> {
            if to.name != stringify!($other) {
                return Err($crate::formats::no_conversion(self, to));
            }
            let (document, losses) = $crate::formats::roblox::$convert(self, options)?;
            Ok($crate::Converted { asset: Box::new(document), losses })
        }

        #[cfg(feature = "scene")]
        fn scene(
            &self,
            _: &str,
            options: &$crate::SceneOptions,
            sources: &mut dyn $crate::Sources,
        ) -> $crate::Made {
            rezkit_scene::roblox::$to_scene(self, options, sources)
        }

        #[cfg(feature = "scene")]
        fn geometry(
            &self,
            form: &str,
            options: &$crate::SceneOptions,
        ) -> $crate::Result<(Vec<$crate::File>, Vec<$crate::Loss>)> {
            $crate::formats::roblox::geometry(self, form, options)
        }

        fn has_instances(&self) -> bool {
            true
        }
    };
}
pub(super) use asset;

/// A document as a node, and how many bytes decoding a property may take.
pub(super) struct Root<'a, D>(pub(super) &'a D, pub(super) u64);

struct Branch<'a, D: Instances> {
    document: &'a D,
    max_bytes: u64,
    id: D::Id,
}

fn branches<'a, D: Instances>(document: &'a D, max_bytes: u64, ids: Vec<D::Id>) -> Children<'a>
where
    D::Id: 'a,
{
    Box::new(ids.into_iter().map(move |id| Box::new(Branch { document, max_bytes, id }) as _))
}

impl<D: Instances> Node for Root<'_, D> {
    fn name(&self) -> Cow<'_, str> {
        "".into()
    }

    fn kind(&self) -> Cow<'_, str> {
        "document".into()
    }

    fn children(&self) -> Children<'_> {
        branches(self.0, self.1, self.0.top())
    }
}

impl<D: Instances> Node for Branch<'_, D> {
    fn name(&self) -> Cow<'_, str> {
        self.document.name_of(self.id)
    }

    fn kind(&self) -> Cow<'_, str> {
        self.document.class_of(self.id)
    }

    fn properties(&self) -> Vec<(String, tree::Value)> {
        let values = self.document.values(self.id).into_iter();
        let mut shown: Vec<_> = values
            .map(|(name, value)| {
                let value = show::value(self.document, &name, &value, self.max_bytes);
                (name, value)
            })
            .collect();
        shown.sort_by(|(a, _), (b, _)| a.cmp(b));
        shown
    }

    fn children(&self) -> Children<'_> {
        branches(self.document, self.max_bytes, self.document.below(self.id))
    }
}

/// Counts of instances, with the classes that have the most; the box around all parts; what they refer to.
pub(super) fn describe(document: &impl Instances, shared_strings: usize) -> Vec<Fact> {
    let mut classes: HashMap<String, usize> = HashMap::new();
    let (mut corners, mut parts, mut scripts) = (Vec::new(), 0, 0);
    let mut references = HashSet::new();
    for id in document.all() {
        let class = document.class_of(id);
        scripts += usize::from(is_script(&class));
        *classes.entry(class.into_owned()).or_default() += 1;
        let (mut frame, mut size) = (None, None);
        for (name, value) in document.values(id) {
            match value {
                Any::Value(Value::CFrame(value)) if name == "CFrame" => frame = Some(value),
                Any::Value(Value::Vector3(value)) if name == "size" || name == "Size" => size = Some(value),
                value => {
                    let text = value.bytes().unwrap_or_default();
                    let found = assets::references(text).into_iter();
                    references.extend(found.map(|(start, end)| text[start..end].to_vec()));
                }
            }
        }
        if let (Some(frame), Some(size)) = (frame, size) {
            parts += 1;
            let ([a, b, c, d, e, f, g, h, i], [x, y, z]) = (frame.rotation.to_rows(), size.to_array());
            // How far the turned block reaches along each axis.
            let reach = [[a, b, c], [d, e, f], [g, h, i]]
                .map(|[a, b, c]| ((a * x).abs() + (b * y).abs() + (c * z).abs()) / 2.0);
            let center = frame.position.to_array();
            corners.push(std::array::from_fn(|axis| center[axis] - reach[axis]));
            corners.push(std::array::from_fn(|axis| center[axis] + reach[axis]));
        }
    }
    let instances = classes.values().sum();
    let count = classes.len();
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by(|(a, these), (b, those)| those.cmp(these).then(a.cmp(b)));
    let classes = classes.iter().map(|(class, count)| format!("{class} {count}"));
    let roots = document.top();
    let mut facts = vec![Fact::count("instances", instances), Fact::count("roots", roots.len())];
    facts.extend(Fact::names("names of roots", roots.iter().map(|&id| document.name_of(id))));
    facts.push(Fact::count("classes", count));
    facts.extend(Fact::names("most of", classes));
    facts.push(Fact::count("parts", parts));
    facts.extend(Fact::bounds(corners));
    facts.push(Fact::count("scripts", scripts));
    facts.push(Fact::count("assets referred to", references.len()));
    facts.push(Fact::count("shared strings", shared_strings));
    facts
}

fn is_script(class: &str) -> bool {
    matches!(class, "Script" | "LocalScript" | "ModuleScript" | "AuroraScript")
}

/// Sets the property, or the attribute in it, at a path.
pub(super) fn set(
    document: &mut impl Instances,
    path: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
) -> Result<()> {
    // Names may have points: the longest path to an instance counts.
    for (dot, _) in path.rmatch_indices('.') {
        let (instance, property) = (&path[..dot], &path[dot + 1..]);
        let Some(id) = document.at(instance) else { continue };
        let (property, field) = match property.split_once('.') {
            Some((property, field)) => (property, Some(field)),
            None => (property, None),
        };
        let old = document.value(id, property);
        let value = match (field, old) {
            (None, Some(Any::Ref(_))) => {
                let to = match text {
                    "" | "null" => None,
                    path => Some(document.at(path).ok_or_else(|| tree::nothing(path))?),
                };
                Any::Ref(to)
            }
            (None, old) => {
                let kind = match (kind, old.and_then(|old| old.type_id())) {
                    (Some(kind), _) => type_of(kind)?,
                    (None, Some(kind)) => kind,
                    (None, None) => {
                        type_in_class(document, id, property).ok_or_else(|| tree::nothing(path))?
                    }
                };
                Any::Value(show::parse(text, kind)?)
            }
            (Some(field), Some(old)) => {
                let bytes = old.bytes().ok_or_else(|| tree::nothing(path))?;
                Budget::new(options.max_bytes).take(cost(property, bytes), path)?;
                let mut attributes: Attributes = rbxblobs::from_slice(bytes).map_err(Error::from)?;
                let kind = match (kind, attributes.get(field)) {
                    (Some(kind), _) => kind.to_owned(),
                    (None, Some(old)) => old.type_name().to_owned(),
                    (None, None) => return Err(tree::nothing(path)),
                };
                let value =
                    Attribute::parse(text, &kind).map_err(|error| Error::argument(error.to_string()))?;
                attributes.set(field, value);
                Any::Value(Value::from(attributes.to_vec().map_err(Error::from)?))
            }
            (Some(_), None) => return Err(tree::nothing(path)),
        };
        return document.put(id, property, value);
    }
    Err(tree::nothing(path))
}

/// How many bytes decoding a property takes at most: the values, and what is shown of them.
fn cost(property: &str, bytes: &[u8]) -> u64 {
    let of_a_byte = match property {
        "Tags" => 160,
        "AttributesSerialize" | "SerializedEmulatedPolicyInfo" => 64,
        "SmoothGrid" | "PhysicsGrid" => 40,
        _ => 0,
    };
    bytes.len() as u64 * of_a_byte
}

/// The type that a property has in another instance of the class, or that the class table has.
fn type_in_class<D: Instances>(document: &D, id: D::Id, property: &str) -> Option<TypeId> {
    let class = document.class_of(id);
    let others = document.all().into_iter().filter(|&other| document.class_of(other) == class);
    let found = others.filter_map(|other| document.value(other, property)).find_map(|value| value.type_id());
    found.or_else(|| TypeId::of_property(class.as_bytes(), property))
}

fn type_of(name: &str) -> Result<TypeId> {
    let known = |kind: &&TypeId| kind.name().is_some_and(|known| known.eq_ignore_ascii_case(name));
    TypeId::ALL.iter().find(known).copied().ok_or_else(|| Error::argument(format!("there is no type {name}")))
}

/// Every script with its source.
///
/// # Errors
/// Where a source that many scripts share takes more than a read may allocate.
pub(super) fn scripts(document: &impl Instances, options: &ReadOptions) -> Result<Vec<Script>> {
    let (mut budget, mut paths) = (Budget::new(options.max_bytes), Paths::new(document));
    let mut scripts = Vec::new();
    for id in document.all() {
        let class = document.class_of(id);
        if !is_script(&class) {
            continue;
        }
        let value = document.value(id, "Source");
        let Some(source) = value.as_ref().and_then(Any::bytes) else { continue };
        let path = paths.of(id, &mut budget)?;
        budget.take(source.len() as u64, "the sources of the scripts")?;
        scripts.push(Script { path, class: class.into_owned(), source: source.to_vec() });
    }
    Ok(scripts)
}

/// Replaces texts; how many values changed.
pub(super) fn replace(
    document: &mut impl Instances,
    replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
) -> Result<usize> {
    let mut changes = Vec::new();
    for id in document.all() {
        for (property, value) in document.values(id) {
            let Some(text) = value.bytes().filter(|_| !is_blob(&property)) else { continue };
            if let Some(new) = replace(text) {
                changes.push((
                    id,
                    property,
                    match value {
                        Any::Value(Value::Content(_)) => {
                            Value::Content(::rbxbinary::Content::Uri(new.into()))
                        }
                        Any::Shared(_) => Value::SharedString(new.into()),
                        _ => Value::from(new),
                    },
                ));
            }
        }
    }
    let count = changes.len();
    for (id, property, new) in changes {
        document.put(id, &property, Any::Value(new))?;
    }
    Ok(count)
}

/// Whether a property has bytes with lengths in them, in which a text cannot be replaced by another.
fn is_blob(property: &str) -> bool {
    property.ends_with("Serialize") || property.ends_with("Data") || property.ends_with("Grid")
}

/// An error of one of the crates about an edit.
pub(super) fn edit_error(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Argument, error.to_string())
}
