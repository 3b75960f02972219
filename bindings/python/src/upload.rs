//! Uploads to Second Life.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rezkit::scene::{Levels, Scene as Content};
use rezkit::upload::LevelTarget;
use rezkit::upload::sl::{self, Physics};
use rezkit::{ConvertOptions, SceneOptions};

use crate::error::{Error, Result, in_python, losses, python_type};
use crate::input::{Limit, Reading};
use crate::load::asset;
use crate::scene::Scene;
use crate::working::{self, Progress};

/// A target of a level: a number of triangles (`int`), or a fraction of the finest level's (`float`).
fn target(given: &Bound<'_, PyAny>) -> Result<LevelTarget> {
    let wrong =
        || Error::Argument("levels", format!("expected an int, or a float from 0 to 1, found {given}"));
    match given.extract::<usize>() {
        Ok(count) => Ok(LevelTarget::Triangles(count)),
        Err(_) => {
            let ratio = given.extract::<f64>().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
            ratio.map(LevelTarget::Ratio).ok_or_else(wrong)
        }
    }
}

/// Prepares a scene, an asset or a file for Second Life, like `rezkit sl`: levels of detail, the physics shape, the mesh
/// asset (`NAME.llmesh`, or `NAME.slm` with several objects), materials, textures, animations, and a report.
///
/// `levels` are the levels medium, low and lowest: three fractions of the finest level's triangles (`float`) or numbers of
/// triangles (`int`). `land_impact` simplifies until the land impact is at most this. `physics` is `"hulls"`, `"mesh"`,
/// `"box"` or `"none"`; `concavity` is the largest distance of a hull from the surface, as a fraction of the longest side
/// (0.001 to 1). Levels and physics in nodes named `NAME_LOD2`, `NAME_LOD1`, `NAME_LOD0` and `NAME_PHYS` are used as they
/// are. `scale` is the factor by which the object will be scaled. `fix` changes and lists what Second Life would refuse.
/// `joint_positions` includes those of the rig; `joints`, `max_bytes`, `form` and `progress` are those of `convert`.
///
/// Returns an `Upload`: `.files` (a dict from names to bytes), `.land_impact`, `.report` (costs, levels and findings, as
/// JSON has them) and `.losses`; `.save(folder)` writes the files.
///
/// >>> import rezkit
/// >>> cube = rezkit.Scene.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
/// ...     [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], name="tetra")
/// >>> made = rezkit.upload(cube, physics="box")
/// >>> "tetra.llmesh" in made.files, made.land_impact
/// (True, 0.5)
#[pyfunction]
#[pyo3(signature = (x, name = None, *, levels = None, land_impact = None, physics = "hulls", concavity = None, scale = 1.0,
    fix = false, joint_positions = false, joints = None, max_bytes = None, form = None, progress = None))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn upload<'py>(
    x: &Bound<'py, PyAny>,
    name: Option<&str>,
    levels: Option<Vec<Bound<'py, PyAny>>>,
    land_impact: Option<f32>,
    physics: &str,
    concavity: Option<f64>,
    scale: f32,
    fix: bool,
    joint_positions: bool,
    joints: Option<String>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let progress = Progress::of(progress);
    let reading = Reading { max_bytes: Limit::of(max_bytes), form };
    let mut options = sl::Options::default();
    if let Some(levels) = levels {
        let targets = levels.iter().map(target).collect::<Result<Vec<_>>>()?;
        options.targets = targets.try_into().map_err(|given: Vec<_>| {
            let text = format!("expected three values (medium, low, lowest), found {}", given.len());
            Error::Argument("levels", text)
        })?;
    }
    options.physics = match physics {
        "hulls" => Physics::Hulls,
        "mesh" => Physics::Mesh,
        "box" => Physics::Box,
        "none" => Physics::None,
        _ => {
            let text = format!("expected hulls, mesh, box or none, found {physics:?}");
            return Err(Error::Argument("physics", text));
        }
    };
    if let Some(concavity) = concavity {
        if !(0.001..=1.0).contains(&concavity) {
            return Err(Error::Argument("concavity", format!("expected 0.001 to 1, found {concavity}")));
        }
        options.hulls.concavity = concavity;
    }
    let mut converted = ConvertOptions::new();
    if let Some(joints) = joints {
        rezkit::Options::set(&mut converted, "joints", &rezkit::OptionValue::Text(joints))?;
    }
    (options.land_impact, options.scale, options.fix) = (land_impact, scale, fix);
    (options.joints, options.joint_positions) = (converted.joints, joint_positions);
    let name = name.map(str::to_owned);
    let mut prepare = move |scene: &Content, stem: &str, max_bytes: u64| {
        options.max_bytes = max_bytes;
        sl::second_life(scene, name.as_deref().unwrap_or(stem), &[], &options, &mut |_, _| Ok(None))
    };
    let (made, mut lost) = match x.cast::<Scene>() {
        Ok(scene) => {
            let (scene, max_bytes) = scene.get().limited(reading)?;
            let made = working::watched(py, &progress, move || {
                let stem = if scene.name.is_empty() { "model" } else { &scene.name };
                prepare(&scene, stem, max_bytes)
            })?;
            (made?, Vec::new())
        }
        Err(_) => {
            let asset = asset(x, reading)?.held();
            working::watched(py, &progress, move || {
                let files = asset.beside.files(None);
                let scenes = SceneOptions::new().levels(Levels::All).hulls(true).max_bytes(asset.max_bytes);
                let (scene, lost) = files.after(asset.opened(&files).scene(&scenes))?;
                Ok::<_, Error>((prepare(&scene, asset.stem(), asset.max_bytes)?, lost))
            })??
        }
    };
    lost.extend(made.report.losses.iter().cloned());
    let files = pyo3::types::PyDict::new(py);
    for file in &made.files {
        files.set_item(file.path(), PyBytes::new(py, &file.bytes))?;
    }
    let report =
        serde_json::to_string(&made.report).map_err(|error| rezkit::Error::unwritable(error.to_string()))?;
    let report = py.import("json")?.call_method1("loads", (in_python(&report),))?;
    let land_impact = made.report.land_impact.total;
    Ok(python_type!(py, "Upload", (files, land_impact, report, losses(py, &rezkit::Loss::grouped(lost))?))?)
}
