//! The text variant: texts and their models, read and written; real files; errors.

use std::collections::HashSet;

use m3d::bstr::BString;
use m3d::geom::{Rgba8, Vec4};
use m3d::{
    Arg, BoneId, CornerParts, Layout, Mesh, MeshRecord, Model, Polygons, PropertyId, Skin, SkinId, Tag,
    TexCoordId, Value, Variant, VertexId, Vertices, Voxel, WriteOptions,
};
use testkit::{corpus, fixture};

fn read(name: &str) -> Model {
    m3d::from_slice(&fixture("m3d", &format!("ascii-{name}.a3d"))).expect(name)
}

fn to_string(model: &Model) -> m3d::Result<String> {
    m3d::to_string(model)
}

/// A text with these sections.
fn text(sections: &str) -> String {
    format!("3dmodel 1\nn\nl\na\n\n\n{sections}")
}

fn error(sections: &str) -> String {
    m3d::from_str(&text(sections)).expect_err(sections).to_string()
}

fn bare(model: Model) -> Model {
    Model { layout: Layout::default(), ..model }
}

#[test]
fn a_text_is_known_by_its_content() {
    assert_eq!(m3d::detect(b"3dmodel 1"), Some(Variant::Ascii));
    assert_eq!(m3d::detect(b"\xef\xbb\xbf3dmodel 1"), Some(Variant::Ascii));
    assert_eq!(m3d::detect(b"3DMO\0\0\0\0"), Some(Variant::Binary));
    assert_eq!(m3d::detect(b"solid"), None);
}

#[test]
fn the_header() {
    let model = read("all");
    assert_eq!(model.scale, 2.5);
    assert_eq!(
        [&model.name, &model.license, &model.author],
        ["A thing of everything", "MIT", "Me <me@example.org>"]
    );
    assert_eq!(model.description, "META\nGENERATOR=hand-1.0");
    assert_eq!(read("description").description, "first line\n\n  third line, indented\n  \nlast \\ line");
    assert_eq!(model.layout.variant(), Some(Variant::Ascii));
}

/// A text is written unchanged if there is no edit, and an edit only changes lines of the edited values.
#[test]
fn lines_are_kept() {
    let mut edits = 0;
    for sample in testkit::fixtures("m3d").into_iter().chain(corpus("m3d")) {
        let (name, bytes) = (&sample.name, &sample.bytes);
        let Ok(model) = m3d::from_slice(bytes) else { continue };
        if m3d::detect(bytes) != Some(Variant::Ascii) {
            continue;
        }
        assert!(m3d::to_vec(&model).unwrap() == *bytes, "{name}");
        let changes: [fn(&mut Model); 5] = [
            |m| m.name.push(b'x'),
            |m| m.vertices.coords.iter_mut().for_each(|coord| coord.x += 0.5),
            |m| m.tex_coords.uvs.truncate(m.tex_coords.uvs.len().saturating_sub(1)),
            |m| m.materials.iter_mut().take(1).for_each(|material| material.name.push(b'x')),
            |m| m.tex_coords.uvs.iter_mut().take(1).for_each(|uv| uv.x = 0.125),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut edited = model.clone();
            change(&mut edited);
            let Ok(written) = m3d::to_vec(&edited) else { continue };
            assert!(m3d::from_slice(&written).unwrap() == edited, "{name}, {number}");
            let lines =
                |text: &[u8]| text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
            let (before, after) = (lines(bytes), HashSet::<_>::from_iter(lines(&written)));
            let most = match number {
                1 => model.vertices.len(),
                // The edit joins a second section of the same kind with the first.
                2 | 4 => 1 + usize::from(name == "ascii-order.a3d"),
                _ => 1,
            };
            let lost = before.iter().filter(|&line| !after.contains(line)).count();
            assert!(lost <= most, "{name}, {number}: {lost} of {most}");
            edits += usize::from(edited != model);
        }
    }
    assert!(edits > 50, "{edits}");
}

#[test]
fn points() {
    let model = read("all");
    assert_eq!(model.tex_coords.uvs.len(), 3);
    let Vertices { coords, precise, colors, skins } = &model.vertices;
    assert_eq!((coords.len(), precise.len()), (6, 0));
    assert_eq!(coords[5], Vec4::new(0.5, -0.25, 0.125, 1.0));
    // #AABBGGRR
    assert_eq!(colors[0], Rgba8::new(255, 0, 0, 255));
    assert_eq!(colors[1], Rgba8::new(0, 0, 255, 128));
    assert_eq!(colors[2], Rgba8::default());
    assert_eq!(skins[..], [SkinId(0), SkinId(1), SkinId(2), SkinId::NONE, SkinId::QUATERNION, SkinId::NONE]);
    assert_eq!(model.skins[0], Skin::rigid(BoneId(0)));
    assert_eq!(model.skins[1], Skin::new([(BoneId(0), 128), (BoneId(1), 127)]));
}

