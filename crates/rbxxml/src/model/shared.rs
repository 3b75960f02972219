//! Shared strings and their keys.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::Digest as _;
use blake2::digest::consts::U16;

use super::index::NONE;
use super::{Document, InstanceId, Known, Name, SharedBytes, Span, Value};

/// Bytes that values refer to by a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedString {
    pub(crate) key: Name,
    pub(crate) bytes: SharedBytes,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) at: Span,
}

impl SharedString {
    /// What values refer to it by: any text, though the attribute is called `md5`. Studio writes what
    /// [`KeyHash::Blake2b`] gives.
    pub fn key(&self) -> &Name {
        &self.key
    }

    /// The bytes.
    pub fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }
}

/// How the key of a shared string follows from its bytes. Readers do not check that it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyHash {
    /// Base64 of BLAKE2b with a digest of 16 bytes: what Studio writes today.
    #[default]
    Blake2b,
    /// Base64 of MD5: what Studio wrote at first, and what the attribute is named after.
    Md5,
}

impl KeyHash {
    /// The key for some bytes.
    ///
    /// ```
    /// assert_eq!(rbxxml::KeyHash::Blake2b.key(b""), "yuZpQdnvvUBOTYh1jqZ2cA==");
    /// assert_eq!(rbxxml::KeyHash::Md5.key(b""), "1B2M2Y8AsgTpgAmY7PhCfg==");
    /// ```
    pub fn key(self, bytes: &[u8]) -> Name {
        let digest: [u8; 16] = match self {
            Self::Blake2b => blake2::Blake2b::<U16>::digest(bytes).into(),
            Self::Md5 => md5::Md5::digest(bytes).into(),
        };
        STANDARD.encode(digest).into()
    }
}

impl Document {
    /// The shared strings in the file's order.
    pub fn shared_strings(&self) -> &[SharedString] {
        &self.shared_strings
    }

    /// The bytes of a shared string; the last one with that key.
    pub fn shared(&self, key: &str) -> Option<&[u8]> {
        self.shared_string(key).map(|shared| shared.bytes.as_ref())
    }

    /// The shared string with a key; the last one of them.
    pub fn shared_string(&self, key: &str) -> Option<&SharedString> {
        let index = self.names.get(key)?.shared;
        self.shared_strings.get(index as usize)
    }

    /// Adds a shared string, with the key that Studio gives it, unless it is there, and gives the key for
    /// [`Value::SharedString`]. Clones of the same [`SharedBytes`] cost nothing from the second on.
    pub fn share(&mut self, bytes: impl Into<SharedBytes>) -> Name {
        let bytes = bytes.into();
        if let Some(key) = self.caches.shared.get(&bytes) {
            return key.clone();
        }
        let mut key = KeyHash::Blake2b.key(bytes.as_ref());
        // Nothing keeps a file from having other bytes under this key.
        while self.shared_string(&key).is_some_and(|there| bytes != there.bytes) {
            key = KeyHash::Blake2b.key(key.as_bytes());
        }
        self.add_shared(SharedString { key: key.clone(), bytes: bytes.clone(), at: Span::default() });
        self.caches.shared.put(&bytes, key.clone());
        key
    }

    /// Adds a shared string unless there is one with its key.
    pub(crate) fn add_shared(&mut self, shared: SharedString) {
        let index = u32::try_from(self.shared_strings.len()).unwrap_or(NONE);
        let uses = self.names.uses(&shared.key);
        if uses.shared == NONE {
            uses.shared = index;
            self.shared_strings.push(shared);
        }
    }

    /// Gives every shared string the key that follows from its bytes, and every value that refers to
    /// it the new key. Values whose key is not defined keep it.
    pub fn rekey(&mut self, hash: KeyHash) {
        let old = std::mem::take(&mut self.shared_strings);
        self.caches.shared = Known::default();
        let keys: Vec<Name> = old.iter().map(|shared| hash.key(shared.bytes())).collect();
        let mut touched = Vec::new();
        for (node, id) in self.nodes.iter_mut().zip(0..) {
            for property in &mut node.instance.properties {
                if let Value::SharedString(key) | Value::NetAssetRef(key) = &mut property.value
                    && let Some(index) = self.names.get(key).map(|uses| uses.shared)
                    && let Some(new) = keys.get(index as usize).filter(|new| *new != key)
                {
                    *key = new.clone();
                    property.at.touch();
                    touched.push(InstanceId(id));
                }
            }
        }
        touched.into_iter().for_each(|id| self.touch(id));
        for shared in &old {
            self.names.uses(&shared.key).shared = NONE;
        }
        for (shared, key) in old.into_iter().zip(keys) {
            let mut at = shared.at;
            if shared.key != key {
                at.touch();
            }
            self.add_shared(SharedString { key, bytes: shared.bytes, at });
        }
    }
}
