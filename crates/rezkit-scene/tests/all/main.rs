//! All tests in one program, since each further program would link all crates again.

mod dae;
mod dangling;
mod fbx;
mod inside;
mod listed;
mod losses;
mod m3d_losses;
mod material;
mod motions;
mod polygons;
mod roblox_curves;
mod roblox_effort;
mod roblox_keyframes;
mod roblox_losses;
mod roblox_meshes;
mod roblox_rigs;
mod roblox_terrain;
mod sl_losses;
mod texts;
mod unions;
mod vox;
mod written;

// As in the library.
use inside::reduction;

use rezkit_scene::{
    Budget, Channel, Interpolation, Loss, Mesh, Node, Primitive, Reference, Result, Scene, SceneOptions,
    Values,
};

/// Losses, each with its kind.
pub(crate) fn shown(losses: &[Loss]) -> Vec<String> {
    losses.iter().map(|loss| format!("{}: {loss}", loss.kind.label())).collect()
}

/// Enough memory.
pub(crate) fn budget() -> Budget {
    Budget::new(1 << 26)
}

/// Checks that each number is as wanted, with a difference below `most`.
#[track_caller]
pub(crate) fn near(what: impl std::fmt::Display, found: &[f32], wanted: &[f32], most: f32) {
    let is_near = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < most);
    assert!(is_near && found.len() == wanted.len(), "{what}: {found:?}, not {wanted:?}");
}

/// Checks that a text is a part of one of the losses.
#[track_caller]
pub(crate) fn has(losses: &[impl ToString], text: &str) {
    let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert!(losses.iter().any(|loss| loss.contains(text)), "{text:?} is not in {losses:?}");
}

/// A mesh of these corners and triangles.
pub(crate) fn mesh(corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> geom::TriMesh {
    let positions = corners.iter().map(|&corner| corner.into()).collect();
    geom::TriMesh { positions, triangles: triangles.to_vec(), ..geom::TriMesh::default() }
}

pub(crate) fn tetrahedron() -> geom::TriMesh {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// Adds a node with a mesh.
pub(crate) fn add(scene: &mut Scene, name: &str, mesh: geom::TriMesh, skin: Option<usize>) -> usize {
    let mesh = scene.add_mesh(Mesh { primitives: vec![Primitive::new(mesh, None)], ..Mesh::default() });
    scene.add_node(None, Node { name: name.into(), mesh: Some(mesh), skin, ..Node::default() })
}

/// A quarter turn of a node in a time.
pub(crate) fn turned(node: usize, end: f32) -> Channel {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let values = Values::Rotation(vec![[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]]);
    Channel { node, times: vec![0.0, end], values, interpolation: Interpolation::Linear }
}

/// A Model 3D file as a scene, without files beside it.
pub(crate) fn of_model(text: &str) -> (Scene, Vec<Loss>) {
    let model = ::m3d::from_str(text).expect("a model");
    rezkit_scene::m3d::to_scene(&model, &mut budget(), &mut |_, _| Ok(None)).expect("a scene")
}

/// An instance with properties and children, to which others refer by its name.
pub(crate) fn item(class: &str, name: &str, properties: &str, children: &str) -> String {
    let properties = field("string", "Name", name) + properties;
    format!(
        "<Item class=\"{class}\" referent=\"{name}\"><Properties>{properties}</Properties>{children}</Item>"
    )
}

/// A property in an element without fields.
pub(crate) fn field(element: &str, name: &str, value: impl std::fmt::Display) -> String {
    format!("<{element} name=\"{name}\">{value}</{element}>")
}

pub(crate) fn vector(name: &str, size: f32) -> String {
    format!("<Vector3 name=\"{name}\"><X>{size}</X><Y>{size}</Y><Z>{size}</Z></Vector3>")
}

/// A CFrame with its position and the rows of its rotation.
pub(crate) fn cframe(name: &str, [x, y, z]: [f32; 3], rows: [f32; 9]) -> String {
    let cell =
        |at: usize| format!("<R{row}{column}>{}</R{row}{column}>", rows[at], row = at / 3, column = at % 3);
    let cells: String = (0..9).map(cell).collect();
    format!("<CoordinateFrame name=\"{name}\"><X>{x}</X><Y>{y}</Y><Z>{z}</Z>{cells}</CoordinateFrame>")
}

/// A CFrame that rotates nothing.
pub(crate) fn frame(name: &str, y: f32) -> String {
    cframe(name, [0.0, y, 0.0], [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])
}

pub(crate) fn document(items: &str) -> rbxxml::Document {
    rbxxml::from_str(&format!("<roblox version=\"4\">{items}</roblox>")).expect("a document")
}

/// A Roblox document as a scene, without other files.
pub(crate) fn of_document(document: &dyn rbxcore::Dom, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
    rezkit_scene::roblox::from_document(document, options, &mut |_: &Reference, _: u64| Ok(None))
}

/// The same with the default options.
#[track_caller]
pub(crate) fn scene_of(document: &dyn rbxcore::Dom) -> (Scene, Vec<Loss>) {
    of_document(document, &SceneOptions::default()).expect("a scene")
}

/// Whether each edge belongs to two triangles, in opposite directions.
pub(crate) fn is_watertight(mesh: &geom::TriMesh) -> bool {
    let point = |index: u32| mesh.positions[index as usize].to_array().map(|axis| (axis + 0.0).to_bits());
    let mut edges = std::collections::HashMap::new();
    for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(point)) {
        for [from, to] in [[a, b], [b, c], [c, a]].into_iter().filter(|[from, to]| from != to) {
            *edges.entry([from.min(to), from.max(to)]).or_insert(0) += if from < to { 1 } else { -1 };
        }
    }
    edges.values().all(|count| *count == 0)
}
