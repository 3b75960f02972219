//! Generated models: written as text and read, they are what they were.

use m3d::bstr::BString;
use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// The model as a text, with what only this crate reads.
fn to_string(model: &Model) -> m3d::Result<String> {
    let text = WriteOptions::new().variant(Variant::Ascii).extensions(true).write(model)?;
    Ok(String::from_utf8(text).expect("UTF-8"))
}

fn bytes() -> impl Strategy<Value = BString> {
    prop_oneof![
        2 => Just(BString::default()),
        6 => "[a-zA-Z_:. #@{}\\\\/-]{1,12}".prop_map(BString::from),
        1 => "\\PC{0,8}".prop_map(BString::from),
        2 => vec(any::<u8>(), 0..8).prop_map(BString::from),
    ]
}

fn id() -> impl Strategy<Value = u32> {
    prop_oneof![12 => 0..20_u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 1 => any::<u32>()]
}

fn color() -> impl Strategy<Value = Rgba8> {
    prop_oneof![Just(Rgba8::default()), any::<[u8; 4]>().prop_map(Rgba8::from)]
}

/// Any number but none, which equals nothing.
fn float() -> impl Strategy<Value = f32> {
    prop_oneof![
        (-1000_i16..1000).prop_map(|q| f32::from(q) / 1000.0),
        -2.0_f32..2.0,
        any::<u32>().prop_map(f32::from_bits).prop_filter("a number", |number| !number.is_nan()),
    ]
}

fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        float().prop_map(f64::from),
        -2.0_f64..2.0,
        (-1000_i16..1000).prop_map(|q| f64::from(q) / 1000.0),
        any::<u64>().prop_map(f64::from_bits).prop_filter("a number", |number| !number.is_nan()),
    ]
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

fn vertices() -> impl Strategy<Value = Vertices> {
    let row = prop_oneof![
        [float(), float(), float(), float()].prop_map(|row| row.map(f64::from)).boxed(),
        [double(), double(), double(), double()].boxed(),
    ];
    let skin = prop_oneof![3 => Just(SkinId::NONE), 2 => Just(SkinId::QUATERNION), 8 => (0..9_u32).prop_map(SkinId), 1 => id().prop_map(SkinId)];
    vec((row, color(), skin), 0..40).prop_map(|rows| {
        let doubles: Vec<[f64; 4]> = rows.iter().map(|row| row.0).collect();
        let (coords, precise) = rounded(&doubles);
        let mut colors: Vec<Rgba8> = rows.iter().map(|row| row.1).collect();
        let mut skins: Vec<SkinId> = rows.iter().map(|row| row.2).collect();
        // A column in which nobody has anything is no column.
        if colors.iter().all(|&color| color == Rgba8::default()) {
            colors.clear();
        }
        if skins.iter().all(|skin| skin.is_none()) {
            skins.clear();
        }
        Vertices { coords: coords.into_iter().map(Vec4::from).collect(), precise, colors, skins }
    })
}

fn tex_coords() -> impl Strategy<Value = TexCoords> {
    vec([double(), double()], 0..9).prop_map(|rows| {
        let (uvs, precise) = rounded(&rows);
        TexCoords { uvs: uvs.into_iter().map(Vec2::from).collect(), precise }
    })
}

