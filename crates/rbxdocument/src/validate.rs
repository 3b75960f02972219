//! The single entry for values into a document: their names, types and items follow the class table.
//!
//! A value from a file is converted to its stored name and type, or refused. An unknown class, property or item may be newer than the
//! table: it is kept, and listed if its name looks like a misspelling. A value that a user enters is refused if it looks like a misspelling.

use std::cell::RefCell;
use std::collections::BTreeMap;

use rbxbinary::parts::TypeId;
use rbxcore::classes::Enum;
use rbxcore::hash::{NameMap, NameSet};
use rbxcore::{ColorSequence, Dom, InstanceId, Kind, NumberSequence, Value, classes};

use crate::texts;
use crate::view::{View as _, type_of};
use crate::which::items;
use geom::wire::{Error, Loss, Result};

/// The property that contains the tags of an instance.
pub const TAGS: &str = "Tags";

/// The type in which a document stores tags: a shared string since June 2026, a string before; `None` if it has none.
pub fn tags_type(document: &dyn Dom) -> Option<TypeId> {
    document.instances().find_map(|id| type_of(&document.value(id, TAGS)?))
}

/// Tags as a value of the type that the document uses for tags.
pub fn tags(document: &dyn Dom, tags: Value) -> Value {
    tags_type(document).and_then(|kind| tags.converted(kind.kind()?)).unwrap_or(tags)
}

/// The result of comparing a property and the type of its value with the class table.
#[derive(Clone, Copy, Debug)]
enum Verdict {
    Fits,
    /// The value fits if it is an item of the property's enum, or in the palette.
    Item(classes::Property),
    /// Files store it under another name or type; the type is `None` if the value keeps its own.
    Turned(&'static str, Option<TypeId>),
}

fn verdict(class: &str, property: &str, found: TypeId, keeps_alias: &dyn Fn(&str) -> bool) -> Verdict {
    let known = classes::class(class).and_then(|class| class.property(property));
    let (Some(known), Some(expected)) = (known, TypeId::of_property(class, property)) else {
        return Verdict::Fits;
    };
    let is_stored = known.name() == property;
    let is_reference = found == TypeId::REF && expected == TypeId::CONTENT;
    let fits = expected == found || is_stored && expected.reads_too(found);
    if is_stored && fits && (known.items().is_some() || expected == TypeId::BRICK_COLOR) {
        return Verdict::Item(known);
    }
    match fits || is_reference {
        true if is_stored || keeps_alias(known.name()) => Verdict::Fits,
        true => Verdict::Turned(known.name(), None),
        false => Verdict::Turned(known.name(), Some(expected)),
    }
}

/// The name under which Studio stores a property of a class.
pub fn stored_name<'a>(class: &str, property: &'a str) -> &'a str {
    let known = classes::class(class).and_then(|class| class.property(property));
    known.map_or(property, |known| known.name())
}

/// The text about a name that the class table does not know, if it has a similar one.
pub fn misspelled(class: &str, property: &str) -> Option<String> {
    let known = classes::class(class)?;
    match known.property(property) {
        Some(_) => None,
        None => Some(format!("property name looks like a misspelling of {}", known.closest(property)?)),
    }
}

/// # Errors
/// If neither the class table nor the document has a class.
pub fn known_class(document: &dyn Dom, class: &str) -> Result<()> {
    let is_known = || document.all().into_iter().any(|id| document.class_of(id) == *class);
    if classes::class(class).is_some() || is_known() {
        return Ok(());
    }
    let near = classes::closest_class(class).map(|near| format!("; did you mean {near}?"));
    Err(Error::argument(format!("there is no class {class}{}", near.unwrap_or_default())))
}

/// The end of the error about a number that is no BrickColor.
pub const SUCH_AS: &str = "; expected one such as Medium stone grey (194)";

/// The maximum number of items that an error lists.
const LISTED: usize = 10;

fn item_named(of: Enum, text: &str) -> Result<u32> {
    of.item(text).ok_or_else(|| {
        let known = match (of.closest(text), of.items().len()) {
            (Some(meant), _) => format!("; did you mean {meant}?"),
            (None, count) => {
                let names: Vec<_> = of.items().take(LISTED).map(|(_, name)| name).collect();
                let more = if count > LISTED { ", …" } else { "" };
                format!("; expected one of {}{more}", names.join(", "))
            }
        };
        Error::argument(format!("{text:?} is not an item of the enum {}{known}", of.name()))
    })
}

