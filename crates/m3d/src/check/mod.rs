//! Checks for the rules of the format that reading does not enforce.

mod content;
mod geometry;
mod rules;
mod skeleton;
mod voxels;

use std::collections::HashSet;

use bstr::{BStr, ByteSlice};
use geom::Rgba8;

use crate::consts::Tag;
use crate::model::{ChunkKind, Extra, Model, Outside};
use geom::wire::{Counted, Finding, Findings, report};
pub use rules::RULES;
use rules::*;

/// Every rule of the format that the model violates: one finding for each violated rule of [`RULES`], with the path of
/// the first violation and the number of violations.
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
    // Every field is named, so that a new one does not compile until it has rules here or elsewhere, or needs none.
    #[rustfmt::skip]
    let Model {
        name, license, author, description, scale, layout, preview: _, tex_coords: _, vertices: _, bones: _, skins: _,
        materials: _, procedurals: _, meshes: _, voxel_types: _, voxel_blocks: _, shapes: _, labels: _, actions: _,
        assets: _, extras: _,
    } = model;
    report!(findings, !(*scale >= 0.0 && scale.is_finite()), SCALE, "scale", "the scale is {scale}");
    report!(findings, name.is_empty(), MODEL_NAME, "name", "the name is empty");
    let texts = [("name", name), ("license", license), ("author", author), ("description", description)];
    for (field, text) in texts {
        utf8(findings, text.as_bstr(), || field.to_owned());
    }
    if let Some(types) = layout.types {
        report!(
            findings,
            types.0 >> 26 != 0,
            TYPES_UNUSED,
            "layout.types",
            "found {:#010x}, whose upper six bits are not all 0",
            types.0
        );
    }
    if let Some(text) = &layout.text {
        // The SDK writes no `End`, but an empty line after each section.
        let blank = layout.source.iter().rev().take_while(|byte| byte.is_ascii_whitespace());
        let ends = text.end < layout.source.len() || blank.filter(|&&byte| byte == b'\n').count() > 1;
        let found = "the text ends without an empty line and without `End`: it may be truncated";
        report!(findings, !ends && !layout.source.is_empty(), TEXT_END, "layout.text", "{found}");
    }
    if let Some((stated, actual)) = layout.wrong_size {
        let found = || format!("the header states {stated} bytes, but the file has {actual}");
        report!(findings, true, FILE_SIZE, "layout.wrong_size", "{}", found());
    }
    for (path, bytes, place) in layout.trailing_bytes() {
        let found = || format!("found {} {place}", Counted::new(bytes.len(), "bytes"));
        report!(findings, true, TRAILING, "{path}", "{}", found());
    }
    for (index, (keyword, line)) in layout.unknown_sections().enumerate() {
        let found = || {
            format!(
                "the section {keyword:?} at line {line} is unknown and is not read (an empty line ends a section)"
            )
        };
        report!(findings, true, SECTION_UNKNOWN, "layout.text.unknown[{index}]", "{}", found());
    }
    if let Some((block, count)) = layout.text.as_ref().and_then(|text| text.surplus_layers) {
        let found = || "found a `layer` line after the last layer".to_owned();
        findings.add_many(VOXEL_LAYERS, count, || (format!("voxel_blocks[{block}]"), found()));
    }
    for (index, slot) in layout.chunks.iter().enumerate() {
        let tail = slot.tail;
        report!(
            findings,
            tail != 0,
            CHUNK_TAIL,
            "layout.chunks[{index}]",
            "found {} after the last whole record of the chunk {}",
            Counted::new(tail, "bytes"),
            slot.kind.tag()
        );
    }
    let colors = Counted::new(layout.palette.len(), "colours");
    let tag = |chunk| layout.chunks().nth(chunk).map_or(Tag::NONE, ChunkKind::tag);
    if let Some(Outside { chunk, first, count }) = layout.outside_names {
        let size = Counted::new(layout.strings.len(), "bytes");
        let found = format!(
            "a name in layout.chunks[{chunk}] ({}) has the offset {first}, but the string table has {size}",
            tag(chunk)
        );
        findings.add_many(NAME_OFFSET, count as usize, || ("layout.strings".to_owned(), found));
    }
    if let Some(Outside { chunk, first, count }) = layout.outside_colors {
        let found = format!(
            "a colour in layout.chunks[{chunk}] ({}) has the index {first}, but the palette has {colors}",
            tag(chunk)
        );
        findings.add_many(COLOR_INDEX, count as usize, || ("layout.palette".to_owned(), found));
    }
    palette(&layout.palette, findings);
}

