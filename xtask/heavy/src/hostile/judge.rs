//! Judges runs of the command line: what no run may do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time that a run may take for each megabyte of its input, and for a smaller input. It is generous, since the
/// machine is shared and the program is a test build: a run that takes longer does not end.
const PATIENCE: Duration = Duration::from_secs(20);
/// The beginning of the names of incomplete files.
const TEMPORARY: &str = ".rezkit-";

type Found = Result<(bool, Vec<String>), Box<dyn std::error::Error>>;

/// The files of a folder that must not change: all except those in its folder `out`.
pub(super) struct Kept(BTreeMap<PathBuf, Vec<u8>>);

impl Kept {
    pub(super) fn new(work: &Path) -> std::io::Result<Self> {
        let mut files = BTreeMap::new();
        xtask::files(work, &mut |path| _ = files.insert(path.to_owned(), Vec::new()))?;
        files.retain(|path, _| !path.starts_with(work.join("out")));
        for (path, bytes) in &mut files {
            *bytes = fs::read(path)?;
        }
        Ok(Self(files))
    }
}

pub(super) struct Run<'a> {
    pub(super) args: &'a [String],
    pub(super) input: &'a str,
    pub(super) stdin: &'a [u8],
    pub(super) is_silent: bool,
    /// Whether some inputs may fail while the output of the others is written.
    pub(super) is_several: bool,
    pub(super) bytes: usize,
}

impl Run<'_> {
    /// Whether the run ended with status 0, and what it did that it must not do.
    pub(super) fn judged(&self, program: &Path, work: &Path, kept: &Kept) -> Found {
        let before = below(&work.join("out"))?;
        let Ended { status, out, err } = rezkit(program, work, self.args, self.stdin, self.bytes)?;
        let mut found = Vec::new();
        let mut wrong = |text: String| found.push(text);
        let Some(status) = status else {
            wrong(format!("does not end, or by a signal: {err}"));
            return Ok((false, found));
        };
        if !matches!(status, 0..=2) || err.contains("panicked") {
            wrong(format!("status {status}: {err}"));
        }
        if Kept::new(work)?.0 != kept.0 {
            wrong("changes or writes files outside of the output".into());
        }
        let after = below(&work.join("out"))?;
        if after.iter().any(|path| path.to_string_lossy().contains(TEMPORARY)) {
            wrong("leaves a temporary file".into());
        }
        // The last argument that names an output.
        let output = self
            .args
            .iter()
            .rposition(|arg| arg.starts_with("out/"))
            .filter(|&at| at > 1 || self.args[0] != "pack");
        let output = output.map(|at| self.args[at].as_str());
        let is_there = output.is_none_or(|output| {
            let path = work.join(output);
            after.iter().any(|file| {
                file.starts_with(&path)
                    && (*file != path || fs::metadata(file).is_ok_and(|file| file.len() > 0))
            })
        });
        if status == 0 && !is_there {
            wrong(format!("ends well and writes nothing: {err}"));
        }
        // `sl` also writes a report if the platform would refuse the model.
        let is_reported = self.args[0] == "sl" && after.iter().any(|path| path.ends_with("report.json"));
        if status != 0 && !self.is_several && !is_reported && after != before {
            wrong("fails and writes".into());
        }
        if status == 0 && output.is_none() && out.is_empty() && !self.is_silent {
            wrong("ends well and prints nothing".into());
        }
        if status != 0 && out.is_empty() && err.is_empty() {
            wrong("fails without a word".into());
        }
        if (out.windows(TEMPORARY.len()).any(|part| part == TEMPORARY.as_bytes())) || err.contains(TEMPORARY)
        {
            wrong(format!("tells a temporary name: {err}"));
        }
        for line in err.lines() {
            let said = line.split_once(": ").map_or("", |(_, said)| said);
            // Lines below a message are indented, and notes can concern all files.
            let is_named = line.starts_with("  ")
                || line.starts_with("note: ")
                || self.args.iter().any(|arg| arg.len() > 1 && said.starts_with(arg.as_str()))
                || self.input == "-" && said.starts_with("-: ");
            if !is_named && status != 0 {
                wrong(format!("names neither input nor output: {line}"));
            }
        }
        Ok((status == 0, found))
    }
}

