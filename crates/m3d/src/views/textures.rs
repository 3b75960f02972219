//! The textures that materials use.

use std::collections::HashMap;

use bstr::{BStr, ByteSlice};

use crate::consts::PropertyId;
use crate::model::{Asset, MaterialId, Model, Value, without_png};

/// A texture that a material uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Texture<'m> {
    /// The material.
    pub material: MaterialId,
    /// The property with the texture: the id of the map.
    pub property: PropertyId,
    /// Its name. A texture that is not in the model is the file with this name, with `.png` added unless the name
    /// has an extension.
    pub name: &'m BStr,
    /// The PNG file, if the model has it.
    pub data: Option<&'m [u8]>,
}

impl Model {
    /// Every texture of every material, in the order of the materials.
    pub fn textures(&self) -> impl Iterator<Item = Texture<'_>> {
        let mut exact: HashMap<&[u8], &Asset> = HashMap::new();
        let mut short: HashMap<&[u8], &Asset> = HashMap::new();
        for asset in &self.assets {
            exact.entry(&asset.name).or_insert(asset);
            short.entry(without_png(&asset.name)).or_insert(asset);
        }
        let all = self.materials.iter().enumerate().flat_map(|(index, material)| {
            material.properties.iter().map(move |property| (MaterialId::new(index), property))
        });
        all.filter_map(move |(material, property)| {
            let Value::Map(name) = &property.value else { return None };
            let name = name.as_bstr();
            let asset = exact.get(name.as_bytes()).or_else(|| short.get(without_png(name)));
            // An asset without data only names a file.
            let data =
                asset.map(|asset| asset.data.as_slice()).filter(|data| !(name.is_empty() || data.is_empty()));
            Some(Texture { material, property: property.id, name, data })
        })
    }

    /// The PNG file of a material's texture. `property` is the id of the map, or of the number or colour that the map
    /// varies. `None` if the material has no such texture, or the model does not contain the file.
    pub fn texture(&self, material: MaterialId, property: PropertyId) -> Option<&[u8]> {
        let name = self.materials.get(material.get()?)?.map(property)?;
        Some(self.asset(name)?.data.as_slice()).filter(|data| !(name.is_empty() || data.is_empty()))
    }
}
