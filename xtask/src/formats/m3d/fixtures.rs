//! Small models with every chunk in every width, laid out by hand.

use super::parts::{
    ASSET_PNG, FLOAT, Head, NONE, WIDE, chunk, coords, file, id, offset, payload, raw, stored, triangle,
    width_name,
};
use crate::formats::{Bytes, Fixture, Grade};

pub(super) fn all() -> Vec<Fixture> {
    let mut all = containers();
    all.extend(coordinates());
    all.extend(indices());
    all.extend(names());
    all.extend(colors());
    all.extend(skeletons());
    all.extend(materials());
    all.extend(meshes());
    all.extend(super::faces::all());
    all.extend(actions());
    all.extend(broken());
    all
}

/// What stands around the chunks.
fn containers() -> Vec<Fixture> {
    let head = Head::new(0, "tri\0MIT\0me\0three corners\0");
    let body = payload(&head, triangle(&head));
    let preview = chunk(b"PRVW", Bytes::new().raw(ASSET_PNG));
    let mut wrong = file(&preview, &body);
    // The SDK counts the preview twice.
    let stated = u32::try_from(wrong.len() + preview.as_ref().len()).unwrap_or(0);
    wrong[4..8].copy_from_slice(&stated.to_le_bytes());
    vec![
        Fixture::exact("raw.m3d", "one triangle, nothing compressed", file(&Bytes::new(), &body)),
        Fixture::exact("zlib.m3d", "the same, compressed", file(&Bytes::new(), &stored(body.as_ref()))),
        Fixture::exact("preview.m3d", "a preview in front of raw chunks", file(&preview, &body)),
        Fixture::exact(
            "preview-zlib.m3d",
            "a preview in front of a stream",
            file(&preview, &stored(body.as_ref())),
        ),
        Fixture::exact("wrong-size.m3d", "the header states more bytes than there are", wrong),
        Fixture::exact(
            "behind-the-end.m3d",
            "bytes behind OMD3",
            file(&Bytes::new(), &body.clone().raw("behind")),
        ),
        Fixture::exact(
            "behind-the-stream.m3d",
            "bytes behind OMD3 and behind the stream",
            file(&Bytes::new(), &stored(body.clone().raw("inside").as_ref()).raw("outside")),
        ),
        Fixture::exact(
            "empty.m3d",
            "no chunks and no strings: 28 bytes",
            file(&Bytes::new(), &payload(&Head::new(0, ""), Vec::new())),
        ),
        Fixture::exact(
            "odd-types.m3d",
            "bits of the widths that nobody uses, a negative scale",
            raw(&Head { types: 0xfc00_0000, scale: -2.0, ..head.clone() }, triangle(&head)),
        ),
        Fixture::exact(
            "order.m3d",
            "chunks in no usual order, unknown ones between them, second ones, bytes behind the records",
            raw(
                &head,
                vec![
                    chunk(b"gxel", Bytes::new().raw("goxel")),
                    chunk(b"MESH", Bytes::new().u8(0x30).raw([0, 1, 2])),
                    chunk(b"VRTS", coords(0).raw([1, 2])),
                    chunk(b"XYZW", Bytes::new()),
                    chunk(b"VRTS", coords(0)),
                    chunk(b"MESH", Bytes::new().u8(0x10).u8(2)),
                    chunk(b"CMAP", Bytes::new().u32(1).raw([9, 9])),
                    chunk(b"TMAP", Bytes::new().raw([1, 2, 3])),
                ],
            ),
        ),
    ]
}

