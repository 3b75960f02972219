//! `check` finds what a strict reader refuses, with the path of each value.

use llsd::{Document, ReadOptions};

/// The path and the text of each finding.
type Expected = &'static [(&'static str, &'static str)];

/// A document, the value that the tolerant reader returns, and the findings.
const CASES: &[(&str, &str, Expected)] = &[
    (
        "<llsd><integer>99999999999</integer></llsd>",
        "i1215752191",
        &[("", "expected a 32-bit integer, found \"99999999999\"")],
    ),
    ("<llsd><integer>1x</integer></llsd>", "i1", &[("", "expected a 32-bit integer, found \"1x\"")]),
    (
        "<llsd><map><key>a</key><real>x</real></map></llsd>",
        "{'a':r0}",
        &[("/a", "expected only a number such as 0.5, found \"x\"")],
    ),
    (
        "<llsd><array><undef /><uuid>zz</uuid></array></llsd>",
        "",
        &[("/1", "expected a UUID (32 hexadecimal digits in groups of 8-4-4-4-12), found \"zz\"")],
    ),
    (
        "<llsd><date>yesterday</date></llsd>",
        "d\"1970-01-01T00:00:00Z\"",
        &[("", "expected a valid date such as 2006-02-01T14:29:53Z, found \"yesterday\"")],
    ),
    (
        "<llsd><date>2006-02-31T00:00:00Z</date></llsd>",
        "",
        &[("", "expected a valid date such as 2006-02-01T14:29:53Z, found \"2006-02-31T00:00:00Z\"")],
    ),
    ("<llsd><binary>!!</binary></llsd>", "b16\"\"", &[("", "malformed base64")]),
    (
        "<llsd><binary encoding='base7'>1</binary></llsd>",
        "!",
        &[("", "unknown encoding of <binary> (expected base64, base16 or base85)")],
    ),
    (
        "<llsd><boolean>maybe</boolean></llsd>",
        "false",
        &[("", "expected a boolean (1, true, 0 or false), found \"maybe\"")],
    ),
    ("<llsd><undef>x</undef></llsd>", "!", &[("", "<undef> contains text, but must be empty")]),
    (
        "<llsd><array><foo>2</foo></array></llsd>",
        "[!]",
        &[("/0", "unknown element <foo> (expected a value such as <string> or <map>)")],
    ),
    (
        "<llsd><map><key>a</key><key>b</key><undef /></map></llsd>",
        "{'b':!}",
        &[("/b", "a key without a value before another key")],
    ),
    ("<llsd><map><key>a</key></map></llsd>", "{}", &[("", "a key without a value at the end of a map")]),
    ("<llsd><map><undef /></map></llsd>", "{}", &[("", "a value in a map without a <key> before it")]),
    ("<llsd><array>x<undef /></array></llsd>", "[!]", &[("/0", "unexpected text between values")]),
    ("<llsd></llsd>", "!", &[("", "expected a value in <llsd>, found none")]),
    (
        "<llsd><integer>1</integer><integer>2</integer></llsd>",
        "i2",
        &[("", "a value followed by another one in <llsd>")],
    ),
    (
        "<llsd><integer>1</integer></llsd><llsd />",
        "i1",
        &[("", "unexpected input after the end of the LLSD value")],
    ),
    ("{a:i1}", "{}", &[("", "a character that is not part of a key in quotes (4 times)")]),
    (
        "{'a':i1,x,'b'::i2}",
        "{'a':i1, 'b':i2}",
        &[("/b", "a character that is not part of a key in quotes"), ("/b", "superfluous colon after a key")],
    ),
    (
        "{'a':tRuE}",
        "{'a':true}",
        &[("/a", "expected a boolean in lower or upper case, such as true or TRUE, found \"tRuE\"")],
    ),
    ("[i 1]", "[i1]", &[("/0", "expected a number directly after 'i' or 'r', found white space")]),
    ("[i1 i2]", "[i1, i2]", &[("/1", "missing comma (expected one between two values)")]),
    (
        "[i1,,i2,]",
        "[i1, i2]",
        &[
            ("/1", "superfluous comma (expected a single one between two values)"),
            ("/2", "unexpected comma before the end of an array or map"),
        ],
    ),
    ("[,i1]", "[i1]", &[("/0", "superfluous comma (expected a single one between two values)")]),
    ("{'a'i1}", "{'a':i1}", &[("/a", "expected a colon after a key, found 'i'")]),
    ("{'a':i1,'b':}", "{'a':i1}", &[("", "a key without a value at the end of a map")]),
    ("[s(0x1)'a']", "['a']", &[("/0", "expected a decimal length, found \"0x1\"")]),
    ("[s(1)'a\"]", "['a']", &[("/0", "the value begins and ends with different quotes")]),
    ("[b64\"QQ\"]", "[b16\"41\"]", &[("/0", "malformed base64")]),
    (
        "[d\"2006-02-31T00:00:00Z\"]",
        "",
        &[("/0", "expected a valid date such as 2006-02-01T14:29:53Z, found \"2006-02-31T00:00:00Z\"")],
    ),
];

#[test]
fn what_a_strict_reader_refuses_is_found() {
    let strict = ReadOptions::new().strict(true);
    for &(text, value, expected) in CASES {
        let document = Document::from_slice(text.as_bytes()).unwrap();
        if !value.is_empty() {
            assert_eq!(document.value.to_string(), value, "{text}");
        }
        assert!(strict.read(text.as_bytes()).is_err(), "{text}");
        let found: Vec<(String, String)> = document
            .check()
            .into_iter()
            .flat_map(|of| std::iter::once((of.path, of.found)).chain(of.more))
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(path, what)| (path.to_string(), what.to_string())).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// In each encoding, whether the first or the last of equal keys counts.
#[test]
fn equal_keys_are_found() {
    for bytes in [
        &b"<llsd><map><key>a</key><integer>1</integer><key>b</key><undef /><key>a</key><integer>2</integer></map></llsd>"[..],
        b"{'a':i1,'b':!,'a':i2}",
        b"<? llsd/binary ?>\n{\0\0\0\x03k\0\0\0\x01ai\0\0\0\x01k\0\0\0\x01b!k\0\0\0\x01ai\0\0\0\x02}",
    ] {
        let found = Document::from_slice(bytes).unwrap().check();
        let found: Vec<_> = found.iter().map(|of| (of.rule.id, of.path.as_str(), of.found.as_str())).collect();
        assert_eq!(found, [("llsd.duplicate-keys", "/a", "duplicate key \"a\"")]);
    }
}

#[test]
fn binary_too() {
    for (bytes, path, what) in [
        (
            &b"<? llsd/binary ?>\n[\0\0\0\x01b\xff\xff\xff\xff]"[..],
            "/0",
            "expected a length of 0 or more, found -1",
        ),
        (b"<? llsd/binary ?>\n[\xff\xff\xff\xff]", "", "expected an entry count of 0 or more, found -1"),
        (b"<? llsd/binary ?>\n{\0\0\0\x01x!}", "/", "expected a key marker (k, ' or \"), found 'x'"),
    ] {
        let found = Document::from_slice(bytes).unwrap().check();
        let first = found.iter().find(|of| of.rule.id == "llsd.malformed").unwrap();
        assert_eq!((first.path.as_str(), first.found.as_str()), (path, what));
        assert!(ReadOptions::new().strict(true).read(bytes).is_err());
    }
}
