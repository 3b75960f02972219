//! From the parser's tree to a document.

use std::ops::Range;

use crate::consts::INDENTED_DEPTH;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Document, Item, ItemId, ItemLayout, Layout, Metadata, Node, Property, Raw};
use crate::model::{SharedString, Text};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::{At as _, Fail, finish_text};
use crate::wire::out::{Out, hash};
use crate::wire::parse::start_tag;
use crate::wire::source::{Source, tag_end};
use crate::wire::xml::{Element, Refused, Tree};
use crate::wire::{document, item, pieces, property, scalar};

/// What a read may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_bytes: u64,
    pub(crate) max_nodes: u32,
    pub(crate) max_depth: u32,
}

/// Parses text, with what is not allowed put right where that is possible, and does something with
/// the tree.
pub(crate) fn parse<T>(
    file: &[u8],
    max_nodes: u32,
    then: impl Fn(&Source<'_>, &Tree<'_>) -> Result<T>,
) -> Result<T> {
    let mut prefixes = Vec::new();
    let mut source = Source::plain(file);
    for tries in 0.. {
        let current = match source {
            Some(plain) => plain,
            None => Source::cured(file, &prefixes)?,
        };
        match Tree::parse(&current.text, max_nodes) {
            Ok(tree) => return then(&current, &tree),
            Err(Refused { kind, at, cure }) => {
                if !cure.another(tries, &mut prefixes) {
                    let place = current.place(at);
                    // What stands behind the file is the parser's affair.
                    let ended = place >= file.len() && matches!(kind, ErrorKind::Invalid(_));
                    let kind = if ended { ErrorKind::UnexpectedEnd } else { kind };
                    return Err(Error::new(kind, "").at(place, Some(file)));
                }
                source = None;
            }
        }
    }
    Err(Error::new(ErrorKind::UnexpectedEnd, ""))
}

pub(crate) fn read(file: &[u8], limits: Limits) -> Result<Document> {
    parse(file, limits.max_nodes, |source, tree| {
        let read = |deep| Reader::new(source, limits, deep).document(tree);
        let mut done = read(false);
        if matches!(done, Ok(None)) {
            done = read(true);
        }
        let done = done.map(|document| (source.file, document.unwrap_or_default()));
        finish_text(source.file, done).map(|(_, document)| document)
    })
}

struct Reader<'s> {
    cx: Cx<'s>,
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
struct Open<'d, 't> {
    element: Element<'d, 't>,
    id: u32,
    next: Option<Element<'d, 't>>,
    /// Where its start tag ends.
    inside: usize,
    /// Whether all is in the place that Studio gives it.
    regular: bool,
    has_properties: bool,
    has_items: bool,
}

impl<'s> Reader<'s> {
    fn new(source: &'s Source<'s>, limits: Limits, deep: bool) -> Self {
        let cx = Cx::new(source, limits.max_bytes);
        let document = Document { attributes: Vec::new(), externals: Vec::new(), ..Document::default() };
        Self { cx, out: Out::new(b"", b"", 0), limits, document, at: 0, deep, properties: Vec::new() }
    }

    fn range(&self, element: Element<'_, '_>) -> Range<usize> {
        self.cx.source.range(element.range())
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
    fn raw(&mut self, element: Element<'_, '_>, range: Range<usize>) -> Read<'s, Option<Raw>> {
        self.at = range.end;
        let text = self.cx.source.slice(range);
        // What XML cannot hold is written where it stood in the file, and nowhere else.
        if self.out.take_illegal().is_none() && text == self.out.bytes {
            return Ok(None);
        }
        self.cx.charge(element, text.len().saturating_add(96))?;
        Ok(Some(Raw { text: text.into(), of: hash(&self.out.bytes) }))
    }

