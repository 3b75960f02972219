//! Places and models of Roblox as scenes.
//!
//! Axes are glTF's: right-handed, y up. A stud is a unit of the scene; front is -z, so that a
//! character is seen from its back. Parts have the transforms of their CFrames, and their sizes as
//! scales of shared shapes; models and folders are nodes without a transform.

mod animation;
mod assets;
mod bones;
mod builder;
mod colors;
mod decals;
mod joints;
mod lights;
mod look;
mod rigs;
mod shapes;
mod source;
mod tree;

pub use assets::AssetRef;
use builder::Builder;
pub use builder::Resolve;
use tree::Tree;

use super::model::{Loss, Scene};
use crate::limits::Budget;
use crate::options::ReadOptions;

/// A binary document as a scene, and what it could not show. The documents in unions and the meshes that parts
/// refer to may allocate as much as the options allow a read.
pub fn from_binary(
    document: &rbxbinary::Document,
    options: &ReadOptions,
    resolve: &mut Resolve<'_>,
) -> (Scene, Vec<Loss>) {
    build(&source::of_binary(document), options, resolve)
}

/// An XML document as a scene, as [`from_binary`].
pub fn from_xml(
    document: &rbxxml::Document,
    options: &ReadOptions,
    resolve: &mut Resolve<'_>,
) -> (Scene, Vec<Loss>) {
    build(&source::of_xml(document), options, resolve)
}

fn build(tree: &Tree, options: &ReadOptions, resolve: &mut Resolve<'_>) -> (Scene, Vec<Loss>) {
    let rigs = rigs::animated(tree);
    let mut builder = Builder::new(tree, Budget::new(options), resolve, 0);
    builder.draw(&rigs);
    joints::build(&mut builder, &rigs);
    bones::build(&mut builder, &rigs);
    decals::build(&mut builder);
    animation::build(&mut builder, &rigs);
    builder.finish()
}
