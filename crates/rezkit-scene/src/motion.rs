//! Motions on any rig: animations of a scene are moved to another rig, changed, and joined with others.
//!
//! ```
//! use rezkit_scene::motion::MotionRig;
//!
//! assert!(MotionRig::named("bento").is_some() && MotionRig::named("Mixamo").is_some());
//! assert!(MotionRig::named("elephant").is_none());
//! ```

use rezkit_core::{Budget, Error, Loss, Result};

use crate::forms::RigModel;
use crate::model::Scene;
use crate::retarget::names::ROWS;
use crate::retarget::{self, Changes, Target};
pub use crate::retarget::{Retargeted, RootMotion};
use crate::slmesh::{ChangeOptions, fits, mirror_playback, skeleton};

/// A rig to which animations can be moved.
pub struct MotionRig(Target);

impl std::fmt::Debug for MotionRig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MotionRig").field("name", &self.0.name).field("joints", &self.0.joints.len()).finish()
    }
}

/// Second Life's avatar before and since 2016.
const CLASSIC: &str = "classic";
const BENTO: &str = "bento";

impl MotionRig {
    /// The names of the rigs that are known without a file, in lower case.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let rows = ROWS.iter().map(|row| row.option).filter(|name| !name.is_empty());
        ["r6", "r15", "rthro", "rthro-narrow", BENTO, CLASSIC].into_iter().chain(rows)
    }

    /// A rig by one of the [`names`](Self::names), in any case.
    pub fn named(name: &str) -> Option<Self> {
        if let Some(rig) = RigModel::of_roblox(name) {
            return crate::roblox::motion_rig(&rig, &mut Budget::new(u64::MAX)).ok().map(Self);
        }
        match name.to_ascii_lowercase().as_str() {
            BENTO => Some(Self(skeleton(false, &|_| false))),
            CLASSIC => Some(Self(skeleton(true, &|_| false))),
            name => Target::named(name).map(Self),
        }
    }

    /// The first model with joints of a Roblox document.
    ///
    /// # Errors
    /// If the document cannot be read, or has no such model.
    pub fn of_document(bytes: &[u8], budget: &mut Budget) -> Result<Self> {
        crate::roblox::motion_rig(&RigModel::Document(bytes.into()), budget).map(Self)
    }

    /// The skeleton of a scene.
    ///
    /// # Errors
    /// [`Argument`](rezkit_core::ErrorKind::Argument) if no node is a joint of a skin, has the name of a known joint or
    /// moves.
    pub fn of_scene(scene: &Scene) -> Result<Self> {
        let name = if scene.name.is_empty() { "the rig of the file" } else { &scene.name };
        let target = Target::of_scene(scene, name);
        if target.joints.is_empty() {
            let what =
                "the file has no skeleton: no node is a joint of a skin or has the name of a known joint";
            return Err(Error::argument(what).at("rig"));
        }
        Ok(Self(target))
    }

    /// The skeleton at rest.
    pub fn skeleton(&self) -> &Scene {
        &self.0.scene
    }

    /// The names of its joints, from the root outwards.
    pub fn joints(&self) -> impl Iterator<Item = &str> {
        self.0.joints.iter().map(|joint| joint.name.as_str())
    }
}

/// Moves all animations of a scene to a rig: the result has the skeleton of the rig, and the animations, whose hips stay
/// above one place if `in_place`, and whose sides are exchanged if `mirror`. Also returns what was done with each
/// animation. `fps` is the number of samples per second, 30 by default; the keys are samples, too.
///
/// # Errors
/// [`Unwritable`](rezkit_core::ErrorKind::Unwritable) if no animation moves a joint of the rig,
/// [`Limit`](rezkit_core::ErrorKind::Limit) and [`Effort`](rezkit_core::ErrorKind::Effort) if the budget does not suffice.
pub fn retarget(
    scene: &Scene,
    rig: &MotionRig,
    changes: &ChangeOptions,
    fps: Option<f32>,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<(Scene, Vec<Retargeted>)> {
    let changes = Changes { in_place: changes.in_place, mirror: changes.mirror };
    if let Some(rate) = fps.filter(|rate| !(*rate > 0.0 && *rate <= 1000.0)) {
        return Err(Error::argument(format!("expected more than 0 and at most 1000, found {rate}")).at("fps"));
    }
    let mut made = retarget::onto(scene, &rig.0, changes, fps, budget, losses)?;
    if changes.mirror {
        made.0.animations.iter_mut().for_each(|animation| mirror_playback(&mut animation.playback, losses));
    }
    Ok(made)
}

/// Changes the animations of a scene on its own rig: a part of their time, in place, mirrored, with keys at equal
/// distances or fewer keys; another animation after them, or over a part of the body. Changes of speed and of joints are
/// those of [`ChangeOptions::apply_to`]. `others` are the scenes of [`ChangeOptions::then`] and [`ChangeOptions::pose`].
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if a change does not apply, [`Limit`](rezkit_core::ErrorKind::Limit) and
/// [`Effort`](rezkit_core::ErrorKind::Effort) if the budget does not suffice.
pub fn change(
    scene: &mut Scene,
    options: &ChangeOptions,
    [then, pose]: [Option<&Scene>; 2],
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    if let Some(part) = options.trim {
        retarget::changes::trim(scene, part, losses)?;
    }
    if let Some(other) = then {
        retarget::changes::join(scene, other, options.blend.unwrap_or(0.3), budget, losses)?;
    }
    if let Some(other) = pose {
        let all = ["*".to_owned()];
        let names = if options.pose_joints.is_empty() { &all[..] } else { &options.pose_joints };
        retarget::changes::overlay(scene, other, names, fits, budget, losses)?;
    }
    if options.in_place || options.mirror {
        let target = Target::of_source(scene);
        let changes = Changes { in_place: options.in_place, mirror: options.mirror };
        *scene = retarget::onto(scene, &target, changes, None, budget, losses)?.0;
        if changes.mirror {
            scene
                .animations
                .iter_mut()
                .for_each(|animation| mirror_playback(&mut animation.playback, losses));
        }
    }
    Ok(())
}

/// Gives the animations of a scene keys at equal distances, `fps` in a second, and drops keys that interpolation yields
/// within a number of degrees and a distance.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if a number is not above 0, or more than 1,000 keys a second are wanted;
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the budget does not suffice.
pub fn rekey(
    scene: &mut Scene,
    fps: Option<f32>,
    reduce: Option<[f32; 2]>,
    budget: &mut Budget,
) -> Result<()> {
    if let Some(fps) = fps {
        retarget::changes::resample(scene, fps, budget)?;
    }
    reduce.map_or(Ok(()), |tolerance| retarget::changes::reduce(scene, tolerance))
}
