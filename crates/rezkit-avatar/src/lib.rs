#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod check;
mod checks;
mod find;
mod fit;
mod geometry;
mod item;
mod kind;
mod numbers;
mod picture;
mod report;
mod rules;

pub use check::{CheckOptions, check_document, check_scene};
pub use fit::{Change, Fitted, fit_document};
pub use kind::ItemType;
pub use numbers::Numbers;
pub use picture::{Picture, pictures_of_document, pictures_of_scene};
pub use report::{AvatarReport, ItemReport, Row, Verdict};
pub use rezkit_core::{Budget, Error, Finding, Result, Rule, Severity, Sources};
pub use rules::{AVATAR_RULES, AvatarRule, DATE, NOTES, Needs, PREFIX, RULES, remedy, rule, table};
