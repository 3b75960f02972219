//! `rezkit check`: the rules that each file breaks.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rezkit::{Finding, RulePolicy, Severity};
use rezkit_core::Counted;
use serde_json::json;

use rezkit::avatar::{CheckOptions, Verdict};

use super::avatar::{self, AVATAR, Avatar, ItemRow};
use super::scenes::Beside;
use crate::input::{Reading, Source, nothing_found};
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::Replacing;
use crate::policy;
use crate::report::{self, Color, OF_A_RULE, Plain, colored};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit check place.rbxl
  rezkit check --deny warnings --allow rbxmesh.degenerate-faces models/
  rezkit check --sarif models/ > findings.sarif
  rezkit check --profile secondlife-upload house.glb
  rezkit check --client 2016-04 place.rbxl
  rezkit check --profile roblox-studio place.rbxl     what Studio refuses or changes
  rezkit check --profile roblox-avatar --assets meshes --type Hat cap.rbxm

A RULE is the id of a rule (`rbxmesh.degenerate-faces`), the part of the id before the dot for all rules of a format
(`rbxmesh`), `warnings` for all warnings, or `all`. The options for scenes and animations select what --profile checks; the
rules of the format are always checked for the whole file.")]
pub(crate) struct Check {
    /// Print one JSON object per line
    #[arg(long, conflicts_with = "sarif")]
    json: bool,
    /// Print the findings as a SARIF log, a format that code hosts such as GitHub and editors can show
    #[arg(long)]
    sarif: bool,
    /// Treat warnings of this rule as errors (repeatable)
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Report an error, not only a warning, if a file has the extension of an asset format but other content
    #[arg(long)]
    strict: bool,
    /// Do not report violations of this rule (repeatable)
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Maximum number of findings to list per file [default: 10 of each rule; with --verbose, --json or --sarif, all]
    #[arg(long, value_name = "COUNT", hide_short_help = true)]
    max: Option<usize>,
    /// Also check whether a platform accepts the meshes or animations in the file as an upload, whatever the format of
    /// the file; or, with roblox-studio, what Studio refuses or changes in a place or model (repeatable)
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(rezkit::PROFILES))]
    profile: Vec<String>,
    /// List what the Roblox client of a month, such as 2016-04, or of a version, such as 0.240, does not know of places and
    /// models
    #[arg(long, value_name = "MONTH")]
    client: Option<String>,
    /// Files of any format, or folders
    #[arg(required_unless_present = "print_rules")]
    files: Vec<PathBuf>,
    /// Print the numbers of the profile roblox-avatar as JSON, with those of --rules, and check nothing
    #[arg(long, help_heading = "Avatar items", hide_short_help = true)]
    print_rules: bool,
    /// With the profile roblox-avatar: write pictures of each item into this folder: in its box, on a plain body, what is
    /// outside in red; and its cages, coloured by their distance
    #[arg(long, value_name = "FOLDER", help_heading = "Avatar items", hide_short_help = true)]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    avatar: Avatar,
    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    beside: Beside,
    /// Whether it was said what cannot be seen of avatar items.
    #[arg(skip)]
    noted: AtomicBool,
}

/// What a check found in a file.
#[derive(Default)]
struct Checked {
    findings: Vec<Finding>,
    /// The tables of avatar items, if they are shown.
    tables: String,
    /// The rows of those tables: of broken rules, and of others.
    rows: (VecDeque<ItemRow>, Vec<ItemRow>),
}

/// Another thread ended early.
const PANICKED: &str = "internal error: a thread panicked (please report this)";

