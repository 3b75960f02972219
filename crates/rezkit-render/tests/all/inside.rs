//! Modules with tests of private items, compiled here with their tests, so that the library is not compiled again for
//! them.

#![allow(dead_code, unreachable_pub, reason = "the library needs more of them than their tests")]

#[path = "../../src/outliers.rs"]
mod outliers;
#[path = "../../src/sheet.rs"]
mod sheet;
