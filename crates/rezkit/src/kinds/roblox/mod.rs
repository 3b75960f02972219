//! Operations that the binary and the XML form of Roblox documents share: showing, finding, editing and extracting
//! instances. Values of both are treated as those of the binary form, which has fewer types.

mod attribute_edits;
pub(super) mod attribute_refs;
mod attributes;
mod columns;
mod convert;
mod decoded;
mod document;
mod door;
mod edits;
mod effective;
mod emotes;
mod facts;
mod filled;
mod finder;
mod from_text;
mod geometry;
mod join;
mod listed;
mod lists;
mod models;
mod nodes;
mod numbers;
mod open;
mod paths;
mod project;
mod query;
mod selector;
mod set;
mod show;
mod texts;
mod values;

use std::any::Any;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use ::rbxbinary::TypeId;

pub use columns::{Column, ColumnData, Columns};
pub(super) use convert::{binary_to_xml, from_xml, lacking, stored, to_xml, xml_to_binary};
pub use document::{AttributeValue, Document, DocumentPaths};
pub use door::enum_item;
pub(super) use edits::Grafted;
pub(crate) use edits::edit_asset;
pub(super) use emotes::check_animations;
pub(super) use facts::describe;
pub(super) use facts::{animations, has_animations};
pub(super) use filled::{filled_in, retyped_in};
pub use from_text::color;
pub(super) use geometry::geometry;
pub use listed::{Listed, Source};
pub(super) use models::{model, not_copied, other_metadata, put_attributes};
pub(super) use nodes::Root;
pub(super) use open::UNCHANGEABLE;
use paths::Paths;
pub(super) use paths::{node_paths, with_paths};
pub(super) use project::files;
use project::pack;
pub use rbxcore::{InstanceId, Value};
pub use selector::Selector;
pub(super) use set::set;
pub use set::type_named;
use show::said;
pub(super) use texts::{edit_error, replace, scripts};
pub(super) use values::check_values;

use crate::edits::Filled;
use crate::kind::Asset;
use crate::options::{PackOptions, ReadOptions};
use rezkit_core::{Error, Loss, Result, Rule};

/// The rules for the content of documents of both forms, and for their animations.
pub(crate) fn rules() -> Vec<Rule> {
    [values::RULES, emotes::RULES].concat()
}

/// The type of a column for a value; `None` for one that only XML can have.
pub(super) fn type_of(value: &Value) -> Option<TypeId> {
    TypeId::of_value(&value.as_ref())
}

/// Whether the format stores a property for all instances of a class: XML stores the properties of each instance, so
/// none has to be filled in.
fn has_columns(document: &dyn Instances) -> bool {
    document.kind().format == "rbxbinary"
}

