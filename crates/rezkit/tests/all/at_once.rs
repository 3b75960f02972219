//! Two runs at the same time, and temporary files of a killed run.

use std::fs;
use std::process::{Child, Command, Output, Stdio};

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rezkit"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it runs")
}

fn end(child: Child) -> Output {
    child.wait_with_output().expect("it ends")
}

/// Of several simultaneous edits of one file, each is either saved or refused: none is lost silently.
#[test]
fn edits_at_once_are_done_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("place.rbxmx").to_str().expect("text").to_owned();
    let parts = (0..16).map(|index| {
        format!("<Item class=\"Part\"><Properties><string name=\"Name\">P{index}</string><float name=\"Transparency\">0</float></Properties></Item>")
    });
    fs::write(&path, format!("<roblox version=\"4\">{}</roblox>", parts.collect::<String>()))
        .expect("written");
    let running: Vec<_> =
        (0..16).map(|index| start(&["set", &path, &format!("P{index}.Transparency"), "0.5"])).collect();
    let mut done = 0;
    for child in running {
        let output = end(child);
        let said = String::from_utf8_lossy(&output.stderr);
        done += usize::from(output.status.success());
        assert!(output.status.success() || said.contains("another program changed the file"), "{said}");
    }
    assert!(done > 0);
    let text = fs::read_to_string(&path).expect("there");
    assert_eq!(text.matches("0.5</float>").count(), done, "{text}");
    assert_eq!(fs::read_dir(folder.path()).expect("there").count(), 1, "nothing is left");
}

/// A run removes temporary files that a killed run has left, but no other files.
#[cfg(unix)]
#[test]
fn leftovers_are_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (place, from) = (path("place.rbxmx"), path("pipe"));
    let xml = "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">F</string></Properties></Item></roblox>";
    fs::write(&place, xml).expect("written");
    // The second output is a pipe without a reader: the run waits while the first output is still a temporary file.
    let made = Command::new("mkfifo").arg(&from).status();
    if !made.is_ok_and(|made| made.success()) {
        return;
    }
    fs::create_dir(folder.path().join("out")).expect("made");
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .args(["edit", &place])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let script = format!("copy F {}\ncopy F {from}.rbxm\nrename F G\n", path("first.rbxm"));
    fs::rename(&from, format!("{from}.rbxm")).expect("renamed");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), script.as_bytes()).expect("written");
    let left = || {
        let names = fs::read_dir(folder.path()).expect("there").flatten().map(|entry| entry.file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".rezkit-")).collect::<Vec<_>>()
    };
    while left().is_empty() {
        assert!(child.try_wait().expect("asked").is_none(), "it waits for a reader");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // Another run does not remove the temporary file of a running one.
    assert!(end(start(&["copy", &place, "F", &path("b.rbxm")])).status.success());
    assert_eq!(left().len(), 1);
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(left().len(), 1, "a killed run leaves it");
    let foreign = path(".rezkit-mine");
    fs::write(&foreign, "").expect("written");
    assert!(end(start(&["copy", &place, "F", &path("c.rbxm")])).status.success());
    assert_eq!(left(), [".rezkit-mine"]);
    assert_eq!(fs::read_to_string(&place).expect("there"), xml);
}

/// An archive that is nested too deeply to be opened is reported as an archive.
#[test]
fn archives_in_archives_say_what_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let xml = "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">F</string></Properties></Item></roblox>";
    let (mut bytes, mut name) = (xml.as_bytes().to_vec(), "a.rbxmx".to_owned());
    for level in 1..=4 {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        zip.start_file(&*name, zip::write::SimpleFileOptions::default()).expect("started");
        std::io::Write::write_all(&mut zip, &bytes).expect("written");
        bytes = zip.finish().expect("made").into_inner();
        name = format!("{level}.zip");
        fs::write(path(&name), &bytes).expect("written");
    }
    assert!(end(start(&["info", &path("3.zip")])).status.success());
    let output = end(start(&["info", &path("4.zip")]));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("4.zip/3.zip/2.zip/1.zip: not a supported asset: a ZIP archive; unpack it first"),
        "{said}"
    );
}

/// An output named `.gz` is compressed with gzip, whatever the input is.
#[test]
fn a_name_of_gzip_gets_gzip() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (plain, packed, again) = (path("a.rbxmx"), path("b.rbxmx.gz"), path("c.rbxmx"));
    let xml = "<roblox version=\"4\"><Item class=\"Folder\"><Properties><string name=\"Name\">F</string></Properties></Item></roblox>";
    fs::write(&plain, xml).expect("written");
    assert!(end(start(&["rename", &plain, "F", "G", "-o", &packed])).status.success());
    assert!(fs::read(&packed).expect("there").starts_with(&[0x1f, 0x8b]));
    assert!(end(start(&["rename", &packed, "G", "F", "-o", &again])).status.success());
    assert_eq!(fs::read_to_string(&again).expect("there"), xml);
}
