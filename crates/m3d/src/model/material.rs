//! Materials.

use bstr::{BStr, BString, ByteSlice};
use geom::Rgba8;

use crate::consts::{PropertyId, PropertyKind};
use geom::wire::{Error, Result};

/// A material: chunk `MTRL`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Its name, which meshes use.
    pub name: BString,
    /// Its properties, in the file's order; each should occur only once.
    pub properties: Vec<Property>,
}

/// A property of a material.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Property {
    /// Which property it is.
    pub id: PropertyId,
    /// Its value; must be of the property's kind ([`PropertyId::kind`]).
    pub value: Value,
}

/// The value of a property. Numbers are compared by bits.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Value {
    /// A colour; all zero is no colour.
    Color(Rgba8),
    /// A number.
    Float(f32),
    /// An integer from 0 to 255.
    Byte(u8),
    /// The name of a texture, an asset or a file, with or without `.png`.
    Map(BString),
    /// All bytes up to the end of the chunk, for a property that this crate does not know, and whose length it
    /// therefore does not know.
    Other(Vec<u8>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Color(a), Self::Color(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Byte(a), Self::Byte(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Other(a), Self::Other(b)) => a == b,
            _ => false,
        }
    }
}

impl Value {
    /// The kind of properties that have such a value; `None` for properties unknown to this crate.
    pub(crate) const fn kind(&self) -> Option<PropertyKind> {
        match self {
            Self::Color(_) => Some(PropertyKind::Color),
            Self::Float(_) => Some(PropertyKind::Float),
            Self::Byte(_) => Some(PropertyKind::Byte),
            Self::Map(_) => Some(PropertyKind::Map),
            Self::Other(_) => None,
        }
    }

    /// The variant for properties of a kind.
    pub(crate) const fn variant(kind: Option<PropertyKind>) -> &'static str {
        match kind {
            Some(PropertyKind::Color) => "Value::Color",
            Some(PropertyKind::Float) => "Value::Float",
            Some(PropertyKind::Byte) => "Value::Byte",
            Some(PropertyKind::Map) => "Value::Map",
            None => "Value::Other",
        }
    }

    pub(crate) fn number(&self) -> Option<f32> {
        match *self {
            Self::Float(number) => Some(number),
            Self::Byte(number) => Some(number.into()),
            _ => None,
        }
    }
}

impl Property {
    /// Fails unless the value is of the property's kind.
    pub(crate) fn writable(&self) -> Result<()> {
        let other = || {
            let key = self.id.key().map_or_else(|| self.id.0.to_string(), str::to_owned);
            let (found, wanted) = (Value::variant(self.value.kind()), Value::variant(self.id.kind()));
            let what = format!("a `{found}` for the property {key} (expected a `{wanted}`)");
            Error::unwritable("", what)
        };
        (self.value.kind() == self.id.kind()).then_some(()).ok_or_else(other)
    }
}

impl Material {
    /// The value of a property, the first if there are several.
    pub fn get(&self, id: PropertyId) -> Option<&Value> {
        self.properties.iter().find(|property| property.id == id).map(|property| &property.value)
    }

    /// Sets the value of a property, which is added if the material lacks it.
    pub fn set(&mut self, id: PropertyId, value: Value) {
        match self.properties.iter_mut().find(|property| property.id == id) {
            Some(property) => property.value = value,
            None => self.properties.push(Property { id, value }),
        }
    }

    /// The colour of a property; `None` if it is missing or all zero.
    pub fn color(&self, id: PropertyId) -> Option<Rgba8> {
        match self.get(id)? {
            Value::Color(color) => Some(*color).filter(|&color| color != Rgba8::default()),
            _ => None,
        }
    }

    /// The number of a property.
    pub fn number(&self, id: PropertyId) -> Option<f32> {
        self.get(id)?.number()
    }

    /// The texture of a property. `id` is that of the map, or of the number or colour that the map varies. (The
    /// illumination model, 8, has no map: 136 is the normal map.)
    pub fn map(&self, id: PropertyId) -> Option<&BStr> {
        match self.get(id.map()?)? {
            Value::Map(name) => Some(name.as_bstr()),
            _ => None,
        }
    }
}
