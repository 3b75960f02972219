//! Writes a document.

mod components;
mod patch;

use crate::model::{Document, Instance, InstanceId, Layout, Name, Property, SharedKeys, Value};
use crate::options::{Illegal, WriteOptions};
use crate::wire::content::At;
use crate::wire::out::Out;
use crate::wire::xml::Scanner;
use crate::wire::{element, property};
use geom::wire::{Budget, Error, ErrorKind, Limit, Result, after};
use patch::{Kind, Step, patch};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// The remedy in the error about a character that XML cannot represent.
const USE: &str = "remove it, or store the bytes as a BinaryString";

/// The minimum size of an instance with a name, in bytes.
const LEAST: usize = 160;

impl WriteOptions {
    /// Returns the document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, if something would not be read back unchanged: a character that XML cannot
    /// represent, a reference to an instance that has the same referent as an earlier one, or an unknown type whose
    /// text is not XML. `Limit` if the file would exceed [`WriteOptions::max_bytes`].
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        let mut document = Cow::Borrowed(document);
        if let Some(hash) = self.keys {
            document.to_mut().rekey(hash);
        }
        let document = document.as_ref();
        layout(&document.layout)?;
        let mut out = Out::new(&document.layout.newline, &document.layout.indent);
        let source = document.source.bytes.as_ref().map_or([].as_slice(), |source| source.as_slice());
        // If line ends or indentation were changed, nothing is copied from the file.
        let read = (&document.source.newline, &document.source.indent);
        let same_lines = read == (&document.layout.newline, &document.layout.indent);
        let source = if same_lines { source } else { b"" };
        // Instances take at least this much, and most take more. Growing from nothing would copy the file more often.
        out.bytes.reserve(source.len().max(document.len() * LEAST));
        let first = if document.twins { first_of_referents(document) } else { HashMap::new() };
        let (policy, max_bytes) = (self.illegal, self.max_bytes);
        let stale = HashSet::new();
        let (steps, keys) = (Vec::new(), OnceCell::new());
        let mut writer = Writer { document, source, policy, max_bytes, out, steps, first, stale, keys };
        writer.run()?;
        let mut bytes = writer.out.bytes;
        // Less memory is not worth a copy of most of the file.
        if bytes.capacity() / 2 > bytes.len() {
            bytes.shrink_to_fit();
        }
        if !document.layout.prolog.is_empty() && crate::read::detect(&bytes).is_none() {
            let what = "characters beyond ASCII, because the XML declaration has an encoding other than \
                        UTF-8 (remove the encoding from the declaration)";
            return Err(Error::unwritable("layout.prolog", what));
        }
        Ok(bytes)
    }
}

impl Document {
    /// Whether two equal documents have the same layout, and are written as the same bytes. This writes both documents.
    pub fn same_layout(&self, other: &Self) -> bool {
        let written = |document: &Self| {
            WriteOptions::new().illegal(Illegal::Escape).write(document).map_err(|error| error.to_string())
        };
        self.layout == other.layout && written(self) == written(other)
    }
}

/// Fails if the layout would be read back differently.
fn layout(layout: &Layout) -> Result<()> {
    let Layout { prolog, newline, indent, .. } = layout;
    if !matches!(newline.as_slice(), b"" | b"\n" | b"\r\n") {
        let what = format!("the line end {newline:?} (expected \"\\n\" or \"\\r\\n\")");
        return Err(Error::unwritable("layout.newline", what));
    }
    if !element::is_indent(indent) {
        let what = format!("the indentation {indent:?} (expected only spaces and tabs)");
        return Err(Error::unwritable("layout.indent", what));
    }
    if prolog.is_empty() {
        return Ok(());
    }
    let text = [prolog.as_slice(), b"<roblox></roblox>"].concat();
    let root = Scanner::new(&text, Budget::new(u64::MAX), u32::MAX).root();
    match root.map(|root| root.start()) {
        Ok(start) if start == prolog.len() => Ok(()),
        _ => Err(Error::unwritable(
            "layout.prolog",
            "a prolog that contains more than an XML declaration, comments and white space",
        )),
    }
}

