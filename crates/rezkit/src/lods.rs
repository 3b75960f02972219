//! Levels of detail of a file of any format.

use rezkit_core::{Budget, Error, Names, Result};
use rezkit_scene::Levels;
use rezkit_upload::{Target, levels, with_levels};

use crate::conversion::version_of;
use crate::kit::{Opened, Output};
use crate::options::ConvertOptions;

/// A file with levels of detail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Leveled {
    /// The file, and those that it refers to.
    pub output: Output,
    /// How many triangles each level has, the finest first.
    pub triangles: Vec<usize>,
}

impl Opened<'_> {
    /// The finest level of the file with a further one for each target, as a file of this name: its extension is the
    /// form, and `to` a version of that. In Roblox meshes they are levels, in other forms nodes.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) where there is no such form, or its files have no levels, and as
    /// [`levels`].
    pub fn lods(
        &mut self,
        targets: &[Target],
        to: Option<&str>,
        output: &str,
        options: &ConvertOptions,
    ) -> Result<Leveled> {
        let file = output.rsplit(['/', '\\']).next().unwrap_or_default();
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let form = rezkit_scene::form(extension).filter(|form| form.has_levels);
        let form = form.ok_or_else(|| {
            Error::argument(format!("no form with levels of detail has the ending {extension:?}"))
        })?;
        let unknown = |to: &str| Error::argument(format!("{} has no form {to:?}", form.title));
        let version = to
            .filter(|to| !form.name.eq_ignore_ascii_case(to))
            .map(|to| version_of(form, to).ok_or_else(|| unknown(to)))
            .transpose()?;
        let mut scenes = options.scene.clone();
        let max_bytes = scenes.max_bytes.min(self.options.max_bytes);
        scenes.levels = Levels::Finest;
        let (scene, mut losses) = self.scene(&scenes)?;
        let (made, lost) = levels(&scene, targets, &mut Budget::new(max_bytes))?;
        losses.extend(lost);
        let mut triangles = vec![scene.triangle_count()];
        triangles.extend(made.iter().map(rezkit_scene::Scene::triangle_count));
        let scene = with_levels(scene, &made);
        let stem = Names::default().unique(stem);
        let written = self.written(&scene, (form, version), &stem, file, true)?;
        losses.extend(written.losses);
        let output =
            Output::new(file, &stem, Some(extension), written.bytes, written.files, losses, max_bytes)?;
        Ok(Leveled { output, triangles })
    }
}
