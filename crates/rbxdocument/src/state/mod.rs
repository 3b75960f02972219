//! Brings a document to another state: matches the instances of two documents, merges three, and lists the steps from one to
//! another.

mod apply;
mod cleared;
mod content;
mod copies;
mod decisions;
mod inserted;
pub mod lines;
mod matching;
mod merge;
mod pending;
mod steps;
mod texts;

pub use apply::{Action, Applying, At, Keeps};
pub use content::content_of;
pub use copies::{Done, copy_from, insert};
pub use decisions::{MergeOptions, Side};
pub use matching::{Matches, Matching, matches};
#[cfg(feature = "weak")]
pub(crate) use merge::update_from;
pub use merge::{Conflict, Found, Merged, merge, patch, update};
pub use steps::{Step, StepValue};
