//! Converts a model to a scene.

use rezkit_core::{Budget, Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use m3d::{Action, Model};
use serde_json::json;

use super::materials::materials;
use super::polygons;
use crate::features::Feature;
use crate::forms::Beside;
use crate::model::{Animation, Channel, Mesh, Node, Primitive, Scene, Skin, Transform};
use crate::skins::NO_BONE;
use rezkit_core::Loss;

/// Converts a model to a scene: polygons by material with their skin, voxels, each action as an animation, and labels
/// as empty nodes. Shapes are not drawn. `resolve` returns the file of a texture that is not in the model, by its name.
///
/// # Errors
/// If the model needs more memory or work than is left.
pub fn to_scene(model: &Model, budget: &mut Budget, resolve: &mut Beside<'_>) -> Result<(Scene, Vec<Loss>)> {
    let mut view = m3d::ViewOptions::new().max_bytes(budget.left()).scene(model)?;
    let (scene, losses, more, bones) = (texts(model), Vec::new(), Vec::new(), Vec::new());
    let mut to = Conversion { model, budget, scene, losses, more, bones, skeleton: None };
    // The capacity of the list doubles, and each material has a name.
    let names: usize = model.materials.iter().map(|material| 2 * material.name.len()).sum();
    to.budget.take_values::<[crate::model::Material; 3]>(model.materials.len(), "the materials")?;
    to.budget.take(names as u64, "the materials")?;
    materials(model, &mut to.scene, to.budget, resolve, &mut to.losses)?;
    to.add_bones()?;
    polygons::lost(model, to.budget, &mut to.losses)?;
    polygons::cut(model, &mut view.groups, to.budget)?;
    to.add_groups(view.groups)?;
    add_plain(&mut to.scene, "voxels", view.voxels, None);
    to.add_labels()?;
    to.losses.extend(to.more.drain(..).filter(|loss| loss.count > 0));
    to.add_actions()?;
    to.list_others()?;
    Ok((to.scene, to.losses))
}

/// A scene with the texts about a model.
fn texts(model: &Model) -> Scene {
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
    scene
}

struct Conversion<'a> {
    model: &'a Model,
    budget: &'a mut Budget,
    scene: Scene,
    losses: Vec<Loss>,
    /// Losses that are listed after those of the meshes.
    more: Vec<Loss>,
    /// The nodes of the bones.
    bones: Vec<usize>,
    /// The common root of the bones, which glTF requires.
    skeleton: Option<usize>,
}

