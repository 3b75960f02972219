//! Models that Studio wrote both as binary and as XML: they say the same, value by value.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common {
    pub(crate) mod xml;
}

use std::collections::HashMap;

use common::xml::{Element, base64, parse};
use rbxbinary::{ContentRef, Document, InstanceId, PhysicalProperties, ValueRef};
use testkit::{Sample, corpus};

struct Twins<'a> {
    document: &'a Document,
    name: &'a str,
    /// The binary instance of each referent of the XML.
    referents: HashMap<String, InstanceId>,
    shared: HashMap<String, Vec<u8>>,
    values: usize,
}

fn number(text: &str) -> f64 {
    match text.trim() {
        "INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        "NAN" | "-NAN" => f64::NAN,
        text => text.parse().unwrap_or_else(|_| panic!("{text:?} is no number")),
    }
}

/// Whether a float is what the XML says, in nine digits; −0 is not 0.
fn single(value: f32, text: &str) -> bool {
    #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
    let other = number(text) as f32;
    value.to_bits() == other.to_bits() || value.is_nan() && other.is_nan()
}

/// Whether numbers are those of the XML, in six digits.
fn rough(values: &[f32], text: &str) -> bool {
    let others: Vec<f64> = text.split_whitespace().map(number).collect();
    let close = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() <= 1e-5 * b.abs().max(1e-6);
    values.len() == others.len() && values.iter().zip(&others).all(close)
}

fn singles(values: &[f32], element: &Element, tags: &[&str]) -> bool {
    let text = |tag: &str| element.child(tag).map(|child| child.text.clone()).unwrap_or_default();
    values.len() == tags.len() && values.iter().zip(tags).all(|(&value, tag)| single(value, &text(tag)))
}

const FRAME: [&str; 12] = ["X", "Y", "Z", "R00", "R01", "R02", "R10", "R11", "R12", "R20", "R21", "R22"];

fn frame(value: &rbxbinary::CFrame) -> Vec<f32> {
    [&value.position.to_array()[..], &value.rotation.to_rows()[..]].concat()
}

impl<'a> Twins<'a> {
    fn instances(&mut self, xml: &Element, mut binary: Vec<InstanceId>) {
        // Studio leaves these out of XML.
        binary.retain(|&id| self.document.name(id).unwrap() != "FilteredSelection");
        assert_eq!(xml.items().count(), binary.len(), "{}", self.name);
        let name = |item: &Element| {
            let properties = item.child("Properties").unwrap();
            let name = properties.children.iter().find(|property| property.attribute("name") == "Name");
            name.map(|name| name.text.clone()).unwrap_or_default()
        };
        for item in xml.items() {
            // In order; where that is another, by class and name.
            let same = |other: &InstanceId| {
                self.document.class(*other).unwrap() == item.attribute("class")
                    && self.document.name(*other).unwrap() == name(item).as_bytes()
            };
            let exactly = |other: &InstanceId| same(other) && self.agree(item, *other, false);
            let place = binary.iter().position(exactly).or_else(|| binary.iter().position(same));
            let place = place.unwrap_or_else(|| panic!("{}: {} is missing", self.name, name(item)));
            let instance = binary.remove(place);
            self.referents.insert(item.attribute("referent").to_owned(), instance);
            self.instances(item, self.document.children(instance).collect());
        }
    }

    /// Whether all properties of the XML are the same in the binary file; references if asked.
    fn agree(&self, item: &Element, instance: InstanceId, references: bool) -> bool {
        let mut properties = item.child("Properties").unwrap().children.iter();
        properties.all(|property| {
            !references && property.tag == "Ref"
                || self
                    .document
                    .get(instance, property.attribute("name"))
                    .is_some_and(|value| self.same(&value, property))
        })
    }

