//! Writes the figures as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::cases;
use crate::measure::{Figures, Goal, Outcome, Whose};

/// The headings of the section that `--growth` writes, and of the notes, which are written by hand.
const GROWTH: &str = "\n## Growth\n";
const NOTES: &str = "\n## Notes\n";

/// One case as lines for the terminal.
pub fn lines(outcome: &Outcome) -> String {
    let mut text = format!("{} {}, {}\n", outcome.format, outcome.what, size(outcome.bytes as u64));
    for figures in &outcome.figures {
        let _infallible = writeln!(
            text,
            "  {:<22} {:>10.1} MB/s  {:>9.3} ms ({:.3} to {:.3})  peak {}",
            figures.name,
            outcome.bytes as f64 / 1e6 / figures.median(),
            figures.median() * 1e3,
            figures.times[0].as_secs_f64() * 1e3,
            figures.times[2].as_secs_f64() * 1e3,
            size(figures.peak),
        );
    }
    if let Some(verdict) = verdict(outcome) {
        let _infallible = writeln!(text, "  {verdict}");
    }
    text
}

fn verdict(outcome: &Outcome) -> Option<String> {
    let (reached, ratio) = outcome.reached()?;
    let text = match outcome.goal? {
        Goal::TimesPeer(wanted) => format!("{ratio:.1} times the best peer, target: {wanted}"),
        Goal::OfYardstick(wanted) => {
            format!("{ratio:.2} times the yardstick's time, target: at most {wanted}")
        }
    };
    Some(if reached { text } else { format!("**{text}: missed**") })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

const HEAD: &str = "\
# Benchmarks

This page compares the speed and the memory of our crates with those of other libraries, called *peers*.
`cargo xtask bench` measures them and writes this page. It reads and writes the same files with each library. First,
each library runs once, to warm up and to count allocations. Then all libraries run alternately for several rounds.

* *ms* is the median time of the rounds, followed by the minimum and the maximum. A time includes the time to drop the
  result.
* *MB/s* is the size of the file in millions of bytes, divided by the median time in seconds.
* *Peak memory* is the largest total size of all allocations at any moment, without the input. For the SDK of Model 3D,
  these are allocations of C's allocator; for all other libraries, of Rust's.
* Rows in italics are *yardsticks*: code that does only a part of the work, such as allocating and copying the same
  number of bytes, or decompressing the file. For `rezstd`, the yardstick is the C library zstd, which does all of it.
* *Result* compares our crate with the fastest peer or with a yardstick. For example, *3.8 times the best peer, target:
  2.5* means that our crate is 3.8 times as fast as the fastest peer, and that it should be at least 2.5 times as fast.
  *1.08 times the yardstick's time, target: at most 1.1* means that our crate takes 1.08 times as long as the yardstick.
  If an operation has two yardsticks, only the one in the upper row counts. A missed target is in bold. An operation
  without a target has no result.
* For *write* of `rbxbinary` and `rbxxml`, the document is unedited, so our crate copies the bytes that it read. The
  peers write every value again.
* For edits, such as *remove 2000 of 115000* (instances), *size* is the number of edits, although it has the unit B or
  kB. *MB/s* is then millions of edits per second. The time of an edit does not include the creation of the document.
* For *save* of Model 3D, *size* is the size of the model as an uncompressed binary file, even if the saved file is
  compressed or a text.

Absolute times depend on the machine, so compare ratios. Each section begins with the command and the machine with which
it was measured. If the name of an input is a file name, the input is a real file, which is not part of the repository.
All other inputs are generated.
";

/// Writes the page and the tables in the READMEs of the format crates. Sections with new figures are replaced; all
/// others stay.
pub fn write(docs: &Path, machine: &str, outcomes: &[Outcome]) -> std::io::Result<()> {
    let path = docs.join("BENCHMARKS.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let mut page = String::from(HEAD);
    for (format, _) in cases::ALL {
        let of: Vec<_> = outcomes.iter().filter(|outcome| outcome.format == *format).collect();
        if of.is_empty() {
            page += section_of(&old, format);
            continue;
        }
        front_page(&docs.join("../crates").join(format).join("README.md"), format, &of)?;
        page += &section(format, machine, &of);
    }
    // The section about growth is written separately, and the notes by hand. Both stay.
    if let Some(at) = old.find(GROWTH).or_else(|| old.find(NOTES)) {
        page += &old[at..];
    }
    fs::write(path, page)
}

/// The section of a format in a page; empty if it has none.
fn section_of<'p>(page: &'p str, format: &str) -> &'p str {
    let Some(start) = page.find(&format!("\n## {format}\n")) else { return "" };
    let end = page[start + 1..].find("\n## ").map_or(page.len(), |end| start + 1 + end);
    &page[start..end]
}

fn section(format: &str, machine: &str, outcomes: &[&Outcome]) -> String {
    let mut page = format!("\n## {format}\n\n`cargo xtask bench {format}` on {machine}:\n\n");
    page += "| operation | size | library | MB/s | ms (min to max) | peak memory | result |\n|---|--:|---|--:|--:|--:|---|\n";
    for outcome in outcomes {
        for (row, figures) in outcome.figures.iter().enumerate() {
            let first = row == 0;
            let name = match figures.whose {
                Whose::Ours => format!("**{}**", figures.name),
                Whose::Peer => figures.name.to_owned(),
                Whose::Yardstick => format!("*{}*", figures.name),
            };
            let _infallible = writeln!(
                page,
                "| {} | {} | {name} | {:.0} | {:.3} ({:.3} to {:.3}) | {} | {} |",
                if first { outcome.what.as_str() } else { "" },
                if first { size(outcome.bytes as u64) } else { String::new() },
                outcome.bytes as f64 / 1e6 / figures.median(),
                figures.median() * 1e3,
                figures.times[0].as_secs_f64() * 1e3,
                figures.times[2].as_secs_f64() * 1e3,
                size(figures.peak),
                if first { verdict(outcome).unwrap_or_default() } else { String::new() },
            );
        }
    }
    page
}

