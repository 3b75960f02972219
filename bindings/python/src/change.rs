//! Changes of properties of one or several instances.

use std::collections::HashMap;

use geom::Vec3;
use pyo3::prelude::*;
use rbxbinary::{TypeId, classes};
use rezkit::Fill;
use rezkit::kinds::roblox::moved;
use rezkit::kinds::roblox::{Document, InstanceId, Value, type_named};

use crate::document::{RobloxDocument, edit, kind_of, look};
use crate::error::{Error, Result};
use crate::value::from_python;

/// A change of an instance.
#[derive(Clone)]
enum Change {
    Property(String, Value),
    Parent(Option<InstanceId>),
    /// The position of the `CFrame`, or its rotation.
    Position(Vec3),
    Orientation(Vec3),
}

impl Change {
    fn apply(self, document: &mut Document, id: InstanceId, fill: Fill) -> rezkit::Result<Vec<rezkit::Loss>> {
        let (property, to) = match self {
            Self::Property(name, value) => return document.set(id, &name, &value, fill),
            Self::Parent(parent) => return document.reparent(id, parent).map(|()| Vec::new()),
            Self::Position(to) => ("Position", to),
            Self::Orientation(to) => ("Orientation", to),
        };
        let frame = document.effective(id, "CFrame")?;
        let frame =
            frame.as_cframe().ok_or_else(|| rezkit::Error::argument("the CFrame has another type"))?;
        document.set(id, "CFrame", &Value::CFrame(moved(frame, property, to).into()), fill)
    }
}

/// Sets properties of instances: all of them, or none. `kind` is the type of the properties if it is given.
pub(crate) fn put(
    document: &Bound<'_, RobloxDocument>,
    ids: &[InstanceId],
    given: &[(String, Bound<'_, PyAny>)],
    kind: Option<&str>,
    fill: Fill,
) -> Result<Vec<rezkit::Loss>> {
    let kind = kind.map(type_named).transpose()?;
    let names: Vec<&str> = given.iter().map(|(name, _)| &**name).collect();
    let known = look(document, |document| {
        let of = |id: InstanceId| {
            let class = document.class(id)?.into_owned();
            let known = |name| match name {
                "Parent" => None,
                name if is_of_frame(&class, name) => None,
                name => document.type_of(id, name),
            };
            let types = names.iter().map(|name| known(name)).collect::<Vec<_>>();
            Some((class, types))
        };
        ids.iter().map(|&id| of(id)).collect::<Option<Vec<_>>>()
    })?;
    let known = known.ok_or_else(|| rezkit::Error::argument("the instance was removed from its document"))?;
    let path = |id, property: &str| look(document, |document| place(document, id, property));
    // Instances of a class mostly have the same types, so each value is converted once.
    let mut made: HashMap<(&String, usize, Option<TypeId>), Change> = HashMap::new();
    let mut changes = Vec::with_capacity(ids.len() * given.len());
    for (&id, (class, types)) in ids.iter().zip(&known) {
        for (index, ((name, value), own)) in given.iter().zip(types).enumerate() {
            let key = (class, index, *own);
            let change = match made.get(&key) {
                Some(change) => change.clone(),
                None => {
                    let change = change(document, class, (name, value), kind.or(*own));
                    let change = change.or_else(|error| Err(error.at(&path(id, name)?)))?;
                    made.entry(key).or_insert(change).clone()
                }
            };
            changes.push((id, index, change));
        }
    }
    let done = edit(document, |document| {
        // A single edit leaves the document unchanged if it fails; several need a copy.
        let mut copy = (changes.len() > 1).then(|| document.clone());
        let changed = copy.as_mut().unwrap_or(document);
        let mut filled = Vec::new();
        for (id, index, change) in changes {
            match change.apply(changed, id, fill) {
                Ok(losses) => filled.extend(losses),
                Err(error) => return Ok(Err((id, index, error))),
            }
        }
        if let Some(copy) = copy {
            *document = copy;
        }
        Ok(Ok(filled))
    })?;
    match done {
        Ok(filled) => Ok(rezkit::Loss::grouped(filled)),
        Err((id, index, error)) => Err(Error::from(error).at(&path(id, &given[index].0)?)),
    }
}

/// Whether a property is a part of the class's `CFrame`.
pub(crate) fn is_of_frame(class: &str, property: &str) -> bool {
    matches!(property, "Position" | "Orientation")
        && classes::class(class)
            .is_some_and(|class| class.property(property).is_none() && class.property("CFrame").is_some())
}

/// The change that sets a property of a class to a value. Errors have no path.
fn change(
    document: &Bound<'_, RobloxDocument>,
    class: &str,
    (name, value): (&str, &Bound<'_, PyAny>),
    kind: Option<TypeId>,
) -> Result<Change> {
    let convert = |kind| from_python(document, (class, name), kind, value);
    Ok(match (name, kind) {
        (_, Some(kind)) => Change::Property(name.to_owned(), convert(kind)?),
        ("Parent", None) => Change::Parent(convert(TypeId::REF)?.as_instance()),
        (name, None) if is_of_frame(class, name) => {
            let to = convert(TypeId::VECTOR3)?.as_vector3().unwrap_or_default();
            if name == "Position" { Change::Position(to) } else { Change::Orientation(to) }
        }
        (_, None) => Change::Property(name.to_owned(), convert(kind_of(document, class, name, value)?)?),
    })
}

/// The path of a property: that of the instance, `.` and the name.
fn place(document: &Document, id: InstanceId, property: &str) -> String {
    format!("{}.{property}", document.path(id).unwrap_or_default())
}
