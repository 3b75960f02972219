//! From a document to text.

use std::borrow::Cow;

use crate::consts::INDENTED_DEPTH;
use crate::error::{Error, Result};
use crate::model::{Document, Item, ItemId, Part, Property, Raw, Value};
use crate::options::Illegal as Policy;
use crate::wire::out::{Out, hash};
use crate::wire::read::one_element;
use crate::wire::{document, item, property};

/// The document as a file.
pub(crate) fn write(document: &Document, policy: Policy) -> Result<Vec<u8>> {
    let layout = &document.layout;
    // The indentation of a deep tree would grow with the square of its depth.
    let indent: &[u8] = if document.depth() > INDENTED_DEPTH { b"" } else { &layout.indent };
    let mut out = Out::new(&layout.newline, indent, INDENTED_DEPTH.saturating_add(8));
    out.bytes.reserve(estimate(document));
    let mut writer = Writer { document, policy, out, stack: Vec::new() };
    writer.out.raw(&layout.prolog);
    writer.run()?;
    writer.out.raw(&layout.epilog);
    Ok(writer.out.bytes)
}

/// About how long the file will be: growing would copy it again and again.
fn estimate(document: &Document) -> usize {
    let shared = document.shared_strings.iter().map(|shared| shared.bytes.len());
    let start = shared.fold(1024_usize, |sum, len| sum.saturating_add(len / 2).saturating_add(len));
    let property = |property: &Property| {
        let value = match &property.value {
            Value::CFrame(_) | Value::OptionalCFrame(Some(_)) => 330,
            Value::Vector3(_) | Value::Color3(_) | Value::UDim2(_) => 90,
            Value::PhysicalProperties(_) | Value::Vector2(_) => 60,
            Value::BinaryString(bytes) => bytes.len().saturating_add(bytes.len() / 2),
            value => value.as_bytes().map_or(24, <[u8]>::len),
        };
        value.saturating_add(property.name.len()).saturating_add(44)
    };
    document.items().fold(start, |sum, (_, item)| {
        item.properties.iter().map(property).fold(sum.saturating_add(160), usize::saturating_add)
    })
}

struct Writer<'a> {
    document: &'a Document,
    policy: Policy,
    out: Out,
    stack: Vec<Open<'a>>,
}

/// A body that is being written: of an item, or of `roblox`.
struct Open<'a> {
    /// `None` for `roblox`.
    item: Option<&'a Item>,
    /// The pieces as they stood in the file; none where the body is as Studio writes it.
    parts: Cow<'a, [Part]>,
    part: usize,
    /// How many of each kind are written.
    done: [usize; KINDS],
    /// The next child.
    next: Option<ItemId>,
}

/// The kinds of things that a body holds.
const KINDS: usize = 5;
const METADATA: usize = 0;
const EXTERNAL: usize = 1;
const ITEM: usize = 2;
const SHARED: usize = 3;
const PROPERTY: usize = 4;
const OF_KIND: [Part; KINDS] =
    [Part::Metadata, Part::External, Part::Item, Part::SharedString, Part::Property];

fn kind(part: &Part) -> Option<usize> {
    match part {
        Part::Text(_) => None,
        Part::Metadata => Some(METADATA),
        Part::External => Some(EXTERNAL),
        Part::Item => Some(ITEM),
        Part::SharedString => Some(SHARED),
        Part::Property => Some(PROPERTY),
    }
}

impl<'a> Writer<'a> {
    fn run(&mut self) -> Result<()> {
        let document = self.document;
        let start = self.out.bytes.len();
        document::start(&mut self.out, &document.attributes);
        let tag = self.out.bytes.get(start..).unwrap_or_default();
        let closed = [tag, b"</roblox>".as_slice()].concat();
        one_element(&closed)
            .map_err(|error| Error::unwritable("attributes", format!("them as a tag: {error}")))?;
        let empty = document.is_empty()
            && document.metadata.is_empty()
            && document.externals.is_empty()
            && document.shared_strings.is_empty();
        let replaced = self.replace(start, document.layout.start.as_ref());
        self.legal(replaced, || "attributes".into())?;
        if self.out.bytes.ends_with(b"/>") {
            if empty {
                return Ok(());
            }
            self.out.bytes.truncate(self.out.bytes.len().saturating_sub(2));
            self.out.raw(">");
        }
        let root = Open {
            item: None,
            parts: self.fit(None, &document.layout.body, 0),
            part: 0,
            done: [0; KINDS],
            next: document.roots().next(),
        };
        if root.parts.is_empty() {
            self.all(METADATA, document.metadata.len(), 1)?;
            self.all(EXTERNAL, document.externals.len(), 1)?;
        }
        self.stack.push(root);
        while let Some(mut open) = self.stack.pop() {
            let depth = self.stack.len();
            let child = match open.parts.is_empty() {
                true => self.regular(&mut open, depth)?,
                false => self.irregular(&mut open)?,
            };
            if let Some(id) = child {
                open.next =
                    document.node(id).and_then(|node| (node.next != u32::MAX).then_some(ItemId(node.next)));
                self.stack.push(open);
                self.open(id)?;
            }
        }
        Ok(())
    }

