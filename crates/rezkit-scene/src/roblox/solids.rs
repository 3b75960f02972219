//! Geometry in properties: the meshes of unions, and the collision hulls of parts.

use std::sync::Arc;

use geom::{Rgba8, TriMesh};
use glam::{Mat4, Vec3};
use rbxblobs::collision::Hull;
use rbxblobs::{Collision, UnionMesh};

use super::builder::{Builder, MeshSource, level_of, transform};
use super::look::Look;
use super::rigs::Rigs;
use super::solid::{Origin, Solid, SolidKey};
use super::source;
use super::tree::{self, Inst, Prop};
use crate::forms::Unions;
use crate::images::linear_from_srgb;
use crate::model::{Levels, Node, Transform};
use rezkit_core::{Budget, Error, Reference, Result};

/// The properties that can have a union's mesh.
pub(super) const MESHES: &[&str] = &["SolidMeshHolder", "MeshData2", "MeshData"];
/// The properties that can have a part's hulls.
pub(super) const HULLS: &[&str] = &["PhysicalConfigData", "PhysicsData"];

/// Maximum nesting depth of unions.
const MAX_DEPTH: u32 = 8;

/// The geometry of a solid: its source, its offset in the part's axes, and its scale.
type Drawn = (MeshSource, Vec3, Vec3);

