//! Plain technical English: words and phrases that the project's texts avoid, and what to write instead. They read like
//! a translation: "where" is for places, "if" for conditions; things exist, continue and are written again.

/// Words and phrases, and what to write instead.
const WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("behind", "after"),
    ("but for", "except for"),
    ("goes on", "continues"),
    ("holds", "contains, has"),
    ("house", "project, workspace, crate"),
    ("in front", "before"),
    ("is none", "is absent, is not a …"),
    ("are none", "are NaN, are absent, are not …"),
    ("is there already", "already exists"),
    ("mended", "fixed"),
    ("mend", "fix"),
    ("nobody edited", "unedited"),
    ("nobody edits", "unedited"),
    ("`none` where", "`None` if"),
    ("of no", "without, of an unknown"),
    ("of use", "useful"),
    ("once more", "again"),
    ("room", "module, space"),
    ("rooms", "modules"),
    ("says", "is, contains, states"),
    ("stand", "is, are"),
    ("stands", "is"),
    ("tells", "shows, has, determines"),
    ("that are there", "that exist"),
    ("that is there", "that exists"),
    ("told", "set, given, distinguished"),
    ("unheard", "unknown"),
    ("wants", "requires, needs"),
    ("where it has", "if it has"),
    ("where it is not", "if it is not"),
    ("where nothing is", "if nothing is"),
    ("where that is", "if that is"),
    ("where there are", "if there are"),
    ("where there is", "if there is"),
    ("where they are not", "if they are not"),
    ("where they have", "if they have"),
    ("which are there", "which exist"),
];

/// Phrases in which a word of the list is right, since it has its literal meaning.
const EXCEPTIONS: &[&str] = &["in front of the camera", "behind the camera", "stand-alone"];

/// A word to replace: its line, the word, and what to write instead.
type Wrong = (usize, &'static str, &'static str);

/// The words of a Markdown text that are to be replaced, except those in code blocks.
pub(super) fn in_prose(text: &str) -> Vec<Wrong> {
    let mut code = false;
    let prose = text.lines().map(|line| {
        code ^= line.trim_start().starts_with("```");
        if code { String::new() } else { line.to_owned() }
    });
    wrong(prose)
}

/// The words of a source file that are to be replaced: those in its comments and, if `literals` is set, in its strings,
/// which are the texts of errors, findings and help.
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
        let words: Vec<&str> =
            line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let is_condition = |four: &[&str]| {
            matches!(four, ["where", "it" | "there" | "they" | "that", _, "is" | "are" | "has"])
        };
        found.extend(words.windows(4).any(is_condition).then_some((
            index + 1,
            "where it … is",
            "if it … is",
        )));
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
        assert_eq!(
            lines(in_prose("None where there is no value, or where it is.\nAnew, where it still is\n")),
            [(1, "where there is"), (2, "anew"), (2, "where it … is")]
        );
        let text = "A threshold, and\nthe House. It\n```text\nhouse\n```\nstands alone, stand-alone; in\u{a0}front, in front\n";
        assert_eq!(lines(in_prose(text)), [(2, "house"), (6, "in front"), (6, "stands")]);
    }
}
