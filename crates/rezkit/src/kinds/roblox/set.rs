//! Sets properties and attributes from texts.

use ::rbxbinary::TypeId;
use rbxcore::{InstanceId, Value};

use super::decoded::{cost, decoded};
use super::filled::{put, type_in_class};
use super::finder::Finder;
use super::nodes::Root;
use super::{ATTRIBUTES, Instances, attribute_edits, attribute_refs, door, from_text, texts, type_of};
use crate::blobs::Attributes;
use crate::options::{Fill, ReadOptions};
use crate::tree;
use rezkit_core::{Budget, Error, Loss, Result};

/// The error about a value that is set in place of undecoded ones.
pub(in super::super) const UNCHANGEABLE: &str =
    "the values of this property cannot be decoded, so they cannot be changed";

/// The remedy if a value needs a type.
const SET_TYPE: &str = "set the option type (--type), or put the type after the value in a list of edits";

/// Sets the property, or the attribute in a property, at a path.
pub(in super::super) fn set(
    document: &mut dyn Instances,
    path: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
) -> Result<Vec<Loss>> {
    let mut finder = Finder::new(options.max_bytes);
    let (id, property) = target(document, path, &mut finder)?;
    set_in(document, id, property, text, kind, options, &mut finder).map_err(|error| about(path, error))
}

/// The instance and the property at a path.
pub(super) fn target<'p>(
    document: &dyn Instances,
    path: &'p str,
    finder: &mut Finder,
) -> Result<(InstanceId, &'p str)> {
    if let Some(key) = path.strip_prefix('.')
        && document.meta().iter().any(|(known, _)| known == key)
    {
        return Err(Error::argument("metadata of a document cannot be set").at(path));
    }
    // Names may contain a `.`: the longest path of an existing instance counts.
    let mut dots = path.rmatch_indices('.').map(|(dot, _)| dot);
    let found = dots.find_map(|dot| Some((finder.find(document, &path[..dot])?, &path[dot + 1..])));
    found.ok_or_else(|| nothing(document, path))
}

/// An error with the path of the edited instance, unless it already contains the path.
pub(super) fn about(path: &str, error: Error) -> Error {
    if error.to_string().contains(path) { error } else { error.at(path) }
}

