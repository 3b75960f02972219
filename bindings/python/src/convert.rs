//! Conversions, scenes and pictures of any asset.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyType};
use rezkit::render::Renderer;
use rezkit::{ConvertOptions, Fill, OptionValue, Options, PictureOptions, Topic};

use crate::beside::Beside;
use crate::error::{Error, Result, losses, python_type};
use crate::input::{self, Limit, MAX_BYTES, Reading};
use crate::load::asset;
use crate::scene::Scene;
use crate::working::{self, Progress};

/// Keyword arguments as options. One that is unknown, or whose topic is not accepted, is a `TypeError`.
fn options<O: Options>(
    given: Option<&Bound<'_, PyDict>>,
    function: &str,
    is_known: impl Fn(Topic) -> bool,
) -> Result<O> {
    let mut options = O::default();
    for (name, value) in given.into_iter().flatten().filter(|(_, value)| !value.is_none()) {
        let name: String = name.extract()?;
        if !O::find(&name).is_some_and(|row| is_known(row.topic)) {
            let text = format!("{function}() got an unexpected keyword argument '{name}'");
            return Err(PyTypeError::new_err(text).into());
        }
        options.set(&name, &self::given(&value)?)?;
    }
    Ok(options)
}

/// A list of texts, which is taken out of the keyword arguments.
fn taken(options: Option<&Bound<'_, PyDict>>, name: &str) -> Result<Vec<String>> {
    let Some(options) = options else { return Ok(Vec::new()) };
    let Some(value) = options.get_item(name)? else { return Ok(Vec::new()) };
    options.del_item(name)?;
    Ok(value.extract()?)
}

/// The source of values that another format requires.
pub(crate) fn fill(fill: Option<&str>) -> Result<Fill> {
    let mut options = ConvertOptions::new();
    fill.map_or(Ok(()), |fill| options.set("fill", &OptionValue::Text(fill.to_owned())))?;
    Ok(options.fill)
}

fn given(value: &Bound<'_, PyAny>) -> Result<OptionValue> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(OptionValue::Flag(flag.is_true()));
    }
    let bytes = || value.cast::<PyBytes>().ok().map(|bytes| OptionValue::Bytes(bytes.as_bytes().to_vec()));
    let text = || value.extract().ok().map(OptionValue::Text);
    let number = || value.extract().ok().map(OptionValue::Number);
    let numbers = || value.extract().ok().map(OptionValue::Numbers);
    let found = bytes().or_else(text).or_else(number).or_else(numbers);
    found.map_or_else(|| Ok(OptionValue::Text(value.repr()?.to_string())), Ok)
}

