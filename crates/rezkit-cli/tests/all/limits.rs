//! Content within files counts against `max_bytes`: compressed and encoded data, and documents within documents.

use crate::Ask as _;
use std::io::Write as _;

use super::limited;
use super::xml::{binary, document, item, sized};
use rezkit::{Content, ErrorKind, ExtractOptions, Opened, ReadOptions, unwrap};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("in memory");
        archive.write_all(bytes).expect("in memory");
    }
    archive.finish().expect("in memory").into_inner()
}

/// A file with a valid signature that is far larger than a limit of 1 MB.
fn large() -> Vec<u8> {
    let mut bytes = b"version 2.00\n".to_vec();
    bytes.resize(16 << 20, 0);
    bytes
}

#[test]
fn archives_are_inflated_up_to_the_limit() {
    let large = large();
    let half = &large[..700 << 10];
    let options = ReadOptions::new().max_bytes(1 << 20);
    for (bytes, named) in [
        (gzip(&large), "the content of the gzip file"),
        (gzip(&gzip(&large)), "the content of the gzip file"),
        (zip(&[("a.mesh", &large)]), "a.mesh"),
        (zip(&[("in/b.zip", &zip(&[("c.mesh", &large)]))]), "in/b.zip/c.mesh"),
        (zip(&[("d.mesh.gz", &gzip(&large))]), "d.mesh.gz"),
        // Each of the two files is small enough, but both together are not.
        (zip(&[("e.mesh", half), ("f.mesh", half)]), "f.mesh"),
    ] {
        let most = (4 << 20) + bytes.len() as u64;
        // A buffer may grow to twice its content, and an archive is read from a copy.
        let text = limited(most, || unwrap(bytes, &options)).to_string();
        assert!(text.starts_with(&format!("not enough memory is left for {named} (")), "{text}");
    }
}

/// The bytes of a scene's file are kept for writing it unchanged, so they count twice while it is read.
#[test]
fn a_file_that_is_kept_counts_twice() {
    let obj = ["mtllib a.mtl\n".repeat(50_000), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".to_owned()].concat();
    let open =
        |max_bytes| ReadOptions::new().max_bytes(max_bytes).open(obj.clone().into_bytes(), "a.obj", ());
    limited(5 << 18, || open(1 << 20));
    assert!(open(1 << 21).is_ok());
}

/// Each of many small files takes memory for its own size only.
#[test]
fn small_files_of_an_archive_take_little() {
    let names: Vec<String> = (0..2000).map(|at| format!("{at}.mesh")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &b"version 1.00\n0\n"[..])).collect();
    let bytes = zip(&files);
    let taken = testkit::measure(|| {
        assert_eq!(unwrap(bytes.clone(), &ReadOptions::new()).expect("small").len(), 2000);
    });
    assert!(taken.bytes_max < 8 << 20, "{}", taken.bytes_max);
}

/// A value with more levels below it than a walk may descend is an error, not a stack overflow.
#[test]
fn deep_values_are_refused() {
    let refused = || {
        let open = "<Item class=\"Folder\"><Properties></Properties>".repeat(20_000);
        let opened = crate::open(document(&(open + &"</Item>".repeat(20_000))), "a.rbxmx");
        let error = opened.get("Folder").expect_err("too deep");
        assert_eq!(error.kind(), rezkit::ErrorKind::Effort, "{error}");
        let mut text = Ok(String::new());
        let found = &mut |found: rezkit::tree::Found<'_>| text = serde_json::to_string(&found);
        rezkit::tree::resolve(&*opened.tree(), "Folder", found).expect("there");
        assert!(text.is_err());
    };
    // The stack of a program's main thread has this size; the test runs without optimisation.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(refused).expect("a thread");
    thread.join().expect("no panic");
}

/// The empty path is the root, so an empty key is written as its index: each value is found at its path.
#[test]
fn empty_names_have_paths() {
    let text = "{'':{'':i1,'a':i2},'b':i3}";
    let opened = crate::open(text, "a.llsd");
    let shown = |path: &str| opened.get(path).expect("there").to_json().to_string().replace('"', "");
    let inside = rezkit::tree::join("", "", 0);
    assert_eq!(inside, "[0]");
    assert_eq!(shown(&inside), "{:1,a:2}");
    assert_eq!(shown(&rezkit::tree::join(&inside, "a", 0)), "2");
    assert_eq!(shown(&rezkit::tree::join(&inside, "", 0)), "1");
    assert_eq!(shown("b"), "3");
}

