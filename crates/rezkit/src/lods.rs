//! Levels of detail of a file of any format.

use rezkit_core::{Budget, Error, Files, Loss, Names, Result};
use rezkit_scene::Levels;
use rezkit_upload::{Target, levels, with_levels};

use crate::formats::FORMATS;
use crate::kit::{Opened, Output};
use crate::options::{ConvertOptions, ReadOptions, WriteOptions};

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
        // What is one surface has no levels.
        let form = rezkit_scene::form(extension)
            .filter(|form| form.has_meshes && !["stl", "ply"].contains(&form.name));
        let form = form.ok_or_else(|| {
            Error::argument(format!("no form with levels of detail has the ending {extension:?}"))
        })?;
        let version = to.filter(|to| !form.name.eq_ignore_ascii_case(to));
        let format = FORMATS.iter().find(|format| format.extensions.contains(&form.name));
        let known =
            |name: &str| format.is_some_and(|format| format.forms.iter().any(|form| form.name == name));
        if let Some(version) = version.filter(|version| !known(version)) {
            return Err(Error::argument(format!("{} has no form {version:?}", form.title)));
        }
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
        let mut written = form.write(&scene, &stem, max_bytes)?;
        losses.append(&mut written.losses);
        if let Some(version) = version {
            let asset = ReadOptions::new().max_bytes(max_bytes).read_named(&written.bytes, file, &mut ())?;
            losses.extend(asset.losses(version));
            written.bytes = asset.write(&WriteOptions::new().allow_loss(true).form(version))?;
        }
        crate::roundtrip::reads_again(&written.bytes, file, &written.files)?;
        let mut files = Files::default();
        files.add(&[&format!("{stem}.{extension}")], written.bytes);
        let mut files = files.into_vec();
        files.extend(written.files);
        Ok(Leveled { output: Output { files, losses: Loss::grouped(losses) }, triangles })
    }
}
