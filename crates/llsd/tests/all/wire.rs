//! Details of the encodings that few files use, each compared with the specification.

use bstr::BString;
use llsd::errors::ErrorKind;
use llsd::{Map, ReadOptions, Value, read_binary, read_notation, read_xml, write_notation};

fn strict() -> ReadOptions {
    ReadOptions::new().strict(true)
}

/// Escapes text as notation: letters for the seven escapes of C, a backslash before quotes and backslashes, and `\x`
/// with two digits for all other characters that are not printable ASCII.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = b"'".to_vec();
    for &byte in text {
        match (byte, b"\x07\x08\x0c\n\r\t\x0b".iter().position(|&known| known == byte)) {
            (_, Some(index)) => out.extend([b'\\', b"abfnrtv"[index]]),
            (b'\'' | b'\\', _) => out.extend([b'\\', byte]),
            (b' '..=b'~', _) => out.push(byte),
            _ => out.extend(format!("\\x{byte:02x}").bytes()),
        }
    }
    out.push(b'\'');
    out
}

#[test]
fn notation_escapes_each_byte_wherever_it_is() {
    assert_eq!(escaped(b"\x07\x08\t\n\x0b\x0c\r\\'\x01"), br"'\a\b\t\n\v\f\r\\\'\x01'");
    let same = |text: &[u8]| {
        let value = Value::String(BString::from(text).into());
        let written = write_notation(&value).unwrap();
        assert!(written.ends_with(&escaped(text)), "{:?}", BString::from(written));
        assert_eq!(read_notation(&written).unwrap(), value);
    };
    for byte in 0..=255 {
        // The code compares words of eight bytes, up to 22 bytes together.
        for len in 1..=24 {
            same(&vec![byte; len]);
            for at in 0..len {
                let mut text = vec![b'a'; len];
                text[at] = byte;
                same(&text);
                // The same byte in each word.
                text.iter_mut().skip(at % 8).step_by(8).for_each(|other| *other = byte);
                same(&text);
            }
        }
    }
}

fn is_end(error: &llsd::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEnd)
}

#[test]
fn malformed_notation() {
    for text in ["[2]", "[-1]", "[+1]"] {
        let error = read_notation(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("a number has no prefix"), "{text}: {error}");
    }
    for text in [r"'abc\", "'abc", r"'abc\x4", "b", "b6", "b1", "s(2)'a"] {
        assert!(is_end(&read_notation(text.as_bytes()).unwrap_err()), "{text}");
    }
    for text in ["i1.5", "i1e5", "b7'", "[i1e]"] {
        assert!(read_notation(text.as_bytes()).is_err(), "{text}");
    }
    assert_eq!(strict().read(b"[s(1)'a',s(1)\"b\"]").unwrap(), Value::from(["a", "b"]));
    for text in ["[,!]", "{,'a':!}", "s(1)'a\"", "{'a'::i1}"] {
        assert!(strict().read(text.as_bytes()).is_err(), "{text}");
    }
    // The viewer skips every colon and all white space before a value.
    assert_eq!(read_notation(b"{'a' : :: i1}").unwrap(), Map::from([("a", 1)]).into());
}

#[test]
fn strings_end_with_their_quote() {
    for text in [&br#""a\'b""#[..], br#"'a\'b'"#, br#"'a\x27b'"#, br#""a'b""#] {
        assert_eq!(read_notation(text).unwrap(), Value::from("a'b"));
    }
}

