//! Animations of Roblox documents are read with work that is linear in the document, however they are nested.

use rezkit_core::Budget;

use crate::{cframe, document, field, frame, item, vector};
use rezkit_scene::{SceneOptions, roblox};

const UNTURNED: [f32; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn keys(curve: &[u8]) -> String {
    let text = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, curve);
    field("BinaryString", "ValuesAndTimes", text)
}

/// KeyframeSequences, each in the keyframe of the one above it.
fn nested(count: usize) -> rbxxml::Document {
    let (start, end) = ("<Item class=\"KeyframeSequence\"><Item class=\"Keyframe\">", "</Item></Item>");
    document(&format!("{}{}", start.repeat(count), end.repeat(count)))
}

/// Checks that 4 times the instances allocate at most 6 times as much memory.
fn is_linear(make: impl Fn(usize) -> rbxxml::Document, read: impl Fn(&rbxxml::Document)) {
    let [few, many] = [50, 200].map(|count| {
        let made = make(count);
        testkit::measure(|| read(&made)).bytes_total
    });
    assert!(many < few * 6, "{few} bytes for 50, {many} for 200");
}

#[test]
fn nested_animations_are_read_once() {
    is_linear(nested, |document| {
        let found = roblox::animations(document, &mut Budget::new(1 << 26)).expect("animations");
        assert!(found.iter().all(|animation| animation.rig.is_none()));
    });
}

/// Only the inner animation poses the part of the avatar.
#[test]
fn poses_belong_to_the_innermost_animation() {
    let pose = item("Pose", "LowerTorso", "<float name=\"Weight\">1</float>", "");
    let inner = item("KeyframeSequence", "Inner", "", &item("Keyframe", "K", "", &pose));
    let outer = document(&item("KeyframeSequence", "Outer", "", &item("Keyframe", "F", "", &inner)));
    let found = roblox::animations(&outer, &mut Budget::new(1 << 26)).expect("animations");
    let found: Vec<_> = found.iter().map(|one| (&*one.name, one.keys, one.rig.as_deref())).collect();
    assert_eq!(found, [("Outer", 0, None), ("Inner", 1, Some("R15"))]);
    let made = crate::of_document(&outer, &SceneOptions::default());
    let (_, losses) = made.expect("a scene");
    let lost: Vec<_> = losses.iter().map(|loss| (&*loss.path, &*loss.what)).collect();
    assert!(lost.contains(&("Outer", "an animation that has no pose or curve for any part")), "{lost:?}");
}

/// An animation in two nested models poses a bone of the outer model, of the inner one, or of neither.
#[test]
fn an_animation_moves_the_nearest_model_with_a_part_that_it_poses() {
    let animation = |name: &str, part: &str| {
        let keyframe = item("Keyframe", &format!("{name}K"), "", &item("Pose", part, "", ""));
        item("KeyframeSequence", name, "", &keyframe)
    };
    let part = |name: &str, bone: &str| {
        let frame = frame("CFrame", 0.0) + &vector("size", 1.0);
        item("Part", name, &frame, &item("Bone", bone, "", ""))
    };
    let animations = [animation("A", "Far"), animation("B", "Near"), animation("C", "None")].concat();
    let inner = item("Model", "Inner", "", &(part("P", "Near") + &animations));
    let outer = document(&item("Model", "Outer", "", &(part("Q", "Far") + &inner)));
    let found = roblox::animations(&outer, &mut Budget::new(1 << 26)).expect("animations");
    let rigs: Vec<_> = found.iter().map(|one| (&*one.name, one.rig.as_deref())).collect();
    assert_eq!(rigs, [("A", Some("Outer")), ("B", Some("Inner")), ("C", None)]);
}

