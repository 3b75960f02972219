//! Land impact: the cost of streaming, simulating and keeping an object, by the viewer's formulas.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;

use slmesh::{Asset, Convex, Lod, MAX_VERSION, Result, View};

/// The number of bytes of a level's block that are not charged.
const DISCOUNT: u32 = 384;
/// The minimum number of bytes that a level is charged for.
const LEAST: u32 = 16;
/// The bytes that count as one triangle.
const PER_TRIANGLE: f32 = 16.0;
/// The triangles that a region may show, and their cost.
const TRIANGLE_BUDGET: f32 = 250_000.0;
const BUDGET_COST: f32 = 15_000.0;
/// The ratio of radius to distance at which an object changes from high to medium, to low and to lowest.
const SWITCHES: [f32; 3] = [0.24, 0.06, 0.03];
const FARTHEST: f32 = 512.0;
/// The area of the circle around a region, in square metres.
const REGION: f32 = 102_944.0;
/// The number of triangles below which no reduction is required.
const FLOOR: f32 = 64.0;
/// The cost of a thousand triangles of an animated object.
const ANIMATED: f32 = 1.5;
/// The cost of each hull point; each hull counts one point more.
const HULL_POINT: f32 = 0.04;

/// The streaming cost of a mesh, from the compressed sizes of its levels.
///
/// ```
/// use rezkit_upload::StreamingCost;
/// use slmesh::Lod;
///
/// // A level that is absent costs what the next higher one does.
/// let cost = StreamingCost::from_sizes([None, None, Some(1984), Some(16_384)]);
/// assert_eq!(cost.triangles(Lod::High), 1000.0);
/// assert_eq!(cost.triangles(Lod::Lowest), 100.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamingCost {
    triangles: [f32; 4],
}

impl StreamingCost {
    /// The cost of the root of an animated object in addition to its meshes.
    pub const ANIMATED_ROOT: f32 = 15.0;

    /// The cost from the compressed size of each level in bytes, coarsest first.
    pub fn from_sizes(sizes: [Option<u32>; 4]) -> Self {
        let mut triangles = [0.0; 4];
        let mut finer = 0;
        for (level, size) in sizes.into_iter().enumerate().rev() {
            finer = size.filter(|&size| size > 0).unwrap_or(finer);
            #[allow(clippy::cast_precision_loss, reason = "the viewer counts in 32 bits too")]
            // The viewer computes this in the same way.
            let bytes = finer.saturating_sub(DISCOUNT).max(LEAST) as f32;
            triangles[level] = bytes / PER_TRIANGLE;
        }
        Self { triangles }
    }

    /// The viewer's estimate for an asset, from the sizes in its header. Like the viewer, it returns 0 if the lowest
    /// level is missing or the viewer does not read the version; [`StreamingCost::from_sizes`] does not.
    pub fn of_view(view: &View<'_>) -> Self {
        let header = view.header();
        let unread = header.version.is_some_and(|version| version > MAX_VERSION);
        if unread || !view.has(Lod::Lowest.key()) || header.extra.contains_key("404") {
            return Self::default();
        }
        Self::from_sizes(Lod::ALL.map(|lod| view.size(lod.key())))
    }

    /// The viewer's estimate for an asset. It needs the sizes of the blocks, so it writes the asset;
    /// [`StreamingCost::of_view`] takes them from a header.
    ///
    /// # Errors
    /// As [`to_vec`](slmesh::to_vec).
    pub fn of_asset(asset: &Asset) -> Result<Self> {
        Ok(Self::of_view(&slmesh::open(&slmesh::to_vec(asset)?)?))
    }

    /// The number of triangles that a level counts as.
    pub fn triangles(&self, lod: Lod) -> f32 {
        self.triangles[lod as usize]
    }

    /// The number of triangles that an object of this radius (half the diagonal of its scale, in metres) counts as,
    /// each level weighted by the area from which it is seen.
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

    /// The cost of an object of this radius.
    pub fn of_radius(&self, radius: f32) -> f32 {
        self.weighted_triangles(radius) / TRIANGLE_BUDGET * BUDGET_COST
    }

    /// The cost of an object of this scale, in metres along each axis.
    pub fn of_scale(&self, scale: impl Into<geom::Vec3>) -> f32 {
        self.of_radius(scale.into().length() / 2.0)
    }

    /// The number of triangles that an animated object is charged for: those of the finest level, and of each
    /// coarser one the excess over half of the previous level.
    pub fn charged_triangles(&self) -> f32 {
        let [rest @ .., high] = self.triangles;
        let (mut charged, mut allowed) = (high, high);
        for triangles in rest.into_iter().rev() {
            allowed = (allowed / 2.0).max(FLOOR).min(triangles);
            charged += triangles - allowed;
        }
        charged
    }

