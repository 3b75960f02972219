//! Files made by hand: bytes put one behind the other, as the tables of a format say.

/// Bytes to which values are appended. Little-endian, unless a name says otherwise.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

macro_rules! append {
    ($($name:ident: $kind:ty => $bytes:ident),+ $(,)?) => {$(
        #[allow(dead_code, reason = "a set is easier to remember than a choice")]
        pub(crate) fn $name(mut self, value: $kind) -> Self {
            self.0.extend(value.$bytes());
            self
        }
    )+};
}

impl Bytes {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    append! {
        u8: u8 => to_le_bytes,
        u16: u16 => to_le_bytes,
        u32: u32 => to_le_bytes,
        u64: u64 => to_le_bytes,
        i32: i32 => to_le_bytes,
        f32: f32 => to_le_bytes,
        f64: f64 => to_le_bytes,
        u16_be: u16 => to_be_bytes,
        u32_be: u32 => to_be_bytes,
        u64_be: u64 => to_be_bytes,
        i32_be: i32 => to_be_bytes,
        f32_be: f32 => to_be_bytes,
        f64_be: f64 => to_be_bytes,
    }

    /// Bytes as they are.
    pub(crate) fn raw(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    /// Several numbers.
    pub(crate) fn f32s(self, values: impl IntoIterator<Item = f32>) -> Self {
        values.into_iter().fold(self, Self::f32)
    }

    /// Several numbers.
    pub(crate) fn u32s(self, values: impl IntoIterator<Item = u32>) -> Self {
        values.into_iter().fold(self, Self::u32)
    }

    /// Several numbers.
    pub(crate) fn u16s(self, values: impl IntoIterator<Item = u16>) -> Self {
        values.into_iter().fold(self, Self::u16)
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        bytes.0
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
