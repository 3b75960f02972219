//! Small files with every chunk, type and compression, laid out by hand.

use crate::formats::{Bytes, Fixture, Grade};

pub(super) fn all() -> Vec<Fixture> {
    let mut all = vec![
        Fixture::exact("empty.rbxm", "no instances", file(0, 0, [prnt(&[], &[])])),
        Fixture::exact("model.rbxm", "metadata, three folders in one another", model()),
        Fixture::exact("place.rbxl", "services at the root and below, and a part", place()),
        Fixture::exact("types.rbxm", "a column of every type, three instances", types()),
        Fixture::exact("types_empty.rbxm", "a column of every type, no instances", types_empty()),
        Fixture::exact(
            "shared.rbxm",
            "shared strings with and without hash, as strings and as tags",
            shared(),
        ),
        Fixture::exact("rotations.rbxm", "all rotation ids, an unknown one, and matrices", rotations()),
        Fixture::exact(
            "unknown.rbxm",
            "chunks and types that are not known, and bytes behind the end",
            unknown(),
        ),
        Fixture::exact("parents.rbxm", "a cycle, unknown parents and children, no row, two rows", parents()),
        Fixture::exact("header.rbxm", "counts that are not true, reserved bytes", odd_header()),
        Fixture::exact("no_end.rbxm", "no END, no parents", Bytes::new().raw(header(0, 0)).raw(meta())),
    ];
    all.extend(compressed());
    all.extend(broken());
    all
}

fn header(classes: i32, instances: i32) -> Bytes {
    Bytes::new().raw("<roblox!").raw(b"\x89\xff\r\n\x1a\n").u16(0).i32(classes).i32(instances).raw([0; 8])
}

/// A chunk that is not compressed.
fn chunk(name: &str, data: Bytes) -> Bytes {
    Bytes::new().raw(name).u32(0).u32(data.0.len() as u32).u32(0).raw(data)
}

/// A chunk that is.
fn packed(name: &str, len: usize, stored: impl AsRef<[u8]>) -> Bytes {
    let stored = stored.as_ref();
    Bytes::new().raw(name).u32(stored.len() as u32).u32(len as u32).u32(0).raw(stored)
}

fn end() -> Bytes {
    chunk("END\0", Bytes::new().raw("</roblox>"))
}

fn file(classes: i32, instances: i32, chunks: impl IntoIterator<Item = Bytes>) -> Bytes {
    chunks.into_iter().fold(header(classes, instances), Bytes::raw).raw(end())
}

fn string(text: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().u32(text.as_ref().len() as u32).raw(text)
}

fn strings(texts: impl IntoIterator<Item = &'static str>) -> Bytes {
    texts.into_iter().fold(Bytes::new(), |bytes, text| bytes.raw(string(text)))
}

/// Numbers of `N` bytes, big-endian: all first bytes, then all second bytes.
fn interleaved<const N: usize>(values: impl IntoIterator<Item = [u8; N]>) -> Bytes {
    let values: Vec<_> = values.into_iter().collect();
    Bytes((0..N).flat_map(|byte| values.iter().map(move |value| value[byte])).collect())
}

fn u32s(values: impl IntoIterator<Item = u32>) -> Bytes {
    interleaved(values.into_iter().map(u32::to_be_bytes))
}

fn i32s(values: impl IntoIterator<Item = i32>) -> Bytes {
    u32s(
        values
            .into_iter()
            .map(|value| if value < 0 { (-(value + 1)) as u32 * 2 + 1 } else { value as u32 * 2 }),
    )
}

fn i64s(values: impl IntoIterator<Item = i64>) -> Bytes {
    let zigzag = |value: i64| if value < 0 { (-(value + 1)) as u64 * 2 + 1 } else { value as u64 * 2 };
    interleaved(values.into_iter().map(|value| zigzag(value).to_be_bytes()))
}

/// Floats with their sign in the lowest bit.
fn floats(values: impl IntoIterator<Item = f32>) -> Bytes {
    u32s(values.into_iter().map(|value| value.to_bits().rotate_left(1)))
}

/// Each the difference to the one before.
fn referents(values: &[i32]) -> Bytes {
    let mut last = 0;
    i32s(values.iter().map(|&value| value - std::mem::replace(&mut last, value)))
}

fn meta() -> Bytes {
    chunk("META", Bytes::new().u32(1).raw(string("ExplicitAutoJoints")).raw(string("true")))
}

fn inst(id: u32, name: &str, of: &[i32]) -> Bytes {
    let data = Bytes::new().u32(id).raw(string(name)).u8(0).u32(of.len() as u32).raw(referents(of));
    chunk("INST", data)
}

