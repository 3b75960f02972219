//! All tests in one program, since each further program would link all crates again.

#![allow(clippy::cast_possible_truncation, reason = "as in the library; the models of tests are small")]

mod check;
mod inside;
mod land_impact;
mod simplify;
mod sl;

use rezkit_scene::{Budget, Mesh, Node, Primitive, Scene};

/// A mesh of these corners and triangles.
fn mesh(corners: &[[f32; 3]], triangles: &[[u32; 3]]) -> geom::TriMesh {
    let positions = corners.iter().map(|&corner| corner.into()).collect();
    geom::TriMesh { positions, triangles: triangles.to_vec(), ..geom::TriMesh::default() }
}

/// A closed tetrahedron that begins at this place on the x axis.
fn tetrahedron(x: f32) -> geom::TriMesh {
    let corners = [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]];
    mesh(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
}

/// Adds a node with a mesh of these primitives.
fn add(scene: &mut Scene, name: &str, primitives: Vec<Primitive>) -> usize {
    let mesh = Some(scene.add_mesh(Mesh { name: name.into(), primitives, ..Mesh::default() }));
    scene.add_node(None, Node { name: name.into(), mesh, ..Node::default() })
}

fn budget() -> Budget {
    Budget::new(1 << 30)
}

// Items that the modules in `inside` import from `crate`.
use inside::{bvh, connected, cost, rules};
use rezkit_upload::simplify;
