//! What a command must never do: destroy its input, write outside of the requested folder, hang, or report success for
//! something that it did not do.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use testkit::fixture;

use super::run::Folder;
use super::xml::{SHARED_SCRIPT, at, document, field, item, sized, tree, with_id, with_shared};

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// An XML document of one instance, which has a property with this name and a shared string.
fn with_property(property: &str) -> Vec<u8> {
    let shared = format!("<SharedString name=\"{property}\">k</SharedString>");
    with_shared(&item("Part", "A", &shared, ""), "hello")
}

#[test]
fn extract_writes_only_below_its_folder() {
    for property in
        ["../../victim", "/../../victim", "..\\..\\victim", "C:\\victim", "a/b/../../../../victim"]
    {
        let folder = Folder::new(&[("model.rbxmx", &with_property(property)), ("victim.bin", b"mine")]);
        folder.ok("extract model.rbxmx -o out/below");
        assert_eq!(folder.names(""), ["model.rbxmx", "out", "victim.bin"], "{property}");
        assert_eq!(folder.names("out"), ["below"], "{property}");
        let [name] = folder.names("out/below/shared").try_into().expect("one file");
        assert_eq!(folder.read(&format!("out/below/shared/{name}")), b"hello", "{property}");
    }
}

#[cfg(unix)]
#[test]
fn extract_follows_no_link_out_of_its_folder() {
    let folder =
        Folder::new(&[("model.rbxmx", &with_property("X")), ("elsewhere/mine", b"mine"), ("out/x", b"")]);
    std::os::unix::fs::symlink(folder.path("elsewhere"), folder.path("out/shared")).expect("a link");
    let error = folder.fails("extract model.rbxmx -o out", 2);
    assert!(error.contains("out/shared: found a symbolic link, which rezkit does not follow"), "{error}");
    assert_eq!(folder.names("elsewhere"), ["mine"]);
}

#[test]
fn extract_replaces_nothing_unless_it_is_told_to() {
    let folder = Folder::new(&[("model.rbxmx", &with_property("X")), ("out/shared/1-X.bin", b"mine")]);
    assert!(folder.fails("extract model.rbxmx -o out", 2).contains("--force"));
    assert_eq!(folder.read("out/shared/1-X.bin"), b"mine");
    folder.ok("extract --force model.rbxmx -o out");
    assert_eq!(folder.read("out/shared/1-X.bin"), b"hello");
}

#[test]
fn a_conversion_replaces_neither_its_input_nor_a_neighbour() {
    let mesh = fixture("rbxmesh", "v2_00.mesh");
    let folder = Folder::new(&[("head.bin", &mesh), ("other.bin", b"mine"), ("head.mtl", b"mine")]);
    let error = folder.fails("convert head.bin head.gltf", 2);
    assert!(error.contains("head.bin: input and output are the same file"), "{error}");
    let error = folder.fails("convert head.bin other.gltf", 2);
    assert!(error.contains("other.bin: already exists"), "{error}");
    // If a form needs several files, it is not written to the standard output.
    assert!(folder.run("convert --to gltf head.bin -").bytes.is_empty());
    assert_eq!(folder.names(""), ["head.bin", "head.mtl", "other.bin"]);
    assert_eq!((folder.read("head.bin"), folder.read("other.bin")), (mesh, b"mine".to_vec()));
    folder.ok("convert --force head.bin other.gltf");
    folder.ok("info other.gltf");
    let folder = Folder::new(&[
        ("paint.obj", b"mtllib paint.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n"),
        ("paint.mtl", b"newmtl a\nKd 1 0 0\n"),
    ]);
    folder.ok("convert paint.obj paint.glb");
    let ran = folder.run("convert --to obj paint.glb -");
    assert_eq!((ran.status, ran.bytes.len()), (Some(2), 0), "{}", ran.err);
}

