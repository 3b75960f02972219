//! glTF, OBJ, PLY and STL: formats of which a scene is kept.

use rezkit_core::{Error, Finding, Loss, Reference, Result, Rule, Severity, Sources};
use rezkit_scene::{LOOKED_AT, Scene, SceneFormat, SceneOptions};
use serde::Serialize;

use super::{Asset, Detected, Fact, Form, Format, Made, Reader, generic, no_form, same_type};
use crate::options::{ReadOptions, WriteOptions};
use crate::tree::Node;

/// What the checks of these formats find.
pub(crate) const NOT_SUPPORTED: Rule = Rule::new(
    "scene.not-supported",
    Severity::Warning,
    "everything in the file has a counterpart in a scene",
    "the model of scenes (rezkit-scene)",
);

pub(super) static GLTF: Format = format("gltf", "glTF 2.0", &["glb", "gltf"], |bytes| {
    let version = if bytes.starts_with(b"glTF") { "glb" } else { "gltf" };
    rezkit_scene::gltf::detect(bytes).then(|| version.to_owned())
});
pub(super) static PLY: Format =
    format("ply", "PLY", &["ply"], |bytes| rezkit_scene::ply::detect(bytes).then(|| "1.0".to_owned()));
pub(super) static OBJ: Format = format("obj", "Wavefront OBJ", &["obj"], |_| None);
pub(super) static STL: Format = format("stl", "STL", &["stl"], |_| None);

const fn format(
    name: &'static str,
    title: &'static str,
    extensions: &'static [&'static str],
    detect: fn(&[u8]) -> Option<String>,
) -> Format {
    const FORMS: &[Form] = &[];
    const READ: Reader = |bytes, options, name, sources| {
        let format = rezkit_scene::detect(bytes, name);
        let format = format.ok_or_else(|| Error::unreadable("of no format that has geometry"))?;
        let mut has_files_beside = false;
        let mut sources = |reference: &Reference| {
            has_files_beside = true;
            sources.get(reference)
        };
        let (scene, not_supported) = read(format, bytes, name, options, &mut sources)?;
        let content = Content { scene, not_supported };
        Ok(Box::new(Foreign { format, bytes: bytes.to_vec(), content, has_files_beside }))
    };
    Format {
        name,
        title,
        extensions,
        forms: FORMS,
        exact: None,
        has_geometry: true,
        converts_to: &[],
        rules: Vec::new,
        detect,
        read: READ,
        length: |_| None,
        read_as: |_, _, _| None,
    }
}

fn read(
    format: &SceneFormat,
    bytes: &[u8],
    name: &str,
    options: &ReadOptions,
    sources: &mut dyn Sources,
) -> Made {
    let mut scene = SceneOptions::default();
    scene.max_bytes = options.max_bytes;
    format.read(bytes, name, &scene, sources)
}

/// The formats that the name of a file alone tells.
pub(super) fn detect_named(bytes: &[u8], name: &str) -> Option<Detected> {
    let format = match rezkit_scene::detect(bytes, name)?.name {
        "obj" => &OBJ,
        "stl" => &STL,
        _ => return None,
    };
    Some(Detected { format, version: String::new() })
}

/// A file of which a scene is kept, and the bytes, which are written again.
#[derive(Debug)]
struct Foreign {
    format: &'static SceneFormat,
    bytes: Vec<u8>,
    content: Content,
    has_files_beside: bool,
}

/// What the tree of a file has.
#[derive(Debug, Serialize)]
struct Content {
    scene: Scene,
    not_supported: Vec<Loss>,
}

impl Asset for Foreign {
    fn format(&self) -> &'static Format {
        [&GLTF, &PLY, &OBJ].into_iter().find(|format| format.name == self.format.name).unwrap_or(&STL)
    }

    fn version(&self) -> String {
        (self.format().detect)(&self.bytes).unwrap_or_default()
    }

    fn describe(&self) -> Vec<Fact> {
        let Content { scene, not_supported } = &self.content;
        let mut facts = vec![
            Fact::count("nodes", scene.nodes.len()),
            Fact::count("meshes", scene.meshes.len()),
            Fact::count("triangles", scene.triangle_count()),
        ];
        let bounds = scene.bounds();
        facts.extend(bounds.and_then(|bounds| Fact::bounds([bounds.min.to_array(), bounds.max.to_array()])));
        if scene.placed_corners() > LOOKED_AT {
            facts.extend(Fact::text("bounds", "not measured: meshes are placed too often"));
        }
        facts.push(Fact::count("materials", scene.materials.len()));
        facts
            .extend(Fact::names("names of materials", scene.materials.iter().map(|material| &material.name)));
        facts.push(Fact::count("images", scene.images.len()));
        facts.push(Fact::count("skins", scene.skins.len()));
        facts.push(Fact::count("joints", scene.skins.iter().map(|skin| skin.joints.len()).sum()));
        facts.push(Fact::count("actions", scene.animations.len()));
        facts.extend(Fact::names(
            "names of actions",
            scene.animations.iter().map(|animation| &animation.name),
        ));
        facts.extend(Fact::names("not supported", not_supported));
        facts
    }

    fn tree(&self, _: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("file", &self.content)
    }

    fn check(&self) -> Vec<Finding> {
        let finding = |loss: &Loss| Finding {
            count: loss.count,
            ..NOT_SUPPORTED.broken(loss.path.clone(), loss.what.to_string())
        };
        Loss::grouped(self.content.not_supported.iter().cloned()).iter().map(finding).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(self.format(), form)),
            None => Ok(self.bytes.clone()),
        }
    }

    fn scene(&self, _: &str, _: &SceneOptions, _: &mut dyn Sources) -> Made {
        Ok((self.content.scene.clone(), self.content.not_supported.clone()))
    }

    fn node_paths(&self, scene: &Scene, max_bytes: u64) -> Result<Vec<Option<String>>> {
        // The scene is that of the file.
        let path = |index| format!("scene/nodes/{index}");
        let mut budget = rezkit_core::Budget::new(max_bytes);
        budget.take(scene.nodes.len() as u64 * 64, "the paths of the nodes")?;
        Ok((0..scene.nodes.len()).map(|index| Some(path(index))).collect())
    }

    fn has_files_beside(&self) -> bool {
        self.has_files_beside
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        same_type::<Self>(other)
            .is_some_and(|other| self.bytes == other.bytes || self.content.scene == other.content.scene)
    }
}
