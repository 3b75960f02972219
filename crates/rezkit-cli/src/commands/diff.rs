//! `rezkit diff`: the differences between two files.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use rezkit::Opened;
use rezkit::tree::{Change, Data, Value};
use serde_json::json;

use super::pictures;
use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage, helped};
use crate::output::{Plan, Replacing};
use crate::report::{self, Color, Ends, NO_NEWLINE, Plain, colored};

#[derive(clap::Args, Default)]
#[command(after_help = "Examples:
  rezkit diff old.rbxl new.rbxl
  rezkit diff place.rbxl place.rbxlx       binary against XML
  rezkit diff --json old.rbxl new.rbxl | rezkit edit old.rbxl -o other.rbxl
  rezkit diff --pictures changes.png old.rbxl new.rbxl
  rezkit diff a/report.json b/report.json  two reports of `sl`: triangles, bytes, land impact by object
  git difftool -x 'rezkit diff'            the changed files of a Git repository

Exit status: 0 no difference, 1 differences, 2 a file could not be read")]
pub(crate) struct Diff {
    /// Print one JSON object per line; for Roblox documents and LLSD, `rezkit edit` takes the lines as a patch
    #[arg(long, conflicts_with_all = ["stat", "name_only"])]
    json: bool,
    /// Print only how many nodes and values were added, removed, changed, moved and reordered
    #[arg(long, conflicts_with = "name_only")]
    stat: bool,
    /// Print only the paths of what differs, each once
    #[arg(long)]
    name_only: bool,
    /// Also print values that only one document stores if they mean the same: defaults, older and newer forms
    #[arg(long, conflicts_with = "json")]
    all: bool,
    /// Leave out the values of these properties, such as UniqueId,HistoryId
    #[arg(long, value_name = "PROPERTY,…", value_delimiter = ',', conflicts_with = "json")]
    ignore: Vec<String>,
    /// Also write a picture of the file before, after, and with what changed marked; nothing if it looks the same
    #[arg(long, value_name = "OUT.png")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
    /// The old file
    old: PathBuf,
    /// The new file
    new: PathBuf,
}

