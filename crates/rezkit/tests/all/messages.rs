//! The parts of printed messages: label, file, path and help; when colours are used; and the help texts.

#![cfg(all(feature = "cli", feature = "scene"))]

use std::fs;
use std::path::Path;
use std::process::Command;

/// The exit status, the standard output and the standard error of a command, in a folder with two files.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, file) in
        [("cottage.rbxmx", "docs/pictures/cottage.rbxmx"), ("head.mesh", "fixtures/rbxmesh/v5_00.mesh")]
    {
        fs::copy(root.join(file), folder.join(name)).expect("copied");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_rezkit"));
    let output = command.args(arguments).current_dir(folder).output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn errors(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let (status, printed, errors) = run(folder.path(), arguments);
    assert!(matches!(status, Some(1 | 2)) && printed.is_empty(), "{arguments:?}: {status:?} {printed}");
    errors
}

#[test]
fn messages_have_one_shape() {
    let refused = "error: head.mesh: version 2.00 cannot represent \
                   the coarser levels of detail (1 face, 1 vertex)\n  at lods\n  help: --allow-loss converts the file, and drops or replaces what the target format cannot represent\n";
    assert_eq!(errors(&["convert", "--to", "2.00", "head.mesh", "old.mesh"]), refused);
    assert_eq!(
        errors(&["set", "cottage.rbxmx", "Cottage/Door.Sise", "1,2,3"]),
        "error: cottage.rbxmx: property name looks like a misspelling of Size\n  at Cottage/Door.Sise\n"
    );
    assert_eq!(
        errors(&["convert", "cottage.rbxmx", "head.mesh"]).lines().last(),
        Some("  help: use --force to overwrite")
    );
    assert_eq!(
        errors(&["info", "--max-bytes", "100", "head.mesh"]),
        "error: head.mesh: the file is larger than the limit of 100 bytes\n  help: use --max-bytes to raise the \
         limit\n"
    );
}

/// The markers of an animation are lost if they exceed the memory limit, and then the option is named.
#[test]
fn losses_by_the_memory_limit_name_the_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let item = |class: &str, name: &str, properties: &str, children: &str| {
        let name = format!("<string name='Name'>{name}</string>");
        format!("<Item class='{class}'><Properties>{name}{properties}</Properties>{children}</Item>")
    };
    let keyframe = |time: u8, more: &str| {
        let frame = format!(
            "<CoordinateFrame name='CFrame'><Y>{time}</Y><R00>1</R00><R11>1</R11><R22>1</R22></CoordinateFrame>"
        );
        let lower = item("Pose", "LowerTorso", "", &item("Pose", "UpperTorso", &frame, ""));
        let pose = item("Pose", "HumanoidRootPart", "", &lower);
        item("Keyframe", "Keyframe", &format!("<float name='Time'>{time}</float>"), &(pose + more))
    };
    let markers = item("KeyframeMarker", &"M".repeat(400), "", "").repeat(2000);
    let sequence = item("KeyframeSequence", "W", "", &(keyframe(0, "") + &keyframe(1, &markers)));
    let place = format!("<roblox version='4'>{sequence}</roblox>");
    fs::write(folder.path().join("w.rbxmx"), place).expect("a file");
    let (status, _, errors) = run(folder.path(), &["convert", "--max-bytes", "6M", "w.rbxmx", "w.glb"]);
    assert_eq!(status, Some(0), "{errors}");
    assert!(errors.contains("dropped: w.rbxmx: W: not enough memory is left for the markers"), "{errors}");
    let note = "note: w.rbxmx: some content exceeds the memory limit; use --max-bytes to raise the limit";
    assert_eq!(errors.lines().last(), Some(note));
}