/// A signalling NaN keeps its bits if its vertex also contains a number that needs a double.
#[test]
fn signalling_nans_are_kept_beside_doubles() {
    let text = b"3dmodel 1\nn\nMIT\na\n\n\nVertex\n1677727272216 nan(7f800001) 0 1\n\nEnd\n";
    let model = m3d::from_slice(text).expect("a model");
    let again = m3d::from_slice(&m3d::to_vec(&model).expect("text")).expect("what was written");
    for model in [&model, &again] {
        assert_eq!(model.vertices.precise.len(), 1);
        assert_eq!(model.vertices.coords[0].y.to_bits(), 0x7f80_0001);
    }
}

#[test]
fn numbers_are_the_nearest() {
    let model = read("numbers");
    let bits = |row: usize| model.vertices.coords[row].to_array().map(f32::to_bits);
    assert_eq!(bits(0), [0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000]);
    assert_eq!(bits(1), [0x3dcc_cccd, 0x3eaa_aaab, 0x3c01_0204, 0xbf7f_fc00]);
    assert_eq!(bits(2), [0x3727_c5ac, 0x0080_0000, 1, 0x7f7f_ffff]);
    assert_eq!(bits(4), [0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0x7f80_0000]);
    let odd = read("numbers-odd");
    let row = |row: usize| odd.vertices.coords[row].to_array();
    assert_eq!([row(0), row(1)], [[0.0, 0.0, 0.5, 1.0], [100.0, 100.0, 1.0, 0.5]]);
    assert_eq!(row(2), [0.1, 1.0, 0.123_456_79, 0.5]);
    // A missing w is 1.
    assert_eq!(row(4), [5.0, 5.0, 5.0, 1.0]);
}

#[test]
fn ten_digits_are_a_double() {
    let model = read("doubles");
    assert_eq!(model.tex_coords.precise, [[0.123_456_789_01, 0.5], [0.25, 0.1]]);
    let precise = &model.vertices.precise;
    assert_eq!(precise[0], [0.123_456_789_012_3, 0.0, 0.0, 1.0]);
    assert_eq!(precise[1][..3], [0.1, 0.5, -f64::MIN_POSITIVE]);
    assert_eq!(precise[2][1], 0.1 + 0.2);
    assert_eq!(precise[2][0], f64::MAX);
    let args: Vec<&Arg> = model.shapes[0].commands.iter().map(|command| &command.args[0]).collect();
    assert_eq!(args, [&Arg::Coord(0.123_456_789_012_3), &Arg::Coord(f64::from(0.1_f32)), &Arg::Coord(0.1)]);
    // A number with nine digits is still a float.
    assert!(
        m3d::from_str(&text("Vertex\n0.123456789 0 0 1\n\n")).expect("a text").vertices.precise.is_empty()
    );
}

/// Numbers of every length, and numbers near the middle between two floats, are rounded as by the standard library.
#[test]
fn short_numbers_round_as_they_must() {
    let mut rows = String::new();
    let mut wanted = Vec::new();
    let mut rng = testkit::Rng(42);
    for turn in 0..40_000 {
        let digits = 1 + rng.below(9);
        let whole = rng.next() % 10_u64.pow(u32::try_from(digits).expect("small"));
        let places = rng.below(10);
        let mut number = format!("{whole:0width$}", width = places + 1);
        number.insert(number.len() - places, '.');
        if turn % 5 == 0 {
            // The middle between a float and the next one, rounded to at most nine digits.
            let float = f32::from_bits((rng.next() % 0x7f00_0000) as u32);
            let middle = (f64::from(float) + f64::from(float.next_up())) / 2.0;
            number = format!("{middle:.*}", 9 - rng.below(5));
            if number.len() > 10 {
                continue;
            }
        }
        let number = number.trim_end_matches('.');
        rows += &format!("{number} -{number}\n");
        wanted.push(number.parse::<f32>().expect("a number"));
    }
    let model = m3d::from_str(&text(&format!("Textmap\n{rows}\n"))).expect("a text");
    for (uv, wanted) in model.tex_coords.uvs.iter().zip(wanted) {
        assert_eq!(uv.to_array().map(f32::to_bits), [wanted.to_bits(), (-wanted).to_bits()], "{wanted}");
    }
}

#[test]
fn corners() {
    let Mesh { records, vertices, tex_coords, normals, maximums } = &read("mesh").meshes[0];
    let polygons =
        |count, sides, parts| MeshRecord::Polygons(Polygons { count, sides, parts: CornerParts(parts) });
    let mut wanted = vec![polygons(1, 1, 0), polygons(1, 2, 0), polygons(1, 3, 0), polygons(1, 4, 0)];
    wanted.extend([1, 2, 3, 4, 5, 6, 7, 1, 0].map(|parts| polygons(1, 3, parts)));
    wanted.push(MeshRecord::Material("some material".into()));
    wanted.push(polygons(1, 15, 0));
    wanted.extend([
        MeshRecord::Parameter("".into()),
        MeshRecord::Parameter("swelling".into()),
        MeshRecord::Material("".into()),
    ]);
    assert_eq!(*records, wanted);
    assert_eq!(vertices.len(), 1 + 2 + 3 + 4 + 9 * 3 + 15);
    assert_eq!(tex_coords[tex_coords.len() - 3..], [TexCoordId::NONE, TexCoordId(0), TexCoordId::RESERVED]);
    assert_eq!((normals.len(), maximums.len()), (12, 12));
    let ends = vertices.windows(3).any(|ids| ids == [VertexId::NONE, VertexId::RESERVED, VertexId(70000)]);
    assert!(ends);
}