/// A file with a property that is stored twice does not differ from itself.
#[test]
fn no_file_differs_from_itself() {
    let twice = "<bool name=\"P\">true</bool><bool name=\"P\">false</bool>";
    let item = item("Part", "Part", twice, "");
    let xml = String::from_utf8(document(&item)).expect("text");
    let open = || crate::open(&xml, "a.rbxmx");
    let changes = |one: &rezkit::Opened<'_>, other: &rezkit::Opened<'_>, max_bytes: u64| {
        let (mut count, budget) = (0, &mut rezkit::Budget::new(max_bytes));
        rezkit::tree::diff(&*one.tree(), &*other.tree(), budget, &mut |_| count += 1).map(|()| count)
    };
    assert_eq!(changes(&open(), &open(), 1 << 20).ok(), Some(0));
    let other = xml.replace("false", "true");
    let other = crate::open(other, "a.rbxmx");
    assert_eq!(changes(&open(), &other, 1 << 20).ok(), Some(1));
    // The names of 1,000 children are compared, which a small file can have.
    let many = xml.replace(&item, &item.repeat(1000));
    let many = crate::open(many, "a.rbxmx");
    let error = changes(&many, &open(), 4000).expect_err("1,000 names");
    assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
}

/// A place with one instance, which has a property with these bytes.
fn place(class: &str, property: &str, bytes: &[u8]) -> Content {
    crate::open(document(&item(class, class, &binary(property, bytes), "")), "").into_content()
}

/// The content, of which at most this much is decoded.
fn within(content: &Content, max_bytes: u64) -> Opened<'static> {
    ReadOptions::new().max_bytes(max_bytes).open_content(content.clone(), "", ())
}

/// For each layout, bytes that decode into as much memory as possible.
fn blobs() -> [(&'static str, &'static str, Vec<u8>); 4] {
    let count = 200_000_u32;
    let mut attributes = count.to_le_bytes().to_vec();
    attributes.extend([0, 0, 0, 0, 3, 1].repeat(count as usize));
    // Chunks without runs, with a byte for each voxel, at (0, 0, 0), (0, 0, 1) and so on.
    let mut terrain = vec![1, 5];
    for chunk in 0..10 {
        terrain.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, u8::from(chunk > 0)]);
        terrain.extend([2; 32 * 32 * 32]);
    }
    let mut physics = vec![2, 3];
    physics.extend(count.to_be_bytes());
    physics.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1].repeat(count as usize));
    physics.extend([0; 8]);
    [
        ("Folder", "AttributesSerialize", attributes),
        ("Folder", "Tags", vec![0; count as usize]),
        ("Terrain", "SmoothGrid", terrain),
        ("Terrain", "PhysicsGrid", physics),
    ]
}

#[test]
fn decoded_properties_take_no_more_than_the_limit() {
    for (class, property, bytes) in blobs() {
        let content = place(class, property, &bytes);
        let size = bytes.len() as u64;
        let (mut decoded, mut refused) = (false, false);
        for of_a_byte in [1, 8, 16, 40, 64, 160, 400] {
            let opened = within(&content, of_a_byte * size);
            // The value that is shown, decoded or as bytes.
            let mut kind = String::new();
            let shown = testkit::measure(|| {
                let tree = opened.tree();
                let properties = tree.children().next().expect("an instance").properties();
                let value = properties.iter().find(|(name, _)| name == property).expect("there");
                kind = value.1.kind.to_string();
            });
            let beside = 4 * size + (1 << 16);
            assert!(shown.bytes_max < of_a_byte * size + beside, "{property}: {}", shown.bytes_max);
            decoded |= kind == property;
            refused |= kind.contains("not decoded");
            // The files that are written.
            let mut files = Ok(Vec::new());
            let written =
                testkit::measure(|| files = opened.extract(&ExtractOptions::new()).map(|made| made.files));
            let written = written.bytes_max;
            // A buffer may grow to twice its content.
            assert!(written < 2 * of_a_byte * size + beside, "{property}: {written}");
            match files {
                Ok(files) => assert!(!files.is_empty()),
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("not enough memory is left for"), "{text}");
                    let path = format!("{class}.{property}");
                    let names = [path.as_str(), "attributes.json", "tags.json"];
                    assert!(names.iter().any(|name| error.path().ends_with(name)), "{text}");
                }
            }
        }
        assert!(decoded && refused, "{property}: {decoded} {refused}");
    }
}

