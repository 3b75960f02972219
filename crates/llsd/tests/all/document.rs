//! Edits of documents: only the bytes of the edited values change.

use bstr::ByteSlice as _;
use llsd::{Document, Encoding, ReadOptions, Value, WriteOptions};
use testkit::{Sample, corpus};

fn document(text: &str) -> Document {
    Document::from_slice(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The text of an edited document; it must be read as the document's value.
fn written(document: &Document) -> String {
    let text = String::from_utf8(document.to_vec().unwrap()).unwrap();
    assert_eq!(Document::from_slice(text.as_bytes()).unwrap().value, document.value, "{text}");
    text
}

const XML: &str = "<?xml version=\"1.0\"?>\r\n<!-- settings -->\r\n<llsd>\r\n\t<map>\r\n\t\t<!-- first -->\r\n\
    \t\t<key>a</key>\r\n\t\t<integer> 01 </integer> <!-- one -->\r\n\r\n\
    \t\t<key>list</key> <array><real>1.50</real><real>2.50</real></array>\r\n\
    \t\t<key>deep</key>\r\n\t\t<map>\r\n\t\t\t<key>x</key><string a='b' >&#x41;<!-- c --></string>\r\n\t\t</map>\r\n\
    \t\t<key>none</key>\r\n\t\t<map />\r\n\t</map>\r\n</llsd>\r\nend";

const NOTATION: &str = "<? llsd/notation ?>\n{ 'a' : i01,\n  \"list\": [r1.50, r2.50],\n  'deep':{\n    'x':\"y\"\n  },\n  \
    'none':{}\n}\nend";

#[test]
fn a_value_set_to_itself_changes_nothing() {
    for text in [XML, NOTATION] {
        let mut document = document(text);
        for (path, _) in document.spans().unwrap() {
            let value = document.find(&path).unwrap().clone();
            document.set(&path, value).unwrap();
        }
        assert_eq!(written(&document), text);
    }
}

/// The end of an instruction or a comment can begin with the bytes that begin it.
#[test]
fn what_is_before_the_value_is_kept() {
    for before in ["<?>a?>", "<?xml version='1.0'?> <?a?><!-- ?> -->", "<? llsd/xml ?>\n<?>?>"] {
        let text = format!("{before}<llsd><integer>1</integer></llsd>\n");
        let mut document = document(&text);
        assert_eq!(written(&document), text);
        document.value = 2.into();
        assert_eq!(written(&document), text.replace(">1<", ">2<"));
    }
}

#[test]
fn a_value_is_set_where_it_is() {
    for (path, value, xml, notation) in [
        ("a", Value::from(2), ("<integer> 01 </integer>", "<integer>2</integer>"), ("i01", "i2")),
        ("a", true.into(), ("<integer> 01 </integer>", "<boolean>1</boolean>"), ("i01", "1")),
        ("list/1", 3.5.into(), ("<real>2.50</real>", "<real>3.5</real>"), ("r2.50", "r3.5")),
        ("list[0]", "<".into(), ("<real>1.50</real>", "<string>&lt;</string>"), ("r1.50", "'<'")),
        // The attributes of an element of the same type stay.
        (
            "deep/x",
            "z".into(),
            ("<string a='b' >&#x41;<!-- c --></string>", "<string a='b'>z</string>"),
            ("\"y\"", "'z'"),
        ),
        (
            "deep/x",
            1.into(),
            ("<string a='b' >&#x41;<!-- c --></string>", "<integer>1</integer>"),
            ("\"y\"", "i1"),
        ),
        // A new container is indented like the line that contains it.
        (
            "a",
            llsd::llsd!({ "k": [1] }),
            (
                "<integer> 01 </integer>",
                "<map>\r\n\t\t\t<key>k</key>\r\n\t\t\t<array>\r\n\t\t\t\t<integer>1</integer>\r\n\t\t\t</array>\r\n\t\t</map>",
            ),
            ("i01", "{'k':[i1]}"),
        ),
        (
            "deep/x",
            llsd::llsd!([1, 2]),
            (
                "<string a='b' >&#x41;<!-- c --></string>",
                "<array>\r\n\t\t\t\t<integer>1</integer>\r\n\t\t\t\t<integer>2</integer>\r\n\t\t\t</array>",
            ),
            ("\"y\"", "[\n      i1,\n      i2\n    ]"),
        ),
    ] {
        for (text, (old, new)) in [(XML, xml), (NOTATION, notation)] {
            let mut document = document(text);
            document.set(path, value.clone()).unwrap();
            assert_eq!(written(&document), text.replacen(old, new, 1), "{path}");
        }
    }
}

#[test]
fn attributes_stay() {
    for (old, value, new) in [
        ("<string lang=\"en\">x</string>", Value::from(""), "<string lang=\"en\"></string>"),
        ("<string lang='a/b' />", "x".into(), "<string lang='a/b'>x</string>"),
        ("<string note=\"a &amp; b\">x</string>", "y".into(), "<string note=\"a &amp; b\">y</string>"),
        ("<string encoding='base16'>x</string>", "y".into(), "<string encoding='base16'>y</string>"),
        (
            "<binary a='>' encoding = 'base16' b='&lt;'>00</binary>",
            vec![1_u8].into(),
            "<binary a='>' encoding = 'base64' b='&lt;'>AQ==</binary>",
        ),
        ("<map a='&amp;'><key>b</key><undef /></map>", llsd::llsd!({}), "<map a='&amp;'></map>"),
    ] {
        let whole = |element: &str| format!("<llsd><array>{old}{element}</array></llsd>\n");
        let mut edited = document(&whole(old));
        edited.set("1", value).unwrap();
        assert_eq!(written(&edited), whole(new));
    }
}

#[test]
fn a_default_document_is_one_that_can_be_read() {
    let document = Document { value: llsd::llsd!({ "a": [1] }), ..Document::default() };
    assert_eq!(Document::from_slice(&document.to_vec().unwrap()).unwrap(), document);
}

#[test]
fn an_entry_takes_the_indentation_of_its_neighbours() {
    for (path, value, xml, notation) in [
        (
            "new",
            Value::from(7),
            ("<map />\r\n", "<map />\r\n\t\t<key>new</key>\r\n\t\t<integer>7</integer>\r\n"),
            ("'none':{}", "'none':{},\n  'new':i7"),
        ),
        ("list/0", 7.into(), ("<real>1.50", "<integer>7</integer><real>1.50"), ("r1.50", "i7, r1.50")),
        ("list/1", 7.into(), ("<real>2.50", "<integer>7</integer><real>2.50"), (" r2.50", " i7, r2.50")),
        ("list/2", 7.into(), ("2.50</real>", "2.50</real><integer>7</integer>"), ("r2.50", "r2.50, i7")),
        (
            "deep/new",
            llsd::llsd!({ "k": 1 }),
            (
                "</string>\r\n",
                "</string>\r\n\t\t\t<key>new</key><map>\r\n\t\t\t\t<key>k</key>\r\n\t\t\t\t<integer>1</integer>\r\n\t\t\t</map>\r\n",
            ),
            ("'x':\"y\"", "'x':\"y\",\n    'new':{\n      'k':i1\n    }"),
        ),
        // In an empty container, an entry is indented one level more than the container.
        (
            "none/new",
            7.into(),
            ("<map />", "<map>\r\n\t\t\t<key>new</key>\r\n\t\t\t<integer>7</integer>\r\n\t\t</map>"),
            ("{}", "{\n    'new':i7\n  }"),
        ),
    ] {
        for (text, (old, new)) in [(XML, xml), (NOTATION, notation)] {
            let mut edited = document(text);
            edited.insert(path, value.clone()).unwrap();
            assert_eq!(written(&edited), text.replacen(old, new, 1), "{path}");
            // If the entry is removed after the file is read again, the file is as before.
            let mut again = document(&written(&edited));
            again.remove(path).unwrap();
            if path != "none/new" {
                assert_eq!(written(&again), text, "{path}");
            }
        }
    }
}

#[test]
fn an_entry_takes_its_line_with_it() {
    for (path, xml, notation) in [
        // The comment next to the entry does not belong to it.
        ("a", ("\t\t<key>a</key>\r\n\t\t<integer> 01 </integer> <!--", "\t\t <!--"), ("'a' : i01,\n  ", "")),
        ("list/0", ("<real>1.50</real>", ""), ("r1.50, ", "")),
        ("list/1", ("<real>2.50</real>", ""), (", r2.50", "")),
        (
            "list",
            ("\t\t<key>list</key> <array><real>1.50</real><real>2.50</real></array>\r\n", ""),
            ("  \"list\": [r1.50, r2.50],\n", ""),
        ),
        (
            "deep/x",
            ("\t\t\t<key>x</key><string a='b' >&#x41;<!-- c --></string>\r\n", ""),
            ("    'x':\"y\"\n", ""),
        ),
        ("none", ("\t\t<key>none</key>\r\n\t\t<map />\r\n", ""), (",\n  'none':{}", "")),
    ] {
        for (text, (old, new)) in [(XML, xml), (NOTATION, notation)] {
            assert!(text.contains(old), "{old}");
            let mut document = document(text);
            let removed = document.find(path).cloned();
            assert_eq!(document.remove(path), removed);
            assert_eq!(written(&document), text.replacen(old, new, 1), "{path}");
        }
    }
}

#[test]
fn of_equal_values_the_one_that_is_named_goes() {
    for (text, index, expected) in [
        ("[i1,i01,i001]", 0, "[i01,i001]"),
        ("[i1,i01,i001]", 1, "[i1,i001]"),
        ("[i1,i01,i001]", 2, "[i1,i01]"),
        (
            "<llsd><array><undef/><!-- b --><undef></undef></array></llsd>",
            0,
            "<llsd><array><!-- b --><undef></undef></array></llsd>",
        ),
    ] {
        let mut edited = document(text);
        edited.remove(format!("{index}")).unwrap();
        assert_eq!(written(&edited), expected);
    }
    let mut edited = document("{'a':[i1,[i2,i02],i01]}");
    edited.insert("a/0", 1).unwrap();
    edited.remove("a/2/0").unwrap();
    edited.remove("a/3").unwrap();
    assert_eq!(written(&edited), "{'a':[i1,i1,[i02]]}");
    // An edit of `value` itself: equal elements at the start and at the end keep their bytes.
    let mut edited = document("[ i01, i02, i03, i04 ]");
    let Value::Array(values) = &mut edited.value else { panic!("an array") };
    values.remove(1);
    assert_eq!(written(&edited), "[ i01, i03, i04 ]");
    let Value::Array(values) = &mut edited.value else { panic!("an array") };
    values.insert(1, 9.into());
    values.push(10.into());
    assert_eq!(written(&edited), "[ i01, i9, i03, i04, i10 ]");
}

#[test]
fn keys_keep_their_entries_wherever_they_are() {
    let mut edited = document("{'b':i02,  'a':{ 'x' : i01 },\n'c':i03}");
    let Value::Map(map) = &mut edited.value else { panic!("a map") };
    map.sort_keys();
    assert_eq!(written(&edited), "{'a':{ 'x' : i01 },\n'b':i02,\n'c':i03}");
    // If a value is replaced as a whole, its equal parts keep their bytes.
    let mut edited = document(XML);
    let mut value = edited.value.clone();
    value.set("deep/x", "B").unwrap();
    value.remove("a");
    edited.set("", value).unwrap();
    let expected = XML
        .replace("&#x41;<!-- c -->", "B")
        .replace(" >B", ">B")
        .replace("\t\t<key>a</key>\r\n\t\t<integer> 01 </integer>", "\t\t");
    assert_eq!(written(&edited), expected);
}

#[test]
fn odd_files_are_edited_or_rewritten() {
    for (text, edit, expected) in [
        ("<llsd/>", ("", Value::from(1)), "<llsd><integer>1</integer></llsd>"),
        ("<llsd a='>'  />", ("", 1.into()), "<llsd a='>'><integer>1</integer></llsd>"),
        ("<llsd> </llsd>", ("", 1.into()), "<llsd> <integer>1</integer></llsd>"),
        (
            "<llsd><integer>1</integer><integer>2</integer></llsd>",
            ("", 3.into()),
            "<llsd><integer>1</integer><integer>3</integer></llsd>",
        ),
        ("<llsd><html>x</html></llsd>", ("", 1.into()), "<llsd><integer>1</integer></llsd>"),
        (
            "<llsd><map><key>a</key><integer>1</integer><key>a</key><integer>2</integer></map></llsd>",
            ("a", 3.into()),
            "<llsd><map><key>a</key><integer>1</integer><key>a</key><integer>3</integer></map></llsd>",
        ),
        (
            "<llsd><map><key>b</key></map></llsd>",
            ("a", 1.into()),
            "<llsd><map><key>a</key><integer>1</integer><key>b</key></map></llsd>",
        ),
        (
            "<llsd><binary encoding='base16'>0A</binary></llsd>",
            ("", b"\x0b".into()),
            "<llsd><binary encoding='base64'>Cw==</binary></llsd>",
        ),
        (
            "<llsd><binary>Cg==</binary></llsd>",
            ("", b"\x0b".into()),
            "<llsd><binary encoding=\"base64\">Cw==</binary></llsd>",
        ),
        ("<llsd><boolean>true</boolean></llsd>", ("", false.into()), "<llsd><boolean>false</boolean></llsd>"),
        ("{'a':i1,'a':i2}", ("a", 3.into()), "{'a':i3,'a':i2}"),
        ("{'a':i1,'a':i2}", ("b", 3.into()), "{'a':i1,'b':i3,'a':i2}"),
        ("[i1'a'i2]", ("1", 3.into()), "[i1i3i2]"),
        ("[,,i1,,]", ("1", 3.into()), "[,,i1,i3,,]"),
        ("[t]", ("0", false.into()), "[0]"),
        ("[true]", ("0", false.into()), "[false]"),
    ] {
        let mut document = document(text);
        let (path, value) = edit;
        document.set(path, value).unwrap();
        assert_eq!(written(&document), expected, "{text}");
    }
    // Without `b`, the remaining value would belong to `a`. So the whole value is written again, and listed as
    // rewritten.
    let mut dangling =
        document("<llsd><map><key>a</key><key>b</key><integer>1</integer><integer>2</integer></map></llsd>");
    dangling.remove("b").unwrap();
    assert_eq!(written(&dangling), "<llsd><map /></llsd>");
    assert_eq!(dangling.write().unwrap().rewritten, [""]);
    // With an entry added, the same of the two equal keys counts.
    let mut twice =
        document("<llsd><array><map><!--c--><key>a</key><undef/><key>a</key><undef/></map></array></llsd>");
    twice.insert("0/b", 1).unwrap();
    let kept = twice.write().unwrap();
    let expected = "<llsd><array><map><!--c--><key>a</key><undef/><key>b</key><integer>1</integer><key>a</key><undef/>\
                    </map></array></llsd>";
    assert_eq!((kept.bytes.as_bstr(), kept.rewritten), (expected.as_bytes().as_bstr(), vec![]));
    let mut separated = document("{'a':[i1'x'i2]}");
    separated.remove("a/1").unwrap();
    assert_eq!(written(&separated), "{'a':[i1,i2]}");
}

#[test]
fn binary_keeps_its_neighbours_too() {
    let bytes = b"<?llsd/binary?>\n{\0\0\0\x02'key'i\0\0\0\x07k\0\0\0\x01a[\0\0\0\x01\"x\"]}rest";
    let mut document = Document::from_slice(bytes).unwrap();
    document.set("key", 8).unwrap();
    document.insert("a/0", true).unwrap();
    document.insert("b", Value::Undef).unwrap();
    let expected =
        b"<?llsd/binary?>\n{\0\0\0\x03'key'i\0\0\0\x08k\0\0\0\x01a[\0\0\0\x021\"x\"]k\0\0\0\x01b!}rest";
    assert_eq!(document.to_vec().unwrap().escape_ascii().to_string(), expected.escape_ascii().to_string());
    document.remove("a/0").unwrap();
    document.remove("b").unwrap();
    document.set("key", 7).unwrap();
    assert_eq!(document.to_vec().unwrap(), bytes);
}

#[test]
fn what_an_edit_cannot_be_is_an_error() {
    let mut edited = document("{'a':[i1],'n':i1}");
    let before = edited.clone();
    for (path, what) in [
        ("n", "expected a new key, found an existing one (use `set` to replace its value) in /n"),
        ("a/2", "expected an array index of at most 1 (index 1 adds a value at the end), found 2 in /a/2"),
        ("a/x", "expected an array index, found a name in /a/x"),
        ("[0]", "expected a map key, found an index in brackets in /0"),
        ("n/x", "expected an array or a map, found a value of type integer in /n"),
        ("x/y", "expected an existing array or map, found none (use `set` to create it) in /x"),
        ("", "expected a key or an index, found an empty path"),
    ] {
        assert_eq!(edited.insert(path, 1).unwrap_err().to_string(), what);
    }
    assert_eq!((edited.remove("x"), edited.remove("a/1"), edited.remove("")), (None, None, None));
    assert!(edited.value.identical(&before.value));
    assert_eq!(written(&edited), "{'a':[i1],'n':i1}");
    let mut xml = document("<llsd><map><key>a</key><array><undef/></array></map></llsd>");
    xml.insert("a/1", llsd::llsd!({ "k": ["\u{1}"] })).unwrap();
    assert_eq!(
        xml.to_vec().unwrap_err().to_string(),
        "cannot write the character U+0001 in XML (use binary or notation) in /a/1/k/0"
    );
}

#[test]
fn spans_are_the_bytes_of_values() {
    let edited = document(NOTATION);
    let bytes = edited.to_vec().unwrap();
    let found: Vec<(String, &str)> = edited
        .spans()
        .unwrap()
        .into_iter()
        .map(|(path, span)| (path, std::str::from_utf8(&bytes[span]).unwrap()))
        .filter(|(_, text)| !text.contains('\n'))
        .collect();
    let expected = [
        ("/a", "i01"),
        ("/list", "[r1.50, r2.50]"),
        ("/list/0", "r1.50"),
        ("/list/1", "r2.50"),
        ("/deep/x", "\"y\""),
        ("/none", "{}"),
    ];
    assert_eq!(found, expected.map(|(path, text)| (path.to_owned(), text)));
    let mut edited = document(XML);
    edited.set("a", 12345).unwrap();
    let span = edited.span("deep/x").unwrap().unwrap();
    assert_eq!(&written(&edited)[span], "<string a='b' >&#x41;<!-- c --></string>");
    assert_eq!(edited.span("nowhere").unwrap(), None);
}

/// Another value of the same type, if there is one.
fn other(value: &Value) -> Value {
    match value {
        Value::Undef => 1.into(),
        Value::Boolean(value) => (!value).into(),
        Value::Integer(value) => value.wrapping_add(1).into(),
        Value::Real(value) => (value + 1.5).into(),
        Value::Uuid(value) => llsd::Uuid(value.0.map(|byte| byte ^ 0x5a)).into(),
        Value::String(text) => format!("{text}<&\n").into(),
        Value::Date(date) => llsd::Date(date.secs() + 1.0).into(),
        Value::Uri(uri) => llsd::Uri::from(format!("{uri}?x")).into(),
        Value::Binary(bytes) => [bytes.0.as_slice(), b"!"].concat().into(),
        Value::Array(_) | Value::Map(_) => value.clone(),
    }
}

/// The bytes between the scalars of a document.
fn between(document: &Document) -> Vec<Vec<u8>> {
    let bytes = document.to_vec().unwrap();
    let mut at = 0;
    let mut all = Vec::new();
    let mut spans = document.spans().unwrap();
    // If keys are equal, the last value counts, at the position of the first key.
    spans.sort_by_key(|(_, span)| span.start);
    for (path, span) in spans {
        if !matches!(document.find(&path), Some(Value::Array(_) | Value::Map(_))) {
            all.push(bytes[at..span.start].to_vec());
            at = span.end;
        }
    }
    all.push(bytes[at..].to_vec());
    all
}

fn real(mut each: impl FnMut(&str, &Document)) {
    for Sample { name, bytes } in corpus("llsd") {
        let document = Document::from_slice(&bytes).unwrap();
        each(&name, &document);
        // The same value in indented notation.
        let notation = WriteOptions::new().encoding(Encoding::Notation).indent(true).write(&document.value);
        each(&name, &Document::from_slice(&notation.unwrap()).unwrap());
    }
}

#[test]
fn each_value_of_real_files_is_set() {
    real(|name, document| {
        let bytes = document.to_vec().unwrap();
        let outside = between(document);
        let mut edited = document.clone();
        let spans = document.spans().unwrap();
        for (path, _) in &spans {
            let value = document.find(path).unwrap().clone();
            edited.set(path, value).unwrap();
        }
        assert!(edited.to_vec().unwrap() == bytes, "{name}");
        for (path, _) in &spans {
            edited.set(path, other(document.find(path).unwrap())).unwrap();
        }
        let again =
            ReadOptions::new().encoding(document.layout.encoding()).read(&edited.to_vec().unwrap()).unwrap();
        assert!(again == edited.value, "{name}");
        assert!(between(&edited) == outside, "{name}");
        // With a single value changed, all bytes before and after it are the same.
        for (path, span) in spans.iter().step_by(1 + bytes.len() * spans.len() / 20_000) {
            let mut edited = document.clone();
            edited.set(path, other(document.find(path).unwrap())).unwrap();
            let written = edited.to_vec().unwrap();
            assert!(written.starts_with(&bytes[..span.start]), "{name} {path}");
            assert!(written.ends_with(&bytes[span.end..]), "{name} {path}");
        }
    });
}

#[test]
fn entries_of_real_files_come_and_go() {
    real(|name, document| {
        let bytes = document.to_vec().unwrap();
        let read = |bytes: &[u8]| {
            ReadOptions::new().encoding(document.layout.encoding()).read_document(bytes).unwrap()
        };
        let spans = document.spans().unwrap();
        for (path, _) in spans.iter().step_by(1 + bytes.len() * spans.len() / 20_000) {
            let inner = match document.find(path).unwrap() {
                Value::Array(values) if !values.is_empty() => format!("{path}/{}", values.len() / 2),
                Value::Map(map) if !map.is_empty() => format!("{path}/a new key"),
                _ => continue,
            };
            let mut edited = document.clone();
            edited.insert(&inner, llsd::llsd!({ "a": [1, {}] })).unwrap();
            let longer = edited.to_vec().unwrap();
            assert!(longer.len() > bytes.len());
            let mut again = read(&longer);
            assert!(again.value == edited.value, "{name} {inner}");
            again.remove(&inner).unwrap();
            let written = again.to_vec().unwrap();
            assert!(written == bytes, "{name} {inner}:\n{}", String::from_utf8_lossy(&written));
        }
    });
}

#[test]
fn many_edits_take_no_longer_each() {
    let count = 100_000;
    let text = format!("[{}]", "\n i01, ".repeat(count));
    let mut document = document(&text);
    for index in 0..count {
        document.set(format!("{index}"), 2).unwrap();
    }
    assert_eq!(document.to_vec().unwrap(), text.replace("i01", "i2").into_bytes());
    // An entry more in each array of an array, and in each map with equal keys.
    for (entry, longer, path) in
        [("[i1]", "[i2,i1]", "0"), ("{'a':i1,'a':i2}", "{'a':i1,'b':i2,'a':i2}", "b")]
    {
        let whole = |entry: &str| format!("[{}]", [entry; 40_000].join(","));
        let mut document = self::document(&whole(entry));
        for index in 0..40_000 {
            document.insert(format!("{index}/{path}"), 2).unwrap();
        }
        let llsd::Written { bytes, rewritten } = document.write().unwrap();
        assert!(bytes == whole(longer).as_bytes());
        assert!(rewritten.is_empty());
    }
    // 100,000 levels, of which the innermost is changed.
    let depth = 100_000;
    let deep = ["[".repeat(depth), "i01".into(), "]".repeat(depth)].concat();
    let options = ReadOptions::new().max_depth(u32::MAX).encoding(Encoding::Notation);
    let mut document = options.read_document(deep.as_bytes()).unwrap();
    document.set("[0]".repeat(depth), 2).unwrap();
    assert_eq!(document.to_vec().unwrap(), deep.replace("i01", "i2").into_bytes());
}

/// A key with a new name: the bytes of its value and everything around it stay.
#[test]
fn a_renamed_key_keeps_its_value() {
    for name in ["a", "list", "deep", "none"] {
        for text in [XML, NOTATION] {
            let mut document = document(text);
            for (key, _) in document.value.as_map_mut().unwrap().iter_mut().filter(|(key, _)| *key == name) {
                *key = "new".into();
            }
            let old = [
                format!("<key>{name}</key>"),
                format!("'{name}' :"),
                format!("'{name}':"),
                format!("\"{name}\":"),
            ];
            let new = if text == XML { "<key>new</key>" } else { "'new':" };
            let old = old.iter().find(|old| text.contains(&***old)).unwrap();
            let renamed = written(&document);
            assert_eq!(renamed, text.replacen(&**old, new, 1), "{name}");
            // And back.
            let mut again = super::document::document(&renamed);
            for (key, _) in again.value.as_map_mut().unwrap().iter_mut().filter(|(key, _)| *key == "new") {
                *key = name.into();
            }
            assert_eq!(written(&again).len(), text.len() - usize::from(old.contains(" :")), "{name}");
        }
    }
    let binary = WriteOptions::new().encoding(Encoding::Binary).write(&document(XML).value).unwrap();
    let mut document = Document::from_slice(&binary).unwrap();
    document.value.as_map_mut().unwrap().iter_mut().for_each(|(key, _)| *key = format!("{key}2").into());
    let renamed = document.to_vec().unwrap();
    assert_eq!(Document::from_slice(&renamed).unwrap().value, document.value);
    assert_eq!(renamed.len(), binary.len() + 4);
}

/// A key that a map has twice, as in files of the viewer: an edit of another entry leaves both. If one of them is
/// removed, the map is written again without the other.
#[test]
fn repeated_keys_stay() {
    let xml = |entries: &str| {
        format!("<?xml version=\"1.0\" ?>\n<llsd>\n  <map>\n{entries}    <!-- end -->\n  </map>\n</llsd>\n")
    };
    let entry = |key: &str, value: i32| {
        format!("    <key>{key}</key> <!-- {value} -->\n      <integer>{value}</integer>\n")
    };
    let all = [entry("a", 1), entry("twice", 2), entry("b", 3), entry("twice", 4), entry("c", 5)];
    let file = xml(&all.concat());
    let read = |text: &str| Document::from_slice(text.as_bytes()).unwrap();
    assert_eq!(read(&file).find("twice"), Some(&Value::Integer(4)));
    for (at, key) in [(0, "a"), (2, "b"), (4, "c")] {
        let mut document = read(&file);
        document.remove(key).unwrap();
        let mut others = all.clone();
        others[at].clear();
        let written = document.write().unwrap();
        assert_eq!(
            (written.bytes.as_bstr(), written.rewritten),
            (xml(&others.concat()).as_bytes().as_bstr(), vec![])
        );
    }
    let mut document = read(&file);
    document.set("twice", 7).unwrap();
    assert_eq!(
        document.to_vec().unwrap().as_bstr(),
        file.replace("<integer>4", "<integer>7").as_bytes().as_bstr()
    );
    document.insert("d", 6).unwrap();
    let written = document.write().unwrap();
    assert!(written.rewritten.is_empty() && written.bytes.contains_str("<integer>2</integer>"));
    assert_eq!(read(written.bytes.to_str().unwrap()).value, document.value);
    let mut document = read(&file);
    document.remove("twice").unwrap();
    let written = document.write().unwrap();
    assert_eq!(written.rewritten, [""]);
    assert_eq!(read(written.bytes.to_str().unwrap()).value, document.value);
}
