//! BVH as a scene, as animations of Roblox, and as motions like those of an upload in Second Life's viewer.

use crate::Ask as _;
use crate::{near, open, options};
use rezkit::ConvertOptions;
use rezkit::scene::Values;
use slmesh::motion::{self, Motion};

use crate::keyframes::placed;

const BVH: &str = "HIERARCHY\r\nROOT hip {\r\n OFFSET 1 2 3\r\n CHANNELS 6 Xposition Yposition ZPosition Zrotation Xrotation Yrotation\r\n\
    JOINT mixamorig:left arm\n{\n OFFSET 0 10 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site chest\n {\n OFFSET 0 1 0\n }\n }\n}\n\
    MOTION\nFrames: 2\nFrame Time: .5\n10 20 30 30 40 50\n+1 2e-1 3.\n \t10 20 30 30 40 50 0 0 0\n";

/// Compares positions and rotations with known numbers, on which Blender's importer agrees.
#[test]
fn bvh_is_posed_as_by_other_programs() {
    let (scene, losses) = crate::scene(BVH, "a");
    assert_eq!(crate::texts(&losses), ["line 11: offsets of end sites, which do not affect the animation"]);
    // Nearly every file has them, so that a finding would say nothing.
    assert_eq!(open(BVH, "a.bvh").check(&[], None).expect("checked"), []);
    assert_eq!(scene.animations[0].duration(), 0.5);
    assert_eq!(scene.nodes[1].name, "mixamorig:left arm");
    // A position channel replaces the offset.
    let placed = placed(&scene, 0.0);
    near("the hip", &placed["hip"], &[10.0, 20.0, 30.0], 1e-4);
    let [x, y, z] = placed["mixamorig:left arm"];
    near("the arm", &[x - 10.0, y - 20.0, z - 30.0], &[-3.8302, 6.6341, 6.4279], 1e-4);
    let Values::Rotation(turns) = &scene.animations[0].channels[0].values else { panic!("rotations first") };
    near("the hip", &turns[0], &[0.1966, 0.4638, 0.3600, 0.7852], 1e-4);
    // Frames without numbers take memory, too.
    for root in ["", "ROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n"] {
        let text = format!("HIERARCHY\n{root}MOTION\nFrames: 4611686018427387904\nFrame Time: 0.03\n");
        let error =
            crate::scene_of(text.as_bytes(), "a", &Default::default(), &mut ()).expect_err("no memory");
        assert!(error.to_string().contains("frames of 0 numbers, more than"), "{error}");
    }
}

/// Lines only matter for names without a `{`: a line can have several frames, and a joint can be on one line.
#[test]
fn a_line_of_bvh_can_have_several_frames_or_a_whole_joint() {
    let scene = |text: &str| crate::scene(text, "a").0;
    let (hierarchy, motion) = BVH.split_once("MOTION").expect("two sections");
    let (head, frames) = motion.split_once(".5\n").expect("frames");
    let joined = |text: &str| text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    let text = format!("{}\nMOTION\n{} .5 \n{}", joined(hierarchy), joined(head), joined(frames));
    assert_eq!(scene(&text), scene(BVH));
}

