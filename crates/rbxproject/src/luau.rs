//! Data files as Rojo turns them into instances: JSON and TOML as the source of a module, CSV as a localization table.

use std::collections::BTreeMap;

use bstr::ByteSlice as _;
use serde_json::Value as Json;

const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil",
    "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// The deepest value that is read and becomes a source.
const DEPTH: usize = 500;

/// The approximate memory of a JSON or TOML file while it is read: at most that of its values.
pub(crate) fn cost(bytes: &[u8]) -> u64 {
    let of = |byte: &u8| match byte {
        b'{' => 700,
        b'[' | b'=' => 550,
        b',' | b':' => 100,
        _ => 2,
    };
    bytes.iter().map(of).sum()
}

/// JSON as Rojo reads it: it may have comments, commas after the last items, names without quotes, texts in single quotes
/// and hexadecimal numbers; a number that is none of a double is its text.
pub(crate) fn parse(bytes: &[u8]) -> Result<Json, String> {
    let wrong = |error: serde_json::Error| format!("invalid JSON: {error}");
    let error = match serde_json::from_slice(bytes) {
        Err(error) if error.is_syntax() => error,
        other => return other.map_err(wrong),
    };
    let Ok(text) = std::str::from_utf8(bytes) else { return Err(wrong(error)) };
    if depth(bytes) > DEPTH {
        return Err(format!("the value is nested more than {DEPTH} times"));
    }
    let loose = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default());
    loose.ok().flatten().ok_or_else(|| wrong(error))
}

/// How deeply the brackets of a JSON text are nested.
fn depth(bytes: &[u8]) -> usize {
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        let end = |end: &[u8], from: usize| {
            let found = bytes.get(from..).and_then(|rest| rest.find(end));
            found.map_or(bytes.len(), |found| from + found + end.len())
        };
        match (byte, bytes.get(at + 1)) {
            (b'"' | b'\'', _) => {
                at += 1;
                while bytes.get(at).is_some_and(|&next| next != byte) {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            }
            (b'/', Some(b'/')) => at = end(b"\n", at),
            (b'/', Some(b'*')) => at = end(b"*/", at + 2),
            _ => {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                (at, deepest) = (at + 1, deepest.max(depth));
            }
        }
    }
    deepest
}

/// The source of a module that returns a value.
pub(crate) fn source(value: &Json) -> Result<String, String> {
    let mut text = "return ".to_owned();
    expression(value, (0, 0), &mut text)?;
    Ok(text)
}

/// The texts of numbers that JSON does not have: positive and negative infinity, and NaN.
const NOT_FINITE: [&str; 3] = ["math.huge", "-math.huge", "0/0"];

/// The name of the only field of an object that stands for such a number.
const NO_NAME: &str = "\0";

fn not_finite(fields: &serde_json::Map<String, Json>) -> Option<&'static str> {
    let text = fields.get(NO_NAME).filter(|_| fields.len() == 1)?.as_str()?;
    NOT_FINITE.into_iter().find(|known| *known == text)
}

/// Writes a value as Rojo does: also the same space, so that packing what Rojo has built changes nothing.
fn expression(value: &Json, (depth, tabs): (usize, usize), out: &mut String) -> Result<(), String> {
    if depth > DEPTH {
        return Err(format!("the value is nested more than {DEPTH} times"));
    }
    match value {
        Json::Null => *out += "nil",
        Json::Bool(value) => *out += if *value { "true" } else { "false" },
        Json::Number(number) => match number.as_f64() {
            Some(number) => *out += &number.to_string(),
            None => *out += &number.to_string(),
        },
        Json::String(text) => string(text, out),
        Json::Array(items) => {
            out.push('{');
            for (index, item) in items.iter().enumerate() {
                *out += if index > 0 { ", " } else { "" };
                expression(item, (depth + 1, tabs), out)?;
            }
            out.push('}');
        }
        Json::Object(fields) if not_finite(fields).is_some() => {
            *out += not_finite(fields).unwrap_or_default()
        }
        Json::Object(fields) => {
            *out += "{\n";
            // By name: the order of a map is not that of the file in every build.
            for (name, value) in fields.iter().collect::<BTreeMap<_, _>>() {
                *out += &"\t".repeat(tabs + 1);
                key(name, out);
                *out += " = ";
                expression(value, (depth + 1, tabs + 1), out)?;
                *out += ",\n";
            }
            *out += &"\t".repeat(tabs);
            out.push('}');
        }
    }
    Ok(())
}

