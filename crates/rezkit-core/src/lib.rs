#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
mod error;
mod exact;
mod files;
mod finding;
mod loss;
mod sources;
mod text;

pub use budget::Budget;
pub use error::{Error, ErrorKind, Missing, Result};
pub use exact::{
    EXACT, Exact, Grade, LLSD, M3D, MOTION, Model, RBXBINARY, RBXMESH, RBXXML, SLMESH, encoding_name,
};
pub use files::{File, Files, Folder, Names};
pub use finding::{Finding, Limit, Rule, Severity};
pub use loss::{Loss, LossKind};
pub use sources::{Reference, Sources, beside};
