//! The whole files that are damaged.

use rezkit::{ConvertOptions, FORMATS, WriteOptions};
use serde_json::{Value, json};
use targets::Beside;

use crate::bytes::{base64, png};

/// Larger files are left out: most of their bytes are geometry, and damage there shows little.
const LARGEST: usize = 48 << 10;

/// A file, and those beside it that it refers to.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) beside: Beside,
}

impl Sample {
    pub(super) fn alone(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, beside: Beside::new() }
    }
}

/// Whole files of a format: fixtures, real files, and each of them in every form of the format; of scene formats,
/// what the others become, and glTF files with all that they may have.
pub(super) fn of(format: &str) -> Vec<Sample> {
    let of = FORMATS.iter().find(|known| known.name == format).expect("a format");
    let mut samples: Vec<Sample> = Vec::new();
    if of.is_exact() {
        let whole = testkit::fixtures(format).into_iter().chain(testkit::corpus(format));
        samples.extend(whole.map(|sample| Sample::alone(sample.name, sample.bytes)));
        samples.retain(fits);
        let mut more = Vec::new();
        for sample in &samples {
            let Ok(asset) = rezkit::read(&sample.bytes) else { continue };
            for form in of.forms {
                let written = asset.write(&WriteOptions::new().form(form.name).allow_loss(true));
                let (stem, old) = sample.name.rsplit_once('.').unwrap_or((&sample.name, ""));
                let name = format!("{stem}-{}.{}", form.name, form.extension.unwrap_or(old));
                more.extend(written.ok().map(|bytes| Sample::alone(name, bytes)));
            }
        }
        samples.extend(more);
    } else {
        for (from, every) in [("rbxmesh", 3), ("m3d", 6), ("slmesh", 1), ("rbxbinary", 3), ("rbxxml", 6)] {
            let mut whole = testkit::corpus(from);
            whole.extend(testkit::fixtures(from));
            for sample in whole.into_iter().step_by(every) {
                let whole = Sample::alone(sample.name, sample.bytes);
                samples.extend(of.extensions.iter().filter_map(|extension| converted(&whole, extension)));
            }
        }
    }
    if format == "slmesh" {
        samples.push(Sample::alone("a.anim", motion()));
    }
    // Motions, and what the other formats make of a scene that has everything.
    for whole in rich() {
        match format == "gltf" {
            true => samples.push(whole),
            false => {
                samples.extend(of.extensions.iter().filter_map(|extension| converted(&whole, extension)))
            }
        }
    }
    samples.retain(fits);
    samples
}

fn fits(sample: &Sample) -> bool {
    !sample.bytes.is_empty() && sample.bytes.len() <= LARGEST
}

/// A file in another format.
fn converted(from: &Sample, extension: &str) -> Option<Sample> {
    let mut opened =
        rezkit::open(from.bytes.clone(), &from.name, targets::kit::sources(&from.beside)).ok()?;
    let options = ConvertOptions::new().allow_loss(true);
    let output = opened.convert(None, &format!("a.{extension}"), &options).ok()?;
    let mut files = output.files.into_iter();
    let bytes = files.next()?.bytes;
    let beside = targets::kit::beside(files.collect());
    Some(Sample { name: format!("{}.{extension}", from.name), bytes, beside })
}

/// Files of glTF with what no other format becomes: compressed views, sparse accessors, instances, curves, morph targets,
/// skins, every extension of materials.
fn rich() -> Vec<Sample> {
    let text = |bytes: &[u8]| format!("data:;base64,{}", base64(bytes));
    let mut files = vec![("everything", everything(&text)), ("meshopt", meshopt())];
    files.extend(streams(&text));
    let meshes = testkit::fixtures("rbxmesh").into_iter().chain(testkit::corpus("rbxmesh"));
    files.extend(meshes.filter_map(|mesh| Some(("draco", draco(&mesh.bytes, &text)?))));
    let sample = |(name, json): (&str, Value)| {
        let bytes = serde_json::to_vec(&json).unwrap_or_default();
        Sample::alone(format!("{name}.gltf"), bytes)
    };
    files.into_iter().map(sample).collect()
}

