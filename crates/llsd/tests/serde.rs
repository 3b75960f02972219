//! Your own types, through serde.
#![allow(clippy::unwrap_used, reason = "helpers of tests state what must hold, as tests do")]
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
    for encoding in Encoding::ALL {
        let bytes = ser::to_vec(value, encoding).unwrap();
        let again: T = de::from_slice_with(&bytes, &ReadOptions::new().strict(true))
            .unwrap_or_else(|error| panic!("{encoding}: {error}"));
        assert_eq!(again, *value, "{encoding}");
    }
    let tree = ser::to_value(value).unwrap();
    assert_eq!(de::from_value::<T>(&tree).unwrap(), *value);
    // The tree is what the document says.
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
    // JSON has no types for what a bare value holds.
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
        "cannot write 9007199254740993: neither an integer of 32 bits nor a real can represent this number in /list/1"
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