#[test]
fn every_element_is_read_in_any_spelling() {
    for (name, text, value) in [
        ("boolean", "true", "1"),
        ("integer", "-7", "i-7"),
        ("real", "0.5", "r0.5"),
        ("uuid", "67153d5b-3659-afb4-8510-adda2c034649", "u67153d5b-3659-afb4-8510-adda2c034649"),
        ("string", "text", "'text'"),
        ("date", "2006-02-01T14:29:53Z", "d\"2006-02-01T14:29:53Z\""),
        ("uri", "data:,", "l\"data:,\""),
        ("binary", "AQI=", "b16\"0102\""),
        ("undef", "", "!"),
    ] {
        let value = read_notation(value.as_bytes()).unwrap();
        for start in [format!("<{name}>"), format!("<{name} >"), format!("<{name}\n a='b' >")] {
            for text in [text.to_owned(), format!("<![CDATA[{text}]]>"), format!("<!-- - -->{text}<?a b?>")] {
                for options in [ReadOptions::new(), strict()] {
                    let document = format!("<llsd>{start}{text}</{name} ></llsd>");
                    assert_eq!(options.read(document.as_bytes()).unwrap(), value, "{document}");
                }
            }
        }
    }
    let bytes = Value::Binary(vec![1, 2].into());
    for (base, text) in [("", "AQI="), ("base64", "AQI="), ("base16", "0102"), ("base85", "0Rj")] {
        for document in
            ['\'', '"'].map(|q| format!("<llsd><binary encoding={q}{base}{q}>{text}</binary></llsd>"))
        {
            assert_eq!(read_xml(document.as_bytes()).unwrap(), bytes, "{document}");
        }
    }
    // An empty element has the default value, as in the viewer; `undef` may only contain white space.
    assert_eq!(strict().read(b"<llsd><real></real></llsd>").unwrap(), Value::Real(0.0));
    assert_eq!(strict().read(b"<llsd><undef> </undef></llsd>").unwrap(), Value::Undef);
    assert!(strict().read(b"<llsd><undef>x</undef></llsd>").is_err());
}

