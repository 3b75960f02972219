//! The document: plain data without I/O.

mod equal;
mod index;
mod layout;
mod name;
#[cfg(feature = "serde")]
mod serde;
mod shared;
mod source;
mod tree;

use crate::consts::Version;

pub(crate) use index::{NONE, Names};
pub use layout::Layout;
pub use name::Name;
use rbxcore::hash::NameMap;
use rbxcore::parts::spare::Spare;
use rbxcore::parts::unique_ids::UniqueIds;
pub(crate) use rbxcore::parts::{Known, NewNode, NewValue};
pub(crate) use rbxcore::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content, Faces,
    Font, FontStyle, InstanceId, Kind, NewInstance, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, SharedBytes, Text, UDim, UDim2, UniqueId, Unknown,
    Value, Vector2int16, Vector3int16,
};
pub(crate) use shared::SharedKeys;
pub use shared::{KeyHash, SharedString};
pub use source::UnknownPart;
pub(crate) use source::{Source, Span};
pub(crate) use tree::Node;

/// A place or a model.
///
/// All instances are in one arena, and an [`InstanceId`] is valid until its instance is removed. Two documents are
/// equal if their content is, bit for bit, however it is written. References are compared by the position of their
/// targets. The layout is not compared; [`Document::same_layout`] does that.
#[derive(Clone, Debug)]
pub struct Document {
    /// The attributes of the element `roblox`, including namespace declarations, in the order of the file.
    pub attributes: Vec<(Name, Text)>,
    /// Keys and values about the whole document: in models, `ExplicitAutoJoints` is `true`.
    pub metadata: Vec<Metadata>,
    /// The texts of the elements `External`, whose meaning is not known: Studio writes `null` and `nil`.
    pub externals: Vec<External>,
    /// The text around the content of the file, the line ends and the indentation.
    pub layout: Layout,
    pub(crate) shared_strings: Vec<SharedString>,
    pub(crate) nodes: Spare<Node>,
    /// The first instance at the root.
    pub(crate) root: u32,
    /// The number of nodes that have not been removed.
    pub(crate) count: usize,
    pub(crate) names: Names,
    /// Whether two instances were read with the same referent.
    pub(crate) twins: bool,
    pub(crate) source: Source,
    pub(crate) caches: Caches,
}

/// The indices that edits use, built on first use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caches {
    /// The number of generated referents, including those skipped.
    pub(crate) fresh: u64,
    pub(crate) unique_ids: Option<UniqueIds>,
    pub(crate) stored: Stored,
    /// The instances of each class, including some removed ones.
    pub(crate) by_class: Option<NameMap<Name, Vec<u32>>>,
    /// The index of each shared string that was shared before, by the address of its bytes.
    pub(crate) shared: Option<Known<u32>>,
}

/// The properties that instances of each class store, with their types and counts. Instances are visited only as far as
/// queries require.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    pub(crate) classes: NameMap<Name, StoredTypes>,
    /// The number of visited nodes.
    pub(crate) seen: usize,
}

/// The type of each property, and the number of instances that have it.
pub(crate) type StoredTypes = NameMap<Name, (Option<Kind>, usize)>;

/// A key and a value about the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Metadata {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: Text,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) at: Span,
}

impl Metadata {
    /// A key and its value.
    pub fn new(key: impl Into<Name>, value: impl Into<Text>) -> Self {
        Self { key: key.into(), value: value.into(), at: Span::default() }
    }
}

/// An element `External`, which has no known meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct External {
    /// Its text.
    pub value: Text,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) at: Span,
}

impl External {
    /// An element with this text.
    pub fn new(value: impl Into<Text>) -> Self {
        Self { value: value.into(), at: Span::default() }
    }
}

/// An instance: its class, its referent and its properties.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instance {
    pub(crate) class: Name,
    /// The id that `Ref` elements use for this instance. Hand-written files often have none.
    pub(crate) referent: Option<Name>,
    /// The properties in file order, which Studio sorts by name. A name may occur twice; the last one counts.
    pub(crate) properties: Vec<Property>,
    pub(crate) at: Span,
}

/// A property with its value.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// The name under which it is stored, which may differ from its scripting name.
    pub(crate) name: Name,
    pub(crate) value: Value,
    /// The position in the file; every edit of the value touches it.
    pub(crate) at: Span,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Property>() == 40);

impl Instance {
    /// The property with a name; the last one if there are several.
    pub(crate) fn property(&self, name: &[u8]) -> Option<&Property> {
        self.properties.iter().rev().find(|property| property.name.as_bytes() == name)
    }

    pub(crate) fn property_mut(&mut self, name: &[u8]) -> Option<&mut Property> {
        self.properties.iter_mut().rev().find(|property| property.name.as_bytes() == name)
    }
}

impl Default for Document {
    fn default() -> Self {
        let attributes = crate::consts::ATTRIBUTES;
        Self {
            attributes: attributes.map(|(name, value)| (name.into(), value.into())).to_vec(),
            externals: ["null", "nil"].map(External::new).to_vec(),
            ..Self::empty()
        }
    }
}

impl Document {
    /// A document without instances, with the attributes and externals that Studio writes. Studio also gives a
    /// model the [`Metadata`] `ExplicitAutoJoints`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keys and values about the whole document.
    pub fn metadata(&self) -> &[Metadata] {
        &self.metadata
    }

    /// Mutable access to the metadata.
    pub fn metadata_mut(&mut self) -> &mut Vec<Metadata> {
        &mut self.metadata
    }

    /// A document without any content, not even the attributes that Studio writes.
    pub(crate) fn empty() -> Self {
        Self {
            attributes: Vec::new(),
            metadata: Vec::new(),
            externals: Vec::new(),
            layout: Layout::default(),
            shared_strings: Vec::new(),
            nodes: Spare(Vec::new()),
            root: NONE,
            count: 0,
            names: Names::default(),
            twins: false,
            source: Source::default(),
            caches: Caches::default(),
        }
    }

    /// The attribute `version`; `None` if it is missing or not a number.
    pub fn version(&self) -> Option<Version> {
        let (_, value) = self.attributes.iter().find(|(name, _)| *name == "version")?;
        Version::from_text(value)
    }
}
