//! The tasks that need more than the first look at the project does: `cargo xtask` runs them.

mod attack;
mod bench;
mod bytes;
mod commands;
mod corpus;
mod fixtures;
mod fuzz;
mod page;
mod publish;
mod robustness;
mod worst;

use xtask::Run;

fn main() -> std::process::ExitCode {
    xtask::run(task)
}

fn task(name: &str) -> Option<Run> {
    Some(match name {
        "attack" => attack::run,
        "bench" => bench::run,
        "commands" => commands::run,
        "corpus" => corpus::run,
        "fixtures" => fixtures::run,
        "fuzz" => fuzz::run,
        "publish" => publish::run,
        "robustness" => robustness::run,
        "worst" => worst::run,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    /// A task without a function here or in `xtask` would start itself without end.
    #[test]
    fn each_task_has_a_function() {
        for task in xtask::TASKS {
            let here = super::task(task.name).is_some();
            assert!(task.name == "roundtrip" || task.is_light() != here, "{}", task.name);
        }
    }

    /// Steps of the gate, as tests: what they need is built for the other tests.
    #[test]
    fn fixtures_are_what_their_builders_make() {
        super::fixtures::run(lexopt::Parser::from_args(["--check"])).expect("fixtures");
    }

    #[test]
    fn fuzz_targets_hold_for_a_moment() {
        super::fuzz::run(lexopt::Parser::from_args(["--smoke"])).expect("targets");
    }
}
