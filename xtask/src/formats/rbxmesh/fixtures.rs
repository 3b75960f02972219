//! Small meshes of every version and with every optional part, laid out by hand.

use crate::formats::{Bytes, Fixture, Grade};

/// Four corners of a square, two faces: position, normal, uv.
const CORNERS: [[f32; 8]; 4] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0],
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0],
    [1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.25],
    [0.0, 2.0, -0.5, 0.0, 0.0, 1.0, 0.0, 0.25],
];
const FACES: [u32; 6] = [0, 1, 2, 0, 2, 3];
/// The tangent (1, 0, 0) with a positive sign.
const TANGENT: [u8; 4] = [254, 127, 127, 254];

pub(super) fn all() -> Vec<Fixture> {
    let mut all = text();
    all.extend(version_2());
    all.extend(version_3());
    all.extend(version_4());
    all.extend(version_5());
    all
}

/// The square as text, every position scaled; `line` ends the lines.
fn square_text(version: &str, scale: f32, line: &str, w: &str) -> Vec<u8> {
    let mut text = format!("version {version}{line}2{line}");
    for vertex in FACES {
        let [px, py, pz, nx, ny, nz, u, v] = CORNERS[vertex as usize];
        let [px, py, pz] = [px, py, pz].map(|p| p * scale);
        // v stands upwards in text.
        text += &format!("[{px},{py},{pz}][{nx},{ny},{nz}][{u},{},{w}]", 1.0 - v);
    }
    text.into_bytes()
}

fn text() -> Vec<Fixture> {
    let long = "version 1.01\r\n1\r\n[1.5e-007,-2.25e+008,0][0,0,1][0.1,0.00680995,0]\
        [1,0,0][0,0,1][0,1e-010,0][0,1,0][0,0,1][3.75,-0.5,0]";
    let odd =
        "version 1.00\n1 \n [ 0 , 0,0]\n[0,0,1][0,0,0] [+1,0,0][0,0,1.0][1.00,0,0][0,1E2,0][0,0,1][0,.5,0]";
    let none = "version 1.01\n1\n[nan,inf,-inf][0,0,1][0,0,0][0,0,0][0,0,1][0,0,0][0,0,0][0,0,1][0,0,0]";
    let c_none =
        "version 1.01\n1\n[-1.#IND,1.#INF,1.#QNAN][0,0,1][0,0,0][0,0,0][0,0,1][0,0,0][0,0,0][0,0,1][0,0,0]";
    let trailing = [square_text("1.01", 1.0, "\n", "0"), b"\nmore".to_vec()].concat();
    vec![
        Fixture::exact("v1_00.mesh", "a square; positions doubled", square_text("1.00", 2.0, "\n", "0")),
        Fixture::exact("v1_01.mesh", "a square", square_text("1.01", 1.0, "\n", "0")),
        Fixture::exact("v1_01_w.mesh", "a third texture coordinate", square_text("1.01", 1.0, "\n", "0.5")),
        Fixture::exact("v1_00_crlf.mesh", "lines end with CR LF", square_text("1.00", 2.0, "\r\n", "0")),
        Fixture::exact("v1_01_exponents.mesh", "exponents of three digits; a v that turning loses", long),
        Fixture::exact("v1_01_trailing.mesh", "bytes behind the last face", trailing),
        Fixture::exact("v1_01_not_numbers.mesh", "not a number, infinite", none),
        Fixture::exact("v1_01_empty.mesh", "no faces", "version 1.01\n0\n"),
        Fixture::exact("v1_01_not_numbers_c.mesh", "not a number as old C libraries print it", c_none)
            .grade(Grade::Model),
        Fixture::exact("v1_00_spaces.mesh", "spaces, signs and numbers that nobody writes", odd)
            .grade(Grade::Model),
    ]
}

/// The vertices at 32, 36, 40 or more bytes each; what is more counts upwards.
fn vertices(size: usize) -> Bytes {
    let mut bytes = Bytes::new();
    for (index, corner) in CORNERS.into_iter().enumerate() {
        bytes = bytes.f32s(corner);
        if size >= 36 {
            bytes = bytes.raw(if size == 36 { [0; 4] } else { TANGENT });
        }
        if size >= 40 {
            bytes = bytes.raw([255, 128, index as u8, 255]);
        }
        bytes = bytes.raw((40..size).map(|place| (place + index) as u8).collect::<Vec<_>>());
    }
    bytes
}

