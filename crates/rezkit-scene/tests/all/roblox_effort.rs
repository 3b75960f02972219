//! Animations of Roblox documents are read with work that is linear in the document, however they are nested.

use rezkit_core::Budget;
use rezkit_scene::{Reference, SceneOptions, roblox};

/// An instance with properties and children.
fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    format!(
        "<Item class=\"{class}\" referent=\"{name}\"><Properties><string name=\"Name\">{name}</string>{properties}\
         </Properties>{children}</Item>"
    )
}

fn document(items: &str) -> rbxxml::Document {
    rbxxml::from_str(&format!("<roblox version=\"4\">{items}</roblox>")).expect("a document")
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
    let made = roblox::from_document(&outer, &SceneOptions::default(), &mut |_: &Reference, _: u64| Ok(None));
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
        let turn = "<R00>1</R00><R11>1</R11><R22>1</R22>";
        let frame = format!("<CoordinateFrame name=\"CFrame\">{turn}</CoordinateFrame>");
        let size = "<Vector3 name=\"size\"><X>1</X><Y>1</Y><Z>1</Z></Vector3>";
        item("Part", name, &(frame + size), &item("Bone", bone, "", ""))
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
    use base64::Engine as _;
    let curve = rbxblobs::MarkerCurve {
        version: 2,
        keys: (0..1000).map(|_| rbxblobs::curves::Marker("m".into())).collect(),
        times: (0..1000).collect(),
    };
    let curve = base64::prelude::BASE64_STANDARD.encode(curve.to_vec().expect("a curve"));
    let curve = format!("<BinaryString name=\"ValuesAndTimes\">{curve}</BinaryString>");
    let markers = item("MarkerCurve", &"N".repeat(10_000), &curve, "");
    let frame = |x: u32| {
        format!(
            "<CoordinateFrame name=\"CFrame\"><X>{x}</X><R00>1</R00><R11>1</R11><R22>1</R22></CoordinateFrame>"
        )
    };
    let keyframe = |time: u32| {
        let pose = item("Pose", "Joint", &frame(time), "");
        item("Keyframe", "Keyframe", &format!("<float name=\"Time\">{time}</float>"), &pose)
    };
    let animation = item("KeyframeSequence", "A", "", &(keyframe(0) + &keyframe(1) + &markers));
    let size = "<Vector3 name=\"size\"><X>1</X><Y>1</Y><Z>1</Z></Vector3>";
    let joint = item("Motor6D", "J", "<Ref name=\"Part0\">P</Ref><Ref name=\"Part1\">Joint</Ref>", "");
    let part = |name: &str, joint: &str| item("Part", name, &(frame(0) + size), joint);
    let part = part("P", "") + &part("Joint", &joint);
    let document = document(&item("Model", "Rig", "", &(part + &animation)));
    let read = |max_bytes: u64| {
        let mut options = SceneOptions::default();
        options.max_bytes = max_bytes;
        let (scene, losses) =
            roblox::from_document(&document, &options, &mut |_: &Reference, _: u64| Ok(None))
                .expect("a scene");
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
    let frame = "<CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10>\
                 <R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>";
    let size = "<Vector3 name=\"size\"><X>1</X><Y>1</Y><Z>1</Z></Vector3>";
    let part = |name: &str, id: &str| item("Part", id, &format!("{frame}{size}"), "").replacen(id, name, 2);
    let twin = |at: usize| {
        let id = format!("P{at}");
        let part = part("A", &id).replacen("referent=\"A\"", &format!("referent=\"{id}\""), 1);
        let joint = format!("<Ref name=\"Part0\">Root</Ref><Ref name=\"Part1\">{id}</Ref>");
        part + &item("Motor6D", &format!("J{at}"), &joint, "")
    };
    let parts: String = (0..count).map(twin).collect();
    document(&item("Model", "Rig", "", &(part("Root", "Root") + &parts + animation)))
}

/// Only one of the folders has curves.
#[test]
fn folders_of_parts_with_one_name_are_linear() {
    use base64::Engine as _;
    let key = |value| rbxblobs::curves::FloatKey { mode: 1, mask: Some(0), value, left: 0.0, right: 0.0 };
    let curve = rbxblobs::FloatCurve { version: 2, keys: vec![key(0.0), key(1.0)], times: vec![0, 2400] };
    let curve = base64::prelude::BASE64_STANDARD.encode(curve.to_vec().expect("a curve"));
    let curve = format!("<BinaryString name=\"ValuesAndTimes\">{curve}</BinaryString>");
    let position = item("Vector3Curve", "Position", "", &item("FloatCurve", "X", &curve, ""));
    let make = |count: usize, full: usize| {
        let folder = |at: usize| item("Folder", "A", "", if at < full { &position } else { "" });
        let folders: String = (0..count).map(folder).collect();
        twins(count, &item("CurveAnimation", "C", "", &folders))
    };
    let read = |document: &rbxxml::Document| {
        let made =
            roblox::from_document(document, &SceneOptions::default(), &mut |_: &Reference, _: u64| Ok(None));
        let (scene, losses) = made.expect("a scene");
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
    let turn = "<R00>1</R00><R11>1</R11><R22>1</R22>";
    let frame = format!("<CoordinateFrame name=\"CFrame\">{turn}</CoordinateFrame>");
    let keyframe = |time: u32| {
        let pose = item("Pose", "A", &frame, "");
        item("Keyframe", "Keyframe", &format!("<float name=\"Time\">{time}</float>"), &pose)
    };
    let animation = item("KeyframeSequence", "S", "", &(keyframe(0) + &keyframe(1)));
    let document = twins(200, &animation.repeat(200));
    let mut options = SceneOptions::default();
    options.max_bytes = 12 << 20;
    let used = testkit::measure(|| {
        let made = roblox::from_document(&document, &options, &mut |_: &Reference, _: u64| Ok(None));
        let (_, losses) = made.expect("a scene");
        assert!(losses.iter().any(|loss| loss.what.contains("not enough memory")), "{losses:?}");
    });
    assert!(used.bytes_max < 13 << 20, "{}", used.bytes_max);
}
