//! Random documents: written and read, they are equal, also after edits.

use geom::{Mat3, Vec2, Vec3};
use proptest::prelude::*;
use rbxxml::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Document, External, Faces, Font, FontStyle, Illegal, Metadata, NewInstance,
    NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities,
    Text, UDim, UDim2, UniqueId, Unknown, Value, Vector2int16, Vector3int16, WriteOptions,
};

/// Any number. All NaNs become the same one, since files have one spelling for NaN.
fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>().prop_map(f32::from_bits).prop_map(|n| if n.is_nan() { f32::NAN } else { n }),
        Just(f32::NAN),
        any::<i16>().prop_map(f32::from),
        (any::<i16>(), 0..8_i32).prop_map(|(n, e)| f32::from(n) / 10_f32.powi(e)),
        Just(-0.0),
        Just(f32::INFINITY),
    ]
}

fn double() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_map(|n| if n.is_nan() { f64::NAN } else { n })
}

/// Bytes that are difficult to represent in XML.
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

/// The name of a class, a property or a key, which must be escaped, since XML folds white space in attributes.
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
    prop_oneof![Just(Content::None), text().prop_map(Content::Uri), Just(Content::Object(None)),]
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
        Just(Value::Ref(None)),
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

fn instance() -> impl Strategy<Value = NewInstance> {
    let property = (name(), prop_oneof![scalar(), compound()]);
    (name(), proptest::collection::vec(property, 0..6)).prop_map(|(class, properties)| {
        let new = NewInstance::new(class);
        properties.into_iter().fold(new, |new, (name, value)| new.property(name, value))
    })
}

prop_compose! {
    fn document()(
        instances in proptest::collection::vec(
            (instance(), any::<prop::sample::Index>(), any::<bool>(), any::<bool>()), 0..8),
        shared in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 0..3),
        metadata in proptest::collection::vec((name(), text()), 0..3),
        externals in proptest::collection::vec(text(), 0..3),
        newline in proptest::sample::select(vec!["\n", "\r\n", ""]),
        indent in proptest::sample::select(vec!["\t", "  ", ""]),
    ) -> Document {
        let mut document = Document::new();
        document.layout.newline = newline.into();
        document.layout.indent = if newline.is_empty() { "".into() } else { indent.into() };
        document.externals = externals.into_iter().map(External::new).collect();
        document.metadata = metadata.into_iter().map(|(key, value)| Metadata::new(key, value)).collect();
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

fn escaped(document: &Document) -> Vec<u8> {
    WriteOptions::new().illegal(Illegal::Escape).write(document).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn written_and_read_it_is_equal(document in document()) {
        let bytes = escaped(&document);
        let again = rbxxml::from_slice(&bytes).unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&bytes)));
        prop_assert!(again == document, "{}", String::from_utf8_lossy(&bytes));
        // The second time, no option for illegal characters is needed.
        let twice = rbxxml::to_vec(&again).unwrap();
        prop_assert!(twice == bytes, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn edited_it_is_equal(
        document in document(),
        value in prop_oneof![scalar(), compound()],
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

    #[test]
    fn any_text_is_an_answer(text in "[<>/&;#=\"' a-zA-Z0-9!?\\[\\]-]{0,60}") {
        let _either = rbxxml::from_str(&text);
        if let Ok(document) = rbxxml::from_str(&format!("<roblox>{text}</roblox>")) {
            prop_assert_eq!(rbxxml::to_string(&document).unwrap(), format!("<roblox>{text}</roblox>"));
        }
    }
}
