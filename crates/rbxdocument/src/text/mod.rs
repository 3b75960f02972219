//! Sets properties, attributes and tags from texts: as a person writes them, and as tools print them.
//!
//! An instance that a text refers to is found by its path, with a [`Finder`]. Its errors are those of the caller, who can
//! suggest what was meant.

mod attributes;
mod lists;
mod values;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rbxbinary::parts::TypeId;
use rbxcore::parts::names;
use rbxcore::property::Source;
use rbxcore::{Content, Dom, InstanceId, Kind, Value};

use crate::attribute_refs;
pub use crate::colors::color;
use crate::decoded::decoded;
use crate::filled::type_in_class;
pub use crate::finder::Finder;
pub use crate::replace::replace_texts;
use crate::validate;
use crate::view::{UNCHANGEABLE, View as _};
use crate::which::{ATTRIBUTES, items, type_of};
use crate::write::{By, Write, write};
pub use attributes::{of_value, separable};
use geom::wire::{Error, Loss};
pub use lists::{Change, Open, Part, in_files};
use lists::{SET_TYPE, is_ref};

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

/// Whether bytes are a text that a person writes.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'))
}

/// Sets all attributes or tags of an instance to the bytes that files have.
fn set_bytes(
    document: &mut dyn Dom,
    (id, property): (InstanceId, &str),
    bytes: Vec<u8>,
    max_bytes: u64,
) -> Result<Vec<Loss>, Error> {
    decoded((&document.class_of(id), property), &bytes, max_bytes)
        .map_err(|why| Error::argument(format!("the bytes are no {property}: {why}")))?;
    let value = match property {
        ATTRIBUTES => Value::from(bytes),
        _ => validate::tags(document, Value::from(bytes)),
    };
    write(document, Write::new(id, property, value))
}

/// Sets the property, or the attribute in a property, of an instance.
///
/// Returns what was filled in for other instances, since the binary form stores the same properties for all instances of a
/// class.
///
/// # Errors
/// If there is no such property, or the text is no value of its type; `Limit` if a list takes more than `max_bytes`.
pub fn set<E: From<Error>>(
    document: &mut dyn Dom,
    (id, property): (InstanceId, &str),
    text: &str,
    kind: Option<&str>,
    max_bytes: u64,
    finder: &mut Finder<E>,
) -> Result<Vec<Loss>, E> {
    if kind == Some(BASE64) {
        let bytes = from_base64(text).ok_or_else(|| Error::argument("expected Base64"))?;
        let name = property.split_once('.').map_or(property, |(name, _)| name);
        let is_list = matches!(Part::at(property, None), Some(Part::Tags | Part::Attributes));
        if is_list && !is_text(&bytes) {
            return set_bytes(document, (id, in_files(property)), bytes, max_bytes).map_err(E::from);
        }
        let text = match is_data(document, id, in_files(name)) {
            true => text.to_owned(),
            false => String::from_utf8(bytes)
                .map_err(|_| Error::argument("expected text, found bytes that are not UTF-8"))?,
        };
        // An editor ends a file with a line break, which is part of a text alone.
        let is_text = match document.value(id, in_files(name)) {
            Some(own) => matches!(own.kind(), Some(Kind::String | Kind::ProtectedString)),
            None => type_in_class(document, id, in_files(name)).is_none_or(|kind| kind == TypeId::STRING),
        };
        let text = match text.strip_suffix('\n') {
            Some(line) if is_list || !is_text => line.strip_suffix('\r').unwrap_or(line).to_owned(),
            _ => text,
        };
        return set(document, (id, property), &text, None, max_bytes, finder);
    }
    if matches!(Part::at(property, kind), Some(Part::Attributes))
        && !text.trim_start().starts_with(['{', '+', '-'])
        && let Some(bytes) = from_base64(text)
        && decoded((&document.class_of(id), ATTRIBUTES), &bytes, max_bytes).is_ok_and(|of| of.is_some())
    {
        return set_bytes(document, (id, in_files(property)), bytes, max_bytes).map_err(E::from);
    }
    if let Some(part) = Part::at(property, kind) {
        let mut open = Open::new(document, id, part, max_bytes)?;
        open.change(part, Change::Text(text, kind))?;
        return Ok(open.close(document)?.0);
    }
    if kind.is_none()
        && let Some(done) = set_part(document, id, property, text)
    {
        return done.map_err(E::from);
    }
    let property = match property.split_once('.') {
        Some((name, field)) if in_files(name) == ATTRIBUTES && kind.is_some_and(is_ref) => {
            let property = format!("{}{field}", attribute_refs::PREFIX);
            return set(document, (id, &property), text, Some("Ref"), max_bytes, finder);
        }
        Some((name, _)) if document.value(id, name).is_some() => {
            let path = document.path_of(id);
            return Err(E::from(Error::argument(format!(
                "{name} can be set only as a whole; use the path {path}.{name}"
            ))));
        }
        Some(_) => return Err(finder.missing(document, &format!("{}.{property}", document.path_of(id)))),
        None => in_files(property),
    };
    if property.is_empty() {
        return Err(Error::argument("the property name is empty").into());
    }
    if property == "Parent" && document.value(id, property).is_none() && kind.is_none() {
        let to = match text {
            "" => None,
            path => Some(finder.need(document, path)?),
        };
        finder.leaves(document, id);
        document.move_to(id, to)?;
        finder.added(document, id);
        return Ok(Vec::new());
    }
    let value = parsed(document, (id, property), text, kind, max_bytes, finder)?;
    let is_name = property == "Name";
    if is_name {
        finder.leaves(document, id);
    }
    let by = if kind.is_some() { By::Name } else { By::Person };
    let losses = write(document, Write::new(id, property, value).by(by))?;
    if is_name {
        finder.renamed(document, id);
    }
    Ok(losses)
}

