//! Converts a scene to a model.

use rezkit_core::{Budget, Error, Result};
use std::collections::{BTreeMap, HashMap, HashSet};

use glam::{Mat3, Mat4, Quat, Vec3};
use m3d::{
    Action, Asset, Bone, BoneId, Builder, Frame, Model, PropertyId, Transform as BoneTransform, Value,
    VertexId,
};

use super::{KEEPS, STILL};
use crate::features::Feature;
use crate::images::{self, srgb_from_linear};
use crate::model::{
    Animation, Channel, ImageData, Interpolation, Material, Node, Scene, Skin, Transform, Values, decomposed,
    rigid,
};
use rezkit_core::Loss;

/// Converts a scene to a model: triangles by material with their skins, materials with their textures inside
/// the file, and each animation of joints as an action.
///
/// # Errors
/// If the format cannot represent a mesh.
pub fn from_scene(scene: &Scene, budget: &mut Budget) -> Result<(Model, Vec<Loss>)> {
    // Parts that move are the bones of a model.
    let moving = scene.with_moving_joints(budget)?;
    let scene = moving.as_ref().map_or(scene, |(scene, _)| scene);
    let mut losses = scene.losses_but(KEEPS);
    if let Some((_, joined)) = &moving {
        let what = "the motion of nodes is that of bones, which meshes follow";
        let loss = Loss::approximated("animations", what).id("scene.node-animations");
        losses.push(loss.times(joined.skin.joints.len()).about([Feature::NodeAnimations.title()]));
    }
    let mut builder = Builder::new();
    builder.model.name = scene.title().into();
    let text = |name: &str| scene.extras.get(name).and_then(serde_json::Value::as_str);
    (builder.model.author, builder.model.license) = match (text("author"), text("license")) {
        (None, None) => (scene.copyright.as_str().into(), "".into()),
        (author, license) => (author.unwrap_or_default().into(), license.unwrap_or_default().into()),
    };
    builder.model.description = text("description").unwrap_or_default().into();
    let kept = ["author", "license", "description"];
    if scene.extras.iter().any(|(name, _)| kept.contains(&name.as_str()))
        && scene.extras.iter().all(|(name, text)| kept.contains(&name.as_str()) && text.is_string())
    {
        let extras = |loss: &&mut Loss| loss.features.first() == Some(&Feature::Extras.title());
        losses.iter_mut().filter(extras).for_each(|loss| loss.count -= 1);
        losses.retain(|loss| loss.count > 0);
    }
    let names = add_materials(scene, &mut builder, budget, &mut losses)?;
    // Three ids per corner, in lists whose capacity doubles, and the bytes that are written.
    budget.take((scene.triangle_count() as u64).saturating_mul(112), "the triangles of the model")?;
    builder = builder.max_bytes(budget.left());
    let own = if moving.is_none() { scene.joined_skin()? } else { None };
    let joined = moving.as_ref().map(|(_, joined)| joined).or(own.as_ref());
    joined.iter().for_each(|joined| joined.rest(scene, &mut losses));
    losses.extend(scene.missing_images());
    let still = joined.and_then(|joined| still(scene, &joined.skin));
    let mut skin = joined.map(|joined| joined.skin.clone());
    if let (Some(skin), Some(still)) = (&mut skin, still) {
        skin.joints.remove(still);
        skin.inverse_bind.remove(still);
    }
    let bones = add_bones(scene, skin.as_ref(), &mut builder);
    let pose = scene.pose();
    let world = scene.world(&pose.transforms);
    for node in scene.visible() {
        let Some(mesh) = scene.nodes[node].mesh.and_then(|mesh| scene.meshes.get(mesh)) else { continue };
        let bound = joined.zip(scene.nodes[node].skin);
        for (part, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("nodes[{node}].primitives[{part}]");
            let morphed = crate::pose::morphed(primitive, scene.weights_of(node, &pose));
            let bound = bound.filter(|_| !morphed.joints.is_empty());
            let mut mesh = match bound {
                Some((joined, skin)) => {
                    let mut mesh = std::sync::Arc::unwrap_or_clone(morphed);
                    joined.bind(skin, &mut mesh);
                    mesh
                }
                None => crate::pose::deformed(&morphed, world[node], None),
            };
            mesh.tangents.clear();
            if bound.is_none() && !joined.is_some_and(|joined| joined.carry(node, &mut mesh)) {
                mesh.joints.clear();
                mesh.weights.clear();
            }
            for (joint, weight) in mesh.joints.iter().flatten().zip(mesh.weights.iter_mut().flatten()) {
                if still == Some(usize::from(*joint)) {
                    *weight = 0.0;
                }
            }
            for joint in mesh.joints.iter_mut().flatten() {
                let node = joined.and_then(|joined| joined.skin.joints.get(usize::from(*joint)));
                let bone = node.and_then(|node| bones.get(node)).copied().unwrap_or_default();
                *joint = u16::try_from(bone).map_err(|_| {
                    Error::unwritable("the scene has more than the maximum of 65,536 bones").at(&*path)
                })?;
            }
            let is_none = |color: &geom::LinearRgba| color.to_srgb() == geom::Rgba8::default();
            let black = mesh.colors.iter().filter(|color| is_none(color)).count();
            if black > 0 {
                let what = format!(
                    "the alpha of transparent black vertices became 1 of 255, which is almost invisible, since four \
                     zero bytes mean \"no colour\" in Model 3D (number of vertices: {black})"
                );
                let loss = Loss::approximated(path.clone(), what).id("m3d.transparent-black");
                losses.push(loss.about([Feature::ColorAlpha.title()]));
                let almost = geom::Rgba8::new(0, 0, 0, 1).to_linear();
                mesh.colors.iter_mut().filter(|color| is_none(color)).for_each(|color| *color = almost);
            }
            let material = primitive.material.and_then(|index| names.get(index)).map_or("", String::as_str);
            builder.add_tri_mesh(&mesh, material).map_err(|error| match error.kind() {
                m3d::errors::ErrorKind::Limit(_) => Error::from(error).at(path),
                _ => Error::unwritable(error).at(path),
            })?;
        }
    }
    budget.take(builder.bytes(), "the vertices of the model")?;
    for index in 0..scene.animations.len() {
        add_action(scene, index, &bones, &mut builder, budget, &mut losses)?;
    }
    Ok((builder.finish(), losses))
}

