//! Tests of private items of `src/terrain/colors.rs`, which includes this file as a module.

use super::*;
use crate::from_slice;

#[test]
fn colors_in_their_order() {
    let mut bytes = MaterialColors::default().to_vec();
    assert_eq!(bytes.len(), 69);
    assert_eq!(
        (&bytes[..9], &bytes[66..]),
        (&[0, 0, 0, 0, 0, 0, 0x6f, 0x7e, 0x3e][..], &[0x8f, 0x90, 0x87][..])
    );
    bytes[9] = 1;
    let colors: MaterialColors = from_slice(&bytes).expect("readable");
    assert_eq!(colors.get(3), Some(Rgba8 { r: 1, g: 0x59, b: 0x56, a: 255 }));
    assert_eq!([0, 1, 23].map(|material| colors.get(material)), [None; 3]);
    assert_eq!(colors.to_vec(), bytes);
    assert!(from_slice::<MaterialColors>(&bytes[..68]).is_err());
    bytes[0] = 1;
    assert!(from_slice::<MaterialColors>(&bytes).is_err());
}
