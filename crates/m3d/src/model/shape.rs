//! Shapes: surfaces by formula.

use bstr::BString;

use super::{BoneId, ShapeId, TexCoordId, VertexId};
use crate::consts::CommandId;

/// A shape: chunk `SHPE`. Where there are shapes, they are what is to be shown, not the meshes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Shape {
    /// Its name.
    pub name: BString,
    /// The bone that moves it.
    pub group: BoneId,
    /// Its commands.
    pub commands: Vec<Command>,
}

/// A command of a shape with its arguments.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Command {
    /// Which; [`CommandId::args`] are the arguments that it wants.
    pub id: CommandId,
    /// Its arguments. Where the command repeats its arguments ([`CommandId::is_variadic`]), these
    /// are all of them, round by round; how often is `args.len()` by the length of a round.
    pub args: Vec<Arg>,
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Arg {
    /// The name of a material; empty for no material.
    Material(BString),
    /// A shape.
    Shape(ShapeId),
    /// A texture coordinate, or two other numbers: a range.
    TexCoord(TexCoordId),
    /// A vertex.
    Vertex(VertexId),
    /// A vertex that is a quaternion.
    Quaternion(VertexId),
    /// A number as precise as the model's coordinates; lengths are in units of the bounding cube.
    Coord(f64),
    /// A whole number. In one or two bytes the file knows 0 and up, and -1 and -2.
    Int(i32),
    /// The rest of the chunk, for a command that this crate does not know: its length is unknown.
    Other(Vec<u8>),
}

impl Command {
    /// How often a variadic command repeats its arguments; `None` where it is not variadic.
    pub fn rounds(&self) -> Option<usize> {
        let round = self.id.round_len().filter(|_| self.id.is_variadic())?;
        self.args.len().checked_div(round)
    }
}
