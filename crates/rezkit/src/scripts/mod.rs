//! Scripts in an asset, and a search for suspicious code.

mod luau;
mod rules;

use bstr::ByteSlice;
use rezkit_core::plain::shorten;
use rezkit_core::{Budget, Result};

/// The most bytes that a shortened text has before suspicious code.
const BEFORE: usize = 60;

/// A script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The path of its instance.
    pub path: String,
    /// The class of its instance.
    pub class: String,
    /// The source.
    pub source: Vec<u8>,
}

/// A line of a script to review.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Suspicion {
    /// The line, from 1.
    pub line: usize,
    /// The column of the code in characters, from 1.
    pub column: usize,
    /// The kind of suspicious code.
    pub what: &'static str,
    /// The line's text, shortened: of a long line, the part with the code.
    pub text: String,
}

impl Script {
    /// Code to review, in order of lines: `require` of an id, code from strings, network access, encoded strings. The
    /// search examines tokens, not behaviour: an empty list does not mean that the script is harmless.
    ///
    /// # Errors
    /// [`Limit`](rezkit_core::ErrorKind::Limit) if the list takes more than `max_bytes`.
    pub fn suspicious(&self, max_bytes: u64) -> Result<Vec<Suspicion>> {
        let (mut found, mut budget, mut full): (Vec<Suspicion>, _, _) =
            (Vec::new(), Budget::new(max_bytes), Ok(()));
        let (mut line, mut from, mut text_from) = (1, 0, 0);
        rules::look(&self.source, &mut |offset, what| {
            if full.is_err() {
                return;
            }
            let passed = &self.source[from..offset.max(from)];
            line += passed.iter().filter(|&&byte| byte == b'\n').count();
            if let Some(last) = passed.rfind_byte(b'\n') {
                text_from = from + last + 1;
            }
            from = offset.max(from);
            if found.iter().rev().take_while(|other| other.line == line).any(|other| other.what == what) {
                return;
            }
            let before = &self.source[text_from..from];
            let indent = before.len() - before.trim_ascii_start().len();
            // The text begins shortly before code that is far from the beginning of the line.
            let (mark, skipped) = match before.len() - indent {
                0..=BEFORE => ("", indent),
                _ => {
                    let near = before.len() - BEFORE / 2;
                    let is_inside = |byte: &&u8| **byte & 0xc0 == 0x80;
                    ("…", near + before[near..].iter().take_while(is_inside).count())
                }
            };
            // A character has at most four bytes.
            let rest = self.source[text_from + skipped..].lines().next().unwrap_or_default();
            let text = mark.to_owned() + &shorten(rest[..rest.len().min(400)].to_str_lossy().trim(), 100);
            let column = before.chars().count() + 1;
            // A growing list is copied into one of twice the size, so each entry counts three times.
            full = budget
                .take((3 * size_of::<Suspicion>() + text.len() + 32) as u64, "the list of suspicious lines");
            found.push(Suspicion { line, column, what, text });
        });
        full.map(|()| found)
    }
}

/// The range of each token of a script, in order. Comments are no tokens.
pub(crate) fn tokens(source: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    // The text of a string does not contain its quotes.
    let around = |token: &luau::Token<'_>| if token.is_string() { 2 } else { 0 };
    luau::Lexer::new(source).map(move |token| token.start..token.start + token.text.len() + around(&token))
}
