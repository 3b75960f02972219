//! The one write of a property: of edits, merges, patches, packs, and of the bindings.

use bstr::ByteSlice as _;
use rbxbinary::parts::TypeId;
use rbxcore::classes::{self, Turn};
use rbxcore::{Dom, InstanceId, Value, property};

use crate::attribute_refs::key_of;
use crate::effective::{self, Effective, effective};
use crate::filled::{filled, has_older};
use crate::options::Fill;
use crate::validate::{self, stored_name};
use crate::view::{View as _, value_text};
use crate::which::type_of;
use geom::wire::{Error, Loss, Missing, Result};

/// Whose name and value a write has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Those of a file, which get exactly this name, beside whatever else the instance stores.
    File,
    /// Those of another document: this one can store the property under another name, or in the form that has replaced it.
    Document,
    /// Those that a person enters: as of another document, and misspellings are refused; a part of another property, such as
    /// `Position` or `Size.X`, changes that one, and `Parent` moves the instance.
    Person,
    /// Those of a person who states the type or knows the stored name: exactly this name, and misspellings are refused.
    Name,
}

/// A property to set.
#[derive(Debug)]
pub struct Write<'a> {
    /// The instance.
    pub id: InstanceId,
    /// The name of the property.
    pub property: &'a str,
    /// Its value.
    pub value: Value,
    /// What other instances of the class get, if the binary form has to store the property for them, too.
    pub fill: Fill,
    /// Whose name and value these are.
    pub by: By,
}

impl<'a> Write<'a> {
    /// A value that a person enters; what others need is filled in with defaults.
    pub fn new(id: InstanceId, property: &'a str, value: impl Into<Value>) -> Self {
        Self { id, property, value: value.into(), fill: Fill::Defaults, by: By::Person }
    }

    /// Whose name and value these are.
    #[must_use]
    pub fn by(self, by: By) -> Self {
        Self { by, ..self }
    }

    /// What other instances of the class get.
    #[must_use]
    pub fn fill(self, fill: Fill) -> Self {
        Self { fill, ..self }
    }
}

/// Sets a property: finds the name under which the document stores it, converts, fills in what the form needs for other
/// instances, and removes older forms. Returns what was converted and filled in, and a warning if the new value has no effect.
///
/// # Errors
/// If the value does not fit, or there is none to fill in; the document is unchanged then.
pub fn write(document: &mut dyn Dom, write: Write<'_>) -> Result<Vec<Loss>> {
    let Write { id, property, value, fill, by } = write;
    let is_exact = document.value(id, property).is_some();
    if matches!(by, By::Document | By::Person)
        && !is_exact
        && let Some(newer) = replacing(document, id, property)
    {
        if by == By::Person {
            validate::given(document, id, property, &value)?;
        }
        return in_newer(document, (id, property), &newer, &value);
    }
    if by == By::Person && !is_exact && effective::stored(document, id, property).is_none() {
        match (property, &value) {
            ("Parent", Value::Ref(to)) => return document.move_to(id, *to).map(|()| Vec::new()),
            ("Parent", _) => return Err(Error::argument("expected an instance").at_path(property.to_owned())),
            _ => {}
        }
        if let Some(whole) = property::whole(document, id, property.as_bytes(), &value) {
            let (of, value) = whole?;
            return self::write(document, Write { id, property: &of.to_str_lossy(), value, fill, by });
        }
    }
    if matches!(by, By::Person | By::Name) {
        validate::given(document, id, property, &value)?;
    }
    let property = if by == By::Document { name_in(document, id, property) } else { property };
    let losses = stored(document, id, property, value, fill)?;
    // An instance has one form of a property. In the binary form, all instances have the same, and the newer counts.
    if by != By::File {
        for older in superseded(document, id, property) {
            document.unset_value(id, older)?;
        }
    }
    Ok(losses)
}

/// The name under which an instance stores a property.
fn name_in<'a>(document: &dyn Dom, id: InstanceId, name: &'a str) -> &'a str {
    if document.value_ref(id, name.as_bytes()).is_some() {
        return name;
    }
    let known = classes::class(&*document.class_of(id)).and_then(|class| class.property(name));
    let mut names = known.into_iter().flat_map(classes::Property::names);
    names.find(|name| document.value_ref(id, name.as_bytes()).is_some()).unwrap_or(name)
}

/// The other names and the older forms of a property under which an instance stores it, too: older forms beside all forms that
/// have replaced them.
pub(crate) fn superseded(document: &dyn Dom, id: InstanceId, property: &str) -> Vec<&'static str> {
    let Some(class) = classes::class(&*document.class_of(id)) else { return Vec::new() };
    let Some(known) = class.property(property) else { return Vec::new() };
    let is_stored = |name: &str| document.value(id, name).is_some();
    let property = match is_stored(property) {
        true => Some(property),
        false => known.names().find(|name| is_stored(name)),
    };
    let Some(property) = property else { return Vec::new() };
    let stored = |of: classes::Property| of.names().find(|name| is_stored(name));
    let other_names = known.names().filter(|name| *name != property && is_stored(name));
    let older = known.older().map(|(older, _)| older);
    let is_replaced = |older: &classes::Property| {
        older.replaced_by().all(|newer| class.property(newer).is_some_and(|newer| stored(newer).is_some()))
    };
    other_names.chain(older.filter(is_replaced).filter_map(stored)).collect()
}

