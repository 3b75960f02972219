//! What physics needs.

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
    /// The decomposition, each hull with at most 256 points; empty without one.
    pub hulls: Vec<Vec<[u16; 3]>>,
    /// Keys that are not known, and what of a known one is not of its type: of arrays the bytes
    /// after what was understood.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// What the header has for this block in addition to offset and size, as its `hash`.
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

/// `physics_convex` as its map has it: the ends of the domain apart, and the points of all hulls in one.
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
    /// How many vertices of the decomposition come at a discount.
    pub decomposition_discounted_vertices: Option<i32>,
    /// How many hulls the decomposition has.
    pub decomposition_hulls: Option<i32>,
    /// The cost of the hull around everything.
    pub hull: Option<f64>,
    /// How many vertices of that hull come at a discount.
    pub hull_discounted_vertices: Option<i32>,
    /// A matrix of three rows: from the scale of an object to the cost of its mesh.
    pub mesh: Option<[f64; 9]>,
    /// How many triangles the mesh has.
    pub mesh_triangles: Option<i32>,
    /// Keys that are not known, and known ones that are not of their type.
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
    /// Other keys, `WeldingData` among them, whose content is not known.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// What the header has for this block in addition to offset and size: its `hash` and `version`.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

/// How the mass of a body is distributed.
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
    /// Keys that are not known, and known ones that are not of their type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}

/// Havok's bounding volume tree.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mopp {
    /// How the tree was built.
    pub build_type: Option<i32>,
    /// The tree.
    pub data: Option<Vec<u8>>,
    /// Where it lies and how it is scaled.
    pub info: Option<[f64; 4]>,
    /// Keys that are not known, and known ones that are not of their type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
}
