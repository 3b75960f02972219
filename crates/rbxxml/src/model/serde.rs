//! The serde form of a document. The instances are one list in document order, each with the index of its parent in
//! that list, so that nothing recurses. References are indices into the same list. Bytes are text if they are UTF-8.
//! Of the file, only the layout is included.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use super::{
    Document, External, Instance, InstanceId, Layout, Metadata, NONE, Name, Property, SharedString, Span,
    Text, Value,
};

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

#[derive(serde::Serialize, serde::Deserialize)]
struct Whole<'a> {
    attributes: Cow<'a, [(Name, Text)]>,
    #[serde(default)]
    metadata: Cow<'a, [Metadata]>,
    #[serde(default)]
    externals: Cow<'a, [External]>,
    instances: Vec<Entry>,
    #[serde(default)]
    shared_strings: Cow<'a, [SharedString]>,
    #[serde(default)]
    layout: Cow<'a, Layout>,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Entry {
    parent: Option<u32>,
    class: Name,
    #[serde(default)]
    referent: Option<Name>,
    #[serde(default)]
    properties: Vec<(Name, Value)>,
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let indices: HashMap<InstanceId, u32> = self.instances().zip(0..).collect();
        let keys = self.shared_keys();
        let index = |id: Option<InstanceId>| id.and_then(|id| indices.get(&id).copied());
        let property = |property: &Property| {
            let mut value = self.current(&property.value).clone();
            if let Some(to) = value.reference_mut() {
                *to = index(*to).and_then(InstanceId::new);
            }
            // A shared string is represented by its key, so that its bytes occur only once.
            if let Some(bytes) = value.shared_mut()
                && let Some(key) = keys.of(bytes)
            {
                *bytes = key.as_str().into();
            }
            (property.name.clone(), value)
        };
        let entries = self.instances().filter_map(|id| {
            let Instance { class, referent, properties, .. } = self.instance(id)?;
            Some(Entry {
                parent: index(self.parent(id)),
                class: class.clone(),
                referent: referent.clone(),
                properties: properties.iter().map(property).collect(),
            })
        });
        let whole = Whole {
            attributes: Cow::Borrowed(&self.attributes),
            metadata: Cow::Borrowed(&self.metadata),
            externals: Cow::Borrowed(&self.externals),
            instances: entries.collect(),
            shared_strings: Cow::Borrowed(&self.shared_strings),
            layout: Cow::Borrowed(&self.layout),
        };
        whole.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let whole = Whole::deserialize(deserializer)?;
        let count = u32::try_from(whole.instances.len()).unwrap_or(NONE);
        let mut document = Self {
            attributes: whole.attributes.into_owned(),
            metadata: whole.metadata.into_owned(),
            externals: whole.externals.into_owned(),
            layout: whole.layout.into_owned(),
            ..Self::empty()
        };
        for (index, shared) in (0..).zip(whole.shared_strings.into_owned()) {
            document.names.uses(&shared.key).shared = index;
            document.shared_strings.push(shared);
        }
        for Entry { parent, class, referent, properties } in whole.instances {
            // Ids are assigned in order, so the parent must be an earlier instance.
            let parent = parent.and_then(InstanceId::new);
            if parent.is_some_and(|parent| !document.contains(parent)) {
                return Err(de::Error::custom(format_args!(
                    "the parent of an instance ({class}) is not an earlier entry of the list `instances`"
                )));
            }
            let properties = properties.into_iter().map(|(name, mut value)| {
                if let Some(bytes) = value.shared_mut() {
                    let shared = std::str::from_utf8(bytes).ok().and_then(|key| document.shared_string(key));
                    let shared = shared.ok_or_else(|| {
                        de::Error::custom(format_args!(
                            "{class}.{name}: the key of the shared string is not in the list `shared_strings`"
                        ))
                    })?;
                    *bytes = shared.bytes.clone();
                }
                Ok(Property { name, value, at: Span::default() })
            });
            let properties: Vec<_> = properties.collect::<Result<_, _>>()?;
            let mut to = properties.iter().filter_map(|property| property.value.as_instance());
            if to.any(|to| to.slot() >= count) {
                return Err(de::Error::custom(format_args!(
                    "a property of class {class} refers to an instance that is not in the list `instances`"
                )));
            }
            let instance = Instance { class, referent: referent.clone(), properties, at: Span::default() };
            document.names.insert(instance.class.clone());
            let id = document
                .append(parent, instance)
                .ok_or_else(|| de::Error::custom("expected at most 4294967293 instances"))?;
            document.twins |=
                referent.is_some_and(|referent| !document.names.name_instance(&referent, id.slot()));
        }
        Ok(document)
    }
}
