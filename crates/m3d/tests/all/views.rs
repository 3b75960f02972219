//! Views of a model for programs: in metres, with v downwards, and moved by bones. The expected values are known from
//! pictures of the real files, from the format, and from numbers that were computed without this crate.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "known models"
)]

use m3d::geom::{Mat4, Quat, Rgba8, TriMesh, Vec2, Vec3, Vec4};
use m3d::{
    Action, AfterLast, Arg, Bone, BoneId, Builder, Command, CommandId, Corners, Frame, Group, Material, Mesh,
    Model, PropertyId, Shape, Skin, SkinId, Transform, Value, Variant, VertexId, Voxel, VoxelBlock,
    VoxelType, WriteOptions,
};
use testkit::corpus;

/// A real model; `None` if the real files are missing.
fn real(name: &str) -> Option<Model> {
    let samples = corpus("m3d");
    let sample = samples.iter().find(|sample| sample.name.ends_with(name));
    assert!(sample.is_some() || samples.is_empty(), "{name} is not among the real files");
    Some(m3d::from_slice(&sample?.bytes).expect("a real file"))
}

/// The pixels of a PNG with eight bits per channel or with a palette, as red, green and blue.
struct Image {
    width: usize,
    pixels: Vec<[u8; 3]>,
}

impl Image {
    fn new(png: &[u8]) -> Self {
        let (mut head, mut palette, mut stream): (&[u8], &[u8], Vec<u8>) = (&[], &[], Vec::new());
        let mut rest = &png[8..];
        while let Some((len, more)) = rest.split_first_chunk::<4>() {
            let len = u32::from_be_bytes(*len) as usize;
            let (tag, data) = (&more[..4], &more[4..4 + len]);
            match tag {
                b"IHDR" => head = data,
                b"PLTE" => palette = data,
                b"IDAT" => stream.extend_from_slice(data),
                _ => {}
            }
            rest = &more[4 + len + 4..];
        }
        let side = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().expect("four bytes")) as usize;
        let (width, height) = (side(0), side(4));
        let bytes = match head[8..10] {
            [8, 3] => 1,
            [8, 2] => 3,
            [8, 6] => 4,
            ref kind => panic!("a PNG of kind {kind:?}"),
        };
        let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&stream).expect("a stream");
        let mut last = vec![0; width * bytes];
        let mut pixels = Vec::new();
        for line in lines.chunks_exact(width * bytes + 1).take(height) {
            let mut now = line[1..].to_vec();
            for at in 0..now.len() {
                let left = if at < bytes { 0 } else { now[at - bytes] };
                let corner = if at < bytes { 0 } else { last[at - bytes] };
                let up = last[at];
                let (a, b, c) = (i32::from(left), i32::from(up), i32::from(corner));
                let paeth = [(a, left), (b, up), (c, corner)]
                    .into_iter()
                    .min_by_key(|&(value, _)| (a + b - c - value).abs())
                    .map_or(0, |(_, byte)| byte);
                let add = [0, left, up, ((a + b) / 2).to_le_bytes()[0], paeth][usize::from(line[0])];
                now[at] = now[at].wrapping_add(add);
            }
            pixels.extend(now.chunks_exact(bytes).map(|pixel| {
                let color = if bytes == 1 { &palette[usize::from(pixel[0]) * 3..] } else { pixel };
                [color[0], color[1], color[2]]
            }));
            last = now;
        }
        Self { width, pixels }
    }

    /// The texel at these coordinates; the first row of the image is at v = 0.
    fn at(&self, uv: Vec2) -> [u8; 3] {
        let height = self.pixels.len() / self.width;
        let place = |part: f32, len: usize| ((part * len as f32) as usize).min(len - 1);
        self.pixels[place(uv.y, height) * self.width + place(uv.x, self.width)]
    }
}

