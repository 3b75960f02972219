//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

#[test]
fn easing_begins_at_0_and_ends_at_1() {
    for style in [0, 3, 4, 5] {
        for direction in 0..3 {
            assert!(eased(style, direction, 0.0).abs() < 1e-6, "{style} {direction}");
            assert!((eased(style, direction, 1.0) - 1.0).abs() < 1e-6, "{style} {direction}");
        }
    }
    // At 2.25 / 2.75, the second bounce is lowest: 7.5625 * 0 + 0.9375.
    assert!((bounce(2.25 / 2.75) - 0.9375).abs() < 1e-6);
}

/// A curve of version 2, which real files of 2026 have; its values are known.
#[test]
fn a_float_curve_is_read_as_the_facts_page_lays_it_out() {
    let mut bytes = vec![2, 0, 0, 0, 2, 0, 0, 0];
    for (mode, value) in [(1_u8, 2.0_f32), (1, 4.0)] {
        bytes.extend([mode, 0]);
        bytes.extend(value.to_le_bytes());
        bytes.extend([0; 8]);
    }
    bytes.extend([1, 0, 0, 0, 2, 0, 0, 0]);
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(2400_u32.to_le_bytes());
    let curve = Curve::from_bytes(&bytes, 1 << 20).expect("two keys");
    assert_eq!([curve.at(-1.0), curve.at(0.25), curve.at(1.0), curve.at(9.0)], [2.0, 2.5, 4.0, 4.0]);
    assert!(Curve::from_bytes(&bytes[..40], 1 << 20).is_err());
}

/// The largest span that is allowed, with a distance that no number of this size has.
#[test]
fn easing_is_only_as_exact_as_its_numbers() {
    let steps = steps((ELASTIC, 0), 1999.0, 5e-35, &mut Budget::new(1 << 30)).expect("steps");
    // One for each of 30 frames per second, and some more near the key where it moves most.
    assert!((59_970..62_000).contains(&steps.len()), "{}", steps.len());
    assert!(steps.is_sorted());
}

#[test]
fn the_middles_of_a_span_count_against_the_limits_before_they_exist() {
    let wave = |x: f32| (x * 1e4).sin();
    let mut budget = Budget::new(100_000);
    let used = testkit::measure(|| {
        let error = uneven((wave, 1), 60_000, 0.0, &mut budget).expect_err("too little memory");
        assert_eq!(error.kind(), ErrorKind::Limit);
    });
    assert!(used.bytes_total < 400_000, "{}", used.bytes_total);
    let error = uneven((wave, Budget::STEPS / 10), 4, 0.0, &mut Budget::new(1 << 20)).expect_err("work");
    assert_eq!(error.kind(), ErrorKind::Effort);
}

/// The elastic jumps at both ends need more time than there is between these keys.
#[test]
fn steps_are_within_a_short_span() {
    for direction in 0..3 {
        let steps = steps((ELASTIC, direction), 0.0015, 0.001, &mut Budget::new(1 << 20)).expect("steps");
        assert!(steps.iter().all(|step| (0.0..0.0015).contains(step)), "{steps:?}");
    }
}
