//! Constructs: files in which something is repeated n times, most of them texts. Each construct was found by an attack,
//! or makes a format or `rezkit` do much work.

use std::sync::LazyLock;

use targets::Beside;

use super::samples::Sample;
use crate::bytes::{base64, png, zip};

/// A construct: its name, the name of its file, and how to make the file with n repetitions.
pub(crate) struct Construct {
    pub(crate) name: &'static str,
    pub(crate) file: &'static str,
    make: Make,
}

enum Make {
    /// The template of a text: see [`expanded`].
    Text(String),
    Bytes(fn(usize) -> Vec<u8>),
}

impl Construct {
    pub(crate) fn make(&self, n: usize) -> Vec<u8> {
        match &self.make {
            Make::Bytes(make) => make(n),
            Make::Text(template) => wrapped(self.file, &expanded(template, n)),
        }
    }

    /// The name of the construct with that of its file.
    pub(crate) fn title(&self) -> String {
        format!("{} ({})", self.name, self.file)
    }

    pub(crate) fn sample(&self, n: usize) -> Sample {
        Sample { name: self.file.to_owned(), bytes: self.make(n), beside: self.beside(n) }
    }

    /// The other files in the folder of the file.
    pub(crate) fn beside(&self, n: usize) -> Beside {
        if ![PICTURES, LIBRARY].contains(&self.name) {
            return Beside::new();
        }
        // The same picture, under both names that the library uses.
        let library = expanded("«newmtl m{i}\nKd 1 0 0\nmap_Kd ./t.png\nmap_Bump -s 1 1 1 t.png\n»", n);
        let names = ["./t.png", "t.png"].map(|name| (name.to_owned(), png(64, 64)));
        [("a.mtl".to_owned(), library.into_bytes())].into_iter().chain(names).collect()
    }
}

/// Expands a template. The text between `«` and `»` is repeated n times; text after a `¦` in it is put between
/// repetitions. In a repetition, `{i}` is its index, `{k}` the next index, `{j}` the next index or 0 in the last one,
/// and `{f}` is n + 1 + the index. Everywhere, `{n}` is n and `{m}` is n - 1.
fn expanded(template: &str, n: usize) -> String {
    let mut text = String::new();
    for part in template.split('»') {
        let (plain, repeated) = part.split_once('«').unwrap_or((part, ""));
        let (one, between) = repeated.split_once('¦').unwrap_or((repeated, ""));
        text += plain;
        let numbers = |at: usize| [("{i}", at), ("{k}", at + 1), ("{j}", (at + 1) % n), ("{f}", n + 1 + at)];
        for at in 0..if one.is_empty() { 0 } else { n } {
            text += if at > 0 { between } else { "" };
            let each = |one: String, (name, number): (&str, usize)| one.replace(name, &number.to_string());
            text += &numbers(at).into_iter().fold(one.to_owned(), each);
        }
    }
    text.replace("{n}", &n.to_string()).replace("{m}", &(n - 1).to_string())
}

/// Adds what a file with this name needs around a text.
fn wrapped(file: &str, text: &str) -> Vec<u8> {
    let text = match file.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "rbxmx" => format!("<roblox version=\"4\">{}</roblox>", text.replace("BOX", BOX)),
        "gltf" => {
            let pixel = base64(&png(1, 1));
            let text = text.replace("TRIANGLE", TRIANGLE).replace("PIXEL", &pixel);
            format!("{{\"asset\":{{\"version\":\"2.0\"}},{text}}}")
        }
        "a3d" => format!("3dmodel 1\nname\n\n\n\n\n{text}\nEnd\n"),
        "xml" => format!("<llsd>{text}</llsd>"),
        "notation" => format!("<? llsd/notation ?>\n{text}"),
        _ => text.to_owned(),
    };
    text.into_bytes()
}

/// The positions of a triangle, as accessor 0.
const TRIANGLE: &str = concat!(
    r#""buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":"#,
    r#"[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]"#
);

