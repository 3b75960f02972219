//! Gives the same broken files to our readers and to the peers', each in a process of its own under a limit on memory,
//! and writes their rows of `docs/ROBUSTNESS.md`. The peers are libraries of `xtask/peers`, and programs that are installed, which
//! `xtask/oracles/victim.py` runs.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lexopt::{Arg, ValueExt};
use rezkit::KINDS;

use crate::attack;
use crate::page::{self, Row};
use crate::worst::special;
use xtask::{Outcome, root};

/// What a process may take, in kB, as `ulimit -v` counts.
const MEMORY: u64 = 4 << 20;
/// How long one input may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Real files beyond this size are left out: most of their bytes are geometry, and damage there shows little.
const LARGEST: usize = 32 << 10;

/// How often a construct is repeated in the worst cases.
const REPEATED: usize = 20_000;

/// A reader: the program that has it, its name, the format, and whether it is ours.
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
    let mut broken: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
    for reader in readers()? {
        let Reader { name, format, is_ours, .. } = &reader;
        if !filters.is_empty() && !filters.contains(format) {
            continue;
        }
        let files = files(format, inputs);
        let worst: Vec<_> = special::of(format).iter().map(|(_, make)| make(REPEATED)).collect();
        for (what, files) in
            [("broken", files), ("worst", worst)].iter().filter(|(_, files)| !files.is_empty())
        {
            let (answers, slowest) = ask(&reader, files)?;
            // Ours is the first of each format.
            let ours = broken.entry(format!("{format} {what}")).or_insert_with(|| answers.clone());
            let pairs = answers.iter().zip(ours.iter());
            let careless = pairs.filter(|pair| *pair == (&Answer::Read, &Answer::Refused)).count();
            let bold = if *is_ours { "**" } else { "" };
            let kinds = [Answer::Read, Answer::Refused, Answer::Panicked, Answer::Died, Answer::Hung];
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
    "inputs are",
    "inputs",
    "read",
    "refused",
    "panics",
    "aborts",
    "hangs",
    "read, though ours finds it broken",
    "the slowest, ms",
    "commit",
];

/// The readers of both programs: a line of each is its name, the format, and whose it is.
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

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Read,
    Refused,
    Panicked,
    Died,
    Hung,
}

/// A number of broken files of a format, the same on every run: made from the fixtures and from small real files, or, of formats of
/// scenes, from what these become.
fn files(format: &str, inputs: usize) -> Vec<Vec<u8>> {
    if KINDS.iter().any(|kind| kind.format == format && !kind.is_exact) {
        return attack::broken(format, inputs);
    }
    let mut whole = testkit::fixtures(format);
    whole.extend(testkit::corpus(format));
    whole.retain(|sample| !sample.bytes.is_empty() && sample.bytes.len() <= LARGEST);
    let mut rng = testkit::Rng(0x00bd_01e5);
    let samples = whole.iter().cycle().take(inputs);
    samples.map(|sample| testkit::mutate(&sample.bytes, &mut rng)).collect()
}

/// Gives every input to a reader. A process that dies or hangs is replaced by a new one.
/// Also gives the longest time that an answer took.
fn ask(reader: &Reader, files: &[Vec<u8>]) -> Result<(Vec<Answer>, Duration), Box<dyn std::error::Error>> {
    let mut slowest = Duration::ZERO;
    let mut answers = Vec::with_capacity(files.len());
    while answers.len() < files.len() {
        let mut child = start(reader)?;
        let mut input = child.stdin.take().ok_or("no standard input")?;
        let mut output = child.stdout.take().ok_or("no standard output")?;
        // A thread of its own waits for answers, so that waiting can end.
        let (sender, receiver) = channel();
        let waiter = thread::spawn(move || {
            let mut answer = [0];
            while output.read_exact(&mut answer).is_ok() && sender.send(answer[0]).is_ok() {}
        });
        for bytes in &files[answers.len()..] {
            let start = Instant::now();
            let len = u32::try_from(bytes.len())?.to_le_bytes();
            let sent =
                input.write_all(&len).and_then(|()| input.write_all(bytes)).and_then(|()| input.flush());
            let answer = match receiver.recv_timeout(PATIENCE) {
                Ok(b'o') => Answer::Read,
                Ok(b'e') => Answer::Refused,
                Ok(_) => Answer::Panicked,
                Err(RecvTimeoutError::Timeout) => Answer::Hung,
                Err(RecvTimeoutError::Disconnected) => Answer::Died,
            };
            slowest = slowest.max(start.elapsed());
            answers.push(answer);
            if sent.is_err() || matches!(answer, Answer::Hung | Answer::Died) {
                break;
            }
        }
        drop(input);
        let _gone = child.kill();
        let _status = child.wait();
        let _ended = waiter.join();
    }
    Ok((answers, slowest))
}

fn start(reader: &Reader) -> std::io::Result<Child> {
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
        .args(&reader.program)
        .args([&reader.name, &reader.format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}