/// Converts an asset, a scene or a file to another form or format, like `rezkit convert`.
///
/// `to` is an extension (with or without its dot), such as `glb`, `obj`, `mesh`, `llmesh`, `m3d`, `rbxm` or `anim`, or
/// a form of the format, such as the version `5.00`. `name` is the name of the converted file without its extension, by
/// default that of the file that was read, or `model`. Files beside the converted file, such as `NAME.bin`, begin with it,
/// so files in one folder need different names. `files` is called with each reference of the asset (an `int` for a
/// Roblox asset, a `str` for a file beside it) and returns bytes, or `None`; without it, files are searched in the folder
/// of the file, Roblox assets by id with any extension. A loss whose rule is in `deny` (an id such as `"gltf.tangents"`, its
/// part before the dot, or `"all"`) is an error, unless it is also in `allow`; losses in `allow` are not listed. `allow_loss` drops what the target cannot represent; `pretty` indents LLSD; `fill`
/// is the source of values that the binary form of Roblox documents requires: `"defaults"` of the classes, `"neutral"`, or
/// `"none"`, which makes a missing value an error.
///
/// Scenes: `levels` is `"finest"`, `"all"` or the number of a level of detail (0 is the finest); `hulls` adds convex
/// hulls of Second Life assets. Roblox documents: `path` selects an instance and its descendants; `terrain` is the
/// distance between two samples of the terrain's surface (1, 2, 4 or 8 voxels, or `"none"` to omit terrain); `unions`
/// is the representation of unions: `"mesh"`, `"operands"`, `"hulls"` or `"box"`. STL, OBJ and PLY: `unit` (`"m"`, `"cm"`,
/// `"mm"` or `"in"`) scales the scene from this unit to metres.
///
/// Animations: `action` (a name or an index) selects one of several. `priority` (0 to 5 or 1000 for Roblox, 0 to 6 for
/// Second Life) and `loop` (`True`, `False` or, for Second Life, start and end in seconds) set how it is played. `speed`
/// divides all times; `drop_joints` are names, separated by commas, of joints that are no longer moved (`*` stands for
/// any text); `mirror` exchanges left and right; `in_place` keeps the hips above one place; `trim` (from and to, in seconds)
/// keeps a part; `reduce` (degrees and a length) drops keys; `then` (the bytes of a file) follows, `blend` seconds into the
/// end; `pose` (the bytes of a file) replaces the motion of `pose_joints` and all below them. `rig` (`"R6"`, `"R15"`,
/// `"bento"`, `"mixamo"` or another known rig, or the bytes of a file with a skeleton) is the rig of the result.
///
/// * Roblox: `curves` writes a CurveAnimation instead of a KeyframeSequence; `tolerance` is the largest error, in degrees
///   and studs, that dropping sampled keys may cause; `fps` is the number of samples per second of animations that are
///   transferred to another rig (30 by default), and of frames of BVH.
/// * Second Life: `ease` (in and out, in seconds); `hand_pose` (a name such as `"point right"`, or 0 to 13); `joints`, a
///   text that maps joints to the avatar's, one per line, such as `Bip01 Pelvis = mPelvis`; `exact` converts a
///   BVH file with its own rest pose and all of its frames, instead of in the same way as Second Life's uploader.
///
/// Returns a `Converted`: `.data` (the file), `.files` (those beside it, by name) and `.losses` (what was dropped,
/// changed or filled in); `.save(path)` writes all of them. `max_bytes` and `form` are those of `load`; `max_bytes` limits
/// the conversion, too, also of an asset or a scene that is loaded already. `progress` is that of `load`.
///
/// >>> import rezkit
/// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> rezkit.convert(mesh, "glb").data[:4]
/// b'glTF'
#[pyfunction]
#[pyo3(signature = (x, to, *, name = None, files = None, max_bytes = None, form = None, progress = None, **options), text_signature = "(x, to, *, \
    name=None, files=None, max_bytes=None, form=None, progress=None, deny=(), allow=(), levels=None, hulls=False, path=None, terrain=None, unions=None, unit=None, allow_loss=False, pretty=False, fill='defaults', priority=None, loop=None, \
    ease=None, hand_pose=None, curves=False, tolerance=None, rig=None, fps=None, action=None, joints=None, exact=False, \
    speed=None, drop_joints=None, mirror=False, in_place=False, trim=None, reduce=None, then=None, blend=None, pose=None, \
    pose_joints=None, assets=None, prefix=None, parts=False, scale=None, max_texture=None, \
    mesh_version=None, fit=False, client=None, compression=None, share=False)")]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub(crate) fn convert<'py>(
    x: &Bound<'py, PyAny>,
    to: &str,
    name: Option<&str>,
    files: Option<Py<PyAny>>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let progress = Progress::of(progress);
    let reading = Reading { max_bytes: Limit::of(max_bytes), form };
    let policy = rezkit::loss_policy(taken(options, "allow")?, taken(options, "deny")?)?;
    let to = to.strip_prefix('.').unwrap_or(to);
    let mut options: ConvertOptions = self::options(options, "convert", |_| true)?;
    let scene = x.cast::<Scene>().ok().map(|scene| scene.get().limited(reading)).transpose()?;
    let asset = if scene.is_none() { Some(asset(x, reading)?.held()) } else { None };
    options.scene.max_bytes = scene
        .as_ref()
        .map(|scene| scene.1)
        .or(asset.as_ref().map(|asset| asset.max_bytes))
        .unwrap_or(MAX_BYTES);
    let (to, name) = (to.to_owned(), name.map(str::to_owned));
    let output = working::watched(py, &progress, move || {
        let asset = asset.as_ref();
        let files = asset.map_or(&Beside::Nowhere, |asset| &asset.beside).files(files);
        let (mut opened, stem) = match (&scene, asset) {
            (Some((scene, max_bytes)), _) => {
                let stem = if scene.name.is_empty() { "model" } else { &scene.name };
                let read = rezkit::ReadOptions::new().max_bytes(*max_bytes);
                (read.open_scene((**scene).clone(), "")?, stem)
            }
            (None, Some(asset)) => (asset.opened(&files), asset.stem()),
            (None, None) => {
                return Err(Error::Argument("x", "expected a scene, an asset or a file".to_owned()));
            }
        };
        let extension = opened.extension(&to).unwrap_or_else(|_| to.clone());
        let output = format!("{}.{extension}", name.as_deref().unwrap_or(stem));
        let converted = opened.convert(Some(&to), &output, &options);
        let error = match (files.raised().take(), converted) {
            (Some(error), _) => return Err(error.into()),
            (None, Ok(output)) => return Ok(output),
            (None, Err(error)) => error,
        };
        let lossy = options.allow_loss(true);
        Err(Error::lossy(error, || opened.convert(Some(&to), &output, &lossy).is_ok()))
    })?;
    let mut output = output?;
    policy.accept(&mut output.losses)?;
    let Some((first, beside)) = output.files.split_first() else {
        return Err(Error::Argument("to", "the conversion wrote no file".to_owned()));
    };
    let beside = input::files(py, beside)?;
    let extension = first.path().rsplit_once('.').map_or("", |(_, extension)| extension);
    let arguments = (PyBytes::new(py, &first.bytes), beside, losses(py, &output.losses)?, extension);
    Ok(python_type!(py, "Converted", arguments)?)
}

