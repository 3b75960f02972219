//! Texture coordinates, vertices and the polygon mesh.

use bstr::{BStr, BString, ByteSlice};
use geom::{Rgba8, Vec2, Vec3, Vec4};

use super::{SkinId, TexCoordId, VertexId};
use geom::wire::{Error, Problem, Refuse as _, Result};

/// The unique texture coordinates of a model: chunk `TMAP`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TexCoords {
    /// The coordinates as in the file: u grows to the right and v **upwards**, so v is 0 at the bottom of an
    /// image. The views return v downwards, and [`Builder`](crate::Builder) takes v downwards.
    pub uvs: Vec<Vec2>,
    /// The same numbers as doubles, if the file has doubles that a float cannot represent; otherwise empty. An
    /// entry is ignored unless it rounds to its `uvs` entry.
    pub precise: Vec<[f64; 2]>,
}

impl TexCoords {
    /// Fails unless the column of doubles is empty or as long as `uvs`.
    pub(crate) fn writable(&self) -> Result<()> {
        column(self.precise.len(), self.uvs.len(), "precise")
    }
}

fn column(len: usize, wanted: usize, path: &'static str) -> Result<()> {
    if len == 0 { Ok(()) } else { Problem::length("entries", len, wanted).unwritable(path) }
}

/// Everything in a model that has four coordinates, as columns: chunk `VRTS`. Points of the surface, positions of
/// bones, normals and the quaternions of bones share this list.
///
/// A column other than `coords` is empty if no vertex has such a value; otherwise it is as long as `coords`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vertices {
    /// x, y, z, w: x to the right, y up, z towards the viewer, -1 to 1 in the bounding cube; w is 1 for points, and
    /// has no meaning for normals. The README shows how to transform a model.
    pub coords: Vec<Vec4>,
    /// The same numbers as doubles, if the file has doubles that a float cannot represent. An entry is ignored unless
    /// it rounds to its `coords` entry.
    pub precise: Vec<[f64; 4]>,
    /// The colour; all zero is no colour.
    pub colors: Vec<Rgba8>,
    /// The skin: which bones move the vertex; or [`SkinId::QUATERNION`] for a vertex that is a quaternion.
    pub skins: Vec<SkinId>,
}

impl Vertices {
    /// Fails unless each column is empty or as long as `coords`.
    pub(crate) fn writable(&self) -> Result<()> {
        column(self.precise.len(), self.len(), "precise")?;
        column(self.colors.len(), self.len(), "colors")?;
        column(self.skins.len(), self.len(), "skins")
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.coords.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.coords.is_empty()
    }

    /// The four numbers of a vertex.
    pub fn coord(&self, id: VertexId) -> Option<Vec4> {
        self.coords.get(id.get()?).copied()
    }

    /// x, y and z of a vertex.
    pub fn position(&self, id: VertexId) -> Option<Vec3> {
        self.coord(id).map(|c| Vec3::new(c.x, c.y, c.z))
    }

    /// The colour of a vertex, `None` if it has none.
    pub fn color(&self, id: VertexId) -> Option<Rgba8> {
        self.colors.get(id.get()?).copied().filter(|&color| color != Rgba8::default())
    }

    /// The skin of a vertex; [`SkinId::NONE`] if it has none.
    pub fn skin(&self, id: VertexId) -> SkinId {
        id.get().and_then(|id| self.skins.get(id)).copied().unwrap_or(SkinId::NONE)
    }
}

/// A part of the surface, as polygons: chunk `MESH`.
///
/// The corners of all polygons follow each other in columns, and [`Mesh::records`] has the number of corners of each
/// polygon. A column has only the corners of polygons with that part. [`Mesh::polygons`] iterates over the polygons,
/// [`Mesh::push`] adds one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mesh {
    /// The records of the chunk, in order.
    pub records: Vec<MeshRecord>,
    /// The vertex of each corner.
    pub vertices: Vec<VertexId>,
    /// The texture coordinate of each corner of a polygon that has them.
    pub tex_coords: Vec<TexCoordId>,
    /// The normal of each corner of a polygon that has them.
    pub normals: Vec<VertexId>,
    /// The maximum vertex of each corner of a polygon that has them: the surface lies between the vertex and its
    /// maximum, at a position that the current parameter defines.
    pub maximums: Vec<VertexId>,
}

/// A record of a mesh; consecutive polygons of one kind share one record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MeshRecord {
    /// The polygons that follow have this material; no material if the name is empty.
    Material(BString),
    /// The polygons that follow are shaped by this parameter.
    Parameter(BString),
    /// Another property, 2 to 15, of the polygons that follow.
    Property(u8, BString),
    /// Polygons.
    Polygons(Polygons),
}

/// Consecutive polygons of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Polygons {
    /// The number of polygons.
    pub count: u32,
    /// The number of corners of each, 1 to 15: 1 is a point, 2 a line.
    pub sides: u8,
    /// The data of each corner besides its vertex.
    pub parts: CornerParts,
}

