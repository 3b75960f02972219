//! Applies the changes of a value to the bytes that it was read from.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::consts::Encoding;
use crate::document::Move;
use crate::document::gaps::{self, Style};
use crate::document::nodes::{Finder, Nodes};
use crate::model::{Event, Item, Map, Steps, Text, Value, Walk, path_of};
use crate::text::out::Indent;
use crate::wire;
use geom::wire::{Error, ErrorKind, Problem, Refuse as _, Result};

/// An entry of a container as it should be in the new file.
struct Slot<'v> {
    /// The index of the child in the file that it was, if that child stays at its place.
    kept: Option<usize>,
    /// The node that it was, if it has moved in its map.
    moved: Option<usize>,
    key: Option<&'v Text>,
    value: &'v Value,
}

struct Patch<'n, 'a, 'v> {
    nodes: &'n Nodes<'a>,
    /// The replacements of byte ranges, without overlaps.
    edits: Vec<(Range<usize>, Vec<u8>)>,
    /// The pairs that are still to be compared.
    waiting: Vec<(usize, &'v Value)>,
    /// For each array with inserted or removed entries: the child in the file that each entry was, if any.
    arrays: HashMap<usize, Vec<Option<usize>>>,
    /// Whether the file spells booleans as `true` and `false`; determined when it is first needed.
    words: Option<bool>,
    whole: &'v Value,
    /// The containers that are written again from their values.
    rewritten: HashSet<*const Value>,
    /// Whether maps with unused entries keep them.
    keeps_unused: bool,
    has_unused: bool,
}

/// A file with edits.
pub(super) struct Patched {
    pub(super) bytes: Vec<u8>,
    /// The paths of the containers that were written again.
    pub(super) rewritten: Vec<String>,
    /// Whether an edited map has unused entries, such as those with the key of another one, which the edit may have
    /// brought into use.
    pub(super) has_unused: bool,
}

/// The bytes of a value: those of the file, edited if the value has changed.
pub(super) fn patch(nodes: &Nodes<'_>, moves: &[Move], value: &Value, keeps_unused: bool) -> Result<Patched> {
    let mut patch = Patch {
        nodes,
        edits: Vec::new(),
        waiting: vec![(nodes.root, value)],
        arrays: replay(nodes, moves),
        words: None,
        whole: value,
        rewritten: HashSet::new(),
        keeps_unused,
        has_unused: false,
    };
    while let Some((node, value)) = patch.waiting.pop() {
        patch.compare(node, value)?;
    }
    let Patch { mut edits, rewritten, has_unused, .. } = patch;
    geom::sort::by_key(&mut edits, |(range, _)| (range.start, range.end));
    let mut bytes = Vec::with_capacity(nodes.bytes.len());
    let mut at = 0;
    for (range, text) in edits {
        bytes.extend_from_slice(nodes.text(at..range.start));
        bytes.extend_from_slice(&text);
        at = range.end;
    }
    bytes.extend_from_slice(nodes.text(at..nodes.bytes.len()));
    Ok(Patched { bytes, rewritten: paths(value, &rewritten), has_unused })
}

/// The paths of some values in a document.
fn paths(whole: &Value, wanted: &HashSet<*const Value>) -> Vec<String> {
    let (mut steps, mut paths) = (Steps::default(), Vec::new());
    for item in Walk::new(whole).take_while(|_| !wanted.is_empty()) {
        if matches!(item, Item::Value(value) if wanted.contains(&std::ptr::from_ref(value))) {
            paths.push(steps.path());
        }
        steps.follow(item.into());
    }
    paths
}

/// For each array that was edited, the child in the file that each entry was, after all insertions and removals.
fn replay(nodes: &Nodes<'_>, moves: &[Move]) -> HashMap<usize, Vec<Option<usize>>> {
    let mut arrays: HashMap<usize, Vec<Option<usize>>> = HashMap::new();
    let mut finder = Finder::new(nodes);
    for Move { array, index, inserted } in moves {
        let node = array.iter().try_fold(nodes.root, |node, step| {
            finder.entry(node, step, |index| match arrays.get(&node) {
                Some(slots) => *slots.get(index)?,
                None => Some(index),
            })
        });
        let Some(node) = node.filter(|&node| matches!(nodes.node(node).event, Event::StartArray(_))) else {
            continue;
        };
        let slots =
            arrays.entry(node).or_insert_with(|| (0..nodes.children(node).0.len()).map(Some).collect());
        match inserted {
            true if *index <= slots.len() => slots.insert(*index, None),
            false if *index < slots.len() => drop(slots.remove(*index)),
            _ => {}
        }
    }
    arrays
}

