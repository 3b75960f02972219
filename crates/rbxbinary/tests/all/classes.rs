//! Tests of the class table. `xtask/peers/tests/classes.rs` reads similar documents with rbx_binary.
#![cfg(feature = "classes")]

use rbxbinary::edit::EditOptions;
use rbxbinary::geom::{Vec2, Vec3};
use rbxbinary::parts::TypeId;
use rbxbinary::types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content, Faces,
    Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect,
    SecurityCapabilities, UDim, UDim2, UniqueId, Vector3int16,
};
use rbxbinary::{Document, NewInstance, Value};

/// Existing instances keep the values that Studio shows, and all values that are filled in are listed.
#[test]
fn what_is_missing_is_the_default_of_the_class() {
    let mut place = Document::new();
    let old = NewInstance::new("Part").property("Name", "Old").property("BrickColor", BrickColor(21));
    place.insert(None, old).unwrap();
    let mut model = Document::new();
    let new = NewInstance::new("Part")
        .property("Name", "New")
        .property("CastShadow", false)
        .property("Color", Color3uint8::new(1, 2, 3));
    model.insert(None, new).unwrap();
    let options = EditOptions::new();
    let missing: Vec<_> = options.missing(&place, &model).unwrap().iter().map(ToString::to_string).collect();
    let all =
        ["Part.BrickColor of 1 instance", "Part.CastShadow of 1 instance", "Part.Color3uint8 of 1 instance"];
    assert_eq!(missing, all);
    assert!(options.merge(&mut place, None, &model).is_err());
    assert!(EditOptions::defaults().missing(&place, &model).unwrap().is_empty());
    let edited = EditOptions::defaults().merge(&mut place, None, &model).unwrap();
    let renamed: Vec<_> = edited.renamed.iter().map(ToString::to_string).collect();
    assert_eq!(renamed, ["Part.BrickColor of 1 instance as Color3uint8"]);
    let filled: Vec<_> = edited.filled.iter().map(ToString::to_string).collect();
    assert!(filled.contains(&"Part.CastShadow = Bool(true) in 1 instance".into()), "{filled:?}");
    let old = place.find("Old").unwrap();
    assert_eq!(place.get(old, "CastShadow").unwrap().as_bool(), Some(true));
    // In the palette, 21 is bright red (196 40 28).
    assert_eq!(place.get(old, "Color3uint8").unwrap().as_color3uint8(), Some(Color3uint8::new(196, 40, 28)));
    let new = place.find("New").unwrap();
    assert_eq!(place.get(new, "Color3uint8").unwrap().as_color3uint8(), Some(Color3uint8::new(1, 2, 3)));
}

/// A new instance gets the names under which files store properties, unless its class already stores one under another
/// name.
#[test]
fn names_of_scripts_are_stored_names_where_the_class_is_there() {
    let size = Vec3::new(1.0, 2.0, 3.0);
    let mut document = Document::new();
    document.insert(None, NewInstance::new("Part").property("size", size)).unwrap();
    let id = document.insert(None, NewInstance::new("Part").property("Size", size)).unwrap();
    assert_eq!(document.get(id, "size").unwrap().as_vector3(), Some(size));
    // A column whose instances have all been removed does not count.
    let mut document = Document::new();
    let as_given = EditOptions::new().as_given(true);
    let odd = as_given.insert(&mut document, None, NewInstance::new("Part").property("Size", size)).unwrap();
    document.remove(odd.instances[0]).unwrap();
    document.insert(None, NewInstance::new("Part").property("Size", size)).unwrap();
    let names: Vec<_> =
        document.classes().iter().flat_map(|class| &class.properties).map(|of| of.name.to_string()).collect();
    assert_eq!(names, ["size"]);
}

