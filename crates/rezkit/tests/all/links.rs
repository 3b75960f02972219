//! Links that lead out of a folder are not followed, neither for reading nor for writing.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

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

const SCRIPT: &[u8] =
    b"<roblox version=\"4\"><Item class=\"ModuleScript\"><Properties><string name=\"Name\">m</string>\
    <string name=\"Source\">return 1</string></Properties></Item></roblox>";

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn pack_reads_no_file_outside_of_its_folder() {
    let folder = folder(&[("a.rbxmx", SCRIPT), ("private", b"return 'secret'")]);
    assert!(rezkit(folder.path(), &["extract", "a.rbxmx", "-o", "out"]).status.success());
    let source = folder.path().join("out/src/m.luau");
    fs::remove_file(&source).expect("extracted");
    symlink(folder.path().join("private"), &source).expect("a link");
    let output = rezkit(folder.path(), &["pack", "out", "a.rbxmx", "-o", "b.rbxmx"]);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    assert!(errors(&output).contains("m.luau: the link leads out of the folder"), "{}", errors(&output));
    assert!(!folder.path().join("b.rbxmx").exists());
    // A link to a file within the folder is followed.
    fs::remove_file(&source).expect("a link");
    fs::write(folder.path().join("out/src/other"), "return 2").expect("a file");
    symlink("other", &source).expect("a link");
    let output = rezkit(folder.path(), &["pack", "out", "a.rbxmx", "-o", "b.rbxmx"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(fs::read_to_string(folder.path().join("b.rbxmx")).expect("packed").contains("return 2"));
}

#[test]
fn convert_writes_through_no_link_in_the_output_folder() {
    for (link, to) in
        [("out/sub", "elsewhere"), ("out/sub/a.ply", "elsewhere/mine"), ("out/sub/a.ply", "elsewhere/new")]
    {
        let folder = folder(&[("in/sub/a.obj", TRIANGLE), ("elsewhere/mine", b"mine")]);
        let at = folder.path().join(link);
        fs::create_dir_all(at.parent().expect("a folder")).expect("a folder");
        symlink(folder.path().join(to), &at).expect("a link");
        for force in [&[][..], &["--force"]] {
            let output = rezkit(folder.path(), &[&["convert", "--to", "ply", "in", "out"], force].concat());
            assert!(!output.status.success(), "{link}: {}", errors(&output));
            assert!(
                errors(&output)
                    .contains(&format!("{link}: found a symbolic link, which rezkit does not follow")),
                "{}",
                errors(&output)
            );
            let names: Vec<_> =
                fs::read_dir(folder.path().join("elsewhere")).expect("a folder").flatten().collect();
            assert_eq!(names.len(), 1, "{link}");
            assert_eq!(fs::read(folder.path().join("elsewhere/mine")).expect("a file"), b"mine");
        }
    }
}

#[test]
fn assets_are_read_through_no_link_out_of_their_folder() {
    let place = br#"<roblox version="4"><Item class="MeshPart"><Properties><string name="Name">A</string>
        <CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02>
        <R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>
        <Vector3 name="size"><X>1</X><Y>1</Y><Z>1</Z></Vector3>
        <Content name="MeshId"><url>rbxassetid://7</url></Content></Properties></Item></roblox>"#;
    let mesh = testkit::fixture("rbxmesh", "v2_00.mesh");
    let folder = folder(&[("a.rbxmx", place), ("assets/1.mesh", b""), ("elsewhere/7.mesh", &mesh)]);
    symlink(folder.path().join("elsewhere/7.mesh"), folder.path().join("assets/7.mesh")).expect("a link");
    let output = rezkit(folder.path(), &["convert", "--assets", "assets", "a.rbxmx", "a.glb"]);
    assert!(errors(&output).contains("the link leads out of the folder"), "{}", errors(&output));
}

#[test]
fn references_lead_to_no_file_outside_of_the_folder() {
    let gltf = |uri: &str| {
        format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{{\"byteLength\":4,\"uri\":\"{uri}\"}}]}}")
            .into_bytes()
    };
    for uri in ["../secret", "/etc/hostname", "link", "sub/../../secret"] {
        let folder = folder(&[("in/a.gltf", &gltf(uri)), ("in/sub/x", b""), ("secret", b"1234")]);
        symlink("../secret", folder.path().join("in/link")).expect("a link");
        let output = rezkit(folder.path(), &["info", "in/a.gltf"]);
        assert_eq!(output.status.code(), Some(1), "{uri}");
        assert!(errors(&output).contains("leads out of the folder"), "{uri}: {}", errors(&output));
    }
}

#[test]
fn no_two_inputs_become_one_file_on_any_system() {
    let folder = folder(&[("in/stra\u{df}e.obj", TRIANGLE), ("in/STRASSE.obj", TRIANGLE)]);
    let output = rezkit(folder.path(), &["convert", "--to", "ply", "in", "out"]);
    assert!(
        errors(&output).contains("; write them to different folders, or rename one"),
        "{}",
        errors(&output)
    );
}
