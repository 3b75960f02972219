//! Animations that are written for a rig: the work is limited, and settings of files are checked.

use rezkit_core::ErrorKind;
use rezkit_scene::{Animation, Node, Scene};
use serde_json::{Value, json};

use crate::turned;

/// A scene with an animation of the first node, until a time.
fn scene(names: &[&str], end: f32, options: Value) -> Scene {
    let mut scene = Scene::default();
    for name in names {
        scene.add_node(None, Node { name: (*name).to_owned(), ..Node::default() });
    }
    let mut animation = Animation { channels: vec![turned(0, end)], ..Animation::default() };
    animation.extras.insert("roblox_animation".into(), options);
    scene.animations.push(animation);
    scene
}

/// The JSON of a rig with these joints.
fn rig<A: AsRef<str>>(joints: impl IntoIterator<Item = [A; 2]>) -> Value {
    let none = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
    let joint = |[above, part]: [A; 2]| json!({"part0": above.as_ref(), "part1": part.as_ref(), "c0": none, "c1": none});
    let joints: Vec<Value> = joints.into_iter().map(joint).collect();
    json!({"name": "X", "sizes": {}, "joints": joints})
}

#[test]
fn samples_of_many_joints_without_nodes_are_limited() {
    let wide = |count: usize| {
        let joints = (0..count).map(|at| ["a".to_owned(), format!("j{at}")]);
        let joints = std::iter::once(["a", "b"].map(str::to_owned)).chain(joints);
        rezkit_scene::roblox_model::RBXM.write(
            &scene(&["b"], 1900.0, json!({"rig": rig(joints)})),
            "a",
            1 << 28,
        )
    };
    assert!(wide(10).is_ok());
    let error = wide(4000).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Effort, "{error}");
}

/// A rig that came from Roblox, with these parts and those above them, in which each moves.
fn own<A: AsRef<str>>(joints: impl IntoIterator<Item = [A; 2]>) -> Scene {
    let mut scene = scene(&["Top"], 1.0, Value::Null);
    scene.animations[0].channels.clear();
    let named = |name: String| Node { name, ..Node::default() };
    for [above, part] in joints {
        let above = scene.nodes.iter().rposition(|node| node.name == above.as_ref());
        let joint = scene.add_node(above, named(format!("{} C0", part.as_ref())));
        let pose = scene.add_node(Some(joint), named(format!("{} pose", part.as_ref())));
        scene.add_node(Some(pose), named(part.as_ref().to_owned()));
        scene.animations[0].channels.push(turned(pose, 1.0));
    }
    scene
}

/// The poses of the first keyframe, and the pose that each is in.
fn poses(scene: &Scene) -> Vec<(String, Option<String>)> {
    let made = rezkit_scene::roblox_model::RBXM.write(scene, "a", 1 << 26).expect("written");
    let document = rbxbinary::from_slice(&made.bytes).expect("a model");
    let is = |at, class: &str| document.class(at).is_some_and(|own| own == class);
    let (mut found, mut frames) = (Vec::new(), 0);
    for instance in document.instances() {
        frames += usize::from(is(instance, "Keyframe"));
        if is(instance, "Pose") && frames == 1 {
            let above = document.parent(instance).filter(|&above| is(above, "Pose"));
            let name = |at| document.name(at).map(ToString::to_string).unwrap_or_default();
            found.push((name(instance), above.map(name)));
        }
    }
    found.sort();
    found
}

#[test]
fn poses_of_parts_in_a_cycle_are_kept() {
    let pair = |part: &str, above: Option<&str>| (part.to_owned(), above.map(str::to_owned));
    let chain = own([["Top", "a"], ["a", "b"], ["b", "c"]]);
    let wanted = [pair("Top", None), pair("a", Some("Top")), pair("b", Some("a")), pair("c", Some("b"))];
    assert_eq!(poses(&chain), wanted);
    // The later of the joints of a part applies.
    let cycle = own([["Top", "a"], ["a", "b"], ["b", "a"]]);
    assert_eq!(poses(&cycle), [pair("a", Some("b")), pair("b", None)]);
}

/// 4 times the parts, each in the one before, need at most 6 times as much memory.
#[test]
fn nested_parts_are_ordered_once() {
    let [few, many] = [50, 200].map(|count| {
        let name = |at: usize| if at == 0 { "Top".to_owned() } else { format!("q{at}") };
        let made = own((0..count).map(|at| [name(at), name(at + 1)]));
        testkit::measure(|| assert!(rezkit_scene::roblox_model::RBXM.write(&made, "a", 1 << 26).is_ok()))
            .bytes_total
    });
    assert!(many < few * 6, "{few} bytes for 50, {many} for 200");
}

/// The losses of writing parts of R15 with settings in the extras of the animation, and the file.
fn with(options: Value) -> (Vec<String>, Vec<u8>) {
    let scene = scene(&["Head", "LeftHand", "RightHand", "LeftFoot"], 1.0, options);
    let made = rezkit_scene::roblox_model::RBXM.write(&scene, "a", 1 << 26).expect("written");
    (made.losses.iter().map(ToString::to_string).collect(), made.bytes)
}

#[test]
fn settings_of_a_file_that_cannot_be_used_are_listed_and_ignored() {
    let (usual, bytes) = with(json!({"fps": null, "tolerance": null, "rig": null}));
    assert_eq!(usual.len(), 1, "{usual:?}");
    let chain = [["Top", "Head"], ["Head", "LeftHand"], ["LeftHand", "RightHand"], ["RightHand", "LeftFoot"]];
    let mut flat = rig(chain);
    flat["joints"][1]["c1"] = json!(vec![0; 16]);
    let cycle = "its joints form a cycle, or two of them move the same part";
    let rate = "expected more than 0 and at most 240 samples per second";
    let tolerance = "expected two numbers above 0, in degrees and in studs";
    for (name, value, why) in [
        ("fps", json!(-1), rate),
        ("fps", json!(0), rate),
        ("fps", json!(1e30), rate),
        ("fps", json!("fast"), "expected a number, found \"fast\""),
        ("tolerance", json!([0.1, 0]), tolerance),
        ("tolerance", json!([-1, -1]), tolerance),
        ("rig", rig([["a", "b"], ["b", "a"], ["b", "c"]]), cycle),
        ("rig", rig([["a", "a"], ["a", "b"]]), cycle),
        ("rig", rig([["a", "b"], ["a", "c"], ["b", "c"]]), cycle),
        (
            "rig",
            rig([["a", "b"], ["c", "d"]]),
            "the part0 of a joint is neither the root part nor a part that an earlier joint moves",
        ),
        ("rig", rig::<&str>([]), "it has no joints"),
        ("rig", flat, "the c0 or c1 of a joint is not finite or cannot be inverted"),
    ] {
        let (losses, made) = with(json!({name: value}));
        assert_eq!(losses.len(), 2, "{losses:?}");
        let start = format!("animations[0]: the {name} in the extras of the animation: {why}");
        assert!(losses[0].starts_with(&start), "{losses:?}");
        assert!(made == bytes, "{name} {why}");
    }
    let (losses, made) = with(json!({"rig": rig(chain), "fps": 240, "tolerance": [1, 1]}));
    assert!(losses.len() == 1 && losses[0].contains("retargeted to X, sampled 240 times"), "{losses:?}");
    assert!(made != bytes);
}
