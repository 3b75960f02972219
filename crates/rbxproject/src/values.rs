//! Values that files state as JSON, as those that a document stores.

use rbxdocument::view::View as _;
use std::collections::{BTreeMap, HashMap, HashSet};

use geom::wire::Loss;
use rbxbinary::parts::TypeId;
use rbxcore::classes::{self, Turn};
use rbxcore::{CFrame, Content, InstanceId, Kind, Value};
use serde_json::{Map, Value as Json};

use crate::json;
use crate::meta::{ID, IDENTIFIERS, TARGET, is_default, script_name};
use crate::snapshot::{Fields, From};
use rbxblobs::terrain::MATERIALS;
use rbxblobs::{Attributes, from_slice};
use rbxcore::Dom;
use rbxcore::property::moved;
use rbxdocument::effective::frame_of;
use rbxdocument::effective::stored;
use rbxdocument::filled::usual;
use rbxdocument::lists::Attributed;
use rbxdocument::validate;
use rbxdocument::which::ATTRIBUTES;
use rbxdocument::which::type_of;
use rbxdocument::write;

/// The instance that gets values.
#[derive(Clone, Copy)]
pub(crate) struct Who<'a> {
    pub(crate) document: &'a dyn Dom,
    pub(crate) class: &'a str,
    /// The instance of the document, if it keeps its class.
    pub(crate) id: Option<InstanceId>,
    /// The instance whose attributes it keeps.
    pub(crate) base: Option<InstanceId>,
    /// An instance that stores the properties that it will store.
    pub(crate) like: Option<InstanceId>,
}

/// References by the names of their properties, as what files state says them.
#[derive(Default)]
pub(crate) struct Links {
    /// The ids of the targets.
    pub(crate) links: Vec<(String, String)>,
    /// References that no file states, although a meta file states all.
    pub(crate) resets: Vec<(String, InstanceId)>,
}

/// The values of an instance, as far as they differ from those of the document.
pub(crate) struct Stated<'a, 'v> {
    pub(crate) who: Who<'a>,
    /// The path of the instance, for losses.
    pub(crate) path: &'v dyn Fn() -> String,
    /// The properties that are not in its meta file.
    pub(crate) of_file: Vec<&'a str>,
    /// Whether a property and an attribute that no file states has its default.
    pub(crate) states_all: bool,
    /// Whether the attributes of a file take the place of all others.
    pub(crate) replaces_attributes: bool,
    pub(crate) values: &'v mut Vec<(String, Value)>,
    pub(crate) losses: &'v mut Vec<Loss>,
}

/// An error, and the file in which it is.
type Wrong = (String, String);

/// A value that a file states, and the file.
type Given<'f> = (&'f Json, &'f Fields);

impl Who<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        self.document.value(self.like?, name)
    }

    /// The properties that replaced an older one, unless the document stores the older one alone.
    fn newer(&self, property: &str) -> Vec<(&'static str, Turn)> {
        let found = self.like.and_then(|id| write::replacing(self.document, id, property));
        let is_stored = || self.like.is_some_and(|id| stored(self.document, id, property).is_some());
        found.unwrap_or_else(|| if is_stored() { Vec::new() } else { newer(self.class, property) })
    }

    /// The frame of which a property is a part.
    fn frame(&self, property: &str) -> Option<CFrame> {
        if let Some(id) = self.id {
            return frame_of(self.document, id, property);
        }
        let class = classes::class(self.class).filter(|_| matches!(property, "Position" | "Orientation"))?;
        class.property("CFrame").filter(|_| class.property(property).is_none())?;
        Some(CFrame::default())
    }
}

/// Whether a property is the one of scripts that says the opposite of `Disabled`, which files store. Rojo's XML has both.
fn is_enabled(class: &str, property: &str) -> bool {
    property == "Enabled" && matches!(class, "Script" | "LocalScript")
}

/// The property that replaced an older one of a class.
pub(crate) fn newer(class: &str, property: &str) -> Vec<(&'static str, Turn)> {
    let found = classes::class(class).and_then(|class| {
        let older = class.property(property)?;
        let newer: Vec<_> = older.replaced_by().collect();
        let [newer] = *newer else { return None };
        let newer = class.property(newer)?;
        Some((newer.name(), classes::turn(older.kind(), newer.kind())?))
    });
    found.into_iter().collect()
}

