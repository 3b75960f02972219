//! FBX: files made by hand, and real ones, whose bounds the library `ufbx` states.

use std::path::Path;

use rezkit_scene::{Alpha, ErrorKind, Scene, SceneOptions, Values, fbx};

use crate::{has, near, shown};

fn read(bytes: &[u8]) -> rezkit_scene::Result<(Scene, Vec<String>)> {
    let options = SceneOptions::new();
    let (scene, losses) = fbx::READER.read("FBX", bytes, "a.fbx", &options, &mut ())?;
    Ok((scene, shown(&losses)))
}

/// A quad whose unit is a decimetre, with z up, below a turned model; it moves one unit in a second.
const TEXT: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXVersion: 7400
}
GlobalSettings:  {
    Properties70:  {
        P: "UpAxis", "int", "Integer", "",2
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",1
        P: "FrontAxisSign", "int", "Integer", "",-1
        P: "UnitScaleFactor", "double", "Number", "",10
    }
}
Objects:  {
    Geometry: 1, "Geometry::Quad", "Mesh" {
        Vertices: *12 {
            a: 0,0,0,2,0,0,2,0,3,0,0,3
        }
        PolygonVertexIndex: *4 {
            a: 0,1,2,-4
        }
        LayerElementUV: 0 {
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "IndexToDirect"
            UV: *8 {
                a: 0,0,1,0,1,1,0,0.25
            }
            UVIndex: *4 {
                a: 0,1,2,3
            }
        }
        LayerElementMaterial: 0 {
            MappingInformationType: "AllSame"
            ReferenceInformationType: "IndexToDirect"
            Materials: *1 {
                a: 0
            }
        }
    }
    Model: 2, "Model::Above", "Null" {
        Properties70:  {
            P: "Lcl Translation", "Lcl Translation", "", "A",1,2,3
        }
    }
    Model: 3, "Model::Quad", "Mesh" {
        Properties70:  {
            P: "RotationPivot", "Vector3D", "Vector", "",2,0,0
            P: "Lcl Rotation", "Lcl Rotation", "", "A",0,90,0
        }
    }
    Material: 4, "Material::Paint", "" {
        ShadingModel: "lambert"
        Properties70:  {
            P: "DiffuseColor", "Color", "", "A",0.5,0.25,1
            P: "Opacity", "double", "Number", "",0.5
        }
    }
    AnimationStack: 5, "AnimStack::Move", "" {
    }
    AnimationLayer: 6, "AnimLayer::Base", "" {
    }
    AnimationCurveNode: 7, "AnimCurveNode::T", "" {
        Properties70:  {
            P: "d|X", "Number", "", "A",1
            P: "d|Y", "Number", "", "A",2
            P: "d|Z", "Number", "", "A",3
        }
    }
    AnimationCurve: 8, "AnimCurve::", "" {
        KeyTime: *2 {
            a: 0,46186158000
        }
        KeyValueFloat: *2 {
            a: 1,2
        }
        KeyAttrFlags: *1 {
            a: 4
        }
        KeyAttrDataFloat: *4 {
            a: 0,0,0,0
        }
        KeyAttrRefCount: *1 {
            a: 2
        }
    }
}
Connections:  {
    C: "OO",2,0
    C: "OO",3,2
    C: "OO",1,3
    C: "OO",4,3
    C: "OO",6,5
    C: "OO",7,6
    C: "OP",7,2, "Lcl Translation"
    C: "OP",8,7, "d|X"
}
"#;

