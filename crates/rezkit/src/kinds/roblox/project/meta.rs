//! Meta files: the properties and attributes of a script or a folder, except its source.

use std::collections::{HashMap, HashSet};

use rezkit_core::{Budget, Loss, Result};
use serde_json::{Map, Value as Json};

use ::rbxbinary::TypeId;
use rbxcore::classes::{self, Turn};
use rbxcore::{CFrame, Content, InstanceId, Value};

use super::super::effective::stored;
use super::super::lists::Attributed;
use super::super::numbers::{frame_of, moved};
use super::super::{Form, filled, type_of, validate};
use super::json;
use super::lost::{Lost, NO_TARGET, OBJECT};
use crate::blobs::terrain::MATERIALS;
use crate::blobs::{Attributes, Tags, from_slice};
use crate::options::Fill;

/// Identifiers, which Studio generates again and no two instances may share.
pub(super) const IDENTIFIERS: [&str; 3] = ["UniqueId", "HistoryId", "ScriptGuid"];

/// The prefix that Rojo gives the attribute with the id of the instance to which a property refers.
pub(super) const TARGET: &str = "Rojo_Target_";

/// The name that Rojo gives the attribute with the id of an instance.
pub(super) const ID: &str = "Rojo_Id";

/// The name of a property in scripts and in Rojo.
pub(super) fn script_name<'a>(class: &str, name: &'a str) -> &'a str {
    let property = classes::class(class).and_then(|class| class.property(name));
    match property {
        Some(property) => property.script_name(),
        None => name,
    }
}

/// The meta file of an instance: the properties and attributes that differ from a new instance of the class.
/// `targets` are the instances to which other files refer, with their ids.
pub(super) fn of(
    document: &dyn Form,
    id: InstanceId,
    is_script: bool,
    targets: &HashMap<InstanceId, String>,
    lost: &mut Lost<'_>,
    budget: &mut Budget,
) -> Result<Map<String, Json>> {
    let class_name = document.class_of(id).into_owned();
    let class = classes::class(&class_name);
    let (mut properties, mut attributes, mut links) = (Map::new(), Map::new(), Map::new());
    for (name, value) in document.values(id) {
        if name == "Name" || is_script && name == "Source" {
            continue;
        }
        let property = class.and_then(|class| class.property(&name));
        let shown = script_name(&class_name, &name);
        let (json, what) = match &value {
            Value::Ref(None) | Value::Content(Content::Object(None)) => continue,
            Value::Ref(Some(to)) if targets.contains_key(to) => {
                budget.take((targets[to].len() + shown.len()) as u64, &name)?;
                links.insert(format!("{TARGET}{shown}"), targets[to].as_str().into());
                continue;
            }
            Value::Ref(Some(_)) => (None, NO_TARGET.to_owned()),
            Value::Content(Content::Object(Some(_))) => (None, OBJECT.to_owned()),
            Value::Unknown(of) => {
                let tag = &of.tag;
                (None, format!("the element <{tag}>, whose type is unknown or whose content is malformed"))
            }
            Value::SharedString(bytes) if bytes.is_empty() => continue,
            value @ Value::SharedString(bytes) if name != "Tags" => {
                budget.take(bytes.len() as u64 * 4 / 3, &name)?;
                (json::value(value.as_ref(), None), String::new())
            }
            value if is_default(&class_name, &name, value) => continue,
            _ if IDENTIFIERS.contains(&&*name) => {
                (None, format!("the {name}, since Studio generates a new one"))
            }
            value if name == "Tags" && value.as_bytes().is_some() => {
                let bytes = value.as_bytes().unwrap_or_default();
                budget.take(super::super::decoded::cost(("", &name), bytes), &name)?;
                let tags: Option<Tags> = from_slice(bytes).ok();
                (tags.as_ref().and_then(json::tags), "tags that are damaged or not UTF-8".into())
            }
            Value::String(bytes) if name == "AttributesSerialize" => {
                budget.take(super::super::decoded::cost(("", &name), bytes), &name)?;
                match from_slice::<Attributes>(bytes) {
                    Ok(all) => {
                        let (known, others) = json::attributes(&all);
                        attributes = known;
                        for other in others {
                            let what = "an attribute of a type that a Rojo project cannot represent".into();
                            lost.add(id, &format!("{name}.{other}"), what, 1, budget)?;
                        }
                        continue;
                    }
                    Err(error) => (None, format!("the attributes, which cannot be read: {error}")),
                }
            }
            value => {
                if let Some(bytes) = value.as_bytes() {
                    budget.take(bytes.len() as u64 * 2, &name)?;
                }
                let kind = type_of(value).and_then(TypeId::name).unwrap_or("unknown");
                let what = format!("a value of type {kind} that a Rojo project cannot represent");
                (json::value(value.as_ref(), property.map(classes::Property::kind)), what)
            }
        };
        match json {
            Some(json) => drop(properties.insert(shown.to_owned(), json)),
            None => lost.add(id, &name, what, 1, budget)?,
        }
    }
    attributes.extend(links);
    let mut meta = Map::new();
    if let Some(label) = targets.get(&id) {
        meta.insert("id".into(), label.as_str().into());
    }
    for (name, part) in [("properties", properties), ("attributes", attributes)] {
        if !part.is_empty() {
            meta.insert(name.into(), part.into());
        }
    }
    Ok(meta)
}

