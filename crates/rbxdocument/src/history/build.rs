//! The document for a client of a month.

use std::collections::{HashMap, HashSet};

use ::{rbxbinary as binary, rbxxml as xml};
use rbxcore::{InstanceId, Kind, Value, classes};

use super::table::{self, Month, Status};
use super::walk::{Made, Parent, Walk};
use super::{BINARY_SINCE, Change, ClientOptions, FILE, FILLED, FORM, REFERENCE, ZSTD_SINCE};
use crate::Form;
use crate::convert;
use crate::create::{New, create};
use crate::errors::{Budget, LossKind};
use crate::view::View as _;
use crate::which::{as_binary, type_of};
use crate::{AnyDocument, Dom, Result};

/// A document for a client of a month.
#[derive(Debug)]
#[non_exhaustive]
pub struct Client {
    /// The document.
    pub document: AnyDocument,
    /// What was changed, in the order of the first cases.
    pub changes: Vec<Change>,
    /// The bytes that the conversion left of [`ClientOptions::max_bytes`].
    pub memory_left: u64,
}

/// A document that a client of a month knows whole: with classes, properties, types and enum items that the month had.
/// Everything that it would not know becomes what it knew, or is dropped, and is listed. Binary documents should be written
/// with LZ4 for months before [`ZSTD_SINCE`](super::ZSTD_SINCE).
///
/// # Errors
/// If the result takes more memory than is allowed.
pub fn to_client(document: &dyn Dom, month: Month, options: &ClientOptions) -> Result<Client> {
    let Plan { walk, all, fills, keeps_metadata } = plan(document, month, options)?;
    let mut target = match walk.form {
        Form::Binary => AnyDocument::Binary(binary::Document::new()),
        _ => AnyDocument::Xml(xml::Document::new()),
    };
    let mut walk = walk;
    let mut build = Build {
        source: document,
        target: &mut *target,
        month,
        made: HashMap::new(),
        homes: HashMap::new(),
        group: None,
        references: Vec::new(),
    };
    for made in all {
        build.add(made, &fills)?;
    }
    build.refer(&mut walk)?;
    if keeps_metadata {
        let entries = document.metadata().into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
        target.set_metadata(entries.collect())?;
    }
    let memory_left = walk.budget.left();
    Ok(Client { document: target, changes: walk.changes, memory_left })
}

/// What a client of a month would not know of a document: what [`to_client`] changes. Empty if it knows all.
///
/// # Errors
/// If the lists take more memory than is allowed.
pub fn check_client(document: &dyn Dom, month: Month, max_bytes: u64) -> Result<Vec<Change>> {
    let options = ClientOptions::new().max_bytes(max_bytes);
    Ok(plan(document, month, &options)?.walk.changes)
}

/// The form of a document.
pub(super) fn form_of(document: &dyn Dom) -> Form {
    if document.has_columns() { Form::Binary } else { Form::Xml }
}

/// Whether a file has chunks in Zstandard.
pub(super) fn has_zstd(document: &dyn Dom) -> bool {
    as_binary(document).is_some_and(|binary| binary.has_compression(binary::Compression::Zstd))
}

/// The instances of the result, and all that is listed.
struct Plan<'a> {
    walk: Walk<'a>,
    all: Vec<Made>,
    fills: Fills,
    keeps_metadata: bool,
}