/// The colour that is seen from far away at a point, looking along a direction.
fn look(group: &Group, image: &Image, through: Vec3, direction: Vec3) -> Option<[u8; 3]> {
    let mesh = &group.mesh;
    let hits = mesh.triangles.iter().filter_map(|triangle| {
        let [a, b, c] = triangle.map(|index| mesh.positions[index as usize]);
        let normal = (b - a).cross(c - a);
        let facing = normal.dot(direction);
        if facing == 0.0 {
            return None;
        }
        let distance = normal.dot(a - through) / facing;
        let hit = through + direction * distance;
        let area = normal.dot(normal);
        let part = |p: Vec3, q: Vec3| (q - p).cross(hit - p).dot(normal) / area;
        let [wa, wb, wc] = [part(b, c), part(c, a), part(a, b)];
        let [ua, ub, uc] = triangle.map(|index| mesh.uvs[index as usize]);
        let uv = Vec2::new(ua.x * wa + ub.x * wb + uc.x * wc, ua.y * wa + ub.y * wb + uc.y * wc);
        [wa, wb, wc].iter().all(|&weight| weight >= -1e-5).then_some((distance, uv))
    });
    hits.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, uv)| image.at(uv))
}

/// The gull must have an orange beak, white feathers on its head and dark wing tips.
#[test]
fn the_picture_of_the_seagull_is_upright() {
    let Some(model) = real("seagull.m3d") else { return };
    let groups = model.material_groups().unwrap();
    let image = Image::new(model.texture(groups[0].material, PropertyId::DIFFUSE).expect("a texture"));
    let (front, down) = (Vec3::new(0.0, 0.0, -1.0), Vec3::new(0.0, -1.0, 0.0));
    let beak = look(&groups[0], &image, Vec3::new(0.2, 5.1, 0.0), front).expect("the beak");
    assert!(beak[0] > 140 && beak[1] < 140 && beak[2] < 60, "an orange beak: {beak:?}");
    for x in [77.5, -77.5] {
        let tip = look(&groups[0], &image, Vec3::new(x, 0.0, 2.0), down).expect("the tip of a wing");
        assert!(tip.iter().all(|&part| part < 130), "a dark tip: {tip:?}");
    }
    let neck = look(&groups[0], &image, Vec3::new(0.0, 0.0, 22.0), down).expect("the neck");
    assert!(neck.iter().all(|&part| part > 200), "white feathers: {neck:?}");
}

/// The nose of the viper must be red, and the sides of its hull grey.
#[test]
fn the_picture_of_the_viper_is_upright() {
    let Some(model) = real("viper.m3d") else { return };
    let groups = model.material_groups().unwrap();
    let image = Image::new(model.texture(groups[0].material, PropertyId::DIFFUSE).expect("a texture"));
    let front = Vec3::new(0.0, 0.0, -1.0);
    let mut seen = 0;
    for (x, y) in [(10.0, 477.0), (-10.0, 474.0), (22.0, 474.0), (-21.0, 477.0), (0.0, 480.0)] {
        let Some([r, g, b]) = look(&groups[0], &image, Vec3::new(x, y, 0.0), front) else { continue };
        assert!(r > 80 && r > g + 40 && r > b + 40, "a red cowling at {x}, {y}: {r}, {g}, {b}");
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} of the points are on the cowling");
    let side = look(&groups[0], &image, Vec3::new(960.0, 9.0, -1250.0), Vec3::new(-1.0, 0.0, 0.0));
    let [r, g, b] = side.expect("the side of the hull");
    assert!(r.abs_diff(g) < 12 && g.abs_diff(b) < 12 && r > 150, "grey: {r}, {g}, {b}");
}

/// A square with a texture: v is 0 at its lower edge in the file.
const PICTURE: &str = "3dmodel 2\npicture\nMIT\nme\n\nTextmap\n0 0\n1 0\n1 1\n0 0.75\n\nVertex\n\
    0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 0 1\n\nMesh\n0/0 1/1 2/2 3/3\n\nEnd\n";

