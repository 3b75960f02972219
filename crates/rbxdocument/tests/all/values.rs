//! Values, names of properties, and equality.

use std::collections::HashSet;

use rbxcore::geom::{Mat3, Quat, Vec2, Vec3};
use rbxcore::{
    BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, Content, CustomPhysicalProperties, NumberRange,
    NumberSequence, NumberSequenceKeypoint, PhysicalProperties, UDim,
};
use rbxdocument::{AnyDocument, Dom, NewInstance, Value, from_slice};
use testkit::Sample;

use crate::common::{Edit, again, all_refused, any, both, by_form, files, named, place, refused};

both! {
    values_of_another_type names_are_the_stored_ones properties_are_removed_together equality_is_by_bits
    values_are_compared_in_depth
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn shared(text: &str) -> Value {
    Value::SharedString(text.into())
}

fn uri(text: &str) -> Value {
    Content::Uri(text.into()).into()
}

/// For a stored value and another one: what is stored after the property is set to it, or `None` if it is refused.
fn conversions(document: &dyn Dom) -> Vec<(Value, Value, Option<Value>)> {
    let pale = Color3::new(1.0, 0.0, 0.2);
    let pale_bytes = Color3uint8::new(255, 0, 51);
    let frame = CFrame { position: Vec3::new(1.0, 2.0, 3.0), ..CFrame::IDENTITY };
    let both = [
        (0.5_f32.into(), 1e300.into(), None),
        (0.5_f32.into(), i32::MAX.into(), None),
        (0.5_f32.into(), 16_777_217.into(), None),
        (0.5.into(), i64::MAX.into(), None),
        (0.5.into(), ((1_i64 << 53) + 1).into(), None),
        (1.into(), i64::MAX.into(), None),
        (1.into(), true.into(), None),
        (Value::Enum(1), (-1).into(), None),
        (true.into(), "yes".into(), None),
        (true.into(), 1.into(), None),
        (text("x"), 1.into(), None),
        (Value::OptionalCFrame(None), Vec3::default().into(), None),
        (0.5.into(), 0.1_f32.into(), Some(f64::from(0.1_f32).into())),
        (0.5.into(), 5.into(), Some(5.0.into())),
        (0.5.into(), (1_i64 << 53).into(), Some(9_007_199_254_740_992.0.into())),
        (0.5.into(), (1_i64 << 60).into(), Some(1_152_921_504_606_846_976.0.into())),
        (0.5_f32.into(), 0.1.into(), Some(0.1_f32.into())),
        (0.5_f32.into(), (-7).into(), Some((-7.0_f32).into())),
        (0.5_f32.into(), 16_777_216.into(), Some(16_777_216.0_f32.into())),
        (0.5_f32.into(), f64::INFINITY.into(), Some(f32::INFINITY.into())),
        (1_i64.into(), (-7).into(), Some((-7_i64).into())),
        (1.into(), (-7_i64).into(), Some((-7).into())),
        (1.into(), BrickColor(194).into(), Some(194.into())),
        (Value::Enum(1), 256.into(), Some(Value::Enum(256))),
        (BrickColor(1).into(), 194.into(), Some(by_form(document, BrickColor(194).into(), 194.into()))),
        (Color3::default().into(), pale_bytes.into(), Some(pale.into())),
        (Color3uint8::default().into(), pale.into(), Some(pale_bytes.into())),
        (Value::OptionalCFrame(None), frame.into(), Some(Some(frame).into())),
        (text("x"), shared("a"), Some(text("a"))),
        (text("x"), uri("a"), Some(text("a"))),
        (text("x"), Content::None.into(), Some(text(""))),
        (shared("x"), text("a"), Some(shared("a"))),
    ];
    let bytecode = |text: &str| Value::Bytecode(text.into());
    let binary =
        vec![(text("x"), bytecode("a"), Some(text("a"))), (bytecode("x"), text("a"), Some(bytecode("a")))];
    let (bytes, script) =
        (|text: &str| Value::BinaryString(text.into()), |text: &str| Value::ProtectedString(text.into()));
    let id = |text: &str| Value::ContentId(text.into());
    let xml = vec![
        (bytes("x"), text("a"), Some(bytes("a"))),
        (script("x"), text("a"), Some(script("a"))),
        (id("x"), text("a"), Some(id("a"))),
        (id("x"), Content::None.into(), Some(id(""))),
        (id("x"), uri("y"), Some(id("y"))),
        (uri("x"), id(""), Some(Content::None.into())),
        (uri("x"), id("y"), Some(uri("y"))),
    ];
    both.into_iter().chain(by_form(document, binary, xml)).collect()
}

/// A value of another type is converted if nothing is lost, in a new instance, too. Otherwise it is refused.
fn values_of_another_type(document: &mut dyn Dom) {
    let thing = |value: &Value| NewInstance::new("Thing").property("Of", value);
    for (old, given, new) in conversions(document) {
        let mut document = document.empty();
        let id = document.insert(None, thing(&old)).unwrap();
        let Some(new) = new else {
            let name = |value: &Value| match value.as_f64().is_some() || value.as_i64().is_some() {
                // The debug form `Int32(7)` without the parentheses.
                true => format!("{value:?}").replace('(', " ").replace(')', ""),
                false => rbxbinary::parts::TypeId::of_value(&value.as_ref()).unwrap().to_string(),
            };
            let stored = rbxbinary::parts::TypeId::of_value(&old.as_ref()).unwrap().to_string();
            let (stored, given_name) =
                by_form(&*document, (stored, name(&given)), (old.tag().to_owned(), given.tag().to_owned()));
            let error = format!("expected {stored}, found {given_name} in Thing.Of");
            let edits: [Edit<'_>; 2] =
                [&|d| d.set(id, "Of", &given).map(drop), &|d| d.insert(None, thing(&given)).map(drop)];
            all_refused(&mut *document, edits.map(|edit| (edit, &error)));
            continue;
        };
        let other = document.insert(None, thing(&given)).unwrap();
        document.set(id, "Of", &given).unwrap();
        for id in [id, other] {
            assert_eq!(document.get(id, "Of"), Some(new.as_ref()), "{old:?} {given:?}");
        }
        // The shared string that was replaced does not count.
        again(&*document);
    }
}

/// Roblox shows some properties under other names than those that are stored.
fn names_are_the_stored_ones(document: &mut dyn Dom) {
    let [workspace, _, part, lighting] = place(document);
    let size = Vec3::new(4.0, 1.0, 2.0);
    document.add_property("Door", "size", size).unwrap();
    document.add_property("Door", "Color3uint8", Color3uint8::new(1, 2, 3)).unwrap();
    let stored = |shown: &str, stored: &str| {
        format!(r#"no instance of Door stores the property "{shown}" (did you mean "{stored}"?) in"#)
    };
    let door = named("Door", "x").property("SIZE", size).property("Color3uint8", Color3uint8::default());
    let edits: [(Edit<'_>, String); 6] = [
        (&|d| d.set(part, "Size", size).map(drop), stored("Size", "size") + r" Workspace/a\/b/Part.Size"),
        (
            &|d| d.set(part, "Color", 1).map(drop),
            stored("Color", "Color3uint8") + r" Workspace/a\/b/Part.Color",
        ),
        (&|d| d.remove_property("Door", "Size"), stored("Size", "size") + " Door.Size"),
        (&|d| d.insert(workspace, door.clone()).map(drop), stored("SIZE", "size") + " Door.SIZE"),
        (
            &|d| d.insert(workspace, NewInstance::new("Model").child(door.clone())).map(drop),
            stored("SIZE", "size") + " Door.SIZE",
        ),
        (
            &|d| d.remove_property("Door", "Nothing"),
            r#"no instance of Door stores the property "Nothing" in Door.Nothing"#.into(),
        ),
    ];
    all_refused(document, edits);
    // Another class may store the property, and so may this one on request.
    document.add_property("Lighting", "Size", 1).unwrap();
    document.add_property("Door", "Size", 2).unwrap();
    assert_eq!(document.get(part, "Size"), Some(Value::Int32(2).as_ref()));
    document.set(part, "Size", 3).unwrap();
    let read = again(document);
    assert_eq!(read.get(read.by_class("Door").next().unwrap(), "Size"), Some(Value::Int32(3).as_ref()));
    assert_eq!(document.get(part, "size"), Some(Value::from(size).as_ref()));
    document.remove_property("Door", "Size").unwrap();
    assert_eq!((document.get(part, "Size"), document.get(lighting, "Size").is_some()), (None, true));
    let error = refused(document, |d| d.remove_property("Door", "Size")).to_string();
    assert_eq!(error, stored("Size", "size") + " Door.Size");
    again(document);
}

/// Several properties are removed at once; if one cannot be, none is.
fn properties_are_removed_together(document: &mut dyn Dom) {
    let doors = [1, 2].map(|_| document.insert(None, NewInstance::new("Door")).unwrap());
    for (name, value) in [("One", 1), ("Two", 2), ("Three", 3), ("Four", 4)] {
        document.add_property("Door", name, value).unwrap();
    }
    let error = refused(document, |d| d.remove_properties("Door", ["One", "Nothing"])).to_string();
    assert_eq!(error, "no instance of Door stores the property \"Nothing\" in Door.Nothing");
    document.remove_properties("Door", ["Two", "One", "Two"]).unwrap();
    for door in doors {
        let get = |name| document.get(door, name).and_then(|value| value.as_i32());
        assert_eq!(["One", "Two", "Three", "Four"].map(get), [None, None, Some(3), Some(4)]);
    }
    again(document);
}

fn with(document: &dyn Dom, value: &Value) -> AnyDocument {
    let mut document = document.empty();
    document.insert(None, NewInstance::new("A").property("V", value)).unwrap();
    any(&*document)
}

/// Numbers in values are compared by their bits.
fn equality_is_by_bits(document: &mut dyn Dom) {
    let values: [fn(f32) -> Value; 10] = [
        Value::Float32,
        |number| Value::Float64(number.into()),
        |number| Vec3::new(1.0, number, 2.0).into(),
        |number| Vec2::new(1.0, number).into(),
        |number| UDim::new(number, 3).into(),
        |number| CFrame { position: Vec3::new(0.0, 0.0, number), ..CFrame::IDENTITY }.into(),
        |number| {
            let rotation = Mat3::from_rows([1.0, number, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
            Some(CFrame { rotation, ..CFrame::IDENTITY }).into()
        },
        |number| NumberRange { min: 0.0, max: number }.into(),
        |number| physical(1.0, Some(number)),
        |number| sequence(&[number]),
    ];
    for of in values {
        let (nan, zero, negative) = (of(f32::NAN), of(0.0), of(-0.0));
        assert!(nan == nan.clone() && zero == zero.clone() && zero != negative && nan != zero, "{nan:?}");
        let [nan, zero, negative] = [nan, zero, negative].map(|value| with(document, &value));
        assert!(zero != negative && nan != zero, "{nan:?}");
        for document in [nan, zero, negative] {
            let read = from_slice(&document.to_vec().unwrap()).unwrap();
            assert!(document == document.clone() && read == document, "{document:?}");
        }
    }
}

fn physical(friction: f32, acoustic_absorption: Option<f32>) -> Value {
    PhysicalProperties::Custom(CustomPhysicalProperties {
        friction,
        acoustic_absorption,
        ..CustomPhysicalProperties::default()
    })
    .into()
}

fn sequence(values: &[f32]) -> Value {
    let at = |&value: &f32| NumberSequenceKeypoint { value, ..NumberSequenceKeypoint::default() };
    NumberSequence { keypoints: values.iter().map(at).collect() }.into()
}

fn values_are_compared_in_depth(document: &mut dyn Dom) {
    let frame = |x: f32| CFrame { position: Vec3::new(x, 0.0, 0.0), ..CFrame::IDENTITY };
    let mut values = vec![
        frame(1.0).into(),
        frame(2.0).into(),
        Value::OptionalCFrame(None),
        Some(frame(1.0)).into(),
        Some(frame(2.0)).into(),
        PhysicalProperties::Default.into(),
        physical(1.0, None),
        physical(2.0, None),
        physical(1.0, Some(1.0)),
        physical(1.0, Some(0.5)),
        sequence(&[1.0]),
        sequence(&[1.0, 2.0]),
        sequence(&[1.0, 3.0]),
        Content::None.into(),
        uri("a"),
        uri("b"),
    ];
    let quat = |position, rotation| CFrameQuat { position, rotation }.into();
    let (position, rotation) = (Vec3::new(1.0, 0.0, 0.0), Quat { x: 1.0, y: 0.0, z: 0.0, w: 0.0 });
    let quats = [(Vec3::default(), Quat::IDENTITY), (position, Quat::IDENTITY), (Vec3::default(), rotation)];
    values.extend(by_form(
        document,
        quats.map(|(position, rotation)| quat(position, rotation)).to_vec(),
        vec![Value::ContentId("a".into())],
    ));
    let documents: Vec<_> = values.iter().map(|value| with(document, value)).collect();
    for (i, this) in values.iter().enumerate() {
        for (j, that) in values.iter().enumerate() {
            assert_eq!(this == that, i == j, "{this:?} {that:?}");
            assert_eq!(documents[i] == documents[j], i == j, "{this:?} {that:?}");
        }
    }
}

/// Setting each value to what it is changes no byte, however the file is compressed.
#[test]
fn values_that_stay_change_nothing() {
    for Sample { name, bytes } in files() {
        let Ok(mut document) = from_slice(&bytes) else { continue };
        let unedited = document.to_vec().ok();
        for id in document.instances().collect::<Vec<_>>() {
            let lost: HashSet<String> = document.dangling(id).into_iter().map(ToString::to_string).collect();
            let values: Vec<_> =
                document.properties(id).map(|(name, value)| (name.to_string(), value.to_value())).collect();
            // A value of an unknown type cannot be set.
            let values =
                values.into_iter().filter(|(name, value)| !lost.contains(name) && value.kind().is_some());
            for (property, value) in values {
                // A file with odd parts cannot be edited at all.
                if document.set(id, &property, value).is_err() {
                    assert!(document.editable().is_err(), "{name} {property}");
                }
            }
        }
        assert!(document.to_vec().ok() == unedited, "{name}");
    }
}
