//! What `check` reports. The same file in every format crate; `cargo xtask tidy` keeps it so.

use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Against the format's advice, or odd; programs cope with it.
    Warning,
    /// Against a rule of the format; programs may refuse it or show it wrongly.
    Error,
}

/// A rule of the format that a model breaks: the first place that breaks it, and how many do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The rule, as one sentence of the format.
    pub rule: &'static str,
    /// The first place that breaks it, as `faces[3]`.
    pub path: String,
    /// What stands there.
    pub what: String,
    /// How many places break the rule, the first included.
    pub count: usize,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { severity, rule, path, what, count } = self;
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{severity}: {what} in {path}")?;
        if *count > 1 {
            write!(f, " (and {} more)", count - 1)?;
        }
        write!(f, ": {rule}")
    }
}

/// Collects findings: one per rule, however often it is broken.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    /// A rule that must hold. The texts are made only for the first place that breaks it.
    pub(crate) fn error(&mut self, rule: &'static str, at: impl FnOnce() -> (String, String)) {
        self.add(Severity::Error, rule, at);
    }

    /// A rule that should hold.
    pub(crate) fn warning(&mut self, rule: &'static str, at: impl FnOnce() -> (String, String)) {
        self.add(Severity::Warning, rule, at);
    }

    fn add(&mut self, severity: Severity, rule: &'static str, at: impl FnOnce() -> (String, String)) {
        match self.0.iter_mut().find(|finding| finding.rule == rule) {
            Some(finding) => finding.count += 1,
            None => {
                let (path, what) = at();
                self.0.push(Finding { severity, rule, path, what, count: 1 });
            }
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}
