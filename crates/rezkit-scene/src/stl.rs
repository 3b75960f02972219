//! STL: triangles without vertices in common, binary or text.
//!
//! STL names neither axes nor units: coordinates are taken as they are.

use crate::features::Feature;
use crate::forms::{SceneForm, SceneFormat};
use rezkit_core::{Error, Result};
use std::io::Cursor;

use geom::TriMesh;
use stl_io::{Normal, Triangle, Vertex};

use crate::model::{Mesh, Node, Primitive, Scene};
use rezkit_core::Budget;
use rezkit_core::Loss;

/// What it keeps of a scene.
const KEEPS: &[Feature] = &[Feature::Size];

pub(crate) static FORMAT: SceneFormat = SceneFormat {
    name: "stl",
    title: "STL",
    extensions: &["stl"],
    forms: &[SceneForm {
        name: "stl",
        title: "STL, binary",
        keeps: KEEPS,
        has_meshes: true,
        has_nodes: false,
        write: |scene, writing| {
            let (bytes, losses) = to_vec(scene)?;
            writing.losses.extend(losses);
            Ok(bytes)
        },
    }],
    // The binary form begins with any 80 bytes.
    detect: |_| false,
    read: |reading| from_slice(reading.bytes, reading.budget),
};

/// A scene with one mesh. Equal positions become one vertex.
///
/// # Errors
/// Where this is not an STL file, it ends too early, or it needs more memory than the budget allows.
pub fn from_slice(bytes: &[u8], budget: &mut Budget) -> Result<Scene> {
    // The library keeps a triangle, three vertices and their places in a table for 50 bytes.
    budget.take(bytes.len() as u64 * 12, "a mesh")?;
    let stl = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(Error::unreadable)?;
    let narrow = |index: usize| {
        u32::try_from(index).map_err(|_| Error::unreadable("more vertices than 32 bits can count"))
    };
    let positions = stl.vertices.iter().map(|vertex| vertex.0.into()).collect();
    let mut mesh = TriMesh { positions, ..TriMesh::default() };
    for face in &stl.faces {
        let [a, b, c] = face.vertices;
        mesh.triangles.push([narrow(a)?, narrow(b)?, narrow(c)?]);
    }
    let mut scene = Scene::default();
    let mesh = scene.add_mesh(Mesh {
        primitives: vec![Primitive { mesh: mesh.into(), ..Primitive::default() }],
        ..Mesh::default()
    });
    scene.add_node(None, Node { mesh: Some(mesh), ..Node::default() });
    Ok(scene)
}

/// All triangles of a scene as binary STL. Texture coordinates, colours, materials, skins and
/// animations have no counterpart and are listed.
///
/// # Errors
/// Where writing fails.
pub fn to_vec(scene: &Scene) -> Result<(Vec<u8>, Vec<Loss>)> {
    let mut triangles = Vec::new();
    let losses = scene.losses_but(KEEPS);
    for primitive in scene.flattened() {
        let mesh = &primitive.mesh;
        for triangle in &mesh.triangles {
            let corners = triangle.map(|index| glam::Vec3::from(mesh.positions[index as usize].to_array()));
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            triangles.push(Triangle {
                normal: Normal::new(normal.to_array()),
                vertices: corners.map(|corner| Vertex::new(corner.to_array())),
            });
        }
    }
    let mut bytes = Vec::new();
    stl_io::write_stl(&mut bytes, triangles.iter()).map_err(Error::unwritable)?;
    Ok((bytes, losses))
}
