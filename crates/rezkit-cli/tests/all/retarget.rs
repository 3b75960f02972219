//! Any motion onto any rig: the directions of limbs, the places of feet, and what comes back.
#![allow(clippy::indexing_slicing, reason = "tests")]

use rezkit::ConvertOptions;
use rezkit::scene::motion::{MotionRig, RootMotion, retarget};
use rezkit::scene::slmesh::ChangeOptions;
use rezkit::scene::{RigModel, Scene};

use crate::keyframes::{direction, figure, placed};
use crate::{Ask as _, open};

/// The joints of the limbs in the names of the rigs, with the name of the end of each.
fn limbs(rig: &str) -> [(String, String); 8] {
    let joint = |side: usize, part: usize| {
        let (left, short) = (["Left", "Right"][side], ["L", "R"][side]);
        let lower = short.to_lowercase();
        let names = |all: [&str; 6]| all[part].to_owned();
        match rig {
            "bento" | "classic" => names(["mShoulder", "mElbow", "mWrist", "mHip", "mKnee", "mAnkle"]) + left,
            "mixamo" => {
                format!("mixamorig:{left}{}", names(["Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot"]))
            }
            "vrm" => {
                let parts = ["UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"];
                left.to_lowercase() + &names(parts)
            }
            "vroid" => {
                let parts = ["UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"];
                format!("J_Bip_{short}_{}", names(parts))
            }
            "rigify" => {
                format!("DEF-{}.{short}", names(["upper_arm", "forearm", "hand", "thigh", "shin", "foot"]))
            }
            "unreal" => {
                format!("{}_{lower}", names(["upperarm", "lowerarm", "hand", "thigh", "calf", "foot"]))
            }
            "makehuman" => {
                let parts = ["upperarm01", "lowerarm01", "wrist", "upperleg01", "lowerleg01", "foot"];
                format!("{}.{short}", names(parts))
            }
            "daz" => lower + &names(["ShldrBend", "ForearmBend", "Hand", "ThighBend", "Shin", "Foot"]),
            other => panic!("{other}"),
        }
    };
    let limb = |index: usize| {
        let (side, part) = (index % 2, [0, 1, 3, 4][index / 2]);
        (joint(side, part), joint(side, part + 1))
    };
    std::array::from_fn(limb)
}

/// Whether a rig is one of Roblox's, in studs and with other names.
fn is_of_roblox(rig: &str) -> bool {
    ["r6", "r15", "rthro", "rthro-narrow"].contains(&rig)
}

/// The direction of a figure's front, about y from +z.
fn front(rig: &str) -> f32 {
    if ["bento", "classic"].contains(&rig) { std::f32::consts::FRAC_PI_2 } else { 0.0 }
}

fn turned([x, y, z]: [f32; 3], by: f32) -> [f32; 3] {
    let (sine, cosine) = by.sin_cos();
    [x * cosine + z * sine, y, z * cosine - x * sine]
}

/// A figure of Mixamo on each rig without a file, and from there on Mixamo's rig again: the limbs that move have the same
/// directions.
#[test]
fn each_rig_has_the_directions_of_the_limbs() {
    let scene = figure();
    let moved = ["LeftArm", "LeftForeArm", "RightArm", "RightForeArm", "LeftUpLeg", "LeftLeg"];
    let own = limbs("mixamo");
    for name in MotionRig::names().filter(|name| !is_of_roblox(name)) {
        let rig = MotionRig::named(name).expect("a rig");
        let on = |scene: &Scene, rig: &MotionRig| {
            let (budget, losses) = (&mut crate::budget(), &mut Vec::new());
            retarget(scene, rig, &ChangeOptions::default(), None, budget, losses).expect("moved")
        };
        let (made, reports) = on(&scene, &rig);
        assert_eq!(reports[0].root, RootMotion::Kept, "{name}");
        assert!(reports[0].matched.len() > 15 && reports[0].dropped.is_empty(), "{name}: {:?}", reports[0]);
        made.check().expect("a valid scene");
        let (back, _) = on(&made, &MotionRig::of_scene(&scene).expect("a skeleton"));
        for time in [0.0, 0.3, 0.7, 1.0] {
            let (its, now, again) = (placed(&scene, time), placed(&made, time), placed(&back, time));
            for ((from, to), (start, end)) in own.iter().zip(limbs(name)) {
                if !moved.iter().any(|part| from.ends_with(part)) || !its.contains_key(to) {
                    continue;
                }
                let wanted = direction(&its, from, to);
                for found in
                    [turned(direction(&now, &start, &end), -front(name)), direction(&again, from, to)]
                {
                    let cosine: f32 = wanted.iter().zip(found).map(|(a, b)| a * b).sum();
                    assert!(
                        cosine > 0.5_f32.to_radians().cos(),
                        "{name} {time} {from}: {wanted:?} {found:?}"
                    );
                }
            }
        }
    }
    assert!(MotionRig::named("elephant").is_none());
}