#[test]
fn losses_are_labelled_silenced_and_coloured() {
    let folder = tempfile::tempdir().expect("a folder");
    let convert = |more: &[&str]| {
        let arguments = [&["convert", "--force", "head.mesh", "head.glb"], more].concat();
        let (status, printed, errors) = run(folder.path(), &arguments);
        assert_eq!((status, &*printed), (Some(0), ""), "{errors}");
        errors
    };
    let first = "head.mesh: bones[1]: a name with bytes that are not UTF-8: they become U+FFFD";
    assert_eq!(convert(&[]).lines().next(), Some(&*format!("changed: {first}")));
    let second = "head.mesh: lods: 1 of 2 levels of detail (use `--all-levels` (library option: `levels`) to include them)";
    assert_eq!(convert(&[]).lines().nth(1), Some(&*format!("dropped: {second}")));
    assert_eq!(convert(&["--quiet"]), "");
    assert_eq!(convert(&["-q"]), "");
    assert_eq!(
        convert(&["--color", "always"]).lines().nth(1),
        Some(&*format!("\u{1b}[33mdropped\u{1b}[0m: {second}"))
    );
    assert_eq!(convert(&["--color", "never"]), convert(&[]));
    // The note that helps if assets are missing.
    let decal = ["edit", "cottage.rbxmx", "-o", "decal.rbxmx", "--force"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_rezkit"));
    let mut child = command
        .args(decal)
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let edits =
        b"add Decal Cottage/Door Texture=rbxassetid://12\nadd Decal Cottage/Wall Texture=rbxassetid://34\n";
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), edits).expect("written");
    assert!(child.wait().expect("an end").success());
    let (_, _, missing) = run(folder.path(), &["convert", "decal.rbxmx", "decal.glb"]);
    let note = "note: decal.rbxmx: files not found: 2; put them into the folder of the input file, or, for Roblox \
                assets, use --assets FOLDER (`rezkit assets FILE` lists their ids)\n";
    assert!(missing.starts_with(note), "{missing}");
    // `-q` does not silence errors.
    assert_eq!(
        run(folder.path(), &["get", "-q", "head.mesh", "nothing"]).2,
        "error: head.mesh: no such path: nothing\n"
    );
    let (_, _, both) = run(folder.path(), &["convert", "-q", "-v", "head.mesh", "a.glb"]);
    assert!(both.starts_with("error: the argument '--quiet' cannot be used with '--verbose'"), "{both}");
}

/// Misspelled instances, properties, edits and nodes to draw; rules, types, options and classes.
#[test]
fn misspelled_names_have_a_suggestion() {
    for (arguments, meant) in [
        (
            &["get", "cottage.rbxmx", "Cottage/Dor.Size"][..],
            "no such path: Cottage/Dor.Size; did you mean Cottage/Door.Size?",
        ),
        (&["get", "cottage.rbxmx", "game.cottage.Door.Size"], "did you mean Cottage/Door.Size?"),
        (&["get", "cottage.rbxmx", "Cottage/Door.Position"], "did you mean Cottage/Door.CFrame?"),
        (&["convert", "cottage.rbxmx", "x.notation"], "no format has the extension .notation"),
        (&["get", "cottage.rbxmx", "Cottage/Door.Transparancy"], "did you mean Cottage/Door.Transparency?"),
        (&["get", "head.mesh", "vertice/0"], "did you mean vertices/0?"),
        (&["tree", "cottage.rbxmx", "Cotage"], "did you mean Cottage?"),
        (&["remove", "cottage.rbxmx", "Cottage/Dor"], "did you mean Cottage/Door?"),
        (&["get", "cottage.rbxmx", r"Cottage/A\/B/C.Size"], r"; Cottage has no child A\/B"),
        (
            &["remove", "cottage.rbxmx", "Cottage/Door.CFrame"],
            "Cottage/Door.CFrame is the path of a property; expected the path of an instance",
        ),
        (&["set", "cottage.rbxmx", "Cottage/Dor/x.Size", "1"], "did you mean Cottage/Door/x.Size?"),
        (&["convert", "cottage.rbxmx", "a.glb", "--path", "Cottage/Dor"], "did you mean Cottage/Door?"),
        (&["set", "cottage.rbxmx", "Cottage/Door.X", "1", "--type", "int23"], "did you mean Int32?"),
        (&["check", "cottage.rbxmx", "--deny", "rbxxml.refernts"], "did you mean rbxxml.referents?"),
        (
            &["get", "cottage.rbxmx", "Cottage/Door.Attributes.X"],
            "; Cottage/Door.Attributes does not contain X\n",
        ),
        (&["set", "cottage.rbxmx", "Cottage/Door.Attributes.X", "1"], "no such attribute: X; to add"),
        (
            &["set", "cottage.rbxmx", "Cottage/Door.CFrame.X", "1"],
            "CFrame can be set only as a whole; use the path Cottage/Door.CFrame",
        ),
        (&["add", "cottage.rbxmx", "Prat"], "did you mean Part?"),
        (&["add", "cottage.rbxmx", "WegdePart"], "did you mean WedgePart?"),
        (&["convert", "cottage.rbxmx", "a.glb", "--pth", "x"], "a similar argument exists: '--path'"),
    ] {
        let errors = errors(arguments);
        assert!(errors.contains(meant), "{arguments:?}: {errors}");
    }
    // Only similar names are suggested.
    assert_eq!(
        errors(&["get", "cottage.rbxmx", "Cottage/Fountain"]),
        "error: cottage.rbxmx: no such path: Cottage/Fountain; Cottage has no child Fountain\n"
    );
    let missing = errors(&["insert", "no.rbxm", "cottage.rbxmx"]);
    assert!(missing.starts_with("error: no.rbxm: No such file or directory"), "{missing}");
    assert_eq!(
        errors(&["convert", "head.mesh", "no/a.mesh"]),
        "error: head.mesh: no/a.mesh: the output folder does not exist; create it first\n"
    );
}

