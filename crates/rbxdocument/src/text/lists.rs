//! Edits of the attributes and the tags of an instance, which are lists in one property.

use rbxblobs::{self as blobs, Tags};
use rbxcore::parts::names;
use rbxcore::{Dom, InstanceId, Value};

use super::{attributes, values};
use crate::decoded::cost;
use crate::lists::{Attributed, Tagged};
use crate::validate::{self, TAGS};
use crate::view::{UNCHANGEABLE, View as _};
use crate::which::ATTRIBUTES;
use crate::write::{Write, write};
use geom::wire::{Budget, Error, Loss, Result};

/// The remedy if a value needs a type.
pub(super) const SET_TYPE: &str = "set its type (with `--type`, or after the value in a list of edits)";

/// Whether this is the name of the type of references.
pub(super) fn is_ref(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("Ref")
}

/// What an edit changes: some of the tags, some of the attributes, or one attribute.
#[derive(Clone, Copy, Debug)]
pub enum Part<'p> {
    /// Some of the tags, or all.
    Tags,
    /// Some of the attributes, or all.
    Attributes,
    /// The attribute with this name.
    Attribute(&'p str),
}

/// How an edit changes a part.
#[derive(Clone, Copy, Debug)]
pub enum Change<'e> {
    /// To what a text says, in a type.
    Text(&'e str, Option<&'e str>),
    /// The tag or attribute with this name gets this value, or is removed.
    One(&'e str, Option<&'e str>),
}

/// The name that files give to a property that can have its name in scripts.
pub fn in_files(property: &str) -> &str {
    if property == "Attributes" { ATTRIBUTES } else { property }
}

impl<'p> Part<'p> {
    /// The part at the path of a property. With a type, only an attribute is a part, unless it is a reference.
    pub fn at(property: &'p str, kind: Option<&str>) -> Option<Self> {
        let (property, field) = match property.split_once('.') {
            Some((property, field)) => (property, Some(field)),
            None => (property, None),
        };
        match (in_files(property), field, kind) {
            (TAGS, None, None) => Some(Self::Tags),
            (ATTRIBUTES, None, None) => Some(Self::Attributes),
            (ATTRIBUTES, Some(field), kind) => (!kind.is_some_and(is_ref)).then_some(Self::Attribute(field)),
            _ => None,
        }
    }

    fn property(self) -> &'static str {
        match self {
            Self::Tags => TAGS,
            Self::Attributes | Self::Attribute(_) => ATTRIBUTES,
        }
    }
}

/// A list that edits change. It is decoded once, and written once.
#[derive(Debug)]
pub struct Open {
    id: InstanceId,
    property: &'static str,
    list: List,
}

#[derive(Debug)]
enum List {
    Tags(Tagged),
    Attributes(Attributed),
}

impl Open {
    /// The list of an instance.
    ///
    /// # Errors
    /// If the list is damaged.
    pub fn new(document: &dyn Dom, id: InstanceId, part: Part<'_>, max_bytes: u64) -> Result<Self> {
        let property = part.property();
        let old = document.value(id, property);
        if old.is_none() && document.is_undecoded(id, property) {
            return Err(Error::argument(UNCHANGEABLE));
        }
        let bytes = old.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        Budget::new(max_bytes).charge(cost((&document.class_of(id), property), bytes), property)?;
        let list = match part {
            Part::Tags => List::Tags(Tagged::new(blobs::from_slice(bytes)?)),
            _ => List::Attributes(Attributed::new(blobs::from_slice(bytes)?)),
        };
        Ok(Self { id, property, list })
    }

    /// Whether this is the list of a part of an instance.
    pub fn is_of(&self, id: InstanceId, part: Part<'_>) -> bool {
        (self.id, self.property) == (id, part.property())
    }

