//! The program as it is run: its output, the files that it writes, and those that it does not change.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn rezkit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rezkit")).args(arguments).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn fixture(path: &str) -> String {
    printed(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path))
}

/// The path with `/` as the separator on every system.
fn printed(path: &Path) -> String {
    path.to_str().expect("a path that is text").replace(std::path::MAIN_SEPARATOR, "/")
}

/// A temporary folder, removed when the value is dropped.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        printed(&self.0.path().join(name))
    }

    fn files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.0.path()).expect("it is there").flatten().map(|entry| entry.path()).collect()
    }
}

const ONE_OF_EACH: [&str; 8] = [
    "rbxmesh/v5_00.mesh",
    "rbxbinary/types.rbxm",
    "rbxxml/tree.rbxlx",
    "m3d/mesh-polygons.m3d",
    "m3d/ascii-all.a3d",
    "slmesh/all.llmesh",
    "slmesh/upload.slm",
    "llsd/nested.bin",
];

#[test]
fn info_shows_what_each_file_is() {
    let paths = ONE_OF_EACH.map(fixture);
    let mut arguments = vec!["info"];
    arguments.extend(paths.iter().map(String::as_str));
    let output = rezkit(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let block = |path: usize| {
        let (_, block) = shown.split_once(&format!("{}\n", paths[path])).expect("a block for each");
        block.lines().take_while(|line| line.starts_with("  ")).collect::<Vec<_>>().join("\n")
    };
    // The fixtures' square, with a bone for each corner.
    assert!(block(0).contains("rbxmesh 5.00 (Roblox mesh)"), "{shown}");
    assert!(block(0).contains("vertices             4\n  triangles            2\n"), "{shown}");
    for (index, format) in [
        (1, "rbxbinary 0"),
        (2, "rbxxml 4"),
        (3, "m3d binary"),
        (4, "m3d ascii"),
        (5, "slmesh"),
        (6, "slmesh"),
        (7, "llsd binary"),
    ] {
        assert!(block(index).contains(format), "{shown}");
    }
    arguments.insert(1, "--json");
    let output = rezkit(&arguments);
    let formats: Vec<String> = json_lines(&output.stdout)
        .iter()
        .map(|line| line["format"].as_str().expect("a format").to_owned())
        .collect();
    assert_eq!(formats, ["rbxmesh", "rbxbinary", "rbxxml", "m3d", "m3d", "slmesh", "slmesh", "llsd"]);
    arguments[1] = "--csv";
    let output = text(&rezkit(&arguments).stdout);
    // One row for each file, all with the same columns.
    let rows: Vec<Vec<&str>> = output.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..4], ["path", "format", "version", "bytes"]);
    assert_eq!(rows.len(), 9, "{output}");
    assert_eq!(rows[1][1..4], ["rbxmesh", "5.00", "870"]);
    let column = rows[0].iter().position(|name| *name == "vertices").expect("a column");
    assert_eq!((rows[1][column], rows[2][column]), ("4", ""));
}

