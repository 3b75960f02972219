//! From triangle meshes to an asset.

mod faces;
mod fit;
mod hulls;
mod part;

use geom::Vec3;

use crate::check::is_degenerate;
use crate::consts::{Lod, MAX_FACES, MAX_HULLS};
use crate::model::{Asset, Convex, Domain, Level, Skin};
use faces::Face;
use geom::wire::{Error, Problem, Refuse as _, Result};
pub use part::Part;

/// Builds an asset from triangle meshes: one for each part of each level of detail.
///
/// * All parts of a level share one domain, so that no seams open between them.
/// * A part of more than 21,844 triangles becomes several submeshes, as in the uploader; a part that a lower level
///   lacks, or of which it has no triangles, becomes a submesh without geometry there.
/// * Vertices that no triangle uses, and triangles that use a vertex twice, are dropped: no program shows them, and
///   the simulator refuses them. So are triangles of the physics mesh that the viewer considers degenerate; of a
///   physics mesh only positions and triangles are used.
/// * A part without normals gets those of [`geom::TriMesh::angle_weighted_normals`], and (0, 0, 1) if no
///   triangle has a direction.
/// * A hull of more than 256 points is reduced to at most 256 of them: its extremes in evenly spread directions.
///   The default bounding hull is the box around the finest level.
///
/// ```
/// use slmesh::geom::{TriMesh, Vec3};
/// use slmesh::{Builder, Lod};
///
/// let corners = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]];
/// let mesh = TriMesh {
///     positions: corners.map(Vec3::from).to_vec(),
///     triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
///     ..TriMesh::default()
/// };
/// let asset = Builder::new().level(Lod::High, [mesh]).build()?;
/// assert_eq!(slmesh::check(&asset), []);
/// assert_eq!(slmesh::from_slice(&slmesh::to_vec(&asset)?)?, asset);
/// # Ok::<(), slmesh::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Builder {
    version: Option<i32>,
    levels: [Vec<Part>; 4],
    physics_mesh: Vec<Part>,
    bounding: Vec<Vec3>,
    hulls: Vec<Vec<Vec3>>,
    skin: Option<Skin>,
    normalize: bool,
}

impl Builder {
    /// An empty builder, which needs parts of [`Lod::High`].
    pub fn new() -> Self {
        Self::default()
    }

    /// The version in the header; absent by default, as the uploader leaves it to the simulator.
    pub fn version(mut self, version: i32) -> Self {
        self.version = Some(version);
        self
    }

    /// The parts of a level of detail, in the same order in each level.
    pub fn level<P: Into<Part>>(mut self, lod: Lod, parts: impl IntoIterator<Item = P>) -> Self {
        self.levels[lod as usize] = parts.into_iter().map(Into::into).collect();
        self
    }

    /// A mesh for physics; cannot be combined with [`Builder::hulls`].
    pub fn physics_mesh<P: Into<Part>>(mut self, parts: impl IntoIterator<Item = P>) -> Self {
        self.physics_mesh = parts.into_iter().map(Into::into).collect();
        self
    }

    /// The points of the convex hull around everything.
    pub fn bounding_hull(mut self, points: impl IntoIterator<Item = Vec3>) -> Self {
        self.bounding = points.into_iter().collect();
        self
    }

    /// A decomposition into at most 256 convex hulls; cannot be combined with [`Builder::physics_mesh`].
    pub fn hulls<H: IntoIterator<Item = Vec3>>(mut self, hulls: impl IntoIterator<Item = H>) -> Self {
        self.hulls = hulls.into_iter().map(|hull| hull.into_iter().collect()).collect();
        self
    }

    /// Binds the vertices to joints; all parts then need joints and weights.
    pub fn skin(mut self, skin: Skin) -> Self {
        self.skin = Some(skin);
        self
    }

    /// Moves and scales the model with its physics and hulls to fill -0.5 to 0.5 along each axis, as the uploader
    /// does. Its previous size is stored in each submesh
    /// ([`Submesh::normalized_scale`](crate::Submesh::normalized_scale)), and the skin's bind shape matrix undoes
    /// the change. Off by default: a model beyond 0.501 is then an error.
    pub fn normalize(mut self, normalize: bool) -> Self {
        self.normalize = normalize;
        self
    }

    /// The asset.
    ///
    /// # Errors
    /// `InvalidArgument`, with the path, for a model without triangles; a level without parts above one with parts; a
    /// used position that is not finite or beyond 0.501; an index out of range; columns of different lengths; a
    /// skin without weights, weights without a skin, or a weight of a joint that the skin lacks; hulls without points
    /// or beside a physics mesh; and more than eight submeshes.
    pub fn build(self) -> Result<Asset> {
        let mut all = self.build_all()?;
        match (all.pop(), all.len()) {
            (Some(asset), 0) => Ok(asset),
            (_, more) => {
                let what = format!(
                    "the model has more than {MAX_FACES} faces and needs {} assets (use Builder::build_all)",
                    more + 1
                );
                Err(Error::invalid_argument("high_lod", what))
            }
        }
    }

