//! The walk over a value that serde serializes.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer, ser};

use super::any::Any;

/// The name of a child.
#[derive(Clone, Copy)]
pub(crate) enum Name<'a> {
    Index(usize),
    Field(&'static str),
    /// The name of an enum's variant, and the name of a field in it.
    Part(&'static str, &'a str),
    Key(&'a str),
}

impl Name<'_> {
    pub(crate) fn text(self) -> Cow<'static, str> {
        match self {
            Name::Index(index) => index.to_string().into(),
            Name::Field(name) => name.into(),
            Name::Part(variant, field) => format!("{variant}.{field}").into(),
            Name::Key(name) => name.to_owned().into(),
        }
    }
}

/// Receives the description of a value.
pub(crate) trait See {
    fn leaf(&mut self, any: Any);
    /// The beginning of a list or a record, and the number of its children.
    fn begin(&mut self, is_list: bool, count: usize);
    /// Receives a child; returns whether to continue.
    fn child(&mut self, name: Name<'_>, child: &dyn Model) -> bool;
}

/// Anything that serde can serialize.
pub(crate) trait Model {
    /// Describes the value to `see`, without the first `skip` children.
    fn see(&self, skip: usize, see: &mut dyn See);
}

impl<T: Serialize + ?Sized> Model for T {
    fn see(&self, skip: usize, see: &mut dyn See) {
        if let Err(Stop(Some(why))) = self.serialize(Teller { skip, see: &mut *see }) {
            see.leaf(Any::String(format!("(not shown: {why})")));
        }
    }
}

/// Calls a function with the value at a path of indices.
pub(crate) fn follow(model: &dyn Model, path: &[usize], then: &mut dyn FnMut(&dyn Model)) {
    let Some((&first, rest)) = path.split_first() else { return then(model) };
    visit(model, first, |_, child| {
        follow(child, rest, then);
        false
    });
}

/// Calls a function with the children after the first `skip`, until it returns `false`.
pub(crate) fn visit(model: &dyn Model, skip: usize, mut take: impl FnMut(Name<'_>, &dyn Model) -> bool) {
    model.see(skip, &mut Visit(&mut take));
}

struct Visit<'a>(&'a mut dyn FnMut(Name<'_>, &dyn Model) -> bool);

impl See for Visit<'_> {
    fn leaf(&mut self, _: Any) {}

    fn begin(&mut self, _: bool, _: usize) {}

    fn child(&mut self, name: Name<'_>, child: &dyn Model) -> bool {
        (self.0)(name, child)
    }
}

/// The error that ends a walk: nothing if enough was seen, or the reason why the model cannot be serialized.
#[derive(Debug)]
struct Stop(Option<String>);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("seen enough"))
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(Some(why.to_string()))
    }
}

/// The serializer that a value is written to.
struct Teller<'a> {
    skip: usize,
    see: &'a mut dyn See,
}

impl<'a> Teller<'a> {
    fn leaf(self, any: Any) -> Result<(), Stop> {
        self.see.leaf(any);
        Ok(())
    }

    fn open(self, is_list: bool, count: usize, variant: Option<&'static str>) -> Items<'a> {
        self.see.begin(is_list, count);
        Items { skip: self.skip, see: self.see, at: 0, variant, key: String::new() }
    }
}

macro_rules! leaves {
    ($($name:ident($type:ty) => $any:expr;)+) => {
        $(fn $name(self, value: $type) -> Result<(), Stop> {
            self.leaf($any(value))
        })+
    };
}

macro_rules! opens {
    ($($name:ident($($key:ident: $type:ty),+) => $is_list:expr, $count:expr, $variant:expr;)+) => {
        $(fn $name(self, $($key: $type),+) -> Result<Items<'a>, Stop> {
            Ok(self.open($is_list, $count, $variant))
        })+
    };
}

