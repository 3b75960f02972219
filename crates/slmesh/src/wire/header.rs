//! The header: a map of binary LLSD with the offset and the size of each block, and a few values.
//!
//! An `offset` counts from the first byte after the header. A deprecated `<? LLSD/Binary ?>` before the
//! map is a part of the header.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use llsd::{Encoding, Lazy, Map, Text, Value};

use super::block::Write;
use super::keys::{Fields, encode, read_entries};
use super::limits::{Got, Limits, build, done, first};
use crate::consts::Kind;
use crate::model::Asset;
use crate::model::keys::{Keyed, is_block};
use geom::wire::{Error, Fail, Here, Problem, Refuse as _, Result, foreign};

/// Whether the bytes begin as a map does, or as the deprecated prefix.
fn begins(bytes: &[u8]) -> bool {
    match bytes {
        [b'{', b'"' | b'\n' | b'\r' | b' ' | b'\t' | b'}', ..] => false,
        [b'{', ..] => true,
        _ => bytes.starts_with(b"<") && llsd::detect(bytes) == Some(Encoding::Binary),
    }
}

/// The map at the start of a file, and where it ends: its size, including a prefix.
pub(super) fn first_map<'a>(
    bytes: &'a [u8],
    expected: &'static str,
    limits: &Limits,
) -> Got<'a, (Lazy<'a>, usize)> {
    if !begins(bytes) {
        return Err(foreign(bytes, expected));
    }
    first(bytes, limits.max_depth)
}

/// The kind of a file, by the keys of its first map.
pub(crate) fn detect(bytes: &[u8]) -> Option<Kind> {
    let (map, end) = first_map(bytes, "", &Limits::none()).ok()?;
    kind(map, end < bytes.len())
}

/// `more`: whether something follows the map. An LLSD document ends with its map, an asset does not.
fn kind(map: Lazy<'_>, more: bool) -> Option<Kind> {
    let (mut blocks, mut filled, mut meshes, mut instances) = (false, false, false, false);
    for (key, value) in map.entries()? {
        if is_block(&key)
            && let Some((_, size)) = extent(value)
        {
            blocks = true;
            filled |= size > 0;
        }
        let is_array = || value.bytes().first() == Some(&b'[');
        meshes |= **key == *b"mesh" && is_array();
        instances |= **key == *b"instance" && is_array();
    }
    if blocks && (more || !filled) {
        return Some(Kind::Asset);
    }
    (meshes && instances && !blocks).then_some(Kind::Slm)
}

/// The map of a file of a required kind.
pub(super) fn map_of<'a>(bytes: &'a [u8], wanted: Kind, limits: &Limits) -> Got<'a, (Lazy<'a>, usize)> {
    let expected = match wanted {
        Kind::Asset => "not a mesh asset: expected a map of binary LLSD",
        Kind::Slm => "not a .slm file: expected a map of binary LLSD",
    };
    let (map, end) = first_map(bytes, expected, limits)?;
    match (wanted, kind(map, true)) {
        (wanted, Some(found)) if wanted == found => Ok((map, end)),
        (_, Some(Kind::Slm)) => {
            Err(Fail::invalid(bytes, "not a mesh asset: this is a .slm file (read it with Slm::from_slice)"))
        }
        (_, Some(Kind::Asset)) => Err(Fail::invalid(
            bytes,
            "not a .slm file: this is a mesh asset (read it with slmesh::from_slice)",
        )),
        (Kind::Asset, None) => {
            Err(Fail::invalid(bytes, "not a mesh asset: its map has no block such as high_lod"))
        }
        (Kind::Slm, None) => {
            Err(Fail::invalid(bytes, "not a .slm file: expected a map with the arrays mesh and instance"))
        }
    }
}

/// `offset` and `size` of a map that has both as integers.
fn extent(value: Lazy<'_>) -> Option<(i32, i32)> {
    let (mut offset, mut size) = (None, None);
    for (key, value) in value.entries()? {
        match &**key {
            b"offset" => offset = offset.or(Some(value)),
            b"size" => size = size.or(Some(value)),
            _ => {}
        }
    }
    offset?.as_integer().zip(size?.as_integer())
}

/// The offset and the size of a block, as given in the header.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    pub(crate) name: Text,
    pub(crate) offset: i32,
    pub(crate) size: i32,
    /// A block that this one overlaps.
    pub(crate) over: Option<Text>,
    /// Its header entries other than offset and size.
    pub(crate) entry: Map,
}