/// The name of a field.
fn key(name: &str, out: &mut String) {
    let mut letters = name.bytes();
    let is_first = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if is_first
        && letters.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !KEYWORDS.contains(&name)
    {
        *out += name;
    } else {
        out.push('[');
        string(name, out);
        out.push(']');
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\n' => *out += "\\n",
            '\r' => *out += "\\r",
            '\t' => *out += "\\t",
            '\0' => *out += "\\0",
            letter => out.push(letter),
        }
    }
    out.push('"');
}

/// The source of a module that returns the content of a TOML file. Dates and times are texts.
#[cfg(feature = "data")]
pub(crate) fn source_of_toml(bytes: &[u8]) -> Result<String, String> {
    fn json(value: toml::Value) -> Json {
        match value {
            toml::Value::Datetime(value) => value.to_string().into(),
            toml::Value::Array(items) => items.into_iter().map(json).collect(),
            toml::Value::Table(fields) => {
                Json::Object(fields.into_iter().map(|(name, value)| (name, json(value))).collect())
            }
            toml::Value::Boolean(value) => value.into(),
            toml::Value::Integer(value) => value.into(),
            toml::Value::Float(value) if !value.is_finite() => {
                let text = NOT_FINITE[if value.is_nan() { 2 } else { usize::from(value < 0.0) }];
                serde_json::json!({ NO_NAME: text })
            }
            toml::Value::Float(value) => value.into(),
            toml::Value::String(text) => text.into(),
        }
    }
    // As in Rojo, lines end in one way.
    let bytes = bytes.replace("\r\n", "\n");
    let text = std::str::from_utf8(&bytes).map_err(|_| "the file is not UTF-8")?;
    let table: toml::Table =
        text.parse().map_err(|error: toml::de::Error| format!("invalid TOML: {}", error.message()))?;
    source(&json(toml::Value::Table(table)))
}

/// The most values of a YAML file, also through aliases.
#[cfg(feature = "data")]
const VALUES: usize = 1_000_000;

/// The source of a module that returns the content of a YAML file.
#[cfg(feature = "data")]
pub(crate) fn source_of_yaml(bytes: &[u8]) -> Result<String, String> {
    use yaml_rust2::parser::{Event, Parser};

    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8")?;
    let wrong = |error: yaml_rust2::ScanError| format!("invalid YAML: {error}");
    // The values that an alias stands for are counted before they are copied.
    let (mut parser, mut open, mut sizes) = (Parser::new_from_str(text), vec![(0, 0)], BTreeMap::new());
    loop {
        let (anchor, size) = match parser.next_token().map_err(wrong)?.0 {
            Event::StreamEnd => break,
            Event::Alias(anchor) => (0, sizes.get(&anchor).copied().unwrap_or(1)),
            Event::Scalar(_, _, anchor, _) => (anchor, 1),
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                open.push((anchor, 1));
                if open.len() > DEPTH {
                    return Err(format!("the value is nested more than {DEPTH} times"));
                }
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().unwrap_or_default(),
            _ => continue,
        };
        sizes.insert(anchor, size);
        let total = open.last_mut().map_or(0, |(_, total)| {
            *total += size;
            *total
        });
        if total > VALUES {
            return Err(format!("the file has more than {VALUES} values"));
        }
    }
    let all = yaml_rust2::YamlLoader::load_from_str(text).map_err(wrong)?;
    let [value] = &*all else {
        return Err(format!("expected one YAML document, found {}", all.len()));
    };
    let mut text = "return ".to_owned();
    yaml(value, 0, &mut text)?;
    Ok(text)
}

