//! The meshes as triangles.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice};
use geom::{Rgba8, TriMesh, Vec2};

use super::hash::Mix;
use crate::consts::PropertyId;
use crate::model::{MaterialId, Mesh, Model, Polygon, TexCoordId, VertexId};

/// The triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The name of the material; empty for none.
    pub name: BString,
    /// The material; none where the model does not define it.
    pub material: MaterialId,
    /// The triangles.
    pub mesh: TriMesh,
}

/// What makes a corner another one than the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Corner {
    vertex: VertexId,
    tex_coord: TexCoordId,
    normal: VertexId,
    material: u32,
}

impl Model {
    /// All polygons of all meshes as triangles, in metres (coordinates by [`Model::scale_or_one`]).
    ///
    /// Polygons of more than three corners become fans; points and lines are left out, as is a
    /// polygon that names a vertex that is not there. A colour is the material's diffuse one, or else
    /// the vertex's, or else white. Where only some corners have a normal or a texture coordinate,
    /// the others have zeros.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let mut out = Expansion::new(self);
        let mut paints = Paints::new(self);
        for polygon in self.meshes.iter().flat_map(Mesh::polygons) {
            let (number, paint, _) = paints.get(polygon.material);
            out.add(polygon, number, paint);
        }
        out.finish()
    }

    /// The polygons as triangles, by material in the order of first use; as [`Model::to_tri_mesh`].
    pub fn material_groups(&self) -> Vec<Group> {
        let mut paints = Paints::new(self);
        let mut groups: Vec<(MaterialId, BString, Expansion<'_>)> = Vec::new();
        for polygon in self.meshes.iter().flat_map(Mesh::polygons) {
            let (number, paint, material) = paints.get(polygon.material);
            let place = number as usize;
            if place == groups.len() {
                groups.push((material, polygon.material.into(), Expansion::new(self)));
            }
            groups[place].2.add(polygon, 0, paint);
        }
        groups
            .into_iter()
            .map(|(material, name, expansion)| Group { name, material, mesh: expansion.finish() })
            .collect()
    }

    /// The names of materials that are used and that the model does not define.
    pub fn undefined_materials(&self) -> Vec<&BStr> {
        let mut names: Vec<&BStr> = Vec::new();
        let mut seen: HashSet<&BStr> = material_ids(self).into_keys().collect();
        for record in self.meshes.iter().flat_map(|mesh| &mesh.records) {
            if let crate::MeshRecord::Material(name) = record
                && !name.is_empty()
                && seen.insert(name.as_bstr())
            {
                names.push(name.as_bstr());
            }
        }
        names
    }

    /// Takes from a library the materials that this model has not, with the assets that they name.
    /// Gives how many materials that were.
    pub fn merge_materials(&mut self, library: &Self) -> usize {
        let mut added = 0;
        let there: HashSet<BString> = self.materials.iter().map(|material| material.name.clone()).collect();
        for material in library.materials.iter().filter(|material| !there.contains(&material.name)) {
            for property in &material.properties {
                if let crate::Value::Map(name) = &property.value
                    && self.asset(name.as_bstr()).is_none()
                    && let Some(asset) = library.asset(name.as_bstr())
                {
                    self.assets.push(asset.clone());
                }
            }
            self.materials.push(material.clone());
            added += 1;
        }
        added
    }
}

/// The first material of each name.
pub(crate) fn material_ids(model: &Model) -> HashMap<&BStr, MaterialId> {
    let mut ids = HashMap::new();
    for (place, material) in model.materials.iter().enumerate() {
        ids.entry(material.name.as_bstr()).or_insert(MaterialId::new(place));
    }
    ids
}

/// The number of a material in the order of use, its colour, and which it is.
type Paint = (u32, Option<Rgba8>, MaterialId);

/// The colours of the materials as they are used, one look-up for many polygons.
struct Paints<'m> {
    model: &'m Model,
    materials: HashMap<&'m BStr, MaterialId>,
    known: HashMap<&'m BStr, Paint>,
    last: Option<(&'m BStr, Paint)>,
}

impl<'m> Paints<'m> {
    fn new(model: &'m Model) -> Self {
        Self { model, materials: material_ids(model), known: HashMap::new(), last: None }
    }

    fn get(&mut self, name: &'m BStr) -> Paint {
        if let Some((last, found)) = self.last
            && std::ptr::eq(last, name)
        {
            return found;
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let model = self.model;
        let found = *self.known.entry(name).or_insert_with(|| {
            let id = self.materials.get(name).copied().unwrap_or_default();
            let material = id.get().and_then(|id| model.materials.get(id));
            (number, material.and_then(|material| material.color(PropertyId::DIFFUSE)), id)
        });
        self.last = Some((name, found));
        found
    }
}

/// Triangles whose corners are told apart.
struct Expansion<'m> {
    model: &'m Model,
    corners: HashMap<Corner, u32, Mix>,
    mesh: TriMesh,
    scale: f32,
    normals: bool,
    uvs: bool,
    colors: bool,
}

impl<'m> Expansion<'m> {
    fn new(model: &'m Model) -> Self {
        let scale = model.scale_or_one();
        let (corners, mesh) = (HashMap::default(), TriMesh::default());
        Self { model, corners, mesh, scale, normals: false, uvs: false, colors: false }
    }

    fn add(&mut self, polygon: Polygon<'_>, material: u32, paint: Option<Rgba8>) {
        if polygon.vertices.len() < 3
            || polygon.vertices.iter().any(|&id| self.model.vertices.coord(id).is_none())
        {
            return;
        }
        let mut indices = [0; 15];
        for (place, index) in indices.iter_mut().enumerate().take(polygon.vertices.len()) {
            let corner = Corner {
                vertex: polygon.vertices[place],
                tex_coord: polygon.tex_coords.get(place).copied().unwrap_or_default(),
                normal: polygon.normals.get(place).copied().unwrap_or_default(),
                material,
            };
            *index = self.corner(corner, paint);
        }
        for place in 2..polygon.vertices.len() {
            self.mesh.triangles.push([indices[0], indices[place - 1], indices[place]]);
        }
    }

    fn corner(&mut self, corner: Corner, paint: Option<Rgba8>) -> u32 {
        let next = u32::try_from(self.mesh.positions.len()).unwrap_or(u32::MAX);
        let index = *self.corners.entry(corner).or_insert(next);
        if index == next {
            let model = self.model;
            self.mesh.positions.push(model.vertices.position(corner.vertex).unwrap_or_default() * self.scale);
            let normal = model.vertices.position(corner.normal);
            self.normals |= normal.is_some();
            self.mesh.normals.push(normal.unwrap_or_default());
            let uv: Option<Vec2> =
                corner.tex_coord.get().and_then(|id| model.tex_coords.uvs.get(id)).copied();
            self.uvs |= uv.is_some();
            self.mesh.uvs.push(uv.unwrap_or_default());
            let color = paint.or_else(|| model.vertices.color(corner.vertex));
            self.colors |= color.is_some();
            self.mesh.colors.push(color.unwrap_or(Rgba8::WHITE));
        }
        index
    }

    /// Leaves out the columns that nobody has.
    fn finish(mut self) -> TriMesh {
        if !self.normals {
            self.mesh.normals = Vec::new();
        }
        if !self.uvs {
            self.mesh.uvs = Vec::new();
        }
        if !self.colors {
            self.mesh.colors = Vec::new();
        }
        self.mesh
    }
}
