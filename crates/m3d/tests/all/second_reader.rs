//! After an edit that widens a field, all values are what they were for a second reader, which shares no code with the
//! crate: `shared/formats/m3d.md` and `shared/spec/m3d.txt` as a program. It refuses an index past the palette and a
//! name past the string table, which the SDK reads out of its memory.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, reason = "small models that are known")]

use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::{
    Arg, Bone, BoneId, Command, CommandId, Corners, Label, Model, ShapeId, Skin, SkinId, TexCoordId,
    Transform, TypeField, VertexId, Voxel, WriteOptions,
};

use crate::hostile::file;

struct Second<'a> {
    /// The widths in bytes, in the order of the header: vc vi si ci ti bi nb sk fc hi fi vd vp.
    widths: [usize; 13],
    strings: &'a [u8],
    palette: Vec<[u8; 4]>,
    data: &'a [u8],
}

impl Second<'_> {
    fn number(&mut self, size: usize) -> u32 {
        let (bytes, rest) = self.data.split_at(size);
        self.data = rest;
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    /// An index: the two highest values of its width are -1 and -2.
    fn index(&mut self, field: usize) -> i64 {
        let size = self.widths[field];
        let value = i64::from(self.number(size));
        let end = 1 << (8 * size);
        if size == 0 {
            -1
        } else if value >= end - 2 {
            value - end
        } else {
            value
        }
    }

    fn name(&mut self) -> String {
        let rest = &self.strings[usize::try_from(self.index(2)).unwrap()..];
        let name = if rest.len() == self.strings.len() {
            &[]
        } else {
            rest.split(|&byte| byte == 0).next().unwrap()
        };
        String::from_utf8(name.to_vec()).unwrap()
    }

    fn color(&mut self) -> String {
        let number = self.number(self.widths[3]);
        let color = match self.widths[3] {
            1 | 2 => self.palette[number as usize],
            _ => number.to_le_bytes(),
        };
        format!("{color:02x?}")
    }

    fn coord(&mut self, signed: bool) -> f64 {
        let (size, steps) = (self.widths[0], if signed { [127.0, 32767.0] } else { [255.0, 65535.0] });
        let (bytes, rest) = self.data.split_at(size);
        self.data = rest;
        match (size, signed) {
            (1, true) => f64::from(bytes[0] as i8) / steps[0],
            (1, false) => f64::from(bytes[0]) / steps[0],
            (2, true) => f64::from(i16::from_le_bytes([bytes[0], bytes[1]])) / steps[1],
            (2, false) => f64::from(u16::from_le_bytes([bytes[0], bytes[1]])) / steps[1],
            (4, _) => f64::from(f32::from_le_bytes(bytes.try_into().unwrap())),
            _ => f64::from_le_bytes(bytes.try_into().unwrap()),
        }
    }

    fn coords<const N: usize>(&mut self, signed: bool) -> String {
        let rounded =
            std::array::from_fn::<_, N, _>(|_| self.coord(signed)).map(|value| format!("{value:.6}"));
        rounded.join(" ")
    }

    /// One value after the other, each with what it is.
    fn record(&mut self, tag: &str) -> Vec<String> {
        let mut all = Vec::new();
        macro_rules! say { ($($value:expr),+) => { all.push([$($value.to_string()),+].join(" ")) }; }
        match tag {
            "TMAP" => say!(self.coords::<2>(false)),
            "VRTS" => say!(self.coords::<4>(true), self.color(), self.index(7)),
            "BONE" => {
                let (bones, skins) = (self.number(self.widths[5]), self.number(self.widths[7]));
                for _ in 0..bones {
                    say!("bone", self.index(5), self.name(), self.index(1), self.index(1));
                }
                for _ in 0..skins {
                    let weights: Vec<u32> = match self.widths[6] {
                        1 => vec![255],
                        count => (0..count).map(|_| self.number(1)).collect(),
                    };
                    let used = weights.into_iter().filter(|&weight| weight != 0);
                    say!(
                        "skin",
                        used.map(|weight| format!("{weight} of {} ", self.index(5))).collect::<String>()
                    );
                }
            }
            "MTRL" => {
                say!("material", self.name());
                while !self.data.is_empty() {
                    match self.number(1) {
                        id @ (0 | 1) => say!(id, self.color()),
                        id => say!(id, self.name()),
                    }
                }
            }
            "PROC" => say!(self.name()),
            "MESH" => match self.number(1) {
                0 => say!("use", self.name()),
                magic => {
                    assert_eq!(magic, 0x31);
                    (0..3).for_each(|_| say!("corner", self.index(1), self.index(4)));
                }
            },
            "VOXT" => {
                say!(self.color(), self.name(), self.number(2));
                let items = self.number(1);
                say!("skin", self.index(7));
                (0..items).for_each(|_| say!("item", self.number(2), self.name()));
            }
            "VOXD" => {
                let size = self.widths[11];
                say!("block", self.name());
                for _ in 0..3 {
                    let (value, shift) = (self.number(size), 32 - 8 * size);
                    say!("at", (value << shift) as i32 >> shift);
                }
                let volume = (0..3).map(|_| self.number(size)).product::<u32>() as usize;
                say!(volume, self.number(2));
                let mut voxels = Vec::new();
                while voxels.len() < volume {
                    let run = self.number(1);
                    let once = self.data;
                    for _ in 0..=run & 127 {
                        self.data = if run > 127 { once } else { self.data };
                        voxels.push(self.index(12));
                    }
                }
                say!(format!("{voxels:?}"));
            }
            "SHPE" => {
                say!("shape", self.name(), self.index(5));
                while !self.data.is_empty() {
                    match self.number(1) {
                        0 => say!("use", self.name()),
                        1 => say!("inc", self.index(9), self.index(1), self.index(1)),
                        4 => say!("sub", self.coords::<2>(true)),
                        8 => say!("deg", self.number(2)),
                        10 => say!("range", self.index(4), self.index(4)),
                        _ => say!("cone", self.index(1), self.index(1), self.index(1)),
                    }
                }
            }
            "LBLS" => {
                say!(self.name(), self.name(), self.color());
                while !self.data.is_empty() {
                    say!("label", self.index(1), self.name());
                }
            }
            "ACTN" => {
                say!("action", self.name());
                let frames = self.number(2);
                say!(self.number(4));
                for _ in 0..frames {
                    say!(self.number(4));
                    for _ in 0..self.number(self.widths[8]) {
                        say!("transform", self.index(5), self.index(1), self.index(1));
                    }
                }
            }
            _ => self.data = &[],
        }
        all
    }
}

