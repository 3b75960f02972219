//! Random documents: what is written is read as equal, for columns of every type.

use proptest::collection::vec;
use proptest::prelude::*;
use rbxbinary::geom::{Mat3, Quat, Vec2, Vec3};
use rbxbinary::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
    Compression, Content, CustomPhysicalProperties, Document, EditOptions, ErrorKind, Faces, Fill, Font,
    FontStyle, InstanceId, NewInstance, NumberRange, NumberSequence, NumberSequenceKeypoint, Others,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, TypeId, UDim, UDim2, UniqueId, Value, Vector2int16,
    Vector3int16, WriteOptions,
};

/// Any bits, including every kind of NaN. Boxed, so that large strategies fit on the stack of an unoptimised build.
fn float() -> BoxedStrategy<f32> {
    let special = prop_oneof![Just(0.0_f32), Just(-0.0), Just(1.0), Just(-1.0), Just(f32::INFINITY)];
    prop_oneof![any::<u32>().prop_map(f32::from_bits), special].boxed()
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

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof!["[a-zA-Z/ ]{0,12}".prop_map(String::into_bytes), vec(any::<u8>(), 0..40)]
}

/// Matrices that have an id, that nearly have one, and any others.
fn rotation() -> impl Strategy<Value = Mat3> {
    let part = || prop_oneof![Just(0.0_f32), Just(-0.0), Just(1.0), Just(-1.0), float()];
    prop_oneof![
        Just(Mat3::IDENTITY),
        Just(Mat3::from_rows([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])),
        proptest::array::uniform9(part()).prop_map(Mat3::from_rows),
    ]
}

fn cframe() -> impl Strategy<Value = CFrame> {
    (vec3(), rotation()).prop_map(|(position, rotation)| CFrame { position, rotation })
}

fn physical() -> impl Strategy<Value = PhysicalProperties> {
    let custom =
        (proptest::array::uniform5(float()), proptest::option::of(float())).prop_map(|(five, sixth)| {
            let [density, friction, elasticity, friction_weight, elasticity_weight] = five;
            PhysicalProperties::Custom(CustomPhysicalProperties {
                density,
                friction,
                elasticity,
                friction_weight,
                elasticity_weight,
                acoustic_absorption: sixth,
            })
        });
    prop_oneof![Just(PhysicalProperties::Default), custom]
}

