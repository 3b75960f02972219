//! The steps that bring a document to the wanted state. Changes nothing: what is wrong or lost in files is found here.

use rbxdocument::view::View as _;
use std::collections::{HashMap, HashSet};

use geom::wire::{Budget, Error, Loss, Result};
use rbxcore::{Content, InstanceId, Value, classes};

use crate::copies::{self, Copies};
use crate::meta;
use crate::model;
use crate::snapshot::{Class, Fields};
use crate::table::{Is, Left, Table, is_of_files, lines};
use crate::values::{Links, Stated, Who};
use crate::wants::Wants;
use rbxcore::Dom;
use rbxdocument::paths::Paths;
use rbxdocument::state::{Action, At, Keeps};
use rbxdocument::validate;
use rbxdocument::which::ATTRIBUTES;
use rbxdocument::write::By;

/// A step of a plan.
#[derive(Debug)]
pub(crate) struct Step {
    /// The wanted instance that it is about.
    pub(crate) want: Option<usize>,
    pub(crate) action: Action<'static>,
}

/// The steps, in the order in which they are applied, and what is not applied.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    /// What is copied.
    pub(crate) prepared: Option<Box<dyn Dom>>,
    pub(crate) losses: Vec<Loss>,
}

/// The approximate memory of a step.
const STEP: u64 = 120;

struct Planner<'a> {
    document: &'a dyn Dom,
    wants: &'a Wants<'a>,
    table: &'a Table,
    /// Whether what is missing from the folder is removed.
    removes: bool,
    /// The instances that files have.
    inside: HashMap<InstanceId, usize>,
    ids: HashMap<String, Vec<usize>>,
    budget: &'a mut Budget,
    /// The instances of models that are copied.
    copies: Copies,
    plan: Plan,
    /// The values and references, which follow after all instances are at their places.
    values: Vec<Step>,
    references: Vec<Step>,
}

/// # Errors
/// If a file states what the document cannot have, with its path.
pub(crate) fn plan(
    document: &dyn Dom,
    wants: &Wants<'_>,
    table: &Table,
    (removes, max_bytes): (bool, u64),
    budget: &mut Budget,
) -> Result<Plan> {
    let inside = table.wants.iter().enumerate().filter_map(|(want, is)| Some((is.id()?, want))).collect();
    let (copies, plan, ids, values, references) = Default::default();
    let mut planner =
        Planner { document, wants, table, removes, inside, ids, budget, copies, plan, values, references };
    let is_top = |&want: &usize| {
        planner.is(want) == Is::New && wants.all[want].model.is_some() && !planner.is_copied(want)
    };
    let tops: Vec<usize> = (0..wants.all.len()).filter(is_top).collect();
    planner.copies = copies::copies(document, wants, &tops, max_bytes, planner.budget)?;
    planner.identify()?;
    let mut of_new = HashMap::new();
    for want in 0..wants.all.len() {
        planner.contents(want, &mut of_new)?;
    }
    planner.instances(of_new)?;
    let (values, references) = (std::mem::take(&mut planner.values), std::mem::take(&mut planner.references));
    planner.plan.steps.extend(values.into_iter().chain(references));
    planner.orders();
    planner.left()?;
    let Planner { copies, mut plan, .. } = planner;
    plan.losses.extend(copies.losses);
    plan.prepared = copies.prepared;
    Ok(plan)
}