impl Extent {
    /// Its range in the file, if that can be computed.
    pub(crate) fn range(&self, start: usize) -> Option<Range<usize>> {
        let begin = start.checked_add(usize::try_from(self.offset).ok()?)?;
        Some(begin..begin.checked_add(usize::try_from(self.size).ok()?)?)
    }
}

/// A header: its own values in an asset without blocks, the positions of the blocks, and its size.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) asset: Asset,
    /// In header order; each name once.
    pub(crate) extents: Vec<Extent>,
    /// Their indices in name order.
    by_name: Vec<usize>,
    pub(crate) len: usize,
}

impl Header {
    /// Finds a block by its name, with a binary search: a header may have very many.
    pub(crate) fn extent(&self, name: &str) -> Option<&Extent> {
        let named = |index: &usize| self.extents.get(*index).map(|extent| extent.name.as_bytes());
        let found = self.by_name.binary_search_by(|index| named(index).cmp(&Some(name.as_bytes()))).ok()?;
        self.extents.get(*self.by_name.get(found)?)
    }
}

pub(crate) fn read(bytes: &[u8], limits: &mut Limits) -> Result<Header> {
    done(bytes, parse(bytes, limits))
}

fn parse<'a>(bytes: &'a [u8], limits: &mut Limits) -> Got<'a, Header> {
    let (map, len) = map_of(bytes, Kind::Asset, limits)?;
    let (asset, extents) = entries(map, limits)?;
    let mut by_name = limits.budget.vec(extents.len()).here(bytes)?;
    by_name.extend(0..extents.len());
    geom::sort::by_key(&mut by_name, |&index| extents.get(index).map(|extent| extent.name.as_bytes()));
    Ok(Header { asset, extents, by_name, len })
}

fn entries<'a>(map: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Asset, Vec<Extent>)> {
    let mut extents = Vec::new();
    let asset = read_entries(map, limits, |name, value, limits| {
        // The viewer treats a block without bytes as absent.
        let Some((offset, size)) = extent(value).filter(|&(_, size)| size != 0) else { return Ok(false) };
        limits.budget.take_values::<[Extent; 4]>(1).here(value.bytes())?;
        limits.budget.take_values::<[u8; 4]>(name.len()).here(value.bytes())?;
        let Value::Map(mut entry) = build(value, limits)? else { return Ok(false) };
        let mut seen = HashSet::new();
        entry = entry
            .into_iter()
            .filter(|(key, _)| *key != *"offset" && *key != *"size" && seen.insert(key.clone()))
            .collect();
        extents.push(Extent { name: Text::from(name), offset, size, over: None, entry });
        Ok(true)
    })?;
    mark_overlaps(&mut extents);
    Ok((asset, extents))
}

/// Marks each block that begins before another one has ended.
fn mark_overlaps(extents: &mut [Extent]) {
    let mut order: Vec<(i64, i64, usize)> = Vec::with_capacity(extents.len());
    for (index, extent) in extents.iter().enumerate() {
        if extent.offset >= 0 {
            let begin = i64::from(extent.offset);
            // Two numbers of 31 bits.
            order.push((begin, begin.wrapping_add(extent.size.into()), index));
        }
    }
    order.sort_unstable();
    let mut longest: Option<(i64, usize)> = None;
    for (begin, end, index) in order {
        if let Some((_, other)) = longest.filter(|&(before, _)| begin < before) {
            let name = extents.get(other).map(|extent| extent.name.clone());
            if let Some(extent) = extents.get_mut(index) {
                extent.over = name;
            }
        }
        if longest.is_none_or(|(before, _)| end > before) {
            longest = Some((end, index));
        }
    }
}

/// A written block: its key, and its range after the header.
pub(crate) struct Written<'a> {
    pub(crate) name: Text,
    pub(crate) block: &'a dyn Write,
    pub(crate) range: Range<usize>,
}