#[test]
fn v_grows_downwards_in_every_view() {
    let model = m3d::from_str(PICTURE).unwrap();
    // The model contains the numbers of the file.
    assert_eq!(model.tex_coords.uvs[2], Vec2::new(1.0, 1.0));
    let mesh = model.to_tri_mesh().unwrap();
    assert_eq!(mesh.positions[2], Vec3::new(2.0, 2.0, 0.0));
    assert_eq!(mesh.uvs, [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.25]].map(Vec2::from));
    assert_eq!(model.material_groups().unwrap()[0].mesh.uvs, mesh.uvs);
    // In the other direction, v downwards becomes v upwards in the file.
    let built = Model::from_tri_mesh(&mesh).unwrap();
    assert_eq!(built.tex_coords.uvs, model.tex_coords.uvs);
    assert_eq!(built.to_tri_mesh().unwrap(), mesh);
}

/// A ball, a spline, a bone that moves by its length, a voxel and a label, with a coordinate of 1 at 4 metres.
const METRES: &str = "3dmodel 4\nunits\nMIT\nme\n\nVertex\n0 0 0 1\n1 0 0 1\n0 0.5 0 1\n0 0 0 1\n\n\
    Bones\n1 3 arm\n\nVoxTypes\n#ff0000ff\n\nVoxel\ndim 2 1 1\nlayer\n0 .\n\n\
    Shape ball\ndiv 8\nshpere 2 0.25\nlen 0.25\nbez1 2[ 0 1 ]\n\nLabels l\n2 here\n\nAction 1000 go\nframe 0\n0 2 3\n\nEnd\n";

#[test]
fn everything_is_in_metres() {
    let text = m3d::from_str(METRES).unwrap();
    let binary = WriteOptions::new().variant(Variant::Binary).write(&text).unwrap();
    for model in [text, m3d::from_slice(&binary).unwrap()] {
        assert_eq!(model.bind_pose().bones[0].position, Vec3::new(4.0, 0.0, 0.0));
        assert_eq!(model.bone_matrices(&model.bind_pose())[0].translation(), Vec3::new(4.0, 0.0, 0.0));
        let go = model.action("go").expect("an action");
        assert_eq!(model.pose(go, 0.0).bones[0].position, Vec3::new(0.0, 2.0, 0.0));
        assert_eq!(model.inverse_bind_matrices()[0].translation(), Vec3::new(-4.0, 0.0, 0.0));
        let still = model.skinning_matrices(&model.bind_pose());
        assert_eq!(model.skinned_position(VertexId(1), &still), Some(Vec3::new(4.0, 0.0, 0.0)));
        assert_eq!(model.voxel_size(), 2.0);
        let bounds = model.voxel_mesh().unwrap().bounds().expect("a cube");
        assert_eq!((bounds.min, bounds.max), (Vec3::default(), Vec3::new(2.0, 2.0, 2.0)));
        let label = model.annotations().next().expect("a label");
        assert_eq!((label.position, label.text), (Some(Vec3::new(0.0, 2.0, 0.0)), "here".into()));
        assert_eq!(label.color, None);
        let scene = model.scene().unwrap();
        assert_eq!(scene.groups.len(), 0);
        assert_eq!(Some(bounds), scene.voxels.bounds());
    }
}

#[test]
fn builders_take_metres() {
    let mut builder = Builder::new();
    let center = builder.point(Vec3::new(0.0, 8.0, 0.0));
    let weighted = builder.control_point(Vec3::new(4.0, 0.0, 0.0), 0.5);
    let range = builder.numbers([0.0, 0.25]);
    let still = builder.quaternion(Quat::IDENTITY);
    let command = |id, args| Command { id, args };
    builder.model.bones.push(Bone { position: center, orientation: still, ..Bone::default() });
    builder.model.shapes.push(Shape {
        commands: vec![
            command(CommandId::DIVIDE, vec![Arg::Coord(12.0)]),
            command(CommandId::SPHERE, vec![Arg::Vertex(center), Arg::Coord(2.0)]),
            command(CommandId::RANGE_U, vec![Arg::TexCoord(range)]),
            command(CommandId::LENGTH, vec![Arg::Coord(1.0)]),
            command(CommandId::BEZIER_1, vec![Arg::Vertex(center), Arg::Vertex(weighted)]),
        ],
        ..Shape::default()
    });
    let model = builder.finish();
    assert_eq!(model.scale, 8.0);
    // A length is relative to the bounding cube, a count is not.
    let args = |index: usize| &model.shapes[0].commands[index].args;
    assert_eq!((&args(0)[0], &args(1)[1]), (&Arg::Coord(12.0), &Arg::Coord(0.25)));
    assert_eq!(model.tex_coords.uvs, [Vec2::new(0.0, 0.25)]);
    assert_eq!(model.vertices.coords[1], Vec4::new(0.5, 0.0, 0.0, 0.5));
    assert_eq!(model.bind_pose().bones[0].position, Vec3::new(0.0, 8.0, 0.0));
}

