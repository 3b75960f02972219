//! Checks that functions whose output can be large take memory from a budget, or have a comment with the reason why
//! they do not.

use std::path::Path;

use super::Tidy;

/// The crates that are checked. In a format crate, the output is as large as the input, or the options have a limit.
const CRATES: [&str; 4] =
    ["crates/rezkit-scene/src", "crates/rezkit-upload/src", "crates/rezkit-render/src", "crates/rezkit/src"];
/// Types of results that can be as large as an input, or much larger.
const OUTPUTS: [&str; 7] = ["Vec<u8>", "TriMesh", "Scene", "Primitive", "Vec<File>", "Picture", "Converted"];
/// Types and names of arguments that bound the result.
const BOUNDS: [&str; 5] = ["Budget", "Options", "max_bytes", "Writing", "Reading"];
/// The beginning of the comment above a function that needs no budget.
const REASON: &str = "// No budget: ";

impl Tidy {
    pub(super) fn budgets(&mut self, path: &Path, text: &str) {
        if !CRATES.iter().any(|folder| path.starts_with(folder)) {
            return;
        }
        for (at, _) in text.match_indices("pub fn ") {
            let (before, after) = text.split_at(at);
            let signature = after.split(['{', ';']).next().unwrap_or(after);
            let (arguments, output) = signature.rsplit_once("->").unwrap_or((signature, ""));
            let is_output = !output.contains('&') && OUTPUTS.iter().any(|name| output.contains(name));
            let is_bounded = BOUNDS.iter().any(|name| arguments.contains(name));
            let above = before.trim_end().lines().last().unwrap_or_default();
            if is_output && !is_bounded && !above.trim_start().starts_with(REASON) {
                let name = arguments.split(['(', '<']).next().unwrap_or(arguments);
                self.complain(
                    path,
                    format!("{name} has no Budget parameter, and no comment {REASON:?} is above it"),
                );
            }
        }
    }
}