    /// Assets of at most eight submeshes each, numbered by [`Asset::submodel_id`] from the second on. The first has
    /// the physics of the whole model; each of the others has the box around itself as its hull.
    ///
    /// # Errors
    /// As [`Builder::build`], for any number of submeshes.
    pub fn build_all(mut self) -> Result<Vec<Asset>> {
        self.refuse()?;
        let joints = self.skin.as_ref().map(|skin| skin.joint_names.len());
        let mut levels: Vec<(Lod, Vec<Vec<Face>>)> = Vec::new();
        for lod in Lod::ALL {
            let parts = &self.levels[lod as usize];
            if !parts.is_empty() {
                levels.push((lod, faces::split_all(lod.key(), parts, joints)?));
            }
        }
        let mut physics = faces::split_physics(&self.physics_mesh)?;
        let rows = faces::align(&mut levels);
        let high: usize = levels
            .iter()
            .filter(|(lod, _)| *lod == Lod::High)
            .flat_map(|(_, parts)| parts.iter().flatten())
            .map(|face| face.triangles.len())
            .sum();
        if high == 0 {
            return Err(Error::invalid_argument("high_lod", "the model has no triangles"));
        }
        let mut all: Vec<&mut Face> =
            levels.iter_mut().flat_map(|(_, parts)| parts.iter_mut().flatten()).chain(&mut physics).collect();
        let points: Vec<&mut Vec3> = self.hulls.iter_mut().flatten().chain(&mut self.bounding).collect();
        let size = fit::fit(self.normalize, &mut all, points, self.skin.as_mut())?;
        // One domain for each level, whichever asset a face is in.
        let flat = levels.iter().map(|(lod, parts)| (*lod, parts.iter().flatten().collect::<Vec<_>>()));
        let levels: Vec<_> =
            flat.map(|(lod, faces)| (lod, faces::domain(faces.iter().copied()), faces)).collect();
        let mut assets = Vec::new();
        for first in (0..rows).step_by(MAX_FACES) {
            let faces = first..rows.min(first + MAX_FACES);
            let mut asset = Asset { version: self.version, skin: self.skin.clone(), ..Asset::default() };
            let mut bounds = None;
            for (lod, domain, all) in &levels {
                let mine = &all[faces.clone()];
                let submeshes = mine.iter().map(|face| face.submesh(*domain, size)).collect();
                *asset.level_mut(*lod) = Some(Level { submeshes, ..Level::default() });
                if *lod == Lod::High {
                    bounds = faces::domain(mine.iter().copied());
                }
            }
            if first == 0 {
                asset.physics_mesh = physics_level(&mut physics, size)?;
                asset.physics_convex = Some(self.convex(bounds));
            } else {
                asset.submodel_id = i32::try_from(assets.len()).ok();
                asset.physics_convex = Some(Self::new().convex(bounds));
            }
            assets.push(asset);
        }
        Ok(assets)
    }

    /// Refuses hulls and numbers of parts that are wrong, before any part is examined.
    fn refuse(&self) -> Result<()> {
        let refuse = |path: String, what: &str| Err(Error::invalid_argument(path, what.to_owned()));
        if !self.hulls.is_empty() && !self.physics_mesh.is_empty() {
            return refuse("physics_mesh".into(), "expected a physics mesh or hulls, found both");
        }
        let bounding = [(String::from("bounding_hull"), &self.bounding)];
        let hulls = self.hulls.iter().enumerate().map(|(index, hull)| (format!("hulls[{index}]"), hull));
        for (path, hull) in bounding.into_iter().filter(|(_, hull)| !hull.is_empty()).chain(hulls) {
            if hull.is_empty() {
                return refuse(path, "the hull has no points");
            }
            if let Some(index) = hull.iter().position(|point| !point.is_finite()) {
                return refuse(format!("{path}[{index}]"), "a coordinate is infinite or NaN");
            }
        }
        if self.hulls.len() > MAX_HULLS {
            return Err(Problem::too_many("hulls", self.hulls.len(), MAX_HULLS as u64)).argument("hulls");
        }
        let high = self.levels[Lod::High as usize].len();
        let mut below = None;
        for lod in Lod::ALL {
            let count = self.levels[lod as usize].len();
            if count > high {
                return refuse(
                    lod.to_string(),
                    &format!("expected no more parts than high_lod ({high}), found {count}"),
                );
            }
            if let Some(lower) = below.filter(|_| count == 0) {
                return refuse(
                    lod.to_string(),
                    &format!("expected at least one part, as in the coarser level {lower}, found none"),
                );
            }
            below = below.or((count > 0).then_some(lod));
        }
        Ok(())
    }

    fn convex(&self, bounds: Option<Domain<3>>) -> Convex {
        let bounding = if self.bounding.is_empty() { hulls::corners(bounds) } else { self.bounding.clone() };
        let all = bounding.iter().chain(self.hulls.iter().flatten()).map(|point| point.to_array());
        let domain = Domain::around(all).unwrap_or(Domain::HALF);
        Convex {
            domain: Some(domain),
            bounding: hulls::quantized(&bounding, &domain),
            hulls: self.hulls.iter().map(|hull| hulls::quantized(hull, &domain)).collect(),
            ..Convex::default()
        }
    }
}

fn physics_level(faces: &mut Vec<Face>, size: Option<[f64; 3]>) -> Result<Option<Level>> {
    if faces.is_empty() {
        return Ok(None);
    }
    let domain = faces::domain(faces.iter());
    for face in &mut *faces {
        let points: Vec<_> = face.submesh(domain, None).points().map(Vec3::to_array).collect();
        face.retain(|triangle| {
            let [a, b, c] = triangle.map(|vertex| points[usize::from(vertex)].map(|number| number * 0.5));
            !is_degenerate(a, b, c)
        });
    }
    faces.retain(|face| !face.triangles.is_empty());
    match faces.len() {
        0 => Err(Error::invalid_argument("physics_mesh", "all triangles are degenerate")),
        count if count > MAX_FACES => {
            Err(Problem::too_many("faces", count, MAX_FACES as u64)).argument("physics_mesh")
        }
        _ => {
            let submeshes = faces.iter().map(|face| face.submesh(domain, size)).collect();
            Ok(Some(Level { submeshes, ..Level::default() }))
        }
    }
}
