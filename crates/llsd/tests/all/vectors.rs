//! Conformance vectors, collected from the viewer, python-llsd and LibreMetaverse: `parse` (bytes to a value or an
//! error), `format` (a value to the bytes of a certain writer) and `convert` (a value to other types). They are not
//! part of the repository. The variable VECTORS names a file with other vectors of the same form.

use llsd::{Date, Encoding, Header, Map, ReadOptions, Text, Uri, Value, WriteOptions};
use serde::de::Deserialize as _;
use serde_json::Value as Json;

/// A vector whose result differs from the expected one.
struct Failure {
    expected: String,
    found: String,
}

/// The size of the stack: values of some vectors are deeply nested.
const STACK: usize = 512 << 20;

#[test]
fn all_vectors_hold() {
    let Some((text, given)) = testkit::vectors("llsd.json") else {
        eprintln!("skipped: ../shared/vectors/llsd.json is missing");
        return;
    };
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(&text)).unwrap();
    let (count, failures) = worker.join().unwrap();
    assert!(if given { count > 0 } else { count == 256 }, "{count} vectors");
    assert!(failures.is_empty(), "{} do not hold: {failures:#?}", failures.len());
}

fn run(text: &[u8]) -> (usize, Vec<String>) {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let json = Json::deserialize(&mut reader).unwrap();
    let vectors = json["vectors"].as_array().unwrap();
    let failures = vectors.iter().filter_map(|vector| {
        let result = match vector["op"].as_str() {
            Some("parse") => parse(vector),
            Some("format") => format(vector),
            Some("convert") => convert(vector),
            _ => Err(odd("an op that is parse, format or convert", &vector["op"])),
        };
        result.err().map(|Failure { expected, found }| {
            format!("{}: expected {expected}, found {found}", vector["name"])
        })
    });
    (vectors.len(), failures.collect())
}

fn odd(expected: &str, found: impl std::fmt::Display) -> Failure {
    Failure { expected: expected.to_owned(), found: found.to_string() }
}

fn encoding(vector: &Json) -> Result<Option<Encoding>, Failure> {
    match vector["encoding"].as_str() {
        Some("binary") => Ok(Some(Encoding::Binary)),
        Some("xml") => Ok(Some(Encoding::Xml)),
        Some("notation") => Ok(Some(Encoding::Notation)),
        Some("auto") => Ok(None),
        _ => Err(odd("an encoding that is binary, xml, notation or auto", &vector["encoding"])),
    }
}

fn parse(vector: &Json) -> Result<(), Failure> {
    let input = bytes(vector, "input").ok_or_else(|| odd("input_hex", vector))?;
    let mut options = ReadOptions::new().strict(vector["strict"] == true);
    if let Some(encoding) = encoding(vector)? {
        options = options.encoding(encoding);
    }
    if let Some(depth) = vector["max_depth"].as_u64().and_then(|depth| u32::try_from(depth).ok()) {
        options = options.max_depth(depth);
    }
    let found = options.read(&input);
    if vector["expected"].is_null() {
        return match found {
            Err(_) => Ok(()),
            Ok(found) => Err(odd("an error", show(&found))),
        };
    }
    let expected = typed(&vector["expected"])?;
    match found {
        Ok(found) if same(&expected, &found) => Ok(()),
        Ok(found) => Err(odd(&show(&expected), show(&found))),
        Err(error) => Err(odd(&show(&expected), format_args!("error: {error}"))),
    }
}

fn format(vector: &Json) -> Result<(), Failure> {
    let Some(encoding) = encoding(vector)? else { return Err(odd("an encoding to write", "auto")) };
    let value = typed(&vector["value"])?;
    let writer = vector["writer"].as_str().unwrap_or_default();
    let python = writer.contains("python");
    let header = match (python, writer.contains("no header")) {
        (_, true) => Header::None,
        (true, _) => Header::Python,
        (false, _) if writer.contains("header") => Header::Viewer,
        _ => Header::None,
    };
    let options = WriteOptions::new()
        .encoding(encoding)
        .header(header)
        .words(python || writer.contains("boolalpha"))
        .indent(writer.contains("OPTIONS_PRETTY"));
    let written = options.write(&value);
    if vector["error"] == true {
        return match written {
            Err(_) => Ok(()),
            Ok(found) => Err(odd("an error", found.escape_ascii())),
        };
    }
    let expected = bytes(vector, "output").ok_or_else(|| odd("output_hex", vector))?;
    match written {
        Ok(found) if found == expected => Ok(()),
        Ok(found) => Err(odd(&expected.escape_ascii().to_string(), found.escape_ascii())),
        Err(error) => Err(odd(&expected.escape_ascii().to_string(), format_args!("error: {error}"))),
    }
}