/// Writes the ratios between two comments of a README, if it has them: for each kind of file, the speed relative to the
/// fastest peer or, without peers, the duration relative to the fastest yardstick.
fn front_page(path: &Path, format: &str, outcomes: &[&Outcome]) -> std::io::Result<()> {
    const BEGINS: &str = "<!-- written by cargo xtask bench -->\n";
    let page = fs::read_to_string(path)?;
    let Some((begin, end)) = page.find(BEGINS).zip(page.find("<!-- to here -->\n")) else { return Ok(()) };
    let peers = outcomes.iter().any(|outcome| outcome.best(Whose::Peer).is_some());
    let whose = if peers { Whose::Peer } else { Whose::Yardstick };
    let mut kinds: Vec<(&str, [Vec<f64>; 2])> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for outcome in outcomes {
        let Some((operation, what)) = outcome.what.split_once(' ') else { continue };
        let Some(at) = ["read", "write"].iter().position(|name| operation.replace("save", "write") == *name)
        else {
            continue;
        };
        let Some((ours, best)) = outcome.ours().zip(outcome.best(whose)) else { continue };
        let kind = match what.split_once(", ") {
            Some((kind, _)) => kind,
            None if what.ends_with(" MB") => "generated",
            None => "real files",
        };
        if !kinds.iter().any(|(name, _)| *name == kind) {
            kinds.push((kind, Default::default()));
        }
        let (_, ratios) = kinds.iter_mut().find(|(name, _)| *name == kind).expect("just pushed");
        let ratio = best.median() / ours.median();
        ratios[at].push(if peers { ratio } else { 1.0 / ratio });
        names.extend(Some(best.name).filter(|name| !names.contains(name)));
    }
    let compared = match peers {
        true => "how many times as fast as the fastest other library".to_owned(),
        false => format!("duration relative to {}", names.join(" and ")),
    };
    let mut table =
        format!("| {compared} (`cargo xtask bench {format}`) | reading | writing |\n|---|---|---|\n");
    for (kind, [reading, writing]) in &kinds {
        let _infallible = writeln!(table, "| {kind} | {} | {} |", range(reading), range(writing));
    }
    fs::write(path, [&page[..begin], BEGINS, &table, &page[end..]].concat())
}

/// The range from the least to the greatest ratio, as text.
fn range(ratios: &[f64]) -> String {
    let shown = |ratio: f64| if ratio < 9.95 { format!("{ratio:.1}") } else { format!("{ratio:.0}") };
    let (least, greatest) = ratios.iter().fold((f64::MAX, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    match (ratios, shown(least) == shown(greatest)) {
        ([], _) => String::new(),
        (_, true) => shown(least),
        (_, false) => format!("{} to {}", shown(least), shown(greatest)),
    }
}

/// Writes the section about growth: a row for each task that was measured with several sizes in megabytes.
pub fn write_growth(docs: &Path, machine: &str, outcomes: &[Outcome]) -> std::io::Result<()> {
    let mut rows: BTreeMap<String, BTreeMap<usize, &Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        let sized = outcome.what.strip_suffix(" MB").and_then(|what| what.rsplit_once(' '));
        if let Some((what, Ok(size))) = sized.map(|(what, size)| (what, size.parse())) {
            rows.entry(format!("{} {}", outcome.format, what.trim_end_matches(',')))
                .or_default()
                .insert(size, outcome);
        }
    }
    let mut section = format!(
        "{GROWTH}\n`cargo xtask bench --growth` measures how the time and the memory of our crates grow\n\
         with the size of the input. The inputs are generated. *ns/B* is the time in nanoseconds per byte of the file.\n\
         *held/B* is the peak memory in bytes per byte of the file, without the input. Measured on {machine}:\n\n\
         | what | ns/B | held/B |\n|---|--:|--:|\n"
    );
    for (what, sizes) in rows {
        let each = |show: &dyn Fn(&Outcome, &Figures) -> f64| -> Vec<String> {
            let figures = sizes.iter().filter_map(|(size, outcome)| Some((size, *outcome, outcome.ours()?)));
            figures.map(|(size, outcome, ours)| format!("{size} MB: {:.2}", show(outcome, ours))).collect()
        };
        let time = each(&|outcome, ours| ours.median() * 1e9 / outcome.bytes as f64);
        let held = each(&|outcome, ours| ours.peak as f64 / outcome.bytes as f64);
        let _infallible = writeln!(section, "| {what} | {} | {} |", time.join(", "), held.join(", "));
    }
    let path = docs.join("BENCHMARKS.md");
    let page = fs::read_to_string(&path)?;
    let notes = page.find(NOTES).unwrap_or(page.len());
    let before = page.find(GROWTH).unwrap_or(notes).min(notes);
    fs::write(path, [&page[..before], &section, &page[notes..]].concat())
}

#[cfg(test)]
mod tests {
    #[test]
    fn ranges() {
        assert_eq!(
            [super::range(&[2.0, 12.0]), super::range(&[0.5]), super::range(&[])],
            ["2.0 to 12", "0.5", ""]
        );
    }
}
