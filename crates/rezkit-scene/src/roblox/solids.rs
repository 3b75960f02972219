//! Geometry in properties: the meshes of unions, and the collision hulls of parts.

use std::sync::Arc;

use geom::TriMesh;
use glam::{Mat4, Vec3};
use rbxblobs::Collision;
use rbxblobs::collision::Hull;

use super::builder::{Builder, MeshSource, level_of, transform};
use super::levels::{MESHES, asset_meshes, meshes, solid};
use super::look::Look;
use super::rigs::Rigs;
use super::solid::{Listed, Origin, Solid, SolidKey};
use super::source;
use super::tree::{self, Inst, Prop, Property};
use crate::forms::Unions;
use crate::model::{Levels, Mesh, Node, Primitive, Transform};
use crate::slmesh::level_name;
use rezkit_core::{Budget, ErrorKind, Reference, Result};

/// The properties that can have a part's hulls.
pub(super) const HULLS: &[Property] = &[Property::PhysicalConfigData, Property::PhysicsData];

/// Properties whose values are those of the union, not those of its operands.
const OF_UNIONS: [Property; 4] =
    [Property::Transparency, Property::Material, Property::MaterialVariantSerialized, Property::Reflectance];

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
        has_hulls.then(|| self.hulls(index, size, look, "a union becomes its collision hulls"))?
    }

    /// The mesh of a union, from the document or the file of its asset.
    fn union_mesh(&mut self, index: usize, size: Vec3, look: &mut Look) -> Option<Drawn> {
        let tree = self.tree;
        let union = &tree.instances[index];
        let own_color = union.bool(Property::UsePartColor) == Some(true);
        let asset = union.text(&[Property::AssetId]).and_then(|uri| Reference::of_uri(&uri));
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
        let (own_color, levels) = (key.own_color, self.options.levels);
        match &key.from {
            Origin::Blob(blob) => {
                let read = |_: &mut Self, listed: &mut Vec<Listed>, budget: &mut Budget| {
                    meshes(&tree.blobs[*blob], own_color, levels, listed, budget)
                };
                self.solid(index, key, read, "the mesh of a union")
            }
            Origin::Asset(asset) => {
                let read = |builder: &mut Self, listed: &mut Vec<Listed>, budget: &mut Budget| match builder
                    .sources
                    .get(asset, budget.left())?
                {
                    Some(file) => asset_meshes(&file, own_color, levels, listed, budget),
                    None => {
                        builder.miss(index, "roblox.no-mesh", format!("the mesh {asset} was not found"));
                        Ok(Vec::new())
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
        let key_length = key.from.text_length();
        for level in 1..levels {
            let name = &self.tree.instances[index].name;
            let bytes =
                2 * size_of::<(Node, Mesh, Primitive, SolidKey)>() + 3 * (name.len() + key_length) + 1000;
            if !self.take(bytes, "the levels of detail of a union") {
                return;
            }
            let key = SolidKey { level, ..key.clone() };
            let Some(mesh) = self.mesh(&MeshSource::Solid(key), material) else { continue };
            let name = level_name(&self.tree.instances[index].name, level);
            let mut node = Node { name, transform: place, mesh: Some(mesh), ..self.tree.node(index) };
            node.set_level(level);
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
            let read = |_: &mut Self, _: &mut Vec<Listed>, budget: &mut Budget| {
                Ok(hulls(&tree.blobs[blob], budget)?.into_iter().collect())
            };
            if let Some(solid) = self.solid(index, &key, read, "the collision hulls of a part") {
                self.approximate(index, "roblox.union-box", what);
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
        let data = union.blobs(&[Property::ChildData2, Property::ChildData]).next();
        let Some(data) = data.filter(|_| is_wanted && self.depth < MAX_DEPTH) else { return false };
        let (mut operands, held) = match source::operands(&tree.blobs[data], self.budget) {
            Ok(operands) => operands,
            Err(error) if error.kind() == ErrorKind::Effort => {
                self.stopped = Some(error);
                return true;
            }
            Err(error) => {
                self.lose_because(
                    index,
                    "roblox.union-operands",
                    "the operands of a union cannot be read",
                    &error,
                );
                return false;
            }
        };
        let animations = operands.instances.iter().filter(|instance| tree::is_sequence(instance)).count();
        self.lose_many(
            index,
            "roblox.union-operands",
            "an animation in the operands of a union".into(),
            animations,
        );
        let color = Look::of_part(union).color;
        for operand in &mut operands.instances {
            if operand.class == "NegateOperation" {
                operand.props.remove(Property::CFrame);
            }
            for property in OF_UNIONS {
                match union.props.get(property) {
                    Some(own) => operand.props.insert(property, own.clone()),
                    None => operand.props.remove(property),
                }
            }
            if union.bool(Property::UsePartColor) == Some(true) {
                let color = color.map(|part| f32::from(part) / 255.0);
                operand.props.insert(Property::Color3uint8, tree::Prop::Color(color));
            }
        }
        let mut builder = Builder::new(&operands, self.options, self.budget, self.sources, self.depth + 1);
        builder.draw(&Rigs::default());
        builder.add_lights();
        let stopped = builder.stopped.take();
        let (mut part, losses) = builder.finish();
        drop(operands);
        self.budget.give_back(held);
        self.list_below(index, losses);
        // Each level of nesting moves what it contains.
        let moved = self.budget.work(200 * part.nodes.len() as u64, "the operands of the unions");
        self.stopped = stopped.or(moved.err());
        if self.stopped.is_some() {
            return true;
        }
        if part.nodes.is_empty() {
            return false;
        }
        self.approximate(
            index,
            "roblox.union-operands",
            "a union becomes its separate operands: nothing is merged or cut away",
        );
        let top = Node { transform: transform(base), ..tree.node(index) };
        part.nodes.iter_mut().for_each(|node| node.source = top.source);
        let top = self.scene.add_node(parent, top);
        self.scene.absorb(part, top);
        true
    }

    /// The solid of a key, built once; `None` if there is no solid. If it cannot be read, that is listed.
    /// `read` returns the solid and those of the levels after it, and lists what they lack.
    fn solid(
        &mut self,
        index: usize,
        key: &SolidKey,
        read: impl FnOnce(&mut Self, &mut Vec<Listed>, &mut Budget) -> Result<Vec<Solid>>,
        what: &str,
    ) -> Option<Solid> {
        if let Some(known) = self.solids.get(key) {
            return known.clone();
        }
        let (mut budget, mut listed) = (self.budget.clone(), Vec::new());
        let read = read(self, &mut listed, &mut budget);
        *self.budget = budget;
        listed.into_iter().for_each(|loss| self.list(index, loss));
        let mut solids = match read {
            Ok(solids) => solids.into_iter(),
            Err(error) if error.kind() == ErrorKind::Effort => {
                self.stopped = Some(error);
                return None;
            }
            Err(error) => {
                self.lose_because(index, "roblox.unreadable-mesh", &format!("{what} cannot be read"), &error);
                Vec::new().into_iter()
            }
        };
        let solid = solids.next();
        if solid.is_some() {
            // The table's capacity doubles.
            let entry = 2 * size_of::<(SolidKey, Option<Solid>)>() + key.from.text_length();
            if !self.take(entry * solids.len(), what) {
                return None;
            }
            for (after, further) in solids.enumerate() {
                self.solids.insert(SolidKey { level: key.level + 1 + after, ..key.clone() }, Some(further));
            }
        }
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
    let initial = part.vector(&[Property::InitialSize]).filter(|initial| initial.min_element() > 0.0);
    let extent = initial.unwrap_or(solid.size).max(Vec3::splat(1e-6));
    if part.bool(Property::UsePartColor) != Some(true) {
        if let Some(color) = solid.color {
            look.color = color;
        } else if !solid.mesh.colors.is_empty() {
            look.color = [255; 3];
        }
    }
    (MeshSource::Solid(key), Vec3::ZERO, size / extent)
}

/// All hulls as one mesh, in which each triangle has its own normal; `None` for a box.
pub(super) fn hulls(blob: &[u8], budget: &mut Budget) -> Result<Option<Solid>> {
    let read = collision(blob, budget)?;
    let mut mesh = TriMesh::default();
    read.hulls.iter().for_each(|hull| flat(hull, &mut mesh));
    Ok(solid(mesh, None, read.hulls.len()))
}

/// The collision shape of a part. Also charges for a mesh of all hulls.
pub(super) fn collision(blob: &[u8], budget: &mut Budget) -> Result<Collision> {
    let what = "the collision hulls of the parts";
    // Inflating takes more time per byte than other work, and counts even if the hulls are damaged.
    budget.work(Collision::inflated(blob).saturating_mul(4), what)?;
    let read: Collision = rbxblobs::ReadOptions::new().max_bytes(budget.left()).read(blob)?;
    let corners = 3 * read.triangle_count();
    budget.take_values::<[geom::Vec3; 2]>(2 * corners, what)?;
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

impl Inst {
    /// The blobs of properties, in the order of the names.
    pub(super) fn blobs<'a>(&'a self, names: &'a [Property]) -> impl Iterator<Item = usize> + 'a {
        names.iter().filter_map(|&name| match self.props.get(name)? {
            Prop::Blob(index) => Some(*index),
            _ => None,
        })
    }
}
