//! The string table: zero-terminated strings after the header, of which the first four are the
//! model's name, licence, author and description, and the others are named by where they begin.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bstr::{BStr, BString, ByteSlice};

use super::order::Plan;
use crate::consts::PropertyKind;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::{Arg, ChunkKind, MeshRecord, Model, RawRun, Value};

/// The string table of a file that is read.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    table: &'a [u8],
    first: HashMap<&'a [u8], u32>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(table: &'a [u8], budget: &mut Budget) -> Result<Self, ErrorKind> {
        let strings = table.iter().filter(|&&byte| byte == 0).count();
        budget.take((strings as u64).saturating_mul(64))?;
        Ok(Self { table, first: first_places(table) })
    }

    /// The string that begins at a place, and the place that a writer would choose for it.
    pub(crate) fn resolve(&self, offset: u32) -> (&'a BStr, u32) {
        let name = string_at(self.table, offset);
        let chosen = if name.is_empty() { Some(0) } else { self.first.get(name.as_bytes()).copied() };
        (name, chosen.unwrap_or(0))
    }

    /// The first strings: name, licence, author, description.
    pub(crate) fn front(&self) -> [&'a BStr; 4] {
        front(self.table)
    }
}

/// The string that begins at a place; empty at 0 and outside.
fn string_at(table: &[u8], offset: u32) -> &BStr {
    let rest = usize::try_from(offset).ok().filter(|&offset| offset != 0);
    let rest = rest.and_then(|offset| table.get(offset..)).unwrap_or_default();
    until_zero(rest)
}

fn until_zero(bytes: &[u8]) -> &BStr {
    let end = bytes.find_byte(0).unwrap_or(bytes.len());
    bytes.get(..end).unwrap_or_default().as_bstr()
}

fn front(table: &[u8]) -> [&BStr; 4] {
    let mut strings = table.split(|&byte| byte == 0);
    std::array::from_fn(|_| strings.next().unwrap_or_default().as_bstr())
}

/// Where each string begins first. The very first cannot be named: 0 is no name.
fn first_places(table: &[u8]) -> HashMap<&[u8], u32> {
    let mut places = HashMap::new();
    let mut at = 0_usize;
    for string in table.split(|&byte| byte == 0) {
        if at != 0
            && !string.is_empty()
            && let Ok(at) = u32::try_from(at)
        {
            places.entry(string).or_insert(at);
        }
        at = at.saturating_add(string.len()).saturating_add(1);
    }
    places
}

/// The string table of a file that is written.
#[derive(Debug)]
pub(crate) struct NameTable {
    pub(crate) table: Vec<u8>,
    first: HashMap<BString, u32>,
    /// Names that are not at their first offset.
    runs: Vec<RawRun>,
    /// By how much the kept table has moved.
    shift: i64,
}

impl NameTable {
    /// The table that was read, if it still begins with the model's own strings, with those that it
    /// lacks at its end.
    pub(crate) fn new(model: &Model, plan: &Plan) -> Result<Self> {
        let own = [&model.name, &model.license, &model.author, &model.description];
        let paths = ["name", "license", "author", "description"];
        for (string, path) in own.into_iter().zip(paths) {
            no_zero(string.as_bstr(), &|| path.into())?;
        }
        let kept: &[u8] = &model.layout.strings;
        let (mut table, shift) = if front(kept) == own.map(|string| string.as_bstr())
            && (!kept.is_empty() || model.layout.types.is_some())
        {
            (kept.to_vec(), 0)
        } else {
            let mut table = Vec::new();
            for string in own {
                table.extend_from_slice(string);
                table.push(0);
            }
            // What came after the old four moves as a whole.
            let rest = kept.splitn(5, |&byte| byte == 0).nth(4).unwrap_or_default();
            let old = kept.len().saturating_sub(rest.len());
            let shift = (table.len() as i64).saturating_sub(old as i64);
            table.extend_from_slice(rest);
            (table, shift)
        };
        let mut first: HashMap<BString, u32> =
            first_places(&table).into_iter().map(|(name, place)| (name.into(), place)).collect();
        let mut cursor = Cursor::default();
        let mut prepared = false;
        each_name(model, plan, &mut |name, path| {
            let elsewhere = cursor.next(&model.layout.name_runs);
            let there = elsewhere.and_then(|value| place_of(&table, shift, value, name));
            if name.is_empty() || there.is_some() || first.contains_key(name) {
                return Ok(());
            }
            no_zero(name, path)?;
            if !prepared {
                // What is added is a string of its own, and not one of the first four.
                if table.last().is_some_and(|&byte| byte != 0) {
                    table.push(0);
                }
                let strings = table.iter().filter(|&&byte| byte == 0).take(4).count();
                table.resize(table.len().saturating_add(4_usize.saturating_sub(strings)), 0);
                prepared = true;
            }
            let place = u32::try_from(table.len())
                .map_err(|_| Error::unwritable(path(), "names of more than 4 GiB"))?;
            if let Entry::Vacant(entry) = first.entry(name.into()) {
                entry.insert(place);
            }
            table.extend_from_slice(name);
            table.push(0);
            Ok(())
        })?;
        Ok(Self { table, first, runs: model.layout.name_runs.clone(), shift })
    }

