//! Links that lead out of a folder are not followed, neither for reading nor for writing.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use super::run::Folder;
use super::xml::{document, item, sized};

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn pack_reads_no_file_outside_of_its_folder() {
    let script = item("ModuleScript", "m", "<string name=\"Source\">return 1</string>", "");
    let folder = Folder::new(&[("a.rbxmx", &document(&script)), ("private", b"return 'secret'")]);
    folder.ok("extract a.rbxmx -o out");
    let source = folder.path("out/src/m.luau");
    fs::remove_file(&source).expect("extracted");
    symlink(folder.path("private"), &source).expect("a link");
    let error = folder.fails("pack out a.rbxmx -o b.rbxmx", 1);
    assert!(error.contains("m.luau: the link leads out of the folder"), "{error}");
    assert!(!folder.path("b.rbxmx").exists());
    // A link to a file within the folder is followed.
    fs::remove_file(&source).expect("a link");
    folder.write("out/src/other", "return 2");
    symlink("other", &source).expect("a link");
    folder.ok("pack out a.rbxmx -o b.rbxmx");
    assert!(folder.text("b.rbxmx").contains("return 2"));
}

#[test]
fn convert_writes_through_no_link_in_the_output_folder() {
    for (link, to) in
        [("out/sub", "elsewhere"), ("out/sub/a.ply", "elsewhere/mine"), ("out/sub/a.ply", "elsewhere/new")]
    {
        let folder = Folder::new(&[("in/sub/a.obj", TRIANGLE), ("elsewhere/mine", b"mine")]);
        let at = folder.path(link);
        fs::create_dir_all(at.parent().expect("a folder")).expect("a folder");
        symlink(folder.path(to), &at).expect("a link");
        for force in ["", "--force"] {
            let ran = folder.run(&format!("convert --to ply in out {force}"));
            let said = format!("{link}: found a symbolic link, which rezkit does not follow");
            assert!(ran.status != Some(0) && ran.err.contains(&said), "{}", ran.err);
            assert_eq!(folder.names("elsewhere"), ["mine"], "{link}");
            assert_eq!(folder.read("elsewhere/mine"), b"mine");
        }
    }
}

#[test]
fn assets_are_read_through_no_link_out_of_their_folder() {
    let mesh = "<Content name=\"MeshId\"><url>rbxassetid://7</url></Content>";
    let place = document(&item("MeshPart", "A", &(sized([0.0; 3], [1.0; 3]) + mesh), ""));
    let folder = Folder::new(&[("a.rbxmx", &place), ("assets/1.mesh", b"")]);
    folder.copy("elsewhere/7.mesh", "fixtures/rbxmesh/v2_00.mesh");
    symlink(folder.path("elsewhere/7.mesh"), folder.path("assets/7.mesh")).expect("a link");
    let error = folder.run("convert --assets assets a.rbxmx a.glb").err;
    assert!(error.contains("the link leads out of the folder"), "{error}");
}

#[test]
fn references_lead_to_no_file_outside_of_the_folder() {
    for uri in ["../secret", "/etc/hostname", "link", "sub/../../secret"] {
        let gltf = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{{\"byteLength\":4,\"uri\":\"{uri}\"}}]}}"
        );
        let folder = Folder::new(&[("in/a.gltf", gltf.as_bytes()), ("in/sub/x", b""), ("secret", b"1234")]);
        symlink("../secret", folder.path("in/link")).expect("a link");
        let error = folder.fails("info in/a.gltf", 1);
        assert!(error.contains("leads out of the folder"), "{uri}: {error}");
    }
}

#[test]
fn no_two_inputs_become_one_file_on_any_system() {
    let folder = Folder::new(&[("in/stra\u{df}e.obj", TRIANGLE), ("in/STRASSE.obj", TRIANGLE)]);
    let error = folder.run("convert --to ply in out").err;
    assert!(error.contains("; write them to different folders, or rename one"), "{error}");
}
