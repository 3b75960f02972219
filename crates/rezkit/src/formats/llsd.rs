//! LLSD in its three encodings, and as JSON.

use std::borrow::Cow;

use ::llsd::{Document, Encoding, Event, Header, Value};
use bstr::ByteSlice as _;
use rbxcore::plain::{float_text, is_in_range};

use super::llsd_json;
use crate::exact::{encoding_name, read_llsd};
use crate::fact::Fact;
use crate::file_type::{Asset, FileType, Has, ReadAsset, equal, no_form, read_model, same_type};
use crate::options::{ReadOptions, WriteOptions};
use crate::tree::{self, Children, Node, Written};
use rezkit_core::plain::unmarked;
use rezkit_core::{Budget, Counted, Error, Finding, Loss, Result};

/// The name of the form JSON, which is no encoding of LLSD itself.
const AS_JSON: &str = "json";

pub(super) const BINARY: FileType = FileType {
    extensions: &["llsd"],
    forms: &["binary"],
    becomes: &["llsd-xml", "llsd-notation", "llsd-json"],
    has_geometry: false,
    has: Has { llsd: true, editable_values: true, ..Has::NONE },
    read_as: Some(|_, bytes, options, _, _| read_as(bytes, options, Encoding::Binary)),
    ..FileType::exact(
        ["llsd-binary", "llsd", "LLSD"],
        || ::llsd::errors::RULES.to_vec(),
        |bytes| detect(bytes, Encoding::Binary),
        read_model::<Document>,
    )
};

pub(super) const XML: FileType = FileType {
    name: "llsd-xml",
    extensions: &["xml", "llsd"],
    forms: &["xml"],
    becomes: &["llsd-binary", "llsd-notation", "llsd-json"],
    detect: |bytes| detect(bytes, Encoding::Xml),
    read_as: Some(|_, bytes, options, _, _| read_as(bytes, options, Encoding::Xml)),
    ..BINARY
};

pub(super) const NOTATION: FileType = FileType {
    name: "llsd-notation",
    extensions: &["llsd"],
    forms: &["notation"],
    becomes: &["llsd-binary", "llsd-xml", "llsd-json"],
    detect: |bytes| detect(bytes, Encoding::Notation).or_else(|| bare_notation(bytes)),
    // Lists of texts, of `true` and `false`, and of 1 and 0 are both notation and JSON.
    fits_name: is_notation,
    read_as: Some(|_, bytes, options, _, _| read_as(bytes, options, Encoding::Notation)),
    ..BINARY
};

/// LLSD written as JSON. It is recognized by its name and by a value that JSON has no type for; any other JSON is read as
/// LLSD only if that is asked for.
pub(super) const JSON: FileType = FileType {
    name: "llsd-json",
    extensions: &["json"],
    forms: &[AS_JSON],
    becomes: &["llsd-binary", "llsd-xml", "llsd-notation"],
    detect: |_| None,
    fits_name: |bytes| {
        let names =
            [&b"\"$real\""[..], b"\"$uuid\"", b"\"$date\"", b"\"$uri\"", b"\"$binary\"", b"\"$string\""];
        names.iter().any(|name| bytes.contains_str(name))
    },
    read: Some(|_, bytes, options, _, _| read_json(bytes, options)),
    read_as: Some(|_, bytes, options, _, _| read_json(bytes, options)),
    ..BINARY
};

fn detect(bytes: &[u8], wanted: Encoding) -> Option<String> {
    ::llsd::detect(bytes)
        .filter(|encoding| *encoding == wanted)
        .map(|encoding| encoding_name(encoding).to_owned())
}

/// Detects notation without a header that is not JSON.
fn bare_notation(bytes: &[u8]) -> Option<String> {
    let is_json = || serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    (is_notation(bytes) && !is_json()).then(|| encoding_name(Encoding::Notation).to_owned())
}

