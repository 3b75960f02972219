//! The header: a map of binary LLSD, with the place of each block.
//!
//! | key | |
//! |---|---|
//! | `version` | integer |
//! | `creator`, `date` | UUID, date |
//! | of each block | map of `offset` and `size`, integers; sometimes `hash` and others |
//! | `physics_cost_data` | map |
//! | `material_list` | strings |
//! | `submodel_id` | integer |
//!
//! An `offset` counts from the first byte behind the header. A `<? LLSD/Binary ?>` in front of the map
//! is a part of the header.

use std::collections::HashMap;
use std::ops::Range;

use llsd::{Encoding, Event, Map, Text, Value};

use crate::consts::{BLOCKS, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Asset;
use crate::options::ReadOptions;
use crate::view::View;
use crate::wire::block::Block;
use crate::wire::fail::{Fail, finish};
use crate::wire::value::Raw;
use crate::wire::{Got, Limits, physics};

/// The longest deprecated header that is looked for.
const LONGEST_PREFIX: usize = 64;

/// How many bytes stand in front of the map; `None` where there is no map.
pub(crate) fn prefix_len(bytes: &[u8]) -> Option<usize> {
    match bytes.first()? {
        b'{' => Some(0),
        b'<' if llsd::detect(bytes) == Some(Encoding::Binary) => {
            bytes.iter().take(LONGEST_PREFIX).position(|&byte| byte == b'{')
        }
        _ => None,
    }
}

/// Whether this is an asset, or a `.slm` file, by the keys of its first map.
pub(crate) fn detect(bytes: &[u8]) -> Option<Kind> {
    let body = bytes.get(prefix_len(bytes)?..)?;
    let options = llsd::ReadOptions::new().encoding(Encoding::Binary);
    let mut reader = options.events(body).ok()?;
    reader.next_event().ok()?;
    let (mut blocks, mut filled, mut meshes, mut instances) = (false, false, false, false);
    while let Some(Event::Key(key)) = reader.next_event().ok()? {
        let start = reader.used();
        let known = BLOCKS.iter().any(|name| name.as_bytes() == &**key);
        reader.skip_value().ok()?;
        let value = body.get(start..reader.used())?;
        if known && let Some([_, size]) = place(value) {
            blocks = true;
            filled |= size > 0;
        }
        meshes |= **key == *b"mesh" && first_is_text(value);
        instances |= **key == *b"instance" && value.first() == Some(&b'[');
    }
    // A document of LLSD ends with its map, and an asset does not.
    let more = reader.used() < body.len();
    if blocks && (more || !filled) {
        return Some(Kind::Asset);
    }
    (meshes && instances).then_some(Kind::Slm)
}

fn first_is_text(value: &[u8]) -> bool {
    let limits = Limits::none();
    let first = Raw(value).items(&limits).ok().flatten().and_then(|mut items| items.next().ok().flatten());
    first.is_some_and(Raw::is_text)
}

/// `offset` and `size` of a map that has both.
fn place(value: &[u8]) -> Option<[i32; 2]> {
    let limits = Limits::none();
    let mut entries = Raw(value).entries(&limits).ok().flatten()?;
    let mut place = [None; 2];
    while let Ok(Some((key, raw))) = entries.next_entry() {
        let [offset, size] = &mut place;
        match &**key {
            b"offset" => *offset = offset.or(raw.integer()),
            b"size" => *size = size.or(raw.integer()),
            _ => {}
        }
    }
    let [offset, size] = place;
    Some([offset?, size?])
}

/// Where a block says that it stands.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) name: Text,
    pub(crate) offset: i32,
    pub(crate) size: i32,
    /// A block that this one stands over.
    pub(crate) over: Option<Text>,
}

impl Place {
    /// Whether there is nothing: the viewer takes a block of no bytes for a missing one.
    pub(crate) fn is_absent(&self) -> bool {
        self.size == 0
    }

    /// The bytes of the file that it takes, where this can be said.
    pub(crate) fn range(&self, start: usize) -> Option<Range<usize>> {
        let begin = start.checked_add(usize::try_from(self.offset).ok()?)?;
        Some(begin..begin.checked_add(usize::try_from(self.size).ok()?)?)
    }
}

