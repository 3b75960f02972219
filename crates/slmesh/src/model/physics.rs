//! Physics data.

use geom::Vec3;
use llsd::Map;

use super::domain::Domain;

/// The block `physics_convex`: the hull around the whole mesh, and a decomposition into hulls.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Convex {
    /// The domain of all points, `Min` and `Max` in the file; -0.5 to 0.5 if it is missing.
    pub domain: Option<Domain<3>>,
    /// The points of the hull around everything.
    pub bounding: Vec<[u16; 3]>,
    /// The hulls of the decomposition, each with at most 256 points; empty if there is no decomposition.
    pub hulls: Vec<Vec<[u16; 3]>>,
    /// Unknown keys, and parts of known ones with a wrong type: for arrays the bytes after the parsed ones.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// Header entries for this block other than offset and size, such as its `hash`.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

impl Convex {
    /// The points of the hull around everything.
    pub fn bounding_points(&self) -> impl ExactSizeIterator<Item = Vec3> {
        self.points(&self.bounding)
    }

    /// The points of each hull of the decomposition.
    pub fn hull_points(&self) -> impl ExactSizeIterator<Item = impl ExactSizeIterator<Item = Vec3>> {
        self.hulls.iter().map(|hull| self.points(hull))
    }

    fn points<'a>(&self, steps: &'a [[u16; 3]]) -> impl ExactSizeIterator<Item = Vec3> + use<'a> {
        let domain = self.domain.unwrap_or(Domain::HALF);
        steps.iter().map(move |&point| domain.dequantize_f32(point).into())
    }
}

/// `physics_convex` as stored in its map: the ends of the domain separately, and the points of all hulls in one
/// array.
#[derive(Debug, Default)]
pub(crate) struct StoredConvex {
    pub(crate) min: Option<[f64; 3]>,
    pub(crate) max: Option<[f64; 3]>,
    pub(crate) bounding: Vec<[u16; 3]>,
    pub(crate) counts: Option<Vec<u8>>,
    pub(crate) points: Option<Vec<u8>>,
    pub(crate) extra: Map,
}

/// The header's `physics_cost_data`, which the simulator fills in.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CostData {
    /// The cost of the decomposition.
    pub decomposition: Option<f64>,
    /// The number of discounted vertices of the decomposition.
    pub decomposition_discounted_vertices: Option<i32>,
    /// The number of hulls of the decomposition.
    pub decomposition_hulls: Option<i32>,
    /// The cost of the hull around everything.
    pub hull: Option<f64>,
    /// The number of discounted vertices of that hull.
    pub hull_discounted_vertices: Option<i32>,
    /// A matrix of three rows: from the scale of an object to the cost of its mesh.
    pub mesh: Option<[f64; 9]>,
    /// The number of triangles of the mesh.
    pub mesh_triangles: Option<i32>,
    /// Unknown keys, and known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}

/// The block `physics_havok`, which the simulator fills in to load faster.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Havok {
    /// The mass of the hull around everything.
    pub hull_mass: Option<MassProps>,
    /// The mass of the decomposition.
    pub decomposition_mass: Option<MassProps>,
    /// The tree of triangles.
    pub mopp: Option<Mopp>,
    /// Other keys, such as `WeldingData`, of unknown content.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// Header entries for this block other than offset and size: its `hash` and `version`.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

/// The mass distribution of a body.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MassProps {
    /// The centre of mass, `CoM` in the file.
    pub center: Option<[f64; 3]>,
    /// The inertia, a matrix of three rows.
    pub inertia: Option<[f64; 9]>,
    /// The mass.
    pub mass: Option<f64>,
    /// The volume.
    pub volume: Option<f64>,
    /// Unknown keys, and known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}

/// Havok's bounding volume tree.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mopp {
    /// The construction of the tree.
    pub build_type: Option<i32>,
    /// The tree.
    pub data: Option<Vec<u8>>,
    /// Its origin and scale.
    pub info: Option<[f64; 4]>,
    /// Unknown keys, and known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}