/// The operations that documents of both forms have.
pub(super) trait Instances: Asset {
    fn top(&self) -> Vec<InstanceId>;
    fn below(&self, id: InstanceId) -> Vec<InstanceId>;
    fn all(&self) -> Vec<InstanceId>;
    /// The number of instances.
    fn count(&self) -> usize;
    /// An instance of a class.
    fn one_of(&self, class: &str) -> Option<InstanceId>;
    fn class_of(&self, id: InstanceId) -> Cow<'_, str>;
    fn name_of(&self, id: InstanceId) -> Cow<'_, str>;
    fn path_of(&self, id: InstanceId) -> String;
    fn at(&self, path: &str) -> Option<InstanceId>;
    fn has(&self, id: InstanceId) -> bool;
    fn above(&self, id: InstanceId) -> Option<InstanceId>;
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
    fn create(&mut self, parent: Option<InstanceId>, new: New) -> Result<InstanceId>;
    /// Creates an instance with Studio's defaults; returns its id, and the values that were filled in for others of its
    /// class.
    fn add(&mut self, parent: Option<InstanceId>, class: &str) -> Result<(InstanceId, Vec<Filled>)>;
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
    fn some(&self, id: InstanceId, wanted: &dyn Fn(&[u8], Sort) -> bool) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        self.each(id, wanted, &mut |name, value| all.push((name, value)));
        all
    }
    fn values(&self, id: InstanceId) -> Vec<(String, Value)> {
        self.some(id, &|_, _| true)
    }
    /// The names of references that are null only because their targets do not exist.
    fn nowhere(&self, id: InstanceId) -> Vec<String>;
    /// Whether the existing instances of a class are services; `None` if none exist, or the form stores no such mark.
    fn has_services(&self, _: &str) -> Option<bool> {
        None
    }
    /// The keys and values of the metadata.
    fn meta(&self) -> Vec<(String, Vec<u8>)>;
    /// The parts that only writing the document unchanged keeps, each with its instance.
    fn unknown_parts(&self) -> Vec<(Option<InstanceId>, String)> {
        Vec::new()
    }
    /// Sets properties that refer to instances.
    fn refer(&mut self, id: InstanceId, references: Vec<(String, Value)>) -> Result<()> {
        references.into_iter().try_for_each(|(name, value)| self.put(id, &name, value))
    }
    /// The references in arrays and tables of the attributes, which only the binary form can store: the name of the
    /// attribute and the instance.
    fn nested(&self, _: InstanceId) -> Vec<(String, Option<InstanceId>)> {
        Vec::new()
    }
    /// The names of attributes that refer to instances that do not exist.
    fn dangling(&self, id: InstanceId) -> Vec<String>;
    /// A value as this form stores it in a property of a class.
    fn stored(&self, class: &str, property: &str, value: Value) -> Result<Value>;
    /// Sets a property that possibly no instance of the class has yet. In the binary form, all instances of the class
    /// then get it.
    fn store(&mut self, id: InstanceId, property: &str, value: Value) -> Result<()>;
    /// Removes an instance and everything below it; returns the number of removed instances.
    fn take_out(&mut self, id: InstanceId) -> Result<usize>;
    fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()>;
    fn editable(&self) -> Result<()>;
    /// Inserts another document below a parent. Values that either of the two lacks are filled in with defaults; with
    /// `allow_loss`, those that cannot be stored are dropped.
    fn graft(
        &mut self,
        parent: Option<InstanceId>,
        model: &dyn Asset,
        allow_loss: bool,
        max_bytes: u64,
    ) -> Result<Grafted>;
    /// A file of an instance and its descendants, with the given attributes for some of them, and the losses.
    fn model(
        &self,
        id: InstanceId,
        extension: &str,
        attributes: &HashMap<InstanceId, Vec<u8>>,
        allow_loss: bool,
    ) -> Result<(Vec<u8>, Vec<Loss>)>;
}

impl fmt::Debug for dyn Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} instances", self.kind().title, self.count())
    }
}

/// The kind of a property's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Plain,
    /// A value without bytes: a number, a vector, a flag.
    Number,
    Shared,
    Reference,
}

/// The property that contains the attributes of an instance.
pub(super) const ATTRIBUTES: &str = "AttributesSerialize";

/// An instance to create.
pub(super) struct New {
    pub(super) class: String,
    pub(super) service: bool,
    pub(super) properties: Vec<(String, Value)>,
}