#[test]
fn slashes_of_the_blender_plugin() {
    let mesh = &read("mesh-slashes").meshes[0];
    let parts: Vec<u8> = mesh.polygons().map(|polygon| polygon.parts.0).collect();
    // The part after a fourth slash is ignored.
    assert_eq!(parts, [0, 1, 0, 0, 2, 1, 4]);
    let polygons: Vec<_> = mesh.polygons().collect();
    assert_eq!(polygons[1].tex_coords, [TexCoordId(3); 3]);
    assert_eq!(polygons[4].normals, [VertexId(1), VertexId::NONE, VertexId::NONE]);
    assert_eq!(polygons[5].tex_coords, [TexCoordId(1), TexCoordId::NONE, TexCoordId::NONE]);
    assert_eq!(polygons[6].maximums, [VertexId(2); 3]);
}

#[test]
fn skins_and_weights() {
    let model = read("skins");
    assert_eq!(model.skins.len(), 7);
    assert_eq!(model.skins[3].weights, [64, 64, 64, 64, 0, 0, 0, 0]);
    assert_eq!(model.skins[4].weights, [32; 8]);
    assert_eq!(model.skins[5], Skin::new([(BoneId(0), 1)]));
    assert_eq!(model.skins[6], Skin::rigid(BoneId::NONE));
    assert_eq!(model.vertices.skins[7..], [SkinId::NONE, SkinId(0), SkinId::QUATERNION]);
    // The specification has "255 = 1.0, 127 = 0.5"; a third is 85.
    let halves = m3d::from_str(&text("Vertex\n0 0 0 1 0:0.5 1:0.333333 2:1.0 3:0.001\n\n")).expect("a text");
    assert_eq!(halves.skins[0].weights, [127, 85, 255, 0, 0, 0, 0, 0]);
    // Three digits are enough for every weight.
    for weight in 1..=255_u8 {
        let mut model = read("skins");
        model.skins[0] = Skin::new([(BoneId(0), weight)]);
        let again = m3d::from_str(&to_string(&model).expect("it can be said")).expect("it reads");
        assert_eq!(again.skins[0].weights[0], weight);
    }
}

/// A text does not number its skins: models are equal if each vertex has an equal skin, whatever the order of the
/// skins.
#[test]
fn skins_in_an_order_of_their_own() {
    let (a, b) = (Skin::rigid(BoneId(1)), Skin::new([(BoneId(0), 128), (BoneId(1), 127)]));
    let model = |skins: &[Skin], ids: [u32; 3]| Model {
        skins: skins.to_vec(),
        vertices: Vertices {
            coords: vec![Vec4::new(0.0, 0.0, 0.0, 1.0); 3],
            skins: ids.map(SkinId).to_vec(),
            ..Vertices::default()
        },
        ..Model::default()
    };
    let ordered = model(&[a, b], [0, 1, 0]);
    for same in [model(&[b, a], [1, 0, 1]), model(&[b, a, b], [1, 2, 1])] {
        assert_eq!(same, ordered);
        let text = to_string(&same).expect("rows have it");
        assert_eq!(m3d::from_str(&text).expect("a text"), same);
    }
    for other in [model(&[b, a], [0, 1, 0]), model(&[a, b, Skin::rigid(BoneId(2))], [0, 1, 0])] {
        assert_ne!(other, ordered);
    }
    let refused = |model: &Model| to_string(model).expect_err("no row has it").to_string();
    assert_eq!(
        refused(&model(&[a, Skin::rigid(BoneId(2)), b], [0, 2, 0])),
        "cannot write a text file with an unused skin (remove the skin, or use the binary format, .m3d) in skins[1]"
    );
    assert_eq!(
        refused(&model(&[a], [0, 7, 0])),
        "cannot write: skin index 7 is out of range (the list has 1 skin) in vertices[1].skin"
    );
    assert_eq!(
        refused(&model(&[Skin::default()], [0, 0, 0])),
        "cannot write a text file with a skin that has no bones (use the binary format, .m3d) in vertices[0].skin"
    );
    // An orientation without the mark of a quaternion gets a bone of weight 1 in the text, and a mark without an
    // orientation gets bones of weight 0.
    let mut odd = model(&[a], [0, SkinId::QUATERNION.0, SkinId::NONE.0]);
    odd.bones.push(m3d::Bone { position: VertexId(0), orientation: VertexId(2), ..m3d::Bone::default() });
    let text = to_string(&odd).expect("rows have it");
    assert!(text.contains("0 0 0 1 0:0 1\n0 0 0 1 -2:0 0:0\n0 0 0 1 0:0 0:0\n"), "{text}");
    assert_eq!(m3d::from_str(&text).expect("a text"), odd);
}