/// Every value of a file, as text.
fn second(bytes: &[u8]) -> Vec<String> {
    let payload = m3d::payload(bytes).unwrap();
    let payload = payload.strip_prefix(&bytes[..8]).unwrap_or(&payload);
    let mut chunks = Vec::new();
    let mut at = 0;
    while payload[at..] != *b"OMD3" {
        let size = u32::from_le_bytes(payload[at + 4..at + 8].try_into().unwrap()) as usize;
        chunks.push((std::str::from_utf8(&payload[at..at + 4]).unwrap(), &payload[at + 8..at + size]));
        at += size;
    }
    let head = chunks.remove(0).1;
    let types = u32::from_le_bytes(head[4..8].try_into().unwrap());
    let palette = chunks.iter().find(|chunk| chunk.0 == "CMAP").map_or(&[][..], |chunk| chunk.1);
    let palette = palette.as_chunks().0.to_vec();
    // Coordinates and weights have eight bytes where others have none.
    let widths = std::array::from_fn(|field| match types >> (2 * field) & 3 {
        3 if !matches!(field, 0 | 6) => 0,
        bits => 1 << bits,
    });
    let mut reader = Second { widths, strings: &head[8..], palette, data: &[] };
    let mut all = Vec::new();
    for (tag, data) in chunks {
        reader.data = data;
        while !reader.data.is_empty() {
            all.extend(reader.record(tag).into_iter().map(|value| format!("{tag} {value}")));
        }
    }
    all
}

