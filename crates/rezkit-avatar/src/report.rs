//! The report: for each item, a table of rules with what was found and what is allowed.

use std::collections::{HashMap, HashSet};

use rezkit_core::{Finding, Limit, Severity};

use crate::rules::{AvatarRule, NONE};

/// The verdict of a rule on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The rule is kept.
    Passed,
    /// The rule is broken.
    Failed,
    /// What the rule needs is missing, such as a mesh.
    Unseen,
}

impl Verdict {
    /// The verdict as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Unseen => "not seen",
        }
    }
}

/// A line of the table of an item.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Row {
    /// The id of the rule.
    pub rule: &'static str,
    /// How severe a violation is.
    pub severity: Severity,
    /// The path of the instance or node.
    pub path: String,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What to do about a violation.
    pub remedy: &'static str,
}

/// The report on an item.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct ItemReport {
    /// The path of the item.
    pub path: String,
    /// Its type, such as `Hat`; `None` if it is not known.
    pub kind: Option<&'static str>,
    /// The scale type: `Classic`, `ProportionsSlender` or `ProportionsNormal`.
    pub scale: &'static str,
    /// The rules, first those that are broken.
    pub rows: Vec<Row>,
    /// The violations of rules of other profiles, which have rows, too.
    #[serde(skip)]
    pub(crate) others: Vec<Finding>,
}

impl ItemReport {
    /// Adds the violations of rules of another profile, such as those of animations for an emote.
    pub fn add(&mut self, findings: impl IntoIterator<Item = Finding>) {
        let others: Vec<Finding> = findings.into_iter().collect();
        let rows = others.iter().map(|of| Row {
            rule: of.rule,
            severity: of.severity,
            path: of.path.clone(),
            found: of.found.clone(),
            allowed: of.demands.to_owned(),
            verdict: Verdict::Failed,
            remedy: "",
        });
        self.rows.splice(0..0, rows);
        self.others.extend(others);
    }

    /// Whether no rule is broken whose violation is refused.
    pub fn is_accepted(&self) -> bool {
        !self.rows.iter().any(|row| row.verdict == Verdict::Failed && row.severity == Severity::Error)
    }

    /// The rows of rules that could not be seen.
    pub fn unseen(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict == Verdict::Unseen)
    }

    /// The rows of broken rules.
    pub fn failures(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict == Verdict::Failed)
    }

    /// The verdict in a sentence.
    pub fn sentence(&self) -> String {
        let count = |severity: Severity| self.failures().filter(|row| row.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let unseen = self.rows.iter().filter(|row| row.verdict == Verdict::Unseen).count();
        let verdict = if errors > 0 { "would be refused" } else { "nothing found that would be refused" };
        format!("{verdict}: {errors} errors, {warnings} warnings, {unseen} rules not seen")
    }

    /// The table as text, with aligned columns.
    pub fn table(&self) -> String {
        let head = ["rule", "found", "allowed", "verdict", "path"].map(str::to_owned);
        let cells = self.rows.iter().map(|row| {
            [
                row.rule.rsplit('.').next().unwrap_or_default().to_owned(),
                row.found.clone(),
                row.allowed.clone(),
                row.verdict.as_str().to_owned(),
                row.path.clone(),
            ]
        });
        let cells: Vec<[String; 5]> = std::iter::once(head).chain(cells).collect();
        let width =
            |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(60);
        let widths: [usize; 5] = std::array::from_fn(width);
        let mut text = String::new();
        for row in cells {
            let line: Vec<String> =
                row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            text.push_str(line.join("  ").trim_end());
            text.push('\n');
        }
        text
    }
}

/// The report on a file.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct AvatarReport {
    /// The items of the file.
    pub items: Vec<ItemReport>,
    /// What cannot be seen in files, said once.
    pub notes: Vec<String>,
}

