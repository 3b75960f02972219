//! The one way to change the instances of a document: merges, patches, edits and packs are lists of actions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Deref;

use rbxcore::{Content, Dom, EditOptions, Edited, InstanceId, NewInstance, Value, classes};

use super::pending::Pending;
use super::steps::Journal;
use crate::attribute_refs::key_of;
use crate::filled::{is_usual, left_out, renamed};
use crate::graft::{Done, graft};
use crate::options::Fill;
use crate::paths::Paths;
use crate::references::{references, refers};
use crate::view::{View as _, children_of};
use crate::write::{By, Write, write};
use geom::wire::{Budget, Error, Loss, Result};

/// An instance of the document, or one that the plan of the actions wants, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// An instance of the document.
    Id(InstanceId),
    /// A wanted one, which [`Applying::know`] or an action before made known.
    Wanted(usize),
}

/// A change of a document.
#[derive(Clone, Debug)]
pub enum Action<'a> {
    /// Adds an instance with these values; its class provides the others.
    Add {
        /// The parent, or the root.
        parent: Option<At>,
        /// The class.
        class: String,
        /// The stored names and values of its properties.
        values: Vec<(String, Value)>,
    },
    /// Adds all instances of another document of the same form.
    Insert {
        /// The parent, or the root.
        parent: Option<At>,
        /// The other document.
        model: &'a dyn Dom,
        /// Whether what this document cannot store is dropped and listed.
        allow_loss: bool,
    },
    /// Adds an instance of the document of [`Applying::from`], with everything below it.
    Copy {
        /// The parent, or the root.
        parent: Option<At>,
        /// The instance there.
        top: InstanceId,
    },
    /// Replaces an instance by one of another class at the same place, with its children and the references to it.
    Become {
        /// The instance.
        id: InstanceId,
        /// The class.
        class: String,
        /// The values that it keeps, if its new class has them.
        keeps: Keeps<'a>,
    },
    /// Makes an instance the last child of another parent.
    Move {
        /// The instance.
        id: InstanceId,
        /// The parent, or the root.
        parent: Option<At>,
    },
    /// Sets a value, or removes it.
    Set {
        /// The instance.
        at: At,
        /// The name of the property.
        property: String,
        /// The value.
        value: Option<Value>,
        /// Whose name and value these are.
        by: By,
    },
    /// Sets a reference; `None` is null.
    Refer {
        /// The instance.
        at: At,
        /// The stored name of the property.
        property: String,
        /// Whether it is a `Content`.
        is_content: bool,
        /// The target.
        to: Option<At>,
    },
    /// Gives children of one parent an order, behind their other siblings from the first one on that is not at its place.
    Order {
        /// The children.
        children: Vec<At>,
    },
    /// Changes the places of some children of a parent.
    Reorder {
        /// The path of the parent, which tells several of these actions apart.
        path: String,
        /// The parent, or the root.
        parent: Option<At>,
        /// The places before and after.
        moves: Vec<(usize, usize)>,
    },
    /// Removes instances, with everything below them.
    Remove {
        /// The instances, none of which is below another one.
        ids: Vec<InstanceId>,
    },
    /// Sets or removes a value about the whole document.
    Metadata {
        /// The key.
        key: String,
        /// The value.
        value: Option<Vec<u8>>,
    },
}

impl Action<'_> {
    /// Sets a value under the name that files have, or removes it.
    pub fn stored(id: InstanceId, property: &str, value: Option<Value>) -> Self {
        Self::Set { at: At::Id(id), property: property.to_owned(), value, by: By::File }
    }
}

/// The values that an instance keeps when it gets another class.
#[derive(Clone, Copy, Debug)]
pub enum Keeps<'a> {
    /// These alone.
    Only(&'a [&'a str]),
    /// All but these.
    AllBut(&'a [&'a str]),
}

