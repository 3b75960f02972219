//! Texts that XML can represent.

use rbxcore::classes::stored_kind;
use rbxcore::{Content, Kind, Value};

/// A text in which bytes that are not UTF-8 and characters that XML 1.0 forbids are replaced; `None` if it contains
/// none.
pub(crate) fn in_xml(text: &[u8]) -> Option<String> {
    let is_illegal = |char: char| {
        char < ' ' && !matches!(char, '\t' | '\n' | '\r') || matches!(char, '\u{fffe}' | '\u{ffff}')
    };
    match std::str::from_utf8(text) {
        Ok(text) if !text.contains(is_illegal) => None,
        _ => Some(String::from_utf8_lossy(text).replace(is_illegal, "\u{fffd}")),
    }
}

/// A value with its text changed to one that XML can represent; `None` if XML can represent the value.
pub(crate) fn value_in_xml(class: &str, property: &str, value: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => {
            let new = in_xml(text)?;
            // Properties with bytes, and unknown properties, are written as Base64.
            let is_text = stored_kind(class, property).is_some_and(|kind| kind != Kind::BinaryString);
            is_text.then(|| Value::String(new.into()))?
        }
        Value::Content(Content::Uri(uri)) => Value::Content(Content::Uri(in_xml(uri)?.into())),
        Value::Font(font) => {
            let (family, face) = (in_xml(&font.family), in_xml(&font.cached_face_id));
            if family.is_none() && face.is_none() {
                return None;
            }
            let mut font = font.clone();
            font.family = family.map_or(font.family, Into::into);
            font.cached_face_id = face.map_or(font.cached_face_id, Into::into);
            Value::Font(font)
        }
        _ => return None,
    })
}
