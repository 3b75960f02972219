//! Shapes: parametric surfaces.

use bstr::BString;

use super::{BoneId, ShapeId, TexCoordId, VertexId};
use crate::consts::{ArgKind, CommandId};
use geom::wire::{Counted, Error, Problem, Refuse as _, Result};

/// A shape: chunk `SHPE`. If a model has shapes, programs should show them instead of the meshes.
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
    /// Its id; [`CommandId::args`] returns the kinds of the required arguments.
    pub id: CommandId,
    /// Its arguments. If the command repeats its arguments ([`CommandId::is_variadic`]), those of all rounds, one after
    /// the other; [`Command::rounds`] returns the number of rounds.
    pub args: Vec<Arg>,
}

/// An argument of a command. Numbers are compared by bits.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Arg {
    /// The name of a material; empty for no material.
    Material(BString),
    /// A shape.
    Shape(ShapeId),
    /// A texture coordinate, or an entry of that list used as two other numbers, such as a range.
    TexCoord(TexCoordId),
    /// A vertex.
    Vertex(VertexId),
    /// A vertex that is a quaternion.
    Quaternion(VertexId),
    /// A number as precise as the model's coordinates; lengths are in units of the bounding cube.
    Coord(f64),
    /// An integer. If the file stores it in one or two bytes, it cannot be below -2.
    Int(i32),
    /// All bytes up to the end of the chunk, for an unknown command, whose length is unknown too.
    Other(Vec<u8>),
}

impl PartialEq for Arg {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Material(a), Self::Material(b)) => a == b,
            (Self::Shape(a), Self::Shape(b)) => a == b,
            (Self::TexCoord(a), Self::TexCoord(b)) => a == b,
            (Self::Vertex(a), Self::Vertex(b)) | (Self::Quaternion(a), Self::Quaternion(b)) => a == b,
            (Self::Coord(a), Self::Coord(b)) => a.to_bits() == b.to_bits(),
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Other(a), Self::Other(b)) => a == b,
            _ => false,
        }
    }
}

impl Arg {
    /// An argument whose kind is an index or a whole number.
    pub(crate) fn of_index(kind: ArgKind, index: u32) -> Self {
        match kind {
            ArgKind::Shape => Self::Shape(ShapeId(index)),
            ArgKind::TexCoord => Self::TexCoord(TexCoordId(index)),
            ArgKind::Vertex => Self::Vertex(VertexId(index)),
            ArgKind::Quaternion => Self::Quaternion(VertexId(index)),
            _ => Self::Int(index.cast_signed()),
        }
    }

    fn is(&self, kind: ArgKind) -> bool {
        match self {
            Self::Material(_) => kind == ArgKind::Material,
            Self::Coord(_) => matches!(kind, ArgKind::Coord | ArgKind::Length),
            Self::Int(_) => matches!(kind, ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4),
            Self::Shape(_) => kind == ArgKind::Shape,
            Self::TexCoord(_) => kind == ArgKind::TexCoord,
            Self::Vertex(_) => kind == ArgKind::Vertex,
            Self::Quaternion(_) => kind == ArgKind::Quaternion,
            Self::Other(_) => false,
        }
    }

    /// The name of its variant.
    fn name(&self) -> &'static str {
        match self {
            Self::Material(_) => "Material",
            Self::Shape(_) => "Shape",
            Self::TexCoord(_) => "TexCoord",
            Self::Vertex(_) => "Vertex",
            Self::Quaternion(_) => "Quaternion",
            Self::Coord(_) => "Coord",
            Self::Int(_) => "Int",
            Self::Other(_) => "Other",
        }
    }

    /// The name of the variant for a kind.
    fn name_of(kind: ArgKind) -> &'static str {
        match kind {
            ArgKind::Material => "Material",
            ArgKind::Shape => "Shape",
            ArgKind::TexCoord => "TexCoord",
            ArgKind::Vertex => "Vertex",
            ArgKind::Quaternion => "Quaternion",
            ArgKind::Coord | ArgKind::Length => "Coord",
            ArgKind::Int1 | ArgKind::Int2 | ArgKind::Int4 => "Int",
        }
    }
}

impl Command {
    /// How often its arguments are repeated, and the kinds of one round; no kinds for an unknown command. Fails if the
    /// arguments do not match the command.
    #[doc(hidden)]
    pub fn writable(&self) -> Result<(u32, &'static [ArgKind])> {
        if self.id.0 > 0x7fff {
            let what = format!("a shape command whose id is {} (expected at most 32767)", self.id.0);
            return Err(Error::unwritable("", what));
        }
        let Some(kinds) = self.id.args() else {
            return match &self.args[..] {
                [Arg::Other(_)] => Ok((1, &[])),
                _ => Err(Error::unwritable(
                    "args",
                    format!(
                        "the arguments of the unknown shape command {} (expected exactly one `Arg::Other`)",
                        self.id.0
                    ),
                )),
            };
        };
        let key = self.id.key().unwrap_or_default();
        let rounds = self.rounds().unwrap_or(1);
        if rounds.checked_mul(kinds.len()) != Some(self.args.len()) {
            let found = Counted::new(self.args.len(), "arguments");
            let multiple = if self.id.is_variadic() { "a multiple of " } else { "" };
            let what = format!("{found} for the shape command `{key}` (expected {multiple}{})", kinds.len());
            return Err(Error::unwritable("args", what));
        }
        let mut args = self.args.iter().zip(kinds.iter().cycle()).enumerate();
        if let Some((index, (arg, &kind))) = args.find(|(_, (arg, kind))| !arg.is(**kind)) {
            let (found, wanted) = (arg.name(), Arg::name_of(kind));
            let what = format!(
                "an `Arg::{found}` as an argument of the shape command `{key}` (expected an `Arg::{wanted}`)"
            );
            return Err(Error::unwritable(format!("args[{index}]"), what));
        }
        Ok((Problem::fit("rounds of arguments", rounds, u32::MAX).unwritable("args")?, kinds))
    }

    /// The number of repetitions of a variadic command's arguments; `None` if it is not variadic.
    pub fn rounds(&self) -> Option<usize> {
        let round = self.id.round_len().filter(|_| self.id.is_variadic())?;
        self.args.len().checked_div(round)
    }
}