/// Each of 1,000 markers of a curve has the name of the curve, which is 10 kB long.
#[test]
fn the_names_of_markers_count_against_the_limit() {
    let curve = rbxblobs::MarkerCurve {
        version: 2,
        keys: (0..1000).map(|_| rbxblobs::curves::Marker("m".into())).collect(),
        times: (0..1000).collect(),
    };
    let markers = item("MarkerCurve", &"N".repeat(10_000), &keys(&curve.to_vec().expect("a curve")), "");
    let keyframe = |time: u32| {
        let pose = item("Pose", "Joint", &cframe("CFrame", [time as f32, 0.0, 0.0], UNTURNED), "");
        item("Keyframe", "Keyframe", &field("float", "Time", time), &pose)
    };
    let animation = item("KeyframeSequence", "A", "", &(keyframe(0) + &keyframe(1) + &markers));
    let refs = field("Ref", "Part0", "P") + &field("Ref", "Part1", "Joint");
    let part =
        |name: &str, joint: &str| item("Part", name, &(frame("CFrame", 0.0) + &vector("size", 1.0)), joint);
    let part = part("P", "") + &part("Joint", &item("Motor6D", "J", &refs, ""));
    let document = document(&item("Model", "Rig", "", &(part + &animation)));
    let read = |max_bytes: u64| {
        let mut options = SceneOptions::default();
        options.max_bytes = max_bytes;
        let (scene, losses) = crate::of_document(&document, &options).expect("a scene");
        assert_eq!(scene.animations.len(), 1, "{losses:?}");
        let markers = scene.animations[0].extras.get("Markers").and_then(|markers| markers.as_array());
        (markers.map(Vec::len), losses.iter().any(|loss| loss.what.contains("the markers of the animation")))
    };
    assert_eq!(read(1 << 28), (Some(1000), false));
    // The names take 10 MB.
    assert_eq!(read(8 << 20), (None, true));
}

/// A rig in which joints move this many parts of the same name, with an animation.
fn twins(count: usize, animation: &str) -> rbxxml::Document {
    let properties = frame("CFrame", 0.0) + &vector("size", 1.0);
    let part = |name: &str, id: &str| item("Part", id, &properties, "").replacen(id, name, 2);
    let twin = |at: usize| {
        let id = format!("P{at}");
        let part = part("A", &id).replacen("referent=\"A\"", &format!("referent=\"{id}\""), 1);
        let joint = field("Ref", "Part0", "Root") + &field("Ref", "Part1", id);
        part + &item("Motor6D", &format!("J{at}"), &joint, "")
    };
    let parts: String = (0..count).map(twin).collect();
    document(&item("Model", "Rig", "", &(part("Root", "Root") + &parts + animation)))
}

/// Only one of the folders has curves.
#[test]
fn folders_of_parts_with_one_name_are_linear() {
    let key = |value| rbxblobs::curves::FloatKey { mode: 1, mask: Some(0), value, left: 0.0, right: 0.0 };
    let curve = rbxblobs::FloatCurve { version: 2, keys: vec![key(0.0), key(1.0)], times: vec![0, 2400] };
    let curve = item("FloatCurve", "X", &keys(&curve.to_vec().expect("a curve")), "");
    let position = item("Vector3Curve", "Position", "", &curve);
    let make = |count: usize, full: usize| {
        let folder = |at: usize| item("Folder", "A", "", if at < full { &position } else { "" });
        let folders: String = (0..count).map(folder).collect();
        twins(count, &item("CurveAnimation", "C", "", &folders))
    };
    let read = |document: &rbxxml::Document| {
        let (scene, losses) = crate::scene_of(document);
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        (scene.animations[0].channels.len(), losses)
    };
    is_linear(|count| make(count, 1), |document| _ = read(document));
    is_linear(|count| make(count, count), |document| _ = read(document));
    assert_eq!(read(&make(3, 1)), (3, vec![]));
    let lost =
        "Rig/C/A[1]: curve keys of a part that an earlier Folder of the CurveAnimation animates (and 3 more)";
    assert_eq!(read(&make(3, 3)), (3, vec![lost.to_owned()]));
}

/// 200 animations of 200 parts have 80,000 channels, of two keys each.
#[test]
fn channels_count_against_the_limit() {
    let keyframe = |time: u32| {
        let pose = item("Pose", "A", &frame("CFrame", 0.0), "");
        item("Keyframe", "Keyframe", &field("float", "Time", time), &pose)
    };
    let animation = item("KeyframeSequence", "S", "", &(keyframe(0) + &keyframe(1)));
    let document = twins(200, &animation.repeat(200));
    let mut options = SceneOptions::default();
    options.max_bytes = 12 << 20;
    let used = testkit::measure(|| {
        let made = crate::of_document(&document, &options);
        let (_, losses) = made.expect("a scene");
        assert!(losses.iter().any(|loss| loss.what.contains("not enough memory")), "{losses:?}");
    });
    assert!(used.bytes_max < 13 << 20, "{}", used.bytes_max);
}
