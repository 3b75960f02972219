//! The objects of a scene, each of which becomes an object of a linkset.

use std::collections::HashMap;

use rezkit_core::{Budget, Result};

use super::parts::{BOUNDS, hull_of, is_physics, level_of};
use crate::model::{Material, Mesh, Node, Primitive, Scene};
use slmesh::Lod;

/// The visible objects, each as a scene with its levels and its shapes for physics, placed as in the whole scene.
pub(super) fn objects(scene: &Scene, budget: &mut Budget) -> Result<Vec<Scene>> {
    let is_drawn = |node: &usize| scene.nodes[*node].mesh.is_some_and(|mesh| mesh < scene.meshes.len());
    let name = |node: usize| scene.nodes[node].name.as_str();
    let is_finest = |node: &usize| !is_physics(name(*node)) && level_of(name(*node)).0 == Lod::High;
    let (finest, others): (Vec<usize>, Vec<usize>) =
        scene.visible().into_iter().filter(is_drawn).partition(is_finest);
    let mut of_name = HashMap::new();
    for (object, node) in finest.iter().enumerate() {
        of_name.entry(name(*node)).or_insert(object);
    }
    let mut objects: Vec<Vec<usize>> = finest.into_iter().map(|node| vec![node]).collect();
    for node in others {
        let object = of_name.get(stem_of(name(node))).copied().unwrap_or_default();
        if let Some(object) = objects.get_mut(object) {
            object.push(node);
        }
    }
    // A copy of each mesh at its place.
    budget.take(scene.placed_cost()[0], "the objects of the linkset")?;
    let pose = scene.pose();
    let world = scene.world(&pose.transforms);
    let placed = |node: usize, materials: &mut Materials| {
        let primitives = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh));
        let primitives = primitives.into_iter().flat_map(|mesh| &mesh.primitives).map(|primitive| {
            let morphed = crate::pose::morphed(primitive, scene.weights_of(node, &pose));
            let mesh = crate::pose::deformed(&morphed, world[node], None);
            Primitive::new(mesh, primitive.material.map(|material| materials.index(scene, material)))
        });
        Mesh { name: name(node).to_owned(), primitives: primitives.collect(), ..Mesh::default() }
    };
    let objects = objects.into_iter().map(|nodes| {
        let mut object = Scene::default();
        let mut materials = Materials::default();
        for node in nodes {
            let mesh = object.add_mesh(placed(node, &mut materials));
            let (name, extras) = (name(node).to_owned(), scene.nodes[node].extras.clone());
            object.add_node(None, Node { name, mesh: Some(mesh), extras, ..Node::default() });
        }
        object.materials = materials.used;
        object
    });
    Ok(objects.collect())
}

/// The name of the object to which a level or a shape for physics belongs.
fn stem_of(name: &str) -> &str {
    let name = name.strip_suffix(BOUNDS).or_else(|| hull_of(name)).unwrap_or(name);
    level_of(name.strip_suffix("_PHYS").unwrap_or(name)).1
}

/// The materials of an object: only their names are written.
#[derive(Default)]
struct Materials {
    used: Vec<Material>,
    index_of: HashMap<usize, usize>,
}

impl Materials {
    fn index(&mut self, scene: &Scene, material: usize) -> usize {
        *self.index_of.entry(material).or_insert_with(|| {
            let name = scene.materials.get(material).map(|material| material.name.clone());
            self.used.push(Material { name: name.unwrap_or_default(), ..Material::default() });
            self.used.len() - 1
        })
    }
}
