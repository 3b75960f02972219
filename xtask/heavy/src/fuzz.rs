//! Coverage-guided fuzzing on nightly, and the same targets on stable for a moment each.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lexopt::{Arg, ValueExt};
use rezkit::{ConvertOptions, Wrapped};
use targets::kit::{FOREIGN, PLAIN};
use targets::{TARGETS, Target};

use crate::attack::{formats, small};
use crate::bytes::zip;
use crate::page::{self, Row};
use xtask::{Outcome, root};

/// How many mutations of each seed a smoke run tries.
const SMOKE: usize = 200;

/// How many seconds a target runs at least before it begins again with its corpus.
const LEAST: u64 = 10;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut seconds: u64 = 60;
    let (mut smoke, mut write) = (false, false);
    let mut inputs = SMOKE;
    let mut names: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("seconds") => seconds = args.value()?.parse()?,
            Arg::Long("smoke") => smoke = true,
            Arg::Long("write") => write = true,
            Arg::Long("inputs") => inputs = args.value()?.parse()?,
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    let is = |target: &Target, name: &String| name == target.name || name == target.seeds;
    if let Some(name) = names.iter().find(|name| !TARGETS.iter().any(|target| is(target, name))) {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("no target and no crate {name}; there are {}", known.join(", ")).into());
    }
    let chosen = |target: &&Target| names.is_empty() || names.iter().any(|name| is(target, name));
    let chosen: Vec<_> = TARGETS.iter().filter(chosen).collect();
    if smoke {
        smoke_run(&chosen, inputs);
        return Ok(());
    }
    // Of which the programs are, whatever is edited while they run.
    let commit = xtask::commit();
    chosen.iter().try_for_each(|target| {
        cargo_fuzz(&["build", "--fuzz-dir", ".", "--sanitizer", "none", target.name])
    })?;
    let mut findings = 0;
    for target in chosen {
        let run = fuzz(target, seconds)?;
        findings += run.findings;
        if write {
            let heads = ["target", "runs", "edges", "seconds", "findings", "commit"];
            let cells = [run.runs, run.edges, run.seconds, run.findings].map(|count| count.to_string());
            let cells = cells.into_iter().chain([commit.clone()]).collect();
            page::write("fuzz", &heads, &[Row { of: vec![target.name.to_owned()], cells }])?;
        }
    }
    match findings {
        0 => Ok(()),
        findings => Err(format!("{findings} findings; their files are in xtask/fuzz/artifacts").into()),
    }
}

/// What a target begins with: the fixtures of its crate, or what is made of them.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    if target.seeds == "rezstd" {
        // Frames ship with the tests of the crate.
        let frames = fs::read_dir(root().join("crates/rezstd/tests/frames")).into_iter().flatten();
        return frames.filter_map(|frame| fs::read(frame.ok()?.path()).ok()).collect();
    }
    if target.seeds == "geom" {
        return vec![(0..=255).collect()];
    }
    if target.seeds == "scene" {
        let mut rng = testkit::Rng(0x5eed);
        let mut seed = |length: usize| (0..length).map(|_| rng.next().to_le_bytes()[0]).collect();
        return (1..100).map(|number| seed(number * 10)).collect();
    }
    if target.seeds == "kit" {
        return kit_seeds(target.name);
    }
    let fixtures = testkit::fixtures(target.seeds).into_iter().map(|sample| sample.bytes);
    match target.name {
        "slmesh_blocks" => fixtures.flat_map(|bytes| targets::block_seeds(&bytes)).collect(),
        "slmesh_motion" => targets::motion_seeds(),
        // Before a file: the count of edits, and the edits.
        name if name.ends_with("_model") || name.ends_with("_differential") && target.seeds != "llsd" => {
            let mut rng = testkit::Rng(0x5eed);
            let edited = fixtures.flat_map(|bytes| (0..8_u8).map(move |count| (count, bytes.clone())));
            let edits = edited.map(|(count, bytes)| {
                let edits = (0..usize::from(count) * targets::EDIT).map(|_| rng.next().to_le_bytes()[0]);
                [count].into_iter().chain(edits).chain(bytes).collect()
            });
            edits.collect()
        }
        _ => fixtures.collect(),
    }
}

