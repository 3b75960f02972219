//! From files to scenes and back: the common part of all readers and writers.

use std::sync::Arc;

use rezkit_core::{Budget, Error, ErrorKind, File, Files, Loss, Names, Result, Sources};

use crate::features::Feature;
use crate::model::{Levels, Scene};

/// Reads a kind of file that contains only a scene.
#[derive(Debug)]
pub struct SceneReader(pub(crate) fn(&mut Reading<'_>) -> Result<Scene>);

/// Writes scenes as files of a kind.
#[derive(Debug)]
pub struct SceneWriter {
    /// The features that it keeps; all others are listed as lost.
    pub keeps: &'static [Feature],
    /// Whether its files have meshes; a motion has only joints.
    pub has_meshes: bool,
    /// Whether its files can have lower levels of detail, unlike files of a single surface.
    pub has_levels: bool,
    /// Whether its files have nodes: a mesh placed several times is then written once.
    pub(crate) has_nodes: bool,
    pub(crate) write: Write,
}

type Write = fn(&Scene, &mut Writing<'_>) -> Result<Vec<u8>>;

impl SceneWriter {
    /// A writer of meshes with levels of detail and without nodes.
    pub(crate) const fn of_meshes(keeps: &'static [Feature], write: Write) -> Self {
        Self { keeps, has_meshes: true, has_levels: true, has_nodes: false, write }
    }

    /// A writer of files without meshes.
    pub(crate) const fn of_others(keeps: &'static [Feature], write: Write) -> Self {
        Self { keeps, has_meshes: false, has_levels: false, has_nodes: true, write }
    }
}

/// Options for converting a file to a scene.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SceneOptions {
    /// Which levels of detail become nodes.
    pub levels: Levels,
    /// Whether convex hulls become nodes.
    pub hulls: bool,
    /// In a Roblox document, the path of the instance to convert with its descendants: names separated by `/`, such as
    /// `Workspace/Car`. The default is the Workspace of a place, or a whole model.
    pub path: Option<String>,
    /// The resolution of terrain.
    pub terrain: Terrain,
    /// The representation of unions in Roblox documents.
    pub unions: Unions,
    /// The rig of animations in Roblox documents that contain none: R6 or R15 by the names of their poses unless set.
    pub rig: Option<RigModel>,
    /// The memory limit for the scene and everything that is read for it: 1 GiB by default.
    pub max_bytes: u64,
}

impl Default for SceneOptions {
    fn default() -> Self {
        Self {
            levels: Levels::Finest,
            hulls: false,
            path: None,
            terrain: Terrain::Finest,
            unions: Unions::First,
            rig: None,
            max_bytes: 1 << 30,
        }
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
    /// The first model with joints of a document, binary or XML.
    Document(Arc<[u8]>),
}

/// The resolution of terrain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terrain {
    /// The finest with less than a million triangles.
    #[default]
    Finest,
    /// From the mean of this number of voxels in each direction: 1, 2, 4 or 8.
    Step(u32),
    /// Terrain is omitted.
    Without,
}

/// The representation of a union in a Roblox document; a box if the requested one is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unions {
    /// The first that exists: its mesh, its hulls, its operands.
    #[default]
    First,
    /// Its mesh, in the document or in the file of its asset.
    Mesh,
    /// The original parts, uncut.
    Operands,
    /// The collision hulls.
    Hulls,
    /// A box of its size.
    Box,
}

/// The input of a reader: the file, the files beside it, and the list of losses.
pub(crate) struct Reading<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) budget: &'a mut Budget,
    pub(crate) sources: &'a mut dyn Sources,
    pub(crate) losses: &'a mut Vec<Loss>,
}

impl Reading<'_> {
    /// Calls a function with a resolver of names relative to this file. The reason why an existing file cannot be read
    /// is listed.
    pub(crate) fn beside<T>(&mut self, with: impl FnOnce(&[u8], &mut Budget, &mut Beside<'_>) -> T) -> T {
        let Self { bytes, budget, sources, losses, .. } = self;
        with(bytes, budget, &mut rezkit_core::beside(*sources, losses))
    }
}

/// Returns the content of a file by its name relative to another.
pub(crate) type Beside<'a> = dyn FnMut(&str) -> Option<Vec<u8>> + 'a;

/// Additional output of a writer: files beside the one that it creates, and losses.
pub(crate) struct Writing<'a> {
    /// The name of the file without its extension, valid on every system.
    pub(crate) stem: &'a str,
    pub(crate) files: Files,
    pub(crate) losses: Vec<Loss>,
    pub(crate) budget: Budget,
}

/// A scene as files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Written {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// The files that it refers to, next to it.
    pub files: Vec<File>,
    /// The losses of the form.
    pub losses: Vec<Loss>,
}

impl SceneReader {
    /// A file as a scene, and the losses. `title`: the kind of file for messages; `name`: the file's name.
    ///
    /// # Errors
    /// [`Unreadable`](ErrorKind::Unreadable) if it cannot be read, [`Limit`](ErrorKind::Limit) if it needs more than
    /// the options allow.
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

/// An error, with the reason why a file beside the one that is read was unavailable.
fn refused(error: Error, losses: &[Loss]) -> Error {
    match losses.first() {
        Some(loss) => Error::new(error.kind(), format!("{} ({loss})", error.reason())).at(error.path()),
        None => error,
    }
}

impl SceneWriter {
    /// Whether the form keeps anything of a scene: triangles, or, if it has nodes, nodes without empty meshes.
    ///
    /// # Errors
    /// [`Empty`](ErrorKind::Empty) if it has not.
    pub fn check_content(&self, scene: &Scene) -> Result<()> {
        let has_others = || self.has_nodes && scene.nodes.iter().any(|node| node.mesh.is_none());
        if !self.has_meshes || scene.triangle_count() > 0 || has_others() {
            return Ok(());
        }
        let primitives = scene.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let vertices: usize = primitives.map(|primitive| primitive.mesh.positions.len()).sum();
        let text = format!("there is nothing to draw: found {vertices} vertices, no triangles");
        Err(Error::new(ErrorKind::Empty, text))
    }

    /// A scene in this form; `stem` begins the names of files beside it. `max_bytes` limits the scene and everything that
    /// is created from it.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) if the scene contradicts itself ([`Scene::check`]) or the form cannot
    /// represent it,
    /// [`Limit`](ErrorKind::Limit) if it needs more memory than it may.
    pub fn write(&self, scene: &Scene, stem: &str, max_bytes: u64) -> Result<Written> {
        scene.check()?;
        let mut budget = Budget::new(max_bytes);
        scene.take(1, &mut budget)?;
        if !self.has_nodes {
            let (what, [bytes, steps]) = ("the placed meshes of the scene", scene.placed_cost());
            budget.take(bytes, what)?;
            budget.work(steps, what)?;
        }
        // The names of files beside it are valid on every system.
        let stem = Names::default().unique(stem);
        let mut writing = Writing { stem: &stem, files: Files::default(), losses: Vec::new(), budget };
        let bytes = (self.write)(scene, &mut writing)?;
        Ok(Written { bytes, files: writing.files.into_vec(), losses: writing.losses })
    }
}
