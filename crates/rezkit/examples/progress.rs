//! Checks many files with a line of progress, and stops at the first error or on request: each call works on one file, so
//! a program shows its progress, uses its own threads and stops between files:
//! `cargo run --example progress FILE…`.
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "printing is what it is for")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Set by a button, a signal or a time limit.
static STOP: AtomicBool = AtomicBool::new(false);

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while !STOP.load(Ordering::Relaxed)
            && let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let checked = std::fs::read(path).map_err(rezkit::Error::unreadable).and_then(|bytes| {
                // The limit of memory is for each file.
                rezkit::ReadOptions::new().max_bytes(256 << 20).open(bytes, path, ())?.check(&[], None)
            });
            match checked {
                Ok(findings) => println!("{path}: {} findings", findings.len()),
                Err(error) => {
                    println!("{path}: {error}");
                    STOP.store(true, Ordering::Relaxed);
                }
            }
            let count = done.fetch_add(1, Ordering::Relaxed) + 1;
            eprint!("\r{count} of {}", paths.len());
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(work)));
    eprintln!();
}
