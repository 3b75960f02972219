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

/// Studio stores tags as a `BinaryString` or, since 2026, as a `SharedString`, and old versions stored scripts as a `string`.
#[test]
fn bytes_as_text() {
    let found = |class: &str, element: &str| {
        let text = format!(
            "<roblox version=\"4\"><Item class=\"{class}\" referent=\"a\"><Properties>{element}</Properties></Item>\
             <SharedStrings><SharedString md5=\"k\">YQ==</SharedString></SharedStrings></roblox>"
        );
        let mut found = rbxxml::check(&rbxxml::from_str(&text).unwrap()).into_iter();
        let found = found.find(|found| found.rule.id == "rbxxml.stored-types");
        found.map(|found| format!("{} {}", found.path, found.found))
    };
    let tags = found("Folder", "<string name=\"Tags\">a</string>");
    assert_eq!(tags.as_deref(), Some("Folder.Tags expected the type BinaryString, found string"));
    let texture = found("Decal", "<string name=\"Texture\">a</string>");
    assert_eq!(texture.as_deref(), Some("Decal.Texture expected the type ContentId, found string"));
    assert_eq!(found("Folder", "<BinaryString name=\"Tags\">YQ==</BinaryString>"), None);
    assert_eq!(found("Folder", "<SharedString name=\"Tags\">k</SharedString>"), None);
    assert_eq!(found("Script", "<string name=\"Source\">a</string>"), None);
    assert_eq!(found("Decal", "<Content name=\"Texture\"><url>a</url></Content>"), None);
}
