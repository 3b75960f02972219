//! Animations that are written for a rig: the work is limited.

use rezkit_core::ErrorKind;
use rezkit_scene::{Animation, Channel, Interpolation, Node, Scene, Values, roblox};
use serde_json::{Value, json};

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

/// A quarter turn of a node in a time.
fn turned(node: usize, end: f32) -> Channel {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let values = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]]);
    Channel { node, times: vec![0.0, end], values, interpolation: Interpolation::Linear }
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
        roblox::RBXM.write(&scene(&["b"], 1900.0, json!({"rig": rig(joints)})), "a", 1 << 28)
    };
    assert!(wide(10).is_ok());
    let error = wide(4000).expect_err("too many");
    assert_eq!(error.kind(), ErrorKind::Effort, "{error}");
}
