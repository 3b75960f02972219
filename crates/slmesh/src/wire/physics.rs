//! What physics needs: the blocks `physics_convex` and `physics_havok`, and the header's
//! `physics_cost_data`. All of them are maps.
//!
//! | `physics_convex` | |
//! |---|---|
//! | `Min`, `Max` | 3 reals each: the domain of all points |
//! | `BoundingVerts` | u16 LE × 3 per point |
//! | `HullList` | u8 per hull: how many points, 0 for 256 |
//! | `Positions` | u16 LE × 3 per point of all hulls |

use llsd::{Binary, Map, Value};

use crate::consts::MAX_HULL_POINTS;
use crate::error::{Error, Result};
use crate::model::{Convex, CostData, Domain, Havok, MassProps, Mopp};
use crate::wire::fail::{At, Fail, Here};
use crate::wire::fields::{Fields, Out, steps, steps_bytes};
use crate::wire::value::Raw;
use crate::wire::{Got, Limits};

pub(crate) fn read_convex<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Convex> {
    let mut fields = Fields::read(raw, ["BoundingVerts", "HullList", "Max", "Min", "Positions"], limits)?;
    let ends = (fields.raw("Min"), fields.raw("Max"));
    let domain = match (fields.numbers("Min", limits)?, fields.numbers("Max", limits)?) {
        (Some(min), Some(max)) => Some(Domain { min, max }),
        // One end alone is no domain, and is kept.
        (min, max) => {
            if let (Some(_), Some(raw)) = (min, ends.0) {
                fields.keep("Min", raw, limits)?;
            }
            if let (Some(_), Some(raw)) = (max, ends.1) {
                fields.keep("Max", raw, limits)?;
            }
            None
        }
    };
    let bounding = fields.steps("BoundingVerts", limits)?;
    let counts = fields.binary("HullList", limits)?;
    let points = fields.binary("Positions", limits)?;
    let (hulls, rest) = read_hulls(counts, points, limits).field("HullList")?;
    if !rest.is_empty() {
        fields.keep_rest("Positions", rest, limits)?;
    }
    Ok(Convex { domain, bounding, hulls, extra: fields.extra, entry: Map::new() })
}

/// The points of a hull.
type Points = Vec<[u16; 3]>;

/// The points of the hulls, and the bytes behind them.
fn read_hulls<'a>(
    counts: &'a [u8],
    mut points: &'a [u8],
    limits: &mut Limits,
) -> Got<'a, (Vec<Points>, &'a [u8])> {
    let mut hulls = limits.budget.vec(counts.len()).here(counts)?;
    for (index, count) in counts.iter().enumerate() {
        let count = if *count == 0 { MAX_HULL_POINTS } else { usize::from(*count) };
        let Some((hull, rest)) = points.split_at_checked(count.saturating_mul(size_of::<[u16; 3]>())) else {
            let what = format!("a hull of {count} points, of which {} are left", points.len() / 6);
            return Err(Fail::invalid(counts.get(index..).unwrap_or_default(), what)).index(index);
        };
        hulls.push(steps(hull, limits)?.0);
        points = rest;
    }
    Ok((hulls, points))
}

pub(crate) fn write_convex(convex: &Convex) -> Result<Map> {
    let Convex { domain, bounding, hulls, extra, entry: _ } = convex;
    let mut out = Out::default();
    if let Some(Domain { min, max }) = *domain {
        out.numbers("Min", Some(min));
        out.numbers("Max", Some(max));
    }
    out.steps("BoundingVerts", bounding, extra);
    let mut counts = Vec::with_capacity(hulls.len());
    for (index, hull) in hulls.iter().enumerate() {
        counts.push(match hull.len() {
            MAX_HULL_POINTS => 0,
            count => u8::try_from(count).ok().filter(|&count| count > 0).ok_or_else(|| {
                let what = format!("a hull of {count} points: it has 1 to {MAX_HULL_POINTS}");
                Error::unwritable(format!("hulls[{index}]"), what)
            })?,
        });
    }
    out.array("HullList", counts, extra);
    out.array("Positions", steps_bytes(&hulls.concat()), extra);
    Ok(out.finish(extra))
}

pub(crate) fn read_havok<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Havok> {
    let mut fields = Fields::read(raw, ["HullMassProps", "MOPP", "MeshDecompMassProps"], limits)?;
    Ok(Havok {
        hull_mass: fields.take("HullMassProps", limits, read_mass)?,
        decomposition_mass: fields.take("MeshDecompMassProps", limits, read_mass)?,
        mopp: fields.take("MOPP", limits, read_mopp)?,
        extra: fields.extra,
        entry: Map::new(),
    })
}

