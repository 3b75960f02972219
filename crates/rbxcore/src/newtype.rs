//! Types of bytes that are usually text.

/// The common implementations of a type that wraps bytes: `newtype!(Name: |bytes| Self::new(bytes))`.
#[macro_export]
#[doc(hidden)]
macro_rules! newtype {
    ($name:ident: |$bytes:ident| $new:expr) => {
        impl std::ops::Deref for $name {
            type Target = bstr::BStr;
            fn deref(&self) -> &bstr::BStr {
                bstr::BStr::new(&*self.0)
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&**self, f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&**self, f)
            }
        }

        $crate::newtype!(@ $name, |$bytes| $new, &str, String, &[u8], Vec<u8>, bstr::BString, &bstr::BStr);

        #[cfg(feature = "serde")]
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::text::serialize(self, serializer)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text::deserialize(deserializer)
            }
        }
    };
    (@ $name:ident, |$bytes:ident| $new:expr, $($from:ty),+) => {$(
        impl From<$from> for $name {
            #[allow(clippy::useless_conversion, reason = "for one of the types")]
            fn from($bytes: $from) -> Self {
                $new
            }
        }
    )+};
}
