//! All tests of the kit and of the command line in one program: each of its own would link everything once more.

mod blobs;
mod cli;
mod compared;
mod conversions;
mod documents;
mod edits;
mod everything;
mod foreign;
mod foreign_limits;
mod gltf;
mod growth;
mod images;
mod limits;
mod motions;
mod places;
mod played;
mod project;
mod roundtrip;
mod safety;
mod scene;
mod secondlife;
mod solids;
mod twins;