/// The joint names of Poser, which Second Life has always used, are recognized as a known rig.
#[test]
fn bvh_becomes_animations_of_roblox_and_second_life() {
    let joint = |name: &str, offset: &str, inner: &str| {
        format!("JOINT {name} {{\n OFFSET {offset} CHANNELS 3 Xrotation Zrotation Yrotation\n{inner} }}\n")
    };
    let end = "\nEnd Site {\n OFFSET 0 -1 0 }";
    let arm = |side: &str, x: &str| {
        let hand = joint(&format!("{side}Hand"), &format!("{x}9 0 0"), end);
        let fore = joint(&format!("{side}ForeArm"), &format!("{x}10 0 0"), &hand);
        joint(&format!("{side}Shldr"), &format!("{x}4 8 0"), &fore)
    };
    let leg = |side: &str, x: &str| {
        let foot = joint(&format!("{side}Foot"), "0 -17 0", end);
        let shin = joint(&format!("{side}Shin"), "0 -16 0", &foot);
        joint(&format!("{side}Thigh"), &format!("{x}3 -1 0"), &shin)
    };
    let head = joint("head", "0 4 0", end);
    let chest = joint(
        "chest",
        "0 6 0",
        &format!("{}{}{}", joint("neck", "0 9 0", &head), arm("l", ""), arm("r", "-")),
    );
    let abdomen = joint("abdomen", "0 3 0", &chest);
    let text = format!(
        "HIERARCHY\nROOT hip {{\n OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Xrotation Zrotation Yrotation\n{abdomen}{}{}}}\n\
         MOTION\nFrames: 3\nFrame Time: 0.1\n{}",
        leg("l", ""),
        leg("r", "-"),
        [(35, " 0"), (34, " 10"), (33, " 20")]
            .map(|(hips, turn)| format!("0 {hips} 0{}\n", turn.repeat(51)))
            .concat()
    );
    let mut opened = open(text, "walk.bvh");
    assert_eq!(opened.info().format, "bvh");
    for name in ["walk.rbxm", "walk.anim", "walk.glb"] {
        let mut back = open(opened.made(name), name);
        let (scene, _) = back.scene(&Default::default()).expect("a scene");
        assert_eq!(scene.animations.len(), 1, "{name}");
        assert!(scene.animations[0].channels.len() > 10, "{name}");
    }
}

/// A measured file of the shared cases, which a fresh clone does not contain.
fn real(name: &str) -> Option<Vec<u8>> {
    testkit::shared(&format!("cases/bvh/{name}.bvh"))
}

/// The positions in Blender's importer: `head`, `lHand` and `rFoot` in units of the file, at some frames.
#[test]
fn real_files_are_posed_as_in_blender() {
    let (walk, greet) = (0.066_666_67, 0.1);
    for (name, step, frames, wanted) in [
        ("standing", 1.0, &[0][..], "3.5319 61.8343 -2.5916 13.4691 33.9006 -2.6472 -3.0274 0.4876 0.8879"),
        ("walking", walk, &[0], "-0.3321 51.4435 2.4525 8.0463 36.1310 16.0198 -2.3211 3.8569 20.0729"),
        ("walking", walk, &[1], "-0.5162 50.8511 2.5145 7.4759 35.2152 15.9192 -1.9184 1.1420 16.1080"),
        ("walking", walk, &[13], "-0.3609 52.1448 2.3464 8.8838 37.2295 15.7347 -1.5238 3.2983 17.8534"),
        ("greeting", greet, &[0, 24], "0.0 61.1268 -0.7206 9.6226 33.7407 -1.3313 -4.1953 -0.0373 -0.7082"),
        ("greeting", greet, &[1], "0.2081 61.1060 -0.5727 9.4429 33.4692 -1.2422 -4.1141 -0.0439 -0.7220"),
        ("action", 0.05, &[0, 34], "3.8212 61.8907 -1.8377 12.9607 33.7957 -3.9476 -1.2384 0.4567 0.1611"),
        ("action", 0.05, &[1], "5.3395 59.7305 4.1277 13.8706 33.1031 8.9294 -1.2022 0.5264 -0.3562"),
        ("crouching", 0.05, &[0], "0.0 61.1268 -0.7206 9.6226 33.7407 -1.3313 -4.2555 -0.0498 -0.6380"),
        ("crouching", 0.05, &[1], "0.0 61.1558 -0.8856 9.2886 34.3661 1.1789 -4.2542 -0.0449 -0.6297"),
        ("crouching", 0.05, &[119], "0.0103 59.8168 3.7760 10.6870 34.2103 2.2371 -4.2338 -0.0448 -0.6471"),
    ] {
        let Some(bytes) = real(name) else { continue };
        let (scene, _) = crate::scene(&bytes, "a.bvh");
        for frame in frames {
            let placed = placed(&scene, *frame as f32 * step);
            let wanted: Vec<f32> =
                wanted.split(' ').map(|number| number.parse().expect("a number")).collect();
            for (joint, wanted) in ["head", "lHand", "rFoot"].iter().zip(wanted.chunks(3)) {
                near(format!("{name} {frame} {joint}"), &placed[*joint], wanted, 1e-3);
            }
        }
    }
}

