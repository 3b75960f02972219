//! Extracts every document of the corpus as a project and builds it with Rojo: the same instances with the same values
//! and references must come back, as rbx_binary and rbx_xml read them with their class database. Needs Rojo 7, whose
//! path is in the variable `ROJO`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rbx_dom_weak::types::{Font, Ref, Variant};
use rbx_dom_weak::{Instance, WeakDom};
use rezkit::{ExtractOptions, Output};

fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files(&path, all) } else { all.push(path) }
    }
}

fn read(bytes: &[u8]) -> Option<WeakDom> {
    if bytes.starts_with(b"<roblox!") {
        return rbx_binary::from_reader(bytes).ok();
    }
    rbx_xml::from_reader(
        bytes,
        rbx_xml::DecodeOptions::new().property_behavior(rbx_xml::DecodePropertyBehavior::ReadUnknown),
    )
    .ok()
}

/// Whether Rojo leaves out a property, since its database lists it as not saved.
fn is_not_saved(class: &str, property: &str) -> bool {
    let classes = &rbx_reflection_database::get_bundled().classes;
    let above = |class: &&str| classes.get(*class)?.superclass;
    let mut bases = std::iter::successors(Some(class), above);
    let found = bases.find_map(|class| classes.get(class)?.properties.get(property));
    found.is_some_and(|found| format!("{:?}", found.kind).contains("DoesNotSerialize"))
}

/// A value as text, for comparison.
fn text(name: &str, value: &Variant) -> String {
    match value {
        Variant::String(text) if name == "Source" => text.replace("\r\n", "\n"),
        // The bytes of an unknown property, as text if they are valid UTF-8.
        Variant::BinaryString(bytes) => {
            let bytes: &[u8] = bytes.as_ref();
            format!("{:?}", String::from_utf8_lossy(bytes))
        }
        Variant::String(text) => format!("{text:?}"),
        Variant::ContentId(uri) => format!("{:?}", uri.as_str()),
        // Rojo rounds a rotation that is nearly one of the 24 basic ones.
        Variant::CFrame(frame) | Variant::OptionalCFrame(Some(frame)) => {
            match frame.orientation.to_basic_rotation_id() {
                Some(id) => format!("{:?}, rotation {id}", frame.position),
                None => format!("{frame:?}"),
            }
        }
        // rbx_xml reads an empty element as the default font.
        Variant::Font(font) if font.family.is_empty() => format!("{:?}", Variant::from(Font::default())),
        value => format!("{value:?}"),
    }
}

