//! Properties whose bytes have a known layout, as `tree` and `get` show them. `REZKIT_TABLES=1 cargo test -p rezkit-cli
//! --test all blobs` writes docs/formats/roblox-values.md from the real files.

use crate::Ask as _;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::xml::{binary, document, field, item};
use crate::open;
use rezkit::tree::{Data, Node, Value};

/// The value that is shown for a property of an instance whose bytes are these.
fn shown(property: &str, bytes: &[u8]) -> Value {
    let opened = open(document(&item("Part", "A", &binary(property, bytes), "")), "a.rbxmx");
    let tree = opened.tree();
    let properties = tree.children().next().expect("an instance").properties();
    properties.into_iter().find(|(name, _)| name == property).expect("there").1
}

fn line(property: &str, file: &str) -> String {
    shown(property, &testkit::fixture("rbxblobs", file)).summary(80)
}

/// The expected counts are those of the fixtures: two hulls of four triangles, levels of four and two.
#[test]
fn blobs_are_summed_up() {
    assert_eq!(line("PhysicalConfigData", "collision-0.bin"), "CSGPHS 0: a box with the size of the part");
    assert_eq!(line("PhysicsData", "collision-3.bin"), "CSGPHS 3: 2 hulls, 8 triangles");
    assert_eq!(line("PhysicsData", "collision-8.bin"), "CSGPHS 8: 2 hulls, 8 triangles");
    assert!(line("PhysicalConfigData", "collision-7.bin").starts_with("CSGPHS 7: 2 hulls, volume "));
    assert_eq!(line("MeshData", "mesh-2.bin"), "CSGMDL 2: 4 triangles");
    assert_eq!(line("MeshData2", "mesh-4.bin"), "CSGMDL 4: 4 triangles, 2 levels of detail");
    assert_eq!(line("SolidMeshHolder", "solid-mesh.bin"), "SolidMesh: 4 triangles");
    assert!(line("SmoothGrid", "terrain.bin").contains(" chunks, voxels: "));
    assert!(line("PhysicsGrid", "blocks.bin").contains(" with a surface, "));
    let colors = shown("MaterialColors", &rezkit::blobs::MaterialColors::default().to_vec());
    let fields = colors.as_fields().expect("values");
    // Older versions of Studio had 6A 7F 3F; the default of newer ones is 6F 7E 3E.
    assert_eq!((fields[0].0.as_str(), fields[0].1.summary(80)), ("Grass", "111, 126, 62".to_owned()));
}

/// The rules that the values of a part break, and what was found.
fn found_in(property: &str, bytes: &[u8]) -> Vec<(String, String)> {
    let mut asset = open(document(&item("Terrain", "A", &binary(property, bytes), "")), "a.rbxmx");
    let found = asset.check(&[], None).expect("checked").into_iter();
    let of_value = found.filter(|found| found.path == format!("A.{property}"));
    of_value.map(|found| (found.rule.to_string(), found.found.to_string())).collect()
}

/// Chunks of terrain without effect, unknown materials, and hulls that inflate too much.
#[test]
fn values_with_defects_are_found() {
    use rezkit::blobs::SmoothGrid;
    use rezkit::blobs::terrain::{Chunk, Voxel};
    let chunk = |x: i32, material: u8| {
        let voxel = Voxel { material, occupancy: None, water: None };
        Chunk { position: [x, 0, 0], runs: vec![(voxel, 256); 128] }
    };
    let mut grid = SmoothGrid { chunks: vec![chunk(0, 2), chunk(1, 22)] };
    assert_eq!(found_in("SmoothGrid", &grid.to_vec().expect("writable")), []);
    grid.chunks.extend([chunk(1, 23), chunk(262_144, 2), chunk(-262_145, 63)]);
    let rule = |found: &str| ("roblox.terrain".to_owned(), found.to_owned());
    let wanted = [
        rule("found 1 chunk with the position of a later chunk"),
        rule("found 1 chunk at a distance of more than 262,144 chunks from the origin"),
        rule("found unknown materials: 23, 63"),
    ];
    assert_eq!(found_in("SmoothGrid", &grid.to_vec().expect("writable")), wanted);
    // A zstd frame with a block that repeats a byte 131,072 times, and one of many.
    for (blocks, is_too_long) in [(1, false), (16, true)] {
        let mut hulls = b"CSGPHS\x08\0\0\0\0\0\x28\xb5\x2f\xfd\0\x68".to_vec();
        hulls.extend([2, 0, 0x10, 0].repeat(blocks - 1));
        hulls.extend([3, 0, 0x10, 0]);
        let found = found_in("PhysicsData", &hulls);
        assert_eq!((found.len(), found[0].0.as_str()), (1, "roblox.values"));
        assert_eq!(
            found[0].1
                == "the compressed hulls inflate to more than 64 times their size, the most that rezkit decodes",
            is_too_long
        );
    }
}

