//! Worst cases: runs each public function on what repeats, at n and at 4n, and fails where the second
//! needs more than five times the instructions of the first.
//!
//! Instructions are counted by valgrind's callgrind, which needs no privileges and counts the same on
//! every run. This program runs itself under it: each call of [`counted`] is dumped alone. Where there is
//! no valgrind, allocated bytes are compared instead, which finds less.
//!
//! What a function gives can be longer than its input: paths in a chain of instances grow with the square of its length, and so
//! do columns of which each instance has one of its own. There the work is compared for each byte that is given.
//!
//! For each case it also reads with `max_bytes` at a half and at a tenth of what the read took, and fails
//! where more than that was allocated at once.

mod cases;
pub(crate) mod kit;
mod more;
pub(crate) mod special;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use lexopt::{Arg, ValueExt};
use rezkit::{Asset, ReadOptions, WriteOptions};

use crate::page::{self, Row};
use cases::Case;
use xtask::Outcome;

/// How often the construct of a case is repeated, at first.
const SIZE: usize = 500;

/// The same of constructs of the kit, which does more with each.
const KIT_SIZE: usize = 100;

/// How many times more work four times as much may take: a little more than n log n.
const FACTOR: f64 = 5.0;

/// Below this much work at 4n, constants are all there is.
const LITTLE: u64 = 100_000;

/// What a read may take beside `max_bytes`: the tables of decompressors, and the model's own struct.
const BESIDE: u64 = 256 << 10;

/// The program's function whose instructions are counted.
const COUNTED: &str = "heavy::worst::counted";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut names: Vec<String> = Vec::new();
    let (mut child, mut list, mut write) = (false, false, false);
    let (mut filter, mut size) = (String::new(), KIT_SIZE);
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("run") => child = true,
            Arg::Long("list") => list = true,
            Arg::Long("write") => write = true,
            Arg::Long("size") => size = args.value()?.parse()?,
            Arg::Long("case") => filter = args.value()?.string()?,
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    // After `kit`, the names of its constructs, or parts of them.
    if names.first().is_some_and(|name| name == "kit") {
        let is_chosen = |construct: &&kit::Construct| {
            names.len() == 1 || names[1..].iter().any(|name| construct.name.contains(name.as_str()))
        };
        let chosen: Vec<_> = kit::all().filter(is_chosen).collect();
        return match (child, list) {
            (true, _) => {
                let named = chosen.into_iter().filter(|construct| construct.name == names[1]);
                named.for_each(|construct| run_kit(construct, size));
                Ok(())
            }
            (_, true) => {
                chosen.iter().for_each(|construct| println!("{}", construct.name));
                Ok(())
            }
            _ => whole_kit(&chosen, size, write),
        };
    }
    let known: Vec<_> = xtask::formats().collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("no format {name}; there are {}, and kit", known.join(", ")).into());
    }
    let chosen =
        known.iter().copied().filter(|known| names.is_empty() || names.iter().any(|name| name == known));
    let chosen: Vec<&str> = chosen.collect();
    if child || list {
        for case in chosen.iter().flat_map(|name| cases::of(name)).filter(|case| case.name.contains(&filter))
        {
            if list {
                println!("{}", case.name);
            } else {
                run_case(&case);
            }
        }
        return Ok(());
    }
    let valgrind = has_valgrind();
    let mut failures = 0;
    // Two at a time: each is a process of one thread.
    for pair in chosen.chunks(2) {
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = pair
                .iter()
                .map(|name| {
                    let args = [*name, "--case", &filter].map(str::to_owned);
                    scope.spawn(move || count(&args, valgrind).map_err(|error| error.to_string()))
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err("panicked".into())))
                .collect()
        });
        for (name, result) in pair.iter().zip(results) {
            failures += judge(name, &result?);
        }
    }
    // Without names, everything.
    if names.is_empty() {
        return whole_kit(&kit::all().collect::<Vec<_>>(), size, write).and(outcome(failures));
    }
    outcome(failures)
}