/// The existing attributes are decoded to set one of them.
#[test]
fn attributes_are_set_up_to_the_limit() {
    let [(class, property, bytes), ..] = blobs();
    let content = place(class, property, &bytes);
    let mut opened = within(&content, bytes.len() as u64);
    drop(content);
    let path = format!("{class}.{property}.Speed");
    let error = opened.set(&path, "1", Some("Number")).expect_err("too large");
    assert!(error.to_string().contains("not enough memory is left for"), "{error}");
}

#[test]
fn blocks_of_a_second_life_mesh_are_texts_up_to_the_limit() {
    let opened = crate::open(testkit::fixture("slmesh", "all.llmesh"), "");
    let files = opened.extract(&ExtractOptions::new()).expect("small").files;
    let names: Vec<_> = files.iter().map(|file| file.path().to_owned()).collect();
    let tree = opened.tree();
    let is_there = |node: &dyn rezkit::tree::Node| node.kind() != "nothing";
    let blocks = tree.children().filter(|child| is_there(&**child));
    assert_eq!(names, blocks.map(|child| format!("{}.json", child.name())).collect::<Vec<_>>());
    drop(tree);
    let limited = within(&opened.into_content(), 200);
    let error = limited.extract(&ExtractOptions::new()).expect_err("too large");
    assert!(error.to_string().contains("_lod ("), "{error}");
}

mod scenes {
    use super::{binary, document, item, sized};
    use rezkit::render::Renderer;
    use rezkit::scene::SceneOptions;
    use rezkit::scene::{Image, ImageData, Material, Scene, Texture};

    /// A union whose operands are a small compressed file with a text of 8 MB.
    #[test]
    fn operands_of_a_union_are_read_up_to_the_limit() {
        let long = "a".repeat(8 << 20);
        let item =
            |class: &str, name: &str, more: &str| item(class, name, &(sized([0.0; 3], [1.0; 3]) + more), "");
        let xml = document(&item("Part", &long, ""));
        let options = rezkit::ConvertOptions::new().compression(("zstd".to_owned(), None));
        let made = crate::open(xml, "").convert(Some("rbxm"), "a.rbxm", &options).expect("equal");
        let operands = &made.files[0].bytes;
        assert!(operands.len() < 1 << 16, "{}", operands.len());
        let union = document(&item("UnionOperation", "U", &binary("ChildData2", operands)));
        let losses = |max_bytes: u64| {
            let mut options = SceneOptions::default();
            options.max_bytes = max_bytes;
            let (scene, losses) = crate::scene_of(&union, "u.rbxmx", &options, &mut ()).expect("a scene");
            assert_eq!(scene.triangle_count(), 12);
            crate::texts(&losses)
        };
        let what = "U: a union becomes its separate operands: nothing is merged or cut away";
        assert_eq!(losses(1 << 30), [what]);
        let (mut small, mut took) = (Vec::new(), 0);
        took = took.max(testkit::measure(|| small = losses(2 << 20)).bytes_max);
        assert!(took < 4 << 20, "{took}");
        assert!(small.iter().all(|loss| loss.starts_with("U: ")), "{small:?}");
        crate::has(&small, "not enough memory is left for");
    }

    /// A picture of a million pixels in a few kilobytes.
    #[test]
    fn textures_are_decoded_up_to_the_limit() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1000, 1000);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().expect("in memory");
        writer.write_image_data(&vec![0; 1_000_000]).expect("in memory");
        writer.finish().expect("in memory");
        let mut scene = Scene::default();
        scene.images.push(Image { name: "large".into(), data: ImageData::Bytes(bytes) });
        let base_texture = Some(Texture::new(0));
        scene.materials.push(Material { base_texture, ..Material::default() });
        let positions = vec![[0.0; 3].into(), [1.0, 0.0, 0.0].into(), [0.0, 1.0, 0.0].into()];
        let mesh = geom::TriMesh { positions, triangles: vec![[0, 1, 2]], ..geom::TriMesh::default() };
        crate::add_mesh(&mut scene, "", mesh);
        scene.meshes[0].primitives[0].material = Some(0);
        assert!(Renderer::new(&scene, 1 << 30).is_ok());
        let error = Renderer::new(&scene, 1 << 20).expect_err("too large");
        let what = "images[0] \"large\": not enough memory is left for an image of 1000 x 1000 pixels";
        assert!(error.to_string().starts_with(what), "{error}");
    }
}

