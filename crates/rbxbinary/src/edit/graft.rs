//! Inserts instances into a document. The whole edit is planned, and refused if necessary, before anything changes; an
//! edit that fails later is rolled back.

use bstr::{BStr, BString, ByteSlice};

#[cfg(feature = "classes")]
use super::classes;
use super::one::one_more;
use super::rows::{Plan, PlanColumn, Turn};
use super::sources::{Forest, Given, Group, Item, Origin};
use super::undo::Undo;
use super::{Parts, not_stored};
use crate::consts::{ClassFormat, TypeId};
use crate::model::references::referred;
use crate::model::{
    Class, Column, Document, InstanceId, Metadata, NewInstance, NewNode, Property, Referent, Value, ValueRef,
};
use crate::view::slot;
use geom::wire::{Error, Problem, Result};
use rbxcore::parts::names;
use rbxcore::{Added, Dom as _, EditOptions, Edited, Fill, Filled, LeftOut, Missing, Others, Renamed};

/// Inserts new instances, or copies of some of another document.
pub(crate) fn add(
    document: &mut Document,
    options: &EditOptions<'_>,
    parent: Option<InstanceId>,
    new: Added<'_>,
) -> Result<Edited> {
    match new {
        Added::New(mut new) => match one_more(document, parent, &mut new)? {
            Some(id) => Ok(id.into()),
            None => graft(document, options, parent, &Forest::new(&nodes(document, options, new)?)?),
        },
        Added::Copy(source, id) => {
            let source = Added::source::<Document>(source)?;
            let edited = graft(document, options, parent, &below(source, id)?)?;
            document.frames.partial |= source.frames.partial;
            Ok(edited)
        }
        Added::All(source) => {
            let source = Added::source::<Document>(source)?;
            if let Some(name) = source.unknown_chunks().next().map(|chunk| chunk.name) {
                let what = format!(
                    "cannot insert the content of a document with the unknown or repeated chunk {name} (convert that \
                     document to XML and back, with the option allow_loss or --allow-loss, which drops the chunk)"
                );
                return Err(Error::invalid_argument("", what));
            }
            let metadata = new_metadata(document, source)?;
            let edited = graft(document, options, parent, &whole(source)?)?;
            if !metadata.is_empty() {
                document.metadata_mut().extend(metadata);
            }
            document.frames.partial |= source.frames.partial;
            Ok(edited)
        }
    }
}

/// The values whose absence makes [`add`] fail.
pub(crate) fn lacking(
    document: &Document,
    options: &EditOptions<'_>,
    new: Added<'_>,
) -> Result<Vec<Missing>> {
    let missing = |forest: &Forest<'_>| Ok(plan(document, options, forest)?.1);
    match new {
        Added::New(new) => missing(&Forest::new(&nodes(document, options, new)?)?),
        Added::Copy(source, id) => missing(&below(Added::source(source)?, id)?),
        Added::All(source) => {
            let source = Added::source(source)?;
            new_metadata(document, source)?;
            missing(&whole(source)?)
        }
    }
}

/// An instance of another document, with its descendants.
fn below(source: &Document, id: InstanceId) -> Result<Forest<'_>> {
    source.require(id)?;
    Forest::copied(source, std::iter::once(slot(Some(id))))
}

/// The new instances, with names and types as files store them.
#[cfg_attr(not(feature = "classes"), allow(unused_mut, unused_variables, reason = "for the class table"))]
fn nodes(
    document: &Document,
    options: &EditOptions<'_>,
    new: NewInstance,
) -> Result<Vec<(Option<usize>, NewNode)>> {
    let mut nodes = new.into_nodes();
    #[cfg(feature = "classes")]
    if !options.as_given {
        for (_, node) in &mut nodes {
            rbxcore::property::join(node)?;
            node.storable()?;
            classes::as_stored(document, node)?;
        }
    }
    Ok(nodes)
}

fn whole(source: &Document) -> Result<Forest<'_>> {
    Forest::copied(source, source.roots().map(|id| slot(Some(id))))
}

