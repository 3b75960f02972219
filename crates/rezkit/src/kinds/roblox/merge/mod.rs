//! Joins the changes of two documents since the one that both come from.

mod content;
mod inserted;
mod matching;
mod texts;

use std::collections::{BTreeSet, HashMap, HashSet};

use rbxbinary::TypeId;
use rbxcore::{InstanceId, Value, classes};
use rezkit_core::{Budget, Error, Loss, Result};

use super::attributes::attribute;
use super::effective::{Effective, default, effective};
use super::filled::{put_stored, replacing};
use super::form::is_as_stored;
use super::models::{references_of, refers};
use super::patch::{Journal, in_order, reset};
use super::set::put_newer;
use super::{ATTRIBUTES, Form, Paths, form, show, type_of};
use crate::blobs::{Attribute, Attributes, Tags};
use crate::kind::Asset;
use crate::merge::{Conflict, MergeOptions, Side};
use crate::options::{ConvertOptions, Fill};
use crate::patch::Step;
use inserted::Inserted;
pub(super) use matching::matches;
use matching::{Matches, with_descendants};

/// Whether a property says which instance it is, not what it is like.
fn is_identity(property: &str) -> bool {
    matches!(property, "UniqueId" | "HistoryId" | "ScriptGuid" | "SourceAssetId")
}

/// Whether Studio changes a property although nobody edits it. The camera is that of the editor.
fn is_noise(class: &str, property: &str) -> bool {
    is_identity(property)
        || property == "DistributedGameTime"
        || class == "Camera" && matches!(property, "CFrame" | "Focus" | "CoordinateFrame")
}

/// Whether frames differ by no more than repeated calculation makes them differ.
fn is_close(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_cframe(), other.as_cframe()) else { return false };
    let parts = |of: rbxcore::CFrame| of.position.to_array().into_iter().chain(of.rotation.to_rows());
    parts(one)
        .zip(parts(other))
        .all(|(one, other)| (one - other).abs() <= 1e-5 || one.to_bits().abs_diff(other.to_bits()) <= 64)
}

/// The merge of three documents, in the form of `ours`. Without a base, everything was inserted by both.
///
/// # Errors
/// [`Argument`](crate::ErrorKind::Argument) if one of them is no document, or they share nothing, and if the form of `ours`
/// cannot represent what `theirs` has.
pub(crate) fn merge(
    base: Option<&dyn Asset>,
    [ours, theirs]: [&dyn Asset; 2],
    options: &MergeOptions,
) -> Result<Merged> {
    let document =
        |asset| form::of(asset).ok_or_else(|| Error::argument("expected three Roblox places or models"));
    let nothing = document(ours)?.blank().into_asset();
    let base = base.unwrap_or(&*nothing);
    let format = ours.kind().format;
    let convert = ConvertOptions::new().fill(Fill::Defaults).allow_loss(true).max_bytes(options.max_bytes);
    let other = |asset: &dyn Asset| {
        (asset.kind().format != format).then(|| asset.convert(format, &convert)).transpose()
    };
    let (base_as, theirs_as) = (other(base)?, other(theirs)?);
    let base = base_as.as_ref().map_or(base, |made| &*made.asset);
    let theirs = theirs_as.as_ref().map_or(theirs, |made| &*made.asset);
    let (base, ours, theirs) = (document(base)?, document(ours)?, document(theirs)?);
    let (to_ours, to_theirs) = (matches(base, ours), matches(base, theirs));
    let matched = to_ours.to.len().min(to_theirs.to.len());
    if matched * 10 < base.len() && !options.unrelated {
        return Err(Error::argument(format!(
            "the documents have too little in common to be merged: of {} instances of the base, {} are in ours and {} \
             in theirs",
            base.len(),
            to_ours.to.len(),
            to_theirs.to.len(),
        )));
    }
    let mut notes = theirs_as.as_ref().map_or_else(Vec::new, |made| made.losses.clone());
    for (of, whose) in [(&to_ours, "ours"), (&to_theirs, "theirs")] {
        if of.reissued {
            notes.push(Loss::approximated(
                whose,
                "the unique ids were issued again; instances are found by their paths",
            ));
        }
    }
    let mut merging = Merging {
        base,
        ours,
        theirs,
        new: ours.replica(),
        placed: to_ours.to.iter().map(|(&id, &to)| (id, to)).collect(),
        to_ours,
        to_theirs,
        copies: HashMap::new(),
        inserted: Inserted::default(),
        paths: Paths::new(ours),
        base_paths: Paths::new(base),
        conflicts: Vec::new(),
        notes,
        budget: Budget::new(options.max_bytes),
        exceeded: None,
        options,
        journal: None,
    };
    merging.run()?;
    let Merging { new, conflicts, notes, .. } = merging;
    Ok(Merged { asset: new.into_asset(), conflicts, notes })
}