impl AvatarReport {
    /// The broken rules as findings.
    pub fn findings(&self) -> Vec<Finding> {
        let of = |item: &ItemReport| -> Vec<Finding> {
            let finding = |row: &Row| {
                let rule = crate::rules::rule(row.rule)?;
                let text = if row.allowed.is_empty() {
                    row.found.clone()
                } else {
                    format!("expected {}, found {}", row.allowed, row.found)
                };
                let limit = numbers(&row.found).zip(numbers(&row.allowed));
                let limit = limit.map(|(found, allowed)| Limit { found, allowed });
                Some(Finding { limit, ..Finding::new(&rule.rule, row.path.clone(), text) })
            };
            item.failures().filter_map(finding).chain(item.others.iter().cloned()).collect()
        };
        if self.items.is_empty() {
            return vec![Finding::new(&NONE.rule, "", "found no avatar item")];
        }
        self.items.iter().flat_map(of).collect()
    }
}

/// The number of a text that has one: `4000` of `at most 4000 triangles`.
fn numbers(text: &str) -> Option<u64> {
    let mut found = text.split(' ').filter_map(|word| word.parse().ok());
    found.next().filter(|_| found.next().is_none())
}

/// Collects rows: each violation, and one row for each rule that is kept everywhere.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    rows: Vec<Row>,
    /// The row of each rule that is kept or not seen somewhere.
    kept: HashMap<&'static str, usize>,
    broken: HashSet<&'static str>,
}

impl Sheet {
    /// Notes what was found for a rule.
    pub(crate) fn row(
        &mut self,
        rule: &AvatarRule,
        path: &str,
        verdict: Verdict,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) {
        let row = Row {
            rule: rule.rule.id,
            severity: rule.rule.severity,
            path: path.to_owned(),
            found: found.into(),
            allowed: allowed.into(),
            verdict,
            remedy: rule.remedy,
        };
        match (row.verdict, self.kept.get(row.rule)) {
            (Verdict::Passed, Some(_)) => {}
            // A mesh that is missing counts more than one that is there.
            (Verdict::Unseen, Some(&at)) => self.rows[at] = row,
            (Verdict::Failed, _) => {
                self.broken.insert(row.rule);
                self.rows.push(row);
            }
            (Verdict::Passed | Verdict::Unseen, None) => {
                self.kept.insert(row.rule, self.rows.len());
                self.rows.push(row);
            }
        }
    }

    /// Notes a rule that is kept if `passes`.
    pub(crate) fn test(
        &mut self,
        rule: &AvatarRule,
        path: &str,
        passes: bool,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) {
        let verdict = if passes { Verdict::Passed } else { Verdict::Failed };
        self.row(rule, path, verdict, found, allowed);
    }

    /// Notes a rule with a greatest number.
    pub(crate) fn at_most(&mut self, rule: &AvatarRule, path: &str, found: f64, most: f64, unit: &str) {
        // The rule of finite numbers finds these.
        if !found.is_finite() {
            return;
        }
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        self.test(
            rule,
            path,
            found <= most,
            format!("{}{unit}", shown(found)),
            format!("at most {}{unit}", shown(most)),
        );
    }

    /// The rows of broken rules, then those of kept ones.
    pub(crate) fn into_rows(self) -> Vec<Row> {
        let Self { rows, broken, .. } = self;
        let is_shown = |row: &Row| row.verdict == Verdict::Failed || !broken.contains(row.rule);
        let mut rows: Vec<Row> = rows.into_iter().filter(is_shown).collect();
        geom::sort::by_key(&mut rows, |row| match row.verdict {
            Verdict::Failed if row.severity == Severity::Error => 0,
            Verdict::Failed => 1,
            Verdict::Unseen => 2,
            Verdict::Passed => 3,
        });
        rows
    }
}

/// A number with at most three digits behind the point.
pub(crate) fn shown(number: f64) -> String {
    let rounded = (number * 1000.0).round() / 1000.0 + 0.0;
    // A number that differs from a limit is not shown as the limit.
    let is_close = rounded == number || rounded.fract() != 0.0;
    if is_close { rounded.to_string() } else { ((number * 1e6).round() / 1e6 + 0.0).to_string() }
}

/// Three numbers.
pub(crate) fn triple(v: geom::Vec3) -> String {
    let [x, y, z] = v.to_array().map(|number| shown(f64::from(number)));
    format!("{x} x {y} x {z}")
}
