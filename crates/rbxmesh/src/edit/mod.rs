//! Edits of a mesh that involve more than setting a field.

mod faces;
mod facs;
mod normals;
mod skin;

pub use skin::SkinChange;