/// `-h` lists the most important options, `--help` all of them.
#[test]
fn help_is_short_and_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = |command: &str, flag: &str| -> Vec<String> {
        let (_, text, _) = run(folder.path(), &[command, flag]);
        let names = text.lines().filter_map(|line| {
            line.trim_start().strip_prefix("--").or_else(|| line.trim_start().get(4..)?.strip_prefix("--"))
        });
        names.filter_map(|name| name.split([' ', '<']).next()).map(str::to_owned).collect()
    };
    for command in ["convert", "render", "sl", "check", "info"] {
        let (short, long) = (options(command, "-h"), options(command, "--help"));
        assert!(short.len() <= 14 && short.len() < long.len(), "{command}: {short:?} {long:?}");
        assert!(short.iter().all(|option| long.contains(option)), "{command}: {short:?} {long:?}");
        assert!(
            !short.contains(&"max-bytes".to_owned()) && long.contains(&"max-bytes".to_owned()),
            "{command}"
        );
    }
    // An option that has no effect is not listed.
    assert!(!options("tree", "--help").contains(&"quiet".to_owned()));
    assert!(options("convert", "--help").contains(&"quiet".to_owned()));
}

/// A path is read as `check` prints it, a list is printed as a list, and no index is ignored.
#[test]
fn values_of_llsd() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "<? llsd/notation ?>\n{'a':[i1,'t'],'b':i2}";
    fs::write(folder.path().join("a.llsd"), file).expect("written");
    let ran = |arguments: &[&str]| run(folder.path(), arguments);
    let printed = |arguments: &[&str]| ran(arguments).1;
    assert_eq!(printed(&["get", "a.llsd", "/a/0"]), "1\n");
    assert_eq!(printed(&["get", "--json", "a.llsd", ""]), "{\"a\":[1,\"t\"],\"b\":2}\n");
    for path in ["a[1]", "a/0[1]", "b[1]", "a[0"] {
        assert_eq!(ran(&["set", "a.llsd", path, "7", "--type", "integer"]).0, Some(2), "{path}");
    }
    let missing = "error: a.llsd: no such path: q; to add the key, set its type (`--type`)\n";
    assert_eq!(ran(&["set", "a.llsd", "q", "7"]).2, missing);
    let typed = "error: a.llsd: expected a value of type integer (from -2147483648 to 2147483647), found \"x\"\n  at b\n";
    assert_eq!(ran(&["set", "a.llsd", "b", "x"]).2, typed);
    assert_eq!(fs::read_to_string(folder.path().join("a.llsd")).expect("text"), file);
    // What the reader skips is listed as dropped.
    fs::write(folder.path().join("b.llsd"), "<? llsd/notation ?>\n{a:i1,'b':i2}").expect("written");
    let dropped = "dropped: b.llsd: /b: a character that is not part of a key in quotes (4 times)\n";
    assert_eq!(ran(&["convert", "b.llsd", "b.xml"]).2, dropped);
}

