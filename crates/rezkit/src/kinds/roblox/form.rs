//! The two forms of Roblox documents, binary and XML: what they store differently, and what is the same for both.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;

use bstr::{BString, ByteSlice as _};
use rbxcore::{Dom, EditOptions, InstanceId, NewInstance, Value};

use super::filled::{filled_in, retyped_in};
use super::models::{model, not_copied, other_metadata, put_attributes};
use super::{Grafted, New, Sort, convert, edit_error};
use crate::Finding;
use crate::edits::Filled;
use crate::kind::{Asset, Converted, Kind};
use crate::options::{ConvertOptions, WriteOptions};
use crate::tree::Node;
use rezkit_core::{Budget, Error, Loss, Result};

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

    /// Whether the content is equal.
    fn same(&self, other: &dyn Asset) -> bool;

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
    fn other_parts(&self) -> Vec<(Option<InstanceId>, String)> {
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
    fn dangling_attributes(&self, id: InstanceId) -> Vec<String>;

    /// Changes the properties of a new instance to those that this form stores.
    fn prepare(&self, _: &mut Vec<(String, Value)>) -> Result<()> {
        Ok(())
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

    /// Removes an instance and everything below it; returns the number of removed instances.
    pub(super) fn take_out(&mut self, id: InstanceId) -> Result<usize> {
        self.dom_mut().remove(id).map_err(edit_error)
    }

    pub(super) fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        // The caller adds the path of the instance.
        self.dom_mut().reparent(id, parent).map_err(|error| Error::argument(error.kind().to_string()))
    }

    pub(super) fn create(&mut self, parent: Option<InstanceId>, mut new: New) -> Result<InstanceId> {
        self.prepare(&mut new.properties)?;
        let mut instance = NewInstance::new(&new.class).service(new.service);
        for (name, value) in new.properties {
            instance = instance.property(name, value);
        }
        let options = EditOptions::new().keep_unique_ids(true).as_given(true);
        first(&options.insert(self.dom_mut(), parent, instance)?)
    }

    /// Creates an instance with Studio's defaults; returns its id, and the values that were filled in for others of its
    /// class.
    pub(super) fn add_default(
        &mut self,
        parent: Option<InstanceId>,
        class: &str,
    ) -> Result<(InstanceId, Vec<Filled>)> {
        let new = NewInstance::new(class).property("Name", class);
        let is_service = self.has_services(class).unwrap_or_else(|| rbxcore::classes::is_service(class));
        let new = new.service(parent.is_none() && is_service);
        let edited = EditOptions::defaults().insert(self.dom_mut(), parent, new)?;
        Ok((first(&edited)?, filled_in(self, &edited)))
    }

    /// Inserts another document below a parent. Values that either of the two lacks are filled in with defaults; with
    /// `allow_loss`, those that cannot be stored are dropped.
    pub(super) fn graft(
        &mut self,
        parent: Option<InstanceId>,
        model: &dyn Asset,
        allow_loss: bool,
        max_bytes: u64,
    ) -> Result<Grafted> {
        let Some(model) = of(model).filter(|of| of.form_kind().format == self.form_kind().format) else {
            return Err(Error::argument(
                "the model and the document have different formats (convert the model first)",
            ));
        };
        let mut budget = Budget::new(max_bytes);
        let not_copied = not_copied(model, None, &mut budget)?;
        let mut stored = self.blank();
        let (is_changed, losses) = convert::stored(model, self, &mut *stored, allow_loss, &mut budget)?;
        let others = other_metadata(model, self);
        let mut model = if is_changed { stored } else { model.replica() };
        let retyped = retyped_in(&*model, self);
        // The document keeps its own metadata.
        model.set_metadata(Vec::new())?;
        let edited = EditOptions::defaults().merge(self.dom_mut(), parent, (*model).dom())?;
        let filled = filled_in(self, &edited);
        let renamed = edited.renamed.iter();
        let renamed = renamed.map(|of| (format!("{}.{}", of.class, of.property), of.to.to_string()));
        let renamed =
            renamed.map(|(property, to)| Loss::approximated(property, format!("stored under the name {to}")));
        let losses =
            losses.into_iter().chain(renamed).chain(retyped).chain(not_copied).chain(others).collect();
        Ok(Grafted { filled, losses, roots: edited.instances })
    }

    /// A file of an instance and its descendants, with the given attributes for some of them, and the losses.
    pub(super) fn model(
        &self,
        id: InstanceId,
        extension: &str,
        attributes: &HashMap<InstanceId, Vec<u8>>,
        allow_loss: bool,
    ) -> Result<(Vec<u8>, Vec<Loss>)> {
        let mut copy = self.blank();
        let options = EditOptions::new().keep_unique_ids(true);
        options.copy_from((*copy).dom_mut(), None, self.dom(), id)?;
        let metadata = self.metadata().into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut metadata: Vec<(BString, BString)> = metadata.collect();
        if metadata.is_empty() {
            // Studio writes this into every model.
            metadata.push(("ExplicitAutoJoints".into(), "true".into()));
        }
        copy.set_metadata(metadata)?;
        put_attributes(&mut *copy, (self, id), attributes)?;
        model(&*copy, extension, allow_loss)
    }
}