/// Each damaged value is reported by its path; the rest of the instance is read.
#[test]
fn damaged_blobs_are_found() {
    let values = binary("AttributesSerialize", b"\x01\0\0\0\x01\0\0\0a\x06\0\0")
        + &binary("ValuesAndTimes", b"\x02\0\0\0\x01\0\0\0");
    let mut xml = open(document(&item("FloatCurve", "A", &values, "")), "a.rbxmx");
    let made = xml.convert(Some("rbxm"), "a", &rezkit::ConvertOptions::new().fill(rezkit::Fill::Defaults));
    let binary = crate::open(&made.expect("converted").files[0].bytes, "a.rbxm");
    for mut asset in [xml, binary] {
        let found = asset.check(&[], None).expect("checked").into_iter();
        let found: Vec<_> = found.filter(|found| found.rule == "roblox.values").collect();
        let found: Vec<_> = found.iter().map(|found| (found.path.as_str(), found.found.as_str())).collect();
        let wanted = [
            ("A.AttributesSerialize", "unexpected end of input in attributes at offset 0xa"),
            (
                "A.ValuesAndTimes",
                "the declared count of 1 entry does not fit into the remaining 0 bytes \
                        in FloatCurve at offset 0x4",
            ),
        ];
        assert_eq!(found, wanted);
        assert_eq!(asset.text("A.Name"), "\"A\"");
    }
}

/// Roblox opens no place in which the styles of a rule are empty instead of four zero bytes, the count (rbx-dom issue
/// 639). This is also the default of the class table, so that no other value is filled in.
#[test]
fn styles_have_a_count() {
    let rule = |of: &str| item("StyleRule", "R", of, "");
    let file = |items: &str| open(document(items), "a.rbxmx");
    let blob = |text: &str| field("BinaryString", "PropertiesSerialize", text);
    for (text, findings) in [("", 1), ("AAAAAA==", 0)] {
        let found = file(&rule(&blob(text))).check(&[], None).expect("checked");
        assert_eq!(found.iter().filter(|found| found.rule == "roblox.values").count(), findings, "{text}");
    }
    // Studio wrote Lighting without attributes, of which new ones have five.
    let lighting = item("Lighting", "L", &field("BinaryString", "AttributesSerialize", ""), "");
    let found = file(&lighting).check(&[], None).expect("checked");
    assert!(!found.iter().any(|found| found.rule == "roblox.values"), "{found:?}");
    let mut two = file(&(rule(&blob("AAAAAA==")) + &rule("")));
    let options = rezkit::ConvertOptions::new().fill(rezkit::Fill::Defaults);
    let made = two.convert(Some("rbxm"), "a", &options).expect("converted");
    let document = rbxbinary::from_slice(&made.files[0].bytes).expect("readable");
    for id in document.roots() {
        let stored = document.get(id, "PropertiesSerialize").and_then(|value| value.as_bytes());
        assert_eq!(stored, Some(&[0; 4][..]));
    }
}

