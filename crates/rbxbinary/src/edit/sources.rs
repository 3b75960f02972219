//! The instances to insert, new or from another document, grouped by class.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use crate::consts::{ClassFormat, TypeId};
use crate::model::{Column, Document, NewNode, NewValue, ValueRef};
use geom::wire::{Error, Result};

/// Instances to insert.
pub(super) struct Forest<'a> {
    pub(super) groups: Vec<Group<'a>>,
    /// For each instance, the index of its parent in this list, its group, and its index in the group. Parents precede
    /// their children, and the indices in a group rise.
    pub(super) nodes: Vec<(Option<usize>, usize, usize)>,
    pub(super) origin: Origin<'a>,
}

/// The origin of the instances.
pub(super) enum Origin<'a> {
    /// New instances; with the index of the instance with each label.
    New(HashMap<&'a BStr, usize>),
    /// Another document; with the index of the instance in each of its slots.
    Copied(&'a Document, HashMap<u32, usize>),
}

/// All instances of a class.
pub(super) struct Group<'a> {
    pub(super) class: &'a BStr,
    /// The format that the class must have, if known.
    pub(super) format: Option<ClassFormat>,
    pub(super) members: usize,
    /// The rows of the members in the other document.
    rows: Vec<usize>,
    pub(super) given: Vec<Given<'a>>,
}

/// A property, and its values.
pub(super) struct Given<'a> {
    pub(super) name: &'a BStr,
    values: Values<'a>,
}

