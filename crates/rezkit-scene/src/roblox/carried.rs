//! Converts the geometry in a property to a separate scene.

use super::solids::{HULLS, MESHES, collision, flat, mesh};
use super::terrain::{Ground, Made};
use crate::forms::SceneOptions;
use crate::images::linear_from_srgb;
use crate::model::{Material, Mesh, Node, Primitive, Scene};
use geom::TriMesh;
use rezkit_core::{Budget, Loss, Result};

/// The geometry in the bytes of a property of a Roblox document, and the approximations: terrain with a primitive per
/// material, whose colours are those of `MaterialColors`; each hull of a part's collision shape; or each level of
/// detail of a union's mesh, with the extra `lod`. Parts have the size of their `InitialSize`. `None` if there is
/// no geometry, as in the blob of a box.
///
/// # Errors
/// [`Unreadable`](rezkit_core::ErrorKind::Unreadable) if the bytes have another layout,
/// [`Limit`](rezkit_core::ErrorKind::Limit) if the scene needs more memory than the options allow.
pub fn carried(
    property: &str,
    bytes: &[u8],
    colors: Option<&[u8]>,
    options: &SceneOptions,
) -> Result<Option<(Scene, Vec<Loss>)>> {
    let mut scene = Scene { front: 180.0, ..Scene::default() };
    let (budget, mut losses) = (&mut Budget::new(options.max_bytes), Vec::new());
    if property == "SmoothGrid" {
        let ground = Ground { voxels: bytes, colors, water: None, water_transparency: None };
        if let Made::Mesh(mesh, what) = ground.mesh(options.terrain, &mut scene, budget)? {
            losses.push(Loss::approximated(property, what));
            scene.add_node(None, Node { name: "Terrain".into(), mesh: Some(mesh), ..Node::default() });
        }
    } else if HULLS.contains(&property) {
        for (index, hull) in collision(bytes, budget)?.hulls.iter().enumerate() {
            let mut mesh = TriMesh::default();
            flat(hull, &mut mesh);
            add(&mut scene, format!("hull {index}"), Primitive::new(mesh, None));
        }
    } else if MESHES.contains(&property) {
        let (mut level, mut levels) = (0, 1);
        while level < levels {
            let Some(solid) = mesh(bytes, false, level, budget)? else { break };
            levels = solid.levels;
            let [r, g, b] = solid.color.unwrap_or([255; 3]);
            let color = [r, g, b].map(linear_from_srgb);
            let material = Material {
                name: format!("{r:02X}{g:02X}{b:02X}"),
                base_color: [color[0], color[1], color[2], 1.0],
                ..Material::default()
            };
            let known = scene.materials.iter().position(|known| *known == material);
            let material = known.unwrap_or_else(|| {
                scene.materials.push(material);
                scene.materials.len() - 1
            });
            let node = add(&mut scene, format!("level {level}"), Primitive::new(solid.mesh, Some(material)));
            scene.nodes[node].extras.insert("lod".into(), level.into());
            level += 1;
        }
    }
    Ok((!scene.nodes.is_empty()).then_some((scene, losses)))
}

fn add(scene: &mut Scene, name: String, primitive: Primitive) -> usize {
    if primitive.mesh.triangles.is_empty() {
        return scene.add_node(None, Node { name, ..Node::default() });
    }
    let mesh =
        Some(scene.add_mesh(Mesh { name: name.clone(), primitives: vec![primitive], ..Mesh::default() }));
    scene.add_node(None, Node { name, mesh, ..Node::default() })
}
