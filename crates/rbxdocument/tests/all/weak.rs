//! Documents as a `WeakDom` of rbx-dom, and back.
#![cfg(feature = "weak")]

use std::collections::{BTreeMap, HashMap};

use geom::Vec3;
use rbx_dom_weak::types::{self, Variant};
use rbx_dom_weak::{InstanceBuilder, Ustr, WeakDom};
use rbxcore::Content;
use rbxdocument::weak::{from_weak, to_weak};
use rbxdocument::{AnyDocument, NewInstance, Value, from_slice};

/// The properties of each instance, in their order; references by the number of their target.
pub(super) fn content(weak: &WeakDom) -> Vec<BTreeMap<String, String>> {
    let numbers: HashMap<_, _> = weak.descendants().enumerate().map(|(at, of)| (of.referent(), at)).collect();
    let of = |(name, value): (&Ustr, &Variant)| match value {
        // A new instance gets a unique id of its own if another has it.
        Variant::UniqueId(_) => None,
        // They have two stored forms, of which a new instance gets the other one.
        _ if ["RollOffMaxDistance", "PackageIdSerialize"].contains(&&**name) => None,
        Variant::Ref(to) => Some((name.to_string(), format!("to {:?}", numbers.get(to)))),
        Variant::Content(of) if of.as_object().is_some() => {
            Some((name.to_string(), format!("object {:?}", numbers.get(&of.as_object()?))))
        }
        value => Some((name.to_string(), format!("{value:?}"))),
    };
    weak.descendants().map(|instance| instance.properties.iter().filter_map(of).collect()).collect()
}

#[test]
fn a_model_with_a_reference() {
    let mut document = AnyDocument::from(rbxbinary::Document::new());
    let part = NewInstance::new("Part")
        .label("part")
        .property("Name", "Wall")
        .property("Size", Vec3::new(4.0, 1.0, 2.0));
    let weld = NewInstance::new("Weld").property("Name", "Weld").reference("Part0", "part");
    document.insert(None, part.child(weld)).expect("a model");
    let (weak, lost) = to_weak(&*document);
    assert!(lost.is_empty(), "{lost:?}");
    let wall = weak.get_by_ref(weak.root().children()[0]).expect("the part");
    assert_eq!((&*wall.name, &*wall.class), ("Wall", "Part"));
    let size = rbx_dom_weak::types::Vector3::new(4.0, 1.0, 2.0);
    assert_eq!(wall.properties.get(&"Size".into()), Some(&Variant::Vector3(size)));
    let weld = weak.get_by_ref(wall.children()[0]).expect("the weld");
    assert_eq!(weld.properties.get(&"Part0".into()), Some(&Variant::Ref(wall.referent())));

    for mut back in
        [AnyDocument::from(rbxbinary::Document::new()), AnyDocument::from(rbxxml::Document::new())]
    {
        assert!(from_weak(&mut *back, &weak, weak.root().children()).expect("inserted").is_empty());
        let back = from_slice(&back.to_vec().expect("written")).expect("readable");
        let (wall, weld) = (back.find("Wall").expect("there"), back.find("Wall/Weld").expect("there"));
        assert_eq!(back.len(), 2);
        assert_eq!(back.get(weld, "Part0").and_then(|value| value.as_instance()), Some(wall));
        assert_eq!(
            back.get(wall, "size").map(|value| value.to_value()),
            Some(Value::from(Vec3::new(4.0, 1.0, 2.0)))
        );
    }
}

#[test]
fn an_instance_that_does_not_exist() {
    let weak = WeakDom::new(rbx_dom_weak::InstanceBuilder::new("DataModel"));
    let mut document = rbxbinary::Document::new();
    let lost =
        from_weak(&mut document, &weak, &[rbx_dom_weak::types::Ref::new()]).expect("nothing to insert");
    assert_eq!((lost.len(), document.len()), (1, 0));
}

/// The content of an image can be another instance, such as an EditableImage.
#[test]
fn objects_are_references() {
    let builder = InstanceBuilder::new;
    let mut weak = WeakDom::new(builder("DataModel"));
    let (root, image) = (weak.root_ref(), builder("EditableImage"));
    let to = |of: types::Ref| Variant::Content(types::Content::from_referent(of));
    let label = builder("ImageLabel").with_property("ImageContent", to(image.referent()));
    let inner = builder("ImageLabel").with_property("ImageContent", to(types::Ref::new()));
    let label = weak.insert(root, label.with_child(inner));
    let image = weak.insert(root, image);
    let part =
        builder("Part").with_property("Position", Variant::Vector3(types::Vector3::new(1.0, 2.0, 3.0)));
    let part = weak.insert(root, part);
    for mut document in [AnyDocument::from(rbxbinary::Document::new()), rbxxml::Document::new().into()] {
        let lost = from_weak(&mut *document, &weak, &[label, image, part]).expect("inserted");
        let lost: Vec<_> = lost.iter().map(|lost| (&*lost.path, lost.what)).collect();
        assert_eq!(lost, [("Part.Position", "files do not store the property")]);
        let [label, image, part] = document.roots().collect::<Vec<_>>()[..] else { panic!("three") };
        let content = |id| document.get(id, "ImageContent").map(|value| value.to_value());
        let object = |to| Some(Value::Content(Content::Object(to)));
        assert_eq!(content(label), object(Some(image)));
        assert_eq!(content(document.children(label).next().expect("a child")), object(None));
        assert!(document.get(part, "Position").is_none());
    }
}