impl Check {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let mut avatar = self.avatar.options(reading)?;
        avatar.path = self.beside.options(reading)?.path;
        if self.print_rules {
            report::print(&avatar.numbers.to_json())?;
            return Ok(Outcome::Success);
        }
        let policy = self.policy()?;
        self.usage()?;
        let (all, not_seen) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        let profiles: Vec<&str> = self.profile.iter().map(String::as_str).collect();
        let misnamed = |source: &Source| !reading.names_format() && misnamed(source);
        let wanted = |source: &Source| source.detected().is_some() || misnamed(source);
        let (any_asset, any_other) = (AtomicBool::new(false), AtomicBool::new(false));
        let outcome = reading.each_of(&self.files, wanted, |source, out| {
            let other = misnamed(source).then(|| rezkit::not_an_asset(&source.part.bytes, reading.max_bytes));
            if let Some(Ok(_)) = other { &any_other } else { &any_asset }.store(true, Ordering::Relaxed);
            let mut broken = VecDeque::new();
            let mut findings = match other {
                Some(found) => vec![found?],
                None => match self.findings(reading, source, (&profiles, &avatar)) {
                    Ok(Checked { findings, tables, rows: (failed, others) }) => {
                        out.push_str(&tables);
                        broken = failed;
                        let name = source.json_name();
                        if self.json {
                            others.iter().for_each(|row| report::json_line(out, &row.json(&name)));
                        }
                        let named = others.into_iter().map(|row| (name.clone(), row.row));
                        not_seen.lock().map_err(|_| PANICKED)?.extend(named);
                        findings
                    }
                    Err(error) => {
                        // Programs read the log, and not the error.
                        let known = error.downcast_ref::<rezkit::Error>().map(rezkit::unreadable);
                        if let Some(found) = known.filter(|_| self.sarif || self.json) {
                            all.lock().map_err(|_| PANICKED)?.push((source.json_name(), found));
                        }
                        return Err(error);
                    }
                },
            };
            let mut outcome = Outcome::Success;
            findings.retain(|finding| !policy.allows(finding));
            self.of_client(&source.name, &mut findings, reading.verbose, out)?;
            let count = findings.len();
            let (mut hidden, mut helped_rules) = (BTreeMap::new(), HashSet::new());
            if !(self.json || self.sarif || reading.verbose || self.max.is_some()) {
                (findings, hidden) = collapsed(findings);
                // The table has all of them.
                hidden.retain(|rule, _| !avatar::is_in_table(rule));
            }
            for (index, mut finding) in findings.into_iter().enumerate() {
                // The row of the table has the number found and the one allowed.
                let row = avatar::is_in_table(finding.rule).then(|| broken.pop_front()).flatten();
                if policy.denies(&finding) || self.strict && finding.rule == rezkit::NOT_AN_ASSET {
                    finding.severity = Severity::Error;
                }
                if finding.severity == Severity::Error {
                    outcome = Outcome::Failure;
                }
                if self.max.is_some_and(|max| index >= max) {
                    continue;
                }
                if self.sarif {
                    all.lock().map_err(|_| PANICKED)?.push((source.json_name(), finding));
                } else if self.json {
                    report::json_line(out, &line(&source.json_name(), &finding, row.as_ref()));
                } else {
                    printed(out, &source.name, &finding, &mut helped_rules)?;
                }
            }
            if let Some(max) = self.max.filter(|&max| count > max && !self.json && !self.sarif) {
                let hidden = Counted::new(count - max, "further findings");
                writeln!(out, "{}: --max hides {hidden}", source.name)?;
            }
            for (rule, count) in hidden {
                let more = Counted::new(count, "more violations");
                writeln!(out, "{}: {more} of the rule {rule}; --verbose lists them", source.name)?;
            }
            Ok(outcome)
        })?;
        if self.sarif {
            let mut findings = all.into_inner().map_err(|_| PANICKED)?;
            findings.sort_by(|(a, _), (b, _)| a.cmp(b));
            let mut not_seen = not_seen.into_inner().map_err(|_| PANICKED)?;
            not_seen.sort_by(|(a, _), (b, _)| a.cmp(b));
            report::print(&report::sarif(&findings, &not_seen))?;
        } else if self.json {
            // Files that could not be read.
            let mut text = String::new();
            for (name, finding) in all.into_inner().map_err(|_| PANICKED)? {
                report::json_line(&mut text, &line(&name, &finding, None));
            }
            report::print(&text)?;
        }
        // No file was checked: this is likely the wrong folder.
        if any_other.into_inner() && !any_asset.into_inner() {
            nothing_found(&self.files);
            return Ok(outcome.max(Outcome::Failure));
        }
        Ok(outcome)
    }

    /// Prints whether a client knows the whole file, and leaves out what has no effect on it.
    fn of_client(
        &self,
        name: &str,
        findings: &mut Vec<Finding>,
        is_verbose: bool,
        out: &mut String,
    ) -> Result<(), Error> {
        let Some(client) = self.client.as_ref().filter(|_| !(self.json || self.sarif)) else { return Ok(()) };
        let has_effect = |of: &Finding| rezkit::client_notices(of.rule);
        if !findings.iter().any(has_effect) {
            writeln!(out, "{name}: whole: a client of {client} knows all of it")?;
        }
        findings.retain(|finding| is_verbose || finding.rule != "client.without-effect");
        Ok(())
    }

    /// What the command allows and denies.
    fn policy(&self) -> Result<RulePolicy, Error> {
        let ids: Vec<&str> = rezkit::rules().iter().map(|rule| rule.id).collect();
        policy::checked(self.allow.clone(), self.deny.clone(), &ids)
    }

    /// Refuses options without effect, and unknown rules.
    fn usage(&self) -> Result<(), Error> {
        let given = self.avatar.given().or(self.pictures.as_ref().map(|_| "pictures"));
        if let Some(option) = given.filter(|_| !self.profile.iter().any(|name| name == AVATAR)) {
            let error = Usage(format!("--{option} has no effect without --profile {AVATAR}"));
            return Err(helped(error, "add --profile roblox-avatar, or remove this option"));
        }
        if let Some(option) = self.beside.given().filter(|_| self.profile.is_empty()) {
            let error = Usage(format!("--{option} has no effect without --profile"));
            return Err(helped(error, "add --profile NAME, or remove this option"));
        }
        Ok(())
    }

    /// The findings of a file, and the tables of its avatar items. Beside others, a file without a mesh of its own, such as
    /// a level of detail or a material of an upload, is only checked for the rules of its format.
    fn findings(
        &self,
        reading: &Reading,
        source: &Source,
        (profiles, avatar): (&[&str], &CheckOptions),
    ) -> Result<Checked, Error> {
        let mut opened = self.beside.opened(reading, source)?;
        if let Some(client) = &self.client {
            return Ok(Checked { findings: opened.check_client(client)?, ..Checked::default() });
        }
        let options = self.beside.checked(reading)?;
        let is_one = self.files.len() == 1 && self.files[0].is_file();
        let (of_avatar, profiles): (Vec<&str>, Vec<&str>) =
            profiles.iter().copied().partition(|name| *name == AVATAR);
        let mut more = Checked::default();
        if !of_avatar.is_empty() {
            let is_shown = !(self.json || self.sarif);
            more = self.avatar_items(reading, source, &mut opened, (avatar, is_one, is_shown))?;
        }
        let is_model = !profiles.contains(&"roblox-animation");
        let mut findings = if is_one || profiles.is_empty() || !is_model {
            opened.check(&profiles, Some(&options))?
        } else {
            self.of_several(source, &mut opened, (&profiles, &options))?
        };
        findings.append(&mut more.findings);
        Ok(Checked { findings, ..more })
    }

    /// The findings of one of several files.
    fn of_several(
        &self,
        source: &Source,
        opened: &mut rezkit::Opened<'_>,
        (profiles, options): (&[&str], &rezkit::SceneOptions),
    ) -> Result<Vec<Finding>, Error> {
        if opened.file_type().has_geometry {
            let findings = opened.check(profiles, Some(options))?;
            if findings.iter().all(|finding| finding.rule != "secondlife-upload.high") {
                return Ok(findings);
            }
        }
        let findings = opened.check(&[], None)?;
        report::note(
            &source.name,
            "the profile was not checked, only the rules of the file's format, since the file has no mesh, or none at \
             the finest level of detail",
        );
        Ok(findings)
    }

    /// The findings and tables of the avatar items of a file, whose pictures are written.
    fn avatar_items(
        &self,
        reading: &Reading,
        source: &Source,
        opened: &mut rezkit::Opened<'_>,
        (options, is_one, is_shown): (&CheckOptions, bool, bool),
    ) -> Result<Checked, Error> {
        let file_type = opened.file_type();
        if !is_one && !file_type.has_geometry && !file_type.has_instances() {
            return Ok(Checked::default());
        }
        let mut checked = opened.check_avatar(options)?;
        let policy = self.policy()?;
        checked.items.iter_mut().for_each(|item| avatar::allowed(item, &policy));
        if checked.items.is_empty() && !is_one {
            report::note(&source.name, "the file has no avatar item");
            return Ok(Checked::default());
        }
        if let Some(folder) = &self.pictures {
            avatar::pictures(opened, (options, reading), (source, folder), self.replacing)?;
        }
        let mut text = String::new();
        if is_shown {
            for item in &checked.items {
                avatar::table(&mut text, &source.name, item, reading.verbose)?;
            }
        }
        // Once for all files.
        if !checked.items.is_empty() && !self.noted.swap(true, Ordering::Relaxed) {
            for note in &checked.notes {
                report::note(AVATAR, &format!("cannot be seen in files: {note}"));
            }
        }
        let all = checked.items.iter().flat_map(ItemRow::all).filter(|row| avatar::is_in_table(row.row.rule));
        let (failed, mut others): (VecDeque<ItemRow>, VecDeque<ItemRow>) =
            all.partition(|row| row.row.verdict == Verdict::Failed);
        others.retain(|row| reading.verbose || row.row.verdict == Verdict::Unseen);
        Ok(Checked { findings: checked.findings(), tables: text, rows: (failed, others.into()) })
    }
}

