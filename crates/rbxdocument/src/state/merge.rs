//! Joins the changes of two documents since the one that both come from.

use std::collections::{BTreeSet, HashMap, HashSet};

use rbxbinary::parts::TypeId;
use rbxcore::{Dom, InstanceId, Value};

use rbxblobs::{Attribute, Attributes, Tags};

use super::apply::{Action, Applying, At};
use super::content::is_identity;
use super::decisions::{MergeOptions, Side};
use super::inserted::{self, Inserted, Key, inserted_below};
use super::matching::{Matches, matches, unique_id, with_descendants};
use super::steps::{Journal, Step};
use super::texts;
use crate::convert::{ConvertOptions, Made, like};
use crate::effective::{Effective, default, effective};
use crate::paths::Paths;
use crate::references::{references_of, refers};
use crate::view::{View as _, children_of, is_as_stored};
use crate::which::{ATTRIBUTES, assign, type_of};
use crate::write::By;
use geom::wire::{Budget, Error, Loss, Result};

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
/// `InvalidArgument` if they share nothing, and if the form of `ours` cannot represent what `theirs` has.
pub fn merge(
    base: Option<&dyn Dom>,
    [ours, theirs]: [&dyn Dom; 2],
    options: &MergeOptions,
) -> Result<Merged> {
    let nothing = ours.empty();
    let base = base.unwrap_or(&*nothing);
    let converting = ConvertOptions::new().allow_loss(true).max_bytes(options.max_bytes);
    let (base_as, theirs_as) = (like(base, ours, &converting)?, like(theirs, ours, &converting)?);
    let base = base_as.as_ref().map_or(base, |(made, _)| &**made);
    let theirs = theirs_as.as_ref().map_or(theirs, |(made, _)| &**made);
    let (to_ours, to_theirs) = (matches(base, ours), matches(base, theirs));
    let matched = to_ours.to.len().min(to_theirs.to.len());
    if matched * 10 < base.len() && !options.unrelated {
        // What one side did not change is what the other one made of it, however different that is.
        let is_base = |document: &dyn Dom| -> Result<bool> {
            Ok(document.len() == base.len() && patch([base, document], options.max_bytes)?.0.is_empty())
        };
        for (one, other) in [(ours, theirs), (theirs, ours)] {
            if is_base(one)? {
                let notes = theirs_as.as_ref().map_or_else(Vec::new, |(_, losses)| losses.clone());
                return Ok(Merged { document: other.copy(), conflicts: Vec::new(), notes });
            }
        }
        return Err(Error::argument(format!(
            "the documents have too little in common to be merged: of {} instances of the base, {} are in ours and {} \
             in theirs",
            base.len(),
            to_ours.to.len(),
            to_theirs.to.len(),
        )));
    }
    let mut notes = theirs_as.as_ref().map_or_else(Vec::new, |(_, losses)| losses.clone());
    for (of, whose) in [(&to_ours, "ours"), (&to_theirs, "theirs")] {
        if of.reissued {
            notes.push(
                Loss::approximated(
                    whose,
                    "the unique ids were issued again; instances are found by their paths",
                )
                .id("merge.unique-ids"),
            );
        }
    }
    let mut new = ours.copy();
    let mut merging = Merging {
        new: Applying::merging(&mut *new, None),
        placed: to_ours.to.iter().map(|(&id, &to)| (id, to)).collect(),
        of: Versions { base, ours, theirs, to_ours, to_theirs, options },
        copies: HashMap::new(),
        inserted: Inserted::default(),
        paths: Paths::new(ours),
        base_paths: Paths::new(base),
        conflicts: Vec::new(),
        notes,
        budget: Budget::new(options.max_bytes),
        exceeded: None,
        is_exact: false,
    };
    merging.run()?;
    let (conflicts, notes, _) = merging.finish()?;
    Ok(Merged { document: new, conflicts, notes })
}

/// The steps that make a document of another one, whose instances are found as for a merge, and what they cannot represent.
///
/// # Errors
/// As [`merge`], and if the steps take more memory than is allowed.
pub fn patch([old, new]: [&dyn Dom; 2], max_bytes: u64) -> Result<(Vec<Step>, Vec<Loss>)> {
    let ((_, losses), _, steps) = made([old, new], Some(Journal::new(max_bytes)), max_bytes)?;
    Ok((steps, losses))
}

/// Changes a document to the values, the instances and the order of another one: only what differs. Returns what the form of
/// the document cannot represent; every byte of what is equal stays.
///
/// # Errors
/// As [`merge`]; the document is unchanged then.
pub fn update(document: &mut dyn Dom, new: &dyn Dom, max_bytes: u64) -> Result<Vec<Loss>> {
    let ((made, mut losses), notes, _) = made([document, new], None, max_bytes)?;
    assign(document, made);
    losses.extend(notes);
    Ok(losses)
}

