//! From the parser's tree to a document.

use std::ops::Range;

use crate::consts::INDENTED_DEPTH;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Budget;
use crate::model::SharedString;
use crate::model::{Document, Item, ItemId, ItemLayout, Layout, Metadata, Node, Part, Property, Raw};
use crate::wire::cx::{Cx, Read, more};
use crate::wire::fail::{At as _, Fail, Here as _, finish_text};
use crate::wire::out::{Out, hash};
use crate::wire::pieces::{Mark, Pieces};
use crate::wire::source::{Outcome, Source, with_cure};
use crate::wire::xml::{Element, Refused, Tag, Tree, Xml};
use crate::wire::{document, item, property, scalar};

/// What a read may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_bytes: u64,
    pub(crate) max_nodes: u32,
    pub(crate) max_depth: u32,
}

pub(crate) fn read(file: &[u8], limits: Limits) -> Result<Document> {
    with_cure(file, limits.max_bytes, |source, budget| {
        for deep in [false, true] {
            let mut reader = Reader::new(source, limits, budget.clone(), deep);
            let read = reader.document();
            if !matches!(read, Ok(false)) {
                return outcome(source, reader.curable, read.map(|_| reader.document));
            }
        }
        Ok(Outcome::Done(Document::default()))
    })
}

/// Whether a text is one element, and XML.
pub(crate) fn one_element(text: &[u8]) -> Result<()> {
    with_cure(text, u64::MAX, |source, _| {
        let mut xml = Xml::new(&source.text, u32::MAX);
        let refused = match xml.root().and_then(|_| xml.skip()) {
            Ok(()) if source.place(xml.at()) == text.len() => return Ok(Outcome::Done(())),
            Ok(()) => Refused { kind: ErrorKind::Invalid("text behind its end".into()), at: xml.at() },
            Err(refused) => refused,
        };
        let curable = refused.is_curable();
        let error = Error::new(refused.kind, "").at(source.place(refused.at), Some(text));
        if curable { Ok(Outcome::Curable(error)) } else { Err(error) }
    })
}

fn outcome<T>(source: &Source<'_>, curable: bool, read: Read<'_, T>) -> Result<Outcome<T>> {
    match finish_text(source.file, read.map(|done| (source.file, done))) {
        Ok((_, done)) => Ok(Outcome::Done(done)),
        Err(error) if curable => Ok(Outcome::Curable(error)),
        Err(error) => Err(error),
    }
}

struct Reader<'s> {
    cx: Cx<'s>,
    xml: Xml<'s>,
    /// The value that is being read.
    tree: Tree<'s>,
    pieces: Pieces,
    /// Whether the text was refused for something that might be put right.
    curable: bool,
    out: Out,
    limits: Limits,
    document: Document,
    /// Where in the file what was read last ends.
    at: usize,
    /// Whether lines are not indented, because the tree is deeper than that makes sense.
    deep: bool,
    properties: Vec<Property>,
}

/// An item whose children are being read.
struct Open<'s> {
    tag: Tag<'s>,
    id: u32,
    parts: Mark,
    /// Whether all is in the place that Studio gives it.
    regular: bool,
    has_properties: bool,
    has_items: bool,
}

impl<'s> Reader<'s> {
    fn new(source: &'s Source<'s>, limits: Limits, budget: Budget, deep: bool) -> Self {
        let document = Document { attributes: Vec::new(), externals: Vec::new(), ..Document::default() };
        Self {
            cx: Cx::new(source, budget),
            xml: Xml::new(&source.text, limits.max_nodes),
            tree: Tree::default(),
            pieces: Pieces::default(),
            curable: false,
            out: Out::new(b"", b"", 0),
            limits,
            document,
            at: 0,
            deep,
            properties: Vec::new(),
        }
    }

