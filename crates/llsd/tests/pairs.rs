//! Values and bytes known from elsewhere, both ways.
#![allow(clippy::unwrap_used, reason = "helpers of tests state what must hold, as tests do")]

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

fn notation(text: &[u8]) -> String {
    match llsd::read_notation(text) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn xml(text: &str) -> String {
    match llsd::read_xml(format!("<llsd>{text}</llsd>").as_bytes()) {
        Ok(value) => value.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn notation_as_the_viewer_reads_it() {
    for (text, expected) in [
        (&b" \t\n[ t , F ,TRUE,fAlSe ]"[..], "[true, false, true, false]"),
        (b"[,,]", "[]"),
        (b"{'a':i1 'b'i2,,junk 'c':}", "{'a':i1, 'b':i2}"),
        (b"s(0x3)'a'b'", "'a\\'b'"),
        (b"s(010)\"12345678\"", "'12345678'"),
        (b"'\\a\\x41\\q\\\\'", "'\\x07Aq\\\\'"),
        (b"r-4e-005", "r-0.00004"),
        (b"[r5.,r.5,r+1,rnan,r-nan,rINF,r-inf]", "[r5, r0.5, r1, rnan, r-nan, rinf, r-inf]"),
        (b"i 12", "i12"),
        (b"b(3)\"a\"\xff\"", "b16\"6122ff\""),
        (b"b64\"YW\nJj!ignored\"", "b16\"616263\""),
        (b"b16\"DEad\"", "b16\"dead\""),
        (b"d\"\"", "d\"1970-01-01T00:00:00Z\""),
        (b"d\"2006-02-01T14:29:53+01:30\"", "d\"2006-02-01T12:59:53Z\""),
        (b"d\"nonsense\"", "d\"1970-01-01T00:00:00Z\""),
        (b"{'a':i1,'a':i2}", "{'a':i1}"),
        (b"i1 i2", "i1"),
        (b"i2147483648", "error: no integer of 32 bits at line 1, column 2"),
        (b"r1e", "error: no number at line 1, column 2"),
        (b"'\\xzz'", "error: no two hexadecimal digits behind \\x at line 1, column 4"),
        (b"b16\"abc\"", "error: malformed base16 at line 1, column 5"),
        (b"{'a':[i1,\n\n z]}", "error: no value: \"z\" in /a/1 at line 3, column 2"),
        (b"{'a':{'b':'c", "error: unexpected end of input in /a/b at line 1, column 13"),
    ] {
        assert_eq!(notation(text), expected, "{:?}", text.escape_ascii().to_string());
    }
}

#[test]
fn xml_as_the_viewer_reads_it() {
    for (text, expected) in [
        ("<integer> 12.7</integer>", "i12"),
        ("<integer>4294967295</integer>", "i-1"),
        ("<integer>99999999999999999999</integer>", "i-1"),
        ("<integer>.9e2x</integer>", "i0"),
        ("<real>1.5 </real>", "r0"),
        ("<real> 1.5</real>", "r1.5"),
        ("<boolean> true</boolean>", "false"),
        ("<string>a\r\nb\rc&#13;</string>", "'a\\nb\\nc\\r'"),
        ("<string>a<b>x</b>c</string>", "'c'"),
        ("<string>a<!-- x -->b<![CDATA[<&>]]></string>", "'ab<&>'"),
        ("<binary encoding=\"base16\">0f a1</binary>", "b16\"0fa1\""),
        (
            "<binary encoding=\"base85\">YISXJWn&gt;_4c4cxPbZBJ</binary>",
            "b16\"6a756d706564206f76657220746865\"",
        ),
        ("<binary encoding=\"base85\">&lt;~87cURD]i~&gt;</binary>", "b16\"48656c6c6f20\""),
        ("<binary encoding=\"uu\">x</binary>", "!"),
        ("<array><key>k</key><html/><llsd/></array>", "[!]"),
        ("<map><key>a</key><key>b</key><integer/><key>c</key></map>", "{'b':i0}"),
        ("<map><key>a</key><integer>1</integer><key>a</key><integer>2</integer></map>", "{'a':i2}"),
        ("<integer>1</integer><integer>2</integer>", "i1"),
        ("", "!"),
        ("<string>&nbsp;</string>", "error: unknown entity at line 1, column 15"),
        ("<string>&#1;</string>", "error: a reference to what is no character of XML at line 1, column 15"),
        ("<string>\u{1}</string>", "error: a character that XML does not know at line 1, column 15"),
        ("<string>]]></string>", "error: the end of CDATA in text at line 1, column 15"),
        ("<string>a & b</string>", "error: an & that begins no reference at line 1, column 17"),
        (
            "<map><key>a</key><array></map>",
            "error: </map> where </array> should stand in /a/0 at line 1, column 31",
        ),
        ("<string a=\"1\" a=\"2\"/>", "error: malformed attributes at line 1, column 7"),
        ("<string a=1/>", "error: malformed attributes at line 1, column 7"),
        ("<a><!-- -- --></a>", "error: two hyphens in a comment at line 1, column 15"),
    ] {
        assert_eq!(xml(text), expected, "{text}");
    }
    let whole = |text: &str| llsd::from_slice(text.as_bytes()).map(|value| value.to_string());
    assert!(whole("<llsd><integer>1</integer></llsd>junk").is_ok());
    for bad in [
        "<!DOCTYPE llsd><llsd/>",
        "<?xml version='1.0' encoding='utf-16'?><llsd/>",
        "<?xml encoding='utf-8'?><llsd/>",
        "<a><llsd/></a>",
        "text<llsd/>",
        "<llsd><integer>1</integer>",
        "<llsd><integer>1</llsd>",
        "<llsd><integer>1</integer></LLSD>",
    ] {
        assert!(whole(bad).is_err(), "{bad}");
    }
    assert_eq!(whole("\u{feff}<?xml version='1.0'?><llsd><integer>1</integer></llsd>").unwrap(), "i1");
    // A byte order mark moves what stands behind it, and nothing else.
    for mark in ["", "\u{feff}"] {
        let error = whole(&format!("{mark}<llsd>\n<boolean><x></boolean></llsd>")).unwrap_err();
        let offset = 19 + mark.len() as u64;
        assert_eq!(
            (error.offset(), error.line(), error.column()),
            (Some(offset), Some(2), Some(13)),
            "{error}"
        );
    }
}

#[test]
fn strict_refuses_what_is_malformed() {
    let strict =
        |encoding, bytes: &[u8]| ReadOptions::new().encoding(encoding).strict(true).read(bytes).is_err();
    let binary: [&[u8]; 5] =
        [b"[\xff\xff\xff\xff]", b"b\xff\xff\xff\xff", b"{\0\0\0\x01x!}", b"[\0\0\0\x01!", b"t"];
    let notation: [&[u8]; 13] = [
        b"[,]",
        b"[!,]",
        b"[! !]",
        b"{'a'!}",
        b"{'a':!,}",
        b"{x'a':!}",
        b"{'a':}",
        b"tRUE",
        b"i 1",
        b"s(0x1)'a'",
        b"s(1)'a\"",
        b"d\"2006-02-30T00:00:00Z\"",
        b"b64\"YW\"",
    ];
    let xml: [&str; 16] = [
        "<integer>1.5</integer>",
        "<integer>4294967295</integer>",
        "<real>x</real>",
        "<boolean>TRUE</boolean>",
        "<uuid>zzz</uuid>",
        "<date>x</date>",
        "<binary>YW</binary>",
        "<binary encoding='x'/>",
        "<html/>",
        "<map><integer/></map>",
        "<map><key>a</key></map>",
        "<map><key>a</key><key>b</key><undef/></map>",
        "<array>x</array>",
        "<undef/><undef/>",
        "",
        "<string>a<b/></string>",
    ];
    for bytes in binary {
        assert!(strict(Encoding::Binary, bytes), "{bytes:?}");
    }
    for text in notation {
        assert!(strict(Encoding::Notation, text), "{:?}", text.escape_ascii().to_string());
        // Tolerantly all of these are read.
        assert!(llsd::read_notation(text).is_ok());
    }
    for text in xml {
        assert!(strict(Encoding::Xml, format!("<llsd>{text}</llsd>").as_bytes()), "{text}");
        assert!(llsd::read_xml(format!("<llsd>{text}</llsd>").as_bytes()).is_ok());
    }
}

#[test]
fn dates_are_read_as_decimals() {
    for (text, secs) in [
        ("2006-02-01T14:29:53.46Z", 1_138_804_193.46),
        ("1833-02-01T00:00:00Z", -4_320_604_800.0),
        ("1969-12-31T23:59:58.5Z", -1.5),
        ("1969-12-31T23:59:59.9Z", -0.1),
        ("2000-02-29T12:00:00Z", 951_825_600.0),
        ("0000-01-01T00:00:00Z", -62_167_219_200.0),
        ("9999-12-31T23:59:59Z", 253_402_300_799.0),
        ("+10000-01-01T00:00:00Z", 253_402_300_800.0),
    ] {
        assert_eq!(text.parse::<Date>().unwrap().secs(), secs, "{text}");
        assert_eq!(Date(secs).to_string(), text);
    }
    assert_eq!("2006-02-01T14:29:53-01".parse::<Date>().unwrap().secs(), 1_138_807_793.0);
    for bad in ["2006-02-01", "2006-02-01T14:29:53", "2006-13-01T00:00:00Z", "06-02-01T00:00:00Z", ""] {
        assert!(bad.parse::<Date>().is_err(), "{bad}");
    }
}

#[test]
fn conversions_of_the_viewer() {
    let value = |text: &str| llsd::read_notation(text.as_bytes()).unwrap();
    assert_eq!(value("'-2.345'").as_integer(), -2);
    assert_eq!(value("'1x'").as_real(), 0.0);
    assert!(value("'false'").as_boolean() && !value("''").as_boolean() && !value("rnan").as_boolean());
    assert_eq!((value("rnan").as_integer(), value("r1e10").as_integer()), (0, i32::MAX));
    for (real, text) in [
        (0.5, "0.5"),
        (1e6, "1e+06"),
        (123_456.0, "123456"),
        (1e-5, "1e-05"),
        (0.0001, "0.0001"),
        (2.345_678_9, "2.34568"),
        (1e100, "1e+100"),
        (100.0, "100"),
        (-2.0, "-2"),
        (999_999.5, "1e+06"),
    ] {
        assert_eq!(&*Value::from(real).as_string(), text);
    }
    assert_eq!(value("d\"2006-02-01T14:29:53Z\"").as_integer(), 1_138_804_193);
    assert_eq!(
        value("'d7f4aeca-88f1-42a1-b385b9db18abb255'").as_uuid().to_string(),
        "d7f4aeca-88f1-42a1-b385-b9db18abb255"
    );
    assert!(value("[i1]").as_boolean() && !value("{}").as_boolean());
}

#[test]
fn paths_lead_to_values() {
    let mut value = llsd::read_notation(b"{'a':[i0,{'b':'x'}],'n':i1}").unwrap();
    assert_eq!(value.find("a/1/b").and_then(Value::as_str), Some("x"));
    assert_eq!(value.set("a/1/b", 2), Some("x".into()));
    assert_eq!(value.set("a/2", true), None);
    assert_eq!(value.set("n/x", 1), None);
    assert_eq!(value.set("a/9", 1), None);
    assert_eq!(value.set("new/0/deep", 1.5), None);
    assert_eq!(value.remove("n"), Some(1.into()));
    assert_eq!(value.to_string(), "{'a':[i0, {'b':i2}, true], 'new':[{'deep':r1.5}]}");
    assert_eq!(value.find("").unwrap().len(), 2);
}

#[test]
fn findings_have_paths() {
    let mut map = Map::from([("a", Value::from([f64::NAN])), ("b", Date(f64::INFINITY).into())]);
    map.push("a", Text::from(b"\xff"));
    let value = Value::from([Value::Undef, Map::from([("in", map)]).into()]);
    let texts: Vec<String> = llsd::check(&value).iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 4, "{texts:#?}");
    assert!(texts[0].contains("NaN in /1/in/a/0"), "{texts:#?}");
    assert!(texts[1].starts_with("error: inf seconds in /1/in/b"), "{texts:#?}");
    assert!(texts[2].contains("in /1/in/a"), "{texts:#?}");
    assert!(texts[3].starts_with("error: \"a\" twice in /1/in:"), "{texts:#?}");
}

#[test]
fn what_cannot_be_written_is_named() {
    use llsd::{Controls, Header, WriteOptions};
    let value = llsd::read_notation(b"{'a':[!,'x\\x01y']}").unwrap();
    let xml = WriteOptions::new().encoding(Encoding::Xml).header(Header::None);
    let error = xml.write(&value).unwrap_err();
    assert_eq!(error.to_string(), "cannot write the character U+0001 in XML in /a/1");
    let dropped = xml.controls(Controls::Drop).write(&value).unwrap();
    assert_eq!(dropped, b"<llsd><map><key>a</key><array><undef /><string>xy</string></array></map></llsd>\n");
    let date = WriteOptions::new().encoding(Encoding::Notation).write(&Value::from([Date(f64::NAN)]));
    assert_eq!(date.unwrap_err().to_string(), "cannot write a date of NaN seconds as text in /0");
}

#[test]
fn values_stand_one_behind_the_other() {
    let bytes = b"<llsd><integer>1</integer></llsd><? LLSD/Binary ?>\ni\0\0\0\x02<? llsd/notation ?>\ni3 ";
    let mut rest = &bytes[..];
    let mut found = Vec::new();
    while !rest.trim_ascii().is_empty() {
        let (value, used) = ReadOptions::new().read_used(rest).unwrap();
        found.push(value.as_integer());
        rest = &rest[used..];
    }
    assert_eq!(found, [1, 2, 3]);
}