fn is_default(class: &str, name: &str, value: &Value) -> bool {
    type_of(value).and_then(|kind| default(class, name, kind)).is_some_and(|default| default == *value)
}

/// The value of a property for an instance that does not store it.
pub(super) fn default(class: &str, name: &str, type_id: TypeId) -> Option<Value> {
    match type_id.default_of(class, name) {
        Some(value) => Some(value),
        // A string property that is not known is empty.
        None if type_id == TypeId::STRING => Some(Value::String("".into())),
        None => None,
    }
}

/// The instances by the ids that files give them. Copies of files have the ids of others.
pub(super) type Ids = HashMap<String, Vec<InstanceId>>;

/// The ids, and the instances that are in files.
pub(super) type Targets<'a> = (&'a Ids, &'a HashSet<InstanceId>);

/// The instance with an id, for a reference that now leads to `now`.
pub(super) fn target(
    document: &dyn Form,
    (ids, inside): Targets<'_>,
    id: &str,
    now: Option<InstanceId>,
) -> Option<InstanceId> {
    match ids.get(id) {
        Some(all) => now.filter(|now| all.contains(now)).or(all.first().copied()),
        // `extract` writes paths as ids. What is in a file has the id of the file, if any, whatever its path is now.
        None => document.at(id).filter(|to| now == Some(*to) || !inside.contains(to)),
    }
}

