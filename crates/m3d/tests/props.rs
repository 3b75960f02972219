//! Generated models: written and read, they are what they were.
#![allow(clippy::unwrap_used, reason = "generators of what is known to be there")]

use m3d::bstr::BString;
use m3d::geom::{Rgba8, Vec2, Vec4};
use m3d::*;
use proptest::collection::vec;
use proptest::prelude::*;

fn name() -> impl Strategy<Value = BString> {
    prop_oneof![
        2 => Just(BString::default()),
        6 => "[a-z_:.]{1,12}".prop_map(BString::from),
        1 => vec(1_u8..=255, 1..8).prop_map(BString::from),
    ]
}

/// An index into a list of so many, none, or one that no list has.
fn id(count: usize) -> impl Strategy<Value = u32> {
    let count = u32::try_from(count).unwrap().max(1);
    prop_oneof![12 => 0..count, 1 => Just(u32::MAX), 1 => 0_u32..70_000]
}

fn color() -> impl Strategy<Value = Rgba8> {
    prop_oneof![
        Just(Rgba8::default()),
        Just(Rgba8::new(255, 0, 0, 255)),
        any::<[u8; 4]>().prop_map(Rgba8::from)
    ]
}

fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        (-128_i8..=127).prop_map(|q| f32::from(q) / 127.0),
        any::<i16>().prop_map(|q| f32::from(q) / 32767.0),
        -2.0_f32..2.0,
    ]
}

fn vertices() -> impl Strategy<Value = Vertices> {
    (0..300_usize, any::<bool>(), any::<bool>(), 0..3_u8).prop_flat_map(|(count, colored, skinned, exact)| {
        let value = match exact {
            0 => (-128_i8..=127).prop_map(|q| f32::from(q) / 127.0).boxed(),
            1 => any::<i16>().prop_map(|q| f32::from(q) / 32767.0).boxed(),
            _ => coordinate().boxed(),
        };
        let coords = vec([value.clone(), value.clone(), value.clone(), value].prop_map(Vec4::from), count);
        let colors = vec(color(), if colored { count } else { 0 });
        let skins = vec(
            prop_oneof![Just(SkinId::NONE), Just(SkinId::QUATERNION), id(9).prop_map(SkinId)],
            if skinned { count } else { 0 },
        );
        (coords, colors, skins, any::<bool>()).prop_map(|(coords, mut colors, mut skins, precise)| {
            // A column in which nobody has anything is no column.
            if colors.iter().all(|&color| color == Rgba8::default()) {
                colors.clear();
            }
            if skins.iter().all(|skin| skin.is_none()) {
                skins.clear();
            }
            let doubles = |coord: &Vec4| coord.to_array().map(|value| f64::from(value) * (1.0 + 1e-12));
            let mut all = Vertices { precise: Vec::new(), coords, colors, skins };
            if precise && all.coords.iter().any(|coord| coord.to_array().iter().any(|&value| value != 0.0)) {
                all.precise = all.coords.iter().map(doubles).collect();
            }
            all
        })
    })
}

fn mesh(count: usize) -> impl Strategy<Value = Mesh> {
    let polygon = (1_usize..=15, 0..8_u8).prop_flat_map(move |(sides, parts)| {
        let column = |bit: u8| vec(id(count), if parts & bit != 0 { sides } else { 0 });
        (vec(id(count), sides), column(1), column(2), column(4)).boxed()
    });
    let step = prop_oneof![
        8 => polygon.prop_map(Some).prop_map(|polygon| (polygon, 0, BString::default())),
        1 => (0..16_u8, name()).prop_map(|(kind, name)| (None, kind, name)),
    ];
    vec(step, 0..20).prop_map(|steps| {
        let mut mesh = Mesh::default();
        for (polygon, kind, name) in steps {
            match (polygon, kind) {
                (Some((vertices, tex_coords, normals, maximums)), _) => {
                    let ids = |ids: Vec<u32>| ids.into_iter().map(VertexId).collect::<Vec<_>>();
                    let tex_coords: Vec<TexCoordId> = tex_coords.into_iter().map(TexCoordId).collect();
                    mesh.push(Corners {
                        vertices: &ids(vertices),
                        tex_coords: &tex_coords,
                        normals: &ids(normals),
                        maximums: &ids(maximums),
                    })
                    .unwrap();
                }
                (None, 0) => mesh.use_material(name),
                (None, 1) => mesh.use_parameter(name),
                (None, kind) => mesh.records.push(MeshRecord::Property(kind, name)),
            }
        }
        mesh
    })
}

