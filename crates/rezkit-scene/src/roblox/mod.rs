//! Converts places and models of Roblox to scenes.
//!
//! The axes are those of glTF: right-handed, y up. One stud is one unit of the scene. The front is -z, so that looking
//! along -z shows the back of a character. Parts have the transforms of their CFrames, and their sizes are
//! scales of shared shapes; models and folders are nodes without a transform.

mod animation;
mod avatars;
mod bone_motion;
mod bones;
mod builder;
mod carried;
mod cords;
mod curves;
mod decals;
mod described;
mod emotes;
mod expressions;
mod faces;
mod frames;
mod geometry;
mod graph;
mod interpolation;
mod joints;
mod keyframes;
mod keys;
mod knots;
mod levels;
mod lights;
mod look;
mod losses;
mod rigs;
mod select;
mod sequence;
mod shapes;
mod solid;
mod solids;
mod source;
mod stated;
mod surfaces;
mod terrain;
mod to_animation;
mod tree;
mod truss;

pub use crate::forms::AnimationOptions;
pub(crate) use avatars::{AvatarJoint, avatar_joints};
pub(crate) use bone_motion::{BoneNode, bone_animations};
pub use carried::{UnionShape, carried, union_shape};
pub use described::{AnimationFacts, animations};
pub use emotes::{RULES, check_animations};
pub use faces::control_of;
pub(crate) use keys::{is_own as is_own_rig, is_pose_of_own_rig};
pub use source::depends_on;
pub(crate) use surfaces::{named as material_named, surface};
pub(crate) use to_animation::{motion_rig, scene_animations};

use std::collections::{HashMap, HashSet};

use builder::Builder;
use rbxblobs::terrain::STEPS;
use tree::Tree;

use super::model::Scene;
use crate::forms::{SceneOptions, Terrain};
use rbxcore::Dom;
use rezkit_core::Loss;
use rezkit_core::{Budget, Error, Result, Sources};

/// Converts a document to a scene, and returns the losses. The documents in unions and the meshes of
/// parts count against [`SceneOptions::max_bytes`].
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if there is no instance at [`SceneOptions::path`],
/// [`Empty`](rezkit_core::ErrorKind::Empty) if there is nothing to draw; its message lists what the document contains.
pub fn from_document(
    document: &dyn Dom,
    options: &SceneOptions,
    sources: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>)> {
    let budget = &mut Budget::new(options.max_bytes);
    let only = (!options.only.is_empty()).then(|| source::reduced(document, &options.only));
    let tree = source::tree(document, (only.as_deref(), options.path.as_deref()), budget)?;
    let (mut scene, losses) = build(tree, options, budget, sources)?;
    if let Some(ids) = only {
        // Nodes have the indices of the whole document.
        let wanted: HashSet<_> = ids.iter().copied().collect();
        let all = document.instances().zip(0_u32..);
        let index_of: HashMap<_, _> = all.filter(|(id, _)| wanted.contains(id)).collect();
        for node in &mut scene.nodes {
            let id = node.source.and_then(|index| ids.get(usize::try_from(index).ok()?));
            node.source = id.and_then(|id| index_of.get(id).copied());
        }
    }
    Ok((scene, losses))
}

fn build(
    mut tree: Tree,
    options: &SceneOptions,
    budget: &mut Budget,
    sources: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>)> {
    if let Terrain::Step(step) = options.terrain
        && !STEPS.contains(&step)
    {
        let [a, b, c, d] = STEPS;
        let what = format!("expected a step of {a}, {b}, {c} or {d} voxels, found {step}");
        return Err(Error::argument(what).at("terrain"));
    }
    let rigs = rigs::animated(&mut tree, options.rig.as_ref(), budget)?;
    let mut builder = Builder::new(&tree, options, budget, sources, 0);
    builder.draw(&rigs);
    joints::build(&mut builder, &rigs);
    let faces = faces::build(&mut builder, &rigs);
    let heads = bones::build(&mut builder, &rigs, &faces);
    builder.add_lights();
    cords::list(&mut builder, &rigs);
    decals::build(&mut builder);
    animation::build(&mut builder, &rigs, faces, &heads);
    if let Some(error) = builder.stopped.take() {
        return Err(error);
    }
    select::list(&mut builder, &rigs)?;
    Ok(builder.finish())
}