/// The header of an asset; the kept one if its content is the same.
pub(crate) fn write(asset: &Asset, blocks: &[Written<'_>], fresh: bool) -> Result<Vec<u8>> {
    let header = map_to_write(asset, blocks)?;
    let kept = asset.layout.header.as_slice();
    if !fresh && let Ok((old, len)) = first_map(kept, "", &Limits::none()) {
        let before = llsd::read_binary(old.bytes()).ok();
        let Some(Value::Map(before)) = before else { return encode(&Value::Map(header)) };
        // A kept header with bytes after its map is not written: they would belong to a block.
        if len == kept.len() && is_content_of(old, &header) {
            return Ok(kept.to_vec());
        }
        return encode(&Value::Map(in_order_of(
            header,
            &before,
            Some(|entry, before| in_order_of(entry, before, None)),
        )));
    }
    encode(&Value::Map(header))
}

/// Whether the kept header has the content of `header`.
fn is_content_of(old: Lazy<'_>, header: &Map) -> bool {
    let Ok((asset, extents)) = entries(old, &mut Limits::none()) else { return false };
    let Ok(mut map) = asset.write_fields().map(Map::from_iter) else { return false };
    for extent in extents {
        let mut entry = extent.entry;
        entry.push("offset", extent.offset);
        entry.push("size", extent.size);
        entry.sort_keys();
        map.push(extent.name, entry);
    }
    for (key, value) in asset.extra {
        map.push(key, value);
    }
    map.sort_keys();
    Value::Map(map).identical(&Value::Map(header.clone()))
}

fn map_to_write(asset: &Asset, blocks: &[Written<'_>]) -> Result<Map> {
    let mut header: Map = asset.write_fields()?.into_iter().collect();
    let mut there: HashSet<Text> = header.keys().cloned().collect();
    for Written { name, block, range } in blocks {
        if !there.insert(name.clone()) {
            let what = format!("two header entries with the key \"{name}\" (remove or rename one)");
            return Err(Error::unwritable(name.to_string(), what));
        }
        let number = |number| Problem::fit("bytes", number, i32::MAX).unwritable(name.to_string());
        let mut entry = block.entry().clone();
        entry.push("offset", number(range.start)?);
        entry.push("size", number(range.len())?);
        entry.sort_keys();
        let keys: Vec<&Text> = entry.keys().collect();
        if let Some(key) =
            keys.windows(2).find_map(|pair| pair.first().filter(|key| pair.get(1) == Some(key)))
        {
            let what = format!("two entries with the key \"{key}\" (remove one)");
            return Err(Error::unwritable(format!("{name}.entry.{key}"), what));
        }
        header.push(name, entry);
    }
    for (key, value) in &asset.extra {
        let path = || format!("extra.{key}");
        if !there.insert(key.clone()) {
            let what = format!("two header entries with the key \"{key}\" (remove one)");
            return Err(Error::unwritable(path(), what));
        }
        let known = Asset::KEYS.iter().any(|known| *key == **known);
        if known || value.as_map().is_some() {
            // A value with a known key would be read as such, and one with an offset and a size as a block.
            let alone = encode(&Value::Map(Map::from([(key.clone(), value.clone())])))?;
            let read = first(&alone, u32::MAX).and_then(|(map, _)| entries(map, &mut Limits::none()));
            if !read.is_ok_and(|(asset, extents)| extents.is_empty() && asset.extra.contains_key(key)) {
                return Err(Error::unwritable(
                    path(),
                    "an extra value that would be read back as a block or a known field \
                     (set that block or field instead)",
                ));
            }
        }
        header.push(key.clone(), value.clone());
    }
    let is_extent = |value: &Value| value.get("offset").is_some() && value.get("size").is_some();
    if !header.iter().any(|(key, value)| is_block(key) && is_extent(value)) {
        return Err(Error::unwritable(
            "",
            "an asset without a known block (set a level of detail, a skin or physics)",
        ));
    }
    header.sort_keys();
    Ok(header)
}

/// The entries in the order of another map, new ones last. `inner`, if given, orders the nested maps.
pub(super) fn in_order_of(map: Map, old: &Map, inner: Option<fn(Map, &Map) -> Map>) -> Map {
    let mut order: HashMap<&Text, (usize, &Value)> = HashMap::with_capacity(old.len());
    for (index, (key, value)) in old.iter().enumerate() {
        order.entry(key).or_insert((index, value));
    }
    let mut entries: Vec<(usize, Text, Value)> = Vec::with_capacity(map.len());
    for (key, value) in map {
        let before = order.get(&key);
        let value = match (value, before) {
            (Value::Map(map), Some((_, Value::Map(before)))) => match inner {
                Some(inner) => Value::Map(inner(map, before)),
                None => Value::Map(map),
            },
            (value, _) => value,
        };
        entries.push((before.map_or(usize::MAX, |(index, _)| *index), key, value));
    }
    geom::sort::by_key(&mut entries, |(index, ..)| *index);
    let mut ordered = Map::with_capacity(entries.len());
    for (_, key, value) in entries {
        ordered.push(key, value);
    }
    ordered
}
