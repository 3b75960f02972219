//! Random models: written and read in both variants, they stay equal.

use m3d::bstr::BString;
use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// The variant for which a model is generated, since each can represent something that the other cannot.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Without zero bytes in names; an entry of unknown length is the last of its list.
    Binary,
    Text,
}
use Form::{Binary, Text};

fn name(form: Form) -> BoxedStrategy<BString> {
    let odd = if form == Text { any::<u8>().boxed() } else { (1_u8..=255).boxed() };
    prop_oneof![
        2 => Just(BString::default()),
        6 => "[a-zA-Z_:. #@{}\\\\/-]{1,12}".prop_map(BString::from),
        1 => "\\PC{0,8}".prop_map(BString::from),
        2 => vec(odd, 0..8).prop_map(BString::from),
    ]
    .boxed()
}

/// An index into a list of this length, a reserved one, or one out of range.
fn id(count: usize) -> impl Strategy<Value = u32> {
    let count = u32::try_from(count).unwrap().max(1);
    prop_oneof![12 => 0..count, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 1 => 0_u32..70_000, 1 => any::<u32>()]
}

fn color() -> impl Strategy<Value = Rgba8> {
    prop_oneof![
        Just(Rgba8::default()),
        Just(Rgba8::new(255, 0, 0, 255)),
        any::<[u8; 4]>().prop_map(Rgba8::from)
    ]
}

/// Any number except NaN.
fn float() -> BoxedStrategy<f32> {
    prop_oneof![
        (-1000_i16..1000).prop_map(|q| f32::from(q) / 1000.0),
        -2.0_f32..2.0,
        any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |number| !number.is_nan()),
    ]
    .boxed()
}

/// Numbers that an int8, an int16, a float or a double represents.
fn double(width: u8) -> BoxedStrategy<f64> {
    match width {
        0 => (-128_i8..=127).prop_map(|q| f64::from(f32::from(q) / 127.0)).boxed(),
        1 => any::<i16>().prop_map(|q| f64::from(f32::from(q) / 32767.0)).boxed(),
        2 => float().prop_map(f64::from).boxed(),
        _ => prop_oneof![
            -2.0_f64..2.0,
            (-1000_i16..1000).prop_map(|q| f64::from(q) / 1000.0),
            any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |number| !number.is_nan()),
        ]
        .boxed(),
    }
}

#[allow(clippy::cast_possible_truncation)]
fn rounded<const N: usize>(doubles: &[[f64; N]]) -> (Vec<[f32; N]>, Vec<[f64; N]>) {
    let floats: Vec<[f32; N]> = doubles.iter().map(|row| row.map(|number| number as f32)).collect();
    let exact = floats
        .iter()
        .flatten()
        .zip(doubles.iter().flatten())
        .all(|(&a, b)| f64::from(a).to_bits() == b.to_bits());
    (floats, if exact { Vec::new() } else { doubles.to_vec() })
}

fn vertices(width: u8) -> impl Strategy<Value = Vertices> {
    let row = [double(width), double(width), double(width), double(width)];
    let skin = prop_oneof![3 => Just(SkinId::NONE), 2 => Just(SkinId::QUATERNION), 8 => (0..9_u32).prop_map(SkinId), 1 => id(9).prop_map(SkinId)];
    vec((row, color(), skin), 0..300).prop_map(|rows| {
        let doubles: Vec<[f64; 4]> = rows.iter().map(|row| row.0).collect();
        let (coords, precise) = rounded(&doubles);
        let mut colors: Vec<Rgba8> = rows.iter().map(|row| row.1).collect();
        let mut skins: Vec<SkinId> = rows.iter().map(|row| row.2).collect();
        // A column without any value is absent.
        if colors.iter().all(|&color| color == Rgba8::default()) {
            colors.clear();
        }
        if skins.iter().all(|skin| skin.is_none()) {
            skins.clear();
        }
        Vertices { coords: coords.into_iter().map(Vec4::from).collect(), precise, colors, skins }
    })
}

fn tex_coords(width: u8) -> impl Strategy<Value = TexCoords> {
    vec([double(width), double(width)], 0..300).prop_map(|rows| {
        let (uvs, precise) = rounded(&rows);
        TexCoords { uvs: uvs.into_iter().map(Vec2::from).collect(), precise }
    })
}

