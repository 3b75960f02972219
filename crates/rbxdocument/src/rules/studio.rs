//! What Studio refuses or changes when it opens or saves a document: the profile `roblox-studio`.

use std::collections::HashMap;

use bstr::ByteSlice as _;
use rbxblobs::ReadOptions;
use rbxblobs::small::CollisionGroups;
use rbxcore::classes::{self, Class};
use rbxcore::{Dom, InstanceId, Kind, Value};

use crate::decoded::{Decoded, decoded};
use crate::paths::Paths;
use crate::view::View as _;
use crate::which::ATTRIBUTES;
use geom::wire::{Budget, Finding, Result, Rule, Severity::Warning};

const HISTORY: &str =
    "the monthly dumps of Roblox's API in RobloxAPI/build-archive, and its class table of today";
const NAMING: &str = "create.roblox.com/docs/reference/engine/classes/Instance: Name, SetAttribute";

const CLASS: Rule = Rule::new(
    "roblox-studio.class",
    Warning,
    "Studio knows the class of an instance (it drops instances of other classes, with all below them)",
    HISTORY,
);
const PROPERTY: Rule = Rule::new(
    "roblox-studio.property",
    Warning,
    "the class of an instance has the property today (Studio drops others when it saves)",
    HISTORY,
);
const OLDER: Rule = Rule::new(
    "roblox-studio.older-property",
    Warning,
    "a property has the name and the form in which Studio saves it (older ones are read, and saved otherwise)",
    HISTORY,
);
const SERVICE: Rule = Rule::new(
    "roblox-studio.service",
    Warning,
    "an instance that is marked as a service has the class of one",
    "the class ServiceProvider: GetService fails for other classes",
);
const NAME: Rule =
    Rule::new("roblox-studio.name-length", Warning, "a name has at most 100 characters", NAMING);
const ATTRIBUTE: Rule = Rule::new(
    "roblox-studio.attribute-names",
    Warning,
    "the name of an attribute has at most 100 characters, consists of letters, digits, and the characters . - _ /, and \
     does not begin with RBX (scripts cannot set others)",
    NAMING,
);
const SIZE: Rule = Rule::new(
    "roblox-studio.place-size",
    Warning,
    "a place has at most 104,857,600 bytes (Roblox may refuse larger ones)",
    "create.roblox.com/docs/projects/place-files",
);

const NEVER: Rule = Rule::new(
    "roblox-studio.unknown-property",
    Warning,
    "a property is one of its class, today or in another year (others are misspelled, or newer than the tables; Studio drops \
     what it does not know)",
    HISTORY,
);
const CONTENT: Rule = Rule::new(
    "roblox-studio.content",
    Warning,
    "content has the type of its property: text (Studio refuses others for a ContentId), or an object of the type Content",
    "Roblox's class table of today; Studio's error about the format of a ContentId",
);
const GROUP: Rule = Rule::new(
    "roblox-studio.collision-group",
    Warning,
    "the collision group of a part is one of the place, and CollisionGroupId is its number",
    "create.roblox.com/docs/reference/engine/classes/BasePart: CollisionGroup; CollisionGroupData of files that Studio wrote",
);

/// The rules of the profile.
pub(super) const RULES: &[Rule] =
    &[CLASS, PROPERTY, NEVER, OLDER, CONTENT, GROUP, SERVICE, NAME, ATTRIBUTE, SIZE];

/// The largest place, in bytes.
const LARGEST: usize = 104_857_600;
/// The longest name, in characters.
const LONGEST: usize = 100;

/// Checks the rules of the profile, for a document whose file has a number of bytes. What many instances have in common is
/// one finding, with their number.
///
/// # Errors
/// If the findings take more memory than is allowed.
pub fn studio(document: &dyn Dom, bytes: usize, max_bytes: u64) -> Result<Vec<Finding>> {
    let (paths, budget) = (Paths::new(document), Budget::new(max_bytes));
    let mut found = Found { paths, budget, all: Vec::new(), index_of: HashMap::new() };
    let mut known: HashMap<String, HashMap<String, Broken>> = HashMap::new();
    let groups = groups(document, max_bytes);
    for id in document.all() {
        let name = document.class_of(id).into_owned();
        let class = classes::class(&name);
        if class.is_none() {
            found.add(&CLASS, id, "", format!("Studio does not know {name}{}", past(&name)))?;
        }
        if document.is_service(id) && class.is_some_and(|class| !class.is_service()) {
            found.add(&SERVICE, id, "", format!("{name} is no service"))?;
        }
        if document.label(id).chars().count() > LONGEST {
            found.add(&NAME, id, "Name", "a longer name".to_owned())?;
        }
        let Some(class) = class else { continue };
        let of_class = known.entry(name.clone()).or_default();
        for (property, value) in document.values(id) {
            if crate::attribute_refs::key_of(&property).is_some() {
                continue;
            }
            let broken = match of_class.get(&property) {
                Some(broken) => broken,
                None => of_class.entry(property.clone()).or_insert(broken(class, &property)),
            };
            if let Some((rule, what)) = broken {
                found.add(rule, id, &property, what.clone())?;
            }
            if let Some(what) = content(class, &property, &value) {
                found.add(&CONTENT, id, &property, what.to_owned())?;
            }
            if let Some(groups) = groups.as_ref().filter(|_| property == "CollisionGroup")
                && let Some(what) = group(document, id, groups, &value)
            {
                found.add(&GROUP, id, &property, what)?;
            }
            if property == ATTRIBUTES
                && let Some(bytes) = value.as_bytes()
            {
                attributes(&name, id, bytes, max_bytes, &mut found)?;
            }
        }
    }
    let is_place = document.top().iter().any(|&id| document.is_service(id));
    let mut all = found.all;
    if is_place && bytes > LARGEST {
        all.push(Finding::new(&SIZE, "", format!("{bytes} bytes")));
    }
    Ok(all)
}

