#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::cast_possible_truncation,
    reason = "coordinates and shares: a float cast saturates, and the counts are bounded before"
)]

mod bvh;
mod check;
mod connected;
mod cost;
mod coverage;
mod hulls;
mod levels;
mod losses;
mod reduced;
mod rules;
mod samples;
mod simplify;
pub mod sl;

pub use check::check;
pub use cost::{LandImpact, PhysicsShape, StreamingCost, land_impact, physics_cost};
pub use hulls::{HullOptions, hulls};
pub use levels::{LevelTarget, levels, with_levels};
pub use losses::LOSSES;
pub use reduced::reduced;
pub use rules::{RULES, remedy};
pub use simplify::{Simplified, Source, column, simplify};
