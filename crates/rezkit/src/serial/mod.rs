//! Reads a value through serde, without a copy of all of it: its children one by one, or a part of limited size.

mod any;
mod make;
mod visitor;

pub(crate) use any::Any;
pub(crate) use make::make;
pub(crate) use visitor::{Model, Name, follow, visit};