/// Sets a property under a name that files have, of today or not. If no instance of the class stores it in a binary document,
/// the other instances get it, too.
fn stored(
    document: &mut dyn Dom,
    id: InstanceId,
    property: &str,
    value: Value,
    fill: Fill,
) -> Result<Vec<Loss>> {
    let class = document.class_of(id).into_owned();
    let name = stored_name(&class, property);
    let has = |name: &str| document.value(id, name).is_some();
    let mut is_stored = has(property) || has(name);
    let mut property = property;
    // An instance of an old file keeps the name under which it stores the property.
    let known = classes::class(&class).and_then(|class| class.property(property));
    let is_same =
        |older: &&str| document.value(id, older).is_some_and(|old| type_of(&old) == type_of(&value));
    if !is_stored && let Some(older) = known.and_then(|known| known.names().find(is_same)) {
        (property, is_stored) = (older, true);
    }
    let kind = type_of(&value).filter(|_| !is_stored && document.has_columns() && key_of(name).is_none());
    let mut losses = match kind {
        Some(kind) => widen(document, id, (&class, name), (&value, kind), fill)?,
        None => Vec::new(),
    };
    document.put(id, property, value)?;
    losses.extend(without_effect(document, id, property));
    Ok(losses)
}

/// Adds a property to all instances of a class, so that it can be set for one of them; see [`stored`].
fn widen(
    document: &mut dyn Dom,
    id: InstanceId,
    (class, name): (&str, &str),
    (value, kind): (&Value, TypeId),
    fill: Fill,
) -> Result<Vec<Loss>> {
    let ids: Vec<_> = document.all().into_iter().filter(|&id| document.class_of(id) == class).collect();
    let (mut older, mut count) = (Vec::new(), 0);
    let has_older = has_older(class, name);
    for &other in ids.iter().filter(|&&other| other != id && document.value(other, name).is_none()) {
        match has_older.then(|| effective(document, other, name)).flatten() {
            Some(Effective::Other(from, value)) => older.push((other, from, value)),
            _ => count += 1,
        }
    }
    // There are two types of tags; each document uses one of them.
    let of_table = TypeId::of_property(class, name).filter(|_| kind != TypeId::SHARED_STRING);
    let others = match filled(fill, class, name, of_table.unwrap_or(kind)) {
        Some(others) => others,
        None if count == 0 => value.clone(),
        None => return Err(Error::incomplete(vec![Missing::new(class, name, count, ids.len())])),
    };
    let text = value_text(document, (class, name), &others);
    document.store(id, name, others)?;
    let converted = older.first().map(|&(_, from, _)| {
        let what = format!("converted from the older property {from}");
        Loss::filled_in(format!("{class}.{name}"), what).id("roblox.converted-property").times(older.len())
    });
    for (other, _, value) in older {
        document.put(other, name, value)?;
    }
    let filled = (count > 0).then(|| Loss::filled_with(class, name, text, count));
    Ok(converted.into_iter().chain(filled).collect())
}

/// A warning if an instance stores a newer form of a property, which Roblox reads instead.
fn without_effect(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Loss> {
    let (newer, _) = *document.newer(id, property).first()?;
    let what = format!(
        "the new value has no effect, since the instance also has {newer}, which replaces it (set {newer} instead)"
    );
    Some(Loss::warning(format!("{}.{property}", document.path_of(id)), what).id("roblox.without-effect"))
}

/// A newer form of a property, and the conversion of the value.
pub type Newer = (&'static str, Turn);

/// The newer forms of a property that an instance stores, if it stores any: one radius of corners became four.
pub fn replacing(document: &dyn Dom, id: InstanceId, property: &str) -> Option<Vec<Newer>> {
    let older = classes::class(&*document.class_of(id))?.property(property)?.kind();
    let newer = document.newer(id, property).into_iter();
    let newer = newer.filter_map(|(name, kind)| Some((name, classes::turn(older, kind)?)));
    Some(newer.collect::<Vec<_>>()).filter(|newer| !newer.is_empty())
}

/// Sets the properties that have replaced another one to the value of that one.
fn in_newer(
    document: &mut dyn Dom,
    (id, property): (InstanceId, &str),
    newer: &[Newer],
    old: &Value,
) -> Result<Vec<Loss>> {
    let names = newer.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let replaces = if newer.len() > 1 { "replace" } else { "replaces" };
    let new = newer.iter().map(|(name, turn)| Some((*name, turn(old.as_ref())?))).collect::<Option<Vec<_>>>();
    let new = new.ok_or_else(|| {
        Error::argument(format!("the value has no equivalent in {names}, which {replaces} the property"))
    })?;
    new.into_iter().try_for_each(|(name, value)| document.put(id, name, value))?;
    let what = format!("stored in {names}, which {replaces} the property");
    Ok(vec![
        Loss::approximated(format!("{}.{property}", document.path_of(id)), what)
            .id("roblox.converted-property"),
    ])
}