/// The data of a corner besides its vertex: the lower four bits of a polygon's first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CornerParts(pub u8);

impl CornerParts {
    /// A texture coordinate.
    pub const TEX_COORD: Self = Self(1);
    /// A normal.
    pub const NORMAL: Self = Self(2);
    /// A maximum vertex.
    pub const MAXIMUM: Self = Self(4);

    /// Whether this has all parts of `other`.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The parts of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// One polygon, as [`Mesh::polygons`] gives it. A column is empty if the polygon has no such part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polygon<'a> {
    /// The name of its material; empty without one.
    pub material: &'a BStr,
    /// The name of its parameter; empty without one.
    pub parameter: &'a BStr,
    /// The data of its corners.
    pub parts: CornerParts,
    /// Its corners, counter-clockwise seen from outside.
    pub vertices: &'a [VertexId],
    /// The texture coordinates of its corners.
    pub tex_coords: &'a [TexCoordId],
    /// The normals of its corners.
    pub normals: &'a [VertexId],
    /// The maximum vertices of its corners.
    pub maximums: &'a [VertexId],
}

/// The corners of a polygon that [`Mesh::push`] adds; a column is empty if the polygon has no such part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corners<'a> {
    /// Its corners, counter-clockwise seen from outside.
    pub vertices: &'a [VertexId],
    /// Their texture coordinates.
    pub tex_coords: &'a [TexCoordId],
    /// Their normals.
    pub normals: &'a [VertexId],
    /// Their maximum vertices.
    pub maximums: &'a [VertexId],
}

impl Mesh {
    /// The number of polygons, including points and lines.
    pub fn len(&self) -> usize {
        let count = |record: &MeshRecord| match record {
            MeshRecord::Polygons(polygons) => polygons.count as usize,
            _ => 0,
        };
        // Saturating: the records may state more polygons than there are.
        self.records.iter().map(count).fold(0, usize::saturating_add)
    }

