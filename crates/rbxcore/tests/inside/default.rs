//! Tests of private items of `src/classes/default.rs`, which includes this file as a module.

use super::*;
use crate::classes::{brick_color, brick_color_named, brick_colors, class, classes, closest_brick_color};

/// Each default can be parsed, and each base class and each enum exists.
#[test]
fn the_table_is_whole() {
    let (mut known, mut all) = (0, 0);
    for class in classes() {
        assert_eq!(class.base().is_none(), class.name() == "Object", "{class:?}");
        for property in class.properties() {
            all += 1;
            let is_unknown = property.default().is_none();
            known += u32::from(!is_unknown);
            assert_eq!(class.stored(property.name()).unwrap().name(), property.name());
            assert_eq!(property.items().is_some(), property.kind() == Kind::Enum, "{property:?}");
        }
    }
    assert!(known * 10 > all * 9, "{known} of {all}");
}

/// Defaults that are known from real files.
#[test]
fn defaults_of_real_files() {
    let default = |of: &str, name: &str| class(of).unwrap().property(name).unwrap().default().unwrap();
    let family = "rbxasset://fonts/families/LegacyArial.json".into();
    assert_eq!(default("TextButton", "FontFace"), Font { family, weight: 400, ..Font::default() }.into());
    assert_eq!(default("Part", "size"), Value::Vector3(Vec3::new(4.0, 1.2, 2.0)));
    assert_eq!(default("Part", "Color"), Color3uint8::new(163, 162, 165).into());
    assert_eq!(default("UnionOperation", "Color3uint8"), Color3uint8::new(255, 255, 255).into());
    assert_eq!(default("Part", "CollisionGroup"), Value::from("Default"));
    assert_eq!(default("Part", "Material"), Value::Enum(256));
    assert_eq!(default("Part", "BackParamA"), Value::Float32(-0.5));
    assert_eq!(default("Model", "ScaleFactor"), Value::Float32(1.0));
    assert_eq!(default("Fire", "heat_xml"), Value::Float32(9.0));
    assert_eq!(default("Terrain", "SmoothGrid"), Value::BinaryString([1, 5].as_slice().into()));
    assert_eq!(default("Part", "CFrame"), CFrame::IDENTITY.into());
    assert_eq!(default("Folder", "SourceAssetId"), Value::Int64(-1));
    assert_eq!(default("Folder", "Name"), Value::from("Folder"));
    assert_eq!(
        default("Workspace", "CollisionGroupData"),
        Value::BinaryString(b"\x01\x01\0\x04\xff\xff\xff\xff\x07Default".as_slice().into())
    );
    assert_eq!(brick_color(194), Some([163, 162, 165]));
    assert_eq!(brick_color_named("bright red"), Some(21));
    assert!(brick_colors().any(|of| of == (21, "Bright red")));
    assert_eq!((brick_color_named("Gold"), brick_color_named("Reddish")), (Some(127), None));
    assert_eq!(closest_brick_color("Brigt red"), Some("Bright red"));
    let material = class("Part").unwrap().property("Material").unwrap().items().unwrap();
    assert_eq!((material.name(), material.item("Grass")), ("Material", Some(1280)));
    assert_eq!([256, 0].map(|number| material.item_name(number)), [Some("Plastic"), None]);
    assert_eq!([material.closest("Gras"), material.closest("Stone")], [Some("Grass"), None]);
    // An old property that only this class has.
    let selection = class("SelectionBox").unwrap();
    assert_eq!([selection.closest("Color"), selection.closest("Color4")], [None, Some("Color3")]);
}

/// Stored names and types that are known from real files.
#[test]
fn names_and_types() {
    let of = |class_name: &str, name: &str| {
        let property = class(class_name).unwrap().property(name).unwrap();
        (property.name(), property.kind())
    };
    assert_eq!(of("Part", "Shape"), ("shape", Kind::Enum));
    assert_eq!(of("Part", "Tags"), ("Tags", Kind::BinaryString));
    assert_eq!(of("Script", "Source"), ("Source", Kind::ProtectedString));
    assert_eq!(of("Humanoid", "Health"), ("Health_XML", Kind::Float32));
    assert_eq!(of("Camera", "CoordinateFrame"), ("CFrame", Kind::CFrame));
    assert_eq!(of("Decal", "Texture"), ("Texture", Kind::ContentId));
    assert_eq!(of("MeshPart", "MeshContent"), ("MeshContent", Kind::Content));
    assert_eq!(of("SpawnLocation", "TeamColor"), ("TeamColor", Kind::BrickColor));
    assert_eq!(of("WeldConstraint", "Part0"), ("Part0Internal", Kind::Ref));
    let brick = class("Part").unwrap().property("BrickColor").unwrap();
    assert_eq!(brick.replaced_by().collect::<Vec<_>>(), ["Color"]);
    assert!(class("Part").unwrap().property("Ancored").is_none());
    assert!(class("part").is_none());
}
