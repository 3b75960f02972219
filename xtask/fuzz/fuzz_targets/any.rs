#![no_main]
//! One program for every step: the environment variable `STEP` contains the titles of the steps to fuzz, separated by
//! commas. If there are several, the first byte of an input selects one.

use std::sync::LazyLock;

static STEPS: LazyLock<Vec<targets::Step>> = LazyLock::new(|| {
    let titles = std::env::var("STEP").expect("the titles of steps, in STEP");
    let all = targets::steps();
    let step = |title| *all.iter().find(|step| step.title() == title).expect("a step of the table");
    titles.split(',').map(step).collect()
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| match &**STEPS {
    [step] => step.feed(data),
    steps => {
        let Some((&first, data)) = data.split_first() else { return };
        steps[usize::from(first) % steps.len()].feed(data);
    }
});