impl Builder<'_> {
    /// The mesh or the hulls of a union; `None` if it has none of those that the options request.
    pub(super) fn union(&mut self, index: usize, size: Vec3, look: &mut Look) -> Option<Drawn> {
        let wanted = self.options.unions;
        if matches!(wanted, Unions::First | Unions::Mesh)
            && let Some(drawn) = self.union_mesh(index, size, look)
        {
            return Some(drawn);
        }
        let has_hulls = matches!(wanted, Unions::First | Unions::Hulls);
        has_hulls.then(|| self.hulls(index, size, look, "a union is shown as its collision hulls"))?
    }

    /// The mesh of a union, from the document or the file of its asset.
    fn union_mesh(&mut self, index: usize, size: Vec3, look: &mut Look) -> Option<Drawn> {
        let tree = self.tree;
        let union = &tree.instances[index];
        let own_color = union.bool("UsePartColor") == Some(true);
        let asset = union.text(&["AssetId"]).and_then(|uri| Reference::of_uri(&uri));
        let sources = union.blobs(MESHES).map(Origin::Blob).chain(asset.map(Origin::Asset));
        for from in sources.collect::<Vec<_>>() {
            let key = SolidKey { from, own_color, level: level_of(self.options) };
            if let Some(solid) = self.mesh_solid(index, &key) {
                return Some(placed(union, size, look, key, &solid));
            }
        }
        None
    }

    /// The mesh of a union; `None` if it is missing.
    fn mesh_solid(&mut self, index: usize, key: &SolidKey) -> Option<Solid> {
        let tree = self.tree;
        let (own_color, level) = (key.own_color, key.level);
        match &key.from {
            Origin::Blob(blob) => {
                let read =
                    |_: &mut Self, budget: &mut Budget| mesh(&tree.blobs[*blob], own_color, level, budget);
                self.solid(index, key, read, "the mesh of a union")
            }
            Origin::Asset(asset) => {
                let read = |builder: &mut Self, budget: &mut Budget| match builder.sources.get(asset)? {
                    Some(file) => asset_mesh(&file, own_color, level, budget).map(Some),
                    None => {
                        builder.miss(index, format!("the mesh {asset} was not found"));
                        Ok(None)
                    }
                };
                self.solid(index, key, read, &format!("the mesh asset {asset} of a union"))
            }
        }
    }

    /// Adds the other levels of detail of a union's mesh as separate nodes, if all are requested.
    pub(super) fn further_levels(
        &mut self,
        index: usize,
        source: &MeshSource,
        material: usize,
        parent: Option<usize>,
        place: Transform,
    ) {
        let MeshSource::Solid(key) = source else { return };
        let levels = self.solids.get(key).and_then(Option::as_ref).map_or(1, |solid| solid.levels);
        if self.options.levels != Levels::All {
            return;
        }
        for level in 1..levels {
            let key = SolidKey { level, ..key.clone() };
            let Some(mesh) =
                self.mesh_solid(index, &key).and_then(|_| self.mesh(&MeshSource::Solid(key), material))
            else {
                continue;
            };
            let name = format!("{}_LOD{level}", self.tree.instances[index].name);
            let mut node = Node { name, transform: place, mesh: Some(mesh), ..self.tree.node(index) };
            node.extras.insert("lod".into(), level.into());
            self.scene.add_node(parent, node);
        }
    }

    /// The collision hulls of a part; `None` if its collision shape is only a box.
    pub(super) fn hulls(
        &mut self,
        index: usize,
        size: Vec3,
        look: &mut Look,
        what: &'static str,
    ) -> Option<Drawn> {
        let tree = self.tree;
        let part = &tree.instances[index];
        for blob in part.blobs(HULLS) {
            let key = SolidKey { from: Origin::Blob(blob), own_color: true, level: 0 };
            let read = |_: &mut Self, budget: &mut Budget| hulls(&tree.blobs[blob], budget);
            if let Some(solid) = self.solid(index, &key, read, "the collision hulls of a part") {
                self.approximate(index, what);
                return Some(placed(part, size, look, key, &solid));
            }
        }
        None
    }

    /// Draws the operands of a union, without applying its operations, if the file has them. Their positions are
    /// relative to the union.
    pub(super) fn operands(&mut self, index: usize, parent: Option<usize>, base: Mat4) -> bool {
        let tree = self.tree;
        let union = &tree.instances[index];
        let is_wanted = matches!(self.options.unions, Unions::First | Unions::Operands);
        let data = union.blobs(&["ChildData2", "ChildData"]).next();
        let Some(data) = data.filter(|_| is_wanted && self.depth < MAX_DEPTH) else { return false };
        let mut operands = match source::operands(&tree.blobs[data], self.budget) {
            Ok(operands) => operands,
            Err(error) => {
                self.lose(index, format!("the operands of a union cannot be read: {error}"));
                return false;
            }
        };
        let color = Look::of_part(union).color;
        for operand in &mut operands.instances {
            if operand.class == "NegateOperation" {
                operand.props.remove("CFrame");
            }
            if union.bool("UsePartColor") == Some(true) {
                let color = color.map(|part| f32::from(part) / 255.0);
                operand.props.insert("Color3uint8", tree::Prop::Color(color));
            }
        }
        let mut builder = Builder::new(&operands, self.options, self.budget, self.sources, self.depth + 1);
        builder.draw(&Rigs::default());
        let (mut part, losses) = builder.finish();
        self.list_below(index, losses);
        if part.nodes.is_empty() {
            return false;
        }
        self.approximate(index, "a union is shown as its separate operands: nothing is merged or cut away");
        let top = Node { transform: transform(base), ..tree.node(index) };
        part.nodes.iter_mut().for_each(|node| node.source = top.source);
        let top = self.scene.add_node(parent, top);
        self.scene.absorb(part, top);
        true
    }

    /// The solid of a key, built once; `None` if there is no solid. If it cannot be read, that is listed.
    fn solid(
        &mut self,
        index: usize,
        key: &SolidKey,
        read: impl FnOnce(&mut Self, &mut Budget) -> Result<Option<Solid>>,
        what: &str,
    ) -> Option<Solid> {
        if let Some(known) = self.solids.get(key) {
            return known.clone();
        }
        let mut budget = self.budget.clone();
        let solid = read(self, &mut budget);
        *self.budget = budget;
        let solid = solid.unwrap_or_else(|error| {
            self.lose(index, format!("{what} cannot be read: {error}"));
            None
        });
        self.solids.insert(key.clone(), solid.clone());
        solid
    }

    /// The mesh of a solid, with its name.
    pub(super) fn solid_mesh(&self, key: &SolidKey) -> Option<(String, Arc<TriMesh>)> {
        let solid = self.solids.get(key)?.as_ref()?;
        let name = match (&key.from, solid.hulls) {
            (Origin::Asset(asset), _) => asset.to_string(),
            (Origin::Blob(_), 0) => "Union".to_owned(),
            (Origin::Blob(_), 1) => "1 hull".to_owned(),
            (Origin::Blob(_), hulls) => format!("{hulls} hulls"),
        };
        Some((name, Arc::clone(&solid.mesh)))
    }
}

/// Places a solid in its part, scaled by the part's size.
fn placed(part: &Inst, size: Vec3, look: &mut Look, key: SolidKey, solid: &Solid) -> Drawn {
    let initial = part.vector(&["InitialSize"]).filter(|initial| initial.min_element() > 0.0);
    let extent = initial.unwrap_or(solid.size).max(Vec3::splat(1e-6));
    if part.bool("UsePartColor") != Some(true) {
        if let Some(color) = solid.color {
            look.color = color;
        } else if !solid.mesh.colors.is_empty() {
            look.color = [255; 3];
        }
    }
    (MeshSource::Solid(key), Vec3::ZERO, size / extent)
}

fn solid(mesh: TriMesh, color: Option<[u8; 3]>, hulls: usize) -> Option<Solid> {
    let size = mesh.bounds().filter(|_| !mesh.triangles.is_empty())?.size();
    Some(Solid { mesh: mesh.into(), size: Vec3::from(size.to_array()), color, hulls, levels: 1 })
}