/// The asset or file as a scene in glTF's terms: nodes, meshes, materials, images, skins and animations.
///
/// `files`, `max_bytes`, `form`, `progress`, `levels`, `hulls`, `path`, `terrain`, `unions`, `unit` and `rig` are the options of `convert`. The scene's
/// `.losses` lists what it cannot represent.
///
/// >>> import rezkit
/// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> rezkit.scene(mesh).meshes[0].primitives[0].geometry.positions.shape
/// (3, 3)
#[pyfunction]
#[pyo3(signature = (x, *, files = None, max_bytes = None, form = None, progress = None, **options), text_signature = "(x, *, files=None, \
    max_bytes=None, form=None, progress=None, levels=None, hulls=False, path=None, terrain=None, unions=None, unit=None, rig=None)")]
pub(crate) fn scene<'py>(
    x: &Bound<'py, PyAny>,
    files: Option<Py<PyAny>>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> Result<Scene> {
    let py = x.py();
    let progress = Progress::of(progress);
    let asset = asset(x, Reading { max_bytes: Limit::of(max_bytes), form })?.held();
    let options = self::options(options, "scene", |topic| Topic::OF_SCENES.contains(&topic));
    let mut options = options.map(|options: ConvertOptions| options.scene)?;
    let max_bytes = asset.max_bytes;
    options.max_bytes = max_bytes;
    let made = working::watched(py, &progress, move || {
        let files = asset.beside.files(files);
        files.after(asset.opened(&files).scene(&options))
    })?;
    let (scene, lost) = made?;
    Ok(Scene::new(scene, rezkit::Loss::grouped(lost), max_bytes))
}

/// A picture of an asset, a file or a scene: an array of `uint8` with the shape (height, width, 4), RGBA.
///
/// `size` is one number, or width and height (512 by default). `options` are those of `rezkit render` for images, such
/// as `angle=(30, 20)`, `zoom=2`, `wireframe=True`, `action="walk"`, `time=0.5` or `background="none"`; `rezkit render
/// --help` lists them. `files`, `max_bytes`, `form` and `progress` are the options of `convert`; drawing may use as much memory as
/// reading the asset.
///
/// >>> import rezkit
/// >>> mesh = rezkit.RobloxMesh.from_arrays([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
/// >>> rezkit.render(mesh, (64, 48), zoom=2).shape
/// (48, 64, 4)
#[pyfunction]
#[pyo3(signature = (x, size = None, *, files = None, max_bytes = None, form = None, progress = None, **options), text_signature = "(x, \
    size=None, *, files=None, max_bytes=None, form=None, progress=None, **options)")]
