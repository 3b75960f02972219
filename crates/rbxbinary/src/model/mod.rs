//! The document. Plain data, no I/O.

mod column;
mod frames;
pub(crate) mod index;
mod lists;
mod name;
mod pool;
pub(crate) mod references;
mod rows;
pub(crate) mod strings;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use bstr::BString;
pub use column::Column;
pub use frames::UnknownChunk;
pub(crate) use frames::{ClassPlaces, Frame, Frames, Part, Place};
pub(crate) use index::Index;
pub use lists::{ContentEntry, Contents, Fonts, SharedIndex};
pub use name::Name;
pub(crate) use rbxcore::parts::{NewNode, NewValue};
pub(crate) use rbxcore::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
    CustomPhysicalProperties, Faces, FontStyle, InstanceId, NewInstance, NumberRange, NumberSequence,
    NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities, SharedBytes, UDim, UDim2,
    UniqueId, Value, ValueRef, Vector2int16, Vector3int16,
};
pub(crate) use rows::{Mismatch, Sink, Source};
pub use strings::Strings;

use crate::consts::{ClassFormat, Compression, Version};
use geom::wire::Budget;

/// The property that must differ in all instances of a document.
pub(crate) const UNIQUE_ID: &[u8] = b"UniqueId";

/// The number of an instance in a file, without further meaning. The model names instances by [`InstanceId`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Referent(pub i32);

impl Referent {
    /// Null: no instance.
    pub const NULL: Self = Self(-1);

    /// Whether this is null.
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }
}

impl Default for Referent {
    fn default() -> Self {
        Self::NULL
    }
}

impl fmt::Debug for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_null() {
            true => f.write_str("Referent(NULL)"),
            false => write!(f, "Referent({})", self.0),
        }
    }
}

impl fmt::Display for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A place or a model, with access by column, as in the file, and by instance.
///
/// [`InstanceId`] identifies instances: [`Document::roots`](crate::Dom#method.roots), [`Document::find`](crate::Dom#method.find) and [`Document::by_class`](crate::Dom#method.by_class) return
/// them, [`Document::get`](crate::Dom#method.get) and [`Document::set`](crate::Dom#method.set) access their properties, [`Document::insert`](crate::Dom#method.insert),
/// [`Document::remove`](crate::Dom#method.remove), [`Document::reparent`](crate::Dom#method.reparent), [`Document::copy_from`](crate::Dom#method.copy_from) and [`Document::merge`](crate::Dom#method.merge) change the tree.
/// The time of an edit depends on the number of values that it changes, not on the size of the document.
///
/// [`Document::classes`] returns the columns. The bytes of the file are kept: a chunk is written back unchanged
/// unless an edit touches its content.
///
/// `==` compares the content of the document, not the layout of its file: numbers by their bits, so that NaN equals
/// itself and -0.0 differs from 0.0.
#[derive(Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct Document {
    /// The header.
    pub header: Header,
    pub(crate) metadata: Vec<Metadata>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(crate) signatures: Option<Vec<u8>>,
    /// The file that the document was read from.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) frames: Frames,
    pub(crate) shared_strings: Vec<SharedString>,
    pub(crate) classes: Vec<Class>,
    /// The parents as in the file. After an edit of the tree, they are in the index instead.
    pub(crate) parents: Parents,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) index: OnceLock<Box<Index>>,
    /// The memory for values that edits fill in.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) room: Budget,
}

/// Mutable access to the columns of a document: see [`Document::columns_mut`].
#[derive(Debug)]
#[non_exhaustive]
pub struct ColumnsMut<'a> {
    /// The strings that columns of type `SharedString` refer to by index.
    pub shared_strings: &'a mut Vec<SharedString>,
    /// The classes, each with its instances and columns.
    pub classes: &'a mut Vec<Class>,
    /// The parent of each instance.
    pub parents: &'a mut Parents,
}

/// The header of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Header {
    /// Always 0 so far.
    pub version: Version,
    /// The number of classes in the header, if it differs from the actual one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub class_count: Option<i32>,
    /// The number of instances in the header, if it differs from the actual one.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub instance_count: Option<i32>,
    /// Always 0 so far.
    pub reserved: [u8; 8],
}

/// A key and a value about the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metadata {
    /// The key.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub key: BString,
    /// The value.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub value: BString,
}

impl Metadata {
    /// A key and its value.
    pub fn new(key: impl Into<BString>, value: impl Into<BString>) -> Self {
        Self { key: key.into(), value: value.into() }
    }
}

/// A string that several instances share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedString {
    /// The hash as stored in the file: all zero today, MD5 in old files, and not checked by any program.
    pub hash: [u8; 16],
    /// The string.
    pub bytes: SharedBytes,
}

