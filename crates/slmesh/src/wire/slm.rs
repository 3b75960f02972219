//! A `.slm` file: a map of binary LLSD with whole assets as strings in it.

use llsd::{Map, Value};

use super::header::{first_map, in_order_of, map_of};
use super::keys::{encode, read_map, write_map};
use super::limits::{Got, Limits, done};
use crate::consts::Kind;
use crate::model::StoredSlm;
use geom::wire::{Error, Result};

pub(crate) fn read(bytes: &[u8], limits: &mut Limits) -> Result<StoredSlm> {
    let read = |limits: &mut Limits| -> Got<'_, StoredSlm> {
        let (map, _) = map_of(bytes, Kind::Slm, limits)?;
        read_map(map, limits)
    };
    done(bytes, read(limits))
}

/// Writes a file: `layout`, the original one, if its content is the same.
pub(crate) fn write(mut stored: StoredSlm, layout: &[u8]) -> Result<Vec<u8>> {
    let limits = &mut Limits::none();
    let Ok((old, end)) = first_map(layout, "", limits) else {
        return encode(&Value::Map(checked(write_map(&stored)?)?));
    };
    let before: Option<StoredSlm> = read_map(old, limits).ok();
    if let Some(before) = before {
        // If the file lacks the key and the model has no value for it, write none.
        if before.meshes.is_none() && stored.meshes.as_ref().is_some_and(Vec::is_empty) {
            stored.meshes = None;
        }
        if before.instances.is_none() && stored.instances.as_ref().is_some_and(Vec::is_empty) {
            stored.instances = None;
        }
        if before == stored {
            return Ok(layout.to_vec());
        }
    }
    let map = checked(write_map(&stored)?)?;
    drop(stored);
    let Ok(Value::Map(before)) = llsd::read_binary(old.bytes()) else { return encode(&Value::Map(map)) };
    let mut map = in_order_of(map, &before, None);
    order_instances(&mut map, &before);
    let mut bytes = encode(&Value::Map(map))?;
    bytes.extend_from_slice(layout.get(end..).unwrap_or(&[]));
    Ok(bytes)
}

/// Each instance with its keys in their original order.
fn order_instances(map: &mut Map, before: &Map) {
    let Some(before) = before.get("instance").and_then(Value::as_array) else { return };
    let Some(Value::Array(instances)) = map.get_mut("instance") else { return };
    for (instance, before) in instances.iter_mut().zip(before) {
        if let (Value::Map(entries), Some(before)) = (&mut *instance, before.as_map()) {
            *instance = in_order_of(std::mem::take(entries), before, None).into();
        }
    }
}

/// Refuses a map that would not be recognized as a `.slm` file: `mesh` and `instance` must be arrays.
fn checked(map: Map) -> Result<Map> {
    for key in ["mesh", "instance"] {
        if !matches!(map.get(key), Some(Value::Array(_))) {
            return Err(Error::unwritable(
                format!("extra.{key}"),
                "a value that is not an array (a .slm file requires an array)",
            ));
        }
    }
    Ok(map)
}
