//! What is printed, and how: text in which nothing from a file can forge a line, and JSON.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::Path;

use crate::cli::{self, Outcome};
use crate::input::Source;

/// A text from a file, a path or an error, with control characters escaped: an escape sequence or a
/// line break in a name must not reach the terminal.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: fmt::Display> fmt::Display for Plain<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        struct Escape<'a, 'b>(&'a mut fmt::Formatter<'b>);
        impl fmt::Write for Escape<'_, '_> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                for char in text.chars() {
                    match char {
                        '\n' => self.0.write_str("\\n")?,
                        '\t' => self.0.write_str("\\t")?,
                        '\r' => self.0.write_str("\\r")?,
                        // Marks that reorder or hide what follows are as dangerous as escapes.
                        _ if char.is_control() || is_invisible(char) => {
                            write!(self.0, "\\u{{{:x}}}", u32::from(char))?;
                        }
                        _ => self.0.write_char(char)?,
                    }
                }
                Ok(())
            }
        }
        write!(Escape(f), "{}", self.0)
    }
}

/// Whether a character changes the direction or the look of others without being visible.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// A path with control characters escaped.
pub(crate) fn path(path: &Path) -> String {
    Plain(path.display()).to_string()
}

/// Prints an error, with the file that it is about.
pub(crate) fn complain(about: Option<&str>, error: &dyn fmt::Display) {
    // Where this fails, nowhere is left to complain.
    let _ = match about {
        Some(about) => writeln!(io::stderr(), "rezkit: {}: {}", Plain(about), Plain(error)),
        None => writeln!(io::stderr(), "rezkit: {}", Plain(error)),
    };
}

/// Does something with every source, whatever became of those before it. What is printed about a file
/// appears at once, and not at all where the file fails half way.
pub(crate) fn each<'a>(
    sources: impl Iterator<Item = Result<Source, (String, cli::Error)>> + 'a,
    mut run: impl FnMut(&Source, &mut String) -> Result<Outcome, cli::Error>,
) -> Result<Outcome, cli::Error> {
    let mut all = Outcome::Success;
    for source in sources {
        let mut text = String::new();
        let ran =
            source.and_then(|source| run(&source, &mut text).map_err(|error| (source.name.clone(), error)));
        match ran {
            Ok(outcome) => all = all.and(outcome),
            Err((name, error)) => {
                complain(Some(&name), &error);
                all = all.and(cli::outcome(&error));
                continue;
            }
        }
        if !print(&text)? {
            break;
        }
    }
    Ok(all)
}

/// Prints a text; whether anybody still listens.
pub(crate) fn print(text: &str) -> Result<bool, cli::Error> {
    match io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(format!("standard output: {error}").into()),
    }
}

/// Appends a value as one line of JSON.
pub(crate) fn json_line(text: &mut String, value: &serde_json::Value) {
    text.push_str(&value.to_string());
    text.push('\n');
}
