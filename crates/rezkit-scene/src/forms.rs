//! The registry: each format that scenes are read from or written in, said once, beside what reads and writes it.

use rezkit_core::{Budget, Error, ErrorKind, File, Files, Loss, Names, Result, Sources};

use crate::features::Feature;
use crate::model::{Levels, Scene};
use crate::{gltf, m3d, obj, ply, rbxmesh, roblox, slmesh, stl};

/// A format with geometry: how its files are known and read, and the forms in which it is written.
#[derive(Debug)]
#[non_exhaustive]
pub struct SceneFormat {
    /// The name: the usual extension, or the name of the format's crate.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its files' names end in.
    pub extensions: &'static [&'static str],
    /// The forms in which scenes are written; empty where it is only read.
    pub forms: &'static [SceneForm],
    /// Whether the bytes are of this format, as far as the first of them tell.
    pub(crate) detect: fn(&[u8]) -> bool,
    pub(crate) read: fn(&mut Reading<'_>) -> Result<Scene>,
}

/// A form in which a scene is written.
#[derive(Debug)]
#[non_exhaustive]
pub struct SceneForm {
    /// The name, which is the usual extension.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// What of scenes it keeps; all else is listed where a scene has it.
    pub keeps: &'static [Feature],
    /// Whether it has meshes; a motion has joints alone.
    pub has_meshes: bool,
    /// Whether lower levels of detail can be in it; not where it is one surface.
    pub has_levels: bool,
    /// Whether it has nodes, so that a mesh is written once however often it is placed.
    pub(crate) has_nodes: bool,
    pub(crate) write: fn(&Scene, &mut Writing<'_>) -> Result<Vec<u8>>,
}

/// Every format, in the order in which bytes are looked at.
pub static FORMATS: &[&SceneFormat] = &[
    &gltf::FORMAT,
    &obj::FORMAT,
    &ply::FORMAT,
    &stl::FORMAT,
    &rbxmesh::FORMAT,
    &slmesh::FORMAT,
    &m3d::FORMAT,
    &roblox::FORMAT,
];

/// How a file is made into a scene.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SceneOptions {
    /// Which levels of detail become nodes.
    pub levels: Levels,
    /// Whether convex hulls become nodes.
    pub hulls: bool,
    /// Of a Roblox document, the path of the instance that becomes a scene with all that is in it: names with `/`
    /// between them, as `Workspace/Car`. Without one, that is the Workspace of a place, or all of a model.
    pub path: Option<String>,
    /// How fine the surface of terrain is.
    pub terrain: Terrain,
    /// What the unions of Roblox documents are shown as.
    pub unions: Unions,
    /// How many bytes the scene, and everything that is read for it, may take: 1 GiB by default.
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
            max_bytes: 1 << 30,
        }
    }
}

/// How fine the surface of terrain is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terrain {
    /// As fine as it can be with less than a million triangles.
    #[default]
    Finest,
    /// From the mean of this number of voxels each way: 1, 2, 4 or 8.
    Step(u32),
    /// Terrain is left out.
    Without,
}

/// What a union of a Roblox document is shown as. One that does not have what is asked for is a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unions {
    /// The first that it has: its mesh, its hulls, its operands.
    #[default]
    First,
    /// Its mesh, in the document or in the file of its asset.
    Mesh,
    /// The parts that it was made of, uncut.
    Operands,
    /// The hulls that it collides with.
    Hulls,
    /// A box of its size.
    Box,
}

/// What a reader has: the file, those beside it, and where it lists what it leaves out.
pub(crate) struct Reading<'a> {
    pub(crate) bytes: &'a [u8],
    /// The file's name without its extension.
    pub(crate) stem: &'a str,
    pub(crate) options: &'a SceneOptions,
    pub(crate) budget: &'a mut Budget,
    pub(crate) sources: &'a mut dyn Sources,
    pub(crate) losses: &'a mut Vec<Loss>,
}

impl Reading<'_> {
    /// Calls a function with what gives a file by its name relative to this one. Why a file that is there cannot
    /// be given is listed.
    pub(crate) fn beside<T>(&mut self, with: impl FnOnce(&[u8], &mut Budget, &mut Beside<'_>) -> T) -> T {
        let Self { bytes, budget, sources, losses, .. } = self;
        with(bytes, budget, &mut rezkit_core::beside(*sources, losses))
    }
}

/// Gives the content of a file by its name relative to another.
pub(crate) type Beside<'a> = dyn FnMut(&str) -> Option<Vec<u8>> + 'a;

