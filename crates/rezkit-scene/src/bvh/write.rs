//! Writes the skeleton and the first animation of a scene as BVH.
//!
//! A joint of BVH has no rotation at rest: each is written with the axes of the scene, and its rotations are those from
//! the rest pose. Rotations are in the order z, x, y, as Blender and Second Life's tools write them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use glam::{DQuat, DVec3, Mat4};
use rezkit_core::{Budget, Error, Loss, Result};

use super::MAX_DEPTH;
use crate::features::Feature;
use crate::forms::SceneWriter;
use crate::model::{Animation, Interpolation, Scene, Values, decomposed};
use crate::slmesh;

/// Writes BVH.
pub static WRITER: SceneWriter = SceneWriter::of_others(&[Feature::JointAnimations], |scene, writing| {
    let (bytes, losses) = to_vec(scene, &mut writing.budget)?;
    writing.losses.extend(losses);
    Ok(bytes)
});

/// Features that the writer lists by itself, or that a skeleton does not have.
const NOT_LISTED: &[Feature] = &[
    Feature::Size,
    Feature::Nodes,
    Feature::Hidden,
    Feature::Morphs,
    Feature::Skins,
    Feature::SeveralSkins,
    Feature::JointAnimations,
    Feature::NodeAnimations,
    Feature::Normals,
    Feature::Tangents,
    Feature::Uvs,
    Feature::MoreUvs,
    Feature::Colors,
    Feature::ColorAlpha,
    Feature::TextureSet,
];

/// The frames per second if the keys have no common distance.
const RATE: f64 = 30.0;

/// A joint of the file, or the node that holds several roots.
struct Joint {
    name: String,
    node: Option<usize>,
    parent: Option<usize>,
    /// The rotation at rest in the file's axes.
    rest: DQuat,
    /// The position at rest.
    place: DVec3,
    /// Whether its distance from its parent changes.
    slides: bool,
}

/// Writes the joints of all skins and the animated nodes, with one animation.
///
/// # Errors
/// If there is no animation, nothing is moved or rotated, or the frames need more than the budget.
fn to_vec(scene: &Scene, budget: &mut Budget) -> Result<(Vec<u8>, Vec<Loss>)> {
    let animation = scene
        .animations
        .first()
        .ok_or_else(|| Error::unwritable("the file has no animation, which BVH requires"))?;
    let mut losses = lost(scene, animation);
    let yaw = slmesh::quarters(scene);
    if yaw != 0.0 {
        let what =
            format!("the skeleton, turned by {yaw} degrees about the vertical axis, so that it faces +z");
        losses.push(Loss::approximated("HIERARCHY", what).id("bvh.skeleton"));
    }
    let turn = DQuat::from_rotation_y(yaw.to_radians());
    let mut joints = joints(scene, animation, turn, budget, &mut losses)?;
    let times = animation.channels.iter().map(|channel| channel.times.len()).sum();
    budget.take_values::<[f64; 6]>(times, "the times of the keys")?;
    let (count, step) = sampling(animation, &mut losses);
    let steps = (scene.nodes.len() + animation.channels.len()) as u64 * 8;
    budget.work(count.saturating_mul(steps), "the frames of the animation")?;
    // A number of a frame takes about twelve characters, in a text whose capacity doubles.
    let size = joints.len() as u64 * (size_of::<(DQuat, DVec3)>() as u64 + 6 * 24);
    budget.take(count.saturating_mul(size), "the frames of the animation")?;
    #[allow(clippy::cast_precision_loss, reason = "the number of a frame")]
    let world = |frame: u64| scene.world(&scene.pose_at(0, (frame as f64 * step) as f32).transforms);
    let frames: Vec<_> = (0..count).map(|frame| posed(&mut joints, &world(frame), turn)).collect();
    let mut text = String::from("HIERARCHY\n");
    hierarchy(&joints, &mut text);
    _ = writeln!(text, "MOTION\nFrames: {count}\nFrame Time: {step}");
    let mut before = vec![DVec3::ZERO; joints.len()];
    for frame in frames {
        let mut numbers = Vec::new();
        for ((joint, (turn, place)), before) in joints.iter().zip(frame).zip(&mut before) {
            *before = angles(turn, *before);
            if joint.has_place() {
                numbers.extend(place.to_array());
            }
            numbers.extend(before.to_array());
        }
        let words: Vec<String> = numbers.into_iter().map(number).collect();
        text += &words.join(" ");
        text.push('\n');
    }
    Ok((text.into_bytes(), losses))
}

/// Six decimals; a number that is rounded to 0 has no sign.
fn number(value: f64) -> String {
    let text = format!("{value:.6}");
    if text == "-0.000000" { text[1..].to_owned() } else { text }
}