/// A damaged asset is an error of `check` and `roundtrip` as of `info`; levels of detail that a file lacks or that a
/// version cannot store are refused; two trees that are too deep to be compared do not count as different.
#[test]
fn nothing_is_hidden_or_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("a.rbxmx", "<!DOCTYPE x><roblox version=\"4\"></roblox>");
    write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let deep = |value: &str| format!("{}{value}{}", "<array>".repeat(1100), "</array>".repeat(1100));
    write("a.xml", &format!("<llsd>{}</llsd>", deep("<integer>1</integer>")));
    write("b.xml", &format!("<llsd>{}</llsd>", deep("<integer>2</integer>")));
    let ran = |arguments: &[&str]| run(folder.path(), arguments);
    let error = "a.rbxmx: unsupported <!DOCTYPE> declaration (remove it from the file) at line 1, column 1\n";
    for command in ["check", "info"] {
        assert_eq!(ran(&[command, "a.rbxmx"]), (Some(1), String::new(), format!("error: {error}")));
    }
    assert_eq!(ran(&["roundtrip", "a.rbxmx"]).1, format!("failed   {error}"));
    let (status, _, errors) = ran(&["lods", "a.obj", "-o", "a.mesh", "--to", "2.00"]);
    assert!(
        status == Some(2) && errors.contains("no levels of detail; use version 3.00 to 7.00"),
        "{errors}"
    );
    for arguments in ["render a.obj -o a.png --lod 2", "convert a.obj a.glb --lod 2"] {
        let (status, _, errors) = ran(&arguments.split(' ').collect::<Vec<_>>());
        assert!(status == Some(2) && errors.contains("no level of detail 2"), "{errors}");
    }
    assert_eq!(ran(&["render", "a.obj", "-o", "a.png", "--turntable", "0"]).0, Some(2));
    let (status, _, errors) = ran(&["convert", "head.mesh", "b.mesh", "--lod", "1"]);
    assert!(
        status == Some(2) && errors.contains("`--lod` (library option: `levels`) selects a level"),
        "{errors}"
    );
    let (status, _, errors) = ran(&["sl", "a.obj", "-o", "-"]);
    assert!(status == Some(2) && errors.contains("the standard output accepts only one"), "{errors}");
    let (status, _, errors) = ran(&["diff", "a.xml", "b.xml"]);
    assert!(status == Some(2) && errors.starts_with("error: "), "{status:?} {errors}");
}

#[test]
fn options_without_a_meaning_are_refused() {
    for value in ["nan", "7", "0"] {
        let says = errors(&["sl", "head.mesh", "-o", "out", "--concavity", value]);
        assert!(says.contains("error: --concavity: expected 0.001 to 1, found"), "{says}");
    }
    let says = errors(&["sl", "head.mesh", "-o", "out", "--rig", "r15"]);
    assert_eq!(says, "error: --rig applies only to animations that are read from Roblox files; remove it\n");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("a.gltf"),
        r#"{"asset": {"version": "2.0"}, "nodes": [{"name": "a"}],
        "scene": 0, "scenes": [{"nodes": [0]}]}"#,
    )
    .expect("written");
    let (status, _, says) = run(folder.path(), &["lods", "a.gltf", "-o", "b.glb"]);
    assert_eq!(status, Some(1));
    assert_eq!(says, "error: a.gltf: nothing to simplify: found no triangles\n");
    assert!(!folder.path().join("b.glb").exists());
}

/// A file with only an animation is no model to upload: the error names the command for it.
#[test]
fn an_animation_is_no_model() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("walk.bvh"), crate::every_option::BVH).expect("written");
    let (status, _, says) = run(folder.path(), &["sl", "walk.bvh", "-o", "out"]);
    assert_eq!(status, Some(1));
    let advice = "use `rezkit convert walk.bvh walk.anim`";
    assert_eq!(says, format!("error: walk.bvh: the file contains only an animation: {advice}\n"));
    assert_eq!(run(folder.path(), &["convert", "walk.bvh", "walk.anim"]).0, Some(0));
    let (status, _, says) = run(folder.path(), &["sl", "walk.anim", "-o", "out"]);
    assert_eq!(status, Some(1));
    assert!(
        says.ends_with("in a format that Second Life's viewer can upload: it needs no preparation\n"),
        "{says}"
    );
}