impl Stated<'_, '_> {
    /// The values of the files of an instance, the weakest first.
    pub(crate) fn fields(&mut self, all: &[&Fields]) -> Result<Links, Wrong> {
        let (mut properties, mut attributes) = (BTreeMap::new(), BTreeMap::new());
        for fields in all {
            let wrong = |what: String| (fields.file.clone(), what);
            let class = self.who.class;
            for (part, into) in [("properties", &mut properties), ("attributes", &mut attributes)] {
                let given = match fields.json.get(part) {
                    None => continue,
                    Some(Json::Object(given)) => given,
                    Some(other) => {
                        return Err(wrong(format!("{part}: expected a JSON object, found {other}")));
                    }
                };
                // As in Rojo, all attributes are one property, of which the strongest file counts.
                if part == "attributes" && !given.is_empty() {
                    into.clear();
                }
                for (name, json) in given {
                    let key = match part {
                        "properties" if is_enabled(class, name) => "Disabled",
                        "properties" => validate::stored_name(class, name),
                        _ => name,
                    };
                    into.insert(key, (name.as_str(), (json, *fields)));
                }
            }
            for (name, _) in fields.json.as_object().into_iter().flatten() {
                if !KNOWN.contains(&&**name) {
                    let what =
                        format!("the field {name:?} in its file, which is none of {}", KNOWN.join(", "));
                    self.losses.push(Loss::new((self.path)(), what).id("rojo.unknown-key"));
                }
            }
        }
        let label = all.iter().rev().find_map(|fields| fields.json.get("id")?.as_str());
        let has_attributes = all.iter().any(|fields| fields.json.get("attributes").is_some());
        let mut links = Links::default();
        let given: HashSet<&str> = properties.keys().copied().collect();
        for (name, (json, fields)) in properties.values() {
            self.property(name, json, fields.from, &given).map_err(|what| (fields.file.clone(), what))?;
        }
        let is_link = |name: &str| name.starts_with(TARGET);
        let stated: HashSet<&str> =
            attributes.keys().filter(|name| is_link(name)).map(|name| &name[TARGET.len()..]).collect();
        if self.states_all {
            self.reset(&given, &stated, &mut links.resets);
        }
        let (linked, attributes): (BTreeMap<_, _>, BTreeMap<_, _>) =
            attributes.into_iter().partition(|(name, _)| is_link(name));
        let states_attributes = self.states_all || self.replaces_attributes && has_attributes;
        let kept = self.attributes(&attributes, (states_attributes, label))?;
        for (name, (_, (json, fields))) in linked {
            let shown = name[TARGET.len()..].to_owned();
            let Some(label) = json.as_str() else {
                let what = format!("attributes.{name}: expected the id of an instance, found {json}");
                return Err((fields.file.clone(), what));
            };
            // Rojo leaves its attributes in what it builds, where the reference may have changed since.
            let is_old = kept.get(name.as_bytes()).is_some_and(|old| old == label.as_bytes());
            if !is_old {
                links.links.push((shown, label.to_owned()));
            }
        }
        Ok(links)
    }

    fn lose(&mut self, name: &str, what: String) {
        self.losses.push(Loss::new(format!("{}.{name}", (self.path)()), what).id("roblox.unstored-value"));
    }

    /// The value that a property has in the wanted state, as far as it is known.
    fn now(&self, name: &str) -> Option<Value> {
        let new = self.values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        new.or_else(|| self.who.document.value(self.who.id?, name))
    }

    fn put(&mut self, name: String, value: Value) {
        self.values.retain(|(known, _)| *known != name);
        let is_old =
            self.who.id.is_some_and(|id| self.who.document.value(id, &name).as_ref() == Some(&value));
        if !is_old {
            self.values.push((name, value));
        }
    }

