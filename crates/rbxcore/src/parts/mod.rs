//! What `rbxbinary` and `rbxxml` are made of; no part of the interface.

pub mod names;
pub mod path;
pub mod spare;
pub mod unique_ids;

pub use crate::new_instance::{NewNode, NewValue};
pub use crate::shared_bytes::Known;