    fn document<'d, 't: 'd>(mut self, tree: &'d Tree<'t>) -> Read<'s, Option<Document>> {
        let root = tree.root();
        let file = self.cx.source.file;
        let range = self.range(root);
        if root.tag() != "roblox" {
            let what = format!("the first element is <{}>, not <roblox>", root.tag());
            return Err(Fail::invalid(self.cx.at(root.range().start), what));
        }
        let tag_len = tag_end(self.cx.source.slice(range.clone()));
        let inside = range.start.saturating_add(tag_len).min(range.end);
        self.start_tag(root, range.start..inside)?;
        self.style(root, inside);
        let layout = &mut self.document.layout;
        layout.prolog = file.get(..range.start).unwrap_or_default().into();
        layout.epilog = file.get(range.end..).unwrap_or_default().into();
        self.at = inside;
        let mut regular = true;
        // In the order of the kinds: a step back is irregular.
        let mut stage = 0_u8;
        for child in root.elements() {
            let kind = match child.tag() {
                "Meta" => 0,
                "External" => 1,
                "Item" => 2,
                "SharedStrings" => 3,
                _ => 4,
            };
            let to = self.range(child).start;
            regular &= self.line(1, to) && kind >= stage && kind < 4 && !(stage == 3 && kind == 3);
            stage = stage.max(kind);
            match kind {
                0 => self.metadata(child)?,
                1 => self.external(child)?,
                2 => {
                    if !self.tree(child)? {
                        return Ok(None);
                    }
                }
                3 => regular &= self.shared_strings(child)?,
                _ => self.at = self.range(child).end,
            }
        }
        regular &= self.line_with(0, "</roblox>") && self.at == range.end;
        if !regular {
            self.document.layout.body = pieces::of_root(&mut self.cx, root, inside, range.end)?;
        }
        self.document.nodes.shrink_to_fit();
        self.document.shared_strings.shrink_to_fit();
        Ok(Some(self.document))
    }

