//! From a file to a document.

use std::ops::Range;

use crate::consts::Version;
use crate::model::{
    Body, Document, External, Instance, InstanceId, Kept, Layout, Metadata, NONE, Name, Property,
    SharedBytes, SharedString, Spelling, Text,
};
use crate::options::ReadOptions;
use crate::wire::content::At;
use crate::wire::cx::{Cx, Read};
use crate::wire::out::Out;
use crate::wire::pieces::{Part, Pieces};
use crate::wire::xml::{Scanner, Tag};
use crate::wire::{element, property, scalar};
use geom::wire::{At as _, Budget, ErrorKind, Fail, Here as _, Limit, Result, finish_text};

/// The version of a document, from its first tag alone; 0 where that has none. `None` where this is
/// not a document in XML: a binary one begins with `<roblox!`.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    let root = Scanner::new(bytes, Budget::new(u64::MAX), u32::MAX).root().ok()?;
    let version = root.attribute("version").and_then(|value| Version::from_text(value.as_ref().into()));
    Some(version.unwrap_or(Version(0)))
}

impl ReadOptions {
    /// Reads a document.
    ///
    /// # Errors
    /// Where the bytes are not XML, or the root is not `roblox`, with line, column and, where they are known,
    /// item and property. Where a limit is reached. `Unsupported` for a document type declaration and for
    /// encodings other than UTF-8. A value that is not of its type's form is no error: it is
    /// [`Unknown`](crate::Unknown), and [`check`](crate::check) finds it.
    pub fn read(&self, bytes: &[u8]) -> Result<Document> {
        self.read_within(bytes, Budget::new(self.max_bytes))
    }

    /// Reads a document from everything that a reader gives.
    ///
    /// # Errors
    /// As [`ReadOptions::read`], and where the reader fails.
    pub fn read_from(&self, reader: impl std::io::Read) -> Result<Document> {
        let mut budget = Budget::new(self.max_bytes);
        let bytes = budget.read_all(reader)?;
        self.read_within(&bytes, budget)
    }

    fn read_within(&self, bytes: &[u8], budget: Budget) -> Result<Document> {
        let mut reader = Reader {
            cx: Cx::new(Scanner::new(bytes, budget, self.max_nodes)),
            pieces: Pieces::default(),
            out: Out::new(b"", b""),
            max_depth: self.max_depth as usize,
            document: Document::empty(),
            at: 0,
            properties: Vec::new(),
            references: Vec::new(),
            stack: Vec::new(),
        };
        let read = reader.document();
        finish_text(bytes, read.map(|()| (bytes, ())))?;
        let Reader { cx, mut document, .. } = reader;
        document.names = cx.names;
        Ok(document)
    }
}

struct Reader<'s> {
    cx: Cx<'s>,
    pieces: Pieces,
    out: Out<'s>,
    max_depth: usize,
    document: Document,
    /// Where in the file what was read last ends.
    at: usize,
    /// The properties of the element that is being read.
    properties: Vec<Property>,
    references: Vec<Reference>,
    /// The instances that are open; empty between trees.
    stack: Vec<Open<'s>>,
}

/// A reference whose instance is looked up at the end, when all are known.
struct Reference {
    instance: u32,
    property: u32,
    to: Name,
    element: Range<usize>,
}

/// An instance whose children are being read.
struct Open<'s> {
    tag: Tag<'s>,
    id: InstanceId,
    mark: usize,
    /// Whether everything is where Studio would write it.
    regular: bool,
    has_properties: bool,
    has_children: bool,
}

