//! What a document is. Plain data, no I/O.

mod layout;
mod merge;
mod plain;
#[cfg(feature = "serde")]
pub(crate) mod serde;
mod shared;
mod text;
mod tree;
mod value;

pub use layout::{ItemLayout, Layout, Part, Raw};
pub use merge::Merged;
pub use plain::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    CustomPhysicalProperties, Faces, Font, FontStyle, NumberRange, NumberSequence, NumberSequenceKeypoint,
    PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId, Vector2int16, Vector3int16,
};
pub use shared::{KeyHash, SharedString};
pub use text::{Name, Text};
pub(crate) use tree::Node;
pub use tree::{Children, Descendants, ItemId};
pub use value::{Unknown, Value};

/// A place or a model.
///
/// Items live in one arena and are named by [`ItemId`]; see [`Document::roots`],
/// [`Document::children`] and [`Document::insert`]. Two documents are equal where they say the same,
/// however they were written: [`Document::layout`] is not compared.
#[derive(Clone, Debug)]
pub struct Document {
    /// The attributes of the element `roblox`, in the file's order, those that declare namespaces
    /// among them.
    pub attributes: Vec<(Name, Text)>,
    /// Keys and values about the whole document: `ExplicitAutoJoints` is `true`, in models.
    pub metadata: Vec<Metadata>,
    /// Without a known meaning: Studio writes `null` and `nil`.
    pub externals: Vec<Text>,
    /// Bytes that values refer to by their key.
    pub shared_strings: Vec<SharedString>,
    /// What a rewrite needs and the model does not say.
    pub layout: Layout,
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: u32,
}

/// A key and a value about the whole document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Metadata {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: Text,
}

/// An instance: its class, its referent and its properties. Its parent and children are the
/// document's matter.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Item {
    /// The class, such as `Part`.
    pub class: Name,
    /// What `Ref` values call this item by. Studio writes `RBX` and 32 hexadecimal digits; hand-made
    /// files often have none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub referent: Option<Name>,
    /// The properties in the file's order, which is that of their names. A name may stand twice; the
    /// last one counts.
    #[cfg_attr(feature = "serde", serde(default))]
    pub properties: Vec<Property>,
    /// How the item stood in its file, where Studio would write it otherwise.
    #[cfg_attr(feature = "serde", serde(default))]
    pub layout: Option<Box<ItemLayout>>,
}

/// As of documents: what they say, not how they were written.
impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.class == other.class && self.referent == other.referent && self.properties == other.properties
    }
}

/// A property with its value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Property {
    /// The name under which it is stored, which is not always the one that scripts see.
    pub name: Name,
    /// The value.
    pub value: Value,
}

impl Property {
    /// A property with its value.
    pub fn new(name: impl Into<Name>, value: impl Into<Value>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl Item {
    /// An item without a referent and without properties.
    pub fn new(class: impl Into<Name>) -> Self {
        Self { class: class.into(), ..Self::default() }
    }

    /// The same with another property, which is put behind the others.
    #[must_use]
    pub fn with(mut self, name: impl Into<Name>, value: impl Into<Value>) -> Self {
        self.properties.push(Property::new(name, value));
        self
    }

    /// The value of a property; the last one of that name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.properties.iter().rev().find(|property| property.name == name).map(|property| &property.value)
    }

    /// The value of a property, to change; the last one of that name.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let mut properties = self.properties.iter_mut().rev();
        properties.find(|property| property.name == name).map(|property| &mut property.value)
    }

    /// Sets a property and gives back the value that it had. A new one is put where the order of names
    /// wants it.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Option<Value> {
        let value = value.into();
        if let Some(there) = self.get_mut(name) {
            return Some(std::mem::replace(there, value));
        }
        let place = self.properties.iter().position(|property| property.name.as_str() > name);
        self.properties.insert(place.unwrap_or(self.properties.len()), Property::new(name, value));
        None
    }

    /// Removes every property of a name and gives back the value of the last one.
    pub fn unset(&mut self, name: &str) -> Option<Value> {
        let mut last = None;
        self.properties.retain_mut(|property| {
            let keep = property.name != name;
            if !keep {
                last = Some(std::mem::replace(&mut property.value, Value::Bool(false)));
            }
            keep
        });
        last
    }

    /// The property `Name`, where it is text.
    pub fn name(&self) -> Option<&str> {
        self.get("Name")?.as_str()
    }
}

impl Default for Document {
    fn default() -> Self {
        let attributes = crate::consts::ATTRIBUTES;
        Self {
            attributes: attributes.map(|(name, value)| (name.into(), value.into())).to_vec(),
            metadata: Vec::new(),
            externals: ["null", "nil"].map(Text::from).to_vec(),
            shared_strings: Vec::new(),
            layout: Layout::default(),
            nodes: Vec::new(),
            root: tree::NONE,
        }
    }
}

impl Document {
    /// A document without items, with the attributes and externals that Studio writes. A model has
    /// [`Metadata`] `ExplicitAutoJoints` besides.
    pub fn new() -> Self {
        Self::default()
    }

    /// The attribute `version`; `None` where it is missing or no number.
    pub fn version(&self) -> Option<crate::Version> {
        let (_, value) = self.attributes.iter().find(|(name, _)| *name == "version")?;
        crate::Version::from_text(value)
    }
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.metadata == other.metadata
            && self.externals == other.externals
            && self.shared_strings == other.shared_strings
            && self.same_items(other)
    }
}
