//! What retargeting an animation needs, whatever the avatar: the poses of a rig in the avatar's axes, its heading, and
//! the height of its hips.

use std::collections::{BTreeSet, HashMap};

use glam::{Mat4, Quat, Vec3};

use crate::model::{Animation, Scene, Transform, decomposed};

/// The rotation and position of a node in the world, in the avatar's axes.
pub(crate) type Place = (Quat, Vec3);

/// The nodes of a scene on which the joints of an avatar depend.
pub(crate) struct Rig<'a> {
    pub(crate) scene: &'a Scene,
    /// The counterparts of the avatar's joints and all nodes above them, parents before children.
    pub(crate) order: Vec<usize>,
    pub(crate) parents: Vec<Option<usize>>,
    /// The rotation from the scene's axes to the avatar's.
    pub(crate) axes: Quat,
}

impl<'a> Rig<'a> {
    /// The rig with these counterparts of the avatar's joints.
    pub(crate) fn new(scene: &'a Scene, joints: impl IntoIterator<Item = usize>, axes: Quat) -> Self {
        let parents = scene.parents();
        let mut is_needed = vec![false; scene.nodes.len()];
        for node in joints {
            let mut next = Some(node);
            while let Some(node) = next.filter(|&node| !is_needed[node]) {
                is_needed[node] = true;
                next = parents[node];
            }
        }
        let order = scene.walk().into_iter().filter(|&node| is_needed[node]).collect();
        Self { scene, order, parents, axes }
    }

    pub(crate) fn at_rest(&self) -> HashMap<usize, Place> {
        self.placed(|node| self.scene.nodes[node].transform)
    }

    pub(crate) fn posed(&self, animation: &Animation, time: f32) -> HashMap<usize, Place> {
        let mut moved: HashMap<usize, Transform> = HashMap::new();
        for channel in &animation.channels {
            let node = &self.scene.nodes[channel.node];
            channel.apply(moved.entry(channel.node).or_insert(node.transform), time);
        }
        self.placed(|node| moved.get(&node).copied().unwrap_or(self.scene.nodes[node].transform))
    }

    fn placed(&self, transform: impl Fn(usize) -> Transform) -> HashMap<usize, Place> {
        let mut world: HashMap<usize, Mat4> = HashMap::new();
        let mut placed = HashMap::new();
        for &node in &self.order {
            let above = self.parents[node].and_then(|parent| world.get(&parent)).copied().unwrap_or_default();
            let matrix = above * transform(node).mat4();
            world.insert(node, matrix);
            let (_, turn, place) = decomposed(matrix);
            placed.insert(node, ((self.axes * turn).normalize(), self.axes * place));
        }
        placed
    }

    /// Of these nodes, those that are no counterparts of joints; with whether such a counterpart is below them.
    pub(crate) fn others(
        &self,
        nodes: impl Iterator<Item = usize>,
        is_joint: impl Fn(usize) -> bool,
    ) -> Vec<(usize, bool)> {
        let above: BTreeSet<usize> = self.order.iter().copied().collect();
        let others: BTreeSet<usize> = nodes.filter(|&node| !is_joint(node)).collect();
        others.into_iter().map(|node| (node, above.contains(&node))).collect()
    }
}

/// A rotation about the vertical axis, rounded to a quarter turn if it is near one.
pub(crate) fn near_quarter(yaw: f32) -> f32 {
    let quarter = std::f32::consts::FRAC_PI_2;
    let nearest = (yaw / quarter).round() * quarter;
    if (yaw - nearest).abs() < quarter / 9.0 { nearest } else { yaw }
}

/// The rotation about the axis `up`, in radians, that brings the second points of the pairs closest to the first. `None`
/// if they do not determine it, since they are near a line along this axis.
pub(crate) fn heading(pairs: &[(Vec3, Vec3)], up: Vec3) -> Option<f32> {
    let count = pairs.len().max(1) as f32;
    let sum = pairs.iter().fold((Vec3::ZERO, Vec3::ZERO), |(a, b), (c, d)| (a + *c, b + *d));
    let (mut sine, mut cosine, mut size) = (0.0, 0.0, [0.0; 2]);
    for (own, its) in pairs {
        let [own, its] = [*own - sum.0 / count, *its - sum.1 / count];
        size = [size[0] + own.length_squared(), size[1] + its.length_squared()];
        let [own, its] = [own, its].map(|way| way.reject_from_normalized(up));
        sine += its.cross(own).dot(up);
        cosine += its.dot(own);
    }
    let least = 0.05 * (size[0] * size[1]).sqrt();
    (sine.hypot(cosine) > least).then(|| libm::atan2f(sine, cosine))
}

/// The change of an animation whose hips are [`is_raised`].
pub(crate) const RAISED: &str =
    "the hips rest at the origin, so their positions were converted to positions relative to the first frame";

/// Whether the start position of the hips is not a motion, but their place: many BVH files have the offset 0 for the
/// hips, and their height only in the frames. `leg` is the length of the avatar's legs; positions are in its unit.
pub(crate) fn is_raised(rest: Vec3, start: Vec3, leg: f32) -> bool {
    rest.length() < leg * 1e-3 && start.length() > leg / 4.0
}