fn palette(palette: &[Rgba8], findings: &mut Findings) {
    let mut seen = HashSet::new();
    let bright = |color: Rgba8| color.r.max(color.g).max(color.b);
    let mut before = 0;
    for (index, &color) in palette.iter().enumerate() {
        let shown = color.to_array();
        report!(
            findings,
            !seen.insert(color),
            PALETTE_TWICE,
            "layout.palette[{index}]",
            "duplicate colour {shown:?}"
        );
        let darker = before > bright(color);
        before = bright(color);
        report!(
            findings,
            darker,
            PALETTE_ORDER,
            "layout.palette[{index}]",
            "the colour {shown:?} follows a brighter one"
        );
    }
}

/// The rank of a chunk in the usual order.
fn rank(kind: ChunkKind) -> Option<u8> {
    match kind {
        // Voxel types come before all surfaces, which have no order among themselves.
        ChunkKind::VoxelTypes => Some(ChunkKind::Procedural as u8),
        ChunkKind::Procedural | ChunkKind::Mesh | ChunkKind::Voxels => Some(ChunkKind::Shape as u8),
        ChunkKind::Extra => None,
        _ => Some(kind as u8),
    }
}

fn order(model: &Model, findings: &mut Findings) {
    let mut latest: Option<(u8, ChunkKind)> = None;
    for (index, kind) in model.layout.chunks().enumerate() {
        let Some(rank) = rank(kind) else { continue };
        match latest {
            // Meshes and shapes need no types of voxels.
            Some((last, before))
                if rank < last && (kind, before) != (ChunkKind::VoxelTypes, ChunkKind::Mesh) =>
            {
                let rule = match kind {
                    ChunkKind::Labels | ChunkKind::Action => CHUNK_ORDER,
                    _ => DEFINED_FIRST,
                };
                let (tag, before) = (kind.tag(), before.tag());
                let found = || format!("the chunk {tag} comes after {before}, but belongs before it");
                findings.add(rule, || (format!("layout.chunks[{index}]"), found()));
            }
            _ => latest = Some((rank, kind)),
        }
    }
    for (index, Extra { tag, .. }) in model.extras.iter().enumerate() {
        let first = [Tag::PREVIEW, Tag::HEAD, Tag::FILE].contains(tag);
        let kind = ChunkKind::of(*tag);
        let second = kind.is_once() && has(model, kind);
        let reserved = !first && !second && tag.0.iter().all(u8::is_ascii_uppercase);
        report!(findings, second, CHUNK_TWICE, "extras[{index}].tag", "found a second {tag} chunk");
        report!(
            findings,
            first,
            CHUNK_FIRST,
            "extras[{index}].tag",
            "found the chunk {tag} after the header (HEAD)"
        );
        report!(
            findings,
            reserved,
            TAG_CASE,
            "extras[{index}].tag",
            "{}",
            match kind {
                ChunkKind::Extra => format!("the format does not define the tag {tag}"),
                _ => format!("an extra chunk has the tag {tag}, which belongs to a chunk of the format"),
            }
        );
    }
    let nothing = model.meshes.is_empty()
        && model.procedurals.is_empty()
        && model.shapes.is_empty()
        && model.voxel_blocks.is_empty()
        && model.materials.is_empty()
        && model.actions.is_empty();
    report!(
        findings,
        nothing,
        NOTHING,
        "",
        "the file has no mesh, script, shape, voxels, material or action"
    );
}

/// Whether the model has a chunk of a kind that occurs at most once.
fn has(model: &Model, kind: ChunkKind) -> bool {
    model.layout.chunks().any(|chunk| chunk == kind)
        || match kind {
            ChunkKind::TexCoords => !model.tex_coords.uvs.is_empty(),
            ChunkKind::Vertices => !model.vertices.is_empty(),
            ChunkKind::Skeleton => !model.bones.is_empty() || !model.skins.is_empty(),
            ChunkKind::VoxelTypes => !model.voxel_types.is_empty(),
            _ => false,
        }
}

fn utf8(findings: &mut Findings, text: &BStr, path: impl FnOnce() -> String) {
    report!(findings, text.to_str().is_err(), UTF8, path(), "{text:?} is not UTF-8");
}

/// Checks a name for characters that names cannot have.
fn identifier(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    utf8(findings, name, &path);
    report!(findings, name.find_byteset(b" \t/\\").is_some(), IDENTIFIER, path(), "the name is {name:?}");
}

fn named(findings: &mut Findings, name: &BStr, path: impl Fn() -> String) {
    report!(findings, name.is_empty(), NAME, path(), "the name is empty");
    identifier(findings, name, path);
}

/// Reports an index outside a list of this length.
macro_rules! index_of {
    ($findings:expr, $rule:ident, $index:expr, $len:expr, $what:literal, $($path:tt)+) => {{
        let (index, len) = ($index, $len);
        if index.get().is_none_or(|index| index >= len) {
            let of = geom::wire::Counted::new(len, $what);
            $findings.add($crate::check::rules::$rule, || {
                let found = format!("index {index} is out of range (the model has {of})");
                (format!($($path)+), found)
            });
        }
    }};
}
use index_of;
