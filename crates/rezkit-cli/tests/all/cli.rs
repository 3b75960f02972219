//! The program as it is run: the files that it writes, and those that it does not change. What it prints is in
//! `tests/cmd`.

use std::fs;
use std::process::Stdio;

use super::run::Folder;
use super::xml::{SHARED_SCRIPT, document, item, sized, with_shared};

const MESH: &str = "rbxmesh/v2_00.mesh";

/// JSON has a line for each finding, up to the limit, after which one has the number of all others.
#[test]
fn check_lists_every_place() {
    let parts: String =
        (0..150).map(|n| item("Part", &format!("P{n}"), "<bool name=\"Ancored\">true</bool>", "")).collect();
    let folder = Folder::new(&[("150.rbxmx", &document(&parts))]);
    let json = folder.run("check --json --allow rbxxml.referents-missing 150.rbxmx").json();
    let counts: Vec<_> = json.iter().map(|line| line["count"].as_u64().expect("a number")).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>(), counts[98]), (100, 150, 1));
}

#[test]
fn converting_without_a_form_changes_nothing() {
    for fixture in [
        MESH,
        "rbxbinary/types.rbxm",
        "rbxxml/tree.rbxlx",
        "m3d/mesh-polygons.m3d",
        "slmesh/all.llmesh",
        "slmesh/upload.slm",
        "llsd/nested.bin",
    ] {
        let folder = Folder::with(&[fixture]);
        let name = folder.names("").remove(0);
        folder.ok(&format!("convert {name} copy-{name}"));
        assert!(folder.read(&name) == folder.read(&format!("copy-{name}")), "{name}");
        assert_eq!(folder.names("").len(), 2, "nothing else is left");
    }
}

/// The extension of the output or `--to` selects the form; if they disagree, nothing is written.
#[test]
fn forms() {
    for (input, output, to, begin) in [
        (MESH, "a.mesh", "--to 7.00", "version 7.00"),
        (MESH, "a.GLB", "", "glTF"),
        (MESH, "a.MESH", "", "version 2.00"),
        ("llsd/nested.bin", "a.xml", "--to xml", "<?"),
        ("llsd/nested.bin", "a.XML", "", "<"),
        ("llsd/nested.bin", "a.txt", "--to notation", "<? llsd/notation"),
        ("llsd/every_type.bin", "a.json", "", "{"),
        ("m3d/ascii-all.a3d", "a.m3d", "", "3DMO"),
        ("m3d/raw.m3d", "a.a3d", "", "3dmodel"),
        ("rbxxml/tree.rbxlx", "a.RBXLX", "", "<roblox"),
        ("rbxxml/tree.rbxlx", "a.RBXL", "", "<roblox!"),
        ("rbxbinary/model.rbxm", "a.rbxm", "--to zstd", "<roblox!"),
    ] {
        let folder = Folder::with(&[input]);
        let name = folder.names("").remove(0);
        folder.ok(&format!("convert {to} {name} {output}"));
        assert!(folder.read(output).trim_ascii_start().starts_with(begin.as_bytes()), "{output}");
        folder.ok(&format!("info {output}"));
    }
    for (input, output, to) in [
        (MESH, "a.gltf", "glb"),
        (MESH, "a.glb", "obj"),
        ("llsd/nested.bin", "a.json", "xml"),
        ("llsd/nested.bin", "a.xml", "json"),
        ("rbxxml/tree.rbxlx", "a.rbxlx", "rbxm"),
    ] {
        let folder = Folder::with(&[input]);
        let name = folder.names("").remove(0);
        folder.fails(&format!("convert {name} {output} --to {to}"), 2);
        assert_eq!(folder.names(""), [name]);
    }
}

