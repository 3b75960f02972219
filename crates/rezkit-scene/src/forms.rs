//! The common part of all readers and writers of scenes.

use std::sync::Arc;

use rezkit_core::{Budget, Error, ErrorKind, File, Files, Loss, LossKind, Names, Result, Sources, settable};

use crate::features::Feature;
use crate::images::{self, Kind};
use crate::model::{Image, ImageData, Levels, Scene};

/// Reads files of a format that contains only a scene.
#[derive(Debug)]
pub struct SceneReader(pub(crate) fn(&mut Reading<'_>) -> Result<Scene>);

/// Writes scenes as files of a format.
#[derive(Debug)]
pub struct SceneWriter {
    /// The features that the format keeps; all others are listed as lost.
    pub keeps: &'static [Feature],
    /// Whether files have meshes; a motion has only joints.
    pub has_meshes: bool,
    /// Whether files can have lower levels of detail; a file of a single surface cannot.
    pub has_levels: bool,
    /// Whether files have nodes: then a mesh that is placed several times is written once.
    pub has_nodes: bool,
    /// Writes a scene.
    pub write: Write,
}

/// Returns the bytes of a scene's file.
type Write = fn(&Scene, &mut Writing<'_>) -> Result<Vec<u8>>;

impl SceneWriter {
    /// A writer of meshes with levels of detail and without nodes.
    pub const fn of_meshes(keeps: &'static [Feature], write: Write) -> Self {
        Self { keeps, has_meshes: true, has_levels: true, has_nodes: false, write }
    }

    /// A writer of files without meshes.
    pub const fn of_others(keeps: &'static [Feature], write: Write) -> Self {
        Self { keeps, has_meshes: false, has_levels: false, has_nodes: true, write }
    }
}

pub(crate) use rezkit_core::plain::unmarked;

/// The loss of colours with parts below 0 or above the largest value.
pub(crate) const CLAMPED: &str = "colours with a component outside the valid range, which was clamped";

settable! {
    /// Options for converting a file to a scene.
    SceneOptions {
        /// Which levels of detail become nodes.
        levels: Levels = Levels::Finest, Levels => levels;
        /// Whether convex hulls become nodes.
        hulls: bool = false, bool => hulls;
        /// In a Roblox document, the path of the instance to convert, with its descendants: names separated by `/`, such
        /// as `Workspace/Car`. By default, the Workspace of a place, or the whole model.
        path: Option<String> = None, impl Into<String> => Some(path.into());
        /// In a Roblox document, converts only these instances with their descendants, as if the document had no others
        /// except the instances above them; for programs that show a scene and update it. By default, all.
        only: Vec<rbxcore::InstanceId> = Vec::new(), Vec<rbxcore::InstanceId> => only;
        /// The resolution of terrain.
        terrain: Terrain = Terrain::Finest, Terrain => terrain;
        /// The representation of unions in Roblox documents.
        unions: Unions = Unions::First, Unions => unions;
        /// The unit of the lengths in an STL, OBJ or PLY file, in metres: the scene is scaled to metres. By default,
        /// lengths are unchanged.
        unit: Option<f32> = None, f32 => Some(unit);
        /// The rig for animations in Roblox documents that contain no rig. By default, R6 or R15, by the names of the
        /// poses.
        rig: Option<RigModel> = None, RigModel => Some(rig);
        /// The memory limit for the scene and everything that is read for it: 1 GiB by default.
        max_bytes: u64 = rezkit_core::DEFAULT_MAX_BYTES, u64 => max_bytes;
    }
}

/// Options for writing animations for Roblox.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AnimationOptions {
    /// Whether to write CurveAnimations, which uploads of emotes require, instead of KeyframeSequences.
    pub curves: bool,
    /// The maximum deviation from dropped keys, in degrees and in studs: 0.1 and 0.001 by default. Only sampled keys
    /// are dropped.
    pub tolerance: Option<[f32; 2]>,
    /// The sampling rate for an animation of another rig, per second: 30 by default, at most 240.
    pub fps: Option<f32>,
}

settable! {
    /// Options for writing a scene as a Roblox model.
    ModelOptions {
        /// The folder beside the model into which its meshes and images are written, with a list, `manifest.json`. By
        /// default, they are not written.
        assets: Option<String> = None, impl Into<String> => Some(assets.into());
        /// The beginning of the addresses of the meshes and images, which their names follow: by default
        /// `rbxasset://FOLDER/`.
        prefix: Option<String> = None, impl Into<String> => Some(prefix.into());
        /// Whether meshes that are exact boxes, wedges, corner wedges, cylinders or balls become parts.
        parts: bool = false, bool => parts;
        /// The number of studs in a unit of the scene.
        scale: f32 = 1.0, f32 => scale;
        /// The maximum width and height of images; larger ones are reduced. By default, images keep their size.
        max_texture: Option<u32> = None, u32 => Some(max_texture);
        /// The version of the meshes without bones: by default 2.00.
        mesh_version: Option<::rbxmesh::Version> = None, ::rbxmesh::Version => Some(mesh_version);
        /// Whether meshes that Roblox would refuse or change are split, too large models scaled down, and images reduced
        /// to 4,096 pixels; the changes are listed.
        fit: bool = false, bool => fit;
        /// Whether only the animations are written.
        only_animations: bool = false, bool => only_animations;
        /// How animations are written.
        animation: AnimationOptions = AnimationOptions::default(), AnimationOptions => animation;
        /// The rig whose parts the animations pose. By default, that of the scene, R6 or R15.
        rig: Option<RigModel> = None, RigModel => Some(rig);
    }
}

/// A rig for animations in documents without one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RigModel {
    /// Roblox's avatar of six parts.
    R6,
    /// Roblox's avatar of fifteen parts.
    R15,
    /// R15 with the proportions of Rthro: `ProportionsNormal`.
    Rthro,
    /// R15 with the proportions of slender Rthro: `ProportionsSlender`.
    RthroNarrow,
    /// A rig of [`MotionRig::names`](crate::motion::MotionRig::names), for animations of any format.
    Named(&'static str),
    /// A file: the first model with joints of a Roblox document, binary or XML; for animations of other formats, any file
    /// with a skeleton.
    Document(Arc<[u8]>),
}

impl RigModel {
    /// Roblox's avatars, by their names.
    const OF_ROBLOX: [(&str, Self); 4] =
        [("R6", Self::R6), ("R15", Self::R15), ("Rthro", Self::Rthro), ("Rthro-narrow", Self::RthroNarrow)];

    /// One of Roblox's avatars, by its name in any case.
    pub fn of_roblox(name: &str) -> Option<Self> {
        Self::OF_ROBLOX.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, rig)| rig)
    }

    /// The name of one of Roblox's avatars, and of a rig that is known without a file.
    pub fn name(&self) -> Option<&'static str> {
        match self {
            Self::Named(name) => Some(name),
            rig => Self::OF_ROBLOX.into_iter().find(|(_, own)| own == rig).map(|(name, _)| name),
        }
    }
}

