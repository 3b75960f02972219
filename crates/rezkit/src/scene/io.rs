//! Files of any format as scenes, and scenes as files of any format.

use std::any::Any;
use std::path::Path;

use super::model::{Levels, Loss, Scene};
use super::{gltf, m3d, obj, ply, rbxmesh, roblox, slmesh, stl};
use crate::files::{File, Files, Names};

/// A form in which a scene can be written.
#[derive(Clone, Copy, Debug)]
pub struct SceneForm {
    /// The name, which is the usual extension.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    write: fn(&Scene, &str) -> Result<Written, String>,
}

/// A scene as files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Files that it refers to, next to it.
    pub files: Vec<File>,
    /// What the form cannot represent.
    pub losses: Vec<Loss>,
}

/// Every form in which scenes are written.
pub const FORMS: &[SceneForm] = &[
    SceneForm {
        name: "glb",
        title: "glTF 2.0, one binary file",
        write: |scene, _| gltf::to_glb(scene).map(alone),
    },
    SceneForm { name: "gltf", title: "glTF 2.0, JSON with a buffer beside it", write: gltf_text },
    SceneForm { name: "obj", title: "Wavefront OBJ with MTL", write: wavefront },
    SceneForm { name: "ply", title: "PLY, binary", write: |scene, _| Ok(alone(ply::to_vec(scene))) },
    SceneForm { name: "stl", title: "STL, binary", write: |scene, _| stl::to_vec(scene).map(alone) },
    SceneForm {
        name: "mesh",
        title: "Roblox mesh",
        write: |scene, _| made(rbxmesh::from_scene(scene)?, ::rbxmesh::to_vec),
    },
    SceneForm {
        name: "slm",
        title: "Second Life mesh asset",
        write: |scene, _| made(slmesh::from_scene(scene)?, ::slmesh::to_vec),
    },
    SceneForm {
        name: "m3d",
        title: "Model 3D",
        write: |scene, _| made(m3d::from_scene(scene)?, ::m3d::to_vec),
    },
    SceneForm {
        name: "a3d",
        title: "Model 3D as text",
        write: |scene, _| made(m3d::from_scene(scene)?, ::m3d::to_string),
    },
];

impl SceneForm {
    /// The form of a name or of a file's extension.
    pub fn find(name: &str) -> Option<&'static Self> {
        let name = match name.to_ascii_lowercase().as_str() {
            "llmesh" => "slm",
            other => return FORMS.iter().find(|form| form.name == other),
        };
        FORMS.iter().find(|form| form.name == name)
    }

    /// A scene in this form; `stem` begins the names of files beside it. Forms without nodes have each mesh as
    /// often as it is placed: those may take `max_bytes`.
    ///
    /// # Errors
    /// Where the form cannot represent the scene, or needs more memory than it may.
    pub fn write(&self, scene: &Scene, stem: &str, max_bytes: u64) -> Result<Written, String> {
        if !matches!(self.name, "glb" | "gltf") {
            let bytes = scene.placed_bytes();
            if bytes > max_bytes {
                let what = "the meshes of the scene, each as often as it is placed";
                return Err(format!("{what}, take {bytes} bytes: more than --max-bytes allows"));
            }
        }
        // The file refers to those beside it by names that every system accepts.
        (self.write)(scene, &Names::default().unique(stem))
    }
}

/// A file without others beside it.
fn alone((bytes, losses): (Vec<u8>, Vec<Loss>)) -> Written {
    Written { bytes, files: Vec::new(), losses }
}

/// What a format's crate writes of what was made of a scene.
fn made<T, B: Into<Vec<u8>>, E: std::fmt::Display>(
    (made, losses): (T, Vec<Loss>),
    write: fn(&T) -> Result<B, E>,
) -> Result<Written, String> {
    let bytes = write(&made).map_err(|error| error.to_string())?.into();
    Ok(alone((bytes, losses)))
}

fn gltf_text(scene: &Scene, stem: &str) -> Result<Written, String> {
    let name = format!("{stem}.bin");
    let gltf = gltf::to_gltf(scene, &name)?;
    let mut files = Files::default();
    files.add(&[&name], gltf.buffer);
    Ok(Written { bytes: gltf.json.into_bytes(), files: files.into_vec(), losses: gltf.losses })
}

