//! BVH as a scene, as animations of Roblox, and as motions like those of an upload in Second Life's viewer.

use rezkit::scene::Values;
use rezkit::{ConvertOptions, open};
use slmesh::motion::{self, Motion};

use crate::keyframes::placed;

const BVH: &str = "HIERARCHY\r\nROOT hip {\r\n OFFSET 1 2 3\r\n CHANNELS 6 Xposition Yposition ZPosition Zrotation Xrotation Yrotation\r\n\
    JOINT mixamorig:left arm\n{\n OFFSET 0 10 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site chest\n {\n OFFSET 0 1 0\n }\n }\n}\n\
    MOTION\nFrames: 2\nFrame Time: .5\n10 20 30 30 40 50\n+1 2e-1 3.\n \t10 20 30 30 40 50 0 0 0\n";

/// Compares positions and rotations with known numbers, on which Blender's importer agrees.
#[test]
fn bvh_is_posed_as_by_other_programs() {
    let (scene, losses) = crate::scene_of(BVH.as_bytes(), "a", &Default::default(), &mut ()).expect("BVH");
    assert_eq!(crate::texts(&losses), ["line 11: offsets of end sites, which do not affect the animation"]);
    assert_eq!(scene.animations[0].duration(), 0.5);
    assert_eq!(scene.nodes[1].name, "mixamorig:left arm");
    let close = |found: [f32; 3], wanted: [f32; 3]| {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?} {wanted:?}");
    };
    // A position channel replaces the offset.
    let placed = placed(&scene, 0.0);
    close(placed["hip"], [10.0, 20.0, 30.0]);
    let [x, y, z] = placed["mixamorig:left arm"];
    close([x - 10.0, y - 20.0, z - 30.0], [-3.8302, 6.6341, 6.4279]);
    let Values::Rotation(turns) = &scene.animations[0].channels[0].values else { panic!("rotations first") };
    for (found, wanted) in turns[0].iter().zip([0.1966, 0.4638, 0.3600, 0.7852]) {
        assert!((found - wanted).abs() < 1e-4, "{turns:?}");
    }
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
    let scene =
        |text: &str| crate::scene_of(text.as_bytes(), "a", &Default::default(), &mut ()).expect("BVH").0;
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
    let mut opened = open(text.into_bytes(), "walk.bvh", ()).expect("BVH");
    assert_eq!(opened.info().format, "bvh");
    for name in ["walk.rbxm", "walk.anim", "walk.glb"] {
        let output = opened
            .convert(None, name, &ConvertOptions::new())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut back = open(output.files[0].bytes.clone(), name, ()).expect("readable");
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
    for (name, step, frames, wanted) in [
        ("standing", 1.0, &[0][..], "3.5319 61.8343 -2.5916 13.4691 33.9006 -2.6472 -3.0274 0.4876 0.8879"),
        (
            "walking",
            0.066_666_67,
            &[0][..],
            "-0.3321 51.4435 2.4525 8.0463 36.1310 16.0198 -2.3211 3.8569 20.0729",
        ),
        (
            "walking",
            0.066_666_67,
            &[1][..],
            "-0.5162 50.8511 2.5145 7.4759 35.2152 15.9192 -1.9184 1.1420 16.1080",
        ),
        (
            "walking",
            0.066_666_67,
            &[13][..],
            "-0.3609 52.1448 2.3464 8.8838 37.2295 15.7347 -1.5238 3.2983 17.8534",
        ),
        ("greeting", 0.1, &[0, 24][..], "0.0 61.1268 -0.7206 9.6226 33.7407 -1.3313 -4.1953 -0.0373 -0.7082"),
        ("greeting", 0.1, &[1][..], "0.2081 61.1060 -0.5727 9.4429 33.4692 -1.2422 -4.1141 -0.0439 -0.7220"),
        (
            "action",
            0.05,
            &[0, 34][..],
            "3.8212 61.8907 -1.8377 12.9607 33.7957 -3.9476 -1.2384 0.4567 0.1611",
        ),
        ("action", 0.05, &[1][..], "5.3395 59.7305 4.1277 13.8706 33.1031 8.9294 -1.2022 0.5264 -0.3562"),
        ("crouching", 0.05, &[0][..], "0.0 61.1268 -0.7206 9.6226 33.7407 -1.3313 -4.2555 -0.0498 -0.6380"),
        ("crouching", 0.05, &[1][..], "0.0 61.1558 -0.8856 9.2886 34.3661 1.1789 -4.2542 -0.0449 -0.6297"),
        (
            "crouching",
            0.05,
            &[119][..],
            "0.0103 59.8168 3.7760 10.6870 34.2103 2.2371 -4.2338 -0.0448 -0.6471",
        ),
    ] {
        let Some(bytes) = real(name) else { continue };
        let (scene, _) = crate::scene_of(&bytes, "a.bvh", &Default::default(), &mut ()).expect(name);
        for frame in frames {
            let placed = placed(&scene, *frame as f32 * step);
            let wanted: Vec<f32> =
                wanted.split(' ').map(|number| number.parse().expect("a number")).collect();
            for (joint, wanted) in ["head", "lHand", "rFoot"].iter().zip(wanted.chunks(3)) {
                let found = placed[*joint];
                let near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3);
                assert!(near, "{name} {frame} {joint}: {found:?}, expected {wanted:?}");
            }
        }
    }
}