fn mesh(form: Form, count: usize) -> impl Strategy<Value = Mesh> {
    // For texts, without what they cannot represent.
    let (all, kinds) = if form == Text { (8_u8, 2_u8) } else { (16, 16) };
    let polygon = (1_u8..=15, 0..all).prop_flat_map(move |(sides, parts)| {
        let column = |has: bool| vec(id(count), if has { usize::from(sides) } else { 0 });
        let columns = (column(true), column(parts & 1 != 0), column(parts & 2 != 0), column(parts & 4 != 0));
        (Just((sides, parts)), columns)
    });
    let step = prop_oneof![8 => polygon.prop_map(Ok), 2 => (0..kinds, name(form)).prop_map(Err)];
    vec(step, 0..12).prop_map(|steps| {
        let mut mesh = Mesh::default();
        for step in steps {
            match step {
                Ok(((sides, parts), (vertices, tex_coords, normals, maximums))) => {
                    mesh.add_polygons(Polygons { count: 1, sides, parts: CornerParts(parts) });
                    mesh.vertices.extend(vertices.into_iter().map(VertexId));
                    mesh.tex_coords.extend(tex_coords.into_iter().map(TexCoordId));
                    mesh.normals.extend(normals.into_iter().map(VertexId));
                    mesh.maximums.extend(maximums.into_iter().map(VertexId));
                }
                Err((0, name)) => mesh.use_material(name),
                Err((1, name)) => mesh.use_parameter(name),
                Err((kind, name)) => mesh.records.push(MeshRecord::Property(kind, name)),
            }
        }
        mesh
    })
}

/// In a binary file, an entry of unknown length extends to the end of its chunk.
fn open_last<T>(form: Form, list: &mut Vec<T>, is_open: impl Fn(&T) -> bool) {
    let first = list.iter().position(is_open).filter(|_| form == Binary);
    list.truncate(first.map_or(list.len(), |first| first + 1));
}

fn material(form: Form) -> impl Strategy<Value = Material> {
    let known = (0..PropertyId::ALL.len()).prop_map(|place| PropertyId::ALL[place]);
    let which = prop_oneof![3 => known, 1 => any::<u8>().prop_map(PropertyId)];
    let property = (which, color(), any::<u8>(), float(), name(form), vec(any::<u8>(), 0..9)).prop_map(
        |(id, color, byte, number, name, other)| {
            let value = match id.kind() {
                Some(PropertyKind::Color) => Value::Color(color),
                Some(PropertyKind::Float) => Value::Float(number),
                Some(PropertyKind::Byte) => Value::Byte(byte),
                Some(PropertyKind::Map) => Value::Map(name),
                None => Value::Other(other),
                _ => unreachable!("a new kind"),
            };
            Property { id, value }
        },
    );
    (name(form), vec(property, 0..6)).prop_map(move |(name, mut properties)| {
        open_last(form, &mut properties, |property| property.id.kind().is_none());
        Material { name, properties }
    })
}

fn arg(form: Form, kind: ArgKind, count: usize, width: u8) -> BoxedStrategy<Arg> {
    match kind {
        ArgKind::Material => name(form).prop_map(Arg::Material).boxed(),
        ArgKind::Shape => id(3).prop_map(|id| Arg::Shape(ShapeId(id))).boxed(),
        ArgKind::TexCoord => id(count).prop_map(|id| Arg::TexCoord(TexCoordId(id))).boxed(),
        ArgKind::Vertex => id(count).prop_map(|id| Arg::Vertex(VertexId(id))).boxed(),
        ArgKind::Quaternion => id(count).prop_map(|id| Arg::Quaternion(VertexId(id))).boxed(),
        ArgKind::Coord | ArgKind::Length => double(width).prop_map(Arg::Coord).boxed(),
        ArgKind::Int1 | ArgKind::Int2 if form == Binary => {
            prop_oneof![0..254_i32, -2..0_i32].prop_map(Arg::Int).boxed()
        }
        ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => any::<i32>().prop_map(Arg::Int).boxed(),
        _ => unreachable!("a new kind"),
    }
}

fn shape(form: Form, count: usize, width: u8) -> impl Strategy<Value = Shape> {
    let command =
        (0..42_u16, 0..4_usize, vec(any::<u8>(), 0..9)).prop_flat_map(move |(number, rounds, other)| {
            let id = CommandId(number);
            let Some(kinds) = id.args() else {
                return Just(Command { id, args: vec![Arg::Other(other)] }).boxed();
            };
            let rounds = if id.is_variadic() { rounds } else { 1 };
            let args: Vec<_> =
                kinds.repeat(rounds).into_iter().map(|kind| arg(form, kind, count, width)).collect();
            args.prop_map(move |args| Command { id, args }).boxed()
        });
    (name(form), id(3), vec(command, 0..8)).prop_map(move |(name, group, mut commands)| {
        open_last(form, &mut commands, |command| command.id.args().is_none());
        Shape { name, group: BoneId(group), commands }
    })
}

