//! From a document to a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use crate::model::{Document, Instance, InstanceId, Kept, Layout, Piece, Property, Spelling, Value};
use crate::options::{Illegal, WriteOptions};
use crate::wire::content::At;
use crate::wire::fit::{Have, fit};
use crate::wire::out::Out;
use crate::wire::xml::Scanner;
use crate::wire::{element, property};
use geom::wire::{Budget, Error, ErrorKind, Limit, Result, after};

/// How many bytes an instance takes at least, with a name.
const LEAST: usize = 160;

impl WriteOptions {
    /// The document as a file.
    ///
    /// # Errors
    /// `Unwritable`, with the path, where something would not be read as it is: a character that XML cannot
    /// represent, a reference to an instance whose referent another one has too, an unknown type whose text
    /// is not XML. `Limit` beyond [`WriteOptions::max_bytes`].
    pub fn write(&self, document: &Document) -> Result<Vec<u8>> {
        let mut document = Cow::Borrowed(document);
        if let Some(hash) = self.keys {
            document.to_mut().rekey(hash);
        }
        let document = document.as_ref();
        layout(&document.layout)?;
        let mut out = Out::new(&document.layout.newline, &document.layout.indent);
        // No instance takes less, and most take more: growing from nothing would copy the file more often.
        out.bytes.reserve(document.len() * LEAST);
        let first = if document.twins { first_of_referents(document) } else { HashMap::new() };
        let max_bytes = self.max_bytes;
        let mut writer = Writer { document, policy: self.illegal, max_bytes, out, stack: Vec::new(), first };
        writer.run()?;
        let bytes = writer.out.bytes;
        if !document.layout.prolog.is_empty() && crate::read::detect(&bytes).is_none() {
            let what = "a declaration of an encoding other than UTF-8 with text that is not ASCII";
            return Err(Error::unwritable("layout.prolog", what));
        }
        Ok(bytes)
    }

    /// Writes the document into a writer.
    ///
    /// # Errors
    /// As [`WriteOptions::write`], and where the writer fails.
    pub fn write_to(&self, mut writer: impl Write, document: &Document) -> Result<()> {
        Ok(writer.write_all(&self.write(document)?)?)
    }
}

/// Refuses a layout with which the file would be read differently.
fn layout(layout: &Layout) -> Result<()> {
    let Layout { prolog, newline, indent, .. } = layout;
    if !matches!(newline.as_slice(), b"" | b"\n" | b"\r\n") {
        return Err(Error::unwritable("layout.newline", "a line end other than LF and CR LF"));
    }
    if !element::is_indent(indent) {
        return Err(Error::unwritable("layout.indent", "an indentation other than of spaces and tabs"));
    }
    if prolog.is_empty() {
        return Ok(());
    }
    let text = [prolog.as_slice(), b"<roblox></roblox>"].concat();
    let root = Scanner::new(&text, Budget::new(u64::MAX), u32::MAX).root();
    match root.map(|root| root.start()) {
        Ok(start) if start == prolog.len() => Ok(()),
        _ => Err(Error::unwritable("layout.prolog", "more than a declaration, comments and white space")),
    }
}

/// The first instance with each referent, where two have the same.
fn first_of_referents(document: &Document) -> HashMap<&str, InstanceId> {
    let mut first = HashMap::new();
    for id in document.instances() {
        if let Some(referent) = document.referent(id) {
            first.entry(referent).or_insert(id);
        }
    }
    first
}

struct Writer<'a> {
    document: &'a Document,
    policy: Illegal,
    max_bytes: Option<u64>,
    out: Out<'static>,
    stack: Vec<Open<'a>>,
    /// The first instance of each referent, where two have the same.
    first: HashMap<&'a str, InstanceId>,
}

/// A body that is being written: of an instance, or of `roblox`.
struct Open<'a> {
    /// `None` for `roblox`.
    id: Option<InstanceId>,
    /// The pieces of the file; empty where the body is as Studio writes it.
    pieces: Cow<'a, [Piece]>,
    piece: usize,
    /// How many of each kind are written: properties or metadata, shared strings, externals.
    done: [usize; 3],
    /// The next child.
    next: Option<InstanceId>,
}