/// Converts a BVH file into a motion; returns the losses as well.
fn uploaded(bytes: Vec<u8>, options: ConvertOptions) -> (Motion, Vec<String>) {
    let (made, losses) = open(bytes, "a.bvh").made_with("a.anim", &options);
    (motion::from_slice(&made).expect("a motion"), losses)
}

/// The name `head` is an alias of `mHead`. The first head does not move.
#[test]
fn joints_that_are_one_of_the_avatar_are_written_once() {
    let head =
        |name: &str| format!("JOINT {name} {{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
    let text = format!(
        "HIERARCHY\nROOT hip {{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n{}{}{}{}End Site {{\n\
         OFFSET 0 0 0\n}}\n}}\n}}\n}}\n}}\n}}\nMOTION\nFrames: 2\nFrame Time: 0.5\n{}\n{}\n",
        head("head"),
        head("mHead"),
        head("head"),
        head("head"),
        ["0"; 15].join(" "),
        "9 9 9 0 0 0 9 0 0 0 9 0 0 0 9",
    );
    let (motion, losses) = uploaded(text.into_bytes(), ConvertOptions::new());
    let names: Vec<String> = motion.joints.iter().map(|joint| joint.name.to_string()).collect();
    assert_eq!(names, ["mPelvis", "mHead"]);
    let turn = motion.joints[1].rotations.last().expect("a key").rotation();
    // A rotation about z is one about the avatar's x.
    assert!((turn[0] - 4.5_f32.to_radians().sin()).abs() < 1e-4, "{turn:?}");
    let what = "head: the keys of a repeated joint: the viewer plays only its first entry (and 1 more)";
    assert_eq!(losses, [what]);
}

/// The duration in seconds, the joints and the position keys that the viewer's routine makes of each file.
#[test]
fn real_files_become_what_the_viewer_uploads() {
    for (name, seconds, joints, places) in [
        ("walking", 0.8, 19, 13),
        ("greeting", 2.3, 18, 0),
        ("action", 1.65, 19, 33),
        ("crouching", 5.9, 19, 54),
    ] {
        let Some(bytes) = real(name) else { continue };
        let (motion, losses) = uploaded(bytes, ConvertOptions::new());
        assert!(losses.iter().all(|loss| loss.contains(": offsets of end sites")), "{name}: {losses:?}");
        assert!((motion.duration - seconds).abs() < 1e-5, "{name}: {}", motion.duration);
        let keys: usize = motion.joints.iter().map(|joint| joint.positions.len()).sum();
        assert_eq!((motion.joints.len(), keys), (joints, places), "{name}");
        let played = (motion.priority, motion.looped, motion.hand_pose, motion.ease_in, motion.ease_out);
        assert_eq!(played, (2, 0, 1, 0.3, 0.3), "{name}");
        assert_eq!((motion.loop_in, motion.loop_out), (0.0, motion.duration));
        if name == "walking" {
            assert_eq!(motion.joints.iter().map(|joint| joint.rotations.len()).sum::<usize>(), 233);
            let hips = &motion.joints[0];
            assert_eq!(hips.name.as_str(), Some("mPelvis"));
            let (turn, place) = (hips.rotations.last().expect("keys"), hips.positions.last().expect("keys"));
            // The viewer rounds down to 16-bit steps.
            near("the place", &place.position(), &[-0.0018, -0.0022, 0.0180], 2.1e-4);
            near("the turn", &turn.rotation(), &[-0.0018, -0.0014, 0.0095, 1.0], 9e-5);
        }
    }
    if let Some(bytes) = real("standing") {
        let (motion, losses) = uploaded(bytes, ConvertOptions::new());
        assert_eq!((motion.duration, motion.joints.len()), (1.0, 20));
        assert!(
            losses.iter().any(|loss| loss.contains("neckDummy") && loss.contains("reject")),
            "{losses:?}"
        );
    }
}

/// Two joints with hand-written frames: axes, values relative to the first frame, and values that are clamped.
#[test]
fn the_viewer_takes_rotations_as_they_are() {
    let text = |root: &str, frames: &str| {
        let arm = "JOINT lShldr\n{\nOFFSET 5 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n";
        let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        format!(
            "HIERARCHY\nROOT {root}\n{{\nOFFSET 0 0 0\n{channels}\n{arm}}}\nMOTION\nFrames: 4\nFrame Time: 0.5\n{frames}"
        )
    };
    // In each frame but the first, the arm has a rotation whose quaternion is known. In the first frame, the hips look
    // to the side. Then they move 300 inches up, which exceeds the format's 5 m, and 10 inches along x.
    let frames =
        "1 2 3 0 0 90 0 0 0\n1 2 3 0 0 90 30 40 50\n1 302 3 0 0 90 30 40 50\n11 2 3 0 0 180 30 40 50\n";
    let (motion, losses) = uploaded(text("hip", frames).into_bytes(), ConvertOptions::new());
    assert_eq!(motion.duration, 1.0);
    let near = |found: &[f32], wanted: &[f32]| near("a key", found, wanted, 4e-4);
    let [hips, arm] = &motion.joints[..] else { panic!("{:?}", motion.joints) };
    assert_eq!((hips.name.as_str(), arm.name.as_str()), (Some("mPelvis"), Some("mShoulderLeft")));
    for key in &arm.rotations {
        near(&key.rotation(), &[0.3600, 0.1966, 0.4638, 0.7852]);
    }
    let places: Vec<_> = hips.positions.iter().map(|key| key.position()).collect();
    near(&places[0], &[0.0; 3]);
    near(&places[1], &[0.0, 0.0, 5.0]);
    // The hips are rotated by 90 degrees about y: 10 along x of the file is 10 along their z, which is x of the avatar.
    near(&places[2], &[0.254, 0.0, 0.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    near(&hips.rotations.last().expect("keys").rotation(), &[0.0, 0.0, half, half]);
    crate::has(&losses, "positions clamped to ±5 m, as the viewer does (number of keys: 1)");
    // A file that the viewer refuses is converted by its rest pose, and this is listed.
    let refused = text("Hips", frames).into_bytes();
    let (motion, losses) = uploaded(refused, ConvertOptions::new());
    crate::has(&losses, "the viewer would reject");
    assert_eq!((motion.duration, motion.priority), (1.5, 3));
    // `exact` keeps all frames as they are played.
    let exact = options(|all| all.motion.exact = true);
    let (motion, losses) = uploaded(text("hip", frames).into_bytes(), exact.clone());
    assert_eq!((motion.duration, motion.priority), (1.5, 3), "{losses:?}");
    let glb = crate::glb(&crate::keyframes::figure()).0;
    let mut opened = open(glb, "a.glb");
    let error = opened.convert(None, "a.anim", &exact).expect_err("no BVH");
    assert!(error.to_string().starts_with("the option exact applies only to BVH files"), "{error}");
}

/// Hips with the offset 0, whose height is only in the frames, as in most files: the avatar must not float. The viewer
/// takes positions relative to the first frame.
#[test]
fn hips_without_an_offset_move_from_the_first_frame() {
    let joint = |name: &str, offset: &str, inner: &str| {
        format!("JOINT {name} {{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\n{inner}}}\n")
    };
    let leg = |[thigh, shin, foot]: [&str; 3], x: i32| {
        let foot = joint(foot, "0 -18 0", "End Site {\nOFFSET 0 -2 4\n}\n");
        joint(thigh, &format!("{x} -2 0"), &joint(shin, "0 -20 0", &foot))
    };
    let text = |root: &str, offset: &str| {
        let names = match root {
            "hip" => [["lThigh", "lShin", "lFoot"], ["rThigh", "rShin", "rFoot"]],
            _ => [["LeftUpLeg", "LeftLeg", "LeftFoot"], ["RightUpLeg", "RightLeg", "RightFoot"]],
        };
        let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
        let (legs, rest) = (leg(names[0], 4) + &leg(names[1], -4), " 0".repeat(21));
        format!(
            "HIERARCHY\nROOT {root} {{\nOFFSET {offset}\n{channels}\n{legs}}}\n\
             MOTION\nFrames: 2\nFrame Time: 0.5\n5 42 0{rest}\n5 46 0{rest}\n"
        )
        .into_bytes()
    };
    // The legs of the avatar (hips to ankles) have 40 units in the file, and it moves by 4 units.
    let hips_of = |bytes, options| {
        let (motion, losses) = uploaded(bytes, options);
        let hips = motion.joints.iter().find(|joint| joint.name.as_str() == Some("mPelvis")).expect("hips");
        let heights: Vec<f32> = hips.positions.iter().map(|key| key.position()[2]).collect();
        let is_listed = losses.iter().any(|loss| loss.contains("relative to the first frame"));
        (heights, is_listed)
    };
    let exact = options(|all| all.motion.exact = true);
    for (root, offset, options, is_changed) in [
        ("Hips", "0 0 0", ConvertOptions::new(), true),
        ("hip", "0 0 0", exact.clone(), true),
        ("Hips", "5 42 0", ConvertOptions::new(), false),
        ("hip", "5 42 0", exact, false),
    ] {
        let (heights, is_listed) = hips_of(text(root, offset), options);
        let [first, last] = [heights[0], heights[heights.len() - 1]];
        assert!(first.abs() < 1e-3, "{root} {offset}: {heights:?}");
        assert!((0.08..0.13).contains(&last), "{root} {offset}: {heights:?}");
        assert_eq!(is_listed, is_changed, "{root} {offset}");
    }
    // The legs of R15 have about 1.9 studs.
    for (offset, is_changed) in [("0 0 0", true), ("5 42 0", false)] {
        let mut opened = open(text("Hips", offset), "walk.bvh");
        let output = opened.convert(None, "walk.rbxmx", &ConvertOptions::new()).expect("an animation");
        let is_listed =
            output.losses.iter().any(|loss| loss.to_string().contains("relative to the first frame"));
        assert_eq!(is_listed, is_changed, "{offset}");
        let text = String::from_utf8(output.files[0].bytes.clone()).expect("a text");
        let heights =
            text.split("<Y>").skip(1).filter_map(|rest| rest.split('<').next()?.parse::<f32>().ok());
        let highest = heights.fold(0.0, f32::max);
        assert!((0.15..0.25).contains(&highest), "{offset}: {highest}");
    }
}

/// The angle between two rotations, in radians: twice the arcsine of half the distance, which is exact for small ones.
fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
    let distance = |sign: f64| {
        let parts = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - sign * f64::from(b)).powi(2));
        parts.sum::<f64>().sqrt()
    };
    4.0 * (distance(1.0).min(distance(-1.0)) / 2.0).asin()
}

