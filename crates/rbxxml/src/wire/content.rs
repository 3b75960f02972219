//! Values that refer to something: content of both types, typefaces, references and shared strings.

use bstr::BString;

use crate::model::{Content, Font, FontStyle, InstanceId, SharedBytes, Text, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Tag;

/// The context in which a value is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    /// The depth to which the line of the element is indented.
    pub(crate) depth: usize,
    /// The referent or the key of the value's target.
    pub(crate) reference: Option<&'a str>,
}

impl<'a> At<'a> {
    /// The text of a reference.
    fn referent(self) -> &'a [u8] {
        self.reference.unwrap_or("null").as_bytes()
    }
}

/// Whether a referent means null.
pub(crate) fn is_null(referent: &str) -> bool {
    matches!(referent, "null" | "nil" | "")
}

/// A reference. Its target is known only when all instances have been read.
pub(crate) mod reference {
    use super::*;

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, _: Tag<'s>) -> Read<'s, Option<InstanceId>> {
        let name = cx.text_name()?;
        cx.reference = Some(name).filter(|name| !is_null(name));
        Ok(None)
    }

    pub(crate) fn write(out: &mut Out, _: &Option<InstanceId>, at: At<'_>) {
        out.text(at.referent());
    }
}

/// A shared string, by its key. Its bytes are known only when all shared strings have been read.
pub(crate) mod shared {
    use super::*;

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, _: Tag<'s>) -> Read<'s, SharedBytes> {
        cx.key = Some(cx.text_name()?);
        Ok(cx.no_bytes.clone())
    }

    pub(crate) fn write(out: &mut Out, _: &SharedBytes, at: At<'_>) {
        out.text(at.reference.unwrap_or_default().as_bytes());
    }
}

fn element(out: &mut Out, tag: &str, text: &[u8]) {
    out.raw("<");
    out.raw(tag);
    out.raw(">");
    out.text(text);
    out.close(tag);
}

/// Reads content of either type: since Studio writes both with the tag `Content`, the child element decides.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let depth = cx.scanner.depth();
    let Some(child) = cx.scanner.child()? else {
        // The element has no child: it contains the address itself, as in hand-written files, or nothing.
        cx.scanner.rewind(tag, depth)?;
        return cx.scanner.text(|scanner, text| {
            let uri = text.trim_ascii();
            scanner.charge(scanner.at(), uri.len())?;
            Ok(Value::ContentId(uri.into()))
        });
    };
    let value = match (child.name(), tag.name()) {
        (b"url", _) | (b"uri", b"ContentId") => Value::ContentId(cx.value()?),
        (b"uri", _) => Value::Content(Content::Uri(cx.value()?)),
        (b"Ref", _) => Value::Content(Content::Object(reference::read(cx, child)?)),
        // No program still reads bytes or hashes instead of an address, so they are read as an empty address.
        (b"null" | b"binary" | b"hash", name) => {
            cx.scanner.skip()?;
            let inside = cx.scanner.slice(child.end()..cx.scanner.at());
            if !inside.is_empty() && !inside.trim_ascii_start().starts_with(b"</") {
                cx.skipped = Some(child.name());
            }
            let line = cx.scanner.from(tag.end()).first().is_some_and(u8::is_ascii_whitespace);
            match name == b"Content" && line {
                true => Value::Content(Content::None),
                false => Value::ContentId(Text::default()),
            }
        }
        _ => return cx.malformed(),
    };
    while let Some(other) = cx.scanner.child()? {
        cx.skip(other)?;
    }
    Ok(value)
}

pub(crate) fn write(out: &mut Out, content: &Content, at: At<'_>) {
    // An empty `Content` differs from an empty `ContentId` in that its child is on a line of its own.
    match out.is_compact() {
        true => out.raw("\n"),
        false => out.line(Out::inner(at.depth)),
    }
    match content {
        Content::None => out.raw("<null></null>"),
        Content::Uri(uri) => element(out, "uri", uri.as_ref()),
        Content::Object(_) => element(out, "Ref", at.referent()),
    }
    out.line(at.depth);
}

/// Content of the older type.
pub(crate) mod uri {
    pub(crate) use super::read;
    use super::*;

    pub(crate) fn write(out: &mut Out, uri: &Text, _: At<'_>) {
        address(out, uri.as_ref());
    }
}

/// An address, which may be empty.
fn address(out: &mut Out, uri: &[u8]) {
    match uri.is_empty() {
        true => out.raw("<null></null>"),
        false => element(out, "url", uri),
    }
}

/// A typeface, which is empty in old files.
pub(crate) mod font {
    use super::*;

    pub(crate) fn read<'s>(cx: &mut Cx<'s>, _: Tag<'s>) -> Read<'s, Box<Font>> {
        let mut font = Font { weight: 400, ..Font::default() };
        while let Some(child) = cx.scanner.child()? {
            match child.name() {
                b"Family" => font.family = asset(cx, child)?,
                b"Weight" => font.weight = cx.parse(|text| u16::try_from(number::integer(text)?).ok())?,
                b"Style" => font.style = cx.parse(style)?,
                b"CachedFaceId" => font.cached_face_id = asset(cx, child)?,
                _ => cx.skip(child)?,
            }
        }
        cx.boxed(font)
    }

    fn asset<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, BString> {
        match super::read(cx, tag)? {
            Value::ContentId(uri) | Value::Content(Content::Uri(uri)) => Ok(uri.into()),
            _ => cx.malformed(),
        }
    }

    fn style(text: &[u8]) -> Option<FontStyle> {
        match text.trim_ascii() {
            text if text.eq_ignore_ascii_case(b"Normal") => Some(FontStyle::NORMAL),
            text if text.eq_ignore_ascii_case(b"Italic") => Some(FontStyle::ITALIC),
            text => u8::try_from(number::integer(text)?).ok().map(FontStyle),
        }
    }

    pub(crate) fn write(out: &mut Out, font: &Font, At { depth, .. }: At<'_>) {
        let part = |out: &mut Out, tag: &str, write: &dyn Fn(&mut Out)| {
            out.line(Out::inner(depth));
            out.raw("<");
            out.raw(tag);
            out.raw(">");
            write(out);
            out.close(tag);
        };
        part(out, "Family", &|out| address(out, &font.family));
        part(out, "Weight", &|out| out.integer(font.weight));
        part(out, "Style", &|out| match font.style {
            FontStyle::NORMAL => out.raw("Normal"),
            FontStyle::ITALIC => out.raw("Italic"),
            FontStyle(other) => out.integer(other),
        });
        if !font.cached_face_id.is_empty() {
            part(out, "CachedFaceId", &|out| address(out, &font.cached_face_id));
        }
        out.line(depth);
    }
}
