//! A `.slm` file: a map of binary LLSD, with whole assets as strings in it.
//!
//! | key | |
//! |---|---|
//! | `version` | integer, 3 |
//! | `name` | string |
//! | `mesh` | strings: the bytes of an asset each |
//! | `instance` | maps of `mesh_id`, `label`, `transform` (16 reals) and `material` |

use llsd::{Map, Text, Value};

use crate::error::{Error, ErrorKind, Result};
use crate::model::Asset;
use crate::options::{ReadOptions, WriteOptions};
use crate::slm::{Instance, Slm};
use crate::wire::asset::read_all_blocks;
use crate::wire::fail::{Fail, finish};
use crate::wire::fields::Out;
use crate::wire::header::{in_order_of, open, prefix_len};
use crate::wire::physics::reals;
use crate::wire::value::Raw;
use crate::wire::{Got, Limits, kind_of};

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Slm> {
    let mut limits = Limits::new(options);
    let map = read_map(bytes, &mut limits);
    let (map, _) = finish(bytes, map.map(|map| (bytes, map)))?.1;
    let mut slm =
        Slm { layout: limits.budget.copy(bytes).map_err(|kind| Error::new(kind, ""))?, ..Slm::default() };
    for (key, value) in map {
        match (key.as_str(), value) {
            (Some("version"), Value::Integer(version)) => slm.version = Some(version),
            (Some("name"), Value::String(name)) => slm.name = Some(name),
            (Some("mesh"), Value::Array(meshes)) => {
                for (index, mesh) in meshes.iter().enumerate() {
                    slm.meshes.push(
                        read_mesh(mesh, options, &mut limits)
                            .map_err(|e| e.within(&format!("mesh[{index}]")))?,
                    );
                }
            }
            (Some("instance"), Value::Array(instances)) if instances.iter().all(|i| i.as_map().is_some()) => {
                slm.instances = instances.into_iter().filter_map(read_instance).collect();
            }
            (_, value) => slm.extra.push(key, value),
        }
    }
    Ok(slm)
}

fn read_map<'a>(bytes: &'a [u8], limits: &mut Limits) -> Got<'a, (Map, usize)> {
    if bytes.is_empty() {
        return Err(Fail::end(bytes));
    }
    let Some(body) = prefix_len(bytes).and_then(|len| bytes.get(len..)) else {
        return Err(Fail::invalid(bytes, "no .slm file: it is no map of binary LLSD"));
    };
    let raw = Raw::first(body, limits.max_depth)?;
    let end = bytes.len().saturating_sub(body.len()).saturating_add(raw.0.len());
    match raw.value(limits)? {
        Value::Map(map) => Ok((map, end)),
        _ => Err(Fail::invalid(body, "no map")),
    }
}

/// All meshes share the limits.
fn read_mesh(mesh: &Value, options: &ReadOptions, limits: &mut Limits) -> Result<Asset> {
    match mesh {
        Value::String(bytes) => read_all_blocks(&open(bytes.as_bytes(), options, limits)?, limits),
        _ => Err(Error::new(ErrorKind::Invalid("no string".into()), "")),
    }
}

fn read_instance(value: Value) -> Option<Instance> {
    let Value::Map(map) = value else { return None };
    let mut instance = Instance::default();
    for (key, value) in map {
        match (key.as_str(), value) {
            (Some("mesh_id"), Value::Integer(id)) => instance.mesh_id = Some(id),
            (Some("label"), Value::String(label)) => instance.label = Some(label),
            (Some("material"), value) => instance.material = Some(value),
            (Some("transform"), value) => match reals(&value) {
                Some(transform) => instance.transform = Some(transform),
                None => instance.extra.push(key, value),
            },
            (_, value) => instance.extra.push(key, value),
        }
    }
    Some(instance)
}

pub(crate) fn write(slm: &Slm, options: &WriteOptions) -> Result<Vec<u8>> {
    let mut out = Out::default();
    out.put("version", slm.version);
    out.put("name", slm.name.clone());
    let mut meshes = Vec::with_capacity(slm.meshes.len());
    for (index, mesh) in slm.meshes.iter().enumerate() {
        let bytes = options.write(mesh).map_err(|error| error.within(&format!("mesh[{index}]")))?;
        meshes.push(Value::String(Text::from(bytes)));
    }
    let old = read_map(&slm.layout, &mut Limits::none()).ok().filter(|_| !options.is_fresh());
    let before = |key: &str| old.as_ref().and_then(|(old, _)| old.get(key));
    if !meshes.is_empty() || before("mesh").is_some() || old.is_none() {
        out.put("mesh", (!slm.extra.contains_key("mesh")).then_some(meshes));
    }
    let instances: Vec<Value> = slm
        .instances
        .iter()
        .enumerate()
        .map(|(index, instance)| {
            let map = write_instance(instance);
            let before = before("instance").and_then(Value::as_array).and_then(|all| all.get(index));
            match before.and_then(Value::as_map) {
                Some(before) => in_order_of(map, before, 1).into(),
                None => map.into(),
            }
        })
        .collect();
    if !instances.is_empty() || before("instance").is_some() || old.is_none() {
        out.put("instance", (!slm.extra.contains_key("instance")).then_some(instances));
    }
    let mut map = out.finish(&slm.extra);
    let mut behind: &[u8] = &[];
    if let Some((old, end)) = old {
        map = in_order_of(map, &old, 1);
        let (new, old) = (Value::Map(map), Value::Map(old));
        if new.identical(&old) {
            return Ok(slm.layout.clone());
        }
        behind = slm.layout.get(end..).unwrap_or_default();
        return encode(&new, behind);
    }
    encode(&Value::Map(map), behind)
}

fn encode(value: &Value, behind: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = llsd::write_binary(value).map_err(|error| Error::new(kind_of(&error), error.path()))?;
    bytes.extend_from_slice(behind);
    Ok(bytes)
}

fn write_instance(instance: &Instance) -> Map {
    let Instance { mesh_id, label, transform, material, extra } = instance;
    let mut out = Out::default();
    out.put("mesh_id", *mesh_id);
    out.put("label", label.clone());
    out.numbers("transform", *transform);
    out.put("material", material.clone());
    out.finish(extra)
}
