//! XML: an element for each value, under one `<llsd>`.
//!
//! | element | content |
//! |---|---|
//! | `<undef/>` | |
//! | `<boolean>` | `1` `true`; everything else is false |
//! | `<integer>` `<real>` `<uuid>` `<date>` | text as in notation |
//! | `<string>` `<uri>` | text; white space counts |
//! | `<binary encoding="base64">` | text; base16 and base85 too, base64 without the attribute |
//! | `<array>` | values |
//! | `<map>` | `<key>` and a value, again and again |
//!
//! An empty element is the default of its type.

mod chars;
mod read;
mod scalar;
mod token;
mod write;

pub(crate) use read::Source;
pub(crate) use write::Sink;