#[test]
fn bones() {
    let parents: Vec<u32> = read("bones").bones.iter().map(|bone| bone.parent.0).collect();
    assert_eq!(parents, [u32::MAX, 0, 1, 0, 3, 4, u32::MAX]);
    // A text cannot represent a chain deeper than the limit of readers, or a parent that is not the last bone of its
    // level.
    let mut model = Model::default();
    for place in 0..66_u32 {
        let parent = place.checked_sub(1).map_or(BoneId::NONE, BoneId);
        model.bones.push(m3d::Bone { parent, ..m3d::Bone::default() });
    }
    assert_eq!(to_string(&model).expect_err("too deep").path(), "bones[65].parent");
    model.bones.pop();
    let written = to_string(&model).expect("it can be said");
    assert_eq!(m3d::from_str(&written).expect("it reads").bones, model.bones);
    model.bones.push(m3d::Bone { parent: BoneId::NONE, ..m3d::Bone::default() });
    model.bones.push(m3d::Bone { parent: BoneId(3), ..m3d::Bone::default() });
    assert_eq!(to_string(&model).expect_err("not the last").path(), "bones[66].parent");
}

#[test]
fn materials() {
    let model = read("materials");
    assert_eq!(model.materials[0].properties[0].value, Value::Color(Rgba8::default()));
    let all = &model.materials[1];
    assert_eq!(all.properties.len(), PropertyId::ALL.len());
    assert!(all.properties.iter().zip(PropertyId::ALL).all(|(property, &id)| property.id == id));
    assert_eq!(all.color(PropertyId::DIFFUSE), Some(Rgba8::new(3, 2, 1, 255)));
    assert_eq!(all.number(PropertyId::ILLUMINATION), Some(255.0));
    assert_eq!(all.map(PropertyId::MAP_THICKNESS).expect("a map"), "n with blanks");
    let more: Vec<&Value> = model.materials[2].properties.iter().map(|property| &property.value).collect();
    let map = |name: &str| Value::Map(name.into());
    assert_eq!(more, [&map("")]);

    let odd = &read("materials-odd").materials[0];
    assert_eq!(odd.name, "spaced name");
    let ids: Vec<PropertyId> = odd.properties.iter().map(|property| property.id).collect();
    let maps = [PropertyId::MAP_NORMAL, PropertyId::MAP_BUMP, PropertyId::MAP_BUMP];
    assert_eq!(ids[3..6], maps);
    assert_eq!(ids[6..8], [PropertyId::MAP_METALLIC; 2]);
    assert_eq!(odd.color(PropertyId::DIFFUSE), Some(Rgba8::new(0x99, 0x66, 0x33, 0xff)));
    assert_eq!(odd.color(PropertyId::AMBIENT), odd.color(PropertyId::DIFFUSE));
    assert_eq!(odd.color(PropertyId::SPECULAR), Some(Rgba8::new(0xff, 0x0f, 0, 0)));
    // The SDK stops at a key without a name.
    assert_eq!(odd.map(PropertyId::MAP_DIFFUSE), Some(b"".into()));
    assert!(m3d::to_string(&bare(read("materials-odd"))).unwrap().contains("\nmap_Kd \\{}\n"));
}

#[test]
fn voxels() {
    let model = read("voxels");
    let looks: Vec<(u8, u16)> = model.voxel_types.iter().map(|kind| (kind.rotation, kind.shape)).collect();
    assert_eq!(looks[..4], [(0, 0), (0x3f, 0), (0, 511), (0xbf, 256)]);
    let names: Vec<BString> = model.voxel_types.iter().map(|kind| kind.name.clone()).collect();
    assert_eq!(names[3..], ["name", "default:chest", "", "-", "{brace}", "a name"]);
    assert_eq!(model.voxel_types[4].items[1].count, 65535);
    assert_eq!(model.skins.len(), 1);
    let block = &model.voxel_blocks[1];
    assert_eq!((block.uncertainty, block.group), (1, 0));
    assert_eq!((block.position, block.size), ([-5, i32::MAX, i32::MIN], [3, 2, 2]));
    // x is to the right, z towards the viewer, y up.
    assert_eq!(
        [block.get(1, 0, 0), block.get(0, 0, 1), block.get(2, 0, 1)],
        [Voxel(1), Voxel::UNSET, Voxel(65533)]
    );
    assert_eq!([block.get(1, 0, 1), block.get(0, 1, 1)], [Voxel::CLEAR, Voxel(8)]);
    let short = &model.voxel_blocks[2];
    assert_eq!((short.voxels.len(), short.uncertainty, short.group), (7, 255, 255));

    let odd = read("voxels-odd");
    assert_eq!(odd.voxel_blocks[0].voxels, [Voxel::UNSET, Voxel::CLEAR, Voxel(1), Voxel(0)]);
    // The SDK reads 50 percent as 127.
    assert_eq!(odd.voxel_blocks[0].uncertainty, 127);
    let looks: Vec<(u8, u16)> = odd.voxel_types.iter().map(|kind| (kind.rotation, kind.shape)).collect();
    assert_eq!(looks, [(1, 0), (0, 0), (0, 0), (0, 256), (0, 0)]);
    assert_eq!(odd.voxel_types[0].items[1].name, "default:spoon");
    assert_eq!(odd.voxel_types[4].items.len(), 2);
    // Tenths of a percent are enough for every uncertainty.
    for uncertainty in 0..=255 {
        let block = m3d::VoxelBlock { uncertainty, ..m3d::VoxelBlock::default() };
        let model = Model { voxel_blocks: vec![block], ..Model::default() };
        let again = m3d::from_str(&to_string(&model).expect("it can be said")).expect("it reads");
        assert_eq!(again.voxel_blocks[0].uncertainty, uncertainty);
    }
}