/// The metadata of the other document that this one lacks.
fn new_metadata(document: &Document, source: &Document) -> Result<Vec<Metadata>> {
    let mut known: std::collections::HashMap<&BString, &BString> =
        document.metadata.iter().map(|entry| (&entry.key, &entry.value)).collect();
    let mut new = Vec::new();
    for entry in &source.metadata {
        match known.insert(&entry.key, &entry.value) {
            None => new.push(entry.clone()),
            Some(value) if *value == entry.value => {}
            Some(value) => {
                let what = format!(
                    "expected the same value in both documents, found \"{value}\" and \"{}\" (make them equal \
                     before merging)",
                    entry.value
                );
                return Err(Error::invalid_argument(format!("metadata.{}", entry.key), what));
            }
        }
    }
    Ok(new)
}

/// Refuses an edit for which values are missing. The error names the first properties, and gives the number of the
/// others; [`EditOptions::missing`] and its variants return all of them.
fn refuse_missing(missing: &[Missing]) -> Result<()> {
    let (lacking, foreign): (Vec<_>, Vec<_>) = missing.iter().partition(|missing| !missing.is_foreign);
    let parts = [("new", "EditOptions::fill", lacking), ("existing", "EditOptions::others", foreign)];
    let parts: Vec<_> = parts.iter().filter(|(.., of)| !of.is_empty()).collect();
    if parts.is_empty() {
        return Ok(());
    }
    let options: Vec<_> = parts.iter().map(|&&(_, option, _)| option).collect();
    let advice = format!(" ({ADVICE}{})", options.join(" and "));
    let names = parts.iter().enumerate().map(|(number, (whose, _, of))| {
        let advice = if number == 0 { &*advice } else { "" };
        format!("in {whose} instances{advice}: {}", names_of(of, NAMED / parts.len()))
    });
    let text = format!("property values are missing {}", names.collect::<Vec<_>>().join("; "));
    Err(Error::invalid_argument("", Problem::MissingValues(text.into())))
}

/// The maximum number of bytes of names in an error.
const NAMED: usize = 116;

/// The names of the first properties, up to a number of bytes.
fn names_of(missing: &[&Missing], most: usize) -> String {
    let mut text = String::new();
    for (index, Missing { class, property, .. }) in missing.iter().enumerate() {
        let name = format!("{class}.{property}");
        if index > 0 && text.len() + name.len() > most {
            return format!("{text}, and {} more", missing.len() - index);
        }
        text += if index > 0 { ", " } else { "" };
        text += &name;
    }
    text
}

/// The advice of an error about missing values, before the names of options.
const ADVICE: &str = if cfg!(feature = "classes") { "use EditOptions::defaults(), or set " } else { "set " };

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
    let (plans, missing, mut edited) = plan(document, options, forest)?;
    refuse_missing(&missing)?;
    let room = document.room_after(&edited.filled)?;
    let full =
        || Error::invalid_argument("", "the document would have more than 4294967294 instances or classes");
    let referents = {
        let Parts { classes, index, .. } = document.parts();
        index.reserve(forest.nodes.len(), || referred(classes)).ok_or_else(full)?
    };
    let strings = document.shared_strings.len();
    let mut undo = Undo::new(document);
    let done = undo.apply(document, options, forest, &plans, &referents);
    let classes = match done {
        Ok(classes) => classes,
        Err(error) => {
            undo.roll_back(document);
            return Err(error);
        }
    };
    document.room = room;
    edited.instances = place(document, parent, forest, &classes, &referents);
    edited.cut = std::mem::take(&mut undo.cut);
    undo.commit(document);
    document.touch_new_strings(strings);
    if !forest.nodes.is_empty() {
        document.touch_tree();
    }
    Ok(edited)
}

/// The plan for each group, the missing values, and the values that are filled in.
fn plan(
    document: &Document,
    options: &EditOptions<'_>,
    forest: &Forest<'_>,
) -> Result<(Vec<Plan>, Vec<Missing>, Edited)> {
    document.editable()?;
    let is_new = matches!(forest.origin, Origin::New(_));
    let (edited, missing) = (Edited::default(), Vec::new());
    let mut planner = Planner { document, options, is_new, origin: &forest.origin, edited, missing };
    let plans = forest.groups.iter().map(|group| planner.plan(group)).collect::<Result<_>>()?;
    Ok((plans, planner.missing, planner.edited))
}

/// Links the new rows into the tree and returns the topmost instances.
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

/// Makes the plans of an edit, and collects the changes and the missing values.
struct Planner<'a> {
    document: &'a Document,
    options: &'a EditOptions<'a>,
    /// The instances are new, not from another document.
    is_new: bool,
    origin: &'a Origin<'a>,
    edited: Edited,
    missing: Vec<Missing>,
}

