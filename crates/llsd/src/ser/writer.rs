//! The serializer, which writes events of any encoding.

use std::borrow::Cow;

use bstr::{BStr, ByteSlice};
use serde::ser::{self, Serialize};

use crate::consts::MAX_SERDE_DEPTH;
use crate::model::serde::{DATE, TEXT, URI, UUID};
use crate::model::{Date, Event, Scalar, Steps, Uuid};
use crate::ser::key::KeyText;
use crate::write::Writer;
use geom::wire::{Error, ErrorKind, Problem, Result};

/// Writes types that implement [`Serialize`].
///
/// ```
/// use llsd::{Encoding, WriteOptions, ser::Serializer};
/// use serde::Serialize as _;
///
/// let mut writer = WriteOptions::new().encoding(Encoding::Notation).events();
/// [1, 2].serialize(&mut Serializer::new(&mut writer))?;
/// assert_eq!(writer.finish()?, b"[i1,i2]");
/// # Ok::<(), llsd::Error>(())
/// ```
#[derive(Debug)]
pub struct Serializer<'a> {
    writer: &'a mut Writer,
    /// The path of the value that comes next.
    steps: Steps<'static>,
    mode: Mode,
}

/// The intended type of a scalar.
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
    /// Writes into a writer. The caller must finish the writer.
    pub fn new(writer: &'a mut Writer) -> Self {
        Self { writer, steps: Steps::default(), mode: Mode::Plain }
    }

    fn event<'e>(&mut self, event: impl Into<Event<'e>>) -> Result<()> {
        let event = event.into();
        self.writer.take(&event).map_err(|kind| Error::new(kind, self.steps.path()))?;
        let step = match event {
            Event::Key(key) => Event::Key(Cow::Owned(key.into_owned())),
            Event::StartArray(_) => Event::StartArray(None),
            Event::StartMap(_) => Event::StartMap(None),
            Event::EndArray | Event::EndMap => Event::EndArray,
            Event::Scalar(_) => Scalar::Undef.into(),
        };
        self.steps.follow(step);
        Ok(())
    }

    fn refuse(&self, what: impl Into<Problem>) -> Error {
        Error::unwritable(self.steps.path(), what)
    }

    /// Adds the path to an error of a type, which has none.
    fn placed<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error.kind() {
            ErrorKind::Unwritable(what) if error.path().is_empty() => self.refuse(what.clone()),
            _ => error,
        })
    }

    fn begin(&mut self, start: Event<'_>) -> Result<()> {
        match self.steps.depth() >= MAX_SERDE_DEPTH as usize {
            true => {
                Err(self.refuse("arrays and maps nested more than 256 levels deep (the maximum with serde)"))
            }
            false => self.event(start),
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let result = value.serialize(&mut *self);
        self.placed(result)
    }

    fn key(&mut self, key: &[u8]) -> Result<()> {
        self.event(Event::Key(Cow::Borrowed(key.as_bstr())))
    }

    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.key(key.as_bytes())?;
        self.element(value)
    }

    fn variant(&mut self, name: &str) -> Result<()> {
        self.begin(Event::StartMap(Some(1)))?;
        self.key(name.as_bytes())
    }

    /// Writes a whole number as an integer, or else as a real of the same value.
    fn whole<T>(&mut self, value: T) -> Result<()>
    where
        T: Copy + std::fmt::Display + TryInto<i32> + TryInto<i128>,
    {
        if let Ok(small) = value.try_into() {
            return self.event(Scalar::Integer(small));
        }
        let exact = TryInto::<i128>::try_into(value).ok().and_then(|value| {
            #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "compared")]
            let real = value as f64;
            // Near the limits of `i128`, converting back saturates, and the real would seem exact.
            #[allow(clippy::cast_possible_truncation, reason = "compared")]
            let back = real as i128;
            (back == value && real.abs() < 1e38).then_some(real)
        });
        match exact {
            Some(real) => self.event(Scalar::Real(real)),
            None => {
                Err(self
                    .refuse(format!("{value} exactly as a 32-bit integer or a real (write it as a string)")))
            }
        }
    }

    fn text(&mut self, text: &BStr) -> Result<()> {
        let text_of = || text.to_str().unwrap_or_default();
        match self.mode {
            Mode::Plain | Mode::Text => self.event(Scalar::String(Cow::Borrowed(text))),
            Mode::Uri => self.event(Scalar::Uri(Cow::Borrowed(text))),
            Mode::Uuid => match text_of().parse() {
                Ok(uuid) => self.event(Scalar::Uuid(uuid)),
                Err(_) => Err(self.refuse(format!("{text:?} as a UUID"))),
            },
            Mode::Date => match text_of().parse() {
                Ok(date) => self.event(Scalar::Date(date)),
                Err(_) => Err(self.refuse(format!("{text:?} as a date"))),
            },
        }
    }
}

