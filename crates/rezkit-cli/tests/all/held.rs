//! The memory of an opened file counts against the limit of its conversions. It is compared with the allocator's count.

use super::xml::{document, field, item, sized};
use rezkit::scene::{Levels, Scene, SceneOptions};
use rezkit::{ConvertOptions, ErrorKind, ReadOptions};

/// Nested parts.
fn parts(count: usize) -> Vec<u8> {
    let block = item("Part", "Part", &sized([0.0; 3], [1.0; 3]), "");
    let block = block.trim_end_matches("</Item>");
    document(&(block.repeat(count) + &"</Item>".repeat(count)))
}

fn materials(count: usize) -> Vec<u8> {
    let materials: String = (0..count).map(|at| format!("Material m{at}\nKd #ff00ff00\n\n")).collect();
    format!("3dmodel 1\nname\n\n\n\n\n{materials}\nEnd\n").into_bytes()
}

/// The size that a scene states is at least that of a copy, and at most half more.
#[test]
fn a_scene_knows_what_a_copy_takes() {
    let files = testkit::fixtures("m3d").into_iter().chain(testkit::fixtures("rbxxml"));
    let mut compared = 0;
    for sample in files {
        let Ok(mut opened) = rezkit::open(sample.bytes, &sample.name, ()) else { continue };
        let mut options = SceneOptions::default();
        (options.levels, options.hulls) = (Levels::All, true);
        let Ok((scene, _)) = opened.scene(&options) else { continue };
        let mut copy = Scene::default();
        let taken = testkit::measure(|| copy = scene.clone()).bytes_max;
        let [own, _] = scene.held();
        assert!(own + 256 >= taken && own <= taken + taken / 2 + 4096, "{}: {own}, {taken}", sample.name);
        compared += usize::from(taken > 1000);
    }
    assert!(compared > 20, "{compared}");
}

/// Each reader counts at least the memory of the model that it returns, apart from the allocator's rounding.
#[test]
fn readers_count_what_they_return() {
    for name in ["m3d", "rbxmesh", "rbxbinary", "rbxxml", "slmesh"] {
        for sample in testkit::fixtures(name) {
            let options = ReadOptions::new();
            let mut opened = None;
            let left = testkit::measure(|| {
                opened = options.open(sample.bytes.clone(), &sample.name, ()).ok();
            });
            let Some(opened) = opened else { continue };
            let counted = (1 << 30) - opened.memory_left();
            let kept = left.bytes_current.unsigned_abs();
            assert!(2 * counted + (8 << 10) >= kept, "{name} {}: {counted} of {kept}", sample.name);
        }
    }
}

/// If the file nearly fills the limit, a second copy of it does not fit.
#[test]
fn conversions_take_what_the_file_leaves() {
    let max_bytes = 16 << 20;
    let most = max_bytes + max_bytes / 4 + (16 << 20);
    for (bytes, name, to) in [
        (parts(14_000), "a.rbxmx", "rbxm"),
        (parts(14_000), "a.rbxmx", "glb"),
        (materials(20_000), "a.a3d", "glb"),
    ] {
        let taken = testkit::measure(|| {
            let mut opened = ReadOptions::new().max_bytes(max_bytes).open(bytes, name, ()).expect("small");
            assert!(opened.memory_left() < max_bytes);
            let options = ConvertOptions::new().allow_loss(true);
            if let Err(error) = opened.convert(Some(to), &format!("b.{to}"), &options) {
                assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
            }
            let _tree = opened.nodes("", 3);
        });
        assert!(taken.bytes_max <= most, "{name} to {to}: {}", taken.bytes_max);
    }
}

/// What a command makes of a small file counts before it is made.
#[test]
fn what_is_made_counts() {
    use geom::TriMesh;
    use rezkit::scene::{Mesh, MorphTarget, Node, Primitive};
    let max_bytes = 64 << 20;
    let most = max_bytes + max_bytes / 4 + (16 << 20);
    let point = TriMesh { positions: vec![[0.0; 3].into()], triangles: vec![[0; 3]], ..TriMesh::default() };
    // `fix` splits an object of 100 faces into 13, for each of its nodes.
    let mut scene = Scene::default();
    let primitive = Primitive { mesh: point.clone().into(), ..Primitive::default() };
    let mesh = scene.add_mesh(Mesh { primitives: vec![primitive; 100], ..Mesh::default() });
    for _ in 0..20_000 {
        scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    }
    let mut options = rezkit::upload::sl::Options::default();
    (options.fix, options.max_bytes) = (true, max_bytes);
    let mut none = |_: &Scene, _| Ok(None);
    crate::limited(most, || rezkit::upload::sl::second_life(&scene, "a", &[], &options, &mut none));
    // A morph target of one vertex is a kilobyte of JSON.
    let mut scene = Scene::default();
    let target = MorphTarget { positions: vec![[1.0; 3].into()], ..MorphTarget::default() };
    let primitive = Primitive { mesh: point.into(), targets: vec![target; 60_000], ..Primitive::default() };
    let mesh = scene.add_mesh(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    crate::limited(most, || crate::writer("glb").write(&scene, "a", max_bytes));
    // The places of a million references in one text.
    let text = "rbxassetid://1 ".repeat(1_000_000);
    let text = document(&item("Folder", "F", &field("string", "S", text), ""));
    let opened = ReadOptions::new().max_bytes(max_bytes).open(text, "a.rbxmx", ()).expect("small");
    crate::limited(most, || opened.assets());
    // Base64 takes a third more than the bytes, and grows.
    let value = llsd::Value::from(llsd::Binary(vec![0; 16 << 20]));
    let bytes = llsd::WriteOptions::new().encoding(llsd::Encoding::Binary).write(&value).expect("written");
    let mut opened = ReadOptions::new().max_bytes(max_bytes).open(bytes, "a.llsd", ()).expect("small");
    crate::limited(most, || opened.convert(Some("json"), "a.json", &ConvertOptions::new()));
}
