#![no_main]
//! One program for every step: the variable `STEP` has the title of the one that is fuzzed.

use std::sync::LazyLock;

static STEP: LazyLock<targets::Step> = LazyLock::new(|| {
    let title = std::env::var("STEP").expect("the title of a step, in STEP");
    targets::steps().into_iter().find(|step| step.title() == title).expect("a step of the table")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| STEP.feed(data));
