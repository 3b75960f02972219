#![no_main]
//! One program for every step: the environment variable `STEP` contains the title of the step to fuzz.

use std::sync::LazyLock;

static STEP: LazyLock<targets::Step> = LazyLock::new(|| {
    let title = std::env::var("STEP").expect("the title of a step, in STEP");
    targets::steps().into_iter().find(|step| step.title() == title).expect("a step of the table")
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| STEP.feed(data));
