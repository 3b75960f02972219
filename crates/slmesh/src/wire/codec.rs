//! Conversion of a key's value to the type of its field.

use llsd::{Binary, Date, Lazy, Map, Text, Uuid, Value};

use super::limits::{Got, Limits, build};
use super::weights;
use crate::model::{Domain, Instance, VertexWeights};
use geom::wire::{At, ErrorKind, Here, Result};

/// The part of a value that the field cannot represent: `extra` keeps it.
#[derive(Debug)]
pub(crate) enum Kept<'a> {
    Nothing,
    /// The last bytes of a binary.
    Rest(&'a [u8]),
    /// The whole value: it has another type.
    Whole,
}

/// A field of a map. The default means that the key is absent.
pub(crate) trait Codec: Default {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Self, Kept<'a>)>;
    fn write(&self) -> Result<Option<Value>>;
}

/// An optional value.
pub(super) trait Single: Sized {
    /// `None` for a value of another type.
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>>;
    fn write(&self) -> Result<Value>;
}

impl<T: Single> Codec for Option<T> {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Self, Kept<'a>)> {
        let read = T::read(value, limits)?;
        let kept = if read.is_some() { Kept::Nothing } else { Kept::Whole };
        Ok((read, kept))
    }

    fn write(&self) -> Result<Option<Value>> {
        self.as_ref().map(T::write).transpose()
    }
}

/// Types of LLSD.
macro_rules! scalars {
    ($($type:ty: $read:expr;)+) => {$(
        impl Single for $type {
            fn read<'a>(value: Lazy<'a>, _: &mut Limits) -> Got<'a, Option<Self>> {
                let read: fn(Lazy<'a>) -> Option<Self> = $read;
                Ok(read(value))
            }

            fn write(&self) -> Result<Value> {
                Ok(Value::from(self.clone()))
            }
        }
    )+};
}
scalars! {
    bool: Lazy::as_boolean;
    i32: Lazy::as_integer;
    f64: number;
    Uuid: Lazy::as_uuid;
    Date: Lazy::as_date;
}

/// A real, or an integer in its place.
fn number(value: Lazy<'_>) -> Option<f64> {
    value.as_real().or_else(|| value.as_integer().map(f64::from))
}

impl Single for Value {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
        build(value, limits).map(Some)
    }

    fn write(&self) -> Result<Value> {
        Ok(self.clone())
    }
}

impl Single for Text {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
        let Some(text) = value.as_text() else { return Ok(None) };
        limits.budget.take(text.len() as u64).here(value.bytes())?;
        Ok(Some(Self::from(text)))
    }

    fn write(&self) -> Result<Value> {
        Ok(Value::String(self.clone()))
    }
}

/// A binary.
impl Single for Vec<u8> {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
        value.as_binary().map(|bytes| limits.budget.copy(bytes).here(bytes)).transpose()
    }

    fn write(&self) -> Result<Value> {
        Ok(Binary(self.clone()).into())
    }
}

/// Exactly `N` numbers.
impl<const N: usize> Single for [f64; N] {
    fn read<'a>(value: Lazy<'a>, _: &mut Limits) -> Got<'a, Option<Self>> {
        let mut numbers = [0.0; N];
        // Nearly always all numbers are reals, at known offsets.
        if let [b'[', _, _, _, _, inside @ .., _] = value.bytes()
            && let (reals, []) = inside.as_chunks::<9>()
            && reals.len() == N
        {
            let all_reals = reals.iter().zip(&mut numbers).all(|([marker, bits @ ..], number)| {
                *number = f64::from_be_bytes(*bits);
                *marker == b'r'
            });
            if all_reals {
                return Ok(Some(numbers));
            }
        }
        let Some(mut items) = value.items() else { return Ok(None) };
        for to in &mut numbers {
            let Some(number) = items.next().and_then(number) else { return Ok(None) };
            *to = number;
        }
        Ok(items.next().is_none().then_some(numbers))
    }

    fn write(&self) -> Result<Value> {
        Ok(Value::from(*self))
    }
}

/// A map of `Min` and `Max`, and nothing else.
impl<const N: usize> Single for Domain<N> {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
        let (mut min, mut max) = (None, None);
        for (key, value) in value.entries().into_iter().flatten() {
            let end = match &**key {
                b"Min" => &mut min,
                b"Max" => &mut max,
                _ => return Ok(None),
            };
            let Some(numbers) = Single::read(value, limits)? else { return Ok(None) };
            end.get_or_insert(numbers);
        }
        Ok(min.zip(max).map(|(min, max)| Self { min, max }))
    }

    fn write(&self) -> Result<Value> {
        Ok(Map::from([("Max", Value::from(self.max)), ("Min", Value::from(self.min))]).into())
    }
}