fn plan<'a>(document: &'a dyn Dom, month: Month, options: &'a ClientOptions) -> Result<Plan<'a>> {
    let asked = options.form.unwrap_or(form_of(document));
    let form = if month < BINARY_SINCE { Form::Xml } else { asked };
    let mut walk = Walk::new(document, month, Budget::new(options.max_bytes));
    (walk.form, walk.terrain_parts) = (form, options.terrain_parts);
    walk.unions = Some(&options.unions);
    if form != asked {
        walk.list_file(FORM, "written as XML, which all clients read, and not in the binary form");
    } else if form == Form::Binary && month < ZSTD_SINCE && has_zstd(document) {
        walk.list_file(FORM, "chunks in Zstandard are stored in LZ4, which all clients read");
    }
    // Before this month, models stated nothing.
    let keeps_metadata =
        matches!(table::property("Workspace", "ExplicitAutoJoints", month), Status::Known(_));
    if !keeps_metadata && !document.metadata().is_empty() {
        walk.list_file(FILE, "the metadata, which came with 2018-09");
    }
    list_file(document, &mut walk)?;
    let mut all = Vec::new();
    walk.all(&mut |_, made| {
        all.push(made);
        Ok(())
    })?;
    let fills = if form == Form::Binary { fills(&all, &mut walk)? } else { HashMap::new() };
    list_references(&mut all, &mut walk)?;
    Ok(Plan { walk, all, fills, keeps_metadata })
}

/// Lists what of a file is in no instance.
fn list_file(document: &dyn Dom, walk: &mut Walk<'_>) -> Result<()> {
    if let Some(binary) = as_binary(document) {
        for chunk in binary.unknown_chunks() {
            walk.list_file(FILE, &format!("the chunk {}, whose meaning is not known", chunk.name));
        }
        if binary.signatures().is_some() {
            walk.list_file(FILE, "the signatures, which an edit makes invalid");
        }
    }
    let unknown = convert::unknown(document, &|_| true, |what| what, &mut walk.budget)?;
    for loss in unknown {
        walk.list_file(FILE, &format!("{}: an unknown {}", loss.path, loss.what));
    }
    Ok(())
}

/// Lists the references to instances that are dropped, and makes them null.
fn list_references(all: &mut [Made], walk: &mut Walk<'_>) -> Result<()> {
    walk.budget.charge(all.len() as u64 * 16, "the references between instances")?;
    let remain: HashSet<InstanceId> = all.iter().filter_map(|made| made.source).collect();
    for made in all {
        let Some(source) = made.source else { continue };
        for (name, value) in &mut made.properties {
            let Some(to) = value.reference_mut().filter(|to| to.is_some_and(|to| !remain.contains(&to)))
            else {
                continue;
            };
            *to = None;
            let class = walk.source.class_of(source).into_owned();
            let what = "refers to an instance that is dropped".to_owned();
            walk.list(REFERENCE, LossKind::Approximated, (source, &class, Some(name)), what)?;
        }
    }
    Ok(())
}

/// The values that all instances of a class store in a binary file, by class: the names, and what instances without one get.
type Fills = HashMap<String, Vec<(String, Value)>>;

fn fills(all: &[Made], walk: &mut Walk<'_>) -> Result<Fills> {
    struct Column {
        like: Value,
        count: usize,
    }
    #[derive(Default)]
    struct Columns<'a> {
        count: usize,
        names: Vec<&'a str>,
        columns: HashMap<&'a str, Column>,
    }
    let mut classes: HashMap<&str, Columns<'_>> = HashMap::new();
    for made in all {
        let Columns { count, names, columns } = classes.entry(&made.class).or_default();
        *count += 1;
        for (name, value) in &made.properties {
            // References in attributes are folded into these.
            if crate::attribute_refs::key_of(name).is_some() {
                continue;
            }
            let column = columns.entry(name).or_insert_with(|| {
                names.push(name);
                Column { like: value.clone(), count: 0 }
            });
            column.count += 1;
        }
    }
    let mut fills = Fills::new();
    for (class, Columns { count, names, columns }) in classes {
        let mut of_class = Vec::new();
        for name in names {
            let Column { like, count: with } = &columns[name];
            if *with == count {
                continue;
            }
            let kind = type_of(like).and_then(binary::parts::TypeId::kind).unwrap_or(Kind::String);
            let default = classes::default_of(class, name, kind).unwrap_or_else(|| Value::neutral(kind));
            walk.changes.push(Change {
                rule: FILLED,
                kind: LossKind::FilledIn,
                path: class.to_owned(),
                class: class.to_owned(),
                property: Some(name.to_owned()),
                what: "the default, which a binary file needs for all instances of the class".to_owned(),
                count: count - with,
            });
            walk.budget.charge(300, "the list of changes")?;
            of_class.push((name.to_owned(), default));
        }
        if !of_class.is_empty() {
            fills.insert(class.to_owned(), of_class);
        }
    }
    Ok(fills)
}

