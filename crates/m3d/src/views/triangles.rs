//! The meshes as triangles.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, BString, ByteSlice};
use geom::{LinearRgba, Rgba8, TriMesh, Vec2, Vec3};

use crate::consts::PropertyId;
use crate::hash::Mix;
use crate::model::{BoneId, MaterialId, Mesh, MeshRecord, Model, Polygon, Skin, TexCoordId, VertexId};
use crate::options::ViewOptions;
use crate::view_budget::ViewBudget;
use geom::wire::{ErrorKind, Result};

/// The triangles of one material, with one list of vertices, as graphics cards and glTF need them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Group {
    /// The name of the material; empty without one.
    pub name: BString,
    /// The material; [`MaterialId::NONE`] if the model does not define it.
    pub material: MaterialId,
    /// The triangles, in metres, with v downwards. Colours are those of the vertices, and absent if
    /// the material has a diffuse colour, which overrides them. Joints are indices of
    /// [`Model::bones`]; a vertex that no bone moves has weights of 0.
    pub mesh: TriMesh,
    /// For each vertex of `mesh`, the vertex of the model that it comes from. Several can come from one, with different
    /// normals or texture coordinates. [`Model::influences`] returns all bones that move it.
    pub vertices: Vec<VertexId>,
}

/// A corner of a polygon: equal corners become one vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Corner {
    vertex: VertexId,
    tex_coord: TexCoordId,
    normal: VertexId,
    material: u32,
}

impl ViewOptions {
    /// Like [`Model::to_tri_mesh`], with these options.
    ///
    /// # Errors
    /// If more memory or work is needed than the options allow.
    pub fn to_tri_mesh(&self, model: &Model) -> Result<TriMesh> {
        self.run(|work| tri_mesh(model, work))
    }

    /// Like [`Model::material_groups`], with these options.
    ///
    /// # Errors
    /// As [`ViewOptions::to_tri_mesh`], and if a bone moves a vertex whose index has more than 16
    /// bits.
    pub fn material_groups(&self, model: &Model) -> Result<Vec<Group>> {
        self.run(|work| groups(model, work))
    }
}

impl Model {
    /// All polygons of all meshes as triangles, in metres, with v downwards; without joints.
    ///
    /// Polygons of more than three corners become fans; points and lines are skipped, as is a polygon with a vertex
    /// that does not exist. A colour is the material's diffuse one, or else the vertex's, or else white. If only
    /// some corners have a normal or a texture coordinate, the others have zeros.
    ///
    /// # Errors
    /// As [`ViewOptions::to_tri_mesh`] with the defaults.
    pub fn to_tri_mesh(&self) -> Result<TriMesh> {
        ViewOptions::new().to_tri_mesh(self)
    }

    /// The polygons as triangles, by material in the order of first use, with their joints; the triangles are those
    /// of [`Model::to_tri_mesh`].
    ///
    /// # Errors
    /// As [`ViewOptions::material_groups`] with the defaults.
    pub fn material_groups(&self) -> Result<Vec<Group>> {
        ViewOptions::new().material_groups(self)
    }

    /// The number of triangles of the meshes: a polygon of n corners has n - 2.
    pub fn triangle_count(&self) -> u64 {
        let records = self.meshes.iter().flat_map(|mesh| &mesh.records);
        let triangles = records.map(|record| match record {
            // Points and lines have none.
            MeshRecord::Polygons(of) => u64::from(of.count) * u64::from(of.sides.saturating_sub(2)),
            _ => 0,
        });
        // Saturating: the records only state how many polygons there are.
        triangles.fold(0, u64::saturating_add)
    }

    /// The bones that move a vertex, with weights that sum to 1; bones that do not exist are skipped.
    pub fn influences(&self, vertex: VertexId) -> impl Iterator<Item = (BoneId, f32)> {
        let (influences, count) = self.moving(vertex);
        influences.into_iter().take(count)
    }

    fn moving(&self, vertex: VertexId) -> ([(BoneId, f32); 8], usize) {
        let mut list = [(BoneId::NONE, 0.0); 8];
        let (mut sum, mut count) = (0.0, 0);
        let skin = self.vertices.skin(vertex).get().and_then(|skin| self.skins.get(skin));
        let influences = skin.into_iter().flat_map(Skin::influences);
        let exist = influences.filter(|(bone, _)| bone.get().is_some_and(|bone| bone < self.bones.len()));
        for (entry, (bone, weight)) in list.iter_mut().zip(exist) {
            *entry = (bone, weight);
            (sum, count) = (sum + weight, count + 1);
        }
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
        (list, count)
    }

