//! `rezkit tree`: what is in a file.

use std::fmt::Write as _;
use std::path::PathBuf;

use rezkit::tree::{self, Node};

use crate::input::Reading;
use crate::outcome::{Error, Outcome, Usage};
use crate::report::{self, Plain};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  rezkit tree place.rbxl
  rezkit tree --properties place.rbxl Workspace/Door
  rezkit tree --find Door place.rbxl
  rezkit tree --depth 9 head.mesh vertices")]
pub(crate) struct Tree {
    /// How many levels to show
    #[arg(long, default_value_t = 3)]
    depth: usize,
    /// Show properties too
    #[arg(long, short)]
    properties: bool,
    /// Show everything, values whole and texts line by line: for git's textconv
    #[arg(long)]
    full: bool,
    /// Show only the paths whose name, class or type contains this, at any depth
    #[arg(long, value_name = "TEXT")]
    find: Option<String>,
    /// How many nodes of one parent to show
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    max: usize,
    /// The file
    file: PathBuf,
    /// Where to begin: names with `/` between them; `\` before a `/`, `\` or `[` of a name
    path: Option<String>,
}

impl Tree {
    pub(crate) fn run(self, reading: &Reading) -> Result<Outcome, Error> {
        let (_, asset) = reading.read(&self.file)?;
        let root = asset.tree();
        let path = self.path.as_deref().unwrap_or_default();
        let mut text = String::new();
        let found = tree::visit(&*root, path, &mut |node| match &self.find {
            Some(wanted) => self.find(node, path, &wanted.to_lowercase(), &mut text),
            None => self.show(node, 0, &mut text),
        })?;
        if !found {
            return Err(Box::new(Usage(format!("there is nothing at {path}"))));
        }
        report::print(&text)?;
        Ok(Outcome::Success)
    }

    fn show(&self, node: &dyn Node, level: usize, text: &mut String) {
        line(node, level, text);
        if self.properties || self.full {
            for (name, value) in node.properties() {
                let indent = "  ".repeat(level + 1);
                if let Some(lines) = value.as_lines().filter(|_| self.full) {
                    let _ = writeln!(text, "{indent}.{} ({})", Plain(&name), value.kind);
                    for line in lines {
                        let _ = writeln!(text, "{indent}  | {}", Plain(line));
                    }
                    continue;
                }
                let _ = writeln!(
                    text,
                    "{indent}.{} = {} ({})",
                    Plain(&name),
                    Plain(value.summary(if self.full { usize::MAX / 2 } else { 80 })),
                    value.kind
                );
            }
        }
        let children = node.children();
        if children.is_empty() {
            return;
        }
        let indent = "  ".repeat(level + 1);
        if level >= self.depth && !self.full {
            let _ = writeln!(text, "{indent}… {} below", children.len());
            return;
        }
        for child in children.iter().take(if self.full { usize::MAX } else { self.max }) {
            self.show(&**child, level + 1, text);
        }
        if children.len() > self.max && !self.full {
            let _ = writeln!(text, "{indent}… {} more", children.len() - self.max);
        }
    }

    fn find(&self, node: &dyn Node, path: &str, wanted: &str, text: &mut String) {
        let mut names = std::collections::HashMap::new();
        for child in node.children() {
            let index: &mut usize = names.entry(child.name().into_owned()).or_default();
            let path = tree::join(path, &child.name(), *index);
            *index += 1;
            let matches = |text: &str| text.to_lowercase().contains(wanted);
            if matches(&child.name()) || matches(&child.kind()) {
                let value =
                    child.value().map_or_else(String::new, |value| format!(" = {}", value.summary(80)));
                let _ = writeln!(text, "{} ({}){}", Plain(path.clone()), Plain(child.kind()), Plain(value));
            }
            self.find(&*child, &path, wanted, text);
        }
    }
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
