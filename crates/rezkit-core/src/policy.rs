//! Which findings and losses a program accepts and refuses, by the ids of their rules.

use geom::wire::{Loss, LossKind, Severity};

use crate::{Error, Finding, Result};

/// The rules that are allowed and denied. An entry of either list is the id of a rule (`gltf.tangents`), the part of ids
/// before the dot (`gltf`), or one of [`GROUPS`](Self::GROUPS). What is allowed is not denied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RulePolicy {
    /// The rules that are accepted, also if `deny` has them.
    pub allow: Vec<String>,
    /// The rules that are refused.
    pub deny: Vec<String>,
}

/// The maximum number of denied losses that an error names.
const NAMED: usize = 5;

impl RulePolicy {
    /// The entries that stand for many rules: all of them, warnings, and the kinds of losses.
    pub const GROUPS: [&str; 6] = ["all", "warnings", "dropped", "changed", "filled-in", "missing"];

    /// A policy.
    pub fn new(
        allow: impl IntoIterator<Item = impl Into<String>>,
        deny: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let [allow, deny] =
            [allow.into_iter().map(Into::into).collect(), deny.into_iter().map(Into::into).collect()];
        Self { allow, deny }
    }

    /// The entries that are neither a group nor name one of these rules.
    pub fn unknown<'a>(&'a self, known: &[&str]) -> impl Iterator<Item = &'a str> {
        let is_known =
            |entry: &str| Self::GROUPS.contains(&entry) || known.iter().any(|rule| is_named(entry, rule));
        self.allow.iter().chain(&self.deny).map(String::as_str).filter(move |entry| !is_known(entry))
    }

    /// Whether findings of this rule are accepted.
    pub fn allows(&self, finding: &Finding) -> bool {
        has(&self.allow, finding.rule, group(finding))
    }

    /// Whether a finding is an error by this policy, whatever its severity.
    pub fn denies(&self, finding: &Finding) -> bool {
        !self.allows(finding) && has(&self.deny, finding.rule, group(finding))
    }

    /// Removes the allowed losses from a list.
    ///
    /// # Errors
    /// [`Unwritable`](crate::ErrorKind::Unwritable) if a loss is denied, with the id and the path of the first one. The
    /// caller then writes nothing.
    pub fn accept(&self, losses: &mut Vec<Loss>) -> Result<()> {
        losses.retain(|loss| !has(&self.allow, loss.id, kind(loss.kind)));
        let denied: Vec<&Loss> =
            losses.iter().filter(|loss| has(&self.deny, loss.id, kind(loss.kind))).collect();
        let Some((first, others)) = denied.split_first() else { return Ok(()) };
        // The path of a value that is filled in is a part of its text.
        let (path, text) = match first.value {
            Some(_) => (String::new(), (*first).clone()),
            None => (first.path.clone(), (*first).clone().below(|_| String::new())),
        };
        let mut what = format!("the loss {} is denied: {text}", first.id);
        for other in others.iter().take(NAMED - 1) {
            let place = if other.path.is_empty() { "the whole file" } else { &*other.path };
            what += &format!("; also {} ({place})", other.id);
        }
        if let Some(more) = others.len().checked_sub(NAMED - 1).filter(|more| *more > 0) {
            what += &format!("; and {more} more");
        }
        let error = Error::unwritable(what);
        Err(if path.is_empty() { error } else { error.at(path) })
    }
}

/// Whether an entry names a rule.
fn is_named(entry: &str, rule: &str) -> bool {
    rule.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn has(list: &[String], rule: &str, group: &str) -> bool {
    list.iter().any(|entry| entry == "all" || entry == group || is_named(entry, rule))
}

fn group(finding: &Finding) -> &'static str {
    match finding.severity {
        Severity::Warning => "warnings",
        Severity::Error => "errors",
    }
}

fn kind(kind: LossKind) -> &'static str {
    match kind {
        LossKind::LeftOut => "dropped",
        LossKind::Approximated => "changed",
        LossKind::FilledIn => "filled-in",
        LossKind::Missing => "missing",
        _ => "warnings",
    }
}
