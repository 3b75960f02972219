//! Tests of private items of `src/tags.rs`, which includes this file as a module.

use super::*;
use crate::from_slice;

/// The example of rbx-dom's `models/tags`.
#[test]
fn tags_of_a_real_file() {
    let bytes = b"Cool\0My\0Tags";
    let tags: Tags = from_slice(bytes).expect("short");
    assert_eq!(tags.0, ["Cool", "My", "Tags"]);
    assert_eq!(tags.to_vec().expect("written"), bytes);
    assert_eq!(from_slice::<Tags>(b"").expect("short"), Tags::default());
    let tags = |name: &str| Tags(vec![name.into()]);
    assert!(tags("a\0b").to_vec().is_err() && tags("").to_vec().is_err());
}
