//! The division of a span.

use super::space::{Point, cross, dot, length, sub};
use m3d::ErrorKind;
use m3d::{ViewBudget, product};

/// The settings of the commands `div`, `sub`, `len` and `dist`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Division {
    /// No setting: the options decide.
    #[default]
    Free,
    /// The number of pieces along u and v, which is multiplied by the degree of a curve.
    Parts([f64; 2]),
    /// The maximum length of a piece, in metres.
    Length(f64),
    /// The maximum distance of a piece from the curve, in metres, and the maximum angle between two pieces, in degrees.
    Distance(f64, f64),
}

/// The two parameters of a surface, as indices.
pub(super) const U: usize = 0;
pub(super) const V: usize = 1;

/// Maximum number of pieces of a span.
const MOST: u32 = 1 << 14;

/// Converts a number of a file to a number of pieces.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cut to 1..=MOST; no number is 1")]
pub(super) fn pieces(count: f64) -> u32 {
    count.ceil().clamp(1.0, f64::from(MOST)).max(1.0) as u32
}

/// The resolution of curves and surfaces, and the budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fineness<'w> {
    pub(super) division: Division,
    /// The number of pieces if no command sets it.
    pub(super) free: u32,
    pub(super) work: &'w ViewBudget,
}

impl Fineness<'_> {
    /// The number of pieces of a span. Each function of `at` returns the point of a curve along the span at a parameter
    /// from 0 to 1; a point costs `cost` steps.
    pub(super) fn of_span(
        self,
        along: usize,
        degree: usize,
        cost: u64,
        at: &[&dyn Fn(f64) -> Point],
    ) -> Result<u32, ErrorKind> {
        let charge = |points: u64| self.work.steps(product([points, cost, at.len() as u64]));
        Ok(match self.division {
            Division::Parts(parts) => pieces(parts[along] * degree as f64),
            Division::Length(size) if size > 0.0 => {
                charge(17)?;
                pieces(at.iter().map(|at| path(at, 16)).fold(0.0, f64::max) / size)
            }
            Division::Distance(distance, angle) => {
                let mut count = 1;
                while count <= 1024 {
                    charge(5 * u64::from(count) + 3)?;
                    if at.iter().all(|at| is_flat(at, count, distance, angle)) {
                        break;
                    }
                    count *= 2;
                }
                count
            }
            Division::Free | Division::Length(_) => pieces(f64::from(self.free)),
        })
    }

    /// The number of pieces of a full circle.
    pub(super) fn of_turn(self, along: usize, radius: f64) -> u32 {
        let count = match self.division {
            Division::Parts(parts) => pieces(parts[along]),
            Division::Length(most) if most > 0.0 => pieces(std::f64::consts::TAU * radius / most),
            Division::Distance(most, angle) => {
                // The height of an arc of angle a above its chord is r (1 - cos(a / 2)).
                let by_arrow = if most > 0.0 && most < radius {
                    std::f64::consts::PI / (1.0 - most / radius).acos()
                } else {
                    1.0
                };
                let by_angle = if angle > 0.0 { 360.0 / angle } else { 1.0 };
                pieces(by_arrow.max(by_angle))
            }
            Division::Free | Division::Length(_) => pieces(f64::from(self.free) * 2.0),
        };
        count.max(3)
    }

    /// The number of pieces of a straight side of a round shape.
    pub(super) fn of_side(self, side: f64) -> u32 {
        match self.division {
            Division::Parts(parts) => pieces(parts[V]),
            Division::Length(most) if most > 0.0 => pieces(side / most),
            _ => 1,
        }
    }
}

fn path(at: &dyn Fn(f64) -> Point, count: u32) -> f64 {
    let points = (0..=count).map(|step| at(f64::from(step) / f64::from(count)));
    let mut last = None;
    points.fold(0.0, |sum, point| sum + last.replace(point).map_or(0.0, |last| length(sub(point, last))))
}

/// Whether `count` straight pieces are no farther from the curve than `most`, and no two bend by more than `angle`.
fn is_flat(at: &dyn Fn(f64) -> Point, count: u32, most: f64, angle: f64) -> bool {
    let step = 1.0 / f64::from(count);
    let bends = |a: Point, b: Point| {
        let cosine = dot(a, b) / (length(a) * length(b));
        angle > 0.0 && cosine.clamp(-1.0, 1.0).acos().to_degrees() > angle
    };
    let mut last: Option<Point> = None;
    for piece in 0..count {
        let start = f64::from(piece) * step;
        let (from, to) = (at(start), at(start + step));
        let chord = sub(to, from);
        let size = length(chord);
        for quarter in [0.25, 0.5, 0.75] {
            let away = sub(at(start + quarter * step), from);
            let distance = if size > 0.0 { length(cross(away, chord)) / size } else { length(away) };
            if most > 0.0 && distance > most {
                return false;
            }
        }
        if last.replace(chord).is_some_and(|last| bends(last, chord)) {
            return false;
        }
    }
    // One piece has no angle to another one: compare its ends with its middle.
    count > 1 || !bends(sub(at(0.5), at(0.0)), sub(at(1.0), at(0.5)))
}
