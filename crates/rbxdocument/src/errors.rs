//! What errors, losses and findings consist of, and limits of memory.

pub use geom::wire::{Advice, Budget, ErrorKind, Finding, Limit, Loss, LossKind, LossRule, Missing, Problem};

pub use crate::losses::LOSSES;