/// The number of an enum item that a user enters by its name or by the number.
///
/// # Errors
/// If the enum has no item of this name; the error suggests a similar one.
pub fn item(of: Enum, text: &str) -> Result<u32> {
    item_named(of, text).or_else(|error| text.parse().map_err(|_| error))
}

/// The number of an item of a property's enum, by its name: `Grass` or `Enum.Material.Grass`.
///
/// # Errors
/// `InvalidArgument` if the enum is not known, or has no item of this name; then the error
/// suggests a similar one.
pub fn enum_item(class: &str, property: &str, name: &str) -> Result<u32> {
    let unknown = || {
        Error::argument(format!(
            "expected the number of an enum item (the names of the items are unknown), found {name:?}"
        ))
    };
    item_named(items(class, property).ok_or_else(unknown)?, name)
}

/// The state of entering values into a document: what was changed, odd or wrong, with counts.
#[derive(Debug, Default)]
pub(crate) struct Validator<'a> {
    /// The existing document that values enter.
    into: Option<&'a dyn Dom>,
    /// The types in which that document stores a property, by class and name, as far as they were searched.
    held: NameMap<String, NameMap<String, Vec<TypeId>>>,
    verdicts: NameMap<String, NameMap<String, Vec<(TypeId, Verdict)>>>,
    /// The older property in which the existing document stores one, by class and name, as far as they were searched.
    older: NameMap<String, NameMap<String, Option<classes::Property>>>,
    /// The property names of the document by class, if names of other versions of Studio are kept.
    names: Option<NameMap<String, NameSet<&'static str>>>,
    /// Whether texts are changed to what XML can represent.
    is_xml: bool,
    /// The type of `Tags` in the document that values enter. There are two types; each file uses one of them.
    tags: Option<TypeId>,
    /// Whether the type of tags was changed.
    is_retagged: bool,
    wrong: BTreeMap<(String, String), usize>,
    changed: BTreeMap<(String, String), usize>,
    odd: BTreeMap<(String, String), usize>,
}

/// A number or a colour in place of a sequence, as the same value at all times.
fn constant(value: &Value, to: Kind) -> Option<Value> {
    Some(match (value, to) {
        (Value::Float32(number), Kind::NumberSequence) => NumberSequence::constant(*number).into(),
        (Value::Color3(color), Kind::ColorSequence) => ColorSequence::constant(*color).into(),
        _ => return None,
    })
}

fn note(of: &mut BTreeMap<(String, String), usize>, class: &str, property: &str, what: String) {
    let dot = if property.is_empty() { "" } else { "." };
    *of.entry((format!("{class}{dot}{property}"), what)).or_default() += 1;
}

impl<'a> Validator<'a> {
    /// The entry for the conversion of a whole document. Property names of other versions of Studio are kept, unless
    /// the class also stores the current name.
    pub(crate) fn of_document(document: &dyn Dom) -> Self {
        let mut names: NameMap<String, NameSet<&str>> = NameMap::default();
        for id in document.all() {
            let class = document.class_of(id);
            let Some(known) = classes::class(&*class) else { continue };
            let found = match names.get_mut(&*class) {
                Some(found) => found,
                None => names.entry(class.into_owned()).or_default(),
            };
            let found = RefCell::new(found);
            document.some(id, &|name, _| {
                if let Ok(name) = std::str::from_utf8(name)
                    && !found.borrow().contains(name)
                    && let Some(property) = known.property(name).filter(|property| property.name() == name)
                {
                    found.borrow_mut().insert(property.name());
                }
                false
            });
        }
        Self { names: Some(names), ..Self::default() }
    }

    /// The entry into an existing document from another one.
    pub(crate) fn into_document(from: &dyn Dom, document: &'a dyn Dom) -> Self {
        // All instances of the document are searched only if needed.
        let tags = tags_type(from).and_then(|_| tags_type(document));
        Self { into: Some(document), tags, ..Self::default() }
    }

    /// Whether the existing document stores a property of a class in a type.
    fn holds(&mut self, class: &str, name: &str, kind: TypeId) -> bool {
        self.held(class, name).contains(&kind)
    }

