//! Input is never read as another encoding than it is, and each reading function reads what the matching function
//! writes.

use llsd::{Document, Duplicates, Encoding, Header, ReadOptions, Value, WriteOptions, transcode};

fn refusal(bytes: &[u8]) -> String {
    match llsd::from_slice(bytes) {
        Ok(value) => panic!("{:?} was read as {value}", bytes.escape_ascii().to_string()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_something_else_is_named() {
    let binary = b"{\0\0\0\x01k\0\0\0\x01ai\0\0\0\x01}";
    let headed = |header: &[u8], body: &[u8]| [header, body].concat();
    for (bytes, expected) in [
        (&b""[..], "the input is empty"),
        (b" \n", "the input is empty"),
        (binary, "binary LLSD without a header (use read_binary, or add the header `<? llsd/binary ?>`)"),
        (b"i\0\0\0\x07", "binary LLSD without a header"),
        (b"r\xbf\xf0\0\0\0\0\0\0", "binary LLSD without a header"),
        (b"\x1f\x8b\x08\0", "found gzip"),
        (b"\xff\xfe\0\0<\0\0\0", "text in UTF-32"),
        (b"\0\0\xfe\xff\0\0\0<", "text in UTF-32"),
        (b"\xff\xfe<\0l\0", "text in UTF-16"),
        (b"\xfe\xff\0<\0l", "text in UTF-16"),
        (b"<!DOCTYPE html><html></html>", "an HTML page"),
        (b"<?xml version=\"1.0\"?>\n<!doctype HTML PUBLIC><html></html>", "an HTML page"),
        (b"<!DOCTYPE html><llsd><map/></llsd>", "document type declaration"),
        (b"<llsd><string>a<!DOCTYPE html>b</string></llsd>", "document type declaration"),
        (b"<html><body>502</body></html>", "an HTML page"),
        (b"<!DOCTYPE llsd [<!ENTITY a 'b'>]><llsd/>", "document type declaration"),
        (b"<note/>", "expected the root element <llsd>; found XML"),
        (b"<LLSD><integer>1</integer></LLSD>", "expected the root element <llsd> in lower case"),
        (b"{\"id\": 1, \"name\": \"x\"}", "the input is not LLSD; found JSON at line 1, column 1"),
        (b" [{\"on\": true, \"at\": {}}]", "the input is not LLSD; found JSON at line 1, column 2"),
        (b"{\"name\": \"a \\\"i1\\\" b\"}", "found JSON"),
        (b"{\"id\": 1.5e-3, \"cut off", "found JSON"),
        (b"[1, 0, null]", "found JSON"),
        (b"[1, 20]", "found JSON"),
        (b"-1", "found JSON"),
        (b"null", "found JSON"),
        (b"{'id': 1234}", "a number has no prefix (write 'i' before an integer or 'r' before a real) in /id"),
        (b"1984 was a year", "a number has no prefix (write 'i' before an integer or 'r' before a real)"),
        (b"true story", "unexpected input after the end of the LLSD value"),
        (b"{}garbage", "unexpected input after the end of the LLSD value"),
        (b"hello", "the input is not LLSD"),
        (b"version 1.00\n", "a Roblox mesh"),
        (b"<roblox!\x89\xff\r\n\x1a\n", "a binary Roblox document"),
        (b"<roblox version=\"4\"></roblox>", "a Roblox document in XML"),
    ] {
        let found = refusal(bytes);
        assert!(found.contains(expected), "{:?}: {found}", bytes.escape_ascii().to_string());
    }
    for (header, body, expected) in [
        (
            &b"<? llsd/notation ?>\n"[..],
            &binary[..],
            "the header names llsd/notation, but the value is binary",
        ),
        (
            b"<? llsd/notation ?>\n",
            b"<llsd><undef/></llsd>",
            "the header names llsd/notation, but the value is XML",
        ),
        (
            b"<? LLSD/Binary ?>\n",
            b"<llsd><undef/></llsd>",
            "the header names LLSD/Binary, but the value is XML",
        ),
        (b"<? LLSD/Binary ?>\n", b"{'a':i1}", "the header names LLSD/Binary, but the value is notation"),
        (b"<? LLSD/XML ?>\n", b"{'a':i1}", "the header names LLSD/XML, but the value is notation"),
        (b"<? LLSD/XML ?>\n", binary, "the header names LLSD/XML, but the value is binary"),
        (b"<? llsd/notation ?>\n", b"", "expected a value after the header, found the end of the input"),
        (b"<? LLSD/Binary ?>\n", b"", "expected a value after the header, found the end of the input"),
    ] {
        let found = refusal(&headed(header, body));
        assert!(found.contains(expected), "{found}");
    }
    // A header that names another encoding than the requested one.
    let other = llsd::read_binary(b"<? llsd/notation ?>\ni1").unwrap_err().to_string();
    assert!(other.contains("expected LLSD/Binary, but the header names llsd/notation"), "{other}");
    assert!(
        llsd::read_notation(b"<llsd><undef/></llsd>")
            .unwrap_err()
            .to_string()
            .contains("expected llsd/notation, found XML")
    );
    assert!(
        llsd::read_xml(b"{'a':i1}").unwrap_err().to_string().contains("expected LLSD/XML, found notation")
    );
}

/// A text that is also JSON is read as notation if both have the same meaning, or if a letter shows that it is
/// notation.
#[test]
fn notation_that_looks_like_json_is_read() {
    for (text, expected) in [
        ("[1,0]", "[true, false]"),
        ("[]", "[]"),
        (" {} ", "{}"),
        ("[\"a\", true]", "['a', true]"),
        ("{\"a\":i1, \"b\":[1]}", "{'a':i1, 'b':[true]}"),
        ("{\"a\":1, \"b\":'c'}", "{'a':true, 'b':'c'}"),
        ("0", "false"),
    ] {
        for strict in [false, true] {
            let read = ReadOptions::new().strict(strict).read(text.as_bytes());
            assert_eq!(read.unwrap().to_string(), expected);
        }
    }
    for strict in [false, true] {
        assert!(ReadOptions::new().strict(strict).read(b"{\"id\": 1, \"name\": \"x\"}").is_err());
    }
    assert_eq!(llsd::read_notation(b"{\"id\":1}").unwrap(), llsd::llsd!({ "id": true }));
}

#[test]
fn strict_wants_the_value_alone() {
    let strict = ReadOptions::new().strict(true);
    for bytes in [
        &b"<? llsd/notation ?>\n{}garbage"[..],
        b"<llsd><undef/></llsd>x",
        b"<? LLSD/Binary ?>\n!!",
        b"1.5",
        b"<? llsd/notation ?>\n1.5",
        b"<llsd><integer>1</integer><integer>2</integer></llsd>",
    ] {
        assert!(strict.read(bytes).is_err(), "{:?}", bytes.escape_ascii().to_string());
    }
    assert!(strict.read(b"<? llsd/notation ?>\n{} \n").is_ok());
    // A tolerant reader ignores bytes after the value if there is a header; `read_used` always ignores them.
    assert!(llsd::from_slice(b"<? llsd/notation ?>\n{}garbage").is_ok());
    assert_eq!(strict.read_used(b"{}garbage").unwrap().1, 2);
}

#[test]
fn detection_agrees_with_reading() {
    for (bytes, expected) in [
        (&b"<? LLSD/Binary ?>\n!"[..], Some(Encoding::Binary)),
        (b"\xef\xbb\xbf<? LLSD/XML ?>\n<llsd><undef/></llsd>", Some(Encoding::Xml)),
        (b"\xef\xbb\xbf<?xml version='1.0'?><llsd><undef/></llsd>", Some(Encoding::Xml)),
        (b"<?llsd/notation?>!", Some(Encoding::Notation)),
        (b"<llsd ><undef/></llsd>", Some(Encoding::Xml)),
        (b"<html/>", None),
        (b"", None),
    ] {
        assert_eq!(llsd::detect(bytes), expected);
        assert_eq!(llsd::from_slice(bytes).is_ok(), expected.is_some());
    }
}

#[test]
fn what_one_writes_the_other_reads() {
    let value = llsd::llsd!({"a": [1, 0.5, undef, true], "b": {"c": "d"}});
    type Read = fn(&[u8]) -> llsd::Result<Value>;
    type Write = fn(&Value) -> llsd::Result<Vec<u8>>;
    let pairs: [(Encoding, Read, Write); 3] = [
        (Encoding::Binary, llsd::read_binary, llsd::write_binary),
        (Encoding::Xml, llsd::read_xml, llsd::write_xml),
        (Encoding::Notation, llsd::read_notation, llsd::write_notation),
    ];
    for (encoding, read, write) in pairs {
        assert_eq!(read(&write(&value).unwrap()).unwrap(), value);
        for header in [Header::Common, Header::None, Header::Viewer, Header::Python] {
            let bytes = WriteOptions::new().encoding(encoding).header(header).write(&value).unwrap();
            assert_eq!(read(&bytes).unwrap(), value, "{encoding} {header:?}");
            let marked = [b"\xef\xbb\xbf", bytes.as_slice()].concat();
            assert_eq!(read(&marked).is_ok(), encoding.is_text() || header != Header::None);
            // Only binary without a header cannot be detected.
            let known = encoding != Encoding::Binary || header != Header::None;
            assert_eq!(llsd::from_slice(&bytes).is_ok(), known, "{encoding} {header:?}");
        }
        let bytes = llsd::to_vec(&value, encoding).unwrap();
        assert_eq!(llsd::from_slice(&bytes).unwrap(), value);
        match llsd::to_string(&value, encoding) {
            Ok(text) => {
                assert_eq!((text.as_bytes(), llsd::from_str(&text).unwrap()), (&bytes[..], value.clone()))
            }
            Err(_) => assert_eq!(encoding, Encoding::Binary),
        }
        assert_eq!(Encoding::from_mime_type(encoding.mime_type()), Some(encoding));
    }
    // XML begins with an XML declaration instead of a header.
    let xml = llsd::to_string(&value, Encoding::Xml).unwrap();
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<llsd>"));
    assert!(llsd::write_xml(&value).unwrap().starts_with(b"<llsd>"));
    assert_eq!(Encoding::from_mime_type("Application/LLSD"), Some(Encoding::Xml));
}

#[test]
fn used_is_the_end_of_the_document() {
    let xml = b"<llsd><integer>1</integer> <!-- x --> </llsd><llsd><integer>2</integer></llsd>";
    let mut reader = ReadOptions::new().events(xml).unwrap();
    // `used` is right after the last event, even if no further event is requested.
    assert_eq!(reader.next_event().unwrap(), Some(llsd::Event::Scalar(llsd::Scalar::Integer(1))));
    assert_eq!(reader.used(), 45);
    assert_eq!(reader.next_event().unwrap(), None);
    assert_eq!(ReadOptions::new().read_used(&xml[45..]).unwrap(), (Value::Integer(2), xml.len() - 45));
}

/// An array with all kinds of maps with equal keys: nested, in the value that counts and in those that do not.
const TWICE: &str = "[{'a':i1,'b':i2,'a':i3,'c':i4,'b':i5},
    {'x':{'p':i1,'p':i2},'y':i0,'x':{'q':{'r':i1,'r':i2,'s':i3},'t':i4,'q':{'r':i5,'r':i6}}},
    {'k':i1,'k':{'k':i2,'k':i3},'k':{'k':i4,'k':{'z':i5,'y':i6,'z':i7}},'m':i8}]";

#[test]
fn the_value_that_counts_is_at_the_place_of_the_first() {
    let notation = |rule| ReadOptions::new().encoding(Encoding::Notation).duplicates(rule);
    let to = WriteOptions::new().encoding(Encoding::Notation);
    for (rule, expected) in [
        (
            Duplicates::Last,
            "[{'a':i3,'b':i5,'c':i4},{'x':{'q':{'r':i6},'t':i4},'y':i0},{'k':{'k':{'z':i7,'y':i6}},'m':i8}]",
        ),
        (Duplicates::First, "[{'a':i1,'b':i2,'c':i4},{'x':{'p':i1},'y':i0},{'k':i1,'m':i8}]"),
    ] {
        let read = notation(rule).read(TWICE.as_bytes()).unwrap();
        assert_eq!(to.write(&read).unwrap(), expected.as_bytes());
        let transcoded = transcode(TWICE.as_bytes(), &notation(rule), &to).unwrap();
        assert_eq!(String::from_utf8(transcoded).unwrap(), expected);
    }
    let error = transcode(TWICE.as_bytes(), &notation(Duplicates::Error), &to).unwrap_err();
    assert!(error.to_string().starts_with("duplicate key \"a\" in /0/a at line 1, "), "{error}");
    // In XML, the last of equal keys counts, and the last of two values.
    let xml = b"<llsd><map><key>a</key><undef/></map><map><key>a</key><integer>1</integer>\
        <key>b</key><integer>2</integer><key>a</key><integer>3</integer></map></llsd>";
    assert_eq!(transcode(xml, &ReadOptions::new(), &to).unwrap(), b"{'a':i3,'b':i2}");
    assert_eq!(llsd::read_xml(xml).unwrap().to_string(), "{'a':i3, 'b':i2}");
}

#[test]
fn nested_equal_keys_take_no_longer() {
    // Each level has two equal keys. Skipping a value that does not count must not read it again for each level.
    let depth = 100_000;
    let text = ["{'a':i1,'a':".repeat(depth), "i2".into(), "}".repeat(depth)].concat();
    let options = ReadOptions::new().encoding(Encoding::Notation).max_depth(u32::MAX).max_bytes(u64::MAX);
    for rule in [Duplicates::First, Duplicates::Last] {
        let from = options.clone().duplicates(rule);
        let to = WriteOptions::new().encoding(Encoding::Notation);
        let written = transcode(text.as_bytes(), &from, &to).unwrap();
        let levels = if rule == Duplicates::Last { depth } else { 1 };
        assert_eq!(written.len(), levels * 6 + 2);
    }
}

#[test]
fn an_unchanged_document_is_the_same_file() {
    let files: [&[u8]; 7] = [
        b"\xef\xbb\xbf<?xml version='1.0'?>\r\n<!-- c --> <llsd a='b'>\n <map><key>k</key><!-- d --><integer> 1</integer></map>\n</llsd>\nrest",
        b"\xef\xbb\xbf<? LLSD/XML ?>\n<?xml version=\"1.0\"?><llsd><integer>1</integer></llsd>",
        b"<llsd><map><key>a</key><integer>1</integer><key>a</key><integer>2</integer></map></llsd>",
        b"<? llsd/notation ?>\n{ 'a' : \"b\", 'c':s(1)'d' } trailing",
        b" \n[ t, r1.50 ]\n",
        b"<?llsd/binary?>\n{\0\0\0\x01'a'!}rest",
        b"<llsd><array><date>+99999999999-01-01T00:00:00Z</date></array></llsd>",
    ];
    for bytes in files {
        let document = Document::from_slice(bytes).unwrap();
        if let Ok(written) = document.to_vec() {
            assert_eq!(written.escape_ascii().to_string(), bytes.escape_ascii().to_string());
        }
        // The bytes around the value stay if the value is changed.
        let mut changed = document.clone();
        changed.value = Value::Integer(7);
        let written = changed.to_vec().unwrap();
        assert!(
            written.starts_with(document.layout.header()) && written.ends_with(document.layout.trailing())
        );
        assert_eq!(ReadOptions::new().read_used(&written).unwrap().0, Value::Integer(7));
    }
    let mut document = Document::from_slice(files[0]).unwrap();
    document.value.set("k", 2).unwrap();
    let written = String::from_utf8(document.to_vec().unwrap()).unwrap();
    assert_eq!(
        written,
        "\u{feff}<?xml version='1.0'?>\r\n<!-- c --> <llsd a='b'>\n <map><key>k</key><!-- d --><integer>2</integer></map>\n</llsd>\nrest"
    );
}

#[test]
fn lazy_values_are_those_that_are_built() {
    let value = llsd::from_str(
        "{'a':[i1,r2.5,[],{'x':!}],'b':'text','c':b64\"AAEC\",'d':d\"2006-02-01T14:29:53Z\",\
         'e':u01010101-0101-0101-0101-010101010101,'f':l\"u\",'g':true}",
    )
    .unwrap();
    fn same(lazy: llsd::Lazy<'_>, value: &Value) {
        assert_eq!(lazy.type_name(), value.type_name());
        assert_eq!(lazy.bytes(), llsd::write_binary(value).unwrap());
        assert_eq!(lazy.as_boolean(), value.as_boolean());
        assert_eq!(lazy.as_integer(), value.as_integer());
        assert_eq!(lazy.as_real(), value.as_real());
        assert_eq!(lazy.as_uuid(), value.as_uuid());
        assert_eq!(lazy.as_date(), value.as_date());
        assert_eq!(lazy.as_binary(), value.as_binary());
        assert_eq!(lazy.as_text().as_deref(), value.as_text().map(|text| &**text));
        assert_eq!(lazy.as_uri().as_deref(), value.as_uri().map(|uri| &*uri.0));
        let items: Vec<_> = lazy.items().into_iter().flatten().collect();
        let values = value.as_array().unwrap_or_default();
        assert_eq!(items.len(), values.len());
        items.iter().zip(values).for_each(|(lazy, value)| same(*lazy, value));
        let entries: Vec<_> = lazy.entries().into_iter().flatten().collect();
        let map = value.as_map().into_iter().flatten();
        assert_eq!(entries.len(), value.as_map().map_or(0, llsd::Map::len));
        for ((key, lazy), (other, value)) in entries.iter().zip(map) {
            assert_eq!(**key, **other);
            same(*lazy, value);
        }
        assert_eq!(lazy.to_value(&ReadOptions::new()).unwrap(), *value);
        let options = ReadOptions::new().max_bytes(lazy.cost());
        assert_eq!(lazy.to_value(&options).unwrap(), *value);
    }
    for bytes in [llsd::write_binary(&value).unwrap(), llsd::to_vec(&value, Encoding::Binary).unwrap()] {
        same(ReadOptions::new().lazy(&bytes).unwrap(), &value);
        let more = [&bytes[..], b"more"].concat();
        let (lazy, used) = ReadOptions::new().lazy_used(&more).unwrap();
        assert_eq!((used, lazy.get("a").and_then(|a| a.at(0)?.as_integer())), (bytes.len(), Some(1)));
        assert!(ReadOptions::new().strict(true).lazy(&more).is_err());
        assert!(ReadOptions::new().lazy(&bytes[..bytes.len() - 1]).is_err());
        assert!(ReadOptions::new().max_depth(2).lazy(&bytes).is_err());
    }
}
