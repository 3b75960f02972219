//! What a KeyframeSequence has that a scene cannot have, or at another place than usual, is listed.

use rezkit_scene::Values;

use super::roblox_losses::{curve, keyframe, losses, pose, read_at, rig};
use crate::{cframe, field, frame, item};

/// The animations without the model.
fn alone() -> rezkit_scene::ModelOptions {
    rezkit_scene::ModelOptions::new().only_animations(true)
}

fn sequence(content: &str) -> String {
    rig(&item("KeyframeSequence", "W", "", content))
}

fn weighted(class: &str, name: &str, weight: &str) -> String {
    let value = frame("CFrame", 0.0) + &field("double", "Value", 1) + &field("float", "Weight", weight);
    item(class, name, &value, "")
}

/// The usual poses, at 0 s and 1 s.
fn usual() -> String {
    keyframe(0.0, &pose(1.0)) + &keyframe(1.0, &pose(3.0))
}

#[test]
fn weights_other_than_0_and_1() {
    let frames = [
        keyframe(0.0, &(weighted("Pose", "UpperTorso", "0.5") + &weighted("Pose", "LowerTorso", "0"))),
        keyframe(1.0, &(weighted("Pose", "UpperTorso", "1") + &weighted("NumberPose", "JawDrop", "2"))),
    ];
    let found = losses(&sequence(&frames.concat()));
    let weights: Vec<_> = found.iter().filter(|loss| loss.contains("weight")).collect();
    // Facial controls are read first.
    let path = "Rig/W/Keyframe[1]/JawDrop";
    let what = "a pose with a weight other than 0 and 1 gets the weight 1 (and 1 more)";
    assert_eq!(weights, [&format!("changed: {path}: {what}")]);
}

#[test]
fn keyframes_poses_and_markers_at_the_wrong_place() {
    let usual = usual();
    assert!(losses(&sequence(&usual)).is_empty());
    // The inner keyframe would replace the pose at 0 s.
    let nested =
        [keyframe(0.0, &(pose(1.0) + &keyframe(0.5, &pose(9.0)))), keyframe(1.0, &pose(3.0))].concat();
    let (scene, found) = read_at(&sequence(&nested), None).expect("a scene");
    assert_eq!(found, ["dropped: Rig/W/Keyframe/Keyframe: a keyframe that is not directly in its animation"]);
    let Values::Translation(values) = &scene.animations[0].channels[0].values else { panic!("positions") };
    assert_eq!(values.iter().map(|value| value[1]).collect::<Vec<_>>(), [1.0, 3.0]);
    let marker = |name: &str| item("KeyframeMarker", name, "", "");
    let inner = item("Pose", "UpperTorso", "", &marker("Deep"));
    for (added, expected) in [
        (
            item("Folder", "F", "", &keyframe(2.0, &(pose(1.0) + &marker("M")))),
            "F/Keyframe: a keyframe that is not directly in its animation",
        ),
        (pose(2.0), "UpperTorso: a pose that is not in a keyframe of a KeyframeSequence"),
        (weighted("NumberPose", "JawDrop", "1"), "JawDrop: a pose that is not in a keyframe"),
        (marker("Top"), "Top: a marker that is not directly in a keyframe"),
        (keyframe(2.0, &inner), "Keyframe[2]/UpperTorso/Deep: a marker that is not directly in a keyframe"),
        (
            item("Folder", "UpperTorso", "", &curve("FloatCurve", "X", &"A".repeat(40), "")),
            "UpperTorso/X: a curve that animates no position, rotation or facial control",
        ),
    ] {
        assert_eq!(losses(&sequence(&(usual.clone() + &added))), [format!("dropped: Rig/W/{expected}")]);
    }
    assert!(losses(&sequence(&(usual + &weighted("Pose", "UpperTorso", "0")))).is_empty());
}