/// Rigs with the same proportions have their ankles at the same places, within 2 cm, and stand as still.
#[test]
fn feet_are_where_they_were() {
    let on = |scene: &Scene, name: &str| {
        let rig = MotionRig::named(name).expect("a rig");
        let (budget, losses) = (&mut crate::budget(), &mut Vec::new());
        let (made, reports) =
            retarget(scene, &rig, &ChangeOptions::default(), None, budget, losses).expect("moved");
        (made, reports[0].clone())
    };
    let (first, _) = on(&figure(), "mixamo");
    for name in MotionRig::names().filter(|name| !is_of_roblox(name) && *name != "mixamo") {
        let (made, report) = on(&first, name);
        assert!((report.scale - 1.0).abs() < 1e-3, "{name}: {}", report.scale);
        if let Some([before, after]) = report.sliding {
            assert!((before - after).abs() < 0.01, "{name}: {before} {after}");
        }
        for step in 0..=20_u8 {
            let time = f32::from(step) / 20.0;
            let (its, now) = (placed(&first, time), placed(&made, time));
            for (from, to) in
                [4, 5, 6, 7].map(|limb| (limbs("mixamo")[limb].1.clone(), limbs(name)[limb].1.clone()))
            {
                let found = turned(now[&to], -front(name));
                crate::near(format!("{name} {time} {to}"), &its[&from], &found, 0.02);
            }
        }
    }
}

/// MakeHuman's BVH: z is up, the figure faces -y, each bone has one beside it whose name begins with `__`, and joints with
/// positions of 0 stay at their offsets. A thigh turned by -90 degrees about x points forward, Roblox's -z.
#[test]
fn bvh_with_z_up_stands() {
    let joint = |name: &str, offset: &str, more: &str| {
        let channels = "CHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation Zrotation";
        format!("JOINT {name} {{ OFFSET {offset}\n {channels}\n {more} }}\n")
    };
    let end = "End Site { OFFSET 0 -1 0 }";
    let leg = |side: &str, x: &str| {
        let foot = joint(&format!("Foot_{side}"), "0 0 -4", end);
        let thigh = joint(
            &format!("UpLeg_{side}"),
            &format!("{x} 0 0"),
            &joint(&format!("LoLeg_{side}"), "0 0 -4", &foot),
        );
        joint(&format!("__UpLeg_{side}"), "0 0 -0.5", &thigh)
    };
    let head = joint("Neck", "0 0 3", &joint("Head", "0 0 1", end));
    let body = joint("Spine1", "0 0 2", &head) + &leg("L", "1") + &leg("R", "-1");
    let root = joint("Root", "0 0 10", &body).replacen("JOINT", "ROOT", 1);
    let frame = |thigh: &str| {
        let none = "0 0 0 0 0 0 ";
        // The root, the spine, the neck, the head and the bone beside the thigh come first.
        format!("0 0 10 0 0 0 {}0 0 0 {thigh} 0 0 {}\n", none.repeat(4), none.repeat(6))
    };
    let text = format!("HIERARCHY\n{root}MOTION\nFrames: 2\nFrame Time: 1\n{}{}", frame("0"), frame("-90"));
    let (made, losses) = open(&text, "kick.bvh").made_with("kick.rbxmx", &ConvertOptions::new());
    crate::has(&losses, "z is up in the rig");
    crate::has(&losses, "positions that are all 0");
    let (scene, _) = crate::scene(made, "kick.rbxmx");
    let thigh = |time: f32| direction(&placed(&scene, time), "LeftUpperLeg", "LeftLowerLeg C0");
    crate::near("stands", &thigh(0.0), &[0.0, -1.0, 0.0], 1e-3);
    crate::near("kicks", &thigh(1.0), &[0.0, 0.0, -1.0], 1e-3);
}

