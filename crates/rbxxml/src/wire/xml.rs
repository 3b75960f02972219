//! The parser of XML. Nothing else in this crate knows which one it is.

use std::borrow::Cow;
use std::ops::Range;

use bstr::ByteSlice as _;

use crate::error::{ErrorKind, Limit};

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Tree<'t>(roxmltree::Document<'t>);

/// An element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<'d, 't>(roxmltree::Node<'d, 't>);

/// Why a text was refused, and where.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) kind: ErrorKind,
    pub(crate) at: usize,
    pub(crate) cure: Cure,
}

/// What might make it readable.
#[derive(Debug)]
pub(crate) enum Cure {
    /// Nothing.
    None,
    /// Characters that XML does not allow, put as others.
    Characters,
    /// A declaration of a prefix.
    Prefix(String),
}

impl<'t> Tree<'t> {
    /// Parses a text. A document type is refused: with it, a small text could become a large one.
    pub(crate) fn parse(text: &'t str, max_nodes: u32) -> Result<Self, Refused> {
        let options =
            roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: max_nodes, ..Default::default() };
        roxmltree::Document::parse_with_options(text, options)
            .map(Self)
            .map_err(|error| refused(text, &error, max_nodes))
    }

    pub(crate) fn root(&self) -> Element<'_, 't> {
        Element(self.0.root_element())
    }
}

/// The text as the parser takes it best. It makes room for as many nodes as there are `<`; a text
/// with indented lines has half as many again, and all of them would be copied to a place twice as
/// large, and back to one that fits. A comment behind the root lets it guess right.
pub(crate) fn roomy(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // One for the document itself, one for the comment.
    let (mut signs, mut nodes, mut at) = (0_usize, 2_usize, 0_usize);
    while let Some(sign) = bytes.get(at..).and_then(|rest| rest.find_byte(b'<')) {
        let start = at.saturating_add(sign);
        let rest = bytes.get(start..).unwrap_or_default();
        signs = signs.saturating_add(1);
        let text_before =
            start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|&b| b != b'>');
        let section = rest.starts_with(b"<![CDATA[");
        let node = !(rest.starts_with(b"</") || section && text_before);
        nodes = nodes.saturating_add(usize::from(text_before)).saturating_add(usize::from(node));
        at = match section {
            true => {
                let end = rest.find(b"]]>").unwrap_or(rest.len());
                let skipped =
                    rest.get(1..end).unwrap_or_default().iter().filter(|&&byte| byte == b'<').count();
                signs = signs.saturating_add(skipped);
                start.saturating_add(end)
            }
            false => start.saturating_add(1),
        };
    }
    let more = nodes.saturating_sub(signs);
    if more < 64 {
        return Cow::Borrowed(text);
    }
    // The comment begins with such a sign itself.
    let more = more.saturating_sub(1);
    let mut roomy = String::with_capacity(text.len().saturating_add(more).saturating_add(7));
    roomy.push_str(text);
    roomy.push_str("<!--");
    roomy.extend(std::iter::repeat_n('<', more));
    roomy.push_str("-->");
    Cow::Owned(roomy)
}

#[cold]
fn refused(text: &str, error: &roxmltree::Error, max_nodes: u32) -> Refused {
    use roxmltree::Error as E;
    let before = |count: u32| count.saturating_sub(1) as usize;
    let mut line_start = 0_usize;
    for line in text.split_inclusive('\n').take(before(error.pos().row)) {
        line_start = line_start.saturating_add(line.len());
    }
    let line = text.get(line_start..).unwrap_or_default();
    let within: usize = line.chars().take(before(error.pos().col)).map(char::len_utf8).sum();
    let at = line_start.saturating_add(within).min(text.len());
    // The place stands beside the message, not in it.
    let said = error.to_string();
    let said = said.rsplit_once(" at ").map_or(said.as_str(), |(said, _)| said);
    let at = match error {
        E::UnexpectedEndOfStream | E::UnclosedRootNode | E::NoRootNode => text.len(),
        _ => at,
    };
    let (kind, cure) = match error {
        E::NodesLimitReached => {
            let limit = Limit { name: "max_nodes", allowed: u64::from(max_nodes) };
            (ErrorKind::Limit(limit), Cure::None)
        }
        E::DtdDetected => (ErrorKind::Unsupported("document type declaration".into()), Cure::None),
        E::UnexpectedEndOfStream | E::UnclosedRootNode | E::NoRootNode => {
            (ErrorKind::UnexpectedEnd, Cure::Characters)
        }
        E::UnknownNamespace(prefix, _) => (
            ErrorKind::Invalid(format!("prefix {prefix:?} is not declared").into()),
            Cure::Prefix(prefix.clone()),
        ),
        E::UnexpectedCloseTag(wanted, found, _) => {
            (ErrorKind::Invalid(format!("</{found}> where </{wanted}> belongs").into()), Cure::Characters)
        }
        _ => (ErrorKind::Invalid(format!("malformed XML: {said}").into()), Cure::Characters),
    };
    Refused { kind, at, cure }
}

/// The node, or the first element behind it.
#[inline]
fn element_from<'d, 't: 'd>(mut node: roxmltree::Node<'d, 't>) -> Option<Element<'d, 't>> {
    while !node.is_element() {
        node = node.next_sibling()?;
    }
    Some(Element(node))
}

impl<'d, 't: 'd> Element<'d, 't> {
    /// The tag without its prefix.
    #[inline]
    pub(crate) fn tag(self) -> &'d str {
        self.0.tag_name().name()
    }

    /// An attribute without a prefix.
    #[inline]
    pub(crate) fn attribute(self, name: &str) -> Option<&'d str> {
        self.0.attribute(name)
    }

    /// Where in the text the element begins and ends.
    #[inline]
    pub(crate) fn range(self) -> Range<usize> {
        self.0.range()
    }

    /// The first element below this one.
    #[inline]
    pub(crate) fn first(self) -> Option<Self> {
        element_from(self.0.first_child()?)
    }

    /// The next element beside this one.
    #[inline]
    pub(crate) fn next(self) -> Option<Self> {
        element_from(self.0.next_sibling()?)
    }

    /// The elements below this one.
    #[inline]
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.first(), |element| element.next())
    }

    /// Where the first thing in the element begins, of any kind; where the element begins, if it is empty.
    pub(crate) fn inside(self) -> usize {
        self.0.first_child().map_or(self.0.range().start, |child| child.range().start)
    }

    /// The text in the element, `None` where elements stand in it.
    #[inline]
    pub(crate) fn text(self) -> Option<Cow<'d, str>> {
        let Some(first) = self.0.first_child() else { return Some(Cow::Borrowed("")) };
        if first.is_text() && first.next_sibling().is_none() {
            return first.text().map(Cow::Borrowed);
        }
        // A comment parts a text in two.
        let mut all = String::new();
        for child in self.0.children() {
            if child.is_element() {
                return None;
            }
            if child.is_text() {
                all.push_str(child.text().unwrap_or_default());
            }
        }
        Some(Cow::Owned(all))
    }

    /// Whether the first thing in the element is white space.
    pub(crate) fn begins_with_space(self) -> bool {
        self.0.first_child().is_some_and(|child| child.is_text())
    }
}
