//! What the format demands and a reader need not refuse.

mod content;
mod geometry;
mod skeleton;
mod voxels;

use bstr::{BStr, ByteSlice};

use crate::consts::{Tag, TypeField, Types};
use crate::finding::{Finding, Findings};
use crate::model::{ChunkKind, Model};

/// Every rule of the format that the model breaks: an entry per rule, with the first place (chunk,
/// record and field) and how many there are.
pub fn check(model: &Model) -> Vec<Finding> {
    let mut findings = Findings::default();
    header(model, &mut findings);
    order(model, &mut findings);
    geometry::check(model, &mut findings);
    skeleton::check(model, &mut findings);
    content::check(model, &mut findings);
    voxels::check(model, &mut findings);
    findings.into_vec()
}

fn header(model: &Model, findings: &mut Findings) {
    if !(model.scale >= 0.0 && model.scale.is_finite()) {
        findings.error("the scale is a length in metres, or 0 for none", || {
            ("HEAD.scale".into(), model.scale.to_string())
        });
    }
    if model.name.is_empty() {
        findings.warning("a model has a name", || ("HEAD.name".into(), "no name".into()));
    }
    for (field, text) in [
        ("name", &model.name),
        ("license", &model.license),
        ("author", &model.author),
        ("description", &model.description),
    ] {
        utf8(findings, text.as_bstr(), || format!("HEAD.{field}"));
    }
    let layout = &model.layout;
    if let Some(types) = layout.types.filter(|types| types.0 >> 26 != 0) {
        findings.warning("the six bits behind the widths are 0", || {
            ("HEAD.types".into(), format!("{:#010x}", types.0))
        });
    }
    if let Some(wrong) = layout.wrong_size {
        findings.error("the file header states the size of the file", || {
            ("3DMO.size".into(), format!("{} in a file of {}", wrong.stated, wrong.actual))
        });
    }
    if !layout.trailing.is_empty() || !layout.behind_stream.is_empty() {
        findings.error("nothing stands behind the end", || {
            let bytes = layout.trailing.len() + layout.behind_stream.len();
            ("OMD3".into(), format!("{bytes} bytes behind it"))
        });
    }
    for (place, tail) in &layout.tails {
        findings.error("a chunk holds whole records", || {
            let kind = layout.chunks.get(*place as usize).copied().unwrap_or(ChunkKind::Extra);
            (kind.tag().to_string(), format!("{} bytes behind the last record", tail.len()))
        });
    }
    let table = layout.strings.len() as u64;
    if let Some(run) = layout.name_runs.iter().find(|run| u64::from(run.value) >= table) {
        findings.error("a name begins inside of the string table", || {
            ("HEAD.strings".into(), format!("name {} of the file begins at {}", run.first, run.value))
        });
    }
    palette(model, findings);
}

fn palette(model: &Model, findings: &mut Findings) {
    let palette = &model.layout.palette;
    let size = model.layout.types.unwrap_or(Types(0)).size(TypeField::Color);
    let none = if size == 1 { 0xff } else { 0xffff };
    for run in &model.layout.color_runs {
        if run.value as usize >= palette.len() && run.value != none {
            findings.error("every index of a colour names one", || {
                (
                    "CMAP".into(),
                    format!("colour {} of the file is {} of {}", run.first, run.value, palette.len()),
                )
            });
        }
    }
    let mut seen = std::collections::HashSet::new();
    let bright = |color: &geom::Rgba8| color.r.max(color.g).max(color.b);
    for (index, color) in palette.iter().enumerate() {
        if !seen.insert(*color) {
            findings.warning("every colour stands in the palette once", || {
                (format!("CMAP.colors[{index}]"), format!("{:?} again", color.to_array()))
            });
        }
        if index > 0 && bright(&palette[index - 1]) > bright(color) {
            findings.warning("the palette is sorted from dark to bright", || {
                (format!("CMAP.colors[{index}]"), format!("{:?} behind a brighter one", color.to_array()))
            });
        }
    }
}

/// How late a chunk usually stands.
fn rank(kind: ChunkKind) -> Option<u8> {
    Some(match kind {
        ChunkKind::Palette => 0,
        ChunkKind::TexCoords => 1,
        ChunkKind::Vertices => 2,
        ChunkKind::Skeleton => 3,
        ChunkKind::Material => 4,
        ChunkKind::VoxelTypes => 5,
        ChunkKind::Procedural | ChunkKind::Mesh | ChunkKind::Voxels | ChunkKind::Shape => 6,
        ChunkKind::Labels => 7,
        ChunkKind::Action => 8,
        ChunkKind::Asset => 9,
        ChunkKind::Extra => return None,
    })
}

fn order(model: &Model, findings: &mut Findings) {
    let mut latest: Option<(u8, ChunkKind)> = None;
    let mut counts = [0_usize; ChunkKind::ALL.len()];
    for &kind in &model.layout.chunks {
        let index = counts[kind as usize];
        counts[kind as usize] += 1;
        let Some(rank) = rank(kind) else { continue };
        match latest {
            // Meshes and shapes need no types of voxels.
            Some((last, before))
                if rank < last && (kind, before) != (ChunkKind::VoxelTypes, ChunkKind::Mesh) =>
            {
                let at =
                    || (format!("{}[{index}]", kind.tag()), format!("it stands behind {}", before.tag()));
                match kind {
                    ChunkKind::Labels | ChunkKind::Action => {
                        findings.warning("chunks stand in the usual order", at);
                    }
                    _ => findings.error("what defines something stands before what uses it", at),
                }
            }
            _ => latest = Some((rank, kind)),
        }
    }
    for (index, extra) in model.extras.iter().enumerate() {
        let tag = extra.tag;
        let place = || format!("{tag}[{index}]");
        match tag {
            Tag::PALETTE | Tag::TEX_COORDS | Tag::VERTICES | Tag::SKELETON | Tag::VOXEL_TYPES => {
                findings.error("these chunks stand in a file once", || (place(), "a second one".into()));
            }
            Tag::PREVIEW | Tag::HEAD | Tag::FILE => {
                findings.error("the preview and the header stand in front", || {
                    (place(), "among the other chunks".into())
                });
            }
            _ if tag.0.iter().all(u8::is_ascii_uppercase) => {
                findings.warning("tags in upper case belong to the format", || {
                    (place(), "an unknown chunk".into())
                });
            }
            _ => {}
        }
    }
    let surface = !(model.meshes.is_empty()
        && model.procedurals.is_empty()
        && model.shapes.is_empty()
        && model.voxel_blocks.is_empty());
    if !surface && model.materials.is_empty() && model.actions.is_empty() {
        findings.error("a file has a surface, or it is a library of materials or actions", || {
            ("3DMO".into(), "none of MESH, PROC, SHPE, VOXD, MTRL, ACTN".into())
        });
    }
}

/// A text is UTF-8.
fn utf8(findings: &mut Findings, text: &BStr, path: impl FnOnce() -> String) {
    if text.to_str().is_err() {
        findings.error("strings are UTF-8", || (path(), format!("{text:?}")));
    }
}

/// A name that is there, without what a name may not have.
fn identifier(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    utf8(findings, name, &path);
    if name.find_byteset(b" \t/\\").is_some() {
        findings.error("names have no blanks and slashes", || (path(), format!("{name:?}")));
    }
}

fn named(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    if name.is_empty() {
        findings.error("what others name has a name", || (path(), "no name".into()));
    }
    identifier(findings, name, path);
}