/// As [`update`], where the new document was made of another one, which has what `document` has except for what its maker
/// cannot hold: only what differs between these two changes. The instances of `document` are given for those of the other one.
#[cfg(feature = "weak")]
pub(crate) fn update_from(
    document: &mut dyn Dom,
    (known, own): (&dyn Dom, HashMap<InstanceId, InstanceId>),
    new: &dyn Dom,
    max_bytes: u64,
) -> Result<Vec<Loss>> {
    let from = own.iter().map(|(&known, &own)| (own, known)).collect();
    let own = Matches { to: own, from, reissued: false };
    let options = MergeOptions::new().max_bytes(max_bytes).prefer(Side::Theirs);
    let ((made, mut losses), notes, _) = made_from(&*document, (known, own), new, (None, &options))?;
    assign(document, made);
    losses.extend(notes);
    Ok(losses)
}

/// Makes one document of another, with what could not be set, and the steps if they are wanted.
fn made(
    [old, new]: [&dyn Dom; 2],
    journal: Option<Journal>,
    max_bytes: u64,
) -> Result<(Made, Vec<Loss>, Vec<Step>)> {
    let made = like(new, old, &ConvertOptions::new().allow_loss(true).max_bytes(max_bytes))?;
    let new = made.as_ref().map_or(new, |(made, _)| &**made);
    let all = || old.all().into_iter().map(|id| (id, id));
    let same = Matches { to: all().collect(), from: all().collect(), reissued: false };
    let ((document, mut losses), notes, steps) =
        made_from(old, (old, same), new, (journal, &MergeOptions::new().max_bytes(max_bytes)))?;
    losses.extend(made.into_iter().flat_map(|(_, losses)| losses));
    Ok(((document, losses), notes, steps))
}

/// Makes of a document one in which everything that differs between two others is as in the second one. The first one has the
/// same instances as the document, which are given.
fn made_from(
    ours: &dyn Dom,
    (known, to_ours): (&dyn Dom, Matches),
    new: &dyn Dom,
    (mut journal, options): (Option<Journal>, &MergeOptions),
) -> Result<(Made, Vec<Loss>, Vec<Step>)> {
    if let Some(journal) = &mut journal {
        journal.metadata(ours, new);
    }
    let mut document = ours.copy();
    let mut merging = Merging {
        new: Applying::merging(&mut *document, journal),
        placed: to_ours.to.clone(),
        of: Versions { base: known, ours, theirs: new, to_ours, to_theirs: matches(known, new), options },
        copies: HashMap::new(),
        inserted: Inserted::default(),
        paths: Paths::new(ours),
        base_paths: Paths::new(known),
        conflicts: Vec::new(),
        notes: Vec::new(),
        budget: Budget::new(options.max_bytes),
        exceeded: None,
        is_exact: true,
    };
    merging.run()?;
    let (conflicts, notes, journal) = merging.finish()?;
    let steps = journal.map(|journal| journal.finish([ours, &*document])).transpose()?.unwrap_or_default();
    // Nothing conflicts with the document itself, except for moves that are not possible.
    let losses = conflicts.into_iter().map(|of| Loss::new(of.path, of.what).id("merge.not-moved")).collect();
    Ok(((document, losses), notes, steps))
}

/// The merged document, and what a person has to look at.
#[derive(Debug)]
#[non_exhaustive]
pub struct Merged {
    /// The result, in the form of ours.
    pub document: Box<dyn Dom>,
    /// What both changed differently.
    pub conflicts: Vec<Conflict>,
    /// What theirs has and ours cannot store, and what was assumed.
    pub notes: Vec<Loss>,
}

/// What both documents changed differently.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The path of the instance in the base, with the property if it is about one.
    pub path: String,
    /// What each of the two did.
    pub what: &'static str,
    /// The values in the base, in ours (which the result has), and in theirs; `None` if the conflict is about no value, and
    /// for a value that is not stored.
    pub values: [Option<Found>; 3],
}

/// A value of a conflict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Found {
    /// The path of an instance: a parent, or one that is referred to.
    Path(String),
    /// A value of a property of a class; with the path of the instance, if it refers to one.
    Value {
        /// The class.
        class: String,
        /// The stored name of the property.
        property: String,
        /// The value.
        value: Value,
        /// The path of the instance to which it refers.
        to: Option<String>,
    },
    /// The value of an attribute.
    Attribute(Attribute),
}

impl Found {
    /// The approximate memory, in bytes.
    fn len(&self) -> usize {
        match self {
            Self::Path(path) => path.len(),
            Self::Value { value, to, .. } => {
                value.as_bytes().map_or(0, <[u8]>::len) + to.as_ref().map_or(0, String::len) + 64
            }
            Self::Attribute(_) => 64,
        }
    }
}

/// What is merged, which does not change.
struct Versions<'a> {
    base: &'a dyn Dom,
    ours: &'a dyn Dom,
    theirs: &'a dyn Dom,
    to_ours: Matches,
    to_theirs: Matches,
    options: &'a MergeOptions,
}

