//! Streams that are made by hand, and parts of Draco that are not supported.

use geom::{Rgba8, Vec2, Vec3};

use crate::streams::{Rng, agree, decode, encode_rounded, surface};
use crate::wire::draco::bits::write_varint;
use crate::wire::draco::symbols;

/// The start of a stream with three points and one face, up to the attributes.
fn head(flags: u16) -> Vec<u8> {
    [b"DRACO\x02\x02\x01\0", &flags.to_le_bytes()[..], &[1, 3, 1, 0, 1, 2]].concat()
}

#[test]
fn a_stream_by_hand() {
    let floats = |floats: &[f32]| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<_>>();
    // Two attribute decoders. The first has normals in steps of 4 bits, uncompressed and without prediction, and an
    // attribute of 5 u16, which is not a field of a vertex; the second has positions, and a tangent as differences of
    // one byte each.
    let mut stream = head(0);
    stream.extend([2]);
    stream.extend([2, 4, 9, 3, 0, 1, 4, 4, 5, 1, 0xc8, 1, 2, 1]);
    stream.extend([2, 0, 9, 3, 0, 0, 4, 2, 4, 0, 3, 0, 1]);
    // Prediction method -2 (none), uncompressed, one byte each: the symbol is twice the step, since even symbols are
    // positive.
    stream.extend([0xfe, 0, 1, 0, 30, 10, 20, 0, 4, 0, 2, 8]);
    stream.extend([0xfe, 0, 2]);
    stream.extend([7, 0].repeat(15));
    stream.extend(floats(&[-1.0, 0.0, 1.0]));
    stream.extend(floats(&[3.0]));
    stream.push(4);
    stream.extend(floats(&[0.0, 0.5, 1.0, 1.5, 2.0, 2.5, -3.0, -3.5, f32::MIN_POSITIVE]));
    // Differences in the range from 10 to 20, which has eleven values. The value before the first one is 0, which is
    // clamped to 10; one less wraps to 20. Odd symbols are negative: 1 is -1, 3 is -2.
    stream.extend([0, 1, 0, 1]);
    stream.extend([0, 2, 20, 1, 0, 2, 2, 1, 1, 1, 3, 2]);
    stream.extend(10_i32.to_le_bytes());
    stream.extend(20_i32.to_le_bytes());
    let decoded = agree(&stream, "by hand");
    assert_eq!(decoded.faces, [[0, 1, 2]]);
    assert_eq!(decoded.others(), 1);
    // A step is 3 / 15.
    let step = 0.2_f32;
    let normals = [[0.0, 15.0, 5.0], [10.0, 0.0, 2.0], [0.0, 1.0, 4.0]];
    for (vertex, [x, y, z]) in decoded.vertices.iter().zip(normals) {
        assert_eq!(vertex.normal.to_array(), [x * step - 1.0, y * step, z * step + 1.0]);
    }
    assert_eq!(decoded.vertices[2].position.to_array(), [-3.0, -3.5, f32::MIN_POSITIVE]);
    let tangents = decoded.vertices.iter().map(|vertex| vertex.tangent.0).collect::<Vec<_>>();
    assert_eq!(tangents, [[10, 11, 20, 20], [10, 12, 10, 19], [20, 11, 19, 20]]);
    assert_eq!(decoded.vertices[0].color, Rgba8::WHITE);
    assert_eq!(decoded.vertices[0].uv, Vec2::new(0.0, 0.0));
}

