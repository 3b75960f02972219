//! Equality bit by bit: NaN equals itself, and -0.0 is not 0.0.

use bstr::{BStr, BString};
use geom::{CFrame, Mat3, Quat, Ray, Rect, UDim, UDim2, Vec2, Vec3, Vector2int16, Vector3int16};

pub trait Same {
    fn same(&self, other: &Self) -> bool;
}

/// Types without floats.
macro_rules! equal {
    ($($kind:ty),+ $(,)?) => {$(
        impl $crate::same::Same for $kind {
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )+};
}
pub(crate) use equal;
equal!(bool, u8, i16, u16, i32, u32, i64, u64, BStr, BString, crate::id::InstanceId);
equal!(Vector2int16, Vector3int16);

macro_rules! floats {
    ($($kind:ty: $bits:expr;)+) => {$(
        impl Same for $kind {
            fn same(&self, other: &Self) -> bool {
                $bits(*self) == $bits(*other)
            }
        }
    )+};
}
floats! {
    f32: f32::to_bits;
    f64: f64::to_bits;
    Vec2: |v: Vec2| v.to_array().map(f32::to_bits);
    Vec3: |v: Vec3| v.to_array().map(f32::to_bits);
    Quat: |q: Quat| q.to_array().map(f32::to_bits);
    Mat3: |m: Mat3| m.to_rows().map(f32::to_bits);
}

macro_rules! fields {
    ($($kind:ident { $($field:ident),+ })+) => {$(
        impl Same for $kind {
            fn same(&self, other: &Self) -> bool {
                // A field that is added does not compile until it is named.
                let Self { $($field),+ } = self;
                $($field.same(&other.$field))&&+
            }
        }
    )+};
}
fields! {
    UDim { scale, offset }
    UDim2 { x, y }
    Ray { origin, direction }
    Rect { min, max }
    CFrame { position, rotation }
}

impl<T: Same> Same for [T] {
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(this, that)| this.same(that))
    }
}

impl<T: Same> Same for Vec<T> {
    fn same(&self, other: &Self) -> bool {
        self.as_slice().same(other)
    }
}

impl<T: Same> Same for Option<T> {
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(this), Some(that)) => this.same(that),
            (this, that) => this.is_none() && that.is_none(),
        }
    }
}

impl<T: Same + ?Sized> Same for Box<T> {
    fn same(&self, other: &Self) -> bool {
        (**self).same(other)
    }
}

impl<T: Same + ?Sized> Same for &T {
    fn same(&self, other: &Self) -> bool {
        (**self).same(*other)
    }
}
