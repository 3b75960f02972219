//! The uploader's files.

use geom::wire::{Bytes, short_debug};
use llsd::{Map, Text, Value};

use super::asset::Asset;

/// A `.slm` file: a model in the uploader's form, with its meshes and their positions.
///
/// Some files with this extension are just an asset: [`crate::detect`] distinguishes them. Equality is as for
/// [`Asset`].
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slm {
    /// The version of the file; 3 today.
    pub version: Option<i32>,
    /// The name of the model.
    pub name: Option<Text>,
    /// The meshes; each is a whole asset.
    pub meshes: Vec<Asset>,
    /// The meshes as objects, each with a position and a material.
    pub instances: Vec<Instance>,
    /// Unknown keys, and known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// The original file: written back if its content did not change.
    pub layout: Vec<u8>,
}

short_debug! { Slm { version, name, meshes, instances, extra; layout => Bytes(layout) } }

/// An object: a mesh with a transform and a material.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Instance {
    /// The index of its mesh, as the uploader numbers them.
    pub mesh_id: Option<i32>,
    /// Its name.
    pub label: Option<Text>,
    /// Sixteen numbers row by row, for row vectors: the translation is the last row.
    pub transform: Option<[f64; 16]>,
    /// Its materials, as stored in the file.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::value"))]
    pub material: Option<Value>,
    /// Unknown keys, and known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}

impl Slm {
    /// A file with one mesh and one object, with this name and the identity transform.
    pub fn of_asset(asset: Asset, name: &str) -> Self {
        let name = (!name.is_empty()).then(|| Text::from(name));
        let identity = std::array::from_fn(|index| if index % 5 == 0 { 1.0 } else { 0.0 });
        let instance = Instance {
            mesh_id: Some(0),
            label: name.clone(),
            transform: Some(identity),
            ..Instance::default()
        };
        Self { version: Some(3), name, meshes: vec![asset], instances: vec![instance], ..Self::default() }
    }

    /// Whether both have the same layout.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout && self.meshes.iter().zip(&other.meshes).all(|(a, b)| a.same_layout(b))
    }
}

/// A `.slm` file with its meshes as bytes.
#[derive(Debug, Default)]
pub(crate) struct StoredSlm {
    pub(crate) version: Option<i32>,
    pub(crate) name: Option<Text>,
    pub(crate) meshes: Option<Vec<Text>>,
    pub(crate) instances: Option<Vec<Instance>>,
    pub(crate) extra: Map,
}