impl Diff {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        if let Some(path) =
            self.pictures.as_ref().filter(|path| path.extension().is_none_or(|of| of != "png"))
        {
            let what = format!("{}: expected an output path with the extension .png", report::path(path));
            return Err(Usage(what).into());
        }
        if [&self.old, &self.new].iter().all(|path| path.to_str() == Some("-")) {
            return Err(Usage("only one of the files can be the standard input".into()).into());
        }
        if let Some(any) = self.reports(reading)? {
            return Ok(if any { Outcome::Failure } else { Outcome::Success });
        }
        let read = |path: &PathBuf, max_bytes: u64| {
            let size = std::fs::metadata(path).map_or(0, |file| if file.is_file() { file.len() } else { 0 });
            if max_bytes < reading.max_bytes && size > max_bytes {
                let what = format!(
                    "not enough memory is left for the new file (needed: {size} bytes, available within max_bytes: \
                     {max_bytes} bytes)"
                );
                report::failed(Some(&report::path(path)), &helped(what, report::RAISE));
                return Err(());
            }
            let mut reading = reading.clone();
            reading.max_bytes = max_bytes;
            reading.read(path).map_err(|error| report::failed(None, &error))
        };
        let old = read(&self.old, reading.max_bytes);
        let (Ok(mut new), Ok(mut old)) =
            (read(&self.new, old.as_ref().map_or(reading.max_bytes, Opened::memory_left)), old)
        else {
            return Ok(Outcome::Usage);
        };
        let compared = self.compare(&old, &new, reading.max_bytes).and_then(|any| {
            if let Some(path) = self.pictures.as_ref().filter(|_| any)
                && let Some(picture) = pictures::changes(&mut old, &mut new, reading.max_bytes)?
            {
                let mut plan = Plan::new(&[&self.old, &self.new], self.replacing);
                plan.unnamed(path.clone(), picture)?;
                plan.write()?;
            }
            Ok(any)
        });
        match compared {
            Ok(true) => Ok(Outcome::Failure),
            Ok(false) => Ok(Outcome::Success),
            // The status of a failure means that the files differ.
            Err(error) => {
                report::failed(Some(&report::path(&self.new)), &error);
                Ok(Outcome::Usage)
            }
        }
    }

    /// Prints the differences of two reports of `sl`, object by object; returns whether there are any, and `None` if the
    /// files are no such reports.
    fn reports(&self, reading: &Reading) -> Result<Option<bool>, Error> {
        let is_json = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|of| of == "json");
        if reading.names_format() || !is_json(&self.old) || !is_json(&self.new) {
            return Ok(None);
        }
        let (old, new) = (reading.bytes(&self.old)?, reading.bytes(&self.new)?);
        if !rezkit::upload::sl::is_report(&old) || !rezkit::upload::sl::is_report(&new) {
            return Ok(None);
        }
        let budget = &mut rezkit::Budget::new(reading.max_bytes);
        let found = rezkit::upload::sl::differences(&old, &new, budget)?;
        let mut text = String::new();
        let (mut counts, mut last) = (BTreeMap::new(), None);
        for difference in &found {
            let object = difference.object.as_deref().unwrap_or("all objects");
            let what = difference.what;
            let [old, new] = [&difference.old, &difference.new].map(|value| value.as_ref().map(numbers));
            match (&old, &new) {
                _ if self.json => report::json_line(&mut text, &json!(difference)),
                _ if self.stat => {
                    let (kind, is_changed) = match (old, new) {
                        (Some(_), Some(_)) => ("values changed", true),
                        (Some(_), None) => ("objects removed", false),
                        _ => ("objects added", false),
                    };
                    if is_changed || last != Some(object) {
                        *counts.entry(kind).or_insert(0_usize) += 1;
                    }
                }
                _ if self.name_only => {
                    if last != Some(object) {
                        text += &format!("{}\n", Plain(object));
                    }
                }
                (Some(old), Some(new)) => {
                    let (old, new) = (colored(Color::Red, old), colored(Color::Green, new));
                    writeln!(text, "~ {}.{what}: {old} -> {new}", Plain(object))?;
                }
                (old, new) => {
                    let (sign, color) = if old.is_some() { ('-', Color::Red) } else { ('+', Color::Green) };
                    let value = old.as_ref().or(new.as_ref()).map_or("", String::as_str);
                    let line = format!("{sign} {}.{what} = {value}", Plain(object));
                    writeln!(text, "{}", colored(color, line))?;
                }
            }
            last = Some(object);
        }
        for (what, count) in counts {
            text += &format!("{what}: {count}\n");
        }
        report::print(&text)?;
        Ok(Some(!found.is_empty()))
    }

    /// Prints the differences; returns whether there are any.
    pub(super) fn compare(&self, old: &Opened<'_>, new: &Opened<'_>, max_bytes: u64) -> Result<bool, Error> {
        let (mut text, mut any, mut goes_on) = (String::new(), false, Ok(true));
        let (mut counts, mut last) = (BTreeMap::new(), String::new());
        if self.json
            && let Some(any) = self.patch(old, new)?
        {
            return Ok(any);
        }
        let mut shown = Shown { lines: HashMap::new(), kept: 0, left: max_bytes };
        let budget = &mut rezkit::Budget::new(new.memory_left());
        let compare = if self.all { rezkit::stored_differences } else { rezkit::differences };
        compare([old, new], budget, &mut |change| {
            let is_value = change.node.is_none() && change.moved.is_none() && change.order.is_empty();
            let property = change.path.rsplit_once('.').filter(|_| is_value).map(|(_, property)| property);
            if property.is_some_and(|name| self.ignore.iter().any(|of| of == name)) {
                return;
            }
            any = true;
            if self.stat {
                *counts.entry(kind(&change)).or_insert(0_usize) += 1;
            } else if self.name_only {
                let node = change.path.rsplit_once('.').map_or(&*change.path, |(node, _)| node);
                if change.node.is_some() || node != last {
                    last = if change.node.is_some() { change.path.clone() } else { node.to_owned() };
                    text += &format!("{}\n", Plain(&last));
                }
            } else if let Ok(true) = goes_on {
                goes_on = self.show(&change, &mut text, &mut shown);
            }
        })?;
        for (what, count) in counts {
            text += &format!("{what}: {count}\n");
        }
        if goes_on? {
            report::print(&text)?;
        }
        Ok(any)
    }

    /// Prints the steps of a patch, if both files are documents for which there is one.
    fn patch(&self, old: &Opened<'_>, new: &Opened<'_>) -> Result<Option<bool>, Error> {
        if !old.file_type().has_steps() || !new.file_type().has_steps() {
            return Ok(None);
        }
        let (steps, losses) = match old.patch(new) {
            Ok(made) => made,
            Err(error) if error.kind() == rezkit::ErrorKind::Limit => return Err(error.into()),
            Err(error) => {
                let what = format!("`edit` cannot apply these differences: {error}");
                report::lost(
                    &report::path(&self.old),
                    &[rezkit::Loss::warning("", what).id("patch.not-applicable")],
                    true,
                );
                return Ok(None);
            }
        };
        let mut text = String::new();
        for step in &steps {
            report::json_line(&mut text, &json!(step));
            if !report::print_much(&mut text)? {
                break;
            }
        }
        report::print(&text)?;
        report::lost(&report::path(&self.new), &losses, true);
        Ok(Some(!steps.is_empty()))
    }

    /// Appends a change to `text`, and prints long text; returns whether the output is still open.
    fn show(&self, change: &Change, text: &mut String, shown: &mut Shown) -> Result<bool, Error> {
        let before = text.len();
        match self.json {
            true => report::json_line(text, &json!(change)),
            false => show(change, text, shown)?,
        }
        let left = shown.left.checked_sub((text.len() - before) as u64);
        shown.left = left.ok_or_else(|| rezkit::Error::new(rezkit::ErrorKind::Limit, report::TOO_LONG))?;
        report::print_much(text)
    }
}

