//! Checks whether bytes are read as a given value, without building another one.

use crate::consts::Encoding;
use crate::model::{Event, Value};
use crate::options::ReadOptions;
use crate::wire::any::Input;
use crate::wire::events::Source as _;
use geom::wire::Budget;

/// Whether bytes without a header are read as a value with the same order of entries, each key once, and nothing after
/// it.
pub(crate) fn is_plainly(bytes: &[u8], encoding: Encoding, options: &ReadOptions, value: &Value) -> bool {
    let mut source = Input::new(encoding, bytes, options, Budget::new(u64::MAX));
    let mut events = value.events();
    while let Ok(event) = source.next() {
        match (event, events.next()) {
            // Text has no counts.
            (Some(Event::StartArray(_)), Some(Event::StartArray(_))) => {}
            (Some(Event::StartMap(_)), Some(Event::StartMap(_))) => {}
            (Some(event), Some(other)) if event == other => {}
            (None, None) => return source.rest().is_empty(),
            _ => return false,
        }
    }
    false
}