#[test]
fn shapes_and_their_commands() {
    let model = read("shapes");
    let all = &model.shapes[1];
    assert_eq!((all.group, all.commands.len()), (BoneId(2), 38));
    for (command, number) in all.commands.iter().zip(0..38) {
        assert_eq!(command.id.0, number);
    }
    assert_eq!(all.commands[2].args[..2], [Arg::Int(0), Arg::Int(-1)]);
    assert_eq!(all.commands[13].args[3], Arg::Int(3));
    assert_eq!(all.commands[13].rounds(), Some(2));
    assert_eq!(all.commands[35].args[1], Arg::Quaternion(VertexId::NONE));
    // A bracket can be part of a name.
    let named = m3d::from_str(&text("Shape\nuse [ a ]\n\n")).expect("a text");
    assert_eq!(named.shapes[0].commands[0].args, [Arg::Material("[ a ]".into())]);
    let odd = &read("shapes-odd").shapes[0];
    assert_eq!(odd.commands[0].args, odd.commands[1].args);
    assert_eq!(odd.commands[2].args, odd.commands[3].args);
    assert_eq!(odd.commands[4].args, [Arg::Coord(1.5), Arg::Coord(10.0)]);
    assert_eq!(odd.commands[6].id, m3d::CommandId::SPHERE);
}

#[test]
fn labels_and_actions() {
    let labels = read("labels").labels;
    assert_eq!(
        (labels.len(), labels[0].name.to_string(), labels[0].language.to_string()),
        (3, "parts".into(), "en_US".into())
    );
    assert_eq!(labels[0].color, Rgba8::new(255, 0, 0, 255));
    assert_eq!(labels[0].labels[1].vertex, VertexId::NONE);
    assert_eq!(labels[1].labels[0].text, "két szó\nkét sorban");
    assert_eq!(labels[1].labels[1].text, "lang");
    let actions = read("actions").actions;
    assert_eq!((actions[0].name.len(), actions[0].frames.len()), (0, 0));
    assert_eq!((actions[1].name.to_string(), actions[1].duration), ("walk in circles".into(), u32::MAX));
    // The first frame can have a time, too.
    assert_eq!(actions[1].frames[1].time, 1000);
    assert_eq!(actions[1].frames[2].transforms[1].bone, BoneId(7));
}

#[test]
fn bytes() {
    let model = read("bytes");
    assert_eq!(model.preview.as_deref(), Some(&b"\x89PNG\r\n\x1a\n"[..]));
    let assets: Vec<(&[u8], usize)> =
        model.assets.iter().map(|asset| (asset.name.as_slice(), asset.data.len())).collect();
    assert_eq!(assets, [(&b"elsewhere.png"[..], 0), (b"here.png", 33), (b"#sign", 0), (b"", 0)]);
    assert_eq!((model.extras[0].tag, model.extras[0].data.len()), (Tag(*b"gxel"), 34));
    assert_eq!(model.extras[1].tag, Tag(*b"\0 /z"));
    // A preview in another file is not read, but its name is kept.
    let away = m3d::from_str(&text("Preview\nfar.png\n\nExtra abcd\nff 00\n0f\n\n")).expect("a text");
    assert_eq!((away.preview.clone(), away.extras[0].data.as_slice()), (None, &[255, 0, 15][..]));
    assert!(to_string(&away).expect("it can be said").contains("Preview\nfar.png\n"));
}

/// A name that is not UTF-8 is kept as bytes, and escaped in a string.
#[test]
fn names_that_are_not_utf8() {
    let text = b"3dmodel  1\nna\xefve\n\n\n\n\nWeather\n\nEnd\n";
    let model = m3d::from_slice(text).expect("a text");
    assert_eq!(m3d::to_vec(&model).expect("it can be said"), text);
    assert_eq!(to_string(&model).expect("it can be said"), "3dmodel 1\nna\\{ef}ve\n\n\n\n\nWeather\n\nEnd\n");
    let unknown = m3d::from_slice(b"3dmodel 1\nn\n\n\n\nWeather \xef\n\nEnd\n").expect("a text");
    assert!(to_string(&unknown).is_err());
}

