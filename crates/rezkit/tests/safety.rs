//! What a command must never do: destroy what it reads, write outside of where it was told to, hang, or say that
//! it did what it did not do.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output};

use testkit::fixture;

fn rezkit(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rezkit")).args(arguments).current_dir(folder).output().expect("it runs")
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

/// An XML document of one instance, with a shared string in a property of any name.
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
    assert!(errors(&output).contains("out/shared: a link, which is not followed"), "{}", errors(&output));
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
    assert!(errors(&output).contains("head.bin: is read and would be replaced"), "{}", errors(&output));
    let output = rezkit(folder.path(), &["convert", "head.bin", "other.gltf"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("other.bin: is there already"), "{}", errors(&output));
    assert_eq!(names(folder.path()), ["head.bin", "head.mtl", "other.bin"]);
    assert_eq!(fs::read(folder.path().join("head.bin")).expect("a file"), mesh);
    assert_eq!(fs::read(folder.path().join("other.bin")).expect("a file"), b"mine");
    // One file alone is no reason to write the others.
    let output = rezkit(folder.path(), &["convert", "--to", "gltf", "head.bin", "-"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert_eq!(names(folder.path()), ["head.bin", "head.mtl", "other.bin"]);
    let output = rezkit(folder.path(), &["convert", "--force", "head.bin", "other.gltf"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(rezkit(folder.path(), &["info", "other.gltf"]).status.code() == Some(1));
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
    // Either each has a file of its own, or the one that has none is an error.
    let total = shown.lines().last().expect("a total").to_owned();
    match made.len() {
        4 => assert!(total.starts_with("4 converted"), "{total}"),
        _ => assert!(total.contains("1 failed") && !output.status.success(), "{total} {}", errors(&output)),
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
        errors(&output).contains("not converted to \"fbx\"") && errors(&output).contains("glb"),
        "{}",
        errors(&output)
    );
}

/// Model 3D stores the length of a file, which can be less than the header.
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
    assert_eq!(rezkit(folder.path(), &["check", "--strict", "in"]).status.code(), Some(1));
    let output = rezkit(folder.path(), &["convert", "--to", "5.00", "in", "out"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    fs::remove_file(folder.path().join("in/a.mesh")).expect("it was there");
    fs::remove_file(folder.path().join("in/b.mesh")).expect("it was there");
    assert_eq!(rezkit(folder.path(), &["check", "in"]).status.code(), Some(1));
}

/// A reader that ends after the first line does not end the work.
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
        .stdout(std::process::Stdio::piped())
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
        rezkit::scene::read(place.as_bytes(), "a.rbxlx", &Default::default(), &mut ()).expect("readable");
    let bounds = scene.bounds().expect("a part");
    assert_eq!((bounds.max - bounds.min).to_array(), [4.0, 1.0, 2.0]);
    assert!(losses.iter().any(|loss| loss.to_string().contains("terrain")), "{losses:?}");
}
