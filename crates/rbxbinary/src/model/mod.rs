//! What a document is. Plain data, no I/O.

mod column;
mod layout;
mod list;
mod name;
pub(crate) mod rotation;
mod rows;
mod value;
mod value_ref;

use std::fmt;

use bstr::BString;
pub use column::{
    CFrameQuats, CFrames, Column, ContentEntry, Contents, Fonts, OptionalCFrames, PhysicalColumn,
};
pub use layout::{Chunk, Layout, Part, RawChunk};
pub use list::{Sequences, Strings};
pub use name::Name;
pub(crate) use rows::{Mismatch, Place, Pool, retain};
pub use value::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Value, Vector2int16,
    Vector3int16,
};
pub use value_ref::{ContentRef, FontRef, ValueRef};

use crate::consts::{ClassFormat, Version};

/// The name of an instance within its document: a number that says nothing else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Referent(pub i32);

impl Referent {
    /// No instance.
    pub const NULL: Self = Self(-1);

    /// Whether this is no instance.
    pub fn is_null(self) -> bool {
        self == Self::NULL
    }

    /// `None` for no instance.
    pub fn non_null(self) -> Option<Self> {
        (!self.is_null()).then_some(self)
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

/// A place or a model, column by column, as the file has it.
///
/// [`Document::tree`] shows it as instances; [`Document::set`], [`Document::insert`],
/// [`Document::remove`], [`Document::reparent`] and [`Document::merge`] change it. What a rewrite
/// needs besides is in [`Document::layout`].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Document {
    /// The header.
    pub header: Header,
    /// Keys and values about the whole document: `ExplicitAutoJoints` is `true`, in models.
    pub metadata: Vec<Metadata>,
    /// Strings that columns of type `SharedString` refer to by their place here.
    pub shared_strings: Vec<SharedString>,
    /// What the SIGN chunk holds, as it stands in the file: it is no longer true after any edit, and
    /// an edit through this crate removes it.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub signatures: Option<Vec<u8>>,
    /// The classes, in the file's order, each with its instances and columns.
    pub classes: Vec<Class>,
    /// Who is whose child.
    pub parents: Parents,
    /// What a rewrite needs and the model does not say.
    #[cfg_attr(feature = "serde", serde(default))]
    pub layout: Layout,
}

/// The header of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Header {
    /// Always 0 so far.
    pub version: Version,
    /// How many classes the header says there are, where that is not how many there are.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub class_count: Option<i32>,
    /// How many instances the header says there are, where that is not how many there are.
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
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub key: BString,
    /// The value.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub value: BString,
}

/// A string that several instances share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedString {
    /// A hash as it stands in the file: all zero today, MD5 once, and checked by nobody.
    pub hash: [u8; 16],
    /// The string.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub bytes: BString,
}

/// A class with its instances.
///
/// The row `i` of every column belongs to the instance `referents[i]`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Class {
    /// The number by which the file's columns name their class.
    pub id: u32,
    /// The name, such as `Part`.
    #[cfg_attr(feature = "serde", serde(with = "crate::text"))]
    pub name: BString,
    /// Whether the instances are services.
    pub format: ClassFormat,
    /// The instances.
    pub referents: Vec<Referent>,
    /// Services only: one per instance, 1 where it is parented to the root, else 0.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub markers: Vec<u8>,
    /// The columns, in the file's order.
    pub properties: Vec<Property>,
    /// Bytes of the INST chunk behind all that is known.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub extra: Vec<u8>,
}

/// A property of a class: one value per instance.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Property {
    /// The name under which it is stored, which is not always the one that scripts see.
    pub name: Name,
    /// The values.
    pub column: Column,
}

/// Who is whose child: two columns of the same length.
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

    /// How many instances there are.
    pub fn instance_count(&self) -> usize {
        self.classes.iter().map(|class| class.referents.len()).sum()
    }

    /// The class with a name; the first, should there be several.
    pub fn class(&self, name: impl AsRef<[u8]>) -> Option<&Class> {
        self.classes.iter().find(|class| class.name == name.as_ref())
    }
}

impl Class {
    /// The column of a property.
    pub fn property(&self, name: impl AsRef<[u8]>) -> Option<&Column> {
        self.properties
            .iter()
            .find(|property| property.name == name.as_ref())
            .map(|property| &property.column)
    }

    /// The column of a property.
    pub fn property_mut(&mut self, name: impl AsRef<[u8]>) -> Option<&mut Column> {
        let mut properties = self.properties.iter_mut();
        properties.find(|property| property.name == name.as_ref()).map(|property| &mut property.column)
    }
}
