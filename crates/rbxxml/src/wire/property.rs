//! A property: an element named after its type, with the property's name and a value.

use crate::error::ErrorKind;
use crate::limits::Budget;
use crate::model::{Name, Text, Unknown, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::out::{Illegal, Out};
use crate::wire::xml::{Scanner, Tag};
use crate::wire::{component, content, scalar, sequence};

/// Reads the value of a property. A type that is not known, and a value that is not of its type's form, is
/// kept as text.
#[inline]
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let depth = cx.scanner.depth();
    cx.reference = None;
    match known(cx, tag) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => unknown(cx, tag, depth),
        Err(nom::Err::Error(fail) | nom::Err::Failure(fail))
            if !matches!(fail.kind(), ErrorKind::Limit(_)) =>
        {
            unknown(cx, tag, depth)
        }
        Err(error) => Err(error),
    }
}

#[inline]
fn known<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<Value>> {
    if let Some(value) = scalar::read(cx, tag.name())? {
        return Ok(Some(value));
    }
    if let Some(value) = component::read(cx, tag)? {
        return Ok(Some(value));
    }
    if let Some(value) = content::read(cx, tag)? {
        return Ok(Some(value));
    }
    sequence::read(cx, tag.name())
}

#[cold]
fn unknown<'s>(cx: &mut Cx<'s>, tag: Tag<'s>, depth: usize) -> Read<'s, Value> {
    cx.reference = None;
    cx.scanner.rewind(tag, depth)?;
    // Where the XML itself is malformed, it is so here too.
    cx.scanner.skip()?;
    let inside = cx.scanner.slice(tag.end()..cx.scanner.at());
    let xml = inside.get(..bstr::ByteSlice::rfind(inside, b"</").unwrap_or(0)).unwrap_or_default();
    cx.scanner.charge(tag.start(), xml.len().saturating_add(size_of::<Unknown>()))?;
    let name = cx.name(tag.start(), tag.name())?;
    Ok(Value::Unknown(Box::new(Unknown { tag: name, xml: xml.into() })))
}

/// Writes a property as Studio does, its first line indented by so many levels already. `reference` is the
/// referent to which the value leads.
#[inline]
pub(crate) fn write(out: &mut Out<'_>, depth: usize, name: &str, value: &Value, reference: Option<&str>) {
    if let Value::Unknown(unknown) = value {
        out.open(&unknown.tag, " name=\"", name);
        out.raw(&unknown.xml);
        out.close(&unknown.tag);
    } else if let Some((open, close)) = value.element() {
        out.raw(open);
        out.attribute(name);
        out.raw(b"\">");
        let _one_of_them = scalar::write(out, value)
            || component::write(out, depth, value)
            || content::write(out, depth, value, reference)
            || sequence::write(out, value);
        out.raw(close);
    }
}

/// Why a property that was written would not be read as it is.
pub(crate) fn refuse(value: &Value, reference: Option<&str>, written: &[u8]) -> Option<String> {
    match value {
        _ if reference.is_some_and(|name| name.trim_ascii() != name || content::is_null(name)) => {
            Some("a reference to an instance whose referent has white space around it or means null".into())
        }
        value if value.as_shared_key().is_some_and(|key| key.trim_ascii() != &**key) => {
            Some("a key with white space around it".into())
        }
        Value::Unknown(_) => {
            let mut cx = Cx::new(Scanner::new(written, Budget::new(u64::MAX), u32::MAX));
            let read = cx.scanner.child().and_then(|tag| match tag {
                Some(tag) => read(&mut cx, tag).map(|again| again == *value),
                None => Ok(false),
            });
            match read {
                Ok(true) if cx.scanner.at() == written.len() => None,
                Ok(_) => Some("an unknown type, since it would be read as something else".into()),
                Err(nom::Err::Error(fail) | nom::Err::Failure(fail)) => {
                    Some(format!("an unknown type whose text is not XML ({})", fail.kind()))
                }
                Err(nom::Err::Incomplete(_)) => None,
            }
        }
        _ => None,
    }
}

/// What XML cannot represent, for an error.
pub(crate) fn illegal(what: Illegal) -> String {
    match what {
        Illegal::Character(code) => {
            format!("U+{code:04X}, which XML cannot represent (WriteOptions::illegal allows it)")
        }
        Illegal::Byte(byte) => {
            format!("byte {byte:#04x}, which is not UTF-8 (WriteOptions::illegal allows it)")
        }
    }
}

/// Whether a text begins with a tag that has just these attributes.
pub(crate) fn has_attributes(text: &[u8], attributes: &[(Name, Text)]) -> bool {
    let tag = Scanner::new(text, Budget::new(u64::MAX), u32::MAX).child();
    tag.ok().flatten().is_some_and(|tag| {
        let attributes = attributes.iter().map(|(name, value)| (name.as_bytes(), value.to_vec()));
        tag.attributes().map(|(name, value)| (name, value.into_owned())).eq(attributes)
    })
}