    /// Changes the list.
    ///
    /// # Errors
    /// If the text does not fit; the list is then not used any more.
    pub fn change(&mut self, part: Part<'_>, change: Change<'_>) -> Result<()> {
        match (&mut self.list, change, part) {
            (List::Tags(_), Change::One("", _), _) => return Err(Error::argument("the tag is empty")),
            (List::Tags(tags), Change::One(tag, Some(_)), _) => tags.add(tag),
            (List::Tags(tags), Change::One(tag, None), _) => tags.remove(tag),
            (List::Tags(tags), Change::Text(text, _), _) => change_tags(text, tags)?,
            (List::Attributes(attributes), Change::One(name, value), _) => {
                attributes::change_one(name, value, attributes)?;
            }
            (List::Attributes(attributes), Change::Text(text, kind), Part::Attribute(name)) => {
                let old = attributes.get(name);
                let kind = match (kind, old) {
                    (Some(kind), _) => kind,
                    (None, Some(old)) => old.type_name(),
                    (None, None) => return Err(missing(name, attributes)),
                };
                attributes::separable(name, old)?;
                let new = values::attribute(text, kind, old)?;
                attributes.set(name, new);
            }
            (List::Attributes(attributes), Change::Text(text, _), _) => {
                attributes::change(text, attributes)?;
            }
        }
        Ok(())
    }

    /// Sets the property. Also returns whether it had another value.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub fn close(self, document: &mut dyn Dom) -> Result<(Vec<Loss>, bool)> {
        let value = match self.list {
            List::Tags(tags) => validate::tags(document, Value::from(tags.finish().to_vec()?)),
            List::Attributes(attributes) => Value::from(attributes.finish().to_vec()?),
        };
        let old = document.value(self.id, self.property);
        let losses = write(document, Write::new(self.id, self.property, value))?;
        let new = document.value(self.id, self.property);
        let bytes =
            |value: &Option<Value>| value.as_ref().and_then(Value::as_bytes).unwrap_or_default().to_vec();
        Ok((losses, bytes(&old) != bytes(&new)))
    }
}

/// Maximum number of names that are compared with a misspelled one.
const COMPARED: usize = 10_000;

/// The error for an attribute that does not exist, and that gets no type.
fn missing(name: &str, attributes: &Attributed) -> Error {
    let names: Vec<String> = attributes.names().map(ToString::to_string).collect();
    let near = names::closest(name.as_bytes(), names.iter().map(String::as_str).take(COMPARED));
    let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
    Error::argument(format!("no such attribute: {name}{near}; to add the attribute, {SET_TYPE}"))
}

/// Changes tags as in a list separated by commas: `A, B` replaces all tags; `+A` and `-B` add and remove single tags.
///
/// # Errors
/// If only some entries begin with a sign.
fn change_tags(text: &str, tags: &mut Tagged) -> Result<()> {
    // The list in quotes that the tree shows, also as JSON.
    let list = if text.starts_with('[') { text.to_owned() } else { format!("[{text}]") };
    if text.starts_with(['"', '['])
        && let Ok(names) = serde_json::from_slice::<Vec<String>>(list.as_bytes())
    {
        *tags = Tagged::new(Tags(names.into_iter().map(Into::into).collect()));
        return Ok(());
    }
    let names: Vec<&str> = text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let signed = names.iter().filter(|name| name.starts_with(['+', '-'])).count();
    if signed == 0 {
        *tags = Tagged::default();
    } else if signed < names.len() {
        let expected = "expected either all tags, such as A,B, or only changes, such as +A,-B";
        return Err(Error::argument(format!("{expected}; found {text:?}")));
    }
    for name in names {
        let plain = name.strip_prefix(['+', '-']).filter(|_| signed > 0).unwrap_or(name);
        if plain.is_empty() {
            return Err(Error::argument(format!("expected a tag after {name}")));
        }
        match signed > 0 && name.starts_with('-') {
            true => tags.remove(plain),
            false => tags.add(plain),
        }
    }
    Ok(())
}
