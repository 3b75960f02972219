//! The bytes between values: how entries are separated and indented, and how that changes if entries are inserted or
//! removed.

use bstr::ByteSlice as _;

use crate::consts::Encoding;
use crate::document::nodes::Nodes;
use crate::text::out::Indent;
use crate::wire::attribute;
use geom::wire::after;

/// The layout of a container's entries.
pub(super) struct Style {
    /// The text before an entry: a line end and an indentation, or the separator of entries on one
    /// line.
    lead: Vec<u8>,
    /// The text between a key and its value.
    pub(super) between: Vec<u8>,
    /// The text after the last entry, if the container was empty.
    close: Vec<u8>,
    /// How containers in an entry are indented; `None` if they are written on one line.
    pub(super) indent: Option<Indent>,
}

impl Style {
    /// Takes the layout of the last entry, or in an empty container, that of the lines around the container.
    pub(super) fn new(nodes: &Nodes<'_>, node: usize, children: &[usize]) -> Self {
        let found = nodes.node(node);
        let (lead, between, close) = match (nodes.encoding, children.split_last()) {
            (Encoding::Binary, _) => Default::default(),
            (Encoding::Xml | Encoding::Notation, Some((&last, others))) => {
                let from = others.last().map_or(found.content.start, |&other| nodes.node(other).end);
                let last = nodes.node(last);
                let gap = nodes.text(from..last.entry);
                let after_comma = gap.rsplit_once_str(",").map_or(&b""[..], |(_, blank)| blank);
                let lead = match last_line(gap) {
                    Some(at) => after(gap, at),
                    None if after_comma.trim_ascii().is_empty() => after_comma,
                    None => b"",
                };
                let head = nodes.text(last.entry..last.start);
                let between = after(head, head.trim_ascii_end().len());
                (lead.to_vec(), between.to_vec(), Vec::new())
            }
            // The root of notation begins the file: nothing shows whether entries should be on lines of their own.
            (Encoding::Notation, None) if node == nodes.root => Default::default(),
            (encoding @ (Encoding::Xml | Encoding::Notation), None) => match line(nodes, found.entry) {
                Some(close) => {
                    let lead = [close, &unit(nodes)].concat();
                    // As the viewer writes a key and its value: each on its own line.
                    let between = if encoding == Encoding::Xml { lead.clone() } else { Vec::new() };
                    (lead, between, close.to_vec())
                }
                None => Default::default(),
            },
        };
        let indent = lead.contains(&b'\n').then(|| Indent { line: lead.clone(), unit: unit(nodes) });
        Self { lead, between, close, indent }
    }

    fn has_lines(&self) -> bool {
        self.indent.is_some()
    }
}

/// The bytes to write between two entries that stay, or between one and an end of the container. `pieces` are the bytes
/// that were there, around the removed entries; `new` are the inserted entries. `sides`: whether there is an entry that
/// stays on the left and on the right.
pub(super) fn gap<'a>(
    encoding: Encoding,
    pieces: impl Iterator<Item = &'a [u8]>,
    sides: (bool, bool),
    new: &[Vec<u8>],
    style: &Style,
) -> Vec<u8> {
    let mut pieces = pieces;
    // Without pieces there was nothing between them.
    let mut text = pieces.next().unwrap_or_default().to_vec();
    match encoding {
        Encoding::Binary => new.concat(),
        Encoding::Xml => {
            pieces.for_each(|piece| join(&mut text, piece));
            // New entries go after the rest of the line, if entries are on lines of their own.
            let at = if style.has_lines() { first_line(&text) } else { Some(0) };
            let rest = text.split_off(at.unwrap_or(text.len()));
            for entry in new {
                text.extend_from_slice(&style.lead);
                text.extend_from_slice(entry);
            }
            let is_new = !new.is_empty() && sides == (false, false) && !rest.contains(&b'\n');
            text.extend_from_slice(if is_new { &style.close } else { b"" });
            text.extend_from_slice(&rest);
            text
        }
        Encoding::Notation => {
            pieces.for_each(|piece| join_notation(&mut text, piece, sides));
            insert_notation(&text, sides, new, style)
        }
    }
}

/// Joins the bytes before and after a removed entry. If it was alone on its line, the line is removed, too.
fn join(before: &mut Vec<u8>, after: &[u8]) {
    let ends = after.find_byte(b'\n').is_some_and(|end| after[..end].trim_ascii().is_empty());
    if let Some(at) = last_line(before).filter(|_| ends) {
        before.truncate(at);
    }
    before.extend_from_slice(after);
}

/// Like [`join`], for notation: keeps one comma between two entries.
fn join_notation(before: &mut Vec<u8>, after: &[u8], (left, right): (bool, bool)) {
    let plain = |gap: &[u8]| {
        gap.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b',') && gap.find_iter(b",").count() < 2
    };
    match (left, right) {
        _ if !plain(before) || !plain(after) => join(before, after),
        (false, false) => {
            before.retain(|byte| *byte != b',');
            let after: Vec<u8> = after.iter().copied().filter(|byte| *byte != b',').collect();
            join(before, &after);
        }
        // If the first entries are removed, the text before the first is kept before the next one.
        (false, true) => {}
        (true, true) if before.contains(&b',') => {}
        (true, _) => *before = after.to_vec(),
    }
}