    /// Enters the value of a property.
    fn property(&mut self, name: &str, json: &Json, from: From, given: &HashSet<&str>) -> Result<(), String> {
        let (who, class) = (self.who, self.who.class);
        if name == "Name" {
            let what = "the property Name, since the name is that of the file or of the key";
            self.losses.push(Loss::new((self.path)(), what).id("rojo.unknown-key"));
            return Ok(());
        }
        // Files store the opposite of this property of scripts.
        if let (true, &Json::Bool(is_on)) = (is_enabled(class, name), json) {
            return self.property("Disabled", &Json::Bool(!is_on), from, given);
        }
        let property = classes::class(class).and_then(|class| class.property(name));
        // The document may store the property under a name of another version of Studio.
        let stored = property.map(|property| property.name());
        let others = property.into_iter().flat_map(classes::Property::other_names);
        let mut names = stored.into_iter().chain(others);
        let there = match who.value(name) {
            Some(_) => Some(name),
            None => names.find(|name| who.value(name).is_some()),
        };
        let Some(target) = there.or(stored) else {
            return self.unknown(name, json, from);
        };
        let kind = who.value(target).and_then(|value| type_of(&value));
        let kind = kind.or_else(|| TypeId::of_property(class, target));
        let kind = kind.ok_or_else(|| {
            format!("{name}: cannot be set, since the type of this property of {class} is unknown")
        })?;
        let old = who.id.and_then(|id| who.document.value(id, target));
        let known = property.map(classes::Property::kind);
        // What `extract` writes is the same value, also if JSON cannot represent all of it.
        if let Some(old) = old.filter(|old| json::value(old.as_ref(), known).as_ref() == Some(json)) {
            self.put(target.to_owned(), old);
            return Ok(());
        }
        let value = parsed(json, kind, (class, target)).map_err(|why| format!("{name}: {why}"))?;
        let mut newer = who.newer(target);
        // Where both are stored, the newer one counts, unless nothing changes.
        let now = who.id.and_then(|id| who.document.value(id, target));
        if now.as_ref() == Some(&value)
            || now.is_some()
                && newer.iter().any(|(newer, _)| given.contains(validate::stored_name(class, newer)))
        {
            newer.clear();
        }
        if newer.is_empty() {
            self.put(target.to_owned(), value);
            return Ok(());
        }
        for (newer, turn) in newer {
            let none =
                || format!("{name}: the value has no equivalent in {newer}, which replaces the property");
            let value = turn(value.as_ref()).ok_or_else(none)?;
            if !given.contains(validate::stored_name(class, newer)) {
                self.put(newer.to_owned(), value);
            }
        }
        Ok(())
    }

    /// Enters the value of a property that the class does not store, as far as is known.
    fn unknown(&mut self, name: &str, json: &Json, from: From) -> Result<(), String> {
        let class = self.who.class;
        let frame = self.now("CFrame").and_then(|frame| frame.as_cframe());
        if let Some(old) = self.who.frame(name) {
            let to = json::parse(json, TypeId::VECTOR3).and_then(|to| to.as_vector3());
            let to = to.ok_or_else(|| format!("{name}: expected an array of three numbers, found {json}"))?;
            self.put("CFrame".to_owned(), moved(frame.unwrap_or(old), name, to).into());
            return Ok(());
        }
        // `extract` writes the type of such a property: a newer Studio has dropped it.
        let typed = || {
            let (kind, _) = json.as_object().filter(|fields| fields.len() == 1)?.iter().next()?;
            let kind = if kind == "BinaryString" { Kind::String } else { Kind::named(kind)? };
            json::parse(json, TypeId::of(kind)?)
        };
        match typed().filter(|_| from == From::Meta && validate::misspelled(class, name).is_none()) {
            Some(value) => self.put(name.to_owned(), value),
            None if from == From::Meta => return Err(format!("{class} has no stored property {name}")),
            // Rojo's own template states it, and Roblox has no other value of it.
            None if (class, name, json) == ("Workspace", "FilteringEnabled", &Json::Bool(true)) => {}
            None => self.lose(name, format!("a property that {class} does not store")),
        }
        Ok(())
    }

    /// Gives properties that no file states their defaults, if a meta file could state them.
    pub(crate) fn reset(
        &mut self,
        given: &HashSet<&str>,
        linked: &HashSet<&str>,
        links: &mut Vec<(String, InstanceId)>,
    ) {
        let (who, class) = (self.who, self.who.class);
        let Some(id) = who.id else { return };
        // The properties that store what older ones of the files say.
        let turned: HashSet<&str> =
            given.iter().flat_map(|name| who.newer(name)).map(|newer| newer.0).collect();
        for (name, value) in who.document.values(id) {
            let is_stated = given.contains(validate::stored_name(class, &name)) || turned.contains(&*name);
            let is_other = name == "Name"
                || is_enabled(class, &name)
                || name == ATTRIBUTES
                || IDENTIFIERS.contains(&&*name)
                || self.of_file.contains(&&*name)
                || self.values.iter().any(|(known, _)| *known == name);
            // An instance that gets another class keeps what this class has.
            let is_gone = classes::class(class).is_some_and(|class| class.property(&name).is_none())
                && *who.document.class_of(id) != *class;
            if is_stated || is_other || is_gone {
                continue;
            }
            match &value {
                Value::Ref(Some(to)) if !linked.contains(script_name(class, &name)) => {
                    links.push((name, *to))
                }
                Value::Ref(_) | Value::Content(Content::Object(_)) | Value::Unknown(_) => {}
                value if is_default(class, &name, value) => {}
                value => {
                    let known = classes::class(class).and_then(|class| class.property(&name));
                    let kind = known.map(classes::Property::kind);
                    if json::value(value.as_ref(), kind).is_none() {
                        continue;
                    }
                    match type_of(value).and_then(|kind| usual(class, &name, kind)) {
                        Some(usual) => self.put(name, usual),
                        None if value.as_bytes().is_some_and(<[u8]>::is_empty) => {}
                        None => {
                            let what = "no file states the value, and the default of the class is not known; it stays";
                            self.losses.push(
                                Loss::warning(format!("{}.{name}", (self.path)()), what)
                                    .id("roblox.unknown-default"),
                            );
                        }
                    }
                }
            }
        }
    }

