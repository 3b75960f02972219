//! Collada: a file made by hand, and real ones, whose bounds Blender 4.5 states.

use std::path::Path;

use geom::LinearRgba;
use rezkit_scene::{Alpha, ErrorKind, ImageData, LightKind, Scene, SceneOptions, Values, Wrap, dae};

use crate::{has, near, shown};

fn read(bytes: &[u8]) -> rezkit_scene::Result<(Scene, Vec<String>)> {
    let options = SceneOptions::new();
    let (scene, losses) = dae::READER.read("Collada", bytes, "a.dae", &options, &mut ())?;
    Ok((scene, shown(&losses)))
}

/// Quads whose unit is a decimetre, with z up: an instance of a node, and a skin with a morph.
fn file() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/hostile/samples/dae/all.dae");
    std::fs::read_to_string(path).expect("a sample")
}

fn node(scene: &Scene, name: &str) -> usize {
    scene.nodes.iter().position(|node| node.name == name).unwrap_or_else(|| panic!("the node {name}"))
}

#[test]
fn meshes_have_their_columns() {
    let (scene, losses) = read(file().as_bytes()).expect("a scene");
    has(&losses, "holes of polygons");
    assert_eq!((scene.name.as_str(), scene.copyright.as_str()), ("Scene", "Nobody"));
    let stone = &scene.nodes[node(&scene, "Stone")];
    let mesh = &scene.meshes[stone.mesh.expect("a mesh")];
    let [front, back] = &mesh.primitives[..] else { panic!("two primitives: {}", mesh.primitives.len()) };
    // The strip and the polygon: the strip faces backwards.
    assert_eq!((front.mesh.triangles.len(), back.mesh.triangles.len()), (2, 4));
    let normal = |mesh: &geom::TriMesh, at: usize| {
        let [a, b, c] = mesh.triangles[at].map(|index| mesh.positions[index as usize].to_array());
        (0..3)
            .map(|axis| {
                (b[(axis + 1) % 3] - a[(axis + 1) % 3]) * (c[(axis + 2) % 3] - a[(axis + 2) % 3])
                    - (b[(axis + 2) % 3] - a[(axis + 2) % 3]) * (c[(axis + 1) % 3] - a[(axis + 1) % 3])
            })
            .collect::<Vec<f32>>()
    };
    // 0.2 wide and 0.3 high, in metres.
    near("front", &normal(&front.mesh, 0), &[0.0, -0.06, 0.0], 1e-6);
    near("strip", &normal(&back.mesh, 0), &[0.0, 0.06, 0.0], 1e-6);
    near("the strip's second triangle", &normal(&back.mesh, 1), &[0.0, 0.06, 0.0], 1e-6);
    near("polygon", &normal(&back.mesh, 2), &[0.0, -0.06, 0.0], 1e-6);
    near("normal", &front.mesh.normals[0].to_array(), &[0.0, -1.0, 0.0], 1e-6);
    // v grows downwards.
    let uvs: Vec<[f32; 2]> = front.mesh.uvs.iter().map(|uv| [uv.x, uv.y]).collect();
    assert_eq!(uvs, [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.75]]);
    assert_eq!(front.uvs(1).iter().map(|uv| [uv.x, uv.y]).collect::<Vec<_>>(), [[0.5, 0.25]; 4]);
    // 0.5 of sRGB is 0.214 (IEC 61966-2-1).
    assert_eq!(front.mesh.colors[0], LinearRgba::from_unit([1.0, 0.214_041, 0.0, 1.0]));
    let material = &scene.materials[front.material.expect("a material")];
    let texture = material.base_texture.expect("a texture");
    assert_eq!(
        (material.name.as_str(), texture.set, texture.sampler.wrap),
        ("Brick", 1, [Wrap::Clamp, Wrap::Repeat])
    );
    assert_eq!((material.roughness, material.emissive), (0.5, [0.0, 0.25, 0.0]));
    assert_eq!(scene.images[0].data, ImageData::Uri("C:/pictures/brick wall.png".into()));
    let glass = &scene.materials[back.material.expect("a material")];
    assert_eq!((glass.base_color, glass.alpha), ([0.5, 0.25, 1.0, 0.75], Alpha::Blend));
    assert!(glass.double_sided && !material.double_sided);
}