/// The defaults of the class table are values that Roblox could have written.
#[test]
fn defaults_can_be_decoded() {
    let mut items = String::new();
    for class in rbxcore::classes::classes() {
        let properties = class.properties().filter_map(|property| {
            let (name, default) = (property.name(), property.default()?);
            let bytes = default.as_bytes().filter(|_| property.kind() == rbxcore::Kind::BinaryString)?;
            Some(binary(name, bytes))
        });
        let (properties, name) = (properties.collect::<String>(), class.name());
        items += &item(name, name, &properties, "");
    }
    let mut asset = open(document(&items), "a.rbxmx");
    let found =
        asset.check(&[], None).expect("checked").into_iter().filter(|found| found.rule == "roblox.values");
    assert_eq!(found.map(|found| format!("{}: {}", found.path, found.found)).collect::<Vec<_>>(), [""; 0]);
}

/// Values that cannot be read are shown as bytes, and two values with the same summary differ if their bytes do.
#[test]
fn blobs_are_told_apart() {
    let bytes = testkit::fixture("rbxblobs", "collision-7.bin");
    let kind = shown("PhysicsData", &bytes[..bytes.len() - 1]).kind;
    let what = "String, not decoded: the declared count of 4 entries does not fit into the remaining 47 bytes in \
                collision data at offset ";
    assert!(kind.starts_with(what), "{kind}");
    assert_eq!(shown("MeshData", b"CSGK0123456789abcdef0123456789abcdef").summary(80).len(), 38);
    let mut other = bytes.clone();
    let byte = bytes.len() - 5;
    // The last index of the last hull: another corner, but the same number of triangles.
    other[byte - 3] ^= 1;
    let (a, b) = (shown("PhysicsData", &bytes), shown("PhysicsData", &other));
    assert_eq!(a.summary(80), b.summary(80));
    assert_ne!(a, b);
}

/// Known values: of rbx-dom's two unions, one has 6 hulls and the volume 12.25, the other 5 and 12.
#[test]
fn unions_of_a_real_file_are_summed_up() {
    for sample in testkit::corpus("rbxbinary") {
        if !sample.name.contains("models__unions__binary") {
            continue;
        }
        let opened = crate::open(sample.bytes, &sample.name);
        let mut found = Vec::new();
        lines(&*opened.tree(), &mut found);
        assert!(found.iter().any(|line| line.ends_with(": 6 hulls, volume 12.25")), "{found:?}");
        assert!(found.iter().any(|line| line.ends_with(": 5 hulls, volume 12")), "{found:?}");
    }
}

fn lines(node: &dyn Node, found: &mut Vec<String>) {
    let hulls = node.properties().into_iter().filter(|(name, _)| name == "PhysicalConfigData");
    found.extend(hulls.map(|(_, value)| value.summary(80)));
    node.children().for_each(|child| lines(&*child, found));
}

