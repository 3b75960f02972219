//! The results of `check`, for any format.

use std::fmt;

use geom::wire::shortened;
pub use geom::wire::{Rule, Severity};

/// A violated rule: the first path, and the number of violations.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Finding {
    /// The stable id of the rule: the crate and a few words.
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The requirement of the rule, as a sentence.
    pub demands: &'static str,
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
    /// A violation of a rule: its path, and what was found; both are truncated to 600 bytes.
    pub fn new(rule: &Rule, path: impl Into<String>, found: impl Into<String>) -> Self {
        let [path, found] = [shortened(path.into()), shortened(found.into())];
        let Rule { id: rule, severity, demands, .. } = *rule;
        Self { rule, severity, demands, path, found, count: 1, limit: None, line: None }
    }

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
        let last = finding.more.len();
        let places = std::iter::once((finding.path, finding.found)).chain(finding.more);
        let mut findings: Vec<Self> = Vec::new();
        for (index, (path, found)) in places.enumerate() {
            let count = if index == last { finding.count - last } else { 1 };
            let broken = Self::new(&finding.rule, path, found);
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

/// `error[rbxmesh.lod-offsets] in lods.offsets[1]: 3 after 5 (and 2 more violations); rule: …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = Rule::new(self.rule, self.severity, self.demands, "");
        rule.explain(f, &self.path, &self.found, self.count)
    }
}
