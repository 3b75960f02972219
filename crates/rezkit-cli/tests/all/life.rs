//! A project's life: random projects, random steps of a developer, and `pack --remove` after each step. The document must
//! then be what a slow, obvious model of Rojo's rules says. `REZKIT_LIVES` is the number of lives, `REZKIT_STEPS` that
//! of steps; `REZKIT_ROJO` is a program of Rojo 7.7.1, whose builds then prove the model.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rbxcore::{Dom, InstanceId, ValueRef};
use rezkit::blobs::{Attributes, from_slice};
use rezkit::{ConvertOptions, PackOptions};
use serde_json::{Map, Value, json};

use crate::Ask as _;
use crate::xml::{field, tree};

type Folder = BTreeMap<String, Vec<u8>>;

/// A sequence of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % (below as u64)).expect("small")
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.next(of.len())]
    }

    fn is(&mut self, percent: usize) -> bool {
        self.next(100) < percent
    }
}

// The model of Rojo.

/// A wanted instance.
#[derive(Clone, Debug, Default)]
struct Inst {
    name: String,
    class: String,
    /// What files state, by the name of the property.
    values: BTreeMap<String, Value>,
    attributes: BTreeMap<String, Value>,
    /// Whether the files state all that is not the default.
    is_whole: bool,
    /// Whether it can have other children.
    keeps: bool,
    children: Vec<Inst>,
}

fn text_of(folder: &Folder, path: &str) -> Option<String> {
    Some(String::from_utf8(folder.get(path)?.clone()).expect("text"))
}

fn fields(inst: &mut Inst, json: &Value) {
    let part = |name: &str| json.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
    inst.values.extend(part("properties"));
    // All attributes are one property.
    if !part("attributes").is_empty() {
        inst.attributes = part("attributes").into_iter().collect();
    }
}

/// Applies a meta file.
fn meta(folder: &Folder, path: &str, inst: &mut Inst) {
    let Some(text) = text_of(folder, path) else { return };
    let json: Value = serde_json::from_str(&text).expect("JSON");
    fields(inst, &json);
    inst.is_whole = true;
    if let Some(class) = json.get("className") {
        inst.class = class.as_str().expect("a class").to_owned();
    }
    inst.keeps = json.get("ignoreUnknownInstances") == Some(&Value::Bool(true));
}

/// The class and the suffix of a script's file.
fn script(name: &str) -> Option<(&str, &str)> {
    let stem = name.strip_suffix(".luau").or_else(|| name.strip_suffix(".lua"))?;
    Some(if let Some(stem) = stem.strip_suffix(".server") {
        (stem, "Script")
    } else if let Some(stem) = stem.strip_suffix(".client") {
        (stem, "LocalScript")
    } else {
        (stem, "ModuleScript")
    })
}

/// The model of an instance in JSON.
fn json_model(json: &Value, name: &str) -> Inst {
    let text = |field: &str| json.get(field).and_then(Value::as_str);
    let class = text("className").expect("a class").to_owned();
    let mut inst = Inst { name: name.to_owned(), class, is_whole: true, ..Inst::default() };
    fields(&mut inst, json);
    for child in json.get("children").and_then(Value::as_array).into_iter().flatten() {
        let name = child.get("name").and_then(Value::as_str).expect("a name");
        inst.children.push(json_model(child, name));
    }
    inst
}

/// An instance of a document: of a model file, whose values are those that a test looks at.
fn of_document(dom: &dyn Dom, id: InstanceId) -> Inst {
    let class = dom.class(id).expect("a class").to_string();
    let mut inst = Inst { name: dom.label(id).to_string(), class, ..Inst::default() };
    for name in ["Transparency", "Anchored", "Value"] {
        let json = match dom.get(id, name) {
            Some(ValueRef::Float32(value)) => json!(value),
            Some(ValueRef::Bool(value)) => json!(value),
            Some(ValueRef::String(text)) => json!(String::from_utf8_lossy(text)),
            _ => continue,
        };
        inst.values.insert(name.to_owned(), json);
    }
    inst.children = dom.children(id).map(|child| of_document(dom, child)).collect();
    inst
}