/// Every kind of coordinates.
fn coordinates() -> Vec<Fixture> {
    let uvs = [
        Bytes::new().raw([0, 255, 1, 254, 128, 127]),
        Bytes::new().u16s([0, 65535, 1, 65534, 32768, 32767]),
        Bytes::new().f32s([0.0, 1.0, -0.5, 1.5, 0.1, f32::MIN_POSITIVE]),
        Bytes::new().f64(0.0).f64(1.0).f64(0.1).f64(-0.0),
    ];
    let points = [
        Bytes::new().raw([0, 127, 128, 129, 1, 255, 64, 127]),
        Bytes::new().u16s([0, 32767, 32768, 32769, 1, 65535, 16384, 32767]),
        Bytes::new().f32s([-0.0, 1.0, -1.0, 1.546, 1e-40, f32::MAX, 0.1, 1.0]),
        Bytes::new().f64(0.1).f64(1.0).f64(-1.0).f64(0.25).f64(1e-300).f64(-0.0).f64(3.0).f64(1.0),
    ];
    let texts = ["int8", "int16", "float", "double"];
    let mut all: Vec<Fixture> = (0..4)
        .map(|bits| {
            let head = Head::new(WIDE & !3 | bits, "n\0\0\0\0");
            let place = bits as usize;
            let chunks = vec![chunk(b"TMAP", uvs[place].clone()), chunk(b"VRTS", points[place].clone())];
            let about = format!("texture coordinates and vertices as {}", texts[place]);
            Fixture::exact(format!("coordinates-{}.m3d", texts[place]), about, raw(&head, chunks))
        })
        .collect();
    let doubles = Bytes::new().f64(0.5).f64(1.0).f64(-1.0).f64(0.25);
    all.push(Fixture::exact(
        "coordinates-double-as-float.m3d",
        "doubles that floats hold stay doubles",
        raw(&Head::new(WIDE | 3, "n\0\0\0\0"), vec![chunk(b"VRTS", doubles)]),
    ));
    let nan = Bytes::new().u32(0x7fc0_0001).f32(f32::INFINITY).f32(-f32::INFINITY).u32(0xffff_ffff);
    all.push(Fixture::exact(
        "coordinates-nan.m3d",
        "numbers that are none keep their bits",
        raw(&Head::new(FLOAT, "n\0\0\0\0"), vec![chunk(b"VRTS", nan)]),
    ));
    all
}

/// Every width of vertices and texture coordinates.
fn indices() -> Vec<Fixture> {
    let mut all = Vec::new();
    for vi in 0..3 {
        for ti in 0..4 {
            // 0x30ff_0: everything else without a width; coordinates are int8.
            let types = WIDE & !(3 << 2 | 3 << 8 | 3) | vi << 2 | ti << 8;
            let (v, t) = (|value| id(vi, value), |value| id(ti, value));
            let mut mesh = Bytes::new().u8(0x31);
            for corner in 0..3 {
                mesh = mesh.raw(v(corner)).raw(t(corner));
            }
            mesh = mesh.u8(0x33);
            for corner in 0..3 {
                // A corner without a texture coordinate and a normal: -1.
                mesh = mesh.raw(v(corner)).raw(t(NONE)).raw(v(NONE));
            }
            // An index past the list, and the other reserved value.
            mesh = mesh.u8(0x30).raw(v(0)).raw(v(200)).raw(v(0xffff_fffe));
            let chunks = vec![
                chunk(b"TMAP", Bytes::new().raw([0, 0, 255, 0, 255, 255])),
                chunk(b"VRTS", coords(0)),
                chunk(b"MESH", mesh),
            ];
            let name = format!("indices-v{}-t{}.m3d", width_name(vi), width_name(ti));
            let about = format!(
                "vertices in {} and texture coordinates in {} bytes, -1 and -2",
                width_name(vi),
                width_name(ti)
            );
            all.push(Fixture::exact(name, about, raw(&Head::new(types, "n\0\0\0\0"), chunks)));
        }
    }
    all
}

