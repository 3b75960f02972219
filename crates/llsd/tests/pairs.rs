//! Values and bytes known from elsewhere, both ways.

use llsd::{Date, Encoding, ErrorKind, Map, ReadOptions, Text, Uri, Uuid, Value, read_binary, write_binary};

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn binary_scalars() {
    let uuid = *b"\xe1\x67\xa9\x44\xd9\x06\x89\x04\x2d\x04\x92\xab\x8e\xaf\x35\xbf";
    let pairs: Vec<(Value, Vec<u8>)> = vec![
        (Value::Undef, b"!".to_vec()),
        (true.into(), b"1".to_vec()),
        (false.into(), b"0".to_vec()),
        (7.into(), b"i\0\0\0\x07".to_vec()),
        (i32::MIN.into(), b"i\x80\0\0\0".to_vec()),
        (947835.234.into(), b"r\x41\x2c\xec\xf6\x77\xce\xd9\x17".to_vec()),
        (Uuid(uuid).into(), bytes(&[b"u", &uuid])),
        ("abc321".into(), b"s\0\0\0\x06abc321".to_vec()),
        (Text::from(b"\xff\xfe").into(), b"s\0\0\0\x02\xff\xfe".to_vec()),
        (Uri::from("http://sl.com").into(), b"l\0\0\0\x0dhttp://sl.com".to_vec()),
        // Dates alone are little-endian: 2008-01-01T20:10:31Z.
        (Date(1_199_218_231.0).into(), b"d\0\0\xc0\x8d\xa7\xde\xd1\x41".to_vec()),
        (b"abc321".to_vec().into(), b"b\0\0\0\x06abc321".to_vec()),
        (Value::from([123, 123]), b"[\0\0\0\x02i\0\0\0{i\0\0\0{]".to_vec()),
        (Map::from([("test", 0)]).into(), b"{\0\0\0\x01k\0\0\0\x04testi\0\0\0\0}".to_vec()),
        (Map::new().into(), b"{\0\0\0\0}".to_vec()),
    ];
    for (value, bytes) in pairs {
        assert!(read_binary(&bytes).unwrap().identical(&value), "{bytes:?}");
        assert_eq!(write_binary(&value).unwrap(), bytes);
    }
}

#[test]
fn binary_refuses() {
    let kind = |bytes: &[u8]| read_binary(bytes).unwrap_err().to_string();
    assert_eq!(kind(b"[\x7f\xff\xff\xff"), "unexpected end of input at offset 0x1");
    assert_eq!(kind(b"i\0\0"), "unexpected end of input at offset 0x1");
    assert_eq!(
        kind(b"{\0\0\0\x01k\0\0\0\x01a[\0\0\0\x02i\0\0\0\x01x]"),
        "no value: the marker 'x' in /a/1 at offset 0x15"
    );
    let deep = [b"[\0\0\0\x01".repeat(96), b"!".to_vec(), b"]".repeat(96)].concat();
    let read = |depth| ReadOptions::new().encoding(Encoding::Binary).max_depth(depth).read(&deep);
    assert!(matches!(read(96).unwrap_err().kind(), ErrorKind::Limit(_)));
    assert_eq!(read(97).unwrap().find(&"/0".repeat(96)), Some(&Value::Undef));
}

#[test]
fn a_million_deep() {
    let n = 1_000_000;
    let deep = [b"[\0\0\0\x01".repeat(n), b"!".to_vec(), b"]".repeat(n)].concat();
    let value = ReadOptions::new().encoding(Encoding::Binary).max_depth(2_000_000).read(&deep).unwrap();
    assert!(value == value.clone());
    assert!(write_binary(&value).unwrap() == deep);
}
