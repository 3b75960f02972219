//! Two runs at the same time, and temporary files of a killed run.

use std::process::{Command, Stdio};

use super::run::Folder;
use super::xml::{document, item};

/// Of several simultaneous edits of one file, each is either saved or refused: none is lost silently.
#[test]
fn edits_at_once_are_done_or_refused() {
    let part = |at| item("Part", &format!("P{at}"), "<float name=\"Transparency\">0</float>", "");
    let folder = Folder::new(&[("a.rbxmx", &document(&(0..16).map(part).collect::<String>()))]);
    let start = |at| {
        let mut command = folder.command();
        command.args(["set", "a.rbxmx", &format!("P{at}.Transparency"), "0.5"]).stderr(Stdio::piped());
        command.spawn().expect("it runs")
    };
    let running: Vec<_> = (0..16).map(start).collect();
    let mut done = 0;
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        done += usize::from(output.status.success());
        assert!(output.status.success() || said.contains("another program changed the file"), "{said}");
    }
    assert!(done > 0);
    assert_eq!(folder.text("a.rbxmx").matches("0.5</float>").count(), done);
    assert_eq!(folder.names("").len(), 1, "nothing is left");
}

/// A run removes temporary files that a killed run has left, but no other files.
#[cfg(unix)]
#[test]
fn leftovers_are_removed() {
    let place = document(&item("Folder", "F", "", ""));
    let folder = Folder::new(&[("a.rbxmx", &place)]);
    // The second output is a pipe without a reader: the run waits while the first output is still a temporary file.
    if !Command::new("mkfifo").arg(folder.path("pipe.rbxm")).status().is_ok_and(|made| made.success()) {
        return;
    }
    let mut command = folder.command();
    command.args(["edit", "a.rbxmx"]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let script = b"copy F first.rbxm\ncopy F pipe.rbxm\nrename F G\n";
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), script).expect("written");
    let is_temporary = |name: &String| name.starts_with(".rezkit-") && !name.ends_with(".lock");
    let left = || folder.names("").into_iter().filter(is_temporary).collect::<Vec<_>>();
    while left().is_empty() {
        assert!(child.try_wait().expect("asked").is_none(), "it waits for a reader");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // Another run does not remove the temporary file of a running one.
    folder.ok("copy a.rbxmx F b.rbxm");
    assert_eq!(left().len(), 1);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(left().len(), 1, "a killed run leaves it");
    folder.write(".rezkit-mine", "");
    folder.ok("copy a.rbxmx F c.rbxm");
    assert_eq!(left(), [".rezkit-mine"]);
    assert_eq!(folder.read("a.rbxmx"), place);
}

/// An archive that is nested too deeply to be opened is reported as an archive.
#[test]
fn archives_in_archives_say_what_they_are() {
    let folder = Folder::new(&[]);
    let (mut bytes, mut name) = (document(&item("Folder", "F", "", "")), "a.rbxmx".to_owned());
    for level in 1..=4 {
        bytes = super::limits::zip(&[(&name, &bytes)]);
        name = format!("{level}.zip");
        folder.write(&name, &bytes);
    }
    folder.ok("info 3.zip");
    let error = folder.fails("info 4.zip", 1);
    let said = "4.zip/3.zip/2.zip/1.zip: not a supported asset: a ZIP archive; unpack it first";
    assert!(error.contains(said), "{error}");
}

/// An output named `.gz` is compressed with gzip, whatever the input is.
#[test]
fn a_name_of_gzip_gets_gzip() {
    let place = document(&item("Folder", "F", "", ""));
    let folder = Folder::new(&[("a.rbxmx", &place)]);
    folder.ok("rename a.rbxmx F G -o b.rbxmx.gz");
    assert!(folder.read("b.rbxmx.gz").starts_with(&[0x1f, 0x8b]));
    folder.ok("rename b.rbxmx.gz G F -o c.rbxmx");
    assert_eq!(folder.read("c.rbxmx"), place);
}

/// Files with patterns of ignored files are files: a link to a device or a pipe would never end.
#[cfg(unix)]
#[test]
fn patterns_are_read_from_files() {
    let triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let folder = Folder::new(&[("a.obj", triangle), ("below/b.obj", triangle)]);
    std::os::unix::fs::symlink("/dev/zero", folder.path("below/.gitignore")).expect("linked");
    let ran = folder.run("info .");
    assert_eq!(ran.status, Some(1));
    assert!(ran.out.contains("a.obj") && !ran.out.contains("b.obj"), "{}", ran.out);
    assert!(ran.err.contains("below/.gitignore") && ran.err.contains("--no-ignore"), "{}", ran.err);
    assert!(folder.ok("info --no-ignore .").contains("b.obj"));
    folder.write("below/.ignore", "x".repeat((1 << 20) + 1));
    folder.fails("info below", 1);
}

