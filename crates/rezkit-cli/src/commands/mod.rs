//! The commands, one file each. None of them names a format.

pub(crate) mod assets;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod docs;
pub(crate) mod edit;
pub(crate) mod extract;
pub(crate) mod find;
mod found;
pub(crate) mod get;
pub(crate) mod git;
pub(crate) mod info;
pub(crate) mod lods;
pub(crate) mod merge;
pub(crate) mod pack;
mod pictures;
pub(crate) mod render;
pub(crate) mod roundtrip;
mod scenes;
pub(crate) mod scripts;
pub(crate) mod set;
mod settings;
pub(crate) mod size;
pub(crate) mod sl;
pub(crate) mod table;
pub(crate) mod tree;
