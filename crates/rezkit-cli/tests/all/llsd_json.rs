//! LLSD converted to JSON.

use crate::Ask as _;

use llsd::{Date, Document, Encoding, Value};
use rezkit::formats::LlsdJson;
use rezkit::{ReadOptions, Result};

fn read(text: &[u8]) -> Result<Value> {
    let opened = ReadOptions::new().form("json").max_bytes(1 << 20).open(text.to_vec(), "", ())?;
    Ok(opened.into_content().model::<LlsdJson>().expect("JSON").0.value.clone())
}

fn write(value: Value) -> Vec<u8> {
    let json = LlsdJson(Document::new(value, Encoding::Xml)).into();
    ReadOptions::new().open_content(json, "", ()).to_vec().expect("JSON")
}

#[test]
fn every_type_comes_back_in_its_order() {
    let text = r#"{"z":null,"b":true,"c":-1,"d":1.0,"e":{"$real":"nan"},"f":"text",
        "g":{"$uuid":"6b075707-299a-462f-8576-f558d18e2867"},"h":{"$date":"2006-02-01T14:29:53Z"},
        "i":{"$uri":"http://example.com"},"j":{"$binary":"AAEC"},"a":[1,2.5],"$$l":{"$real":"-inf"}}"#;
    let value = read(text.as_bytes()).expect("LLSD");
    let map = value.as_map().expect("a map");
    let kinds: Vec<_> = map.values().map(Value::type_name).collect();
    let wanted = [
        "undef", "boolean", "integer", "real", "real", "string", "uuid", "date", "uri", "binary", "array",
        "real",
    ];
    assert_eq!(kinds, wanted);
    let keys: Vec<_> = map.iter().map(|(key, _)| key.to_string()).collect();
    assert_eq!(keys, ["z", "b", "c", "d", "e", "f", "g", "h", "i", "j", "a", "$l"]);
    let written = String::from_utf8(write(value)).expect("UTF-8");
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(plain(&written), plain(text));
}

/// Dates outside of the calendar, and with smaller fractions of a second than the text form has, are kept.
#[test]
fn every_date_comes_back() {
    for seconds in [0.1, 1e300, -1e20, f64::NAN, f64::INFINITY, 1.5, 1e-9, 253_402_300_800.0] {
        let written = write(Value::Date(Date(seconds)));
        let Value::Date(Date(again)) = read(&written).expect("LLSD") else { panic!("no date") };
        assert_eq!(again.to_bits(), seconds.to_bits(), "{}", String::from_utf8_lossy(&written));
    }
}

#[test]
fn errors_have_a_path() {
    for (text, path) in [
        (r#"{"a":[1,{"b":1099511627776}]}"#, "a/1/b"),
        // Integers of more than 64 bits are not read as floats.
        (r#"[1e30, {"a\" 99999999999999999999": "-99999999999999999999"}, 18446744073709551616]"#, "2"),
        (r#"[18446744073709551616.0, 0, -9223372036854775809]"#, "2"),
        (r#"{"a":{"$what":""}}"#, "a"),
        (r#"{"a":{"$uuid":"x"}}"#, "a"),
        (r#"{"a":{"b":1,"b":2}}"#, "a"),
        (r#"{"a":[1,2"#, "a/2"),
    ] {
        assert_eq!(read(text.as_bytes()).expect_err(text).path(), path, "{text}");
    }
}

#[test]
fn what_is_read_is_within_the_limit() {
    let text = format!("[{}1]", "1,".repeat(1 << 20));
    let taken = testkit::measure(|| {
        let error = read(text.as_bytes()).expect_err("32 MB of values");
        assert_eq!(error.kind(), rezkit::ErrorKind::Limit);
    });
    assert!(taken.bytes_max < 3 << 20, "{}", taken.bytes_max);
}

/// A value without a text is not replaced without a type, and not set to undef by mistake.
#[test]
fn values_without_text_need_a_type() {
    let file = b"<llsd><map><key>a</key><array /><key>u</key><undef /></map></llsd>";
    let set = |path: &str, value: &str, kind: Option<&str>| {
        let mut opened = crate::open(file, "a.xml");
        opened.set(path, value, kind).map(|_| opened.text(path))
    };
    for (path, kind) in [("a", None), ("u", None), ("u", Some("undef"))] {
        assert!(set(path, "5", kind).is_err(), "{path}");
    }
    assert_eq!(set("u", "5", Some("integer")).expect("set"), "5");
    assert_eq!(set("a", "undef", Some("undef")).expect("set"), "undef");
}
