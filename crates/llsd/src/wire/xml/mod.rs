//! XML: an element for each value, under one `<llsd>`.

mod chars;
mod read;
mod scalar;
mod token;
mod write;

pub(crate) use read::Source;
pub(crate) use token::attribute;
pub(crate) use write::Sink;
