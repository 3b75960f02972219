//! Scripts in an asset, and a look at them before a free model is opened.

use bstr::ByteSlice;

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

/// Something in a script to look at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Suspicion {
    /// The line, from 1.
    pub line: usize,
    /// What it is.
    pub what: &'static str,
    /// The line's text, shortened.
    pub text: String,
}

/// Words that models rarely need and malicious ones often have, and what they do.
const WORDS: &[(&str, &str)] = &[
    ("loadstring", "runs a string as code"),
    ("getfenv", "reaches into the environment of other functions, a way to hide calls"),
    ("setfenv", "changes the environment of other functions, a way to hide calls"),
    ("PostAsync", "sends data to a server"),
    ("RequestAsync", "talks to a server"),
    ("GetAsync", "fetches data, from a server where it is HttpService's"),
    ("InsertService", "inserts assets by id"),
    ("PromptPurchase", "asks players to buy something"),
    ("PromptGamePassPurchase", "asks players to buy something"),
    ("TeleportService", "sends players to another place"),
];

/// A string of this length without a space is likely code or data in disguise.
const LONG: usize = 200;

impl Script {
    /// What to look at, in order of lines: `require` of an id, code from strings, network, encoded strings.
    /// This reads words and knows no grammar: a clean list proves nothing.
    pub fn suspicious(&self) -> Vec<Suspicion> {
        let mut found = Vec::new();
        for (index, line) in self.source.lines().enumerate() {
            let line = line.to_str_lossy();
            let mut add = |what| {
                let text: String = line.trim().chars().take(100).collect();
                found.push(Suspicion { line: index + 1, what, text });
            };
            for (word, what) in WORDS {
                if has_word(&line, word) {
                    add(*what);
                }
            }
            if requires_id(&line) {
                add("requires a module by id, which its owner can change at any time");
            }
            if line
                .split(|char: char| char.is_whitespace())
                .any(|word| word.len() >= LONG && word.contains(['"', '\'', '[']))
            {
                add("a long string without spaces, perhaps encoded code");
            }
            if escapes(&line) >= 20 {
                add("many escaped characters in strings, perhaps hidden text");
            }
        }
        found
    }
}

/// Whether a line has a word, not as a part of another.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    line.match_indices(word).any(|(start, _)| {
        !is_part(line[..start].chars().next_back()) && !is_part(line[start + word.len()..].chars().next())
    })
}

/// Whether `require` is called with a number.
fn requires_id(line: &str) -> bool {
    line.match_indices("require").any(|(start, word)| {
        let rest = line[start + word.len()..].trim_start().trim_start_matches('(').trim_start();
        rest.starts_with(|char: char| char.is_ascii_digit()) || rest.starts_with("tonumber")
    })
}

/// How many characters are written as numbers.
fn escapes(line: &str) -> usize {
    let is_number =
        |rest: &str| rest.starts_with('x') || rest.starts_with(|char: char| char.is_ascii_digit());
    line.match_indices('\\').filter(|(start, _)| is_number(&line[start + 1..])).count()
}

#[cfg(test)]
mod tests {
    use super::Script;

    #[test]
    fn what_to_look_at() {
        let source = format!(
            "local a = 1\nrequire(123456)\nrequire(script.Child)\nlocal f = loadstring(x)\nlocal myloadstring = 1\n\
             local s = \"{}\"\nlocal h = \"{}\"\ngetfenv()[y]()",
            "QUJD".repeat(60),
            "\\x41".repeat(20)
        );
        let script = Script { path: "A".into(), class: "Script".into(), source: source.into_bytes() };
        let lines: Vec<_> = script.suspicious().iter().map(|found| found.line).collect();
        assert_eq!(lines, [2, 4, 6, 7, 8]);
    }
}