#[test]
fn axes_units_pivots_and_animations() {
    let (scene, losses) = read(TEXT.as_bytes()).expect("a scene");
    assert_eq!(losses, [""; 0]);
    let [above, quad] = &scene.nodes[..] else { panic!("two nodes") };
    assert_eq!((above.name.as_str(), quad.name.as_str()), ("Above", "Quad"));
    // A decimetre is a tenth of a metre; z is up, and -y is the front.
    near("above", &above.transform.translation, &[0.1, 0.3, -0.2], 1e-6);
    let world = scene.at_rest()[1];
    let point = |[x, y, z]: [f32; 3]| {
        let row = |row: usize| world[0][row] * x + world[1][row] * y + world[2][row] * z + world[3][row];
        [row(0), row(1), row(2)]
    };
    let mesh = &scene.meshes[quad.mesh.expect("a mesh")].primitives[0].mesh;
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2));
    // The model turns about x = 2 by 90 degrees about y: the corner (2, 0, 3) goes to (5, 0, 0), and with the model above
    // to (6, 2, 3).
    let corner = mesh.positions.iter().find(|at| at.x > 0.1 && at.z > 0.1).expect("the corner").to_array();
    near("the corner", &point(corner), &[0.6, 0.3, -0.2], 1e-5);
    // v grows downwards.
    let uvs: Vec<[f32; 2]> = mesh.uvs.iter().map(|uv| [uv.x, uv.y]).collect();
    assert_eq!(uvs, [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.75]]);
    let material = &scene.materials[0];
    assert_eq!((material.base_color, material.alpha), ([0.5, 0.25, 1.0, 0.5], Alpha::Blend));
    let [animation] = &scene.animations[..] else { panic!("an animation") };
    assert_eq!((animation.name.as_str(), animation.duration()), ("Move", 1.0));
    let [channel] = &animation.channels[..] else { panic!("a channel") };
    let Values::Translation(values) = &channel.values else { panic!("a translation") };
    assert_eq!((channel.node, channel.times.as_slice()), (0, &[0.0, 1.0][..]));
    near("the end", &values[1], &[0.2, 0.3, -0.2], 1e-6);
}

/// As ufbx reads Arnold's surfaces: the colour and the emission have weights.
#[test]
fn weights_of_colours_and_of_emission() {
    let arnold = r#"P: "Maya|baseColor", "Color", "", "A",0.5,0.25,1
            P: "Maya|base", "Float", "", "A",0.8
            P: "Maya|emissionColor", "Color", "", "A",1,1,1
            P: "Maya|emission", "Float", "", "A",EMISSION
            P: "Opacity""#;
    for (emission, wanted) in [("0", 0.0), ("0.5", 0.5)] {
        let text = TEXT.replace("P: \"Opacity\"", &arnold.replace("EMISSION", emission));
        let (scene, losses) = read(text.as_bytes()).expect("a scene");
        let material = &scene.materials[0];
        near("the colour", &material.base_color[..3], &[0.4, 0.2, 0.8], 1e-6);
        near("the emission", &material.emissive, &[wanted; 3], 1e-6);
        assert_eq!(losses, [""; 0]);
    }
}

/// The same file in the binary form, with compressed arrays.
#[test]
fn both_forms_are_the_same_scene() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/hostile/samples/fbx");
    let [binary, text] =
        ["quad.fbx", "quad-text.fbx"].map(|name| std::fs::read(samples.join(name)).expect("a sample"));
    assert_eq!(text, TEXT.as_bytes());
    assert_eq!(read(&binary).expect("a scene"), read(&text).expect("a scene"));
}

/// A record of the binary form: its name, its values, and its children.
#[allow(clippy::cast_possible_truncation, reason = "a small file")]
fn record(at: usize, name: &str, values: &[u8], count: u32, children: &[u8]) -> Vec<u8> {
    let header = 13 + name.len();
    let null = if children.is_empty() { 0 } else { 13 };
    let end = at + header + values.len() + children.len() + null;
    let mut bytes = Vec::new();
    for number in [end as u32, count, values.len() as u32] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.push(name.len() as u8);
    bytes.extend(name.as_bytes());
    bytes.extend(values);
    bytes.extend(children);
    bytes.resize(bytes.len() + null, 0);
    bytes
}

/// A binary file with one record of values.
fn binary(values: &[u8], count: u32) -> Vec<u8> {
    let mut bytes = b"Kaydara FBX Binary  \0\x1a\0".to_vec();
    bytes.extend(7400_u32.to_le_bytes());
    let own = record(bytes.len(), "Objects", values, count, &[]);
    bytes.extend(own);
    bytes.extend([0; 13]);
    bytes
}

