//! The objects of a model: the nodes of its finest level, of coarser levels and for physics, and their names.

use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{DMat4, DVec3};
use rezkit_scene::{Loss, Material, Mesh, Node, Primitive, Result, Scene, Transform, slmesh};

use super::ExistingFile;

/// The geometry of coarser levels and of physics, by the index of the object and the kind.
type Lower = HashMap<(usize, Kind), Vec<Primitive>>;

/// A model divided into its objects.
pub(super) struct Parts {
    /// The scene with only the finest level.
    pub(super) high: Scene,
    /// The nodes of the finest level that are drawn, each an object.
    pub(super) nodes: Vec<usize>,
    /// The meshes of each object per lower level and for physics, in its own coordinates.
    pub(super) lower: Lower,
    /// The matrix of each node of the finest level.
    pub(super) worlds: Vec<DMat4>,
    /// The parent of each node of the finest level.
    parents: Vec<Option<usize>>,
    /// The names of materials that only other files have; their indices follow those of the finest level.
    foreign: Vec<String>,
}

/// The role of a file or a node beside the finest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// A lower level: 1 is the next to the finest, 3 the lowest.
    Level(usize),
    /// The shape for physics.
    Physics,
}

impl Kind {
    /// All roles.
    pub const ALL: [Self; 4] = [Self::Level(1), Self::Level(2), Self::Level(3), Self::Physics];

    /// The suffix that the viewer's uploader expects in the name.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Level(level) => slmesh::LEVEL_SUFFIXES.get(level).copied().unwrap_or_default(),
            Self::Physics => "_PHYS",
        }
    }

    /// The role of a node by the suffix of its name, and the name of its object. Hulls have numbers.
    fn of(name: &str) -> Option<(Self, &str)> {
        let hull =
            slmesh::hull_of(name).map(|stem| (Self::Physics, stem.strip_suffix("_PHYS").unwrap_or(stem)));
        let suffix = |kind: Self| Some((kind, name.strip_suffix(kind.suffix())?));
        hull.or_else(|| Self::ALL.into_iter().find_map(suffix))
    }
}

