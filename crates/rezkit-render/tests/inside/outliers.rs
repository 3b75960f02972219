//! Tests of private items; the source file that they test includes this file as a module.

use super::*;

fn at(x: f32, y: f32, size: f32) -> Bounds {
    Some([Vec3::new(x, y, 0.0), Vec3::new(x + size, y + size, size)])
}

fn found(boxes: &[Bounds]) -> Vec<usize> {
    outliers(boxes).iter().enumerate().filter_map(|(index, is)| is.then_some(index)).collect()
}

#[test]
fn few_and_far() {
    let mut boxes: Vec<_> = (0..20).map(|index| at(index as f32, 0.0, 1.0)).collect();
    assert!(found(&boxes).is_empty());
    // A gap of less than twice the size of the rest, and a larger one.
    boxes.push(at(59.0, 0.0, 1.0));
    assert!(found(&boxes).is_empty());
    boxes[20] = at(61.0, 0.0, 1.0);
    assert_eq!(found(&boxes), [20]);
    // Outliers in several directions; boxes without points are ignored.
    boxes.extend([at(0.0, -5000.0, 100.0), None, at(0.0, 1e30, 1.0)]);
    assert_eq!(found(&boxes), [20, 21, 23]);
}

/// A beam into the sky and the things at its end are left out. A wall as long as the rest and a baseplate stay.
#[test]
fn beams() {
    let mut boxes: Vec<_> = (0..20).map(|index| at(index as f32, 0.0, 1.0)).collect();
    let of = |x: f32, y: f32, z: f32| Some([Vec3::new(-x, -y, -z), Vec3::new(x, y, z)]);
    boxes.extend([of(15.0, 1.0, 1.0), of(5000.0, 0.5, 5000.0)]);
    assert!(found(&boxes).is_empty());
    boxes[21] = None;
    boxes.extend([of(1.0, 20_000.0, 1.0), of(1.0, 1.0, 9000.0)]);
    assert_eq!(found(&boxes), [22, 23]);
}

/// Each box is ten times as long as the one before. The longest is removed in each round, until only a few are left.
#[test]
fn beams_of_every_length() {
    let of = |length: f32| Some([Vec3::ZERO, Vec3::new(length, 0.1, 0.1)]);
    let boxes: Vec<_> = (0..10).map(|at| of(10_f32.powi(at))).collect();
    assert!(!found(&boxes).contains(&0));
}

/// A plate below some things, and a wider one below that, are ground. Without other things, a plate is not.
#[test]
fn plates() {
    let plate = |size: f32, y: f32| Some([Vec3::new(-size, y - 1.0, -size), Vec3::new(size, y, size)]);
    let boxes = [plate(500.0, 0.0), at(0.0, 0.0, 5.0), at(7.0, 0.0, 3.0), plate(2000.0, -1.0), None];
    assert_eq!(ground(&boxes, &[]), [true, false, false, true, false]);
    assert_eq!(ground(&boxes[..1], &[]), [false]);
    // Plates of one size on each other, such as a plate and the texture on it.
    let stacked = [plate(500.0, 0.0), at(0.0, 0.0, 5.0), plate(500.0, 0.001), plate(450.0, -1.0)];
    assert_eq!(ground(&stacked, &[]), [true, false, true, true]);
    // Of tiles alone, none of those of similar sizes is ground.
    assert_eq!(ground(&[plate(1.0, 0.0), plate(3.0, 0.0), plate(4.0, 0.0)], &[]), [false; 3]);
    // A plate above the things is not ground, and neither is one as large as the model on it.
    assert_eq!(ground(&[plate(500.0, 20.0), at(0.0, 0.0, 5.0)], &[]), [false, false]);
    assert_eq!(ground(&[plate(4.0, 0.0), at(0.0, 0.0, 5.0)], &[]), [false, false]);
}

/// Half of all boxes are too many for outliers, and so is one of four.
#[test]
fn many_are_no_outliers() {
    let boxes: Vec<_> = (0..20).map(|index| at(if index < 10 { 0.0 } else { 1e6 }, 0.0, 1.0)).collect();
    assert!(found(&boxes).is_empty());
    assert!(found(&[at(0.0, 0.0, 1.0), at(1.0, 0.0, 1.0), at(2.0, 0.0, 1.0), at(1e6, 0.0, 1.0)]).is_empty());
}
