//! Small models as JSON, which Rojo reads: folders, remotes, values and configurations.

use std::collections::HashSet;

use geom::files::Folder;
use geom::wire::Result;
use rbxcore::{InstanceId, Value};
use rbxdocument::view::{Sort, View as _};
use serde_json::{Map, Value as Json};

use crate::json as text;
use crate::lost::Lost;
use crate::meta;
use crate::tree::{JSON_MODEL, Writer};

/// The most instances of a model in JSON.
const MOST: usize = 256;

/// The most levels of such a model: readers of JSON refuse deeper ones.
const DEEPEST: usize = 24;

/// The classes of these models, besides those that end with `Value`.
const CLASSES: [&str; 9] = [
    "BindableEvent",
    "BindableFunction",
    "Configuration",
    "Folder",
    "RemoteEvent",
    "RemoteFunction",
    "StringValue",
    "Team",
    "UnreliableRemoteEvent",
];

impl Writer<'_> {
    /// An instance and everything below it as a model in JSON. `None` if models are not written so, if it is not small, or
    /// if JSON cannot represent all of it. Ids that Studio generates anew are listed, as for meta files.
    pub(crate) fn json_model(&mut self, top: InstanceId) -> Result<Option<Map<String, Json>>> {
        if !self.has_json {
            return Ok(None);
        }
        // Parents before their children, with the index of the parent and the level.
        let mut all = vec![(top, 0, 0)];
        let mut next = 0;
        while let Some(&(at, _, level)) = all.get(next) {
            let class = self.document.class_of(at);
            let is_known = CLASSES.contains(&&*class) || class.ends_with("Value");
            if all.len() > MOST || level > DEEPEST || !is_known {
                return Ok(None);
            }
            all.extend(self.document.below(at).into_iter().map(|child| (child, next, level + 1)));
            next += 1;
        }
        let linked = self.link_within(&all)?;
        let (mut nodes, mut lost) = (Vec::with_capacity(all.len()), Lost::new(self.document));
        for &(id, ..) in &all {
            let is_top = id == top;
            let mut node = Map::new();
            if !is_top {
                node.insert("name".into(), self.document.name_of(id).into());
            }
            node.insert("className".into(), self.document.class_of(id).into());
            node.extend(meta::of(self.document, id, false, &self.targets, &mut lost, self.budget)?);
            nodes.push(node);
        }
        let losses = lost.into_losses();
        if losses.iter().any(|loss| loss.id != "rojo.identifier") {
            // The file of another format has the references themselves.
            linked.iter().for_each(|id| drop(self.targets.remove(id)));
            return Ok(None);
        }
        // The last ones first, so that each has its children when it becomes one.
        for (index, (_, parent, _)) in all.into_iter().enumerate().skip(1).rev() {
            let node = nodes.split_off(index).into_iter().next().unwrap_or_default();
            let children = nodes[parent].entry("children").or_insert_with(|| Json::Array(Vec::new()));
            if let Some(children) = children.as_array_mut() {
                children.push(node.into());
            }
        }
        let mut model = nodes.pop().unwrap_or_default();
        in_order(&mut model);
        for loss in losses {
            self.lost.add(top, "", loss.below(|_| String::new()), self.budget)?;
        }
        Ok(Some(model))
    }

    /// Gives the instances of a model to which others of it refer ids, as JSON has no other references; returns them.
    fn link_within(&mut self, all: &[(InstanceId, usize, usize)]) -> Result<Vec<InstanceId>> {
        let inside: HashSet<InstanceId> = all.iter().map(|(id, ..)| *id).collect();
        let mut linked = Vec::new();
        for &(id, ..) in all {
            for (_, value) in self.document.some(id, &|_, sort| sort == Sort::Reference) {
                if let Value::Ref(Some(to)) = value
                    && inside.contains(&to)
                    && !self.targets.contains_key(&to)
                {
                    self.target(to)?;
                    linked.push(to);
                }
            }
        }
        Ok(linked)
    }

    /// Writes a model in JSON.
    pub(crate) fn json_file(&mut self, folder: Folder, stem: &str, model: &Map<String, Json>) -> Result<()> {
        let name = format!("{stem}{JSON_MODEL}");
        let bytes = text::text(self.budget, model, &name)?;
        self.files.add_in(folder, &name, bytes);
        Ok(())
    }
}

/// Puts children, which were added last first, in their order.
fn in_order(model: &mut Map<String, Json>) {
    let mut waiting: Vec<&mut Json> = Vec::new();
    let mut next = model.get_mut("children");
    loop {
        if let Some(Json::Array(children)) = next {
            children.reverse();
            waiting.extend(children.iter_mut());
        }
        let Some(node) = waiting.pop() else { return };
        next = node.get_mut("children");
    }
}
