//! Small meshes of 6.00 and 7.00: chunks, and Draco streams.
//!
//! Of 6.00 no real file is public: these stand on the tables alone. The Draco streams are laid out by
//! hand but for two that another encoder made of the same square.

use super::fixtures::{CORNERS, FACES, NAME_OFFSETS, NAMES, TANGENT, bones, facs, subset, vertices};
use crate::formats::{Bytes, Fixture, Grade};

pub(super) fn all() -> Vec<Fixture> {
    let mut all = version_6();
    all.extend(version_7());
    all.extend(draco());
    all
}

fn chunk(name: &[u8], version: u32, payload: Bytes) -> Bytes {
    let mut tag = name.to_vec();
    tag.resize(8, 0);
    Bytes::new().raw(tag).u32(version).u32(payload.0.len() as u32).raw(payload)
}

fn file(number: &str, chunks: impl IntoIterator<Item = Bytes>) -> Bytes {
    chunks.into_iter().fold(Bytes::new().raw(format!("version {number}\n")), Bytes::raw)
}

/// Without its last byte.
fn cut(mut bytes: Bytes) -> Bytes {
    bytes.0.pop();
    bytes
}

fn core() -> Bytes {
    Bytes::new().u32(4).raw(vertices(40)).u32(2).u32s(FACES)
}

fn core_draco(stream: Bytes) -> Bytes {
    chunk(b"COREMESH", 2, Bytes::new().u32(stream.0.len() as u32).raw(stream))
}

/// Levels of kind 4, one of high quality.
fn lods(offsets: &[u32]) -> Bytes {
    Bytes::new().u16(4).u8(1).u32(offsets.len() as u32).u32s(offsets.iter().copied())
}

/// Four envelopes, three bones, their names, two subsets, as in the fixtures of 4.01.
fn skinning() -> Bytes {
    let envelopes = [[0, 0, 0, 0, 255, 0, 0, 0], [0, 1, 0, 0, 200, 55, 0, 0], [1, 0, 0, 0, 255, 0, 0, 0]];
    let last = [0, 1, 2, 0, 100, 90, 65, 0];
    let start = Bytes::new().u32(4).raw(envelopes.as_flattened()).raw(last);
    let middle = start.u32(3).raw(bones(NAME_OFFSETS)).u32(14).raw(NAMES).u32(2);
    middle.raw(subset([0, 1], [0, 2], &[2, 0])).raw(subset([1, 1], [2, 2], &[0, 1, 2]))
}

fn sized(block: Bytes) -> Bytes {
    Bytes::new().u32(block.0.len() as u32).raw(block)
}

/// Ten flags, the second, third and tenth of them set.
fn visible() -> Bytes {
    Bytes::new().u32(10).raw([0b0000_0110, 0b10])
}

fn all_parts() -> [Bytes; 4] {
    [
        chunk(b"LODS", 1, lods(&[0, 1, 2])),
        chunk(b"SKINNING", 1, skinning()),
        chunk(b"FACS", 1, sized(facs(2))),
        chunk(b"HSRAVIS", 1, visible()),
    ]
}

fn version_6() -> Vec<Fixture> {
    let core_chunk = || chunk(b"COREMESH", 1, core());
    let plain = file("6.00", [core_chunk(), chunk(b"LODS", 1, lods(&[0, 2]))]);
    let parts = file("6.00", [core_chunk()].into_iter().chain(all_parts()));
    let order = file("6.00", all_parts().into_iter().chain([core_chunk()]));
    let unknown = file(
        "6.00",
        [
            chunk(b"FUTURE", 7, Bytes::new().raw("anything")),
            chunk(b"LODS", 2, Bytes::new().raw("another layout")),
            core_chunk(),
            chunk(b"FACS", 9, Bytes::new()),
            chunk(b"LODS", 1, lods(&[0, 1, 2])),
            chunk(b"", 0, Bytes::new()),
        ],
    );
    let twice = file(
        "6.00",
        [
            core_chunk(),
            chunk(b"LODS", 1, lods(&[0, 1, 2])),
            chunk(b"COREMESH", 1, Bytes::new().u32(0).u32(1).u32s([9, 9, 9])),
            chunk(b"LODS", 1, lods(&[0, 2])),
        ],
    );
    let more = file(
        "6.00",
        [
            chunk(b"COREMESH", 1, core().raw("core")),
            chunk(b"LODS\0pad", 1, lods(&[0, 2]).u8(9)),
            chunk(b"SKINNING", 1, skinning().raw("skin")),
            chunk(b"FACS    ", 1, sized(facs(2).raw("in the block")).raw("behind it")),
            chunk(b"HSRAVIS", 1, visible().u8(0)),
        ],
    );
    let nothing = file(
        "6.00",
        [
            chunk(b"COREMESH", 1, Bytes::new().u32(0).u32(0)),
            chunk(b"LODS", 1, Bytes::new().u16(0).u8(0).u32(0)),
            chunk(b"SKINNING", 1, Bytes::new().u32s([0; 4])),
            chunk(b"FACS", 1, Bytes::new().u32(0)),
            chunk(b"HSRAVIS", 1, Bytes::new().u32(0)),
        ],
    );
    let matrix_9 = file("6.00", [core_chunk(), chunk(b"FACS", 1, sized(facs(9)))]);
    let no_core = file("6.00", [chunk(b"COREMESH", 3, Bytes::new().raw("another layout"))]);
    vec![
        Fixture::exact("v6_00.mesh", "a square, one level", plain.clone()),
        Fixture::exact("v6_00_all.mesh", "every chunk", parts),
        Fixture::exact("v6_00_order.mesh", "the mesh behind all others", order),
        Fixture::exact("v6_00_unknown.mesh", "unknown chunks, and versions of known ones", unknown),
        Fixture::exact("v6_00_twice.mesh", "chunks that come again", twice),
        Fixture::exact("v6_00_more.mesh", "bytes behind every chunk's parts; names filled up oddly", more),
        Fixture::exact("v6_00_nothing.mesh", "chunks that say nothing", nothing),
        Fixture::exact("v6_00_matrix_9.mesh", "facial animation that nobody knows", matrix_9),
        Fixture::exact("v6_00_no_core.mesh", "no vertices and faces that anybody knows", no_core),
        Fixture::exact(
            "v6_00_trailing.mesh",
            "less than a chunk's header at the end",
            plain.clone().raw([0; 15]),
        ),
        Fixture::exact(
            "v6_00_trailing_long.mesh",
            "more than a chunk's header at the end, and no chunk",
            plain.raw("bytes without a meaning"),
        ),
        Fixture::exact("v6_00_cut.mesh", "a chunk that ends too early", cut(file("6.00", [core_chunk()])))
            .grade(Grade::Failed),
        Fixture::exact("v6_00_empty.mesh", "no chunk at all", file("6.00", [])).grade(Grade::Failed),
    ]
}