/// A script in CDATA can contain the end of one document and the start of another.
#[test]
fn a_document_is_not_split_inside_of_a_script() {
    let document = |source: &str| {
        let script = tree(&format!("ModuleScript#M|M|{}", field("ProtectedString", "Source", source)));
        String::from_utf8(script).expect("text") + "\n"
    };
    let hidden = document("<![CDATA[return [[<roblox version=\"4\"></roblox><roblox version=\"4\">]]]]>");
    let commented = hidden.replacen("<Item", "<!-- </roblox><roblox version=\"4\"> --><Item", 1);
    let parts = |text: &str| {
        let parts = rezkit::unwrap(text.as_bytes().to_vec(), &rezkit::ReadOptions::new()).expect("parts");
        let text = |part: rezkit::Unwrapped| String::from_utf8(part.bytes.to_vec()).expect("a text");
        parts.into_iter().map(text).collect::<Vec<_>>()
    };
    for text in [hidden, commented] {
        assert_eq!(parts(&text), [text.as_str()]);
        let opened = crate::open(&text, "a.rbxmx");
        assert!(opened.get("M.Source").is_ok());
        assert_eq!(parts(&(text.clone() + &document("return 1"))), [text, document("return 1")]);
    }
}

/// The header of Model 3D contains the length of the file, which can be less than that of the header itself.
#[test]
fn twelve_bytes_end() {
    let bytes = b"3DMO\0\0\0\0HEAD";
    let unwrap = |bytes| rezkit::unwrap(bytes, &rezkit::ReadOptions::new()).expect("parts").len();
    assert_eq!(unwrap(bytes.to_vec()), 1);
    assert!(unwrap([&b"3DMO\x04\0\0\0"[..], bytes].concat()) <= 2);
}

#[test]
fn an_edited_asset_is_wrapped_as_it_was() {
    let document = b"<llsd><map><key>a</key><integer>1</integer></map></llsd>";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(document).expect("in memory");
    let zip = super::limits::zip(&[("a.xml", document)]);
    let folder = Folder::new(&[
        ("a.xml.gz", &gz.finish().expect("in memory")),
        ("a.zip", &zip),
        ("map.csv", b"rbxassetid://1,rbxassetid://2\n"),
    ]);
    folder.ok("set a.xml.gz a 2");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*folder.read("a.xml.gz")).read_to_string(&mut text).expect("gzip");
    assert!(text.contains("<integer>2</integer>"), "{text}");
    for line in ["set a.zip a 2", "assets --replace map.csv a.zip"] {
        folder.fails(line, 2);
        assert_eq!(folder.read("a.zip"), zip);
    }
}

/// Closing the standard output does not stop the conversion.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_no_work() {
    let folder = Folder::new(&[]);
    for index in 0..300 {
        folder.copy(&format!("in/{index:03}.mesh"), "fixtures/rbxmesh/v2_00.mesh");
    }
    let mut command = folder.command();
    command.args(["convert", "--to", "5.00", "in", "out"]).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    drop(child.stdout.take());
    assert!(child.wait().expect("it ends").success());
    assert_eq!(folder.names("out").len(), 300);
}

#[test]
fn terrain_is_no_box() {
    let part = item("Part", "Part", &sized([0.0; 3], [4.0, 1.0, 2.0]), "");
    let terrain = item("Terrain", "Terrain", &sized([0.0; 3], [2044.0, 252.0, 2044.0]), "");
    let place = document(&item("Workspace", "Workspace", "", &(part + &terrain)));
    let (scene, losses) = crate::scene(&place, "a.rbxlx");
    let bounds = scene.bounds().expect("a part");
    assert_eq!((bounds.max - bounds.min).to_array(), [4.0, 1.0, 2.0]);
    // The terrain has no voxels, so nothing is lost.
    assert_eq!(losses, [""; 0]);
}

/// A document with a chain of instances of one class.
fn chain(levels: usize) -> Vec<u8> {
    let mut document = rbxbinary::Document::new();
    let mut parent = None;
    for _ in 0..levels {
        let new = rbxbinary::NewInstance::new("Folder").property("Name", "f");
        let made = rbxbinary::edit::EditOptions::new().insert(&mut document, parent, new).expect("a folder");
        parent = made.instances.first().copied();
    }
    rbxbinary::to_vec(&document).expect("a document")
}

