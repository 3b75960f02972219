//! Values and bytes that are known from other sources, read and written.

use llsd::errors::ErrorKind;
use llsd::{Date, Encoding, Map, ReadOptions, Text, Uri, Uuid, Value, read_binary, write_binary};

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
        // Only dates are little-endian: 2008-01-01T20:10:31Z.
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
        "expected a type marker such as 'i', 's', '[' or '{', found 'x' in /a/1 at offset 0x15"
    );
    let deep = [b"[\0\0\0\x01".repeat(96), b"!".to_vec(), b"]".repeat(96)].concat();
    let read = |depth| ReadOptions::new().encoding(Encoding::Binary).max_depth(depth).read(&deep);
    assert!(matches!(read(96).unwrap_err().kind(), ErrorKind::Limit(_)));
    assert_eq!(read(97).unwrap().find("/0".repeat(96)), Some(&Value::Undef));
}

#[test]
fn a_million_deep() {
    let n = 1_000_000;
    for (begin, end) in [(b"[\0\0\0\x01".as_slice(), b"]"), (b"{\0\0\0\x01k\0\0\0\x01a", b"}")] {
        let deep = [&*begin.repeat(n), b"!", &*end.repeat(n)].concat();
        let value = ReadOptions::new().encoding(Encoding::Binary).max_depth(2_000_000).read(&deep).unwrap();
        assert!(value == value.clone());
        assert!(write_binary(&value).unwrap() == deep);
    }
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
        (b"'\\a\\x41\\q\\\\'", "'\\aAq\\\\'"),
        (b"r-4e-005", "r-0.00004"),
        (b"[r5.,r.5,r+1,rnan,r-nan,rINF,r-inf]", "[r5, r0.5, r1, rnan, r-nan, rinf, r-inf]"),
        (b"i 12", "i12"),
        (b"b(3)\"a\"\xff\"", "b16\"6122ff\""),
        (b"b64\"YW\nJj!ignored\"", "b16\"616263\""),
        (b"b16\"DEad\"", "b16\"dead\""),
        (b"d\"\"", "d\"1970-01-01T00:00:00Z\""),
        (b"d\"2006-02-01T14:29:53+01:30\"", "d\"2006-02-01T12:59:53Z\""),
        (
            b"d\"nonsense\"",
            "error: expected a valid date such as 2006-02-01T14:29:53Z, found \"nonsense\" at line 1, column 2",
        ),
        // Three cases that are not among the vectors. Colons are missing, and three peers refuse them.
        (
            b"d\"2006-02-01T1429:53.460000Z\"",
            "error: expected a valid date such as 2006-02-01T14:29:53Z, found \"2006-02-01T1429:53.460000Z\" \
             at line 1, column 2",
        ),
        (
            b"d\"2006-02-01T14:2953Z\"",
            "error: expected a valid date such as 2006-02-01T14:29:53Z, found \"2006-02-01T14:2953Z\" \
             at line 1, column 2",
        ),
        (b"{'a':i1,'a':i2}", "{'a':i1}"),
        (b"i1 i2", "i1"),
        (
            b"i2147483648",
            "error: expected a 32-bit integer after 'i', found \"2147483648\" at line 1, column 2",
        ),
        (b"r1e", "error: expected a real number after 'r', found \"1e\" at line 1, column 2"),
        (b"'\\xzz'", "error: expected two hexadecimal digits after \\x, found \"zz\" at line 1, column 4"),
        (b"b16\"abc\"", "error: malformed base16 at line 1, column 5"),
        (b"{'a':[i1,\n\n z]}", "error: expected a value, found 'z' in /a/1 at line 3, column 2"),
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
        // As in the viewer, the last value counts, whatever its type.
        ("<integer>1</integer><integer>2</integer>", "i2"),
        ("<map><key>a</key><integer>1</integer></map> <array /><key>x</key>", "[]"),
        ("<integer>1</integer><html>x</html>", "!"),
        ("", "!"),
        (
            "<string>&nbsp;</string>",
            "error: unknown entity \"nbsp\" (expected amp, lt, gt, apos, quot, or a number such as #160) at line 1, column 15",
        ),
        (
            "<string>&#1;</string>",
            "error: the reference &#1; is a character that XML does not allow at line 1, column 15",
        ),
        (
            "<string>\u{1}</string>",
            "error: found the character U+0001, which XML does not allow at line 1, column 15",
        ),
        ("<string>]]></string>", "error: `]]>` in text outside CDATA (write `]]&gt;`) at line 1, column 15"),
        ("<string>a & b</string>", "error: found a literal & (write it as &amp;) at line 1, column 17"),
        (
            "<map><key>a</key><array></map>",
            "error: expected </array>, found </map> in /a/0 at line 1, column 31",
        ),
        ("<string a=\"1\" a=\"2\"/>", "error: duplicate attribute \"a\" at line 1, column 7"),
        ("<string a=1/>", "error: malformed attribute (expected name=\"value\") at line 1, column 7"),
        (
            "<a><!-- -- --></a>",
            "error: two hyphens (--) in a comment, which XML does not allow at line 1, column 15",
        ),
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
    // A byte order mark moves the position of an error, and changes nothing else.
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
        // A tolerant reader reads all of them.
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
    assert_eq!(value("'-2.345'").to_integer(), -2);
    assert_eq!((value("'1x'").to_real(), value("'nan'").to_real()), (0.0, 0.0));
    assert_eq!((value("' .5'").to_real(), value("'-.5'").to_real()), (0.5, -0.5));
    assert!(value("'false'").to_boolean() && !value("''").to_boolean() && !value("rnan").to_boolean());
    assert_eq!((value("rnan").to_integer(), value("r1e10").to_integer()), (0, i32::MAX));
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
        assert_eq!(&*Value::from(real).to_text(), text);
    }
    assert_eq!(value("d\"2006-02-01T14:29:53Z\"").to_integer(), 1_138_804_193);
    assert_eq!(
        value("'d7f4aeca-88f1-42a1-b385b9db18abb255'").to_uuid().to_string(),
        "d7f4aeca-88f1-42a1-b385-b9db18abb255"
    );
    assert!(value("[i1]").to_boolean() && !value("{}").to_boolean());
}