/// Adds the materials; returns their names, which are unique identifiers of the format.
fn add_materials(
    scene: &Scene,
    builder: &mut Builder,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let primitives = scene.primitives();
    let colored = primitives.filter(|primitive| !primitive.mesh.colors.is_empty());
    let colored: HashSet<usize> = colored.filter_map(|primitive| primitive.material).collect();
    let mut textures = Textures::new(scene);
    for (index, from) in scene.materials.iter().enumerate() {
        let path = format!("materials[{index}]");
        let name = textures.unique(&from.name, &format!("material{index}"));
        let mut to = m3d::Material { name: name.clone().into(), properties: Vec::new() };
        // The colour of a material replaces those of vertices.
        if !(colored.contains(&index) && from.base_color == [1.0; 4]) {
            // All zero means no colour.
            let [r, g, b, alpha] = from.base_color;
            let ([r, g, b], a) = ([r, g, b].map(srgb_from_linear), byte(alpha));
            let a = if [r, g, b, a] == [0; 4] { 1 } else { a };
            to.set(PropertyId::DIFFUSE, Value::Color([r, g, b, a].into()));
            if colored.contains(&index) {
                let what = "vertex colours, which the colour of the material replaces in Model 3D";
                let features = [Feature::Colors, Feature::ColorAlpha].map(Feature::title);
                losses.push(Loss::new(path.clone(), what).id("m3d.vertex-colors").about(features));
            }
        }
        losses.extend(set_numbers(from, &mut to, &path));
        for (property, texture, channel) in [
            (PropertyId::MAP_DIFFUSE, from.base_texture, None),
            (PropertyId::MAP_NORMAL, from.normal_texture, None),
            (PropertyId::MAP_AMBIENT, from.occlusion_texture, None),
            (PropertyId::MAP_EMISSIVE, from.emissive_texture, None),
            (PropertyId::MAP_ROUGHNESS, from.metallic_roughness_texture, Some(1)),
            (PropertyId::MAP_METALLIC, from.metallic_roughness_texture, Some(2)),
        ] {
            let Some(texture) = texture else { continue };
            let other = format!("texture{index}");
            match textures.name(texture.image, channel, &other, &mut builder.model, budget)? {
                Ok(Some(name)) => to.set(property, Value::Map(name)),
                Ok(None) => {}
                Err(what) => {
                    losses.push(Loss::new(path.clone(), what).id("m3d.materials").about(Feature::textures()))
                }
            }
        }
        list_replaced(from, &to, &path, losses);
        names.push(name);
        builder.model.materials.push(to);
    }
    Ok(names)
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Sets the properties of a material other than its colour and its maps.
fn set_numbers(from: &Material, to: &mut m3d::Material, path: &str) -> Option<Loss> {
    to.set(PropertyId::ROUGHNESS, Value::Float(from.roughness));
    to.set(PropertyId::METALLIC, Value::Float(from.metallic));
    if from.emissive != [0.0; 3] {
        let [r, g, b] = from.emissive.map(srgb_from_linear);
        to.set(PropertyId::EMISSIVE, Value::Color([r, g, b, 255].into()));
    }
    if let Some(ior) = from.ior.filter(|ior| ior.is_finite()) {
        to.set(PropertyId::REFRACTION, Value::Float(ior));
    }
    if let Some([r, g, b, factor]) = from.specular {
        let [r, g, b] = [r, g, b].map(|part| byte(part * factor / 2.0));
        to.set(PropertyId::SPECULAR, Value::Color([r, g, b, 255].into()));
    }
    if from.unlit {
        to.set(PropertyId::ILLUMINATION, Value::Byte(0));
    }
    if from.normal_scale != 1.0 {
        to.set(PropertyId::BUMP_STRENGTH, Value::Float(from.normal_scale));
    }
    let is_lost = from.ior.is_some_and(|ior| !ior.is_finite());
    is_lost.then(|| Loss::new(path, "an index of refraction that is infinite or NaN").id("m3d.materials"))
}

/// Lists the values that a map replaces: in Model 3D it does; in glTF, it is multiplied by the value.
fn list_replaced(from: &Material, to: &m3d::Material, path: &str, losses: &mut Vec<Loss>) {
    let is_white = from.base_color[..3] == [1.0; 3];
    for (map, is_same, features) in [
        (PropertyId::MAP_DIFFUSE, is_white, &[Feature::Materials, Feature::BaseColor][..]),
        (PropertyId::MAP_ROUGHNESS, from.roughness == 1.0, &[Feature::Roughness]),
        (PropertyId::MAP_METALLIC, from.metallic == 1.0, &[Feature::Metallic]),
    ] {
        if !is_same && to.properties.iter().any(|property| property.id == map) {
            let titles = features.iter().map(|feature| feature.title());
            let what = format!(
                "the texture replaces the {}, since Model 3D does not multiply the two",
                titles.clone().next_back().unwrap_or_default()
            );
            losses.push(Loss::approximated(path, what).id("m3d.materials").about(titles));
        }
    }
}

/// The textures that were added. Each image, or channel of an image, is stored once, and so are equal files.
struct Textures<'s> {
    scene: &'s Scene,
    /// For each image the first one with the same bytes.
    first: Vec<usize>,
    /// The names of textures by image and channel; `None` if it cannot be read.
    made: HashMap<(usize, Option<usize>), Option<bstr::BString>>,
    files: HashMap<Vec<u8>, bstr::BString>,
    /// The names of materials and textures, and how many names were made of each.
    used: HashMap<String, usize>,
}

