//! The basis functions that weight control points: B-splines, of which Bézier curves are a special case; and the
//! settings that choose them.

use super::Stop;
use super::divide::Division;
use m3d::{CommandId, ViewBudget, product};

/// The kind of curves that a command draws.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Bezier,
    Spline,
}

/// The basis functions along one parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Basis {
    degree: usize,
    knots: Vec<f64>,
}

/// The highest degree that is evaluated; the cost of a point grows with its square.
const MAX_DEGREE: usize = 32;

impl Basis {
    /// A B-spline. The number of knots is the number of control points plus the degree plus one.
    fn spline(degree: usize, knots: Vec<f64>) -> Option<Self> {
        let enough = knots.len() >= 2 * (degree + 1);
        let ordered =
            knots.windows(2).all(|pair| pair[0] <= pair[1]) && knots.iter().all(|knot| knot.is_finite());
        let basis = Self { degree, knots };
        (enough && ordered && basis.domain().0 < basis.domain().1).then_some(basis)
    }

    /// Consecutive Bézier segments, whose ends have these parameters.
    fn bezier(degree: usize, parameters: &[f64]) -> Option<Self> {
        let [first, .., last] = parameters else { return None };
        let increasing = parameters.windows(2).all(|pair| pair[0] < pair[1]);
        if !increasing || !parameters.iter().all(|parameter| parameter.is_finite()) {
            return None;
        }
        let mut knots = vec![*first];
        for &parameter in parameters {
            knots.extend(std::iter::repeat_n(parameter, degree));
        }
        knots.push(*last);
        Some(Self { degree, knots })
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    /// The number of steps of computing the weights at one parameter.
    pub(super) fn cost(&self) -> u64 {
        let degree = self.degree as u64;
        degree * degree / 2 + degree * 4 + 16
    }

    /// The number of control points.
    pub(super) fn points(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The range of the parameter in which the sum of all functions is 1.
    pub(super) fn domain(&self) -> (f64, f64) {
        (self.knots[self.degree], self.knots[self.points()])
    }

    /// The ends of the spans in a range: the ends of the range, and the knots between them.
    pub(super) fn breaks(&self, (from, to): (f64, f64)) -> Vec<f64> {
        let mut breaks = vec![from];
        for &knot in &self.knots {
            if knot > from && knot < to && breaks.last() != Some(&knot) {
                breaks.push(knot);
            }
        }
        breaks.push(to);
        breaks
    }

    /// The first control point with a weight at a parameter, its weight and those of the points after it,
    /// and the derivatives of the weights.
    pub(super) fn at(&self, parameter: f64) -> Weights {
        let (degree, knots) = (self.degree, &self.knots);
        let (low, high) = self.domain();
        let u = parameter.clamp(low, high);
        // The last span that begins at or before u and is not empty.
        let mut span = knots.partition_point(|&knot| knot <= u).clamp(degree + 1, self.points()) - 1;
        while span > degree && knots[span] >= knots[span + 1] {
            span -= 1;
        }
        let mut values = vec![1.0];
        let mut lower = Vec::new();
        for order in 1..=degree {
            let mut next = vec![0.0; order + 1];
            for (place, &value) in values.iter().enumerate() {
                let right = knots[span + place + 1];
                let left = knots[span + place + 1 - order];
                let part = if right > left { value / (right - left) } else { 0.0 };
                next[place] += (right - u) * part;
                next[place + 1] += (u - left) * part;
            }
            lower = std::mem::replace(&mut values, next);
        }
        let mut slopes = vec![0.0; degree + 1];
        for (place, &value) in lower.iter().enumerate().filter(|_| degree > 0) {
            let width = knots[span + place + 1] - knots[span + place + 1 - degree];
            let slope = if width > 0.0 { degree as f64 * value / width } else { 0.0 };
            slopes[place] -= slope;
            slopes[place + 1] += slope;
        }
        Weights { first: span - degree, values, slopes }
    }
}

/// The weights of control points at a parameter.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    pub(super) first: usize,
    pub(super) values: Vec<f64>,
    /// The derivatives of the values.
    pub(super) slopes: Vec<f64>,
}

/// Settings of commands for the next curve or surface.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    pub(super) division: Division,
    pub(super) degrees: [Option<i32>; 2],
    pub(super) ranges: [Option<(f64, f64)>; 2],
    pub(super) knots: [Option<Vec<f64>>; 2],
    /// The commands of these settings, so that those without a curve or surface after them can be reported.
    pub(super) unused: Vec<(usize, CommandId)>,
}