/// The string table in every width, and odd tables.
fn names() -> Vec<Fixture> {
    let table = "model\0MIT\0me\0text\0unused\0steel\0steel\0stainless steel\0\0last";
    let material = |si, place| chunk(b"MTRL", Bytes::new().raw(id(si, place)));
    let mut all = Vec::new();
    for si in 0..3 {
        let head = Head::new(WIDE & !(3 << 4) | si << 4, table);
        let places = [
            0,
            offset(table, "steel"),
            offset(table, "steel\0stain"),
            // In the middle of a string, on an empty one, on one without an end, outside.
            offset(table, "less steel"),
            offset(table, "\0last"),
            offset(table, "last"),
            200,
            offset(table, "MIT"),
        ];
        let chunks = places.into_iter().map(|place| material(si, place)).collect();
        all.push(Fixture::exact(
            format!("names-{}.m3d", width_name(si)),
            format!("places in the string table in {} bytes, odd ones too", width_name(si)),
            raw(&head, chunks),
        ));
    }
    let head = Head::new(WIDE & !(3 << 4), "only a name");
    let chunks = vec![material(0, 5)];
    all.push(Fixture::exact("names-short.m3d", "a table of one string without an end", raw(&head, chunks)));
    let head = Head::new(WIDE & !(3 << 4), b"n\xff\xfe\0\0\0\0\xc3(\0".as_slice());
    all.push(Fixture::exact("names-bytes.m3d", "names that are no UTF-8", raw(&head, vec![material(0, 6)])));
    all
}

/// Colours: indices, themselves, not at all.
fn colors() -> Vec<Fixture> {
    let palette = Bytes::new().u32s([0xff00_00ff, 0, 0xff00_00ff, 0x8000_ff00, 0]);
    let plain = Bytes::new().u32s([0xff00_00ff, 0x8000_ff00]);
    let vertices = |ci: u32, colors: &[u32]| {
        let mut vertices = Bytes::new();
        for &color in colors {
            vertices = vertices.raw([1, 2, 3, 127]).raw(id(ci, color));
        }
        chunk(b"VRTS", vertices)
    };
    let head = |ci: u32| Head::new(WIDE & !(3 << 6) | ci << 6, "n\0\0\0\0m\0");
    let material =
        |ci: u32, color| chunk(b"MTRL", Bytes::new().u8(5).u8(0).raw(id(ci, color)).u8(7).f32(0.5));
    let mut all = Vec::new();
    for ci in 0..2 {
        let odd = [0, 1, 2, 3, 4, 99, 99, NONE];
        let chunks = vec![chunk(b"CMAP", palette.clone()), vertices(ci, &odd), material(ci, 2)];
        all.push(Fixture::exact(
            format!("colors-{}.m3d", width_name(ci)),
            "indices of colours: twice the same, none, past the palette",
            raw(&head(ci), chunks),
        ));
        let chunks = vec![chunk(b"CMAP", plain.clone()), vertices(ci, &[0, 1, NONE]), material(ci, NONE)];
        all.push(Fixture::exact(
            format!("colors-{}-plain.m3d", width_name(ci)),
            "indices of colours, and -1",
            raw(&head(ci), chunks),
        ));
    }
    let chunks = vec![vertices(2, &[0xff00_00ff, 0, 0x0102_0304]), material(2, 0xff11_2233)];
    all.push(Fixture::exact("colors-4.m3d", "colours as they are", raw(&head(2), chunks.clone())));
    let mut with_palette = vec![chunk(b"CMAP", palette.clone())];
    with_palette.extend(chunks);
    all.push(Fixture::exact(
        "colors-4-palette.m3d",
        "colours as they are beside a palette that nobody uses",
        raw(&head(2), with_palette),
    ));
    let chunks = vec![chunk(b"VRTS", coords(0)), chunk(b"MTRL", Bytes::new().u8(5).u8(0).u8(1).u8(8).u8(2))];
    all.push(Fixture::exact("colors-none.m3d", "colours without a width", raw(&head(3), chunks)));
    let late = vec![vertices(0, &[1, 0]), chunk(b"CMAP", plain)];
    all.push(Fixture::exact("colors-late.m3d", "a palette behind what uses it", raw(&head(0), late)));
    all
}

