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
