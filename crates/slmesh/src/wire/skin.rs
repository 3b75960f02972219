//! The block `skin`: a map.
//!
//! | key | |
//! |---|---|
//! | `joint_names` | strings |
//! | `bind_shape_matrix` | 16 reals |
//! | `inverse_bind_matrix`, `alt_inverse_bind_matrix` | 16 reals per joint |
//! | `pelvis_offset` | real |
//! | `lock_scale_if_joint_position` | boolean |

use llsd::{Map, Text, Value};

use crate::model::Skin;
use crate::wire::fail::Here;
use crate::wire::fields::{Fields, Out};
use crate::wire::value::Raw;
use crate::wire::{Got, Limits};

pub(crate) fn read<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Skin> {
    let names = [
        "joint_names",
        "bind_shape_matrix",
        "inverse_bind_matrix",
        "alt_inverse_bind_matrix",
        "pelvis_offset",
        "lock_scale_if_joint_position",
    ];
    let mut fields = Fields::read(raw, names, limits)?;
    Ok(Skin {
        joint_names: fields.take("joint_names", limits, texts)?.unwrap_or_default(),
        bind_shape_matrix: fields.numbers("bind_shape_matrix", limits)?,
        inverse_bind_matrices: fields.take("inverse_bind_matrix", limits, matrices)?.unwrap_or_default(),
        alt_inverse_bind_matrices: fields
            .take("alt_inverse_bind_matrix", limits, matrices)?
            .unwrap_or_default(),
        pelvis_offset: fields.number("pelvis_offset", limits)?,
        lock_scale_if_joint_position: fields
            .take("lock_scale_if_joint_position", limits, |raw, _| Ok(raw.boolean()))?,
        extra: fields.extra,
        entry: Map::new(),
    })
}

/// Strings, and nothing else; at least one, so that an empty array is kept as it is.
pub(crate) fn texts<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Option<Vec<Text>>> {
    all(raw, limits, Raw::text)
}

fn matrices<'a>(raw: Raw<'a>, limits: &mut Limits) -> Got<'a, Option<Vec<[f64; 16]>>> {
    all(raw, limits, |raw, limits| raw.numbers(limits))
}

/// An array of one type, with at least one value.
pub(crate) fn all<'a, T>(
    raw: Raw<'a>,
    limits: &mut Limits,
    read: impl Fn(Raw<'a>, &mut Limits) -> Got<'a, Option<T>>,
) -> Got<'a, Option<Vec<T>>> {
    let Some(mut items) = raw.items(limits)? else { return Ok(None) };
    let mut values = Vec::new();
    while let Some(raw) = items.next()? {
        limits.budget.take(const { 3 * size_of::<T>() as u64 }).here(raw.0)?;
        let Some(value) = read(raw, limits)? else { return Ok(None) };
        values.push(value);
    }
    Ok((!values.is_empty()).then_some(values))
}

pub(crate) fn write(skin: &Skin) -> Map {
    let Skin {
        joint_names,
        bind_shape_matrix,
        inverse_bind_matrices,
        alt_inverse_bind_matrices,
        pelvis_offset,
        lock_scale_if_joint_position,
        extra,
        entry: _,
    } = skin;
    let list =
        |matrices: &[[f64; 16]]| (!matrices.is_empty()).then(|| matrices.iter().copied().collect::<Value>());
    let mut out = Out::default();
    out.put("joint_names", (!joint_names.is_empty()).then(|| joint_names.iter().cloned().collect::<Value>()));
    out.numbers("bind_shape_matrix", *bind_shape_matrix);
    out.put("inverse_bind_matrix", list(inverse_bind_matrices));
    out.put("alt_inverse_bind_matrix", list(alt_inverse_bind_matrices));
    out.put("pelvis_offset", *pelvis_offset);
    out.put("lock_scale_if_joint_position", *lock_scale_if_joint_position);
    out.finish(extra)
}
