//! What makes an output of a whole input takes its memory from a budget first, or gives a reason not to.

use std::path::Path;

use super::Tidy;

/// The crates that make outputs. What a format crate makes is as large as what was read, or its options have a limit.
const CRATES: [&str; 4] =
    ["crates/rezkit-scene/src", "crates/rezkit-upload/src", "crates/rezkit-render/src", "crates/rezkit/src"];
/// What functions return that can be as large as an input, or much larger.
const OUTPUTS: [&str; 7] = ["Vec<u8>", "TriMesh", "Scene", "Primitive", "Vec<File>", "Picture", "Converted"];
/// What bounds them, among the arguments.
const BOUNDS: [&str; 5] = ["Budget", "Options", "max_bytes", "Writing", "Reading"];
/// What begins the comment above a function that needs none.
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
                self.complain(path, format!("{name} takes no budget, and no {REASON:?} is above it"));
            }
        }
    }
}
