//! What a command must never do: destroy its input, write outside of the requested folder, hang, or report success for
//! something that it did not do.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::fixture;

fn rezkit(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rezkit")).args(arguments).current_dir(folder).output().expect("it runs")
}

/// Runs a command with these bytes on the standard input.
fn piped(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("room");
    child.wait_with_output().expect("it ends")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

/// An XML document of one instance, which has a property with this name and a shared string.
fn with_shared(property: &str) -> Vec<u8> {
    format!(
        "<roblox version=\"4\"><Item class=\"Part\"><Properties><string name=\"Name\">A</string>\
         <SharedString name=\"{property}\">AAAAAAAAAAAAAAAAAAAAAA==</SharedString></Properties></Item>\
         <SharedStrings><SharedString md5=\"AAAAAAAAAAAAAAAAAAAAAA==\">aGVsbG8=</SharedString></SharedStrings></roblox>"
    )
    .into_bytes()
}

#[test]
fn extract_writes_only_below_its_folder() {
    for property in
        ["../../victim", "/../../victim", "..\\..\\victim", "C:\\victim", "a/b/../../../../victim"]
    {
        let folder = folder(&[("model.rbxmx", &with_shared(property)), ("victim.bin", b"mine")]);
        let output = rezkit(folder.path(), &["extract", "model.rbxmx", "-o", "out/below"]);
        assert!(output.status.success(), "{property}: {}", errors(&output));
        assert_eq!(names(folder.path()), ["model.rbxmx", "out", "victim.bin"], "{property}");
        assert_eq!(names(&folder.path().join("out")), ["below"], "{property}");
        let shared = folder.path().join("out/below/shared");
        let [name] = names(&shared).try_into().expect("one file");
        assert_eq!(fs::read(shared.join(name)).expect("the string"), b"hello", "{property}");
    }
}

#[cfg(unix)]
#[test]
fn extract_follows_no_link_out_of_its_folder() {
    let folder = folder(&[("model.rbxmx", &with_shared("X")), ("elsewhere/mine", b"mine"), ("out/x", b"")]);
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), folder.path().join("out/shared"))
        .expect("a link");
    let output = rezkit(folder.path(), &["extract", "model.rbxmx", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(
        errors(&output).contains("out/shared: found a symbolic link, which rezkit does not follow"),
        "{}",
        errors(&output)
    );
    assert_eq!(names(&folder.path().join("elsewhere")), ["mine"]);
}

#[test]
fn extract_replaces_nothing_unless_it_is_told_to() {
    let folder = folder(&[("model.rbxmx", &with_shared("X")), ("out/shared/1-X.bin", b"mine")]);
    let output = rezkit(folder.path(), &["extract", "model.rbxmx", "-o", "out"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("--force"), "{}", errors(&output));
    let there = || fs::read(folder.path().join("out/shared/1-X.bin")).expect("a file");
    assert_eq!(there(), b"mine");
    assert!(rezkit(folder.path(), &["extract", "--force", "model.rbxmx", "-o", "out"]).status.success());
    assert_eq!(there(), b"hello");
}

#[test]
fn a_conversion_replaces_neither_its_input_nor_a_neighbour() {
    let mesh = fixture("rbxmesh", "v2_00.mesh");
    let folder = folder(&[("head.bin", &mesh), ("other.bin", b"mine"), ("head.mtl", b"mine")]);
    let output = rezkit(folder.path(), &["convert", "head.bin", "head.gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("head.bin: input and output are the same file"), "{}", errors(&output));
    let output = rezkit(folder.path(), &["convert", "head.bin", "other.gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("other.bin: already exists"), "{}", errors(&output));
    assert_eq!(names(folder.path()), ["head.bin", "head.mtl", "other.bin"]);
    assert_eq!(fs::read(folder.path().join("head.bin")).expect("a file"), mesh);
    assert_eq!(fs::read(folder.path().join("other.bin")).expect("a file"), b"mine");
    // If a form needs several files, it is not written to the standard output.
    fs::write(
        folder.path().join("paint.obj"),
        "mtllib paint.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\nf 1 2 3\n",
    )
    .expect("a file");
    fs::write(folder.path().join("paint.mtl"), "newmtl a\nKd 1 0 0\n").expect("a file");
    let done = rezkit(folder.path(), &["convert", "paint.obj", "paint.glb"]);
    assert!(done.status.success(), "{}", errors(&done));
    let output = rezkit(folder.path(), &["convert", "--to", "obj", "paint.glb", "-"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", errors(&output));
    for name in ["paint.obj", "paint.mtl", "paint.glb"] {
        fs::remove_file(folder.path().join(name)).expect("there");
    }
    let output = rezkit(folder.path(), &["convert", "--to", "gltf", "head.bin", "-"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert_eq!(names(folder.path()), ["head.bin", "head.mtl", "other.bin"]);
    let output = rezkit(folder.path(), &["convert", "--force", "head.bin", "other.gltf"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(rezkit(folder.path(), &["info", "other.gltf"]).status.success());
}

#[test]
fn two_inputs_do_not_become_one_output() {
    let mesh = fixture("rbxmesh", "v2_00.mesh");
    let m3d = fixture("m3d", "mesh-polygons.m3d");
    let folder =
        folder(&[("in/x.mesh", &mesh), ("in/x.m3d", &m3d), ("in/x.mesh.mesh", &mesh), ("in/y.mesh", &mesh)]);
    let output = rezkit(folder.path(), &["convert", "--to", "glb", "in", "out"]);
    let made = names(&folder.path().join("out"));
    assert!(made.contains(&"y.glb".to_owned()), "{made:?}");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    // Each input has its own output, or the conversion without an output is an error.
    let total = shown.lines().last().expect("a total").to_owned();
    match made.len() {
        4 => assert!(total.starts_with("converted: 4 "), "{total}"),
        _ => assert!(total.contains("failed: 1,") && !output.status.success(), "{total} {}", errors(&output)),
    }
}

#[test]
fn an_ending_that_is_not_written_is_an_error() {
    let folder = folder(&[
        ("head.mesh", &fixture("rbxmesh", "v2_00.mesh")),
        ("place.rbxl", &fixture("rbxbinary", "place.rbxl")),
    ]);
    for arguments in [
        ["convert", "head.mesh", "x.fbx"],
        ["convert", "place.rbxl", "x.json"],
        ["render", "head.mesh", "-ox.jpg"],
    ] {
        let output = rezkit(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", errors(&output));
        assert_eq!(names(folder.path()), ["head.mesh", "place.rbxl"], "{arguments:?}");
    }
    let output = rezkit(folder.path(), &["convert", "head.mesh", "x.fbx"]);
    assert!(
        errors(&output).contains("no format has the extension .fbx") && errors(&output).contains("glb"),
        "{}",
        errors(&output)
    );
}

/// A script in CDATA can contain the end of one document and the start of another.
#[test]
fn a_document_is_not_split_inside_of_a_script() {
    let document = |source: &str| {
        format!(
            "<roblox version=\"4\"><Item class=\"ModuleScript\" referent=\"M\"><Properties><string name=\"Name\">M\
             </string><ProtectedString name=\"Source\">{source}</ProtectedString></Properties></Item></roblox>\n"
        )
    };
    let hidden = document("<![CDATA[return [[<roblox version=\"4\"></roblox><roblox version=\"4\">]]]]>");
    let commented = hidden.replacen("<Item", "<!-- </roblox><roblox version=\"4\"> --><Item", 1);
    let parts = |text: &str| {
        let parts = rezkit::unwrap(text.as_bytes().to_vec(), &rezkit::ReadOptions::new()).expect("parts");
        parts
            .into_iter()
            .map(|part| String::from_utf8(part.bytes.to_vec()).expect("a text"))
            .collect::<Vec<_>>()
    };
    for text in [hidden, commented] {
        assert_eq!(parts(&text), [text.as_str()]);
        let opened = rezkit::open(text.clone().into_bytes(), "a.rbxmx", ()).expect("one document");
        assert!(opened.get("M.Source").is_ok());
        assert_eq!(parts(&(text.clone() + &document("return 1"))), [text, document("return 1")]);
    }
}

/// The header of Model 3D contains the length of the file, which can be less than that of the header itself.
#[test]
fn twelve_bytes_end() {
    let bytes = b"3DMO\0\0\0\0HEAD";
    let parts = rezkit::unwrap(bytes.to_vec(), &rezkit::ReadOptions::new()).expect("one part");
    assert_eq!(parts.len(), 1);
    let two = [&b"3DMO\x04\0\0\0"[..], bytes].concat();
    let parts = rezkit::unwrap(two, &rezkit::ReadOptions::new()).expect("parts");
    assert!(parts.len() <= 2);
}

#[test]
fn an_edited_asset_is_wrapped_as_it_was() {
    let document = b"<llsd><map><key>a</key><integer>1</integer></map></llsd>";
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(document).expect("in memory");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("a.xml", zip::write::SimpleFileOptions::default()).expect("in memory");
    zip.write_all(document).expect("in memory");
    let zip = zip.finish().expect("in memory").into_inner();
    let folder = folder(&[
        ("a.xml.gz", &gz.finish().expect("in memory")),
        ("a.zip", &zip),
        ("map.csv", b"rbxassetid://1,rbxassetid://2\n"),
    ]);
    let output = rezkit(folder.path(), &["set", "a.xml.gz", "a", "2"]);
    assert!(output.status.success(), "{}", errors(&output));
    let mut text = String::new();
    let file = fs::File::open(folder.path().join("a.xml.gz")).expect("a file");
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    assert!(text.contains("<integer>2</integer>"), "{text}");
    for arguments in [&["set", "a.zip", "a", "2"][..], &["assets", "--replace", "map.csv", "a.zip"]] {
        let output = rezkit(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert_eq!(fs::read(folder.path().join("a.zip")).expect("a file"), zip);
    }
}

#[test]
fn a_folder_without_assets_is_no_success() {
    let folder = folder(&[
        ("in/a.mesh", b"version https://git-lfs.github.com/spec/v1\noid sha256:0"),
        ("in/b.mesh", b""),
        ("in/c.txt", b"a text"),
    ]);
    let output = rezkit(folder.path(), &["check", "in"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("a.mesh: warning[rezkit.not-an-asset]") && shown.contains("Git LFS"), "{shown}");
    assert!(shown.contains("b.mesh: warning[rezkit.not-an-asset]") && !shown.contains("c.txt"), "{shown}");
    assert_eq!(
        (output.status.code(), &*errors(&output)),
        (Some(1), "error: in: found no asset that this command can read\n")
    );
    // If the folder also has assets, it is a warning, and an error with `--strict`.
    fs::write(folder.path().join("in/d.mesh"), fixture("rbxmesh", "v2_00.mesh")).expect("a file");
    assert_eq!(rezkit(folder.path(), &["check", "in"]).status.code(), Some(0));
    assert_eq!(rezkit(folder.path(), &["check", "--strict", "in"]).status.code(), Some(1));
    fs::remove_file(folder.path().join("in/d.mesh")).expect("it was there");
    let output = rezkit(folder.path(), &["convert", "--to", "5.00", "in", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    fs::remove_file(folder.path().join("in/a.mesh")).expect("it was there");
    fs::remove_file(folder.path().join("in/b.mesh")).expect("it was there");
    assert_eq!(rezkit(folder.path(), &["check", "in"]).status.code(), Some(1));
}

/// Closing the standard output does not stop the conversion.
#[cfg(unix)]
#[test]
fn a_closed_output_ends_no_work() {
    let mesh = fixture("rbxmesh", "v2_00.mesh");
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("in")).expect("a folder");
    for index in 0..300 {
        fs::write(folder.path().join(format!("in/{index:03}.mesh")), &mesh).expect("a file");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .args(["convert", "--to", "5.00", "in", "out"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    assert!(child.wait().expect("it ends").success());
    assert_eq!(names(&folder.path().join("out")).len(), 300);
}

#[test]
fn terrain_is_no_box() {
    let item = |class: &str, size: &str| {
        format!(
            "<Item class=\"{class}\"><Properties><string name=\"Name\">{class}</string>\
             <CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>\
             <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>\
             <Vector3 name=\"size\">{size}</Vector3></Properties></Item>"
        )
    };
    let (part, terrain) = ("<X>4</X><Y>1</Y><Z>2</Z>", "<X>2044</X><Y>252</Y><Z>2044</Z>");
    let place = format!(
        "<roblox version=\"4\"><Item class=\"Workspace\"><Properties/>{}{}</Item></roblox>",
        item("Part", part),
        item("Terrain", terrain)
    );
    let (scene, losses) =
        crate::scene_of(place.as_bytes(), "a.rbxlx", &Default::default(), &mut ()).expect("readable");
    let bounds = scene.bounds().expect("a part");
    assert_eq!((bounds.max - bounds.min).to_array(), [4.0, 1.0, 2.0]);
    // The terrain has no voxels, so nothing is lost.
    assert_eq!(losses, []);
}

/// A document with a chain of instances of one class.
fn chain(levels: usize) -> Vec<u8> {
    let mut document = rbxbinary::Document::new();
    let mut parent = None;
    for _ in 0..levels {
        let new = rbxbinary::NewInstance::new("Folder").property("Name", "f");
        let made = rbxbinary::EditOptions::new().insert(&mut document, parent, new).expect("a folder");
        parent = made.instances.first().copied();
    }
    rbxbinary::to_vec(&document).expect("a document")
}

/// Functions that recurse for each level return an error instead of overflowing the stack.
#[test]
fn a_deep_document_overflows_no_stack() {
    let deep = chain(20_000);
    let folder = folder(&[("a.rbxm", &deep), ("b.rbxm", &chain(20_001))]);
    for arguments in [
        &["info", "a.rbxm"][..],
        &["check", "a.rbxm"],
        &["tree", "--full", "a.rbxm"],
        &["tree", "--find", "g", "a.rbxm"],
        &["diff", "a.rbxm", "b.rbxm"],
        &["assets", "a.rbxm"],
        &["scripts", "a.rbxm"],
        &["extract", "a.rbxm", "-oout"],
        &["convert", "--max-bytes", "100000000", "a.rbxm", "a.rbxmx"],
        &["convert", "a.rbxm", "a.glb"],
    ] {
        let output = rezkit(folder.path(), arguments);
        let ended = matches!(output.status.code(), Some(0..=2));
        assert!(ended && !errors(&output).contains("overflow"), "{arguments:?}: {}", errors(&output));
    }
}

/// `count` instances of a script that share one source.
fn shared_scripts(count: usize, source: usize) -> Vec<u8> {
    use base64::Engine as _;
    let item = "<Item class=\"Script\"><Properties><SharedString name=\"Source\">AAAAAAAAAAAAAAAAAAAAAA==</SharedString>\
                </Properties></Item>";
    let text = base64::prelude::BASE64_STANDARD.encode(vec![b'a'; source]);
    format!(
        "<roblox version=\"4\">{}<SharedStrings><SharedString md5=\"AAAAAAAAAAAAAAAAAAAAAA==\">{text}</SharedString>\
         </SharedStrings></roblox>",
        item.repeat(count)
    )
    .into_bytes()
}

#[test]
fn what_instances_share_is_not_copied_for_each() {
    let bytes = shared_scripts(1000, 1 << 20);
    let options = rezkit::ReadOptions::new().max_bytes(16 << 20);
    let taken = testkit::measure(|| {
        let opened = options.open(bytes.clone(), "a.rbxmx", ()).expect("readable");
        assert!(opened.info().facts.len() > 3);
        let error = opened.scripts().expect_err("a gigabyte of sources");
        assert_eq!(error.kind(), rezkit::ErrorKind::Limit, "{error}");
        assert_eq!(
            opened.extract(&rezkit::ExtractOptions::new()).expect_err("a gigabyte").kind(),
            rezkit::ErrorKind::Limit
        );
        assert_eq!(opened.assets().expect("no assets").len(), 0);
    });
    assert!(taken.bytes_max < 40 << 20, "{}", taken.bytes_max);
}

/// `tree --full` prints a shared source for each instance that has it, but ends with an error at the limit.
#[test]
fn what_instances_share_is_not_printed_without_end() {
    let folder = folder(&[("a.rbxmx", &shared_scripts(200, 1 << 16))]);
    let output = rezkit(folder.path(), &["tree", "--full", "--max-bytes", "2000000", "a.rbxmx"]);
    assert!(
        output.status.code() == Some(1) && errors(&output).contains("--max-bytes"),
        "{}",
        errors(&output)
    );
    assert!(output.stdout.len() < 2_100_000, "{}", output.stdout.len());
    let output = rezkit(folder.path(), &["tree", "--full", "a.rbxmx"]);
    assert!(output.status.success() && output.stdout.len() > 200 << 16, "{}", output.stdout.len());
}

/// Paths of equal siblings are unique, and the document finds its instances by these paths.
#[test]
fn paths_of_equal_siblings() {
    let opened = rezkit::open(shared_scripts(3000, 4), "a.rbxmx", ()).expect("readable");
    let scripts = opened.scripts().expect("small");
    let paths: std::collections::HashSet<_> = scripts.iter().map(|script| script.path.as_str()).collect();
    assert_eq!(paths.len(), 3000);
    let document = rbxxml::from_slice(&shared_scripts(40, 4)).expect("readable");
    let opened = rezkit::open(shared_scripts(40, 4), "a.rbxmx", ()).expect("readable");
    for (id, script) in document.roots().zip(opened.scripts().expect("small")) {
        assert_eq!(document.find(&script.path), Some(id), "{}", script.path);
    }
}

/// A keyframe at 1e8 seconds would need billions of frames.
#[test]
fn an_animation_of_years_is_left_out() {
    let frame = |time: &str| {
        format!(
            "<Item class=\"Keyframe\"><Properties><float name=\"Time\">{time}</float></Properties>\
             <Item class=\"Pose\"><Properties><string name=\"Name\">Arm</string><token name=\"EasingStyle\">3</token>\
             <CoordinateFrame name=\"CFrame\"><X>0</X><Y>1</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>\
             <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>\
             </Properties></Item></Item>"
        )
    };
    let frame_of = "<CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>\
                    <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>";
    let part = |name: &str, referent: &str, rest: &str| {
        format!(
            "<Item class=\"Part\" referent=\"{referent}\"><Properties><string name=\"Name\">{name}</string>{frame_of}\
             <Vector3 name=\"size\"><X>1</X><Y>1</Y><Z>1</Z></Vector3></Properties>{rest}</Item>"
        )
    };
    let motor = "<Item class=\"Motor6D\"><Properties><Ref name=\"Part0\">R</Ref><Ref name=\"Part1\">A</Ref></Properties></Item>";
    let model = format!(
        "<roblox version=\"4\"><Item class=\"Model\"><Properties><string name=\"Name\">Rig</string></Properties>{}{}\
         <Item class=\"KeyframeSequence\"><Properties><string name=\"Name\">walk</string></Properties>{}{}</Item></Item></roblox>",
        part("HumanoidRootPart", "R", motor),
        part("Arm", "A", ""),
        frame("0"),
        frame("1e8")
    );
    let options = rezkit::SceneOptions::default();
    let mut losses = Vec::new();
    let taken = testkit::measure(|| {
        losses = crate::scene_of(model.as_bytes(), "a.rbxmx", &options, &mut ()).expect("a scene").1;
    });
    assert!(taken.bytes_max < 1 << 20, "{}", taken.bytes_max);
    assert!(losses.iter().any(|loss| loss.what.contains("animation")), "{losses:?}");
}

/// Each asset in a sequence of assets takes additional memory, up to the limit.
#[test]
fn an_archive_of_a_long_name_and_tiny_assets_is_bounded() {
    let one = fixture("rbxbinary", "place.rbxl");
    let many = one.repeat(200);
    let limit = many.len() as u64 + 100_000;
    let parts =
        rezkit::unwrap(many.clone(), &rezkit::ReadOptions::new().max_bytes(limit)).expect("200 parts");
    assert_eq!(parts.len(), 200);
    let error = rezkit::unwrap(many, &rezkit::ReadOptions::new().max_bytes(limit / 2)).expect_err("too many");
    assert_eq!(error.kind(), rezkit::ErrorKind::Limit);
}

/// JSON stays JSON and keeps its order. In XML, an edit only changes the value.
#[test]
fn an_edit_keeps_what_is_around_it() {
    let json = "{\n  \"z\": 1,\n  \"a\": {\n    \"b\": 2\n  }\n}\n";
    let xml = "<?xml version=\"1.0\" ?>\n<llsd>\n  <!-- how loud -->\n  <map>\n    <key>Volume</key>   <real>0.50</real>\n  </map>\n</llsd>\n";
    let folder = folder(&[("a.json", json.as_bytes()), ("b.xml", xml.as_bytes())]);
    assert!(rezkit(folder.path(), &["set", "a.json", "a/b", "3"]).status.success());
    assert!(rezkit(folder.path(), &["set", "b.xml", "Volume", "0.75"]).status.success());
    let there = |name: &str| fs::read_to_string(folder.path().join(name)).expect("text");
    assert_eq!(there("a.json"), json.replace('2', "3"));
    assert_eq!(there("b.xml"), xml.replace("0.50", "0.75"));
    let output = rezkit(folder.path(), &["info", "a.json"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("llsd json"));
    // A large file needs no more memory than permitted.
    let many = format!("[{}1]", "1,".repeat(1 << 20));
    fs::write(folder.path().join("many.json"), many).expect("written");
    let output = rezkit(folder.path(), &["info", "--max-bytes", "3000000", "many.json"]);
    assert!(
        output.status.code() == Some(1) && errors(&output).contains("--max-bytes"),
        "{}",
        errors(&output)
    );
}

/// Names in a file are only data for terminals, editors and spreadsheets.
#[test]
fn names_are_data_in_json_and_csv() {
    let item = "<Item class=\"=HYPERLINK(1)\"><Properties><string name=\"Name\">a\u{202e}b\u{9b}c\u{61c}</string></Properties></Item>";
    let model = format!("<roblox version=\"4\">{}</roblox>", item.repeat(2));
    let folder = folder(&[("a\u{202e}.rbxmx", model.as_bytes())]);
    let output = rezkit(folder.path(), &["info", "--json", "a\u{202e}.rbxmx"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!shown.contains(['\u{202e}', '\u{9b}', '\u{61c}']) && shown.contains("\\u202e"), "{shown}");
    let line: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(line["facts"]["names of roots"][0], "a\u{202e}b\u{9b}c\u{61c}");
    assert_eq!(line["path"], "a\u{202e}.rbxmx");
    let output = rezkit(folder.path(), &["info", "--csv", "a\u{202e}.rbxmx"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains(",'=HYPERLINK(1) 2") && !shown.contains('\u{202e}'), "{shown}");
}

/// No text of a file becomes an address or a link in SARIF.
#[test]
fn names_are_data_in_sarif() {
    // A duplicate property is a finding with the path of its instance.
    let twice = "<bool name=\"P\">true</bool>".repeat(2);
    let item = format!(
        "<Item class=\"Part\"><Properties><string name=\"Name\">[here](https://example.invalid)</string>{twice}</Properties></Item>"
    );
    let model = format!("<roblox version=\"4\">{item}</roblox>");
    // File names on Windows cannot contain a question mark.
    let (mark, quoted) = if cfg!(windows) { ("", "") } else { ("?", "%3F") };
    let name = format!("a b%#{mark}é[1]\u{202e}.rbxmx");
    let folder = folder(&[(&name, model.as_bytes())]);
    let output = rezkit(folder.path(), &["check", "--sarif", &name]);
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty(), "{log}");
    for result in results {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(place, &format!("a%20b%25%23{quoted}%C3%A9%5B1%5D%E2%80%AE.rbxmx"));
        let text = result["message"]["text"].as_str().expect("a text");
        assert!(!text.contains("]("), "{text}");
    }
}

/// Messages do not repeat a name of a megabyte.
#[test]
fn long_names_are_told_shortened() {
    let name = "n".repeat(1 << 20);
    let twice = "<bool name=\"P\">true</bool>".repeat(2);
    let item = format!(
        "<Item class=\"{name}\"><Properties><string name=\"Name\">{name}</string>{twice}</Properties></Item>"
    );
    let many: String = (0..9000)
        .map(|at| {
            format!(
                "<Item class=\"C{at}\"><Properties><string name=\"Name\">{at}</string></Properties></Item>"
            )
        })
        .collect();
    let model = format!("<roblox version=\"4\">{item}{many}</roblox>");
    let folder = folder(&[("a.rbxmx", model.as_bytes())]);
    for arguments in [["info", "--json"], ["check", "--json"], ["get", "a.rbxmx"], ["convert", "--to"]] {
        let last: &[&str] = match arguments[0] {
            "get" => &[&name[..100_000]],
            "convert" => &["rbxm", "a.rbxmx", "b.rbxm"],
            _ => &["a.rbxmx"],
        };
        let output = rezkit(folder.path(), &[&arguments, last].concat());
        let shown = output.stdout.len() + output.stderr.len();
        assert!(shown < 40_000, "{arguments:?}: {shown} bytes");
    }
}

/// The buffer file of a glTF file is read by every command that reads files.
#[test]
fn a_gltf_file_is_looked_into_with_its_buffer() {
    let folder = folder(&[("in/a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")]);
    let done = rezkit(folder.path(), &["convert", "--to", "gltf", "in/a.obj", "in/b.gltf"]);
    assert!(done.status.success(), "{}", errors(&done));
    assert_eq!(names(&folder.path().join("in")), ["a.obj", "b.bin", "b.gltf"]);
    for arguments in [
        &["info", "in/b.gltf"][..],
        &["info", "--csv", "in"],
        &["tree", "in/b.gltf"],
        &["get", "in/b.gltf", "scene"],
        &["check", "in"],
        &["assets", "in/b.gltf"],
        &["scripts", "in/b.gltf"],
        &["diff", "in/b.gltf", "in/b.gltf"],
    ] {
        let done = rezkit(folder.path(), arguments);
        assert_eq!(done.status.code(), Some(0), "{arguments:?}: {}", errors(&done));
    }
}

/// A scene with nothing to draw is an error, not an empty picture.
#[test]
fn nothing_to_see_is_an_error() {
    let folder = folder(&[("in/a.obj", b"v 0 0 0\nv 1 0 0\nl 1 2\n")]);
    for arguments in [&["render", "in/a.obj", "-o", "a.png"][..], &["show", "in/a.obj"]] {
        let done = rezkit(folder.path(), arguments);
        assert_eq!(done.status.code(), Some(1), "{arguments:?}");
        assert!(errors(&done).contains("nothing to render: found no triangles"), "{}", errors(&done));
        assert_eq!((names(folder.path()), done.stdout), (vec!["in".to_owned()], vec![]));
    }
    // One of several files with nothing to draw is left out.
    fs::write(folder.path().join("in/b.obj"), b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").expect("a file");
    let done = rezkit(folder.path(), &["render", "in", "-o", "a.png"]);
    let said = "warning: in/a.obj: nothing to render: found no triangles";
    assert!(done.status.success() && errors(&done).contains(said), "{}", errors(&done));
    let picture = fs::read(folder.path().join("a.png")).expect("a picture");
    assert_eq!(picture[16..20], 512_u32.to_be_bytes(), "one picture wide");
    // So is one of several in an archive.
    let file = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    let (empty, full) = (file("in/a.obj"), file("in/b.obj"));
    let zip = super::limits::zip(&[("a.obj", &empty), ("b.obj", &full)]);
    fs::write(folder.path().join("all.zip"), zip).expect("a file");
    let done = rezkit(folder.path(), &["render", "--to", "png", "all.zip", "-o", "out"]);
    assert!(done.status.success(), "{}", errors(&done));
    assert_eq!(names(&folder.path().join("out")).len(), 1);
    // Names in an archive never leave the output, and become names that every system accepts.
    let hostile =
        ["x.obj", "X.obj", "con.obj", "a:b.obj", "sub/y?.obj", ".hid/.rc.obj", "../up.obj", "n\nl.obj"];
    let zip = super::limits::zip(&hostile.map(|name| (name, &*full)));
    fs::write(folder.path().join("hostile.zip"), zip).expect("a file");
    let render = ["render", "--to", "png", "--size", "8x8", "hostile.zip", "-o", "safe"];
    let done = rezkit(folder.path(), &render);
    assert!(done.status.success(), "{}", errors(&done));
    let mut made = names(&folder.path().join("safe"));
    made.sort();
    let expected =
        ["X.obj (2).png", "_.._", "_.hid", "_con.obj.png", "a_b.obj.png", "n_l.obj.png", "sub", "x.obj.png"];
    assert_eq!(made, expected);
    assert_eq!(names(&folder.path().join("safe/sub")), ["y_.obj.png"]);
    assert_eq!(names(&folder.path().join("safe/_.hid")), ["_.rc.obj.png"]);
}

/// An animation has no triangles: its joints are drawn in the requested pose.
#[test]
fn an_animation_is_drawn_as_its_joints() {
    use slmesh::motion::{Joint, Key, Motion};
    let (mut motion, mut neck) = (Motion::new(1.0), Joint::new("mNeck"));
    let aside = [0.0, 0.0, 1.0, 0.0];
    neck.rotations = vec![Key::of_rotation(0.0, [0.5, 0.0, 0.0, 0.866_025_4]), Key::of_rotation(1.0, aside)];
    motion.joints.push(neck);
    let folder = folder(&[("a.anim", &slmesh::motion::to_vec(&motion).expect("written"))]);
    let picture = |name: &str, more: &[&str]| {
        let done =
            rezkit(folder.path(), &[&["render", "--size", "64x64", "a.anim", "-o", name], more].concat());
        assert!(done.status.success(), "{}", errors(&done));
        fs::read(folder.path().join(name)).expect("a picture")
    };
    let first = picture("a.png", &[]);
    assert_eq!(first, picture("b.png", &["--skeleton", "--action", "0"]));
    assert_ne!(first, picture("c.png", &["--time", "1"]));
}

/// Referenced files are found in an archive as well. OBJ and STL are only known by their names in an archive, and
/// cannot be recognized on the standard input.
#[test]
fn archives_and_streams_have_what_folders_have() {
    let corner = b"mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n";
    let folder = folder(&[("a.obj", corner), ("a.mtl", b"newmtl red\nKd 1 0 0\n")]);
    let done = rezkit(folder.path(), &["convert", "a.obj", "b.gltf"]);
    assert!(done.status.success(), "{}", errors(&done));
    let file = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    let (obj, mtl, gltf, bin) = (file("a.obj"), file("a.mtl"), file("b.gltf"), file("b.bin"));
    let all: [(&str, &[u8]); 4] =
        [("in/a.obj", &obj), ("in/a.mtl", &mtl), ("in/b.gltf", &gltf), ("in/b.bin", &bin)];
    fs::write(folder.path().join("all.zip"), super::limits::zip(&all)).expect("a file");
    let done = rezkit(folder.path(), &["info", "all.zip"]);
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{}", errors(&done));
    assert_eq!(text.matches("triangles            1\n").count(), 2, "{text}");
    assert_eq!(text.matches("names of materials   red\n").count(), 2, "{text}");
    assert!(!text.contains("missing"), "{text}");
    let done = rezkit(folder.path(), &["info", "--from", "stl", "b.gltf"]);
    let wrong = "error: b.gltf: expected STL, found glTF 2.0; to read the file as glTF 2.0, omit `--from` (library option: `form`)\n";
    assert_eq!(errors(&done), wrong);
    for form in ["obj", "OBJ"] {
        let done = piped(folder.path(), &["info", "--from", form, "-"], &obj);
        assert_eq!(done.status.success(), form == "obj", "{}", errors(&done));
    }
}

/// An error begins with the name of the file as the user wrote it, and mentions no internal names.
#[test]
fn errors_begin_with_the_file() {
    let folder = folder(&[
        ("a.mesh", &fixture("rbxmesh", "v2_00.mesh")),
        ("a.json", b"{\"a\": 1}"),
        ("model.rbxm", &fixture("rbxbinary", "model.rbxm")),
        ("ids.csv", b"1,2\n"),
        ("in/empty.mesh", b""),
    ]);
    for (arguments, about) in [
        (&["set", "a.json", "b", "1"][..], "a.json: "),
        (&["get", "a.json", "b"], "a.json: "),
        (&["tree", "a.json", "b"], "a.json: "),
        (&["rename", "a.mesh", "b", "c"], "a.mesh: "),
        (&["insert", "model.rbxm", "a.mesh"], "a.mesh: "),
        (&["assets", "--replace", "ids.csv", "missing.rbxm"], "missing.rbxm: "),
        (&["assets", "--replace", "missing.csv", "model.rbxm"], "missing.csv: "),
        (&["lods", "a.json", "-o", "b.glb"], "a.json: "),
        (&["lods", "in", "-o", "b.glb"], "in: "),
        (&["sl", "a.json", "-o", "b"], "a.json: "),
        (&["sl", "in", "-o", "b"], "in: "),
        (
            &["extract", "a.mesh", "-o", "b"],
            "a.mesh: the file contains no scripts, textures or other parts that can be extracted",
        ),
        (&["pack", "missing", "model.rbxm"], "missing: no such folder"),
        (&["pack", "in", "a.mesh"], "a.mesh: "),
        (&["convert", "in", "b"], "in: converting a folder requires an output format"),
        (
            &["convert", "--to", "glb", "in", "-"],
            "in: the files of a folder cannot be written to the standard output",
        ),
        (&["render", "in", "-o", "b.gif"], "b.gif: expected the extension .png for a sheet of several files"),
        (&["edit", "-"], "-: "),
        (&["convert", "a.mesh", "no/b.mesh"], "a.mesh: no/b.mesh: "),
        (&["render", "a.mesh", "-o", "no/b.png"], "no/b.png: "),
    ] {
        let output = rezkit(folder.path(), arguments);
        let said = errors(&output);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{arguments:?}: {said}");
        let begins =
            said.lines().all(|line| line.starts_with("  ") || line.starts_with(&format!("error: {about}")));
        assert!(!said.is_empty() && begins && !said.contains(".rezkit-"), "{arguments:?}: {said}");
    }
    assert_eq!(names(folder.path()), ["a.json", "a.mesh", "ids.csv", "in", "model.rbxm"]);
}

/// A document from the standard input is packed and written in full.
#[test]
fn a_stream_is_packed() {
    let model = fixture("rbxbinary", "model.rbxm");
    let folder = folder(&[("in/notes.txt", b"mine")]);
    for to in [&["-o", "b.rbxm"][..], &[]] {
        let done = piped(folder.path(), &[&["pack", "in", "-"], to].concat(), &model);
        assert!(done.status.success(), "{}", errors(&done));
        let written =
            if to.is_empty() { done.stdout } else { fs::read(folder.path().join("b.rbxm")).expect("a file") };
        assert_eq!(written, model);
    }
}

/// JSON is recognized by its extension in folders and archives; other texts with this extension are not read.
#[test]
fn a_folder_of_json_is_read() {
    let json = b"\n{\"id\": 1, \"name\": \"x\"}".as_slice();
    let folder = folder(&[
        ("in/a.json", json),
        ("in/B.JSON", b"[1]"),
        ("in/d.json", b" null\n"),
        ("in/e.json", b"nothing"),
        ("in/default.project.json", b"{\"tree\": {\"$className\": \"Model\"}}"),
        ("in/c.json", b"// mine"),
    ]);
    fs::write(folder.path().join("all.zip"), super::limits::zip(&[("in/a.json", json)])).expect("a file");
    for (path, count) in [("in", 3), ("all.zip", 1)] {
        let output = rezkit(folder.path(), &["info", "--json", path]);
        assert!(output.status.success(), "{}", errors(&output));
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(shown.matches("\"version\":\"json\"").count(), count, "{shown}");
    }
    let output = rezkit(folder.path(), &["convert", "--to", "xml", "in", "out"]);
    assert!(output.status.success(), "{}", errors(&output));
    let output = rezkit(folder.path(), &["get", "out/a.xml", "id"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");
    fs::write(folder.path().join("f.json"), br#"{"a": {"b": [1, {"c": "\q"}]}}"#).expect("a file");
    let output = rezkit(folder.path(), &["info", "f.json"]);
    assert_eq!(
        errors(&output),
        "error: f.json: cannot be read as JSON: invalid escape at line 1 column 25\n  at a/b/1/c\n"
    );
}

/// A folder that cannot be listed is an error, even if other files are read. Its path exceeds the system's limit;
/// permissions would not work, since the user who runs the tests may be allowed to read all folders.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_read_is_an_error() {
    let model = fixture("rbxbinary", "model.rbxm");
    let folder = folder(&[("in/a.mesh", &fixture("rbxmesh", "v2_00.mesh")), ("model.rbxm", &model)]);
    let deep = "for i in $(seq 25); do mkdir $1 && cd $1 || exit 0; done";
    let status = Command::new("sh")
        .args(["-c", deep, "sh", &"x".repeat(200)])
        .current_dir(folder.path().join("in"))
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("it runs").success());
    for arguments in [
        &["info", "in"][..],
        &["check", "in"],
        &["convert", "--to", "glb", "in", "out"],
        &["pack", "in", "model.rbxm"],
    ] {
        let output = rezkit(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(errors(&output).contains("File name too long"), "{arguments:?}");
    }
    assert_eq!(names(&folder.path().join("out")), ["a.glb"]);
    assert_eq!(fs::read(folder.path().join("model.rbxm")).expect("a file"), model);
}

/// If a referenced file exists but cannot be read, the error gives the reason.
#[test]
fn why_a_file_beside_another_cannot_be_read() {
    let gltf = br#"{"asset": {"version": "2.0"}, "buffers": [{"byteLength": 36, "uri": "a%20b.bin"}]}"#;
    let folder = folder(&[("a.gltf", gltf)]);
    let said = |arguments: &[&str]| errors(&rezkit(folder.path(), arguments));
    let missing =
        "buffers[0]: the external file a b.bin was not found (its path is relative to the glTF file)\n";
    assert!(said(&["info", "a.gltf"]).ends_with(missing));
    fs::write(folder.path().join("a b.bin"), vec![0; 200_000]).expect("a file");
    let refused = said(&["info", "--max-bytes", "100000", "a.gltf"]);
    assert!(refused.contains("left for the file a b.bin (needed: 200000 bytes, available"), "{refused}");
}

/// Assets in the folder of a place are found, even if the place is named without a folder.
#[test]
fn assets_beside_a_place_in_the_current_folder() {
    let part = br#"<roblox version="4"><Item class="MeshPart"><Properties><string name="Name">A</string>
        <CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>
        <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>
        <Vector3 name="size"><X>1</X><Y>1</Y><Z>1</Z></Vector3>
        <Content name="MeshId"><url>rbxassetid://123</url></Content></Properties></Item></roblox>"#;
    let folder = folder(&[("in/place.rbxmx", part), ("in/123.mesh", &fixture("rbxmesh", "v2_00.mesh"))]);
    for (at, place) in [("in", "place.rbxmx"), (".", "in/place.rbxmx")] {
        let output = rezkit(&folder.path().join(at), &["convert", place, "-", "--to", "glb"]);
        assert!(output.status.success() && errors(&output).is_empty(), "{at}: {}", errors(&output));
    }
}

/// `set` reads a value from the standard input, such as a script, without changing it.
#[test]
fn a_value_is_read_from_the_standard_input() {
    let script = "<Item class=\"Script\"><Properties><string name=\"Name\">S</string></Properties></Item>";
    let place = format!("<roblox version=\"4\">{script}</roblox>");
    let folder = folder(&[("place.rbxmx", place.as_bytes())]);
    let source = "print(1)\n\nprint(2)\n";
    let output = piped(folder.path(), &["set", "place.rbxmx", "S.Source", "-"], source.as_bytes());
    assert!(output.status.success(), "{}", errors(&output));
    let output = rezkit(folder.path(), &["get", "place.rbxmx", "S.Source"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), source);
    let output = piped(folder.path(), &["set", "-", "S.Source", "-"], source.as_bytes());
    assert_eq!(output.status.code(), Some(2));
}