    /// The offset of a name, of the nth that is written.
    pub(crate) fn place(&self, cursor: &mut Cursor, name: &BStr) -> u32 {
        let elsewhere = cursor.next(&self.runs);
        if let Some(place) = elsewhere.and_then(|value| place_of(&self.table, self.shift, value, name)) {
            return place;
        }
        if name.is_empty() { 0 } else { self.first.get(name.as_bytes()).copied().unwrap_or(0) }
    }
}

/// Where a place of the table that was read is now, if the name is still there. An offset outside of
/// the table names nothing and stays what it is.
fn place_of(table: &[u8], shift: i64, value: u32, name: &BStr) -> Option<u32> {
    let moved = u32::try_from(i64::from(value).saturating_add(shift)).ok();
    let outside = name.is_empty() && value as usize >= table.len();
    let place = if outside { Some(value) } else { moved };
    place.filter(|&place| string_at(table, place) == name)
}

/// Walks along runs while values are written one after the other.
#[derive(Debug, Default)]
pub(crate) struct Cursor {
    next: u64,
    run: usize,
}

impl Cursor {
    /// What stood in the file for the next value, where that was not the writer's choice.
    #[inline]
    pub(crate) fn next(&mut self, runs: &[RawRun]) -> Option<u32> {
        let place = self.next;
        self.next = place.saturating_add(1);
        let run = runs.get(self.run)?;
        let into = place.checked_sub(run.first)?;
        if into.saturating_add(1) >= run.count {
            self.run = self.run.saturating_add(1);
        }
        (into < run.count).then_some(run.value)
    }
}

fn no_zero(name: &BStr, path: &dyn Fn() -> String) -> Result<()> {
    match name.contains(&0) {
        true => Err(Error::unwritable(path(), "a zero byte, which ends a string")),
        false => Ok(()),
    }
}

/// What is called with each name and what makes its path.
type TakeName<'a, 'm> = dyn FnMut(&'m BStr, &dyn Fn() -> String) -> Result<()> + 'a;

/// Every name of the model, in the order in which the chunks are written, with where it is.
fn each_name<'m>(model: &'m Model, plan: &Plan, take: &mut TakeName<'_, 'm>) -> Result<()> {
    for &(kind, index) in &plan.chunks {
        let entry = |field: &str| format!("{}[{index}].{field}", kind.path());
        let inner = |list: &str, number: usize| entry(&format!("{list}[{number}]"));
        match kind {
            ChunkKind::Skeleton => {
                for (index, bone) in model.bones.iter().enumerate() {
                    take(bone.name.as_bstr(), &|| format!("bones[{index}].name"))?;
                }
            }
            ChunkKind::Material => {
                let Some(material) = model.materials.get(index) else { continue };
                take(material.name.as_bstr(), &|| entry("name"))?;
                for (number, property) in material.properties.iter().enumerate() {
                    if let (Some(PropertyKind::Map), Value::Map(name)) = (property.id.kind(), &property.value)
                    {
                        take(name.as_bstr(), &|| inner("properties", number))?;
                    }
                }
            }
            ChunkKind::Procedural => {
                let Some(procedural) = model.procedurals.get(index) else { continue };
                take(procedural.script.as_bstr(), &|| entry("script"))?;
            }
            ChunkKind::Mesh => {
                let records = model.meshes.get(index).map_or(&[][..], |mesh| &mesh.records);
                for (number, record) in records.iter().enumerate() {
                    if let MeshRecord::Material(name)
                    | MeshRecord::Parameter(name)
                    | MeshRecord::Property(_, name) = record
                    {
                        take(name.as_bstr(), &|| inner("records", number))?;
                    }
                }
            }
            ChunkKind::VoxelTypes => {
                for (index, voxel) in model.voxel_types.iter().enumerate() {
                    take(voxel.name.as_bstr(), &|| format!("voxel_types[{index}].name"))?;
                    for (number, item) in voxel.items.iter().enumerate() {
                        let path = || format!("voxel_types[{index}].items[{number}].name");
                        take(item.name.as_bstr(), &path)?;
                    }
                }
            }
            ChunkKind::Voxels => {
                let Some(block) = model.voxel_blocks.get(index) else { continue };
                take(block.name.as_bstr(), &|| entry("name"))?;
            }
            ChunkKind::Shape => {
                let Some(shape) = model.shapes.get(index) else { continue };
                take(shape.name.as_bstr(), &|| entry("name"))?;
                for (number, command) in shape.commands.iter().enumerate() {
                    for arg in &command.args {
                        if let Arg::Material(name) = arg {
                            take(name.as_bstr(), &|| inner("commands", number))?;
                        }
                    }
                }
            }
            ChunkKind::Labels => {
                let Some(group) = model.labels.get(index) else { continue };
                take(group.name.as_bstr(), &|| entry("name"))?;
                take(group.language.as_bstr(), &|| entry("language"))?;
                for (number, label) in group.labels.iter().enumerate() {
                    take(label.text.as_bstr(), &|| inner("labels", number))?;
                }
            }
            ChunkKind::Action => {
                let Some(action) = model.actions.get(index) else { continue };
                take(action.name.as_bstr(), &|| entry("name"))?;
            }
            ChunkKind::Asset => {
                let Some(asset) = model.assets.get(index) else { continue };
                take(asset.name.as_bstr(), &|| entry("name"))?;
            }
            ChunkKind::Palette | ChunkKind::TexCoords | ChunkKind::Vertices | ChunkKind::Extra => {}
        }
    }
    Ok(())
}