impl<'v> Patch<'_, '_, 'v> {
    fn compare(&mut self, node: usize, value: &'v Value) -> Result<()> {
        let nodes = self.nodes;
        match (&nodes.node(node).event, value) {
            (Event::StartArray(_), Value::Array(values)) => {
                let (children, _) = nodes.children(node);
                let slots = self.arrays.remove(&node).filter(|slots| slots.len() == values.len());
                let kept = slots.unwrap_or_else(|| align(nodes, &children, values));
                let slots: Vec<Slot<'v>> = kept
                    .into_iter()
                    .zip(values)
                    .map(|(kept, value)| Slot { kept, moved: None, key: None, value })
                    .collect();
                self.entries(node, [&children; 2], &slots)
            }
            (Event::StartMap(_), Value::Map(map)) => {
                let (children, all) = nodes.children(node);
                if nodes.same_keys(&children, map) {
                    self.waiting.extend(children.iter().copied().zip(map.values()));
                    return Ok(());
                }
                self.has_unused |= !all;
                if all {
                    return self.entries(node, [&children; 2], &slots(nodes, &children, map));
                }
                if self.keeps_unused && nodes.encoding != Encoding::Binary {
                    let first = nodes.first_of_keys(node);
                    return self.entries(node, [&first, &children], &slots(nodes, &first, map));
                }
                self.rewritten.insert(value);
                self.replace(node, value)
            }
            (event, value) if *event == value.into() => Ok(()),
            _ => self.replace(node, value),
        }
    }

    /// Replaces a value of the file by another one.
    fn replace(&mut self, node: usize, value: &'v Value) -> Result<()> {
        let nodes = self.nodes;
        let (found, range) = (nodes.node(node), nodes.range(node));
        let old = nodes.text(range.clone());
        let line = gaps::line(nodes, found.entry);
        let indent = line.map(|line| Indent { line: line.to_vec(), unit: gaps::unit(nodes) });
        let new = self.part(value, indent.as_ref())?;
        let edit = match nodes.encoding {
            Encoding::Binary | Encoding::Notation => (range, new),
            // An `<llsd>` without a value.
            Encoding::Xml if old.starts_with(b"</llsd") => (range.start..range.start, new),
            Encoding::Xml if old.starts_with(b"<llsd") => (range, gaps::around(old, &new, b"llsd")),
            Encoding::Xml if found.event.type_name() == value.type_name() => {
                (range, gaps::respelled(old, new))
            }
            Encoding::Xml => (range, new),
        };
        self.edits.push(edit);
        Ok(())
    }