    fn check(&mut self, xml: &Element) {
        for item in xml.items() {
            let instance = self.referents[item.attribute("referent")];
            for property in &item.child("Properties").unwrap().children {
                let path = format!(
                    "{}: {}.{}",
                    self.name,
                    self.document.class(instance).unwrap(),
                    property.attribute("name")
                );
                let Some(value) = self.document.get(instance, property.attribute("name")) else {
                    panic!("{path} is not in the binary file")
                };
                // The default part was inserted twice, once for each file, and fell to another place.
                let fallen = path == "rbx-dom/models__default-inserted-part__binary.rbxm: Part.CFrame";
                // Studio wrote the id of no rotation for a matrix with a −0, which the XML shows.
                let mut property = property.clone();
                if path == "rbx-dom/models__netassetref__binary.rbxm: UnionOperation.CFrame" {
                    let zeros = property.children.iter_mut().filter(|part| part.tag.starts_with('R'));
                    zeros.filter(|part| part.text == "-0").for_each(|part| part.text = "0".into());
                }
                assert!(fallen || self.same(&value, &property), "{path}: {value:?} and {property:?}");
                self.values += 1;
            }
            self.check(item);
        }
    }

    fn referent(&self, text: &str, id: Option<InstanceId>) -> bool {
        match text {
            "null" | "nil" => id.is_none(),
            text => self.referents.get(text).copied() == id,
        }
    }