const PICTURES: &str = "materials of a library, each with textures";
const LIBRARY: &str = "a material library that is named n times";
const POINTS: &str = r#"{"attributes":{"POSITION":0}}"#;

/// The name, the CFrame and the size of a part, as properties in XML.
const BOX: &str = "<string name='Name'>Part</string><CoordinateFrame name='CFrame'><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00>\
    <R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>\
    <Vector3 name='size'><X>1</X><Y>1</Y><Z>1</Z></Vector3>";

/// All constructs.
pub(crate) fn all() -> &'static [Construct] {
    static ALL: LazyLock<Vec<Construct>> = LazyLock::new(|| {
        let lines = include_str!("constructs.tsv").lines().filter(|line| !line.starts_with('#'));
        let texts = lines.map(|line| {
            let [file, name, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("three fields: {line}")
            };
            // Escapes are those of Rust; U+0001 takes the place of an escaped backslash until the others are replaced.
            let escapes = [("\\\\", "\u{1}"), ("\\n", "\n"), ("\\r", "\r"), ("\\0", "\0"), ("\u{1}", "\\")];
            let text = escapes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
            Construct { name, file, make: Make::Text(text) }
        });
        texts
            .chain(BYTES.iter().map(|&(file, name, make)| Construct { name, file, make: Make::Bytes(make) }))
            .collect()
    });
    &ALL
}

type Bytes = (&'static str, &'static str, fn(usize) -> Vec<u8>);

