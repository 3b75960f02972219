//! The compressed stream that a mesh was read from.

/// A Draco stream as stored in the file.
///
/// Different streams can contain the same mesh. Writing decodes this stream, and writes it back if it contains exactly
/// the vertices and the faces of the mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DracoStream {
    pub(crate) bytes: Vec<u8>,
    pub(crate) compressed_faces: bool,
    pub(crate) others: u32,
    pub(crate) missing: Vec<&'static str>,
}

impl DracoStream {
    /// The bytes of the stream.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the stream's faces are compressed; Roblox does not compress them.
    pub fn has_compressed_faces(&self) -> bool {
        self.compressed_faces
    }

    /// The number of attributes for which a vertex has no field.
    pub fn other_attributes(&self) -> u32 {
        self.others
    }

    /// The fields of a vertex for which the stream has no attribute: they have their default values.
    pub fn missing_fields(&self) -> &[&'static str] {
        &self.missing
    }
}
