//! All tests of `rezkit` and its command line in one program, since each further program would link all crates again.

mod animations;
mod at_once;
mod attribute_refs;
mod attributes;
mod blobs;
mod bvh;
mod cli;
mod cmd;
mod compared;
mod differences;
mod documents;
mod door;
mod dropped;
mod edits;
mod every_option;
mod faces;
mod foreign;
mod foreign_limits;
mod gltf;
mod gltf_packed;
mod growth;
mod guide;
mod held;
mod images;
mod inside;
mod kept;
mod keyframes;
mod limits;

mod links;
mod llsd_json;
mod matrix;
mod merges;
mod motions;
mod not_assets;
mod opensim;
mod places;
mod played;
mod project;
mod readme;
mod references;
mod rigs;
mod run;
mod safety;
mod scene;
mod schema;
mod scripts;
mod secondlife;
mod selectors;
mod solids;
mod twins;
mod xml;

/// Reads a file as a scene with these options.
fn scene_of(
    bytes: &[u8],
    name: &str,
    options: &rezkit::SceneOptions,
    sources: &mut (dyn rezkit::Sources + Send),
) -> rezkit::Made {
    let sources = |reference: &rezkit::Reference, max_bytes: u64| sources.get(reference, max_bytes);
    let read = rezkit::ReadOptions::new().max_bytes(options.max_bytes);
    read.open(bytes.to_vec(), name, sources)?.scene(options)
}

/// The texts of losses.
fn texts(losses: &[rezkit::Loss]) -> Vec<String> {
    losses.iter().map(ToString::to_string).collect()
}

/// A scene as a binary glTF file, and what it lost.
fn glb(scene: &rezkit::scene::Scene) -> (Vec<u8>, Vec<rezkit::Loss>) {
    rezkit::scene::gltf::to_glb(scene, &mut rezkit::Budget::new(1 << 30)).expect("a scene for glTF")
}

/// Reads a glTF file without files beside it.
fn from_gltf(bytes: &[u8]) -> rezkit::Result<(rezkit::scene::Scene, Vec<rezkit::Loss>)> {
    rezkit::scene::gltf::from_slice(bytes, &mut rezkit::Budget::new(1 << 30), &mut |_, _| Ok(None))
}

/// The kind of file with this name.
fn kind(name: &str) -> &'static rezkit::Kind {
    rezkit::KINDS.iter().find(|kind| kind.name == name).expect("a kind")
}

/// The writer of scenes for a kind of file.
fn writer(name: &str) -> &'static rezkit::scene::SceneWriter {
    kind(name).writer.expect("written of scenes")
}

// Items that the modules in `inside` import from `crate`.
use inside::{serial, tree};