    /// The names of materials that are used but not defined by the model.
    pub fn undefined_materials(&self) -> Vec<&BStr> {
        let mut seen: HashSet<&BStr> = self.material_ids().into_keys().collect();
        let names = self.meshes.iter().flat_map(|mesh| &mesh.records).filter_map(|record| match record {
            MeshRecord::Material(name) if !name.is_empty() => Some(name.as_bstr()),
            _ => None,
        });
        names.filter(|name| seen.insert(name)).collect()
    }
}

fn tri_mesh(model: &Model, work: &ViewBudget) -> Result<TriMesh, ErrorKind> {
    let mut out = Expansion { painted: true, ..Expansion::new(model, work, Group::default()) };
    // The number of triangles of all complete polygons is known beforehand.
    let corners: u64 = model.meshes.iter().map(|mesh| mesh.vertices.len() as u64).sum();
    let count = model.triangle_count().min(corners);
    work.values::<[u32; 3]>(count)?;
    out.group.mesh.triangles.reserve_exact(usize::try_from(count).unwrap_or(0));
    let mut paints = Paints::new(model, work)?;
    for polygon in model.meshes.iter().flat_map(Mesh::polygons) {
        let (number, paint, _) = paints.get(polygon.material)?;
        out.add(polygon, number, paint)?;
    }
    Ok(out.group.mesh)
}

pub(super) fn groups(model: &Model, work: &ViewBudget) -> Result<Vec<Group>, ErrorKind> {
    let mut paints = Paints::new(model, work)?;
    let mut groups: Vec<Expansion<'_>> = Vec::new();
    for polygon in model.meshes.iter().flat_map(Mesh::polygons) {
        let (number, paint, material) = paints.get(polygon.material)?;
        let index = number as usize;
        if index == groups.len() {
            work.bytes(polygon.material.len() as u64)?;
            let group = Group { name: polygon.material.into(), material, ..Group::default() };
            let skinned = !model.skins.is_empty();
            work.push(&mut groups, Expansion { skinned, ..Expansion::new(model, work, group) })?;
        }
        if let Some(group) = groups.get_mut(index) {
            group.add(polygon, 0, paint)?;
        }
    }
    work.values::<Group>(groups.len() as u64)?;
    Ok(groups.into_iter().map(|expansion| expansion.group).collect())
}

/// A used material: its index in the order of first use, its colour, and its id.
type Paint = (u32, Option<Rgba8>, MaterialId);

/// The used materials and their colours, looked up once for many polygons.
struct Paints<'m> {
    model: &'m Model,
    work: &'m ViewBudget,
    materials: HashMap<&'m BStr, MaterialId>,
    known: HashMap<&'m BStr, Paint>,
    last: Option<(&'m BStr, Paint)>,
}

/// The memory of a hash map per entry, in entries: includes free space, and the old memory while the map grows.
const ENTRY: usize = 4;

impl<'m> Paints<'m> {
    fn new(model: &'m Model, work: &'m ViewBudget) -> Result<Self, ErrorKind> {
        work.values::<[(&BStr, MaterialId); ENTRY]>(model.materials.len() as u64)?;
        work.steps(model.materials.len() as u64)?;
        Ok(Self { model, work, materials: model.material_ids(), known: HashMap::new(), last: None })
    }

    fn get(&mut self, name: &'m BStr) -> Result<Paint, ErrorKind> {
        if let Some((last, found)) = self.last
            && std::ptr::eq(last, name)
        {
            return Ok(found);
        }
        let found = match self.known.get(name) {
            Some(&found) => found,
            None => {
                self.work.values::<[(&BStr, Paint); ENTRY]>(1)?;
                let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
                let id = self.materials.get(name).copied().unwrap_or(MaterialId::NONE);
                let material = id.get().and_then(|id| self.model.materials.get(id));
                let color = material.and_then(|material| material.color(PropertyId::DIFFUSE));
                self.known.insert(name, (number, color, id));
                (number, color, id)
            }
        };
        self.last = Some((name, found));
        Ok(found)
    }
}

/// Triangles with deduplicated corners.
struct Expansion<'m> {
    model: &'m Model,
    work: &'m ViewBudget,
    corners: HashMap<Corner, u32, Mix>,
    group: Group,
    /// Whether vertices get the colours of their materials.
    painted: bool,
    skinned: bool,
}

