//! How to read and how to write.

use std::io::{Read, Write};

use crate::consts::Version;
use crate::convert::{self, Dropped};
use crate::error::Result;
use crate::limits::{DEFAULT_MAX_BYTES, read_all};
use crate::model::Mesh;
use crate::wire;

/// How to read a mesh.
///
/// ```
/// # fn main() -> rbxmesh::Result<()> {
/// # let bytes = b"version 1.01\n0\n";
/// let mesh = rbxmesh::ReadOptions::new().max_bytes(16 << 20).read(bytes)?;
/// # assert!(mesh.faces.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ReadOptions {
    max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES }
    }
}

impl ReadOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes the read may allocate for the model: 1 GiB unless set, some thousand times what
    /// the largest known mesh takes. Up to 5.00 no more is allocated than the input can fill, whatever
    /// this is; a compressed mesh of 7.00 may hold as much as this allows in a few bytes.
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Reads a mesh.
    ///
    /// # Errors
    /// Where the bytes are no mesh, end too early or break the format in a way that leaves no
    /// meaning, where the version is not read by this crate, and where `max_bytes` is reached.
    pub fn read(&self, bytes: &[u8]) -> Result<Mesh> {
        wire::read(bytes, self.max_bytes)
    }

    /// Reads a mesh from everything that a reader holds.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails or holds more than `max_bytes`.
    pub fn read_from(&self, reader: impl Read) -> Result<Mesh> {
        self.read(&read_all(reader, self.max_bytes)?)
    }
}

/// Which faces go into a version that has no levels of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LodChoice {
    /// Those of the first, finest level, and the vertices that they use.
    #[default]
    First,
    /// Those of all levels, as one mesh.
    All,
}

/// How to write a mesh: as the version that it was read from, unless asked otherwise.
///
/// What a version has no place for (bones in 2.00) is an error that names it, or is left out with
/// [`WriteOptions::allow_loss`] and listed by [`WriteOptions::write_listing`].
///
/// ```
/// use rbxmesh::{Version, WriteOptions};
///
/// # fn main() -> rbxmesh::Result<()> {
/// # let mesh = rbxmesh::Mesh { version: Version::V1_00, texture_w: vec![], ..Default::default() };
/// let (bytes, dropped) = WriteOptions::new().version(Version::V2_00).allow_loss(true).write_listing(&mesh)?;
/// assert!(bytes.starts_with(b"version 2.00\n") && dropped.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct WriteOptions {
    version: Option<Version>,
    allow_loss: bool,
    lods: LodChoice,
    draco: Option<bool>,
    normal_bits: Option<u8>,
    compress_faces: Option<bool>,
}

impl WriteOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The version to write; the mesh's own unless set.
    pub fn version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }

    /// Whether what the version has no place for is left out instead of an error. Off unless set.
    pub fn allow_loss(mut self, allow: bool) -> Self {
        self.allow_loss = allow;
        self
    }

    /// Which faces go into a version without levels of detail, for a mesh that has several; this
    /// also wants [`WriteOptions::allow_loss`]. The first level unless set.
    pub fn lods(mut self, lods: LodChoice) -> Self {
        self.lods = lods;
        self
    }

    /// Whether vertices and faces are compressed with Draco in 6.00 and 7.00 (`COREMESH` 2) or stand
    /// plain (`COREMESH` 1). Unless set, as in the file; in another version than the file's, compressed in
    /// 7.00 and plain in 6.00.
    pub fn draco(mut self, draco: bool) -> Self {
        self.draco = Some(draco);
        self
    }

    /// With how many bits normals are rounded where they are compressed with Draco: 1 to 30, or 32 not
    /// to round them. Unless set, as in the file, or 11, which is what Roblox does.
    ///
    /// A normal is off by at most half a step, and a step is the range of all normals, which is 2 at
    /// most where their length is 1, divided by `2^bits - 1`. Of a mesh that was read from a compressed
    /// file the normals that nobody edited stay as they are, as long as none is edited to lie outside
    /// the range of the file and the bits are the file's.
    pub fn normal_bits(mut self, bits: u8) -> Self {
        self.normal_bits = Some(bits);
        self
    }

    /// Whether the faces, too, are compressed where vertices and faces are compressed with Draco. Unless
    /// set, as in the file, or not, as Roblox does; any Draco decoder reads either.
    pub fn compress_faces(mut self, compress: bool) -> Self {
        self.compress_faces = Some(compress);
        self
    }

    pub(crate) fn draco_choice(&self) -> (Option<bool>, Option<u8>, Option<bool>) {
        (self.draco, self.normal_bits, self.compress_faces)
    }

    pub(crate) fn allows_loss(&self) -> bool {
        self.allow_loss
    }

    pub(crate) fn lod_choice(&self) -> LodChoice {
        self.lods
    }

    /// The mesh as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where the version has no place for a part of the mesh, where a
    /// count does not fit, or where columns differ in length.
    pub fn write(&self, mesh: &Mesh) -> Result<Vec<u8>> {
        self.write_listing(mesh).map(|(bytes, _)| bytes)
    }

    /// The mesh as a file, and what of it was left out: parts of the model where that was allowed,
    /// and, always, bytes without a known meaning that have no place in the version.
    ///
    /// # Errors
    /// As [`WriteOptions::write`].
    pub fn write_listing(&self, mesh: &Mesh) -> Result<(Vec<u8>, Vec<Dropped>)> {
        let version = self.version.unwrap_or(mesh.version);
        let (mesh, core, dropped) = convert::prepare(mesh, version, self)?;
        Ok((wire::write(&mesh, version, &core)?, dropped))
    }

    /// Writes the mesh into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, mesh: &Mesh) -> Result<()> {
        Ok(writer.write_all(&self.write(mesh)?)?)
    }
}