/// Constructs that are not templates: the name of the file, the name of the construct, and the function that makes the
/// file.
const BYTES: &[Bytes] = &[
    ("a.zip", "files in an archive", |n| {
        let names: Vec<String> = (0..n).map(|at| format!("{at}.mesh")).collect();
        zip(&names.iter().map(|name| (name.as_str(), &b"version 1.00\n0\n"[..])).collect::<Vec<_>>())
    }),
    ("a.zip", "nested archives", |n| {
        (0..n.min(200)).fold(b"version 1.00\n0\n".to_vec(), |inside, _| zip(&[("a.zip", &inside)]))
    }),
    ("a.zip", "a long file name, and n small meshes", |n| {
        zip(&[(&format!("{}.mesh", "n".repeat(n.min(60_000))), &b"version 1.00\n0\n".repeat(n))])
    }),
    ("a.rbxmx", "nested scripts", |n| {
        nested(n.min(900), "ModuleScript", "<ProtectedString name='Source'>print(1)</ProtectedString>", "")
    }),
    ("a.rbxmx", "a shared string of length n that is used n times", |n| {
        let share = "<Item class='Script'><Properties><SharedString name='Source'>k</SharedString></Properties></Item>".repeat(n);
        shared(&share, &b"print(1) ".repeat(n))
    }),
    ("a.rbxmx", "unions that share collision data", |n| {
        let part = "<Item class='UnionOperation'><Properties><SharedString name='PhysicalConfigData'>k</SharedString>BOX</Properties></Item>";
        shared(&part.repeat(n), &vec![7; n])
    }),
    ("a.rbxmx", "nested models, with a cycle of joints and an animation", |n| {
        let joint = "<Item class='Motor6D'><Properties><Ref name='Part0'>P</Ref><Ref name='Part1'>P</Ref></Properties></Item>";
        let inside = "<Item class='Part' referent='P'><Properties>BOX</Properties></Item><Item class='KeyframeSequence'><Properties></Properties></Item>";
        nested(n, "Model", "", &(inside.to_owned() + joint))
    }),
    ("a.rbxmx", "nested models, with an animation and no joints", |n| {
        nested(n, "Model", "", "<Item class='KeyframeSequence'><Properties></Properties></Item>")
    }),
    ("a.rbxmx", "unions, each with its own hulls", |n| {
        wrapped("a.rbxmx", &(0..n).map(|at| union(&hulls(1, at as f32))).collect::<String>())
    }),
    ("a.rbxmx", "hulls of a union", |n| wrapped("a.rbxmx", &union(&hulls(n, 1.0)))),
    ("a.rbxmx", "chunks of terrain", |n| {
        // Half of each chunk is grass, in runs of 256 voxels; each chunk is adjacent to the one before it.
        let runs = [[0x82, 0xff].repeat(64), [0x80, 0xff].repeat(64)].concat();
        let chunk = |at: usize| [&[0; 9][..], &[u8::from(at > 0), 0, 0], &runs].concat();
        let grid = base64(&[vec![1, 5], (0..n / 50).flat_map(chunk).collect()].concat());
        let terrain =
            "<Item class='Terrain'><Properties><BinaryString name='SmoothGrid'>GRID</BinaryString></Properties></Item>".replace("GRID", &grid);
        wrapped(
            "a.rbxmx",
            &"<Item class='Workspace'><Properties></Properties>BELOW</Item>".replace("BELOW", &terrain),
        )
    }),
    ("a.rbxmx", "nested bones in a mesh part", |n| {
        let bones = "<Item class='Bone'><Properties></Properties>BELOW</Item>";
        let nested = (0..n.min(900)).fold("BELOW".to_owned(), |text, _| text.replace("BELOW", bones));
        wrapped(
            "a.rbxmx",
            &"<Item class='MeshPart'><Properties>BOX</Properties>BELOW</Item>"
                .replace("BELOW", &nested)
                .replace("BELOW", ""),
        )
    }),
    ("a.rbxmx", "tags and attributes", |n| {
        let mut attributes = (n as u32).to_le_bytes().to_vec();
        (0..n).for_each(|at| {
            let name = format!("a{at}");
            attributes.extend((name.len() as u32).to_le_bytes());
            attributes.extend(name.bytes().chain([3, 1]));
        });
        let tags = expanded("«t{i}\0»", n);
        let property = |name: &str, bytes: &[u8]| {
            format!("<BinaryString name='{name}'>{}</BinaryString>", base64(bytes))
        };
        let both = property("AttributesSerialize", &attributes) + &property("Tags", tags.as_bytes());
        wrapped(
            "a.rbxmx",
            &"<Item class='Folder'><Properties>BOTH</Properties></Item>".replace("BOTH", &both),
        )
    }),
    ("a.rbxmx", "nested folders", |n| nested(n, "Folder", "", "")),
    ("a.rbxmx", "nested parts", |n| {
        let open = "<Item class='Part'><Properties>BOX</Properties></Item>";
        let open = open.trim_end_matches("</Item>").repeat(n);
        wrapped("a.rbxmx", &(open + &"</Item>".repeat(n)))
    }),
    ("a.rbxmx", "parts with huge coordinates", |n| {
        let part = |at: usize| {
            "<Item class='Part'><Properties>BOX</Properties></Item>"
                .replace("BOX", BOX)
                .replace("<X>0</X>", &format!("<X>{at}e34</X>"))
        };
        wrapped("a.rbxmx", &(0..n).map(part).collect::<String>())
    }),
    ("a.rbxm", "counts of the header that no chunk fills", |_| binary([u32::MAX >> 1; 2], &[])),
    ("a.rbxm", "a chunk that claims to inflate to 4 GB", |_| {
        binary([1, 1], &chunk(b"INST", 4, u32::MAX, b"\x10abc"))
    }),
    ("a.rbxm", "a class of more instances than there are", |_| {
        let content = [&4_u32.to_le_bytes()[..], b"\x04\0\0\0Part\0", &u32::MAX.to_le_bytes()].concat();
        binary([1, 1], &chunk(b"INST", 0, content.len() as u32, &content))
    }),
    ("a.rbxm", "classes with one instance", |n| {
        let class = |id: u32| {
            let content = [&id.to_le_bytes()[..], b"\x04\0\0\0Part\0\x01\0\0\0", &[0; 4]].concat();
            chunk(b"INST", 0, content.len() as u32, &content)
        };
        binary([n as u32; 2], &(0..n as u32).flat_map(class).collect::<Vec<u8>>())
    }),
    ("a.mesh", "5.00: facial controls, and corrective poses of two controls", |n| {
        let mut mesh = rbxmesh::Mesh { version: rbxmesh::Version::V5_00, ..rbxmesh::Mesh::default() };
        let names: String = (0..n).map(|index| format!("c{index:05}\0")).collect();
        let mut facs = rbxmesh::Facs::default();
        (facs.controls.bytes, facs.face_bones.bytes) = (names.clone().into(), names.into());
        facs.two_pose = (0..n as u16).map(|index| [index, index / 2]).collect();
        mesh.facs = Some(facs);
        rbxmesh::to_vec(&mesh).expect("a mesh")
    }),
    ("a.mesh", "2.00: counts that the input cannot fill", |_| {
        b"version 2.00\n\x0c\0\x28\x0c\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()
    }),
    ("a.mesh", "2.00: vertices that no face uses", |n| {
        let counts = [(n as u32).to_le_bytes(), [0; 4]].concat();
        [b"version 2.00\n\x0c\0\x28\x0c", &*counts, &vec![0; n * 40]].concat()
    }),
    ("a.mesh", "6.00: chunks", |n| {
        let chunk = |at: usize| format!("U{:<7}\x01\0\0\0\0\0\0\0", at % 1000);
        ("version 6.00\n".to_owned() + &(0..n).map(chunk).collect::<String>()).into_bytes()
    }),
    ("a.gltf", "channels of an animation", |n| {
        animated(n, 2, n, 1, r#"{"sampler":0,"target":{"node":{i},"path":"translation"}}"#, "LINEAR")
    }),
    ("a.gltf", "keys of an animation channel", |n| animated(1, n, 1, 1, CHANNEL, "LINEAR")),
    ("a.gltf", "keys with step interpolation", |n| animated(n, n, 1, 1, CHANNEL, "STEP")),
    ("a.gltf", "animations", |n| animated(n, 2, 1, n, CHANNEL, "LINEAR")),
    ("a.gltf", "10 n overlapping layers", |n| {
        let document = r#"TRIANGLE,"meshes":[{"primitives":[PRIMITIVES]}],"nodes":[«{"mesh":0,"translation":[0,0,{i}e-5]}¦,»],"scenes":[{"nodes":[«{i}¦,»]}]"#;
        let primitives = [POINTS; 100].join(",");
        wrapped("a.gltf", &expanded(document, n / 10 + 1).replace("PRIMITIVES", &primitives))
    }),
    ("a.gltf", "a tiny image file that declares n rows of pixels", |n| {
        // The header gives a height of n pixels, and the pixels are missing.
        let mut picture = png(1, 1);
        picture.splice(16..20, (n as u32).to_be_bytes());
        let document = r#"TRIANGLE,"meshes":[{"primitives":[«{"attributes":{"POSITION":0},"material":{i}}¦,»]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"images":[{"uri":"data:image/png;base64,PICTURE"}],"textures":[{"source":0}],"materials":[«{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}¦,»]"#;
        wrapped("a.gltf", &expanded(document, n).replace("PICTURE", &base64(&picture)))
    }),
    ("a.ply", "faces of a binary file", |n| {
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             element face {n}\nproperty list uchar int vertex_indices\nend_header\n"
        );
        let face = [3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];
        [header.as_bytes(), &[0; 36], &face.repeat(n)].concat()
    }),
    ("a.m3d", "materials with embedded textures", |n| {
        let mut model = m3d::Model::default();
        for at in 0..n {
            let mut material = m3d::Material { name: format!("m{at}").into(), properties: Vec::new() };
            material.set(m3d::PropertyId::MAP_DIFFUSE, m3d::Value::Map(format!("t{at}").into()));
            model.materials.push(material);
            model.assets.push(m3d::Asset { name: format!("t{at}").into(), data: png(1, 1) });
        }
        m3d::to_vec(&model).unwrap_or_default()
    }),
    ("a.a3d", "nested bones", |n| {
        let bones: String =
            (0..n.min(1000)).map(|depth| format!("{}0 0 b{depth}\n", "/".repeat(depth))).collect();
        wrapped("a.a3d", &format!("Vertex\n0 0 0 1\n\nBones\n{bones}"))
    }),
    ("a.m3d", "a checkerboard of voxels", |n| {
        let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
        let parity = |at: usize| (at + at / side + at / side / side).is_multiple_of(2);
        let voxel = |at: usize| if parity(at) { m3d::Voxel(0) } else { m3d::Voxel::UNSET };
        let mut block = m3d::VoxelBlock { size: [side as u32; 3], ..m3d::VoxelBlock::default() };
        block.voxels = (0..side.pow(3)).map(voxel).collect();
        let mut model = m3d::Model::default();
        (model.voxel_types, model.voxel_blocks) = (vec![m3d::VoxelType::default()], vec![block]);
        m3d::to_vec(&model).expect("a model")
    }),
    ("a.a3d", "a star, each corner of which is far from its neighbours", |n| polygon(n, n / 2 - 1, 1.0)),
    ("a.a3d", "a gear, every second corner of which is concave", |n| polygon(n, 1, 0.5)),
    ("a.a3d", "lines of the description", |n| {
        format!("3dmodel 1\nname\n\n\n{}\n", "d\n".repeat(n)).into_bytes()
    }),
    ("a.slm", "instances of a mesh", |n| {
        let asset = slmesh::from_slice(&testkit::fixture("slmesh", "all.llmesh")).expect("a mesh");
        let mut slm = slmesh::Slm::of_asset(asset, "a");
        slm.instances = slm.instances.iter().cycle().take(n).cloned().collect();
        slm.to_vec().unwrap_or_default()
    }),
    ("a.llsd", "nested arrays of the binary form", |n| {
        [&b"<? LLSD/Binary ?>\n"[..], &b"[\0\0\0\x01".repeat(n), &b"]".repeat(n)].concat()
    }),
    ("a.llsd", "a count that the input cannot fill", |_| b"<? LLSD/Binary ?>\n[\x7f\xff\xff\xff!".to_vec()),
    ("a.llsd", "a length that the input cannot fill", |_| b"<? LLSD/Binary ?>\nb\x7f\xff\xff\xff!".to_vec()),
];

