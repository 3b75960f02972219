//! Notation: short text.
//!
//! | value | written |
//! |---|---|
//! | undef | `!` |
//! | boolean | `1` `0` `t` `f` `T` `F` `true` `false` `TRUE` `FALSE` |
//! | integer, real | `i-12`, `r1.5e10` |
//! | UUID | `u` and 36 characters |
//! | string | `'…'` or `"…"` with escapes, `s(3)"abc"` without |
//! | URI, date | `l"…"`, `d"…"` |
//! | binary | `b64"…"`, `b16"…"`, `b(3)"…"` with raw bytes |
//! | array, map | `[value,value]`, `{'key':value,'key':value}` |

pub(super) mod quoted;
mod read;
mod write;

pub(super) use read::Source;
pub(super) use write::{Sink, Style};
