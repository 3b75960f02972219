//! The ranges of numbers, from Roblox's reference of classes and data types (creator-docs).

use std::ops::RangeInclusive;

/// The class that declares the property, the name under which it is stored, and its range.
const RANGES: [(&str, &str, RangeInclusive<f32>); 9] = [
    ("BasePart", "Transparency", 0.0..=1.0),
    ("BasePart", "size", 0.001..=2048.0),
    ("Fire", "TimeScale", 0.0..=1.0),
    ("Fire", "heat_xml", -25.0..=25.0),
    ("Fire", "size_xml", 2.0..=30.0),
    ("Smoke", "TimeScale", 0.0..=1.0),
    ("Smoke", "opacity_xml", 0.0..=1.0),
    ("Smoke", "riseVelocity_xml", -25.0..=25.0),
    ("Smoke", "size_xml", 0.1..=100.0),
];

/// The ranges of custom physical properties: density, friction, elasticity, and the weights of the last two. Roblox
/// clamps values outside.
pub const PHYSICAL_RANGES: [(&str, RangeInclusive<f32>); 5] = [
    ("density", 0.0001..=100.0),
    ("friction", 0.0..=2.0),
    ("elasticity", 0.0..=1.0),
    ("friction weight", 0.0..=100.0),
    ("elasticity weight", 0.0..=100.0),
];

/// The first of the five numbers that is outside its range or NaN: its name, the number, and the range.
pub fn physical_outside(numbers: [f32; 5]) -> Option<(&'static str, f32, RangeInclusive<f32>)> {
    let mut all = PHYSICAL_RANGES.into_iter().zip(numbers);
    all.find(|((_, range), number)| !range.contains(number))
        .map(|((name, range), number)| (name, number, range))
}

/// The range of a stored property. `is_a` returns whether its class is, or inherits from, the class with a name.
pub(crate) fn of(is_a: impl Fn(&str) -> bool, stored: &str) -> Option<RangeInclusive<f32>> {
    let row = RANGES.iter().find(|(declared, name, _)| *name == stored && is_a(declared));
    row.map(|(_, _, range)| range.clone())
}
