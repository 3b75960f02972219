//! Beside roxmltree, which reads the same texts and refuses the same ones.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use roxmltree::{Document, Error as E, Node, ParsingOptions};
use testkit::Rng;

use crate::limits::Budget;
use crate::wire::source::Source;
use crate::wire::xml::{Parsed, Tree, Xml};

/// What stands behind a prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or_default()
}

/// The root and all in it, by this parser.
fn ours(text: &str) -> Parsed<Vec<String>> {
    let mut xml = Xml::new(text, u32::MAX);
    let root = xml.root()?;
    let mut tree = Tree::default();
    let root = xml.element(root, &mut tree, &mut Budget::new(u64::MAX))?;
    let mut lines = Vec::new();
    let mut stack = vec![root];
    while let Some(element) = stack.pop() {
        let mut line = format!("{:?} {}", element.range(), local(element.name()));
        for (name, value) in element.tag().attributes() {
            if name == "xmlns" || name.starts_with("xmlns:") {
                continue;
            }
            line += &format!(" {}={value:?}", local(name));
        }
        lines.push(format!("{line} {:?}", element.text()));
        let children: Vec<_> = element.elements().collect();
        stack.extend(children.into_iter().rev());
    }
    Ok(lines)
}

fn text_of(node: Node<'_, '_>) -> Option<String> {
    if node.children().any(|child| child.is_element()) {
        return None;
    }
    Some(node.children().filter(Node::is_text).filter_map(|child| child.text()).collect())
}

/// The same by roxmltree.
fn theirs(text: &str) -> Result<Vec<String>, E> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    let elements = document.root_element().descendants().filter(Node::is_element);
    let lines = elements.map(|element| {
        let mut line = format!("{:?} {}", element.range(), element.tag_name().name());
        for attribute in element.attributes() {
            line += &format!(" {}={:?}", attribute.name(), attribute.value());
        }
        format!("{line} {:?}", text_of(element))
    });
    Ok(lines.collect())
}

/// What roxmltree refuses and this parser reads: it knows no namespaces, looks at nothing behind
/// the root, and leaves to others what is no harm here.
fn is_known(text: &str, error: &E) -> bool {
    let behind = || {
        let mut xml = Xml::new(text, u32::MAX);
        let root = xml.root().and_then(|_| xml.skip());
        root.map(|()| theirs(text.get(..xml.at()).unwrap_or_default()).is_ok()).unwrap_or(false)
    };
    match error {
        E::UnknownNamespace(..)
        | E::DuplicatedNamespace(..)
        | E::InvalidXmlPrefixUri(_)
        | E::UnexpectedXmlUri(_)
        | E::UnexpectedXmlnsUri(_)
        | E::InvalidElementNamePrefix(_)
        | E::InvalidComment(_)
        // Attributes in a declaration other than the three that it has.
        | E::InvalidString(..)
        | E::InvalidCharacterData(_) => true,
        // A colon is a letter here, wherever it stands in a name.
        E::InvalidName(_) if text.contains(':') => true,
        _ => behind(),
    }
}

fn compare(text: &str) -> bool {
    match (ours(text), theirs(text)) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(ours, theirs, "{text}");
            true
        }
        (Err(error), Ok(_)) => panic!("{error:?}\n{text}"),
        (Ok(_), Err(error)) => {
            assert!(is_known(text, &error), "{error:?}\n{text}");
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
    for text in [
        "",
        " ",
        "a",
        "<",
        "<a",
        "<a>",
        "<a b>",
        "<a b=>",
        "<a b=1>",
        "<a b='1'c='2'/>",
        "<a b='<'/>",
        "<a b='1' b='2'/>",
        "<a c='' b='1' b='2'/>",
        "<a></b>",
        "<a><b></a></b>",
        "</a>",
        "<1/>",
        "<a>&b;</a>",
        "<a>&#0;</a>",
        "<a>&#+5;</a>",
        "<a>& </a>",
        "<a>&",
        "<a b='&'/>",
        "x<a/>",
        "<![CDATA[x]]><a/>",
        "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>",
        "<a><!x></a>",
        "<a><![CDATA[</a>",
        "<a><!-- </a>",
        "<a><? ?></a>",
        "<a / >",
        "<a></a b='1'>",
    ] {
        assert!(theirs(text).is_err(), "{text}");
        assert!(ours(text).is_err(), "{text}: {:?}", ours(text));
    }
}

#[test]
fn refuses_what_roxmltree_refuses() {
    let mut rng = Rng(11);
    let (mut read, mut tried) = (0, 0);
    for file in testkit::fixtures("rbxxml") {
        for _ in 0..5_000 {
            let broken = testkit::mutate(&file.bytes, &mut rng);
            // What XML does not allow is looked for before it is parsed.
            let Some(source) = Source::plain(&broken) else { continue };
            read += usize::from(compare(&source.text));
            tried += 1;
        }
    }
    assert!(read > tried / 20 && read < tried, "{read} of {tried}");
}
