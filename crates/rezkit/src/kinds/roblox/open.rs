//! Edits of the attributes and the tags of an instance, which are lists in one property.

use rbxcore::{InstanceId, Value};
use rbxdocument::view::View as _;
use rezkit_core::{Budget, Error, Loss, Result};

use super::decoded::cost;
use super::validate::{self, TAGS};
use super::{ATTRIBUTES, attribute_edits, from_text, texts};
use crate::blobs;
use crate::options::{Fill, ReadOptions};
use crate::tree;
use rbxcore::Dom;
use rbxdocument::filled::put;
use rbxdocument::lists::{Attributed, Tagged};

/// The error about a value that is set in place of undecoded ones.
pub(in super::super) const UNCHANGEABLE: &str =
    "the values of this property cannot be decoded, so they cannot be changed";

/// The remedy if a value needs a type.
pub(super) const SET_TYPE: &str = "set its type (with `--type`, or after the value in a list of edits)";

/// Whether this is the name of the type of references.
pub(super) fn is_ref(kind: &str) -> bool {
    kind.eq_ignore_ascii_case("Ref")
}

/// What an edit changes: some of the tags, some of the attributes, or one attribute.
#[derive(Clone, Copy)]
pub(super) enum Part<'p> {
    Tags,
    Attributes,
    Attribute(&'p str),
}

/// How an edit changes a part.
#[derive(Clone, Copy)]
pub(super) enum Change<'e> {
    /// To what a text says, in a type.
    Text(&'e str, Option<&'e str>),
    /// The tag or attribute with this name gets this value, or is removed.
    One(&'e str, Option<&'e str>),
}

/// The name that files give to a property that can have its name in scripts.
pub(super) fn in_files(property: &str) -> &str {
    if property == "Attributes" { ATTRIBUTES } else { property }
}

impl<'p> Part<'p> {
    /// The part at the path of a property. With a type, only an attribute is a part, unless it is a reference.
    pub(super) fn at(property: &'p str, kind: Option<&str>) -> Option<Self> {
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
pub(super) struct Open {
    id: InstanceId,
    property: &'static str,
    list: List,
}

enum List {
    Tags(Tagged),
    Attributes(Attributed),
}

impl Open {
    /// # Errors
    /// If the list is damaged.
    pub(super) fn new(
        document: &dyn Dom,
        id: InstanceId,
        part: Part<'_>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let property = part.property();
        let old = document.value(id, property);
        if old.is_none() && document.is_undecoded(id, property) {
            return Err(Error::argument(UNCHANGEABLE));
        }
        let bytes = old.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        Budget::new(options.max_bytes).take(cost((&document.class_of(id), property), bytes), property)?;
        let list = match part {
            Part::Tags => List::Tags(Tagged::new(blobs::from_slice(bytes)?)),
            _ => List::Attributes(Attributed::new(blobs::from_slice(bytes)?)),
        };
        Ok(Self { id, property, list })
    }

    /// Whether this is the list of a part of an instance.
    pub(super) fn is_of(&self, id: InstanceId, part: Part<'_>) -> bool {
        (self.id, self.property) == (id, part.property())
    }

    /// # Errors
    /// If the text does not fit; the list is then not used any more.
    pub(super) fn change(&mut self, part: Part<'_>, change: Change<'_>) -> Result<()> {
        match (&mut self.list, change, part) {
            (List::Tags(_), Change::One("", _), _) => return Err(Error::argument("the tag is empty")),
            (List::Tags(tags), Change::One(tag, Some(_)), _) => tags.add(tag),
            (List::Tags(tags), Change::One(tag, None), _) => tags.remove(tag),
            (List::Tags(tags), Change::Text(text, _), _) => texts::change_tags(text, tags)?,
            (List::Attributes(attributes), Change::One(name, value), _) => {
                attribute_edits::change_one(name, value, attributes)?;
            }
            (List::Attributes(attributes), Change::Text(text, kind), Part::Attribute(name)) => {
                let old = attributes.get(name);
                let kind = match (kind, old) {
                    (Some(kind), _) => kind,
                    (None, Some(old)) => old.type_name(),
                    (None, None) => return Err(missing(name, attributes)),
                };
                attribute_edits::separable(name, old)?;
                let new = from_text::attribute(text, kind, old)?;
                attributes.set(name, new);
            }
            (List::Attributes(attributes), Change::Text(text, _), _) => {
                attribute_edits::change(text, attributes)?;
            }
        }
        Ok(())
    }

    /// Sets the property. Also returns whether it had another value.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub(super) fn close(self, document: &mut dyn Dom) -> Result<(Vec<Loss>, bool)> {
        let value = match self.list {
            List::Tags(tags) => validate::tags(document, Value::from(tags.finish().to_vec()?)),
            List::Attributes(attributes) => Value::from(attributes.finish().to_vec().map_err(Error::from)?),
        };
        let old = document.value(self.id, self.property);
        let losses = put(document, self.id, self.property, value, Fill::Defaults)?;
        let new = document.value(self.id, self.property);
        let bytes =
            |value: &Option<Value>| value.as_ref().and_then(Value::as_bytes).unwrap_or_default().to_vec();
        Ok((losses, bytes(&old) != bytes(&new)))
    }
}

/// The error for an attribute that does not exist, and that gets no type.
fn missing(name: &str, attributes: &Attributed) -> Error {
    let names: Vec<String> = attributes.names().map(ToString::to_string).collect();
    let near = tree::closest(name, names.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(" (did you mean {near}?)"));
    Error::argument(format!("no such attribute: {name}{near}; to add the attribute, {SET_TYPE}"))
}