/// A class with its instances.
///
/// The row `i` of every column belongs to the instance `referents[i]`.
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Class {
    /// The id by which the file's columns refer to their class.
    pub id: u32,
    /// The name, such as `Part`.
    #[cfg_attr(feature = "serde", serde(with = "rbxcore::text"))]
    pub name: BString,
    /// Whether the instances are services.
    pub format: ClassFormat,
    /// The instances.
    pub referents: Vec<Referent>,
    /// Only for services, one per instance: 1 if its parent is the root, else 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub markers: Vec<u8>,
    /// The columns, in the file's order.
    pub properties: Vec<Property>,
    /// Bytes of the INST chunk after its known content.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub extra: Vec<u8>,
}

/// A property of a class: one value per instance.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Property {
    /// The name under which it is stored, which may differ from its scripting name.
    pub name: Name,
    /// The values.
    pub column: Column,
}

/// The parent of each instance: two columns of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Parents {
    /// The version of the chunk, always 0 so far.
    pub version: u8,
    /// The instances.
    pub children: Vec<Referent>,
    /// The parent of each; null for those at the root.
    pub parents: Vec<Referent>,
}

impl Document {
    /// An empty document.
    pub fn new() -> Self {
        Self::default()
    }

    /// The classes, in file order, each with its instances and columns. In an edited document, a class may have no
    /// instances, and removed rows have been replaced by the last ones.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The strings that columns of type `SharedString` refer to by index.
    pub fn shared_strings(&self) -> &[SharedString] {
        &self.shared_strings
    }

    /// Keys and values about the whole document: `ExplicitAutoJoints` is `true` in models.
    pub fn metadata(&self) -> &[Metadata] {
        &self.metadata
    }

    /// Mutable access to the metadata.
    pub fn metadata_mut(&mut self) -> &mut Vec<Metadata> {
        self.touch_value();
        self.frames.touch(self.frames.metadata);
        &mut self.metadata
    }

    /// The content of the SIGN chunk. An edit makes signatures invalid and removes them.
    pub fn signatures(&self) -> Option<&[u8]> {
        self.signatures.as_deref()
    }

    /// Chunks that are not part of the model: those with an unknown name, and a second chunk of a kind that occurs
    /// once.
    pub fn unknown_chunks(&self) -> impl Iterator<Item = &UnknownChunk> {
        self.frames.unknown.iter().map(|(chunk, _)| chunk)
    }

    /// Whether a chunk of the file that the document was read from is compressed so.
    pub fn has_compression(&self, compression: Compression) -> bool {
        self.frames.chunks.iter().any(|frame| frame.compression == compression)
    }

    /// Bytes after the END chunk.
    pub fn trailing(&self) -> &[u8] {
        &self.frames.trailing
    }

    /// Whether the document was read with a filter that skipped something.
    pub fn is_partial(&self) -> bool {
        self.frames.partial
    }

    /// The parent of each instance: as in the file, or as edited.
    pub fn parents(&self) -> Cow<'_, Parents> {
        match self.index.get() {
            Some(index) if self.frames.relinked => Cow::Owned(self.parents_of(index)),
            _ => Cow::Borrowed(&self.parents),
        }
    }

    /// Mutable access to the columns, for programs that build a file column by column. Changes are not checked until
    /// the document is written, which fails if columns are inconsistent. All chunks are then written in Studio's order.
    ///
    /// This invalidates every [`InstanceId`]. [`Document::column_mut`] changes a single column.
    pub fn columns_mut(&mut self) -> ColumnsMut<'_> {
        self.parents = self.parents().into_owned();
        for class in 0..self.classes.len() {
            for column in 0..self.classes[class].properties.len() {
                if let Some(column_without) = self.without_removed(&self.classes[class].properties[column]) {
                    self.classes[class].properties[column].column = column_without;
                }
            }
        }
        if self.frames.relinked {
            self.classes.retain(|class| !class.referents.is_empty());
        }
        self.touch_value();
        self.frames.relinked = false;
        self.frames.classes.clear();
        self.frames.touch(self.frames.shared_strings);
        self.frames.touch(self.frames.parents);
        self.index = OnceLock::new();
        let Self { shared_strings, classes, parents, .. } = self;
        ColumnsMut { shared_strings, classes, parents }
    }

    /// Mutable access to a column of the class with an index in [`Document::classes`]. Its length must remain the
    /// number of instances, which writing checks.
    pub fn column_mut(&mut self, class: usize, property: impl AsRef<[u8]>) -> Option<&mut Column> {
        let number = u32::try_from(class).ok()?;
        let column = self.index().column(number, self.classes.get(class)?, property.as_ref())?;
        self.touch_value();
        self.frames.touch(self.frames.column(number, column));
        let index = self.index.get_mut()?;
        index.forget_columns(number);
        index.forget_unique_ids();
        Some(&mut self.classes[class].properties[column].column)
    }

    /// The column with null instead of the instances that an edit removed; `None` if it refers to none of them.
    pub(crate) fn without_removed(&self, property: &Property) -> Option<Column> {
        let index = self.index.get().filter(|index| index.has_removed && property.refers())?;
        let kept = |referent| if index.is_removed(referent) { Referent::NULL } else { referent };
        property.with_references(&kept)
    }

    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Box::new(Index::new(self)))
    }

    fn parents_of(&self, index: &Index) -> Parents {
        let mut parents = Parents { version: self.parents.version, ..Parents::default() };
        // In Studio's order: children before their parent.
        let mut slot = index.deepest(index.first_root);
        while let Some(node) = index.at(slot) {
            parents.children.push(node.referent);
            parents.parents.push(index.at(node.parent).map_or(Referent::NULL, |parent| parent.referent));
            slot = if node.next == index::NONE { node.parent } else { index.deepest(node.next) };
        }
        parents
    }
}

