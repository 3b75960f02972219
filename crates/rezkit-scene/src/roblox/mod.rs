//! Places and models of Roblox as scenes.
//!
//! Axes are glTF's: right-handed, y up. One stud is one unit of the scene; front is -z, so a viewer
//! along -z sees a character's back. Parts have the transforms of their CFrames, and their sizes as
//! scales of shared shapes; models and folders are nodes without a transform.

mod animation;
mod avatars;
mod bones;
mod builder;
mod carried;
mod colors;
mod cords;
mod curves;
mod decals;
mod described;
mod emotes;
mod expressions;
mod faces;
mod interpolation;
mod joints;
mod keys;
mod knots;
mod lights;
mod look;
mod rigs;
mod select;
mod sequence;
mod shapes;
mod solid;
mod solids;
mod source;
mod surfaces;
mod terrain;
mod to_animation;
mod tree;
mod truss;

pub use carried::carried;
pub use described::{AnimationFacts, animations_in_binary, animations_in_xml};
pub use emotes::{RULES, check_animations};
pub use sequence::AnimationOptions;
pub use to_animation::{RBXM, RBXMX};

use builder::Builder;
use rbxblobs::terrain::STEPS;
use tree::Tree;

use super::model::Scene;
use crate::forms::{SceneOptions, Terrain};
use rezkit_core::Loss;
use rezkit_core::{Budget, Error, Result, Sources};

/// A binary document as a scene, and the losses. The documents in unions and the meshes that parts
/// refer to count against the memory that the options allow.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if nothing is at the path of the options,
/// [`Empty`](rezkit_core::ErrorKind::Empty) if there is nothing to draw: it lists what exists instead.
pub fn from_binary(
    document: &rbxbinary::Document,
    options: &SceneOptions,
    sources: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>)> {
    let budget = &mut Budget::new(options.max_bytes);
    let tree = source::of_binary(document, options.path.as_deref(), budget)?;
    build(tree, options, budget, sources)
}

/// An XML document as a scene, as [`from_binary`].
///
/// # Errors
/// As [`from_binary`].
pub fn from_xml(
    document: &rbxxml::Document,
    options: &SceneOptions,
    sources: &mut dyn Sources,
) -> Result<(Scene, Vec<Loss>)> {
    let budget = &mut Budget::new(options.max_bytes);
    let tree = source::of_xml(document, options.path.as_deref(), budget)?;
    build(tree, options, budget, sources)
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
        return Err(Error::argument(format!("expected a terrain step of {STEPS:?} voxels, found {step}")));
    }
    let rigs = rigs::animated(&mut tree, options.rig.as_ref(), budget)?;
    let mut builder = Builder::new(&tree, options, budget, sources, 0);
    builder.draw(&rigs);
    joints::build(&mut builder, &rigs);
    let faces = faces::build(&mut builder, &rigs);
    let heads = bones::build(&mut builder, &rigs, &faces);
    decals::build(&mut builder);
    animation::build(&mut builder, &rigs, &faces, &heads);
    select::list(&mut builder, &rigs)?;
    Ok(builder.finish())
}