impl<'s> Textures<'s> {
    fn new(scene: &'s Scene) -> Self {
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        let first = scene.images.iter().enumerate().map(|(index, image)| match &image.data {
            ImageData::Bytes(bytes) => *known.entry(bytes.as_slice()).or_insert(index),
            ImageData::Uri(_) => index,
        });
        let first = first.collect();
        Self { scene, first, made: HashMap::new(), files: HashMap::new(), used: HashMap::new() }
    }

    /// A name that is not used yet, made of a name, or of another one if it is empty.
    fn unique(&mut self, name: &str, other: &str) -> String {
        let base = if name.is_empty() { other.to_owned() } else { m3d::identifier(name).to_string() };
        let mut name = base.clone();
        while self.used.contains_key(&name) {
            let next = self.used.entry(base.clone()).or_default();
            *next += 1;
            name = format!("{base}_{}", *next + 1);
        }
        self.used.insert(name.clone(), 0);
        name
    }

    /// The name of an image, or of one of its channels, as a texture, which is added to the model if it is new; or why
    /// it is lost, which is stated once.
    fn name(
        &mut self,
        image: usize,
        channel: Option<usize>,
        other: &str,
        model: &mut m3d::Model,
        budget: &mut Budget,
    ) -> Result<Result<Option<bstr::BString>, String>> {
        let Some(from) = self.scene.images.get(image) else { return Ok(Ok(None)) };
        let bytes = match &from.data {
            ImageData::Uri(uri) if uri.is_empty() => return Ok(Ok(None)),
            ImageData::Uri(uri) => return Ok(Ok(Some(uri.trim_end_matches(".png").into()))),
            ImageData::Bytes(bytes) => bytes,
        };
        let key = (self.first[image], channel);
        if let Some(name) = self.made.get(&key) {
            return Ok(Ok(name.clone()));
        }
        let data = match channel {
            None => images::to_png(bytes, budget),
            Some(channel) => images::channel(bytes, channel, budget),
        };
        let data = match data {
            Ok(data) => data,
            Err(error) => {
                self.made.insert(key, None);
                return Ok(Err(format!("the texture images[{image}], which cannot be read: {error}")));
            }
        };
        budget.take(2 * data.len() as u64, "the textures")?;
        let name = match self.files.get(&data) {
            Some(name) => name.clone(),
            None => {
                let name = bstr::BString::from(self.unique(&from.name, other));
                model.assets.push(Asset { name: name.clone(), data: data.clone() });
                self.files.insert(data, name.clone());
                name
            }
        };
        self.made.insert(key, Some(name.clone()));
        Ok(Ok(Some(name)))
    }
}

