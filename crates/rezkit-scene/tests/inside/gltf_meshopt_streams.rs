//! Streams that meshoptimizer 1 wrote, and the output of its own decoder.

use super::*;

pub(in super::super) fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
}

#[test]
fn triangles_by_edges_and_vertices() {
    let stream = hex(
        "e1fe1e100e100e100e100efe1e190e180e170e160eff1e160e160e160e160eff1e160e160e160e160eff1e160e160e160e160efeffffff\
         fe0f0c9f025f090c5f090c5f090c1f45ffb401ad0112ff15b4019301ff96010202fba101007687566778a9866589689801690000",
    );
    // Five rows of five squares. Like the reference decoder, this one rotates the first triangle of a square, unless
    // the square is the first of its row: it begins with the corner that the previous square shares.
    let square = |row: u32, column: u32| {
        let at = row * 6 + column;
        let first = if column == 0 { [at, at + 1, at + 6] } else { [at + 6, at, at + 1] };
        first.into_iter().chain([at + 6, at + 1, at + 7])
    };
    let mut expected: Vec<u32> =
        (0..5).flat_map(|row| (0..5).flat_map(move |column| square(row, column))).collect();
    expected.extend([7, 35, 0, 90, 3, 12, 1, 91, 17, 92, 93, 94, 8, 13, 7]);
    let found = triangles(&stream, expected.len(), 4).unwrap();
    let found: Vec<u32> = found.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    assert_eq!(found, expected);
    for length in 0..stream.len() {
        assert_eq!(triangles(&stream[..length], expected.len(), 4), None, "{length} bytes");
    }
}

#[test]
fn indices_by_differences() {
    let stream = hex("d1000404c901040504d51db08b118b1f00000000");
    let expected: Vec<u8> =
        [0_u32, 1, 2, 50, 3, 51, 4, 1000, 70000, 5].into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(indices(&stream, 10, 4), Some(expected));
    assert_eq!(indices(&stream, 9, 4), None);
    assert_eq!(indices(&stream[..19], 10, 4), None);
}

#[test]
fn attributes_of_every_number_of_bits() {
    let stream = hex(
        "a02a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb00000303031c00000000\
         df52565a5e62666a6e72767affff00007e82868a8e92969a1f004a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a\
         4a4affff00004a4a4a4a4a4a4a4a00150000800080008000800000002a06666f6666f6666f1717176666f6666f6666f6171717666f6666\
         0000000017010000003c6f700000000000000000000000000000000000000000000000000000000009000000",
    );
    let vertex = |at: usize| {
        let square = if at < 20 { 0 } else { at * at };
        let last = if at == 13 { 200 } else { 0 };
        [at * 7, at % 3, square, at * 37, 9, at >> 3, at % 5 * 3, last].map(|number| number as u8)
    };
    let expected: Vec<u8> = (0..40).flat_map(vertex).collect();
    assert_eq!(attributes(&stream, 40, 8), Some(expected));
    for length in 0..stream.len() {
        assert_eq!(attributes(&stream[..length], 40, 8), None, "{length} bytes");
    }
}