/// The instance of a file; `None` for others.
fn file(folder: &Folder, path: &str) -> Option<Inst> {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let beside = |stem: &str| format!("{above}/{stem}.meta.json");
    let new = |name: &str, class: &str| Inst {
        name: name.into(),
        class: class.into(),
        is_whole: true,
        ..Inst::default()
    };
    let mut inst;
    if let Some((stem, class)) = script(name) {
        inst = new(stem, class);
        inst.values.insert("Source".into(), json!(text_of(folder, path)?));
        meta(folder, &beside(stem), &mut inst);
    } else if let Some(stem) = name.strip_suffix(".model.json") {
        inst = json_model(&serde_json::from_slice(&folder[path]).expect("JSON"), stem);
    } else if let Some(stem) = name.strip_suffix(".rbxmx") {
        let document = rbxxml::from_slice(&folder[path]).expect("a model");
        let root = document.roots().next().expect("a root");
        inst = Inst { name: stem.to_owned(), ..of_document(&*document, root) };
    } else if let Some(stem) = name.strip_suffix(".txt") {
        inst = new(stem, "StringValue");
        inst.values.insert("Value".into(), json!(text_of(folder, path)?));
        meta(folder, &beside(stem), &mut inst);
    } else if let Some(stem) = name.strip_suffix(".csv") {
        inst = new(stem, "LocalizationTable");
        meta(folder, &beside(stem), &mut inst);
    } else if name.ends_with(".meta.json") || name.ends_with(".project.json") {
        return None;
    } else if let Some((stem, "json" | "toml")) = name.rsplit_once('.') {
        inst = new(stem, "ModuleScript");
        // All data files of this test have one number.
        let text = text_of(folder, path)?;
        let number: String = text.chars().filter(char::is_ascii_digit).collect();
        inst.values.insert("Source".into(), json!(format!("return {{\n\ta = {number},\n}}")));
        meta(folder, &beside(stem), &mut inst);
    } else {
        return None;
    }
    Some(inst)
}

/// The instance of a folder.
fn directory(folder: &Folder, path: &str, name: &str) -> Option<Inst> {
    let prefix = format!("{path}/");
    let below: Vec<&str> = folder.keys().filter_map(|file| file.strip_prefix(&prefix)).collect();
    if below.is_empty() {
        return None;
    }
    let class = "Folder".to_owned();
    let mut inst = Inst { name: name.to_owned(), class, is_whole: true, ..Inst::default() };
    for init in ["init.luau", "init.server.luau", "init.client.luau"] {
        if let Some(text) = text_of(folder, &format!("{prefix}{init}")) {
            inst.class = script(init).expect("a script").1.to_owned();
            inst.values.insert("Source".into(), json!(text));
            // The file beside it with the name of the folder, which that of the folder follows.
            let own = path.rsplit('/').next().unwrap_or_default();
            let class = inst.class.clone();
            meta(folder, &format!("{prefix}{own}.meta.json"), &mut inst);
            inst.class = class;
            break;
        }
    }
    meta(folder, &format!("{prefix}init.meta.json"), &mut inst);
    let mut names: Vec<(&str, bool)> = below
        .iter()
        .map(|file| file.split_once('/').map_or((*file, false), |(name, _)| (name, true)))
        .collect();
    names.dedup();
    for (name, is_folder) in
        names.into_iter().filter(|(name, _)| !name.is_empty() && !name.starts_with("init."))
    {
        let path = format!("{prefix}{name}");
        inst.children.extend(if is_folder { directory(folder, &path, name) } else { file(folder, &path) });
    }
    Some(inst)
}