/// Sets the property, or the attribute in a property, of an instance.
pub(super) fn set_in(
    document: &mut dyn Instances,
    id: InstanceId,
    property: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
    finder: &mut Finder,
) -> Result<Vec<Loss>> {
    let missing =
        |document: &dyn Instances| nothing(document, &format!("{}.{property}", document.path_of(id)));
    let (property, field) = match property.split_once('.') {
        // The name in scripts.
        Some(("Attributes", field)) => (ATTRIBUTES, Some(field)),
        Some((property, field)) => (property, Some(field)),
        None => (property, None),
    };
    if property.is_empty() {
        return Err(Error::argument("the property name is empty"));
    }
    if let Some(field) = field.filter(|_| kind.is_some_and(|kind| kind.eq_ignore_ascii_case("ref"))) {
        let property = format!("{}{field}", attribute_refs::PREFIX);
        return set_in(document, id, &property, text, Some("Ref"), options, finder);
    }
    let old = document.value(id, property);
    if old.is_none() && field.is_none() {
        door::given(document, id, property, &Value::from(""))?;
    }
    if old.is_none() && document.is_undecoded(id, property) {
        return Err(Error::argument(UNCHANGEABLE));
    }
    let is_reference = || match (&old, kind) {
        (Some(old), _) => matches!(old, Value::Ref(_)),
        (None, Some(kind)) => kind.eq_ignore_ascii_case("Ref"),
        (None, None) => type_in_class(document, id, property) == Some(TypeId::REF),
    };
    let value = match (field, old.clone()) {
        (None, _) if is_reference() => {
            let to = match text {
                "" | "null" => None,
                path => Some(finder.find(document, path).ok_or_else(|| nothing(document, path))?),
            };
            Value::Ref(to)
        }
        (None, old) if property == "Tags" && kind.is_none() => {
            let tags = texts::tags(text, old.as_ref().and_then(Value::as_bytes).unwrap_or_default())?;
            door::tags(document, tags)
        }
        (None, old) if property == ATTRIBUTES && kind.is_none() => {
            let old = old.unwrap_or_else(|| Value::from(""));
            let attributes = read(document, id, &old, property, options)?;
            Value::from(attribute_edits::changed(text, attributes)?.to_vec().map_err(Error::from)?)
        }
        (None, old) => {
            let frame = old.as_ref().and_then(Value::as_cframe);
            let kind = match (kind, old.as_ref().and_then(type_of)) {
                (Some(kind), _) => type_named(kind)?,
                (None, Some(kind)) => kind,
                (None, None) if old.is_some() => {
                    let tag = old.as_ref().map_or("", Value::tag);
                    return Err(Error::argument(format!(
                        "{property} is stored with the unknown type {tag:?}, so its value cannot be replaced"
                    )));
                }
                (None, None) => type_in_class(document, id, property).ok_or_else(|| {
                    let class = document.class_of(id);
                    Error::argument(format!(
                        "{class} has no stored property {property}; to add it with `set`, {SET_TYPE}"
                    ))
                })?,
            };
            match door::items(&document.class_of(id), property).filter(|_| kind == TypeId::ENUM) {
                Some(of) => Value::Enum(door::item(of, text)?),
                None => {
                    let value = from_text::value(text, kind, frame)?;
                    let bytes = value.as_bytes().unwrap_or_default();
                    decoded((&document.class_of(id), property), bytes, options.max_bytes).map_err(|why| {
                        Error::argument(format!(
                            "{property} contains encoded data; the new value cannot be decoded: {why}"
                        ))
                    })?;
                    value
                }
            }
        }
        (Some(field), old) if old.is_some() || kind.is_some() && property == ATTRIBUTES => {
            let old = old.unwrap_or_else(|| Value::from(""));
            let mut attributes = read(document, id, &old, property, options)?;
            let kind = match (kind, attributes.get(field)) {
                (Some(kind), _) => kind.to_owned(),
                (None, Some(old)) => old.type_name().to_owned(),
                (None, None) => return Err(no_attribute(&attributes, field)),
            };
            attribute_edits::separable(&attributes, field)?;
            let new = from_text::attribute(text, &kind, attributes.get(field))?;
            attributes.set(field, new);
            Value::from(attributes.to_vec().map_err(Error::from)?)
        }
        (Some(field), _) if property == ATTRIBUTES => {
            return Err(no_attribute(&Attributes::default(), field));
        }
        (Some(_), _) => return Err(missing(document)),
    };
    let is_name = property == "Name";
    if is_name {
        finder.leaves(document, id);
    }
    let losses = put(document, id, property, value, Fill::Defaults)?;
    if is_name {
        finder.renamed(document, id);
    }
    Ok(losses)
}

/// The error for a path that does not exist.
pub(super) fn nothing(document: &dyn Instances, path: &str) -> Error {
    tree::nothing(&Root::new(document, 0), path)
}

/// The error for an attribute that does not exist, and that gets no type.
fn no_attribute(attributes: &Attributes, name: &str) -> Error {
    let names: Vec<String> = attributes.0.iter().map(|(name, _)| name.to_string()).collect();
    let near = tree::closest(name, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
    Error::argument(format!("no such attribute: {name}{near}; to add the attribute, {SET_TYPE}"))
}

/// The type of properties with this name, such as `Float32`. The case of the letters does not matter.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if there is no such type; the error suggests a similar one.
pub fn type_named(name: &str) -> Result<TypeId> {
    let known = |kind: &&TypeId| kind.name().is_some_and(|known| known.eq_ignore_ascii_case(name));
    TypeId::ALL.iter().find(known).copied().ok_or_else(|| {
        let names: Vec<&str> = TypeId::ALL.iter().filter_map(|kind| kind.name()).collect();
        let meant = tree::closest(name, names.into_iter());
        let meant = meant.map_or_else(
            || " (expected a type such as Bool, Int32, Float64 or Vector3)".to_owned(),
            |meant| format!("; did you mean {meant}?"),
        );
        Error::argument(format!("there is no type {name}{meant}"))
    })
}

/// The attributes in a value.
fn read(
    document: &dyn Instances,
    id: InstanceId,
    value: &Value,
    property: &str,
    options: &ReadOptions,
) -> Result<Attributes> {
    let missing = || nothing(document, &format!("{}.{property}", document.path_of(id)));
    let bytes = value.as_bytes().ok_or_else(missing)?;
    Budget::new(options.max_bytes).take(cost((&document.class_of(id), ATTRIBUTES), bytes), property)?;
    rbxblobs::from_slice(bytes).map_err(Error::from)
}