#[test]
fn frames_that_are_not_rotations() {
    let of = |rows: [f32; 9]| {
        let made = item("Pose", "UpperTorso", &cframe("CFrame", [0.0; 3], rows), "");
        losses(&sequence(&(keyframe(0.0, &made) + &keyframe(1.0, &pose(3.0)))))
    };
    let what = "a CFrame that scales, mirrors or shears: only its position and a rotation are used";
    let expected = [format!("changed: Rig/W/Keyframe/UpperTorso: {what}")];
    assert_eq!(of([2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]), expected);
    assert_eq!(of([-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), expected);
    assert_eq!(of([0.0; 9]), expected);
    // A quarter turn, and a turn that is rounded to three digits.
    assert!(of([0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]).is_empty());
    assert!(of([0.707, 0.0, 0.707, 0.0, 1.0, 0.0, -0.707, 0.0, 0.707]).is_empty());
}

/// An animation that only poses the root part of its model, which no joint moves, moves no other rig.
#[test]
fn poses_of_the_root_part() {
    let posed = |y: f32| pose(y).replace("UpperTorso", "LowerTorso");
    let found = losses(&sequence(&(keyframe(0.0, &posed(1.0)) + &keyframe(1.0, &posed(3.0)))));
    let wanted = [
        "dropped: Rig/W: poses of \"LowerTorso\": no joint of the rig moves a part with this name (and 1 more)",
        "dropped: Rig/W: the animation moves no part of its rig",
    ];
    assert_eq!(found, wanted);
}

/// The names and the values of properties in a document with this animation that is converted to a model.
fn converted(animation: &str, curves: bool) -> (String, Vec<String>) {
    let (scene, found) = read_at(&rig(animation), None).expect("a scene");
    assert!(found.is_empty(), "{found:?}");
    let mut options = rezkit_scene::roblox::AnimationOptions::default();
    options.curves = curves;
    let options = alone().animation(options);
    let made =
        rezkit_scene::roblox_model::RBXMX.write_model(&scene, "a", &options, 1 << 26).expect("written");
    let losses = made.losses.iter().map(ToString::to_string).filter(|loss| !loss.starts_with("meshes: "));
    (String::from_utf8(made.bytes).expect("XML"), losses.collect())
}

/// The default, 2, is stored in animations without a height if another one has a height.
#[test]
fn hip_heights_of_some_animations() {
    let frames = usual();
    let height = "<float name=\"AuthoredHipHeight\">1.5</float>";
    for heights in [[height, ""], ["", height]] {
        let animations = heights.map(|height| item("KeyframeSequence", "W", height, &frames)).concat();
        let (scene, _) = read_at(&rig(&animations), None).expect("a scene");
        let made =
            rezkit_scene::roblox_model::RBXM.write_model(&scene, "a", &alone(), 1 << 26).expect("written");
        let document = rbxbinary::from_slice(&made.bytes).expect("binary");
        let found: Vec<_> = document
            .by_class("KeyframeSequence")
            .map(|id| document.get(id, "AuthoredHipHeight").and_then(|value| value.as_f32()))
            .collect();
        assert_eq!(found, heights.map(|height| Some(if height.is_empty() { 2.0 } else { 1.5 })));
    }
}

#[test]
fn names_of_keyframes_at_one_time_and_the_hip_height() {
    let named = |name: &str, time: f32| {
        keyframe(time, "").replace(">Keyframe</string>", &format!(">{name}</string>"))
    };
    let frames = usual();
    let names = [named("First", 1.0), named("Second", 1.0), named("Third", 2.0)].concat();
    let height = |height: f32| format!("<float name=\"AuthoredHipHeight\">{height}</float>");
    let animation =
        |height_of: f32| item("KeyframeSequence", "W", &height(height_of), &(frames.clone() + &names));
    let (made, lost) = converted(&animation(1.5), false);
    assert!(made.contains(&height(1.5)) && made.contains("First") && made.contains("Third"), "{made}");
    assert_eq!(lost, ["animations[0]: the later of two names of keyframes at the same time"]);
    // 2 is the default.
    assert!(!converted(&animation(2.0), false).0.contains("AuthoredHipHeight"));
    let (made, lost) = converted(&animation(1.5), true);
    assert!(made.contains("Second") && !made.contains("AuthoredHipHeight"), "{made}");
    assert_eq!(lost, ["animations[0]: the AuthoredHipHeight, because a CurveAnimation has none"]);
}

#[test]
fn values_of_markers_that_are_not_utf_8() {
    // A marker with the byte 0xff at 0 s.
    let markers = curve("MarkerCurve", "M", "AgAAAAEAAAD/AAEAAAABAAAAAAAAAA==", "");
    let frames = usual();
    let what = "changed: Rig/W/M: bytes of a marker's value that are not UTF-8 are replaced by U+FFFD";
    assert_eq!(losses(&sequence(&(frames + &markers))), [what]);
}

/// `Loop` is true by default in Roblox. A hip height of NaN is no number in the extras.
#[test]
fn whether_an_animation_loops() {
    let frames = usual();
    for (properties, loops, lost) in [
        ("", true, &[][..]),
        ("<bool name=\"Loop\">true</bool>", true, &[]),
        ("<bool name=\"Loop\">false</bool>", false, &[]),
        (
            "<float name=\"AuthoredHipHeight\">NAN</float>",
            true,
            &["dropped: Rig/W: an AuthoredHipHeight that is not finite"],
        ),
    ] {
        let (scene, found) =
            read_at(&rig(&item("KeyframeSequence", "W", properties, &frames)), None).expect("a scene");
        assert_eq!(scene.animations[0].playback.looped, Some(loops));
        assert!(!scene.animations[0].extras.contains_key("AuthoredHipHeight"));
        assert_eq!(found, lost);
    }
}

/// The inverse of a joint's second frame places the part.
#[test]
fn frames_of_joints_without_an_inverse() {
    let frames = usual();
    let whole = sequence(&frames);
    let at = whole.find("name=\"C1\"").expect("the frame");
    let (before, after) = whole.split_at(at);
    for diagonal in ["0", "NAN"] {
        let broken = after.replacen("<R00>1</R00>", &format!("<R00>{diagonal}</R00>"), 1);
        let (scene, found) = read_at(&format!("{before}{broken}"), None).expect("a scene");
        let what = "a CFrame that is not finite or cannot be inverted: it is ignored";
        assert_eq!(found, [format!("changed: Rig/Joint: {what}")]);
        scene.check().expect("finite transforms");
    }
}
