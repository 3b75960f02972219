//! A scene: its structure as JSON, its columns as an address and a length in memory.

use rezkit::PictureOptions;
use rezkit::render::Renderer;
use rezkit::scene::{self as scenes, ImageData, Values};
use serde_json::json;
use wasm_bindgen::prelude::*;

use crate::{Result, json, place, thrown};

/// A scene in glTF's terms.
#[wasm_bindgen]
pub struct Scene {
    pub(crate) scene: scenes::Scene,
    losses: Vec<rezkit::Loss>,
    max_bytes: u64,
}

impl Scene {
    pub(crate) fn new(scene: scenes::Scene, losses: Vec<rezkit::Loss>, max_bytes: u64) -> Self {
        Self { scene, losses: rezkit::Loss::grouped(losses), max_bytes }
    }
}

#[wasm_bindgen]
impl Scene {
    /// Everything except columns and the bytes of images, as a list: the nodes, the materials, the losses, an
    /// object with the rest.
    pub fn json(&self) -> String {
        let scene = &self.scene;
        let primitive = |primitive: &scenes::Primitive| {
            json!({
                "vertices": primitive.mesh.positions.len(),
                "triangles": primitive.mesh.triangles.len(),
                "material": primitive.material,
                "uvSets": 1 + primitive.more_uvs.len(),
                "targets": primitive.targets.iter().map(|target| &target.name).collect::<Vec<_>>(),
            })
        };
        let mesh = |mesh: &scenes::Mesh| {
            let primitives: Vec<_> = mesh.primitives.iter().map(primitive).collect();
            json!({ "name": mesh.name, "weights": mesh.weights, "primitives": primitives })
        };
        let image = |image: &scenes::Image| {
            let uri = match &image.data {
                ImageData::Uri(uri) => Some(uri),
                ImageData::Bytes(_) => None,
            };
            json!({ "name": image.name, "mediaType": image.media_type(), "uri": uri })
        };
        let channel = |channel: &scenes::Channel| {
            let property = match channel.values {
                Values::Translation(_) => "translation",
                Values::Rotation(_) => "rotation",
                Values::Scale(_) => "scale",
                Values::Weights(_) => "weights",
            };
            json!({ "node": channel.node, "property": property, "interpolation": channel.interpolation })
        };
        let animation = |animation: &scenes::Animation| {
            let channels: Vec<_> = animation.channels.iter().map(channel).collect();
            json!({ "name": animation.name, "duration": animation.duration(), "channels": channels })
        };
        let skin = |skin: &scenes::Skin| json!({ "name": skin.name, "joints": skin.joints });
        let rest = json(&json!({
            "name": scene.name,
            "roots": scene.roots,
            "meshes": scene.meshes.iter().map(mesh).collect::<Vec<_>>(),
            "images": scene.images.iter().map(image).collect::<Vec<_>>(),
            "skins": scene.skins.iter().map(skin).collect::<Vec<_>>(),
            "animations": scene.animations.iter().map(animation).collect::<Vec<_>>(),
            "front": scene.front,
            "copyright": scene.copyright,
            "extras": scene.extras,
        }));
        // There can be many nodes, so they are written directly, not as JSON values first.
        format!("[{},{},{},{rest}]", json(&scene.nodes), json(&scene.materials), json(&self.losses))
    }

    /// The address of a column of a primitive, and its number of vertices or triangles; 0 if it is absent. `index` is
    /// the set of texture coordinates, or the morph target.
    pub fn column(&self, mesh: usize, primitive: usize, name: &str, index: usize) -> Vec<usize> {
        let Some(primitive) = self.scene.meshes.get(mesh).and_then(|mesh| mesh.primitives.get(primitive))
        else {
            return vec![0, 0];
        };
        let (mesh, target) = (&primitive.mesh, primitive.targets.get(index));
        match (name, target) {
            ("positions", _) => place(&mesh.positions),
            ("normals", _) => place(&mesh.normals),
            ("tangents", _) => place(&mesh.tangents),
            ("uvs", _) => place(primitive.uvs(index)),
            ("colors", _) => place(&mesh.colors),
            ("joints", _) => place(&mesh.joints),
            ("weights", _) => place(&mesh.weights),
            ("triangles", _) => place(&mesh.triangles),
            ("target positions", Some(target)) => place(&target.positions),
            ("target normals", Some(target)) => place(&target.normals),
            _ => vec![0, 0],
        }
    }

    /// The address and the number of the inverse bind matrices of a skin.
    pub fn inverse_bind(&self, skin: usize) -> Vec<usize> {
        self.scene.skins.get(skin).map_or_else(|| vec![0, 0], |skin| place(&skin.inverse_bind))
    }

    /// The address and the number of a channel's times, then those of its values.
    pub fn channel(&self, animation: usize, channel: usize) -> Vec<usize> {
        let found =
            self.scene.animations.get(animation).and_then(|animation| animation.channels.get(channel));
        let Some(channel) = found else { return vec![0; 4] };
        let mut places = place(&channel.times);
        places.extend(match &channel.values {
            Values::Translation(values) | Values::Scale(values) => place(values),
            Values::Rotation(values) => place(values),
            Values::Weights(values) => place(values),
        });
        places
    }

    /// The address and the number of the bytes of an image; 0 if it is external.
    pub fn image(&self, index: usize) -> Vec<usize> {
        match self.scene.images.get(index).map(|image| &image.data) {
            Some(ImageData::Bytes(bytes)) => place(bytes),
            _ => vec![0, 0],
        }
    }

    /// A picture with options from a JSON object: the width and the height in four bytes each, then red, green, blue
    /// and alpha of each pixel.
    pub fn picture(&self, options: &str) -> Result<Vec<u8>> {
        let options: PictureOptions = crate::asset::options(options, |_| true)?;
        let options = options.of(&self.scene, &[]).map_err(thrown)?;
        let picture = Renderer::new(&self.scene, self.max_bytes).and_then(|renderer| renderer.draw(&options));
        let [width, height] = [options.width, options.height].map(u32::to_le_bytes);
        Ok([&width[..], &height, &picture.map_err(thrown)?.into_bytes()].concat())
    }
}
