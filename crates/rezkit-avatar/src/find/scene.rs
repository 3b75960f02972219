//! Finds the items in a scene of an exchange file, by the names of its nodes.

use std::collections::{HashMap, HashSet};

use geom::{CFrame, Mat3, Mat4, TriMesh, Vec3};
use rezkit_core::{Budget, Result};
use rezkit_scene::{ImageData, Mesh, Scene};

use super::document::possible;
use crate::item::{Attachment, Bone, Cage, Held, Item, Joint, Part, Shape, Texture};
use crate::kind::{ItemType, is_body_part};

const ONE: Vec3 = Vec3::new(1.0, 1.0, 1.0);

/// The nodes of a scene, with their matrices.
pub(crate) struct Nodes<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) world: Vec<Mat4>,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let world = scene.at_rest().into_iter().map(|columns| {
            let mut flat = [0.0; 16];
            flat.copy_from_slice(columns.as_flattened());
            Mat4::from_columns(flat)
        });
        Self { scene, world: world.collect() }
    }

    /// The matrix from a node's mesh to the scene. That of a skinned mesh is the one of its joints.
    pub(crate) fn matrix(&self, node: usize) -> Mat4 {
        let skin = self.scene.nodes[node].skin.and_then(|skin| self.scene.skins.get(skin));
        let joint = skin.and_then(|skin| Some((*skin.joints.first()?, skin.inverse_bind.first()?)));
        match joint.filter(|(joint, _)| *joint < self.world.len()) {
            Some((joint, bind)) => {
                let mut flat = [0.0; 16];
                flat.copy_from_slice(bind.as_flattened());
                self.world[joint] * Mat4::from_columns(flat)
            }
            None => self.world[node],
        }
    }

    /// The frame of a node, without its scale.
    fn frame(&self, node: usize) -> CFrame {
        let Mat3 { x_axis, y_axis, z_axis } = self.world[node].linear();
        let unit = |axis: Vec3| axis.normalize().unwrap_or_default();
        let rotation = Mat3 { x_axis: unit(x_axis), y_axis: unit(y_axis), z_axis: unit(z_axis) };
        CFrame { position: self.world[node].translation(), rotation }
    }

    fn shape(&self, node: usize, budget: &mut Budget) -> Result<Option<Shape>> {
        let Some(mesh) = self.scene.nodes[node].mesh.and_then(|mesh| self.scene.meshes.get(mesh)) else {
            return Ok(None);
        };
        let joined = joined(mesh, budget)?;
        let matrix = self.matrix(node);
        let positions = joined.positions.iter().map(|point| matrix.transform_point(*point)).collect();
        let skin = self.scene.nodes[node].skin.and_then(|skin| self.scene.skins.get(skin));
        let joints = skin.into_iter().flat_map(|skin| &skin.joints);
        let bone = |joint: &usize| Bone {
            name: self.scene.nodes.get(*joint).map(|node| node.name.clone()).unwrap_or_default(),
            frame: self.world.get(*joint).map(|_| self.frame(*joint)).unwrap_or_default(),
        };
        let bones = joints.map(bone).collect();
        Ok(Some(Shape { mesh: TriMesh { positions, ..joined }, bones, scale: ONE, ..Shape::default() }))
    }
}

/// All primitives of a mesh as one.
pub(crate) fn joined(mesh: &Mesh, budget: &mut Budget) -> Result<TriMesh> {
    let mut all = TriMesh::default();
    let any = |column: fn(&TriMesh) -> bool| mesh.primitives.iter().any(|primitive| column(&primitive.mesh));
    let (uvs, colors, joints) =
        (any(|m| !m.uvs.is_empty()), any(|m| !m.colors.is_empty()), any(|m| !m.joints.is_empty()));
    for primitive in &mesh.primitives {
        let part = &primitive.mesh;
        let count = part.positions.len();
        budget.take(count as u64 * 120 + part.triangles.len() as u64 * 12, "the meshes of an item")?;
        let first = u32::try_from(all.positions.len()).unwrap_or(u32::MAX);
        all.triangles
            .extend(part.triangles.iter().map(|triangle| triangle.map(|index| index.saturating_add(first))));
        all.positions.extend(&part.positions);
        let padded = |len: usize| count - len.min(count);
        if uvs {
            all.uvs.extend(&part.uvs);
            all.uvs.extend(std::iter::repeat_n(geom::Vec2::new(0.0, 0.0), padded(part.uvs.len())));
        }
        if colors {
            all.colors.extend(&part.colors);
            all.colors.extend(std::iter::repeat_n(geom::Rgba8::WHITE.to_linear(), padded(part.colors.len())));
        }
        if joints {
            all.joints.extend(&part.joints);
            all.joints.extend(std::iter::repeat_n([0; 4], padded(part.joints.len())));
            all.weights.extend(&part.weights);
            all.weights.extend(std::iter::repeat_n([0.0; 4], padded(part.weights.len())));
        }
    }
    Ok(all)
}

