#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod any;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod attribute_refs;
#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub mod attributes;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod colors;
#[cfg(feature = "compat")]
#[doc(hidden)]
pub mod compat;
#[cfg(feature = "classes")]
pub mod convert;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod create;
#[cfg(feature = "classes")]
pub mod decoded;
pub mod edit;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod effective;
pub mod errors;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod filled;
#[cfg(feature = "text")]
mod finder;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod forms;
#[cfg(feature = "classes")]
#[doc(hidden)]
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
#[cfg(feature = "text")]
mod replace;
#[cfg(feature = "classes")]
pub mod rules;
#[cfg(feature = "classes")]
mod share;
#[cfg(feature = "classes")]
pub mod size;
#[cfg(feature = "classes")]
pub mod state;
#[cfg(feature = "classes")]
#[doc(hidden)]
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
#[cfg_attr(docsrs, doc(cfg(feature = "weak")))]
pub mod weak;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod which;
#[cfg(feature = "classes")]
#[doc(hidden)]
pub mod write;

pub use any::{AnyDocument, Form, ReadOptions, check, detect, from_reader, from_slice, to_vec, to_writer};
#[doc(hidden)]
pub use bstr;
pub use geom::wire::{Error, Result};
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub use rbxcore::classes;
pub use rbxcore::value_types as types;
pub use rbxcore::{Dom, InstanceId, NewInstance, Value, ValueRef};