fn mesh() -> impl Strategy<Value = Mesh> {
    let polygon = (1_u8..=15, 0..16_u8).prop_flat_map(|(sides, parts)| {
        let column = move |bit: u8| vec(id(), if parts & bit != 0 { usize::from(sides) } else { 0 });
        let all = vec(id(), usize::from(sides));
        (Just((sides, parts)), all, column(1), column(2), column(4))
    });
    let step = prop_oneof![
        8 => polygon.prop_map(Ok),
        2 => (0..16_u8, bytes()).prop_map(Err),
    ];
    vec(step, 0..12).prop_map(|steps| {
        let mut mesh = Mesh::default();
        for step in steps {
            match step {
                Ok(((sides, parts), vertices, tex_coords, normals, maximums)) => {
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

fn material() -> impl Strategy<Value = Material> {
    let property = (any::<u8>(), color(), any::<u8>(), float(), bytes(), vec(any::<u8>(), 0..9)).prop_map(
        |(id, color, byte, number, name, other)| {
            let id = PropertyId(id);
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
    (bytes(), vec(property, 0..6)).prop_map(|(name, properties)| Material { name, properties })
}

fn arg(kind: ArgKind) -> BoxedStrategy<Arg> {
    match kind {
        ArgKind::Material => bytes().prop_map(Arg::Material).boxed(),
        ArgKind::Shape => id().prop_map(|id| Arg::Shape(ShapeId(id))).boxed(),
        ArgKind::TexCoord => id().prop_map(|id| Arg::TexCoord(TexCoordId(id))).boxed(),
        ArgKind::Vertex => id().prop_map(|id| Arg::Vertex(VertexId(id))).boxed(),
        ArgKind::Quaternion => id().prop_map(|id| Arg::Quaternion(VertexId(id))).boxed(),
        ArgKind::Coord | ArgKind::Length => double().prop_map(Arg::Coord).boxed(),
        ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => any::<i32>().prop_map(Arg::Int).boxed(),
        _ => unreachable!("a new kind"),
    }
}

fn shape() -> impl Strategy<Value = Shape> {
    let command = (0..42_u16, 0..4_usize, vec(any::<u8>(), 0..9)).prop_flat_map(|(number, rounds, other)| {
        let id = CommandId(number);
        let Some(kinds) = id.args() else {
            return Just(Command { id, args: vec![Arg::Other(other)] }).boxed();
        };
        let rounds = if id.is_variadic() { rounds } else { 1 };
        let args: Vec<BoxedStrategy<Arg>> = kinds.repeat(rounds).into_iter().map(arg).collect();
        args.prop_map(move |args| Command { id, args }).boxed()
    });
    (bytes(), id(), vec(command, 0..6)).prop_map(|(name, group, commands)| Shape {
        name,
        group: BoneId(group),
        commands,
    })
}

fn skeleton() -> impl Strategy<Value = (Vec<Bone>, Vec<Skin>, Vec<Action>)> {
    let bone = (id(), bytes(), id(), id()).prop_map(|(parent, name, position, orientation)| Bone {
        parent: BoneId(parent % 7),
        name,
        position: VertexId(position),
        orientation: VertexId(orientation),
    });
    let skin = vec((id(), any::<u8>(), any::<bool>()), 0..=8).prop_map(|parts| {
        let mut skin = Skin::default();
        for (place, (bone, weight, there)) in parts.into_iter().enumerate() {
            if there && weight != 0 {
                (skin.bones[place], skin.weights[place]) = (BoneId(bone), weight);
            }
        }
        skin
    });
    let transform = (id(), id(), id()).prop_map(|(bone, position, orientation)| Transform {
        bone: BoneId(bone),
        position: VertexId(position),
        orientation: VertexId(orientation),
    });
    let frame =
        (any::<u32>(), vec(transform, 0..5)).prop_map(|(time, transforms)| Frame { time, transforms });
    let action = (bytes(), any::<u32>(), vec(frame, 0..5)).prop_map(|(name, duration, frames)| Action {
        name,
        duration,
        frames,
    });
    (vec(bone, 0..9), vec(skin, 0..9), vec(action, 0..3))
}

fn voxels() -> impl Strategy<Value = (Vec<VoxelType>, Vec<VoxelBlock>)> {
    let item = (any::<u16>(), bytes()).prop_map(|(count, name)| VoxelItem { count, name });
    let kind = (color(), bytes(), any::<u8>(), 0..512_u16, id(), vec(item, 0..3)).prop_map(
        |(color, name, rotation, shape, skin, items)| VoxelType {
            color,
            name,
            rotation: rotation & !0x40,
            shape,
            skin: SkinId(skin),
            items,
        },
    );
    let block = (
        [0..5_u32, 0..5_u32, 0..5_u32],
        any::<[i32; 3]>(),
        any::<[u8; 2]>(),
        bytes(),
        vec(any::<u16>(), 0..130),
    )
        .prop_map(|(size, position, [uncertainty, group], name, voxels)| {
            let volume = size.iter().product::<u32>() as usize;
            let voxels =
                voxels.into_iter().map(|voxel| Voxel(if voxel % 3 == 0 { !(voxel & 1) } else { voxel }));
            VoxelBlock { name, position, size, uncertainty, group, voxels: voxels.take(volume).collect() }
        });
    (vec(kind, 0..4), vec(block, 0..3))
}

fn model() -> impl Strategy<Value = Model> {
    let label = (id(), bytes()).prop_map(|(vertex, text)| Label { vertex: VertexId(vertex), text });
    let group = (bytes(), bytes(), color(), vec(label, 0..4))
        .prop_map(|(name, language, color, labels)| LabelGroup { name, language, color, labels });
    let asset = (bytes(), vec(any::<u8>(), 0..70)).prop_map(|(name, data)| Asset { name, data });
    let extra =
        (any::<[u8; 4]>(), vec(any::<u8>(), 0..70)).prop_map(|(tag, data)| Extra { tag: Tag(tag), data });
    let small = (
        proptest::option::of(vec(any::<u8>(), 0..70)),
        vec(bytes().prop_map(|script| Procedural { script }), 0..3),
        vec(group, 0..3),
        vec(asset, 0..3),
        vec(extra, 0..3),
    );
    let head = ([bytes(), bytes(), bytes(), bytes()], float());
    let geometry = (tex_coords(), vertices(), vec(mesh(), 0..3), vec(material(), 0..3), vec(shape(), 0..3));
    (head, geometry, skeleton(), voxels(), small).prop_map(|(head, geometry, skeleton, voxels, small)| {
        let ([name, license, author, description], scale) = head;
        let (tex_coords, vertices, meshes, materials, shapes) = geometry;
        let (bones, skins, actions) = skeleton;
        let (voxel_types, voxel_blocks) = voxels;
        let (preview, procedurals, labels, assets, extras) = small;
        Model {
            name,
            license,
            author,
            description,
            scale,
            preview,
            tex_coords,
            vertices,
            bones,
            skins,
            materials,
            procedurals,
            meshes,
            voxel_types,
            voxel_blocks,
            shapes,
            labels,
            actions,
            assets,
            extras,
            layout: Layout::default(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn written_and_read_it_is_what_it_was(model in model(), crlf in any::<bool>()) {
        let mut laid = model.clone();
        if crlf {
            // A text with other line ends, by way of a layout that was read.
            laid.layout.text = m3d::from_str("3dmodel 1\r\n\r\n\r\n\r\n\r\n").expect("a text").layout.text;
        }
        let text = to_string(&laid).expect("it can be said");
        let again = from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        prop_assert_eq!(to_string(&again).expect("and again"), text.clone());
        let again = Model { layout: Layout::default(), ..again };
        prop_assert_eq!(&again, &model, "{}", text);
        // -0 is not 0.
        let bits = |model: &Model| {
            model.vertices.coords.iter().flat_map(|c| c.to_array()).map(f32::to_bits).collect::<Vec<_>>()
        };
        prop_assert_eq!(bits(&again), bits(&model));
    }
}