#[test]
fn integers_of_any_size_and_values_of_any_type() {
    for size in 0..=4_u8 {
        let mut stream = head(0);
        stream.extend([1, 1, 4, 2, 4, 0, 3, 1, 0xfe, 0, size]);
        for value in 0..12_u32 {
            stream.extend(&(value * 2).to_le_bytes()[..size.into()]);
        }
        let expected = if size == 0 { [0; 4] } else { [4, 5, 6, 7] };
        assert_eq!(agree(&stream, "sizes").vertices[1].tangent.0, expected, "{size}");
    }
    // Attributes that are not fields of a vertex, before one that is: each must be skipped.
    let mut rng = Rng(1);
    for data in [1_u8, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] {
        for width in [1, 2, 3, 4, 5, 9] {
            let size = [0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1][usize::from(data)];
            for coding in 0..3_u8 {
                if coding == 1 && data > 6 || coding == 2 && data != 9 {
                    continue;
                }
                let mut stream = head(0);
                stream.extend([1, 2, 4, data, width, 0, 77, 4, 2, 4, 0, 4, coding, 0]);
                let mut values: Vec<u32> =
                    (0..3 * u32::from(width)).map(|_| rng.next() as u32 % 60).collect();
                if coding == 0 {
                    stream.resize(stream.len() + 3 * usize::from(width) * size, 7);
                } else {
                    stream.extend([0, 1, 1]);
                    symbols::write(&values, width.into(), &mut stream);
                    stream.extend([0; 4]);
                    stream.extend(100_i32.to_le_bytes());
                }
                values.clear();
                stream.extend([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
                if coding == 2 {
                    stream.resize(stream.len() + 4 * usize::from(width) + 4, 0);
                    stream.push(8);
                }
                let decoded = agree(&stream, &format!("type {data}, {width} wide, coding {coding}"));
                assert_eq!(decoded.vertices[2].color, Rgba8::from([9, 10, 11, 12]));
            }
        }
    }
}

#[test]
fn attributes_with_other_ids_are_known_by_what_they_are_for() {
    let mut stream = head(0);
    // Positions, normals and colours with the ids 10, 7 and 2,000,000,000; and texture coordinates with one component,
    // which is not a field of a vertex.
    stream
        .extend([1, 4, 2, 2, 4, 0, 0x80, 0xa8, 0xd6, 0xb9, 7, 1, 9, 3, 0, 7, 3, 9, 1, 0, 8, 0, 9, 3, 0, 10]);
    stream.extend([0; 4]);
    stream.extend([3; 12]);
    for value in 0..21_u8 {
        stream.extend(f32::from(value).to_le_bytes());
    }
    let decoded = agree(&stream, "other ids");
    assert_eq!((decoded.vertices[1].color, decoded.others()), (Rgba8::from([3; 4]), 1));
    assert_eq!(decoded.vertices[1].normal, Vec3::new(3.0, 4.0, 5.0));
    assert_eq!(decoded.vertices[2].position, Vec3::new(18.0, 19.0, 20.0));
    assert_eq!(decoded.vertices[2].uv, Vec2::new(0.0, 0.0));
    // An attribute with one of the five known ids must have the type of that id.
    stream[19..23].copy_from_slice(&[4, 9, 1, 0]);
    stream[23..28].copy_from_slice(&[0x81, 0x80, 0x80, 0x80, 0]);
    assert_eq!(
        decode(&stream).unwrap_err().to_string(),
        "unsupported Draco attribute with the id 1 (normal): expected 3 components of type float32, found \
         1 component of type float32 in attributes[0] at offset 0x2f"
    );
}

#[test]
fn metadata_is_passed_over() {
    // An attribute with two values, one of them of 200 bytes; and a mesh with no values and two nested elements.
    let mut metadata = vec![1, 0, 2, 1, b'a', 1, 9, 4];
    metadata.extend(b"name");
    write_varint(200, &mut metadata);
    metadata.resize(metadata.len() + 200, 0xee);
    metadata.push(0);
    metadata.extend([0, 1, 1, b'x', 1, 1, b'k', 2, 8, 9, 1, 0, 0, 0]);
    let mut stream = head(0x8000);
    stream.splice(11..11, metadata);
    stream.extend([1, 1, 2, 2, 4, 0, 4, 0]);
    stream.extend([5; 12]);
    assert_eq!(agree(&stream, "metadata").vertices[0].color, Rgba8::from([5; 4]));
    for len in 11..stream.len() {
        assert!(decode(&stream[..len]).is_err());
    }
    // Extremely deep nesting, without a limit of memory.
    let mut deep = head(0x8000);
    deep.splice(11..11, [0, 0, 1].into_iter().chain([0, 0, 1].repeat(100_000)));
    assert_eq!(
        decode(&deep).unwrap_err().to_string(),
        "unsupported Draco metadata nested deeper than 64 levels in metadata at offset 0xcb"
    );
}

#[test]
fn what_is_not_read_is_named() {
    let with = |at: usize, byte: u8| {
        let mut stream = encode_rounded(&surface(3, 0).0, &[[0, 1, 2]], false, 11);
        stream[at] = byte;
        stream
    };
    // The normals' prediction follows the header (11 bytes), the counts (2), the coding (1), the indices (3), the
    // decoders (1), the attributes (1 + 5 × 5), the 5 codings and the positions (36).
    let prediction = 11 + 2 + 1 + 3 + 2 + 25 + 5 + 36;
    let cases = [
        (5, 1, "unsupported Draco version 1.2 (known versions: 2.2) in header"),
        (6, 3, "unsupported Draco version 2.3 (known versions: 2.2) in header"),
        (7, 0, "unsupported Draco point cloud (expected a mesh) in header"),
        (7, 7, "unsupported Draco geometry type 7 (expected 1, a mesh) in header"),
        (
            8,
            1,
            "unsupported Draco EdgeBreaker encoding (encode the mesh with the sequential method) in header",
        ),
        (8, 2, "unsupported Draco connectivity encoding 2 (expected 0, sequential) in header"),
        (13, 2, "unsupported Draco face encoding 2 (expected 0 or 1) in faces"),
        (20, 0, "unsupported Draco data type 0 (expected 1 to 11) in attributes[0].type"),
        (
            44,
            3,
            "unsupported Draco attribute encoding 3, quantized normals (encode the mesh again without it) in attributes[0]",
        ),
        (44, 4, "unsupported Draco attribute encoding 4 (expected 0 to 2) in attributes[0]"),
        (prediction, 1, "\"parallelogram\""),
        (prediction, 4, "\"constrained multi parallelogram\""),
        (prediction, 0xff, "\"-1\""),
        (
            prediction + 1,
            2,
            "unsupported Draco prediction transform \"octahedron\" (expected \"wrap\") in attributes[1].transform",
        ),
    ];
    for (at, byte, text) in cases {
        let text = match text.starts_with('"') {
            true => format!(
                "unsupported Draco prediction method {text} (encode the attribute without prediction, or with the \
                 method \"difference\") in attributes[1].prediction"
            ),
            false => text.to_owned(),
        };
        // The version has two bytes.
        let place = if at == 6 { 5 } else { at };
        assert_eq!(decode(&with(at, byte)).unwrap_err().to_string(), format!("{text} at offset {place:#x}"));
    }
    let mut cloud = with(7, 0);
    cloud[8] = 1;
    let error = decode(&cloud).unwrap_err().to_string();
    assert!(error.starts_with("unsupported Draco point cloud with k-d tree encoding"), "{error}");
}