#[test]
fn errors_have_a_path_and_an_offset() {
    let (scene, _) = read(&binary(b"I\x01\0\0\0", 1)).expect("an empty scene");
    assert!(scene.nodes.is_empty());
    let error = |bytes: &[u8]| read(bytes).expect_err("damaged");
    // The record begins at 27, and has 13 bytes and its name; the array states a million numbers.
    let huge = error(&binary(b"d\x40\x42\x0f\0\0\0\0\0\x08\0\0\0", 1));
    assert_eq!((huge.path(), huge.kind()), ("Objects", ErrorKind::Unreadable));
    assert!(huge.reason().contains("unexpected end of input at offset 0x3c"), "{huge}");
    let unknown = error(&binary(b"Q", 1));
    assert!(unknown.reason().contains("the unknown type 'Q' at offset 0x2f"), "{unknown}");
    let cut = error(&binary(b"I\x01\0\0\0", 1)[..40]);
    assert!(cut.reason().contains("at offset 0x"), "{cut}");
    let text = TEXT.replace("0,1,2,-4", "0,1,9,-4");
    let outside = error(text.as_bytes());
    assert!(
        outside.path().contains("Quad") && outside.reason().contains("PolygonVertexIndex[2]"),
        "{outside}"
    );
    let open = error(&TEXT.as_bytes()[..300]);
    assert!(open.reason().contains("line "), "{open}");
}

#[test]
fn memory_is_limited() {
    let options = SceneOptions::new().max_bytes(20_000);
    let error = fbx::READER.read("FBX", TEXT.as_bytes(), "a.fbx", &options, &mut ()).expect_err("too large");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// Real files, and the bounds of their meshes as `ufbx` 0.11 computes them, in metres with y up.
#[rustfmt::skip]
const BOUNDS: [(&str, [f32; 3], [f32; 3]); 12] = [
    ("__crossbow_1handed.fbx", [-0.45446, -0.17124, -0.27769], [0.45695, 0.23464, 0.94419]),
    ("blender_293_barbarian_7400_binary.fbx", [-10.9, -1.6, -7.534], [8.1731, 10.672, 2.9869]),
    ("blender_axes__axes_nzny_7400_binary.fbx", [1.0, 3.0, -2.0], [2.0, 4.0, -1.0]),
    ("blender_axes__axes_pznx_7400_binary.fbx", [1.0, 3.0, -2.0], [2.0, 4.0, -1.0]),
    ("max_geometry_transform_instances_7700_binary.fbx", [-1.27, 0.0, -1.27], [1.27, 1.27, 1.27]),
    ("max_geometry_transform_types_7700_binary.fbx", [0.0, 0.0, -0.254], [0.508, 0.254, 0.254]),
    ("maya_pivot_offset_7700_binary.fbx", [0.095, -0.005, -0.005], [0.205, 0.005, 0.305]),
    ("maya_triangulate_down_7500_binary.fbx", [-0.005, -0.12941, -0.015], [0.145, 0.039087, -0.005]),
    ("motionbuilder_cube_7700_binary.fbx", [-0.1, -0.1, -0.1], [0.1, 0.1, 0.1]),
    ("synthetic_direct_by_polygon_7700_ascii.fbx", [-0.02, 0.0, -0.02], [0.02, 0.02, 0.02]),
    ("synthetic_indexed_by_vertex_7500_ascii.fbx", [-0.005, -0.005, -0.005], [0.005, 0.005, 0.005]),
    ("zbrush_polygroup_mess_7500_binary.fbx", [-0.01, 0.0, -0.010027], [0.01, 0.020173, 0.010012]),
];

#[test]
fn real_files_have_the_bounds_of_another_reader() {
    let mut refused = Vec::new();
    for sample in testkit::corpus("models") {
        if !sample.name.to_lowercase().ends_with(".fbx") {
            continue;
        }
        let (scene, _) = match read(&sample.bytes) {
            Ok(read) => read,
            Err(error) => {
                refused.push(format!("{}: {error}", sample.name));
                continue;
            }
        };
        if let Some((_, min, max)) = BOUNDS.iter().find(|(name, ..)| sample.name.ends_with(name)) {
            let bounds = scene.bounds().expect("bounds");
            let most = 2e-4 * max.iter().chain(min).fold(0.0, |most: f32, at| most.max(at.abs()));
            near(&sample.name, &bounds.min.to_array(), min, most);
            near(&sample.name, &bounds.max.to_array(), max, most);
        }
    }
    // Files of versions 2.0 and 5.8, and damaged ones, which the other reader refuses, too.
    assert!(refused.len() <= 5, "{refused:#?}");
    if !refused.is_empty() {
        has(&refused, "version number 5800");
    }
}

/// The x of the model of [`TEXT`] at a time, in its own units, after a change of the file.
fn x_at(change: &[(&str, &str)], time: f32) -> f32 {
    let text = change.iter().fold(TEXT.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    let (scene, losses) = read(text.as_bytes()).expect("a scene");
    assert_eq!(losses, [""; 0]);
    let [channel] = &scene.animations[0].channels[..] else { panic!("a channel") };
    let Values::Translation(values) = &channel.values else { panic!("a translation") };
    let after = channel.times.partition_point(|key| *key <= time);
    let (before, after) = (after - 1, after.min(values.len() - 1));
    let span = channel.times[after] - channel.times[before];
    let part = if span > 0.0 { (time - channel.times[before]) / span } else { 0.0 };
    10.0 * (values[before][0] + (values[after][0] - values[before][0]) * part)
}

/// Beyond its keys, a curve is what its kind says, up to the end of the animation.
#[test]
fn curves_continue_beyond_their_keys() {
    let stop =
        "Properties70:  {\n            P: \"LocalStop\", \"KTime\", \"Time\", \"\",138558474000\n        }";
    // The letters of the kinds, and the value at 2.25 s of a curve from 1 at 0 s to 2 at 1 s.
    for (kind, count, wanted) in [
        ('C', -1, 2.0),
        ('K', -1, 3.25),
        ('R', -1, 1.25),
        ('M', -1, 1.25),
        ('A', -1, 3.25),
        ('R', 1, 2.0),
        ('M', 1, 1.0),
        ('A', 1, 3.0),
    ] {
        let beyond = format!(
            "KeyTime: *2 {{\n            a: 0,46186158000\n        }}\n        Post-Extrapolation: {{\n            \
             Type: {}\n            Repetition: {count}\n        }}",
            kind as u32
        );
        let stack = format!("\"AnimStack::Move\", \"\" {{\n        {stop}");
        let change = [
            ("\"AnimStack::Move\", \"\" {", &*stack),
            ("KeyTime: *2 {\n            a: 0,46186158000\n        }", &*beyond),
        ];
        let last = if kind == 'C' { 1.0 } else { 2.25 };
        near(format!("{kind} {count}"), &[x_at(&change, last)], &[wanted], 1e-4);
    }
}

/// A second layer is added to the first one, or replaces it, in part.
#[test]
fn layers_change_those_below_them() {
    let layer = |mode: i64, weight: f64| {
        format!(
            "AnimationLayer: 9, \"AnimLayer::More\", \"\" {{
        Properties70:  {{
            P: \"BlendMode\", \"enum\", \"\", \"\",{mode}
            P: \"Weight\", \"Number\", \"\", \"A\",{weight}
        }}
    }}
    AnimationCurveNode: 10, \"AnimCurveNode::T\", \"\" {{
        Properties70:  {{
            P: \"d|X\", \"Number\", \"\", \"A\",8
            P: \"d|Y\", \"Number\", \"\", \"A\",0
            P: \"d|Z\", \"Number\", \"\", \"A\",0
        }}
    }}
    AnimationCurve: 8,"
        )
    };
    let links =
        "C: \"OO\",7,6\n    C: \"OO\",9,5\n    C: \"OO\",10,9\n    C: \"OP\",10,2, \"Lcl Translation\"";
    // At 0.5 s, the first layer has 1.5; the second one has 8.
    for (mode, weight, wanted) in
        [(0, 100.0, 9.5), (0, 25.0, 3.5), (1, 100.0, 8.0), (1, 50.0, 4.75), (0, 0.0, 1.5)]
    {
        let layer = layer(mode, weight);
        let change = [("AnimationCurve: 8,", &*layer), ("C: \"OO\",7,6", links)];
        near(format!("{mode} {weight}"), &[x_at(&change, 0.5)], &[wanted], 1e-4);
    }
}