/// A file in which every field has one byte, every table is used, and every second value is none.
fn narrow() -> Vec<u8> {
    let vertices =
        [[0, 127, 0, 127, 0, 0], [127, 0, 0, 127, 2, 255], [0, 0, 127, 127, 1, 254], [0, 0, 0, 127, 2, 0]];
    let action = [&[5, 1, 0][..], &[9, 0, 0, 0], &[3, 0, 0, 0], &[2, 0, 0, 3, 255, 1, 255]].concat();
    let triangles = [&[0, 5][..], &[0x31, 0, 0, 1, 1, 2, 255], &[0, 0], &[0x31, 3, 1, 1, 255, 2, 0], &[0, 7]];
    let shape = [
        &[0, 255, 0, 0, 0, 7][..],
        &[1, 0, 1, 255],
        &[4, 127, 0],
        &[10, 255, 1],
        &[36, 255, 1, 0],
        &[8, 1, 2],
    ];
    let chunks: [(&[u8; 4], Vec<u8>); 12] = [
        (b"CMAP", [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 0, 0]].concat()),
        (b"TMAP", vec![0, 255, 255, 0]),
        (b"VRTS", vertices.concat()),
        (b"BONE", vec![2, 1, 255, 5, 0, 3, 0, 0, 3, 3, 1]),
        (b"MTRL", vec![5, 0, 1, 128, 7, 1, 2, 129, 0]),
        (b"PROC", vec![0]),
        (b"MESH", triangles.concat()),
        (b"VOXT", [&[2, 0, 0, 0, 2, 255, 1, 0, 0, 2, 0, 7][..], &[1, 7, 0, 0, 0, 0]].concat()),
        (b"VOXD", vec![0, 255, 0, 1, 2, 2, 1, 0, 0, 1, 0, 1, 0x81, 255]),
        (b"SHPE", shape.concat()),
        (b"LBLS", vec![0, 0, 2, 1, 5, 2, 0, 255, 7]),
        (b"ACTN", action),
    ];
    file(0, b"n\0\0\0\0a\0b\0", &chunks)
}

/// Widens one field, in a list that is the last of its chunk, or in one value.
fn grown(model: &mut Model, field: TypeField, entries: u32) {
    let last = entries - 1;
    let many = |count: u32| 0..count as usize;
    match field {
        TypeField::Coord => {
            model.vertices.coords[0] = Vec4::new(0.5, 1.0, if entries > 300 { 2.0 } else { 0.25 }, 1.0)
        }
        TypeField::Vertex => {
            model.vertices.coords.resize(entries as usize, Vec4::default());
            model.vertices.colors.resize(entries as usize, Rgba8::default());
            model.vertices.skins.resize(entries as usize, SkinId::NONE);
            model.labels[0].labels.push(Label { vertex: VertexId(last), text: "b".into() });
        }
        TypeField::Name => {
            model.labels[0]
                .labels
                .push(Label { vertex: VertexId(0), text: "x".repeat(entries as usize).into() });
            model.labels[0].labels.push(Label { vertex: VertexId(0), text: "new".into() });
        }
        TypeField::Color => {
            let colors = (0..entries).map(|color| Rgba8::from((color << 8 | 1).to_le_bytes()));
            model.vertices.colors.extend(colors);
            model.vertices.coords.extend(many(entries).map(|_| Vec4::default()));
            model.vertices.skins.extend(many(entries).map(|_| SkinId::NONE));
        }
        TypeField::TexCoord => {
            model.tex_coords.uvs.extend(many(entries).map(|_| Vec2::default()));
            let id = TexCoordId(last);
            model.meshes[0]
                .push(Corners { vertices: &[VertexId(0); 3], tex_coords: &[id; 3], ..Default::default() })
                .unwrap();
        }
        TypeField::Bone => {
            let bone = Bone { position: VertexId(0), orientation: VertexId(0), ..Bone::default() };
            model.bones.extend(many(entries).map(|_| bone.clone()));
        }
        TypeField::Weights => {
            let bones = std::array::from_fn(|place| BoneId(u32::from(place == 1)));
            let weights = std::array::from_fn(|place| u8::from(place < entries as usize) * 10);
            model.skins.push(Skin { bones, weights });
        }
        TypeField::Skin => model.skins.extend(many(entries).map(|_| Skin::rigid(BoneId(1)))),
        TypeField::FrameCount => {
            model.actions[0].frames[0].transforms.extend(many(entries).map(|_| Transform::default()));
        }
        TypeField::Shape => {
            let args =
                vec![Arg::Shape(ShapeId(last)), Arg::Vertex(VertexId(0)), Arg::Quaternion(VertexId(1))];
            model.shapes[0].commands.push(Command { id: CommandId(1), args });
        }
        TypeField::VoxelDim => model.voxel_blocks[0].position[1] = entries.cast_signed(),
        TypeField::Voxel => model.voxel_blocks[0].voxels[0] = Voxel(last as u16),
        TypeField::Face => {}
    }
}