/// A node of a project.
fn node(folder: &Folder, node: &Map<String, Value>, name: &str, above: &str) -> Option<Inst> {
    let mut inst = Inst { name: name.to_owned(), keeps: true, ..Inst::default() };
    let path = node.get("$path");
    let optional = path.and_then(|path| path.get("optional"));
    if let Some(path) = optional.or(path) {
        let path = path.as_str().expect("a path");
        let found =
            if folder.contains_key(path) { file(folder, path) } else { directory(folder, path, name) };
        match found {
            Some(found) => inst = Inst { name: name.to_owned(), ..found },
            None if node.get("$className").is_none() => return None,
            None => {}
        }
    }
    if let Some(class) = node.get("$className") {
        inst.class = class.as_str().expect("a class").to_owned();
    } else if inst.class.is_empty() || inst.class == "Folder" && above == "DataModel" {
        inst.class = name.to_owned();
    }
    // A service has more than its folder.
    let of_files = ["Folder", "Script", "LocalScript", "ModuleScript", "StringValue", "LocalizationTable"];
    let path = path.and_then(Value::as_str).unwrap_or_default();
    let has_meta = folder.contains_key(&format!("{path}/init.meta.json"));
    inst.is_whole &= has_meta || of_files.contains(&&*inst.class);
    if let Some(ignores) = node.get("$ignoreUnknownInstances") {
        inst.keeps = ignores == &Value::Bool(true);
    }
    for (key, part) in [("$properties", "properties"), ("$attributes", "attributes")] {
        if let Some(json) = node.get(key) {
            fields(&mut inst, &json!({ part: json }));
        }
    }
    for (name, below) in node.iter().filter(|(name, _)| !name.starts_with('$')) {
        inst.children.extend(self::node(folder, below.as_object().expect("a node"), name, &inst.class));
    }
    Some(inst)
}

fn rojo(folder: &Folder) -> Inst {
    let project: Value = serde_json::from_slice(&folder["default.project.json"]).expect("JSON");
    node(folder, project["tree"].as_object().expect("a tree"), "game", "").expect("a place")
}

// The comparison.

fn is_value(json: &Value, value: Option<ValueRef<'_>>) -> bool {
    match (json, value) {
        (Value::Bool(wanted), Some(ValueRef::Bool(found))) => *wanted == found,
        (Value::Number(wanted), Some(value)) => {
            let found = value.floats().and_then(|all| all.first().copied());
            let is_double = matches!(value, ValueRef::Float64(found) if Some(found) == wanted.as_f64());
            is_double || found.map(f64::from) == wanted.as_f64()
        }
        (Value::String(wanted), Some(value)) => value.as_bytes() == Some(wanted.as_bytes()),
        (Value::Bool(false), None) => true,
        (Value::Number(wanted), None) => wanted.as_f64() == Some(0.0),
        (Value::String(wanted), None) => wanted.is_empty(),
        _ => false,
    }
}

/// The value of a property, by its name in scripts.
fn get<'a>(dom: &'a dyn Dom, id: InstanceId, name: &str) -> Option<ValueRef<'a>> {
    dom.get(id, name).or_else(|| dom.get(id, "archivable").filter(|_| name == "Archivable"))
}

/// The first difference of a document from what is wanted, with the path.
fn difference(
    wanted: &Inst,
    dom: &dyn Dom,
    id: Option<InstanceId>,
    path: &str,
    built: bool,
) -> Option<String> {
    let path = format!("{path}/{}", wanted.name);
    if let Some(id) = id {
        for (name, json) in &wanted.values {
            let is_usual = name == "Archivable" && *json == json!(true) && get(dom, id, name).is_none();
            if !is_usual && !is_value(json, get(dom, id, name)) {
                return Some(format!("{path}.{name}: expected {json}, found {:?}", get(dom, id, name)));
            }
        }
        let value = dom.get(id, "AttributesSerialize");
        let found: Attributes =
            from_slice(value.and_then(|value| value.as_bytes()).unwrap_or_default()).expect("read");
        let found: BTreeMap<String, Option<ValueRef<'_>>> =
            found.0.iter().map(|(name, value)| (name.to_string(), value.value())).collect();
        for (name, json) in &wanted.attributes {
            if !is_value(json, found.get(name).copied().flatten()) {
                return Some(format!(
                    "{path}.{name}: expected the attribute {json}, found {:?}",
                    found.get(name)
                ));
            }
        }
        let usual = [("Transparency", json!(0)), ("Anchored", json!(false)), ("Archivable", json!(true))];
        for (name, usual) in usual.iter().filter(|_| wanted.is_whole) {
            let found = get(dom, id, name);
            if !wanted.values.contains_key(*name) && found.is_some() && !is_value(usual, found) {
                return Some(format!("{path}.{name}: expected the default, found {found:?}"));
            }
        }
        if let Some(name) =
            found.keys().find(|name| wanted.is_whole && !wanted.attributes.contains_key(*name))
        {
            return Some(format!("{path}: expected no attribute {name}"));
        }
    }
    let mut free: Vec<InstanceId> = match id {
        Some(id) => dom.children(id).collect(),
        None => dom.roots().collect(),
    };
    // Siblings of one name and class are the same ones if they are in order, or in some order.
    for child in &wanted.children {
        let is_alike = |id: &InstanceId| {
            *dom.label(*id) == *child.name && *dom.class(*id).expect("a class") == *child.class
        };
        let alike: Vec<usize> = (0..free.len()).filter(|&at| is_alike(&free[at])).collect();
        let Some(&first) = alike.first() else {
            return Some(format!("{path}/{}: no {}", child.name, child.class));
        };
        let differ = |at: &usize| difference(child, dom, Some(free[*at]), &path, built);
        match alike.iter().find(|at| differ(at).is_none()) {
            Some(&at) => _ = free.remove(at),
            None => return differ(&first),
        }
    }
    let is_of_place = |id: &InstanceId| matches!(&**dom.class(*id).expect("a class"), b"Terrain" | b"Camera");
    free.retain(|id| !is_of_place(id));
    match free.first() {
        Some(&other) if !wanted.keeps || built => Some(format!(
            "{path}/{}: a {} that no file has",
            dom.label(other),
            dom.class(other).expect("a class")
        )),
        _ => None,
    }
}

