//! Runs every step with an input of size n and with one of size 4n, and fails if the second needs more than five times
//! the instructions of the first.
//!
//! Instructions are counted by valgrind's callgrind, which needs no privileges and counts the same on every run. This
//! program starts itself under callgrind, which writes a dump after each call of [`counted`]. Without valgrind,
//! allocated bytes are compared instead, which finds fewer faults.
//!
//! The output of a step can grow faster than its input: the paths in a chain of instances grow with the square of its
//! length, and so do columns if each instance has one of its own. In this case, the work per byte of output is
//! compared.
//!
//! The grown fixtures are also read with half and a tenth of the memory that reading them takes as `max_bytes`. Reading
//! may not allocate more than that at once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use lexopt::{Arg, ValueExt};
use rezkit::ReadOptions;
use targets::{ALONE, Input};

use super::page::{self, Row};
use super::{constructs, grown};
use xtask::Outcome;

/// How often a construct is repeated by default, and the length to which a part of a fixture grows, for which fewer
/// steps run.
const SIZE: usize = 100;
const GROWN: usize = 500;

/// The greatest allowed factor between the work for n and for 4n: a little more than for n log n.
const FACTOR: f64 = 5.0;

/// Work at 4n that is too little to compare, since constants dominate.
const LITTLE: u64 = 100_000;

/// Memory that a read may take in addition to `max_bytes`: the tables of decompressors, and the struct of the model.
const BESIDE: u64 = 256 << 10;

/// The path of the function whose instructions are counted.
const COUNTED: &str = "heavy::hostile::growth::counted";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut names: Vec<String> = Vec::new();
    let (mut child, mut list, mut write, mut size) = (false, false, false, SIZE);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("run") => child = true,
            Arg::Long("list") => list = true,
            Arg::Long("write") => write = true,
            Arg::Long("size") => size = args.value()?.parse()?,
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if child {
        run_named(names.first().ok_or("no name")?, size);
        return Ok(());
    }
    // Fixtures are named by format and file, constructs by the names of their files and their own.
    let fixtures = grown::FILES
        .iter()
        .flat_map(|(format, files)| files.split(' ').map(move |file| format!("{format}/{file}")));
    let all = fixtures.chain(constructs::all().iter().map(constructs::Construct::title));
    let is_chosen = |name: &String| names.is_empty() || names.iter().any(|part| name.contains(part.as_str()));
    let chosen: Vec<String> = all.filter(is_chosen).collect();
    if list {
        chosen.iter().for_each(|name| println!("{name}"));
        return Ok(());
    }
    let valgrind = Command::new("valgrind").arg("--version").output().is_ok_and(|out| out.status.success());
    println!(
        "counted: {}",
        if valgrind { "instructions, by callgrind" } else { "allocated bytes (no valgrind)" }
    );
    let (start, mut failures) = (Instant::now(), 0);
    for name in &chosen {
        let begin = Instant::now();
        match count(name, size, valgrind) {
            Ok(measured) => {
                let (bad, row) = judge(name, size, &measured);
                failures += bad;
                if write && !name.contains('/') {
                    let heads = ["construct", "n and 4n", "steps", "step with the largest ratio", "ratio"];
                    page::write("worst", &heads, &[row])?;
                }
            }
            Err(error) => {
                println!("{name}: {error}");
                failures += 1;
            }
        }
        println!("  {:.1} s", begin.elapsed().as_secs_f64());
    }
    println!("{} in {} s", chosen.len(), start.elapsed().as_secs());
    match failures {
        0 => Ok(()),
        failures => Err(format!("{failures} worse than linear, or beyond max_bytes").into()),
    }
}

/// A measurement: the step, the size of the input, the work, and the number of bytes of output.
struct Measured {
    what: String,
    size: usize,
    work: u64,
    given: u64,
}

/// Measures a construct or a fixture in a process of its own.
fn count(name: &str, size: usize, valgrind: bool) -> Result<Vec<Measured>, Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let folder = std::env::temp_dir().join(format!("rezkit-worst-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut command = Command::new(if valgrind { Path::new("valgrind") } else { &program });
    if valgrind {
        command
            .args(["--tool=callgrind", "-q", "--collect-atstart=no"])
            .arg(format!("--toggle-collect={COUNTED}"))
            .arg(format!("--dump-after={COUNTED}"))
            .arg(format!("--callgrind-out-file={}", folder.join("out").display()))
            .arg(&program);
    }
    command.args(["worst", "--run", name, "--size", &size.to_string()]).stderr(Stdio::inherit());
    let output = command.output()?;
    let mut found = Vec::new();
    let text = String::from_utf8(output.stdout)?;
    for (index, line) in text.lines().enumerate() {
        let [what, size, bytes, given] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("an odd line {line:?}").into());
        };
        let work = match valgrind {
            true => instructions(&folder.join(format!("out.{}", index + 1)))?,
            false => bytes.parse()?,
        };
        found.push(Measured { what: what.to_owned(), size: size.parse()?, work, given: given.parse()? });
    }
    fs::remove_dir_all(&folder)?;
    match output.status.success() {
        true => Ok(found),
        false => {
            let last = text.lines().last().unwrap_or_default();
            Err(format!("ended early ({}), after: {last}", output.status).into())
        }
    }
}

