//! Code that the tests of all format crates share: finds fixtures and real files, makes broken input, and counts the
//! memory that a read allocates.
//!
//! A crate's tests call [`fixtures`], [`corpus`] and [`Hostile::run`]. Code for a single format stays in that format's
//! tests.

mod changes;
mod files;

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use allocation_counter::measure;
pub use changes::{changes_are_noticed, each_change};
pub use files::files;

/// A file for a test.
#[derive(Debug)]
pub struct Sample {
    /// Its path, relative to the folder of samples.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/testkit lies two deep")
        .to_path_buf()
}

/// The fixtures of a crate: every file under `fixtures/<name>` except the manifest, in order of names.
///
/// # Panics
/// If they are missing: they are part of the repository.
pub fn fixtures(name: &str) -> Vec<Sample> {
    let samples = samples(&root().join("fixtures").join(name));
    assert!(!samples.is_empty(), "fixtures/{name} is empty: run `cargo xtask fixtures`");
    samples
}

/// One fixture of a crate.
///
/// # Panics
/// If it is missing.
pub fn fixture(name: &str, file: &str) -> Vec<u8> {
    let path = root().join("fixtures").join(name).join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads and writes each fixture of a crate, and compares the result with the grade in the manifest: `exact` must come
/// back as the same file, `model` as a different one, and `failed` must be refused. `same` compares files whose bytes
/// differ, since compressed files with the same content count as the same.
///
/// # Panics
/// If a fixture does not come back as its grade demands, or has no grade.
pub fn fixtures_come_back<E: std::fmt::Display>(
    name: &str,
    same: impl Fn(&[u8], &[u8]) -> bool,
    again: impl Fn(&str, &[u8]) -> Result<Vec<u8>, E>,
) {
    let manifest = String::from_utf8(fixture(name, "manifest.tsv")).expect("UTF-8");
    let entry = |line: &str| Some((line.split('\t').nth(1)?.to_owned(), line.split('\t').next()?.to_owned()));
    let grades: std::collections::HashMap<String, String> = manifest.lines().filter_map(entry).collect();
    let same = |a: &[u8], b: &[u8]| a == b || same(a, b);
    for Sample { name, bytes } in fixtures(name) {
        match (grades.get(&name).map(String::as_str), again(&name, &bytes)) {
            (Some("exact"), Ok(written)) => assert!(same(&bytes, &written), "{name}: another file"),
            (Some("model"), Ok(written)) => assert!(!same(&bytes, &written), "{name}: exact, by now"),
            (Some("failed"), Err(_)) => {}
            (grade, Ok(_)) => panic!("{name}: written, although its grade is {grade:?}"),
            (grade, Err(error)) => panic!("{name}: {error}, although its grade is {grade:?}"),
        }
    }
}

/// The real files for a crate, which are not part of the repository: every file under `../shared/corpus/<name>`, or
/// under `<name>` in the folder that the variable `CORPUS` names. If the folder is missing, prints a line and returns
/// an empty list.
pub fn corpus(name: &str) -> Vec<Sample> {
    let folder = corpus_folder(name);
    if !folder.is_dir() {
        eprintln!("skipped: no real files, {} is missing", folder.display());
        return Vec::new();
    }
    samples(&folder)
}

/// The folder of the real files for a crate.
pub fn corpus_folder(name: &str) -> PathBuf {
    let folder = std::env::var_os("CORPUS").map(PathBuf::from);
    folder.unwrap_or_else(|| shared_folder().join("corpus")).join(name)
}

/// The folder `../shared` beside the checkout, or the one that the variable `REZKIT_SHARED` names. The gate runs the tests
/// that ask for it a second time with a missing folder, as in a fresh clone: `REZKIT_SHARED_USES` names the file in which
/// each such test is noted, with its program and the folder in which it runs.
fn shared_folder() -> PathBuf {
    if let Some(list) = std::env::var_os("REZKIT_SHARED_USES")
        && let (Some(test), Ok(program), Ok(folder)) =
            (std::thread::current().name(), std::env::current_exe(), std::env::current_dir())
    {
        let line = format!("{}|{}\t{test}\n", program.display(), folder.display());
        let file = fs::OpenOptions::new().create(true).append(true).open(&list);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list of the gate");
    }
    std::env::var_os("REZKIT_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from)
}

/// The real Roblox documents that Studio saved both as binary and as XML: the name and the bytes of the binary file,
/// and the bytes of the XML file.
pub fn twins() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let key = |name: &str| {
        let (stem, _) = name.rsplit_once('.')?;
        let ends = ["binary", "Binary", "xml", "Xml"];
        ends.into_iter().find_map(|end| stem.strip_suffix(end)).map(str::to_owned)
    };
    let mut others: std::collections::BTreeMap<_, _> =
        corpus("rbxxml").into_iter().filter_map(|sample| Some((key(&sample.name)?, sample.bytes))).collect();
    let pairs = corpus("rbxbinary").into_iter().filter_map(|sample| {
        let other = others.remove(&key(&sample.name)?)?;
        Some((sample.name, sample.bytes, other))
    });
    pairs.collect()
}

/// A file of `../shared`; `None` if it cannot be read.
pub fn shared(file: &str) -> Option<Vec<u8>> {
    fs::read(shared_folder().join(file)).ok()
}

/// The test vectors of a format, and whether they are those of another project, in the file that the variable `VECTORS`
/// names. If not, they are those of `../shared/vectors/<name>`, whose number is known; `None` if that file is missing.
///
/// # Panics
/// If the file that was given cannot be read.
pub fn vectors(name: &str) -> Option<(Vec<u8>, bool)> {
    match std::env::var_os("VECTORS") {
        Some(path) => {
            let bytes = fs::read(&path);
            Some((bytes.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&path).display())), true))
        }
        None => Some((shared(&format!("vectors/{name}"))?, false)),
    }
}

