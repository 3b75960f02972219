//! Section 6: the face of a head.

use geom::{Aabb, CFrame, Vec3};
use rezkit_core::Result;
use rezkit_scene::roblox::control_of;

use super::Context;
use super::meshes::weighted;
use crate::item::{Held, Item, Part, Shape};
use crate::report::{Verdict, shown};
use crate::rules::*;

/// Checks the heads of an item.
///
/// # Errors
/// If the budget does not suffice.
pub(crate) fn check(item: &Item, cx: &mut Context<'_>) -> Result<()> {
    for part in item.parts.iter().filter(|part| part.name == "Head" && part.is_mesh_part) {
        match &part.mesh {
            // Exchange files have poses of the face in animations that are not read as such.
            Held::Read(shape) if shape.is_rbxmesh => head(part, shape, cx)?,
            Held::Missing(file) => {
                for rule in [&HEAD_CONTROLS, &HEAD_SCALE] {
                    cx.sheet.row(rule, &part.path, Verdict::Unseen, format!("{file} is not at hand"), "");
                }
            }
            Held::Read(_) if item.is_scene() => {
                let found = "the animations of the face are not read as its poses";
                cx.sheet.row(&HEAD_CONTROLS, &part.path, Verdict::Unseen, found, "17 controls");
            }
            _ => {}
        }
    }
    Ok(())
}

fn head(part: &Part, shape: &Shape, cx: &mut Context<'_>) -> Result<()> {
    let wanted: Vec<String> =
        cx.numbers.texts(&["OtherRules", "HeadControls"]).into_iter().map(str::to_owned).collect();
    let allowed = format!("{} controls that move something", wanted.len());
    let Some(facs) = &shape.facs else {
        cx.sheet.test(&HEAD_CONTROLS, &part.path, false, "no facial animation", allowed);
        return Ok(());
    };
    // Meshes have short names: `c_JD` is JawDrop.
    let name = |short: String| control_of(&short).unwrap_or(short);
    let names: Vec<String> = facs.controls.iter().map(|short| name(short.to_string())).collect();
    let bones: Vec<String> = facs.face_bones.iter().map(ToString::to_string).collect();
    cx.budget.work((names.len() * bones.len()) as u64 * 10, "the facial controls")?;
    // A joint without vertices moves nothing.
    let weighted = weighted(shape);
    let has_vertices: Vec<bool> = bones.iter().map(|bone| weighted.contains(&bone.as_str())).collect();
    let moves = |column: usize| {
        (0..bones.len()).filter(|bone| has_vertices[*bone]).any(|bone| {
            facs.transform(bone, column).is_some_and(|(by, turn)| by.length() > 1e-5 || turn.length() > 1e-3)
        })
    };
    let works = |control: &String| names.iter().position(|name| name == control).is_some_and(moves);
    let missing: Vec<&str> = wanted.iter().filter(|control| !works(control)).map(String::as_str).collect();
    let found = match missing[..] {
        [] => format!("{} controls", wanted.len()),
        _ => format!("not {}", missing.join(", ")),
    };
    cx.sheet.test(&HEAD_CONTROLS, &part.path, missing.is_empty(), found, allowed);
    let mut worst = (1.0, String::new());
    for (column, name) in names.iter().enumerate() {
        cx.budget.work(shape.mesh.positions.len() as u64 * 20, "the poses of the face")?;
        let ratio = ratio(shape, facs, &bones, column);
        if distance(ratio) > distance(worst.0) {
            worst = (ratio, name.clone());
        }
    }
    let [least, most] = ["MinHeadScale", "MaxHeadScale"].map(|key| cx.numbers.other(key));
    let passes = worst.0 >= least && worst.0 <= most;
    let found = match worst.1.as_str() {
        "" => "100 %".to_owned(),
        name => format!("{} % with {name}", shown((worst.0 * 100.0).round())),
    };
    cx.sheet.test(&HEAD_SCALE, &part.path, passes, found, format!("{} to {} %", least * 100.0, most * 100.0));
    Ok(())
}

/// How far a ratio is from 1, up or down.
fn distance(ratio: f64) -> f64 {
    ratio.max(1e-6).ln().abs()
}

/// The side of the posed head that differs most from the one at rest, divided by that.
fn ratio(shape: &Shape, facs: &rbxmesh::Facs, bones: &[String], column: usize) -> f64 {
    let moved = |name: &str| {
        let bone = bones.iter().position(|bone| bone == name)?;
        let (by, turn) = facs.transform(bone, column)?;
        let [x, y, z] = turn.to_array().map(f32::to_radians);
        Some(CFrame::from_euler_angles_xyz(x, y, z).with_position(by))
    };
    let frames: Vec<Option<CFrame>> =
        shape.bones.iter().map(|bone| Some(bone.frame * moved(&bone.name)? * bone.frame.inverse())).collect();
    let posed = shape.mesh.positions.iter().enumerate().map(|(vertex, &point)| {
        let joints = shape.mesh.joints.get(vertex).copied().unwrap_or_default();
        let weights = shape.mesh.weights.get(vertex).copied().unwrap_or_default();
        let mut sum = Vec3::default();
        let mut all = 0.0;
        for (joint, weight) in joints.into_iter().zip(weights) {
            let frame = frames.get(usize::from(joint)).copied().flatten();
            sum = sum + frame.map_or(point, |frame| frame * point) * weight;
            all += weight;
        }
        if all > 0.0 { sum * (1.0 / all) } else { point }
    });
    let (Some(rest), Some(posed)) = (shape.mesh.bounds(), Aabb::from_points(posed)) else { return 1.0 };
    let sides = rest.size().to_array().into_iter().zip(posed.size().to_array());
    let ratios = sides.filter(|(rest, _)| *rest > 1e-4).map(|(rest, posed)| f64::from(posed / rest));
    ratios.fold(1.0, |worst, ratio| if distance(ratio) > distance(worst) { ratio } else { worst })
}
