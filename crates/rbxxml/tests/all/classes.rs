//! Tests of the class table.
#![cfg(feature = "classes")]

use rbxxml::{Document, NewInstance, Value};

/// `set` does not add a property whose name looks like a misspelling; `add_property` does, and so may a file.
#[test]
fn misspelled_names_are_not_set() {
    let mut document = Document::new();
    let id = document.insert(None, NewInstance::new("Part")).unwrap();
    let error = document.set(id, "Anchord", true).unwrap_err().to_string();
    assert!(error.contains("Part has no property \"Anchord\" (did you mean \"Anchored\"? "), "{error}");
    assert_eq!(document.properties(id).count(), 0);
    // A property that the instance lacks gets the type that Studio stores.
    document.set(id, "Reflectance", 0.1).unwrap();
    assert_eq!(document.get(id, "Reflectance"), Some(Value::Float32(0.1).as_ref()));
    let error = document.set(id, "CanCollide", "yes").unwrap_err().to_string();
    assert!(error.starts_with("expected bool, found string in "), "{error}");
    document.set(id, "SomethingElse", true).unwrap();
    document.add_property("Part", "Anchord", true).unwrap();
    document.set(id, "Anchord", false).unwrap();
    assert_eq!(document.get(id, "Anchord"), Some(Value::Bool(false).as_ref()));
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