/// The files that the test vectors describe: those in the folder that the variable `VECTOR_FILES` names, or else the
/// real files for a crate.
pub fn vector_files(name: &str) -> Vec<Sample> {
    std::env::var_os("VECTOR_FILES").map_or_else(|| corpus(name), |folder| samples(Path::new(&folder)))
}

fn samples(folder: &Path) -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut sample = |path: &Path| {
        if !path.ends_with("manifest.tsv")
            && let (Ok(name), Ok(bytes)) = (path.strip_prefix(folder), fs::read(path))
        {
            // With `/` on every system, since tests and manifests compare names.
            samples.push(Sample { name: name.to_string_lossy().replace('\\', "/"), bytes });
        }
    };
    files(folder, &mut sample).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    samples.sort_by(|a, b| a.name.cmp(&b.name));
    samples
}

/// A random number generator (SplitMix64) with the same numbers on every run.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and nobody iterates over it")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which must not be 0.
    #[allow(clippy::cast_possible_truncation, reason = "below a usize")]
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Damages a copy of the bytes one to three times. Each time, it flips a bit, replaces one byte by a random one or four
/// bytes by a number that is critical as a count, removes a piece, or duplicates one.
pub fn mutate(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    const HURTS: [u32; 10] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        match rng.below(8) {
            0 | 1 => bytes[at] ^= 1 << rng.below(8),
            2 | 3 => bytes[at] = rng.next().to_le_bytes()[0],
            4 | 5 => {
                let value = HURTS[rng.below(HURTS.len())];
                let value = if rng.below(2) == 0 { value.to_le_bytes() } else { value.to_be_bytes() };
                for (byte, new) in bytes[at..].iter_mut().zip(value) {
                    *byte = new;
                }
            }
            6 => {
                let len = (1 + rng.below(8)).min(bytes.len() - at);
                bytes.drain(at..at + len);
            }
            _ => {
                let piece = bytes[at..(at + 1 + rng.below(32)).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

/// A test of how a format crate reads broken input.
pub struct Hostile<'a> {
    /// The folder of the fixtures.
    pub name: &'a str,
    /// Reads, and does everything else with the result: writes, checks and converts it. An error is allowed; it is
    /// returned as text.
    pub read: &'a (dyn Fn(&[u8]) -> Result<(), String> + Sync),
    /// Only reads; the memory of this call is measured.
    pub only_read: &'a (dyn Fn(&[u8]) -> bool + Sync),
    /// The most bytes that reading an input of this length may allocate at once.
    pub bound: &'a (dyn Fn(usize) -> u64 + Sync),
    /// The number of mutations of each fixture.
    pub mutations: usize,
    /// Whether the format stores counts and sizes as binary numbers, so that wrong ones are tried at every offset.
    pub counts: bool,
}

/// Wrong counts and sizes of several widths and both byte orders.
const LIES: [&[u8]; 9] = [
    &[0xff],
    &[0, 0],
    &[0xff, 0xff],
    &[0xff, 0x7f],
    &[0; 4],
    &[0xff; 4],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0x7f, 0xff, 0xff, 0xff],
    &[0, 0, 0, 0x80],
];

impl std::fmt::Debug for Hostile<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Hostile({})", self.name)
    }
}