/// What BVH does not have.
fn lost(scene: &Scene, animation: &Animation) -> Vec<Loss> {
    let mut losses = scene.losses_but(NOT_LISTED);
    // Those of animations are listed by name.
    let has_extras = !scene.extras.is_empty() || scene.nodes.iter().any(|node| !node.extras.is_empty());
    losses.retain(|loss| has_extras || loss.what != Feature::Extras.title());
    let more = scene.animations.iter().enumerate().skip(1).map(|(index, other)| {
        let what = "a BVH file contains only one animation: the first one was converted (set the option action to \
                    convert another one)";
        Loss::new(format!("animations[{index}] {:?}", other.name), what).id("animation.only-first")
    });
    losses.extend(more);
    if scene.triangle_count() > 0 {
        losses.push(
            Loss::new("meshes", "the meshes: BVH contains only a skeleton and its motion").id("scene.meshes"),
        );
    }
    let scales = animation.channels.iter().filter(|channel| channel.is_beyond_joints(&scene.nodes));
    losses.extend(scales.map(|channel| {
        let what = "an animated scale or animated morph weights: BVH only moves and rotates joints";
        Loss::new(scene.nodes[channel.node].name.clone(), what).id("scene.node-animations")
    }));
    let stated = animation.playback.stated();
    if !stated.is_empty() {
        let what = format!("settings that BVH does not have ({})", stated.join(", "));
        losses.push(
            Loss::new(format!("animations {:?}.playback", animation.name), what).id("animation.settings"),
        );
    }
    let extras = animation.extras.iter().filter(|(_, value)| !value.is_null());
    losses.extend(extras.map(|(name, value)| {
        let names = value.as_object().map(|of| of.keys().map(String::as_str).collect::<Vec<_>>().join(", "));
        let names = names.map_or_else(String::new, |names| format!(" ({names})"));
        let what = format!("settings that BVH does not have{names}");
        Loss::new(format!("animations {:?}.extras.{name}", animation.name), what).id("animation.settings")
    }));
    losses
}

/// Sets the number of frames per second for writing all animations of a scene as BVH.
///
/// # Errors
/// [`Argument`](rezkit_core::ErrorKind::Argument) if it is not above 0, or more than 1,000.
pub fn set_fps(scene: &mut Scene, fps: f32) -> Result<()> {
    if !(fps > 0.0 && fps <= 1000.0) {
        return Err(Error::argument(format!("expected more than 0 and at most 1000, found {fps}")).at("fps"));
    }
    for animation in &mut scene.animations {
        animation.playback.frame_time = Some(1.0 / f64::from(fps));
    }
    Ok(())
}

