//! A whole asset.

use geom::wire::{Bytes, short_debug};
use geom::{Aabb, TriMesh, Vec3};
use llsd::{Date, Map, Text, Uuid};

use super::layout::Layout;
use super::physics::{Convex, CostData, Havok};
use super::skin::Skin;
use super::submesh::{Level, Submesh};
use crate::consts::Lod;

/// A mesh asset.
///
/// Two assets are equal if their content is: [`Asset::layout`] is not compared ([`Asset::same_layout`] does that),
/// keys and unknown blocks may be in any order, and numbers are compared by their bits.
///
/// ```
/// # fn example(bytes: &[u8]) -> slmesh::Result<()> {
/// use slmesh::Lod;
///
/// let mut asset = slmesh::from_slice(bytes)?;
/// if let Some(high) = &mut asset.high_lod {
///     high.submeshes.swap(0, 1);
/// }
/// // Every other block keeps its compressed bytes; the offsets after this one move.
/// let bytes = slmesh::to_vec(&asset)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Asset {
    /// The version of the format; the viewer assumes 0 if it is missing and refuses more than 999.
    pub version: Option<i32>,
    /// The uploader; the simulator fills this in.
    pub creator: Option<Uuid>,
    /// When it was uploaded; the simulator fills this in.
    pub date: Option<Date>,
    /// The coarsest level of detail.
    pub lowest_lod: Option<Level>,
    /// The second coarsest level of detail.
    pub low_lod: Option<Level>,
    /// The second finest level of detail.
    pub medium_lod: Option<Level>,
    /// The finest level of detail.
    pub high_lod: Option<Level>,
    /// Triangles for physics (`physics_shape` in old files).
    pub physics_mesh: Option<Level>,
    /// Hulls for physics.
    pub physics_convex: Option<Convex>,
    /// The simulator's data for Havok.
    pub physics_havok: Option<Havok>,
    /// The physics cost.
    pub physics_cost_data: Option<CostData>,
    /// Binds the vertices to joints.
    pub skin: Option<Skin>,
    /// Only in `.slm` files: a name per submesh of the finest level.
    pub material_list: Option<Vec<Text>>,
    /// If a model has more faces than an asset may have, the index of this asset among its parts: 1 for the second.
    pub submodel_id: Option<i32>,
    /// Blocks with unknown keys.
    pub other_blocks: Vec<OtherBlock>,
    /// Other unknown header keys, and values of known ones with a wrong type.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub extra: Map,
    /// The layout of the file.
    pub layout: Layout,
}

/// A block that this crate does not understand.
#[derive(Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OtherBlock {
    /// Its key in the header.
    pub name: Text,
    /// Its bytes in the file.
    pub bytes: Vec<u8>,
    /// Its header entries other than offset and size.
    #[cfg_attr(feature = "serde", serde(with = "crate::model::exact::map"))]
    pub entry: Map,
}

short_debug! { OtherBlock { name, entry; bytes => Bytes(bytes) } }

impl Asset {
    /// Whether both have the same layout: equal assets with the same layout are written as the same bytes.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.layout == other.layout
    }

    /// A level of detail, if the asset has it.
    pub fn level(&self, lod: Lod) -> Option<&Level> {
        match lod {
            Lod::Lowest => self.lowest_lod.as_ref(),
            Lod::Low => self.low_lod.as_ref(),
            Lod::Medium => self.medium_lod.as_ref(),
            Lod::High => self.high_lod.as_ref(),
        }
    }

    /// Mutable access to a level of detail.
    pub fn level_mut(&mut self, lod: Lod) -> &mut Option<Level> {
        match lod {
            Lod::Lowest => &mut self.lowest_lod,
            Lod::Low => &mut self.low_lod,
            Lod::Medium => &mut self.medium_lod,
            Lod::High => &mut self.high_lod,
        }
    }

    /// The levels that the asset has, coarsest first.
    pub fn levels(&self) -> impl DoubleEndedIterator<Item = (Lod, &Level)> {
        Lod::ALL.into_iter().filter_map(|lod| Some((lod, self.level(lod)?)))
    }

    /// The level that the viewer shows for `wanted` ([`Lod::fallback`]), and which level that is; `None` if the
    /// asset has no levels.
    pub fn lod(&self, wanted: Lod) -> Option<(Lod, &Level)> {
        wanted.fallback().find_map(|lod| Some((lod, self.level(lod)?)))
    }

    /// The number of triangles of a level of detail; 0 if it is missing.
    pub fn triangle_count(&self, lod: Lod) -> usize {
        self.level(lod).map_or(0, Level::triangle_count)
    }

    /// The number of vertices of a level of detail; 0 if it is missing.
    pub fn vertex_count(&self, lod: Lod) -> usize {
        self.level(lod).map_or(0, Level::vertex_count)
    }

    /// The box around the finest level, `None` if it is empty.
    pub fn bounds(&self) -> Option<Aabb> {
        self.lod(Lod::High)?.1.bounds()
    }

    /// A level of detail, or the level that the viewer shows in its place ([`Asset::lod`]), as a triangle mesh.
    pub fn to_tri_mesh(&self, lod: Lod) -> Option<TriMesh> {
        Some(self.lod(lod)?.1.to_tri_mesh())
    }

    /// The posed vertices of a level, one list per submesh; `world` has a matrix per joint, as for [`Skin::posed`].
    /// `None` if there is no skin or no level. A vertex without weights follows the first joint.
    pub fn posed(&self, lod: Lod, world: &[geom::Mat4]) -> Option<Vec<Vec<Vec3>>> {
        let skin = self.skin.as_ref()?;
        let (_, level) = self.lod(lod)?;
        let posed = |submesh: &Submesh| {
            let weights = |vertex| submesh.weights.get(vertex).copied().unwrap_or_default();
            let points = submesh.points().enumerate();
            points.map(|(vertex, point)| skin.posed(point, &weights(vertex), world)).collect()
        };
        Some(level.submeshes.iter().map(posed).collect())
    }
}