/// The nodes of a tree are built during the walk and not kept.
#[test]
fn a_walk_over_a_large_mesh_takes_little_memory() {
    let mesh =
        rbxmesh::Mesh { vertices: vec![rbxmesh::Vertex::default(); 300_000], ..rbxmesh::Mesh::default() };
    let opened = within(&mesh.into(), 1 << 30);
    let taken = testkit::measure(|| {
        let root = opened.tree();
        let vertices = root.children().find(|child| child.name() == "vertices").expect("a field");
        assert_eq!(vertices.children().count(), 300_000);
    });
    assert!(taken.bytes_max < 32 << 20, "{}", taken.bytes_max);
}

/// Writers reserve memory from a budget before they allocate it.
#[test]
fn writers_have_a_budget() {
    use rezkit::scene::{MorphTarget, Scene, gltf};
    use rezkit::{Budget, ErrorKind};
    let mut scene = Scene::default();
    let corner = geom::Vec3::new(1.0, 0.0, 0.0);
    let mesh = geom::TriMesh {
        positions: vec![corner; 60_000],
        triangles: (0..20_000).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect(),
        ..geom::TriMesh::default()
    };
    // The offsets of the morph targets are 100 columns of 720 kB.
    let target = MorphTarget { positions: vec![corner; 60_000], ..MorphTarget::default() };
    let targets = vec![target; 100];
    crate::add_mesh(&mut scene, "", mesh);
    scene.meshes[0].primitives[0].targets = targets;
    let error = gltf::to_glb(&scene, &mut Budget::new(16 << 20)).expect_err("72 MB");
    assert_eq!(error.kind(), ErrorKind::Limit);
    // A Roblox mesh has 60,000 vertices of 40 bytes, which exist twice: in the mesh and in its file.
    let error = crate::writer("mesh").write(&scene, "a", 5 << 20).expect_err("4.8 MB beside the scene's own");
    assert_eq!(error.kind(), ErrorKind::Limit);
}

/// Control characters and direction marks are escaped in JSON, including names.
#[test]
fn json_has_no_odd_characters() {
    use std::io::Write as _;
    let mut text = Vec::new();
    let mut out = rezkit::plain::JsonOut(&mut text);
    let value = serde_json::json!({ "\u{9b}31m\u{202e}x": "\u{1f600}\n" });
    serde_json::to_writer(&mut out, &value).expect("written");
    out.flush().expect("written");
    let wanted = [&br#"{"\u009b31m\u202ex":"#[..], "\"\u{1f600}\\n\"}".as_bytes()].concat();
    assert_eq!(text, wanted);
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&text).expect("JSON"), value);
}

/// A Model 3D file stores each point and each normal once; the tables that find equal ones count against the limit.
#[test]
fn the_vertices_of_a_model_count() {
    use geom::TriMesh;
    use rezkit::scene::Scene;
    let side = 400;
    let point = |index: u32| [(index % side) as f32, (index / side) as f32, 0.0].into();
    let mut mesh = TriMesh { positions: (0..side * side).map(point).collect(), ..TriMesh::default() };
    mesh.normals = mesh.positions.clone();
    mesh.triangles = (0..side * (side - 1)).map(|index| [index, index + 1, index + side]).collect();
    let mut scene = Scene::default();
    crate::add_mesh(&mut scene, "", mesh);
    let writer = crate::writer("m3d");
    for max_bytes in [24 << 20, 32 << 20, 48 << 20, 64 << 20, 96 << 20] {
        let mut result = None;
        let took = testkit::measure(|| result = Some(writer.write(&scene, "a", max_bytes))).bytes_max;
        assert!(took <= max_bytes + max_bytes / 4 + (1 << 20), "{took} of {max_bytes}");
        match result.expect("measured") {
            Ok(_) => assert!(max_bytes > 48 << 20, "{max_bytes}"),
            Err(error) => assert_eq!(error.kind(), rezkit::ErrorKind::Limit, "{error}"),
        }
    }
    assert!(writer.write(&scene, "a", 96 << 20).is_ok());
}

/// Content that a form drops is listed with few losses, however many there are.
#[test]
fn many_unknown_sections_are_few_losses() {
    let text = format!("3dmodel 1\na\n\n\n\n{}End\n", "Unknown\nline\n\n".repeat(5000));
    let mut opened = crate::open(text, "a.a3d");
    let options = rezkit::ConvertOptions::new().allow_loss(true);
    let losses = opened.convert(Some("raw"), "a.m3d", &options).expect("converted").losses;
    assert_eq!(losses.iter().map(|loss| loss.count).sum::<usize>(), 5000);
    assert!(losses.len() < 1100, "{}", losses.len());
}