enum Values<'a> {
    /// The index of the member, and its value.
    New(Vec<(usize, &'a NewValue)>),
    Column(&'a Column),
}

/// One value.
pub(super) enum Item<'a> {
    Value(ValueRef<'a>),
    Label(&'a BStr),
}

impl<'a> Forest<'a> {
    pub(super) fn new(new: &'a [(Option<usize>, NewNode)]) -> Result<Self> {
        let (mut groups, mut nodes) = (Vec::new(), Vec::with_capacity(new.len()));
        let mut labels = HashMap::new();
        let mut numbers: HashMap<&BStr, (usize, HashMap<&BStr, usize>)> = HashMap::new();
        for (index, (parent, node)) in new.iter().enumerate() {
            if let Some(label) = &node.label
                && labels.insert(label.as_bstr(), index).is_some()
            {
                return Err(Error::invalid_argument(
                    "",
                    format!("two new instances have the label \"{label}\""),
                ));
            }
            let (number, names) = numbers.entry(node.class()).or_insert_with(|| {
                groups.push(Group::new(node.class(), None));
                (groups.len() - 1, HashMap::new())
            });
            let group: &mut Group<'_> = &mut groups[*number];
            let member = group.members;
            group.members += 1;
            if node.service {
                group.format = Some(ClassFormat::SERVICE);
            }
            for (at, value) in &node.properties {
                let name = node.name(at);
                if matches!(value, NewValue::Value(value) if value.kind().is_none()) {
                    let what = "the binary format cannot represent this value (only XML can)";
                    return Err(Error::invalid_argument(format!("{}.{name}", node.class()), what));
                }
                let given = *names.entry(name).or_insert_with(|| {
                    group.given.push(Given { name, values: Values::New(Vec::new()) });
                    group.given.len() - 1
                });
                if let Values::New(values) = &mut group.given[given].values {
                    match values.last_mut() {
                        // Of several values with the same name, the last one counts.
                        Some((last, other)) if *last == member => *other = value,
                        _ => values.push((member, value)),
                    }
                }
            }
            nodes.push((*parent, *number, member));
        }
        Ok(Self { groups, nodes, origin: Origin::New(labels) })
    }

    /// Instances of another document, with their descendants.
    pub(super) fn copied(document: &'a Document, tops: impl Iterator<Item = u32>) -> Result<Self> {
        let index = document.index();
        let (mut groups, mut nodes) = (Vec::new(), Vec::new());
        let mut numbers: HashMap<u32, usize> = HashMap::new();
        let mut new: HashMap<u32, usize> = HashMap::new();
        for slot in tops.flat_map(|top| index.subtree(top)) {
            let Some(node) = index.at(slot) else { continue };
            let class = &document.classes[node.class as usize];
            let number = *numbers.entry(node.class).or_insert_with(|| {
                groups.push(Group::new(class.name.as_bstr(), Some(class.format)));
                groups.len() - 1
            });
            let group: &mut Group<'_> = &mut groups[number];
            if group.members == 0 {
                group.check(class)?;
                let properties = class.properties.iter();
                let given = properties
                    .map(|property| Given { name: &property.name, values: Values::Column(&property.column) });
                group.given = given.collect();
            }
            let parent = new.get(&node.parent).copied();
            new.insert(slot, nodes.len());
            nodes.push((parent, number, group.members));
            group.members += 1;
            group.rows.push(node.row as usize);
        }
        let mut names = std::collections::HashSet::new();
        if let Some(group) = groups.iter().find(|group| !names.insert(group.class)) {
            let what = "cannot copy instances: the source document has two INST chunks for the class \
                        (convert the source document to XML and back, which merges them)";
            return Err(Error::invalid_argument(group.class.to_string(), what));
        }
        Ok(Self { groups, nodes, origin: Origin::Copied(document, new) })
    }
}

impl<'a> Group<'a> {
    fn new(class: &'a BStr, format: Option<ClassFormat>) -> Self {
        Self { class, format, members: 0, rows: Vec::new(), given: Vec::new() }
    }

    /// Fails if the rows of a class cannot be copied.
    fn check(&self, class: &crate::model::Class) -> Result<()> {
        let refuse = |path: String, what: &str| Err(Error::invalid_argument(path, what.to_owned()));
        if !class.extra.is_empty() {
            return refuse(
                class.name.to_string(),
                "cannot copy instances: the INST chunk of the class has bytes of unknown meaning \
                 (to drop them, convert the source document to XML and back with the option allow_loss or \
                 --allow-loss)",
            );
        }
        let mut names = std::collections::HashSet::new();
        for property in &class.properties {
            let path = || format!("{}.{}", class.name, property.name);
            if !names.insert(&property.name) {
                return refuse(
                    path(),
                    "cannot copy instances: the source document has two PROP chunks for the property \
                     (to keep only the last one, convert the source document to XML and back with the option \
                     allow_loss or --allow-loss)",
                );
            }
            match &property.column {
                Column::Unknown { .. } => {
                    return refuse(
                        path(),
                        "cannot copy instances: the PROP chunk has unknown or malformed values (to drop \
                         them, convert the source document to XML and back with the option allow_loss or \
                         --allow-loss)",
                    );
                }
                Column::Content(contents) if !contents.external.is_empty() => {
                    return refuse(
                        path(),
                        "cannot copy instances: found references to external objects of unknown meaning (to drop \
                         them, convert the source document to XML and back with the option allow_loss or \
                         --allow-loss)",
                    );
                }
                column if column.len().is_some_and(|len| len != class.referents.len()) => {
                    let counts = (column.len().unwrap_or(0), class.referents.len());
                    let what = format!(
                        "cannot copy instances: the PROP chunk does not have one value per instance \
                         (values: {}; instances: {})",
                        counts.0, counts.1
                    );
                    return refuse(path(), &what);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'a> Given<'a> {
    /// The type of the values; `None` without values.
    pub(super) fn type_id(&self) -> Option<TypeId> {
        match &self.values {
            Values::New(values) => match values.first()?.1 {
                NewValue::Value(value) => TypeId::of_value(&value.as_ref()),
                NewValue::Label(_) => Some(TypeId::REF),
            },
            Values::Column(column) => column.type_id(),
        }
    }

    /// The number of members that have the property.
    pub(super) fn count(&self, members: usize) -> usize {
        match &self.values {
            Values::New(values) => values.len(),
            Values::Column(_) => members,
        }
    }

    /// The value of each member, in order; `None` for a member without a value.
    pub(super) fn items(
        &self,
        group: &'a Group<'a>,
        document: Option<&'a Document>,
    ) -> impl Iterator<Item = Option<Item<'a>>> {
        let source = document.map(Document::source);
        let mut next = 0;
        (0..group.members).map(move |member| match &self.values {
            Values::New(values) => {
                let value = values.get(next).filter(|(of, _)| *of == member).map(|&(_, value)| value)?;
                next += 1;
                Some(match value {
                    NewValue::Value(value) => Item::Value(value.as_ref()),
                    NewValue::Label(label) => Item::Label(label.as_bstr()),
                })
            }
            Values::Column(column) => {
                column.value(*group.rows.get(member)?, source.as_ref()?).map(Item::Value)
            }
        })
    }
}