/// Bones and skins in every width.
fn skeletons() -> Vec<Fixture> {
    let mut all = Vec::new();
    for width in 0..3 {
        for nb in 0..4 {
            let types = WIDE & !(3 << 10 | 3 << 12 | 3 << 14) | width << 10 | nb << 12 | width << 14;
            let head = Head::new(types, "n\0\0\0\0root\0arm\0");
            let w = |value| id(width, value);
            let weights: &[u8] =
                [&[][..], &[200, 55], &[100, 0, 55, 100], &[90, 0, 0, 65, 0, 0, 0, 100]][nb as usize];
            let used = weights.iter().filter(|&&weight| weight != 0).count().max(1);
            let mut bones = Bytes::new().raw(w(2)).raw(w(2));
            bones = bones.raw(w(NONE)).u8(5).raw([0, 3]).raw(w(0)).u8(10).raw([1, 3]);
            for skin in 0..2_u32 {
                bones = bones.raw(weights);
                for bone in 0..used {
                    bones = bones.raw(w((skin + u32::try_from(bone).unwrap_or(0)) % 2));
                }
            }
            let mut vertices = Bytes::new();
            for (place, skin) in [NONE, 0, 1, 0xffff_fffe].into_iter().enumerate() {
                let values = if place == 3 { [0, 0, 0, 127] } else { [10, 20, 127, 127] };
                vertices = vertices.raw(values).raw(w(skin));
            }
            let chunks = vec![chunk(b"VRTS", vertices), chunk(b"BONE", bones)];
            all.push(Fixture::exact(
                format!("skeleton-{}-{}.m3d", width_name(width), 1 << nb),
                format!("bones and skins in {} bytes, {} weights a skin", width_name(width), 1 << nb),
                raw(&head, chunks),
            ));
        }
    }
    let head = Head::new(WIDE & !(3 << 14), "n\0\0\0\0");
    let vertices = Bytes::new().raw([1, 2, 3, 4, 0]).raw([1, 2, 3, 4, 255]);
    all.push(Fixture::exact(
        "skeleton-no-bones.m3d",
        "a skin of bones that have no width, as in real files",
        raw(&head, vec![chunk(b"VRTS", vertices), chunk(b"BONE", Bytes::new().u8(1))]),
    ));
    all
}

/// Every property of a material.
fn materials() -> Vec<Fixture> {
    let mut every = Bytes::new().u8(5);
    for color in [0, 1, 2, 4, 5] {
        every = every.u8(color).u32(0xff00_1122 + u32::from(color));
    }
    for number in [3, 6, 7, 64, 65, 66, 67, 68] {
        every = every.u8(number).f32(0.125 * f32::from(number));
    }
    every = every.u8(8).u8(10);
    for map in (128..=136).chain(192..=196).chain([255]) {
        every = every.u8(map).u8(if map % 2 == 0 { 11 } else { 0 });
    }
    let unknown = Bytes::new().u8(5).u8(7).f32(1.0).u8(20).raw([1, 2, 3, 4, 5, 6, 7]);
    let head = Head::new(WIDE & !(3 << 4 | 3 << 6) | 2 << 6, "n\0\0\0\0steel\0tex\0");
    let library = vec![chunk(b"MTRL", every)];
    vec![
        Fixture::exact("materials.m3d", "every property and every map", raw(&head, library)),
        Fixture::exact(
            "materials-unknown.m3d",
            "a property that nobody knows, and what stands behind it",
            raw(&head, vec![chunk(b"MTRL", unknown), chunk(b"MTRL", Bytes::new().u8(5))]),
        ),
    ]
}

