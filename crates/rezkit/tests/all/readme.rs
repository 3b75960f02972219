//! The commands of the front page print the output that it shows.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_front_page_is_what_the_program_prints() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = fs::read_to_string(root.join("README.md")).expect("a page");
    assert!(page.lines().count() <= 120, "the front page is short");
    let folder = tempfile::tempdir().expect("a folder");
    let (_, block) = page.split_once("```console\n").expect("commands");
    let (block, _) = block.split_once("```\n").expect("their end");
    let mut ran = 0;
    for command in block.split("$ rezkit ").skip(1) {
        let (arguments, shown) = command.split_once('\n').expect("a line");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        for path in arguments.iter().filter(|path| root.join(path).is_file()) {
            let copy = folder.path().join(path);
            fs::create_dir_all(copy.parent().expect("a folder")).expect("a folder");
            fs::copy(root.join(path), copy).expect("copied");
        }
        let output = Command::new(env!("CARGO_BIN_EXE_rezkit"))
            .args(&arguments)
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        assert!(output.stderr.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), shown, "{arguments:?}");
        ran += 1;
    }
    assert_eq!(ran, 4);
    assert!(fs::read(folder.path().join("cottage.glb")).expect("written").starts_with(b"glTF"));
}

/// The picture of the front page is the one that its command draws.
#[cfg(feature = "render")]
#[test]
fn the_picture_of_the_front_page_is_drawn_by_its_command() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let page = fs::read_to_string(root.join("README.md")).expect("a page");
    let (_, command) = page.split_once("`rezkit render ").expect("a command");
    let (command, _) = command.split_once('`').expect("its end");
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("island.png").to_string_lossy().into_owned();
    let arguments = command.split(' ').map(|word| if word == "island.png" { &*picture } else { word });
    let output = Command::new(env!("CARGO_BIN_EXE_rezkit"))
        .arg("render")
        .args(arguments)
        .current_dir(root)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [drawn, shown] = [Path::new(&picture), &root.join("docs/pictures/island.png")].map(|path| {
        rezkit::scene::images::decode(&fs::read(path).expect("a picture"), 1 << 24).expect("a picture")
    });
    let differs = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    let off = drawn.pixels().iter().zip(shown.pixels()).filter(differs).count();
    assert!(drawn.pixels().len() == shown.pixels().len() && off < 500, "{off} pixels differ");
}

/// The types for Python and TypeScript list every kind of error, and no others except `crash` of the web page.
#[test]
fn the_bindings_have_every_kind_of_error() {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings");
    let wanted: Vec<_> = rezkit::ErrorKind::ALL.iter().map(|kind| kind.as_str()).collect();
    for (file, start, end, more) in [
        ("python/python/rezkit/_types.py", "_ErrorKind = Literal[", "]", None),
        ("web/package/index.d.ts", "export type ErrorKind =", ";", Some("crash")),
    ] {
        let text = std::fs::read_to_string(bindings.join(file)).expect("a file");
        let (_, kinds) = text.split_once(start).expect("the type");
        let (kinds, _) = kinds.split_once(end).expect("its end");
        let kinds: Vec<_> = kinds.split('"').skip(1).step_by(2).collect();
        let wanted: Vec<_> = wanted.iter().copied().chain(more).collect();
        assert_eq!(kinds, wanted, "{file}");
        let documented = |kind: &&str| text.contains(&format!("`{kind}`"));
        assert!(wanted.iter().all(documented), "{file}");
    }
}

/// The types for Python and TypeScript list every option of conversions, and no others.
#[test]
fn the_bindings_have_every_option() {
    let bindings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bindings");
    for (file, starts, end, colon, own) in [
        (
            "python/python/rezkit/_rezkit.pyi",
            &["def convert("][..],
            ") ->",
            ": ",
            &["x", "to", "name", "files"][..],
        ),
        (
            "web/package/index.d.ts",
            &["export interface SceneOptions {", "export interface ConvertOptions extends SceneOptions {"],
            "\n}",
            "?: ",
            &["name"],
        ),
    ] {
        let text = std::fs::read_to_string(bindings.join(file)).expect("a file");
        let mut found: Vec<String> = Vec::new();
        for start in starts {
            let (_, options) = text.split_once(start).expect("the options");
            let lines = options.split_once(end).expect("their end").0.lines();
            found.extend(lines.filter_map(|line| Some(line.split_once(colon)?.0.trim().to_owned())));
        }
        found.retain(|name| !own.contains(&name.as_str()) && !name.contains(['*', '/', ' ']));
        let found: Vec<_> = found.iter().map(|name| rezkit::Setting::find(name).expect(name).name).collect();
        let missing: Vec<_> =
            rezkit::SETTINGS.iter().map(|row| row.name).filter(|name| !found.contains(name)).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}