struct Merging<'a> {
    of: Versions<'a>,
    /// The result, which begins as a copy of ours, with the same ids.
    new: Applying<'a>,
    /// The instances of the base in the result.
    placed: HashMap<InstanceId, InstanceId>,
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
    /// Whether every difference counts, also those that nobody makes.
    is_exact: bool,
}

/// A value that a document may lack.
type Stored = Option<Value>;

/// Finds the value of a property of an instance.
type Held = fn(&dyn Dom, InstanceId, &str) -> Stored;

impl<'a> Merging<'a> {
    fn run(&mut self) -> Result<()> {
        self.insert()?;
        self.move_all()?;
        self.refer_from_copies()?;
        for id in self.of.base.all() {
            if let (Some(&ours), Some(&theirs)) = (self.of.to_ours.to.get(&id), self.of.to_theirs.to.get(&id))
            {
                self.values(id, ours, theirs)?;
            }
        }
        self.order()?;
        self.remove()?;
        self.identities()?;
        self.metadata()?;
        self.exceeded.take().map_or(Ok(()), Err)
    }

    /// The conflicts, what could not be stored, and the steps if they are wanted.
    fn finish(self) -> Result<(Vec<Conflict>, Vec<Loss>, Option<Journal>)> {
        let Self { new, conflicts, mut notes, mut budget, .. } = self;
        let (losses, journal) = new.close(&mut budget)?;
        notes.extend(losses);
        Ok((conflicts, notes, journal))
    }

    /// Changes the result.
    fn act(&mut self, action: Action<'_>) -> Result<Vec<InstanceId>> {
        let done = self.new.act(action, &mut self.budget)?;
        self.notes.extend(done.losses);
        Ok(done.roots)
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
        !self.is_exact && is_noise(class, property)
    }

    /// Records a conflict; returns whether the value of theirs is taken.
    fn conflict(&mut self, path: String, what: &'static str, values: [Option<Found>; 3]) -> bool {
        let decided = self.of.options.decision(&path);
        if decided.is_none() {
            self.push(Conflict { path, what, values });
        }
        decided == Some(Side::Theirs)
    }

    /// Lists a conflict, unless the list takes too much memory, which [`run`](Self::run) then says.
    fn push(&mut self, conflict: Conflict) {
        let length = conflict.path.len() + conflict.values.iter().flatten().map(Found::len).sum::<usize>();
        match self.budget.charge((3 * length + size_of::<Conflict>()) as u64, "the list of conflicts") {
            Ok(()) => self.conflicts.push(conflict),
            Err(error) => _ = self.exceeded.get_or_insert(error),
        }
    }

    /// The instance of the result that an instance of theirs is.
    fn in_new(&self, theirs: InstanceId) -> Option<InstanceId> {
        let of_base = || self.placed.get(self.of.to_theirs.from.get(&theirs)?).copied();
        self.copies.get(&theirs).copied().or_else(of_base)
    }

    /// Whether an instance of the base is elsewhere in another document, whose matches are given.
    fn is_moved(&self, id: InstanceId, other: &dyn Dom, to: &Matches) -> bool {
        let Some(&now) = to.to.get(&id) else { return false };
        match (self.of.base.parent(id), other.parent(now)) {
            (Some(before), Some(now)) => to.from.get(&now) != Some(&before),
            (before, now) => before.is_some() != now.is_some(),
        }
    }

    /// Whether an instance of the base, or something below it in both, differs in another document, whose matches are given.
    fn is_edited(&self, id: InstanceId, other: &dyn Dom, [to, remaining]: [&Matches; 2]) -> bool {
        let Some(&top) = to.to.get(&id) else { return false };
        let all = with_descendants(self.of.base, &[id]);
        let differs = |of: InstanceId, now: InstanceId| {
            if self.is_moved(of, other, to) {
                return true;
            }
            let class = self.of.base.class_of(of);
            names(self.of.base, of, other, now).iter().filter(|name| !is_noise(&class, name)).any(|name| {
                let before = held(self.of.base, of, name);
                let after = held(other, now, name).map(|value| translated(value, &to.from));
                // A reference to what went is null: that is no edit of the instance that has it.
                let target = before.as_ref().and_then(Value::as_instance);
                let is_emptied = target.is_some_and(|target| !to.to.contains_key(&target))
                    && after.as_ref().is_none_or(|after| after.as_instance().is_none());
                !is_emptied && !alike(&class, name, &before, &after)
            })
        };
        let mut waiting = vec![top];
        while let Some(now) = waiting.pop() {
            let Some(of) = to.from.get(&now).filter(|of| all.contains(of)) else { return true };
            // What the other document still has somewhere is not removed, nor what is below it.
            if now != top && remaining.to.contains_key(of) {
                continue;
            }
            if differs(*of, now) {
                return true;
            }
            waiting.extend(other.below(now));
        }
        false
    }

