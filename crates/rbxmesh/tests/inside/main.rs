//! Tests of private items: the modules of the library are compiled into this program, so that `crate` is this program.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::enum_variant_names,
    reason = "they are public in the library, which needs more of them than their tests"
)]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests"
)]

#[path = "../../src/consts.rs"]
mod consts;
#[path = "../../src/edit/mod.rs"]
mod edit;
#[path = "../../src/model/mod.rs"]
mod model;
#[path = "../../src/wire/mod.rs"]
mod wire;

mod attribute;
mod bits;
mod by_hand;
mod faces;
mod rans;
mod streams;
mod symbols;