/// R15 to BVH, to a motion of Second Life, to glTF and back to R15: the rotations of the limbs come back within half a
/// degree.
#[test]
fn a_motion_of_r15_goes_round() {
    let options = ConvertOptions::new();
    let mut exact = ConvertOptions::new();
    exact.motion.exact = true;
    let first = crate::open(crate::glb(&figure()).0, "wave.glb").made_with("wave.rbxmx", &options).0;
    let bvh = open(&first, "wave.rbxmx").made_with("wave.bvh", &options).0;
    let motion = open(&bvh, "wave.bvh").made_with("wave.anim", &exact).0;
    let glb = open(&motion, "wave.anim").made_with("wave.glb", &options).0;
    let last = open(&glb, "wave.glb").made_with("again.rbxmx", &options).0;
    let [first, last] = [&first, &last].map(|bytes| crate::scene(bytes, "wave.rbxmx").0);
    let length = first.animations[0].duration();
    assert!((length - last.animations[0].duration()).abs() <= 1.0 / 30.0 + 1e-3, "{length}");
    for time in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (own, again) = (placed(&first, time), placed(&last, time));
        for (part, end) in [
            ("LeftUpperArm", "LeftLowerArm C0"),
            ("LeftLowerArm", "LeftHand C0"),
            ("RightUpperArm", "RightLowerArm C0"),
            ("RightLowerArm", "RightHand C0"),
            ("LeftUpperLeg", "LeftLowerLeg C0"),
            ("LeftLowerLeg", "LeftFoot C0"),
            ("RightLowerLeg", "RightFoot C0"),
        ] {
            let (a, b) = (direction(&own, part, end), direction(&again, part, end));
            let cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            assert!(cosine > 0.5_f32.to_radians().cos(), "{time} {part}: {a:?} {b:?}");
        }
    }
}

/// R6 has no elbows: its arms point to the hands, and those of another rig are straight.
#[test]
fn r6_hangs_its_arms_on_other_rigs() {
    let mut r6 = ConvertOptions::new();
    r6.scene.rig = Some(RigModel::R6);
    let glb = crate::glb(&figure()).0;
    let first = open(&glb, "wave.glb").made_with("wave.rbxmx", &r6).0;
    let mut bento = ConvertOptions::new();
    bento.scene.rig = Some(RigModel::Named("bento"));
    let made = open(&first, "wave.rbxmx").made_with("wave.glb", &bento).0;
    let (scene, own) = (crate::scene(&made, "wave.glb").0, figure());
    for time in [0.0, 0.5, 1.0] {
        let wanted = direction(&placed(&own, time), "mixamorig:LeftArm", "mixamorig:LeftHand");
        let found = direction(&placed(&scene, time), "mShoulderLeft", "mElbowLeft");
        let found = turned(found, -front("bento"));
        let cosine: f32 = wanted.iter().zip(found).map(|(a, b)| a * b).sum();
        assert!(cosine > 1.0_f32.to_radians().cos(), "{time}: {wanted:?} {found:?}");
    }
}