#[test]
fn nodes_are_at_their_places() {
    let (scene, _) = read(file().as_bytes()).expect("a scene");
    let world = scene.at_rest();
    let point = |name: &str, [x, y, z]: [f32; 3]| {
        let world = world[node(&scene, name)];
        [0, 1, 2].map(|axis| world[0][axis] * x + world[1][axis] * y + world[2][axis] * z + world[3][axis])
    };
    // In the file (1 + x, 2 + y, 3 + z) doubled, turned about z and moved by 10: then y is up, and a unit 0.1 metres.
    near("stone", &point("Stone", [0.0; 3]), &[0.6, 0.6, -0.2], 1e-5);
    near("stone's corner", &point("Stone", [0.2, 0.0, 0.3]), &[0.6, 1.2, -0.6], 1e-5);
    // From y = -10 along +y: in the scene from z = 1 along -z.
    near("watcher", &point("Watcher", [0.0; 3]), &[0.0, 0.0, 1.0], 1e-6);
    near("before the watcher", &point("Watcher", [0.0, 0.0, -1.0]), &[0.0; 3], 1e-6);
    let camera = scene.nodes[node(&scene, "Watcher")].camera.expect("a camera");
    near(
        "camera",
        &[camera.yfov.to_degrees(), camera.znear, camera.zfar.expect("far")],
        &[60.0, 0.1, 10.0],
        1e-4,
    );
    let light = scene.nodes[node(&scene, "Above")].light.expect("a light");
    let LightKind::Spot { outer, .. } = light.kind else { panic!("a spot") };
    near("light", &[outer.to_degrees(), light.color[1]], &[45.0, 0.5], 1e-4);
}

#[test]
fn skins_are_bound_as_stated() {
    let (scene, _) = read(file().as_bytes()).expect("a scene");
    let body = &scene.nodes[node(&scene, "Body")];
    let skin = &scene.skins[body.skin.expect("a skin")];
    let names: Vec<&str> = skin.joints.iter().map(|&joint| scene.nodes[joint].name.as_str()).collect();
    assert_eq!(names, ["hip", "knee"]);
    let mesh = &scene.meshes[body.mesh.expect("a mesh")].primitives[0];
    // The bind shape matrix moves the mesh by 5.
    near("first vertex", &mesh.mesh.positions[0].to_array(), &[0.5, 0.0, 0.0], 1e-6);
    assert_eq!(mesh.mesh.joints[2], [1, 0, 0, 0]);
    assert_eq!((mesh.mesh.joints[3], mesh.mesh.weights[3]), ([1, 0, 0, 0], [0.75, 0.25, 0.0, 0.0]));
    near("inverse", &skin.inverse_bind[1][3][..3], &[-0.5, 0.0, -0.3], 1e-6);
    assert_eq!(body.weights, [0.5]);
    near("target", &mesh.targets[0].positions[0].to_array(), &[0.0, 0.0, -0.1], 1e-6);
}

/// Names with spaces, as 3ds Max writes those of its Biped, are those of nodes.
#[test]
fn names_of_joints_can_have_spaces() {
    let joints_of = |text: &str| {
        let (scene, _) = read(text.as_bytes()).expect("a scene");
        let skin = &scene.skins[scene.nodes[node(&scene, "Body")].skin.expect("a skin")];
        skin.joints.iter().map(|&joint| scene.nodes[joint].name.clone()).collect::<Vec<_>>()
    };
    let spaced = |count: usize| {
        let names = format!("count=\"{count}\">Bip01\n Bip01 L Knee<");
        let text =
            file().replace("sid=\"Hip\"", "sid=\"Bip01\"").replace("sid=\"Knee\"", "sid=\"Bip01 L Knee\"");
        assert!(text.contains("count=\"2\">Hip Knee<"));
        text.replace("count=\"2\">Hip Knee<", &names)
    };
    assert_eq!(joints_of(&spaced(2)), ["hip", "knee"]);
    // A list that has as many words as it states has no spaces in its names.
    assert_ne!(joints_of(&spaced(4)), ["hip", "knee"]);
}

