//! Changes on request what the platform would refuse or change, and lists each change.

use std::collections::{HashMap, HashSet};

use geom::TriMesh;
use rezkit_scene::{
    Budget, ImageData, Loss, Mesh, Node, Primitive, Result, Scene, Transform, images, slmesh,
};

use crate::check::Findings;
use crate::rules::{
    JOINT_NAMES, MOST_FACE_VERTICES as FACE_VERTICES, MOST_FACES as FACES, MOST_METRES as METRES,
    MOST_PIXELS as SIDE, is_rig_size,
};

use super::pieces::pieces;
use super::{ExistingFile, Kind, OBJECT, Parts};

/// Makes all changes to the scene that rules require before levels are created.
pub(super) fn scene(
    scene: &mut Scene,
    given: &[ExistingFile],
    scale: f32,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
    findings: &mut Findings,
) -> Result<()> {
    joints(scene, budget, losses, findings)?;
    mirrored(scene, budget, losses)?;
    vertices(scene, budget, losses)?;
    faces(scene, given, budget, losses)?;
    whole(scene, scale, losses);
    textures(scene, budget, losses)
}

/// Gives joints the avatar's names, and removes all other joints. A mesh that loses its skin is a finding.
fn joints(
    scene: &mut Scene,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
    findings: &mut Findings,
) -> Result<()> {
    losses.extend(slmesh::name_joints(scene));
    let skinned: Vec<usize> =
        (0..scene.nodes.len()).filter(|&node| scene.nodes[node].skin.is_some()).collect();
    losses.extend(slmesh::keep_known_joints(scene, budget)?);
    for node in skinned.into_iter().map(|node| &scene.nodes[node]).filter(|node| node.skin.is_none()) {
        findings.add(
            &JOINT_NAMES,
            &*node.name,
            "the skin was removed, since the avatar has none of its joints",
        );
    }
    Ok(())
}

fn copied(mesh: &Mesh, budget: &mut Budget) -> Result<Mesh> {
    let vertices: usize = mesh.primitives.iter().map(|primitive| primitive.mesh.positions.len()).sum();
    budget.take(vertices as u64 * 100, "copying a mesh")?;
    Ok(mesh.clone())
}

