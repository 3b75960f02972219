//! All tests of the public interface in one program, since each further program would link all crates again.

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