/// A motion of an avatar with a frame each 0.1 s: the pelvis moves and turns, the left elbow turns about odd axes.
fn swing() -> Motion {
    let mut motion = Motion::new(1.0);
    let part = |frame: u8| f32::from(frame) / 10.0;
    let [mut pelvis, mut elbow] = ["mPelvis", "mElbowLeft"].map(motion::Joint::new);
    for frame in 0..=10 {
        let (sine, cosine) = part(frame).sin_cos();
        pelvis.rotations.push(motion::Key::of_rotation(part(frame), [0.0, 0.0, sine, cosine]));
        pelvis.positions.push(motion::Key::of_position(part(frame), [part(frame), 0.25, -0.5 * part(frame)]));
        elbow.rotations.push(motion::Key::of_rotation(part(frame), [0.6 * sine, 0.8 * sine, 0.0, cosine]));
    }
    motion.joints.extend([pelvis, elbow]);
    motion
}

/// In Second Life x is forward, y left and z up; in BVH files for it z, x and y. The viewer's upload uses the rotations
/// unchanged, without the first frame.
#[test]
fn motions_become_bvh_with_the_same_frames() {
    let motion = swing();
    let bytes = motion::to_vec(&motion).expect("a motion");
    let convert = |bytes: &[u8], from: &str, to: &str, options: &ConvertOptions| {
        let made = open(bytes, from).convert(None, to, options);
        made.map(|mut output| (output.files.remove(0).bytes, crate::texts(&output.losses)))
    };
    let (made, losses) = convert(&bytes, "a.anim", "a.bvh", &ConvertOptions::new()).expect("BVH");
    assert_eq!(losses.len(), 3, "{losses:?}");
    let text = std::str::from_utf8(&made).expect("text");
    let start = "HIERARCHY\nROOT mPelvis\n{\n\tOFFSET 0.000000 1.067000 0.000000\n";
    assert!(text.starts_with(start), "{text:.200}");
    // The viewer's skeleton has 133 bones; only the pelvis moves in its parent.
    assert_eq!((text.matches("JOINT").count(), text.matches("position").count()), (132, 3));
    assert!(text.contains("Frames: 11\nFrame Time: 0.1"));
    let (scene, _) = crate::scene(&made, "a.bvh");
    for joint in &motion.joints {
        let node =
            scene.nodes.iter().position(|node| Some(&*node.name) == joint.name.as_str()).expect("a joint");
        for (frame, key) in joint.rotations.iter().enumerate() {
            let pose = scene.pose_at(0, frame as f32 * 0.1).transforms[node];
            let [x, y, z, w] = key.rotation();
            assert!(angle(pose.rotation, [y, z, x, w]) < 1e-4, "{frame}: {pose:?} {key:?}");
            if let Some(key) = joint.positions.get(frame) {
                let [x, y, z] = key.position();
                near(frame, &pose.translation, &[y, z + 1.067, x], 1e-5);
            }
        }
    }
    let exact = options(|all| all.motion.exact = true);
    let (exact, listed) = convert(&made, "a.bvh", "b.anim", &exact).expect("a motion");
    // The other 131 joints of the skeleton get no keys, which would hold them against other animations.
    let names = |bytes: &[u8]| {
        let motion = motion::from_slice(bytes).expect("a motion");
        motion.joints.iter().map(|joint| joint.name.to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&exact), names(&bytes));
    let count = format!(
        "rest pose, which gets no keys, so that other animations can move it ({})",
        133 - names(&bytes).len()
    );
    assert!(listed.iter().any(|loss| loss.contains("rest pose, which gets no keys")), "{count} {listed:?}");
    let (uploaded, _) = convert(&made, "a.bvh", "b.anim", &ConvertOptions::new()).expect("a motion");
    for (bytes, first) in [(exact, 0), (uploaded, 1)] {
        let made = motion::from_slice(&bytes).expect("a motion");
        let of = |motion: &Motion| {
            let elbow = motion.joints.iter().find(|joint| joint.name.as_str() == Some("mElbowLeft"));
            elbow.expect("an elbow").rotations.clone()
        };
        let (own, its) = (of(&motion), of(&made));
        for (own, its) in [(own[first], its[0]), (own[10], its[its.len() - 1])] {
            assert!(angle(own.rotation(), its.rotation()) < 2e-4, "{own:?} {its:?}");
        }
    }
    // Other frames per second on request, and keys that are not at equal distances.
    let fast = options(|all| all.animation.fps = Some(50.0));
    let (made, losses) = convert(&bytes, "a.anim", "a.bvh", &fast).expect("BVH");
    assert!(String::from_utf8_lossy(&made).contains("Frames: 51\nFrame Time: 0.02\n"), "{losses:?}");
    let mut uneven = motion.clone();
    uneven.joints[1].rotations[5].time += 1000;
    let uneven = motion::to_vec(&uneven).expect("a motion");
    let (made, losses) = convert(&uneven, "a.anim", "a.bvh", &ConvertOptions::new()).expect("BVH");
    assert!(String::from_utf8_lossy(&made).contains("Frames: 31\n"), "{losses:?}");
    crate::has(&losses, "sampled 30 times a second");
    for change in [
        (|options| options.animation.fps = Some(0.0)) as fn(&mut ConvertOptions),
        |options| options.animation.curves = true,
        |options| options.motion.priority = Some(3),
    ] {
        let error = convert(&bytes, "a.anim", "a.bvh", &options(change)).expect_err("refused");
        assert_eq!(error.kind(), rezkit::ErrorKind::Argument, "{error}");
    }
}