const CHANNEL: &str = r#"{"sampler":0,"target":{"node":0,"path":"translation"}}"#;

fn nested(n: usize, class: &str, properties: &str, inside: &str) -> Vec<u8> {
    let open = format!("<Item class='{class}'><Properties>{properties}</Properties>").repeat(n);
    wrapped("a.rbxmx", &(open + inside + &"</Item>".repeat(n)))
}

/// A document with these instances and the shared string `k`.
fn shared(instances: &str, content: &[u8]) -> Vec<u8> {
    let strings =
        format!("<SharedStrings><SharedString md5='k'>{}</SharedString></SharedStrings>", base64(content));
    wrapped("a.rbxmx", &(instances.to_owned() + &strings))
}

fn union(hulls: &[u8]) -> String {
    let data = "<BinaryString name='PhysicalConfigData'>HULLS</BinaryString>";
    "<Item class='UnionOperation'><Properties>DATABOX</Properties></Item>"
        .replace("DATA", data)
        .replace("HULLS", &base64(hulls))
}

/// Collision data of version 3, with tetrahedra as hulls.
fn hulls(count: usize, size: f32) -> Vec<u8> {
    let mut bytes = b"CSGPHS\x03\0\0\0".to_vec();
    for _ in 0..count {
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 16]));
        bytes.extend([16, 0, 0, 0].into_iter().chain([0; 14]).chain([0x80, 0x3f]));
        bytes.extend([12, 0, 0, 0, 4, 0, 0, 0]);
        let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, size + 1.0, 0.0, 0.0, 0.0, 1.0_f32];
        corners.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.extend([12, 0, 0, 0]);
        [0_u32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    bytes
}

