//! The serializer: one into the events of all encodings.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use serde::ser::{self, Error as _, Serialize};

use crate::build::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::model::{Date, Uuid, Value};
use crate::ser::key::KeyText;
use crate::serde_impls::{DATE, TEXT, URI, UUID};
use crate::write::Writer;

/// Values in one another that serde may recurse into.
const DEEPEST: usize = 256;

/// Where events go.
#[derive(Debug)]
pub(crate) enum Target {
    Writer(Box<Writer>),
    Builder(Builder, Option<Value>),
}

/// Writes types that serde knows.
#[derive(Debug)]
pub struct Serializer<'a> {
    target: &'a mut Target,
    /// The keys and places that are open.
    path: Vec<Step>,
    mode: Mode,
}

#[derive(Debug)]
enum Step {
    Place(usize),
    Key(Vec<u8>),
}

/// What a scalar is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Plain,
    Uuid,
    Date,
    Uri,
    /// Bytes that are a string.
    Text,
}

impl<'a> Serializer<'a> {
    pub(crate) fn new(target: &'a mut Target) -> Self {
        Self { target, path: Vec::new(), mode: Mode::Plain }
    }

    fn event(&mut self, event: Event<'_>) -> Result<()> {
        let taken = match self.target {
            Target::Writer(writer) => writer.take(&event),
            Target::Builder(builder, whole) => builder.take(event).map(|value| {
                if value.is_some() {
                    *whole = value;
                }
            }),
        };
        taken.map_err(|kind| Error::new(kind, self.path()))
    }

    fn path(&self) -> String {
        let steps = self.path.iter().map(|step| match step {
            Step::Place(place) => format!("/{place}"),
            Step::Key(key) => format!("/{}", key.as_bstr()),
        });
        steps.collect()
    }

    fn refuse(&self, what: impl Into<Cow<'static, str>>) -> Error {
        Error::unwritable(self.path(), what)
    }

    /// An error that a type made knows no path.
    fn placed<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error.kind() {
            ErrorKind::Unwritable(what) if error.path().is_empty() => self.refuse(what.clone()),
            _ => error,
        })
    }

    fn begin(&mut self, map: bool, len: Option<usize>, step: Step) -> Result<()> {
        if self.path.len() >= DEEPEST {
            return Err(self.refuse("more values in one another than serde may recurse into"));
        }
        self.event(if map { Event::StartMap(len) } else { Event::StartArray(len) })?;
        self.path.push(step);
        Ok(())
    }

    fn finish(&mut self, map: bool) -> Result<()> {
        self.path.pop();
        self.event(if map { Event::EndMap } else { Event::EndArray })
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let result = value.serialize(&mut *self);
        self.placed(result)?;
        if let Some(Step::Place(place)) = self.path.last_mut() {
            *place += 1;
        }
        Ok(())
    }

    fn key(&mut self, key: &[u8]) -> Result<()> {
        if let Some(Step::Key(last)) = self.path.last_mut() {
            key.clone_into(last);
        }
        self.event(Event::Key(Cow::Borrowed(key.as_bstr())))
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.key(key.as_bytes())?;
        self.element(value)
    }

    fn variant(&mut self, name: &str) -> Result<()> {
        self.begin(true, Some(1), Step::Key(Vec::new()))?;
        self.key(name.as_bytes())
    }

    /// A whole number: as an integer, or as the real that is the same number.
    fn whole<T>(&mut self, value: T) -> Result<()>
    where
        T: Copy + std::fmt::Display + TryInto<i32> + TryInto<i128>,
    {
        if let Ok(small) = value.try_into() {
            return self.event(Event::Integer(small));
        }
        let exact = TryInto::<i128>::try_into(value).ok().and_then(|value| {
            #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
            let real = value as f64;
            // At the ends of its range the way back stops, and would say what is not so.
            #[allow(clippy::cast_possible_truncation, reason = "compared")]
            let back = real as i128;
            (back == value && real.abs() < 1e38).then_some(real)
        });
        match exact {
            Some(real) => self.event(Event::Real(real)),
            None => {
                Err(self.refuse(format!("{value}: neither an integer of 32 bits nor a real is this number")))
            }
        }
    }

    fn text(&mut self, text: &BStr) -> Result<()> {
        let text_of = || text.to_str().unwrap_or_default();
        match self.mode {
            Mode::Plain | Mode::Text => self.event(Event::String(Cow::Borrowed(text))),
            Mode::Uri => self.event(Event::Uri(Cow::Borrowed(text))),
            Mode::Uuid => match text_of().parse() {
                Ok(uuid) => self.event(Event::Uuid(uuid)),
                Err(_) => Err(self.refuse(format!("{text:?} as a UUID"))),
            },
            Mode::Date => match text_of().parse() {
                Ok(date) => self.event(Event::Date(date)),
                Err(_) => Err(self.refuse(format!("{text:?} as a date"))),
            },
        }
    }
}