/// Bones that are rotated at rest, below a node with a scale: BVH has neither, but the same positions. A translation of
/// a joint other than the root is kept, too.
#[test]
fn skeletons_of_gltf_become_bvh_with_the_same_positions() {
    use rezkit::scene::{Animation, Node, Scene, Transform};
    let mut scene = Scene::default();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let transform = Transform { scale: [0.01; 3], rotation: [half, 0.0, 0.0, half], ..Transform::default() };
    let mut parent = scene.add_node(None, Node { name: "Armature".into(), transform, ..Node::default() });
    let mut channels = Vec::new();
    for (name, x) in [("a bone", 5.0), ("b", 30.0), ("b", 20.0), ("tip", 10.0)] {
        let transform = Transform {
            translation: [x, 2.0, 0.0],
            rotation: [0.0, half, 0.0, half],
            ..Transform::default()
        };
        parent = scene.add_node(Some(parent), Node { name: name.into(), transform, ..Node::default() });
        let turns = vec![transform.rotation, [0.5, 0.5, 0.5, 0.5], [0.0, 0.6, 0.8, 0.0]];
        let mut add = |values| {
            channels.push(crate::channel(parent, &[0.0, 0.5, 1.0], values));
        };
        add(Values::Rotation(turns));
        if name == "tip" {
            add(Values::Translation(vec![[10.0, 2.0, 0.0], [12.0, 2.0, 3.0], [10.0, 2.0, 0.0]]));
        }
    }
    scene.animations.push(Animation { name: "wave".into(), channels, ..Animation::default() });
    let (glb, _) = crate::glb(&scene);
    let (made, listed) = open(glb, "wave.glb").made_with("wave.bvh", &ConvertOptions::new());
    assert!(listed.len() == 1 && listed[0].contains("and 1 more"), "{listed:?}");
    crate::has(&listed, "a name that another joint has");
    let text = String::from_utf8_lossy(&made).into_owned();
    // The root and the tip have positions, the others do not.
    assert_eq!((text.matches("position").count(), text.matches("rotation").count()), (6, 12), "{text}");
    let (back, _) = crate::scene(text, "a.bvh");
    for frame in 0..=30_u8 {
        let time = f32::from(frame) / 30.0;
        let world = |scene: &Scene| scene.world_matrices(&scene.pose_at(0, time).transforms);
        let (own, its) = (world(&scene), world(&back));
        for (own, its) in own[1..].iter().zip(&its) {
            near(frame, &own[3], &its[3], 1e-5);
        }
    }
}

