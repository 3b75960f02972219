//! The deserializer, which reads the events of any encoding.

use std::borrow::Cow;

use bstr::BStr;
use serde::de::value::{BytesDeserializer, F64Deserializer, UnitDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::consts::MAX_SERDE_DEPTH;
use crate::de::key::Key;
use crate::de::visit::{bytes, text, whole};
use crate::distinct::Distinct;
use crate::model::serde::{DATE, UUID, VALUE, hand_over};
use crate::model::{Event, Scalar, Value, Walk, path_of};
use crate::options::ReadOptions;
use crate::wire::build::Builder;
use geom::wire::{Budget, Error, ErrorKind, Result};

/// Deserializes from a document or a [`Value`].
///
/// A document is read to its end and no further: [`Deserializer::used`] returns the offset at which the next document
/// can begin.
///
/// ```
/// use llsd::{ReadOptions, de::Deserializer};
/// use serde::Deserialize as _;
///
/// let bytes = b"<llsd><integer>1</integer></llsd><llsd><integer>2</integer></llsd>";
/// let mut first = Deserializer::new(bytes, &ReadOptions::new())?;
/// assert_eq!(u8::deserialize(&mut first)?, 1);
/// let mut second = Deserializer::new(&bytes[first.used()..], &ReadOptions::new())?;
/// assert_eq!(u8::deserialize(&mut second)?, 2);
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Debug)]
pub struct Deserializer<'de> {
    source: Source<'de>,
    peeked: Option<Event<'de>>,
    depth: u32,
    coerce: bool,
}

#[derive(Debug)]
enum Source<'de> {
    Document(Box<Distinct<'de>>),
    Value { value: &'de Value, walk: Walk<'de>, taken: usize },
}

impl<'de> Deserializer<'de> {
    /// Reads from a document.
    ///
    /// # Errors
    /// If the input is not LLSD. If the last of equal keys is used, as in XML, the document is read twice, and any
    /// malformed part of it is an error here.
    pub fn new(bytes: &'de [u8], options: &ReadOptions) -> Result<Self> {
        Self::with_budget(bytes, options, Budget::new(options.max_bytes))
    }

    pub(crate) fn with_budget(bytes: &'de [u8], options: &ReadOptions, budget: Budget) -> Result<Self> {
        let source = Source::Document(Box::new(Distinct::new(bytes, options, budget)?));
        Ok(Self { source, peeked: None, depth: 0, coerce: options.coerce })
    }

    /// Reads from a value.
    pub fn from_value(value: &'de Value) -> Self {
        let source = Source::Value { value, walk: Walk::new(value), taken: 0 };
        Self { source, peeked: None, depth: 0, coerce: false }
    }

    /// Sets whether scalars of another type are converted, as [`ReadOptions::coerce`].
    #[must_use]
    pub fn coerce(mut self, coerce: bool) -> Self {
        self.coerce = coerce;
        self
    }

    /// The number of bytes of the document that were read so far: after a type, the whole document. 0 for a
    /// [`Value`].
    pub fn used(&self) -> usize {
        match &self.source {
            Source::Document(events) => events.reader.used(),
            Source::Value { .. } => 0,
        }
    }

