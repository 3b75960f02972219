//! What is printed, and how: text in which nothing from a file can forge a line, JSON, and SARIF.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

pub(crate) use rezkit::plain::Plain;
use rezkit::plain::{self, shorten};
use rezkit::{Finding, Loss};
use serde_json::json;

use crate::outcome::{Error, Outcome, Usage, outcome};

/// A path with `/` on every system, and control characters escaped.
pub(crate) fn path(path: &Path) -> String {
    match std::path::MAIN_SEPARATOR {
        '/' => Plain(path.display()).to_string(),
        separator => Plain(path.display()).to_string().replace(separator, "/"),
    }
}

/// The most characters of an error, and of the name of what it is about: more than a path of the system has, and less than a name
/// in an archive can have.
const MESSAGE: usize = 10_000;

/// Prints an error, with the file that it is about.
pub(crate) fn complain(about: Option<&str>, error: &dyn fmt::Display) {
    let error = shorten(&error.to_string(), MESSAGE);
    // If this fails, nowhere is left to complain.
    let _ = match about {
        Some(about) => writeln!(io::stderr(), "rezkit: {}: {}", Plain(shorten(about, MESSAGE)), Plain(error)),
        None => writeln!(io::stderr(), "rezkit: {}", Plain(error)),
    };
}

/// How many errors about one file are printed, unless everything is asked for.
pub(crate) const ERRORS: usize = 20;

/// How many missing values are printed.
const MISSING: usize = 100;

/// How many lines tell what was lost, unless everything is asked for.
const LOSSES: usize = 12;

/// What was lost: everything, or a summary in which losses that are alike are one line.
pub(crate) fn summary(losses: &[Loss], verbose: bool) -> Vec<String> {
    if verbose || losses.len() <= LOSSES {
        return losses.iter().map(ToString::to_string).collect();
    }
    let mut groups: Vec<(&Loss, usize)> = Vec::new();
    let mut index_of = HashMap::new();
    for loss in losses {
        let index = *index_of.entry((loss.kind, alike(loss))).or_insert(groups.len());
        match groups.get_mut(index) {
            Some((_, count)) => *count += loss.count.max(1),
            None => groups.push((loss, loss.count.max(1))),
        }
    }
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let line = |&(loss, count): &(&Loss, usize)| {
        let mut first = loss.clone();
        first.count = 1;
        match count {
            1 => first.to_string(),
            _ => format!("{first} (and {} more like this)", count - 1),
        }
    };
    let mut lines: Vec<String> = groups.iter().take(LOSSES - 1).map(line).collect();
    let kinds = groups.len() - lines.len();
    let others = if kinds > 0 { format!("{kinds} other kinds; ") } else { String::new() };
    lines.push(format!("{others}{} lines with --verbose", losses.len()));
    lines
}

/// What losses that are alike have in common: the words without names, numbers and addresses.
fn alike(loss: &Loss) -> String {
    if loss.value.is_some() {
        return String::new();
    }
    let is_name = |word: &str| word.contains(|char: char| char.is_ascii_digit() || "\"/".contains(char));
    loss.what.split(' ').filter(|word| !is_name(word)).collect::<Vec<_>>().join(" ")
}

/// Prints what was lost of a file.
pub(crate) fn lost(about: &str, losses: &[Loss], verbose: bool) {
    summary(losses, verbose).iter().for_each(|line| complain(Some(about), line));
}

/// Puts the path of a file before an error about it.
pub(crate) fn about<E: Into<Error>>(path: &Path) -> impl Fn(E) -> Error {
    move |error| {
        let error = error.into();
        let text = format!("{}: {error}", self::path(path));
        match error.downcast_ref::<rezkit::Error>() {
            Some(error) => rezkit::Error::new(error.kind(), text).into(),
            None if outcome(&error) == Outcome::Usage => Usage(text).into(),
            None => text.into(),
        }
    }
}

