//! Instances put into a document: first everything is planned and refused where it must be, then it is done; what
//! cannot be done after all is taken back.

use bstr::{BStr, BString, ByteSlice};

use super::options::{EditOptions, Edited, Fill, Filled, LeftOut, Others};
use super::rows::{PlanColumn, Rows};
use super::sources::{Forest, Group, Origin};
use super::{Parts, not_stored};
use crate::consts::{ClassFormat, TypeId};
use crate::error::{Error, Result};
use crate::model::{Class, Column, Document, InstanceId, Metadata, NewInstance, Referent, Value};
use crate::names;
use crate::view::slot;

/// How many names a refusal lists.
const LISTED: usize = 8;

pub(crate) fn insert(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    new: NewInstance,
) -> Result<Edited> {
    let nodes = new.into_nodes();
    graft(document, options, parent, &Forest::new(&nodes)?)
}

pub(crate) fn copy_from(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    source: &Document,
    id: InstanceId,
) -> Result<Edited> {
    source.require(id)?;
    let forest = Forest::copied(source, std::iter::once(slot(Some(id))))?;
    let edited = graft(document, options, parent, &forest)?;
    document.layout.partial |= source.layout.partial;
    Ok(edited)
}

pub(crate) fn merge(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    source: &Document,
) -> Result<Edited> {
    if let Some(other) = source.layout.other.first() {
        return Err(Error::invalid_argument(other.name.to_string(), "a chunk that cannot be merged"));
    }
    let metadata = new_metadata(document, source)?;
    let forest = Forest::copied(source, source.roots().map(|id| slot(Some(id))))?;
    let edited = graft(document, options, parent, &forest)?;
    if !metadata.is_empty() {
        document.touch();
    }
    document.metadata.extend(metadata);
    document.layout.partial |= source.layout.partial;
    Ok(edited)
}

/// The metadata that only the other document has.
fn new_metadata(document: &Document, source: &Document) -> Result<Vec<Metadata>> {
    let mut known: std::collections::HashMap<&BString, &BString> =
        document.metadata.iter().map(|entry| (&entry.key, &entry.value)).collect();
    let mut new = Vec::new();
    for entry in &source.metadata {
        match known.insert(&entry.key, &entry.value) {
            None => new.push(entry.clone()),
            Some(value) if *value == entry.value => {}
            Some(value) => {
                let what = format!("\"{value}\" here and \"{}\" in the other document", entry.value);
                return Err(Error::invalid_argument(format!("metadata.{}", entry.key), what));
            }
        }
    }
    Ok(new)
}

/// What becomes of a group.
struct Plan {
    /// The class to which it is added; a new one where it is missing.
    class: Option<u32>,
    format: ClassFormat,
    columns: Vec<PlanColumn>,
}

/// What is refused by default: the names of properties.
#[derive(Default)]
struct Refusals {
    lacking: Vec<String>,
    foreign: Vec<String>,
}

impl Refusals {
    fn check(&self) -> Result<()> {
        let list = |names: &[String]| {
            let more = names.len().saturating_sub(LISTED);
            let listed = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
            if more > 0 { format!("{listed} and {more} more") } else { listed }
        };
        let mut what = Vec::new();
        if !self.lacking.is_empty() {
            what.push(format!(
                "no value of {}, which the document stores (EditOptions::fill fills in)",
                list(&self.lacking)
            ));
        }
        if !self.foreign.is_empty() {
            what.push(format!(
                "no value in the other instances of {} (EditOptions::others fills in or leaves out)",
                list(&self.foreign)
            ));
        }
        if what.is_empty() { Ok(()) } else { Err(Error::invalid_argument("", what.join("; "))) }
    }
}

fn graft(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    forest: &Forest<'_>,
) -> Result<Edited> {
    document.editable()?;
    if let Some(parent) = parent {
        document.require(parent)?;
    }
    if let Fill::Like(id) = options.fill {
        document.require(id)?;
    }
    let is_new = matches!(forest.origin, Origin::New(_));
    let (edited, refusals) = (Edited::default(), Refusals::default());
    let mut planner = Planner { document, options, is_new, edited, refusals };
    let plans: Vec<Plan> = forest.groups.iter().map(|group| planner.plan(group)).collect::<Result<_>>()?;
    let Planner { mut edited, refusals, .. } = planner;
    refusals.check()?;
    let full = || Error::invalid_argument("", "more instances or classes than 32 bits can count");
    let referents = document.parts().index.reserve(forest.nodes.len()).ok_or_else(full)?;
    let mut undo = Undo::new(document);
    let done = undo.apply(document, options, forest, &plans, &referents);
    let classes = match done {
        Ok(classes) => classes,
        Err(error) => {
            undo.take_back(document);
            return Err(error);
        }
    };
    edited.instances = place(document, parent, forest, &classes, &referents);
    if !forest.nodes.is_empty() {
        document.touch();
    }
    Ok(edited)
}

