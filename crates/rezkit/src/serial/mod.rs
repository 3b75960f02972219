//! Reads a value through serde, without a copy of all of it: a part of limited size, or children one by one.

mod any;
mod make;
mod teller;

pub(crate) use any::Any;
pub(crate) use make::{Child, Children, Name};
pub(crate) use teller::{Model, children, make};