fn material() -> impl Strategy<Value = Material> {
    let property = (0..PropertyId::ALL.len(), color(), any::<u8>(), coordinate(), name()).prop_map(
        |(place, color, byte, number, name)| {
            let id = PropertyId::ALL[place];
            let value = match id.kind().unwrap() {
                PropertyKind::Color => Value::Color(color),
                PropertyKind::Float => Value::Float(number),
                PropertyKind::Byte => Value::Byte(byte),
                PropertyKind::Map => Value::Map(name),
                _ => unreachable!("a new kind"),
            };
            Property { id, value }
        },
    );
    let other =
        vec(any::<u8>(), 0..9).prop_map(|bytes| Property { id: PropertyId(99), value: Value::Other(bytes) });
    (name(), vec(property, 0..6), proptest::option::of(other)).prop_map(|(name, mut properties, other)| {
        properties.extend(other);
        Material { name, properties }
    })
}

fn command(count: usize) -> impl Strategy<Value = Command> {
    let known = (0..38_u16, 0..4_usize).prop_flat_map(move |(number, rounds)| {
        let id = CommandId(number);
        let rounds = if id.is_variadic() { rounds } else { 1 };
        let kinds: Vec<ArgKind> = id.args().unwrap().repeat(rounds);
        let args: Vec<BoxedStrategy<Arg>> = kinds.into_iter().map(|kind| arg(kind, count)).collect();
        args.prop_map(move |args| Command { id, args })
    });
    known.boxed()
}

fn arg(kind: ArgKind, count: usize) -> BoxedStrategy<Arg> {
    let small = prop_oneof![0..254_i32, -2..0_i32];
    match kind {
        ArgKind::Material => name().prop_map(Arg::Material).boxed(),
        ArgKind::Shape => id(3).prop_map(|id| Arg::Shape(ShapeId(id))).boxed(),
        ArgKind::TexCoord => id(count).prop_map(|id| Arg::TexCoord(TexCoordId(id))).boxed(),
        ArgKind::Vertex => id(count).prop_map(|id| Arg::Vertex(VertexId(id))).boxed(),
        ArgKind::Quaternion => id(count).prop_map(|id| Arg::Quaternion(VertexId(id))).boxed(),
        ArgKind::Coord | ArgKind::Length => {
            prop_oneof![(-128_i8..=127).prop_map(|q| f64::from(f32::from(q) / 127.0)), -2.0_f64..2.0]
                .prop_map(Arg::Coord)
                .boxed()
        }
        ArgKind::Int1 | ArgKind::Int2 => small.prop_map(Arg::Int).boxed(),
        ArgKind::Int4 => any::<i32>().prop_map(Arg::Int).boxed(),
        _ => unreachable!("a new kind"),
    }
}

fn skeleton(count: usize) -> impl Strategy<Value = (Vec<Bone>, Vec<Skin>, Vec<Action>)> {
    let bone = (id(4), name(), id(count), id(count)).prop_map(|(parent, name, position, orientation)| Bone {
        parent: BoneId(parent),
        name,
        position: VertexId(position),
        orientation: VertexId(orientation),
    });
    let skin = (1..=8_usize)
        .prop_flat_map(|most| vec((0..4_u32, any::<u8>()), 0..=most))
        .prop_map(|parts| Skin::new(parts.into_iter().map(|(bone, weight)| (BoneId(bone), weight))));
    let transform = (id(4), id(count), id(count)).prop_map(|(bone, position, orientation)| Transform {
        bone: BoneId(bone),
        position: VertexId(position),
        orientation: VertexId(orientation),
    });
    let frame =
        (any::<u32>(), vec(transform, 0..5)).prop_map(|(time, transforms)| Frame { time, transforms });
    let action = (name(), any::<u32>(), vec(frame, 0..5)).prop_map(|(name, duration, frames)| Action {
        name,
        duration,
        frames,
    });
    (vec(bone, 0..5), vec(skin, 0..9), vec(action, 0..3))
}