/// Applies the changes of a meta file to the document; returns the names of what changed. In projects and models in
/// JSON, which are no meta files, unknown properties are listed.
///
/// # Errors
/// The reason, if a value cannot be applied.
pub(super) fn put(
    document: &mut dyn Form,
    id: InstanceId,
    (old, new): (&Json, &Json),
    targets: Targets<'_>,
    is_meta: bool,
) -> Result<(Vec<String>, Vec<Loss>), String> {
    let class = document.class_of(id).into_owned();
    fits(old, new)?;
    let (mut changed, mut losses) = (Vec::new(), Vec::new());
    for (name, _) in new.as_object().into_iter().flatten().filter(|(name, _)| !KNOWN.contains(&&***name)) {
        let what = format!("the field {name:?} in its file, which is none of {}", KNOWN.join(", "));
        losses.push(Loss::new(document.path_of(id), what));
    }
    let given = || new.get("properties").and_then(Json::as_object).into_iter().flat_map(Map::keys);
    // The properties that store what older ones of the file say.
    let turned_into = given().flat_map(|name| newer_of(document, id, name)).map(|newer| newer.0);
    let turned_into: HashSet<&str> = turned_into.collect();
    for (name, json) in changes("properties", old, new)? {
        if name == "Name" {
            let what = "the property Name, since the name is that of the file or of the key";
            losses.push(Loss::new(document.path_of(id), what));
            continue;
        }
        let property = classes::class(&class).and_then(|class| class.property(name));
        // The document may store the property under a name of another version of Studio.
        let stored = property.map(|property| property.name());
        let others = property.into_iter().flat_map(classes::Property::other_names);
        let names = [name.to_owned()].into_iter().chain(stored.into_iter().chain(others).map(str::to_owned));
        let there = names.into_iter().find(|name| document.value(id, name).is_some());
        let target = there.or_else(|| stored.map(str::to_owned));
        let Some(target) = target else {
            if let (Some(frame), Some(json)) = (frame_of(document, id, name), json) {
                if let Some(new) = turned(document, id, (name, json), frame)? {
                    let filled = filled::put(document, id, "CFrame", new, Fill::Defaults);
                    losses.extend(filled.map_err(|error| error.to_string())?);
                    changed.push("CFrame".to_owned());
                }
                continue;
            }
            if is_meta {
                return Err(format!("{class} has no stored property {name}"));
            }
            // Rojo's own template has one: `FilteringEnabled` of Workspace.
            let what = format!("a property that {class} does not store");
            losses.push(Loss::new(format!("{}.{name}", document.path_of(id)), what));
            continue;
        };
        let kind = document.value(id, &target).and_then(|value| type_of(&value));
        let kind = kind.or_else(|| TypeId::of_property(&class, &target));
        let kind = kind.ok_or_else(|| {
            format!("{name}: cannot be set, since the type of this property of {class} is unknown")
        })?;
        let value = match json {
            Some(json) => parsed(json, kind, (&class, &target)),
            None => default(&class, &target, kind).ok_or_else(|| {
                "cannot be removed, since its default value is unknown (set a value instead)".to_owned()
            }),
        };
        let value = value.map_err(|why| format!("{name}: {why}"))?;
        if json.is_none() && turned_into.contains(&*target) {
            continue;
        }
        let mut values = Vec::new();
        for (newer, turn) in newer_of(document, id, &target) {
            let is_newer =
                |name: &str| validate::stored_name(&class, name) == validate::stored_name(&class, newer);
            let none =
                || format!("{name}: the value has no equivalent in {newer}, which replaces the property");
            let value = turn(value.as_ref()).ok_or_else(none)?;
            values.push((newer.to_owned(), Some(value).filter(|_| !given().any(|name| is_newer(name)))));
        }
        if values.is_empty() {
            values.push((target, Some(value)));
        }
        for (target, value) in values {
            // Other JSON of the same value.
            let old = document.value(id, &target);
            let Some(value) = value.filter(|value| old.as_ref() != Some(value)) else { continue };
            let filled = filled::put(document, id, &target, value, Fill::Defaults);
            losses.extend(filled.map_err(|error| error.to_string())?);
            changed.push(target);
        }
    }
    let mut attributes = changes("attributes", old, new)?;
    // The attribute with an id is read as the field `id`.
    attributes.retain(|(name, json)| {
        *name != ID || json.is_some() || old.get("attributes").and_then(|all| all.get(ID)) != new.get("id")
    });
    let links: Vec<_> = attributes.extract_if(.., |(name, _)| name.starts_with(TARGET)).collect();
    changed.extend(put_links(document, id, links, targets, &mut losses)?);
    if !attributes.is_empty() {
        changed.extend(put_attributes(document, id, attributes, &mut losses)?);
    }
    Ok((changed, losses))
}

/// The properties that replaced an older one, unless the document stores the older one for the instance.
pub(super) fn newer_of(document: &dyn Form, id: InstanceId, property: &str) -> Vec<(&'static str, Turn)> {
    if stored(document, id, property).is_some() {
        return Vec::new();
    }
    let mut found = filled::replacing(document, id, property).unwrap_or_default();
    if found.is_empty() {
        let class = classes::class(&*document.class_of(id));
        found.extend(class.and_then(|class| {
            let older = class.property(property)?;
            let newer: Vec<_> = older.replaced_by().collect();
            let [newer] = *newer else { return None };
            let newer = class.property(newer)?;
            Some((newer.name(), classes::turn(older.kind(), newer.kind())?))
        }));
    }
    found
}

/// Sets references; returns what changed.
fn put_links(
    document: &mut dyn Form,
    id: InstanceId,
    links: Vec<(&str, Option<&Json>)>,
    targets: Targets<'_>,
    losses: &mut Vec<Loss>,
) -> Result<Vec<String>, String> {
    let class = document.class_of(id).into_owned();
    let mut changed = Vec::new();
    for (name, json) in links {
        let shown = &name[TARGET.len()..];
        let stored = validate::stored_name(&class, shown);
        let now = document.value(id, stored).and_then(|value| value.as_instance());
        let to = json.map(|json| target(document, targets, json.as_str()?, now));
        if to == Some(None) {
            // Rojo ignores it: the target may be elsewhere in a place of which the folder is a part.
            let what = format!(
                "the reference to {}, which is neither the `id` of a file nor the path of an instance \
                 without a file",
                json.unwrap_or(&Json::Null)
            );
            losses.push(Loss::missing(format!("{}.{shown}", document.path_of(id)), what));
            continue;
        }
        let to = to.flatten();
        if document.value(id, stored).as_ref() == Some(&Value::Ref(to)) {
            continue;
        }
        let filled = filled::put(document, id, stored, Value::Ref(to), Fill::Defaults);
        losses.extend(filled.map_err(|error| error.to_string())?);
        changed.push(stored.to_owned());
    }
    Ok(changed)
}