macro_rules! scalars {
    ($($method:ident($kind:ty) => $event:expr),+) => {$(
        fn $method(self, value: $kind) -> Result<()> {
            self.event($event(value.into()))
        }
    )+};
}

macro_rules! wholes {
    ($($method:ident: $kind:ty),+) => {$(
        fn $method(self, value: $kind) -> Result<()> {
            self.whole(value)
        }
    )+};
}

impl<'s, 'a> ser::Serializer for &'s mut Serializer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'s, 'a>;
    type SerializeTuple = Compound<'s, 'a>;
    type SerializeTupleStruct = Compound<'s, 'a>;
    type SerializeTupleVariant = Compound<'s, 'a>;
    type SerializeMap = Compound<'s, 'a>;
    type SerializeStruct = Compound<'s, 'a>;
    type SerializeStructVariant = Compound<'s, 'a>;

    scalars! {
        serialize_bool(bool) => Scalar::Boolean,
        serialize_i8(i8) => Scalar::Integer, serialize_i16(i16) => Scalar::Integer,
        serialize_i32(i32) => Scalar::Integer, serialize_u8(u8) => Scalar::Integer,
        serialize_u16(u16) => Scalar::Integer
    }

    wholes! {
        serialize_u32: u32, serialize_i64: i64, serialize_u64: u64, serialize_i128: i128,
        serialize_u128: u128
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        match self.mode {
            Mode::Date => self.event(Scalar::Date(Date(value))),
            _ => self.event(Scalar::Real(value)),
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
            (Mode::Uuid, Ok(bytes)) => self.event(Scalar::Uuid(Uuid(bytes))),
            (Mode::Text | Mode::Uri, _) => self.text(value.as_bstr()),
            _ => self.event(Scalar::Binary(Cow::Borrowed(value.as_bstr()))),
        }
    }

    fn serialize_none(self) -> Result<()> {
        self.event(Scalar::Undef)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.event(Scalar::Undef)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<()> {
        self.event(Scalar::Undef)
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
            // A URI whose text is not UTF-8 is a URI.
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
        self.event(Event::EndMap)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Compound<'s, 'a>> {
        self.begin(Event::StartArray(len))?;
        Ok(Compound { to: self, map: false, variant: false, key: None })
    }

    fn serialize_tuple(self, len: usize) -> Result<Compound<'s, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Compound<'s, 'a>> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Compound<'s, 'a>> {
        self.variant(variant)?;
        self.begin(Event::StartArray(Some(len)))?;
        Ok(Compound { to: self, map: false, variant: true, key: None })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Compound<'s, 'a>> {
        self.begin(Event::StartMap(len))?;
        Ok(Compound { to: self, map: true, variant: false, key: None })
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Compound<'s, 'a>> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Compound<'s, 'a>> {
        self.variant(variant)?;
        self.begin(Event::StartMap(Some(len)))?;
        Ok(Compound { to: self, map: true, variant: true, key: None })
    }
}

/// An open container.
#[derive(Debug)]
pub struct Compound<'s, 'a> {
    to: &'s mut Serializer<'a>,
    map: bool,
    /// Whether it is the content of an enum variant: then the map around it ends with it.
    variant: bool,
    key: Option<Vec<u8>>,
}

impl Compound<'_, '_> {
    fn close(self) -> Result<()> {
        self.to.event(if self.map { Event::EndMap } else { Event::EndArray })?;
        if self.variant { self.to.event(Event::EndMap) } else { Ok(()) }
    }
}

macro_rules! elements {
    ($($name:ident: $method:ident),+) => {$(
        impl ser::$name for Compound<'_, '_> {
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

impl ser::SerializeMap for Compound<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let key = key.serialize(KeyText);
        self.key = Some(self.to.placed(key)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = self.key.take().ok_or_else(|| Error::unwritable("", "a map value without a key"))?;
        self.to.key(&key)?;
        self.to.element(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

macro_rules! fields {
    ($($name:ident),+) => {$(
        impl ser::$name for Compound<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<()> {
                self.to.entry(key, value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        }
    )+};
}

fields!(SerializeStruct, SerializeStructVariant);
