//! Bones of Roblox meshes as nodes, and their motions by facial controls.

use std::collections::{HashMap, HashSet};

use bstr::{BStr, ByteSlice as _};
use glam::{Mat4, Quat, Vec3};
use rbxmesh::{Bone, Facs, Mesh as RobloxMesh};

use crate::model::{Animation, Channel, Interpolation, Node, Scene, Skin, Transform, Values, decomposed};
use rezkit_core::plain::shorten;
use rezkit_core::{Budget, Counted, Loss, Result};

/// Replaces bytes of a name that are not UTF-8.
const NOT_UTF8: &str = "a name with bytes that are not UTF-8: they become U+FFFD";

/// A name for a message: its start, as text.
fn shown(name: &BStr) -> String {
    /// The most bytes, and the most characters.
    const MOST: usize = 64;
    let start = name.get(..2 * MOST).unwrap_or(name);
    format!("{:?}", shorten(&start.to_str_lossy(), MOST))
}

/// The memory of a name as text: invalid UTF-8 is replaced by three bytes.
fn text_len(name: &BStr) -> usize {
    if name.to_str().is_ok() { name.len() } else { 3 * name.len() }
}

/// The memory that [`add_bones`] needs.
pub(crate) fn cost(bones: &[Bone]) -> usize {
    bones.iter().map(|bone| size_of::<[Node; 2]>() + text_len(bone.name.as_bstr())).sum()
}

/// The matrix of a bone when the mesh was bound to it. If it has no inverse, only its position is used.
pub(crate) fn bind_pose(bone: &Bone) -> Mat4 {
    let bind = Mat4::from_cols_array(&bone.bind_pose().to_columns());
    if bind.inverse().is_finite() {
        return bind;
    }
    let position = Vec3::from(bone.position.to_array());
    Mat4::from_translation(if position.is_finite() { position } else { Vec3::ZERO })
}

/// The motion of a face bone in a pose, relative to its rest. The angles of the file are taken as degrees about x, y
/// and z, in that order; no source states the order.
pub(crate) fn facial_move(facs: &Facs, row: usize, column: usize) -> Option<Mat4> {
    let (move_by, angles) = facs.transform(row, column)?;
    let [x, y, z] = angles.to_array().map(f32::to_radians);
    let turn = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
    let moved = Mat4::from_rotation_translation(turn, move_by.to_array().into());
    moved.is_finite().then_some(moved)
}

/// The parts of a facial animation that move nothing.
///
/// # Errors
/// If looking for them takes more work than is left.
pub(crate) fn facial_lost(bones: &[Bone], facs: &Facs, budget: &mut Budget) -> Result<Vec<Loss>> {
    let known: HashSet<&BStr> = bones.iter().map(|bone| bone.name.as_bstr()).collect();
    let (mut losses, mut seen) = (Vec::new(), HashSet::new());
    let mut missing = facs.face_bones.iter().filter(|bone| !known.contains(bone));
    if let Some(first) = missing.next() {
        let what =
            format!("the movement of face bones that the mesh does not have, such as {}", shown(first));
        losses.push(
            Loss::new("facs.face_bones", what).id("rbxmesh.facial-animation").times(1 + missing.count()),
        );
    }
    let (mut repeated, mut odd) = (0, 0);
    let columns = facs.pose_count();
    budget
        .work((facs.face_bones.len() as u64).saturating_mul(16 * columns as u64), "the facial animation")?;
    for (row, bone) in facs.face_bones.iter().enumerate().filter(|(_, bone)| known.contains(bone)) {
        match seen.insert(bone) {
            true => odd += (0..columns).filter(|&column| facial_move(facs, row, column).is_none()).count(),
            false => repeated += 1,
        }
    }
    let listed = [
        ("facs.face_bones", "the movement of a repeated face bone: only its first entry is used", repeated),
        ("facs.transforms", "movements of face bones whose numbers are missing, infinite or NaN", odd),
    ];
    let listed = listed.into_iter().filter(|(.., count)| *count > 0);
    losses.extend(
        listed.map(|(path, what, count)| Loss::new(path, what).id("rbxmesh.facial-animation").times(count)),
    );
    Ok(losses)
}

/// What only the format has: how bones depend on the distance of the camera.
pub(super) fn unused(bones: &[Bone]) -> impl Iterator<Item = Loss> {
    let listed = |field: &str, what: &'static str, is_set: fn(&Bone) -> bool| {
        let mut set = bones.iter().enumerate().filter(|(_, bone)| is_set(bone)).map(|(index, _)| index);
        Some(
            Loss::new(format!("bones[{}].{field}", set.next()?), what)
                .id("rbxmesh.bones")
                .times(1 + set.count()),
        )
    };
    let parents =
        "the parent of a bone in lower levels of detail, which differs from that in the first level";
    let distances = "the distance beyond which a bone does not move";
    [
        listed("lod_parent", parents, |bone| bone.lod_parent != bone.parent),
        listed("culling", distances, |bone| bone.culling != 0.0),
    ]
    .into_iter()
    .flatten()
}

