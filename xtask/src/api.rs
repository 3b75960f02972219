//! The public items of each published library as a text, so that a change of the interface is seen as a difference.
//!
//! It is made from the sources as rustfmt writes them, without a compiler: what `pub` begins, with the block that it is in. A lint
//! (`unreachable_pub`) keeps `pub` for what users reach. What macros make is not in it.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Outcome, packages, root};

/// `api`: writes the texts, and the list of what is not fuzzed.
pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    for (path, text) in files()? {
        let path = root().join(path);
        fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// The text of each package, with its path in the repository.
pub(crate) fn files() -> Result<Vec<(PathBuf, String)>, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    for package in packages()? {
        let sources = package.folder.join("src");
        let mut text = format!(
            "# The public items of {}. Written by `cargo xtask api`; compared by `cargo xtask tidy`.\n",
            package.name
        );
        crate::files(&sources, &mut |path| {
            let name = path.strip_prefix(&sources).unwrap_or(path).to_string_lossy().replace('\\', "/");
            // Tests, and the command line, are no interface.
            let is_library = !name.contains("tests") && !["main.rs", "cli.rs"].contains(&&*name);
            if name.ends_with(".rs") && is_library {
                let items = items(&fs::read_to_string(path).unwrap_or_default());
                if !items.is_empty() {
                    let _infallible = write!(text, "\n{name}\n{items}");
                }
            }
        })?;
        files.push((Path::new("docs/api").join(format!("{}.txt", package.name)), text));
    }
    let text = not_run(&files)?;
    files.push(("xtask/targets/not-run.txt".into(), text));
    Ok(files)
}

/// The public functions whose names no fuzz target and no worst case has: what is left out there is seen here.
fn not_run(files: &[(PathBuf, String)]) -> Result<String, Box<dyn std::error::Error>> {
    let mut sources = String::new();
    for folder in ["xtask/targets/src", "xtask/heavy/src/worst"] {
        crate::files(&root().join(folder), &mut |path| {
            sources += &fs::read_to_string(path).unwrap_or_default();
        })?;
    }
    let words: HashSet<&str> = sources.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut text = String::from(
        "# Public functions that no target of xtask/targets and no worst case names. Written by `cargo xtask api`; compared by\n\
         # `cargo xtask tidy`. What is added here is not fuzzed.\n",
    );
    for (path, items) in files {
        let functions = items.lines().filter_map(|line| {
            let (_, rest) = line.split_once("fn ").filter(|(before, _)| !before.contains('('))?;
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
        });
        let missing: BTreeSet<&str> = functions.filter(|name| !words.contains(name)).collect();
        let package = path.file_stem().unwrap_or_default().to_string_lossy();
        let _infallible = writeln!(text, "\n{package}: {} functions", missing.len());
        missing.iter().for_each(|name| text += &format!("  {name}\n"));
    }
    Ok(text)
}

/// A block whose lines are being read.
struct Block {
    indent: usize,
    /// The line that opens it, printed with its first item.
    head: Option<String>,
    /// Whether everything in it is public: variants of an enum, functions of a trait.
    is_open: bool,
}

/// The public items of a source file.
fn items(source: &str) -> String {
    let mut text = String::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = source.lines().peekable();
    while let Some(line) = lines.next() {
        let item = line.trim_start();
        let indent = line.len() - item.len();
        if item.is_empty() || item.starts_with("//") || item.starts_with("#[") {
            continue;
        }
        // Tests are the last thing in a file.
        if item == "mod tests {" {
            break;
        }
        blocks.retain(|block| indent > block.indent);
        let is_open = blocks.last().is_some_and(|block| block.is_open && indent == block.indent + 4);
        let is_item = item.starts_with("pub ") || is_open && !item.starts_with(['}', ')', '@', '$']);
        let is_block =
            ["impl ", "impl<", "pub trait ", "pub enum "].iter().any(|start| item.starts_with(start));
        if !is_item && !is_block {
            continue;
        }
        let mut whole = item.to_owned();
        // A signature that takes several lines ends where its brackets are closed.
        while !is_whole(&whole) {
            let Some(next) = lines.next() else { break };
            whole.push(' ');
            whole.push_str(next.trim());
        }
        let mut shown = whole.trim_end_matches(['{', ',', ' ']).to_owned();
        // The value of a constant is no part of how it is used.
        if let Some(at) = shown
            .find(" = ")
            .filter(|_| ["pub const ", "pub static "].iter().any(|kind| item.starts_with(kind)))
        {
            shown.truncate(at);
        }
        if is_item {
            for block in &mut blocks {
                if let Some(head) = block.head.take() {
                    let _infallible = writeln!(text, "{}{head}", " ".repeat(block.indent + 2));
                }
            }
            let _infallible = writeln!(text, "{}{shown}", " ".repeat(indent + 2));
        }
        if is_block && whole.ends_with('{') {
            let head = (!is_item).then_some(shown);
            blocks.push(Block { indent, head, is_open: item.starts_with("pub ") });
        } else if whole.ends_with('{') && item.starts_with("pub struct ") {
            blocks.push(Block { indent, head: None, is_open: false });
        }
    }
    text
}

/// Whether a declaration is complete: its brackets are closed, and a block, or an end, follows.
fn is_whole(text: &str) -> bool {
    let count = |open: char, close: char| {
        text.chars().filter(|&c| c == open).count() <= text.chars().filter(|&c| c == close).count()
    };
    count('(', ')') && count('[', ']') && text.ends_with(['{', ';', ',', '}', ')'])
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn public_items_with_their_blocks() {
        let source = "\
/// A shape.
#[derive(Debug)]
pub enum Shape {
    /// Round.
    Circle(f32),
    Other { name: String },
}

struct Hidden {
    field: u8,
}

impl Shape {
    /// Its area.
    pub fn area(
        &self,
        scale: f32,
    ) -> f32 {
        let pub_value = 1.0;
        scale * pub_value
    }

    fn hidden(&self) {}
}

impl Hidden {
    pub(crate) fn no(&self) {}
}

pub trait Draw {
    fn draw(&self) -> Shape;
}
";
        assert_eq!(
            items(source),
            "  pub enum Shape
      Circle(f32)
      Other { name: String }
  impl Shape
      pub fn area( &self, scale: f32, ) -> f32
  pub trait Draw
      fn draw(&self) -> Shape;
"
        );
    }
}
