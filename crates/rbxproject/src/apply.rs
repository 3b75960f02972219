//! Applies a plan to a copy of the document.

use rbxdocument::view::View as _;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use bstr::ByteSlice as _;
use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{Content, EditOptions, Edited, Filled, InstanceId, NewInstance, Value, classes};

use crate::meta::IDENTIFIERS;
use crate::model::{is_usual, without_links};
use crate::plan::{Plan, Step, To};
use crate::table::Is;
use crate::wants::Wants;
use rbxcore::Dom;
use rbxdocument::AnyDocument;
use rbxdocument::attribute_refs::key_of;
use rbxdocument::convert::{self, ConvertOptions, Fill};
use rbxdocument::filled::retyped_in;
use rbxdocument::filled::{left_out, put_stored, renamed};
use rbxdocument::references::{leads_out, not_copied, references, refers};
use rbxdocument::view::value_text;
use rbxdocument::which::ATTRIBUTES;

/// A document to which steps are applied.
struct Applying<'a> {
    document: &'a mut dyn Dom,
    wants: &'a Wants<'a>,
    /// The instances of the wanted ones.
    ids: Vec<Option<InstanceId>>,
    /// The instances that others of another class have replaced.
    replaced: HashMap<InstanceId, InstanceId>,
    losses: Vec<Loss>,
}

/// Applies steps; returns the instances of the wanted ones, and what was filled in or dropped. After an error, the
/// document is useless.
///
/// # Errors
/// If the document cannot store a value, with the path of the file.
pub(crate) fn apply(
    document: &mut dyn Dom,
    wants: &Wants<'_>,
    is: &[Is],
    plan: &Plan,
    max_bytes: u64,
    budget: &mut Budget,
) -> Result<(Vec<Option<InstanceId>>, Vec<Loss>)> {
    let tops =
        plan.steps.iter().filter_map(|step| if let Step::Copy { want } = step { Some(*want) } else { None });
    let copies = copies(document, wants, &tops.collect::<Vec<_>>(), max_bytes, budget)?;
    let ids = is.iter().map(|is| is.id()).collect();
    let mut all = Applying { document, wants, ids, replaced: HashMap::new(), losses: copies.losses };
    let is_structure = |step: &&Step| {
        matches!(step, Step::Add { .. } | Step::Copy { .. } | Step::Become { .. } | Step::Move { .. })
    };
    for step in plan.steps.iter().filter(is_structure) {
        all.place(step, &copies.tops, copies.prepared.as_deref())?;
    }
    all.replace(budget)?;
    let (mut removed, mut others) = (Vec::new(), Vec::new());
    for step in plan.steps.iter().filter(|step| !is_structure(step)) {
        match step {
            Step::Remove { id } => removed.push(*id),
            step => others.push(step),
        }
    }
    for step in others {
        all.value(step)?;
    }
    if !removed.is_empty() {
        all.nulled(&removed, budget)?;
        all.document.remove_all(removed)?;
    }
    Ok((all.ids, all.losses))
}

/// The instances of models that are copied, in a document of their own of the same form.
struct Copies {
    prepared: Option<Box<dyn Dom>>,
    tops: HashMap<usize, InstanceId>,
    losses: Vec<Loss>,
}