fn convert(vector: &Json) -> Result<(), Failure> {
    let value = typed(&vector["value"])?;
    let fields = vector.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with("as_"));
    for (name, expected) in fields {
        let (holds, found) = match name.as_str() {
            "as_boolean" => (*expected == value.to_boolean(), value.to_boolean().to_string()),
            "as_integer" => (*expected == value.to_integer(), value.to_integer().to_string()),
            "as_real" => {
                let found = value.to_real();
                let holds =
                    real(expected).is_some_and(|real| real == found || real.is_nan() && found.is_nan());
                (holds, found.to_string())
            }
            "as_string" => text_is(expected, &value.to_text()),
            "as_uri" => text_is(expected, &value.to_uri()),
            "as_uuid" => text_is(expected, value.to_uuid().to_string().as_bytes()),
            "as_date" => {
                let found = value.to_date();
                let seconds = real(expected).or_else(|| Some(typed(expected).ok()?.to_date().secs()));
                (seconds == Some(found.secs()), found.to_string())
            }
            "as_binary" => {
                let found = value.to_binary();
                let wanted = expected.as_str().or(expected["hex"].as_str()).and_then(unhex);
                (wanted.as_deref() == Some(found), hex(found))
            }
            _ => (false, "no such conversion".into()),
        };
        if !holds {
            return Err(odd(&format!("{name} {expected}"), found));
        }
    }
    Ok(())
}

fn text_is(expected: &Json, found: &[u8]) -> (bool, String) {
    let holds = text(expected).is_some_and(|text| text == found);
    (holds, format!("{:?}", String::from_utf8_lossy(found)))
}

/// Text, or bytes as `{"hex": …}`.
fn text(json: &Json) -> Option<Vec<u8>> {
    match json.as_str() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => json["hex"].as_str().and_then(unhex),
    }
}

/// `name_hex`, or `name` as text.
fn bytes(vector: &Json, name: &str) -> Option<Vec<u8>> {
    match vector[format!("{name}_hex")].as_str() {
        Some(digits) => unhex(digits),
        None => text(&vector[name]),
    }
}

/// A number, or the text of one that JSON cannot represent.
fn real(json: &Json) -> Option<f64> {
    json.as_f64().or_else(|| json.as_str()?.parse().ok())
}

/// The value of a typed value: `{"t": "integer", "v": 3}`.
fn typed(json: &Json) -> Result<Value, Failure> {
    let v = &json["v"];
    let from_bits = || {
        let bits = json["bits"].as_str()?;
        u64::from_str_radix(bits, 16).ok().map(f64::from_bits)
    };
    let string = || match json["hex"].as_str() {
        Some(digits) => unhex(digits),
        None => text(v),
    };
    let value = match json["t"].as_str().unwrap_or_default() {
        "undef" => Some(Value::Undef),
        "boolean" => v.as_bool().map(Value::from),
        "integer" => v.as_i64().and_then(|v| i32::try_from(v).ok()).map(Value::from),
        "real" => from_bits().or_else(|| real(v)).map(Value::from),
        "string" => string().map(|bytes| Text::from(bytes).into()),
        "uri" => string().map(|bytes| Uri::from(bytes).into()),
        "uuid" => v.as_str().and_then(|text| text.parse().ok()).map(Value::Uuid),
        "date" => from_bits().or_else(|| real(v)).map(|secs| Date(secs).into()),
        "binary" => string().map(Value::from),
        "array" => {
            let values = v.as_array().ok_or_else(|| odd("an array of typed values", v))?;
            Some(Value::from(values.iter().map(typed).collect::<Result<Vec<_>, _>>()?))
        }
        "map" => Some(entries(v)?),
        _ => None,
    };
    value.ok_or_else(|| odd("a typed value", json))
}

/// The entries of a map: an object, or pairs if a key is not text.
fn entries(json: &Json) -> Result<Value, Failure> {
    let mut map = Map::new();
    match (json.as_object(), json.as_array()) {
        (Some(object), _) => {
            for (key, value) in object {
                map.push(key, typed(value)?);
            }
        }
        (_, Some(pairs)) => {
            for pair in pairs {
                let key = text(&pair[0]).ok_or_else(|| odd("a key and a value", pair))?;
                map.push(key, typed(&pair[1])?);
            }
        }
        _ => return Err(odd("an object of typed values", json)),
    }
    Ok(map.into())
}

/// Whether two values are equal by bits, with map entries in any order.
fn same(a: &Value, b: &Value) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    sort(&mut a);
    sort(&mut b);
    a.identical(&b)
}

/// Sorts the keys of all maps. Recursion is safe, since reading limits the depth.
fn sort(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(sort),
        Value::Map(map) => {
            map.sort_keys();
            map.iter_mut().for_each(|(_, value)| sort(value));
        }
        _ => {}
    }
}

fn show(value: &Value) -> String {
    let text = format!("{value}");
    match text.char_indices().nth(2000) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    pairs.collect()
}
