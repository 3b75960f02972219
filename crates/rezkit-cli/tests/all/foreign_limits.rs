//! Reading and writing formats of scenes stays within `max_bytes`.

use rezkit::FILE_TYPES;
use rezkit::scene::{LOOKED_AT, SceneOptions, gltf, obj, ply, stl};

use super::{scene_of, writer};
use rezkit::scene::{Mesh, Node, Primitive, Scene};

/// Files that need the most memory for their size, with their names.
fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let gltf = |rest: &str| format!("{{\"asset\":{{\"version\":\"2.0\"}},{rest}}}").into_bytes();
    let many = |what: &str, count: usize| vec![what; count].join(",");
    let scene = |what: &str, item: &str| gltf(&format!("\"{what}\":[{}]", many(item, 25_000)));
    // One accessor that is used by many primitives.
    let data = crate::xml::base64(vec![0; 120_000]);
    let shared = gltf(&format!(
        "\"buffers\":[{{\"byteLength\":120000,\"uri\":\"data:application/octet-stream;base64,{data}\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":120000}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":10000,\"type\":\"VEC3\"}}],\
         \"meshes\":[{{\"primitives\":[{}]}}]",
        many("{\"attributes\":{\"POSITION\":0}}", 1000)
    ));
    let ply = |element: &str, body: &str| {
        format!("ply\nformat ascii 1.0\n{element}end_header\n{body}").into_bytes()
    };
    let mut stl = vec![0; 84];
    stl[80..84].copy_from_slice(&5_000_u32.to_le_bytes());
    for index in 0..5_000_u32 * 3 {
        if index % 3 == 0 {
            stl.extend([0; 12]);
        }
        stl.extend((index as f32).to_le_bytes());
        stl.extend([0; 8]);
        if index % 3 == 2 {
            stl.extend([0; 2]);
        }
    }
    vec![
        ("nodes.gltf", scene("nodes", "{}")),
        ("materials.gltf", scene("materials", "{}")),
        ("names.gltf", scene("nodes", "{\"name\":\"a name of 22 letters..\"}")),
        ("meshes.gltf", scene("meshes", "{\"primitives\":[]}")),
        ("animations.gltf", scene("animations", "{\"channels\":[],\"samplers\":[]}")),
        ("children.gltf", gltf(&format!("\"nodes\":[{{\"children\":[{}]}}]", many("0", 75_000)))),
        ("shared.gltf", shared),
        (
            "vertices.ply",
            ply(
                "element vertex 25000\nproperty uchar x\nproperty uchar y\nproperty uchar z\nproperty uchar nx\n",
                &"0 0 0 0 ".repeat(25_000),
            ),
        ),
        (
            "faces.ply",
            ply(
                "element vertex 1\nproperty uchar x\nproperty uchar y\nproperty uchar z\nelement face 1\n\
                 property list uint uint vertex_index\n",
                &("0 0 0 250000 ".to_owned() + &"0 ".repeat(250_000)),
            ),
        ),
        ("points.obj", "v 0 0 0\n".repeat(25_000).into_bytes()),
        ("objects.obj", ("v 0 0 0\n".to_owned() + &"o a\nf 1 1 1\n".repeat(5_000)).into_bytes()),
        ("faces.obj", ("v 0 0 0\n".to_owned() + &"f 1 1 1\n".repeat(25_000)).into_bytes()),
        ("polygon.obj", ("v 0 0 0\nf".to_owned() + &" 1".repeat(75_000)).into_bytes()),
        ("polygons.obj", ("v 0 0 0\n".to_owned() + &"f 1 1 1 1 1\n".repeat(12_500)).into_bytes()),
        ("distinct.obj", {
            let points: String = (0..25_000).map(|n| format!("v {n} 0 0\n")).collect();
            let faces: String =
                (1..8_000).map(|n| format!("f {} {} {}\n", 3 * n, 3 * n + 1, 3 * n + 2)).collect();
            (points + &faces).into_bytes()
        }),
        ("points.stl", stl),
        ("surface.glb", surface()),
        ("strip.gltf", strip("\"mode\":5,")),
        ("triangles.gltf", strip("")),
    ]
}

/// 60,000 vertices as triangles without indices, or as a triangle strip, depending on `mode`.
fn strip(mode: &str) -> Vec<u8> {
    let data = crate::xml::base64(vec![0; 720_000]);
    format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0}}],\
         \"buffers\":[{{\"byteLength\":720000,\"uri\":\"data:application/octet-stream;base64,{data}\"}}],\
         \"bufferViews\":[{{\"buffer\":0,\"byteLength\":720000}}],\
         \"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":60000,\"type\":\"VEC3\"}}],\
         \"meshes\":[{{\"primitives\":[{{{mode}\"attributes\":{{\"POSITION\":0}}}}]}}]}}"
    )
    .into_bytes()
}

/// A binary glTF file with a grid of 300 x 300 squares.
fn surface() -> Vec<u8> {
    let at = |x: u32, z: u32| z * 301 + x;
    let corners = (0..301).flat_map(|z| (0..301).map(move |x| [x as f32, 0.0, z as f32].into()));
    let squares = (0..300).flat_map(|z| (0..300).map(move |x| (x, z)));
    let triangles = squares.flat_map(|(x, z)| {
        [[at(x, z), at(x, z + 1), at(x + 1, z)], [at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)]]
    });
    let mesh = geom::TriMesh {
        positions: corners.collect(),
        triangles: triangles.collect(),
        ..geom::TriMesh::default()
    };
    let mut scene = Scene::default();
    crate::add_mesh(&mut scene, "", mesh);
    crate::glb(&scene).0
}

