//! `rezkit find`: the instances that a selector means, and texts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::{Mutex, Once};

use regex::bytes::{Regex, RegexBuilder};
use rezkit::plain::csv_cell;
use rezkit::texts::{self, Leaf};
use rezkit::tree::Data;
use rezkit::{Budget, Document, Opened, Selector};
use serde_json::{Map, json};

use crate::input::{Reading, Source};
use crate::outcome::{Error, Outcome, Usage};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit find place.rbxl 'Part[Anchored = false]'
  rezkit find place.rbxl '#Lights >> Light' --get Brightness,Color
  rezkit find models/ 'LuaSourceContainer' --count
  rezkit find place.rbxl --grep 'HttpGet|loadstring'
  rezkit find place.rbxl --references Workspace/Door
  rezkit find settings.xml 'AFK*' --get Value

Selectors are those of Roblox's QueryDescendants:
  Part  .Tag  #Name          instances of a class (and of classes derived from it), with a tag, with a name
  [Anchored = false]         with a value of a property; a value that the file does not store is the class's default
  [$Health > 50]             with a value of an attribute; without a comparison: that have the attribute
  A > B   A >> B   A, B      children of A, descendants of A, either
  :not(A, B)   :has(> A)     that are not, that contain
Operators: = != < <= > >= *= (contains) ^= (begins with) $= (ends with). Components: [Size.Y > 10]. Values and names
with other characters than letters, digits, `_` and `-` are put in quotes.
In LLSD, meshes, scenes and other files, the selector is a name in their tree (`rezkit tree`), or the end of a path, in
which `*` stands for any characters but `/`, and `?` for one.

The exit status is 0 if anything was found, 1 if nothing was, and 2 for an error.")]
pub(crate) struct Find {
    /// Print the number of matches of each file
    #[arg(long, short)]
    count: bool,
    /// Print the class, or the type, before each path
    #[arg(long, conflicts_with_all = ["json", "csv", "count", "null", "grep"])]
    class: bool,
    /// Print the values of these properties
    #[arg(long, value_name = "PROPERTY,…", value_delimiter = ',', conflicts_with_all = ["grep", "count"])]
    get: Vec<String>,
    /// Print one JSON object per match, with typed values
    #[arg(long, conflicts_with_all = ["csv", "count", "null"])]
    json: bool,
    /// Print CSV: the file, the path, the class and the properties of --get
    #[arg(long, conflicts_with_all = ["count", "null", "grep"])]
    csv: bool,
    /// End each path with a zero byte instead of a line break, for `xargs -0`
    #[arg(long, short = '0', conflicts_with = "count")]
    null: bool,
    /// Search all texts for a regular expression instead: sources by line, attributes, values, tags, names
    #[arg(long, value_name = "REGEX", conflicts_with = "references")]
    grep: Option<String>,
    /// With --grep, ignore case
    #[arg(long, short, requires = "grep")]
    ignore_case: bool,
    /// With --grep, the pattern is a text, not a regular expression
    #[arg(long, short = 'F', requires = "grep")]
    fixed: bool,
    /// Print only the names of files with a match
    #[arg(long, short = 'l', conflicts_with_all = ["count", "json", "csv", "get"])]
    files: bool,
    /// Find the instances that refer to the instance at this path instead
    #[arg(long, value_name = "PATH")]
    references: Option<String>,
    /// Files or folders, and the selector, which is the last argument unless --grep or --references is given
    #[arg(required = true, value_name = "FILE… SELECTOR")]
    arguments: Vec<PathBuf>,
}

/// The most characters of a value in a terminal.
const SUMMARY: usize = 80;

/// Whether it is said what may be misspelled in the selector.
static SAID: Once = Once::new();

/// What is searched for.
enum Wanted {
    /// The selector, or why the text is none, and the text.
    Selector(Result<Selector, String>, String),
    Text(Regex),
    References(String),
}