/// The names and the values that rbx_xml 3.0.1 reads from these elements.
#[test]
fn properties_as_rbx_dom_has_them() {
    let content = |uri: &str| Variant::Content(types::Content::from_uri(uri));
    let corner = Variant::UDim(types::UDim::new(0.0, 8));
    let bytes = |bytes: &[u8]| Variant::BinaryString(bytes.to_vec().into());
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, Variant)]);
    let rows: [Row<'_>; 10] = [
        ("Decal", "<Content name='Texture'><url>a</url></Content>", &[("TextureContent", content("a"))]),
        (
            "Decal",
            "<Content name='Texture'><url>a</url></Content><Content name='TextureContent'>\n<uri>b</uri></Content>",
            &[("TextureContent", content("b"))],
        ),
        (
            "Part",
            "<int name='BrickColor'>21</int>",
            &[("Color", Variant::Color3uint8(types::Color3uint8::new(196, 40, 28)))],
        ),
        ("Team", "<int name='TeamColor'>21</int>", &[("TeamColor", types::BrickColor::BrightRed.into())]),
        (
            "UICorner",
            "<UDim name='CornerRadius'><S>0</S><O>8</O></UDim>",
            &[
                ("BottomLeftRadius", corner.clone()),
                ("BottomRightRadius", corner.clone()),
                ("TopLeftRadius", corner.clone()),
                ("TopRightRadius", corner),
            ],
        ),
        (
            "ScreenGui",
            "<bool name='IgnoreGuiInset'>true</bool>",
            &[("ScreenInsets", types::Enum::from_u32(1).into())],
        ),
        ("Humanoid", "<float name='Health_XML'>50</float>", &[("Health_XML", 50.0_f32.into())]),
        ("IntValue", "<int name='Value'>3</int>", &[("Value", 3_i64.into())]),
        (
            "Folder",
            "<SharedString name='Tags'>k</SharedString>",
            &[("Tags", Variant::Tags(vec!["Enemy".to_owned()].into()))],
        ),
        (
            "Unheard",
            "<BinaryString name='AttributesSerialize'>AAAAAA==</BinaryString>",
            &[("AttributesSerialize", bytes(&[0; 4]))],
        ),
    ];
    for (class, properties, expected) in rows {
        let text = format!(
            "<roblox version='4'><Item class='{class}'><Properties>{properties}</Properties></Item><SharedStrings>\
             <SharedString md5='k'>RW5lbXk=</SharedString></SharedStrings></roblox>"
        );
        let document = rbxxml::from_str(&text).expect("readable");
        let (weak, lost) = to_weak(&document);
        assert!(lost.is_empty(), "{properties}: {lost:?}");
        let instance = weak.get_by_ref(weak.root().children()[0]).expect("there");
        let mut found: Vec<_> =
            instance.properties.iter().map(|(name, value)| (&**name, value.clone())).collect();
        found.sort_by_key(|(name, _)| name.to_owned());
        assert_eq!(found, expected, "{properties}");
    }
}

/// In binary files, both kinds of addresses are strings, and rbx_binary reads unknown strings as bytes.
#[test]
fn strings_of_binary_files() {
    let mut document = rbxbinary::Document::new();
    for (class, property) in [("Decal", "Texture"), ("Script", "LinkedSource"), ("Unheard", "Tags")] {
        let options = rbxdocument::edit::EditOptions::new().as_given(true);
        options
            .insert(&mut document, None, NewInstance::new(class).property(property, "a"))
            .expect("inserted");
    }
    let (weak, _) = to_weak(&document);
    let value = |class: &str, name: &str| {
        let instance = weak.descendants().find(|of| of.class == class)?;
        instance.properties.get(&name.into()).cloned()
    };
    assert_eq!(value("Decal", "TextureContent"), Some(types::Content::from_uri("a").into()));
    assert_eq!(value("Script", "LinkedSource"), Some(types::ContentId::from("a").into()));
    assert_eq!(value("Unheard", "Tags"), Some(Variant::BinaryString(b"a".to_vec().into())));
}

