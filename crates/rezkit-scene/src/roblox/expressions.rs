//! Heads whose mesh has facial animation (FACS): a morph target for each control that an animation sets, and its weight
//! over time.
//!
//! Controls move the bones of a face. Morph targets move its vertices on straight lines to the positions that the bones
//! give them if the control is 1. Correctives, which add to these positions while two or three controls act together,
//! are not applied.

use std::collections::{BTreeSet, HashMap};

use bstr::{BStr, ByteSlice as _};
use geom::TriMesh;
use glam::{Mat4, Vec3};
use rbxmesh::Facs;

use super::builder::Builder;
use super::faces::{self, Faces, Track};
use super::source::MeshFile;
use crate::model::{Channel, Interpolation, MorphTarget, Values};
use crate::pose::deformed;
use crate::rbxmesh::{bind_pose, facial_move};
use rezkit_core::{Budget, Result};

/// What the weights over time are called in errors.
const WEIGHTS: &str = "the morph target weights of the faces";

/// The morph targets of a head, scaled to its size, for the controls that are used.
///
/// # Errors
/// If the budget does not suffice.
pub(super) fn targets(
    (file, facs): (&MeshFile, &Facs),
    (mesh, scale): (&TriMesh, Vec3),
    used: &BTreeSet<String>,
    budget: &mut Budget,
) -> Result<Vec<MorphTarget>> {
    budget.take_values::<[(&BStr, usize); 2]>(facs.face_bones.len(), "the morph targets of the faces")?;
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
    for (column, control) in facs.controls.iter().enumerate() {
        let control = faces::control_of(&control.to_string());
        let Some(name) = control.filter(|name| used.contains(name)) else { continue };
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
            targets.push(MorphTarget { name, positions, normals, tangents: Vec::new() });
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
        let tracks: Vec<Option<&Track>> = targets.iter().map(|target| faces.get(&target.name)).collect();
        has.extend(targets.iter().filter(|of| faces.contains_key(&of.name)).map(|of| of.name.clone()));
        let weight = |track: &Option<&Track>, time: f32| track.map_or(0.0, |track| faces::at(track, time));
        let mut times: Vec<f32> =
            tracks.iter().flatten().flat_map(|track| track.iter().map(|key| key.0)).collect();
        builder.budget.take_values::<[f32; 2]>(times.len(), WEIGHTS)?;
        times.sort_by(f32::total_cmp);
        times.dedup();
        builder.budget.take_values::<f32>(times.len() * tracks.len(), WEIGHTS)?;
        // A key of a track is searched for.
        let values: usize = tracks.iter().flatten().map(|track| track.len()).sum();
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
