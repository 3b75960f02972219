//! The operations of both forms that consist of others, and documents as assets.

use std::collections::HashMap;

use bstr::BString;
use rbxcore::{EditOptions, InstanceId, NewInstance};

use super::filled::{filled_in, left_out, renamed, retyped_in};
use super::form::of;
use super::models::{model, not_copied, other_metadata, put_attributes};
use super::{Form, New, attribute_refs, convert, edit_error, has_columns};
use crate::edits::Filled;
use crate::exact::Model;
use crate::kind::{Asset, Kind, equal};
use crate::options::WriteOptions;
use crate::tree::Node;
use rezkit_core::{Budget, Error, Loss, Result};

/// The result of inserting a model.
pub(super) struct Grafted {
    pub(super) filled: Vec<Filled>,
    /// The properties that were stored under another name or type, and odd values.
    pub(super) losses: Vec<Loss>,
    /// The copies of the model's roots.
    pub(super) roots: Vec<InstanceId>,
}

impl dyn Form {
    /// Removes an instance and everything below it; returns the number of removed instances.
    pub(super) fn take_out(&mut self, id: InstanceId) -> Result<usize> {
        self.dom_mut().remove(id).map_err(edit_error)
    }

    pub(super) fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        // The caller adds the path of the instance.
        self.dom_mut().reparent(id, parent).map_err(|error| Error::argument(error.kind().to_string()))
    }

    pub(super) fn create(&mut self, parent: Option<InstanceId>, mut new: New) -> Result<InstanceId> {
        if has_columns(self) {
            attribute_refs::folded(&mut new.properties)?;
        }
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
        let options = EditOptions::defaults().cut_attributes(allow_loss);
        let edited = options.merge(self.dom_mut(), parent, (*model).dom())?;
        let filled = filled_in(self, &edited);
        let losses = losses.into_iter().chain(renamed(&edited)).chain(left_out(&edited));
        let losses = losses.chain(attribute_refs::cut_in(&edited));
        let losses = losses.chain(retyped).chain(not_copied).chain(others).collect();
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
        let options = EditOptions::new().keep_unique_ids(true).cut_attributes(allow_loss);
        let edited = options.copy_from((*copy).dom_mut(), None, self.dom(), id)?;
        let metadata = self.metadata().into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let mut metadata: Vec<(BString, BString)> = metadata.collect();
        if metadata.is_empty() {
            // Studio writes this into every model.
            metadata.push(("ExplicitAutoJoints".into(), "true".into()));
        }
        copy.set_metadata(metadata)?;
        put_attributes(&mut *copy, (self, id), attributes)?;
        let (bytes, mut losses) = model(&*copy, extension, allow_loss)?;
        losses.extend(attribute_refs::cut_in(&edited));
        Ok((bytes, losses))
    }
}

/// The first instance that an edit added.
fn first(edited: &rbxcore::Edited) -> Result<InstanceId> {
    let first = edited.instances.first().copied();
    first.ok_or_else(|| Error::argument("the model has no instances to insert"))
}

impl<D: Form + Model> Asset for D {
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
        equal(self, other)
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