/// The joints in the order of the file, parents before children.
fn joints(
    scene: &Scene,
    animation: &Animation,
    turn: DQuat,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Joint>> {
    let moves = |values: &Values| matches!(values, Values::Translation(_) | Values::Rotation(_));
    let moved =
        animation.channels.iter().filter(|channel| moves(&channel.values)).map(|channel| channel.node);
    let order = scene.walk();
    let reached: HashSet<usize> = order.iter().copied().collect();
    let mut wanted: HashSet<usize> = moved.filter(|node| reached.contains(node)).collect();
    if wanted.is_empty() {
        return Err(Error::unwritable("the animation neither moves nor rotates a node"));
    }
    wanted.extend(scene.joints().filter(|node| reached.contains(node)));
    // All joints of a rig from Roblox, which has no skin.
    let is_pose = |node: &usize| title(scene, *node).len() < scene.nodes[*node].name.len();
    wanted.extend(order.iter().copied().filter(is_pose));
    let parents = scene.parents();
    // The nearest wanted node above each node, and the number of wanted nodes without one below each.
    let mut above = vec![None; scene.nodes.len()];
    let mut tops = vec![0_usize; scene.nodes.len()];
    for &node in &order {
        above[node] = parents[node]
            .and_then(|parent| if wanted.contains(&parent) { Some(parent) } else { above[parent] });
    }
    let mut count = 0;
    for &node in order.iter().rev() {
        if wanted.contains(&node) && above[node].is_none() {
            (count, tops[node]) = (count + 1, 1);
        }
        if let Some(parent) = parents[node] {
            tops[parent] += tops[node];
        }
    }
    // The nearest node that holds all of them is the root.
    let first = order.iter().rev().copied().find(|&node| tops[node] == count);
    wanted.extend(first);
    let world = scene.world_at_rest();
    let mut joints = Vec::new();
    if first.is_none() {
        losses.push(
            Loss::filled_in("HIERARCHY", "a joint that holds the others, because BVH has one root")
                .id("bvh.skeleton"),
        );
        joints.push(Joint {
            name: "root".to_owned(),
            node: None,
            parent: None,
            rest: DQuat::IDENTITY,
            place: DVec3::ZERO,
            slides: false,
        });
    }
    let mut index_of = vec![None; scene.nodes.len()];
    let mut depths = vec![1; joints.len()];
    let mut names: HashMap<String, usize> =
        joints.iter().map(|joint: &Joint| (joint.name.clone(), 1)).collect();
    for node in order.into_iter().filter(|node| wanted.contains(node)) {
        let parent = above[node].and_then(|node| index_of[node]).or((!joints.is_empty()).then_some(0));
        let depth = parent.map_or(0, |parent: usize| depths[parent]) + 1;
        if depth > MAX_DEPTH {
            let what = format!("joints are nested deeper than the maximum of {MAX_DEPTH} levels");
            return Err(Error::unwritable(what).at(scene.nodes[node].name.clone()));
        }
        index_of[node] = Some(joints.len());
        depths.push(depth);
        let (rest, place) = placed(world[node], turn);
        let name = named(title(scene, node), &mut names, losses);
        // The name is in three places; the lines of a joint are indented, in a text whose capacity doubles.
        let size = size_of::<Joint>() + 4 * name.len() + 16 * depth + 600;
        budget.take(size as u64, "the joints")?;
        joints.push(Joint { name, node: Some(node), parent, rest, place, slides: false });
    }
    if joints.first().is_some_and(|root| slmesh::is_pelvis(&root.name)) {
        let what = "Second Life's viewers do not play the first frame of an uploaded BVH file and take lengths as \
                    inches: upload an .anim file instead (`--exact` converts this file back to one)";
        losses.push(Loss::warning("MOTION", what).id("bvh.first-frame"));
    }
    Ok(joints)
}

/// The name of a joint: of one that moves a part of Roblox, that of the part.
fn title(scene: &Scene, node: usize) -> &str {
    let own = &scene.nodes[node];
    let part = own.name.strip_suffix(" pose");
    part.filter(|part| own.children.iter().any(|&child| scene.nodes[child].name == *part))
        .unwrap_or(&own.name)
}

/// A name of one word that no other joint has. `names` has the number of joints of each name.
fn named(name: &str, names: &mut HashMap<String, usize>, losses: &mut Vec<Loss>) -> String {
    let plain = name.split(|c: char| c.is_whitespace() || c.is_control() || "{}".contains(c));
    let mut own = plain.collect::<Vec<_>>().join("_");
    if own.is_empty() {
        own = "joint".to_owned();
    }
    let mut unique = own.clone();
    while names.contains_key(&unique) {
        let count = names.entry(own.clone()).or_insert(1);
        *count += 1;
        unique = format!("{own}_{count}");
    }
    names.insert(unique.clone(), 1);
    if unique != name {
        let what = "a name that another joint has, or that is not one word: it is changed";
        Loss::approximated(name, what).id("scene.renamed").count_in(losses);
    }
    unique
}

/// The rotation and the position of a matrix in the file's axes.
fn placed(matrix: Mat4, turn: DQuat) -> (DQuat, DVec3) {
    let (_, rotation, place) = decomposed(matrix);
    ((turn * rotation.as_dquat()).normalize(), turn * place.as_dvec3())
}

/// The number of frames, and the time of each in seconds: that of the file's own frames or keys, if they are regular.
fn sampling(animation: &Animation, losses: &mut Vec<Loss>) -> (u64, f64) {
    let duration = f64::from(animation.lasts());
    let times = animation.channels.iter().flat_map(|channel| &channel.times);
    // Times of at least 0 have the order of their bits.
    let times: BTreeSet<u32> = times.map(|time| time.max(0.0).to_bits()).collect();
    let times: Vec<f64> = times.into_iter().map(|bits| f64::from(f32::from_bits(bits))).collect();
    // Motions of Second Life last at most 60 s and have 65,535 steps of time; 32 bits round others.
    let near = duration.min(60.0) / 65_535.0 + 1e-5 + duration * 1e-7;
    let fits = |step: f64| {
        let off = |time: f64| (time - (time / step).round() * step).abs();
        times.iter().chain([&duration]).all(|&time| off(time) <= near)
    };
    let gaps = || times.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 4.0 * near);
    // If each frame has a key, the number of gaps is exact, while the least of many is too small by rounding.
    let all = duration / gaps().count() as f64;
    let least = gaps().fold(f64::INFINITY, f64::min);
    let least = if least.is_finite() { duration / (duration / least).round() } else { least };
    let stated = animation.playback.frame_time.filter(|step| *step > 0.0);
    let curved = animation.channels.iter().any(|channel| channel.interpolation != Interpolation::Linear);
    let usual = [RATE, 24.0, 25.0, 60.0].map(|rate| 1.0 / rate);
    let tried = [all, least].into_iter().filter(|step| *step < 0.101 && !curved).chain(usual);
    let step = stated.or_else(|| tried.into_iter().find(|step| fits(*step))).unwrap_or(1.0 / RATE);
    if !fits(step) || curved {
        let what = format!(
            "the keys, sampled {} times a second, because BVH has frames at equal distances (`--fps` sets another \
             number)",
            (1e3 / step).round() / 1e3
        );
        losses.push(
            Loss::approximated(format!("animations {:?}", animation.name), what).id("animation.resampled"),
        );
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let count = ((duration - near) / step).ceil().max(0.0) as u64;
    (count.saturating_add(1), step)
}

/// The rotation of each joint from its rest pose, and its position, in its parent. Notes which joints slide.
fn posed(joints: &mut [Joint], world: &[Mat4], turn: DQuat) -> Vec<(DQuat, DVec3)> {
    // The rotation from the rest pose and the place of each joint in the file's axes.
    let mut own: Vec<(DQuat, DVec3)> = Vec::with_capacity(joints.len());
    let mut posed = Vec::with_capacity(joints.len());
    for index in 0..joints.len() {
        let joint = &joints[index];
        let (turned, place) =
            joint.node.map_or((DQuat::IDENTITY, DVec3::ZERO), |node| placed(world[node], turn));
        let delta = (turned * joint.rest.inverse()).normalize();
        own.push((delta, place));
        let (above, from, rest) =
            joint.parent.map_or((DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO), |parent| {
                (own[parent].0, own[parent].1, joints[parent].place)
            });
        let way = above.inverse() * (place - from);
        // Coordinates have 24 bits.
        let near = 2e-5 * (place.abs().max_element() + joint.place.abs().max_element());
        let slides = way.distance(joint.place - rest) > near;
        joints[index].slides |= slides;
        posed.push(((above.inverse() * delta).normalize(), way));
    }
    posed
}

impl Joint {
    /// Whether it has channels for its position.
    fn has_place(&self) -> bool {
        self.parent.is_none() || self.slides
    }
}

/// The joints with their channels. Children follow their parents, so that each ends where the next is not below it.
fn hierarchy(joints: &[Joint], text: &mut String) {
    let mut open: Vec<usize> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        close(joints, &mut open, joint.parent, text);
        let indent = "\t".repeat(open.len());
        let word = if joint.parent.is_none() { "ROOT" } else { "JOINT" };
        let rest = joint.parent.map_or(DVec3::ZERO, |parent| joints[parent].place);
        let [x, y, z] = (joint.place - rest).to_array().map(number);
        let (count, places) = if joint.has_place() { (6, "Xposition Yposition Zposition ") } else { (3, "") };
        _ = writeln!(text, "{indent}{word} {}\n{indent}{{", joint.name);
        _ = writeln!(text, "{indent}\tOFFSET {x} {y} {z}");
        _ = writeln!(text, "{indent}\tCHANNELS {count} {places}Zrotation Xrotation Yrotation");
        open.push(index);
    }
    close(joints, &mut open, None, text);
}

