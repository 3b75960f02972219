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

/// A word that is to be replaced: its line, the word, and what to write.
type Wrong = (usize, &'static str, &'static str);

/// The words of a Markdown text that are to be replaced. Code in it is left out.
pub(super) fn in_prose(text: &str) -> Vec<Wrong> {
    let mut code = false;
    let prose = text.lines().map(|line| {
        code ^= line.trim_start().starts_with("```");
        if code { String::new() } else { line.to_owned() }
    });
    wrong(prose)
}

/// The words of a source file that are to be replaced: in its comments, and where `literals` is set in its
/// strings, which are the texts of errors, findings and help.
pub(super) fn in_source(text: &str, literals: bool) -> Vec<Wrong> {
    wrong(text.lines().map(|line| {
        let comment = line.match_indices("//").find(|(at, _)| line[..*at].matches('"').count() % 2 == 0);
        let (code, comment) = line.split_at(comment.map_or(line.len(), |(at, _)| at));
        match literals {
            true => code.split('"').skip(1).step_by(2).chain([comment]).collect::<Vec<_>>().join(" "),
            false => comment.to_owned(),
        }
    }))
}

fn wrong(lines: impl Iterator<Item = String>) -> Vec<Wrong> {
    let mut found = Vec::new();
    for (index, line) in lines.enumerate() {
        let mut line = line.to_lowercase();
        for exception in EXCEPTIONS {
            line = line.replace(exception, "");
        }
        let words = WORDS.iter().filter(|(word, _)| has_word(&line, word));
        found.extend(words.map(|&(word, instead)| (index + 1, word, instead)));
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

    fn lines(found: Vec<Wrong>) -> Vec<(usize, &'static str)> {
        found.into_iter().map(|(line, word, _)| (line, word)).collect()
    }

    #[test]
    fn comments_and_strings_of_sources() {
        let text = "let room = 1; // behind it\nlet text = \"what it holds\";\n/// Says so.\n";
        assert_eq!(lines(in_source(text, false)), [(1, "behind"), (3, "says")]);
        assert_eq!(lines(in_source(text, true)), [(1, "behind"), (2, "holds"), (3, "says")]);
    }

    #[test]
    fn whole_words_outside_of_code() {
        let text = "A threshold, and\nthe House. It\n```text\nhouse\n```\nstands alone, stand-alone; in\u{a0}front, in front\n";
        assert_eq!(lines(in_prose(text)), [(2, "house"), (6, "in front"), (6, "stands")]);
    }
}
