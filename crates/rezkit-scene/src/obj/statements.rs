//! The common part of OBJ files and material libraries: each line is a statement, and omitted statements are counted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rezkit_core::{Budget, Error, Loss, Result};

use crate::forms::unmarked;

/// The maximum number of keywords of omitted statements that are listed separately.
const MOST_NAMES: usize = 16;

const NOT_UTF8: &str = "text that is not UTF-8, which is read as Latin-1";

/// The statements: the number of the line, the keyword, and the text after it.
pub(super) fn statements(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
    let lines = (1..).zip(unmarked(bytes).split(|&byte| byte == b'\n'));
    lines.filter_map(|(line, text)| {
        let text = text.trim_ascii();
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (key, rest) = (&text[..end], text[end..].trim_ascii_start());
        (!key.is_empty() && !key.starts_with(b"#")).then_some((line, key, rest))
    })
}

/// The text as UTF-8. If a statement is not UTF-8, each byte of the text is a character (Latin-1), which is listed as
/// changed; the path of the loss is `file` and the number of the first such line.
pub(super) fn decoded<'b>(
    bytes: &'b [u8],
    file: &str,
    budget: &mut Budget,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'b, [u8]>> {
    let is_other = |text: &[u8]| str::from_utf8(text).is_err();
    // Comments may have any bytes.
    let other = match is_other(bytes) {
        true => statements(bytes).find(|(_, key, rest)| is_other(key) || is_other(rest)),
        false => None,
    };
    let Some((line, ..)) = other else { return Ok(bytes.into()) };
    let bytes = unmarked(bytes);
    let more = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    budget.take((bytes.len() + more) as u64, "the text as UTF-8")?;
    let mut text = String::with_capacity(bytes.len() + more);
    text.extend(bytes.iter().copied().map(char::from));
    budget.lose(losses, Loss::approximated(format!("{file}line {line}"), NOT_UTF8).id("text.not-utf8"))?;
    Ok(text.into_bytes().into())
}

/// The words of a statement, up to a comment.
pub(super) fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.take_while(|word| !word.starts_with(b"#"))
}

pub(super) fn expected(what: &str, word: &[u8]) -> Error {
    let shown = String::from_utf8_lossy(&word[..word.len().min(40)]);
    Error::unreadable(format!("expected {what}, found {shown:?}"))
}

/// The first `N` numbers of a statement, of which `least` are required, and how many there are.
pub(super) fn numbers<const N: usize>(rest: &[u8], least: usize) -> Result<([f32; N], usize)> {
    let (mut numbers, mut count) = ([0.0; N], 0);
    for word in words(rest).take(N) {
        let number = str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        numbers[count] = number.ok_or_else(|| expected("a number", word))?;
        count += 1;
    }
    match count >= least {
        true => Ok((numbers, count)),
        false => Err(Error::unreadable(format!("expected {least} or more numbers, found {count}"))),
    }
}

/// The omitted statements by kind: the line of the first one, and their number.
#[derive(Default)]
pub(super) struct LeftOut(BTreeMap<String, (usize, usize)>);

impl LeftOut {
    pub(super) fn add(&mut self, what: &str, line: usize) {
        match self.0.get_mut(what) {
            Some((_, count)) => *count += 1,
            None => _ = self.0.insert(what.to_owned(), (line, 1)),
        }
    }

    /// Counts an omitted statement by its keyword; `is_known`: whether such statements are converted.
    pub(super) fn statement(&mut self, key: &[u8], is_known: bool, line: usize) {
        let key = String::from_utf8_lossy(&key[..key.len().min(32)]);
        let why = if is_known {
            "statements with values that cannot be used"
        } else {
            "statements, which are not converted"
        };
        let what = format!("{key:?} {why}");
        let is_named = self.0.len() < MOST_NAMES || self.0.contains_key(&what);
        self.add(
            if is_named { &what } else { "statements with other keywords, which are not converted" },
            line,
        );
    }

    /// A loss for each kind; its path is `file` and the number of the line.
    pub(super) fn losses(self, file: &str) -> impl Iterator<Item = Loss> {
        self.0.into_iter().map(move |(what, (line, count))| {
            Loss::new(format!("{file}line {line}"), what).id("obj.statement").times(count)
        })
    }
}