/// Compares what is written: not the references to removed instances, nor the classes and shared strings that only
/// they used.
impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        let [classes, other_classes] = [self, other]
            .map(|document| document.written_classes().map(|(_, class)| class).collect::<Vec<_>>());
        // A header without its own count has the actual one.
        let head = |document: &Self, classes: &[&Class]| {
            let count = |stated: Option<i32>, count: usize| stated.map_or(count as i64, i64::from);
            let Header { version, class_count, instance_count, reserved } = document.header;
            let counts = (count(class_count, classes.len()), count(instance_count, document.len()));
            (version, counts, reserved)
        };
        let same_property = |(own, their): (&Property, &Property)| {
            let columns = [self.without_removed(own), other.without_removed(their)];
            own.name == their.name
                && columns[0].as_ref().unwrap_or(&own.column) == columns[1].as_ref().unwrap_or(&their.column)
        };
        let same_class = |(own, their): (&Class, &Class)| {
            (own.id, &own.name, own.format) == (their.id, &their.name, their.format)
                && (&own.referents, &own.markers, &own.extra)
                    == (&their.referents, &their.markers, &their.extra)
                && own.properties.len() == their.properties.len()
                && own.properties.iter().zip(&their.properties).all(same_property)
        };
        head(self, &classes) == head(other, &other_classes)
            && self.metadata == other.metadata
            && self.signatures == other.signatures
            && self.written_strings(&self.unused_strings()).eq(other.written_strings(&other.unused_strings()))
            && classes.len() == other_classes.len()
            && classes.into_iter().zip(other_classes).all(same_class)
            && self.parents() == other.parents()
    }
}

impl Eq for Document {}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { header, metadata, signatures, shared_strings, classes, .. } = self;
        f.debug_struct("Document")
            .field("header", header)
            .field("metadata", metadata)
            .field("signatures", signatures)
            .field("shared_strings", shared_strings)
            .field("classes", classes)
            .field("parents", &self.parents())
            .finish()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Document {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let Self { header, metadata, signatures, shared_strings, classes, .. } = self;
        let mut document = serializer.serialize_struct("Document", 5 + usize::from(signatures.is_some()))?;
        document.serialize_field("header", header)?;
        document.serialize_field("metadata", metadata)?;
        match signatures {
            Some(_) => document.serialize_field("signatures", signatures)?,
            None => document.skip_field("signatures")?,
        }
        document.serialize_field("shared_strings", shared_strings)?;
        document.serialize_field("classes", classes)?;
        document.serialize_field("parents", &*self.parents())?;
        document.end()
    }
}

/// The unique ids of all instances: the class, the row and the value.
pub(crate) fn unique_ids(classes: &[Class]) -> impl Iterator<Item = (&Class, usize, UniqueId)> {
    let rows = |class| (0..).zip(Class::unique_ids(class)).map(move |(row, &id)| (class, row, id));
    classes.iter().flat_map(rows)
}

impl Clone for Class {
    fn clone(&self) -> Self {
        let Self { id, name, format, referents, markers, properties, extra } = self;
        Self {
            id: *id,
            name: name.clone(),
            format: *format,
            referents: rbxcore::parts::spare::copy(referents),
            markers: rbxcore::parts::spare::copy(markers),
            properties: properties.clone(),
            extra: extra.clone(),
        }
    }
}

impl Class {
    /// The column of a property; the last if there are several, since it replaces the others.
    pub fn property(&self, name: impl AsRef<[u8]>) -> Option<&Column> {
        self.properties
            .iter()
            .rfind(|property| property.name == name.as_ref())
            .map(|property| &property.column)
    }

    /// The column of a property, mutable; the last if there are several.
    pub fn property_mut(&mut self, name: impl AsRef<[u8]>) -> Option<&mut Column> {
        let mut properties = self.properties.iter_mut();
        properties.rfind(|property| property.name == name.as_ref()).map(|property| &mut property.column)
    }

    /// The values of the property [`UNIQUE_ID`]; empty if the class has no such column of that type.
    pub(crate) fn unique_ids(&self) -> &[UniqueId] {
        match self.property(UNIQUE_ID) {
            Some(Column::UniqueId(ids)) => ids,
            _ => &[],
        }
    }

    /// Removes a row; the last one takes its index.
    pub(crate) fn swap_remove(&mut self, row: usize) {
        if row < self.referents.len() {
            self.referents.swap_remove(row);
        }
        if row < self.markers.len() {
            self.markers.swap_remove(row);
        }
        self.properties.iter_mut().for_each(|property| property.column.swap_remove(row));
    }
}
