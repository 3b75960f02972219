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
