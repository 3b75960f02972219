//! Keyframe motions that were laid out by hand from the known format.

use slmesh::errors::{ErrorKind, Problem};
use slmesh::motion::{self, Key, Motion};

/// A motion with a constraint and one joint, which has two rotations and a position.
fn bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |part: &[u8]| bytes.extend_from_slice(part);
    put(&[1, 0, 0, 0]);
    put(&4_i32.to_le_bytes());
    put(&2.5_f32.to_le_bytes());
    put(b"express_smile\0");
    put(&0.5_f32.to_le_bytes());
    put(&2.0_f32.to_le_bytes());
    put(&1_i32.to_le_bytes());
    put(&0.25_f32.to_le_bytes());
    put(&0.75_f32.to_le_bytes());
    put(&3_u32.to_le_bytes());
    put(&1_u32.to_le_bytes());
    put(b"mPelvis\0");
    put(&(-1_i32).to_le_bytes());
    put(&2_i32.to_le_bytes());
    for number in [0_u16, 32_768, 32_768, 32_768, 65_535, 65_535, 32_768, 32_768] {
        put(&number.to_le_bytes());
    }
    put(&1_i32.to_le_bytes());
    for number in [26_214_u16, 0, 32_767, 65_535] {
        put(&number.to_le_bytes());
    }
    put(&1_i32.to_le_bytes());
    put(&[2, 1]);
    put(b"L_FOOT\0\0\0\0\0\0\0\0\0\0");
    (0..3_u8).for_each(|number| put(&f32::from(number).to_le_bytes()));
    put(b"GROUND\0\0\0\0\0\0\0\0\0\0");
    (3..13_u8).for_each(|number| put(&f32::from(number).to_le_bytes()));
    bytes
}

