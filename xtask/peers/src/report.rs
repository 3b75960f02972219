//! What was measured, as a page.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::cases;
use crate::growth::HEADING;
use crate::measure::{Goal, Outcome, Whose};
use crate::plot;

/// The heading of what is written by hand.
pub const NOTES: &str = "\n## Notes\n";

/// One case for the terminal.
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
        Goal::TimesPeer(wanted) => format!("{ratio:.1} times the best peer, wanted {wanted}"),
        Goal::OfYardstick(wanted) => {
            format!("{ratio:.2} times the yardstick's time, wanted at most {wanted}")
        }
    };
    Some(if reached { text } else { format!("**{text}: missed**") })
}

pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

const HEAD: &str = "\
# Benchmarks

Written by `cargo xtask bench`, which reads and writes the same bytes with our crates and with their peers in one run:
each way once to warm up and to count what it allocates, then all ways in turn, again and again. A time is the median
of the rounds with the least and the greatest beside it, and includes dropping what was made. The rate counts bytes of
the file. Peak memory is what the allocator held at most beyond the input, Rust's or, for the SDK in C, that of C.
Of edits, the size is how many there are and the rate millions of them; what they change is made outside of the time.
Lines in italics are yardsticks: allocating as many bytes and copying them, or decompressing alone. The ratios are what
counts; each section names the machine of its absolute figures, and the command; one that names none is older.

Inputs with a size in their name are generated, so that growth shows; those with a file's name are real files, which
are not part of the repository.
";

/// Writes the page and its plots: the sections of what was measured on `machine`, and all others as they were.
pub fn write(docs: &Path, machine: &str, outcomes: &[Outcome]) -> std::io::Result<()> {
    let path = docs.join("BENCHMARKS.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    let mut page = String::from(HEAD);
    fs::create_dir_all(docs.join("benchmarks"))?;
    for (format, _) in cases::ALL {
        let of: Vec<_> = outcomes.iter().filter(|outcome| outcome.format == *format).collect();
        if of.is_empty() {
            page += section_of(&old, format);
            continue;
        }
        fs::write(docs.join("benchmarks").join(format!("{format}.svg")), plot::bars(&of))?;
        page += &section(format, machine, &of);
    }
    // How it grows is measured apart; what was found out about goals that are missed is written by hand. Both stay.
    if let Some(at) = old.find(HEADING).or_else(|| old.find(NOTES)) {
        page += &old[at..];
    }
    fs::write(path, page)
}

/// The section of a format of a page, if it has one.
fn section_of<'p>(page: &'p str, format: &str) -> &'p str {
    let Some(start) = page.find(&format!("\n## {format}\n")) else { return "" };
    let end = page[start + 1..].find("\n## ").map_or(page.len(), |end| start + 1 + end);
    &page[start..end]
}

fn section(format: &str, machine: &str, outcomes: &[&Outcome]) -> String {
    let mut page = format!(
        "\n## {format}\n\n![Rates of {format} and its peers](benchmarks/{format}.svg)\n\n\
         `cargo xtask bench {format}` on {machine}:\n\n"
    );
    page += "| what | size | whose | MB/s | ms (least to greatest) | peak | against the goal |\n|---|--:|---|--:|--:|--:|---|\n";
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