    /// Enters attributes; returns the targets of references that are attributes of the document.
    fn attributes(
        &mut self,
        stated: &BTreeMap<&str, (&str, Given<'_>)>,
        (states_all, label): (bool, Option<&str>),
    ) -> Result<HashMap<Vec<u8>, Vec<u8>>, Wrong> {
        let mut links = HashMap::new();
        let old = self.who.base.and_then(|id| self.who.document.value(id, ATTRIBUTES));
        let bytes = old.as_ref().and_then(Value::as_bytes).unwrap_or_default();
        let wrong = |error: rbxblobs::Error| {
            let file = stated.values().next().map_or_else(self.path, |(_, (_, fields))| fields.file.clone());
            (file, error.to_string())
        };
        let old = match from_slice::<Attributes>(bytes) {
            Ok(old) => old,
            // What cannot be read stays.
            Err(_) if stated.is_empty() => return Ok(links),
            Err(error) => return Err(wrong(error)),
        };
        // A weaker file, such as a model, has others.
        if !stated.is_empty() || states_all {
            self.values.retain(|(known, _)| known != ATTRIBUTES);
        }
        let (mut removed, mut is_changed) = (Vec::new(), false);
        for (name, value) in &old.0 {
            let Ok(text) = std::str::from_utf8(name) else { continue };
            if let Some(label) = value.value().and_then(|value| value.as_bytes().map(<[u8]>::to_vec)) {
                links.insert(name.to_vec(), label);
            }
            let is_id = text == ID && links.get(ID.as_bytes()).map(Vec::as_slice) == label.map(str::as_bytes);
            let is_kept = stated.contains_key(text) || is_id || text.starts_with(TARGET);
            if states_all && !is_kept && json::attribute(value).is_some() {
                removed.push(text.to_owned());
            }
        }
        let mut all = Attributed::new(old);
        for name in removed {
            all.remove(&name);
            is_changed = true;
        }
        for (name, (_, (json, fields))) in stated {
            let value = json::parse_attribute(json).ok_or_else(|| {
                let expected = "a string, a number, a boolean, or an object such as {\"Int32\": 1}";
                (fields.file.clone(), format!("attributes.{name}: expected {expected}, found {json}"))
            })?;
            // Other JSON of the same value.
            let is_same =
                |old: &rbxblobs::Attribute| *old == value || json::attribute(old).as_ref() == Some(*json);
            if !all.get(name).is_some_and(is_same) {
                all.set(name, value);
                is_changed = true;
            }
        }
        if is_changed {
            let bytes = all.finish().to_vec().map_err(wrong)?;
            self.values.push((ATTRIBUTES.to_owned(), Value::String(bytes.into())));
        }
        Ok(links)
    }
}

/// The fields that a meta file can have.
const KNOWN: [&str; 7] =
    ["properties", "attributes", "className", "ignoreUnknownInstances", "id", "name", "$schema"];

/// A value from JSON that a user wrote.
fn parsed(json: &Json, kind: TypeId, (class, property): (&str, &str)) -> Result<Value, String> {
    if let ("MaterialColors", Json::Object(colors)) = (property, json) {
        return material_colors(colors.get(property).and_then(Json::as_object).unwrap_or(colors));
    }
    let items = rbxdocument::which::items(class, property).filter(|_| kind == TypeId::ENUM);
    match (items, json) {
        (Some(of), Json::String(name)) => {
            validate::item(of, name).map(Value::Enum).map_err(|error| error.to_string())
        }
        (Some(of), _) => json::parse(json, kind).ok_or_else(|| {
            format!("expected the name or the number of an item of the enum {}, found {json}", of.name())
        }),
        (None, _) => json::parse(json, kind).ok_or_else(|| match expected(kind, (class, property)) {
            Some(expected) => format!("expected {expected}, found {json}"),
            None => format!("a meta file cannot set values of the type {kind}"),
        }),
    }
}

/// The colours of the materials of terrain, by their names: red, green and blue from 0 to 255. Other materials have the
/// usual colours.
fn material_colors(given: &Map<String, Json>) -> Result<Value, String> {
    let mut colors = rbxblobs::MaterialColors::default();
    for (name, json) in given {
        let wrong = || {
            format!("MaterialColors.{name}: expected a material of terrain with three integers from 0 to 255")
        };
        let place = MATERIALS.iter().position(|known| known == name).and_then(|place| place.checked_sub(2));
        let color = place.and_then(|place| colors.0.get_mut(place)).ok_or_else(wrong)?;
        let part = |part: &Json| u8::try_from(part.as_u64()?).ok();
        let parts: Option<Vec<u8>> = json.as_array().and_then(|parts| parts.iter().map(part).collect());
        let [r, g, b] = parts.and_then(|parts| <[u8; 3]>::try_from(parts).ok()).ok_or_else(wrong)?;
        (color.r, color.g, color.b) = (r, g, b);
    }
    Ok(Value::String(colors.to_vec().into()))
}

/// What [`json::parse`] expects for a property of a type; `None` if it reads no values of the type.
fn expected(kind: TypeId, (class, property): (&str, &str)) -> Option<String> {
    let form = match kind {
        TypeId::STRING if property == "Tags" => "an array of strings",
        TypeId::STRING => "a string",
        TypeId::SHARED_STRING => "a string in Base64",
        TypeId::BOOL => "true or false",
        TypeId::INT32 => "a 32-bit integer",
        TypeId::INT64 => "a 64-bit integer",
        TypeId::SECURITY_CAPABILITIES => "an integer of 0 or more, or {\"SecurityCapabilities\": 5}",
        TypeId::FLOAT32 | TypeId::FLOAT64 => "a number",
        TypeId::ENUM => "the number of an enum item",
        TypeId::BRICK_COLOR => "the number of a BrickColor, such as 194",
        TypeId::CONTENT => "a string with the address of an asset, such as \"rbxassetid://123\"",
        TypeId::COLOR3 => "an array of three numbers from 0 to 1",
        TypeId::COLOR3_UINT8 => {
            "an array of three numbers from 0 to 1, or {\"Color3uint8\": [r, g, b]} with integers from 0 to 255"
        }
        TypeId::VECTOR2 | TypeId::NUMBER_RANGE => "an array of two numbers",
        TypeId::VECTOR3 => "an array of three numbers",
        TypeId::VECTOR3_INT16 => "an array of three 16-bit integers",
        TypeId::UDIM => "[scale, offset] with an integer as the offset",
        TypeId::UDIM2 => "[[scale, offset], [scale, offset]] with integers as the offsets",
        TypeId::RECT => "[[min x, min y], [max x, max y]]",
        TypeId::RAY => "{\"origin\": [x, y, z], \"direction\": [x, y, z]}",
        TypeId::CFRAME | TypeId::OPTIONAL_CFRAME => {
            "{\"position\": [x, y, z], \"orientation\": [[r00, r01, r02], [r10, r11, r12], [r20, r21, r22]]} (the rows \
             of the rotation matrix), or an array of these 12 numbers"
        }
        TypeId::FACES => "an array of names, such as [\"Top\", \"Left\"]",
        TypeId::AXES => "an array of names, such as [\"X\", \"Y\"]",
        TypeId::NUMBER_SEQUENCE => "{\"NumberSequence\": {\"keypoints\": [{\"time\": 0, \"value\": 1}, …]}}",
        TypeId::COLOR_SEQUENCE => {
            "{\"ColorSequence\": {\"keypoints\": [{\"time\": 0, \"color\": [1, 1, 1]}, …]}}"
        }
        TypeId::PHYSICAL_PROPERTIES => {
            "\"Default\", or an object with the fields density, friction, elasticity, frictionWeight and \
             elasticityWeight"
        }
        TypeId::FONT => {
            "an object such as {\"family\": \"rbxasset://fonts/families/Arial.json\", \"weight\": \"Bold\"}"
        }
        TypeId::REF => {
            let shown = script_name(class, property);
            return Some(format!("the attribute {TARGET}{shown} instead of this property"));
        }
        _ => return None,
    };
    Some(form.to_owned())
}
