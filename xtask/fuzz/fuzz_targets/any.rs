//! Runs the target that `FUZZ_TARGET` names, so that everything is compiled and linked once.
#![no_main]

use std::sync::LazyLock;

#[path = "../src/targets.rs"]
mod targets;

static TARGET: LazyLock<targets::Target> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let found = targets::TARGETS.iter().find(|target| target.name == name);
    *found.unwrap_or_else(|| panic!("no target {name}"))
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (TARGET.run)(data));
