//! Checks whether bytes are read as a given value, without building another one.

use std::hash::{BuildHasher, Hash as _, Hasher as _, RandomState};
use std::mem::discriminant;

use crate::consts::Encoding;
use crate::model::{Event, Scalar, Value};
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

/// A hash of a value with the order of its entries and the bits of its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Fingerprint {
    state: RandomState,
    hash: u64,
}

impl Fingerprint {
    pub(crate) fn new(value: &Value) -> Self {
        let state = RandomState::new();
        let hash = hash(value, &state);
        Self { state, hash }
    }

    pub(crate) fn is_of(&self, value: &Value) -> bool {
        hash(value, &self.state) == self.hash
    }
}

fn hash(value: &Value, state: &RandomState) -> u64 {
    let mut hasher = state.build_hasher();
    for event in value.events() {
        discriminant(&event).hash(&mut hasher);
        match event {
            Event::Key(key) => key.hash(&mut hasher),
            Event::Scalar(scalar) => {
                discriminant(&scalar).hash(&mut hasher);
                match scalar {
                    Scalar::Undef => {}
                    Scalar::Boolean(value) => value.hash(&mut hasher),
                    Scalar::Integer(value) => value.hash(&mut hasher),
                    Scalar::Real(value) => value.to_bits().hash(&mut hasher),
                    Scalar::Uuid(value) => value.hash(&mut hasher),
                    Scalar::Date(value) => value.0.to_bits().hash(&mut hasher),
                    Scalar::String(text) | Scalar::Uri(text) | Scalar::Binary(text) => text.hash(&mut hasher),
                }
            }
            Event::StartArray(_) | Event::EndArray | Event::StartMap(_) | Event::EndMap => {}
        }
    }
    hasher.finish()
}