fn service(id: u32, name: &str, of: &[i32], markers: &[u8]) -> Bytes {
    let data = Bytes::new().u32(id).raw(string(name)).u8(1).u32(of.len() as u32).raw(referents(of));
    chunk("INST", data.raw(markers))
}

fn prop_data(class: u32, name: &str, type_id: u8, values: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().u32(class).raw(string(name)).u8(type_id).raw(values)
}

fn prop(class: u32, name: &str, type_id: u8, values: impl AsRef<[u8]>) -> Bytes {
    chunk("PROP", prop_data(class, name, type_id, values))
}

fn prnt_data(children: &[i32], parents: &[i32]) -> Bytes {
    Bytes::new().u8(0).u32(children.len() as u32).raw(referents(children)).raw(referents(parents))
}

fn prnt(children: &[i32], parents: &[i32]) -> Bytes {
    chunk("PRNT", prnt_data(children, parents))
}

fn model() -> Bytes {
    let names = strings(["Grand", "Parent", "Child"]);
    file(
        1,
        3,
        [meta(), inst(0, "Folder", &[0, 1, 2]), prop(0, "Name", 0x01, names), prnt(&[2, 1, 0], &[1, 0, -1])],
    )
}

fn place() -> Bytes {
    file(
        4,
        5,
        [
            service(0, "Workspace", &[0], &[1]),
            service(1, "Lighting", &[1, 4], &[1, 0]),
            inst(2, "Part", &[2]),
            inst(3, "ObjectValue", &[3]),
            prop(0, "Name", 0x01, strings(["Workspace"])),
            prop(1, "Name", 0x01, strings(["Lighting", "Inner"])),
            prop(2, "Name", 0x01, strings(["Door"])),
            prop(2, "Anchored", 0x02, [1]),
            prop(2, "Size", 0x0e, floats([4.0]).raw(floats([1.0])).raw(floats([2.0]))),
            prop(3, "Name", 0x01, strings(["Target"])),
            prop(3, "Value", 0x13, referents(&[2])),
            prnt(&[3, 2, 4, 0, 1], &[0, 0, 0, -1, -1]),
        ],
    )
}

