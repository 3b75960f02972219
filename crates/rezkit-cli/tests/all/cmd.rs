//! What the commands print: the cases in `tests/cmd`, each run in a folder of its own with the files of the folder of
//! its name (`losses.in` for `losses.trycmd`) or, if there is none, with those of `in` and those below. Files of `.out` are
//! those that the commands must have written.
//! `TRYCMD=overwrite cargo test -p rezkit-cli --test all cmd` writes what is printed.

use std::fs;
use std::path::Path;

use super::run::{Folder, ROOT};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd");

/// Copies of other files of the repository.
const COPIES: [(&str, &str); 18] = [
    ("cottage.rbxmx", "docs/pictures/cottage.rbxmx"),
    ("head.mesh", "fixtures/rbxmesh/v5_00.mesh"),
    ("square.mesh", "fixtures/rbxmesh/v2_00.mesh"),
    ("levels.mesh", "fixtures/rbxmesh/v4_00.mesh"),
    ("warned.mesh", "fixtures/rbxmesh/v6_00_trailing.mesh"),
    ("types.rbxm", "fixtures/rbxbinary/types.rbxm"),
    ("no_end.rbxm", "fixtures/rbxbinary/no_end.rbxm"),
    ("tree.rbxlx", "fixtures/rbxxml/tree.rbxlx"),
    ("figure.a3d", "fixtures/m3d/ascii-all.a3d"),
    ("hulls.llmesh", "fixtures/slmesh/all.llmesh"),
    ("bad.llmesh", "fixtures/slmesh/odd_values.llmesh"),
    ("nested.bin", "fixtures/llsd/nested.bin"),
    ("assets/1.mesh", "fixtures/rbxmesh/v2_00.mesh"),
    ("odd/d.mesh", "fixtures/rbxmesh/v2_00.mesh"),
    ("all/d.mesh", "fixtures/rbxmesh/v2_00.mesh"),
    ("all/e.llmesh", "fixtures/slmesh/odd_values.llmesh"),
    ("all/a.rbxmx", "crates/rezkit-cli/tests/cmd/in/place.rbxlx"),
    ("all/ignored/c.rbxmx", "crates/rezkit-cli/tests/cmd/in/place.rbxlx"),
];

/// Makes a folder with the same files as another one, by copying or linking each.
pub(crate) fn remake(from: &Path, to: &Path, file: fn(&Path, &Path) -> std::io::Result<()>) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => remake(&entry.path(), &to, file),
            false => file(&entry.path(), &to).expect("a file"),
        }
    }
}

/// The files of a folder are in another one, with the same content.
fn same(wanted: &Path, made: &Path) {
    for entry in fs::read_dir(wanted).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (wanted, made) = (entry.path(), made.join(entry.file_name()));
        match wanted.is_dir() {
            true => same(&wanted, &made),
            false => {
                assert_eq!(fs::read_to_string(&made).ok(), fs::read_to_string(&wanted).ok(), "{wanted:?}")
            }
        }
    }
}

/// A folder with the input files.
pub(crate) fn inputs() -> Folder {
    let folder = Folder::new(&[("all/.gitignore", b"ignored\n")]);
    remake(&Path::new(CASES).join("in"), &folder.path(""), |from, to| fs::copy(from, to).map(drop));
    COPIES.iter().for_each(|(name, from)| folder.copy(name, from));
    folder.copy("all/.hidden/b.rbxmx", "crates/rezkit-cli/tests/cmd/in/place.rbxlx");
    folder
}

#[test]
fn commands_print_what_their_cases_say() {
    let (inputs, folder) = (inputs(), tempfile::tempdir().expect("a folder"));
    let cases = || fs::read_dir(CASES).expect("cases").flatten().map(|entry| entry.path());
    let cases = || cases().filter(|path| path.extension().is_some_and(|extension| extension == "trycmd"));
    let copied = |case: &Path| folder.path().join(case.file_name().expect("a name"));
    for case in cases() {
        let own = case.with_extension("in");
        let own = if own.exists() { own } else { inputs.path("") };
        remake(&own, &copied(&case).with_extension("in"), |from, to| fs::copy(from, to).map(drop));
        fs::copy(&case, copied(&case)).expect("copied");
    }
    let tests = trycmd::TestCases::new();
    tests.register_bin("rezkit", Path::new(env!("CARGO_BIN_EXE_rezkit")));
    tests.case(folder.path().join("*.trycmd")).run();
    let overwrite = std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite");
    for case in cases() {
        let (wanted, made) = (case.with_extension("out"), copied(&case).with_extension("in"));
        if overwrite {
            fs::copy(copied(&case), &case).expect("copied");
        } else if wanted.exists() {
            same(&wanted, &made);
        }
    }
    assert!(cases().count() > 0, "no cases in {ROOT}");
}