fn skeleton(form: Form, count: usize) -> impl Strategy<Value = (Vec<Bone>, Vec<Skin>, Vec<Action>)> {
    let bone = (id(4), name(form), id(count), id(count)).prop_map(|(parent, name, position, orientation)| {
        let (parent, position, orientation) = (BoneId(parent), VertexId(position), VertexId(orientation));
        Bone { parent, name, position, orientation }
    });
    let skin = vec((id(4), any::<u8>(), any::<bool>()), 0..=8).prop_map(|parts| {
        let mut skin = Skin::default();
        for (place, (bone, weight, there)) in parts.into_iter().enumerate() {
            if there && weight != 0 {
                (skin.bones[place], skin.weights[place]) = (BoneId(bone), weight);
            }
        }
        skin
    });
    let transform = (id(4), id(count), id(count)).prop_map(|(bone, position, orientation)| {
        let (position, orientation) = (VertexId(position), VertexId(orientation));
        Transform { bone: BoneId(bone), position, orientation }
    });
    let frame =
        (any::<u32>(), vec(transform, 0..5)).prop_map(|(time, transforms)| Frame { time, transforms });
    let action = (name(form), any::<u32>(), vec(frame, 0..5)).prop_map(|(name, duration, frames)| Action {
        name,
        duration,
        frames,
    });
    (vec(bone, 0..9), vec(skin, 0..9), vec(action, 0..3))
}

fn voxels(form: Form) -> impl Strategy<Value = (Vec<VoxelType>, Vec<VoxelBlock>)> {
    let item = (any::<u16>(), name(form)).prop_map(|(count, name)| VoxelItem { count, name });
    let kind = (color(), name(form), any::<u8>(), 0..512_u16, id(9), vec(item, 0..3)).prop_map(
        |(color, name, rotation, shape, skin, items)| {
            let (rotation, skin) = (rotation & !0x40, SkinId(skin));
            VoxelType { color, name, rotation, shape, skin, items }
        },
    );
    let voxel = prop_oneof![
        Just(Voxel::UNSET),
        Just(Voxel::CLEAR),
        (0..3_u16).prop_map(Voxel),
        any::<u16>().prop_map(Voxel)
    ];
    let runs = vec((voxel, 1..200_usize), 0..20);
    let block = ([0..9_u32, 0..9_u32, 0..9_u32], any::<[i32; 3]>(), any::<[u8; 2]>(), name(form), runs)
        .prop_map(|(size, position, [uncertainty, group], name, runs)| {
            let volume = size.iter().product::<u32>() as usize;
            let all = runs.into_iter().flat_map(|(voxel, count)| std::iter::repeat_n(voxel, count));
            let voxels = all.take(volume).collect();
            VoxelBlock { name, position, size, uncertainty, group, voxels }
        });
    (vec(kind, 0..4), vec(block, 0..3))
}

/// Removes from a model what a text cannot represent.
fn textual(mut model: Model) -> Model {
    for material in &mut model.materials {
        material.properties.retain(|property| property.id.key().is_some());
    }
    for shape in &mut model.shapes {
        shape.commands.retain(|command| command.id.key().is_some());
    }
    // A parent must be the last bone of its level.
    let mut levels: Vec<BoneId> = Vec::new();
    for (place, bone) in model.bones.iter_mut().enumerate() {
        let level = levels.iter().position(|&level| level == bone.parent).map_or(0, |level| level + 1);
        bone.parent = level.checked_sub(1).map_or(BoneId::NONE, |level| levels[level]);
        levels.truncate(level);
        levels.push(BoneId(u32::try_from(place).unwrap()));
    }
    // Each skin must have a bone, and must be used.
    let skins = std::mem::take(&mut model.skins);
    let mut ids = vec![None; skins.len()];
    let kinds = model.voxel_types.iter_mut().map(|kind| &mut kind.skin);
    for id in model.vertices.skins.iter_mut().chain(kinds) {
        let Some(place) = id.get() else { continue };
        *id = match skins.get(place).filter(|skin| **skin != Skin::default()) {
            None => SkinId::NONE,
            Some(skin) => *ids[place].get_or_insert_with(|| {
                model.skins.push(*skin);
                SkinId(u32::try_from(model.skins.len() - 1).unwrap())
            }),
        };
    }
    if model.vertices.skins.iter().all(|skin| skin.is_none()) {
        model.vertices.skins.clear();
    }
    // The order of skins does not matter.
    model.skins.reverse();
    let last = u32::try_from(model.skins.len()).unwrap();
    let kinds = model.voxel_types.iter_mut().map(|kind| &mut kind.skin);
    for id in model.vertices.skins.iter_mut().chain(kinds).filter(|id| id.get().is_some()) {
        *id = SkinId(last - 1 - id.0);
    }
    model
}