    fn same(&self, value: &ValueRef<'_>, xml: &Element) -> bool {
        let text = xml.text.as_str();
        let child = |tag: &str| xml.child(tag).map_or("", |child| child.text.as_str());
        match (*value, xml.tag.as_str()) {
            (ValueRef::String(bytes), "BinaryString") => *bytes == base64(text)[..],
            (ValueRef::String(bytes), "string" | "ProtectedString") => *bytes == *text.as_bytes(),
            (ValueRef::String(bytes), "Content") => {
                let url = xml.child("url").or(xml.child("hash")).map_or("", |child| child.text.as_str());
                *bytes == *url.as_bytes()
            }
            (ValueRef::SharedString(bytes), "SharedString" | "NetAssetRef") => {
                self.shared.get(text.trim()).map_or(bytes.is_empty(), |shared| *bytes == shared[..])
            }
            (ValueRef::Bool(value), "bool") => text == value.to_string(),
            (ValueRef::Int32(value), "int") => text == value.to_string(),
            (ValueRef::Int64(value), "int64") => text == value.to_string(),
            (ValueRef::Enum(value), "token") => text == value.to_string(),
            (ValueRef::BrickColor(value), "int" | "BrickColor") => text == value.0.to_string(),
            (ValueRef::SecurityCapabilities(value), _) => text == value.0.to_string(),
            (ValueRef::Float32(value), "float") => single(value, text),
            (ValueRef::Float64(value), "double") => {
                let other = number(text);
                value.to_bits() == other.to_bits() || value.is_nan() && other.is_nan()
            }
            (ValueRef::Vector3(value), "Vector3") => singles(&value.to_array(), xml, &["X", "Y", "Z"]),
            (ValueRef::Vector2(value), "Vector2") => singles(&value.to_array(), xml, &["X", "Y"]),
            (ValueRef::Color3(value), "Color3") => {
                singles(&[value.r, value.g, value.b], xml, &["R", "G", "B"])
            }
            (ValueRef::Color3uint8(value), "Color3uint8") => {
                text == u32::from_be_bytes([255, value.r, value.g, value.b]).to_string()
            }
            (ValueRef::CFrame(value), "CoordinateFrame") => singles(&frame(&value), xml, &FRAME),
            (ValueRef::OptionalCFrame(value), "OptionalCoordinateFrame") => {
                match (value, xml.child("CFrame")) {
                    (Some(value), Some(child)) => singles(&frame(&value), child, &FRAME),
                    (value, child) => value.is_none() && child.is_none(),
                }
            }
            (ValueRef::Ray(value), "ray" | "Ray") => {
                let part = |tag, value: rbxbinary::geom::Vec3| {
                    xml.child(tag).is_some_and(|part| singles(&value.to_array(), part, &["X", "Y", "Z"]))
                };
                part("origin", value.origin) && part("direction", value.direction)
            }
            (ValueRef::UDim(value), "UDim") => {
                single(value.scale, child("S")) && child("O") == value.offset.to_string()
            }
            (ValueRef::UDim2(value), "UDim2") => {
                singles(&[value.x.scale, value.y.scale], xml, &["XS", "YS"])
                    && child("XO") == value.x.offset.to_string()
                    && child("YO") == value.y.offset.to_string()
            }
            (ValueRef::Rect(value), "Rect2D") => {
                let part = |tag, value: rbxbinary::geom::Vec2| {
                    xml.child(tag).is_some_and(|part| singles(&value.to_array(), part, &["X", "Y"]))
                };
                part("min", value.min) && part("max", value.max)
            }
            (ValueRef::Faces(value), "Faces") => child("faces") == value.0.to_string(),
            (ValueRef::Axes(value), "Axes") => child("axes") == value.0.to_string(),
            (ValueRef::Vector3int16(value), "Vector3int16") => {
                [("X", value.x), ("Y", value.y), ("Z", value.z)]
                    .iter()
                    .all(|(tag, value)| child(tag) == value.to_string())
            }
            (ValueRef::NumberRange(value), "NumberRange") => rough(&[value.min, value.max], text),
            (ValueRef::NumberSequence(value), "NumberSequence") => {
                let floats: Vec<f32> =
                    value.keypoints.iter().flat_map(|key| [key.time, key.value, key.envelope]).collect();
                rough(&floats, text)
            }
            (ValueRef::ColorSequence(value), "ColorSequence") => {
                let all = value
                    .keypoints
                    .iter()
                    .flat_map(|key| [key.time, key.color.r, key.color.g, key.color.b, key.envelope]);
                rough(&all.collect::<Vec<f32>>(), text)
            }
            (ValueRef::PhysicalProperties(value), "PhysicalProperties") => match value {
                PhysicalProperties::Default => child("CustomPhysics") == "false",
                PhysicalProperties::Custom(value) => {
                    let five = [
                        value.density,
                        value.friction,
                        value.elasticity,
                        value.friction_weight,
                        value.elasticity_weight,
                    ];
                    let tags = ["Density", "Friction", "Elasticity", "FrictionWeight", "ElasticityWeight"];
                    let acoustic = xml.child("AcousticAbsorption").map(|child| child.text.as_str());
                    child("CustomPhysics") == "true"
                        && singles(&five, xml, &tags)
                        && match (value.acoustic_absorption, acoustic) {
                            (Some(value), Some(text)) => single(value, text),
                            (value, text) => value.is_none() && text.is_none(),
                        }
                }
            },
            (ValueRef::UniqueId(value), "UniqueId") => {
                text == format!("{:016x}{:08x}{:08x}", value.random, value.time, value.index)
            }
            (ValueRef::Ref(referent), "Ref") => self.referent(text, referent),
            (ValueRef::Content(value), "Content") => match value {
                ContentRef::None => xml.child("null").is_some(),
                ContentRef::Uri(uri) => *uri == *child("uri").as_bytes(),
                ContentRef::Object(referent) => self.referent(child("Ref"), referent),
                _ => false,
            },
            (ValueRef::Font(value), "Font") => {
                let asset = |tag: &str| {
                    let part = xml.child(tag);
                    part.and_then(|part| part.child("url")).map_or("", |url| url.text.as_str()).to_owned()
                };
                let style = match value.style.0 {
                    0 => "Normal",
                    _ => "Italic",
                };
                *value.family == *asset("Family").as_bytes()
                    && child("Weight") == value.weight.to_string()
                    && child("Style") == style
                    && *value.cached_face_id == *asset("CachedFaceId").as_bytes()
            }
            _ => false,
        }
    }
}

#[test]
fn binary_and_xml_say_the_same() {
    let xml: HashMap<String, Vec<u8>> =
        corpus("rbxxml").into_iter().map(|Sample { name, bytes }| (name, bytes)).collect();
    let (mut twins, mut values) = (0, 0);
    for Sample { name, bytes } in corpus("rbxbinary") {
        let twin = name.replace("__binary.rbxm", "__xml.rbxmx").replace("__binary.rbxl", "__xml.rbxlx");
        let Some(xml) = xml.get(&twin).filter(|_| twin != name) else { continue };
        let root = parse(std::str::from_utf8(xml).unwrap());
        let document = rbxbinary::from_slice(&bytes).unwrap();
        let shared = root.child("SharedStrings").map_or_else(HashMap::new, |table| {
            let strings = table.children.iter();
            strings.map(|string| (string.attribute("md5").to_owned(), base64(&string.text))).collect()
        });
        let mut pair =
            Twins { document: &document, name: &name, referents: HashMap::new(), shared, values: 0 };
        pair.instances(&root, document.roots().collect());
        pair.check(&root);
        twins += 1;
        values += pair.values;
    }
    println!("{twins} twins, {values} values");
    if !xml.is_empty() {
        assert_eq!(twins, 54);
    }
}
