//! The deserializer: one over the events of all encodings.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use serde::de::value::{BytesDeserializer, F64Deserializer, UnitDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::build::Builder;
use crate::de::key::Key;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::model::Value;
use crate::model::walk::Walk;
use crate::options::{Duplicates, ReadOptions};
use crate::serde_impls::{DATE, UUID, VALUE, hand_over};
use crate::transcode::Events;
use crate::wire::path_of;

/// Values in one another that serde may recurse into.
pub(crate) const DEEPEST: u32 = 256;

/// Reads types that serde knows from a document or a [`Value`].
#[derive(Debug)]
pub struct Deserializer<'de> {
    source: Source<'de>,
    peeked: Option<Event<'de>>,
    depth: u32,
}

#[derive(Debug)]
enum Source<'de> {
    Document(Box<Events<'de>>),
    Value { value: &'de Value, walk: Walk<'de>, taken: usize },
}

impl<'de> Deserializer<'de> {
    /// Reads from a document.
    ///
    /// # Errors
    /// Where the document is malformed.
    pub fn new(bytes: &'de [u8], options: &ReadOptions) -> Result<Self> {
        let source = Source::Document(Box::new(Events::new(bytes, options)?));
        Ok(Self { source, peeked: None, depth: 0 })
    }

    /// Reads from a value.
    pub fn from_value(value: &'de Value) -> Self {
        let source = Source::Value { value, walk: Walk::new(value), taken: 0 };
        Self { source, peeked: None, depth: 0 }
    }

    /// How many bytes of the document were used; 0 for a value.
    pub fn used(&self) -> usize {
        match &self.source {
            Source::Document(events) => events.reader.used(),
            Source::Value { .. } => 0,
        }
    }

    /// Reads the type, and what stands behind it up to the end of the document.
    pub(crate) fn read_one<T: Deserialize<'de>>(&mut self) -> Result<T> {
        let read = T::deserialize(&mut *self).and_then(|read| match self.next_or_end()? {
            None => Ok(read),
            Some(_) => Err(Error::custom("a type that does not read all of its value")),
        });
        read.map_err(|error| self.placed(error))
    }

    /// An error that serde or a type made knows no place.
    fn placed(&self, error: Error) -> Error {
        let ErrorKind::Invalid(what) = error.kind() else { return error };
        if error.offset().is_some() {
            return error;
        }
        let kind = ErrorKind::Invalid(what.clone());
        match &self.source {
            Source::Document(events) => events.reader.error_here(kind),
            Source::Value { value, taken, .. } => {
                Error::new(kind, path_of(Walk::new(value).take(taken.saturating_sub(1))))
            }
        }
    }

    fn next_or_end(&mut self) -> Result<Option<Event<'de>>> {
        if let Some(event) = self.peeked.take() {
            return Ok(Some(event));
        }
        match &mut self.source {
            Source::Document(events) => events.next(),
            Source::Value { walk, taken, .. } => {
                *taken += 1;
                Ok(walk.next())
            }
        }
    }

    fn next(&mut self) -> Result<Event<'de>> {
        match self.next_or_end()? {
            Some(event) => Ok(event),
            None => Err(Error::new(ErrorKind::UnexpectedEnd, "")),
        }
    }

    fn peek(&mut self) -> Result<&Event<'de>> {
        let event = self.next()?;
        Ok(self.peeked.insert(event))
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(Error::custom("more values in one another than serde may recurse into")),
            false => Ok(()),
        }
    }

    /// All of the next value, built without recursion.
    fn value(&mut self) -> Result<Value> {
        // What was read is bounded by the reader's own limits.
        let mut builder = Builder::new(u64::MAX, Duplicates::First);
        loop {
            let event = self.next()?;
            if let Some(value) = builder.take(event).map_err(|kind| Error::new(kind, ""))? {
                return Ok(value);
            }
        }
    }

    fn sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let read = visitor.visit_seq(Entries { de: self })?;
        self.depth -= 1;
        match self.next()? {
            Event::EndArray => Ok(read),
            _ => Err(Error::custom("more values than the type takes")),
        }
    }

    fn entries<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let read = visitor.visit_map(Entries { de: self })?;
        self.depth -= 1;
        match self.next()? {
            Event::EndMap => Ok(read),
            _ => Err(Error::custom("more entries than the type takes")),
        }
    }

    fn visit<V: Visitor<'de>>(&mut self, event: Event<'de>, visitor: V) -> Result<V::Value> {
        match event {
            Event::Undef => visitor.visit_unit(),
            Event::Boolean(value) => visitor.visit_bool(value),
            Event::Integer(value) => visitor.visit_i32(value),
            // What the serializer made of a whole number that no integer of LLSD holds. A type that
            // wants a float takes it as well, and one that serde keeps for later only this way.
            Event::Real(value)
                if value.abs() > 2_147_483_648.0 && value.abs() < 9.2e18 && value.fract() == 0.0 =>
            {
                whole(value, visitor)
            }
            Event::Real(value) => visitor.visit_f64(value),
            Event::Uuid(value) => visitor.visit_string(value.to_string()),
            Event::Date(value) if value.secs().is_finite() => visitor.visit_string(value.to_string()),
            Event::Date(value) => visitor.visit_f64(value.secs()),
            Event::String(value) | Event::Uri(value) => text(value, visitor),
            Event::Binary(value) => bytes(value, visitor),
            Event::StartArray(_) => self.sequence(visitor),
            Event::StartMap(_) => self.entries(visitor),
            Event::Key(_) | Event::EndArray | Event::EndMap => Err(Error::custom("no value")),
        }
    }

    /// A number, whose type the visitor says.
    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Real(value) => whole(value, visitor),
            event => self.visit(event, visitor),
        }
    }
}