/// The rows become instances; those that are not below another one of them.
fn place(
    document: &mut Document,
    parent: Option<InstanceId>,
    forest: &Forest<'_>,
    classes: &[u32],
    referents: &[Referent],
) -> Vec<InstanceId> {
    let Parts { classes: all, index, .. } = document.parts();
    let mut ids: Vec<Option<InstanceId>> = Vec::with_capacity(forest.nodes.len());
    let mut tops = Vec::new();
    for (&(above, group, _), &referent) in forest.nodes.iter().zip(referents) {
        let number = classes[group];
        let above_id = above.map_or(parent, |above| ids[above]);
        let id = index.add(number, referent, slot(above_id));
        ids.push(id);
        if above.is_none() {
            tops.extend(id);
        }
        let class = &mut all[number as usize];
        class.referents.push(referent);
        if class.format == ClassFormat::SERVICE {
            class.markers.push(above_id.is_none().into());
        }
    }
    tops
}

/// What the plans of an edit have in common.
struct Planner<'a> {
    document: &'a Document,
    options: &'a EditOptions<'a>,
    /// The instances are not from another document.
    is_new: bool,
    edited: Edited,
    refusals: Refusals,
}

impl Planner<'_> {
    /// What has to be done for a group, and what must be refused.
    fn plan(&mut self, group: &Group<'_>) -> Result<Plan> {
        let index = self.document.index();
        let numbers = index.classes(group.class);
        let has_rows = |number: &&u32| !index.rows(**number).is_empty();
        let class = numbers.iter().find(has_rows).or(numbers.first()).copied();
        let there = class.and_then(|number| self.document.classes.get(number as usize));
        let there = there.filter(|class| !class.referents.is_empty());
        let format = format(group, there, self.is_new)?;
        let rows = there.map_or(0, |class| class.referents.len());
        let mut columns: Vec<PlanColumn> = Vec::new();
        let stored = there.map_or(&[][..], |class| &class.properties);
        // For each stored column, the property of the group.
        let mut given_for: Vec<Option<usize>> = vec![None; stored.len()];
        let mut foreign = Vec::new();
        for (number, given) in group.given.iter().enumerate() {
            let column = there.zip(class).and_then(|(there, class)| index.column(class, there, given.name));
            match column {
                Some(column) => given_for[column] = Some(number),
                None => foreign.push(number),
            }
        }
        for (number, property) in stored.iter().enumerate() {
            let given = given_for[number];
            let refuse = |what: String| {
                let path = format!("{}.{}", group.class, property.name);
                Err(Error::invalid_argument(path, what))
            };
            match &property.column {
                Column::Untyped if given.is_none_or(|given| group.given[given].type_id().is_none()) => {
                    continue;
                }
                Column::Unknown { .. } => {
                    return refuse("values of a type that is not known, to which none can be added".into());
                }
                column if column.len() != Some(rows) => {
                    return refuse(format!("not one value for each of {rows} instances"));
                }
                _ => {}
            }
            let missing = group.members - given.map_or(0, |given| group.given[given].count(group.members));
            let mut fill = None;
            if missing > 0 {
                let value = self.fill(group.class, &property.name, property.column.type_id());
                fill = self.filled((group.class, &property.name), missing, value, false);
            }
            let name = property.name.clone();
            columns.push(PlanColumn { there: Some(number), name, type_id: None, others: None, given, fill });
        }
        for number in foreign {
            let name = group.given[number].name;
            if let Some(there) = there.filter(|_| self.is_new)
                && names::stored_for(name, stored.iter().map(|property| property.name.as_bstr())).is_some()
            {
                let path = format!("{}.{name}", group.class);
                return Err(Error::invalid_argument(path, not_stored(there, name)));
            }
            columns.extend(self.plan_new(group, number, rows));
        }
        Ok(Plan { class, format, columns })
    }

    /// A property that the instances of the class lack which are in the document.
    fn plan_new(&mut self, group: &Group<'_>, number: usize, rows: usize) -> Option<PlanColumn> {
        let (class, given) = (group.class, &group.given[number]);
        let (name, type_id) = (given.name, given.type_id());
        let missing = group.members - given.count(group.members);
        let mut new = PlanColumn {
            there: None,
            name: name.into(),
            type_id,
            others: None,
            given: Some(number),
            fill: None,
        };
        // A column without type has no values, so that no instance lacks one.
        if type_id.is_none() || rows == 0 && missing == 0 {
            return Some(new);
        }
        let value = match &self.options.others {
            _ if rows == 0 => self.fill(class, name, type_id),
            Others::LeaveOut => {
                let (class, property) = (class.to_owned(), name.to_owned());
                self.edited.left_out.push(LeftOut { class, property, instances: group.members - missing });
                return None;
            }
            Others::With(value) => value(class, name),
            Others::Neutral => type_id.and_then(Value::neutral),
            Others::Refuse => None,
        };
        let value = self.filled((class, name), rows + missing, value, rows > 0)?;
        new.fill = (missing > 0).then(|| value.clone());
        new.others = Some(value);
        Some(new)
    }

    /// The value of a property for instances that lack it; `None` is a refusal.
    fn fill(&self, class: &BStr, name: &BStr, type_id: Option<TypeId>) -> Option<Value> {
        match self.options.fill {
            Fill::Like(id) if self.document.class(id) == Some(class) => {
                self.document.get(id, name).map(|value| value.to_value())
            }
            Fill::With(value) => value(class, name),
            Fill::Neutral => type_id.and_then(Value::neutral),
            _ => None,
        }
    }

    /// Lists a value that is filled in, or refuses where it is missing.
    fn filled(
        &mut self,
        (class, property): (&BStr, &BStr),
        instances: usize,
        value: Option<Value>,
        is_foreign: bool,
    ) -> Option<Value> {
        let Refusals { lacking, foreign } = &mut self.refusals;
        match &value {
            None => if is_foreign { foreign } else { lacking }.push(format!("{class}.{property}")),
            Some(value) => {
                let (class, property, value) = (class.to_owned(), property.to_owned(), value.clone());
                self.edited.filled.push(Filled { class, property, instances, value });
            }
        }
        value
    }
}

