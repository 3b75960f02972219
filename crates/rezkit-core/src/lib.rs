#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
mod error;
mod finding;
mod losses;
mod policy;
mod sources;

pub use budget::Budget;
pub use error::{Error, ErrorKind, Result};
pub use finding::{Finding, Limit, Rule, Severity};
pub use geom::files::{File, Files, Folder, Names, normal_path};
pub use geom::plain;
pub use geom::settable;
pub use geom::wire::DEFAULT_MAX_BYTES;
pub use geom::wire::{Advice, Counted, Loss, LossKind, LossRule, Missing};
pub use losses::LOSSES;
pub use policy::RulePolicy;
pub use sources::{Reference, Sources, beside};
