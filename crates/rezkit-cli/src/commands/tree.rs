//! `rezkit tree`: the content of a file.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::tree::{self, Data, Node};
use serde_json::{Map, json};

use crate::input::Reading;
use crate::outcome::{Error, Outcome, helped};
use crate::report::{self, Ends, NO_NEWLINE, Plain, about};

/// The length limit of a summary that is not shortened.
const FULL: usize = usize::MAX / 2;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit tree place.rbxl
  rezkit tree --properties place.rbxl Workspace/Door
  rezkit tree --find Door place.rbxl
  rezkit tree --depth 9 head.mesh vertices
  rezkit tree --json place.rbxl Workspace | jq -r 'select(.type == \"Script\").path'")]
pub(crate) struct Tree {
    /// The number of levels to show below the first line
    #[arg(long, default_value_t = 3)]
    depth: usize,
    /// Show properties too
    #[arg(long, short, conflicts_with = "find")]
    properties: bool,
    /// Show all levels and children, complete values, and texts line by line; meant for git's textconv
    #[arg(long, conflicts_with = "find")]
    full: bool,
    /// Show only nodes whose name, class or type contains this text, at any depth
    #[arg(long, value_name = "TEXT")]
    find: Option<String>,
    /// Print a JSON object for each node, at any depth, with its path, its type, its properties and its value
    #[arg(long, conflicts_with_all = ["depth", "properties", "full", "find", "max"])]
    json: bool,
    /// Maximum number of children to show per node
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    max: usize,
    /// The file to show
    file: PathBuf,
    /// The path of the node to start at: names separated by `/`; in a name, put `\` before `/`, `\` and `[`
    path: Option<String>,
}

impl Tree {
    /// The command that shows everything in a file.
    pub(super) fn full(file: PathBuf) -> Self {
        Self { depth: 3, properties: false, full: true, find: None, json: false, max: 100, file, path: None }
    }

    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let opened = reading.read(&self.file)?;
        let root = opened.tree();
        let path = self.path.as_deref().unwrap_or_default();
        let (mut text, mut goes_on) = (String::new(), Ok(true));
        // Instances can share values, so the text of a small file can be large.
        let mut left = reading.max_bytes;
        let found = tree::with_node(&*root, path, &mut |node| {
            goes_on = match &self.find {
                Some(wanted) => self.find(node, path, wanted, &mut text),
                None if self.json => lines(node, path, &mut text, &mut left),
                None => self.show(node, 0, &mut text, &mut left),
            };
        })
        .map_err(about(&self.file))?;
        if !found {
            return Err(about(&self.file)(tree::nothing(&*root, path)));
        }
        if goes_on.map_err(about(&self.file))? {
            report::print(&text)?;
        }
        Ok(Outcome::Success)
    }

    /// Appends a node and the nodes below it to `text`; returns whether the output is still open.
    fn show(&self, node: &dyn Node, level: usize, text: &mut String, left: &mut u64) -> Result<bool, Error> {
        if level > tree::MAX_DEPTH {
            let most = tree::MAX_DEPTH;
            let help = match self.full {
                true => {
                    format!(
                        "replace --full with --properties --depth {most}, or give the path of a lower node"
                    )
                }
                false => format!("set --depth to {most} or less, or give the path of a lower node"),
            };
            return Err(helped(tree::too_deep(), help));
        }
        let before = text.len();
        line(node, level, text);
        let indent = "  ".repeat(level + 1);
        if self.properties || self.full {
            for (name, value) in node.properties() {
                if let Some(lines) = value.as_lines().filter(|_| self.full) {
                    let ends = Ends::of(lines);
                    let said = if ends == Some(Ends::CrLf) { ", lines end with CR LF" } else { "" };
                    writeln!(text, "{indent}.{} ({}{said})", Plain(&name), value.kind)?;
                    for line in lines.split_inclusive('\n') {
                        let shown = line.strip_suffix('\n').unwrap_or(line);
                        let shown = if ends.is_some() { shown.trim_end_matches('\r') } else { shown };
                        writeln!(text, "{indent}  | {}", Plain(shown))?;
                    }
                    if !lines.ends_with('\n') {
                        writeln!(text, "{indent}  {NO_NEWLINE}")?;
                    }
                    continue;
                }
                let decoded =
                    value.as_fields().filter(|_| self.full && matches!(value.data, Data::Decoded(..)));
                if let Some(fields) = decoded {
                    writeln!(
                        text,
                        "{indent}.{} = {} ({})",
                        Plain(&name),
                        Plain(value.summary(FULL)),
                        value.kind
                    )?;
                    for (name, value) in fields {
                        writeln!(text, "{indent}  .{} = {}", Plain(name), Plain(value.summary(FULL)))?;
                    }
                    continue;
                }
                let summary = value.summary(if self.full { FULL } else { 80 });
                writeln!(text, "{indent}.{} = {} ({})", Plain(&name), Plain(summary), value.kind)?;
            }
        }
        *left = left
            .checked_sub((text.len() - before) as u64)
            .ok_or_else(|| rezkit::Error::new(rezkit::ErrorKind::Limit, report::TOO_LONG))?;
        if level >= self.depth && !self.full {
            match node.count() {
                0 => {}
                below => writeln!(text, "{indent}… children not shown: {below} (--depth shows them)")?,
            }
            return report::print_much(text);
        }
        for child in node.children().take(if self.full { usize::MAX } else { self.max }) {
            if !self.show(&*child, level + 1, text, left)? {
                return Ok(false);
            }
        }
        match node.count().checked_sub(self.max) {
            Some(more) if more > 0 && !self.full => {
                writeln!(text, "{indent}… children not shown: {more} (--max shows more)")?
            }
            _ => {}
        }
        report::print_much(text)
    }

    /// Appends the nodes below a node that match `wanted`; returns whether the output is still open.
    fn find(&self, node: &dyn Node, path: &str, wanted: &str, text: &mut String) -> Result<bool, Error> {
        let mut printed = Ok(true);
        tree::find(node, path, wanted, &mut |row| {
            let value = row.value.map_or_else(String::new, |value| format!(" = {value}"));
            let _ = writeln!(text, "{} ({}){}", Plain(row.path), Plain(row.kind), Plain(value));
            printed = report::print_much(text);
            matches!(printed, Ok(true))
        })?;
        printed
    }
}