    /// Goes on with a body that is as Studio writes it, up to the next child or the end.
    fn regular(&mut self, open: &mut Open<'a>, depth: usize) -> Result<Option<ItemId>> {
        if open.next.is_some() {
            self.out.line(depth.saturating_add(1));
            return Ok(open.next);
        }
        if open.item.is_some() {
            self.out.line(depth);
            self.out.raw("</Item>");
            return Ok(None);
        }
        let shared = self.document.shared_strings.len();
        if shared > 0 {
            self.out.line(1);
            self.out.raw("<SharedStrings>");
            self.all(SHARED, shared, 2)?;
            self.out.line(1);
            self.out.raw("</SharedStrings>");
        }
        self.out.line(0);
        self.out.raw("</roblox>");
        Ok(None)
    }

    /// Goes on with a body whose pieces are known, up to the next child or the end.
    fn irregular(&mut self, open: &mut Open<'a>) -> Result<Option<ItemId>> {
        while let Some(part) = open.parts.get(open.part) {
            open.part = open.part.saturating_add(1);
            if let Part::Text(text) = part {
                self.out.raw(text);
                continue;
            }
            let kind = kind(part).unwrap_or_default();
            if kind == ITEM {
                return Ok(open.next);
            }
            let index = open.done.get(kind).copied().unwrap_or_default();
            self.one(open.item, kind, index)?;
            if let Some(done) = open.done.get_mut(kind) {
                *done = index.saturating_add(1);
            }
        }
        Ok(None)
    }

    /// The start of an item, and its properties where they stand as Studio writes them.
    fn open(&mut self, id: ItemId) -> Result<()> {
        let document = self.document;
        let Some(node) = document.node(id) else { return Ok(()) };
        let item = &node.item;
        let start = self.out.bytes.len();
        item::start(&mut self.out, item);
        let layout = item.layout.as_deref();
        let replaced = self.replace(start, layout.and_then(|layout| layout.start.as_ref()));
        self.legal(replaced, || path(item))?;
        let next = document.children(id).next();
        if self.out.bytes.ends_with(b"/>") {
            if item.properties.is_empty() && next.is_none() {
                return Ok(());
            }
            self.out.bytes.truncate(self.out.bytes.len().saturating_sub(2));
            self.out.raw(">");
        }
        let depth = self.stack.len();
        let parts = match layout {
            Some(layout) => self.fit(Some(id), &layout.body, depth),
            None => Cow::Borrowed([].as_slice()),
        };
        if parts.is_empty() {
            self.out.line(depth.saturating_add(1));
            self.out.raw("<Properties>");
            let inner = depth.saturating_add(2);
            for index in 0..item.properties.len() {
                self.out.line(inner);
                self.property(item, index, inner)?;
            }
            self.out.line(depth.saturating_add(1));
            self.out.raw("</Properties>");
        }
        self.stack.push(Open { item: Some(item), parts, part: 0, done: [0; KINDS], next });
        Ok(())
    }

    /// All of a kind, each on a line of its own.
    fn all(&mut self, kind: usize, count: usize, depth: usize) -> Result<()> {
        for index in 0..count {
            self.out.line(depth);
            self.one(None, kind, index)?;
        }
        Ok(())
    }

    /// One of a kind.
    fn one(&mut self, item: Option<&Item>, kind: usize, index: usize) -> Result<()> {
        let document = self.document;
        let layout = &document.layout;
        let start = self.out.bytes.len();
        let raws = match (kind, item) {
            (PROPERTY, Some(item)) => {
                let depth = self.stack.len().saturating_add(2);
                return self.property(item, index, depth);
            }
            (METADATA, _) => {
                let Some(metadata) = document.metadata.get(index) else { return Ok(()) };
                item::metadata(&mut self.out, metadata);
                &layout.metadata
            }
            (EXTERNAL, _) => {
                let Some(external) = document.externals.get(index) else { return Ok(()) };
                item::external(&mut self.out, external.as_ref());
                &layout.externals
            }
            _ => {
                let Some(shared) = document.shared_strings.get(index) else { return Ok(()) };
                item::shared_string(&mut self.out, shared);
                if shared.key.trim_ascii() != &*shared.key {
                    let path = format!("shared_strings[{index}].key");
                    return Err(Error::unwritable(path, "a key with white space around it"));
                }
                &layout.shared_strings
            }
        };
        let replaced = self.replace(start, raw(raws, index));
        let name = ["metadata", "externals", "items", "shared_strings", "properties"];
        self.legal(replaced, || format!("{}[{index}]", name.get(kind).copied().unwrap_or_default()))
    }