fn version_7() -> Vec<Fixture> {
    let core_1 = chunk(b"COREMESH", 1, core());
    let crlf = Bytes::new().raw("version 7.00\r\n").raw(core_1.clone());
    let parts = file("7.00", [core_draco(by_hand())].into_iter().chain(all_parts()));
    let more = core_draco(by_hand().raw("in the stream"));
    let behind = Bytes::new().u32(by_hand().0.len() as u32).raw(by_hand()).raw("behind the stream");
    vec![
        Fixture::exact(
            "v7_00_plain.mesh",
            "vertices that are not compressed, as in a real file",
            file("7.00", [core_1, chunk(b"LODS", 1, lods(&[0, 2]))]),
        ),
        Fixture::exact("v7_00_crlf.mesh", "the first line ends with CR LF", crlf),
        Fixture::exact("v7_00_all.mesh", "every chunk, a stream by hand", parts),
        Fixture::exact("v7_00_more.mesh", "bytes behind the stream's last value", file("7.00", [more])),
        Fixture::exact(
            "v7_00_behind.mesh",
            "bytes behind the stream",
            file("7.00", [chunk(b"COREMESH", 2, behind)]),
        ),
    ]
}

/// The start of a stream: version 2.2, a mesh, sequential.
fn stream(method: u8, flags: u16) -> Bytes {
    Bytes::new().raw("DRACO").raw([2, 2, 1, method]).u16(flags)
}

/// The attributes as Roblox declares them, and how they are stored.
fn attributes(codings: [u8; 5]) -> Bytes {
    let declared = [[0, 9, 3, 0, 0], [4, 9, 3, 0, 1], [3, 9, 2, 0, 2], [4, 2, 4, 0, 3], [2, 2, 4, 0, 4]];
    Bytes::new().u8(1).u8(5).raw(declared.as_flattened()).raw(codings)
}

fn column(range: std::ops::Range<usize>) -> Bytes {
    CORNERS.into_iter().fold(Bytes::new(), |bytes, corner| bytes.f32s(corner[range.clone()].iter().copied()))
}

/// The square as a stream in which every part is stored in another way.
fn by_hand() -> Bytes {
    // The faces 0 1 2 and 0 2 3 as differences, the lowest bit the sign: 0 +1 +1 -2 +2 +1. As raw
    // symbols of 3 bits, so 4,096 slots: 0 has 1,024 of them, 2 has 2,048, 4 and 5 have 512 each.
    let faces = stream(0, 0).raw([2, 4, 0, 1, 3, 6, 0x01, 0x10, 3, 0x01, 0x20, 3, 0x01, 8, 0x01, 8]);
    // The state in the end is 0x01e16e above the least one: two bits say that it has three bytes.
    let faces = faces.raw([4, 0, 0x6e, 0xe1, 0x81]);
    let start = faces.raw(attributes([0, 2, 0, 1, 1])).raw(column(0..3));
    // Normals: one step for all, the symbol 0 with all slots.
    let normals = start.raw([0, 1, 1, 1, 1, 1, 0x01, 0x40, 1, 0]).i32(0).i32(0);
    // Tangents: no prediction, not compressed, two bytes each, twice the value.
    let tangents = normals.raw(column(6..8)).raw([0xfe, 0, 2]);
    let tangents = (0..4).fold(tangents, |bytes, _| bytes.u16s(TANGENT.map(|byte| u16::from(byte) * 2)));
    // Colours: differences modulo 256, not compressed, a byte each: 255 is -1, 128 is -128.
    let colors = tangents.raw([0, 1, 0, 1]).raw([1, 255, 0, 1]).raw([0, 0, 2, 0].repeat(3)).i32(0).i32(255);
    // What the steps of the normals stand for: 0, 0, 1 and a step of 1 / 2,047.
    colors.f32s([0.0, 0.0, 1.0]).f32(1.0).u8(11)
}

