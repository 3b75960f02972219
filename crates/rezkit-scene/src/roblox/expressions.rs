//! Heads whose mesh has facial animation (FACS): a morph target for each control that an animation sets, and its weight
//! over time.
//!
//! Controls move the bones of a face. Morph targets move its vertices on straight lines to the positions that the bones
//! give them if the control is 1.

use std::collections::{BTreeSet, HashMap};

use bstr::{BStr, ByteSlice as _};
use geom::TriMesh;
use glam::{Mat4, Vec3};
use rbxmesh::{Facs, Pose};

use super::builder::Builder;
use super::faces::{self, Faces, Track};
use super::interpolation::uneven;
use super::source::MeshFile;
use crate::model::{Channel, Interpolation, Target, Values};
use crate::pose::deformed;
use crate::rbxmesh::{bind_pose, facial_move};
use rezkit_core::{Budget, Loss, Result};

/// The maximum distance of straight lines between keys from the weight of a corrective, which is the product of its
/// controls: of 1, or of its greatest value if that is more.
const NEAR: f32 = 0.002;

/// What the weights over time are called in errors.
const WEIGHTS: &str = "the morph target weights of the faces";

/// The name of a pose: that of its control in documents, which the mesh abbreviates; for a corrective, the names of its
/// controls, joined by `+`.
fn name_of(pose: Pose, controls: &[Option<String>]) -> Option<String> {
    let name = |index: usize| controls.get(index)?.as_deref();
    let joined = |indices: &[u16]| {
        let names: Option<Vec<&str>> = indices.iter().map(|&index| name(index.into())).collect();
        Some(names?.join("+"))
    };
    match pose {
        Pose::Control(index) => name(index).map(str::to_owned),
        Pose::TwoPose(indices) => joined(&indices),
        Pose::ThreePose(indices) => joined(&indices),
    }
}

/// The corrective poses of controls that the mesh does not have.
pub(super) fn without_controls(facs: &Facs) -> Option<Loss> {
    let controls = facs.controls.len();
    let is_unknown = |indices: &[u16]| indices.iter().any(|&index| usize::from(index) >= controls);
    let count = facs.two_pose.iter().filter(|indices| is_unknown(*indices)).count()
        + facs.three_pose.iter().filter(|indices| is_unknown(*indices)).count();
    let what = "corrective poses of facial controls that the mesh does not have";
    (count > 0).then(|| Loss::new("facs.controls", what).times(count))
}

/// The morph targets of a head, scaled to its size, for the controls that are used.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn targets(
    (file, facs): (&MeshFile, &Facs),
    (mesh, scale): (&TriMesh, Vec3),
    used: &BTreeSet<String>,
    budget: &mut Budget,
) -> Result<Vec<Target>> {
    let names = facs.controls.len() + facs.face_bones.len();
    budget.take_values::<[Option<String>; 2]>(names, "the morph targets of the faces")?;
    let controls: Vec<Option<String>> =
        facs.controls.iter().map(|name| faces::control_of(&name.to_string())).collect();
    let binds: Vec<Mat4> = file.bones.iter().map(bind_pose).collect();
    let inverses: Vec<Mat4> = binds.iter().map(Mat4::inverse).collect();
    let mut rows: HashMap<&BStr, usize> = HashMap::new();
    facs.face_bones.iter().enumerate().for_each(|(row, name)| _ = rows.entry(name).or_insert(row));
    let mut bones = Vec::new();
    for (bone, bind) in file.bones.iter().zip(&binds) {
        let above = bone.parent.map(usize::from).filter(|&above| above < bones.len());
        let local = above.map_or(*bind, |above| inverses[above] * *bind);
        bones.push((above, local, rows.get(bone.name.as_bstr())));
    }
    let mut targets = Vec::new();
    for (column, pose) in facs.poses().enumerate() {
        let Some(name) = name_of(pose, &controls) else { continue };
        if !name.split('+').all(|control| used.contains(control)) {
            continue;
        }
        budget.take_values::<[geom::Vec3; 2]>(mesh.positions.len(), "the morph targets of the faces")?;
        budget
            .work((mesh.positions.len() * 16 + binds.len() * 8) as u64, "the morph targets of the faces")?;
        let mut posed: Vec<Mat4> = Vec::new();
        for (above, local, row) in &bones {
            let moved = row.and_then(|&row| facial_move(facs, row, column)).unwrap_or_default();
            posed.push(above.map_or(Mat4::IDENTITY, |above| posed[above]) * *local * moved);
        }
        let joints: Vec<Mat4> =
            posed.iter().zip(&inverses).map(|(posed, inverse)| *posed * *inverse).collect();
        let moved = deformed(&file.mesh, Mat4::IDENTITY, Some(&joints));
        let moved = deformed(&moved, Mat4::from_scale(scale), None);
        let offsets = |to: &[geom::Vec3], from: &[geom::Vec3]| -> Vec<geom::Vec3> {
            let offset = |(to, from): (&geom::Vec3, &geom::Vec3)| {
                (Vec3::from(to.to_array()) - Vec3::from(from.to_array())).to_array().into()
            };
            to.iter().zip(from).map(offset).collect()
        };
        let positions = offsets(&moved.positions, &mesh.positions);
        if positions.iter().any(|offset| offset.to_array().iter().any(|along| along.abs() > 1e-5)) {
            let normals = offsets(&moved.normals, &mesh.normals);
            targets.push(Target { name, positions, normals, tangents: Vec::new() });
        }
    }
    Ok(targets)
}

