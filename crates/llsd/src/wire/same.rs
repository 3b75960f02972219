//! Whether bytes are read as a value that exists: found without building another one.

use bstr::ByteSlice as _;

use crate::consts::Encoding;
use crate::model::{Event, Item, Value, Walk};
use crate::options::ReadOptions;
use crate::wire::any::Input;
use crate::wire::events::Source as _;
use geom::wire::Budget;

/// Whether bytes without a header are read as a value, to the last bit and with each key once, and contain
/// no more than that.
pub(crate) fn is_plainly(bytes: &[u8], encoding: Encoding, options: &ReadOptions, value: &Value) -> bool {
    let mut source = Input::new(encoding, bytes, options, Budget::new(u64::MAX));
    let mut items = Walk::new(value);
    while let Ok(event) = source.next() {
        match (event, items.next()) {
            (Some(event), Some(item)) if is(&event, item) => {}
            (None, None) => return source.rest().is_empty(),
            _ => return false,
        }
    }
    false
}

/// Whether an event is that of a value, to the last bit.
#[inline]
fn is(event: &Event<'_>, item: Item<'_>) -> bool {
    match (event, item) {
        (Event::Key(a), Item::Key(b)) => **a == **b,
        (Event::EndArray, Item::EndArray) | (Event::EndMap, Item::EndMap) => true,
        (Event::StartArray(_), Item::Value(Value::Array(_))) => true,
        (Event::StartMap(_), Item::Value(Value::Map(_))) => true,
        (event, Item::Value(value)) => same(event, value),
        _ => false,
    }
}

/// Whether a scalar is a value, to the last bit.
#[inline]
pub(crate) fn same(event: &Event<'_>, value: &Value) -> bool {
    match (event, value) {
        (Event::Undef, Value::Undef) => true,
        (Event::Boolean(a), Value::Boolean(b)) => a == b,
        (Event::Integer(a), Value::Integer(b)) => a == b,
        (Event::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits(),
        (Event::Uuid(a), Value::Uuid(b)) => a == b,
        (Event::String(a), Value::String(b)) => **a == **b,
        (Event::Date(a), Value::Date(b)) => a.secs().to_bits() == b.secs().to_bits(),
        (Event::Uri(a), Value::Uri(b)) => **a == *b.0,
        (Event::Binary(a), Value::Binary(b)) => a.as_bytes() == b.0.as_slice(),
        _ => false,
    }
}