/// The slope of a key with an automatic tangent, which is not stored, is that between its neighbours.
#[test]
fn automatic_tangents_are_computed() {
    let keys = "KeyTime: *3 {\n            a: 0,46186158000,92372316000\n        }";
    let change = [
        ("KeyTime: *2 {\n            a: 0,46186158000\n        }", keys),
        (
            "KeyValueFloat: *2 {\n            a: 1,2\n        }",
            "KeyValueFloat: *3 {\n            a: 0,6,6\n        }",
        ),
        // Cubic, automatic, independent of time.
        ("a: 4\n", "a: 8456\n"),
        ("KeyAttrRefCount: *1 {\n            a: 2", "KeyAttrRefCount: *1 {\n            a: 3"),
    ];
    // Hermite from 0 to 6 with the slopes 6 and 3 at the half: 3 + (6 - 3) / 8.
    near("the middle", &[x_at(&change, 0.5)], &[3.375], 2e-3);
}

/// Slopes that files have, state by other numbers, or leave to the reader, as the library `ufbx` draws the curve: keys at 0,
/// 1 and 4 s, and the values at 0.5 and 2.5 s.
#[test]
fn tangents_of_all_kinds_are_those_of_another_reader() {
    // The lengths of two tangents, in tenths of a thousandth of the time.
    const THIRDS: u32 = 3333 | 3333 << 16;
    const UNEVEN: u32 = 2000 | 5000 << 16;
    let all = |first: f32, second: f32, last: u32| [[first.to_bits(), second.to_bits(), last]; 3];
    let keys = |keys: [[f32; 2]; 3], last| keys.map(|[first, next]| [first.to_bits(), next.to_bits(), last]);
    let (pulled, steep) =
        ([[0.0, 30.0], [-80.0, 0.0], [0.0, 0.0]], [[-570.7, 0.0], [0.0, 599.7], [578.4, 0.0]]);
    let user = [[3.0, 4.0], [-5.0, 6.0], [7.0, 7.0]];
    for (name, flags, data, values, wanted) in [
        ("automatic", 0x108, all(0.0, 0.0, THIRDS), "0,10,3", [5.7708, 8.8125]),
        ("pulled to a neighbour", 0x108, keys(pulled, THIRDS), "0,10,3", [5.5396, 10.6625]),
        ("with a velocity", 0x3300_0108, keys(steep, UNEVEN), "0,10,3", [5.2278, 33.4902]),
        ("progressively clamped", 0x6108, all(7.0, 7.0, THIRDS), "0,6,7", [2.875, 6.875]),
        ("clamped", 0x3108, all(7.0, 7.0, THIRDS), "0,6,6", [3.75, 6.0]),
        (
            "tension, continuity, bias",
            0x208,
            all(0.25, 0.5, (-0.4_f32).to_bits()),
            "0,10,3",
            [5.7453, 7.7328],
        ),
        ("stored", 0x408, keys(user, THIRDS), "0,10,3", [4.875, 2.375]),
        ("stored, with lengths", 0x300_0408, keys(user, UNEVEN), "0,10,3", [5.9157, 0.6134]),
    ] {
        // In text from version 7.2 on, the numbers are the bits of floats.
        let data = data.map(|[a, b, c]| format!("{},{},{c},0", a.cast_signed(), b.cast_signed())).join(",");
        let array = |name: &str, count: usize, values: &str| {
            format!("{name}: *{count} {{\n            a: {values}\n        }}")
        };
        let new = [
            array("KeyTime", 3, "0,46186158000,184744632000"),
            array("KeyValueFloat", 3, values),
            array("KeyAttrFlags", 3, &[flags, flags, flags].map(|flags| flags.to_string()).join(",")),
            array("KeyAttrDataFloat", 12, &data),
            array("KeyAttrRefCount", 3, "1,1,1"),
        ];
        let change = [
            ("KeyTime: *2 {\n            a: 0,46186158000\n        }", &*new[0]),
            ("KeyValueFloat: *2 {\n            a: 1,2\n        }", &*new[1]),
            ("KeyAttrFlags: *1 {\n            a: 4\n        }", &*new[2]),
            ("KeyAttrDataFloat: *4 {\n            a: 0,0,0,0\n        }", &*new[3]),
            ("KeyAttrRefCount: *1 {\n            a: 2\n        }", &*new[4]),
        ];
        for (time, wanted) in [0.5, 2.5].into_iter().zip(wanted) {
            near(format!("{name} at {time}"), &[x_at(&change, time)], &[wanted], 2e-3 * wanted.max(1.0));
        }
    }
}

