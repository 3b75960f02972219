//! What follows the header of 2.00 to 5.00: vertices, envelopes, faces, levels, bones, subsets, FACS.

use geom::{Rgba8, Vec2, Vec3};
use nom::Parser;
use nom::combinator::success;
use nom::error::context;

use crate::consts::{LodType, Version};
use crate::convert::{Stride, known_vertex_size};
use crate::error::{Error, Result};
use crate::limits::Budget;
use crate::model::{Lods, Mesh, Tangent, Vertex};
use crate::wire::fail::{At, Fail, Here, Parsed};
use crate::wire::header::Header;
use crate::wire::record::record;
use crate::wire::{array, blob, count, facs, short_count, skin};

record!(Vertex, 40 { position: Vec3, normal: Vec3, uv: Vec2, tangent: Tangent, color: Rgba8 });
record!(Vertex, 36 { position: Vec3, normal: Vec3, uv: Vec2, tangent: Tangent } else { color: Rgba8::WHITE });
record!(Vertex, 32 { position: Vec3, normal: Vec3, uv: Vec2 } else { tangent: Tangent::ABSENT, color: Rgba8::WHITE });

/// The format of facial animation that is known.
pub(crate) const FACS_FORMAT: u32 = 1;

pub(crate) fn read<'a>(start: &'a [u8], version: Version, budget: &mut Budget) -> Parsed<'a, Mesh> {
    let (input, header) = context("header", |input| Header::read(input, version)).parse(start)?;
    if known_vertex_size(header.vertex_size) == 0 {
        let what = format!("vertex size {} is less than 32", header.vertex_size);
        return Err(Fail::invalid(start, what)).field("header");
    }
    if header.face_size < 12 {
        let what = format!("face size {} is less than 12", header.face_size);
        return Err(Fail::invalid(start, what)).field("header");
    }
    if header.lod_offsets > 0 && header.lod_size != 4 {
        let what = format!("size {} of a level's offset", header.lod_size);
        return Err(Fail::unsupported(start, what)).field("header");
    }
    let mut mesh = Mesh { version, ..Mesh::default() };
    let (input, (vertices, vertex_extra)) = read_vertices(input, &header, budget).field("vertices")?;
    let (input, envelopes) = match header.bones {
        0 => (input, Vec::new()),
        _ => array::read(input, vertices.len(), budget).field("envelopes")?,
    };
    let (input, (faces, face_extra)) =
        array::read_wide::<[u32; 3], 12>(input, header.faces as usize, header.face_size.into(), budget)
            .field("faces")?;
    let (input, offsets) = array::read(input, header.lod_offsets.into(), budget).field("lods.offsets")?;
    let names_len = |input| success(header.bone_names).parse(input);
    let (input, (bones, bone_names)) = skin::read_bones(input, header.bones.into(), names_len, budget)?;
    let (input, subsets) = array::read(input, header.subsets.into(), budget).field("subsets")?;
    let (trailing, block) = blob(input, header.facs_len).field("facs")?;
    read_facs(&mut mesh, block, header.facs_format, budget)?;

    mesh.vertices = vertices;
    mesh.envelopes = envelopes;
    mesh.faces = faces;
    mesh.lods = Lods { kind: LodType(header.lod_kind), offsets, high_quality: header.high_quality };
    mesh.bones = bones;
    mesh.subsets = subsets;
    let layout = &mut mesh.layout;
    layout.vertex_size = Some(header.vertex_size).filter(|&size| size != 40);
    layout.vertex_extra = vertex_extra;
    layout.face_size = Some(header.face_size).filter(|&size| size != 12);
    layout.face_extra = face_extra;
    layout.lod_size = Some(header.lod_size).filter(|&size| version.has_lods() && size != 4);
    layout.header_extra = budget.copy(header.extra).here(start)?;
    layout.reserved = header.reserved;
    layout.bone_names = bone_names;
    layout.trailing = budget.copy(trailing).here(trailing)?;
    Ok((&[], mesh))
}

fn read_vertices<'a>(
    input: &'a [u8],
    header: &Header<'_>,
    budget: &mut Budget,
) -> Parsed<'a, (Vec<Vertex>, Vec<u8>)> {
    let (count, size) = (header.vertices as usize, usize::from(header.vertex_size));
    match known_vertex_size(header.vertex_size) {
        40 => array::read_wide::<Vertex, 40>(input, count, size, budget),
        36 => array::read_wide::<Vertex, 36>(input, count, size, budget),
        _ => array::read_wide::<Vertex, 32>(input, count, size, budget),
    }
}