/// The maximum number of triangles of terrain unless a step is requested.
pub(crate) const MOST_TRIANGLES: u64 = 1_000_000;

/// The resolution of terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terrain {
    /// The finest resolution with at most a million triangles, otherwise 8 voxels, or metres in a region of OpenSim.
    #[default]
    Finest,
    /// Averages this number of voxels along each axis: 1, 2, 4 or 8. In a region of OpenSim, there is a sample at each such
    /// number of metres.
    Step(u32),
    /// Terrain is omitted.
    Without,
}

/// The representation of a union in a Roblox document. If the requested one is missing, the union becomes a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unions {
    /// The first that exists of its mesh, its hulls and its operands; otherwise a box.
    #[default]
    First,
    /// Its mesh, from the document or the file of its asset.
    Mesh,
    /// The original parts, to which no operation is applied.
    Operands,
    /// The collision hulls.
    Hulls,
    /// A box of its size.
    Box,
}

impl Unions {
    /// The text about a union that becomes a box.
    pub(crate) fn boxed(self) -> &'static str {
        match self {
            Self::First => {
                "a union becomes a box, because it has no usable mesh, collision hulls or operands"
            }
            Self::Mesh => {
                "a union becomes a box, because it has no usable mesh, and `--unions` (library option: `unions`) \
                 excludes operands and hulls"
            }
            Self::Operands => {
                "a union becomes a box, because it has no usable operands, and `--unions` (library option: `unions`) \
                 excludes meshes and hulls"
            }
            Self::Hulls => {
                "a union becomes a box, because it has no usable collision hulls, and `--unions` (library option: \
                 `unions`) excludes meshes and operands"
            }
            Self::Box => "a union becomes a box, as `--unions` (library option: `unions`) requests",
        }
    }
}