/// Whether the class is one of services.
fn format(group: &Group<'_>, there: Option<&Class>, is_new: bool) -> Result<ClassFormat> {
    let Some(there) = there else { return Ok(group.format.unwrap_or_default()) };
    match group.format {
        Some(format) if format != there.format => {
            let name = |format| match format {
                ClassFormat::SERVICE => "a service",
                _ => "not a service",
            };
            let from = if is_new { "the new instance" } else { "the other document" };
            let what = format!("{} in the document and {} in {from}", name(there.format), name(format));
            Err(Error::invalid_argument(group.class.to_string(), what))
        }
        _ if !there.extra.is_empty() => {
            let what = "the class has bytes of unknown meaning: no instance can be added";
            Err(Error::invalid_argument(group.class.to_string(), what))
        }
        _ => Ok(there.format),
    }
}

/// What a document was before rows were added.
struct Undo {
    classes: usize,
    shared_strings: usize,
    /// The number of a class, and how many columns it had; or the class, where it had no instances.
    changed: Vec<(u32, Result<usize, Class>)>,
}

impl Undo {
    fn new(document: &Document) -> Self {
        let (classes, shared_strings) = (document.classes.len(), document.shared_strings.len());
        Self { classes, shared_strings, changed: Vec::new() }
    }

    fn take_back(self, document: &mut Document) {
        for (number, before) in self.changed {
            let class = &mut document.classes[number as usize];
            match before {
                Ok(columns) => class.properties.truncate(columns),
                Err(before) => *class = before,
            }
            let rows = class.referents.len();
            for property in &mut class.properties {
                while let Some(last) = property.column.len().filter(|&len| len > rows) {
                    property.column.swap_remove(last - 1);
                }
            }
            document.parts().index.forget_columns(number);
        }
        while document.classes.len() > self.classes {
            if let Some(class) = document.classes.pop() {
                document.parts().index.pop_class(&class.name);
            }
        }
        document.forget_shared(self.shared_strings);
        document.parts().index.forget_unique_ids();
    }

    /// Adds the rows of all groups to their columns; the class of each group.
    fn apply(
        &mut self,
        document: &mut Document,
        options: &EditOptions<'_>,
        forest: &Forest<'_>,
        plans: &[Plan],
        referents: &[Referent],
    ) -> Result<Vec<u32>> {
        let mut classes = Vec::with_capacity(plans.len());
        for (group, plan) in forest.groups.iter().zip(plans) {
            let number = plan.class.unwrap_or_else(|| add_class(document, group.class));
            let class = &mut document.classes[number as usize];
            let mut before = Ok(class.properties.len());
            if class.referents.is_empty() {
                let empty =
                    Class { id: class.id, name: class.name.clone(), format: plan.format, ..Class::default() };
                before = Err(std::mem::replace(class, empty));
                document.parts().index.forget_columns(number);
            }
            self.changed.push((number, before));
            for column in &plan.columns {
                let new = document.classes[number as usize].properties.len();
                let place = (number, column.there.unwrap_or(new));
                if column.there.is_none() {
                    document.add_column(
                        number,
                        column.name.clone(),
                        column.type_id,
                        column.others.as_ref(),
                    )?;
                }
                let rows = Rows { forest, group, referents, keep: options.keep_unique_ids };
                rows.add(document, place, column)?;
            }
            classes.push(number);
        }
        Ok(classes)
    }
}

/// A class without instances, after the others.
fn add_class(document: &mut Document, name: &BStr) -> u32 {
    // What is written after an edit has other ids.
    let id = document.classes.last().map_or(0, |class| class.id.wrapping_add(1));
    document.classes.push(Class { id, name: name.to_owned(), ..Class::default() });
    document.parts().index.add_class(name.to_owned())
}