impl<'a> Writer<'a> {
    fn run(&mut self) -> Result<()> {
        let document = self.document;
        let layout = &document.layout;
        self.out.raw(&layout.prolog);
        let start = self.out.bytes.len();
        element::roblox(&mut self.out, &document.attributes);
        let written = after(&self.out.bytes, start);
        if !property::has_attributes(written, &document.attributes) {
            let what = "a name that is not the name of an attribute, or twice";
            return Err(Error::unwritable("attributes", what));
        }
        self.out.bytes.truncate(start);
        let write = |out: &mut Out<'_>| element::roblox(out, &document.attributes);
        self.element(&layout.start, write, || "attributes".into())?;
        let empty = document.is_empty()
            && document.metadata.is_empty()
            && document.externals.is_empty()
            && document.shared_strings.is_empty();
        if self.out.bytes.ends_with(b"/>") {
            if empty {
                self.out.raw(&layout.epilog);
                return Ok(());
            }
            self.open_tag();
        }
        let root = Open {
            id: None,
            pieces: fit(&layout.body, Have::of_document(document), &self.out, 0),
            piece: 0,
            done: [0; 3],
            next: document.roots().next(),
        };
        if root.pieces.is_empty() {
            for index in 0..document.metadata.len() {
                self.out.line(1);
                self.metadata(index)?;
            }
            for index in 0..document.externals.len() {
                self.out.line(1);
                self.external(index)?;
            }
        }
        self.stack.push(root);
        while let Some(mut open) = self.stack.pop() {
            let depth = self.stack.len();
            if let Some(allowed) = self.max_bytes.filter(|&allowed| self.out.bytes.len() as u64 > allowed) {
                return Err(Error::new(ErrorKind::Limit(Limit::new("max_bytes", allowed)), ""));
            }
            let child = match open.pieces.is_empty() {
                true => self.regular(&open, depth)?,
                false => self.irregular(&mut open)?,
            };
            if let Some(id) = child {
                let next = document.node(id).map(|node| InstanceId(node.next));
                open.next = next.filter(|&next| document.contains(next));
                self.stack.push(open);
                self.open(id)?;
            }
        }
        self.out.raw(&layout.epilog);
        Ok(())
    }

    /// Makes a start tag of `<a/>`.
    fn open_tag(&mut self) {
        let bytes = &mut self.out.bytes;
        bytes.truncate(bytes.len() - 2);
        bytes.push(b'>');
    }

    /// Goes on with a body that is as Studio writes it, up to the next child or the end.
    fn regular(&mut self, open: &Open<'a>, depth: usize) -> Result<Option<InstanceId>> {
        if open.next.is_some() {
            self.out.line(depth + 1);
            return Ok(open.next);
        }
        if open.id.is_some() {
            self.out.line(depth);
            self.out.raw("</Item>");
            return Ok(None);
        }
        if !self.document.shared_strings.is_empty() {
            self.out.line(1);
            self.out.raw("<SharedStrings>");
            for index in 0..self.document.shared_strings.len() {
                self.out.line(2);
                self.shared_string(index)?;
            }
            self.out.line(1);
            self.out.raw("</SharedStrings>");
        }
        self.out.line(0);
        self.out.raw("</roblox>");
        Ok(None)
    }

    /// Goes on with a body whose pieces are known, up to the next child or the end.
    fn irregular(&mut self, open: &mut Open<'a>) -> Result<Option<InstanceId>> {
        while let Some(piece) = open.pieces.get(open.piece) {
            open.piece += 1;
            let kind = match piece {
                Piece::Text(text) | Piece::Open(text) | Piece::Close(text) | Piece::End(text) => {
                    self.out.raw(text);
                    continue;
                }
                Piece::Instance(_) => return Ok(open.next),
                Piece::Property(_) | Piece::Metadata(_) => 0,
                Piece::SharedString(_) => 1,
                Piece::External => 2,
            };
            let Some(done) = open.done.get_mut(kind) else { continue };
            let index = *done;
            *done = index + 1;
            match (kind, open.id.and_then(|id| Some((id, self.document.instance(id)?)))) {
                (0, Some((id, instance))) => {
                    self.property(id, instance, index, self.stack.len() + 2)?;
                }
                (0, None) => self.metadata(index)?,
                (1, _) => self.shared_string(index)?,
                _ => self.external(index)?,
            }
        }
        Ok(None)
    }

