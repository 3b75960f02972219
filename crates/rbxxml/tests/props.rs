//! Generated documents: written and read, they are equal; edited, they still are.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use geom::{Mat3, Vec2, Vec3};
use proptest::prelude::*;
use rbxxml::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Document, Faces, Font, FontStyle, Illegal, Item, Metadata, NumberRange,
    NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Property, Ray, Rect, SecurityCapabilities,
    SharedString, Text, UDim, UDim2, UniqueId, Unknown, Value, Vector2int16, Vector3int16, WriteOptions,
};

/// Every number but those that are none.
fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |n| !n.is_nan()),
        any::<i16>().prop_map(f32::from),
        (any::<i16>(), 0..8_i32).prop_map(|(n, e)| f32::from(n) / 10_f32.powi(e)),
        Just(-0.0),
        Just(f32::INFINITY),
    ]
}

fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |n| !n.is_nan())
}

/// Bytes that are hard to keep in XML.
fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        ".{0,12}".prop_map(Text::from),
        proptest::collection::vec(any::<u8>(), 0..80).prop_map(Text::from),
        proptest::sample::select(vec![
            "]]>",
            "]]]]>>",
            "\r\n",
            "\t",
            " ",
            "<![CDATA[",
            "&amp;",
            "&#1;",
            "\u{fffe}",
            "a\u{f0001}b",
            "\u{1}\u{f0000}",
            "<!-- -->",
            "null",
            "]",
            "\u{10ffff}",
            "&",
            "--",
        ])
        .prop_map(Text::from),
    ]
}

/// What names an item or a shared string: XML folds white space in attributes, so it is escaped.
fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[A-Za-z][A-Za-z0-9_ .]{0,8}[A-Za-z0-9]", "[<>&\"'\t\n\r\u{1}é]{1,3}x"]
        .prop_map(|name| name.trim().to_owned())
        .prop_filter("a name", |name| !matches!(&**name, "null" | "nil" | ""))
}

fn vec3() -> impl Strategy<Value = Vec3> {
    [float(), float(), float()].prop_map(Vec3::from)
}

fn vec2() -> impl Strategy<Value = Vec2> {
    [float(), float()].prop_map(Vec2::from)
}

fn udim() -> impl Strategy<Value = UDim> {
    (float(), any::<i32>()).prop_map(|(scale, offset)| UDim { scale, offset })
}

fn color() -> impl Strategy<Value = Color3> {
    (float(), float(), float()).prop_map(|(r, g, b)| Color3 { r, g, b })
}

fn frame() -> impl Strategy<Value = CFrame> {
    (vec3(), proptest::array::uniform9(float()))
        .prop_map(|(position, rows)| CFrame { position, rotation: Mat3::from_rows(rows) })
}

fn physical() -> impl Strategy<Value = PhysicalProperties> {
    let custom = (proptest::array::uniform5(float()), proptest::option::of(float()));
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

fn font() -> impl Strategy<Value = Font> {
    (text(), any::<u16>(), any::<u8>(), text()).prop_map(|(family, weight, style, face)| Font {
        family: family.into(),
        weight,
        style: FontStyle(style),
        cached_face_id: face.into(),
    })
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        Just(Content::None),
        text().prop_map(Content::Uri),
        proptest::option::of(name()).prop_map(|name| Content::Object(name.map(Into::into))),
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(Value::String),
        text().prop_map(Value::ProtectedString),
        proptest::collection::vec(any::<u8>(), 0..200).prop_map(|b| Value::BinaryString(b.into())),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(Value::Int32),
        any::<i64>().prop_map(Value::Int64),
        float().prop_map(Value::Float32),
        double().prop_map(Value::Float64),
        any::<u32>().prop_map(Value::Enum),
        any::<u32>().prop_map(|n| Value::BrickColor(BrickColor(n))),
        any::<(u64, u32, u32)>().prop_map(|(random, time, index)| Value::UniqueId(UniqueId {
            random,
            time,
            index
        })),
        any::<u64>().prop_map(|bits| Value::SecurityCapabilities(SecurityCapabilities(bits))),
        any::<[u8; 3]>().prop_map(|[r, g, b]| Value::Color3uint8(Color3uint8 { r, g, b })),
        text().prop_map(Value::ContentId),
        content().prop_map(Value::Content),
        proptest::option::of(name()).prop_map(|name| Value::Ref(name.map(Into::into))),
        name().prop_map(|key| Value::SharedString(key.into())),
        name().prop_map(|key| Value::NetAssetRef(key.into())),
    ]
}