/// Sets a property of scripts that is a part of another one, such as `Position` or `CFrame.X`; `None` if it is none.
fn set_part(
    document: &mut dyn Dom,
    id: InstanceId,
    property: &str,
    text: &str,
) -> Option<Result<Vec<Loss>, Error>> {
    let found = document.property(id, property)?;
    if found.source != Source::Computed || matches!(property, "Parent" | "ClassName") {
        return None;
    }
    let parsed = Value::parse(found.value.kind()?, text).map_err(|error| Error::argument(error.to_string()));
    Some(parsed.and_then(|value| write(document, Write::new(id, property, value))))
}

/// The value of a property of an instance from its text.
fn parsed<E: From<Error>>(
    document: &dyn Dom,
    (id, property): (InstanceId, &str),
    text: &str,
    kind: Option<&str>,
    max_bytes: u64,
    finder: &mut Finder<E>,
) -> Result<Value, E> {
    let old = document.value(id, property);
    if old.is_none() {
        validate::given(document, id, property, &Value::from(""))?;
    }
    if old.is_none() && document.is_undecoded(id, property) {
        return Err(Error::argument(UNCHANGEABLE).into());
    }
    let is_reference = || match (&old, kind) {
        (Some(old), _) => matches!(old, Value::Ref(_)),
        (None, Some(kind)) => is_ref(kind),
        (None, None) => type_in_class(document, id, property) == Some(TypeId::REF),
    };
    if is_reference() {
        let to = match text {
            "" | "null" => None,
            path => Some(finder.need(document, path)?),
        };
        return Ok(Value::Ref(to));
    }
    let kind = match (kind, old.as_ref().and_then(type_of)) {
        (Some(kind), _) => type_named(kind)?,
        (None, Some(kind)) => kind,
        (None, None) if old.is_some() => {
            let tag = old.as_ref().map_or("", Value::tag);
            return Err(E::from(Error::argument(format!(
                "{property} is stored with the unknown type {tag:?}, so its value cannot be replaced"
            ))));
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
    if let Some(of) = items(&document.class_of(id), property).filter(|_| kind == TypeId::ENUM) {
        return Ok(Value::Enum(validate::item(of, text)?));
    }
    if !is_data(document, id, property) {
        return Ok(values::value(text, kind, old.as_ref())?);
    }
    let class = document.class_of(id);
    let check = |bytes: &[u8]| decoded((&class, property), bytes, max_bytes);
    let Some(bytes) = from_base64(text) else {
        let what = format!("{property} contains encoded data: expected it in Base64, as XML stores it");
        return Err(Error::argument(what).into());
    };
    let value = Value::from(&*bytes);
    let value = kind.kind().and_then(|kind| value.converted(kind)).unwrap_or(value);
    check(&bytes).map(|_| value).map_err(|why| {
        let what = format!("{property} contains encoded data; the new value cannot be decoded: {why}");
        Error::argument(what).into()
    })
}

/// The type of properties with this name, such as `Float32`. The case of the letters does not matter.
///
/// # Errors
/// `InvalidArgument` if there is no such type; the error suggests a similar one.
pub fn type_named(name: &str) -> Result<TypeId, Error> {
    Kind::named(name).and_then(TypeId::of).ok_or_else(|| {
        let names: Vec<&str> = TypeId::ALL.iter().filter_map(|kind| kind.name()).collect();
        let meant = names::closest(name.as_bytes(), names.into_iter());
        let meant = meant.map_or_else(
            || " (expected a type such as Bool, Int32, Float64 or Vector3)".to_owned(),
            |meant| format!("; did you mean {meant}?"),
        );
        Error::argument(format!("there is no type {name}{meant}"))
    })
}
