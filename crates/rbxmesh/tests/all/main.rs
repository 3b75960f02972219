//! All tests of the interface in one program: each of its own would link everything again.

mod chunks;
mod convert;
mod corpus;
mod details;
mod facs;
mod hostile;
mod hostile_draco;
mod models;
mod pairs;
mod props;
mod skin;
