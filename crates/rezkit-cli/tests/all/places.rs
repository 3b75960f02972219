//! Places and models as scenes: what is drawn, what is selected, and what is listed.
use crate::Ask as _;
use rezkit::scene::{LightKind, Scene, Terrain};
use rezkit::tree::Node;
use rezkit::{ErrorKind, Opened, SceneOptions, open};

use super::xml::{at, binary, blob, cframe, document, field, item, sized, with_id};

fn part(class: &str, name: &str, size: [f32; 3], more: &str, children: &str) -> String {
    item(class, name, &(sized([0.0; 3], size) + more), children)
}

fn cube(name: &str) -> String {
    part("Part", name, [2.0; 3], "", "")
}

fn opened(items: &str) -> Opened<'static> {
    crate::open(document(items), "place.rbxlx")
}

fn scene(items: &str, options: &SceneOptions) -> (Scene, Vec<String>) {
    let (scene, losses) = opened(items).scene(options).expect("a scene");
    (scene, crate::texts(&losses))
}

/// The names of the nodes with meshes, and their triangles.
fn drawn(scene: &Scene) -> Vec<(&str, usize)> {
    let drawn = scene.nodes.iter().filter_map(|node| {
        let triangles = scene.meshes[node.mesh?].primitives.iter().map(|one| one.mesh.triangles.len()).sum();
        Some((node.name.as_str(), triangles))
    });
    drawn.collect()
}

#[test]
fn terrain_is_as_fine_as_is_asked_for() {
    let items = part("Terrain", "Terrain", [2044.0; 3], &blob("SmoothGrid", "terrain.bin"), "") + &cube("A");
    let shown = |terrain: Terrain| {
        let options = SceneOptions::new().terrain(terrain);
        let (scene, losses) = scene(&items, &options);
        let [all @ .., ("A", 12)] = &drawn(&scene)[..] else { panic!("the part") };
        (all.first().map_or(0, |(_, count)| *count), losses)
    };
    let counts = [1, 2, 4, 8].map(|step| shown(Terrain::Step(step)).0);
    assert!(counts.is_sorted_by(|a, b| a > b) && counts[3] > 0, "{counts:?}");
    assert_eq!(shown(Terrain::Finest).0, counts[0]);
    let text = " (one sample per 4 x 4 x 4 voxels; to change this, set the option terrain, --terrain); area that \
                remains of each material, in square studs: Water ";
    assert!(shown(Terrain::Step(4)).1[0].contains(text));
    let excluded = "Terrain: terrain, which the option terrain (--terrain) excludes";
    assert_eq!(shown(Terrain::Without), (0, vec![excluded.into()]));
    // If there is nothing else, the error names the reason.
    let grid = testkit::fixture("rbxblobs", "terrain.bin");
    let cut = binary("SmoothGrid", &grid[..grid.len() - 1]);
    let error = opened(&part("Terrain", "Terrain", [2044.0; 3], &cut, "")).scene(&SceneOptions::default());
    let error = error.expect_err("nothing").to_string();
    let nothing = "the document has nothing visible: it contains terrain that cannot be converted: ";
    assert!(error.starts_with(nothing), "{error}");
    let options = SceneOptions::new().terrain(Terrain::Step(3));
    assert_eq!(opened(&items).scene(&options).expect_err("no such step").kind(), ErrorKind::Argument);
}

