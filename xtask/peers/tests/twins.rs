//! Converts the documents that Studio saved in both forms with rezkit. rbx_xml and rbx_binary must read the result of
//! each conversion as they read the file that Studio saved in that form.

use std::collections::{BTreeMap, HashMap};

use rbx_dom_weak::WeakDom;
use rbx_dom_weak::types::{Ref, Variant};
use rezkit::{ConvertOptions, WriteOptions};

/// Values that Studio saved differently in the two files of a document.
const KNOWN: [&str; 5] = [
    "default-inserted-part__binary.rbxm: /Part.CFrame",
    "netassetref__binary.rbxm: /Position: 4,2,0.CFrame",
    "netassetref__binary.rbxm: /Position: -4, -2, 0.CFrame",
    "two-particleemitters__binary.rbxm: /ParticleEmitter.Size",
    "two-particleemitters__binary.rbxm: /ParticleEmitter#1.Size",
];

/// Every instance by its path, with its class and its properties as text; references are paths.
fn flat(dom: &WeakDom) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut paths: HashMap<Ref, String> = HashMap::new();
    let mut open = vec![(dom.root_ref(), String::new())];
    while let Some((id, path)) = open.pop() {
        let mut names: BTreeMap<&str, usize> = BTreeMap::new();
        for &child in dom.get_by_ref(id).expect("there").children() {
            let instance = dom.get_by_ref(child).expect("there");
            // Studio leaves out some of its own objects in XML.
            if instance.class == "Instance" {
                continue;
            }
            let number = names.entry(&instance.name).or_default();
            let index = if *number > 0 { format!("#{number}") } else { String::new() };
            *number += 1;
            open.push((child, format!("{path}/{}{index}", instance.name)));
        }
        paths.insert(id, path);
    }
    let text = |value: &Variant| match value {
        Variant::Ref(id) => format!("Ref({:?})", paths.get(id)),
        Variant::SharedString(shared) => format!("{:?}", shared.data()),
        other => format!("{other:?}"),
    };
    let instance = |(id, path): (&Ref, &String)| {
        let instance = dom.get_by_ref(*id).expect("there");
        let mut properties: BTreeMap<String, String> =
            instance.properties.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        properties.insert("class".into(), instance.class.to_string());
        (path.clone(), properties)
    };
    paths.iter().map(instance).collect()
}

fn differences(file: &str, ours: &WeakDom, studios: &WeakDom, wrong: &mut Vec<String>) {
    let (ours, studios) = (flat(ours), flat(studios));
    let nothing = BTreeMap::new();
    for path in ours.keys().chain(studios.keys().filter(|path| !ours.contains_key(*path))) {
        let (a, b) = (ours.get(path).unwrap_or(&nothing), studios.get(path).unwrap_or(&nothing));
        for name in a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))) {
            let place = format!("{file}: {path}.{name}");
            if a.get(name) != b.get(name) && !KNOWN.iter().any(|known| place.ends_with(known)) {
                wrong.push(format!("{place}: {:?} of ours, {:?} of Studio's", a.get(name), b.get(name)));
            }
        }
    }
}

fn xml(bytes: &[u8]) -> WeakDom {
    let behavior = rbx_xml::DecodePropertyBehavior::ReadUnknown;
    rbx_xml::from_reader(bytes, rbx_xml::DecodeOptions::new().property_behavior(behavior))
        .expect("they read it")
}

fn binary(bytes: &[u8]) -> WeakDom {
    rbx_binary::from_reader(bytes).expect("they read it")
}

fn converted(bytes: &[u8], to: &str) -> Vec<u8> {
    let asset = rezkit::read(bytes).expect("readable");
    let converted = asset.convert(to, &ConvertOptions::new()).expect("convertible");
    converted.asset.write(&WriteOptions::new()).expect("writable")
}

#[test]
fn peers_read_what_is_converted() {
    let twins = testkit::twins();
    let mut wrong = Vec::new();
    for (name, b, x) in &twins {
        differences(name, &xml(&converted(b, "rbxxml")), &xml(x), &mut wrong);
        differences(name, &binary(&converted(x, "rbxbinary")), &binary(b), &mut wrong);
    }
    assert!(twins.is_empty() || twins.len() >= 54, "{}", twins.len());
    let cut = |text: &str| text.chars().take(200).collect::<String>();
    let short = |line: &String| line.split(" of ours, ").map(cut).collect::<Vec<_>>().join(" of ours, ");
    wrong = wrong.iter().map(short).collect();
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong[..wrong.len().min(60)].join("\n"));
}