/// The place that a header's value names, if it names one.
fn place_of(name: &Text, value: &Value) -> Option<Place> {
    let map = value.as_map()?;
    match (map.get("offset")?, map.get("size")?) {
        (&Value::Integer(offset), &Value::Integer(size)) => {
            Some(Place { name: name.clone(), offset, size, over: None })
        }
        _ => None,
    }
}

/// Reads the header.
pub(crate) fn open<'a>(bytes: &'a [u8], options: &ReadOptions, limits: &mut Limits) -> Result<View<'a>> {
    let opened = read(bytes, limits);
    let (body, header) = finish(bytes, opened.map(|(body, header)| (bytes, (body, header))))?.1;
    let mut places = Vec::new();
    for (key, value) in &header {
        if let Some(place) = place_of(key, value) {
            let taken = size_of::<Place>().saturating_add(key.len()).saturating_mul(4);
            limits.budget.take(taken as u64).map_err(|kind| Error::new(kind, "").at(0, None))?;
            places.push(place);
        }
    }
    mark_overlaps(&mut places);
    Ok(View::new(bytes, bytes.len().saturating_sub(body.len()), header, places, options.clone()))
}

fn read<'a>(bytes: &'a [u8], limits: &mut Limits) -> Got<'a, (&'a [u8], Map)> {
    if bytes.is_empty() {
        return Err(Fail::end(bytes));
    }
    let Some(body) = prefix_len(bytes).and_then(|len| bytes.get(len..)) else {
        return Err(Fail::invalid(bytes, "no mesh asset: its header is no map of binary LLSD"));
    };
    let raw = Raw::first(body, limits.max_depth)?;
    let rest = body.get(raw.0.len()..).unwrap_or_default();
    match raw.value(limits)? {
        Value::Map(header) => Ok((rest, header)),
        _ => Err(Fail::invalid(body, "no map")),
    }
}

/// Marks each block that begins before another one has ended.
fn mark_overlaps(places: &mut [Place]) {
    let mut order: Vec<(i64, i64, usize)> = Vec::with_capacity(places.len());
    for (index, place) in places.iter().enumerate() {
        if place.size > 0 && place.offset >= 0 {
            let begin = i64::from(place.offset);
            order.push((begin, begin.saturating_add(place.size.into()), index));
        }
    }
    order.sort_unstable();
    let mut longest: Option<(i64, usize)> = None;
    for (begin, end, index) in order {
        if let Some((_, other)) = longest.filter(|&(before, _)| begin < before) {
            let name = places.get(other).map(|place| place.name.clone());
            if let Some(place) = places.get_mut(index) {
                place.over = name;
            }
        }
        if longest.is_none_or(|(before, _)| end > before) {
            longest = Some((end, index));
        }
    }
}

/// A header's entry without the place.
pub(crate) fn entry_of(value: &Value) -> Map {
    let mut entry = Map::new();
    for (key, value) in value.as_map().into_iter().flatten() {
        if *key != *"offset" && *key != *"size" {
            entry.push(key, value.clone());
        }
    }
    entry
}

/// What the header says besides the blocks that were taken out.
pub(crate) fn read_rest(header: &Map, is_block: impl Fn(&Text) -> bool, asset: &mut Asset) {
    for (key, value) in header {
        match (key.as_str(), value) {
            (Some("version"), Value::Integer(version)) => asset.version = Some(*version),
            (Some("creator"), Value::Uuid(creator)) => asset.creator = Some(*creator),
            (Some("date"), Value::Date(date)) => asset.date = Some(*date),
            (Some("submodel_id"), Value::Integer(id)) => asset.submodel_id = Some(*id),
            (Some("material_list"), Value::Array(names)) if names.iter().all(is_string) => {
                let names = names.iter().filter_map(|name| match name {
                    Value::String(name) => Some(name.clone()),
                    _ => None,
                });
                asset.material_list = Some(names.collect());
            }
            _ if is_block(key) => {}
            (Some("physics_cost_data"), Value::Map(cost)) => {
                asset.physics_cost_data = Some(physics::read_cost_data(cost));
            }
            _ => asset.extra.push(key, value.clone()),
        }
    }
}

