//! The building blocks of `rbxbinary` and `rbxxml`; not a part of the interface.

pub mod attributes;
pub mod names;
pub mod path;
pub mod spare;
pub mod unique_ids;

pub use crate::new_instance::{NewNode, NewValue};
pub use crate::shared_bytes::Known;
