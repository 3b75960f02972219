//! Shared strings and their keys.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::Digest as _;
use blake2::digest::consts::U16;

use super::{Document, Name, Text, Value};

/// Bytes that values refer to by a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedString {
    /// What values call it by: any text, though the attribute is called `md5`. Studio writes what
    /// [`KeyHash::Blake2b`] gives.
    pub key: Name,
    /// The bytes.
    pub bytes: Text,
}

/// How the key of a shared string follows from its bytes. Nobody checks that it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyHash {
    /// Base64 of BLAKE2b with a digest of 16 bytes: what Studio writes today.
    #[default]
    Blake2b,
    /// Base64 of MD5: what Studio wrote at first, and what the attribute is called after.
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
    /// The bytes of a shared string; the last one with that key.
    pub fn shared(&self, key: &str) -> Option<&[u8]> {
        self.shared_strings.iter().rev().find(|shared| shared.key == key).map(|shared| shared.bytes.as_ref())
    }

    /// Adds a shared string, keyed as Studio does it, unless it is there, and gives its key for
    /// [`Value::SharedString`].
    pub fn share(&mut self, bytes: impl Into<Text>) -> Name {
        let bytes = bytes.into();
        let key = KeyHash::Blake2b.key(bytes.as_ref());
        if self.shared(&key).is_none() {
            self.shared_strings.push(SharedString { key: key.clone(), bytes });
        }
        key
    }

    /// Gives every shared string the key that follows from its bytes, and every value that refers to
    /// it the new key.
    pub fn rekey(&mut self, hash: KeyHash) {
        let mut keys: HashMap<Name, Name> = HashMap::new();
        for shared in &mut self.shared_strings {
            let key = hash.key(shared.bytes.as_ref());
            keys.insert(std::mem::replace(&mut shared.key, key.clone()), key);
        }
        self.replace_keys(&keys);
        let mut seen = std::collections::HashSet::new();
        self.shared_strings.retain(|shared| seen.insert(shared.key.clone()));
    }

    pub(crate) fn replace_keys(&mut self, keys: &HashMap<Name, Name>) {
        for node in &mut self.nodes {
            for property in &mut node.item.properties {
                if let Value::SharedString(key) | Value::NetAssetRef(key) = &mut property.value
                    && let Some(new) = keys.get(key)
                {
                    *key = new.clone();
                }
            }
        }
    }
}
