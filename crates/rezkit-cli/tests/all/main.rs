//! All tests of `rezkit` and its command line in one program, since each further program would link all crates again.

mod animations;
mod at_once;
mod attribute_refs;
mod attributes;
mod avatar_items;
mod blobs;
mod bvh;
mod cli;
mod cmd;
mod compared;
mod differences;
mod documents;
mod dropped;
mod edits;
mod every_option;
mod faces;
mod foreign;
mod foreign_limits;
#[cfg(unix)]
mod git;
mod gltf;
mod gltf_packed;
mod growth;
mod guide;
mod held;
mod images;
mod inside;
mod kept;
mod keyframes;
mod laws;
mod life;
mod limits;
mod loss_rules;
mod validate;

mod links;
mod llsd_json;
mod matrix;
mod merges;
mod model_parts;
mod motions;
mod opensim;
mod packing;
mod places;
mod playback;
mod project;
mod readme;
mod references;
mod retarget;
mod rigs;
mod rojo;
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
mod years;

use rezkit::scene::{Channel, Interpolation, Mesh, Node, Primitive, Scene, Values};
use rezkit::{Budget, ConvertOptions, Opened};

/// Opens a file that needs no other files.
#[track_caller]
fn open(bytes: impl AsRef<[u8]>, name: &str) -> Opened<'static> {
    rezkit::open(bytes.as_ref().to_vec(), name, ()).expect("readable")
}

/// What tests ask of open files.
trait Ask {
    /// The first file of a conversion to the form of this name.
    fn made(&mut self, name: &str) -> Vec<u8>;

    /// The same with options; and the texts of the losses.
    fn made_with(&mut self, name: &str, options: &ConvertOptions) -> (Vec<u8>, Vec<String>);

    /// The bytes of the file.
    fn written(&self) -> Vec<u8>;

    /// The text of the file.
    fn xml(&self) -> String;

    /// The text that is shown for a value, or the error.
    fn text(&self, path: &str) -> String;

    /// The class of an instance or the kind of another node.
    fn class(&self, path: &str) -> String;
}

impl Ask for Opened<'_> {
    #[track_caller]
    fn made(&mut self, name: &str) -> Vec<u8> {
        self.made_with(name, &ConvertOptions::new()).0
    }

    #[track_caller]
    fn made_with(&mut self, name: &str, options: &ConvertOptions) -> (Vec<u8>, Vec<String>) {
        let mut made = self.convert(None, name, options).expect(name);
        (made.files.remove(0).bytes, texts(&made.losses))
    }

    #[track_caller]
    fn written(&self) -> Vec<u8> {
        self.to_vec().expect("written")
    }

    #[track_caller]
    fn xml(&self) -> String {
        String::from_utf8(self.written()).expect("text")
    }

    fn text(&self, path: &str) -> String {
        self.get(path).map_or_else(|error| error.to_string(), |value| value.summary(400))
    }

    #[track_caller]
    fn class(&self, path: &str) -> String {
        self.nodes(path, 0).expect(path).kind.to_string()
    }
}

/// Reads a file as a scene. Returns the texts of the losses as well.
#[track_caller]
fn scene(bytes: impl AsRef<[u8]>, name: &str) -> (Scene, Vec<String>) {
    let (scene, losses) = open(bytes, name).scene(&Default::default()).expect("a scene");
    (scene, texts(&losses))
}

/// Options of a conversion with a change.
fn options(change: impl FnOnce(&mut ConvertOptions)) -> ConvertOptions {
    let mut options = ConvertOptions::new();
    change(&mut options);
    options
}

/// Linear keys of a node at these times.
fn channel(node: usize, times: &[f32], values: Values) -> Channel {
    Channel { node, times: times.to_vec(), values, interpolation: Interpolation::Linear }
}

/// Runs what takes too much memory: it is refused, and takes at most this many bytes. Returns the error.
#[track_caller]
fn limited<T>(most: u64, run: impl FnOnce() -> rezkit::Result<T>) -> rezkit::Error {
    let mut result = None;
    let taken = testkit::measure(|| result = Some(run())).bytes_max;
    let error = result.expect("it ran").map(drop).expect_err("too much memory");
    assert!(error.kind() == rezkit::ErrorKind::Limit && taken <= most, "{taken} of {most}: {error}");
    error
}

