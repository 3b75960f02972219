//! Gives the same broken files to our readers and to the peers', each in a process of its own under a limit on memory,
//! and writes the table of `docs/ROBUSTNESS.md` again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use lexopt::{Arg, ValueExt};

use crate::worst::special;
use xtask::{Outcome, machine, root};

/// What a process may take, in kB, as `ulimit -v` counts.
const MEMORY: u64 = 4 << 20;
/// How long one input may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Real files beyond this size are left out: most of their bytes are geometry, and damage there shows little.
const LARGEST: usize = 32 << 10;

/// How often a construct is repeated in the worst cases.
const REPEATED: usize = 20_000;

/// Between these lines the page is written here; the rest of it by hand.
const BEGIN: &str = "<!-- `cargo xtask robustness` writes from here -->\n";
const END: &str = "<!-- to here -->\n";

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
    let manifest = root().join("xtask/peers/Cargo.toml");
    let list = Command::new(env!("CARGO"))
        .args(["run", "--release", "--quiet", "--bin", "victim", "--manifest-path"])
        .arg(manifest)
        .stderr(Stdio::inherit())
        .output()?;
    let mut table = String::from(
        "| format | reader | inputs | read | refused | panics | aborts | hangs | read, though ours finds it broken |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut worst = String::from(
        "| format | reader | worst cases | read | refused | panics | aborts | hangs | the slowest, ms |\n\
         |---|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    let mut broken: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
    for line in String::from_utf8(list.stdout)?.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(format), Some(whose)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if !filters.is_empty() && !filters.iter().any(|filter| filter == format) {
            continue;
        }
        let files = files(format, inputs);
        let bold = if whose == "ours" { "**" } else { "" };
        let cases: Vec<_> = special::of(format).iter().map(|(_, make)| make(REPEATED)).collect();
        if !cases.is_empty() {
            let (answers, slowest) = ask(name, &cases)?;
            let row = format!(
                "| {format} | {bold}{name}{bold} | {} | {} | {} |\n",
                cases.len(),
                counts(&answers),
                slowest.as_millis()
            );
            print!("{row}");
            worst += &row;
        }
        let (answers, _) = ask(name, &files)?;
        let ours = broken.entry(format.to_owned()).or_insert_with(|| answers.clone());
        let careless =
            answers.iter().zip(ours.iter()).filter(|pair| *pair == (&Answer::Read, &Answer::Refused)).count();
        let row = format!(
            "| {format} | {bold}{name}{bold} | {} | {} | {careless} |\n",
            files.len(),
            counts(&answers)
        );
        print!("{row}");
        table += &row;
    }
    if !filters.is_empty() {
        println!("the page keeps its table: this is not all of it");
        return Ok(());
    }
    let path = root().join("docs/ROBUSTNESS.md");
    let page = fs::read_to_string(&path)?;
    let (Some(begin), Some(end)) = (page.find(BEGIN), page.find(END)) else {
        return Err("docs/ROBUSTNESS.md has lost the lines between which the table is".into());
    };
    Ok(fs::write(
        path,
        format!(
            "{}\nOn {}:\n\n{table}\nWorst cases repeat a construct of a format {REPEATED} times, nest it so deep, or claim \
             a count that the input cannot fill:\n\n{worst}\n{}",
            &page[..begin + BEGIN.len()],
            machine(),
            &page[end..]
        ),
    )?)
}

/// How many answers of each kind there are, as cells of a row.
fn counts(answers: &[Answer]) -> String {
    let kinds = [Answer::Read, Answer::Refused, Answer::Panicked, Answer::Died, Answer::Hung];
    kinds.map(|kind| answers.iter().filter(|&&answer| answer == kind).count().to_string()).join(" | ")
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

/// As many broken files of a format as asked, made from the fixtures and from small real files; the same on every run.
fn files(format: &str, inputs: usize) -> Vec<Vec<u8>> {
    let mut whole = testkit::fixtures(format);
    whole.extend(testkit::corpus(format));
    whole.retain(|sample| !sample.bytes.is_empty() && sample.bytes.len() <= LARGEST);
    let mut rng = testkit::Rng(0x00bd_01e5);
    let samples = whole.iter().cycle().take(inputs);
    samples.map(|sample| testkit::mutate(&sample.bytes, &mut rng)).collect()
}

/// Gives every input to a reader. A process that dies or hangs is replaced by a new one.
/// Also gives the longest time that an answer took.
fn ask(name: &str, files: &[Vec<u8>]) -> Result<(Vec<Answer>, Duration), Box<dyn std::error::Error>> {
    let mut slowest = Duration::ZERO;
    let mut answers = Vec::with_capacity(files.len());
    while answers.len() < files.len() {
        let mut child = start(name)?;
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

fn start(name: &str) -> std::io::Result<Child> {
    let program = root().join("xtask/peers/target/release/victim");
    Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$1\""))
        .arg(program)
        .arg(name)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}