/// Each type, its name and three values.
fn columns() -> Vec<(u8, &'static str, Bytes)> {
    let three = || Bytes::new();
    let five = [0.7, 0.3, 0.5, 1.0, 1.0];
    let frame = || {
        let matrix = three().u8(0).f32s([0.0, 0.6, -0.8, 0.0, 0.8, 0.6, 1.0, 0.0, 0.0]);
        matrix
            .u8(0x02)
            .u8(0x23)
            .raw(floats([1.0, -2.0, 0.5]))
            .raw(floats([0.0, -0.0, 3.5]))
            .raw(floats([4.0; 3]))
    };
    vec![
        (0x01, "String", strings(["text", ""]).raw(string(b"\xff\0\x80"))),
        (0x02, "Bool", three().raw([1, 0, 1])),
        (0x03, "Int32", i32s([0, -1, i32::MAX])),
        (0x04, "Float32", floats([1.5, -0.15625, f32::NAN])),
        (0x05, "Float64", three().f64(0.1).f64(-1e300).f64(f64::INFINITY)),
        (0x06, "UDim", floats([0.5, 1.0, -2.0]).raw(i32s([10, -20, 0]))),
        (0x07, "UDim2", {
            let scales = floats([0.5, 1.0, -2.0]).raw(floats([0.0, 0.25, 1.0]));
            scales.raw(i32s([1, 2, 3])).raw(i32s([-4, -5, -6]))
        }),
        (0x08, "Ray", three().f32s((0..18_u8).map(f32::from))),
        (0x09, "Faces", three().raw([0x20, 0x06, 0x19])),
        (0x0a, "Axes", three().raw([1, 3, 5])),
        (0x0b, "BrickColor", u32s([1004, 37, 1010])),
        (0x0c, "Color3", floats([1.0, 0.5, 0.0]).raw(floats([0.0; 3])).raw(floats([0.25, 2.0, -1.0]))),
        (0x0d, "Vector2", floats([1.0, 2.0, 3.0]).raw(floats([-1.0, -2.0, -3.0]))),
        (0x0e, "Vector3", floats([1.0, 2.0, 3.0]).raw(floats([0.0; 3])).raw(floats([-1.0, -2.0, -3.0]))),
        (0x0f, "Vector2int16", three().u16s([1, 2, 3, 0xffff, 0x8000, 0x7fff])),
        (0x10, "CFrame", frame()),
        (0x11, "CFrameQuat", {
            let rotations = three().u8(0).f32s([0.5, -0.5, 0.5, 0.5]).u8(0x0a).u8(0x02);
            rotations.raw(floats([1.0, 2.0, 3.0])).raw(floats([0.0; 3])).raw(floats([-1.0; 3]))
        }),
        (0x12, "Enum", u32s([0, 256, 2])),
        (0x13, "Ref", referents(&[2, -1, 0])),
        (0x14, "Vector3int16", three().u16s([1, 2, 3, 0xffff, 0xfffe, 0xfffd, 0, 0x8000, 0x7fff])),
        (0x15, "NumberSequence", {
            three().u32(2).f32s([0.0, 0.0, 0.0, 1.0, 1.0, 0.5]).u32(0).u32(1).f32s([0.5, 2.0, 0.0])
        }),
        (0x16, "ColorSequence", {
            let two = three().u32(2).f32s([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.25]);
            two.u32(0).u32(1).f32s([0.5, 0.1, 0.2, 0.3, 0.0])
        }),
        (0x17, "NumberRange", three().f32s([0.0, 0.5, 0.5, 1.0, -1.0, 1.0])),
        (0x18, "Rect", {
            let min = floats([-1.0, 0.0, 2.0]).raw(floats([-10.0, 1.0, 3.0]));
            min.raw(floats([8.0, 5.0, 4.0])).raw(floats([9.0, 6.0, 5.0]))
        }),
        (0x19, "PhysicalProperties", three().u8(2).u8(1).f32s(five).u8(3).f32s(five).f32(0.75)),
        (0x1a, "Color3uint8", three().raw([0, 63, 1, 255, 0, 2, 255, 127, 3])),
        (0x1b, "Int64", i64s([1, -1, i64::MAX])),
        (0x1c, "SharedString", u32s([0, 1, 0])),
        (0x1d, "Bytecode", strings(["\u{1b}Lua", "", "x"])),
        (0x1e, "OptionalCFrame", three().u8(0x10).raw(frame()).u8(0x02).raw([1, 0, 1])),
        (0x1f, "UniqueId", {
            let randoms: [u64; 3] = [0x44b1_88da_ce63_2b47, 1, u64::MAX];
            let randoms = randoms.map(|random| random.rotate_left(1).to_be_bytes());
            u32s([1, 2, 3]).raw(u32s([1000, 0, 77])).raw(interleaved(randoms))
        }),
        (0x20, "Font", {
            let font = |bytes: Bytes, family: &str, weight, style, cached: &str| {
                bytes.raw(string(family)).u16(weight).u8(style).raw(string(cached))
            };
            let first = font(three(), "rbxasset://fonts/families/SourceSansPro.json", 400, 0, "");
            font(
                font(first, "rbxasset://fonts/families/Arial.json", 700, 1, "rbxasset://fonts/arialbd.ttf"),
                "",
                0,
                9,
                "",
            )
        }),
        (0x21, "SecurityCapabilities", i64s([0, 2_882_400_000, -1])),
        (0x22, "Content", {
            let none = three().u32(0);
            i32s([0, 1, 2]).u32(1).raw(string("rbxassetid://1")).u32(1).raw(referents(&[1])).raw(none)
        }),
    ]
}

fn sstr() -> Bytes {
    let strings = Bytes::new().raw([0; 16]).raw(string("one")).raw([0xab; 16]).raw(string("two"));
    chunk("SSTR", Bytes::new().u32(0).u32(2).raw(strings))
}

fn types() -> Bytes {
    let mut chunks = vec![meta(), sstr(), inst(0, "Thing", &[0, 1, 2])];
    chunks.extend(columns().into_iter().map(|(type_id, name, values)| prop(0, name, type_id, values)));
    chunks.push(prnt(&[1, 2, 0], &[0, 0, -1]));
    file(1, 3, chunks)
}

fn types_empty() -> Bytes {
    let mut chunks = vec![meta(), inst(0, "Thing", &[])];
    for (type_id, name, _) in columns() {
        let values = match type_id {
            0x1e => Bytes::new().u8(0x10).u8(0x02),
            0x22 => Bytes::new().u32(0).u32(0).u32(0),
            _ => Bytes::new(),
        };
        chunks.push(prop(0, name, type_id, values));
    }
    chunks.push(prnt(&[], &[]));
    file(1, 0, chunks)
}

