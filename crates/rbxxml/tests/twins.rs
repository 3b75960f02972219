//! Documents that Studio saved in both formats: value by value, `rbxbinary` reads from one what this
//! crate reads from the other. The names of types are mapped where the formats differ.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::HashMap;

use rbxbinary::Value as Binary;
use rbxxml::Value as Xml;
use testkit::{Sample, corpus};

/// Pairs of files: the name that they share, XML, binary.
fn twins() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let binary: HashMap<String, Vec<u8>> = corpus("rbxbinary")
        .into_iter()
        .map(|Sample { name, bytes }| (stem(&name, "binary"), bytes))
        .collect();
    let xml = corpus("rbxxml").into_iter().map(|Sample { name, bytes }| (stem(&name, "xml"), bytes));
    xml.filter_map(|(name, xml)| binary.get(&name).map(|binary| (name, xml, binary.clone()))).collect()
}

fn stem(name: &str, format: &str) -> String {
    name.split_once(&format!("__{format}.")).map_or_else(|| name.to_owned(), |(stem, _)| stem.to_owned())
}

/// What both sides need to compare references.
struct Sides<'a> {
    xml: &'a rbxxml::Document,
    /// The item with a referent.
    items: HashMap<&'a str, rbxxml::ItemId>,
    /// The instance that is an item's twin.
    instances: HashMap<rbxxml::ItemId, rbxbinary::Referent>,
}

/// Six digits, which is what XML keeps of sequences and ranges.
fn close(xml: f32, binary: f32) -> bool {
    xml == binary || (xml - binary).abs() <= binary.abs() * 1e-5
}

impl Sides<'_> {
    fn same_reference(&self, xml: Option<&str>, binary: rbxbinary::Referent) -> bool {
        // A reference to what is not in the file is null in the binary one.
        let twin = xml.and_then(|name| self.instances.get(self.items.get(name)?));
        twin.copied() == binary.non_null()
    }

    fn same(&self, xml: &Xml, binary: &Binary) -> bool {
        let debug = |a: &dyn std::fmt::Debug, b: &dyn std::fmt::Debug| {
            // The structs have the same names and fields, and what is no number is the same in both.
            format!("{a:?}").replace("-0.0", "0.0") == format!("{b:?}").replace("-0.0", "0.0")
        };
        match (xml, binary) {
            (
                Xml::String(a) | Xml::ProtectedString(a) | Xml::BinaryString(a) | Xml::ContentId(a),
                Binary::String(b),
            ) => *a == b.as_slice(),
            (Xml::BinaryString(a) | Xml::String(a), Binary::SharedString(b)) => *a == b.as_slice(),
            (Xml::SharedString(a) | Xml::NetAssetRef(a), Binary::SharedString(b)) => {
                self.xml.shared(a) == Some(b.as_slice())
            }
            (Xml::Bool(a), Binary::Bool(b)) => a == b,
            (Xml::Int32(a), Binary::Int32(b)) => a == b,
            (Xml::Int32(a), Binary::BrickColor(b)) => a.cast_unsigned() == b.0,
            (Xml::Int64(a), Binary::Int64(b)) => a == b,
            (Xml::Float32(a), Binary::Float32(b)) => debug(a, b),
            (Xml::Float64(a), Binary::Float64(b)) => debug(a, b),
            (Xml::Enum(a), Binary::Enum(b)) => a == b,
            (Xml::BrickColor(a), Binary::BrickColor(b)) => a.0 == b.0,
            (Xml::Color3(a), Binary::Color3(b)) => debug(a, b),
            (Xml::Color3uint8(a), Binary::Color3uint8(b)) => debug(a, b),
            (Xml::Vector2(a), Binary::Vector2(b)) => debug(a, b),
            (Xml::Vector3(a), Binary::Vector3(b)) => debug(a, b),
            (Xml::Vector2int16(a), Binary::Vector2int16(b)) => debug(a, b),
            (Xml::Vector3int16(a), Binary::Vector3int16(b)) => debug(a, b),
            (Xml::UDim(a), Binary::UDim(b)) => debug(a, b),
            (Xml::UDim2(a), Binary::UDim2(b)) => debug(a, b),
            (Xml::CFrame(a), Binary::CFrame(b)) => debug(a, b),
            (Xml::OptionalCFrame(a), Binary::OptionalCFrame(b)) => debug(a, b),
            (Xml::Ray(a), Binary::Ray(b)) => debug(a, b),
            (Xml::Rect(a), Binary::Rect(b)) => debug(a, b),
            (Xml::Axes(a), Binary::Axes(b)) => debug(a, b),
            (Xml::Faces(a), Binary::Faces(b)) => debug(a, b),
            (Xml::NumberRange(a), Binary::NumberRange(b)) => close(a.min, b.min) && close(a.max, b.max),
            (Xml::NumberSequence(a), Binary::NumberSequence(b)) => {
                a.keypoints.len() == b.keypoints.len()
                    && a.keypoints.iter().zip(&b.keypoints).all(|(a, b)| {
                        close(a.time, b.time) && close(a.value, b.value) && close(a.envelope, b.envelope)
                    })
            }
            (Xml::ColorSequence(a), Binary::ColorSequence(b)) => {
                a.keypoints.len() == b.keypoints.len()
                    && a.keypoints.iter().zip(&b.keypoints).all(|(a, b)| {
                        close(a.time, b.time)
                            && close(a.color.r, b.color.r)
                            && close(a.color.g, b.color.g)
                            && close(a.color.b, b.color.b)
                    })
            }
            (Xml::PhysicalProperties(a), Binary::PhysicalProperties(b)) => debug(a, b),
            (Xml::Font(a), Binary::Font(b)) => debug(a, b),
            (Xml::UniqueId(a), Binary::UniqueId(b)) => debug(a, b),
            (Xml::SecurityCapabilities(a), Binary::SecurityCapabilities(b)) => debug(a, b),
            (Xml::Ref(a), Binary::Ref(b)) => self.same_reference(a.as_deref(), *b),
            (Xml::Content(rbxxml::Content::None), Binary::Content(rbxbinary::Content::None)) => true,
            (Xml::Content(rbxxml::Content::Uri(a)), Binary::Content(rbxbinary::Content::Uri(b))) => {
                *a == b.as_slice()
            }
            (Xml::Content(rbxxml::Content::Object(a)), Binary::Content(rbxbinary::Content::Object(b))) => {
                self.same_reference(a.as_deref(), *b)
            }
            _ => false,
        }
    }
}

