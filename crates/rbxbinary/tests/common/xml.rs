//! As much of XML as Studio writes, for the twins of binary models.
#![allow(dead_code, reason = "each test file uses its part")]

/// An element.
#[derive(Clone, Debug, Default)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    pub(crate) fn items(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(|child| child.tag == "Item")
    }
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('&');
    out += parts.next().unwrap_or_default();
    for part in parts {
        let (entity, rest) = part.split_once(';').unwrap();
        match entity {
            "lt" => out.push('<'),
            "gt" => out.push('>'),
            "amp" => out.push('&'),
            "quot" => out.push('"'),
            "apos" => out.push('\''),
            number => {
                let number = number.strip_prefix('#').unwrap();
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
                    None => number.parse().unwrap(),
                };
                out.push(char::from_u32(code).unwrap());
            }
        }
        out += rest;
    }
    out
}

/// The element at the root.
pub(crate) fn parse(text: &str) -> Element {
    let mut open = vec![Element::default()];
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        open.last_mut().unwrap().text += &unescape(&rest[..at].replace("\r\n", "\n"));
        rest = &rest[at + 1..];
        if let Some(data) = rest.strip_prefix("![CDATA[") {
            let (data, behind) = data.split_once("]]>").unwrap();
            open.last_mut().unwrap().text += &data.replace("\r\n", "\n");
            rest = behind;
            continue;
        }
        let (tag, behind) = rest.split_once('>').unwrap();
        rest = behind;
        if tag.starts_with('/') {
            let done = open.pop().unwrap();
            open.last_mut().unwrap().children.push(done);
            continue;
        }
        let (tag, closed) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let (name, mut given) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut element = Element { tag: name.to_owned(), ..Element::default() };
        while let Some((key, behind)) = given.split_once("=\"") {
            let (value, behind) = behind.split_once('"').unwrap();
            element.attributes.push((key.trim().to_owned(), unescape(value)));
            given = behind;
        }
        match closed {
            true => open.last_mut().unwrap().children.push(element),
            false => open.push(element),
        }
    }
    open.pop().unwrap().children.pop().unwrap()
}

/// Bytes from base64, white space passed over.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| -> Option<u32> {
        Some(
            match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            }
            .into(),
        )
    };
    let digits: Vec<u32> = text.bytes().filter_map(digit).collect();
    let mut out = Vec::new();
    for group in digits.chunks(4) {
        let bits = group.iter().fold(0, |bits, digit| bits << 6 | digit) << (6 * (4 - group.len()));
        out.extend(&bits.to_be_bytes()[1..][..group.len() * 6 / 8]);
    }
    out
}