/// Prints why something failed, with the file that it is about, and the option that helps.
pub(crate) fn failed(about: Option<&str>, error: &Error) {
    let known = error.downcast_ref::<rezkit::Error>();
    match known.map(rezkit::Error::kind) {
        Some(rezkit::ErrorKind::Limit) => complain(about, &format!("{error}{RAISE}")),
        Some(rezkit::ErrorKind::Incomplete) => {
            let missing = known.map_or(&[][..], rezkit::Error::missing);
            missing.iter().take(MISSING).for_each(|missing| complain(about, missing));
            if missing.len() > MISSING {
                complain(about, &format!("{} more values are missing", missing.len() - MISSING));
            }
            complain(about, &format!("{error} (--fill defaults, or --fill neutral, fills it in)"));
        }
        _ => complain(about, error),
    }
}

/// Prints a text; whether anybody still listens.
pub(crate) fn print(text: &str) -> Result<bool, Error> {
    heard(io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()))
}

/// Prints what there is of a text if that is much, so that the text need not be kept; whether anybody still
/// listens.
pub(crate) fn print_much(text: &mut String) -> Result<bool, Error> {
    const MUCH: usize = 1 << 16;
    let listens = text.len() < MUCH || print(text)?;
    if text.len() >= MUCH {
        text.clear();
    }
    Ok(listens)
}

/// Whether anybody listened to what was printed.
pub(crate) fn heard(printed: io::Result<()>) -> Result<bool, Error> {
    match printed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(format!("standard output: {error}").into()),
    }
}

/// What helps where a limit was reached.
const RAISE: &str = " (--max-bytes raises the limit)";

/// Why a text ends: instances can share values, so that the text of a small file is large.
pub(crate) const TOO_LONG: &str = "the text needs more bytes than reading may allocate";

/// What is written to, up to a number of bytes.
pub(crate) struct Limited<W> {
    pub(crate) out: W,
    pub(crate) left: u64,
}

impl<W: io::Write> io::Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| io::Error::other(format!("{TOO_LONG}{RAISE}")))?;
        self.out.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// How the lines of a text end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Lf,
    CrLf,
}

impl Ends {
    /// How all lines of a text end; the last one may have no end.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let count = |what: &str| text.matches(what).count();
        match (count("\r\n"), count("\n"), count("\r")) {
            (0, _, 0) => Some(Self::Lf),
            (pairs, lines, returns) if pairs == lines && pairs == returns => Some(Self::CrLf),
            _ => None,
        }
    }
}

/// What follows a last line without an end, as in other programs' differences.
pub(crate) const NO_NEWLINE: &str = "\\ No newline at end of file";

/// Appends a value as one line of JSON.
pub(crate) fn json_line(text: &mut String, value: &serde_json::Value) {
    *text += &plain::json(&value.to_string());
    text.push('\n');
}

/// A colour of the terminal.
#[derive(Clone, Copy)]
pub(crate) enum Color {
    Red = 31,
    Green = 32,
    Yellow = 33,
}

/// A text in a colour, on a terminal where colours are wanted.
pub(crate) fn colored(color: Color, text: impl fmt::Display) -> String {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    match wanted && io::stdout().is_terminal() {
        true => format!("\x1b[{}m{text}\x1b[0m", color as u8),
        false => text.to_string(),
    }
}

/// The path of a file as a reference relative to where the program runs, with all escaped that addresses do not have.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

/// Findings as a SARIF log, which code hosts and editors show.
pub(crate) fn sarif(findings: &[(String, Finding)]) -> String {
    let rule = |rule: &rezkit::Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.demands },
            "fullDescription": { "text": format!("{}. Source: {}.", rule.demands, rule.source) },
            "defaultConfiguration": { "level": rule.severity.as_str() },
        })
    };
    let result = |(file, finding): &(String, Finding)| {
        json!({
            "ruleId": finding.rule,
            "level": finding.severity.as_str(),
            // Viewers make links of `[text](address)`.
            "message": { "text": format!("{}: {}", finding.path, finding.found).replace("](", "] (") },
            "occurrenceCount": finding.count,
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": uri(file) } },
                "logicalLocations": [{ "fullyQualifiedName": finding.path }],
            }],
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "rezkit",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rezkit::rules().iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    plain::json(&format!("{log:#}\n"))
}
