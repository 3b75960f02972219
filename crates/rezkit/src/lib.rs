//! Every asset format of Roblox, Second Life and Model 3D with one interface: what a file is, what it
//! contains, which rules of its format it breaks, the same content in another form, and whether it
//! survives being read and written.
//!
//! ```
//! let bytes = b"version 1.00\n1\n[0,0,0][0,0,1][0,0,0][1,0,0][0,0,1][0,0,0][0,1,0][0,0,1][0,0,0]";
//! let asset = rezkit::read(bytes)?;
//! assert_eq!((asset.format().name, asset.version().as_str()), ("rbxmesh", "1.00"));
//! let written = asset.write(&rezkit::WriteOptions::new().form("2.00"))?;
//! assert!(written.starts_with(b"version 2.00"));
//! assert_eq!(rezkit::roundtrip(&written).grade, rezkit::Grade::Exact);
//! # Ok::<(), rezkit::Error>(())
//! ```
//!
//! Nothing here prints, exits or opens a file: the command line is the feature `cli`, which is on by
//! default; a program that uses the library turns it off with `default-features = false`.

pub mod assets;
pub mod blobs;
mod error;
mod extract;
mod finding;
mod foreign;
pub mod formats;
mod options;
mod roundtrip;
#[cfg(feature = "scene")]
pub mod scene;
mod scripts;
pub mod tree;
mod unwrap;

pub use error::{Error, ErrorKind, Result};
pub use extract::File;
pub use finding::{Finding, Severity};
pub use formats::{Asset, Converted, Detected, FORMATS, Fact, FactValue, Form, Format};
pub use options::{ConvertOptions, Fill, ReadOptions, WriteOptions};
pub use roundtrip::{Grade, Report, roundtrip, roundtrip_with};
pub use scripts::{Script, Suspicion};
pub use unwrap::{Part, unwrap};

/// The demands of platforms on uploads that [`Asset::check_profile`] knows.
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

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
