//! Motions of Second Life as scenes.

use rezkit_scene::{Budget, Scene, Values, slmesh::motion_from_scene, slmesh::motion_to_scene};
use slmesh::motion::{Constraint, Joint, Key, Motion};

fn joint(name: &str, angles: &[f32]) -> Joint {
    let mut joint = Joint::new(name);
    let times = (0_u8..).map(|index| f32::from(index) / (angles.len() - 1).max(1) as f32);
    let rotation =
        |angle: f32| [(angle / 2.0).to_radians().sin(), 0.0, 0.0, (angle / 2.0).to_radians().cos()];
    joint.rotations =
        times.zip(angles).map(|(time, angle)| Key::of_rotation(time, rotation(*angle))).collect();
    joint
}

fn motion(duration: f32, joints: Vec<Joint>) -> Motion {
    let mut motion = Motion::new(duration);
    motion.joints = joints;
    motion
}

fn scene(motion: &Motion) -> (Scene, Vec<String>) {
    let (scene, losses) = motion_to_scene(motion, "a", &mut Budget::new(1 << 20)).expect("a scene");
    (scene, losses.iter().map(ToString::to_string).collect())
}

fn is_refused(motion: &Motion, max_bytes: u64) {
    let error = motion_to_scene(motion, "a", &mut Budget::new(max_bytes)).expect_err("too large");
    assert_eq!(error.kind(), rezkit_scene::ErrorKind::Limit);
}

/// Each key takes 8 bytes in the file, and each constraint 86.
#[test]
fn keys_and_constraints_count_against_the_limit() {
    // Each half turn becomes six lines of 20 bytes.
    let turns: Vec<f32> = (0..200_u8).map(|index| f32::from(index % 2) * 179.0).collect();
    is_refused(&motion(1.0, vec![joint("mHead", &turns)]), 24_000);
    let mut held = motion(1.0, vec![joint("mHead", &[0.0, 90.0])]);
    held.constraints = vec![Constraint::default(); 20_000];
    is_refused(&held, 1_000_000);
}

#[test]
fn joints_that_are_not_played_are_listed_once() {
    let mut joints = vec![joint("hip", &[0.0, 30.0]), joint("mPelvis", &[0.0, 60.0]), Joint::new("mHead")];
    joints.extend(vec![joint("a", &[0.0]); 1000]);
    joints[0].priority = 4;
    let (scene, losses) = scene(&motion(1.0, joints));
    let expected = [
        "joints[1] mPelvis: the keys of a repeated joint: the viewer plays only its first entry",
        "joints[2] mHead: a joint without keys",
        "joints[3] a: the keys of a joint that the avatar does not have (and 999 more)",
    ];
    assert_eq!(losses, expected);
    assert_eq!(scene.animations[0].channels.len(), 1);
    let Values::Rotation(rotations) = &scene.animations[0].channels[0].values else { panic!("rotations") };
    assert!((rotations[1][0] - 15_f32.to_radians().sin()).abs() < 1e-4, "{rotations:?}");
    assert_eq!(scene.animations[0].playback.joint_priorities, [("mPelvis".to_owned(), 4)].into());
}

/// The viewer moves collision volumes and attachment points, too: they come back.
#[test]
fn volumes_and_attachment_points_are_kept() {
    let names = ["mPelvis", "PELVIS", "BELLY", "Chest", "Left Hand"];
    let before = motion(1.0, names.iter().map(|name| joint(name, &[0.0, 25.0])).collect());
    let (scene, losses) = scene(&before);
    assert!(losses.is_empty(), "{losses:?}");
    let (after, losses) = motion_from_scene(&scene, &mut Budget::new(1 << 20)).expect("a motion");
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(after.joints, before.joints);
}

/// glTF requires strictly increasing times.
#[test]
fn keys_at_the_same_time_in_seconds_are_one() {
    for duration in [0.0, 1e-44] {
        let (scene, losses) = scene(&motion(duration, vec![joint("mHead", &[0.0, 90.0, 179.0])]));
        let times = &scene.animations[0].channels[0].times;
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
        let more = if duration == 0.0 { " (and 1 more)" } else { "" };
        let expected = format!("joints[0] mHead: keys with the same time as a later key{more}");
        assert!(losses.is_empty() || losses == [expected], "{losses:?}");
    }
}

#[test]
fn settings_that_are_not_numbers_are_listed() {
    let mut motion = motion(1.0, vec![joint("mHead", &[0.0, 90.0])]);
    motion.loop_in = f32::NAN;
    motion.emote = b"\xff".as_slice().into();
    motion.rest = vec![1, 2];
    motion.constraints = vec![Constraint::default(); 3];
    motion.constraints[1].source_offset[0] = f32::INFINITY;
    let (scene, losses) = scene(&motion);
    let expected = [
        "loop_in: a setting that is infinite or NaN",
        "emote: a name that is not UTF-8 text",
        "constraints[1]: a constraint with infinite or NaN numbers",
        "2 bytes of unknown meaning at the end of the file, after the constraints",
    ];
    assert_eq!(losses, expected);
    let playback = &scene.animations[0].playback;
    assert_eq!((playback.constraints.len(), playback.loop_part), (2, None));
}