fn version_2() -> Vec<Fixture> {
    let file = |size: u8| {
        let header = Bytes::new().raw("version 2.00\n").u16(12).u8(size).u8(12).u32(4).u32(2);
        header.raw(vertices(size.into())).u32s(FACES)
    };
    let crlf = Bytes::new().raw("version 2.00\r\n").raw(&file(40).0[13..]);
    let wide = Bytes::new().raw("version 2.00\n").u16(16).u8(44).u8(16).u32(4).u32(2).raw("more");
    let wide = wide.raw(vertices(44)).u32s([0, 1, 2, 0xaaaa_aaaa, 0, 2, 3, 0xbbbb_bbbb]);
    let empty = Bytes::new().raw("version 2.00\n").u16(12).u8(40).u8(12).u32(0).u32(0);
    vec![
        Fixture::exact("v2_00.mesh", "vertices of 40 bytes", file(40)),
        Fixture::exact("v2_00_36.mesh", "vertices of 36 bytes, without colour", file(36)),
        Fixture::exact("v2_00_32.mesh", "vertices of 32 bytes, without tangent", file(32)),
        Fixture::exact("v2_00_wide.mesh", "a header, vertices and faces larger than today's", wide),
        Fixture::exact("v2_00_crlf.mesh", "the first line ends with CR LF", crlf),
        Fixture::exact("v2_00_trailing.mesh", "bytes behind the end", file(40).raw([0, 1, 2])),
        Fixture::exact("v2_00_empty.mesh", "no vertices, no faces", empty),
    ]
}

fn version_3() -> Vec<Fixture> {
    let file = |number: &str, offsets: &[u32]| {
        let header = Bytes::new().raw(format!("version {number}\n")).u16(16).u8(40).u8(12).u16(4);
        let counts = header.u16(offsets.len() as u16).u32(4).u32(2);
        counts.raw(vertices(40)).u32s(FACES).u32s(offsets.iter().copied())
    };
    let no_lods = Bytes::new().raw("version 3.00\n").u16(16).u8(40).u8(12).u16(0).u16(0).u32(4).u32(2);
    vec![
        Fixture::exact("v3_00.mesh", "two levels of one face", file("3.00", &[0, 1, 2])),
        Fixture::exact("v3_01.mesh", "one level of two faces", file("3.01", &[0, 2])),
        Fixture::exact("v3_00_zero_lods.mesh", "offsets (0, 0), which mean one level", file("3.00", &[0, 0])),
        Fixture::exact(
            "v3_00_lod_size_0.mesh",
            "no offsets, of size 0",
            no_lods.raw(vertices(40)).u32s(FACES),
        ),
    ]
}

/// The header of 4.00 and later up to the reserved byte.
fn header_4(number: &str, size: u16, bones: u16, names: u32, subsets: u16, reserved: u8) -> Bytes {
    let start = Bytes::new().raw(format!("version {number}\n")).u16(size).u16(4).u32(4).u32(2);
    start.u16(3).u16(bones).u32(names).u16(subsets).u8(1).u8(reserved)
}

/// Three bones, the second and third children of the first.
fn bones(name_offsets: [u32; 3]) -> Bytes {
    let parents = [0xffff, 0, 0];
    let mut bytes = Bytes::new();
    for (index, (name, parent)) in name_offsets.into_iter().zip(parents).enumerate() {
        bytes = bytes.u32(name).u16(parent).u16(parent).f32(index as f32 * 10.0);
        // A quarter turn about z, row by row.
        bytes = bytes.f32s([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]).f32s([index as f32, 0.5, 0.0]);
    }
    bytes
}

/// A subset over a range of vertices and faces.
fn subset(faces: [u32; 2], vertices: [u32; 2], bones: &[u16]) -> Bytes {
    let unused = std::iter::repeat_n(0xffff, 26 - bones.len());
    let counts = Bytes::new().u32s(faces).u32s(vertices).u32(bones.len() as u32);
    counts.u16s(bones.iter().copied().chain(unused))
}

