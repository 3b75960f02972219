//! Edits of a whole model.

use std::collections::HashSet;

use bstr::{BStr, ByteSlice};

use crate::model::{Model, Value, without_png};

impl Model {
    /// Copies the materials that this model lacks from a library, with the assets that they name; if several materials
    /// have one name, the first. Returns the number of copied materials.
    pub fn merge_materials(&mut self, library: &Self) -> usize {
        let mut names: HashSet<&BStr> =
            self.materials.iter().map(|material| material.name.as_bstr()).collect();
        let added: Vec<_> =
            library.materials.iter().filter(|material| names.insert(material.name.as_bstr())).collect();
        let mut assets: HashSet<&[u8]> = self.assets.iter().map(|asset| without_png(&asset.name)).collect();
        let wanted: HashSet<&[u8]> = added
            .iter()
            .flat_map(|material| &material.properties)
            .filter_map(|property| match &property.value {
                Value::Map(name) => Some(without_png(name)),
                _ => None,
            })
            .collect();
        let textures: Vec<_> = library
            .assets
            .iter()
            .filter(|asset| {
                wanted.contains(without_png(&asset.name)) && assets.insert(without_png(&asset.name))
            })
            .cloned()
            .collect();
        let added: Vec<_> = added.into_iter().cloned().collect();
        let count = added.len();
        self.materials.extend(added);
        self.assets.extend(textures);
        count
    }
}
