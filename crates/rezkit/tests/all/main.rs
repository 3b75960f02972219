//! All tests of the kit and of the command line in one program: each of its own would link everything once more.

mod attribute_refs;
mod blobs;
mod cli;
mod compared;
mod conversions;
mod documents;
mod door;
mod edits;
mod entry;
mod everything;
mod foreign;
mod foreign_limits;
mod gltf;
mod growth;
mod images;
mod inside;
mod limits;
mod links;
mod llsd_json;
mod motions;
mod not_assets;
mod options;
mod places;
mod played;
mod project;
mod references;
mod roundtrip;
mod safety;
mod scene;
mod scripts;
mod secondlife;
mod solids;
mod twins;

// What the modules in `inside` import from `crate`.
use inside::{serial, tree};
