//! The commands of the front page print the output that it shows.

use super::run::{Folder, ROOT};

fn page() -> String {
    std::fs::read_to_string(format!("{ROOT}/README.md")).expect("a page")
}

use rezkit::Options as _;

#[test]
fn the_front_page_is_what_the_program_prints() {
    let page = page();
    assert!(page.lines().count() <= 120, "the front page is short");
    let folder = Folder::new(&[]);
    let (_, block) = page.split_once("```console\n").expect("commands");
    let (block, _) = block.split_once("```\n").expect("their end");
    let mut ran = 0;
    for command in block.split("$ rezkit ").skip(1) {
        let (arguments, shown) = command.split_once('\n').expect("a line");
        let is_file = |path: &&str| std::path::Path::new(ROOT).join(path).is_file();
        arguments.split(' ').filter(is_file).for_each(|path| folder.copy(path, path));
        let output = folder.run(arguments);
        assert_eq!((&*output.err, &*output.out), ("", shown), "{arguments}");
        ran += 1;
    }
    assert_eq!(ran, 4);
    assert!(folder.read("cottage.glb").starts_with(b"glTF"));
}

/// The picture of the front page is the one that its command draws.
#[test]
fn the_picture_of_the_front_page_is_drawn_by_its_command() {
    let page = page();
    let (_, command) = page.split_once("`rezkit render ").expect("a command");
    let (command, _) = command.split_once('`').expect("its end");
    let folder = Folder::new(&[]);
    folder.copy("docs/pictures/island.rbxlx", "docs/pictures/island.rbxlx");
    folder.ok(&format!("render {command}"));
    let shown = std::fs::read(format!("{ROOT}/docs/pictures/island.png")).expect("a picture");
    let [drawn, shown] = [folder.read("island.png"), shown]
        .map(|picture| rezkit::scene::images::decode(&picture, 1 << 24).expect("a picture"));
    let differs = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 8);
    let off = drawn.pixels().iter().zip(shown.pixels()).filter(differs).count();
    assert!(drawn.pixels().len() == shown.pixels().len() && off < 500, "{off} pixels differ");
}

/// The types for Python and TypeScript list every kind of error, and no others except `crash` of the web page.
#[test]
fn the_bindings_have_every_kind_of_error() {
    let bindings = std::path::Path::new(ROOT).join("bindings");
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
    let bindings = std::path::Path::new(ROOT).join("bindings");
    for (file, starts, end, colon, own) in [
        (
            "python/python/rezkit/_rezkit.pyi",
            &["def convert("][..],
            ") ->",
            ": ",
            &["x", "to", "name", "files", "max_bytes", "form", "deny", "allow", "progress"][..],
        ),
        (
            "web/package/index.d.ts",
            &["export interface SceneOptions {", "export interface ConvertOptions extends SceneOptions {"],
            "\n}",
            "?: ",
            &["name", "deny", "allow"],
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
        let found: Vec<_> =
            found.iter().map(|name| rezkit::ConvertOptions::find(name).expect(name).name).collect();
        let missing: Vec<_> =
            rezkit::SETTINGS.iter().map(|row| row.name).filter(|name| !found.contains(name)).collect();
        assert!(missing.is_empty(), "{file}: {missing:?}");
    }
}

/// No command is missing on the front page, or in the README of the tool.
#[test]
fn the_front_pages_name_every_command() {
    let commands = Folder::new(&[]).ok("docs --commands");
    let commands: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert!(commands.len() > 25, "{commands:?}");
    for path in ["README.md", "crates/rezkit-cli/README.md"] {
        let page = std::fs::read_to_string(format!("{ROOT}/{path}")).expect("a page");
        for command in commands.iter().map(|command| command.split(' ').next_back().unwrap_or_default()) {
            let is_named =
                page.contains(&format!("`{command}`")) || page.contains(&format!("$ rezkit {command} "));
            assert!(is_named, "{path} does not name {command}");
        }
    }
}
