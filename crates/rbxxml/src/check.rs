//! What the format demands and a reader need not refuse.

use std::collections::{HashMap, HashSet};

use crate::consts::Version;
use crate::finding::{Finding, Findings};
use crate::model::{Document, Item, Part, Property, Value};

/// Every rule of the format that the document breaks: an entry per rule, with the first place and how
/// many there are.
pub fn check(document: &Document) -> Vec<Finding> {
    let mut findings = Findings::default();
    if document.version() != Some(Version::V4) {
        findings.error("the version is 4", || {
            let version = document.attributes.iter().find(|(name, _)| *name == "version");
            let what = version.map_or("no version".into(), |(_, value)| format!("{:?}", value.to_string()));
            ("roblox.version".into(), what)
        });
    }
    metadata(document, &mut findings);
    shared_strings(document, &mut findings);
    items(document, &mut findings);
    findings.into_vec()
}

fn metadata(document: &Document, findings: &mut Findings) {
    let mut keys = HashSet::new();
    for (index, metadata) in document.metadata.iter().enumerate() {
        if !keys.insert(&metadata.key) {
            findings.warning("a key of the metadata stands once", || {
                (format!("metadata[{index}]"), format!("{:?} again", metadata.key))
            });
        }
    }
}

fn shared_strings(document: &Document, findings: &mut Findings) {
    let mut defined = HashMap::new();
    for (index, shared) in document.shared_strings.iter().enumerate() {
        if defined.insert(&*shared.key, index).is_some() {
            findings.error("the key of a shared string is unique", || {
                (format!("shared_strings[{index}]"), format!("{:?} again", shared.key))
            });
        }
        if shared.key.is_empty() {
            findings.error("a shared string has a key", || {
                (format!("shared_strings[{index}]"), "a shared string without a key".into())
            });
        }
    }
    let mut used = HashSet::new();
    for (_, item) in document.items() {
        for property in &item.properties {
            let Some(key) = property.value.as_shared_key() else { continue };
            used.insert(&**key);
            if !defined.contains_key(&**key) {
                findings.error("shared strings are defined", || {
                    (path(item, property), format!("{key:?}, which is not defined"))
                });
            }
        }
    }
    for (index, shared) in document.shared_strings.iter().enumerate() {
        if !used.contains(&*shared.key) {
            findings.warning("shared strings are used", || {
                (format!("shared_strings[{index}]"), format!("{:?}, which nothing uses", shared.key))
            });
        }
    }
}

fn items(document: &Document, findings: &mut Findings) {
    let mut referents = HashSet::new();
    for (_, item) in document.items() {
        match item.referent.as_deref() {
            None | Some("") => {
                findings
                    .warning("an item has a referent", || (name(item), "an item without a referent".into()));
            }
            Some(referent @ ("null" | "nil")) => {
                findings.error("the referent of an item is not null", || {
                    (name(item), format!("the referent {referent:?}"))
                });
            }
            Some(referent) if !referents.insert(referent) => {
                findings.error("the referent of an item is unique", || {
                    (name(item), format!("{referent:?} again"))
                });
            }
            Some(_) => {}
        }
        if item.class.is_empty() {
            findings.error("an item has a class", || (name(item), "an item without a class".into()));
        }
        let opened = item.layout.iter().flat_map(|layout| &layout.body);
        let opened = opened.filter_map(|part| match part {
            Part::Text(text) => Some(bstr::ByteSlice::find_iter(&***text, b"</Properties").count()),
            _ => None,
        });
        let opened: usize = opened.sum();
        if opened > 1 {
            findings
                .error("an item has one element Properties", || (name(item), format!("{opened} of them")));
        }
    }
    let mut unique_ids = HashSet::new();
    for (_, item) in document.items() {
        let mut names = HashSet::new();
        for property in &item.properties {
            if !names.insert(&*property.name) {
                findings.error("a property stands once", || {
                    (path(item, property), format!("{:?} again", property.name))
                });
            }
            if property.name.is_empty() {
                findings.error("a property has a name", || {
                    (path(item, property), format!("a {} without a name", property.value.tag()))
                });
            }
            if let Value::UniqueId(id) = property.value
                && *property.name == *"UniqueId"
                && id != crate::UniqueId::default()
                && !unique_ids.insert(id)
            {
                findings.error("no two items share a unique identifier", || {
                    (path(item, property), format!("{id:?} again"))
                });
            }
            value(item, property, &referents, findings);
        }
    }
}

fn value(item: &Item, property: &Property, referents: &HashSet<&str>, findings: &mut Findings) {
    if let Some(to) = property.value.as_ref_name()
        && !referents.contains(&**to)
    {
        findings.warning("references lead to items", || {
            (path(item, property), format!("{to:?}, which is no item"))
        });
    }
    let times: Vec<f32> = match &property.value {
        Value::NumberSequence(sequence) => sequence.keypoints.iter().map(|k| k.time).collect(),
        Value::ColorSequence(sequence) => {
            if sequence.keypoints.iter().any(|k| k.envelope != 0.0) {
                findings.warning("the envelope of a colour is 0", || {
                    (path(item, property), "an envelope that is not 0".into())
                });
            }
            sequence.keypoints.iter().map(|k| k.time).collect()
        }
        Value::Axes(axes) if axes.0 > 7 => {
            return findings.error("there are three axes", || (path(item, property), axes.0.to_string()));
        }
        Value::Faces(faces) if faces.0 > 63 => {
            return findings.error("there are six faces", || (path(item, property), faces.0.to_string()));
        }
        Value::Unknown(unknown) => {
            return findings
                .warning("types are known", || (path(item, property), format!("<{}>", unknown.tag)));
        }
        _ => return,
    };
    if !times.contains(&0.0) || !times.contains(&1.0) {
        findings.error("a sequence has keypoints at 0 and at 1", || {
            (path(item, property), format!("{} keypoints, at {times:?}", times.len()))
        });
    }
    if !times.is_sorted() {
        findings.warning("the keypoints of a sequence are in order", || {
            (path(item, property), format!("{times:?}"))
        });
    }
}

fn name(item: &Item) -> String {
    match item.referent.as_deref() {
        Some(referent) => format!("{}[{referent}]", item.class),
        None => item.class.to_string(),
    }
}

fn path(item: &Item, property: &Property) -> String {
    format!("{}.{}", name(item), property.name)
}
