//! Edits and checks with the class table. `xtask/peers/tests/classes.rs` reads similar documents with rbx_binary.
#![cfg(feature = "classes")]

use rbxcore::geom::Vec3;
use rbxcore::{
    BrickColor, Color3, Color3uint8, CustomPhysicalProperties, EditOptions, EnumItem, PhysicalProperties,
};
use rbxdocument::{Dom, NewInstance, Value};

use crate::common::{Edit, all_refused, both, by_form, findings, named, refused};

both! {
    stored_names_and_types names_of_items_and_colors values_of_a_wrong_type_are_refused check_knows_classes
    check_knows_ranges parts_of_other_properties_are_refused older_properties_are_set_in_the_newer
}

fn part() -> NewInstance {
    named("Part", "Part")
}

/// Names and numbers as scripts use them are stored as Studio stores them.
fn stored_names_and_types(document: &mut dyn Dom) {
    let new = NewInstance::new("SpawnLocation")
        .property("Transparency", 0.5)
        .property("Size", Vec3::new(1.0, 2.0, 3.0))
        .property("Color", Color3::new(1.0, 0.0, 0.5))
        .property("Material", 256)
        .property("Shape", EnumItem(2))
        .property("RootPriority", 3_i64)
        .property("Reflectance", 1)
        .property("Tags", b"a\0b");
    let id = document.insert(None, new).unwrap();
    // 0.1 becomes the nearest float. Properties can be set by the names that scripts use.
    assert_eq!(document.get(id, "size").unwrap().as_vector3(), Some(Vec3::new(1.0, 2.0, 3.0)));
    document.set(id, "Reflectance", 0.1).unwrap();
    document.set(id, "Size", Vec3::new(4.0, 5.0, 6.0)).unwrap();
    let mut values: Vec<_> =
        document.properties(id).map(|(of, value)| (of.to_string(), value.to_value())).collect();
    values.sort_by(|a, b| a.0.cmp(&b.0));
    let tags = by_form(document, Value::String("a\0b".into()), Value::BinaryString("a\0b".into()));
    let expected = [
        ("Color3uint8", Color3uint8::new(255, 0, 128).into()),
        ("Material", Value::Enum(256)),
        ("Reflectance", Value::Float32(0.1)),
        ("RootPriority", Value::Int32(3)),
        ("Tags", tags),
        ("Transparency", Value::Float32(0.5)),
        ("shape", Value::Enum(2)),
        ("size", Vec3::new(4.0, 5.0, 6.0).into()),
    ];
    assert_eq!(values, expected.map(|(name, value)| (name.to_owned(), value)));
    let script = NewInstance::new("Script").property("Source", "print(1)");
    let script = document.insert(None, script).unwrap();
    let source =
        by_form(document, Value::String("print(1)".into()), Value::ProtectedString("print(1)".into()));
    assert_eq!(document.get(script, "Source"), Some(source.as_ref()));
}

/// Items of enums and colours of the palette have names, with the numbers of Roblox's documentation. In XML, Studio
/// stores the number of a colour as an integer.
fn names_of_items_and_colors(document: &mut dyn Dom) {
    let pad =
        NewInstance::new("SpawnLocation").property("Material", "Neon").property("TeamColor", "Bright red");
    let id = document.insert(None, pad).unwrap();
    for (item, color) in [(288, 21), (1280, 1003)] {
        let number = i32::try_from(color).unwrap();
        let color = by_form(document, BrickColor(color).into(), Value::Int32(number));
        assert_eq!(document.get(id, "Material"), Some(Value::Enum(item).as_ref()));
        assert_eq!(document.get(id, "TeamColor"), Some(color.as_ref()));
        document.set(id, "Material", "Enum.Material.Grass").unwrap();
        document.set(id, "TeamColor", "Really black").unwrap();
    }
    let error =
        refused(document, |document| document.set(id, "TeamColor", "Brigt red").map(drop)).to_string();
    let expected = "\"Brigt red\" is not the name of a BrickColor (did you mean \"Bright red\"?) in \
                    SpawnLocation.TeamColor";
    assert_eq!(error, expected);
}

