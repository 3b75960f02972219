#![doc = include_str!("../README.md")]

mod columns;
mod scan;
mod schema;

pub use arrow_array;
pub use arrow_schema;
pub use columns::{Asset, assets};
pub use scan::{Options, scan, scan_opened};
pub use schema::Table;
