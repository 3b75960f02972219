//! Options as builders.

/// Declares a struct of options. Each field has a line with its default, and a setter with its name. A field after `+`
/// has no setter. The setter of a field `draco: bool => Option<bool>` takes a `bool`.
#[macro_export]
macro_rules! options {
    ($(#[$about:meta])* $name:ident {
        $($(#[$doc:meta])* $field:ident: $set:ty $(=> $kind:ty)? = $default:expr;)*
        $(+ $own:ident: $type:ty = $value:expr;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[must_use]
        pub struct $name {
            $(pub(crate) $field: $crate::wire::options!(@type $set $(, $kind)?),)*
            $(pub(crate) $own: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($own: $value,)* }
            }
        }

        impl $name {
            /// The defaults.
            pub fn new() -> Self {
                Self::default()
            }

            $($(#[$doc])* pub fn $field(mut self, $field: $set) -> Self {
                self.$field = $field.into();
                self
            })*
        }
    };
    (@type $set:ty) => { $set };
    (@type $set:ty, $kind:ty) => { $kind };
}

pub use options;