fn compound() -> impl Strategy<Value = Value> {
    let number = (float(), float(), float()).prop_map(|(time, value, envelope)| NumberSequenceKeypoint {
        time,
        value,
        envelope,
    });
    let colour = (float(), color(), float()).prop_map(|(time, color, envelope)| ColorSequenceKeypoint {
        time,
        color,
        envelope,
    });
    prop_oneof![
        color().prop_map(Value::from),
        vec2().prop_map(Value::from),
        vec3().prop_map(Value::from),
        any::<[i16; 2]>().prop_map(|[x, y]| Vector2int16 { x, y }.into()),
        any::<[i16; 3]>().prop_map(|[x, y, z]| Vector3int16 { x, y, z }.into()),
        udim().prop_map(Value::from),
        (udim(), udim()).prop_map(|(x, y)| UDim2 { x, y }.into()),
        frame().prop_map(Value::from),
        proptest::option::of(frame()).prop_map(Value::from),
        (vec3(), vec3()).prop_map(|(origin, direction)| Ray { origin, direction }.into()),
        (vec2(), vec2()).prop_map(|(min, max)| Rect { min, max }.into()),
        any::<u8>().prop_map(|bits| Axes(bits).into()),
        any::<u8>().prop_map(|bits| Faces(bits).into()),
        (float(), float()).prop_map(|(min, max)| NumberRange { min, max }.into()),
        proptest::collection::vec(number, 0..4).prop_map(|keypoints| NumberSequence { keypoints }.into()),
        proptest::collection::vec(colour, 0..4).prop_map(|keypoints| ColorSequence { keypoints }.into()),
        physical().prop_map(Value::from),
        font().prop_map(Value::from),
        proptest::sample::select(vec!["", "text", "<a b=\"c\"/> &lt;", "<!-- c --><![CDATA[<]]>"])
            .prop_map(|xml| Value::Unknown(Box::new(Unknown { tag: "Baloney".into(), xml: xml.into() }))),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    let property = (name(), prop_oneof![scalar(), compound()]);
    let properties = proptest::collection::vec(property, 0..6);
    (name(), proptest::option::of(name()), properties).prop_map(|(class, referent, properties)| Item {
        class: class.into(),
        referent: referent.map(Into::into),
        properties: properties.into_iter().map(|(name, value)| Property::new(name, value)).collect(),
        ..Item::default()
    })
}

prop_compose! {
    fn document()(
        items in proptest::collection::vec((item(), any::<prop::sample::Index>(), any::<bool>()), 0..8),
        shared in proptest::collection::vec((name(), proptest::collection::vec(any::<u8>(), 0..200)), 0..3),
        metadata in proptest::collection::vec((name(), text()), 0..3),
        externals in proptest::collection::vec(text(), 0..3),
        newline in proptest::sample::select(vec!["\n", "\r\n", ""]),
        indent in proptest::sample::select(vec!["\t", "  ", ""]),
    ) -> Document {
        let mut document = Document::new();
        document.layout.newline = newline.into();
        document.layout.indent = if newline.is_empty() { "".into() } else { indent.into() };
        document.externals = externals;
        document.metadata = metadata.into_iter().map(|(key, value)| Metadata { key: key.into(), value }).collect();
        document.shared_strings =
            shared.into_iter().map(|(key, bytes)| SharedString { key: key.into(), bytes: bytes.into() }).collect();
        let mut ids = Vec::new();
        for (item, parent, root) in items {
            let parent = if root || ids.is_empty() { None } else { Some(*parent.get(&ids)) };
            ids.push(document.insert(parent, item).unwrap());
        }
        document
    }
}

fn escaped(document: &Document) -> Vec<u8> {
    WriteOptions::new().illegal(Illegal::Escape).write(document).unwrap()
}

/// Equal, bit for bit: -0 is not 0.
fn assert_same(a: &Document, b: &Document, bytes: &[u8]) {
    let show = |document: &Document| -> Vec<String> {
        document
            .items()
            .map(|(id, item)| {
                format!(
                    "{:?} {:?} {:?} {:?}",
                    document.parent(id).is_some(),
                    item.class,
                    item.referent,
                    item.properties
                )
            })
            .collect()
    };
    assert_eq!(show(a), show(b), "{}", String::from_utf8_lossy(bytes));
    assert_eq!(a.shared_strings, b.shared_strings);
    assert_eq!(a.metadata, b.metadata);
    assert_eq!(a.externals, b.externals);
    assert!(a == b);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn written_and_read_it_is_equal(document in document()) {
        let bytes = escaped(&document);
        let again = rbxxml::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
        assert_same(&again, &document, &bytes);
        // And the second time without being told what to do with forbidden characters.
        let twice = rbxxml::to_vec(&again).unwrap();
        prop_assert!(twice == bytes, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn edited_it_is_equal(
        document in document(),
        value in prop_oneof![scalar(), compound()],
        at in any::<prop::sample::Index>(),
        what in 0..5_u8,
        new in item(),
    ) {
        let mut document = rbxxml::from_slice(&escaped(&document)).unwrap();
        let ids: Vec<_> = document.items().map(|(id, _)| id).collect();
        if !ids.is_empty() {
            let id = *at.get(&ids);
            match what {
                0 => drop(document.set(id, "Name", value).unwrap()),
                1 => drop(document.remove(id)),
                2 => {
                    document.insert(id, new).unwrap();
                }
                3 => document.reparent(id, document.parent(id)).unwrap(),
                _ => document.item_mut(id).unwrap().properties.reverse(),
            }
        }
        let bytes = escaped(&document);
        let again = rbxxml::from_slice(&bytes).unwrap();
        assert_same(&again, &document, &bytes);
    }

    #[test]
    fn any_text_is_an_answer(text in "[<>/&;#=\"' a-zA-Z0-9!?\\[\\]-]{0,60}") {
        let _either = rbxxml::from_str(&text);
        if let Ok(document) = rbxxml::from_str(&format!("<roblox>{text}</roblox>")) {
            prop_assert_eq!(rbxxml::to_string(&document).unwrap(), format!("<roblox>{text}</roblox>"));
        }
    }
}
