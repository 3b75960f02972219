//! The XML that OpenSim writes: elements and texts. Attributes are skipped.

use rezkit_core::{Budget, Error, Result};

/// The maximum depth of elements.
const DEPTH: usize = 64;

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) children: Vec<Element>,
}

impl Element {
    /// The first child with a name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The text of a child, without blanks around it; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.child(name).map_or("", |child| child.text.trim())
    }

    /// The number in a child.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.text(name).parse().ok().filter(|number: &f64| number.is_finite())
    }
}

/// The root element of a document.
pub(super) fn parse(bytes: &[u8], budget: &mut Budget) -> Result<Element> {
    let text = String::from_utf8_lossy(bytes);
    // An element takes at least four bytes of the file and up to about 180 in memory.
    budget.take((text.len() as u64).saturating_mul(48), "the XML document")?;
    let wrong = |at: usize, what: &str| {
        let line = text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1;
        Error::unreadable(format!("line {line}: {what}"))
    };
    let mut open: Vec<Element> = vec![Element::default()];
    let mut at = 0;
    while let Some(next) = text[at..].find('<').map(|next| at + next) {
        let Some(inner) = open.last_mut() else { break };
        unescape(&text[at..next], &mut inner.text);
        let rest = &text[next..];
        let end = |mark: &str| {
            rest.find(mark)
                .map(|end| next + end + mark.len())
                .ok_or_else(|| wrong(next, "this markup has no end"))
        };
        if let Some(content) = rest.strip_prefix("<![CDATA[") {
            at = end("]]>")?;
            inner.text += &content[..at - next - 12];
            continue;
        }
        if rest.starts_with("<!--") {
            at = end("-->")?;
            continue;
        }
        at = end(">")?;
        let tag = &text[next + 1..at - 1];
        if tag.starts_with(['?', '!']) {
            continue;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().filter(|closed| closed.name == name.trim_end());
            let closed = closed.ok_or_else(|| wrong(next, "this end tag has no start tag"))?;
            let above = open.last_mut().ok_or_else(|| wrong(next, "this end tag has no start tag"))?;
            above.children.push(closed);
            continue;
        }
        let name = tag.trim_end_matches('/').split_ascii_whitespace().next().unwrap_or_default().to_owned();
        let element = Element { name, ..Element::default() };
        if tag.ends_with('/') {
            inner.children.push(element);
        } else if open.len() > DEPTH {
            return Err(wrong(next, "the elements are nested too deeply"));
        } else {
            open.push(element);
        }
    }
    match <[Element; 1]>::try_from(open) {
        Ok([mut document]) => {
            document.children.pop().ok_or_else(|| Error::unreadable("the document has no element"))
        }
        Err(open) => Err(Error::unreadable(format!(
            "the document ends before the end tag of {}",
            open.last().map_or("", |element| &element.name)
        ))),
    }
}

fn unescape(mut text: &str, to: &mut String) {
    while let Some((before, rest)) = text.split_once('&') {
        *to += before;
        let (name, after) = rest.split_once(';').unwrap_or((rest, ""));
        let number = name.strip_prefix('#').and_then(|number| match number.strip_prefix('x') {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        });
        let char = match name {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => number.and_then(char::from_u32),
        };
        match char {
            Some(char) => {
                to.push(char);
                text = after;
            }
            None => {
                to.push('&');
                text = rest;
            }
        }
    }
    *to += text;
}
