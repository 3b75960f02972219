//! Writes an element of the file that was touched. Parts that no longer exist are removed, with the white space before
//! them; new parts get a line each; everything else is copied, including comments and unknown elements.

use std::ops::Range;

use super::Writer;
use crate::model::{InstanceId, Metadata, Property, Span};
use crate::wire::cx::{Cx, Read};
use crate::wire::xml::{Scanner, Tag};

/// A step of writing.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Copies bytes of the file.
    Copy(Range<usize>),
    /// Writes a line end, and this indentation.
    Line(usize),
    Text(&'static str),
    /// Writes an element that contains no instances, by its index in the list of its owner.
    Part {
        kind: Kind,
        index: usize,
        owner: Option<InstanceId>,
        depth: usize,
    },
    Instance(InstanceId, usize),
    /// Writes an instance and all siblings after it, on a line each.
    Siblings(InstanceId, usize),
}

/// The kinds of parts of an element. New parts follow the last part of their kind in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Metadata,
    External,
    Instance,
    /// A property or a shared string, which is in an element `Properties` or `SharedStrings`.
    Inner,
}

/// A part of the touched element, in the file.
struct Part {
    /// `None` for the start tag of `Properties` or `SharedStrings`.
    kind: Option<Kind>,
    at: Range<usize>,
    /// The index in the list of its kind; `None` if the part no longer exists.
    index: Option<usize>,
    is_intact: bool,
}

/// The current parts of a kind, in order: their number, and how many have been processed.
#[derive(Clone, Copy, Default)]
struct List {
    len: usize,
    /// The number of parts that were searched in the file, and the end of the last one found.
    passed: usize,
    end: usize,
    /// The number of parts that were written.
    done: usize,
    /// The last part of the kind in the file.
    last: Option<usize>,
}

impl List {
    fn waits(&self) -> bool {
        self.done < self.len
    }
}

/// The start tag of an element in the file, and the steps that write the rest of the element; `None` if it cannot be
/// read there.
pub(crate) fn patch<'a>(
    writer: &Writer<'a>,
    owner: Option<InstanceId>,
    element: Range<usize>,
    depth: usize,
) -> Option<(Tag<'a>, Vec<Step>)> {
    let document = writer.document;
    let children: Vec<_> = match owner {
        Some(id) => document.children(id).collect(),
        None => document.roots().collect(),
    };
    let instance = owner.and_then(|id| document.instance(id));
    let properties = instance.map_or([].as_slice(), |instance| instance.properties.as_slice());
    let mut lists = <[List; 4]>::default();
    lists[Kind::Instance as usize].len = children.len();
    lists[Kind::Inner as usize].len = properties.len();
    if owner.is_none() {
        lists[Kind::Metadata as usize].len = document.metadata.len();
        lists[Kind::External as usize].len = document.externals.len();
        lists[Kind::Inner as usize].len = document.shared_strings.len();
    }
    let mut patch = Patch { writer, owner, depth, children, properties, lists, from: 0, steps: Vec::new() };
    let (tag, parts) = patch.parts(Scanner::of_element(writer.source, element.start)).ok().flatten()?;
    patch.from = tag.end();
    if !tag.is_empty() {
        patch.run(&parts, element.end);
    }
    Some((tag, patch.steps))
}

struct Patch<'a, 'w> {
    writer: &'w Writer<'a>,
    owner: Option<InstanceId>,
    depth: usize,
    children: Vec<InstanceId>,
    properties: &'a [Property],
    lists: [List; 4],
    /// The offset up to which the file was copied or skipped.
    from: usize,
    steps: Vec<Step>,
}

