//! Converts a model to a scene.

use rezkit_core::{Budget, Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use m3d::{Action, Model};
use serde_json::json;

use super::materials::materials;
use super::polygons;
use super::shapes;
use crate::forms::Beside;
use crate::model::held::held;
use crate::model::{Animation, Channel, Mesh, Node, Primitive, Scene, Skin, Transform};
use crate::skins::NO_BONE;
use rezkit_core::Loss;

/// The steps for all shapes of a model, and the steps that each command adds. A point takes a dozen, so a few hundred
/// bytes become at most about 65,000 points.
const SHAPES: u64 = 12 << 16;
const COMMAND: u64 = 1 << 10;

/// Converts a model to a scene: polygons by material with their skin, voxels, the surfaces of shapes, each
/// action as an animation, and labels as empty nodes. `resolve` returns the file of a texture that is not
/// in the model, by its name.
///
/// # Errors
/// If the model needs more memory or work than is left.
pub fn to_scene(model: &Model, budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    let limits = m3d::ViewOptions::new().max_bytes(budget.left());
    let view = limits.scene(model)?;
    let meshes = view.groups.iter().map(|group| &group.mesh).chain([&view.voxels]);
    let left = budget.left().saturating_sub(meshes.map(held).sum::<usize>() as u64);
    let commands: usize = model.shapes.iter().map(|shape| shape.commands.len()).sum();
    let limits = limits.max_bytes(left).max_steps(SHAPES + COMMAND * commands as u64);
    let shapes = shapes::evaluate_all(model, &limits).map_err(|error| Error::from(error).at("shapes"))?;
    let mut losses = Vec::new();
    let mut scene = Scene { name: model.name.to_string(), ..Scene::default() };
    scene.copyright = [&model.author, &model.license]
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| text.to_string())
        .collect::<Vec<_>>()
        .join(", ");
    // glTF has only one text for the copyright.
    for (name, text) in
        [("author", &model.author), ("license", &model.license), ("description", &model.description)]
    {
        if !text.is_empty() {
            scene.extras.insert(name.into(), text.to_string().into());
        }
    }
    // The capacity of the list doubles, and each material has a name.
    let names: usize = model.materials.iter().map(|material| 2 * material.name.len()).sum();
    budget.take_values::<[crate::model::Material; 3]>(model.materials.len(), "the materials")?;
    budget.take(names as u64, "the materials")?;
    materials(model, &mut scene, budget, resolve, &mut losses)?;

    // The nodes of bones, and for actions the keys of each transform, in three lists whose capacity doubles.
    let names = model
        .bones
        .iter()
        .map(|bone| bone.name.len())
        .chain(model.actions.iter().map(|action| action.name.len()));
    let transforms =
        model.actions.iter().flat_map(|action| &action.frames).map(|frame| frame.transforms.len());
    let nodes = (model.bones.len()) * 2 * size_of::<Node>() + names.sum::<usize>();
    let keys =
        transforms.sum::<usize>().saturating_mul(512) + model.actions.len() * 4 * size_of::<Animation>();
    budget.take(nodes.saturating_add(keys) as u64, "the bones and the animations")?;
    // The nodes of the bones. Vertices that no bone moves get one more joint, which never moves.
    let mut bones = Vec::new();
    // Joints of a skin have a common root in glTF.
    let skeleton = (!model.bones.is_empty())
        .then(|| scene.add_node(None, Node { name: "skeleton".into(), ..Node::default() }));
    for (bone, pose) in model.bones.iter().zip(&model.bind_pose().normalized().bones) {
        let node = Node { name: bone.name.to_string(), transform: placed(pose), ..Node::default() };
        let parent = bone.parent.get().and_then(|parent| bones.get(parent).copied());
        bones.push(scene.add_node(parent.or(skeleton), node));
    }
    polygons::lost(model, budget, &mut losses)?;
    let unplaced = |bone: &m3d::Bone| model.vertices.coord(bone.position).is_none();
    let unturned = |bone: &m3d::Bone| model.vertices.coord(bone.orientation).is_none();
    let bones_with = |is: &dyn Fn(&m3d::Bone) -> bool| model.bones.iter().filter(|bone| is(bone)).count();
    let mut more = vec![
        Loss::filled_in(
            "bones",
            "the position 0, 0, 0 for bones whose position refers to no existing vertex",
        )
        .times(bones_with(&unplaced)),
        Loss::filled_in("bones", "no rotation for bones whose orientation refers to no existing vertex")
            .times(bones_with(&unturned)),
    ];
    let scale = model.scale;
    if scale != 0.0 && scale != model.scale_or_one() {
        let what = format!("a scale of {scale}, which is not positive and finite: 1 is used");
        more.push(Loss::approximated("scale", what));
    }
    let (mut undefined, mut white) = (None, 0);
    let mut primitives = Vec::new();
    let mut skinned = false;
    let mut still = None;
    for group in view.groups {
        if !group.name.is_empty() && group.material.get().is_none() {
            let what =
                || format!("the name of a material that the model does not define, such as {:?}", group.name);
            undefined.get_or_insert_with(|| Loss::new("meshes", what()).times(0)).count += 1;
        }
        if !group.mesh.colors.is_empty() {
            let lacks = |vertex: &&m3d::VertexId| model.vertices.color(**vertex).is_none();
            white += group.vertices.iter().filter(lacks).count();
        }
        let mut mesh = group.mesh;
        for (joints, weights) in mesh.joints.iter_mut().zip(&mut mesh.weights) {
            if weights.iter().all(|&weight| weight == 0.0) {
                still = Some(bones.len());
                *joints = [u16::try_from(bones.len()).map_err(|_| too_many(bones.len()))?, 0, 0, 0];
                *weights = [1.0, 0.0, 0.0, 0.0];
            }
        }
        let unknown = group.vertices.iter().filter(|&&vertex| has_unknown_bone(model, vertex)).count();
        if unknown > 0 {
            let path = format!("meshes[{}].skins", primitives.len());
            losses.push(Loss::new(path, NO_BONE).times(unknown));
        }
        let more = group.vertices.iter().filter(|&&vertex| model.influences(vertex).nth(4).is_some()).count();
        if more > 0 {
            let path = format!("meshes[{}].skins", primitives.len());
            losses.push(Loss::new(
                path,
                format!("all but the four greatest bone weights of a vertex (number of vertices: {more})"),
            ));
        }
        skinned |= !mesh.joints.is_empty();
        primitives.push(Primitive::new(mesh, group.material.get()));
    }
    more.extend(undefined);
    more.push(Loss::filled_in("meshes", "white for vertices without a colour").times(white));
    // In some real models, all triangles are clockwise.
    let (with, against) = primitives
        .iter()
        .map(|primitive| winding(&primitive.mesh))
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    if against > with {
        for primitive in &mut primitives {
            Arc::make_mut(&mut primitive.mesh).triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let what = format!(
            "winding order of all triangles reversed, since {against} of {} faced away from their normals",
            with + against
        );
        losses.push(Loss::approximated("meshes", what));
    }
    // In a skinned mesh, a primitive without joints follows the joint that never moves.
    for primitive in primitives.iter_mut().filter(|primitive| skinned && primitive.mesh.joints.is_empty()) {
        still = Some(bones.len());
        let joint = u16::try_from(bones.len()).map_err(|_| too_many(bones.len()))?;
        let mesh = Arc::make_mut(&mut primitive.mesh);
        mesh.joints = vec![[joint, 0, 0, 0]; mesh.positions.len()];
        mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; mesh.positions.len()];
    }
    if !primitives.is_empty() {
        let mesh = scene.add_mesh(Mesh { name: scene.name.clone(), primitives, ..Mesh::default() });
        let node = Node {
            name: scene.name.clone(),
            mesh: Some(mesh),
            skin: skinned.then_some(0),
            ..Node::default()
        };
        scene.add_node(None, node);
    }
    if skinned {
        let inverse = |matrix: &geom::Mat4| Mat4::from_cols_array(&matrix.to_columns()).to_cols_array_2d();
        let mut skin = Skin {
            name: scene.name.clone(),
            joints: bones.clone(),
            inverse_bind: model.inverse_bind_matrices().iter().map(inverse).collect(),
        };
        if still.is_some() {
            skin.joints.push(scene.add_node(skeleton, Node { name: "static".into(), ..Node::default() }));
            skin.inverse_bind.push(Mat4::IDENTITY.to_cols_array_2d());
        }
        scene.skins.push(skin);
    }
    add_plain(&mut scene, "voxels", view.voxels, None);
    // Curves that shape surfaces are no losses, unless there is no surface.
    let is_flat = shapes.iter().all(|shape| shape.surfaces.is_empty());
    for shape in shapes {
        losses.extend(shape.left_out.iter().map(|left| {
            let path = shapes::path(left.shape, left.command);
            let what = format!("{}: {}", left.key(), left.why);
            match left.is_changed {
                true => Loss::approximated(path, what),
                false => Loss::new(path, what),
            }
        }));
        for surface in shape.surfaces {
            let material = model.material_id(surface.material).get();
            add_plain(&mut scene, &surface.material.to_string(), surface.mesh, material);
        }
        for curve in shape.curves.iter().filter(|curve| is_flat || !curve.helper) {
            losses.push(Loss::new(
                shapes::path(curve.shape, curve.command),
                "a curve, since only surfaces are converted",
            ));
        }
    }
    let mut unplaced = 0;
    for label in model.annotations() {
        unplaced += usize::from(label.position.is_none());
        let texts = 2 * label.text.len() + label.group.language.len();
        budget.take((2 * size_of::<Node>() + 900 + texts) as u64, "the labels")?;
        let position = label.position.unwrap_or_default().to_array();
        let mut node = Node { name: label.text.to_string(), ..Node::default() };
        node.transform = Transform::from_translation(position);
        node.extras.insert("label".into(), label.text.to_string().into());
        node.extras.insert("language".into(), label.group.language.to_string().into());
        if let Some(color) = label.color {
            node.extras.insert("color".into(), json!(color.to_array()));
        }
        scene.add_node(None, node);
    }
    let what = "the position 0, 0, 0 for labels whose position refers to no existing vertex";
    more.push(Loss::filled_in("labels", what).times(unplaced));
    losses.extend(more.into_iter().filter(|loss| loss.count > 0));
    let bind = model.bind_pose().normalized();
    for (index, action) in model.actions.iter().enumerate() {
        let (channels, lost) = channels(model, action, &bind, &bones);
        for loss in lost {
            budget.lose(&mut losses, loss.below(|path| format!("actions[{index}].{path}")))?;
        }
        scene.animations.push(Animation { name: action.name.to_string(), channels, ..Animation::default() });
    }
    // Every field is named, so that a new one does not compile until it is in the scene or listed as a loss.
    #[rustfmt::skip]
    let Model {
        extras, preview, procedurals, name: _, license: _, author: _, description: _, scale: _, tex_coords: _,
        vertices: _, bones: _, skins: _, materials: _, meshes: _, voxel_types: _, voxel_blocks: _, shapes: _,
        labels: _, actions: _, assets: _, layout,
    } = model;
    for (path, what) in layout.outside() {
        budget.lose(&mut losses, Loss::new(path, what))?;
    }
    for (index, extra) in extras.iter().enumerate() {
        let loss = Loss::new(format!("extras[{index}]"), format!("the extra chunk {}", extra.tag));
        budget.lose(&mut losses, loss)?;
    }
    if preview.is_some() {
        losses.push(Loss::new("preview", "the preview image, since other formats have none"));
    }
    for (index, _) in procedurals.iter().enumerate() {
        let what = "a procedural surface, since its script is not run";
        budget.lose(&mut losses, Loss::new(format!("procedurals[{index}]"), what))?;
    }
    Ok((scene, losses))
}