    /// Inserts the entries of a container that are not at their place in the file, and removes those that it no longer
    /// has. The values are those of other nodes than the places, if keys repeat.
    fn entries(&mut self, node: usize, [children, values]: [&[usize]; 2], slots: &[Slot<'v>]) -> Result<()> {
        let nodes = self.nodes;
        let found = nodes.node(node);
        let kept = slots.iter().filter_map(|slot| Some((*values.get(slot.kept?)?, slot.value)));
        self.waiting.extend(kept);
        for slot in slots {
            self.rename(slot, children)?;
        }
        if slots.len() == children.len() && slots.iter().all(|slot| slot.kept.is_some()) {
            return Ok(());
        }
        match nodes.encoding {
            Encoding::Binary => {
                let count = Problem::fit("values", slots.len(), i32::MAX).unwritable("")?;
                self.edits.push((found.start + 1..found.start + 5, count.to_be_bytes().to_vec()));
            }
            Encoding::Xml | Encoding::Notation => {}
        }
        let style = Style::new(nodes, node, children);
        let mut before = None;
        let mut new = Vec::new();
        for slot in slots.iter().map(Some).chain([None]) {
            let after = slot.map(|slot| slot.kept);
            if let (Some(slot), Some(None)) = (slot, after) {
                new.push(self.entry(slot, &style)?);
                continue;
            }
            let after = after.flatten();
            let removed = before.map_or(0, |before| before + 1)..after.unwrap_or(children.len());
            if !removed.is_empty() || !new.is_empty() {
                let at = |child: usize| nodes.node(children[child]);
                let from = before.map_or(found.content.start, |before| at(before).end);
                let to = after.map_or(found.content.end, |after| at(after).entry);
                let mut ends = vec![from];
                removed.for_each(|child| ends.extend([at(child).entry, at(child).end]));
                ends.push(to);
                let pieces = ends.chunks(2).map(|ends| nodes.text(ends[0]..ends[1]));
                let sides = (before.is_some(), after.is_some());
                let text = gaps::gap(nodes.encoding, pieces, sides, &std::mem::take(&mut new), &style);
                match to < from {
                    // `<map />`
                    true => self.edits.push((
                        nodes.range(node),
                        gaps::around(
                            nodes.text(nodes.range(node)),
                            &text,
                            found.event.type_name().as_bytes(),
                        ),
                    )),
                    false => self.edits.push((from..to, text)),
                }
            }
            before = after;
        }
        Ok(())
    }

    /// Replaces the key of an entry that stays at its place, if it is another one.
    fn rename(&mut self, slot: &Slot<'v>, children: &[usize]) -> Result<()> {
        let nodes = self.nodes;
        let (Some(key), Some(&child)) = (slot.key, slot.kept.and_then(|at| children.get(at))) else {
            return Ok(());
        };
        if nodes.key(child) == key.as_bytes() {
            return Ok(());
        }
        let start = nodes.node(child).entry;
        let key = wire::key(nodes.encoding, key);
        let key = key.map_err(|kind| self.placed(&Error::new(kind, ""), slot.value))?;
        self.edits.push((start..start + head(nodes, child).len(), key));
        Ok(())
    }

    /// The text of an entry to insert: copied from another place in the file if it has moved, otherwise written again.
    fn entry(&mut self, slot: &Slot<'v>, style: &Style) -> Result<Vec<u8>> {
        let nodes = self.nodes;
        if let Some(moved) = slot.moved.filter(|&node| nodes.equal(node, slot.value)) {
            let node = nodes.node(moved);
            return Ok(nodes.text(node.entry..node.end).to_vec());
        }
        let mut text = Vec::new();
        if let Some(key) = slot.key {
            let key = wire::key(nodes.encoding, key);
            text = key.map_err(|kind| self.placed(&Error::new(kind, ""), slot.value))?;
            text.extend_from_slice(&style.between);
        }
        text.extend(self.part(slot.value, style.indent.as_ref())?);
        Ok(text)
    }

    fn part(&mut self, value: &'v Value, indent: Option<&Indent>) -> Result<Vec<u8>> {
        let words = *self.words.get_or_insert_with(|| self.nodes.words());
        wire::part(self.nodes.encoding, value, indent, words).map_err(|error| self.placed(&error, value))
    }

    #[cold]
    fn path(&self, value: &Value) -> String {
        let is = |item: &Item<'_>| matches!(item, Item::Value(item) if std::ptr::eq(*item, value));
        path_of(Walk::new(self.whole).take_while(|item| !is(item)))
    }

    /// An error with the path of the value in the document.
    #[cold]
    fn placed(&self, error: &Error, value: &'v Value) -> Error {
        let path = self.path(value);
        match error.kind() {
            ErrorKind::Unwritable(what) => Error::unwritable(format!("{path}{}", error.path()), what.clone()),
            _ => Error::unwritable(path, error.to_string()),
        }
    }
}

/// The bytes of an entry's key.
fn head<'n>(nodes: &'n Nodes<'_>, child: usize) -> &'n [u8] {
    let node = nodes.node(child);
    let head = nodes.text(node.entry..node.start);
    match nodes.encoding {
        Encoding::Binary => head,
        Encoding::Xml | Encoding::Notation => head.trim_ascii_end(),
    }
}

/// The entries of a map, and the children in the file that they were. Entries in the order of the file stay at their
/// place.
fn slots<'v>(nodes: &Nodes<'_>, children: &[usize], map: &'v Map) -> Vec<Slot<'v>> {
    let index: HashMap<&[u8], usize> =
        children.iter().enumerate().map(|(at, &child)| (nodes.key(child), at)).collect();
    let keys: HashSet<&[u8]> = map.iter().map(|(key, _)| key.as_bytes()).collect();
    let mut next = 0;
    let slot = |(key, value): &'v (Text, Value)| {
        let found = index.get(key.as_bytes()).copied();
        // The child at this place, if its key is gone, and its value has this key now.
        let is_same = |child: usize| {
            !keys.contains(nodes.key(child))
                && nodes.equal(child, value)
                && !head(nodes, child).contains_str("<!--")
        };
        let renamed = children.get(next).filter(|&&child| found.is_none() && is_same(child)).map(|_| next);
        let kept = found.filter(|&at| at >= next).or(renamed);
        next = kept.map_or(next, |at| at + 1);
        let moved = found.filter(|_| kept.is_none()).map(|at| children[at]);
        Slot { kept, moved, key: Some(key), value }
    };
    map.iter().map(slot).collect()
}

/// The child in the file that each value of an array was, if no edits are recorded for it. Equal values at both ends
/// are matched, and those between them one after the other.
fn align(nodes: &Nodes<'_>, children: &[usize], values: &[Value]) -> Vec<Option<usize>> {
    let (old, new) = (children.len(), values.len());
    if old == new {
        return (0..new).map(Some).collect();
    }
    let shorter = old.min(new);
    let equal = |(&child, value): (&usize, &Value)| nodes.equal(child, value);
    let start = children.iter().zip(values).take_while(|&pair| equal(pair)).count();
    let end = children.iter().rev().zip(values.iter().rev());
    let end = end.take(shorter - start).take_while(|&pair| equal(pair)).count();
    let middle = shorter - start - end;
    let kept = |at: usize| match at {
        _ if at < start + middle => Some(at),
        _ if at >= new - end => Some(at + old - new),
        _ => None,
    };
    (0..new).map(kept).collect()
}