/// One match.
struct Match {
    path: String,
    class: String,
    line: Option<usize>,
    /// The text of the line, or the values of --get.
    values: Vec<Option<rezkit::tree::Value>>,
    text: String,
}

/// A regular expression; an error is the last line of the message, which says what is wrong.
pub(super) fn regex(builder: RegexBuilder, option: &str) -> Result<Regex, Error> {
    let wrong = |error: regex::Error| {
        let text = error.to_string();
        let what = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        Usage(format!("{option}: {what}")).into()
    };
    builder.build().map_err(wrong)
}

impl Find {
    pub(crate) fn run(mut self, reading: &Reading) -> Result<Outcome, Error> {
        let wanted = match (&self.grep, &self.references) {
            (Some(pattern), _) => {
                let pattern = if self.fixed { regex::escape(pattern) } else { pattern.clone() };
                let mut builder = RegexBuilder::new(&pattern);
                builder.case_insensitive(self.ignore_case);
                Wanted::Text(regex(builder, "--grep")?)
            }
            (None, Some(path)) => Wanted::References(path.clone()),
            (None, None) => {
                let selector = self.arguments.pop().unwrap_or_default();
                let text = selector.to_string_lossy();
                if self.arguments.is_empty() {
                    return Err(Usage(format!("expected a file and a selector, found only {text:?}")).into());
                }
                let selector = match text.parse::<Selector>() {
                    Ok(selector) => Ok(selector),
                    // A pattern for names is often no selector.
                    Err(error) if is_pattern(&text) => Err(error.to_string()),
                    Err(error) => return Err(rezkit::Error::from(error).into()),
                };
                Wanted::Selector(selector, text.into_owned())
            }
        };
        // With one file, its name need not be repeated.
        let is_one = self.arguments.len() == 1 && self.arguments[0].is_file();
        let any = Mutex::new(false);
        let mut csv =
            self.csv.then(|| ["file", "path", "class"].into_iter().map(str::to_owned).collect::<Vec<_>>());
        if let Some(header) = &mut csv {
            header.extend(self.get.iter().cloned());
            report::print(&record(header)?)?;
        }
        // In folders, selectors pass over files without instances, and patterns for names over those with instances.
        let is_searched = |source: &Source| {
            source.detected().is_some_and(|found| match &wanted {
                Wanted::Text(_) => true,
                Wanted::Selector(selector, _) => selector.is_ok() == found.file_type.has_instances(),
                Wanted::References(_) => found.file_type.has_instances(),
            })
        };
        let outcome = reading.each_of(&self.arguments, is_searched, |source, out| {
            let found = self.matches(reading, source, &wanted)?;
            if !found.is_empty() {
                *any.lock().map_err(|_| "internal error: a thread panicked (please report this)")? = true;
            }
            self.print(source, is_one, &found, out)?;
            Ok(Outcome::Success)
        })?;
        let any = any.into_inner().unwrap_or_default();
        Ok(match outcome {
            Outcome::Success if any => Outcome::Success,
            Outcome::Success => Outcome::Failure,
            // An error counts more than a match, as for grep.
            _ => Outcome::Usage,
        })
    }