#[test]
fn older_forms_become_the_newer() {
    let merged = |there: NewInstance, new: NewInstance| {
        let (mut place, mut model) = (Document::new(), Document::new());
        let as_given = EditOptions::new().as_given(true);
        as_given.insert(&mut place, None, there.property("Name", "Old")).unwrap();
        let new = new.property("Name", "New");
        as_given.insert(&mut model, None, new.clone()).unwrap();
        let mut inserted = place.clone();
        EditOptions::defaults().insert(&mut inserted, None, new).unwrap();
        EditOptions::defaults().merge(&mut place, None, &model).unwrap();
        let values = |place: &Document| {
            let values = |id| place.properties(id).map(|(name, value)| (name.to_owned(), value.to_value()));
            place.roots().map(|id| values(id).collect()).collect::<Vec<Vec<_>>>()
        };
        assert_eq!(values(&inserted), values(&place));
        place
    };
    let get = |place: &Document, name: &str, property: &str| {
        let mut stored = place.properties(place.find(name).unwrap());
        stored.find(|(name, _)| *name == property).map(|(_, value)| value.to_value())
    };
    // In the palette, 21 is bright red (196 40 28).
    let part = || NewInstance::new("Part");
    let (red, blue) = (Color3uint8::new(196, 40, 28), Color3uint8::new(1, 2, 250));
    let place = merged(part().property("Color3uint8", blue), part().property("BrickColor", BrickColor(21)));
    assert_eq!(get(&place, "New", "Color3uint8"), Some(red.into()));
    let place = merged(part().property("BrickColor", BrickColor(21)), part().property("Color3uint8", blue));
    assert_eq!(get(&place, "Old", "Color3uint8"), Some(red.into()));
    let uri = |text: &str| Value::Content(Content::Uri(text.into()));
    let decal = || NewInstance::new("Decal");
    let place = merged(decal().property("TextureContent", uri("a")), decal().property("Texture", "b"));
    assert_eq!(get(&place, "New", "TextureContent"), Some(uri("b")));
    assert_eq!((get(&place, "Old", "TextureContent"), get(&place, "Old", "Texture")), (Some(uri("a")), None));
    let place = merged(decal().property("Texture", "a"), decal().property("TextureContent", uri("b")));
    assert_eq!(get(&place, "Old", "TextureContent"), Some(uri("a")));
    assert_eq!(get(&place, "New", "TextureContent"), Some(uri("b")));
    let frame = |x: f32| rbxbinary::types::CFrame::new(x, 0.0, 0.0);
    let camera = || NewInstance::new("Camera");
    let place =
        merged(camera().property("CFrame", frame(1.0)), camera().property("CoordinateFrame", frame(2.0)));
    assert_eq!(get(&place, "New", "CFrame"), Some(frame(2.0).into()));
    assert_eq!(get(&place, "New", "CoordinateFrame"), None);
    // One radius became four, one for each corner.
    let corner = || NewInstance::new("UICorner");
    let radius = |offset| UDim { scale: 0.0, offset };
    let place = merged(
        corner().property("CornerRadius", radius(3)),
        corner().property("BottomLeftRadius", radius(4)),
    );
    assert_eq!(get(&place, "Old", "BottomLeftRadius"), Some(radius(3).into()));
    // The ids of assets became URIs.
    let mesh = || NewInstance::new("CharacterMesh");
    for (id, expected) in [(0, Value::Content(Content::None)), (7, uri("rbxassetid://7"))] {
        let place =
            merged(mesh().property("MeshId", Value::Int64(id)), mesh().property("MeshContent", uri("b")));
        assert_eq!(get(&place, "Old", "MeshContent"), Some(expected));
    }
    // In `ScreenInsets`, 1 avoids the cutouts of a device, and 2 also avoids Roblox's own controls.
    let screen = || NewInstance::new("ScreenGui");
    for (ignored, expected) in [(true, 1), (false, 2)] {
        let place = merged(
            screen().property("IgnoreGuiInset", ignored),
            screen().property("ScreenInsets", Value::Enum(0)),
        );
        assert_eq!(get(&place, "Old", "ScreenInsets"), Some(Value::Enum(expected)));
    }
    // 6 is the italic face of Source Sans.
    let label = || NewInstance::new("TextLabel");
    let place = merged(
        label().property("Font", Value::Enum(6)),
        label().property("FontFace", Value::from(Font::default())),
    );
    let family = "rbxasset://fonts/families/SourceSansPro.json".into();
    let italic = Font { family, weight: 400, style: FontStyle(1), ..Font::default() };
    assert_eq!(get(&place, "Old", "FontFace"), Some(italic.into()));
}

