//! The results of `check`, for any format.

use std::borrow::Cow;
use std::fmt;

use crate::plain::shortened;
use geom::wire::Counted;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Unusual or against advice, but programs can read the file.
    Warning,
    /// Against a rule of the format; programs may refuse the file or show it wrongly.
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

/// A rule of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Rule {
    /// The stable id: the format or the profile, and a few words.
    pub id: &'static str,
    /// The severity of a violation.
    pub severity: Severity,
    /// The requirement, as a sentence.
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

    /// A violation of the rule: its path, and what was found.
    pub fn broken(&self, path: impl Into<String>, found: impl Into<String>) -> Finding {
        Finding {
            rule: self.id.into(),
            severity: self.severity,
            demands: self.demands.into(),
            path: shortened(path.into()),
            found: shortened(found.into()),
            count: 1,
            limit: None,
            line: None,
        }
    }
}

/// A violated rule: the first path, and the number of violations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    /// The stable id of the rule: the crate and a few words.
    pub rule: Cow<'static, str>,
    /// The severity.
    pub severity: Severity,
    /// The requirement of the rule, as a sentence.
    pub demands: Cow<'static, str>,
    /// The path of the first violation.
    pub path: String,
    /// The violation.
    pub found: String,
    /// The number of violations, including the first.
    pub count: usize,
    /// The actual and the allowed amount, if the rule is a platform's limit.
    pub limit: Option<Limit>,
    /// The line of the violation in a text, counted from 1, if it is known.
    pub line: Option<u32>,
}

impl Finding {
    /// The same finding with its path and text truncated to 600 bytes: names can be as long as the file.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        self.path = shortened(self.path);
        self.found = shortened(self.found);
        self
    }
}

/// An actual and an allowed amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Limit {
    /// The actual amount.
    pub found: u64,
    /// The allowed amount.
    pub allowed: u64,
}

impl Finding {
    /// A finding for each violation that a format crate lists, and one for equal ones in a row; the last one also counts
    /// the unlisted ones.
    pub fn each(finding: geom::wire::Finding) -> impl Iterator<Item = Self> {
        let rule = Rule::from(finding.rule);
        let last = finding.more.len();
        let places = std::iter::once((finding.path, finding.found)).chain(finding.more);
        let mut findings: Vec<Self> = Vec::new();
        for (index, (path, found)) in places.enumerate() {
            let count = if index == last { finding.count - last } else { 1 };
            let broken = rule.broken(path, found);
            match findings.last_mut() {
                Some(before) if (&before.path, &before.found) == (&broken.path, &broken.found) => {
                    before.count += count;
                }
                _ => findings.push(Self { count, ..broken }),
            }
        }
        findings.into_iter()
    }
}

impl From<geom::wire::Rule> for Rule {
    fn from(rule: geom::wire::Rule) -> Self {
        let severity = match rule.severity {
            geom::wire::Severity::Error => Severity::Error,
            geom::wire::Severity::Warning => Severity::Warning,
        };
        let source = SOURCES.iter().find(|source| rule.id.starts_with(&source[PREFIX..]));
        Self::new(rule.id, severity, rule.text, source.unwrap_or(&"FORMAT.md of the crate"))
    }
}

const PREFIX: usize = "FORMAT.md of the crate ".len();
const SOURCES: [&str; 6] = [
    "FORMAT.md of the crate llsd",
    "FORMAT.md of the crate m3d",
    "FORMAT.md of the crate rbxbinary",
    "FORMAT.md of the crate rbxmesh",
    "FORMAT.md of the crate rbxxml",
    "FORMAT.md of the crate slmesh",
];

/// `error[rbxmesh.lod-offsets] in lods.offsets[1]: 3 after 5 (and 2 more violations); rule: …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, demands, path, found, count, .. } = self;
        write!(f, "{}[{rule}]", severity.as_str())?;
        if !path.is_empty() {
            write!(f, " in {path}")?;
        }
        write!(f, ": {found}")?;
        if *count > 1 {
            write!(f, " (and {})", Counted::new(count - 1, "more violations"))?;
        }
        write!(f, "; rule: {demands}")
    }
}