/// An unknown class of parts is drawn as a box and listed; a truss has its own shape; decals on an invisible part are
/// drawn.
#[test]
fn parts_of_other_classes() {
    let decal = item("Decal", "Sign", "<Content name=\"Texture\"><url>rbxassetid://1</url></Content>", "");
    let clear = part("Part", "Clear", [1.0; 3], "<float name=\"Transparency\">1</float>", &decal);
    let items = part("TrussPart", "Truss", [2.0, 8.0, 2.0], "", "")
        + &part("NewPart", "New", [1.0; 3], "", "")
        + &clear;
    let image = |_: &rezkit::Reference, _: u64| Ok(Some(b"\x89PNG\r\n\x1a\n".to_vec()));
    let mut opened = open(document(&items), "a.rbxmx", image).expect("readable");
    let (scene, losses) = opened.scene(&SceneOptions::default()).expect("a scene");
    let drawn = drawn(&scene);
    // The posts, rings and diagonals of four cells, with 12 triangles each.
    assert_eq!(drawn, [("Truss", (4 + 5 * 4 + 4 * 4) * 12), ("New", 12), ("Sign", 2)]);
    let losses = crate::texts(&losses);
    let wanted = [
        "Clear: a fully transparent part",
        "New: the shape of NewPart is unknown: a box is used instead",
        "Truss: the thickness of truss bars is approximate: Roblox does not publish it",
    ];
    assert_eq!(losses, wanted);
}

/// glTF permits angles up to 90 degrees, and the nearest 32-bit number is above that.
#[test]
fn the_widest_light_is_within_a_quarter_turn() {
    let light = item("SpotLight", "Light", "<float name=\"Angle\">180</float>", "");
    let (scene, _) = scene(&part("Part", "Lamp", [1.0; 3], "", &light), &SceneOptions::default());
    let kinds: Vec<_> = scene.nodes.iter().filter_map(|node| Some(node.light?.kind)).collect();
    let [LightKind::Spot { outer, .. }] = kinds[..] else { panic!("{kinds:?}") };
    assert!(f64::from(outer) <= std::f64::consts::FRAC_PI_2 && outer > 1.57, "{outer}");
}

/// The frame of an attachment is relative to its part.
#[test]
fn a_light_in_an_attachment_is_at_the_attachment() {
    let attachment = item("Attachment", "A", &at([0.0, 2.0, 0.0]), &item("PointLight", "Light", "", ""));
    let lamp = item("Part", "Lamp", &sized([8.0, 0.0, 0.0], [1.0; 3]), &attachment);
    let (scene, _) = scene(&lamp, &SceneOptions::default());
    let lights = scene.nodes.iter().filter(|node| node.light.is_some());
    let places: Vec<[f32; 3]> = lights.map(|node| node.transform.translation).collect();
    assert_eq!(places, [[8.0, 2.0, 0.0]]);
}

/// The frame of a bone in a bone is relative to the outer one.
#[test]
fn a_light_in_nested_bones_is_at_the_inner_one() {
    let nested = |depth: usize| {
        let light = item("PointLight", "Light", "", "");
        let bones = (0..depth).fold(light, |inner, _| item("Bone", "B", &at([0.5, 0.0, 0.0]), &inner));
        item("Part", "Lamp", &sized([8.0, 0.0, 0.0], [1.0; 3]), &bones)
    };
    let (lit, _) = scene(&nested(4), &SceneOptions::default());
    let lights = lit.nodes.iter().filter(|node| node.light.is_some());
    assert_eq!(lights.map(|node| node.transform.translation[0]).collect::<Vec<_>>(), [10.0]);
    let (_, losses) = scene(&nested(101), &SceneOptions::default());
    crate::has(&losses, ": a light in more than 100 nested attachments or bones");
}