/// The type and the default of one property of each type, from `crates/rbxcore/src/classes/classes.tsv`.
#[test]
fn every_type_has_its_column_and_its_default() {
    let bytes = |text: &str| Value::String(text.into());
    let color = |time: f32| ColorSequenceKeypoint { time, color: Color3::new(1.0, 1.0, 1.0), envelope: 0.0 };
    let half = |time: f32| NumberSequenceKeypoint { time, value: 0.5, envelope: 0.0 };
    let scroll = "rbxasset://textures/ui/Scroll/scroll-bottom.png";
    let family = "rbxasset://fonts/families/LegacyArial.json".into();
    let corner = UDim::new(0.0, 8);
    for (name, type_id, expected) in [
        ("TextButton.Text", TypeId::STRING, bytes("Button")),
        ("Script.Source", TypeId::STRING, bytes("")),
        ("Instance.Tags", TypeId::STRING, bytes("")),
        ("ScrollingFrame.BottomImage", TypeId::STRING, bytes(scroll)),
        ("ScrollingFrame.BottomImageContent", TypeId::CONTENT, Content::Uri(scroll.into()).into()),
        ("Animation.AnimationContent", TypeId::CONTENT, Content::None.into()),
        (
            "TriangleMeshPart.PhysicalConfigData",
            TypeId::SHARED_STRING,
            Value::SharedString(b"CSGPHS\0\0\0\0BLOCK"[..].into()),
        ),
        ("PartOperation.SolidMeshHolder", TypeId::SHARED_STRING, Value::SharedString(b""[..].into())),
        ("Instance.archivable", TypeId::BOOL, Value::Bool(true)),
        ("Beam.Segments", TypeId::INT32, Value::Int32(10)),
        ("Instance.SourceAssetId", TypeId::INT64, Value::Int64(-1)),
        ("AccessoryDescription.Puffiness", TypeId::FLOAT32, Value::Float32(1.0)),
        ("TestService.Timeout", TypeId::FLOAT64, Value::Float64(10.0)),
        ("AnimationClip.Priority", TypeId::ENUM, Value::Enum(2)),
        ("Constraint.Color", TypeId::BRICK_COLOR, BrickColor(23).into()),
        ("Atmosphere.Color", TypeId::COLOR3, Color3::new(0.7843, 0.6667, 0.4235).into()),
        ("BasePart.Color3uint8", TypeId::COLOR3_UINT8, Color3uint8::new(163, 162, 165).into()),
        ("Decal.UVScale", TypeId::VECTOR2, Vec2::new(1.0, 1.0).into()),
        ("AvatarCollisionRules.SingleColliderSize", TypeId::VECTOR3, Vec3::new(2.0, 3.0, 1.0).into()),
        ("TerrainRegion.ExtentsMax", TypeId::VECTOR3_INT16, Vector3int16::default().into()),
        ("UICorner.BottomLeftRadius", TypeId::UDIM, corner.into()),
        ("GuiObject.Size", TypeId::UDIM2, UDim2::default().into()),
        ("Camera.Focus", TypeId::CFRAME, CFrame::new(0.0, 0.0, -5.0).into()),
        ("Model.WorldPivotData", TypeId::OPTIONAL_CFRAME, Value::OptionalCFrame(None)),
        ("RayValue.Value", TypeId::RAY, Ray::default().into()),
        ("ImageButton.SliceCenter", TypeId::RECT, Rect::default().into()),
        ("ArcHandles.Axes", TypeId::AXES, Axes(7).into()),
        ("Handles.Faces", TypeId::FACES, Faces(63).into()),
        ("AudioEqualizer.MidRange", TypeId::NUMBER_RANGE, NumberRange { min: 400.0, max: 4000.0 }.into()),
        (
            "Beam.Transparency",
            TypeId::NUMBER_SEQUENCE,
            NumberSequence { keypoints: vec![half(0.0), half(1.0)] }.into(),
        ),
        (
            "Beam.Color",
            TypeId::COLOR_SEQUENCE,
            ColorSequence { keypoints: vec![color(0.0), color(1.0)] }.into(),
        ),
        (
            "BasePart.CustomPhysicalProperties",
            TypeId::PHYSICAL_PROPERTIES,
            PhysicalProperties::Default.into(),
        ),
        ("TextButton.FontFace", TypeId::FONT, Font { family, weight: 400, ..Font::default() }.into()),
        ("Instance.UniqueId", TypeId::UNIQUE_ID, UniqueId::default().into()),
        ("Instance.Capabilities", TypeId::SECURITY_CAPABILITIES, SecurityCapabilities(0).into()),
        ("AdPlacement.ActivationInstance", TypeId::REF, Value::Ref(None)),
    ] {
        let (class, property) = name.split_once('.').unwrap();
        assert_eq!(TypeId::of_property(class, property), Some(type_id), "{name}");
        assert_eq!(type_id.default_of(class, property), Some(expected), "{name}");
        let other = if type_id == TypeId::BOOL { TypeId::INT32 } else { TypeId::BOOL };
        assert_eq!(other.default_of(class, property), None, "{name}");
    }
    // The table contains no default for this property.
    assert_eq!(TypeId::of_property("GetTextBoundsParams", "Font"), Some(TypeId::FONT));
    assert_eq!(TypeId::FONT.default_of("GetTextBoundsParams", "Font"), None);
    assert_eq!(
        (TypeId::of_property("Part", "Nothing"), TypeId::of_property("Nothing", "Name")),
        (None, None)
    );
}

