//! `physics_convex`, whose hulls are two arrays in its map: how many points each hull has (0 for 256), and
//! the points of all hulls.

use llsd::{Binary, Lazy, Map, Text, Value};

use super::codec::{read_u16s, write_u16s};
use super::keys::{read_map, write_and_verify};
use super::limits::{Got, Limits};
use crate::consts::MAX_HULL_POINTS;
use crate::model::{Convex, Domain, StoredConvex};
use geom::wire::{At, Error, Fail, Here, Result};

pub(super) fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Convex> {
    let StoredConvex { min, max, bounding, counts, points, extra } = read_map(value, limits)?;
    let mut convex = Convex { bounding, extra, ..Convex::default() };
    // `extra` gets at most four more entries.
    limits.budget.take_values::<(Text, Value)>(4).here(value.bytes())?;
    match (min, max) {
        (Some(min), Some(max)) => convex.domain = Some(Domain { min, max }),
        // One end alone is not a domain and goes to `extra`.
        (min, max) => {
            let ends = [("Min", min), ("Max", max)];
            convex.extra.extend(ends.into_iter().filter_map(|(key, end)| Some((key, end?))));
        }
    }
    let counts = counts.inspect(|counts| {
        if counts.is_empty() {
            convex.extra.push("HullList", Binary::default());
        }
    });
    let counts = counts.unwrap_or_default();
    convex.hulls = limits.budget.vec(counts.len()).here(value.bytes())?;
    let mut rest = points.as_deref().unwrap_or_default();
    for (index, &count) in counts.iter().enumerate() {
        let count = if count == 0 { MAX_HULL_POINTS } else { usize::from(count) };
        // At most 256 points.
        let Some((hull, after)) = rest.split_at_checked(count.wrapping_mul(size_of::<[u16; 3]>())) else {
            let left = rest.len() / 6;
            let what = format!("too few points left in Positions for a hull: expected {count}, found {left}");
            return Err(Fail::invalid(value.bytes(), what)).index(index).field("HullList");
        };
        convex.hulls.push(read_u16s(hull, limits).here(value.bytes())?);
        rest = after;
    }
    if !rest.is_empty() || points.is_some() && counts.is_empty() {
        convex.extra.push("Positions", Binary(limits.budget.copy(rest).here(value.bytes())?));
    }
    Ok(convex)
}

pub(super) fn write(convex: &Convex) -> Result<Map> {
    let Convex { domain, bounding, hulls, extra, entry: _ } = convex;
    let mut counts = Vec::with_capacity(hulls.len());
    for (index, hull) in hulls.iter().enumerate() {
        counts.push(match hull.len() {
            MAX_HULL_POINTS => 0,
            count => u8::try_from(count).ok().filter(|&count| count > 0).ok_or_else(|| {
                let what = format!("a hull of {count} points (1 to {MAX_HULL_POINTS} are allowed)");
                Error::unwritable(format!("hulls[{index}]"), what)
            })?,
        });
    }
    let there = !hulls.is_empty();
    let stored = StoredConvex {
        min: domain.map(|domain| domain.min),
        max: domain.map(|domain| domain.max),
        bounding: bounding.clone(),
        counts: there.then_some(counts),
        points: there.then(|| write_u16s(&hulls.concat())),
        extra: extra.clone(),
    };
    write_and_verify(&stored, |value, limits| {
        read(value, limits).is_ok_and(|mut read| {
            read.entry = convex.entry.clone();
            read == *convex
        })
    })
}