/// Whether bytes are notation without a header: a map or an array whose first values a strict reader accepts.
fn is_notation(bytes: &[u8]) -> bool {
    /// The number of first bytes that identify a file.
    const HEAD: usize = 1 << 16;
    let text = bytes.trim_ascii_start();
    let head = text.get(..HEAD).unwrap_or(text);
    let (Some(b'{' | b'['), Ok(mut events)) =
        (text.first(), ::llsd::ReadOptions::new().strict(true).events(head))
    else {
        return false;
    };
    for read in 0..64 {
        match events.next_event() {
            Ok(Some(_)) => {}
            Ok(None) => break,
            // The end of the given bytes, or of a file that was cut short.
            Err(error) if read > 1 && matches!(error.kind(), ::llsd::errors::ErrorKind::UnexpectedEnd) => {
                break;
            }
            Err(_) => return false,
        }
    }
    true
}

fn read_as(bytes: &[u8], options: &ReadOptions, encoding: Encoding) -> Result<ReadAsset> {
    let options = ::llsd::ReadOptions::new().max_bytes(options.max_bytes).encoding(encoding);
    let (document, held) = read_llsd(bytes, &options)?;
    Ok((Box::new(document), held))
}

pub(super) fn read_json(bytes: &[u8], options: &ReadOptions) -> Result<ReadAsset> {
    let bytes = unmarked(bytes);
    let (value, held) = llsd_json::read(bytes, options.max_bytes)?;
    Ok((Box::new(Json(Document::new(value, Encoding::Xml))), held))
}

/// LLSD that was read as JSON, and is written as JSON.
#[derive(Clone, Debug)]
pub struct Json(pub Document);

impl Asset for Json {
    fn file_type(&self) -> &'static FileType {
        &JSON
    }

    fn version(&self) -> String {
        AS_JSON.to_owned()
    }

    fn describe(&self, options: &ReadOptions) -> Vec<Fact> {
        self.0.describe(options)
    }

    fn tree(&self, options: &ReadOptions) -> Box<dyn Node + '_> {
        self.0.tree(options)
    }

    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Vec<Loss>> {
        Asset::set(&mut self.0, path, value, kind, options)
    }

    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        self.0.replace_texts(replace)
    }

    fn check(&self) -> Vec<Finding> {
        Asset::check(&self.0)
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        match &options.form {
            Some(_) => Asset::write(&self.0, options),
            None => llsd_json::write(&self.0.value, options),
        }
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        match (same_type::<Self>(other), same_type::<Document>(other)) {
            (Some(Self(other)), _) | (None, Some(other)) => self.0.value.identical(&other.value),
            (None, None) => false,
        }
    }
}

