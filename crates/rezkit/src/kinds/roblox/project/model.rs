//! A model file of a folder, and the instances of the document that it is about.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bstr::ByteSlice as _;
use rbxcore::{Content, InstanceId, Value};
use rezkit_core::{Budget, Error, Loss, Result};

use super::super::attribute_refs::with_own;
use super::super::effective;
use super::super::models::refers;
use super::super::{ATTRIBUTES, Form, filled, form, type_of, validate};
use super::meta::{self, ID, IDENTIFIERS, TARGET, Targets};
use crate::blobs::{Attribute, Attributes, from_slice};
use crate::kind::Asset;
use crate::options::{Fill, ReadOptions};

/// A model with one root.
pub(super) struct Model {
    pub(super) asset: Arc<dyn Asset>,
    pub(super) root: InstanceId,
    /// The instances of the model with those of the document that they are.
    pub(super) twins: Vec<(InstanceId, InstanceId)>,
    /// The instances of the model that the document lacks, with their parents in the document.
    pub(super) new: Vec<(InstanceId, InstanceId)>,
    /// The instances of the document that the model lacks.
    pub(super) gone: Vec<InstanceId>,
    /// The number of instances of the document that are no copies of those of the model; they are the first of `twins`.
    originals: usize,
}

impl Model {
    pub(super) fn open(file: &str, bytes: &[u8], options: &ReadOptions, budget: &mut Budget) -> Result<Self> {
        let opened = options.open(bytes.to_vec(), file, ()).map_err(|error| error.at(file))?;
        budget.take(opened.held, file)?;
        let root = form::of(&*opened.asset).map(<dyn Form>::top).map(<[_; 1]>::try_from);
        match root {
            Some(Ok([root])) => {
                let (twins, new, gone) = Default::default();
                Ok(Self { asset: opened.asset, root, twins, new, gone, originals: 0 })
            }
            Some(Err(top)) => {
                let what = format!("expected a model with one instance at the top, found {}", top.len());
                Err(Error::argument(what).at(file))
            }
            None => Err(Error::argument("expected a Roblox model").at(file)),
        }
    }

    pub(super) fn form(&self) -> &dyn Form {
        form::of(&*self.asset).unwrap_or_else(|| unreachable!("a document was opened"))
    }

    /// Finds the instances of the document, from the root: children of the same name and class, in their order.
    pub(super) fn pair(&mut self, document: &dyn Form, root: InstanceId) {
        let mut twins = vec![(self.root, root)];
        let (mut next, mut new, mut gone) = (0, Vec::new(), Vec::new());
        let model = self.form();
        while let Some(&(from, to)) = twins.get(next) {
            next += 1;
            let key = |document: &dyn Form, id| {
                (document.name_of(id).into_owned(), document.class_of(id).into_owned())
            };
            let mut there: HashMap<_, Vec<InstanceId>> = HashMap::new();
            for id in document.below(to).into_iter().rev() {
                there.entry(key(document, id)).or_default().push(id);
            }
            for id in model.below(from) {
                match there.get_mut(&key(model, id)).and_then(Vec::pop) {
                    Some(twin) => twins.push((id, twin)),
                    None => new.push((id, to)),
                }
            }
            let mut left: Vec<_> = there.into_values().flatten().collect();
            left.sort_unstable();
            gone.extend(left);
        }
        self.originals = twins.len();
        (self.twins, self.new, self.gone) = (twins, new, gone);
    }

    /// Pairs an instance and everything below it with the copy that was just inserted.
    pub(super) fn pair_copy(&mut self, document: &dyn Form, from: InstanceId, to: InstanceId) {
        let mut next = self.twins.len();
        self.twins.push((from, to));
        while let Some(&(from, to)) = self.twins.get(next) {
            next += 1;
            let below: Vec<_> = self.form().below(from).into_iter().zip(document.below(to)).collect();
            self.twins.extend(below);
        }
    }

    /// The ids that Rojo's attributes give to instances, and whether these are copies.
    pub(super) fn ids(&self) -> Vec<(String, InstanceId, bool)> {
        let mut ids = Vec::new();
        for (index, &(from, to)) in self.twins.iter().enumerate() {
            let value = self.form().value(from, ATTRIBUTES);
            let all = value
                .as_ref()
                .and_then(Value::as_bytes)
                .and_then(|bytes| from_slice::<Attributes>(bytes).ok());
            if let Some(id) = all.as_ref().and_then(|all| all.get(ID)?.value()?.as_str()) {
                ids.push((id.to_owned(), to, index >= self.originals));
            }
        }
        ids
    }

    /// A value, or those of the properties that replaced an older one in the document, unless the model has them, too.
    fn newer(
        &self,
        document: &dyn Form,
        (from, to): (InstanceId, InstanceId),
        name: String,
        value: Value,
    ) -> Vec<(String, Value)> {
        let newer = meta::newer_of(document, to, &name);
        if newer.is_empty() {
            return vec![(name, value)];
        }
        let newer = newer.into_iter().filter(|newer| effective::stored(self.form(), from, newer.0).is_none());
        newer.filter_map(|(newer, turn)| Some((newer.to_owned(), turn(value.as_ref())?))).collect()
    }

