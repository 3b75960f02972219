//! The interfaces of rbx_binary and rbx_xml. The values are those that version 3.0.1 of these reads or writes.
#![cfg(feature = "compat")]

use rbx_dom_weak::types::{self, Variant};
use rbx_dom_weak::{InstanceBuilder, WeakDom};
use rbxdocument::compat::{rbx_binary, rbx_xml};

use super::weak::{content, samples};

fn dom(children: impl IntoIterator<Item = InstanceBuilder>) -> WeakDom {
    WeakDom::new(InstanceBuilder::new("DataModel").with_children(children))
}

fn binary(weak: &WeakDom) -> Result<Vec<u8>, rbx_binary::EncodeError> {
    let mut bytes = Vec::new();
    rbx_binary::to_writer(&mut bytes, weak, weak.root().children())?;
    Ok(bytes)
}

/// The value of a property of an instance at the root.
fn value(weak: &WeakDom, at: usize, name: &str) -> Option<Variant> {
    let instance = weak.get_by_ref(*weak.root().children().get(at)?)?;
    instance.properties.get(&name.into()).cloned()
}

/// Names, types and defaults, for instances with different properties.
#[test]
fn columns() {
    let color = types::Color3uint8::new(1, 2, 3);
    let weak = dom([
        InstanceBuilder::new("Part").with_property("Size", types::Vector3::new(1.0, 2.0, 3.0)),
        InstanceBuilder::new("Part").with_property("BrickColor", types::BrickColor::BrightRed),
        InstanceBuilder::new("Part").with_property("Color", color).with_property("Position", 1.0_f32),
        InstanceBuilder::new("IntValue").with_property("Value", 7_i32),
        InstanceBuilder::new("Decal").with_property("Texture", types::ContentId::from("a")),
        InstanceBuilder::new("Unheard").with_property("Odd", 1.5_f64),
    ]);
    let bytes = binary(&weak).expect("written");
    let read = rbx_binary::from_reader(&bytes[..]).expect("readable");
    let size = |x, y, z| Some(Variant::Vector3(types::Vector3::new(x, y, z)));
    assert_eq!(value(&read, 0, "Size"), size(1.0, 2.0, 3.0));
    assert_eq!(value(&read, 1, "Size"), size(4.0, 1.2, 2.0));
    let grey = types::Color3uint8::new(163, 162, 165);
    let red = types::Color3uint8::new(196, 40, 28);
    let colors = [0, 1, 2].map(|at| value(&read, at, "Color"));
    assert_eq!(colors, [grey, red, color].map(|color| Some(color.into())));
    assert_eq!(value(&read, 2, "Position"), None);
    assert_eq!(value(&read, 3, "Value"), Some(7_i64.into()));
    assert_eq!(value(&read, 4, "TextureContent"), Some(types::Content::from_uri("a").into()));
    assert_eq!(value(&read, 5, "Odd"), Some(1.5_f64.into()));
    // As files have it: the stored names.
    let file = rbxbinary::from_slice(&bytes).expect("readable");
    let names = |class: &str| {
        let class = file.classes().iter().find(|of| of.name == class).expect("a class");
        class.properties.iter().map(|of| of.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names("Part"), ["Color3uint8", "Name", "size"]);
    assert_eq!(names("Decal"), ["Name", "TextureContent"]);
    // As that of rbx_binary, the file has no metadata.
    let found = rbxbinary::check(&file);
    assert!(found.iter().all(|found| found.rule.id == "rbxbinary.metadata-chunk"), "{found:?}");
}

/// References to instances that are not written are null; shared strings are stored once.
#[test]
fn references_and_shared_strings() {
    let shared = types::SharedString::new(b"mesh".to_vec());
    let (part, outside) = (InstanceBuilder::new("Part"), InstanceBuilder::new("Part"));
    let [to, away] = [part.referent(), outside.referent()];
    let pointer = |of| InstanceBuilder::new("ObjectValue").with_property("Value", Variant::Ref(of));
    let union = || InstanceBuilder::new("MeshPart").with_property("PhysicalConfigData", shared.clone());
    let weak =
        dom([pointer(to), pointer(away), part, union(), union(), InstanceBuilder::new("MeshPart"), outside]);
    let mut bytes = Vec::new();
    let written = &weak.root().children()[..6];
    let options = rbx_binary::Serializer::new().compression_type(rbx_binary::CompressionType::Zstd);
    options.serialize(&mut bytes, &weak, written).expect("written");
    let read = rbx_binary::Deserializer::new().deserialize(&bytes[..]).expect("readable");
    let third = Variant::Ref(read.root().children()[2]);
    assert_eq!(value(&read, 0, "Value"), Some(third));
    assert_eq!(value(&read, 1, "Value"), Some(Variant::Ref(types::Ref::none())));
    let configs = [3, 4].map(|at| value(&read, at, "PhysicalConfigData"));
    assert_eq!(configs, [Some(shared.clone().into()), Some(shared.into())]);
    let file = rbxbinary::from_slice(&bytes).expect("readable");
    let strings = file.shared_strings().iter().filter(|of| &*of.bytes == b"mesh");
    assert_eq!(strings.count(), 1);
    assert!(
        rbxbinary::chunks(&bytes)
            .expect("chunks")
            .flatten()
            .any(|chunk| chunk.compression == rbxbinary::Compression::Zstd)
    );
}

#[test]
fn a_value_of_a_wrong_type_is_refused() {
    let weak = dom([InstanceBuilder::new("Part").with_property("Anchored", types::UDim::new(0.0, 1))]);
    let error = binary(&weak).expect_err("no flag");
    assert_eq!(error.inner().path(), "Part.Anchored");
}

#[test]
fn damaged_files_are_refused() {
    assert!(rbx_binary::from_reader(&b"<roblox version='4'/>"[..]).is_err());
    let error = rbx_xml::from_str_default("<roblox version='4'>\n<Item></roblox>").expect_err("malformed");
    assert_eq!(error.line(), 2, "{error}");
    assert!(std::error::Error::source(&error).is_none());
}

/// What each behavior does with a property that is not known.
#[test]
fn unknown_properties() {
    let text = "<roblox version='4'><Item class='Part'><Properties><string name='Name'>A</string>\
                <Vector3 name='size'><X>1</X><Y>2</Y><Z>3</Z></Vector3><bool name='Odd'>true</bool>\
                </Properties></Item></roblox>";
    use rbx_xml::{
        DecodeOptions, DecodePropertyBehavior as Decode, EncodeOptions, EncodePropertyBehavior as Encode,
    };
    let read = |behavior| rbx_xml::from_str(text, DecodeOptions::new().property_behavior(behavior));
    let names = |weak: &WeakDom| {
        let instance = weak.get_by_ref(weak.root().children()[0]).expect("there");
        let mut names: Vec<_> = instance.properties.keys().map(|name| name.to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&rbx_xml::from_str_default(text).expect("readable")), ["Size"]);
    let all = read(Decode::ReadUnknown).expect("readable");
    assert_eq!(names(&all), ["Odd", "Size"]);
    assert_eq!(names(&read(Decode::NoReflection).expect("readable")), ["Odd", "size"]);
    assert!(read(Decode::ErrorOnUnknown).is_err());

    let write = |behavior| {
        let mut bytes = Vec::new();
        let options = EncodeOptions::new().property_behavior(behavior);
        rbx_xml::to_writer(&mut bytes, &all, all.root().children(), options)?;
        Ok::<_, rbx_xml::EncodeError>(String::from_utf8(bytes).expect("a text"))
    };
    let has = |behavior, name: &str| write(behavior).expect("written").contains(&format!("name=\"{name}\""));
    assert_eq!([has(Encode::IgnoreUnknown, "Odd"), has(Encode::IgnoreUnknown, "size")], [false, true]);
    assert_eq!([has(Encode::WriteUnknown, "Odd"), has(Encode::WriteUnknown, "size")], [true, true]);
    assert_eq!([has(Encode::NoReflection, "Odd"), has(Encode::NoReflection, "Size")], [true, true]);
    assert!(write(Encode::ErrorOnUnknown).is_err());
}

/// rbx_xml reads a file by default without what it does not know; applied unchanged, the file stays as it is, and another
/// change is only that.
#[test]
fn what_reading_leaves_out_is_no_change() {
    let text = "<roblox version='4'><Item class='Part'><Properties><string name='Name'>A</string>\
                <float name='Odd'>2</float><bool name='Anchored'>true</bool></Properties></Item></roblox>";
    let weak = rbx_xml::from_str_default(text).expect("readable");
    let mut document = rbxdocument::from_slice(text.as_bytes()).expect("readable");
    assert!(rbxdocument::weak::apply(&mut *document, &weak).expect("applied").is_empty());
    assert_eq!(document.to_vec().expect("written"), text.as_bytes());
    let mut weak = weak;
    let part = weak.root().children()[0];
    weak.get_by_ref_mut(part).expect("there").properties.insert("Anchored".into(), false.into());
    assert!(rbxdocument::weak::apply(&mut *document, &weak).expect("applied").is_empty());
    let text = text.replace("true", "false");
    assert_eq!(document.to_vec().expect("written"), text.as_bytes());
}

/// rbx_binary 3.0.1 writes 255, 128, 128 for a colour that is beyond white.
#[test]
fn bright_colours_are_written() {
    use rbx_dom_weak::types::{Color3, Variant};
    let mut weak = WeakDom::new(rbx_dom_weak::InstanceBuilder::new("DataModel"));
    let color = Color3::new(1.000_000_1, 0.5, 0.5);
    let part = rbx_dom_weak::InstanceBuilder::new("Part").with_property("Color", color);
    let part = weak.insert(weak.root_ref(), part);
    let mut bytes = Vec::new();
    rbx_binary::to_writer(&mut bytes, &weak, &[part]).expect("written");
    let read = rbx_binary::from_reader(&bytes[..]).expect("readable");
    let part = read.get_by_ref(read.root().children()[0]).expect("there");
    let Some(Variant::Color3uint8(color)) = part.properties.get(&"Color".into()) else { panic!("{part:?}") };
    assert_eq!((color.r, color.g, color.b), (255, 128, 128));
}

/// Everything that real files have comes back.
#[test]
fn files_there_and_back() {
    for sample in samples("rbxbinary") {
        let Ok(weak) = rbx_binary::from_reader(&sample.bytes[..]) else { continue };
        let Ok(bytes) = binary(&weak) else { continue };
        let read = rbx_binary::from_reader(&bytes[..]).expect("readable");
        let (before, after) = (content(&weak), content(&read));
        assert_eq!(before.len(), after.len(), "{}", sample.name);
        for (before, after) in before.iter().zip(&after) {
            // A file of Remodel stores it, although only scripts have it.
            let is_lost = |(name, value): &(&String, &String)| {
                after.get(*name) != Some(*value) && *name != "WorldPivot"
            };
            let lost: Vec<_> = before.iter().filter(is_lost).collect();
            assert!(lost.is_empty(), "{}: {:.600}", sample.name, format!("{lost:?}"));
        }
    }
}