/// Polygons of every number of corners with every set of parts.
fn meshes() -> Vec<Fixture> {
    let head = Head::new(0x03ff_fc00, "n\0\0\0\0steel\0bend\0");
    let mut mesh = Bytes::new().u8(1).u8(11).u8(0).u8(5).u8(5).u8(11);
    for parts in 0..8_u8 {
        for sides in 1..16_u8 {
            mesh = mesh.u8(sides << 4 | parts);
            for corner in 0..sides {
                mesh = mesh.u8(corner);
                for part in 0..parts.count_ones() {
                    mesh = mesh.raw(part.to_le_bytes().map(|byte| byte + corner).get(..1).unwrap_or(&[]));
                }
            }
        }
        mesh = mesh.u8(0).u8(if parts % 2 == 0 { 0 } else { 5 });
    }
    let vertices = (0..17).fold(Bytes::new(), |all, n| all.raw([n, 127 - n, 0, 127, 255]));
    let uvs = (0..17).fold(Bytes::new(), |all, n| all.raw([n * 15, 255 - n * 15]));
    let palette = Bytes::new().u32(0);
    let chunks = vec![
        chunk(b"CMAP", palette.clone()),
        chunk(b"TMAP", uvs),
        chunk(b"VRTS", vertices),
        chunk(b"MTRL", Bytes::new().u8(5)),
        chunk(b"MESH", mesh),
        chunk(b"MESH", Bytes::new()),
    ];
    let reserved = Bytes::new().u8(0x38).raw([0, 1, 2]).u8(0x30).raw([0, 1, 2]);
    let vertices = coords(0);
    vec![
        Fixture::exact(
            "mesh-polygons.m3d",
            "points, lines and polygons of up to 15 corners with every set of parts, parameters, materials",
            raw(&head, chunks),
        ),
        Fixture::exact(
            "mesh-reserved.m3d",
            "a polygon with the reserved bit",
            raw(
                &Head::new(WIDE & !(3 << 2), "n\0\0\0\0"),
                vec![chunk(b"VRTS", vertices), chunk(b"MESH", reserved)],
            ),
        ),
    ]
}

/// Actions in every width of the count.
fn actions() -> Vec<Fixture> {
    let mut all = Vec::new();
    for fc in 0..4 {
        let types = WIDE & !(3 << 10 | 3 << 14 | 3 << 16) | fc << 16;
        let head = Head::new(types, "n\0\0\0\0wave\0");
        let bones = Bytes::new().u8(1).u8(0).u8(255).u8(5).raw([0, 2]);
        let moved = if fc == 3 { Bytes::new() } else { Bytes::new().raw(id(fc, 1)).raw([0, 1, 2]) };
        let action =
            Bytes::new().u8(5).u16(2).u32(1000).u32(0).raw(if fc == 3 { Vec::new() } else { id(fc, 0) });
        let action = action.u32(500).raw(moved);
        let vertices =
            Bytes::new().raw([0, 0, 0, 127, 255]).raw([127, 0, 0, 127, 255]).raw([0, 0, 0, 127, 254]);
        let chunks = vec![
            chunk(b"VRTS", vertices),
            chunk(b"BONE", bones),
            chunk(b"ACTN", action),
            chunk(b"ACTN", Bytes::new().u8(0).u16(0).u32(0)),
        ];
        all.push(Fixture::exact(
            format!("actions-{}.m3d", width_name(fc)),
            format!("an action whose counts take {} bytes, and one without frames", width_name(fc)),
            raw(&head, chunks),
        ));
    }
    all
}

/// What must be refused.
fn broken() -> Vec<Fixture> {
    let head = Head::new(0, "tri\0MIT\0me\0three corners\0");
    let body = payload(&head, triangle(&head));
    let no_end = body.as_ref()[..body.as_ref().len() - 4].to_vec();
    let wide = |types| payload(&Head::new(types, ""), Vec::new());
    let mut sum = stored(body.as_ref()).0;
    if let Some(last) = sum.last_mut() {
        *last ^= 1;
    }
    let failed =
        |name: &str, about: &str, bytes: Vec<u8>| Fixture::exact(name, about, bytes).grade(Grade::Failed);
    vec![
        failed("broken-no-end.m3d", "no OMD3", file(&Bytes::new(), &Bytes::new().raw(no_end))),
        failed("broken-vi.m3d", "vertices without a width", file(&Bytes::new(), &wide(3 << 2))),
        failed("broken-si.m3d", "names without a width", file(&Bytes::new(), &wide(3 << 4))),
        failed("broken-vp.m3d", "voxels of four bytes", file(&Bytes::new(), &wide(2 << 24))),
        failed("broken-sum.m3d", "a wrong checksum of the stream", file(&Bytes::new(), &Bytes(sum))),
        failed(
            "broken-chunk.m3d",
            "a chunk smaller than its head",
            file(&Bytes::new(), &Bytes::new().raw("HEAD").u32(7).raw("OMD3")),
        ),
    ]
}
