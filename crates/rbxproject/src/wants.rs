//! The wanted instances of a folder: those of its files, projects and models, in one list.

use rbxdocument::view::View as _;
use std::collections::HashMap;

use geom::wire::{Budget, Error, Result};
use rbxcore::InstanceId;
use serde_json::Value as Json;

use crate::model::Model;
use crate::snapshot::{Class, Node, Snapshot, Unlisted};

/// The approximate memory of a wanted instance, without its name.
const WANT: u64 = 250;

/// A wanted instance.
pub(crate) struct Want {
    /// `None` for an instance at the root of the document.
    pub(crate) parent: Option<usize>,
    pub(crate) name: String,
    pub(crate) class: Class,
    /// The file or folder that it is, or in whose model it is.
    pub(crate) node: usize,
    /// Whether the texts and fields of the file are about this instance.
    pub(crate) is_node: bool,
    /// The model and the instance in it.
    pub(crate) model: Option<(usize, InstanceId)>,
    pub(crate) children: Vec<usize>,
    pub(crate) unlisted: Unlisted,
    /// Whether it is added if the document lacks it.
    pub(crate) is_created: bool,
}

/// All wanted instances, parents before their children.
pub(crate) struct Wants<'s> {
    pub(crate) snapshot: &'s Snapshot<'s>,
    pub(crate) all: Vec<Want>,
    /// Those at the root of the document.
    pub(crate) roots: Vec<usize>,
    /// What happens to other instances at the root.
    pub(crate) unlisted: Unlisted,
    pub(crate) models: Vec<Model>,
    /// The wanted instances of models.
    pub(crate) of_model: HashMap<(usize, InstanceId), usize>,
}

impl<'s> Wants<'s> {
    /// # Errors
    /// If a model cannot be read, a file states what it cannot, or the budget does not suffice.
    pub(crate) fn read(snapshot: &'s Snapshot<'s>, max_bytes: u64, budget: &mut Budget) -> Result<Self> {
        let mut wants = Self {
            snapshot,
            all: Vec::new(),
            roots: Vec::new(),
            unlisted: Unlisted::Keep,
            models: Vec::new(),
            of_model: HashMap::new(),
        };
        let top = &snapshot.nodes[0];
        let roots = match snapshot.is_place {
            true if top.is_script() => {
                let what = "the folder is the document itself, which cannot be a script (move the file into a folder \
                            below it)";
                return Err(Error::argument(what).at_path(top.file.clone()));
            }
            true => {
                wants.unlisted = snapshot.unlisted(top);
                top.children.clone()
            }
            false => vec![0],
        };
        let mut waiting: Vec<(Option<usize>, usize)> =
            roots.into_iter().rev().map(|node| (None, node)).collect();
        while let Some((parent, index)) = waiting.pop() {
            let want = wants.add(parent, index, max_bytes, budget)?;
            waiting.extend(snapshot.nodes[index].children.iter().rev().map(|&child| (Some(want), child)));
        }
        Ok(wants)
    }

    pub(crate) fn node(&self, want: usize) -> &'s Node<'s> {
        &self.snapshot.nodes[self.all[want].node]
    }

    /// The file or folder of a wanted instance.
    pub(crate) fn file(&self, want: usize) -> &'s str {
        &self.node(want).file
    }

    /// The text of the file that is the instance, and the property that it becomes.
    pub(crate) fn text(&self, want: usize) -> Option<(&'static str, &'s [u8])> {
        let text = self.node(want).text.as_ref().filter(|_| self.all[want].is_node)?;
        Some((text.0, &*text.1))
    }

    pub(crate) fn children(&self, want: Option<usize>) -> &[usize] {
        want.map_or(&self.roots, |want| &self.all[want].children)
    }

    fn push(&mut self, want: Want, budget: &mut Budget) -> Result<usize> {
        budget.charge(WANT + want.name.len() as u64, "the wanted instances")?;
        let index = self.all.len();
        match want.parent {
            Some(parent) => self.all[parent].children.push(index),
            None => self.roots.push(index),
        }
        self.of_model.extend(want.model.map(|key| (key, index)));
        self.all.push(want);
        Ok(index)
    }

    /// Adds a file or a folder, and everything in its model.
    fn add(
        &mut self,
        parent: Option<usize>,
        index: usize,
        max_bytes: u64,
        budget: &mut Budget,
    ) -> Result<usize> {
        let node = &self.snapshot.nodes[index];
        if let Some(fields) = node.fields.iter().find(|fields| !matches!(fields.json, Json::Object(_))) {
            let what = format!("expected a JSON object, found {}", fields.json);
            return Err(Error::argument(what).at_path(fields.file.clone()));
        }
        let unlisted = self.snapshot.unlisted(node);
        let mut want = Want {
            parent,
            name: node.name.clone(),
            class: node.wanted_class(),
            node: index,
            is_node: true,
            model: None,
            children: Vec::new(),
            unlisted,
            is_created: node.exists,
        };
        let Some(bytes) = node.model else { return self.push(want, budget) };
        let model = Model::open(&node.file, bytes, max_bytes, budget)?;
        let (place, root) = (self.models.len(), model.root);
        want.class = Class::Stated(model.form().class_of(root).into_owned());
        want.model = Some((place, root));
        self.models.push(model);
        let top = self.push(want, budget)?;
        let mut waiting = vec![(root, top)];
        while let Some((from, above)) = waiting.pop() {
            // In their order, and each before what is below it.
            let mut below = Vec::new();
            for id in self.models[place].form().below(from) {
                let form = self.models[place].form();
                let want = Want {
                    parent: Some(above),
                    name: form.name_of(id).into_owned(),
                    class: Class::Stated(form.class_of(id).into_owned()),
                    node: index,
                    is_node: false,
                    model: Some((place, id)),
                    children: Vec::new(),
                    unlisted,
                    is_created: true,
                };
                below.push((id, self.push(want, budget)?));
            }
            waiting.extend(below.into_iter().rev());
        }
        Ok(top)
    }
}
