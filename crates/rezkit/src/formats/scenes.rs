//! glTF, OBJ, PLY, STL, BVH and objects of OpenSim: file types whose files are read as scenes.

use std::collections::HashSet;

use rezkit_core::{
    Budget, Counted, File, Files, Finding, Loss, LossKind, Reference, Result, Rule, Severity, Sources,
};
use rezkit_scene::{
    Animation, Feature, ImageData, LOOKED_AT, Scene, SceneOptions, SceneReader, Terrain, bvh, dae, fbx, gltf,
    obj, opensim, ply, stl, vox,
};
use serde::Serialize;

use super::generic;
use crate::fact::Fact;
use crate::file_type::{
    Asset, Converted, FileType, Has, Motion, ReadAsset, Reader, SceneAndLosses, no_conversion, no_form,
    same_type,
};
use crate::options::{ConvertOptions, ExtractOptions, ReadOptions, WriteOptions};
use crate::tree::Node;

/// The findings of these formats' checks.
const NOT_SUPPORTED: Rule = Rule::new(
    "scene.not-supported",
    Severity::Warning,
    "rezkit supports every feature that the file uses",
    "the features that the readers of the crate rezkit-scene support",
);

const FILE_MISSING: Rule = Rule::new(
    "scene.file-missing",
    Severity::Warning,
    "every image and material library that the file refers to exists",
    "the references to files that the readers of the crate rezkit-scene follow",
);

const READ_GLTF: Reader = |file_type, bytes, options, name, sources| {
    read(file_type, &gltf::READER, (bytes, name), options, sources)
};
const READ_PLY: Reader =
    |file_type, bytes, options, name, sources| read(file_type, &ply::READER, (bytes, name), options, sources);
const READ_OBJ: Reader =
    |file_type, bytes, options, name, sources| read(file_type, &obj::READER, (bytes, name), options, sources);
const READ_STL: Reader =
    |file_type, bytes, options, name, sources| read(file_type, &stl::READER, (bytes, name), options, sources);

pub(super) const GLB: FileType = FileType {
    name: "glb",
    format: "gltf",
    title: "glTF 2.0",
    extensions: &["glb"],
    forms: &[],
    is_exact: false,
    has_geometry: true,
    rules: || vec![NOT_SUPPORTED, FILE_MISSING],
    detect: |bytes| (is_glb(bytes) && gltf::detect(bytes)).then(|| "glb".to_owned()),
    fits_name: |_| false,
    read: Some(READ_GLTF),
    read_as: None,
    becomes: &[],
    length: |_| None,
    writer: Some(&gltf::GLB),
    has: Has::NONE,
};

pub(super) const GLTF: FileType = FileType {
    name: "gltf",
    extensions: &["gltf"],
    detect: |bytes| (!is_glb(bytes) && gltf::detect(bytes)).then(|| "gltf".to_owned()),
    read_as: Some(READ_GLTF),
    writer: Some(&gltf::GLTF),
    ..GLB
};

pub(super) const PLY: FileType = FileType {
    name: "ply",
    format: "ply",
    title: "PLY",
    extensions: &["ply"],
    detect: |bytes| ply::detect(bytes).then(|| "1.0".to_owned()),
    read: Some(READ_PLY),
    writer: Some(&ply::WRITER),
    has: UNITLESS,
    ..GLB
};

/// BVH: a skeleton and its motion.
pub(super) const BVH: FileType = FileType {
    name: "bvh",
    format: "bvh",
    title: "BVH",
    extensions: &["bvh"],
    detect: |bytes| bvh::detect(bytes).then(String::new),
    read: Some(|file_type, bytes, options, name, sources| {
        read(file_type, &bvh::READER, (bytes, name), options, sources)
    }),
    writer: Some(&bvh::WRITER),
    has: Has { motion: Some(Motion::Bvh), ..Has::NONE },
    ..GLB
};

/// Autodesk FBX, which is only read.
pub(super) const FBX: FileType = FileType {
    name: "fbx",
    format: "fbx",
    title: "FBX",
    extensions: &["fbx"],
    detect: |bytes| fbx::detect(bytes).then(String::new),
    read: Some(|file_type, bytes, options, name, sources| {
        read(file_type, &fbx::READER, (bytes, name), options, sources)
    }),
    has: Has { all_features: true, studs: true, ..Has::NONE },
    writer: None,
    ..GLB
};

/// Collada, which is only read.
pub(super) const DAE: FileType = FileType {
    name: "dae",
    format: "dae",
    title: "Collada",
    extensions: &["dae"],
    detect: |bytes| dae::detect(bytes).then(String::new),
    read: Some(|file_type, bytes, options, name, sources| {
        read(file_type, &dae::READER, (bytes, name), options, sources)
    }),
    has: Has { all_features: true, ..Has::NONE },
    writer: None,
    ..GLB
};