/// What a writer adds to: files beside the one that it makes, and what it leaves out.
pub(crate) struct Writing<'a> {
    /// The name of the file without its extension, which every system accepts.
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
    /// Files that it refers to, next to it.
    pub files: Vec<File>,
    /// What the form cannot represent.
    pub losses: Vec<Loss>,
}

/// The form of a name or of a file's extension.
pub fn form(name: &str) -> Option<&'static SceneForm> {
    let mut forms = FORMATS.iter().flat_map(|format| format.forms);
    forms.find(|form| form.name.eq_ignore_ascii_case(name))
}

/// The format of a file: by its first bytes, or, where they tell nothing, as in OBJ and STL, by the extension of its
/// name.
pub fn detect(bytes: &[u8], name: &str) -> Option<&'static SceneFormat> {
    if bytes.is_empty() {
        return None;
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let by_bytes = FORMATS.iter().find(|format| (format.detect)(bytes));
    let by_name = || ["obj", "stl"].contains(&&*extension).then(|| of_extension(&extension))?;
    by_bytes.copied().or_else(by_name)
}

fn of_extension(extension: &str) -> Option<&'static SceneFormat> {
    FORMATS.iter().find(|format| format.extensions.contains(&extension)).copied()
}

/// A file of any format with geometry as a scene, and what that leaves out. `name` is the file's name.
///
/// # Errors
/// [`Unknown`](ErrorKind::Unknown) where the file is of no format with geometry,
/// [`Unreadable`](ErrorKind::Unreadable) where it cannot be read, [`Limit`](ErrorKind::Limit) where it needs more than
/// the options allow.
pub fn read(
    bytes: &[u8],
    name: &str,
    options: &SceneOptions,
    sources: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>)> {
    let unknown = || Error::new(ErrorKind::Unknown, "of no format that has geometry");
    let format = detect(bytes, name).ok_or_else(unknown)?;
    format.read(bytes, name, options, sources)
}

impl SceneFormat {
    /// A file of this format as a scene, and what that leaves out.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(
        &self,
        bytes: &[u8],
        name: &str,
        options: &SceneOptions,
        sources: &mut dyn Sources,
    ) -> Result<(Scene, Vec<Loss>)> {
        let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if let Some(path) = options.path.as_ref().filter(|_| self.name != roblox::FORMAT.name) {
            return Err(Error::argument(format!("{} has no instances: nothing is at {path}", self.title)));
        }
        let mut losses = Vec::new();
        let budget = &mut Budget::new(options.max_bytes);
        let mut reading = Reading { bytes, stem, options, budget, sources, losses: &mut losses };
        let made = (self.read)(&mut reading);
        let mut scene = made.map_err(|error| refused(error, &losses).as_format(self.title))?;
        if scene.name.is_empty() {
            scene.name = stem.to_owned();
        }
        Ok((scene, losses))
    }
}

/// An error, with the reason for which a file beside the one that is read could not be given.
fn refused(error: Error, losses: &[Loss]) -> Error {
    match losses.first() {
        Some(loss) => Error::new(error.kind(), format!("{} ({loss})", error.reason())).at(error.path()),
        None => error,
    }
}

impl SceneForm {
    /// Whether the form has anything of a scene: triangles, or, where it has nodes, others than those of empty meshes.
    ///
    /// # Errors
    /// [`Empty`](ErrorKind::Empty) where it has not.
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

    /// A scene in this form; `stem` begins the names of files beside it. Forms without nodes have each mesh as
    /// often as it is placed: those may take `max_bytes`.
    ///
    /// # Errors
    /// [`Unwritable`](ErrorKind::Unwritable) where the scene contradicts itself ([`Scene::check`]) or the form cannot
    /// represent it,
    /// [`Limit`](ErrorKind::Limit) where it needs more memory than it may.
    pub fn write(&self, scene: &Scene, stem: &str, max_bytes: u64) -> Result<Written> {
        scene.check()?;
        let mut budget = Budget::new(max_bytes);
        if !self.has_nodes {
            let (what, [bytes, steps]) =
                ("each mesh of the scene, as often as it is placed,", scene.placed_cost());
            budget.take(bytes, what)?;
            budget.work(steps, what)?;
        }
        // The file refers to those beside it by names that every system accepts.
        let stem = Names::default().unique(stem);
        let mut writing = Writing { stem: &stem, files: Files::default(), losses: Vec::new(), budget };
        let bytes = (self.write)(scene, &mut writing)?;
        Ok(Written { bytes, files: writing.files.into_vec(), losses: writing.losses })
    }
}
