//! Modules with tests of private items are compiled here, so that the library and the program are compiled only once.

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the library and the program need more of them than their tests"
)]

#[path = "../../../rezkit/src/formats/generic.rs"]
mod generic;
#[path = "../../../rezkit/src/serial/mod.rs"]
pub(crate) mod serial;
#[path = "../../src/terminal.rs"]
mod terminal;
#[path = "../../../rezkit/src/tree/mod.rs"]
pub(crate) mod tree;
