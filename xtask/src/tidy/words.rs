//! Plain technical English: words that the project's texts do not use, and what to write instead.

/// Words and phrases, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("behind", "after"),
    ("holds", "contains, has"),
    ("house", "project, workspace, crate"),
    ("in front", "before"),
    ("is none", "is absent, is not a …"),
    ("are none", "are NaN, are absent, are not …"),
    ("mended", "fixed"),
    ("mend", "fix"),
    ("room", "module, space"),
    ("rooms", "modules"),
    ("says", "tells, is, contains"),
    ("stand", "is, are"),
    ("stands", "is"),
    ("unheard", "unknown"),
];

/// Where a word is right, because it means the thing itself: the words around it.
const EXCEPTIONS: &[&str] = &["in front of the camera", "behind the camera", "stand-alone"];

/// The words of a text that are to be replaced: the line, the word, and what to write.
pub(super) fn wrong(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    let mut found = Vec::new();
    let mut code = false;
    for (number, line) in text.lines().enumerate() {
        code ^= line.trim_start().starts_with("```");
        if code {
            continue;
        }
        let mut line = line.to_lowercase();
        for exception in EXCEPTIONS {
            line = line.replace(exception, "");
        }
        for &(word, instead) in WORDS {
            if has_word(&line, word) {
                found.push((number + 1, word, instead));
            }
        }
    }
    found
}

fn has_word(line: &str, word: &str) -> bool {
    let ends = |text: Option<char>| !text.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word)
        .any(|(at, _)| ends(line[..at].chars().next_back()) && ends(line[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_outside_of_code() {
        let text = "A threshold, and\nthe House. It\n```text\nhouse\n```\nstands alone, stand-alone; in\u{a0}front, in front\n";
        let found: Vec<_> = wrong(text).into_iter().map(|(line, word, _)| (line, word)).collect();
        assert_eq!(found, [(2, "house"), (6, "in front"), (6, "stands")]);
    }
}
