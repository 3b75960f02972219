//! Images that combine maps of roughness and metalness, as glTF requires.

use std::collections::HashMap;

use crate::images;
use crate::model::{Image, ImageData, Scene};
use rezkit_core::Budget;

/// The combined images of a scene, by their two maps: each pair is combined once, and so is one that cannot be.
#[derive(Debug, Default)]
pub(crate) struct Combined(HashMap<[Option<usize>; 2], Result<usize, String>>);

impl Combined {
    /// The index of an image with roughness in green and metalness in blue; `None` if the scene has the file of neither
    /// map.
    ///
    /// # Errors
    /// Why the maps cannot be combined.
    pub(crate) fn image(
        &mut self,
        scene: &mut Scene,
        [roughness, metalness]: [Option<usize>; 2],
        name: impl FnOnce() -> String,
        budget: &mut Budget,
    ) -> Result<Option<usize>, String> {
        let file = |index: Option<usize>| scene.images.get(index?)?.bytes();
        let files @ [rough, metal] = [file(roughness), file(metalness)];
        if files == [None, None] {
            return Ok(None);
        }
        let mut made = None;
        let key = [roughness.filter(|_| rough.is_some()), metalness.filter(|_| metal.is_some())];
        let known = self.0.entry(key).or_insert_with(|| {
            let bytes = images::packed(rough, metal, budget).map_err(|error| error.to_string())?;
            let what = "the combined map of roughness and metalness";
            budget.take(bytes.len() as u64, what).map_err(|error| error.to_string())?;
            made = Some(Image { name: name(), data: ImageData::Bytes(bytes) });
            Ok(scene.images.len())
        });
        scene.images.extend(made);
        known.clone().map(Some)
    }
}
