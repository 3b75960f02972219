//! Tests of `draco::bits`.

use crate::wire::draco::bits::*;

#[test]
fn integers_of_variable_length() {
    let pairs: [(u32, &[u8]); 6] = [
        (0, &[0]),
        (127, &[0x7f]),
        (128, &[0x80, 1]),
        (300, &[0xac, 2]),
        (2538, &[0xea, 0x13]),
        (u32::MAX, &[0xff, 0xff, 0xff, 0xff, 0xf]),
    ];
    for (value, bytes) in pairs {
        let mut out = Vec::new();
        write_varint(value, &mut out);
        assert_eq!(out, bytes);
        assert_eq!(read_varint(bytes).unwrap(), (&[][..], value));
    }
    // A varint can have more bytes than needed, but no more than 32 bits.
    assert_eq!(read_varint(&[0x81, 0x80, 0]).unwrap().1, 1);
    for bad in [&[0x80][..], &[0xff, 0xff, 0xff, 0xff, 0x1f], &[0x80, 0x80, 0x80, 0x80, 0x80, 0]] {
        assert!(read_varint(bad).is_err());
    }
}

#[test]
fn bits_come_lowest_first() {
    let mut out = BitsOut::default();
    for (value, count) in [(0b1, 1), (0b10, 2), (0, 0), (0xffff_ffff, 32), (0b101, 3)] {
        out.write(value, count);
    }
    let bytes = out.finish();
    assert_eq!(bytes, [0xfd, 0xff, 0xff, 0xff, 0b10_1111]);
    let input = [&bytes[..], &[7, 8]].concat();
    let mut bits = Bits::new(&input);
    let read = [1, 2, 0, 32, 3].map(|count| bits.read(count).unwrap());
    assert_eq!(read, [1, 2, 0, 0xffff_ffff, 5]);
    assert_eq!(bits.finish(&input), [7, 8]);
    assert_eq!(Bits::new(&[0xff]).read(9), None);
}
