//! Packed values in glTF: Draco and meshopt.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use base64::Engine as _;
use rezkit::scene::{Scene, gltf};
use rezkit::{Budget, Error, ErrorKind};
use serde_json::{Value, json};

/// A cube with texture coordinates, as the reference encoder writes it: 24 vertices, 12 triangles.
pub(crate) const CUBE: &str = "RFJBQ08CAgEBAAAACAwBCwAAA2+rCgEBEFUE11P2RgL/AAAAAQABAAkDAAACAQMJAgABAgEBAQADAwEgASADAHBBnAAi\
    AAUAAAAA/z8AAAAAgL8AAIC/AACAvwAAAEAOAQEBAQEDqR6tEq0OC2qo6sMDg0MlfFxlAAAAAP8PAAAAAAAAAAAAAAAAgD8M";

fn read(json: &Value, max_bytes: u64) -> Result<Scene, Error> {
    let text = serde_json::to_vec(json).unwrap();
    gltf::from_slice(&text, &mut Budget::new(max_bytes), &mut |_, _| Ok(None)).map(|(scene, _)| scene)
}

/// A file with a Draco stream of positions and texture coordinates, for 12 triangles and a number of vertices.
pub(crate) fn draco(stream: &str, count: usize) -> Value {
    let compressed = json!({"bufferView": 0, "attributes": {"POSITION": 0, "TEXCOORD_0": 1}});
    let length = base64::engine::general_purpose::STANDARD.decode(stream).unwrap().len();
    json!({
        "asset": {"version": "2.0"},
        "accessors": [
            {"type": "SCALAR", "componentType": 5123, "count": 36},
            {"type": "VEC3", "componentType": 5126, "count": count, "max": [1, 1, 1], "min": [-1, -1, -1]},
            {"type": "VEC2", "componentType": 5126, "count": count},
            {"type": "SCALAR", "componentType": 5123, "count": 36},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": length}],
        "buffers": [{"byteLength": length, "uri": format!("data:;base64,{stream}")}],
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": 1, "TEXCOORD_0": 2},
            "indices": 0,
            "extensions": {"KHR_draco_mesh_compression": compressed},
        }]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["KHR_draco_mesh_compression"],
        "extensionsRequired": ["KHR_draco_mesh_compression"],
    })
}

fn cube(change: impl FnOnce(&mut Value)) -> Value {
    let mut file = draco(CUBE, 24);
    change(&mut file);
    file
}

/// Cubes of the volume 8, by the divergence theorem, with a number of vertices.
pub(crate) fn is_cube(scene: &Scene, count: usize) {
    for primitive in &scene.meshes[0].primitives {
        let mesh = &primitive.mesh;
        assert_eq!((mesh.positions.len(), mesh.uvs.len(), mesh.triangles.len()), (count, count, 12));
        let corner = |index: u32| mesh.positions[index as usize];
        let volume = |[a, b, c]: [u32; 3]| corner(a).dot(corner(b).cross(corner(c))) / 6.0;
        let volume: f32 = mesh.triangles.iter().map(|triangle| volume(*triangle)).sum();
        assert!((volume - 8.0).abs() < 0.01, "{volume}");
    }
}

/// The stream counts, whatever parts of it the accessors repeat, name or share.
#[test]
fn all_of_a_draco_stream_is_read() {
    let primitive = "/meshes/0/primitives/0";
    let another = |file: &mut Value, change: &dyn Fn(&mut Value)| {
        let mut other = file.pointer(primitive).unwrap().clone();
        change(&mut other);
        file["meshes"][0]["primitives"].as_array_mut().unwrap().push(other);
    };
    let is_cube = |file: Value| is_cube(&read(&file, 1 << 20).unwrap(), 24);
    // Without indices; as a strip.
    is_cube(cube(|file| drop(file["meshes"][0]["primitives"][0]["indices"].take())));
    is_cube(cube(|file| file["meshes"][0]["primitives"][0]["mode"] = json!(5)));
    // Two primitives with all accessors in common; with other indices; with other attributes.
    is_cube(cube(|file| another(file, &|_| ())));
    is_cube(cube(|file| another(file, &|other| other["indices"] = json!(3))));
    let moved = cube(|file| {
        let [position, uv] = [1, 2].map(|at: usize| file["accessors"][at].clone());
        file["accessors"].as_array_mut().unwrap().extend([position, uv]);
        another(file, &|other| other["attributes"] = json!({"POSITION": 4, "TEXCOORD_0": 5}));
    });
    is_cube(moved);
    // The attributes also have plain values, but the indices have none.
    let plain = cube(|file| {
        file["buffers"].as_array_mut().unwrap().push(json!({
            "byteLength": 288, "uri": format!("data:;base64,{}", "A".repeat(384)),
        }));
        file["bufferViews"].as_array_mut().unwrap().push(json!({"buffer": 1, "byteLength": 288}));
        for at in [1, 2] {
            file["accessors"][at]["bufferView"] = json!(1);
        }
    });
    is_cube(plain);
}

