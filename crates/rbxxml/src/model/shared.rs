//! Shared strings and their keys.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blake2::Digest as _;
use blake2::digest::consts::U16;

use super::index::NONE;
use super::{Document, Known, Name, SharedBytes, Span, Value};

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
    /// The key by which values refer to the string. It can be any text, though the attribute is called `md5`. Studio
    /// writes the hash [`KeyHash::Blake2b`].
    pub fn key(&self) -> &Name {
        &self.key
    }

    /// The bytes.
    pub fn bytes(&self) -> &SharedBytes {
        &self.bytes
    }
}

/// The hash from which the key of a shared string is made. Readers do not check it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyHash {
    /// Base64 of BLAKE2b with a digest of 16 bytes, which Studio writes today.
    #[default]
    Blake2b,
    /// Base64 of MD5, which Studio wrote at first, hence the name of the attribute.
    Md5,
}

impl KeyHash {
    /// The key for some bytes.
    ///
    /// ```
    /// assert_eq!(rbxxml::parts::KeyHash::Blake2b.key(b""), "yuZpQdnvvUBOTYh1jqZ2cA==");
    /// assert_eq!(rbxxml::parts::KeyHash::Md5.key(b""), "1B2M2Y8AsgTpgAmY7PhCfg==");
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

    /// The bytes of the shared string with a key; of the last one if there are several.
    pub fn shared(&self, key: &str) -> Option<&[u8]> {
        self.shared_string(key).map(|shared| shared.bytes.as_ref())
    }

    /// The shared string with a key; the last one if there are several.
    pub fn shared_string(&self, key: &str) -> Option<&SharedString> {
        let index = self.names.get(key)?.shared;
        self.shared_strings.get(index as usize)
    }

    /// The keys of the shared strings by the address of their bytes, which values share.
    pub(crate) fn shared_keys(&self) -> SharedKeys<'_> {
        SharedKeys(self.shared_strings.iter().map(|shared| (shared.bytes.address(), &shared.key)).collect())
    }

    /// Adds a shared string with the key that Studio would give it, unless it exists. Returns the document's copy of
    /// the bytes. Further calls with clones of the same [`SharedBytes`] do not hash them again.
    pub fn share(&mut self, bytes: impl Into<SharedBytes>) -> SharedBytes {
        let bytes = bytes.into();
        let Self { caches, shared_strings, .. } = self;
        let known = caches.shared.get_or_insert_with(|| {
            let mut known = Known::default();
            shared_strings.iter().zip(0..).for_each(|(shared, index)| known.put(&shared.bytes, index));
            known
        });
        if let Some(shared) = known.get(&bytes).and_then(|&index| shared_strings.get(index as usize)) {
            return shared.bytes.clone();
        }
        let mut key = KeyHash::Blake2b.key(bytes.as_ref());
        // A file may have other bytes under the key of these bytes.
        while self.shared_string(&key).is_some_and(|other| bytes != other.bytes) {
            key = KeyHash::Blake2b.key(key.as_bytes());
        }
        self.add_shared(SharedString { key: key.clone(), bytes: bytes.clone(), at: Span::default() });
        let index = self.names.get(&key).map_or(NONE, |uses| uses.shared);
        if let Some(known) = &mut self.caches.shared {
            known.put(&bytes, index);
        }
        self.shared_strings.get(index as usize).map_or(bytes, |shared| shared.bytes.clone())
    }

    /// If a value is a shared string, replaces its bytes by the document's copy.
    pub(crate) fn share_value(&mut self, value: &mut Value) {
        if let Some(bytes) = value.shared_mut() {
            *bytes = self.share(bytes.clone());
        }
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

    /// Recomputes the key of every shared string from its bytes.
    pub fn rekey(&mut self, hash: KeyHash) {
        let old = std::mem::take(&mut self.shared_strings);
        self.caches.shared = None;
        for shared in &old {
            self.names.uses(&shared.key).shared = NONE;
        }
        let mut now = HashMap::new();
        for shared in &old {
            let key = hash.key(shared.bytes());
            let differs = key != shared.key;
            let mut at = shared.at;
            if differs {
                at.touch();
            }
            self.add_shared(SharedString { key: key.clone(), bytes: shared.bytes.clone(), at });
            if let Some(new) = self.shared_string(&key) {
                now.insert(shared.bytes.address(), (new.bytes.clone(), differs));
            }
        }
        let mut touched = Vec::new();
        for (node, id) in self.nodes.iter_mut().zip(0..) {
            for property in &mut node.instance.properties {
                let Some(bytes) = property.value.shared_mut() else { continue };
                if let Some((new, differs)) = now.get(&bytes.address()) {
                    *bytes = new.clone();
                    if *differs {
                        property.at.touch();
                        touched.push(id);
                    }
                }
            }
        }
        touched.into_iter().for_each(|id| self.touch_at(id));
    }
}

/// The keys of shared strings by the address of their bytes. See [`Document::shared_keys`].
#[derive(Debug)]
pub(crate) struct SharedKeys<'a>(HashMap<usize, &'a Name>);

impl<'a> SharedKeys<'a> {
    pub(crate) fn of(&self, bytes: &SharedBytes) -> Option<&'a Name> {
        self.0.get(&bytes.address()).copied()
    }
}