/// As the SDK does, the builder scales all points to fill the cube, also by a bone or an action outside the surface.
#[test]
fn bones_outside_the_surface() {
    for in_action in [false, true] {
        let mut builder = Builder::new();
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, y]| builder.point(Vec3::new(x, y, 0.0)));
        let (near, far) = (corners[0], builder.point(Vec3::new(0.0, 8.0, 0.0)));
        let still = builder.quaternion(Quat::IDENTITY);
        let mut mesh = Mesh::default();
        mesh.push(Corners { vertices: &corners, ..Corners::default() }).expect("a triangle");
        builder.model.meshes.push(mesh);
        let position = if in_action { near } else { far };
        builder.model.bones.push(Bone { name: "b".into(), position, orientation: still, ..Bone::default() });
        let transform = m3d::Transform { bone: BoneId(0), position: far, orientation: still };
        let frame = Frame { transforms: vec![transform], ..Frame::default() };
        builder.model.actions.push(Action { name: "a".into(), duration: 100, frames: vec![frame] });
        let model = builder.finish();
        assert_eq!(model.scale, 8.0);
        let found = m3d::check(&model);
        assert!(!found.iter().any(|found| found.rule.id == "m3d.cube-filled"), "{found:?}");
    }
}

/// Whether a matrix is near these rows of the SDK, which have the translation at their ends.
fn near(matrix: Mat4, rows: [[f32; 4]; 3], allowed: f32) -> bool {
    let ours = matrix.to_rows();
    ours.iter().zip(rows.as_flattened()).all(|(a, b)| (a - b).abs() < allowed)
}

/// The matrix with its translation in units of the bounding cube.
fn in_units(matrix: Mat4, model: &Model) -> Mat4 {
    Mat4::from_parts(matrix.linear(), matrix.translation() * (1.0 / model.scale_or_one()))
}

#[test]
fn the_skeleton_of_the_seagull() {
    let Some(model) = real("seagull.m3d") else { return };
    // The SDK's inverse bind matrix of bone 2, from the quaternions as they are stored.
    let stored = model.bone_matrices(&model.bind_pose())[2].inverse().expect("an inverse");
    let rows = [
        [0.0265988, 0.0, 0.995029, -0.1124966],
        [0.0, 1.0, 0.0, -0.2047244],
        [-0.995029, 0.0, 0.0265988, -0.1911786],
    ];
    // The SDK transposes the rotation, which is only the inverse for a unit quaternion; the error is 1 % here.
    assert!(near(in_units(stored, &model), rows, 0.012), "{stored:?}");
    // Computed from unit quaternions, as glTF requires: in columns, in metres.
    let inverse = model.inverse_bind_matrices()[2].to_columns();
    let known = [
        0.0222195, 0.0, -0.999753, 0.0, 0.0, 1.0, 0.0, 0.0, 0.999753, 0.0, 0.0222195, 0.0, -9.53406,
        -17.1393, -16.0367, 1.0,
    ];
    for (ours, known) in inverse.iter().zip(known) {
        assert!((ours - known).abs() < 2e-4, "{inverse:?}");
    }
    let world = model.bone_matrices(&model.bind_pose().normalized())[2];
    let rows = [
        [0.022219, 0.0, -0.999753, -0.188976],
        [0.0, 1.0, 0.0, 0.204724],
        [0.999753, 0.0, 0.022219, 0.118110],
    ];
    assert!(near(in_units(world, &model), rows, 2e-6), "{world:?}");
}