/// A document to which actions are applied. After an error, it is useless: the caller applies them to a copy.
#[derive(Debug)]
pub struct Applying<'d> {
    document: &'d mut dyn Dom,
    /// What is copied.
    prepared: Option<&'d dyn Dom>,
    pending: Pending,
    /// The wanted instances that are known.
    wanted: HashMap<usize, InstanceId>,
    /// The instances that others of another class have replaced.
    replaced: BTreeMap<InstanceId, InstanceId>,
    /// Those of them that are still there.
    replacing: Vec<InstanceId>,
    /// Whether references that become null are listed.
    lists_nulled: bool,
    /// The references of the document before the first instance was removed.
    referring: Option<Referring>,
    /// The references to removed instances, with their paths.
    nulled: Vec<(InstanceId, String, String)>,
    journal: Option<Journal>,
}

/// The instances and properties that refer to an instance, by that one.
type Referring = HashMap<InstanceId, Vec<(InstanceId, String)>>;

impl Deref for Applying<'_> {
    type Target = dyn Dom;

    fn deref(&self) -> &Self::Target {
        self.document
    }
}

impl<'d> Applying<'d> {
    /// For actions on a document, which lists the references that become null.
    pub fn new(document: &'d mut dyn Dom) -> Self {
        Self {
            document,
            prepared: None,
            pending: Pending::default(),
            wanted: HashMap::new(),
            replaced: BTreeMap::new(),
            replacing: Vec::new(),
            lists_nulled: true,
            referring: None,
            nulled: Vec::new(),
            journal: None,
        }
    }

    /// Copies are those of instances of this document, which [`prepared`](crate::graft::prepared) made.
    #[must_use]
    pub fn from(self, prepared: Option<&'d dyn Dom>) -> Self {
        Self { prepared, ..self }
    }

    /// For a merge, in which other conflicts say what becomes null, with the steps if they are wanted.
    pub(super) fn merging(document: &'d mut dyn Dom, journal: Option<Journal>) -> Self {
        Self { lists_nulled: false, journal, ..Self::new(document) }
    }

    /// The document, for values that are lists of their own.
    pub fn document(&mut self) -> &mut dyn Dom {
        self.document
    }

    /// Makes known which instance a wanted one is.
    pub fn know(&mut self, wanted: usize, id: InstanceId) {
        self.wanted.insert(wanted, id);
    }

    /// The instance that is meant; `None` for a wanted one that is not known.
    pub fn id(&self, at: At) -> Option<InstanceId> {
        match at {
            At::Id(id) => Some(self.replaced.get(&id).copied().unwrap_or(id)),
            At::Wanted(wanted) => self.wanted.get(&wanted).copied(),
        }
    }

    fn need(&self, at: At) -> Result<InstanceId> {
        self.id(at).ok_or_else(|| Error::argument("a wanted instance was not added"))
    }

    fn parent_of(&self, parent: Option<At>) -> Result<Option<InstanceId>> {
        parent.map(|parent| self.need(parent)).transpose()
    }

