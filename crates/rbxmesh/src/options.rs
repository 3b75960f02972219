//! Options for reading and writing.

use geom::wire::{DEFAULT_MAX_BYTES, options};

options! {
    /// Options for reading a mesh.
    ///
    /// ```
    /// # fn main() -> rbxmesh::Result<()> {
    /// # let bytes = b"version 1.01\n0\n";
    /// let mesh = rbxmesh::ReadOptions::new().max_bytes(16 << 20).read(bytes)?;
    /// # assert!(mesh.faces.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ReadOptions {
        /// The number of bytes that a read may allocate: 1 GiB by default, some thousand times as much as the largest
        /// known mesh needs. Up to 5.00, a read allocates in proportion to the input, unless many bones share a name; a
        /// small compressed mesh of 7.00 may use all of it.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
    }
}

options! {
    /// Options for writing a mesh. It is written in the version that it has; [`crate::Mesh::to_version`] changes that.
    ///
    /// ```
    /// use rbxmesh::{LodChoice, Version, WriteOptions};
    ///
    /// # fn main() -> rbxmesh::Result<()> {
    /// # let mesh = rbxmesh::Mesh::default();
    /// let (mesh, _dropped) = mesh.to_version(Version::V7_00, LodChoice::First);
    /// let bytes = WriteOptions::new().compress_faces(true).write(&mesh)?;
    /// assert!(bytes.starts_with(b"version 7.00\n"));
    /// # Ok(())
    /// # }
    /// ```
    WriteOptions {
        /// Whether 6.00 and 7.00 store vertices and faces compressed with Draco (`COREMESH` 2) instead of plain
        /// (`COREMESH` 1). By default as in the file; a new mesh is compressed in 7.00 and plain in 6.00.
        ///
        /// Compressing is lossless. Roblox rounds normals before it compresses them, which makes files smaller:
        /// [`crate::Mesh::round_normals`] does the same.
        draco: bool => Option<bool> = None;
        /// Whether a Draco stream also compresses the indices of the faces. By default as in the file; a new mesh has
        /// plain indices, as Roblox writes them. Any Draco decoder reads both.
        compress_faces: bool => Option<bool> = None;
    }
}

/// The faces of a mesh with several levels of detail that are kept in a version without levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LodChoice {
    /// The faces of the first, finest level, and the vertices that they use.
    #[default]
    First,
    /// The faces of all levels, as one mesh.
    All,
}