/// The rule that a property breaks, and what was found.
type Broken = Option<(&'static Rule, String)>;

/// What Studio does with a property of a class, if it does not keep it.
fn broken(class: Class, property: &str) -> Broken {
    let Some(known) = class.property(property) else {
        return gone(class.name(), property);
    };
    let newer: Vec<&str> = known.replaced_by().collect();
    if !newer.is_empty() {
        return Some((&OLDER, format!("Studio saves {}", newer.join(" and "))));
    }
    (known.name() != property).then(|| (&OLDER, format!("Studio saves {}", known.name())))
}

/// Whether some class has a property of this name, or had one.
fn is_of_another(property: &str) -> bool {
    #[cfg(feature = "history")]
    if crate::history::has_name(property) {
        return true;
    }
    classes::classes().any(|class| class.property(property).is_some())
}

/// What is wrong with the type of content.
fn content(class: Class, property: &str, value: &Value) -> Option<&'static str> {
    match (class.property(property)?.kind(), value) {
        (Kind::ContentId, Value::Content(_)) => Some("an object of the type Content, instead of text"),
        (Kind::Content, Value::ContentId(_) | Value::String(_)) => {
            Some("text, instead of an object of the type Content")
        }
        _ => None,
    }
}

/// The numbers of the collision groups of a place, by name; `None` if it states none.
fn groups(document: &dyn Dom, max_bytes: u64) -> Option<HashMap<Vec<u8>, u8>> {
    let value = document.value(document.one_of("Workspace")?, "CollisionGroupData")?;
    let bytes = value.as_bytes().filter(|bytes| !bytes.is_empty())?;
    let CollisionGroups(all) = ReadOptions::new().max_bytes(max_bytes).read(bytes).ok()?;
    Some(all.into_iter().map(|group| (group.name.into(), group.id)).collect())
}

/// What is wrong with the collision group of a part.
fn group(document: &dyn Dom, id: InstanceId, groups: &HashMap<Vec<u8>, u8>, value: &Value) -> Option<String> {
    let name = value.as_bytes()?;
    let shown = name.as_bstr();
    let Some(&wanted) = groups.get(name) else {
        return Some(format!("{shown} is no group of CollisionGroupData"));
    };
    let number = document.value(id, "CollisionGroupId")?.as_i32()?;
    (number != i32::from(wanted)).then(|| format!("the number {number} instead of {wanted}, that of {shown}"))
}

/// The rule that a property breaks that the class does not have today.
#[cfg(feature = "history")]
fn gone(class: &str, property: &str) -> Broken {
    use crate::history::{Month, Status};
    match crate::history::property(class, property, Month::LAST) {
        Status::Gone(last) => Some((&PROPERTY, format!("{class}.{property} is gone since {}", last.next()))),
        // Real files have it: Studio goes on writing properties of its own that the class table of today lacks.
        Status::Known(_) | Status::Later(_) => None,
        _ => Some((&NEVER, never(class, property))),
    }
}

#[cfg(not(feature = "history"))]
fn gone(class: &str, property: &str) -> Broken {
    Some((&NEVER, never(class, property)))
}

/// What is said of a property that the class has in no table.
fn never(class: &str, property: &str) -> String {
    match is_of_another(property) {
        true => format!("{class} has it in no table, but other classes do"),
        false => "no table of any year has it".to_owned(),
    }
}

/// When a class was gone, as the end of a sentence.
#[cfg(feature = "history")]
fn past(class: &str) -> String {
    let last = crate::history::class_span(class).and_then(|span| span.last);
    last.map_or_else(String::new, |last| format!(", which is gone since {}", last.next()))
}

#[cfg(not(feature = "history"))]
fn past(_: &str) -> String {
    String::new()
}

/// Checks the names of attributes.
fn attributes(
    class: &str,
    id: InstanceId,
    bytes: &[u8],
    max_bytes: u64,
    found: &mut Found<'_>,
) -> Result<()> {
    let Ok(Some(Decoded::Attributes(all))) = decoded((class, ATTRIBUTES), bytes, max_bytes) else {
        return Ok(());
    };
    for (name, _) in all.0 {
        let name = name.to_str_lossy();
        let is_plain = |char: char| char.is_ascii_alphanumeric() || ".-_/".contains(char);
        let is_wrong =
            name.chars().count() > LONGEST || name.starts_with("RBX") || !name.chars().all(is_plain);
        if is_wrong || name.is_empty() {
            let name: String = name.chars().take(LONGEST).collect();
            found.add(&ATTRIBUTE, id, ATTRIBUTES, format!("the name {:?}", name.as_bytes().as_bstr()))?;
        }
    }
    Ok(())
}

/// The findings, each with the number of its cases.
struct Found<'a> {
    paths: Paths<'a>,
    budget: Budget,
    all: Vec<Finding>,
    index_of: HashMap<(&'static str, String, String), usize>,
}

impl Found<'_> {
    fn add(&mut self, rule: &Rule, id: InstanceId, property: &str, what: String) -> Result<()> {
        let key = (rule.id, property.to_owned(), what);
        if let Some(&index) = self.index_of.get(&key) {
            self.all[index].count += 1;
            return Ok(());
        }
        let dot = if property.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{property}", self.paths.of(id, &mut self.budget)?);
        self.budget.charge(500, "the findings")?;
        self.all.push(Finding::new(rule, path, key.2.clone()));
        self.index_of.insert(key, self.all.len() - 1);
        Ok(())
    }
}
