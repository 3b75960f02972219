//! What the format demands and a reader need not refuse.

mod content;
mod geometry;
mod rules;
mod skeleton;
mod voxels;

use bstr::{BStr, ByteSlice};

use crate::consts::Tag;
use crate::finding::{Finding, Findings};
use crate::model::{ChunkKind, KeptKind, Model};
pub use rules::RULES;

/// Every rule of the format that the model breaks: an entry for each of [`RULES`] that is broken, with
/// the path of the first value that breaks it and how many there are.
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
        findings.add(rules::SCALE, || ("scale".into(), model.scale.to_string()));
    }
    if model.name.is_empty() {
        findings.add(rules::MODEL_NAME, || ("name".into(), "no name".into()));
    }
    for (field, text) in [
        ("name", &model.name),
        ("license", &model.license),
        ("author", &model.author),
        ("description", &model.description),
    ] {
        utf8(findings, text.as_bstr(), || field.to_owned());
    }
    let layout = &model.layout;
    if let Some(types) = layout.types.filter(|types| types.0 >> 26 != 0) {
        findings.add(rules::TYPES_UNUSED, || ("layout.types".into(), format!("{:#010x}", types.0)));
    }
    if let Some(wrong) = layout.wrong_size {
        findings.add(rules::FILE_SIZE, || {
            ("layout.wrong_size".into(), format!("{} in a file of {}", wrong.stated, wrong.actual))
        });
    }
    if !layout.trailing.is_empty() || !layout.behind_stream.is_empty() {
        findings.add(rules::TRAILING, || {
            let bytes = layout.trailing.len() + layout.behind_stream.len();
            ("layout.trailing".into(), format!("{bytes} bytes after the end"))
        });
    }
    for kept in &layout.kept {
        let at = || format!("layout.chunks[{}]", kept.chunk);
        match kept.what {
            KeptKind::Tail => findings.add(rules::CHUNK_TAIL, || {
                (at(), format!("{} bytes after the last record", kept.bytes.len()))
            }),
            KeptKind::Name => {
                for value in kept.values().map(number).filter(|&value| value >= layout.strings.len()) {
                    findings.add(rules::NAME_OFFSET, || {
                        ("layout.strings".into(), format!("a name of {} begins at {value}", at()))
                    });
                }
            }
            _ => {}
        }
    }
    for (index, section) in layout.text.iter().flat_map(|text| &text.unknown).enumerate() {
        findings.add(rules::SECTION_UNKNOWN, || {
            let keyword = section.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
            let shown = keyword.get(..40).unwrap_or(keyword).as_bstr();
            (format!("layout.text.unknown[{index}]"), format!("{shown:?}, which is kept and not understood"))
        });
    }
    palette(model, findings);
}

fn palette(model: &Model, findings: &mut Findings) {
    let palette = &model.layout.palette;
    for kept in model.layout.kept.iter().filter(|kept| kept.what == KeptKind::Color) {
        for value in kept.values() {
            let index = number(value);
            if index >= palette.len() && value.iter().any(|&byte| byte != 0xff) {
                findings.add(rules::COLOR_INDEX, || {
                    let what = format!("a colour of chunk {} is {index} of {}", kept.chunk, palette.len());
                    ("layout.palette".into(), what)
                });
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    let bright = |color: &geom::Rgba8| color.r.max(color.g).max(color.b);
    for (index, color) in palette.iter().enumerate() {
        if !seen.insert(*color) {
            findings.add(rules::PALETTE_TWICE, || {
                (format!("layout.palette[{index}]"), format!("{:?} again", color.to_array()))
            });
        }
        if index > 0 && bright(&palette[index - 1]) > bright(color) {
            findings.add(rules::PALETTE_ORDER, || {
                (format!("layout.palette[{index}]"), format!("{:?} after a brighter one", color.to_array()))
            });
        }
    }
}

/// A number of up to four bytes.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// How late a chunk usually comes.
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
    for (index, &kind) in model.layout.chunks.iter().enumerate() {
        let Some(rank) = rank(kind) else { continue };
        match latest {
            // Meshes and shapes need no types of voxels.
            Some((last, before))
                if rank < last && (kind, before) != (ChunkKind::VoxelTypes, ChunkKind::Mesh) =>
            {
                let at = || {
                    let what = format!("{} after {}", kind.tag(), before.tag());
                    (format!("layout.chunks[{index}]"), what)
                };
                match kind {
                    ChunkKind::Labels | ChunkKind::Action => {
                        findings.add(rules::CHUNK_ORDER, at);
                    }
                    _ => findings.add(rules::DEFINED_FIRST, at),
                }
            }
            _ => latest = Some((rank, kind)),
        }
    }
    for (index, extra) in model.extras.iter().enumerate() {
        let tag = extra.tag;
        let place = || format!("extras[{index}].tag");
        match tag {
            Tag::PALETTE | Tag::TEX_COORDS | Tag::VERTICES | Tag::SKELETON | Tag::VOXEL_TYPES => {
                findings.add(rules::CHUNK_TWICE, || (place(), format!("a second {tag}")));
            }
            Tag::PREVIEW | Tag::HEAD | Tag::FILE => {
                findings.add(rules::CHUNK_FIRST, || (place(), format!("{tag} among the other chunks")));
            }
            _ if tag.0.iter().all(u8::is_ascii_uppercase) => {
                findings.add(rules::TAG_CASE, || (place(), format!("{tag}, which is unknown")));
            }
            _ => {}
        }
    }
    let surface = !(model.meshes.is_empty()
        && model.procedurals.is_empty()
        && model.shapes.is_empty()
        && model.voxel_blocks.is_empty());
    if !surface && model.materials.is_empty() && model.actions.is_empty() {
        findings.add(rules::NOTHING, || ("".into(), "none of MESH, PROC, SHPE, VOXD, MTRL, ACTN".into()));
    }
}

/// A text is UTF-8.
fn utf8(findings: &mut Findings, text: &BStr, path: impl FnOnce() -> String) {
    if text.to_str().is_err() {
        findings.add(rules::UTF8, || (path(), format!("{text:?}")));
    }
}

/// A name that is there, without what a name may not have.
fn identifier(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    utf8(findings, name, &path);
    if name.find_byteset(b" \t/\\").is_some() {
        findings.add(rules::IDENTIFIER, || (path(), format!("{name:?}")));
    }
}

fn named(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    if name.is_empty() {
        findings.add(rules::NAME, || (path(), "no name".into()));
    }
    identifier(findings, name, path);
}
