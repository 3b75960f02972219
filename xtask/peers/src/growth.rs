//! How time and memory per byte grow with the size of the input, ours alone: from 1 MB to 1 GB they are meant to stay
//! flat. Run by `cargo xtask bench --growth [FILTER…]`.

use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cases::growing;

/// The sizes, in megabytes.
pub const SIZES: [usize; 4] = [1, 16, 256, 1024];

/// What may be allocated while reading: more than the default, which would not do for the largest.
pub const MAX_BYTES: u64 = 1 << 36;

/// What is measured of one size.
struct Figure {
    /// Bytes of the file.
    bytes: usize,
    time: Duration,
    /// The most bytes that were held at once beyond the input.
    peak: u64,
}

/// Takes what a format reads and writes.
pub struct Growth {
    filters: Vec<String>,
    table: String,
}

impl Growth {
    /// Measures reading and writing of files that `make` makes, of each size.
    pub fn take<M>(
        &mut self,
        name: &str,
        make: impl Fn(usize) -> Vec<u8>,
        read: impl Fn(&[u8]) -> M,
        write: impl Fn(&M) -> Vec<u8>,
    ) {
        if !self.filters.is_empty() && !self.filters.iter().any(|filter| name.contains(filter.as_str())) {
            return;
        }
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for size in SIZES {
            let bytes = make(size << 20);
            reads.push(measure(bytes.len(), || drop(black_box(read(&bytes)))));
            let model = read(&bytes);
            drop(bytes);
            let mut len = 0;
            let figure = measure(0, || len = black_box(write(&model)).len());
            writes.push(Figure { bytes: len, ..figure });
        }
        self.row(&format!("{name}, read"), &reads);
        self.row(&format!("{name}, write"), &writes);
    }

    fn row(&mut self, name: &str, figures: &[Figure]) {
        let per_byte = |figure: &Figure| figure.time.as_secs_f64() * 1e9 / figure.bytes as f64;
        let held = |figure: &Figure| figure.peak as f64 / figure.bytes as f64;
        let mut row = format!("| {name}");
        for figure in figures {
            let _infallible = write!(row, " | {:.2}", per_byte(figure));
        }
        for figure in figures {
            let _infallible = write!(row, " | {:.2}", held(figure));
        }
        let largest = figures.last().map_or(0, |figure| figure.bytes);
        let _infallible = writeln!(row, " | {} |", crate::report::size(largest as u64));
        print!("{row}");
        self.table += &row;
    }
}

/// The least time of some runs, and what one takes at most.
fn measure(bytes: usize, mut run: impl FnMut()) -> Figure {
    let begun = Instant::now();
    let taken = allocation_counter::measure(&mut run);
    let mut least = begun.elapsed();
    // Long ones are long enough to be measured a few times only.
    let mut runs = 1;
    while runs < 200 && begun.elapsed() < Duration::from_secs(2) {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed());
        runs += 1;
    }
    Figure { bytes, time: least, peak: taken.bytes_max }
}

/// The heading of the section, by which the page is cut.
pub const HEADING: &str = "\n## Growth\n";

/// Measures all that is asked for, and writes the section of the page.
pub fn run(filters: Vec<String>, docs: Option<&Path>) -> std::io::Result<()> {
    let all = filters.is_empty();
    let mut growth = Growth { filters, table: String::new() };
    growing(&mut growth);
    let (Some(docs), true) = (docs, all) else { return Ok(()) };
    let mut section = format!(
        "{HEADING}\nWritten by `cargo xtask bench --growth`: time and memory per byte of the file, ours alone, on generated inputs. A\n\
         time is the least of the runs of two seconds, memory what is held at most beyond the input. The sizes are those of the\n\
         content, which is smaller where it is compressed; the last column is the largest file.\n\n| what"
    );
    for size in SIZES {
        let _infallible = write!(section, " | ns/B, {size} MB");
    }
    for size in SIZES {
        let _infallible = write!(section, " | held/B, {size} MB");
    }
    section += " | largest |\n|---";
    section += &"|--:".repeat(2 * SIZES.len() + 1);
    section += "|\n";
    section += &growth.table;
    let path = docs.join("BENCHMARKS.md");
    let page = fs::read_to_string(&path).unwrap_or_default();
    let notes = page.find(crate::report::NOTES).unwrap_or(page.len());
    let before = page.find(HEADING).unwrap_or(notes).min(notes);
    fs::write(path, [&page[..before], &section, &page[notes..]].concat())
}
