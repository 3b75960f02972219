//! Checks the published libraries with the oldest Rust that the manifests allow, for several targets and with each of
//! their features.

use std::collections::BTreeMap;
use std::process::Command;

use super::{Ran, has_toolchain, published, works};
use crate::{Outcome, packages, root};

const BITS_32: &str = "i686-unknown-linux-gnu";

/// Checks are enough to find what a Rust version or a target does not support. Both are tried together, since each
/// combination builds all dependencies again.
pub(super) fn targets() -> Result<Ran, Box<dyn std::error::Error>> {
    let oldest = Oldest::new()?;
    let all = format!("{} --lib --all-features", published(|_| true)?);
    oldest.check(&all, BITS_32)?;
    let sets = [
        ("thumbv7em-none-eabi", " -p mesh-geom --lib --no-default-features"),
        // Everything but the command line.
        ("wasm32-unknown-unknown", " -p rezkit --lib --no-default-features --features draco"),
    ];
    for (target, args) in sets.into_iter().filter(|(target, _)| oldest.has(target)) {
        oldest.check(args, target)?;
    }
    let missing: String = [BITS_32, sets[0].0, sets[1].0]
        .into_iter()
        .filter(|target| !oldest.has(target))
        .map(|target| format!(" {target}"))
        .collect();
    let version = &oldest.version;
    Ok(match (oldest.is_installed, missing.as_str()) {
        (true, "") => Ran::Passed,
        (true, missing) => Ran::Skipped(format!("rustup target add --toolchain {version}{missing}")),
        (false, _) => Ran::Skipped(format!("rustup toolchain install {version} --profile minimal")),
    })
}

/// The oldest Rust that the manifests allow.
struct Oldest {
    version: String,
    is_installed: bool,
    /// The names of its installed targets, one on each line.
    targets: String,
}

impl Oldest {
    fn new() -> Result<Self, Box<dyn std::error::Error>> {
        let packages = packages()?;
        let version = packages.first().and_then(|package| package.manifest["rust_version"].as_str());
        let version = version.ok_or("no rust-version")?.to_owned();
        let targets =
            Command::new("rustup").args(["target", "list", "--installed", "--toolchain", &version]).output();
        let targets =
            targets.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default();
        Ok(Self { is_installed: has_toolchain(&version), version, targets })
    }

    fn has(&self, target: &str) -> bool {
        self.is_installed && self.targets.lines().any(|line| line == target)
    }

    /// Checks for this target, with warnings as errors. If the toolchain is missing, the default one is used; if the
    /// target is, the host.
    fn check(&self, args: &str, target: &str) -> Outcome {
        let args = match (self.is_installed, self.has(target)) {
            (true, true) => format!("+{} check --quiet{args} --target {target}", self.version),
            (true, false) => format!("+{} check --quiet{args}", self.version),
            (false, _) => format!("check --quiet{args}"),
        };
        println!("   cargo {args}");
        // Runs at a low priority, if `nice` exists, so that the other steps finish first; and in a folder of its own,
        // since cargo locks it.
        let nice = works(Command::new("nice").arg("true"));
        let mut command = Command::new(if nice { "nice" } else { "cargo" });
        command.args(if nice { &["-n", "19", "cargo"][..] } else { &[] }).args(args.split(' '));
        let target = root().join("target/beside");
        command.env("RUSTFLAGS", "-D warnings").env("CARGO_TARGET_DIR", target).env_remove("RUSTC_WRAPPER");
        match command.current_dir(root()).status()?.success() {
            true => Ok(()),
            false => Err(format!("`cargo {args}` failed").into()),
        }
    }
}

/// Checks each feature. Only libraries are checked, so that no development dependency enables a feature; and no set of
/// features twice.
pub(super) fn features() -> Result<Ran, Box<dyn std::error::Error>> {
    // `rezkit` enables features of the crates that it depends on, so these are checked without it.
    let oldest = Oldest::new()?;
    let packages = packages()?;
    let mut with: BTreeMap<&str, String> = BTreeMap::from([("", String::new())]);
    let mut of_kit = vec![""];
    // `mint` only adds conversions: with it, the crates below `rezkit` have the features with which the step `targets`
    // checked them.
    let (mut kit, mut mint) = (" -p rezkit -p rezkit-scene".to_owned(), String::new());
    for package in &packages {
        // The step `clippy` checks packages without features.
        let Some(features) = package.manifest["features"].as_object().filter(|all| !all.is_empty()) else {
            continue;
        };
        if package.name == "rezkit" {
            of_kit.extend(features.keys().map(String::as_str));
            continue;
        }
        let argument = format!(" -p {}", package.name);
        if features.contains_key("mint") {
            kit += &argument;
            mint += &format!("{}/mint,", package.name);
        }
        for (feature, switches) in features {
            // A feature that only enables the one of `geom` is checked with `geom`.
            if switches != &serde_json::json!([format!("geom/{feature}")]) {
                *with.entry(feature).or_default() += &argument;
            }
        }
        *with.entry("").or_default() += &argument;
    }
    let left_out = |feature: &str| ["default", "cli", "draco"].contains(&feature);
    // All packages that have a feature are checked together, since a crate that they share has the same feature.
    for (feature, packages) in with.iter().filter(|(feature, _)| !left_out(feature)) {
        check_library(&oldest, packages, feature)?;
    }
    // `cli` is all features, which the step `clippy` checks; `draco` adds little code. With `rezkit-scene`
    // in the same command, the dependencies are the same for each feature.
    for feature in of_kit.into_iter().filter(|feature| !left_out(feature)) {
        let feature = if feature.is_empty() { "" } else { &format!("rezkit/{feature}") };
        check_library(&oldest, &kit, &format!("{mint}{feature}"))?;
    }
    Ok(Ran::Passed)
}

/// Checks for the target for which the step `targets` has already checked the dependencies.
fn check_library(oldest: &Oldest, packages: &str, feature: &str) -> Outcome {
    oldest.check(&format!("{packages} --lib --no-default-features --features={feature}"), BITS_32)
}