impl Asset for Document {
    fn file_type(&self) -> &'static FileType {
        match self.layout.encoding() {
            Encoding::Binary => &BINARY,
            Encoding::Xml => &XML,
            Encoding::Notation => &NOTATION,
        }
    }

    fn version(&self) -> String {
        encoding_name(self.layout.encoding()).to_owned()
    }

    fn describe(&self, _: &ReadOptions) -> Vec<Fact> {
        let mut facts = vec![Fact::count("values", values(&self.value))];
        facts.extend(Fact::text("root", self.value.type_name()));
        if let Value::Map(map) = &self.value {
            facts.extend(Fact::names(
                "keys",
                map.iter().map(|(key, _)| String::from_utf8_lossy(key.as_bytes())),
            ));
        }
        facts
    }

    fn tree(&self, _: &ReadOptions) -> Box<dyn Node + '_> {
        Box::new(Entry { name: "".into(), value: &self.value })
    }

    fn set(
        &mut self,
        path: &str,
        value: &str,
        kind: Option<&str>,
        options: &ReadOptions,
    ) -> Result<Vec<Loss>> {
        let steps = tree::parse(path)?;
        // The bytes of a file: those of a binary value, otherwise a text.
        let bytes = (kind == Some(BASE64)).then(|| decoded(value)).transpose()?;
        let text = bytes.as_deref().map(std::str::from_utf8).transpose();
        let (value, kind) = match (&bytes, &text) {
            (None, _) => (value, kind),
            (Some(_), Ok(text)) => (text.unwrap_or_default(), None),
            (Some(_), Err(_)) => ("", None),
        };
        let named = kind.map(|kind| parse(value, kind)).transpose()?;
        let mut found = Some(&mut self.value);
        for (index, (name, nth)) in steps.iter().enumerate() {
            let is_new = named.is_some() && index + 1 == steps.len() && *nth == 0;
            found = match found {
                Some(Value::Array(values)) if *nth == 0 => {
                    let index: Option<usize> = name.parse().ok();
                    if is_new && index == Some(values.len()) {
                        values.push(Value::Undef);
                    }
                    index.and_then(|index| values.get_mut(index))
                }
                Some(Value::Map(map)) => {
                    if is_new && !map.contains_key(name) {
                        map.push(name.as_str(), Value::Undef);
                    }
                    let mut named = map.iter_mut().filter(|(key, _)| *key == name.as_str());
                    named.nth(*nth).map(|(_, value)| value)
                }
                _ => None,
            };
        }
        let Some(slot) = found else {
            let tree = self.tree(options);
            let missing = tree::nothing(&*tree, path);
            let is_key = steps.last().is_some_and(|(_, nth)| *nth == 0);
            let (mut is_new, mut length) = (false, None);
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            tree::with_node(&*tree, above, &mut |node| {
                is_new = named.is_none() && is_key && node.kind() == "map";
                length = node.is_list().then(|| node.count());
            })?;
            let advice = match (is_new, length) {
                (true, _) => "to add the key, set its type, `--type`".to_owned(),
                (_, Some(count)) => format!(
                    "the array has {}; to add one, use the index {count} and set its type, `--type`",
                    Counted::new(count, "values")
                ),
                _ => return Err(missing),
            };
            return Err(Error::argument(format!("{missing} ({advice})")).first_at(path));
        };
        *slot = match (named, &*slot) {
            (Some(named), _) => named,
            (None, Value::Binary(_)) if bytes.is_some() => Value::from(bytes.unwrap_or_default()),
            (None, _) if text.is_err() => {
                return Err(Error::argument("expected text, found bytes that are not UTF-8").at(path));
            }
            (None, Value::Undef | Value::Array(_) | Value::Map(_)) => {
                let what = format!(
                    "the current value is of type {}, so the type of the new value is unknown (set it with \
                     `--type`)",
                    slot.type_name()
                );
                return Err(Error::argument(what).at(path));
            }
            (None, _) => parse(value, slot.type_name())?,
        };
        Ok(Vec::new())
    }

    fn replace_texts(&mut self, replace: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<usize> {
        let mut count = 0;
        let mut waiting = vec![&mut self.value];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(values) => waiting.extend(values.iter_mut()),
                Value::Map(map) => waiting.extend(map.iter_mut().map(|(_, value)| value)),
                Value::String(text) => {
                    if let Some(new) = replace(text.as_bytes()) {
                        *text = bstr::BString::from(new).into();
                        count += 1;
                    }
                }
                Value::Uri(uri) => {
                    if let Some(new) = replace(uri.0.as_bytes()) {
                        uri.0 = bstr::BString::from(new).into();
                        count += 1;
                    }
                }
                Value::Uuid(uuid) => {
                    let new = replace(uuid.to_string().as_bytes());
                    if let Some(new) = new.and_then(|new| std::str::from_utf8(&new).ok()?.parse().ok()) {
                        *uuid = new;
                        count += 1;
                    }
                }
                _ => {}
            }
        }
        Ok(count)
    }

    fn check(&self) -> Vec<Finding> {
        let mut findings: Vec<_> = Document::check(self).into_iter().flat_map(Finding::each).collect();
        if self.layout.encoding() != Encoding::Binary && !findings.is_empty() {
            // Without the memory for the lines, there are none.
            let spans = self.spans_of(findings.iter().map(|finding| &finding.path)).unwrap_or_default();
            let text = self.to_vec().unwrap_or_default();
            let mut starts: Vec<_> = spans
                .into_iter()
                .zip(&mut findings)
                .filter_map(|(span, finding)| Some((span?.start, finding)))
                .collect();
            starts.sort_by_key(|(start, _)| *start);
            let (mut line, mut at) = (1_u32, 0);
            for (start, finding) in starts {
                let ends =
                    text.get(at..start).unwrap_or_default().iter().filter(|&&byte| byte == b'\n').count();
                (line, at) = (line.saturating_add(ends.try_into().unwrap_or(u32::MAX)), start);
                finding.line = Some(line);
            }
        }
        findings
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        let Some(to) = &options.form else { return self.to_vec().map_err(Error::from) };
        if to == AS_JSON {
            return llsd_json::write(&self.value, options);
        }
        let named = Encoding::ALL.iter().copied().find(|&encoding| encoding_name(encoding) == to);
        let encoding = named.ok_or_else(|| no_form(self.file_type(), to))?;
        // Notation gets a header, too, so that the file can be recognised.
        let header = if encoding == Encoding::Notation { Header::Viewer } else { Header::Common };
        let options = ::llsd::WriteOptions::new().encoding(encoding).header(header).indent(options.pretty);
        options.write(&self.value).map_err(Error::from)
    }

    /// For the file's own form, what an edit could not keep; for another form, malformed values and duplicate keys.
    fn remarks(&self, form: &str) -> Vec<Loss> {
        if form.is_empty() {
            let what = "comments, white space and the original spelling, since the edit rewrote this value";
            let rewritten = Document::write(self).map(|written| written.rewritten);
            return rewritten
                .into_iter()
                .flatten()
                .map(|path| Loss::new(path, what).id("llsd.rewritten"))
                .collect();
        }
        let replaced = |finding: &Finding| {
            ["llsd.malformed", "llsd.skipped", "llsd.duplicate-keys"].contains(&finding.rule)
        };
        let loss = |finding: Finding| match self.value.find(&finding.path) {
            Some(value) if finding.rule != "llsd.skipped" => Loss::approximated(
                finding.path,
                format!("{}; the output has {} here", finding.found, short(value)),
            )
            .id("llsd.replaced"),
            _ => Loss::new(finding.path, finding.found).id("llsd.replaced"),
        };
        Asset::check(self).into_iter().filter(replaced).map(loss).collect()
    }

    fn has_scene(&self) -> bool {
        rezkit_scene::slmesh::is_pose(&self.value)
    }

    fn scene(
        &self,
        stem: &str,
        options: &crate::SceneOptions,
        _: &mut dyn crate::Sources,
    ) -> crate::file_type::SceneAndLosses {
        let mut budget = Budget::new(options.max_bytes);
        let (motion, mut losses) = rezkit_scene::slmesh::pose_to_motion(&self.value, &mut budget)?;
        let (scene, of_motion) = rezkit_scene::slmesh::motion_to_scene(&motion, stem, &mut budget)?;
        losses.extend(of_motion);
        Ok((scene, losses))
    }

    fn equals(&self, other: &dyn Asset) -> bool {
        equal(self, other)
    }
}

