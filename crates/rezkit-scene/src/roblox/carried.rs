//! Converts the geometry in a property to a separate scene.

use std::collections::HashMap;
use std::sync::Arc;

use super::levels::{MESHES, asset_meshes, meshes};
use super::solids::{self, HULLS, collision, flat};
use super::terrain::Ground;
use super::tree::Property;
use crate::forms::SceneOptions;
use crate::images::linear_from_srgb;
use crate::model::{Levels, Material, Mesh, Node, Primitive, Scene};
use geom::{TriMesh, Vec3};
use rezkit_core::{Budget, Loss, Result};

/// The geometry in the bytes of a property of a Roblox document, and the approximations: terrain with a primitive per
/// material, whose colours are those of `MaterialColors`; each hull of a part's collision shape; or each level of
/// detail of a union's mesh, with the extra `lod`. Parts have the size of their `InitialSize`. `None` if there is
/// no geometry, as in the blob of a box.
///
/// # Errors
/// [`Unreadable`](rezkit_core::ErrorKind::Unreadable) if the bytes have another layout,
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the scene needs more memory than the
/// budget allows, and [`Effort`](rezkit_core::ErrorKind::Effort) if it needs more work.
pub fn carried(
    property: &str,
    bytes: &[u8],
    colors: Option<&[u8]>,
    options: &SceneOptions,
    budget: &mut Budget,
) -> Result<Option<(Scene, Vec<Loss>)>> {
    let mut scene = Scene { front: 180.0, ..Scene::default() };
    let mut listed = Vec::new();
    let is_one_of = |names: &[Property]| names.iter().any(|of| of.name() == property);
    let has_cells = ["ClusterGridV3", "ClusterGridV2"].contains(&property);
    if property == "SmoothGrid" || has_cells {
        let ground = Ground { voxels: bytes, has_cells, colors, water: None, water_transparency: None };
        if let Some(mesh) = ground.mesh(options.terrain, &mut scene, &mut listed, budget)? {
            scene.add_node(None, Node { name: "Terrain".into(), mesh: Some(mesh), ..Node::default() });
        }
    } else if is_one_of(HULLS) {
        for (index, hull) in collision(bytes, budget)?.hulls.iter().enumerate() {
            let mut mesh = TriMesh::default();
            flat(hull, &mut mesh);
            add(&mut scene, format!("hull {index}"), Primitive::new(mesh, None), budget)?;
        }
    } else if is_one_of(MESHES) {
        let solids = meshes(bytes, false, Levels::All, &mut listed, budget)?;
        // The materials by their colours.
        let mut materials = HashMap::new();
        for (level, solid) in solids.into_iter().enumerate() {
            budget.take_values::<Material>(2, "the materials")?;
            let [r, g, b] = solid.color.unwrap_or([255; 3]);
            let material = *materials.entry([r, g, b]).or_insert_with(|| {
                let color = [r, g, b].map(linear_from_srgb);
                scene.materials.push(Material {
                    name: format!("{r:02X}{g:02X}{b:02X}"),
                    base_color: [color[0], color[1], color[2], 1.0],
                    ..Material::default()
                });
                scene.materials.len() - 1
            });
            let primitive = Primitive::new(solid.mesh, Some(material));
            let node = add(&mut scene, format!("level {level}"), primitive, budget)?;
            scene.nodes[node].set_level(level);
        }
    }
    let losses = listed.into_iter().map(|loss| loss.below(|_| property.to_owned()));
    Ok((!scene.nodes.is_empty()).then(|| (scene, losses.collect())))
}

/// The mesh of a union, in the space of its part at the `InitialSize`.
#[derive(Clone, Debug)]
pub struct UnionShape {
    /// The finest level.
    pub mesh: Arc<TriMesh>,
    /// The extent of the mesh.
    pub size: Vec3,
    /// The colour (sRGB) of all vertices, if they have one: then the mesh has no colours.
    pub color: Option<[u8; 3]>,
}

/// The mesh in the bytes of a union's property, or in the file of its asset, or that of its collision hulls; `None` if there
/// is none. With `own_color`, the colour of the part replaces those of the mesh.
///
/// # Errors
/// As [`carried`].
pub fn union_shape(
    bytes: &[u8],
    own_color: bool,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<Option<UnionShape>> {
    let is_file = rbxbinary::detect(bytes).is_some() || rbxxml::detect(bytes).is_some();
    let read = if is_file { asset_meshes } else { meshes };
    let solid = match bytes.starts_with(b"CSGPHS") {
        true => solids::hulls(bytes, budget)?,
        false => read(bytes, own_color, Levels::Finest, losses, budget)?.into_iter().next(),
    };
    Ok(solid.map(|solid| UnionShape {
        mesh: solid.mesh,
        size: Vec3::from(solid.size.to_array()),
        color: solid.color.filter(|_| !own_color),
    }))
}

fn add(scene: &mut Scene, name: String, primitive: Primitive, budget: &mut Budget) -> Result<usize> {
    // They are in lists whose capacity doubles; the rest is for the names and the extra.
    let bytes = 2 * size_of::<(Node, Mesh, Primitive)>() + 1000;
    budget.take(bytes as u64, "the nodes")?;
    let mesh = (!primitive.mesh.triangles.is_empty())
        .then(|| scene.add_mesh(Mesh { name: name.clone(), primitives: vec![primitive], ..Mesh::default() }));
    Ok(scene.add_node(None, Node { name, mesh, ..Node::default() }))
}
