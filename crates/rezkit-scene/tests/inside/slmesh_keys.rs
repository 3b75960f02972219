//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

/// The rotation and the position at a fraction of a motion, as the viewer interpolates keys.
fn played(keys: &[Key], part: f32) -> (Quat, Vec3) {
    let after = keys.partition_point(|key| f32::from(key.time) / STEPS <= part);
    let [from, to] = [after.saturating_sub(1), after.min(keys.len() - 1)].map(|index| keys[index]);
    let share = share(&from, &to, part);
    let [a, b] = [from, to].map(|key| Quat::from_array(key.rotation()));
    let [c, d] = [from, to].map(|key| Vec3::from_array(key.position()));
    (line(a, b, share), c.lerp(d, share))
}

/// The remaining keys reproduce all of them at each time, also between keys. The tolerance is a 16-bit step: half of it
/// for rounding, half for dropping keys.
#[test]
fn fewer_keys_are_the_same_curve() {
    let turn = |part: f32| {
        // At rest, then a steady rotation, then a wave.
        let angle = match part {
            ..0.25 => 0.3,
            0.25..0.5 => 0.3 + (part - 0.25) * 2.0,
            _ => 0.8 + 0.4 * ((part - 0.5) * 12.0).sin(),
        };
        Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle)
    };
    let place = |part: f32| Vec3::new((part * 3.0).min(1.0), -part, 0.2 * (part * 9.0).sin());
    let parts = (0..=1000_u16).map(|number| f32::from(number) / 1000.0);
    let turns: Vec<_> = parts.clone().map(|part| (part, turn(part))).collect();
    let places: Vec<_> = parts.map(|part| (part, place(part))).collect();
    let [turned, placed] = [rotations(&turns), positions(&places)];
    assert!(turned.len() < 400 && placed.len() < 400, "{} {}", turned.len(), placed.len());
    let middle = |list: &[Key], from: f32, to: f32| {
        list.iter().filter(|key| (from..to).contains(&(f32::from(key.time) / STEPS))).count()
    };
    // Parts at rest and straight ones have keys only at their ends.
    assert!(middle(&turned, 0.01, 0.24) == 0 && middle(&placed, 0.34, 0.36) < 8);
    for number in 0..20_000_u16 {
        let part = f32::from(number) / 20_000.0;
        let (found, _) = played(&turned, part);
        let (_, there) = played(&placed, part);
        let apart = (glam::Vec4::from(found) - glam::Vec4::from(turn(part))).abs().max_element();
        assert!(apart < 3.0 * HALF_TURN_STEP, "{part}: {} steps", apart / HALF_TURN_STEP / 2.0);
        // Positions are compared with straight lines between the samples, which cut corners.
        let [before, after] = [usize::from(number / 20), usize::from(number / 20) + 1].map(|at| places[at].1);
        let expected = before.lerp(after, f32::from(number % 20) / 20.0);
        let apart = (there - expected).abs().max_element() / (2.0 * MAX_OFFSET / STEPS);
        assert!(apart < 1.1, "{part}: {apart} steps");
    }
    // Without a movement, one key remains. Of several keys at one time, the last counts.
    assert_eq!(rotations(&[(0.0, turn(0.0)), (0.5, turn(0.0)), (1.0, turn(0.0))]).len(), 1);
    let twice = positions(&[(0.0, Vec3::ZERO), (0.0, Vec3::X), (1.0, Vec3::Y)]);
    assert_eq!((twice.len(), twice[0].position()[0].round()), (2, 1.0));
}
