//! 2.00 to 5.00: the header, then vertices, envelopes, faces, levels, bones, subsets and facial animation.

use geom::Rgba8;

use nom::Parser;
use nom::error::context;

use crate::consts::{HeaderForm, LodType, Version};
use crate::model::{Envelope, Lods, Mesh, Subset, Tangent, Vertex, VertexForm};
use crate::wire::coremesh::{Vertex32, Vertex36};
use crate::wire::header::Header;
use crate::wire::record::{Face, array, read_wide_array, write_array, write_wide_array};
use crate::wire::sizes::{blob, count, short_count};
use crate::wire::skin::{self, RawBone};
use crate::wire::{facs, lods as wire_lods};
use geom::wire::{At, Budget, Error, Fail, Here, Parsed, Problem, Refuse as _, Result};

pub(crate) fn read<'a>(
    start: &'a [u8],
    version: Version,
    form: HeaderForm,
    budget: &mut Budget,
) -> Parsed<'a, Mesh> {
    // Charges as if all input were bones, whose records take the most memory; names are charged apart, since bones can
    // share them.
    budget.take((start.len() as u64).saturating_mul(skin::COST)).here(start)?;
    let (input, (header, extra)) = Header::read(start, form).field("header")?;
    // Every field is named, so that a new one must be read below.
    #[rustfmt::skip]
    let Header {
        size: _, vertex_size, face_size, lod_size, lod_kind, vertices: vertex_count, faces: face_count, lod_offsets,
        bones: bone_count, bone_names, subsets: subset_count, high_quality, reserved, facs_format, facs_len,
    } = header;
    let refuse = |what: String| Err(Fail::invalid(start, what)).field("header");
    let Some(vertex_form) = VertexForm::within(vertex_size) else {
        return refuse(format!("expected a vertex size of 32 bytes or more, found {vertex_size}"));
    };
    if face_size < 12 {
        return refuse(format!("expected a face size of 12 bytes or more, found {face_size}"));
    }
    if lod_offsets > 0 && lod_size != 4 {
        let what =
            format!("size of the entries in the list of levels of detail: {lod_size} bytes (expected 4)");
        return Err(Fail::unsupported(start, what)).field("header");
    }
    let mut mesh = Mesh { version, ..Mesh::default() };
    let (count, size) = (vertex_count as usize, vertex_size.into());
    let read_vertices = match vertex_form {
        VertexForm::Plain => read_wide_array::<Vertex32>,
        VertexForm::Tangents => read_wide_array::<Vertex36>,
        VertexForm::Colors => read_wide_array::<Vertex>,
    };
    let (input, (vertices, vertex_extra)) = read_vertices(input, count, size).field("vertices")?;
    let (input, envelopes) = match bone_count {
        0 => (input, Vec::new()),
        _ => context("envelopes", array::<Envelope>(vertices.len())).parse(input)?,
    };
    let (count, size) = (face_count as usize, face_size.into());
    let (input, (faces, face_extra)) = read_wide_array::<Face>(input, count, size).field("faces")?;
    let (input, offsets) = context("lods.offsets", array::<u32>(lod_offsets.into())).parse(input)?;
    let (input, bones) = context("bones", array::<RawBone>(bone_count.into())).parse(input)?;
    let (input, ()) = skin::read_names(&mut mesh, &bones, input, bone_names, budget)?;
    let (input, subsets) = context("subsets", array::<Subset>(subset_count.into())).parse(input)?;
    let (trailing, block) = blob(input, facs_len).field("facs")?;
    facs::read_block(&mut mesh, block, facs_format)?;

    mesh.vertices = vertices;
    mesh.envelopes = envelopes;
    mesh.faces = faces;
    mesh.lods = Lods { kind: LodType(lod_kind), offsets: Vec::new(), high_quality };
    mesh.subsets = subsets;
    let layout = &mut mesh.layout;
    layout.lod_offsets = version.has_lods().then_some(offsets);
    layout.vertex_size = Some(vertex_size).filter(|&size| size != 40);
    layout.vertex_extra = vertex_extra;
    layout.face_size = Some(face_size).filter(|&size| size != 12);
    layout.face_extra = face_extra;
    layout.lod_size = Some(lod_size).filter(|&size| size != 4);
    layout.header_extra = extra.to_vec();
    layout.reserved = reserved;
    layout.trailing = trailing.to_vec();
    wire_lods::place_offsets(&mut mesh);
    Ok((&[], mesh))
}