#[test]
fn the_flight_of_the_seagull() {
    let Some(model) = real("seagull.m3d") else { return };
    let action = &model.actions[0];
    assert_eq!((action.duration, action.frames.len()), (1041, 11));
    let near = |a: &[f32], b: &[f32], allowed: f32| a.iter().zip(b).all(|(a, b)| (a - b).abs() < allowed);
    for (time, position, slerp, sdk) in [
        (0.0, [0.188976, 0.055118, 0.015748], [0.0, 0.714919, 0.0, 0.699207], [0.0, 0.716535, 0.0, 0.700787]),
        (
            100.0,
            [0.188976, 0.030886, 0.015748],
            [0.024144, 0.714503, -0.024144, 0.698799],
            [0.024125, 0.713385, -0.024125, 0.697706],
        ),
        (
            700.0,
            [0.188976, 0.084607, 0.012815],
            [-0.226590, 0.679004, 0.218672, 0.663168],
            [-0.226040, 0.677921, 0.218135, 0.662111],
        ),
    ] {
        let bone = model.pose(action, time).bones[2];
        let units = (bone.position * (1.0 / model.scale)).to_array();
        assert!(near(&units, &position, 2e-6), "{time}: {units:?}");
        assert!(near(&bone.orientation.to_array(), &sdk, 2e-3), "{time}: {bone:?}");
        if time > 0.0 {
            assert!(near(&bone.orientation.to_array(), &slerp, 2e-6), "{time}: {bone:?}");
        }
        let unit = model.pose(action, time).normalized().bones[2].orientation;
        assert!(near(&unit.to_array(), &slerp, 2e-6), "{time}: {unit:?}");
    }
    let start = model.pose(action, 0.0).bones[2].position.to_array();
    assert!(near(&start, &[15.8209, 4.61443, 1.31841], 1e-4), "{start:?}");
}

/// As in the SDK, a quaternion in steps of 1/127 stays unchanged between two frames that both have it.
#[test]
fn a_bone_that_does_not_turn_keeps_its_quaternion() {
    let stored = [0.0, 90.0 / 127.0, 0.0, 90.0 / 127.0];
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::default(), Vec4::from(stored), Vec4::new(1.0, 0.0, 0.0, 1.0)];
    model.bones = vec![Bone { position: VertexId(0), orientation: VertexId(1), ..Bone::default() }];
    let transform = m3d::Transform { bone: BoneId(0), position: VertexId(2), orientation: VertexId(1) };
    let frames = vec![m3d::Frame { time: 1000, transforms: vec![transform] }];
    let slide = m3d::Action { name: "slide".into(), duration: 1000, frames };
    let bone = model.pose(&slide, 500.0).bones[0];
    assert_eq!((bone.position.x, bone.orientation.to_array()), (0.5, stored));
}

#[test]
fn after_the_last_frame_the_sdk_jumps_to_the_first() {
    let Some(model) = real("CesiumMan.m3d") else { return };
    let pose = model.pose_with(&model.actions[0], 1900.0, AfterLast::Wrap);
    let ours = pose.bones[5].orientation.to_array();
    // A unit quaternion from the SDK's approximation, whose error is 0.002.
    let known = [0.790950, -0.466661, -0.055367, 0.387566];
    assert!(ours.iter().zip(known).all(|(a, b)| (a - b).abs() < 2e-3), "{ours:?}");
}

/// For the SDK, (0, 0, 0.7071068, 0) is a reflection in the origin.
#[test]
fn the_mirror_quaternion() {
    let mut model = Model::default();
    model.vertices.coords =
        vec![Vec4::new(1.0, 2.0, 3.0, 1.0), Vec4::new(0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2, 0.0)];
    model.bones = vec![Bone { position: VertexId(0), orientation: VertexId(1), ..Bone::default() }];
    for pose in [model.bind_pose(), model.bind_pose().normalized()] {
        let matrix = model.bone_matrices(&pose)[0];
        assert_eq!(matrix.transform_point(Vec3::new(1.0, 1.0, 1.0)), Vec3::new(0.0, 1.0, 2.0));
    }
}

