//! Constructs: files in which something is repeated n times, most of them texts. Each was found by an attack, or makes a
//! format or the kit do much work. For four times the repetitions, a step may take about four times as long.

use std::sync::Mutex;
use std::time::Duration;

use base64::Engine as _;
use hostile::{Beside, Input, kit};
use rustix::time::{ClockId, clock_gettime};

/// The name of the file, the name of the construct, and the function that makes the file with n repetitions.
type Construct = (&'static str, &'static str, Box<dyn Fn(usize) -> Vec<u8> + Send + Sync>);

/// All constructs: the texts of the table, and those that are bytes.
fn all() -> Vec<Construct> {
    let lines = include_str!("constructs.tsv").lines().filter(|line| !line.starts_with('#'));
    let texts = lines.map(|line| -> Construct {
        let [file, name, text] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("fields: {line}") };
        // Escapes are those of Rust; U+0001 takes the place of an escaped backslash until the others are replaced.
        let escapes = [("\\\\", "\u{1}"), ("\\n", "\n"), ("\\r", "\r"), ("\\0", "\0"), ("\u{1}", "\\")];
        let text = escapes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        (file, name, Box::new(move |n| wrapped(file, &expanded(&text, n))))
    });
    let bytes = BYTES.iter().map(|&(file, name, make)| -> Construct { (file, name, Box::new(make)) });
    texts.chain(bytes).collect()
}

/// Expands a template, as the head of the table describes.
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
            let text = text.replace("TRIANGLE", TRIANGLE).replace("PIXEL", &base64(PIXEL));
            format!("{{\"asset\":{{\"version\":\"2.0\"}},{text}}}")
        }
        "a3d" => format!("3dmodel 1\nname\n\n\n\n\n{text}\nEnd\n"),
        "xml" => format!("<llsd>{text}</llsd>"),
        "notation" => format!("<? llsd/notation ?>\n{text}"),
        _ => text.to_owned(),
    };
    text.into_bytes()
}