/// Where an item or an instance stands: below which, of which class and name, the how manieth of those.
type Place<Id> = (Option<Id>, String, String, usize);

/// The place of each, parents first.
fn places<Id: Copy + Eq + std::hash::Hash>(
    all: impl Iterator<Item = (Id, Option<Id>, String, String)>,
) -> Vec<(Id, Place<Id>)> {
    let mut counts: HashMap<(Option<Id>, String, String), usize> = HashMap::new();
    let place = |(id, parent, class, name): (Id, Option<Id>, String, String)| {
        let count = counts.entry((parent, class.clone(), name.clone())).or_default();
        *count += 1;
        (id, (parent, class, name, *count))
    };
    all.map(place).collect()
}

fn compare(xml: &rbxxml::Document, binary: &rbxbinary::Document) -> (usize, Vec<String>) {
    let tree = binary.tree();
    let mut differing = Vec::new();
    let instances: HashMap<_, _> = places(tree.descendants().map(|instance| {
        let parent = instance.parent().map(|parent| parent.referent());
        (instance.referent(), parent, instance.class_name().to_string(), instance.name().to_string())
    }))
    .into_iter()
    .map(|(referent, place)| (place, referent))
    .collect();
    let mut sides = Sides { xml, items: HashMap::new(), instances: HashMap::new() };
    let items = places(xml.items().map(|(id, item)| {
        (id, xml.parent(id), item.class.to_string(), item.name().unwrap_or_default().to_owned())
    }));
    for (id, (parent, class, name, count)) in items {
        sides.items.extend(xml.item(id).and_then(|item| Some((item.referent.as_deref()?, id))));
        let parent = parent.map(|parent| sides.instances.get(&parent).copied().unwrap_or_default());
        let place = (parent, class, name, count);
        match instances.get(&place) {
            Some(&referent) => drop(sides.instances.insert(id, referent)),
            None => differing.push(format!("{} {:?}: not in the binary file", place.1, place.2)),
        }
    }
    for (place, _) in
        instances.iter().filter(|(_, referent)| !sides.instances.values().any(|id| id == *referent))
    {
        differing.push(format!("{} {:?}: not in the XML file", place.1, place.2));
    }
    let mut values = 0;
    for (id, item) in xml.items() {
        let Some(instance) = sides.instances.get(&id).and_then(|&referent| tree.get(referent)) else {
            continue;
        };
        let at = format!("{} {:?}", item.class, item.name().unwrap_or_default());
        for property in &item.properties {
            let Some(value) = instance.get(&*property.name) else {
                differing.push(format!("{at}.{}: not in the binary file", property.name));
                continue;
            };
            values += 1;
            if !sides.same(&property.value, &value.to_owned()) {
                differing.push(format!("{at}.{}: {:?} and {value:?}", property.name, property.value));
            }
        }
        for (name, _) in instance.properties() {
            if item.get(&name.to_string()).is_none() {
                differing.push(format!("{at}.{name}: not in the XML file"));
            }
        }
    }
    (values, differing)
}

/// What differs because it differed when the files were saved.
fn known(text: &str) -> bool {
    // Studio keeps its selection in binary places and not in XML ones.
    text.ends_with(": Instance \"FilteredSelection\": not in the XML file")
        // A part that was dragged between the two savings.
        || text.starts_with("rbx-dom/models__default-inserted-part: Part \"Part\".CFrame: ")
}

#[test]
fn twins_agree() {
    let twins = twins();
    let (mut values, mut differing) = (0, Vec::new());
    for (name, xml, binary) in &twins {
        let (xml, binary) = (rbxxml::from_slice(xml).unwrap(), rbxbinary::from_slice(binary).unwrap());
        let (count, other) = compare(&xml, &binary);
        values += count;
        differing.extend(other.into_iter().map(|text| format!("{name}: {text}")));
    }
    let all = differing.len();
    differing.retain(|text| !known(text));
    println!("{} twins, {values} values, {} known differences", twins.len(), all - differing.len());
    differing.sort();
    for text in &differing {
        println!("{text:.300}");
    }
    assert!(differing.is_empty(), "{} differ", differing.len());
}