fn too_many(bones: usize) -> Error {
    Error::unreadable(format!(
        "expected at most 65,535 bones (vertices without a bone need one more joint), found {bones}"
    ))
}

/// The number of triangles whose winding agrees with their normals, and of those with the opposite winding. Triangles
/// without an area or a normal are in neither.
fn winding(mesh: &geom::TriMesh) -> (usize, usize) {
    let (mut with, mut against) = (0, 0);
    for triangle in &mesh.triangles {
        let corner =
            |column: &[geom::Vec3], index: u32| column.get(index as usize).copied().unwrap_or_default();
        let [a, b, c] = triangle.map(|index| corner(&mesh.positions, index));
        let normal =
            triangle.iter().fold(geom::Vec3::default(), |sum, &index| sum + corner(&mesh.normals, index));
        let side = (b - a).cross(c - a).dot(normal);
        with += usize::from(side > 0.0);
        against += usize::from(side < 0.0);
    }
    (with, against)
}

fn placed(pose: &m3d::BonePose) -> Transform {
    let rotation = Quat::from_array(pose.orientation.to_array());
    Transform {
        translation: pose.position.to_array(),
        rotation: rotation.normalize().into(),
        scale: [1.0; 3],
    }
}

fn add_plain(scene: &mut Scene, name: &str, mesh: geom::TriMesh, material: Option<usize>) {
    if mesh.triangles.is_empty() {
        return;
    }
    let primitives = vec![Primitive::new(mesh, material)];
    let mesh = scene.add_mesh(Mesh { name: name.into(), primitives, ..Mesh::default() });
    scene.add_node(None, Node { name: name.into(), mesh: Some(mesh), ..Node::default() });
}

