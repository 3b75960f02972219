//! Geometry in the properties of parts: what is drawn, its position, and what is listed.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rezkit::scene::{Alpha, Scene, SceneOptions};
use rezkit::{Reference, Sources};

fn blob(name: &str, bytes: &[u8]) -> String {
    format!("<BinaryString name=\"{name}\">{}</BinaryString>", BASE64_STANDARD.encode(bytes))
}

fn fixture(name: &str, file: &str) -> String {
    blob(name, &testkit::fixture("rbxblobs", file))
}

/// A part of size 2, 2, 2 whose initial size was 1, 1, 1.
fn part(class: &str, name: &str, properties: &str) -> String {
    let vector = |name: &str, size: f32| {
        format!("<Vector3 name=\"{name}\"><X>{size}</X><Y>{size}</Y><Z>{size}</Z></Vector3>")
    };
    format!(
        "<Item class=\"{class}\"><Properties><string name=\"Name\">{name}</string>\
         <CoordinateFrame name=\"CFrame\"><X>5</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>\
         <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>{}{}{properties}\
         </Properties></Item>",
        vector("size", 2.0),
        vector("InitialSize", 1.0),
    )
}

fn document(items: &str) -> String {
    format!("<roblox version=\"4\">{items}</roblox>")
}

fn scene(items: &str, sources: &mut (dyn Sources + Send)) -> (Scene, Vec<String>) {
    let (scene, losses) =
        crate::scene_of(document(items).as_bytes(), "a.rbxmx", &SceneOptions::default(), sources)
            .expect("a scene");
    (scene, losses.iter().map(ToString::to_string).collect())
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
        part("UnionOperation", "Old", &format!("{}{hulls}", blob("MeshData", b"CSGK0123"))),
        part(
            "UnionOperation",
            "Broken",
            &format!("{}{hulls}", blob("MeshData", b"\x15\x7d\x29\x15\x75\x6c\x34\x04\x34\x69")),
        ),
        part("UnionOperation", "Box", &fixture("PhysicalConfigData", "collision-0.bin")),
    ];
    let (scene, losses) = scene(&items.concat(), &mut ());
    let two = [2.0; 3];
    assert_eq!(
        drawn(&scene),
        [
            ("Mesh", 4, two),
            ("Again", 4, two),
            ("Solid", 4, two),
            ("Hulls", 8, two),
            ("Old", 8, two),
            ("Broken", 8, two),
            ("Box", 12, two),
        ]
    );
    let mesh = |index: usize| scene.nodes[index].mesh;
    assert_eq!((mesh(0), mesh(3), mesh(4)), (mesh(1), mesh(4), mesh(5)), "a mesh for each distinct blob");
    // All vertices have the same colour, which becomes the material's.
    assert!(
        scene.materials.iter().any(|material| material.name.ends_with("C4281C")),
        "{:?}",
        scene.materials
    );
    assert_eq!(
        losses,
        [
            "Box: a union becomes a box, because it has no usable mesh, collision hulls or operands",
            "Hulls: a union becomes its collision hulls (and 2 more)",
            "Broken: the mesh of a union cannot be read: CSGMDL (XOR-decoded bytes after the version): unexpected end of input at offset 0x0",
        ]
    );
    // Every normal of the fixtures is -z; normals of triangles that face up are flipped.
    for primitive in scene.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let mesh = &primitive.mesh;
        assert!(mesh.is_consistent() && mesh.normals.len() == mesh.positions.len());
    }
}

#[test]
fn the_mesh_of_an_asset_comes_before_hulls() {
    let asset = document(&format!(
        "<Item class=\"PartOperationAsset\"><Properties>{}</Properties></Item>",
        fixture("MeshData", "mesh-2.bin")
    ));
    let items = part(
        "UnionOperation",
        "A",
        &format!(
            "<Content name=\"AssetId\"><url>rbxassetid://7</url></Content>{}",
            fixture("PhysicalConfigData", "collision-6.bin")
        ),
    );
    let mut give = |reference: &Reference, _: u64| {
        Ok((*reference == Reference::Id(7)).then(|| asset.clone().into_bytes()))
    };
    let (with, losses) = scene(&items, &mut give);
    assert_eq!((drawn(&with)[0].1, losses), (4, Vec::new()));
    let (without, losses) = scene(&items, &mut ());
    assert_eq!((drawn(&without)[0].1, losses.len()), (8, 2), "{losses:?}");
    assert!(losses.iter().any(|loss| loss.ends_with("the mesh rbxassetid://7 was not found")), "{losses:?}");
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
        assert!(losses.iter().any(|loss| loss.contains(what)), "{losses:?}");
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
        let items = part("Terrain", "Terrain", &blob("SmoothGrid", bytes)) + &part("Part", "Part", "");
        let (scene, losses) = self::scene(&items, &mut ());
        assert_eq!(drawn(&scene).len(), 1);
        assert_eq!(losses.len(), usize::from(bytes.len() > 2), "{losses:?}");
    }
}