/// The order of rotations, and the rotations around them, apply only where `RotationActive` says so, also in the template.
#[test]
fn orders_of_rotations_apply_where_they_are_active() {
    let rotated = |own: &str, template: &str| {
        let definitions = format!(
            "Definitions:  {{\n    ObjectType: \"Model\" {{\n        PropertyTemplate: \"FbxNode\" {{\n            \
             Properties70:  {{\n{template}            }}\n        }}\n    }}\n}}\nObjects:  {{"
        );
        let own = format!("P: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,90,45\n{own}");
        let text = TEXT.replace("Objects:  {", &definitions);
        let text = text.replace("P: \"Lcl Rotation\", \"Lcl Rotation\", \"\", \"A\",0,90,0\n", &own);
        let (scene, _) = read(text.as_bytes()).expect("a scene");
        let [x, y, z, w] = scene.nodes[1].transform.rotation;
        // Where the x axis goes.
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)]
    };
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let flag = |name: &str, value| format!("P: \"{name}\", \"\", \"\", \"\",{value}\n");
    let order =
        format!("{}P: \"PreRotation\", \"Vector3D\", \"Vector\", \"\",180,0,0\n", flag("RotationOrder", 1));
    let active = flag("RotationActive", 1);
    let inactive = flag("RotationActive", 0);
    let for_limits = flag("RotationSpaceForLimitOnly", 1);
    // The matrices that `ufbx` and Blender make of these angles: (0, 0, -1) in the order 0, and (0, 1, -1) / √2, before the
    // half turn, in the order 1.
    near("active", &rotated(&format!("{active}{order}"), &inactive), &[0.0, -half, half], 1e-6);
    near("not stated", &rotated(&order, ""), &[0.0, -half, half], 1e-6);
    near("inactive", &rotated(&format!("{inactive}{order}"), ""), &[0.0, 0.0, -1.0], 1e-6);
    near("inactive by the template", &rotated(&order, &inactive), &[0.0, 0.0, -1.0], 1e-6);
    near("for limits", &rotated(&format!("{active}{for_limits}{order}"), ""), &[0.0, 0.0, -1.0], 1e-6);
}