/// A value of a report: a number, or the numbers of its levels.
fn numbers(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Array(all) => all.iter().map(numbers).collect::<Vec<_>>().join(", "),
        serde_json::Value::Null => "unknown".to_owned(),
        number => number.to_string(),
    }
}

/// What a change is, for counting.
fn kind(change: &Change) -> &'static str {
    match (change.in_both, &change.node) {
        ((false, _), Some(_)) => "nodes added",
        ((_, false), Some(_)) => "nodes removed",
        ((false, _), None) => "values added",
        ((_, false), None) => "values removed",
        _ if change.moved.is_some() => "nodes moved",
        _ if !change.order.is_empty() => "nodes reordered",
        _ => "values changed",
    }
}

/// The maximum number of reordered children to list.
const SHOWN_CHILDREN: usize = 10;

/// The maximum number of bytes of compared texts to keep.
const KEPT: usize = 1 << 24;

/// The compared texts, kept since instances can share long ones, and the number of bytes that may still be shown.
struct Shown {
    lines: HashMap<[usize; 2], Compared>,
    /// The number of bytes of the kept texts.
    kept: usize,
    left: u64,
}

/// Two texts, and the lines that differ.
type Compared = ([Arc<Vec<u8>>; 2], Option<String>);

impl Shown {
    fn lines(&mut self, old: &Value, new: &Value) -> Option<&str> {
        let (Data::Bytes(old), Data::Bytes(new)) = (&old.data, &new.data) else { return None };
        let key = [old, new].map(|bytes| Arc::as_ptr(bytes) as usize);
        if !self.lines.contains_key(&key) {
            self.kept += old.len() + new.len();
            if self.kept > KEPT {
                (self.lines, self.kept) = (HashMap::new(), old.len() + new.len());
            }
            self.lines.insert(key, ([old, new].map(Arc::clone), lines(old, new)));
        }
        self.lines.get(&key)?.1.as_deref()
    }
}

