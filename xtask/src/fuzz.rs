//! Coverage-guided fuzzing on nightly, and the same targets on stable for a moment each.

use std::fs;
use std::process::Command;

use lexopt::{Arg, ValueExt};

use crate::{Outcome, root};

#[path = "../fuzz/src/targets.rs"]
mod targets;

use targets::{TARGETS, Target};

/// How many mutations of each fixture a smoke run tries.
const SMOKE: usize = 200;

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    let mut seconds: u64 = 60;
    let mut smoke = false;
    let mut names: Vec<String> = Vec::new();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("seconds") => seconds = args.value()?.parse()?,
            Arg::Long("smoke") => smoke = true,
            Arg::Value(name) => names.push(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if let Some(name) = names.iter().find(|name| !TARGETS.iter().any(|target| target.name == **name)) {
        let known: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        return Err(format!("no target {name}; there are {}", known.join(", ")).into());
    }
    for target in
        TARGETS.iter().filter(|target| names.is_empty() || names.iter().any(|name| name == target.name))
    {
        match smoke {
            true => smoke_run(target)?,
            false => fuzz(target, seconds)?,
        }
    }
    Ok(())
}

/// What a target begins with: the fixtures of its crate, or what is inside them.
fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let fixtures = testkit::fixtures(target.seeds).into_iter().map(|sample| sample.bytes);
    match target.name {
        "slmesh_blocks" => fixtures.flat_map(|bytes| blocks(&bytes)).collect(),
        _ => fixtures.collect(),
    }
}

/// What the blocks of a mesh asset inflate to, each behind the number of its name.
fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    let Ok(view) = slmesh::open(bytes) else { return Vec::new() };
    let numbered = (0_u8..).zip(targets::BLOCKS);
    let inflated = numbered.filter_map(|(number, name)| {
        let inside = view.inflate(name).ok()??;
        Some([&[number], inside.as_slice()].concat())
    });
    inflated.collect()
}

/// cargo-fuzz, with the fixtures as seeds.
fn fuzz(target: &Target, seconds: u64) -> Outcome {
    let folder = root().join("xtask/fuzz");
    let corpus = folder.join("corpus").join(target.name);
    let artifacts = folder.join("artifacts").join(target.name);
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&artifacts)?;
    for (number, seed) in seeds(target).into_iter().enumerate() {
        fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    println!("== {} for {seconds} s", target.name);
    // Without the sanitizer of addresses: the crates have no unsafe code, and without it a run takes half as long.
    let status = Command::new("cargo")
        .args(["+nightly", "fuzz", "run", "--fuzz-dir", ".", "--sanitizer", "none", "any"])
        .arg(&corpus)
        .args(["--", "-rss_limit_mb=4096", "-timeout=20", "-max_len=65536"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .env("FUZZ_TARGET", target.name)
        .current_dir(&folder)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => {
            Err(format!("{} found something, or did not run (it wants nightly and cargo-fuzz)", target.name)
                .into())
        }
    }
}

/// Every fixture and some mutations of it, on any toolchain.
fn smoke_run(target: &Target) -> Outcome {
    let mut inputs = 0;
    let mut rng = testkit::Rng(0xf022);
    for seed in seeds(target) {
        (target.run)(&seed);
        for _ in 0..SMOKE {
            (target.run)(&testkit::mutate(&seed, &mut rng));
        }
        inputs += SMOKE + 1;
    }
    println!("{}: {inputs} inputs", target.name);
    Ok(())
}
