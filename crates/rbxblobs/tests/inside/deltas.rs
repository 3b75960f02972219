//! Tests of private items of `src/union_mesh/deltas.rs`, which includes this file as a module.

use super::*;

#[test]
fn by_hand() {
    // The differences 5, -2, 0x10000 and -65539, the last two in 23 bits.
    let mut bytes = Bytes::new("test", &[5, 126, 0x81, 0, 0, 0xfe, 0xff, 0xfd], 1 << 10);
    assert_eq!(read(&mut bytes, 4).expect("readable"), [5, 3, 0x10003, 0]);
    assert_eq!(bytes.left(), 0);
    assert!(read(&mut Bytes::new("test", &[0x80, 0], 1 << 10), 1).is_err());
    assert!(read(&mut Bytes::new("test", &[0, 0], 1 << 10), 3).is_err());
}