/// Rthro has the parts of R15 in other sizes: by Roblox's page on the evolution of its avatars, a thigh is 1.506 times as
/// long, or 1.40093 and 1.300518 times above and below the knee if it is slender. Limbs point where they did.
#[test]
fn rthro_has_longer_limbs_than_r15() {
    let glb = crate::glb(&figure()).0;
    let on = |rig: RigModel| {
        let mut options = ConvertOptions::new();
        options.scene.rig = Some(rig);
        let motion = open(&glb, "wave.glb").made_with("wave.rbxmx", &options).0;
        let made = open(&motion, "wave.rbxmx").made_with("wave.glb", &options).0;
        crate::scene(&made, "wave.glb").0
    };
    let long = |scene: &Scene| {
        let at = placed(scene, 0.0);
        let apart = |a: &str, b: &str| {
            let ways = at[a].iter().zip(at[b]).map(|(a, b)| (a - b) * (a - b));
            ways.sum::<f32>().sqrt()
        };
        [apart("LeftUpperLeg C0", "LeftLowerLeg C0"), apart("LeftLowerLeg C0", "LeftFoot C0")]
    };
    let own = on(RigModel::R15);
    let [thigh, shin] = long(&own);
    for (rig, factors) in [(RigModel::Rthro, [1.506; 2]), (RigModel::RthroNarrow, [1.400_93, 1.300_518])] {
        let scene = on(rig.clone());
        crate::near("legs", &long(&scene), &[thigh * factors[0], shin * factors[1]], 1e-3);
        for time in [0.0, 0.5, 1.0] {
            for (part, end) in [("LeftUpperArm", "LeftLowerArm C0"), ("LeftUpperLeg", "LeftLowerLeg C0")] {
                let [a, b] = [&own, &scene].map(|scene| direction(&placed(scene, time), part, end));
                let cosine: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                assert!(cosine > 1.0_f32.to_radians().cos(), "{rig:?} {time} {part}: {a:?} {b:?}");
            }
        }
    }
}

/// The names that makers of motions give to the joints of [`figure`], in its order: the trunk, the limbs of a side (`*`), and
/// the sides.
const MAKERS: [(&str, &str, [&str; 2]); 12] = [
    (
        "Bob:Hips Bob:Spine Bob:Spine1 Bob:Neck Bob:Head",
        "Bob:*Arm Bob:*ForeArm Bob:*Hand Bob:*UpLeg Bob:*Leg Bob:*Foot",
        ["Left", "Right"],
    ),
    ("root lowerback thorax lowerneck head", "*humerus *radius *wrist *femur *tibia *foot", ["l", "r"]),
    (
        "SpineBase SpineMid SpineShoulder Neck Head",
        "Shoulder* Elbow* Wrist* Hip* Knee* Ankle*",
        ["Left", "Right"],
    ),
    (
        "m_avg_Pelvis m_avg_Spine1 m_avg_Spine2 m_avg_Neck m_avg_Head",
        "m_avg_*_Shoulder m_avg_*_Elbow m_avg_*_Wrist m_avg_*_Hip m_avg_*_Knee m_avg_*_Ankle",
        ["L", "R"],
    ),
    ("Hip Ab Chest Neck Head", "*UArm *FArm *Hand *Thigh *Shin *Foot", ["L", "R"]),
    ("hip spine1 spine3 neck1 head", "*_upperarm *_forearm *_hand *_thigh *_shin *_foot", ["l", "r"]),
    (
        "SKEL_Pelvis SKEL_Spine0 SKEL_Spine3 SKEL_Neck_1 SKEL_Head",
        "SKEL_*_UpperArm SKEL_*_Forearm SKEL_*_Hand SKEL_*_Thigh SKEL_*_Calf SKEL_*_Foot",
        ["L", "R"],
    ),
    (
        "pelvis spine_0 spine_2 neck_0 head",
        "arm_upper_* arm_lower_* hand_* leg_upper_* leg_lower_* ankle_*",
        ["L", "R"],
    ),
    (
        "Hips SpineLower Chest Neck Head",
        "*ArmUpper *ArmLower *HandWrist *LegUpper *LegLower *FootAnkle",
        ["Left", "Right"],
    ),
    ("Root_M Spine1_M Chest_M Neck_M Head_M", "Shoulder_* Elbow_* Wrist_* Hip_* Knee_* Ankle_*", ["L", "R"]),
    ("センター 上半身 上半身2 首 頭", "*腕 *ひじ *手首 *足 *ひざ *足首", ["左", "右"]),
    (
        "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_NeckTwist01 CC_Base_Head",
        "CC_Base_*_Upperarm CC_Base_*_Forearm CC_Base_*_Hand CC_Base_*_Thigh CC_Base_*_Calf CC_Base_*_Foot",
        ["L", "R"],
    ),
];

