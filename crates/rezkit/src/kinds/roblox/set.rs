//! Sets properties and attributes from texts.

use ::rbxbinary::TypeId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rbxcore::property::Source;
use rbxcore::{Content, InstanceId, Kind, Value};
use rbxdocument::view::View as _;

use super::decoded::decoded;
use super::finder::Finder;
use super::nodes::Root;
use super::open::{Change, Open, Part, SET_TYPE, UNCHANGEABLE, in_files, is_ref};
use super::{ATTRIBUTES, attribute_refs, from_text, type_of, validate};
use crate::options::{Fill, ReadOptions};
use crate::tree;
use rbxcore::Dom;
use rbxdocument::filled::{Newer, put, put_newer, replacing, type_in_class};
use rezkit_core::{Error, Loss, Result};

/// Sets the property, or the attribute in a property, at a path.
pub(in super::super) fn set(
    document: &mut dyn Dom,
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
    document: &dyn Dom,
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

/// An error with the path of the edited instance, unless it already has one below it.
pub(super) fn about(path: &str, error: Error) -> Error {
    if error.path().starts_with(path) { error } else { error.at(path) }
}

/// The type of a value that is given as the bytes of a file, in Base64: of data, or of a text.
const BASE64: &str = "Base64";

/// Whether the values of a property are data, which XML stores in Base64.
fn is_data(document: &dyn Dom, id: InstanceId, property: &str) -> bool {
    let is_kind = |kind| matches!(kind, Kind::BinaryString | Kind::SharedString);
    let of_table = rbxcore::classes::stored_kind(&document.class_of(id), property).is_some_and(is_kind);
    let own = document.value(id, property).and_then(|value| value.kind()).is_some_and(is_kind);
    (own || of_table) && Part::at(property, None).is_none()
}

/// Data in Base64, as XML stores it.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text.split_ascii_whitespace().collect::<String>()).ok()
}

