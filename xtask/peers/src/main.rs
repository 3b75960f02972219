//! Measures this workspace's crates and their peers on the same bytes, in turn, and writes the figures into the tables of
//! docs/BENCHMARKS.md. `cargo xtask bench [FILTER…]` runs it.

mod documents;
mod meshes;
mod sdk;
mod values;

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Does a task this many times, and returns the total duration.
type Way = Box<dyn FnMut(u32) -> Duration>;

/// A row of a table: the same task, done by our crate, by peers, and by the C library.
pub struct Row {
    section: &'static str,
    name: String,
    ours: Way,
    peers: Vec<Way>,
    in_c: Option<Way>,
}

/// A way to do a task. Dropping the result is part of the measured time, since every user pays for it.
fn way<T>(mut run: impl FnMut() -> T + 'static) -> Way {
    Box::new(move |times| {
        let start = Instant::now();
        (0..times).for_each(|_| drop(black_box(run())));
        start.elapsed()
    })
}

/// A way that changes a value, which is made again for each run, outside of the measured time.
fn change<T>(mut make: impl FnMut() -> T + 'static, mut run: impl FnMut(&mut T) + 'static) -> Way {
    let mut once = move || {
        let mut made = make();
        let start = Instant::now();
        run(black_box(&mut made));
        start.elapsed()
    };
    Box::new(move |times| (0..times).map(|_| once()).sum())
}

impl Row {
    fn new<T>(section: &'static str, name: impl Into<String>, ours: impl FnMut() -> T + 'static) -> Self {
        Self { section, name: name.into(), ours: way(ours), peers: Vec::new(), in_c: None }
    }

    fn peer<T>(mut self, run: impl FnMut() -> T + 'static) -> Self {
        self.peers.push(way(run));
        self
    }
}

/// The median time of a run in milliseconds, and the most bytes that a run allocates at once.
#[derive(Clone, Copy)]
struct Figures {
    time: f64,
    peak: u64,
}

/// Runs the ways once, which measures memory, and then in turn for three rounds.
fn measured(ways: &mut [&mut Way]) -> Vec<Figures> {
    let once = |way: &mut &mut Way| {
        let (mut in_c, mut time) = (0, Duration::ZERO);
        let taken = allocation_counter::measure(|| in_c = sdk::peak(|| time = way(1)));
        // No way allocates with both allocators. A run is repeated until it takes 5 ms.
        let repeats = (5_000_000 / time.as_nanos().max(50)).min(100_000) as u32 + 1;
        (taken.bytes_max.max(in_c), repeats)
    };
    let prepared: Vec<(u64, u32)> = ways.iter_mut().map(once).collect();
    let mut rounds = vec![Vec::new(); ways.len()];
    for _ in 0..3 {
        for ((way, times), &(_, repeats)) in ways.iter_mut().zip(&mut rounds).zip(&prepared) {
            times.push((way(repeats) / repeats).as_secs_f64() * 1e3);
        }
    }
    let figures = rounds.into_iter().zip(prepared).map(|(mut times, (peak, _))| {
        times.sort_by(f64::total_cmp);
        Figures { time: times[1], peak }
    });
    figures.collect()
}

/// A number with two digits, or all digits before the point.
fn number(value: f64) -> String {
    let places = [(0.1, 3), (1.0, 2), (10.0, 1)].into_iter().find(|(below, _)| value < *below);
    let text = format!("{value:.*}", places.map_or(0, |(_, places)| places));
    let start = text.split('.').next().map_or(0, str::len);
    if start > 3 && !text.contains('.') {
        format!("{},{}", &text[..start - 3], &text[start - 3..])
    } else {
        text
    }
}

/// The cells of a row, by the heads of its table.
fn cells(heads: &[&str], row: &mut Row) -> Vec<String> {
    let count = row.peers.len();
    let mut ways: Vec<&mut Way> =
        [&mut row.ours].into_iter().chain(&mut row.peers).chain(&mut row.in_c).collect();
    let figures = measured(&mut ways);
    let ours = figures[0];
    let best = figures[1..=count].iter().copied().min_by(|a, b| a.time.total_cmp(&b.time));
    let ms = |figures: Option<Figures>| figures.map_or("–".into(), |f| format!("{} ms", number(f.time)));
    let megabytes = |figures: Figures| number(figures.peak as f64 / 1e6);
    let cell = |head: &&str| match (*head, best) {
        ("operation", _) => row.name.clone(),
        ("ours", _) => ms(Some(ours)),
        ("times as fast", Some(best)) => number(best.time / ours.time),
        ("duration", Some(best)) => format!("{:.2}", ours.time / best.time),
        ("C", _) => ms(figures.get(count + 1).copied()),
        ("memory", Some(best)) if row.section != "rezkit" => {
            format!("{}, {} MB", megabytes(ours), megabytes(best))
        }
        ("memory" | "our memory", _) => format!("{} MB", megabytes(ours)),
        (_, best) => ms(best),
    };
    heads.iter().map(cell).collect()
}

/// Measures the rows whose section or name contains one of the filters, and replaces their lines in the page.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("the page")?;
    let filters: Vec<String> = args.collect();
    let mut page: Vec<String> = std::fs::read_to_string(&path)?.lines().map(str::to_owned).collect();
    for mut row in documents::rows().chain(meshes::rows()).chain(values::rows()) {
        let name = format!("{} {}", row.section, row.name);
        if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter.as_str())) {
            continue;
        }
        let section = page.iter().position(|line| *line == format!("## {}", row.section)).ok_or(name)?;
        let table =
            section + page[section..].iter().position(|line| line.starts_with('|')).ok_or("a table")?;
        let heads = page[table].clone();
        let heads: Vec<&str> = heads.trim_matches('|').split('|').map(str::trim).collect();
        let end =
            table + page[table..].iter().position(|line| !line.starts_with('|')).ok_or("a table's end")?;
        let start = format!("| {} |", row.name);
        let line = format!("| {} |", cells(&heads, &mut row).join(" | "));
        println!("{}: {line}", row.section);
        match page[table..end].iter().position(|line| line.starts_with(&start)) {
            Some(at) => page[table + at] = line,
            None => page.insert(end, line),
        }
    }
    Ok(std::fs::write(path, page.join("\n") + "\n")?)
}

/// A real file; `None` if it is missing.
fn real(format: &str, name: &str) -> Option<Vec<u8>> {
    let mut samples = testkit::corpus(format).into_iter();
    samples.find(|sample| sample.name.ends_with(name)).map(|sample| sample.bytes)
}

/// A random number generator with the same numbers on every run.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Between −1 and 1.
    fn unit(&mut self) -> f32 {
        self.next() as f32 / (1_u64 << 30) as f32 - 1.0
    }
}

/// One megabyte, and 32.
const SIZES: [(&str, usize); 2] = [("1 MB", 1 << 20), ("32 MB", 1 << 25)];
