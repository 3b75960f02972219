//! Adds the nodes of rigs: each part is below the nodes of its joint.

use super::builder::Builder;
use super::rigs::Rigs;
use super::tree::Property;
use crate::model::{Node, Transform};

/// Draws the parts of the rigs, each below the nodes of its joint.
pub(super) fn build(builder: &mut Builder<'_>, rigs: &Rigs) {
    let tree = builder.tree;
    // If anything else is drawn, added avatars are hidden: they are not parts of the document.
    let has_parts = builder.scene.nodes.iter().any(|node| node.mesh.is_some())
        || rigs.rigs.iter().any(|rig| !rig.is_avatar);
    for rig in rigs.rigs.iter().filter(|rig| !rig.joints.is_empty()) {
        let name = |index: usize| tree.instances[index].name.clone();
        let place = tree.instances[rig.root].frame(&[Property::CFrame]).unwrap_or_default();
        let place = builder.rigid(rig.root, place);
        let hidden = rig.is_avatar && has_parts;
        let mut node = Node { transform: place, hidden, ..tree.node(rig.root) };
        if rig.is_avatar {
            node.extras.insert("Rig".into(), name(rig.model).into());
        }
        let root = builder.scene.add_node(builder.above.get(&rig.root).copied(), node);
        builder.part(rig.root, None, Some(root));
        builder.frames.insert(rig.root, root);
        for joint in &rig.joints {
            let Some(&parent) = builder.frames.get(&joint.part0) else { continue };
            if joint.is_held {
                let transform = builder.rigid(joint.index, joint.c0 * joint.c1.inverse());
                let node = Node { transform, ..tree.node(joint.part1) };
                let frame = builder.scene.add_node(Some(parent), node);
                builder.frames.insert(joint.part1, frame);
                builder.part(joint.part1, None, Some(frame));
                continue;
            }
            let [start, end] = [joint.c0, joint.c1.inverse()].map(|frame| builder.rigid(joint.index, frame));
            let mut add = |parent: usize, name: String, transform: Transform| {
                builder.scene.add_node(Some(parent), Node { name, transform, ..tree.node(joint.part1) })
            };
            let c0 = add(parent, format!("{} C0", name(joint.part1)), start);
            let moving = add(c0, format!("{} pose", name(joint.part1)), Transform::default());
            let frame = add(moving, name(joint.part1), end);
            builder.frames.insert(joint.part1, frame);
            let moving = (moving, Transform::default());
            builder.moving.entry((rig.root, name(joint.part1))).or_default().push(moving);
            builder.part(joint.part1, None, Some(frame));
        }
    }
}