/// A binary document of these instances, with all their properties as given.
fn binary_of(instances: impl IntoIterator<Item = rbxbinary::NewInstance>) -> Vec<u8> {
    let mut document = rbxbinary::Document::new();
    for instance in instances {
        rbxbinary::edit::EditOptions::new()
            .as_given(true)
            .insert(&mut document, None, instance)
            .expect("inserted");
    }
    rbxbinary::to_vec(&document).expect("written")
}

/// A new instance with this name.
fn instance(class: &str, name: &str) -> rbxbinary::NewInstance {
    rbxbinary::NewInstance::new(class).property("Name", name)
}

/// Adds a node without a mesh.
fn add_node(scene: &mut Scene, above: Option<usize>, name: &str) -> usize {
    scene.add_node(above, Node { name: name.into(), ..Node::default() })
}

/// A mesh of these corners and triangles.
fn mesh(corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> geom::TriMesh {
    let positions = corners.iter().map(|&corner| corner.into()).collect();
    geom::TriMesh { positions, triangles: triangles.to_vec(), ..geom::TriMesh::default() }
}

/// A tetrahedron of this size.
fn tetrahedron(size: f32) -> geom::TriMesh {
    let corners = [[0.0; 3], [size, 0.0, 0.0], [0.0, size, 0.0], [0.0, 0.0, size]];
    mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// A PNG file of two by two pixels of this colour.
fn png(color: [u8; 4]) -> Vec<u8> {
    use rezkit::scene::images;
    images::png(&images::Picture::new(2, 2, color)).expect("a PNG")
}

/// Adds a node with a mesh of one primitive.
fn add_mesh(scene: &mut Scene, name: &str, mesh: geom::TriMesh) -> usize {
    let primitives = vec![Primitive::new(mesh, None)];
    let mesh = Some(scene.add_mesh(Mesh { primitives, ..Mesh::default() }));
    scene.add_node(None, Node { name: name.into(), mesh, ..Node::default() })
}

/// More memory than a test needs.
fn budget() -> Budget {
    Budget::new(1 << 30)
}

/// Checks that each number is as wanted, with a difference below `most`.
#[track_caller]
fn near(what: impl std::fmt::Display, found: &[f32], wanted: &[f32], most: f32) {
    let is_near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < most);
    assert!(is_near && found.len() == wanted.len(), "{what}: {found:?}, not {wanted:?}");
}

/// Checks that a text is a part of one of the losses.
#[track_caller]
fn has(losses: &[impl ToString], text: &str) {
    let losses = texts(losses);
    assert!(losses.iter().any(|loss| loss.contains(text)), "{text:?} is not in {losses:?}");
}

/// Reads a file as a scene with these options.
fn scene_of(
    bytes: &[u8],
    name: &str,
    options: &rezkit::SceneOptions,
    sources: &mut (dyn rezkit::Sources + Send),
) -> rezkit::Result<(Scene, Vec<rezkit::Loss>)> {
    let sources = |reference: &rezkit::Reference, max_bytes: u64| sources.get(reference, max_bytes);
    let read = rezkit::ReadOptions::new().max_bytes(options.max_bytes);
    read.open(bytes.to_vec(), name, sources)?.scene(options)
}

/// The texts of losses.
fn texts(losses: &[impl ToString]) -> Vec<String> {
    losses.iter().map(ToString::to_string).collect()
}

/// A scene as a binary glTF file, and what it lost.
fn glb(scene: &Scene) -> (Vec<u8>, Vec<rezkit::Loss>) {
    rezkit::scene::gltf::to_glb(scene, &mut budget()).expect("a scene for glTF")
}

/// Reads a glTF file without files beside it.
fn from_gltf(bytes: &[u8]) -> rezkit::Result<(Scene, Vec<rezkit::Loss>)> {
    rezkit::scene::gltf::from_slice(bytes, &mut budget(), &mut |_, _| Ok(None))
}

/// The kind of file with this name.
fn kind(name: &str) -> &'static rezkit::FileType {
    rezkit::FILE_TYPES.iter().find(|kind| kind.name == name).expect("a kind")
}

/// The writer of scenes for a kind of file.
fn writer(name: &str) -> &'static rezkit::scene::SceneWriter {
    kind(name).writer.expect("written of scenes")
}

// Items that the modules in `inside` import from `crate`.
use inside::{serial, tree};
