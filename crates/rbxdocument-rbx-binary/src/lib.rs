#![doc = include_str!("../README.md")]

pub use rbxdocument::compat::rbx_binary::*;
