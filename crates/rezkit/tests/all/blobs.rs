//! Properties whose bytes have a known layout, as `tree` and `get` show them.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rezkit::tree::{Node, Value};
use rezkit::{ReadOptions, open};

/// The value of a property of an instance that has bytes of a fixture in it.
fn shown(property: &str, bytes: &[u8]) -> Value {
    let text = format!(
        "<roblox version=\"4\"><Item class=\"Part\"><Properties><string name=\"Name\">A</string>\
         <BinaryString name=\"{property}\">{}</BinaryString></Properties></Item></roblox>",
        BASE64_STANDARD.encode(bytes)
    );
    let asset = ReadOptions::new().read(text.as_bytes()).expect("readable");
    let tree = asset.tree(&ReadOptions::new());
    let properties = tree.children().next().expect("an instance").properties();
    properties.into_iter().find(|(name, _)| name == property).expect("there").1
}

fn line(property: &str, file: &str) -> String {
    shown(property, &testkit::fixture("rbxblobs", file)).summary(80)
}

/// The counts are those of the fixtures' builder: two hulls of four triangles, levels of four and two.
#[test]
fn blobs_are_summed_up() {
    assert_eq!(line("PhysicalConfigData", "collision-0.bin"), "CSGPHS 0: the part's box");
    assert_eq!(line("PhysicsData", "collision-3.bin"), "CSGPHS 3: 2 hulls, 8 triangles");
    assert_eq!(line("PhysicsData", "collision-8.bin"), "CSGPHS 8: 2 hulls, 8 triangles");
    assert!(line("PhysicalConfigData", "collision-7.bin").starts_with("CSGPHS 7: 2 hulls, volume "));
    assert_eq!(line("MeshData", "mesh-2.bin"), "CSGMDL 2: 4 triangles");
    assert_eq!(line("MeshData2", "mesh-4.bin"), "CSGMDL 4: 4 triangles, 2 levels of detail");
    assert_eq!(line("SolidMeshHolder", "solid-mesh.bin"), "SolidMesh: 4 triangles");
    assert!(line("SmoothGrid", "terrain.bin").contains(" chunks, voxels of "));
    assert!(line("PhysicsGrid", "blocks.bin").contains(" with a surface, "));
    let colors = shown("MaterialColors", &rezkit::blobs::MaterialColors::default().to_vec());
    let fields = colors.as_fields().expect("values");
    // 6A 7F 3F is what older versions of Studio had; the default of newer ones is 6F 7E 3E.
    assert_eq!((fields[0].0.as_str(), fields[0].1.summary(80)), ("Grass", "111, 126, 62".to_owned()));
}

/// What cannot be read stays bytes, and two blobs of equal counts differ.
#[test]
fn blobs_are_told_apart() {
    let bytes = testkit::fixture("rbxblobs", "collision-7.bin");
    assert_eq!(shown("PhysicsData", &bytes[..bytes.len() - 1]).kind, "String");
    assert_eq!(shown("MeshData", b"CSGK0123456789abcdef0123456789abcdef").summary(80).len(), 38);
    let mut other = bytes.clone();
    let byte = bytes.len() - 5;
    // The last index of the last hull: another corner, as many triangles.
    other[byte - 3] ^= 1;
    let (a, b) = (shown("PhysicsData", &bytes), shown("PhysicsData", &other));
    assert_eq!(a.summary(80), b.summary(80));
    assert_ne!(a, b);
}

/// The facts: of rbx-dom's unions one has 6 hulls and the volume 12.25, the other 5 and 12.
#[test]
fn unions_of_a_real_file_are_summed_up() {
    for sample in testkit::corpus("rbxbinary") {
        if !sample.name.contains("models__unions__binary") {
            continue;
        }
        let opened = open(sample.bytes, &sample.name, ()).expect("readable");
        let mut found = Vec::new();
        lines(&*opened.tree(), &mut found);
        assert!(found.iter().any(|line| line.ends_with(": 6 hulls, volume 12.25")), "{found:?}");
        assert!(found.iter().any(|line| line.ends_with(": 5 hulls, volume 12")), "{found:?}");
    }
}

fn lines(node: &dyn Node, found: &mut Vec<String>) {
    let properties = node.properties().into_iter();
    found.extend(
        properties.filter(|(name, _)| name == "PhysicalConfigData").map(|(_, value)| value.summary(80)),
    );
    node.children().for_each(|child| lines(&*child, found));
}