#[test]
fn what_fails_leaves_what_was_there() {
    let folder = Folder::with(&["rbxmesh/v5_00.mesh"]);
    folder.write("head.mesh", "what was there");
    // Version 2.00 cannot store a skin.
    folder.fails("convert --force --to 2.00 v5_00.mesh head.mesh", 1);
    assert_eq!(folder.read("head.mesh"), b"what was there");
    assert_eq!(folder.names("").len(), 2, "and nothing beside it");
    folder.ok("convert --force --to 2.00 --allow-loss v5_00.mesh head.mesh");
    assert!(folder.read("head.mesh").starts_with(b"version 2.00"));
    assert_eq!(folder.names("").len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    if std::path::Path::new("/dev/full").exists() {
        assert!(Folder::with(&[MESH]).fails("convert v2_00.mesh /dev/full", 1).starts_with("error: "));
        assert!(std::path::Path::new("/dev/full").exists());
    }
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::with(&[MESH]);
    let mode = |name: &str| fs::metadata(folder.path(name)).expect("there").permissions().mode() & 0o777;
    let set = |name: &str, mode| {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).expect("set");
    };
    let link = |to: &str, name: &str| symlink(to, folder.path(name)).expect("a link");
    let is_link = |name: &str| fs::symlink_metadata(folder.path(name)).expect("there").is_symlink();
    folder.write("file.mesh", "old");
    set("file.mesh", 0o640);
    link("file.mesh", "link.mesh");
    folder.fails("convert v2_00.mesh link.mesh", 2);
    assert_eq!(folder.read("file.mesh"), b"old");
    folder.ok("convert --force v2_00.mesh link.mesh");
    assert!(is_link("link.mesh") && folder.read("file.mesh").starts_with(b"version 2.00"));
    assert_eq!(mode("file.mesh"), 0o640);
    // Links that lead nowhere, and in a circle.
    link("target.mesh", "nowhere.mesh");
    folder.ok("convert v2_00.mesh nowhere.mesh");
    assert!(is_link("nowhere.mesh") && folder.path("target.mesh").exists());
    link("b.mesh", "a.mesh");
    link("a.mesh", "b.mesh");
    folder.fails("convert v2_00.mesh a.mesh", 1);
    assert!(is_link("a.mesh"));
    // A new file gets the default permissions, and a private file stays private.
    folder.write("other", "");
    assert_eq!(mode("target.mesh"), mode("other"));
    set("target.mesh", 0o600);
    folder.ok("convert --force v2_00.mesh target.mesh");
    assert_eq!(mode("target.mesh"), 0o600);
}

#[test]
fn folders_archives_and_streams() {
    let [mesh, model] = [("rbxmesh", "v2_00.mesh"), ("rbxbinary", "model.rbxm")]
        .map(|(format, name)| testkit::fixture(format, name));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &mesh).expect("compressed");
    let gzip = gzip.finish().expect("compressed");
    let zip = super::limits::zip(&[
        ("in/d.rbxm", &model),
        ("in/read.me", b"text"),
        ("in/f.json", b"{\"$uri\": \"x\"}"),
        ("e.mesh.gz", &gzip),
    ]);
    // Two documents in one file, one after the other.
    let two = [&model[..], &model].concat();
    let folder = Folder::new(&[
        ("in/below/a.mesh", &mesh),
        ("in/below/notes.txt", b"nothing of the kind"),
        ("in/skip.mesh", &mesh),
        ("in/two.rbxm", &two),
        ("in/b.mesh.gz", &gzip),
        ("in/c.zip", &zip),
    ]);
    // Paths are printed with `/` on every system.
    let lines = folder.run("info --json --exclude skip* in").json();
    let names: Vec<_> =
        lines.iter().map(|line| line["path"].as_str().and_then(|path| path.strip_prefix("in/"))).collect();
    let expected = [
        "b.mesh.gz",
        "below/a.mesh",
        "c.zip/in/d.rbxm",
        "c.zip/in/f.json",
        "c.zip/e.mesh.gz",
        "two.rbxm#1",
        "two.rbxm#2",
    ];
    assert_eq!(names, expected.map(Some));
    // The assets of an archive in a folder are converted as those of the archive alone.
    let ran = folder.run("convert --to glb --exclude two* in out");
    assert!(ran.out.contains("failed: 0"), "{ran:?}");
    for name in ["out/c/e.mesh.glb", "out/below/a.glb", "out/b.mesh.glb"] {
        assert!(folder.path(name).exists(), "{name}: {ran:?}");
    }
    // Decompressed bytes count against the limit.
    let error = folder.fails(&format!("info --max-bytes {} in/b.mesh.gz", mesh.len() - 1), 1);
    assert!(error.contains("\n  help: use --max-bytes to raise the limit\n"), "{error}");
}

