//! Reads a document.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bstr::ByteSlice as _;

use crate::consts::Version;
use crate::model::{
    Document, External, Instance, InstanceId, Layout, Metadata, NONE, Name, Property, SharedBytes,
    SharedString, Span, Unknown, UnknownPart,
};
use crate::options::ReadOptions;
use crate::wire::cx::{Cx, Read};
use crate::wire::out::Out;
use crate::wire::xml::{Scanner, Tag};
use crate::wire::{element, property, scalar};
use geom::wire::{At as _, Budget, ErrorKind, Fail, Here as _, Limit, Result, finish_text};

/// The version of a document, from its first tag alone; 0 if the tag has none. `None` if the bytes are not a document
/// in XML; a binary document begins with `<roblox!`.
pub fn detect(bytes: &[u8]) -> Option<Version> {
    let root = Scanner::new(bytes, Budget::new(u64::MAX), u32::MAX).root().ok()?;
    let version = root.attribute("version").and_then(|value| Version::from_text(value.as_ref().into()));
    Some(version.unwrap_or(Version(0)))
}

impl ReadOptions {
    /// Reads a document.
    ///
    /// # Errors
    /// If the bytes are not XML, or if the root element is not `roblox`; with line, column and, if known, the instance
    /// and the property. If a limit is reached. `Unsupported` for a document type declaration, and for encodings other
    /// than UTF-8. A value that does not match its type is not an error: it is read as [`Unknown`](crate::types::Unknown), and
    /// [`check`](crate::check) reports it.
    pub fn read(&self, bytes: &[u8]) -> Result<Document> {
        Ok(self.read_counted(bytes)?.0)
    }

    pub(crate) fn read_within(&self, bytes: Cow<'_, [u8]>, budget: &mut Budget) -> Result<Document> {
        let (mut document, left) = self.read_all(&bytes, budget.clone())?;
        *budget = left;
        if self.keep_source && u32::try_from(bytes.len()).is_ok() {
            document.source.bytes = Some(Arc::new(budget.own(bytes)?));
        }
        Ok(document)
    }

    fn read_all(&self, bytes: &[u8], budget: Budget) -> Result<(Document, Budget)> {
        let mut reader = Reader {
            cx: Cx::new(Scanner::new(bytes, budget, self.max_nodes)),
            max_depth: self.max_depth as usize,
            document: Document::empty(),
            properties: Vec::new(),
            references: Vec::new(),
            keys: Vec::new(),
            stack: Vec::new(),
        };
        let read = reader.document();
        finish_text(bytes, read.map(|()| (bytes, ())))?;
        let Reader { cx, mut document, .. } = reader;
        document.names = cx.names;
        Ok((document, cx.scanner.budget))
    }
}

struct Reader<'s> {
    cx: Cx<'s>,
    max_depth: usize,
    document: Document,
    /// The properties of the element that is being read.
    properties: Vec<Property>,
    references: Vec<Reference>,
    keys: Vec<Reference>,
    /// The instances that are open; empty between trees.
    stack: Vec<Open<'s>>,
}

/// A reference to an instance, or the key of a shared string. It is resolved at the end, when all targets are known.
struct Reference {
    instance: u32,
    property: u32,
    to: Name,
}

/// An instance whose children are being read.
struct Open<'s> {
    tag: Tag<'s>,
    id: InstanceId,
    /// The number of elements `Properties` so far.
    blocks: u32,
}

impl<'s> Reader<'s> {
    /// The position of the element with this tag, whose end was just read.
    fn span(&self, tag: Tag<'s>) -> Span {
        Span::new(tag.start()..self.cx.scanner.at())
    }

