//! The tasks that need crates of the workspace or large dependencies. `cargo xtask` builds and runs this package for
//! them.

mod bench;
mod bytes;
mod fixtures;
mod hostile;

use xtask::Run;

fn main() -> std::process::ExitCode {
    xtask::run(task)
}

fn task(name: &str) -> Option<Run> {
    Some(match name {
        "attack" => hostile::limits::run,
        "bench" => bench::run,
        "commands" => hostile::commands::run,
        "fixtures" => fixtures::run,
        "fuzz" => hostile::fuzz::run,
        "robustness" => hostile::peers::run,
        "worst" => hostile::growth::run,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    /// A task without a function here or in `xtask` would start itself again and again.
    #[test]
    fn each_task_has_a_function() {
        for task in xtask::TASKS {
            let here = super::task(task.name).is_some();
            assert!(task.name == "roundtrip" || task.is_light() != here, "{}", task.name);
        }
    }

    /// Steps of the gate, run as tests, since their dependencies are built for the other tests anyway.
    #[test]
    fn fixtures_are_what_their_builders_make() {
        super::fixtures::run(lexopt::Parser::from_args(["--check"])).expect("fixtures");
    }

    #[test]
    fn fuzz_targets_hold_for_a_moment() {
        super::hostile::fuzz::run(lexopt::Parser::from_args(["--smoke"])).expect("targets");
    }
}