/// A value of this type; references are null.
fn value(type_id: TypeId) -> BoxedStrategy<Value> {
    let referent = || Just(None::<InstanceId>);
    match type_id {
        TypeId::STRING => text().prop_map(|bytes| Value::String(bytes.into())).boxed(),
        TypeId::BOOL => any::<bool>().prop_map(Value::Bool).boxed(),
        TypeId::INT32 => any::<i32>().prop_map(Value::Int32).boxed(),
        TypeId::FLOAT32 => float().prop_map(Value::Float32).boxed(),
        TypeId::FLOAT64 => any::<u64>().prop_map(f64::from_bits).prop_map(Value::Float64).boxed(),
        TypeId::UDIM => udim().prop_map(Value::UDim).boxed(),
        TypeId::UDIM2 => (udim(), udim()).prop_map(|(x, y)| Value::UDim2(UDim2 { x, y })).boxed(),
        TypeId::RAY => {
            (vec3(), vec3()).prop_map(|(origin, direction)| Value::from(Ray { origin, direction })).boxed()
        }
        TypeId::FACES => any::<u8>().prop_map(|bits| Value::Faces(Faces(bits))).boxed(),
        TypeId::AXES => any::<u8>().prop_map(|bits| Value::Axes(Axes(bits))).boxed(),
        TypeId::BRICK_COLOR => any::<u32>().prop_map(|number| Value::BrickColor(BrickColor(number))).boxed(),
        TypeId::COLOR3 => {
            [float(), float(), float()].prop_map(|[r, g, b]| Value::Color3(Color3 { r, g, b })).boxed()
        }
        TypeId::VECTOR2 => vec2().prop_map(Value::Vector2).boxed(),
        TypeId::VECTOR3 => vec3().prop_map(Value::Vector3).boxed(),
        TypeId::VECTOR2_INT16 => {
            any::<[i16; 2]>().prop_map(|[x, y]| Value::Vector2int16(Vector2int16 { x, y })).boxed()
        }
        TypeId::CFRAME => cframe().prop_map(Value::from).boxed(),
        TypeId::CFRAME_QUAT => (vec3(), [float(), float(), float(), float()])
            .prop_map(|(position, rotation)| CFrameQuat { position, rotation: Quat::from(rotation) })
            .prop_map(Value::from)
            .boxed(),
        TypeId::ENUM => any::<u32>().prop_map(Value::Enum).boxed(),
        TypeId::REF => referent().prop_map(Value::Ref).boxed(),
        TypeId::VECTOR3_INT16 => {
            any::<[i16; 3]>().prop_map(|[x, y, z]| Value::Vector3int16(Vector3int16 { x, y, z })).boxed()
        }
        TypeId::NUMBER_SEQUENCE => vec([float(), float(), float()], 0..4)
            .prop_map(|keys| {
                let key =
                    |[time, value, envelope]: [f32; 3]| NumberSequenceKeypoint { time, value, envelope };
                Value::from(NumberSequence { keypoints: keys.into_iter().map(key).collect() })
            })
            .boxed(),
        TypeId::COLOR_SEQUENCE => vec(proptest::array::uniform5(float()), 0..4)
            .prop_map(|keys| {
                let key = |[time, r, g, b, envelope]: [f32; 5]| ColorSequenceKeypoint {
                    time,
                    color: Color3 { r, g, b },
                    envelope,
                };
                Value::from(ColorSequence { keypoints: keys.into_iter().map(key).collect() })
            })
            .boxed(),
        TypeId::NUMBER_RANGE => {
            [float(), float()].prop_map(|[min, max]| Value::NumberRange(NumberRange { min, max })).boxed()
        }
        TypeId::RECT => (vec2(), vec2()).prop_map(|(min, max)| Value::Rect(Rect { min, max })).boxed(),
        TypeId::PHYSICAL_PROPERTIES => physical().prop_map(Value::from).boxed(),
        TypeId::COLOR3_UINT8 => {
            any::<[u8; 3]>().prop_map(|[r, g, b]| Value::Color3uint8(Color3uint8 { r, g, b })).boxed()
        }
        TypeId::INT64 => any::<i64>().prop_map(Value::Int64).boxed(),
        TypeId::SHARED_STRING => text().prop_map(|bytes| Value::SharedString(bytes.into())).boxed(),
        TypeId::BYTECODE => text().prop_map(|bytes| Value::Bytecode(bytes.into())).boxed(),
        TypeId::OPTIONAL_CFRAME => proptest::option::of(cframe()).prop_map(Value::from).boxed(),
        TypeId::UNIQUE_ID => (any::<u64>(), any::<u32>(), any::<u32>())
            .prop_map(|(random, time, index)| Value::UniqueId(UniqueId { random, time, index }))
            .boxed(),
        TypeId::FONT => (text(), any::<u16>(), any::<u8>(), text())
            .prop_map(|(family, weight, style, cached)| {
                let style = FontStyle(style);
                Value::from(Font { family: family.into(), weight, style, cached_face_id: cached.into() })
            })
            .boxed(),
        TypeId::SECURITY_CAPABILITIES => {
            any::<u64>().prop_map(|bits| Value::SecurityCapabilities(SecurityCapabilities(bits))).boxed()
        }
        TypeId::CONTENT => prop_oneof![
            Just(Content::None),
            text().prop_map(|uri| Content::Uri(uri.into())),
            referent().prop_map(Content::Object),
        ]
        .prop_map(Value::Content)
        .boxed(),
        other => panic!("no values of {other}"),
    }
}

/// Some instances of a class, which have the same few columns: a row of values for each instance.
fn rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
    vec(proptest::sample::select(TypeId::ALL), 1..5)
        .prop_flat_map(|types| vec(types.into_iter().map(value).collect::<Vec<_>>(), 1..6))
}

fn build(rows: &[Vec<Value>]) -> Document {
    let mut document = Document::new();
    let mut parent = None;
    for row in rows {
        let new = row.iter().zip(0..).fold(NewInstance::new("Thing"), |new, (value, column)| {
            new.property(format!("Property{column}"), value.clone())
        });
        parent = Some(document.insert(parent, new).unwrap());
    }
    document
}

