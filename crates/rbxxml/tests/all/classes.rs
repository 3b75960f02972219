//! Tests of the class table.
#![cfg(feature = "classes")]

use rbxxml::geom::Vec3;
use rbxxml::{Color3, Color3uint8, Document, EditOptions, EnumItem, NewInstance, Value};

/// Names and numbers as scripts use them are stored as Studio stores them.
#[test]
fn stored_names_and_types() {
    let mut document = Document::new();
    let new = NewInstance::new("SpawnLocation")
        .property("Transparency", 0.5)
        .property("Size", Vec3::new(1.0, 2.0, 3.0))
        .property("Color", Color3::new(1.0, 0.0, 0.5))
        .property("Material", "Plastic")
        .property("Shape", EnumItem(2))
        .property("Tags", b"a\0b")
        .property("TeamColor", "Bright red");
    let id = document.insert(None, new).unwrap();
    document.set(id, "Anchored", true).unwrap();
    document.set(id, "Reflectance", 0.1).unwrap();
    document.set(id, "Size", Vec3::new(4.0, 5.0, 6.0)).unwrap();
    let values: Vec<_> = document.properties(id).map(|(name, value)| (name.to_string(), value)).collect();
    let expected = [
        ("Anchored", Value::Bool(true)),
        ("Color3uint8", Color3uint8::new(255, 0, 128).into()),
        ("Material", Value::Enum(256)),
        ("Reflectance", Value::Float32(0.1)),
        ("Tags", Value::BinaryString("a\0b".into())),
        // Studio stores the number of a palette colour as an integer.
        ("TeamColor", Value::Int32(21)),
        ("Transparency", Value::Float32(0.5)),
        ("shape", Value::Enum(2)),
        ("size", Vec3::new(4.0, 5.0, 6.0).into()),
    ];
    let values: Vec<_> = values.iter().map(|(name, value)| (&**name, value.to_value())).collect();
    assert_eq!(values, expected);
    let script = NewInstance::new("Script").property("Source", "print(1)");
    let script = document.insert(None, script).unwrap();
    assert_eq!(document.get(script, "Source"), Some(Value::ProtectedString("print(1)".into()).as_ref()));
}

/// `set` does not add a property whose name looks like a misspelling; `add_property` does, and so may a file.
#[test]
fn misspelled_names_are_not_set() {
    let mut document = Document::new();
    let id = document.insert(None, NewInstance::new("Part")).unwrap();
    let error = document.set(id, "Anchord", true).unwrap_err().to_string();
    assert!(error.contains("Part has no property \"Anchord\" (did you mean \"Anchored\"? "), "{error}");
    assert_eq!(document.properties(id).count(), 0);
    document.set(id, "SomethingElse", true).unwrap();
    document.add_property("Part", "Anchord", true).unwrap();
    document.set(id, "Anchord", false).unwrap();
    assert_eq!(document.get(id, "Anchord"), Some(Value::Bool(false).as_ref()));
}

#[test]
fn values_of_a_wrong_type_are_refused_or_found() {
    let mut document = Document::new();
    let part = || NewInstance::new("Part").property("Anchored", 1).property("Ancored", true);
    let error = document.insert(None, part()).unwrap_err().to_string();
    assert_eq!(error, "expected bool, found int in Part.Anchored");
    assert!(document.is_empty());
    let wrong = part().property("Material", EnumItem(1)).property("Transparency", 1.5_f32);
    let edited = EditOptions::new().as_given(true).insert(&mut document, None, wrong).unwrap();
    let error = document.set(edited.instances[0], "CanCollide", "yes").unwrap_err().to_string();
    assert!(error.starts_with("expected bool, found string in "), "{error}");
    document.insert(None, NewInstance::new("Prt")).unwrap();
    let found: Vec<_> = rbxxml::check(&document).iter().map(ToString::to_string).collect();
    for (rule, what) in [
        ("stored-types", "Anchored: expected the type bool, found int"),
        ("stored-classes", "Prt: class name \"Prt\" looks like a misspelling of \"Part\""),
        ("stored-names", "Ancored: property name looks like a misspelling of \"Anchored\""),
        ("items", "1 is not an item of the enum Material"),
        ("ranges", "expected a number from 0 to 1, found 1.5"),
    ] {
        assert!(found.iter().any(|text| text.contains(rule) && text.contains(what)), "{rule} in {found:#?}");
    }
}

/// `check` compares numbers of colours with the palette, and a property without a name with nothing.
#[test]
fn colours_and_empty_names() {
    let text = r#"<roblox version="4"><Item class="Part" referent="a"><Properties><int name="BrickColor">7</int>
        <int name="BrickColor">194</int><string name="">x</string></Properties></Item></roblox>"#;
    let found = rbxxml::check(&rbxxml::from_str(text).unwrap());
    let found: Vec<_> = found.iter().map(|found| (found.rule.id, found.path.as_str(), found.count)).collect();
    assert_eq!(
        found,
        [("rbxxml.items", "Part.BrickColor", 1), ("rbxxml.property-names", "Part.BrickColor", 2)]
    );
}