/// A buffer, with the accessors of what it has.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Data {
    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()}));
        self.bytes.extend(bytes);
        self.views.len() - 1
    }

    fn floats(&mut self, kind: &str, each: usize, values: &[f32]) -> usize {
        let view = self.view(&values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>());
        let column = |at: usize| values.iter().skip(at).step_by(each).copied();
        let min: Vec<f32> = (0..each).map(|at| column(at).fold(f32::MAX, f32::min)).collect();
        let max: Vec<f32> = (0..each).map(|at| column(at).fold(f32::MIN, f32::max)).collect();
        self.accessors.push(json!({
            "bufferView": view, "componentType": 5126, "type": kind, "count": values.len() / each, "min": min, "max": max,
        }));
        self.accessors.len() - 1
    }
}

fn everything(text: &dyn Fn(&[u8]) -> String) -> Value {
    let mut data = Data::default();
    let positions = data.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let normals = data.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(4));
    let tangents = data.floats("VEC4", 4, &[1.0, 0.0, 0.0, 1.0].repeat(4));
    let uvs = data.floats("VEC2", 2, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let weights = data.floats("VEC4", 4, &[0.75, 0.25, 0.0, 0.0].repeat(4));
    let offsets = data.floats("VEC3", 3, &[0.0, 0.5, 0.0].repeat(4));
    let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let matrices = data.floats("MAT4", 16, &identity.repeat(2));
    let times = data.floats("SCALAR", 1, &[0.0, 0.5, 2.0]);
    let moves = data.floats("VEC3", 3, &[0.0, 1.0, 0.5].repeat(9));
    let turns = data.floats("VEC4", 4, &[0.0, 0.0, 0.6, 0.8].repeat(3));
    let morphs = data.floats("SCALAR", 1, &[0.0, 1.0, 0.25]);
    let bytes = |kind: &str, count: usize, view: usize| json!({"bufferView": view, "componentType": 5121, "type": kind, "count": count});
    let (joints, indices) = (data.view(&[0, 1, 0, 0].repeat(4)), data.view(&[0, 1, 2, 0, 2, 3]));
    data.accessors.extend([bytes("VEC4", 4, joints), bytes("SCALAR", 6, indices)]);
    let (joints, indices) = (data.accessors.len() - 2, data.accessors.len() - 1);
    let (places, others) = (data.view(&[1]), data.view(&[0, 0, 128, 63].repeat(3)));
    data.accessors.push(json!({
        "componentType": 5126, "type": "VEC3", "count": 4, "bufferView": offsets,
        "sparse": {"count": 1, "indices": {"bufferView": places, "componentType": 5121}, "values": {"bufferView": others}},
    }));
    let sparse = data.accessors.len() - 1;
    let picture = data.view(&png(3, 2));
    let texture = |set: usize| json!({"index": 0, "texCoord": set, "extensions": {"KHR_texture_transform": {"offset": [0.5, 0], "rotation": 1, "scale": [2, 2]}}});
    let channel = |sampler: usize, node: usize, path: &str| json!({"sampler": sampler, "target": {"node": node, "path": path}});
    json!({
        "asset": {"version": "2.0", "copyright": "a"},
        "extensionsUsed": ["KHR_texture_transform", "KHR_lights_punctual", "EXT_mesh_gpu_instancing", "KHR_materials_clearcoat"],
        "extensions": {"KHR_lights_punctual": {"lights": [
            {"type": "spot", "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.5}, "range": 5},
            {"type": "directional", "color": [1, 0.5, 0], "intensity": 3}]}},
        "buffers": [{"byteLength": data.bytes.len(), "uri": text(&data.bytes)}],
        "bufferViews": data.views,
        "accessors": data.accessors,
        "images": [{"bufferView": picture, "mimeType": "image/png"}, {"uri": text(&png(1, 1))}],
        "samplers": [{"magFilter": 9728, "minFilter": 9987, "wrapS": 33071, "wrapT": 33648}],
        "textures": [{"source": 0, "sampler": 0}, {"source": 1}],
        "materials": [{
            "name": "m", "pbrMetallicRoughness": {
                "baseColorFactor": [1, 0.5, 0.25, 0.5], "baseColorTexture": texture(0), "metallicFactor": 0.5,
                "metallicRoughnessTexture": {"index": 1}},
            "normalTexture": {"index": 0, "scale": 0.5}, "occlusionTexture": {"index": 1, "strength": 0.5},
            "emissiveFactor": [1, 1, 0], "emissiveTexture": {"index": 0}, "alphaMode": "MASK", "alphaCutoff": 0.25,
            "doubleSided": true, "extensions": {
                "KHR_materials_emissive_strength": {"emissiveStrength": 4}, "KHR_materials_ior": {"ior": 1.3},
                "KHR_materials_transmission": {"transmissionFactor": 0.5},
                "KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [1, 0, 1]},
                "KHR_materials_clearcoat": {"clearcoatFactor": 1, "clearcoatNormalTexture": {"index": 1, "scale": 2}}}},
            {"extensions": {"KHR_materials_unlit": {}}, "alphaMode": "BLEND"}],
        "meshes": [
            {"name": "body", "weights": [0.5, 0], "extras": {"targetNames": ["a", "b"]}, "primitives": [
                {"attributes": {"POSITION": positions, "NORMAL": normals, "TANGENT": tangents, "TEXCOORD_0": uvs,
                    "TEXCOORD_1": uvs, "JOINTS_0": joints, "WEIGHTS_0": weights}, "indices": indices, "material": 0,
                    "targets": [{"POSITION": offsets, "NORMAL": offsets}, {"POSITION": sparse}]},
                {"attributes": {"POSITION": positions}, "mode": 5, "material": 1,
                    "targets": [{"POSITION": offsets}, {"POSITION": sparse}]}]},
            {"primitives": [{"attributes": {"POSITION": positions}, "mode": 6}, {"attributes": {"POSITION": positions}, "mode": 1}]}],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1, "zfar": 100, "aspectRatio": 1.5}},
            {"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "znear": 0, "zfar": 10}}],
        "skins": [{"joints": [1, 2], "inverseBindMatrices": matrices, "skeleton": 1}],
        "nodes": [
            {"name": "root", "children": [1, 3, 4], "extras": {"a": [1, null]}},
            {"name": "mPelvis", "children": [2], "translation": [0, 1, 0]},
            {"name": "mTorso", "rotation": [0, 0, 0.6, 0.8], "scale": [1, 2, 1], "camera": 0},
            {"name": "body", "mesh": 0, "skin": 0, "weights": [0, 1]},
            {"name": "body_LOD1", "mesh": 1, "matrix": identity, "children": [5],
                "extensions": {"KHR_lights_punctual": {"light": 0}, "KHR_node_visibility": {"visible": false}}},
            {"name": "many", "mesh": 1, "camera": 1, "extensions": {
                "KHR_lights_punctual": {"light": 1},
                "EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": offsets, "SCALE": normals}}}}],
        "scenes": [{"name": "s", "nodes": [0]}, {"nodes": [5]}],
        "scene": 0,
        "animations": [{"name": "wave", "samplers": [
                {"input": times, "output": moves, "interpolation": "CUBICSPLINE"},
                {"input": times, "output": turns, "interpolation": "STEP"}, {"input": times, "output": turns}],
            "channels": [channel(0, 1, "translation"), channel(1, 2, "rotation"), channel(2, 1, "rotation")]},
            {"samplers": [{"input": times, "output": morphs}], "channels": [channel(0, 4, "weights")]}],
    })
}

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| text.get(at * 2..at * 2 + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
    (0..text.len() / 2).filter_map(digit).collect()
}