/// Sets and removes attributes; returns what changed.
fn put_attributes(
    document: &mut dyn Form,
    id: InstanceId,
    attributes: Vec<(&str, Option<&Json>)>,
    losses: &mut Vec<Loss>,
) -> Result<Vec<String>, String> {
    let mut changed = Vec::new();
    let property = "AttributesSerialize";
    let value = document.value(id, property);
    let bytes = value.as_ref().and_then(Value::as_bytes).unwrap_or_default();
    let mut all = Attributed::new(from_slice(bytes).map_err(|error| error.to_string())?);
    for (name, json) in attributes {
        match json {
            Some(json) => {
                let value = json::parse_attribute(json).ok_or_else(|| {
                    let expected = "a string, a number, a boolean, or an object such as {\"Int32\": 1}";
                    format!("attributes.{name}: expected {expected}, found {json}")
                })?;
                // Other JSON of the same value.
                if all.get(name) == Some(&value) {
                    continue;
                }
                all.set(name, value);
            }
            None => all.remove(name),
        }
        changed.push(format!("{property}.{name}"));
    }
    if changed.is_empty() {
        return Ok(changed);
    }
    let bytes = all.finish().to_vec().map_err(|error| error.to_string())?;
    let filled = filled::put(document, id, property, Value::String(bytes.into()), Fill::Defaults);
    losses.extend(filled.map_err(|error| error.to_string())?);
    Ok(changed)
}

/// The fields that a meta file can have.
const KNOWN: [&str; 7] =
    ["properties", "attributes", "className", "ignoreUnknownInstances", "id", "name", "$schema"];

/// Checks the fields of a meta file, and that it keeps the class.
fn fits(old: &Json, new: &Json) -> Result<(), String> {
    if !new.is_object() {
        return Err(format!("expected a JSON object, found {new}"));
    }
    if old.get("className") != new.get("className") {
        let remedy = match old.get("className") {
            Some(class) => format!("write {class} again"),
            None => "remove the field".to_owned(),
        };
        return Err(format!("className: pack cannot change the class of an instance ({remedy})"));
    }
    Ok(())
}

/// The `CFrame` that a position or an orientation from JSON makes; `None` if it stays as it is.
fn turned(
    document: &dyn Form,
    id: InstanceId,
    (name, json): (&str, &Json),
    frame: CFrame,
) -> Result<Option<Value>, String> {
    let to = json::parse(json, TypeId::VECTOR3).and_then(|to| to.as_vector3());
    let to = to.ok_or_else(|| format!("{name}: expected an array of three numbers, found {json}"))?;
    let new = Value::from(moved(frame, name, to));
    Ok((document.value(id, "CFrame").as_ref() != Some(&new)).then_some(new))
}

/// A value from JSON that a user wrote.
fn parsed(json: &Json, kind: TypeId, (class, property): (&str, &str)) -> Result<Value, String> {
    if let ("MaterialColors", Json::Object(colors)) = (property, json) {
        return material_colors(colors.get(property).and_then(Json::as_object).unwrap_or(colors));
    }
    let items = validate::items(class, property).filter(|_| kind == TypeId::ENUM);
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
    let mut colors = crate::blobs::MaterialColors::default();
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

/// The fields of an object of the meta file that differ, with their new values; `None` for removed fields.
fn changes<'a>(name: &str, old: &'a Json, new: &'a Json) -> Result<Vec<(&'a str, Option<&'a Json>)>, String> {
    let empty = Map::new();
    let fields = |json: &'a Json| match json.get(name) {
        None => Ok(None),
        Some(Json::Object(fields)) => Ok(Some(fields)),
        Some(other) => Err(format!("{name}: expected a JSON object, found {other}")),
    };
    let (old, new) = (fields(old)?, fields(new)?);
    let mut found = Vec::new();
    for (name, json) in new.into_iter().flatten() {
        if old.unwrap_or(&empty).get(name) != Some(json) {
            found.push((name.as_str(), Some(json)));
        }
    }
    for (name, _) in old.into_iter().flatten() {
        if !new.unwrap_or(&empty).contains_key(name) {
            found.push((name.as_str(), None));
        }
    }
    Ok(found)
}
