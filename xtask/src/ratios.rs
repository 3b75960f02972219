//! The speeds on the front pages of the format crates, from docs/BENCHMARKS.md: between two marks of a README is a table that
//! `cargo xtask bench` writes, `cargo xtask ratios` writes again, and `tidy` compares.

use std::fs;
use std::path::PathBuf;

use crate::{Outcome, formats, root};

const BEGINS: &str = "<!-- written by cargo xtask bench -->\n";
const ENDS: &str = "<!-- to here -->\n";

/// What was measured of a kind of file: how many times as fast as the best peer, or, without peers, how many times
/// as long as the yardstick.
struct Kind {
    name: String,
    /// Of reading and of writing.
    ratios: [Vec<f64>; 2],
}

pub(crate) fn run(mut args: lexopt::Parser) -> Outcome {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    write()
}

/// Writes the tables.
///
/// # Errors
/// Where a file cannot be read or written.
pub fn write() -> Outcome {
    Ok(files()?.into_iter().try_for_each(|(path, text)| fs::write(path, text))?)
}

/// The front pages with their tables.
pub(crate) fn files() -> Result<Vec<(PathBuf, String)>, Box<dyn std::error::Error>> {
    let benchmarks = fs::read_to_string(root().join("docs/BENCHMARKS.md"))?;
    let page = |name: &str| {
        let path = root().join("crates").join(name).join("README.md");
        let text = fs::read_to_string(&path)?;
        let marks = (text.find(BEGINS), text.find(ENDS));
        let (Some(begin), Some(end)) = marks else {
            return Err(format!("{}: no marks", path.display()).into());
        };
        let table = table(name, &benchmarks);
        Ok((path, format!("{}{table}{}", &text[..begin + BEGINS.len()], &text[end..])))
    };
    formats().map(page).collect()
}

fn table(name: &str, benchmarks: &str) -> String {
    let (kinds, yardsticks) = kinds(name, benchmarks);
    let compared = match yardsticks.as_slice() {
        [] => "how many times as fast as the best peer".to_owned(),
        names => format!("how many times as long as {}", names.join(" and ")),
    };
    let mut text =
        format!("| {compared} (`cargo xtask bench {name}`) | reading | writing |\n|---|---|---|\n");
    for Kind { name, ratios } in kinds {
        text += &format!("| {name} | {} | {} |\n", range(&ratios[0]), range(&ratios[1]));
    }
    text
}

/// The least and the greatest.
fn range(ratios: &[f64]) -> String {
    let shown = |ratio: f64| if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") };
    let (least, greatest) = ratios.iter().fold((f64::MAX, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    match (ratios, shown(least) == shown(greatest)) {
        ([], _) => String::new(),
        (_, true) => shown(least),
        (_, false) => format!("{} to {}", shown(least), shown(greatest)),
    }
}

/// The kinds of a section's files, in its order, and the yardsticks where no peer was measured.
fn kinds(name: &str, benchmarks: &str) -> (Vec<Kind>, Vec<String>) {
    let section =
        benchmarks.split("\n## ").find(|section| section.lines().next() == Some(name)).unwrap_or_default();
    let mut rows: Vec<[&str; 3]> = Vec::new();
    for line in section.lines() {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        if let [_, what, _, whose, rate, ..] = cells[..] {
            rows.push([what, whose, rate]);
        }
    }
    // The header and the line below it have no numbers.
    rows.retain(|[.., rate]| rate.parse::<f64>().is_ok());
    let (mut peers, mut yardsticks): (Vec<Kind>, Vec<Kind>) = (Vec::new(), Vec::new());
    let mut names = Vec::new();
    for measured in rows.chunk_by(|_, next| next[0].is_empty()) {
        let Some((operation, what)) = measured[0][0].split_once(' ') else { continue };
        let Some(at) =
            [["read", "read"], ["write", "save"]].iter().position(|names| names.contains(&operation))
        else {
            continue;
        };
        let kind = match what.split_once(", ") {
            Some((kind, _)) => kind,
            None if what.ends_with(" MB") => "generated",
            None => "real files",
        };
        let rates = |is_yardstick: bool| {
            let of = measured[1..].iter().filter(move |[_, whose, _]| whose.starts_with('*') == is_yardstick);
            of.filter_map(|[.., rate]| rate.parse::<f64>().ok()).reduce(f64::max)
        };
        let Ok(ours) = measured[0][2].parse::<f64>() else { continue };
        if let Some(best) = rates(false) {
            push(&mut peers, kind, at, ours / best);
        } else if let Some(best) = rates(true) {
            push(&mut yardsticks, kind, at, best / ours);
            let name = measured[1][1].trim_matches('*').to_owned();
            names.extend(Some(name).filter(|name| !names.contains(name)));
        }
    }
    if peers.is_empty() { (yardsticks, names) } else { (peers, Vec::new()) }
}

fn push(kinds: &mut Vec<Kind>, name: &str, at: usize, ratio: f64) {
    let found = kinds.iter().position(|kind| kind.name == name);
    let index = found.unwrap_or_else(|| {
        kinds.push(Kind { name: name.to_owned(), ratios: Default::default() });
        kinds.len() - 1
    });
    kinds[index].ratios[at].push(ratio);
}

#[cfg(test)]
mod tests {
    #[test]
    fn ratios_of_rows() {
        let page = "# B\n\n## a\n\n| what | size | whose | MB/s | ms |\n|---|--:|---|--:|--:|\n| read x, 1 MB | 1 | **a** | 90 | 1 |\n\
                    |  |  | b | 30 | 3 |\n|  |  | c | 45 | 2 |\n|  |  | *copy* | 100 | 1 |\n| write x, 1 MB | 1 | **a** | 12 | 1 |\n|  |  | b | 1 | 3 |\n\
                    | read f.bin | 1 | **a** | 5 | 1 |\n|  |  | b | 10 | 3 |\n\n## c\n\n| read 1 MB | 1 | **c** | 10 | 1 |\n|  |  | *inflate* | 12 | 1 |\n";
        let of = |name| super::table(name, page).lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of("a"), ["| x | 2.0 | 12 |", "| real files | 0.5 |  |"]);
        assert_eq!(of("c"), ["| generated | 1.2 |  |"]);
        assert!(super::table("c", page).starts_with("| how many times as long as inflate "));
    }
}
