//! Small facts, each of which is known from the format or from the documentation of the crate.

use rbxbinary::{
    BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Column,
    Content, Document, Font, NewInstance, NumberSequence, NumberSequenceKeypoint, TypeId, Value,
};

fn thing(value: impl Into<Value>) -> Document {
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Thing").property("Of", value.into())).unwrap();
    document
}

fn content(uri: &str) -> Value {
    Value::Content(Content::Uri(uri.into()))
}

/// A value of another type becomes one of the column's where that loses nothing.
#[test]
fn values_of_other_types() {
    let text = |text: &str| Value::String(text.into());
    let bytecode = |text: &str| Value::Bytecode(text.into());
    let shared = |text: &str| Value::SharedString(text.into());
    for (there, given, expected) in [
        (text("x"), content("a"), text("a")),
        (text("x"), Content::None.into(), text("")),
        (text("x"), bytecode("a"), text("a")),
        (text("x"), shared("a"), text("a")),
        (bytecode("x"), text("a"), bytecode("a")),
        (shared("x"), text("a"), shared("a")),
        (content("x"), text("a"), content("a")),
        (content("x"), text(""), Content::None.into()),
        (Value::Int32(1), BrickColor(21).into(), Value::Int32(21)),
        (
            Color3::new(0.0, 0.0, 0.0).into(),
            Color3uint8::new(255, 0, 51).into(),
            Color3::new(1.0, 0.0, 0.2).into(),
        ),
        (Value::OptionalCFrame(None), CFrame::IDENTITY.into(), Value::OptionalCFrame(Some(CFrame::IDENTITY))),
    ] {
        let mut document = thing(there);
        let id = document.instances().next().unwrap();
        document.set(id, "Of", given).unwrap();
        assert_eq!(document.get(id, "Of").unwrap().to_value(), expected);
    }
}

/// What a property has of which nothing is known.
#[test]
fn neutral_values() {
    let white = Color3::new(1.0, 1.0, 1.0);
    let number = |time: f32| NumberSequenceKeypoint { time, value: 1.0, envelope: 0.0 };
    let color = |time: f32| ColorSequenceKeypoint { time, color: white, envelope: 0.0 };
    let numbers = NumberSequence { keypoints: vec![number(0.0), number(1.0)] };
    let colors = ColorSequence { keypoints: vec![color(0.0), color(1.0)] };
    assert_eq!(
        (NumberSequence::constant(1.0), ColorSequence::constant(white)),
        (numbers.clone(), colors.clone())
    );
    let family = "rbxasset://fonts/families/SourceSansPro.json".into();
    for (type_id, expected) in [
        (TypeId::BRICK_COLOR, BrickColor(194).into()),
        (TypeId::COLOR3, white.into()),
        (TypeId::COLOR3_UINT8, Color3uint8::new(163, 162, 165).into()),
        (TypeId::CFRAME, CFrame::IDENTITY.into()),
        (TypeId::CFRAME_QUAT, CFrameQuat::IDENTITY.into()),
        (TypeId::NUMBER_SEQUENCE, numbers.into()),
        (TypeId::COLOR_SEQUENCE, colors.into()),
        (TypeId::FONT, Font { family, weight: 400, ..Font::default() }.into()),
        (TypeId::INT32, Value::Int32(0)),
    ] {
        assert_eq!(Value::neutral(type_id), Some(expected));
    }
}

#[test]
fn other_contents_are_not_equal() {
    let of = [content("a"), content("b"), Content::None.into()].map(thing);
    for (index, a) in of.iter().enumerate() {
        for (other, b) in of.iter().enumerate() {
            assert_eq!(a == b, index == other, "{index} {other}");
        }
    }
}

/// Children keep their order, and what is below each stays there.
#[test]
fn instances_with_descendants() {
    let new = |name: &str| NewInstance::new("Folder").property("Name", name);
    let tree = new("a")
        .child(new("b").child(new("c").child(new("d"))).child(new("e")))
        .child(new("f").child(new("g")));
    let mut document = Document::new();
    document.insert(None, tree).unwrap();
    let mut paths: Vec<String> =
        document.instances().map(|id| document.path(id).unwrap().to_string()).collect();
    paths.sort();
    assert_eq!(paths, ["a", "a/b", "a/b/c", "a/b/c/d", "a/b/e", "a/f", "a/f/g"]);
    let top = document.find("a").unwrap();
    let names: Vec<String> =
        document.children(top).map(|id| document.name(id).unwrap().to_string()).collect();
    assert_eq!(names, ["b", "f"]);
}

/// A column that was changed directly and does not fit the instances.
#[test]
fn columns_that_are_too_short() {
    let refused = |value: Value, change: &dyn Fn(&mut Column)| {
        let mut document = thing(value);
        document
            .columns_mut()
            .classes
            .iter_mut()
            .flat_map(|class| &mut class.properties)
            .for_each(|of| change(&mut of.column));
        rbxbinary::to_vec(&document).unwrap_err().to_string()
    };
    let font = refused(Font::default().into(), &|column| {
        let Column::Font(fonts) = column else { panic!() };
        fonts.weights.push(400);
    });
    assert!(font.starts_with("cannot write 2 values for 1 instances in"), "{font}");
    let frame = refused(Value::OptionalCFrame(None), &|column| {
        let Column::OptionalCFrame(frames) = column else { panic!() };
        frames.frames.values.clear();
    });
    assert!(frame.starts_with("cannot write 0 values for 1 instances in"), "{frame}");
}
