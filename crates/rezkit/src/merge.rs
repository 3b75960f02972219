//! Conflicts of merges as texts.

pub use rbxdocument::state::{MergeOptions, Side};
use rezkit_core::plain::Plain;

/// What both documents changed differently.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Conflict {
    /// The path of the instance in the base, with the property if it is about one.
    pub path: String,
    /// What each of the two did.
    pub what: String,
    /// The value in the base, if the conflict is about a value.
    pub base: Option<String>,
    /// The value in ours, which the result has.
    pub ours: Option<String>,
    /// The value in theirs.
    pub theirs: Option<String>,
}

/// `Workspace/Part.Transparency: both changed it: base 0, ours 0.5, theirs 1`.
impl std::fmt::Display for Conflict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path, self.what)?;
        let values = [("base", &self.base), ("ours", &self.ours), ("theirs", &self.theirs)];
        if values.iter().all(|(_, value)| value.is_none()) {
            return Ok(());
        }
        for (index, (name, value)) in values.into_iter().enumerate() {
            let value = value.as_deref().unwrap_or("(not stored)");
            let short: String = value.chars().take(100).collect();
            let more = if short.len() < value.len() { "…" } else { "" };
            write!(f, "{} {name} {}{more}", if index == 0 { ":" } else { "," }, Plain(short))?;
        }
        Ok(())
    }
}
