//! The patterns of projects, by the library that Rojo uses. It is large, so that it is left out with the data files.

use geom::wire::{Budget, Error, Result};

/// The approximate memory of a pattern of paths for each of its bytes.
#[cfg(feature = "data")]
const PATTERN: u64 = 1000;

/// A pattern of paths: `*` is any text, also with slashes.
pub(crate) struct Pattern {
    #[cfg(feature = "data")]
    set: globset::GlobSet,
}

impl Pattern {
    #[cfg(feature = "data")]
    pub(crate) fn is_match(&self, path: &str) -> bool {
        self.set.is_match(path)
    }

    #[cfg(not(feature = "data"))]
    pub(crate) fn is_match(&self, _: &str) -> bool {
        false
    }
}

/// # Errors
/// If it is malformed, with the path of the project.
#[cfg(feature = "data")]
pub(crate) fn glob(pattern: &str, file: &str, budget: &mut Budget) -> Result<Pattern> {
    budget.charge(pattern.len() as u64 * PATTERN, "the patterns of the project")?;
    let set = globset::Glob::new(pattern).and_then(|glob| globset::GlobSet::builder().add(glob).build());
    let wrong = |error| Error::argument(format!("the pattern {pattern:?}: {error}")).at_path(file.to_owned());
    Ok(Pattern { set: set.map_err(wrong)? })
}

#[cfg(not(feature = "data"))]
pub(crate) fn glob(pattern: &str, file: &str, _: &mut Budget) -> Result<Pattern> {
    let what =
        format!("the pattern {pattern:?} cannot be read by this program (the feature `data` of rezkit can)");
    Err(Error::argument(what).at_path(file.to_owned()))
}