/// MagicaVoxel. It is read as a scene, or as the voxels of Model 3D, and written from these.
pub(super) const VOX: FileType = FileType {
    name: "vox",
    format: "vox",
    title: "MagicaVoxel",
    extensions: &["vox"],
    detect: |bytes| vox::detect(bytes).then(String::new),
    read: Some(|file_type, bytes, options, name, sources| {
        read(file_type, &vox::READER, (bytes, name), options, sources)
    }),
    becomes: &["m3d"],
    writer: None,
    ..GLB
};

/// Objects of OpenSim, as its archives contain them.
pub(super) const OPENSIM: FileType = FileType {
    name: "opensim",
    format: "opensim",
    title: "OpenSim object",
    extensions: &["xml"],
    detect: |bytes| opensim::detect(bytes).then(String::new),
    read: Some(|file_type, bytes, options, name, sources| {
        read(file_type, &opensim::READER, (bytes, name), options, sources)
    }),
    has: Has { ground: true, ..Has::NONE },
    writer: None,
    ..GLB
};

/// OBJ: text that cannot be recognized by its first bytes.
pub(super) const OBJ: FileType = FileType {
    name: "obj",
    format: "obj",
    title: "Wavefront OBJ",
    extensions: &["obj"],
    detect: |_| None,
    fits_name: |bytes| !bytes.is_empty(),
    read: Some(READ_OBJ),
    read_as: Some(READ_OBJ),
    writer: Some(&obj::WRITER),
    has: UNITLESS,
    ..GLB
};

/// STL. Its binary form begins with 80 arbitrary bytes.
pub(super) const STL: FileType = FileType {
    name: "stl",
    format: "stl",
    title: "STL",
    extensions: &["stl"],
    detect: |_| None,
    fits_name: |bytes| !bytes.is_empty(),
    read: Some(READ_STL),
    read_as: Some(READ_STL),
    writer: Some(&stl::WRITER),
    has: UNITLESS,
    ..GLB
};

/// Numbers without a unit.
const UNITLESS: Has = Has { unit: false, ..Has::NONE };

fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(b"glTF")
}

fn read(
    file_type: &'static FileType,
    reader: &SceneReader,
    (bytes, name): (&[u8], &str),
    options: &ReadOptions,
    sources: &mut dyn Sources,
) -> Result<ReadAsset> {
    let mut has_files_beside = false;
    let mut sources = |reference: &Reference, max_bytes: u64| {
        has_files_beside = true;
        sources.get(reference, max_bytes)
    };
    let scene = SceneOptions::new().max_bytes(options.max_bytes);
    let (scene, not_supported) = reader.read(file_type.title, bytes, name, &scene, &mut sources)?;
    // Triangles are not charged here, but where the scene, which shares them, is used.
    let held = bytes.len() as u64 + scene.held()[0];
    Budget::new(options.max_bytes).take(held, "a copy of the file")?;
    let content = Content { scene, not_supported };
    Ok((Box::new(Foreign { file_type, bytes: bytes.to_vec(), content, has_files_beside }), held))
}

/// The voxels of a model as a MagicaVoxel file.
pub(super) fn voxels(model: &::m3d::Model, options: &ConvertOptions) -> Result<Converted> {
    let mut budget = Budget::new(options.max_bytes);
    let (bytes, losses) = vox::from_m3d(model, &mut budget)?;
    let reading = ReadOptions::new().max_bytes(budget.left());
    let (asset, held) = read(&VOX, &vox::READER, (&bytes, "voxels.vox"), &reading, &mut ())?;
    Ok(Converted { asset, losses, left: budget.left().saturating_sub(held) })
}

/// A scene without a file, which can be converted.
pub(crate) fn of_scene(scene: Scene) -> crate::Content {
    let content = Content { scene, not_supported: Vec::new() };
    // Without bytes of its own, it is always written by way of the scene.
    Foreign { file_type: &GLB, bytes: Vec::new(), content, has_files_beside: true }.into()
}

/// A file that was read as a scene, and its bytes, which are written back unchanged.
#[derive(Debug)]
struct Foreign {
    file_type: &'static FileType,
    bytes: Vec<u8>,
    content: Content,
    has_files_beside: bool,
}

/// The content of a file, which its tree shows.
#[derive(Debug, Serialize)]
struct Content {
    scene: Scene,
    not_supported: Vec<Loss>,
}

