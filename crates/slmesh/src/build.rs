//! From triangle meshes to an asset.

mod faces;

use geom::{TriMesh, Vec2, Vec3};

use crate::consts::{Lod, MAX_FACES, MAX_HULL_POINTS, MAX_POSITION};
use crate::error::{Error, Result};
use crate::model::{Asset, Convex, Domain, Level, Skin, Submesh, VertexWeights, from_mat4, to_mat4};
use faces::Face;

/// A part of a model: what is one material, and one face of the object, unless it has too many
/// vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Positions, normals and texture coordinates (v downwards), and triangles. Colours have no place
    /// in an asset.
    pub mesh: TriMesh,
    /// Second texture coordinates, v downwards: one per vertex, or none.
    pub uvs1: Vec<Vec2>,
    /// One per vertex where the model has a skin.
    pub weights: Vec<VertexWeights>,
}

impl From<TriMesh> for Part {
    fn from(mesh: TriMesh) -> Self {
        Self { mesh, ..Self::default() }
    }
}

/// Builds an asset from a triangle mesh per level of detail and part.
///
/// * All parts of a level share one domain, so that no seams open between them.
/// * A part of 65,535 or more vertices becomes several submeshes; a part that a lower level has not,
///   or of which it has no triangles, becomes a submesh without geometry there.
/// * More than eight submeshes become several assets ([`Builder::build_all`]).
/// * Vertices that no triangle uses, and triangles that use a vertex twice, are left out: no program
///   shows them, and the simulator refuses them.
/// * Without a hull of the caller's, the hull around everything is the box around the finest level.
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
    /// Nothing yet; [`Lod::High`] is what must come.
    pub fn new() -> Self {
        Self::default()
    }

    /// The version in the header; none unless set, as the uploader leaves it to the simulator.
    pub fn version(mut self, version: i32) -> Self {
        self.version = Some(version);
        self
    }

    /// The parts of a level of detail, in the same order in each level.
    pub fn level<P: Into<Part>>(mut self, lod: Lod, parts: impl IntoIterator<Item = P>) -> Self {
        self.levels[lod as usize] = parts.into_iter().map(Into::into).collect();
        self
    }

    /// A mesh for physics; not beside hulls.
    pub fn physics_mesh<P: Into<Part>>(mut self, parts: impl IntoIterator<Item = P>) -> Self {
        self.physics_mesh = parts.into_iter().map(Into::into).collect();
        self
    }

    /// The points of the convex hull around everything, at most 256.
    pub fn bounding_hull(mut self, points: impl IntoIterator<Item = Vec3>) -> Self {
        self.bounding = points.into_iter().collect();
        self
    }

    /// A decomposition into at most 256 convex hulls of at most 256 points each; not beside a mesh
    /// for physics.
    pub fn hulls<H: IntoIterator<Item = Vec3>>(mut self, hulls: impl IntoIterator<Item = H>) -> Self {
        self.hulls = hulls.into_iter().map(|hull| hull.into_iter().collect()).collect();
        self
    }

    /// What binds the vertices to joints; all parts need weights then.
    pub fn skin(mut self, skin: Skin) -> Self {
        self.skin = Some(skin);
        self
    }

    /// Moves and scales the model to fill -0.5 to 0.5 along each axis, as the uploader does. The
    /// size that it had goes into each submesh ([`Submesh::normalized_scale`]), and the skin's bind
    /// shape matrix undoes it. Off unless set; a model beyond 0.501 is an error then.
    pub fn normalize(mut self, normalize: bool) -> Self {
        self.normalize = normalize;
        self
    }

    /// The asset.
    ///
    /// # Errors
    /// `Unwritable`, with the path, for a model without triangles or with a position that is not
    /// finite or beyond 0.501; for an index that names no vertex; for columns that differ in length;
    /// for a skin without weights or weights without a skin; for hulls of no or more than 256 points;
    /// for hulls and a mesh for physics; and where there are more than eight submeshes.
    pub fn build(self) -> Result<Asset> {
        let mut all = self.build_all()?;
        match (all.pop(), all.len()) {
            (Some(asset), 0) => Ok(asset),
            (_, more) => {
                let what = format!("{} assets, where one was asked for: eight faces each", more + 1);
                Err(Error::unwritable("high_lod", what))
            }
        }
    }

    /// The asset, and a further one for each eight submeshes that it has no place for, numbered by
    /// [`Asset::submodel_id`]. Physics stand in the first; the others have the box around them.
    ///
    /// # Errors
    /// As [`Builder::build`], for any number of submeshes.
    pub fn build_all(mut self) -> Result<Vec<Asset>> {
        self.refuse()?;
        let scale = self.normalized()?;
        let mut levels: Vec<(Lod, Vec<Vec<Face>>)> = Vec::new();
        for lod in Lod::ALL {
            let parts = std::mem::take(&mut self.levels[lod as usize]);
            if !parts.is_empty() {
                levels.push((lod, faces::split_all(lod.key(), &parts)?));
            }
        }
        let physics = faces::split_all("physics_mesh", &self.physics_mesh)?;
        let rows = faces::align(&mut levels);
        let mut assets = Vec::new();
        for first in (0..rows).step_by(MAX_FACES) {
            let faces = first..rows.min(first + MAX_FACES);
            let mut asset = Asset { version: self.version, skin: self.skin.clone(), ..Asset::default() };
            let mut bounds = None;
            for (lod, parts) in &levels {
                let all: Vec<&Face> = parts.iter().flatten().collect();
                // One domain for the level, whichever asset a face stands in.
                let domain = faces::domain(all.iter().copied());
                let mine = &all[faces.clone()];
                let submeshes = mine.iter().map(|face| face.submesh(domain, scale)).collect();
                *asset.level_mut(*lod) = Some(Level { submeshes, ..Level::default() });
                if *lod == Lod::High {
                    bounds = faces::domain(mine.iter().copied());
                }
            }
            if first == 0 {
                asset.physics_mesh = physics_level(&physics, scale)?;
                asset.physics_convex = Some(self.convex(bounds));
            } else {
                asset.submodel_id = i32::try_from(assets.len()).ok();
                asset.physics_convex = Some(box_around(bounds));
            }
            assets.push(asset);
        }
        Ok(assets)
    }

    /// What no level can mend.
    fn refuse(&self) -> Result<()> {
        let refuse = |path: String, what: &str| Err(Error::unwritable(path, what.to_owned()));
        if self.levels[Lod::High as usize].iter().all(|part| part.mesh.triangles.is_empty()) {
            return refuse("high_lod".into(), "a model without triangles");
        }
        if !self.hulls.is_empty() && !self.physics_mesh.is_empty() {
            return refuse("physics_mesh".into(), "a mesh for physics beside hulls");
        }
        let bounding = [(String::from("bounding_hull"), &self.bounding)];
        let hulls = self.hulls.iter().enumerate().map(|(index, hull)| (format!("hulls[{index}]"), hull));
        for (path, hull) in bounding.into_iter().filter(|(_, hull)| !hull.is_empty()).chain(hulls) {
            if hull.is_empty() || hull.len() > MAX_HULL_POINTS {
                return refuse(path, &format!("a hull of {} points: it has 1 to 256", hull.len()));
            }
            if !hull.iter().all(|point| point.is_finite()) {
                return refuse(path, "a point that is not finite");
            }
        }
        if self.hulls.len() > crate::MAX_HULLS {
            return refuse("hulls".into(), &format!("{} hulls: the most are 256", self.hulls.len()));
        }
        for lod in Lod::ALL {
            let parts = &self.levels[lod as usize];
            let high = self.levels[Lod::High as usize].len();
            if parts.len() > high {
                let what = format!("{} parts, where high_lod has {high}", parts.len());
                return refuse(lod.to_string(), &what);
            }
            for (index, part) in parts.iter().enumerate() {
                let path = || format!("{lod}[{index}]");
                let weighted = !part.weights.is_empty();
                match &self.skin {
                    Some(_) if !weighted && !part.mesh.triangles.is_empty() => {
                        return refuse(path(), "a part without weights beside a skin");
                    }
                    None if weighted => return refuse(path(), "weights without a skin"),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn parts_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        self.levels.iter_mut().flatten().chain(&mut self.physics_mesh)
    }

    /// Fits everything into the domain that there is; gives the size that the model had, where that
    /// changed.
    fn normalized(&mut self) -> Result<Option<[f64; 3]>> {
        let points: Vec<[f32; 3]> =
            self.parts_mut().flat_map(|part| &part.mesh.positions).map(|p| p.to_array()).collect();
        let hulls = self.hulls.iter().flatten().chain(&self.bounding).map(|p| p.to_array());
        let Some(domain) = Domain::around(points.iter().copied()) else {
            return Err(Error::unwritable("positions", "a position that is not finite"));
        };
        if !self.normalize {
            let reach =
                points.into_iter().chain(hulls).flatten().fold(0.0_f64, |far, n| far.max(f64::from(n).abs()));
            return match reach <= MAX_POSITION {
                true => Ok(None),
                false => Err(Error::unwritable(
                    "positions",
                    format!(
                        "a position {reach} from the origin: the limit is 0.501, and normalize() moves it there"
                    ),
                )),
            };
        }
        let center: [f64; 3] = std::array::from_fn(|axis| (domain.min[axis] + domain.max[axis]) / 2.0);
        let size: [f64; 3] = std::array::from_fn(|axis| match domain.max[axis] - domain.min[axis] {
            width if width > 0.0 => width,
            _ => 1.0,
        });
        #[allow(clippy::cast_possible_truncation, reason = "positions have 32 bits")]
        let fit = |point: &mut Vec3| {
            let point_in = point.to_array().map(f64::from);
            *point = Vec3::from(std::array::from_fn(|axis| {
                ((point_in[axis] - center[axis]) / size[axis]).clamp(-0.5, 0.5) as f32
            }));
        };
        self.parts_mut().flat_map(|part| &mut part.mesh.positions).for_each(fit);
        self.hulls.iter_mut().flatten().chain(&mut self.bounding).for_each(fit);
        // Normals lean the other way where space is squeezed.
        #[allow(clippy::cast_possible_truncation, reason = "normals have 32 bits")]
        let lean = |normal: &mut Vec3| {
            let [x, y, z] = normal.to_array().map(f64::from);
            let leant = [x * size[0], y * size[1], z * size[2]];
            let length = leant.iter().map(|n| n * n).sum::<f64>().sqrt();
            if length > 0.0 && length.is_finite() {
                *normal = leant.map(|n| (n / length) as f32).into();
            }
        };
        self.parts_mut().flat_map(|part| &mut part.mesh.normals).for_each(lean);
        if let Some(skin) = &mut self.skin {
            let [sx, sy, sz] = size;
            let [tx, ty, tz] = center;
            let back = [sx, 0.0, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 0.0, sz, 0.0, tx, ty, tz, 1.0];
            let shape = skin.bind_shape_matrix.map_or(geom::Mat4::IDENTITY, to_mat4);
            skin.bind_shape_matrix = Some(from_mat4(shape * to_mat4(back)));
        }
        Ok(Some(size))
    }

    fn convex(&self, bounds: Option<Domain<3>>) -> Convex {
        let bounding = if self.bounding.is_empty() { corners(bounds) } else { self.bounding.clone() };
        let all = bounding.iter().chain(self.hulls.iter().flatten()).map(|point| point.to_array());
        let domain = Domain::around(all).unwrap_or(Domain::HALF);
        let steps = |points: &[Vec3]| points.iter().map(|p| domain.quantize_f32(p.to_array())).collect();
        Convex {
            domain: Some(domain),
            bounding: steps(&bounding),
            hulls: self.hulls.iter().map(|hull| steps(hull)).collect(),
            ..Convex::default()
        }
    }
}

fn physics_level(parts: &[Vec<Face>], scale: Option<[f64; 3]>) -> Result<Option<Level>> {
    let faces: Vec<&Face> = parts.iter().flatten().collect();
    if faces.is_empty() {
        return Ok(None);
    }
    if faces.len() > MAX_FACES {
        let what = format!("{} submeshes: the most are {MAX_FACES}", faces.len());
        return Err(Error::unwritable("physics_mesh", what));
    }
    let domain = faces::domain(faces.iter().copied());
    let submeshes: Vec<Submesh> = faces.iter().map(|face| face.submesh(domain, scale)).collect();
    Ok(Some(Level { submeshes, ..Level::default() }))
}

/// The corners of a box.
#[allow(clippy::cast_possible_truncation, reason = "the ends were of 32 bits")]
fn corners(bounds: Option<Domain<3>>) -> Vec<Vec3> {
    let Domain { min, max } = bounds.unwrap_or(Domain::HALF);
    let corner = |corner: usize| {
        let end = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Vec3::new(end(0) as f32, end(1) as f32, end(2) as f32)
    };
    (0..8).map(corner).collect()
}

fn box_around(bounds: Option<Domain<3>>) -> Convex {
    Builder::new().convex(bounds)
}