/// rbx_binary 3 writes five numbers where the sixth one is 1, which readers assume, so that older readers know them.
#[test]
fn the_usual_absorption_of_sound_is_not_stored() {
    let physical = |absorption| {
        let custom = types::CustomPhysicalProperties::new(2.0, 0.25, 0.5, 1.0, 1.0, absorption);
        types::PhysicalProperties::Custom(custom)
    };
    for (absorption, stored) in [(1.0, None), (0.5, Some(0.5))] {
        let part =
            InstanceBuilder::new("Part").with_property("CustomPhysicalProperties", physical(absorption));
        let weak = WeakDom::new(InstanceBuilder::new("DataModel").with_child(part));
        let mut document = rbxbinary::Document::new();
        assert!(from_weak(&mut document, &weak, weak.root().children()).expect("inserted").is_empty());
        let id = document.roots().next().expect("a part");
        let value = document.get(id, "CustomPhysicalProperties").expect("a value").to_value();
        let Value::PhysicalProperties(value) = value else { panic!("{value:?}") };
        let rbxdocument::types::PhysicalProperties::Custom(value) = *value else { panic!("{value:?}") };
        assert_eq!(value.acoustic_absorption, stored);
    }
}

/// The elements that Studio writes.
#[test]
fn types_in_xml() {
    let mut weak = WeakDom::new(InstanceBuilder::new("DataModel"));
    let team = InstanceBuilder::new("Team")
        .with_property("TeamColor", types::BrickColor::White)
        .with_property("Tags", types::Tags::from(vec!["Enemy".to_owned()]));
    let script = InstanceBuilder::new("Script").with_property("Source", "print()");
    let unheard = InstanceBuilder::new("Unheard").with_property("Data", "\0");
    let made = [team, script, unheard].map(|of| weak.insert(weak.root_ref(), of));
    let mut xml = rbxxml::Document::new();
    assert!(from_weak(&mut xml, &weak, &made).expect("inserted").is_empty());
    let text = rbxxml::to_string(&xml).expect("written");
    for element in [
        r#"<int name="TeamColor">1</int>"#,
        r#"<BinaryString name="Tags">RW5lbXk=</BinaryString>"#,
        r#"<ProtectedString name="Source"><![CDATA[print()]]></ProtectedString>"#,
        r#"<BinaryString name="Data">AA==</BinaryString>"#,
    ] {
        assert!(text.contains(element), "{element} in {text}");
    }
}

pub(super) fn samples(of: &str) -> impl Iterator<Item = testkit::Sample> {
    testkit::fixtures(of).into_iter().chain(testkit::corpus(of))
}

/// What binary files contain is the same after a way through a `WeakDom` into another one, which fills in defaults. What
/// any file contains can be written as XML.
#[test]
fn files_there_and_back() {
    for sample in ["rbxbinary", "rbxxml"].into_iter().flat_map(samples) {
        let Ok(document) = from_slice(&sample.bytes) else { continue };
        let (weak, _) = to_weak(&*document);
        assert_eq!(weak.descendants().count(), document.len() + 1, "{}", sample.name);
        let roots = weak.root().children().to_vec();
        let mut xml = rbxxml::Document::new();
        from_weak(&mut xml, &weak, &roots).expect("inserted");
        assert!(rbxxml::to_vec(&xml).is_ok(), "{}: {:?}", sample.name, rbxxml::to_vec(&xml));
        if rbxbinary::detect(&sample.bytes).is_none() {
            continue;
        }
        let mut back = rbxbinary::Document::new();
        if let Ok(lost) = from_weak(&mut back, &weak, &roots) {
            let (again, _) = to_weak(&back);
            let (before, after) = (content(&weak), content(&again));
            assert_eq!(before.len(), after.len(), "{}", sample.name);
            let pairs = before.iter().zip(&after);
            let differ: Vec<_> = pairs
                .flat_map(|(before, after)| {
                    before.iter().filter(|(name, value)| after.get(*name) != Some(*value))
                })
                .collect();
            assert!(differ.len() <= lost.len(), "{}: {:.600}", sample.name, format!("{differ:?}"));
        }
    }
}

/// The number of an instance means another one in another document.
#[test]
fn references_in_attributes_are_lost() {
    for (first, kept) in [
        (b"\x03\x01".as_slice(), b"\x02\0\0\0\x01\0\0\0A\x03\x01\x01\0\0\0B\x25\xff\xff\xff\xff".as_slice()),
        (b"\x30\x01", b""),
    ] {
        let mut document = rbxbinary::Document::new();
        let part = document.insert(None, NewInstance::new("Part")).unwrap();
        let number = document.referent(part).unwrap().0.to_le_bytes();
        let blob = [b"\x02\0\0\0\x01\0\0\0A", first, b"\x01\0\0\0B\x25", &number].concat();
        let folder = NewInstance::new("Folder").property("AttributesSerialize", Value::from(blob));
        document.insert(None, folder).unwrap();
        let (weak, lost) = to_weak(&document);
        assert_eq!(lost.len(), 1, "{lost:?}");
        let mut again = rbxbinary::Document::new();
        from_weak(&mut again, &weak, weak.root().children()).unwrap();
        let folder = again.by_class("Folder").next().unwrap();
        let stored =
            again.get(folder, "AttributesSerialize").and_then(|value| Some(value.as_bytes()?.to_vec()));
        assert_eq!(stored.unwrap_or_default(), kept);
    }
}