    /// Whether there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All polygons, in order. Ends early if a column is shorter than the records require, or at a polygon that does
    /// not have 1 to 15 corners.
    pub fn polygons(&self) -> impl Iterator<Item = Polygon<'_>> {
        let empty = b"".as_bstr();
        let mut corners = self.corners();
        let (mut material, mut parameter) = (empty, empty);
        self.records
            .iter()
            .filter_map(move |record| {
                match record {
                    MeshRecord::Material(name) => material = name.as_bstr(),
                    MeshRecord::Parameter(name) => parameter = name.as_bstr(),
                    MeshRecord::Property(..) => {}
                    MeshRecord::Polygons(polygons) => return Some((material, parameter, *polygons)),
                }
                None
            })
            .flat_map(|(material, parameter, polygons)| {
                (0..polygons.count).map(move |_| (material, parameter, polygons))
            })
            .map_while(move |(material, parameter, polygons)| {
                let sides = (1..=15).contains(&polygons.sides).then_some(usize::from(polygons.sides))?;
                let Corners { vertices, tex_coords, normals, maximums } =
                    corners.take(sides, polygons.parts)?;
                let parts = polygons.parts;
                Some(Polygon { material, parameter, parts, vertices, tex_coords, normals, maximums })
            })
    }

    fn corners(&self) -> Corners<'_> {
        let Self { vertices, tex_coords, normals, maximums, .. } = self;
        Corners { vertices, tex_coords, normals, maximums }
    }

    /// Each record with the corners of its polygons, for writers.
    pub(crate) fn each_record<'m>(
        &'m self,
        mut write: impl FnMut(&'m MeshRecord, Corners<'m>) -> Result<()>,
    ) -> Result<()> {
        let missing =
            "polygons whose corners are missing in `vertices`, `tex_coords`, `normals` or `maximums`";
        let mut corners = self.corners();
        for (index, record) in self.records.iter().enumerate() {
            let taken = match record {
                MeshRecord::Polygons(Polygons { sides, .. }) if !(1..16).contains(sides) => {
                    Err(format!("polygons with {sides} corners (expected 1 to 15)"))
                }
                MeshRecord::Polygons(Polygons { parts, .. }) if parts.0 > 15 => {
                    let parts = parts.0;
                    Err(format!(
                        "polygons whose `parts` are {parts} (expected at most 15: four bits are stored)"
                    ))
                }
                MeshRecord::Polygons(Polygons { count, sides, parts }) => (*count as usize)
                    .checked_mul(usize::from(*sides))
                    .and_then(|count| corners.take(count, *parts))
                    .ok_or_else(|| missing.to_owned()),
                MeshRecord::Property(id @ (0 | 1 | 16..), _) => {
                    Err(format!("a `MeshRecord::Property` with the id {id} (expected 2 to 15)"))
                }
                _ => Ok(Corners::default()),
            };
            taken
                .map_err(|what| Error::unwritable("", what))
                .and_then(|corners| write(record, corners))
                .map_err(|error| error.within(&format!("records[{index}]")))?;
        }
        let surplus = match corners {
            Corners { vertices: [_, ..], .. } => "vertices",
            Corners { tex_coords: [_, ..], .. } => "tex_coords",
            Corners { normals: [_, ..], .. } => "normals",
            Corners { maximums: [_, ..], .. } => "maximums",
            _ => return Ok(()),
        };
        Err(Error::unwritable(surplus, "more entries than the polygons need (remove the surplus)"))
    }

    /// Adds a polygon with the current material and parameter. `vertices` has 1 to 15 entries; each other column
    /// is empty or has the same length.
    ///
    /// ```
    /// use m3d::{Corners, Mesh, TexCoordId, VertexId};
    ///
    /// let mut mesh = Mesh::default();
    /// mesh.push(Corners { vertices: &[VertexId(0), VertexId(1), VertexId(2)], ..Corners::default() })?;
    /// let tex_coords = &[TexCoordId(0); 2];
    /// assert!(mesh.push(Corners { vertices: &[VertexId(0)], tex_coords, ..Corners::default() }).is_err());
    /// # Ok::<(), m3d::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the columns are inconsistent.
    pub fn push(&mut self, corners: Corners<'_>) -> Result<()> {
        let Corners { vertices, tex_coords, normals, maximums } = corners;
        let sides = vertices.len();
        if !(1..=15).contains(&sides) {
            return Err(Error::invalid_argument(
                "vertices",
                format!("expected 1 to 15 corners, found {sides}"),
            ));
        }
        let mut parts = CornerParts::default();
        let columns = [
            (tex_coords.len(), CornerParts::TEX_COORD, "tex_coords"),
            (normals.len(), CornerParts::NORMAL, "normals"),
            (maximums.len(), CornerParts::MAXIMUM, "maximums"),
        ];
        for (len, part, path) in columns {
            match len {
                0 => {}
                _ => {
                    Problem::length("entries", len, sides).argument(path)?;
                    parts = parts.with(part);
                }
            }
        }
        #[allow(clippy::cast_possible_truncation, reason = "1 to 15")]
        self.add_polygons(Polygons { count: 1, sides: sides as u8, parts });
        self.vertices.extend_from_slice(vertices);
        self.tex_coords.extend_from_slice(tex_coords);
        self.normals.extend_from_slice(normals);
        self.maximums.extend_from_slice(maximums);
        Ok(())
    }

    /// Sets the material of the polygons that are pushed next; no material if the name is empty.
    pub fn use_material(&mut self, name: impl Into<BString>) {
        self.records.push(MeshRecord::Material(name.into()));
    }

    /// Sets the parameter of the polygons that are pushed next.
    pub fn use_parameter(&mut self, name: impl Into<BString>) {
        self.records.push(MeshRecord::Parameter(name.into()));
    }

    /// Adds polygons to the records only: to the last record if its polygons are of the same kind. The caller adds the
    /// corners to the columns.
    pub fn add_polygons(&mut self, polygons: Polygons) {
        if let Some(MeshRecord::Polygons(last)) = self.records.last_mut()
            && (last.sides, last.parts) == (polygons.sides, polygons.parts)
            && let Some(count) = last.count.checked_add(polygons.count)
        {
            last.count = count;
        } else {
            self.records.push(MeshRecord::Polygons(polygons));
        }
    }
}

/// Runs a block for each column that polygons with these parts have, with the column and its value: one of four, for
/// vertices, texture coordinates, normals and maximums.
macro_rules! each_column {
    ($mesh:expr, $parts:expr, $values:expr, |$column:ident, $value:pat_param| $do:expr) => {{
        let [vertex, tex_coord, normal, maximum] = $values;
        let ($column, $value) = (&mut $mesh.vertices, vertex);
        $do;
        if $parts.has($crate::model::CornerParts::TEX_COORD) {
            let ($column, $value) = (&mut $mesh.tex_coords, tex_coord);
            $do;
        }
        if $parts.has($crate::model::CornerParts::NORMAL) {
            let ($column, $value) = (&mut $mesh.normals, normal);
            $do;
        }
        if $parts.has($crate::model::CornerParts::MAXIMUM) {
            let ($column, $value) = (&mut $mesh.maximums, maximum);
            $do;
        }
    }};
}
pub(crate) use each_column;

impl Corners<'_> {
    /// Removes the next `corners` corners, all with these parts, from the front.
    #[inline(always)]
    pub(crate) fn take(&mut self, corners: usize, parts: CornerParts) -> Option<Self> {
        let part = |part| if parts.has(part) { corners } else { 0 };
        Some(Self {
            vertices: self.vertices.split_off(..corners)?,
            tex_coords: self.tex_coords.split_off(..part(CornerParts::TEX_COORD))?,
            normals: self.normals.split_off(..part(CornerParts::NORMAL))?,
            maximums: self.maximums.split_off(..part(CornerParts::MAXIMUM))?,
        })
    }
}
