//! Random documents of both forms: what is written is read as equal, also after edits.

use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use rbxbinary::Compression;
use rbxbinary::edit::{Fill, Others};
use rbxbinary::parts::TypeId;
use rbxcore::geom::{Mat3, Quat, Vec2, Vec3};
use rbxcore::*;
use rbxxml::Illegal;

/// Any bits, including every kind of NaN; in XML, which has one spelling for NaN, only one. Boxed, so that large
/// strategies fit on the stack of an unoptimised build.
fn float(xml: bool) -> BoxedStrategy<f32> {
    let special = vec![0.0_f32, -0.0, 1.0, -1.0, f32::INFINITY, f32::NAN];
    let bits = any::<u32>().prop_map(move |bits| match f32::from_bits(bits) {
        nan if xml && nan.is_nan() => f32::NAN,
        number => number,
    });
    let short = (any::<i16>(), 0..8_i32).prop_map(|(n, e)| f32::from(n) / 10_f32.powi(e));
    prop_oneof![bits, short, proptest::sample::select(special)].boxed()
}

/// Bytes, some of which are difficult to represent in XML.
fn text() -> impl Strategy<Value = Text> {
    let hard = "]]> ]]]]>> \r\n \t <![CDATA[ &amp; &#1; \u{fffe} \
                a\u{f0001}b \u{1}\u{f0000} null ] \u{10ffff} & --";
    let hard: Vec<Text> = hard.split(' ').map(Text::from).chain([" ".into(), "<!-- -->".into()]).collect();
    prop_oneof![
        ".{0,12}".prop_map(Text::from),
        vec(any::<u8>(), 0..200).prop_map(Text::from),
        proptest::sample::select(hard),
    ]
}

/// The name of a class, a property or a key, which must be escaped, since XML folds white space in attributes.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z][A-Za-z0-9_ .]{0,8}[A-Za-z0-9]", "[<>&\"'\t\n\r\u{1}é]{1,3}x"]
        .prop_map(|name| name.trim().to_owned())
        .prop_filter("a name", |name| !matches!(&**name, "null" | "nil" | ""))
}

/// Matrices that have an id, that nearly have one, and any others.
fn rotation(xml: bool) -> impl Strategy<Value = Mat3> {
    let part = prop_oneof![proptest::sample::select(vec![0.0_f32, -0.0, 1.0, -1.0]), float(xml)];
    prop_oneof![
        Just(Mat3::IDENTITY),
        Just(Mat3::from_rows([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])),
        proptest::array::uniform9(part).prop_map(Mat3::from_rows),
    ]
}

fn physical(xml: bool) -> impl Strategy<Value = PhysicalProperties> {
    let custom = (proptest::array::uniform5(float(xml)), proptest::option::of(float(xml)));
    let custom = custom.prop_map(|([a, b, c, d, e], acoustic_absorption)| CustomPhysicalProperties {
        density: a,
        friction: b,
        elasticity: c,
        friction_weight: d,
        elasticity_weight: e,
        acoustic_absorption,
    });
    prop_oneof![Just(PhysicalProperties::Default), custom.prop_map(PhysicalProperties::Custom)]
}

fn of<T: fmt::Debug + Into<Value> + 'static>(
    values: impl Strategy<Value = T> + 'static,
) -> BoxedStrategy<Value> {
    values.prop_map(Into::into).boxed()
}