fn show(change: &Change, text: &mut String, shown: &mut Shown) -> Result<(), Error> {
    let path = Plain(&change.path);
    let node = change.node.as_ref().map_or_else(String::new, |kind| format!(" ({})", Plain(kind)));
    let value = |value: &Option<Value>| {
        value.as_ref().map_or_else(String::new, |value| format!(" = {}", Plain(value.summary(100))))
    };
    if let Some(to) = &change.moved {
        let above = |path: &str| path.rsplit_once('/').map(|(above, _)| above.to_owned());
        let what = if above(&change.path) == above(to) { "renamed" } else { "moved" };
        writeln!(text, "> {path}: {what} to {}", Plain(to))?;
        return Ok(());
    }
    if !change.order.is_empty() {
        let children = change.order.iter().take(SHOWN_CHILDREN);
        let children = children
            .map(|child| format!("{} from index {} to {}", Plain(&child.child), child.from, child.to));
        let more = match change.order.len().saturating_sub(SHOWN_CHILDREN) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let children = children.collect::<Vec<_>>().join(", ");
        writeln!(text, "~ {path}: children reordered: {children}{more}")?;
        return Ok(());
    }
    match change.in_both {
        (false, _) => {
            let line = format!("+ {path}{node}{}", value(&change.new));
            writeln!(text, "{}", colored(Color::Green, line))?;
        }
        (_, false) => {
            let line = format!("- {path}{node}{}", value(&change.old));
            writeln!(text, "{}", colored(Color::Red, line))?;
        }
        (true, true) => {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                writeln!(text, "~ {path}: {}{}", value(&change.old), value(&change.new))?;
                return Ok(());
            };
            if let Some(lines) = shown.lines(old, new) {
                writeln!(text, "~ {path}:")?;
                text.push_str(lines);
                return Ok(());
            }
            let kind = match old.kind == new.kind {
                true => String::new(),
                false => format!(" ({} -> {})", old.kind, new.kind),
            };
            writeln!(
                text,
                "~ {path}: {} -> {}{kind}",
                colored(Color::Red, Plain(old.summary(100))),
                colored(Color::Green, Plain(new.summary(100)))
            )?;
        }
    }
    Ok(())
}

/// The number of unchanged lines that are shown before and after a change.
const CONTEXT: usize = 2;

/// The lines of a hunk as Git writes them: an empty range names the line before it, and the length 1 is omitted.
fn range(of: &std::ops::Range<usize>) -> String {
    match of.len() {
        0 => format!("{},0", of.start),
        1 => (of.start + 1).to_string(),
        length => format!("{},{length}", of.start + 1),
    }
}

/// The lines that differ between two texts of several lines; `None` if they cannot be compared by line.
fn lines(old: &[u8], new: &[u8]) -> Option<String> {
    let (old, new) = (std::str::from_utf8(old).ok()?, std::str::from_utf8(new).ok()?);
    if !old.contains('\n') && !new.contains('\n') {
        return None;
    }
    // Line ends are shown if they differ.
    let same_ends = Ends::of(old).is_some_and(|ends| Some(ends) == Ends::of(new));
    let (before, after) = (rezkit::lines::lines(old), rezkit::lines::lines(new));
    let changes = rezkit::lines::changed_lines(old, new);
    let mut text = String::new();
    let line = |text: &mut String, sign: char, color: Option<Color>, line: &str| {
        let shown = if same_ends { line.trim_end_matches(['\r', '\n']) } else { line.trim_end_matches('\n') };
        let shown = format!("{sign}{}", Plain(shown));
        let _ = writeln!(text, "  {}", color.map_or(shown.clone(), |color| colored(color, shown)));
        if !line.ends_with('\n') {
            let _ = writeln!(text, "  {NO_NEWLINE}");
        }
    };
    let mut rest = &changes[..];
    while let Some(first) = rest.first() {
        // Changes whose context touches are one hunk.
        let near = rest.windows(2).take_while(|pair| pair[1].old.start - pair[0].old.end <= 2 * CONTEXT);
        let (hunk, others) = rest.split_at(1 + near.count());
        rest = others;
        let last = &hunk[hunk.len() - 1];
        let context = first.old.start.min(CONTEXT);
        let end = (last.old.end + CONTEXT).min(before.len());
        let old = first.old.start - context..end;
        let new = first.new.start - context..last.new.end + (end - last.old.end);
        let _ = writeln!(text, "  @@ -{} +{} @@", range(&old), range(&new));
        let mut at = old.start;
        for change in hunk {
            before[at..change.old.start].iter().for_each(|same| line(&mut text, ' ', None, same));
            before[change.old.clone()].iter().for_each(|old| line(&mut text, '-', Some(Color::Red), old));
            after[change.new.clone()].iter().for_each(|new| line(&mut text, '+', Some(Color::Green), new));
            at = change.old.end;
        }
        before[at..end].iter().for_each(|same| line(&mut text, ' ', None, same));
    }
    Some(text)
}
