//! Evaluates shapes: surfaces as triangles, curves as polylines, in metres.

mod basis;
mod divide;
mod evaluate;
mod patch;
mod polygon;
mod solid;
mod space;
mod tube;

use std::borrow::Cow;

use bstr::BStr;
use geom::{TriMesh, Vec3};
use m3d::{CommandId, ErrorKind, Model, Result, ShapeId, ViewBudget, ViewOptions, product};

/// The reason for omitting a command, as the middle of a sentence.
type Why = Cow<'static, str>;

#[derive(Debug)]
enum Stop {
    /// The command is omitted.
    LeftOut(Why),
    /// A limit of the options is reached: nothing more is evaluated.
    Limit(ErrorKind),
}

/// Refuses positions that 32-bit floats cannot represent.
fn in_range(positions: &[geom::Vec3]) -> Result<(), Stop> {
    let is_finite = |position: &geom::Vec3| position.to_array().iter().all(|part| part.is_finite());
    match positions.iter().all(is_finite) {
        true => Ok(()),
        false => Err("the result has a position beyond the range of 32-bit floats".into()),
    }
}

impl From<&'static str> for Stop {
    fn from(why: &'static str) -> Self {
        Self::LeftOut(why.into())
    }
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::LeftOut(why.into())
    }
}

impl From<ErrorKind> for Stop {
    fn from(limit: ErrorKind) -> Self {
        Self::Limit(limit)
    }
}

/// Charges a mesh before it is created: points with a normal and a texture coordinate, and triangles.
fn charge(work: &ViewBudget, points: u64, triangles: u64) -> Result<(), ErrorKind> {
    work.vertices(points)?;
    work.steps(product([points, 8]))?;
    work.steps(triangles)?;
    work.bytes(product([points, 64]))?;
    work.bytes(product([triangles, 24]))
}

/// The results of a shape's commands, and the omissions.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Evaluated<'m> {
    /// The surfaces, in the order of their commands.
    pub surfaces: Vec<Surface<'m>>,
    /// The curves, in the order of their commands.
    pub curves: Vec<Curve<'m>>,
    /// Commands that were not evaluated, or not as the format defines, with the reason. Each is listed once, however
    /// often its shape is included.
    pub left_out: Vec<LeftOut>,
}

/// A surface as triangles.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surface<'m> {
    /// The shape that has the command; it may be a shape that the requested one includes.
    pub shape: ShapeId,
    /// The index of the command in its shape.
    pub command: usize,
    /// The name of the current material; empty if none is set.
    pub material: &'m BStr,
    /// The triangles, in metres, counter-clockwise seen from outside; v grows downwards.
    pub mesh: TriMesh,
}

/// A curve as a polyline.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Curve<'m> {
    /// The shape that has the command.
    pub shape: ShapeId,
    /// The index of the command in its shape.
    pub command: usize,
    /// The name of the current material; empty if none is set.
    pub material: &'m BStr,
    /// Whether the curve only trims surfaces and should not be shown.
    pub helper: bool,
    /// Its points in order, in metres.
    pub points: Vec<Vec3>,
}

/// A command that was not evaluated, or not as the format defines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The shape that has the command.
    pub shape: ShapeId,
    /// The index of the command in its shape.
    pub command: usize,
    /// The command.
    pub id: CommandId,
    /// Whether the command was evaluated, but not as the format defines.
    pub is_changed: bool,
    /// The reason.
    pub why: Cow<'static, str>,
}

/// The path of a command in its model.
pub(crate) fn path(shape: ShapeId, command: usize) -> String {
    format!("shapes[{}].commands[{command}]", shape.0)
}

impl LeftOut {
    /// The keyword of the command.
    pub(crate) fn key(&self) -> &'static str {
        self.id.key().unwrap_or("unknown command")
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {}: {}", self.key(), path(self.shape, self.command), self.why)
    }
}

impl Evaluated<'_> {
    /// All surfaces as one mesh. It has normals, or texture coordinates, only if all surfaces do.
    // No budget: it is a copy of the surfaces.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let mut all = TriMesh::default();
        let normals = self.surfaces.iter().all(|surface| !surface.mesh.normals.is_empty());
        let uvs = self.surfaces.iter().all(|surface| !surface.mesh.uvs.is_empty());
        for Surface { mesh, .. } in &self.surfaces {
            // The limit of the options is far below the greatest index. In meshes that were changed since, an index
            // that is out of range stays so.
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

/// The usual number of pieces per span of a curve or surface, or per half turn of a round shape, if no command sets it.
pub const DIVISIONS: u32 = 16;

/// Evaluates a shape: its surfaces and curves, and the omissions. `divisions` is the number of pieces per span if no
/// command sets it; [`DIVISIONS`] is usual.
///
/// # Errors
/// If the model does not have the shape, and if the limits do not suffice.
pub fn evaluate<'m>(
    model: &'m Model,
    shape: ShapeId,
    divisions: u32,
    limits: &ViewOptions,
) -> Result<Evaluated<'m>> {
    limits.run(|work| evaluate::evaluate(model, shape, divisions, work))
}

/// Evaluates all shapes, in the order of the model. If there are any, the format requires showing them instead of
/// the polygons.
///
/// # Errors
/// If the limits do not suffice for all of them together.
pub fn evaluate_all<'m>(model: &'m Model, limits: &ViewOptions) -> Result<Vec<Evaluated<'m>>> {
    limits.run(|work| {
        let mut all = Vec::new();
        for shape in 0..model.shapes.len() {
            work.push(&mut all, evaluate::evaluate(model, ShapeId::new(shape), DIVISIONS, work)?)?;
        }
        Ok(all)
    })
}