/// The joint that stands for no bone, which [`super::to_scene`] adds, if it is the only joint of all its vertices.
fn still(scene: &Scene, skin: &Skin) -> Option<usize> {
    let is_still = |node: usize| {
        let Node { name, children, transform, .. } = &scene.nodes[node];
        let moves = |animation: &Animation| animation.channels.iter().any(|channel| channel.node == node);
        name == STILL
            && children.is_empty()
            && *transform == Transform::default()
            && !scene.animations.iter().any(moves)
    };
    let at = skin.joints.iter().position(|&joint| is_still(joint)).filter(|_| skin.joints.len() > 1)?;
    let node = skin.joints[at];
    let alone = |of: &Node| {
        let joints = of.skin.and_then(|skin| Some(&scene.skins.get(skin)?.joints));
        let (Some(mesh), Some(joints)) = (of.mesh.and_then(|mesh| scene.meshes.get(mesh)), joints) else {
            return true;
        };
        let meshes = mesh.primitives.iter().map(|primitive| &primitive.mesh);
        meshes.flat_map(|mesh| mesh.joints.iter().zip(&mesh.weights)).all(|(all, weights)| {
            let moving = all.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
            let mut own = moving.map(|(joint, _)| joints.get(usize::from(*joint)) == Some(&node));
            let first = own.next();
            own.all(|own| Some(own) == first)
        })
    };
    (skin.inverse_bind[at] == Transform::default().matrix() && scene.nodes.iter().all(alone)).then_some(at)
}