/// Functions that recurse for each level return an error instead of overflowing the stack. Two trees that are too deep
/// to be compared do not count as different.
#[test]
fn a_deep_document_overflows_no_stack() {
    let deep =
        |value: &str| format!("<llsd>{}{value}{}</llsd>", "<array>".repeat(1100), "</array>".repeat(1100));
    let [a, b] = ["<integer>1</integer>", "<integer>2</integer>"].map(deep);
    let folder = Folder::new(&[
        ("a.rbxm", &chain(20_000)),
        ("b.rbxm", &chain(20_001)),
        ("a.xml", a.as_bytes()),
        ("b.xml", b.as_bytes()),
    ]);
    for line in [
        "info a.rbxm",
        "check a.rbxm",
        "tree --full a.rbxm",
        "tree --find g a.rbxm",
        "diff a.rbxm b.rbxm",
        "assets a.rbxm",
        "scripts a.rbxm",
        "extract a.rbxm -oout",
        "convert --max-bytes 100000000 a.rbxm a.rbxmx",
        "convert a.rbxm a.glb",
    ] {
        let ran = folder.run(line);
        assert!(matches!(ran.status, Some(0..=2)) && !ran.err.contains("overflow"), "{line}: {}", ran.err);
    }
    assert!(folder.fails("diff a.xml b.xml", 2).starts_with("error: "));
}

#[test]
fn what_instances_share_is_not_copied_for_each() {
    let bytes = with_shared(&SHARED_SCRIPT.repeat(1000), "a".repeat(1 << 20));
    let options = rezkit::ReadOptions::new().max_bytes(16 << 20);
    let taken = testkit::measure(|| {
        let opened = options.open(bytes.clone(), "a.rbxmx", ()).expect("readable");
        assert!(opened.info().facts.len() > 3);
        let error = opened.scripts().expect_err("a gigabyte of sources");
        assert_eq!(error.kind(), rezkit::ErrorKind::Limit, "{error}");
        let error = opened.extract(&rezkit::ExtractOptions::new()).expect_err("a gigabyte");
        assert_eq!(error.kind(), rezkit::ErrorKind::Limit);
        assert_eq!(opened.assets().expect("no assets").len(), 0);
    });
    assert!(taken.bytes_max < 40 << 20, "{}", taken.bytes_max);
}

