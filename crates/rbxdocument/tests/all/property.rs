//! One read and one write of a property, in both forms: under all names, in all forms, and as a part of another one.
#![cfg(feature = "classes")]

use rbxdocument::Form;
use rbxdocument::edit::EditOptions;
use rbxdocument::query::Source;
use rbxdocument::types::{BrickColor, CFrame, Color3, Color3uint8, UDim, UDim2, Vec3};
use rbxdocument::{
    AnyDocument, Dom, InstanceId, NewInstance, ReadOptions, Value, from_reader, from_slice, to_writer,
};

use crate::common::{any, both, by_form, named};

both! {
    what_was_set_is_got parts_of_a_frame components defaults_fill_the_others removed_is_the_default
    by_base_class any_document
}

fn add(document: &mut dyn Dom, class: &str, property: &str, value: impl Into<Value>) -> InstanceId {
    let new = NewInstance::new(class).property("Name", class).property(property, value.into());
    let as_given = EditOptions::new().as_given(true);
    as_given.insert(document, None, new).unwrap().instances[0]
}

/// Each name that scripts and old files use is that of the same property, whatever the instance stores.
fn what_was_set_is_got(document: &mut dyn Dom) {
    type Named<'a> = (&'a str, Value);
    let cases: [(&str, &str, Value, &[Named<'_>]); 7] = [
        ("Part", "size", Vec3::new(1.0, 2.0, 3.0).into(), &[("Size", Vec3::new(4.0, 5.0, 6.0).into())]),
        ("Sound", "PlaybackSpeed", 1.0_f32.into(), &[("Pitch", 1.25_f32.into())]),
        ("Sound", "Pitch", 1.0_f32.into(), &[("PlaybackSpeed", 1.25_f32.into())]),
        (
            "TextLabel",
            "TextSize",
            14.0_f32.into(),
            &[("FontSize", Value::Enum(7)), ("TextSize", 24.0_f32.into())],
        ),
        ("TextButton", "FontSize", Value::Enum(5), &[("TextSize", 14.0_f32.into())]),
        (
            "Part",
            "CoordinateFrame",
            CFrame::IDENTITY.into(),
            &[("CFrame", CFrame::new(5.0, 6.0, 7.0).into())],
        ),
        (
            "Part",
            "Color3uint8",
            Color3uint8::new(1, 2, 3).into(),
            &[("BrickColor", BrickColor(21).into()), ("Color", Color3uint8::new(196, 40, 28).into())],
        ),
    ];
    for (class, stored, value, others) in cases {
        let mut document = document.empty();
        let id = add(&mut *document, class, stored, value);
        // What is stored in the other form can only be read in it.
        let (name, new) = &others[0];
        if stored != "FontSize" {
            let filled = document.set(id, name, new.clone()).unwrap();
            assert!(filled.is_empty(), "{filled:?}");
        }
        for (name, value) in others {
            assert_eq!(document.get(id, name).map(|value| value.to_value()), Some(value.clone()), "{name}");
        }
        assert_eq!(document.properties(id).count(), 2, "{stored}");
    }
    let id = add(document, "Sound", "Pitch", 1.5_f32);
    assert_eq!(document.property(id, "PlaybackSpeed").unwrap().source, Source::Stored);
    assert_eq!(document.property(id, "Looped").unwrap().source, Source::Default);
    assert_eq!(document.property(id, "Looped").unwrap().value, Value::Bool(false));
    let id = add(document, "TextLabel", "FontSize", Value::Enum(7));
    assert_eq!(document.property(id, "TextSize").unwrap().source, Source::Form("FontSize"));
    assert_eq!((document.get(id, "Nothing"), document.property(id, "Nothing")), (None, None));
}

/// The angles of Roblox's documentation: `Orientation` turns about y, x and z, `Rotation` about x, y and z.
fn parts_of_a_frame(document: &mut dyn Dom) {
    let part = add(document, "Part", "CFrame", CFrame::new(1.0, 2.0, 3.0));
    let vector = |document: &dyn Dom, name: &str| document.get(part, name).unwrap().as_vector3().unwrap();
    let is_near = |one: Vec3, other: Vec3| (one - other).length() < 1e-4;
    assert_eq!(vector(document, "Position"), Vec3::new(1.0, 2.0, 3.0));
    document.set(part, "Position", Vec3::new(4.0, 5.0, 6.0)).unwrap();
    let (x, y, z) = (20.0_f32, 30.0_f32, 40.0_f32);
    for (name, frame) in [
        ("Orientation", CFrame::from_euler_angles_yxz(x.to_radians(), y.to_radians(), z.to_radians())),
        ("Rotation", CFrame::from_euler_angles_xyz(x.to_radians(), y.to_radians(), z.to_radians())),
    ] {
        document.set(part, name, Vec3::new(x, y, z)).unwrap();
        let stored = document.get(part, "CFrame").unwrap().as_cframe().unwrap();
        assert_eq!(stored, CFrame { position: Vec3::new(4.0, 5.0, 6.0), ..frame });
        assert!(is_near(vector(document, name), Vec3::new(x, y, z)), "{name}");
    }
    // No angle is -0.
    document.set(part, "Orientation", Vec3::new(0.0, 90.0, 0.0)).unwrap();
    assert_eq!(
        vector(document, "Orientation").to_array().map(f32::to_bits),
        [0.0, 90.0, 0.0_f32].map(f32::to_bits)
    );
    // A class with a property of this name has no other one.
    let body = add(document, "BodyPosition", "Position", Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(document.get(body, "Position").unwrap().as_vector3(), Some(Vec3::new(7.0, 8.0, 9.0)));
    let folder = document.insert(None, named("Folder", "F")).unwrap();
    assert_eq!(document.get(folder, "Position"), None);
    assert!(document.set(part, "Position", true).unwrap_err().to_string().contains("expected a Vector3"));
    document.set(part, "Parent", Value::Ref(Some(folder))).unwrap();
    assert_eq!(document.parent(part), Some(folder));
    assert_eq!(document.get(part, "Parent").unwrap().as_instance(), Some(folder));
    assert_eq!(document.get(part, "ClassName").unwrap().as_str(), Some("Part"));
    assert!(document.set(part, "ClassName", "Folder").is_err());
}

fn components(document: &mut dyn Dom) {
    let part = add(document, "Part", "CFrame", CFrame::new(1.0, 2.0, 3.0));
    let number = |document: &dyn Dom, id, name: &str| document.get(id, name).unwrap().as_f64().unwrap();
    for name in ["CFrame.Y", "Position.Y", "CFrame.Position.Y", "CoordinateFrame.Y"] {
        assert!((number(document, part, name) - 2.0).abs() < 1e-9, "{name}");
    }
    document.set(part, "CFrame.Y", 9.5_f32).unwrap();
    document.set(part, "Position.X", 8.5_f32).unwrap();
    let frame = document.get(part, "CFrame").unwrap().as_cframe().unwrap();
    assert_eq!(frame, CFrame::new(8.5, 9.5, 3.0));
    let mut document = document.empty();
    let size = UDim2 { x: UDim::new(0.5, 1), y: UDim::new(0.0, 2) };
    let frame = add(&mut *document, "Frame", "Size", size);
    document.set(frame, "Size.X.Offset", 7).unwrap();
    document.set(frame, "Size.Y.Scale", 1.0_f32).unwrap();
    let wanted = UDim2 { x: UDim::new(0.5, 7), y: UDim::new(1.0, 2) };
    assert_eq!(document.get(frame, "Size").unwrap().to_value(), wanted.into());
    let mut document = document.empty();
    let label = add(&mut *document, "TextLabel", "TextColor3", Color3::new(0.0, 0.5, 1.0));
    document.set(label, "TextColor3.R", 0.25_f32).unwrap();
    assert_eq!(document.get(label, "TextColor3").unwrap().to_value(), Color3::new(0.25, 0.5, 1.0).into());
    for wrong in ["TextColor3.Q", "Nothing.X", "TextColor3.R.R", "Name.X"] {
        assert_eq!(document.get(label, wrong), None, "{wrong}");
        assert!(
            document.set(label, wrong, 1.0_f32).is_err() || any(&*document).form() == Form::Xml,
            "{wrong}"
        );
    }
}

/// In a binary file, all parts have the same properties.
fn defaults_fill_the_others(document: &mut dyn Dom) {
    let one = document.insert(None, named("Part", "1")).unwrap();
    let two = document.insert(None, named("Part", "2")).unwrap();
    let filled = document.set(one, "CanCollide", false).unwrap();
    let filled: Vec<_> = filled.iter().map(ToString::to_string).collect();
    let expected: &[&str] = by_form(document, &["Part.CanCollide = Bool(true) in 1 instance"], &[]);
    assert_eq!(filled, expected);
    let collides = |document: &dyn Dom, id| document.property(id, "CanCollide").unwrap().value.as_bool();
    assert_eq!((collides(document, one), collides(document, two)), (Some(false), Some(true)));
    // What has a successor is stored as it.
    document.set(one, "BrickColor", BrickColor(21)).unwrap();
    assert_eq!(document.get(one, "Color").unwrap().to_value(), Color3uint8::new(196, 40, 28).into());
    // Where the others store an older form, they keep its value.
    let labels = [7, 5].map(|size| add(document, "TextLabel", "FontSize", Value::Enum(size)));
    document.set(labels[0], "TextSize", 15.0_f32).unwrap();
    let sizes = labels.map(|label| document.property(label, "TextSize").unwrap().value);
    assert_eq!(sizes, [Value::Float32(15.0), Value::Float32(14.0)]);
    assert_eq!(document.properties(labels[0]).count(), by_form(document, 3, 2));
    // No part collides in an unknown way, and a value of another type changes nothing.
    let before = any(document);
    assert!(document.set(one, "Transparency", "much").is_err());
    let strict = EditOptions::new().set(document, one, "Reflectance", 0.5_f32);
    assert_eq!(strict.is_err(), by_form(document, true, false));
    if strict.is_err() {
        assert_eq!(any(document), before);
    }
    assert!(document.set(one, "Anchord", true).is_err());
}

fn removed_is_the_default(document: &mut dyn Dom) {
    let one = add(document, "Part", "Transparency", 0.5_f32);
    let two = add(document, "Part", "Transparency", 0.25_f32);
    assert!(document.unset(one, "Transparency").unwrap());
    let all = [one, two].map(|id| document.property(id, "Transparency").unwrap().value);
    assert_eq!(all, [Value::Float32(0.0), Value::Float32(0.25)]);
    assert_eq!(document.get(one, "Transparency").is_some(), by_form(document, true, false));
    assert!(!document.unset(one, "Reflectance").unwrap());
    let odd = add(document, "Odd", "Of", true);
    assert_eq!(document.unset(odd, "Of").is_ok(), by_form(document, false, true));
    assert!(!document.is_undecoded(one, "Name"));
}

fn by_base_class(document: &mut dyn Dom) {
    for class in ["Part", "Folder", "MeshPart", "WedgePart", "Unknown"] {
        document.insert(None, named(class, class)).unwrap();
    }
    let names = |base: &str| -> Vec<String> {
        document.by_base(base).map(|id| document.label(id).to_string()).collect()
    };
    assert_eq!(names("BasePart"), ["Part", "MeshPart", "WedgePart"]);
    assert_eq!((names("Unknown"), names("Instance").len()), (vec!["Unknown".to_owned()], 5));
    let part = document.find("MeshPart").unwrap();
    assert!(
        document.is_a(part, "BasePart") && document.is_a(part, "MeshPart") && !document.is_a(part, "Part")
    );
    let service = document.insert(None, named("Lighting", "Lighting").service(true)).unwrap();
    assert!(document.is_service(service) && !document.is_service(part));
}

/// A document of either form is a `dyn Dom` itself, also as the source of a copy.
fn any_document(document: &mut dyn Dom) {
    fn len(document: &mut dyn Dom) -> usize {
        document.set(document.roots().next().unwrap(), "Name", "Changed").unwrap();
        document.len()
    }
    document.insert(None, named("Folder", "F")).unwrap();
    let mut any: AnyDocument = any(document);
    assert_eq!(len(&mut any), 1);
    let source: &dyn Dom = &any.clone();
    let mut other = any.empty();
    let root = source.roots().next().unwrap();
    other.copy_from(None, source, root).unwrap();
    let target: &mut dyn Dom = &mut other;
    target.copy_from(None, source, root).unwrap();
    target.merge(None, source).unwrap();
    target.duplicate(target.roots().next().unwrap(), None).unwrap();
    assert_eq!(other.len(), 4);
    let mut bytes = Vec::new();
    to_writer(&mut bytes, &other).unwrap();
    assert_eq!(bytes, other.to_vec().unwrap());
    assert_eq!(rbxdocument::detect(&bytes), Some(other.form()));
    assert_eq!(from_reader(&*bytes).unwrap().to_vec().unwrap(), bytes);
    assert_eq!(from_slice(&bytes).unwrap().len(), 4);
    assert!(ReadOptions::new().max_bytes(64).read(&bytes).is_err());
    let found = match &other {
        AnyDocument::Binary(document) => rbxbinary::check(document),
        AnyDocument::Xml(document) => rbxxml::check(document),
        _ => panic!(),
    };
    assert_eq!(rbxdocument::check(&other), found);
}
