//! The joints of an asset's skin.

use std::collections::HashMap;

use glam::{Mat4, Vec3};
use rezkit_core::Loss;
use slmesh::{Skin, joints};

use crate::model::{self, Node, Scene, Transform};

/// The name of a joint, which can have aliases such as `hip`.
fn plain(name: &str) -> &str {
    joints::find(name).map_or(name, |joint| joint.name)
}

fn matrix(from: geom::Mat4) -> Mat4 {
    Mat4::from_cols_array(&from.to_columns())
}

/// From the mesh to its bind pose.
pub(super) fn bind_shape(skin: &Skin) -> Mat4 {
    matrix(skin.bind_shape())
}

/// The place of a joint in the bind pose.
fn bind(skin: &Skin, joint: usize) -> Mat4 {
    skin.inverse_bind(joint).map_or(Mat4::IDENTITY, matrix).inverse()
}

/// Adds the joints, with the parents that they have in the viewer's skeleton, posed as when the mesh was bound.
pub(super) fn add_skin(skin: &Skin, turned: Transform, scene: &mut Scene, losses: &mut Vec<Loss>) {
    let names: Vec<String> = skin.joint_names.iter().map(ToString::to_string).collect();
    let shape = bind_shape(skin);
    let (count, found) = (names.len(), skin.inverse_bind_matrices.len());
    let path = "skin.inverse_bind_matrix";
    Loss::filled_in(path, "the identity for joints without a matrix")
        .id("sl.malformed")
        .times(count.saturating_sub(found))
        .count_in(losses);
    Loss::new(path, "matrices after that of the last joint")
        .id("sl.malformed")
        .times(found.saturating_sub(count))
        .count_in(losses);
    let binds: Vec<Mat4> = (0..names.len()).map(|joint| bind(skin, joint)).collect();
    let index_of: HashMap<&str, usize> =
        names.iter().enumerate().map(|(index, name)| (plain(name.as_str()), index)).collect();
    let parent_of = |name: &str| -> Option<usize> {
        let mut above = joints::find(name)?.parent;
        while let Some(parent) = above {
            if let Some(&index) = index_of.get(parent) {
                return Some(index);
            }
            above = joints::find(parent)?.parent;
        }
        None
    };
    let parents: Vec<Option<usize>> = names
        .iter()
        .enumerate()
        .map(|(index, name)| parent_of(name).filter(|&parent| parent != index))
        .collect();
    let top = scene.add_node(None, Node { name: "skeleton".into(), transform: turned, ..Node::default() });
    let mut sheared = 0;
    let nodes: Vec<usize> = names
        .iter()
        .zip(&parents)
        .zip(&binds)
        .map(|((name, parent), bind)| {
            let local = parent.map_or(*bind, |parent| binds[parent].inverse() * *bind);
            let transform = Transform::of(local);
            sheared += usize::from(transform.lacks_shear_of(local));
            scene.nodes.push(Node { name: name.clone(), transform, ..Node::default() });
            scene.nodes.len() - 1
        })
        .collect();
    let what = "the shear of the joint at rest is dropped: only translation, rotation and scale are kept";
    Loss::approximated(path, what).id("scene.shear").times(sheared).count_in(losses);
    for (index, parent) in parents.iter().enumerate() {
        scene.nodes[parent.map_or(top, |parent| nodes[parent])].children.push(nodes[index]);
    }
    let inverse_bind = binds.iter().map(|bind| (bind.inverse() * shape).to_cols_array_2d()).collect();
    scene.skins.push(model::Skin { name: String::new(), joints: nodes, inverse_bind });
}

/// Sets the joint positions of a skin to those of its bind pose, each in the avatar's joint above it. The viewer moves the
/// joints of the avatar there; a joint that the skin lacks keeps its position in the one above it.
pub fn override_joints(skin: &mut Skin) {
    let names: Vec<String> = skin.joint_names.iter().map(ToString::to_string).collect();
    let places = names.iter().enumerate();
    let bound: HashMap<&str, Vec3> =
        places.map(|(index, name)| (plain(name), bind(skin, index).w_axis.truncate())).collect();
    let above = |name: &str| {
        let (mut place, mut next) = (Vec3::ZERO, joints::find(name).and_then(|joint| joint.parent));
        while let Some(name) = next {
            if let Some(&bound) = bound.get(name) {
                return place + bound;
            }
            let joint = joints::find(name);
            place += joint.map_or(Vec3::ZERO, |joint| Vec3::from(joint.position));
            next = joint.and_then(|joint| joint.parent);
        }
        place
    };
    let position = |(index, name): (usize, &String)| {
        let [x, y, z] = (bound[plain(name)] - above(name)).to_array().map(f64::from);
        let mut matrix = skin.inverse_bind_matrices.get(index).copied().unwrap_or_default();
        matrix[12..15].copy_from_slice(&[x, y, z]);
        matrix
    };
    skin.alt_inverse_bind_matrices = names.iter().enumerate().map(position).collect();
    skin.pelvis_offset = Some(0.0);
}