/// Terrain and the geometry in properties of parts are written as scenes, each once.
#[test]
fn geometry_is_extracted() {
    let hulls = blob("PhysicalConfigData", "collision-7.bin");
    let items = part("Terrain", "Terrain", [4.0; 3], &blob("SmoothGrid", "terrain.bin"), "")
        + &part("UnionOperation", "U", [2.0; 3], &(hulls + &blob("MeshData", "mesh-5.bin")), "")
        + &part("Part", "Box", [2.0; 3], &blob("PhysicalConfigData", "collision-0.bin"), "")
        + &part("MeshPart", "Bad", [2.0; 3], &binary("PhysicsData", "CSGPHS"), "");
    let found = opened(&items).geometry("glb").expect("files");
    let paths: Vec<_> = found.files.iter().map(rezkit::File::path).collect();
    let names = ["Terrain.SmoothGrid", "U.PhysicalConfigData", "U.MeshData"];
    assert_eq!(paths, names.map(|name| format!("geometry/{name}.glb")));
    let counts = found.files.iter().skip(1).map(|file| {
        let (scene, _) = crate::scene(&file.bytes, "a.glb");
        drawn(&scene).into_iter().map(|(_, count)| count).collect::<Vec<_>>()
    });
    assert_eq!(counts.collect::<Vec<_>>(), [[4, 4], [4, 1]]);
    let losses = crate::texts(&found.losses);
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(losses[1].starts_with("Bad.PhysicsData: "), "{losses:?}");
    assert!(opened(&items).geometry("obj").expect("files").files.len() > 3);
    // `gltf` is the name of a kind, and the format of another one, which comes first.
    for (form, extension) in [("gltf", ".gltf"), ("mesh", ".mesh"), ("rbxmesh", ".mesh")] {
        let found = opened(&items).geometry(form).expect("files");
        assert!(found.files[0].path().ends_with(extension), "{form}: {}", found.files[0].path());
    }
    assert_eq!(opened(&items).geometry("png").expect_err("no such form").kind(), ErrorKind::Argument);
}

/// The names and the sizes of all unions of a document.
fn sizes(node: &dyn Node, found: &mut Vec<(String, [f32; 3])>) {
    if node.kind().ends_with("Operation") {
        let size = node.properties().into_iter().find(|(name, _)| name == "size");
        let size = size.map(|(_, value)| value.summary(80)).unwrap_or_default();
        let axes: Vec<f32> = size.split(", ").filter_map(|axis| axis.parse().ok()).collect();
        found.extend(<[f32; 3]>::try_from(axes).map(|size| (node.name().into_owned(), size)));
    }
    node.children().for_each(|child| sizes(&*child, found));
}

/// In every real file, the bounding box of a union's node has the size of a union with that name, within 1 %.
#[test]
fn unions_of_real_files_are_as_large_as_their_parts() {
    let samples = testkit::corpus("rbxbinary").into_iter().chain(testkit::corpus("rbxxml"));
    let mut unions = 0;
    for sample in samples {
        let Ok(mut opened) = open(sample.bytes, &sample.name, ()) else { continue };
        let mut parts = Vec::new();
        sizes(&*opened.tree(), &mut parts);
        let Ok((scene, _)) = opened.scene(&SceneOptions::default()) else { continue };
        for node in &scene.nodes {
            let Some(mesh) = node.mesh.map(|mesh| &scene.meshes[mesh]) else { continue };
            if mesh.name != "Union" && !mesh.name.ends_with(" hulls") {
                continue;
            }
            let size = mesh.primitives[0].mesh.bounds().expect("triangles").size().to_array();
            let size: [f32; 3] = std::array::from_fn(|axis| size[axis] * node.transform.scale[axis]);
            // Hulls of mesh parts can be smaller than the parts; these are not in the list.
            let mut named = parts.iter().filter(|(name, _)| *name == node.name).peekable();
            let same = |part: &[f32; 3]| (0..3).all(|axis| (size[axis] / part[axis] - 1.0).abs() < 0.01);
            unions += usize::from(named.peek().is_some());
            let is_there = named.peek().is_none() || named.any(|(_, part)| same(part));
            assert!(is_there, "{}: {} is {size:?}", sample.name, node.name);
        }
    }
    assert!(testkit::corpus("rbxbinary").is_empty() || unions >= 6, "{unions}");
}

/// The longest edge of all parts of a document, except terrain, which has a size but is not a part.
fn longest(node: &dyn Node) -> f32 {
    let size = node.properties().into_iter().find(|(name, _)| name == "size" || name == "Size");
    let size =
        size.filter(|_| node.kind() != "Terrain").map_or_else(String::new, |(_, value)| value.summary(80));
    let own = size.split(", ").filter_map(|axis| axis.parse().ok()).fold(0.0, f32::max);
    node.children().fold(own, |most, child| most.max(longest(&*child)))
}

