//! The steps that make one document of another.

use std::collections::{BTreeMap, HashMap};

use rbxcore::{Dom, InstanceId, Value, classes};

use super::content::content_of;
use super::lines::longest_ascending;
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::type_of;
use geom::wire::{Budget, Result};

/// A step. Each path is the one at this step, after those before it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Step {
    /// An instance is added after the children of its parent, with everything below it.
    Added {
        /// Its path then.
        path: String,
        /// The path of its parent; empty for the root.
        parent: String,
        /// Its class.
        class: String,
        /// A document of the same form with the instance as its only root.
        model: Box<dyn Dom>,
    },
    /// An instance is removed with everything below it.
    Removed {
        /// Its path.
        path: String,
        /// Its class.
        class: String,
        /// What it and everything below it are like; see [`content_of`].
        content: u64,
    },
    /// An instance becomes the last child of another parent.
    Moved {
        /// Its path.
        path: String,
        /// The path of the new parent before the move; empty for the root.
        parent: String,
        /// The path of the instance then.
        to: String,
    },
    /// A value is set.
    Changed {
        /// The path of the instance.
        path: String,
        /// The class of the instance.
        class: String,
        /// The stored name of the property.
        property: String,
        /// The value before; `None` if it was not stored.
        old: Option<StepValue>,
        /// The value after; `None` if it is not stored then (a binary document stores the default of the class).
        new: Option<StepValue>,
    },
    /// Instances of a class that do not store a property store this value: what a binary document fills in where one
    /// instance gets the property.
    Filled {
        /// The class.
        class: String,
        /// The stored name of the property.
        property: String,
        /// The value.
        value: Value,
        /// The number of instances.
        instances: usize,
    },
    /// A value about the whole document is set.
    Metadata {
        /// The key.
        key: String,
        /// The value before, if there was one.
        old: Option<Vec<u8>>,
        /// The value after, if there is one.
        new: Option<Vec<u8>>,
    },
    /// Children change their places; all others keep their order.
    Reordered {
        /// The parent; empty for the root.
        path: String,
        /// The names of the children, with their places before and after.
        order: Vec<(String, usize, usize)>,
    },
}

/// What a step stores that was not stored: the class, the property and the value.
fn filling(step: &Step) -> Option<(&str, &str, &Value)> {
    match step {
        Step::Changed { class, property, old: None, new: Some(new), .. } if new.to.is_none() => {
            Some((class, property, &new.value))
        }
        _ => None,
    }
}

/// Whether a value is the one that instances of a class get where one of them stores a property that none did.
fn is_filled(old: &dyn Dom, (class, property): (&str, &str), value: &Value) -> bool {
    let kind = type_of(value);
    let usual = kind.and_then(|kind| kind.default_of(class, property).or_else(|| kind.neutral()));
    // Otherwise they get that of an older form.
    let known = classes::class(class).and_then(|class| class.property(property));
    let older = known.into_iter().flat_map(|known| known.older().map(|(older, _)| older));
    let mut names = known.into_iter().chain(older).flat_map(classes::Property::names);
    let has = |name: &str| old.one_of(class).is_some_and(|id| old.value(id, name).is_some());
    usual.as_ref() == Some(value) && !names.any(has)
}

/// A value of a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StepValue {
    /// The value.
    pub value: Value,
    /// The path of the instance, if it refers to one.
    pub to: Option<String>,
}

/// A value that was set: the instance, the property, the old and the new value.
type Set = (InstanceId, String, Option<Value>, Option<Value>);

/// The steps that changed a document so far.
#[derive(Debug)]
pub(super) struct Journal {
    pub(super) steps: Vec<Step>,
    /// The values that were set since the last change of a path.
    values: Vec<Set>,
    budget: Budget,
}

impl StepValue {
    /// A value that is no reference.
    pub fn new(value: Value) -> Self {
        Self { value, to: None }
    }
}

impl Journal {
    pub(super) fn new(max_bytes: u64) -> Self {
        Self { steps: Vec::new(), values: Vec::new(), budget: Budget::new(max_bytes) }
    }

    /// Notes values that were set.
    pub(super) fn set(
        &mut self,
        document: &dyn Dom,
        id: InstanceId,
        name: &str,
        old: Option<Value>,
        new: Option<Value>,
    ) -> Result<()> {
        // Another value of the class brought it along.
        if old == new {
            return Ok(());
        }
        let bytes = |value: &Value| value.as_bytes().map_or(0, <[u8]>::len);
        let size = 200 + [&old, &new].into_iter().flatten().map(bytes).sum::<usize>();
        self.budget.charge(2 * size as u64, "the differences")?;
        self.values.push((id, name.to_owned(), old, new));
        // The name is part of paths.
        if name == "Name" { self.flush(document) } else { Ok(()) }
    }