pub(crate) fn render<'py>(
    x: &Bound<'py, PyAny>,
    size: Option<&Bound<'py, PyAny>>,
    files: Option<Py<PyAny>>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>> {
    let py = x.py();
    let progress = Progress::of(progress);
    let reading = Reading { max_bytes: Limit::of(max_bytes), form };
    let mut options: PictureOptions = self::options(options, "render", |_| true)?;
    size.map_or(Ok(()), |size| options.set("size", &given(size)?).map_err(Error::from))?;
    let has_look = options.look.is_some();
    let draw = move |scene: &rezkit::scene::Scene, paths: &[Option<String>], max_bytes| {
        Renderer::new(scene, max_bytes)?.draw(&options.of(scene, paths)?)
    };
    let picture = match x.cast::<Scene>() {
        Ok(scene) => {
            let (scene, max_bytes) = scene.get().limited(reading)?;
            working::watched(py, &progress, move || draw(&scene, &[], max_bytes))??
        }
        Err(_) => {
            let asset = asset(x, reading)?.held();
            working::watched(py, &progress, move || {
                let files = asset.beside.files(files);
                let mut opened = asset.opened(&files);
                let made = opened.scene(&rezkit::SceneOptions::new().max_bytes(asset.max_bytes));
                let (scene, _) = files.after(made)?;
                let paths = if has_look { opened.node_paths(&scene)? } else { Vec::new() };
                Ok::<_, Error>(draw(&scene, &paths, asset.max_bytes)?)
            })??
        }
    };
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixels = crate::array::owned(py, picture.into_bytes())?;
    Ok(pixels.call_method1("reshape", ((height, width, 4),))?)
}

/// The differences between two assets or files of any format: a list of `Change`, in the order of `old`. A notebook shows
/// it as a table. `max_bytes`, `form` and `progress` are those of `load`.
///
/// Instances are paired by their `UniqueId`, wherever they are, or else by name and class. The default of a class is no
/// difference from a value that is left out.
///
/// >>> import rezkit
/// >>> old, new = rezkit.Llsd({"wait": 1, "name": "door"}), rezkit.Llsd({"wait": 2, "name": "door"})
/// >>> rezkit.diff(old, new)
/// [Change(change='changed', path='wait', node=None, type='integer', old=1, new=2, to=None, order=None)]
#[pyfunction]
#[pyo3(signature = (old, new, *, max_bytes = None, form = None, progress = None))]
pub(crate) fn diff<'py>(
    old: &Bound<'py, PyAny>,
    new: &Bound<'py, PyAny>,
    max_bytes: Option<Limit>,
    form: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyAny>> {
    let py = old.py();
    let progress = Progress::of(progress);
    let limit = Limit::of(max_bytes);
    // A loaded asset beside a file needs no form.
    let of = |x: &Bound<'py, PyAny>| {
        asset(
            x,
            Reading { max_bytes: limit, form: form.filter(|_| !x.is_instance_of::<crate::asset::Asset>()) },
        )
    };
    let (old, new) = (of(old)?, of(new)?);
    let max_bytes = old.max_bytes.min(new.max_bytes);
    let (old, new) = (old.view(), new.view());
    let text = working::watched(py, &progress, move || {
        let (mut changes, mut budget) = (Vec::new(), rezkit::Budget::new(max_bytes));
        rezkit::differences([&old, &new], &mut budget, &mut |change| changes.push(change))?;
        serde_json::to_string(&changes).map_err(|error| rezkit::Error::unwritable(error.to_string()))
    })?;
    let changes = py.import("json")?.call_method1("loads", (text?,))?;
    let one = |change: PyResult<Bound<'py, PyAny>>| {
        static CHANGE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let keywords: Bound<'py, PyDict> = change?.cast_into()?;
        CHANGE.import(py, "rezkit._types", "Change")?.call((), Some(&keywords))
    };
    let all: Vec<_> = changes.try_iter()?.map(one).collect::<PyResult<_>>()?;
    Ok(python_type!(py, "Changes", (all,))?)
}
