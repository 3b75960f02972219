//! A short `Debug` of bytes.

use std::fmt;

/// Bytes, whose `Debug` is their number and the first 16 in hexadecimal.
#[derive(Clone, Copy)]
pub struct Bytes<'a>(pub &'a [u8]);

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())?;
        for (index, byte) in self.0.iter().take(16).enumerate() {
            write!(f, "{}{byte:02x}", if index == 0 { ": " } else { " " })?;
        }
        if self.0.len() > 16 { f.write_str(" …") } else { Ok(()) }
    }
}

/// Implements `Debug` for structs with fields that are shown in another form than their own: after the names of the
/// other fields, `field => expression`, as in `short_debug! { Asset { name; data => Bytes(data) } }`.
#[macro_export]
macro_rules! short_debug {
    ($($name:ident { $($field:ident),*; $($other:ident => $shown:expr),+ $(,)? })+) => {$(
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let Self { $($field,)* $($other),+ } = self;
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), $field))*
                    $(.field(stringify!($other), &$shown))+
                    .finish()
            }
        }
    )+};
}
pub use short_debug;
