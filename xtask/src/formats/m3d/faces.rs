//! Voxels, shapes, scripts, labels and assets made by hand.

use super::parts::{ASSET_PNG, Head, NONE, WIDE, chunk, coords, id, raw, width_name};
use crate::formats::{Bytes, Fixture};

pub(super) fn all() -> Vec<Fixture> {
    let mut all = voxels();
    all.extend(shapes());
    all.extend(others());
    all
}

/// Types with items and blocks in every width.
fn voxels() -> Vec<Fixture> {
    let mut all = Vec::new();
    for vd in 0..3 {
        for vp in 0..2 {
            // Colours as they are, skins in one byte.
            let types = WIDE & !(3 << 6 | 3 << 14 | 3 << 22 | 3 << 24) | 2 << 6 | vd << 22 | vp << 24;
            let head = Head::new(types, "n\0\0\0\0chest\0gold\0");
            let kinds = Bytes::new()
                .u32(0xff00_00ff)
                .raw([0, 0, 0, 0, 255])
                .u32(0)
                // Turned, shape 256 + 16, two items, skin 0.
                .raw([5, 0x40 | 0x1b, 16, 2, 0])
                .u16(64)
                .u8(11)
                .u16(1)
                .u8(0)
                .u32(0x8000_ff00)
                .raw([11, 0x80 | 0x2a, 255, 0, 255]);
            let d = |value| id(vd, value);
            let p = |value| id(vp, value);
            let front = |name: u8, position: [u32; 3], size: [u32; 3]| {
                position.into_iter().chain(size).fold(Bytes::new().u8(name), |all, value| all.raw(d(value)))
            };
            // 2 wide, 2 high, 2 deep: two alike, then two of their own, a clear one, three unset.
            let block = front(5, [NONE, 0, 0xffff_fff0], [2, 2, 2])
                .raw([0, 0, 0x81])
                .raw(p(1))
                .u8(0x02)
                .raw(p(0))
                .raw(p(2))
                .raw(p(0xffff_fffe))
                .u8(0x82)
                .raw(p(NONE));
            // Not what a packer would choose: two runs where one would do, literals that are alike.
            let odd = front(0, [0; 3], [4, 1, 1])
                .raw([100, 7, 0x80])
                .raw(p(1))
                .u8(0x80)
                .raw(p(1))
                .u8(1)
                .raw(p(2))
                .raw(p(2));
            let short = front(0, [0; 3], [200, 1, 200]).raw([155, 7, 0x81]).raw(p(1));
            let over = front(0, [0; 3], [2, 1, 1]).raw([0, 0, 0xff]).raw(p(1)).u8(0).raw(p(9));
            let bones = Bytes::new().u8(1);
            let chunks = vec![
                chunk(b"BONE", bones),
                chunk(b"VOXT", kinds),
                chunk(b"VOXD", block),
                chunk(b"VOXD", odd),
                chunk(b"VOXD", short),
                chunk(b"VOXD", over),
                chunk(b"VOXD", front(0, [0; 3], [0; 3]).raw([0, 0])),
            ];
            let name = format!("voxels-d{}-p{}.m3d", width_name(vd), width_name(vp));
            let about = format!(
                "types with items, a skin and a turn; blocks in {} bytes, voxels in {}",
                width_name(vd),
                width_name(vp)
            );
            all.push(Fixture::exact(name, about, raw(&head, chunks)));
        }
    }
    let head = Head::new(WIDE & !(3 << 22), "n\0\0\0\0");
    let block = Bytes::new().raw([0, 0, 0, 0, 1, 1, 1, 0, 0]).raw([1, 2, 3]);
    all.push(Fixture::exact(
        "voxels-none.m3d",
        "voxels without a width, and data all the same",
        raw(&head, vec![chunk(b"VOXD", block)]),
    ));
    all
}

/// The arguments of the commands 0 to 37 by their kinds: m name, h shape, t texture coordinate, v
/// vertex, c coordinate, 1 2 4 bytes; behind a * all that is repeated.
const COMMANDS: [&str; 38] = [
    "m", "hvv", "44vv", "c", "cc", "c", "cc", "1", "11", "t", "tt", "*c", "*c", "*t2", "*t2", "*t2", "*v",
    "*v", "*v", "*v", "*v", "*vtv", "*vt", "*vv", "*v", "*vtv", "*vt", "*vv", "*v", "2t22t2", "*v", "*v",
    "vvc", "vvcvvc", "vc", "vvcc", "vvv", "vvv",
];

