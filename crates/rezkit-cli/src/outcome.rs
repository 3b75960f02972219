//! The results of commands, and their exit status.

use std::fmt;

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All went well.
    Success,
    /// A file failed, or breaks a rule.
    Failure,
    /// The arguments were wrong.
    Usage,
}

/// Why a command could not do its work.
pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// An error of the arguments that only the command can detect.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error with the file that it is about and the remedy.
#[derive(Debug)]
pub(crate) struct Noted {
    pub(crate) about: Option<String>,
    pub(crate) error: Error,
    pub(crate) help: Option<String>,
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { about, error, help } = self;
        about.iter().try_for_each(|about| write!(f, "{about}: "))?;
        error.fmt(f)?;
        help.iter().try_for_each(|help| write!(f, " ({help})"))
    }
}

impl std::error::Error for Noted {}

/// An error with a remedy.
pub(crate) fn helped(error: impl Into<Error>, help: impl Into<String>) -> Error {
    Noted { about: None, error: error.into(), help: Some(help.into()) }.into()
}

/// The exit status for the failure of a command.
pub(crate) fn outcome(error: &Error) -> Outcome {
    if let Some(noted) = error.downcast_ref::<Noted>() {
        return outcome(&noted.error);
    }
    match error.downcast_ref::<rezkit::Error>() {
        Some(error) if error.kind() == rezkit::ErrorKind::Argument => Outcome::Usage,
        _ if error.is::<Usage>() => Outcome::Usage,
        _ => Outcome::Failure,
    }
}