/// Sets the property, or the attribute in a property, of an instance.
pub(super) fn set_in(
    document: &mut dyn Dom,
    id: InstanceId,
    property: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
    finder: &mut Finder,
) -> Result<Vec<Loss>> {
    if kind == Some(BASE64) {
        let bytes = from_base64(text).ok_or_else(|| Error::argument("expected Base64"))?;
        let name = property.split_once('.').map_or(property, |(name, _)| name);
        let text = match is_data(document, id, in_files(name)) {
            true => text.to_owned(),
            false => String::from_utf8(bytes)
                .map_err(|_| Error::argument("expected text, found bytes that are not UTF-8"))?,
        };
        return set_in(document, id, property, &text, None, options, finder);
    }
    if let Some(part) = Part::at(property, kind) {
        let mut open = Open::new(document, id, part, options)?;
        open.change(part, Change::Text(text, kind))?;
        return Ok(open.close(document)?.0);
    }
    if kind.is_none()
        && let Some(done) = set_part(document, id, property, text)
    {
        return done;
    }
    let property = match property.split_once('.') {
        Some((name, field)) if in_files(name) == ATTRIBUTES && kind.is_some_and(is_ref) => {
            let property = format!("{}{field}", attribute_refs::PREFIX);
            return set_in(document, id, &property, text, Some("Ref"), options, finder);
        }
        Some((name, _)) if document.value(id, name).is_some() => {
            let path = document.path_of(id);
            return Err(Error::argument(format!(
                "{name} can be set only as a whole; use the path {path}.{name}"
            )));
        }
        Some(_) => return Err(nothing(document, &format!("{}.{property}", document.path_of(id)))),
        None => in_files(property),
    };
    if property.is_empty() {
        return Err(Error::argument("the property name is empty"));
    }
    if property == "Parent" && document.value(id, property).is_none() && kind.is_none() {
        let to = match text {
            "" => None,
            path => Some(finder.find(document, path).ok_or_else(|| nothing(document, path))?),
        };
        finder.leaves(document, id);
        document.move_to(id, to)?;
        finder.added(document, id);
        return Ok(Vec::new());
    }
    if kind.is_none()
        && document.value(id, property).is_none()
        && let Some(newer) = replacing(document, id, property)
    {
        return set_newer(document, (id, property), &newer, text, options, finder);
    }
    let value = parsed(document, id, property, text, kind, options, finder)?;
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

/// Sets a property of scripts that is a part of another one, such as `Position` or `CFrame.X`; `None` if it is none.
fn set_part(document: &mut dyn Dom, id: InstanceId, property: &str, text: &str) -> Option<Result<Vec<Loss>>> {
    let found = document.property(id, property)?;
    if found.source != Source::Computed || matches!(property, "Parent" | "ClassName") {
        return None;
    }
    let parsed = Value::parse(found.value.kind()?, text).map_err(|error| Error::argument(error.to_string()));
    Some(parsed.and_then(|value| {
        let filled = document.set(id, property, value).map_err(super::edit_error)?;
        let loss = |of: &rbxcore::Filled| {
            let path = format!("{}.{}", of.class, of.property);
            Loss::warning(path, format!("filled in for other instances: {:?}", of.value))
                .id("roblox.filled-value")
                .times(of.instances)
        };
        Ok(filled.iter().map(loss).collect())
    }))
}

/// Sets the property that has replaced another one to the value of that one, given as text.
pub(super) fn set_newer(
    document: &mut dyn Dom,
    (id, property): (InstanceId, &str),
    newer: &[Newer],
    text: &str,
    options: &ReadOptions,
    finder: &mut Finder,
) -> Result<Vec<Loss>> {
    let old = parsed(document, id, property, text, None, options, finder)?;
    Ok(put_newer(document, (id, property), newer, &old)?)
}

/// The value of a property of an instance from its text.
pub(super) fn parsed(
    document: &dyn Dom,
    id: InstanceId,
    property: &str,
    text: &str,
    kind: Option<&str>,
    options: &ReadOptions,
    finder: &mut Finder,
) -> Result<Value> {
    let old = document.value(id, property);
    if old.is_none() {
        validate::given(document, id, property, &Value::from(""))?;
    }
    if old.is_none() && document.is_undecoded(id, property) {
        return Err(Error::argument(UNCHANGEABLE));
    }
    let is_reference = || match (&old, kind) {
        (Some(old), _) => matches!(old, Value::Ref(_)),
        (None, Some(kind)) => is_ref(kind),
        (None, None) => type_in_class(document, id, property) == Some(TypeId::REF),
    };
    if is_reference() {
        let to = match text {
            "" | "null" => None,
            path => Some(finder.find(document, path).ok_or_else(|| nothing(document, path))?),
        };
        return Ok(Value::Ref(to));
    }
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
    // As an instance is shown.
    if let (TypeId::CONTENT, Some(path)) = (kind, text.strip_prefix("object ")) {
        match finder.find(document, path) {
            None if path == "null" => return Ok(Value::Content(Content::Object(None))),
            None => {}
            to => return Ok(Value::Content(Content::Object(to))),
        }
    }
    if let Some(of) =
        rbxdocument::which::items(&document.class_of(id), property).filter(|_| kind == TypeId::ENUM)
    {
        return Ok(Value::Enum(validate::item(of, text)?));
    }
    if !is_data(document, id, property) {
        return from_text::value(text, kind, old.as_ref());
    }
    let class = document.class_of(id);
    let check = |bytes: &[u8]| decoded((&class, property), bytes, options.max_bytes);
    let Some(bytes) = from_base64(text) else {
        let what = format!("{property} contains encoded data: expected it in Base64, as XML stores it");
        return Err(Error::argument(what));
    };
    let value = Value::from(&*bytes);
    let value = kind.kind().and_then(|kind| value.converted(kind)).unwrap_or(value);
    check(&bytes).map(|_| value).map_err(|why| {
        Error::argument(format!("{property} contains encoded data; the new value cannot be decoded: {why}"))
    })
}

/// The error for a path that does not exist.
pub(super) fn nothing(document: &dyn Dom, path: &str) -> Error {
    tree::nothing(&Root::new(document, 0), path)
}

/// The type of properties with this name, such as `Float32`. The case of the letters does not matter.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if there is no such type; the error suggests a similar one.
pub fn type_named(name: &str) -> Result<TypeId> {
    Kind::named(name).and_then(TypeId::of).ok_or_else(|| {
        let names: Vec<&str> = TypeId::ALL.iter().filter_map(|kind| kind.name()).collect();
        let meant = tree::closest(name, names.into_iter());
        let meant = meant.map_or_else(
            || " (expected a type such as Bool, Int32, Float64 or Vector3)".to_owned(),
            |meant| format!("; did you mean {meant}?"),
        );
        Error::argument(format!("there is no type {name}{meant}"))
    })
}