/// Collects the instances of models that are copied.
fn copies(
    document: &dyn Dom,
    wants: &Wants<'_>,
    tops: &[usize],
    max_bytes: u64,
    budget: &mut Budget,
) -> Result<Copies> {
    let mut copies = Copies { prepared: None, tops: HashMap::new(), losses: Vec::new() };
    if tops.is_empty() {
        return Ok(copies);
    }
    let is_binary = document.has_columns();
    let mut collected = document.empty();
    let mut converted: HashMap<usize, (AnyDocument, HashMap<InstanceId, InstanceId>)> = HashMap::new();
    let to = ConvertOptions::new().fill(Fill::Defaults).allow_loss(true).max_bytes(max_bytes);
    for &want in tops {
        let file = wants.file(want);
        let of_file = |loss: Loss| loss.below(|path| format!("{file}: {path}"));
        let at = |error: Error| error.below(|path| format!("{file}: {path}"));
        let Some((model, id)) = wants.all[want].model else { continue };
        let form = wants.models[model].form();
        copies.losses.extend(not_copied(form, Some(id), budget)?.into_iter().map(of_file));
        // Other references are set afterwards.
        let nested = format!(".{ATTRIBUTES}.");
        let left = leads_out(form, id, budget)?.into_iter().filter(|loss| loss.path.contains(&nested));
        copies.losses.extend(left.map(of_file));
        let (source, id): (&dyn Dom, InstanceId) = match form.has_columns() == is_binary {
            true => (form, id),
            false => {
                let (made, same) = match converted.entry(model) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let (made, losses) = in_other_form(form, &to).map_err(at)?;
                        copies.losses.extend(losses.into_iter().map(of_file));
                        let same = form.all().into_iter().zip(made.all()).collect();
                        entry.insert((made, same))
                    }
                };
                let id = same.get(&id).copied();
                (&**made, id.ok_or_else(|| at(Error::argument("the model was not converted")))?)
            }
        };
        let copy = EditOptions::defaults().keep_unique_ids(true);
        let copied = copy.copy_from(&mut *collected, None, source, id);
        let top = copied.map_err(at)?.instances.first().copied();
        copies.tops.extend(top.map(|top| (want, top)));
    }
    let mut stored = document.empty();
    let (is_changed, losses) = convert::stored(&*collected, document, &mut *stored, true, budget)?;
    copies.losses.extend(losses);
    if is_changed {
        let same: HashMap<InstanceId, InstanceId> = collected.all().into_iter().zip(stored.all()).collect();
        copies.tops.values_mut().for_each(|top| *top = same.get(top).copied().unwrap_or(*top));
    }
    let prepared = if is_changed { stored } else { collected };
    copies.losses.extend(retyped_in(&*prepared, document));
    copies.prepared = Some(prepared);
    Ok(copies)
}

/// A document in its other form, and the losses.
fn in_other_form(document: &dyn Dom, options: &ConvertOptions) -> Result<(AnyDocument, Vec<Loss>)> {
    Ok(match document.has_columns() {
        true => {
            let made = convert::to_xml(document, options)?;
            (made.document.into(), made.losses)
        }
        false => {
            let made = convert::to_binary(document, options)?;
            (made.document.into(), made.losses)
        }
    })
}

/// What an edit filled in.
fn filled_in(document: &dyn Dom, filled: &[Filled]) -> Vec<Loss> {
    let filled = filled.iter().map(|of| {
        let (class, property) = (of.class.to_str_lossy(), of.property.to_str_lossy());
        let text = value_text(document, (&class, &property), &of.value);
        Loss::filled_with(&class, &property, text, of.instances)
    });
    filled.collect()
}