/// Converts a BVH file into a motion; returns the losses as well.
fn uploaded(bytes: Vec<u8>, options: ConvertOptions) -> (Motion, Vec<String>) {
    let output = open(bytes, "a.bvh", ()).expect("BVH").convert(None, "a.anim", &options).expect("a motion");
    let losses = output.losses.iter().map(ToString::to_string).collect();
    (motion::from_slice(&output.files[0].bytes).expect("a motion"), losses)
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
    assert_eq!(
        losses,
        ["head: the keys of a repeated joint: the viewer plays only its first entry (and 1 more)"]
    );
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
            let near = |found: &[f32], wanted: &[f32], step: f32| {
                assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < step), "{found:?} {wanted:?}");
            };
            // The viewer rounds down to 16-bit steps.
            near(&place.position(), &[-0.0018, -0.0022, 0.0180], 2.1e-4);
            near(&turn.rotation(), &[-0.0018, -0.0014, 0.0095, 1.0], 9e-5);
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
    let near = |found: &[f32], wanted: &[f32]| {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 4e-4), "{found:?} {wanted:?}");
    };
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
    assert!(
        losses
            .iter()
            .any(|loss| loss.contains("positions clamped to ±5 m, as the viewer does (number of keys: 1)")),
        "{losses:?}"
    );
    // A file that the viewer refuses is converted by its rest pose, and this is listed.
    let refused = text("Hips", frames).into_bytes();
    let (motion, losses) = uploaded(refused, ConvertOptions::new());
    assert!(losses.iter().any(|loss| loss.contains("the viewer would reject")), "{losses:?}");
    assert_eq!((motion.duration, motion.priority), (1.5, 3));
    // `exact` keeps all frames as they are played.
    let mut exact = rezkit::scene::slmesh::MotionOptions::default();
    exact.exact = true;
    let (motion, losses) = uploaded(text("hip", frames).into_bytes(), ConvertOptions::new().motion(exact));
    assert_eq!((motion.duration, motion.priority), (1.5, 3), "{losses:?}");
    let glb = crate::writer("glb").write(&crate::keyframes::figure(), "a", 1 << 28).expect("written").bytes;
    let mut opened = open(glb, "a.glb", ()).expect("glTF");
    let error = opened.convert(None, "a.anim", &ConvertOptions::new().motion(exact)).expect_err("no BVH");
    assert_eq!(error.to_string(), "the option exact applies only to BVH files; remove it");
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
    let mut exact = rezkit::scene::slmesh::MotionOptions::default();
    exact.exact = true;
    let exact = ConvertOptions::new().motion(exact);
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
        let mut opened = open(text("Hips", offset), "walk.bvh", ()).expect("BVH");
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
