//! The commands of the front pages and of the guide print the output that is shown on the pages.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The files that the pages name, and their paths in the repository.
const FILES: [(&str, &str); 10] = [
    ("cottage.rbxmx", "docs/pictures/cottage.rbxmx"),
    ("island.rbxlx", "docs/pictures/island.rbxlx"),
    ("place.rbxlx", "docs/pictures/island.rbxlx"),
    ("wave.glb", "docs/pictures/wave.glb"),
    ("windmill.glb", "docs/pictures/windmill.glb"),
    ("party-hat.rbxmx", "docs/pictures/party-hat.rbxmx"),
    ("party-hat/101.mesh", "docs/pictures/party-hat/101.mesh"),
    ("party-hat/102.png", "docs/pictures/party-hat/102.png"),
    ("head.mesh", "fixtures/rbxmesh/v5_00.mesh"),
    ("no_end.rbxm", "fixtures/rbxbinary/no_end.rbxm"),
];

/// Runs the commands of a page in order, in one folder. Commands after `$ ` must print the text below them; those in
/// shell blocks must succeed. Returns the number of commands.
pub(crate) fn runs(page: &str, folder: &Path) -> usize {
    fs::create_dir_all(folder.join("party-hat")).expect("a folder");
    for (name, file) in FILES {
        fs::copy(Path::new(ROOT).join(file), folder.join(name)).expect("copied");
    }
    let page = fs::read_to_string(Path::new(ROOT).join(page)).expect("a page");
    let program = Path::new(env!("CARGO_BIN_EXE_rezkit")).parent().expect("a folder").display();
    let path = format!("{program}:{}", std::env::var("PATH").expect("a path"));
    let run = |command: &str| {
        let script = format!("exec 2>&1; {command}");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(folder).env("PATH", &path).env("LC_ALL", "C");
        let output = shell.output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let mut ran = 0;
    for block in page.split("\n```").skip(1).step_by(2) {
        let (kind, lines) = block.split_once('\n').unwrap_or((block, ""));
        let lines = format!("{lines}\n");
        let commands: Vec<&str> = match kind {
            "console" => lines.split("$ ").skip(1).collect(),
            "sh" => lines.lines().filter(|line| line.starts_with("rezkit ")).collect(),
            _ => Vec::new(),
        };
        for command in commands {
            let (command, shown) = command.split_once('\n').unwrap_or((command, ""));
            let (succeeded, printed) = run(command);
            match kind {
                "console" => assert_eq!(printed, shown, "{command}"),
                _ => assert!(succeeded, "{command}: {printed}"),
            }
            ran += 1;
        }
    }
    ran
}

#[test]
fn the_guide_is_what_the_program_prints() {
    for (page, commands) in [
        ("open-anything", 12),
        ("take-apart", 6),
        ("ask-and-change", 30),
        ("second-life", 7),
        ("rust", 1),
        ("model", 4),
        ("avatar", 2),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(runs(&format!("docs/guide/{page}.md"), folder.path()), commands, "{page}");
    }
}

#[test]
fn the_page_of_the_kit_is_what_the_program_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(runs("crates/rezkit-cli/README.md", folder.path()) > 7);
}
