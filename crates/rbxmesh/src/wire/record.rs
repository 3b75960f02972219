//! Records of a fixed size. Each layout is declared once, for reading and writing. To read an array of records takes
//! one bounds check and one loop. The declared count is checked against the input before anything is allocated; the
//! memory was charged by the caller.

use std::marker::PhantomData;

use geom::{Mat3, Rgba8, Vec2, Vec3};
use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::le_u32;

use crate::model::Tangent;
use crate::wire::sizes::count;
use geom::wire::{Fail, Parsed, Result};

/// The layout of a value: its size, and how to read and write it. The caller of `get` and `put` has checked that the
/// slice is long enough.
pub(crate) trait Field {
    type Value;
    const SIZE: usize;
    fn get(from: &mut &[u8]) -> Self::Value;
    fn put(value: &Self::Value, to: &mut &mut [u8]);

    /// Appends the values of a slice of whole records.
    #[inline(always)]
    fn get_all(bytes: &[u8], values: &mut Vec<Self::Value>) {
        let size = Self::SIZE;
        values.extend(bytes.chunks_exact(size).map(|mut bytes| Self::get(&mut bytes)));
    }

    /// Appends the bytes of a value.
    fn append(value: &Self::Value, out: &mut Vec<u8>);

    /// Reads one value at the start of the input.
    #[inline]
    fn read(input: &[u8]) -> Parsed<'_, Self::Value> {
        match input.split_at_checked(Self::SIZE) {
            Some((mut bytes, rest)) => Ok((rest, Self::get(&mut bytes))),
            None => Err(Fail::end(input)),
        }
    }
}

/// The base of the layouts of a struct that has several: no bytes, and each field has the value that files without it
/// imply.
pub(crate) struct Implied<T>(PhantomData<T>);

impl<T: Default> Field for Implied<T> {
    type Value = T;
    const SIZE: usize = 0;

    #[inline(always)]
    fn get(_: &mut &[u8]) -> T {
        T::default()
    }

    #[inline(always)]
    fn put(_: &T, _: &mut &mut [u8]) {}

    #[inline(always)]
    fn append(_: &T, _: &mut Vec<u8>) {}
}

/// Three u32: the indices of a face.
pub(crate) struct Face;

/// Appends the bytes of a value. `N` is their number, since an array of constant size compiles to a few moves and one
/// copy.
#[inline(always)]
pub(crate) fn append_array<T: Field, const N: usize>(value: &T::Value, out: &mut Vec<u8>) {
    const { assert!(T::SIZE == N) };
    let mut bytes = [0; N];
    T::put(value, &mut bytes.as_mut_slice());
    out.extend_from_slice(&bytes);
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Field for $number {
            type Value = Self;
            const SIZE: usize = size_of::<Self>();

            #[inline(always)]
            fn get(from: &mut &[u8]) -> Self {
                let Some((bytes, rest)) = from.split_first_chunk() else { return Self::default() };
                *from = rest;
                Self::from_le_bytes(*bytes)
            }

            #[inline(always)]
            fn put(value: &Self, to: &mut &mut [u8]) {
                let Some((bytes, rest)) = std::mem::take(to).split_first_chunk_mut() else { return };
                *bytes = value.to_le_bytes();
                *to = rest;
            }

            #[inline(always)]
            fn append(value: &Self, out: &mut Vec<u8>) {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
    )+};
}
numbers!(u8, u16, u32, u64, f32);

impl<T: Field<Value = T> + Default + Copy, const N: usize> Field for [T; N] {
    type Value = Self;
    #[allow(clippy::arithmetic_side_effects, reason = "of constants, at compile time")]
    const SIZE: usize = T::SIZE * N;

    #[inline(always)]
    fn get(from: &mut &[u8]) -> Self {
        std::array::from_fn(|_| T::get(from))
    }

    #[inline(always)]
    fn put(value: &Self, to: &mut &mut [u8]) {
        for part in value {
            T::put(part, to);
        }
    }