fn outcome(failures: usize) -> Outcome {
    match failures {
        0 => Ok(()),
        failures => Err(format!("{failures} worse than linear, or beyond max_bytes").into()),
    }
}

/// Whether there is one; tells what is counted.
fn has_valgrind() -> bool {
    let has = Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    println!("counted: {}", if has { "instructions, by callgrind" } else { "allocated bytes (no valgrind)" });
    has
}

/// Each construct in a process of its own, one after the other, with a line about it.
fn whole_kit(chosen: &[&kit::Construct], size: usize, write: bool) -> Outcome {
    let (valgrind, start) = (has_valgrind(), Instant::now());
    let mut failures = 0;
    for construct in chosen {
        let begin = Instant::now();
        let name = format!("{} ({})", construct.name, construct.file);
        match count(&["kit", construct.name, "--size", &size.to_string()].map(str::to_owned), valgrind) {
            Ok(measured) => {
                failures += judge(&name, &measured);
                if write {
                    page::write(
                        "worst",
                        &["construct", "n and 4n", "functions", "most", "times"],
                        &[row(construct, size, &measured)],
                    )?;
                }
            }
            Err(error) => {
                println!("{name}: {error}");
                failures += 1;
            }
        }
        println!("  {:.1} s", begin.elapsed().as_secs_f64());
    }
    println!("kit: {} constructs in {} s", chosen.len(), start.elapsed().as_secs());
    outcome(failures)
}

/// A measurement: the case, what was done, how many times the construct was repeated, how much work it was, and how many bytes
/// were given.
struct Measured {
    what: String,
    size: usize,
    work: u64,
    given: u64,
}

/// Runs the cases of a format, or a construct of the kit, in a process of its own.
fn count(args: &[String], valgrind: bool) -> Result<Vec<Measured>, Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let name = args.first().map_or("", String::as_str);
    let folder = std::env::temp_dir().join(format!("rezkit-worst-{}-{name}", std::process::id()));
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
    command.args(["worst", "--run"]).args(args).stderr(Stdio::inherit());
    let output = command.output()?;
    let mut found = Vec::new();
    let text = String::from_utf8(output.stdout)?;
    for (index, line) in text.lines().enumerate() {
        let mut parts = line.split('\t');
        let mut next = || parts.next();
        let (Some(what), Some(size), Some(bytes), Some(given)) = (next(), next(), next(), next()) else {
            return Err(format!("{name}: an odd line {line:?}").into());
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
        false => Err(format!(
            "{name} ended early ({}), after: {}",
            output.status,
            text.lines().last().unwrap_or("")
        )
        .into()),
    }
}

/// The instructions of one dump.
fn instructions(path: &PathBuf) -> Result<u64, Box<dyn std::error::Error>> {
    let text =
        String::from_utf8_lossy(&fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?)
            .into_owned();
    let total =
        text.lines().rev().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    Ok(total.unwrap_or("0").trim().parse()?)
}

/// A construct's row in docs/ROBUSTNESS.md: the function that grew most, for each byte that it gives.
fn row(construct: &kit::Construct, size: usize, measured: &[Measured]) -> Row {
    let pairs = pairs(measured);
    let growth = |sizes: &BTreeMap<usize, (u64, u64)>| {
        let ((_, &small), (_, &large)) = (sizes.first_key_value()?, sizes.last_key_value()?);
        (large.0 > LITTLE).then(|| large.0 as f64 / small.0.max(1) as f64 / given(small.1, large.1))
    };
    let all = pairs.iter().filter_map(|(what, sizes)| Some((*what, growth(sizes)?)));
    let (what, most) = all.max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or(("-", 1.0));
    let sizes = format!("{size}, {}", size * 4);
    let cells = vec![sizes, pairs.len().to_string(), what.to_owned(), format!("{most:.1}")];
    Row { of: vec![format!("{} ({})", construct.name, construct.file)], cells }
}

/// How many times more than four times the bytes are given.
fn given(small: u64, large: u64) -> f64 {
    (large as f64 / small.max(1) as f64 / 4.0).max(1.0)
}

