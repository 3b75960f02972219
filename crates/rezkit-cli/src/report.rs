//! Printing: messages and text, escaped so that nothing from a file can forge a line; JSON, and SARIF.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::OnceLock;

pub(crate) use rezkit::plain::Plain;
use rezkit::plain::{self, shorten};
use rezkit::{Finding, Loss, LossKind};
use rezkit_core::Counted;
use serde_json::json;

use crate::outcome::{Error, Noted};

/// A path with `/` on every system, and control characters escaped.
pub(crate) fn path(path: &Path) -> String {
    match std::path::MAIN_SEPARATOR {
        '/' => Plain(path.display()).to_string(),
        separator => Plain(path.display()).to_string().replace(separator, "/"),
    }
}

/// The maximum number of characters of an error, and of the name of its file: longer than any path of the system, but
/// names in archives can be longer.
const MESSAGE: usize = 10_000;

/// The verbosity and the colours of messages.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Messages {
    /// Print only errors, not warnings, notes, or dropped and changed values
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: clap::ColorChoice,
}

static MESSAGES: OnceLock<Messages> = OnceLock::new();

impl Messages {
    /// Applies these options to all later messages.
    pub(crate) fn set(self) {
        let _is_first = MESSAGES.set(self);
    }
}

/// The label of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    Error,
    Warning,
    Note,
    Lost(LossKind),
}

impl Label {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
            Self::Lost(kind) => kind.label(),
        }
    }

    /// Prints a message, with the file that it is about, and lines below it.
    fn print(self, about: &str, text: &str, below: &[(&str, String)]) {
        if self != Self::Error && MESSAGES.get().is_some_and(|messages| messages.quiet) {
            return;
        }
        let color = match self {
            Self::Error => Color::Red,
            Self::Note => Color::Green,
            _ => Color::Yellow,
        };
        let mut message = painted(color, self.name(), io::stderr().is_terminal()) + ": ";
        if !about.is_empty() {
            message += &format!("{}: ", Plain(shorten(about, MESSAGE)));
        }
        message += &format!("{}\n", Plain(shorten(text, MESSAGE)));
        for (label, text) in below {
            message += &format!("  {label} {}\n", Plain(shorten(text, MESSAGE)));
        }
        // If this fails, the failure cannot be reported.
        let _ = io::stderr().write_all(message.as_bytes());
    }
}

/// Prints an error, with the file that it is about.
pub(crate) fn complain(about: Option<&str>, error: &dyn fmt::Display) {
    Label::Error.print(about.unwrap_or_default(), &error.to_string(), &[]);
}

/// Prints a warning, with the file that it is about.
pub(crate) fn warn(about: &str, text: &str) {
    Label::Warning.print(about, text, &[]);
}

/// Prints a finding, with the file that it is about and the remedy.
pub(crate) fn finding(about: &str, severity: rezkit::Severity, text: &str, remedy: Option<&str>) {
    let label = if severity == rezkit::Severity::Error { Label::Error } else { Label::Warning };
    let help: Vec<_> = remedy.iter().map(|remedy| ("help:", (*remedy).to_owned())).collect();
    label.print(about, text, &help);
}

/// Prints a note, with the file that it is about.
pub(crate) fn note(about: &str, text: &str) {
    Label::Note.print(about, text, &[]);
}

/// Maximum number of findings listed per rule in text.
pub(crate) const OF_A_RULE: usize = 10;

/// Maximum number of errors about one file, unless everything is requested.
pub(crate) const ERRORS: usize = 20;

/// Maximum number of missing values that are printed.
const MISSING: usize = 100;

/// Maximum number of lines about losses, unless everything is requested; a further line counts missing assets.
const LOSSES: usize = 11;

/// The lines about losses: one for each, or a summary with one line for similar losses.
pub(crate) fn summary(losses: &[Loss], verbose: bool) -> Vec<(Label, String)> {
    let mut lines = grouped(losses, verbose);
    if losses.iter().any(Loss::is_over_limit) {
        lines.push((Label::Note, format!("some content exceeds the memory limit; {RAISE}")));
    }
    lines
}

