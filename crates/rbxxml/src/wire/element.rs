//! The tags of instances, metadata, externals and shared strings, and how a file is indented.

use bstr::{BString, ByteSlice as _};

use crate::model::{External, Metadata, Name, SharedString, Text};
use crate::wire::out::Out;

/// Writes the start tag of the element `roblox`.
pub(crate) fn roblox(out: &mut Out, attributes: &[(Name, Text)]) {
    out.raw("<roblox");
    for (name, value) in attributes {
        out.raw(" ");
        out.raw(name.as_bytes());
        out.raw("=\"");
        out.attribute(value);
        out.raw("\"");
    }
    out.raw(">");
}

/// Writes the start tag of an instance.
pub(crate) fn instance(out: &mut Out, class: &str, referent: Option<&str>) {
    out.raw("<Item class=\"");
    out.attribute(class);
    if let Some(referent) = referent {
        out.raw("\" referent=\"");
        out.attribute(referent);
    }
    out.raw("\">");
}

pub(crate) fn metadata(out: &mut Out, metadata: &Metadata) {
    out.open("Meta", " name=\"", &metadata.key);
    out.text(metadata.value.as_ref());
    out.close("Meta");
}

pub(crate) fn external(out: &mut Out, external: &External) {
    out.raw("<External>");
    out.text(external.value.as_ref());
    out.close("External");
}

pub(crate) fn shared_string(out: &mut Out, shared: &SharedString) {
    out.open("SharedString", " md5=\"", shared.key());
    out.base64(shared.bytes(), false);
    out.close("SharedString");
}

/// The line end and the indentation, from the text between two tags, the second of which is one level deeper. `None` if
/// the text is not a line end and an indentation.
pub(crate) fn style(gap: &[u8]) -> Option<(BString, BString)> {
    if gap.is_empty() {
        return Some((BString::default(), BString::default()));
    }
    let (lines, indent) = gap.rsplit_once_str("\n")?;
    let newline: &[u8] = if lines.ends_with(b"\r") { b"\r\n" } else { b"\n" };
    is_indent(indent).then(|| (newline.into(), indent.into()))
}

/// Whether a text consists of spaces and tabs.
pub(crate) fn is_indent(text: &[u8]) -> bool {
    text.iter().all(|byte| b" \t".contains(byte))
}
