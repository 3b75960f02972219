//! Tests of private items; the source file that they test includes this file as a module.

#[test]
fn equal_names_have_their_folders() {
    let labels = |paths: &[&str]| super::labels(paths).join(" ");
    assert_eq!(labels(&["a/x.mesh", "b/y.mesh"]), "x.mesh y.mesh");
    assert_eq!(labels(&["a/x.mesh", "b/x.mesh", "b/y.mesh"]), "a/x.mesh b/x.mesh y.mesh");
    assert_eq!(labels(&["a/c/x", "b/c/x", "d/x"]), "a/c/x b/c/x d/x");
    assert_eq!(labels(&["x", "x"]), "x x");
}