fn grouped(losses: &[Loss], verbose: bool) -> Vec<(Label, String)> {
    if verbose {
        return losses.iter().map(|loss| (Label::Lost(loss.kind), format!("{loss} [{}]", loss.id))).collect();
    }
    if losses.len() <= LOSSES {
        return losses.iter().map(|loss| (Label::Lost(loss.kind), loss.to_string())).collect();
    }
    let mut groups: Vec<(&Loss, usize)> = Vec::new();
    let mut index_of = HashMap::new();
    // The text of a value that was filled in contains the number of instances, so each property counts once.
    let count = |loss: &Loss| if loss.value.is_some() { 1 } else { loss.count.max(1) };
    for loss in losses {
        let index = *index_of.entry(loss.rule()).or_insert(groups.len());
        match groups.get_mut(index) {
            Some((_, all)) => *all += count(loss),
            None => groups.push((loss, count(loss))),
        }
    }
    groups.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let line = |&(loss, count): &(&Loss, usize)| {
        let mut first = loss.clone();
        first.count = if loss.value.is_some() { loss.count } else { 1 };
        let text = match (count, loss.value.is_some()) {
            (1, _) => first.to_string(),
            (_, true) => format!("{first} (and {})", Counted::new(count - 1, "more properties")),
            (_, false) => format!("{first} (and {} more like this)", count - 1),
        };
        (Label::Lost(loss.kind), text)
    };
    let mut lines: Vec<(Label, String)> = groups.iter().take(LOSSES - 1).map(line).collect();
    let kinds = groups.len() - lines.len();
    let others = if kinds > 0 { format!("further kinds of losses: {kinds}; ") } else { String::new() };
    lines.push((Label::Note, format!("{others}--verbose lists all")));
    lines
}

/// Prints the losses of a file.
pub(crate) fn lost(about: &str, losses: &[Loss], verbose: bool) {
    let is_missing = |loss: &&Loss| loss.kind == LossKind::Missing;
    let missing: usize = losses.iter().filter(is_missing).map(|loss| loss.count.max(1)).sum();
    if missing > 0 {
        let help = "put them into the folder of the input file, or, if the file names them by ids, into a folder for \
                    --assets (of a Roblox file, `rezkit assets` lists the ids)";
        Label::Note.print(about, &format!("files not found: {missing}; {help}"), &[]);
    }
    listed(about, losses, verbose);
}

/// Prints the losses of a file, without advice about missing files.
pub(crate) fn listed(about: &str, losses: &[Loss], verbose: bool) {
    summary(losses, verbose).iter().for_each(|(label, line)| label.print(about, line, &[]));
}

/// The lines about losses, indented for a report of many files.
pub(crate) fn indented(losses: &[Loss], verbose: bool) -> String {
    let lines = summary(losses, verbose);
    lines.iter().map(|(label, line)| format!("  {}: {}\n", label.name(), Plain(line))).collect()
}

/// Puts the path of a file before an error about it.
pub(crate) fn about<E: Into<Error>>(path: &Path) -> impl Fn(E) -> Error {
    move |error| Noted { about: Some(self::path(path)), error: error.into(), help: None }.into()
}

/// Prints an error with the file that it is about and its remedies.
pub(crate) fn failed(about: Option<&str>, mut error: &Error) {
    let mut files: Vec<&str> = about.into_iter().collect();
    let mut help: Vec<&str> = Vec::new();
    while let Some(noted) = error.downcast_ref::<Noted>() {
        files.extend(noted.about.as_deref().filter(|file| files.last() != Some(file)));
        help.extend(noted.help.as_deref());
        error = &noted.error;
    }
    let (mut text, mut below) = (error.to_string(), Vec::new());
    if let Some(known) = error.downcast_ref::<rezkit::Error>() {
        let missing = known.missing();
        if !missing.is_empty() {
            text = "some instances lack values that the target format requires".to_owned();
        } else if known.is_before_reason() {
            text = known.reason().to_owned();
            below.push(("at", known.path().to_owned()));
        }
        below.extend(missing.iter().take(MISSING).map(|missing| ("missing:", missing.to_string())));
        if missing.len() > MISSING {
            below.push(("missing:", format!("{} more", missing.len() - MISSING)));
        }
        match known.kind() {
            rezkit::ErrorKind::Limit => help.push(RAISE),
            rezkit::ErrorKind::Incomplete => help.push(FILL),
            _ => {}
        }
    }
    below.extend(help.into_iter().map(|help| ("help:", help.to_owned())));
    Label::Error.print(&files.join(": "), &text, &below);
}

/// Prints a text; returns whether the output is still open.
pub(crate) fn print(text: &str) -> Result<bool, Error> {
    heard(io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()))
}