#[test]
fn xml_is_refused_where_xml_says_so() {
    // Each document is read if the wrong part is left out.
    assert!(read_xml(b"<?xml version=\"1.0\"?><!-- a --><?a b?><llsd a='b' c='d'><a:b/></llsd>").is_ok());
    for (text, what) in [
        (&b"<llsd><1/></llsd>"[..], "malformed element name"),
        (b"<llsd><a!/></llsd>", "malformed element name"),
        (b"<llsd><a\xff/></llsd>", "malformed element name"),
        (b"<llsd 1='a'/>", "malformed attribute"),
        (b"<llsd a='b'c='d'/>", "expected white space before an attribute"),
        (b"<llsd a='b' a='d'/>", "duplicate attribute \"a\""),
        (b"<llsd a='<'/>", "malformed attribute"),
        (b"<llsd a='\x01'/>", "malformed attribute"),
        (b"<llsd a='&b;'/>", "malformed attribute"),
        (b"<llsd a/>", "malformed attribute (expected name=\"value\")"),
        (b"<llsd a='b' /x>", "expected > or /> at the end of a tag"),
        (b"<llsd><!foo></llsd>", "expected a comment or a CDATA section after <!"),
        (b"<llsd><!doctype a></llsd>", "document type declaration"),
        (b"<?xml version='2.0'?><llsd/>", "malformed or misplaced XML declaration"),
        (b"<!-- a --><?xml version='1.0'?><llsd/>", "malformed or misplaced XML declaration"),
        (b"<?xml version='1.0' encoding='latin1'?><llsd/>", "character encoding"),
        (b"<llsd><?XML version='1.0'?></llsd>", "malformed processing instruction"),
        (b"<llsd><?a \x01?></llsd>", "malformed processing instruction"),
        (b"<llsd><?a \xff?></llsd>", "malformed processing instruction"),
        (b"<llsd><?xml version=\"1.0\"?></llsd>", "malformed or misplaced XML declaration"),
        (
            b"<?xml version='1.0'?><llsd><?xml version='1.0'?><undef/></llsd>",
            "malformed or misplaced XML declaration",
        ),
        (b"<?xml version='1.0'?>abc<llsd/>", "expected the root element <llsd>"),
        (b"<!-- a -->b<llsd/>", "expected the root element <llsd>"),
        (
            b"<llsd><array><![CDATA[\x01]]></array></llsd>",
            "found the character U+0001, which XML does not allow",
        ),
        (b"<llsd><array>\x01</array></llsd>", "found the character U+0001, which XML does not allow"),
        (
            b"<llsd><string>ab\x01</string></llsd>",
            "found the character U+0001, which XML does not allow at line 1, column 17",
        ),
        (
            "<llsd><string>é\x01</string></llsd>".as_bytes(),
            "found the character U+0001, which XML does not allow at line 1, column 16",
        ),
        (
            "<llsd><string>\u{fffe}</string></llsd>".as_bytes(),
            "found the character U+FFFE, which XML does not allow",
        ),
        (
            "<llsd><string>ab\u{fffe}</string></llsd>".as_bytes(),
            "found the character U+FFFE, which XML does not allow",
        ),
        (
            "<llsd><string>\r\u{ffff}</string></llsd>".as_bytes(),
            "found the character U+FFFF, which XML does not allow",
        ),
        (b"<llsd><string>\xff</string></llsd>", "bytes that are not UTF-8"),
        (b"<llsd><string>a]]&gt;]]></string></llsd>", "`]]>` in text"),
        (b"<llsd><string>a]]>b</string></llsd>", "`]]>` in text"),
    ] {
        let error = read_xml(text).unwrap_err().to_string();
        assert!(error.contains(what), "{:?}: {error}", BString::from(text));
    }
    for text in [
        &b"<llsd"[..],
        b"<llsd/",
        b"<llsd ",
        b"<llsd a='b'",
        b"<llsd a='b",
        b"<llsd a='b' ",
        b"<llsd><string>a",
        b"<!-- a",
        b"<!-- a -->",
        b"<llsd><!d",
    ] {
        assert!(is_end(&read_xml(text).unwrap_err()), "{:?}", BString::from(text));
    }
    for text in [
        &b"<?xml-stylesheet href='a'?><llsd><integer>1</integer></llsd>"[..],
        b"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><llsd><integer>1</integer></llsd>",
        b"<?xml version='1.0'?>\n\xef\xbb\xbf\n<llsd><integer>1</integer></llsd>",
        b"<llsd a='&lt;&#65;'><integer>1</integer></llsd>",
        b"<llsd><?a b?><integer>1</integer><!-- c --></llsd>",
        b"<llsd><integer><?a \xc3\xa4\r\n?>1</integer></llsd>",
    ] {
        assert_eq!(read_xml(text).unwrap(), Value::Integer(1), "{:?}", BString::from(text));
    }
    for (text, value) in [
        ("a\r\nb\rc]ä", "a\nb\nc]ä"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("é]] &#x41;", "é]] A"),
        ("<![CDATA[a]]>b", "ab"),
    ] {
        let document = format!("<llsd><string>{text}</string></llsd>");
        assert_eq!(read_xml(document.as_bytes()).unwrap(), Value::from(value), "{text:?}");
    }
}

#[test]
fn lengths_of_binary_are_as_the_viewer_reads_them() {
    // A negative length means no bytes, a negative count no entries, and an unknown marker an empty key.
    let map = Value::Map(Map::from([("", Value::Integer(1))]));
    for (bytes, value) in [
        (&b"b\xff\xff\xff\xff"[..], Value::Binary(Vec::new().into())),
        (b"[\xff\xff\xff\xff]", Value::Array(Vec::new().into())),
        (b"{\0\0\0\x01?i\0\0\0\x01}", map),
    ] {
        assert_eq!(read_binary(bytes).unwrap(), value);
        assert!(strict().encoding(llsd::Encoding::Binary).read(bytes).is_err(), "{:?}", BString::from(bytes));
    }
    for (bytes, what) in [
        (&b"s\xff\xff\xff\xff"[..], "expected a length of 0 or more, found -1"),
        (b"]", "expected a type marker such as 'i', 's', '[' or '{'"),
        (b"[\0\0\0\x01]", "the array or map ends before its declared number of entries"),
        (b"[\0\0\0\x02!]", "the array or map ends before its declared number of entries"),
        (b"{\0\0\0\x01}", "the array or map ends before its declared number of entries"),
        (b"[\0\0\0\0}", "after the declared number of entries"),
    ] {
        let error = read_binary(bytes).unwrap_err().to_string();
        assert!(error.contains(what), "{:?}: {error}", BString::from(bytes));
    }
}

#[test]
fn errors_below_a_thousand_containers_have_no_path() {
    let path = |depth: usize| {
        let text = "[".repeat(depth) + "?";
        ReadOptions::new().max_depth(2000).read(text.as_bytes()).unwrap_err().path().to_owned()
    };
    assert_eq!(path(3), "/0/0/0");
    // The middle of a long path is left out.
    let ends = "/0".repeat(20);
    assert_eq!([path(1000), path(1001)], [format!("{ends}/…{ends}"), String::new()]);
}

#[test]
fn long_texts_are_memory() {
    let text = "a".repeat(1000);
    for document in [format!("'{text}'"), format!("l\"{text}\""), format!("{{'{text}':!}}")] {
        let read = |max_bytes| ReadOptions::new().max_bytes(max_bytes).read(document.as_bytes());
        assert!(matches!(read(900).unwrap_err().kind(), ErrorKind::Limit(_)), "{document:.9}");
        assert!(read(2000).is_ok(), "{document:.9}");
    }
}

#[test]
fn memory_of_elements_is_counted_once() {
    // A thousand elements of a hundred bytes each, from 136 letters of base64, or from a reference and 99 letters.
    let zeros = format!("{}A==", "A".repeat(133));
    let letters = "a".repeat(99);
    for element in [format!("<binary>{zeros}</binary>"), format!("<string>&lt;{letters}</string>")] {
        let document = format!("<llsd><array>{}</array></llsd>", element.repeat(1000));
        let read = |max_bytes| ReadOptions::new().max_bytes(max_bytes).read(document.as_bytes());
        assert!(matches!(read(100_000).unwrap_err().kind(), ErrorKind::Limit(_)), "{element}");
        // The values, and twice as much again while the array grows.
        let values = size_of::<Value>() as u64 * 1024;
        assert!(read(100_000 + values * 3).is_ok(), "{element}");
    }
    // Each `z` in Adobe's base85 means four zero bytes.
    let zeros =
        format!("<llsd><binary encoding='base85'><![CDATA[<~{}~>]]></binary></llsd>", "z".repeat(1000));
    let read = |max_bytes| ReadOptions::new().max_bytes(max_bytes).read(zeros.as_bytes());
    assert!(matches!(read(3500).unwrap_err().kind(), ErrorKind::Limit(_)));
    assert_eq!(read(10_000).unwrap(), Value::Binary(vec![0; 4000].into()));
}

#[test]
fn what_looks_like_a_root_is_one() {
    let known = |text: &str| llsd::detect(text.as_bytes());
    assert_eq!(known("<!-- a -->\n<llsd>"), Some(llsd::Encoding::Xml));
    assert_eq!([known("a <llsd>"), known("<llsda>"), known("<a>")], [None; 3]);
    for encoding in llsd::Encoding::ALL {
        assert_eq!(llsd::WriteOptions::new().encoding(*encoding).events().encoding(), *encoding);
    }
}

#[test]
fn strict_errors_are_where_their_element_begins() {
    for (text, what, offset) in [
        ("<llsd><integer >x</integer></llsd>", "expected a 32-bit integer", 6),
        ("<llsd><array><key>a</key></array></llsd>", "a <key> outside a map", 13),
        ("<llsd><array>  <uuid\n>x</uuid></array></llsd>", "expected a UUID (32 hexadecimal digits", 15),
    ] {
        let error = strict().read(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.offset(), Some(offset), "{error}");
    }
}

#[test]
fn empty_texts_are_written_as_the_viewer_does() {
    let value = Map::from([("", Value::from("")), ("a", llsd::Uri::from("").into())]).into();
    let written = llsd::write_xml(&value).unwrap();
    let expected = "<llsd><map><key></key><string /><key>a</key><uri /></map></llsd>\n";
    assert_eq!(BString::from(written), expected);
}

#[test]
fn another_encoding_than_was_asked_for_is_named() {
    for (encoding, text, found) in [
        (llsd::Encoding::Binary, &b"<llsd/>"[..], "XML"),
        (llsd::Encoding::Notation, b"<llsd/>", "XML"),
        (llsd::Encoding::Binary, b"['a']", "notation"),
        (llsd::Encoding::Xml, b"['a']", "notation"),
        (llsd::Encoding::Xml, b"[\0\0\0\0]", "binary"),
    ] {
        let asked = ReadOptions::new().encoding(encoding).read(text).unwrap_err().to_string();
        assert!(asked.starts_with(&format!("expected {encoding}, found {found}")), "{asked}");
        let header = [format!("<? {encoding} ?>\n").as_bytes(), text].concat();
        let named = llsd::from_slice(&header).unwrap_err().to_string();
        assert!(
            named.starts_with(&format!("the header names {encoding}, but the value is {found}")),
            "{named}"
        );
    }
}