/// Appends a JSON object for a node, unless it is the whole file, and for each node below it.
fn lines(node: &dyn Node, path: &str, text: &mut String, left: &mut u64) -> Result<bool, Error> {
    let mut printed = Ok(true);
    let mut one = |path: &str, node: &dyn Node| {
        let before = text.len();
        let mut line = json!({ "path": path, "type": node.kind() });
        if let Some(value) = node.value() {
            line["value"] = value.to_json();
        }
        let properties = node.properties();
        if !properties.is_empty() {
            let typed = properties.into_iter().map(|(name, value)| (name.to_string(), value.to_typed_json()));
            line["properties"] = typed.collect::<Map<_, _>>().into();
        }
        report::json_line(text, &line);
        printed = match left.checked_sub((text.len() - before) as u64) {
            Some(rest) => {
                *left = rest;
                report::print_much(text)
            }
            None => Err(rezkit::Error::new(rezkit::ErrorKind::Limit, report::TOO_LONG).into()),
        };
        matches!(printed, Ok(true))
    };
    if (path.is_empty() && node.value().is_none()) || one(path, node) {
        tree::walk(node, path, &mut one)?;
    }
    printed
}

fn line(node: &dyn Node, level: usize, text: &mut String) {
    let indent = "  ".repeat(level);
    let (name, kind) = (node.name(), node.kind());
    let _ = match node.value() {
        Some(value) => {
            writeln!(text, "{indent}{} = {} ({})", Plain(&name), Plain(value.summary(80)), Plain(&kind))
        }
        None if name.is_empty() => writeln!(text, "{indent}{}", Plain(&kind)),
        None => writeln!(text, "{indent}{} ({})", Plain(&name), Plain(&kind)),
    };
}