/// In every real place, no node except the surface of terrain is larger than the largest part.
#[test]
fn no_node_of_a_real_place_is_larger_than_its_parts() {
    let samples = testkit::corpus("rbxbinary").into_iter().chain(testkit::corpus("rbxxml"));
    let mut nodes = 0;
    for sample in samples.filter(|sample| sample.name.contains(".rbxl")) {
        let Ok(mut opened) = open(sample.bytes, &sample.name, ()) else { continue };
        let longest = longest(&*opened.tree());
        let Ok((scene, _)) = opened.scene(&SceneOptions::default()) else { continue };
        for node in &scene.nodes {
            let Some(mesh) = node.mesh.map(|mesh| &scene.meshes[mesh]) else { continue };
            let sizes = mesh.primitives.iter().filter_map(|one| Some(one.mesh.bounds()?.size().to_array()));
            let scale = node.transform.scale;
            let size =
                sizes.flat_map(|size| (0..3).map(move |axis| size[axis] * scale[axis])).fold(0.0, f32::max);
            nodes += 1;
            let is_fine = mesh.name == "Terrain" || size <= longest * 1.01;
            assert!(is_fine, "{}: {} is {size} long, the longest part {longest}", sample.name, node.name);
        }
    }
    assert!(testkit::corpus("rbxbinary").is_empty() || nodes > 1000, "{nodes}");
}