/// The number of instructions in one dump.
fn instructions(path: &Path) -> Result<u64, Box<dyn std::error::Error>> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let total =
        text.lines().rev().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    Ok(total.unwrap_or("0").trim().parse()?)
}

/// Prints the steps whose work grew too much. Returns their number, and the row of the construct in docs/ROBUSTNESS.md,
/// which contains the step whose work per byte of output grew most.
fn judge(name: &str, size: usize, measured: &[Measured]) -> (usize, Row) {
    let mut steps: BTreeMap<&str, BTreeMap<usize, (u64, u64)>> = BTreeMap::new();
    for Measured { what, size, work, given } in measured {
        steps.entry(what).or_default().insert(*size, (*work, *given));
    }
    let (mut failures, mut most) = (0, ("-", 1.0));
    for (what, sizes) in &steps {
        if what.contains("max_bytes") {
            println!("{what}");
            failures += 1;
        }
        let (Some((_, &small)), Some((_, &large))) = (sizes.first_key_value(), sizes.last_key_value()) else {
            continue;
        };
        if sizes.len() < 2 || large.0 <= LITTLE {
            continue;
        }
        // By which factor the output grew beyond four times the size.
        let given = (large.1 as f64 / small.1.max(1) as f64 / 4.0).max(1.0);
        let times = large.0 as f64 / small.0.max(1) as f64;
        if times > FACTOR {
            println!(
                "{what}: {} at n, {} at 4n: {times:.1} times, {:.1} times the bytes",
                small.0,
                large.0,
                given * 4.0
            );
            failures += usize::from(times > FACTOR * given);
        }
        if times / given > most.1 {
            most = (what, times / given);
        }
    }
    println!("{name}: {} steps, {failures} failures", steps.len());
    let cells = vec![
        format!("{size}, {}", size * 4),
        steps.len().to_string(),
        most.0.into(),
        format!("{:.1}", most.1),
    ];
    (failures, Row { of: vec![name.to_owned()], cells })
}

fn run_named(name: &str, size: usize) {
    if let Some((format, file)) = name.split_once('/') {
        for (what, make) in grown::of(format, file) {
            for size in [GROWN, GROWN * 4] {
                let Some(bytes) = make(size) else { continue };
                let input = Input::new(&bytes, file, &ALONE, 1 << 30);
                let is_own = |step: &targets::Step| {
                    step.of == format || ["info", "check", "write"].contains(&step.name)
                };
                done(&input, size, &format!("{what}: "), is_own);
                if size > GROWN {
                    limited(&what, &bytes);
                }
            }
        }
    }
    for construct in constructs::all().iter().filter(|construct| construct.title() == name) {
        for size in [size, size * 4] {
            let (bytes, beside) = (construct.make(size), construct.beside(size));
            done(&Input::new(&bytes, construct.file, &beside, 1 << 30), size, "", |_| true);
        }
    }
}

/// Runs the chosen steps with one input, and prints a line for each of them.
fn done(input: &Input<'_>, size: usize, what: &str, is_chosen: impl Fn(&targets::Step) -> bool) {
    for step in super::steps(input).into_iter().filter(is_chosen) {
        input.given.set(0);
        let allocated = measured(&mut || step.run(input));
        println!("{what}{}\t{size}\t{allocated}\t{}", step.title(), input.given.get());
    }
}

/// Reads with half and a tenth of the memory that reading takes, and prints a line if more is allocated.
fn limited(what: &str, bytes: &[u8]) {
    let whole = testkit::measure(|| drop(rezkit::read(bytes))).bytes_max;
    for allowed in [whole / 2, whole / 10] {
        let options = ReadOptions::new().max_bytes(allowed);
        let taken = testkit::measure(|| drop(options.read(bytes))).bytes_max;
        if taken > allowed + BESIDE {
            println!("{what}: reading took {taken} bytes with max_bytes {allowed}\t0\t0\t0");
            // Make a dump for the line.
            measured(&mut || {});
        }
    }
}

/// Calls a function, and returns the number of bytes that it allocated.
fn measured(work: &mut dyn FnMut()) -> u64 {
    // An allocation of this size makes the allocator merge freed memory now, so that this work is not counted.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 16)));
    counted(work)
}

/// Callgrind counts only the instructions of this call. Steps measure their own allocations, and nested measurements
/// are not added up.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) -> u64 {
    testkit::measure(work).bytes_total
}