/// Paths of equal siblings are unique, and the document finds its instances by these paths.
#[test]
fn paths_of_equal_siblings() {
    let scripts = |count| with_shared(&SHARED_SCRIPT.repeat(count), "aaaa");
    let paths = |count| {
        let opened = crate::open(scripts(count), "a.rbxmx");
        opened.scripts().expect("small").into_iter().map(|script| script.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(3000).into_iter().collect::<std::collections::HashSet<_>>().len(), 3000);
    let document = rbxxml::from_slice(&scripts(40)).expect("readable");
    for (id, path) in document.roots().zip(paths(40)) {
        assert_eq!(document.find(&path), Some(id), "{path}");
    }
}

/// A keyframe at 1e8 seconds would need billions of frames.
#[test]
fn an_animation_of_years_is_left_out() {
    let frame = |time: &str| {
        let pose = "<token name=\"EasingStyle\">3</token>".to_owned() + &at([0.0, 1.0, 0.0]);
        let time = format!("<float name=\"Time\">{time}</float>");
        item("Keyframe", "Keyframe", &time, &item("Pose", "Arm", &pose, ""))
    };
    let part = |name: &str, rest: &str| with_id(name, item("Part", name, &sized([0.0; 3], [1.0; 3]), rest));
    let motor = "<Ref name=\"Part0\">HumanoidRootPart</Ref><Ref name=\"Part1\">Arm</Ref>";
    let rig = part("HumanoidRootPart", &item("Motor6D", "Motor6D", motor, "")) + &part("Arm", "");
    let walk = item("KeyframeSequence", "walk", "", &(frame("0") + &frame("1e8")));
    let model = document(&item("Model", "Rig", "", &(rig + &walk)));
    let mut losses = Vec::new();
    let taken = testkit::measure(|| {
        losses = crate::scene(&model, "a.rbxmx").1;
    });
    assert!(taken.bytes_max < 1 << 20, "{}", taken.bytes_max);
    assert!(losses.iter().any(|loss| loss.contains("animation")), "{losses:?}");
}

/// Each asset in a sequence of assets takes additional memory, up to the limit.
#[test]
fn a_sequence_of_tiny_assets_is_bounded() {
    let many = fixture("rbxbinary", "place.rbxl").repeat(200);
    let unwrap = |max_bytes| rezkit::unwrap(many.clone(), &rezkit::ReadOptions::new().max_bytes(max_bytes));
    let limit = many.len() as u64 + 100_000;
    assert_eq!(unwrap(limit).expect("200 parts").len(), 200);
    assert_eq!(unwrap(limit / 2).expect_err("too many").kind(), rezkit::ErrorKind::Limit);
}

/// JSON stays JSON and keeps its order. In XML, an edit only changes the value.
#[test]
fn an_edit_keeps_what_is_around_it() {
    let json = "{\n  \"z\": {\n    \"$uri\": \"x\"\n  },\n  \"a\": {\n    \"b\": 2\n  }\n}\n";
    let xml = "<?xml version=\"1.0\" ?>\n<llsd>\n  <!-- how loud -->\n  <map>\n    <key>Volume</key>   <real>0.50</real>\n  </map>\n</llsd>\n";
    let many = format!("[{}1]", "1,".repeat(1 << 20));
    let folder = Folder::new(&[
        ("a.json", json.as_bytes()),
        ("b.xml", xml.as_bytes()),
        ("many.json", many.as_bytes()),
    ]);
    folder.ok("set a.json a/b 3");
    folder.ok("set b.xml Volume 0.75");
    assert_eq!(folder.text("a.json"), json.replace('2', "3"));
    assert_eq!(folder.text("b.xml"), xml.replace("0.50", "0.75"));
    assert!(folder.ok("info a.json").contains("llsd json"));
    // A large file needs no more memory than permitted.
    assert!(folder.fails("info --from json --max-bytes 3000000 many.json", 1).contains("--max-bytes"));
}

/// Names in a file are only data for terminals, editors and spreadsheets.
#[test]
fn names_are_data_in_json_and_csv() {
    let model = document(&item("=HYPERLINK(1)", "a\u{202e}b\u{9b}c\u{61c}", "", "").repeat(2));
    let folder = Folder::new(&[("a\u{202e}.rbxmx", &model)]);
    let ran = folder.run("info --json a\u{202e}.rbxmx");
    assert!(!ran.out.contains(['\u{202e}', '\u{9b}', '\u{61c}']) && ran.out.contains("\\u202e"), "{ran:?}");
    let line = &ran.json()[0];
    assert_eq!(line["facts"]["names of roots"][0], "a\u{202e}b\u{9b}c\u{61c}");
    assert_eq!(line["path"], "a\u{202e}.rbxmx");
    let shown = folder.ok("info --csv a\u{202e}.rbxmx");
    assert!(shown.contains(",'=HYPERLINK(1) 2") && !shown.contains('\u{202e}'), "{shown}");
}

/// No text of a file becomes an address or a link in SARIF.
#[test]
fn names_are_data_in_sarif() {
    // A duplicate property is a finding with the path of its instance.
    let twice = "<bool name=\"P\">true</bool>".repeat(2);
    let model = document(&item("Part", "[here](https://example.invalid)", &twice, ""));
    // File names on Windows cannot contain a question mark.
    let (mark, quoted) = if cfg!(windows) { ("", "") } else { ("?", "%3F") };
    let name = format!("a b%#{mark}é[1]\u{202e}.rbxmx");
    let folder = Folder::new(&[(&name, &model)]);
    let log: serde_json::Value =
        serde_json::from_str(&folder.args(&["check", "--sarif", &name]).out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty(), "{log}");
    for result in results {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(place, &format!("a%20b%25%23{quoted}%C3%A9%5B1%5D%E2%80%AE.rbxmx"));
        let text = result["message"]["text"].as_str().expect("a text");
        assert!(!text.contains("]("), "{text}");
    }
}

/// Messages do not repeat a name of a quarter of a megabyte, nor thousands of names.
#[test]
fn long_names_are_told_shortened() {
    let name = "n".repeat(1 << 18);
    let twice = "<bool name=\"P\">true</bool>".repeat(2);
    let many: String = (0..9000).map(|at| item(&format!("C{at}"), &at.to_string(), "", "")).collect();
    let folder = Folder::new(&[("a.rbxmx", &document(&(item(&name, &name, &twice, "") + &many)))]);
    for arguments in [
        &["info", "--json", "a.rbxmx"][..],
        &["check", "--json", "a.rbxmx"],
        &["get", "a.rbxmx", &name[..100_000]],
        &["convert", "--to", "rbxm", "a.rbxmx", "b.rbxm"],
    ] {
        let ran = folder.args(arguments);
        let shown = ran.out.len() + ran.err.len();
        assert!(shown < 40_000, "{}: {shown} bytes", arguments[0]);
    }
}

/// The buffer file of a glTF file is read by every command that reads files.
#[test]
fn a_gltf_file_is_looked_into_with_its_buffer() {
    let folder = Folder::new(&[("in/a.obj", TRIANGLE)]);
    folder.ok("convert --to gltf in/a.obj in/b.gltf");
    assert_eq!(folder.names("in"), ["a.obj", "b.bin", "b.gltf"]);
    for line in [
        "info in/b.gltf",
        "info --csv in",
        "tree in/b.gltf",
        "get in/b.gltf scene",
        "check in",
        "assets in/b.gltf",
        "scripts in/b.gltf",
        "diff in/b.gltf in/b.gltf",
    ] {
        folder.ok(line);
    }
}

/// One of several files with nothing to draw is left out, in a folder and in an archive, whose names never leave the
/// output and become names that every system accepts.
#[test]
fn pictures_of_several_files() {
    let empty = b"v 0 0 0\nv 1 0 0\nl 1 2\n";
    let hostile =
        ["x.obj", "X.obj", "con.obj", "a:b.obj", "sub/y?.obj", ".hid/.rc.obj", "../up.obj", "n\nl.obj"];
    let folder = Folder::new(&[
        ("in/a.obj", empty),
        ("in/b.obj", TRIANGLE),
        ("all.zip", &super::limits::zip(&[("a.obj", empty), ("b.obj", TRIANGLE)])),
        ("hostile.zip", &super::limits::zip(&hostile.map(|name| (name, TRIANGLE)))),
    ]);
    let ran = folder.run("render in -o a.png");
    let said = "warning: in/a.obj: nothing to render: found no triangles";
    assert!(ran.status == Some(0) && ran.err.contains(said), "{}", ran.err);
    assert_eq!(folder.read("a.png")[16..20], 512_u32.to_be_bytes(), "one picture wide");
    folder.ok("render --to png --size 8x8 all.zip -o out");
    assert_eq!(folder.names("out").len(), 1);
    folder.ok("render --to png --size 8x8 hostile.zip -o safe");
    let expected =
        ["X.obj (2).png", "_.._", "_.hid", "_con.obj.png", "a_b.obj.png", "n_l.obj.png", "sub", "x.obj.png"];
    assert_eq!(folder.names("safe"), expected);
    assert_eq!(folder.names("safe/sub"), ["y_.obj.png"]);
    assert_eq!(folder.names("safe/_.hid"), ["_.rc.obj.png"]);
}

/// An animation has no triangles: its joints are drawn in the requested pose.
#[test]
fn an_animation_is_drawn_as_its_joints() {
    use slmesh::motion::{Joint, Key, Motion};
    let (mut motion, mut neck) = (Motion::new(1.0), Joint::new("mNeck"));
    let aside = [0.0, 0.0, 1.0, 0.0];
    neck.rotations = vec![Key::of_rotation(0.0, [0.5, 0.0, 0.0, 0.866_025_4]), Key::of_rotation(1.0, aside)];
    motion.joints.push(neck);
    let folder = Folder::new(&[("a.anim", &slmesh::motion::to_vec(&motion).expect("written"))]);
    let [first, same, later] = ["", "--skeleton --action 0", "--time 1"].map(|options| {
        folder.ok(&format!("render --force --size 64x64 a.anim -o a.png {options}"));
        folder.read("a.png")
    });
    assert!(first == same && first != later);
}

/// Referenced files are found in an archive as well. OBJ and STL are only known by their names in an archive, and
/// cannot be recognized on the standard input.
#[test]
fn archives_and_streams_have_what_folders_have() {
    let obj = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
    let mtl = b"newmtl red\nKd 1 0 0\n";
    let folder = Folder::new(&[("a.obj", obj), ("a.mtl", mtl)]);
    folder.ok("convert a.obj b.gltf");
    let (gltf, bin) = (folder.read("b.gltf"), folder.read("b.bin"));
    let all: [(&str, &[u8]); 4] =
        [("in/a.obj", obj), ("in/a.mtl", mtl), ("in/b.gltf", &gltf), ("in/b.bin", &bin)];
    folder.write("all.zip", super::limits::zip(&all));
    let text = folder.ok("info all.zip");
    assert_eq!(text.matches("triangles            1\n").count(), 2, "{text}");
    assert_eq!(text.matches("names of materials   red\n").count(), 2, "{text}");
    assert!(!text.contains("missing"), "{text}");
    assert_eq!(folder.piped("info --from obj -", obj).status, Some(0));
    assert_ne!(folder.piped("info --from OBJ -", obj).status, Some(0));
}

/// A document from the standard input is packed and written in full.
#[test]
fn a_stream_is_packed() {
    let model = fixture("rbxbinary", "model.rbxm");
    let folder = Folder::new(&[("in/attributes.json", b"{}")]);
    assert_eq!(folder.piped("pack in - -o b.rbxm", &model).status, Some(0));
    assert_eq!((folder.read("b.rbxm"), folder.piped("pack in -", &model).bytes), (model.clone(), model));
}

/// A folder that cannot be listed is an error, even if other files are read. Its path exceeds the system's limit;
/// permissions would not work, since the user who runs the tests may be allowed to read all folders.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_read_is_an_error() {
    let model = fixture("rbxbinary", "model.rbxm");
    let folder = Folder::new(&[("in/a.mesh", &fixture("rbxmesh", "v2_00.mesh")), ("model.rbxm", &model)]);
    let deep = "for i in $(seq 25); do mkdir $1 && cd $1 || exit 0; done";
    let mut shell = Command::new("sh");
    shell.args(["-c", deep, "sh", &"x".repeat(200)]).current_dir(folder.path("in")).stderr(Stdio::null());
    assert!(shell.status().expect("it runs").success());
    for line in ["info in", "check in", "convert --to glb in out", "pack in model.rbxm"] {
        let error = folder.fails(line, 1);
        assert!(error.contains("File name too long"), "{line}: {error}");
    }
    assert_eq!(folder.names("out"), ["a.glb"]);
    assert_eq!(folder.read("model.rbxm"), model);
}

