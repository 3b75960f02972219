//! What serde reports about a value, piece by piece: its children one by one, and as much of it as is asked for.

mod any;
mod make;
mod tell;

pub(crate) use any::Any;
pub(crate) use make::make;
pub(crate) use tell::{Model, Name, follow, visit};