    /// Applies an action.
    ///
    /// # Errors
    /// If the document cannot store it.
    pub fn act(&mut self, action: Action<'_>, budget: &mut Budget) -> Result<Done> {
        let is_in_place = matches!(
            action,
            Action::Add { .. } | Action::Copy { .. } | Action::Become { .. } | Action::Move { .. }
        );
        let mut losses = Vec::new();
        if !is_in_place {
            losses = self.replace(budget)?;
        }
        let mut done = match action {
            Action::Add { parent, class, values } => self.add(self.parent_of(parent)?, &class, &values)?,
            Action::Insert { parent, model, allow_loss } => {
                let parent = self.parent_of(parent)?;
                // What it needs is free again afterwards.
                let mut own = Budget::new(budget.left());
                let done = graft(self.document, parent, model, allow_loss, &mut own)?;
                self.note_added(&done.roots, model)?;
                done
            }
            Action::Copy { parent, top } => self.copy(self.parent_of(parent)?, top, budget)?,
            Action::Become { id, class, keeps } => self.turn(id, &class, keeps)?,
            Action::Move { id, parent } => {
                let parent = self.parent_of(parent)?;
                self.move_to(id, parent)?;
                Done::default()
            }
            Action::Set { at, property, value, by } => {
                let id = self.need(at)?;
                Done { losses: self.set(id, &property, value, by)?, ..Done::default() }
            }
            Action::Refer { at, property, is_content, to } => {
                let (id, to) = (self.need(at)?, to.and_then(|to| self.id(to)));
                let value = if is_content { Value::Content(Content::Object(to)) } else { Value::Ref(to) };
                Done { losses: self.set(id, &property, Some(value), By::File)?, ..Done::default() }
            }
            Action::Order { children } => {
                let children: Vec<InstanceId> = children.into_iter().filter_map(|at| self.id(at)).collect();
                self.order(&children)?;
                Done::default()
            }
            Action::Reorder { path, parent, moves } => {
                let parent = self.parent_of(parent)?;
                self.pending.reorder(&path, moves, (&*self.document, parent), budget)?;
                Done::default()
            }
            Action::Remove { ids } => {
                self.remove(ids, budget)?;
                Done::default()
            }
            Action::Metadata { key, value } => {
                self.pending.set_metadata(self.document, &key, value);
                Done::default()
            }
        };
        done.losses.extend(losses);
        Ok(done)
    }

    /// Writes the order of children, unless the next action is about the children of the same path, too. Returns whether paths
    /// changed.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub fn settle(&mut self, next: Option<&str>) -> Result<bool> {
        self.pending.settle(self.document, next)
    }

    /// Writes what is left; returns what could not be stored.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub fn finish(self, budget: &mut Budget) -> Result<Vec<Loss>> {
        Ok(self.close(budget)?.0)
    }

    /// As [`finish`](Self::finish), with the steps if they are wanted.
    ///
    /// # Errors
    /// If the document cannot be edited.
    pub(super) fn close(mut self, budget: &mut Budget) -> Result<(Vec<Loss>, Option<Journal>)> {
        let mut losses = self.replace(budget)?;
        self.settle(None)?;
        losses.extend(self.pending.finish(self.document)?);
        let mut paths = Paths::new(&*self.document);
        for (id, property, to) in self.nulled {
            let now = || self.document.value(id, &property).and_then(|now| now.as_instance());
            if !self.document.contains(id) || now().is_some() {
                continue;
            }
            let path = format!("{}.{property}", paths.of(id, budget)?);
            let what = format!("a reference to {to}, which is removed; replaced by null");
            budget.lose(&mut losses, Loss::new(path, what).id("roblox.null-reference"))?;
        }
        Ok((losses, self.journal))
    }
}