    /// The start of an instance, and its properties where they are as Studio writes them.
    fn open(&mut self, id: InstanceId) -> Result<()> {
        let document = self.document;
        let Some(instance) = document.instance(id) else { return Ok(()) };
        let body = instance.body.as_deref();
        let none = Kept::default();
        let start = body.map_or(&none, |body| &body.start);
        let write = |out: &mut Out<'_>| element::instance(out, &instance.class, instance.referent.as_deref());
        self.element(start, write, || document.label(id))?;
        let next = document.children(id).next();
        if self.out.bytes.ends_with(b"/>") {
            if instance.properties.is_empty() && next.is_none() {
                return Ok(());
            }
            self.open_tag();
        }
        let depth = self.stack.len();
        let pieces = match body {
            Some(body) => fit(&body.pieces, Have::of_instance(document, id, instance), &self.out, depth),
            None => Cow::Borrowed([].as_slice()),
        };
        if pieces.is_empty() {
            self.out.line(depth + 1);
            self.out.raw("<Properties>");
            let inner = depth + 2;
            for index in 0..instance.properties.len() {
                self.out.line(inner);
                self.property(id, instance, index, inner)?;
            }
            self.out.line(depth + 1);
            self.out.raw("</Properties>");
        }
        self.stack.push(Open { id: Some(id), pieces, piece: 0, done: [0; 3], next });
        Ok(())
    }

    fn property(&mut self, id: InstanceId, instance: &Instance, index: usize, depth: usize) -> Result<()> {
        let Some(Property { name, value, kept }) = instance.properties.get(index) else { return Ok(()) };
        let document = self.document;
        let to = value.as_instance();
        let reference = to.and_then(|to| document.referent(to));
        // An instance that was removed since is null, however the reference to it was written.
        if let Some(text) = kept.text().filter(|_| to.is_some() == reference.is_some()) {
            self.out.raw(text);
            return Ok(());
        }
        let path = || format!("{}.{name}", document.label(id));
        if reference.is_none() && to.is_some_and(|to| document.contains(to)) {
            return Err(Error::unwritable(path(), "a reference to an instance without a referent"));
        }
        let start = self.out.bytes.len();
        property::write(&mut self.out, name, value, At { depth, reference });
        if to.is_some() || matches!(value, Value::Unknown(_) | Value::SharedString(_) | Value::NetAssetRef(_))
        {
            let written = after(&self.out.bytes, start);
            let refused = property::refuse(value, reference, written);
            if let Some(what) = refused {
                return Err(Error::unwritable(path(), what));
            }
        }
        if let (Some(to), Some(reference)) = (to, reference)
            && self.first.get(reference).is_some_and(|first| *first != to)
        {
            let what = format!("a reference to {reference:?}, which is the referent of another instance too");
            return Err(Error::unwritable(path(), what));
        }
        self.legal(path)
    }

    fn metadata(&mut self, index: usize) -> Result<()> {
        let Some(metadata) = self.document.metadata.get(index) else { return Ok(()) };
        let path = || format!("metadata[{index}]");
        self.element(&metadata.kept, |out| element::metadata(out, metadata), path)
    }

    fn external(&mut self, index: usize) -> Result<()> {
        let Some(external) = self.document.externals.get(index) else { return Ok(()) };
        let path = || format!("externals[{index}]");
        self.element(&external.kept, |out| element::external(out, external), path)
    }

    fn shared_string(&mut self, index: usize) -> Result<()> {
        let Some(shared) = self.document.shared_strings.get(index) else { return Ok(()) };
        let path = || format!("shared_strings[{index}]");
        if shared.kept.text().is_none() && shared.key().trim_ascii() != shared.key().as_str() {
            return Err(Error::unwritable(path(), "a key with white space around it"));
        }
        self.element(&shared.kept, |out| element::shared_string(out, shared), path)
    }

    /// Writes an element, or the text that it had in the file, where it was not edited since.
    fn element(
        &mut self,
        kept: &Kept,
        write: impl FnOnce(&mut Out<'_>),
        path: impl FnOnce() -> String,
    ) -> Result<()> {
        let start = self.out.bytes.len();
        if kept.0.as_ref().is_none_or(|kept| kept.of.is_some()) {
            write(&mut self.out);
        }
        if let Some(Spelling { text, of }) = kept.0.as_deref()
            && of.as_ref().is_none_or(|of| *of == after(&self.out.bytes, start))
        {
            self.out.bytes.truncate(start);
            self.out.raw(text);
            self.out.take_illegal();
        }
        self.legal(path)
    }

    /// Refuses what XML cannot represent, unless the caller allows it.
    #[inline]
    fn legal(&mut self, path: impl FnOnce() -> String) -> Result<()> {
        match self.out.take_illegal() {
            Some(what) if self.policy == Illegal::Refuse => {
                Err(Error::unwritable(path(), property::illegal(what)))
            }
            _ => Ok(()),
        }
    }
}