/// A scalar, or a description of a map or an array.
fn short(value: &Value) -> String {
    match value {
        Value::Undef => "undef".to_owned(),
        // As in the viewer, the text of false is empty.
        Value::Boolean(value) => format!("the boolean {value}"),
        Value::Integer(_) | Value::Real(_) => format!("the {} {}", value.type_name(), value.to_text()),
        Value::Uuid(uuid) => format!("the uuid {uuid}"),
        Value::Date(date) => format!("the date {date}"),
        Value::Array(_) => format!("an array with {}", Counted::new(value.len(), "values")),
        Value::Map(_) => format!("a map with {}", Counted::new(value.len(), "keys")),
        _ => format!("{value:?}"),
    }
}

/// The number of values, including nested ones.
fn values(value: &Value) -> usize {
    let ends = |event: &Event<'_>| matches!(event, Event::EndArray | Event::EndMap | Event::Key(_));
    value.events().filter(|event| !ends(event)).count()
}

/// A value with its key or its index.
struct Entry<'a> {
    name: Cow<'a, str>,
    value: &'a Value,
}

impl Node for Entry<'_> {
    fn name(&self) -> Cow<'_, str> {
        (&*self.name).into()
    }

    fn kind(&self) -> Cow<'_, str> {
        self.value.type_name().into()
    }

    fn value(&self) -> Option<tree::Value> {
        let kind = self.value.type_name();
        Some(match self.value {
            Value::Array(_) | Value::Map(_) => return None,
            Value::Undef => tree::Value::text(kind, "undef"),
            Value::Boolean(value) => tree::Value::line(kind, Written::Bool, value),
            Value::Integer(value) => tree::Value::line(kind, Written::Integer, value),
            Value::Real(value) => tree::Value::line(kind, Written::Real, float_text(*value)),
            Value::Uuid(value) => tree::Value::text(kind, value),
            Value::Date(value) => tree::Value::text(kind, value),
            Value::String(text) => tree::Value::bytes(kind, text.as_bytes()),
            Value::Uri(uri) => tree::Value::bytes(kind, uri.0.as_bytes()),
            Value::Binary(binary) => tree::Value::bytes(kind, binary.0.as_slice()),
        })
    }

    fn children(&self) -> Children<'_> {
        let entry = |name, value| Box::new(Entry { name, value }) as Box<dyn Node + '_>;
        match self.value {
            Value::Array(values) => {
                let values = values.iter().enumerate();
                Box::new(values.map(move |(index, value)| entry(index.to_string().into(), value)))
            }
            Value::Map(map) => Box::new(
                map.iter().map(move |(key, value)| entry(String::from_utf8_lossy(key.as_bytes()), value)),
            ),
            _ => Box::new(std::iter::empty()),
        }
    }

    fn is_list(&self) -> bool {
        matches!(self.value, Value::Array(_))
    }
}