/// What no project names: a line for each value.
fn outside(dom: &dyn Dom) -> Vec<String> {
    let mut lines = Vec::new();
    for (id, path) in dom.paths() {
        if path.starts_with(b"Workspace/Map") || path.starts_with(b"Lighting") {
            lines.extend(dom.properties(id).map(|(name, value)| format!("{path}.{name} = {value:?}")));
        }
    }
    lines
}

// The developer.

const NAMES: [&str; 7] = ["A", "Bee", "Door", "util", "Main", "x y", "Ünï"];
const SCRIPTS: [&str; 4] = [".luau", ".server.luau", ".client.luau", ".lua"];

fn model(random: &mut Random, depth: usize) -> Value {
    let class = *random.one(&["Folder", "Part", "StringValue", "Model", "Configuration"]);
    let mut properties = Map::new();
    match class {
        "Part" => {
            for (name, value) in [("Transparency", json!(0.5)), ("Anchored", json!(true))] {
                if random.is(50) {
                    properties.insert(name.into(), value);
                }
            }
        }
        "StringValue" => _ = properties.insert("Value".into(), json!(random.one(&NAMES))),
        _ => {}
    }
    let count = if depth > 0 { random.next(4) } else { 0 };
    let children: Vec<Value> = (0..count).map(|_| model(random, depth - 1)).collect();
    let mut json = json!({ "name": random.one(&NAMES[..3]), "className": class, "properties": properties });
    if !children.is_empty() {
        json["children"] = children.into();
    }
    json
}

fn xml_model(random: &mut Random) -> Vec<u8> {
    let part = |random: &mut Random| {
        let [value, anchored] = [random.next(4), random.next(2)];
        field("float", "Transparency", [0.0, 0.25, 0.5, 0.75][value])
            + &field("bool", "Anchored", anchored == 1)
    };
    let mut text = format!("{}|Root|", random.one(&["Model", "Folder"]));
    for _ in 0..random.next(5) {
        write!(text, "\n  Part|{}|{}", random.one(&NAMES[..2]), part(random)).expect("written");
        if random.is(30) {
            write!(text, "\n    Part|Inner|{}", part(random)).expect("written");
        }
    }
    tree(&text)
}

fn meta_file(random: &mut Random, class: Option<&str>) -> Vec<u8> {
    let mut json = json!({});
    if let Some(class) = class {
        json["className"] = class.into();
    }
    if random.is(60) {
        json["attributes"] = json!({ *random.one(&["a", "b"]): random.next(3) });
    }
    if class.is_none() && random.is(50) {
        json["properties"] = json!({ "Archivable": random.is(50) });
    }
    json.to_string().into_bytes()
}

fn source(random: &mut Random) -> Vec<u8> {
    format!("return {}", random.next(12)).into_bytes()
}

/// The folders to which the project leads, and those below them.
fn folders(folder: &Folder) -> Vec<String> {
    let mut all: Vec<String> = ["src/shared", "src/server", "src/client", "props"].map(str::to_owned).into();
    for path in folder.keys() {
        let mut at = path.as_str();
        while let Some((above, _)) = at.rsplit_once('/') {
            if above.matches('/').count() > 0 && !all.iter().any(|known| known == above) {
                all.push(above.to_owned());
            }
            at = above;
        }
    }
    all.retain(|path| path.matches('/').count() < 5);
    all
}