/// Writes a value as Rojo does, in the order of the file.
#[cfg(feature = "data")]
fn yaml(value: &yaml_rust2::Yaml, tabs: usize, out: &mut String) -> Result<(), String> {
    use yaml_rust2::Yaml;

    match value {
        Yaml::Null => *out += "nil",
        Yaml::Boolean(value) => *out += if *value { "true" } else { "false" },
        #[allow(clippy::cast_precision_loss, reason = "Luau has doubles alone")]
        Yaml::Integer(number) => *out += &(*number as f64).to_string(),
        Yaml::Real(_) => match value.as_f64() {
            Some(number) if number.is_nan() => *out += NOT_FINITE[2],
            Some(number) if number.is_infinite() => *out += NOT_FINITE[usize::from(number < 0.0)],
            Some(number) => *out += &number.to_string(),
            None => return Err("a number that cannot be read".to_owned()),
        },
        Yaml::String(text) => string(text, out),
        Yaml::Array(items) => {
            out.push('{');
            for (index, item) in items.iter().enumerate() {
                *out += if index > 0 { ", " } else { "" };
                yaml(item, tabs, out)?;
            }
            out.push('}');
        }
        Yaml::Hash(fields) => {
            *out += "{\n";
            for (name, value) in fields {
                *out += &"\t".repeat(tabs + 1);
                match name {
                    Yaml::String(name) => key(name, out),
                    name => {
                        out.push('[');
                        yaml(name, tabs + 1, out)?;
                        out.push(']');
                    }
                }
                *out += " = ";
                yaml(value, tabs + 1, out)?;
                *out += ",\n";
            }
            *out += &"\t".repeat(tabs);
            out.push('}');
        }
        Yaml::Alias(_) | Yaml::BadValue => return Err("a value that cannot be read".to_owned()),
    }
    Ok(())
}

/// The property `Contents` of a localization table: its entries as JSON.
#[cfg(feature = "data")]
pub(crate) fn localization(bytes: &[u8]) -> Result<String, String> {
    let mut reader = csv::Reader::from_reader(bytes);
    let wrong = |error: csv::Error| format!("invalid CSV: {error}");
    let headers = reader.headers().map_err(wrong)?.clone();
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        // In the order in which Roblox writes them.
        let (mut entry, mut values) = (Vec::new(), BTreeMap::new());
        for (header, value) in
            headers.iter().zip(&record).filter(|(header, value)| !header.is_empty() && !value.is_empty())
        {
            match header {
                "Key" | "Context" | "Example" | "Source" => entry.push((header.to_lowercase(), value)),
                _ => _ = values.insert(header, value),
            }
        }
        if !entry.iter().any(|(name, _)| name == "key" || name == "source") {
            continue;
        }
        let order = ["key", "context", "example", "source"];
        geom::sort::by_key(&mut entry, |(name, _)| order.iter().position(|known| known == name));
        let fields =
            entry.iter().map(|(name, value)| format!("{}:{}", Json::from(name.as_str()), Json::from(*value)));
        let fields: Vec<_> = fields.chain([format!("\"values\":{}", serde_json::json!(values))]).collect();
        entries.push(format!("{{{}}}", fields.join(",")));
    }
    Ok(format!("[{}]", entries.join(",")))
}

#[cfg(not(feature = "data"))]
pub(crate) fn source_of_toml(_: &[u8]) -> Result<String, String> {
    Err("this program cannot pack TOML (the feature `data` of rezkit can)".to_owned())
}

#[cfg(not(feature = "data"))]
pub(crate) fn source_of_yaml(_: &[u8]) -> Result<String, String> {
    Err("this program cannot pack YAML (the feature `data` of rezkit can)".to_owned())
}

#[cfg(not(feature = "data"))]
pub(crate) fn localization(_: &[u8]) -> Result<String, String> {
    Err("this program cannot pack CSV (the feature `data` of rezkit can)".to_owned())
}
