#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod attribute_text;
pub mod attributes;
mod bytes;
pub mod collision;
pub mod curves;
mod field;
mod options;
pub mod small;
mod tags;
pub mod terrain;
pub mod union_mesh;

pub use attributes::{Attribute, Attributes};
pub use collision::Collision;
pub use curves::{FloatCurve, MarkerCurve, RotationCurve, ValueCurve};
pub use geom::wire::{Error, ErrorKind, Limit, Problem, Result};
pub use options::ReadOptions;
pub use tags::Tags;
pub use terrain::{ClusterGrid, MaterialColors, PhysicsGrid, SmoothGrid};
pub use union_mesh::UnionMesh;

use bytes::{Bytes, Layout};

/// A type as which the bytes of a property can be read: every type of this crate whose documentation contains "the bytes of
/// the property".
pub trait Blob: Layout {}

impl<T: Layout> Blob for T {}

/// Reads the bytes of a property with the default limits.
///
/// # Errors
/// As [`ReadOptions::read`].
pub fn from_slice<T: Blob>(bytes: &[u8]) -> Result<T> {
    ReadOptions::new().read(bytes)
}

impl ReadOptions {
    /// Reads the bytes of a property.
    ///
    /// # Errors
    /// If the version or a type is not known, if there are too few or too many bytes, if they break the format
    /// so that they cannot be interpreted, and if a limit is reached.
    pub fn read<T: Blob>(&self, bytes: &[u8]) -> Result<T> {
        let mut bytes = Bytes::new(T::NAME, bytes, self.max_bytes);
        let value = T::read(&mut bytes)?;
        bytes.end(value)
    }
}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../FORMAT.md")]
pub mod _format {}
