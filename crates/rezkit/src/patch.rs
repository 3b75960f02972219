//! Patches: the differences of two documents as edits that make the second of the first.

use serde_json::Value as Json;

use crate::tree::Reordered;
use rezkit_core::{Error, plain};

/// A step of a patch. Each path is the one at this step, after those before it.
///
/// As JSON, the field `change` is the name of the step in lower case.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "change", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Step {
    /// An instance is added after the children of its parent, or a value at its path, with everything below it.
    Added {
        /// Its path then.
        path: String,
        /// The path of its parent; empty for the root.
        parent: String,
        /// Its class or type.
        node: String,
        /// A model or LLSD as XML; `{"base64": …}` in the binary form if XML cannot represent it.
        model: Json,
    },
    /// An instance or a value is removed with everything below it.
    Removed {
        /// Its path.
        path: String,
        /// Its class or type.
        node: String,
        /// A hash of what it and everything below it are like. The step is refused if the document has something else there,
        /// unless this is `None`: the field is missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
    },
    /// An instance becomes the last child of another parent.
    Moved {
        /// Its path.
        path: String,
        /// The path of the new parent before the move; empty for the root.
        parent: String,
        /// The path of the instance then.
        to: String,
    },
    /// A value is set.
    Changed {
        /// The path of the instance, a dot and the stored name of the property; for metadata of the document, a dot and
        /// the key; the path of a value of LLSD.
        path: String,
        /// The type of the value.
        #[serde(rename = "type")]
        kind: String,
        /// The value before, as [`Value::to_json`](crate::tree::Value::to_json); null if it was not stored. The step is
        /// refused if the document has neither this nor the new value, unless this is `None`: the field is missing.
        #[serde(default, deserialize_with = "present")]
        old: Option<Json>,
        /// The value after; null if it is not stored then (a binary document stores the default of the class).
        new: Json,
        /// The bytes in base64, if `new` is decoded from them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<String>,
        /// The value as `set` takes it, if JSON has no such number; a value of LLSD as LLSD in XML.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Instances of a class that do not store a property store this value: what a binary document fills in where one
    /// instance gets the property.
    Filled {
        /// A dot and the stored name of the property.
        path: String,
        /// The class.
        node: String,
        /// The number of instances.
        instances: usize,
        /// The type of the value.
        #[serde(rename = "type")]
        kind: String,
        /// The value, as [`Value::to_json`](crate::tree::Value::to_json).
        new: Json,
        /// The bytes in base64, if `new` is decoded from them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<String>,
        /// The value as `set` takes it, if JSON has no such number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Children change their places; all others keep their order.
    Reordered {
        /// The parent; empty for the root.
        path: String,
        /// The children.
        order: Vec<Reordered>,
    },
}

/// A field that is there, also if it is null.
fn present<'de, D: serde::Deserializer<'de>>(field: D) -> Result<Option<Json>, D::Error> {
    serde::Deserialize::deserialize(field).map(Some)
}

/// The error of a step that removes something else than it expects.
pub(crate) fn other_content() -> Error {
    Error::argument(
        "the patch removes something else than the document has here, so it was made for another version (--force, or the \
         option any_old, applies it anyway)",
    )
}

/// The error of a step that expects another value than the document has.
pub(crate) fn other_value(expected: &Json, found: &Json) -> Error {
    let text = |value: &Json| plain::shorten(&value.to_string(), 80).to_string();
    Error::argument(format!(
        "the patch expects {}, found {}, so it was made for another version (--force, or the option any_old, applies it \
         anyway)",
        text(expected),
        text(found)
    ))
}
