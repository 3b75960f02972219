//! A number with its noun.

use std::fmt;

/// A number and a noun in the plural, such as `levels of detail`. Displayed with the singular if the number is 1.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(pub u64, pub &'a str);

impl<'a> Counted<'a> {
    /// A number of items.
    pub fn new(count: usize, plural: &'a str) -> Self {
        Self(count as u64, plural)
    }
}

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, plural) = *self;
        if count != 1 {
            return write!(f, "{count} {plural}");
        }
        // The noun ends before the first of these words: `levels` in `levels of detail`.
        let describes = [" of ", " that ", " for ", " after ", " with ", " other than "];
        let end = describes.iter().filter_map(|word| plural.find(word)).min().unwrap_or(plural.len());
        let (noun, rest) = plural.split_at(end);
        let endings = [
            ("vertices", "vertex"),
            ("indices", "index"),
            ("matrices", "matrix"),
            ("ies", "y"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("sses", "ss"),
            ("xes", "x"),
            ("s", ""),
        ];
        let singular = endings.iter().find_map(|(many, one)| Some((noun.strip_suffix(many)?, one)));
        let (stem, ending) = singular.unwrap_or((noun, &""));
        write!(f, "1 {stem}{ending}{rest}")
    }
}
