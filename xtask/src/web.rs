//! The npm package and the page of bindings/web: built, measured against their budget and tested in Node, and in a browser
//! if one is installed.

use std::path::PathBuf;
use std::process::Command;

use crate::python::step;
use crate::{Outcome, root};

const TARGET: &str = "wasm32-unknown-unknown";

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    if !Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Err("no Node".into());
    }
    let folder = root().join("bindings/web");
    // No path of this machine in what is published.
    let mut flags = Vec::new();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    if let Some(home) = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))) {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
        for index in std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten() {
            flags.push(format!("--remap-path-prefix={}=dep", index.path().display()));
        }
    }
    flags.push(format!("--remap-path-prefix={}/=", root().display()));
    // Loops with as many variables as were written, which browsers make fast themselves: 1 % less with gzip.
    flags.push("-Cllvm-args=-disable-lsr".to_owned());
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--target", TARGET, "--package", "rezkit-web"]);
    step(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).current_dir(&folder))?;
    let module = folder.join("target").join(TARGET).join("release/rezkit_web.wasm");
    let mut bindgen = Command::new("cargo");
    bindgen.args(["run", "--quiet", "--package", "bindgen", "--"]).arg(module);
    step(bindgen.args(["target/package/engine", "rezkit"]).current_dir(&folder))?;
    // An engine larger than its budget is tested all the same.
    let built = step(Command::new("node").arg("build.mjs").current_dir(&folder));
    step(Command::new("cargo").args(["build", "--quiet", "--package", "rezkit"]).current_dir(root()))?;
    // Tests of the page skip themselves if playwright-core or a browser is missing.
    let tests = ["kit", "page", "edits", "pictures"].map(|name| format!("test/{name}.test.mjs"));
    step(Command::new("node").arg("--test").args(tests).current_dir(&folder))?;
    built
}