#[test]
fn names() {
    let model = read("names");
    assert_eq!(
        (model.name.as_slice(), model.license.as_slice()),
        (&b" blanks around "[..], &b"tab\tinside"[..])
    );
    assert_eq!(model.author, "line\nbreak\r");
    let names: Vec<&[u8]> = model.bones.iter().map(|bone| bone.name.as_slice()).collect();
    let wanted: [&[u8]; 6] = [
        b" blank first",
        b"blank last ",
        b"back\\slash\\{",
        b"\xffnot\xfe\x80text",
        "\u{e9}\u{4e00}\u{1f600}".as_bytes(),
        b"#sign @ {brace}",
    ];
    assert_eq!(names, wanted);
    assert_eq!(model.materials[0].name, "\t");
}

#[test]
fn sections_in_any_order() {
    let model = read("order");
    // A second Textmap continues the indices of the first.
    assert_eq!((model.tex_coords.uvs.len(), model.materials.len()), (2, 2));
    assert_eq!(model.vertices.skins[3], SkinId::QUATERNION);
    let written = to_string(&model).expect("it can be said");
    assert!(written.find("Action") < written.find("Vertex"));
    // Sections that were added come last. The binary variant has an order of its own.
    let mut more = model.clone();
    more.labels.push(m3d::LabelGroup::default());
    let written = to_string(&more).expect("it can be said");
    assert!(written.find("Labels") > written.find("Material glass"));
    let binary = WriteOptions::new().variant(Variant::Binary).write(&model).expect("it can be said");
    let back = m3d::from_slice(&binary).expect("it reads");
    assert_eq!(bare(back), bare(model));
}

#[test]
fn what_nobody_knows_is_kept() {
    let mut model = read("unknown");
    model.name = "other".into();
    let written = to_string(&model).expect("it can be said");
    for kept in [
        "Weather today, of all days\nsun 1 2 3\n\train\n",
        "Texture\n#nothing that we know\n",
        "End\nwhat follows the end\nis kept, too\n",
        "of what follows\n",
        "front\n",
        "back\n",
    ] {
        assert!(written.contains(kept), "{kept} {written}");
    }
}

#[test]
fn blanks_do_not_matter() {
    let tidy = "3dmodel 1\nname\nMIT\nme\n\nTextmap\n0 0\n1 1\n\nVertex\n0 0 0 1 #ff0000ff\n1 0 0 1\n0 1 0 1\n\n\
        Mesh\nuse steel\n0/0 1/1 2/0\n\nEnd\n";
    assert_eq!(bare(read("blanks")), bare(m3d::from_str(tidy).expect("a text")));
    assert_eq!(bare(read("mark")), bare(read("no-end")));
    assert_eq!(bare(read("all-crlf")), bare(read("all")));
}

#[test]
fn errors_say_where_and_what_was_expected() {
    assert_eq!(
        error("Vertex\n0 0 0 1\n0 0 zero 1\n"),
        "expected a number, found `zero` in vertices[1] at line 9, column 5"
    );
    assert_eq!(
        error("Mesh\n0 1 2\n0 1 x\n"),
        "expected the index of a vertex, found `x` in meshes[0].polygons[1] at line 9, column 5"
    );
    assert_eq!(
        error("Bones\n0 1 a\n///2 3 b\n"),
        "expected a bone with at most one more `/` than the previous bone, found `///2` in bones[1] at line 8, column 1"
            .replace("line 8", "line 9")
    );
    assert_eq!(
        error("Material m\nKdd #ff000000\n"),
        "expected a material property such as `Kd` or `map_Kd`, found `Kdd` in materials[0].properties[0] at line 8, column 1"
    );
    assert_eq!(
        error("Voxel v\ndim 2 1 1\nlayer\n1 2 3\n"),
        "expected the end of the row after 2 voxels (the width in `dim`), found `3` in voxel_blocks[0].voxels at line 10, column 5"
    );
    assert_eq!(
        error("Shape s\nspline 1 2\n"),
        "expected `group` or a command such as `div` or `nurbs`, found `spline` in shapes[0].commands[0] at line 8, column 1"
    );
    assert_eq!(
        error("Action 10 a\n0 0 0\n"),
        "expected `frame` and a time in milliseconds, found `0` in actions[0] at line 8, column 1"
    );
    assert_eq!(
        error("Vertex\n0 0 0 1 é\n"),
        "expected a bone as `index` or `index:weight`, found `é` in vertices[0].skin at line 8, column 9"
    );
    assert!(error("Extra ABCDEFGHIJKLMNOPQRSTUVWXYZ\n00\n").contains("\"ABCDEFGHIJKLMNOPQRSTUVWX…\""));
    assert_eq!(
        error("Extra long\u{20}name\n00\n").split(" in ").nth(1),
        Some("extras[0].tag at line 7, column 7")
    );
    let broken = m3d::from_str(&text("Textmap\n\t0")).expect_err("cut off");
    assert_eq!((broken.line(), broken.column(), broken.offset()), (Some(8), Some(3), Some(28)));
    assert_eq!(broken.path(), "tex_coords[0]");
    for (what, sections) in [
        ("a second frame", "Action 1 a\nframe\n"),
        ("nine bones", "Vertex\n0 0 0 1 0:0.1 1:.1 2:.1 3:.1 4:.1 5:.1 6:.1 7:.1 8:.1\n"),
        ("a weight", "Vertex\n0 0 0 1 0:2\n"),
        ("sixteen corners", "Mesh\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"),
        ("a negative index", "Mesh\n0 1 -3\n"),
        ("an index of 33 bits", "Mesh\n0 1 4294967296\n"),
        ("a colour", "VoxTypes\nff000000\n"),
        ("a brace", "VoxTypes\n#ff000000 a { 1 b\n"),
        ("a voxel", "Voxel\ndim 1 1 1\nlayer\n65534\n"),
        ("a layer", "Voxel\ndim 1 1 1\n0\n"),
        ("a size", "Voxel\nlayer\n0\n"),
        ("an argument", "Shape\nline 3[ 0 1 ]\n"),
        ("less arguments", "Shape\nline 1[ 0 1 ]\n"),
        ("bytes", "Extra abcd\n0\n"),
        ("a property by its number", "Material a\n@99 #00\n"),
        ("a command by its number", "Shape\n@99 #00\n"),
        ("a property of polygons", "Mesh\n@2 a\n"),
        ("a skin by its number", "Vertex\n0 0 0 1 @0\n"),
        ("a parent by its number", "Bones\n@0 0 0 a\n"),
    ] {
        let error = m3d::from_str(&text(sections)).expect_err(what);
        assert!(error.line() >= Some(7) && error.to_string().starts_with("expected "), "{what}: {error}");
    }
}

