//! All tests beside the modules' own in one program: each of its own would link everything again.

mod attributes;
mod corpus;
mod curves;
mod hostile;
mod pairs;
mod terrain;