    /// The types in which the existing document stores a property of a class: one, unless it is an XML document.
    fn held(&mut self, class: &str, name: &str) -> Vec<TypeId> {
        let Some(document) = self.into else { return Vec::new() };
        if let Some(known) = self.held.get(class).and_then(|of_class| of_class.get(name)) {
            return known.clone();
        }
        let of = |id: InstanceId| type_of(&document.value(id, name)?);
        let mut found: Vec<TypeId> = match document.has_columns() {
            true => document.one_of(class).and_then(of).into_iter().collect(),
            false => {
                let ids = document.all().into_iter().filter(|&id| document.class_of(id) == class);
                ids.filter_map(of).collect()
            }
        };
        geom::sort::by_key(&mut found, |kind| kind.0);
        found.dedup();
        self.held.entry(class.to_owned()).or_default().insert(name.to_owned(), found.clone());
        found
    }

    /// A value in the older property of a class that the existing document has in place of this one: a new column would
    /// give each of the other instances a value of its own.
    fn older(&mut self, class: &str, name: &str, value: &Value) -> Option<(String, Value)> {
        let document = self.into.filter(|document| document.has_columns())?;
        let known = classes::class(class)?.stored(name)?;
        let cached = self.older.get(class).and_then(|of_class| of_class.get(name)).copied();
        let older = cached.unwrap_or_else(|| {
            let mut all = known.older().map(|(older, _)| older);
            let one = document.one_of(class)?;
            let has = |name: &str| document.value(one, name).is_some();
            all.find(|older| older.replaced_by().count() == 1 && has(older.name())).filter(|_| !has(name))
        });
        self.older.entry(class.to_owned()).or_default().insert(name.to_owned(), older);
        let older = older?;
        let value = classes::turn(known.kind(), older.kind())?(value.as_ref())?;
        Some((older.name().to_owned(), value))
    }

    /// The same entry into an XML document.
    pub(crate) fn into_xml(self) -> Self {
        Self { is_xml: true, ..self }
    }

    /// The same entry without notes.
    pub(crate) fn again(&mut self) -> Self {
        let (held, older) = (std::mem::take(&mut self.held), std::mem::take(&mut self.older));
        let (into, is_xml, tags) = (self.into, self.is_xml, self.tags);
        Self { into, held, older, names: self.names.take(), is_xml, tags, ..Self::default() }
    }

    /// A value from a file under the name and the type under which files store it; `None` if it is refused.
    pub(crate) fn enter(&mut self, class: &str, name: String, value: Value) -> Option<(String, Value)> {
        let value = match self.is_xml {
            true => texts::value_in_xml(class, &name, &value).unwrap_or(value),
            false => value,
        };
        let Some(found) = type_of(&value) else { return Some((name, value)) };
        if let (tags, Some(to), TAGS) = (&value, self.tags.filter(|to| *to != found), &*name)
            && let Some(value) = to.kind().and_then(|to| tags.converted(to))
        {
            self.is_retagged = true;
            return Some((name, value));
        }
        if let Some((older, value)) = self.older(class, &name, &value) {
            note(
                &mut self.changed,
                class,
                &name,
                format!("stored under the name {older}, as in the document"),
            );
            return self.fitting(class, older, value);
        }
        let classes = match self.verdicts.get_mut(class) {
            Some(classes) => classes,
            None => {
                if let Some(what) = classes::misspelled_class(class.as_bytes()) {
                    note(&mut self.odd, class, "", what);
                }
                self.verdicts.entry(class.to_owned()).or_default()
            }
        };
        let known = classes.get(&name).and_then(|all| all.iter().find(|(of, _)| *of == found)).copied();
        let verdict = known.map_or_else(
            || {
                if let Some(what) = misspelled(class, &name) {
                    note(&mut self.odd, class, &name, what);
                }
                let names = self.names.as_ref().and_then(|names| names.get(class));
                let keeps = |stored: &str| names.is_some_and(|names| !names.contains(stored));
                let verdict = verdict(class, &name, found, &keeps);
                classes.entry(name.clone()).or_default().push((found, verdict));
                verdict
            },
            |(_, verdict)| verdict,
        );
        let (stored, to) = match verdict {
            Verdict::Turned(stored, to) => (stored, to),
            Verdict::Item(known) => {
                if let Some(what) = known.not_an_item(&value) {
                    note(&mut self.odd, class, &name, what);
                }
                return self.fitting(class, name, value);
            }
            Verdict::Fits => return self.fitting(class, name, value),
        };
        // A copy of an instance is like the instance.
        if to.is_some() && self.holds(class, &name, found) {
            return self.fitting(class, name, value);
        }
        let turned = match to {
            None => Some(value.clone()),
            Some(to) => to.kind().and_then(|to| constant(&value, to).or_else(|| value.converted(to))),
        };
        if let Some(turned) = turned {
            let what = match to {
                None => format!("stored under the name {stored}, as Roblox does"),
                Some(to) if stored == name => format!("stored with the type {to}, as Roblox does"),
                Some(to) => format!("stored under the name {stored} with the type {to}, as Roblox does"),
            };
            note(&mut self.changed, class, &name, what);
            return self.fitting(class, stored.to_owned(), turned);
        }
        let what = format!("expected {}, found {found}", to.map_or_else(String::new, |to| to.to_string()));
        // A property of another year has its own type, and XML holds what the binary form does.
        if stored != name || self.names.is_some() && self.is_xml {
            if stored == name {
                note(&mut self.odd, class, &name, what);
            }
            return self.fitting(class, name, value);
        }
        note(&mut self.wrong, class, &name, what);
        None
    }

