//! A touched property: the element keeps its tag and white space, and the components that did not change, as of a vector,
//! their text.

use std::ops::Range;

use bstr::ByteSlice as _;

use crate::model::Value;
use crate::wire::cx::Cx;
use crate::wire::property;
use crate::wire::xml::Scanner;

/// The element of the file with the changed texts of the written one. `None` if their tags differ, if there are comments
/// or the like, or if the result is not the value.
pub(super) fn merged(old: &[u8], new: &[u8], name: &str, value: &Value) -> Option<Vec<u8>> {
    let (from, to) = (leaves(old)?, leaves(new)?);
    if !from.iter().map(|leaf| leaf.0).eq(to.iter().map(|leaf| leaf.0)) {
        return None;
    }
    let (mut out, mut copied) = (Vec::with_capacity(old.len()), 0);
    let start = |text: &[u8]| text.find_byte(b'>');
    // Where the texts are those of a new element, so is the value.
    let mut is_usual = start(old).map(|end| &old[..end]) == start(new).map(|end| &new[..end]);
    for ((_, before), (_, after)) in from.into_iter().zip(to) {
        let (text, other) = (&old[before.clone()], &new[after]);
        if text == other {
            continue;
        }
        if is_same(text, other) {
            is_usual = false;
            continue;
        }
        out.extend_from_slice(&old[copied..before.start]);
        out.extend_from_slice(other);
        copied = before.end;
    }
    out.extend_from_slice(&old[copied..]);
    if is_usual {
        return Some(out);
    }
    let mut cx = Cx::new(Scanner::of_element(&out, 0));
    let tag = cx.scanner.child().ok()??;
    let is_named = cx.attribute(tag, "name").is_ok_and(|found| found == *name);
    let is_read = is_named && property::read(&mut cx, tag).is_ok_and(|read| read == *value);
    is_read.then_some(out)
}

/// The name of the tag and the place of the text of each element without elements in it. `None` if there are comments or
/// the like.
fn leaves(text: &[u8]) -> Option<Vec<(&[u8], Range<usize>)>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(open) = text[at..].find_byte(b'<').map(|open| at + open) {
        let close = open + text[open..].find_byte(b'>')?;
        let tag = &text[open + 1..close];
        at = close + 1;
        if tag.starts_with(b"!") || tag.starts_with(b"?") {
            return None;
        }
        let next = at + text[at..].find_byte(b'<').unwrap_or(text.len() - at);
        if !tag.starts_with(b"/") && !tag.ends_with(b"/") && text[next..].starts_with(b"</") {
            found.push((tag.split(u8::is_ascii_whitespace).next()?, at..next));
        }
    }
    Some(found)
}

/// Whether two texts of a component are the same number, or equal.
fn is_same(old: &[u8], new: &[u8]) -> bool {
    let (old, new) = (old.trim_ascii(), new.trim_ascii());
    let number = |text: &[u8]| text.to_str().ok()?.parse::<f64>().ok();
    // Components with a fraction have 32 bits.
    let single = |text: &[u8]| text.to_str().ok()?.parse::<f32>().ok();
    let has_fraction = old.find_byteset(b".eE").is_some();
    let bits = |text: &[u8]| match has_fraction {
        true => single(text).map(|number| u64::from(number.to_bits())),
        false => number(text).map(f64::to_bits),
    };
    old == new || bits(old).is_some_and(|old| Some(old) == bits(new))
}
