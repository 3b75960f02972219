//! Modules with tests of private items are compiled here, so that the library and the program are compiled only once.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the library and the program need more of them than their tests"
)]

#[path = "../../src/kinds/generic.rs"]
mod generic;
#[path = "../../src/serial/mod.rs"]
pub(crate) mod serial;
#[cfg(feature = "cli")]
#[path = "../../src/terminal.rs"]
mod terminal;
#[path = "../../src/tree/mod.rs"]
pub(crate) mod tree;
