//! Draws visible ropes and rods as cylinders between two attachments.

use std::collections::HashSet;

use glam::{Mat4, Quat, Vec3};

use super::builder::{Builder, MeshSource, transform};
use super::look::{Look, brick_color, bytes_of};
use super::rigs::Rigs;
use super::shapes::Shape;
use super::tree::Property;
use crate::model::{Node, Transform};

/// If the ratio of a rope's length to the distance of its ends is above this, its sag would be visible.
const SLACK: f32 = 1.01;

/// Lists the ropes and rods at parts that move.
pub(super) fn list(builder: &mut Builder<'_>, rigs: &Rigs) {
    let tree = builder.tree;
    let moving: HashSet<usize> =
        rigs.rigs.iter().flat_map(|rig| &rig.joints).map(|joint| joint.part1).collect();
    for index in std::mem::take(&mut builder.cords) {
        let end = |name: Property| Some(tree.attachment(tree.instances[index].instance(name)?)?.0);
        let ends = [Property::Attachment0, Property::Attachment1].into_iter().filter_map(end);
        if ends.into_iter().any(|part| moving.contains(&part)) {
            builder.approximate(
                index,
                "roblox.rope",
                "a rope or rod at a part that an animation moves stays where it is",
            );
        }
    }
}

impl Builder<'_> {
    /// Draws a rope or a rod; returns whether it has two ends.
    pub(super) fn cord(&mut self, index: usize, parent: Option<usize>) -> bool {
        let tree = self.tree;
        let cord = &tree.instances[index];
        let end = |name: Property| {
            let (part, frame) = tree.attachment(cord.instance(name)?)?;
            let place = tree.instances[part].frame(&[Property::CFrame])? * frame;
            Some(place.w_axis.truncate()).filter(|place| place.is_finite())
        };
        let Some((from, to)) = end(Property::Attachment0).zip(end(Property::Attachment1)) else {
            return false;
        };
        let length = from.distance(to);
        if length < 1e-6 {
            return true;
        }
        let is_rope = cord.class == "RopeConstraint";
        if is_rope && cord.number(Property::Length).unwrap_or(5.0) > SLACK * length {
            self.approximate(index, "roblox.rope", "a slack rope becomes a straight one");
        }
        let color = brick_color(cord.int(Property::Color).unwrap_or(if is_rope { 25 } else { 26 }));
        let look = Look { color: bytes_of(color), alpha: 255, material: 256, ..Look::default() };
        let material = self.looks.material(&mut self.scene, &look);
        let Some(mesh) = self.mesh(&MeshSource::Shape(Shape::CylinderY), material) else { return false };
        let turn = Quat::from_rotation_arc(Vec3::Y, (to - from) / length);
        let thick =
            cord.number(Property::Thickness).filter(|thick| thick.is_finite()).unwrap_or(0.1).max(0.0);
        let place = Transform {
            scale: [thick, length, thick],
            ..transform(Mat4::from_rotation_translation(turn, from.midpoint(to)))
        };
        self.scene.add_node(parent, Node { transform: place, mesh: Some(mesh), ..tree.node(index) });
        self.cords.push(index);
        true
    }
}