#[test]
fn every_field_comes_back() {
    let bytes = bytes();
    assert!(motion::detect(&bytes));
    let motion = motion::from_slice(&bytes).expect("a motion");
    assert_eq!((motion.priority, motion.duration, motion.emote.as_str()), (4, 2.5, Some("express_smile")));
    assert_eq!((motion.loop_in, motion.loop_out, motion.looped), (0.5, 2.0, 1));
    assert_eq!((motion.ease_in, motion.ease_out, motion.hand_pose), (0.25, 0.75, 3));
    let joint = &motion.joints[0];
    assert_eq!((joint.name.as_str(), joint.priority), (Some("mPelvis"), -1));
    assert_eq!(joint.rotations[0].rotation(), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(joint.rotations[1].rotation(), [1.0, 0.0, 0.0, 0.0]);
    // 26,214 of 65,535 steps of 2.5 s.
    assert_eq!(
        (joint.positions[0].seconds(motion.duration), joint.positions[0].position()),
        (1.0, [-5.0, 0.0, 5.0])
    );
    let constraint = &motion.constraints[0];
    assert_eq!((constraint.chain_length, constraint.kind, &constraint.target[..7]), (2, 1, &b"GROUND\0"[..]));
    assert_eq!((constraint.source_offset, constraint.target_direction), ([0.0, 1.0, 2.0], [6.0, 7.0, 8.0]));
    assert_eq!((constraint.ease_in_start, constraint.ease_out_stop), (9.0, 12.0));
    assert_eq!(motion::to_vec(&motion).expect("written"), bytes);
    assert!(motion::check(&motion).is_empty(), "{:?}", motion::check(&motion));
    // Bytes after the end are kept.
    let longer = [&bytes[..], b"more"].concat();
    let motion = motion::from_slice(&longer).expect("a motion");
    assert_eq!(motion::to_vec(&motion).expect("written"), longer);
    assert_eq!(motion::check(&motion)[0].rule.id, "slmesh.motion-rest");
}

#[test]
fn what_is_cut_short_or_claims_too_much_is_refused() {
    let whole = bytes();
    for length in 0..whole.len() {
        assert!(motion::from_slice(&whole[..length]).is_err(), "{length}");
    }
    // 2,147,483,647 joints.
    let count = whole.windows(7).position(|window| window == b"mPelvis").expect("a joint") - 4;
    let mut claims = whole.clone();
    claims[count..count + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    let error = motion::from_slice(&claims).expect_err("too many");
    assert_eq!((error.path(), error.offset()), ("joints", Some(count as u64)));
    let claimed =
        |kind: &ErrorKind| matches!(kind, ErrorKind::Invalid(Problem::Claim { claimed: 0x7fff_ffff, .. }));
    assert!(claimed(error.kind()), "{error}");
    let mut old = whole;
    old[..4].copy_from_slice(&[0, 0, 1, 0]);
    let error = motion::from_slice(&old).expect_err("an old version");
    let ErrorKind::Unsupported(Problem::Version { of: "motion", found, known }) = error.kind() else {
        panic!("{error}")
    };
    assert_eq!((&**found, &**known), ("0.1", "1.0"));
}

#[test]
fn rules_of_the_viewer() {
    let broken = |change: fn(&mut Motion)| {
        let mut motion = motion::from_slice(&bytes()).expect("a motion");
        change(&mut motion);
        let findings = motion::check(&motion);
        findings.into_iter().map(|finding| finding.rule.id).collect::<Vec<_>>()
    };
    assert_eq!(
        broken(|motion| (motion.duration, motion.loop_out) = (61.0, 61.0)),
        ["slmesh.motion-duration"]
    );
    assert_eq!(broken(|motion| motion.priority = 7), ["slmesh.motion-priority"]);
    assert_eq!(broken(|motion| motion.priority = -2), ["slmesh.motion-priority-minimum"]);
    assert_eq!(broken(|motion| motion.joints[0].priority = -2), ["slmesh.motion-priority-minimum"]);
    assert_eq!(broken(|motion| motion.loop_in = 2.25), ["slmesh.motion-loop"]);
    assert_eq!(broken(|motion| motion.ease_in = f32::NAN), ["slmesh.motion-finite"]);
    assert_eq!(broken(|motion| motion.hand_pose = 14), ["slmesh.motion-hand-pose"]);
    assert_eq!(broken(|motion| motion.joints.clear()), ["slmesh.motion-joints"]);
    assert_eq!(
        broken(|motion| motion.joints[0].name = "WISDOM_SWORD_1".into()),
        ["slmesh.motion-joint-name"]
    );
    let twice = broken(|motion| motion.joints.push(motion.joints[0].clone()));
    assert_eq!(twice, ["slmesh.motion-joint-twice"]);
    assert_eq!(broken(|motion| motion.joints[0].rotations.reverse()), ["slmesh.motion-key-order"]);
    assert_eq!(broken(|motion| motion.constraints[0].kind = 2), ["slmesh.motion-constraint-kind"]);
    assert_eq!(broken(|motion| motion.joints[0].positions.push(Key::default())), ["slmesh.motion-key-order"]);
    let found = |change: fn(&mut Motion)| {
        let mut motion = motion::from_slice(&bytes()).expect("a motion");
        change(&mut motion);
        let mut findings = motion::check(&motion);
        assert_eq!(findings.len(), 1);
        findings.remove(0)
    };
    let looped = found(|motion| motion.looped = 5);
    assert_eq!((&*looped.path, &*looped.found), ("looped", "expected 0 or 1, found 5"));
    assert_eq!(found(|motion| motion.loop_in = 2.25).path, "loop_in");
    assert_eq!(found(|motion| motion.loop_out = 59.0).path, "loop_out");
    let order = found(|motion| {
        motion.joints[0].positions = [3, 2, 1].map(|time| Key { time, ..Key::default() }).to_vec();
    });
    assert_eq!((&*order.path, order.count), ("joints[0].positions[1]", 2));
    let mut motion = Motion::new(1.0);
    motion.emote = (&b"a\0b"[..]).into();
    assert_eq!(motion::to_vec(&motion).expect_err("a zero byte").path(), "emote");
}

/// The viewer's arithmetic: there are 65,535 steps, none of them is exactly the middle, and a value closer to 0 than a
/// step is 0.
#[test]
fn steps_of_values() {
    let key = Key { time: 65_535, value: [0, 32_767, 65_535] };
    assert_eq!((key.seconds(2.5), key.position()), (2.5, [-5.0, 0.0, 5.0]));
    assert_eq!(Key { time: 0, value: [32_768; 3] }.position(), [0.0; 3]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let quarter_turn = Key::of_rotation(0.5, [0.0, 0.0, -half, -half]);
    // The quaternion is negated, so that the stored one has a positive w.
    assert_eq!(quarter_turn, Key { time: 32_768, value: [32_768, 32_768, 55_938] });
    let [x, y, z, w] = quarter_turn.rotation();
    assert!(x == 0.0 && y == 0.0 && (z - half).abs() < 2e-5 && (w - half).abs() < 2e-5);
    // Its length exceeds 1 by rounding.
    assert_eq!(Key { time: 0, value: [65_535; 3] }.rotation()[3], 0.0);
    assert_eq!(Key::of_position(f32::NAN, [f32::NAN, 9.0, -9.0]), Key { time: 0, value: [0, 65_535, 0] });
}

/// A rotation by nearly 180 degrees is stored within a quarter of a degree, which requires a choice of steps.
#[test]
fn half_turns_are_stored() {
    for number in 0..2000_u16 {
        let angle = std::f32::consts::PI * (1.0 - f32::from(number % 40) / 1000.0);
        let [a, b] = [f32::from(number) * 0.37, f32::from(number) * 0.73];
        // Not along an axis, for which no other steps are closer than half a degree.
        let axis = [1.0 + 0.5 * a.cos(), 1.0 + 0.5 * a.sin(), 1.0 + 0.5 * b.cos()];
        let length = axis.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
        let axis = axis.map(|axis| axis / length * (angle / 2.0).sin());
        let rotation = [axis[0], axis[1], axis[2], (angle / 2.0).cos()];
        let stored = Key::of_rotation(0.0, rotation).rotation();
        let dot: f64 = rotation.iter().zip(stored).map(|(a, b)| f64::from(*a) * f64::from(b)).sum();
        let apart = 2.0 * dot.abs().min(1.0).acos().to_degrees();
        assert!(apart < 0.25, "{angle}: {apart} degrees");
    }
}

#[test]
fn every_step_comes_back() {
    for step in 0..=u16::MAX {
        let key = Key { time: step, value: [step; 3] };
        // Except the two steps around 0, which both are read as 0.
        if ![32_767, 32_768].contains(&step) {
            assert_eq!(Key::of_position(key.seconds(1.0), key.position()), key);
        }
    }
}

/// Numbers are compared by their bits, including NaN.
#[test]
fn motions_are_equal_by_bits() {
    let of = |bits: u32| {
        let mut motion = Motion::new(1.0);
        motion.ease_in = f32::from_bits(bits);
        let mut constraint = slmesh::motion::Constraint::default();
        constraint.source_offset[1] = f32::from_bits(bits);
        motion.constraints.push(constraint);
        motion
    };
    let [nan, other, zero, minus] = [0x7fc0_0000, 0x7fc0_0001, 0, 0x8000_0000].map(of);
    assert!(nan == nan.clone() && nan != other && zero == of(0) && zero != minus);
}
