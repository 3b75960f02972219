#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod assets;
mod error;
mod files;
mod finding;
mod foreign;
pub mod formats;
mod limits;
mod options;
mod roundtrip;
#[cfg(feature = "scene")]
pub mod scene;
mod scripts;
mod serial;
pub mod tree;
mod unwrap;

/// The byte strings inside of Roblox properties: attributes, tags, terrain. Each is decoded on demand and encoded to
/// the same bytes; the bytes of a property that nobody edits are never touched.
pub use rbxblobs as blobs;

pub use error::{Error, ErrorKind, Result};
pub use files::File;
pub use finding::{Finding, Limit, Severity};
pub use foreign::{NOT_AN_ASSET, not_an_asset};
pub use formats::{Asset, Converted, Detected, FORMATS, Fact, FactValue, Form, Format};
pub use options::{ConvertOptions, Fill, ReadOptions, WriteOptions};
pub use roundtrip::{Grade, Report, roundtrip, roundtrip_with};
pub use scripts::{Script, Suspicion};
pub use unwrap::{Part, Wrapped, unwrap};

/// The names under which the demands of platforms on uploads are known: `scene::upload` checks them.
pub const PROFILES: [&str; 2] = ["roblox-upload", "secondlife-upload"];

/// The format and the version of a file, from its first bytes; `None` where it is of no known format.
pub fn detect(bytes: &[u8]) -> Option<Detected> {
    formats::detect(bytes)
}

/// Reads a file of any known format, with the default limits.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn read(bytes: &[u8]) -> Result<Box<dyn Asset>> {
    ReadOptions::new().read(bytes)
}