fn voxels() -> impl Strategy<Value = (Vec<VoxelType>, Vec<VoxelBlock>)> {
    let item = (any::<u16>(), name()).prop_map(|(count, name)| VoxelItem { count, name });
    let kind = (color(), name(), any::<u8>(), 0..512_u16, id(9), vec(item, 0..3)).prop_map(
        |(color, name, rotation, shape, skin, items)| VoxelType {
            color,
            name,
            rotation: rotation & !0x40,
            shape,
            skin: SkinId(skin),
            items,
        },
    );
    let voxel = prop_oneof![
        Just(Voxel::UNSET),
        Just(Voxel::CLEAR),
        (0..3_u16).prop_map(Voxel),
        (0..400_u16).prop_map(Voxel)
    ];
    let block = ([0..9_u32, 0..9_u32, 0..9_u32], any::<[i16; 3]>(), any::<[u8; 2]>(), name()).prop_flat_map(
        move |(size, position, [uncertainty, group], name)| {
            let volume = size.iter().product::<u32>() as usize;
            vec((voxel.clone(), 1..200_usize), 0..20).prop_map(move |runs| {
                let all = runs.into_iter().flat_map(|(voxel, count)| std::iter::repeat_n(voxel, count));
                VoxelBlock {
                    name: name.clone(),
                    position: position.map(i32::from),
                    size,
                    uncertainty,
                    group,
                    voxels: all.take(volume).collect(),
                }
            })
        },
    );
    (vec(kind, 0..4), vec(block, 0..3))
}

fn others(count: usize) -> impl Strategy<Value = (Vec<LabelGroup>, Vec<Asset>, Vec<Extra>, Vec<Procedural>)> {
    let label = (id(count), name()).prop_map(|(vertex, text)| Label { vertex: VertexId(vertex), text });
    let group = (name(), name(), color(), vec(label, 0..4))
        .prop_map(|(name, language, color, labels)| LabelGroup { name, language, color, labels });
    let asset = (name(), vec(any::<u8>(), 0..30)).prop_map(|(name, data)| Asset { name, data });
    let extra = ("[a-z]{4}", vec(any::<u8>(), 0..30))
        .prop_map(|(tag, data)| Extra { tag: Tag(tag.as_bytes().try_into().unwrap()), data });
    let procedural = name().prop_map(|script| Procedural { script });
    (vec(group, 0..3), vec(asset, 0..3), vec(extra, 0..3), vec(procedural, 0..3))
}

fn model() -> impl Strategy<Value = Model> {
    (vertices(), vec([coordinate(), coordinate()].prop_map(Vec2::from), 0..300)).prop_flat_map(
        |(vertices, uvs)| {
            let count = vertices.len();
            let shape = (name(), id(3), vec(command(count), 0..8)).prop_map(|(name, group, commands)| Shape {
                name,
                group: BoneId(group),
                commands,
            });
            let parts = (
                vec(mesh(count), 0..3),
                vec(material(), 0..4),
                vec(shape, 0..3),
                skeleton(count),
                voxels(),
                others(count),
            );
            let head = ([name(), name(), name(), name()], -1.0_f32..100.0, proptest::option::of(vec(any::<u8>(), 0..50)));
            (Just(vertices), Just(uvs), parts, head).prop_map(|(vertices, uvs, parts, head)| {
                let (meshes, materials, shapes, (bones, skins, actions), (voxel_types, voxel_blocks), others) = parts;
                let (labels, assets, extras, procedurals) = others;
                let ([name, license, author, description], scale, preview) = head;
                Model {
                    name,
                    license,
                    author,
                    description,
                    scale,
                    preview,
                    tex_coords: TexCoords { uvs, precise: Vec::new() },
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
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn written_and_read_is_the_same(model in model(), raw in any::<bool>()) {
        let bytes = WriteOptions::new().raw(raw).write(&model).unwrap();
        let mut read = m3d::from_slice(&bytes).unwrap();
        // And what was read comes back byte for byte.
        prop_assert_eq!(WriteOptions::new().raw(raw).write(&read).unwrap(), bytes);
        read.layout = Layout::default();
        prop_assert_eq!(read, model);
    }

    #[test]
    fn nothing_panics_on_a_model_that_makes_no_sense(model in model(), time in -10.0_f32..1e6) {
        let _findings = m3d::check(&model);
        prop_assert!(model.to_tri_mesh().unwrap().is_consistent());
        for action in &model.actions {
            let matrices = model.skinning_matrices(&model.pose(action, time));
            prop_assert_eq!(matrices.len(), model.bones.len());
        }
    }
}
