//! Types of users, read and written through serde.
#![cfg(feature = "serde")]

use std::collections::BTreeMap;

use llsd::{Binary, Date, Encoding, Map, ReadOptions, Text, Uri, Uuid, Value, de, ser};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct All {
    flag: bool,
    tiny: i8,
    byte: u8,
    int: i32,
    unsigned: u32,
    long: i64,
    longest: u64,
    single: f32,
    double: f64,
    letter: char,
    name: String,
    some: Option<i32>,
    none: Option<String>,
    id: Uuid,
    when: Date,
    link: Uri,
    data: Binary,
    text: Text,
    unit: (),
    pair: (i32, String),
    list: Vec<Kind>,
    table: BTreeMap<u16, Uuid>,
    wrapped: Wrapped,
    #[serde(flatten)]
    flat: Flat,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Wrapped(Vec<i32>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    flat_id: Uuid,
    flat_when: Date,
    flat_link: Uri,
    flat_data: Binary,
    flat_long: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    Unit,
    Newtype(i32),
    Tuple(i32, Uuid),
    Struct { id: Uuid, inner: Box<Kind> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Tagged {
    Prim { id: Uuid, at: Date },
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(f64),
    Words(Vec<String>),
}

fn id(byte: u8) -> Uuid {
    Uuid([byte; 16])
}

fn all() -> All {
    All {
        flag: true,
        tiny: -8,
        byte: 255,
        int: i32::MIN,
        unsigned: u32::MAX,
        long: -(1 << 53),
        longest: 1 << 60,
        single: 0.1,
        double: -1.5e300,
        letter: 'ß',
        name: "Quote ' \" \\ \n & < 小".into(),
        some: Some(3),
        none: None,
        id: id(1),
        when: Date(1_138_804_193.46),
        link: "http://a/b?c=d&e".into(),
        data: Binary(vec![0, 255, 7]),
        text: "text".into(),
        unit: (),
        pair: (1, String::new()),
        list: vec![
            Kind::Unit,
            Kind::Newtype(4),
            Kind::Tuple(5, id(2)),
            Kind::Struct { id: id(3), inner: Box::new(Kind::Unit) },
        ],
        table: BTreeMap::from([(7, id(4)), (65535, id(5))]),
        wrapped: Wrapped(vec![1, 2]),
        flat: Flat {
            flat_id: id(6),
            flat_when: Date(-1.5),
            flat_link: "x".into(),
            flat_data: Binary(vec![1]),
            flat_long: 1 << 40,
        },
        value: Map::from([
            ("id", Value::from(id(7))),
            ("date", Date(2.5).into()),
            ("uri", Uri::from("u").into()),
        ])
        .into(),
    }
}

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    for &encoding in Encoding::ALL {
        let bytes = ser::to_vec(value, encoding).unwrap();
        let again: T = de::from_slice_with(&bytes, &ReadOptions::new().strict(true))
            .unwrap_or_else(|error| panic!("{encoding}: {error}"));
        assert_eq!(again, *value, "{encoding}");
    }
    let tree = ser::to_value(value).unwrap();
    assert_eq!(de::from_value::<T>(&tree).unwrap(), *value);
    // The value tree is equal to the one in the document.
    assert!(llsd::read_binary(&ser::to_binary(value).unwrap()).unwrap().identical(&tree));
}

#[test]
fn structs_come_back() {
    comes_back(&all());
    comes_back(&vec![Tagged::Prim { id: id(9), at: Date(3.25) }, Tagged::Nothing]);
    comes_back(&vec![Untagged::Number(1.5), Untagged::Words(vec!["a".into()])]);
    comes_back(&(1, 2.5, "three".to_owned(), Some(()).is_some()));
}

#[test]
fn newtypes_survive_json() {
    let there = serde_json::to_string(&all()).unwrap();
    assert!(there.contains(r#""id":"01010101-0101-0101-0101-010101010101""#), "{there}");
    assert!(there.contains(r#""when":"2006-02-01T14:29:53.46Z""#));
    let again: All = serde_json::from_str(&there).unwrap();
    // JSON has no such types, so a bare value becomes a string.
    assert_eq!(again.value.get("id"), Some(&Value::from(id(7).to_string())));
    assert_eq!(All { value: all().value, ..again }, all());
    let odd: Date = serde_json::from_str("3.5").unwrap();
    assert_eq!(odd, Date(3.5));
}

#[test]
fn fields_have_the_types_of_llsd() {
    let tree = ser::to_value(&all()).unwrap();
    let type_of = |path: &str| tree.find(path).unwrap().type_name();
    for (path, name) in [
        ("flag", "boolean"),
        ("int", "integer"),
        ("unsigned", "real"),
        ("long", "real"),
        ("letter", "string"),
        ("none", "undef"),
        ("id", "uuid"),
        ("when", "date"),
        ("link", "uri"),
        ("data", "binary"),
        ("list/0", "string"),
        ("list/1/Newtype", "integer"),
        ("list/2/Tuple/1", "uuid"),
        ("list/3/Struct/id", "uuid"),
        ("table/65535", "uuid"),
        ("flat_id", "uuid"),
        ("value/date", "date"),
    ] {
        assert_eq!(type_of(path), name, "{path}");
    }
}

#[test]
fn numbers_that_nothing_holds_are_refused() {
    let error = ser::to_binary(&BTreeMap::from([("list", vec![1, (1_i64 << 53) + 1])])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write 9007199254740993 exactly as a 32-bit integer or a real (write it as a string) in /list/1"
    );
    assert!(ser::to_binary(&u64::MAX).is_err());
    assert!(ser::to_binary(&i64::MAX).is_err());
    assert!(ser::to_binary(&i64::MIN).is_ok());
    let fits = |text: &[u8]| de::from_notation::<i64>(text);
    assert_eq!(fits(b"r-9223372036854775808").unwrap(), i64::MIN);
    assert_eq!(fits(b"i-1").unwrap(), -1);
    assert!(fits(b"r1.5").is_err() && fits(b"r9223372036854775808").is_err() && fits(b"rnan").is_err());
    assert!(de::from_notation::<u8>(b"i256").is_err());
}

#[test]
fn text_and_bytes_are_borrowed() {
    #[derive(Deserialize)]
    struct Borrowed<'a> {
        name: &'a str,
        data: &'a [u8],
    }
    let notation = b"{'name':'plain','data':b(2)\"\xff\x00\"}";
    let borrowed: Borrowed<'_> = de::from_notation(notation).unwrap();
    assert_eq!((borrowed.name, borrowed.data), ("plain", &b"\xff\x00"[..]));
    assert!(notation.as_ptr_range().contains(&borrowed.name.as_ptr()));
    let binary = b"{\0\0\0\x02k\0\0\0\x04names\0\0\0\x01ak\0\0\0\x04datab\0\0\0\x01\xfe}";
    let borrowed: Borrowed<'_> = de::from_binary(binary).unwrap();
    assert_eq!((borrowed.name, borrowed.data), ("a", &b"\xfe"[..]));
}

#[test]
fn errors_have_a_place_and_a_path() {
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Outer {
        inner: Vec<Inner>,
    }
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Inner {
        size: i32,
    }
    let error = de::from_notation::<Outer>(b"{'inner':[{'size':i1},\n{'size':'big'}]}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid type: string \"big\", expected i32 in /inner/1/size at line 2, column 14"
    );
    let error = de::from_notation::<Outer>(b"{'inner':[{}]}").unwrap_err();
    assert_eq!(error.to_string(), "missing field `size` in /inner/0 at line 1, column 13");
    let tree = llsd::read_notation(b"{'inner':[{'size':i1},{'size':'big'}]}").unwrap();
    let error = de::from_value::<Outer>(&tree).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: string \"big\", expected i32 in /inner/1/size");
}

#[test]
fn equal_keys_follow_the_rule_of_the_encoding() {
    #[derive(Deserialize)]
    struct One {
        a: i32,
    }
    assert_eq!(de::from_notation::<One>(b"{'a':i1,'a':i2,'a':i3}").unwrap().a, 1);
    let xml = b"<llsd><map><key>a</key><integer>1</integer><key>a</key><integer>2</integer></map></llsd>";
    assert_eq!(de::from_xml::<One>(xml).unwrap().a, 2);
    let options = ReadOptions::new().encoding(Encoding::Xml).duplicates(llsd::Duplicates::First);
    assert_eq!(de::from_slice_with::<One>(xml, &options).unwrap().a, 1);
}

#[test]
fn recursion_is_bounded() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Nest(Vec<Nest>);
    let deep = [b"[".repeat(300), b"]".repeat(300)].concat();
    let options = ReadOptions::new().encoding(Encoding::Notation).max_depth(1_000_000);
    assert!(de::from_slice_with::<Nest>(&deep, &options).is_err());
    let value = options.read(&deep).unwrap();
    assert!(ser::to_binary(&value).is_err() && serde_json::to_string(&value).is_err());
    assert!(de::from_slice_with::<Value>(&deep, &options).unwrap() == value);
    let nest = de::from_slice_with::<Nest>(&[b"[".repeat(256), b"]".repeat(256)].concat(), &options).unwrap();
    assert!(ser::to_binary(&nest).is_ok());
}

#[test]
fn a_catch_all_map_keeps_types() {
    #[derive(Deserialize)]
    struct Outer {
        rest: Map,
    }
    let outer: Outer = de::from_notation(b"{'rest':{'id':u01010101-0101-0101-0101-010101010101}}").unwrap();
    assert_eq!(outer.rest.get("id"), Some(&Value::from(id(1))));
    let text: Text = de::from_binary(b"s\0\0\0\x01\xff").unwrap();
    assert_eq!(ser::to_binary(&text).unwrap(), b"s\0\0\0\x01\xff");
    let uri: Uri = de::from_binary(b"l\0\0\0\x01\xff").unwrap();
    assert_eq!(ser::to_binary(&uri).unwrap(), b"l\0\0\0\x01\xff");
}

/// A setting of the viewer's settings.xml.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Setting {
    comment: String,
    persist: bool,
    #[serde(rename = "Type")]
    kind: String,
    value: f64,
    #[serde(default)]
    hide: bool,
}

const SETTINGS: &[u8] = b"<?xml version=\"1.0\" ?>\n<llsd><map>
    <key>AFKTimeout</key><map>
        <key>Comment</key><string>Seconds</string>
        <key>Persist</key><integer>1</integer>
        <key>Type</key><string>S32</string>
        <key>Value</key><integer>300</integer></map>
    <key>Volume</key><map>
        <key>Comment</key><string>1</string>
        <key>Persist</key><boolean>true</boolean>
        <key>Type</key><string>F32</string>
        <key>Value</key><string> 0.25</string>
        <key>Hide</key><string></string></map>
    <key>Odd</key><map>
        <key>Comment</key><integer>12</integer>
        <key>Persist</key><undef/>
        <key>Type</key><uri>F32</uri>
        <key>Value</key><boolean>1</boolean>
        <key>Hide</key><string>false</string></map>
    </map></llsd>";

#[test]
fn the_viewers_settings_are_read_as_the_viewer_reads_them() {
    let options = ReadOptions::new().coerce(true);
    let settings: BTreeMap<String, Setting> = de::from_slice_with(SETTINGS, &options).unwrap();
    let setting = |comment: &str, persist, kind: &str, value, hide| Setting {
        comment: comment.into(),
        persist,
        kind: kind.into(),
        value,
        hide,
    };
    assert_eq!(settings["AFKTimeout"], setting("Seconds", true, "S32", 300.0, false));
    assert_eq!(settings["Volume"], setting("1", true, "F32", 0.25, false));
    // Every string except the empty one is true.
    assert_eq!(settings["Odd"], setting("12", false, "F32", 1.0, true));
    // Without the option, each of these conversions is an error with a path.
    let error = de::from_slice::<BTreeMap<String, Setting>>(SETTINGS).unwrap_err();
    assert!(error.to_string().contains("expected a boolean in /AFKTimeout/Persist at line 5"), "{error}");
}

#[test]
fn conversions_are_those_of_the_viewer_in_range() {
    fn coerced<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        let options = ReadOptions::new().coerce(true);
        de::from_slice_with(text.as_bytes(), &options).map_err(|error| error.to_string())
    }
    assert_eq!(coerced::<i32>("'-2.345'"), Ok(-2));
    assert_eq!(coerced::<i64>("r1e10"), Ok(10_000_000_000));
    assert_eq!(coerced::<u8>("true"), Ok(1));
    assert_eq!(coerced::<u8>("!"), Ok(0));
    assert_eq!(coerced::<Option<u8>>("!"), Ok(None));
    assert_eq!(coerced::<i32>("rnan"), Ok(0));
    assert_eq!(coerced::<String>("r0.5"), Ok("0.5".into()));
    assert_eq!(coerced::<Uuid>("'01010101-0101-0101-0101-010101010101'"), Ok(id(1)));
    assert_eq!(coerced::<Uuid>("i1"), Ok(Uuid::NULL));
    assert_eq!(coerced::<Date>("'2006-02-01T14:29:53Z'"), Ok(Date(1_138_804_193.0)));
    assert_eq!(coerced::<Uri>("'x'"), Ok(Uri::from("x")));
    assert_eq!(coerced::<String>("u01010101-0101-0101-0101-010101010101"), Ok(id(1).to_string()));
    assert_eq!(coerced::<String>("d\"2006-02-01T14:29:53Z\""), Ok("2006-02-01T14:29:53Z".into()));
    assert_eq!(coerced::<i32>("d\"2006-02-01T14:29:53Z\""), Ok(1_138_804_193));
    // A value that is not a number becomes 0.
    for text in ["l\"5\"", "b16\"05\"", "u05000000-0000-0000-0000-000000000000"] {
        assert_eq!(coerced::<i32>(text), Ok(0), "{text}");
    }
    // Numbers out of range and containers are not converted.
    assert!(coerced::<u8>("i256").is_err() && coerced::<u32>("i-1").is_err());
    assert!(coerced::<bool>("[i1]").is_err() && coerced::<String>("{}").is_err());
    // A `Value` is read without a conversion.
    assert_eq!(coerced::<Value>("'1'"), Ok("1".into()));
}

#[test]
fn documents_follow_each_other() {
    let bytes = b"<llsd><array><integer>1</integer></array></llsd>\n<? llsd/notation ?>\n[i2]<? LLSD/Binary ?>\n[\0\0\0\x01i\0\0\0\x03]";
    let mut rest = &bytes[..];
    let mut found = Vec::new();
    while !rest.trim_ascii().is_empty() {
        let (list, used): (Vec<i32>, usize) = de::from_slice_used(rest, &ReadOptions::new()).unwrap();
        found.extend(list);
        rest = &rest[used..];
    }
    assert_eq!(found, [1, 2, 3]);
    // A strict reader refuses a second document after the first.
    assert!(de::from_slice_with::<Vec<i32>>(bytes, &ReadOptions::new().strict(true)).is_err());
}

#[test]
fn json_goes_both_ways_with_the_losses_that_are_documented() {
    let value = llsd::llsd!({
        "undef": undef, "bool": true, "int": -5, "real": 0.1, "whole": 2.0, "text": "é\n", "list": [1, [], {}],
        "id": id(1), "date": Date(1_138_804_193.46), "uri": Uri::from("u"), "data": vec![1_u8, 2],
        "nan": f64::NAN, "bytes": Text::from(b"\xff"),
    });
    let json = serde_json::to_string(&value).unwrap();
    let back: Value = serde_json::from_str(&json).unwrap();
    for key in ["undef", "bool", "int", "real", "whole", "text", "list"] {
        assert_eq!(back[key], value[key], "{key}");
    }
    assert_eq!(back["id"], id(1).to_string().into());
    assert_eq!(back["date"], "2006-02-01T14:29:53.46Z".into());
    assert_eq!(back["uri"], "u".into());
    assert_eq!(back["data"], Value::from([1, 2]));
    assert_eq!(back["bytes"], Value::from([255]));
    assert!(back["nan"].is_undef());
    assert_eq!(serde_json::from_str::<Value>("4294967296").unwrap(), 4_294_967_296.0.into());
    assert!(serde_json::from_str::<Value>("9007199254740993").is_err());
}

#[test]
fn values_of_other_formats_are_bounded_too() {
    // 40,000 levels would overflow the stack.
    let deep = |levels: usize| [b"[".repeat(levels), b"]".repeat(levels)].concat();
    let read = |levels| {
        let text = deep(levels);
        let mut json = serde_json::Deserializer::from_slice(&text);
        json.disable_recursion_limit();
        Value::deserialize(&mut json)
    };
    assert!(read(256).is_ok() && read(257).is_err());
    let error = read(40_000).unwrap_err().to_string();
    assert!(
        error.contains("arrays and maps are nested more than 256 levels deep (the maximum with serde)"),
        "{error}"
    );
    let maps = ["{\"a\":".repeat(40_000), "1".into(), "}".repeat(40_000)].concat();
    let mut json = serde_json::Deserializer::from_slice(maps.as_bytes());
    json.disable_recursion_limit();
    assert!(Value::deserialize(&mut json).is_err());
}

#[test]
fn equal_keys_in_types_are_as_in_values() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Borrowed<'a> {
        #[serde(borrow)]
        a: &'a str,
        b: Vec<i32>,
    }
    // The last of equal keys counts, and its text is still borrowed from the input.
    let xml = b"<llsd><map><key>a</key><string>x</string><key>b</key><array><integer>1</integer></array>\
        <key>a</key><string>y</string><key>b</key><array><integer>2</integer></array></map></llsd>";
    assert_eq!(de::from_xml::<Borrowed<'_>>(xml).unwrap(), Borrowed { a: "y", b: vec![2] });
    let error =
        de::from_slice_with::<Borrowed<'_>>(xml, &ReadOptions::new().duplicates(llsd::Duplicates::Error));
    assert!(error.unwrap_err().to_string().starts_with("duplicate key \"a\" in /a at line 1"));
    // Errors in maps with equal keys also have a path.
    let bad = b"<llsd><map><key>b</key><string>x</string><key>b</key><array><string>z</string></array></map></llsd>";
    let error = de::from_xml::<BTreeMap<String, Vec<i32>>>(bad).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: string \"z\", expected i32 in /b/0");
    // If <llsd> contains two values, the second counts.
    assert_eq!(de::from_xml::<i32>(b"<llsd><integer>1</integer><integer>2</integer></llsd>").unwrap(), 2);
}