/// The same motion arrives whatever its joints are called: names are those of the makers' own files and documentation.
#[test]
fn joints_are_found_by_the_words_of_their_names() {
    let rig = MotionRig::named("r15").expect("a rig");
    let on = |scene: &Scene| {
        let (budget, losses) = (&mut crate::budget(), &mut Vec::new());
        retarget(scene, &rig, &ChangeOptions::default(), None, budget, losses).expect("moved").0
    };
    let wanted = on(&figure());
    for (trunk, limbs, sides) in MAKERS {
        let mut scene = figure();
        let limbs = |side: &str| limbs.split(' ').map(|name| name.replace('*', side)).collect::<Vec<_>>();
        let [left, right] = sides.map(limbs);
        let order = [&left[..3], &right[..3], &left[3..], &right[3..]].concat();
        let names = trunk.split(' ').map(str::to_owned).chain(order);
        for (node, name) in scene.nodes.iter_mut().zip(names) {
            node.name = name;
        }
        let made = on(&scene);
        for time in [0.0, 0.5, 1.0] {
            let (its, own) = (placed(&made, time), placed(&wanted, time));
            for (name, place) in own {
                crate::near(format!("{trunk}: {name}"), &its[&name], &place, 1e-3);
            }
        }
    }
}

/// Motion capture has rest poses in which nobody stands, such as one with all bones along one axis.
#[test]
fn a_rest_pose_that_does_not_stand_is_none() {
    use rezkit::scene::{Transform, Values};
    let rig = MotionRig::named("r15").expect("a rig");
    let on = |scene: &Scene| {
        let (budget, mut losses) = (&mut crate::budget(), Vec::new());
        let made =
            retarget(scene, &rig, &ChangeOptions::default(), None, budget, &mut losses).expect("moved");
        (made.0, losses)
    };
    let mut scene = figure();
    let wanted = on(&scene).0;
    // The file states each value for each time, so that the poses stay.
    for node in 0..scene.nodes.len() {
        let Transform { translation, rotation, .. } = scene.nodes[node].transform;
        let channels = &mut scene.animations[0].channels;
        let has = |values: &Values, channels: &[rezkit::scene::Channel]| {
            channels.iter().any(|of| {
                of.node == node && std::mem::discriminant(&of.values) == std::mem::discriminant(values)
            })
        };
        for values in [Values::Translation(vec![translation; 2]), Values::Rotation(vec![rotation; 2])] {
            if !has(&values, channels) {
                channels.push(crate::channel(node, &[0.0, 1.0], values));
            }
        }
    }
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for (name, turn) in [("Spine", [0.0, half, 0.0, half]), ("LeftUpLeg", [1.0, 0.0, 0.0, 0.0])] {
        let node = scene.nodes.iter_mut().find(|node| node.name == format!("mixamorig:{name}"));
        node.expect("a joint").transform.rotation = turn;
    }
    let (made, losses) = on(&scene);
    assert!(losses.iter().any(|loss| loss.id == "retarget.rest-pose"), "{losses:?}");
    for time in [0.0, 0.5, 1.0] {
        let (its, own) = (placed(&made, time), placed(&wanted, time));
        for (name, place) in own {
            crate::near(format!("{time} {name}"), &its[&name], &place, 0.02);
        }
    }
}

/// A number of samples per second is that of the keys, with one at the end, whatever keys the source has.
#[test]
fn samples_are_at_the_rate_that_was_asked() {
    let mut scene = figure();
    for channel in &mut scene.animations[0].channels {
        // As motion capture has it: a key for each frame.
        let times: Vec<f32> = (0..=30_u8).map(|frame| f32::from(frame) / 30.0).collect();
        let mid = |count: usize| (0..31).map(move |frame| usize::from(frame > 15).min(count - 1));
        match &mut channel.values {
            rezkit::scene::Values::Rotation(list) => *list = mid(list.len()).map(|at| list[at]).collect(),
            rezkit::scene::Values::Translation(list) => *list = mid(list.len()).map(|at| list[at]).collect(),
            other => panic!("{other:?}"),
        }
        channel.times = times;
    }
    let glb = crate::glb(&scene).0;
    for (rig, to) in [(Some(RigModel::R15), "a.glb"), (Some(RigModel::R15), "a.rbxmx"), (None, "a.glb")] {
        for (fps, count) in [(5.0, 6), (10.0, 11)] {
            let mut options = ConvertOptions::new();
            (options.scene.rig, options.animation.fps) = (rig.clone(), Some(fps));
            let made = open(&glb, "wave.glb").made_with(to, &options).0;
            let made = crate::scene(&made, to).0;
            let channels = &made.animations[0].channels;
            let most = channels.iter().map(|channel| channel.times.len()).max();
            assert!(most.is_some_and(|most| most <= count), "{to} {fps}: {most:?}");
            crate::near(to, &[made.animations[0].duration()], &[1.0], 1e-3);
        }
    }
}

