//! Equality bit by bit: NaN equals a NaN of the same bits, and -0.0 differs from 0.0.

/// Without a prefix, declares the trait `Same` and implements it for numbers, vectors and containers; and, by `==`, for
/// the given types. `fields:` implements it for structs, field by field; `equal:` also implements `PartialEq` and `Eq`.
/// All fields must be listed, or the code does not compile.
#[macro_export]
macro_rules! by_bits {
    (fields: $($kind:ident { $($field:ident),+ $(,)? })+) => {$(
        impl Same for $kind {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                let Self { $($field),+ } = self;
                $($field.same(&other.$field))&&+
            }
        }
    )+};
    (equal: $($kind:ident { $($field:ident),+ $(,)? })+) => {
        $crate::wire::by_bits!(fields: $($kind { $($field),+ })+);
        $(
            impl Eq for $kind {}

            impl PartialEq for $kind {
                #[inline]
                fn eq(&self, other: &Self) -> bool {
                    self.same(other)
                }
            }
        )+
    };
    (==: $($kind:ty),+ $(,)?) => {$(
        impl Same for $kind {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )+};
    (bits: $($kind:ty: |$value:ident| $bits:expr;)+) => {$(
        impl Same for $kind {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                let bits = |$value: &Self| $bits;
                bits(self) == bits(other)
            }
        }
    )+};
    ($($kind:ty),* $(,)?) => {
        /// Equality bit by bit: NaN equals itself, and -0.0 is not 0.0.
        pub trait Same {
            /// Whether both have the same bits.
            fn same(&self, other: &Self) -> bool;
        }

        $crate::wire::by_bits!(==: bool, u8, i16, u16, i32, u32, i64, u64, $crate::Rgba8 $(, $kind)*);
        $crate::wire::by_bits! { bits:
            f32: |value| value.to_bits();
            f64: |value| value.to_bits();
            $crate::Vec2: |value| value.to_array().map(f32::to_bits);
            $crate::Vec3: |value| value.to_array().map(f32::to_bits);
            $crate::Quat: |value| value.to_array().map(f32::to_bits);
            $crate::Mat3: |value| value.to_rows().map(f32::to_bits);
        }

        impl<T: Same> Same for [T] {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                self.len() == other.len() && self.iter().zip(other).all(|(this, that)| this.same(that))
            }
        }

        impl<T: Same, const N: usize> Same for [T; N] {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                self.as_slice().same(other.as_slice())
            }
        }

        impl<T: Same> Same for Vec<T> {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                self.as_slice().same(other)
            }
        }

        impl<T: Same> Same for Option<T> {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                match (self, other) {
                    (Some(this), Some(that)) => this.same(that),
                    (this, that) => this.is_none() && that.is_none(),
                }
            }
        }

        impl<T: Same + ?Sized> Same for Box<T> {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                (**self).same(other)
            }
        }

        impl<T: Same + ?Sized> Same for &T {
            #[inline]
            fn same(&self, other: &Self) -> bool {
                (**self).same(*other)
            }
        }
    };
}

pub use by_bits;