impl Hostile<'_> {
    /// Tries one input. It may be read or refused, but reading it may not take too much memory.
    ///
    /// # Panics
    /// If reading it takes more memory than the bound, if it panics, and if the text of the error is empty or ends with
    /// a period.
    pub fn one(&self, what: &dyn Fn() -> String, bytes: &[u8]) {
        let taken = measure(|| {
            (self.only_read)(bytes);
        });
        let bound = (self.bound)(bytes.len());
        assert!(
            taken.bytes_max <= bound,
            "{}: reading {} bytes held {}, the bound is {bound}",
            what(),
            bytes.len(),
            taken.bytes_max,
        );
        if let Err(text) = (self.read)(bytes) {
            assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text:?} is no good text", what());
        }
    }

    /// Tries truncations, wrong counts at every offset, and many mutations of every fixture. Files of up to 2,000 bytes are
    /// cut at every byte. Prints the number of inputs (see it with `--nocapture`).
    ///
    /// # Panics
    /// As [`Hostile::one`].
    #[allow(clippy::print_stdout, reason = "the number of inputs")]
    pub fn run(&self) {
        let tried = AtomicUsize::new(0);
        let samples = Mutex::new(fixtures(self.name).into_iter());
        let next = || samples.lock().expect("another thread failed").next();
        // Each thread counts its own allocations.
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    while let Some(sample) = next() {
                        tried.fetch_add(self.damages(&sample), Ordering::Relaxed);
                    }
                });
            }
        });
        println!("{}: {} broken inputs", self.name, tried.into_inner());
    }

    /// Damages one fixture in all of these ways, and returns the number of inputs.
    fn damages(&self, Sample { name, bytes }: &Sample) -> usize {
        let mut tried = self.mutations;
        for len in (0..bytes.len()).step_by(1 + bytes.len() / 2000) {
            self.one(&|| format!("{name} cut to {len}"), &bytes[..len]);
            tried += 1;
        }
        // Each third one at each offset, so that all are tried at three offsets in a row.
        let lies = |at| LIES.into_iter().skip(at % 3).step_by(3).map(move |lie| (at, lie));
        for (at, lie) in (0..bytes.len()).flat_map(lies) {
            if self.counts && at + lie.len() <= bytes.len() && !bytes[at..].starts_with(lie) {
                let mut broken = bytes.clone();
                broken[at..at + lie.len()].copy_from_slice(lie);
                self.one(&|| format!("{name}, {lie:x?} at {at:#x}"), &broken);
                tried += 1;
            }
        }
        let mut rng = Rng(0x5eed);
        for turn in 0..self.mutations {
            let broken = mutate(bytes, &mut rng);
            self.one(&|| format!("{name}, mutation {turn}"), &broken);
        }
        tried
    }
}

