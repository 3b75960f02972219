//! A level of detail and `physics_mesh`: an array of submeshes, each a map with a table.

use llsd::{Lazy, Map, Value};

use super::keys::{read_map, write_map};
use super::limits::{Got, Limits};
use crate::model::{Level, Submesh};
use geom::wire::{At, Fail, Here, Result};

pub(super) fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Level> {
    let Some(items) = value.items() else {
        return Err(Fail::invalid(value.bytes(), "expected an array of submeshes"));
    };
    let mut submeshes: Vec<Submesh> = Vec::new();
    for (index, item) in items.enumerate() {
        let submesh = read_map(item, limits).index(index)?;
        limits.budget.push(&mut submeshes, submesh).here(item.bytes())?;
    }
    Ok(Level { submeshes, entry: Map::new() })
}

pub(super) fn write(level: &Level) -> Result<Value> {
    let submeshes = level.submeshes.iter().enumerate();
    submeshes
        .map(|(index, submesh)| write_map(submesh).map_err(|error| error.within(&format!("[{index}]"))))
        .collect()
}