/// Streams of the newer version: single bits, raw bytes, and numbers of 1, 2 and 4 bytes, at three levels of
/// compression.
#[test]
fn attributes_of_several_bytes() {
    let streams = [
        "a155555a55a92a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb\
         0000030303000000f0ffdf52565a5e62666a6e72767aff007e82868a8e92969a0000606f70000000000f0058585858585858\
         585858585858585858585858585858585858585858585858ff005858585858585858152aaeaaea0404aeaaeaae040404abaa\
         0000040f000d2945617d99b5d1edf6dabea2866a4e321605213d597591adc9e5fee2c6aaff008e72563a1e02193525004044\
         5155575ddd0303030333333333000000002f00ffff8080404040402020202020202020101010101010101010101010101010\
         f888888800000000100006017c020200000100020f009d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d\
         9d9d9dff009d9d9d9d9d9d9d9d0f00f2f4f4f2f4f4f2f4f4f2f4f4f2f4f4f4f2f4f4f2f4f4f2f4f4f2f4f4f4f2f4ff00f4f2\
         f4f4f2f4f4f20f006e6e706e706e706e706e706e706e706e706e706e6e706e706e706e706e706eff00706e706e706e706e0f\
         00c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3ff00c3c1c3c3c3c1c3c32a04343434343434\
         343434343434343434343434340000000000000000000060ea0000000000000000000000000000000000",
        "a105773affa92a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb\
         000003030314f0ffdf52565a5e62666a6e72767aff007e82868a8e92969a0100606f70005858585858585858585858585858\
         58585858585858585858585858585858585858585858585858152aaaaaaaaaaaaaaaaaaa0000000d2945617d99b5d1ed0925\
         415d7995b1cde905213d597591adc9e5011d3955718da9c5e1fd1935250000055556aaaaff03030303333333440000000000\
         0000808040404040202020202020202010101010101010101010101010101010080808080808080106007d01009d9d9d9d9d\
         9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d00f2f4f4f2f4f4f2f4f4f2f4f4f2f4f4\
         f4f2f4f4f2f4f4f2f4f4f2f4f4f4f2f4f4f2f4f4f2f4f4f2006e6e706e706e706e706e706e706e706e706e706e6e706e706e\
         706e706e706e706e706e706e706e00c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3c3c1c3c3\
         c3c1c3c32a04343434343434343434343434343434343434340000000000000000000060ea00000000000000000000000000\
         01010000",
        "a1057768ffa92a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb\
         000003030314f0ffdf52565a5e62666a6e72767aff007e82868a8e92969a0100606f70005858585858585858585858585858\
         58585858585858585858585858585858585858585858585858152aaaaaaaaaaaaaaaaaaa0000000d2945617d99b5d1ed0925\
         415d7995b1cde905213d597591adc9e5011d3955718da9c5e1fd1935250000055556aaaaff03030303333333440000000001\
         02010f1f1a0ffff8f8f4c4f4c4a060103018f81cf262e262f262e2623c1edddd00007e030703009d9d9d9d9d9d9d9d9d9d9d\
         9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d9d00f2f4f4f2f4f4f2f4f4f2f4f4f2f4f4f4f2f4f4f2f4\
         f4f2f4f4f2f4f4f4f2f4f4f2f4f4f2f4f4f2006e6e706e706e706e706e706e706e706e706e706e6e706e706e706e706e706e\
         706e706e706e706e00c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3c3c3c1c3c3c3c1c3c3152a\
         aaaaaaaaaaaaaaaaaa000000000000000060ea0000000000000000000000000001620002",
    ];
    let vertex = |at: usize| {
        let [square, last] = [if at < 20 { 0 } else { at * at }, if at == 13 { 200 } else { 0 }];
        let mut bytes: Vec<u8> = [at * 7, at % 3, square, last].map(|number| number as u8).to_vec();
        let pair = [at * 300, 60000 - at * at * 7].map(|number| (number as u16).to_le_bytes());
        bytes.extend(pair.as_flattened());
        bytes.extend((at as f32 / 4.0).to_le_bytes());
        bytes.extend((at as u32).wrapping_mul(2_654_435_761).to_le_bytes());
        bytes.extend(((at as u32 & 1) << (at % 2)).to_le_bytes());
        bytes
    };
    let expected: Vec<u8> = (0..40).flat_map(vertex).collect();
    for stream in streams.map(hex) {
        assert_eq!(attributes(&stream, 40, 20).as_ref(), Some(&expected));
        for length in 0..stream.len() {
            assert_eq!(attributes(&stream[..length], 40, 20), None, "{length} bytes");
        }
    }
    let constant = hex("a1aa000000000000000000000000000000000000000908070600");
    assert_eq!(attributes(&constant, 5, 4), Some([9, 8, 7, 6].repeat(5)));
}