/// Some fixtures of each format, wrapped files, and what the fixtures become in formats of scenes. The first byte is the
/// index of the file's name.
fn kit_seeds(target: &str) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut add = |which: usize, bytes: &[u8]| {
        if bytes.len() < 8 << 10 {
            seeds.push([&[u8::try_from(which).unwrap_or_default()], bytes].concat());
        }
    };
    let foreign = matches!(target, "kit_foreign" | "kit_scene" | "kit_render");
    for (format, every) in
        [("rbxmesh", 9), ("rbxbinary", 5), ("rbxxml", 5), ("m3d", 19), ("slmesh", 5), ("llsd", 9)]
    {
        for sample in testkit::fixtures(format).into_iter().step_by(every) {
            if target != "kit_foreign" {
                add(0, &sample.bytes);
            }
            if target == "kit_unwrap"
                && let Ok(packed) = Wrapped::Gzip(1).wrap(sample.bytes.clone())
            {
                add(0, &packed);
                add(0, &zip(&[(&sample.name, &packed)]));
            }
            let Ok(mut opened) = rezkit::open(sample.bytes, &sample.name, ()) else { continue };
            for (which, name) in FOREIGN.iter().enumerate().filter(|_| foreign) {
                let options = ConvertOptions::new().allow_loss(true);
                if let Ok(output) = opened.convert(None, name, &options) {
                    add(which, output.files.first().map(|file| &*file.bytes).unwrap_or_default());
                }
            }
        }
    }
    seeds
}

/// What came of a target: how often it ran, how many edges between blocks of code it reached, how much of the processor's time.
#[derive(Default)]
struct Run {
    runs: u64,
    edges: u64,
    seconds: u64,
    findings: u64,
}

/// Without the sanitizer of addresses: the crates have no unsafe code, and without it a run takes half as long.
fn cargo_fuzz(args: &[&str]) -> Outcome {
    let status =
        Command::new("cargo").args(["+nightly", "fuzz"]).args(args).current_dir(fuzz_folder()).status()?;
    let install = "rustup toolchain install nightly; cargo install --locked cargo-fuzz";
    if status.success() {
        Ok(())
    } else {
        Err(format!("cargo fuzz did not build (it needs: {install})").into())
    }
}

fn fuzz_folder() -> PathBuf {
    root().join("xtask/fuzz")
}