impl Planner<'_> {
    /// The plan for a group, or the reason to refuse the edit.
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
        // For each stored column, the property of the group that it stores, and the conversion.
        let mut given_for: Vec<Option<(usize, Option<Turn>)>> = vec![None; stored.len()];
        let mut foreign = Vec::new();
        for (number, given) in group.given.iter().enumerate() {
            let column = there.zip(class).and_then(|(there, class)| index.column(class, there, given.name));
            match column {
                Some(column) => given_for[column] = Some((number, None)),
                None => foreign.push(number),
            }
        }
        foreign.retain(|&number| {
            let given = &group.given[number];
            let to = self.stored_instead(group.class, given, stored);
            // A property of the same instances that is stored in one of these columns is not replaced.
            let free = to.iter().all(|&(column, _)| given_for[column].is_none());
            if to.is_empty() || !free {
                return true;
            }
            for (column, turn) in to {
                given_for[column] = Some((number, turn));
                self.renamed(group.class, (given.name, &stored[column].name), given.count(group.members));
            }
            false
        });
        for (number, property) in stored.iter().enumerate() {
            let given = given_for[number].or_else(|| self.older_of(group, property));
            let (given, turn) = given.unzip();
            let refuse = |what: String| {
                let path = format!("{}.{}", group.class, property.name);
                Err(Error::invalid_argument(path, what))
            };
            match &property.column {
                Column::Untyped if given.is_none_or(|given| group.given[given].type_id().is_none()) => {
                    continue;
                }
                Column::Unknown { .. } => {
                    return refuse(
                        "cannot add instances: the PROP chunk has unknown or malformed values (to drop them, convert \
                         the document to XML and back with the option allow_loss or --allow-loss)"
                            .into(),
                    );
                }
                column if column.len() != Some(rows) => {
                    let counts = format!("values: {}; instances: {rows}", column.len().unwrap_or(0));
                    return refuse(format!("the PROP chunk does not have one value per instance ({counts})"));
                }
                _ => {}
            }
            let missing = group.members - given.map_or(0, |given| group.given[given].count(group.members));
            let mut fill = None;
            if missing > 0 {
                let like = || self.document.get(self.document.by_class(group.class).next()?, &property.name);
                let value = self.fill(group.class, &property.name, property.column.type_id(), like);
                fill = self.filled((group.class, &property.name), missing, value, false);
            }
            let name = property.name.clone();
            columns.push(PlanColumn {
                there: Some(number),
                name,
                type_id: None,
                others: None,
                others_from: None,
                given,
                turn: turn.flatten(),
                fill,
            });
        }
        for number in foreign {
            let name = group.given[number].name;
            if let Some(there) = there.filter(|_| self.is_new && !is_known(group.class, name))
                && names::stored_for(name, stored.iter().map(|property| property.name.as_bstr())).is_some()
            {
                let path = format!("{}.{name}", group.class);
                return Err(Error::invalid_argument(path, not_stored(there, name, "")));
            }
            match self.plan_successors(group, number, there) {
                Some(newer) => columns.extend(newer),
                None => columns.extend(self.plan_new(group, number, there)),
            }
        }
        Ok(Plan { class, format, columns })
    }

    /// The properties that have replaced one that existing instances lack: they get the defaults of these.
    fn plan_successors(
        &mut self,
        group: &Group<'_>,
        number: usize,
        there: Option<&Class>,
    ) -> Option<Vec<PlanColumn>> {
        let (given, rows) = (&group.given[number], there?.referents.len());
        let newer =
            self.by_class().then(|| successors(group.class, given.name, given.type_id()?)).flatten()?;
        let is_taken = |name: &str| {
            there.is_some_and(|there| there.property(name).is_some())
                || group.given.iter().any(|given| *given.name == *name)
        };
        let converts = |turn: Turn| self.values(group, given).all(|value| turn(value).is_some());
        if newer.iter().any(|&(name, _, turn)| is_taken(name) || turn.is_some_and(|turn| !converts(turn))) {
            return None;
        }
        let count = given.count(group.members);
        let defaults =
            newer.iter().map(|(name, type_id, _)| known_default(group.class, name, Some(*type_id)));
        let defaults: Vec<Value> = defaults.collect::<Option<_>>()?;
        let columns = newer.iter().zip(defaults).map(|(&(name, type_id, turn), value)| {
            self.renamed(group.class, (given.name, name.into()), count);
            self.filled((group.class, name.into()), rows + group.members - count, Some(value.clone()), true);
            PlanColumn {
                there: None,
                name: BStr::new(name).into(),
                type_id: Some(type_id),
                fill: (count < group.members).then(|| value.clone()),
                others: Some(value),
                others_from: None,
                given: Some(number),
                turn,
            }
        });
        Some(columns.collect())
    }

    /// The values of a property, without references by label.
    fn values<'a>(
        &'a self,
        group: &'a Group<'a>,
        given: &'a Given<'a>,
    ) -> impl Iterator<Item = ValueRef<'a>> {
        let source = match self.origin {
            Origin::New(_) => None,
            Origin::Copied(document, _) => Some(*document),
        };
        given.items(group, source).filter_map(|item| match item? {
            Item::Value(value) => Some(value),
            Item::Label(_) => None,
        })
    }

    /// A property that the new instances have and existing ones of the class lack.
    fn plan_new(&mut self, group: &Group<'_>, number: usize, there: Option<&Class>) -> Option<PlanColumn> {
        let rows = there.map_or(0, |class| class.referents.len());
        let (class, given) = (group.class, &group.given[number]);
        let (name, type_id) = (given.name, given.type_id());
        let missing = group.members - given.count(group.members);
        let mut new = PlanColumn {
            there: None,
            name: name.into(),
            type_id,
            others: None,
            others_from: there.and_then(|there| self.stored_before(there, given)),
            given: Some(number),
            turn: None,
            fill: None,
        };
        // A column without a type has no values, so no instance lacks one.
        if type_id.is_none() || rows == 0 && missing == 0 {
            return Some(new);
        }
        let value = match &self.options.others {
            _ if rows == 0 => self.fill(class, name, type_id, || self.values(group, given).next()),
            Others::With(value) => value(class, name),
            Others::Neutral => type_id.and_then(TypeId::neutral),
            Others::LeaveOut => None,
            #[cfg(feature = "classes")]
            Others::Defaults => known_default(class, name, type_id),
            _ => None,
        };
        let drops = rows > 0 && (matches!(self.options.others, Others::LeaveOut) || self.by_class());
        if value.is_none() && drops {
            let (class, property) = (class.to_owned(), name.to_owned());
            self.edited.left_out.push(LeftOut { class, property, instances: group.members - missing });
            return None;
        }
        let value = match new.others_from.zip(there) {
            Some(((column, _), there)) => {
                self.renamed(class, (&there.properties[column].name, name), rows);
                // Only columns of other documents are renamed, and they have a value for each instance.
                value?
            }
            None => self.filled((class, name), rows + missing, value, rows > 0)?,
        };
        new.fill = (missing > 0).then(|| value.clone());
        new.others = Some(value);
        Some(new)
    }

    /// Whether the document's instances get defaults. Only then is the same property in another form looked for.
    fn by_class(&self) -> bool {
        #[cfg(feature = "classes")]
        return matches!(self.options.others, Others::Defaults);
        #[cfg(not(feature = "classes"))]
        false
    }

    /// The older form that inserted instances have of a stored property that they lack, if it says the same of all.
    fn older_of(&self, group: &Group<'_>, property: &Property) -> Option<(usize, Option<Turn>)> {
        let is_given = matches!(self.options.fill, Fill::Like(_) | Fill::With(_) | Fill::Neutral);
        let position = |name: &[u8]| group.given.iter().rposition(|given| *given.name == *name);
        let type_id = property.column.type_id().filter(|_| !is_given);
        let (older, turn) = turns(group.class, property.name.as_bstr(), type_id, &position, true).pop()?;
        let given = &group.given[older];
        let converts = |value| turn.is_some_and(|turn| turn(value).is_some());
        (given.count(group.members) == group.members && self.values(group, given).all(converts))
            .then_some((older, turn))
    }

    /// The columns that store the same property under another name, or in the form that replaced it.
    fn stored_instead(
        &self,
        class: &BStr,
        given: &Given<'_>,
        stored: &[Property],
    ) -> Vec<(usize, Option<Turn>)> {
        let position = |name: &[u8]| stored.iter().rposition(|property| property.name == *name);
        if self.by_class() { turns(class, given.name, given.type_id(), &position, false) } else { Vec::new() }
    }

    /// The column that stores the older form of a property.
    fn stored_before(&self, there: &Class, given: &Given<'_>) -> Option<(usize, Option<Turn>)> {
        let position = |name: &[u8]| there.properties.iter().rposition(|property| property.name == *name);
        let name = there.name.as_bstr();
        self.by_class().then(|| turns(name, given.name, given.type_id(), &position, true).pop()).flatten()
    }

    fn renamed(&mut self, class: &BStr, (property, to): (&BStr, &BStr), instances: usize) {
        let (class, property, to) = (class.to_owned(), property.to_owned(), to.to_owned());
        self.edited.renamed.push(Renamed { class, property, to, instances });
    }

    /// The value of a property for inserted instances that lack it; `None` refuses the edit. `like` returns the value of
    /// another instance of the class.
    #[cfg_attr(not(feature = "classes"), allow(unused_variables, reason = "for the class table"))]
    fn fill<'a>(
        &'a self,
        class: &BStr,
        name: &BStr,
        type_id: Option<TypeId>,
        like: impl FnOnce() -> Option<ValueRef<'a>>,
    ) -> Option<Value> {
        match self.options.fill {
            Fill::Like(id) if self.document.class(id) == Some(class) => {
                self.document.get(id, name).map(|value| value.to_value())
            }
            Fill::With(value) => value(class, name),
            Fill::Neutral => type_id.and_then(TypeId::neutral),
            #[cfg(feature = "classes")]
            Fill::Defaults => known_default(class, name, type_id)
                .or_else(|| like().map(|value| value.to_value()).filter(classes::is_setting))
                .or_else(|| type_id.and_then(TypeId::neutral)),
            _ => None,
        }
    }

    /// Records a value that is filled in, or, if it is `None`, that it is missing.
    fn filled(
        &mut self,
        (class, property): (&BStr, &BStr),
        instances: usize,
        value: Option<Value>,
        is_foreign: bool,
    ) -> Option<Value> {
        let (class, property) = (class.to_owned(), property.to_owned());
        match value.clone() {
            None => self.missing.push(Missing { class, property, instances, is_foreign }),
            Some(value) => self.edited.filled.push(Filled { class, property, instances, value }),
        }
        value
    }
}

