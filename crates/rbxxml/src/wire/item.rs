//! The tags of items, metadata, externals and shared strings.

use crate::model::{Item, Metadata, SharedString};
use crate::wire::out::Out;

/// The start tag of an item.
pub(crate) fn start(out: &mut Out, item: &Item) {
    out.raw("<Item class=\"");
    out.attribute(item.class.as_bytes());
    if let Some(referent) = &item.referent {
        out.raw("\" referent=\"");
        out.attribute(referent.as_bytes());
    }
    out.raw("\">");
}

/// A key and a value about the document.
pub(crate) fn metadata(out: &mut Out, metadata: &Metadata) {
    out.open("Meta", &metadata.key);
    out.text(metadata.value.as_ref());
    out.close("Meta");
}

pub(crate) fn external(out: &mut Out, external: &[u8]) {
    out.raw("<External>");
    out.text(external);
    out.close("External");
}

/// A shared string where it is defined.
pub(crate) fn shared_string(out: &mut Out, shared: &SharedString) {
    out.raw("<SharedString md5=\"");
    out.attribute(shared.key.as_bytes());
    out.raw("\">");
    out.base64(shared.bytes.as_ref(), false);
    out.close("SharedString");
}

/// What an item is called in errors: its class, and its referent where it has one.
pub(crate) fn path(class: &str, referent: Option<&str>) -> String {
    match referent {
        Some(referent) => format!("{class}[{referent}]"),
        None => class.to_owned(),
    }
}