impl Planner<'_> {
    fn is(&self, want: usize) -> Is {
        self.table.wants[want]
    }

    /// Finds the ids of the wanted instances: those of copies come last.
    fn identify(&mut self) -> Result<()> {
        let mut all = Vec::new();
        for (want, wanted) in self.wants.all.iter().enumerate() {
            let is_new = match self.is(want) {
                Is::Absent => continue,
                is => is.id().is_none(),
            };
            let fields = self.wants.node(want).fields.iter().filter(|_| wanted.is_node);
            let labels = fields.filter_map(|fields| fields.json.get("id")?.as_str().map(str::to_owned));
            let of_model = wanted.model.and_then(|(model, id)| self.wants.models[model].label(id));
            all.extend(labels.chain(of_model).map(|label| (label, want, is_new)));
        }
        geom::sort::by_key(&mut all, |one| one.2);
        let mut paths = Paths::new(self.document);
        for (label, want, _) in all {
            self.budget.charge(STEP + label.len() as u64, "the ids of the files")?;
            let same = self.ids.entry(label.clone()).or_default();
            if same.last() == Some(&want) {
                continue;
            }
            if let Some(&first) = same.first() {
                let path = |want: usize, paths: &mut Paths<'_>, budget: &mut Budget| match self.table.wants
                    [want]
                    .id()
                {
                    Some(id) => paths.of(id, budget),
                    None => Ok(self.wants.file(want).to_owned()),
                };
                let what = format!(
                    "the id {label:?} is also that of {}: a reference stays as it is if it leads to one of them, and \
                     others lead to {0} (give the copy another id)",
                    path(first, &mut paths, self.budget)?
                );
                self.plan
                    .losses
                    .push(Loss::warning(path(want, &mut paths, self.budget)?, what).id("rojo.repeated-id"));
            }
            same.push(want);
        }
        Ok(())
    }

    /// Plans the instances: parents first.
    fn instances(&mut self, mut of_new: HashMap<usize, Vec<(String, Value)>>) -> Result<()> {
        for want in 0..self.wants.all.len() {
            self.budget.charge(STEP, "the steps of the plan")?;
            let wanted = &self.wants.all[want];
            let parent = wanted.parent.map(At::Wanted);
            let action = match self.is(want) {
                Is::Same(_) | Is::Absent => continue,
                Is::Moved(id) => Action::Move { id, parent },
                Is::Becomes(id) => {
                    let keeps = match self.states_all(want) {
                        true => Keeps::Only(&meta::IDENTIFIERS),
                        // The file states them.
                        false => Keeps::AllBut(&["Source", "RunContext"]),
                    };
                    Action::Become { id, class: self.class(want)?, keeps }
                }
                Is::New if wanted.model.is_some() => match self.copies.tops.get(&want) {
                    Some(&top) => Action::Copy { parent, top },
                    None => continue,
                },
                Is::New => {
                    let name = ("Name".to_owned(), Value::from(wanted.name.as_str()));
                    let values = std::iter::once(name).chain(of_new.remove(&want).unwrap_or_default());
                    Action::Add { parent, class: self.class(want)?, values: values.collect() }
                }
            };
            self.plan.steps.push(Step { want: Some(want), action });
        }
        Ok(())
    }

    /// Whether a new instance of a model is copied with its parent.
    fn is_copied(&self, want: usize) -> bool {
        let wanted = &self.wants.all[want];
        !wanted.is_node && wanted.parent.is_some_and(|parent| self.is(parent) == Is::New)
    }

    /// The class of an instance that does not have it yet.
    fn class(&mut self, want: usize) -> Result<String> {
        let class = self.class_of(want);
        if let Err(error) = validate::known_class(self.document, &class) {
            // A class of another year is none of the table's.
            if classes::misspelled_class(class.as_bytes()).is_some() {
                return Err(error.at_path(self.wants.file(want).to_owned()));
            }
            let what = format!("the class {class} is not known, so Roblox may ignore the instance");
            self.plan.losses.push(Loss::warning(self.wants.file(want), what).id("roblox.unknown-class"));
        }
        Ok(class)
    }

    /// Whether the files of an instance state all that differs from the defaults: it has a meta file, or what is missing is
    /// removed, and it is a file or a folder of its own.
    fn states_all(&self, want: usize) -> bool {
        let (node, wanted) = (self.wants.node(want), &self.wants.all[want]);
        let has_meta = || node.fields.iter().any(|fields| fields.from.states_all());
        let is_file =
            || self.removes && (node.has_path || !node.is_keyed) && is_of_files(&self.class_of(want));
        wanted.is_node && wanted.model.is_none() && (has_meta() || is_file())
    }

    /// The instance that a reference with an id leads to, if it now leads to `now`.
    fn target(&self, label: &str, now: Option<InstanceId>) -> Option<At> {
        match self.ids.get(label) {
            Some(all) => {
                let same = all.iter().find(|&&want| now.is_some() && self.is(want).id() == now);
                same.or(all.first()).map(|&want| At::Wanted(want))
            }
            // `extract` writes paths as ids. What is in a file has the id of the file, if any, whatever its path is now.
            None => {
                let to = self.document.find(&*geom::plain::unescaped(label))?;
                (now == Some(to) || !self.inside.contains_key(&to)).then_some(At::Id(to))
            }
        }
    }

    fn refer(&mut self, want: usize, property: String, is_content: bool, to: Option<At>) {
        let action = Action::Refer { at: At::Wanted(want), property, is_content, to };
        self.references.push(Step { want: Some(want), action });
    }

    /// Whether a reference of an instance leads to a target already.
    fn leads_to(&self, now: Option<InstanceId>, to: Option<At>) -> bool {
        match to {
            None => now.is_none(),
            Some(At::Id(id)) => now == Some(id),
            Some(At::Wanted(want)) => now.is_some() && self.is(want).id() == now,
        }
    }

    /// Plans the values of an instance: of its model, its text, its meta file and its project, of which later ones count.
    fn contents(&mut self, want: usize, of_new: &mut HashMap<usize, Vec<(String, Value)>>) -> Result<()> {
        let wanted = &self.wants.all[want];
        let is = self.is(want);
        if is == Is::Absent {
            return Ok(());
        }
        let class = match is {
            Is::Same(id) | Is::Moved(id) => self.document.class_of(id).into_owned(),
            Is::Becomes(_) | Is::New | Is::Absent => self.class_of(want),
        };
        if let Is::Moved(id) | Is::Becomes(id) = is
            && self.document.name_of(id) != wanted.name
        {
            self.set(want, "Name".to_owned(), wanted.name.as_str().into());
        }
        let mut values = Vec::new();
        if let Some((model, from)) = wanted.model {
            self.of_model(want, (model, from), &class, &mut values)?;
        }
        if wanted.is_node {
            self.of_node(want, &class, &mut values)
                .map_err(|(file, what)| Error::argument(what).at_path(file.to_owned()))?;
        }
        if is == Is::New && wanted.model.is_none() {
            of_new.insert(want, values);
            return Ok(());
        }
        let old = is.id().filter(|_| !matches!(is, Is::Becomes(_)));
        for (property, value) in values {
            if old.and_then(|id| self.document.value(id, &property)).as_ref() != Some(&value) {
                self.set(want, property, value);
            }
        }
        Ok(())
    }

    fn class_of(&self, want: usize) -> String {
        match &self.wants.all[want].class {
            Class::Stated(class) | Class::Inferred(class) => class.clone(),
            Class::Any => "Folder".to_owned(),
        }
    }

    fn set(&mut self, want: usize, property: String, value: Value) {
        let action = Action::Set { at: At::Wanted(want), property, value: Some(value), by: By::File };
        self.values.push(Step { want: Some(want), action });
    }

    /// The values of an instance of a model that differ from those of the document.
    fn of_model(
        &mut self,
        want: usize,
        (model, from): (usize, InstanceId),
        class: &str,
        values: &mut Vec<(String, Value)>,
    ) -> Result<()> {
        let wants = self.wants;
        let form = wants.models[model].form();
        let id = self.is(want).id();
        if self.is(want) == Is::New && form.name_of(from) != wants.all[want].name {
            self.set(want, "Name".to_owned(), wants.all[want].name.as_str().into());
        }
        let own = id.and_then(|id| self.document.value(id, ATTRIBUTES));
        let own = own.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        let attributes = form.value(from, ATTRIBUTES);
        let mut linked = HashSet::new();
        if let Some(bytes) = attributes.as_ref().and_then(Value::as_bytes) {
            let (bytes, links) = model::without_links(bytes, own);
            for (shown, label, is_old) in links {
                let name = validate::stored_name(class, &shown).to_owned();
                let of = |form: &dyn Dom, id| form.value(id, &name).and_then(|value| value.as_instance());
                let now = id.and_then(|id| of(self.document, id));
                let Some(to) = self.target(&label, now) else { continue };
                // Rojo leaves its attributes in what it builds, where the reference may have changed since.
                let is_stale = is_old && (now.is_none() || of(form, from).is_some());
                if is_stale && !self.leads_to(now, Some(to)) {
                    continue;
                }
                if !self.leads_to(now, Some(to)) {
                    self.refer(want, name.clone(), false, Some(to));
                }
                linked.insert(name);
            }
            let new = match bytes {
                Some(bytes) => rbxdocument::attribute_refs::with_own(own, bytes)?,
                None => own.to_vec(),
            };
            let is_copied =
                id.is_none() && new == attributes.as_ref().and_then(Value::as_bytes).unwrap_or_default();
            if !is_copied && new != own {
                values.push((ATTRIBUTES.to_owned(), new.into()));
            }
        }
        let all = form.values(from);
        let given: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in all {
            if meta::IDENTIFIERS.contains(&&*name) || name == "Name" || name == ATTRIBUTES {
                continue;
            }
            if let Value::Ref(_) | Value::Content(Content::Object(_)) = value {
                let name = validate::stored_name(class, &name).to_owned();
                if !linked.contains(&name) {
                    self.reference_of_model(want, model, name, &value);
                }
                continue;
            }
            if self.document.has_columns() && matches!(value, Value::Unknown(_)) {
                if id.is_some() {
                    let what = "a value of an unknown type, which the binary format cannot store";
                    let path = path(self.document, wants, self.table, want);
                    self.plan.losses.push(Loss::new(format!("{path}.{name}"), what).id("rojo.value"));
                }
                continue;
            }
            // New instances are copies.
            if let Some(id) = id.filter(|_| !matches!(self.is(want), Is::New)) {
                values.extend(wants.models[model].changed(self.document, (from, id), class, name, value)?);
            }
        }
        if let Some(id) = self.is(want).id().filter(|_| self.removes) {
            self.reset(want, &given, (id, class), values);
        }
        Ok(())
    }

    /// Gives what an instance stores and its model does not the defaults of the class: a model states all. The names are those
    /// of the properties of the model.
    fn reset(
        &mut self,
        want: usize,
        given: &[String],
        (id, class): (InstanceId, &str),
        values: &mut Vec<(String, Value)>,
    ) {
        let (document, wants, table) = (self.document, self.wants, self.table);
        let given: HashSet<&str> = given.iter().map(|name| validate::stored_name(class, name)).collect();
        let own = document.value(id, ATTRIBUTES);
        if !given.contains(ATTRIBUTES) && own.and_then(|own| own.as_bytes().map(<[u8]>::len)).unwrap_or(0) > 0
        {
            values.push((ATTRIBUTES.to_owned(), "".into()));
        }
        let who = Who { document, class, id: Some(id), base: None, like: Some(id) };
        let path = || path(document, wants, table, want);
        // What has no known default stays, as in a model of another year.
        let losses = &mut Vec::new();
        let (of_file, states_all, replaces_attributes) = (Vec::new(), true, true);
        let mut stated =
            Stated { who, path: &path, of_file, states_all, replaces_attributes, values, losses };
        let mut links = Vec::new();
        stated.reset(&given, &HashSet::new(), &mut links);
        // Those to what is in no file may be of somebody who works in the place.
        for (property, to) in links {
            if self.inside.contains_key(&to) {
                self.refer(want, property, false, None);
            }
        }
    }

    /// Plans a reference of a model.
    fn reference_of_model(&mut self, want: usize, model: usize, name: String, value: &Value) {
        let is_content = matches!(value, Value::Content(_));
        let to = value.as_instance().map(|to| self.wants.of_model.get(&(model, to)).copied());
        let now = self.is(want).id().and_then(|id| self.document.value(id, &name));
        let old = now.as_ref().and_then(Value::as_instance);
        match to {
            // A target outside of the model is none in it.
            None if old.is_some_and(|old| !self.is_in(model, old, is_content)) => {}
            None => {
                if now.as_ref().is_some_and(|now| now != value) {
                    self.refer(want, name, is_content, None);
                }
            }
            Some(None) => {}
            Some(Some(to)) => {
                // Within one copy, references lead to the copies.
                let is_copied = self.is(want) == Is::New && self.is(to) == Is::New;
                let is_within = is_copied && self.top_of_copy(want) == self.top_of_copy(to);
                if !is_within && !self.leads_to(old, Some(At::Wanted(to))) {
                    self.refer(want, name, is_content, Some(At::Wanted(to)));
                }
            }
        }
    }

    /// Whether an instance is in a file, or, for a `Content`, in a model.
    fn is_in(&self, model: usize, id: InstanceId, is_content: bool) -> bool {
        if !is_content {
            return self.inside.contains_key(&id);
        }
        let of = self.inside.get(&id).and_then(|&want| self.wants.all[want].model);
        of.is_some_and(|(of, _)| of == model)
    }

    /// The topmost instance of a copy.
    fn top_of_copy(&self, mut want: usize) -> usize {
        while let Some(parent) = self.wants.all[want].parent.filter(|_| self.is_copied(want)) {
            want = parent;
        }
        want
    }

    /// The values of a file, its meta file and its project.
    fn of_node(
        &mut self,
        want: usize,
        class: &str,
        values: &mut Vec<(String, Value)>,
    ) -> Result<(), (String, String)> {
        let (wants, is) = (self.wants, self.is(want));
        let node = wants.node(want);
        let id = is.id();
        let like = match is {
            Is::Same(id) | Is::Moved(id) => Some(id),
            _ => self.document.one_of(class).filter(|_| self.document.has_columns()),
        };
        let old = id.filter(|_| !matches!(is, Is::Becomes(_)));
        let base = id.filter(|_| old.is_some() || !self.states_all(want));
        let who = Who { document: self.document, class, id: old, base, like };
        let at = |error: Error| (node.file.clone(), error.kind().to_string());
        // As in Rojo, a meta file or a project states more than the text beside it.
        let is_stated = |property: &str| {
            let states = |fields: &Fields| {
                let given = fields.json.get("properties").and_then(|given| given.as_object());
                given.is_some_and(|given| {
                    given.keys().any(|name| validate::stored_name(class, name) == property)
                })
            };
            node.fields.iter().any(states)
        };
        if let Some((property, text)) = wants.text(want) {
            let own = id.and_then(|id| self.document.value(id, property));
            let own = own.as_ref().and_then(Value::as_bytes);
            // A script that stores no source is that of an empty file.
            // The ends of lines of a script that is the same do not change.
            let is_same = |own: &[u8]| own == text || property == "Source" && lines(own) == lines(text);
            let is_other =
                !is_stated(property) && own.map_or(id.is_none() || !text.is_empty(), |own| !is_same(own));
            if is_other {
                // As in Rojo, the ends of lines that a checkout on Windows makes do not become those of a script.
                let keeps = property != "Source"
                    || own.is_some_and(|own| bstr::ByteSlice::find(own, "\r\n").is_some());
                let text = if keeps { text.to_vec() } else { lines(text).into_owned() };
                values.push((property.to_owned(), Value::String(text.into())));
            } else if matches!(is, Is::Becomes(_)) && !is_stated(property) {
                values.push((property.to_owned(), Value::String(own.unwrap_or_default().to_vec().into())));
            }
            let context = match node.run_context {
                Some(context) => Some(validate::enum_item("Script", "RunContext", context)),
                // The name of the file states none, so that the context is that of the class.
                None if property == "Source" && class == "Script" && !is_stated("RunContext") => Some(Ok(0)),
                None => None,
            };
            if let Some(context) = context.transpose().map_err(at)? {
                let own = old.and_then(|id| self.document.value(id, "RunContext")).unwrap_or(Value::Enum(0));
                if own != Value::Enum(context) {
                    values.push(("RunContext".to_owned(), Value::Enum(context)));
                }
            }
        }
        for (property, bytes) in &node.blobs {
            let own = old.and_then(|id| self.document.value(id, property));
            if own.as_ref().and_then(Value::as_bytes) != Some(bytes) {
                values.push(((*property).to_owned(), Value::String(bytes.to_vec().into())));
            }
        }
        let mut fields: Vec<_> = node.fields.iter().collect();
        geom::sort::by_key(&mut fields, |fields| fields.from);
        let (document, table) = (self.document, self.table);
        let path = || path(document, wants, table, want);
        let of_file: Vec<&str> =
            node.text.iter().map(|text| text.0).chain(node.run_context.map(|_| "RunContext")).collect();
        let is_model = wants.all[want].model.is_some();
        let states_all = self.states_all(want);
        let replaces_attributes = states_all || is_model || self.removes;
        let losses = &mut self.plan.losses;
        let mut stated =
            Stated { who, path: &path, of_file, states_all, replaces_attributes, values, losses };
        let Links { links, resets } = stated.fields(&fields)?;
        for (shown, label) in links {
            let property = validate::stored_name(class, &shown).to_owned();
            let now =
                old.and_then(|id| self.document.value(id, &property)).and_then(|value| value.as_instance());
            let Some(to) = self.target(&label, now) else {
                // Rojo ignores it: the target may be elsewhere in a place of which the folder is a part.
                let what = format!(
                    "the reference to {label:?}, which is neither the `id` of a file nor the path of an instance \
                     without a file"
                );
                self.plan
                    .losses
                    .push(Loss::missing(format!("{}.{shown}", path()), what).id("rojo.no-target"));
                continue;
            };
            if !self.leads_to(now, Some(to)) {
                self.refer(want, property, false, Some(to));
            }
        }
        for (property, to) in resets {
            if self.inside.contains_key(&to) {
                self.refer(want, property, false, None);
            }
        }
        Ok(())
    }

    /// Plans the order of siblings of one class and name, so that packing again matches them in the same way.
    fn orders(&mut self) {
        for parent in std::iter::once(None).chain((0..self.wants.all.len()).map(Some)) {
            let children = self.wants.children(parent);
            if children.len() < 2 {
                continue;
            }
            let mut groups: HashMap<(&str, String), Vec<usize>> = HashMap::new();
            let mut order = Vec::new();
            for &child in children.iter().filter(|&&child| self.is(child) != Is::Absent) {
                let key = (&*self.wants.all[child].name, self.class_of(child));
                let same = groups.entry(key.clone()).or_default();
                if same.is_empty() {
                    order.push(key);
                }
                same.push(child);
            }
            for key in order {
                let wants = groups.remove(&key).unwrap_or_default();
                let is_added = |&&want: &&usize| !matches!(self.is(want), Is::Same(_));
                let is_in_order = wants.iter().skip_while(|want| !is_added(want)).all(|want| is_added(&want));
                if wants.len() > 1 && !is_in_order {
                    let children = wants.into_iter().map(At::Wanted).collect();
                    self.plan.steps.push(Step { want: None, action: Action::Order { children } });
                }
            }
        }
    }

    /// Plans the removal of what is missing from the folder, or lists it.
    fn left(&mut self) -> Result<()> {
        let removes = self.removes;
        let (mut paths, mut gone) = (Paths::new(self.document), Vec::new());
        for &left in &self.table.left {
            match left {
                Left::Gone(id) if removes => gone.push(id),
                Left::Above(id) if removes => {
                    let what =
                        "the file is missing, but its script was not removed, since the script has children";
                    let loss = Loss::warning(paths.of(id, self.budget)?, what).id("rojo.not-removed");
                    self.budget.lose(&mut self.plan.losses, loss)?;
                }
                Left::Kept(id) => {
                    let what = "the instance is in no file, but stays in the document, since the folder does not have all \
                                instances as models";
                    let loss = Loss::missing(paths.of(id, self.budget)?, what).id("rojo.not-in-files");
                    self.budget.lose(&mut self.plan.losses, loss)?;
                }
                Left::Gone(id) | Left::Above(id) => {
                    let what = "no file of the folder has the instance, which stays in the document (`--remove` removes \
                                such instances)";
                    let loss = Loss::missing(paths.of(id, self.budget)?, what).id("rojo.not-in-files");
                    self.budget.lose(&mut self.plan.losses, loss)?;
                }
            }
        }
        if !gone.is_empty() {
            self.plan.steps.push(Step { want: None, action: Action::Remove { ids: gone } });
        }
        for &want in &self.table.without_source {
            if let Some(id) = self.is(want).id() {
                let what =
                    "the file of the script is missing from its folder; the script stays in the document";
                self.plan
                    .losses
                    .push(Loss::missing(paths.of(id, self.budget)?, what).id("rojo.not-in-files"));
            }
        }
        Ok(())
    }
}

/// The path of an instance, also of one that is not in the document yet.
fn path(document: &dyn Dom, wants: &Wants<'_>, table: &Table, want: usize) -> String {
    let (mut names, mut at) = (Vec::new(), Some(want));
    while let Some(want) = at {
        if let Some(id) = table.wants[want].id() {
            names.push(document.path_of(id));
            break;
        }
        names.push(wants.all[want].name.clone());
        at = wants.all[want].parent;
    }
    names.reverse();
    names.join("/")
}
