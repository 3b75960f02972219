//! Properties by the names of scripts and of other years mean the same in both forms.

use rbxcore::geom::Vec3;
use rbxdocument::edit::EditOptions;
use rbxdocument::types::{Color3, Color3uint8, Kind};
use rbxdocument::{AnyDocument, Form, NewInstance};

/// Empty documents of both forms.
fn empty() -> [AnyDocument; 2] {
    [Form::Binary, Form::Xml].map(AnyDocument::new)
}

/// `Size.X.Scale` is a part of a part, also of a default; what no property has is refused, and nothing of it is stored.
#[test]
fn parts_of_parts_are_set() {
    for mut document in empty() {
        let frame = document.insert(None, NewInstance::new("Frame")).unwrap();
        let part = document.insert(None, NewInstance::new("Part")).unwrap();
        document.set(frame, "Size.X.Scale", 0.5_f32).unwrap();
        document.set(frame, "Position.Y.Offset", 7).unwrap();
        document.set(part, "Position.X", 3.0_f32).unwrap();
        document.set(part, "Orientation.Y", 90.0_f32).unwrap();
        let size = document.get(frame, "Size").unwrap().as_udim2().unwrap();
        assert_eq!((size.x.scale, size.x.offset, size.y.scale), (0.5, 0, 0.0));
        assert_eq!(document.get(frame, "Position").unwrap().as_udim2().unwrap().y.offset, 7);
        let cframe = document.get(part, "CFrame").unwrap().as_cframe().unwrap();
        assert_eq!(cframe.position, Vec3::new(3.0, 0.0, 0.0));
        assert!((cframe.rotation.x_axis.z + 1.0).abs() < 1e-6, "{cframe:?}");
        for name in ["position", "className", "CFrame.LookVector", "Size.Foo", "ClassName"] {
            let before = document.to_vec().unwrap();
            document.set(part, name, 1.0_f32).unwrap_err();
            assert_eq!(document.to_vec().unwrap(), before, "{name}");
        }
    }
}

/// A new instance takes the names that `set` takes.
#[test]
fn parts_of_new_instances_are_joined() {
    for mut document in empty() {
        let new = NewInstance::new("Part")
            .property("Size", Vec3::new(1.0, 2.0, 3.0))
            .property("Size.Y", 8.0_f32)
            .property("Position", Vec3::new(1.0, 2.0, 3.0))
            .property("Position.Z", 9.0_f32)
            .property("Color.R", 1.0_f32);
        let id = document.insert(None, new).unwrap();
        assert_eq!(document.get(id, "Size").unwrap().as_vector3(), Some(Vec3::new(1.0, 8.0, 3.0)));
        assert_eq!(document.get(id, "Position").unwrap().as_vector3(), Some(Vec3::new(1.0, 2.0, 9.0)));
        let mut names: Vec<String> = document.properties(id).map(|(name, _)| name.to_string()).collect();
        names.sort();
        assert_eq!(names, ["CFrame", "Color3uint8", "size"]);
        for name in ["Size.Foo", "position", "CFrame.Rotation.X"] {
            document.insert(None, NewInstance::new("Part").property(name, 1.0_f32)).unwrap_err();
        }
        let wrong = NewInstance::new("Part").property("Position", true);
        assert!(document.insert(None, wrong).unwrap_err().to_string().contains("expected a Vector3"));
    }
}