/// The `.avm` files of QAvimator's examples have these lines after the frames: two for each joint and end site, and the
/// settings.
#[test]
fn files_of_qavimator_are_bvh() {
    let more =
        "1 1 \n0 \n0 \nProperties\n2 0 0 \n1 0 \n1 0 \nScale: 1.000000\nFigure: 1\nLoopIn: 1\nLoopOut: 2\n";
    let text = format!("{BVH}{more}");
    let read = |text: &str| crate::scene_of(text.as_bytes(), "a.avm", &Default::default(), &mut ());
    let (scene, losses) = read(&text).expect("AVM");
    let (bvh, _) = read(BVH).expect("BVH");
    assert_eq!(scene, bvh);
    assert!(crate::texts(&losses)[1].starts_with("line 21: the lines of QAvimator"), "{losses:?}");
    // Newer versions end with a line of two numbers.
    let newer = read(&format!("{text}Positions: 0 \nPositionsEase: 1 0 \n")).expect("AVM").0;
    assert_eq!(newer, bvh);
    // Anything else is still refused.
    assert!(read(&format!("{text}PositionsEase: 1 a\n")).is_err());
    assert!(read(&format!("{text}Hello\n")).is_err() && read(&text.replace("2 0 0", "3 0 0")).is_err());
}