/// Envelopes, faces, offsets, bones, names and subsets of a skin. The places in the envelopes count
/// within the subsets, whose tables name the bones in different orders.
fn skin(name_offsets: [u32; 3], names: &[u8]) -> Bytes {
    let envelopes = [[0, 0, 0, 0, 255, 0, 0, 0], [0, 1, 0, 0, 200, 55, 0, 0], [1, 0, 0, 0, 255, 0, 0, 0]];
    let last = [0, 1, 2, 0, 100, 90, 65, 0];
    let start = Bytes::new().raw(vertices(40)).raw(envelopes.as_flattened()).raw(last);
    let middle = start.u32s(FACES).u32s([0, 1, 2]).raw(bones(name_offsets)).raw(names);
    middle.raw(subset([0, 1], [0, 2], &[2, 0])).raw(subset([1, 1], [2, 2], &[0, 1, 2]))
}

const NAMES: &[u8] = b"Root\0Arm\xff\0Leg\0";
const NAME_OFFSETS: [u32; 3] = [0, 5, 10];

fn version_4() -> Vec<Fixture> {
    let plain = |number: &str, reserved| {
        header_4(number, 24, 0, 0, 0, reserved).raw(vertices(40)).u32s(FACES).u32s([0, 1, 2])
    };
    let skinned = header_4("4.01", 24, 3, 14, 2, 0).raw(skin(NAME_OFFSETS, NAMES));
    let shared = header_4("4.01", 24, 3, 9, 2, 0).raw(skin([5, 0, 0], b"Arm\0\0Leg\0"));
    let wide = header_4("4.00", 28, 0, 0, 0, 0).raw("more");
    vec![
        Fixture::exact("v4_00.mesh", "two levels, no skin", plain("4.00", 0)),
        Fixture::exact("v4_01_reserved.mesh", "a header byte without a known meaning", plain("4.01", 63)),
        Fixture::exact("v4_01_skin.mesh", "bones, envelopes, two subsets; a name that is not UTF-8", skinned),
        Fixture::exact("v4_01_names.mesh", "names out of order, one of them shared", shared),
        Fixture::exact(
            "v4_00_wide.mesh",
            "a header larger than today's; bytes behind the end",
            wide.raw(vertices(40)).u32s(FACES).u32s([0, 1, 2]).u8(9),
        ),
    ]
}

/// A matrix of two rows and four columns, as steps or as plain numbers.
fn matrix(version: u16) -> Bytes {
    let head = Bytes::new().u16(version).u32(2).u32(4);
    match version {
        1 => head.f32s((0..8).map(|value| value as f32 * 0.25)),
        2 => head.f32(-1.0).f32(1.0).u16s([0, 65535, 32768, 1, 2, 3, 4, 5]),
        _ => head.raw([7; 16]),
    }
}

/// Facial animation with two bones, two controls, a two-pose and a three-pose corrective.
fn facs(version: u16) -> Bytes {
    let matrices = std::iter::repeat_n(matrix(version), 6).fold(Bytes::new(), Bytes::raw);
    let sizes = Bytes::new().u32(9).u32(12).u64(matrices.0.len() as u64).u32(4).u32(6);
    let names = sizes.raw("Jaw\0Lips\0").raw("c_COR\0c_CLR\0");
    names.raw(matrices).u16s([0, 1]).u16s([1, 0, 1])
}

fn version_5() -> Vec<Fixture> {
    let file = |format: u32, block: Bytes| {
        let header = header_4("5.00", 32, 3, 14, 2, 0).u32(format).u32(block.0.len() as u32);
        header.raw(skin(NAME_OFFSETS, NAMES)).raw(block)
    };
    vec![
        Fixture::exact("v5_00.mesh", "skin and facial animation in steps", file(1, facs(2))),
        Fixture::exact("v5_00_floats.mesh", "facial animation in plain numbers", file(1, facs(1))),
        Fixture::exact("v5_00_matrix_9.mesh", "matrices of a version that nobody knows", file(1, facs(9))),
        Fixture::exact(
            "v5_00_format_2.mesh",
            "facial animation of a format that nobody knows",
            file(2, facs(2)),
        ),
        Fixture::exact("v5_00_none.mesh", "no facial animation", file(1, Bytes::new())),
        Fixture::exact(
            "v5_00_more.mesh",
            "bytes behind the facial animation's parts",
            file(1, facs(2).raw("more")),
        ),
    ]
}
