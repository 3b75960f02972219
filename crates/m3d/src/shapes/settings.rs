//! What commands set for the next curve or surface, and the functions that follow from it.

use super::Stop;
use super::basis::{Basis, MAX_DEGREE};
use super::divide::Division;
use crate::consts::CommandId;
use crate::work::Work;

#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) division: Division,
    pub(super) degrees: [Option<i32>; 2],
    pub(super) ranges: [Option<(f64, f64)>; 2],
    pub(super) knots: [Option<Vec<f64>>; 2],
    /// The commands, to name those that nothing follows.
    pub(super) unused: Vec<(usize, CommandId)>,
}

impl Settings {
    fn degree(&self, along: usize) -> Result<usize, Stop> {
        let degree = self.degrees[along].unwrap_or(1);
        match usize::try_from(degree) {
            Ok(degree @ 1..=MAX_DEGREE) => Ok(degree),
            _ => Err(format!("a degree of {degree}: 1 to {MAX_DEGREE} are evaluated").into()),
        }
    }

    /// The knots that a basis has at most, and their copies.
    fn charge(&self, along: usize, points: Option<usize>, degree: usize, work: &Work) -> Result<(), Stop> {
        let knots = self.knots[along].as_ref().map_or(0, Vec::len).max(points.unwrap_or(0)) as u64;
        let most = knots.saturating_add(2).saturating_mul(degree as u64 + 2);
        work.values::<f64>(most.saturating_mul(2))?;
        Ok(work.steps(most)?)
    }

    /// The functions of Bézier segments for so many points, or for the knots.
    pub(super) fn bezier(&self, along: usize, points: Option<usize>, work: &Work) -> Result<Basis, Stop> {
        let degree = self.degree(along)?;
        self.charge(along, points, degree, work)?;
        let parameters = match (&self.knots[along], points) {
            (Some(knots), _) => knots.clone(),
            (None, Some(points)) if points > degree && (points - 1) % degree == 0 => {
                let segments = (points - 1) / degree;
                (0..=segments).map(|step| step as f64 / segments as f64).collect()
            }
            (None, Some(points)) => {
                return Err(
                    format!("{points} control points, which are no segments of degree {degree}").into()
                );
            }
            (None, None) => vec![0.0, 1.0],
        };
        Basis::bezier(degree, &parameters).ok_or_else(|| "parameters that do not increase".into())
    }

    /// The functions of a B-spline for so many points, or for the knots.
    pub(super) fn spline(&self, along: usize, points: Option<usize>, work: &Work) -> Result<Basis, Stop> {
        let degree = self.degree(along)?;
        self.charge(along, points, degree, work)?;
        let knots = match &self.knots[along] {
            Some(knots) => knots.clone(),
            None => {
                let points = points.unwrap_or(degree + 1);
                if points <= degree {
                    return Err(format!("{points} control points, too few for a degree of {degree}").into());
                }
                let inner = points - degree;
                let ends = std::iter::repeat_n(0.0, degree)
                    .chain((0..=inner).map(|step| step as f64 / inner as f64));
                ends.chain(std::iter::repeat_n(1.0, degree)).collect()
            }
        };
        Basis::spline(degree, knots)
            .ok_or_else(|| format!("knots that do not increase, or too few for a degree of {degree}").into())
    }
}