/// A name without an ending, in any letter case.
fn without<'n>(name: &'n str, ending: &str) -> Option<&'n str> {
    let at = name.len().checked_sub(ending.len())?;
    let (stem, end) = (name.get(..at)?, name.get(at..)?);
    (end.eq_ignore_ascii_case(ending) && !stem.is_empty()).then_some(stem)
}

/// The items of a scene. If none is named as one, all meshes are one item, if its type is given.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn items(scene: &Scene, given: Option<ItemType>, budget: &mut Budget) -> Result<Vec<Item>> {
    scene.check()?;
    let nodes = Nodes::new(scene);
    let all = scene.nodes.iter().enumerate();
    let with_mesh: Vec<(usize, &str)> =
        all.filter(|(_, node)| node.mesh.is_some()).map(|(index, node)| (index, &*node.name)).collect();
    let attachments: Vec<Attachment> = attached(scene, &nodes).map(|(_, attachment)| attachment).collect();
    let cage = |stem: &str, ending: &str| {
        with_mesh.iter().find(|(_, name)| without(name, ending) == Some(stem)).map(|(node, _)| *node)
    };
    let is_cage =
        |name: &str| ["_OuterCage", "_InnerCage"].iter().any(|ending| without(name, ending).is_some());
    let body: Vec<(usize, &str)> = with_mesh
        .iter()
        .filter_map(|(node, name)| {
            Some((*node, without(name, "_Geo")?)).filter(|(_, part)| is_body_part(part))
        })
        .collect();
    let joints = joints(&nodes);
    let mut items = Vec::new();
    let part = |node: usize, name: &str, budget: &mut Budget| -> Result<Part> {
        let mut made = empty(node, name);
        if let Some(shape) = nodes.shape(node, budget)? {
            made.size = shape.bounds().size();
            made.mesh = Held::Read(shape);
        }
        made.textures = textures(scene, node);
        for (slot, ending) in [(&mut made.outer, "_OuterCage"), (&mut made.inner, "_InnerCage")] {
            if let Some(cage) = cage(name, ending) {
                let mesh = nodes.shape(cage, budget)?.map_or(Held::Unset, Held::Read);
                let path = scene.nodes[cage].name.clone();
                *slot = Some(Cage { path, mesh, origin: CFrame::IDENTITY });
            }
        }
        Ok(made)
    };
    if body.len() >= 10 {
        let mut item = Item::new(Some(ItemType::Body), "scene");
        let owners = owners(scene, &body);
        for (node, name) in &body {
            let mut made = part(*node, name, budget)?;
            // Those below the mesh of a part are its own.
            made.attachments = attached(scene, &nodes)
                .filter(|(at, _)| owners.get(at) == Some(node))
                .map(|of| of.1)
                .collect();
            item.parts.push(made);
        }
        item.loose =
            attached(scene, &nodes).filter(|(at, _)| !owners.contains_key(at)).map(|of| of.1).collect();
        rigged(&mut item, &joints);
        items.push(item);
    }
    let is_free =
        |name: &str| !is_cage(name) && !body.iter().any(|(_, part)| without(name, "_Geo") == Some(part));
    let handles: Vec<(usize, &str)> = with_mesh.iter().filter(|(_, name)| is_free(name)).copied().collect();
    let own = owners(scene, &handles);
    for (node, name) in handles {
        let has_cages = cage(name, "_OuterCage").is_some() || cage(name, "_InnerCage").is_some();
        let is_named = has_cages || (!attachments.is_empty() && body.is_empty());
        if !(is_named || given.is_some() && body.is_empty()) {
            continue;
        }
        let mut made = part(node, name, budget)?;
        // Those below the mesh of another item are not its own.
        let is_here = |at: &usize| own.get(at).is_none_or(|of| *of == node);
        made.attachments =
            attached(scene, &nodes).filter(|(at, _)| is_here(at)).map(|(_, attachment)| attachment).collect();
        let mut item =
            Item::new(None, if name.is_empty() { format!("nodes[{node}]") } else { name.to_owned() });
        item.possible = possible(Some(&made), has_cages);
        if let [only] = item.possible[..] {
            item.kind = Some(only);
        }
        item.parts.push(made);
        items.push(item);
    }
    for item in &mut items {
        item.joints.clone_from(&joints);
    }
    Ok(items)
}

