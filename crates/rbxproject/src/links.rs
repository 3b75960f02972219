//! References from one file to another, as Rojo stores them: the target has an id, and the instance with the reference
//! an attribute with that id. In a meta file, the id of a target is a field; in a model, both are attributes of the
//! instances.

use crate::memory::{charge, cost};
use rbxdocument::view::View as _;
use std::collections::{HashMap, HashSet};

use geom::files::Folder;
use geom::wire::{Loss, Result};
use rbxcore::{Content, InstanceId, Value};

use crate::lost::{NESTED, NO_TARGET, OBJECT};
use crate::meta::{self, ID, TARGET};
use crate::tree::Writer;
use rbxblobs::{Attribute, Attributes, from_slice};
use rbxdocument::references::not_copied;
use rbxdocument::view::Sort;
use rbxdocument::which::ATTRIBUTES;
use rbxdocument::{attribute_refs, graft};

impl Writer<'_> {
    /// Finds the references that lead from one file to another, and their targets.
    pub(crate) fn link(&mut self) -> Result<()> {
        let document = self.document;
        // For each instance in a model, the root of the model: a model is one file.
        let mut tops: HashMap<InstanceId, InstanceId> = HashMap::new();
        let mut waiting: Vec<_> = document.top().into_iter().map(|id| (id, None)).collect();
        while let Some((id, above)) = waiting.pop() {
            let top = above.or_else(|| (self.models.is_some() && !self.wanted.contains(&id)).then_some(id));
            tops.extend(top.map(|top| (id, top)));
            waiting.extend(document.below(id).into_iter().map(|child| (child, top)));
        }
        for id in document.all() {
            let top = tops.get(&id);
            if top.is_none() && !self.wanted.contains(&id) {
                continue;
            }
            for (name, value) in document.some(id, &|_, sort| sort == Sort::Reference) {
                let Value::Ref(Some(to)) = value else { continue };
                let other = tops.get(&to);
                if top.is_some() && top == other || other.is_none() && !self.wanted.contains(&to) {
                    continue;
                }
                self.target(to)?;
                if top.is_some() {
                    self.links.entry(id).or_default().push((name, to));
                }
            }
        }
        Ok(())
    }

    /// Gives an instance an id by which references in other files find it.
    pub(crate) fn target(&mut self, id: InstanceId) -> Result<()> {
        if !self.targets.contains_key(&id) {
            let path = self.lost.path(id, self.budget)?;
            self.targets.insert(id, path);
        }
        Ok(())
    }

    /// Writes a model file of an instance with everything below it. `by_project` is whether a project names the
    /// instance.
    pub(crate) fn model(
        &mut self,
        top: InstanceId,
        (folder, stem): (Folder, &str),
        extension: &str,
        by_project: bool,
    ) -> Result<()> {
        let mut all = vec![top];
        let mut next = 0;
        while let Some(&at) = all.get(next) {
            all.extend(self.document.below(at));
            next += 1;
        }
        let inside: HashSet<_> = all.iter().copied().collect();
        let mut attributes = HashMap::new();
        for &id in &all {
            for (name, value) in self.document.some(id, &|_, sort| sort == Sort::Reference) {
                let loss = match value {
                    // Within the model, references to an instance that the project names no longer lead to it.
                    Value::Ref(Some(to)) if to == top && by_project => {
                        self.target(to)?;
                        self.links.entry(id).or_default().push((name, to));
                        continue;
                    }
                    Value::Content(Content::Object(Some(to))) if !inside.contains(&to) => {
                        Loss::new("", OBJECT).id("rojo.reference")
                    }
                    Value::Ref(Some(to)) if !inside.contains(&to) && !self.targets.contains_key(&to) => {
                        Loss::new("", NO_TARGET).id("rojo.reference")
                    }
                    _ => continue,
                };
                self.lost.add(id, &name, loss, self.budget)?;
            }
        }
        for &id in &all {
            for (key, to) in attribute_refs::nested(self.document, id) {
                if to.is_some_and(|to| !inside.contains(&to)) {
                    let property = format!("{ATTRIBUTES}.{key}");
                    let loss = Loss::new("", NESTED).id("rojo.reference");
                    self.lost.add(id, &property, loss, self.budget)?;
                }
            }
        }
        for id in all {
            attributes.extend(self.linked(id)?.map(|bytes| (id, bytes)));
        }
        let (bytes, losses) = graft::model_file(self.document, top, extension, &attributes, self.allow_loss)?;
        charge(self.budget, bytes.len() as u64, stem)?;
        self.lost.extend(losses);
        self.lost.extend(not_copied(self.document, Some(top), self.budget)?);
        self.files.add_in(folder, &format!("{stem}.{extension}"), bytes);
        Ok(())
    }

    /// The attributes of an instance in a model, with Rojo's attributes for the targets of its references and its own id; `None`
    /// if it has none of these.
    fn linked(&mut self, id: InstanceId) -> Result<Option<Vec<u8>>> {
        let mut links = Vec::new();
        links.extend(self.targets.get(&id).map(|path| (ID.to_owned(), path.clone())));
        let class = self.document.class_of(id);
        for (name, to) in self.links.remove(&id).unwrap_or_default() {
            links.push((format!("{TARGET}{}", meta::script_name(&class, &name)), self.targets[&to].clone()));
        }
        if links.is_empty() {
            return Ok(None);
        }
        let value = self.document.value(id, ATTRIBUTES);
        let old = value.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        charge(self.budget, cost(ATTRIBUTES, old), ATTRIBUTES)?;
        let Ok(mut all) = from_slice::<Attributes>(old) else {
            let what = "references from and to this instance, since its attributes cannot be read (a Rojo \
                        project stores references as attributes)";
            let loss = Loss::new("", what).id("rojo.reference");
            self.lost.add(id, ATTRIBUTES, loss, self.budget)?;
            return Ok(None);
        };
        for (name, path) in &links {
            charge(self.budget, (name.len() + path.len()) as u64, ATTRIBUTES)?;
        }
        all.extend(links.into_iter().map(|(name, path)| (name, Attribute::from(path))));
        Ok(Some(all.to_vec()?))
    }
}
