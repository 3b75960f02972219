//! The content of an asset.

mod asset;
mod domain;
mod equal;
#[cfg(feature = "serde")]
mod exact;
pub(crate) mod keys;
mod layout;
pub(crate) mod motion;
mod physics;
mod skin;
mod slm;
mod submesh;
mod weights;

pub use asset::{Asset, OtherBlock};
pub use domain::Domain;
pub use layout::{Kept, Layout};
pub(crate) use physics::StoredConvex;
pub use physics::{Convex, CostData, Havok, MassProps, Mopp};
pub use skin::Skin;
pub(crate) use skin::{from_mat4, to_mat4};
pub(crate) use slm::StoredSlm;
pub use slm::{Instance, Slm};
pub use submesh::{Level, Submesh};
pub use weights::VertexWeights;
