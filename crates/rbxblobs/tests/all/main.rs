//! All tests except those of private items in one program, since each further program would link all crates again.

mod attributes;
mod corpus;
mod curves;
mod hostile;
mod older_terrain;
mod pairs;
mod terrain;
