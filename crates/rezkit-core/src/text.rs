//! Texts that quote a file, at a length that can be read.

/// The longest text that is made here, in bytes.
const MAX_TEXT: usize = 600;

/// A text as it is, or its beginning.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}
