//! Geometry in the properties of parts: what is drawn, its position, and what is listed.
use rezkit::scene::{Alpha, Scene, SceneOptions};
use rezkit::{Reference, Sources};

use super::xml::{binary, blob as fixture, document, item, sized, vector};

/// A part of size 2, 2, 2 whose initial size was 1, 1, 1.
fn part(class: &str, name: &str, properties: &str) -> String {
    let sizes = sized([5.0, 0.0, 0.0], [2.0; 3]) + &vector("InitialSize", [1.0; 3]);
    item(class, name, &(sizes + properties), "")
}

fn scene(items: &str, sources: &mut (dyn Sources + Send)) -> (Scene, Vec<String>) {
    let made = crate::scene_of(&document(items), "a.rbxmx", &SceneOptions::default(), sources);
    let (scene, losses) = made.expect("a scene");
    (scene, crate::texts(&losses))
}

/// The name, the triangles and the scale of each node with a mesh.
fn drawn(scene: &Scene) -> Vec<(&str, usize, [f32; 3])> {
    let drawn = scene.nodes.iter().filter_map(|node| {
        let triangles = scene.meshes[node.mesh?].primitives.iter().map(|one| one.mesh.triangles.len()).sum();
        Some((node.name.as_str(), triangles, node.transform.scale))
    });
    drawn.collect()
}

/// The fixtures: the finest level of the mesh has 4 triangles, all hulls together have 8, and one hull has 4.
#[test]
fn a_union_is_drawn_from_the_first_shape_that_is_there() {
    let hulls = fixture("PhysicalConfigData", "collision-7.bin");
    let items = [
        part("UnionOperation", "Mesh", &format!("{}{hulls}", fixture("MeshData", "mesh-4.bin"))),
        part("UnionOperation", "Again", &fixture("MeshData2", "mesh-4.bin")),
        part("UnionOperation", "Solid", &fixture("SolidMeshHolder", "solid-mesh.bin")),
        part("IntersectOperation", "Hulls", &hulls),
        part("UnionOperation", "Old", &format!("{}{hulls}", binary("MeshData", b"CSGK0123"))),
        part(
            "UnionOperation",
            "Broken",
            &format!("{}{hulls}", binary("MeshData", b"\x15\x7d\x29\x15\x75\x6c\x34\x04\x34\x69")),
        ),
        part("UnionOperation", "Box", &fixture("PhysicalConfigData", "collision-0.bin")),
    ];
    let (scene, losses) = scene(&items.concat(), &mut ());
    let two = [2.0; 3];
    let wanted = [
        ("Mesh", 4, two),
        ("Again", 4, two),
        ("Solid", 4, two),
        ("Hulls", 8, two),
        ("Old", 8, two),
        ("Broken", 8, two),
        ("Box", 12, two),
    ];
    assert_eq!(drawn(&scene), wanted);
    let mesh = |index: usize| scene.nodes[index].mesh;
    assert_eq!((mesh(0), mesh(3), mesh(4)), (mesh(1), mesh(4), mesh(5)), "a mesh for each distinct blob");
    // All vertices have the same colour, which becomes the material's.
    assert!(
        scene.materials.iter().any(|material| material.name.ends_with("C4281C")),
        "{:?}",
        scene.materials
    );
    let wanted = [
        "Box: a union becomes a box, because it has no usable mesh, collision hulls or operands",
        "Hulls: a union becomes its collision hulls (and 2 more)",
        "Broken: the mesh of a union cannot be read: CSGMDL (XOR-decoded bytes after the version): unexpected end of input at offset 0x0",
    ];
    assert_eq!(losses, wanted);
    // Every normal of the fixtures is -z; normals of triangles that face up are flipped.
    for primitive in scene.primitives() {
        let mesh = &primitive.mesh;
        assert!(mesh.is_consistent() && mesh.normals.len() == mesh.positions.len());
    }
}