#[test]
fn what_an_edit_does_not_name_is_the_same_for_a_second_reader() {
    let narrow = narrow();
    let before = second(&narrow);
    assert_eq!((before.len(), before[52].as_str()), (53, "ACTN transform -1 1 -1"));
    let cases = [
        (TypeField::Coord, [(300, 4), (301, 4)], 1),
        (TypeField::Vertex, [(300, 2), (70_000, 4)], 0),
        (TypeField::Name, [(300, 2), (70_000, 4)], 0),
        (TypeField::Color, [(300, 2), (70_000, 4)], 0),
        (TypeField::TexCoord, [(300, 2), (70_000, 4)], 0),
        (TypeField::Bone, [(300, 2), (70_000, 4)], 0),
        (TypeField::Weights, [(2, 2), (8, 8)], 0),
        (TypeField::Skin, [(300, 2), (70_000, 4)], 0),
        (TypeField::FrameCount, [(300, 2), (70_000, 4)], 0),
        (TypeField::Shape, [(300, 2), (70_000, 4)], 0),
        (TypeField::VoxelDim, [(300, 2), (70_000, 4)], 1),
        (TypeField::Voxel, [(300, 2), (301, 2)], 1),
    ];
    for (field, sizes, changed) in cases {
        for ((entries, size), raw) in sizes.into_iter().flat_map(|size| [(size, true), (size, false)]) {
            let what = format!("{field:?}, {entries}, {raw}");
            let bytes = WriteOptions::new().raw(raw).write(&m3d::from_slice(&narrow).unwrap()).unwrap();
            let mut model = m3d::from_slice(&bytes).unwrap();
            grown(&mut model, field, entries);
            let written = m3d::to_vec(&model).unwrap();
            assert_eq!(
                m3d::from_slice(&written).unwrap().layout.types().unwrap().size(field),
                size,
                "{what}"
            );
            let after = second(&written);
            let mut rest = after.as_slice();
            let lost = before.iter().filter(|&value| match rest.iter().position(|it| it == value) {
                Some(place) => {
                    rest = &rest[place + 1..];
                    false
                }
                None => true,
            });
            let lost: Vec<_> = lost.collect();
            assert_eq!(lost.len(), changed, "{what}: {lost:#?}");
            // A file without a past, which keeps nothing, has the same values.
            model.layout = m3d::Layout::default();
            assert_eq!(second(&m3d::to_vec(&model).unwrap()), after, "{what}");
        }
    }
}
