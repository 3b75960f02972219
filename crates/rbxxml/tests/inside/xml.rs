//! Compares the scanner with roxmltree, which must read and refuse the same texts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]
#![allow(clippy::arithmetic_side_effects, reason = "small numbers")]

use roxmltree::{Document, Error as E, Node, ParsingOptions};

use crate::wire::xml::{Read, Scanner, Tag};
use geom::wire::Budget;

/// The range of an element, its name, its attributes, and its text unless it contains elements.
type Line = (std::ops::Range<usize>, String, Vec<(String, String)>, Option<String>);

fn string(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn local(name: &[u8]) -> String {
    string(name.rsplit(|&byte| byte == b':').next().unwrap_or_default())
}

fn scanner(text: &str) -> Scanner<'_> {
    // The scanner accepts any name for the root.
    Scanner::new(text.as_bytes(), Budget::new(u64::MAX), u32::MAX)
}

fn line(tag: Tag<'_>, end: usize, text: Option<String>) -> Line {
    let named = |(name, _): &(&[u8], _)| *name != b"xmlns" && !name.starts_with(b"xmlns:");
    let attributes = tag.attributes().filter(named).map(|(name, value)| (local(name), string(&value)));
    (tag.start()..end, local(tag.name()), attributes.collect(), text)
}

/// An element and all of its descendants, in the order of their start tags.
fn elements<'s>(scanner: &mut Scanner<'s>, tag: Tag<'s>) -> Read<'s, Vec<Line>> {
    let depth = scanner.depth();
    let text = scanner.text(|_, text| Ok(string(text))).ok();
    if text.is_some() {
        return Ok(vec![line(tag, scanner.at(), text)]);
    }
    scanner.rewind(tag, depth)?;
    let mut inner = Vec::new();
    while let Some(child) = scanner.child()? {
        inner.extend(elements(scanner, child)?);
    }
    inner.insert(0, line(tag, scanner.at(), None));
    Ok(inner)
}

/// The root with all of its descendants, and the offset of its end.
fn ours(text: &str) -> Result<(Vec<Line>, usize), String> {
    let mut scanner = scanner(text);
    let read = scanner.first().and_then(|root| elements(&mut scanner, root));
    read.map(|lines| (lines, scanner.at())).map_err(|error| format!("{error:?}"))
}

fn text_of(node: Node<'_, '_>) -> Option<String> {
    if node.children().any(|child| child.is_element()) {
        return None;
    }
    Some(node.children().filter(Node::is_text).filter_map(|child| child.text()).collect())
}

/// The same elements, read by roxmltree.
fn theirs(text: &str) -> Result<Vec<Line>, E> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let elements = document.root_element().descendants().filter(Node::is_element);
    let lines = elements.map(|element| {
        let attributes = element.attributes().map(|it| (it.name().to_owned(), it.value().to_owned()));
        (element.range(), element.tag_name().name().to_owned(), attributes.collect(), text_of(element))
    });
    Ok(lines.collect())
}

/// Whether it is expected that the scanner reads a text that roxmltree refuses: the scanner ignores namespaces and
/// everything after the root, and accepts mistakes of old files.
fn is_known(text: &str, error: &E, end: usize) -> bool {
    match error {
        E::UnknownNamespace(..)
        | E::DuplicatedNamespace(..)
        | E::InvalidXmlPrefixUri(_)
        | E::UnexpectedXmlUri(_)
        | E::UnexpectedXmlnsUri(_)
        | E::InvalidElementNamePrefix(_)
        | E::InvalidComment(_)
        // Unknown attributes of an XML declaration.
        | E::InvalidString(..)
        | E::InvalidCharacterData(_)
        // `]]>` in text, an `&` that does not begin a reference, and half of a character.
        | E::MalformedEntityReference(_) => true,
        E::NonXmlChar(..) => text.chars().any(|c| c < ' ' || c == '\u{fffe}' || c == '\u{ffff}'),
        // The scanner accepts colons and control characters anywhere in a name.
        E::InvalidName(_) | E::InvalidChar(..) | E::InvalidChar2(..) if text.contains(|c: char| c == ':' || c < ' ') => true,
        E::UnexpectedDeclaration(_) => text.trim_start().starts_with("<?xml"),
        // Errors after the root.
        _ => text.get(..end).is_some_and(|text| theirs(text).is_ok()),
    }
}

