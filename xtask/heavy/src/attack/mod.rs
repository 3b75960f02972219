//! Gives broken files to all that the kit does, and tells what panics, takes too much memory or time, or is written
//! and not read. Each input is made from its number, so that it can be made again; a process that dies or hangs is
//! replaced by one that goes on after it. `--write` puts the figures into docs/ROBUSTNESS.md.

mod blocks;
mod chunks;
mod damage;
mod gltf;
mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lexopt::{Arg, ValueExt};
use rezkit::{KINDS, ReadOptions};
use targets::kit::sources;

use crate::page::{self, Row};
use crate::worst::kit;
use samples::Sample;
use xtask::{Outcome, root};

/// The names of all formats, in the order of the kit's table.
pub(crate) fn formats() -> impl Iterator<Item = &'static str> {
    let mut seen = std::collections::HashSet::new();
    KINDS.iter().map(|kind| kind.format).filter(move |format| seen.insert(*format))
}

/// What reading a file may take.
const MAX_BYTES: u64 = 16 << 20;
/// What the process may take, in kB, as `ulimit -v` counts.
const MEMORY: u64 = 2 << 20;
/// How long a step may take for each megabyte, and for what is smaller.
const PATIENCE: Duration = Duration::from_secs(1);
/// After which the process ends.
const HANG: Duration = Duration::from_secs(60);
/// Larger files are left out: most of their bytes are geometry, and damage there shows little.
const LARGEST: usize = 48 << 10;

/// The name of constructs that are repeated, beside those of the formats.
const WORST: &str = "worst";
/// How often.
const REPEATED: usize = 20_000;

#[derive(Default)]
struct Options {
    inputs: usize,
    seed: u64,
    from: usize,
    child: bool,
    write: bool,
    only: Option<usize>,
    names: Vec<String>,
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut options = Options { inputs: 1000, seed: 1, ..Options::default() };
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("inputs") => options.inputs = args.value()?.parse()?,
            Arg::Long("seed") => options.seed = args.value()?.parse()?,
            Arg::Long("from") => options.from = args.value()?.parse()?,
            Arg::Long("only") => options.only = Some(args.value()?.parse()?),
            Arg::Long("child") => options.child = true,
            Arg::Long("write") => options.write = true,
            Arg::Value(name) => options.names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let known = formats().chain([WORST]);
    let chosen: Vec<&str> = known
        .filter(|known| options.names.is_empty() || options.names.iter().any(|name| name == known))
        .collect();
    if options.child {
        let format = chosen.first().ok_or("no such format")?;
        return child(format, &options);
    }
    // Of which this program is, whatever is edited while it runs.
    let commit = xtask::commit();
    let mut failures = 0;
    for format in chosen {
        let rows = parent(format, &options, &commit, &mut failures)?;
        if options.write {
            let heads = ["format", "form", "files", "inputs", "read", "kinds of findings", "seed", "commit"];
            page::write("attack", &heads, &rows)?;
        }
    }
    match failures {
        0 => Ok(()),
        failures => Err(format!("{failures} findings; their files are in target/attack").into()),
    }
}

/// What is damaged.
fn samples(format: &str) -> Vec<Sample> {
    if format != WORST {
        return samples::of(format);
    }
    let sample = |construct: &kit::Construct| Sample {
        name: construct.file.to_owned(),
        bytes: (construct.make)(REPEATED),
        beside: (construct.beside)(REPEATED),
    };
    kit::all().map(sample).collect()
}

/// The small ones among the files of a format, with their names.
pub(crate) fn small(format: &str, largest: usize) -> Vec<(String, Vec<u8>)> {
    let small = samples::of(format).into_iter().filter(|sample| sample.bytes.len() <= largest);
    small.map(|sample| (sample.name, sample.bytes)).collect()
}

/// A number of broken files of a format that refer to no others, the same on every run.
pub(crate) fn broken(format: &str, inputs: usize) -> Vec<Vec<u8>> {
    let mut whole = samples(format);
    whole.retain(|sample| sample.beside.is_empty());
    let samples = damage::Samples::new(whole, true);
    (0..inputs).map(|number| samples.damaged(1, number).1.bytes).collect()
}

