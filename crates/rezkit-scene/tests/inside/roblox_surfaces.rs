//! Tests of private items; the source file that they test includes this file as a module.

#[test]
fn rows_are_in_order() {
    assert!(super::SURFACES.is_sorted_by(|a, b| a.0 < b.0));
    assert_eq!(super::surface(1088), ("Metal", 1.0, 0.3));
    assert_eq!(super::surface(7).0, "Material");
}
