//! Checks the rules of the workspace.

mod imports;
mod layers;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::book::PRINTED;
use crate::{Outcome, formats, root};

/// The published crates that are not format crates.
const OTHERS: &str = "geom rbxblobs rbxcore rbxdocument rbxdocument-rbx-binary rbxdocument-rbx-xml rbxproject rezkit \
     rezkit-avatar rezkit-cli rezkit-core rezkit-render rezkit-scene rezkit-upload rezstd";

/// The files and folders that every format crate must have.
const PARTS: &str = "Cargo.toml README.md CHANGELOG.md FORMAT.md LICENSE-MIT LICENSE-APACHE examples src/check.rs \
     src/consts.rs src/lib.rs src/options.rs tests/all/corpus.rs tests/all/hostile.rs tests/all/props.rs";

/// The lints that the module `wire` of a format crate must deny.
const DENIED: &str = "clippy::arithmetic_side_effects clippy::expect_used clippy::indexing_slicing clippy::panic \
     clippy::unreachable clippy::unwrap_used";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    let mut tidy = Tidy::default();
    for name in formats() {
        tidy.format_crate(name);
    }
    tidy.layers();
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

/// Every file of the repository that is tracked or new, without ignored files.
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
        let manifest = self.read(&folder.join("Cargo.toml"));
        for shipped in manifest.lines().filter_map(|line| line.trim().strip_prefix("\"/")) {
            let shipped = shipped.trim_end_matches([',', '"']);
            if !shipped.contains('*') && !root().join(&folder).join(shipped).exists() {
                self.complain(folder.join("Cargo.toml"), format!("includes {shipped}, which does not exist"));
            }
        }
        for part in PARTS.split(' ') {
            // A module is a file, or a folder with a `mod.rs`.
            let there = |part: &str| root().join(&folder).join(part).exists();
            if !there(part) && !there(&part.replace(".rs", "/mod.rs")) {
                self.complain(folder.join(part), "missing: every format crate has the same parts");
            }
        }
        let wire = self.read(&folder.join("src/wire/mod.rs"));
        for lint in DENIED.split(' ') {
            if !wire.contains(lint) {
                self.complain(folder.join("src/wire/mod.rs"), format!("does not deny {lint}"));
            }
        }
        let ours = formats().chain(["geom", "rbxblobs", "rbxcore", "rezstd"]);
        for other in ours.filter(|&other| other != name) {
            let allowed = other == "geom"
                || [("slmesh", "llsd"), ("rbxbinary", "rezstd")].contains(&(name, other))
                || other == "rbxcore" && name.starts_with("rbx") && name != "rbxmesh";
            let section = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
            let depends = section.is_some_and(|section| section.contains(&format!("\n{other}.workspace")));
            if depends && !allowed {
                self.complain(
                    folder.join("Cargo.toml"),
                    format!("depends on {other}: format crates do not know each other"),
                );
            }
        }
    }

    fn licences(&mut self) {
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let ours = self.read(Path::new(licence));
            for name in formats().chain(OTHERS.split(' ')) {
                let path = Path::new("crates").join(name).join(licence);
                if self.read(&path) != ours {
                    self.complain(path, "differs from the file of this name in the workspace's folder");
                }
            }
        }
    }

    fn file(&mut self, path: &Path) {
        // Fixtures are not text. git also lists files that were deleted.
        if path.starts_with("fixtures") || !root().join(path).is_file() {
            return;
        }
        let Ok(text) = fs::read_to_string(root().join(path)) else { return };
        let name = path.to_string_lossy();
        let source = name.ends_with(".rs") && name.contains("/src/");
        // Split with `concat!`, so that this file does not contain the words that it looks for.
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
            if text.contains("#[cfg(test)]") {
                self.tested(path, &name);
            }
        }
        // Names from files are joined by below.rs, which refuses links that lead out of a folder. The other modules join
        // names of their own. A `.join` with a literal joins a list of strings.
        let joined = ["below", "input", "output", "temporary"];
        let may_join = joined.iter().any(|module| name.ends_with(&format!("/{module}.rs")));
        if source
            && (name.starts_with("crates/rezkit/") || name.starts_with("crates/rezkit-cli/"))
            && !may_join
        {
            let joins = |rest: &str| !rest.starts_with(['"', '\'']);
            if text.split(concat!(".jo", "in(")).skip(1).any(joins) {
                self.complain(path, "a path is joined outside of below.rs");
            }
        }
        if name.ends_with(".md") {
            self.links(path, &text);
        }
    }

    /// Checks that the model does not use `wire` or nom, that nom is in no public signature, and that each `allow` has
    /// a reason.
    fn imports(&mut self, path: &Path, name: &str, text: &str) {
        let in_wire = name.contains("/src/wire/");
        let in_model = name.contains("/src/model");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            if in_model && (line.contains("crate::wire") || line.contains("nom::")) {
                self.complain(path, format!("the folder model uses neither wire nor nom: {}", line.trim()));
            }
            if !in_wire && line.contains("nom::") && line.trim_start().starts_with("pub ") {
                self.complain(path, format!("nom in a public signature: {}", line.trim()));
            }
            if line.contains("#[allow(")
                && line.contains("clippy::")
                && line.contains(")]")
                && !line.contains("reason")
            {
                self.complain(path, format!("expected a reason for this exception: {}", line.trim()));
            }
        }
    }

    /// Checks that the tests in a source file are compiled: with its crate, or by `tests/all/inside.rs`, which must
    /// include the file or the `mod.rs` of its folder.
    fn tested(&mut self, path: &Path, name: &str) {
        let Some((folder, file)) = name.split_once("/src/") else { return };
        let folder = Path::new(folder);
        if !self.read(&folder.join("Cargo.toml")).contains("\ntest = false\n") {
            return;
        }
        // The tests of the library `rezkit` are those of the program.
        let tests = if name.starts_with("crates/rezkit/") || name.starts_with("crates/rbxproject/") {
            Path::new("crates/rezkit-cli")
        } else {
            folder
        };
        let inside = self.read(&tests.join("tests/all/inside.rs"));
        let around = file.rsplit_once('/').map(|(module, _)| format!("{module}/mod.rs"));
        if ![Some(file), around.as_deref()]
            .into_iter()
            .flatten()
            .any(|file| inside.contains(&format!("/src/{file}\"")))
        {
            self.complain(path, "its tests do not run, since tests/all/inside.rs does not include it");
        }
    }

    /// Checks that every link to a file leads to a file that exists.
    fn links(&mut self, path: &Path, text: &str) {
        let folder = path.parent().unwrap_or(Path::new(""));
        // The table of contents also lists the pages that are made with the book.
        let is_printed =
            |file: &str| path.ends_with("SUMMARY.md") && PRINTED.iter().any(|(page, _)| *page == file);
        let is_missing = |file: &String| !is_printed(file) && !root().join(folder).join(file).exists();
        for file in targets(text).into_iter().filter(is_missing) {
            self.complain(path, format!("a link to {file}, which is missing"));
        }
    }
}

/// The files to which a Markdown text links, by inline links and by link definitions.
fn targets(text: &str) -> Vec<String> {
    let defined = |line: &&str| line.starts_with('[') && line.contains("]: ");
    let definitions = text.lines().filter(defined).filter_map(|line| line.split("]: ").nth(1));
    let in_lines = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = in_lines.chain(definitions).filter_map(|target| target.split('#').next());
    let elsewhere = |file: &&str| file.is_empty() || file.contains(':') || file.contains(char::is_whitespace);
    files.filter(|file| !elsewhere(file)).map(str::to_owned).collect()
}