impl Parts {
    pub(super) fn new(scene: &Scene, given: &[ExistingFile], losses: &mut Vec<Loss>) -> Result<Self> {
        let mut scene = scene.clone();
        name(&mut scene, losses);
        for node in
            scene.nodes.iter_mut().filter(|node| node.mesh.is_some() && node.name.ends_with(slmesh::BOUNDS))
        {
            losses.push(
                Loss::new(&*node.name, "the bounding hull of the file (a new one is computed)")
                    .id("sl.physics-shape"),
            );
            node.mesh = None;
        }
        for node in scene.placed().into_iter().map(|placed| placed.node) {
            let mesh = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh));
            if mesh.is_some_and(|mesh| mesh.primitives.iter().all(|each| each.mesh.triangles.is_empty())) {
                losses.push(
                    Loss::new(scene.nodes[node].name.clone(), "an object without triangles").id("mesh.empty"),
                );
                scene.nodes[node].mesh = None;
                scene.nodes[node].weights.clear();
            }
        }
        for node in
            scene.nodes.iter_mut().filter(|node| node.mesh.is_some() && slmesh::is_beyond_levels(node))
        {
            losses.push(Loss::new(&*node.name, slmesh::BEYOND_LEVELS).id("sl.beyond-levels"));
            node.mesh = None;
        }
        let placed = scene.placed();
        let kind_of = |node: usize| Kind::of(&scene.nodes[node].name);
        let high: Vec<usize> =
            placed.iter().map(|one| one.node).filter(|&node| kind_of(node).is_none()).collect();
        let node_of = high.iter().map(|&node| (scene.nodes[node].name.clone(), node)).collect();
        let only = high.first().copied().filter(|_| high.len() == 1);
        let objects = Objects { scene: &scene, node_of, only };
        let (mut lower, mut foreign) = (HashMap::new(), Vec::new());
        adopt(&objects, &scene, None, &mut lower, &mut foreign, losses);
        for ExistingFile { kind, scene: other } in given {
            other.check()?;
            adopt(&objects, other, Some(*kind), &mut lower, &mut foreign, losses);
        }
        let joints: HashSet<usize> = scene.joints().collect();
        let is_lower = |node: usize| {
            let node_is = &scene.nodes[node];
            node_is.mesh.is_some() && kind_of(node).is_some()
        };
        let keep: Vec<bool> = (0..scene.nodes.len())
            .map(|node| !is_lower(node) || joints.contains(&node) || !scene.nodes[node].children.is_empty())
            .collect();
        for node in (0..scene.nodes.len()).filter(|&node| is_lower(node)).collect::<Vec<_>>() {
            scene.nodes[node].mesh = None;
        }
        let nodes: HashSet<usize> = high.iter().copied().collect();
        let number: Vec<usize> = keep
            .iter()
            .scan(0, |next, keep| {
                *next += usize::from(*keep);
                Some(*next - usize::from(*keep))
            })
            .collect();
        let mut moved: Vec<usize> = nodes.into_iter().map(|node| number[node]).collect();
        moved.sort_unstable();
        let lower =
            lower.into_iter().map(|((node, kind), primitives)| ((number[node], kind), primitives)).collect();
        let high = compacted(scene, &keep);
        let worlds = worlds(&high);
        let parents = high.parents();
        Ok(Self { high, nodes: moved, lower, worlds, parents, foreign })
    }

    /// The name of a material of the finest level, or of one that only other files have.
    pub(super) fn material(&self, index: usize) -> Option<&str> {
        let own = self.high.materials.get(index).map(|material| material.name.as_str());
        own.or_else(|| self.foreign.get(index - self.high.materials.len()).map(String::as_str))
    }

    /// The number of joints of the assets of all objects.
    pub(super) fn joints(&self) -> u64 {
        let skins = self.nodes.iter().filter_map(|&node| self.high.nodes[node].skin);
        skins.map(|skin| self.high.skins[skin].joints.len() as u64).sum()
    }

    /// The error if the work is used up by the number of objects.
    pub(super) fn too_many(&self) -> String {
        let meshes = self.nodes.iter().filter_map(|&node| self.high.nodes[node].mesh);
        let faces: usize = meshes.map(|mesh| self.high.meshes[mesh].primitives.len()).sum();
        format!(
            "processing the objects would take too long: found {} objects with {faces} faces and {} joints in all \
             (join objects, use fewer materials and joints, or split the model into several files)",
            self.nodes.len(),
            self.joints()
        )
    }

    /// A scene of the joints of a skin with their ancestors, and the skin.
    fn skeleton(&self, skin: usize) -> Scene {
        let mut skin = self.high.skins[skin].clone();
        let mut number = BTreeMap::new();
        for &joint in &skin.joints {
            let mut above = Some(joint);
            while let Some(node) = above.filter(|&node| number.insert(node, 0).is_none()) {
                above = self.parents[node];
            }
        }
        number.values_mut().zip(0..).for_each(|(number, at)| *number = at);
        let mut scene = Scene::default();
        scene.front = self.high.front;
        for &node in number.keys() {
            let Node { name, transform, .. } = &self.high.nodes[node];
            scene.nodes.push(Node { name: name.clone(), transform: *transform, ..Node::default() });
        }
        for (&node, &at) in &number {
            match self.parents[node].map(|parent| number[&parent]) {
                Some(parent) => scene.nodes[parent].children.push(at),
                None => scene.roots.push(at),
            }
        }
        skin.joints.iter_mut().for_each(|joint| *joint = number[joint]);
        scene.skins.push(skin);
        scene
    }

    /// The name of an object.
    pub(super) fn name(&self, node: usize) -> &str {
        &self.high.nodes[node].name
    }
}