/// The values that differ from those of a new instance, without identifiers, which Studio makes again, and references,
/// which `references` compares.
fn values(instance: &Instance) -> BTreeMap<String, String> {
    let database = rbx_reflection_database::get_bundled();
    let class = database.classes.get(&*instance.class);
    let mut values = BTreeMap::new();
    for (name, value) in &instance.properties {
        let default = class.and_then(|class| database.find_default_property(class, name));
        let is_identifier = matches!(&**name, "ScriptGuid" | "HistoryId" | "UniqueId");
        if is_identifier
            || matches!(value, Variant::Ref(_) | Variant::UniqueId(_))
            || is_not_saved(&instance.class, name)
        {
            continue;
        }
        // Attributes that Rojo uses for references are left out, since they stay in the built file.
        let value = &match value {
            Variant::Attributes(all) => {
                let is_own = |name: &String| !name.starts_with("Rojo_Target_") && name != "Rojo_Id";
                let own = all.iter().filter(|(name, _)| is_own(name));
                Variant::Attributes(own.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            value => value.clone(),
        };
        let text = text(name, value);
        let is_default = default.is_some_and(|default| self::text(name, default) == text);
        // Values that count as defaults although the database does not list them: it lacks some classes, and has other
        // attributes for Lighting.
        let is_empty =
            ["Tags(Tags { members: [] })", "Attributes(Attributes { data: {} })"].contains(&&*text);
        let nothing = [
            "\"\"",
            "Bool(false)",
            "Int64(-1)",
            "Content(Content(None))",
            "SecurityCapabilities(SecurityCapabilities { value: 0 })",
        ];
        let is_nothing = is_empty || default.is_none() && nothing.contains(&&*text);
        if !is_default && !is_nothing {
            values.insert(name.to_string(), text);
        }
    }
    values
}

/// The children, ordered by name and class, and those with equal names by their content.
fn children<'a>(dom: &'a WeakDom, of: &Instance) -> Vec<(String, &'a Instance)> {
    let mut children: Vec<_> = of
        .children()
        .iter()
        .filter_map(|id| dom.get_by_ref(*id))
        .map(|child| (format!("{} {} {}", child.name, child.class, digest(dom, child)), child))
        .collect();
    children.sort_by(|(a, _), (b, _)| a.cmp(b));
    children
}

fn digest(dom: &WeakDom, of: &Instance) -> String {
    let below: Vec<String> = children(dom, of).into_iter().map(|(key, _)| key).collect();
    let text = format!("{:?} {below:?}", values(of));
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Pairs children with equal keys; the others are paired in order.
fn paired<'a, 'b>(
    these: Vec<(String, &'a Instance)>,
    those: Vec<(String, &'b Instance)>,
) -> Vec<(&'a Instance, &'b Instance)> {
    let mut by_key: BTreeMap<&str, Vec<&Instance>> = BTreeMap::new();
    those.iter().rev().for_each(|(key, of)| by_key.entry(key).or_default().push(of));
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for (key, old) in &these {
        match by_key.get_mut(key.as_str()).and_then(Vec::pop) {
            Some(new) => pairs.push((*old, new)),
            None => left.push(*old),
        }
    }
    let others = by_key.into_values().flat_map(|of| of.into_iter().rev());
    pairs.extend(left.into_iter().zip(others));
    pairs
}

fn compare(
    (before, old): (&WeakDom, &Instance),
    (after, new): (&WeakDom, &Instance),
    differences: &mut BTreeMap<String, usize>,
    twins: &mut HashMap<Ref, Ref>,
) -> usize {
    let mut count = 1;
    twins.insert(old.referent(), new.referent());
    let mut add = |what: String| *differences.entry(what).or_default() += 1;
    if (old.class, &old.name) != (new.class, &new.name) {
        add(format!("{} {} became {} {}", old.class, old.name, new.class, new.name));
        return count;
    }
    let (was, is) = (values(old), values(new));
    for name in was.keys().chain(is.keys().filter(|name| !was.contains_key(*name))) {
        if was.get(name) != is.get(name) {
            let short = |value: Option<&String>| {
                value.map(|text| text.chars().take(60).collect::<String>()).unwrap_or_default()
            };
            add(format!("{}.{name}: {:?} became {:?}", old.class, short(was.get(name)), short(is.get(name))));
        }
    }
    let (these, those) = (children(before, old), children(after, new));
    if these.len() != those.len() {
        add(format!("{} {}: {} children became {}", old.class, old.name, these.len(), those.len()));
        return count;
    }
    for (old, new) in paired(these, those) {
        count += compare((before, old), (after, new), differences, twins);
    }
    count
}

/// Compares the references of both documents. Returns how many lead to the same instance as before; counts the others
/// in `differences`.
fn references(
    (before, after): (&WeakDom, &WeakDom),
    twins: &HashMap<Ref, Ref>,
    differences: &mut BTreeMap<String, usize>,
) -> usize {
    let mut count = 0;
    for (&old, &new) in twins {
        let (old, new) = (before.get_by_ref(old).expect("there"), after.get_by_ref(new).expect("there"));
        for (name, value) in &old.properties {
            let Variant::Ref(to) = value else { continue };
            // A reference that leads to no instance of the document must be null in the other one.
            let wanted = twins.get(to).copied().unwrap_or(Ref::none());
            let found = match new.properties.get(name) {
                Some(Variant::Ref(found)) => *found,
                _ => Ref::none(),
            };
            // Siblings that are equal count as the same instance.
            let what = |id: Ref| {
                let instance = after.get_by_ref(id);
                instance.map(|instance| (&instance.name, instance.class, digest(after, instance)))
            };
            match found == wanted || found.is_some() && what(found) == what(wanted) {
                true => count += usize::from(wanted.is_some()),
                false => *differences.entry(format!("reference {}.{name}", old.class)).or_default() += 1,
            }
        }
    }
    count
}

#[test]
fn rojo_builds_what_was_extracted() {
    let Some(rojo) = std::env::var_os("ROJO") else { return };
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let mut all = Vec::new();
    ["rbxbinary", "rbxxml"].iter().for_each(|folder| files(&corpus.join(folder), &mut all));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rojo");
    let (mut built, mut instances, mut led, mut unread, mut wrong) = (0, 0, 0, 0, Vec::new());
    for path in all {
        let bytes = fs::read(&path).expect("a file");
        let Some(before) = read(&bytes) else {
            unread += 1;
            continue;
        };
        let Ok(opened) = rezkit::open(bytes, &path.to_string_lossy(), ()) else { continue };
        let Output { files, losses, .. } =
            opened.extract(&ExtractOptions::new().models("rbxm")).expect("extracted");
        _ = fs::remove_dir_all(&folder);
        for file in &files {
            let path = folder.join(file.path());
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, &file.bytes).expect("written");
        }
        if !folder.join("default.project.json").exists() {
            assert_eq!(before.root().children().len(), 0, "{}", path.display());
            continue;
        }
        let is_model = before.root().children().len() == 1
            && fs::read_to_string(folder.join("default.project.json"))
                .is_ok_and(|text| !text.contains("DataModel"));
        let out = folder.join(if is_model { "out.rbxm" } else { "out.rbxl" });
        let ran = Command::new(&rojo).arg("build").arg(&folder).arg("-o").arg(&out).output().expect("Rojo");
        if !ran.status.success() {
            wrong.push(format!("{}: {}", path.display(), String::from_utf8_lossy(&ran.stderr)));
            continue;
        }
        let after = read(&fs::read(&out).expect("built")).expect("readable");
        let (mut differences, mut twins) = (BTreeMap::new(), HashMap::new());
        let (old, new) = (children(&before, before.root()), children(&after, after.root()));
        if old.len() != new.len() {
            wrong.push(format!("{}: {} roots became {}", path.display(), old.len(), new.len()));
            continue;
        }
        for ((_, old), (_, new)) in old.into_iter().zip(new) {
            instances += compare((&before, old), (&after, new), &mut differences, &mut twins);
        }
        led += references((&before, &after), &twins, &mut differences);
        built += 1;
        if !differences.is_empty() {
            let listed: Vec<_> = losses.iter().map(ToString::to_string).collect();
            wrong.push(format!("{}: {differences:#?}, listed {listed:#?}", path.display()));
        }
    }
    eprintln!("{built} built, {instances} instances, {led} references, {unread} that the others do not read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