impl<'a> Serializer for Teller<'a> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Items<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    leaves! {
        serialize_bool(bool) => Any::Bool;
        serialize_u8(u8) => Any::Byte;
        serialize_i8(i8) => |value| Any::Integer(i128::from(value));
        serialize_i16(i16) => |value| Any::Integer(i128::from(value));
        serialize_i32(i32) => |value| Any::Integer(i128::from(value));
        serialize_i64(i64) => |value| Any::Integer(i128::from(value));
        serialize_u16(u16) => |value| Any::Integer(i128::from(value));
        serialize_u32(u32) => |value| Any::Integer(i128::from(value));
        serialize_u64(u64) => |value| Any::Integer(i128::from(value));
        serialize_f32(f32) => |value: f32| Any::F32(value.to_bits());
        serialize_f64(f64) => |value: f64| Any::F64(value.to_bits());
        serialize_char(char) => |value: char| Any::String(value.into());
        serialize_str(&str) => |value: &str| Any::String(value.into());
        serialize_bytes(&[u8]) => |value: &[u8]| Any::Bytes(value.into());
        serialize_unit_struct(&'static str) => |_| Any::Nothing;
    }

    fn serialize_none(self) -> Result<(), Stop> {
        self.leaf(Any::Nothing)
    }

    fn serialize_unit(self) -> Result<(), Stop> {
        self.leaf(Any::Nothing)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Stop> {
        self.leaf(Any::String(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Stop> {
        self.open(false, 1, None).item(Name::Field(variant), value)
    }

    fn serialize_seq(self, count: Option<usize>) -> Result<Items<'a>, Stop> {
        let count = count.ok_or_else(|| ser::Error::custom("a list of unknown length"))?;
        Ok(self.open(true, count, None))
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Items<'a>, Stop> {
        let count = count.ok_or_else(|| ser::Error::custom("a map of unknown length"))?;
        Ok(self.open(false, count, None))
    }

    opens! {
        serialize_tuple(count: usize) => true, count, None;
        serialize_tuple_struct(_name: &'static str, count: usize) => true, count, None;
        serialize_struct(_name: &'static str, count: usize) => false, count, None;
        serialize_tuple_variant(_name: &'static str, _at: u32, variant: &'static str, count: usize) => false, count, Some(variant);
        serialize_struct_variant(_name: &'static str, _at: u32, variant: &'static str, count: usize) => false, count, Some(variant);
    }
}

/// The children of a value.
struct Items<'a> {
    skip: usize,
    see: &'a mut dyn See,
    at: usize,
    variant: Option<&'static str>,
    key: String,
}

impl Items<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, name: Name<'_>, value: &T) -> Result<(), Stop> {
        let at = self.at;
        self.at += 1;
        match at < self.skip || self.see.child(name, &value) {
            true => Ok(()),
            false => Err(Stop(None)),
        }
    }

    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        match self.variant {
            Some(variant) => self.item(Name::Part(variant, &self.at.to_string()), value),
            None => self.item(Name::Index(self.at), value),
        }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Stop> {
        match self.variant {
            Some(variant) => self.item(Name::Part(variant, name), value),
            None => self.item(Name::Field(name), value),
        }
    }
}

macro_rules! items {
    ($($trait:ident $name:ident $next:ident($($key:ident)?);)+) => {
        $(impl ser::$trait for Items<'_> {
            type Ok = ();
            type Error = Stop;

            fn $name<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), Stop> {
                self.$next($($key,)? value)
            }

            fn end(self) -> Result<(), Stop> {
                Ok(())
            }
        })+
    };
}

items! {
    SerializeSeq serialize_element next();
    SerializeTuple serialize_element next();
    SerializeTupleStruct serialize_field next();
    SerializeTupleVariant serialize_field next();
    SerializeStruct serialize_field field(key);
    SerializeStructVariant serialize_field field(key);
}

/// The text of a key.
struct Text<'a>(&'a mut String);

impl See for Text<'_> {
    fn leaf(&mut self, any: Any) {
        *self.0 = any.to_string();
    }

    fn begin(&mut self, _: bool, _: usize) {}

    fn child(&mut self, _: Name<'_>, _: &dyn Model) -> bool {
        false
    }
}

impl ser::SerializeMap for Items<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        key.see(0, &mut Text(&mut self.key));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        let key = std::mem::take(&mut self.key);
        self.item(Name::Key(&key), value)
    }

    fn end(self) -> Result<(), Stop> {
        Ok(())
    }
}
