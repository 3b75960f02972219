//! Curves of Roblox animations whose keys, interpolation or names are not as the engine writes them.

use base64::Engine as _;
use rbxblobs::curves::{FloatKey, RotationKey};
use rbxblobs::{FloatCurve, RotationCurve};
use rezkit_scene::{Scene, Values};

use super::roblox_losses::{curve, keyframe, losses, pose, read_at, rig};
use crate::{field, item};

/// Numbers at times in seconds, all with this mode.
fn numbers(name: &str, mode: u8, keys: &[(i32, f32)]) -> String {
    let key = |&(_, value): &(i32, f32)| FloatKey { mode, mask: Some(0), value, left: 0.0, right: 0.0 };
    let times = keys.iter().map(|key| key.0 * 2400).collect();
    let made = FloatCurve { version: 2, keys: keys.iter().map(key).collect(), times };
    curve("FloatCurve", name, &encoded(&made.to_vec().expect("a curve")), "")
}

fn rotations(mode: u8, keys: &[(i32, [f32; 4])]) -> String {
    let key = |&(_, rotation): &(i32, [f32; 4])| RotationKey { mode, rotation, left: 0.0, right: 0.0 };
    let times = keys.iter().map(|key| key.0 * 2400).collect();
    let made = RotationCurve { version: 1, keys: keys.iter().map(key).collect(), times };
    curve("RotationCurve", "Rotation", &encoded(&made.to_vec().expect("a curve")), "")
}

fn encoded(bytes: &[u8]) -> String {
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

/// A rig with an animation of a part that has these curves, as a scene with losses.
fn animated(curves: &str) -> (Scene, Vec<String>) {
    let folder = item("Folder", "UpperTorso", "", curves);
    read_at(&rig(&item("CurveAnimation", "A", "", &folder)), None).expect("a scene")
}

/// The times, and the first number of each position or rotation.
fn first(scene: &Scene) -> (Vec<f32>, Vec<f32>) {
    let channel = &scene.animations[0].channels[0];
    let values = match &channel.values {
        Values::Translation(values) => values.iter().map(|value| value[0]).collect(),
        Values::Rotation(values) => values.iter().map(|value| value[0]).collect(),
        other => panic!("{other:?}"),
    };
    (channel.times.clone(), values)
}

fn position(mode: u8, keys: &[(i32, f32)]) -> (Scene, Vec<String>) {
    animated(&item("Vector3Curve", "Position", "", &numbers("X", mode, keys)))
}

#[test]
fn keys_are_sorted_and_the_first_of_two_at_one_time_applies() {
    let (scene, found) = position(1, &[(0, 0.0), (2, 2.0), (1, 5.0)]);
    assert_eq!(first(&scene), (vec![0.0, 1.0, 2.0], vec![0.0, 5.0, 2.0]));
    let sorted = "keys of a curve that are not in the order of their times: they are sorted";
    assert_eq!(found, [format!("changed: Rig/A/UpperTorso/Position/X: {sorted}")]);
    let (scene, found) = position(1, &[(0, 0.0), (1, 2.0), (1, 7.0), (2, 1.0)]);
    assert_eq!(first(&scene), (vec![0.0, 1.0, 2.0], vec![0.0, 2.0, 1.0]));
    assert_eq!(found, ["dropped: Rig/A/UpperTorso/Position/X: the later of two curve keys at the same time"]);

    let turn = |half: f32| [half.sin(), 0.0, 0.0, half.cos()];
    let (scene, found) =
        animated(&rotations(13, &[(0, turn(0.0)), (2, turn(0.2)), (1, turn(0.1)), (1, turn(0.3))]));
    let (times, turns) = first(&scene);
    assert_eq!(times, [0.0, 1.0, 2.0]);
    crate::near("turns", &turns, &[0.0, 0.1, 0.2].map(f32::sin), 1e-6);
    let later = "dropped: Rig/A/UpperTorso/Rotation: the later of two curve keys at the same time";
    assert_eq!(found, [&format!("changed: Rig/A/UpperTorso/Rotation: {sorted}"), later]);
}

#[test]
fn unknown_interpolations_and_orders_of_angles_are_listed() {
    let (_, found) = position(9, &[(0, 0.0), (1, 2.0)]);
    let what = "curve keys with an unknown interpolation become cubic keys";
    assert_eq!(found, [format!("changed: Rig/A/UpperTorso/Position/X: {what}")]);
    let turns = [(0, [0.0, 0.0, 0.0, 1.0]), (1, [1.0, 0.0, 0.0, 0.0])];
    for (mode, expected) in [
        (12, None),
        (13, None),
        (14, Some("cubic keys of a RotationCurve become linear keys")),
        (99, Some("rotation keys with an unknown interpolation become linear keys")),
        (0, Some("rotation keys with an unknown interpolation become linear keys")),
    ] {
        let expected: Vec<_> =
            expected.iter().map(|what| format!("changed: Rig/A/UpperTorso/Rotation: {what}")).collect();
        assert_eq!(animated(&rotations(mode, &turns)).1, expected, "{mode}");
    }
    for (order, is_known) in [(5, true), (6, false), (u32::MAX, false)] {
        let order = field("token", "RotationOrder", order);
        let angles = numbers("Y", 1, &[(0, 0.0), (1, 2.0)]);
        let (_, found) = animated(&item("EulerRotationCurve", "R", &order, &angles));
        let expected =
            "changed: Rig/A/UpperTorso/R: the RotationOrder of the angles is unknown: taken as XYZ";
        assert_eq!(found.contains(&expected.to_owned()), !is_known, "{found:?}");
    }
    let odd = pose(1.0).replace("</Properties>", "<token name=\"EasingStyle\">9</token></Properties>");
    let frames = keyframe(0.0, &odd) + &keyframe(1.0, &pose(2.0));
    let what = "changed: Rig/W/Keyframe/UpperTorso: a pose with an unknown easing becomes linear";
    assert_eq!(losses(&rig(&item("KeyframeSequence", "W", "", &frames))), [what]);
}

#[test]
fn rotations_that_are_none_are_dropped() {
    let turn = [0.6, 0.0, 0.0, 0.8];
    for odd in [[0.0; 4], [f32::NAN, 0.0, 0.0, 1.0], [f32::INFINITY, 0.0, 0.0, 0.0], [1e30, 0.0, 0.0, 0.0]] {
        let (scene, found) = animated(&rotations(13, &[(0, turn), (1, odd), (2, turn)]));
        let (times, turns) = first(&scene);
        assert_eq!(times, [0.0, 2.0], "{odd:?}");
        assert!(turns.iter().all(|x| (x - 0.6).abs() < 1e-6), "{odd:?}");
        let what = "curve keys of rotations whose quaternion is infinite, NaN or all zeros";
        assert_eq!(found, [format!("dropped: Rig/A/UpperTorso/Rotation: {what}")]);
    }
}

#[test]
fn curves_that_animate_nothing_are_listed() {
    let keys = [(0, 0.0), (1, 2.0)];
    // An empty curve contains nothing that could be lost.
    let axes = [numbers("X", 1, &keys), numbers("W", 1, &keys), numbers("X", 1, &keys), numbers("V", 1, &[])];
    let value = numbers("Value", 1, &keys).replace("FloatCurve", "ValueCurve");
    let (_, found) = animated(&(item("Vector3Curve", "Position", "", &axes.concat()) + &value));
    let what = "a curve that animates no position, rotation or facial control";
    assert_eq!(found, [format!("dropped: Rig/A/UpperTorso/Position/W: {what} (and 2 more)")]);
}
