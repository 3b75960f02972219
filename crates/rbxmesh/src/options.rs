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
        /// The number of bytes that the read may allocate: 1 GiB by default, some thousand times the needs of the
        /// largest known mesh. Up to 5.00, a read never allocates more than the input justifies, except for a name that
        /// many bones share; a compressed mesh of 7.00 may use all of it for a few bytes of input.
        max_bytes: u64 = DEFAULT_MAX_BYTES;
    }
}

options! {
    /// Options for writing a mesh. It is written in its own version; to change that, use [`crate::Mesh::to_version`].
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
        /// Whether vertices and faces are compressed with Draco in 6.00 and 7.00 (`COREMESH` 2) or plain (`COREMESH`
        /// 1). By default as in the file; a new mesh is compressed in 7.00 and plain in 6.00.
        ///
        /// Compressing is lossless. Roblox rounds normals before it compresses them, which makes files smaller:
        /// [`crate::Mesh::round_normals`] does the same.
        draco: bool => Option<bool> = None;
        /// Whether the faces are compressed, too, if vertices and faces are compressed with Draco. By default as in the
        /// file, otherwise not, as Roblox does; any Draco decoder reads either.
        compress_faces: bool => Option<bool> = None;
    }
}

/// Which faces of a mesh with several levels of detail to keep in a version without levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LodChoice {
    /// Those of the first, finest level, and the vertices that they use.
    #[default]
    First,
    /// Those of all levels, as one mesh.
    All,
}
