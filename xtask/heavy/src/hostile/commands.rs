//! Runs every command of the command line with copies of every file of a folder: unchanged, with a wrong extension,
//! truncated, in folders, in archives and through standard input. Reports runs that do what no run may do (`judge.rs`).
//! `--write` updates the figures in docs/ROBUSTNESS.md.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use lexopt::{Arg, ValueExt};
use rezkit::KINDS;
use rezkit::tree::{self, OwnedNode};

use super::judge::{self, Kept, Run};
use super::page::{self, Row};
use super::runs::{COMMANDS, EDITS, Runs};
use xtask::{Outcome, root};

/// The model that is inserted into documents, and a list of asset ids to replace.
const MODEL: &str = "model.rbxm";
const MAP: &str = "ids.csv";
/// The number of files in a folder or archive of several.
const GROUP: usize = 5;
/// How many findings of each kind are printed.
const SHOWN: usize = 3;

/// Input for the commands: what kind of input it is, its path, and the files in its folder.
struct Case {
    of: &'static str,
    input: String,
    files: Vec<(String, Vec<u8>)>,
    /// The content of the standard input; if it is `None`, the standard input is a script of edits.
    stream: Option<Vec<u8>>,
}

#[derive(Default)]
struct Totals {
    cases: usize,
    bytes: usize,
    runs: usize,
    well: usize,
    written: usize,
    findings: usize,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut folders, mut write, mut only, mut program) =
        (Vec::<PathBuf>::new(), false, None::<String>, None);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("write") => write = true,
            Arg::Long("program") => program = Some(std::path::absolute(PathBuf::from(args.value()?))?),
            Arg::Long("only") => only = Some(args.value()?.string()?),
            Arg::Value(folder) => folders.push(folder.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if folders.is_empty() {
        folders.push(root().join("fixtures"));
        let corpus = fs::read_dir(root().join("../shared/corpus")).into_iter().flatten().flatten();
        folders.extend(corpus.map(|entry| entry.path()).filter(|path| path.is_dir()));
        folders.sort();
    }
    let program = program.map_or_else(built, Ok)?;
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for folder in folders {
        let mut paths = Vec::new();
        match folder.is_dir() {
            true => xtask::files(&folder, &mut |path| paths.push(path.to_owned()))?,
            false => paths.push(folder.clone()),
        }
        let total = try_files(&program, &paths, only.as_deref(), &mut kinds)?;
        let Totals { cases, bytes, runs, well, written, findings } = total;
        let cells = [paths.len(), cases, bytes, runs, well, written, findings].map(|cell| cell.to_string());
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        println!("{name}: {}", cells.join(" "));
        if write {
            let heads = [
                "folder",
                "files",
                "cases",
                "bytes",
                "runs",
                "exit status 0",
                "files written",
                "findings",
                "commit",
            ];
            let rows = [Row { of: vec![name], cells: [&cells[..], &[xtask::commit()]].concat() }];
            page::write("commands", &heads, &rows)?;
        }
    }
    kinds.iter().for_each(|(kind, count)| println!("{count} times {kind}"));
    match kinds.len() {
        0 => Ok(()),
        kinds => Err(format!("{kinds} kinds of findings").into()),
    }
}

/// Runs all cases of some files, and counts the findings by kind.
fn try_files(
    program: &Path,
    paths: &[PathBuf],
    only: Option<&str>,
    kinds: &mut BTreeMap<String, usize>,
) -> Result<Totals, Box<dyn std::error::Error>> {
    // Each run of this task has its own folder.
    let work = root().join(format!("target/commands/{}", std::process::id()));
    let mut total = Totals::default();
    let mut take = |case: Case| -> Outcome {
        if only.is_some_and(|only| only != case.of) {
            return Ok(());
        }
        total.cases += 1;
        total.bytes += case.files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
        for (run, found) in try_case(program, &work, &case, &mut total)? {
            total.findings += 1;
            let kind: String =
                found.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
            let command = run.split(' ').next().unwrap_or_default();
            let seen = kinds.entry(format!("{command}: {kind}")).or_default();
            *seen += 1;
            if *seen <= SHOWN {
                println!("{} {}: {run}: {found}", case.of, case.files[0].0);
            }
        }
        Ok(())
    };
    for group in paths.chunks(GROUP) {
        let mut files = Vec::new();
        for path in group {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = fs::read(path)?;
            alone(&name, &bytes, &mut take)?;
            files.push((format!("{}/{name}", files.len()), bytes));
        }
        files.push(("notes.txt".into(), b"not an asset".to_vec()));
        let zip = vec![("all.zip".to_owned(), zipped(&files)?)];
        take(Case { of: "in a ZIP of several", input: "in/all.zip".into(), files: zip, stream: None })?;
        take(Case { of: "in a folder of several", input: "in".into(), files, stream: None })?;
    }
    let _not_there = fs::remove_dir_all(&work);
    Ok(total)
}

/// Builds the command line as a release, and returns its path.
fn built() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let mut cargo = Command::new("cargo");
    let status =
        cargo.args(["build", "--release", "--quiet", "--package", "rezkit"]).current_dir(root()).status()?;
    match status.success() {
        true => Ok(root().join("target/release/rezkit")),
        false => Err("the command line does not build".into()),
    }
}

