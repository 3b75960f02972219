//! Records of a fixed size: each layout is said once, for both directions, and an array of records is
//! one bounds check and one loop.

use geom::{Mat3, Rgba8, Vec2, Vec3};

use crate::model::Tangent;

/// A part of a record: its size, and both directions. [`record`] makes sure at compile time that the
/// parts fill the record, so neither direction ever meets a slice that is too short.
pub(crate) trait Field: Sized {
    const SIZE: usize;
    fn get(from: &mut &[u8]) -> Self;
    fn put(&self, to: &mut &mut [u8]);
}

macro_rules! numbers {
    ($($number:ty),+) => {$(
        impl Field for $number {
            const SIZE: usize = size_of::<Self>();

            #[inline(always)]
            fn get(from: &mut &[u8]) -> Self {
                let Some((bytes, rest)) = from.split_first_chunk() else { return Self::default() };
                *from = rest;
                Self::from_le_bytes(*bytes)
            }

            #[inline(always)]
            fn put(&self, to: &mut &mut [u8]) {
                let Some((place, rest)) = std::mem::take(to).split_first_chunk_mut() else { return };
                *place = self.to_le_bytes();
                *to = rest;
            }
        }
    )+};
}
numbers!(u8, u16, u32, f32);

impl<T: Field + Default + Copy, const N: usize> Field for [T; N] {
    const SIZE: usize = T::SIZE * N;

    #[inline(always)]
    fn get(from: &mut &[u8]) -> Self {
        std::array::from_fn(|_| T::get(from))
    }

    #[inline(always)]
    fn put(&self, to: &mut &mut [u8]) {
        for part in self {
            part.put(to);
        }
    }
}

/// Fields that stand in the file as an array of numbers.
macro_rules! as_array {
    ($($name:ty = [$number:ty; $n:literal], |$value:ident| $array:expr, $from:expr;)+) => {$(
        impl Field for $name {
            const SIZE: usize = <[$number; $n]>::SIZE;

            #[inline(always)]
            fn get(from: &mut &[u8]) -> Self {
                let array: [$number; $n] = Field::get(from);
                $from(array)
            }

            #[inline(always)]
            fn put(&self, to: &mut &mut [u8]) {
                let $value = self;
                $array.put(to);
            }
        }
    )+};
}
as_array! {
    Vec2 = [f32; 2], |v| v.to_array(), Vec2::from;
    Vec3 = [f32; 3], |v| v.to_array(), Vec3::from;
    Mat3 = [f32; 9], |m| m.to_rows(), Mat3::from_rows;
    Rgba8 = [u8; 4], |c| c.to_array(), Rgba8::from;
    Tangent = [u8; 4], |t| t.0, Tangent;
}

/// A record of `N` bytes, in both directions.
pub(crate) trait Record<const N: usize>: Sized {
    fn read(bytes: &[u8; N]) -> Self;
    fn write(&self) -> [u8; N];
}

/// Declares the layout of a record: its fields in the file's order, each with its type. A field that
/// the model has and the record lacks follows behind `else`, with the value that it gets.
macro_rules! record {
    ($name:ident, $n:literal { $($field:ident: $kind:ty),+ $(,)? } $(else { $($absent:ident: $value:expr),+ })?) => {
        impl $crate::wire::record::Record<$n> for $name {
            #[inline(always)]
            fn read(bytes: &[u8; $n]) -> Self {
                use $crate::wire::record::Field;
                const { assert!(0 $(+ <$kind as Field>::SIZE)+ == $n) };
                let mut rest = bytes.as_slice();
                $(let $field = <$kind as Field>::get(&mut rest);)+
                Self { $($field,)+ $($($absent: $value),+)? }
            }

            #[inline(always)]
            fn write(&self) -> [u8; $n] {
                use $crate::wire::record::Field;
                let mut bytes = [0; $n];
                let mut rest = bytes.as_mut_slice();
                $(<$kind as Field>::put(&self.$field, &mut rest);)+
                bytes
            }
        }
    };
}
pub(crate) use record;

impl Record<12> for [u32; 3] {
    #[inline(always)]
    fn read(bytes: &[u8; 12]) -> Self {
        Field::get(&mut bytes.as_slice())
    }

    #[inline(always)]
    fn write(&self) -> [u8; 12] {
        let mut bytes = [0; 12];
        self.put(&mut bytes.as_mut_slice());
        bytes
    }
}

impl Record<4> for u32 {
    #[inline(always)]
    fn read(bytes: &[u8; 4]) -> Self {
        Self::from_le_bytes(*bytes)
    }

    #[inline(always)]
    fn write(&self) -> [u8; 4] {
        self.to_le_bytes()
    }
}