    fn document(&mut self) -> Read<'s, ()> {
        let root = self.cx.scanner.root()?;
        for (name, value) in root.attributes() {
            self.cx.scanner.charge(root.start(), value.len() + 64)?;
            let name = self.cx.name(root.start(), name)?;
            self.document.attributes.push((name, value.as_ref().into()));
        }
        let mut next = self.cx.scanner.child()?;
        self.style(next.map(|first| root.end()..first.start()))?;
        while let Some(child) = next {
            match child.name() {
                b"Meta" => self.metadata(child)?,
                b"External" => self.external(child)?,
                b"Item" => self.tree(child)?,
                b"SharedStrings" => self.shared_strings()?,
                _ => self.unknown(child, NONE)?,
            }
            next = self.cx.scanner.child()?;
        }
        self.document.source.root = self.span(root);
        let (prolog, epilog) =
            (self.cx.scanner.slice(0..root.start()), self.cx.scanner.from(self.cx.scanner.at()));
        self.cx.scanner.charge(0, prolog.len() + epilog.len())?;
        self.document.layout.prolog = prolog.into();
        self.document.layout.epilog = epilog.into();
        self.resolve()
    }

    /// Detects line ends and indentation from the text before the first element in `roblox`.
    fn style(&mut self, gap: Option<Range<usize>>) -> Read<'s, ()> {
        let Layout { newline, indent, .. } = Layout::default();
        let before = self.cx.scanner.budget.left();
        if let Some(gap) = &gap {
            self.cx.scanner.charge(gap.start, 2 * gap.len())?;
        }
        let style = gap.and_then(|gap| element::style(self.cx.scanner.slice(gap)));
        let (newline, indent) = style.unwrap_or((newline, indent));
        self.cx.scanner.budget.refund_since(before, 2 * (newline.len() + indent.len()));
        // Both are kept twice, to detect changes.
        let Document { layout, source, .. } = &mut self.document;
        (layout.newline, layout.indent) = (newline.clone(), indent.clone());
        (source.newline, source.indent) = (newline, indent);
        Ok(())
    }

    /// Resolves references to instances, and keys of shared strings. A dangling reference becomes null; a value with an
    /// undefined key is kept as text.
    fn resolve(&mut self) -> Read<'s, ()> {
        for Reference { instance, property, to } in std::mem::take(&mut self.references) {
            let target = self.cx.names.get(&to).map(|uses| uses.instance).filter(|&id| id != NONE);
            let node = self.document.nodes.get_mut(instance as usize);
            let property = node.and_then(|node| node.instance.properties.get_mut(property as usize));
            if let Some(reference) = property.and_then(|property| property.value.reference_mut()) {
                *reference = target.and_then(InstanceId::new);
            }
        }
        for Reference { instance, property, to } in std::mem::take(&mut self.keys) {
            let shared = self
                .cx
                .names
                .get(&to)
                .and_then(|uses| self.document.shared_strings.get(uses.shared as usize));
            let node = self.document.nodes.get_mut(instance as usize);
            let property = node.and_then(|node| node.instance.properties.get_mut(property as usize));
            let Some(property) = property else { continue };
            match (property.value.shared_mut(), shared) {
                (Some(bytes), Some(shared)) => *bytes = shared.bytes().clone(),
                _ => {
                    self.cx.scanner.charge(0, to.len() + 64)?;
                    self.cx.scanner.charge_values::<Unknown>(0, 1)?;
                    let mut out = Out::new(b"", b"");
                    out.text(to.as_bytes());
                    property.value =
                        Unknown { tag: property.value.tag().into(), xml: out.bytes.into() }.into();
                }
            }
        }
        Ok(())
    }

    fn metadata(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = self.cx.attribute(tag, "name")?;
        let value = self.cx.value().field("Meta")?;
        let metadata = Metadata { key, value, at: self.span(tag) };
        let at = self.cx.scanner.from(tag.start());
        self.cx.scanner.budget.push(&mut self.document.metadata, metadata).here(at)
    }

    fn external(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let value = self.cx.value().field("External")?;
        let external = External { value, at: self.span(tag) };
        let at = self.cx.scanner.from(tag.start());
        self.cx.scanner.budget.push(&mut self.document.externals, external).here(at)
    }

    fn shared_strings(&mut self) -> Read<'s, ()> {
        while let Some(child) = self.cx.scanner.child()? {
            match child.name() {
                b"SharedString" => self.shared_string(child).field("SharedStrings")?,
                _ => self.unknown(child, NONE)?,
            }
        }
        Ok(())
    }

    fn shared_string(&mut self, tag: Tag<'s>) -> Read<'s, ()> {
        let key = tag.attribute("md5").unwrap_or_default();
        let key = self.cx.name(tag.start(), key.trim_ascii())?;
        let bytes = scalar::bytes(&mut self.cx).named(|| key.to_string())?;
        let at = self.cx.scanner.from(tag.start());
        self.cx.scanner.budget.take(SharedBytes::BESIDE).here(at)?;
        let shared = SharedString { key, bytes: bytes.into(), at: self.span(tag) };
        let index = self.document.shared_strings.len();
        self.cx.names.uses(&shared.key).shared = u32::try_from(index).unwrap_or(NONE);
        self.cx.scanner.budget.push(&mut self.document.shared_strings, shared).here(at)
    }

    /// Reads an instance and its descendants, without recursion.
    fn tree(&mut self, top: Tag<'s>) -> Read<'s, ()> {
        let mut stack = std::mem::take(&mut self.stack);
        self.open(&mut stack, top, None)?;
        while !stack.is_empty() {
            let depth = stack.len();
            let Some(child) = self.cx.scanner.child()? else {
                if let Some(open) = stack.pop() {
                    self.end(open)?;
                }
                continue;
            };
            let Some(open) = stack.last_mut() else { break };
            match child.name() {
                b"Item" => {
                    if depth >= self.max_depth {
                        let kind = ErrorKind::Limit(Limit::new("max_depth", self.max_depth as u64));
                        return Err(Fail::new(self.cx.scanner.from(child.start()), kind));
                    }
                    let parent = open.id;
                    self.open(&mut stack, child, Some(parent))?;
                }
                b"Properties" => {
                    open.blocks = open.blocks.saturating_add(1);
                    let id = open.id;
                    self.properties(child, id).named(|| self.document.described(id))?;
                }
                _ => {
                    let id = open.id;
                    self.unknown(child, id.slot())?;
                }
            }
        }
        self.stack = stack;
        Ok(())
    }

    /// Skips an unknown element, and notes its name.
    #[cold]
    fn unknown(&mut self, tag: Tag<'s>, instance: u32) -> Read<'s, ()> {
        self.note(tag, instance, UnknownPart::Element(tag.name().to_str_lossy().into_owned()))?;
        self.cx.scanner.skip()
    }

    #[cold]
    fn note(&mut self, tag: Tag<'s>, at: u32, what: UnknownPart) -> Read<'s, ()> {
        let length = match &what {
            UnknownPart::Element(name) | UnknownPart::Attribute(name) => name.len(),
            UnknownPart::PropertyAttribute { name, property }
            | UnknownPart::PropertyElement { name, property } => name.len() + property.len(),
        };
        self.cx.scanner.charge(tag.start(), length + 64)?;
        let place = self.cx.scanner.from(tag.start());
        self.cx.scanner.budget.push(&mut self.document.source.unknown, (at, what)).here(place)
    }

    /// Notes the unknown attributes of an instance, or of a property.
    fn attributes(
        &mut self,
        tag: Tag<'s>,
        id: InstanceId,
        known: &[&str],
        property: Option<&str>,
    ) -> Read<'s, ()> {
        for (name, _) in tag.attributes() {
            if !known.iter().any(|known| known.as_bytes() == name) {
                let name = name.to_str_lossy().into_owned();
                let what = match property {
                    None => UnknownPart::Attribute(name),
                    Some(property) => UnknownPart::PropertyAttribute { name, property: property.to_owned() },
                };
                self.note(tag, id.slot(), what)?;
            }
        }
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
        let instance = Instance { class, referent: referent.clone(), ..Instance::default() };
        let id = self.document.append(parent, instance);
        let id = id.ok_or_else(|| Fail::unsupported(at, "document with more than 4294967293 instances"))?;
        self.attributes(tag, id, &["class", "referent"], None)?;
        if let Some(referent) = referent {
            self.document.twins |= !self.cx.names.name_instance(&referent, id.slot());
        }
        self.cx.scanner.budget.push(stack, Open { tag, id, blocks: 0 }).here(at)
    }

    fn end(&mut self, Open { tag, id, blocks }: Open<'s>) -> Read<'s, ()> {
        let span = self.span(tag);
        if let Some(instance) = self.document.instance_mut(id) {
            instance.at = span;
        }
        if blocks > 1 {
            let at = self.cx.scanner.from(tag.start());
            self.cx.scanner.budget.push(&mut self.document.source.blocks, (id.slot(), blocks)).here(at)?;
        }
        Ok(())
    }

    fn properties(&mut self, tag: Tag<'s>, id: InstanceId) -> Read<'s, ()> {
        let before = self.document.instance(id).map_or(0, |instance| instance.properties.len());
        while let Some(child) = self.cx.scanner.child()? {
            let name = self.cx.attribute(child, "name")?;
            if !child.has_only("name", &name) {
                self.attributes(child, id, &["name"], Some(&name))?;
            }
            let value = property::read(&mut self.cx, child).named(|| name.to_string())?;
            if let Some(of) = self.cx.skipped.take() {
                let (name, property) = (of.to_str_lossy().into_owned(), name.to_string());
                self.note(child, id.slot(), UnknownPart::PropertyElement { name, property })?;
            }
            let at = self.span(child);
            let (instance, property) = (id.slot(), u32::try_from(before + self.properties.len()));
            if let (Some(to), Ok(property)) = (self.cx.reference.take(), property) {
                self.reference(Reference { instance, property, to })?;
            }
            if let (Some(to), Ok(property)) = (self.cx.key.take(), property) {
                let key = Reference { instance, property, to };
                self.cx.scanner.budget.push(&mut self.keys, key).here(self.cx.scanner.file)?;
            }
            let budget = &mut self.cx.scanner.budget;
            budget.push(&mut self.properties, Property { name, value, at }).here(self.cx.scanner.file)?;
        }
        if let Some(instance) = self.document.instance_mut(id) {
            let properties = &mut instance.properties;
            // Usually there is one element `Properties`. If there are more, growing must not copy all properties for
            // each.
            let (old, count) = (properties.capacity(), before + self.properties.len());
            if old < count {
                let capacity = count.max(old * 2);
                // While the list moves, the old and the new memory both exist.
                self.cx.scanner.charge_values::<Property>(tag.start(), capacity)?;
                properties.reserve_exact(capacity - before);
                self.cx.scanner.budget.give_back((old * size_of::<Property>()) as u64);
            }
            properties.append(&mut self.properties);
        }
        Ok(())
    }

    fn reference(&mut self, reference: Reference) -> Read<'s, ()> {
        let Self { cx, document, references, .. } = self;
        let listed = &mut document.source.references;
        if listed.last() != Some(&reference.instance) {
            cx.scanner.budget.push(listed, reference.instance).here(cx.scanner.file)?;
        }
        cx.scanner.budget.push(references, reference).here(cx.scanner.file)
    }
}
