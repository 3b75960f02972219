//! Avatar items of a file: the profile `roblox-avatar`.

use std::any::Any;

use rbxcore::Dom;
use rezkit_avatar::{AvatarReport, CheckOptions, Fitted, Picture};
use rezkit_core::{Budget, Error, Finding, Result};

use crate::file_type::Asset;
use crate::kit::Opened;

/// The document that an asset is.
fn document(asset: &dyn Asset) -> Option<&dyn Dom> {
    let any: &dyn Any = asset;
    let binary = any.downcast_ref::<rbxbinary::Document>().map(|document| document as &dyn Dom);
    binary.or_else(|| any.downcast_ref::<rbxxml::Document>().map(|document| document as &dyn Dom))
}

fn document_mut(asset: &mut dyn Asset) -> Option<&mut dyn Dom> {
    let any: &mut dyn Any = asset;
    if any.is::<rbxbinary::Document>() {
        return any.downcast_mut::<rbxbinary::Document>().map(|document| document as &mut dyn Dom);
    }
    any.downcast_mut::<rbxxml::Document>().map(|document| document as &mut dyn Dom)
}

/// The part of a scene that is meant.
fn scene_of(options: &CheckOptions) -> crate::SceneOptions {
    let mut scene = crate::SceneOptions::new();
    scene.path = options.path.clone();
    scene
}

impl Opened<'_> {
    /// Checks the avatar items of the file: of a Roblox document all of them, of another scene those that are named as
    /// in exchange files.
    ///
    /// # Errors
    /// As [`scene`](Self::scene), and if the items need more than is left.
    pub fn check_avatar(&mut self, options: &CheckOptions) -> Result<AvatarReport> {
        let mut budget = Budget::new(self.options.max_bytes);
        if let Some(document) = document(&*self.asset) {
            let mut report =
                rezkit_avatar::check_document(document, options, &mut *self.sources, &mut budget)?;
            // The motion and the instances of emotes have the rules of animations.
            if report.items.iter().any(|item| item.kind == Some("Emote")) {
                let scene = match self.scene(&crate::SceneOptions::new()) {
                    Ok((scene, _)) => scene,
                    Err(error) if error.kind() == rezkit_core::ErrorKind::Empty => {
                        crate::scene::Scene::default()
                    }
                    Err(error) => return Err(error),
                };
                let findings = self.animations_of(&scene, &mut budget)?;
                for item in report.items.iter_mut().filter(|item| item.kind == Some("Emote")) {
                    let path = item.path.clone();
                    let is_of_item = |finding: &&Finding| {
                        let rest = finding.path.strip_prefix(&*path);
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
                    };
                    item.add(findings.iter().filter(is_of_item).cloned());
                }
            }
            return Ok(report);
        }
        let scene = self.in_studs(options, &mut budget)?;
        rezkit_avatar::check_scene(&scene, options, &mut budget)
    }

    /// The scene whose unit is a stud. Studio takes the numbers of an FBX file for studs, whatever unit the file states:
    /// Roblox's documentation asks for a scale of 0.01, or for Blender's "FBX Unit Scale", for this reason.
    fn in_studs(&mut self, options: &CheckOptions, budget: &mut Budget) -> Result<crate::scene::Scene> {
        let (mut scene, _) = self.scene(&scene_of(options))?;
        if self.file_type().has.studs {
            let unit = crate::scene::fbx::unit(&self.to_vec()?, budget)?;
            #[allow(clippy::cast_possible_truncation, reason = "a scale")]
            scene.resize((1.0 / unit) as f32, budget)?;
        }
        Ok(scene)
    }

    /// Scenes that show the avatar items of the file whose meshes are at hand.
    ///
    /// # Errors
    /// As [`check_avatar`](Self::check_avatar).
    pub fn avatar_pictures(&mut self, options: &CheckOptions) -> Result<Vec<Picture>> {
        let mut budget = Budget::new(self.options.max_bytes);
        if let Some(document) = document(&*self.asset) {
            return rezkit_avatar::pictures_of_document(document, options, &mut *self.sources, &mut budget);
        }
        let scene = self.in_studs(options, &mut budget)?;
        rezkit_avatar::pictures_of_scene(&scene, options, &mut budget)
    }

    /// Mends the avatar items of a Roblox document as far as no artist is needed. The changed meshes are in the result.
    ///
    /// # Errors
    /// [`Argument`](crate::ErrorKind::Argument) if the file is not a Roblox document, and as
    /// [`rezkit_avatar::fit_document`].
    pub fn fit_avatar(&mut self, options: &CheckOptions) -> Result<Fitted> {
        let mut budget = Budget::new(self.options.max_bytes);
        let title = self.asset.file_type().title;
        // A copy, if the asset is shared.
        self.asset_mut()?;
        let Some(document) = std::sync::Arc::get_mut(&mut self.asset).and_then(document_mut) else {
            return Err(Error::argument(format!(
                "only items in Roblox models and places can be fitted; found: {title}"
            )));
        };
        rezkit_avatar::fit_document(document, options, &mut *self.sources, &mut budget)
    }
}