/// Nodes without a common parent get one; two limbs get the node that holds them. Joints that are too deep are refused.
#[test]
fn bvh_has_one_root() {
    use rezkit::scene::{Animation, Node, Scene};
    let turn = |scene: &mut Scene, nodes: &[usize]| {
        let channel = |&node: &usize| {
            let values = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]]);
            crate::channel(node, &[0.0, 1.0], values)
        };
        let channels = nodes.iter().map(channel).collect();
        scene.animations.push(Animation { channels, ..Animation::default() });
    };
    let node = |name: &str| Node { name: name.into(), ..Node::default() };
    let write = |scene: &Scene| {
        let written = crate::writer("bvh").write(scene, "a", 1 << 26)?;
        let text = String::from_utf8(written.bytes).expect("text");
        let words =
            text.lines().map(str::trim).filter(|line| line.starts_with("ROOT") || line.starts_with("JOINT"));
        Ok::<_, rezkit::Error>((words.collect::<Vec<_>>().join(" "), crate::texts(&written.losses)))
    };
    let mut scene = Scene::default();
    let top = scene.add_node(None, node("top"));
    let chest = scene.add_node(Some(top), node("chest"));
    let middle = scene.add_node(Some(chest), node("middle"));
    let limbs = [middle, middle, chest].map(|parent| scene.add_node(Some(parent), node("limb")));
    let mut two = scene.clone();
    turn(&mut two, &limbs[..2]);
    assert_eq!(write(&two).expect("BVH").0, "ROOT middle JOINT limb JOINT limb_2");
    turn(&mut scene, &limbs);
    let other = scene.add_node(None, node("other"));
    assert_eq!(write(&scene).expect("BVH").0, "ROOT chest JOINT limb JOINT limb_2 JOINT limb_3");
    scene.animations.clear();
    turn(&mut scene, &[chest, limbs[0], other]);
    let (words, losses) = write(&scene).expect("BVH");
    assert_eq!(words, "ROOT root JOINT chest JOINT limb JOINT other");
    assert!(losses[0].contains("one root"), "{losses:?}");
    let mut deep = Scene::default();
    let mut nodes = vec![deep.add_node(None, node("a"))];
    for _ in 0..512 {
        nodes.push(deep.add_node(nodes.last().copied(), node("a")));
    }
    turn(&mut deep, &nodes);
    assert!(write(&deep).is_err_and(|error| error.to_string().contains("nested deeper")));
    deep.animations.clear();
    assert!(write(&deep).is_err_and(|error| error.to_string().contains("no animation")));
}

