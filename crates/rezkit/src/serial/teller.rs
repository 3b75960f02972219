//! The walk over a value that serde serializes. What does not depend on a type is in functions that are compiled once.

use std::fmt;

use serde::{Serialize, Serializer, ser};

use super::any::Any;
use super::make::{Children, Make, Name};

/// Anything that serde can serialize.
pub(crate) trait Model {
    fn tell(&self, teller: Teller<'_, '_>) -> Result<(), Stop>;
}

impl<T: Serialize> Model for T {
    fn tell(&self, teller: Teller<'_, '_>) -> Result<(), Stop> {
        self.serialize(teller)
    }
}

/// The value at a path of indices, which consists of at most `max` values, and whether it is complete.
pub(crate) fn make(model: &dyn Model, path: &[usize], max: usize) -> (Any, bool) {
    let mut walk = Walk { make: Make::new(max), children: None };
    let told = model.tell(Teller { path, in_child: false, walk: &mut walk });
    walk.close(0, told);
    (walk.make.made, !walk.make.cut)
}

/// Reads the children of the value at a path of indices.
pub(crate) fn children(model: &dyn Model, path: &[usize], children: Children<'_>) {
    let mut walk = Walk { make: Make::default(), children: Some(children) };
    // The children were taken, or the value has none.
    let _told = model.tell(Teller { path, in_child: false, walk: &mut walk });
}

/// The error that ends a walk: nothing if enough was read, or the reason why the model cannot be serialized.
#[derive(Debug)]
pub(crate) struct Stop(Option<String>);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_deref().unwrap_or("read enough"))
    }
}

impl std::error::Error for Stop {}

impl ser::Error for Stop {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(Some(why.to_string()))
    }
}

/// What is made of a model: a value, or the children of one.
struct Walk<'w> {
    make: Make,
    children: Option<Children<'w>>,
}

impl Walk<'_> {
    /// Ends the value that was begun at this depth.
    fn close(&mut self, depth: usize, told: Result<(), Stop>) {
        self.make.close(depth);
        if let Err(Stop(Some(why))) = told {
            self.make.leaf(Any::String(format!("(not shown: {why})")));
        }
    }
}

/// The serializer that a value is written to.
pub(crate) struct Teller<'a, 'w> {
    /// The indices that lead from here to the wanted value.
    path: &'a [usize],
    /// Whether this is a child that is wanted, or in one.
    in_child: bool,
    walk: &'a mut Walk<'w>,
}

impl<'a, 'w> Teller<'a, 'w> {
    /// Whether the value is created.
    fn is_wanted(&self) -> bool {
        self.path.is_empty() && (self.in_child || self.walk.children.is_none())
    }

    fn leaf(self, any: Any) -> Result<(), Stop> {
        if self.is_wanted() {
            self.walk.make.leaf(any);
        }
        Ok(())
    }

    fn open(self, is_list: bool, count: usize, variant: Option<&'static str>) -> Items<'a, 'w> {
        if self.is_wanted() {
            self.walk.make.open(is_list, count);
        }
        let depth = self.walk.make.depth();
        Items { around: self, depth, at: 0, variant, key: String::new() }
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
        $(fn $name(self, $($key: $type),+) -> Result<Items<'a, 'w>, Stop> {
            Ok(self.open($is_list, $count, $variant))
        })+
    };
}

impl<'a, 'w> Serializer for Teller<'a, 'w> {
    type Ok = ();
    type Error = Stop;
    type SerializeSeq = Items<'a, 'w>;
    type SerializeTuple = Items<'a, 'w>;
    type SerializeTupleStruct = Items<'a, 'w>;
    type SerializeTupleVariant = Items<'a, 'w>;
    type SerializeMap = Items<'a, 'w>;
    type SerializeStruct = Items<'a, 'w>;
    type SerializeStructVariant = Items<'a, 'w>;

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

    fn serialize_seq(self, count: Option<usize>) -> Result<Items<'a, 'w>, Stop> {
        let count = count.ok_or_else(|| ser::Error::custom("a list of unknown length"))?;
        Ok(self.open(true, count, None))
    }

    fn serialize_map(self, count: Option<usize>) -> Result<Items<'a, 'w>, Stop> {
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
pub(crate) struct Items<'a, 'w> {
    /// The value.
    around: Teller<'a, 'w>,
    /// The number of open lists and records around a child.
    depth: usize,
    /// The index of the next child.
    at: usize,
    variant: Option<&'static str>,
    key: String,
}

impl<'w> Items<'_, 'w> {
    /// Where to write the next child; `None` if it is not wanted.
    fn child(&mut self, name: Name<'_>) -> Result<Option<Teller<'_, 'w>>, Stop> {
        let at = self.at;
        self.at += 1;
        let Teller { path, in_child, walk } = &mut self.around;
        if let Some((&first, path)) = path.split_first() {
            return Ok((at == first).then_some(Teller { path, in_child: false, walk }));
        }
        match &mut walk.children {
            Some(children) if !*in_child => {
                if !(children.wants)(at, name) {
                    return Ok(None);
                }
                walk.make = Make::new(children.max);
            }
            _ if !walk.make.spend(1) => return Err(Stop(None)),
            _ => {}
        }
        Ok(Some(Teller { path: &[], in_child: *in_child || walk.children.is_some(), walk }))
    }

    /// Ends a child that was written.
    fn end(&mut self, name: Name<'_>, told: Result<(), Stop>) -> Result<(), Stop> {
        let Teller { path, in_child, walk } = &mut self.around;
        if !path.is_empty() {
            return told.and(Err(Stop(None)));
        }
        walk.close(self.depth, told);
        let goes_on = match &mut walk.children {
            Some(children) if !*in_child => children.give(self.at - 1, name, &mut walk.make),
            _ => {
                walk.make.add(name);
                !walk.make.cut
            }
        };
        if goes_on { Ok(()) } else { Err(Stop(None)) }
    }

    fn item<T: Serialize + ?Sized>(&mut self, name: Name<'_>, value: &T) -> Result<(), Stop> {
        let Some(teller) = self.child(name)? else { return Ok(()) };
        let told = value.serialize(teller);
        self.end(name, told)
    }

    fn indexed(&self) -> Name<'static> {
        self.variant.map_or(Name::Index(self.at), |variant| Name::At(variant, self.at))
    }

    fn named(&self, name: &'static str) -> Name<'static> {
        self.variant.map_or(Name::Field(name), |variant| Name::Part(variant, name))
    }
}

macro_rules! items {
    ($($trait:ident $function:ident $name:ident($($key:ident)?);)+) => {
        $(impl ser::$trait for Items<'_, '_> {
            type Ok = ();
            type Error = Stop;

            fn $function<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), Stop> {
                self.item(self.$name($($key)?), value)
            }

            fn end(self) -> Result<(), Stop> {
                Ok(())
            }
        })+
    };
}

items! {
    SerializeSeq serialize_element indexed();
    SerializeTuple serialize_element indexed();
    SerializeTupleStruct serialize_field indexed();
    SerializeTupleVariant serialize_field indexed();
    SerializeStruct serialize_field named(key);
    SerializeStructVariant serialize_field named(key);
}

impl ser::SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        let mut walk = Walk { make: Make::new(usize::MAX), children: None };
        key.serialize(Teller { path: &[], in_child: false, walk: &mut walk })?;
        self.key = walk.make.made.to_string();
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
