//! Tests of private items of `src/edit.rs`, which includes this file as a module.

use super::*;

#[test]
fn what_an_edit_did_as_text() {
    let (class, property, instances) = ("Part".into(), "Transparency".into(), 3);
    let missing = Missing { class, property, instances, is_foreign: false };
    assert_eq!(missing.to_string(), "Part.Transparency of 3 instances");
    let Missing { class, property, .. } = missing;
    let left_out = LeftOut { class, property, instances };
    assert_eq!(left_out.to_string(), "Part.Transparency of 3 instances");
    let LeftOut { class, property, .. } = left_out;
    let filled = Filled { class, property, instances, value: Value::Float32(0.0) };
    assert_eq!(filled.to_string(), "Part.Transparency = Float32(0.0) in 3 instances");
    let (class, property, to) = ("Camera".into(), "CoordinateFrame".into(), "CFrame".into());
    let renamed = Renamed { class, property, to, instances: 1 };
    assert_eq!(renamed.to_string(), "Camera.CoordinateFrame of 1 instance as CFrame");
    let options = EditOptions::new().fill(Fill::Neutral).others(Others::LeaveOut);
    assert!(matches!((options.fill, options.others), (Fill::Neutral, Others::LeaveOut)));
    #[cfg(feature = "classes")]
    let EditOptions { fill, others, .. } = EditOptions::defaults();
    #[cfg(feature = "classes")]
    assert!(matches!((fill, others), (Fill::Defaults, Others::Defaults)));
}