    fn matches(&self, reading: &Reading, source: &Source, wanted: &Wanted) -> Result<Vec<Match>, Error> {
        let opened = reading.opened(source)?;
        match wanted {
            Wanted::Text(regex) => in_texts(&opened, regex, reading.max_bytes),
            Wanted::Selector(_, pattern) if !opened.file_type().has_instances() => {
                in_names(&opened, pattern, &self.get, reading.max_bytes)
            }
            Wanted::Selector(selector, _) => {
                let selector = selector.as_ref().map_err(|error| Usage(error.clone()))?;
                let document = document(opened)?;
                SAID.call_once(|| selector.unknown().iter().for_each(|why| report::note("selector", why)));
                let ids = rezkit::query(&*document, None, selector, &mut Budget::new(reading.max_bytes))?;
                let mut budget = Budget::new(reading.max_bytes);
                let mut paths = document.paths();
                let found = ids.iter().map(|&id| {
                    let value = |name: &String| document.shown(id, name);
                    let class = document.class(id).unwrap_or_default().to_string();
                    let values = self.get.iter().map(value).collect();
                    Ok(Match {
                        path: paths.of(id, &mut budget)?,
                        class,
                        line: None,
                        values,
                        text: String::new(),
                    })
                });
                let found = found.collect::<Result<Vec<_>, Error>>()?;
                for (at, name) in self.get.iter().enumerate().filter(|_| !found.is_empty()) {
                    if found.iter().all(|of| of.values[at].is_none()) {
                        report::note(&source.name, &document.why_missing(&ids, name));
                    }
                }
                Ok(found)
            }
            Wanted::References(path) => {
                let document = document(opened)?;
                let to =
                    document.find(path).ok_or_else(|| Usage(format!("{path}: no instance has this path")))?;
                let mut budget = Budget::new(reading.max_bytes);
                let (mut paths, mut found) = (document.paths(), Vec::new());
                for (id, property) in rezkit::references_to(&*document, to) {
                    let class = document.class(id).unwrap_or_default().to_string();
                    let path = format!("{}.{property}", paths.of(id, &mut budget)?);
                    found.push(Match { path, class, line: None, values: Vec::new(), text: String::new() });
                }
                Ok(found)
            }
        }
    }

    fn print(&self, source: &Source, is_one: bool, found: &[Match], out: &mut String) -> Result<(), Error> {
        // Programs that read to the zero byte want the name as it is.
        let name = match source.path.to_str() {
            Some(name) if self.null && !source.is_part() => name,
            _ => &source.name,
        };
        let prefix = if is_one { String::new() } else { format!("{name}:") };
        let end = if self.null { '\0' } else { '\n' };
        // Another program gets whole values.
        let most = if std::io::stdout().is_terminal() { SUMMARY } else { usize::MAX };
        if self.count {
            writeln!(out, "{prefix}{}", found.len())?;
            return Ok(());
        }
        if self.files {
            if !found.is_empty() {
                write!(out, "{name}{end}")?;
            }
            return Ok(());
        }
        for one in found {
            if self.json {
                let mut line = json!({ "file": source.json_name(), "path": one.path });
                if !one.class.is_empty() {
                    line["class"] = one.class.as_str().into();
                }
                if let Some(number) = one.line {
                    (line["line"], line["text"]) = (number.into(), one.text.as_str().into());
                }
                if !self.get.is_empty() {
                    let values = self.get.iter().zip(&one.values);
                    let values = values.map(|(name, value)| {
                        (name.clone(), value.as_ref().map_or(json!(null), rezkit::tree::Value::to_typed_json))
                    });
                    line["properties"] = values.collect::<Map<_, _>>().into();
                }
                report::json_line(out, &line);
            } else if self.csv {
                let cell = |value: &rezkit::tree::Value| match value.to_json() {
                    serde_json::Value::String(text) => text,
                    _ => value.to_string(),
                };
                // Matches in LLSD have their value without a property that names it.
                let value = |at: usize| one.values.get(at).and_then(Option::as_ref);
                let values = (0..self.get.len()).map(|at| value(at).map_or_else(String::new, cell));
                let cells =
                    [source.json_name(), one.path.clone(), one.class.clone()].into_iter().chain(values);
                out.push_str(&record(&cells.collect::<Vec<_>>())?);
            } else if self.null {
                write!(out, "{prefix}{}{end}", one.path)?;
            } else {
                if self.class {
                    write!(out, "{}\t", Plain(&one.class))?;
                }
                write!(out, "{prefix}{}", Plain(&one.path))?;
                if let Some(line) = one.line {
                    write!(out, ":{line}: {}", Plain(&one.text))?;
                }
                for value in &one.values {
                    write!(
                        out,
                        "\t{}",
                        value
                            .as_ref()
                            .map_or_else(String::new, |value| Plain(value.summary(most)).to_string())
                    )?;
                }
                out.push(end);
            }
        }
        Ok(())
    }
}

