//! Special features of glTF: sparse accessors, instances, extensions, weights.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use rezkit::scene::{
    Alpha, Animation, ImageData, Light, LightKind, Material, Scene, Skin, Texture, Transform, UvTransform,
    Values, Wrap, gltf, images,
};

use super::writer;
use rezkit::{Budget, Error};
use serde_json::{Value, json};
use std::sync::Arc;

fn data(bytes: &[u8]) -> String {
    format!("data:;base64,{}", crate::xml::base64(bytes))
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn read(json: &Value) -> Result<(Scene, Vec<String>), Error> {
    let text = serde_json::to_vec(json).unwrap();
    let (scene, losses) = crate::from_gltf(&text)?;
    Ok((scene, crate::texts(&losses)))
}

/// A triangle, and `more` accessors, in one buffer with consecutive views. `change` may change the file.
fn triangle(more: &[(&[u8], Value)], change: impl FnOnce(&mut Value)) -> Value {
    let positions = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let bounds =
        json!({"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]});
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (part, accessor) in [(&positions[..], bounds)].into_iter().chain(more.iter().cloned()) {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": part.len()}));
        let mut accessor = accessor;
        if !accessor.is_null() {
            accessor["bufferView"] = json!(views.len() - 1);
            accessors.push(accessor);
        }
        bytes.extend_from_slice(part);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let mut file = json!({
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": bytes.len(), "uri": data(&bytes)}],
        "bufferViews": views,
        "accessors": accessors,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"name": "tree", "mesh": 0}],
        "scenes": [{"nodes": [0]}],
    });
    change(&mut file);
    file
}

/// A triangle as a scene.
fn plain() -> Scene {
    read(&triangle(&[], |_| ())).unwrap().0
}

#[track_caller]
fn is_refused(file: &Value, why: &str) {
    let error = read(file).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

/// An accessor of this type.
fn accessor(component: u32, kind: &str, count: usize) -> Value {
    json!({"componentType": component, "type": kind, "count": count})
}

/// A scene written as GLB and read again, and the losses of writing.
fn through(scene: &Scene) -> (Scene, Vec<String>) {
    let (glb, losses) = crate::glb(scene);
    (crate::from_gltf(&glb).unwrap().0, crate::texts(&losses))
}

/// An index of any list that is out of range is refused or listed, whatever part of the file it is in.
#[test]
fn no_index_out_of_range_is_followed() {
    fn integers(value: &Value, path: &str, found: &mut Vec<String>) {
        match value {
            Value::Array(list) => {
                let each = list.iter().enumerate();
                each.for_each(|(index, value)| integers(value, &format!("{path}/{index}"), found));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| integers(value, &format!("{path}/{name}"), found));
            }
            Value::Number(number) if number.is_u64() => found.push(path.to_owned()),
            _ => {}
        }
    }
    let folder =
        std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/hostile/samples/gltf"));
    let text = std::fs::read(folder.join("everything.gltf")).unwrap();
    let whole: Value = serde_json::from_slice(&text).unwrap();
    assert!(read(&whole).is_ok());
    let mut found = Vec::new();
    integers(&whole, "", &mut found);
    assert!(found.iter().any(|path| path.ends_with("/target/node")), "{found:?}");
    for path in &found {
        for other in [1, 7, 1_000_000, u64::from(u32::MAX), u64::MAX] {
            let mut file = whole.clone();
            *file.pointer_mut(path).unwrap() = other.into();
            let read = std::panic::catch_unwind(|| read(&file).map(|(scene, _)| scene.check().is_ok()));
            assert!(!matches!(read, Ok(Ok(false)) | Err(_)), "{path} = {other}");
        }
    }
}

/// The schema does not require nodes in a scene.
#[test]
fn a_scene_without_nodes_is_read() {
    let others = "only the default scene is read (if the file declares no default, the first scene)";
    let others = format!("scenes[1]: {others}");
    for (scenes, expected) in
        [(json!([{}]), vec![]), (json!([{"name": "none"}, {"nodes": [0]}]), vec![others])]
    {
        let (scene, losses) =
            read(&triangle(&[], |file| (file["scenes"], file["scene"]) = (scenes.clone(), json!(0))))
                .unwrap();
        assert_eq!((scene.placed().len(), scene.meshes.len()), (0, 1));
        assert_eq!(losses, expected);
    }
}

/// The schema requires at least one joint: other readers refuse a skin without joints.
/// Exporters leave empty accessors to which nothing refers, and weights of 0/0.
#[test]
fn what_exporters_leave_is_read() {
    let unused = triangle(&[], |file| {
        file["accessors"]
            .as_array_mut()
            .unwrap()
            .push(json!({"componentType": 5126, "type": "SCALAR", "count": 0}));
    });
    assert_eq!(read(&unused).unwrap().0.triangle_count(), 1);
    let used = triangle(&[], |file| file["accessors"][0]["count"] = 0.into());
    is_refused(&used, "accessors[0]: count is 0");
    let (joints, weights) =
        ([0_u8; 12], floats(&[f32::NAN, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0]));
    let more = [(&joints[..], accessor(5121, "VEC4", 3)), (&weights[..], accessor(5126, "VEC4", 3))];
    let file = triangle(&more, |file| {
        let attributes = &mut file["meshes"][0]["primitives"][0]["attributes"];
        (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (1.into(), 2.into());
    });
    let (scene, losses) = read(&file).unwrap();
    let mesh = &scene.meshes[0].primitives[0].mesh;
    assert_eq!(mesh.weights, [[0.0; 4], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]);
    crate::has(&losses, "weights that are negative, infinite or NaN count as 0");
}

#[test]
fn a_skin_without_joints_is_left_out_and_listed() {
    let mut scene = plain();
    scene.skins.push(Skin::default());
    let inverse_bind = vec![Transform::default().matrix()];
    scene.skins.push(Skin { joints: vec![0], inverse_bind, ..Skin::default() });
    scene.nodes[0].skin = Some(1);
    let (again, losses) = through(&scene);
    assert_eq!(losses, ["skins[0]: a skin without joints"]);
    assert_eq!((again.skins.len(), again.nodes[0].skin), (1, Some(0)));
}

/// As `KHR_mesh_quantization` requires: integers are values or, if normalised, fractions of their maximum.
#[test]
fn quantized_gltf_is_read() {
    // Three positions of 16 bits, each padded by two bytes, and three normals of 8 bits, each padded by one.
    let positions = [[0_i16, 0, 0, 0], [1000, 0, 0, 0], [0, -2000, 0, 0]].as_flattened().iter();
    let positions: Vec<u8> = positions.flat_map(|axis| axis.to_le_bytes()).collect();
    let mut kinds = [accessor(5122, "VEC3", 3), accessor(5120, "VEC3", 3)];
    (kinds[0]["min"], kinds[0]["max"], kinds[1]["normalized"]) =
        (json!([0, -2000, 0]), json!([1000, 0, 0]), json!(true));
    let [position, normal] = kinds;
    let normals = [0, 0, 127, 0].repeat(3);
    let file = triangle(&[(&positions, position), (&normals, normal)], |file| {
        (file["bufferViews"][1]["byteStride"], file["bufferViews"][2]["byteStride"]) = (json!(8), json!(4));
        file["meshes"][0]["primitives"][0]["attributes"] = json!({"POSITION": 1, "NORMAL": 2});
        file["extensionsUsed"] = json!(["KHR_mesh_quantization", "EXT_of_the_future"]);
        file["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    });
    let (scene, losses) = read(&file).unwrap();
    let mesh = &scene.meshes[0].primitives[0].mesh;
    let points: Vec<[f32; 3]> = mesh.positions.iter().map(|point| point.to_array()).collect();
    assert_eq!(points, [[0.0; 3], [1000.0, 0.0, 0.0], [0.0, -2000.0, 0.0]]);
    assert_eq!(mesh.normals[2].to_array(), [0.0, 0.0, 1.0]);
    assert!(
        losses.len() == 1 && losses[0].ends_with("the extension EXT_of_the_future is not supported"),
        "{losses:?}"
    );
}

/// "When undefined, the accessor MUST be initialized with zeros."
#[test]
fn an_accessor_without_a_view_is_zeros() {
    let read = |count: u64| {
        let file = triangle(&[], |file| {
            file["accessors"] = json!([{"componentType": 5126, "type": "VEC3", "count": count}]);
        });
        gltf::from_slice(&serde_json::to_vec(&file).unwrap(), &mut Budget::new(1 << 20), &mut |_, _| Ok(None))
    };
    let (scene, _) = read(3).unwrap();
    assert_eq!(scene.meshes[0].primitives[0].mesh.positions, vec![geom::Vec3::default(); 3]);
    for count in [1 << 30, u64::MAX / 4] {
        assert!(read(count).is_err(), "{count}");
    }
}

/// As in the specification: a sparse accessor replaces some of the zeros, or of the values of its view.
#[test]
fn sparse_accessors_replace_values() {
    let indices = [2_u8, 0];
    let values = floats(&[0.0, 5.0, 0.0]);
    let sparse = |count: usize| {
        let indices = json!({"bufferView": 1, "componentType": 5121});
        json!({"count": count, "indices": indices, "values": {"bufferView": 2}})
    };
    let file = triangle(&[(&indices[..1], Value::Null), (&values, Value::Null)], |file| {
        file["accessors"][0]["sparse"] = sparse(1);
        let mut other = accessor(5126, "VEC3", 3);
        other["sparse"] = sparse(1);
        file["accessors"].as_array_mut().unwrap().push(other);
        file["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 1}]);
    });
    let (scene, losses) = read(&file).unwrap();
    assert_eq!(losses, Vec::<String>::new());
    let primitive = &scene.meshes[0].primitives[0];
    let columns = |points: &[geom::Vec3]| points.iter().map(|point| point.to_array()).collect::<Vec<_>>();
    assert_eq!(columns(&primitive.mesh.positions), [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 5.0, 0.0]]);
    assert_eq!(columns(&primitive.targets[0].positions), [[0.0; 3], [0.0; 3], [0.0, 5.0, 0.0]]);
    // The indices must strictly increase.
    for indices in [[2_u8, 1], [1, 1]] {
        let values = [values.clone(), values.clone()].concat();
        let file = triangle(&[(&indices, Value::Null), (&values, Value::Null)], |file| {
            file["accessors"][0]["sparse"] = sparse(2);
        });
        let found = format!("strictly increasing indices, found 1 after {}", indices[0]);
        is_refused(&file, &format!("accessors[0].sparse: expected {found}"));
    }
    let mut outside = file.clone();
    outside["accessors"][0]["count"] = json!(2);
    is_refused(&outside, "accessors[0].sparse: index 2 is out of range (the count of the accessor is 2)");
    outside["accessors"][0]["sparse"]["count"] = json!(9);
    is_refused(&outside, "too short for the indices and values (count: 9)");
}

/// Translations as floats, rotations as normalised bytes: 180 degrees about x.
#[test]
fn each_instance_becomes_a_node_with_the_mesh() {
    let moves = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let turns: [u8; 8] = [127, 0, 0, 0, 0, 0, 0, 127];
    let more = [
        (&moves[..], accessor(5126, "VEC3", 2)),
        (&turns[..], json!({"componentType": 5120, "normalized": true, "type": "VEC4", "count": 2})),
    ];
    let file = triangle(&more, |file| {
        let attributes = json!({"TRANSLATION": 1, "ROTATION": 2});
        file["nodes"][0]["extensions"] = json!({"EXT_mesh_gpu_instancing": {"attributes": attributes}});
        file["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
        file["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
    });
    let (scene, losses) = read(&file).unwrap();
    assert_eq!(losses, ["nodes[0].EXT_mesh_gpu_instancing: instances converted to separate nodes: 2"]);
    let drawn: Vec<_> = scene
        .placed()
        .iter()
        .map(|placed| (placed.mesh, scene.nodes[placed.node].transform))
        .map(|(mesh, at)| (mesh, at.translation, at.rotation))
        .collect();
    let [turned, plain] = [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    assert_eq!(drawn, [(0, [1.0, 2.0, 3.0], turned), (0, [4.0, 5.0, 6.0], plain)]);
    assert_eq!((scene.nodes[0].children.len(), &*scene.nodes[2].name), (2, "tree 1"));
}

/// Weights of the mesh apply unless the node has weights, and move the drawn vertices.
#[test]
fn morph_targets_move_what_is_drawn() {
    let offsets = floats(&[0.0, 0.0, 8.0, 0.0, 0.0, 8.0, 0.0, 0.0, 8.0]);
    let target =
        json!({"componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 8], "max": [0, 0, 8]});
    let more = [(&offsets[..], target)];
    let mut file = triangle(&more, |file| {
        file["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 1}]);
        file["meshes"][0]["weights"] = json!([0.25]);
    });
    let z = |scene: &Scene| scene.flattened(&mut crate::budget()).expect("small")[0].mesh.positions[0].z;
    let height = |file: &Value| z(&read(file).unwrap().0);
    assert_eq!(height(&file), 2.0);
    file["nodes"][0]["weights"] = json!([0.5]);
    assert_eq!(height(&file), 4.0);
    for form in ["obj", "ply", "stl", "mesh", "m3d"] {
        let (scene, _) = read(&file).unwrap();
        let written = writer(form).write(&scene, "a", 1 << 30).unwrap();
        assert_eq!(z(&crate::scene(&written.bytes, &format!("a.{form}")).0), 4.0, "{form}");
    }
}

/// Hidden nodes and the nodes below them are not drawn.
#[test]
fn hidden_nodes_are_not_drawn() {
    let mut file = triangle(&[], |file| {
        file["nodes"] = json!([
            {"children": [1], "extensions": {"KHR_node_visibility": {"visible": false}}},
            {"mesh": 0},
        ]);
        file["extensionsUsed"] = json!(["KHR_node_visibility"]);
    });
    let (scene, losses) = read(&file).unwrap();
    assert_eq!((losses.len(), scene.nodes[0].hidden, scene.nodes[1].hidden), (0, true, false));
    assert_eq!((scene.triangle_count(), scene.flattened(&mut crate::budget()).expect("small").len()), (0, 0));
    file["nodes"][0]["extensions"]["KHR_node_visibility"]["visible"] = json!(true);
    assert_eq!(read(&file).unwrap().0.triangle_count(), 1);
}

/// The transform's `texCoord` replaces that of the texture. The transform scales, then rotates, then moves, as the
/// matrices in the extension's text do.
#[test]
fn texture_transforms_are_read() {
    let file = triangle(&[], |file| {
        file["images"] = json!([{"uri": "a.png"}]);
        file["samplers"] = json!([{"wrapS": 33648, "wrapT": 33071, "magFilter": 9728, "minFilter": 9985}]);
        file["textures"] = json!([{"source": 0, "sampler": 0}]);
        let moved = json!({"offset": [0.5, 0.25], "rotation": std::f32::consts::FRAC_PI_2, "scale": [2, 4], "texCoord": 3});
        let info = json!({"index": 0, "texCoord": 1, "extensions": {"KHR_texture_transform": moved}});
        file["materials"] =
            json!([{"emissiveTexture": info, "emissiveFactor": [1, 1, 1], "alphaMode": "BLEND"}]);
        file["extensionsUsed"] = json!(["KHR_texture_transform"]);
    });
    let (scene, losses) = read(&file).unwrap();
    assert_eq!(losses, Vec::<String>::new());
    let Material { emissive_texture: Some(texture), alpha: Alpha::Blend, .. } = &scene.materials[0] else {
        panic!("{:?}", scene.materials)
    };
    let Texture { set: 3, transform, sampler, .. } = *texture else { panic!("{texture:?}") };
    assert_eq!(sampler.wrap, [Wrap::Mirror, Wrap::Clamp]);
    // The matrix in the extension's text: translation * rotation * scale. The rows of the rotation are (cos, sin) and
    // (-sin, cos).
    let UvTransform { offset, scale, .. } = transform;
    let [u, v] = transform.apply([1.0, 0.5]);
    let expected = [0.5 * scale[1] + offset[0], -scale[0] + offset[1]];
    assert!((u - expected[0]).abs() < 1e-6 && (v - expected[1]).abs() < 1e-6, "{u} {v}, not {expected:?}");
}

/// Extensions that other programs write: clearcoat, emissive strength, refraction, transmission and a second set of
/// coordinates.
#[test]
fn extensions_of_materials_are_read() {
    let [first, second] =
        [[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], [0.5, 0.25, 0.0, 1.0, 1.0, 0.75]].map(|set| floats(&set));
    let pairs = accessor(5126, "VEC2", 3);
    let file = triangle(&[(&first, pairs.clone()), (&second, pairs)], |file| {
        let attributes = json!({"POSITION": 0, "TEXCOORD_0": 1, "TEXCOORD_1": 2});
        file["meshes"][0]["primitives"][0] = json!({"attributes": attributes, "material": 0});
        file["images"] = json!([{"uri": "a.png"}]);
        file["textures"] = json!([{"source": 0}]);
        let clearcoat = json!({"clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.25, "clearcoatTexture": {"index": 0, "texCoord": 1}});
        let extensions = json!({
            "KHR_materials_clearcoat": clearcoat,
            "KHR_materials_emissive_strength": {"emissiveStrength": 8},
            "KHR_materials_ior": {"ior": 1.25},
            "KHR_materials_transmission": {"transmissionFactor": 0.75},
        });
        file["extensionsUsed"] = extensions.as_object().unwrap().keys().cloned().collect();
        let base = json!({"baseColorTexture": {"index": 0, "texCoord": 1}});
        file["materials"] =
            json!([{"pbrMetallicRoughness": base, "emissiveFactor": [1, 0.5, 0], "extensions": extensions}]);
    });
    let (scene, losses) = read(&file).unwrap();
    assert_eq!(losses, Vec::<String>::new());
    let material = &scene.materials[0];
    let clearcoat = material.clearcoat.clone().unwrap();
    assert_eq!((clearcoat.factor, clearcoat.roughness), (0.5, 0.25));
    assert_eq!(clearcoat.texture.map(|texture| texture.set), Some(1));
    assert_eq!((material.emissive, material.emissive_strength), ([1.0, 0.5, 0.0], 8.0));
    assert_eq!((material.ior, material.transmission), (Some(1.25), Some(0.75)));
    assert_eq!(material.base_texture.unwrap().set, 1);
    let primitive = &scene.meshes[0].primitives[0];
    let set = |uvs: &[geom::Vec2]| uvs.iter().flat_map(|uv| uv.to_array()).collect::<Vec<_>>();
    assert_eq!(set(&primitive.mesh.uvs), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(set(&primitive.more_uvs[0]), [0.5, 0.25, 0.0, 1.0, 1.0, 0.75]);
}

/// An emissive colour above 1 is written as a colour up to 1 and a strength.
#[test]
fn light_above_one_is_a_strength() {
    let mut scene = plain();
    scene.materials.push(Material { emissive: [4.0, 2.0, 0.0], roughness: 2.0, ..Material::default() });
    let (back, losses) = through(&scene);
    let what = "materials[0]: roughness outside the range that glTF allows: replaced by a value from 0 to 1";
    assert_eq!(losses, [what]);
    assert_eq!((back.materials[0].emissive, back.materials[0].emissive_strength), ([1.0, 0.5, 0.0], 4.0));
}

/// A cube with texture coordinates, as the reference encoder writes it: edgebreaker and sequential.
#[test]
fn draco_streams_are_decoded() {
    const SEQUENTIAL: &str = "RFJBQ08CAgEAAAAMFAEAAQIAAgMEBQYEBgcICQoICgsMDQ4MDg8QAQYQBhEAEhMAEwcBAgAJAwAAAwkCAAECAgABAQEB\
        A1kl3Q3NDA3PrdxnZpG48ymgn2eEAAAAAP8/AAAAAQEBAQNpHpkRARAKrBtMMwqkVVDBiAAAAAD/DwAAAACAvwAAgL8AAIC/AAAAQA4AAAAAAAAAAAAA\
        gD8M";
    for (stream, count) in [(crate::gltf_packed::CUBE, 24), (SEQUENTIAL, 20)] {
        let mut file = crate::gltf_packed::draco(&stream.replace(' ', ""), count);
        let (scene, losses) = read(&file).unwrap();
        assert_eq!(losses, Vec::<String>::new());
        crate::gltf_packed::is_cube(&scene, count);
        let mesh = &scene.meshes[0].primitives[0].mesh;
        let is_corner =
            |uv: &geom::Vec2| uv.to_array().iter().all(|part| part.min((1.0 - part).abs()) < 1e-3);
        assert!(mesh.uvs.iter().all(is_corner), "{:?}", mesh.uvs);
        file["bufferViews"][0]["byteLength"] = json!(60);
        is_refused(&file, "KHR_draco_mesh_compression");
    }
}

/// A chunk of an unknown type, which readers must ignore; and a second file after the first.
#[test]
fn other_chunks_and_files_are_listed() {
    let scene = plain();
    let (glb, _) = crate::glb(&scene);
    let losses = |bytes: &[u8]| {
        let (read, losses) = crate::from_gltf(bytes).unwrap();
        (read.meshes.len(), crate::texts(&losses))
    };
    assert_eq!(losses(&glb), (1, vec![]));
    let second = format!(
        "bytes after the length that the GLB header gives, such as a second file ({} bytes)",
        glb.len()
    );
    assert_eq!(losses(&glb.repeat(2)), (1, vec![second]));
    let json = br#"{"asset":{"version":"2.0"}}     "#;
    let word = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let head = [&b"glTF"[..], &word(2), &word(12 + 8 + json.len() + 8 + 4)].concat();
    let file = [&head, &word(json.len())[..], b"JSON", json, &word(4), b"mine", b"1234"].concat();
    assert_eq!(losses(&file), (0, vec!["chunks after the JSON and the buffer (12 bytes)".to_owned()]));
}

/// The forms of data URIs in RFC 2397, and base64 with line breaks.
#[test]
fn every_form_of_a_data_uri_is_read() {
    let positions = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let base64 = crate::xml::base64(&positions);
    let escaped: String = positions.iter().map(|byte| format!("%{byte:02X}")).collect();
    for uri in [
        format!("DATA:application/octet-stream;BASE64,{base64}"),
        format!("data:;base64,{}\r\n{}", &base64[..20], &base64[20..]),
        format!("data:;base64,{}", base64.replace('A', "%41")),
        format!("data:application/octet-stream,{escaped}"),
    ] {
        let (scene, _) = read(&triangle(&[], |file| file["buffers"][0]["uri"] = json!(uri))).unwrap();
        assert_eq!(scene.meshes[0].primitives[0].mesh.positions[1].x, 1.0, "{uri}");
    }
}

/// If a buffer is missing, images are asked for once, so that a caller learns their names.
#[test]
fn images_of_one_file_are_asked_for_once() {
    let file = triangle(&[], |file| {
        file["buffers"][0]["uri"] = json!("missing");
        file["images"] = json!(vec![json!({"uri": "one.png"}); 1000]);
    });
    let (text, mut asked) = (serde_json::to_vec(&file).unwrap(), Vec::new());
    let mut resolve = |name: &str, _: u64| {
        asked.push(name.to_owned());
        Ok((name == "one.png").then(|| vec![0; 1000]))
    };
    let error = gltf::from_slice(&text, &mut Budget::new(1 << 22), &mut resolve).unwrap_err();
    assert!(error.to_string().contains("the external file missing was not found"), "{error}");
    assert_eq!(asked, ["missing", "one.png"]);
}

/// Colours have 16 bits: 0.5 is 32,767.5 of 65,535.
#[test]
fn colors_are_rounded_to_16_bits() {
    let floats = floats(&[0.5, 1.0, 0.0, 2.0, -1.0, 0.25, 0.499, 0.501, 0.998]);
    let shorts: Vec<u8> = [32768_u16, 65535, 0, 0, 0, 0].iter().flat_map(|part| part.to_le_bytes()).collect();
    let colors = |bytes: &[u8], kind: Value| {
        let file = triangle(&[(bytes, kind)], |file| {
            file["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"] = json!(1);
        });
        let colors = read(&file).unwrap().0.meshes[0].primitives[0].mesh.colors.clone();
        colors.iter().map(|color| color.to_array()).collect::<Vec<_>>()
    };
    let found = colors(&floats, accessor(5126, "VEC3", 3));
    let last = [32_702, 32_833, 65_404, 65_535];
    assert_eq!(found, [[32_768, 65_535, 0, 65_535], [65_535, 0, 16_384, 65_535], last]);
    let kind = json!({"componentType": 5123, "type": "VEC4", "count": 3, "normalized": true});
    assert_eq!(colors(&shorts.repeat(2), kind)[0], [32_768, 65_535, 0, 0]);
    let bytes: Vec<u8> = (0..12).map(|at| at * 23).collect();
    let kind = json!({"componentType": 5121, "type": "VEC4", "count": 3, "normalized": true});
    let expected: Vec<u16> = bytes.iter().map(|&byte| u16::from(byte) * 257).collect();
    assert_eq!(colors(&bytes, kind).as_flattened(), expected);
}

/// A tetrahedron compressed by meshoptimizer; the file does not contain the uncompressed buffer.
#[test]
fn meshopt_compression_is_read() {
    let data = "oAAAAAE8AAAAgH8AAAABDwAAAIB/AAAAAQMAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADh/g4CEfAEAHaHVmd4qYZliWiYAWkAAA==";
    let file = |length: usize| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["EXT_meshopt_compression"],
            "extensionsRequired":["EXT_meshopt_compression"],
            "buffers":[{{"byteLength":72,"extensions":{{"EXT_meshopt_compression":{{"fallback":true}}}}}},
              {{"byteLength":85,"uri":"data:application/octet-stream;base64,{data}"}}],
            "bufferViews":[
              {{"buffer":0,"byteLength":48,"byteStride":12,"extensions":{{"EXT_meshopt_compression":
                {{"buffer":1,"byteLength":62,"byteStride":12,"count":4,"mode":"ATTRIBUTES"}}}}}},
              {{"buffer":0,"byteOffset":48,"byteLength":24,"extensions":{{"EXT_meshopt_compression":
                {{"buffer":1,"byteOffset":62,"byteLength":{length},"byteStride":2,"count":12,"mode":"TRIANGLES"}}}}}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[2,2,2]}},
              {{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
            "nodes":[{{"mesh":0}}],"scenes":[{{"nodes":[0]}}]}}"#
        )
    };
    let read = |text: &str| crate::from_gltf(text.as_bytes());
    let (scene, losses) = read(&file(23)).expect("readable");
    assert_eq!(losses, []);
    let mesh = &scene.meshes[0].primitives[0].mesh;
    let corners = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]];
    assert_eq!(mesh.positions.iter().map(|corner| corner.to_array()).collect::<Vec<_>>(), corners);
    // The stream may begin a triangle with another corner.
    assert_eq!(mesh.triangles, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [2, 3, 1]]);
    let error = read(&file(22)).expect_err("too short").to_string();
    assert!(error.contains("bufferViews[1].EXT_meshopt_compression"), "{error}");
}

/// A texture of two pixels, red and transparent blue, as Pillow writes it losslessly.
#[test]
fn webp_images_are_kept() {
    let webp = "UklGRiAAAABXRUJQVlA4TBQAAAAvAQAAEA8wgPs//w/6Dy1UIKL/AQ==";
    let file = |fallback: bool| {
        triangle(&[], |file| {
            file["images"] = json!([{"uri": format!("data:image/webp;base64,{webp}")}]);
            file["textures"] = json!([{"extensions": {"EXT_texture_webp": {"source": 0}}}]);
            if fallback {
                file["textures"][0]["source"] = json!(0);
            }
            file["extensionsUsed"] = json!(["EXT_texture_webp"]);
            file["extensionsRequired"] = json!(["EXT_texture_webp"]);
            file["materials"] = json!([{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]);
            file["meshes"][0]["primitives"][0]["material"] = json!(0);
        })
    };
    let (scene, losses) = read(&file(false)).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    assert_eq!(scene.images[0].media_type(), Some("image/webp"));
    let pixels = |scene: &Scene| {
        let image = scene.materials[0].base_texture.unwrap().image;
        let ImageData::Bytes(bytes) = &scene.images[image].data else { panic!("a missing image") };
        images::decode(bytes, 1 << 20).unwrap().into_bytes()
    };
    assert_eq!(pixels(&scene), [255, 0, 0, 255, 0, 128, 255, 64]);
    for name in ["glb", "gltf"] {
        let written = writer(name).write(&scene, "a", 1 << 30).unwrap();
        assert!(written.losses.is_empty(), "{:?}", written.losses);
        let text = String::from_utf8_lossy(&written.bytes);
        assert!(text.contains("extensionsRequired"), "other programs know that they need it");
        let mut beside =
            |_: &str, _: u64| Ok(written.files.first().map(|file: &rezkit::File| file.bytes.clone()));
        let (again, losses) = gltf::from_slice(&written.bytes, &mut crate::budget(), &mut beside).unwrap();
        assert_eq!((&again.images[0].data, losses), (&scene.images[0].data, vec![]));
        assert_eq!(again.materials, scene.materials);
    }
    let (_, losses) = read(&file(true)).unwrap();
    let what = "textures[0].EXT_texture_webp: the WebP image, because the texture also has a fallback image, which is used instead";
    assert_eq!(losses, [what]);
}

/// GLB and glTF convert into each other: neither keeps the bytes of the other, and the output refers only to files that
/// are written with it.
#[test]
fn both_containers_become_the_other() {
    let options = rezkit::ConvertOptions::new();
    let text = serde_json::to_vec(&triangle(&[], |_| {})).unwrap();
    let mut opened = crate::open(&text, "a.gltf");
    assert!(opened.targets().iter().any(|target| target.name == "glb" && target.by_scene));
    let glb = opened.convert(None, "b.glb", &options).unwrap();
    assert!(glb.files[0].bytes.starts_with(b"glTF"));
    // The same container keeps its bytes, unless the file needs other files.
    assert_eq!(opened.convert(None, "c.gltf", &options).unwrap().files[0].bytes, text);
    let mut opened = crate::open(&glb.files[0].bytes, "b.glb");
    let parts = opened.convert(Some("gltf"), "d.gltf", &options).unwrap();
    let names: Vec<&str> = parts.files.iter().map(|file| file.path()).collect();
    assert_eq!(names, ["d.gltf", "d.bin"]);
    let beside = |reference: &rezkit::Reference, _: u64| {
        let is_it = *reference == rezkit::Reference::Beside("d.bin".into());
        Ok(is_it.then(|| parts.files[1].bytes.clone()))
    };
    let mut opened = rezkit::open(parts.files[0].bytes.clone(), "d.gltf", beside).unwrap();
    let moved = opened.convert(None, "e.gltf", &options).unwrap();
    let names: Vec<&str> = moved.files.iter().map(|file| file.path()).collect();
    assert_eq!(names, ["e.gltf", "e.bin"]);
    let written: Value = serde_json::from_slice(&moved.files[0].bytes).unwrap();
    assert_eq!(written["buffers"][0]["uri"], "e.bin");
}

const LIGHT: Light = Light { kind: LightKind::Point, color: [1.0; 3], intensity: 1.0, range: None };

/// glTF permits neither infinite numbers nor NaN: each is replaced by the field's default and listed.
#[test]
fn numbers_that_are_not_finite_are_replaced_and_listed() {
    use rezkit::scene::{Camera, Clearcoat};
    type Change = fn(&mut Scene, f32);
    const CAMERA: Camera = Camera { yfov: 1.0, znear: 0.1, zfar: None, aspect: None };
    let moved = |scale: [f32; 2]| UvTransform { scale, ..UvTransform::default() };
    let textured = |scene: &mut Scene, number: f32| {
        let data = ImageData::Bytes(b"\x89PNG\r\n\x1a\n".to_vec());
        scene.images.push(rezkit::scene::Image { name: "i".into(), data });
        let texture = Texture { transform: moved([number, 1.0]), ..Texture::new(0) };
        scene.materials = vec![Material { base_texture: Some(texture), ..Material::default() }];
    };
    let changes: [(&str, Change); 21] = [
        ("nodes[0].transform.translation", |scene, bad| scene.nodes[0].transform.translation[1] = bad),
        ("nodes[0].transform.rotation", |scene, bad| scene.nodes[0].transform.rotation[3] = bad),
        ("nodes[0].transform.scale", |scene, bad| scene.nodes[0].transform.scale[2] = bad),
        ("nodes[0].weights", |scene, bad| scene.nodes[0].weights = vec![bad]),
        ("meshes[0].weights", |scene, bad| scene.meshes[0].weights = vec![0.5, bad]),
        ("nodes[0].light", |scene, bad| scene.nodes[0].light = Some(Light { intensity: bad, ..LIGHT })),
        ("nodes[0].light", |scene, bad| {
            scene.nodes[0].light = Some(Light { color: [1.0, bad, 1.0], ..LIGHT })
        }),
        ("nodes[0].light", |scene, bad| {
            scene.nodes[0].light = Some(Light { kind: LightKind::Spot { inner: 0.1, outer: bad }, ..LIGHT });
        }),
        ("nodes[0].camera", |scene, bad| scene.nodes[0].camera = Some(Camera { yfov: bad, ..CAMERA })),
        ("nodes[0].camera", |scene, bad| scene.nodes[0].camera = Some(Camera { znear: bad, ..CAMERA })),
        ("nodes[0].camera", |scene, bad| {
            scene.nodes[0].camera = Some(Camera { aspect: Some(bad), ..CAMERA })
        }),
        ("materials[0]", |scene, bad| scene.materials[0].base_color[0] = bad),
        ("materials[0]", |scene, bad| scene.materials[0].emissive[0] = bad),
        ("materials[0]", |scene, bad| scene.materials[0].emissive_strength = bad),
        ("materials[0].alpha", |scene, bad| scene.materials[0].alpha = Alpha::Mask(bad)),
        ("materials[0].ior", |scene, bad| scene.materials[0].ior = Some(bad)),
        ("materials[0].specular", |scene, bad| scene.materials[0].specular = Some([1.0, bad, 1.0, 1.0])),
        ("materials[0]", |scene, bad| scene.materials[0].transmission = Some(bad)),
        ("materials[0]", |scene, bad| {
            scene.materials[0].clearcoat = Some(Clearcoat { factor: bad, ..Clearcoat::default() });
        }),
        ("skins[0].inverse_bind", |scene, bad| {
            let mut matrix = Transform::default().matrix();
            matrix[3][1] = bad;
            scene.skins = vec![Skin { joints: vec![0], inverse_bind: vec![matrix], ..Skin::default() }];
        }),
        ("animations[0].channels[0].values", |scene, bad| {
            let channels = vec![crate::channel(0, &[0.0], Values::Scale(vec![[1.0, bad, 1.0]]))];
            scene.animations = vec![Animation { channels, ..Default::default() }];
        }),
    ];
    let check = |path: &str, scene: &Scene| {
        let (glb, losses) = crate::glb(scene);
        let about: Vec<_> = losses.iter().filter(|loss| loss.path.starts_with(path)).collect();
        assert_eq!(about.len(), 1, "{path}: {losses:?}");
        let (again, _) =
            crate::from_gltf(&glb).unwrap_or_else(|error| panic!("{path}: written and not read: {error}"));
        again.check().unwrap();
    };
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (path, change) in changes {
            let mut scene = plain();
            scene.materials = vec![Material::default()];
            change(&mut scene, bad);
            check(path, &scene);
        }
        let mut scene = plain();
        textured(&mut scene, bad);
        check("materials[0]", &scene);
    }
    // An infinite `zfar` or range means that there is no limit.
    let mut scene = plain();
    scene.nodes[0].camera = Some(Camera { zfar: Some(f32::INFINITY), ..CAMERA });
    scene.nodes[0].light = Some(Light { range: Some(f32::INFINITY), ..LIGHT });
    let (again, losses) = through(&scene);
    assert_eq!(losses, [""; 0]);
    assert_eq!((again.nodes[0].camera, again.nodes[0].light), (Some(CAMERA), Some(LIGHT)));
}

/// The limits of glTF 2.0 and of KHR_lights_punctual: the far plane is farther than the near one; the inner cone angle is at
/// least 0 and less than the outer one, which is at most a right angle. Tangents need normals.
#[test]
fn what_gltf_does_not_allow_is_listed() {
    use rezkit::scene::Camera;
    use std::f32::consts::FRAC_PI_2;
    let spot = |inner, outer| Light { kind: LightKind::Spot { inner, outer }, ..LIGHT };
    let written = |change: &dyn Fn(&mut Scene)| {
        let mut scene = plain();
        change(&mut scene);
        let (glb, losses) = crate::glb(&scene);
        let paths: Vec<_> = losses.into_iter().map(|loss| loss.path).collect();
        (crate::from_gltf(&glb).unwrap().0, paths)
    };
    let camera = Camera { yfov: 1.0, znear: 2.0, zfar: Some(1.0), aspect: None };
    let (again, losses) = written(&|scene| scene.nodes[0].camera = Some(camera));
    assert_eq!((again.nodes[0].camera, losses), (None, vec!["nodes[0].camera".to_owned()]));
    for (inner, outer) in [(0.5, 0.5), (-1.0, 1.0), (0.0, 2.0), (3.0, 3.0)] {
        let (again, losses) = written(&|scene| scene.nodes[0].light = Some(spot(inner, outer)));
        let Some(LightKind::Spot { inner, outer }) = again.nodes[0].light.map(|light| light.kind) else {
            panic!()
        };
        assert!(0.0 <= inner && inner < outer && outer <= FRAC_PI_2, "{inner} {outer}");
        assert_eq!(losses, ["nodes[0].light"]);
    }
    let (_, losses) = written(&|scene| scene.nodes[0].light = Some(spot(0.25, FRAC_PI_2)));
    assert_eq!(losses, [""; 0]);
    let (again, losses) = written(&|scene| {
        let mesh = Arc::make_mut(&mut scene.meshes[0].primitives[0].mesh);
        mesh.normals.clear();
        mesh.tangents = vec![[1.0, 0.0, 0.0, 1.0].into(); mesh.positions.len()];
    });
    assert!(again.meshes[0].primitives[0].mesh.tangents.is_empty());
    assert_eq!(losses, ["meshes[0].primitives[0].tangents"]);
}

/// Numbers of extensions are read with 64 bits: 1e39 becomes infinite in 32 bits.
#[test]
fn large_numbers_of_a_file_are_written_again() {
    let (scene, _) = read(&triangle(&[], |file| {
        file["materials"] = json!([{"extensions": {"KHR_materials_ior": {"ior": 1e39}}}]);
    }))
    .unwrap();
    let (glb, _) = crate::glb(&scene);
    crate::from_gltf(&glb).unwrap();
}

/// "each accessor … MUST have … the number of elements … greater than or equal to the number of joints".
#[test]
fn more_matrices_than_joints_are_left_out() {
    let identity =
        floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]).repeat(3);
    let accessor = accessor(5126, "MAT4", 3);
    let (scene, _) = read(&triangle(&[(&identity, accessor)], |file| {
        file["skins"] = json!([{"joints": [0], "inverseBindMatrices": 1}]);
    }))
    .unwrap();
    scene.check().unwrap();
    assert_eq!(scene.skins[0].inverse_bind.len(), 1);
}

/// A channel of weights has no values if the mesh has no morph targets, but an accessor needs at least one.
#[test]
fn a_channel_without_values_is_left_out() {
    let mut scene = plain();
    let channels = vec![crate::channel(0, &[0.0, 1.0], Values::Weights(Vec::new()))];
    scene.animations = vec![Animation { channels, ..Default::default() }];
    let (again, losses) = through(&scene);
    assert_eq!(losses.len(), 1);
    assert!(again.animations.is_empty());
}

/// Of two sets of joints, the four greatest weights of each vertex are kept, and scaled to a sum of 1.
#[test]
fn the_four_strongest_joints_of_all_sets_are_kept() {
    // The weights of 4, 1, 3 and 5 are the greatest, in this order.
    let (scene, losses) = with_two_sets([[0.0625, 0.25, 0.0, 0.1875], [0.3125, 0.125, 0.0625, 0.0]]);
    let mesh = &scene.meshes[0].primitives[0].mesh;
    assert_eq!(mesh.joints, [[4, 1, 3, 5]; 3]);
    let sum = 0.3125 + 0.25 + 0.1875 + 0.125;
    assert_eq!(mesh.weights, [[0.3125, 0.25, 0.1875, 0.125].map(|weight: f32| weight / sum); 3]);
    let what = "vertices with more than four joints: the four joints with the greatest weights are kept";
    assert_eq!(losses, [format!("meshes[0].primitives[0].JOINTS_1: {what} (and 2 more)")]);
    let (scene, losses) = with_two_sets([[0.0, 0.75, 0.0, 0.25], [0.0; 4]]);
    assert_eq!(scene.meshes[0].primitives[0].mesh.weights, [[0.75, 0.25, 0.0, 0.0]; 3]);
    assert_eq!(losses, [""; 0]);
    // Without the first set, the second one is listed.
    let file = two_sets([[0.0; 4]; 2], &[("JOINTS_1", 2), ("WEIGHTS_1", 4)]);
    let (scene, losses) = read(&file).unwrap();
    assert!(scene.meshes[0].primitives[0].mesh.weights.is_empty());
    let what = "meshes[0].primitives[0].JOINTS_1: joints and weights are read only in pairs";
    assert!(losses[0].starts_with(what), "{losses:?}");
}

/// A triangle whose vertices have these weights for the joints 0 to 7, as it is read, and the losses.
fn with_two_sets(weights: [[f32; 4]; 2]) -> (Scene, Vec<String>) {
    read(&two_sets(weights, &[("JOINTS_0", 1), ("JOINTS_1", 2), ("WEIGHTS_0", 3), ("WEIGHTS_1", 4)])).unwrap()
}

/// A triangle with these attributes among two sets of joints and weights.
fn two_sets(weights: [[f32; 4]; 2], attributes: &[(&str, usize)]) -> Value {
    let sets = [[0_u8, 1, 2, 3], [4, 5, 6, 7]].map(|set| [set; 3].concat());
    let weights = weights.map(|set| floats(&[set; 3].concat()));
    let joints = accessor(5121, "VEC4", 3);
    let numbers = accessor(5126, "VEC4", 3);
    let more: [(&[u8], Value); 4] = [
        (&sets[0], joints.clone()),
        (&sets[1], joints),
        (&weights[0], numbers.clone()),
        (&weights[1], numbers),
    ];
    triangle(&more, |file| {
        for (name, accessor) in attributes {
            file["meshes"][0]["primitives"][0]["attributes"][name] = json!(accessor);
        }
        file["skins"] = json!([{"joints": [0, 0, 0, 0, 0, 0, 0, 0]}]);
        file["nodes"][0]["skin"] = json!(0);
    })
}

#[test]
fn a_source_of_files_learns_how_much_memory_is_left() {
    const LIMIT: u64 = 1 << 20;
    let text = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "a.bin", "byteLength": 1 }, { "uri": "b.bin", "byteLength": 1 }],
    });
    let mut asked = Vec::new();
    let source = |reference: &rezkit::Reference, max_bytes: u64| {
        asked.push((reference.to_string(), max_bytes));
        match asked.len() {
            1 => Ok(Some(vec![0; 300_000])),
            _ => rezkit::Budget::new(max_bytes).take(LIMIT, "the file").map(|()| None),
        }
    };
    let options = rezkit::ReadOptions::new().max_bytes(LIMIT);
    let error = options.open(text.to_string().into_bytes(), "a.gltf", source).expect_err("too much memory");
    assert_eq!(error.kind(), rezkit::ErrorKind::Limit, "{error}");
    assert_eq!(error.path(), "buffers[1]");
    let [(first, before), (second, after)] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!((&**first, &**second), ("a.bin", "b.bin"));
    assert!(*before <= LIMIT && before - after == 300_000, "{asked:?}");
}
