//! Times the ways of doing one thing in turn, and counts what each takes at most.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::sdk;

/// One thing that is done in several ways on the same bytes.
pub struct Case {
    /// The crate that it is about.
    pub format: &'static str,
    /// What is done: `read LZ4 place`.
    pub what: String,
    /// What the rate counts: bytes of the file, read or written.
    pub bytes: usize,
    /// How many times as fast as the best peer, ours is meant to be.
    pub goal: Option<Goal>,
    /// The ways, ours first.
    pub ways: Vec<Way>,
}

/// What ours is measured against.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// At least this many times as fast as the fastest peer.
    TimesPeer(f64),
    /// At most this many times as long as the first yardstick.
    OfYardstick(f64),
}

/// Whose way it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Ours,
    Peer,
    /// For comparison: copying, or decompressing alone.
    Yardstick,
}

/// One way of doing it.
pub struct Way {
    pub whose: Whose,
    pub name: &'static str,
    /// Does it so many times, and gives how long that took in all.
    run: Box<dyn FnMut(u32) -> Duration>,
}

/// What was measured of one way.
pub struct Figures {
    pub whose: Whose,
    pub name: &'static str,
    /// The least, the median and the greatest time of one run.
    pub times: [Duration; 3],
    /// The most bytes that one run takes at once, by the allocator of Rust or of C.
    pub peak: u64,
}

/// What was measured of one case.
pub struct Outcome {
    pub format: &'static str,
    pub what: String,
    pub bytes: usize,
    pub goal: Option<Goal>,
    pub figures: Vec<Figures>,
}

impl Case {
    pub fn new(format: &'static str, what: impl Into<String>, bytes: usize) -> Self {
        Self { format, what: what.into(), bytes, goal: None, ways: Vec::new() }
    }

    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = Some(goal);
        self
    }

    /// A way of doing it. What it makes is dropped outside of the measured time only if that is
    /// the same for all: here dropping counts, since every user pays for it.
    pub fn way<T>(mut self, whose: Whose, name: &'static str, mut run: impl FnMut() -> T + 'static) -> Self {
        let run = Box::new(move |times| {
            let start = Instant::now();
            (0..times).for_each(|_| drop(black_box(run())));
            start.elapsed()
        });
        self.ways.push(Way { whose, name, run });
        self
    }

    /// A way of changing something, which is made again for each run, outside of the measured time.
    pub fn way_in<T>(
        mut self,
        whose: Whose,
        name: &'static str,
        mut make: impl FnMut() -> T + 'static,
        mut run: impl FnMut(&mut T) + 'static,
    ) -> Self {
        let mut once = move || {
            let mut made = make();
            let start = Instant::now();
            run(black_box(&mut made));
            start.elapsed()
        };
        self.ways.push(Way { whose, name, run: Box::new(move |times| (0..times).map(|_| once()).sum()) });
        self
    }

    pub fn ours_in<T>(self, make: impl FnMut() -> T + 'static, run: impl FnMut(&mut T) + 'static) -> Self {
        let name = self.format;
        self.way_in(Whose::Ours, name, make, run)
    }

    pub fn peer_in<T>(
        self,
        name: &'static str,
        make: impl FnMut() -> T + 'static,
        run: impl FnMut(&mut T) + 'static,
    ) -> Self {
        self.way_in(Whose::Peer, name, make, run)
    }

    pub fn ours<T>(self, run: impl FnMut() -> T + 'static) -> Self {
        let name = self.format;
        self.way(Whose::Ours, name, run)
    }

    pub fn peer<T>(self, name: &'static str, run: impl FnMut() -> T + 'static) -> Self {
        self.way(Whose::Peer, name, run)
    }

    /// A peer that is too slow for large inputs: it takes part up to a size.
    pub fn peer_up_to<T>(
        self,
        most: usize,
        size: usize,
        name: &'static str,
        run: impl FnMut() -> T + 'static,
    ) -> Self {
        if size <= most { self.peer(name, run) } else { self }
    }

    pub fn yardstick<T>(self, name: &'static str, run: impl FnMut() -> T + 'static) -> Self {
        self.way(Whose::Yardstick, name, run)
    }

    pub fn name(&self) -> String {
        format!("{} {}", self.format, self.what)
    }
}

/// How long one measured run is at least: shorter ways are repeated within it.
const LEAST: Duration = Duration::from_millis(5);

/// Runs the ways in turn, as many rounds as asked, after one that is not counted.
pub fn take(mut case: Case, rounds: usize) -> Outcome {
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); case.ways.len()];
    let mut peaks = Vec::new();
    let mut repeats = Vec::new();
    for way in &mut case.ways {
        let (mut in_c, mut once) = (0, Duration::ZERO);
        let taken = allocation_counter::measure(|| in_c = sdk::peak(|| once = (way.run)(1)));
        let once = once.max(Duration::from_nanos(50));
        // No way allocates in both.
        peaks.push(taken.bytes_max.max(in_c));
        repeats.push((LEAST.as_nanos() / once.as_nanos()).clamp(0, 100_000) as u32 + 1);
    }
    for _ in 0..rounds.max(1) {
        for (way, (times, &repeats)) in case.ways.iter_mut().zip(times.iter_mut().zip(&repeats)) {
            times.push((way.run)(repeats) / repeats);
        }
    }
    let figures = case.ways.iter().zip(times).zip(peaks).map(|((way, mut times), peak)| {
        times.sort();
        let times = [times[0], times[times.len() / 2], times[times.len() - 1]];
        Figures { whose: way.whose, name: way.name, times, peak }
    });
    let figures = figures.collect();
    Outcome { format: case.format, what: case.what, bytes: case.bytes, goal: case.goal, figures }
}

impl Figures {
    pub fn median(&self) -> f64 {
        self.times[1].as_secs_f64()
    }
}

impl Outcome {
    /// Ours, by its median.
    pub fn ours(&self) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.whose == Whose::Ours)
    }

    /// The fastest of the others of a kind.
    pub fn best(&self, whose: Whose) -> Option<&Figures> {
        self.figures
            .iter()
            .filter(|figures| figures.whose == whose)
            .min_by(|a, b| a.times[1].cmp(&b.times[1]))
    }

    /// Whether the goal is reached, and the ratio that decides it.
    pub fn reached(&self) -> Option<(bool, f64)> {
        let ours = self.ours()?.median();
        match self.goal? {
            Goal::TimesPeer(wanted) => {
                let ratio = self.best(Whose::Peer)?.median() / ours;
                Some((ratio >= wanted, ratio))
            }
            Goal::OfYardstick(wanted) => {
                let yardstick = self.figures.iter().find(|figures| figures.whose == Whose::Yardstick)?;
                let ratio = ours / yardstick.median();
                Some((ratio <= wanted, ratio))
            }
        }
    }
}