/// The offsets of the corners (0, 0, 0) and (2, 0, 0) in the file's units by the first morph target.
fn offsets(scene: &Scene) -> [[f32; 3]; 2] {
    let primitive = &scene.meshes[0].primitives[0];
    [0.0, 0.2].map(|x: f32| {
        let is_it = |at: &geom::Vec3| (at.x - x).abs() < 1e-6 && at.y.abs() < 1e-6 && at.z.abs() < 1e-6;
        let vertex = primitive.mesh.positions.iter().position(is_it).expect("the corner");
        let offset = primitive.targets[0].positions[vertex];
        [offset.x, offset.y, offset.z].map(|of| 10.0 * of)
    })
}

const SHAPE: &str = "Indexes: *2 {\n            a: 0,1\n        }\n        Vertices: *6 {\n            a: 0,0,4,0,8,0\n        }";

/// Files up to 7.1 have blend shapes in the geometry, with their weights as its properties.
#[test]
fn blend_shapes_of_old_geometries() {
    let geometry = format!(
        "Geometry: 1, \"Geometry::Quad\", \"Mesh\" {{\n        Properties70:  {{\n            \
         P: \"Up\", \"Number\", \"\", \"A+\",25\n        }}\n        Shape: \"Up\" {{\n        {SHAPE}\n        }}"
    );
    let text = TEXT
        .replace("Geometry: 1, \"Geometry::Quad\", \"Mesh\" {", &geometry)
        .replace("\"d|X\"", "\"d|Up\"")
        .replace("C: \"OP\",7,2, \"Lcl Translation\"", "C: \"OP\",7,1, \"Up\"");
    let (scene, losses) = read(text.as_bytes()).expect("a scene");
    assert_eq!(losses, [""; 0]);
    assert_eq!(scene.meshes[0].primitives[0].targets[0].name, "Up");
    assert_eq!(offsets(&scene), [[0.0, 0.0, 4.0], [0.0, 8.0, 0.0]]);
    assert_eq!(scene.nodes[1].weights, [0.25]);
    let [channel] = &scene.animations[0].channels[..] else { panic!("a channel") };
    let Values::Weights(weights) = &channel.values else { panic!("weights") };
    assert_eq!((channel.node, weights.first(), weights.last()), (1, Some(&0.01), Some(&0.02)));

    let old = "; FBX 6.1.0 project file\nFBXHeaderExtension:  {\n    FBXVersion: 6100\n}\nObjects:  {\n    Model: \"Model::Quad\", \"Mesh\" {\n        Properties60:  {\n            \
         Property: \"Up\", \"Number\", \"A+N\",25\n        }\n        Vertices: 0,0,0,2,0,0,2,0,3,0,0,3\n        \
         PolygonVertexIndex: 0,1,2,-4\n        Shape: \"Up\" {\n            Indexes: 0,1\n            \
         Vertices: 0,0,4,0,8,0\n        }\n    }\n}\nConnections:  {\n    Connect: \"OO\", \"Model::Quad\", \"Model::Scene\"\n}\n";
    let (scene, losses) = read(old.as_bytes()).expect("a scene");
    assert_eq!(losses, [""; 0]);
    let target = &scene.meshes[0].primitives[0].targets[0];
    let moved: Vec<[f32; 3]> =
        target.positions.iter().map(|at| [at.x, at.y, at.z].map(|of| 100.0 * of)).collect();
    near(
        "the offsets",
        moved.as_flattened(),
        &[0.0, 0.0, 4.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        1e-5,
    );
    assert_eq!((target.name.as_str(), &scene.nodes[0].weights[..]), ("Up", &[0.25][..]));
}

/// `FullWeights`: in files of Blender the share of each point, in others the weight at which the shape has its full effect.
#[test]
fn full_weights_of_blend_shapes() {
    let offsets_with = |creator: &str, full: &str| {
        let objects = format!(
            "Objects:  {{\n    Geometry: 20, \"Geometry::Key\", \"Shape\" {{\n        {SHAPE}\n    }}\n    \
             Deformer: 21, \"Deformer::Keys\", \"BlendShape\" {{\n    }}\n    \
             Deformer: 22, \"SubDeformer::Key\", \"BlendShapeChannel\" {{\n        DeformPercent: 50\n        \
             FullWeights: *{} {{\n            a: {full}\n        }}\n    }}",
            full.split(',').count()
        );
        let links = "Connections:  {\n    C: \"OO\",20,22\n    C: \"OO\",22,21\n    C: \"OO\",21,1";
        let version = format!("FBXVersion: 7400\n    Creator: \"{creator}\"");
        let text = TEXT
            .replace("Objects:  {", &objects)
            .replace("Connections:  {", links)
            .replace("FBXVersion: 7400", &version);
        let (scene, losses) = read(text.as_bytes()).expect("a scene");
        assert_eq!((losses.as_slice(), &scene.nodes[1].weights[..]), (&[][..], &[0.5][..]));
        offsets(&scene)
    };
    let whole = [[0.0, 0.0, 4.0], [0.0, 8.0, 0.0]];
    let blender = "Blender (stable FBX IO) - 2.79 (sub 0) - 3.7.13";
    assert_eq!(offsets_with(blender, "25,75"), [[0.0, 0.0, 1.0], [0.0, 6.0, 0.0]]);
    assert_eq!(offsets_with(blender, "100,100"), whole);
    // The vertices of another number of points are unknown.
    assert_eq!(offsets_with(blender, "50,50,50"), whole);
    assert_eq!(offsets_with("FBX SDK/FBX Plugins version 2020.2", "100"), whole);
    assert_eq!(offsets_with("FBX SDK/FBX Plugins version 2020.2", "50"), [[0.0, 0.0, 8.0], [0.0, 16.0, 0.0]]);
}

/// The places of a cube at some times, in centimetres, as the library `ufbx` evaluates its curve.
#[test]
fn real_curves_continue_as_in_another_reader() {
    let cases: [(&str, &[(f32, f32)]); 2] = [
        ("extrapolation_mirror", &[(0.4, 1.1416), (1.2, 11.3506), (2.4, 3.5036), (4.4, 6.0234)]),
        ("extrapolation_relative_count", &[(0.4, 1.1416), (1.2, 8.1686), (1.7, 20.4867), (4.4, 20.0)]),
    ];
    for (name, places) in cases {
        let file = format!("ufbx-ufbx/data__motionbuilder_{name}_7700_binary.fbx");
        let Ok(bytes) = std::fs::read(testkit::corpus_folder("models").join(file)) else { continue };
        let (scene, _) = read(&bytes).expect("a scene");
        let channels = &scene.animations[0].channels;
        for (time, wanted) in places {
            let is_place =
                |channel: &&rezkit_scene::Channel| matches!(channel.values, Values::Translation(_));
            let channel = channels.iter().find(is_place).expect("a channel");
            let Values::Translation(values) = &channel.values else { panic!("a translation") };
            let after = channel.times.partition_point(|key| key <= time);
            let [from, to] = [after - 1, after].map(|at| channel.times[at]);
            let part = (time - from) / (to - from);
            let [from, to] = [after - 1, after].map(|at| values[at][0]);
            near(format!("{name} at {time}"), &[100.0 * (from + (to - from) * part)], &[*wanted], 0.05);
        }
    }
}
