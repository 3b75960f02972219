//! A property: an element whose tag is the type, with the name of the property and its value.

use crate::consts::{TAGS, types};
use crate::model::{Document, Name, Text, Unknown, Value};
use crate::wire::component::{Inside, color, color_bytes, optional, physical};
use crate::wire::content::{self, At, font, reference, shared, uri};
use crate::wire::cx::{Cx, Read};
use crate::wire::out::Out;
use crate::wire::scalar::{binary, brick_color, capabilities, unique_id};
use crate::wire::xml::{Scanner, Tag};
use crate::wire::{number, sequence};
use geom::wire::Budget;

/// Reads the value of a property. An unknown type, and a value that does not match its type, is kept as text.
#[inline]
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let depth = cx.scanner.depth();
    (cx.reference, cx.key, cx.skipped) = (None, None, None);
    match known(cx, tag) {
        Ok(Some(value)) => Ok(value),
        Ok(None) => unknown(cx, tag, depth),
        Err(nom::Err::Error(_)) => unknown(cx, tag, depth),
        Err(limit) => Err(limit),
    }
}

/// Reads the value of an element in the form that its row in the table gives.
macro_rules! read_as {
    ($name:ident, $cx:ident, $tag:ident, text $parse:path, $write:path) => {
        Value::$name($cx.parse($parse)?)
    };
    ($name:ident, $cx:ident, $tag:ident, string $read:path, $write:path) => {
        Value::$name($read($cx)?)
    };
    ($name:ident, $cx:ident, $tag:ident, parts) => {
        Value::$name(Inside::read($cx)?)
    };
    ($name:ident, $cx:ident, $tag:ident, list) => {
        Value::$name(sequence::read($cx)?)
    };
    ($name:ident, $cx:ident, $tag:ident, own $module:ident) => {
        Value::$name($module::read($cx, $tag)?)
    };
    ($name:ident, $cx:ident, $tag:ident, value $module:ident) => {
        $module::read($cx, $tag)?
    };
}

/// Writes a value in the form that its row in the table gives.
macro_rules! write_as {
    ($value:ident, $out:ident, $at:ident, text $parse:path, $write:path) => {
        $write($out, *$value)
    };
    ($value:ident, $out:ident, $at:ident, string $read:path, $write:path) => {
        $write($out, AsRef::<[u8]>::as_ref(&**$value))
    };
    ($value:ident, $out:ident, $at:ident, parts) => {
        $value.write($out, $at.depth)
    };
    ($value:ident, $out:ident, $at:ident, list) => {
        sequence::write($out, $value)
    };
    ($value:ident, $out:ident, $at:ident, $form:ident $module:ident) => {
        $module::write($out, $value, $at)
    };
}

