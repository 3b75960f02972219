//! Rules for the content of documents of both forms, beside those of the form that `Document::check` of each crate tests.

mod animations;
mod studio;
mod values;

pub use animations::animations;
use geom::wire::Rule;
pub use studio::studio;
pub use values::values;

/// The rules that these functions test.
pub fn all() -> Vec<Rule> {
    [values::RULES, animations::RULES, studio::RULES].concat()
}