    /// The cost of a rigged mesh in an animated object, whose root adds [`StreamingCost::ANIMATED_ROOT`]. Its
    /// unrigged parts cost the same as elsewhere.
    pub fn of_animated(&self) -> f32 {
        self.charged_triangles() / 1000.0 * ANIMATED
    }
}

/// The physics shape of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PhysicsShape {
    /// The decomposition or the physics mesh; the hull around everything if there is neither.
    Prim,
    /// The hull around everything.
    Hull,
    /// No shape: other objects pass through it.
    None,
}

/// The cost of a separate object with this mesh and no script, at a scale in metres along each axis. `sizes` are
/// those of [`level_sizes`](slmesh::WriteOptions::level_sizes).
pub fn land_impact(asset: &Asset, sizes: [Option<u32>; 4], scale: impl Into<geom::Vec3>) -> LandImpact {
    LandImpact {
        streaming: StreamingCost::from_sizes(sizes).of_scale(scale),
        physics: physics_cost(asset, PhysicsShape::Prim),
        server: LandImpact::server_weight(1, 0),
    }
}

/// The cost of simulating an object with a mesh. `None` for a physics mesh, whose cost only the simulator can
/// compute, and for an asset without a hull.
pub fn physics_cost(asset: &Asset, shape: PhysicsShape) -> Option<f32> {
    let hull = |points: usize| {
        #[allow(clippy::cast_precision_loss, reason = "hulls have few points")]
        let points = points as f32;
        HULL_POINT * (points + 1.0)
    };
    let convex = asset.physics_convex.as_ref();
    let bounding = |convex: &Convex| hull(convex.bounding.len());
    match shape {
        PhysicsShape::None => Some(0.0),
        PhysicsShape::Prim if asset.physics_mesh.is_some() => None,
        PhysicsShape::Prim if convex.is_some_and(|convex| !convex.hulls.is_empty()) => {
            Some(convex?.hulls.iter().map(|points| hull(points.len())).sum())
        }
        PhysicsShape::Prim | PhysicsShape::Hull => convex.filter(|c| !c.bounding.is_empty()).map(bounding),
    }
}

/// The three weights of an object or of a linkset, the greatest of which is its land impact.
///
/// ```
/// use rezkit_upload::LandImpact;
///
/// let part = |streaming, physics| LandImpact { streaming, physics: Some(physics), server: 0.5 };
/// let linkset: LandImpact = [part(5.9, 1.5), part(0.2, 3.0)].into_iter().sum();
/// assert_eq!(linkset.total(), 6.1);
/// assert_eq!(linkset.shown(), 6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LandImpact {
    /// The streaming cost ([`StreamingCost`]); "download" in the viewer.
    pub streaming: f32,
    /// The simulation cost ([`physics_cost`]); `None` if only the simulator can compute it.
    pub physics: Option<f32>,
    /// The server weight ([`LandImpact::server_weight`]).
    pub server: f32,
}

impl LandImpact {
    /// The server weight of `objects` linked objects with `scripts` scripts in all.
    pub fn server_weight(objects: u32, scripts: u32) -> f32 {
        // The first script costs nothing.
        #[allow(clippy::cast_precision_loss, reason = "a linkset has few objects")]
        let (objects, scripts) = (objects as f32, scripts.saturating_sub(1) as f32);
        (0.5 * objects + 0.25 * scripts).min(objects)
    }

    /// The land impact: the greatest of the three, as far as known.
    pub fn total(self) -> f32 {
        self.streaming.max(self.physics.unwrap_or(0.0)).max(self.server)
    }

    /// The land impact as text: `6.100`, or `at least 6.100` if the simulation cost is unknown.
    pub fn total_text(self) -> String {
        let at_least = if self.physics.is_none() { "at least " } else { "" };
        format!("{at_least}{:.3}", self.total())
    }

    /// The land impact as the viewer shows it for a linkset: without a fraction.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast to u32 saturates")]
    pub fn shown(self) -> u32 {
        self.total() as u32
    }
}

impl Add for LandImpact {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            streaming: self.streaming + other.streaming,
            physics: self.physics.zip(other.physics).map(|(a, b)| a + b),
            server: self.server + other.server,
        }
    }
}

impl Sum for LandImpact {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self { streaming: 0.0, physics: Some(0.0), server: 0.0 }, Add::add)
    }
}

/// The three weights, such as `download 1.250, physics 0.360, server 0.5`.
impl fmt::Display for LandImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "download {:.3}, physics ", self.streaming)?;
        match self.physics {
            Some(physics) => write!(f, "{physics:.3}")?,
            None => f.write_str("unknown (only Second Life computes it)")?,
        }
        write!(f, ", server {}", self.server)
    }
}
