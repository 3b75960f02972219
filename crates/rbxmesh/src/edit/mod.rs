//! Changes of a mesh that take more than setting a field.

mod facs;
mod normals;
mod skin;

pub use skin::SkinChange;