/// Scripts can share one source, which is printed for each; but no more than the limit for reading allows.
#[test]
fn what_is_printed_ends_at_the_limit() {
    let document = |line: &str| with_shared(&SHARED_SCRIPT.repeat(200), line.repeat(1000));
    let folder =
        Folder::new(&[("old.rbxmx", &document("print(1)\n")), ("new.rbxmx", &document("print(2)\n"))]);
    for arguments in [
        &["get", "old.rbxmx", ""][..],
        &["tree", "--full", "old.rbxmx"],
        &["diff", "old.rbxmx", "new.rbxmx"],
        &["diff", "--json", "old.rbxmx", "new.rbxmx"],
    ] {
        let ran = folder.args(&[arguments, &["--max-bytes", "500000"]].concat());
        let is_limit =
            ["the output exceeds the memory limit", "not enough memory is left for the differences"];
        assert!(is_limit.iter().any(|what| ran.err.contains(what)), "{arguments:?}: {}", ran.err);
        assert!(ran.bytes.len() <= 500_000, "{arguments:?}: {} bytes", ran.bytes.len());
        assert!(matches!(ran.status, Some(1 | 2)), "{arguments:?}: {:?}", ran.status);
    }
    assert!(folder.ok("tree --full old.rbxmx").len() > 200 * 9 * 1000);
}