/// Implements the methods of [`Instances`] that both crates provide under the same names.
macro_rules! instances {
    ($format:ident) => {
        fn top(&self) -> Vec<InstanceId> {
            self.roots().collect()
        }

        fn below(&self, id: InstanceId) -> Vec<InstanceId> {
            self.children(id).collect()
        }

        fn all(&self) -> Vec<InstanceId> {
            self.instances().collect()
        }

        fn count(&self) -> usize {
            self.len()
        }

        fn one_of(&self, class: &str) -> Option<InstanceId> {
            self.by_class(class).next()
        }

        fn class_of(&self, id: InstanceId) -> Cow<'_, str> {
            self.class(id).map_or("".into(), |class| class.to_str_lossy())
        }

        fn name_of(&self, id: InstanceId) -> Cow<'_, str> {
            self.name(id).or_else(|| self.class(id)).map_or("".into(), |name| name.to_str_lossy())
        }

        fn has(&self, id: InstanceId) -> bool {
            self.contains(id)
        }

        fn above(&self, id: InstanceId) -> Option<InstanceId> {
            self.parent(id)
        }

        fn path_of(&self, id: InstanceId) -> String {
            self.path(id).map_or_else(String::new, |path| path.to_string())
        }

        fn at(&self, path: &str) -> Option<InstanceId> {
            self.find(&*rezkit_core::plain::unescaped(path))
        }

        fn nowhere(&self, id: InstanceId) -> Vec<String> {
            ::$format::Document::dangling(self, id).map(ToString::to_string).collect()
        }

        fn meta(&self) -> Vec<(String, Vec<u8>)> {
            let entry = |of: &::$format::Metadata| (of.key.to_string(), of.value.to_vec());
            self.metadata().iter().map(entry).collect()
        }

        fn take_out(&mut self, id: InstanceId) -> Result<usize> {
            self.remove(id).map_err(roblox::edit_error)
        }

        fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
            // The caller adds the path of the instance.
            self.reparent(id, parent).map_err(|error| Error::argument(error.kind().to_string()))
        }

        fn model(
            &self,
            id: InstanceId,
            extension: &str,
            attributes: &std::collections::HashMap<InstanceId, Vec<u8>>,
            allow_loss: bool,
        ) -> Result<(Vec<u8>, Vec<Loss>)> {
            let mut model = ::$format::Document::new();
            let options = ::$format::EditOptions::new().keep_unique_ids(true);
            options.copy_from(&mut model, None, self, id).map_err(Error::from)?;
            model.metadata_mut().extend(self.metadata().iter().cloned());
            if model.metadata().is_empty() {
                // Studio writes this into every model.
                model.metadata_mut().push(::$format::Metadata::new("ExplicitAutoJoints", "true"));
            }
            roblox::put_attributes(&mut model, (self, id), attributes)?;
            roblox::model(&model, extension, allow_loss)
        }

        fn add(
            &mut self,
            parent: Option<InstanceId>,
            class: &str,
        ) -> Result<(InstanceId, Vec<$crate::Filled>)> {
            let new = ::$format::NewInstance::new(class).property("Name", class);
            let is_service = roblox::Instances::has_services(self, class);
            let is_service = is_service.unwrap_or_else(|| rbxcore::classes::is_service(class));
            let new = new.service(parent.is_none() && is_service);
            let edited = ::$format::EditOptions::defaults().insert(self, parent, new).map_err(Error::from)?;
            let id = edited.instances.first().copied();
            let filled = roblox::filled_in(self, &edited);
            Ok((id.ok_or_else(|| Error::argument("the model has no instances to insert"))?, filled))
        }

        fn graft(
            &mut self,
            parent: Option<InstanceId>,
            model: &dyn Asset,
            allow_loss: bool,
            max_bytes: u64,
        ) -> Result<roblox::Grafted> {
            let Some(model) = $crate::kind::same_type::<Self>(model) else {
                return Err(Error::argument(
                    "the model and the document have different formats (convert the model first)",
                ));
            };
            let mut budget = rezkit_core::Budget::new(max_bytes);
            let not_copied = roblox::not_copied(model, None, &mut budget)?;
            let mut stored = Self::default();
            let (is_changed, losses) = roblox::stored(model, self, &mut stored, allow_loss, &mut budget)?;
            let others = roblox::other_metadata(model, self);
            let mut model = if is_changed { stored } else { model.clone() };
            let retyped = roblox::retyped_in(&model, self);
            // The document keeps its own metadata.
            model.metadata_mut().clear();
            let edited =
                ::$format::EditOptions::defaults().merge(self, parent, &model).map_err(Error::from)?;
            let filled = roblox::filled_in(self, &edited);
            let renamed = edited.renamed.iter();
            let renamed = renamed.map(|of| (format!("{}.{}", of.class, of.property), of.to.to_string()));
            let renamed = renamed
                .map(|(property, to)| Loss::approximated(property, format!("stored under the name {to}")));
            let losses =
                losses.into_iter().chain(renamed).chain(retyped).chain(not_copied).chain(others).collect();
            Ok(roblox::Grafted { filled, losses, roots: edited.instances })
        }
    };
}
pub(super) use instances;