/// Adds the joints of all skins and the nodes above them as bones, without nodes at the top that neither are joints nor
/// transform anything; returns the bone of each node.
fn add_bones(scene: &Scene, skin: Option<&Skin>, builder: &mut Builder) -> HashMap<usize, usize> {
    let mut parents: HashMap<usize, usize> = HashMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        node.children.iter().for_each(|&child| _ = parents.insert(child, index));
    }
    let mut wanted: HashSet<usize> = HashSet::new();
    for &joint in skin.into_iter().flat_map(|skin| &skin.joints) {
        let mut at = Some(joint);
        while let Some(node) = at.filter(|&node| wanted.insert(node)) {
            at = parents.get(&node).copied();
        }
    }
    let world = scene.world_at_rest();
    let mut bind: HashMap<usize, Mat4> = HashMap::new();
    for (&joint, inverse) in skin.into_iter().flat_map(|skin| skin.joints.iter().zip(&skin.inverse_bind)) {
        bind.insert(joint, Mat4::from_cols_array_2d(inverse).inverse());
    }
    let moved: HashSet<usize> = scene.channels().map(|channel| channel.node).collect();
    let mut bones = HashMap::new();
    for node in scene.walk().into_iter().filter(|node| wanted.contains(node)) {
        let is_joint = bind.contains_key(&node) || moved.contains(&node);
        let is_top = parents.get(&node).is_none_or(|parent| !bones.contains_key(parent));
        if is_top && !is_joint && world[node].abs_diff_eq(Mat4::IDENTITY, 1e-6) {
            continue;
        }
        let parent = parents.get(&node).filter(|parent| bones.contains_key(*parent));
        // Bones have no scale.
        let matrix = |node: &usize| bind.get(node).copied().unwrap_or_else(|| rigid(world[*node]));
        let local = match parent {
            Some(parent) => matrix(parent).inverse() * matrix(&node),
            None => matrix(&node),
        };
        let local = Transform::of(local);
        let bone = Bone {
            parent: parent
                .and_then(|parent| bones.get(parent))
                .map_or(BoneId::NONE, |&bone| BoneId::new(bone)),
            name: m3d::identifier(&scene.nodes[node].name),
            position: builder.point(local.translation.into()),
            orientation: builder.quaternion(unit(local.rotation).unwrap_or_default().to_array().into()),
        };
        bones.insert(node, builder.model.bones.len());
        builder.model.bones.push(bone);
    }
    bones
}

/// What the scale of the nodes above these makes of their translations: bones have no scale, so that it is a part of their
/// positions. Nodes below no scale are left out.
fn stretched(scene: &Scene, nodes: impl Iterator<Item = usize>) -> HashMap<usize, Mat3> {
    let (world, parents) = (scene.world_at_rest(), scene.parents());
    let stretch = |node: usize| {
        let above = world[parents[node]?];
        let (scale, rotation, _) = decomposed(above);
        let is_scaled = !scale.abs_diff_eq(Vec3::ONE, 1e-5);
        is_scaled.then(|| (node, Mat3::from_quat(rotation.inverse()) * Mat3::from_mat4(above)))
    };
    nodes.filter_map(stretch).collect()
}