    fn start_tag(&mut self, root: Element<'_, '_>, range: Range<usize>) -> Read<'s, ()> {
        let text = self.cx.source.slice(range.clone());
        let (_, tag) = start_tag(text).map_err(|_| self.cx.invalid(root, "malformed start tag of roblox"))?;
        for (name, value) in tag.attributes {
            let name = String::from_utf8_lossy(name);
            // The parser knows an attribute without its prefix; a declaration of a prefix is none for it.
            let local = name.rsplit(':').next().unwrap_or_default();
            let parsed = (!name.starts_with("xmlns")).then(|| root.attribute(local)).flatten();
            let value = match parsed {
                Some(value) => self.cx.source.value(value),
                None => plain(value),
            };
            self.cx.charge(root, value.len().saturating_add(64))?;
            let name = self.cx.name(root, &name)?;
            self.document.attributes.push((name, value));
        }
        self.out.bytes.clear();
        document::start(&mut self.out, &self.document.attributes);
        self.document.layout.start = self.raw(root, range)?;
        Ok(())
    }

    /// Finds out how lines end and are indented, from the first one.
    fn style(&mut self, root: Element<'_, '_>, inside: usize) {
        let first = root.first().map(|first| self.range(first).start);
        let style = first.and_then(|first| document::style(self.cx.source.slice(inside..first)));
        let layout = &mut self.document.layout;
        let Layout { newline, indent, .. } = Layout::default();
        (layout.newline, layout.indent) = style.unwrap_or((newline, indent));
        let indent: &[u8] = if self.deep { b"" } else { &layout.indent };
        self.out = Out::new(&layout.newline, indent, INDENTED_DEPTH.saturating_add(8));
    }

    fn metadata(&mut self, element: Element<'_, '_>) -> Read<'s, ()> {
        let key = self.cx.name(element, element.attribute("name").unwrap_or_default())?;
        let value = self.cx.value(element).field("Meta")?;
        let metadata = Metadata { key, value };
        self.out.bytes.clear();
        item::metadata(&mut self.out, &metadata);
        let raw = self.raw(element, self.range(element))?;
        keep(&mut self.document.layout.metadata, self.document.metadata.len(), raw);
        self.document.metadata.push(metadata);
        Ok(())
    }

    fn external(&mut self, element: Element<'_, '_>) -> Read<'s, ()> {
        let external = self.cx.value(element).field("External")?;
        self.out.bytes.clear();
        item::external(&mut self.out, external.as_ref());
        let raw = self.raw(element, self.range(element))?;
        keep(&mut self.document.layout.externals, self.document.externals.len(), raw);
        self.document.externals.push(external);
        Ok(())
    }

    /// Whether the shared strings stand as Studio writes them.
    fn shared_strings(&mut self, element: Element<'_, '_>) -> Read<'s, bool> {
        let range = self.range(element);
        self.out.bytes.clear();
        self.out.raw("<SharedStrings>");
        let mut regular = self.goes_on() && element.first().is_some();
        if !regular {
            self.at = range.start;
        }
        for child in element.elements() {
            let to = self.range(child).start;
            regular &= self.line(2, to) && child.tag() == "SharedString";
            if child.tag() != "SharedString" {
                self.at = self.range(child).end;
                continue;
            }
            self.shared_string(child)
                .named(|| child.attribute("md5").unwrap_or_default().to_owned())
                .field("SharedStrings")?;
        }
        regular &= self.line_with(1, "</SharedStrings>") && self.at == range.end;
        self.at = range.end;
        Ok(regular)
    }

    fn shared_string(&mut self, element: Element<'_, '_>) -> Read<'s, ()> {
        let key = self.cx.name(element, element.attribute("md5").unwrap_or_default().trim_ascii())?;
        let bytes = scalar::base64(&mut self.cx, element)?;
        let shared = SharedString { key, bytes: bytes.into() };
        self.out.bytes.clear();
        item::shared_string(&mut self.out, &shared);
        let raw = self.raw(element, self.range(element))?;
        keep(&mut self.document.layout.shared_strings, self.document.shared_strings.len(), raw);
        self.document.shared_strings.push(shared);
        Ok(())
    }

    /// Reads an item and all below it, without recursion. False where that is too deep to indent.
    fn tree<'d, 't: 'd>(&mut self, top: Element<'d, 't>) -> Read<'s, bool> {
        let mut stack = vec![self.open(top, None)?];
        while let Some(open) = stack.last_mut() {
            let Some(child) = open.next else {
                let depth = stack.len();
                if let Some(open) = stack.pop() {
                    self.close(open, depth)?;
                }
                continue;
            };
            open.next = child.next();
            let to = self.range(child).start;
            let (id, depth) = (open.id, stack.len());
            let Some(open) = stack.last_mut() else { break };
            open.regular &= self.line(depth.saturating_add(1), to);
            match child.tag() {
                "Item" => {
                    open.has_items = true;
                    if depth >= self.limits.max_depth as usize {
                        let allowed = u64::from(self.limits.max_depth);
                        let kind = ErrorKind::Limit(crate::error::Limit { name: "max_depth", allowed });
                        return Err(Fail::new(self.cx.at(child.range().start), kind));
                    }
                    if depth >= INDENTED_DEPTH && !self.deep {
                        return Ok(false);
                    }
                    stack.push(self.open(child, Some(ItemId(id)))?);
                }
                "Properties" => {
                    open.regular &= !open.has_properties && !open.has_items;
                    open.has_properties = true;
                    let id = open.id;
                    let element = open.element;
                    let regular = self.properties(child, id, depth).named(|| {
                        item::path(
                            element.attribute("class").unwrap_or_default(),
                            element.attribute("referent"),
                        )
                    })?;
                    if let Some(open) = stack.last_mut() {
                        open.regular &= regular;
                    }
                }
                _ => {
                    open.regular = false;
                    self.at = self.range(child).end;
                }
            }
        }
        Ok(true)
    }

    fn open<'d, 't: 'd>(
        &mut self,
        element: Element<'d, 't>,
        parent: Option<ItemId>,
    ) -> Read<'s, Open<'d, 't>> {
        self.cx.charge(element, size_of::<Node>().saturating_mul(2))?;
        let class = self.cx.name(element, element.attribute("class").unwrap_or_default())?;
        let referent = match element.attribute("referent") {
            Some(referent) => Some(self.cx.name(element, referent)?),
            None => None,
        };
        let mut item = Item { class, referent, ..Item::default() };
        self.out.bytes.clear();
        item::start(&mut self.out, &item);
        if !self.goes_on() || self.out.has_illegal() {
            let range = self.range(element);
            let end = range.start.saturating_add(tag_end(self.cx.source.slice(range.clone())));
            let start = self.raw(element, range.start..end)?;
            item.layout = Some(Box::new(ItemLayout { start, ..ItemLayout::default() }));
        }
        let id =
            self.document.insert(parent, item).map_err(|_| self.cx.invalid(element, "too many items"))?;
        let inside = self.at;
        Ok(Open {
            element,
            id: id.0,
            next: element.first(),
            inside,
            regular: true,
            has_properties: false,
            has_items: false,
        })
    }

    fn close(&mut self, open: Open<'_, '_>, depth: usize) -> Read<'s, ()> {
        let Open { element, id, inside, regular, has_properties, .. } = open;
        let end = self.range(element).end;
        let regular = regular && has_properties && self.line_with(depth, "</Item>") && self.at == end;
        self.at = end;
        if !regular {
            let body = pieces::of_item(&mut self.cx, element, inside, end)?;
            if let Some(layout) = self.layout(id) {
                layout.body = body;
            }
        }
        if let Some(item) = self.document.nodes.get_mut(id as usize).map(|node| &mut node.item)
            && let Some(layout) = &mut item.layout
        {
            layout.property_count = u32::try_from(item.properties.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    fn layout(&mut self, id: u32) -> Option<&mut ItemLayout> {
        let node = self.document.nodes.get_mut(id as usize)?;
        Some(node.item.layout.get_or_insert_default())
    }

    /// Reads properties; whether they stand as Studio writes them.
    fn properties<'d, 't: 'd>(&mut self, element: Element<'d, 't>, id: u32, depth: usize) -> Read<'s, bool> {
        let range = self.range(element);
        self.out.bytes.clear();
        self.out.raw("<Properties>");
        let mut regular = self.goes_on();
        let inner = depth.saturating_add(2);
        let before = self.document.nodes.get(id as usize).map_or(0, |node| node.item.properties.len());
        let mut raws = Vec::new();
        for child in element.elements() {
            let place = self.range(child);
            regular &= self.line(inner, place.start);
            self.cx.charge(child, size_of::<Property>().saturating_mul(2).saturating_add(64))?;
            let property = property::read(&mut self.cx, child)?;
            self.out.bytes.clear();
            property::write(&mut self.out, inner, &property);
            let raw = self.raw(child, place)?;
            keep(&mut raws, before.saturating_add(self.properties.len()), raw);
            self.properties.push(property);
        }
        if let Some(node) = self.document.nodes.get_mut(id as usize) {
            node.item.properties.reserve_exact(self.properties.len());
            node.item.properties.append(&mut self.properties);
        }
        if !raws.is_empty()
            && let Some(layout) = self.layout(id)
        {
            raws.shrink_to_fit();
            match layout.properties.is_empty() {
                true => layout.properties = raws,
                false => layout.properties.append(&mut raws),
            }
        }
        regular &= self.line_with(depth.saturating_add(1), "</Properties>") && self.at == range.end;
        self.at = range.end;
        Ok(regular)
    }
}

fn keep(raws: &mut Vec<(u32, Raw)>, index: usize, raw: Option<Raw>) {
    if let (Some(raw), Ok(index)) = (raw, u32::try_from(index)) {
        raws.push((index, raw));
    }
}

/// The value of an attribute that the parser keeps to itself: one that declares a prefix.
fn plain(value: &[u8]) -> Text {
    use bstr::ByteSlice as _;
    let replaced = [("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        .iter()
        .fold(value.to_vec(), |text, (from, to)| text.replace(from, to));
    replaced.into()
}