/// A Model 3D file's preview is extracted as it is stored: a PNG image.
#[test]
fn previews_are_extracted() {
    let opened = crate::open(testkit::fixture("m3d", "preview.m3d"), "a.m3d");
    let files = opened.extract(&rezkit::ExtractOptions::default()).expect("extracted").files;
    let preview = files.iter().find(|file| file.path() == "preview.png").expect("a preview");
    // The file stores the image between the first chunks, uncompressed.
    let whole = testkit::fixture("m3d", "preview.m3d");
    assert!(preview.bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(whole.windows(preview.bytes.len()).any(|bytes| bytes == preview.bytes));
}

/// What a header declares and what a conversion loses count against the limit: each takes many times its text.
#[test]
fn declarations_and_losses_count() {
    let limit = |error: Option<rezkit::Error>| error.map(|error| error.kind());
    let (small, large) = (ReadOptions::new().max_bytes(4 << 20), ReadOptions::new());
    let many = |one: fn(usize) -> String| (0..40_000).map(one).collect::<String>();
    let elements = many(|at| format!("element e{at} 0\n"));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\n{elements}end_header\n"
    );
    let obj = many(|at| format!("mtllib m{at}.mtl\n")) + "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (name, text) in [("a.ply", ply), ("a.obj", obj)] {
        assert!(text.len() < 1 << 20);
        let open = |options: &ReadOptions| options.open(text.clone().into_bytes(), name, ()).err();
        assert_eq!(limit(open(&small)), Some(rezkit::ErrorKind::Limit), "{name}");
        assert_eq!(limit(open(&large)), None, "{name}");
    }
    let attributes = many(|at| format!(" a{at}='b'"));
    let xml = format!("<roblox version='4'><Item class='Part'{attributes}></Item></roblox>");
    let convert = |options: &ReadOptions| {
        let mut opened = options.open(xml.clone().into_bytes(), "a.rbxmx", ()).expect("readable");
        opened.convert(Some("rbxm"), "a.rbxm", &rezkit::ConvertOptions::new().allow_loss(true)).err()
    };
    let small = ReadOptions::new().max_bytes(12 << 20);
    assert_eq!(limit(convert(&small)), Some(rezkit::ErrorKind::Limit));
    assert_eq!(limit(convert(&large)), None);
}

/// A file of a limit of 16 MB is opened, with all that the command line opens, in a quarter more and 16 MB.
fn opened_within_16_mb(bytes: Vec<u8>) -> rezkit::Result<usize> {
    let options = ReadOptions::new().max_bytes(16 << 20);
    let parts = unwrap(bytes, &options)?;
    parts.iter().try_fold(0, |count, part| options.open_part(part, "a", ()).map(|_| count + 1))
}

/// The name of an archive in an archive is a part of each name in it.
#[test]
fn long_names_in_archives_count() {
    let names: Vec<String> = (0..2000).map(|at| format!("{at}.mesh")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &b"version 1.00\n0\n"[..])).collect();
    let one = empty_model().repeat(2000);
    for inner in [zip(&files), zip(&[("a.rbxm", &one)])] {
        let outer = zip(&[(&format!("{}.zip", "a".repeat(4000)), &inner)]);
        // 16 MB of names, twice.
        limited(36 << 20, || opened_within_16_mb(outer));
    }
}

fn empty_model() -> Vec<u8> {
    crate::open(document(""), "a.rbxmx").made("a.rbxm")
}

/// The directory of an archive counts before it is read: each of its entries takes more memory than bytes of the file.
#[test]
fn directories_of_archives_count() {
    let names: Vec<String> = (0..15_000).map(|at| at.to_string()).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    let bytes = zip(&files);
    let options = ReadOptions::new().max_bytes(8 << 20);
    limited(1 << 20, || unwrap(bytes, &options));
}