    #[inline(always)]
    fn append(value: &Self, out: &mut Vec<u8>) {
        for part in value {
            T::append(part, out);
        }
    }
}

/// Implements `Field` for types that files store as an array of numbers.
macro_rules! as_array {
    ($($name:ty: $type:ty = [$number:ty; $n:literal], |$value:ident| $array:expr, $from:expr;)+) => {$(
        impl Field for $name {
            type Value = $type;
            const SIZE: usize = <[$number; $n]>::SIZE;

            #[inline(always)]
            fn get(from: &mut &[u8]) -> $type {
                let array: [$number; $n] = <[$number; $n]>::get(from);
                $from(array)
            }

            #[inline(always)]
            fn put($value: &$type, to: &mut &mut [u8]) {
                <[$number; $n]>::put(&$array, to);
            }

            // Arrays of constant size take a third of the time that slices take.
            #[inline(always)]
            fn get_all(bytes: &[u8], values: &mut Vec<$type>) {
                const N: usize = <$name>::SIZE;
                values.extend(bytes.as_chunks::<N>().0.iter().map(|bytes| Self::get(&mut bytes.as_slice())));
            }

            #[inline(always)]
            fn append(value: &$type, out: &mut Vec<u8>) {
                const N: usize = <$name>::SIZE;
                append_array::<Self, N>(value, out);
            }
        }
    )+};
}
as_array! {
    Vec2: Vec2 = [f32; 2], |v| v.to_array(), Vec2::from;
    Vec3: Vec3 = [f32; 3], |v| v.to_array(), Vec3::from;
    Mat3: Mat3 = [f32; 9], |m| m.to_rows(), Mat3::from_rows;
    Rgba8: Rgba8 = [u8; 4], |c| c.to_array(), Rgba8::from;
    Tangent: Tangent = [u8; 4], |t| t.0, Tangent;
    Face: [u32; 3] = [u32; 3], |f| *f, From::from;
}

/// Declares the layout of a struct: its fields in the order of the file, each with its type. With `struct` before the
/// name, the struct is also defined, if it exists only in the file. If a struct has several layouts, each has a name
/// and extends another one: `Vertex36 of Vertex after Vertex32 { … }` has the fields of `Vertex32`, and then these. The
/// first one is `after Implied<Vertex>`.
macro_rules! record {
    ($(#[$about:meta])* struct $name:ident { $($field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $($field: $kind,)+
        }
        record!($name { $($field: $kind),+ });
    };
    ($name:ident { $($fields:tt)+ }) => {
        record!(@ $name, $name, () { $($fields)+ });
    };
    ($layout:ident of $name:ident after $base:ty { $($fields:tt)+ }) => {
        /// A layout of a struct that has several.
        pub(crate) struct $layout;
        record!(@ $layout, $name, (base: $base) { $($fields)+ });
    };
    (@ $layout:ident, $name:ident, ($($rest:ident: $base:ty)?) { $($field:ident: $kind:ty),+ $(,)? }) => {
        impl $crate::wire::record::Field for $layout {
            type Value = $name;
            const SIZE: usize =
                0 $(+ <$base as $crate::wire::record::Field>::SIZE)? $(+ <$kind as $crate::wire::record::Field>::SIZE)+;

            #[inline(always)]
            fn get(from: &mut &[u8]) -> $name {
                $(let $rest = <$base as $crate::wire::record::Field>::get(from);)?
                $(let $field = <$kind as $crate::wire::record::Field>::get(from);)+
                $name { $($field,)+ $(..$rest)? }
            }

            #[inline(always)]
            fn put(value: &$name, to: &mut &mut [u8]) {
                $(<$base as $crate::wire::record::Field>::put(value, to);)?
                $(<$kind as $crate::wire::record::Field>::put(&value.$field, to);)+
            }

            #[inline(always)]
            fn get_all(bytes: &[u8], values: &mut Vec<$name>) {
                const N: usize = <$layout as $crate::wire::record::Field>::SIZE;
                values.extend(bytes.as_chunks::<N>().0.iter().map(|bytes| Self::get(&mut bytes.as_slice())));
            }

            #[inline(always)]
            fn append(value: &$name, out: &mut Vec<u8>) {
                const N: usize = <$layout as $crate::wire::record::Field>::SIZE;
                $crate::wire::record::append_array::<Self, N>(value, out);
            }

            /// Reads field by field, so that errors name the field.
            fn read(input: &[u8]) -> geom::wire::Parsed<'_, $name> {
                $(let (input, $rest) = <$base as $crate::wire::record::Field>::read(input)?;)?
                $(let (input, $field) = geom::wire::At::field(
                    <$kind as $crate::wire::record::Field>::read(input), stringify!($field))?;)+
                Ok((input, $name { $($field,)+ $(..$rest)? }))
            }
        }
    };
}
pub(crate) use record;