fn read_mass<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Option<MassProps>> {
    if raw.entries(limits)?.is_none() {
        return Ok(None);
    }
    let mut fields = Fields::read(raw, ["CoM", "inertia", "mass", "volume"], limits)?;
    Ok(Some(MassProps {
        center: fields.numbers("CoM", limits)?,
        inertia: fields.numbers("inertia", limits)?,
        mass: fields.number("mass", limits)?,
        volume: fields.number("volume", limits)?,
        extra: fields.extra,
    }))
}

fn read_mopp<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Option<Mopp>> {
    if raw.entries(limits)?.is_none() {
        return Ok(None);
    }
    let mut fields = Fields::read(raw, ["BuildType", "MoppData", "MoppInfo"], limits)?;
    let copy = |raw: Raw<'a>, limits: &mut Limits| {
        raw.binary().map(|bytes| limits.budget.copy(bytes).here(bytes)).transpose()
    };
    Ok(Some(Mopp {
        build_type: fields.integer("BuildType", limits)?,
        data: fields.take("MoppData", limits, copy)?,
        info: fields.numbers("MoppInfo", limits)?,
        extra: fields.extra,
    }))
}

pub(crate) fn write_havok(havok: &Havok) -> Map {
    let Havok { hull_mass, decomposition_mass, mopp, extra, entry: _ } = havok;
    let mut out = Out::default();
    out.put("HullMassProps", hull_mass.as_ref().map(write_mass));
    out.put("MeshDecompMassProps", decomposition_mass.as_ref().map(write_mass));
    out.put(
        "MOPP",
        mopp.as_ref().map(|Mopp { build_type, data, info, extra }| {
            let mut out = Out::default();
            out.put("BuildType", *build_type);
            out.put("MoppData", data.clone().map(Binary));
            out.numbers("MoppInfo", *info);
            out.finish(extra)
        }),
    );
    out.finish(extra)
}

fn write_mass(MassProps { center, inertia, mass, volume, extra }: &MassProps) -> Map {
    let mut out = Out::default();
    out.numbers("CoM", *center);
    out.numbers("inertia", *inertia);
    out.put("mass", *mass);
    out.put("volume", *volume);
    out.finish(extra)
}

/// From a part of the header, which was built already. Since the header is written from the model,
/// every number has to be of the type that it is written as.
pub(crate) fn read_cost_data(map: &Map) -> CostData {
    let mut cost = CostData::default();
    for (key, value) in map {
        let real = || if let Value::Real(real) = value { Some(*real) } else { None };
        let integer = || if let Value::Integer(integer) = value { Some(*integer) } else { None };
        let known = match key.as_str() {
            Some("decomposition") => set(&mut cost.decomposition, real()),
            Some("decomposition_discounted_vertices") => {
                set(&mut cost.decomposition_discounted_vertices, integer())
            }
            Some("decomposition_hulls") => set(&mut cost.decomposition_hulls, integer()),
            Some("hull") => set(&mut cost.hull, real()),
            Some("hull_discounted_vertices") => set(&mut cost.hull_discounted_vertices, integer()),
            Some("mesh") => set(&mut cost.mesh, reals(value)),
            Some("mesh_triangles") => set(&mut cost.mesh_triangles, integer()),
            _ => false,
        };
        if !known {
            cost.extra.push(key, value.clone());
        }
    }
    cost
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// Exactly so many reals.
pub(crate) fn reals<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let values = value.as_array()?.iter();
    let reals = values.map(|value| if let Value::Real(real) = value { Some(*real) } else { None });
    reals.collect::<Option<Vec<_>>>()?.try_into().ok()
}

pub(crate) fn write_cost_data(cost: &CostData) -> Map {
    let CostData {
        decomposition,
        decomposition_discounted_vertices,
        decomposition_hulls,
        hull,
        hull_discounted_vertices,
        mesh,
        mesh_triangles,
        extra,
    } = cost;
    let mut out = Out::default();
    out.put("decomposition", *decomposition);
    out.put("decomposition_discounted_vertices", *decomposition_discounted_vertices);
    out.put("decomposition_hulls", *decomposition_hulls);
    out.put("hull", *hull);
    out.put("hull_discounted_vertices", *hull_discounted_vertices);
    out.numbers("mesh", *mesh);
    out.put("mesh_triangles", *mesh_triangles);
    out.finish(extra)
}