/// The first instance that an edit added.
fn first(edited: &rbxcore::Edited) -> Result<InstanceId> {
    let first = edited.instances.first().copied();
    first.ok_or_else(|| Error::argument("the model has no instances to insert"))
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

impl<D: Form> Asset for D {
    fn kind(&self) -> &'static Kind {
        self.form_kind()
    }

    fn version(&self) -> String {
        self.form_version()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        self.to_bytes(options)
    }

    fn describe(&self, options: &crate::ReadOptions) -> Vec<crate::Fact> {
        let mut facts = super::describe(self, self.shared_len());
        facts.extend(match super::has_animations(self) {
            true => {
                let budget = &mut rezkit_core::Budget::new(options.max_bytes);
                super::animations(rezkit_scene::roblox::animations(self, budget))
            }
            false => vec![crate::Fact::count("animations", 0)],
        });
        facts
    }

    fn tree(&self, options: &crate::ReadOptions) -> Box<dyn Node + '_> {
        Box::new(super::Root::new(self, options.max_bytes))
    }

    fn check(&self) -> Vec<crate::Finding> {
        let findings = self.findings();
        let place = |path: &str| self.place_of(path);
        let placed = |mut finding: crate::Finding| {
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
        findings.into_iter().map(placed).collect()
    }

    fn check_values(&self, max_bytes: u64) -> crate::Result<Vec<crate::Finding>> {
        super::check_values(self, max_bytes)
    }

    fn check_animations(&self, max_bytes: u64) -> crate::Result<Vec<crate::Finding>> {
        super::check_animations(self, max_bytes)
    }

    fn equals(&self, other: &dyn crate::Asset) -> bool {
        self.same(other)
    }

    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &crate::ReadOptions,
    ) -> crate::Result<Vec<crate::Loss>> {
        super::set(self, path, value, kind, options)
    }

    fn files(
        &self,
        options: &crate::ReadOptions,
        extract: &crate::ExtractOptions,
    ) -> crate::Result<(Vec<crate::File>, Vec<crate::Loss>)> {
        super::files(self, options, extract)
    }

    fn scripts(&self, options: &crate::ReadOptions) -> crate::Result<Vec<crate::Script>> {
        super::scripts(self, options)
    }

    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> crate::Result<usize> {
        super::replace(self, replace)
    }

    fn convert(&self, to: &str, options: &crate::ConvertOptions) -> crate::Result<crate::Converted> {
        self.other_form(to, options).unwrap_or_else(|| Err(crate::kind::no_conversion(self, to)))
    }

    fn scene(&self, _: &str, options: &crate::SceneOptions, sources: &mut dyn crate::Sources) -> crate::Made {
        rezkit_scene::roblox::from_document(self, options, sources)
    }

    fn animations(&self, max_bytes: u64) -> crate::kind::Animations {
        let read = |budget: &mut crate::Budget| rezkit_scene::roblox::animations(self, budget);
        super::with_paths(self, read, max_bytes)
    }

    fn geometry(
        &self,
        kind: &crate::Kind,
        options: &crate::SceneOptions,
    ) -> crate::Result<(Vec<crate::File>, Vec<crate::Loss>)> {
        super::geometry(self, kind, options)
    }

    fn node_paths(&self, scene: &rezkit_scene::Scene, max_bytes: u64) -> crate::Result<Vec<Option<String>>> {
        super::node_paths(self, scene, max_bytes)
    }

    fn has_instances(&self) -> bool {
        true
    }
}