impl<'a> Patch<'a, '_> {
    /// Reads the start tag and the parts of the element at the position of the scanner.
    fn parts(&mut self, mut scanner: Scanner<'a>) -> Read<'a, Option<(Tag<'a>, Vec<Part>)>> {
        let Some(tag) = scanner.child()? else { return Ok(None) };
        let mut parts = Vec::with_capacity(self.properties.len() + self.children.len() + 1);
        loop {
            if self.known(&mut scanner, Kind::Instance, &mut parts) {
                continue;
            }
            let Some(child) = scanner.child()? else { return Ok(Some((tag, parts))) };
            match (child.name(), self.owner) {
                (b"Item", _) => self.other(&mut scanner, child, Kind::Instance, &mut parts)?,
                (b"Meta", None) => self.other(&mut scanner, child, Kind::Metadata, &mut parts)?,
                (b"External", None) => self.other(&mut scanner, child, Kind::External, &mut parts)?,
                (b"Properties", Some(_)) | (b"SharedStrings", None) => {
                    let at = child.start()..child.end();
                    parts.push(Part { kind: None, at, index: None, is_intact: true });
                    loop {
                        if self.known(&mut scanner, Kind::Inner, &mut parts) {
                            continue;
                        }
                        let Some(inner) = scanner.child()? else { break };
                        match self.owner.is_some() || inner.name() == b"SharedString" {
                            true => self.other(&mut scanner, inner, Kind::Inner, &mut parts)?,
                            false => scanner.skip()?,
                        }
                    }
                }
                _ => scanner.skip()?,
            }
        }
    }

    /// Skips the next element, and adds it to `parts`, if it is a known part that still exists.
    fn known(&mut self, scanner: &mut Scanner<'a>, kind: Kind, parts: &mut Vec<Part>) -> bool {
        let Some((at, index)) = scanner.next_element().and_then(|start| self.find(kind, start)) else {
            return false;
        };
        scanner.go_on(at.end);
        self.lists[kind as usize].last = Some(parts.len());
        parts.push(Part { kind: Some(kind), at, index: Some(index), is_intact: self.is_intact(kind, index) });
        true
    }

    /// Skips an element of which only the tag was read, and adds it to `parts`.
    fn other(
        &mut self,
        scanner: &mut Scanner<'a>,
        tag: Tag<'a>,
        kind: Kind,
        parts: &mut Vec<Part>,
    ) -> Read<'a, ()> {
        let index = self.find(kind, tag.start()).map(|(_, index)| index);
        self.lists[kind as usize].last = Some(parts.len());
        scanner.skip()?;
        let at = tag.start()..scanner.at();
        let is_intact = index.is_some_and(|index| match kind {
            // Their lists are public, so they may have changed without being touched.
            Kind::Metadata | Kind::External => self.is_same(at.start, kind, index),
            _ => self.is_intact(kind, index),
        });
        parts.push(Part { kind: Some(kind), at, index, is_intact });
        Ok(())
    }

    fn span(&self, kind: Kind, index: usize) -> Option<Span> {
        let document = self.writer.document;
        match (kind, self.owner) {
            (Kind::Metadata, _) => document.metadata.get(index).map(|metadata| metadata.at),
            (Kind::External, _) => document.externals.get(index).map(|external| external.at),
            (Kind::Instance, _) => {
                self.children.get(index).and_then(|&id| document.instance(id)).map(|instance| instance.at)
            }
            (Kind::Inner, Some(_)) => self.properties.get(index).map(|property| property.at),
            (Kind::Inner, None) => document.shared_strings.get(index).map(|shared| shared.at),
        }
    }

    /// The range and the index of the part of a kind that begins at an offset. Offsets must increase from call to call;
    /// parts that are no longer in the order of the file are not found.
    fn find(&mut self, kind: Kind, start: usize) -> Option<(Range<usize>, usize)> {
        loop {
            let List { passed, end, .. } = self.lists[kind as usize];
            let place = self.span(kind, passed)?.place().filter(|place| place.start >= end);
            if place.as_ref().is_some_and(|place| place.start > start) {
                return None;
            }
            let list = &mut self.lists[kind as usize];
            list.passed += 1;
            if let Some(place) = place {
                list.end = place.end;
                if place.start == start {
                    return Some((place, passed));
                }
            }
        }
    }

    /// Whether metadata or an external is unchanged since it was read.
    fn is_same(&self, start: usize, kind: Kind, index: usize) -> bool {
        let document = self.writer.document;
        let mut cx = Cx::new(Scanner::of_element(self.writer.source, start));
        let mut read = || -> Read<'_, bool> {
            let Some(tag) = cx.scanner.child()? else { return Ok(false) };
            let (key, value) = (cx.attribute(tag, "name")?, cx.value()?);
            Ok(match kind {
                Kind::Metadata => document.metadata.get(index) == Some(&Metadata::new(key, value)),
                _ => document.externals.get(index).is_some_and(|external| external.value == value),
            })
        };
        read().unwrap_or(false)
    }

    fn is_intact(&self, kind: Kind, index: usize) -> bool {
        match (kind, self.owner) {
            (Kind::Instance, _) => self.children.get(index).is_some_and(|&id| self.writer.is_intact(id)),
            (_, Some(_)) => {
                self.properties.get(index).is_some_and(|property| self.writer.is_intact_property(property))
            }
            (_, None) => self.span(kind, index).is_some_and(Span::is_intact),
        }
    }

    fn run(&mut self, parts: &[Part], end: usize) {
        let first_open = parts.iter().position(|part| part.kind.is_none());
        let inner = Kind::Inner as usize;
        let has_inner = self.lists[inner].last.is_some();
        if self.owner.is_some() && first_open.is_none() {
            self.block();
        }
        for (number, part) in parts.iter().enumerate() {
            let Some(kind) = part.kind else {
                if first_open == Some(number) && !has_inner && self.lists[inner].waits() {
                    self.fill(part);
                }
                continue;
            };
            match part.index {
                Some(index) => self.stay(kind, index, part),
                None => {
                    self.copy(self.trimmed(part.at.start));
                    self.from = part.at.end;
                }
            }
            if self.lists[kind as usize].last == Some(number) && self.lists[kind as usize].waits() {
                self.copy(part.at.end);
                self.rest(kind);
            }
        }
        if self.lists.iter().any(List::waits) {
            let text = self.writer.source.get(self.from..end).unwrap_or_default();
            let tag = bstr::ByteSlice::rfind(text, b"</").map_or(end, |at| self.from + at);
            self.copy(self.trimmed(tag));
            [Kind::Metadata, Kind::External, Kind::Instance].into_iter().for_each(|kind| self.rest(kind));
            self.block();
        }
        self.copy(end);
    }

    /// Writes the new parts that precede an existing one, and then that part.
    fn stay(&mut self, kind: Kind, index: usize, part: &Part) {
        let done = std::mem::replace(&mut self.lists[kind as usize].done, index + 1);
        // The line of the existing part stays as it is, however it is indented.
        let gap = self.trimmed(part.at.start)..part.at.start;
        if done < index || !part.is_intact {
            self.copy(part.at.start);
        }
        for new in done..index {
            self.put(kind, new);
            self.steps.push(Step::Copy(gap.clone()));
        }
        if !part.is_intact {
            self.put(kind, index);
            self.from = part.at.end;
        }
    }

    /// Copies the file up to an offset.
    fn copy(&mut self, to: usize) {
        if self.from < to {
            self.steps.push(Step::Copy(self.from..to));
            self.from = to;
        }
    }

    /// The start of the white space before an offset.
    fn trimmed(&self, to: usize) -> usize {
        let text = self.writer.source.get(self.from..to).unwrap_or_default();
        self.from + text.trim_ascii_end().len()
    }

    fn levels(&self, kind: Kind) -> usize {
        self.depth + if kind == Kind::Inner { 2 } else { 1 }
    }

    fn put(&mut self, kind: Kind, index: usize) {
        let depth = self.levels(kind);
        self.steps.push(match self.children.get(index).filter(|_| kind == Kind::Instance) {
            Some(&id) => Step::Instance(id, depth),
            None => Step::Part { kind, index, owner: self.owner, depth },
        });
    }

    /// Writes all parts of a kind that have not been written yet.
    fn rest(&mut self, kind: Kind) {
        let list = &mut self.lists[kind as usize];
        for index in std::mem::replace(&mut list.done, list.len)..self.lists[kind as usize].len {
            self.steps.push(Step::Line(self.levels(kind)));
            self.put(kind, index);
        }
    }

    /// Writes the new parts into an element `Properties` or `SharedStrings` without parts.
    fn fill(&mut self, open: &Part) {
        let is_empty = self.writer.source.get(open.at.clone()).is_some_and(|tag| tag.ends_with(b"/>"));
        self.copy(if is_empty { open.at.end - 2 } else { open.at.end });
        if is_empty {
            self.from = open.at.end;
            self.steps.push(Step::Text(">"));
        }
        self.rest(Kind::Inner);
        if is_empty {
            self.close();
        }
    }

    /// Writes a new element with all properties or shared strings that have not been written yet, if there are any.
    fn block(&mut self) {
        if self.lists[Kind::Inner as usize].waits() {
            let open = if self.owner.is_some() { "<Properties>" } else { "<SharedStrings>" };
            self.steps.extend([Step::Line(self.depth + 1), Step::Text(open)]);
            self.rest(Kind::Inner);
            self.close();
        }
    }

    fn close(&mut self) {
        let close = if self.owner.is_some() { "</Properties>" } else { "</SharedStrings>" };
        self.steps.extend([Step::Line(self.depth + 1), Step::Text(close)]);
    }
}