/// The viewer's own file, if it exists.
#[test]
fn all_of_the_viewers_settings_fit_a_struct() {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Real {
        #[serde(default)]
        comment: String,
        // Some settings lack this field.
        #[serde(default)]
        persist: bool,
        #[serde(rename = "Type")]
        kind: String,
        value: Value,
    }
    let file = "corpus/llsd/secondlife-viewer/indra__newview__app_settings__settings.xml";
    let Some(bytes) = testkit::shared(file) else { return };
    let options = ReadOptions::new().coerce(true);
    let settings: BTreeMap<String, Real> = de::from_slice_with(&bytes, &options).unwrap();
    let values = llsd::from_slice(&bytes).unwrap();
    assert!(settings.len() > 1000 && settings.len() == values.len());
    for (name, setting) in settings {
        let value = values.get(&name).unwrap();
        assert_eq!(setting.persist, value["Persist"].to_boolean(), "{name}");
        assert_eq!(setting.comment.as_bytes(), &**value["Comment"].to_text(), "{name}");
        assert_eq!(setting.kind.as_bytes(), &**value["Type"].to_text(), "{name}");
        assert_eq!(setting.value, value["Value"], "{name}");
    }
}

/// A deserializer that gives bytes, options and newtypes as such.
#[derive(Clone, Copy)]
enum Gives {
    Some,
    Bytes,
    ByteBuf,
    Newtype,
    I128(i128),
    U128,
}