/// Whether the class table has a property under this name, which then is no misspelling.
#[cfg(feature = "classes")]
fn is_known(class: &BStr, name: &BStr) -> bool {
    classes::stored_name(class, name).is_some_and(|stored| *stored == *name)
}

#[cfg(not(feature = "classes"))]
fn is_known(_: &BStr, _: &BStr) -> bool {
    false
}

/// The columns that a property can be converted to, or (`back`) from; the properties that replaced it; its default.
#[cfg(feature = "classes")]
use super::classes::{default as known_default, successors, turns};

#[cfg(not(feature = "classes"))]
fn known_default(_: &BStr, _: &str, _: Option<TypeId>) -> Option<Value> {
    None
}

#[cfg(not(feature = "classes"))]
fn successors(_: &BStr, _: &BStr, _: TypeId) -> Option<Vec<(&'static str, TypeId, Option<Turn>)>> {
    None
}

#[cfg(not(feature = "classes"))]
fn turns(
    _: &BStr,
    _: &BStr,
    _: Option<TypeId>,
    _: &dyn Fn(&[u8]) -> Option<usize>,
    _: bool,
) -> Vec<(usize, Option<Turn>)> {
    Vec::new()
}

/// The format of a class: whether its instances are services, which a file declares once per class. For an existing
/// class, the document's format applies, even if a merged document declares another one; a new instance must match it.
fn format(group: &Group<'_>, there: Option<&Class>, is_new: bool) -> Result<ClassFormat> {
    let Some(there) = there else { return Ok(group.format.unwrap_or(ClassFormat::REGULAR)) };
    match group.format {
        Some(format) if is_new && format != there.format => {
            let what = "expected a regular instance, because the existing instances of the class are not services \
                        (call NewInstance::service(false))";
            Err(Error::invalid_argument(group.class.to_string(), what))
        }
        _ if !there.extra.is_empty() => {
            let what = "cannot add instances: the INST chunk of the class has bytes of unknown meaning \
                        (to drop them, convert the document to XML and back with the option allow_loss or \
                        --allow-loss)";
            Err(Error::invalid_argument(group.class.to_string(), what))
        }
        _ => Ok(there.format),
    }
}
