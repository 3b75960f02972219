//! What Roblox's class table knows of properties.

use bstr::ByteSlice as _;

use super::{convert, dotted};
use crate::model::{Document, Kind, NewNode, NewValue, Value};
use geom::wire::{Error, Result};

/// The name under which a property is stored, where it is known, and its value.
type Stored = (Option<&'static str>, Value);

impl Document {
    /// The name and the value under which files store a property, as the class table has them; a property that instances of
    /// the class have keeps its name.
    pub(super) fn as_stored(&mut self, class: &str, name: &[u8], value: Value) -> Result<Stored, String> {
        match name.to_str().ok().and_then(|name| self.kind(class, name)) {
            Some(_) => Ok((None, value)),
            None => of_table(class, name, value),
        }
    }

    /// Gives the properties of a new instance the names and the types under which files store them.
    pub(super) fn store(&mut self, node: &mut NewNode) -> Result<()> {
        let Ok(class) = node.class.to_str() else { return Ok(()) };
        for (name, value) in &mut node.properties {
            let given = match value {
                NewValue::Value(value) => value.clone(),
                // A reference, whichever instance has the label.
                NewValue::Label(_) => Value::Ref(None),
            };
            let stored = self.as_stored(class, name, given);
            let (stored, new) =
                stored.map_err(|what| Error::invalid_argument(dotted(class.as_bytes(), name), what))?;
            if let NewValue::Value(value) = value {
                *value = new;
            }
            if let Some(stored) = stored {
                *name = stored.into();
            }
        }
        Ok(())
    }
}

/// The name and the value under which files store a property that a class has not stored yet; why it cannot be one.
fn of_table(class: &str, name: &[u8], value: Value) -> Result<Stored, String> {
    let Some(property) = rbxcore::classes::class(class).and_then(|class| class.property(name)) else {
        return Ok((None, value));
    };
    let kind = match (property.kind(), &value) {
        // Studio writes the number of the palette as an integer, and since 2026 tags as a shared string.
        (Kind::BrickColor, _) => Kind::Int32,
        (Kind::BinaryString, Value::SharedString(_)) => return Ok((Some(property.name()), value)),
        (kind, _) => kind,
    };
    Ok((Some(property.name()), convert::to_kind(value, Some(kind), property.name().as_bytes())?))
}