/// A value of this type; references are null.
fn value(kind: Kind, xml: bool) -> BoxedStrategy<Value> {
    let float = || float(xml);
    let vec2 = || [float(), float()].prop_map(Vec2::from);
    let vec3 = || [float(), float(), float()].prop_map(Vec3::from);
    let udim = || (float(), any::<i32>()).prop_map(|(scale, offset)| UDim { scale, offset });
    let color = || [float(), float(), float()].prop_map(|[r, g, b]| Color3 { r, g, b });
    let frame = || (vec3(), rotation(xml)).prop_map(|(position, rotation)| CFrame { position, rotation });
    let key = |[time, value, envelope]: [f32; 3]| NumberSequenceKeypoint { time, value, envelope };
    let color_key =
        |([time, envelope], color): ([f32; 2], _)| ColorSequenceKeypoint { time, color, envelope };
    match kind {
        Kind::String => text().prop_map(Value::String).boxed(),
        Kind::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Kind::Int32 => any::<i32>().prop_map(Value::Int32).boxed(),
        Kind::Float32 => float().prop_map(Value::Float32).boxed(),
        Kind::Float64 => of(any::<u64>().prop_map(move |bits| match f64::from_bits(bits) {
            nan if xml && nan.is_nan() => f64::NAN,
            number => number,
        })),
        Kind::UDim => of(udim()),
        Kind::UDim2 => of((udim(), udim()).prop_map(|(x, y)| UDim2 { x, y })),
        Kind::Ray => of((vec3(), vec3()).prop_map(|(origin, direction)| Ray { origin, direction })),
        Kind::Faces => of(any::<u8>().prop_map(Faces)),
        Kind::Axes => of(any::<u8>().prop_map(Axes)),
        Kind::BrickColor => of(any::<u32>().prop_map(BrickColor)),
        Kind::Color3 => of(color()),
        Kind::Vector2 => of(vec2()),
        Kind::Vector3 => of(vec3()),
        Kind::Vector2int16 => of(any::<[i16; 2]>().prop_map(|[x, y]| Vector2int16 { x, y })),
        Kind::CFrame => of(frame()),
        Kind::Enum => any::<u32>().prop_map(Value::Enum).boxed(),
        Kind::Ref => Just(Value::Ref(None)).boxed(),
        Kind::Vector3int16 => of(any::<[i16; 3]>().prop_map(|[x, y, z]| Vector3int16 { x, y, z })),
        Kind::NumberSequence => of(vec([float(), float(), float()].prop_map(key), 0..4)
            .prop_map(|keypoints| NumberSequence { keypoints })),
        Kind::ColorSequence => of(vec(([float(), float()], color()).prop_map(color_key), 0..4)
            .prop_map(|keypoints| ColorSequence { keypoints })),
        Kind::NumberRange => of([float(), float()].prop_map(|[min, max]| NumberRange { min, max })),
        Kind::Rect => of((vec2(), vec2()).prop_map(|(min, max)| Rect { min, max })),
        Kind::PhysicalProperties => of(physical(xml)),
        Kind::Color3uint8 => of(any::<[u8; 3]>().prop_map(|[r, g, b]| Color3uint8 { r, g, b })),
        Kind::Int64 => any::<i64>().prop_map(Value::Int64).boxed(),
        Kind::SharedString => text().prop_map(|bytes| Value::SharedString(bytes.as_ref().into())).boxed(),
        Kind::OptionalCFrame => of(proptest::option::of(frame())),
        Kind::UniqueId => {
            of(any::<(u64, u32, u32)>().prop_map(|(random, time, index)| UniqueId { random, time, index }))
        }
        Kind::Font => {
            of((text(), any::<u16>(), any::<u8>(), text()).prop_map(|(family, weight, style, face)| Font {
                family: family.into(),
                weight,
                style: FontStyle(style),
                cached_face_id: face.into(),
            }))
        }
        Kind::SecurityCapabilities => of(any::<u64>().prop_map(SecurityCapabilities)),
        Kind::Content => {
            of(prop_oneof![Just(Content::None), text().prop_map(Content::Uri), Just(Content::Object(None))])
        }
        Kind::ProtectedString => text().prop_map(Value::ProtectedString).boxed(),
        Kind::BinaryString => text().prop_map(Value::BinaryString).boxed(),
        Kind::ContentId => text().prop_map(Value::ContentId).boxed(),
        Kind::NetAssetRef => name().prop_map(|key| Value::NetAssetRef(key.as_str().into())).boxed(),
        Kind::Bytecode => text().prop_map(Value::Bytecode).boxed(),
        Kind::CFrameQuat => of((vec3(), [float(), float(), float(), float()])
            .prop_map(|(position, rotation)| CFrameQuat { position, rotation: Quat::from(rotation) })),
        other => panic!("no values of {other}"),
    }
}

/// Some instances of a class, which have the same few columns: a row of values for each instance.
fn rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let value = |kind: &TypeId| value(kind.kind().unwrap(), false);
    vec(proptest::sample::select(TypeId::ALL), 1..5)
        .prop_flat_map(move |types| vec(types.iter().map(value).collect::<Vec<_>>(), 1..6))
}

fn build(rows: &[Vec<Value>]) -> rbxbinary::Document {
    let mut document = rbxbinary::Document::new();
    let mut parent = None;
    for row in rows {
        let new = row.iter().zip(0..).fold(NewInstance::new("Thing"), |new, (value, column)| {
            new.property(format!("Property{column}"), value.clone())
        });
        parent = Some(document.insert(parent, new).unwrap());
    }
    document
}

/// A value of any type that XML has, or of an unknown one.
fn any_value() -> impl Strategy<Value = Value> {
    let kinds = Kind::ALL.iter().copied().filter(|kind| !matches!(kind, Kind::Bytecode | Kind::CFrameQuat));
    let unknown = proptest::sample::select(vec!["", "text", "<a b=\"c\"/> &lt;", "<!-- c --><![CDATA[<]]>"]);
    let unknown = unknown.prop_map(|xml| Unknown { tag: "Baloney".into(), xml: xml.into() }.into());
    let known = proptest::sample::select(kinds.collect::<Vec<_>>()).prop_flat_map(|kind| value(kind, true));
    prop_oneof![36 => known, 1 => unknown]
}

fn instance() -> impl Strategy<Value = NewInstance> {
    (name(), vec((name(), any_value()), 0..6)).prop_map(|(class, properties)| {
        let new = NewInstance::new(class);
        properties.into_iter().fold(new, |new, (name, value)| new.property(name, value))
    })
}

