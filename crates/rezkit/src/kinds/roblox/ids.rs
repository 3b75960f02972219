//! Instances of documents of either form.

use ::rbxbinary as binary;
use ::rbxxml as xml;

use rezkit_core::{Error, Result};

/// An instance of a [`Document`](super::Document).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InstanceId {
    /// Of the binary form.
    Binary(binary::InstanceId),
    /// Of XML.
    Xml(xml::InstanceId),
}

/// Ids of either form under one name.
pub(super) trait Id: Copy {
    fn any(self) -> InstanceId;
    fn of(id: InstanceId) -> Result<Self>;
}

macro_rules! id {
    ($format:ident $variant:ident) => {
        impl Id for $format::InstanceId {
            fn any(self) -> InstanceId {
                InstanceId::$variant(self)
            }

            fn of(id: InstanceId) -> Result<Self> {
                match id {
                    InstanceId::$variant(id) => Ok(id),
                    _ => Err(missing()),
                }
            }
        }
    };
}
id!(binary Binary);
id!(xml Xml);

pub(super) fn missing() -> Error {
    Error::argument("there is no such instance in the document")
}