/// The type of a value that is given as the bytes of a file, in Base64.
const BASE64: &str = "Base64";

fn decoded(text: &str) -> Result<Vec<u8>> {
    use base64::Engine as _;
    let bytes = base64::prelude::BASE64_STANDARD.decode(text);
    bytes.map_err(|_| Error::argument(format!("expected a value in Base64, found {text:?}")))
}

/// A value of a type from its text.
fn parse(text: &str, kind: &str) -> Result<Value> {
    let form = match kind {
        "boolean" => " (true or false)",
        "integer" => " (from -2147483648 to 2147483647)",
        "undef" => " (no text)",
        "date" => " (such as 2024-12-31T23:59:59Z)",
        "binary" => " (in Base64)",
        "map" | "array" => " (as JSON)",
        _ => "",
    };
    let wrong = || Error::argument(format!("expected a value of type {kind}{form}, found {text:?}"));
    Ok(match kind {
        "undef" if matches!(text, "" | "undef") => Value::Undef,
        "undef" => return Err(wrong()),
        "boolean" => Value::Boolean(text.parse().map_err(|_| wrong())?),
        "integer" => Value::Integer(text.parse().map_err(|_| wrong())?),
        "real" => {
            let number = text.parse().map_err(|_| wrong())?;
            Value::Real(Some(number).filter(|&number| is_in_range(number, text)).ok_or_else(wrong)?)
        }
        "uuid" => Value::Uuid(text.parse().map_err(|_| wrong())?),
        "date" => Value::Date(text.parse().map_err(|_| wrong())?),
        "string" => Value::from(text),
        "uri" => Value::Uri(::llsd::Uri(text.into())),
        "map" | "array" => {
            let (value, _) = llsd_json::read(text.as_bytes(), text.len() as u64 * 64 + 4096)?;
            return if value.type_name() == kind { Ok(value) } else { Err(wrong()) };
        }
        "binary" => Value::from(decoded(text).map_err(|_| wrong())?),
        _ => {
            let known = "undef, boolean, integer, real, uuid, date, string, uri, binary, map or array";
            return Err(Error::argument(format!("expected one of the types {known}, found {kind}")));
        }
    })
}