/// The parts of a Roblox rig are the bones of a Model 3D file.
#[test]
fn keyframes_become_actions_of_model_3d() {
    let mut options = ConvertOptions::new();
    options.scene.rig = Some(RigModel::R15);
    let motion = open(crate::glb(&figure()).0, "wave.glb").made_with("wave.rbxmx", &options).0;
    let own = crate::scene(&motion, "wave.rbxmx").0;
    let made = open(&motion, "wave.rbxmx").made("wave.m3d");
    let (scene, _) = crate::scene(&made, "wave.m3d");
    assert_eq!(scene.animations.len(), 1);
    for time in [0.0, 0.5, 1.0] {
        let [own, made] = [&own, &scene].map(|scene| {
            let parts: Vec<_> = scene.posed(&scene.pose_at(0, time)).flatten().collect();
            let points = parts.iter().flat_map(|part| &part.mesh.positions).copied();
            let bounds = geom::Aabb::from_points(points).expect("points");
            [bounds.min.to_array(), bounds.max.to_array()].concat()
        });
        crate::near(time, &made, &own, 0.02);
    }
}

/// In place, the hips move up and down only; mirrored, the left arm does what the right one did; trimmed, the first key is
/// what was there at that time.
#[test]
fn changes_apply_to_each_format() {
    let scene = figure();
    let glb = crate::glb(&scene).0;
    let convert = |to: &str, change: &dyn Fn(&mut ChangeOptions)| {
        let mut options = ConvertOptions::new();
        change(&mut options.changes);
        let made = open(&glb, "wave.glb").made_with(to, &options).0;
        crate::scene(&made, to).0
    };
    for to in ["a.glb", "a.bvh", "a.rbxmx", "a.anim"] {
        let hips = match to {
            "a.rbxmx" => "LowerTorso pose",
            "a.anim" => "mPelvis",
            _ => "mixamorig:Hips",
        };
        let plain = convert(to, &|_| {});
        let still = convert(to, &|changes| changes.in_place = true);
        let way = |scene: &Scene| {
            let [first, last] = [0.0, 1.0].map(|time| placed(scene, time)[hips]);
            std::array::from_fn::<f32, 3, _>(|axis| last[axis] - first[axis])
        };
        let ([x, y, z], [a, b, c]) = (way(&plain), way(&still));
        assert!(
            x.hypot(z) > 0.1 && a.hypot(c) < 2e-3 && (y - b).abs() < 2e-3,
            "{to}: {x} {y} {z}, {a} {b} {c}"
        );
        let part = convert(to, &|changes| changes.trim = Some([0.5, 1.0]));
        assert!((part.animations[0].duration() - 0.5).abs() < 0.02, "{to}");
        let (whole, part) = (placed(&plain, 0.5), placed(&part, 0.0));
        crate::near(to, &whole[hips], &part[hips], 0.05);
    }
    let mirrored = convert("a.glb", &|changes| changes.mirror = true);
    for time in [0.0, 0.4, 1.0] {
        let (own, other) = (placed(&scene, time), placed(&mirrored, time));
        for (left, right) in
            [("LeftForeArm", "RightForeArm"), ("LeftHand", "RightHand"), ("LeftFoot", "RightFoot")]
        {
            let [x, y, z] = own[&format!("mixamorig:{left}")];
            crate::near(format!("{time} {left}"), &other[&format!("mixamorig:{right}")], &[-x, y, z], 2e-3);
        }
    }
}