impl Hostile<'_> {
    /// Tries every fixture with its pieces (chunks, blocks, elements) doubled, left out and reordered.
    ///
    /// # Panics
    /// As [`Hostile::one`]; and if no fixture has pieces.
    pub fn rearranged(&self, pieces: &dyn Fn(&[u8]) -> Vec<Range<usize>>) {
        let mut tried = 0;
        for Sample { name, bytes } in fixtures(self.name) {
            let pieces = pieces(&bytes);
            let mut rng = Rng(0x5eed);
            for turn in 0..if pieces.is_empty() { 0 } else { 300 } {
                self.one(&|| format!("{name}, order {turn}"), &rearrange(&bytes, &pieces, &mut rng));
                tried += 1;
            }
        }
        assert!(tried > 0, "no fixture of {} has pieces", self.name);
    }
}

/// The pieces of a text, each of which ends with one of these bytes.
pub fn pieces_up_to(bytes: &[u8], ends: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let pieces = bytes.split_inclusive(|byte| ends.contains(byte)).map(|piece| {
        let range = start..start + piece.len();
        start = range.end;
        range
    });
    pieces.collect()
}

/// Doubles, leaves out or swaps one to four pieces. The bytes between two pieces belong to the second one.
fn rearrange(bytes: &[u8], pieces: &[Range<usize>], rng: &mut Rng) -> Vec<u8> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    for _ in 0..=rng.below(4) {
        let Some(last) = order.len().checked_sub(1) else { break };
        let (one, other) = (rng.below(last + 1), rng.below(last + 1));
        match rng.below(3) {
            0 => order.insert(other, order[one]),
            1 => drop(order.remove(one)),
            _ => order.swap(one, other),
        }
    }
    let start = |piece: usize| if piece == 0 { pieces[0].start } else { pieces[piece - 1].end };
    let mut arranged = bytes[..pieces[0].start].to_vec();
    for piece in order {
        arranged.extend_from_slice(&bytes[start(piece)..pieces[piece].end]);
    }
    arranged.extend_from_slice(&bytes[pieces[pieces.len() - 1].end..]);
    arranged
}

/// A writer with space for a limited number of bytes, like a disk.
#[derive(Debug)]
pub struct Disk {
    /// How many more bytes fit.
    pub space: usize,
    /// The number of bytes written.
    pub written: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // At most 4 KiB at a time, as a pipe accepts them.
        let taken = bytes.len().min(self.space).min(4096);
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        (self.space, self.written) = (self.space - taken, self.written + taken);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes every fixture to disks with too little space, and to one with just enough. `write` returns `None` if a
/// fixture cannot be read, otherwise whether it was written; `write` itself must check that an error is an `Io` error.
///
/// # Panics
/// If writing to a full disk succeeds, if writing fails although everything fits, and if no fixture can be read.
pub fn full_disks(name: &str, write: &dyn Fn(&[u8], &mut Disk) -> Option<bool>) {
    let mut written = 0;
    for Sample { name, bytes } in fixtures(name) {
        let mut disk = Disk { space: usize::MAX, written: 0 };
        let Some(whole) = write(&bytes, &mut disk) else { continue };
        assert!(whole, "{name}");
        let len = disk.written;
        for space in [0, 1, len / 2, len.saturating_sub(1)] {
            let fits = write(&bytes, &mut Disk { space, written: 0 });
            assert_eq!(fits, Some(space >= len), "{name}: {len} bytes on a disk of {space}");
        }
        assert_eq!(write(&bytes, &mut Disk { space: len, written: 0 }), Some(true), "{name}");
        written += 1;
    }
    assert!(written > 0, "no fixture of {name} reads");
}

/// Runs the examples of the workspace's README as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