fn values_of_a_wrong_type_are_refused(document: &mut dyn Dom) {
    let types = by_form(
        document,
        [
            "Bool, found Int32 1",
            "Vector3, found Float64 1.0",
            "Color3uint8, found Vector3",
            "Bool, found Ref",
        ],
        ["bool, found int", "Vector3, found double", "Color3uint8, found Vector3", "bool, found Ref"],
    );
    let [flag, size, color, reference] = types.map(|types| format!("expected {types} in Part."));
    // Binary files have the column already, whose name is the stored one.
    let stored = by_form(document, ["size", "Color3uint8"], ["Size", "Color"]);
    let item = "\"Plastik\" is not an item of the enum Material (did you mean \"Plastic\"?) in Part.Material";
    let bright = Vec3::new(1.0, 0.0, 0.0);
    let labelled = || part().label("a").reference("Anchored", "a");
    let edits: [(Edit<'_>, String); 5] = [
        (&|d| d.insert(None, part().property("Anchored", 1)).map(drop), flag + "Anchored"),
        (&|d| d.insert(None, part().property("Size", 1.0)).map(drop), size + stored[0]),
        (&|d| d.insert(None, part().property("Material", "Plastik")).map(drop), item.into()),
        (&|d| d.insert(None, part().property("Color", bright)).map(drop), color + stored[1]),
        (&|d| d.insert(None, labelled()).map(drop), reference + "Anchored"),
    ];
    all_refused(document, edits);
    assert!(document.is_empty());
    // With `as_given`, names and types are stored as they are given.
    let new = part().property("Anchored", 1).property("Size", 1.0);
    let edited = EditOptions::new().as_given(true).insert(document, None, new).unwrap();
    assert_eq!(document.get(edited.instances[0], "Size"), Some(Value::Float64(1.0).as_ref()));
    let found = by_form(document, "Bool, found Int32", "bool, found int");
    let found = format!("stored-types: Part.Anchored: expected the type {found} (1)");
    assert!(findings(document).contains(&found), "{found} in {:#?}", findings(document));
}

fn check_knows_classes(document: &mut dyn Dom) {
    let new = part().property("Ancored", true).property("Material", EnumItem(1)).property("Colour", "x");
    let spawn = NewInstance::new("SpawnLocation").property("TeamColor", BrickColor(9_999));
    document.insert(None, new.child(spawn)).unwrap();
    document.insert(None, NewInstance::new("Prt")).unwrap();
    let mut found = findings(document);
    found.sort();
    let row = by_form(document, "[0]", "");
    let expected = [
        format!("items: Part.Material{row}: 1 is not an item of the enum Material (2)"),
        "stored-classes: Prt: class name \"Prt\" looks like a misspelling of \"Part\" (1)".into(),
        "stored-names: Part.Ancored: property name looks like a misspelling of \"Anchored\" (2)".into(),
    ];
    assert_eq!(found, expected);
}

/// The ranges in Roblox's reference of classes and data types: Roblox clamps or refuses values out of range.
fn check_knows_ranges(document: &mut dyn Dom) {
    let physical = |friction| {
        let custom =
            CustomPhysicalProperties { density: 1.0, friction, ..CustomPhysicalProperties::default() };
        Value::from(PhysicalProperties::Custom(custom))
    };
    let row = by_form(document, "[0]", "");
    for (class, property, value, found) in [
        ("Part", "Transparency", 1.0_f32.into(), None),
        ("Part", "Transparency", 1.5_f32.into(), Some(("Transparency", "a number from 0 to 1, found 1.5"))),
        ("Part", "Transparency", f32::NAN.into(), Some(("Transparency", "a number from 0 to 1, found NaN"))),
        ("Part", "Size", Vec3::new(1.0, 2048.0, 0.001).into(), None),
        (
            "Part",
            "Size",
            Vec3::new(1.0, -2.0, 1.0).into(),
            Some(("size", "a number from 0.001 to 2048, found -2")),
        ),
        ("Fire", "Heat", (-25.0_f32).into(), None),
        ("Fire", "Heat", 26.0_f32.into(), Some(("heat_xml", "a number from -25 to 25, found 26"))),
        ("Part", "CustomPhysicalProperties", physical(2.0), None),
        (
            "Part",
            "CustomPhysicalProperties",
            physical(2.5),
            Some(("CustomPhysicalProperties", "friction from 0 to 2, found 2.5")),
        ),
    ] {
        let mut document = document.empty();
        document.insert(None, NewInstance::new(class).property(property, value)).unwrap();
        let found = found.map(|(stored, what)| format!("ranges: {class}.{stored}{row}: expected {what} (1)"));
        assert_eq!(findings(&*document), Vec::from_iter(found));
    }
}

/// A part has its position in `CFrame`; the parent is its place in the tree. Only `Dom::set` and new instances compute.
fn parts_of_other_properties_are_refused(document: &mut dyn Dom) {
    let id = document.insert(None, part().property("CFrame", rbxcore::CFrame::default())).unwrap();
    for (property, why) in [
        ("Position", "files store Part.Position in CFrame (set CFrame)"),
        ("Orientation", "files store Part.Orientation in CFrame (set CFrame)"),
        ("Parent", "the parent is not stored as a property (move the instance)"),
        ("ClassName", "the class of an instance cannot be changed"),
    ] {
        let to = Vec3::new(1.0, 2.0, 3.0);
        let set = |d: &mut dyn Dom| EditOptions::new().set(d, id, property, to);
        assert_eq!(refused(&mut *document, set).to_string(), format!("{why} in Part.{property}"));
        let new = |d: &mut dyn Dom| {
            EditOptions::defaults().insert(d, None, part().property(property, true)).map(drop)
        };
        let why = if why.starts_with("files store") { "expected a Vector3, found bool" } else { why };
        assert_eq!(refused(&mut *document, new).to_string(), format!("{why} in Part.{property}"));
    }
}

/// In the palette, 21 is bright red (196 40 28). One radius of a corner became four.
fn older_properties_are_set_in_the_newer(document: &mut dyn Dom) {
    let blue = Color3uint8::new(0, 0, 255);
    let id = document.insert(None, part().property("Color", blue)).unwrap();
    for color in [Value::from("Bright red"), BrickColor(21).into()] {
        document.set(id, "Color", blue).unwrap();
        document.set(id, "BrickColor", color).unwrap();
        assert_eq!(
            document.get(id, "Color3uint8").unwrap().as_color3uint8(),
            Some(Color3uint8::new(196, 40, 28))
        );
        assert!(document.properties(id).all(|(name, _)| name != "BrickColor"));
    }
    refused(&mut *document, |d| d.set(id, "BrickColor", "Bright rad").map(drop));
    refused(&mut *document, |d| d.set(id, "BrickColor", Vec3::default()).map(drop));
    let radius = |offset| rbxcore::UDim { scale: 0.0, offset };
    let corner = NewInstance::new("UICorner")
        .property("TopLeftRadius", radius(1))
        .property("TopRightRadius", radius(2))
        .property("BottomLeftRadius", radius(3))
        .property("BottomRightRadius", radius(4));
    let corner = document.insert(None, corner).unwrap();
    document.set(corner, "CornerRadius", radius(9)).unwrap();
    let values: Vec<_> = document.properties(corner).filter_map(|(_, value)| value.as_udim()).collect();
    assert_eq!(values, [radius(9); 4]);
}
