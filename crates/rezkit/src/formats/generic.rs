//! The model of any format as a tree, from what serde makes of it.

use std::borrow::Cow;

use rmpv::Value as Any;
use serde::Serialize;

use crate::tree::{Node, Value, as_text};

/// A model with its fields.
pub(super) struct Root {
    kind: &'static str,
    value: Any,
}

impl Root {
    pub(super) fn new(kind: &'static str, model: &impl Serialize) -> Self {
        let mut bytes = Vec::new();
        let mut serializer = rmp_serde::Serializer::new(&mut bytes).with_struct_map().with_human_readable();
        let value = match model.serialize(&mut serializer) {
            Ok(()) => compact(rmpv::decode::read_value(&mut &*bytes).unwrap_or(Any::Nil)),
            Err(_) => Any::Nil,
        };
        Self { kind, value }
    }
}

/// Long lists of bytes, which serde takes for lists of numbers, as bytes.
fn compact(value: Any) -> Any {
    match value {
        Any::Array(values) if values.len() > SHORT => {
            let byte = |value: &Any| u8::try_from(value.as_u64()?).ok();
            match values.iter().map(byte).collect() {
                Some(bytes) => Any::Binary(bytes),
                None => Any::Array(values.into_iter().map(compact).collect()),
            }
        }
        Any::Array(values) => Any::Array(values.into_iter().map(compact).collect()),
        Any::Map(entries) => {
            Any::Map(entries.into_iter().map(|(key, value)| (key, compact(value))).collect())
        }
        other => other,
    }
}

impl Node for Root {
    fn name(&self) -> Cow<'_, str> {
        "".into()
    }

    fn kind(&self) -> Cow<'_, str> {
        self.kind.into()
    }

    fn children(&self) -> Vec<Box<dyn Node + '_>> {
        children(&self.value)
    }

    fn whole(&self) -> Option<&Any> {
        Some(&self.value)
    }
}

struct Field<'a> {
    name: Cow<'a, str>,
    value: &'a Any,
}

/// A list of numbers up to this length is shown in one line.
const SHORT: usize = 16;

impl Node for Field<'_> {
    fn name(&self) -> Cow<'_, str> {
        (&*self.name).into()
    }

    fn kind(&self) -> Cow<'_, str> {
        match self.value {
            Any::Array(values) => format!("{} values", values.len()).into(),
            Any::Map(entries) if is_vector(entries) => "vector".into(),
            Any::Map(_) => "record".into(),
            other => kind(other).into(),
        }
    }

    fn value(&self) -> Option<Value> {
        match self.value {
            Any::Array(values) if values.len() <= SHORT && values.iter().all(is_scalar) => {
                let texts: Vec<_> = values.iter().map(text).collect();
                Some(Value::text("list", format!("[{}]", texts.join(", "))))
            }
            Any::Array(_) => None,
            Any::Map(entries) if is_vector(entries) => {
                let texts: Vec<_> = entries.iter().map(|(_, value)| text(value)).collect();
                Some(Value::text("vector", format!("({})", texts.join(", "))))
            }
            Any::Map(_) => None,
            Any::String(text) => Some(Value::bytes("string", text.as_bytes())),
            Any::Binary(bytes) => Some(Value::bytes("bytes", bytes.as_slice())),
            other => Some(Value::text(kind(other), text(other))),
        }
    }

    fn children(&self) -> Vec<Box<dyn Node + '_>> {
        let is_value = match self.value {
            Any::Array(values) => values.len() <= SHORT && values.iter().all(is_scalar),
            Any::Map(entries) => is_vector(entries),
            _ => true,
        };
        if is_value { Vec::new() } else { children(self.value) }
    }

    fn whole(&self) -> Option<&Any> {
        Some(self.value)
    }
}

fn children(value: &Any) -> Vec<Box<dyn Node + '_>> {
    let field = |name: Cow<'static, str>, value| Box::new(Field { name, value }) as Box<dyn Node + '_>;
    match value {
        Any::Array(values) => {
            values.iter().enumerate().map(|(index, value)| field(index.to_string().into(), value)).collect()
        }
        Any::Map(entries) => entries
            .iter()
            .map(|(key, value)| match key.as_str() {
                Some(name) => field(name.to_owned().into(), value),
                None => field(text(key).into(), value),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether these are the coordinates of a vector, the parts of a quaternion or a colour.
fn is_vector(entries: &[(Any, Any)]) -> bool {
    let coordinate = |key: &Any| matches!(key.as_str(), Some("x" | "y" | "z" | "w" | "r" | "g" | "b" | "a"));
    !entries.is_empty() && entries.iter().all(|(key, value)| coordinate(key) && is_scalar(value))
}

fn is_scalar(value: &Any) -> bool {
    !matches!(value, Any::Array(_) | Any::Map(_) | Any::String(_) | Any::Binary(_) | Any::Ext(..))
}

fn kind(value: &Any) -> &'static str {
    match value {
        Any::Nil => "nothing",
        Any::Boolean(_) => "bool",
        Any::Integer(_) => "integer",
        Any::F32(_) | Any::F64(_) => "number",
        Any::String(_) => "string",
        Any::Binary(_) | Any::Ext(..) => "bytes",
        Any::Array(_) => "list",
        Any::Map(_) => "record",
    }
}

fn text(value: &Any) -> String {
    match value {
        Any::Nil => "-".to_owned(),
        Any::F32(number) => float(f64::from(*number), number.to_string()),
        Any::F64(number) => float(*number, number.to_string()),
        Any::Binary(bytes) => {
            as_text(bytes).map_or_else(|| crate::tree::hex(bytes, usize::MAX), str::to_owned)
        }
        other => other.to_string(),
    }
}

/// NaN with its bits where they are unusual.
fn float(number: f64, text: String) -> String {
    match number.is_nan() && number.to_bits() != f64::NAN.to_bits() {
        true => format!("NaN({:#x})", number.to_bits()),
        false => text,
    }
}