macro_rules! codec {
    ($($(#[$doc:meta])* $name:ident $tag:ident $(as $written:ident)?
        = $form:ident $(($($how:tt)+))?;)+) => {
        /// Reads a value by its tag; `None` if no type has the tag.
        #[inline]
        fn known<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<Value>> {
            $(if tag.name() == stringify!($tag).as_bytes() {
                return Ok(Some(read_as!($name, cx, tag, $form $($($how)+)?)));
            })+
            Ok(None)
        }

        /// Writes a property as Studio does. The caller has indented its first line.
        #[inline]
        pub(crate) fn write(out: &mut Out, name: &str, value: &Value, at: At<'_>) {
            match value {
                $(Value::$name(value) => {
                    out.raw(concat!("<", written!($tag $(as $written)?), " name=\""));
                    out.attribute(name);
                    out.raw(b"\">");
                    write_as!(value, out, at, $form $($($how)+)?);
                    out.raw(concat!("</", written!($tag $(as $written)?), ">"));
                })+
                Value::Unknown(unknown) => {
                    out.open(&unknown.tag, " name=\"", name);
                    out.raw(&unknown.xml);
                    out.close(&unknown.tag);
                }
                // Bytecode and frames with quaternions, which no edit puts into a document.
                _ => {}
            }
        }
    };
}

/// The tag of a type in the file.
macro_rules! written {
    ($tag:ident) => {
        stringify!($tag)
    };
    ($tag:ident as $written:ident) => {
        stringify!($written)
    };
}
types!(codec);

#[cold]
fn unknown<'s>(cx: &mut Cx<'s>, tag: Tag<'s>, depth: usize) -> Read<'s, Value> {
    (cx.reference, cx.key, cx.skipped) = (None, None, None);
    cx.scanner.rewind(tag, depth)?;
    // If the XML itself is malformed, this fails, too.
    cx.scanner.skip()?;
    let inside = cx.scanner.slice(tag.end()..cx.scanner.at());
    let (xml, _) = bstr::ByteSlice::rsplit_once_str(inside, "</").unwrap_or_default();
    cx.scanner.charge(tag.start(), xml.len().saturating_add(tag.name().len()))?;
    cx.scanner.charge_values::<Unknown>(tag.start(), 1)?;
    let name = cx.name(tag.start(), tag.name())?;
    Ok(Unknown { tag: name.as_str().into(), xml: xml.into() }.into())
}

/// The remedy in the error about a shared string whose key is missing or would be read back differently.
pub(crate) const NEW_KEYS: &str = "set WriteOptions::keys to compute new keys";

/// Why a written property would not be read back unchanged.
pub(crate) fn refuse(
    document: &Document,
    value: &Value,
    reference: Option<&str>,
    written: &[u8],
) -> Option<String> {
    match value {
        value if value.as_shared().is_some() => match reference {
            None => Some(format!("a shared string without a key ({NEW_KEYS})")),
            Some(key) if key.trim_ascii() != key => Some(format!(
                "a shared string whose key {key:?} begins or ends with white space ({NEW_KEYS})"
            )),
            Some(_) => None,
        },
        _ if reference.is_some_and(|name| name.trim_ascii() != name || content::is_null(name)) => {
            Some(format!(
                "a reference to an instance with the referent {:?}, which readers would trim or take as null (give \
                 the instance another referent)",
                reference.unwrap_or_default()
            ))
        }
        Value::Unknown(unknown) => {
            let mut cx = Cx::new(Scanner::new(written, Budget::new(u64::MAX), u32::MAX));
            let read = cx.scanner.child().and_then(|tag| match tag {
                Some(tag) => read(&mut cx, tag).map(|again| match &cx.key {
                    Some(key) => document.shared_string(key).is_none() && again.tag() == value.tag(),
                    None => again == *value,
                }),
                None => Ok(false),
            });
            match read {
                Ok(true) => None,
                Ok(_) if TAGS.contains(&&*unknown.tag) => Some(format!(
                    "a `Value::Unknown` of the known type {} (use the variant of that type)",
                    unknown.tag
                )),
                Ok(_) => Some(
                    "a value of an unknown type that would be read back differently (expected one name as `tag`, and \
                     the whole content of one element as `xml`)"
                        .into(),
                ),
                Err(nom::Err::Error(fail) | nom::Err::Failure(fail)) => Some(format!(
                    "a value of an unknown type whose content is not valid XML ({})",
                    fail.kind()
                )),
                Err(nom::Err::Incomplete(_)) => None,
            }
        }
        _ => None,
    }
}

/// Whether a text begins with a tag with exactly these attributes.
pub(crate) fn has_attributes(text: &[u8], attributes: &[(Name, Text)]) -> bool {
    let tag = Scanner::new(text, Budget::new(u64::MAX), u32::MAX).child();
    tag.ok().flatten().is_some_and(|tag| {
        let attributes = attributes.iter().map(|(name, value)| (name.as_bytes(), value.to_vec()));
        tag.attributes().map(|(name, value)| (name, value.into_owned())).eq(attributes)
    })
}
