//! Updates the tables of docs/ROBUSTNESS.md that tasks write.

use std::fs;

use xtask::{Outcome, root};

/// A row of a table: the cells that identify what was tried, and the results.
pub(crate) struct Row {
    pub(crate) of: Vec<String>,
    pub(crate) cells: Vec<String>,
}

/// Writes rows into the table between the comments that name a task. A row whose first cells are equal is replaced;
/// other rows stay.
pub(crate) fn write(task: &str, heads: &[&str], rows: &[Row]) -> Outcome {
    let path = root().join("docs/ROBUSTNESS.md");
    let page = fs::read_to_string(&path)?;
    let (begin, end) = (format!("<!-- `cargo xtask {task}` writes from here -->\n"), "<!-- to here -->\n");
    let (before, rest) = page.split_once(&begin).ok_or_else(|| format!("no line {begin:?} in the page"))?;
    let (old, after) = rest.split_once(end).ok_or_else(|| format!("no line {end:?} after {begin:?}"))?;
    let cells = |row: &str| row.trim_matches(['|', ' ']).split(" | ").map(str::to_owned).collect::<Vec<_>>();
    let mut lines: Vec<Vec<String>> =
        old.lines().filter(|line| line.starts_with("| ")).skip(1).map(cells).collect();
    for Row { of, cells } in rows {
        let new = [&of[..], cells].concat();
        match lines.iter_mut().find(|line| line.starts_with(of)) {
            Some(line) => *line = new,
            None => lines.push(new),
        }
    }
    let mut table = format!("| {} |\n|", heads.join(" | "));
    let words = rows.first().map_or(0, |row| row.of.len());
    (0..heads.len()).for_each(|at| table += if at < words { "---|" } else { "--:|" });
    lines.iter().for_each(|line| table += &format!("\n| {} |", line.join(" | ")));
    Ok(fs::write(path, format!("{before}{begin}\n{table}\n\n{end}{after}"))?)
}