/// Gives each drawn node a unique name, since the viewer pairs levels by names.
fn name(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let mut taken: HashSet<String> = HashSet::new();
    // By name, the number that is tried next, so that equal names do not try all numbers again.
    let mut next: HashMap<String, usize> = HashMap::new();
    for (number, placed) in scene.placed().into_iter().enumerate() {
        let node = &scene.nodes[placed.node];
        let first = match (node.name.as_str(), scene.meshes[placed.mesh].name.as_str()) {
            ("", "") => format!("object{number}"),
            ("", mesh) => mesh.to_owned(),
            (name, _) => name.to_owned(),
        };
        let mut name = first.clone();
        while taken.contains(&name) {
            let count = next.entry(first.clone()).or_insert(2);
            name = format!("{first} {count}");
            *count += 1;
        }
        if name != node.name {
            let what = match node.name.is_empty() {
                true => "a name, since the object has none and the viewer matches levels of detail by name",
                false => {
                    "a new name, since another object has the old one and the viewer matches levels of detail by name"
                }
            };
            losses.push(Loss::filled_in(name.clone(), what).id("scene.renamed"));
            scene.nodes[placed.node].name.clone_from(&name);
        }
        taken.insert(name);
    }
}

/// The objects of the finest level.
struct Objects<'a> {
    scene: &'a Scene,
    /// Their nodes by name.
    node_of: HashMap<String, usize>,
    /// The node of the only object.
    only: Option<usize>,
}

/// Assigns the nodes of a scene that are coarser levels or physics to their objects. `foreign` are the names of
/// materials that only other files have.
fn adopt(
    objects: &Objects<'_>,
    other: &Scene,
    kind: Option<Kind>,
    lower: &mut Lower,
    foreign: &mut Vec<String>,
    losses: &mut Vec<Loss>,
) {
    let &Objects { scene, ref node_of, only } = objects;
    let is_same = kind.is_none();
    let here = worlds(scene);
    let material_of: HashMap<&str, usize> =
        scene.materials.iter().enumerate().map(|(index, material)| (material.name.as_str(), index)).collect();
    let pose = other.pose();
    let posed = other.posed(&pose);
    for (placed, primitives) in other.placed().into_iter().zip(posed) {
        let name = &other.nodes[placed.node].name;
        let (kind, stem) = match (kind, Kind::of(name)) {
            (Some(kind), Some((_, stem))) => (kind, stem),
            (Some(kind), None) => (kind, name.as_str()),
            (None, Some((own, stem))) => (own, stem),
            (None, None) => continue,
        };
        // A node in a file beside a model of one object belongs to this object, whatever its name.
        let only = || only.filter(|_| !is_same);
        // A node of a file beside the model has the suffix of the file.
        let path = || if stem == name { format!("{name}{}", kind.suffix()) } else { name.clone() };
        let Some(node) = node_of.get(stem).copied().or_else(only) else {
            let this = if kind == Kind::Physics { "physics shape" } else { "level of detail" };
            let what = format!("this {this}, because the finest level has no object named {stem:?}");
            losses.push(Loss::new(path(), what).id("sl.unused-level"));
            continue;
        };
        let is_skinned = scene.nodes[node].skin.is_some() && kind != Kind::Physics;
        if is_skinned && (!is_same || other.nodes[placed.node].skin != scene.nodes[node].skin) {
            let what = match is_same {
                true => {
                    "this level of detail, because its skin differs from that of the finest level (a new level is \
                     generated)"
                }
                false => {
                    "this level of detail, because levels of an object with a skin must be in the same file as the \
                     finest level (a new level is generated)"
                }
            };
            losses.push(Loss::new(path(), what).id("sl.unused-level"));
            continue;
        }
        let raw = &other.meshes[placed.mesh].primitives;
        let inverse = here[node].inverse();
        let placed_here = |(raw, posed): (&Primitive, Primitive)| {
            let mut primitive = if is_skinned { raw.clone() } else { posed };
            if !is_skinned {
                let mut mesh = (*primitive.mesh).clone();
                transform(&mut mesh, inverse);
                (mesh.joints, mesh.weights) = (Vec::new(), Vec::new());
                primitive.mesh = mesh.into();
            }
            if !is_same {
                let material = primitive.material.and_then(|index| other.materials.get(index));
                primitive.material = material.and_then(|material| match material_of.get(&*material.name) {
                    Some(&index) => Some(index),
                    None if material.name.is_empty() => None,
                    None => {
                        let at = foreign.iter().position(|name| *name == material.name);
                        let at = at.unwrap_or_else(|| {
                            foreign.push(material.name.clone());
                            foreign.len() - 1
                        });
                        Some(scene.materials.len() + at)
                    }
                });
            }
            primitive
        };
        let primitives: Vec<Primitive> = raw.iter().zip(primitives).map(placed_here).collect();
        lower.entry((node, kind)).or_default().extend(primitives);
    }
}

