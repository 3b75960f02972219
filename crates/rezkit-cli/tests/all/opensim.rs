//! Archives of OpenSim and the objects in them.

use std::io::Write as _;

use geom::TriMesh;
use rezkit::scene::{Alpha, ImageData, Scene, SceneOptions, opensim};

use crate::run::Folder;

/// The shape of a box.
const BOX: &str = "<ProfileCurve>1</ProfileCurve><PathCurve>16</PathCurve>";

const ID: &str = "11111111-2222-3333-4444-555555555555";

/// A part: its name, its place, and the fields of its shape.
fn part(name: &str, x: f64, shape: &str) -> String {
    format!(
        "<SceneObjectPart><UUID><UUID>{ID}</UUID></UUID><Name>{name}</Name>\
         <GroupPosition><X>{x}</X><Y>20</Y><Z>30</Z></GroupPosition>\
         <OffsetPosition><X>{x}</X><Y>0</Y><Z>0</Z></OffsetPosition>\
         <RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset>\
         <Shape>{shape}<PCode>9</PCode></Shape><Scale><X>1</X><Y>1</Y><Z>1</Z></Scale></SceneObjectPart>"
    )
}

fn object(root: &str, others: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<SceneObjectGroup><RootPart>{root}</RootPart>\
         <OtherParts>{others}</OtherParts></SceneObjectGroup>"
    )
}

fn scene(xml: &str) -> (Scene, Vec<String>) {
    let read = opensim::READER.read("it", xml.as_bytes(), "it.xml", &SceneOptions::new(), &mut ());
    let (scene, losses) = read.expect("an object");
    (scene, crate::texts(&losses))
}

/// The volume that the faces of the first mesh enclose, and the sum of their directed areas.
fn volume(scene: &Scene) -> (f64, f64) {
    let (mut volume, mut area) = (0.0, [0.0; 3]);
    for primitive in &scene.meshes[0].primitives {
        let mesh: &TriMesh = &primitive.mesh;
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|at| mesh.positions[at as usize].to_array().map(f64::from));
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let of = cross(b, c);
            volume += (a[0] * of[0] + a[1] * of[1] + a[2] * of[2]) / 6.0;
            let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
            let normal = cross(minus(b, a), minus(c, a));
            area.iter_mut().zip(normal).for_each(|(sum, axis)| *sum += axis);
        }
    }
    (volume, area.into_iter().map(f64::abs).fold(0.0, f64::max))
}

/// A twisted sphere has the begin of its path, the side and the end, as in the viewer, and no faces inside of it.
#[test]
fn a_twisted_sphere_has_three_faces() {
    let shape = "<ProfileCurve>5</ProfileCurve><PathCurve>32</PathCurve><PathTwist>25</PathTwist>\
                 <PathTwistBegin>-10</PathTwistBegin>";
    let faces = |shape: &str| scene(&object(&part("Twisted", 0.0, shape), "")).0.meshes[0].primitives.len();
    assert_eq!(faces(shape), 3);
    // A hole, or a cut, has two more faces beside the hole's own.
    assert_eq!(faces(&format!("{shape}<ProfileHollow>25000</ProfileHollow>")), 6);
    assert_eq!(faces(&format!("{shape}<ProfileBegin>12500</ProfileBegin>")), 5);
}

/// The basic shapes are closed, face outwards, and have the volumes that geometry gives.
#[test]
fn basic_shapes_have_their_volumes() {
    let pi = std::f64::consts::PI;
    // The curves of the profile and of the path, and the other fields.
    let triangle = 3.0 * 3.0_f64.sqrt() / 16.0;
    let rows: [(&str, [u8; 2], &str, f64, f64); 23] = [
        ("box", [1, 16], "", 1.0, 1e-6),
        ("hollow box", [1, 16], "ProfileHollow 25000", 0.75, 1e-6),
        ("box without a quarter", [1, 16], "ProfileBegin 12500", 0.75, 1e-6),
        ("wedge", [1, 16], "PathScaleX 200 PathScaleY 100", 0.5, 1e-6),
        ("sheared box", [1, 16], "PathShearX 206", 1.0, 1e-6),
        ("half of a box along its path", [1, 16], "PathEnd 25000", 0.5, 1e-6),
        ("twisted box", [1, 16], "PathTwist 50", 1.0, 0.03),
        ("cylinder", [0, 16], "", pi / 4.0, 0.02),
        ("box with a round hole", [17, 16], "ProfileHollow 25000", 1.0 - pi / 16.0, 0.02),
        ("prism", [3, 16], "", triangle, 1e-6),
        // Corners of holes of four sides are as far away as those of the unit square, times the hollowness.
        ("box with a square hole", [33, 16], "ProfileHollow 25000", 0.75, 1e-6),
        ("box with a triangular hole", [49, 16], "ProfileHollow 25000", 1.0 - triangle / 4.0, 1e-6),
        ("cylinder with a square hole", [32, 16], "ProfileHollow 25000", pi / 4.0 - 0.25, 0.02),
        ("cylinder with a triangular hole", [48, 16], "ProfileHollow 25000", pi / 4.0 - triangle / 4.0, 0.02),
        // The hole of a prism is half as large.
        ("hollow prism", [3, 16], "ProfileHollow 25000", triangle * 15.0 / 16.0, 1e-6),
        ("prism with a square hole", [35, 16], "ProfileHollow 25000", triangle - 1.0 / 16.0, 1e-6),
        ("prism with a round hole", [19, 16], "ProfileHollow 25000", triangle - pi / 64.0, 0.002),
        ("half of a cylinder", [5, 16], "", pi / 8.0, 0.02),
        ("hollow half of a cylinder", [5, 16], "ProfileHollow 25000", pi * 3.0 / 32.0, 0.02),
        ("cut sphere with a square hole", [37, 32], "ProfileHollow 25000 ProfileEnd 25000", 0.0, 1.0),
        ("sphere", [5, 32], "", pi / 6.0, 0.02),
        ("half of a sphere", [5, 32], "PathEnd 25000", pi / 12.0, 0.02),
        ("torus", [0, 32], "PathScaleY 175", 2.0 * pi * 0.375 * pi * 0.5 * 0.125, 0.02),
    ];
    for (name, [profile, path], fields, expected, tolerance) in rows {
        let words: Vec<_> = fields.split_whitespace().collect();
        let fields: String =
            words.chunks(2).map(|pair| format!("<{0}>{1}</{0}>", pair[0], pair[1])).collect();
        let shape = format!("<ProfileCurve>{profile}</ProfileCurve><PathCurve>{path}</PathCurve>{fields}");
        let (scene, losses) = scene(&object(&part(name, 0.0, &shape), ""));
        let (volume, open) = volume(&scene);
        assert!((volume - expected).abs() <= tolerance, "{name}: {volume} instead of {expected}");
        assert!(open < 1e-4 && losses.is_empty(), "{name}: {open} {losses:?}");
    }
}