#[cfg(unix)]
#[test]
fn names_cannot_forge_lines() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new(&[("evil.json", b"{\"a\\u001b[31m\\nb: error\":\"\\u001b]0;title\\u0007\"}")]);
    for command in ["tree", "info", "check", "roundtrip"] {
        let ran = folder.run(&format!("{command} --from json evil.json"));
        assert!(!(ran.out.clone() + &ran.err).contains(['\u{1b}', '\u{7}']), "{command}: {ran:?}");
    }
    // A path with a line break, and with invalid UTF-8 if the file system permits it.
    let name: &[u8] = if cfg!(target_os = "macos") { b"a\n\x1b[2Jb.mesh" } else { b"a\xff\n\x1b[2Jb.mesh" };
    let name = std::ffi::OsStr::from_bytes(name);
    fs::write(folder.path("").join(name), testkit::fixture("rbxmesh", "v2_00.mesh")).expect("written");
    let output = folder.command().arg("info").arg(name).output().expect("it runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.lines().next().expect("a line").ends_with("\\n\\u{1b}[2Jb.mesh"), "{shown:?}");
}

#[test]
fn completions_and_manual_pages() {
    let folder = Folder::new(&[]);
    assert!(folder.ok("docs --completions bash").contains("roundtrip"));
    folder.ok("docs --man man");
    assert!(folder.path("man/rezkit-convert.1").exists());
}

/// Exactly the ids of the table are replaced.
#[test]
fn assets_are_replaced() {
    let folder = Folder::new(&[("map.csv", b"678,999\n5,6\n")]);
    folder.copy("house.rbxlx", "crates/rezkit-cli/tests/cmd/in/house.rbxlx");
    folder.ok("assets --replace map.csv house.rbxlx -o other.rbxlx");
    let wanted = folder.text("house.rbxlx").replace("rbxassetid://678", "rbxassetid://999");
    assert!(folder.text("other.rbxlx") == wanted);
}

/// `info` counts triangles without building them.
#[test]
fn info_takes_no_more_than_the_read() {
    let model = crate::open(testkit::fixture("m3d", "mesh-polygons.m3d"), "a.m3d");
    let taken = testkit::measure(|| _ = model.info());
    assert!(taken.bytes_max < 4096, "{} bytes", taken.bytes_max);
}

/// If two outputs would have the same name, both keep the extensions of their inputs. Models stay models and places
/// places. If one file fails, the others are converted.
#[test]
fn a_folder_is_converted_into_another() {
    let folder = Folder::new(&[("from/notes.txt", b"no asset"), ("from/broken.mesh", b"version 2.00\n")]);
    for (name, from) in [
        ("below/a.mesh", "rbxmesh/v3_00.mesh"),
        ("below/b.mesh", MESH),
        ("below/b.m3d", "m3d/mesh-polygons.m3d"),
        ("documents/model.rbxm", "rbxbinary/model.rbxm"),
        ("documents/place.rbxl", "rbxbinary/place.rbxl"),
    ] {
        folder.copy(&format!("from/{name}"), &format!("fixtures/{from}"));
    }
    let ran = folder.run("convert --to glb --exclude documents from to");
    assert!(ran.status == Some(1) && ran.err.contains("broken.mesh: "), "{}", ran.err);
    assert_eq!(folder.names("to"), ["below"]);
    let made = folder.names("to/below");
    assert_eq!(made, ["a.glb", "b.m3d.glb", "b.mesh.glb"]);
    assert!(made.iter().all(|name| folder.read(&format!("to/below/{name}")).starts_with(b"glTF")));
    // The losses are listed below each file.
    let (_, after) = ran.out.split_once("a.mesh -> ").expect("a line");
    assert!(after.lines().nth(1).expect("a loss").starts_with("  dropped: lods: "), "{}", ran.out);
    folder.ok("convert --to rbxmx from/documents to/documents");
    assert_eq!(folder.names("to/documents"), ["model.rbxmx", "place.rbxlx"]);
}

#[test]
fn pictures_in_two_formats() {
    let folder = Folder::with(&[MESH]);
    folder.ok("render --size 32x24 -o a.gif --turntable 5 v2_00.mesh");
    let gif = folder.read("a.gif");
    let frames = gif::DecodeOptions::new().read_info(&*gif).expect("a GIF").into_iter();
    assert_eq!(frames.filter(|frame| frame.as_ref().expect("a frame").width == 32).count(), 5);
    folder.ok("render --size 32x24 -o a.png --turntable 5 v2_00.mesh");
    assert!(memchr::memmem::find(&folder.read("a.png"), b"acTL").is_some());
    // A folder becomes a sheet of pictures, with a line of text below each, or a folder of pictures.
    for name in ["from/a.mesh", "from/deep/b.mesh"] {
        folder.copy(name, "fixtures/rbxmesh/v2_00.mesh");
    }
    folder.write("from/notes.txt", "no asset");
    folder.ok("render --size 32x24 -o sheet.png from");
    assert_eq!(rezkit::scene::images::size(&folder.read("sheet.png")), Some((64, 24 + 16)));
    folder.ok("render --size 32x24 --to png -o out from");
    for name in ["out/a.png", "out/deep/b.png"] {
        assert_eq!(rezkit::scene::images::size(&folder.read(name)), Some((32, 24)), "{name}");
    }
}

/// `show` draws every file of a folder that can be drawn, each below its name. If the output is not a terminal, its
/// abilities are not queried.
#[test]
fn folders_are_shown_as_blocks_of_colour() {
    let folder = Folder::new(&[("in/c.json", b"{}")]);
    for name in ["in/a.mesh", "in/b.mesh"] {
        folder.copy(name, "fixtures/rbxmesh/v2_00.mesh");
    }
    let shown = folder.ok("show --size 16x16 in");
    assert!(shown.contains('\u{2580}') && !shown.contains("\u{1b}_G"), "{shown:?}");
    let names: Vec<&str> = shown.lines().filter(|line| line.starts_with("in/")).collect();
    assert_eq!(names, ["in/a.mesh", "in/b.mesh"]);
}

/// A picture of one instance is not affected by distant instances.
#[test]
fn a_picture_of_an_instance() {
    let part = |name: &str, x: f32, color: u32| {
        let color = format!("<Color3uint8 name=\"Color3uint8\">{color}</Color3uint8>");
        item("Part", name, &(sized([x, 0.0, 0.0], [4.0; 3]) + &color), "")
    };
    let car = item("Model", "Car", "", &part("Green", 40.0, 0xff_00_ff_00));
    let folder = Folder::new(&[("a.rbxmx", &document(&(part("Red", 0.0, 0xff_ff_00_00) + &car)))]);
    for (look, wanted) in [("", (false, false)), ("--look Red", (true, false)), ("--look Car", (false, true))]
    {
        folder.ok(&format!("render --force --size 32x32 a.rbxmx -o a.png {look}"));
        let image = rezkit::scene::images::decode(&folder.read("a.png"), 1 << 20).expect("a picture");
        let [r, g, b, _] = image.pixels()[16 * 32 + 16].map(u32::from);
        assert_eq!((r > 2 * g.max(b), g > 2 * r.max(b)), wanted, "{look}");
    }
}

/// `-h` lists the most important options, `--help` all of them in groups; every command has examples.
#[test]
fn help_is_short_and_long() {
    let folder = Folder::new(&[]);
    let options = |command: &str, flag: &str| -> Vec<String> {
        let text = folder.ok(&format!("{command} {flag}"));
        let names = text.lines().filter_map(|line| {
            line.trim_start().strip_prefix("--").or_else(|| line.trim_start().get(4..)?.strip_prefix("--"))
        });
        names.filter_map(|name| name.split([' ', '<']).next()).map(str::to_owned).collect()
    };
    let has = |all: &[String], name: &str| all.iter().any(|one| one == name);
    for command in ["convert", "render", "sl", "check", "info"] {
        let (short, long) = (options(command, "-h"), options(command, "--help"));
        assert!(short.len() <= 14 && short.len() < long.len(), "{command}: {short:?} {long:?}");
        assert!(short.iter().all(|option| has(&long, option)), "{command}: {short:?} {long:?}");
        assert!(!has(&short, "max-bytes") && has(&long, "max-bytes"), "{command}");
    }
    // An option that has no effect is not listed.
    assert!(!has(&options("tree", "--help"), "quiet") && has(&options("convert", "--help"), "quiet"));
    let output = folder.ok("render --help");
    let start = |line: &str| output.find(line).unwrap_or_else(|| panic!("{line:?} is not in {output}"));
    let own = ["\nArguments:\n", "\nOptions:\n", "  --turntable", "\nImage:\n", "  --zoom"];
    let shared = ["\nScenes:\n", "  --assets", "\nReading:\n", "  --max-bytes", "\nExamples:\n"];
    assert!(own.into_iter().chain(shared).map(start).is_sorted(), "{output}");
    for section in folder.ok("docs --commands").split("\n## ").skip(1) {
        let (name, help) = section.split_once('\n').expect("a help");
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{section}"));
        assert!(examples.contains(&format!("rezkit {name} ")), "{section}");
    }
}

/// An output is either complete or does not exist: a signal leaves no temporary files.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing() {
    for (signal, wanted) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let folder = Folder::new(&[]);
        for number in 0..400 {
            folder.copy(&format!("from/{number}.mesh"), "fixtures/rbxmesh/v2_00.mesh");
        }
        let mut command = folder.command();
        command.args(["convert", "--to", "4.00", "from", "to"]).stdout(Stdio::null());
        let mut child = command.spawn().expect("it runs");
        // Wait for the first files.
        while !folder.path("to").exists() {
            std::thread::yield_now();
        }
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([signal, &child.id().to_string()]).status().expect("kill runs").success());
        let status = child.wait().expect("it ends");
        assert!(matches!(status.code(), Some(0)) || status.code() == Some(wanted), "{signal}: {status:?}");
        for name in folder.names("to") {
            assert!(!name.starts_with(".rezkit-"), "{name} is left");
            assert!(folder.read(&format!("to/{name}")).starts_with(b"version 4.00"), "{name} is not whole");
        }
    }
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
    let folder = Folder::with(&["rbxbinary/no_end.rbxm"]);
    let log: serde_json::Value =
        serde_json::from_str(&folder.run("check --sarif no_end.rbxm").out).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let listed = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert_eq!(listed.len(), rules.len());
    let found = log["runs"][0]["results"][0]["ruleId"].as_str().expect("a rule");
    assert_eq!(folder.run("check --json no_end.rbxm").json()[0]["rule"], found);
    let page = folder.ok("docs --rules");
    assert!(ids.contains(found) && ids.iter().all(|id| page.contains(&format!("| `{id}` |"))));
    let page = folder.ok("docs --conversions");
    assert!(page.contains("| feature | mesh | m3d |") && page.contains("| tangents | kept | |"), "{page}");
}