fn base64(bytes: &[u8]) -> String {
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

/// The positions of a triangle, as accessor 0.
const TRIANGLE: &str = concat!(
    r#""buffers":[{"byteLength":36,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":"#,
    r#"[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]"#
);

/// A grey PNG file of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\
    \0\0\0\x0aIDAT\x78\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82";

/// The name, the CFrame and the size of a part, as properties in XML.
const BOX: &str = "<string name='Name'>Part</string><CoordinateFrame name='CFrame'><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00>\
    <R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>\
    <Vector3 name='size'><X>1</X><Y>1</Y><Z>1</Z></Vector3>";

/// The files beside each construct: a library with n materials, and a picture under both names that it uses.
fn beside(n: usize) -> Beside {
    let library = expanded("«newmtl m{i}\nKd 1 0 0\nmap_Kd ./t.png\nmap_Bump -s 1 1 1 t.png\n»", n);
    let pictures = ["./t.png", "t.png"].map(|name| (name.to_owned(), PIXEL.to_vec()));
    pictures.into_iter().chain([("a.mtl".to_owned(), library.into_bytes())]).collect()
}

type Bytes = (&'static str, &'static str, fn(usize) -> Vec<u8>);

/// Constructs that are not texts.
const BYTES: &[Bytes] = &[
    ("a.rbxm", "classes with one instance", |n| {
        let class = |id: u32| {
            let content = [&id.to_le_bytes()[..], b"\x04\0\0\0Part\0\x01\0\0\0", &[0; 4]].concat();
            chunk(b"INST", 0, content.len() as u32, &content)
        };
        binary([n as u32; 2], &(0..n as u32).flat_map(class).collect::<Vec<u8>>())
    }),
    ("a.mesh", "2.00: vertices that no face uses", |n| {
        let counts = [(n as u32).to_le_bytes(), [0; 4]].concat();
        [b"version 2.00\n\x0c\0\x28\x0c", &*counts, &vec![0; n * 40]].concat()
    }),
    ("a.mesh", "5.00: facial controls, and corrective poses of two controls", |n| {
        let names: String = (0..n).map(|index| format!("c{index:05}\0")).collect();
        let mut facs = rbxmesh::Facs::default();
        (facs.controls.bytes, facs.face_bones.bytes) = (names.clone().into(), names.into());
        facs.two_pose = (0..n as u16).map(|index| [index, index / 2]).collect();
        let mesh = rbxmesh::Mesh { version: rbxmesh::Version::V5_00, facs: Some(facs), ..Default::default() };
        rbxmesh::to_vec(&mesh).expect("a mesh")
    }),
    ("a.mesh", "6.00: chunks", |n| {
        let chunk = |at: usize| format!("U{:<7}\x01\0\0\0\0\0\0\0", at % 1000);
        ("version 6.00\n".to_owned() + &(0..n).map(chunk).collect::<String>()).into_bytes()
    }),
    ("a.gltf", "channels of an animation", |n| animated(n, 2, n, 1, "LINEAR")),
    ("a.gltf", "keys of an animation channel", |n| animated(1, n, 1, 1, "LINEAR")),
    ("a.gltf", "keys with step interpolation", |n| animated(n, n, 1, 1, "STEP")),
    ("a.gltf", "animations", |n| animated(n, 2, 1, n, "LINEAR")),
    ("a.gltf", "a tiny image file that declares n rows of pixels", |n| {
        // The header gives a height of n pixels, and the pixels are missing.
        let picture = [&PIXEL[..16], &(n as u32).to_be_bytes(), &PIXEL[20..]].concat();
        let document = r#"TRIANGLE,"meshes":[{"primitives":[«{"attributes":{"POSITION":0},"material":{i}}¦,»]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"images":[{"uri":"data:image/png;base64,PICTURE"}],"textures":[{"source":0}],"materials":[«{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}¦,»]"#;
        wrapped("a.gltf", &expanded(document, n).replace("PICTURE", &base64(&picture)))
    }),
    ("a.a3d", "nested bones", |n| {
        let bones: String = (0..n).map(|depth| format!("{}0 0 b{depth}\n", "/".repeat(depth))).collect();
        wrapped("a.a3d", &format!("Vertex\n0 0 0 1\n\nBones\n{bones}"))
    }),
    ("a.m3d", "a checkerboard of voxels", |n| {
        // More than there may be hulls, since fewer are joined in pairs.
        let side = (1..).find(|side: &usize| side.pow(3) >= 8 * n).unwrap_or(1);
        let parity = |at: usize| (at + at / side + at / side / side).is_multiple_of(2);
        let mut block = m3d::VoxelBlock { size: [side as u32; 3], ..m3d::VoxelBlock::default() };
        let voxel = |at: usize| if parity(at) { m3d::Voxel(0) } else { m3d::Voxel::UNSET };
        block.voxels = (0..side.pow(3)).map(voxel).collect();
        let mut model = m3d::Model::default();
        (model.voxel_types, model.voxel_blocks) = (vec![m3d::VoxelType::default()], vec![block]);
        m3d::to_vec(&model).expect("a model")
    }),
    ("a.llsd", "nested arrays of the binary form", |n| {
        [&b"<? LLSD/Binary ?>\n"[..], &b"[\0\0\0\x01".repeat(n), b"!", &b"]".repeat(n)].concat()
    }),
];

/// A binary document of version 0 with these counts of classes and instances, and these chunks.
fn binary(counts: [u32; 2], chunks: &[u8]) -> Vec<u8> {
    let counts = counts.map(u32::to_le_bytes).concat();
    let end = chunk(b"END\0", 0, 9, b"</roblox>");
    [b"<roblox!\x89\xff\r\n\x1a\n\0\0", &*counts, &[0; 8], chunks, &end].concat()
}

fn chunk(name: &[u8; 4], stored: u32, length: u32, content: &[u8]) -> Vec<u8> {
    [&name[..], &stored.to_le_bytes(), &length.to_le_bytes(), &[0; 4], content].concat()
}

/// Nodes, and animations with this many channels and keys.
fn animated(nodes: usize, keys: usize, channels: usize, animations: usize, how: &str) -> Vec<u8> {
    let floats = |count: usize| (0..count).flat_map(|at| (at as f32).to_le_bytes());
    let bytes: Vec<u8> = floats(keys).chain(floats(keys * 3)).collect();
    let channel = r#"«{"sampler":0,"target":{"node":{i},"path":"translation"}}¦,»"#;
    let animation = format!(
        r#"{{"samplers":[{{"input":0,"output":1,"interpolation":"{how}"}}],"channels":[{}]}}"#,
        expanded(channel, channels)
    );
    let (times, values, last) = (keys * 4, keys * 12, keys - 1);
    let text = format!(
        r#""buffers":[{{"byteLength":{},"uri":"data:;base64,{}"}}],"bufferViews":[{{"buffer":0,"byteLength":{times}}},{{"buffer":0,"byteOffset":{times},"byteLength":{values}}}],"accessors":[{{"bufferView":0,"componentType":5126,"count":{keys},"type":"SCALAR","min":[0],"max":[{last}]}},{{"bufferView":1,"componentType":5126,"count":{keys},"type":"VEC3"}}],"nodes":[{}],"scenes":[{{"nodes":[0]}}],"animations":[{}]"#,
        bytes.len(),
        base64(&bytes),
        vec!["{}"; nodes].join(","),
        vec![animation; animations].join(","),
    );
    wrapped("a.gltf", &text)
}

/// What a step took: processor time, allocated bytes, and the bytes of its results.
#[derive(Clone, Copy)]
struct Taken {
    time: Duration,
    bytes: u64,
    given: u64,
}

fn taken(input: &Input<'_>, step: &dyn Fn(&Input<'_>)) -> Taken {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    input.given.set(0);
    let before = now();
    let bytes = testkit::measure(|| step(input)).bytes_total;
    Taken { time: now() - before, bytes, given: input.given.get() }
}