fn shared() -> Bytes {
    file(
        2,
        3,
        [
            meta(),
            sstr(),
            inst(0, "MeshPart", &[0, 1]),
            inst(5, "Folder", &[2]),
            prop(0, "Name", 0x01, strings(["A", "B"])),
            prop(0, "PhysicalConfigData", 0x1c, u32s([1, 1])),
            prop(5, "Tags", 0x1c, u32s([0])),
            prnt(&[0, 1, 2], &[2, 2, -1]),
        ],
    )
}

fn rotations() -> Bytes {
    // All that name a rotation, one that does not, a matrix that has an id, and one that has none.
    let ids = (1..=36).filter(|id| (id - 1) / 6 % 3 != (id - 1) % 3).chain([0x01]);
    let rotations = ids.fold(Bytes::new(), Bytes::u8);
    let count = rotations.0.len() + 2;
    let rotations = rotations.u8(0).f32s([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let rotations = rotations.u8(0).f32s([0.999_999_94, -0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let positions = (0..3).fold(rotations, |bytes, _| bytes.raw(floats((0..count).map(|n| n as f32))));
    let of: Vec<i32> = (0..count as i32).collect();
    let parents = vec![-1; count];
    file(
        1,
        count as i32,
        [meta(), inst(0, "CFrameValue", &of), prop(0, "Value", 0x10, positions), prnt(&of, &parents)],
    )
}

fn unknown() -> Bytes {
    file(
        1,
        1,
        [
            chunk("NEW\0", Bytes::new().raw("before all others")),
            meta(),
            inst(0, "Thing", &[0]),
            chunk("NIL\0", Bytes::new()),
            prop(0, "Later", 0x23, "of a type to come"),
            chunk("PROP", Bytes::new().u32(0).raw(string("Untyped"))),
            prop(7, "Orphan", 0x02, [1]),
            prop(0, "Odd", 0x02, [7]),
            prop(0, "Long", 0x02, [1, 0]),
            prop(0, "Flags", 0x19, [4]),
            prop(0, "Kind", 0x22, i32s([3]).u32(0).u32(0).u32(0)),
            meta(),
            prnt(&[0], &[-1]),
            chunk("SIGN", Bytes::new().u32(1).u32(0).u64(1).u32(2).raw("ab")),
        ],
    )
    .raw("behind the end")
}

fn parents() -> Bytes {
    file(
        1,
        6,
        [
            meta(),
            inst(0, "Folder", &[0, 1, 2, 3, 4, 4]),
            prop(0, "Name", 0x01, strings(["a", "b", "c", "d", "e", "f"])),
            prnt(&[0, 1, 2, 2, 99, 4], &[1, 0, 50, -1, 0, 4]),
        ],
    )
}

fn odd_header() -> Bytes {
    let header = Bytes::new().raw("<roblox!").raw(b"\x89\xff\r\n\x1a\n").u16(0).i32(-1).i32(i32::MAX);
    let odd = Bytes::new().raw("WHAT").u32(0).u32(1).u32(0xdead_beef).raw("x");
    header.raw([1, 2, 3, 4, 5, 6, 7, 8]).raw(odd).raw(prnt(&[], &[])).raw(end())
}

/// An LZ4 block of literals alone.
fn lz4_literals(data: &[u8]) -> Bytes {
    let len = data.len();
    match len {
        0..15 => Bytes::new().u8((len as u8) << 4).raw(data),
        _ => {
            let more = (0..(len - 15) / 255).fold(Bytes::new().u8(0xf0), |bytes, _| bytes.u8(255));
            more.u8(((len - 15) % 255) as u8).raw(data)
        }
    }
}

/// A zstd frame of one block as it is, as Roblox frames it: the content's size, and no checksum.
fn zstd_raw(data: &[u8]) -> Bytes {
    let head = Bytes::new().raw([0x28, 0xb5, 0x2f, 0xfd]).u8(0xa0).u32(data.len() as u32);
    head.raw(&((data.len() as u32) << 3 | 1).to_le_bytes()[..3]).raw(data)
}

fn compressed() -> Vec<Fixture> {
    let class =
        Bytes::new().u32(0).raw(string("Folder")).u8(0).u32(8).raw(referents(&[0, 1, 2, 3, 4, 5, 6, 7]));
    let name = prop_data(0, "Name", 0x01, strings(["x"; 8]));
    // "Name" as literals up to the second "x", and a match back by five that goes on to the end.
    let (head, rest) = name.0.split_at(name.0.len() - 7 * 5);
    let matched = Bytes::new().u8(0xff).u8(head.len() as u8 - 15).raw(head);
    let matched = matched.u16(5).u8((rest.len() - 5 - 4 - 15) as u8).u8(0x50).raw(&rest[rest.len() - 5..]);
    let parents = prnt_data(&[0, 1, 2, 3, 4, 5, 6, 7], &[-1; 8]);
    let lz4 = |data: &Bytes| lz4_literals(&data.0);
    let all_lz4 = [
        packed("INST", class.0.len(), lz4(&class)),
        packed("PROP", name.0.len(), matched),
        packed("PRNT", parents.0.len(), lz4(&parents)),
    ];
    let all_zstd = [
        packed("INST", class.0.len(), zstd_raw(&class.0)),
        packed("PROP", name.0.len(), zstd_raw(&name.0)),
        packed("PRNT", parents.0.len(), zstd_raw(&parents.0)),
    ];
    // One byte, a thousand times; a head with a window and without a size; two blocks and a checksum
    // that nobody looks at.
    let repeated = Bytes::new().raw([0x28, 0xb5, 0x2f, 0xfd, 0x60]).u16(1000 - 256);
    let repeated = repeated.raw(&(1000_u32 << 3 | 1 << 1 | 1).to_le_bytes()[..3]).u8(b'r');
    let windowed = Bytes::new().raw([0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00]);
    let windowed = windowed.raw(&(3_u32 << 3).to_le_bytes()[..3]).raw("abc");
    let windowed = windowed.raw(&(2_u32 << 3 | 1).to_le_bytes()[..3]).raw("de").u32(0x1234_5678);
    let mixed = [
        packed("INST", class.0.len(), zstd_raw(&class.0)),
        packed("RLE\0", 1000, repeated),
        packed("WIND", 5, windowed),
        packed("NIL\0", 0, [0]),
        chunk("PROP", name),
        packed("PRNT", parents.0.len(), lz4(&parents)),
    ];
    vec![
        Fixture::exact("lz4.rbxm", "LZ4, with a match that overlaps itself", file(1, 8, all_lz4)),
        Fixture::exact("zstd.rbxm", "zstd", file(1, 8, all_zstd)),
        Fixture::exact(
            "mixed.rbxm",
            "no compression, LZ4 and several kinds of zstd frames",
            file(1, 8, mixed),
        ),
    ]
}

fn broken() -> Vec<Fixture> {
    let failed =
        |path: &str, about: &str, bytes: Bytes| Fixture::exact(path, about, bytes).grade(Grade::Failed);
    let model = model().0;
    let count = Bytes::new().u32(0).raw(string("Folder")).u8(0).u32(0x7fff_ffff);
    let content = |values: Bytes| {
        file(1, 1, [inst(0, "Decal", &[0]), prop(0, "TextureContent", 0x22, values), prnt(&[0], &[-1])])
    };
    vec![
        failed("broken/cut.rbxm", "cut within a chunk", Bytes(model[..model.len() - 40].to_vec())),
        failed("broken/version.rbxm", "version 1", {
            let mut model = model.clone();
            model[14] = 1;
            Bytes(model)
        }),
        failed(
            "broken/count.rbxm",
            "2147483647 instances in a few bytes",
            file(1, 0, [chunk("INST", count)]),
        ),
        failed("broken/lz4.rbxm", "an LZ4 block that goes back before its beginning", {
            file(0, 0, [packed("WHAT", 9, [0x10, b'x', 9, 0, 0])])
        }),
        failed(
            "broken/lz4_short.rbxm",
            "an LZ4 block shorter than it says",
            file(0, 0, [packed("WHAT", 9, [0x10, b'x'])]),
        ),
        failed("broken/zstd.rbxm", "a zstd frame that ends in its head", {
            file(0, 0, [packed("WHAT", 9, [0x28, 0xb5, 0x2f, 0xfd, 0xe0])])
        }),
        failed("broken/length.rbxm", "four stored bytes that would become 4 GiB", {
            file(0, 0, [packed("WHAT", u32::MAX as usize, [0; 4])])
        }),
        failed("broken/string.rbxm", "a string longer than its chunk", {
            file(1, 1, [inst(0, "Folder", &[0]), prop(0, "Name", 0x01, Bytes::new().u32(9).raw("short"))])
        }),
        failed("broken/sequence.rbxm", "4294967295 keypoints", {
            file(1, 1, [inst(0, "Beam", &[0]), prop(0, "Width", 0x15, Bytes::new().u32(u32::MAX))])
        }),
        failed(
            "broken/content_uri.rbxm",
            "an address that is not there",
            content(i32s([1]).u32(0).u32(0).u32(0)),
        ),
        failed(
            "broken/content_external.rbxm",
            "no count of external objects",
            content(i32s([0]).u32(0).u32(0)),
        ),
    ]
}