/// If a referenced file exists but cannot be read, the error gives the reason.
#[test]
fn why_a_file_beside_another_cannot_be_read() {
    let gltf = br#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": "a%20b.bin"}]}"#;
    let folder = Folder::new(&[("a.gltf", gltf), ("a b.bin", &[0; 200_000])]);
    let refused = folder.fails("info --max-bytes 100000 a.gltf", 1);
    assert!(refused.contains("left for the file a b.bin (needed: 200000 bytes, available"), "{refused}");
}

/// Assets in the folder of a place are found, even if the place is named without a folder.
#[test]
fn assets_beside_a_place_in_the_current_folder() {
    let mesh = "<Content name=\"MeshId\"><url>rbxassetid://123</url></Content>";
    let part = document(&item("MeshPart", "A", &(sized([0.0; 3], [1.0; 3]) + mesh), ""));
    let folder =
        Folder::new(&[("in/place.rbxmx", &part), ("in/123.mesh", &fixture("rbxmesh", "v2_00.mesh"))]);
    for (at, place) in [("in", "place.rbxmx"), ("", "in/place.rbxmx")] {
        let mut command = folder.command();
        command.args(["convert", place, "-", "--to", "glb"]).current_dir(folder.path(at));
        let output = command.output().expect("it runs");
        assert!(output.status.success() && output.stderr.is_empty(), "{at}: {output:?}");
    }
}

