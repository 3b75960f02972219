//! What a level of detail costs to stream, as the viewer estimates it.

use crate::consts::Lod;

/// Bytes of a block that are taken for overhead.
const DISCOUNT: u32 = 384;
/// The least that a level counts.
const LEAST: u32 = 16;
/// Bytes that are taken for a triangle.
const PER_TRIANGLE: f32 = 16.0;
/// The triangles that a region may show, and what they cost.
const TRIANGLE_BUDGET: f32 = 250_000.0;
const BUDGET_COST: f32 = 15_000.0;
/// How many radiuses away an object changes from high to medium, to low and to lowest.
const SWITCHES: [f32; 3] = [0.24, 0.06, 0.03];
const FARTHEST: f32 = 512.0;
/// The area of the circle around a region, in square metres.
const REGION: f32 = 102_944.0;
/// So few triangles need not become fewer.
const FLOOR: f32 = 64.0;
/// What a thousand triangles of an animated object cost.
const ANIMATED: f32 = 1.5;

/// The streaming cost of an asset, which the viewer estimates from the compressed sizes of its
/// levels, and which is a part of what the land impact is.
///
/// ```
/// use slmesh::{Lod, StreamingCost};
///
/// // A level that is missing costs what the next finer one does.
/// let cost = StreamingCost::from_sizes([None, None, Some(1984), Some(16_384)]);
/// assert_eq!(cost.triangles(Lod::High), 1000.0);
/// assert_eq!(cost.triangles(Lod::Lowest), 100.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamingCost {
    triangles: [f32; 4],
}

impl StreamingCost {
    /// From the compressed size of each level in bytes, coarsest first.
    pub fn from_sizes(sizes: [Option<u32>; 4]) -> Self {
        let mut triangles = [0.0; 4];
        let mut finer = 0;
        for (place, size) in sizes.into_iter().enumerate().rev() {
            finer = size.filter(|&size| size > 0).unwrap_or(finer);
            #[allow(clippy::cast_precision_loss, reason = "the viewer counts in 32 bits too")]
            let bytes = finer.saturating_sub(DISCOUNT).max(LEAST) as f32;
            triangles[place] = bytes / PER_TRIANGLE;
        }
        Self { triangles }
    }

    /// How many triangles a level is taken to have.
    pub fn triangles(&self, lod: Lod) -> f32 {
        self.triangles[lod as usize]
    }

    /// How many triangles an object of this radius (half the diagonal of its scale, in metres) is
    /// taken to show, each level weighed by the area from which it is seen.
    pub fn weighted_triangles(&self, radius: f32) -> f32 {
        let within = |share: f32| {
            let distance = (radius / share).min(FARTHEST);
            (std::f32::consts::PI * distance * distance).min(REGION)
        };
        let [high, medium, low] = SWITCHES.map(within);
        let rings = [REGION - low, low - medium, medium - high, high].map(|area| area.clamp(1.0, REGION));
        let all: f32 = rings.iter().sum();
        rings.into_iter().zip(self.triangles).map(|(ring, triangles)| triangles * ring / all).sum()
    }

    /// The streaming cost of an object of this radius.
    pub fn of_radius(&self, radius: f32) -> f32 {
        self.weighted_triangles(radius) / TRIANGLE_BUDGET * BUDGET_COST
    }

    /// How many triangles an animated object is charged for: those of the finest level, and of each
    /// coarser one what exceeds half of the level before.
    pub fn charged_triangles(&self) -> f32 {
        let [rest @ .., high] = self.triangles;
        let (mut charged, mut allowed) = (high, high);
        for triangles in rest.into_iter().rev() {
            allowed = (allowed / 2.0).max(FLOOR).min(triangles);
            charged += triangles - allowed;
        }
        charged
    }

    /// The streaming cost of an animated object.
    pub fn of_animated(&self) -> f32 {
        self.charged_triangles() / 1000.0 * ANIMATED
    }
}