/// Adds an animation as an action, with a frame at each time at which any bone has a key.
fn add_action(
    scene: &Scene,
    index: usize,
    bones: &HashMap<usize, usize>,
    builder: &mut Builder,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let animation = &scene.animations[index];
    let path = format!("animations[{index}]");
    let moved = animation.channels.iter().filter(|channel| bones.contains_key(&channel.node));
    let keys: u64 = moved.clone().map(|channel| channel.times.len() as u64).sum();
    budget.take_values::<[u32; 2]>(keys as usize, "the frames of the animations")?;
    let mut times: Vec<u32> = Vec::new();
    let milliseconds = |time: f32| (time.max(0.0) * 1000.0).round() as u32;
    // The end of the last cubic channel: frames up to it serve all of them.
    let mut cubic = None;
    for channel in moved {
        match channel.interpolation {
            Interpolation::Linear => times.extend(channel.times.iter().map(|&time| milliseconds(time))),
            // A value that jumps gets another key just before the jump.
            Interpolation::Step => times.extend(channel.times.iter().flat_map(|&time| {
                let time = milliseconds(time);
                [time.saturating_sub(1), time]
            })),
            Interpolation::Cubic => {
                let end = channel.times.last().copied().unwrap_or(0.0);
                if end.is_nan() || end * 30.0 >= f32::from(u16::MAX) {
                    let what = match end.is_nan() {
                        true => "an animation whose last key has the time NaN",
                        false => "an animation that needs more than 65,535 frames, the maximum of Model 3D",
                    };
                    let loss = Loss::new(path, what).id("m3d.animation");
                    losses.push(loss.about([Feature::JointAnimations.title()]));
                    return Ok(());
                }
                if let Values::Rotation(_) | Values::Translation(_) = channel.values {
                    let what =
                        "cubic interpolation replaced by linear interpolation between 30 keys per second";
                    let at = format!("animations[{index}]");
                    let loss = Loss::approximated(at, what).id("animation.resampled");
                    losses.push(loss.about([Feature::JointAnimations.title()]));
                }
                cubic = cubic.max(Some((end * 30.0) as u32));
                times.extend(channel.times.iter().map(|&time| milliseconds(time)));
            }
        }
    }
    let sampled = cubic.into_iter().flat_map(|end| 0..=end);
    times.extend(sampled.map(|frame| milliseconds(frame as f32 / 30.0)));
    times.sort_unstable();
    times.dedup();
    if times.is_empty() || times.len() > usize::from(u16::MAX) {
        let what = match times.is_empty() {
            true => "an animation that moves no joint",
            false => "an animation that needs more than 65,535 frames, the maximum of Model 3D",
        };
        let loss = Loss::new(path, what).id("m3d.animation");
        let features = [Feature::JointAnimations, Feature::NodeAnimations];
        losses.push(loss.about(features.map(Feature::title)));
        return Ok(());
    }
    let mut listed: BTreeMap<usize, Vec<&Channel>> = BTreeMap::new();
    for channel in animation.channels.iter().filter(|channel| bones.contains_key(&channel.node)) {
        listed.entry(channel.node).or_default().push(channel);
    }
    let stretch = stretched(scene, listed.keys().copied());
    // Each frame lists every joint that moves.
    budget.work(128 * (times.len() * animation.channels.len()) as u64, "the frames of the animations")?;
    let (mut frames, mut turnless) = (Vec::new(), 0);
    let mut before: HashMap<usize, (VertexId, VertexId)> = HashMap::new();
    for &time in &times {
        let mut frame = Frame { time, transforms: Vec::new() };
        for (&node, channels) in &listed {
            let mut transform = scene.nodes[node].transform;
            channels.iter().for_each(|channel| channel.apply(&mut transform, time as f32 / 1000.0));
            let Transform { translation, rotation, .. } = transform;
            let unit = unit(rotation);
            turnless += usize::from(unit.is_none());
            let position = match stretch.get(&node) {
                Some(stretch) => (*stretch * Vec3::from(translation)).to_array(),
                None => translation,
            };
            let position = builder.point(position.into());
            let orientation = builder.quaternion(unit.unwrap_or_default().to_array().into());
            // A frame need not list a bone that has not changed since the frame before.
            if before.insert(node, (position, orientation)) == Some((position, orientation)) {
                continue;
            }
            budget.take(128, "the frames of the animations")?;
            frame.transforms.push(BoneTransform { bone: BoneId::new(bones[&node]), position, orientation });
        }
        frames.push(frame);
    }
    if turnless > 0 {
        let what =
            "a rotation whose quaternion has the length 0, or is infinite or NaN: no rotation is written";
        losses.push(Loss::approximated(path.clone(), what).id("m3d.animation").times(turnless));
    }
    let duration = times.last().copied().unwrap_or(0);
    let name = match animation.name.as_str() {
        "" => {
            let name = format!("animation{index}");
            let what = format!("the name {name}, since every action in Model 3D needs a name");
            losses.push(Loss::filled_in(path, what).id("scene.renamed"));
            name
        }
        name => name.to_owned(),
    };
    builder.model.actions.push(Action { name: m3d::identifier(&name), duration, frames });
    Ok(())
}

/// A rotation of length 1; `None` if the quaternion has no direction.
fn unit(rotation: [f32; 4]) -> Option<Quat> {
    Some(Quat::from_array(rotation).normalize()).filter(|unit| unit.is_finite())
}
