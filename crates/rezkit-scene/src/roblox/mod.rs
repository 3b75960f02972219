//! Places and models of Roblox as scenes.
//!
//! Axes are glTF's: right-handed, y up. A stud is a unit of the scene; front is -z, so that a
//! character is seen from its back. Parts have the transforms of their CFrames, and their sizes as
//! scales of shared shapes; models and folders are nodes without a transform.

mod animation;
mod bones;
mod builder;
mod colors;
mod decals;
mod joints;
mod lights;
mod look;
mod rigs;
mod shapes;
mod solids;
mod source;
mod terrain;
mod tree;

use builder::Builder;
use tree::Tree;

use super::model::Scene;
use crate::forms::SceneFormat;
use rezkit_core::Loss;
use rezkit_core::{Budget, Sources};

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "roblox",
    title: "Roblox model or place",
    extensions: &["rbxm", "rbxl", "rbxmx", "rbxlx"],
    forms: &[],
    detect: |bytes| rbxbinary::detect(bytes).is_some() || rbxxml::detect(bytes).is_some(),
    read: |reading| {
        let left = reading.budget.left();
        let tree = match rbxbinary::detect(reading.bytes) {
            Some(_) => source::of_binary(&rbxbinary::ReadOptions::new().max_bytes(left).read(reading.bytes)?),
            None => source::of_xml(&rbxxml::ReadOptions::new().max_bytes(left).read(reading.bytes)?),
        };
        let (scene, losses) = build(&tree, reading.budget, reading.sources);
        reading.losses.extend(losses);
        Ok(scene)
    },
};

/// A binary document as a scene, and what it could not show. The documents in unions and the meshes that parts
/// refer to take from the budget.
pub fn from_binary(
    document: &rbxbinary::Document,
    budget: &mut Budget,
    sources: &mut dyn Sources,
) -> (Scene, Vec<Loss>) {
    build(&source::of_binary(document), budget, sources)
}

/// An XML document as a scene, as [`from_binary`].
pub fn from_xml(
    document: &rbxxml::Document,
    budget: &mut Budget,
    sources: &mut dyn Sources,
) -> (Scene, Vec<Loss>) {
    build(&source::of_xml(document), budget, sources)
}

fn build(tree: &Tree, budget: &mut Budget, sources: &mut dyn Sources) -> (Scene, Vec<Loss>) {
    let rigs = rigs::animated(tree);
    let mut builder = Builder::new(tree, budget, sources, 0);
    builder.draw(&rigs);
    joints::build(&mut builder, &rigs);
    bones::build(&mut builder, &rigs);
    decals::build(&mut builder);
    animation::build(&mut builder, &rigs);
    builder.finish()
}