struct Build<'a> {
    source: &'a dyn Dom,
    target: &'a mut dyn Dom,
    month: Month,
    made: HashMap<InstanceId, InstanceId>,
    homes: HashMap<String, InstanceId>,
    /// The last model that is only in the result.
    group: Option<InstanceId>,
    references: Vec<(InstanceId, InstanceId, String, InstanceId, Value)>,
}

impl Build<'_> {
    fn add(&mut self, made: Made, fills: &Fills) -> Result<()> {
        let Made { source, parent, class, service, mut properties } = made;
        if let Some(fills) = fills.get(&class) {
            let lacking: Vec<_> =
                fills.iter().filter(|(name, _)| properties.iter().all(|(known, _)| known != name)).collect();
            properties.extend(lacking.into_iter().cloned());
        }
        let mut references = Vec::new();
        for (name, value) in &mut properties {
            if let Some(to) = value.reference_mut().and_then(Option::take) {
                references.push((name.clone(), to, value.clone()));
            }
            *value = self.stored(&class, name, value.clone())?;
        }
        let parent = match parent {
            Parent::Root => None,
            Parent::Of(id) => self.made.get(&id).copied(),
            Parent::Home(home) => self.home(home)?,
            Parent::Group => self.group,
        };
        let new = New { class: class.clone(), service, properties };
        let new = create(&mut *self.target, parent, new)?;
        if parent.is_none() && classes::is_service(&class) {
            self.homes.entry(class.clone()).or_insert(new);
        }
        if source.is_none() && class == "Model" {
            self.group = Some(new);
        }
        if let Some(source) = source {
            self.made.insert(source, new);
            let references = references.into_iter().map(|(name, to, value)| (source, new, name, to, value));
            self.references.extend(references);
        }
        Ok(())
    }

    /// A value as the form stores it. In XML, the table knows which kind of string an older property has.
    fn stored(&self, class: &str, name: &str, value: Value) -> Result<Value> {
        let value = self.target.stored(class, name, value)?;
        if self.target.has_columns() || value.as_bytes().is_none() {
            return Ok(value);
        }
        let Status::Known(of) = table::property(class, name, self.month) else { return Ok(value) };
        let kind = table::property_kind(name, of, self.month).and_then(|kind| value.converted(kind));
        Ok(kind.unwrap_or(value))
    }

    /// A service; a place can lack it.
    fn home(&mut self, class: &str) -> Result<Option<InstanceId>> {
        if let Some(&id) = self.homes.get(class) {
            return Ok(Some(id));
        }
        let properties = vec![("Name".to_owned(), Value::from(class))];
        // In a file of all classes, services are regular instances.
        let service = self.source.one_of(class).is_none_or(|id| self.source.is_service(id));
        let id = create(&mut *self.target, None, New { class: class.to_owned(), service, properties })?;
        self.homes.insert(class.to_owned(), id);
        Ok(Some(id))
    }

    /// Sets the references, whose targets all exist now.
    fn refer(self, walk: &mut Walk<'_>) -> Result<()> {
        for of_instance in self.references.chunk_by(|(one, ..), (next, ..)| one == next) {
            let mut set = Vec::with_capacity(of_instance.len());
            let Some(&(_, new, ..)) = of_instance.first() else { continue };
            let work = of_instance.len() * self.target.count_of(new);
            walk.budget.work((work as u64).saturating_mul(16), "the references between instances")?;
            for (_, _, name, to, value) in of_instance {
                let mut value = value.clone();
                if let (Some(&to), Some(reference)) = (self.made.get(to), value.reference_mut()) {
                    *reference = Some(to);
                    set.push((name.clone(), value));
                }
            }
            self.target.refer(new, set)?;
        }
        Ok(())
    }
}
