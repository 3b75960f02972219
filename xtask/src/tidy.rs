//! The house rules as code.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::Arg;

use crate::formats::FORMATS;
use crate::{Outcome, root};

/// The crate whose copy of a shared file is the one to edit.
const FIRST: &str = "rbxmesh";

/// The files that are the same in every format crate.
const SHARED: [&str; 4] = ["src/error.rs", "src/limits.rs", "src/finding.rs", "src/wire/fail.rs"];

/// What every format crate has.
const ROOMS: [&str; 19] = [
    "Cargo.toml",
    "README.md",
    "CHANGELOG.md",
    "FORMAT.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
    "benches/throughput.rs",
    "examples",
    "src/check.rs",
    "src/consts.rs",
    "src/error.rs",
    "src/finding.rs",
    "src/lib.rs",
    "src/limits.rs",
    "src/options.rs",
    "tests/corpus.rs",
    "tests/hostile.rs",
    "tests/pairs.rs",
    "tests/props.rs",
];

/// What `wire` denies.
const DENIED: [&str; 6] = [
    "clippy::arithmetic_side_effects",
    "clippy::expect_used",
    "clippy::indexing_slicing",
    "clippy::panic",
    "clippy::unreachable",
    "clippy::unwrap_used",
];

/// The most lines of a source file.
const MOST_LINES: usize = 500;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut fix = false;
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("fix") => fix = true,
            other => return Err(other.unexpected().into()),
        }
    }
    if fix {
        copy_shared()?;
    }
    let mut tidy = Tidy::default();
    for format in FORMATS {
        tidy.format_crate(format.name);
    }
    tidy.licences();
    for path in tracked()? {
        tidy.file(&path);
    }
    for complaint in &tidy.complaints {
        println!("{complaint}");
    }
    match tidy.complaints.len() {
        0 => Ok(()),
        count => Err(format!("{count} complaints").into()),
    }
}

/// Copies the shared files from the first crate to the others.
fn copy_shared() -> Outcome {
    let crates = root().join("crates");
    for format in FORMATS.iter().filter(|format| format.name != FIRST) {
        for file in SHARED {
            fs::copy(crates.join(FIRST).join(file), crates.join(format.name).join(file))?;
        }
    }
    Ok(())
}

/// Every file of the repository, tracked or about to be.
fn tracked() -> Result<BTreeSet<PathBuf>, Box<dyn std::error::Error>> {
    let list = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()?;
    Ok(String::from_utf8(list.stdout)?.lines().map(PathBuf::from).collect())
}

#[derive(Default)]
struct Tidy {
    complaints: Vec<String>,
}

impl Tidy {
    fn complain(&mut self, path: impl AsRef<Path>, what: impl std::fmt::Display) {
        self.complaints.push(format!("{}: {what}", path.as_ref().display()));
    }

    fn read(&mut self, path: &Path) -> String {
        fs::read_to_string(root().join(path)).unwrap_or_else(|error| {
            self.complain(path, error);
            String::new()
        })
    }

    fn format_crate(&mut self, name: &str) {
        let folder = Path::new("crates").join(name);
        for room in ROOMS {
            if !root().join(&folder).join(room).exists() {
                self.complain(folder.join(room), "missing: every format crate has the same rooms");
            }
        }
        for file in SHARED {
            let first = self.read(&Path::new("crates").join(FIRST).join(file));
            if self.read(&folder.join(file)) != first {
                self.complain(
                    folder.join(file),
                    "differs from rbxmesh's: `cargo xtask tidy --fix` copies it",
                );
            }
        }
        let wire = self.read(&folder.join("src/wire/mod.rs"));
        for lint in DENIED {
            if !wire.contains(lint) {
                self.complain(folder.join("src/wire/mod.rs"), format!("does not deny {lint}"));
            }
        }
        let manifest = self.read(&folder.join("Cargo.toml"));
        let house = FORMATS.iter().map(|format| format.name).chain(["geom"]);
        for other in house.filter(|&other| other != name) {
            let allowed = other == "geom" || (name == "slmesh" && other == "llsd");
            let section = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
            let depends = section.is_some_and(|section| section.contains(&format!("\n{other}.workspace")));
            if depends && !allowed {
                self.complain(
                    folder.join("Cargo.toml"),
                    format!("depends on {other}: format crates stand alone"),
                );
            }
        }
    }

    fn licences(&mut self) {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let ours = self.read(Path::new(licence));
            for name in FORMATS.iter().map(|format| format.name).chain(["geom"]) {
                let path = Path::new("crates").join(name).join(licence);
                if self.read(&path) != ours {
                    self.complain(path, "differs from the workspace's");
                }
            }
        }
    }

    fn file(&mut self, path: &Path) {
        // Fixtures are bytes; files that git knows and that are gone have nothing to say.
        if path.starts_with("fixtures") || !root().join(path).is_file() {
            return;
        }
        let Ok(text) = fs::read_to_string(root().join(path)) else { return };
        let name = path.to_string_lossy();
        let source = name.ends_with(".rs") && name.contains("/src/");
        let lines = text.lines().count();
        if source && lines > MOST_LINES {
            self.complain(path, format!("{lines} lines: no file grows past {MOST_LINES}"));
        }
        // Written in two pieces, so that this file is not the first to break its own rules.
        let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
        let hosts = [concat!("crates", ".io"), concat!("docs", ".rs/"), concat!("lib", ".rs/")];
        let unfinished = [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("#[ig", "nore")];
        let lock = name.ends_with("Cargo.lock");
        for (words, what) in [
            (&machine, "a path of one machine"),
            (&hosts, "the host of a registry or of its documentation: name packages by name"),
            (&unfinished, "unfinished or switched off"),
        ] {
            for word in words.iter().filter(|word| text.contains(**word) && !lock) {
                self.complain(path, format!("{word:?}: {what}"));
            }
        }
        if name.starts_with("crates/") && source {
            self.imports(path, &name, &text);
        }
        if name.ends_with(".md") {
            self.links(path, &text);
        }
    }

    /// Who may see whom inside a crate.
    fn imports(&mut self, path: &Path, name: &str, text: &str) {
        let in_wire = name.contains("/src/wire/");
        let in_model = name.contains("/src/model");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if in_model && (line.contains("crate::wire") || line.contains("nom::")) {
                self.complain(path, format!("the model sees neither wire nor nom: {}", line.trim()));
            }
            if !in_wire && line.contains("nom::") && line.trim_start().starts_with("pub ") {
                self.complain(path, format!("nom in a public signature: {}", line.trim()));
            }
            if line.contains("#[allow(")
                && line.contains("clippy::")
                && line.contains(")]")
                && !line.contains("reason")
            {
                self.complain(path, format!("an exception without its reason: {}", line.trim()));
            }
        }
    }

    /// Every link to a file leads to one.
    fn links(&mut self, path: &Path, text: &str) {
        let folder = path.parent().unwrap_or(Path::new(""));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap_or_default();
            let elsewhere = file.is_empty() || file.contains("://") || file.contains(char::is_whitespace);
            if !elsewhere && !root().join(folder).join(file).exists() {
                self.complain(path, format!("a link to {file}, which is not there"));
            }
        }
    }
}
