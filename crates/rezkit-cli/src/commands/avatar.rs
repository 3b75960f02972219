//! What `check` and `fit` have in common for avatar items.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rezkit::avatar::{CheckOptions, ItemReport, ItemType, Numbers, Row, Verdict};
use rezkit::render::{RenderOptions, Renderer};
use rezkit::scene::{Files, images};
use rezkit::{Finding, RulePolicy};
use serde_json::json;

use crate::input::{Reading, Source};
use crate::outcome::{Error, Usage, helped};
use crate::output::{Plan, Replacing};
use crate::report::{self, Color, Plain, about, colored};

/// The name of the profile.
pub(crate) const AVATAR: &str = "roblox-avatar";

/// Whether the violations of a rule are in the table of an item.
pub(crate) fn is_in_table(rule: &str) -> bool {
    rule.strip_prefix(AVATAR).is_some_and(|rest| rest.starts_with('.') && rest != ".none")
}

#[derive(clap::Args)]
#[command(next_help_heading = "Avatar items")]
pub(crate) struct Avatar {
    /// The numbers of the rules, instead of the built-in ones: a JSON file with the table that
    /// AvatarCreationService:GetValidationRules() returns in Studio. What it lacks is built in, and listed
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    rules: Option<PathBuf>,
    /// The type of the item; of several, of those whose type the file does not tell: Hat, Hair, Face, Neck, Shoulder, Front, Back, Waist, TShirt,
    /// Shirt, Pants, Jacket, Sweater, Shorts, LeftShoe, RightShoe, DressSkirt, Eyebrow, Eyelash, Head, Torso, LeftArm,
    /// RightArm, LeftLeg or RightLeg
    #[arg(long = "type", value_name = "TYPE", hide_short_help = true)]
    kind: Option<String>,
}

impl Avatar {
    /// The name of the first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        self.rules.as_ref().map(|_| "rules").or(self.kind.as_ref().map(|_| "type"))
    }

    /// The options of the check.
    ///
    /// # Errors
    /// If the rules cannot be read, or the type is not known.
    pub(crate) fn options(&self, reading: &Reading) -> Result<CheckOptions, Error> {
        let mut options = CheckOptions::default();
        if let Some(path) = &self.rules {
            let bytes = reading.bytes(path).map_err(about(path))?;
            options.numbers = Numbers::from_json(&bytes).map_err(Error::from).map_err(about(path))?;
            let filled = options.numbers.filled();
            if !filled.is_empty() {
                let what =
                    format!("the built-in numbers are used for what the file lacks: {}", filled.join(", "));
                report::note(&report::path(path), &what);
            }
        }
        if let Some(name) = &self.kind {
            options.kind = Some(ItemType::of_name(name).ok_or_else(|| {
                let known: Vec<&str> = ItemType::all().map(ItemType::name).collect();
                let error = Usage(format!("--type {name}: unknown type"));
                helped(error, format!("use one of {}", known.join(", ")))
            })?);
        }
        Ok(options)
    }
}

/// A row of the table of an item.
pub(crate) struct ItemRow {
    item: String,
    kind: Option<&'static str>,
    pub(crate) row: Row,
}

impl ItemRow {
    /// The rows of an item.
    pub(crate) fn all(item: &ItemReport) -> impl Iterator<Item = Self> + '_ {
        item.rows.iter().map(|row| Self { item: item.path.clone(), kind: item.kind, row: row.clone() })
    }

    /// A rule that is kept or could not be seen, as JSON: like a finding, of the severity `note`.
    pub(crate) fn json(&self, file: &str) -> serde_json::Value {
        let Self { item, kind, row } = self;
        json!({
            "file": file,
            "severity": "note",
            "rule": row.rule,
            "demands": rezkit::avatar::rule(row.rule).map(|rule| rule.rule.demands),
            "path": row.path,
            "item": item,
            "type": kind,
            "found": row.found,
            "allowed": row.allowed,
            "verdict": row.verdict,
        })
    }

    /// Adds the columns of the table to a finding as JSON.
    pub(crate) fn add_to(&self, mut line: serde_json::Value) -> serde_json::Value {
        line["item"] = self.item.as_str().into();
        line["type"] = self.kind.into();
        line["found"] = self.row.found.as_str().into();
        line["allowed"] = self.row.allowed.as_str().into();
        line["verdict"] = json!(self.row.verdict);
        line
    }
}

/// Leaves violations out that the command allows.
pub(crate) fn allowed(item: &mut ItemReport, policy: &RulePolicy) {
    let rules = rezkit::rules();
    let is_allowed = |row: &Row| {
        let rule = rules.iter().find(|rule| rule.id == row.rule);
        rule.is_some_and(|rule| policy.allows(&Finding::new(rule, row.path.clone(), "")))
    };
    item.rows.retain(|row| row.verdict != Verdict::Failed || !is_allowed(row));
}

/// Writes the table of an item: broken rules and those that were not seen; with `all`, also those that are kept.
pub(crate) fn table(text: &mut String, file: &str, item: &ItemReport, all: bool) -> Result<(), Error> {
    let kind = item.kind.unwrap_or("unknown type");
    let color = if item.is_accepted() { Color::Green } else { Color::Red };
    writeln!(
        text,
        "{file}: {} ({kind}, {}): {}",
        Plain(&item.path),
        item.scale,
        colored(color, item.sentence())
    )?;
    let mut shown = item.clone();
    shown.rows.retain(|row| all || row.verdict != Verdict::Passed);
    if !shown.rows.is_empty() {
        for line in shown.table().lines() {
            writeln!(text, "  {}", Plain(line))?;
        }
    }
    // What the file leaves open can be named.
    let type_rule = format!("{AVATAR}.type");
    if let Some(row) = item.unseen().find(|row| row.rule == type_rule) {
        writeln!(text, "  help ({type_rule}): {}", row.remedy)?;
    }
    Ok(())
}

/// Renders the pictures of a file's items into a folder of its name.
pub(crate) fn pictures(
    opened: &mut rezkit::Opened<'_>,
    (options, reading): (&CheckOptions, &Reading),
    (source, folder): (&Source, &Path),
    replacing: Replacing,
) -> Result<(), Error> {
    let name = source.file_name();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let mut files = Files::default();
    for picture in opened.avatar_pictures(options)? {
        let renderer = Renderer::new(&picture.scene, reading.max_bytes)?;
        let mut drawn = RenderOptions::default();
        drawn.yaw += picture.scene.front;
        let png = images::png(&renderer.draw(&drawn)?)?;
        let item = picture.name.rsplit('/').next().unwrap_or(&picture.name);
        files.add(&[stem, &format!("{item}.png")], png);
    }
    if files.is_empty() {
        report::note(&source.name, "no pictures, since no mesh of an item is at hand (--assets)");
        return Ok(());
    }
    let mut plan = Plan::in_folder(&[], replacing);
    files.into_vec().into_iter().try_for_each(|file| plan.file(folder, file))?;
    plan.write()
}