impl Settings {
    fn degree(&self, along: usize) -> Result<usize, Stop> {
        let degree = self.degrees[along].unwrap_or(1);
        match usize::try_from(degree) {
            Ok(degree @ 1..=MAX_DEGREE) => Ok(degree),
            _ => Err(format!("expected a degree from 1 to {MAX_DEGREE}, found {degree}").into()),
        }
    }

    /// The basis functions along a parameter, of Bézier segments or of a B-spline: for a number of control points, or,
    /// if that is unknown, for the knots.
    pub(super) fn basis(
        &self,
        kind: Kind,
        along: usize,
        points: Option<usize>,
        work: &ViewBudget,
    ) -> Result<Basis, Stop> {
        let (degree, given) = (self.degree(along)?, self.knots[along].as_ref());
        // The knots that a basis has at most, and their copies.
        let knots = given.map_or(0, Vec::len).max(points.unwrap_or(0)) as u64;
        let most = product([knots + 2, degree as u64 + 2]);
        work.values::<[f64; 2]>(most)?;
        work.steps(most)?;
        let (place, list) = if along == 0 { ("", "paru") } else { (" along v", "parv") };
        let of =
            if along == 0 { "" } else { " (the number of all control points divided by the number along u)" };
        // Parameters from 0 to 1 in equal steps.
        let even = |steps: usize| (0..=steps).map(move |step| step as f64 / steps as f64);
        match (kind, points.unwrap_or(degree + 1)) {
            (Kind::Bezier, points) => {
                if given.is_none() && (points <= degree || (points - 1) % degree != 0) {
                    let [first, second, third] = [1, 2, 3].map(|segments| segments * degree + 1);
                    let wanted = format!("{first}, {second}, {third}, … control points{place}");
                    let what = format!(
                        "expected {wanted} for Bézier segments of degree {degree}, found {points}{of}"
                    );
                    return Err(what.into());
                }
                let parameters = given.cloned().unwrap_or_else(|| even((points - 1) / degree).collect());
                Basis::bezier(degree, &parameters).ok_or_else(|| {
                    let found = disordered(&parameters, |one, next| one < next);
                    let found = found.unwrap_or_else(|| parameters.len().to_string());
                    let what = "expected two or more finite, strictly increasing parameters";
                    format!("{what} ({list}), found {found}").into()
                })
            }
            (Kind::Spline, points) => {
                if given.is_none() && points <= degree {
                    return Err(format!(
                        "expected at least {} control points{place} for degree {degree}, found {points}{of}",
                        degree + 1
                    )
                    .into());
                }
                let ends = |knot: f64| std::iter::repeat_n(knot, degree);
                let clamped = || ends(0.0).chain(even(points - degree)).chain(ends(1.0)).collect();
                Basis::spline(degree, given.cloned().unwrap_or_else(clamped)).ok_or_else(|| {
                    wrong_knots(degree, given.map_or(&[][..], |knots| &knots[..]), list).into()
                })
            }
        }
    }
}

/// The first two successive numbers that are not finite or do not fit, as in `1 before 0`.
fn disordered(numbers: &[f64], fits: impl Fn(f64, f64) -> bool) -> Option<String> {
    let is_wrong = |pair: &&[f64]| !fits(pair[0], pair[1]) || pair.iter().any(|number| !number.is_finite());
    // The file has 32 bits: more digits would not be those of the file.
    let shown = |pair: &[f64]| format!("{} before {}", pair[0] as f32, pair[1] as f32);
    numbers.windows(2).find(is_wrong).map(shown)
}

/// Why a B-spline of this degree cannot have these knots.
fn wrong_knots(degree: usize, knots: &[f64], list: &str) -> String {
    let least = 2 * (degree + 1);
    if knots.len() < least {
        return format!(
            "expected at least {least} knots ({list}) for degree {degree}, found {}",
            knots.len()
        );
    }
    match disordered(knots, |one, next| one <= next) {
        Some(found) => {
            format!("expected finite knots ({list}), none less than the one before it, found {found}")
        }
        None => format!(
            "expected knots ({list}) that increase between number {} and number {}, found {} for both",
            degree + 1,
            knots.len() - degree,
            knots[degree] as f32
        ),
    }
}