fn document(opened: Opened<'_>) -> Result<Document, Error> {
    let title = opened.file_type().title;
    Document::of(opened.into_content()).map_err(|_| {
        format!("selectors and references are those of Roblox places and models, not of {title}; search texts with --grep").into()
    })
}

/// Whether a text can be a pattern for names.
fn is_pattern(text: &str) -> bool {
    !text.is_empty() && !text.contains(['[', ']', '=', '>', '#', ',', '"'])
}

/// The nodes of a tree whose paths end with a pattern.
fn in_names(opened: &Opened<'_>, pattern: &str, get: &[String], max_bytes: u64) -> Result<Vec<Match>, Error> {
    let names = regex::escape(pattern).replace(r"\*", "[^/]*").replace(r"\?", "[^/]");
    let names = Regex::new(&format!("(?:^|/){names}$")).map_err(|error| Usage(error.to_string()))?;
    let (mut found, mut budget, mut full) = (Vec::<Match>::new(), Budget::new(max_bytes), None);
    // The paths of the values that --get wants, which come after the node, with the match and its value.
    let mut awaited: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    rezkit::tree::walk(&*opened.tree(), "", &mut |path, node| {
        let mut cost = 0;
        for (of, at) in awaited.remove(path).unwrap_or_default() {
            let value = node.value();
            cost += value.as_ref().map_or(0, rezkit::tree::Value::cost);
            found[of].values[at] = value;
        }
        if names.is_match(path.as_bytes()) {
            let values = match get.is_empty() {
                true => node.value().map(Some).into_iter().collect(),
                false => vec![None; get.len()],
            };
            cost += values.iter().flatten().map(rezkit::tree::Value::cost).sum::<usize>();
            cost += (size_of::<Match>() + path.len()) * (get.len() + 1);
            for (at, name) in get.iter().enumerate() {
                awaited.entry(format!("{path}/{name}")).or_default().push((found.len(), at));
            }
            let class = node.kind().into_owned();
            found.push(Match { path: path.to_owned(), class, line: None, values, text: String::new() });
        }
        full = budget.take(cost as u64, "the matches").err();
        full.is_none()
    })?;
    match full {
        Some(error) => Err(error.into()),
        None => Ok(found),
    }
}

/// The lines of all texts that match.
fn in_texts(opened: &Opened<'_>, regex: &Regex, max_bytes: u64) -> Result<Vec<Match>, Error> {
    let mut found = Vec::new();
    texts::walk(&*opened.tree(), &mut Budget::new(max_bytes), &mut |path, leaf, budget| {
        let text = match leaf {
            Leaf::Name(name) => name.as_bytes(),
            Leaf::Value(value) => match &value.data {
                Data::Bytes(bytes) => bytes.as_slice(),
                Data::Line(_, text) => text.as_bytes(),
                _ => return Ok(()),
            },
        };
        if !regex.is_match(text) {
            return Ok(());
        }
        for (index, line) in
            text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| regex.is_match(line))
        {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            budget.take((path.len() + 3 * line.len() + size_of::<Match>()) as u64, "the matches")?;
            let text = String::from_utf8_lossy(line).into_owned();
            let class = String::new();
            found.push(Match {
                path: path.to_owned(),
                class,
                line: Some(index + 1),
                values: Vec::new(),
                text,
            });
        }
        Ok(())
    })?;
    Ok(found)
}

/// A line of CSV.
fn record(cells: &[String]) -> Result<String, Error> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(cells.iter().map(|cell| csv_cell(cell)))?;
    Ok(String::from_utf8(csv.into_inner()?)?)
}
