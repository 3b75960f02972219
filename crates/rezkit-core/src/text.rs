//! Texts that quote a file, truncated to a readable length.

/// The maximum length of these texts, in bytes.
const MAX_TEXT: usize = 600;

/// The text, or its beginning.
pub(crate) fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}