    /// Gives the instances of the document the values of the model; returns the instances and properties that changed.
    pub(super) fn apply(
        &self,
        document: &mut dyn Form,
        targets: Targets<'_>,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<(InstanceId, String)>> {
        let inside = targets.1;
        let twin_of: HashMap<_, _> = self.twins.iter().copied().collect();
        // A Content object outside of these is no object in the model.
        let known: HashSet<_> = self.twins.iter().map(|twin| twin.1).collect();
        let mut changed = Vec::new();
        for (index, &(from, to)) in self.twins.iter().enumerate() {
            let is_copy = index >= self.originals;
            let class = document.class_of(to).into_owned();
            let (mut values, mut linked) = (self.form().values(from), HashSet::new());
            for (name, value) in &mut values {
                if let (ATTRIBUTES, Some(bytes)) = (name.as_str(), value.as_bytes()) {
                    let own = document.value(to, ATTRIBUTES);
                    let own = own.as_ref().and_then(Value::as_bytes).unwrap_or_default();
                    let (bytes, links) = without_links(bytes, if is_copy { &[] } else { own });
                    linked.extend(links.into_iter().filter_map(|(shown, id, is_old)| {
                        let name = validate::stored_name(&class, &shown);
                        let of =
                            |form: &dyn Form, id| form.value(id, name).and_then(|value| value.as_instance());
                        let now = of(document, to);
                        let target = meta::target(document, targets, &id, now)?;
                        // Rojo leaves its attributes in what it builds, where the reference may have changed since.
                        let is_stale = is_old && (now.is_none() || of(self.form(), from).is_some());
                        if is_stale && now != Some(target) {
                            return None;
                        }
                        Some((name.to_owned(), target))
                    }));
                    *value = match bytes {
                        Some(bytes) => with_own(own, bytes)?.into(),
                        None => own.to_vec().into(),
                    };
                }
            }
            let values =
                values.into_iter().flat_map(|(name, value)| self.newer(document, (from, to), name, value));
            for (name, value) in values.collect::<Vec<_>>() {
                if IDENTIFIERS.contains(&&*name) || name == "Name" && from == self.root {
                    continue;
                }
                // The document may store it under the name of another version of Studio.
                let stored = validate::stored_name(&class, &name);
                let name = match document.value(to, &name).is_none() && document.value(to, stored).is_some() {
                    true => stored.to_owned(),
                    false => name,
                };
                let old = document.value(to, &name);
                let value = match (value, &old) {
                    (Value::Ref(None), Some(Value::Ref(Some(own)))) if !inside.contains(own) => continue,
                    (Value::Ref(_), _) if linked.iter().any(|(known, _)| *known == name) => continue,
                    (Value::Content(Content::Object(None)), Some(old @ Value::Content(_)))
                        if old.as_instance().is_some_and(|own| !known.contains(&own)) =>
                    {
                        continue;
                    }
                    (value, _) => match value.as_instance().map(|own| twin_of.get(&own)) {
                        Some(Some(&twin)) => refers(&value, twin),
                        Some(None) => continue,
                        None => value,
                    },
                };
                if old.as_ref().is_some_and(|old| is_same(old, &value))
                    || old.is_none() && is_usual(&class, &name, &value)
                {
                    continue;
                }
                losses.extend(filled::put(document, to, &name, value, Fill::Defaults)?);
                changed.extend((!is_copy).then_some((to, name)));
            }
            for (name, target) in linked {
                let value = Value::Ref(Some(target));
                if document.value(to, &name).as_ref() != Some(&value) {
                    losses.extend(filled::put(document, to, &name, value, Fill::Defaults)?);
                    changed.extend((!is_copy).then_some((to, name)));
                }
            }
        }
        Ok(changed)
    }
}

/// A property, the id of its target, and whether the document has the attribute.
type Link = (String, String, bool);

/// Attributes without those that Rojo gives to instances, unless they are among `own`; `None` if the result is `own`. Also
/// the targets of references.
fn without_links(bytes: &[u8], own: &[u8]) -> (Option<Vec<u8>>, Vec<Link>) {
    let Ok(mut all) = from_slice::<Attributes>(bytes) else { return (Some(bytes.to_vec()), Vec::new()) };
    let own = from_slice::<Attributes>(own).unwrap_or_default();
    let (mut links, mut is_changed) = (Vec::new(), false);
    all.0.retain_mut(|(name, value)| {
        let property = name.strip_prefix(TARGET.as_bytes());
        if property.is_none() && *name != ID {
            return true;
        }
        let before = own.0.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let is_old = before == Some(value);
        if let (Some(property), Attribute::Value(Value::String(id))) = (property, &*value) {
            links.push((property.to_str_lossy().into_owned(), id.to_string(), is_old));
        }
        if is_old {
            return true;
        }
        is_changed = true;
        before.is_some_and(|before| {
            value.clone_from(before);
            true
        })
    });
    if !is_changed {
        return (Some(bytes.to_vec()), links);
    }
    (all.to_vec().ok().filter(|_| own != all), links)
}

/// Whether two values are the same for a model: also as another type of the same content, and as texts in which XML
/// replaced what it cannot represent.
fn is_same(old: &Value, new: &Value) -> bool {
    let texts = || match (old.as_bytes(), new.as_bytes()) {
        (Some(old), Some(new)) => {
            old == new || new.find("\u{fffd}").is_some() && *old.to_str_lossy() == *new.to_str_lossy()
        }
        _ => false,
    };
    let converted = || old.kind().and_then(|kind| new.converted(kind)).is_some_and(|new| new == *old);
    old == new || texts() || converted()
}

/// Whether a value is what an instance has that stores none.
pub(super) fn is_usual(class: &str, name: &str, value: &Value) -> bool {
    type_of(value).and_then(|kind| meta::default(class, name, kind)).is_some_and(|usual| usual == *value)
        || value.as_bytes().is_some_and(<[u8]>::is_empty)
        || matches!(value, Value::Ref(None))
}