    /// Reads a type, and adds the offset and the path to errors.
    pub(crate) fn read_one<T: Deserialize<'de>>(&mut self) -> Result<T> {
        T::deserialize(&mut *self).map_err(|error| self.placed(error))
    }

    /// Refuses input after the document, if that is an error.
    pub(crate) fn ends(&self) -> Result<()> {
        match &self.source {
            Source::Document(events) => events.reader.ends(),
            Source::Value { .. } => Ok(()),
        }
    }

    /// Adds the offset and the path to an error of serde or of a type, which has neither.
    fn placed(&mut self, error: Error) -> Error {
        let ErrorKind::Invalid(what) = error.kind() else { return error };
        if error.offset().is_some() || !error.path().is_empty() {
            return error;
        }
        let kind = ErrorKind::Invalid(what.clone());
        match &mut self.source {
            Source::Document(events) => events.error_here(kind),
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
                Ok(walk.next().map(Event::from))
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
        match self.depth > MAX_SERDE_DEPTH {
            true => Err(Error::custom(
                "arrays and maps are nested more than 256 levels deep (the maximum with serde)",
            )),
            false => Ok(()),
        }
    }

    /// Builds the whole next value, without recursion, within the remaining budget of the document.
    fn value(&mut self) -> Result<Value> {
        let mut unlimited = Budget::new(u64::MAX);
        let mut builder = Builder::new(None);
        loop {
            let event = self.next()?;
            let budget = match &mut self.source {
                Source::Document(events) => events.reader.budget(),
                Source::Value { .. } => &mut unlimited,
            };
            if let Err(kind) = builder.add(event, budget) {
                return Err(match &mut self.source {
                    Source::Document(events) => events.error_here(kind),
                    Source::Value { .. } => Error::new(kind, ""),
                });
            }
            if let Some(value) = builder.value() {
                return Ok(value);
            }
        }
    }

    /// The next scalar, converted as in the viewer; `None` if the next event is no scalar, or if scalars are not
    /// converted.
    fn coerced<T>(&mut self, convert: impl FnOnce(&Value) -> T) -> Result<Option<T>> {
        if !self.coerce {
            return Ok(None);
        }
        let Event::Scalar(scalar) = self.peek()?.clone() else { return Ok(None) };
        self.peeked = None;
        Ok(Some(convert(&scalar.into())))
    }

    fn sequence<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let read = visitor.visit_seq(Entries { de: self })?;
        self.depth -= 1;
        match self.next()? {
            Event::EndArray => Ok(read),
            _ => Err(Error::custom("the array has more values than the Rust type expects")),
        }
    }

    fn entries<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.deeper()?;
        let read = visitor.visit_map(Entries { de: self })?;
        self.depth -= 1;
        match self.next()? {
            Event::EndMap => Ok(read),
            _ => Err(Error::custom("the map has more entries than the Rust type expects")),
        }
    }

    fn visit<V: Visitor<'de>>(&mut self, event: Event<'de>, visitor: V) -> Result<V::Value> {
        match event {
            Event::Scalar(scalar) => scalar_of(scalar, visitor),
            Event::StartArray(_) => self.sequence(visitor),
            Event::StartMap(_) => self.entries(visitor),
            Event::Key(_) | Event::EndArray | Event::EndMap => {
                Err(Error::custom("expected a value, found a map key or the end of an array or map"))
            }
        }
    }

    /// Reads a whole number; the visitor checks that its type can represent it.
    fn number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        if let Some(real) = self.coerced(|value| value.to_real())? {
            return whole(if real.is_nan() { 0.0 } else { real.trunc() }, visitor);
        }
        match self.next()? {
            Event::Scalar(Scalar::Real(value)) => whole(value, visitor),
            event => self.visit(event, visitor),
        }
    }

    /// A scalar of a type that serde does not have, either as it is or converted.
    fn exact<T>(
        &mut self,
        is: impl FnOnce(&Event<'de>) -> Option<T>,
        convert: impl FnOnce(&Value) -> T,
    ) -> Result<Option<T>> {
        match is(self.peek()?) {
            Some(value) => {
                self.peeked = None;
                Ok(Some(value))
            }
            None => self.coerced(convert),
        }
    }

    fn text<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            // Bytes that are already text can be borrowed from the input.
            Event::Scalar(Scalar::String(_) | Scalar::Uri(_)) => {}
            _ => {
                if let Some(text) = self.coerced(|value| value.to_text().into_owned())? {
                    return visitor.visit_string(text.to_string());
                }
            }
        }
        let event = self.next()?;
        self.visit(event, visitor)
    }
}

fn scalar_of<'de, V: Visitor<'de>>(scalar: Scalar<'de>, visitor: V) -> Result<V::Value> {
    match scalar {
        Scalar::Undef => visitor.visit_unit(),
        Scalar::Boolean(value) => visitor.visit_bool(value),
        Scalar::Integer(value) => visitor.visit_i32(value),
        // The serializer writes an integer of more than 32 bits in this form. Types that expect a float accept an
        // integer as well, and integer types need one if serde buffers the value.
        Scalar::Real(value)
            if value.abs() > 2_147_483_648.0 && value.abs() < 9.2e18 && value.fract() == 0.0 =>
        {
            whole(value, visitor)
        }
        Scalar::Real(value) => visitor.visit_f64(value),
        Scalar::Uuid(value) => visitor.visit_string(value.to_string()),
        Scalar::Date(value) if value.secs().is_finite() => visitor.visit_string(value.to_string()),
        Scalar::Date(value) => visitor.visit_f64(value.secs()),
        Scalar::String(value) | Scalar::Uri(value) => text(value, visitor),
        Scalar::Binary(value) => bytes(value, visitor),
    }
}

