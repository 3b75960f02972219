//! Checks that every public function is called by a step of `xtask/targets` or by another function.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::Tidy;

/// Functions that need no step: made by a macro for each format, returning a field, or adding a single value of the
/// caller.
const TRIVIAL: [&str; 7] = [
    "from_reader",
    "as_arc",
    "with_position",
    "from_secs",
    "other_attributes",
    "control_point",
    "use_parameter",
];

/// Public functions with their files, and all words except the names in definitions.
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