#[test]
fn paths_lead_to_values() {
    let mut value = llsd::read_notation(b"{'a':[i0,{'b':'x'}],'n':i1}").unwrap();
    assert_eq!(value.find("a/1/b").and_then(Value::as_str), Some("x"));
    assert_eq!(value.set("a/1/b", 2).unwrap(), Some("x".into()));
    assert_eq!(value.set("a/2", true).unwrap(), None);
    let before = value.clone();
    for (path, what) in [
        ("n/x", "expected an array or a map, found a value of type integer in /n"),
        ("a/9", "expected an array index of at most 3 (index 3 adds a value at the end), found 9 in /a/9"),
        ("a[9]/x", "expected an array index of at most 3 (index 3 adds a value at the end), found 9 in /a/9"),
        ("a/x", "expected an array index, found a name in /a/x"),
        ("[0]", "expected a map key, found an index in brackets in /0"),
        ("new[1]", "expected index 0 for the first value of a new array, found 1 in /new/1"),
    ] {
        let error = value.set(path, 1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::InvalidArgument(_)));
        assert_eq!(error.to_string(), what);
        assert!(value.identical(&before));
    }
    assert_eq!(value.set("new/0/deep", 1.5).unwrap(), None);
    assert_eq!(value.remove("n"), Some(1.into()));
    assert_eq!(value.to_string(), "{'a':[i0, {'b':i2}, true], 'new':[{'deep':r1.5}]}");
    assert_eq!(value.find("").unwrap().len(), 2);
}

#[test]
fn names_in_paths_are_escaped() {
    let keys = ["a/b", "a\\", "[0]", "x[1]", "a[b]", "", "/", "7", "\\/"];
    let value = Value::from(keys.iter().map(|key| (*key, Value::from(*key))).collect::<Map>());
    for (path, key) in [
        (r"a\/b", "a/b"),
        (r"a\\", "a\\"),
        (r"\[0]", "[0]"),
        (r"x\[1]", "x[1]"),
        // Brackets that are not an index need no escape.
        (r"a[b]", "a[b]"),
        (r"\/", "/"),
        ("7", "7"),
        (r"\\\/", "\\/"),
        ("/", ""),
    ] {
        assert_eq!(value.find(path).and_then(Value::as_str), Some(key), "{path}");
    }
    // The path of an error leads to its value.
    for key in keys {
        let mut inner = Map::new();
        inner.push(key, Date(f64::NAN));
        let value = Value::from([Value::Undef, inner.into()]);
        let error = llsd::write_notation(&value).unwrap_err();
        assert_eq!(value.find(error.path()).map(Value::type_name), Some("date"), "{error}");
    }
    let value = llsd::read_notation(b"{'a':[[i1,i2],{'b':i3}]}").unwrap();
    for path in ["a[0][1]", "a/0/1", "/a/[0]/[1]", "a/[0][1]"] {
        assert_eq!(value.find(path), Some(&Value::Integer(2)), "{path}");
    }
    assert_eq!(value.find("a[1]/b"), Some(&Value::Integer(3)));
}