/// The program of cargo-fuzz, with fixtures and small real files as seeds. It goes on after a finding, and again until it had
/// its seconds of the processor, since libFuzzer knows those of the clock alone.
fn fuzz(target: &Target, seconds: u64) -> Result<Run, Box<dyn std::error::Error>> {
    let folder = fuzz_folder();
    let (corpus, artifacts) =
        (folder.join("corpus").join(target.name), folder.join("artifacts").join(target.name));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let found = || fs::read_dir(&artifacts).map_or(0, |files| files.count() as u64);
    let found_before = found();
    for (number, seed) in seeds(target).into_iter().chain(real(target)).enumerate() {
        fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    println!("== {} for {seconds} s of the processor", target.name);
    let (before, start) = (xtask::processor_time(), Instant::now());
    let mut run = Run::default();
    while run.seconds < seconds {
        let (runs, edges) = turn(target, (seconds - run.seconds).max(LEAST), &corpus, &artifacts)?;
        (run.runs, run.edges) = (run.runs + runs, edges);
        run.seconds = match xtask::processor_time().zip(before) {
            Some((after, before)) => (after - before).as_secs(),
            None => start.elapsed().as_secs(),
        };
    }
    // The last of them are in no line.
    run.findings = found() - found_before;
    println!("{} runs, {} edges, {} s, {} findings", run.runs, run.edges, run.seconds, run.findings);
    Ok(run)
}

/// Some seconds of the clock: how often it ran, and how many edges it reached.
fn turn(
    target: &Target,
    seconds: u64,
    corpus: &Path,
    artifacts: &Path,
) -> Result<(u64, u64), Box<dyn std::error::Error>> {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let programs = fuzz_folder().join("target").join(triple).join("release");
    let mut process = Command::new(programs.join(target.name))
        .args(["-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1"])
        .args(["-rss_limit_mb=2048", "-timeout=10", "-max_len=65536"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(corpus)
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut runs, mut edges) = (0, 0);
    for line in BufReader::new(process.stderr.take().ok_or("no standard error")?).split(b'\n') {
        let line = String::from_utf8_lossy(&line?).into_owned();
        // `#61: cov: 211 ft: 212 corp: 30 exec/s: 30 oom/timeout/crash: 0/0/0 time: 2s job: 1 dft_time: 0`
        let words: Vec<&str> = line.split_whitespace().collect();
        let after = |name: &str| {
            words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied()
        };
        if let (Some(_), Some(found)) = (after("oom/timeout/crash:"), after("cov:")) {
            runs = words[0].trim_matches(['#', ':']).parse()?;
            edges = found.parse()?;
        } else if line.contains("panicked") || line.contains("ERROR: libFuzzer") {
            println!("{line}");
        }
    }
    process.wait()?;
    if runs == 0 { Err(format!("{} did not run", target.name).into()) } else { Ok((runs, edges)) }
}

/// Small real files of the formats that a target reads.
fn real(target: &Target) -> Vec<Vec<u8>> {
    const LARGEST: usize = 8 << 10;
    if ["geom", "scene", "rezstd", "rbxblobs"].contains(&target.seeds) || target.name.ends_with("_model") {
        return Vec::new();
    }
    if target.seeds != "kit" {
        return small(target.seeds, LARGEST).into_iter().map(|(_, bytes)| bytes).collect();
    }
    let names =
        if ["kit_foreign", "kit_scene", "kit_render"].contains(&target.name) { &FOREIGN[..] } else { &PLAIN };
    let formats = formats().flat_map(|format| small(format, LARGEST).into_iter().step_by(5));
    let seed = |(name, bytes): (String, Vec<u8>)| {
        let ending = name.rsplit('.').next().unwrap_or_default();
        let which = names.iter().position(|name| name.ends_with(&format!(".{ending}"))).unwrap_or(0);
        [&[which as u8], &bytes[..]].concat()
    };
    formats.map(seed).collect()
}

/// Every seed and some mutations of it, on any toolchain.
fn smoke_run(chosen: &[&Target], inputs: usize) {
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(target) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut rng = testkit::Rng(0xf022);
            let seeds = seeds(target);
            // The kit and scenes do more with each.
            let inputs = if ["kit", "scene"].contains(&target.seeds) { inputs / 20 } else { inputs };
            for seed in &seeds {
                (target.run)(seed);
                (0..inputs).for_each(|_| (target.run)(&testkit::mutate(seed, &mut rng)));
            }
            println!("{}: {} inputs", target.name, seeds.len() * (inputs + 1));
        }
    };
    // A target that panics ends the scope with a panic.
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(run)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table, the programs and the manifest name the same targets.
    #[test]
    fn each_target_has_its_program() {
        let folder = root().join("xtask/fuzz");
        let manifest: toml::Table =
            fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest").parse().expect("TOML");
        let programs = manifest["bin"].as_array().expect("programs").iter();
        let programs: Vec<_> = programs.map(|bin| bin["name"].as_str().expect("a name")).collect();
        let table: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(programs, table);
        for name in table {
            let text = fs::read_to_string(folder.join(format!("fuzz_targets/{name}.rs"))).expect(name);
            assert!(text.contains(&format!("\"{name}\"")), "{name}");
        }
    }
}
