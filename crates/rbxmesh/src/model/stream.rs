//! The compressed stream that a mesh was read from.

/// A Draco stream as it is in the file.
///
/// Other streams can contain the same mesh. The stream itself is written again if it contains the vertices and the
/// faces of the mesh, to the bit: writing decodes it to find out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DracoStream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) compressed_faces: bool,
    pub(crate) others: u32,
}

impl DracoStream {
    /// The stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the faces are compressed in the stream; those that Roblox writes are not.
    pub fn has_compressed_faces(&self) -> bool {
        self.compressed_faces
    }

    /// How many attributes of the stream a vertex does not have.
    pub fn other_attributes(&self) -> u32 {
        self.others
    }
}
