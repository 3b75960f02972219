//! `max_bytes` is respected for every input and by every reader.

use llsd::errors::{ErrorKind, Limit};
use llsd::{Encoding, ReadOptions, Value, WriteOptions, transcode};
use testkit::measure;

/// Bytes for an error and its path, in addition to the limit.
const ERROR: u64 = 64 * 1024;

/// Inputs that need far more memory than their size suggests.
fn inputs() -> Vec<(&'static str, Encoding, Vec<u8>)> {
    let repeated = |open: &str, middle: &str, close: &str, count: usize| {
        [open.into(), middle.repeat(count), close.into()].concat().into_bytes()
    };
    let attributes: String = (0..50_000).map(|number| format!(" a{number}='&lt;'")).collect();
    let keys: String = (0..50_000).map(|number| format!("'k{}'!", 50_000 - number)).collect();
    let equal = "'key'i1,".repeat(50_000);
    vec![
        ("values", Encoding::Notation, repeated("[", "!", "]", 300_000)),
        ("values of counted arrays", Encoding::Binary, {
            [b"[\0\x04\x93\xe0".to_vec(), vec![b'!'; 300_000], b"]".to_vec()].concat()
        }),
        ("one string of escapes", Encoding::Notation, repeated("'", "\\x41", "'", 500_000)),
        (
            "strings of escapes",
            Encoding::Notation,
            repeated("[", "'\\x41 and more than twenty-two bytes'", "]", 50_000),
        ),
        ("short strings of escapes", Encoding::Notation, repeated("[", "'\\n'", "]", 100_000)),
        ("escapes in binary", Encoding::Binary, repeated("'", "\\x41", "'", 500_000)),
        ("base64 with spaces", Encoding::Notation, repeated("b64\"", "QUFB ", "\"", 200_000)),
        ("base16", Encoding::Notation, repeated("b16\"", "41 ", "\"", 300_000)),
        ("nesting", Encoding::Notation, repeated("", "[", "", 300_000)),
        ("keys", Encoding::Notation, format!("{{{keys}}}").into_bytes()),
        ("equal keys", Encoding::Notation, format!("{{{equal}}}").into_bytes()),
        ("references", Encoding::Xml, repeated("<llsd><string>", "&lt;", "</string></llsd>", 300_000)),
        ("lines", Encoding::Xml, repeated("<llsd><string>", "a\r\n", "</string></llsd>", 300_000)),
        ("pieces", Encoding::Xml, repeated("<llsd><string>", "a<!-- -->", "</string></llsd>", 100_000)),
        (
            "strings of references",
            Encoding::Xml,
            repeated("<llsd><array>", "<string>&lt;</string>", "</array></llsd>", 50_000),
        ),
        (
            "base85",
            Encoding::Xml,
            repeated("<llsd><binary encoding='base85'>", "00000", "</binary></llsd>", 100_000),
        ),
        (
            "base85 of zeros",
            Encoding::Xml,
            repeated("<llsd><binary encoding='base85'><![CDATA[<~", "z", "~>]]></binary></llsd>", 500_000),
        ),
        ("attributes", Encoding::Xml, format!("<llsd><string{attributes}>x</string></llsd>").into_bytes()),
        ("unknown elements", Encoding::Xml, repeated("<llsd>", "<abc>", "", 200_000)),
        ("a long name", Encoding::Xml, repeated("<llsd><", "a", "/></llsd>", 2_000_000)),
        ("a long open name", Encoding::Xml, repeated("<llsd><", "a", "></llsd>", 2_000_000)),
        ("nested arrays", Encoding::Xml, repeated("<llsd>", "<array>", "", 200_000)),
    ]
}

/// Reads each input with each budget: the read succeeds or returns a limit error, and never allocates more than the
/// budget.
fn keeps(what: &str, read: impl Fn(&[u8], &ReadOptions) -> llsd::Result<()>) {
    for (name, encoding, bytes) in inputs() {
        let mut passed = false;
        for allowed in [100, 10_000, 300_000, 3_000_000, 100_000_000] {
            let options = ReadOptions::new().encoding(encoding).max_bytes(allowed).max_depth(u32::MAX);
            let mut result = Ok(());
            let taken = measure(|| result = read(&bytes, &options));
            assert!(
                taken.bytes_max <= allowed + ERROR,
                "{what}, {name}: {} bytes where {allowed} are allowed",
                taken.bytes_max
            );
            match result.as_ref().map_err(llsd::Error::kind) {
                Ok(()) => passed = true,
                Err(ErrorKind::Limit(Limit { name: "max_bytes", .. })) => assert!(!passed, "{what}, {name}"),
                // Some inputs are cut off.
                Err(ErrorKind::UnexpectedEnd | ErrorKind::Invalid(_)) => passed = true,
                Err(other) => panic!("{what}, {name}: {other}"),
            }
        }
        assert!(passed, "{what}, {name}: no budget is enough");
    }
}