impl Applying<'_> {
    fn at(&self, want: usize) -> impl Fn(Error) -> Error + use<> {
        let file = self.wants.file(want).to_owned();
        move |error| if error.path().is_empty() { error.at_path(file.clone()) } else { error }
    }

    fn parent(&self, want: usize) -> Option<InstanceId> {
        let parent = self.wants.all[want].parent?;
        self.ids[parent]
    }

    /// Creates or moves an instance.
    fn place(
        &mut self,
        step: &Step,
        tops: &HashMap<usize, InstanceId>,
        prepared: Option<&dyn Dom>,
    ) -> Result<()> {
        match step {
            Step::Add { want, class, values } => {
                let name = self.wants.all[*want].name.clone();
                let id = self.add(self.parent(*want), class, &name, values).map_err(self.at(*want))?;
                self.ids[*want] = Some(id);
            }
            Step::Copy { want } => {
                let (Some(&top), Some(prepared)) = (tops.get(want), prepared) else { return Ok(()) };
                let parent = self.parent(*want);
                let copy = EditOptions::defaults();
                let edited = copy.copy_from(self.document, parent, prepared, top);
                let mut edited = edited.map_err(self.at(*want))?;
                let filled = filled_in(self.document, &edited.filled);
                self.losses.extend(filled.into_iter().chain(renamed(&edited)));
                self.widen(prepared, top, &mut edited).map_err(self.at(*want))?;
                self.losses.extend(left_out(&edited));
                for top in &edited.instances {
                    self.unlink(*top)?;
                }
                let mut waiting: Vec<_> =
                    edited.instances.first().map(|&id| (*want, id)).into_iter().collect();
                while let Some((want, id)) = waiting.pop() {
                    self.ids[want] = Some(id);
                    let children = self.wants.all[want].children.iter().copied();
                    let children = children.filter(|&child| !self.wants.all[child].is_node);
                    waiting.extend(children.zip(self.document.below(id)));
                }
            }
            Step::Become { want, id, class, keeps_values } => {
                let (parent, name) = (self.document.parent(*id), self.document.name_of(*id).into_owned());
                let new = self.add(parent, class, &name, &[]).map_err(self.at(*want))?;
                self.inherit(*id, new, *keeps_values).map_err(self.at(*want))?;
                for child in self.document.below(*id) {
                    self.document.move_to(child, Some(new))?;
                }
                self.ids[*want] = Some(new);
                self.replaced.insert(*id, new);
            }
            Step::Move { want, id } => {
                let parent = self.parent(*want);
                self.document.move_to(*id, parent).map_err(self.at(*want))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Sets what a copy left out, since the instances of the class that were there do not store it and its default is not
    /// known: they get the neutral value of the type.
    fn widen(&mut self, prepared: &dyn Dom, top: InstanceId, edited: &mut Edited) -> Result<()> {
        let Some(&new) = edited.instances.first().filter(|_| !edited.left_out.is_empty()) else {
            return Ok(());
        };
        let all = |dom: &dyn Dom, top| std::iter::once(top).chain(dom.descendants(top)).collect::<Vec<_>>();
        let pairs = all(prepared, top).into_iter().zip(all(self.document, new));
        let pairs: Vec<(InstanceId, InstanceId)> = pairs.collect();
        for left in std::mem::take(&mut edited.left_out) {
            let property = left.property.to_str_lossy().into_owned();
            for &(from, to) in
                pairs.iter().filter(|(from, _)| *prepared.class_of(*from) == *left.class.to_str_lossy())
            {
                if let Some(value) =
                    prepared.value(from, &property).filter(|value| value.as_instance().is_none())
                {
                    self.losses.extend(put_stored(self.document, to, &property, value, Fill::Defaults)?);
                }
            }
        }
        Ok(())
    }

    /// Removes Rojo's attributes of references from copied instances: the references are properties.
    fn unlink(&mut self, top: InstanceId) -> Result<()> {
        let all: Vec<InstanceId> = std::iter::once(top).chain(self.document.descendants(top)).collect();
        for id in all {
            let value = self.document.value(id, ATTRIBUTES);
            let Some(bytes) = value.as_ref().and_then(Value::as_bytes) else { continue };
            let new = match without_links(bytes, &[]) {
                (Some(new), _) if new != bytes => new,
                (None, _) if !bytes.is_empty() => Vec::new(),
                _ => continue,
            };
            if !new.is_empty() || !self.document.unset_value(id, ATTRIBUTES)? {
                self.document.put(id, ATTRIBUTES, Value::from(new))?;
            }
        }
        Ok(())
    }

    /// Adds an instance with values.
    fn add(
        &mut self,
        parent: Option<InstanceId>,
        class: &str,
        name: &str,
        values: &[(String, Value)],
    ) -> Result<InstanceId> {
        let like = self.document.one_of(class);
        let is_service = self.document.has_services(class).unwrap_or_else(|| classes::is_service(class));
        let mut new = NewInstance::new(class).service(parent.is_none() && is_service).property("Name", name);
        let (known, others): (Vec<_>, Vec<_>) = values
            .iter()
            .partition(|(name, _)| classes::unstored(class.as_bytes().as_bstr(), name).is_none());
        for (name, value) in known {
            new = new.property(name, self.document.stored(class, name, value.clone())?);
        }
        let edited = EditOptions::defaults().insert(self.document, parent, new)?;
        let id = edited.instances.first().copied();
        let id = id.ok_or_else(|| Error::argument("no instance was added"))?;
        // What is filled in for those that were there: the new one has the defaults of its class.
        let is_new = |of: &Filled| {
            like.is_some()
                && values.iter().any(|(name, _)| *name == of.property)
                && self.document.has_columns()
        };
        let filled: Vec<Filled> = edited.filled.into_iter().filter(is_new).collect();
        self.losses.extend(filled_in(self.document, &filled));
        for (name, value) in others {
            self.losses.extend(put_stored(self.document, id, name, value.clone(), Fill::Defaults)?);
        }
        Ok(id)
    }

    /// Gives an instance the values of the one that it replaces, if its class has them.
    fn inherit(&mut self, old: InstanceId, new: InstanceId, keeps_values: bool) -> Result<()> {
        let name = self.document.class_of(new).into_owned();
        let class = classes::class(&name);
        for (property, value) in self.document.values(old) {
            // The same name can be that of a property of another type: `Value` of an ObjectValue.
            let kind = class.and_then(|class| class.property(&property)).map(classes::Property::kind);
            let fits = |kind| value.kind() == Some(kind) || value.converted(kind).is_some();
            let is_known = key_of(&property).is_some() || kind.is_some_and(fits);
            let is_kept = keeps_values || IDENTIFIERS.contains(&&*property);
            let is_of_file = ["Name", "Source", "RunContext"].contains(&&*property);
            let is_same = match self.document.value(new, &property) {
                Some(own) => own == value,
                None => is_usual(&name, &property, &value),
            };
            if is_known && is_kept && !is_of_file && !is_same {
                self.losses.extend(put_stored(self.document, new, &property, value, Fill::Defaults)?);
            }
        }
        Ok(())
    }

    /// Lets references to replaced instances lead to the new ones, and removes the replaced ones.
    fn replace(&mut self, budget: &mut Budget) -> Result<()> {
        if self.replaced.is_empty() {
            return Ok(());
        }
        for (id, property, to) in references(&*self.document, budget)? {
            let Some(&new) = self.replaced.get(&to).filter(|_| !self.replaced.contains_key(&id)) else {
                continue;
            };
            match self.document.value(id, &property) {
                Some(value) => self.document.put(id, &property, refers(&value, new))?,
                None => {
                    let path = self.document.path_of(id);
                    let what = "a reference to an instance that was replaced by one of another class; replaced by null";
                    self.losses
                        .push(Loss::new(format!("{path}.{property}"), what).id("roblox.null-reference"));
                }
            }
        }
        let old: Vec<InstanceId> = self.replaced.keys().copied().collect();
        self.document.remove_all(old)?;
        Ok(())
    }

    /// Lists the references of what stays to what is removed.
    fn nulled(&mut self, removed: &[InstanceId], budget: &mut Budget) -> Result<()> {
        let document = &*self.document;
        let below = removed.iter().flat_map(|&id| document.descendants(id));
        let gone: HashSet<InstanceId> = removed.iter().copied().chain(below).collect();
        for (id, property, to) in references(document, budget)? {
            if gone.contains(&to) && !gone.contains(&id) {
                let path = format!("{}.{property}", document.path_of(id));
                let what =
                    format!("a reference to {}, which is removed; replaced by null", document.path_of(to));
                budget.lose(&mut self.losses, Loss::new(path, what).id("roblox.null-reference"))?;
            }
        }
        Ok(())
    }

    fn id(&self, to: To) -> Option<InstanceId> {
        match to {
            To::Id(id) => Some(self.replaced.get(&id).copied().unwrap_or(id)),
            To::Want(want) => self.ids[want],
        }
    }

    /// Sets a value or a reference, or orders siblings.
    fn value(&mut self, step: &Step) -> Result<()> {
        let (to, property, value) = match step {
            Step::Set { to, property, value } => (*to, property, value.clone()),
            Step::Refer { want, property, is_content, to } => {
                let target = to.and_then(|to| self.id(to));
                let value =
                    if *is_content { Value::Content(Content::Object(target)) } else { Value::Ref(target) };
                (To::Want(*want), property, value)
            }
            Step::Order { wants } => return self.order(wants),
            _ => return Ok(()),
        };
        let Some(id) = self.id(to) else { return Ok(()) };
        let set = put_stored(self.document, id, property, value, Fill::Defaults);
        let losses = match to {
            To::Want(want) => set.map_err(self.at(want))?,
            To::Id(_) => set?,
        };
        self.losses.extend(losses);
        Ok(())
    }

    /// Gives siblings their order: from the first one on that is not at its place, each is moved behind the others.
    fn order(&mut self, wants: &[usize]) -> Result<()> {
        let ids: Vec<InstanceId> = wants.iter().filter_map(|&want| self.ids[want]).collect();
        let Some(parent) = ids.first().map(|&id| self.document.parent(id)) else { return Ok(()) };
        let wanted: HashSet<InstanceId> = ids.iter().copied().collect();
        let now = parent.map_or_else(|| self.document.top(), |parent| self.document.below(parent));
        let now = now.into_iter().filter(|id| wanted.contains(id));
        let same = ids.iter().zip(now).take_while(|(id, now)| **id == *now).count();
        ids.into_iter().skip(same).try_for_each(|id| self.document.move_to(id, parent))
    }
}