/// The processor's time of this thread.
fn cpu() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// Runs every step on every input, and tells what it begins and what is wrong.
fn child(format: &str, options: &Options) -> Outcome {
    static PANIC: Mutex<String> = Mutex::new(String::new());
    static SINCE: AtomicU64 = AtomicU64::new(u64::MAX);
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
        let text = info.payload().downcast_ref::<String>().map(String::as_str);
        let text = text.or(info.payload().downcast_ref::<&str>().copied()).unwrap_or_default();
        *PANIC.lock().unwrap_or_else(|lock| lock.into_inner()) =
            format!("{place}: {text}").replace(['\n', '\t'], " ");
    }));
    let begin = Instant::now();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let since = SINCE.load(Ordering::Relaxed);
            if since != u64::MAX && begin.elapsed().as_millis() as u64 > since + HANG.as_millis() as u64 {
                println!("X");
                std::process::abort();
            }
        }
    });
    let samples = damage::Samples::new(samples(format), format != WORST);
    let mut out = std::io::stdout().lock();
    for (form, files) in samples.forms() {
        writeln!(out, "G\t{form}\t{files}")?;
    }
    let numbers = match options.only {
        Some(number) => number..number + 1,
        // Each construct once.
        None if format == WORST => options.from..samples.len(),
        None => options.from..options.inputs * samples.forms().count(),
    };
    for number in numbers {
        let (form, Sample { name, bytes, beside }) = match format {
            WORST => (0, samples.whole(number)),
            _ => samples.damaged(options.seed, number),
        };
        if options.only.is_some() {
            let ending = name.rsplit('.').next().unwrap_or_default();
            let folder = root().join(format!("target/attack/{format}-{number}"));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("file.{ending}")), &bytes)?;
            beside.iter().try_for_each(|(name, bytes)| fs::write(folder.join(name), bytes))?;
        }
        let options = ReadOptions::new().max_bytes(MAX_BYTES);
        let opened = panic::catch_unwind(AssertUnwindSafe(|| {
            options.open(bytes.clone(), &name, sources(&beside)).is_ok()
        }));
        writeln!(out, "I\t{form}\t{}", usize::from(opened.is_ok_and(|opened| opened)))?;
        let mut told = Ok(());
        targets::kit::each(&bytes, &name, &beside, MAX_BYTES, &mut |step, work| {
            let mut tell = |text: &str| told = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            tell(&format!("S\t{number}\t{step}\n"));
            SINCE.store(begin.elapsed().as_millis() as u64, Ordering::Relaxed);
            let before = cpu();
            let result = panic::catch_unwind(AssertUnwindSafe(work));
            let took = cpu().zip(before).map_or(Duration::ZERO, |(after, before)| after - before);
            SINCE.store(u64::MAX, Ordering::Relaxed);
            if result.is_err() {
                tell(&format!("F\t{}\n", PANIC.lock().unwrap_or_else(|lock| lock.into_inner())));
            } else if took > PATIENCE.mul_f64((bytes.len() as f64 / 1e6).max(1.0)) {
                tell(&format!("F\ttoo slow: {took:?} for {} bytes\n", bytes.len()));
            }
        });
        told?;
    }
    writeln!(out, "E")?;
    Ok(())
}

/// A finding without what differs each time.
fn kind(step: &str, text: &str) -> String {
    let digits: String = text.chars().map(|char| if char.is_ascii_digit() { '0' } else { char }).collect();
    let mut short = digits;
    while short.contains("00") {
        short = short.replace("00", "0");
    }
    format!("{step}: {}", short.chars().take(160).collect::<String>())
}

/// Those of one form of a format.
#[derive(Default)]
struct Tried {
    name: String,
    files: usize,
    inputs: usize,
    read: usize,
    found: BTreeSet<String>,
}

/// Runs processes until every input was tried; a row for each form.
fn parent(
    format: &str,
    options: &Options,
    commit: &str,
    failures: &mut usize,
) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let (mut from, mut kinds) = (options.from, BTreeMap::<String, (usize, usize, String)>::new());
    let mut forms: Vec<Tried> = Vec::new();
    let start = Instant::now();
    loop {
        let mut process = Command::new("sh")
            .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")])
            .arg(std::env::current_exe()?)
            .args(["attack", "--child", format])
            .args(["--inputs", &options.inputs.to_string(), "--seed", &options.seed.to_string()])
            .args(["--from", &from.to_string()])
            .args(options.only.iter().flat_map(|only| ["--only".to_owned(), only.to_string()]))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = process.stdout.take().ok_or("no standard output")?;
        let (mut number, mut step, mut ended, mut hung) = (from, String::new(), false, false);
        let (mut form, mut known) = (0, 0);
        let mut found = |forms: &mut [Tried], form: usize, number: usize, step: &str, text: &str| {
            let each = if format == WORST { format!(" {number}") } else { String::new() };
            let kind = kind(step, text) + &each;
            if let Some(form) = forms.get_mut(form) {
                form.found.insert(kind.clone());
            }
            let entry = kinds.entry(kind).or_insert((0, number, text.to_owned()));
            entry.0 += 1;
        };
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            let parts: Vec<&str> = line.split('\t').collect();
            match parts.as_slice() {
                ["G", name, files] => {
                    let (name, files) = ((*name).to_owned(), files.parse()?);
                    if known == forms.len() {
                        forms.push(Tried { name, files, ..Tried::default() });
                    }
                    known += 1;
                }
                ["I", at, read] => {
                    form = at.parse()?;
                    let form = forms.get_mut(form).ok_or("no such form")?;
                    form.inputs += 1;
                    form.read += read.parse::<usize>()?;
                }
                ["S", at, name] => (number, step) = (at.parse()?, (*name).to_owned()),
                ["F", text] => found(&mut forms, form, number, &step, text),
                ["X"] => hung = true,
                ["E"] => ended = true,
                _ => {}
            }
        }
        let status = process.wait()?;
        if ended || options.only.is_some() {
            break;
        }
        if step.is_empty() {
            return Err(format!("{format}: it ended before the first input ({status})").into());
        }
        let text = if hung { "hangs" } else { "dies: out of memory or stack" };
        found(&mut forms, form, number, &step, text);
        from = number + 1;
    }
    println!(
        "{format}: {} inputs in {} forms, {} read, {} s, {} kinds of findings",
        forms.iter().map(|form| form.inputs).sum::<usize>(),
        forms.len(),
        forms.iter().map(|form| form.read).sum::<usize>(),
        start.elapsed().as_secs(),
        kinds.len()
    );
    for (kind, (count, number, text)) in &kinds {
        let step = kind.split(':').next().unwrap_or_default();
        let name = match format {
            WORST => kit::all().nth(*number).map_or("", |construct| construct.name),
            _ => "",
        };
        println!("  {step}, {count} times, first {number} {name}: {text:.300}");
    }
    *failures += kinds.len();
    let row = |form: &Tried| Row {
        of: vec![format.to_owned(), form.name.clone()],
        cells: [form.files, form.inputs, form.read, form.found.len()]
            .map(|count| count.to_string())
            .into_iter()
            .chain([options.seed.to_string(), commit.to_owned()])
            .collect(),
    };
    Ok(forms.iter().map(row).collect())
}