#[test]
fn what_is_missing_is_undef_by_index() {
    let value = llsd::llsd!({"a": [1, {"b": "c"}], "n": undef});
    assert_eq!(value["a"][1]["b"].as_str(), Some("c"));
    assert!(value["x"]["y"][3].is_undef() && value["a"]["a"].is_undef() && value["n"].is_undef());
    assert_eq!(value.as_map().unwrap()["a"][0], Value::Integer(1));
}

#[test]
fn bytes_are_binary_in_any_form() {
    let binary = Value::Binary(vec![1, 2].into());
    for value in [Value::from([1_u8, 2]), (&[1_u8, 2]).into(), vec![1_u8, 2].into(), (&[1_u8, 2][..]).into()]
    {
        assert_eq!(value, binary);
    }
    assert_eq!(Value::from([1, 2]).as_array().map(<[Value]>::len), Some(2));
}

#[test]
fn literals() {
    let id = Uuid([1; 16]);
    let more = vec![Value::Real(0.5)];
    let value = llsd::llsd!({
        "a": 1, "b": -2.5, "c": [true, undef, [], {}, "x", 1 + 1, more], "d": { "id": id, }, "e": undef,
    });
    assert_eq!(
        value.to_string(),
        "{'a':i1, 'b':r-2.5, 'c':[true, !, [], {}, 'x', i2, [r0.5]], \
         'd':{'id':u01010101-0101-0101-0101-010101010101}, 'e':!}"
    );
    assert!(llsd::llsd!(undef).is_undef() && llsd::llsd!([]) == Value::Array(Default::default()));
    assert_eq!(llsd::llsd!("x"), Value::from("x"));
    // If keys are equal, the last value counts, as in a map of Rust.
    assert_eq!(llsd::llsd!({"a": 1, "b": 2, "a": 3}).to_string(), "{'a':i3, 'b':i2}");
}

#[test]
fn exact_accessors_do_not_convert() {
    for text in ["!", "true", "i1", "r1", "u01010101-0101-0101-0101-010101010101", "'1'", "d\"\"", "l\"1\""] {
        let value = llsd::from_str(text).unwrap();
        let found = [
            ("boolean", value.as_boolean().is_some()),
            ("integer", value.as_integer().is_some()),
            ("real", value.as_real().is_some()),
            ("uuid", value.as_uuid().is_some()),
            ("string", value.as_str().is_some()),
            ("date", value.as_date().is_some()),
            ("uri", value.as_uri().is_some()),
            ("binary", value.as_binary().is_some()),
            ("array", value.as_array().is_some()),
            ("map", value.as_map().is_some()),
        ];
        for (name, found) in found {
            assert_eq!(found, name == value.type_name(), "{text} as {name}");
        }
        assert_eq!(value.as_text().is_some(), value.as_str().is_some());
    }
}

#[test]
fn findings_have_paths() {
    let mut map = Map::from([("a", Value::from([f64::NAN])), ("b", Date(f64::INFINITY).into())]);
    map.push("a", Text::from(b"\xff"));
    let value = Value::from([Value::Undef, Map::from([("in", map)]).into()]);
    let texts: Vec<String> = llsd::check(&value).iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 4, "{texts:#?}");
    assert!(
        texts[0].starts_with("error[llsd.duplicate-keys] in /1/in: duplicate key \"a\"; rule: "),
        "{texts:#?}"
    );
    assert!(texts[1].starts_with("warning[llsd.finite-reals] in /1/in/a/0: found NaN; rule: "), "{texts:#?}");
    assert!(
        texts[2].starts_with("error[llsd.dates] in /1/in/b: found inf seconds from 1970; rule: "),
        "{texts:#?}"
    );
    assert!(texts[3].starts_with("warning[llsd.utf8] in /1/in/a: invalid UTF-8 at byte 0;"), "{texts:#?}");
}