/// Streams of `EXT_meshopt_compression` that meshoptimizer wrote, each in a file: its mode, its filter, the number and the
/// size of its values.
const STREAMS: [(&str, &str, usize, usize, &str); 6] = [
    (
        "TRIANGLES",
        "NONE",
        165,
        4,
        "e1fe1e100e100e100e100efe1e190e180e170e160eff1e160e160e160e160eff1e160e160e160e160eff1e160e160e160e160efeffffff\
         fe0f0c9f025f090c5f090c5f090c1f45ffb401ad0112ff15b4019301ff96010202fba101007687566778a9866589689801690000",
    ),
    ("INDICES", "NONE", 10, 4, "d1000404c901040504d51db08b118b1f00000000"),
    (
        "ATTRIBUTES",
        "NONE",
        40,
        8,
        "a02a0eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000001a02232232232232232232232232232232baeb00000303031c00000000\
         df52565a5e62666a6e72767affff00007e82868a8e92969a1f004a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a\
         4a4affff00004a4a4a4a4a4a4a4a00150000800080008000800000002a06666f6666f6666f1717176666f6666f6666f6171717666f6666\
         0000000017010000003c6f700000000000000000000000000000000000000000000000000000000009000000",
    ),
    (
        "ATTRIBUTES",
        "OCTAHEDRAL",
        4,
        4,
        "a0013f0000006cea91013f00000091c358000103000000fe0000000000000000000000000000000000000000000000000000000000007f00",
    ),
    (
        "ATTRIBUTES",
        "QUATERNION",
        4,
        8,
        "a0013f000000b26f41013d0000000b0e013f000000b1c717013f0000000a0511013f000000b115c8013f0000000a1108013f000000\
         05060500000000000000000000000000000000000000000000000000000000000000ff07",
    ),
    (
        "ATTRIBUTES",
        "EXPONENTIAL",
        2,
        16,
        "a000000001300000004001300000008201300000002a0001300000004000013000000050012000000001300000004000000001300000\
                      004000000000000000000000000000000000000000f4001000f400d8fff4000000f4",
    ),
];