/// These are refused, since they claim more than they contain, or are nested too deeply.
const REFUSED: [&str; 2] = ["Model 3D headers with the length 0", "sets of texture coordinates"];

/// Runs every step with n and with 4n repetitions; returns what grew more than that. Output can grow faster than its
/// input, such as the paths in a chain of instances: the work per byte of output is compared.
///
/// With the few repetitions of a test, only what overflows, and memory that grows with the square, is found. The workflow
/// `fuzz` sets `CONSTRUCTS=1000` and optimises: then time is compared, too, and each conversion is tried.
fn judged(index: usize, (file, name, make): &Construct) -> Vec<String> {
    let n = std::env::var("CONSTRUCTS").map_or(40, |n| n.parse().expect("a number"));
    let (is_large, factor) = if n < 500 { (false, 14.0) } else { (true, 5.0) };
    let files = [n, 4 * n].map(|n| (make(n), beside(n)));
    let [few, many] = files.each_ref().map(|(bytes, beside)| Input::new(bytes, file, beside, 1 << 30));
    // A construct should be read, since refusing a file tests little.
    let options = kit::reading(file, 1 << 30);
    let parts = rezkit::unwrap(make(8), &options).unwrap_or_default();
    let is_read = parts.iter().any(|part| options.open_part(part, file, kit::sources(few.beside)).is_ok());
    assert_eq!(is_read, !REFUSED.contains(name), "{name}");
    let mut forms = kit::forms(&few);
    if !is_large && !forms.is_empty() {
        forms = vec![forms[index % forms.len()]];
    }
    let convert = |form: &'static str| move |input: &Input<'_>| kit::convert(input, form);
    let steps = kit::STEPS.iter().map(|&(name, step)| (name, Box::new(step) as Box<dyn Fn(&Input<'_>)>));
    let forms = forms.into_iter().map(|form| (form, Box::new(convert(form)) as Box<_>));
    let mut found = Vec::new();
    for (what, step) in steps.chain(forms) {
        let (mut one, mut four) = (taken(&few, &*step), taken(&many, &*step));
        let given = (four.given as f64 / one.given.max(1) as f64 / 4.0).max(1.0);
        let is_slow = |one: &Taken, four: &Taken| {
            is_large && four.time > one.time.mul_f64(8.0 * given) + Duration::from_millis(5)
        };
        if is_slow(&one, &four) {
            // Again, since other programs can disturb a measurement.
            (one, four) = (taken(&few, &*step), taken(&many, &*step));
        }
        let takes_more = four.bytes as f64 > one.bytes as f64 * factor * given && four.bytes > 100_000;
        if is_slow(&one, &four) || takes_more {
            let times = format!("{:?} and {:?}, {} and {} bytes", one.time, four.time, one.bytes, four.bytes);
            found.push(format!("{name} ({file}), {what}: {times}, {given:.1} times the output"));
        }
    }
    found
}

#[test]
fn four_times_the_repetitions_take_four_times_as_long() {
    let left = Mutex::new(all().into_iter().enumerate());
    let next = || left.lock().expect("another thread failed").next();
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let work = || {
                while let Some((index, construct)) = next() {
                    let more = judged(index, &construct);
                    found.lock().expect("another thread failed").extend(more);
                }
            };
            // As large as that of the main thread, since code without optimisation takes several times the stack.
            let thread = std::thread::Builder::new().stack_size(8 << 20);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let found = found.into_inner().expect("all threads ended");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
