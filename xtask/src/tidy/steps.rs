//! Every public function is called: by a step that attacks and fuzzing do, or by other functions.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::Tidy;

/// What a macro makes for each format, what returns a field as it is, and what adds a single value that a caller gives.
const TRIVIAL: [&str; 7] = [
    "from_reader",
    "as_arc",
    "with_position",
    "from_secs",
    "other_attributes",
    "control_point",
    "use_parameter",
];

/// Public functions with the files they are in, and all words that are no definitions.
#[derive(Default)]
pub(super) struct Called {
    functions: BTreeMap<String, PathBuf>,
    words: HashSet<String>,
}

impl Tidy {
    pub(super) fn calls(&mut self, path: &Path, text: &str) {
        let Called { functions, words } = &mut self.called;
        let is_source = path.starts_with("crates") && path.iter().any(|part| part == "src");
        if !(is_source && !path.starts_with("crates/testkit") || path.starts_with("xtask/targets")) {
            return;
        }
        let code = text.split("\nmod tests {").next().unwrap_or(text);
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let names: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            let defined = names.iter().position(|name| *name == "fn").map(|at| at + 1);
            if let Some(&name) = defined.and_then(|at| names.get(at))
                && is_source
                && line.trim_start().starts_with("pub ")
            {
                functions.entry(name.to_owned()).or_insert_with(|| path.to_owned());
            }
            let others = names.iter().enumerate().filter(|(at, _)| Some(*at) != defined);
            words.extend(others.map(|(_, name)| (*name).to_owned()));
        }
    }

    pub(super) fn uncalled(&mut self) {
        let Called { functions, words } = std::mem::take(&mut self.called);
        for (name, path) in functions {
            if !words.contains(&name) && !TRIVIAL.contains(&&*name) {
                self.complain(path, format!("{name} is called by no step of xtask/targets"));
            }
        }
    }
}