/// The bytes of `count` records of `size` bytes.
pub(crate) fn take_records(input: &[u8], count: usize, size: usize) -> Parsed<'_, &[u8]> {
    match count.checked_mul(size) {
        Some(len) if len <= input.len() => take(len)(input),
        // The error is at the end of the input, where a record is missing.
        _ => Err(Fail::end_of(input)),
    }
}

/// A parser of `count` records, one after the other.
pub(crate) fn array<T: Field>(count: usize) -> impl Fn(&[u8]) -> Parsed<'_, Vec<T::Value>> {
    move |input| {
        let (rest, bytes) = take_records(input, count, T::SIZE)?;
        let mut records = Vec::with_capacity(count);
        T::get_all(bytes, &mut records);
        Ok((rest, records))
    }
}

/// Reads a u32 count, then that number of records.
pub(crate) fn counted<T: Field>(input: &[u8]) -> Parsed<'_, Vec<T::Value>> {
    let (input, count) = le_u32(input)?;
    array::<T>(count as usize)(input)
}

/// Writes a count and records, which [`counted`] reads.
pub(crate) fn write_counted<T: Field>(
    records: &[T::Value],
    path: &'static str,
    out: &mut Vec<u8>,
) -> Result<()> {
    out.extend(count(records.len(), path)?.to_le_bytes());
    write_array::<T>(records, out);
    Ok(())
}

/// Reads `count` records of `size` bytes each, the first `T::SIZE` of which are known; the others are kept.
pub(crate) fn read_wide_array<T: Field>(
    input: &[u8],
    count: usize,
    size: usize,
) -> Parsed<'_, (Vec<T::Value>, Vec<u8>)> {
    if size == T::SIZE {
        return array::<T>(count).map(|records| (records, Vec::new())).parse(input);
    }
    let (rest, bytes) = take_records(input, count, size)?;
    let mut records = Vec::with_capacity(count);
    let mut extra = Vec::with_capacity(bytes.len().saturating_sub(count.wrapping_mul(T::SIZE)));
    for bytes in bytes.chunks_exact(size) {
        if let Some((mut known, unknown)) = bytes.split_at_checked(T::SIZE) {
            records.push(T::get(&mut known));
            extra.extend_from_slice(unknown);
        }
    }
    Ok((rest, (records, extra)))
}

/// Writes the records, one after the other.
pub(crate) fn write_array<T: Field>(records: &[T::Value], out: &mut Vec<u8>) {
    // Records are at most as large in the file as in memory.
    out.reserve(size_of_val(records));
    for record in records {
        T::append(record, out);
    }
}

/// Writes the records, each followed by `each` of the extra bytes.
pub(crate) fn write_wide_array<T: Field>(records: &[T::Value], each: usize, extra: &[u8], out: &mut Vec<u8>) {
    if each == 0 {
        return write_array::<T>(records, out);
    }
    for (record, unknown) in records.iter().zip(extra.chunks_exact(each)) {
        T::append(record, out);
        out.extend_from_slice(unknown);
    }
}
