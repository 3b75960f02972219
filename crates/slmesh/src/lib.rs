//! Second Life mesh.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod build;
mod check;
mod consts;
mod cost;
mod error;
mod finding;
mod limits;
mod model;
mod options;
mod slm;
mod view;
mod wire;

use std::io::{Read, Write};

pub use build::{Builder, Part};
pub use check::check;
pub use consts::{
    Kind, Lod, MAX_FACES, MAX_HEADER, MAX_HULL_POINTS, MAX_HULLS, MAX_JOINTS, MAX_POSITION, MAX_VERSION,
    MAX_VERTICES, NO_JOINT,
};
pub use cost::StreamingCost;
pub use error::{Error, ErrorKind, Limit, Result};
pub use finding::{Finding, Severity};
pub use geom;
pub use llsd;
pub use model::{
    Asset, Convex, CostData, Domain, Havok, Kept, Layout, Level, MassProps, Mopp, OtherBlock, Skin, Submesh,
    VertexWeights,
};
pub use options::{ReadOptions, WriteOptions};
pub use slm::{Instance, Slm};
pub use view::{Chunk, View};

/// What a file is, from its first map: an asset has blocks of known names with an offset and a size
/// each, and something behind the map; a `.slm` file has meshes and instances. `None` for everything
/// else, any other LLSD included. The first 4,096 bytes of an asset are enough.
pub fn detect(bytes: &[u8]) -> Option<Kind> {
    wire::detect(bytes)
}

/// Reads the header of an asset; each block is inflated and decoded when it is asked for.
///
/// # Errors
/// As [`ReadOptions::open`].
pub fn open(bytes: &[u8]) -> Result<View<'_>> {
    ReadOptions::new().open(bytes)
}

/// Reads an asset and decodes all of its blocks, with the default options.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice(bytes: &[u8]) -> Result<Asset> {
    ReadOptions::new().read(bytes)
}

/// Reads an asset from everything that a reader holds, with the default options.
///
/// # Errors
/// As [`ReadOptions::read_from`].
pub fn from_reader(reader: impl Read) -> Result<Asset> {
    ReadOptions::new().read_from(reader)
}

/// Writes an asset, with what nobody edited as it was.
///
/// # Errors
/// As [`WriteOptions::write`].
pub fn to_vec(asset: &Asset) -> Result<Vec<u8>> {
    WriteOptions::new().write(asset)
}

/// Writes an asset, with what nobody edited as it was, into a writer.
///
/// # Errors
/// As [`WriteOptions::write_to`].
pub fn to_writer(writer: impl Write, asset: &Asset) -> Result<()> {
    WriteOptions::new().write_to(writer, asset)
}

/// The blocks of an asset as they stand in the file, in the order of the header, without inflating
/// them.
///
/// # Errors
/// Where the header does not read; and for each block that lies outside of the file or over another.
pub fn chunks(bytes: &[u8]) -> Result<impl Iterator<Item = Result<Chunk<'_>>>> {
    let view = open(bytes)?;
    Ok(view.chunks().collect::<Vec<_>>().into_iter())
}