impl ser::Error for Error {
    fn custom<T: std::fmt::Display>(what: T) -> Self {
        Self::unwritable("", what.to_string())
    }
}

impl<'s, 'a> ser::Serializer for &'s mut Serializer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'s, 'a>;
    type SerializeTuple = Open<'s, 'a>;
    type SerializeTupleStruct = Open<'s, 'a>;
    type SerializeTupleVariant = Open<'s, 'a>;
    type SerializeMap = Open<'s, 'a>;
    type SerializeStruct = Open<'s, 'a>;
    type SerializeStructVariant = Open<'s, 'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.event(Event::Boolean(value))
    }

    fn serialize_i8(self, value: i8) -> Result<()> {
        self.event(Event::Integer(value.into()))
    }

    fn serialize_i16(self, value: i16) -> Result<()> {
        self.event(Event::Integer(value.into()))
    }

    fn serialize_i32(self, value: i32) -> Result<()> {
        self.event(Event::Integer(value))
    }

    fn serialize_i64(self, value: i64) -> Result<()> {
        self.whole(value)
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.whole(value)
    }

    fn serialize_u8(self, value: u8) -> Result<()> {
        self.event(Event::Integer(value.into()))
    }

    fn serialize_u16(self, value: u16) -> Result<()> {
        self.event(Event::Integer(value.into()))
    }

    fn serialize_u32(self, value: u32) -> Result<()> {
        self.whole(value)
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.whole(value)
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.whole(value)
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        match self.mode {
            Mode::Date => self.event(Event::Date(Date(value))),
            _ => self.event(Event::Real(value)),
        }
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        self.text(value.as_bytes().as_bstr())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        match (self.mode, value.try_into()) {
            (Mode::Uuid, Ok(bytes)) => self.event(Event::Uuid(Uuid(bytes))),
            (Mode::Text | Mode::Uri, _) => self.text(value.as_bstr()),
            _ => self.event(Event::Binary(Cow::Borrowed(value.as_bstr()))),
        }
    }

    fn serialize_none(self) -> Result<()> {
        self.event(Event::Undef)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.event(Event::Undef)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.event(Event::Undef)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<()> {
        let before = self.mode;
        self.mode = match name {
            UUID => Mode::Uuid,
            DATE => Mode::Date,
            URI => Mode::Uri,
            // A URI whose text is no UTF-8 is a URI.
            TEXT if before == Mode::Uri => Mode::Uri,
            TEXT => Mode::Text,
            _ => before,
        };
        let result = value.serialize(&mut *self);
        self.mode = before;
        result
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(variant)?;
        self.element(value)?;
        self.finish(true)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Open<'s, 'a>> {
        self.begin(false, len, Step::Place(0))?;
        Ok(Open { to: self, map: false, variant: false, key: None })
    }

    fn serialize_tuple(self, len: usize) -> Result<Open<'s, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Open<'s, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Open<'s, 'a>> {
        self.variant(variant)?;
        self.begin(false, Some(len), Step::Place(0))?;
        Ok(Open { to: self, map: false, variant: true, key: None })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Open<'s, 'a>> {
        self.begin(true, len, Step::Key(Vec::new()))?;
        Ok(Open { to: self, map: true, variant: false, key: None })
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Open<'s, 'a>> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Open<'s, 'a>> {
        self.variant(variant)?;
        self.begin(true, Some(len), Step::Key(Vec::new()))?;
        Ok(Open { to: self, map: true, variant: true, key: None })
    }
}

/// A container that was begun.
#[derive(Debug)]
pub struct Open<'s, 'a> {
    to: &'s mut Serializer<'a>,
    map: bool,
    /// Whether it is the content of a variant, whose map ends with it.
    variant: bool,
    key: Option<Vec<u8>>,
}

impl Open<'_, '_> {
    fn close(self) -> Result<()> {
        self.to.finish(self.map)?;
        if self.variant { self.to.finish(true) } else { Ok(()) }
    }
}

macro_rules! elements {
    ($($name:ident: $method:ident),+) => {$(
        impl ser::$name for Open<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.to.element(value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )+};
}

elements! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
}

impl ser::SerializeMap for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let key = key.serialize(KeyText);
        self.key = Some(self.to.placed(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = self.key.take().ok_or_else(|| Error::custom("a value without a key"))?;
        self.to.key(&key)?;
        self.to.element(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl ser::SerializeStruct for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        self.to.entry(key, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl ser::SerializeStructVariant for Open<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
        self.to.entry(key, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}