/// The input of a reader: the file, the files beside it, and the list of losses.
pub(crate) struct Reading<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) budget: &'a mut Budget,
    pub(crate) sources: &'a mut dyn Sources,
    pub(crate) losses: &'a mut Vec<Loss>,
}

impl Reading<'_> {
    /// Calls a function with a resolver of file names relative to this file. If an existing file cannot be read, the
    /// reason is listed as a loss.
    pub(crate) fn beside<T>(&mut self, with: impl FnOnce(&[u8], &mut Budget, &mut Beside<'_>) -> T) -> T {
        let Self { bytes, budget, sources, losses, .. } = self;
        with(bytes, budget, &mut rezkit_core::beside(*sources, losses))
    }
}

/// Returns the content of a file by its name relative to another file, given the memory that is left; `None` if it
/// cannot be read.
pub(crate) type Beside<'a> = dyn FnMut(&str, u64) -> Result<Option<Vec<u8>>> + 'a;

/// Input and additional output of a writer: other files besides the main one, and losses.
#[derive(Debug)]
#[non_exhaustive]
pub struct Writing<'a> {
    /// The name of the file without its extension, valid on every system.
    pub stem: &'a str,
    /// The other files.
    pub files: Files,
    /// The losses: what the format does not keep.
    pub losses: Vec<Loss>,
    /// The memory that is left.
    pub budget: Budget,
    /// The options of Roblox models.
    pub model: &'a ModelOptions,
}

/// A scene as files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// The files that it refers to, which belong in the same folder.
    pub files: Vec<File>,
    /// The losses: what the format does not keep.
    pub losses: Vec<Loss>,
}

impl SceneReader {
    /// Reads a file as a scene, and returns the losses. `title` is the name of the format for messages, `name` that of
    /// the file.
    ///
    /// # Errors
    /// [`Unreadable`](ErrorKind::Unreadable) if the file cannot be read, [`Limit`](ErrorKind::Limit) if it needs more
    /// memory than the options allow.
    pub fn read(
        &self,
        title: &str,
        bytes: &[u8],
        name: &str,
        options: &SceneOptions,
        sources: &mut dyn Sources,
    ) -> Result<(Scene, Vec<Loss>)> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let mut losses = Vec::new();
        let budget = &mut Budget::new(options.max_bytes);
        let mut reading = Reading { bytes, budget, sources, losses: &mut losses };
        let made = (self.0)(&mut reading);
        let mut scene = made.map_err(|error| refused(error, &losses).as_format(title))?;
        if scene.name.is_empty() {
            scene.name = stem.to_owned();
        }
        Ok((scene, losses))
    }
}

/// Adds the first loss of content to an error, if there is any: the reason why there is no content, or why a file that
/// is needed could not be read.
fn refused(error: Error, losses: &[Loss]) -> Error {
    let is_content = |loss: &&Loss| matches!(loss.kind, LossKind::LeftOut | LossKind::Missing);
    match losses.iter().find(is_content) {
        Some(loss) => {
            let text = format!("{} (also {}: {loss})", error.reason(), loss.kind.label());
            Error::new(error.kind(), text).at(error.path())
        }
        None => error,
    }
}

impl SceneWriter {
    /// Checks that the format keeps anything of a scene: triangles or, if the format has nodes, a node without a mesh
    /// or with a hidden one. `losses` are those of reading the scene: the error contains one of them, which may explain
    /// why there are no triangles.
    ///
    /// # Errors
    /// [`Empty`](ErrorKind::Empty) if the scene has neither.
    pub fn check_content(&self, scene: &Scene, losses: &[Loss]) -> Result<()> {
        // Only a format with nodes keeps hidden meshes.
        let has_triangles =
            |mesh: usize| scene.meshes[mesh].primitives.iter().any(|one| !one.mesh.triangles.is_empty());
        let has_others =
            || self.has_nodes && scene.nodes.iter().any(|node| node.mesh.is_none_or(has_triangles));
        match scene.why_empty().filter(|_| self.has_meshes && !has_others()) {
            None => Ok(()),
            Some(why) => {
                let error = Error::new(ErrorKind::Empty, format!("nothing to convert: {why}"));
                Err(refused(error, losses))
            }
        }
    }

