//! The objects of a file, and how they are connected.

use std::collections::HashMap;

use rezkit_core::{Budget, Result};

use super::tree::{Record, Value};

/// An object.
pub(super) struct Object<'a> {
    pub(super) record: &'a Record,
    /// The kind of the record: `Model`, `Geometry`.
    pub(super) kind: &'a str,
    pub(super) name: String,
    /// The kind within its kind: `Mesh`, `LimbNode`.
    pub(super) class: String,
    pub(super) properties: Properties<'a>,
}

/// A connection to another object; `property` is empty if it belongs to the object itself.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) object: usize,
    pub(super) property: String,
}

/// All objects.
#[derive(Default)]
pub(super) struct Objects<'a> {
    pub(super) all: Vec<Object<'a>>,
    /// The objects that belong to each object, in the order of the file.
    pub(super) below: Vec<Vec<Link>>,
    /// The objects that each object belongs to; [`SCENE`] for the scene.
    pub(super) above: Vec<Vec<Link>>,
    /// The models at the top.
    pub(super) tops: Vec<usize>,
    /// Whether Blender wrote the file.
    pub(super) is_blender: bool,
    /// The number of the version, such as 7400; 0 if it is not stated.
    pub(super) version: i64,
}

/// The index of the scene in connections.
pub(super) const SCENE: usize = usize::MAX;
const WHAT: &str = "the objects of the file";

/// The properties of an object: those of its own, and the defaults of its kind.
#[derive(Clone, Copy, Default)]
pub(super) struct Properties<'a> {
    own: Option<&'a Record>,
    defaults: Option<&'a Record>,
}

impl<'a> Properties<'a> {
    pub(super) fn of(record: &'a Record, defaults: Option<&'a Record>) -> Self {
        let own = record.child("Properties70").or_else(|| record.child("Properties60"));
        Self { own, defaults }
    }

    /// The values of a property.
    pub(super) fn values(&self, name: &str) -> Option<&'a [Value]> {
        [self.own, self.defaults].into_iter().flatten().find_map(|list| {
            let is_it =
                |record: &&Record| record.values.first().and_then(Value::bytes) == Some(name.as_bytes());
            let record = list.children.iter().rfind(is_it)?;
            // A name, a type, a label in files from 7.0 on, and flags.
            let skipped = if record.name == "P" { 4 } else { 3 };
            record.values.get(skipped..)
        })
    }

    pub(super) fn float(&self, name: &str) -> Option<f64> {
        self.values(name)?.first()?.float()
    }

    pub(super) fn int(&self, name: &str) -> Option<i64> {
        self.values(name)?.first()?.int()
    }

    pub(super) fn vector(&self, name: &str) -> Option<[f64; 3]> {
        match self.values(name)? {
            [x, y, z, ..] => Some([x.float()?, y.float()?, z.float()?]),
            _ => None,
        }
    }
}

/// The name of an object, and its kind: `Name\0\x01Kind`, or `Kind::Name` in text and before 7.0.
fn split_name(text: &[u8]) -> String {
    let text = match text.windows(2).position(|pair| pair == b"\0\x01") {
        Some(at) => &text[..at],
        None => text.windows(2).position(|pair| pair == b"::").map_or(text, |at| &text[at + 2..]),
    };
    String::from_utf8_lossy(text).into_owned()
}

/// What connections name an object by: its number, or its whole name before 7.0.
#[derive(PartialEq, Eq, Hash)]
enum Id {
    Number(i64),
    Name(Vec<u8>),
}

impl Id {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self::Name(text.clone())),
            value => value.int().map(Self::Number),
        }
    }

    fn is_scene(&self) -> bool {
        match self {
            Self::Number(number) => *number == 0,
            Self::Name(name) => name == b"Model::Scene" || name == b"Scene\0\x01Model",
        }
    }
}

