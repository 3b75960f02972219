//! What `check` reports, of whichever format.

use std::borrow::Cow;
use std::fmt;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Unusual or against advice; programs cope with it.
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

/// A rule that a file breaks: where it does so first, and how often.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The id of the rule, which stays the same between versions: the crate and a few words.
    pub rule: Cow<'static, str>,
    /// How much it matters.
    pub severity: Severity,
    /// What the rule demands, as a sentence.
    pub demands: Cow<'static, str>,
    /// The path of the first value that breaks the rule.
    pub path: String,
    /// What was found there.
    pub found: String,
    /// How many values break the rule, the first included.
    pub count: usize,
    /// Of a platform's limit, how much there is and how much is allowed.
    pub limit: Option<Limit>,
}

/// How much there is of something, and how much is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Limit {
    /// How much there is.
    pub found: u64,
    /// How much is allowed.
    pub allowed: u64,
}

/// The findings of a format's crate.
macro_rules! from_format {
    ($($format:ident)+) => {
        $(impl From<$format::Finding> for Finding {
            fn from(finding: $format::Finding) -> Self {
                Self {
                    rule: finding.rule.id.into(),
                    severity: match finding.rule.severity {
                        $format::Severity::Error => Severity::Error,
                        _ => Severity::Warning,
                    },
                    demands: finding.rule.text.into(),
                    path: finding.path,
                    found: finding.found,
                    count: finding.count,
                    limit: None,
                }
            }
        })+
    };
}
from_format! { llsd m3d rbxbinary rbxmesh rbxxml slmesh }

/// `error[rbxmesh.lod-offsets] in lods.offsets[1]: 3 after 5 (and 2 more); rule: …`.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, severity, demands, path, found, count, limit: _ } = self;
        write!(f, "{}[{rule}]", severity.as_str())?;
        if !path.is_empty() {
            write!(f, " in {path}")?;
        }
        write!(f, ": {found}")?;
        if *count > 1 {
            write!(f, " (and {} more)", count - 1)?;
        }
        write!(f, "; rule: {demands}")
    }
}