/// What another encoder (draco-core 2.3.3) made of the square, normals in 11 bits.
const SQUARE: &str = "445241434f020201000000020401000102000203010500090300000409030001\
    0309020002040204000302020400040002000101000000000000000000000000\
    0000803f00000000000000000000803f00000040000000000000000000000040\
    000000bf000101010101014001000000000000000000000000000000803f0000\
    803f0000803f0000803f0000803e000000000000803e00010100020301400100\
    09007f000000fe000000000101000907013013011003001c8201ff0001202020\
    00000000ff00000000000000000000000000803f0000803f0b";

/// The same with normals in all directions: +x, +y, -x, -z.
const SIDES: &str = "445241434f020201000000020401000102000203010500090300000409030001\
    0309020002040204000302020400040002000101000000000000000000000000\
    0000803f00000000000000000000803f00000040000000000000000000000040\
    000000bf000101000c2b014001000100c0fffbff7f00fcffff00f83f00fe0f00\
    000000ff070000000000000000803f0000803f0000803f0000803f0000803e00\
    0000000000803e0001010002030140010009007f000000fe0000000001010009\
    07013013011003001c8201ff000120202000000000ff000000000080bf000000\
    00000080bf000000400b";

fn from_hex(hex: &str) -> Bytes {
    let digits: Vec<u8> =
        hex.bytes().filter_map(|byte| char::from(byte).to_digit(16)).map(|d| d as u8).collect();
    Bytes(digits.as_chunks().0.iter().map(|&[high, low]| high << 4 | low).collect())
}

fn draco() -> Vec<Fixture> {
    let only = |stream: Bytes| file("7.00", [core_draco(stream), chunk(b"LODS", 1, lods(&[0, 2]))]);
    let plain_faces = |start: Bytes| start.raw([2, 4, 1]).raw(FACES.map(|corner| corner as u8));
    let plain_values = |bytes: Bytes| {
        let colors = (0..4).fold(Bytes::new(), |bytes, index| bytes.raw([255, 128, index, 255]));
        let floats = bytes.raw(column(0..3)).raw(column(3..6)).raw(column(6..8));
        floats.raw(TANGENT.repeat(4)).raw(colors)
    };
    let plain = plain_values(plain_faces(stream(0, 0)).raw(attributes([0; 5])));
    // One attribute with a name, the mesh with a value, and an element in it.
    let metadata = stream(0, 0x8000).raw([1, 2, 1, 4]).raw("name").raw([3]).raw("uvs").raw([0]);
    let metadata = metadata.raw([1, 1]).raw("v").raw([2, 1, 0]).raw([1, 2]).raw("in").raw([0, 0]);
    let metadata = plain_values(plain_faces(metadata).raw(attributes([0; 5])));
    // A second decoder with an attribute that a vertex has no place for: two f64 each.
    let others =
        plain_faces(stream(0, 0)).raw([2, 1, 4, 10, 2, 0, 0x80, 1, 0]).raw(&attributes([0; 5]).0[1..]);
    let others = plain_values(others.raw([0x55; 64]));
    let positions = plain_faces(stream(0, 0)).raw([1, 1, 0, 9, 3, 0, 0, 0]).raw(column(0..3));
    let empty = stream(0, 0).raw([0, 0, 1]).raw([0]);
    let edgebreaker = plain_faces(stream(1, 0));
    vec![
        Fixture::exact(
            "v7_00.mesh",
            "the square from another encoder, tagged symbols",
            only(from_hex(SQUARE)),
        ),
        Fixture::exact("v7_00_sides.mesh", "normals in all directions", only(from_hex(SIDES))),
        Fixture::exact("v7_00_hand.mesh", "a stream by hand, every part in another coding", only(by_hand())),
        Fixture::exact("v7_00_values.mesh", "every attribute plain", only(plain)),
        Fixture::exact("v7_00_metadata.mesh", "metadata in the stream", only(metadata)),
        Fixture::exact("v7_00_others.mesh", "an attribute that a vertex has no place for", only(others)),
        Fixture::exact("v7_00_positions.mesh", "positions alone", only(positions)),
        Fixture::exact("v7_00_no_points.mesh", "a stream without points", only(empty)),
        Fixture::exact("v7_00_edgebreaker.mesh", "a stream in EdgeBreaker order", only(edgebreaker))
            .grade(Grade::Failed),
    ]
}