/// Reading needs the file, its columns and a list of indices. Regression: a conversion of terrain with nine million
/// triangles, which reads its output again under the same limit, was refused.
#[test]
fn binary_gltf_is_read_with_three_times_its_size() {
    let bytes = surface();
    let mut options = SceneOptions::default();
    options.max_bytes = bytes.len() as u64 * 3;
    let (scene, _) = gltf::READER.read("glTF", &bytes, "a.glb", &options, &mut ()).expect("enough");
    assert_eq!(scene.triangle_count(), 180_000);
}

/// Reading takes no more memory than permitted, and is refused if that is not enough.
#[test]
fn foreign_files_are_read_up_to_the_limit() {
    for (name, bytes) in hostile() {
        let reader = match name.rsplit_once('.').expect("an extension").1 {
            "glb" | "gltf" => &gltf::READER,
            "obj" => &obj::READER,
            "ply" => &ply::READER,
            "stl" => &stl::READER,
            other => panic!("{other}"),
        };
        let read = |max_bytes: u64| {
            let mut options = SceneOptions::default();
            options.max_bytes = max_bytes;
            let mut refused = false;
            let taken = testkit::measure(|| {
                let read = reader.read(name, &bytes, name, &options, &mut ());
                refused = read.is_err_and(|error| error.kind() == rezkit::ErrorKind::Limit);
            });
            (taken.bytes_max, refused)
        };
        let (whole, refused) = read(1 << 30);
        assert!(!refused, "{name}");
        for max_bytes in [whole / 10, whole / 2, whole - whole / 100] {
            let (taken, refused) = read(max_bytes);
            assert!(refused, "{name}: {whole} bytes, {max_bytes} allowed");
            assert!(taken <= max_bytes + (16 << 10), "{name}: {taken} of {max_bytes}");
        }
    }
}

/// Every written scene can be read again: one that draws nothing, and one in which only some vertices have colours.
#[test]
fn every_scene_is_read_again_from_every_form() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Into::into).to_vec();
    let plain = geom::TriMesh { positions: corners, triangles: vec![[0, 1, 2]], ..geom::TriMesh::default() };
    let colored = geom::TriMesh { colors: vec![geom::LinearRgba::WHITE; 3], ..plain.clone() };
    for meshes in [vec![], vec![plain.clone()], vec![plain.clone(), colored.clone()], vec![colored, plain]] {
        let mut scene = Scene::default();
        for mesh in meshes {
            let primitives = vec![Primitive { mesh: mesh.into(), ..Primitive::default() }];
            let mesh = Some(scene.add_mesh(Mesh { primitives, ..Mesh::default() }));
            scene.add_node(None, Node { mesh, ..Node::default() });
        }
        for form in ["glb", "obj", "ply", "stl"] {
            let written = writer(form).write(&scene, "a", 1 << 20).expect("small");
            let name = format!("a.{form}");
            let (read, _) = scene_of(&written.bytes, &name, &SceneOptions::default(), &mut ())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(read.triangle_count(), scene.triangle_count(), "{name}");
        }
    }
}

/// Each instance of a mesh counts against the limit.
#[test]
fn instances_are_read_up_to_the_limit() {
    let asset = slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).expect("readable");
    let mut slm = slmesh::Slm::of_asset(asset, "a");
    slm.instances = slm.instances.iter().cycle().take(5_000).cloned().collect();
    let bytes = slm.to_vec().expect("written");
    let mut opened = rezkit::ReadOptions::new().max_bytes(16 << 20).open(bytes, "a.slm", ()).expect("small");
    crate::limited(20 << 20, || opened.scene(&SceneOptions::default()));
}

/// 20,000 nodes with one mesh of 10,000 triangles: more than a gigabyte if each node has a copy.
#[test]
fn meshes_that_are_placed_often_are_written_up_to_the_limit() {
    let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut scene = Scene::default();
    crate::add_mesh(&mut scene, "", crate::mesh(&corners, &[[0, 1, 2]; 10_000]));
    let mesh = Some(0);
    for _ in 1..20_000 {
        scene.add_node(None, Node { mesh, ..Node::default() });
    }
    assert!(scene.is_visible() && scene.bounds().is_none() && scene.placed_corners() > LOOKED_AT);
    for form in FILE_TYPES.iter().filter(|kind| kind.writer.is_some_and(|writer| writer.has_meshes)) {
        let mut written = None;
        let taken =
            testkit::measure(|| written = Some(writer(form.name).write(&scene, "a", 1 << 28))).bytes_max;
        match written.expect("it ran") {
            Ok(written) => assert!(form.name.starts_with("gl") && written.bytes.len() < 8 << 20),
            Err(error) => assert!(error.kind() == rezkit::ErrorKind::Limit, "{}: {error}", form.name),
        }
        assert!(taken < 1 << 26, "{}: {taken}", form.name);
    }
}

/// A triangle is visible even if a 32-bit number cannot represent the square of its area.
#[test]
fn large_and_small_triangles_are_seen() {
    for size in [1e-30_f32, 1e-12, 1.0, 1e15, 1e37] {
        let corners = [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0]];
        let mut scene = Scene::default();
        crate::add_mesh(&mut scene, "", crate::mesh(&corners, &[[0, 1, 2]]));
        assert!(scene.is_visible(), "{size}");
    }
}