impl<'de> serde::Deserializer<'de> for Gives {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: serde::de::Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Self::Some => visitor.visit_some(Self::Bytes),
            Self::Bytes => visitor.visit_bytes(b"ab"),
            Self::ByteBuf => visitor.visit_byte_buf(b"ab".to_vec()),
            Self::Newtype => visitor.visit_newtype_struct(Self::Bytes),
            Self::I128(number) => visitor.visit_i128(number),
            Self::U128 => visitor.visit_u128(5),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn bytes_of_other_formats() {
    let binary = Binary(b"ab".to_vec());
    for gives in [Gives::Some, Gives::Bytes, Gives::ByteBuf] {
        assert_eq!(Value::deserialize(gives).unwrap(), binary.clone().into());
    }
    for gives in [Gives::Bytes, Gives::ByteBuf, Gives::Newtype] {
        assert_eq!(Text::deserialize(gives).unwrap(), "ab");
        assert_eq!(Binary::deserialize(gives).unwrap(), binary);
    }
}

#[test]
fn wide_numbers_of_other_formats() {
    let read = |number| Value::deserialize(Gives::I128(number)).ok();
    // Integers that an f64 represents exactly.
    assert_eq!(read(1 << 53), Some(9_007_199_254_740_992.0.into()));
    assert_eq!(read((1 << 53) + 1), None);
    assert_eq!(read(1 << 100), Some(2_f64.powi(100).into()));
    assert_eq!((read(i128::MIN), read(i128::MAX)), (Some((-(2_f64.powi(127))).into()), None));
    let error = Value::deserialize(Gives::U128).unwrap_err();
    assert_eq!(error.to_string(), "invalid type: integer `5` as u128, expected an LLSD value");
}

#[test]
fn dates_without_a_text_are_numbers() {
    // Only years with four digits can be written as text.
    assert_eq!(serde_json::to_string(&Date(1e300)).unwrap(), "1e+300");
    assert_eq!(serde_json::to_string(&Date(0.0)).unwrap(), "\"1970-01-01T00:00:00Z\"");
}

#[test]
fn a_real_beyond_32_bits_is_no_32_bit_float() {
    assert_eq!(llsd::de::from_notation::<f32>(b"r1e30").unwrap(), 1e30);
    assert!(llsd::de::from_notation::<f32>(b"r1e300").is_err());
    assert_eq!(llsd::de::from_notation::<f32>(b"rinf").unwrap(), f32::INFINITY);
}
