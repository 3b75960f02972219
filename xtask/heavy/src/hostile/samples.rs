//! The valid files that are damaged.

use rezkit::{ConvertOptions, KINDS, Kind, WriteOptions};
use serde_json::{Value, json};
use targets::Beside;

use crate::bytes::base64;

/// The greatest size of a file in bytes. Larger files are left out, since they are mostly geometry, in which damage has
/// little effect.
const LARGEST: usize = 48 << 10;

/// A file, and the files in its folder to which it refers.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) beside: Beside,
}

impl Sample {
    pub(super) fn alone(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), bytes, beside: Beside::new() }
    }
}

/// The names of all formats, in the order of the table of formats in `rezkit`.
pub(super) fn formats() -> impl Iterator<Item = &'static str> {
    let mut seen = std::collections::HashSet::new();
    KINDS.iter().map(|kind| kind.format).filter(move |format| seen.insert(*format))
}

/// Valid files of a format: fixtures and real files, each also written in every form of the format; for formats of
/// scenes, conversions from other formats; and files made by hand. For glTF, these have features that no conversion
/// writes.
pub(super) fn of(format: &str) -> Vec<Sample> {
    let kinds: Vec<&Kind> = KINDS.iter().filter(|kind| kind.format == format).collect();
    let extensions = || kinds.iter().flat_map(|kind| kind.extensions);
    let mut samples: Vec<Sample> = Vec::new();
    if kinds.iter().any(|kind| kind.is_exact) {
        let whole = testkit::fixtures(format).into_iter().chain(testkit::corpus(format));
        samples.extend(whole.map(|sample| Sample::alone(sample.name, sample.bytes)));
        samples.retain(fits);
        let mut more = Vec::new();
        for sample in &samples {
            let Ok(asset) = rezkit::read(&sample.bytes) else { continue };
            for form in asset.kind().all_forms() {
                let written = asset.write(&WriteOptions::new().form(form).allow_loss(true));
                let extension = kinds
                    .iter()
                    .find(|kind| kind.forms.contains(&form))
                    .and_then(|kind| kind.extensions.first());
                let (stem, old) = sample.name.rsplit_once('.').unwrap_or((&sample.name, ""));
                let name = format!("{stem}-{form}.{}", extension.unwrap_or(&old));
                more.extend(written.ok().map(|bytes| Sample::alone(name, bytes)));
            }
        }
        samples.extend(more);
    } else {
        for (from, every) in [("rbxmesh", 3), ("m3d", 6), ("slmesh", 1), ("rbxbinary", 3), ("rbxxml", 6)] {
            let mut whole = testkit::corpus(from);
            whole.extend(testkit::fixtures(from));
            for sample in whole.into_iter().step_by(every) {
                let whole = Sample::alone(sample.name, sample.bytes);
                samples.extend(extensions().filter_map(|extension| converted(&whole, extension)));
            }
        }
    }
    if format != "gltf" {
        samples.extend(extensions().flat_map(|extension| by_hand(&format!(".{extension}"))));
    }
    // The files of `rich` for glTF; for other formats, conversions from them.
    for whole in rich() {
        match format == "gltf" {
            true => samples.push(whole),
            false => samples.extend(extensions().filter_map(|extension| converted(&whole, extension))),
        }
    }
    samples.retain(fits);
    samples
}

fn fits(sample: &Sample) -> bool {
    !sample.bytes.is_empty() && sample.bytes.len() <= LARGEST
}

/// Converts a file to another format.
fn converted(from: &Sample, extension: &str) -> Option<Sample> {
    let mut opened =
        rezkit::open(from.bytes.clone(), &from.name, targets::kit::sources(&from.beside)).ok()?;
    let options = ConvertOptions::new().allow_loss(true);
    let output = opened.convert(None, &format!("a.{extension}"), &options).ok()?;
    let mut files = output.files.into_iter();
    let bytes = files.next()?.bytes;
    let beside = targets::kit::beside(files.collect());
    Some(Sample { name: format!("{}.{extension}", from.name), bytes, beside })
}

/// glTF files with features that no conversion writes (meshopt streams, sparse accessors, instances, curves, morph
/// targets, skins, every material extension), and glTF files with the Draco streams of Roblox meshes.
fn rich() -> Vec<Sample> {
    let mut all: Vec<Sample> = by_hand(".gltf").collect();
    let meshes = testkit::fixtures("rbxmesh").into_iter().chain(testkit::corpus("rbxmesh"));
    let sample = |json: Value| Sample::alone("draco.gltf", serde_json::to_vec(&json).unwrap_or_default());
    all.extend(meshes.filter_map(|mesh| draco(&mesh.bytes)).map(sample));
    all
}

/// Files that once caused a failure.
pub(super) fn cases() -> Vec<Sample> {
    let mut samples = Vec::new();
    // Empty if the folder is missing, since it is not part of the repository.
    let _ = xtask::files(&xtask::root().join("../shared/cases"), &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        samples.extend(std::fs::read(path).ok().map(|bytes| Sample::alone(name, bytes)));
    });
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}

/// The files made by hand whose names end like this.
fn by_hand(ending: &str) -> impl Iterator<Item = Sample> + use<> {
    let mut samples = Vec::new();
    let found = xtask::files(&xtask::root().join("xtask/heavy/samples"), &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        samples.extend(
            std::fs::read(path)
                .ok()
                .filter(|_| name.ends_with(ending))
                .map(|bytes| Sample::alone(name, bytes)),
        );
    });
    found.expect("the samples are in the repository");
    samples.into_iter()
}

/// A glTF file with the Draco stream of a Roblox mesh; `None` if the mesh has no such stream.
fn draco(mesh: &[u8]) -> Option<Value> {
    let start = mesh.windows(5).position(|bytes| bytes == b"DRACO")?;
    let stream = mesh.get(start..)?;
    Some(json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["KHR_draco_mesh_compression"],
        "buffers": [{"byteLength": stream.len(), "uri": format!("data:;base64,{}", base64(stream))}],
        "bufferViews": [{"buffer": 0, "byteLength": stream.len()}],
        "accessors": [{"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
            {"componentType": 5125, "count": 3, "type": "SCALAR"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "extensions": {
            "KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    }))
}