impl<'a> Objects<'a> {
    /// # Errors
    /// If the budget does not suffice.
    pub(super) fn of(top: &'a Record, budget: &mut Budget) -> Result<Self> {
        let defaults = defaults(top);
        let header = top.child("FBXHeaderExtension");
        let creator = header.and_then(|header| header.text("Creator")).or_else(|| top.text("Creator"));
        let mut objects = Self {
            is_blender: creator.is_some_and(|creator| creator.starts_with("Blender")),
            version: header.and_then(|header| header.value("FBXVersion")?.int()).unwrap_or(0),
            ..Self::default()
        };
        let mut index_of = HashMap::new();
        for record in top.all("Objects").flat_map(|list| &list.children) {
            let is_numbered = matches!(record.values.first(), Some(Value::Int(_)));
            let Some(id) = record.values.first().and_then(Id::of) else { continue };
            budget.take(1000, WHAT)?;
            let [name, class] = if is_numbered { [1, 2] } else { [0, 1] }.map(|at| record.values.get(at));
            let name = name.and_then(Value::bytes).map(split_name).unwrap_or_default();
            let class = class.and_then(Value::text).unwrap_or_default();
            let properties = Properties::of(record, defaults.get(record.name.as_str()).copied());
            index_of.entry(id).or_insert(objects.all.len());
            objects.all.push(Object { record, kind: &record.name, name, class, properties });
        }
        objects.below.resize_with(objects.all.len(), Vec::new);
        objects.above.resize_with(objects.all.len(), Vec::new);
        let connections = top.all("Connections").flat_map(|list| &list.children);
        for record in connections.filter(|record| ["C", "Connect"].contains(&record.name.as_str())) {
            let [Some(_), Some(from), Some(to)] = [0, 1, 2].map(|at| record.values.get(at)) else { continue };
            let (Some(from), Some(to)) = (Id::of(from), Id::of(to)) else { continue };
            let property = record.values.get(3).and_then(Value::text).unwrap_or_default();
            let Some(&object) = index_of.get(&from) else { continue };
            budget.take((2 * size_of::<Link>() + 2 * property.len()) as u64, WHAT)?;
            if to.is_scene() {
                objects.above[object].push(Link { object: SCENE, property });
                objects.tops.push(object);
                continue;
            }
            let Some(&above) = index_of.get(&to) else { continue };
            objects.above[object].push(Link { object: above, property: property.clone() });
            objects.below[above].push(Link { object, property });
        }
        Ok(objects)
    }

    /// The objects of a kind that belong to an object.
    pub(super) fn inside<'b>(&'b self, of: usize, kind: &'b str) -> impl Iterator<Item = usize> + 'b {
        let links = self.below.get(of).into_iter().flatten();
        links.map(|link| link.object).filter(move |&object| self.all[object].kind == kind)
    }

    /// The objects of a kind that a property of an object uses.
    pub(super) fn used<'b>(
        &'b self,
        of: usize,
        property: &'b str,
        kind: &'b str,
    ) -> impl Iterator<Item = usize> + 'b {
        let links = self.below.get(of).into_iter().flatten().filter(move |link| link.property == property);
        links.map(|link| link.object).filter(move |&object| self.all[object].kind == kind)
    }

    /// The objects of a kind that an object belongs to, with the property.
    pub(super) fn users<'b>(&'b self, of: usize, kind: &'b str) -> impl Iterator<Item = &'b Link> + 'b {
        let links = self.above.get(of).into_iter().flatten();
        links.filter(move |link| link.object != SCENE && self.all[link.object].kind == kind)
    }
}

/// The default properties of each kind of objects.
fn defaults(top: &Record) -> HashMap<&str, &Record> {
    let kinds = top.all("Definitions").flat_map(|list| list.all("ObjectType"));
    kinds
        .filter_map(|kind| {
            let name = std::str::from_utf8(kind.values.first()?.bytes()?).ok()?;
            let template = kind.child("PropertyTemplate")?;
            Some((name, template.child("Properties70").or_else(|| template.child("Properties60"))?))
        })
        .collect()
}