/// A fan, and attributes of another type or number of components, are refused.
#[test]
fn draco_streams_that_differ_from_their_accessors_are_refused() {
    for (path, value, said) in [
        ("/meshes/0/primitives/0/mode", json!(6), "found 6 (TRIANGLE_FAN)"),
        ("/accessors/2/type", json!("VEC3"), "expected 3 values of the type float32 per vertex"),
        ("/accessors/2/componentType", json!(5121), "found 2 of the type float32"),
    ] {
        let file = cube(|file| {
            file["meshes"][0]["primitives"][0]["mode"] = json!(4);
            *file.pointer_mut(path).unwrap() = value;
        });
        let error = read(&file, 1 << 20).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// The number of attributes with own corners, at byte 15 of the stream, counts before they are decoded.
#[test]
fn attributes_of_draco_streams_count() {
    let mut stream = base64::engine::general_purpose::STANDARD.decode(CUBE).unwrap();
    assert_eq!(stream[12..15], [8, 12, 1], "vertices, faces, attributes");
    stream[14] = 255;
    let text = crate::xml::base64(stream);
    let file = cube(|file| file["buffers"][0]["uri"] = json!(format!("data:;base64,{text}")));
    let error = read(&file, 150_000).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
    assert!(read(&cube(|_| ()), 150_000).is_ok());
}

/// A tetrahedron compressed by meshoptimizer, and a second view of the same bytes.
fn tetrahedron(change: impl FnOnce(&mut Value)) -> Value {
    let data = "oAAAAAE8AAAAgH8AAAABDwAAAIB/AAAAAQMAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADh/g4CEfAEAHaHVmd4qYZliWiYAWkAAA==";
    let packed = json!({"buffer": 1, "byteLength": 62, "byteStride": 12, "count": 4, "mode": "ATTRIBUTES"});
    let view = json!({
        "buffer": 0, "byteLength": 48, "byteStride": 12, "extensions": {"EXT_meshopt_compression": packed},
    });
    let position = json!({
        "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4, "min": [0, 0, 0], "max": [1, 1, 1],
    });
    let mut file = json!({
        "asset": {"version": "2.0"},
        "buffers": [
            {"byteLength": 48, "extensions": {"EXT_meshopt_compression": {"fallback": true}}},
            {"byteLength": 85, "uri": format!("data:;base64,{data}")},
        ],
        "bufferViews": [&view, &view],
        "accessors": [position],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}],
        "scenes": [{"nodes": [0]}],
        "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
    });
    change(&mut file);
    file
}

/// Views that nothing uses are not decompressed. Two views of the same bytes are one.
#[test]
fn views_are_decompressed_if_they_are_used() {
    let wrong = |file: &mut Value| {
        file["bufferViews"][1]["extensions"]["EXT_meshopt_compression"]["mode"] = json!("unknown");
    };
    let unused = tetrahedron(wrong);
    assert_eq!(read(&unused, 1 << 30).unwrap().meshes[0].primitives[0].mesh.positions.len(), 4);
    let used = tetrahedron(|file| {
        let mut other = file["accessors"][0].clone();
        other["bufferView"] = json!(1);
        file["accessors"].as_array_mut().unwrap().push(other);
        file["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {"POSITION": 1}}));
    });
    let scene = read(&used, 1 << 30).unwrap();
    let [one, two] = &*scene.meshes[0].primitives else { panic!("two primitives") };
    assert_eq!(one.mesh.positions, two.mesh.positions);
    let other_stride = tetrahedron(|file| file["bufferViews"][0]["byteStride"] = json!(16));
    let error = read(&other_stride, 1 << 30).unwrap_err().to_string();
    assert!(error.contains("byteStride is 12, expected that of the buffer view (16)"), "{error}");
}
