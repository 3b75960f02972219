//! Checks the published libraries with the oldest Rust that the manifests allow, and with each of their features.

use std::collections::BTreeMap;
use std::process::Command;

use super::{Ran, published, works};
use crate::{Outcome, packages, root};

/// Its pointers have 32 bits, and it has neither files nor threads.
const WASM: &str = "wasm32-unknown-unknown";
const BARE: &str = "thumbv7em-none-eabi";
const BITS_32: &str = "i686-unknown-linux-gnu";

/// The format crates with all features, and the kit without any: its features are tested with all others, and by the step
/// `bits32` with the oldest Rust. rbx-dom needs random numbers of the system. Checks are enough to find what a Rust version
/// or a target does not support. All are tried together, since each combination builds all dependencies again.
pub(super) fn targets() -> Result<Ran, Box<dyn std::error::Error>> {
    let oldest = Oldest::new()?;
    let crates = without_rbx_dom(&published()?);
    let features: String = features_of(is_of_format)?.into_values().flatten().collect::<Vec<_>>().join(",");
    oldest.check(&format!("{crates} --lib --no-default-features --features {features}"), WASM)?;
    if oldest.has(BARE) {
        oldest.check(" -p mesh-geom --lib --no-default-features", BARE)?;
    }
    let missing: String = [WASM, BARE]
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

/// Everything, with the command line.
pub(super) fn bits32() -> Outcome {
    Oldest::new()?.check(&format!("{} --lib --all-features", published()?), BITS_32)
}

/// Checks each feature. Only libraries are checked, so that no development dependency enables a feature. All packages
/// that have a feature are checked together, since a crate that they share has the same feature.
pub(super) fn features() -> Result<Ran, Box<dyn std::error::Error>> {
    let oldest = Oldest::new()?;
    let check = |packages: &str, features: &str| {
        oldest.check(&format!("{packages} --lib --no-default-features --features={features}"), WASM)
    };
    // The crates of the kit enable features of the format crates, so these are checked without them.
    let without = without_rbx_dom(&published()?)
        .split(" -p ")
        .filter(|name| !name.is_empty() && !name.starts_with("rezkit"))
        .fold(String::new(), |all, name| format!("{all} -p {name}"));
    check(&without, "")?;
    for (_, features) in features_of(is_of_format)? {
        let packages = features.iter().filter_map(|feature| feature.split('/').next());
        check(&packages.map(|name| format!(" -p {name}")).collect::<String>(), &features.join(","))?;
    }
    Ok(Ran::Passed)
}

/// Whether a feature is one of a format crate.
fn is_of_format(feature: &str) -> bool {
    !["compat", "data", "draco", "jpeg2000", "weak"].contains(&feature)
}

/// The packages without those over rbx-dom, which needs random numbers of the system.
fn without_rbx_dom(packages: &str) -> String {
    let packages =
        packages.split(" -p ").filter(|name| !name.is_empty() && !name.starts_with("rbxdocument-rbx"));
    packages.fold(String::new(), |all, name| format!("{all} -p {name}"))
}

/// The features of the published packages, by their names: each as `package/feature`. Those that add little code are
/// together, since each set builds the crates again.
fn features_of(
    is_wanted: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, Vec<String>>, Box<dyn std::error::Error>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages()? {
        let features =
            package.manifest["features"].as_object().into_iter().flat_map(|features| features.keys());
        for feature in features.filter(|&feature| feature != "default" && is_wanted(feature)) {
            let set = if feature == "mint" { "classes" } else { feature };
            all.entry(set.to_owned()).or_default().push(format!("{}/{feature}", package.name));
        }
    }
    Ok(all)
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
        let list =
            Command::new("rustup").args(["target", "list", "--installed", "--toolchain", &version]).output();
        let targets = list.map(|list| String::from_utf8_lossy(&list.stdout).into_owned()).unwrap_or_default();
        let is_installed = works(Command::new("cargo").args([&format!("+{version}"), "--version"]));
        Ok(Self { is_installed, version, targets })
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
        crate::run_status(command.current_dir(root()))
    }
}