    /// Writes a scene in this format. The names of further files begin with `stem`. `max_bytes` limits the memory of
    /// the scene and of everything that is created from it.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) if the scene contradicts itself ([`Scene::check`]) or the format cannot
    /// represent it,
    /// [`Limit`](ErrorKind::Limit) if it needs more memory than `max_bytes`.
    pub fn write(&self, scene: &Scene, stem: &str, max_bytes: u64) -> Result<Written> {
        self.write_model(scene, stem, &ModelOptions::new(), max_bytes)
    }

    /// Like [`write`](Self::write), with options that change only Roblox models.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_model(
        &self,
        scene: &Scene,
        stem: &str,
        model: &ModelOptions,
        max_bytes: u64,
    ) -> Result<Written> {
        scene.check()?;
        let mut budget = Budget::new(max_bytes);
        scene.take(1, &mut budget)?;
        if !self.has_nodes {
            let (what, [bytes, steps]) = ("the copies of the meshes, one for each node", scene.placed_cost());
            budget.take(bytes, what)?;
            budget.work(steps, what)?;
        }
        // The names of files beside it are valid on every system.
        let stem = Names::default().unique(stem);
        let mut writing = Writing { stem: &stem, files: Files::default(), losses: Vec::new(), budget, model };
        let has_textures = self.keeps.contains(&Feature::BaseTexture);
        let converted = match has_textures {
            true => without_jpeg2000(scene, &mut writing.losses, &mut writing.budget)?,
            false => None,
        };
        let bytes = (self.write)(converted.as_ref().unwrap_or(scene), &mut writing)?;
        if self.has_meshes && !self.has_nodes {
            writing.losses.extend(not_finite(scene));
        }
        Ok(Written { bytes, files: writing.files.into_vec(), losses: writing.losses })
    }
}

/// The change of images in JPEG 2000.
pub(crate) const AS_PNG: &str = "the form of JPEG 2000 images: they become PNG, with the same pixels";

/// A copy of a scene in which JPEG 2000 images are PNG, since hardly any program reads the former; `None` without any.
///
/// # Errors
/// [`Limit`](ErrorKind::Limit) if the copy takes more memory than is left, [`Effort`](ErrorKind::Effort) if decoding would
/// take too long. An image that cannot be read is listed as lost.
pub fn without_jpeg2000(scene: &Scene, losses: &mut Vec<Loss>, budget: &mut Budget) -> Result<Option<Scene>> {
    let is_one = |image: &Image| matches!(&image.data, ImageData::Bytes(bytes) if Kind::of(bytes) == Some(Kind::Jpeg2000));
    if !scene.images.iter().any(is_one) {
        return Ok(None);
    }
    scene.take(1, budget)?;
    let (mut copy, mut count) = (scene.clone(), 0);
    for (index, image) in copy.images.iter_mut().enumerate().filter(|(_, image)| is_one(image)) {
        let ImageData::Bytes(bytes) = &image.data else { continue };
        let at = || format!("images[{index}]");
        image.data = match images::to_png(bytes, budget) {
            Ok(png) => {
                budget.take(png.len() as u64, "the images as PNG")?;
                count += 1;
                ImageData::Bytes(png)
            }
            Err(error) if error.kind() == ErrorKind::Effort => return Err(error.at(at())),
            Err(error) => {
                let loss = Loss::new(at(), format!("an image that cannot be read: {error}"))
                    .id("image.unreadable")
                    .because(error.is_limit());
                losses.push(loss.about(Feature::textures()));
                ImageData::Uri(String::new())
            }
        };
    }
    Loss::approximated("images", AS_PNG).id("image.as-png").times(count).count_in(losses);
    Ok(Some(copy))
}

/// The warning about positions that a file without nodes keeps.
fn not_finite(scene: &Scene) -> Option<Loss> {
    let primitives = scene.placed().into_iter().flat_map(|placed| &scene.meshes[placed.mesh].primitives);
    let mut points = primitives.flat_map(|primitive| &primitive.mesh.positions);
    points.any(|point| !point.is_finite()).then(|| {
        Loss::warning(
            "meshes",
            "positions have infinite or NaN coordinates: repair the model, since programs cannot show such vertices",
        ).id("mesh.not-finite")
    })
}
