//! What takes the bytes of a document, as a picture.

use std::collections::HashMap;

use rbxdocument::size::Size;
use rezkit_core::Result;
use rezkit_render::treemap::{Tile, treemap as drawn};

use super::Document;

/// The sizes of a document's instances as a PNG image, in which the area of each instance is the number of its bytes in the
/// file, with those of all below it. Instances of one class have one colour.
///
/// # Errors
/// If the image has no pixels, or more than 16,384 along a side, or if the document has no instances.
pub fn treemap(document: &Document, size: &Size, pixels: (u32, u32)) -> Result<Vec<u8>> {
    let index_of: HashMap<_, _> =
        size.instances.iter().enumerate().map(|(index, of)| (of.id, index)).collect();
    let form = &**document;
    let tile = |of: &rbxdocument::size::InstanceSize| Tile {
        parent: form.parent(of.id).and_then(|parent| index_of.get(&parent).copied()),
        label: form.label(of.id).to_string(),
        size: of.own,
        group: form.class(of.id).map(ToString::to_string).unwrap_or_default(),
    };
    let tiles: Vec<Tile> = size.instances.iter().map(tile).collect();
    drawn(&tiles, pixels)
}
