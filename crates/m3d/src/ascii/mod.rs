//! The text variant. The code of a section is in one file, its `read` next to its `write`.
//!
//! Arithmetic here cannot panic. Saturating arithmetic counts rows, voxels or bytes of a text in memory and
//! cannot overflow unless a comment gives another reason.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]

mod file;
mod keep;
mod material;
mod mesh;
mod name;
mod number;
mod points;
mod reader;
mod shape;
mod skeleton;
mod skin;
mod small;
mod token;
mod voxel;
mod writer;

use crate::model::Model;
pub(crate) use file::{detect, write};
use geom::wire::{Budget, Result, finish_text};

/// Reads a text; the caller keeps it as the source of the layout.
pub(crate) fn read(text: &[u8], budget: &mut Budget) -> Result<Model> {
    finish_text(text, file::read(text, budget)).map(|(_, model)| model)
}