/// Makes all cases with one file.
fn alone(name: &str, bytes: &[u8], take: &mut dyn FnMut(Case) -> Outcome) -> Outcome {
    let one = |of, name: String, bytes: Vec<u8>| Case {
        of,
        input: format!("in/{name}"),
        files: vec![(name, bytes)],
        stream: None,
    };
    // The extension of another kind of file; which one depends on the file.
    let own = Path::new(name).extension().unwrap_or_default();
    let endings = KINDS.iter().flat_map(|kind| kind.extensions).filter(|&&ending| own != ending);
    let endings: Vec<_> = endings.collect();
    let wrong = endings[(bytes.len() + name.len()) % endings.len()];
    let cut = |at: usize| bytes[..at.min(bytes.len())].to_vec();
    take(one("as they are", name.to_owned(), bytes.to_vec()))?;
    take(one("misnamed", format!("{name}.{wrong}"), bytes.to_vec()))?;
    take(one("half", name.to_owned(), cut(bytes.len() / 2)))?;
    take(one("100 bytes", name.to_owned(), cut(100)))?;
    take(one("empty", name.to_owned(), Vec::new()))?;
    take(one("in a ZIP", format!("{name}.zip"), zipped(&[(name.to_owned(), bytes.to_vec())])?))?;
    take(Case {
        of: "through -",
        input: "-".into(),
        files: vec![(name.to_owned(), Vec::new())],
        stream: Some(bytes.to_vec()),
    })
}

fn zipped(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(name.as_str(), zip::write::SimpleFileOptions::default())?;
        archive.write_all(bytes)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The first path in a file, and the first path that has a value.
fn paths(case: &Case) -> [String; 2] {
    let ([(name, bytes)], None) = (&case.files[..], &case.stream) else { return ["a".into(), "a".into()] };
    let opened = rezkit::open(bytes.clone(), name, ());
    let root = opened.ok().and_then(|opened| opened.nodes("", 3).ok());
    let first = root.as_ref().and_then(|root| root.children.first());
    let path = first.map_or("a".into(), |node| tree::join("", &node.name, 0));
    let value = root.as_ref().and_then(|root| valued(root, ""));
    [path.clone(), value.unwrap_or(path)]
}

fn valued(node: &OwnedNode, path: &str) -> Option<String> {
    if let Some((name, _)) = node.properties.first() {
        return Some(format!("{path}.{name}"));
    }
    if node.value.is_some() && !path.is_empty() {
        return Some(path.to_owned());
    }
    // Index 0, since the first child is the first with its name.
    let child = node.children.first()?;
    valued(child, &tree::join(path, &child.name, 0))
}

/// The forms to which the files can be converted, with their extensions; GLB is always one of them.
fn targets(case: &Case) -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<_> = Vec::new();
    let files = case.files.iter().map(|(name, bytes)| (name, case.stream.as_ref().unwrap_or(bytes)));
    for (name, bytes) in files {
        let part = rezkit::unwrap(bytes.clone(), &rezkit::ReadOptions::new());
        let part = part.ok().and_then(|mut parts| parts.pop());
        let bytes = part.map_or_else(|| bytes.clone(), |part| part.bytes.to_vec());
        if let Ok(opened) = rezkit::open(bytes, name, ()) {
            all.extend(opened.targets().iter().map(|target| (target.name, target.extension)));
        }
    }
    all.push(("glb", "glb"));
    all.sort_unstable();
    all.dedup();
    all
}

/// Runs all commands with a case; returns the findings, each with the arguments of the run.
fn try_case(
    program: &Path,
    work: &Path,
    case: &Case,
    total: &mut Totals,
) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let _not_there = fs::remove_dir_all(work);
    for folder in ["in", "out", "tmp"] {
        fs::create_dir_all(work.join(folder))?;
    }
    for (name, bytes) in &case.files {
        let path = work.join("in").join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, bytes)?;
    }
    fs::write(work.join(MODEL), testkit::fixture("rbxbinary", MODEL))?;
    fs::write(work.join(MAP), "1,2\n")?;
    let [path, value] = paths(case);
    let input = case.stream.clone().unwrap_or_else(|| EDITS.replace("PATH", &path).into_bytes());
    let name = case.files[0].0.trim_end_matches(".zip");
    let ending = name.rsplit_once('.').map_or("bin", |(_, ending)| ending);
    let kept = Kept::new(work)?;
    let targets = targets(case);
    let bytes: usize = case.files.iter().map(|(_, bytes)| bytes.len()).sum();
    let mut all = Vec::new();
    for Runs { command, of, is_silent } in COMMANDS {
        for words in *of {
            let forms = if words.contains("TO") { &targets[..] } else { &[("", "")] };
            for (form, extension) in forms {
                let word = |word: &str| {
                    let folder = Some("out/folder").filter(|_| *command == "convert" && case.input == "in");
                    match word {
                        "IN" => case.input.clone(),
                        "PATH" => path.clone(),
                        "VALUE" => value.clone(),
                        "TO" => (*form).to_owned(),
                        "OUT/TO.AS" if folder.is_some() => format!("out/{form}"),
                        word => word
                            .replace("TO.AS", &format!("{form}.{extension}"))
                            .replace("OUT", "out")
                            .replace("EXT", ending),
                    }
                };
                let args: Vec<String> = [*command].into_iter().chain(words.split(' ')).map(word).collect();
                let run = Run {
                    args: &args,
                    input: &case.input,
                    stdin: &input,
                    is_silent: *is_silent,
                    is_several: case.of.ends_with("several"),
                    bytes: bytes + input.len(),
                };
                let (ended_well, found) = run.judged(program, work, &kept)?;
                total.runs += 1;
                total.well += usize::from(ended_well);
                all.extend(found.into_iter().map(|found| (args.join(" "), found)));
            }
        }
    }
    let (written, found) = judge::written(program, work, &kept)?;
    total.written += written;
    all.extend(found.into_iter().map(|found| ("written".into(), found)));
    Ok(all)
}
