//! Writes a text by comparing it with the original one: unchanged lines are copied.

use bstr::ByteSlice;

use super::token::{is_blank, line};
use geom::wire::after;

/// What is kept of the original text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Every line that means the same.
    Lines,
    /// Every section that means the same.
    Sections,
    /// Only the parts that the model does not contain.
    Unknown,
}

/// The text being written.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) out: Vec<u8>,
    pub(crate) keep: Keep,
    pub(crate) newline: &'static [u8],
}

impl Text {
    /// Appends a section that is `raw` in the original text; `was` is its canonical form, and `now` that of the
    /// model. Returns whether it is unchanged.
    pub(crate) fn section(&mut self, raw: &[u8], was: &[u8], now: &[u8]) -> bool {
        if raw.is_empty() && now.is_empty() {
            return true;
        }
        self.end_section();
        // Parts that the model does not contain have an empty canonical form.
        if was == now && (self.keep != Keep::Unknown || now.is_empty()) {
            self.out.extend_from_slice(raw);
            return true;
        }
        let is_kept = self.keep == Keep::Lines && !raw.is_empty();
        let [old, was, rows] = [raw, was, now].map(|text| if is_kept { split(text) } else { Vec::new() });
        if !is_kept || old.len() != was.len() {
            self.out.extend_from_slice(now);
            self.end_section();
            return false;
        }
        let same = |(a, b): &(&&[u8], &&[u8])| a == b;
        let front = was.iter().zip(&rows).take_while(same).count();
        let rest = was.iter().skip(front).rev().zip(rows.iter().skip(front).rev());
        let back = rest.take_while(same).count();
        for (index, &row) in rows.iter().enumerate() {
            // The index of the row before the edit: rows were added or removed in at most one place.
            let before = match rows.len().saturating_sub(index) <= back {
                true => was.len().saturating_add(index).checked_sub(rows.len()),
                false => Some(index).filter(|&index| index < front || was.len() == rows.len()),
            };
            let kept =
                before.filter(|&before| was.get(before) == Some(&row)).and_then(|before| old.get(before));
            self.end_line();
            self.out.extend_from_slice(kept.unwrap_or(&row));
        }
        self.out.extend_from_slice(after(raw, len_of_rows(raw)));
        false
    }

    pub(crate) fn end_line(&mut self) {
        if self.out.last().is_some_and(|&byte| byte != b'\n') {
            self.out.extend_from_slice(self.newline);
        }
    }

    /// Ends a section with an empty line, unless it has one.
    fn end_section(&mut self) {
        self.end_line();
        let last = self.out.strip_suffix(b"\n").and_then(|out| out.rsplit(|&byte| byte == b'\n').next());
        if last.is_some_and(|last| !last.iter().all(|&byte| is_blank(byte) || byte == b'\r')) {
            self.out.extend_from_slice(self.newline);
        }
    }
}

/// The length of a text without the blank lines at its end.
fn len_of_rows(text: &[u8]) -> usize {
    let len = text.trim_end_with(|c| matches!(c, ' ' | '\t' | '\r' | '\n')).len();
    text.len().saturating_sub(line(text.split_at(len).1).1.len())
}

/// The lines of a text without the blank ones at its end.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_at(len_of_rows(text)).0.split_inclusive(|&byte| byte == b'\n').collect()
}
