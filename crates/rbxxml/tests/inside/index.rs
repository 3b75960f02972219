//! Tests of private items of `src/model/index.rs`, which includes this file as a module.

use super::Names;

/// A table of 4 buckets has space for 3 names, one of 8 for 7, and one of 32 for 28. A bucket takes two words and a
/// byte.
#[cfg(target_pointer_width = "64")]
#[test]
fn what_a_name_takes() {
    let mut names = Names::default();
    for number in 0..29 {
        let table = match number {
            0 => Some(1),
            3 => Some(4),
            7 => Some(8),
            14 => Some(16),
            28 => Some(32),
            _ => None,
        };
        let wanted = table.map_or((4 + 64, 0), |buckets| (4 + 64 + 2 * buckets * 17 + 128, buckets * 17));
        assert_eq!(names.cost("name"), wanted, "{number}");
        names.insert(number.to_string().into());
    }
}