/// A skeleton whose nodes are not where the skin was bound, as files for Second Life have them.
#[test]
fn joints_are_placed_as_bound() {
    let moved = file()
        .replace("1 0 0 5 0 1 0 0 0 0 1 0 0 0 0 1</matrix>", "1 0 0 0 0 0 -1 0 0 1 0 0 0 0 0 1</matrix>");
    let moved = moved.replace("0 0 1 3 0 0 0 1</matrix>", "0 0 1 9 0 0 0 1</matrix>");
    let (scene, losses) = read(moved.as_bytes()).expect("a scene");
    has(&losses, "placed as bound");
    let world = scene.at_rest();
    near("knee", &world[node(&scene, "knee")][3][..3], &[0.5, 0.3, 0.0], 1e-5);
}

#[test]
fn animations_are_sampled() {
    let (scene, losses) = read(file().as_bytes()).expect("a scene");
    let [animation] = &scene.animations[..] else { panic!("an animation: {losses:?}") };
    assert_eq!((animation.name.as_str(), animation.duration()), ("turning", 1.0));
    let at = |time: f32| scene.pose_at(0, time);
    // A whole turn within a second: after a quarter, the direction of x is that after half a turn.
    let world = scene.world_matrices(&at(0.25).transforms);
    near("turned", &world[node(&scene, "Above")][0][..3], &[-2.0, 0.0, 0.0], 1e-3);
    near("hip", &world[node(&scene, "hip")][3][..3], &[0.5, 0.175, 0.0], 1e-4);
    // Between (0, 0) and (1, 8) with the control points (0.25, 0) and (0.75, 8), the middle is 4.
    near("weight", &at(0.5).weights[node(&scene, "Body")], &[4.0], 1e-3);
    let weights = animation.channels.iter().find_map(|channel| match &channel.values {
        Values::Weights(list) => Some(list),
        _ => None,
    });
    // At s = 0.25, the time is 0.2266 and the value 1.25.
    assert!(weights.is_some_and(|list| list.len() > 20));
    near("early weight", &at(0.226_562_5).weights[node(&scene, "Body")], &[1.25], 2e-2);
}

/// 3ds Max animates numbers of a matrix by column and row: `transform(3)(0)` is the translation along x, as three.js reads it.
#[test]
fn numbers_of_a_matrix_are_animated() {
    let text = r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Y_UP</up_axis></asset>
      <library_animations><animation>
        <source id="t"><float_array id="ta" count="2">0 1</float_array><technique_common><accessor source="#ta" count="2" stride="1">
          <param name="TIME" type="float"/></accessor></technique_common></source>
        <source id="v"><float_array id="va" count="2">5 7</float_array><technique_common><accessor source="#va" count="2" stride="1">
          <param name="X" type="float"/></accessor></technique_common></source>
        <sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#v"/></sampler>
        <channel source="#s" target="bone/transform(3)(0)"/></animation></library_animations>
      <library_visual_scenes><visual_scene id="scene"><node id="bone" name="Bone" type="JOINT">
        <matrix sid="transform">1 0 0 5 0 1 0 2 0 0 1 3 0 0 0 1</matrix></node></visual_scene></library_visual_scenes>
      <scene><instance_visual_scene url="#scene"/></scene></COLLADA>"##;
    let (scene, losses) = read(text.as_bytes()).expect("a scene");
    let world = scene.world_matrices(&scene.pose_at(0, 1.0).transforms);
    near("bone", &world[node(&scene, "Bone")][3][..3], &[7.0, 2.0, 3.0], 1e-5);
    near("axis", &world[node(&scene, "Bone")][0][..3], &[1.0, 0.0, 0.0], 1e-5);
    assert_eq!(losses, Vec::<String>::new());
}