/// Whether a name is free in a folder, also for another kind of file of the same name.
fn is_free(folder: &Folder, above: &str, name: &str) -> bool {
    let prefix = format!("{above}/{name}");
    !folder.keys().any(|path| path.strip_prefix(&prefix).is_some_and(|rest| rest.starts_with(['.', '/'])))
}

fn add(folder: &mut Folder, random: &mut Random) {
    let all = folders(folder);
    let (above, name) = (random.one(&all).clone(), *random.one(&NAMES));
    // Duplicates are rare, but allowed: a folder and a file of one name.
    if !is_free(folder, &above, name) && !random.is(15) {
        return;
    }
    let (ending, bytes): (&str, Vec<u8>) = match random.next(12) {
        0..=4 => (*random.one(&SCRIPTS), source(random)),
        5 => (".txt", source(random)),
        6 => (".csv", b"Key,Source,de\nhi,Hello,Hallo\n".to_vec()),
        7 => (".json", format!("{{\"a\": {}}}", random.next(5)).into_bytes()),
        8 => (".toml", format!("a = {}", random.next(5)).into_bytes()),
        9 => (".model.json", model(random, 2).to_string().into_bytes()),
        10 => (".rbxmx", xml_model(random)),
        _ => ("/init.luau", source(random)),
    };
    folder.insert(format!("{above}/{name}{ending}"), bytes);
    if random.is(20) && script(&format!("{name}{ending}")).is_some() && !ending.starts_with('/') {
        folder.insert(format!("{above}/{name}.meta.json"), meta_file(random, None));
    }
}

/// Renames files and folders: all whose path begins with one text get another one.
fn rename(folder: &mut Folder, from: &str, to: &str) {
    let all: Vec<String> = folder.keys().filter(|path| path.starts_with(from)).cloned().collect();
    for path in all {
        let bytes = folder.remove(&path).expect("there");
        folder.insert(format!("{to}{}", &path[from.len()..]), bytes);
    }
}

/// Changes the content of a file.
fn edit(folder: &mut Folder, random: &mut Random, path: &str) {
    let (above, name) = path.rsplit_once('/').expect("a folder");
    let bytes = match name {
        _ if script(name).is_some() || name.ends_with(".txt") => source(random),
        _ if name.ends_with(".model.json") => model(random, 2).to_string().into_bytes(),
        _ if name.ends_with(".rbxmx") => xml_model(random),
        _ if name == "init.meta.json" => {
            let prefix = format!("{above}/");
            let is_init = |path: &String| {
                path.strip_prefix(&prefix).is_some_and(|name| script(name).is_some_and(|of| of.0 == "init"))
            };
            let has_script = folder.keys().any(is_init);
            meta_file(random, (!has_script).then_some("Configuration"))
        }
        _ if name.ends_with(".meta.json") => meta_file(random, None),
        _ => return,
    };
    folder.insert(path.to_owned(), bytes);
}

