//! Everything that must hold before a change goes in, in one run.

use std::process::Command;
use std::time::Instant;

use crate::{Outcome, root};

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    let start = Instant::now();
    cargo(&["fmt", "--all", "--check"])?;
    xtask(&["tidy"])?;
    xtask(&["fixtures", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"])?;
    // Each crate alone, as its users build it: without features, and with each of them.
    for (package, features) in packages()? {
        cargo(&["clippy", "-p", &package, "--all-targets", "--no-default-features", "--", "-D", "warnings"])?;
        cargo(&["test", "-p", &package, "--no-default-features", "--quiet"])?;
        for feature in features {
            cargo(&[
                "check",
                "-p",
                &package,
                "--all-targets",
                "--no-default-features",
                "--features",
                &feature,
            ])?;
        }
    }
    cargo(&["test", "--workspace", "--all-features"])?;
    cargo_with(&["doc", "--workspace", "--all-features", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    xtask(&["fuzz", "--smoke"])?;
    xtask(&["roundtrip"])?;
    println!("all well, in {} s", start.elapsed().as_secs());
    Ok(())
}

/// A package and its features.
type Package = (String, Vec<String>);

/// The packages that are published.
fn packages() -> Result<Vec<Package>, Box<dyn std::error::Error>> {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(root())
        .output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout)?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let mut found = Vec::new();
    for package in packages {
        // `publish = false` is an empty list of registries.
        if package["publish"].as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        let name = package["name"].as_str().ok_or("a package without a name")?;
        let features = package["features"].as_object().into_iter().flatten();
        let features = features.map(|(name, _)| name.clone()).filter(|name| name != "default").collect();
        found.push((name.to_owned(), features));
    }
    found.sort();
    Ok(found)
}

fn cargo(args: &[&str]) -> Outcome {
    cargo_with(args, &[])
}

fn xtask(args: &[&str]) -> Outcome {
    cargo(&[&["xtask"], args].concat())
}

fn cargo_with(args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    println!("== cargo {}", args.join(" "));
    let status = Command::new(env!("CARGO"))
        .args(args)
        .envs(variables.iter().copied())
        .current_dir(root())
        .status()?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("cargo {} failed", args.join(" ")).into()),
    }
}