#[test]
fn what_a_text_cannot_say() {
    let refuse = |model: Model, path: &str| {
        let error = to_string(&model).expect_err(path);
        assert!(matches!(error.kind(), m3d::errors::ErrorKind::Unwritable(_)), "{error}");
        assert_eq!(error.path(), path);
    };
    let mut model = read("all");
    model.vertices.colors.pop();
    refuse(model, "vertices.colors");
    let mut model = read("all");
    model.meshes[0].vertices.pop();
    refuse(model, "meshes[0].records[4]");
    let mut model = read("all");
    model.materials[0].properties[0].value = Value::Float(1.0);
    refuse(model, "materials[0].properties[0]");
    let mut model = read("all");
    model.shapes[0].commands[1].args.pop();
    refuse(model, "shapes[0].commands[1].args");
    let mut model = read("all");
    model.voxel_blocks[0].voxels.push(Voxel(0));
    refuse(model, "voxel_blocks[0].voxels");
}

#[test]
fn a_text_is_written_as_it_was_read() {
    let model = read("all");
    assert!(m3d::to_vec(&model).expect("it can be said").starts_with(b"3dmodel"));
    let binary = WriteOptions::new().variant(Variant::Binary).write(&model).expect("it can be said");
    assert!(binary.starts_with(b"3DMO"));
    let from_binary = m3d::from_slice(&binary).expect("it reads");
    assert_eq!(bare(from_binary.clone()), bare(model));
    assert!(m3d::to_vec(&from_binary).expect("it can be said").starts_with(b"3DMO"));
    // The text of a model from a binary file has everything that the SDK needs.
    let text = to_string(&from_binary).expect("it can be written");
    assert!(text.contains(" 0:0 ") && text.contains("Mesh\n") && !text.contains("preview.png\n\n"));
    assert_eq!(m3d::from_str(&text).expect("it reads"), from_binary);
}

/// The SDK skips every second bone of a vertex, and stops at rows of actions that do not end with a blank. What it
/// reads of these texts was tried with it.
#[test]
fn rows_that_the_sdk_reads() {
    let sections = "Vertex\n0 0 0 1 0:0 0:0.502 0:0 1:0.499\n1 0 0 1 0:0 1\n\nBones\n0 1 a\n/0 1 b\n\n\
        Action 100 go\nframe 0\n0 0 1 \n\nEnd\n";
    let text = text(sections);
    let model = m3d::from_str(&text).expect("a text");
    assert_eq!(model.skins[0], Skin::new([(BoneId(0), 128), (BoneId(1), 127)]));
    assert_eq!(model.skins[1], Skin::rigid(BoneId(1)));
    // The text is written as it was read, and also if the layout is dropped.
    assert_eq!(to_string(&model).expect("it can be written"), text);
    let fresh = to_string(&bare(model)).expect("it can be written");
    assert_eq!(fresh, text);
    // A skipped bone is also written before each of eight bones. After a -1 the SDK continues with the next token, so
    // one is needed.
    let rows = |front: &str| {
        let eight: String = (0..8).map(|bone| format!("{front} {bone}:0.122")).collect();
        let minus = ["-1", "-1:0.502 1:0.499", "1:0.502 -1:0.499"].map(String::from);
        let padded = ["0:0 -1 0:0", "0:0 -1:0.502 1:0.499", "0:0 1:0.502 0:0 -1:0.499 0:0"].map(String::from);
        let minus = if front.is_empty() { minus } else { padded };
        let rows: String = minus.iter().map(|row| format!("0 0 0 1 {row}\n")).collect();
        format!("3dmodel 1\nn\nl\na\n\n\nVertex\n0 0 0 1{eight}\n{rows}\nEnd\n")
    };
    let model = m3d::from_str(&rows("")).expect("a text");
    assert_eq!(to_string(&model).expect("as it was"), rows(""));
    assert_eq!(to_string(&bare(model.clone())).expect("it can be written"), rows(" 0:0"));
    assert_eq!(m3d::from_str(&rows(" 0:0")).expect("a text"), model);
    // In voxel types, the SDK also skips every second bone, but starting with the second.
    let voxels = "3dmodel 1\nn\nl\na\n\n\nVoxTypes\n#ff000000 - 1\n#ff000000 a 1:0.502 0:0 2:0.499 0:0 { 1 b }\n\nEnd\n";
    let model = m3d::from_str(voxels).expect("a text");
    assert_eq!(model.skins, [Skin::rigid(BoneId(1)), Skin::new([(BoneId(1), 128), (BoneId(2), 127)])]);
    assert_eq!(to_string(&bare(model)).expect("it can be written"), voxels);
}