/// Renames, moves or deletes a file, or makes it a folder.
fn of_file(folder: &mut Folder, random: &mut Random, kind: usize, path: &str) {
    let (above, name) = path.rsplit_once('/').expect("a folder");
    let stem = name.split('.').next().expect("a stem").to_owned();
    let is_init = stem == "init" || name.ends_with(".meta.json");
    let meta = |above: &str, stem: &str| format!("{above}/{stem}.meta.json");
    let inside = format!("{above}/{stem}/");
    match kind {
        // With its meta file.
        5 | 6 if !is_init => {
            let to = *random.one(&NAMES);
            if is_free(folder, above, to) {
                let bytes = folder.remove(path).expect("there");
                folder.insert(format!("{above}/{to}{}", &name[stem.len()..]), bytes);
                if let Some(bytes) = folder.remove(&meta(above, &stem)) {
                    folder.insert(meta(above, to), bytes);
                }
            }
        }
        7 if !is_init => {
            let all = folders(folder);
            let to = random.one(&all).clone();
            if is_free(folder, &to, &stem) {
                let bytes = folder.remove(path).expect("there");
                folder.insert(format!("{to}/{name}"), bytes);
                folder.remove(&meta(above, &stem));
            }
        }
        8 => {
            folder.remove(path);
            folder.remove(&meta(above, &stem));
        }
        // A script becomes a folder with an init file.
        9 if !is_init && script(name).is_some() && !folder.keys().any(|other| other.starts_with(&inside)) => {
            let bytes = folder.remove(path).expect("there");
            let ending = name[stem.len()..].trim_end_matches(".luau").trim_end_matches(".lua");
            folder.insert(format!("{inside}init{ending}.luau"), bytes);
            if let Some(bytes) = folder.remove(&meta(above, &stem)) {
                folder.insert(format!("{inside}init.meta.json"), bytes);
            }
        }
        // A file moves into a folder of its own name, as `M.luau` to `M/M.luau`.
        _ if !is_init && script(name).is_some() => {
            let bytes = folder.remove(path).expect("there");
            folder.insert(format!("{above}/{stem}/{name}"), bytes);
            folder.remove(&meta(above, &stem));
        }
        _ => {}
    }
}

/// Changes what a folder is, or renames, moves or deletes it.
fn of_folder(folder: &mut Folder, random: &mut Random, kind: usize, below: &[String]) {
    let at = random.one(below).clone();
    let (above, name) = at.rsplit_once('/').expect("a folder");
    match kind {
        // A folder gets or loses an init file, or gets a class.
        10 => {
            let init = |kind: &str| format!("{at}/init{kind}.luau");
            let is_script = [".server", ".client"].iter().any(|kind| folder.contains_key(&init(kind)));
            if folder.remove(&init("")).is_some() || is_script {
            } else if random.is(50) {
                folder.remove(&format!("{at}/init.meta.json"));
                folder.insert(init(""), source(random));
            } else {
                let class = *random.one(&["Model", "Configuration", "Folder"]);
                folder.insert(format!("{at}/init.meta.json"), meta_file(random, Some(class)));
            }
        }
        11 => {
            let to = *random.one(&NAMES);
            if is_free(folder, above, to) {
                rename(folder, &format!("{at}/"), &format!("{above}/{to}/"));
            }
        }
        12 => {
            let all = folders(folder);
            let to = random.one(&all);
            if !format!("{to}/").starts_with(&format!("{at}/")) && is_free(folder, to, name) {
                rename(folder, &format!("{at}/"), &format!("{to}/{name}/"));
            }
        }
        _ if random.is(40) => folder.retain(|path, _| !path.starts_with(&format!("{at}/"))),
        _ => {}
    }
}

fn step(folder: &mut Folder, random: &mut Random) -> String {
    let files: Vec<String> = folder.keys().filter(|path| *path != "default.project.json").cloned().collect();
    let below: Vec<String> =
        folders(folder).into_iter().filter(|path| path.matches('/').count() > 1).collect();
    let kind = random.next(14);
    if files.len() < 4 || kind < 3 && files.len() < 60 {
        add(folder, random);
        return "add".to_owned();
    }
    let path = random.one(&files).clone();
    match kind {
        3 | 4 => edit(folder, random, &path),
        5..=9 => of_file(folder, random, kind, &path),
        10..=13 if !below.is_empty() => of_folder(folder, random, kind, &below),
        _ if random.is(30) => of_file(folder, random, kind, &path),
        _ => add(folder, random),
    }
    format!("{kind} {path}")
}

fn project(random: &mut Random) -> Value {
    let mut shared = json!({ "$path": "src/shared" });
    if random.is(30) {
        shared["$attributes"] = json!({ "c": 1 });
    }
    let mut server = json!({ "Game": { "$path": "src/server" } });
    if random.is(50) {
        server = json!({ "$path": "src/server" });
    }
    json!({ "name": "game", "tree": {
        "$className": "DataModel",
        "ReplicatedStorage": { "Shared": shared, "Box": { "$className": "Folder", "$attributes": { "n": 2 } } },
        "ServerScriptService": server,
        "StarterPlayer": { "StarterPlayerScripts": { "$className": "StarterPlayerScripts", "$path": "src/client" } },
        "Workspace": { "Props": { "$path": "props" } },
    } })
}