fn is_string(value: &Value) -> bool {
    matches!(value, Value::String(_))
}

/// The header of an asset whose blocks stand where `blocks` says.
pub(crate) fn write(
    asset: &Asset,
    blocks: &[(Text, Block<'_>, Range<usize>)],
    fresh: bool,
) -> Result<Vec<u8>> {
    let mut header = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            header.push(key, value);
        }
    };
    put("version", asset.version.map(Value::from));
    put("creator", asset.creator.map(Value::from));
    put("date", asset.date.map(Value::from));
    put("submodel_id", asset.submodel_id.map(Value::from));
    put("material_list", asset.material_list.as_ref().map(|names| names.iter().cloned().collect()));
    put(
        "physics_cost_data",
        asset.physics_cost_data.as_ref().map(|cost| physics::write_cost_data(cost).into()),
    );
    for (name, block, range) in blocks {
        let number = |number: usize| {
            i32::try_from(number)
                .map_err(|_| Error::unwritable(name.to_string(), "a file of more than 31 bits"))
        };
        let mut entry = Map::with_capacity(block.entry().len().saturating_add(2));
        for (key, value) in block.entry() {
            if *key != *"offset" && *key != *"size" {
                entry.push(key, value.clone());
            }
        }
        entry.push("offset", number(range.start)?);
        entry.push("size", number(range.len())?);
        entry.sort_keys();
        header.push(name, entry);
    }
    let there = header.index().into_keys().map(Text::from).collect::<std::collections::HashSet<_>>();
    for (key, value) in &asset.extra {
        if !there.contains(key) {
            header.push(key, value.clone());
        }
    }
    header.sort_keys();
    let kept = asset.layout.header.as_slice();
    if !fresh && let Ok((_, old)) = read(kept, &mut Limits::none()) {
        header = in_order_of(header, &old, 2);
        let (new, old) = (Value::Map(header), Value::Map(old));
        if new.identical(&old) {
            return Ok(kept.to_vec());
        }
        return encode(&new);
    }
    encode(&Value::Map(header))
}

fn encode(value: &Value) -> Result<Vec<u8>> {
    llsd::write_binary(value)
        .map_err(|error| Error::new(ErrorKind::Unwritable(error.to_string().into()), "header"))
}

/// The entries in the order in which another map has them, new ones behind; so in maps inside, `depth`
/// deep.
pub(crate) fn in_order_of(map: Map, old: &Map, depth: u32) -> Map {
    let mut places: HashMap<Text, usize> = HashMap::with_capacity(old.len());
    for (place, key) in old.keys().enumerate() {
        places.entry(key.clone()).or_insert(place);
    }
    let mut entries: Vec<(usize, Text, Value)> = Vec::with_capacity(map.len());
    for (key, value) in map {
        let place = places.get(&key).copied().unwrap_or(usize::MAX);
        let value = match (value, old.get_at(place)) {
            (Value::Map(inner), Some(Value::Map(before))) if depth > 1 => {
                Value::Map(in_order_of(inner, before, depth.saturating_sub(1)))
            }
            (value, _) => value,
        };
        entries.push((place, key, value));
    }
    entries.sort_by_key(|(place, ..)| *place);
    let mut ordered = Map::with_capacity(entries.len());
    for (_, key, value) in entries {
        ordered.push(key, value);
    }
    ordered
}

/// An entry's value by its place.
trait At {
    fn get_at(&self, place: usize) -> Option<&Value>;
}

impl At for Map {
    fn get_at(&self, place: usize) -> Option<&Value> {
        self.iter().as_slice().get(place).map(|(_, value)| value)
    }
}

/// How many bytes the header of an asset takes, whatever the places in it.
pub(crate) fn header_len(asset: &Asset) -> Option<usize> {
    let blocks: Vec<_> =
        crate::wire::asset::blocks(asset).into_iter().map(|(name, block)| (name, block, 0..0)).collect();
    write(asset, &blocks, true).ok().map(|header| header.len())
}