/// Prints a violation, with its remedy if it is the first of its rule, since the remedy is the same for all.
fn printed(
    out: &mut String,
    name: &str,
    finding: &Finding,
    helped_rules: &mut HashSet<&'static str>,
) -> Result<(), Error> {
    let remedy = rezkit::remedy(finding.rule).filter(|_| helped_rules.insert(finding.rule));
    if avatar::is_in_table(finding.rule) {
        if let Some(remedy) = remedy {
            writeln!(out, "  help ({}): {remedy}", finding.rule)?;
        }
        return Ok(());
    }
    let color = match finding.severity {
        Severity::Warning => Color::Yellow,
        Severity::Error => Color::Red,
    };
    writeln!(out, "{name}: {}", colored(color, Plain(finding)))?;
    if let Some(remedy) = remedy {
        writeln!(out, "  help: {remedy}")?;
    }
    Ok(())
}

/// At most [`OF_A_RULE`] findings of each rule, and the number of the other violations.
fn collapsed(findings: Vec<Finding>) -> (Vec<Finding>, BTreeMap<String, usize>) {
    let (mut counts, mut hidden) = (HashMap::<_, usize>::new(), BTreeMap::new());
    let mut is_kept = |finding: &Finding| {
        let count = counts.entry(finding.rule).or_default();
        *count += 1;
        if *count > OF_A_RULE {
            *hidden.entry(finding.rule.to_string()).or_default() += finding.count;
        }
        *count <= OF_A_RULE
    };
    let kept = findings.into_iter().filter(|finding| is_kept(finding)).collect();
    (kept, hidden)
}

/// Whether a file has the extension of an asset but other content. `.xml` and `.json` do not count, since
/// other programs use them.
fn misnamed(source: &Source) -> bool {
    let ending = source.path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let is_ours = |ending: &str| {
        !["xml", "json"].contains(&ending)
            && rezkit::FILE_TYPES.iter().any(|file_type| file_type.extensions.contains(&ending))
    };
    !source.is_part() && source.detected().is_none() && ending.is_some_and(|ending| is_ours(&ending))
}

fn line(file: &str, finding: &Finding, row: Option<&ItemRow>) -> serde_json::Value {
    let mut line = json!({
        "file": file,
        "severity": finding.severity,
        "rule": finding.rule,
        "demands": finding.demands,
        "path": finding.path,
        "found": finding.found,
        "count": finding.count,
        "limit": finding.limit,
    });
    if let Some(number) = finding.line {
        line["line"] = number.into();
    }
    if let Some(remedy) = rezkit::remedy(finding.rule) {
        line["remedy"] = remedy.into();
    }
    match row {
        Some(row) => row.add_to(line),
        None => line,
    }
}