/// Pictures are made from 30 degrees beside the front. A place is seen from its camera's side, here +x; models face -z.
#[test]
fn the_front_of_a_place() {
    let frame = cframe("CFrame", [9.0, 5.0, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    let items = cube("Door") + &item("Camera", "Camera", &frame, "");
    let (place, _) = scene(&item("Workspace", "Workspace", "", &items), &SceneOptions::default());
    assert!((place.front - 60.0).abs() < 1e-3, "{}", place.front);
    let (model, _) = scene(&item("Model", "Model", "", &items), &SceneOptions::default());
    assert_eq!(model.front, 180.0);
}

/// The names of a scene's nodes, and their paths in the tree.
fn paths(opened: &mut Opened<'_>) -> Vec<(String, String)> {
    let (scene, _) = opened.scene(&SceneOptions::default()).expect("a scene");
    let paths = opened.node_paths(&scene).expect("short");
    let named = scene.nodes.iter().zip(paths).map(|(node, path)| (node.name.clone(), path.expect("a path")));
    named.inspect(|(_, path)| drop(opened.nodes(path, 0).expect("it is in the tree"))).collect()
}

#[test]
fn the_nodes_of_a_scene_are_found_in_the_tree() {
    let lamp = part("Part", "Door", [2.0; 3], "", &item("PointLight", "Lamp", "", ""));
    let operands = binary("ChildData", opened(&(cube("A") + &cube("B"))).made("a.rbxm"));
    let union = part("UnionOperation", "Union", [2.0; 3], &operands, "");
    let mut place = opened(&item("Folder", "Box", "", &(cube("Door") + &lamp + &union)));
    let found = paths(&mut place);
    let wanted = [
        ("Box", "Box"),
        ("Door", "Box/Door"),
        ("Door", "Box/Door[1]"),
        ("Lamp", "Box/Door[1]/Lamp"),
        ("Union", "Box/Union"),
    ];
    for (name, path) in wanted {
        assert!(found.iter().any(|(n, p)| n == name && p == path), "{path}: {found:?}");
    }
    // An instance without a stored name has the name of its class, in the tree, in paths and in edits of both forms.
    let unnamed = item("Folder", "F", "", &cube("Door")).replace("<string name=\"Name\">F</string>", "");
    for file in ["a.rbxmx", "a.rbxm"] {
        let mut model = crate::open(opened(&unnamed).made(file), file);
        assert!(paths(&mut model).contains(&("Door".into(), "Folder/Door".into())));
        model.set("Folder/Door.Name", "Gate", None).expect("found");
        assert_eq!(model.nodes("Folder/Gate", 0).expect("found").name, "Gate", "{file}");
    }
    // Nodes within a union are not instances of the document.
    let within = found.iter().filter(|(name, _)| !wanted.iter().any(|(known, _)| known == name));
    assert!(within.clone().count() > 0 && within.clone().all(|(_, path)| path == "Box/Union"), "{found:?}");

    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let mut glb = crate::open(place.made_with("a.glb", &options).0, "a.glb");
    for (index, (name, path)) in paths(&mut glb).into_iter().enumerate() {
        assert_eq!(path, format!("scene/nodes/{index}"));
        assert_eq!(glb.text(&format!("{path}/name")), format!("{name:?}"));
    }
}

/// The rig of an animation: a model above it with the parts that it poses, a model that an ObjectValue above it refers
/// to, or an avatar with parts of these names that touches the ground.
#[test]
fn an_animation_finds_its_rig() {
    let Some(saved) = testkit::shared("cases/roblox-2026/animsaves.rbxlx") else { return };
    let scene = |file: &str| {
        let bytes = testkit::shared(&format!("cases/roblox-2026/{file}")).expect("there");
        crate::scene(&bytes, file)
    };
    let (of_value, losses) = crate::scene(&saved, "a.rbxlx");
    assert_eq!((of_value.animations.len(), losses.len()), (1, 0), "{losses:?}");
    // The root does not depend on the order of the instances.
    for file in ["root-good.rbxmx", "root-bad.rbxmx"] {
        assert_eq!(scene(file).0.animations.len(), 1, "{file}");
    }
    // A curve for one part of R6, in both versions of the format, and a curve of rotations.
    for file in ["curve1.rbxmx", "curve2.rbxmx", "curveq.rbxmx"] {
        let (scene, losses) = scene(file);
        let sampled = "Anim: Euler angles are sampled 60 times per second, in addition to the original keys";
        let avatar = "Anim: the animation is applied to the rig \"R6\", because the file contains no rig for it (to \
                      use another rig, set the option rig)";
        // A RotationCurve takes the shorter arc between its keys, as glTF does.
        let expected = if file == "curveq.rbxmx" { vec![avatar] } else { vec![sampled, avatar] };
        assert_eq!(losses, expected, "{file}");
        assert_eq!(scene.animations.len(), 1, "{file}");
        let bounds = scene.bounds().expect("six parts");
        let [low, high] = [bounds.min, bounds.max].map(|corner| corner.to_array());
        assert!((low[1]).abs() < 1e-5 && (high[1] - 5.0).abs() < 1e-5, "{file}: {low:?} {high:?}");
        // The head rotates by one radian until its key after one second.
        let turned = scene.animations[0].channels.iter().find_map(|channel| match &channel.values {
            rezkit::scene::Values::Rotation(turns) => turns.last().copied(),
            _ => None,
        });
        let [.., w] = turned.expect("a turn");
        assert!(w.abs() < 0.999, "{file}: {turned:?}");
    }
}

/// A visible rope or rod is a cylinder between its attachments, with its thickness and colour.
#[test]
fn ropes_and_rods_are_cylinders() {
    let part = |name: &str, x: f32, y: f32| {
        let attachment = with_id(name, item("Attachment", "A", "", ""));
        item("Part", name, &sized([x, y, 0.0], [1.0; 3]), &attachment)
    };
    let parts = part("p", 1.0, 2.0) + &part("q", 4.0, 6.0);
    for (class, length, losses) in
        [("RopeConstraint", 5.0, 0), ("RopeConstraint", 9.0, 1), ("RodConstraint", 9.0, 0)]
    {
        let made = |visible: bool| {
            let cord = field("Ref", "Attachment0", "p")
                + &field("Ref", "Attachment1", "q")
                + &field("int", "Color", 21)
                + &field("float", "Length", length)
                + &field("float", "Thickness", 0.5)
                + &field("bool", "Visible", visible);
            scene(&(parts.clone() + &item(class, class, &cord, "")), &SceneOptions::default())
        };
        let (scene, lost) = made(true);
        assert_eq!(lost.len(), losses, "{lost:?}");
        let node = scene.nodes.iter().find(|node| node.name == class).expect("drawn");
        // From (1, 2) to (4, 6): the length is 5, the middle (2.5, 4), the direction (0.6, 0.8).
        assert_eq!(node.transform.translation, [2.5, 4.0, 0.0]);
        let [width, long, _] = node.transform.scale;
        assert!((long - 5.0).abs() < 1e-5 && width == 0.5, "{:?}", node.transform);
        let [x, y, z, w] = node.transform.rotation;
        let up = [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)];
        assert!((up[0] - 0.6).abs() < 1e-5 && (up[1] - 0.8).abs() < 1e-5 && up[2].abs() < 1e-5, "{up:?}");
        let mesh = &scene.meshes[node.mesh.expect("a mesh")];
        // Bright red is (196, 40, 28).
        let material = &scene.materials[mesh.primitives[0].material.expect("a material")];
        assert!(material.name.ends_with("C4281C"), "{}", material.name);
        assert!(made(false).0.nodes.iter().all(|node| node.name != class));
    }
}

/// A quarter turn about y swaps the extents along x and z.
#[test]
fn a_frame_with_a_quaternion_has_bounds() {
    let half = 0.5_f32.sqrt();
    let frame = rbxcore::CFrameQuat { position: [1.0; 3].into(), rotation: [0.0, half, 0.0, half].into() };
    let part = crate::instance("Part", "P").property("CFrame", frame);
    let part = part.property("size", rbxcore::Value::Vector3([4.0, 2.0, 8.0].into()));
    let facts = crate::open(crate::binary_of([part]), "a.rbxm").info().facts;
    let bounds = &facts.iter().find(|fact| fact.name == "bounds").expect("bounds").value;
    let rezkit::FactValue::Bounds(bounds) = bounds else { panic!("{bounds:?}") };
    assert_eq!(bounds.map(|corner| corner.map(f32::round)), [[-3.0, 0.0, -1.0], [5.0, 2.0, 3.0]]);
}

/// Where a colour map is transparent, Overlay shows the colour of the part, and TintMask is not tinted.
#[test]
fn the_alpha_of_a_colour_map_is_applied() {
    let map =
        rezkit::scene::images::Picture::from_fn(2, 1, |x, _| [200, 100, 0, if x == 0 { 255 } else { 0 }]);
    let map = rezkit::scene::images::png(&map).expect("PNG");
    let of = |mode: u32| {
        let color = "<Color3 name=\"Color\"><R>1</R><G>0</G><B>1</B></Color3>";
        let uri = "<Content name=\"ColorMap\"><url>rbxassetid://1</url></Content>";
        let surface = format!("<token name=\"AlphaMode\">{mode}</token>{uri}{color}");
        let surface = item("SurfaceAppearance", "S", &surface, "");
        let own = "<Color3uint8 name=\"Color3uint8\">4278190335</Color3uint8>";
        let bytes = document(&part("MeshPart", "P", [2.0; 3], own, &surface));
        let sources = |_: &rezkit::Reference, _: u64| Ok(Some(map.clone()));
        let (scene, _) = rezkit::open(bytes, "a.rbxmx", sources)
            .expect("readable")
            .scene(&SceneOptions::new())
            .expect("a scene");
        let shown = scene.materials[0].base_texture.as_ref().expect("a map").image;
        let rezkit::scene::ImageData::Bytes(bytes) = &scene.images[shown].data else { panic!() };
        rezkit::scene::images::decode(bytes, 1 << 20).expect("PNG").pixels().to_vec()
    };
    // The part is blue; the tint takes the green.
    assert_eq!(of(0), [[200, 0, 0, 255], [0, 0, 255, 255]]);
    assert_eq!(of(1), [[200, 100, 0, 255], [200, 100, 0, 0]]);
    assert_eq!(of(2), [[200, 0, 0, 255], [200, 100, 0, 255]]);
}

/// Of decals on one face, that with the higher ZIndex is in front, whichever comes first.
#[test]
fn decals_are_stacked_by_their_order() {
    let decal = |name: &str, order: i32| {
        let uri = format!("<Content name=\"Texture\"><url>rbxassetid://{order}</url></Content>");
        let properties = format!("{uri}<token name=\"Face\">5</token><int name=\"ZIndex\">{order}</int>");
        item("Decal", name, &properties, "")
    };
    let bytes = document(&part("Part", "P", [2.0; 3], "", &(decal("Above", 5) + &decal("Below", 1))));
    let image =
        rezkit::scene::images::png(&rezkit::scene::images::Picture::new(1, 1, [255; 4])).expect("PNG");
    let sources = |_: &rezkit::Reference, _: u64| Ok(Some(image.clone()));
    let mut opened = rezkit::open(bytes, "a.rbxmx", sources).expect("readable");
    let (scene, _) = opened.scene(&SceneOptions::new()).expect("a scene");
    let depth = |name: &str| {
        let node = scene.nodes.iter().position(|node| node.name == name).expect("a decal");
        scene.placed().iter().find(|placed| placed.node == node).expect("drawn").world[3][2]
    };
    // The front is -z.
    assert!((depth("Below") + 0.001).abs() < 1e-6 && (depth("Above") + 0.002).abs() < 1e-6);
}

/// A ViewportFrame shows its content within a frame of the user interface.
#[test]
fn the_content_of_a_viewport_frame_is_not_in_the_world() {
    let camera = item("Camera", "C", &at([0.0; 3]), "");
    let frame = item("ViewportFrame", "Frame", "", &(cube("Preview") + &camera));
    let screen = part("Part", "Screen", [2.0; 3], "", &item("SurfaceGui", "Gui", "", &frame));
    let items = item("Workspace", "Workspace", "", &screen);
    let (world, losses) = scene(&items, &SceneOptions::new());
    assert_eq!(drawn(&world), [("Screen", 12)]);
    assert!(world.nodes.iter().all(|node| node.camera.is_none()));
    assert!(losses.iter().any(|loss| loss.contains("a part in a ViewportFrame")), "{losses:?}");
    let (inner, _) = scene(&items, &SceneOptions::new().path("Workspace/Screen/Gui/Frame"));
    assert_eq!(drawn(&inner), [("Preview", 12)]);
    // Nor is an animated rig in it.
    let frame = item("ViewportFrame", "Frame", "", &crate::rigs::crane(""));
    let items = item("Workspace", "Workspace", "", &(cube("A") + &frame));
    let (world, losses) = scene(&items, &SceneOptions::new());
    assert_eq!((drawn(&world), world.animations.len()), (vec![("A", 12)], 0));
    let [parts, rig] = &losses[..] else { panic!("two losses, not {losses:?}") };
    assert!(
        rig.contains("an animated rig in a ViewportFrame") && parts.contains("a part in a"),
        "{losses:?}"
    );
    let (inner, losses) = scene(&items, &SceneOptions::new().path("Workspace/Frame"));
    assert_eq!((inner.animations.len(), losses), (1, Vec::new()));
}

/// Operands of a union have their own colours, but the transparency and the material of the union.
#[test]
fn operands_have_the_look_of_their_union() {
    let operand = part("Part", "A", [2.0; 3], &field("Color3uint8", "Color3uint8", 0xff_ff_00_00_u32), "");
    let look = field("float", "Transparency", 0.5) + &field("token", "Material", 1568);
    let operands = binary("ChildData", opened(&operand).made("a.rbxm"));
    let (scene, _) =
        scene(&part("UnionOperation", "U", [2.0; 3], &(operands + &look), ""), &SceneOptions::new());
    let material = &scene.materials[0];
    assert_eq!(material.name, "Glass FF0000");
    assert_eq!((material.base_color[0], material.alpha), (1.0, rezkit::scene::Alpha::Blend));
    assert!((material.base_color[3] - 0.5).abs() < 0.01);
}

/// The light of a place is kept, and its current camera is found.
#[test]
fn the_light_and_the_current_camera_of_a_place() {
    let camera = |name: &str, x: f32| with_id(name, item("Camera", name, &at([x, 0.0, 0.0]), ""));
    let current = field("Ref", "CurrentCamera", "B");
    let workspace =
        item("Workspace", "Workspace", &current, &(camera("A", 1.0) + &camera("B", 2.0) + &cube("P")));
    let light = "<Color3 name=\"Ambient\"><R>1</R><G>0.5</G><B>0</B></Color3><string name=\"TimeOfDay\">14:00:00</string>";
    let lighting = item("Lighting", "Lighting", &(field("float", "Brightness", 2) + light), "");
    let (scene, _) = scene(&(workspace + &lighting), &SceneOptions::new());
    let camera = &scene.nodes[scene.main_camera().expect("a camera")];
    assert_eq!((camera.name.as_str(), camera.transform.translation), ("B", [2.0, 0.0, 0.0]));
    let extra = |name: &str| scene.extras[&format!("Lighting.{name}")].clone();
    assert_eq!((extra("Brightness"), extra("TimeOfDay")), (2.0.into(), "14:00:00".into()));
    assert_eq!(extra("Ambient"), serde_json::json!([1.0, 0.5, 0.0]));
}

/// A decal on a mesh is a thousandth of a stud above its surface, also inside of a room; a texture shines as Neon does.
#[test]
fn decals_on_meshes_are_in_front_of_their_surface() {
    // Two triangles that face each other, one at the origin.
    let mesh = "version 1.00\n2\n[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]\
                [0,0,4][0,0,-1][0,0,0][0,1,4][0,0,-1][0,0,0][1,0,4][0,0,-1][0,0,0]";
    let image =
        rezkit::scene::images::png(&rezkit::scene::images::Picture::new(1, 1, [255; 4])).expect("PNG");
    let sources = |reference: &rezkit::Reference, _: u64| {
        let is_mesh = *reference == rezkit::Reference::Id(1);
        Ok(Some(if is_mesh { mesh.as_bytes().to_vec() } else { image.clone() }))
    };
    let url =
        |name: &str, id: u32| format!("<Content name=\"{name}\"><url>rbxassetid://{id}</url></Content>");
    let decal = |name: &str, face: u32, order: u32| {
        let more = url("Texture", 3) + &field("token", "Face", face) + &field("int", "ZIndex", order);
        item("Decal", name, &more, "")
    };
    let own = url("MeshId", 1) + &url("TextureID", 2) + &field("token", "Material", 288);
    let own = own + &super::xml::vector("InitialSize", [1.0, 1.0, 4.0]);
    let bytes = document(&part(
        "MeshPart",
        "Room",
        [2.0, 2.0, 8.0],
        &own,
        &(decal("One", 1, 1) + &decal("Two", 5, 2)),
    ));
    let mut opened = rezkit::open(bytes, "a.rbxmx", sources).expect("readable");
    let (scene, _) = opened.scene(&SceneOptions::new()).expect("a scene");
    let depths = |name: &str| {
        let posed: Vec<_> = scene.posed(&scene.pose()).collect();
        let drawn = scene.visible().into_iter().filter(|&node| scene.nodes[node].mesh.is_some());
        let at = drawn.into_iter().position(|node| scene.nodes[node].name == name).expect("drawn");
        let mesh = &posed[at][0].mesh;
        // In version 1.00, positions are halved.
        let mut depths: Vec<f32> = mesh.positions.iter().map(|point| point.to_array()[2]).collect();
        depths.sort_by(f32::total_cmp);
        [depths[0], depths[5]]
    };
    let room = depths("Room");
    crate::near("one", &depths("One"), &[room[0] + 0.001, room[1] - 0.001], 1e-5);
    crate::near("two", &depths("Two"), &[room[0] + 0.002, room[1] - 0.002], 1e-5);
    let neon = &scene.materials[scene.meshes[0].primitives[0].material.expect("a material")];
    assert_eq!((neon.emissive_texture, neon.emissive), (neon.base_texture, [1.0; 3]));
    assert!(neon.base_texture.is_some());
}