/// Adds bones as nodes below the node `top`, as they were when the mesh was bound, with scaled positions. A bone whose
/// name is in `posed` is replaced by that existing node. Lists what nodes cannot represent.
pub(crate) fn add_bones(
    bones: &[Bone],
    top: usize,
    scale: Vec3,
    mut posed: HashMap<String, usize>,
    scene: &mut Scene,
) -> (Skin, Vec<Loss>) {
    let bind = |bone: &Bone| {
        let mut bind = bind_pose(bone);
        bind.w_axis *= scale.extend(1.0);
        bind
    };
    let binds: Vec<Mat4> = bones.iter().map(bind).collect();
    // The first bone, and the number of bones.
    let mut odd: [Option<(usize, usize)>; 4] = [None; 4];
    let mut list = |what: usize, index: usize| odd[what].get_or_insert((index, 0)).1 += 1;
    let mut joints: Vec<usize> = Vec::new();
    for (index, (bone, bind)) in bones.iter().zip(&binds).enumerate() {
        let name = bone.name.to_string();
        if bone.name.to_str().is_err() {
            list(3, index);
        }
        if !Mat4::from_cols_array(&bone.bind_pose().to_columns()).inverse().is_finite() {
            list(0, index);
        }
        // A node can be only one joint.
        let joint = posed.remove(&name).unwrap_or_else(|| {
            let parent = bone.parent.map(usize::from).filter(|&parent| parent < index);
            if parent.is_none() && bone.parent.is_some() {
                list(1, index);
            }
            let local = parent.map_or(*bind, |parent| binds[parent].inverse() * *bind);
            let transform = Transform::of(local);
            let size = local.to_cols_array().into_iter().map(f32::abs).fold(1.0, f32::max);
            if !transform.mat4().abs_diff_eq(local, 1e-3 * size) {
                list(2, index);
            }
            let node = Node { name, transform, ..Node::default() };
            scene.add_node(Some(parent.map_or(top, |parent| joints[parent])), node)
        });
        joints.push(joint);
    }
    let whats = [
        "the bind pose of a bone cannot be inverted: the bone is not rotated, and is placed at 0, 0, 0 if its position \
         is infinite or NaN",
        "the bone becomes a root, because its parent does not come before it in the list of bones",
        "the shear of the bind pose is dropped: only translation, rotation and scale are kept",
        NOT_UTF8,
    ];
    let losses = odd.into_iter().zip(whats).filter_map(|(odd, what)| {
        let (index, count) = odd?;
        Some(Loss::approximated(format!("bones[{index}]"), what).id("rbxmesh.bones").times(count))
    });
    let inverse_bind = binds.iter().map(|bind| bind.inverse().to_cols_array_2d()).collect();
    (Skin { name: String::new(), joints, inverse_bind }, losses.collect())
}

/// Adds an animation for each facial control: from its rest at 0 seconds to its full value at 1 second.
pub(super) fn facial(
    mesh: &RobloxMesh,
    joints: &[usize],
    scene: &mut Scene,
    losses: &mut Vec<Loss>,
    budget: &mut Budget,
) -> Result<()> {
    let Some(facs) = &mesh.facs else { return Ok(()) };
    losses.extend(facial_lost(&mesh.bones, facs, budget)?);
    let mut bones: HashMap<&BStr, usize> =
        mesh.bones.iter().zip(joints).map(|(bone, &node)| (bone.name.as_bstr(), node)).collect();
    let rows = facs.face_bones.iter().enumerate();
    let rows: Vec<(usize, usize)> = rows.filter_map(|(row, bone)| Some((row, bones.remove(bone)?))).collect();
    // The first control that moves nothing, and the number of them.
    let mut still: Option<(&BStr, usize)> = None;
    let mut odd = 0;
    for (column, name) in facs.controls.iter().enumerate() {
        let mut channels = Vec::new();
        for &(row, node) in &rows {
            let Some(moved) = facial_move(facs, row, column) else { continue };
            let rest = scene.nodes[node].transform;
            let posed = rest.mat4() * moved;
            let (_, rotation, translation) = decomposed(posed);
            let (was, turned) = (Vec3::from(rest.translation), Quat::from_array(rest.rotation));
            budget.take(512, "the facial animation")?;
            let times = vec![0.0, 1.0];
            if translation.distance(was) > 1e-6 {
                let values = Values::Translation(vec![rest.translation, translation.into()]);
                channels.push(Channel {
                    node,
                    times: times.clone(),
                    values,
                    interpolation: Interpolation::Linear,
                });
            }
            if rotation.angle_between(turned) > 1e-4 {
                let values = Values::Rotation(vec![rest.rotation, rotation.normalize().into()]);
                channels.push(Channel { node, times, values, interpolation: Interpolation::Linear });
            }
        }
        if channels.is_empty() {
            still.get_or_insert((name, 0)).1 += 1;
            continue;
        }
        odd += usize::from(name.to_str().is_err());
        budget.take((size_of::<Animation>() + text_len(name)) as u64, "the facial animation")?;
        scene.animations.push(Animation { name: name.to_string(), channels, ..Animation::default() });
    }
    if let Some((first, count)) = still {
        let what = format!("facial controls that move no bone of the mesh, such as {}", shown(first));
        losses.push(Loss::new("facs.controls", what).id("rbxmesh.facial-animation").times(count));
    }
    Loss::approximated("facs.controls", NOT_UTF8).id("rbxmesh.bones").times(odd).count_in(losses);
    losses.extend(corrective_lost(facs));
    Ok(())
}

/// The poses of facial controls that act together, which are not converted.
pub(crate) fn corrective_lost(facs: &Facs) -> Option<Loss> {
    let count = facs.two_pose.len() + facs.three_pose.len();
    let what = Counted::new(count, "corrective poses for combinations of facial controls");
    (count > 0).then(|| Loss::new("facs", what.to_string()).id("rbxmesh.facial-animation"))
}