#[test]
fn errors_have_a_path_and_a_line() {
    let error = |from: &str, to: &str| {
        let text = file();
        assert!(text.contains(from), "{from}");
        read(text.replacen(from, to, 1).as_bytes()).expect_err("damaged")
    };
    let outside = error("<p>0 0 1 0 2 0 3 0</p>", "<p>0 0 1 0 9 0 3 0</p>");
    assert!(outside.path().ends_with("geometry \"quad\"/mesh/polylist"), "{outside}");
    assert!(outside.reason().contains("of which there are only 4 at line 70"), "{outside}");
    let word = error("2 0 3 0 0 3</float_array>", "2 0 3 0 none 3</float_array>");
    assert!(
        word.path().ends_with("float_array \"numbers\"") && word.reason().contains("\"none\" at line 46"),
        "{word}"
    );
    let many = error("<vcount>4</vcount>", "<vcount>5</vcount>");
    assert!(many.reason().contains("more corners"), "{many}");
    let dangling = error("<skin source=\"#morph\">", "<skin source=\"#nothing\">");
    assert!(dangling.reason().contains("\"#nothing\", which does not exist at line"), "{dangling}");
    let open = error("</COLLADA>", "");
    assert!(open.reason().contains("line "), "{open}");
    // A controller of itself, and a node that is an instance of itself.
    let own = error("<skin source=\"#morph\">", "<skin source=\"#skin\">");
    assert!(own.reason().contains("a controller of the same kind"), "{own}");
    let cycle = error("<instance_light url=\"#lamp\"/>", "<instance_node url=\"#above\"/>");
    assert!(cycle.reason().contains("instances of each other"), "{cycle}");
    let entity = error("<asset>", "<!DOCTYPE a [<!ENTITY b \"c\">]><asset>");
    assert_eq!(entity.kind(), ErrorKind::Unreadable);
}

#[test]
fn memory_is_limited() {
    let options = SceneOptions::new().max_bytes(100_000);
    let error =
        dae::READER.read("Collada", file().as_bytes(), "a.dae", &options, &mut ()).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn other_encodings_and_decimal_commas_are_read() {
    let (scene, losses) = read(file().as_bytes()).expect("a scene");
    let wide: Vec<u8> =
        [0xfeff].into_iter().chain(file().encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert!(dae::detect(&wide) && dae::detect(file().as_bytes()));
    assert_eq!(read(&wide).expect("a scene"), (scene.clone(), losses.clone()));
    let commas = file().replace("0.5 0.25 1 1", "0,5 0,25 1 1").replace("1 0.25 0.75<", "1 0,25 0,75<");
    assert_eq!(read(commas.as_bytes()).expect("a scene"), (scene, losses));
}

/// Real files, and the bounds of their meshes as Blender 4.5 imports them, in metres with y up.
#[rustfmt::skip]
const BOUNDS: [(&str, [f32; 3], [f32; 3]); 10] = [
    ("Collada__COLLADA_triangulate.dae", [-4.0, 0.0, -2.0], [4.0, 1.081, 2.0]),
    ("Collada__anims_with_full_rotations_between_keys.DAE", [-0.31561, 0.0, -119.68], [0.68595, 1.0, 0.5]),
    ("Collada__cube_UTF8BOM.dae", [-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]),
    ("Collada__cube_triangulate.dae", [-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]),
    ("Collada__cube_with_2UVs.DAE", [-0.0254, 0.0, -0.0254], [0.0254, 0.0508, 0.0254]),
    ("Collada__duck.dae", [-0.69298, 0.099294, -0.61328], [0.9618, 1.6397, 0.53925]),
    ("Collada__kwxport_test_vcolors.dae", [-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]),
    ("Collada__library_animation_clips.dae", [-1.0, -1.0, -2.929], [1.0, 7.0, 1.0]),
    ("Collada__sphere.dae", [-0.01, -0.01, -0.01], [0.01, 0.01, 0.01]),
    ("Collada__sphere_triangulate.dae", [-0.01, -0.01, -0.01], [0.01, 0.01, 0.01]),
];

#[test]
fn real_files_have_the_bounds_of_another_reader() {
    let mut count = 0;
    for sample in testkit::corpus("models") {
        if !sample.name.to_lowercase().ends_with(".dae") {
            continue;
        }
        let (scene, _) = read(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        count += 1;
        if let Some((_, min, max)) = BOUNDS.iter().find(|(name, ..)| sample.name.ends_with(name)) {
            let bounds = scene.bounds().expect("bounds");
            let most = 2e-4 * max.iter().chain(min).fold(0.0, |most: f32, at| most.max(at.abs()));
            near(&sample.name, &bounds.min.to_array(), min, most);
            near(&sample.name, &bounds.max.to_array(), max, most);
        }
    }
    assert!(count == 0 || count >= 10, "{count}");
}