/// The steps that make a document of another one, whose instances are found as for a merge, and what they cannot represent.
///
/// # Errors
/// As [`merge`], and if the steps take more memory than is allowed.
pub(crate) fn patch([old, new]: [&dyn Asset; 2], max_bytes: u64) -> Result<(Vec<Step>, Vec<Loss>)> {
    let format = old.kind().format;
    let convert = ConvertOptions::new().fill(Fill::Defaults).allow_loss(true).max_bytes(max_bytes);
    let made = (new.kind().format != format).then(|| new.convert(format, &convert)).transpose()?;
    let document =
        |asset| form::of(asset).ok_or_else(|| Error::argument("expected two Roblox places or models"));
    let (old, new) = (document(old)?, document(made.as_ref().map_or(new, |made| &*made.asset))?);
    let all = || old.all().into_iter().map(|id| (id, id));
    let mut journal = Journal::new(max_bytes);
    journal.metadata(old, new);
    let mut merging = Merging {
        base: old,
        ours: old,
        theirs: new,
        new: old.replica(),
        placed: all().collect(),
        to_ours: Matches { to: all().collect(), from: all().collect(), reissued: false },
        to_theirs: matches(old, new),
        copies: HashMap::new(),
        inserted: Inserted::default(),
        paths: Paths::new(old),
        base_paths: Paths::new(old),
        conflicts: Vec::new(),
        notes: Vec::new(),
        budget: Budget::new(max_bytes),
        exceeded: None,
        options: &MergeOptions::new().max_bytes(max_bytes),
        journal: Some(journal),
    };
    merging.run()?;
    let Merging { new, conflicts, journal, .. } = merging;
    let mut journal = journal.unwrap_or_else(|| unreachable!("it was given"));
    journal.flush(&*new)?;
    // Nothing conflicts with the document itself, except for moves that are not possible.
    let mut losses: Vec<Loss> = conflicts.into_iter().map(|of| Loss::new(of.path, of.what)).collect();
    losses.extend(made.into_iter().flat_map(|made| made.losses));
    Ok((journal.steps, losses))
}

/// The merged asset, and what a person has to look at.
pub(crate) struct Merged {
    pub(crate) asset: Box<dyn Asset>,
    pub(crate) conflicts: Vec<Conflict>,
    pub(crate) notes: Vec<Loss>,
}

struct Merging<'a> {
    base: &'a dyn Form,
    ours: &'a dyn Form,
    theirs: &'a dyn Form,
    /// The result, which begins as a copy of ours, with the same ids.
    new: Box<dyn Form>,
    /// The instances of the base in the result.
    placed: HashMap<InstanceId, InstanceId>,
    to_ours: Matches,
    to_theirs: Matches,
    /// The copies in the result of instances of theirs.
    copies: HashMap<InstanceId, InstanceId>,
    inserted: Inserted,
    /// The paths of ours.
    paths: Paths<'a>,
    base_paths: Paths<'a>,
    conflicts: Vec<Conflict>,
    notes: Vec<Loss>,
    budget: Budget,
    /// The error of the budget for the list of conflicts.
    exceeded: Option<Error>,
    options: &'a MergeOptions,
    /// The steps, if they are wanted: then every difference counts, also those that nobody makes.
    journal: Option<Journal>,
}

/// A value that a document may lack.
type Stored = Option<Value>;

/// Finds the value of a property of an instance.
type Held = fn(&dyn Form, InstanceId, &str) -> Stored;