#[test]
fn the_mesh_of_an_asset_comes_before_hulls() {
    let asset = document(&item("PartOperationAsset", "A", &fixture("MeshData", "mesh-2.bin"), ""));
    let id = "<Content name=\"AssetId\"><url>rbxassetid://7</url></Content>";
    let hulls = fixture("PhysicalConfigData", "collision-6.bin");
    let items = part("UnionOperation", "A", &format!("{id}{hulls}"));
    let mut give =
        |reference: &Reference, _: u64| Ok((*reference == Reference::Id(7)).then(|| asset.clone()));
    let (with, losses) = scene(&items, &mut give);
    assert_eq!((drawn(&with)[0].1, losses), (4, Vec::new()));
    let (without, losses) = scene(&items, &mut ());
    assert_eq!((drawn(&without)[0].1, losses.len()), (8, 2), "{losses:?}");
    crate::has(&losses, "the mesh rbxassetid://7 was not found");
    let (broken, losses) = scene(&items, &mut |_: &Reference, _: u64| Ok(Some(b"<roblox!".to_vec())));
    assert_eq!((drawn(&broken)[0].1, losses.len()), (8, 2), "{losses:?}");
}

#[test]
fn a_mesh_without_its_file_is_its_hulls_or_a_box_to_see_through() {
    let id = "<Content name=\"MeshId\"><url>rbxassetid://8</url></Content>";
    let hulls = part("MeshPart", "A", &format!("{id}{}", fixture("PhysicalConfigData", "collision-8.bin")));
    let items = hulls + &part("MeshPart", "B", id);
    let (scene, losses) = scene(&items, &mut ());
    let drawn: Vec<_> = drawn(&scene).into_iter().map(|(name, triangles, _)| (name, triangles)).collect();
    assert_eq!(drawn, [("A", 8), ("B", 12)]);
    let look = |node: usize| {
        let mesh = scene.nodes[node].mesh.expect("a mesh");
        let material = scene.meshes[mesh].primitives[0].material.expect("a material");
        scene.materials[material].alpha
    };
    assert_eq!((look(0), look(1)), (Alpha::Opaque, Alpha::Blend));
    assert_eq!(losses.len(), 3, "{losses:?}");
    for what in
        ["becomes its collision hulls", "becomes a transparent box", "the mesh rbxassetid://8 was not found"]
    {
        crate::has(&losses, what);
    }
}

/// The fixture has rock and grass, with water next to them. The box of the part is never drawn.
#[test]
fn terrain_is_a_primitive_for_each_material() {
    let terrain = |properties: &str| scene(&part("Terrain", "Terrain", properties), &mut ());
    let (scene, losses) = terrain(&fixture("SmoothGrid", "terrain.bin"));
    let [(name, triangles, scale)] = drawn(&scene)[..] else { panic!("one node") };
    assert_eq!((name, scale), ("Terrain", [1.0; 3]));
    assert_eq!(losses, [format!("Terrain: terrain becomes a smooth surface of {triangles} triangles")]);
    let names: Vec<_> = scene.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["Terrain.Water", "Terrain.Grass", "Terrain.Rock"]);
    assert_eq!(scene.materials[0].alpha, Alpha::Blend);
    let bounds = scene.meshes[0].primitives[2].mesh.bounds().expect("a surface");
    assert!(bounds.max.y < -90.0 && bounds.min.y > -129.0, "{bounds:?}");
    // Without voxels, or with broken ones.
    for bytes in [&b"\x01\x05"[..], b"\x01\x05\0"] {
        let items = part("Terrain", "Terrain", &binary("SmoothGrid", bytes)) + &part("Part", "Part", "");
        let (scene, losses) = self::scene(&items, &mut ());
        assert_eq!(drawn(&scene).len(), 1);
        assert_eq!(losses.len(), usize::from(bytes.len() > 2), "{losses:?}");
    }
}