/// A `package.json` is no LLSD, and not a file with a wrong name.
#[test]
fn other_json_is_no_llsd() {
    let folder = Folder::new(&[("in/package.json", br#"{"name": "x", "version": "1.0.0"}"#)]);
    let error = folder.fails("info in/package.json", 1);
    assert!(error.contains("if it is LLSD written as JSON, use `--from json`"), "{error}");
    assert!(folder.ok("info --from json in/package.json").contains("llsd json"));
    folder.copy("in/a.llsd", "crates/rezkit-cli/tests/cmd/in/list.llsd");
    assert_eq!(folder.ok("check in"), "");
}

/// In XML and notation, a finding has the line of its value.
#[test]
fn findings_in_texts_have_lines() {
    let xml = "<llsd><map>\n<key>a</key>\n<real>1</real>\n<key>b</key><array>\n<real>nan</real></array></map></llsd>";
    let folder = Folder::new(&[("a.xml", xml.as_bytes())]);
    let found = &folder.run("check --json a.xml").json()[0];
    assert_eq!((&found["path"], &found["line"]), (&"/b/0".into(), &5.into()));
    let log: serde_json::Value = serde_json::from_str(&folder.run("check --sarif a.xml").out).expect("JSON");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], 5);
}

/// Code scanning shows the log, and not the errors: a file that cannot be read is in it.
#[test]
fn unreadable_files_are_in_the_log() {
    let folder = Folder::new(&[("a.rbxmx", b"<roblox version=\"4\"><Item>"), ("b.mesh", b"version 2.00\nx")]);
    let ran = folder.run("check --sarif a.rbxmx b.mesh");
    assert_eq!(ran.status, Some(1));
    let log: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules: Vec<_> = results.iter().map(|result| (&result["ruleId"], &result["level"])).collect();
    let wanted = (&"rezkit.unreadable".into(), &"error".into());
    assert_eq!(rules, [wanted, wanted]);
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "b.mesh");
}

/// An upload has a file for each level of detail, the asset, pictures and a report. Existing files are not overwritten.
#[test]
fn a_model_becomes_a_folder_for_an_upload() {
    let folder = Folder::new(&[]);
    folder.copy("corner.obj", "crates/rezkit-cli/tests/cmd/in/corner.obj");
    folder.ok("sl corner.obj -o out");
    for name in [
        "corner.glb",
        "corner_LOD0.glb",
        "corner_PHYS.glb",
        "corner.llmesh",
        "pictures/high.png",
        "report.html",
    ] {
        assert!(!folder.read(&format!("out/{name}")).is_empty(), "{name}");
    }
    folder.fails("sl corner.obj -o out", 2);
}
