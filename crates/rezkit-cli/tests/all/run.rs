//! The command line, run in a temporary folder.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A temporary folder in which commands run, removed when the value is dropped.
pub(crate) struct Folder(tempfile::TempDir);

/// What a command did.
#[derive(PartialEq, Debug)]
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    /// The standard output.
    pub(crate) bytes: Vec<u8>,
    /// The standard output as text.
    pub(crate) out: String,
    /// The standard error.
    pub(crate) err: String,
}

impl Folder {
    /// A folder with these files.
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        files.iter().for_each(|(name, bytes)| folder.write(name, bytes));
        folder
    }

    /// A folder with copies of fixtures, each with its own name.
    pub(crate) fn with(fixtures: &[&str]) -> Self {
        let folder = Self::new(&[]);
        for fixture in fixtures {
            let (_, name) = fixture.split_once('/').expect("a format and a name");
            folder.copy(name, &format!("fixtures/{fixture}"));
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Copies a file of the repository.
    pub(crate) fn copy(&self, name: &str, from: &str) {
        self.write(name, fs::read(Path::new(ROOT).join(from)).expect(from));
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("text")
    }

    /// The sorted names of the files and folders in a folder.
    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(below)).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rezkit"));
        command.current_dir(&self.0);
        command
    }

    pub(crate) fn args(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command().args(arguments).stdin(Stdio::null()))
    }

    /// Runs a command whose arguments contain no spaces.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.args(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// What a command prints that must succeed.
    pub(crate) fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.status, Some(0), "{line}: {}", ran.err);
        ran.out
    }

    /// The errors of a command that must fail with this status.
    pub(crate) fn fails(&self, line: &str, status: i32) -> String {
        let ran = self.run(line);
        assert_eq!(ran.status, Some(status), "{line}: {}", ran.err);
        ran.err
    }

    /// Runs a command with these bytes on the standard input.
    pub(crate) fn piped(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        let mut command = self.command();
        command.args(line.split_whitespace()).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        // A command may end before reading it.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_ref());
        Ran::from(child.wait_with_output().expect("it ends"))
    }
}

impl Ran {
    fn of(command: &mut Command) -> Self {
        Self::from(command.output().expect("it runs"))
    }

    /// The lines of the standard output as JSON.
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

impl From<std::process::Output> for Ran {
    fn from(output: std::process::Output) -> Self {
        let [out, err] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        Self { status: output.status.code(), bytes: output.stdout, out, err }
    }
}
