#![doc = include_str!("../README.md")]

mod apply;
mod blobs;
mod copies;
mod extract;
mod globs;
mod json;
mod json_model;
mod links;
mod losses;
mod lost;
mod luau;
mod memory;
mod meta;
mod model;
mod options;
mod pack;
mod plan;
mod snapshot;
mod table;
mod tree;
mod values;
mod wants;

pub use extract::{Extracted, extract};
pub use geom::files::File;
pub use geom::wire::{Error, Loss, LossRule, Result};
pub use losses::LOSSES;
pub use options::{ExtractOptions, PackOptions};
pub use pack::{Packed, pack};
pub use snapshot::project_paths;