/// `set` reads a value from the standard input, such as a script, without changing it.
#[test]
fn a_value_is_read_from_the_standard_input() {
    let folder = Folder::new(&[("place.rbxmx", &document(&item("Script", "S", "", "")))]);
    let source = "print(1)\n\nprint(2)\n";
    assert_eq!(folder.piped("set place.rbxmx S.Source -", source).status, Some(0));
    assert_eq!(folder.ok("get place.rbxmx S.Source"), source);
    assert_eq!(folder.piped("set - S.Source -", source).status, Some(2));
    // So does `render`.
    let mesh = fixture("rbxmesh", "v2_00.mesh");
    assert_eq!(folder.piped("render - -o a.png --size 8x8", mesh).status, Some(0));
    assert!(folder.path("a.png").exists());
}

/// The markers of an animation are lost if they exceed the memory limit, and then the option is named.
#[test]
fn losses_by_the_memory_limit_name_the_option() {
    let keyframe = |time: f32, more: &str| {
        let upper = item("Pose", "UpperTorso", &at([0.0, time, 0.0]), "");
        let pose = item("Pose", "HumanoidRootPart", "", &item("Pose", "LowerTorso", "", &upper));
        item("Keyframe", "Keyframe", &format!("<float name='Time'>{time}</float>"), &(pose + more))
    };
    let markers = item("KeyframeMarker", &"M".repeat(400), "", "").repeat(2000);
    let keys = keyframe(0.0, "") + &keyframe(1.0, &markers);
    let folder = Folder::new(&[("w.rbxmx", &document(&item("KeyframeSequence", "W", "", &keys)))]);
    let ran = folder.run("convert --max-bytes 6M w.rbxmx w.glb");
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let what = "dropped: w.rbxmx: W: not enough memory is left for the markers";
    assert!(ran.err.contains(what), "{}", ran.err);
    let note = "note: w.rbxmx: some content exceeds the memory limit; use --max-bytes to raise the limit";
    assert_eq!(ran.err.lines().last(), Some(note));
}