/// The files of an archive are in memory while a part of it is read, and count with what the part becomes.
#[test]
fn the_files_of_an_archive_count_together() {
    let scene = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"x.bin","byteLength":5000000}]}"#;
    let bytes = zip(&[("m.gltf", scene.as_bytes()), ("x.bin", &vec![0; 5_000_000])]);
    let open = |max_bytes| {
        let options = ReadOptions::new().max_bytes(max_bytes);
        let [part] = &*unwrap(bytes.clone(), &options).expect("small") else { panic!("one part") };
        let beside = |reference: &rezkit::Reference, _: u64| match reference {
            rezkit::Reference::Beside(name) => Ok(part.beside(name).map(<[u8]>::to_vec)),
            _ => Ok(None),
        };
        options.open_part(part, "a.zip", beside).map(|opened| opened.memory_left())
    };
    assert_eq!(open(9 << 20).expect_err("twice 5 MB").kind(), rezkit::ErrorKind::Limit);
    let left = open(16 << 20).expect("10 MB");
    assert!(left < 12 << 20, "{left}");
}

/// Entries of an archive that cannot be read are named, and the others are read.
#[test]
fn broken_entries_are_named() {
    let mesh = b"version 1.00\n0\n";
    let parts = unwrap(zip(&[("in/a.zip", b"PK\x03\x04broken"), ("b.mesh", mesh)]), &ReadOptions::new());
    let parts = parts.expect("the archive itself is not broken");
    let failed: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.failed.is_some())).collect();
    assert_eq!(failed, [("in/a.zip", true), ("b.mesh", false)]);
    let error = rezkit::open(zip(&[("in/a.zip", b"PK\x03\x04broken"), ("b.mesh", mesh)]), "a", ());
    assert_eq!(error.expect_err("broken").path(), "in/a.zip");
    // Encrypted, in both headers of the only entry; and a folder with content.
    for (from, to, said) in [
        (&b"\x14\x00\x00\x00\x08\x00"[..], &b"\x14\x00\x01\x00\x08\x00"[..], "encrypted"),
        (b"b.mesh", b"bmesh/", "folder"),
    ] {
        let bytes = bstr::ByteSlice::replace(&*zip(&[("b.mesh", mesh)]), from, to);
        let parts = unwrap(bytes, &ReadOptions::new()).expect("the archive itself is not broken");
        let reason = parts[0].failed.as_deref().unwrap_or_default();
        assert!(reason.contains(said), "{reason}");
    }
}

/// Two entries of one name, as Python's `zipfile` writes them.
#[test]
fn equal_names_in_archives_are_reported() {
    let (one, two) = (b"version 1.00\n0\n", b"version 1.01\n0\n");
    let bytes = bstr::ByteSlice::replace(&*zip(&[("a.mesh", one), ("b.mesh", two)]), "b.mesh", "a.mesh");
    let parts = unwrap(bytes, &ReadOptions::new()).expect("readable");
    let [failed, part] = &*parts else { panic!("{parts:?}") };
    assert!(failed.failed.as_deref().is_some_and(|reason| reason.contains("have the same name")));
    assert_eq!(part.bytes.as_slice(), two);
}

/// The files beside an asset of an archive are found by any spelling of their path, also in an archive in an archive.
#[test]
fn files_of_archives_are_beside_each_other() {
    let mesh = b"version 1.00\n0\n";
    let inner = zip(&[("s/m.mesh", mesh), ("s/x.bin", b"one"), ("y.bin", b"two"), ("./s//z.bin", b"three")]);
    for bytes in [inner.clone(), gzip(&inner), zip(&[("t/in.zip", &inner)])] {
        let parts = unwrap(bytes, &ReadOptions::new()).expect("readable");
        let [part] = &*parts else { panic!("{parts:?}") };
        for path in ["x.bin", "./x.bin", "t/../x.bin", ".//x.bin"] {
            assert_eq!(part.beside(path), Some(&b"one"[..]), "{path}");
        }
        assert_eq!(part.beside("../y.bin"), Some(&b"two"[..]));
        assert_eq!(part.beside("z.bin"), Some(&b"three"[..]));
        assert_eq!(part.beside("../../../../y.bin"), None);
    }
}

/// gzip and Python skip zeros after the last member.
#[test]
fn zeros_after_gzip_are_padding() {
    let mesh = b"version 1.00\n0\n";
    let members = [gzip(&mesh[..5]), gzip(&mesh[5..]), vec![0; 700]].concat();
    let parts = unwrap(members.clone(), &ReadOptions::new()).expect("padded");
    assert_eq!(parts[0].bytes.as_slice(), mesh);
    assert!(unwrap([&*members, b"x"].concat(), &ReadOptions::new()).is_err());
}
