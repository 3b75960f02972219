//! How to evaluate.

use super::{Evaluated, evaluate};
use crate::model::{Model, ShapeId};

/// How to evaluate shapes.
///
/// ```
/// # fn main() -> m3d::Result<()> {
/// let model = m3d::from_str("3dmodel 1\nball\n\n\n\nVertex\n0 0 0 1\n\nShape ball\ndiv 8\nshpere 0 0.5\n\nEnd\n")?;
/// let ball = m3d::ShapeOptions::new().evaluate(&model, m3d::ShapeId(0));
/// assert_eq!(ball.surfaces.len(), 1);
/// assert!(ball.left_out.is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ShapeOptions {
    pub(super) divisions: u32,
    pub(super) max_points: u64,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self { divisions: 16, max_points: 1 << 20 }
    }
}

impl ShapeOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// How often to divide each span of a curve or surface where no command says; of what is round,
    /// half a turn. 16 unless set.
    pub fn divisions(mut self, divisions: u32) -> Self {
        self.divisions = divisions;
        self
    }

    /// How many points all curves and surfaces together may have; the rest is left out, and said to be.
    /// A million unless set.
    pub fn max_points(mut self, max_points: u64) -> Self {
        self.max_points = max_points.min(u64::from(u32::MAX >> 1));
        self
    }

    /// Evaluates a shape.
    pub fn evaluate(&self, model: &Model, shape: ShapeId) -> Evaluated {
        evaluate::evaluate(model, shape, self)
    }
}