/// Git stops at a failure of what shows its files: a file that cannot be read is shown as what it is.
#[test]
fn git_shows_files_that_cannot_be_read() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    let folder = Folder::new(&[("a.rbxm", pointer), ("b.rbxm", b""), ("c.rbxm", b"\xff\x00\x01")]);
    let shown = folder.ok("git textconv a.rbxm");
    assert!(shown.starts_with("not readable (") && shown.contains("\noid sha256:0\n"), "{shown}");
    assert!(folder.ok("git textconv b.rbxm").starts_with("not readable (0 bytes)"));
    assert!(folder.ok("git textconv c.rbxm").starts_with("not readable (3 bytes)"));
    folder.copy("d.rbxmx", "docs/pictures/cottage.rbxmx");
    assert_eq!(folder.ok("git textconv d.rbxmx"), folder.ok("tree --full d.rbxmx"));
}

/// Files beside outputs, whose names are made of theirs, do not replace one another either.
#[cfg(unix)]
#[test]
fn files_beside_outputs_are_not_shared() {
    let folder = Folder::new(&[]);
    folder.copy("in/a_b.rbxmx", "docs/pictures/cottage.rbxmx");
    folder.copy("in/a:b.rbxmx", "docs/pictures/cottage.rbxmx");
    let ran = folder.run("convert in out --to obj -f");
    assert!(ran.status == Some(2) && ran.err.contains("would both be written to"), "{ran:?}");
}

/// Files of an older extraction are named, since `pack` adds them; a file from the standard input is read once.
#[test]
fn extracting_again_names_what_is_left() {
    let script = "<roblox version=\"4\"><Item class=\"Script\"><Properties><string name=\"Name\">Open</string>\
                  <ProtectedString name=\"Source\">print(1)</ProtectedString></Properties></Item></roblox>";
    let folder = Folder::new(&[("a.rbxmx", script.as_bytes())]);
    folder.ok("extract a.rbxmx -o out");
    let again = folder.run("extract a.rbxmx -o out -f");
    assert!(again.status == Some(0) && !again.err.contains("pack"), "{again:?}");
    folder.ok("rename a.rbxmx Open Shut");
    let ran = folder.run("extract a.rbxmx -o out -f");
    assert!(ran.status == Some(0) && ran.err.contains("such as out/src/Open.server.luau"), "{ran:?}");
    let piped = folder.piped("extract - -o piped", script);
    assert_eq!((piped.status, piped.out.contains("Open.server.luau")), (Some(0), true), "{piped:?}");
    assert_eq!(folder.piped("diff - -", script).status, Some(2));
}

/// Programs that read `find -0` get the names of files as they are; `check --json` has files that cannot be read.
#[cfg(unix)]
#[test]
fn outputs_for_programs_name_all_files() {
    let folder = Folder::new(&[("in/c.rbxm", b"<roblox!\x89\xff\x0d\x0a\x1a\x0a\0\0")]);
    folder.copy("in/a\nb.rbxmx", "docs/pictures/cottage.rbxmx");
    folder.copy("in/d.rbxmx", "docs/pictures/cottage.rbxmx");
    let found = folder.run("find in Model -l -0");
    assert_eq!(found.out, "in/a\nb.rbxmx\0in/d.rbxmx\0");
    let listed = folder.run("info --csv in");
    assert!(listed.out.contains("\n\"in/a\nb.rbxmx\",rbxxml"), "{listed:?}");
    let checked = folder.run("check --json in");
    let last = checked.out.lines().last().expect("a line");
    assert!(last.contains("in/c.rbxm") && last.contains("\"severity\":\"error\""), "{checked:?}");
}
