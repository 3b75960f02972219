//! Options and results of edits, for instances that do not have the same properties.

pub use rbxcore::{EditOptions, Edited, Fill, Filled, LeftOut, Others, Renamed};
