//! The memory of an opened file counts against the limit of its conversions. It is compared with the allocator's count.

use rezkit::scene::{Levels, Scene, SceneOptions};
use rezkit::{ConvertOptions, ErrorKind, ReadOptions};

const BLOCK: &str = "<Item class='Part'><Properties><string name='Name'>Part</string><CoordinateFrame name='CFrame'><X>0</X>\
    <Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22>\
    </CoordinateFrame><Vector3 name='size'><X>1</X><Y>1</Y><Z>1</Z></Vector3></Properties>";

/// Nested parts.
fn parts(count: usize) -> Vec<u8> {
    format!("<roblox version='4'>{}{}</roblox>", BLOCK.repeat(count), "</Item>".repeat(count)).into_bytes()
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
            let counted = (1 << 30) - opened.left();
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
            assert!(opened.left() < max_bytes);
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
    use rezkit::scene::{Mesh, Node, Primitive, Target};
    let max_bytes = 64 << 20;
    let within = |name: &str, run: &mut dyn FnMut() -> rezkit::Result<()>| {
        let mut result = Ok(());
        let taken = testkit::measure(|| result = run()).bytes_max;
        assert_eq!(result.expect_err(name).kind(), ErrorKind::Limit, "{name}");
        assert!(taken <= max_bytes + max_bytes / 4 + (16 << 20), "{name}: {taken}");
    };
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
    within("sl --fix", &mut || {
        rezkit::upload::sl::second_life(&scene, "a", &[], &options, &mut none).map(drop)
    });
    // A morph target of one vertex is a kilobyte of JSON.
    let mut scene = Scene::default();
    let target = Target { positions: vec![[1.0; 3].into()], ..Target::default() };
    let primitive = Primitive { mesh: point.into(), targets: vec![target; 60_000], ..Primitive::default() };
    let mesh = scene.add_mesh(Mesh { primitives: vec![primitive], ..Mesh::default() });
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    within("targets", &mut || crate::writer("glb").write(&scene, "a", max_bytes).map(drop));
    // The places of a million references in one text.
    let text = "rbxassetid://1 ".repeat(1_000_000);
    let text = format!(
        "<roblox version='4'><Item class='Folder'><Properties><string name='S'>{text}</string></Properties></Item></roblox>"
    );
    let opened =
        ReadOptions::new().max_bytes(max_bytes).open(text.into_bytes(), "a.rbxmx", ()).expect("small");
    within("references", &mut || opened.assets().map(drop));
    // Base64 takes a third more than the bytes, and grows.
    let value = llsd::Value::from(llsd::Binary(vec![0; 16 << 20]));
    let bytes = llsd::WriteOptions::new().encoding(llsd::Encoding::Binary).write(&value).expect("written");
    let mut opened = ReadOptions::new().max_bytes(max_bytes).open(bytes, "a.llsd", ()).expect("small");
    within("base64", &mut || opened.convert(Some("json"), "a.json", &ConvertOptions::new()).map(drop));
}
