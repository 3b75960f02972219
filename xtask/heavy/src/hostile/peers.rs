//! Gives the same broken files to our readers and to those of peers, each in a process of its own with a limit of
//! memory, and writes the results into `docs/ROBUSTNESS.md`. The peers are libraries that `xtask/peers` uses, and
//! installed programs that `xtask/oracles/victim.py` runs.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lexopt::{Arg, ValueExt};

use super::constructs;
use super::damage::Samples;
use super::page::{self, Row};
use super::process::{Answer, Process};
use super::samples;
use xtask::{Outcome, root};

/// The limit of virtual memory for a process, in kB, as for `ulimit -v`.
const MEMORY: u64 = 4 << 20;
/// The time that a reader may take for one input.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a construct is repeated.
const REPEATED: usize = 20_000;

/// A reader: the program that contains it, its name, its format, and whether it is ours.
struct Reader {
    program: Vec<String>,
    name: String,
    format: String,
    is_ours: bool,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut inputs = 5000;
    let mut filters: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("inputs") => inputs = args.value()?.parse()?,
            Arg::Value(name) => filters.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let commit = xtask::commit();
    let mut broken: BTreeMap<String, Vec<Came>> = BTreeMap::new();
    for reader in readers()? {
        let Reader { name, format, is_ours, .. } = &reader;
        if !filters.is_empty() && !filters.contains(format) {
            continue;
        }
        // The same files on every run. Files that refer to others are left out.
        let mut whole = samples::of(format);
        whole.retain(|sample| sample.beside.is_empty());
        let whole = Samples::new(whole, true);
        let files: Vec<_> = (0..inputs).map(|number| whole.damaged(1, number).1.bytes).collect();
        let worst = constructs::all().iter().map(|construct| construct.sample(REPEATED));
        let worst = worst.filter(|sample| sample.beside.is_empty()).map(|sample| sample.bytes);
        let is_of =
            |bytes: &Vec<u8>| rezkit::detect(bytes).is_some_and(|found| found.kind.format == format.as_str());
        let worst: Vec<_> = worst.filter(is_of).collect();
        for (what, files) in
            [("broken", files), ("worst", worst)].iter().filter(|(_, files)| !files.is_empty())
        {
            let (answers, slowest) = ask(&reader, files)?;
            // The first reader of each format is ours.
            let ours = broken.entry(format!("{format} {what}")).or_insert_with(|| answers.clone());
            let pairs = answers.iter().zip(ours.iter());
            let careless = pairs.filter(|pair| *pair == (&Came::Read, &Came::Refused)).count();
            let bold = if *is_ours { "**" } else { "" };
            let kinds = [Came::Read, Came::Refused, Came::Panicked, Came::Died, Came::Hung];
            let counts = kinds.map(|kind| answers.iter().filter(|&&answer| answer == kind).count());
            let cells =
                [files.len()].into_iter().chain(counts).chain([careless]).map(|count| count.to_string());
            let row = Row {
                of: vec![format.clone(), format!("{bold}{name}{bold}"), (*what).to_owned()],
                cells: cells.chain([slowest.as_millis().to_string(), commit.clone()]).collect(),
            };
            println!("{}", [&row.of[..], &row.cells].concat().join(" "));
            page::write("robustness", &HEADS, &[row])?;
        }
    }
    Ok(())
}

const HEADS: [&str; 12] = [
    "format",
    "reader",
    "kind of input",
    "inputs",
    "read",
    "refused",
    "panics",
    "aborts",
    "hangs",
    "read, but refused by our reader",
    "slowest input, ms",
    "commit",
];

/// Lists the readers of both programs, which print a line for each: its name, its format, and whether it is ours.
fn readers() -> Result<Vec<Reader>, Box<dyn std::error::Error>> {
    let manifest = root().join("xtask/peers/Cargo.toml");
    let build = ["build", "--release", "--quiet", "--bin", "victim", "--manifest-path"];
    let built = Command::new(env!("CARGO")).args(build).arg(manifest).status()?;
    if !built.success() {
        return Err("xtask/peers was not built".into());
    }
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("xtask/peers/target"), Into::into);
    let victim = target.join("release/victim").to_string_lossy().into_owned();
    let script = root().join("xtask/oracles/victim.py").to_string_lossy().into_owned();
    let mut readers = Vec::new();
    for program in [vec![victim], vec!["python3".to_owned(), script]] {
        let list = Command::new(&program[0]).args(&program[1..]).stderr(Stdio::inherit()).output()?;
        for line in String::from_utf8(list.stdout)?.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, format, whose] = words[..] else { return Err(format!("an odd line {line:?}").into()) };
            let (name, format, is_ours) = (name.to_owned(), format.to_owned(), whose == "ours");
            readers.push(Reader { program: program.clone(), name, format, is_ours });
        }
    }
    Ok(readers)
}

/// The result for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Read,
    Refused,
    Panicked,
    Died,
    Hung,
}

/// Gives every input to a reader; returns the results and the longest time for one of them.
fn ask(reader: &Reader, files: &[Vec<u8>]) -> Result<(Vec<Came>, Duration), Box<dyn std::error::Error>> {
    let mut slowest = Duration::ZERO;
    let program = [&reader.program[..], &[reader.name.clone(), reader.format.clone()]].concat();
    let mut process = Process::start(&program, MEMORY)?;
    let mut answers = Vec::with_capacity(files.len());
    for bytes in files {
        let start = Instant::now();
        let length = u32::try_from(bytes.len())?.to_le_bytes();
        let answer = match process.ask(&[&length, &bytes[..]].concat(), PATIENCE) {
            Answer::Line(line) if line == "o" => Came::Read,
            Answer::Line(line) if line == "e" => Came::Refused,
            Answer::Line(_) => Came::Panicked,
            Answer::Hung => Came::Hung,
            Answer::Died => Came::Died,
        };
        slowest = slowest.max(start.elapsed());
        if matches!(answer, Came::Hung | Came::Died) {
            process = Process::start(&program, MEMORY)?;
        }
        answers.push(answer);
    }
    Ok((answers, slowest))
}