/// The layout of small properties depends on the class as well. The bytes are known from documents of 2026.
#[test]
fn small_properties_are_shown() {
    let of = |class: &str, property: &str, bytes: &[u8]| {
        crate::open(document(&item(class, "A", &binary(property, bytes), "")), "a")
            .text(&format!("A.{property}"))
    };
    let key = b"\x02\0\0\0\x01\0\0\0\x02\x03\0\0\x80\x3f\0\0\0\x40\0\0\0\0\x01\0\0\0\x01\0\0\0\x58\x02\0\0";
    assert_eq!(of("FloatCurve", "ValuesAndTimes", key), "1 key");
    let opened = |class: &str| of(class, "ValuesAndTimes", b"\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0");
    assert_eq!([opened("MarkerCurve"), opened("RotationCurve"), opened("FloatCurve")], ["0 keys"; 3]);
    let tween = b"\x02\0\x01\0\0\0\x04\0\0\0Size\x24\xcd\xcc\x4c\x3e\0\0\0\0\0\0\0\0\x08\0\0\0\x01\0\0\0\0";
    assert_eq!(
        of("StyleRule", "PropertyTransitionsSerialize", tween),
        "{Size: {time: 0.2, delay: 0, repeats: 0, style: 8, direction: 1, reverses: false}}"
    );
    assert_eq!(of("StyleRule", "PropertiesSerialize", &[0; 4]), "{}");
    assert_eq!(of("Path2D", "PropertiesSerialize", &[0; 4]), "{}");
    let services = b"\x01\0\0\0\x02\x04\0\0\0Chat";
    assert_eq!(of("ServiceVisibilityService", "HiddenServices", services), "{1: \"Chat\"}");
    let falloff = b"\0\0\0\0\0\0\0\x80\x3f\0\0\x48\x42\0\0\0\0";
    assert_eq!(of("AudioEmitter", "DistanceAttenuation", falloff), "{1: 0, 1, 2: 50, 0}");
    let bones = b"\x01\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0ABC";
    assert_eq!(of("AnimationRigData", "name", bones), "{1: \"A\", 2: \"BC\"}");
    let guid = *b"\xe8\xa2\xe6\x33\x77\xc2\x4e\x19\xa3\x31\x65\x67\x24\xa1\x32\x00";
    assert_eq!(of("KeyframeSequence", "GuidBinaryString", &guid), "{E8A2E633-77C2-4E19-A331-656724A13200}");
    // A property of another class and damaged bytes are shown as bytes.
    assert_ne!(of("Part", "name", bones), "{1: \"A\", 2: \"BC\"}");
    assert_ne!(of("AnimationRigData", "name", &bones[..10]), "{1: \"A\", 2: \"BC\"}");
}

/// The reasons why the values of a property are shown as bytes.
const BYTES: [(&str, &str); 2] = [
    ("ChildData", "an embedded document with the operands of a union"),
    ("ChildData2", "an embedded document with the operands of a union"),
];

/// For each property, the number of values by how they are shown; texts and numbers are not counted.
type Shown = BTreeMap<String, BTreeMap<String, usize>>;

fn count(node: &dyn Node, shown: &mut Shown) {
    for (name, value) in node.properties() {
        let how = match &value.data {
            Data::Line(..) | Data::List(_) => continue,
            Data::Bytes(_) if !value.summary(40).contains(" bytes: ") => continue,
            Data::Bytes(_) => "bytes".to_owned(),
            Data::Fields(_) | Data::Decoded(..) => value.kind.to_string(),
        };
        *shown.entry(name).or_default().entry(how).or_default() += 1;
    }
    node.children().for_each(|child| count(&*child, shown));
}

/// In real files, values are only shown as bytes if `BYTES` has a reason.
#[test]
fn real_values_are_decoded() {
    const MARK: &str = "<!-- made by crates/rezkit-cli/tests/all/blobs.rs -->\n";
    let mut shown = Shown::new();
    let samples: Vec<_> = ["rbxbinary", "rbxxml"].into_iter().flat_map(testkit::corpus).collect();
    for sample in &samples {
        let opened = crate::open(&sample.bytes, &sample.name);
        count(&*opened.tree(), &mut shown);
    }
    let mut table = String::from("| property | values | shown as |\n|---|--:|---|\n");
    for (property, how) in &shown {
        for (how, values) in how {
            let reason = BYTES.iter().find(|(name, _)| name == property).filter(|_| how == "bytes");
            assert!(how != "bytes" || reason.is_some(), "{property}: {values} values are shown as bytes");
            let reason = reason.map_or_else(String::new, |(_, why)| format!(": {why}"));
            let _infallible = writeln!(table, "| {property} | {values} | {how}{reason} |");
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/roblox-values.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let (before, found) = text.split_once(MARK).expect("the mark");
    if std::env::var_os("REZKIT_TABLES").is_some() && !samples.is_empty() {
        std::fs::write(path, format!("{before}{MARK}{table}")).expect("written");
        return;
    }
    assert!(
        table.lines().all(|row| found.contains(&row.split('|').take(2).collect::<Vec<_>>().join("|"))),
        "run `REZKIT_TABLES=1 cargo test -p rezkit-cli --test all blobs`"
    );
}
