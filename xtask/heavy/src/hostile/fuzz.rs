//! Coverage-guided fuzzing on nightly, and short runs of the same steps on stable.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lexopt::{Arg, ValueExt};
use rezkit::Wrapped;
use targets::{NAMES, Step};

use super::page::{self, Row};
use super::samples;
use crate::bytes::zip;
use xtask::{Outcome, root};

/// The number of mutations of each seed in a smoke run.
const SMOKE: usize = 200;

/// The shortest time in seconds for which the fuzzer is started.
const LEAST: u64 = 10;

/// The greatest size of a seed in bytes.
const LARGEST: usize = 8 << 10;

/// Steps of the kit that can be fuzzed as one target. The conversions are one more target, `conversions`, and so are the
/// steps of each crate.
const TOGETHER: [(&str, &[&str]); 3] = [
    (
        "reports",
        &["unwrap", "info", "check", "check with profiles", "tree", "find", "diff", "scripts", "assets"],
    ),
    ("edits", &["write", "extract", "pack", "set", "insert"]),
    ("scenes", &["scene", "lods", "lods of a mesh", "sl", "sl with fix", "render", "show"]),
];

/// The steps of a target of several steps.
fn together(target: &str) -> Vec<Step> {
    let named = TOGETHER.iter().find(|(name, _)| *name == target).map(|(_, steps)| *steps);
    let is_in = |step: &Step| match named {
        Some(names) => step.of == "kit" && !step.is_form() && names.contains(&step.name),
        None => (target == "conversions" && step.is_form()) || (target == step.of && target != "kit"),
    };
    targets::steps().into_iter().filter(is_in).collect()
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let (mut seconds, mut smoke, mut write, mut inputs) = (60, false, false, SMOKE);
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
    let all = targets::steps();
    let single = |step: &Step| (step.title(), vec![*step]);
    let mut chosen: Vec<(String, Vec<Step>)> = Vec::new();
    for name in &names {
        let is = |step: &&Step| *name == step.title() || name == step.of;
        let found: Vec<_> = match together(name) {
            steps if steps.is_empty() => all.iter().filter(is).map(single).collect(),
            steps => vec![(name.clone(), steps)],
        };
        if found.is_empty() {
            let known: Vec<_> = all.iter().map(Step::title).collect();
            return Err(format!("no step and no crate {name}; there are {}", known.join(", ")).into());
        }
        chosen.extend(found);
    }
    if names.is_empty() {
        chosen.extend(all.iter().map(single));
    }
    if smoke {
        smoke_run(&chosen.into_iter().flat_map(|(_, steps)| steps).collect::<Vec<_>>(), inputs);
        return Ok(());
    }
    // Take the commit now, since sources can be edited while this program runs. Build without the address sanitizer:
    // the crates have no unsafe code, and a run takes half as long without it.
    let commit = xtask::commit();
    let build = ["+nightly", "fuzz", "build", "--fuzz-dir", ".", "--sanitizer", "none"];
    if !Command::new("cargo").args(build).current_dir(fuzz_folder()).status()?.success() {
        let install = "rustup toolchain install nightly; cargo install --locked cargo-fuzz";
        return Err(format!("cargo fuzz did not build (it needs: {install})").into());
    }
    let mut findings = 0;
    for (name, steps) in chosen {
        let run = fuzz(&name, &steps, seconds)?;
        findings += run[3];
        if write {
            let heads = ["target", "runs", "edges", "seconds", "findings", "commit"];
            let cells = run.map(|count| count.to_string()).into_iter().chain([commit.clone()]).collect();
            page::write("fuzz", &heads, &[Row { of: vec![name], cells }])?;
        }
    }
    match findings {
        0 => Ok(()),
        findings => Err(format!("{findings} findings; their files are in xtask/fuzz/artifacts").into()),
    }
}