/// Whether data is unchanged after it was compressed in each way and decompressed.
fn comes_back(data: &[u8]) -> bool {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Thing").property("Value", data)).unwrap();
    [Compression::Lz4, Compression::Zstd].into_iter().all(|compression| {
        let bytes = WriteOptions::new().compression(compression).write(&document).unwrap();
        let again = rbxbinary::from_slice(&bytes).unwrap();
        again.get(again.roots().next().unwrap(), "Value").unwrap().as_bytes() == Some(data)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn what_is_written_reads_as_the_same(rows in rows()) {
        let document = build(&rows);
        for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
            let bytes = WriteOptions::new().compression(compression).write(&document).unwrap();
            let again = rbxbinary::from_slice(&bytes).unwrap();
            prop_assert!(rbxbinary::to_vec(&again).unwrap() == bytes);
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
            prop_assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)), "{}", error);
            prop_assert!(document == before);
            return Ok(());
        }
        let again = rbxbinary::from_slice(&rbxbinary::to_vec(&document).unwrap()).unwrap();
        prop_assert_eq!(again.len(), count);
        let findings = rbxbinary::check(&again);
        // The values are random, and Studio cannot have all of them.
        let is_of_value = |id: &str| {
            ["sequences", "color-envelopes", "axes-and-faces"].iter().any(|rule| id.ends_with(rule))
        };
        let is_allowed = |id| is_of_value(id) || id == "rbxbinary.metadata-chunk";
        prop_assert!(findings.iter().all(|f| is_allowed(f.rule.id)), "{:?}", findings);
        document.remove(first).unwrap();
        prop_assert!(document.is_empty());
    }

    #[test]
    fn data_of_any_kind_is_compressed_and_back(
        data in prop_oneof![vec(any::<u8>(), 0..2000), vec(0..4_u8, 0..4000), vec(Just(7_u8), 0..300_000)],
    ) {
        prop_assert!(comes_back(&data));
    }
}

/// Data with symbols of different frequencies, for Huffman codes of 2 to 256 symbols.
#[test]
fn skewed_data_is_compressed_and_back() {
    let mut rng = testkit::Rng(11);
    for round in 0..200_usize {
        let (symbols, skew) = (2 + rng.below(255), 1 + round % 9);
        let len = rng.below(if round % 20 == 0 { 300_000 } else { 6000 });
        let symbol = |rng: &mut testkit::Rng| (0..skew).map(|_| rng.below(symbols)).min().unwrap();
        let data: Vec<u8> = (0..len).map(|_| u8::try_from(symbol(&mut rng)).unwrap()).collect();
        assert!(comes_back(&data), "round {round}");
    }
}

/// Data that repeats at some distance, partly at more than the size of a zstd block.
#[test]
fn data_that_repeats_is_compressed_and_back() {
    let mut rng = testkit::Rng(7);
    for round in 0..300 {
        let len = rng.below(if round % 30 == 0 { 400_000 } else { 5000 });
        let mut data: Vec<u8> = Vec::new();
        while data.len() < len {
            if data.is_empty() || rng.below(2) == 0 {
                data.push(rng.next().to_le_bytes()[0] >> (round % 8));
            } else {
                let distance = 1 + rng.below(data.len().min(1 << (round % 20)));
                for _ in 0..rng.below(90) {
                    data.push(data[data.len() - distance]);
                }
            }
        }
        assert!(comes_back(&data), "round {round}");
    }
}

/// Data that repeats at one distance, or at one of three in turn, across zstd blocks. Repeated offsets have codes of
/// their own, whose meaning changes directly after another match.
#[test]
fn repeated_offsets_are_compressed_and_back() {
    let mut rng = testkit::Rng(3);
    for round in 0..60 {
        let periods = [0; 3].map(|_| 1 + rng.below(if round % 3 == 0 { 8 } else { 3000 }));
        let mut data: Vec<u8> = (0..3000).map(|_| rng.next().to_le_bytes()[0]).collect();
        while data.len() < 300_000 {
            let distance = periods[rng.below(1 + round % 3)];
            for _ in 0..4 + rng.below(if round % 2 == 0 { 150_000 } else { 40 }) {
                data.push(data[data.len() - distance]);
            }
            (0..rng.below(2)).for_each(|_| data.push(rng.next().to_le_bytes()[0]));
        }
        assert!(comes_back(&data), "round {round}");
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn json_is_the_same_document(rows in rows()) {
            let document = build(&rows);
            let json = serde_json::to_string(&document).unwrap();
            // JSON cannot represent NaN and infinity.
            prop_assume!(!json.contains("null"));
            prop_assert_eq!(serde_json::from_str::<Document>(&json).unwrap(), document);
        }
    }

    #[test]
    fn json_is_readable() {
        let new = NewInstance::new("Part").property("Name", "Door").property("Anchored", true);
        let mut document = Document::new();
        document.insert(None, new).unwrap();
        let json = serde_json::to_value(&document).unwrap();
        let properties = &json["classes"][0]["properties"];
        assert_eq!(json["classes"][0]["name"], "Part");
        assert_eq!(properties[0], serde_json::json!({ "name": "Name", "column": { "String": ["Door"] } }));
        assert_eq!(properties[1]["column"], serde_json::json!({ "Bool": [true] }));
    }
}