impl Conversion<'_> {
    fn add_bones(&mut self) -> Result<()> {
        let model = self.model;
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
        self.budget.take(nodes.saturating_add(keys) as u64, "the bones and the animations")?;
        let root = Node { name: "skeleton".into(), ..Node::default() };
        self.skeleton = (!model.bones.is_empty()).then(|| self.scene.add_node(None, root));
        for (bone, pose) in model.bones.iter().zip(&model.bind_pose().normalized().bones) {
            let node = Node { name: bone.name.to_string(), transform: placed(pose), ..Node::default() };
            let parent = bone.parent.get().and_then(|parent| self.bones.get(parent).copied());
            self.bones.push(self.scene.add_node(parent.or(self.skeleton), node));
        }
        let unplaced = |bone: &m3d::Bone| model.vertices.coord(bone.position).is_none();
        let unturned = |bone: &m3d::Bone| model.vertices.coord(bone.orientation).is_none();
        let bones_with = |is: &dyn Fn(&m3d::Bone) -> bool| model.bones.iter().filter(|bone| is(bone)).count();
        let position = "the position 0, 0, 0 for bones whose position refers to no existing vertex";
        let rotation = "no rotation for bones whose orientation refers to no existing vertex";
        self.more.push(Loss::filled_in("bones", position).id("m3d.filled").times(bones_with(&unplaced)));
        self.more.push(Loss::filled_in("bones", rotation).id("m3d.filled").times(bones_with(&unturned)));
        let scale = model.scale;
        if scale != 0.0 && scale != model.scale_or_one() {
            let what = format!("a scale of {scale}, which is not positive and finite: 1 is used");
            self.more.push(Loss::approximated("scale", what).id("m3d.lost-scale"));
        }
        Ok(())
    }

    /// The joint after those of the bones, which never moves: that of vertices that no bone moves.
    fn still(&self) -> Result<u16> {
        let bones = self.bones.len();
        u16::try_from(bones).map_err(|_| {
            Error::unreadable(format!(
                "expected at most 65,535 bones (vertices without a bone need one more joint), found {bones}"
            ))
        })
    }

    /// Adds the polygons of each material as one mesh.
    fn add_groups(&mut self, groups: Vec<m3d::Group>) -> Result<()> {
        let (mut undefined, mut white, mut hidden) = (None, 0, 0);
        let mut primitives = Vec::new();
        let (mut skinned, mut has_still) = (false, false);
        for group in groups {
            if !group.name.is_empty() && group.material.get().is_none() {
                let name = &group.name;
                let what =
                    || format!("the name of a material that the model does not define, such as {name:?}");
                undefined
                    .get_or_insert_with(|| Loss::new("meshes", what()).id("material.undefined").times(0))
                    .count += 1;
            }
            if !group.mesh.colors.is_empty() {
                let lacks = |vertex: &&m3d::VertexId| self.model.vertices.color(**vertex).is_none();
                white += group.vertices.iter().filter(lacks).count();
            } else {
                // Programs without vertex colours give all vertices the first colour.
                let mut colors =
                    group.vertices.iter().filter_map(|vertex| self.model.vertices.color(*vertex));
                let first = colors.next();
                hidden += usize::from(colors.any(|color| Some(color) != first));
            }
            self.list_bones(&group.vertices, primitives.len());
            let mut mesh = group.mesh;
            for (joints, weights) in mesh.joints.iter_mut().zip(&mut mesh.weights) {
                if weights.iter().all(|&weight| weight == 0.0) {
                    has_still = true;
                    (*joints, *weights) = ([self.still()?, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
                }
            }
            skinned |= !mesh.joints.is_empty();
            primitives.push(Primitive::new(mesh, group.material.get()));
        }
        self.more.extend(undefined);
        self.more.push(
            Loss::filled_in("meshes", "white for vertices without a colour")
                .id("mesh.white-vertices")
                .times(white),
        );
        let what = "vertex colours, which the colour of the material (Kd) replaces";
        self.more.push(
            Loss::new("meshes", what).id("m3d.vertex-colors").about([Feature::Colors.title()]).times(hidden),
        );
        self.losses.extend(wound(&mut primitives));
        // In a skinned mesh, a primitive without joints follows the joint that never moves.
        for primitive in primitives.iter_mut().filter(|primitive| skinned && primitive.mesh.joints.is_empty())
        {
            has_still = true;
            let joint = self.still()?;
            let mesh = Arc::make_mut(&mut primitive.mesh);
            mesh.joints = vec![[joint, 0, 0, 0]; mesh.positions.len()];
            mesh.weights = vec![[1.0, 0.0, 0.0, 0.0]; mesh.positions.len()];
        }
        if !primitives.is_empty() {
            let name = self.scene.name.clone();
            let mesh = self.scene.add_mesh(Mesh { name: name.clone(), primitives, ..Mesh::default() });
            let skin = skinned.then_some(0);
            self.scene.add_node(None, Node { name, mesh: Some(mesh), skin, ..Node::default() });
        }
        if skinned {
            self.add_skin(has_still);
        }
        Ok(())
    }

    /// Lists the bones that the vertices of a mesh refer to, and that its skin lacks.
    fn list_bones(&mut self, vertices: &[m3d::VertexId], mesh: usize) {
        let path = || format!("meshes[{mesh}].skins");
        let unknown = vertices.iter().filter(|&&vertex| has_unknown_bone(self.model, vertex)).count();
        if unknown > 0 {
            self.losses.push(Loss::new(path(), NO_BONE).id("mesh.unknown-bone").times(unknown));
        }
        let more = vertices.iter().filter(|&&vertex| self.model.influences(vertex).nth(4).is_some()).count();
        if more > 0 {
            let what =
                format!("all but the four greatest bone weights of a vertex (number of vertices: {more})");
            self.losses.push(Loss::new(path(), what).id("mesh.four-joints"));
        }
    }

    fn add_skin(&mut self, has_still: bool) {
        let inverse = |matrix: &geom::Mat4| Mat4::from_cols_array(&matrix.to_columns()).to_cols_array_2d();
        let mut skin = Skin {
            name: self.scene.name.clone(),
            joints: self.bones.clone(),
            inverse_bind: self.model.inverse_bind_matrices().iter().map(inverse).collect(),
        };
        if has_still {
            let node = Node { name: super::STILL.into(), ..Node::default() };
            skin.joints.push(self.scene.add_node(self.skeleton, node));
            skin.inverse_bind.push(Mat4::IDENTITY.to_cols_array_2d());
        }
        self.scene.skins.push(skin);
    }

    fn add_labels(&mut self) -> Result<()> {
        let mut unplaced = 0;
        for label in self.model.annotations() {
            unplaced += usize::from(label.position.is_none());
            let texts = 2 * label.text.len() + label.group.language.len();
            self.budget.take((2 * size_of::<Node>() + 900 + texts) as u64, "the labels")?;
            let position = label.position.unwrap_or_default().to_array();
            let mut node = Node { name: label.text.to_string(), ..Node::default() };
            node.transform = Transform::from_translation(position);
            node.extras.insert("label".into(), label.text.to_string().into());
            node.extras.insert("language".into(), label.group.language.to_string().into());
            if let Some(color) = label.color {
                node.extras.insert("color".into(), json!(color.to_array()));
            }
            self.scene.add_node(None, node);
        }
        let what = "the position 0, 0, 0 for labels whose position refers to no existing vertex";
        self.more.push(Loss::filled_in("labels", what).id("m3d.filled").times(unplaced));
        Ok(())
    }

    fn add_actions(&mut self) -> Result<()> {
        let bind = self.model.bind_pose().normalized();
        for (index, action) in self.model.actions.iter().enumerate() {
            let (channels, lost) = channels(self.model, action, &bind, &self.bones);
            for loss in lost {
                self.lose(loss.below(|path| format!("actions[{index}].{path}")))?;
            }
            let name = action.name.to_string();
            self.scene.animations.push(Animation { name, channels, ..Animation::default() });
        }
        Ok(())
    }

    /// Lists the rest of the model.
    fn list_others(&mut self) -> Result<()> {
        // Every field is named, so that a new one does not compile until it is in the scene or listed as a loss.
        #[rustfmt::skip]
        let Model {
            extras, preview, procedurals, name: _, license: _, author: _, description: _, scale: _, tex_coords: _,
            vertices: _, bones: _, skins: _, materials: _, meshes: _, voxel_types: _, voxel_blocks: _, shapes,
            labels: _, actions: _, assets: _, layout,
        } = self.model;
        for (path, what) in layout.outside() {
            self.lose(Loss::new(path, what).id("m3d.unknown-section"))?;
        }
        for (index, extra) in extras.iter().enumerate() {
            self.lose(
                Loss::new(format!("extras[{index}]"), format!("the extra chunk {}", extra.tag))
                    .id("m3d.unknown-section"),
            )?;
        }
        if preview.is_some() {
            self.lose(
                Loss::new("preview", "the preview image, since other formats have none")
                    .id("m3d.unsupported"),
            )?;
        }
        for (index, shape) in shapes.iter().enumerate() {
            let what = format!("a shape, since shapes are not drawn (commands: {})", shape.commands.len());
            self.lose(Loss::new(format!("shapes[{index}]"), what).id("m3d.unsupported"))?;
        }
        for (index, _) in procedurals.iter().enumerate() {
            let what = "a procedural surface, since its script is not run";
            self.lose(Loss::new(format!("procedurals[{index}]"), what).id("m3d.unsupported"))?;
        }
        Ok(())
    }

    fn lose(&mut self, loss: Loss) -> Result<()> {
        self.budget.lose(&mut self.losses, loss)
    }
}

/// Reverses all triangles if most of them face away from their normals, as in some real models.
fn wound(primitives: &mut [Primitive]) -> Option<Loss> {
    let (with, against) = primitives
        .iter()
        .map(|primitive| winding(&primitive.mesh))
        .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    if against <= with {
        return None;
    }
    for primitive in primitives {
        Arc::make_mut(&mut primitive.mesh).triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    let what = format!(
        "winding order of all triangles reversed, since {against} of {} faced away from their normals",
        with + against
    );
    Some(Loss::approximated("meshes", what).id("mesh.winding"))
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
                losses
                    .entry(what)
                    .or_insert_with(|| Loss::new(path(), what).id("m3d.animation").times(0))
                    .count += 1;
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
