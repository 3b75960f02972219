//! Modules with tests of private items, compiled here with their tests, so that the library is not compiled again for
//! them.

#![allow(dead_code, unreachable_pub, reason = "the library needs more of them than their tests")]

#[path = "../../src/bvh.rs"]
pub(crate) mod bvh;
#[path = "../../src/connected.rs"]
pub(crate) mod connected;
#[path = "../../src/cost.rs"]
pub(crate) mod cost;
#[path = "../../src/sl/html.rs"]
mod html;
#[path = "../../src/hulls/mod.rs"]
mod hulls;
#[path = "../../src/sl/pieces.rs"]
mod pieces;
#[path = "../../src/simplify/queue.rs"]
mod queue;
#[path = "../../src/sl/report.rs"]
mod report;
#[path = "../../src/rules.rs"]
pub(crate) mod rules;
