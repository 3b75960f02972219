//! Tests of private items; the source file that they test includes this file as a module.

use super::super::streams::{attributes, tests::hex};
use super::*;

#[test]
fn filters() {
    fn all<const N: usize>(stream: &str, filter: fn(&mut [u8; N]), stride: usize) -> Vec<u8> {
        let stream = hex(stream);
        let count = if stride == 16 { 2 } else { 4 };
        let mut values = attributes(&stream, count, stride).unwrap();
        values.as_chunks_mut().0.iter_mut().for_each(filter);
        values
    }
    let stream = "a0013f0000006cea91013f00000091c358000103000000fe0000000000000000000000000000000000000000000000000000000000007f00";
    assert_eq!(all(stream, octahedral_8, 4), hex("00007f004c9a0000b749b60000dc867f"));
    let stream = "a0013f000000da7cf3013f000000061118013f000000dc31a7013f000000091419000001010000000103000000fe00000000000000\
                  000000000000000000000000000000000000000000ff070000";
    assert_eq!(
        all(stream, octahedral_16, 8),
        hex("00000000ff7f0000c54c95990000000023b6dd4907b6000000002fdc1e85ff7f")
    );
    let stream = "a0013f000000b26f41013d0000000b0e013f000000b1c717013f0000000a0511013f000000b115c8013f0000000a1108013f000000\
                  05060500000000000000000000000000000000000000000000000000000000000000ff07";
    assert_eq!(
        all(stream, quaternion, 8),
        hex("000000000000ff7f0f4006c0fa3ffa3fc70c9a199fd9b5766566000033b30000")
    );
    let stream = "a000000001300000004001300000008201300000002a0001300000004000013000000050012000000001300000004000000001300000\
                  004000000000000000000000000000000000000000f4001000f400d8fff4000000f4";
    assert_eq!(
        all(stream, exponential, 16),
        hex("000000000000803f000020c00000000000000000000415500000000000000000")
    );
    let stream = "a1ff007e024b00fd7d4d0083fd4b007d7ebd00000000000000000000000000000000000000407fc1ff00";
    assert_eq!(all(stream, color_8, 4), hex("fe0100ff00fe00804180bfff1a34e640"));
    let stream = "a1ffff00fe02cb0007000400fdfdcd000f0704000302cb00160d05000201020005060900000000000000000000000000000004ff0701fcff0f0100";
    assert_eq!(
        all(stream, color_16, 8),
        hex("efff10000000ffff0000efff0000088014400880fbbfffffa21943336ee60440")
    );
    // Without any bits, there is no colour.
    let mut nothing = [9, 1, 1, 0];
    color_8(&mut nothing);
    assert_eq!(nothing, [0; 4]);
}