impl<'m> Expansion<'m> {
    fn new(model: &'m Model, work: &'m ViewBudget, group: Group) -> Self {
        Self { model, work, corners: HashMap::default(), group, painted: false, skinned: false }
    }

    fn add(&mut self, polygon: Polygon<'_>, material: u32, paint: Option<Rgba8>) -> Result<(), ErrorKind> {
        self.work.steps(polygon.vertices.len() as u64)?;
        let exist = |id: &VertexId| self.model.vertices.coord(*id).is_some();
        if polygon.vertices.len() < 3 || !polygon.vertices.iter().all(exist) {
            return Ok(());
        }
        let (mut first, mut last) = (0, 0);
        for (place, &vertex) in polygon.vertices.iter().enumerate() {
            let corner = Corner {
                vertex,
                tex_coord: polygon.tex_coords.get(place).copied().unwrap_or(TexCoordId::NONE),
                normal: polygon.normals.get(place).copied().unwrap_or(VertexId::NONE),
                material,
            };
            let index = self.corner(corner, paint)?;
            match place {
                0 => first = index,
                1 => {}
                _ => self.work.push(&mut self.group.mesh.triangles, [first, last, index])?,
            }
            last = index;
        }
        Ok(())
    }

    #[inline]
    fn corner(&mut self, corner: Corner, paint: Option<Rgba8>) -> Result<u32, ErrorKind> {
        use std::collections::hash_map::Entry;
        if self.corners.len() == self.corners.capacity() {
            // The map doubles, and keeps its old memory until all entries have moved.
            let more = (self.corners.len() as u64).max(8);
            self.work.values::<[(Corner, u32); 2]>(more)?;
        }
        let next = self.group.vertices.len();
        let index = match self.corners.entry(corner) {
            Entry::Occupied(entry) => return Ok(*entry.get()),
            Entry::Vacant(entry) => *entry.insert(u32::try_from(next).unwrap_or(u32::MAX)),
        };
        self.work.vertices(1)?;
        let (model, work, mesh) = (self.model, self.work, &mut self.group.mesh);
        let position = model.vertices.position(corner.vertex).unwrap_or_default();
        work.push(&mut mesh.positions, position * model.scale_or_one())?;
        work.push(&mut self.group.vertices, corner.vertex)?;
        column(work, &mut mesh.normals, next, model.vertices.position(corner.normal), Vec3::default())?;
        let uv = corner.tex_coord.get().and_then(|id| model.tex_coords.uvs.get(id));
        // v grows upwards in the file.
        column(work, &mut mesh.uvs, next, uv.map(|uv| Vec2::new(uv.x, 1.0 - uv.y)), Vec2::default())?;
        let own = if paint.is_some() { None } else { model.vertices.color(corner.vertex) };
        let color = own.or(paint.filter(|_| self.painted)).map(Rgba8::to_linear);
        column(work, &mut mesh.colors, next, color, LinearRgba::WHITE)?;
        if self.skinned {
            self.skin(corner.vertex, next)?;
        }
        Ok(index)
    }

    /// The four strongest influences of a vertex.
    fn skin(&mut self, vertex: VertexId, next: usize) -> Result<(), ErrorKind> {
        let (mut list, count) = self.model.moving(vertex);
        let list = &mut list[..count];
        geom::sort::by(list, |a, b| b.1.total_cmp(&a.1));
        let list = &list[..count.min(4)];
        let sum: f32 = list.iter().map(|&(_, weight)| weight).sum();
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        for (&(bone, weight), (joint, to)) in list.iter().zip(joints.iter_mut().zip(&mut weights)) {
            let what = || format!("bone {bone} moves a vertex, but joint indices end at 65535");
            *joint = u16::try_from(bone.0).map_err(|_| ErrorKind::InvalidArgument(what().into()))?;
            *to = weight / sum;
        }
        let influence = (!list.is_empty()).then_some((joints, weights));
        let (joints, weights) = influence.unzip();
        column(self.work, &mut self.group.mesh.joints, next, joints, [0; 4])?;
        column(self.work, &mut self.group.mesh.weights, next, weights, [0.0; 4])
    }
}

/// Adds to a column that is empty until an entry has a value.
#[inline]
fn column<T: Clone>(
    work: &ViewBudget,
    column: &mut Vec<T>,
    len: usize,
    value: Option<T>,
    none: T,
) -> Result<(), ErrorKind> {
    if column.is_empty() {
        if value.is_none() {
            return Ok(());
        }
        work.values::<T>(len as u64)?;
        column.resize(len, none.clone());
    }
    work.push(column, value.unwrap_or(none))
}
