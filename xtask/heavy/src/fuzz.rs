//! Coverage-guided fuzzing on nightly, and the same targets on stable for a moment each.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use lexopt::{Arg, ValueExt};
use rezkit::{ConvertOptions, Wrapped};
use targets::kit::FOREIGN;
use targets::{TARGETS, Target};

use crate::bytes::zip;
use xtask::{Outcome, root};

/// How many mutations of each seed a smoke run tries.
const SMOKE: usize = 200;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut seconds: u64 = 60;
    let mut smoke = false;
    let mut inputs = SMOKE;
    let mut names: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("seconds") => seconds = args.value()?.parse()?,
            Arg::Long("smoke") => smoke = true,
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
    chosen.into_iter().try_for_each(|target| fuzz(target, seconds))
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

/// cargo-fuzz, with the fixtures as seeds.
fn fuzz(target: &Target, seconds: u64) -> Outcome {
    let folder = root().join("xtask/fuzz");
    let corpus = folder.join("corpus").join(target.name);
    fs::create_dir_all(&corpus)?;
    for (number, seed) in seeds(target).into_iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    println!("== {} for {seconds} s", target.name);
    // Without the sanitizer of addresses: the crates have no unsafe code, and without it a run takes half as long.
    let status = Command::new("cargo")
        .args(["+nightly", "fuzz", "run", "--fuzz-dir", ".", "--sanitizer", "none", target.name, "--"])
        .args(["-rss_limit_mb=4096", "-timeout=20", "-max_len=65536"])
        .arg(format!("-max_total_time={seconds}"))
        .current_dir(&folder)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => {
            let install = "rustup toolchain install nightly; cargo install --locked cargo-fuzz";
            Err(format!("{} found something, or did not run (it needs: {install})", target.name).into())
        }
    }
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