prop_compose! {
    fn document()(
        instances in vec((instance(), any::<prop::sample::Index>(), any::<bool>(), any::<bool>()), 0..8),
        shared in vec(vec(any::<u8>(), 0..200), 0..3),
        metadata in vec((name(), text()), 0..3),
        externals in vec(text(), 0..3),
        newline in proptest::sample::select(vec!["\n", "\r\n", ""]),
        indent in proptest::sample::select(vec!["\t", "  ", ""]),
    ) -> rbxxml::Document {
        let mut document = rbxxml::Document::new();
        document.layout.newline = newline.into();
        document.layout.indent = if newline.is_empty() { "".into() } else { indent.into() };
        document.externals = externals.into_iter().map(rbxxml::parts::External::new).collect();
        let metadata = metadata.into_iter().map(|(key, value)| rbxxml::Metadata::new(key, value));
        document.metadata = metadata.collect();
        for bytes in shared {
            document.share(bytes);
        }
        let mut ids = Vec::new();
        for (new, index, root, reference) in instances {
            let other = if ids.is_empty() { None } else { Some(*index.get(&ids)) };
            let new = match (reference, other) {
                (true, Some(to)) => new.property("To", to).property("Asset", Content::Object(Some(to))),
                _ => new,
            };
            // There are few classes and names, so another instance can store the property with another type.
            if let Ok(id) = document.insert(other.filter(|_| !root), new) {
                ids.push(id);
            }
        }
        document
    }
}

fn escaped(document: &rbxxml::Document) -> Vec<u8> {
    rbxxml::WriteOptions::new().illegal(Illegal::Escape).write(document).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn columns_are_read_as_they_were(rows in rows()) {
        let document = build(&rows);
        for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
            let bytes = rbxbinary::WriteOptions::new().compression(compression).write(&document).unwrap();
            let again = rbxbinary::from_slice(&bytes).unwrap();
            prop_assert!(rbxbinary::to_vec(&again).unwrap() == bytes && again == document);
            // The instances are nested, so the referents are already in order.
            for (id, values) in again.instances().zip(&rows) {
                for (value, column) in values.iter().zip(0..) {
                    let name = format!("Property{column}");
                    prop_assert_eq!(&again.get(id, name).unwrap().to_value(), value);
                }
            }
            prop_assert_eq!(again.classes(), document.classes());
            prop_assert_eq!(again.parents().children.len(), rows.len());
            prop_assert_eq!(again.shared_strings(), document.shared_strings());
        }
        let json = serde_json::to_string(&document).unwrap();
        // JSON cannot represent NaN and infinity.
        if !json.contains("null") {
            prop_assert_eq!(serde_json::from_str::<rbxbinary::Document>(&json).unwrap(), document);
        }
    }

    #[test]
    fn a_merged_document_is_both(one in rows(), other in rows()) {
        let (mut document, other) = (build(&one), build(&other));
        let count = document.len() + other.len();
        let first = document.roots().next().unwrap();
        let all = EditOptions::new().fill(Fill::Neutral).others(Others::Neutral);
        let before = document.clone();
        if let Err(error) = all.merge(&mut document, first, &other) {
            // The same property had two types.
            prop_assert!(matches!(error.kind(), rbxbinary::errors::ErrorKind::InvalidArgument(_)), "{}", error);
            prop_assert!(document == before);
            return Ok(());
        }
        let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
        prop_assert_eq!(again.len(), count);
        // The values are random, and Studio cannot have all of them.
        let allowed = ["sequences", "color-envelopes", "axes-and-faces", "metadata-chunk"];
        let findings = rbxbinary::check(&again);
        let is_allowed = |id: &str| allowed.iter().any(|rule| id.ends_with(rule));
        prop_assert!(findings.iter().all(|f| is_allowed(f.rule.id)), "{:?}", findings);
        document.remove(first).unwrap();
        prop_assert!(document.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn xml_is_read_as_it_was(document in document()) {
        let bytes = escaped(&document);
        let again = rbxxml::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
        prop_assert!(again == document, "{}", String::from_utf8_lossy(&bytes));
        // The second time, no option for illegal characters is needed.
        let twice = rbxxml::to_vec(&again).unwrap();
        prop_assert!(twice == bytes, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn xml_is_equal_after_an_edit(
        document in document(),
        value in any_value(),
        at in any::<prop::sample::Index>(),
        what in 0..7_u8,
        new in instance(),
    ) {
        let mut document = rbxxml::from_slice(&escaped(&document)).unwrap();
        let other = document.clone();
        let ids: Vec<_> = document.instances().collect();
        if !ids.is_empty() {
            let id = *at.get(&ids);
            let class = document.class(id).unwrap().to_owned();
            let done = match what {
                0 => document.set(id, "Name", value).is_ok(),
                1 => document.remove(id).is_ok(),
                2 => document.insert(id, new).is_ok(),
                3 => document.reparent(id, ids[0]).is_ok(),
                4 => document.merge(id, &other).is_ok(),
                5 => document.add_property(class, "New", value).is_ok(),
                _ => document.copy_from(None, &other, id).is_ok(),
            };
            // A refused edit changes nothing.
            prop_assert!(done || document == other);
        }
        let bytes = escaped(&document);
        let again = rbxxml::from_slice(&bytes).unwrap();
        prop_assert!(again == document, "{}", String::from_utf8_lossy(&bytes));
    }
}