/// The box around a shape, in Second Life's axes.
fn bounds(profile: u8, path: u8, fields: &[(&str, u32)]) -> [[f32; 2]; 3] {
    let fields: String = fields.iter().map(|(name, value)| format!("<{name}>{value}</{name}>")).collect();
    let shape = format!("<ProfileCurve>{profile}</ProfileCurve><PathCurve>{path}</PathCurve>{fields}");
    let (scene, _) = scene(&object(&part("it", 0.0, &shape), ""));
    let points: Vec<[f32; 3]> = scene.meshes[0]
        .primitives
        .iter()
        .flat_map(|primitive| primitive.mesh.positions.iter().map(|point| point.to_array()))
        .map(|[x, y, z]| [x, -z, y])
        .collect();
    [0, 1, 2].map(|axis| {
        let along = points.iter().map(|point| point[axis]);
        [along.clone().fold(f32::MAX, f32::min), along.fold(f32::MIN, f32::max)]
    })
}

/// Along a circle, the viewer turns the profile by half a turn (`LLPath::genNGon`).
#[test]
fn profiles_along_a_circle_are_turned() {
    let thin = ("PathScaleY", 175);
    let half = [-0.5, 0.5];
    for (name, profile, fields, wanted) in [
        ("ring", 3, vec![thin], [[-0.5, 0.25], half, half]),
        ("upper half of a sphere", 5, vec![("PathEnd", 25_000)], [half, half, [0.0, 0.5]]),
        ("half of a sphere", 5, vec![("PathBegin", 12_500), ("PathEnd", 12_500)], [half, [-0.5, 0.0], half]),
        (
            "sphere with dimples",
            5,
            vec![("ProfileBegin", 10_000), ("ProfileEnd", 15_000)],
            [[-0.291, 0.401], half, half],
        ),
        (
            "half of a torus",
            0,
            vec![thin, ("ProfileBegin", 12_500), ("ProfileEnd", 12_500)],
            [[0.0, 0.5], half, half],
        ),
        (
            "quarter of a tube",
            1,
            vec![thin, ("ProfileBegin", 12_500), ("ProfileEnd", 25_000)],
            [[-0.5, 0.0], half, half],
        ),
    ] {
        let found = bounds(profile, 32, &fields);
        let near = |axis: usize| (0..2).all(|end| (found[axis][end] - wanted[axis][end]).abs() < 0.02);
        assert!((0..3).all(near), "{name}: {found:?} instead of {wanted:?}");
    }
}

/// The corners of holes (`addHole` of the viewer): on the axes in a cylinder; a triangle in a box begins at its corner.
#[test]
fn holes_have_the_corners_of_the_viewer() {
    let root = 0.5_f32.sqrt() / 2.0;
    for (profile, wanted) in [
        (32, vec![[root, 0.0], [0.0, root], [-root, 0.0], [0.0, -root]]),
        (
            49,
            [-135.0_f32, -15.0, 105.0]
                .map(|at| {
                    let (sine, cosine) = at.to_radians().sin_cos();
                    [0.25 * cosine, 0.25 * sine]
                })
                .to_vec(),
        ),
    ] {
        let shape = format!(
            "<ProfileCurve>{profile}</ProfileCurve><PathCurve>16</PathCurve><ProfileHollow>25000</ProfileHollow>"
        );
        let (scene, _) = scene(&object(&part("it", 0.0, &shape), ""));
        let points: Vec<[f32; 3]> =
            scene.meshes[0].primitives[0].mesh.positions.iter().map(|point| point.to_array()).collect();
        for [x, y] in wanted {
            let is_there = points.iter().any(|point| (point[0] - x).abs() + (point[2] + y).abs() < 1e-5);
            assert!(is_there, "{profile}: {x} {y}");
        }
    }
}

/// A texture is as large as an uncut side; that of a hole is mirrored, and so is that of the bottom (`createSide` and
/// `createCap` of the viewer).
#[test]
fn textures_of_cut_shapes_are_not_stretched() {
    let shape = format!(
        "{BOX}<ProfileBegin>6250</ProfileBegin><ProfileHollow>25000</ProfileHollow><PathEnd>25000</PathEnd>"
    );
    let (scene, _) = scene(&object(&part("it", 0.0, &shape), ""));
    let faces = &scene.meshes[0].primitives;
    // The coordinates of the lowest corner at the beginning of the cut, at half of the first side. v is down.
    for (face, [x, y, z], wanted) in [
        (1, [0.0, -0.5, 0.5], [0.5, 1.0]),
        (1, [0.0, 0.0, 0.5], [0.5, 0.5]),
        (5, [0.0, -0.5, 0.25], [0.0625, 1.0]),
        (6, [0.5, -0.5, -0.5], [1.0, 1.0]),
        (0, [0.5, 0.0, -0.5], [1.0, 0.0]),
    ] {
        let mesh = &faces[face].mesh;
        let at = |point: &geom::Vec3| {
            let [a, b, c] = point.to_array();
            (a - x).abs() + (b - y).abs() + (c - z).abs() < 1e-5
        };
        let uvs: Vec<[f32; 2]> = mesh
            .positions
            .iter()
            .zip(&mesh.uvs)
            .filter(|(point, _)| at(point))
            .map(|(_, uv)| uv.to_array())
            .collect();
        assert!(
            uvs.iter().any(|uv| (0..2).all(|axis| (uv[axis] - wanted[axis]).abs() < 1e-5)),
            "{face}: {uvs:?} {wanted:?}"
        );
    }
}

/// Second Life's z is up. Parts are placed relative to the root, and have the textures and colours of their faces.
#[test]
fn a_linkset_is_a_tree() {
    // The texture 0…01 for all faces and 0…02 for the first; red for all.
    let mut entry = vec![0; 16];
    entry[15] = 1;
    entry.push(1);
    entry.extend([0; 15]);
    entry.extend([2, 0, 0, 255, 255, 0, 0]);
    let text = crate::xml::base64(entry);
    let textured = format!("{BOX}<TextureEntry>{text}</TextureEntry>");
    let sculpted = format!("{BOX}<SculptType>1</SculptType>");
    let others = format!("{}<Part>{}</Part>", part("second", 2.0, BOX), part("third", 3.0, &sculpted));
    let (scene, losses) = scene(&object(&part("first", 7.0, &textured), &others));
    let nodes: Vec<_> = scene.nodes.iter().map(|node| (&*node.name, node.transform.translation)).collect();
    assert_eq!(nodes, [("first", [0.0; 3]), ("second", [2.0, 0.0, 0.0]), ("third", [3.0, 0.0, 0.0])]);
    assert_eq!(scene.nodes[0].children, [1, 2]);
    // A null texture is none; the others have no files.
    assert!(losses.len() == 3 && losses[2].contains("sculpted"), "{losses:?}");
    assert!(losses[..2].iter().all(|loss| loss.contains("there is no file with its UUID")), "{losses:?}");
    let faces = &scene.meshes[0].primitives;
    let names: Vec<_> =
        faces.iter().map(|face| &*scene.materials[face.material.expect("a material")].name).collect();
    assert_eq!(faces.len(), 6);
    assert!(names[0].ends_with("02") && names[1..].iter().all(|name| name.ends_with("01")), "{names:?}");
    assert_eq!(scene.materials[0].base_color, [1.0, 0.0, 0.0, 1.0]);
    // The first face is the top.
    assert!(faces[0].mesh.positions.iter().all(|point| (point.y - 0.5).abs() < 1e-6));
}

