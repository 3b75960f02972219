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