/// A vertex with eight bones, one with a bone that does not exist, and one without bones.
fn skinned() -> Model {
    let mut model = Model { scale: 1.0, ..Model::default() };
    model.vertices.coords = (0..3_u8).map(|n| Vec4::new(f32::from(n), f32::from(n & 1), 0.0, 1.0)).collect();
    model.vertices.skins = vec![SkinId(0), SkinId(1), SkinId::NONE];
    let eight = (0..8_u32).zip([10_u8, 20, 30, 40, 50, 60, 20, 10]);
    model.skins = vec![
        Skin::new(eight.map(|(bone, weight)| (BoneId(bone), weight))),
        Skin::new([(BoneId(3), 100), (BoneId(99), 155)]),
    ];
    model.bones = vec![Bone::default(); 8];
    let mut mesh = Mesh::default();
    mesh.use_material("skin");
    mesh.push(Corners { vertices: &[0, 1, 2].map(VertexId), ..Corners::default() }).unwrap();
    model.meshes.push(mesh);
    model
}

#[test]
fn groups_have_what_moves_them() {
    let model = skinned();
    let groups = model.material_groups().unwrap();
    let Group { mesh, vertices, name, material, .. } = &groups[0];
    assert!(mesh.is_consistent() && name == "skin" && material.is_none());
    assert_eq!(*vertices, [0, 1, 2].map(VertexId));
    // The four greatest weights of eight, scaled so that their sum is 1.
    assert_eq!(mesh.joints[0], [5, 4, 3, 2]);
    assert_eq!(mesh.weights[0], [60.0, 50.0, 40.0, 30.0].map(|weight: f32| weight / 180.0));
    assert_eq!((mesh.joints[1], mesh.weights[1]), ([3, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    assert_eq!((mesh.joints[2], mesh.weights[2]), ([0; 4], [0.0; 4]));
    // All eight influences.
    let all: Vec<(BoneId, f32)> = model.influences(VertexId(0)).collect();
    assert_eq!(all.len(), 8);
    assert!((all.iter().map(|(_, weight)| weight).sum::<f32>() - 1.0).abs() < 1e-6);
    assert!((all[7].1 - 10.0 / 240.0).abs() < 1e-6);
    assert_eq!(model.influences(VertexId(2)).count(), 0);
    // A single mesh for all materials has no joints.
    assert!(model.to_tri_mesh().unwrap().joints.is_empty());
}

#[test]
fn real_skins_move_what_they_should() {
    for name in ["CesiumMan.m3d", "seagull.m3d", "aliveai_character.m3d", "mobs_dwarves_character.m3d"] {
        let Some(model) = real(name) else { return };
        let groups = model.material_groups().unwrap();
        let action = &model.actions[0];
        let matrices = model.skinning_matrices(&model.pose(action, action.duration as f32 / 2.0));
        let mut moved = 0;
        for group in &groups {
            assert!(group.mesh.is_consistent() && !group.mesh.joints.is_empty(), "{name}");
            for (index, &id) in group.vertices.iter().enumerate() {
                let (joints, weights) = (group.mesh.joints[index], group.mesh.weights[index]);
                let position = group.mesh.positions[index];
                let mut skinned = Vec3::default();
                for (joint, weight) in joints.into_iter().zip(weights) {
                    skinned = skinned + matrices[usize::from(joint)].transform_point(position) * weight;
                }
                if weights == [0.0; 4] {
                    skinned = position;
                }
                let wanted = model.skinned_position(id, &matrices).expect("a vertex");
                assert!((skinned - wanted).length() < 1e-4 * model.scale_or_one(), "{name}: {id:?}");
                moved += usize::from((wanted - position).length() > 1e-3 * model.scale_or_one());
            }
        }
        assert!(moved > 0, "{name}");
    }
}

#[test]
fn colours_of_vertices_and_of_materials() {
    let text = "3dmodel 1\nn\nl\na\n\nVertex\n0 0 0 1 #ff0000ff\n1 0 0 1\n1 1 0 1\n\nMaterial red\nKd #ff0000ff\n\n\
        Mesh\n0 1 2\nuse red\n0 1 2\n\nEnd\n";
    let model = m3d::from_str(text).unwrap();
    let red = Rgba8::new(255, 0, 0, 255);
    let groups = model.material_groups().unwrap();
    // The material's colour replaces those of the vertices; it is not stored as a vertex colour.
    let white = geom::LinearRgba::WHITE;
    assert_eq!(groups[0].mesh.colors, [red.to_linear(), white, white]);
    assert_eq!((groups[1].mesh.colors.len(), groups[1].name.to_string()), (0, "red".into()));
    assert_eq!(model.to_tri_mesh().unwrap().colors[3..], [red.to_linear(); 3]);
}

#[test]
fn a_mesh_with_joints_comes_back() {
    let source = TriMesh {
        positions: [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]].map(Vec3::from).to_vec(),
        joints: vec![[1, 0, 0, 0], [0, 1, 2, 0], [0; 4]],
        weights: vec![[1.0, 0.0, 0.0, 0.0], [0.5, 0.3, 0.2, 0.0], [0.0; 4]],
        triangles: vec![[0, 1, 2]],
        ..TriMesh::default()
    };
    let mut builder = Builder::new();
    builder.model.bones = vec![Bone::default(); 3];
    builder.add_tri_mesh(&source, "skin").unwrap();
    let model = builder.finish();
    assert_eq!(model.skins[1].weights[..3].iter().map(|&weight| u32::from(weight)).sum::<u32>(), 255);
    let back = &model.material_groups().unwrap()[0];
    assert_eq!((&back.mesh.positions, &back.name), (&source.positions, &"skin".into()));
    assert_eq!(back.mesh.joints, source.joints);
    for (ours, wanted) in back.mesh.weights.as_flattened().iter().zip(source.weights.as_flattened()) {
        assert!((ours - wanted).abs() <= 1.0 / 255.0, "{ours} {wanted}");
    }
}

#[test]
fn a_mesh_that_is_no_mesh_is_refused() {
    let sound =
        TriMesh { positions: vec![Vec3::default(); 3], triangles: vec![[0, 1, 2]], ..TriMesh::default() };
    type Break = fn(&mut TriMesh);
    let breaks: [(&str, Break); 8] = [
        ("triangles[0]", |m| m.triangles[0][1] = 3),
        ("normals", |m| m.normals = vec![Vec3::default()]),
        ("uvs", |m| m.uvs = vec![Vec2::default(); 4]),
        ("colors[1]", |m| {
            m.colors = [Rgba8::WHITE, Rgba8::default(), Rgba8::WHITE].map(Rgba8::to_linear).to_vec()
        }),
        ("tangents", |m| m.tangents = vec![Vec4::default(); 3]),
        ("weights", |m| m.joints = vec![[0; 4]; 3]),
        ("joints[0]", |m| (m.joints, m.weights) = (vec![[0; 4]; 3], vec![[1.0; 4]; 3])),
        ("weights[0]", |m| (m.joints, m.weights) = (vec![[0; 4]; 3], vec![[f32::NAN; 4]; 3])),
    ];
    for (path, break_it) in breaks {
        let mut mesh = sound.clone();
        break_it(&mut mesh);
        let error = Model::from_tri_mesh(&mesh).expect_err(path);
        assert!(matches!(error.kind(), m3d::errors::ErrorKind::InvalidArgument(_)), "{error}");
        assert_eq!(error.path(), path);
    }
    assert!(Model::from_tri_mesh(&sound).is_ok());
}

#[test]
fn textures_of_materials() {
    let mut model = Model::default();
    let mut steel = Material { name: "steel".into(), ..Material::default() };
    steel.set(PropertyId::MAP_DIFFUSE, Value::Map("skin".into()));
    steel.set(PropertyId::MAP_NORMAL, Value::Map("bumps".into()));
    steel.set(PropertyId::ILLUMINATION, Value::Byte(2));
    model.materials.push(steel);
    model.assets.push(m3d::Asset { name: "skin.png".into(), data: vec![1, 2] });
    let steel = model.material_id("steel");
    assert_eq!(model.texture(steel, PropertyId::DIFFUSE), Some(&[1, 2][..]));
    assert_eq!(model.texture(steel, PropertyId::MAP_NORMAL), None);
    let textures: Vec<_> = model.textures().map(|texture| (texture.property, texture.data)).collect();
    assert_eq!(textures, [(PropertyId::MAP_DIFFUSE, Some(&[1, 2][..])), (PropertyId::MAP_NORMAL, None)]);
    // 136 is the normal map; 8, the illumination model, has no texture.
    assert_eq!(model.materials[0].map(PropertyId::ILLUMINATION), None);
    assert_eq!(model.materials[0].map(PropertyId::MAP_NORMAL).expect("a map"), "bumps");
    let findings = m3d::check(&model);
    let missing =
        findings.iter().find(|finding| finding.rule.id == "m3d.texture-missing").expect("a finding");
    assert_eq!(missing.path, "materials[0].properties[1]");
}

/// The views of both variants of a model are equal, whatever the scale.
#[test]
fn text_and_binary_give_the_same() {
    for name in ["ascii-solids.a3d", "ascii-patches.a3d", "ascii-all.a3d", "ascii-voxels.a3d"] {
        let mut text = m3d::from_slice(&testkit::fixture("m3d", name)).unwrap();
        text.scale = 2.5;
        let bytes = WriteOptions::new().variant(Variant::Binary).write(&text).unwrap();
        let binary = m3d::from_slice(&bytes).unwrap();
        assert_eq!(text, binary, "{name}");
        assert_eq!(text.scene().unwrap(), binary.scene().unwrap(), "{name}");
        for action in &text.actions {
            assert_eq!(text.pose(action, 300.0), binary.pose(action, 300.0), "{name}");
        }
    }
}

#[test]
fn voxels_take_the_colour_of_their_material() {
    let mut model = Model::default();
    let mut gold = Material { name: "gold".into(), ..Material::default() };
    gold.set(PropertyId::DIFFUSE, Value::Color(Rgba8::new(255, 200, 0, 255)));
    model.materials.push(gold);
    model.voxel_types = vec![VoxelType { name: "gold".into(), ..VoxelType::default() }];
    model.voxel_blocks = vec![VoxelBlock { size: [1; 3], voxels: vec![Voxel(0)], ..VoxelBlock::default() }];
    let mesh = model.voxel_mesh().unwrap();
    assert_eq!((mesh.triangles.len(), mesh.colors[0].to_srgb()), (12, Rgba8::new(255, 200, 0, 255)));
}

/// As in the SDK, quaternions have length 1 between frames, and are as stored at a frame.
#[test]
fn quaternions_between_frames_are_normalised() {
    let q = |z: f32, w: f32| Vec4::new(0.0, 0.0, z / 127.0, w / 127.0);
    let mut model = Model::default();
    model.vertices.coords = vec![Vec4::new(0.0, 0.0, 0.0, 1.0), q(0.0, 126.0), q(89.0, 89.0)];
    model.bones = vec![Bone { position: VertexId(0), orientation: VertexId(1), ..Bone::default() }];
    let turn = Transform { bone: BoneId(0), position: VertexId(0), orientation: VertexId(2) };
    let frames = vec![Frame { time: 100, transforms: vec![turn] }];
    let action = Action { name: "turn".into(), duration: 200, frames };
    let length = |time| {
        let q = model.pose(&action, time).bones[0].orientation.to_array();
        q.into_iter().map(|part| part * part).sum::<f32>().sqrt()
    };
    assert!((length(0.0) - 126.0 / 127.0).abs() < 1e-6);
    assert!((length(50.0) - 1.0).abs() < 1e-6);
    assert!((length(100.0) - 89.0 / 127.0 * 2.0_f32.sqrt()).abs() < 1e-6);
    let half = model.pose(&action, 50.0).bones[0].orientation;
    assert!((half.z - (std::f32::consts::PI / 8.0).sin()).abs() < 1e-5, "{half:?}");
}