/// A binary document of version 0 with these counts of classes and instances, and these chunks.
fn binary(counts: [u32; 2], chunks: &[u8]) -> Vec<u8> {
    let counts = counts.map(u32::to_le_bytes).concat();
    let end = chunk(b"END\0", 0, 9, b"</roblox>");
    [b"<roblox!\x89\xff\r\n\x1a\n\0\0", &*counts, &[0; 8], chunks, &end].concat()
}

fn chunk(name: &[u8; 4], stored: u32, length: u32, content: &[u8]) -> Vec<u8> {
    [&name[..], &stored.to_le_bytes(), &length.to_le_bytes(), &[0; 4], content].concat()
}

/// Nodes, and animations with this many channels and keys; the keys' times and values are the accessors 0 and 1.
fn animated(
    nodes: usize,
    keys: usize,
    channels: usize,
    animations: usize,
    channel: &str,
    how: &str,
) -> Vec<u8> {
    let times = (0..keys).flat_map(|at| (at as f32).to_le_bytes());
    let bytes: Vec<u8> = times.chain((0..keys * 3).flat_map(|at| (at as f32).to_le_bytes())).collect();
    let channels = expanded(&format!("«{channel}¦,»"), channels);
    let sampler = format!(r#"{{"input":0,"output":1,"interpolation":"{how}"}}"#);
    let animation = format!(r#"{{"samplers":[{sampler}],"channels":[{channels}]}}"#);
    wrapped(
        "a.gltf",
        &format!(
            r#""buffers":[{{"byteLength":{},"uri":"data:application/octet-stream;base64,{}"}}],"bufferViews":[{{"buffer":0,"byteLength":{times}}},{{"buffer":0,"byteOffset":{times},"byteLength":{}}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":{keys},"type":"SCALAR","min":[0],"max":[{}]}},{{"bufferView":1,"componentType":5126,"count":{keys},"type":"VEC3"}}],"nodes":[{}],"scenes":[{{"nodes":[0]}}],"animations":[{}]"#,
            bytes.len(),
            base64(&bytes),
            keys * 12,
            keys - 1,
            vec!["{}"; nodes].join(","),
            vec![animation; animations].join(","),
            times = keys * 4,
        ),
    )
}

/// A shape that is one polygon with n corners on a circle: each is `steps` places after the previous one, and every
/// second one is at a distance of `second` from the centre.
fn polygon(n: usize, steps: usize, second: f64) -> Vec<u8> {
    let corner = |corner: usize| {
        let (sin, cos) = (std::f64::consts::TAU * (corner * steps) as f64 / n as f64).sin_cos();
        let radius = if corner.is_multiple_of(2) { 1.0 } else { second };
        format!("{} {} 0 1\n", radius * cos, radius * sin)
    };
    let corners: String = (0..n).map(corner).collect();
    wrapped("a.a3d", &expanded(&format!("Vertex\n{corners}\nShape s\npolygon {{n}}[« {{i}}» ]\n"), n))
}

#[cfg(test)]
mod tests {
    use targets::kit::sources;

    use super::*;

    #[test]
    fn texts_repeat() {
        assert_eq!(expanded("a«{i}{j}¦,»b«x»{n}{m}", 3), "a01,12,20bxxx32");
    }

    /// A construct should be read, since refusing a file tests little. These are refused, since they claim more than
    /// they contain, or are nested too deeply.
    #[test]
    fn constructs_are_read() {
        let refused = [
            "Model 3D headers with the length 0",
            "1.00: a count of faces that the input cannot fill",
            "sets of texture coordinates",
            "nested archives",
            "a chunk that claims to inflate to 4 GB",
            "a class of more instances than there are",
            "2.00: counts that the input cannot fill",
            "nested arrays of the binary form",
            "a count that the input cannot fill",
            "a length that the input cannot fill",
        ];
        for construct in all() {
            let Sample { name, bytes, beside } = construct.sample(8);
            let parts = rezkit::unwrap(bytes, &rezkit::ReadOptions::new()).unwrap_or_default();
            let open =
                |part: &rezkit::Part| rezkit::open(part.bytes.to_vec(), &name, sources(&beside)).is_ok();
            assert_eq!(!parts.iter().any(open), refused.contains(&construct.name), "{}", construct.title());
        }
    }
}
