//! `LODS`: u16 origin of the levels, u8 number of high quality levels, u32 number of offsets, the offsets. The offsets
//! of a single level are in the layout if they are not (0, faces).

use crate::consts::LodType;
use crate::model::{Lods, Mesh};
use crate::wire::record::{Field as _, counted, record, write_counted};
use crate::wire::sizes::count;
use geom::wire::{Parsed, Result};
use nom::Parser;
use nom::error::context;

record!(
    struct Head {
        kind: u16,
        high_quality: u8,
    }
);

pub(crate) fn read<'a>(mesh: &mut Mesh, input: &'a [u8]) -> Parsed<'a, ()> {
    let (input, Head { kind, high_quality }) = Head::read(input)?;
    let (rest, offsets) = context("offsets", counted::<u32>).parse(input)?;
    mesh.lods = Lods { kind: LodType(kind), offsets: Vec::new(), high_quality };
    mesh.layout.lod_offsets = Some(offsets);
    Ok((rest, ()))
}

/// Moves the offsets of several levels into the model, and drops the usual ones of a single level. Called when all
/// faces are known.
pub(crate) fn place_offsets(mesh: &mut Mesh) {
    let Some(offsets) = mesh.layout.lod_offsets.take() else { return };
    if offsets.len() >= 3 {
        mesh.lods.offsets = offsets;
    } else if !matches!(*offsets, [0, end] if end as usize == mesh.faces.len()) {
        mesh.layout.lod_offsets = Some(offsets);
    }
}

/// The offsets to write.
pub(crate) fn offsets(mesh: &Mesh) -> Result<Vec<u32>> {
    match &mesh.layout.lod_offsets {
        _ if !mesh.lods.is_single() => Ok(mesh.lods.offsets.clone()),
        Some(offsets) if offsets.len() < 3 => Ok(offsets.clone()),
        _ => Ok(vec![0, count(mesh.faces.len(), "faces")?]),
    }
}

pub(crate) fn write(mesh: &Mesh, out: &mut Vec<u8>) -> Result<()> {
    Head::append(&Head { kind: mesh.lods.kind.0, high_quality: mesh.lods.high_quality }, out);
    write_counted::<u32>(&offsets(mesh)?, "lods.offsets", out)
}