/// Whether a bone that does not exist moves a vertex.
fn has_unknown_bone(model: &Model, vertex: m3d::VertexId) -> bool {
    let skin = model.vertices.skin(vertex).get().and_then(|skin| model.skins.get(skin));
    let mut bones = skin.into_iter().flat_map(m3d::Skin::influences);
    bones.any(|(bone, _)| bone.get().is_none_or(|bone| bone >= model.bones.len()))
}

type Keys = Vec<(f32, Transform)>;

/// The channels of the bones, and what they lack. A bone keeps its pose until the frame before the next frame that
/// lists it. If poses of a bone are not in the order of time, a pose replaces those before it that are not earlier.
fn channels(model: &Model, action: &Action, bind: &m3d::Pose, bones: &[usize]) -> (Vec<Channel>, Vec<Loss>) {
    let mut losses: BTreeMap<&str, Loss> = BTreeMap::new();
    let scale = model.scale_or_one();
    // The keys of each bone that a frame lists, and the last such frame.
    let mut listed: BTreeMap<usize, (Keys, Option<usize>)> = BTreeMap::new();
    for (index, frame) in action.frames.iter().enumerate() {
        let time = frame.time as f32 / 1000.0;
        let before = index.checked_sub(1).and_then(|before| action.frames.get(before));
        for (at, transform) in frame.transforms.iter().enumerate() {
            let mut lose = |what: &'static str| {
                let path = || format!("frames[{index}].transforms[{at}]");
                losses.entry(what).or_insert_with(|| Loss::new(path(), what).times(0)).count += 1;
            };
            let Some(bone) = transform.bone.get().filter(|&bone| bone < bones.len()) else {
                lose("the pose of a bone that does not exist");
                continue;
            };
            let (keys, last_listed) = listed.entry(bone).or_default();
            let mut pose = keys.last().map_or_else(|| placed(&bind.bones[bone]), |key| key.1);
            if *last_listed == Some(index) {
                lose("the previous pose of the bone, since the frame lists the bone more than once");
                keys.pop();
            } else if last_listed.map(|listed| listed + 1) != Some(index) {
                // It did not move before the previous frame.
                let start = before.map_or(0.0, |frame| frame.time as f32 / 1000.0);
                if time > start && keys.last().is_none_or(|key| key.0 < start) {
                    if keys.is_empty() && start > 0.0 {
                        keys.push((0.0, pose));
                    }
                    keys.push((start, pose));
                }
            }
            if let Some(position) = model.vertices.position(transform.position) {
                pose.translation = (Vec3::from(position.to_array()) * scale).into();
            } else if transform.position != m3d::VertexId::NONE {
                lose("a position whose vertex does not exist");
            }
            if let Some(q) = model.vertices.coord(transform.orientation) {
                let q = Quat::from_array(q.to_array());
                let turn = if q.length_squared() > 0.0 { q.normalize() } else { Quat::IDENTITY };
                pose.rotation = turn.into();
            } else if transform.orientation != m3d::VertexId::NONE {
                lose("an orientation whose vertex does not exist");
            }
            if keys.last().is_some_and(|key| key.0 >= time) {
                lose(
                    "poses of the bone in preceding frames that have the same time as this one, or a later time",
                );
                keys.truncate(keys.partition_point(|key| key.0 < time));
            }
            keys.push((time, pose));
            *last_listed = Some(index);
        }
    }
    let end = action.duration as f32 / 1000.0;
    let mut channels = Vec::new();
    for (bone, (mut keys, _)) in listed {
        let Some(&last) = keys.last() else { continue };
        if end > last.0 {
            keys.push((end, last.1));
        }
        channels.extend(Channel::of_keys(bones[bone], &keys));
    }
    (channels, losses.into_values().collect())
}