/// By function: the work and the bytes at each size.
fn pairs(measured: &[Measured]) -> BTreeMap<&str, BTreeMap<usize, (u64, u64)>> {
    let mut pairs: BTreeMap<&str, BTreeMap<usize, (u64, u64)>> = BTreeMap::new();
    for Measured { what, size, work, given } in measured {
        pairs.entry(what).or_default().insert(*size, (*work, *given));
    }
    pairs
}

/// Prints what grew too much; gives how many did.
fn judge(name: &str, measured: &[Measured]) -> usize {
    let pairs = pairs(measured);
    let mut failures = 0;
    for (what, sizes) in &pairs {
        if what.contains("max_bytes") {
            println!("{what}");
            failures += 1;
            continue;
        }
        let (Some((_, &small)), Some((_, &large))) = (sizes.first_key_value(), sizes.last_key_value()) else {
            continue;
        };
        let ((small, little), (large, much)) = (small, large);
        let factor = large as f64 / small.max(1) as f64;
        let given = given(little, much);
        if large > LITTLE && factor > FACTOR {
            let fails = factor > FACTOR * given;
            let of =
                if given > 1.0 { format!(", {:.1} times the bytes", given * 4.0) } else { String::new() };
            println!("{what}: {small} at n, {large} at 4n: {factor:.1} times{of}");
            failures += usize::from(fails);
        }
    }
    println!("{name}: {} functions on what repeats, {failures} failures", pairs.len());
    failures
}

/// Everything that is counted of a case, at n and at 4n.
fn run_case(case: &Case) {
    for size in [SIZE, SIZE * 4] {
        let Some((asset, bytes)) = (case.make)(size) else { continue };
        let line = |what: &str, allocated: u64| println!("{}: {what}\t{size}\t{allocated}\t0", case.name);
        if let Some(bytes) = &bytes {
            line("read", measured(&mut || drop(rezkit::read(bytes))));
            if size != SIZE {
                limited(case, bytes);
            }
        }
        let Some(asset) = asset.or_else(|| rezkit::read(bytes.as_deref()?).ok()) else { continue };
        line("write", measured(&mut || drop(asset.write(&WriteOptions::new()))));
        line("check", measured(&mut || drop(asset.check())));
        line("describe", measured(&mut || drop(asset.describe())));
        line("Debug", measured(&mut || drop(format!("{asset:?}"))));
        line("views and edits", measured(&mut || (case.everything)(&*asset)));
    }
}

/// Everything that the kit does with a file, at n and at 4n.
fn run_kit(construct: &kit::Construct, size: usize) {
    for size in [size, size * 4] {
        let (bytes, beside) = ((construct.make)(size), (construct.beside)(size));
        let line = |what: &str, work: &mut dyn FnMut() -> u64| {
            let mut given = 0;
            let allocated = measured(&mut || given = work());
            println!("{what}\t{size}\t{allocated}\t{given}");
        };
        targets::kit::each(&bytes, construct.file, &beside, 1 << 30, &mut |what, work| line(what, work));
    }
}

/// Reading with half and a tenth of the memory that it takes: an error, and no more than that.
fn limited(case: &Case, bytes: &[u8]) {
    let whole = testkit::measure(|| drop(rezkit::read(bytes))).bytes_max;
    for part in [2, 10] {
        let allowed = whole / part;
        let options = ReadOptions::new().max_bytes(allowed);
        let taken = testkit::measure(|| drop(options.read(bytes))).bytes_max;
        if taken > allowed + BESIDE {
            println!("{}: reading took {taken} bytes with max_bytes {allowed}\t0\t0\t0", case.name);
            // A line for each dump.
            measured(&mut || {});
        }
    }
}

/// Calls a function, and gives the bytes that it allocated.
fn measured(work: &mut dyn FnMut()) -> u64 {
    // At a request of this size, the allocator merges what was freed before, which is not this function's work.
    drop(std::hint::black_box(Vec::<u8>::with_capacity(1 << 16)));
    counted(work)
}

/// Callgrind counts what happens in here alone.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) -> u64 {
    testkit::measure(work).bytes_total
}

/// A model of a format as its interface.
type Dynamic = Box<dyn Asset>;
