#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod bytes;
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub mod classes;
mod convert;
mod dom;
mod edit;
mod floats;
#[doc(hidden)]
pub mod hash;
mod id;
mod kind;
mod new_instance;
mod newtype;
#[doc(hidden)]
pub mod parts;
#[doc(hidden)]
pub mod plain;
#[cfg(feature = "classes")]
#[cfg_attr(docsrs, doc(cfg(feature = "classes")))]
pub mod property;
pub mod rotation;
#[doc(hidden)]
pub mod same;
mod shared_bytes;
mod similar;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod text;
mod types;
mod value;
mod verbs;

/// The types of values, which [`Value`] has as variants, and what they consist of.
pub mod value_types {
    pub use crate::{
        Axes, BrickColor, CFrame, CFrameQuat, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
        Content, ContentRef, CustomPhysicalProperties, EnumItem, Faces, Font, FontRef, FontStyle, Kind,
        NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect,
        SecurityCapabilities, SharedBytes, Text, UDim, UDim2, UniqueId, Unknown, Vector2int16, Vector3int16,
    };
    pub use geom::{Mat3, Quat, Vec2, Vec3};
}

pub use bytes::Text;
#[doc(hidden)]
pub use dom::{Added, Store, missing};
pub use dom::{Children, Descendants, Dom};
pub use edit::{EditOptions, Edited, Fill, Filled, LeftOut, Missing, Others, Renamed, ValueOf};
pub use floats::Floats;
pub use geom;
pub use id::InstanceId;
pub use kind::Kind;
pub use new_instance::NewInstance;
pub use shared_bytes::SharedBytes;
pub use types::{
    Axes, BrickColor, CFrame, Color3, Color3uint8, ColorSequence, ColorSequenceKeypoint,
    CustomPhysicalProperties, EnumItem, Faces, Font, FontStyle, NumberRange, NumberSequence,
    NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, SecurityCapabilities, UDim, UDim2, UniqueId,
    Vector2int16, Vector3int16,
};
pub use value::{CFrameQuat, Content, ContentRef, FontRef, Unknown, Value, ValueRef};