    /// What the parser found, or why it refuses the text.
    #[inline]
    fn found<T>(&mut self, found: std::result::Result<T, Refused>) -> Read<'s, T> {
        found.map_err(|refused| self.refused(refused))
    }

    #[cold]
    fn refused(&mut self, refused: Refused) -> nom::Err<Fail<'s>> {
        self.curable = refused.is_curable();
        let at = self.cx.at(refused.at);
        // What stands behind the file is the parser's affair.
        match refused.kind {
            ErrorKind::Invalid(_) if at.is_empty() => Fail::end(at),
            ErrorKind::Invalid(what) => Fail::invalid(at, self.cx.source.shown(&what)),
            kind => Fail::new(at, kind),
        }
    }

    /// The next element in the one that is open.
    #[inline]
    fn child(&mut self) -> Read<'s, Option<Tag<'s>>> {
        let child = self.xml.child();
        self.found(child)
    }

    /// Passes over an element to which nothing in the model answers.
    fn skip(&mut self) -> Read<'s, ()> {
        let skipped = self.xml.skip();
        self.found(skipped)?;
        self.at = self.place();
        Ok(())
    }

    /// Where in the file what was not parsed yet begins.
    #[inline]
    fn place(&self) -> usize {
        self.cx.source.place(self.xml.at())
    }

    /// Whether the file goes on with what was put into `out`; if so, that is passed over.
    fn goes_on(&mut self) -> bool {
        let there = self.cx.source.file.get(self.at..).is_some_and(|rest| rest.starts_with(&self.out.bytes));
        if there {
            self.at = self.at.saturating_add(self.out.bytes.len());
        }
        there
    }

    /// Whether the file goes on with the start of a line, up to a place.
    #[inline]
    fn line(&mut self, depth: usize, to: usize) -> bool {
        let same = self.cx.source.slice(self.at..to) == self.out.gap(depth);
        self.at = to;
        same
    }

    /// Whether the file goes on with the start of a line and a tag.
    fn line_with(&mut self, depth: usize, tag: &str) -> bool {
        self.out.bytes.clear();
        self.out.line(depth);
        self.out.raw(tag);
        self.goes_on()
    }

    /// The text up to a place, where it is not what stands in `out`.
    fn raw(&mut self, tag: Tag<'s>, range: Range<usize>) -> Read<'s, Option<Raw>> {
        self.at = range.end;
        let text = self.cx.source.slice(range);
        // What XML cannot hold is written where it stood in the file, and nowhere else.
        if self.out.take_illegal().is_none() && text == self.out.bytes {
            return Ok(None);
        }
        self.cx.charge(tag, text.len().saturating_add(96))?;
        Ok(Some(Raw { text: text.into(), of: hash(&self.out.bytes) }))
    }

    /// Where in the file a tag begins.
    #[inline]
    fn start(&self, tag: Tag<'s>) -> usize {
        self.cx.source.place(tag.start())
    }

    /// From where a tag begins to what was not parsed yet.
    #[inline]
    fn since(&self, tag: Tag<'s>) -> Range<usize> {
        self.start(tag)..self.place()
    }

    /// Reads the rest of an element, and what it says.
    #[inline]
    fn value<T>(
        &mut self,
        tag: Tag<'s>,
        read: impl FnOnce(&mut Cx<'s>, Element<'_, 's>) -> Read<'s, T>,
    ) -> Read<'s, T> {
        match self.xml.element(tag, &mut self.tree, &mut self.cx.budget) {
            Ok(element) => read(&mut self.cx, element),
            Err(refused) => Err(self.refused(refused)),
        }
    }

    /// Reads the file. False where it is too deep to indent.
    fn document(&mut self) -> Read<'s, bool> {
        let root = self.xml.root();
        let root = self.found(root)?;
        let file = self.cx.source.file;
        let (start, inside) = (self.start(root), self.cx.source.place(root.end()));
        if root.name() != "roblox" {
            let what = format!("the first element is <{}>, not <roblox>", self.cx.source.shown(root.name()));
            return Err(Fail::invalid(self.cx.at(root.start()), what));
        }
        self.start_tag(root, start..inside)?;
        let mut next = self.child()?;
        self.style(next.map(|first| inside..self.start(first)));
        self.at = inside;
        let parts = self.pieces.open();
        let mut regular = true;
        // In the order of the kinds: a step back is irregular.
        let mut stage = 0_u8;
        while let Some(child) = next {
            let kind = match child.name() {
                "Meta" => 0,
                "External" => 1,
                "Item" => 2,
                "SharedStrings" => 3,
                _ => 4,
            };
            let to = self.start(child);
            regular &= self.line(1, to) && kind >= stage && kind < 4 && !(stage == 3 && kind == 3);
            stage = stage.max(kind);
            match kind {
                0 => self.metadata(child)?,
                1 => self.external(child)?,
                2 => {
                    if !self.tree(child)? {
                        return Ok(false);
                    }
                }
                3 => regular &= self.shared_strings()?,
                _ => self.skip()?,
            }
            next = self.child()?;
        }
        let end = self.place();
        regular &= self.line_with(0, "</roblox>") && self.at == end;
        if !regular {
            self.document.layout.body = self.pieces.body(parts, &mut self.cx, root, inside..end)?;
        }
        let layout = &mut self.document.layout;
        layout.prolog = file.get(..start).unwrap_or_default().into();
        layout.epilog = file.get(end..).unwrap_or_default().into();
        self.document.nodes.shrink_to_fit();
        self.document.shared_strings.shrink_to_fit();
        Ok(true)
    }

    fn start_tag(&mut self, root: Tag<'s>, range: Range<usize>) -> Read<'s, ()> {
        for (name, value) in root.attributes() {
            let value = self.cx.source.value(&value);
            self.cx.charge(root, value.len().saturating_add(64))?;
            let name = self.cx.name(root, name)?;
            self.document.attributes.push((name, value));
        }
        self.out.bytes.clear();
        document::start(&mut self.out, &self.document.attributes);
        self.document.layout.start = self.raw(root, range)?;
        Ok(())
    }

    /// Finds out how lines end and are indented, from what stands in front of the first element.
    fn style(&mut self, gap: Option<Range<usize>>) {
        let style = gap.and_then(|gap| document::style(self.cx.source.slice(gap)));
        let layout = &mut self.document.layout;
        let Layout { newline, indent, .. } = Layout::default();
        (layout.newline, layout.indent) = style.unwrap_or((newline, indent));
        let indent: &[u8] = if self.deep { b"" } else { &layout.indent };
        self.out = Out::new(&layout.newline, indent, INDENTED_DEPTH.saturating_add(8));
    }

    fn metadata(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = self.cx.name(tag, &tag.attribute("name").unwrap_or_default())?;
        let value = self.value(tag, |cx, element| cx.value(element)).field("Meta")?;
        let metadata = Metadata { key, value };
        self.out.bytes.clear();
        item::metadata(&mut self.out, &metadata);
        let range = self.since(tag);
        let raw = self.raw(tag, range.clone())?;
        keep(&mut self.document.layout.metadata, self.document.metadata.len(), raw);
        self.document.metadata.push(metadata);
        self.pieces.push(&mut self.cx, tag, Part::Metadata, range)
    }

    fn external(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let external = self.value(tag, |cx, element| cx.value(element)).field("External")?;
        self.out.bytes.clear();
        item::external(&mut self.out, external.as_ref());
        let range = self.since(tag);
        let raw = self.raw(tag, range.clone())?;
        keep(&mut self.document.layout.externals, self.document.externals.len(), raw);
        self.document.externals.push(external);
        self.pieces.push(&mut self.cx, tag, Part::External, range)
    }

    /// Whether the shared strings stand as Studio writes them.
    fn shared_strings(&mut self) -> Read<'s, bool> {
        self.out.bytes.clear();
        self.out.raw("<SharedStrings>");
        let mut regular = self.goes_on();
        let before = self.document.shared_strings.len();
        while let Some(child) = self.child()? {
            let to = self.start(child);
            regular &= self.line(2, to) && child.name() == "SharedString";
            if child.name() != "SharedString" {
                self.skip()?;
                continue;
            }
            self.shared_string(child)
                .named(|| self.cx.source.shown(&child.attribute("md5").unwrap_or_default()))
                .field("SharedStrings")?;
        }
        let end = self.place();
        regular &= self.document.shared_strings.len() > before;
        regular &= self.line_with(1, "</SharedStrings>") && self.at == end;
        self.at = end;
        Ok(regular)
    }

    fn shared_string(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = self.cx.name(tag, tag.attribute("md5").unwrap_or_default().trim_ascii())?;
        let bytes = self.value(tag, scalar::base64)?;
        let shared = SharedString { key, bytes: bytes.into() };
        self.out.bytes.clear();
        item::shared_string(&mut self.out, &shared);
        let range = self.since(tag);
        let raw = self.raw(tag, range.clone())?;
        keep(&mut self.document.layout.shared_strings, self.document.shared_strings.len(), raw);
        self.document.shared_strings.push(shared);
        self.pieces.push(&mut self.cx, tag, Part::SharedString, range)
    }

    /// Reads an item and all below it, without recursion. False where that is too deep to indent.
    fn tree(&mut self, top: Tag<'s>) -> Read<'s, bool> {
        let mut stack = vec![self.open(top, None)?];
        while !stack.is_empty() {
            let depth = stack.len();
            let Some(child) = self.child()? else {
                if let Some(open) = stack.pop() {
                    self.close(open, depth)?;
                }
                continue;
            };
            let to = self.start(child);
            let Some(open) = stack.last_mut() else { break };
            open.regular &= self.line(depth.saturating_add(1), to);
            match child.name() {
                "Item" => {
                    open.has_items = true;
                    if depth >= self.limits.max_depth as usize {
                        let allowed = u64::from(self.limits.max_depth);
                        let kind = ErrorKind::Limit(crate::error::Limit { name: "max_depth", allowed });
                        return Err(Fail::new(self.cx.at(child.start()), kind));
                    }
                    if depth >= INDENTED_DEPTH && !self.deep {
                        return Ok(false);
                    }
                    let parent = ItemId(open.id);
                    stack.push(self.open(child, Some(parent))?);
                }
                "Properties" => {
                    open.regular &= !open.has_properties && !open.has_items;
                    open.has_properties = true;
                    let (tag, id) = (open.tag, open.id);
                    open.regular &= self.properties(tag, id, depth).named(|| {
                        let item = self.document.nodes.get(id as usize).map(|node| &node.item);
                        item.map_or_else(String::new, |item| {
                            item::path(&item.class, item.referent.as_deref())
                        })
                    })?;
                }
                _ => {
                    open.regular = false;
                    self.skip()?;
                }
            }
        }
        Ok(true)
    }

    fn open(&mut self, tag: Tag<'s>, parent: Option<ItemId>) -> Read<'s, Open<'s>> {
        self.cx.charge(tag, size_of::<Node>().saturating_mul(2))?;
        let class = self.cx.name(tag, &tag.attribute("class").unwrap_or_default())?;
        let referent = match tag.attribute("referent") {
            Some(referent) => Some(self.cx.name(tag, &referent)?),
            None => None,
        };
        let item = Item { class, referent, ..Item::default() };
        self.out.bytes.clear();
        item::start(&mut self.out, &item);
        let start = match self.goes_on() && !self.out.has_illegal() {
            true => None,
            false => self.raw(tag, self.cx.source.range(tag.start()..tag.end()))?,
        };
        let id = self.document.insert(parent, item).map_err(|_| self.cx.invalid(tag, "too many items"))?.0;
        if start.is_some()
            && let Some(layout) = self.layout(tag, id)?
        {
            layout.start = start;
        }
        let parts = self.pieces.open();
        Ok(Open { tag, id, parts, regular: true, has_properties: false, has_items: false })
    }

    fn close(&mut self, open: Open<'s>, depth: usize) -> Read<'s, ()> {
        let Open { tag, id, parts, regular, has_properties, .. } = open;
        let range = self.since(tag);
        let regular = regular && has_properties && self.line_with(depth, "</Item>") && self.at == range.end;
        self.at = range.end;
        if !regular {
            let inside = self.cx.source.place(tag.end());
            let body = self.pieces.body(parts, &mut self.cx, tag, inside..range.end)?;
            if let Some(layout) = self.layout(tag, id)? {
                layout.body = body;
            }
        }
        self.pieces.close(parts);
        self.pieces.push(&mut self.cx, tag, Part::Item, range)?;
        if let Some(item) = self.document.nodes.get_mut(id as usize).map(|node| &mut node.item)
            && let Some(layout) = &mut item.layout
        {
            layout.property_count = u32::try_from(item.properties.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// What is kept of how an item stood, begun where nothing is so far.
    fn layout(&mut self, tag: Tag<'s>, id: u32) -> Read<'s, Option<&mut ItemLayout>> {
        let Some(node) = self.document.nodes.get_mut(id as usize) else { return Ok(None) };
        if node.item.layout.is_none() {
            self.cx.charge(tag, size_of::<ItemLayout>())?;
        }
        Ok(Some(node.item.layout.get_or_insert_default()))
    }

    /// Reads properties; whether they stand as Studio writes them.
    fn properties(&mut self, tag: Tag<'s>, id: u32, depth: usize) -> Read<'s, bool> {
        self.out.bytes.clear();
        self.out.raw("<Properties>");
        let mut regular = self.goes_on();
        let inner = depth.saturating_add(2);
        let before = self.document.nodes.get(id as usize).map_or(0, |node| node.item.properties.len());
        let mut raws = Vec::new();
        while let Some(child) = self.child()? {
            let start = self.start(child);
            regular &= self.line(inner, start);
            self.cx.charge(child, size_of::<Property>())?;
            more(&mut self.properties, &mut self.cx.budget).here(self.cx.at(child.start()))?;
            let property = self.value(child, property::read)?;
            self.out.bytes.clear();
            property::write(&mut self.out, inner, &property);
            let place = start..self.place();
            let raw = self.raw(child, place.clone())?;
            keep(&mut raws, before.saturating_add(self.properties.len()), raw);
            self.properties.push(property);
            self.pieces.push(&mut self.cx, child, Part::Property, place)?;
        }
        let end = self.place();
        if let Some(node) = self.document.nodes.get_mut(id as usize) {
            node.item.properties.reserve_exact(self.properties.len());
            node.item.properties.append(&mut self.properties);
        }
        if !raws.is_empty()
            && let Some(layout) = self.layout(tag, id)?
        {
            raws.shrink_to_fit();
            match layout.properties.is_empty() {
                true => layout.properties = raws,
                false => layout.properties.append(&mut raws),
            }
        }
        regular &= self.line_with(depth.saturating_add(1), "</Properties>") && self.at == end;
        self.at = end;
        Ok(regular)
    }
}

fn keep(raws: &mut Vec<(u32, Raw)>, index: usize, raw: Option<Raw>) {
    if let (Some(raw), Ok(index)) = (raw, u32::try_from(index)) {
        raws.push((index, raw));
    }
}