    /// A value, unless the document stores the property in a type to which it does not convert.
    fn fitting(&mut self, class: &str, name: String, value: Value) -> Option<(String, Value)> {
        if let (Some(found), true) =
            (type_of(&value), self.into.is_some_and(|document| document.has_columns()))
            && let Some(&held) = self.held(class, &name).first()
            && held.kind().is_some_and(|held| value.converted(held).is_none())
        {
            note(
                &mut self.wrong,
                class,
                &name,
                format!("the document stores the property as {held}, not {found}"),
            );
            return None;
        }
        Some((name, value))
    }

    /// Whether all values are as files store them.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.changed.is_empty() && self.wrong.is_empty() && !self.is_retagged
    }

    /// The losses: changed and odd values and, if `allow_loss` is set, refused values as dropped.
    ///
    /// # Errors
    /// With all refused values, unless `allow_loss` is set.
    pub(crate) fn finish(self, allow_loss: bool) -> Result<Vec<Loss>> {
        if !self.wrong.is_empty() && !allow_loss {
            let all: Vec<_> = self.wrong.keys().chain(self.odd.keys()).collect();
            if let [(path, what)] = &all[..] {
                return Err(Error::not_representable(what.clone()).at_path(path.clone()));
            }
            let texts: Vec<_> = all.iter().map(|(path, what)| format!("{path}: {what}")).collect();
            return Err(Error::not_representable(texts.join("; ")));
        }
        let losses = |of: BTreeMap<(String, String), usize>, new: fn(String, String) -> Loss| {
            of.into_iter().map(move |((path, what), count)| new(path, what).times(count))
        };
        let left_out = losses(self.wrong, |path, what| Loss::new(path, what).id("roblox.unstored-value"));
        let changed =
            losses(self.changed, |path, what| Loss::approximated(path, what).id("roblox.changed-value"));
        let odd = losses(self.odd, |path, what| {
            let what = format!("{what}, so Roblox may ignore or replace it; correct it if it is wrong");
            Loss::warning(path, what).id("roblox.odd-value")
        });
        Ok(left_out.chain(changed).chain(odd).collect())
    }
}

/// Refuses a value that a user enters if its property looks like a misspelling, or if its number is no item of the enum
/// or no BrickColor.
///
/// # Errors
/// `InvalidArgument` with what is wrong.
pub fn given(document: &dyn Dom, id: InstanceId, property: &str, value: &Value) -> Result<()> {
    let exists = document.value(id, property).is_some();
    wrong(&document.class_of(id), property, value, exists).map_or(Ok(()), |what| {
        Err(Error::argument(what).at_path(format!("{}.{property}", document.path_of(id))))
    })
}

/// Like [`given`], for a new instance of a class.
pub fn given_new(class: &str, property: &str, value: &Value) -> Result<()> {
    let what = wrong(class, property, value, false);
    what.map_or(Ok(()), |what| Err(Error::argument(what).at_path(format!("{class}.{property}"))))
}

/// What is wrong with a value that a user enters; `exists` is whether the instance already has the property.
fn wrong(class: &str, property: &str, value: &Value, exists: bool) -> Option<String> {
    let item = || {
        let known = classes::class(class)?.property(property)?;
        let what = known.not_an_item(value)?;
        Some(match known.items() {
            Some(of) => {
                let (number, name) = of.items().next()?;
                format!("{what}; expected one such as {name} ({number})")
            }
            None => format!("{what}{SUCH_AS}"),
        })
    };
    let unstored = || classes::unstored(class, property).or_else(|| misspelled(class, property));
    if exists { item() } else { unstored().or_else(item) }
}