/// Textures are files beside the object or in `--assets`; they are repeated about their middle, turned and moved.
#[test]
fn textures_are_files_that_are_named_by_their_ids() {
    let mut entry = vec![17; 16];
    entry.extend([0, 0, 0, 0, 0, 0]);
    // Two repeats to the right, a move by a quarter, and a quarter turn.
    entry.extend([0, 0, 0, 64, 0, 0, 0, 128, 63, 0, 0, 32, 0, 0, 0, 0, 0, 32, 0]);
    // The planar mapping is not kept.
    entry.extend([0, 0, 2, 0]);
    let text = crate::xml::base64(entry);
    let shape = format!("{BOX}<TextureEntry>{text}</TextureEntry>");
    let xml = object(&part("box", 0.0, &shape), "");
    let id = "11111111-1111-1111-1111-111111111111";
    let png = crate::png([255, 0, 0, 255]);
    let folder = Folder::new(&[("box.xml", xml.as_bytes())]);
    folder.write(&format!("textures/{id}.png"), &png);
    let missing = folder.run("convert box.xml box.glb");
    assert!(missing.err.contains(&format!("missing: box.xml: {id}: a texture")), "{missing:?}");
    let found = folder.run("convert box.xml found.glb --assets textures");
    assert!(!found.err.contains("missing") && found.status == Some(0), "{found:?}");
    assert!(found.err.contains("dropped: box.xml: SceneObjectPart: the planar mapping"), "{found:?}");
    // A texture in JPEG 2000 is drawn, and is no matter of a format without textures.
    folder.write(&format!("jp2/{id}.jp2"), include_bytes!("images/rgba.jp2"));
    for command in ["render box.xml -o box.png", "convert box.xml box.stl"] {
        let ran = folder.run(&format!("{command} --assets jp2"));
        assert!(ran.status == Some(0) && !ran.err.contains("image"), "{ran:?}");
    }
    // The files of an upload have it as PNG.
    let ran = folder.run("sl box.xml -o upload --no-pictures --assets jp2");
    assert!(ran.status == Some(0) && ran.err.contains("they become PNG"), "{ran:?}");
    let (uploaded, _) = crate::from_gltf(&folder.read("upload/box.glb")).expect("GLB");
    let kinds: Vec<_> = uploaded.images.iter().map(rezkit::scene::Image::media_type).collect();
    assert_eq!(kinds, [Some("image/png")]);
    // The corners of a face at the bottom left, the bottom right and the top left.
    let (textured, _) = crate::from_gltf(&folder.read("found.glb")).expect("GLB");
    let plain = scene(&object(&part("box", 0.0, BOX), "")).0;
    let uvs = |scene: &Scene| -> Vec<[f32; 2]> {
        let faces = scene.meshes[0].primitives.iter();
        faces.flat_map(|face| face.mesh.uvs.iter().map(|uv| uv.to_array()).collect::<Vec<_>>()).collect()
    };
    for (corner, wanted) in
        [([0.0, 1.0], [-0.25, 0.0]), ([1.0, 1.0], [-0.25, 1.0]), ([0.0, 0.0], [1.75, 0.0])]
    {
        let at = uvs(&plain).iter().position(|uv| *uv == corner).expect("a corner");
        let made = uvs(&textured)[at];
        assert!((0..2).all(|axis| (made[axis] - wanted[axis]).abs() < 1e-4), "{corner:?}: {made:?}");
    }
    folder.write(&format!("{id}.png"), &png);
    folder.ok("convert box.xml beside.glb");
    for (name, count) in [("box.glb", 0), ("found.glb", 1), ("beside.glb", 1)] {
        let (scene, _) = crate::from_gltf(&folder.read(name)).expect("GLB");
        let textured = scene.materials.iter().filter(|material| material.base_texture.is_some()).count();
        assert_eq!((scene.images.len(), textured), (count, count), "{name}");
        let image =
            |image: &rezkit::scene::Image| matches!(&image.data, ImageData::Bytes(bytes) if *bytes == png);
        assert!(scene.images.iter().all(image), "{name}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("memory");
    gzip.finish().expect("memory")
}

fn tar_gz(files: &[(&str, &[u8])]) -> Vec<u8> {
    gzip(&tar(files))
}

/// An archive as OpenSim's `TarArchiveWriter` lays it out: headers of the oldest form, without `ustar`, and a path of
/// more than 100 bytes in an entry of its own, without a zero byte. A file without content is a link.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in files {
        if name.len() > 100 {
            tar.extend(tar_entry("././@LongLink", b'L', name.as_bytes()));
        }
        tar.extend(tar_entry(name, if bytes.is_empty() { b'2' } else { b'0' }, bytes));
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn tar_entry(name: &str, kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let name = &name.as_bytes()[..name.len().min(100)];
    header[..name.len()].copy_from_slice(name);
    for (at, number) in
        [(100, "0000777"), (108, "0000764"), (116, "0000764"), (329, "0000000"), (337, "0000000")]
    {
        header[at..at + 7].copy_from_slice(number.as_bytes());
    }
    header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
    header[136..147].copy_from_slice(b"11017037332");
    header[156] = kind;
    let mut entry = summed(header).to_vec();
    entry.extend(bytes);
    entry.resize(entry.len().next_multiple_of(512), 0);
    entry
}

/// A header with its checksum, which is made with spaces in its place.
fn summed(mut header: [u8; 512]) -> [u8; 512] {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// A file of 119 bytes in an inventory, and its folder.
const LONG: [&str; 2] = [
    "inventory/Things__30000000-0000-0000-0000-000000000001/",
    "inventory/Things__30000000-0000-0000-0000-000000000001/A box with a long name__20000000-0000-0000-0000-000000000001.xml",
];

/// Archives of each dialect of tar are read: that of OpenSim, and the same with the magic of POSIX or GNU. A long path is
/// an entry of its own in OpenSim's and GNU's, in two fields of the header or a line of text in POSIX's.
#[test]
fn tar_of_every_dialect_is_read() {
    let wall = object(&part("Wall", 5.0, BOX), "");
    let [folder, path] = LONG;
    let start = [tar_entry("archive.xml", b'0', b"<archive/>"), tar_entry(folder, b'5', b"")].concat();
    let item = |magic: &[u8], prefix: bool| {
        let mut entry = tar_entry(path, b'0', b"<InventoryItem/>");
        let mut header: [u8; 512] = entry[..512].try_into().expect("a header");
        header[257..257 + magic.len()].copy_from_slice(magic);
        if prefix {
            let (folder, name) = path.split_at(folder.len() - 1);
            header[..100].fill(0);
            header[..name.len() - 1].copy_from_slice(&name.as_bytes()[1..]);
            header[345..345 + folder.len()].copy_from_slice(folder.as_bytes());
        }
        entry[..512].copy_from_slice(&summed(header));
        entry
    };
    let zero = format!("{path}\0");
    // The length of a line counts its own digits.
    let line = format!("{} path={path}\n", path.len() + 10);
    let long = [
        [tar_entry("././@LongLink", b'L', path.as_bytes()), item(b"", false)].concat(),
        [tar_entry("././@LongLink", b'L', zero.as_bytes()), item(b"ustar  \0", false)].concat(),
        [tar_entry("PaxHeaders/it", b'x', line.as_bytes()), item(b"ustar\x0000", false)].concat(),
        item(b"ustar\x0000", true),
    ];
    for long in long {
        let whole =
            [&start[..], &long, &tar_entry("objects/Wall.xml", b'0', wall.as_bytes()), &[0; 1024]].concat();
        let it = Folder::new(&[("it.oar", &gzip(&whole)), ("it.tar", &whole)]);
        for name in ["it.oar", "it.tar"] {
            let info = &it.run(&format!("info --json {name}")).json()[0];
            assert_eq!((&info["format"], &info["facts"]["objects"]), (&"opensim-archive".into(), &1.into()));
            it.ok(&format!("extract {name} -o {name}-files"));
            assert_eq!(it.names(&format!("{name}-files")), ["archive.xml", "inventory", "objects"]);
            assert_eq!(it.read(&format!("{name}-files/{path}")), b"<InventoryItem/>");
            it.ok(&format!("tree {name}"));
            it.ok(&format!("check {name}"));
            it.ok(&format!("convert {name} {name}.glb"));
            it.ok(&format!("render --size 8x8 {name} -o {name}.png"));
        }
    }
    // A file of other bytes, whose checksum is wrong.
    let mut other = start;
    other[0] ^= 1;
    assert!(Folder::new(&[("it.oar", &other)]).fails("info it.oar", 1).contains("unknown format"));
}

/// What is before the end of an archive that is cut off is read, and an error says that it is.
#[test]
fn an_archive_that_is_cut_off_is_read_up_to_the_cut() {
    let [wall, door] = ["Wall", "Door"].map(|name| object(&part(name, 5.0, BOX), ""));
    let files: [(&str, &[u8]); 3] = [
        ("archive.xml", b"<archive/>"),
        ("objects/wall.xml", wall.as_bytes()),
        ("objects/door.xml", door.as_bytes()),
    ];
    let whole = tar(&files);
    let of_door = whole.len() - 1024 - door.len().next_multiple_of(512);
    // Without the end of the gzip file.
    let packed = gzip(&whole[..of_door + 300]);
    let cuts = [
        (
            "header.tar",
            whole[..of_door - 12].to_vec(),
            ["header.tar", "it ends within the header of an entry"],
        ),
        (
            "entry.tar",
            whole[..of_door + 300].to_vec(),
            ["objects/door.xml", "the tar archive ends within this entry"],
        ),
        // In the zeros after a content, which GNU tar refuses, too.
        (
            "padding.tar",
            whole[..of_door - 512 - (512 - wall.len() % 512) / 2].to_vec(),
            ["padding.tar", "it ends within the header of an entry"],
        ),
        ("gzip.oar", packed[..packed.len() - 8].to_vec(), ["gzip.oar", "cannot decompress the content"]),
    ];
    for (name, bytes, reason) in cuts {
        let it = Folder::new(&[(name, &bytes)]);
        for command in ["info", "extract -o files", "convert it.glb", "check", "tree"] {
            let command = match command.split_once(' ') {
                Some(("convert", output)) => format!("convert {name} {output}"),
                _ => format!("{command} {name}"),
            };
            let error = it.fails(&command, 1);
            assert!(reason.iter().all(|reason| error.contains(reason)), "{name}: {command}: {error}");
        }
        let (scene, _) = crate::from_gltf(&it.read("it.glb")).expect("GLB");
        let names: Vec<_> =
            scene.placed().iter().map(|placed| scene.nodes[placed.node].name.as_str()).collect();
        assert_eq!(names, ["Wall"], "{name}");
        assert_eq!(it.read("files/objects/wall.xml"), wall.as_bytes(), "{name}");
        assert!(!it.path("files/objects/door.xml").exists(), "{name}");
    }
    // A whole archive that other bytes follow is read to its end, as by other programs.
    let it = Folder::new(&[("it.tar", &[&whole, &b"anything"[..]].concat())]);
    assert!(it.ok("info it.tar").contains("door.xml"));
}

/// `convert` of an archive writes the names that `extract` writes: no device, no hidden file, nothing outside of the
/// folder. A path that no system accepts is refused before anything is made of it.
#[test]
fn names_of_an_archive_are_safe() {
    let mesh = b"version 1.00\n1\n[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]";
    let names =
        [".hidden.mesh", ".git/x.mesh", "CON.mesh", "aux/x.mesh", "C:\\x.mesh", "..\\w.mesh", "x\x1b\n.mesh"];
    let files = names.map(|name| (name, &mesh[..]));
    let it = Folder::new(&[("it.zip", &crate::limits::zip(&files)), ("it.tar", &tar(&files))]);
    for archive in ["it.zip", "it.tar"] {
        it.ok(&format!("convert --to obj {archive} {archive}-out"));
        it.ok(&format!("extract {archive} -o {archive}-files"));
        for (folder, all) in
            [("", vec!["C__x", "_.._w", "_.git", "_.hidden", "_CON", "_aux", "x__"]), ("/_.git", vec!["x"])]
        {
            for (out, extension) in [("out", ".obj"), ("files", ".mesh")] {
                let found = it.names(&format!("{archive}-{out}{folder}"));
                let stems: Vec<_> = found.iter().map(|name| name.trim_end_matches(extension)).collect();
                assert_eq!(stems, all, "{archive}-{out}{folder}");
            }
        }
    }
    let deep = "a/".repeat(32_000) + "x.mesh";
    it.write("deep.tar.gz", tar_gz(&[(&deep, &mesh[..])]));
    let error = it.fails("--max-bytes 64M convert --to glb deep.tar.gz deep", 1);
    assert!(error.contains("the path of the entry has 64006 bytes, at most 4096 allowed"), "{error}");
}

/// An archive of a region: its objects become one scene or a file each, and assets have the names of their objects. A
/// link is an error, and a path that leaves the archive is not written.
#[test]
fn an_archive_is_opened() {
    let mesh = testkit::fixture("slmesh", "simple.llmesh");
    let of_mesh = format!("<SculptType>5</SculptType><SculptTexture><UUID>{ID}</UUID></SculptTexture>");
    let chair = object(&part("Chair", 1.0, &of_mesh), "");
    let wall = object(&part("Wall", 5.0, BOX), "");
    let asset = format!("assets/{ID}_mesh.llmesh");
    let files: [(&str, &[u8]); 3] =
        [("objects/chair.xml", chair.as_bytes()), ("objects/wall.xml", wall.as_bytes()), (&asset, &mesh)];
    let folder = Folder::new(&[("region.oar", &tar_gz(&files))]);
    let info = folder.ok("info region.oar");
    assert!(info.contains("OpenSim object") && info.contains("objects/wall.xml"), "{info}");
    let whole = &folder.run("info --json region.oar").json()[0];
    assert_eq!(whole["format"], "opensim-archive");
    let facts = serde_json::json!(
        { "objects": 2, "parts": "mesh 1, prim 1", "inventory items": 0, "assets": "mesh 1" });
    assert_eq!(whole["facts"], facts);
    folder.ok("convert region.oar region.glb");
    let (all, _) = crate::from_gltf(&folder.read("region.glb")).expect("a scene");
    let names: Vec<_> = all.placed().iter().map(|placed| all.nodes[placed.node].name.clone()).collect();
    assert_eq!(names, ["Chair", "Wall"]);
    folder.ok("convert --to glb region.oar out");
    assert_eq!(folder.names("out/objects"), ["chair.glb", "wall.glb"]);
    folder.ok("extract region.oar -o files");
    assert_eq!(folder.names("files/assets"), ["Chair_mesh.llmesh"]);
    // Two regions, which both begin at 0, 0.
    let two: [(&str, &[u8]); 2] = [
        ("regions/West/objects/chair.xml", chair.as_bytes()),
        ("regions/East/objects/wall.xml", wall.as_bytes()),
    ];
    folder.write("two.oar", tar_gz(&two));
    assert!(folder.run("convert two.oar two.glb -v").err.contains("objects of 2 regions"));
    // A link, and a path that leaves the archive.
    let odd: [(&str, &[u8]); 4] =
        [("objects/link.xml", b""), ("../wall.xml", wall.as_bytes()), files[0], files[1]];
    folder.write("odd.oar", tar_gz(&odd));
    assert!(folder.fails("convert --to glb odd.oar odd", 1).contains("is a link or a device"));
    assert!(!folder.path("wall.glb").exists() && !folder.path("../wall.glb").exists());
}

/// What an archive with these files becomes: the names and the places of its nodes, and the messages.
fn whole(files: &[(&str, &[u8])]) -> (Vec<(String, [f32; 3])>, String) {
    let folder = Folder::new(&[("it.oar", &tar_gz(files))]);
    let ran = folder.run("convert it.oar it.glb -v");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let (scene, _) = crate::from_gltf(&folder.read("it.glb")).expect("GLB");
    let nodes = scene.placed().iter().map(|placed| &scene.nodes[placed.node]).collect::<Vec<_>>();
    (nodes.iter().map(|node| (node.name.clone(), node.transform.translation)).collect(), ran.err)
}

/// The only object of a region is at its place, as several are.
#[test]
fn one_object_of_a_region_is_at_its_place() {
    let wall = object(&part("Wall", 5.0, BOX), "");
    let (nodes, _) = whole(&[("archive.xml", b"<archive/>"), ("objects/wall.xml", wall.as_bytes())]);
    assert_eq!(nodes, [("Wall".to_owned(), [5.0, 30.0, -20.0])]);
}

/// An object or an asset that cannot be read is listed with its path; the others are there. If nothing can be read, it
/// is an error.
#[test]
fn files_that_cannot_be_read_are_listed() {
    let wall = object(&part("Wall", 5.0, BOX), "");
    let of_mesh = format!("<SculptType>5</SculptType><SculptTexture><UUID>{ID}</UUID></SculptTexture>");
    let chair = object(&part("Chair", 1.0, &of_mesh), "");
    let broken = wall.replace("</SceneObjectGroup>", "</Other>");
    let mesh = testkit::fixture("slmesh", "simple.llmesh");
    let asset = format!("assets/{ID}_mesh.llmesh");
    let archive: (&str, &[u8]) = ("archive.xml", b"<archive/>");
    let broken: (&str, &[u8]) = ("objects/broken.xml", broken.as_bytes());
    let chair: (&str, &[u8]) = ("objects/chair.xml", chair.as_bytes());
    let mesh: (&str, &[u8]) = (&asset, &mesh[..mesh.len() - 40]);
    let (nodes, messages) = whole(&[archive, broken, chair, mesh, ("objects/wall.xml", wall.as_bytes())]);
    assert_eq!(nodes, [("Wall".to_owned(), [5.0, 30.0, -20.0])]);
    for path in ["objects/broken.xml", &asset] {
        assert!(
            messages.contains(&format!("dropped: it.oar: {path}: a file that cannot be read")),
            "{messages}"
        );
    }
    for (files, path) in
        [(vec![archive, broken], "objects/broken.xml"), (vec![archive, chair, mesh], &*asset)]
    {
        let folder = Folder::new(&[("it.oar", &tar_gz(&files))]);
        let error = folder.fails("convert it.oar it.glb", 1);
        assert!(error.contains(&format!("at {path}")), "{error}");
    }
}

/// The heights of the ground are a mesh, one vertex for each metre, from the south-west to the east.
#[test]
fn the_ground_of_a_region_is_a_mesh() {
    let wall = object(&part("Wall", 1.0, BOX), "");
    let heights: Vec<u8> = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, f32::NAN]
        .into_iter()
        .flat_map(f32::to_le_bytes)
        .collect();
    let files: [(&str, &[u8]); 3] = [
        ("archive.xml", b"<archive/>"),
        ("objects/wall.xml", wall.as_bytes()),
        ("terrains/My & Region.r32", &heights),
    ];
    let folder = Folder::new(&[("it.oar", &tar_gz(&files))]);
    let ran = folder.run("convert it.oar it.glb");
    assert!(ran.err.contains("terrains/My & Region.r32: the textures of the ground"), "{ran:?}");
    let (scene, _) = crate::from_gltf(&folder.read("it.glb")).expect("GLB");
    let ground = scene.nodes.iter().find(|node| node.name == "ground of My & Region").expect("a ground");
    let mesh = &scene.meshes[ground.mesh.expect("a mesh")].primitives[0].mesh;
    let points: Vec<[f32; 3]> = mesh.positions.iter().map(|point| point.to_array()).collect();
    assert_eq!(points.len(), 9);
    assert_eq!(
        [points[0], points[1], points[3], points[8]],
        [[0.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 4.0, -1.0], [2.0, 0.0, -2.0]]
    );
    assert!(mesh.triangles.len() == 8 && mesh.normals.iter().all(|normal| normal.y > 0.0));
    // It is no object that can be uploaded.
    for command in ["sl it.oar -o upload --no-pictures", "convert it.oar none.glb --terrain none"] {
        let ran = folder.run(command);
        assert!(ran.status == Some(0) && ran.err.contains("terrains: the ground of the region"), "{ran:?}");
    }
    // The file of a region that is not square.
    let (nodes, messages) = whole(&[files[0], files[1], ("terrains/odd.r32", &heights[..32])]);
    assert!(
        nodes.len() == 1 && messages.contains("terrains/odd.r32: a file that cannot be read"),
        "{messages}"
    );
}

/// The map of a unit sphere: its surface encloses nearly 4/3 π, also if it is mirrored; inverted, it is seen from inside.
#[test]
fn sculpted_prims_have_the_shape_of_their_map() {
    let map = include_bytes!("images/sphere.j2c");
    let sphere = |kind: u32| {
        let shape =
            format!("<SculptType>{kind}</SculptType><SculptTexture><UUID>{ID}</UUID></SculptTexture>");
        let (object, map_file) = (object(&part("Ball", 0.0, &shape), ""), format!("assets/{ID}_texture.jp2"));
        let files: [(&str, &[u8]); 3] =
            [("archive.xml", b"<archive/>"), ("objects/ball.xml", object.as_bytes()), (&map_file, map)];
        let folder = Folder::new(&[("ball.oar", &tar_gz(&files))]);
        folder.ok("convert ball.oar ball.glb");
        crate::from_gltf(&folder.read("ball.glb")).expect("GLB").0
    };
    let ball = 4.0 / 3.0 * std::f64::consts::PI / 8.0;
    for (kind, wanted) in [(1, ball), (129, ball), (65, -ball), (193, -ball)] {
        let scene = sphere(kind);
        let (volume, area) = volume(&scene);
        assert!((volume - wanted).abs() < 0.02 && area < 1e-5, "{kind}: {volume} {wanted} {area}");
        let mesh = &scene.meshes[0].primitives[0].mesh;
        assert_eq!(mesh.positions.len(), 33 * 33, "{kind}");
        let outward = |(point, normal): (&geom::Vec3, &geom::Vec3)| {
            let (point, normal) = (point.to_array(), normal.to_array());
            f64::from((0..3).map(|axis| point[axis] * normal[axis]).sum::<f32>()) * wanted > 0.0
        };
        assert!(mesh.positions.iter().zip(&mesh.normals).all(outward), "{kind}");
    }
}

/// Several objects that were taken together: each is in two elements, and all are placed. An object without parts is
/// listed.
#[test]
fn coalesced_objects_are_all_there() {
    let one = |name: &str, x: f64| {
        let object = object(&part(name, x, BOX), "");
        let object = &object[object.find("?>").expect("a declaration") + 2..];
        format!("<SceneObjectGroup offsetx=\"{x}\" offsety=\"0\" offsetz=\"0\">{object}</SceneObjectGroup>")
    };
    let empty = "<SceneObjectGroup></SceneObjectGroup>";
    let all = format!(
        "<CoalescedObject x=\"2\" y=\"1\">{}{}{empty}</CoalescedObject>",
        one("a", 3.0),
        one("b", 5.0)
    );
    let (alone, losses) = scene(&all);
    let nodes: Vec<_> = alone.nodes.iter().map(|node| (&*node.name, node.transform.translation)).collect();
    assert_eq!(nodes, [("a", [3.0, 30.0, -20.0]), ("b", [5.0, 30.0, -20.0])]);
    assert!(losses.len() == 1 && losses[0].contains("an object without parts"), "{losses:?}");
    let chair = object(&part("chair", 0.0, BOX), "");
    let files: [(&str, &[u8]); 3] =
        [("archive.xml", b"<archive/>"), ("a.xml", all.as_bytes()), ("b.xml", chair.as_bytes())];
    let folder = Folder::new(&[("all.iar", &tar_gz(&files))]);
    folder.ok("convert all.iar all.glb");
    let (together, _) = crate::from_gltf(&folder.read("all.glb")).expect("GLB");
    assert_eq!(together.placed().len(), 3);
}

/// A face with a transparent colour is blended, and one whose texture has alpha.
#[test]
fn transparent_faces_are_blended() {
    let textured = |color: [u8; 4], texture: u8| {
        // Colours are stored inverted.
        let entry = [vec![texture; 16], vec![0], color.map(|part| 255 - part).to_vec(), vec![0]].concat();
        let entry = crate::xml::base64(entry);
        object(&part("pane", 0.0, &format!("{BOX}<TextureEntry>{entry}</TextureEntry>")), "")
    };
    let picture = |alpha| crate::png([255, 0, 0, alpha]);
    let folder = Folder::new(&[]);
    let id = |digit: char| [8, 4, 4, 4, 12].map(|length| digit.to_string().repeat(length)).join("-");
    folder.write(&format!("{}.png", id('1')), picture(100));
    folder.write(&format!("{}.png", id('2')), picture(255));
    folder.write(&format!("{}.jp2", id('3')), include_bytes!("images/rgba.jp2"));
    folder.write(&format!("{}.j2c", id('4')), include_bytes!("images/sphere.j2c"));
    for (color, texture, wanted) in [
        ([255; 4], 0, Alpha::Opaque),
        ([255, 0, 0, 64], 0, Alpha::Blend),
        ([255; 4], 0x11, Alpha::Blend),
        ([255; 4], 0x22, Alpha::Opaque),
        ([255; 4], 0x33, Alpha::Blend),
        ([255; 4], 0x44, Alpha::Opaque),
    ] {
        folder.write("pane.xml", textured(color, texture));
        folder.ok("convert pane.xml pane.glb --force");
        let (scene, _) = crate::from_gltf(&folder.read("pane.glb")).expect("GLB");
        assert_eq!(scene.materials[0].alpha, wanted, "{color:?} {texture:x}");
        assert_eq!(scene.materials[0].base_texture.is_some(), texture != 0, "{texture:x}");
    }
}

/// The viewer numbers the faces: top, sides, hole, bottom, and both sides of the cut (`LLProfile::generate`).
#[test]
fn faces_of_a_cut_shape_are_numbered_as_in_the_viewer() {
    let colors = (0..7u8).flat_map(|face| [1 << face, 255 - 10 * face, 255, 255, 0]);
    let entry: Vec<u8> = [0; 17].into_iter().chain([0; 4]).chain(colors).chain([0]).collect();
    let entry = crate::xml::base64(entry);
    // The red of faces 4 and 5 is 40 and 50 of 255, in sRGB.
    for (hollow, wanted) in [(0, 0.0212), (25_000, 0.0319)] {
        let shape = format!(
            "{BOX}<ProfileBegin>12500</ProfileBegin>\
             <ProfileHollow>{hollow}</ProfileHollow><TextureEntry>{entry}</TextureEntry>"
        );
        let (scene, _) = scene(&object(&part("box", 0.0, &shape), ""));
        let at_bottom = |mesh: &TriMesh| mesh.positions.iter().all(|point| point.y == -0.5);
        let primitives = &scene.meshes[0].primitives;
        let found = primitives.iter().find(|primitive| at_bottom(&primitive.mesh)).expect("a bottom");
        let red = scene.materials[found.material.expect("a material")].base_color[0];
        assert!((red - wanted).abs() < 1e-4, "{red} {wanted}");
    }
}

/// What a scene does not have is listed.
#[test]
fn lights_and_materials_of_faces_are_listed() {
    // Per face, in the order of a texture entry: texture, colour, repeats, offsets, rotation, surface, flags, glow, material.
    let surface: &[u8] = &[0x40 | 0x20, 0, 0, 0, 128, 0];
    let ones = [0, 0, 128, 63, 0];
    let entry = [&[0; 17][..], &[0; 5], &ones, &ones, &[0; 3], &[0; 3], &[0; 3], surface, &[9; 16]].concat();
    // Three parameters: a light, a flexible path and a render material.
    let extra = [3, 0x20, 0, 1, 0, 0, 0, 7, 0x10, 0, 0, 0, 0, 0, 0x80, 0, 1, 0, 0, 0, 7];
    let [entry, extra] = [entry, extra.to_vec()].map(crate::xml::base64);
    let shape = format!(
        "{BOX}<TextureEntry>{entry}</TextureEntry>\
         <ExtraParams>{extra}</ExtraParams>"
    );
    let (_, losses) = scene(&object(&part("box", 0.0, &shape), ""));
    let found: Vec<&str> = losses.iter().filter_map(|loss| loss.strip_prefix("SceneObjectPart: ")).collect();
    let wanted = [
        "a flexible part, which is straight",
        "a light",
        "materials of faces (PBR)",
        "materials of faces (normal and specular maps)",
        "the full brightness of faces",
        "the glow of faces",
        "the shine of faces",
    ];
    assert_eq!(found, wanted);
}

/// Objects that share a texture in JPEG 2000 are converted one by one, each with the same PNG.
#[test]
fn objects_share_the_textures_of_their_archive() {
    let entry = [vec![17; 16], vec![0; 6]].concat();
    let shape = format!("{BOX}<TextureEntry>{}</TextureEntry>", crate::xml::base64(entry));
    let [a, b] = ["a", "b"].map(|name| object(&part(name, 1.0, &shape), ""));
    let asset = "assets/11111111-1111-1111-1111-111111111111_texture.jp2";
    let files: [(&str, &[u8]); 4] = [
        ("archive.xml", b"<archive/>"),
        ("objects/a.xml", a.as_bytes()),
        ("objects/b.xml", b.as_bytes()),
        (asset, include_bytes!("images/rgba.jp2")),
    ];
    let folder = Folder::new(&[("it.oar", &tar_gz(&files))]);
    let ran = folder.run("convert --to glb it.oar out");
    assert!(
        ran.status == Some(0) && ran.out.matches("JPEG 2000 images: they become PNG").count() == 2,
        "{ran:?}"
    );
    folder.ok("convert it.oar all.glb");
    let image = |path: &str| crate::from_gltf(&folder.read(path)).expect("GLB").0.images[0].data.clone();
    assert!(["out/objects/a.glb", "out/objects/b.glb"].iter().all(|path| image(path) == image("all.glb")));
    assert!(matches!(image("all.glb"), ImageData::Bytes(bytes) if bytes.starts_with(b"\x89PNG")));
}

/// The contents of objects name their assets.
#[test]
fn contents_of_objects_have_their_names() {
    let item = format!(
        "<TaskInventory><TaskInventoryItem><AssetID><UUID>{ID}</UUID></AssetID><Name>My Script</Name>\
         </TaskInventoryItem></TaskInventory><Name>"
    );
    let wall = object(&part("Wall", 5.0, BOX), "").replacen("<Name>", &item, 1);
    let script = format!("assets/{ID}_script.lsl");
    let files: [(&str, &[u8]); 3] =
        [("archive.xml", b"<archive/>"), ("objects/wall.xml", wall.as_bytes()), (&script, b"default {}")];
    let folder = Folder::new(&[("it.oar", &tar_gz(&files))]);
    folder.ok("extract it.oar -o files");
    assert_eq!(folder.names("files/assets"), ["My Script_script.lsl"]);
}

/// An archive with one object and the assets that it uses is that object; the standard input is read once.
#[test]
fn one_object_and_its_assets_are_one() {
    let mesh = testkit::fixture("slmesh", "simple.llmesh");
    let of_mesh = format!("<SculptType>5</SculptType><SculptTexture><UUID>{ID}</UUID></SculptTexture>");
    let chair = object(&part("Chair", 1.0, &of_mesh), "");
    let asset = format!("assets/{ID}_mesh.llmesh");
    let files: [(&str, &[u8]); 3] =
        [("archive.xml", b"<archive/>"), ("assets/chair_object.xml", chair.as_bytes()), (&asset, &mesh)];
    let archive = tar_gz(&files);
    let folder = Folder::new(&[("one.iar", &archive)]);
    folder.ok("convert one.iar one.glb");
    let (scene, _) = crate::from_gltf(&folder.read("one.glb")).expect("GLB");
    assert!(scene.triangle_count() > 0 && scene.placed().len() == 1);
    folder.ok("render one.iar -o one.png");
    folder.ok("extract one.iar -o files");
    assert_eq!(folder.read("files/assets/chair_object.xml"), chair.as_bytes());
    // Without an object, there is nothing to draw.
    let script: (&str, &[u8]) = ("assets/11111111-2222-3333-4444-555555555555_script.lsl", b"default {}");
    folder.write("script.iar", tar_gz(&[files[0], script]));
    folder.ok("extract script.iar -o script");
    assert!(folder.fails("info script.iar", 1).contains("no object, mesh or animation"));
    folder.ok("sl one.iar -o upload --no-pictures");
    for (command, output) in [
        ("convert - piped.glb", "piped.glb"),
        ("convert --to glb - -", ""),
        ("convert --to glb - out", "out/assets/chair_object.glb"),
    ] {
        let input = if output.is_empty() { chair.clone().into_bytes() } else { archive.clone() };
        let ran = folder.piped(command, &input);
        assert!(ran.status == Some(0), "{command}: {ran:?}");
        assert!(output.is_empty() || folder.path(output).exists(), "{command}");
    }
    assert_eq!(folder.read("piped.glb"), folder.read("one.glb"));
}

/// Row `floor(k / rows * height)` of a map counts from the bottom, as the viewer decodes images; the last is the top row,
/// for a torus the bottom row.
#[test]
fn rows_of_maps_count_from_the_bottom() {
    use rezkit::scene::images;
    let map = images::Picture::from_fn(4, 4, |_, y| [128, [0, 60, 120, 180][y as usize], 128, 255]);
    let map = images::png(&map).expect("a PNG");
    // The rows of pixels from the top for the three rows of vertices.
    for (kind, wanted) in
        [(1, [0.0, 1.0, 3.0]), (2, [3.0, 1.0, 3.0]), (3, [0.0, 1.0, 3.0]), (4, [0.0, 1.0, 3.0])]
    {
        let shape =
            format!("<SculptType>{kind}</SculptType><SculptTexture><UUID>{ID}</UUID></SculptTexture>");
        let xml = object(&part("it", 0.0, &shape), "");
        let folder = Folder::new(&[("it.xml", xml.as_bytes())]);
        folder.write(&format!("{ID}.png"), &map);
        folder.ok("convert it.xml it.glb");
        let (scene, _) = crate::from_gltf(&folder.read("it.glb")).expect("GLB");
        let points = &scene.meshes[0].primitives[0].mesh.positions;
        let row = |point: &geom::Vec3| ((0.5 - point.to_array()[2]) * 255.0 / 60.0).round();
        let rows: Vec<f32> = points.iter().step_by(3).map(row).collect();
        assert_eq!(rows, wanted, "{kind}");
    }
}

/// The texture of a hole is as large as the hole: the viewer multiplies its coordinates by the hollowness (`addHole`),
/// by half of it in a triangle.
#[test]
fn textures_of_holes_are_scaled_with_the_hole() {
    for (profile, cut, wanted) in
        [(1, 0, [0.0, 0.5]), (0, 0, [0.0, 0.5]), (3, 0, [0.0, 0.25]), (1, 12_500, [0.125, 0.5])]
    {
        let shape = format!(
            "<ProfileCurve>{profile}</ProfileCurve><PathCurve>16</PathCurve><ProfileBegin>{cut}</ProfileBegin>\
             <ProfileHollow>25000</ProfileHollow>"
        );
        let (scene, _) = scene(&object(&part("it", 0.0, &shape), ""));
        // The top, the sides, and the hole.
        let hole = match (profile, cut) {
            (0, _) => 2,
            (1, 0) => 5,
            _ => 4,
        };
        let uvs = scene.meshes[0].primitives[hole].mesh.uvs.iter().map(|uv| uv.to_array()[0]);
        let found = [uvs.clone().fold(f32::MAX, f32::min), uvs.fold(f32::MIN, f32::max)];
        assert!((0..2).all(|end| (found[end] - wanted[end]).abs() < 1e-5), "{profile} {cut}: {found:?}");
    }
}

/// A ring of several revolutions is closed like that of one: it has one face. Other radii open it.
#[test]
fn a_ring_of_two_revolutions_has_one_face() {
    for (fields, faces) in [("", 1), ("<PathRadiusOffset>50</PathRadiusOffset>", 3)] {
        let shape = format!(
            "<ProfileCurve>0</ProfileCurve><PathCurve>32</PathCurve><PathScaleY>175</PathScaleY>\
             <PathRevolutions>67</PathRevolutions>{fields}"
        );
        let (scene, _) = scene(&object(&part("ring", 0.0, &shape), ""));
        assert_eq!(scene.meshes[0].primitives.len(), faces, "{fields}");
    }
}

/// Parts of the same shape, size and faces share a mesh; what is lost is counted for each.
#[test]
fn equal_parts_share_a_mesh() {
    let entry = |red: u8| {
        let bytes: Vec<u8> = [0; 17].into_iter().chain([255 - red, 255, 255, 0, 0]).collect();
        format!("{BOX}<TextureEntry>{}</TextureEntry>", crate::xml::base64(bytes))
    };
    let large = part("large", 4.0, &entry(9)).replace("<Scale><X>1<", "<Scale><X>2<");
    let tree = part("tree", 6.0, &entry(9)).replace("<PCode>9<", "<PCode>95<");
    let others = ["second", "third"].map(|name| part(name, 2.0, &entry(9))).concat()
        + &large
        + &part("brown", 5.0, &entry(90))
        + &tree;
    let (scene, losses) = scene(&object(&part("first", 0.0, &entry(9)), &others));
    let meshes: Vec<_> = scene.nodes.iter().map(|node| node.mesh).collect();
    assert_eq!(meshes, [Some(0), Some(0), Some(0), Some(1), Some(2), None]);
    assert!(scene.meshes.len() == 3 && losses.len() == 1 && losses[0].contains("a tree"), "{losses:?}");
}

/// The heights of a ground.
fn heights(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| (at as f32).to_le_bytes()).collect()
}

/// The vertices and triangles of the ground that a command makes of an archive.
fn ground(files: &[(&str, &[u8])], options: &str) -> (Vec<[f32; 3]>, usize, String) {
    let folder = Folder::new(&[("it.oar", &tar_gz(files))]);
    let ran = folder.run(&format!("convert it.oar it.glb -v {options}"));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let (scene, _) = crate::from_gltf(&folder.read("it.glb")).expect("GLB");
    let ground = scene.nodes.iter().find(|node| node.name.starts_with("ground of")).expect("a ground");
    let mesh = &scene.meshes[ground.mesh.expect("a mesh")].primitives[0].mesh;
    (mesh.positions.iter().map(|point| point.to_array()).collect(), mesh.triangles.len(), ran.err)
}

/// A region without objects has its ground.
#[test]
fn a_ground_needs_no_objects() {
    let four = heights(4);
    let (points, triangles, _) = ground(&[("archive.xml", b"<archive/>"), ("terrains/Only.r32", &four)], "");
    assert_eq!((points.len(), points[3], triangles), (4, [1.0, 3.0, -1.0], 2));
}

/// A region that is not square has the size that `archive.xml` states.
#[test]
fn a_ground_has_the_size_of_its_region() {
    let xml = b"<archive><region_info><size_in_meters>8,2</size_in_meters></region_info></archive>";
    let (points, triangles, _) = ground(&[("archive.xml", xml), ("terrains/Wide.r32", &heights(16))], "");
    assert_eq!((points.len(), points[15], triangles), (16, [7.0, 15.0, -1.0], 14));
}

/// The ground of a region is sampled every STEP metres, and at its last row and column; without the option, so that it
/// has at most a million triangles.
#[test]
fn the_ground_has_the_resolution_of_the_option() {
    let archive: (&str, &[u8]) = ("archive.xml", b"<archive/>");
    let wall = object(&part("Wall", 1.0, BOX), "");
    let files = |heights| [archive, ("objects/wall.xml", wall.as_bytes()), ("terrains/It.r32", heights)];
    let small = heights(64);
    let (points, triangles, messages) = ground(&files(&small), "--terrain 4");
    let wanted = [0, 4, 7].map(|y| [0, 4, 7].map(|x| [x as f32, (y * 8 + x) as f32, -y as f32])).concat();
    assert!(points == wanted && triangles == 8, "{points:?}");
    assert!(messages.contains("8 triangles (one sample per 4 x 4 metres"), "{messages}");
    for option in ["", "--terrain 1"] {
        let (points, triangles, messages) = ground(&files(&small), option);
        assert!(points.len() == 64 && triangles == 98 && !messages.contains("sample"), "{messages}");
    }
    // 2 * 799 * 799 triangles are too many.
    let (points, triangles, messages) = ground(&files(&heights(800 * 800)), "");
    assert!(points.len() == 401 * 401 && triangles == 2 * 400 * 400, "{triangles}");
    assert!(messages.contains("one sample per 2 x 2 metres"), "{messages}");
}

/// A folder converts an archive as it is converted alone: all its objects as one scene.
#[test]
fn an_archive_in_a_folder_is_one_scene() {
    let [wall, door] = ["Wall", "Door"].map(|name| object(&part(name, 5.0, BOX), ""));
    let files: [(&str, &[u8]); 3] = [
        ("archive.xml", b"<archive/>"),
        ("objects/wall.xml", wall.as_bytes()),
        ("objects/door.xml", door.as_bytes()),
    ];
    let folder = Folder::new(&[("in/it.oar", &tar_gz(&files)), ("in/one.xml", wall.as_bytes())]);
    let printed = folder.ok("convert --to glb in out");
    assert!(printed.contains("converted: 2 "), "{printed}");
    folder.ok("convert in/it.oar alone.glb");
    assert_eq!(folder.names("out"), ["it.glb", "one.glb"]);
    assert_eq!(folder.read("out/it.glb"), folder.read("alone.glb"));
}

/// The only asset of an archive is written into a folder, as several are, if the output has no extension.
#[test]
fn one_object_of_an_archive_is_written_into_a_folder() {
    let wall = object(&part("Wall", 1.0, BOX), "");
    let files: [(&str, &[u8]); 2] = [("archive.xml", b"<archive/>"), ("objects/wall.xml", wall.as_bytes())];
    let folder = Folder::new(&[("it.oar", &tar_gz(&files))]);
    for output in ["out", "new/", "named.glb/"] {
        folder.ok(&format!("convert --to glb it.oar {output}"));
        assert_eq!(folder.names(&format!("{output}/objects")), ["wall.glb"]);
    }
    folder.ok("convert --to glb it.oar it.glb");
    assert!(folder.path("it.glb").is_file());
}