impl Applying<'_> {
    /// Adds an instance with values.
    fn add(&mut self, parent: Option<InstanceId>, class: &str, values: &[(String, Value)]) -> Result<Done> {
        let is_service = self.document.has_services(class).unwrap_or_else(|| classes::is_service(class));
        let mut new = NewInstance::new(class).service(parent.is_none() && is_service);
        let (known, others): (Vec<_>, Vec<_>) =
            values.iter().partition(|(name, _)| classes::unstored(class, name.as_str()).is_none());
        for (name, value) in known {
            new = new.property(name, self.document.stored(class, name, value.clone())?);
        }
        let edited = EditOptions::defaults().insert(self.document, parent, new)?;
        let Some(&id) = edited.instances.first() else {
            return Err(Error::argument("no instance was added"));
        };
        let mut losses = Vec::new();
        for (name, value) in others {
            losses.extend(write(self.document, Write::new(id, name, value.clone()).by(By::File))?);
        }
        Ok(Done { roots: vec![id], filled: edited.filled, losses })
    }

    /// Copies an instance of a prepared document.
    fn copy(&mut self, parent: Option<InstanceId>, top: InstanceId, budget: &mut Budget) -> Result<Done> {
        let prepared = self.prepared.ok_or_else(|| Error::argument("there is no document to copy from"))?;
        for id in std::iter::once(top).chain(prepared.descendants(top)) {
            let values = prepared.properties(id).map(|(_, value)| value.as_bytes().map_or(8, <[u8]>::len));
            budget.charge(100 + values.sum::<usize>() as u64, "the copied instances")?;
        }
        let mut edited = EditOptions::defaults().copy_from(self.document, parent, prepared, top)?;
        let mut losses: Vec<Loss> = renamed(&edited).collect();
        losses.extend(self.widen(prepared, top, &mut edited)?);
        losses.extend(left_out(&edited));
        Ok(Done { roots: edited.instances, filled: edited.filled, losses })
    }

    /// Sets what a copy left out, since the instances of the class that were there do not store it and its default is not
    /// known: they get the neutral value of the type.
    fn widen(&mut self, prepared: &dyn Dom, top: InstanceId, edited: &mut Edited) -> Result<Vec<Loss>> {
        let Some(&new) = edited.instances.first().filter(|_| !edited.left_out.is_empty()) else {
            return Ok(Vec::new());
        };
        let all = |dom: &dyn Dom, top| std::iter::once(top).chain(dom.descendants(top)).collect::<Vec<_>>();
        let pairs: Vec<_> = all(prepared, top).into_iter().zip(all(self.document, new)).collect();
        let mut losses = Vec::new();
        for left in std::mem::take(&mut edited.left_out) {
            let (class, property) = (left.class.to_string(), left.property.to_string());
            for &(from, to) in pairs.iter().filter(|(from, _)| *prepared.class_of(*from) == *class) {
                let value = prepared.value(from, &property).filter(|value| value.as_instance().is_none());
                if let Some(value) = value {
                    losses.extend(write(self.document, Write::new(to, &property, value).by(By::File))?);
                }
            }
        }
        Ok(losses)
    }

    /// Adds an instance of another class for one, with its children and what it keeps.
    fn turn(&mut self, id: InstanceId, class: &str, keeps: Keeps<'_>) -> Result<Done> {
        let (parent, name) = (self.document.parent(id), self.document.name_of(id).into_owned());
        let mut done = self.add(parent, class, &[("Name".to_owned(), name.into())])?;
        let new = done.roots[0];
        let known = classes::class(class);
        for (property, value) in self.document.values(id) {
            // The same name can be that of a property of another type: `Value` of an ObjectValue.
            let kind = known.and_then(|class| class.property(&property)).map(classes::Property::kind);
            let fits = |kind| value.kind() == Some(kind) || value.converted(kind).is_some();
            let is_known = key_of(&property).is_some() || kind.is_some_and(fits);
            let is_kept = match keeps {
                Keeps::Only(names) => names.contains(&&*property),
                Keeps::AllBut(names) => !names.contains(&&*property),
            };
            let is_same = || match self.document.value(new, &property) {
                Some(own) => own == value,
                None => is_usual(class, &property, &value),
            };
            if is_known && is_kept && property != "Name" && !is_same() {
                done.losses.extend(write(self.document, Write::new(new, &property, value).by(By::File))?);
            }
        }
        for child in self.document.below(id) {
            self.document.move_to(child, Some(new))?;
        }
        self.replaced.insert(id, new);
        self.replacing.push(id);
        Ok(done)
    }

    /// Lets references to replaced instances lead to the new ones, and removes the replaced ones.
    fn replace(&mut self, budget: &mut Budget) -> Result<Vec<Loss>> {
        let (old, mut losses) = (std::mem::take(&mut self.replacing), Vec::new());
        if old.is_empty() {
            return Ok(losses);
        }
        let is_old: HashSet<InstanceId> = old.iter().copied().collect();
        for (id, property, to) in references(&*self.document, budget)? {
            let Some(&new) = self.replaced.get(&to).filter(|_| !is_old.contains(&id)) else { continue };
            match self.document.value(id, &property) {
                Some(value) => self.document.put(id, &property, refers(&value, new))?,
                None => {
                    let path = self.document.path_of(id);
                    let what = "a reference to an instance that was replaced by one of another class; replaced by null";
                    losses.push(Loss::new(format!("{path}.{property}"), what).id("roblox.null-reference"));
                }
            }
        }
        self.document.remove_all(old)?;
        Ok(losses)
    }

    fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        let Some(journal) = &mut self.journal else { return self.document.move_to(id, parent) };
        journal.flush(self.document)?;
        let to = parent.map_or_else(String::new, |parent| self.document.path_of(parent));
        let paths = [self.document.path_of(id), to];
        self.document.move_to(id, parent)?;
        journal.moved(self.document, id, paths);
        Ok(())
    }

    /// Notes that the instances of a model were added.
    fn note_added(&mut self, roots: &[InstanceId], model: &dyn Dom) -> Result<()> {
        if let (Some(journal), &[root]) = (&mut self.journal, roots) {
            journal.flush(self.document)?;
            journal.added(self.document, root, model.copy())?;
        }
        Ok(())
    }

    fn set(&mut self, id: InstanceId, property: &str, value: Option<Value>, by: By) -> Result<Vec<Loss>> {
        if let Some(journal) = &mut self.journal {
            let old = self.document.value(id, property);
            journal.set(self.document, id, property, old, value.clone())?;
        }
        let Some(value) = value else {
            self.pending.cleared.note(self.document, id, property)?;
            return Ok(Vec::new());
        };
        let losses = write(self.document, Write { id, property, value, fill: Fill::Defaults, by })?;
        match by {
            By::Document => self.pending.cleared.replaced(self.document, id, property)?,
            _ => self.pending.cleared.kept(self.document, id, property),
        }
        Ok(losses)
    }

    fn order(&mut self, children: &[InstanceId]) -> Result<()> {
        let Some(parent) = children.first().map(|&id| self.document.parent(id)) else { return Ok(()) };
        let listed: HashSet<InstanceId> = children.iter().copied().collect();
        let now = children_of(self.document, parent);
        let there = now.iter().filter(|id| listed.contains(id));
        let same = children.iter().zip(there).take_while(|(id, now)| id == now).count();
        let moved = &children[same..];
        if moved.is_empty() {
            return Ok(());
        }
        if let Some(journal) = &mut self.journal {
            let last: HashSet<InstanceId> = moved.iter().copied().collect();
            let others = now.iter().copied().filter(|id| !last.contains(id));
            let order: Vec<InstanceId> = others.chain(moved.iter().copied()).collect();
            journal.reordered(self.document, parent, &now, &order)?;
        }
        moved.iter().try_for_each(|&id| self.document.move_to(id, parent))
    }

    fn remove(&mut self, ids: Vec<InstanceId>, budget: &mut Budget) -> Result<()> {
        if self.lists_nulled {
            if self.referring.is_none() {
                let mut all = Referring::new();
                for (id, property, to) in references(&*self.document, budget)? {
                    all.entry(to).or_default().push((id, property));
                }
                self.referring = Some(all);
            }
            let (document, mut paths) = (&*self.document, Paths::new(&*self.document));
            let referring = self.referring.get_or_insert_default();
            for gone in ids.iter().flat_map(|&id| std::iter::once(id).chain(document.descendants(id))) {
                let Some(from) = referring.remove(&gone) else { continue };
                let path = paths.of(gone, budget)?;
                self.nulled.extend(from.into_iter().map(|(id, property)| (id, property, path.clone())));
            }
        }
        if let Some(journal) = &mut self.journal {
            journal.removed(self.document, &ids)?;
        }
        self.document.remove_all(ids)?;
        Ok(())
    }
}