impl Asset for Foreign {
    fn file_type(&self) -> &'static FileType {
        self.file_type
    }

    fn version(&self) -> String {
        (self.file_type.detect)(&self.bytes).unwrap_or_default()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let Content { scene, not_supported } = &self.content;
        // Whether files of this file type can have a feature. The skeleton of BVH is a skin here.
        let can_have = |feature: Feature| match self.file_type.writer {
            Some(_) if self.file_type.has.motion.is_some() => {
                matches!(feature, Feature::Skins | Feature::JointAnimations)
            }
            Some(writer) => writer.keeps.contains(&feature),
            None if self.file_type.has.all_features => true,
            None => feature == Feature::Materials,
        };
        let mut facts = vec![Fact::count("nodes", scene.nodes.len())];
        if self.file_type.has.motion.is_none() {
            facts.push(Fact::count("meshes", scene.meshes.len()));
            facts.push(Fact::count("vertices", scene.vertex_count()));
            facts.push(Fact::count("triangles", scene.triangle_count()));
        }
        let bounds = scene.bounds();
        facts.extend(bounds.and_then(|bounds| Fact::bounds([bounds.min.to_array(), bounds.max.to_array()])));
        if scene.placed_corners() > LOOKED_AT {
            facts
                .extend(Fact::text("bounds", "not computed, since the placed meshes have too many vertices"));
        }
        if can_have(Feature::Materials) {
            facts.push(Fact::count("materials", scene.materials.len()));
            let names = scene.materials.iter().map(|material| &material.name);
            facts.extend(Fact::names("names of materials", names));
            facts.push(Fact::count("images", scene.images.len()));
        }
        if can_have(Feature::Skins) {
            facts.push(Fact::count("skins", scene.skins.len()));
            let joints: HashSet<usize> = scene.joints().collect();
            facts.push(Fact::count("joints", joints.len()));
        }
        if can_have(Feature::JointAnimations) {
            facts.push(Fact::count("animations", scene.animations.len()));
        }
        facts.extend(Fact::names(
            "names of animations",
            scene.animations.iter().map(|animation| &animation.name),
        ));
        let described = |animation: &Animation| {
            let keys = animation.channels.iter().map(|channel| channel.times.len()).max().unwrap_or(0);
            let name = if animation.name.is_empty() { "unnamed" } else { &animation.name };
            format!("{name} ({:.3} s, {})", animation.duration(), Counted::new(keys, "keys"))
        };
        facts.extend(Fact::names("animation details", scene.animations.iter().map(described)));
        let (missing, others): (Vec<&Loss>, Vec<&Loss>) =
            not_supported.iter().partition(|loss| loss.kind == LossKind::Missing);
        facts.extend(Fact::names("not supported", others));
        facts.extend(Fact::names("missing", missing));
        facts
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        generic::root("file", &self.content, options.max_bytes)
    }

    /// The images.
    fn files(&self, options: &ReadOptions, _: &ExtractOptions) -> Result<(Vec<File>, Vec<Loss>)> {
        let (mut budget, mut files) = (Budget::new(options.max_bytes), Files::default());
        for (index, image) in self.content.scene.images.iter().enumerate() {
            let (ImageData::Bytes(bytes), Some(extension)) = (&image.data, image.extension()) else {
                continue;
            };
            let name = if image.name.is_empty() { &format!("image-{index}") } else { &image.name };
            budget.take((name.len() + bytes.len()) as u64, name)?;
            // Some formats name the file of an image.
            let stem = name.strip_suffix(&format!(".{extension}")).unwrap_or(name);
            files.add(&[&format!("{stem}.{extension}")], bytes.clone());
        }
        Ok((files.into_vec(), Vec::new()))
    }

    fn check(&self) -> Vec<Finding> {
        let Content { scene, not_supported } = &self.content;
        let finding = |loss: &Loss| {
            let rule = if loss.kind == LossKind::Missing { &FILE_MISSING } else { &NOT_SUPPORTED };
            Finding { count: loss.count, ..Finding::new(rule, loss.path.clone(), loss.what.to_string()) }
        };
        // A rule that nearly every file breaks would say nothing.
        let says = |loss: &&Loss| loss.what != rezkit_scene::bvh::END_SITES;
        let losses = not_supported.iter().filter(says).cloned();
        Loss::grouped(losses.chain(scene.missing_images())).iter().map(finding).collect()
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(form) => Err(no_form(self.file_type, form)),
            None => Ok(self.bytes.clone()),
        }
    }

    fn convert(&self, format: &str, options: &ConvertOptions) -> Result<Converted> {
        if (self.file_type.format, format) != ("vox", "m3d") {
            return Err(no_conversion(self, format));
        }
        let mut budget = Budget::new(options.max_bytes);
        let (model, losses) = vox::to_m3d(&self.bytes, &mut budget)?;
        Ok(Converted { asset: Box::new(model), losses, left: budget.left() })
    }

    fn scene(&self, _: &str, options: &SceneOptions, _: &mut dyn Sources) -> SceneAndLosses {
        self.content.scene.take(1, &mut Budget::new(options.max_bytes))?;
        let (mut scene, mut losses) = (self.content.scene.clone(), self.content.not_supported.clone());
        if options.terrain == Terrain::Without && opensim::without_ground(&mut scene) {
            losses.push(Loss::new("terrains", "the ground of the region").id("opensim.ground"));
        }
        if self.file_type.has.ground {
            losses.extend(opensim::sample_ground(&mut scene, options.terrain)?);
        }
        Ok((scene, losses))
    }

    fn node_paths(&self, scene: &Scene, max_bytes: u64) -> Result<Vec<Option<String>>> {
        // The scene is the file's own, so the nodes have the same indices.
        let path = |index| format!("scene/nodes/{index}");
        let mut budget = Budget::new(max_bytes);
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