/// Many frames at 120 a second: all come back, although 32 bits round their times.
#[test]
fn long_animations_keep_their_frames() {
    let channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
    for count in [4511, 20_000] {
        let frames: String = (0..count).map(|at| format!("0 0 0 {} 0 0\n", at % 7)).collect();
        let text = format!(
            "HIERARCHY\nROOT Hips\n{{\nOFFSET 0 0 0\n{channels}\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\nMOTION\n\
             Frames: {count}\nFrame Time: 0.0083333\n{frames}"
        );
        let glb = open(text, "a.bvh").made("a.glb");
        let mut opened = open(glb, "a.glb");
        let made = opened.convert(None, "a.bvh", &ConvertOptions::new()).expect("BVH");
        let text = String::from_utf8_lossy(&made.files[0].bytes).into_owned();
        let what = format!("Frames: {count}\n");
        assert!(text.contains(&what), "{count}: {:?}", text.lines().find(|line| line.starts_with("Frame")));
        assert!(!crate::texts(&made.losses).iter().any(|loss| loss.contains("sampled")));
    }
}

/// A deformer holds joints in other positions than those of the skeleton; they come back from BVH.
#[test]
fn a_position_that_does_not_change_comes_back() {
    let mut motion = swing();
    let mut jaw = motion::Joint::new("mFaceJaw");
    jaw.positions.push(motion::Key::of_position(0.0, [-0.01, 0.0, 0.005]));
    motion.joints.push(jaw);
    let convert = |bytes: Vec<u8>, from: &str, to: &str, options: &ConvertOptions| {
        let mut opened = open(bytes, from);
        opened.convert(None, to, options).expect("converted").files.remove(0).bytes
    };
    let made = motion::to_vec(&motion).expect("a motion");
    let made = convert(made, "a.anim", "a.bvh", &ConvertOptions::new());
    let mut options = ConvertOptions::new();
    options.motion.exact = true;
    let made = motion::from_slice(&convert(made, "a.bvh", "b.anim", &options)).expect("a motion");
    let jaw = made.joints.iter().find(|joint| joint.name.as_str() == Some("mFaceJaw")).expect("a jaw");
    let found = jaw.positions[0].position();
    assert!(found.iter().zip([-0.01, 0.0, 0.005]).all(|(a, b)| (a - b).abs() < 2e-4), "{found:?}");
}
