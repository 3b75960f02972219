#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "classes")]
pub mod attribute_refs;
#[cfg(feature = "attributes")]
mod attributes;
#[cfg(feature = "classes")]
pub mod convert;
#[cfg(feature = "classes")]
pub mod create;
#[cfg(feature = "classes")]
pub mod effective;
#[cfg(feature = "classes")]
pub mod filled;
#[cfg(feature = "classes")]
pub mod forms;
#[cfg(feature = "classes")]
pub mod graft;
#[cfg(feature = "classes")]
pub mod join;
#[cfg(feature = "classes")]
pub mod paths;
#[cfg(feature = "classes")]
pub mod references;
#[cfg(feature = "classes")]
pub mod state;
#[cfg(feature = "classes")]
mod texts;
#[cfg(feature = "classes")]
pub mod validate;
#[cfg(feature = "classes")]
pub mod view;
#[cfg(feature = "weak")]
mod weak;
#[cfg(feature = "classes")]
pub mod which;

use std::ops::{Deref, DerefMut};

#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use attributes::{
    attribute, attributes, read_attributes, remove_attribute, set_attribute, set_attributes, set_tags, tags,
};
pub use bstr;
pub use geom::wire::{
    Advice, Budget, Error, ErrorKind, Finding, Limit, Loss, LossKind, Missing, Problem, Result,
};
pub use geom::{Mat3, Quat, Vec2, Vec3};
#[cfg(feature = "attributes")]
#[cfg_attr(docsrs, doc(cfg(feature = "attributes")))]
pub use rbxblobs::Attribute;
pub use rbxcore::{
    Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint, Content,
    ContentRef, CustomPhysicalProperties, EnumItem, Faces, Font, FontRef, FontStyle, Kind, NumberRange,
    NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities, SharedBytes,
    Text, UDim, UDim2, UniqueId, Unknown, Vector2int16, Vector3int16,
};
pub use rbxcore::{Dom, EditOptions, Edited, Fill, InstanceId, NewInstance, Value, ValueRef};
#[cfg(feature = "weak")]
#[cfg_attr(docsrs, doc(cfg(feature = "weak")))]
pub use weak::{Lost, from_weak, to_weak};

/// A place or a model of either form. It dereferences to [`Dom`]. A `match` needs an arm `_`, since there may be further
/// forms.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyDocument {
    /// A binary document.
    Binary(rbxbinary::Document),
    /// A document in XML.
    Xml(rbxxml::Document),
}

/// Reads a document of either form with the default options.
///
/// # Errors
/// As `rbxbinary::from_slice` and `rbxxml::from_slice`; bytes that are not a binary document are read as XML.
pub fn from_slice(bytes: &[u8]) -> Result<AnyDocument> {
    match rbxbinary::detect(bytes) {
        Some(_) => rbxbinary::from_slice(bytes).map(AnyDocument::Binary),
        None => rbxxml::from_slice(bytes).map(AnyDocument::Xml),
    }
}

impl AnyDocument {
    /// An empty document of the same form.
    pub fn empty(&self) -> Self {
        match self {
            Self::Binary(_) => Self::Binary(rbxbinary::Document::new()),
            Self::Xml(_) => Self::Xml(rbxxml::Document::new()),
        }
    }

    /// The bytes of the document in its form.
    ///
    /// # Errors
    /// As `rbxbinary::to_vec` and `rbxxml::to_vec`.
    pub fn to_vec(&self) -> Result<Vec<u8>> {
        match self {
            Self::Binary(document) => rbxbinary::to_vec(document),
            Self::Xml(document) => rbxxml::to_vec(document),
        }
    }
}

impl Deref for AnyDocument {
    type Target = dyn Dom;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Binary(document) => document,
            Self::Xml(document) => document,
        }
    }
}

impl DerefMut for AnyDocument {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Binary(document) => document,
            Self::Xml(document) => document,
        }
    }
}

impl From<rbxbinary::Document> for AnyDocument {
    fn from(document: rbxbinary::Document) -> Self {
        Self::Binary(document)
    }
}

impl From<rbxxml::Document> for AnyDocument {
    fn from(document: rbxxml::Document) -> Self {
        Self::Xml(document)
    }
}
