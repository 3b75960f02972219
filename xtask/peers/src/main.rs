//! Measures this workspace's crates and their peers on the same bytes, in turn, and writes `docs/BENCHMARKS.md` and the
//! ratios in the READMEs of the crates. `cargo xtask bench [FILTER…]` runs it.

mod cases;
mod measure;
mod report;
mod sdk;

use std::path::PathBuf;

use lexopt::{Arg, ValueExt};
use measure::Whose;

/// The options of the command line.
struct Options {
    /// Run only cases whose names contain one of these texts; all cases if empty.
    filters: Vec<String>,
    /// The sizes of generated inputs, in bytes.
    sizes: Vec<usize>,
    /// The folder in which the report is written; `None` only prints it.
    docs: Option<PathBuf>,
    /// The machine that measures, for the report.
    machine: String,
    /// The number of rounds of each case.
    rounds: usize,
    /// Measure how time and memory of our crates grow, instead of comparing with peers.
    growth: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = Options {
        filters: Vec::new(),
        sizes: vec![1 << 20, 1 << 23, 1 << 25],
        docs: None,
        machine: String::from("an unknown machine"),
        rounds: 5,
        growth: false,
    };
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Arg::Long("docs") => options.docs = Some(args.value()?.parse()?),
            Arg::Long("machine") => options.machine = args.value()?.string()?,
            Arg::Long("rounds") => options.rounds = args.value()?.parse()?,
            // One generated size of this many megabytes, to measure how time and memory grow.
            Arg::Long("megabytes") => options.sizes = vec![args.value()?.parse::<usize>()? << 20],
            Arg::Long("growth") => options.growth = true,
            Arg::Value(filter) => options.filters.push(filter.parse()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.growth {
        options.sizes = vec![1 << 20, 1 << 24, 1 << 28];
    }
    let mut results = Vec::new();
    for (format, make) in cases::ALL {
        // Making cases takes time, so formats that no filter selects are skipped.
        let about = |filter: &String| {
            filter.starts_with(format) || !cases::ALL.iter().any(|(other, _)| filter.starts_with(other))
        };
        if !options.filters.is_empty() && !options.filters.iter().any(about) {
            continue;
        }
        for mut case in make(&options.sizes) {
            case.ways.retain(|way| !options.growth || way.whose == Whose::Ours);
            let name = case.name();
            if options.filters.is_empty()
                || options.filters.iter().any(|filter| name.contains(filter.as_str()))
            {
                let result = measure::take(case, options.rounds);
                print!("{}", report::lines(&result));
                results.push(result);
            }
        }
    }
    if options.growth {
        let all = options.docs.filter(|_| options.filters.is_empty());
        return Ok(all.map_or(Ok(()), |docs| report::write_growth(&docs, &options.machine, &results))?);
    }
    // A section of the page is only written if all of its cases were measured.
    let whole =
        |format: &str| options.filters.is_empty() || options.filters.iter().any(|filter| filter == format);
    results.retain(|result| whole(result.format));
    if let Some(docs) = &options.docs {
        report::write(docs, &options.machine, &results)?;
    }
    Ok(())
}

/// The real files for a format, the largest first; empty if the folder is missing.
fn corpus(format: &str) -> Vec<(String, Vec<u8>)> {
    let samples = testkit::corpus(format).into_iter();
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut files: Vec<_> = samples.map(|sample| (name(&sample.name), sample.bytes)).collect();
    files.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
    files
}