pub(crate) fn write(mesh: &Mesh, form: HeaderForm, out: &mut Vec<u8>) -> Result<()> {
    let Mesh { version, vertices, faces, lods, envelopes, bones, subsets, layout, .. } = mesh;
    let skinned = !bones.is_empty();
    if skinned {
        Problem::length("envelopes", envelopes.len(), vertices.len()).unwritable("envelopes")?;
    }
    let vertex_form = vertex_form(mesh);
    let vertex_extra = layout.vertex_extra_each(vertices.len()).unwrap_or(0);
    let face_extra = layout.face_extra_each(faces.len()).unwrap_or(0);
    let size = |known: u8, extra: u8, path| {
        let too_large = || {
            Error::unwritable(
                path,
                format!(
                    "{extra} extra bytes per record (expected at most {}, since a record has at most 255 bytes)",
                    u8::MAX.saturating_sub(known)
                ),
            )
        };
        known.checked_add(extra).ok_or_else(too_large)
    };
    let names = skin::names(bones, layout)?;
    let levels = if version.has_lods() { wire_lods::offsets(mesh)? } else { Vec::new() };
    let mut block = Vec::new();
    if version.has_facs() {
        facs::write_block(mesh, &mut block)?;
    }
    let header = Header {
        vertex_size: size(vertex_form.size(), vertex_extra, "layout.vertex_extra")?,
        face_size: size(12, face_extra, "layout.face_extra")?,
        lod_size: layout.lod_size.filter(|_| levels.is_empty()).unwrap_or(4),
        lod_kind: lods.kind.0,
        vertices: count(vertices.len(), "vertices")?,
        faces: count(faces.len(), "faces")?,
        lod_offsets: short_count(levels.len(), "lods.offsets")?,
        bones: short_count(bones.len(), "bones")?,
        bone_names: count(names.bytes.len(), "bones")?,
        subsets: short_count(subsets.len(), "subsets")?,
        high_quality: lods.high_quality,
        reserved: layout.reserved,
        facs_format: facs::format(mesh),
        facs_len: count(block.len(), "facs")?,
        // `Header::write` sets it.
        size: 0,
    };
    header.write(form, &layout.header_extra, out)?;
    let write_vertices = match vertex_form {
        VertexForm::Plain => write_wide_array::<Vertex32>,
        VertexForm::Tangents => write_wide_array::<Vertex36>,
        VertexForm::Colors => write_wide_array::<Vertex>,
    };
    write_vertices(vertices, vertex_extra.into(), &layout.vertex_extra, out);
    if skinned {
        write_array::<Envelope>(envelopes, out);
    }
    write_wide_array::<Face>(faces, face_extra.into(), &layout.face_extra, out);
    write_array::<u32>(&levels, out);
    if version.has_skin() {
        skin::write_bones(bones, &names, out)?;
        out.extend_from_slice(&names.bytes);
        write_array::<Subset>(subsets, out);
    }
    out.extend_from_slice(&block);
    out.extend_from_slice(&layout.trailing);
    Ok(())
}

/// The fields of a vertex to write: those of the file, or more if the vertices need them.
fn vertex_form(mesh: &Mesh) -> VertexForm {
    if !mesh.version.has_strides() {
        return VertexForm::Colors;
    }
    // Only the fields that the form of the file lacks are checked.
    let form = mesh.layout.vertex_form();
    let has = |wanted: fn(&Vertex) -> bool| mesh.vertices.iter().any(wanted);
    if form < VertexForm::Colors && has(|vertex| vertex.color != Rgba8::WHITE) {
        VertexForm::Colors
    } else if form < VertexForm::Tangents && has(|vertex| vertex.tangent != Tangent::ABSENT) {
        VertexForm::Tangents
    } else {
        form
    }
}