#[test]
fn every_binary_fixture_is_the_same_as_text() {
    let mut refused = Vec::new();
    for sample in testkit::fixtures("m3d") {
        let Ok(model) = m3d::from_slice(&sample.bytes) else { continue };
        let text = match to_string(&model) {
            Ok(text) => text,
            Err(error) => {
                refused.push(format!("{}: {}", sample.name, error.path()));
                continue;
            }
        };
        let again = m3d::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        if !sample.name.contains("numbers")
            && !sample.name.contains("nan")
            && !sample.name.contains("doubles")
        {
            assert_eq!(bare(again.clone()), bare(model), "{}", sample.name);
        }
        assert_eq!(to_string(&again).expect("it can be said"), text, "{}", sample.name);
    }
    // Properties and commands without a keyword, the reserved bit, and a skin that does not exist.
    let expected = [
        "materials-unknown.m3d: materials[0].properties[1]",
        "materials.m3d: materials[0].properties[28]",
        "mesh-polygons.m3d: meshes[0].records[2]",
        "mesh-reserved.m3d: meshes[0].records[0]",
        "order.m3d: vertices[0].skin",
        "shapes-double-1.m3d: shapes[0].commands[40]",
        "shapes-float-4.m3d: shapes[0].commands[40]",
        "shapes-int16-2.m3d: shapes[0].commands[40]",
        "shapes-int8-0.m3d: shapes[0].commands[40]",
        "shapes-int8-1.m3d: shapes[0].commands[40]",
    ];
    assert_eq!(refused, expected);
}

#[test]
fn every_real_file_is_the_same_as_text() {
    for sample in corpus("m3d") {
        let model = m3d::from_slice(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let text = to_string(&model).expect("it can be said");
        let again = m3d::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert_eq!(bare(again.clone()), bare(model.clone()), "{}", sample.name);
        let binary = WriteOptions::new().variant(Variant::Binary).write(&again).expect("it can be said");
        assert_eq!(bare(m3d::from_slice(&binary).expect("it reads")), bare(model), "{}", sample.name);
    }
}

/// Compares with the counts and sums of the SDK for the real texts that it reads correctly.
#[test]
fn real_texts_say_what_the_sdk_reads() {
    let mut texts = 0;
    for sample in corpus("m3d").iter().filter(|sample| m3d::detect(&sample.bytes) == Some(Variant::Ascii)) {
        let model = m3d::from_slice(&sample.bytes).expect("a real text");
        let sum = |at: usize| model.vertices.coords.iter().map(|c| f64::from(c.to_array()[at])).sum::<f64>();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-4;
        let name = sample.name.rsplit('/').next().expect("a name");
        match name {
            "teapot_ascii.m3d" => {
                assert_eq!((model.vertices.len(), model.face_count(), model.scale), (9360, 9128, 3.39421));
                assert!(close(sum(0), 35.668099) && close(sum(1), 343.279573) && close(sum(2), -0.429321));
            }
            "nurbs.a3d" => {
                assert_eq!(
                    (model.vertices.len(), model.tex_coords.uvs.len(), model.shapes[0].commands.len()),
                    (9, 9, 6)
                );
                assert!(close(sum(2), 2.2) && close(sum(3), 25.6));
            }
            "bezier.a3d" => assert_eq!((model.vertices.len(), model.shapes[0].commands.len()), (13, 5)),
            "cube_with_vertexcolors.a3d" => {
                assert_eq!(
                    (model.vertices.len(), model.face_count(), model.vertices.colors.len()),
                    (11, 12, 11)
                );
            }
            "voxel.a3d" => {
                let block = &model.voxel_blocks[0];
                // The SDK counts 4 in the binary file of the same model, and reads garbage here.
                let sum: usize = block.voxels.iter().filter_map(|voxel| voxel.kind()).sum();
                assert_eq!((block.size, sum, model.voxel_types.len()), ([3, 2, 2], 4, 3));
                assert_eq!(block.voxels.iter().filter(|&&voxel| voxel == Voxel::UNSET).count(), 8);
            }
            other => panic!("{other}: what does the SDK say of it?"),
        }
        texts += 1;
    }
    assert!(texts == 0 || texts == 5);
}
