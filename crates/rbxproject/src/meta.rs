//! Meta files: the properties and attributes of a script or a folder, except its source.

use crate::memory::{charge, cost};
use rbxdocument::view::View as _;
use std::collections::HashMap;

use geom::wire::{Budget, Loss, Result};
use serde_json::{Map, Value as Json};

use rbxbinary::parts::TypeId;
use rbxcore::classes;
use rbxcore::{Content, InstanceId, Value};

use crate::json;
use crate::lost::{Lost, NO_TARGET, OBJECT};
use rbxblobs::{Attributes, Tags, from_slice};
use rbxcore::Dom;
use rbxdocument::filled::usual;
use rbxdocument::which::type_of;

/// The properties of terrain with its voxels.
pub(crate) const GRIDS: [&str; 4] = ["SmoothGrid", "PhysicsGrid", "ClusterGridV3", "ClusterGridV2"];

/// Identifiers, which Studio generates again and no two instances may share.
pub(crate) const IDENTIFIERS: [&str; 3] = ["UniqueId", "HistoryId", "ScriptGuid"];

/// The prefix that Rojo gives the attribute with the id of the instance to which a property refers.
pub(crate) const TARGET: &str = "Rojo_Target_";

/// The name that Rojo gives the attribute with the id of an instance.
pub(crate) const ID: &str = "Rojo_Id";

/// The name of a property in scripts and in Rojo.
pub(crate) fn script_name<'a>(class: &str, name: &'a str) -> &'a str {
    let property = classes::class(class).and_then(|class| class.property(name));
    match property {
        Some(property) => property.script_name(),
        None => name,
    }
}

/// The meta file of an instance: the properties and attributes that differ from a new instance of the class.
/// `targets` are the instances to which other files refer, with their ids.
pub(crate) fn of(
    document: &dyn Dom,
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
        let (json, rule, what) = match &value {
            Value::Ref(None) | Value::Content(Content::Object(None)) => continue,
            Value::Ref(Some(to)) if targets.contains_key(to) => {
                charge(budget, (targets[to].len() + shown.len()) as u64, &name)?;
                links.insert(format!("{TARGET}{shown}"), targets[to].as_str().into());
                continue;
            }
            Value::Ref(Some(_)) => (None, "rojo.reference", NO_TARGET.to_owned()),
            Value::Content(Content::Object(Some(_))) => (None, "rojo.reference", OBJECT.to_owned()),
            Value::Unknown(of) => {
                let tag = &of.tag;
                let what =
                    format!("the element <{tag}>, whose type is unknown or whose content is malformed");
                (None, "rojo.value", what)
            }
            Value::SharedString(bytes) if bytes.is_empty() => continue,
            value @ Value::SharedString(bytes) if name != "Tags" => {
                charge(budget, bytes.len() as u64 * 4 / 3, &name)?;
                (json::value(value.as_ref(), None), "rojo.value", String::new())
            }
            value if is_default(&class_name, &name, value) => continue,
            _ if IDENTIFIERS.contains(&&*name) => {
                (None, "rojo.identifier", format!("the {name}, since Studio generates a new one"))
            }
            value if name == "Tags" && value.as_bytes().is_some() => {
                let bytes = value.as_bytes().unwrap_or_default();
                charge(budget, cost(&name, bytes), &name)?;
                let tags: Option<Tags> = from_slice(bytes).ok();
                let what = "tags that are damaged or not UTF-8".to_owned();
                (tags.as_ref().and_then(json::tags), "rojo.value", what)
            }
            Value::String(bytes) if name == "AttributesSerialize" => {
                charge(budget, cost(&name, bytes), &name)?;
                match from_slice::<Attributes>(bytes) {
                    Ok(all) => {
                        let (known, others) = json::attributes(&all);
                        attributes = known;
                        for other in others {
                            let what = "an attribute of a type that a Rojo project cannot represent";
                            let loss = Loss::new("", what).id("rojo.value");
                            lost.add(id, &format!("{name}.{other}"), loss, budget)?;
                        }
                        continue;
                    }
                    Err(error) => {
                        (None, "rojo.value", format!("the attributes, which cannot be read: {error}"))
                    }
                }
            }
            value => {
                if let Some(bytes) = value.as_bytes() {
                    charge(budget, bytes.len() as u64 * 2, &name)?;
                }
                let kind = type_of(value).and_then(TypeId::name).unwrap_or("unknown");
                let what = format!("a value of type {kind} that a Rojo project cannot represent");
                let kind = property.map(classes::Property::kind);
                (json::value(value.as_ref(), kind), "rojo.value", what)
            }
        };
        match json {
            Some(json) => drop(properties.insert(shown.to_owned(), json)),
            None => lost.add(id, &name, Loss::new("", what).id(rule), budget)?,
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

pub(crate) fn is_default(class: &str, name: &str, value: &Value) -> bool {
    type_of(value).and_then(|kind| usual(class, name, kind)).is_some_and(|usual| usual == *value)
}