    fn property(&mut self, item: &Item, index: usize, depth: usize) -> Result<()> {
        let Some(property) = item.properties.get(index) else { return Ok(()) };
        let start = self.out.bytes.len();
        property::write(&mut self.out, depth, property);
        let path = || format!("{}.{}", path(item), property.name);
        if let Some(layout) = item.layout.as_deref().filter(|layout| !layout.properties.is_empty()) {
            let place = raw(&layout.properties, index);
            let mut replaced = self.replace(start, place);
            let shifted = item.properties.len() != layout.property_count as usize;
            if !replaced && shifted && layout.properties.len() <= 64 {
                // Others were put in front of it, perhaps, or taken away.
                let of = hash(self.out.bytes.get(start..).unwrap_or_default());
                let moved = layout.properties.iter().map(|(_, raw)| raw).find(|raw| raw.of == of);
                replaced = self.replace(start, moved);
            }
            if replaced {
                return self.legal(true, path);
            }
        }
        let written = self.out.bytes.get(start..).unwrap_or_default();
        if let Some(what) = property::refuse(property, written) {
            return Err(Error::unwritable(path(), what));
        }
        self.legal(false, path)
    }

    /// Puts the text as it stood in the file in place of what was written, where that says the same.
    fn replace(&mut self, start: usize, raw: Option<&Raw>) -> bool {
        let Some(raw) = raw else { return false };
        let same = hash(self.out.bytes.get(start..).unwrap_or_default()) == raw.of;
        if same {
            self.out.bytes.truncate(start);
            self.out.raw(&raw.text);
        }
        same
    }

    /// Refuses what XML cannot hold, unless it stood so in the file or the caller allows it.
    #[inline]
    fn legal(&mut self, replaced: bool, path: impl FnOnce() -> String) -> Result<()> {
        match self.out.take_illegal() {
            Some(what) if !replaced && self.policy == Policy::Refuse => {
                Err(Error::unwritable(path(), property::illegal(what)))
            }
            _ => Ok(()),
        }
    }

    /// The pieces of a body, made to hold as many of each kind as there are now: what was added goes
    /// behind the last of its kind, what was removed goes with the white space in front of it. None
    /// where all is as Studio writes it, and where there is no place for what was added.
    fn fit(&self, id: Option<ItemId>, parts: &'a [Part], depth: usize) -> Cow<'a, [Part]> {
        if parts.is_empty() {
            return Cow::Borrowed(parts);
        }
        let document = self.document;
        let have = match id.and_then(|id| Some((id, document.item(id)?))) {
            Some((id, item)) => [0, 0, document.children(id).count(), 0, item.properties.len()],
            None => {
                let shared = document.shared_strings.len();
                [document.metadata.len(), document.externals.len(), document.roots().count(), shared, 0]
            }
        };
        let mut places = [0_usize; KINDS];
        for part in parts.iter().filter_map(kind) {
            if let Some(places) = places.get_mut(part) {
                *places = places.saturating_add(1);
            }
        }
        if places == have {
            return Cow::Borrowed(parts);
        }
        let at = |counts: &[usize; KINDS], kind: usize| counts.get(kind).copied().unwrap_or_default();
        if [PROPERTY, SHARED].into_iter().any(|kind| at(&places, kind) == 0 && at(&have, kind) > 0) {
            return Cow::Borrowed(&[]);
        }
        let gap = |kind: usize| {
            let levels = if kind == PROPERTY || kind == SHARED { 2 } else { 1 };
            Part::Text(self.out.gap(depth.saturating_add(levels)).into())
        };
        let mut seen = [0_usize; KINDS];
        let mut fitted: Vec<Part> = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let Some(kind) = kind(part) else {
                if index.saturating_add(1) == parts.len() {
                    for (kind, part) in OF_KIND.iter().enumerate().filter(|&(kind, _)| at(&places, kind) == 0)
                    {
                        for _ in 0..at(&have, kind) {
                            fitted.extend([gap(kind), part.clone()]);
                        }
                    }
                }
                fitted.push(part.clone());
                continue;
            };
            if let Some(seen) = seen.get_mut(kind) {
                *seen = seen.saturating_add(1);
            }
            if at(&seen, kind) > at(&have, kind) {
                if matches!(fitted.last(), Some(Part::Text(text)) if text.trim_ascii().is_empty()) {
                    fitted.pop();
                }
                continue;
            }
            fitted.push(part.clone());
            if at(&seen, kind) == at(&places, kind) {
                for _ in at(&places, kind)..at(&have, kind) {
                    fitted.extend([gap(kind), part.clone()]);
                }
            }
        }
        Cow::Owned(fitted)
    }
}

fn raw(raws: &[(u32, Raw)], index: usize) -> Option<&Raw> {
    let place = raws.binary_search_by_key(&(index as u64), |(index, _)| u64::from(*index)).ok()?;
    raws.get(place).map(|(_, raw)| raw)
}

fn path(item: &Item) -> String {
    item::path(&item.class, item.referent.as_deref())
}