/// An array whose values all have one type; `None` if one has another.
fn all<'a, T: Single>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Vec<T>>> {
    let Some(items) = value.items() else { return Ok(None) };
    let mut values = Vec::new();
    for (index, item) in items.enumerate() {
        let Some(value) = T::read(item, limits).index(index)? else { return Ok(None) };
        limits.budget.push(&mut values, value).here(item.bytes())?;
    }
    Ok(Some(values))
}

fn write_all<T: Single>(values: &[T]) -> Result<Value> {
    let write = |(index, value)| T::write(value).map_err(|error| error.within(&format!("[{index}]")));
    values.iter().enumerate().map(write).collect::<Result<Vec<Value>>>().map(Value::from)
}

/// Arrays that may be empty.
macro_rules! lists {
    ($($type:ty),+) => {$(
        impl Single for Vec<$type> {
            fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, Option<Self>> {
                all(value, limits)
            }

            fn write(&self) -> Result<Value> {
                write_all(self)
            }
        }
    )+};
}
lists!(Text, Instance);

/// Arrays whose absence is an empty vector; an empty one goes to `extra`.
macro_rules! filled_lists {
    ($($type:ty),+) => {$(
        impl Codec for Vec<$type> {
            fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Self, Kept<'a>)> {
                let values = all(value, limits)?.unwrap_or_default();
                let kept = if values.is_empty() { Kept::Whole } else { Kept::Nothing };
                Ok((values, kept))
            }

            fn write(&self) -> Result<Option<Value>> {
                if self.is_empty() { Ok(None) } else { write_all(self).map(Some) }
            }
        }
    )+};
}
filled_lists!(Text, [f64; 16]);

/// Whether the key is present: the viewer ignores the value. A value other than true goes to `extra`.
impl Codec for bool {
    fn read<'a>(value: Lazy<'a>, _: &mut Limits) -> Got<'a, (Self, Kept<'a>)> {
        let kept = if value.as_boolean() == Some(true) { Kept::Nothing } else { Kept::Whole };
        Ok((true, kept))
    }

    fn write(&self) -> Result<Option<Value>> {
        Ok(self.then(|| true.into()))
    }
}

/// The bytes after `used`; an empty binary is kept to preserve its presence.
fn rest<T>(bytes: &[u8], used: usize, values: Vec<T>) -> (Vec<T>, Kept<'_>) {
    let rest = bytes.get(used..).unwrap_or(&[]);
    let kept = if rest.is_empty() && !values.is_empty() { Kept::Nothing } else { Kept::Rest(rest) };
    (values, kept)
}

/// A binary of numbers in sixteen bits.
impl<const N: usize> Codec for Vec<[u16; N]> {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Self, Kept<'a>)> {
        let Some(bytes) = value.as_binary() else { return Ok((Self::new(), Kept::Whole)) };
        let values = read_u16s(bytes, limits).here(bytes)?;
        Ok(rest(bytes, size_of_val(values.as_slice()), values))
    }

    fn write(&self) -> Result<Option<Value>> {
        Ok((!self.is_empty()).then(|| Binary(write_u16s(self)).into()))
    }
}

/// The whole groups of `N` numbers in the bytes.
pub(super) fn read_u16s<const N: usize>(
    bytes: &[u8],
    limits: &mut Limits,
) -> Result<Vec<[u16; N]>, ErrorKind> {
    let (groups, _) = bytes.as_chunks::<2>().0.as_chunks::<N>();
    let mut values = limits.budget.vec(groups.len())?;
    values.extend(groups.iter().map(|group| group.map(u16::from_le_bytes)));
    Ok(values)
}

pub(super) fn write_u16s<const N: usize>(values: &[[u16; N]]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    for value in values.as_flattened() {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

impl Codec for Vec<VertexWeights> {
    fn read<'a>(value: Lazy<'a>, limits: &mut Limits) -> Got<'a, (Self, Kept<'a>)> {
        let Some(bytes) = value.as_binary() else { return Ok((Self::new(), Kept::Whole)) };
        Ok(rest(bytes, bytes.len(), weights::read(bytes, limits)?))
    }

    fn write(&self) -> Result<Option<Value>> {
        let bytes = weights::write(self)?;
        Ok((!bytes.is_empty()).then(|| Binary(bytes).into()))
    }
}