/// `check` counts every row that breaks a rule, and names the first.
#[test]
fn all_rows_are_counted() {
    use crate::common::{chunk, end, header, inst, interleaved, prnt, prop, referents};
    let floats = |all: [f32; 3]| interleaved(&all.map(|number| number.to_bits().rotate_left(1)));
    // The first CFrame has no rotation, the others have unknown ones.
    let frames = [&[2, 1, 0xff][..], &[0; 36]].concat();
    let external = [interleaved(&[0; 3]), vec![0; 8], 1_u32.to_le_bytes().to_vec(), referents(&[7])].concat();
    let file = [
        header(1, 3),
        chunk(b"INST", &inst(0, "Part", &[0, 1, -1])),
        chunk(b"PROP", &prop(0, "CFrame", 0x10, &frames)),
        chunk(b"PROP", &prop(0, "Transparency", 0x04, &floats([7.0, 0.5, 9.0]))),
        chunk(b"PROP", &prop(0, "Material", 0x12, &interleaved(&[256, 1, 2]))),
        chunk(b"PROP", &prop(0, "BrickColor", 0x03, &interleaved(&[14, 388, 16]))),
        chunk(b"PROP", &prop(0, "MeshContent", 0x22, &external)),
        chunk(b"PROP", &prop(0, "To", 0x13, &referents(&[55, 1, -1]))),
        chunk(b"PROP", &prop(0, "", 0x01, &[0; 12])),
        chunk(b"PRNT", &prnt(&[0, 1], &[-1, -1])),
        end(),
    ]
    .concat();
    let document = rbxbinary::from_slice(&file).unwrap();
    assert!(rbxbinary::to_vec(&document).unwrap() == file);
    let found = rbxbinary::check(&document);
    let of = |rule: &str| {
        let found = found.iter().find(|found| found.rule.id.strip_prefix("rbxbinary.") == Some(rule))?;
        Some((found.path.as_str(), found.count))
    };
    assert_eq!(of("rotation-ids"), Some(("Part.CFrame[1]", 2)));
    assert_eq!(of("ranges"), Some(("Part.Transparency[0]", 2)));
    assert_eq!(of("items"), Some(("Part.Material[1]", 4)));
    assert_eq!(of("references"), Some(("Part.MeshContent.external", 2)));
    // A null referent is one finding, and so is a property without a name.
    assert_eq!(of("referents"), Some(("classes[0].referents[2]", 1)));
    assert_eq!((of("parent-rows"), of("stored-types")), (None, None));
    let ids: Vec<_> = document.by_class("Part").collect();
    let dangling = |&id| document.dangling(id).into_iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(ids.iter().map(dangling).collect::<Vec<_>>(), [vec!["To".to_owned()], vec![], vec![]]);
}