fn wavefront(scene: &Scene, stem: &str) -> Result<Written, String> {
    let obj = obj::to_obj(scene, stem);
    let mut files = Files::default();
    obj.images.into_iter().for_each(|(name, bytes)| files.add(&[&name], bytes));
    obj.mtl.into_iter().for_each(|text| files.add(&[&format!("{stem}.mtl")], text.into_bytes()));
    Ok(Written { bytes: obj.obj.into_bytes(), files: files.into_vec(), losses: obj.losses })
}

/// How a file is made into a scene.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// Which levels of detail become nodes.
    pub levels: Levels,
    /// Whether convex hulls become nodes.
    pub hulls: bool,
    /// The limits of reading.
    pub read: crate::ReadOptions,
}

/// Gives the files that a file refers to: by a name next to it, or by an asset's id.
pub trait Sources {
    /// The file of a name relative to the file that is read.
    fn beside(&mut self, name: &str) -> Option<Vec<u8>>;

    /// The file of an asset of Roblox.
    fn asset(&mut self, asset: &roblox::AssetRef) -> Option<Vec<u8>>;
}

/// No files.
impl Sources for () {
    fn beside(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn asset(&mut self, _: &roblox::AssetRef) -> Option<Vec<u8>> {
        None
    }
}

/// Whether a file is of a format that scenes are made of, as far as its first bytes tell. OBJ and STL are known
/// by the extension of the file's name alone.
pub fn detect(bytes: &[u8], name: &str) -> bool {
    // LLSD is the one format of ours without geometry.
    crate::detect(bytes).is_some_and(|found| found.format.name != "llsd")
        || gltf::detect(bytes)
        || ply::detect(bytes)
        || matches!(extension(name).as_str(), "obj" | "stl")
}

fn extension(name: &str) -> String {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// A file of any format as a scene: glTF, OBJ, PLY, STL, a Roblox mesh, place or model, a Second Life
/// mesh asset, Model 3D. `name` is the file's name: OBJ and STL are known by its extension alone.
///
/// # Errors
/// Where the file cannot be read, or is of a format that has no geometry.
pub fn read(
    bytes: &[u8],
    name: &str,
    options: &SceneOptions,
    files: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>), String> {
    let extension = extension(name);
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let other = if bytes.is_empty() {
        None
    } else if gltf::detect(bytes) {
        Some(("glTF", gltf::from_slice(bytes, &options.read, &mut |name| files.beside(name))))
    } else if ply::detect(bytes) {
        Some(("PLY", ply::from_slice(bytes, &options.read)))
    } else if extension == "obj" {
        Some(("OBJ", obj::from_slice(bytes, &options.read, &mut |name| files.beside(name))))
    } else if extension == "stl" {
        Some(("STL", stl::from_slice(bytes, &options.read).map(|scene| (scene, Vec::new()))))
    } else {
        None
    };
    if let Some((title, read)) = other {
        return read.map_err(|error| format!("cannot be read as {title}: {error}"));
    }
    let asset = options.read.read(bytes).map_err(|error| error.to_string())?;
    let model: &dyn Any = &*asset;
    let (mut scene, losses) = if let Some(mesh) = model.downcast_ref() {
        rbxmesh::to_scene(mesh, options.levels)
    } else if let Some(asset) = model.downcast_ref() {
        slmesh::to_scene(asset, stem, options.levels, options.hulls)
    } else if let Some(slm) = model.downcast_ref() {
        slmesh::slm_to_scene(slm, options.levels, options.hulls)
    } else if let Some(model) = model.downcast_ref() {
        m3d::to_scene(model, &mut |name| files.beside(name))?
    } else if let Some(document) = model.downcast_ref() {
        roblox::from_binary(document, &options.read, &mut |asset| files.asset(asset))
    } else if let Some(document) = model.downcast_ref() {
        roblox::from_xml(document, &options.read, &mut |asset| files.asset(asset))
    } else {
        return Err(format!("{} has no geometry", asset.format().title));
    };
    if scene.name.is_empty() {
        scene.name = stem.to_owned();
    }
    Ok((scene, losses))
}