/// Prints and clears a text if it is long, so that it need not be kept in memory; returns whether the output
/// is still open.
pub(crate) fn print_much(text: &mut String) -> Result<bool, Error> {
    const MUCH: usize = 1 << 16;
    let listens = text.len() < MUCH || print(text)?;
    if text.len() >= MUCH {
        text.clear();
    }
    Ok(listens)
}

/// Whether the output is still open, from the result of printing; other errors are returned.
pub(crate) fn heard(printed: io::Result<()>) -> Result<bool, Error> {
    match printed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(format!("cannot write to the standard output: {error}").into()),
    }
}

/// The remedy for missing values.
const FILL: &str = "use --fill defaults to fill in the defaults of the classes, or --fill neutral to fill in zeros and \
                    empty values for the types that have them; the target format stores a property for all instances \
                    of a class or for none";

/// The remedy for a reached limit.
pub(crate) const RAISE: &str = "use --max-bytes to raise the limit";

/// The reason why a text is cut off: instances can share values, so the text of a small file can be large.
pub(crate) const TOO_LONG: &str = "the output exceeds the memory limit";

/// A writer with a limit in bytes.
pub(crate) struct Limited<W> {
    pub(crate) out: W,
    pub(crate) left: u64,
}

impl<W: io::Write> io::Write for Limited<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| io::Error::other(format!("{TOO_LONG} ({RAISE})")))?;
        self.out.write_all(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The line ends of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Lf,
    CrLf,
}

impl Ends {
    /// The line end of all lines of a text; the last one may have none.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let count = |what: &str| text.matches(what).count();
        match (count("\r\n"), count("\n"), count("\r")) {
            (0, _, 0) => Some(Self::Lf),
            (pairs, lines, returns) if pairs == lines && pairs == returns => Some(Self::CrLf),
            _ => None,
        }
    }
}

/// The note after a last line without an end, as in other programs' differences.
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

/// A text in a colour, on the standard output.
pub(crate) fn colored(color: Color, text: impl fmt::Display) -> String {
    painted(color, text, io::stdout().is_terminal())
}

/// A text in a colour, if colours are wanted.
fn painted(color: Color, text: impl fmt::Display, is_terminal: bool) -> String {
    let is_plain = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let wanted = match MESSAGES.get().map_or(clap::ColorChoice::Auto, |messages| messages.color) {
        clap::ColorChoice::Always => true,
        clap::ColorChoice::Never => false,
        clap::ColorChoice::Auto => is_terminal && !is_plain(),
    };
    match wanted {
        true => format!("\x1b[{}m{text}\x1b[0m", color as u8),
        false => text.to_string(),
    }
}

/// The path of a file as a URI relative to the current folder, with escapes for characters that URIs do not allow.
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
pub(crate) fn sarif(findings: &[(String, Finding)], others: &[(String, rezkit::avatar::Row)]) -> String {
    let rule = |rule: &rezkit::Rule| {
        json!({
            "id": rule.id,
            "shortDescription": { "text": rule.demands },
            "fullDescription": { "text": format!("{}. Source: {}.", rule.demands, rule.source) },
            "defaultConfiguration": { "level": rule.severity.as_str() },
        })
    };
    let result = |(file, finding): &(String, Finding)| {
        let path = if finding.path.is_empty() { String::new() } else { format!("{}: ", finding.path) };
        let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(line) = finding.line {
            place["region"] = json!({ "startLine": line });
        }
        json!({
            "ruleId": finding.rule,
            "level": finding.severity.as_str(),
            // Viewers turn `[text](address)` into links.
            "message": { "text": format!("{path}{}", finding.found).replace("](", "] (") },
            "occurrenceCount": finding.count,
            "locations": [{
                "physicalLocation": place,
                "logicalLocations": [{ "fullyQualifiedName": finding.path }],
            }],
        })
    };
    // `open`: what the rule needs is missing.
    let other = |(file, row): &(String, rezkit::avatar::Row)| {
        let is_open = row.verdict == rezkit::avatar::Verdict::Unseen;
        json!({
            "ruleId": row.rule,
            "kind": if is_open { "open" } else { "pass" },
            "level": "none",
            "message": { "text": format!("{}: {}", row.path, row.found).replace("](", "] (") },
            "locations": [{
                "physicalLocation": { "artifactLocation": { "uri": uri(file) } },
                "logicalLocations": [{ "fullyQualifiedName": row.path }],
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
            "results": findings.iter().map(result).chain(others.iter().map(other)).collect::<Vec<_>>(),
        }],
    });
    plain::json(&format!("{log:#}\n"))
}