fn by_name(document: &Document, id: InstanceId) -> String {
    document.path(id).unwrap_or_default().to_string()
}

/// The first instance with each referent.
fn first_of_referents(document: &Document) -> HashMap<&str, InstanceId> {
    let mut first = HashMap::new();
    for id in document.instances() {
        if let Some(referent) = document.referent(id) {
            first.entry(referent).or_insert(id);
        }
    }
    first
}

pub(crate) struct Writer<'a> {
    pub(crate) document: &'a Document,
    /// The file that the document was read from; empty if nothing is copied from it.
    pub(crate) source: &'a [u8],
    policy: Illegal,
    max_bytes: Option<u64>,
    out: Out,
    /// The remaining steps; the next one is the last of the list.
    steps: Vec<Step>,
    /// The first instance with each referent; empty unless two instances were read with the same one.
    first: HashMap<&'a str, InstanceId>,
    /// The instances with a reference whose target changed, and their ancestors.
    stale: HashSet<InstanceId>,
    /// The keys of shared strings, collected when the first is needed.
    keys: OnceCell<SharedKeys<'a>>,
}

impl Writer<'_> {
    fn run(&mut self) -> Result<()> {
        let document = self.document;
        self.find_stale();
        self.out.raw(&document.layout.prolog);
        self.root()?;
        while let Some(step) = self.steps.pop() {
            if let Some(allowed) = self.max_bytes.filter(|&allowed| self.out.bytes.len() as u64 > allowed) {
                return Err(Error::new(ErrorKind::Limit(Limit::new("max_bytes", allowed)), ""));
            }
            match step {
                Step::Copy(range) => self.copy(range),
                Step::Line(depth) => self.out.line(depth),
                Step::Text(text) => self.out.raw(text),
                Step::Part { kind, index, owner, depth } => self.part(kind, index, owner, depth)?,
                Step::Instance(id, depth) => self.instance(id, depth)?,
                Step::Siblings(id, depth) => {
                    self.out.line(depth);
                    let next = document.node(id).and_then(|node| InstanceId::new(node.next));
                    self.siblings(next, depth);
                    self.instance(id, depth)?;
                }
            }
        }
        self.out.raw(&document.layout.epilog);
        Ok(())
    }

    fn copy(&mut self, range: std::ops::Range<usize>) {
        self.out.raw(self.source.get(range).unwrap_or_default());
    }

    fn siblings(&mut self, first: Option<InstanceId>, depth: usize) {
        if let Some(first) = first.filter(|&first| self.document.contains(first)) {
            self.steps.push(Step::Siblings(first, depth));
        }
    }

    fn part(&mut self, kind: Kind, index: usize, owner: Option<InstanceId>, depth: usize) -> Result<()> {
        match (kind, owner) {
            (Kind::Metadata, _) => self.metadata(index),
            (Kind::External, _) => self.external(index),
            (_, Some(id)) => match self.document.instance(id) {
                Some(instance) => self.property(id, instance, index, depth),
                None => Ok(()),
            },
            (_, None) => self.shared_string(index),
        }
    }

    /// Writes the start of the element `roblox`, and adds steps for the rest.
    fn root(&mut self) -> Result<()> {
        let document = self.document;
        let start = self.out.bytes.len();
        element::roblox(&mut self.out, &document.attributes);
        if !property::has_attributes(after(&self.out.bytes, start), &document.attributes) {
            let what = "the attributes of the element <roblox>, since a name is invalid or occurs twice";
            return Err(Error::unwritable("attributes", what));
        }
        let empty = document.is_empty()
            && document.metadata.is_empty()
            && document.externals.is_empty()
            && document.shared_strings.is_empty();
        let stored = document.source.root.place().and_then(|range| patch(self, None, range, 0));
        if let Some((tag, steps)) = stored {
            if property::has_attributes(tag.text(), &document.attributes) {
                self.out.take_illegal();
                self.out.bytes.truncate(start);
                self.out.raw(tag.text());
                if tag.is_empty() && !empty {
                    self.open_tag();
                }
            }
            if !tag.is_empty() {
                self.steps.extend(steps.into_iter().rev());
                return self.legal(|| "attributes".into());
            }
            if empty && self.out.bytes.ends_with(b"/>") {
                return Ok(());
            }
        }
        self.legal(|| "attributes".into())?;
        for index in 0..document.metadata.len() {
            self.out.line(1);
            self.metadata(index)?;
        }
        for index in 0..document.externals.len() {
            self.out.line(1);
            self.external(index)?;
        }
        self.steps.extend([Step::Text("</roblox>"), Step::Line(0)]);
        if !document.shared_strings.is_empty() {
            self.steps.extend([Step::Text("</SharedStrings>"), Step::Line(1)]);
            for index in (0..document.shared_strings.len()).rev() {
                let part = Step::Part { kind: Kind::Inner, index, owner: None, depth: 2 };
                self.steps.extend([part, Step::Line(2)]);
            }
            self.steps.extend([Step::Text("<SharedStrings>"), Step::Line(1)]);
        }
        self.siblings(document.roots().next(), 1);
        Ok(())
    }

    /// Turns `<a/>` at the end of the output into a start tag.
    fn open_tag(&mut self) {
        let bytes = &mut self.out.bytes;
        bytes.truncate(bytes.len() - 2);
        bytes.push(b'>');
    }

    /// Copies an instance from the file; or, if it was touched, writes its start and adds steps for the rest.
    fn instance(&mut self, id: InstanceId, depth: usize) -> Result<()> {
        let document = self.document;
        let Some(instance) = document.instance(id) else { return Ok(()) };
        if let Some(range) = instance.at.place().filter(|_| self.is_intact(id) && !self.source.is_empty()) {
            self.copy(range);
            return Ok(());
        }
        let first = document.children(id).next();
        let stored = instance.at.place().and_then(|range| patch(self, Some(id), range, depth));
        // The only change to the tag of an instance is a new referent.
        let same_tag = |tag: &crate::wire::xml::Tag<'_>| {
            instance.referent.is_none() || tag.attribute("referent").is_some()
        };
        match &stored {
            Some((tag, _)) if same_tag(tag) => {
                self.out.raw(tag.text());
                if tag.is_empty() && instance.properties.is_empty() && first.is_none() {
                    return Ok(());
                }
                if tag.is_empty() {
                    self.open_tag();
                }
            }
            _ => {
                element::instance(&mut self.out, &instance.class, instance.referent.as_deref());
                self.legal(|| by_name(document, id))?;
            }
        }
        if let Some((_, steps)) = stored.filter(|(tag, _)| !tag.is_empty()) {
            self.steps.extend(steps.into_iter().rev());
            return Ok(());
        }
        self.out.line(depth + 1);
        self.out.raw("<Properties>");
        for index in 0..instance.properties.len() {
            self.out.line(depth + 2);
            self.property(id, instance, index, depth + 2)?;
        }
        self.out.line(depth + 1);
        self.out.raw("</Properties>");
        self.steps.extend([Step::Text("</Item>"), Step::Line(depth)]);
        self.siblings(first, depth + 1);
        Ok(())
    }

    /// Finds the untouched instances with a reference to a removed instance, or to an instance whose referent an
    /// earlier one has, too.
    fn find_stale(&mut self) {
        let document = self.document;
        if document.count == document.nodes.len() && self.first.is_empty() {
            return;
        }
        for &id in &document.source.references {
            let mut up = InstanceId::new(id);
            let instance = up.and_then(|id| document.instance(id)).filter(|of| of.at.is_intact());
            let Some(instance) = instance else { continue };
            if instance.properties.iter().all(|property| self.leads_there(&property.value)) {
                continue;
            }
            while let Some(id) = up.filter(|&id| self.stale.insert(id)) {
                up = document.parent(id);
            }
        }
    }

    /// Whether a value can be written: it is not a reference, or reading the referent would give the same instance.
    fn leads_there(&self, value: &Value) -> bool {
        value.as_instance().is_none_or(|to| {
            let referent = self.document.referent(to);
            referent.is_some_and(|referent| self.first.get(referent).is_none_or(|first| *first == to))
        })
    }

    /// Whether an instance and its descendants are unchanged since they were read.
    pub(crate) fn is_intact(&self, id: InstanceId) -> bool {
        self.document.instance(id).is_some_and(|instance| instance.at.is_intact())
            && !self.stale.contains(&id)
    }

    /// Whether a property is unchanged since it was read.
    pub(crate) fn is_intact_property(&self, property: &Property) -> bool {
        property.at.is_intact() && self.leads_there(&property.value)
    }

    fn property(&mut self, id: InstanceId, instance: &Instance, index: usize, depth: usize) -> Result<()> {
        let Some(Property { name, value, at }) = instance.properties.get(index) else { return Ok(()) };
        let document = self.document;
        let to = value.as_instance();
        let key =
            || self.keys.get_or_init(|| document.shared_keys()).of(value.as_shared()?).map(Name::as_str);
        let reference = to.and_then(|to| document.referent(to)).or_else(key);
        let path = || format!("{}.{name}", by_name(document, id));
        if reference.is_none() && to.is_some_and(|to| document.contains(to)) {
            let what = "a reference whose target has no referent (give the target a referent)";
            return Err(Error::unwritable(path(), what));
        }
        let start = self.out.bytes.len();
        property::write(&mut self.out, name, value, At { depth, reference });
        let old = at.place().and_then(|place| self.source.get(place));
        let merged = |old| components::merged(old, after(&self.out.bytes, start), name, value);
        if let Some(merged) = old.and_then(merged) {
            self.out.bytes.truncate(start);
            self.out.raw(&merged);
        }
        if to.is_some() || value.as_shared().is_some() || matches!(value, Value::Unknown(_)) {
            let written = after(&self.out.bytes, start);
            let refused = property::refuse(document, value, reference, written);
            if let Some(what) = refused {
                return Err(Error::unwritable(path(), what));
            }
        }
        if let Some(reference) = reference.filter(|_| !self.leads_there(value)) {
            let what = format!(
                "an ambiguous reference (several instances have the referent {reference:?}: give them different ones)"
            );
            return Err(Error::unwritable(path(), what));
        }
        if at.is_as_read() {
            self.out.take_illegal();
        }
        self.legal(path)
    }

    fn metadata(&mut self, index: usize) -> Result<()> {
        let Some(metadata) = self.document.metadata.get(index) else { return Ok(()) };
        element::metadata(&mut self.out, metadata);
        self.legal(|| format!("metadata[{index}]"))
    }

    fn external(&mut self, index: usize) -> Result<()> {
        let Some(external) = self.document.externals.get(index) else { return Ok(()) };
        element::external(&mut self.out, external);
        self.legal(|| format!("externals[{index}]"))
    }

    fn shared_string(&mut self, index: usize) -> Result<()> {
        let Some(shared) = self.document.shared_strings.get(index) else { return Ok(()) };
        let path = || format!("shared_strings[{index}]");
        if shared.key().trim_ascii() != shared.key().as_str() {
            let what = format!(
                "a shared string whose key {:?} begins or ends with white space ({})",
                shared.key(),
                property::NEW_KEYS
            );
            return Err(Error::unwritable(path(), what));
        }
        element::shared_string(&mut self.out, shared);
        if shared.at.is_as_read() {
            self.out.take_illegal();
        }
        self.legal(path)
    }

    /// Fails if XML cannot represent a character that was written, unless the options allow it.
    #[inline]
    fn legal(&mut self, path: impl FnOnce() -> String) -> Result<()> {
        match self.out.take_illegal() {
            Some(what) if self.policy == Illegal::Refuse => {
                Err(Error::unwritable(path(), format!("{what} ({USE})")))
            }
            _ => Ok(()),
        }
    }
}
