//! Levels of detail of a file of any format.

use rezkit_core::{Advice, Budget, Error, Names, Result};
use rezkit_scene::Levels;
use rezkit_upload::{LevelTarget, levels, with_levels};

use crate::conversion::Writing;
use crate::file_type::{FileType, no_form};
use crate::formats::FILE_TYPES;
use crate::kit::{Opened, Output, file_name};
use crate::options::ConvertOptions;
use crate::roundtrip::reads_again;

/// A file with levels of detail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Leveled {
    /// The file, and the files that it refers to.
    pub output: Output,
    /// The number of triangles of each level, the finest first.
    pub triangles: Vec<usize>,
}

impl Opened<'_> {
    /// The finest level of the file with a further level for each target, as a file of this name. Its extension selects
    /// the format, and `to` a version of it. In Roblox and Second Life meshes the levels are levels of detail; in other
    /// formats, they are separate nodes, objects or meshes.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if there is no such format, or its files have no levels,
    /// [`Empty`](crate::ErrorKind::Empty) if the file has no triangles, and as [`levels`].
    pub fn lods(
        &mut self,
        targets: &[LevelTarget],
        to: Option<&str>,
        output: &str,
        options: &ConvertOptions,
    ) -> Result<Leveled> {
        let file = file_name(output);
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let has_levels = |file_type: &&FileType| {
            file_type.has_extension(&extension.to_ascii_lowercase())
                && file_type.writer.is_some_and(|writer| writer.has_levels)
        };
        let file_type = FILE_TYPES.iter().find(has_levels).ok_or_else(|| {
            let known = FILE_TYPES
                .iter()
                .filter(|file_type| file_type.writer.is_some_and(|writer| writer.has_levels));
            let known: Vec<&str> = known.map(|file_type| file_type.name).collect();
            Error::argument(format!(
                "cannot write levels of detail to a file with the extension {extension:?}; use one of these \
                 extensions: {}",
                known.join(", ")
            ))
        })?;
        let form = match to.filter(|to| !file_type.name.eq_ignore_ascii_case(to)) {
            None => None,
            Some(to) => Some(
                file_type
                    .forms
                    .iter()
                    .copied()
                    .find(|form| *form == to)
                    .ok_or_else(|| no_form(file_type, to))?,
            ),
        };
        if let Some(form @ ("1.00" | "1.01" | "2.00")) = form {
            return Err(Error::argument(format!(
                "version {form} of Roblox meshes has no levels of detail; use version 3.00 to 7.00"
            )));
        }
        if let Some(most) = file_type.has.levels.filter(|most| targets.len() >= *most) {
            return Err(Error::argument(format!(
                "expected at most {} levels besides the finest for a {}, found {}",
                most - 1,
                file_type.title,
                targets.len()
            )));
        }
        self.check_options(&options.scene)?;
        let mut scenes = options.scene.clone();
        let max_bytes = scenes.max_bytes.min(self.options.max_bytes);
        scenes.levels = Levels::Finest;
        let (scene, mut losses) = self.scene(&scenes)?;
        // The new levels replace those of the file, whatever the option is.
        for loss in &mut losses {
            loss.advice = loss.advice.filter(|advice| *advice != Advice::AllLevels);
        }
        if let Some(why) = scene.why_empty() {
            return Err(Error::new(crate::ErrorKind::Empty, format!("nothing to simplify: {why}")));
        }
        let mut budget = Budget::new(max_bytes);
        let (made, lost) = levels(&scene, targets, &mut budget)?;
        losses.extend(lost);
        let mut triangles = vec![scene.triangle_count()];
        triangles.extend(made.iter().map(rezkit_scene::Scene::triangle_count));
        let scene = with_levels(scene, &made, &mut budget)?;
        drop(made);
        let stem = Names::default().unique(stem);
        let to = Writing {
            file_type,
            form,
            stem: &stem,
            file,
            allow_loss: true,
            max_bytes: budget.left(),
            model: Default::default(),
        };
        let written = self.written(&scene, &to, &losses)?;
        losses.extend(written.losses);
        if file_type.is_read() {
            reads_again(&written.bytes, file, &written.files, max_bytes)?;
        }
        let output = Output::new(&stem, Some(extension), written.bytes, written.files, losses);
        Ok(Leveled { output, triangles })
    }
}