impl Merging<'_> {
    fn run(&mut self) -> Result<()> {
        self.insert()?;
        self.move_all()?;
        self.refer_from_copies()?;
        for id in self.base.all() {
            if let (Some(&ours), Some(&theirs)) = (self.to_ours.to.get(&id), self.to_theirs.to.get(&id)) {
                self.values(id, ours, theirs)?;
            }
        }
        self.order()?;
        self.remove()?;
        self.identities()?;
        self.exceeded.take().map_or(Ok(()), Err)
    }

    /// The path of an instance of the base.
    fn base_path(&mut self, id: InstanceId) -> String {
        match self.base_paths.of(id, &mut self.budget) {
            Ok(path) => path,
            Err(error) => {
                self.exceeded.get_or_insert(error);
                String::new()
            }
        }
    }

    fn is_noise(&self, class: &str, property: &str) -> bool {
        self.journal.is_none() && is_noise(class, property)
    }

    /// Records a conflict; returns whether the value of theirs is taken.
    fn conflict(&mut self, path: String, what: &str, values: [Option<String>; 3]) -> bool {
        let [base, ours, theirs] = values;
        let decided = self.options.decision(&path);
        if decided.is_none() {
            self.push(Conflict { path, what: what.to_owned(), base, ours, theirs });
        }
        decided == Some(Side::Theirs)
    }

    /// Lists a conflict, unless the list takes too much memory, which [`run`](Self::run) then says.
    fn push(&mut self, conflict: Conflict) {
        let texts = [&conflict.base, &conflict.ours, &conflict.theirs].into_iter().flatten();
        let length = texts.chain([&conflict.path]).map(String::len).sum::<usize>();
        match self.budget.take((3 * length + size_of::<Conflict>()) as u64, "the list of conflicts") {
            Ok(()) => self.conflicts.push(conflict),
            Err(error) => _ = self.exceeded.get_or_insert(error),
        }
    }

    /// The instance of the result that an instance of theirs is.
    fn in_new(&self, theirs: InstanceId) -> Option<InstanceId> {
        let of_base = || self.placed.get(self.to_theirs.from.get(&theirs)?).copied();
        self.copies.get(&theirs).copied().or_else(of_base)
    }

    /// Whether an instance of the base is elsewhere in another document, whose matches are given.
    fn is_moved(&self, id: InstanceId, other: &dyn Form, to: &Matches) -> bool {
        let Some(&now) = to.to.get(&id) else { return false };
        match (self.base.parent(id), other.parent(now)) {
            (Some(before), Some(now)) => to.from.get(&now) != Some(&before),
            (before, now) => before.is_some() != now.is_some(),
        }
    }

    /// Whether an instance of the base, or something below it in both, differs in another document, whose matches are given.
    fn is_edited(&self, id: InstanceId, other: &dyn Form, to: &Matches) -> bool {
        let Some(&top) = to.to.get(&id) else { return false };
        let all = with_descendants(self.base, &[id]);
        let differs = |now: InstanceId| {
            let Some(of) = to.from.get(&now).filter(|of| all.contains(of)) else { return true };
            if self.is_moved(*of, other, to) {
                return true;
            }
            let class = self.base.class_of(*of);
            names(self.base, *of, other, now).iter().filter(|name| !is_noise(&class, name)).any(|name| {
                let before = held(self.base, *of, name);
                let after = held(other, now, name).map(|value| translated(value, &to.from));
                !alike(&class, name, &before, &after)
            })
        };
        with_descendants(other, &[top]).into_iter().any(differs)
    }

    /// The instances of theirs that ours removed although theirs edited them, moved them or refers to them anew, and those
    /// that a decision keeps removed.
    fn removed_by_ours(&mut self) -> [Vec<InstanceId>; 2] {
        // What ours removed with its parent comes back with it, if it is still there in theirs.
        let gone = |id: &InstanceId| !self.to_ours.to.contains_key(id);
        let is_top = |id: &InstanceId| {
            let above = |above: InstanceId| gone(&above);
            let theirs = self.to_theirs.to.get(id).and_then(|&theirs| self.theirs.parent(theirs));
            let above_theirs = theirs.and_then(|theirs| self.to_theirs.from.get(&theirs)).copied();
            !self.base.parent(*id).is_some_and(above) || !above_theirs.is_some_and(above)
        };
        let all = self.base.all().into_iter();
        let tops: Vec<InstanceId> = all.filter(|id| gone(id) && is_top(id)).collect();
        let referred = newly_referred(self.base, self.theirs, &self.to_theirs);
        let [mut wanted, mut kept_out] = [Vec::new(), Vec::new()];
        for id in tops {
            let Some(&theirs) = self.to_theirs.to.get(&id) else { continue };
            let below = with_descendants(self.base, &[id]);
            let is_referred = below.iter().any(|of| referred.contains(of));
            let what = match is_referred {
                true => "ours removed it, theirs refers to it",
                false if self.is_moved(id, self.theirs, &self.to_theirs) => {
                    "ours removed it, theirs moved it"
                }
                false if self.is_edited(id, self.theirs, &self.to_theirs) => {
                    "ours removed it, theirs edited it"
                }
                false => continue,
            };
            let path = self.base_path(id);
            let undecided = self.options.decision(&path).is_none();
            let list = if self.conflict(path, what, [None, None, None]) || undecided {
                &mut wanted
            } else {
                &mut kept_out
            };
            list.push(theirs);
        }
        [wanted, kept_out]
    }

    /// Copies what theirs inserted, and what ours removed although theirs changed it.
    fn insert(&mut self) -> Result<()> {
        let [mut wanted, kept_out] = self.removed_by_ours();
        let known: HashSet<InstanceId> = self.to_theirs.from.keys().copied().collect();
        let is_new = |id: &InstanceId| !known.contains(id);
        let new = self.theirs.all().into_iter().filter(is_new);
        wanted.extend(new.filter(|id| self.theirs.parent(*id).is_none_or(|above| !is_new(&above))));
        // A parent comes before what is below it.
        let places: HashMap<InstanceId, usize> = self.theirs.all().into_iter().zip(0..).collect();
        wanted.sort_unstable_by_key(|id| std::cmp::Reverse(places.get(id).copied()));
        while let Some(id) = wanted.pop() {
            if self.copies.contains_key(&id) {
                // It came with its parent.
                continue;
            }
            let to = match self.theirs.parent(id) {
                None => None,
                Some(above) => match self.in_new(above) {
                    Some(to) => Some(to),
                    // Ours removed the parent: it came back with this instance, or the conflict keeps it removed.
                    None => {
                        let path = self.theirs.path_of(id);
                        self.conflict(
                            path,
                            "theirs inserted it below an instance that ours removed",
                            [None, None, None],
                        );
                        continue;
                    }
                },
            };
            if is_new(&id) && self.is_in_ours(id, to) {
                continue;
            }
            let twin = if is_new(&id) { self.twin(id, to) } else { None };
            match twin {
                Some(ours) => {
                    self.add_values(id, ours)?;
                    let below = self.theirs.below(id).into_iter();
                    wanted.extend(below.rev().filter(is_new));
                }
                None => self.copy(id, to, &kept_out)?,
            }
        }
        Ok(())
    }

    /// Copies an instance of theirs with what is below it, without what is elsewhere in ours.
    fn copy(&mut self, id: InstanceId, parent: Option<InstanceId>, kept_out: &[InstanceId]) -> Result<()> {
        let mut model = self.new.blank();
        let options = rbxcore::EditOptions::new().keep_unique_ids(true);
        options.copy_from((*model).dom_mut(), None, self.theirs.dom(), id)?;
        // What is elsewhere in ours stays out, with everything below it: it is moved there later, or inserted there.
        let tops = [Some(id), model.top().first().copied()];
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        let mut waiting: Vec<_> = tops[0].zip(tops[1]).into_iter().collect();
        while let Some((theirs, copy)) = waiting.pop() {
            let is_in_ours = |base: &InstanceId| self.to_ours.to.contains_key(base);
            let is_other =
                self.to_theirs.from.get(&theirs).is_some_and(is_in_ours) || kept_out.contains(&theirs);
            if is_other {
                others.push(copy);
                continue;
            }
            kept.push(theirs);
            let below = self.theirs.below(theirs).into_iter().zip(model.below(copy));
            waiting.extend(below.rev());
        }
        model.dom_mut().remove_all(others)?;
        let model = model.into_asset();
        let grafted = self.new.graft(parent, &*model, true, self.options.max_bytes)?;
        self.notes.extend(grafted.losses);
        let Some(&top) = grafted.roots.first() else { return Ok(()) };
        for (theirs, copy) in kept.into_iter().zip(order_below(&*self.new, top)) {
            if let Some(&base) = self.to_theirs.from.get(&theirs) {
                self.placed.insert(base, copy);
            }
            self.copies.insert(theirs, copy);
        }
        if let (Some(journal), Some(model)) = (&mut self.journal, form::of(&*model)) {
            journal.added(&*self.new, top, model)?;
        }
        Ok(())
    }

    /// Sets the references of copies to instances outside of them.
    fn refer_from_copies(&mut self) -> Result<()> {
        let mut copies: Vec<_> = self.copies.iter().map(|(&theirs, &copy)| (theirs, copy)).collect();
        copies.sort_unstable();
        for (theirs, copy) in copies {
            if !self.new.contains(copy) {
                continue;
            }
            for (name, value) in self.theirs.values(theirs) {
                let Some(to) = value.as_instance() else { continue };
                let Some(to) = self.in_new(to) else { continue };
                let now = self.new.value(copy, &name).and_then(|now| now.as_instance());
                let is_taken = match now.filter(|&now| now != to && self.ours.contains(copy)) {
                    // Both inserted it.
                    Some(now) => {
                        let [path, now, to] = [copy, now, to].map(|id| self.new.path_of(id));
                        let values = [None, Some(now), Some(to)];
                        self.conflict(format!("{path}.{name}"), "both changed it", values)
                    }
                    None => now != Some(to),
                };
                if is_taken {
                    self.set(copy, &name, refers(&value, to))?;
                }
            }
        }
        Ok(())
    }

    /// Moves what theirs moved.
    fn move_all(&mut self) -> Result<()> {
        // From the top down, an instance never moves below itself, also if it and its parent change places.
        for theirs in self.theirs.all() {
            let id = self.to_theirs.from.get(&theirs).copied();
            let Some((id, &ours)) = id.and_then(|id| Some((id, self.to_ours.to.get(&id)?))) else { continue };
            let before = self.base.parent(id);
            let after = self.theirs.parent(theirs);
            if after.and_then(|after| self.to_theirs.from.get(&after).copied()) == before
                && after.is_some() == before.is_some()
            {
                continue;
            }
            let to = match after.map(|after| self.in_new(after)) {
                None => None,
                Some(Some(to)) => Some(to),
                Some(None) => {
                    let what = "theirs moved it below an instance that ours removed";
                    let path = self.base_path(id);
                    self.conflict(path, what, [None, None, None]);
                    continue;
                }
            };
            if self.new.parent(ours) == to {
                continue;
            }
            let own = self.ours.parent(ours);
            let is_moved = own.map(|own| self.to_ours.from.get(&own).copied()) != before.map(Some);
            let shown = |document: &dyn Form, id: Option<InstanceId>| {
                Some(id.map_or_else(String::new, |id| document.path_of(id)))
            };
            let parents = [shown(self.base, before), shown(self.ours, own), shown(self.theirs, after)];
            let path = self.base_path(id);
            let is_taken =
                !is_moved || self.conflict(format!("{path}.Parent"), "both moved it", parents.clone());
            let shown = [shown(&*self.new, Some(ours)), shown(&*self.new, to)].map(Option::unwrap_or_default);
            if !is_taken {
                continue;
            }
            if self.new.move_to(ours, to).is_ok() {
                if let Some(journal) = &mut self.journal {
                    journal.moved(&*self.new, ours, shown);
                }
                continue;
            }
            let what = "the moves of both would put it into itself";
            if self.conflict(format!("{path}.Parent"), what, parents.clone()) && !self.move_apart(ours, to)? {
                let [base, ours, theirs] = parents;
                let path = format!("{path}.Parent");
                self.push(Conflict { path, what: what.to_owned(), base, ours, theirs });
            }
        }
        Ok(())
    }

    /// Moves an instance below one that ours moved below it: what ours moved goes to where theirs has it first. Returns
    /// whether that was possible.
    fn move_apart(&mut self, id: InstanceId, to: Option<InstanceId>) -> Result<bool> {
        let mut at = to;
        while let Some(above) = at.filter(|&above| above != id) {
            at = self.new.parent(above);
            let of_base = self.to_ours.from.get(&above).copied();
            if let Some(of_base) = of_base.filter(|&of_base| self.is_moved(of_base, self.ours, &self.to_ours))
                && let Some(&theirs) = self.to_theirs.to.get(&of_base)
            {
                let parent = match self.theirs.parent(theirs) {
                    None => None,
                    Some(parent) => match self.in_new(parent) {
                        Some(parent) => Some(parent),
                        None => continue,
                    },
                };
                if self.new.move_to(above, parent).is_ok() && self.new.move_to(id, to).is_ok() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Merges the values of an instance of the base.
    fn values(&mut self, id: InstanceId, ours: InstanceId, theirs: InstanceId) -> Result<()> {
        let is_same = |to: InstanceId, of: InstanceId| self.to_theirs.from.get(&of) == Some(&to);
        if is_as_stored((self.base.dom(), id), (self.theirs.dom(), theirs), &is_same) {
            return Ok(());
        }
        let class = self.base.class_of(id).into_owned();
        let is_exact = self.journal.is_some();
        let (held, names): (Held, _) = match is_exact {
            true => (stored, all_names(self.base, id, self.theirs, theirs)),
            false => (held, names(self.base, id, self.theirs, theirs)),
        };
        for name in names {
            let before = held(self.base, id, &name);
            let mapped = |value: Value| translated(value, &self.to_theirs.from);
            let new = held(self.theirs, theirs, &name);
            let new_of_base = new.clone().map(mapped);
            let is_stored_in_one = is_exact && before.is_some() != new_of_base.is_some();
            if same(&class, &name, &before, &new_of_base) && !is_stored_in_one {
                continue;
            }
            let now = held(self.ours, ours, &name);
            // The value of theirs, with the instances of the result.
            let new = match new.as_ref().and_then(Value::as_instance).map(|to| (to, self.in_new(to))) {
                Some((_, Some(to))) => new.map(|value| refers(&value, to)),
                Some((to, None)) => {
                    let to = Some(self.theirs.path_of(to));
                    let path = format!("{}.{name}", self.base_path(id));
                    self.conflict(path, "theirs refers to an instance that ours removed", [None, None, to]);
                    continue;
                }
                None => new,
            };
            let is_unchanged =
                same(&class, &name, &before, &now.clone().map(|now| translated(now, &self.to_ours.from)));
            if same(&class, &name, &now, &new) && !is_stored_in_one
                || self.is_noise(&class, &name) && !is_unchanged
            {
                continue;
            }
            let Some(new) = new else {
                // Theirs has the default, which is stored nowhere.
                if let Some(journal) = &mut self.journal {
                    let now = self.new.value(ours, &name);
                    journal.set(&*self.new, ours, &name, now, None)?;
                    reset(&mut *self.new, ours, &name)?;
                } else if let Some(default) = default(&class, &name).filter(|_| is_unchanged) {
                    self.set(ours, &name, default)?;
                } else if is_unchanged && !alike(&class, &name, &before, &None) {
                    self.notes.extend(reset(&mut *self.new, ours, &name)?);
                }
                continue;
            };
            if is_unchanged
                || now.as_ref().zip(before.as_ref()).is_some_and(|(now, before)| is_close(now, before))
            {
                if name != "UniqueId" {
                    self.set(ours, &name, new)?;
                }
            } else if before.as_ref().is_some_and(|before| is_close(before, &new)) {
                // Theirs changed it by calculation alone.
            } else {
                let path = self.base_path(id);
                self.differ(&path, (&class, &name), [before, now, Some(new)], ours)?;
            }
        }
        Ok(())
    }

    /// Joins the values of a property that both changed; if they cannot be joined, lists it, and sets it if theirs is taken.
    fn differ(
        &mut self,
        path: &str,
        (class, name): (&str, &str),
        [before, now, after]: [Stored; 3],
        ours: InstanceId,
    ) -> Result<()> {
        let Some(new) = after.clone() else { return Ok(()) };
        if let Some(joined) = self.joined(path, name, [&before, &now], &new)? {
            return self.set(ours, name, joined);
        }
        let max_bytes = self.options.max_bytes;
        let text = |document: &dyn Form, value: Stored| {
            let path = |id| document.path_of(id);
            Some(show::value((class, name), &value?, max_bytes, path).to_string())
        };
        let values = [text(self.base, before), text(self.ours, now), text(&*self.new, after)];
        if self.conflict(format!("{path}.{name}"), "both changed it", values) {
            self.set(ours, name, new)?;
        }
        Ok(())
    }

    /// The values of both, of lists by key and of scripts by line; `None` if they cannot be joined.
    fn joined(
        &mut self,
        path: &str,
        name: &str,
        [before, now]: [&Stored; 2],
        new: &Value,
    ) -> Result<Option<Value>> {
        let bytes = |value: &Stored| value.as_ref().and_then(Value::as_bytes).unwrap_or_default().to_vec();
        let (before, now, after) = (bytes(before), bytes(now), new.as_bytes().unwrap_or_default().to_vec());
        match name {
            ATTRIBUTES => {
                let read = |bytes: &[u8]| crate::blobs::from_slice::<Attributes>(bytes);
                let (Ok(before), Ok(mut now), Ok(after)) = (read(&before), read(&now), read(&after)) else {
                    return Ok(None);
                };
                let index = |of: &Attributes| -> HashMap<_, _> { of.0.iter().cloned().collect() };
                let (mut was, mut is, mut will) = (index(&before), index(&now), index(&after));
                let keys: BTreeSet<_> = was.keys().chain(will.keys()).cloned().collect();
                let mut changed: HashMap<_, Option<Attribute>> = HashMap::new();
                for key in keys {
                    let (was, is, will) = (was.remove(&key), is.remove(&key), will.remove(&key));
                    if was == will || is == will {
                        continue;
                    }
                    let path = format!("{path}.Attributes.{key}");
                    let said = |value: &Option<Attribute>| Some(attribute(value.as_ref()?).to_string());
                    let values = [said(&was), said(&is), said(&will)];
                    if was == is || self.conflict(path, "both changed it", values) {
                        changed.insert(key, will);
                    }
                }
                now.0.retain_mut(|(key, value)| match changed.remove(key) {
                    None => true,
                    Some(None) => false,
                    Some(Some(new)) => {
                        *value = new;
                        true
                    }
                });
                let new = after.0.into_iter().filter(|(key, _)| changed.remove(key).flatten().is_some());
                now.0.extend(new);
                Ok(Some(Value::from(now.to_vec()?)))
            }
            "Tags" => {
                let read = |bytes: &[u8]| crate::blobs::from_slice::<Tags>(bytes);
                let (Ok(before), Ok(mut now), Ok(after)) = (read(&before), read(&now), read(&after)) else {
                    return Ok(None);
                };
                let of_before: HashSet<_> = before.0.into_iter().collect();
                let of_after: HashSet<_> = after.0.iter().cloned().collect();
                now.0.retain(|tag| of_after.contains(tag) || !of_before.contains(tag));
                let mut known: HashSet<_> = now.0.iter().cloned().collect();
                let new = after.0.into_iter().filter(|tag| !of_before.contains(tag));
                now.0.extend(new.filter(|tag| known.insert(tag.clone())));
                Ok(Some(Value::from(now.to_vec()?)))
            }
            "Source" => {
                let texts = [&before, &now, &after].map(|text| std::str::from_utf8(text));
                let [Ok(before), Ok(now), Ok(after)] = texts else { return Ok(None) };
                let merged = |preferred| texts::merged(before, [now, after], preferred);
                let marked = match merged(None) {
                    Ok(text) => return Ok(Some(Value::from(text))),
                    Err(marked) => marked,
                };
                let path = format!("{path}.{name}");
                match self.options.decision(&path) {
                    // A decision is about the lines that both changed.
                    decided @ Some(_) => Ok(merged(decided).ok().map(Value::from)),
                    None if self.options.markers => {
                        let what = "both changed the same lines; they are marked";
                        self.conflict(path, what, [None, None, None]);
                        Ok(Some(Value::from(marked)))
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    fn set(&mut self, id: InstanceId, name: &str, value: Value) -> Result<()> {
        let is_exact = self.journal.is_some();
        if let Some(journal) = &mut self.journal {
            journal.set(&*self.new, id, name, self.new.value(id, name), Some(value.clone()))?;
        }
        let path = |new: &dyn Form| format!("{}.{name}", new.path_of(id));
        // Ours can store it under another name, or in the form that has replaced it.
        let newer =
            replacing(&*self.new, id, name).filter(|_| !is_exact && self.new.value(id, name).is_none());
        if let Some(newer) = newer {
            let put = put_newer(&mut *self.new, (id, name), &newer, &value);
            put.map_err(|error| error.at(path(&*self.new)))?;
            return Ok(());
        }
        let name = if is_exact { name } else { name_in(&*self.new, id, name) };
        let put = put_stored(&mut *self.new, id, name, value, Fill::Defaults);
        let losses = put.map_err(|error| error.at(path(&*self.new)))?;
        self.notes.extend(losses);
        Ok(())
    }

    /// Puts inserted children behind their left neighbour, and children in the order of theirs if only it changed them.
    fn order(&mut self) -> Result<()> {
        let mut parents: Vec<Option<InstanceId>> = vec![None];
        parents.extend(self.theirs.all().into_iter().map(Some));
        for theirs in parents {
            let of_base = theirs.and_then(|theirs| self.to_theirs.from.get(&theirs).copied());
            let new = theirs.map(|theirs| self.in_new(theirs).filter(|&new| self.new.contains(new)));
            let new = match new {
                None => None,
                Some(Some(new)) => Some(new),
                Some(None) => continue,
            };
            let below = |document: &dyn Form, id: Option<InstanceId>| {
                id.map_or_else(|| document.top(), |id| document.below(id))
            };
            let before = match (theirs, of_base) {
                (Some(_), None) => Vec::new(),
                _ => below(self.base, of_base),
            };
            let now = below(&*self.new, new);
            let there: HashSet<InstanceId> = now.iter().copied().collect();
            let after: Vec<InstanceId> = below(self.theirs, theirs);
            // The order of theirs, in instances of the result.
            let wanted: Vec<InstanceId> =
                after.iter().filter_map(|&id| self.in_new(id)).filter(|id| there.contains(id)).collect();
            let was: Vec<InstanceId> = before
                .iter()
                .filter_map(|id| self.placed.get(id).copied())
                .filter(|id| there.contains(id))
                .collect();
            let of = |list: &[InstanceId], only: &HashSet<InstanceId>| {
                list.iter().copied().filter(|id| only.contains(id)).collect::<Vec<_>>()
            };
            let kept: HashSet<InstanceId> = wanted.iter().copied().collect();
            let common: HashSet<InstanceId> = was.iter().copied().filter(|id| kept.contains(id)).collect();
            let is_reordered = of(&wanted, &common) != of(&was, &common);
            let is_ours_reordered = of(&now, &common) != of(&was, &common);
            // The order at the root has no meaning.
            let is_conflict = is_reordered
                && is_ours_reordered
                && of(&now, &common) != of(&wanted, &common)
                && new.is_some();
            let is_taken = is_conflict && {
                let path = of_base.map_or_else(String::new, |id| self.base_path(id));
                self.conflict(
                    format!("{path}.Children"),
                    "both changed the order of its children",
                    [None, None, None],
                )
            };
            let inserted: HashSet<InstanceId> =
                wanted.iter().copied().filter(|id| !common.contains(id)).collect();
            if inserted.is_empty() && (!is_reordered || is_ours_reordered && !is_taken) {
                continue;
            }
            let (mut order, others): (Vec<_>, &[InstanceId]) =
                match is_reordered && (!is_ours_reordered || is_taken) {
                    true => (wanted.clone(), &now),
                    false => (now.iter().copied().filter(|id| !inserted.contains(id)).collect(), &wanted),
                };
            let mut listed: HashSet<InstanceId> = order.iter().copied().collect();
            for (index, id) in others.iter().enumerate() {
                if listed.insert(*id) {
                    let left =
                        others[..index].iter().rev().find_map(|left| order.iter().position(|of| of == left));
                    let mut at = left.map_or(0, |left| left + 1);
                    // What ours inserted at the same place stays before it.
                    at += order[at..]
                        .iter()
                        .take_while(|id| !common.contains(id) && !inserted.contains(id))
                        .count();
                    order.insert(at, *id);
                }
            }
            if let Some(journal) = self.journal.as_mut().filter(|_| order != now) {
                journal.reordered(&*self.new, new, &now, &order)?;
            }
            in_order(&mut *self.new, new, &now, &order)?;
        }
        Ok(())
    }

    /// Removes what theirs removed and ours did not edit.
    fn remove(&mut self) -> Result<()> {
        let referred = newly_referred(self.base, self.ours, &self.to_ours);
        // What is below an instance that stays is decided with it.
        let mut decided: HashSet<InstanceId> = HashSet::new();
        let (mut removed, mut gone) = (Vec::new(), HashSet::new());
        for id in self.base.all() {
            let Some(&ours) = self.to_ours.to.get(&id).filter(|ours| !gone.contains(*ours)) else {
                continue;
            };
            if self.to_theirs.to.contains_key(&id) || decided.contains(&id) {
                continue;
            }
            let below = with_descendants(self.base, &[id]);
            let is_referred = below.iter().any(|of| referred.contains(of));
            let is_kept = is_referred || self.is_edited(id, self.ours, &self.to_ours);
            let why = if is_referred {
                "theirs removed it, ours refers to it"
            } else {
                "theirs removed it, ours edited it"
            };
            let path = if is_kept { self.base_path(id) } else { String::new() };
            if !is_kept || self.conflict(path, why, [None, None, None]) {
                gone.extend(with_descendants(&*self.new, &[ours]));
                removed.push(ours);
            } else {
                decided.extend(below);
            }
        }
        // From the end, so that the paths of the others stay.
        let places: HashMap<InstanceId, usize> = self.new.all().into_iter().zip(0..).collect();
        removed.sort_unstable_by_key(|id| std::cmp::Reverse(places.get(id).copied()));
        if let Some(journal) = &mut self.journal {
            journal.removed(&*self.new, &removed)?;
        }
        removed.into_iter().try_for_each(|id| self.new.take_out(id).map(|_| ()))
    }

    /// Sets the unique ids of theirs, in a patch.
    fn identities(&mut self) -> Result<()> {
        if self.journal.is_none() {
            return Ok(());
        }
        for theirs in self.theirs.all() {
            let (Some(to), Some(id)) = (self.in_new(theirs), self.theirs.value(theirs, "UniqueId")) else {
                continue;
            };
            if self.new.value(to, "UniqueId").as_ref() != Some(&id) {
                self.set(to, "UniqueId", id)?;
            }
        }
        Ok(())
    }
}

/// The instances of the base to which another document refers from a property that did not refer to them before.
fn newly_referred(base: &dyn Form, other: &dyn Form, matches: &Matches) -> HashSet<InstanceId> {
    let mut found = HashSet::new();
    for id in other.all() {
        let before = matches.from.get(&id);
        for (name, value) in references_of(other, id) {
            let Some(&of) = value.as_instance().and_then(|to| matches.from.get(&to)) else { continue };
            let old = before.and_then(|&before| base.value(before, &name)?.as_instance());
            if old != Some(of) {
                found.insert(of);
            }
        }
    }
    found
}

/// An instance and everything below it, each before its children.
fn order_below(document: &dyn Form, top: InstanceId) -> Vec<InstanceId> {
    std::iter::once(top).chain(document.dom().descendants(top)).collect()
}

/// Whether two instances have the same values and the same below them, without identities.
fn equal_below(one: &dyn Form, a: InstanceId, other: &dyn Form, b: InstanceId) -> bool {
    let (all, others) = (order_below(one, a), order_below(other, b));
    let equal = |(&a, &b): (&InstanceId, &InstanceId)| {
        let class = one.class_of(a);
        let is_equal = |name: &String| {
            let (a, b) = (held(one, a, name), held(other, b, name));
            is_noise(&class, name)
                || a.as_ref().is_some_and(|a| a.as_instance().is_some())
                || same(&class, name, &a, &b)
        };
        class == other.class_of(b)
            && one.below(a).len() == other.below(b).len()
            && names(one, a, other, b).iter().all(is_equal)
    };
    all.len() == others.len() && all.iter().zip(&others).all(equal)
}

/// The names of the properties of either instance.
fn all_names(one: &dyn Form, a: InstanceId, other: &dyn Form, b: InstanceId) -> Vec<String> {
    let mut names: Vec<String> = one.values(a).into_iter().map(|(name, _)| name).collect();
    let known: HashSet<String> = names.iter().cloned().collect();
    names.extend(other.values(b).into_iter().map(|(name, _)| name).filter(|name| !known.contains(name)));
    names
}

/// As [`all_names`], without those of older properties that only one of them stores, if the other one stores what has
/// replaced them: they count as that.
fn names(one: &dyn Form, a: InstanceId, other: &dyn Form, b: InstanceId) -> Vec<String> {
    let is_replaced = |name: &str| match (one.value(a, name), other.value(b, name)) {
        (Some(_), None) => !other.dom().newer(b, name).is_empty(),
        (None, Some(_)) => !one.dom().newer(a, name).is_empty(),
        _ => false,
    };
    let mut names = all_names(one, a, other, b);
    names.retain(|name| !is_replaced(name));
    names
}

/// The value that an instance stores under exactly this name.
fn stored(document: &dyn Form, id: InstanceId, name: &str) -> Stored {
    document.value(id, name)
}

/// The value that an instance stores for a property: under this name, another one, or in an older form.
fn held(document: &dyn Form, id: InstanceId, name: &str) -> Stored {
    document.value(id, name).or_else(|| match effective(document, id, name)? {
        Effective::Stored(value) | Effective::Other(_, value) => Some(value),
        Effective::Default(_) => None,
    })
}

/// The name under which an instance stores a property.
fn name_in<'a>(document: &dyn Form, id: InstanceId, name: &'a str) -> &'a str {
    if document.value_ref(id, name.as_bytes()).is_some() {
        return name;
    }
    let known = classes::class(&*document.class_of(id)).and_then(|class| class.property(name));
    let mut names = known.into_iter().flat_map(classes::Property::names);
    names.find(|name| document.value_ref(id, name.as_bytes()).is_some()).unwrap_or(name)
}

/// Whether two values are equal; a value that is not stored is the default of the class.
fn same(class: &str, name: &str, one: &Stored, other: &Stored) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one == other || one.as_bytes().is_some_and(|bytes| Some(bytes) == other.as_bytes())
        }
        (None, None) => true,
        (Some(value), None) | (None, Some(value)) => {
            let is_empty =
                value.as_bytes().is_some_and(<[u8]>::is_empty) || matches!(value, Value::Ref(None));
            is_empty || default(class, name).is_some_and(|default| default == *value)
        }
    }
}

/// As [`same`], but a neutral value such as 0 that only one of them stores is no edit: a newer version of Studio stores more
/// properties.
fn alike(class: &str, name: &str, one: &Stored, other: &Stored) -> bool {
    let is_neutral = |value: &Value| type_of(value).and_then(TypeId::neutral).as_ref() == Some(value);
    same(class, name, one, other)
        || one
            .as_ref()
            .xor(other.as_ref())
            .is_some_and(|value| default(class, name).is_none() && is_neutral(value))
}

/// A value with the instances of another document. A reference to an instance that it lacks equals no other value: the
/// numbers of two documents have nothing to do with each other.
fn translated(value: Value, to: &HashMap<InstanceId, InstanceId>) -> Value {
    match value.as_instance().map(|id| to.get(&id)) {
        Some(Some(&id)) => refers(&value, id),
        Some(None) => Value::Unknown(Box::default()),
        None => value,
    }
}
