//! Assets and what points to something: content of both kinds, typefaces, references, shared strings.

use bstr::BString;

use crate::model::{Content, Font, FontStyle, Name, Text, Value};
use crate::wire::cx::{Cx, Read};
use crate::wire::fail::At as _;
use crate::wire::number;
use crate::wire::out::Out;
use crate::wire::xml::Element;

/// Reads a value of the given tag, `None` where it is not one of these.
pub(crate) fn read<'s>(cx: &mut Cx<'s>, tag: &str, element: Element<'_, '_>) -> Read<'s, Option<Value>> {
    Ok(Some(match tag {
        "Ref" => Value::Ref(reference(cx, element)?),
        "Content" | "ContentId" => content(cx, tag, element)?,
        "SharedString" => Value::SharedString(key(cx, element)?),
        "NetAssetRef" => Value::NetAssetRef(key(cx, element)?),
        "Font" => font(cx, element)?.into(),
        _ => return Ok(None),
    }))
}

/// Writes what stands between the tags; false where the value is not one of these.
pub(crate) fn write(out: &mut Out, depth: usize, value: &Value) -> bool {
    match value {
        Value::Ref(None) => out.raw("null"),
        Value::Ref(Some(name)) => out.text(name.as_bytes()),
        Value::ContentId(uri) if uri.is_empty() => out.raw("<null></null>"),
        Value::ContentId(uri) => element(out, "url", uri.as_ref()),
        Value::Content(content) => {
            // This kind has its element on a line of its own, which tells an empty one from the other.
            match out.is_compact() {
                true => out.raw("\n"),
                false => out.line(depth.saturating_add(1)),
            }
            match content {
                Content::None => out.raw("<null></null>"),
                Content::Uri(uri) => element(out, "uri", uri.as_ref()),
                Content::Object(name) => element(out, "Ref", name.as_deref().unwrap_or("null").as_bytes()),
            }
            out.line(depth);
        }
        Value::SharedString(key) | Value::NetAssetRef(key) => out.text(key.as_bytes()),
        Value::Font(font) => write_font(out, depth, font),
        _ => return false,
    }
    true
}

fn element(out: &mut Out, tag: &str, text: &[u8]) {
    out.raw("<");
    out.raw(tag);
    out.raw(">");
    out.text(text);
    out.close(tag);
}

/// A referent; `null`, `nil` and nothing are none.
fn reference<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Option<Name>> {
    let text = cx.text(element)?;
    match text.trim_ascii() {
        "null" | "nil" | "" => Ok(None),
        name => cx.name(element, name).map(Some),
    }
}

fn key<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Name> {
    let text = cx.text(element)?;
    cx.name(element, text.trim_ascii())
}

fn content<'s>(cx: &mut Cx<'s>, tag: &str, element: Element<'_, '_>) -> Read<'s, Value> {
    let Some(child) = element.first() else {
        // Without an element in it: the address itself, as hand-made files have it, or nothing.
        let text = cx.text(element)?;
        let uri = cx.source.value(text.trim_ascii());
        cx.charge(element, uri.len())?;
        return Ok(Value::ContentId(uri));
    };
    Ok(match child.name() {
        "url" => Value::ContentId(cx.value(child).field("url")?),
        "uri" => match tag {
            "ContentId" => Value::ContentId(cx.value(child).field("uri")?),
            _ => Value::Content(Content::Uri(cx.value(child).field("uri")?)),
        },
        "Ref" => Value::Content(Content::Object(reference(cx, child).field("Ref")?)),
        // Bytes and hashes in place of an address are no longer read by anybody.
        "null" | "binary" | "hash" => match tag == "Content" && begins_with_space(cx, element) {
            true => Value::Content(Content::None),
            false => Value::ContentId(Text::default()),
        },
        other => {
            return Err(cx.invalid(child, format!("<{}> is no kind of content", cx.source.shown(other))));
        }
    })
}

/// Whether white space is the first thing in an element.
fn begins_with_space(cx: &Cx<'_>, element: Element<'_, '_>) -> bool {
    cx.at(element.tag().end()).first().is_some_and(u8::is_ascii_whitespace)
}

/// A typeface; old files hold an empty one.
fn font<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, Font> {
    let mut font = Font { weight: 400, ..Font::default() };
    for child in element.elements() {
        match child.name() {
            "Family" => font.family = asset(cx, child).field("Family")?,
            "Weight" => {
                let weight = |text: &[u8]| u16::try_from(number::whole(text)?).ok();
                font.weight = cx.parse(child, weight, "a whole number of 16 bits").field("Weight")?;
            }
            "Style" => font.style = cx.parse(child, style, "Normal or Italic").field("Style")?,
            "CachedFaceId" => font.cached_face_id = asset(cx, child).field("CachedFaceId")?,
            _ => {}
        }
    }
    Ok(font)
}

fn asset<'s>(cx: &mut Cx<'s>, element: Element<'_, '_>) -> Read<'s, BString> {
    match content(cx, "ContentId", element)? {
        Value::ContentId(uri) => Ok(uri.into()),
        _ => Err(cx.invalid(element, "expected the address of an asset")),
    }
}

fn style(text: &[u8]) -> Option<FontStyle> {
    match number::trim(text) {
        text if text.eq_ignore_ascii_case(b"Normal") => Some(FontStyle::NORMAL),
        text if text.eq_ignore_ascii_case(b"Italic") => Some(FontStyle::ITALIC),
        text => u8::try_from(number::whole(text)?).ok().map(FontStyle),
    }
}

fn write_font(out: &mut Out, depth: usize, font: &Font) {
    let inner = depth.saturating_add(1);
    let asset = |out: &mut Out, tag: &str, uri: &[u8]| {
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
    out.whole(font.weight);
    out.raw("</Weight>");
    out.line(inner);
    out.raw("<Style>");
    match font.style {
        FontStyle::NORMAL => out.raw("Normal"),
        FontStyle::ITALIC => out.raw("Italic"),
        FontStyle(other) => out.whole(other),
    }
    out.raw("</Style>");
    if !font.cached_face_id.is_empty() {
        asset(out, "CachedFaceId", &font.cached_face_id);
    }
    out.line(depth);
}