    /// The instances of theirs that ours removed although theirs edited them, moved them or refers to them anew, and those
    /// that a decision keeps removed.
    fn removed_by_ours(&mut self) -> [Vec<InstanceId>; 2] {
        // What ours removed with its parent comes back with it, if it is still there in theirs.
        let gone = |id: &InstanceId| !self.of.to_ours.to.contains_key(id);
        let is_top = |id: &InstanceId| {
            let above = |above: InstanceId| gone(&above);
            let theirs = self.of.to_theirs.to.get(id).and_then(|&theirs| self.of.theirs.parent(theirs));
            let above_theirs = theirs.and_then(|theirs| self.of.to_theirs.from.get(&theirs)).copied();
            !self.of.base.parent(*id).is_some_and(above) || !above_theirs.is_some_and(above)
        };
        let all = self.of.base.all().into_iter();
        let tops: Vec<InstanceId> = all.filter(|id| gone(id) && is_top(id)).collect();
        let referred = newly_referred(self.of.base, self.of.theirs, &self.of.to_theirs);
        let [mut wanted, mut kept_out] = [Vec::new(), Vec::new()];
        for id in tops {
            let Some(&theirs) = self.of.to_theirs.to.get(&id) else { continue };
            let below = with_descendants(self.of.base, &[id]);
            let is_referred =
                below.iter().any(|of| referred.contains(of) && !self.of.to_ours.to.contains_key(of));
            let what = match is_referred {
                true => "ours removed it, theirs refers to it",
                false if self.is_moved(id, self.of.theirs, &self.of.to_theirs) => {
                    "ours removed it, theirs moved it"
                }
                false if self.is_edited(id, self.of.theirs, [&self.of.to_theirs, &self.of.to_ours]) => {
                    "ours removed it, theirs edited it"
                }
                false => continue,
            };
            let path = self.base_path(id);
            let undecided = self.of.options.decision(&path).is_none();
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
        let known: HashSet<InstanceId> = self.of.to_theirs.from.keys().copied().collect();
        let is_new = |id: &InstanceId| !known.contains(id);
        let new = self.of.theirs.all().into_iter().filter(is_new);
        wanted.extend(new.filter(|id| self.of.theirs.parent(*id).is_none_or(|above| !is_new(&above))));
        // A parent comes before what is below it.
        let places: HashMap<InstanceId, usize> = self.of.theirs.all().into_iter().zip(0..).collect();
        geom::sort::by_key(&mut wanted, |id| std::cmp::Reverse(places.get(id).copied()));
        while let Some(id) = wanted.pop() {
            if self.copies.contains_key(&id) {
                // It came with its parent.
                continue;
            }
            let to = match self.of.theirs.parent(id) {
                None => None,
                Some(above) => match self.in_new(above) {
                    Some(to) => Some(to),
                    // Ours removed the parent: it came back with this instance, or the conflict keeps it removed.
                    None => {
                        let path = self.of.theirs.path_of(id);
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
                    let below = self.of.theirs.below(id).into_iter();
                    wanted.extend(below.rev().filter(is_new));
                }
                None => self.copy(id, to, &kept_out)?,
            }
        }
        Ok(())
    }

    /// Copies an instance of theirs with what is below it, without what is elsewhere in ours.
    fn copy(&mut self, id: InstanceId, parent: Option<InstanceId>, kept_out: &[InstanceId]) -> Result<()> {
        let mut model = self.new.empty();
        let options = rbxcore::EditOptions::new().keep_unique_ids(true);
        options.copy_from(&mut *model, None, self.of.theirs, id)?;
        // What is elsewhere in ours stays out, with everything below it: it is moved there later, or inserted there.
        let tops = [Some(id), model.top().first().copied()];
        let (mut kept, mut others) = (Vec::new(), Vec::new());
        let mut waiting: Vec<_> = tops[0].zip(tops[1]).into_iter().collect();
        while let Some((theirs, copy)) = waiting.pop() {
            let is_in_ours = |base: &InstanceId| self.of.to_ours.to.contains_key(base);
            let is_other =
                self.of.to_theirs.from.get(&theirs).is_some_and(is_in_ours) || kept_out.contains(&theirs);
            if is_other {
                others.push(copy);
                continue;
            }
            kept.push(theirs);
            let below = self.of.theirs.below(theirs).into_iter().zip(model.below(copy));
            waiting.extend(below.rev());
        }
        model.remove_all(others)?;
        let insert = Action::Insert { parent: parent.map(At::Id), model: &*model, allow_loss: true };
        let Some(&top) = self.act(insert)?.first() else { return Ok(()) };
        for (theirs, copy) in kept.into_iter().zip(order_below(&*self.new, top)) {
            if let Some(&base) = self.of.to_theirs.from.get(&theirs) {
                self.placed.insert(base, copy);
            }
            self.copies.insert(theirs, copy);
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
            for (name, value) in self.of.theirs.values(theirs) {
                let Some(to) = value.as_instance() else { continue };
                let Some(to) = self.in_new(to) else { continue };
                let now = self.new.value(copy, &name).and_then(|now| now.as_instance());
                let is_taken = match now.filter(|&now| now != to && self.of.ours.contains(copy)) {
                    // Both inserted it.
                    Some(now) => {
                        let [path, now, to] = [copy, now, to].map(|id| self.new.path_of(id));
                        let values = [None, Some(now), Some(to)].map(|path| path.map(Found::Path));
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
        for theirs in self.of.theirs.all() {
            let id = self.of.to_theirs.from.get(&theirs).copied();
            let Some((id, &ours)) = id.and_then(|id| Some((id, self.of.to_ours.to.get(&id)?))) else {
                continue;
            };
            let before = self.of.base.parent(id);
            let after = self.of.theirs.parent(theirs);
            if after.and_then(|after| self.of.to_theirs.from.get(&after).copied()) == before
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
            let own = self.of.ours.parent(ours);
            let is_moved = own.map(|own| self.of.to_ours.from.get(&own).copied()) != before.map(Some);
            let shown = |document: &dyn Dom, id: Option<InstanceId>| {
                id.map_or_else(String::new, |id| document.path_of(id))
            };
            let parents =
                [shown(self.of.base, before), shown(self.of.ours, own), shown(self.of.theirs, after)];
            let parents = parents.map(|path| Some(Found::Path(path)));
            let path = self.base_path(id);
            let is_taken =
                !is_moved || self.conflict(format!("{path}.Parent"), "both moved it", parents.clone());
            if !is_taken || self.move_to(ours, to).is_ok() {
                continue;
            }
            let what = "the moves of both would put it into itself";
            if self.conflict(format!("{path}.Parent"), what, parents.clone()) && !self.move_apart(ours, to)? {
                let path = format!("{path}.Parent");
                self.push(Conflict { path, what, values: parents });
            }
        }
        Ok(())
    }

    fn move_to(&mut self, id: InstanceId, parent: Option<InstanceId>) -> Result<()> {
        self.act(Action::Move { id, parent: parent.map(At::Id) }).map(|_| ())
    }

    /// Moves an instance below one that ours moved below it: what ours moved goes to where theirs has it first. Returns
    /// whether that was possible.
    fn move_apart(&mut self, id: InstanceId, to: Option<InstanceId>) -> Result<bool> {
        let mut at = to;
        while let Some(above) = at.filter(|&above| above != id) {
            at = self.new.parent(above);
            let of_base = self.of.to_ours.from.get(&above).copied();
            if let Some(of_base) =
                of_base.filter(|&of_base| self.is_moved(of_base, self.of.ours, &self.of.to_ours))
                && let Some(&theirs) = self.of.to_theirs.to.get(&of_base)
            {
                let parent = match self.of.theirs.parent(theirs) {
                    None => None,
                    Some(parent) => match self.in_new(parent) {
                        Some(parent) => Some(parent),
                        None => continue,
                    },
                };
                if self.move_to(above, parent).is_ok() && self.move_to(id, to).is_ok() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Merges the values of an instance of the base.
    fn values(&mut self, id: InstanceId, ours: InstanceId, theirs: InstanceId) -> Result<()> {
        let is_same = |to: InstanceId, of: InstanceId| self.of.to_theirs.from.get(&of) == Some(&to);
        if is_as_stored((self.of.base, id), (self.of.theirs, theirs), &is_same) {
            return Ok(());
        }
        let class = self.of.base.class_of(id).into_owned();
        let is_exact = self.is_exact;
        let (held, names): (Held, _) = match is_exact {
            true => (stored, all_names(self.of.base, id, self.of.theirs, theirs)),
            false => (held, names(self.of.base, id, self.of.theirs, theirs)),
        };
        for name in names {
            let before = held(self.of.base, id, &name);
            let mapped = |value: Value| translated(value, &self.of.to_theirs.from);
            let new = held(self.of.theirs, theirs, &name);
            let new_of_base = new.clone().map(mapped);
            let is_stored_in_one = is_exact && before.is_some() != new_of_base.is_some();
            if same(&class, &name, &before, &new_of_base) && !is_stored_in_one {
                continue;
            }
            let now = held(self.of.ours, ours, &name);
            // The value of theirs, with the instances of the result.
            let new = match new.as_ref().and_then(Value::as_instance).map(|to| (to, self.in_new(to))) {
                Some((_, Some(to))) => new.map(|value| refers(&value, to)),
                Some((to, None)) => {
                    let to = Some(Found::Path(self.of.theirs.path_of(to)));
                    let path = format!("{}.{name}", self.base_path(id));
                    self.conflict(path, "theirs refers to an instance that ours removed", [None, None, to]);
                    continue;
                }
                None => new,
            };
            let is_unchanged =
                same(&class, &name, &before, &now.clone().map(|now| translated(now, &self.of.to_ours.from)));
            if same(&class, &name, &now, &new) && !is_stored_in_one
                || self.is_noise(&class, &name) && !is_unchanged
            {
                continue;
            }
            let Some(new) = new else {
                // Theirs has the default, which is stored nowhere.
                if is_exact || is_unchanged {
                    self.put(ours, &name, None)?;
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
        let text = |document: &dyn Dom, value: Stored| {
            let value = value?;
            let to = value.as_instance().map(|id| document.path_of(id));
            Some(Found::Value { class: class.to_owned(), property: name.to_owned(), value, to })
        };
        let values = [text(self.of.base, before), text(self.of.ours, now), text(&*self.new, after)];
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
                let read = |bytes: &[u8]| rbxblobs::from_slice::<Attributes>(bytes);
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
                    let said = |value: &Option<Attribute>| value.clone().map(Found::Attribute);
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
                let read = |bytes: &[u8]| rbxblobs::from_slice::<Tags>(bytes);
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
                match self.of.options.decision(&path) {
                    // A decision is about the lines that both changed.
                    decided @ Some(_) => Ok(merged(decided).ok().map(Value::from)),
                    None if self.of.options.markers => {
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
        self.put(id, name, Some(value))
    }

    /// Sets a value of the result, or removes it.
    fn put(&mut self, id: InstanceId, name: &str, value: Option<Value>) -> Result<()> {
        let by = if self.is_exact { By::File } else { By::Document };
        let set = Action::Set { at: At::Id(id), property: name.to_owned(), value, by };
        match self.act(set) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.at_path(format!("{}.{name}", self.new.path_of(id)))),
        }
    }

    /// Puts inserted children behind their left neighbour, and children in the order of theirs if only it changed them.
    fn order(&mut self) -> Result<()> {
        let mut parents: Vec<Option<InstanceId>> = vec![None];
        parents.extend(self.of.theirs.all().into_iter().map(Some));
        for theirs in parents {
            let of_base = theirs.and_then(|theirs| self.of.to_theirs.from.get(&theirs).copied());
            let new = theirs.map(|theirs| self.in_new(theirs).filter(|&new| self.new.contains(new)));
            let new = match new {
                None => None,
                Some(Some(new)) => Some(new),
                Some(None) => continue,
            };
            let before = match (theirs, of_base) {
                (Some(_), None) => Vec::new(),
                _ => children_of(self.of.base, of_base),
            };
            let now = children_of(&*self.new, new);
            let there: HashSet<InstanceId> = now.iter().copied().collect();
            let after: Vec<InstanceId> = children_of(self.of.theirs, theirs);
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
            self.act(Action::Order { children: order.into_iter().map(At::Id).collect() })?;
        }
        Ok(())
    }

    /// Removes what theirs removed and ours did not edit.
    fn remove(&mut self) -> Result<()> {
        let referred = newly_referred(self.of.base, self.of.ours, &self.of.to_ours);
        // What is below an instance that stays is decided with it.
        let mut decided: HashSet<InstanceId> = HashSet::new();
        let (mut removed, mut gone) = (Vec::new(), HashSet::new());
        for id in self.of.base.all() {
            let Some(&ours) = self.of.to_ours.to.get(&id).filter(|ours| !gone.contains(*ours)) else {
                continue;
            };
            if self.of.to_theirs.to.contains_key(&id) || decided.contains(&id) {
                continue;
            }
            let below = with_descendants(self.of.base, &[id]);
            let gone_below = |of: &&InstanceId| !self.of.to_theirs.to.contains_key(*of);
            let is_referred = below.iter().filter(gone_below).any(|of| referred.contains(of));
            // What theirs still has was moved out before, unless ours moved it, too.
            let holds = |of: &InstanceId| self.of.to_theirs.to.contains_key(of);
            let inside = with_descendants(&*self.new, &[ours]);
            let holds_others = inside.iter().filter_map(|now| self.of.to_ours.from.get(now)).any(holds);
            let is_edited =
                holds_others || self.is_edited(id, self.of.ours, [&self.of.to_ours, &self.of.to_theirs]);
            let is_kept = is_referred || is_edited;
            let why = if is_referred {
                "theirs removed it, ours refers to it"
            } else {
                "theirs removed it, ours edited it"
            };
            let path = if is_kept { self.base_path(id) } else { String::new() };
            if !is_kept || self.conflict(path, why, [None, None, None]) {
                self.move_out(ours)?;
                gone.extend(with_descendants(&*self.new, &[ours]));
                removed.push(ours);
            } else {
                decided.extend(below);
            }
        }
        // From the end, so that the paths of the others stay.
        let places: HashMap<InstanceId, usize> = self.new.all().into_iter().zip(0..).collect();
        geom::sort::by_key(&mut removed, |id| std::cmp::Reverse(places.get(id).copied()));
        self.act(Action::Remove { ids: removed }).map(|_| ())
    }

    /// Moves what theirs still has out of an instance that will be removed, to where theirs has it.
    fn move_out(&mut self, removed: InstanceId) -> Result<()> {
        let inside: Vec<InstanceId> = self.new.descendants(removed).collect();
        for now in inside {
            let of = self.of.to_ours.from.get(&now).and_then(|of| self.of.to_theirs.to.get(of)).copied();
            let Some(theirs) = of else { continue };
            let to = match self.of.theirs.parent(theirs) {
                None => None,
                Some(parent) => match self.in_new(parent) {
                    None => continue,
                    to => to,
                },
            };
            if self.new.parent(now) != to {
                self.move_to(now, to)?;
            }
        }
        Ok(())
    }

    /// Takes the unique ids of theirs that ours did not change; in a patch, all of them.
    fn identities(&mut self) -> Result<()> {
        let id_of = |document: &dyn Dom, id| document.value(id, "UniqueId");
        if self.is_exact {
            for theirs in self.of.theirs.all() {
                let (Some(to), Some(id)) = (self.in_new(theirs), id_of(self.of.theirs, theirs)) else {
                    continue;
                };
                if id_of(&*self.new, to).as_ref() != Some(&id) {
                    self.set(to, "UniqueId", id)?;
                }
            }
            return Ok(());
        }
        let mut wanted = Vec::new();
        for base in self.of.base.all() {
            let (Some(&ours), Some(&theirs)) =
                (self.of.to_ours.to.get(&base), self.of.to_theirs.to.get(&base))
            else {
                continue;
            };
            let (before, now) = (id_of(self.of.base, base), id_of(self.of.ours, ours));
            // In the binary form, an instance without an id has the one of zeros.
            match id_of(self.of.theirs, theirs).and_then(|id| id.as_unique_id()) {
                Some(id) if before == now && before != Some(id.into()) && self.new.contains(ours) => {
                    wanted.push((ours, id));
                }
                _ => {}
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let changed: HashSet<InstanceId> = wanted.iter().map(|(id, _)| *id).collect();
        // What ours inserted keeps its ids.
        let others = self.new.all().into_iter().filter(|id| !changed.contains(id));
        let used: HashSet<_> = others.filter_map(|id| unique_id(&*self.new, id)).collect();
        wanted.retain(|(_, id)| id.is_nil() || !used.contains(id));
        wanted.into_iter().try_for_each(|(to, id)| self.set(to, "UniqueId", id.into()))
    }

    /// Takes the metadata that theirs changed and ours did not.
    fn metadata(&mut self) -> Result<()> {
        let (base, theirs) = (self.of.base.meta(), self.of.theirs.meta());
        if base == theirs {
            return Ok(());
        }
        let of = |all: &[(String, Vec<u8>)], key: &str| {
            all.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        };
        let new = self.new.meta();
        let keys: BTreeSet<&String> = base.iter().chain(&theirs).map(|(key, _)| key).collect();
        for key in keys {
            let (before, now, after) = (of(&base, key), of(&new, key), of(&theirs, key));
            if before == now && now != after {
                self.act(Action::Metadata { key: key.clone(), value: after })?;
            }
        }
        Ok(())
    }
}

impl Merging<'_> {
    /// The instances that ours inserted below a parent of the result, with the class and the name of one of theirs, the last
    /// one first.
    fn inserted_by_ours(&mut self, parent: Option<InstanceId>, key: &Key) -> &mut Vec<InstanceId> {
        let (ours, to_ours) = (self.of.ours, &self.of.to_ours);
        let of_parent = self.inserted.ours.entry(parent).or_insert_with(|| {
            let mut all: HashMap<Key, Vec<InstanceId>> = HashMap::new();
            for id in inserted_below(ours, parent, to_ours).into_iter().rev() {
                all.entry(inserted::key(ours, id)).or_default().push(id);
            }
            all
        });
        of_parent.entry(key.clone()).or_default()
    }

    /// Whether ours inserted the same instance, with the same content: both have it from a third version.
    fn is_in_ours(&mut self, theirs: InstanceId, parent: Option<InstanceId>) -> bool {
        let id = unique_id(self.of.theirs, theirs);
        let key = inserted::key(self.of.theirs, theirs);
        let mut candidates = std::mem::take(self.inserted_by_ours(parent, &key));
        let (of_ours, of_theirs) = (self.of.ours, self.of.theirs);
        let is_equal = |&child: &InstanceId| equal_below(of_ours, child, of_theirs, theirs);
        let has_id = |child: &InstanceId| unique_id(of_ours, *child) == id;
        // The one with the same id, if any: a program that copies a model issues other ids.
        let same = candidates.iter().rposition(|child| has_id(child) && is_equal(child));
        let child = same.or_else(|| candidates.iter().rposition(is_equal)).map(|at| candidates.remove(at));
        *self.inserted_by_ours(parent, &key) = candidates;
        let Some(child) = child else { return false };
        let pairs = order_below(self.of.ours, child).into_iter().zip(order_below(self.of.theirs, theirs));
        self.copies.extend(pairs.map(|(ours, theirs)| (theirs, ours)));
        if id.is_none() || unique_id(self.of.ours, child) != id {
            let what = "both inserted the same instance, which is kept once";
            self.notes.push(Loss::approximated(self.paths.shown(child), what).id("merge.both-inserted"));
        }
        true
    }

    /// The instance that ours inserted at the path of one that theirs inserted: the same service, or, without a common
    /// document, the only one of its class and name. Others are listed.
    fn twin(&mut self, theirs: InstanceId, parent: Option<InstanceId>) -> Option<InstanceId> {
        let key = inserted::key(self.of.theirs, theirs);
        let &[ours] = &self.inserted_by_ours(parent, &key)[..] else { return None };
        let beside = self.of.theirs.parent(theirs);
        let (document, to_theirs) = (self.of.theirs, &self.of.to_theirs);
        let of_theirs = self.inserted.theirs.entry(beside).or_insert_with(|| {
            let mut all: HashMap<Key, usize> = HashMap::new();
            for id in inserted_below(document, beside, to_theirs) {
                *all.entry(inserted::key(document, id)).or_default() += 1;
            }
            all
        });
        if of_theirs.get(&key) != Some(&1) {
            return None;
        }
        // Two parts with the name of their class are seldom one.
        if !self.of.base.is_empty() && !key.1.is_empty() {
            let what = "both inserted an instance with this name; both are kept";
            self.notes.push(Loss::warning(self.paths.shown(ours), what).id("merge.both-inserted"));
            return None;
        }
        self.inserted_by_ours(parent, &key).clear();
        Some(ours)
    }

    /// Adds the values of an instance that theirs inserted to one that ours inserted.
    fn add_values(&mut self, theirs: InstanceId, ours: InstanceId) -> Result<()> {
        self.copies.insert(theirs, ours);
        let (class, path) = (self.of.ours.class_of(ours).into_owned(), self.of.ours.path_of(ours));
        for name in names(self.of.ours, ours, self.of.theirs, theirs) {
            let (now, after) = (held(self.of.ours, ours, &name), held(self.of.theirs, theirs, &name));
            let is_reference = |value: &Stored| value.as_ref().is_some_and(|of| of.as_instance().is_some());
            // References are set later, if ours has none.
            if is_noise(&class, &name) || same(&class, &name, &now, &after) || is_reference(&after) {
                continue;
            }
            match (now, after) {
                (None, Some(after)) => self.set(ours, &name, after)?,
                (now, after) => self.differ(&path, (&class, &name), [None, now, after], ours)?,
            }
        }
        Ok(())
    }
}

/// The instances of the base to which another document refers from a property that did not refer to them before.
fn newly_referred(base: &dyn Dom, other: &dyn Dom, matches: &Matches) -> HashSet<InstanceId> {
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
fn order_below(document: &dyn Dom, top: InstanceId) -> Vec<InstanceId> {
    std::iter::once(top).chain(document.descendants(top)).collect()
}

/// Whether two instances have the same values and the same below them, without identities.
fn equal_below(one: &dyn Dom, a: InstanceId, other: &dyn Dom, b: InstanceId) -> bool {
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
fn all_names(one: &dyn Dom, a: InstanceId, other: &dyn Dom, b: InstanceId) -> Vec<String> {
    let mut names: Vec<String> = one.values(a).into_iter().map(|(name, _)| name).collect();
    let known: HashSet<String> = names.iter().cloned().collect();
    names.extend(other.values(b).into_iter().map(|(name, _)| name).filter(|name| !known.contains(name)));
    names
}

/// As [`all_names`], without those of older properties that only one of them stores, if the other one stores what has
/// replaced them: they count as that.
fn names(one: &dyn Dom, a: InstanceId, other: &dyn Dom, b: InstanceId) -> Vec<String> {
    let is_replaced = |name: &str| match (one.value(a, name), other.value(b, name)) {
        (Some(_), None) => !other.newer(b, name).is_empty(),
        (None, Some(_)) => !one.newer(a, name).is_empty(),
        _ => false,
    };
    let mut names = all_names(one, a, other, b);
    names.retain(|name| !is_replaced(name));
    names
}

/// The value that an instance stores under exactly this name.
fn stored(document: &dyn Dom, id: InstanceId, name: &str) -> Stored {
    document.value(id, name)
}

/// The value that an instance stores for a property: under this name, another one, or in an older form.
fn held(document: &dyn Dom, id: InstanceId, name: &str) -> Stored {
    document.value(id, name).or_else(|| match effective(document, id, name)? {
        Effective::Stored(value) | Effective::Other(_, value) => Some(value),
        Effective::Default(_) => None,
    })
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