/// Implements [`Asset`] for a form, given the other form and the conversion between them.
macro_rules! asset {
    ($format:ident => $other:ident, $convert:ident, $to_scene:ident, $animations:ident) => {
        #[allow(unused_mut, unused_variables, reason = "without scenes there is nothing to add")]
        fn describe(&self, options: &$crate::ReadOptions) -> Vec<$crate::Fact> {
            let mut facts = $crate::kinds::roblox::describe(self, self.shared_strings().len());
            facts.extend(match $crate::kinds::roblox::has_animations(self) {
                true => {
                    let budget = &mut rezkit_core::Budget::new(options.max_bytes);
                    $crate::kinds::roblox::animations(rezkit_scene::roblox::$animations(self, budget))
                }
                false => vec![$crate::Fact::count("animations", 0)],
            });
            facts
        }

        fn tree(&self, options: &$crate::ReadOptions) -> Box<dyn $crate::tree::Node + '_> {
            Box::new($crate::kinds::roblox::Root::new(self, options.max_bytes))
        }

        fn check(&self) -> Vec<$crate::Finding> {
            let findings = ::$format::check(self).into_iter().flat_map($crate::Finding::each);
            let place = |path: &str| $crate::kinds::roblox::Instances::place_of(self, path);
            let placed = |mut finding: $crate::Finding| {
                if let Some(path) = place(&finding.path) {
                    finding.path = path;
                }
                // A finding about two instances ends with the place of the other.
                if let Some((text, other)) = finding.found.rsplit_once(' ')
                    && let Some(other) = place(other)
                {
                    finding.found = format!("{text} {other}");
                }
                finding.shortened()
            };
            findings.map(placed).collect()
        }

        fn check_values(&self, max_bytes: u64) -> $crate::Result<Vec<$crate::Finding>> {
            $crate::kinds::roblox::check_values(self, max_bytes)
        }

        fn check_animations(&self, max_bytes: u64) -> $crate::Result<Vec<$crate::Finding>> {
            $crate::kinds::roblox::check_animations(self, max_bytes)
        }

        fn equals(&self, other: &dyn $crate::Asset) -> bool {
            $crate::kind::equal(self, other)
        }

        fn set(
            &mut self,
            path: &str,
            value: &str,
            kind: Option<&str>,
            options: &$crate::ReadOptions,
        ) -> $crate::Result<Vec<$crate::Loss>> {
            $crate::kinds::roblox::set(self, path, value, kind, options)
        }

        fn files(
            &self,
            options: &$crate::ReadOptions,
            extract: &$crate::ExtractOptions,
        ) -> $crate::Result<(Vec<$crate::File>, Vec<$crate::Loss>)> {
            $crate::kinds::roblox::files(self, options, extract)
        }

        fn scripts(&self, options: &$crate::ReadOptions) -> $crate::Result<Vec<$crate::Script>> {
            $crate::kinds::roblox::scripts(self, options)
        }

        fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> $crate::Result<usize> {
            $crate::kinds::roblox::replace(self, replace)
        }

        fn convert(&self, to: &str, options: &$crate::ConvertOptions) -> $crate::Result<$crate::Converted> {
            if to != stringify!($other) {
                return Err($crate::kind::no_conversion(self, to));
            }
            let (document, losses, left) = $crate::kinds::roblox::$convert(self, options)?;
            Ok($crate::Converted { asset: Box::new(document), losses, left })
        }

        fn scene(
            &self,
            _: &str,
            options: &$crate::SceneOptions,
            sources: &mut dyn $crate::Sources,
        ) -> $crate::Made {
            rezkit_scene::roblox::$to_scene(self, options, sources)
        }

        fn animations(&self, max_bytes: u64) -> $crate::kind::Animations {
            let read = |budget: &mut $crate::Budget| rezkit_scene::roblox::$animations(self, budget);
            $crate::kinds::roblox::with_paths(self, read, max_bytes)
        }

        fn geometry(
            &self,
            kind: &$crate::Kind,
            options: &$crate::SceneOptions,
        ) -> $crate::Result<(Vec<$crate::File>, Vec<$crate::Loss>)> {
            $crate::kinds::roblox::geometry(self, kind, options)
        }

        fn node_paths(
            &self,
            scene: &$crate::scene::Scene,
            max_bytes: u64,
        ) -> $crate::Result<Vec<Option<String>>> {
            $crate::kinds::roblox::node_paths(self, scene, max_bytes)
        }

        fn has_instances(&self) -> bool {
            true
        }
    };
}
pub(super) use asset;

/// A document of either form.
enum Form<'a> {
    Binary(&'a mut ::rbxbinary::Document),
    Xml(&'a mut ::rbxxml::Document),
}

fn form(asset: &mut dyn Asset) -> Option<Form<'_>> {
    let asset = asset as &mut dyn Any;
    match asset.is::<::rbxbinary::Document>() {
        true => asset.downcast_mut().map(Form::Binary),
        false => asset.downcast_mut().map(Form::Xml),
    }
}

// Edits are no methods of `Asset`: a program that edits no documents does not contain their code.

/// Puts edited files back that were extracted from a document. Returns what changed, by path, and the losses.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if a file cannot be put back, with its path, and if assets of this format
/// take none.
pub(crate) fn pack_asset(
    asset: &mut dyn Asset,
    files: BTreeMap<String, Vec<u8>>,
    options: PackOptions,
    read: &ReadOptions,
) -> Result<(Vec<String>, Vec<Loss>)> {
    let title = asset.kind().title;
    match form(asset) {
        Some(Form::Binary(document)) => pack(document, files, options, read),
        Some(Form::Xml(document)) => pack(document, files, options, read),
        None => {
            let what = "expected a Roblox place or model, since files cannot be packed into other formats";
            Err(Error::argument(format!("{what}; found: {title}")))
        }
    }
}
