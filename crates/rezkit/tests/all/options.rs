//! Options take effect or are refused: a typo does not disable a check, and the name of a file determines its form.

use std::path::Path;
use std::process::{Command, Output};

fn rezkit(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rezkit")).args(arguments).current_dir(folder).output().expect("it runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(fixtures: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in fixtures {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
        let to = folder.path().join(from.file_name().expect("a name"));
        std::fs::copy(from, to).expect("a file");
    }
    folder
}

#[test]
fn an_unknown_rule_is_refused() {
    let folder = folder(&["rbxmesh/v5_00.mesh"]);
    for option in ["--deny", "--allow"] {
        let output = rezkit(folder.path(), &["check", option, "nosuchrule", "v5_00.mesh"]);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains("nosuchrule: unknown rule"), "{}", errors(&output));
        for rule in ["warnings", "rbxmesh", "rbxmesh.degenerate-faces"] {
            let output = rezkit(folder.path(), &["check", option, rule, "v5_00.mesh"]);
            assert_ne!(output.status.code(), Some(2), "{rule}: {}", errors(&output));
        }
    }
}

/// If the output's extension and `--to` disagree, nothing is written. Upper case extensions are recognized.
#[test]
fn a_file_is_what_its_name_says() {
    let folder = folder(&["rbxmesh/v5_00.mesh", "llsd/nested.bin", "rbxxml/tree.rbxlx"]);
    for [input, output, to] in [
        ["v5_00.mesh", "out.gltf", "glb"],
        ["v5_00.mesh", "out.glb", "obj"],
        ["nested.bin", "out.json", "xml"],
        ["nested.bin", "out.xml", "json"],
        ["tree.rbxlx", "out.rbxlx", "rbxm"],
    ] {
        let ran = rezkit(folder.path(), &["convert", input, output, "--to", to]);
        assert_eq!(ran.status.code(), Some(2), "{output} with {to}: {}", errors(&ran));
        assert!(!folder.path().join(output).exists(), "{output} with {to}");
    }
    for [input, output, begin] in [
        ["v5_00.mesh", "a.GLB", "glTF"],
        ["v5_00.mesh", "b.MESH", "version"],
        ["tree.rbxlx", "c.RBXLX", "<roblox"],
        ["tree.rbxlx", "d.RBXL", "<roblox!"],
        ["nested.bin", "e.XML", "<"],
        ["nested.bin", "f.json", "["],
    ] {
        let ran = rezkit(folder.path(), &["convert", input, output, "--fill", "defaults"]);
        let ran = match ran.status.success() {
            true => ran,
            false => rezkit(folder.path(), &["convert", input, output]),
        };
        assert!(ran.status.success(), "{output}: {}", errors(&ran));
        let bytes = std::fs::read(folder.path().join(output)).expect("a file");
        assert!(bytes.trim_ascii_start().starts_with(begin.as_bytes()), "{output}: {:?}", bytes.get(..20));
    }
}

/// The options of scenes also apply to the profiles of `check`, and a level that does not exist is an error.
#[test]
fn a_check_of_a_profile_has_the_options_of_scenes() {
    let folder = folder(&["rbxmesh/v5_00.mesh"]);
    let check = |arguments: &[&str]| {
        let fixed = ["check", "--profile", "roblox-upload", "v5_00.mesh"];
        rezkit(folder.path(), &[&fixed[..], arguments].concat())
    };
    let all = check(&[]);
    assert!(String::from_utf8_lossy(&all.stdout).contains("mesh_LOD2"));
    let finest = check(&["--lod", "0"]);
    assert!(finest.stdout != all.stdout && !String::from_utf8_lossy(&finest.stdout).contains("mesh_LOD2"));
    for (arguments, says) in [
        (["--lod", "9"], "no level of detail 9; levels are numbered from 0, the finest"),
        (["--path", "Workspace/Nope"], "no instance is at Workspace/Nope"),
    ] {
        let output = check(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

/// Numbers are JSON numbers, and the standard input is read only once.
#[test]
fn json_has_numbers() {
    use std::io::Write as _;
    let folder = folder(&["rbxmesh/v2_00.mesh"]);
    let place = "<roblox version=\"4\"><Item class=\"Part\"><Properties><string name=\"Name\">A</string>\
        <Vector3 name=\"size\"><X>1</X><Y>2.5</Y><Z>3</Z></Vector3><float name=\"Transparency\">0.1</float>\
        <bool name=\"Anchored\">true</bool><float name=\"Reflectance\">NAN</float></Properties></Item></roblox>";
    std::fs::write(folder.path().join("a.rbxmx"), place).expect("a file");
    for (path, json) in [
        ("A.size", "[1.0,2.5,3.0]"),
        ("A.Transparency", "0.1"),
        ("A.Anchored", "true"),
        ("A.Name", "\"A\""),
        ("A.Reflectance", "\"NaN\""),
    ] {
        let output = rezkit(folder.path(), &["get", "--json", "a.rbxmx", path]);
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), json, "{path}: {}", errors(&output));
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .args(["render", "-", "-o", "a.png"])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let mesh = std::fs::read(folder.path().join("v2_00.mesh")).expect("a file");
    child.stdin.take().expect("a pipe").write_all(&mesh).expect("written");
    assert!(child.wait().expect("it ends").success());
    assert!(folder.path().join("a.png").exists());
}