/// Reads the output again; returns the number of files, and what is wrong with them.
pub(super) fn written(
    program: &Path,
    work: &Path,
    kept: &Kept,
) -> Result<(usize, Vec<String>), Box<dyn std::error::Error>> {
    let files = below(&work.join("out"))?;
    let mut found = Vec::new();
    let bytes = 1 << 30;
    if files.is_empty() {
        return Ok((0, found));
    }
    // The extensions of assets.
    let known: BTreeSet<&str> = rezkit::KINDS.iter().flat_map(|kind| kind.extensions).copied().collect();
    for command in ["info", "check"] {
        let args = [command, "--json", "out"].map(str::to_owned);
        let Ended { status, out, err } = rezkit(program, work, &args, &[], bytes)?;
        let is_expected = |line: &&str| !line.ends_with(": found no asset that this command can read");
        found.extend(err.lines().filter(is_expected).map(|line| format!("{command}: {line}")));
        if !matches!(status, Some(0 | 1)) {
            found.push(format!("{command}: {status:?}"));
        }
        if command != "info" {
            continue;
        }
        let out = String::from_utf8_lossy(&out).into_owned();
        for file in &files {
            let path = file.strip_prefix(work)?.to_string_lossy().into_owned();
            let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            let is_read = match &*ending {
                "png" if path == "out/a.png" => fs::read(file)?.ends_with(b"IEND\xaeB`\x82"),
                "gif" => fs::read(file)?.ends_with(b";"),
                // JSON of projects and of blocks.
                "json" if path.starts_with("out/extracted/") => true,
                // Parts of other files: buffers, strings, chunks.
                "bin" | "txt" | "dat" => true,
                ending if known.contains(ending) => {
                    out.contains(&format!("\"path\":{}", serde_json::to_string(&path)?.trim_end_matches('"')))
                }
                _ => true,
            };
            if !is_read {
                found.push(format!("is not read: {path}"));
            }
        }
    }
    if Kept::new(work)?.0 != kept.0 {
        found.push("reading changes files".into());
    }
    Ok((files.len(), found))
}

fn below(folder: &Path) -> std::io::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    xtask::files(folder, &mut |path| _ = files.insert(path.to_owned()))?;
    Ok(files)
}

/// How a run ended: its exit status, unless it was killed, and its output.
struct Ended {
    status: Option<i32>,
    out: Vec<u8>,
    err: String,
}

/// Runs the program in a folder, and kills it after the allowed time.
fn rezkit(
    program: &Path,
    work: &Path,
    args: &[String],
    stdin: &[u8],
    bytes: usize,
) -> std::io::Result<Ended> {
    // Files next to the folder, so that a program that prints much does not wait for a reader.
    let [input, out, err] = ["in", "out", "err"].map(|name| work.with_extension(name));
    fs::write(&input, stdin)?;
    let mut child = Command::new(program)
        .args(args)
        .current_dir(work)
        .env("TMPDIR", work.join("tmp"))
        .stdin(File::open(&input)?)
        .stdout(Stdio::from(File::create(&out)?))
        .stderr(Stdio::from(File::create(&err)?))
        .spawn()?;
    let patience = PATIENCE.mul_f64((bytes as f64 / 1e6).max(1.0));
    let begin = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status.code(),
            None if begin.elapsed() > patience => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => thread::sleep(Duration::from_micros(300)),
        }
    };
    Ok(Ended { status, out: fs::read(out)?, err: String::from_utf8_lossy(&fs::read(err)?).into_owned() })
}