/// Events that scripts receive are extras of the animation: it is listed that they keep their times.
#[test]
fn events_that_keep_their_times_are_listed() {
    let mut scene = figure();
    scene.animations[0].extras.insert("Markers".into(), serde_json::json!([{"time": 0.5, "name": "step"}]));
    let glb = crate::glb(&scene).0;
    let mut options = ConvertOptions::new();
    let (_, losses) = open(&glb, "wave.glb").made_with("a.glb", &options);
    assert!(!losses.iter().any(|loss| loss.contains("Markers")), "{losses:?}");
    options.changes.speed = Some(2.0);
    let (_, losses) = open(&glb, "wave.glb").made_with("a.glb", &options);
    crate::has(&losses, "animations[0].extras.Markers: the times of events or facial controls");
}

/// One animation after another: at first it is the first, at the end the second, and nothing jumps. A pose over an arm
/// leaves the rest as it is.
#[test]
fn animations_are_joined_and_posed() {
    let scene = figure();
    let glb = crate::glb(&scene).0;
    let mut options = ConvertOptions::new();
    (options.changes.then, options.changes.blend) = (Some(glb.as_slice().into()), Some(0.25));
    let (joined, _) = crate::scene(open(&glb, "wave.glb").made_with("a.glb", &options).0, "a.glb");
    assert!((joined.animations[0].duration() - 1.75).abs() < 0.01);
    let hand = |scene: &Scene, time: f32| {
        let at = placed(scene, time);
        let (hips, hand) = (at["mixamorig:Hips"], at["mixamorig:LeftHand"]);
        std::array::from_fn::<f32, 3, _>(|axis| hand[axis] - hips[axis])
    };
    for time in [0.0, 0.3, 0.7] {
        crate::near(time, &hand(&joined, time), &hand(&scene, time), 2e-3);
        crate::near(time, &hand(&joined, 1.75 - time), &hand(&scene, 1.0 - time), 2e-3);
    }
    for step in 0..175_u8 {
        let time = f32::from(step) / 100.0;
        let [a, b] = [hand(&joined, time), hand(&joined, time + 0.01)];
        let way: f32 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
        assert!(way < 0.12, "{time}: {way}");
    }
    let mut options = ConvertOptions::new();
    options.changes.mirror = true;
    let mirrored = open(&glb, "wave.glb").made_with("m.glb", &options).0;
    let mut options = ConvertOptions::new();
    options.changes.pose = Some(mirrored.as_slice().into());
    options.changes.pose_joints = vec!["mShoulderLeft".into()];
    let (posed, _) = crate::scene(open(&glb, "wave.glb").made_with("a.glb", &options).0, "a.glb");
    let (mirrored, _) = crate::scene(&mirrored, "m.glb");
    let limb = |scene: &Scene, from: &str, to: &str| {
        direction(&placed(scene, 1.0), &format!("mixamorig:{from}"), &format!("mixamorig:{to}"))
    };
    crate::near("leg", &limb(&posed, "LeftLeg", "LeftFoot"), &limb(&scene, "LeftLeg", "LeftFoot"), 1e-3);
    crate::near(
        "right",
        &limb(&posed, "RightArm", "RightForeArm"),
        &limb(&scene, "RightArm", "RightForeArm"),
        1e-3,
    );
    let elbow = |scene: &Scene| {
        let [a, b] = [limb(scene, "LeftArm", "LeftForeArm"), limb(scene, "LeftForeArm", "LeftHand")];
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>()
    };
    assert!((elbow(&posed) - elbow(&mirrored)).abs() < 1e-3 && (elbow(&posed) - elbow(&scene)).abs() > 0.1);
    options.changes.pose_joints = vec!["tail".into()];
    assert!(open(&glb, "wave.glb").convert(None, "a.glb", &options).is_err());
    options.changes = ChangeOptions::default();
    options.changes.blend = Some(1.0);
    let error = open(&glb, "wave.glb").convert(None, "a.glb", &options).expect_err("no other animation");
    assert!(error.to_string().contains("without the option then"), "{error}");
}