/// `check` names the fault of a sequence, and the bits that axes and faces do not have.
#[test]
fn values_that_studio_cannot_have_are_found() {
    use crate::common::{chunk, end, header, inst, prnt, prop};
    let floats = |all: &[f32]| all.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    // For each value, the count of its keypoints and the floats of the keypoints.
    let sequences = |all: &[&[f32]], size: usize| {
        let one = |all: &&[f32]| {
            let count = u32::try_from(all.len() / size).unwrap().to_le_bytes();
            [&count[..], &floats(all)].concat()
        };
        all.iter().map(one).collect::<Vec<_>>().concat()
    };
    let numbers: [&[f32]; 4] = [
        &[0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        &[0.0, 1.0, 0.0, 0.5, 1.0, 0.0, 0.25, 1.0, 0.0, 1.0, 1.0, 0.0],
        &[0.0, 1.0, 0.0, 0.9, 1.0, 0.0],
        &[],
    ];
    let color = |first: f32, envelope: f32| [first, 0.5, 0.5, 0.5, 0.0, 1.0, 0.5, 0.5, 0.5, envelope];
    let colors = [color(0.0, 0.0), color(0.25, 0.0), color(0.0, 2.0), color(f32::NAN, 0.0)];
    let colors: Vec<&[f32]> = colors.iter().map(|all| &all[..]).collect();
    let file = [
        header(1, 4),
        chunk(b"INST", &inst(0, "ParticleEmitter", &[0, 1, 2, 3])),
        chunk(b"PROP", &prop(0, "Size", 0x15, &sequences(&numbers, 3))),
        chunk(b"PROP", &prop(0, "Color", 0x16, &sequences(&colors, 5))),
        chunk(b"PROP", &prop(0, "Sides", 0x09, &[63, 64, 1, 65])),
        chunk(b"PROP", &prop(0, "Axes", 0x0a, &[7, 0, 8, 1])),
        chunk(b"PRNT", &prnt(&[0, 1, 2, 3], &[-1; 4])),
        end(),
    ]
    .concat();
    let found = rbxbinary::check(&rbxbinary::from_slice(&file).unwrap());
    let shown: Vec<String> =
        found.iter().map(|of| format!("{}: {}: {} ({})", of.rule.id, of.path, of.found, of.count)).collect();
    for expected in [
        "rbxbinary.sequences: ParticleEmitter.Size[1]: the times 0.5 of keypoints[1] and 0.25 of keypoints[2] are not in ascending order (5)",
        "rbxbinary.color-envelopes: ParticleEmitter.Color[2]: the keypoint at time 1 has the envelope 2 (1)",
        "rbxbinary.axes-and-faces: ParticleEmitter.Sides[1]: found the bits 0b1000000 (3)",
    ] {
        assert!(shown.iter().any(|shown| shown == expected), "{expected}: {shown:#?}");
    }
}

/// An old model in a place of today: what has a successor is stored as it, what has none and no known default is dropped
/// and listed, and nothing that was there gets a value that it did not have.
#[test]
fn old_models_change_nothing_that_is_there() {
    let inserted = |there: NewInstance, old: NewInstance| {
        let (mut place, mut model) = (Document::new(), Document::new());
        place.insert(None, there.property("Name", "There")).unwrap();
        let old = old.property("Name", "Old");
        EditOptions::new().as_given(true).insert(&mut model, None, old).unwrap();
        let edited = EditOptions::defaults().merge(&mut place, None, &model).unwrap();
        let stored = |name: &str| -> Vec<String> {
            let id = place.find(name).unwrap();
            let others = place.properties(id).filter(|(name, _)| *name != "Name");
            others.map(|(name, value)| format!("{name} {:?}", value.to_value())).collect()
        };
        let listed = edited.renamed.iter().map(ToString::to_string);
        let listed =
            listed.chain(edited.left_out.iter().map(|of| format!("without {of}"))).collect::<Vec<_>>();
        (stored("There"), stored("Old"), listed)
    };
    let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    // Roblox's documentation of Sound.Pitch: the same number as PlaybackSpeed, 1 by default.
    let sound = || NewInstance::new("Sound");
    let siren = sound().property("Pitch", 1.25_f32);
    for there in [sound(), sound().property("PlaybackSpeed", 1.0_f32)] {
        let (there, old, listed) = inserted(there, siren.clone());
        assert_eq!(
            (there, old),
            (texts(&["PlaybackSpeed Float32(1.0)"]), texts(&["PlaybackSpeed Float32(1.25)"]))
        );
        assert_eq!(listed, ["Sound.Pitch of 1 instance as PlaybackSpeed"]);
    }
    // Size24 has 24 pixels, and a label without a size has 8.
    let label = NewInstance::new("TextLabel").property("FontSize", Value::Enum(7));
    let label = label.property("TextColor", BrickColor(21));
    let there = NewInstance::new("TextLabel").property("TextSize", 14.0_f32);
    let (there, old, listed) = inserted(there, label);
    let red = "TextColor3 Color3(Color3 { r: 0.76862746, g: 0.15686275, b: 0.10980392 })";
    assert_eq!(old, ["TextSize Float32(24.0)", red]);
    assert_eq!(there[0], "TextSize Float32(14.0)");
    assert!(there[1].starts_with("TextColor3") && there[1].contains("0.10588236"), "{there:?}");
    assert_eq!(listed.len(), 2);
    let emitter = NewInstance::new("ParticleEmitter");
    let (_, old, _) = inserted(emitter.clone(), emitter.property("VelocitySpread", 30.0_f32));
    assert_eq!(old, ["SpreadAngle Vector2(Vec2 { x: 30.0, y: 30.0 })"]);
    // Nearly all parts of old files have these values, so that was the default; of CanUngroup none is known.
    let part = NewInstance::new("Part");
    let old = part.clone().property("Friction", 0.0_f32).property("Elasticity", 1.0_f32);
    let (there, old, listed) = inserted(part, old.property("CanUngroup", true));
    assert_eq!(there, ["Friction Float32(0.3)", "Elasticity Float32(0.5)"]);
    assert_eq!(old, ["Friction Float32(0.0)", "Elasticity Float32(1.0)"]);
    assert_eq!(listed, ["without Part.CanUngroup of 1 instance"]);
    // A new part in an old place is like the parts there.
    let old = NewInstance::new("Part").property("CanUngroup", true).property("ModelId", "x");
    let (_, new, _) = inserted(old, NewInstance::new("Part"));
    assert_eq!(new, [r#"CanUngroup Bool(true)"#, r#"ModelId String("")"#]);
}

/// Each property that others have replaced has its value as them, and back; its default follows from theirs.
#[test]
fn replaced_properties_convert_both_ways() {
    use rbxcore::classes::{class, classes, turn};
    let default = |of: &str, property: &str| class(of).unwrap().property(property).unwrap().default();
    let mut replaced = 0;
    for property in classes().flat_map(|class| class.properties().map(move |property| (class, property))) {
        let (class, older) = property;
        for newer in older.replaced_by() {
            // No file stores `Decal.ColorMapContent` yet.
            let Some(newer) = class.property(newer) else { continue };
            assert!(turn(older.kind(), newer.kind()).is_some(), "{older:?}");
            assert!(turn(newer.kind(), older.kind()).is_some(), "{older:?}");
            replaced += 1;
        }
    }
    assert!(replaced > 70);
    assert_eq!(default("UICorner", "CornerRadius"), Some(UDim::new(0.0, 8).into()));
    assert_eq!(default("Sound", "Pitch"), Some(Value::Float32(1.0)));
    assert_eq!(default("ScreenGui", "IgnoreGuiInset"), Some(Value::Bool(false)));
    // The same sizes as in the names of the items.
    let sizes = rbxcore::classes::enum_named("FontSize").unwrap();
    for (item, name) in sizes.items() {
        let size: f32 = name.strip_prefix("Size").unwrap().parse().unwrap();
        let to = turn(rbxcore::Kind::Enum, rbxcore::Kind::Float32).unwrap();
        let back = turn(rbxcore::Kind::Float32, rbxcore::Kind::Enum).unwrap();
        assert_eq!(to(Value::Enum(item).as_ref()), Some(Value::Float32(size)), "{name}");
        assert_eq!(back(Value::Float32(size).as_ref()), Some(Value::Enum(item)), "{name}");
    }
}
