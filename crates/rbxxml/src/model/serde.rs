//! How a document looks to serde: its items as one list in the file's order, each with the place of
//! its parent in that list, so that nothing recurses; and bytes as text, where they are UTF-8.

use std::collections::HashMap;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{Document, Item, ItemId, Layout, Metadata, Name, SharedString, Text, tree};

pub(crate) mod text {
    //! Bytes: a string where they are UTF-8, a list of bytes where they are not; bytes in formats
    //! that nobody reads by eye.

    use std::fmt;

    use bstr::BString;
    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::Serializer;

    pub(crate) fn serialize<S: Serializer>(
        bytes: impl AsRef<[u8]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let bytes = bytes.as_ref();
        match std::str::from_utf8(bytes) {
            _ if !serializer.is_human_readable() => serializer.serialize_bytes(bytes),
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_seq(bytes),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BString, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = BString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of bytes")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<BString, E> {
                Ok(text.into())
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<BString, E> {
                Ok(bytes.into())
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<BString, E> {
                Ok(bytes.into())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<BString, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(bytes.into())
            }
        }
        match deserializer.is_human_readable() {
            true => deserializer.deserialize_any(Bytes),
            false => deserializer.deserialize_byte_buf(Bytes),
        }
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        text::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[derive(serde::Serialize)]
struct Borrowed<'a> {
    attributes: &'a [(Name, Text)],
    metadata: &'a [Metadata],
    externals: &'a [Text],
    items: Items<'a>,
    shared_strings: &'a [SharedString],
    layout: &'a Layout,
}

struct Items<'a>(&'a Document);

#[derive(serde::Serialize)]
struct Entry<'a> {
    parent: Option<u32>,
    item: &'a Item,
}

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut places: HashMap<ItemId, u32> = HashMap::new();
        let mut entries = Vec::with_capacity(self.0.nodes.len());
        for (place, (id, item)) in (0_u32..).zip(self.0.items()) {
            places.insert(id, place);
            entries.push(Entry { parent: self.0.parent(id).and_then(|id| places.get(&id).copied()), item });
        }
        serializer.collect_seq(entries)
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { attributes, metadata, externals, shared_strings, layout, .. } = self;
        Borrowed { attributes, metadata, externals, items: Items(self), shared_strings, layout }
            .serialize(serializer)
    }
}

#[derive(serde::Deserialize)]
struct Owned {
    attributes: Vec<(Name, Text)>,
    #[serde(default)]
    metadata: Vec<Metadata>,
    #[serde(default)]
    externals: Vec<Text>,
    items: Vec<OwnedEntry>,
    #[serde(default)]
    shared_strings: Vec<SharedString>,
    #[serde(default)]
    layout: Layout,
}

#[derive(serde::Deserialize)]
struct OwnedEntry {
    parent: Option<u32>,
    item: Item,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Owned { attributes, metadata, externals, items, shared_strings, layout } =
            Owned::deserialize(deserializer)?;
        let root = tree::NONE;
        let mut document =
            Self { attributes, metadata, externals, shared_strings, layout, nodes: Vec::new(), root };
        for OwnedEntry { parent, item } in items {
            // Ids are given in order: the parent is one that is there already, or it is none.
            document.insert(parent.map(ItemId), item).map_err(de::Error::custom)?;
        }
        Ok(document)
    }
}