fn json_lines(bytes: &[u8]) -> Vec<serde_json::Value> {
    text(bytes).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn check_fails_where_a_rule_is_broken_and_goes_on() {
    let output = rezkit(&["check", &fixture("rbxmesh/v2_00.mesh")]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    // A file without an end, between a missing file and a valid one.
    let output =
        rezkit(&["check", "missing", &fixture("rbxbinary/no_end.rbxm"), &fixture("rbxmesh/v2_00.mesh")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("no_end.rbxm: error[rbxbinary."), "{}", text(&output.stdout));
    assert!(text(&output.stderr).starts_with("error: missing: "), "{}", text(&output.stderr));
    let output = rezkit(&["check", "--json", &fixture("rbxbinary/no_end.rbxm")]);
    let first = text(&output.stdout);
    let first: serde_json::Value = serde_json::from_str(first.lines().next().expect("a line")).expect("JSON");
    assert!(first["rule"].is_string() && first["count"].is_number());
}

/// Each position of a finding has a line, up to ten; JSON has all of them.
#[test]
fn check_lists_every_place() {
    let folder = Folder::new();
    let misspelled = |count: usize| {
        let part = |n: usize| {
            format!(
                "<Item class=\"Part\"><Properties><string name=\"Name\">P{n}</string><bool name=\"Ancored\">true</bool>\
                 </Properties></Item>"
            )
        };
        let parts: String = (0..count).map(part).collect();
        let path = folder.path(&format!("{count}.rbxmx"));
        std::fs::write(&path, format!("<roblox version=\"4\">{parts}</roblox>")).unwrap();
        path
    };
    let lines = |path: &str| -> Vec<String> {
        let all = text(&rezkit(&["check", "--allow", "rbxxml.referents-missing", path]).stdout);
        all.lines().map(str::to_owned).collect()
    };
    let four = lines(&misspelled(4));
    assert_eq!(four.len(), 4, "{four:?}");
    for (line, number) in four.iter().zip(0..) {
        assert!(
            line.contains(&format!(
                "in P{number}.Ancored: property name looks like a misspelling of \"Anchored\";"
            )),
            "{line}"
        );
    }
    let many = misspelled(150);
    let listed = lines(&many);
    assert!(listed.len() == 11 && listed[9].contains("P9.Ancored"), "{listed:?}");
    assert!(
        listed[10].ends_with(": 140 more violations of the rule rbxxml.stored-names; --verbose lists them"),
        "{}",
        listed[10]
    );
    let json = json_lines(&rezkit(&["check", "--json", "--allow", "rbxxml.referents-missing", &many]).stdout);
    let counts: Vec<_> = json.iter().map(|line| line["count"].as_u64().unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>(), counts[98]), (100, 150, 1));
}

#[test]
fn converting_without_a_form_changes_nothing() {
    let folder = Folder::new();
    for (number, path) in ONE_OF_EACH.map(fixture).iter().enumerate() {
        let extension = Path::new(path).extension().and_then(|it| it.to_str()).expect("an extension");
        let there = folder.path(&format!("{number}.{extension}"));
        let output = rezkit(&["convert", path, &there]);
        assert!(output.status.success(), "{path}: {}", text(&output.stderr));
        // An ASCII model is written with other white space; the other files stay the same.
        if extension != "a3d" {
            assert!(fs::read(&there).expect("written") == fs::read(path).expect("there"), "{path}");
        }
    }
    assert_eq!(folder.files().len(), ONE_OF_EACH.len(), "nothing else is left");
}

#[test]
fn forms() {
    let folder = Folder::new();
    for (input, to, name, magic) in [
        ("rbxmesh/v2_00.mesh", Some("7.00"), "a.mesh", &b"version 7.00"[..]),
        ("llsd/nested.bin", Some("xml"), "a.xml", b"<?"),
        ("llsd/nested.bin", Some("notation"), "a.txt", b"<? llsd/notation"),
        ("m3d/ascii-all.a3d", None, "a.m3d", b"3DMO"),
        ("m3d/raw.m3d", None, "a.a3d", b"3dmodel"),
        ("rbxbinary/model.rbxm", Some("zstd"), "a.rbxm", b"<roblox!"),
    ] {
        let there = folder.path(name);
        let input = fixture(input);
        let mut arguments = vec!["convert"];
        arguments.extend(to.iter().flat_map(|to| ["--to", to]));
        arguments.extend([input.as_str(), &there]);
        let output = rezkit(&arguments);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        assert!(fs::read(&there).expect("written").starts_with(magic), "{name}");
        assert!(rezkit(&["info", &there]).status.success(), "{name}");
    }
    let output = rezkit(&["convert", "--to", "9.00", &fixture("rbxmesh/v2_00.mesh"), "-"]);
    assert_eq!(output.status.code(), Some(2), "no such form is a wrong argument");
    assert!(
        text(&output.stderr).contains("cannot convert from Roblox mesh to \"9.00\"; expected one of 1.00,")
            && output.stdout.is_empty()
    );
}

#[test]
fn what_fails_leaves_what_was_there() {
    let folder = Folder::new();
    let there = folder.path("head.mesh");
    fs::write(&there, "what was there").expect("written");
    // Version 2.00 cannot store a skin.
    let skinned = fixture("rbxmesh/v5_00.mesh");
    let output = rezkit(&["convert", "--force", "--to", "2.00", &skinned, &there]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(fs::read(&there).expect("still there"), b"what was there");
    assert_eq!(folder.files().len(), 1, "and nothing beside it");
    let output = rezkit(&["convert", "--force", "--to", "2.00", "--allow-loss", &skinned, &there]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::read(&there).expect("written").starts_with(b"version 2.00"));
    assert_eq!(folder.files().len(), 1);
    // The folder does not exist.
    let output = rezkit(&["convert", &skinned, &folder.path("no/such/folder.mesh")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("folder.mesh: "), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    if Path::new("/dev/full").exists() {
        let output = rezkit(&["convert", &fixture("rbxmesh/v2_00.mesh"), "/dev/full"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).starts_with("error: "), "{}", text(&output.stderr));
        assert!(Path::new("/dev/full").exists());
    }
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let (file, link) = (folder.path("file.mesh"), folder.path("link.mesh"));
    fs::write(&file, "old").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("set");
    symlink(&file, &link).expect("a link");
    let output = rezkit(&["convert", &fixture("rbxmesh/v2_00.mesh"), &link]);
    assert!(output.status.code() == Some(2) && fs::read(&file).expect("there") == b"old");
    let output = rezkit(&["convert", "--force", &fixture("rbxmesh/v2_00.mesh"), &link]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert!(fs::read(&file).expect("written").starts_with(b"version 2.00"));
    assert_eq!(fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_is_no_asset() {
    let folder = Folder::new();
    let nothing = folder.path("nothing");
    fs::write(&nothing, "nothing of the kind").expect("written");
    let mesh = fixture("rbxmesh/v2_00.mesh");
    let [json, stl, obj, gltf] = ["empty.json", "empty.stl", "a.obj", "a.gltf"].map(|name| folder.path(name));
    let contents =
        [(&json, &b""[..]), (&stl, b""), (&obj, b"v 0 0 0\nf 1 2 3\n"), (&gltf, b"{\"asset\":{}}")];
    contents.iter().for_each(|(path, content)| fs::write(path, content).expect("written"));
    let glb = folder.path("a.glb");
    for (arguments, says) in [
        (&["info", nothing.as_str()][..], "not a supported asset"),
        (&["info", &json], "an empty file"),
        (&["convert", &stl, &glb], "an empty file"),
        (&["convert", &obj, &glb], "cannot be read as Wavefront OBJ: "),
        (&["convert", &gltf, &glb], "cannot be read as glTF 2.0: "),
        (&["info", "--max-bytes", "10", mesh.as_str()], "--max-bytes"),
        (&["info", &fixture("rbxmesh/v6_00_cut.mesh"), "missing"], "missing"),
        (&["convert", mesh.as_str(), &folder.path("no/such.mesh")], "no/such.mesh: "),
    ] {
        let output = rezkit(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
    }
    // A folder without assets is probably the wrong folder: an error.
    fs::create_dir(folder.path("none")).expect("made");
    let output = rezkit(&["info", &folder.path("none")]);
    assert!(output.status.code() == Some(1) && text(&output.stderr).contains("found no asset"));
    // Wrong arguments have another exit status.
    assert_eq!(rezkit(&["infos"]).status.code(), Some(2));
    assert_eq!(rezkit(&["info"]).status.code(), Some(2));
    assert!(rezkit(&["--help"]).status.success());
}

#[test]
fn folders_archives_and_streams() {
    let folder = Folder::new();
    let mesh = fs::read(fixture("rbxmesh/v2_00.mesh")).expect("there");
    let model = fs::read(fixture("rbxbinary/model.rbxm")).expect("there");
    fs::create_dir(folder.path("below")).expect("made");
    fs::write(folder.path("below/a.mesh"), &mesh).expect("written");
    fs::write(folder.path("below/notes.txt"), "nothing of the kind").expect("written");
    fs::write(folder.path("skip.mesh"), &mesh).expect("written");
    // Two documents in one file, one after the other.
    fs::write(folder.path("two.rbxm"), [&model[..], &model].concat()).expect("written");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &mesh).expect("compressed");
    let gzip = gzip.finish().expect("compressed");
    fs::write(folder.path("b.mesh.gz"), &gzip).expect("written");
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.path("c.zip")).expect("made"));
    for (name, bytes) in [("in/d.rbxm", &model), ("in/read.me", &b"text".to_vec()), ("e.mesh.gz", &gzip)] {
        let options: zip::write::FileOptions<'_, '_, ()> = zip::write::FileOptions::default();
        zip.start_file(name, options).expect("started");
        std::io::Write::write_all(&mut zip, bytes).expect("written");
    }
    zip.finish().expect("written");
    // Paths are printed with `/` on every system.
    let here = folder.path("");
    let output = rezkit(&["info", "--json", "--exclude", "skip*", &here]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = json_lines(&output.stdout);
    let names: Vec<_> = lines
        .iter()
        .map(|line| line["path"].as_str().expect("a path").strip_prefix(&here).expect("below"))
        .collect();
    assert_eq!(
        names,
        ["b.mesh.gz", "below/a.mesh", "c.zip/in/d.rbxm", "c.zip/e.mesh.gz", "two.rbxm#1", "two.rbxm#2"]
    );
    // Decompressed bytes count against the limit.
    let limit = (mesh.len() - 1).to_string();
    let output = rezkit(&["info", "--max-bytes", &limit, &folder.path("b.mesh.gz")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("\n  help: use --max-bytes to raise the limit\n"),
        "{}",
        text(&output.stderr)
    );
}

/// Scripts can share one source: no more is printed about a small file than the limit for reading allows.
#[test]
fn what_is_printed_ends_at_the_limit() {
    use base64::Engine as _;
    let folder = Folder::new();
    let document = |line: &str| {
        let script = "<Item class=\"Script\"><Properties><SharedString name=\"Source\">k</SharedString></Properties></Item>";
        let source = base64::prelude::BASE64_STANDARD.encode(line.repeat(1000));
        let shared =
            format!("<SharedStrings><SharedString md5=\"k\">{source}</SharedString></SharedStrings>");
        format!("<roblox version=\"4\">{}{shared}</roblox>", script.repeat(200))
    };
    let (old, new) = (folder.path("old.rbxmx"), folder.path("new.rbxmx"));
    fs::write(&old, document("print(1)\n")).expect("written");
    fs::write(&new, document("print(2)\n")).expect("written");
    for args in [
        &["get", &old, ""][..],
        &["tree", "--full", &old],
        &["diff", &old, &new],
        &["diff", "--json", &old, &new],
    ] {
        let output = rezkit(&[args, &["--max-bytes", "500000"]].concat());
        let said = text(&output.stderr);
        assert!(said.contains("the output exceeds the memory limit"), "{args:?}: {said}");
        assert!(output.stdout.len() <= 500_000, "{args:?}: {} bytes", output.stdout.len());
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {}", output.status);
    }
}

#[test]
fn tree_get_set_and_diff_of_llsd() {
    let folder = Folder::new();
    let (old, new) = (folder.path("old.json"), folder.path("new.xml"));
    let json = r#"{"name":"cube","size":{"$real":"nan"},"parts":[{"a/b":1},{"a/b":2.5}]}"#;
    fs::write(&old, json).expect("written");
    let output = rezkit(&["convert", "--to", "xml", &old, &new]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let get = |path: &str| text(&rezkit(&["get", &new, path]).stdout);
    assert_eq!((get("name").as_str(), get("parts/1/a\\/b").as_str()), ("cube", "2.5\n"));
    assert_eq!(rezkit(&["get", &new, "nothing"]).status.code(), Some(2));
    let output = rezkit(&["tree", &new]);
    assert_eq!(
        text(&output.stdout),
        "map\n  name = \"cube\" (string)\n  size = NaN (real)\n  parts (array)\n    0 (map)\n      a/b = 1 (integer)\n    \
         1 (map)\n      a/b = 2.5 (real)\n"
    );
    assert_eq!(text(&rezkit(&["tree", "--find", "A/B", &new]).stdout).lines().count(), 2);
    // In a comparison, NaN equals NaN.
    let output = rezkit(&["diff", &old, &new]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stdout));
    let output = rezkit(&["set", &new, "parts/0/a\\/b", "-7"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(rezkit(&["set", &new, "parts/0/a\\/b", "seven"]).status.code(), Some(2));
    assert_eq!(rezkit(&["set", &new, "more", "7"]).status.code(), Some(2));
    assert!(rezkit(&["set", &new, "more", "7", "--type", "real"]).status.success());
    let output = rezkit(&["diff", &old, &new]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "~ parts/0/a\\/b: 1 -> -7\n+ more (real) = 7\n");
    // An unreadable file has another exit status than a difference.
    assert_eq!(rezkit(&["diff", &old, "missing"]).status.code(), Some(2));
    // Converting back to JSON loses nothing.
    let back = folder.path("back.json");
    assert!(rezkit(&["convert", &new, &back]).status.success());
    let back: serde_json::Value = serde_json::from_slice(&fs::read(&back).expect("there")).expect("JSON");
    assert_eq!(back["size"]["$real"], "nan");
}

#[test]
fn rules_are_denied_and_allowed() {
    let file = fixture("rbxbinary/no_end.rbxm");
    let rules = json_lines(&rezkit(&["check", "--json", &file]).stdout);
    let rule = rules[0]["rule"].as_str().expect("an id");
    assert_eq!(rezkit(&["check", &file]).status.code(), Some(1));
    let output = rezkit(&["check", "--allow", "rbxbinary", &file]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stdout));
    assert!(rezkit(&["check", "--allow", "rbxbin", &file]).status.code() == Some(2), "not a whole word");
    let output = rezkit(&["check", "--sarif", &file]);
    let sarif: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], rule);
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(rules.iter().any(|known| known["id"] == rule), "{sarif}");
    assert_eq!(rezkit(&["check", "--profile", "mars", &file]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn names_cannot_forge_lines() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let value = folder.path("evil.json");
    fs::write(&value, "{\"a\\u001b[31m\\nb: error\":\"\\u001b]0;title\\u0007\"}").expect("written");
    for command in ["tree", "info", "check", "roundtrip"] {
        let output = rezkit(&[command, "--from", "json", &value]);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{7}'), "{command}: {shown:?}");
    }
    // A path with a line break, and with invalid UTF-8 if the file system permits it.
    let name: &[u8] = if cfg!(target_os = "macos") { b"a\n\x1b[2Jb.mesh" } else { b"a\xff\n\x1b[2Jb.mesh" };
    let path = folder.0.path().join(std::ffi::OsStr::from_bytes(name));
    fs::copy(fixture("rbxmesh/v2_00.mesh"), &path).expect("copied");
    let output = Command::new(env!("CARGO_BIN_EXE_rezkit")).arg("info").arg(&path).output().expect("it runs");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.lines().next().expect("a line").ends_with("\\n\\u{1b}[2Jb.mesh"), "{shown:?}");
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new();
    assert!(text(&rezkit(&["docs", "--completions", "bash"]).stdout).contains("roundtrip"));
    assert!(rezkit(&["docs", "--man", &folder.path("man")]).status.success());
    assert!(Path::new(&folder.path("man/rezkit-convert.1")).exists());
    assert_eq!(rezkit(&["docs"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_round_and_round() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let (link, target) = (folder.path("link.mesh"), folder.path("target.mesh"));
    symlink("target.mesh", &link).expect("a link");
    let mesh = fixture("rbxmesh/v2_00.mesh");
    assert!(rezkit(&["convert", &mesh, &link]).status.success());
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink() && Path::new(&target).exists());
    let (a, b) = (folder.path("a.mesh"), folder.path("b.mesh"));
    symlink("b.mesh", &a).expect("a link");
    symlink("a.mesh", &b).expect("a link");
    let output = rezkit(&["convert", &mesh, &a]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(fs::symlink_metadata(&a).expect("there").is_symlink());
    // A new file gets the default permissions, and a private file stays private.
    let other = folder.path("other");
    fs::write(&other, "").expect("written");
    let mode = |path: &str| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&target), mode(&other));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("set");
    assert!(rezkit(&["convert", "--force", &mesh, &target]).status.success());
    assert_eq!(mode(&target), 0o600);
}

#[test]
fn roblox_documents_in_both_forms() {
    let folder = Folder::new();
    let (xml, binary) = (folder.path("a.rbxlx"), folder.path("a.rbxl"));
    fs::copy(fixture("rbxxml/tree.rbxlx"), &xml).expect("copied");
    let output = rezkit(&["convert", &xml, &binary]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(rezkit(&["diff", &xml, &binary]).status.success());
    let source = fixture("rbxbinary/model.rbxm");
    let there = folder.path("model.rbxmx");
    assert!(rezkit(&["convert", &source, &there]).status.success());
    let output = rezkit(&["diff", &source, &there]);
    assert!(output.status.success(), "{}", text(&output.stdout));
    let back = folder.path("back.rbxm");
    assert!(rezkit(&["convert", &there, &back]).status.success());
    assert!(rezkit(&["diff", &source, &back]).status.success());
    // A mesh has no animation to write as a model, and a mesh cannot become a place.
    for (name, status) in [("x.rbxm", 1), ("x.rbxl", 2)] {
        let output = rezkit(&["convert", &fixture("rbxmesh/v2_00.mesh"), &folder.path(name)]);
        assert_eq!(output.status.code(), Some(status), "{}", text(&output.stderr));
    }
}

const PLACE: &str = r#"<roblox version="4">
  <Item class="Workspace" referent="W"><Properties><string name="Name">Workspace</string></Properties>
    <Item class="Part" referent="P"><Properties>
      <string name="Name">Door</string><bool name="Anchored">false</bool>
      <Vector3 name="size"><X>1</X><Y>2</Y><Z>3</Z></Vector3>
      <BinaryString name="AttributesSerialize">AQAAAAYAAABIZWFsdGgGAAAAAAAAWUA=</BinaryString>
      <BinaryString name="Tags">Q29vbABNeQ==</BinaryString>
    </Properties>
      <Item class="Script" referent="S"><Properties>
        <string name="Name">Open</string>
        <ProtectedString name="Source"><![CDATA[require(12345)
local image = "rbxassetid://678"]]></ProtectedString></Properties></Item>
    </Item>
    <Item class="Decal" referent="D"><Properties>
      <string name="Name">Face</string>
      <Content name="Texture"><url>rbxassetid://678</url></Content></Properties></Item>
  </Item>
</roblox>
"#;

#[test]
fn a_place_is_looked_into_edited_and_taken_apart() {
    let folder = Folder::new();
    let place = folder.path("place.rbxlx");
    fs::write(&place, PLACE).expect("written");
    let get = |path: &str| text(&rezkit(&["get", &place, path]).stdout);
    assert_eq!(get("Workspace/Door.size"), "1, 2, 3\n");
    // The attribute is 100 as float64.
    assert_eq!(get("Workspace/Door.AttributesSerialize.Health"), "100\n");
    assert_eq!(get("Workspace/Door.Tags"), "\"Cool\", \"My\"\n");
    let set = |path: &str, value: &str| rezkit(&["set", &place, path, value]).status.code();
    assert_eq!(set("Workspace/Door.AttributesSerialize.Health", "50.5"), Some(0));
    assert_eq!(set("Workspace/Door.size", "4, 5, 6"), Some(0));
    assert_eq!(set("Workspace/Door.Anchored", "perhaps"), Some(2));
    assert_eq!(set("Workspace/Nothing.Anchored", "true"), Some(2));
    // `Size`, the name in scripts, is stored as `size`. A value that is not stored yet has a known type.
    assert_eq!(set("Workspace/Door.Size", "4, 5, 6"), Some(0));
    assert_eq!(
        (get("Workspace/Door.AttributesSerialize.Health"), get("Workspace/Door.size")),
        ("50.5\n".to_owned(), "4, 5, 6\n".to_owned())
    );
    // Only the values that were set have changed.
    let before = folder.path("before.rbxlx");
    fs::write(&before, PLACE).expect("written");
    let output = rezkit(&["diff", &before, &place]);
    assert_eq!(
        text(&output.stdout),
        "~ Workspace/Door.AttributesSerialize.Health: 100 -> 50.5\n~ Workspace/Door.size: 1, 2, 3 -> 4, 5, 6\n"
    );
    // For git: every value in full, texts line by line.
    let shown = text(&rezkit(&["tree", "--full", &place]).stdout);
    assert!(
        shown.contains("        .Source (String)\n          | require(12345)\n          | local image = "),
        "{shown}"
    );
    // Suspicious scripts.
    let output = rezkit(&["scripts", "--suspicious", "--json", &place]);
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output.stdout);
    assert_eq!(lines[0]["path"], "Workspace/Door/Open");
    assert_eq!(lines[0]["suspicious"][0]["line"], 1);
    // The assets are listed and then replaced.
    let lines = json_lines(&rezkit(&["assets", "--json", &place]).stdout);
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["asset"], "rbxassetid://678");
    assert_eq!(lines[0]["paths"].as_array().expect("paths").len(), 2);
    let map = folder.path("map.csv");
    fs::write(&map, "678,999\n5,6\n").expect("written");
    let other = folder.path("other.rbxlx");
    let output = rezkit(&["assets", "--replace", &map, &place, "-o", &other]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let wanted = fs::read_to_string(&place).expect("there").replace("rbxassetid://678", "rbxassetid://999");
    assert!(fs::read_to_string(&other).expect("there") == wanted, "exactly those");
    // Files with the names that Rojo uses.
    let out = folder.path("out");
    assert!(rezkit(&["extract", &place, "-o", &out]).status.success());
    let script =
        fs::read_to_string(Path::new(&out).join("src/Workspace/Door/Open.server.luau")).expect("a script");
    assert!(script.starts_with("require(12345)\n"), "{script}");
    let meta =
        fs::read_to_string(Path::new(&out).join("src/Workspace/Door/init.meta.json")).expect("a class");
    assert!(meta.contains("\"Part\""), "{meta}");
    let project = fs::read_to_string(Path::new(&out).join("default.project.json")).expect("a project");
    assert!(project.contains("\"$path\": \"src/Workspace\""), "{project}");
    let attributes = fs::read_to_string(Path::new(&out).join("attributes.json")).expect("attributes");
    assert!(attributes.contains("\"Health\"") && attributes.contains("50.5"), "{attributes}");
}

/// Instances of one class with different properties: the binary form stores a property for all of them or for none.
#[test]
fn what_the_other_form_cannot_represent() {
    let folder = Folder::new();
    let (place, out) = (folder.path("place.rbxmx"), folder.path("place.rbxm"));
    let item = |name: &str, more: &str| {
        format!(
            "<Item class=\"Part\"><Properties><string name=\"Name\">{name}</string>{more}</Properties></Item>"
        )
    };
    let write = |a: &str, b: &str| {
        let text = format!("<roblox version=\"4\">{}{}</roblox>", item("A", a), item("B", b));
        fs::write(&place, text).expect("written");
    };
    let convert = |more: &[&str]| {
        let output = rezkit(&[&["convert", "--force", &place, &out], more].concat());
        (output.status.code(), text(&output.stderr))
    };
    write("<bool name=\"CanCollide\">false</bool>", "");
    let (status, error) = convert(&["--fill", "none"]);
    assert!(status == Some(1) && error.contains("Part.CanCollide: no value for 1 of 2 instances"), "{error}");
    assert!(error.contains("--fill defaults"), "{error}");
    // Without the option, the default of the class is filled in, as Studio does.
    let (status, error) = convert(&[]);
    assert!(status == Some(0) && error.contains("Part.CanCollide = true for 1 instance\n"), "{error}");
    let (status, error) = convert(&["--fill", "neutral"]);
    assert!(status == Some(0) && error.contains("Part.CanCollide = true for 1 instance\n"), "{error}");
    // Zero would be wrong for this property.
    assert_eq!(text(&rezkit(&["get", &out, "B.CanCollide"]).stdout), "true\n");
    // There is no neutral value for a colour.
    write("<Color3uint8 name=\"Color3uint8\">4288914085</Color3uint8>", "");
    assert_eq!(convert(&["--fill", "neutral"]).0, Some(1));
    // All missing values are listed, each on a line.
    let names: Vec<String> = (0..40).map(|number| format!("AVeryLongNameOfAProperty{number:02}")).collect();
    let all: String = names.iter().map(|name| format!("<bool name=\"{name}\">true</bool>")).collect();
    write(&all, "");
    let (status, error) = convert(&["--fill", "none"]);
    assert_eq!(status, Some(1));
    for name in &names {
        assert!(error.contains(&format!("Part.{name}: no value for 1 of 2 instances\n")), "{name}: {error}");
    }
    // A type that the binary form does not have.
    write("<Baloney name=\"X\">1</Baloney>", "<Baloney name=\"X\">1</Baloney>");
    let (status, error) = convert(&[]);
    assert!(status == Some(1) && error.contains("Baloney"), "{error}");
    let (status, error) = convert(&["--allow-loss"]);
    assert!(status == Some(0) && error.contains("A.X"), "{error}");
}

#[test]
fn what_is_lost_between_versions_is_listed() {
    let folder = Folder::new();
    let skinned = fixture("rbxmesh/v5_00.mesh");
    let output = rezkit(&["convert", "--to", "2.00", "--allow-loss", &skinned, &folder.path("a.mesh")]);
    assert!(output.status.success() && text(&output.stderr).lines().count() > 0, "{}", text(&output.stderr));
}

/// `info` counts triangles without building them.
#[test]
fn info_takes_no_more_than_the_read() {
    let bytes = testkit::fixture("m3d", "mesh-polygons.m3d");
    let model = rezkit::read(&bytes).expect("readable");
    let taken = testkit::measure(|| {
        model.describe(&rezkit::ReadOptions::new());
    });
    assert!(taken.bytes_max < 4096, "{} bytes", taken.bytes_max);
}

/// `info` lists sizes, names and bounds.
#[test]
fn info_has_what_people_ask_for() {
    let facts = |path: &str| {
        let output = rezkit(&["info", "--json", path]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        json_lines(&output.stdout)[0]["facts"].clone()
    };
    let model = facts(&fixture("m3d/ascii-all.a3d"));
    // The scale, half the side of the model's cube, is 2.5; the corners are (0, 0, 0), (1, 0, 0) and (0, 1, 0).
    assert_eq!(model["bounds"], serde_json::json!([[0.0, 0.0, 0.0], [2.5, 2.5, 0.0]]));
    assert_eq!(model["names of bones"], serde_json::json!(["root", "arm"]));
    assert_eq!(model["names of materials"], serde_json::json!(["skin"]));
    assert_eq!(model["textures"], serde_json::json!(["skin.png"]));
    assert_eq!(model["license"], "MIT");
    let mesh = facts(&fixture("rbxmesh/v5_00.mesh"));
    assert_eq!(mesh["triangles by level"], serde_json::json!(["0: 1", "1: 1"]));
    assert_eq!(mesh["facial controls"], serde_json::json!(["c_COR", "c_CLR"]));
    let asset = facts(&fixture("slmesh/all.llmesh"));
    assert_eq!((&asset["triangles, high"], &asset["hulls"]), (&4.into(), &2.into()));
    assert_eq!(asset["names of joints"], serde_json::json!(["mPelvis", "mTorso"]));
    // A part of 4 x 2 x 1 studs, rotated by 90 degrees about y: x and z are exchanged.
    let folder = Folder::new();
    let place = folder.path("place.rbxlx");
    let part = r#"<Item class="Part"><Properties><Vector3 name="size"><X>4</X><Y>2</Y><Z>1</Z></Vector3>
        <CoordinateFrame name="CFrame"><X>10</X><Y>5</Y><Z>0</Z><R00>0</R00><R01>0</R01><R02>1</R02>
        <R10>0</R10><R11>1</R11><R12>0</R12><R20>-1</R20><R21>0</R21><R22>0</R22></CoordinateFrame>
        </Properties></Item>"#;
    fs::write(&place, PLACE.replace("</roblox>", &format!("{part}</roblox>"))).expect("written");
    let place = facts(&place);
    // The door has the size 1, 2, 3 and no CFrame: it is at the origin.
    assert_eq!(place["bounds"], serde_json::json!([[-0.5, -1.0, -2.0], [10.5, 6.0, 2.0]]));
    assert_eq!((&place["parts"], &place["scripts"], &place["animations"]), (&2.into(), &1.into(), &0.into()));
    assert_eq!(place["assets referred to"], 1);
}

#[test]
fn a_folder_is_converted_into_another() {
    let folder = Folder::new();
    let (from, to) = (folder.path("from"), folder.path("to"));
    fs::create_dir_all(Path::new(&from).join("below")).expect("made");
    for (name, path) in [
        ("below/a.mesh", "rbxmesh/v3_00.mesh"),
        ("below/b.mesh", "rbxmesh/v2_00.mesh"),
        ("below/b.m3d", "m3d/mesh-polygons.m3d"),
        ("skip.mesh", "rbxmesh/v2_00.mesh"),
    ] {
        fs::copy(fixture(path), Path::new(&from).join(name)).expect("copied");
    }
    fs::write(Path::new(&from).join("notes.txt"), "no asset").expect("written");
    assert_eq!(rezkit(&["convert", &from, &to]).status.code(), Some(2), "into what?");
    let output = rezkit(&["convert", "--to", "glb", "--exclude", "skip*", &from, &to]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    // If two outputs would have the same name, both keep the extensions of their inputs.
    let mut there: Vec<_> = fs::read_dir(Path::new(&to).join("below")).expect("made").flatten().collect();
    there.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<_> = there.iter().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["a.glb", "b.m3d.glb", "b.mesh.glb"]);
    for file in there {
        assert!(fs::read(file.path()).expect("there").starts_with(b"glTF"));
    }
    // The losses are listed below each file.
    let shown = text(&output.stdout);
    let (_, after) = shown.split_once("a.mesh -> ").expect("a line");
    assert!(after.lines().nth(1).expect("a loss").starts_with("  dropped: lods: "), "{shown}");
    // If one file fails, the others are converted, and the exit status is 1.
    fs::write(Path::new(&from).join("broken.mesh"), "version 2.00\n").expect("written");
    let back = folder.path("back");
    let output = rezkit(&["convert", "--to", "4.00", "--exclude", "*.m3d", &from, &back]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("broken.mesh: "), "{}", text(&output.stderr));
    assert!(fs::read(Path::new(&back).join("skip.mesh")).expect("there").starts_with(b"version 4.00"));
    assert!(!Path::new(&back).join("broken.mesh").exists());
}

/// In a folder, models stay models and places stay places.
#[test]
fn a_folder_of_documents_is_converted() {
    let folder = Folder::new();
    let (from, to) = (folder.path("from"), folder.path("to"));
    fs::create_dir(&from).expect("made");
    fs::copy(fixture("rbxbinary/model.rbxm"), Path::new(&from).join("model.rbxm")).expect("copied");
    fs::copy(fixture("rbxbinary/place.rbxl"), Path::new(&from).join("place.rbxl")).expect("copied");
    let output = rezkit(&["convert", "--to", "rbxmx", &from, &to]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(Path::new(&to).join("model.rbxmx").exists() && Path::new(&to).join("place.rbxlx").exists());
}

/// Files without geometry are counted, and are not failures.
#[test]
fn documents_without_geometry_are_counted() {
    let folder = Folder::new();
    let (from, to) = (folder.path("from"), folder.path("to"));
    fs::create_dir(&from).expect("made");
    let copy =
        |path: &str, name: &str| _ = fs::copy(fixture(path), Path::new(&from).join(name)).expect("copied");
    copy("rbxbinary/model.rbxm", "model.rbxm");
    copy("llsd/every_type.xml", "settings.xml");
    fs::write(Path::new(&from).join("points.obj"), "v 0 0 0\np 1\n").expect("written");
    // Nothing is converted: it is probably the wrong folder.
    let output = rezkit(&["convert", "--to", "glb", &from, &to]);
    let total = "converted: 0 (with losses: 0), without geometry: 3, failed: 0, skipped (not assets): 0\n";
    assert!(text(&output.stdout).ends_with(total), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
    copy("rbxmesh/v2_00.mesh", "mesh.mesh");
    let output = rezkit(&["convert", "--to", "glb", &from, &to]);
    let total = "converted: 1 (with losses: 0), without geometry: 3, failed: 0, skipped (not assets): 0\n";
    assert!(text(&output.stdout).ends_with(total), "{}", text(&output.stdout));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(fs::read_dir(&to).expect("made").count(), 1);
}

#[test]
fn what_platforms_demand_of_any_model() {
    let folder = Folder::new();
    let (model, scenes) = (folder.path("a.glb"), folder.path(""));
    assert!(rezkit(&["convert", &fixture("rbxmesh/v2_00.mesh"), &model]).status.success());
    // The model has no findings except those of the platform's profile.
    let output = rezkit(&["check", &model]);
    assert!(output.status.success() && output.stdout.is_empty());
    let roblox = ["check", "--json", "--profile", "roblox-upload", &model];
    let output = rezkit(&roblox);
    let lines = json_lines(&output.stdout);
    // A square of two triangles has four edges that belong to one triangle only.
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!((&lines[0]["rule"], lines.len()), (&"roblox-upload.watertight".into(), 1));
    assert_eq!(lines[0]["limit"], serde_json::json!({ "found": 4, "allowed": 0 }));
    assert_eq!(rezkit(&[&roblox[..], &["--deny", "warnings"]].concat()).status.code(), Some(1));
    let output = rezkit(&["check", "--json", "--profile", "secondlife-upload", &scenes]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", text(&output.stdout));
}

#[test]
fn pictures_in_two_formats() {
    let folder = Folder::new();
    let mesh = fixture("rbxmesh/v2_00.mesh");
    let picture = |more: &[&str], name: &str| {
        let path = folder.path(name);
        let output = rezkit(&[&["render", "--size", "32x24", "-o", &path], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read(&path).expect("written")
    };
    let frames = |bytes: &[u8]| {
        let frames = gif::DecodeOptions::new().read_info(bytes).expect("a GIF").into_iter();
        frames.filter(|frame| frame.as_ref().expect("a frame").width == 32).count()
    };
    assert_eq!(frames(&picture(&["--turntable", "5", &mesh], "a.gif")), 5);
    assert!(picture(&["--turntable", "5", &mesh], "a.png").windows(4).any(|tag| tag == b"acTL"));
    // A folder becomes a sheet of pictures, with a line of text below each.
    let from = folder.path("from");
    fs::create_dir(&from).expect("made");
    fs::copy(&mesh, Path::new(&from).join("a.mesh")).expect("copied");
    fs::copy(&mesh, Path::new(&from).join("b.mesh")).expect("copied");
    fs::write(Path::new(&from).join("notes.txt"), "no asset").expect("written");
    let sheet = rezkit::scene::images::size(&picture(&[&from], "sheet.png"));
    assert_eq!(sheet, Some((64, 24 + 16)));
    let out = folder.path("other.png");
    let complaint = |args: &[&str]| {
        let output = rezkit(&[&["render", "-o", &out], args].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = complaint(&["--turntable", "5", &from]);
    assert_eq!(code, Some(0));
    assert!(
        said.contains("--turntable is ignored") && said.contains("since they have no geometry: 1"),
        "{said}"
    );
    for (args, what) in [
        (vec!["--lod", "9", &mesh], "no level of detail 9"),
        (vec!["--assets", "missing", &mesh], "--assets missing: no such folder"),
        (vec!["--camera", "place", &mesh], "--camera place requires a camera"),
        (vec!["--zoom", "0", &mesh], "expected a number above 0"),
        (
            vec!["--size", "16384x16384", &mesh],
            "not enough memory is left for an image of 16384 x 16384 pixels",
        ),
    ] {
        let (code, said) = complaint(&args);
        assert!(code != Some(0) && said.contains(what), "{said}");
    }
}

/// A new place has its services, and a new model is empty; both have no findings. An existing file is not replaced.
#[test]
fn new_files() {
    let folder = Folder::new();
    for (name, count) in [("a.rbxl", 16), ("a.rbxlx", 16), ("a.rbxm", 0), ("a.rbxmx", 0)] {
        let path = folder.path(name);
        assert!(rezkit(&["new", &path]).status.success(), "{name}");
        let info = json_lines(&rezkit(&["info", "--json", &path]).stdout);
        assert_eq!(info[0]["facts"]["instances"].as_u64(), Some(count), "{name}: {info:?}");
        let check = rezkit(&["check", &path]);
        assert!(check.status.success() && check.stdout.is_empty(), "{name}: {}", text(&check.stdout));
        assert_eq!(rezkit(&["new", &path]).status.code(), Some(2));
        let added = rezkit(&["add", &path, "Part", "Name=Floor", "Anchored=true"]);
        assert!(added.status.success(), "{}", text(&added.stderr));
        assert_eq!(text(&rezkit(&["get", &path, "Floor.Anchored"]).stdout), "true\n");
    }
    assert_eq!(
        text(&rezkit(&["get", &folder.path("a.rbxl"), "Workspace.CurrentCamera"]).stdout),
        "Workspace/Camera\n"
    );
    assert_eq!(rezkit(&["new", &folder.path("a.glb")]).status.code(), Some(2));
}

/// In folders, hidden files and those named by a .gitignore are skipped unless options include them; named files are
/// read.
#[test]
fn hidden_and_ignored_files() {
    let folder = Folder::new();
    for name in ["a.mesh", ".git/b.mesh", ".c.mesh", "node_modules/d.mesh", "deep/e.mesh"] {
        let path = PathBuf::from(folder.path(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(fixture("rbxmesh/v2_00.mesh"), path).unwrap();
    }
    fs::write(folder.path(".gitignore"), "node_modules\n").unwrap();
    let root = folder.path("");
    let found = |more: &[&str]| {
        let output = rezkit(&[&["info", "--json", &root], more].concat());
        json_lines(&output.stdout).len()
    };
    assert_eq!([found(&[]), found(&["--no-ignore"]), found(&["--hidden"])], [2, 3, 4]);
    assert_eq!(found(&["--hidden", "--no-ignore"]), 5);
    assert_eq!(found(&["--exclude", "deep"]), 1);
    assert!(rezkit(&["info", &folder.path(".c.mesh")]).status.success());
}

/// Sizes may end in K, M or G.
#[test]
fn numbers_of_bytes() {
    let mesh = fixture("rbxmesh/v2_00.mesh");
    for (bytes, status) in [
        ("1M", 0),
        ("64k", 0),
        ("64KB", 0),
        ("1GiB", 0),
        ("65536", 0),
        ("1", 1),
        ("M", 2),
        ("1GxyzG", 2),
        ("-1", 2),
    ] {
        let output = rezkit(&["info", &format!("--max-bytes={bytes}"), &mesh]);
        assert_eq!(output.status.code(), Some(status), "{bytes}: {}", text(&output.stderr));
    }
}

/// A picture is drawn of each file in a folder and below it; a file with nothing to draw does not stop the others.
#[test]
fn pictures_of_a_folder() {
    let folder = Folder::new();
    let (input, output) = (folder.path("in"), folder.path("out"));
    fs::create_dir_all(folder.path("in/deep")).unwrap();
    for name in ["in/a.mesh", "in/deep/b.mesh", "in/c.mesh"] {
        fs::copy(fixture("rbxmesh/v2_00.mesh"), folder.path(name)).unwrap();
    }
    fs::copy(fixture("m3d/ascii-all.a3d"), folder.path("in/c.a3d")).unwrap();
    fs::write(folder.path("in/empty.rbxmx"), "<roblox version=\"4\"></roblox>").unwrap();
    let drawn = rezkit(&["render", "--size", "32x32", "--to", "png", "-o", &output, &input]);
    assert!(drawn.status.success(), "{}", text(&drawn.stderr));
    assert!(
        text(&drawn.stderr).contains("empty.rbxmx: the document has nothing visible"),
        "{}",
        text(&drawn.stderr)
    );
    for name in ["out/a.png", "out/deep/b.png", "out/c.mesh.png", "out/c.a3d.png"] {
        assert!(fs::read(folder.path(name)).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
    assert_eq!(text(&drawn.stdout).lines().count(), 4, "{}", text(&drawn.stdout));
    let again =
        rezkit(&["render", "--size", "32x32", "-o", &folder.path("out/a.png"), &folder.path("in/a.mesh")]);
    assert!(
        again.status.code() == Some(2) && text(&again.stderr).contains("already exists\n  help: use --force")
    );
}

/// A picture of one instance is not affected by distant instances.
#[test]
fn a_picture_of_an_instance() {
    let folder = Folder::new();
    let part = |name: &str, x: u32, color: u32| {
        format!(
            "<Item class=\"Part\"><Properties><string name=\"Name\">{name}</string><CoordinateFrame name=\"CFrame\"><X>{x}</X>\
             <Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21>\
             <R22>1</R22></CoordinateFrame><Vector3 name=\"size\"><X>4</X><Y>4</Y><Z>4</Z></Vector3>\
             <Color3uint8 name=\"Color3uint8\">{color}</Color3uint8></Properties></Item>"
        )
    };
    let place = folder.path("place.rbxmx");
    let (red, green) = (part("Red", 0, 0xff_ff_00_00), part("Green", 40, 0xff_00_ff_00));
    let model = format!(
        "<Item class=\"Model\"><Properties><string name=\"Name\">Car</string></Properties>{green}</Item>"
    );
    fs::write(&place, format!("<roblox version=\"4\">{red}{model}</roblox>")).unwrap();
    let middle = |look: &[&str]| {
        let picture = folder.path("a.png");
        let arguments = [&["render", "--force", "--size", "32x32", &place, "-o", &picture], look].concat();
        let output = rezkit(&arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let image = rezkit::scene::images::decode(&fs::read(&picture).unwrap(), 1 << 20).unwrap();
        let [r, g, b, _] = image.pixels()[16 * 32 + 16].map(u32::from);
        (r > 2 * g.max(b), g > 2 * r.max(b))
    };
    assert_eq!(middle(&[]), (false, false));
    assert_eq!(middle(&["--look", "Red"]), (true, false));
    assert_eq!(middle(&["--look", "Car"]), (false, true));
    let output = rezkit(&["render", &place, "-o", &folder.path("b.png"), "--look", "Bus"]);
    assert!(
        output.status.code() == Some(1)
            && text(&output.stderr).contains("--look Bus: found no instance or node")
    );
}

/// Similar losses are summed up in one line, unless `--verbose` is given.
#[test]
fn losses_are_a_summary() {
    let folder = Folder::new();
    let emitter = |n: usize| {
        format!(
            "<Item class=\"Part\"><Properties><string name=\"Name\">P{n}</string></Properties><Item class=\"Decal\"><Properties>\
             <string name=\"Name\">D</string><Content name=\"Texture\"><url>rbxassetid://{n}</url></Content></Properties></Item></Item>"
        )
    };
    let place = folder.path("place.rbxmx");
    let parts: String = (1..=30).map(emitter).collect();
    fs::write(&place, format!("<roblox version=\"4\">{parts}</roblox>")).unwrap();
    let lines = |more: &[&str]| {
        let output = rezkit(&[&["convert", "--force", &place, &folder.path("a.glb")], more].concat());
        text(&output.stderr).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let short = lines(&[]);
    assert!(short.len() <= 12, "{short:#?}");
    assert!(
        short.iter().any(|line| line.contains("rbxassetid://1 was not found (and 29 more like this)")),
        "{short:#?}"
    );
    assert!(short.last().is_some_and(|line| line.contains("--verbose")));
    assert!(lines(&["--verbose"]).iter().filter(|line| line.starts_with("missing: ")).count() == 30);
}

#[test]
fn help_comes_in_groups() {
    let output = text(&rezkit(&["render", "--help"]).stdout);
    let start = |line: &str| output.find(line).unwrap_or_else(|| panic!("{line:?} is not in {output}"));
    let own = ["\nArguments:\n", "\nOptions:\n", "  --turntable", "\nImage:\n", "  --zoom"];
    let shared = ["\nScenes:\n", "  --assets", "\nReading:\n", "  --max-bytes", "\nExamples:\n"];
    let order = own.into_iter().chain(shared).map(start).collect::<Vec<_>>();
    assert!(order.is_sorted(), "{output}");
}

/// An output is either complete or does not exist: a signal leaves no temporary files.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing() {
    for (signal, status) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        ended_by(signal, status);
    }
}

#[cfg(unix)]
fn ended_by(signal: &str, wanted: i32) {
    let folder = Folder::new();
    let (from, to) = (folder.path("from"), folder.path("to"));
    fs::create_dir(&from).expect("made");
    for number in 0..400 {
        let there = Path::new(&from).join(format!("{number}.mesh"));
        fs::copy(fixture("rbxmesh/v2_00.mesh"), there).expect("copied");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .args(["convert", "--to", "4.00", &from, &to])
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("it runs");
    // Wait for the first files.
    while !Path::new(&to).exists() {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let status = child.wait().expect("it ends");
    assert!(matches!(status.code(), Some(0)) || status.code() == Some(wanted), "{signal}: {status:?}");
    for entry in fs::read_dir(&to).expect("there").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.starts_with(".rezkit-"), "{name} is left");
        assert!(fs::read(entry.path()).expect("there").starts_with(b"version 4.00"), "{name} is not whole");
    }
}

/// `--fill defaults` uses the defaults of the classes instead of zero.
#[test]
fn defaults_are_filled_in() {
    let folder = Folder::new();
    let (place, out) = (folder.path("place.rbxmx"), folder.path("place.rbxm"));
    let item = |name: &str, more: &str| {
        format!(
            "<Item class=\"Humanoid\"><Properties><string name=\"Name\">{name}</string>{more}</Properties></Item>"
        )
    };
    let (a, b) = (item("A", "<float name=\"WalkSpeed\">8</float>"), item("B", ""));
    fs::write(&place, format!("<roblox version=\"4\">{a}{b}</roblox>")).expect("written");
    let walk_speed = |fill: &str| {
        let output = rezkit(&["convert", "--force", "--fill", fill, &place, &out]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("Humanoid.WalkSpeed"), "{}", text(&output.stderr));
        ["A", "B"].map(|name| text(&rezkit(&["get", &out, &format!("{name}.WalkSpeed")]).stdout))
    };
    assert_eq!(walk_speed("neutral"), ["8\n", "0\n"]);
    // Roblox's default is 16.
    assert_eq!(walk_speed("defaults"), ["8\n", "16\n"]);
}

#[test]
fn errors_name_the_file() {
    let folder = Folder::new();
    let (missing, empty, zeros) = (folder.path("missing"), folder.path("empty"), folder.path("zeros"));
    fs::create_dir(&empty).expect("made");
    fs::write(&zeros, [0; 100]).expect("written");
    let out = folder.path("out");
    for (arguments, says) in [
        (&["tree", &missing][..], &format!("{missing}: ")),
        (&["get", &zeros, "a"], &format!("{zeros}: not a supported asset: only zero bytes")),
        (&["set", &zeros, "a", "b"], &format!("{zeros}: not a supported asset")),
        (&["extract", &zeros, "-o", &out], &format!("{zeros}: not a supported asset")),
        (&["diff", &zeros, &missing], &format!("{zeros}: not a supported asset")),
        (&["render", &empty, "-o", &out], &format!("{empty}: found no asset")),
    ] {
        let output = rezkit(arguments);
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        let error = text(&output.stderr);
        assert!(error.starts_with(&format!("error: {says}")), "{arguments:?}: {error}");
    }
    assert!(!Path::new(&out).exists());
}

/// If the output is not a terminal, its abilities are not queried.
#[test]
fn what_is_shown_in_a_file_is_blocks_of_colour() {
    let output = rezkit(&["show", "--size", "16x16", &fixture("rbxmesh/v2_00.mesh")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    assert!(shown.contains('\u{2580}') && !shown.contains("\u{1b}_G"), "{shown:?}");
}

/// `show` draws every file of a folder that can be drawn, each below its name.
#[test]
fn folders_are_shown() {
    let folder = Folder::new();
    for name in ["a.mesh", "b.mesh"] {
        fs::copy(fixture("rbxmesh/v2_00.mesh"), folder.path(name)).expect("copied");
    }
    fs::write(folder.path("c.json"), "{}").expect("written");
    let output = rezkit(&["show", "--size", "16x16", &folder.path("")]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    let names: Vec<&str> =
        shown.lines().filter(|line| line.ends_with(".mesh") || line.ends_with(".json")).collect();
    assert_eq!(names, [folder.path("a.mesh"), folder.path("b.mesh")]);
}

/// The help lists all exit statuses, and examples for every command.
#[test]
fn help_has_statuses_and_examples() {
    let help = text(&rezkit(&["--help"]).stdout);
    assert!(
        help.contains("129, 130, 143  a signal (hang-up, Ctrl+C, termination) ended the command"),
        "{help}"
    );
    let page = text(&rezkit(&["docs", "--commands"]).stdout);
    for section in page.split("\n## ").skip(1) {
        let (name, help) = section.split_once('\n').expect("a help");
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{section}"));
        assert!(examples.contains(&format!("rezkit {name} ")), "{section}");
    }
}

/// A single asset (`.llmesh`) and an upload (`.slm`), which also has the upload's data, convert into each other by
/// extension.
#[test]
fn assets_and_uploads_of_second_life_become_each_other() {
    let folder = Folder::new();
    let (asset, upload, back) = (fixture("slmesh/all.llmesh"), folder.path("a.slm"), folder.path("b.llmesh"));
    assert!(rezkit(&["convert", &asset, &upload]).status.success());
    let output = rezkit(&["convert", "--allow-loss", &upload, &back]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let version = |path: &str| json_lines(&rezkit(&["info", "--json", path]).stdout)[0]["version"].clone();
    assert_ne!(version(&upload), version(&asset));
    assert_eq!(version(&back), version(&asset));
    assert_ne!(fs::read(&upload).expect("written"), fs::read(&asset).expect("there"));
    // A scene can become an upload as well.
    let (glb, scene) = (folder.path("c.glb"), folder.path("c.slm"));
    assert!(rezkit(&["convert", &fixture("rbxmesh/v2_00.mesh"), &glb]).status.success());
    assert!(rezkit(&["convert", &glb, &scene]).status.success());
    assert_eq!(version(&scene), version(&upload));
}

/// Each rule is listed once, with its source. SARIF lists all rules, whatever was found.
#[test]
fn rules_are_listed() {
    let rules = rezkit::rules();
    let ids: std::collections::BTreeSet<&str> = rules.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), rules.len());
    for prefix in
        ["llsd", "m3d", "rbxbinary", "rbxmesh", "rbxxml", "slmesh", "rezkit", "roblox-upload", "scene"]
    {
        assert!(ids.iter().any(|id| id.split('.').next() == Some(prefix)), "{prefix}");
    }
    assert!(rules.iter().all(|rule| !rule.demands.is_empty() && !rule.source.is_empty()));
    let output = rezkit(&["check", "--sarif", &fixture("rbxbinary/no_end.rbxm")]);
    let log: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let listed = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(listed.len(), rules.len());
    let found = log["runs"][0]["results"][0]["ruleId"].as_str().expect("a rule");
    assert!(ids.contains(found), "{found}");
    let page = text(&rezkit(&["docs", "--rules"]).stdout);
    assert!(ids.iter().all(|id| page.contains(&format!("| `{id}` |"))));
    let page = text(&rezkit(&["docs", "--conversions"]).stdout);
    assert!(page.contains("| feature | mesh | m3d |") && page.contains("| tangents | kept | |"), "{page}");
}

#[test]
fn a_model_becomes_a_folder_for_an_upload_and_has_levels() {
    let folder = Folder::new();
    let model = folder.path("corner.obj");
    fs::write(&model, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        .expect("a file");
    let out = folder.path("out");
    let done = rezkit(&["sl", &model, "-o", &out]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("land impact 0.500: download"));
    for name in [
        "corner.glb",
        "corner_LOD0.glb",
        "corner_PHYS.glb",
        "corner.llmesh",
        "pictures/high.png",
        "report.html",
    ] {
        assert!(fs::metadata(format!("{out}/{name}")).is_ok_and(|file| file.len() > 0), "{name}");
    }
    // Existing files are not overwritten.
    assert_eq!(rezkit(&["sl", &model, "-o", &out]).status.code(), Some(2));
    let info = text(&rezkit(&["info", &format!("{out}/corner.llmesh")]).stdout);
    assert!(info.contains("land impact") && info.contains("at 1.000 x 1.000 x 1.000 m"), "{info}");
    let mesh = folder.path("corner.mesh");
    // A flat square of eight triangles can be reduced to two.
    let square = folder.path("square.obj");
    let points = (0..9).map(|at| format!("v {} {} 0\n", at % 3, at / 3)).collect::<String>();
    let sides = [1, 2, 4, 5].map(|at| format!("f {at} {} {} {}\n", at + 1, at + 4, at + 3)).concat();
    fs::write(&square, points + &sides).expect("a file");
    let done = rezkit(&["lods", &square, "-o", &mesh, "--to", "7.00", "--levels", "6,2"]);
    assert!(
        text(&done.stdout).contains("8, 6, 2 triangles"),
        "{} {}",
        text(&done.stdout),
        text(&done.stderr)
    );
    assert!(text(&rezkit(&["info", &mesh]).stdout).contains("0: 8, 1: 6, 2: 2"));
    for (name, levels) in [("x.stl", "2"), ("x.m3d", "2"), ("x.llmesh", "4,3,2,1")] {
        let done = rezkit(&["lods", &square, "-o", &folder.path(name), "--levels", levels]);
        assert_eq!(done.status.code(), Some(2), "{name}");
    }
    let done = rezkit(&["lods", &mesh, "-o", &folder.path("again.mesh")]);
    let lost = text(&done.stderr);
    assert!(lost.contains("2 of 3 levels of detail") && !lost.contains("--all-levels"), "{lost}");
    for options in [&["--all-levels"][..], &["--lod", "0"], &["--assets", "."], &["--unions", "box"]] {
        let without = rezkit(&[&["check", &mesh], options].concat());
        assert_eq!(without.status.code(), Some(2), "{options:?}");
    }
}

/// If an edit cannot be made in the text, here because of two equal keys, the loss of comments is listed.
#[test]
fn an_edit_that_drops_comments_is_listed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("twice.xml");
    std::fs::write(
        &file,
        "<llsd><map><!--c--><key>a</key><undef/><key>a</key><integer>1</integer></map></llsd>",
    )
    .unwrap();
    let output = rezkit(&["set", file.to_str().unwrap(), "b", "2", "--type", "integer"]);
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("comments, white space and the original spelling"), "{said}");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(!written.contains("<!--c-->") && written.contains("<key>b</key>"), "{written}");
}

/// The format of a file that is only read as a scene is known, but there is no round trip to grade.
#[test]
fn roundtrip_knows_scenes() {
    let folder = Folder::new();
    let path = folder.path("t.off");
    fs::write(&path, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").expect("a file");
    let output = rezkit(&["roundtrip", "--json", &path]);
    assert_eq!(output.status.code(), Some(1));
    let line = &json_lines(&output.stdout)[0];
    assert_eq!((&line["format"], &line["grade"]), (&"off".into(), &"unknown".into()));
    assert_eq!(
        line["error"],
        "not checked, since rezkit converts files of this format, but does not preserve them exactly"
    );
    let output = rezkit(&["roundtrip", &path]);
    assert!(
        text(&output.stdout).ends_with(
            "t.off: off: not checked, since rezkit converts files of this format, but does not preserve them exactly\n"
        ),
        "{}",
        text(&output.stdout)
    );
}