#[test]
fn each_rule_has_a_value_that_breaks_it() {
    let deep = (0..96).fold(Value::Undef, |value, _| Value::from([value]));
    let mut twice = Map::from([("a", 1)]);
    twice.push("a", 2);
    let values = [
        ("llsd.depth", deep),
        ("llsd.finite-reals", f64::NAN.into()),
        ("llsd.dates", Date(f64::NAN).into()),
        ("llsd.utf8", Text::from(b"\xff").into()),
        ("llsd.xml-characters", "\u{1}".into()),
        ("llsd.empty-keys", Map::from([("", 1)]).into()),
        ("llsd.duplicate-keys", twice.into()),
    ];
    let ids: Vec<&str> = llsd::errors::RULES.iter().map(|rule| rule.id).collect();
    // These concern bytes, and cannot be found in a value.
    assert_eq!(ids[..4], ["llsd.malformed", "llsd.skipped", "llsd.separators", "llsd.colons"]);
    assert_eq!(ids[4..], values.each_ref().map(|(id, _)| *id));
    for (id, value) in values {
        let findings = llsd::check(&value);
        assert_eq!(findings.iter().map(|finding| finding.rule.id).collect::<Vec<_>>(), [id]);
    }
}

#[test]
fn what_cannot_be_written_is_named() {
    use llsd::{Controls, Header, WriteOptions};
    let value = llsd::read_notation(b"{'a':[!,'x\\x01y']}").unwrap();
    let xml = WriteOptions::new().encoding(Encoding::Xml).header(Header::None);
    let error = xml.write(&value).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot write the character U+0001 in XML (use binary or notation) in /a/1"
    );
    let dropped = xml.controls(Controls::Drop).write(&value).unwrap();
    assert_eq!(dropped, b"<llsd><map><key>a</key><array><undef /><string>xy</string></array></map></llsd>\n");
    let date = WriteOptions::new().encoding(Encoding::Notation).write(&Value::from([Date(f64::NAN)]));
    assert_eq!(
        date.unwrap_err().to_string(),
        "cannot write a date NaN seconds from 1970 as text (use the binary encoding) in /0"
    );
}

#[test]
fn values_follow_each_other() {
    let bytes = b"<llsd><integer>1</integer> </llsd><? LLSD/Binary ?>\ni\0\0\0\x02<? llsd/notation ?>\ni3 ";
    let mut rest = &bytes[..];
    let mut found = Vec::new();
    while !rest.trim_ascii().is_empty() {
        let (value, used) = ReadOptions::new().read_used(rest).unwrap();
        found.push(value.to_integer());
        rest = &rest[used..];
    }
    assert_eq!(found, [1, 2, 3]);
}

#[test]
fn integers_are_the_digits_of_the_standard_library() {
    let mut numbers: Vec<i64> =
        (0..10).flat_map(|power| [-1, 0, 1].map(|step| 10_i64.pow(power) + step)).collect();
    numbers.extend([i64::from(i32::MAX), 1 << 31, 42, 99_999_999, 2_100_000_000]);
    numbers.extend((0..10_000).flat_map(|value| [value, value * 10_000, value * 214_753]));
    for value in numbers.iter().flat_map(|value| [*value, -value]) {
        let Ok(value) = i32::try_from(value) else { continue };
        assert_eq!(llsd::write_notation(&value.into()).unwrap(), format!("i{value}").as_bytes());
    }
}

#[test]
fn findings_at_the_end_of_a_long_document_take_no_longer() {
    let mut values = vec![Value::from(1); 2_000_000];
    values.extend((0..200).map(|_| Value::from(f64::NAN)));
    let findings = llsd::check(&Value::from(values));
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((&*finding.path, &*finding.more[98].0, finding.count), ("/2000000", "/2000099", 200));
}

/// OpenSim's `ScriptSyntax.xml` begins with a line that has the id of the content. An edit keeps it.
#[test]
fn an_id_before_xml() {
    let file =
        b"5f4dcc3b-5aa7-65d6-1d83-27deb882cf99\r\n<llsd><map><key>a</key><integer>1</integer></map></llsd>\n";
    assert_eq!(llsd::detect(file), Some(Encoding::Xml));
    let mut document = llsd::Document::from_slice(file).expect("a document");
    assert_eq!(document.value.get("a"), Some(&Value::from(1)));
    assert_eq!(document.to_vec().expect("written"), file);
    document.set("a", 2).expect("an edit");
    let expected = String::from_utf8(file.to_vec()).expect("text").replace("<integer>1<", "<integer>2<");
    assert_eq!(String::from_utf8(document.to_vec().expect("written")).expect("text"), expected);
    // Without a line of its own, or before something else, it is notation.
    assert!(llsd::from_slice(b"5f4dcc3b-5aa7-65d6-1d83-27deb882cf99<llsd><undef /></llsd>").is_err());
}
