//! Builds the npm package and the page of bindings/web, compares the size with its budget, and runs the tests in Node,
//! and in a browser if one is installed.

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
    // Remove the paths of this machine from what is published.
    let mut flags = Vec::new();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    if let Some(home) = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))) {
        flags.push(format!("--remap-path-prefix={}=cargo", home.display()));
        for index in std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten() {
            flags.push(format!("--remap-path-prefix={}=dep", index.path().display()));
        }
    }
    flags.push(format!("--remap-path-prefix={}/=", root().display()));
    // Do not reduce the number of loop variables: browsers do that themselves, and the result is 1 % smaller with gzip.
    flags.push("-Cllvm-args=-disable-lsr".to_owned());
    // Names with the types of generic functions, by which `bindgen` assigns functions to the parts of the engine.
    flags.push("-Csymbol-mangling-version=v0".to_owned());
    let mut build = Command::new("cargo");
    build.args(["build", "--release", "--target", TARGET, "--package", "rezkit-web"]);
    step(build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f")).current_dir(&folder))?;
    let module = folder.join("target").join(TARGET).join("release/rezkit_web.wasm");
    let mut bindgen = Command::new("cargo");
    bindgen.args(["run", "--quiet", "--package", "bindgen", "--"]).arg(module);
    step(bindgen.args(["target/package/engine", "rezkit"]).current_dir(&folder))?;
    // If the engine is larger than its budget, it is still tested.
    let built = step(Command::new("node").arg("package.mjs").current_dir(&folder));
    // The page needs the packages of `npm install`; without them, only the npm package is built and tested.
    if folder.join("node_modules/vite").exists() {
        step(Command::new("npm").args(["run", "build"]).current_dir(&folder))?;
    }
    step(Command::new("cargo").args(["build", "--quiet", "--package", "rezkit-cli"]).current_dir(root()))?;
    // The tests of the page are skipped if it is not built, or if a browser, its driver or a display is missing.
    step(Command::new("npm").arg("test").current_dir(&folder))?;
    built
}