/// Every command of shapes, in every width.
fn shapes() -> Vec<Fixture> {
    let mut all = Vec::new();
    for (vc, width) in [(0, 0), (1, 1), (2, 2), (3, 0), (0, 3)] {
        let named = width.min(2);
        let types = WIDE & !(3 | 3 << 2 | 3 << 4 | 3 << 8 | 3 << 10 | 3 << 18 | 3 << 20)
            | vc
            | named << 2
            | named << 4
            | width << 8
            | width << 10
            | width << 18
            | width << 20;
        let head = Head::new(types, "n\0\0\0\0curve\0steel\0");
        let w = |value| id(width, value);
        let coord = || match vc {
            0 => vec![64],
            1 => vec![0, 64],
            2 => 0.5_f32.to_le_bytes().to_vec(),
            _ => 0.1_f64.to_le_bytes().to_vec(),
        };
        let arg = |kind: char| match kind {
            'm' => id(named, 11),
            'h' => w(0),
            't' => w(NONE),
            'v' => id(named, 2),
            'c' => coord(),
            '1' => vec![254],
            '2' => vec![0xff, 0xff],
            _ => vec![1, 0, 0, 0x80],
        };
        let mut shape = Bytes::new().raw(id(named, 5)).raw(w(NONE));
        for (command, args) in (0_u8..).zip(COMMANDS) {
            shape = shape.u8(command);
            let (args, rounds) = match args.strip_prefix('*') {
                Some(args) => (args, u32::from(command) % 3 + 1),
                None => (args, 1),
            };
            if rounds != 1 || COMMANDS[usize::from(command)].starts_with('*') {
                shape = shape.u32(rounds);
            }
            for kind in args.repeat(rounds as usize).chars() {
                shape = shape.raw(arg(kind));
            }
        }
        // No arguments at all; command 3 in two bytes; command 300, which nobody knows.
        shape = shape.u8(30).u32(0).raw([0x83, 0]).raw(coord()).raw([0x80 | 44, 2]).raw([1, 2, 3]);
        let chunks = vec![chunk(b"VRTS", {
            match vc {
                0 => coords(0),
                1 => Bytes::new().u16s([0; 12]),
                2 => Bytes::new().f32s([0.25; 12]),
                _ => (0..12).fold(Bytes::new(), |all, _| all.f64(0.25)),
            }
        })];
        let chunks =
            [chunks, vec![chunk(b"SHPE", shape), chunk(b"SHPE", Bytes::new().raw(id(named, 0)).raw(w(0)))]]
                .concat();
        let coordinates = ["int8", "int16", "float", "double"][vc as usize];
        all.push(Fixture::exact(
            format!("shapes-{coordinates}-{}.m3d", width_name(width)),
            format!(
                "every command with {coordinates} coordinates and indices of {} bytes",
                width_name(width)
            ),
            raw(&head, chunks),
        ));
    }
    all
}

/// Scripts, labels, assets.
fn others() -> Vec<Fixture> {
    let strings = "n\0\0\0\0make.lua\0parts\0en_US\0hu_HU\0wheel\0kerek\0skin\0";
    let mut all = Vec::new();
    for ci in [0, 2, 3] {
        let head = Head::new(WIDE & !(3 << 6) | ci << 6, strings);
        let place = |text: &str| u8::try_from(strings.find(text).unwrap_or(0)).unwrap_or(0);
        let label = |language: &str, text: &str| {
            Bytes::new()
                .u8(place("parts"))
                .u8(place(language))
                .raw(id(ci, if ci == 0 { 1 } else { 0xff00_80ff }))
                .raw([0, place(text), 2, place(text), 1, 0])
        };
        let mut chunks = Vec::new();
        if ci == 0 {
            chunks.push(chunk(b"CMAP", Bytes::new().u32(0).u32(0xff00_80ff)));
        }
        chunks.extend([
            chunk(b"VRTS", coords([1, 0, 4, 0][ci as usize])),
            chunk(b"PROC", Bytes::new().u8(place("make.lua"))),
            chunk(b"LBLS", label("en_US", "wheel")),
            chunk(b"LBLS", label("hu_HU", "kerek").u8(7)),
            chunk(b"LBLS", Bytes::new().raw([0, 0]).raw(id(ci, 0))),
            chunk(b"ASET", Bytes::new().u8(place("skin")).raw(ASSET_PNG)),
            chunk(b"ASET", Bytes::new().u8(place("make.lua")).raw("return nil")),
        ]);
        all.push(Fixture::exact(
            format!("labels-{}.m3d", width_name(ci)),
            format!("a script, labels in two languages with a colour of {} bytes, assets", width_name(ci)),
            raw(&head, chunks),
        ));
    }
    all
}
