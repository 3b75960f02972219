//! A level of detail and `physics_mesh`: an array of submeshes, each a map.
//!
//! | key | |
//! |---|---|
//! | `NoGeometry` | true, where there is nothing |
//! | `Normal` | u16 × 3 per vertex |
//! | `NormalizedScale` | 3 reals |
//! | `Position` | u16 × 3 per vertex |
//! | `PositionDomain` | `Min`, `Max`: 3 reals each |
//! | `Tangent` | u16 × 4 per vertex |
//! | `TexCoord0`, `TexCoord1` | u16 × 2 per vertex |
//! | `TexCoord0Domain`, `TexCoord1Domain` | `Min`, `Max`: 2 reals each |
//! | `TriangleList` | u16 × 3 per triangle |
//! | `Weights` | see `weights` |
//!
//! All u16 are little-endian.

use llsd::{Map, Value};

use crate::error::Result;
use crate::model::{Level, Submesh};
use crate::wire::fail::{At, Fail, Here};
use crate::wire::fields::{Fields, Out};
use crate::wire::value::{Inside, Raw};
use crate::wire::{Got, Limits, weights};

pub(crate) fn read<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Vec<Submesh>> {
    let Some(mut items) = raw.items(limits)? else {
        return Err(Fail::invalid(raw.0, "no array of submeshes"));
    };
    let mut submeshes = Vec::new();
    while items.next_map().index(submeshes.len())? {
        // The vector doubles: so many again for the one that it leaves.
        limits.budget.take(const { 3 * size_of::<Submesh>() as u64 }).here(raw.0)?;
        let index = submeshes.len();
        submeshes.push(read_one(&mut items, limits).index(index)?);
    }
    Ok(submeshes)
}

fn read_one<'a>(entries: &mut Inside<'a>, limits: &mut Limits) -> Got<'a, Submesh> {
    let names = [
        "NoGeometry",
        "Normal",
        "NormalizedScale",
        "Position",
        "PositionDomain",
        "Tangent",
        "TexCoord0",
        "TexCoord0Domain",
        "TexCoord1",
        "TexCoord1Domain",
        "TriangleList",
        "Weights",
    ];
    let mut fields = Fields::fill(entries, names, limits)?;
    let no_geometry = fields.raw("NoGeometry");
    if let Some(raw) = no_geometry.filter(|raw| raw.boolean() != Some(true)) {
        fields.keep("NoGeometry", raw, limits)?;
    }
    Ok(Submesh {
        no_geometry: no_geometry.is_some(),
        position_domain: fields.domain("PositionDomain", limits)?,
        positions: fields.steps("Position", limits)?,
        normals: fields.steps("Normal", limits)?,
        tangents: fields.steps("Tangent", limits)?,
        tex_coord0_domain: fields.domain("TexCoord0Domain", limits)?,
        tex_coords0: fields.steps("TexCoord0", limits)?,
        tex_coord1_domain: fields.domain("TexCoord1Domain", limits)?,
        tex_coords1: fields.steps("TexCoord1", limits)?,
        triangles: fields.steps("TriangleList", limits)?,
        weights: {
            let bytes = fields.binary("Weights", limits)?;
            weights::read(bytes, limits).field("Weights")?
        },
        normalized_scale: fields.numbers("NormalizedScale", limits)?,
        extra: fields.extra,
    })
}

pub(crate) fn write(level: &Level) -> Result<Value> {
    let submeshes = level.submeshes.iter().enumerate();
    submeshes
        .map(|(index, one)| write_one(one).map_err(|error| error.within(&format!("[{index}]"))))
        .collect()
}

fn write_one(submesh: &Submesh) -> Result<Map> {
    let Submesh {
        no_geometry,
        position_domain,
        positions,
        normals,
        tangents,
        tex_coord0_domain,
        tex_coords0,
        tex_coord1_domain,
        tex_coords1,
        triangles,
        weights,
        normalized_scale,
        extra,
    } = submesh;
    let mut out = Out::default();
    // Another value than true was kept, and goes out again from there.
    out.put("NoGeometry", (*no_geometry && !extra.contains_key("NoGeometry")).then_some(true));
    out.domain("PositionDomain", *position_domain);
    out.steps("Position", positions, extra);
    out.steps("Normal", normals, extra);
    out.steps("Tangent", tangents, extra);
    out.domain("TexCoord0Domain", *tex_coord0_domain);
    out.steps("TexCoord0", tex_coords0, extra);
    out.domain("TexCoord1Domain", *tex_coord1_domain);
    out.steps("TexCoord1", tex_coords1, extra);
    out.steps("TriangleList", triangles, extra);
    out.array("Weights", weights::write(weights)?, extra);
    out.numbers("NormalizedScale", *normalized_scale);
    Ok(out.finish(extra))
}