/// The seeds of a step: the fixtures of its crate and, for the fuzzer, small real files.
fn seeds(step: &Step, real: bool) -> Vec<Vec<u8>> {
    let mut rng = testkit::Rng(0x5eed);
    let mut random = |length: usize| (0..length).map(|_| rng.next().to_le_bytes()[0]).collect::<Vec<u8>>();
    let fixtures = |format: &str| testkit::fixtures(format).into_iter().map(|sample| sample.bytes);
    let whole = |format: &str| -> Vec<Vec<u8>> {
        let samples = if real { samples::of(format) } else { Vec::new() };
        let samples = samples.into_iter().map(|sample| sample.bytes).filter(|bytes| bytes.len() <= LARGEST);
        fixtures(format).chain(samples).collect()
    };
    match (step.of, step.name) {
        // The frames are files of the crate's tests.
        ("rezstd", _) => {
            let frames = fs::read_dir(root().join("crates/rezstd/tests/frames")).into_iter().flatten();
            frames.filter_map(|frame| fs::read(frame.ok()?.path()).ok()).collect()
        }
        ("geom", _) => vec![(0..=255).collect()],
        ("scene", _) => (1..100).map(|number| random(number * 10)).collect(),
        ("luau", _) => {
            [&b"local a = loadstring(require(5)) -- \"a\\\n"[..], b"{\"properties\":{\"Name\":1}}"]
                .map(<[u8]>::to_vec)
                .into()
        }
        ("rbxblobs", _) => fixtures("rbxblobs").collect(),
        ("slmesh", "blocks") => {
            fixtures("slmesh").flat_map(|bytes| targets::formats::block_seeds(&bytes)).collect()
        }
        ("kit", _) => kit_seeds(real),
        // A file follows the number of edits and the edits.
        (format, _) => {
            let edited = whole(format)
                .into_iter()
                .flat_map(|bytes| (0..8_u8).map(move |count| (count, bytes.clone())));
            edited
                .map(|(count, bytes)| {
                    [&[count], &*random(usize::from(count) * targets::model::EDIT), &bytes].concat()
                })
                .collect()
        }
    }
}

/// Some fixtures of each format, compressed and archived files, and conversions of the fixtures to formats of scenes.
/// The first byte of a seed is the index of its file name in [`NAMES`].
fn kit_seeds(real: bool) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    let mut add = |which: usize, bytes: &[u8]| {
        if bytes.len() < LARGEST {
            seeds.push([&[u8::try_from(which).unwrap_or_default()], bytes].concat());
        }
    };
    for (format, every) in
        [("rbxmesh", 9), ("rbxbinary", 5), ("rbxxml", 5), ("m3d", 19), ("slmesh", 5), ("llsd", 9)]
    {
        for (at, sample) in testkit::fixtures(format).into_iter().step_by(every).enumerate() {
            add(0, &sample.bytes);
            if at == 0
                && let Ok(packed) = Wrapped::Gzip(1).wrap(sample.bytes.clone())
            {
                add(0, &packed);
                add(0, &zip(&[(&sample.name, &packed)]));
            }
            if at > 1 && !real {
                continue;
            }
            let Ok(mut opened) = rezkit::open(sample.bytes, &sample.name, ()) else { continue };
            for (which, name) in NAMES.iter().enumerate().skip(1) {
                let options = rezkit::ConvertOptions::new().allow_loss(true);
                if let Ok(output) = opened.convert(None, name, &options) {
                    add(which, output.files.first().map(|file| &*file.bytes).unwrap_or_default());
                }
            }
        }
    }
    let formats = samples::formats().filter(|_| real).flat_map(samples::of);
    for sample in formats.step_by(5) {
        let ending = sample.name.rsplit('.').next().unwrap_or_default();
        let which = NAMES.iter().position(|name| name.ends_with(&format!(".{ending}")));
        add(which.unwrap_or(0), &sample.bytes);
    }
    seeds
}

fn fuzz_folder() -> PathBuf {
    root().join("xtask/fuzz")
}