fn place() -> Vec<u8> {
    tree(
        "Workspace|Workspace
  Terrain|Terrain
  Camera|Camera
  Model|Map
    Part|A|<float name=\"Transparency\">0.5</float>
    Part|A|
      Script|Main|<ProtectedString name=\"Source\">return 1</ProtectedString>
    Folder|Main
ReplicatedStorage|ReplicatedStorage
ServerScriptService|ServerScriptService
StarterPlayer|StarterPlayer
  StarterPlayerScripts|StarterPlayerScripts
Lighting|Lighting
  Sky|Sky",
    )
}

pub(crate) fn dom(bytes: &[u8]) -> Box<dyn Dom> {
    match bytes.starts_with(b"<roblox!") {
        true => Box::new(rbxbinary::from_slice(bytes).expect("binary")),
        false => Box::new(rbxxml::from_slice(bytes).expect("XML")),
    }
}

/// What Rojo builds of a folder.
pub(crate) fn build(program: &std::ffi::OsStr, folder: &Folder) -> Box<dyn Dom> {
    let top = tempfile::tempdir().expect("a folder");
    for (path, bytes) in folder {
        // A path that ends with a slash is that of an empty folder.
        if path.ends_with('/') {
            std::fs::create_dir_all(top.path().join(path)).expect("made");
            continue;
        }
        let path = top.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    let out = top.path().join("out.rbxl");
    let run = std::process::Command::new(program).arg("build").arg(top.path()).arg("-o").arg(&out).output();
    let run = run.expect("Rojo");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    dom(&std::fs::read(out).expect("built"))
}

fn live(seed: u64, steps: usize) {
    let mut random = Random(seed);
    let mut folder = Folder::new();
    folder.insert("default.project.json".into(), project(&mut random).to_string().into_bytes());
    for _ in 0..random.next(20) + 4 {
        add(&mut folder, &mut random);
    }
    let xml = place();
    let binary = crate::open(&xml, "a.rbxlx")
        .made_with("a.rbxl", &ConvertOptions::new().fill(rezkit::Fill::Defaults))
        .0;
    let mut documents = [xml, binary];
    let before = documents.each_ref().map(|bytes| outside(&*dom(bytes)));
    let mut said = String::new();
    let program = std::env::var_os("REZKIT_ROJO");
    for number in 0..steps {
        let mut given = folder.clone();
        for name in ["src/shared/", "src/server/", "src/client/", "props/"] {
            given.entry(name.to_owned()).or_default();
        }
        let wanted = rojo(&given);
        let place = format!("life {seed}, step {number} ({said})");
        if let Some(program) = program.as_ref().filter(|_| number % 10 == 0) {
            let built = build(program, &given);
            assert_eq!(
                difference(&wanted, &*built, None, "", true),
                None,
                "the model is not Rojo's: {place}"
            );
        }
        for (document, before) in documents.iter_mut().zip(&before) {
            let options = || PackOptions::new().remove(true);
            let mut opened = crate::open(&*document, "place");
            let packed =
                opened.pack(given.clone(), options()).unwrap_or_else(|error| panic!("{place}: {error}"));
            let bytes = opened.written();
            let now = dom(&bytes);
            if let Some(what) = difference(&wanted, &*now, None, "", false) {
                let text: Vec<_> = folder
                    .iter()
                    .map(|(path, bytes)| format!("{path}: {}", String::from_utf8_lossy(bytes)))
                    .collect();
                panic!("{place}: {what}\n{:#?}\n{}", packed.changed, text.join("\n"));
            }
            let now = outside(&*now);
            let lost = before.iter().find(|line| !now.contains(line));
            assert_eq!(lost, None, "{place}");
            let again =
                opened.pack(given.clone(), options()).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(again.changed, [""; 0], "{place}: {:?}", packed.changed);
            assert_eq!(opened.written(), bytes, "{place}");
            *document = bytes;
        }
        said = step(&mut folder, &mut random);
    }
}

/// After each step, the document is what Rojo builds of the folder, and packing again changes nothing.
#[test]
fn projects_live() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect(name));
    let (first, lives) = (number("REZKIT_FIRST", 1), number("REZKIT_LIVES", 4));
    let steps = usize::try_from(number("REZKIT_STEPS", 40)).expect("a number");
    for seed in first..first + lives {
        live(seed, steps);
    }
}