    /// Writes the values that were set, as long as the instances have their paths: before an instance is added, removed,
    /// moved or renamed.
    pub(super) fn flush(&mut self, document: &dyn Dom) -> Result<()> {
        let mut paths = Paths::new(document);
        for (id, property, old, new) in std::mem::take(&mut self.values) {
            let path = paths.of(id, &mut self.budget)?;
            let mut with_path = |value: Option<Value>| -> Result<Option<StepValue>> {
                let Some(value) = value else { return Ok(None) };
                let to = value.as_instance().map(|to| paths.of(to, &mut self.budget)).transpose()?;
                Ok(Some(StepValue { value, to }))
            };
            let (old, new) = (with_path(old)?, with_path(new)?);
            let class = document.class_of(id).into_owned();
            self.steps.push(Step::Changed { path, class, property, old, new });
        }
        Ok(())
    }

    /// The steps, with one for each property that most instances of a class did not store and now have with one value.
    pub(super) fn finish(mut self, [old, new]: [&dyn Dom; 2]) -> Result<Vec<Step>> {
        self.flush(new)?;
        let mut counts: HashMap<(&str, &str), Vec<(&Value, usize)>> = HashMap::new();
        for step in &self.steps {
            if let Some((class, property, value)) = filling(step) {
                let of = counts.entry((class, property)).or_default();
                let at = of.iter().position(|(known, _)| *known == value);
                match at {
                    Some(at) => of[at].1 += 1,
                    // Values that all differ are none that were filled in.
                    None if of.len() < 8 => of.push((value, 1)),
                    None => {}
                }
            }
        }
        let usual = counts.into_iter().filter_map(|((class, property), values)| {
            let (value, count) = values.into_iter().max_by_key(|(_, count)| *count)?;
            let is_filled = count > 1 && is_filled(old, (class, property), value);
            is_filled.then(|| ((class.to_owned(), property.to_owned()), (value.clone(), count)))
        });
        let mut usual: BTreeMap<(String, String), (Value, usize)> = usual.collect();
        if usual.is_empty() {
            return Ok(self.steps);
        }
        // It is about all instances of the class.
        for id in new.all() {
            let class = new.class_of(id);
            usual.retain(|(of, property), _| **of != *class || new.value(id, property).is_some());
        }
        let is_kept = |step: &Step| {
            filling(step).is_none_or(|(class, property, value)| {
                usual.get(&(class.to_owned(), property.to_owned())).is_none_or(|of| of.0 != *value)
            })
        };
        self.steps.retain(is_kept);
        let filled = usual.into_iter().map(|((class, property), (value, instances))| Step::Filled {
            class,
            property,
            value,
            instances,
        });
        self.steps.extend(filled);
        Ok(self.steps)
    }

    /// Notes that copies were added below a parent.
    pub(super) fn added(&mut self, document: &dyn Dom, id: InstanceId, model: Box<dyn Dom>) -> Result<()> {
        self.budget.charge(1000 * model.len() as u64, "the differences")?;
        let parent = document.parent(id).map_or_else(String::new, |parent| document.path_of(parent));
        let (path, class) = (document.path_of(id), document.class_of(id).into_owned());
        self.steps.push(Step::Added { path, parent, class, model });
        Ok(())
    }

    /// Notes that instances will be removed, in this order.
    pub(super) fn removed(&mut self, document: &dyn Dom, ids: &[InstanceId]) -> Result<()> {
        self.flush(document)?;
        let mut paths = Paths::new(document);
        for &id in ids {
            let path = paths.of(id, &mut self.budget)?;
            let (class, content) = (document.class_of(id).into_owned(), content_of(document, id));
            self.steps.push(Step::Removed { path, class, content });
        }
        Ok(())
    }

    /// Notes a move, given the paths of the instance and the parent before it.
    pub(super) fn moved(&mut self, document: &dyn Dom, id: InstanceId, [path, parent]: [String; 2]) {
        self.steps.push(Step::Moved { path, parent, to: document.path_of(id) });
    }

    /// Notes that children will get another order.
    pub(super) fn reordered(
        &mut self,
        document: &dyn Dom,
        parent: Option<InstanceId>,
        now: &[InstanceId],
        order: &[InstanceId],
    ) -> Result<()> {
        self.flush(document)?;
        let to: HashMap<InstanceId, usize> = order.iter().enumerate().map(|(to, &id)| (id, to)).collect();
        let places: Vec<usize> = now.iter().map(|id| to.get(id).copied().unwrap_or_default()).collect();
        let in_order = longest_ascending(&places);
        let mut order = Vec::new();
        for (from, &id) in now.iter().enumerate().filter(|&(from, _)| !in_order[from]) {
            let child = document.name_of(id).into_owned();
            self.budget.charge(64 + child.len() as u64, "the differences")?;
            order.push((child, from, places[from]));
        }
        let path = parent.map_or_else(String::new, |id| document.path_of(id));
        self.steps.push(Step::Reordered { path, order });
        Ok(())
    }

    /// Notes the metadata that a document gets.
    pub(super) fn metadata(&mut self, old: &dyn Dom, new: &dyn Dom) {
        let (before, after) = (old.meta(), new.meta());
        for (key, value) in before.iter().filter(|(key, _)| after.iter().all(|(known, _)| known != key)) {
            self.steps.push(Step::Metadata { key: key.clone(), old: Some(value.clone()), new: None });
        }
        for (key, value) in after {
            let known = before.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone());
            if known.as_ref() != Some(&value) {
                self.steps.push(Step::Metadata { key, old: known, new: Some(value) });
            }
        }
    }
}