fn streams(text: &dyn Fn(&[u8]) -> String) -> Vec<(&'static str, Value)> {
    let file = |(mode, filter, count, stride, stream): (&'static str, &str, usize, usize, &str)| {
        let bytes = hex(stream);
        let length = count * stride;
        let json = json!({
            "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_meshopt_compression"],
            "buffers": [{"byteLength": length, "extensions": {"EXT_meshopt_compression": {"fallback": true}}},
                {"byteLength": bytes.len(), "uri": text(&bytes)}],
            "bufferViews": [{"buffer": 0, "byteLength": length, "byteStride": stride, "extensions": {
                "EXT_meshopt_compression": {"buffer": 1, "byteLength": bytes.len(), "byteStride": stride, "count": count,
                    "mode": mode, "filter": filter}}}],
            "nodes": [{}], "scenes": [{"nodes": [0]}],
        });
        (mode, json)
    };
    STREAMS.into_iter().map(file).collect()
}

/// A mesh of which the positions and the indices are compressed.
fn meshopt() -> Value {
    const DATA: &str = "oAAAAAE8AAAAgH8AAAABDwAAAIB/AAAAAQMAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADh/g4CEfAEAHaHVmd4qYZliWiYAWkAAA==";
    let view = |at: usize, to: usize, stride: usize, count: usize, mode: &str, [from, length]: [usize; 2]| {
        json!({"buffer": 0, "byteOffset": to, "byteLength": stride * count, "extensions": {"EXT_meshopt_compression": {
            "buffer": at, "byteOffset": from, "byteLength": length, "byteStride": stride, "count": count, "mode": mode}}})
    };
    json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "buffers": [{"byteLength": 72, "extensions": {"EXT_meshopt_compression": {"fallback": true}}},
            {"byteLength": 85, "uri": format!("data:;base64,{DATA}")}],
        "bufferViews": [view(1, 0, 12, 4, "ATTRIBUTES", [0, 62]), view(1, 48, 2, 12, "TRIANGLES", [62, 23])],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [2, 2, 2]},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    })
}

/// A keyframe motion of an avatar, with all that it can have.
fn motion() -> Vec<u8> {
    use slmesh::motion::{Constraint, Joint, Key, Motion};

    let mut motion = Motion::new(2.0);
    for name in ["mPelvis", "mTorso", "mHead"] {
        let mut joint = Joint::new(name);
        let turn = |at: f32| Key::of_rotation(at, [0.0, 0.0, at * 0.6, 0.8]);
        joint.rotations = vec![turn(0.0), turn(0.5), turn(1.0)];
        joint.positions = vec![Key::of_position(0.0, [0.0; 3]), Key::of_position(1.0, [0.0, 0.5, -1.0])];
        motion.joints.push(joint);
    }
    (motion.looped, motion.loop_out, motion.hand_pose) = (1, 1.5, 3);
    let mut constraint = Constraint::default();
    (constraint.chain_length, constraint.target) = (1, *b"GROUND\0\0\0\0\0\0\0\0\0\0");
    motion.constraints.push(constraint);
    slmesh::motion::to_vec(&motion).unwrap_or_default()
}

/// The stream that a mesh of Roblox has, as glTF has such streams.
fn draco(mesh: &[u8], text: &dyn Fn(&[u8]) -> String) -> Option<Value> {
    let start = mesh.windows(5).position(|bytes| bytes == b"DRACO")?;
    let stream = mesh.get(start..)?;
    Some(json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_draco_mesh_compression"],
        "buffers": [{"byteLength": stream.len(), "uri": text(stream)}],
        "bufferViews": [{"buffer": 0, "byteLength": stream.len()}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"componentType": 5125, "count": 3, "type": "SCALAR"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    }))
}