macro_rules! numbers {
    ($($method:ident),+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.number(visitor)
        }
    )+};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let event = self.next()?;
        self.visit(event, visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.coerced(Value::to_boolean)? {
            Some(value) => visitor.visit_bool(value),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.text(visitor)
    }

    numbers! {
        deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128,
        deserialize_u8, deserialize_u16, deserialize_u32, deserialize_u64, deserialize_u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        #[allow(clippy::cast_possible_truncation, reason = "the nearest is wanted")]
        if let Event::Scalar(Scalar::Real(value)) = *self.peek()?
            && value.is_finite()
            && (value as f32).is_infinite()
        {
            return Err(de::Error::invalid_value(Unexpected::Float(value), &"a 32-bit float"));
        }
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(value) = self.coerced(Value::to_real)? {
            return visitor.visit_f64(value);
        }
        match self.next()? {
            Event::Scalar(Scalar::Date(value)) => visitor.visit_f64(value.secs()),
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.next()? {
            Event::Scalar(Scalar::String(value) | Scalar::Uri(value)) => bytes(value, visitor),
            Event::Scalar(Scalar::Uuid(value)) => visitor.visit_bytes(&value.0),
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            Event::Scalar(Scalar::Undef) => {
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
            UUID => match self.exact(
                |event| if let Event::Scalar(Scalar::Uuid(value)) = event { Some(*value) } else { None },
                Value::to_uuid,
            )? {
                Some(value) => visitor.visit_newtype_struct(BytesDeserializer::new(&value.0)),
                None => visitor.visit_newtype_struct(self),
            },
            DATE => match self.exact(
                |event| if let Event::Scalar(Scalar::Date(value)) = event { Some(*value) } else { None },
                Value::to_date,
            )? {
                Some(value) => visitor.visit_newtype_struct(F64Deserializer::new(value.secs())),
                None => visitor.visit_newtype_struct(self),
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
            Event::Scalar(Scalar::String(name) | Scalar::Uri(name)) => {
                Key(name).deserialize_enum("", &[], visitor)
            }
            Event::StartMap(_) => {
                let Event::Key(name) = self.next()? else {
                    return Err(Error::custom(
                        "expected a map with one entry (an enum variant), found an empty map",
                    ));
                };
                self.deeper()?;
                let read = visitor.visit_enum(Variant { name, content: &mut *self })?;
                self.depth -= 1;
                match self.next()? {
                    Event::EndMap => Ok(read),
                    _ => Err(Error::custom(
                        "expected a map with one entry (an enum variant), found more entries",
                    )),
                }
            }
            event => self.visit(event, visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let mut depth = 0;
        loop {
            let event = self.next()?;
            depth += event.step();
            if event.completes(depth) {
                return visitor.visit_unit();
            }
        }
    }

    forward_to_deserialize_any! {
        char unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

/// Access to the content of a container.
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

/// A variant of an enum with content: the only key of a map.
struct Variant<'a, 'de> {
    name: Cow<'de, BStr>,
    content: &'a mut Deserializer<'de>,
}

impl<'a, 'de> de::EnumAccess<'de> for Variant<'a, 'de> {
    type Error = Error;
    type Variant = Content<'a, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self::Variant)> {
        Ok((seed.deserialize(Key(self.name))?, Content(self.content)))
    }
}

struct Content<'a, 'de>(&'a mut Deserializer<'de>);

impl<'de> de::VariantAccess<'de> for Content<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        <()>::deserialize(self.0)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        de::Deserializer::deserialize_any(self.0, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        de::Deserializer::deserialize_any(self.0, visitor)
    }
}