/// The matrix of each node of a scene.
fn worlds(scene: &Scene) -> Vec<DMat4> {
    let matrix =
        |columns: [[f32; 4]; 4]| DMat4::from_cols_array_2d(&columns.map(|column| column.map(f64::from)));
    scene.world_matrices(&scene.pose().transforms).into_iter().map(matrix).collect()
}

/// Transforms a mesh by a matrix.
pub(super) fn transform(mesh: &mut geom::TriMesh, matrix: DMat4) {
    let wide = |point: geom::Vec3| DVec3::from_array(point.to_array().map(f64::from));
    let narrow = |point: DVec3| geom::Vec3::from(point.to_array().map(|axis| axis as f32));
    let normals = glam::DMat3::from_mat4(matrix).inverse().transpose();
    mesh.positions.iter_mut().for_each(|point| *point = narrow(matrix.transform_point3(wide(*point))));
    mesh.normals
        .iter_mut()
        .for_each(|normal| *normal = narrow((normals * wide(*normal)).normalize_or_zero()));
    if matrix.determinant() < 0.0 {
        mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}

/// A scene with only the nodes to keep and the meshes that they use.
pub(super) fn compacted(mut scene: Scene, keep: &[bool]) -> Scene {
    let mut number = vec![None; scene.nodes.len()];
    let mut nodes: Vec<Node> = Vec::new();
    for (at, node) in std::mem::take(&mut scene.nodes).into_iter().enumerate() {
        if keep[at] {
            number[at] = Some(nodes.len());
            nodes.push(node);
        }
    }
    let renumber = |list: &mut Vec<usize>| *list = list.iter().filter_map(|&node| number[node]).collect();
    renumber(&mut scene.roots);
    nodes.iter_mut().for_each(|node| renumber(&mut node.children));
    scene.skins.iter_mut().for_each(|skin| renumber(&mut skin.joints));
    for animation in &mut scene.animations {
        animation.channels.retain_mut(|channel| {
            number[channel.node].is_some_and(|node| {
                channel.node = node;
                true
            })
        });
    }
    let mut mesh_of: HashMap<usize, usize> = HashMap::new();
    let old: Vec<Mesh> = std::mem::take(&mut scene.meshes);
    for node in &mut nodes {
        node.mesh = node.mesh.map(|mesh| {
            *mesh_of.entry(mesh).or_insert_with(|| {
                scene.meshes.push(old[mesh].clone());
                scene.meshes.len() - 1
            })
        });
    }
    scene.nodes = nodes;
    scene
}

/// The scene of one coarser level or of physics: the nodes of the finest level with the names by which the viewer pairs
/// them, and materials with only their names, by which it compares them.
pub(super) fn file_of(parts: &Parts, kind: Kind, meshes: &HashMap<usize, Vec<Primitive>>) -> Scene {
    let mut scene = parts.high.clone();
    scene.animations.clear();
    scene.images.clear();
    let names = scene.materials.iter().map(|material| &material.name).chain(&parts.foreign);
    scene.materials = names.map(|name| Material { name: name.clone(), ..Material::default() }).collect();
    if kind == Kind::Physics {
        scene.materials.clear();
        scene.skins.clear();
    }
    let old = std::mem::take(&mut scene.meshes);
    let mut keep = vec![true; scene.nodes.len()];
    for (at, node) in scene.nodes.iter_mut().enumerate() {
        let Some(mesh) = node.mesh.take() else { continue };
        if kind == Kind::Physics {
            node.skin = None;
        }
        match meshes.get(&at) {
            Some(primitives) => {
                let (name, primitives) = (format!("{}{}", old[mesh].name, kind.suffix()), primitives.clone());
                node.name = format!("{}{}", node.name, kind.suffix());
                node.mesh = Some(scene.meshes.len());
                scene.meshes.push(Mesh { name, primitives, ..Mesh::default() });
            }
            None => keep[at] = !node.children.is_empty(),
        }
    }
    let scene = compacted(scene, &keep);
    if kind == Kind::Physics { without_empty(scene) } else { scene }
}

/// Removes the nodes that draw nothing, and have nothing drawn below them.
fn without_empty(scene: Scene) -> Scene {
    let mut keep: Vec<bool> = scene.nodes.iter().map(|node| node.mesh.is_some()).collect();
    // Each node comes after its descendants.
    for at in scene.walk().into_iter().rev() {
        keep[at] = keep[at] || scene.nodes[at].children.iter().any(|&child| keep[child]);
    }
    compacted(scene, &keep)
}

/// The scene from which the assets of one object are built: all its levels and hulls, at its place.
pub(super) fn object(
    parts: &Parts,
    node: usize,
    levels: [Option<&Vec<Primitive>>; 4],
    physics: &[(String, geom::TriMesh)],
) -> Scene {
    let own = &parts.high.nodes[node];
    let world = parts.worlds[node];
    let mut scene = own.skin.map_or_else(Scene::default, |skin| parts.skeleton(skin));
    let mut used: Vec<Option<usize>> =
        levels.iter().flatten().flat_map(|list| list.iter()).map(|p| p.material).collect();
    used.sort_unstable();
    used.dedup();
    let named = |index: &Option<usize>| Some(parts.material((*index)?)?.to_owned());
    scene.materials = used
        .iter()
        .filter(|index| index.is_some())
        .map(|index| Material { name: named(index).unwrap_or_default(), ..Material::default() })
        .collect();
    let first = usize::from(used.first() == Some(&None));
    let material =
        |index: Option<usize>| index.and_then(|_| used.binary_search(&index).ok()).map(|at| at - first);
    for (level, primitives) in levels.into_iter().enumerate() {
        let Some(primitives) = primitives else { continue };
        let mut primitives = primitives.clone();
        // If there are more than eight faces, they are sorted by the names of their materials and become several
        // models, as in the viewer.
        if primitives.len() > 8 {
            geom::sort::by_key(&mut primitives, |primitive| named(&primitive.material));
        }
        for primitive in &mut primitives {
            primitive.material = material(primitive.material);
            if own.skin.is_none() {
                let mut mesh = (*primitive.mesh).clone();
                transform(&mut mesh, world);
                primitive.mesh = mesh.into();
            }
        }
        let mesh = scene.add_mesh(Mesh { primitives, ..Mesh::default() });
        let columns = world.to_cols_array_2d().map(|column| column.map(|number| number as f32));
        let transform =
            if own.skin.is_none() { Transform::default() } else { Transform::from_matrix(columns) };
        let name = format!("{}{}", own.name, slmesh::LEVEL_SUFFIXES[level]);
        scene.add_node(
            None,
            Node { name, mesh: Some(mesh), skin: own.skin.and(Some(0)), transform, ..Node::default() },
        );
    }
    for (suffix, mesh) in physics {
        let primitives = vec![Primitive::new(mesh.clone(), None)];
        let mesh = scene.add_mesh(Mesh { primitives, ..Mesh::default() });
        let name = format!("{}{suffix}", own.name);
        scene.add_node(None, Node { name, mesh: Some(mesh), ..Node::default() });
    }
    scene
}

/// A loss of an object.
pub(super) fn prefixed(loss: Loss, name: &str) -> Loss {
    loss.below(|path| format!("{name}: {path}"))
}
