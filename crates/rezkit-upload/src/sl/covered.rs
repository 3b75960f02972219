//! Checks that the physics hulls of an object have its shape.

use geom::TriMesh;
use glam::DVec3;
use rezkit_scene::{Budget, Result};

use super::{Options, Parts, Physics, Shapes, placed};
use crate::check::Findings;
use crate::coverage::{Apart, bare_floor, coverage, samples};
use crate::levels::size;
use crate::rules::{HULL_FLOOR, HULL_NEAR, HULL_OPEN, LEAST_METRES};

/// The fractions of the surface without a hull, and of the hulls' volume outside of the model, that are negligible.
const NEGLIGIBLE: [f64; 2] = [0.02, 0.002];

/// The area in square metres above which a floor without a hull is an error.
const FLOOR: f64 = 0.25;

/// Half of an opening that is narrow enough to be filled, in metres.
const NOTICED: f64 = 0.1;

/// The distance of a hull of 32 corners from a ball, as a fraction of the ball's diameter.
const ROUND: f64 = 0.08;

/// The size in metres above which the tolerance no longer grows with an object.
const LARGE: f64 = 8.0;

/// Checks that the hulls of an object cover all of its surface, and fill no openings. `marks` gets the places of the
/// findings.
pub(super) fn covered(
    parts: &Parts,
    shapes: &Shapes,
    node: usize,
    options: &Options,
    (findings, marks): (&mut Findings, &mut Vec<DVec3>),
    budget: &mut Budget,
) -> Result<()> {
    let hulls: Vec<&TriMesh> = shapes.physics.get(&node).map_or_else(Vec::new, |list| {
        list.iter().filter(|(suffix, _)| suffix != "_PHYS").map(|(_, mesh)| mesh).collect()
    });
    if options.physics != Physics::Hulls || hulls.is_empty() {
        return Ok(());
    }
    let surface = placed(&shapes.levels[0][&node], parts.worlds[node]);
    let surface: Vec<&TriMesh> = surface.iter().collect();
    let (longest, scale) = (size(&surface), f64::from(options.scale));
    // The tolerance of the options, at most openings that an avatar notices, and at least what thickened objects need.
    let allowed = (longest * options.hulls.concavity).min(NOTICED / scale).max(2.0 * LEAST_METRES / scale);
    // Hulls with few corners are smaller than round shapes.
    let round = (longest * options.hulls.concavity).max(ROUND * longest.min(LARGE / scale));
    let [bare, filled] = coverage(&surface, &hulls, [round, allowed], samples(parts.nodes.len()), budget)?;
    let floor = bare_floor(&surface, &hulls, round * 1.5, FLOOR / scale.powi(2), budget)?;
    let mut list = |rule, apart: Option<Apart>, negligible: f64, what: &str, power: i32| {
        let is_small = |apart: &Apart| apart.share <= negligible;
        if let Some(apart) = apart.filter(|apart| !is_small(apart)) {
            let [x, y, z] = (apart.at * scale).to_array();
            let (share, distance) = (apart.share * 100.0, apart.distance * scale);
            let share = if share < 0.05 { "less than 0.1".to_owned() } else { format!("{share:.1}") };
            let size = apart.size * scale.powi(power);
            let found = format!(
                "{share} % of {what} ({size:.2} m{power}, by up to {distance:.2} m, near x {x:.2}, y {y:.2}, z {z:.2}, \
                 where y is up)"
            );
            findings.add(rule, parts.name(node), found);
            marks.push(apart.at);
        }
    };
    list(&HULL_FLOOR, floor, 0.0, "the surface that faces up has no physics hull above or below it", 2);
    list(&HULL_NEAR, bare, NEGLIGIBLE[0], "the surface is outside the physics hulls", 2);
    list(&HULL_OPEN, filled, NEGLIGIBLE[1], "the volume of the physics hulls is outside the model", 3);
    Ok(())
}