/// The block of facial animation, understood or kept.
pub(crate) fn read_facs<'a>(
    mesh: &mut Mesh,
    block: &'a [u8],
    format: u32,
    budget: &mut Budget,
) -> Result<(), nom::Err<Fail<'a>>> {
    if mesh.version.has_facs() {
        mesh.layout.facs_format = Some(format).filter(|&format| format != FACS_FORMAT);
    }
    if block.is_empty() {
        return Ok(());
    }
    if format == FACS_FORMAT {
        match facs::read(block, budget).field("facs") {
            Ok((_, facs)) => {
                mesh.facs = Some(facs);
                return Ok(());
            }
            Err(error) if !facs::is_unknown(&error) => return Err(error),
            Err(_) => {}
        }
    }
    mesh.layout.facs_unknown = budget.copy(block).here(block)?;
    Ok(())
}

pub(crate) fn write(mesh: &Mesh, version: Version, out: &mut Vec<u8>) -> Result<()> {
    let layout = &mesh.layout;
    let same = version.same_header(mesh.version);
    let vertices = Stride::of_vertices(mesh, version);
    let faces = Stride::of_faces(mesh, version);
    let skinned = version.has_skin() && !mesh.bones.is_empty();
    if skinned && mesh.envelopes.len() != mesh.vertices.len() {
        let what = format!("{} envelopes for {} vertices", mesh.envelopes.len(), mesh.vertices.len());
        return Err(Error::unwritable("envelopes", what));
    }
    let names = skin::bone_names(if skinned { &mesh.bones } else { &[] }, layout)?;
    let facs = write_facs(mesh, version)?;
    let levels: &[u32] = if version.has_lods() { &mesh.lods.offsets } else { &[] };

    let lod_size = layout.lod_size.filter(|_| levels.is_empty()).unwrap_or(4);
    let header = Header {
        vertex_size: vertices.size,
        face_size: faces.size,
        lod_size,
        lod_kind: mesh.lods.kind.0,
        vertices: count(mesh.vertices.len(), "vertices")?,
        faces: count(mesh.faces.len(), "faces")?,
        lod_offsets: short_count(levels.len(), "lods.offsets")?,
        bones: short_count(names.offsets.len(), "bones")?,
        bone_names: count(names.bytes.len(), "bones")?,
        subsets: short_count(mesh.subsets.len(), "subsets")?,
        high_quality: mesh.lods.high_quality,
        reserved: layout.reserved,
        facs_format: layout.facs_format.filter(|_| mesh.facs.is_none()).unwrap_or(FACS_FORMAT),
        facs_len: count(facs.len(), "facs")?,
        extra: if same { &layout.header_extra } else { &[] },
    };
    header.write(version, out)?;
    let size = usize::from(vertices.size);
    match known_vertex_size(vertices.size) {
        40 => array::write_wide::<Vertex, 40>(&mesh.vertices, size, vertices.extra, out),
        36 => array::write_wide::<Vertex, 36>(&mesh.vertices, size, vertices.extra, out),
        _ => array::write_wide::<Vertex, 32>(&mesh.vertices, size, vertices.extra, out),
    }
    if skinned {
        array::write(&mesh.envelopes, out);
    }
    array::write_wide::<[u32; 3], 12>(&mesh.faces, faces.size.into(), faces.extra, out);
    array::write(levels, out);
    if version.has_skin() {
        skin::write_bones(&mesh.bones, &names, out);
        out.extend_from_slice(&names.bytes);
        array::write(&mesh.subsets, out);
    }
    out.extend_from_slice(&facs);
    if same {
        out.extend_from_slice(&layout.trailing);
    }
    Ok(())
}

/// The block of facial animation; empty where there is none.
pub(crate) fn write_facs(mesh: &Mesh, version: Version) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    match &mesh.facs {
        _ if !version.has_facs() => {}
        Some(facs) => facs::write(facs, &mut block)?,
        None => block.extend_from_slice(&mesh.layout.facs_unknown),
    }
    Ok(block)
}
