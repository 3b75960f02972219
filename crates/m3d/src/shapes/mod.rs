//! Shapes evaluated: surfaces as triangles, curves as polylines.

mod basis;
mod divide;
mod evaluate;
mod options;
mod patch;
mod polygon;
mod settings;
mod solid;
mod space;
mod tube;

use std::borrow::Cow;

use bstr::BString;
use geom::{TriMesh, Vec3};

use crate::consts::CommandId;
use crate::model::{Model, ShapeId};
pub use options::ShapeOptions;

/// What the commands of a shape give, and what was left out.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Evaluated {
    /// The surfaces, in the order of their commands.
    pub surfaces: Vec<Surface>,
    /// The curves, in the order of their commands.
    pub curves: Vec<Curve>,
    /// What was not evaluated, or not as the command says, and why.
    pub left_out: Vec<LeftOut>,
}

/// A surface as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// The shape that has the command: another one than was asked for where that is included.
    pub shape: ShapeId,
    /// The place of the command in its shape.
    pub command: usize,
    /// The name of the material in force; empty for none.
    pub material: BString,
    /// The triangles, counter-clockwise seen from outside.
    pub mesh: TriMesh,
}

/// A curve as a polyline.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Curve {
    /// The shape that has the command.
    pub shape: ShapeId,
    /// The place of the command in its shape.
    pub command: usize,
    /// The name of the material in force; empty for none.
    pub material: BString,
    /// Whether it is only there for trimming surfaces, and not to be shown.
    pub helper: bool,
    /// Its points, in order.
    pub points: Vec<Vec3>,
}

/// A command that was not evaluated, or not as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The shape that has the command.
    pub shape: ShapeId,
    /// The place of the command in its shape.
    pub command: usize,
    /// The command.
    pub id: CommandId,
    /// Why, as the middle of a sentence.
    pub why: Cow<'static, str>,
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { shape, command, id, why } = self;
        let key = id.key().unwrap_or("unknown command");
        write!(f, "{key} in shapes[{}].commands[{command}]: {why}", shape.0)
    }
}

impl Evaluated {
    /// All surfaces as one mesh. It has normals, or texture coordinates, only where all surfaces do.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let mut all = TriMesh::default();
        let normals = self.surfaces.iter().all(|surface| !surface.mesh.normals.is_empty());
        let uvs = self.surfaces.iter().all(|surface| !surface.mesh.uvs.is_empty());
        for Surface { mesh, .. } in &self.surfaces {
            // The bound of the options is far below what an index can say.
            let first = u32::try_from(all.positions.len()).unwrap_or(u32::MAX);
            all.positions.extend_from_slice(&mesh.positions);
            if normals {
                all.normals.extend_from_slice(&mesh.normals);
            }
            if uvs {
                all.uvs.extend_from_slice(&mesh.uvs);
            }
            let moved =
                mesh.triangles.iter().map(|triangle| triangle.map(|index| index.saturating_add(first)));
            all.triangles.extend(moved);
        }
        all
    }
}

impl Model {
    /// Evaluates a shape with the default options.
    pub fn evaluate_shape(&self, shape: ShapeId) -> Evaluated {
        ShapeOptions::new().evaluate(self, shape)
    }
}