/// A level of a union's mesh, or the coarsest if it has fewer, with normals that point outwards.
pub(super) fn mesh(blob: &[u8], own_color: bool, level: usize, budget: &mut Budget) -> Result<Option<Solid>> {
    if blob.starts_with(b"CSGK") {
        return Ok(None);
    }
    let read: UnionMesh = rbxblobs::ReadOptions::new().max_bytes(budget.left()).read(blob)?;
    let values = |mesh: &TriMesh| mesh.positions.len() as u64 * 40 + mesh.triangles.len() as u64 * 12;
    budget.take(values(&read.mesh), "the mesh of a union")?;
    let levels = read.levels.len();
    let mut mesh = read.into_level(level.min(levels.saturating_sub(1)));
    turn_normals(&mut mesh);
    // A single colour becomes that of the material.
    let first = mesh.colors.first().copied();
    let one = first.filter(|first| mesh.colors.iter().all(|color| color == first));
    match one {
        None if !own_color => {
            let linear = |part: u8| (linear_from_srgb(part) * 255.0 + 0.5) as u8;
            for color in &mut mesh.colors {
                *color = Rgba8 { r: linear(color.r), g: linear(color.g), b: linear(color.b), a: color.a };
            }
        }
        _ => mesh.colors = Vec::new(),
    }
    let made = solid(mesh, one.map(|color| [color.r, color.g, color.b]), 0);
    Ok(made.map(|solid| Solid { levels, ..solid }))
}

/// The mesh in the file of a union's asset.
fn asset_mesh(file: &[u8], own_color: bool, level: usize, budget: &mut Budget) -> Result<Solid> {
    let tree = source::document(file, "the asset of a union", budget)?;
    let found = tree.instances.iter().find(|instance| instance.class == "PartOperationAsset");
    let blobs = found.map_or_else(Vec::new, |asset| asset.blobs(MESHES).collect());
    for blob in blobs {
        if let Some(solid) = mesh(&tree.blobs[blob], own_color, level, budget)? {
            return Ok(solid);
        }
    }
    Err(Error::unreadable("the file contains no PartOperationAsset with mesh data"))
}

/// All hulls as one mesh, in which each triangle has its own normal; `None` for a box.
fn hulls(blob: &[u8], budget: &mut Budget) -> Result<Option<Solid>> {
    let read = collision(blob, budget)?;
    let mut mesh = TriMesh::default();
    read.hulls.iter().for_each(|hull| flat(hull, &mut mesh));
    Ok(solid(mesh, None, read.hulls.len()))
}

/// The collision shape of a part. Also charges for a mesh of all hulls.
pub(super) fn collision(blob: &[u8], budget: &mut Budget) -> Result<Collision> {
    let read: Collision = rbxblobs::ReadOptions::new().max_bytes(budget.left()).read(blob)?;
    let corners = 3 * read.triangle_count();
    budget.take_values::<[geom::Vec3; 2]>(2 * corners, "the collision hulls of a part")?;
    Ok(read)
}

/// Adds the triangles of a hull, each with its own normal.
pub(super) fn flat(hull: &Hull, mesh: &mut TriMesh) {
    for triangle in &hull.triangles {
        let [a, b, c] = triangle.map(|corner| hull.positions[corner as usize]);
        let Some(normal) = (b - a).cross(c - a).normalize() else { continue };
        let start = mesh.positions.len() as u32;
        mesh.positions.extend([a, b, c]);
        mesh.normals.extend([normal; 3]);
        mesh.triangles.push([start, start + 1, start + 2]);
    }
}

/// Flips normals that point to the back of their triangles: subtracted parts have such normals.
fn turn_normals(mesh: &mut TriMesh) {
    let mut agrees = vec![0.0_f32; mesh.normals.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|corner| mesh.positions[corner as usize]);
        let normal = (b - a).cross(c - a);
        for &corner in triangle {
            if let Some(agrees) = agrees.get_mut(corner as usize) {
                *agrees += normal.dot(mesh.normals[corner as usize]);
            }
        }
    }
    for (normal, _) in mesh.normals.iter_mut().zip(agrees).filter(|(_, agrees)| *agrees < 0.0) {
        *normal = geom::Vec3::new(0.0, 0.0, 0.0) - *normal;
    }
}

impl Inst {
    /// The blobs of properties, in the order of the names.
    pub(super) fn blobs<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        names.iter().filter_map(|name| match self.props.get(name)? {
            Prop::Blob(index) => Some(*index),
            _ => None,
        })
    }
}