/// Applies the negative scale of a node to its mesh.
fn mirrored(scene: &mut Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<()> {
    let is_mirrored = |world: [[f32; 4]; 4]| glam::Mat4::from_cols_array_2d(&world).determinant() < 0.0;
    let placed = scene.placed().into_iter();
    let placed: Vec<_> = placed
        .filter(|placed| is_mirrored(placed.world) && scene.nodes[placed.node].skin.is_none())
        .map(|placed| (placed.node, placed.mesh))
        .collect();
    for (node, mesh) in placed {
        let mut mesh = copied(&scene.meshes[mesh], budget)?;
        for primitive in &mut mesh.primitives {
            let mut flipped = TriMesh::clone(&primitive.mesh);
            let vectors = flipped.positions.iter_mut().chain(&mut flipped.normals);
            vectors.for_each(|vector| vector.x = -vector.x);
            flipped.tangents.iter_mut().for_each(|tangent| {
                let [x, y, z, w] = tangent.to_array();
                *tangent = [-x, y, z, -w].into();
            });
            flipped.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
            primitive.mesh = flipped.into();
            for target in &mut primitive.targets {
                let vectors =
                    target.positions.iter_mut().chain(&mut target.normals).chain(&mut target.tangents);
                vectors.for_each(|vector| vector.x = -vector.x);
            }
        }
        let name = scene.nodes[node].name.clone();
        losses.push(
            Loss::approximated(name.clone(), "negative scale replaced by a mirrored mesh").id("sl.mirrored"),
        );
        let mesh = Some(scene.add_mesh(mesh));
        let whole = &mut scene.nodes[node];
        if whole.children.is_empty() {
            whole.transform.scale[0] = -whole.transform.scale[0];
            whole.mesh = mesh;
            continue;
        }
        whole.mesh = None;
        let weights = std::mem::take(&mut whole.weights);
        let transform = Transform { scale: [-1.0, 1.0, 1.0], ..Transform::default() };
        scene.add_node(Some(node), Node { name, mesh, weights, transform, ..Node::default() });
    }
    Ok(())
}

/// Splits faces with more vertices than the platform accepts.
fn vertices(scene: &mut Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<()> {
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        if mesh.primitives.iter().all(|primitive| primitive.mesh.positions.len() <= FACE_VERTICES) {
            continue;
        }
        let before = mesh.primitives.len();
        *mesh = copied(mesh, budget)?;
        mesh.primitives = mesh.primitives.iter().flat_map(pieces).collect();
        let after = mesh.primitives.len();
        let what = format!(
            "faces with more than {FACE_VERTICES} vertices are split (number of faces: {before} before, \
             {after} now)"
        );
        losses.push(Loss::approximated(format!("meshes[{index}]"), what).id("sl.split"));
    }
    Ok(())
}

/// Splits objects with more faces than the platform accepts into further objects, by the names of materials, as the
/// viewer does. Objects with given levels are unchanged, since the levels would have to be split in the same way.
fn faces(scene: &mut Scene, given: &[ExistingFile], budget: &Budget, losses: &mut Vec<Loss>) -> Result<()> {
    let stem =
        |name: &str| Kind::ALL.iter().find_map(|kind| name.strip_suffix(kind.suffix()).map(str::to_owned));
    let lower: HashSet<String> = scene
        .nodes
        .iter()
        .chain(given.iter().flat_map(|given| &given.scene.nodes))
        .filter_map(|node| stem(&node.name))
        .collect();
    // The objects are counted again when all are known.
    let mut left = budget.clone();
    // By mesh, the meshes that it was split into, for every node that uses it.
    let mut parts: HashMap<usize, Vec<usize>> = HashMap::new();
    for node in scene.placed().into_iter().map(|placed| placed.node).collect::<Vec<_>>() {
        let Node { name, mesh: Some(mesh), .. } = scene.nodes[node].clone() else { continue };
        let count = scene.meshes[mesh].primitives.len();
        if !parts.contains_key(&mesh) && (count <= FACES || lower.contains(&name) || stem(&name).is_some()) {
            continue;
        }
        let list = parts.entry(mesh).or_insert_with(|| {
            let mut whole = scene.meshes[mesh].clone();
            let title = |material: &Option<usize>| {
                material.and_then(|index| scene.materials.get(index)).map(|material| material.name.clone())
            };
            geom::sort::by_key(&mut whole.primitives, |primitive| title(&primitive.material));
            let primitives = std::mem::take(&mut whole.primitives);
            let more =
                primitives.chunks(FACES).map(|some| Mesh { primitives: some.to_vec(), ..whole.clone() });
            more.map(|mesh| scene.add_mesh(mesh)).collect()
        });
        losses.push(
            Loss::approximated(
                name.clone(),
                format!(
                    "split into {} objects, because it has {count} faces (at most {FACES} are allowed)",
                    list.len()
                ),
            )
            .id("sl.split"),
        );
        left.take(list.len() as u64 * OBJECT, "the objects")?;
        let (skin, weights) = (scene.nodes[node].skin, scene.nodes[node].weights.clone());
        scene.nodes[node].mesh = list.first().copied();
        for (number, &mesh) in list.clone().iter().enumerate().skip(1) {
            let name = format!("{name} {}", number + 1);
            let weights = weights.clone();
            scene.add_node(Some(node), Node { name, mesh: Some(mesh), skin, weights, ..Node::default() });
        }
    }
    Ok(())
}

/// Gives a rig the size and the direction of the avatar, and reduces objects that would be larger than the platform
/// accepts at the scale `times`.
fn whole(scene: &mut Scene, times: f32, losses: &mut Vec<Loss>) {
    let mut scale = 1.0;
    let mut turn = glam::Quat::IDENTITY;
    let largest = scene.skins.iter().max_by_key(|skin| skin.joints.len());
    if let Some((size, [_, _, z, w])) =
        largest.and_then(|skin| rezkit_scene::slmesh::rig(scene, &scene.at_rest(), skin))
    {
        // The angle about the vertical axis.
        let angle = 2.0 * z.atan2(w);
        if !is_rig_size(size) {
            scale = 1.0 / size;
            losses.push(
                Loss::approximated(
                    "skins",
                    format!("rig scaled to the avatar's size (it was {size:.3} times as large)"),
                )
                .id("sl.rig"),
            );
        }
        let quarter = std::f32::consts::FRAC_PI_2;
        let turns = (angle / quarter).round();
        if turns != 0.0 && (angle - turns * quarter).abs() < quarter / 6.0 {
            turn = glam::Quat::from_rotation_y(-turns * quarter);
            let degrees = angle.to_degrees();
            let what = format!(
                "rig rotated to face +X (it was rotated by {degrees:.0} degrees about the vertical axis)"
            );
            losses.push(Loss::approximated("skins", what).id("sl.rig"));
        }
    }
    let pose = scene.pose();
    let longest = scene.posed(&pose).filter_map(|primitives| {
        let points = primitives.iter().flat_map(|primitive| primitive.mesh.positions.iter().copied());
        Some(geom::Aabb::from_points(points)?.size().to_array().into_iter().fold(0.0, f32::max))
    });
    let longest = longest.fold(0.0, f32::max) * scale * times;
    if longest > METRES {
        let factor = METRES / longest;
        scale *= factor;
        losses.push(Loss::approximated(
            "size",
            format!(
                "the whole model is scaled by {factor:.4}, because an object was {longest:.1} m long (at most \
                 {METRES} m are allowed)"
            ),
        ).id("sl.model-scaled"));
    }
    if scale == 1.0 && turn == glam::Quat::IDENTITY {
        return;
    }
    let transform = Transform { rotation: turn.to_array(), scale: [scale; 3], ..Transform::default() };
    let children = std::mem::take(&mut scene.roots);
    scene.add_node(None, Node { name: "fixed".into(), transform, children, ..Node::default() });
}

/// Reduces textures that are larger than the platform keeps them.
fn textures(scene: &mut Scene, budget: &mut Budget, losses: &mut Vec<Loss>) -> Result<()> {
    let mut shrunk = Shrunk::default();
    for (index, image) in scene.images.iter_mut().enumerate() {
        let ImageData::Bytes(bytes) = &mut image.data else { continue };
        let Some((width, height)) = images::size(bytes).filter(|(width, height)| width.max(height) > &SIDE)
        else {
            continue;
        };
        let smaller = shrunk.of(bytes, budget)?;
        budget.take(smaller.len() as u64, "the textures")?;
        let (w, h) = images::size(&smaller).unwrap_or_default();
        *bytes = smaller;
        losses.push(
            Loss::approximated(
                format!("images[{index}]"),
                format!("reduced from {width} x {height} to {w} x {h} pixels"),
            )
            .id("sl.texture-scaled"),
        );
    }
    Ok(())
}

/// The text of the loss if a generated level replaces a given one, since this has more vertices or faces than the next
/// finer level, or a material that the finer level does not have. `None` if it has no such defect.
pub(super) fn is_refused(level: &[Primitive], finer: &[Primitive], parts: &Parts) -> Option<String> {
    let vertices =
        |list: &[Primitive]| -> usize { list.iter().map(|primitive| primitive.mesh.positions.len()).sum() };
    let [found, most] = [vertices(level), vertices(finer)];
    if found > most {
        return Some(format!(
            "replaced by a generated level: it had more vertices ({found}) than the next finer level ({most})"
        ));
    }
    let mut left: HashMap<Option<usize>, usize> = HashMap::new();
    finer.iter().for_each(|primitive| *left.entry(primitive.material).or_default() += 1);
    for primitive in level {
        match left.get_mut(&primitive.material).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => {
                let material = primitive.material;
                let name = material.and_then(|index| parts.material(index));
                let of = match name.filter(|name| !name.is_empty()) {
                    Some(name) => format!("with the material {name:?}"),
                    None => "whose material is missing or has no name".to_owned(),
                };
                let count = |list: &[Primitive]| list.iter().filter(|of| of.material == material).count();
                let found = match count(level) {
                    1 => "1 face".to_owned(),
                    found => format!("{found} faces"),
                };
                let most = match count(finer) {
                    0 => "none".to_owned(),
                    most => format!("only {most}"),
                };
                return Some(format!(
                    "replaced by a generated level: it had {found} {of}, but the next finer level has {most} (a face \
                     is the part of an object with one material)"
                ));
            }
        }
    }
    None
}

/// Pictures as PNG, with at most 2,048 pixels a side. Equal ones are converted once.
#[derive(Default)]
pub(super) struct Shrunk(HashMap<Vec<u8>, Vec<u8>>);

impl Shrunk {
    pub(super) fn of(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
        if let Some(known) = self.0.get(bytes) {
            return Ok(known.clone());
        }
        let made = shrunk(bytes, budget)?;
        budget.take((bytes.len() + made.len()) as u64, "the textures")?;
        self.0.insert(bytes.to_vec(), made.clone());
        Ok(made)
    }
}

fn shrunk(bytes: &[u8], budget: &mut Budget) -> Result<Vec<u8>> {
    images::work(&[bytes], 0, budget)?;
    let picture = images::decode(bytes, budget.left())?;
    let (width, height) = (picture.width(), picture.height());
    let longest = width.max(height).max(1);
    if longest <= SIDE {
        return images::to_png(bytes, budget);
    }
    let side = |side: u32| (u64::from(side) * u64::from(SIDE) / u64::from(longest)).max(1) as u32;
    images::png(&picture.resized(side(width), side(height)))
}
