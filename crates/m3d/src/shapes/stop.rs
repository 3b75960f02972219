//! Why the evaluation of a command stops.

use std::borrow::Cow;

use crate::error::ErrorKind;
use crate::work::Work;

/// Why a command is left out, as the middle of a sentence.
pub(super) type Why = Cow<'static, str>;

/// Why the evaluation of a command stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// The command is left out.
    LeftOut(Why),
    /// A limit of the options: nothing more is evaluated.
    Limit(ErrorKind),
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

/// Charges a mesh before it is made: points with a normal and a texture coordinate, and triangles.
pub(super) fn charge(work: &Work, points: u64, triangles: u64) -> Result<(), ErrorKind> {
    work.points(points)?;
    work.steps(points.saturating_mul(8).saturating_add(triangles))?;
    work.bytes(points.saturating_mul(64).saturating_add(triangles.saturating_mul(24)))
}