fn model(form: Form) -> impl Strategy<Value = Model> {
    let label = (id(9), name(form)).prop_map(|(vertex, text)| Label { vertex: VertexId(vertex), text });
    let group = (name(form), name(form), color(), vec(label, 0..4))
        .prop_map(|(name, language, color, labels)| LabelGroup { name, language, color, labels });
    let asset = (name(form), vec(any::<u8>(), 0..70)).prop_map(|(name, data)| Asset { name, data });
    let tag = match form {
        Text => any::<[u8; 4]>().boxed(),
        // Tags of the format would be read as something else.
        Binary => "[a-z]{4}".prop_map(|tag| tag.as_bytes().try_into().unwrap()).boxed(),
    };
    let extra = (tag, vec(any::<u8>(), 0..70)).prop_map(|(tag, data)| Extra { tag: Tag(tag), data });
    let script = name(form).prop_map(|script| Procedural { script });
    let small = (vec(script, 0..3), vec(group, 0..3), vec(asset, 0..3), vec(extra, 0..3));
    let preview = proptest::option::of(vec(any::<u8>(), 0..70));
    let head = ([name(form), name(form), name(form), name(form)], float(), preview);
    let geometry = (0..4_u8, 0..300_usize).prop_flat_map(move |(width, count)| {
        let (meshes, shapes) = (vec(mesh(form, count), 0..3), vec(shape(form, count, width), 0..3));
        (tex_coords(width), vertices(width), meshes, shapes, skeleton(form, count))
    });
    (head, geometry, vec(material(form), 0..4), voxels(form), small).prop_map(
        move |(head, geometry, materials, (voxel_types, voxel_blocks), small)| {
            let ([name, license, author, description], scale, preview) = head;
            let (tex_coords, vertices, meshes, shapes, (bones, skins, actions)) = geometry;
            let (procedurals, labels, assets, extras) = small;
            let mut model = Model { name, license, author, description, scale, preview, ..Model::default() };
            (model.tex_coords, model.vertices, model.meshes, model.shapes) =
                (tex_coords, vertices, meshes, shapes);
            (model.bones, model.skins, model.actions, model.materials) = (bones, skins, actions, materials);
            (model.voxel_types, model.voxel_blocks, model.procedurals) =
                (voxel_types, voxel_blocks, procedurals);
            (model.labels, model.assets, model.extras) = (labels, assets, extras);
            if form == Text { textual(model) } else { model }
        },
    )
}

fn to_string(model: &Model) -> String {
    m3d::to_string(model).expect("a text")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn written_and_read_is_the_same(model in model(Binary), raw in any::<bool>()) {
        let bytes = WriteOptions::new().raw(raw).write(&model).unwrap();
        let mut read = m3d::from_slice(&bytes).unwrap();
        // The file that was read is written as the same bytes.
        prop_assert_eq!(WriteOptions::new().raw(raw).write(&read).unwrap(), bytes);
        read.layout = Layout::default();
        prop_assert_eq!(read, model);
    }

    #[test]
    fn a_text_is_what_it_was(model in model(Text), crlf in any::<bool>()) {
        let mut laid = model.clone();
        if crlf {
            // Another line end, taken from the layout of a text that was read.
            laid.layout = m3d::from_str("3dmodel 1\r\n\r\n\r\n\r\n\r\n").expect("a text").layout;
        }
        let text = to_string(&laid);
        let again = from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        prop_assert_eq!(to_string(&again), text.clone());
        let again = Model { layout: Layout::default(), ..again };
        prop_assert_eq!(&again, &model, "{}", text);
        // By bits, since -0 == 0.
        let bits = |model: &Model| {
            model.vertices.coords.iter().flat_map(|c| c.to_array()).map(f32::to_bits).collect::<Vec<_>>()
        };
        prop_assert_eq!(bits(&again), bits(&model));
    }

    #[test]
    fn nothing_panics_on_a_model_that_makes_no_sense(model in model(Binary), time in -10.0_f32..1e6) {
        let _findings = m3d::check(&model);
        prop_assert!(model.to_tri_mesh().unwrap().is_consistent());
        for action in &model.actions {
            let matrices = model.skinning_matrices(&model.pose(action, time));
            prop_assert_eq!(matrices.len(), model.bones.len());
        }
    }
}
