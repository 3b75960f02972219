#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod attribute_refs;
#[cfg(feature = "attributes")]
mod attributes;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod colors;
#[cfg(feature = "compat")]
#[cfg_attr(docsrs, doc(cfg(feature = "compat")))]
pub mod compat;
#[cfg(feature = "classes")]
pub mod convert;
#[cfg(feature = "classes")]
pub mod create;
#[cfg(feature = "classes")]
pub mod decoded;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod effective;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod filled;
#[cfg(feature = "text")]
mod finder;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod forms;
#[cfg(feature = "classes")]
pub mod graft;
#[cfg(feature = "history")]
#[cfg_attr(docsrs, doc(cfg(feature = "history")))]
pub mod history;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod join;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod lists;
mod losses;
#[cfg(feature = "classes")]
mod options;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod paths;
#[cfg(feature = "classes")]
pub mod query;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod references;
#[cfg(feature = "classes")]
mod replace;
#[cfg(feature = "classes")]
pub mod rules;
#[cfg(feature = "classes")]
pub mod share;
#[cfg(feature = "classes")]
pub mod size;
#[cfg(feature = "classes")]
pub mod state;
#[cfg(feature = "classes")]
pub mod terrain;
#[cfg(feature = "text")]
#[cfg_attr(docsrs, doc(cfg(feature = "text")))]
pub mod text;
#[cfg(feature = "classes")]
mod texts;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod validate;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod view;
#[cfg(feature = "weak")]
mod weak;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod which;

pub use any::{AnyDocument, Form, ReadOptions, check, detect, from_reader, from_slice, to_vec, to_writer};
#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use attributes::{
    attribute, attributes, read_attributes, remove_attribute, set_attribute, set_attributes, set_tags, tags,
};
pub use bstr;
pub use geom::wire::{
    Advice, Budget, Error, ErrorKind, Finding, Limit, Loss, LossKind, LossRule, Missing, Problem, Result,
};
pub use losses::LOSSES;
#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use rbxblobs::Attribute;
pub use rbxcore::value_types as types;
pub use rbxcore::{
    Dom, EditOptions, Edited, Fill, Filled, InstanceId, LeftOut, NewInstance, Others, Renamed, Value,
    ValueRef,
};
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub use rbxcore::{
    classes,
    property::{Found, Source},
};
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub use replace::replace_texts;
#[cfg(feature = "weak")]
#[cfg_attr(docsrs, doc(cfg(feature = "weak")))]
pub use weak::{Lost, apply, from_weak, to_weak};
