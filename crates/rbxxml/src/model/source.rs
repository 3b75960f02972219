//! The file that a document was read from: its bytes, and the position of each part of the document. A part is written
//! back unchanged unless an edit touches it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BString, ByteSlice as _};

use super::{Content, Document, InstanceId, Property, Value};
use geom::wire::{Bytes, short_debug};

/// The file of a document; empty if the document was not read from one.
#[derive(Clone, Default)]
pub(crate) struct Source {
    /// The bytes of the file, unless the reader was asked not to keep them.
    pub(crate) bytes: Option<Arc<Vec<u8>>>,
    /// The position of the element `roblox`.
    pub(crate) root: Span,
    /// The line end and the indentation of the file.
    pub(crate) newline: BString,
    pub(crate) indent: BString,
    /// The instances with a reference to an instance.
    pub(crate) references: Vec<u32>,
    /// The instances with several elements `Properties`, and their number.
    pub(crate) blocks: Vec<(u32, u32)>,
    /// The unknown elements and attributes, with the index of the instance that they belong to, or `NONE`.
    pub(crate) unknown: Vec<(u32, UnknownPart)>,
}

/// An element or an attribute whose meaning is not known, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownPart {
    /// An element.
    Element(String),
    /// An attribute of an instance.
    Attribute(String),
    /// An attribute of a property.
    #[non_exhaustive]
    PropertyAttribute {
        /// The name of the attribute.
        name: String,
        /// The name of the property.
        property: String,
    },
    /// The first element in a property that its value does not contain: bytes or a hash in place of the address of an
    /// asset, or an element that the type does not have.
    #[non_exhaustive]
    PropertyElement {
        /// The name of the element.
        name: String,
        /// The name of the property.
        property: String,
    },
}

impl UnknownPart {
    /// Whether Studio wrote it before 2013: the element `External`, `xsi:nil`, or the `referent` of a property.
    pub fn is_old(&self) -> bool {
        match self {
            Self::Element(name) => name == "External",
            Self::Attribute(name) => name == "xsi:nil",
            Self::PropertyAttribute { name, .. } => name == "xsi:nil" || name == "referent",
            Self::PropertyElement { .. } => false,
        }
    }
}

impl fmt::Display for UnknownPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Element(name) => write!(f, "element <{name}>"),
            Self::Attribute(name) => write!(f, "attribute \"{name}\""),
            Self::PropertyAttribute { name, property } => {
                write!(f, "attribute \"{name}\" of the property \"{property}\"")
            }
            Self::PropertyElement { name, property } => {
                write!(f, "element <{name}> in the property \"{property}\"")
            }
        }
    }
}

short_debug! {
    Source {
        root, newline, indent, references, blocks, unknown;
        bytes => bytes.as_deref().map(|bytes| Bytes(bytes))
    }
}

/// The position of an element in the file. For a touched element, start and end are swapped; for a new one, both are 0.
/// Comparisons ignore it: all spans are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The span of an element that was copied from another document.
    const COPIED: Self = Self { start: u32::MAX, end: u32::MAX };

    /// The span of an element. It is empty if an offset does not fit into 32 bits; the bytes of such a file are not
    /// kept.
    pub(crate) fn new(range: Range<usize>) -> Self {
        match (u32::try_from(range.start), u32::try_from(range.end)) {
            (Ok(start), Ok(end)) => Self { start, end },
            _ => Self::default(),
        }
    }

    /// Marks an element as touched by an edit of the element itself or of its content.
    pub(crate) fn touch(&mut self) {
        match self.is_intact() {
            true => std::mem::swap(&mut self.start, &mut self.end),
            false if self.place().is_none() => *self = Self::default(),
            false => {}
        }
    }

    /// The span of a copy of the element in another document.
    pub(crate) fn copied(self) -> Self {
        if self.is_as_read() { Self::COPIED } else { Self::default() }
    }

    /// Whether the element can be written back unchanged.
    pub(crate) fn is_intact(self) -> bool {
        self.start < self.end
    }

    /// Whether the content of the element is as it was read, from this file or another one.
    pub(crate) fn is_as_read(self) -> bool {
        self.is_intact() || (self.start, self.end) == (u32::MAX, u32::MAX)
    }

    /// The range of the element in the file, whether or not it was touched; `None` if it is new.
    pub(crate) fn place(self) -> Option<Range<usize>> {
        let (start, end) = (self.start.min(self.end) as usize, self.start.max(self.end) as usize);
        (start < end).then_some(start..end)
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Document {
    /// The text of an element that no edit touched.
    pub(crate) fn text_of(&self, at: Span) -> Option<&[u8]> {
        let bytes = self.source.bytes.as_ref().filter(|_| at.is_intact())?;
        bytes.get(at.place()?)
    }

    /// The unknown elements, also in properties, and the unknown attributes of instances and properties, each with its
    /// instance; without one for an element outside of instances. Writing keeps them; conversions and copies do not.
    pub fn unknown_parts(&self) -> impl Iterator<Item = (Option<InstanceId>, &UnknownPart)> {
        let all = self.source.unknown.iter().map(|(at, what)| (InstanceId::new(*at), what));
        all.filter(|(id, _)| id.is_none_or(|id| self.contains(id)))
    }

    /// The range of an instance's element in the file from which the document was read, with its children; `None` for a new
    /// one. An edit does not move it.
    pub fn source_range(&self, id: InstanceId) -> Option<Range<usize>> {
        self.nodes.get(id.slot() as usize)?.instance.at.place()
    }

    /// The names of an instance's properties, and the ranges of their elements in the file.
    pub fn source_ranges(&self, id: InstanceId) -> impl Iterator<Item = (&str, Range<usize>)> {
        let node = self.nodes.get(id.slot() as usize);
        let properties = node.into_iter().flat_map(|node| &node.instance.properties);
        properties.filter_map(|property| Some((property.name.as_str(), property.at.place()?)))
    }

    /// The shared strings, and the ranges of their elements in the file.
    pub fn shared_ranges(&self) -> impl Iterator<Item = (&rbxcore::SharedBytes, Range<usize>)> {
        self.shared_strings.iter().filter_map(|shared| Some((&shared.bytes, shared.at.place()?)))
    }

    pub(crate) fn is_dangling(&self, property: &Property) -> bool {
        let is_reference = matches!(property.value, Value::Ref(None) | Value::Content(Content::Object(None)));
        let Some(text) = self.text_of(property.at).filter(|_| is_reference) else { return false };
        // `<Ref name="x">RBX1</Ref>`, or the same in a `Content`.
        let Some(end) = text.find("</") else { return false };
        let start = text[..end].rfind_byte(b'>').map_or(0, |start| start + 1);
        !matches!(text[start..end].trim_ascii(), b"" | b"null" | b"nil")
    }

    /// Marks an instance and its ancestors as touched. Stops at an ancestor that is touched already, since all
    /// ancestors of a touched instance are.
    pub(crate) fn touch(&mut self, id: InstanceId) {
        self.touch_at(id.slot());
    }

    /// Like [`Document::touch`], for the node with an index.
    pub(crate) fn touch_at(&mut self, at: u32) {
        let mut up = at as usize;
        while let Some(node) = self.nodes.get_mut(up)
            && node.instance.at.is_intact()
        {
            node.instance.at.touch();
            up = node.parent as usize;
        }
    }
}
