//! Calls the function of each format with its fixtures, whole and damaged.

mod constructs;

use std::path::Path;
use std::sync::Mutex;

use hostile::FORMATS;
use testkit::{Rng, mutate};

/// Critical numbers for a text.
const HURTS: &str =
    "0 -1 1e38 -1e39 nan inf 4294967295 4294967296 2147483647 65536 1e9 18446744073709551615 1e-45";

/// The number of damaged copies of each file.
const DAMAGED: usize = 2;

/// The valid files of a format.
fn seeds(format: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seeds = Vec::new();
    for folder in ["fixtures/FORMAT", "xtask/hostile/samples/FORMAT", "crates/FORMAT/tests/frames"] {
        let folder = root.join(folder.replace("FORMAT", format));
        if folder.is_dir() {
            let mut add = |path: &Path| seeds.extend(std::fs::read(path));
            testkit::files(&folder, &mut add).expect("a folder of the repository");
        }
    }
    assert!(!seeds.is_empty(), "{format}");
    seeds
}

/// Replaces a number in a text by a critical one.
fn number(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let hurts: Vec<_> = HURTS.split(' ').collect();
    let begins = |at: &usize| bytes[*at].is_ascii_digit() && (*at == 0 || !bytes[at - 1].is_ascii_digit());
    let starts: Vec<usize> = (0..bytes.len()).filter(begins).collect();
    if !starts.is_empty() {
        let at = starts[rng.below(starts.len())];
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        bytes.splice(at..at + length, hurts[rng.below(hurts.len())].bytes());
    }
}

#[test]
fn damaged_files_break_nothing() {
    let files = FORMATS.iter().flat_map(|(format, run)| seeds(format).into_iter().map(|seed| (*run, seed)));
    let left = Mutex::new(files.collect::<Vec<_>>().into_iter());
    let next = || left.lock().expect("another thread failed").next();
    // If a function panics, the scope ends with a panic.
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((run, seed)) = next() {
                    let mut rng = Rng(seed.len() as u64);
                    run(&seed);
                    for turn in 0..DAMAGED {
                        let mut damaged = if turn % 3 == 0 { seed.clone() } else { mutate(&seed, &mut rng) };
                        if turn % 3 < 2 && std::str::from_utf8(&seed).is_ok() {
                            number(&mut damaged, &mut rng);
                        }
                        run(&damaged);
                    }
                }
            });
        }
    });
}
