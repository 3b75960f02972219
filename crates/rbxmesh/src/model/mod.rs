//! The mesh, independent of its version: plain data without I/O.

mod chunk;
mod equal;
mod facs;
mod layout;
mod lods;
mod mesh;
mod normals;
pub(crate) mod select;
mod skin;
mod stream;
mod vertex;

pub use chunk::{Chunk, Payload, Visibility};
pub use facs::{Facs, Names, Pose, QuantizedMatrix, Samples, Transforms};
pub(crate) use layout::VertexForm;
pub use layout::{BoneNames, Layout, UnknownFacs};
pub use lods::Lods;
pub(crate) use mesh::Loss;
pub use mesh::Mesh;
pub use normals::NormalGrid;
pub use skin::{Bone, Envelope, Subset};
pub use stream::DracoStream;
pub use vertex::{Tangent, Vertex};