/// Ends the open joints below `parent`; one without children gets an end site.
fn close(joints: &[Joint], open: &mut Vec<usize>, parent: Option<usize>, text: &mut String) {
    while let Some(last) = open.pop_if(|last| Some(*last) != parent) {
        let indent = "\t".repeat(open.len());
        if joints.get(last + 1).is_none_or(|next| next.parent != Some(last)) {
            _ = writeln!(text, "{indent}\tEnd Site\n{indent}\t{{\n{indent}\t\tOFFSET 0 0 0\n{indent}\t}}");
        }
        _ = writeln!(text, "{indent}}}");
    }
}

/// The angles about z, x and y of a rotation, in degrees: of those that are the same rotation, the nearest to the
/// previous ones.
fn angles(turn: DQuat, before: DVec3) -> DVec3 {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| turn * axis);
    let flat = libm::hypot(y.x, y.y);
    let angles = if flat > 1e-9 {
        DVec3::new(libm::atan2(-y.x, y.y), libm::atan2(y.z, flat), libm::atan2(-x.z, z.z))
    } else {
        DVec3::new(libm::atan2(x.y, x.x), libm::atan2(y.z, flat), 0.0)
    };
    let first = DVec3::from(angles.to_array().map(f64::to_degrees));
    let second = DVec3::new(first.x + 180.0, 180.0 - first.y, first.z + 180.0);
    let [first, second] = [first, second].map(|angles| angles - 360.0 * ((angles - before) / 360.0).round());
    if second.distance(before) + 1e-6 < first.distance(before) { second } else { first }
}