/// The channels of the weights of a rig's heads. Leaves those controls in `faces` that none of the heads has.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn channels(
    builder: &mut Builder<'_>,
    heads: &[usize],
    faces: &mut Faces,
) -> Result<Vec<Channel>> {
    let (mut channels, mut has) = (Vec::new(), BTreeSet::new());
    for &node in heads {
        builder.budget.take(Channel::HELD as u64, WEIGHTS)?;
        let targets = faces::targets_of(&builder.scene, node);
        let tracks = |target: &Target| target.name.split('+').map(|name| faces.get(name)).collect();
        let tracks: Vec<Option<Vec<&Track>>> = targets.iter().map(tracks).collect();
        has.extend(targets.iter().filter(|of| faces.contains_key(&of.name)).map(|of| of.name.clone()));
        let weight = |tracks: &Option<Vec<&Track>>, time: f32| {
            tracks.as_ref().map_or(0.0, |tracks| tracks.iter().map(|track| faces::at(track, time)).product())
        };
        let sort = |times: &mut Vec<f32>| {
            times.sort_by(f32::total_cmp);
            times.dedup();
        };
        let keys = tracks.iter().flatten().flatten().flat_map(|track| track.iter().map(|key| key.0));
        let mut times: Vec<f32> = keys.collect();
        builder.budget.take_values::<[f32; 2]>(times.len(), WEIGHTS)?;
        sort(&mut times);
        let mut between = Vec::new();
        for span in times.windows(2) {
            let mut added = Vec::new();
            for product in tracks.iter().flatten().filter(|tracks| tracks.len() > 1) {
                builder.budget.work(64, WEIGHTS)?;
                // Each track is a straight line from one time to the next.
                let ends: Vec<_> = product
                    .iter()
                    .map(|track| [span[0], span[1]].map(|time| faces::at(track, time)))
                    .collect();
                let of = |x: f32| ends.iter().map(|[from, to]| from + (to - from) * x).product::<f32>();
                let highest: f32 = ends.iter().map(|[from, to]| from.abs().max(to.abs())).product();
                let cost = 4 * ends.len() as u64;
                added.extend(uneven((of, cost), 1, NEAR * highest.max(1.0), builder.budget)?);
            }
            sort(&mut added);
            builder.budget.take_values::<f32>(added.len(), WEIGHTS)?;
            between.extend(added.into_iter().map(|x| span[0] + (span[1] - span[0]) * x));
        }
        times.extend(between);
        sort(&mut times);
        builder.budget.take_values::<f32>(times.len() * tracks.len(), WEIGHTS)?;
        // A key of a track is searched for.
        let values: usize = tracks.iter().flatten().map(Vec::len).sum();
        builder.budget.work(16 * (times.len() as u64) * values as u64, WEIGHTS)?;
        let values: Vec<f32> =
            times.iter().flat_map(|&time| tracks.iter().map(move |of| weight(of, time))).collect();
        if !times.is_empty() {
            let values = Values::Weights(values);
            channels.push(Channel { node, times, values, interpolation: Interpolation::Linear });
        }
    }
    faces.retain(|name, _| !has.contains(name));
    Ok(channels)
}
