//! Structs of options with public fields.

/// Declares a struct of options with their defaults and a setter for each. Unlike `geom::wire::options`, its fields are
/// public, and features can omit them.
#[doc(hidden)]
#[macro_export]
macro_rules! settable {
    ($(#[$about:meta])* $name:ident { $(
        $(#[doc = $doc:expr])* $(#[cfg($($when:tt)*)])? $field:ident: $type:ty = $default:expr, $from:ty => $value:expr;
    )* }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name { $( $(#[doc = $doc])* $(#[cfg($($when)*)])? pub $field: $type, )* }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $(#[cfg($($when)*)])? $field: $default, )* }
            }
        }

        impl $name {
            /// The defaults.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                $(#[doc = $doc])*
                $(#[cfg($($when)*)])?
                #[must_use]
                pub fn $field(mut self, $field: $from) -> Self {
                    self.$field = $value;
                    self
                }
            )*
        }
    };
}