/// A real as an integer, where it is one.
fn whole<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and in range")]
    match value {
        _ if value.fract() != 0.0 => {}
        0.0..18_446_744_073_709_551_616.0 => return visitor.visit_u64(value as u64),
        -9_223_372_036_854_775_808.0..0.0 => return visitor.visit_i64(value as i64),
        _ => {}
    }
    Err(Error::invalid_type(Unexpected::Float(value), &visitor))
}

/// Text, borrowed where the input has it as it is.
fn text<'de, V: Visitor<'de>>(text: Cow<'de, BStr>, visitor: V) -> Result<V::Value> {
    match text {
        Cow::Borrowed(text) => match text.to_str() {
            Ok(text) => visitor.visit_borrowed_str(text),
            Err(_) => visitor.visit_borrowed_bytes(text),
        },
        Cow::Owned(text) => match String::from_utf8(text.into()) {
            Ok(text) => visitor.visit_string(text),
            Err(error) => visitor.visit_byte_buf(error.into_bytes()),
        },
    }
}

fn bytes<'de, V: Visitor<'de>>(bytes: Cow<'de, BStr>, visitor: V) -> Result<V::Value> {
    match bytes {
        Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
        Cow::Owned(bytes) => visitor.visit_byte_buf(bytes.into()),
    }
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let event = self.next()?;
        self.visit(event, visitor)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.number(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Date(value) => visitor.visit_f64(value.secs()),
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::String(value) | Event::Uri(value) => bytes(value, visitor),
            Event::Uuid(value) => visitor.visit_bytes(&value.0),
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            Event::Undef => {
                self.peeked = None;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match name {
            VALUE => {
                let value = self.value()?;
                hand_over(value, || visitor.visit_newtype_struct(UnitDeserializer::new()))
            }
            UUID if matches!(self.peek()?, Event::Uuid(_)) => match self.next()? {
                Event::Uuid(value) => visitor.visit_newtype_struct(BytesDeserializer::new(&value.0)),
                event => self.visit(event, visitor),
            },
            DATE if matches!(self.peek()?, Event::Date(_)) => match self.next()? {
                Event::Date(value) => visitor.visit_newtype_struct(F64Deserializer::new(value.secs())),
                event => self.visit(event, visitor),
            },
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        match self.next()? {
            Event::String(name) | Event::Uri(name) => visitor.visit_enum(Variant { name, content: None }),
            Event::StartMap(_) => {
                let Event::Key(name) = self.next()? else {
                    return Err(Error::custom("an empty map where a variant should stand"));
                };
                self.deeper()?;
                let read = visitor.visit_enum(Variant { name, content: Some(&mut *self) })?;
                self.depth -= 1;
                match self.next()? {
                    Event::EndMap => Ok(read),
                    _ => Err(Error::custom("a variant with more than one entry")),
                }
            }
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut depth = 0_i32;
        loop {
            let event = self.next()?;
            depth = depth.saturating_add(event.step());
            if depth <= 0 && !matches!(event, Event::Key(_)) {
                return visitor.visit_unit();
            }
        }
    }

    forward_to_deserialize_any! {
        bool char str string unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// What stands in a container.
struct Entries<'a, 'de> {
    de: &'a mut Deserializer<'de>,
}

impl<'de> de::SeqAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        match self.de.peek()? {
            Event::EndArray => Ok(None),
            _ => seed.deserialize(&mut *self.de).map(Some),
        }
    }
}

impl<'de> de::MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        match self.de.next()? {
            Event::Key(key) => seed.deserialize(Key(key)).map(Some),
            event => {
                self.de.peeked = Some(event);
                Ok(None)
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value> {
        seed.deserialize(&mut *self.de)
    }
}

/// A variant of an enum: a string alone, or the only key of a map.
struct Variant<'a, 'de> {
    name: Cow<'de, BStr>,
    content: Option<&'a mut Deserializer<'de>>,
}

impl<'a, 'de> de::EnumAccess<'de> for Variant<'a, 'de> {
    type Error = Error;
    type Variant = Content<'a, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant)> {
        Ok((seed.deserialize(Key(self.name))?, Content(self.content)))
    }
}

struct Content<'a, 'de>(Option<&'a mut Deserializer<'de>>);

impl<'a, 'de> Content<'a, 'de> {
    fn some(self) -> Result<&'a mut Deserializer<'de>> {
        self.0.ok_or_else(|| Error::custom("a variant without its content"))
    }
}

impl<'de> de::VariantAccess<'de> for Content<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(de) => <()>::deserialize(de),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.some()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_any(self.some()?, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        de::Deserializer::deserialize_any(self.some()?, visitor)
    }
}