#[test]
fn of_values() {
    keeps("a value", |bytes, options| options.read(bytes).map(drop));
}

#[test]
fn of_events() {
    keeps("events", |bytes, options| {
        for event in options.events(bytes)? {
            event?;
        }
        Ok(())
    });
}

#[test]
fn of_lazy_values() {
    keeps("a lazy value", |bytes, options| match options.lazy(bytes) {
        // Lazy values only exist for binary.
        Err(error) if matches!(error.kind(), ErrorKind::Invalid(_)) => Ok(()),
        result => result.map(drop),
    });
}

/// With a reader as the source, the input counts, too.
#[test]
fn of_readers() {
    keeps("a reader", |bytes, options| options.read_from(bytes).map(drop));
    let text = [b"'".to_vec(), vec![b'a'; 1_000_000], b"'".to_vec()].concat();
    let read = |allowed| ReadOptions::new().max_bytes(allowed).read_from(&text[..]);
    assert!(read(1_500_000).is_err() && read(5_000_000).is_ok());
}

#[test]
fn of_documents() {
    keeps("a document", |bytes, options| options.read_document(bytes).map(drop));
}

#[cfg(feature = "serde")]
#[test]
fn of_serde() {
    keeps("a value through serde", |bytes, options| {
        llsd::de::from_slice_with::<Value>(bytes, options).map(drop)
    });
    keeps("a reader through serde", |bytes, options| {
        llsd::de::from_reader_with::<Value>(bytes, options).map(drop)
    });
    // Values that serde ignores are not built.
    keeps("what serde ignores", |bytes, options| {
        llsd::de::from_slice_with::<serde::de::IgnoredAny>(bytes, options).map(drop)
    });
}

#[test]
fn indentation_is_bounded() {
    // With two spaces of indentation per level, the output would be several gigabytes.
    let depth = 40_000;
    let text = [b"[".repeat(depth), b"]".repeat(depth)].concat();
    let from = ReadOptions::new().encoding(Encoding::Notation).max_depth(u32::MAX);
    let value = from.read(&text).unwrap();
    for encoding in [Encoding::Xml, Encoding::Notation] {
        let to = WriteOptions::new().encoding(encoding).indent(true);
        assert!(to.write(&value).unwrap().len() < 2 * depth * 100);
        assert!(transcode(&text, &from, &to).unwrap().len() < 2 * depth * 100);
    }
    assert!(format!("{value:#}").len() < 2 * depth * 100);
    // Values as deep as those in real documents are indented.
    let value = Value::from([Value::from([1])]);
    assert_eq!(format!("{value:#}"), "[\n  [\n    i1\n  ]\n]");
}

/// Writing an edited document with equal keys finds the places of all values again, within the limit for reading. An
/// unedited one is written without.
#[test]
fn of_places() {
    let text = format!("{{{}}}", "'key'i1,".repeat(50_000));
    let allowed = 12_000_000;
    let mut document = ReadOptions::new().max_bytes(allowed).read_document(text.as_bytes()).unwrap();
    let (mut written, mut findings) = (None, Vec::new());
    let mut write = |document: &llsd::Document| {
        let taken = measure(|| written = Some(document.to_vec()));
        assert!(taken.bytes_max <= allowed, "{}", taken.bytes_max);
        written.take().unwrap()
    };
    assert_eq!(write(&document).unwrap(), text.as_bytes());
    document.set("key", 2).unwrap();
    assert!(matches!(write(&document).unwrap_err().kind(), ErrorKind::Limit(_)));
    // The file was read, so its defects are known.
    let taken = measure(|| findings = document.check());
    assert!(taken.bytes_max <= 2 * allowed, "{}", taken.bytes_max);
    let duplicates = findings.iter().find(|finding| finding.rule.id == "llsd.duplicate-keys");
    assert_eq!(duplicates.map(|finding| finding.count), Some(49_999));
    let mut roomy = ReadOptions::new().read_document(text.as_bytes()).unwrap();
    roomy.set("key", 2).unwrap();
    assert_eq!(roomy.to_vec().unwrap().len(), text.len());
}