/// What an older file stores is read by the newer name: `SourceSansBold` is Source Sans Pro of weight 700.
#[test]
fn older_forms_are_read_by_newer_names() {
    let text = r#"<roblox version="4"><Item class="TextLabel"><Properties><token name="Font">4</token></Properties></Item>
        <Item class="CharacterMesh"><Properties><int64 name="MeshId">27111419</int64></Properties></Item>
        <Item class="SpawnLocation"><Properties><int name="TeamColor">21</int></Properties></Item>
        <Item class="Model"><Properties><OptionalCoordinateFrame name="WorldPivotData"><CFrame><X>1</X><Y>2</Y><Z>3</Z><R00>1</R00>
        <R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CFrame>
        </OptionalCoordinateFrame></Properties></Item></roblox>"#;
    let xml = rbxdocument::from_slice(text.as_bytes()).unwrap();
    let binary = rbxdocument::convert::to_binary(&*xml, &rbxdocument::convert::ConvertOptions::new())
        .unwrap()
        .document;
    for mut document in [xml, AnyDocument::from(binary)] {
        let [label, mesh, spawn, model] = *document.roots().collect::<Vec<_>>() else { panic!() };
        let font = document.property(label, "FontFace").unwrap();
        assert_eq!(font.source, rbxdocument::query::Source::Form("Font"));
        let font = font.value.as_font().unwrap();
        assert_eq!(
            (font.family.to_string(), font.weight),
            ("rbxasset://fonts/families/SourceSansPro.json".into(), 700)
        );
        assert_eq!(document.get(label, "FontFace").unwrap().as_font().unwrap().weight, 700);
        let mesh = document.property(mesh, "MeshContent").unwrap().value;
        assert_eq!(mesh.as_str(), Some("rbxassetid://27111419"));
        assert_eq!(document.get(spawn, "TeamColor").unwrap().as_brick_color().unwrap().0, 21);
        let pivot = document.get(model, "WorldPivot").unwrap().as_cframe().unwrap();
        assert_eq!(pivot.position, Vec3::new(1.0, 2.0, 3.0));
        document.set(model, "WorldPivot.X", 5.0_f32).unwrap();
        let stored = document.get(model, "WorldPivotData").unwrap();
        assert_eq!(stored.as_cframe().unwrap().position, Vec3::new(5.0, 2.0, 3.0));
        document.set(model, "WorldPivot", pivot).unwrap();
        assert_eq!(document.get(model, "WorldPivotData").unwrap().as_cframe(), Some(pivot));
    }
}

/// A default that is not known is needed by others only.
#[test]
fn the_only_instance_of_a_class_needs_no_default() {
    for mut document in empty() {
        let id = document.insert(None, NewInstance::new("Lighting").service(true)).unwrap();
        assert_eq!(document.set(id, "ClockTime", 14.0_f32).unwrap(), []);
        assert_eq!(document.get(id, "ClockTime").unwrap().as_f32(), Some(14.0));
    }
}

/// A document of old parts, whose colours are numbers, takes new ones; each part has one colour by any name, in both forms.
/// The numbers are those of the palette: 24 is 245, 205, 48; 1004 is 255, 0, 0.
#[test]
fn colours_of_old_and_new_parts_agree() {
    let text = r#"<roblox version="4"><Item class="Part"><Properties><string name="Name">Yellow</string>
        <int name="BrickColor">24</int></Properties></Item></roblox>"#;
    let xml = rbxdocument::from_slice(text.as_bytes()).unwrap();
    let binary = rbxdocument::convert::to_binary(&*xml, &rbxdocument::convert::ConvertOptions::new())
        .unwrap()
        .document;
    let [yellow, blue, red] =
        [[245, 205, 48], [0, 0, 255], [255, 0, 0]].map(|[r, g, b]| Color3uint8 { r, g, b });
    for mut document in [xml, AnyDocument::from(binary)] {
        let source = document.clone();
        let new = NewInstance::new("Part").property("Color", Color3::from(blue));
        let part = EditOptions::defaults().insert(&mut *document, None, new).unwrap().instances[0];
        let old = source.find("Yellow").unwrap();
        let copy =
            EditOptions::defaults().copy_from(&mut *document, None, &*source, old).unwrap().instances[0];
        let color = |document: &AnyDocument, id| {
            let color = document.property(id, "Color").unwrap().value;
            color.converted(Kind::Color3uint8).unwrap().as_color3uint8()
        };
        assert_eq!((color(&document, part), color(&document, copy)), (Some(blue), Some(yellow)));
        document.set(part, "BrickColor", 24).unwrap();
        assert_eq!(color(&document, part), Some(yellow));
        document.set(part, "Color", Color3::from(red)).unwrap();
        assert_eq!(color(&document, part), Some(red));
        // Brighter than white, as in Studio, is white.
        document.set(part, "Color", Color3::new(2.0, -1e-9, 0.0)).unwrap();
        assert_eq!(color(&document, part), Some(red));
        let body =
            EditOptions::defaults().insert(&mut *document, None, NewInstance::new("BodyColors")).unwrap();
        document.set(body.instances[0], "HeadColor", 21).unwrap();
        assert!(document.get(body.instances[0], "HeadColor3").unwrap().as_color3().is_some());
        assert!(document.properties(body.instances[0]).all(|(name, _)| name != "HeadColor"));
    }
}