/// Gives the parts of a body the attachments of the rig that Studio's importer makes of the joints.
fn rigged(item: &mut Item, joints: &[Joint]) {
    for (name, above, joint) in crate::kind::JOINTS {
        let rig = format!("{joint}RigAttachment");
        let is_there = item.parts.iter().any(|part| part.attachment(&rig).is_some())
            || item.loose.iter().any(|attachment| attachment.name == rig);
        let Some(found) = joints.iter().find(|joint| joint.name == name).filter(|_| !is_there) else {
            continue;
        };
        let frame = CFrame { position: found.position, ..CFrame::IDENTITY };
        for part in item.parts.iter_mut().filter(|part| [name, above].contains(&&*part.name)) {
            part.attachments.push(Attachment { name: rig.clone(), path: found.name.clone(), frame });
        }
    }
}

/// The attachments, with their nodes.
fn attached<'a>(scene: &'a Scene, nodes: &'a Nodes<'_>) -> impl Iterator<Item = (usize, Attachment)> + 'a {
    scene.nodes.iter().enumerate().filter_map(|(index, node)| {
        let stem = without(&node.name, "_Att")?;
        let is_whole = stem.ends_with("Attachment");
        let name = if is_whole { stem.to_owned() } else { format!("{stem}Attachment") };
        let path = node.name.clone();
        Some((index, Attachment { name, path, frame: nodes.frame(index) }))
    })
}

/// For each node below the mesh of a body part, that mesh.
fn owners(scene: &Scene, body: &[(usize, &str)]) -> HashMap<usize, usize> {
    let mut owners = HashMap::new();
    for &(part, _) in body {
        let mut waiting = scene.nodes[part].children.clone();
        while let Some(node) = waiting.pop() {
            if owners.insert(node, part).is_none() {
                waiting.extend(scene.nodes.get(node).into_iter().flat_map(|node| &node.children));
            }
        }
    }
    owners
}

fn empty(node: usize, name: &str) -> Part {
    Part {
        id: None,
        name: name.to_owned(),
        path: if name.is_empty() { format!("nodes[{node}]") } else { name.to_owned() },
        is_mesh_part: true,
        size: Vec3::default(),
        mesh: Held::Unset,
        attachments: Vec::new(),
        textures: Vec::new(),
        outer: None,
        inner: None,
        layers: Vec::new(),
        hidden: None,
        special_mesh: None,
        auto_skin: None,
    }
}

/// The joints of all skins.
fn joints(nodes: &Nodes<'_>) -> Vec<Joint> {
    let scene = nodes.scene;
    let mut parents: HashMap<usize, usize> = HashMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        parents.extend(node.children.iter().map(|child| (*child, index)));
    }
    let mut seen = HashSet::new();
    let all = scene.joints();
    let joints = all.filter(|joint| *joint < scene.nodes.len() && seen.insert(*joint));
    let joint = |index: usize| Joint {
        name: scene.nodes[index].name.clone(),
        parent: parents.get(&index).map(|parent| scene.nodes[*parent].name.clone()),
        position: nodes.world[index].translation(),
        scale: Vec3::from(scene.nodes[index].transform.scale),
    };
    joints.map(joint).collect()
}

/// The images of a node's materials, with their sizes.
fn textures(scene: &Scene, node: usize) -> Vec<Texture> {
    let mesh = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh));
    let materials =
        mesh.into_iter().flat_map(|mesh| &mesh.primitives).filter_map(|primitive| primitive.material);
    let images = materials
        .filter_map(|material| scene.materials.get(material))
        .flat_map(|material| material.textures());
    let images: HashSet<usize> = images.map(|texture| texture.image).collect();
    let mut images: Vec<usize> = images.into_iter().collect();
    images.sort_unstable();
    let texture = |index: usize| {
        let image = scene.images.get(index)?;
        let size = match &image.data {
            ImageData::Bytes(bytes) => {
                rezkit_scene::images::size(bytes).map_or(Held::Broken("not an image".into()), Held::Read)
            }
            ImageData::Uri(uri) => Held::Missing(uri.clone()),
        };
        Some(Texture { path: format!("images[{index}]"), is_legacy: false, size })
    };
    images.into_iter().filter_map(texture).collect()
}
