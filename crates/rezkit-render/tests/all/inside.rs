//! Modules whose tests look inside, compiled here with them: so the library itself is compiled once.

#![allow(dead_code, unreachable_pub, reason = "the library needs more of them than their tests")]

#[path = "../../src/outliers.rs"]
mod outliers;
#[path = "../../src/sheet.rs"]
mod sheet;