impl<'s> Reader<'s> {
    /// Skips an element that the model has no field for.
    fn skip(&mut self) -> Read<'s, ()> {
        self.cx.scanner.skip()?;
        self.at = self.cx.scanner.at();
        Ok(())
    }

    /// Whether the file goes on with what is written; if so, reading goes on after it.
    #[inline]
    fn goes_on(&mut self, write: impl FnOnce(&mut Out<'_>)) -> bool {
        let rest = self.cx.scanner.from(self.at);
        let len = self.out.compare(rest, false, write);
        self.at += len.unwrap_or(0);
        len.is_some()
    }

    /// Whether the file goes on with the start of a line, up to an offset.
    #[inline]
    fn line(&mut self, depth: usize, to: usize) -> bool {
        let same = self.cx.scanner.slice(self.at..to) == self.out.gap(depth);
        self.at = to;
        same
    }

    /// Whether the file goes on with the start of a line and a tag, up to an offset.
    fn line_with(&mut self, depth: usize, tag: &str, to: usize) -> bool {
        let same = self.goes_on(|out| {
            out.line(depth);
            out.raw(tag);
        });
        let same = same && self.at == to;
        self.at = to;
        same
    }

    /// The text of an element, where it is not what is written.
    #[inline]
    fn kept(&mut self, range: Range<usize>, write: impl FnOnce(&mut Out<'_>)) -> Read<'s, Kept> {
        self.at = range.end;
        let text = self.cx.scanner.slice(range.clone());
        match self.out.compare(text, true, write) {
            Some(_) => Ok(Kept::default()),
            None => self.keep(range, None),
        }
    }

    #[cold]
    fn keep(&mut self, range: Range<usize>, of: Option<Text>) -> Read<'s, Kept> {
        let of_len = of.as_ref().map_or(0, |of| of.len());
        let bytes = range.len() + of_len + size_of::<Spelling>();
        self.cx.scanner.charge(range.start, bytes)?;
        let text = self.cx.scanner.slice(range).into();
        Ok(Kept(Some(Box::new(Spelling { text, of }))))
    }

    /// The same for an element that can be edited without this crate noticing: what would be written
    /// is kept too.
    fn kept_with(&mut self, range: Range<usize>, write: impl Fn(&mut Out<'_>)) -> Read<'s, Kept> {
        self.at = range.end;
        let text = self.cx.scanner.slice(range.clone());
        if self.out.compare(text, true, &write).is_some() {
            return Ok(Kept::default());
        }
        // What is escaped is at most six times as long.
        let Layout { newline, indent, .. } = &self.document.layout;
        // What is more than a `usize` counts is more than any limit allows.
        let most = text.len().saturating_mul(6).saturating_add(64 + Out::pad_len(newline, indent));
        self.cx.scanner.charge(range.start, most)?;
        let mut out = Out::new(newline, indent);
        write(&mut out);
        self.cx.scanner.budget.give_back(most as u64);
        self.keep(range, Some(out.bytes.into()))
    }

    fn document(&mut self) -> Read<'s, ()> {
        let root = self.cx.scanner.root()?;
        for (name, value) in root.attributes() {
            self.cx.scanner.charge(root.start(), value.len() + 64)?;
            let name = self.cx.name(root.start(), name)?;
            self.document.attributes.push((name, value.as_ref().into()));
        }
        let attributes = std::mem::take(&mut self.document.attributes);
        let start = self.kept_with(root.start()..root.end(), |out| element::roblox(out, &attributes))?;
        self.document.attributes = attributes;
        self.document.layout.start = start;
        let mut next = self.cx.scanner.child()?;
        self.style(next.map(|first| root.end()..first.start()))?;
        let mark = self.pieces.mark();
        let mut regular = true;
        // In the order of the kinds: a step back is irregular.
        let mut stage = 0_u8;
        while let Some(child) = next {
            let kind = match child.name() {
                b"Meta" => 0,
                b"External" => 1,
                b"Item" => 2,
                b"SharedStrings" => 3,
                _ => 4,
            };
            regular &= self.line(1, child.start()) && kind >= stage && kind < 4 && !(stage == 3 && kind == 3);
            stage = stage.max(kind);
            match kind {
                0 => self.metadata(child)?,
                1 => self.external(child)?,
                2 => self.tree(child)?,
                3 => regular &= self.shared_strings(child)?,
                _ => self.skip()?,
            }
            next = self.cx.scanner.child()?;
        }
        let end = self.cx.scanner.at();
        let last = self.at;
        regular &= self.line_with(0, "</roblox>", end);
        if !regular && !root.is_empty() {
            let from = end_tag(self.cx.scanner.slice(last..end));
            self.pieces.push(&mut self.cx, Part::End, last + from..end)?;
            let document = &self.document;
            let name = |part| match part {
                Part::Metadata(index) => document.metadata.get(index).map(|metadata| metadata.key.clone()),
                Part::SharedString(index) => document.shared_strings.get(index).map(|s| s.key.clone()),
                _ => None,
            };
            self.document.layout.body =
                self.pieces.body(mark, &mut self.cx, root.end(), |part| name(part).unwrap_or_default())?;
        }
        let (prolog, epilog) = (self.cx.scanner.slice(0..root.start()), self.cx.scanner.from(end));
        self.cx.scanner.charge(0, prolog.len() + epilog.len())?;
        self.document.layout.prolog = prolog.into();
        self.document.layout.epilog = epilog.into();
        self.resolve()
    }

    /// Finds out how lines end and are indented, from what comes before the first element.
    fn style(&mut self, gap: Option<Range<usize>>) -> Read<'s, ()> {
        let style = gap.and_then(|gap| element::style(self.cx.scanner.slice(gap)));
        let layout = &mut self.document.layout;
        let Layout { newline, indent, .. } = Layout::default();
        (layout.newline, layout.indent) = style.unwrap_or((newline, indent));
        let pad = Out::pad_len(&layout.newline, &layout.indent);
        self.cx.scanner.charge(0, pad + layout.indent.len())?;
        self.out = Out::new(&layout.newline, &layout.indent);
        Ok(())
    }

    /// Looks up the instances to which references lead. What leads nowhere is null, and keeps its text.
    fn resolve(&mut self) -> Read<'s, ()> {
        for Reference { instance, property, to, element } in std::mem::take(&mut self.references) {
            let target = self.cx.names.get(&to).map(|uses| uses.instance).filter(|&id| id != NONE);
            let kept = match target {
                Some(_) => None,
                None => Some(self.keep(element, None)?),
            };
            let properties = self.document.nodes.get_mut(instance as usize);
            let properties = properties.map(|node| &mut node.instance.properties);
            let Some(property) = properties.and_then(|properties| properties.get_mut(property as usize))
            else {
                continue;
            };
            if let Some(reference) = property.value.reference_mut() {
                *reference = target.map(InstanceId);
            }
            if let Some(kept) = kept {
                property.kept = kept;
            }
        }
        Ok(())
    }

    fn metadata(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = self.cx.attribute(tag, "name")?;
        let value = self.cx.value().field("Meta")?;
        let mut metadata = Metadata { key, value, kept: Kept::default() };
        let range = tag.start()..self.cx.scanner.at();
        metadata.kept = self.kept_with(range.clone(), |out| element::metadata(out, &metadata))?;
        let index = self.document.metadata.len();
        self.cx
            .scanner
            .budget
            .push(&mut self.document.metadata, metadata)
            .here(self.cx.scanner.from(tag.start()))?;
        self.pieces.push(&mut self.cx, Part::Metadata(index), range)
    }

    fn external(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let value = self.cx.value().field("External")?;
        let mut external = External { value, kept: Kept::default() };
        let range = tag.start()..self.cx.scanner.at();
        external.kept = self.kept_with(range.clone(), |out| element::external(out, &external))?;
        self.cx
            .scanner
            .budget
            .push(&mut self.document.externals, external)
            .here(self.cx.scanner.from(tag.start()))?;
        self.pieces.push(&mut self.cx, Part::External, range)
    }

    /// Reads the shared strings; whether they are as Studio writes them.
    fn shared_strings(&mut self, tag: Tag<'s>) -> Read<'s, bool> {
        self.pieces.push(&mut self.cx, Part::Open, tag.start()..tag.end())?;
        let mut regular = tag.text() == b"<SharedStrings>";
        self.at = tag.end();
        let before = self.document.shared_strings.len();
        while let Some(child) = self.cx.scanner.child()? {
            regular &= self.line(2, child.start()) && child.name() == b"SharedString";
            match child.name() {
                b"SharedString" => self.shared_string(child).field("SharedStrings")?,
                _ => self.skip()?,
            }
        }
        regular &= self.document.shared_strings.len() > before;
        Ok(self.close(tag, 1, "</SharedStrings>")? && regular)
    }

    /// Reads the end tag of `Properties` or `SharedStrings`.
    fn close(&mut self, tag: Tag<'s>, depth: usize, regular: &str) -> Read<'s, bool> {
        let (last, end) = (self.at, self.cx.scanner.at());
        if !tag.is_empty() {
            let from = last + end_tag(self.cx.scanner.slice(last..end));
            self.pieces.push(&mut self.cx, Part::Close, from..end)?;
        }
        Ok(self.line_with(depth, regular, end))
    }

    fn shared_string(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = tag.attribute("md5").unwrap_or_default();
        let key = self.cx.name(tag.start(), key.trim_ascii())?;
        let bytes = scalar::bytes(&mut self.cx).named(|| key.to_string())?;
        self.cx.scanner.budget.take(SharedBytes::BESIDE).here(self.cx.scanner.from(tag.start()))?;
        let mut shared = SharedString { key, bytes: bytes.into(), kept: Kept::default() };
        let range = tag.start()..self.cx.scanner.at();
        shared.kept = self.kept(range.clone(), |out| element::shared_string(out, &shared))?;
        let index = self.document.shared_strings.len();
        self.cx.names.uses(&shared.key).shared = u32::try_from(index).unwrap_or(NONE);
        self.cx
            .scanner
            .budget
            .push(&mut self.document.shared_strings, shared)
            .here(self.cx.scanner.from(tag.start()))?;
        self.pieces.push(&mut self.cx, Part::SharedString(index), range)
    }

    /// Reads an instance and everything below it, without recursion.
    fn tree(&mut self, top: Tag<'s>) -> Read<'s, ()> {
        let mut stack = std::mem::take(&mut self.stack);
        self.open(&mut stack, top, None)?;
        while !stack.is_empty() {
            let depth = stack.len();
            let Some(child) = self.cx.scanner.child()? else {
                if let Some(open) = stack.pop() {
                    self.end(open, depth)?;
                }
                continue;
            };
            let regular = self.line(depth + 1, child.start());
            let Some(open) = stack.last_mut() else { break };
            open.regular &= regular;
            match child.name() {
                b"Item" => {
                    open.has_children = true;
                    if depth >= self.max_depth {
                        let kind = ErrorKind::Limit(Limit::new("max_depth", self.max_depth as u64));
                        return Err(Fail::new(self.cx.scanner.from(child.start()), kind));
                    }
                    let parent = open.id;
                    self.open(&mut stack, child, Some(parent))?;
                }
                b"Properties" => {
                    open.regular &= !open.has_properties && !open.has_children;
                    open.has_properties = true;
                    let id = open.id;
                    let regular = self.properties(child, id, depth).named(|| self.document.label(id))?;
                    open.regular &= regular;
                }
                _ => {
                    open.regular = false;
                    self.skip()?;
                }
            }
        }
        self.stack = stack;
        Ok(())
    }

    fn open(&mut self, stack: &mut Vec<Open<'s>>, tag: Tag<'s>, parent: Option<InstanceId>) -> Read<'s, ()> {
        let at = self.cx.scanner.from(tag.start());
        let nodes = &mut self.document.nodes.0;
        if nodes.len() == nodes.capacity() {
            self.cx.scanner.budget.reserve(nodes, 1).here(at)?;
        }
        let class = self.cx.attribute(tag, "class")?;
        let referent = match tag.attribute("referent") {
            Some(referent) => Some(self.cx.name(tag.start(), &referent)?),
            None => None,
        };
        let start = self.kept(tag.start()..tag.end(), |out| {
            element::instance(out, &class, referent.as_deref());
        })?;
        let instance = Instance { class, referent: referent.clone(), ..Instance::default() };
        let id = self.document.append(parent, instance);
        let id = id.ok_or_else(|| Fail::unsupported(at, "document of more than 4,294,967,293 instances"))?;
        if let Some(referent) = referent {
            self.document.twins |= !self.cx.names.name_instance(&referent, id.0);
        }
        if start.text().is_some() {
            self.body_of(tag, id)?.start = start;
        }
        let mark = self.pieces.mark();
        let open = Open { tag, id, mark, regular: true, has_properties: false, has_children: false };
        self.cx.scanner.budget.push(stack, open).here(at)
    }

    fn end(&mut self, open: Open<'s>, depth: usize) -> Read<'s, ()> {
        let Open { tag, id, mark, regular, has_properties, .. } = open;
        let (last, end) = (self.at, self.cx.scanner.at());
        let regular = self.line_with(depth, "</Item>", end) && regular && has_properties;
        if !regular && !tag.is_empty() {
            let from = last + end_tag(self.cx.scanner.slice(last..end));
            self.pieces.push(&mut self.cx, Part::End, from..end)?;
            let properties = self.document.instance(id).map_or([].as_slice(), |i| &i.properties);
            let name = |part| match part {
                Part::Property(index) => properties.get(index).map(|property| property.name.clone()),
                _ => None,
            };
            let name = |part| name(part).unwrap_or_default();
            let pieces = self.pieces.body(mark, &mut self.cx, tag.end(), name)?;
            self.body_of(tag, id)?.pieces = pieces;
        }
        self.pieces.forget(mark);
        self.pieces.push(&mut self.cx, Part::Instance(id.0), tag.start()..end)
    }

    fn body_of(&mut self, tag: Tag<'s>, id: InstanceId) -> Read<'s, &mut Body> {
        self.cx.scanner.charge(tag.start(), size_of::<Body>())?;
        match self.document.instance_mut(id) {
            Some(instance) => Ok(instance.body.get_or_insert_default()),
            None => self.cx.malformed(),
        }
    }

    /// Reads properties; whether they are as Studio writes them.
    fn properties(&mut self, tag: Tag<'s>, id: InstanceId, depth: usize) -> Read<'s, bool> {
        self.pieces.push(&mut self.cx, Part::Open, tag.start()..tag.end())?;
        let mut regular = tag.text() == b"<Properties>";
        self.at = tag.end();
        let inner = depth + 2;
        let before = self.document.instance(id).map_or(0, |instance| instance.properties.len());
        while let Some(child) = self.cx.scanner.child()? {
            let start = child.start();
            regular &= self.line(inner, start);
            let name = self.cx.attribute(child, "name")?;
            let value = property::read(&mut self.cx, child).named(|| name.to_string())?;
            let range = start..self.cx.scanner.at();
            let reference = self.cx.reference.take();
            let kept = self.kept(range.clone(), |out| {
                let at = At { depth: inner, reference: reference.as_deref() };
                property::write(out, &name, &value, at);
            })?;
            let index = before + self.properties.len();
            let budget = &mut self.cx.scanner.budget;
            if let Some(to) = reference
                && let Ok(property) = u32::try_from(index)
            {
                let reference = Reference { instance: id.0, property, to, element: range.clone() };
                budget.push(&mut self.references, reference).here(self.cx.scanner.file)?;
            }
            let budget = &mut self.cx.scanner.budget;
            budget.push(&mut self.properties, Property { name, value, kept }).here(self.cx.scanner.file)?;
            self.pieces.push(&mut self.cx, Part::Property(index), range)?;
        }
        if let Some(instance) = self.document.instance_mut(id) {
            let properties = &mut instance.properties;
            // Nearly always there is one element `Properties`; more of them must not cost a copy each.
            let (old, count) = (properties.capacity(), before + self.properties.len());
            if old < count {
                let capacity = count.max(old * 2);
                // While the list moves, the old and the new memory are both there.
                self.cx.scanner.charge_values::<Property>(tag.start(), capacity)?;
                properties.reserve_exact(capacity - before);
                self.cx.scanner.budget.give_back((old * size_of::<Property>()) as u64);
            }
            properties.append(&mut self.properties);
        }
        Ok(self.close(tag, depth + 1, "</Properties>")? && regular)
    }
}

/// Where in the text that ends an element its end tag begins.
fn end_tag(text: &[u8]) -> usize {
    bstr::ByteSlice::rfind(text, b"</").unwrap_or(text.len())
}