fn insert_notation(gap: &[u8], (left, right): (bool, bool), new: &[Vec<u8>], style: &Style) -> Vec<u8> {
    let mut text = Vec::new();
    let lead = style.lead.as_slice();
    // The text before the first entry stays before it.
    if !left && (right || new.is_empty()) {
        text.extend_from_slice(gap);
    }
    for (index, entry) in new.iter().enumerate() {
        if left || index > 0 {
            text.push(b',');
        }
        match left || index > 0 {
            true => text.extend_from_slice(lead),
            false if !right && style.has_lines() => text.extend_from_slice(lead),
            false => {}
        }
        text.extend_from_slice(entry);
    }
    match (left, right) {
        (false, true) if !new.is_empty() => {
            text.push(b',');
            text.extend_from_slice(lead);
        }
        (true, true) => {
            if !gap.contains(&b',') {
                text.push(b',');
            }
            text.extend_from_slice(gap);
        }
        (true, false) => text.extend_from_slice(gap),
        (false, false) if !new.is_empty() => match gap.rfind_byte(b'\n') {
            Some(_) => text.extend_from_slice(after(gap, last_line(gap).unwrap_or(0))),
            None => text.extend_from_slice(&style.close),
        },
        _ => {}
    }
    text
}

/// The offset of the line end before the last line, if the last line is blank.
fn last_line(text: &[u8]) -> Option<usize> {
    let end = text.rfind_byte(b'\n').filter(|&end| text[end..].trim_ascii().is_empty())?;
    Some(if text[..end].ends_with(b"\r") { end - 1 } else { end })
}

/// The offset of the first line end that is not inside a comment or a tag.
fn first_line(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text[at..].find_byteset(b"\n<")?;
        let rest = &text[at..];
        let close: &[u8] = match rest {
            [b'<', b'!', b'[', ..] => b"]]>",
            [b'<', b'!', ..] => b"-->",
            [b'<', ..] => b">",
            _ => return Some(if text[..at].ends_with(b"\r") { at - 1 } else { at }),
        };
        at += rest.find(close)? + close.len();
    }
}

/// The line end and the indentation before an entry, if it is the first on its line.
pub(super) fn line<'a>(nodes: &Nodes<'a>, entry: usize) -> Option<&'a [u8]> {
    let before = nodes.text(0..entry);
    let blank =
        before.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).filter(|&at| before[at] == b'\n')?;
    let start = if before[..blank].ends_with(b"\r") { blank - 1 } else { blank };
    before.get(start..)
}

/// The text of one level of indentation in this document.
pub(super) fn unit(nodes: &Nodes<'_>) -> Vec<u8> {
    let indented = || {
        let (children, _) = nodes.children(nodes.root);
        let inner = line(nodes, nodes.node(*children.first()?).entry)?;
        // A root that begins the file has no line end before it, and no indentation.
        let outer = line(nodes, nodes.node(nodes.root).entry).unwrap_or_default();
        let [inner, outer] = [inner, outer].map(|line| line.trim_start_with(|c| matches!(c, '\r' | '\n')));
        inner.strip_prefix(outer).filter(|unit| !unit.is_empty()).map(<[u8]>::to_vec)
    };
    nodes.unit.get_or_init(|| indented().unwrap_or_else(|| Indent::default().unit)).clone()
}

/// An element with its start tag and another content.
pub(super) fn around(element: &[u8], content: &[u8], name: &[u8]) -> Vec<u8> {
    let start = tag(element);
    let start = start.strip_suffix(b">").unwrap_or(start);
    let start = start.strip_suffix(b"/").unwrap_or(start).trim_ascii_end();
    [start, b">", content, b"</", name, b">"].concat()
}

/// The element of a scalar with the content of another one: its attributes stay, except that a binary is
/// written in base64.
pub(super) fn respelled(old: &[u8], new: Vec<u8>) -> Vec<u8> {
    let mut start = tag(old).to_vec();
    let Some(name) = start.find_byteset(b" \t\r\n/").filter(|&end| start[end] != b'/') else { return new };
    let name = start.get(1..name).unwrap_or_default().to_vec();
    if name == b"binary" {
        base64(&mut start);
    }
    // Something empty is `<string />`.
    let content = new.find_byte(b'>').zip(new.rfind(b"</"));
    let content = content.and_then(|(from, to)| new.get(from + 1..to)).unwrap_or_default();
    around(&start, content, &name)
}

/// Sets the attribute `encoding` of a tag, if it has one, to that in which binaries are written.
fn base64(tag: &mut Vec<u8>) {
    let mut rest = tag.get("<binary".len()..).unwrap_or_default();
    while let Ok((more, (name, value))) = attribute(rest.trim_ascii_start()) {
        if name == b"encoding" {
            // The value ends before its quotation mark.
            let end = tag.len() - more.len() - 1;
            tag.splice(end - value.len()..end, *b"base64");
            return;
        }
        rest = more;
    }
}

/// The start tag at the front of an element.
fn tag(element: &[u8]) -> &[u8] {
    let mut quote = None;
    let end = element.iter().position(|&byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) => {
            if open == byte {
                quote = None;
            }
            false
        }
        _ => false,
    });
    end.and_then(|end| element.get(..=end)).unwrap_or(element)
}
