//! The meshes and images of a model: each is one file, named by its content.

use std::collections::HashMap;

use rezkit_core::{Budget, Files, Loss, Result};
use serde_json::json;

use super::sha256;
use crate::forms::ModelOptions;
use crate::images;

/// A file by its index in [`Assets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(usize);

/// A mesh or an image.
#[derive(Debug)]
struct Asset {
    /// The name: the first digits of the hash, and the extension.
    name: String,
    hash: String,
    bytes: Vec<u8>,
    /// The number of triangles; `None` for an image.
    triangles: Option<usize>,
    /// The properties that refer to it, by the paths of their instances.
    properties: Vec<String>,
}

/// All meshes and images of a model.
#[derive(Debug)]
pub struct Assets {
    /// The beginning of the addresses of the files.
    prefix: String,
    all: Vec<Asset>,
    by_hash: HashMap<String, usize>,
}

/// The name of the list of the files.
const MANIFEST: &str = "manifest.json";
const WHAT: &str = "the meshes and images of the model";

impl Assets {
    /// None yet. Their addresses begin with the prefix of the options, by default `rbxasset://` and the name of the folder,
    /// or of the model.
    pub fn new(options: &ModelOptions, stem: &str) -> Self {
        let folder = options.assets.as_deref().unwrap_or(stem);
        let prefix = options.prefix.clone().unwrap_or_else(|| format!("rbxasset://{folder}"));
        let prefix = if prefix.ends_with(['/', '=']) { prefix } else { prefix + "/" };
        Self { prefix, all: Vec::new(), by_hash: HashMap::new() }
    }

    /// The file with these bytes, which is added if there is none: a mesh with a number of triangles, or an image.
    ///
    /// # Errors
    /// If the files need more than the budget has left.
    pub fn add(&mut self, bytes: Vec<u8>, triangles: Option<usize>, budget: &mut Budget) -> Result<FileId> {
        // Hashing takes some steps for each byte.
        budget.work(bytes.len() as u64, WHAT)?;
        let hash = sha256::hex(&bytes);
        if let Some(&known) = self.by_hash.get(&hash) {
            return Ok(FileId(known));
        }
        budget.take(bytes.len() as u64 + 1000, WHAT)?;
        let extension = match triangles {
            Some(_) => "mesh",
            None if images::Kind::of(&bytes) == Some(images::Kind::Jpeg) => "jpg",
            None => "png",
        };
        let name = format!("{}.{extension}", hash.get(..16).unwrap_or_default());
        self.by_hash.insert(hash.clone(), self.all.len());
        self.all.push(Asset { name, hash, bytes, triangles, properties: Vec::new() });
        Ok(FileId(self.all.len() - 1))
    }

    /// The address of a file, for the property at a path.
    ///
    /// # Errors
    /// If the list of the files needs more than the budget has left.
    pub fn address(
        &mut self,
        file: FileId,
        path: &str,
        property: &str,
        budget: &mut Budget,
    ) -> Result<String> {
        let asset = &mut self.all[file.0];
        budget.take((path.len() + property.len() + 64) as u64, WHAT)?;
        asset.properties.push(format!("{path}.{property}"));
        Ok(format!("{}{}", self.prefix, asset.name))
    }

    /// The number of meshes, and that of images.
    fn counts(&self) -> [usize; 2] {
        let meshes = self.all.iter().filter(|asset| asset.triangles.is_some()).count();
        [meshes, self.all.len() - meshes]
    }

    /// Writes the files and their list into the folder; without one, lists them as missing.
    ///
    /// # Errors
    /// If the list needs more than the budget has left.
    pub fn finish(
        self,
        options: &ModelOptions,
        files: &mut Files,
        losses: &mut Vec<Loss>,
        budget: &mut Budget,
    ) -> Result<()> {
        let Some(folder) = &options.assets else {
            let counts = self.counts().into_iter().zip(["mesh", "image"]);
            for (count, what) in counts.filter(|(count, _)| *count > 0) {
                let what = format!(
                    "the model refers to the file of a {what}, which is not written: `--assets FOLDER` (library option: \
                     `assets`) writes the files"
                );
                losses.push(Loss::warning("assets", what).id("roblox.assets-not-written").times(count));
            }
            return Ok(());
        };
        if self.all.is_empty() {
            return Ok(());
        }
        let list: Vec<_> = self.all.iter().map(|asset| entry(asset, &self.prefix)).collect();
        let list = json!({ "files": list });
        let text = budget.json(&list, "the list of the files")?;
        for asset in self.all {
            files.add(&[folder, &asset.name], asset.bytes);
        }
        files.add(&[folder, MANIFEST], text);
        Ok(())
    }
}

/// The entry of a file in the list.
fn entry(asset: &Asset, prefix: &str) -> serde_json::Value {
    let Asset { name, hash, bytes, triangles, properties } = asset;
    let mut entry = json!({
        "file": name,
        "kind": if triangles.is_some() { "mesh" } else { "image" },
        "reference": format!("{prefix}{name}"),
        "sha256": hash,
        "bytes": bytes.len(),
        "properties": properties,
    });
    match (triangles, images::size(bytes)) {
        (Some(count), _) => entry["triangles"] = (*count).into(),
        (None, Some((width, height))) => entry["size"] = json!([width, height]),
        (None, None) => {}
    }
    entry
}