/// Shells of Windows pass patterns on: they stand for the files and folders that match.
#[cfg(windows)]
#[test]
fn patterns_are_names_of_files() {
    let triangle = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let folder = Folder::new(&[("in/a1.obj", triangle), ("in/b1.OBJ", triangle), ("in/c.ply", b"")]);
    let out = folder.ok("info in/*.obj");
    assert!(out.contains("in/a1.obj") && out.contains("in/b1.OBJ") && !out.contains("c.ply"), "{out}");
    folder.ok("render in/?1.* --to png -o made");
    assert_eq!(folder.names("made"), ["a1.png", "b1.png"]);
    folder.fails("info in/x*", 1);
}

/// Arguments that are refused are printed without their control characters.
#[test]
fn refused_arguments_are_escaped() {
    let ran = Folder::new(&[]).args(&["info", "--\u{1b}]0;title\u{7}\u{1b}[31m.mesh"]);
    assert_eq!(ran.status, Some(2));
    assert!(!ran.err.contains(['\u{7}', '\u{1b}']), "{:?}", ran.err);
}

/// Two outputs are one file, however their paths are spelled, and so are an output and the file that is edited.
#[test]
fn outputs_are_compared_by_what_they_are() {
    let place = document(&(item("Folder", "A", "", "") + &item("Folder", "B", "", "")));
    let folder = Folder::new(&[("p.rbxmx", &place)]);
    for (line, script) in [
        ("edit p.rbxmx -o q.rbxmx", "copy A a.rbxm\ncopy B ./a.rbxm\n"),
        ("edit p.rbxmx -o r.rbxmx", "rename A C\ncopy C ./r.rbxmx\n"),
        ("edit -f p.rbxmx", "rename A C\ncopy C ./p.rbxmx\n"),
    ] {
        let ran = folder.piped(line, script);
        assert!(ran.status != Some(0) && ran.err.contains("would write this file twice"), "{}", ran.err);
        assert_eq!(folder.names("."), ["p.rbxmx"], "{script}");
        assert_eq!(folder.read("p.rbxmx"), place, "{script}");
    }
}

/// `pack --watch` writes what changes, reports what is wrong and goes on, and ends with a whole file.
#[cfg(unix)]
#[test]
fn a_watched_folder_is_packed_whenever_it_changes() {
    let place = document(&item("ServerScriptService", "ServerScriptService", "", ""));
    let project =
        r#"{"name": "p", "tree": {"$className": "DataModel", "ServerScriptService": {"$path": "src"}}}"#;
    let folder = Folder::new(&[
        ("place.rbxlx", &place),
        ("p/default.project.json", project.as_bytes()),
        ("p/src/A.server.luau", b"print('one')"),
    ]);
    let mut command = folder.command();
    command
        .args(["pack", "p", "place.rbxlx", "--watch", "--remove"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut until = |wanted: &dyn Fn(&str) -> bool| {
        while !wanted(&folder.text("place.rbxlx")) {
            assert!(child.try_wait().expect("asked").is_none(), "it watches");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    until(&|text| text.contains("print('one')"));
    folder.write("p/src/A.server.luau", "print('two')");
    folder.write("p/src/Sub/B.luau", "return 2");
    until(&|text| text.contains("print('two')") && text.contains("return 2"));
    // Nothing is written while a file is wrong.
    folder.write("p/src/B.model.json", "{");
    folder.write("p/src/A.server.luau", "print('three')");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(!folder.text("place.rbxlx").contains("three"));
    std::fs::remove_file(folder.path("p/src/B.model.json")).expect("removed");
    std::fs::remove_file(folder.path("p/src/Sub/B.luau")).expect("removed");
    until(&|text| text.contains("print('three')") && !text.contains("return 2"));
    let mut kill = Command::new("kill");
    assert!(kill.args(["-INT", &child.id().to_string()]).status().expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("B.model.json"), "{said}");
    rbxxml::from_slice(&folder.read("place.rbxlx")).expect("a whole file");
}