fn compare(text: &str) -> bool {
    match (ours(text), theirs(text)) {
        (Ok((ours, _)), Ok(theirs)) => {
            assert_eq!(ours, theirs, "{text}");
            true
        }
        (Err(error), Ok(_)) => panic!("{error}\n{text}"),
        (Ok((_, end)), Err(error)) => {
            assert!(is_known(text, &error, end), "{error:?}\n{text}");
            false
        }
        (Err(_), Err(_)) => false,
    }
}

#[test]
fn reads_what_roxmltree_reads() {
    for text in [
        "<a/>",
        "<a></a>",
        "\u{feff}<?xml version=\"1.0\" encoding='utf-8'?>\r\n<!-- x --><a>\r\n<b x = '1\t2\r\n3'>4\r\n\r5</b ></a> <!---->",
        "<a>&lt;&#13;&#x41;&amp;</a>",
        "<a>1<![CDATA[2\r\n]]>3<!-- 4 -->5<?six?></a>",
        "<a><b>  </b> <c/>\n<d y=\"&quot;&#10;\" x=\"\">z</d>  <e f=\"g\">\r</e></a>",
        "<n:a xmlns:n=\"u\" n:b=\"1\" c=\"2\"><n:d/></n:a>",
    ] {
        assert!(compare(text), "{text}: {:?} {:?}", ours(text), theirs(text));
    }
}

#[test]
fn refuses_what_roxmltree_refuses() {
    let texts = "| |a|<|<a|<a>|<a b>|<a b=>|<a b=1>|<a b='1'c='2'/>|<a b='<'/>|<a b='1' b='2'/>|\
        <a c='' b='1' b='2'/>|<a a='' b='' c='' d='' e='' f='' g='' h='' i='' j='' i=''/>|<a></b>|\
        <a><b></a></b>|</a>|<1/>|<a>&b;</a>|<a>&|x<a/>|<![CDATA[x]]><a/>|\
        <a><?xml version='1.0'?></a>|<a><!x></a>|<a><![CDATA[</a>|<a><!-- </a>|<a><? ?></a>|<a / >|\
        <a></a b='1'>";
    for text in texts.split('|') {
        assert!(theirs(text).is_err(), "{text}");
        assert!(ours(text).is_err(), "{text}: {:?}", ours(text));
    }
}

#[test]
fn mutations_read_alike() {
    let mut files: Vec<_> = testkit::fixtures("rbxxml").into_iter().map(|file| file.bytes).collect();
    files.retain(|file| !file.is_empty());
    files.push(EXAMPLE.into());
    let mut rng = testkit::Rng(11);
    let (mut read, mut tried) = (0, 0);
    for file in files {
        for _ in 0..4_000 {
            let broken = testkit::mutate(&file, &mut rng);
            let Ok(text) = std::str::from_utf8(&broken) else { continue };
            read += usize::from(compare(text));
            tried += 1;
        }
    }
    assert!(read > tried / 20 && read < tried, "{read} of {tried}");
}

const EXAMPLE: &str = r#"<?xml version="1.0"?>
<roblox version="4">
	<!-- a door -->
	<Item class="Part" referent="RBX0">
		<Properties><string name="Name">A &lt;door&gt; &#65;</string><bool name="Anchored">true</bool></Properties>
		<Item class='Script'><Properties><ProtectedString name="Source"><![CDATA[print("]]]]><![CDATA[>")]]></ProtectedString></Properties></Item>
	</Item>
</roblox>
"#;
