//! The results of `check`.

use std::fmt;

use super::Counted;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Against the format's advice, or unusual; programs cope with it.
    Warning,
    /// Against a rule of the format; programs may refuse the model or show it wrongly.
    Error,
}

impl Severity {
    /// `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule of a format, or of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rule {
    /// The name of the rule, stable between versions of the crate: the crate and a few words, such as
    /// `rbxmesh.lod-offsets`.
    pub id: &'static str,
    /// How severe a violation is.
    pub severity: Severity,
    /// The requirement, as a sentence: `the offsets of levels of detail rise`.
    pub demands: &'static str,
    /// The source of the rule.
    pub source: &'static str,
}

impl Rule {
    /// A rule.
    pub const fn new(
        id: &'static str,
        severity: Severity,
        demands: &'static str,
        source: &'static str,
    ) -> Self {
        Self { id, severity, demands, source }
    }

    /// Writes a violation as a line: `error[rbxmesh.lod-offsets] in lods.offsets[1]: 3 after 5; rule: …`.
    #[doc(hidden)]
    pub fn explain(&self, f: &mut fmt::Formatter<'_>, path: &str, found: &str, count: usize) -> fmt::Result {
        let Self { id, severity, demands, .. } = self;
        let within = if path.is_empty() { "" } else { " in " };
        write!(f, "{}[{id}]{within}{path}: {found}", severity.as_str())?;
        if count > 1 {
            write!(f, " (and {})", Counted::new(count - 1, "more violations"))?;
        }
        write!(f, "; rule: {demands}")
    }
}

/// Declares the rules of a format, one per line, and `RULES`, a list of all of them: `rules! { "rbxmesh": INDICES =
/// Error("indices", "every face index refers to a vertex"); }`.
#[macro_export]
macro_rules! rules {
    ($prefix:literal: $($name:ident = $severity:ident($id:literal, $demands:literal $(,)?);)+) => {
        $(pub(crate) const $name: &$crate::wire::Rule = &$crate::wire::Rule::new(
            concat!($prefix, ".", $id),
            $crate::wire::Severity::$severity,
            $demands,
            concat!("FORMAT.md of the crate ", $prefix),
        );)+

        /// Every rule that [`check`](fn@crate::check) checks.
        pub const RULES: &[$crate::wire::Rule] = &[$(*$name),+];
    };
}

/// A violated rule: the first path, and the number of violations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The path of the first violation, such as `faces[3]`.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// The number of violations, including the first.
    pub count: usize,
    /// The paths of further violations, and what was found there: at most 99, and 64 kB of text for all rules.
    pub more: Vec<(String, String)>,
}

impl Finding {
    /// One violation of a rule: its path, and what was found.
    pub fn new(rule: &Rule, path: impl Into<String>, found: impl Into<String>) -> Self {
        Self { rule: *rule, path: path.into(), found: found.into(), count: 1, more: Vec::new() }
    }
}

/// `error[rbxmesh.lod-offsets] in lods.offsets[1]: 3 after 5 (and 2 more violations); rule: …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rule.explain(f, &self.path, &self.found, self.count)
    }
}

/// Adds a violation: `found!(findings, INDICES, "faces[{index}]", "vertex {vertex}")`. The path may be a `String`, too.
#[macro_export]
macro_rules! found {
    ($findings:expr, $rule:expr, $path:literal, $($found:tt)+) => {
        $findings.add($rule, || (format!($path), format!($($found)+)))
    };
    ($findings:expr, $rule:expr, $path:expr, $($found:tt)+) => {
        $findings.add($rule, || ($path, format!($($found)+)))
    };
}

/// As `found!`, if the condition before the rule is true.
#[macro_export]
macro_rules! report {
    ($findings:expr, $broken:expr, $($finding:tt)+) => {
        if $broken {
            $crate::wire::found!($findings, $($finding)+);
        }
    };
}

/// Collects findings: one per rule, in the order of first violations.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    /// The size of the texts of further violations.
    texts: usize,
}

/// The maximum number of further paths per rule, and of bytes of text for all rules.
const MORE: usize = 99;
const TEXTS: usize = 65_536;

impl Findings {
    /// Adds a violation: its path, and what was found. The texts are created only if they are kept.
    pub fn add(&mut self, rule: &Rule, at: impl FnOnce() -> (String, String)) {
        self.add_many(rule, 1, at);
    }

    /// Adds several violations, of which the first is described.
    pub fn add_many(&mut self, rule: &Rule, count: usize, at: impl FnOnce() -> (String, String)) {
        if count > 0 && self.has_room(rule, count) {
            self.keep(rule, count, at());
        }
    }

    /// Counts violations, and returns whether to keep their texts. Not generic, since `add` has a hundred callers.
    fn has_room(&mut self, rule: &Rule, count: usize) -> bool {
        let known = self.list.iter_mut().find(|finding| finding.rule.id == rule.id);
        known.is_none_or(|finding| {
            finding.count = finding.count.saturating_add(count);
            finding.more.len() < MORE && self.texts < TEXTS
        })
    }

    fn keep(&mut self, rule: &Rule, count: usize, (path, found): (String, String)) {
        match self.list.iter_mut().find(|finding| finding.rule.id == rule.id) {
            Some(finding) => {
                self.texts += path.len() + found.len();
                finding.more.push((path, found));
            }
            None => self.list.push(Finding { count, ..Finding::new(rule, path, found) }),
        }
    }

    /// The findings.
    pub fn into_vec(self) -> Vec<Finding> {
        self.list
    }
}

pub use {found, report, rules};
