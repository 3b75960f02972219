//! Assets and references: content of both types, typefaces, references, shared strings.

use bstr::BString;

use crate::model::{Content, Font, FontStyle, Text, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Tag;

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Option<Value>> {
    Ok(Some(match tag.name() {
        b"Ref" => {
            reference(cx)?;
            Value::Ref(None)
        }
        b"Content" | b"ContentId" => content(cx, tag)?,
        b"SharedString" => Value::SharedString(cx.text_name()?),
        b"NetAssetRef" => Value::NetAssetRef(cx.text_name()?),
        b"Font" => font(cx)?.into(),
        _ => return Ok(None),
    }))
}

/// Writes the content of the element; false where the value is not one of these. A reference is written as
/// the referent to which it leads.
pub(crate) fn write(out: &mut Out<'_>, depth: usize, value: &Value, reference: Option<&str>) -> bool {
    let reference = reference.unwrap_or("null").as_bytes();
    match value {
        Value::Ref(_) => out.text(reference),
        Value::ContentId(uri) if uri.is_empty() => out.raw("<null></null>"),
        Value::ContentId(uri) => element(out, "url", uri.as_ref()),
        Value::Content(content) => {
            // An empty one is told from an empty `ContentId` by the line that its element has for itself.
            match out.is_compact() {
                true => out.raw("\n"),
                false => out.line(depth.saturating_add(1)),
            }
            match content {
                Content::None => out.raw("<null></null>"),
                Content::Uri(uri) => element(out, "uri", uri.as_ref()),
                Content::Object(_) => element(out, "Ref", reference),
            }
            out.line(depth);
        }
        Value::SharedString(key) | Value::NetAssetRef(key) => out.text(key.as_bytes()),
        Value::Font(font) => write_font(out, depth, font),
        _ => return false,
    }
    true
}

fn element(out: &mut Out<'_>, tag: &str, text: &[u8]) {
    out.raw("<");
    out.raw(tag);
    out.raw(">");
    out.text(text);
    out.close(tag);
}

fn reference<'s>(cx: &mut Cx<'s>) -> Read<'s, ()> {
    let name = cx.text_name()?;
    cx.reference = Some(name).filter(|name| !is_null(name));
    Ok(())
}

/// Whether a referent means no instance.
pub(crate) fn is_null(referent: &str) -> bool {
    matches!(referent, "null" | "nil" | "")
}

fn content<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, Value> {
    let depth = cx.scanner.depth();
    let Some(child) = cx.scanner.child()? else {
        // Without an element in it: the address itself, as files made by hand have it, or nothing.
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
        (b"Ref", _) => {
            reference(cx)?;
            Value::Content(Content::Object(None))
        }
        // No program reads bytes and hashes in place of an address any more.
        (b"null" | b"binary" | b"hash", name) => {
            cx.scanner.skip()?;
            let line = cx.scanner.from(tag.end()).first().is_some_and(u8::is_ascii_whitespace);
            match name == b"Content" && line {
                true => Value::Content(Content::None),
                false => Value::ContentId(Text::default()),
            }
        }
        _ => return cx.malformed(),
    };
    while cx.scanner.child()?.is_some() {
        cx.scanner.skip()?;
    }
    Ok(value)
}

/// A typeface, which is empty in old files.
fn font<'s>(cx: &mut Cx<'s>) -> Read<'s, Font> {
    let mut font = Font { weight: 400, ..Font::default() };
    while let Some(child) = cx.scanner.child()? {
        match child.name() {
            b"Family" => font.family = asset(cx, child)?,
            b"Weight" => font.weight = cx.parse(|text| u16::try_from(number::integer(text)?).ok())?,
            b"Style" => font.style = cx.parse(style)?,
            b"CachedFaceId" => font.cached_face_id = asset(cx, child)?,
            _ => cx.scanner.skip()?,
        }
    }
    Ok(font)
}

fn asset<'s>(cx: &mut Cx<'s>, tag: Tag<'s>) -> Read<'s, BString> {
    match content(cx, tag)? {
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

fn write_font(out: &mut Out<'_>, depth: usize, font: &Font) {
    let inner = depth.saturating_add(1);
    let asset = |out: &mut Out<'_>, tag: &str, uri: &[u8]| {
        out.line(inner);
        out.raw("<");
        out.raw(tag);
        out.raw(">");
        match uri.is_empty() {
            true => out.raw("<null></null>"),
            false => element(out, "url", uri),
        }
        out.close(tag);
    };
    asset(out, "Family", &font.family);
    out.line(inner);
    out.raw("<Weight>");
    out.integer(font.weight);
    out.raw("</Weight>");
    out.line(inner);
    out.raw("<Style>");
    match font.style {
        FontStyle::NORMAL => out.raw("Normal"),
        FontStyle::ITALIC => out.raw("Italic"),
        FontStyle(other) => out.integer(other),
    }
    out.raw("</Style>");
    if !font.cached_face_id.is_empty() {
        asset(out, "CachedFaceId", &font.cached_face_id);
    }
    out.line(depth);
}