/// Runs the program of cargo-fuzz for a target, whose inputs begin with the index of the step if it has several. The
/// program continues after a finding. It is started again until it has used its seconds of processor time, since
/// libFuzzer only measures wall time. Returns the number of runs, the number of edges between basic blocks that were
/// covered, the seconds and the number of findings.
fn fuzz(title: &str, steps: &[Step], seconds: u64) -> Result<[u64; 4], Box<dyn std::error::Error>> {
    let [corpus, artifacts] =
        ["corpus", "artifacts"].map(|name| fuzz_folder().join(name).join(title.replace(' ', "_")));
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    let found = || fs::read_dir(&artifacts).map_or(0, |files| files.count() as u64);
    let found_before = found();
    for (index, step) in steps.iter().enumerate() {
        let index = (steps.len() > 1).then_some(u8::try_from(index)?);
        for (number, seed) in seeds(step, true).iter().enumerate() {
            let data: Vec<u8> = index.iter().chain(seed).copied().collect();
            fs::write(corpus.join(format!("seed-{}-{number}", index.unwrap_or(0))), data)?;
        }
    }
    println!("== {title} for {seconds} s of the processor");
    let (before, start) = (xtask::processor_time(), Instant::now());
    let [mut runs, mut edges, mut took] = [0; 3];
    while took < seconds {
        let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let mut process = Command::new(fuzz_folder().join("target").join(triple).join("release/any"))
            .env("STEP", steps.iter().map(Step::title).collect::<Vec<_>>().join(","))
            .args(["-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1"])
            .args(["-rss_limit_mb=2048", "-timeout=10", "-max_len=65536"])
            .arg(format!("-max_total_time={}", (seconds - took).max(LEAST)))
            .arg(format!("-artifact_prefix={}/", artifacts.display()))
            .arg(&corpus)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut ran = 0;
        for line in BufReader::new(process.stderr.take().ok_or("no standard error")?).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            // `#61: cov: 211 ft: 212 corp: 30 exec/s: 30 oom/timeout/crash: 0/0/0 time: 2s job: 1 dft_time: 0`
            let words: Vec<&str> = line.split_whitespace().collect();
            if let ["cov:", cov, ..] = words.get(1..).unwrap_or_default()
                && line.contains("oom/timeout/crash:")
            {
                (ran, edges) = (words[0].trim_matches(['#', ':']).parse()?, cov.parse()?);
            } else if line.contains("panicked") || line.contains("ERROR: libFuzzer") {
                println!("{line}");
            }
        }
        process.wait()?;
        if ran == 0 {
            return Err(format!("{title} did not run").into());
        }
        runs += ran;
        let cpu = xtask::processor_time().zip(before).map(|(after, before)| after - before);
        took = cpu.unwrap_or_else(|| start.elapsed()).as_secs();
    }
    // Counted as files, since the last findings may not be in the output.
    let findings = found() - found_before;
    println!("{runs} runs, {edges} edges, {took} s, {findings} findings");
    Ok([runs, edges, took, findings])
}

/// Runs the steps with every seed and with some mutations of it, on any toolchain.
fn smoke_run(chosen: &[Step], inputs: usize) {
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(step) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut rng = testkit::Rng(0xf022);
            let seeds = seeds(step, false);
            // `kit` has many seeds and steps; scenes and scripts take longer for each input.
            let inputs = match step.of {
                "kit" => inputs / 100,
                "scene" | "luau" => inputs / 20,
                _ => inputs / 4,
            };
            for seed in &seeds {
                step.feed(seed);
                (0..inputs).for_each(|_| step.feed(&testkit::mutate(seed, &mut rng)));
            }
            println!("{}: {} inputs", step.title(), seeds.len() * (inputs + 1));
        }
    };
    // If a step panics, the scope ends with a panic.
    std::thread::scope(|scope| {
        (0..std::thread::available_parallelism().map_or(1, usize::from)).for_each(|_| drop(scope.spawn(run)));
    });
}
