//! `rezkit merge`: joins the changes of two files.

use std::fs;
use std::path::{Path, PathBuf};

use rezkit::{Conflict, MergeOptions, Side};
use serde_json::json;

use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::output::{Plan, Replacing, same};
use crate::policy::{Policy, accept};
use crate::report::{self, about};
use crate::seen::Seen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit merge base.rbxl ours.rbxl theirs.rbxl -o merged.rbxl
  rezkit merge base.rbxl ours.rbxl theirs.rbxl -o merged.rbxl --theirs
  rezkit git install       lets `git merge` do this, and `git diff` show places

Instances are the same if their UniqueId is, or else their path, or their content. What only one of the two changed since
BASE has the value of that one: properties, attributes by name, tags, scripts by line, parents, and the order of children.
What both inserted stays twice, unless it is a service, or has the same content; without BASE, the path counts.
LLSD is merged by key, and arrays by their values. What both changed differently is listed, with the three values, and OUT
has the value of OURS; what one of them removed and the other one changed stays, as it was changed. --ours, --theirs and
--decisions resolve conflicts.

Exit status: 0 merged, 1 conflicts (OUT is written), or a loss that --deny names (nothing is written), 2 other errors (nothing
is written)")]
pub(crate) struct Merge {
    /// The file that both come from; empty if there is none
    base: PathBuf,
    /// The file whose form and bytes are kept
    ours: PathBuf,
    /// The file whose changes are added
    theirs: PathBuf,
    /// The file to write
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Settle conflicts with the values of OURS
    #[arg(long = "ours", conflicts_with = "all_theirs")]
    all_ours: bool,
    /// Settle conflicts with the values of THEIRS
    #[arg(long = "theirs")]
    all_theirs: bool,
    /// Settle conflicts by a file with lines such as `theirs Workspace/Part.Color`
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// Write both versions of lines that both changed into scripts, marked as Git marks them
    #[arg(long)]
    markers: bool,
    /// Merge files that have nearly nothing in common
    #[arg(long)]
    unrelated: bool,
    /// Print one JSON object per conflict
    #[arg(long)]
    json: bool,
    /// The name of the file in messages, for Git
    #[arg(long, hide = true)]
    name: Option<String>,
    #[command(flatten)]
    policy: Policy,
    #[command(flatten)]
    replacing: Replacing,
}

impl Merge {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        self.merged(reading).or_else(|error| {
            report::failed(None, &error);
            // Nothing was written: status 1 means that conflicts were.
            Ok(Outcome::Usage)
        })
    }

    fn merged(self, reading: &Reading) -> Result<Outcome, Error> {
        let policy = self.policy.of_losses()?;
        let mut options =
            MergeOptions::new().markers(self.markers).unrelated(self.unrelated).max_bytes(reading.max_bytes);
        if self.all_ours || self.all_theirs {
            options = options.prefer(if self.all_ours { Side::Ours } else { Side::Theirs });
        }
        if let Some(path) = &self.decisions {
            let text = fs::read_to_string(path).map_err(about(path))?;
            for line in text.lines().filter(|line| !line.trim().is_empty()) {
                options = match line.split_once(' ') {
                    Some(("ours", at)) => options.decide(at, Side::Ours),
                    Some(("theirs", at)) => options.decide(at, Side::Theirs),
                    _ => {
                        let text = format!(
                            "{}: expected `ours PATH` or `theirs PATH`, found {line:?}",
                            report::path(path)
                        );
                        return Err(Usage(text).into());
                    }
                };
            }
        }
        if [&self.base, &self.ours, &self.theirs].iter().filter(|path| path.to_str() == Some("-")).count() > 1
        {
            return Err(Usage("only one of the files can be the standard input".into()).into());
        }
        // The files of Git have temporary names.
        let read = |path: &PathBuf| match &self.name {
            None => reading.read(path),
            Some(name) => reading.one(path, reading.bytes(path)?).map_err(about(Path::new(name))),
        };
        // Ours may be replaced, as Git wants it: then it must still be what was merged.
        let is_replaced = same(&self.ours) == same(&self.output);
        let seen = if is_replaced {
            let bytes = reading.bytes(&self.ours).map_err(about(&self.ours))?;
            let seen = Seen::of(&bytes).map_err(about(&self.ours))?;
            self.ours.is_file().then_some(seen)
        } else {
            None
        };
        let (mut ours, theirs) = (read(&self.ours)?, read(&self.theirs)?);
        // Git has an empty file if both added it.
        let is_empty = fs::metadata(&self.base).is_ok_and(|base| base.is_file() && base.len() == 0);
        let base = if is_empty { None } else { Some(read(&self.base)?) };
        let name = self.name.clone().unwrap_or_else(|| report::path(&self.output));
        let merged = ours.merge(base.as_ref(), &theirs, &options);
        let of = self.name.as_ref().map_or(&*self.ours, Path::new);
        let (conflicts, mut notes) = merged.map_err(about(of))?;
        if let Err(error) = accept(&policy, &mut notes).map_err(about(Path::new(&name))) {
            report::failed(None, &error);
            return Ok(Outcome::Failure);
        }
        let mut plan = Plan::new(&[], self.replacing);
        plan.output(self.output.clone(), ours.to_file(None)?, seen)?;
        plan.write()?;
        report::lost(&name, &notes, reading.verbose);
        listed(&conflicts, self.json)
    }
}

/// Prints conflicts; their presence is a failure.
pub(super) fn listed(conflicts: &[Conflict], json: bool) -> Result<Outcome, Error> {
    let mut text = String::new();
    for conflict in conflicts {
        match json {
            true => report::json_line(&mut text, &json!(conflict)),
            false => text += &format!("conflict: {}\n", report::Plain(&conflict.to_string())),
        }
    }
    report::print(&text)?;
    Ok(if conflicts.is_empty() { Outcome::Success } else { Outcome::Failure })
}
